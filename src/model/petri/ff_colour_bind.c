/* The search for all bindings of a guard.
 *
 * The guard is split at its | into alternatives. Component after component gets each value that some alternative permits, in the
 * order of its set. Below each value, only the alternatives that are still possible are kept. Whether one is possible, and which
 * values it permits, follows from intervals: those of all components that it names are narrowed on its tree. */
#include <stdlib.h>
#include <string.h>

#include "ff_colour_internal.h"

#define WIDE 16
#define MORE_ENTRIES 256u /* of a level than alternatives */
#define MOST_DEPTH 256u /* of a tree that is narrowed; a deeper one is only computed */

typedef struct {
  int64_t low, high;
} interval;

/* The subexpression that a word ends: the words that end its operands, its depth, and where it starts. */
typedef struct {
  uint32_t left, right, depth, start;
  int valued; /* whether it has a value if all that it names are numbers */
} node;

/* What is known while component `k` gets its values. */
typedef struct {
  uint32_t *live;   /* alternatives that are possible, in the order of the lowest value that they permit to component k */
  interval *permit; /* the values of component k that they permit */
  uint32_t n, seen; /* `seen` of them begin at or below the present value */
  uint32_t *now;    /* those of them that do not end below it */
  uint32_t n_now;
  uint32_t at, end; /* the next value, as its place in the order of the set */
} level;

typedef struct {
  uint32_t component;
  const ff_colours *set;
  int ascending;       /* whether its values ascend */
  interval all;
  uint32_t whole;      /* if it is the last component of its index: the number of components, and the set of the tuple */
  const ff_colours *tuples;
} variable;

struct ff_binder {
  ff_colour_scope scope;
  const ff_colour_expr *guard;
  node *node;
  uint32_t *alternative, n_alternatives; /* the words that end them */
  variable *variable;
  uint32_t width, depth;
  interval *range; /* of each component of the net, for narrowing; MOST_DEPTH copies for alternatives within */
  uint32_t n_components;
  level *level;
  uint32_t room_of_level;
  int64_t *component, *stack; /* values of all components */
  int64_t *value;
  uint64_t n, room, nodes;
  int begun;
};

/* ---- intervals ---------------------------------------------------------------------------------------------------------- */

#define FARTHEST (INT64_C(1) << 42) /* beyond names */

static interval clipped(int64_t low, int64_t high) {
  return (interval){low < -FARTHEST ? -FARTHEST : low, high > FARTHEST ? FARTHEST : high};
}

static const interval everything = {-FARTHEST, FARTHEST};

static interval product(interval a, interval b) {
  const int64_t most = INT64_C(1) << 20;
  if (a.low < -most || a.high > most || b.low < -most || b.high > most) return everything;
  const int64_t p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  interval out = {p[0], p[0]};
  for (int i = 1; i < 4; i++) {
    if (p[i] < out.low) out.low = p[i];
    if (p[i] > out.high) out.high = p[i];
  }
  return out;
}

static interval range_of(const ff_binder *b, uint32_t at, const interval *range);

static int is_number(interval x) { return x.low > -FF_COLOUR_MOST && x.high < FF_COLOUR_MOST; }

static interval truth_of_values(uint32_t code, interval l, interval r) {
  switch (code) {
    case FF_C_EQ: return (interval){l.low == l.high && r.low == r.high && l.low == r.low, !(l.high < r.low || r.high < l.low)};
    case FF_C_NE: return (interval){l.high < r.low || r.high < l.low, !(l.low == l.high && r.low == r.high && l.low == r.low)};
    case FF_C_LT: return (interval){l.high < r.low, l.low < r.high};
    case FF_C_LE: return (interval){l.high <= r.low, l.low <= r.high};
    case FF_C_GT: return (interval){l.low > r.high, l.high > r.low};
    default: return (interval){l.low >= r.high, l.high >= r.low};
  }
}

/* A comparison of what has no value is false, so it is only sure to be true of numbers. */
static interval truth_of(const ff_binder *b, uint32_t at, const interval *range) {
  const uint32_t left = b->node[at].left, right = b->node[at].right;
  const interval l = range_of(b, left, range), r = range_of(b, right, range);
  interval out = truth_of_values(b->guard->word[at].code, l, r);
  if (!(b->node[left].valued && b->node[right].valued && is_number(l) && is_number(r))) out.low = 0;
  return out;
}

