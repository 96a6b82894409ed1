/* Ranges of the values of an atom's operations, and the values that are left for its operands: a pass over the words that
 * computes ranges, and one backwards that passes targets down. */
#include "ff_colour_search.h"

#include <string.h>

#define MOST (FF_COLOUR_MOST - 1)

static const ff_colour_range nothing = {1, 0};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t largest(int64_t x, int64_t y) { return x > y ? x : y; }
static int is_point(ff_colour_range r) { return r.lo == r.hi; }

static ff_colour_range clip(ff_colour_range r) { return (ff_colour_range){largest(r.lo, -MOST), least(r.hi, MOST)}; }

static const ff_colours *set_of(const ff_colour_search *s, const ff_colour_word *word) {
  return s->scope->colours[word->of]->component[word->value];
}

static int64_t value_at(const ff_colours *set, uint32_t position) {
  return set->kind == FF_COLOURS_RANGE ? set->first + position : set->value[position];
}

void *ff_colour_room(ff_colour_search *s, ff_colour_list *list, size_t more, size_t size) {
  if (list->at != NULL && list->n + more <= list->capacity) return list->at;
  const ff_status status = ff_grow(&list->at, &list->capacity, list->n + more, size, s->err);
  return status == FF_OK ? list->at : NULL;
}

int ff_colour_atom_holds(ff_colour_search *s, const ff_colour_atom *atom) {
  const int64_t x = ff_colour_run(s->word + atom->start, atom->middle - atom->start, s->scope, s->value, s->stack);
  s->work += atom->end - atom->start;
  if (atom->end == atom->middle) return x != FF_COLOUR_NONE && (atom->code == FF_C_NE ? x != 0 : x == 0);
  if (x == FF_COLOUR_NONE) return 0;
  const int64_t y = ff_colour_run(s->word + atom->middle, atom->end - atom->middle, s->scope, s->value, s->stack);
  if (y == FF_COLOUR_NONE) return 0;
  return ff_colour_operate(atom->code, x, y) == 1;
}

/* ---- ranges ------------------------------------------------------------------------------------------------------------- */

enum { SCANNED = 32 };        /* positions that are looked at one by one */
enum { MANY_INTERVALS = 64 }; /* so many are not divided any more */

static ff_colour_range range_of_level(const ff_colour_search *s, uint32_t level, const ff_colour_box *box) {
  if (level < s->branch) return (ff_colour_range){s->value[level], s->value[level]};
  const ff_colours *set = s->level[level].set;
  const ff_colour_interval left = box->end[level];
  if (set->ascending || left.lo == left.hi) return (ff_colour_range){value_at(set, left.lo), value_at(set, left.hi)};
  if (left.hi - left.lo > SCANNED) return (ff_colour_range){set->least, set->most};
  ff_colour_range out = {set->most, set->least};
  for (uint32_t i = left.lo; i <= left.hi; i++) {
    out.lo = least(out.lo, set->value[i]);
    out.hi = largest(out.hi, set->value[i]);
  }
  return out;
}

static ff_colour_range range_of_step(const ff_colour_search *s, const ff_colour_word *word, ff_colour_range x) {
  const ff_colours *set = set_of(s, word);
  const int by = word->code == FF_C_NEXT ? 1 : -1;
  if (is_point(x)) {
    const int64_t value = ff_colours_step(set, x.lo, by);
    return value == FF_COLOUR_NONE ? nothing : (ff_colour_range){value, value};
  }
  x = (ff_colour_range){largest(x.lo, set->least), least(x.hi, set->most)};
  if (x.lo > x.hi) return nothing;
  if (set->kind != FF_COLOURS_RANGE || (by > 0 ? x.hi == set->most : x.lo == set->least))
    return (ff_colour_range){set->least, set->most};
  return (ff_colour_range){x.lo + by, x.hi + by};
}

/* A product, or what is no colour if it is not near the numbers. */
static int64_t product(int64_t x, int64_t y) {
  const int64_t exact = ff_colour_operate(FF_C_MUL, x, y);
  if (exact != FF_COLOUR_NONE) return exact;
  return (x < 0) == (y < 0) ? FF_COLOUR_MOST : -FF_COLOUR_MOST;
}

