/* The search for all bindings of a guard: level by level, where each level has the positions that the guard leaves. */
#include "ff_colour_search.h"

#include <stdlib.h>
#include <string.h>

/* A level whose positions are tried one after the other. */
typedef struct {
  int open;                /* whether the guard is still to be decided: then `root` is what is left of it */
  ff_colour_node root;
  ff_colour_interval *end; /* positions that are left for each level from this one on */
  size_t list;             /* those of this level, as in a box */
  uint32_t n;
  uint32_t part, next;     /* the interval and the position that is tried next */
  uint32_t row, row_end;   /* the colours of the sorted table that begin with the values of the levels before, from here on */
  size_t nodes, keys, intervals; /* the lengths of the lists of the search with this level */
  int shared;  /* whether what is left of the guard does not name this level: the level above is the same for all positions */
  int ready;   /* whether the level above has been made and is shared */
} frame;

struct ff_binder {
  ff_colour_search search;
  ff_colour_node root;
  frame *frame;
  ff_colour_interval *ends;
  uint32_t at; /* the level whose position is tried */
  int begun, done;
  int64_t *values;
  size_t capacity;
  uint64_t n, nodes;
};

enum { PASSES = 4 }; /* over the whole guard at first */

void ff_binder_free(ff_binder *binder) {
  if (binder == NULL) return;
  ff_colour_search *s = &binder->search;
  free(s->word);
  free(s->begin);
  free(s->atom);
  free(s->level);
  free(s->value);
  free(s->stack);
  free(s->range);
  free(s->target);
  free(s->ends);
  free(s->node.at);
  free(s->key.at);
  free(s->interval.at);
  free(s->pending.at);
  free(s->joined.at);
  free(binder->frame);
  free(binder->ends);
  free(binder->values);
  free(binder);
}

uint64_t ff_binder_n(const ff_binder *binder) { return binder->n; }
uint32_t ff_binder_width(const ff_binder *binder) { return binder->search.n_levels; }
const int64_t *ff_binder_values(const ff_binder *binder) { return binder->values; }
uint64_t ff_binder_nodes(const ff_binder *binder) { return binder->nodes; }

/* ---- a new search ------------------------------------------------------------------------------------------------------- */

static ff_status no_memory(ff_error *err) { return ff_error_set(err, FF_EMEMORY, "no memory for the search for bindings"); }

/* The position of component k of a colour of a table. */
static int64_t position_of(const ff_colours *table, uint32_t row, uint32_t k) {
  return ff_colours_find(table->component[k], table->value + (size_t)row * table->width + k);
}

static int is_sorted(const ff_colours *table) {
  for (uint32_t i = 1; i < table->n; i++) {
    uint32_t k = 0;
    while (k < table->width && position_of(table, i - 1, k) == position_of(table, i, k)) k++;
    if (k < table->width && position_of(table, i - 1, k) > position_of(table, i, k)) return 0;
  }
  return 1;
}

/* The levels of an index. */
static void set_levels(ff_colour_search *s, uint32_t first, const ff_colours *set) {
  for (uint32_t k = 0; k < set->width; k++) s->level[first + k] = (ff_colour_level_set){.set = set->component[k]};
  const uint32_t factors = set->kind == FF_COLOURS_PRODUCT ? set->n_factors : 1;
  for (uint32_t f = 0; f < factors; f++) {
    const ff_colours *factor = set->kind == FF_COLOURS_PRODUCT ? set->factor[f] : set;
    const int sorted = factor->width > 1 && is_sorted(factor);
    for (uint32_t k = 0; k < factor->width && factor->width > 1; k++) {
      s->level[first + k].sorted = sorted;
      s->level[first + k].table = factor;
      s->level[first + k].first = first;
      s->level[first + k].last = k + 1 == factor->width;
    }
    first += factor->width;
  }
}