static int surely(interval x) { return x.low > 0 || x.high < 0; }
static int never(interval x) { return x.low == 0 && x.high == 0; }

/* An interval that holds all values of the subexpression that ends at this word; a case for each operation. */
static interval range_of(const ff_binder *b, uint32_t at, const interval *range) {
  const ff_colour_word *word = &b->guard->word[at];
  if (b->node[at].depth > MOST_DEPTH) return everything;
  if (word->code == FF_C_NUMBER) return (interval){word->value, word->value};
  if (word->code == FF_C_INDEX) return range[word->of];
  if (word->code >= FF_C_LT && word->code <= FF_C_NE) return truth_of(b, at, range);
  const interval l = range_of(b, b->node[at].left, range);
  switch (word->code) {
    case FF_C_NEG: return clipped(-l.high, -l.low);
    case FF_C_ABS: return l.low >= 0 ? l : l.high <= 0 ? (interval){-l.high, -l.low}
                                                        : (interval){0, -l.low > l.high ? -l.low : l.high};
    case FF_C_NOT: return (interval){never(l), !surely(l)};
    case FF_C_NEXT:
    case FF_C_PREVIOUS: {
      int64_t low, high;
      const uint32_t n = ff_colours_range(b->scope.colours[word->of], &low);
      high = low + (int64_t)n - 1;
      if (n == 0) return everything;
      const int64_t by = word->code == FF_C_NEXT ? 1 : -1;
      if (l.low + by < low || l.high + by > high) {
        if (l.low == l.high) return by > 0 ? (interval){low, low} : (interval){high, high};
        return (interval){low, high};
      }
      return (interval){l.low + by, l.high + by};
    }
    default: break;
  }
  const interval r = range_of(b, b->node[at].right, range);
  switch (word->code) {
    case FF_C_ADD: return clipped(l.low + r.low, l.high + r.high);
    case FF_C_SUB: return clipped(l.low - r.high, l.high - r.low);
    case FF_C_MUL: return product(l, r);
    case FF_C_AND: return (interval){surely(l) && surely(r), !never(l) && !never(r)};
    case FF_C_OR: return (interval){surely(l) || surely(r), !never(l) || !never(r)};
    default: return everything;
  }
}

/* ---- narrowing ---------------------------------------------------------------------------------------------------------- */

static int narrow(ff_binder *b, uint32_t at, interval to, interval *range);

/* The subexpression must be true. Returns 0 if it cannot be. */
static int narrow_true(ff_binder *b, uint32_t at, interval *range);

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* x * c within `to`, for a number c. */
static int narrow_product(ff_binder *b, uint32_t x, int64_t c, interval to, interval *range) {
  if (c == 0) return to.low <= 0 && to.high >= 0;
  if (c < 0) {
    to = (interval){-to.high, -to.low};
    c = -c;
  }
  return narrow(b, x, (interval){-floor_div(-to.low, c), floor_div(to.high, c)}, range);
}

static int narrow_neighbour(ff_binder *b, uint32_t at, interval to, interval *range) {
  const ff_colour_word *word = &b->guard->word[at];
  const uint32_t inner = b->node[at].left;
  int64_t low;
  const uint32_t n = ff_colours_range(b->scope.colours[word->of], &low);
  const int64_t high = low + (int64_t)n - 1, by = word->code == FF_C_NEXT ? 1 : -1;
  if (n == 0) return 1;
  if (to.low < low) to.low = low;
  if (to.high > high) to.high = high;
  if (to.low > to.high) return 0;
  const int wraps = by > 0 ? to.low == low : to.high == high;
  if (!wraps) return narrow(b, inner, (interval){to.low - by, to.high - by}, range);
  if (to.low == to.high) return narrow(b, inner, by > 0 ? (interval){high, high} : (interval){low, low}, range);
  return 1;
}