static ff_colour_range range_of_product(ff_colour_range x, ff_colour_range y) {
  const int64_t a = product(x.lo, y.lo), b = product(x.lo, y.hi), c = product(x.hi, y.lo), d = product(x.hi, y.hi);
  return (ff_colour_range){least(least(a, b), least(c, d)), largest(largest(a, b), largest(c, d))};
}

static int64_t size_of(ff_colour_range x) { return largest(largest(x.lo, -x.lo), largest(x.hi, -x.hi)); }

static ff_colour_range range_of_quotient(ff_colour_range x, ff_colour_range y) {
  if (y.lo == 0 && y.hi == 0) return nothing;
  if (is_point(y)) return (ff_colour_range){least(x.lo / y.lo, x.hi / y.lo), largest(x.lo / y.lo, x.hi / y.lo)};
  const int64_t most = size_of(x);
  return (ff_colour_range){x.lo >= 0 && y.lo >= 0 ? 0 : -most, most};
}

/* Whether x %% y is x plus a constant for these x: they are in one period. */
static int in_one_period(ff_colour_range x, ff_colour_range y) {
  return is_point(y) && y.lo != 0 && (x.lo >= 0 || x.hi <= 0) && x.lo / y.lo == x.hi / y.lo;
}

static ff_colour_range range_of_rest(ff_colour_range x, ff_colour_range y) {
  if (y.lo == 0 && y.hi == 0) return nothing;
  if (in_one_period(x, y)) return (ff_colour_range){x.lo % y.lo, x.hi % y.lo};
  const int64_t most = size_of(y) - 1;
  return (ff_colour_range){x.lo < 0 ? largest(x.lo, -most) : 0, x.hi > 0 ? least(x.hi, most) : 0};
}

static ff_colour_range range_of_power(ff_colour_range x, ff_colour_range y) {
  if (y.hi < 0) return nothing;
  if (x.lo < 0 && (!is_point(y) || y.lo % 2 != 0)) return (ff_colour_range){-MOST, MOST};
  if (x.lo < 0) x = (ff_colour_range){x.hi < 0 ? -x.hi : 0, size_of(x)};
  const int64_t from = x.lo == 0 ? 0 : ff_colour_operate(FF_C_POW, x.lo, largest(y.lo, 0));
  const int64_t to = ff_colour_operate(FF_C_POW, x.hi, y.hi);
  if (from == FF_COLOUR_NONE) return nothing;
  return (ff_colour_range){from, to == FF_COLOUR_NONE ? MOST : largest(to, 1)};
}

/* One case for each operation between numbers. */
static ff_colour_range range_of_numbers(uint32_t code, ff_colour_range x, ff_colour_range y) {
  x = clip(x);
  y = clip(y);
  if (x.lo > x.hi || y.lo > y.hi) return nothing;
  switch (code) {
    case FF_C_NEG: return (ff_colour_range){-x.hi, -x.lo};
    case FF_C_ABS: return (ff_colour_range){x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0, size_of(x)};
    case FF_C_ADD: return clip((ff_colour_range){x.lo + y.lo, x.hi + y.hi});
    case FF_C_SUB: return clip((ff_colour_range){x.lo - y.hi, x.hi - y.lo});
    case FF_C_MUL: return clip(range_of_product(x, y));
    case FF_C_DIV: return range_of_quotient(x, y);
    case FF_C_MOD: return range_of_rest(x, y);
    default: return clip(range_of_power(x, y));
  }
}

static ff_colour_range range_of_word(const ff_colour_search *s, uint32_t i, const ff_colour_box *box) {
  const ff_colour_word *word = &s->at[i];
  const ff_colour_range *range = s->range + i;
  switch (word->code) {
    case FF_C_NUMBER: return (ff_colour_range){word->value, word->value};
    case FF_C_INDEX: return range_of_level(s, word->of, box);
    case FF_C_NEXT:
    case FF_C_PREVIOUS: return range[-1].lo > range[-1].hi ? nothing : range_of_step(s, word, range[-1]);
    case FF_C_NEG:
    case FF_C_ABS: return range_of_numbers(word->code, range[-1], (ff_colour_range){0, 0});
    case FF_C_ADD:
    case FF_C_SUB:
    case FF_C_MUL:
    case FF_C_DIV:
    case FF_C_MOD:
    case FF_C_POW: return range_of_numbers(word->code, *(range - word->of), range[-1]);
    default: return (ff_colour_range){0, 1}; /* a truth value */
  }
}

