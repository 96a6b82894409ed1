/* The tree of a guard, and what is left of it when some levels are bound. */
#include "ff_colour_search.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tree ----------------------------------------------------------------------------------------------------------- */

/* A subexpression: its last word, and whether it is negated. */
typedef struct {
  uint32_t at;
  int negated;
} operand;

/* `open` are parts of an & or | that may be one themselves, `found` are its children. */
typedef struct {
  ff_colour_search *s;
  ff_colour_list open, found, atoms;
} builder;

/* & or |, as it is after De Morgan's laws; FF_C_EQ for an atom. Takes ! away. */
static uint32_t kind_of(const builder *b, operand *p) {
  while (b->s->word[p->at].code == FF_C_NOT) {
    p->at--;
    p->negated = !p->negated;
  }
  const uint32_t code = b->s->word[p->at].code;
  if (code != FF_C_AND && code != FF_C_OR) return FF_C_EQ;
  return (code == FF_C_AND) != p->negated ? FF_C_AND : FF_C_OR;
}

static uint32_t opposite(uint32_t code) {
  switch (code) {
    case FF_C_EQ: return FF_C_NE;
    case FF_C_NE: return FF_C_EQ;
    case FF_C_LT: return FF_C_GE;
    case FF_C_GE: return FF_C_LT;
    case FF_C_GT: return FF_C_LE;
    default: return FF_C_GT;
  }
}

static ff_status add_atom(builder *b, ff_colour_node *out, operand p) {
  const ff_colour_search *s = b->s;
  const uint32_t code = s->word[p.at].code;
  ff_colour_atom atom = {.code = p.negated ? FF_C_EQ : FF_C_NE, .start = s->begin[p.at], .middle = p.at + 1, .end = p.at + 1};
  if (ff_colour_compares(code)) {
    atom.code = p.negated ? opposite(code) : code;
    atom.middle = s->begin[p.at - 1];
    atom.end = p.at;
  }
  for (uint32_t i = atom.start; i < atom.end; i++) {
    const uint32_t level = s->word[i].of;
    if (s->word[i].code != FF_C_INDEX) continue;
    if (level >= atom.levels) atom.levels = level + 1;
    atom.mask |= UINT64_C(1) << (level < 63 ? level : 63);
  }
  ff_colour_atom *atoms = ff_colour_room(b->s, &b->atoms, 1, sizeof atom);
  if (atoms == NULL) return FF_EMEMORY;
  *out = (ff_colour_node){.code = FF_C_EQ, .first = (uint32_t)b->atoms.n, .mask = atom.mask};
  atoms[b->atoms.n++] = atom;
  return FF_OK;
}

static ff_status push_part(builder *b, ff_colour_list *list, operand p) {
  operand *parts = ff_colour_room(b->s, list, 1, sizeof p);
  if (parts == NULL) return FF_EMEMORY;
  parts[list->n++] = p;
  return FF_OK;
}

static ff_status push_operands(builder *b, operand p) {
  const ff_colour_search *s = b->s;
  const ff_status status = push_part(b, &b->open, (operand){p.at - 1, p.negated});
  return status == FF_OK ? push_part(b, &b->open, (operand){p.at - s->word[p.at].of, p.negated}) : status;
}

/* Adds the children of an & or |: operands that are the same operation give theirs. */
static ff_status find_children(builder *b, operand p, uint32_t code) {
  ff_status status = push_operands(b, p);
  while (status == FF_OK && b->open.n > 0) {
    operand next = ((operand *)b->open.at)[--b->open.n];
    status = kind_of(b, &next) == code ? push_operands(b, next) : push_part(b, &b->found, next);
  }
  return status;
}