/* The value of the subexpression must be within `to`; a case for each operation. */
static int narrow(ff_binder *b, uint32_t at, interval to, interval *range) {
  const ff_colour_word *word = &b->guard->word[at];
  if (b->node[at].depth > MOST_DEPTH) return 1;
  if (to.low > to.high) return 0;
  const uint32_t l = b->node[at].left, r = b->node[at].right;
  interval a, c;
  switch (word->code) {
    case FF_C_NUMBER: return word->value >= to.low && word->value <= to.high;
    case FF_C_INDEX: {
      interval *x = &range[word->of];
      if (to.low > x->low) x->low = to.low;
      if (to.high < x->high) x->high = to.high;
      return x->low <= x->high;
    }
    case FF_C_ADD:
      a = range_of(b, l, range), c = range_of(b, r, range);
      return narrow(b, l, clipped(to.low - c.high, to.high - c.low), range) &&
             narrow(b, r, clipped(to.low - a.high, to.high - a.low), range);
    case FF_C_SUB:
      a = range_of(b, l, range), c = range_of(b, r, range);
      return narrow(b, l, clipped(to.low + c.low, to.high + c.high), range) &&
             narrow(b, r, clipped(a.low - to.high, a.high - to.low), range);
    case FF_C_NEG: return narrow(b, l, (interval){-to.high, -to.low}, range);
    case FF_C_ABS: return to.high >= 0 && narrow(b, l, (interval){-to.high, to.high}, range);
    case FF_C_MUL:
      if (b->guard->word[r].code == FF_C_NUMBER) return narrow_product(b, l, b->guard->word[r].value, to, range);
      if (b->guard->word[l].code == FF_C_NUMBER) return narrow_product(b, r, b->guard->word[l].value, to, range);
      break;
    case FF_C_NEXT:
    case FF_C_PREVIOUS: return narrow_neighbour(b, at, to, range);
    default: break;
  }
  a = range_of(b, at, range);
  return !(a.high < to.low || to.high < a.low);
}

/* Either side of | may be true: what both permit together. */
static int narrow_either(ff_binder *b, uint32_t at, interval *range) {
  interval *left = range + b->n_components, *right = left + b->n_components; /* room for what is within */
  const size_t bytes = b->n_components * sizeof *range;
  const uint32_t deep = (uint32_t)((size_t)(range - b->range) / b->n_components);
  if (deep + 2 >= MOST_DEPTH) return 1;
  memcpy(left, range, bytes);
  const int can = narrow_true(b, b->node[at].left, left);
  interval *kept = can ? left : NULL;
  if (kept == NULL) right = left;
  memcpy(right, range, bytes);
  const int other = narrow_true(b, b->node[at].right, right);
  if (!can && !other) return 0;
  for (uint32_t k = 0; k < b->n_components; k++) {
    if (can && other) {
      range[k].low = left[k].low < right[k].low ? left[k].low : right[k].low;
      range[k].high = left[k].high > right[k].high ? left[k].high : right[k].high;
    } else {
      range[k] = can ? left[k] : right[k];
    }
  }
  return 1;
}

static int narrow_true(ff_binder *b, uint32_t at, interval *range) {
  const uint32_t code = b->guard->word[at].code, l = b->node[at].left, r = b->node[at].right;
  if (b->node[at].depth > MOST_DEPTH) return 1;
  if (code == FF_C_AND) return narrow_true(b, l, range) && narrow_true(b, r, range);
  if (code == FF_C_OR) return narrow_either(b, at, range);
  if (!(code >= FF_C_LT && code <= FF_C_EQ)) return !never(range_of(b, at, range));
  const interval a = range_of(b, l, range), c = range_of(b, r, range);
  interval left = everything, right = everything;
  if (code == FF_C_EQ) left = c, right = a;
  if (code == FF_C_LT) left.high = c.high - 1, right.low = a.low + 1;
  if (code == FF_C_LE) left.high = c.high, right.low = a.low;
  if (code == FF_C_GT) left.low = c.low + 1, right.high = a.high - 1;
  if (code == FF_C_GE) left.low = c.low, right.high = a.high;
  return narrow(b, l, left, range) && narrow(b, r, right, range);
}

/* ---- the search --------------------------------------------------------------------------------------------------------- */

/* What an alternative permits to component k, within *out, if the components before it have their values. Returns 0 if it is
 * impossible. */
static int permits(ff_binder *b, uint32_t alternative, uint32_t k, interval *out) {
  interval *range = b->range;
  for (uint32_t i = 0; i < b->width; i++) {
    const uint32_t of = b->variable[i].component;
    range[of] = i < k ? (interval){b->component[of], b->component[of]} : i == k ? *out : b->variable[i].all;
  }
  if (b->n_alternatives > 0 && !narrow_true(b, b->alternative[alternative], range)) return 0;
  if (k < b->width) *out = range[b->variable[k].component];
  return k == b->width || out->low <= out->high;
}