/* ---- targets of operands ------------------------------------------------------------------------------------------------ */

static const ff_colour_target anything = {0, 0, 1, 0, 0};

/* Quotients that round up and down; y is positive. */
static int64_t ceiling(int64_t x, int64_t y) { return x / y + (x % y > 0); }
static int64_t bottom(int64_t x, int64_t y) { return x / y - (x % y < 0); }

/* Sets the target of a word, within its range. Returns 0 if no value is left. */
static int aim(ff_colour_search *s, uint32_t i, ff_colour_target t) {
  const ff_colour_range range = s->range[i];
  t.lo = largest(t.lo, range.lo);
  t.hi = least(t.hi, range.hi);
  if (t.hole_lo <= t.lo && t.hole_hi >= t.lo) t.lo = t.hole_hi + 1;
  if (t.hole_hi >= t.hi && t.hole_lo <= t.hi) t.hi = t.hole_lo - 1;
  const int hole = t.hole_lo <= t.hole_hi && t.hole_lo > t.lo && t.hole_hi < t.hi;
  if (!hole) {
    t.hole_lo = 1;
    t.hole_hi = 0;
  }
  t.active = t.lo > range.lo || t.hi < range.hi || hole;
  s->target[i] = t;
  return t.lo <= t.hi;
}

static ff_colour_target negated(ff_colour_target t) {
  return (ff_colour_target){-t.hi, -t.lo, -t.hole_hi, -t.hole_lo, t.active};
}

/* Values v for which v + x is in the target for some x of a range; a hole remains one if there is only one x. */
static ff_colour_target minus(ff_colour_target t, ff_colour_range x) {
  ff_colour_target out = {t.lo - x.hi, t.hi - x.lo, 1, 0, 1};
  if (is_point(x) && t.hole_lo <= t.hole_hi) {
    out.hole_lo = t.hole_lo - x.lo;
    out.hole_hi = t.hole_hi - x.lo;
  }
  return out;
}

/* Values v for which v * by is in the target; `by` is not 0. */
static ff_colour_target divided(ff_colour_target t, int64_t by) {
  if (by < 0) {
    t = negated(t);
    by = -by;
  }
  return (ff_colour_target){ceiling(t.lo, by), bottom(t.hi, by), ceiling(t.hole_lo, by), bottom(t.hole_hi, by), 1};
}

/* Values v for which v %/% by is in the target; `by` is not 0. */
static ff_colour_target multiplied(ff_colour_target t, int64_t by) {
  if (by < 0) {
    t = negated(t);
    by = -by;
  }
  const int64_t lo = product(t.lo, by), hi = product(t.hi, by);
  return (ff_colour_target){t.lo > 0 ? lo : lo - (by - 1), t.hi < 0 ? hi : hi + (by - 1), 1, 0, 1};
}

static ff_colour_target of_size(ff_colour_target t, ff_colour_range x) {
  if (x.lo >= 0) return t;
  if (x.hi <= 0) return negated(t);
  if (t.lo > 0) return (ff_colour_target){-t.hi, t.hi, 1 - t.lo, t.lo - 1, 1};
  const int hole = t.hole_lo <= 0 && t.hole_hi >= 0;
  return (ff_colour_target){-t.hi, t.hi, hole ? -t.hole_hi : 1, hole ? t.hole_hi : 0, 1};
}

/* The largest whole number whose power is at most x; the exponent is at least 1, and x at least 0. */
static int64_t root(int64_t x, int64_t exponent) {
  int64_t lo = 0, hi = x;
  while (lo < hi) {
    const int64_t middle = hi - (hi - lo) / 2, power = ff_colour_operate(FF_C_POW, middle, exponent);
    if (power == FF_COLOUR_NONE || power > x)
      hi = middle - 1;
    else
      lo = middle;
  }
  return lo;
}