/* `depth` bounds the recursion. */
static ff_status build(builder *b, ff_colour_node *out, operand p, uint32_t depth) {
  const uint32_t code = kind_of(b, &p);
  if (code == FF_C_EQ || depth == FF_COLOUR_DEEP) return add_atom(b, out, p);
  const size_t mark = b->found.n;
  ff_status status = find_children(b, p, code);
  const uint32_t n = (uint32_t)(b->found.n - mark);
  const size_t first = b->s->node.n;
  if (status == FF_OK && ff_colour_room(b->s, &b->s->node, n, sizeof *out) == NULL) status = FF_EMEMORY;
  if (status != FF_OK) return status;
  b->s->node.n += n;
  *out = (ff_colour_node){.code = code, .n = n, .first = (uint32_t)first, .always = n};
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    ff_colour_node child = {0};
    status = build(b, &child, ((operand *)b->found.at)[mark + i], depth + 1);
    ((ff_colour_node *)b->s->node.at)[first + i] = child; /* the array may have moved */
    out->mask |= child.mask;
  }
  b->found.n = mark;
  return status;
}

/* What is as large as the longest atom or as deep as the tree. */
static ff_status make_room(ff_colour_search *s) {
  const uint32_t longest = s->length < FF_COLOUR_LONG_ATOM ? s->length : FF_COLOUR_LONG_ATOM;
  const size_t boxes = sizeof s->box / sizeof s->box[0];
  s->range = ff_calloc(longest, sizeof *s->range);
  s->target = ff_calloc(longest, sizeof *s->target);
  s->ends = ff_calloc(boxes * s->n_levels, sizeof *s->ends);
  if (s->range == NULL || s->target == NULL || s->ends == NULL)
    return ff_error_set(s->err, FF_EMEMORY, "no memory for the search for the bindings of %u indices", s->n_levels);
  for (size_t i = 0; i < boxes; i++) s->box[i].end = s->ends + i * s->n_levels;
  return FF_OK;
}

ff_status ff_colour_tree(ff_colour_search *s, ff_colour_node *root) {
  builder b = {.s = s};
  *root = (ff_colour_node){.code = FF_C_AND};
  ff_status status = s->length > 0 ? build(&b, root, (operand){s->length - 1, 0}, 0) : FF_OK;
  free(b.open.at);
  free(b.found.at);
  s->atom = b.atoms.at;
  s->n_atoms = (uint32_t)b.atoms.n;
  return status == FF_OK ? make_room(s) : status;
}

/* ---- what is left of a tree --------------------------------------------------------------------------------------------- */

enum { LONG_OR = 8, FEW_POSITIONS = 8 };

/* A child that is left, and its positions of the level `branch`: intervals of search->joined. */
typedef struct {
  ff_colour_node node;
  size_t interval;
  uint32_t n;
} survivor;

static void copy_box(ff_colour_search *s, uint32_t to, uint32_t from) {
  ff_colour_box *const out = &s->box[to];
  out->list = s->box[from].list;
  out->n = s->box[from].n;
  for (uint32_t i = s->branch; i < s->n_levels; i++) out->end[i] = s->box[from].end[i];
}

static int push_survivor(ff_colour_search *s, survivor one) {
  survivor *list = ff_colour_room(s, &s->pending, 1, sizeof one);
  if (list == NULL) return 0;
  list[s->pending.n++] = one;
  return 1;
}

/* Whether a child has few positions. */
static int is_narrow(const ff_colour_search *s, const survivor *child) {
  const ff_colour_interval *part = (const ff_colour_interval *)s->joined.at + child->interval;
  uint64_t positions = 0;
  for (uint32_t i = 0; i < child->n; i++) positions += part[i].hi - part[i].lo + 1;
  return positions <= FEW_POSITIONS;
}

static int compare_keys(const void *a, const void *b) {
  const ff_colour_key *x = a, *y = b;
  return (x->position > y->position) - (x->position < y->position);
}