static ff_status make_levels(ff_colour_search *s, const uint32_t *index, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t set = s->scope->index[index[i]].set;
    if (s->scope->colours[set] == NULL)
      return ff_error_set(s->err, FF_EINTERNAL, "the colours of the set %s have not been made", s->scope->set[set].name);
    s->n_levels += s->scope->colours[set]->width;
  }
  s->level = ff_calloc(s->n_levels, sizeof *s->level);
  s->value = ff_calloc(s->n_levels, sizeof *s->value);
  if (s->level == NULL || s->value == NULL) return no_memory(s->err);
  uint32_t first = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ff_colours *set = s->scope->colours[s->scope->index[index[i]].set];
    set_levels(s, first, set);
    first += set->width;
  }
  return FF_OK;
}

/* The level of each component of indices that are bound; UINT32_MAX for others. */
static ff_status map_components(uint32_t **out, uint32_t *n_components, const ff_colour_search *s, const uint32_t *index,
                                uint32_t n) {
  *n_components = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ff_colour_index *x = &s->scope->index[index[i]];
    const uint32_t beyond = x->first + s->scope->colours[x->set]->width;
    if (beyond > *n_components) *n_components = beyond;
  }
  *out = ff_calloc(*n_components, sizeof **out);
  if (*out == NULL) return no_memory(s->err);
  memset(*out, 0xff, *n_components * sizeof **out);
  uint32_t level = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ff_colour_index *x = &s->scope->index[index[i]];
    for (uint32_t k = 0; k < s->scope->colours[x->set]->width; k++) (*out)[x->first + k] = level++;
  }
  return FF_OK;
}

/* Copies the words of the guard; components become levels. */
static ff_status copy_words(ff_colour_search *s, const ff_colour_expr *guard, const uint32_t *level, uint32_t n_components) {
  s->length = guard->length;
  s->word = ff_calloc(guard->length, sizeof *s->word);
  s->begin = ff_calloc(guard->length, sizeof *s->begin);
  s->stack = ff_calloc(guard->depth, sizeof *s->stack);
  if (s->word == NULL || s->begin == NULL || s->stack == NULL) return no_memory(s->err);
  for (uint32_t i = 0; i < guard->length; i++) {
    ff_colour_word word = guard->word[i];
    const uint32_t operands = ff_colour_operands(s->scope, &word);
    s->begin[i] = i;
    if (operands > 0) s->begin[i] = s->begin[i - 1];
    if (operands > 1) {
      word.of = i - (s->begin[i - 1] - 1);
      s->begin[i] = s->begin[i - word.of];
    }
    if (word.code == FF_C_INDEX) {
      if (word.of >= n_components || level[word.of] == UINT32_MAX)
        return ff_error_set(s->err, FF_EINTERNAL, "a guard names an index that is not bound");
      word.of = level[word.of];
    }
    if (word.code == FF_C_CALL || word.code == FF_C_CONSTANT || word.code == FF_C_ARGUMENT)
      return ff_error_set(s->err, FF_EINTERNAL, "a guard has not been expanded");
    s->word[i] = word;
  }
  return FF_OK;
}

static ff_status make_frames(ff_binder *binder) {
  const size_t n = binder->search.n_levels;
  binder->frame = ff_calloc(n, sizeof *binder->frame);
  binder->ends = ff_calloc(n * n, sizeof *binder->ends);
  if (binder->frame == NULL || binder->ends == NULL) return no_memory(binder->search.err);
  for (size_t i = 0; i < n; i++) binder->frame[i].end = binder->ends + i * n;
  return FF_OK;
}

ff_status ff_binder_new(ff_binder **out, const uint32_t *index, uint32_t n, const ff_colour_expr *guard,
                        const ff_colour_scope *scope, ff_error *err) {
  *out = NULL;
  ff_binder *binder = ff_calloc(1, sizeof *binder);
  if (binder == NULL) return no_memory(err);
  ff_colour_search *s = &binder->search;
  s->scope = scope;
  s->err = err;
  uint32_t *level = NULL, n_components = 0;
  ff_status status = make_levels(s, index, n);
  if (status == FF_OK) status = map_components(&level, &n_components, s, index, n);
  if (status == FF_OK) status = copy_words(s, guard, level, n_components);
  free(level);
  if (status == FF_OK) status = ff_colour_tree(s, &binder->root);
  if (status == FF_OK) status = make_frames(binder);
  if (status == FF_OK)
    *out = binder;
  else
    ff_binder_free(binder);
  return status;
}