/* Values v of a range for which v^exponent is in the target; the exponent is even, or the range has nothing below 0. */
static ff_colour_target of_power(ff_colour_target t, ff_colour_range x, int64_t exponent) {
  if (t.hi < 0) return (ff_colour_target){1, 0, 1, 0, 1};
  return of_size((ff_colour_target){t.lo > 0 ? root(t.lo - 1, exponent) + 1 : 0, root(t.hi, exponent), 1, 0, 1}, x);
}

/* Values whose neighbour is in the target, which is within the set. */
static ff_colour_target of_step(const ff_colour_search *s, const ff_colour_word *word, ff_colour_target t) {
  const ff_colours *set = set_of(s, word);
  const int by = word->code == FF_C_NEXT ? 1 : -1;
  if (t.lo == t.hi) {
    const int64_t value = ff_colours_step(set, t.lo, -by);
    return value == FF_COLOUR_NONE ? (ff_colour_target){1, 0, 1, 0, 1} : (ff_colour_target){value, value, 1, 0, 1};
  }
  if (set->kind != FF_COLOURS_RANGE) return (ff_colour_target){set->least, set->most, 1, 0, 1};
  if (by > 0 && t.lo == set->least) return (ff_colour_target){set->least, set->most, t.hi, set->most - 1, 1};
  if (by < 0 && t.hi == set->most) return (ff_colour_target){set->least, set->most, set->least + 1, t.lo, 1};
  const int hole = t.hole_lo <= t.hole_hi;
  return (ff_colour_target){t.lo - by, t.hi - by, hole ? t.hole_lo - by : 1, hole ? t.hole_hi - by : 0, 1};
}

/* Passes the target of an operation to its operands, of which one must be a number to narrow the other. Returns 0 if no value is
 * left. */
static int pass_factor(ff_colour_search *s, uint32_t code, ff_colour_target t, uint32_t left, uint32_t right) {
  const ff_colour_range x = s->range[left], y = s->range[right];
  if (code == FF_C_MUL && is_point(x) && x.lo != 0) return aim(s, right, divided(t, x.lo));
  if (!is_point(y) || y.lo == 0) return 1;
  switch (code) {
    case FF_C_MUL: return aim(s, left, divided(t, y.lo));
    case FF_C_DIV: return aim(s, left, multiplied(t, y.lo));
    case FF_C_MOD: {
      if (!in_one_period(x, y)) return 1;
      const int64_t shift = x.lo % y.lo - x.lo;
      return aim(s, left, minus(t, (ff_colour_range){shift, shift}));
    }
    default: return y.lo < 0 || (x.lo < 0 && y.lo % 2 != 0) || aim(s, left, of_power(t, x, y.lo));
  }
}

/* Passes the target of word i to its operands. Returns 0 if no value is left. One case for each operation. */
static int pass_down(ff_colour_search *s, uint32_t i) {
  const ff_colour_word *word = &s->at[i];
  const uint32_t right = i - 1, left = i - word->of;
  const ff_colour_target t = s->target[i];
  const ff_colour_range *range = s->range;
  switch (word->code) {
    case FF_C_NEG: return aim(s, right, negated(t));
    case FF_C_ABS: return aim(s, right, of_size(t, range[right]));
    case FF_C_NEXT:
    case FF_C_PREVIOUS: return aim(s, right, of_step(s, word, t));
    case FF_C_ADD: return aim(s, left, minus(t, range[right])) && aim(s, right, minus(t, range[left]));
    case FF_C_SUB:
      return aim(s, left, minus(t, (ff_colour_range){-range[right].hi, -range[right].lo})) &&
             aim(s, right, negated(minus(t, range[left])));
    default: s->target[left] = s->target[right] = anything; return pass_factor(s, word->code, t, left, right);
  }
}

/* ---- boxes -------------------------------------------------------------------------------------------------------------- */