/* Adds the keys of the children from `always` on. */
static int add_keys(ff_colour_search *s, ff_colour_node *out, const survivor *child) {
  int sorted = 1;
  out->key = s->key.n;
  for (uint32_t i = out->always; i < out->n; i++) {
    const ff_colour_interval *part = (const ff_colour_interval *)s->joined.at + child[i].interval;
    ff_colour_key *key = ff_colour_room(s, &s->key, FEW_POSITIONS, sizeof *key);
    if (key == NULL) return 0;
    for (uint32_t j = 0; j < child[i].n; j++)
      for (uint32_t position = part[j].lo; position <= part[j].hi; position++) {
        sorted &= s->key.n == out->key || key[s->key.n - 1].position <= position;
        key[s->key.n++] = (ff_colour_key){position, i};
      }
  }
  out->n_keys = (uint32_t)(s->key.n - out->key);
  if (!sorted) qsort((ff_colour_key *)s->key.at + out->key, out->n_keys, sizeof(ff_colour_key), compare_keys);
  return 1;
}

/* Makes a node of the survivors from `mark` on, of which there are some. */
static int close_node(ff_colour_search *s, ff_colour_node *out, uint32_t code, size_t mark) {
  survivor *child = (survivor *)s->pending.at + mark;
  const uint32_t n = (uint32_t)(s->pending.n - mark);
  s->pending.n = mark;
  if (n == 1) {
    *out = child->node;
    return 1;
  }
  ff_colour_node *node = ff_colour_room(s, &s->node, n, sizeof *node);
  if (node == NULL) return 0;
  *out = (ff_colour_node){.code = code, .n = n, .first = (uint32_t)s->node.n, .always = n};
  if (code == FF_C_OR && n >= LONG_OR) {
    out->always = 0;
    for (uint32_t i = 0; i < n; i++) { /* children with many positions first */
      if (is_narrow(s, &child[i])) continue;
      const survivor wide = child[i];
      child[i] = child[out->always];
      child[out->always++] = wide;
    }
    if (!add_keys(s, out, child)) return 0;
  }
  for (uint32_t i = 0; i < n; i++) {
    node[s->node.n++] = child[i].node;
    out->mask |= child[i].node.mask;
  }
  return 1;
}

static ff_colour_verdict reduce_all(ff_colour_search *s, ff_colour_node *out, ff_colour_node node, uint32_t box) {
  const size_t mark = s->pending.n;
  for (uint32_t i = 0; i < node.n; i++) {
    survivor kept = {.n = 0};
    const ff_colour_verdict verdict = ff_colour_reduce(s, &kept.node, ((ff_colour_node *)s->node.at)[node.first + i], box);
    if (verdict == FF_COLOUR_FALSE || verdict == FF_COLOUR_FAILED) {
      s->pending.n = mark;
      return verdict;
    }
    if (verdict == FF_COLOUR_OPEN && !push_survivor(s, kept)) return FF_COLOUR_FAILED;
  }
  if (s->pending.n == mark) return FF_COLOUR_TRUE;
  return close_node(s, out, FF_C_AND, mark) ? FF_COLOUR_OPEN : FF_COLOUR_FAILED;
}

static int compare_intervals(const void *a, const void *b) {
  const ff_colour_interval *x = a, *y = b;
  return (x->lo > y->lo) - (x->lo < y->lo);
}

/* The box becomes the one that has been joined; positions of the level `branch` are the union of s->joined from `mark` on. */
static int join(ff_colour_search *s, uint32_t box, size_t mark) {
  const uint32_t n = (uint32_t)(s->joined.n - mark);
  for (uint32_t i = s->branch; i < s->n_levels; i++) s->box[box].end[i] = s->box[box + 1].end[i];
  s->box[box].n = 0;
  s->joined.n = mark;
  if (s->branch == s->n_levels) return 1;
  ff_colour_interval *to = ff_colour_room(s, &s->interval, n, sizeof *to);
  if (to == NULL) return 0;
  to += s->interval.n;
  memcpy(to, (ff_colour_interval *)s->joined.at + mark, n * sizeof *to);
  int sorted = 1;
  for (uint32_t i = 1; i < n; i++) sorted &= to[i - 1].lo <= to[i].lo;
  if (!sorted) qsort(to, n, sizeof *to, compare_intervals);
  uint32_t kept = 1;
  for (uint32_t i = 1; i < n; i++) {
    if (to[i].lo > to[kept - 1].hi + 1)
      to[kept++] = to[i];
    else if (to[i].hi > to[kept - 1].hi)
      to[kept - 1].hi = to[i].hi;
  }
  s->work += n;
  if (kept == 1) return 1;
  s->box[box].list = s->interval.n;
  s->box[box].n = kept;
  s->interval.n += kept;
  return 1;
}