/* ---- the search --------------------------------------------------------------------------------------------------------- */

static ff_status add_binding(ff_binder *binder) {
  const uint32_t width = binder->search.n_levels;
  void *memory = binder->values;
  const size_t used = (size_t)binder->n * width;
  const ff_status status = ff_grow(&memory, &binder->capacity, used + width, sizeof *binder->values, binder->search.err);
  binder->values = memory;
  if (status != FF_OK) return status;
  if (width > 0) memcpy(binder->values + used, binder->search.value, width * sizeof *binder->values);
  binder->n++;
  return FF_OK;
}

/* Begins with the first position of a level. */
static void restart(ff_binder *binder, uint32_t level) {
  frame *f = &binder->frame[level];
  const ff_colour_level_set *set = &binder->search.level[level];
  f->part = 0;
  f->next = f->end[level].lo;
  binder->at = level;
  if (set->sorted && set->first == level) {
    f->row = 0;
    f->row_end = set->table->n;
  }
}

/* Makes a level, for which box 0 has the positions, and begins with it. */
static void enter(ff_binder *binder, uint32_t level, int open, const ff_colour_node *root) {
  ff_colour_search *s = &binder->search;
  const ff_colour_box *box = &s->box[0];
  frame *f = &binder->frame[level];
  f->open = open;
  f->root = open ? *root : (ff_colour_node){0};
  for (uint32_t i = level; i < s->n_levels; i++) f->end[i] = box->end[i];
  f->list = box->list;
  f->n = box->n;
  f->nodes = s->node.n;
  f->keys = s->key.n;
  f->intervals = s->interval.n;
  f->shared = (f->root.mask >> (level < 63 ? level : 63) & 1) == 0;
  f->ready = 0;
  restart(binder, level);
}


/* The next position of a level that the guard leaves. Returns 0 if there is none. */
static int next_left(const ff_colour_search *s, frame *f, uint32_t level, uint32_t *position) {
  if (f->n == 0) {
    if (f->next > f->end[level].hi) return 0;
    *position = f->next++;
    return 1;
  }
  const ff_colour_interval *part = (const ff_colour_interval *)s->interval.at + f->list;
  while (f->next > part[f->part].hi)
    if (++f->part == f->n) {
      f->part--;
      return 0;
    }
  if (f->next < part[f->part].lo) f->next = part[f->part].lo;
  *position = f->next++;
  return 1;
}

/* The first of the rows whose position of component k is at least `position`; O(log of the rows that are left out). */
static uint32_t first_row(const ff_colours *table, uint32_t k, uint32_t row, uint32_t end, uint32_t position) {
  uint32_t step = 1;
  if (row == end || position_of(table, row, k) >= position) return row;
  while (step < end - row && position_of(table, row + step, k) < position) {
    row += step;
    step *= 2;
  }
  uint32_t hi = step < end - row ? row + step : end; /* row is before the result, hi is not */
  while (hi - row > 1) {
    const uint32_t middle = row + (hi - row) / 2;
    if (position_of(table, middle, k) < position)
      row = middle;
    else
      hi = middle;
  }
  return hi;
}

/* The next position of a level. Of a sorted table, only positions that some colour has; the level above gets the rows with it. */
static int next_position(ff_binder *binder, frame *f, uint32_t level, uint32_t *position) {
  ff_colour_search *s = &binder->search;
  const ff_colour_level_set *set = &s->level[level];
  const uint32_t k = level - set->first;
  for (;;) {
    if (!next_left(s, f, level, position)) return 0;
    if (!set->sorted) return 1;
    s->work++;
    f->row = first_row(set->table, k, f->row, f->row_end, *position);
    if (f->row == f->row_end) return 0;
    const uint32_t found = (uint32_t)position_of(set->table, f->row, k);
    if (found == *position) break;
    f->next = found;
  }
  const uint32_t row = f->row;
  f->row = set->last ? row + 1 : first_row(set->table, k, row, f->row_end, *position + 1);
  if (set->last) return 1;
  f[1].row = row;
  f[1].row_end = f->row;
  return 1;
}