/* An alternative such as n == 3 | n == 900 permits few of the values between the least and the largest. It is halved into
 * intervals as long as this leaves values out; each has an entry of its own. */
static void split_wide(ff_binder *b, level *v, uint32_t k) {
  for (uint32_t i = 0; i < v->n; i++) {
    while (v->permit[i].high - v->permit[i].low >= WIDE && v->n < b->room_of_level) {
      const interval whole = v->permit[i];
      const int64_t middle = whole.low + (whole.high - whole.low) / 2;
      interval left = {whole.low, middle}, right = {middle + 1, whole.high};
      const int is_left = permits(b, v->live[i], k, &left), is_right = permits(b, v->live[i], k, &right);
      b->nodes += 2;
      v->permit[i] = is_left ? left : right;
      if (is_left && is_right) {
        if (left.high == middle && right.low == middle + 1) { /* as if all were permitted */
          v->permit[i] = whole;
          break;
        }
        v->live[v->n] = v->live[i];
        v->permit[v->n++] = right;
      } else if (!is_left && !is_right) {
        v->permit[i] = (interval){1, 0};
        break;
      }
    }
  }
}

/* Sorts alternatives by the lowest value that they permit: a heap sort, so that nothing is allocated. */
static void sift(level *v, uint32_t at, uint32_t n) {
  for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && v->permit[child + 1].low > v->permit[child].low) child++;
    if (v->permit[child].low <= v->permit[at].low) return;
    const interval permit = v->permit[at];
    const uint32_t live = v->live[at];
    v->permit[at] = v->permit[child], v->live[at] = v->live[child];
    v->permit[child] = permit, v->live[child] = live;
  }
}

static void sort_level(level *v) {
  for (uint32_t at = v->n / 2; at-- > 0;) sift(v, at, v->n);
  for (uint32_t n = v->n; n-- > 1;) {
    const interval permit = v->permit[0];
    const uint32_t live = v->live[0];
    v->permit[0] = v->permit[n], v->live[0] = v->live[n];
    v->permit[n] = permit, v->live[n] = live;
    sift(v, 0, n);
  }
}

/* Begins component k below the alternatives `from`. */
static void enter(ff_binder *b, uint32_t k, const uint32_t *from, uint32_t n) {
  level *v = &b->level[k];
  v->n = v->seen = v->n_now = v->at = v->end = 0;
  for (uint32_t i = 0; i < n; i++) {
    interval *permit = &v->permit[v->n];
    if (k < b->width) *permit = b->variable[k].all;
    if (permits(b, from[i], k, permit)) v->live[v->n++] = from[i];
  }
  if (k < b->width && b->variable[k].ascending) split_wide(b, v, k);
  b->nodes += n + 1;
  if (v->n == 0 || k == b->width) return;
  const variable *x = &b->variable[k];
  v->end = ff_colours_n(x->set);
  if (!x->ascending) return;
  if (v->n > 1) sort_level(v);
  int64_t first, high = v->permit[0].high;
  for (uint32_t i = 1; i < v->n; i++)
    if (v->permit[i].high > high) high = v->permit[i].high;
  if (ff_colours_range(x->set, &first) == 0) return;
  if (v->permit[0].low > first) v->at = (uint32_t)(v->permit[0].low - first);
  if (high - first + 1 < v->end) v->end = (uint32_t)(high - first + 1);
}

/* The alternatives that permit this value to component k. */
static void look(level *v, const variable *x, int64_t value) {
  if (!x->ascending) {
    v->n_now = 0;
    for (uint32_t i = 0; i < v->n; i++)
      if (v->permit[i].low <= value && value <= v->permit[i].high) v->now[v->n_now++] = i;
    return;
  }
  uint32_t kept = 0;
  for (; v->seen < v->n && v->permit[v->seen].low <= value; v->seen++) v->now[v->n_now++] = v->seen;
  for (uint32_t i = 0; i < v->n_now; i++)
    if (v->permit[v->now[i]].high >= value) v->now[kept++] = v->now[i];
  v->n_now = kept;
}

/* Whether an alternative holds that is still possible; the others are false. */
static int is_binding(const ff_binder *b, const uint32_t *live, const uint32_t *now, uint32_t n) {
  for (uint32_t i = 0; i < n && b->n_alternatives > 0; i++) {
    const uint32_t end = b->alternative[live[now[i]]], start = b->node[end].start;
    const ff_colour_expr part = {b->guard->word + start, end - start + 1, b->guard->depth};
    int64_t value;
    if (ff_colour_value(&value, &part, &b->scope, b->component, b->stack) && value != 0) return 1;
  }
  return b->n_alternatives == 0;
}