/* Joins the box of a child that is left, box + 2, to box + 1. */
static int take_child(ff_colour_search *s, uint32_t box, ff_colour_node node) {
  const ff_colour_box *from = &s->box[box + 2];
  ff_colour_interval *end = s->box[box + 1].end;
  for (uint32_t i = s->branch; i < s->n_levels; i++) {
    if (from->end[i].lo < end[i].lo) end[i].lo = from->end[i].lo;
    if (from->end[i].hi > end[i].hi) end[i].hi = from->end[i].hi;
  }
  const uint32_t n = s->branch == s->n_levels ? 0 : from->n == 0 ? 1 : from->n;
  ff_colour_interval *to = ff_colour_room(s, &s->joined, n, sizeof *to);
  if (to == NULL) return 0;
  const ff_colour_interval *list = from->n == 0 ? &from->end[s->branch] : (ff_colour_interval *)s->interval.at + from->list;
  for (uint32_t i = 0; i < n; i++) to[s->joined.n + i] = list[i];
  s->joined.n += n;
  return push_survivor(s, (survivor){node, s->joined.n - n, n});
}

static uint32_t first_key(const ff_colour_search *s, const ff_colour_node *node) {
  const ff_colour_key *key = (const ff_colour_key *)s->key.at + node->key;
  uint32_t lo = 0, hi = node->n_keys;
  while (lo < hi) {
    const uint32_t middle = lo + (hi - lo) / 2;
    if (key[middle].position < s->position)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

static ff_colour_verdict reduce_any(ff_colour_search *s, ff_colour_node *out, ff_colour_node node, uint32_t box) {
  const size_t mark = s->pending.n, joined = s->joined.n;
  const uint32_t listed = s->use_keys ? node.always : node.n;
  uint32_t key = s->use_keys && node.n_keys > 0 ? first_key(s, &node) : node.n_keys;
  for (uint32_t i = s->branch; i < s->n_levels; i++) s->box[box + 1].end[i] = (ff_colour_interval){UINT32_MAX, 0};
  for (uint32_t i = 0;; i++) {
    uint32_t child = i;
    if (i >= listed) {
      if (key == node.n_keys) break;
      const ff_colour_key *found = (const ff_colour_key *)s->key.at + node.key + key;
      if (found->position != s->position) break;
      child = found->child;
      key++;
    }
    ff_colour_node kept = {0};
    copy_box(s, box + 2, box);
    const ff_colour_verdict verdict = ff_colour_reduce(s, &kept, ((ff_colour_node *)s->node.at)[node.first + child], box + 2);
    if (verdict == FF_COLOUR_FALSE) continue;
    if (verdict != FF_COLOUR_OPEN) {
      s->pending.n = mark;
      s->joined.n = joined;
      return verdict;
    }
    if (!take_child(s, box, kept)) return FF_COLOUR_FAILED;
  }
  if (s->pending.n == mark) return FF_COLOUR_FALSE;
  return close_node(s, out, FF_C_OR, mark) && join(s, box, joined) ? FF_COLOUR_OPEN : FF_COLOUR_FAILED;
}

ff_colour_verdict ff_colour_reduce(ff_colour_search *s, ff_colour_node *out, ff_colour_node node, uint32_t box) {
  if (node.code == FF_C_AND) return reduce_all(s, out, node, box);
  if (node.code == FF_C_OR) return reduce_any(s, out, node, box);
  const ff_colour_atom *atom = &s->atom[node.first];
  if (atom->levels <= s->branch) return ff_colour_atom_holds(s, atom) ? FF_COLOUR_TRUE : FF_COLOUR_FALSE;
  *out = node;
  return ff_colour_narrow(s, atom, &s->box[box]);
}