/* What is left of the guard when a level has got a value. */
static ff_colour_verdict reduce(ff_binder *binder, const frame *f, uint32_t level, ff_colour_node *root) {
  ff_colour_search *s = &binder->search;
  s->node.n = f->nodes;
  s->key.n = f->keys;
  s->interval.n = f->intervals;
  s->branch = level + 1;
  s->box[0].n = 0;
  for (uint32_t i = level + 1; i < s->n_levels; i++) s->box[0].end[i] = f->end[i];
  return f->open ? ff_colour_reduce(s, root, f->root, 0) : FF_COLOUR_TRUE;
}

/* Goes on from a level that has got a value. */
static ff_status descend(ff_binder *binder, frame *f, uint32_t level) {
  ff_colour_search *s = &binder->search;
  if (f->ready) {
    restart(binder, level + 1);
    return FF_OK;
  }
  ff_colour_node root = {0};
  const ff_colour_verdict verdict = reduce(binder, f, level, &root);
  if (verdict == FF_COLOUR_FAILED) return FF_EMEMORY;
  if (verdict == FF_COLOUR_FALSE && f->shared) { /* no position is better */
    f->part = f->n > 0 ? f->n - 1 : 0;
    f->next = UINT32_MAX;
  }
  if (verdict == FF_COLOUR_FALSE) return FF_OK;
  if (level + 1 == s->n_levels) return add_binding(binder);
  f->ready = f->shared;
  enter(binder, level + 1, verdict == FF_COLOUR_OPEN, &root);
  return FF_OK;
}

static ff_status try_next(ff_binder *binder) {
  ff_colour_search *s = &binder->search;
  const uint32_t level = binder->at;
  frame *f = &binder->frame[level];
  const ff_colour_level_set *set = &s->level[level];
  s->work++;
  if (!next_position(binder, f, level, &s->position)) {
    binder->done = level == 0;
    binder->at -= level > 0;
    return FF_OK;
  }
  binder->nodes++;
  ff_colours_at(set->set, s->position, &s->value[level]);
  if (set->last && !set->sorted && ff_colours_find(set->table, s->value + set->first) < 0) return FF_OK;
  return descend(binder, f, level);
}

/* The whole guard, before any level is bound. It is narrowed as long as this removes something. */
static ff_status begin(ff_binder *binder) {
  ff_colour_search *s = &binder->search;
  ff_colour_node root = binder->root;
  ff_colour_verdict verdict = FF_COLOUR_OPEN;
  binder->begun = 1;
  for (uint32_t i = 0; i < s->n_levels; i++) s->box[0].end[i] = (ff_colour_interval){0, s->level[i].set->n - 1};
  int changed = 1;
  for (int pass = 0; pass < PASSES && changed && verdict == FF_COLOUR_OPEN; pass++) {
    changed = 0;
    memcpy(binder->ends, s->box[0].end, s->n_levels * sizeof *binder->ends);
    verdict = ff_colour_reduce(s, &root, root, 0);
    for (uint32_t i = 0; i < s->n_levels; i++)
      changed |= binder->ends[i].lo != s->box[0].end[i].lo || binder->ends[i].hi != s->box[0].end[i].hi;
  }
  s->use_keys = 1;
  if (verdict == FF_COLOUR_FAILED) return FF_EMEMORY;
  binder->done = verdict == FF_COLOUR_FALSE || s->n_levels == 0;
  if (verdict == FF_COLOUR_TRUE && s->n_levels == 0) return add_binding(binder);
  if (!binder->done) enter(binder, 0, verdict == FF_COLOUR_OPEN, &root);
  return FF_OK;
}

ff_status ff_binder_step(ff_binder *binder, uint64_t budget, int *done, ff_error *err) {
  ff_colour_search *s = &binder->search;
  const uint64_t until = budget < UINT64_MAX - s->work ? s->work + budget : UINT64_MAX;
  s->err = err;
  ff_status status = binder->begun ? FF_OK : begin(binder);
  while (status == FF_OK && !binder->done && s->work < until) status = try_next(binder);
  *done = binder->done;
  return status;
}