/* The first position in a part of an ascending set whose value is at least `value`; left.hi + 1 if there is none. */
static uint32_t position_from(const ff_colours *set, ff_colour_interval left, int64_t value) {
  uint32_t lo = left.lo, hi = left.hi + 1;
  if (set->kind == FF_COLOURS_RANGE) {
    const int64_t at = value - set->first;
    return at <= lo ? lo : at >= hi ? hi : (uint32_t)at;
  }
  while (lo < hi) {
    const uint32_t middle = lo + (hi - lo) / 2;
    if (set->value[middle] < value)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

/* Writes what is left of a part within `left` and without `hole`; returns the number of intervals: 0, 1 or 2. */
static uint32_t cut(ff_colour_interval *to, ff_colour_interval part, ff_colour_interval left, ff_colour_interval hole) {
  uint32_t n = 0;
  if (part.lo < left.lo) part.lo = left.lo;
  if (part.hi > left.hi) part.hi = left.hi;
  if (part.lo > part.hi) return 0;
  if (hole.lo > hole.hi || hole.hi < part.lo || hole.lo > part.hi) {
    to[0] = part;
    return 1;
  }
  if (hole.lo > part.lo) to[n++] = (ff_colour_interval){part.lo, hole.lo - 1};
  if (hole.hi < part.hi) to[n++] = (ff_colour_interval){hole.hi + 1, part.hi};
  return n;
}

/* Intersects the positions of a level with `left`, without those of `hole` (empty if lo > hi). */
static ff_colour_verdict keep(ff_colour_search *s, ff_colour_box *box, uint32_t level, ff_colour_interval left,
                              ff_colour_interval hole) {
  if (box->n >= MANY_INTERVALS) hole = (ff_colour_interval){1, 0};
  const int inside = hole.lo <= hole.hi, same = left.lo == box->end[level].lo && left.hi == box->end[level].hi;
  if (same && !inside) return FF_COLOUR_OPEN;
  box->end[level] = left;
  if (level != s->branch || (box->n == 0 && !inside)) return FF_COLOUR_OPEN;
  ff_colour_interval *to = ff_colour_room(s, &s->interval, 2 * ((size_t)box->n + 1), sizeof *to);
  if (to == NULL) return FF_COLOUR_FAILED;
  const size_t before = s->interval.n;
  to += before;
  const uint32_t parts = box->n == 0 ? 1 : box->n;
  uint32_t n = 0;
  for (uint32_t i = 0; i < parts; i++)
    n += cut(to + n, box->n == 0 ? left : ((const ff_colour_interval *)s->interval.at)[box->list + i], left, hole);
  s->work += parts;
  if (n == 0) return FF_COLOUR_FALSE;
  box->end[level] = (ff_colour_interval){to[0].lo, to[n - 1].hi};
  box->list = before;
  box->n = n > 1 ? n : 0;
  s->interval.n += box->n;
  return FF_COLOUR_OPEN;
}

/* The same for a set whose values do not ascend. */
static ff_colour_verdict restrict_unordered(ff_colour_search *s, ff_colour_box *box, uint32_t level, ff_colour_target t) {
  const ff_colours *set = s->level[level].set;
  ff_colour_interval left = box->end[level], hole = {1, 0};
  if (t.lo == t.hi) {
    const int64_t at = ff_colours_find(set, &t.lo);
    if (at < left.lo || at > left.hi) return FF_COLOUR_FALSE;
    return keep(s, box, level, (ff_colour_interval){(uint32_t)at, (uint32_t)at}, hole);
  }
  for (int i = 0; i < SCANNED && left.lo < left.hi && (set->value[left.lo] < t.lo || set->value[left.lo] > t.hi); i++) left.lo++;
  for (int i = 0; i < SCANNED && left.lo < left.hi && (set->value[left.hi] < t.lo || set->value[left.hi] > t.hi); i++) left.hi--;
  const int64_t at = t.hole_lo == t.hole_hi ? ff_colours_find(set, &t.hole_lo) : -1;
  if (at >= left.lo && at <= left.hi) hole = (ff_colour_interval){(uint32_t)at, (uint32_t)at};
  if (hole.lo == hole.hi && left.lo == left.hi) return FF_COLOUR_FALSE;
  return keep(s, box, level, left, hole);
}

static ff_colour_verdict restrict_level(ff_colour_search *s, ff_colour_box *box, uint32_t level, ff_colour_target t) {
  const ff_colours *set = s->level[level].set;
  const ff_colour_interval left = box->end[level];
  if (!set->ascending) return restrict_unordered(s, box, level, t);
  const uint32_t lo = position_from(set, left, t.lo), beyond = position_from(set, left, t.hi + 1);
  if (lo >= beyond) return FF_COLOUR_FALSE;
  ff_colour_interval now = {lo, beyond - 1}, hole = {1, 0};
  if (t.hole_lo <= t.hole_hi) {
    const uint32_t from = position_from(set, now, t.hole_lo), to = position_from(set, now, t.hole_hi + 1);
    if (from < to) hole = (ff_colour_interval){from, to - 1};
    if (from < to && from == lo && to == beyond) return FF_COLOUR_FALSE;
    if (from < to && from == lo) now.lo = to;
    if (from < to && to == beyond) now.hi = from - 1;
    if (now.lo != lo || now.hi + 1 != beyond) hole = (ff_colour_interval){1, 0};
  }
  return keep(s, box, level, now, hole);
}

/* ---- an atom ------------------------------------------------------------------------------------------------------------ */

/* Sets the targets of both sides. Returns 0 if the comparison cannot be true. One case for each comparison. */
static int aim_sides(ff_colour_search *s, const ff_colour_atom *atom) {
  const uint32_t i = atom->middle - atom->start - 1, j = atom->end - atom->start - 1;
  const int zero = atom->end == atom->middle;
  const ff_colour_range x = s->range[i], y = zero ? (ff_colour_range){0, 0} : s->range[j];
  ff_colour_target left = {x.lo, x.hi, 1, 0, 1}, right = {y.lo, y.hi, 1, 0, 1};
  if (x.lo > x.hi || y.lo > y.hi) return 0;
  switch (atom->code) {
    case FF_C_EQ:
      left.lo = right.lo = largest(x.lo, y.lo);
      left.hi = right.hi = least(x.hi, y.hi);
      break;
    case FF_C_NE:
      if (is_point(y)) left.hole_lo = left.hole_hi = y.lo;
      if (is_point(x)) right.hole_lo = right.hole_hi = x.lo;
      break;
    case FF_C_LT:
      left.hi = y.hi - 1;
      right.lo = x.lo + 1;
      break;
    case FF_C_LE:
      left.hi = y.hi;
      right.lo = x.lo;
      break;
    case FF_C_GT:
      left.lo = y.lo + 1;
      right.hi = x.hi - 1;
      break;
    default:
      left.lo = y.lo;
      right.hi = x.hi;
  }
  return aim(s, i, left) && (zero || aim(s, j, right));
}

static int passes(uint32_t code) {
  return (code >= FF_C_NEG && code <= FF_C_POW) || code == FF_C_ABS || ff_colour_steps(code);
}

static void pass_nothing(ff_colour_search *s, uint32_t i) {
  const ff_colour_word *word = &s->at[i];
  if (word->code == FF_C_NUMBER || word->code == FF_C_INDEX) return;
  s->target[i - 1] = anything;
  if (word->code != FF_C_NEG && word->code != FF_C_NOT && word->code != FF_C_ABS && !ff_colour_steps(word->code))
    s->target[i - word->of] = anything;
}

ff_colour_verdict ff_colour_narrow(ff_colour_search *s, const ff_colour_atom *atom, ff_colour_box *box) {
  const uint32_t n = atom->end - atom->start;
  if (n > FF_COLOUR_LONG_ATOM) return FF_COLOUR_OPEN;
  s->at = s->word + atom->start;
  s->work += 2 * (uint64_t)n;
  for (uint32_t i = 0; i < n; i++) s->range[i] = range_of_word(s, i, box);
  if (!aim_sides(s, atom)) return FF_COLOUR_FALSE;
  for (uint32_t i = n; i-- > 0;) {
    const ff_colour_word *word = &s->at[i];
    if (!s->target[i].active || (!passes(word->code) && word->code != FF_C_INDEX)) {
      pass_nothing(s, i);
    } else if (word->code != FF_C_INDEX) {
      if (!pass_down(s, i)) return FF_COLOUR_FALSE;
    } else if (word->of >= s->branch) {
      const ff_colour_verdict verdict = restrict_level(s, box, word->of, s->target[i]);
      if (verdict != FF_COLOUR_OPEN) return verdict;
    }
  }
  return FF_COLOUR_OPEN;
}