static ff_status keep(ff_binder *b, ff_error *err) {
  if (b->n == b->room) {
    const uint64_t room = b->room > 0 ? 2 * b->room : 64;
    const size_t width = b->width > 0 ? b->width : 1;
    int64_t *larger = ff_colour_larger(b->value, b->n, room, width * sizeof *larger);
    if (larger == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %llu bindings", (unsigned long long)room);
    b->value = larger;
    b->room = room;
  }
  for (uint32_t i = 0; i < b->width; i++) b->value[b->n * b->width + i] = b->component[b->variable[i].component];
  b->n++;
  return FF_OK;
}

/* Whether component k, with its value, completes a tuple that is not in its set. */
static int leaves_set(const ff_binder *b, uint32_t k) {
  const variable *x = &b->variable[k];
  if (x->whole < 2) return 0;
  return ff_colours_find(x->tuples, b->component + x->component + 1 - x->whole) < 0;
}

ff_status ff_binder_step(ff_binder *b, uint64_t budget, int *done, ff_error *err) {
  const uint64_t most = b->nodes + budget;
  *done = 0;
  if (!b->begun) {
    uint32_t *first = b->level[0].now; /* free until a value is looked at */
    const uint32_t n = b->n_alternatives > 0 ? b->n_alternatives : 1;
    for (uint32_t i = 0; i < n; i++) first[i] = i;
    b->begun = 1;
    if (b->width == 0) {
      *done = 1;
      return is_binding(b, first, first, n) ? keep(b, err) : FF_OK;
    }
    enter(b, 0, first, n);
  }
  while (b->nodes < most) {
    level *v = &b->level[b->depth];
    const variable *x = &b->variable[b->depth];
    if (v->at >= v->end) {
      if (b->depth == 0) {
        *done = 1;
        return FF_OK;
      }
      b->depth--;
      continue;
    }
    int64_t value;
    ff_colours_at(x->set, v->at++, &value);
    b->nodes++;
    look(v, x, value);
    if (v->n_now == 0) continue;
    b->component[x->component] = value;
    if (leaves_set(b, b->depth)) continue;
    if (b->depth + 1 == b->width) {
      if (!is_binding(b, v->live, v->now, v->n_now)) continue;
      ff_status status = keep(b, err);
      if (status != FF_OK) return status;
      continue;
    }
    uint32_t *from = b->level[b->depth + 1].now; /* free until the level is entered */
    for (uint32_t i = 0; i < v->n_now; i++) from[i] = v->live[v->now[i]];
    enter(b, b->depth + 1, from, v->n_now);
    b->depth++;
  }
  return FF_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static void add_variables(ff_binder *b, const uint32_t *index, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const ff_colour_index *of = &b->scope.index[index[i]];
    const ff_colours *set = b->scope.colours[of->set];
    const uint32_t width = ff_colours_width(set);
    for (uint32_t k = 0; k < width; k++) {
      variable *x = &b->variable[b->width++];
      const ff_colours *simple = ff_colours_component(set, k);
      int64_t last, value;
      *x = (variable){.component = of->first + k, .set = simple, .ascending = 1};
      x->whole = k + 1 == width ? width : 0;
      x->tuples = set;
      ff_colours_at(simple, 0, &last);
      x->all = (interval){last, last};
      for (uint32_t j = 1; j < ff_colours_n(simple); j++, last = value) {
        ff_colours_at(simple, j, &value);
        if (value < last) x->ascending = 0;
        if (value < x->all.low) x->all.low = value;
        if (value > x->all.high) x->all.high = value;
      }
    }
  }
}

/* The operands of each word, and the alternatives: the parts between the | at the top. Returns 0 without memory. */
static int add_nodes(ff_binder *b) {
  const uint32_t n = b->guard->length;
  uint32_t *stack = ff_calloc(b->guard->depth, sizeof *stack), height = 0;
  if (stack == NULL) return 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t operands = ff_colour_operands(&b->guard->word[i], &b->scope);
    node *x = &b->node[i];
    height -= operands;
    const uint32_t code = b->guard->word[i].code;
    x->start = operands > 0 ? b->node[stack[height]].start : i;
    x->valued = code == FF_C_NUMBER || code == FF_C_INDEX || code == FF_C_NEG || code == FF_C_ADD || code == FF_C_SUB ||
                code == FF_C_ABS;
    for (uint32_t k = 0; k < operands; k++) x->valued &= b->node[stack[height + k]].valued;
    if (operands > 0) x->left = stack[height];
    if (operands > 1) x->right = stack[height + 1];
    for (uint32_t k = 0; k < operands; k++)
      if (b->node[stack[height + k]].depth >= x->depth) x->depth = b->node[stack[height + k]].depth + 1;
    stack[height++] = i;
  }
  free(stack);
  if (n == 0) return 1;
  uint32_t *open = b->level[0].live, n_open = 1; /* there is room for all alternatives */
  open[0] = n - 1;
  while (n_open > 0) {
    const uint32_t at = open[--n_open];
    if (b->guard->word[at].code == FF_C_OR) {
      open[n_open++] = b->node[at].right;
      open[n_open++] = b->node[at].left;
    } else {
      b->alternative[b->n_alternatives++] = at;
    }
  }
  return 1;
}

static int allocate(ff_binder *b, uint32_t most, uint32_t components) {
  uint32_t ors = 1;
  for (uint32_t i = 0; i < b->guard->length; i++) ors += b->guard->word[i].code == FF_C_OR;
  b->n_components = components > 0 ? components : 1;
  b->node = ff_calloc(b->guard->length, sizeof *b->node);
  b->alternative = ff_calloc(ors, sizeof *b->alternative);
  b->range = ff_calloc((size_t)b->n_components * MOST_DEPTH, sizeof *b->range);
  b->component = ff_calloc(b->n_components, sizeof *b->component);
  b->stack = ff_calloc(b->guard->depth, sizeof *b->stack);
  b->variable = ff_calloc(most, sizeof *b->variable);
  b->level = ff_calloc(most + 1, sizeof *b->level);
  int ok = b->node != NULL && b->alternative != NULL && b->range != NULL && b->component != NULL && b->stack != NULL &&
           b->variable != NULL && b->level != NULL;
  b->room_of_level = ors + MORE_ENTRIES;
  for (uint32_t k = 0; k <= most && ok; k++) {
    b->level[k].live = ff_calloc(b->room_of_level, sizeof *b->level[k].live);
    b->level[k].now = ff_calloc(b->room_of_level, sizeof *b->level[k].now);
    b->level[k].permit = ff_calloc(b->room_of_level, sizeof *b->level[k].permit);
    ok = b->level[k].live != NULL && b->level[k].now != NULL && b->level[k].permit != NULL;
  }
  return ok;
}

ff_status ff_binder_new(ff_binder **out, const uint32_t *index, uint32_t n, const ff_colour_expr *guard,
                        const ff_colour_scope *scope, ff_error *err) {
  *out = NULL;
  uint32_t most = 0, components = 0;
  for (uint32_t i = 0; i < n; i++) most += ff_colour_set_width(scope, scope->index[index[i]].set);
  for (uint32_t i = 0; i < scope->n_indices; i++) components += ff_colour_set_width(scope, scope->index[i].set);
  ff_binder *b = ff_calloc(1, sizeof *b);
  if (b == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a guard");
  b->scope = *scope;
  b->guard = guard;
  if (!allocate(b, most, components) || (add_variables(b, index, n), !add_nodes(b))) {
    b->width = most; /* the levels to free */
    ff_binder_free(b);
    return ff_error_set(err, FF_EMEMORY, "no memory for a guard of %u words", guard->length);
  }
  *out = b;
  return FF_OK;
}

void ff_binder_free(ff_binder *b) {
  if (b == NULL) return;
  for (uint32_t k = 0; b->level != NULL && k <= b->width; k++) {
    free(b->level[k].live);
    free(b->level[k].now);
    free(b->level[k].permit);
  }
  free(b->level);
  free(b->variable);
  free(b->node);
  free(b->alternative);
  free(b->range);
  free(b->component);
  free(b->stack);
  free(b->value);
  free(b);
}

uint64_t ff_binder_n(const ff_binder *b) { return b->n; }
uint32_t ff_binder_width(const ff_binder *b) { return b->width; }
const int64_t *ff_binder_values(const ff_binder *b) { return b->value; }
uint64_t ff_binder_nodes(const ff_binder *b) { return b->nodes; }
