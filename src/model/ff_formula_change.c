/* Searches for the times at which the truth of a formula changes.
 *
 * A range of times is halved until interval arithmetic decides it. Near a change, rounding errors decide, and the truth that is
 * computed may change back and forth from one double to the next. Interval arithmetic that widens each range by the rounding
 * error tells where this is so. */
#include "ff_formula_change.h"

#include <float.h>
#include <math.h>

#include "ff_formula_math.h"

#define MOST_DOUBLES 1024u          /* more of them that rounding errors decide make a zone */
#define STEADY 64u                  /* doubles with the same truth, which rounding errors hardly ever give */
#define PART 16u                    /* of the distance from the beginning of a zone: the shortest span to be decided */
#define MOST_SPAN (UINT64_C(1) << 48) /* a sixteenth of a power of two */

/* Doubles of at least 0 have the order of their bits. */
static double double_of(uint64_t bits) { return ff_math_from_bits(bits); }
static uint64_t bits_of(double x) { return ff_math_bits(x + 0.0); }

/* What is left of a range of times: the ends of its parts, the next one last. Each is at most half of the one before. */
typedef struct {
  uint64_t start, end[66];
  uint32_t n;
} parts;

/* The doubles above `from`, up to `to`; returns whether there are any. */
static int begin(parts *p, double from, double to) {
  p->n = 0;
  if (!(to > from) || from >= DBL_MAX) return 0;
  p->start = bits_of(from) + 1;
  p->end[p->n++] = bits_of(to < DBL_MAX ? to : DBL_MAX);
  return 1;
}

static uint64_t stop_of(const parts *p) { return p->end[p->n - 1]; }

static void halve(parts *p) {
  const uint64_t stop = stop_of(p);
  p->end[p->n++] = p->start + (stop - p->start) / 2;
}

static void pass(parts *p) {
  p->start = stop_of(p) + 1;
  p->n--;
}

static ff_range range_within(const ff_formula_at *f, ff_range_kind kind, double from, double to) {
  return ff_formula_range(f->formula, kind, f->values, f->values, (ff_range){.low = from, .high = to}, f->ranges);
}

/* ---- truth -------------------------------------------------------------------------------------------------------------- */

static int is_true(const ff_formula_at *f, double time) {
  return ff_formula_value(f->formula, f->values, time, f->stack) != 0.0;
}

/* A single double is decided together with the next one, so that what depends on the time varies. */
static int sure_within(const ff_formula_at *f, uint64_t start, uint64_t stop) {
  const uint64_t last = bits_of(DBL_MAX);
  if (start == stop && stop < last) stop++;
  if (start == stop) start--;
  return ff_formula_is_true_in(range_within(f, FF_RANGE_CERTAIN, double_of(start), double_of(stop)));
}

int ff_formula_is_sure(const ff_formula_at *f, double time) { return sure_within(f, bits_of(time), bits_of(time)); }

/* A double that is sure, up to `sure`, which is, and after one that is not. */
static uint64_t first_sure_of(const ff_formula_at *f, uint64_t unsure, uint64_t sure) {
  while (sure - unsure > 1) {
    const uint64_t middle = unsure + (sure - unsure) / 2;
    if (sure_within(f, middle, middle) >= 0)
      sure = middle;
    else
      unsure = middle;
  }
  return sure;
}

int ff_formula_first_sure(const ff_formula_at *f, double zone, double from, double to, int truth, uint32_t steps, double *at,
                          uint8_t *doubt) {
  const uint64_t first = bits_of(zone), last = bits_of(to < DBL_MAX ? to : DBL_MAX);
  *at = from;
  for (uint64_t now = bits_of(from); now < last && steps > 0; steps--) {
    const uint64_t away = now - first, part = away / PART < MOST_SPAN ? away / PART : MOST_SPAN;
    const uint64_t next = last - now <= part ? last : now + (part > 0 ? part : 1);
    if (sure_within(f, next, next) >= 0) {
      *at = double_of(first_sure_of(f, now, next));
      return 1;
    }
    if (away > MOST_DOUBLES && is_true(f, double_of(next)) != truth) *doubt = 1;
    *at = double_of(next);
    if (next == last) break;
    now = next;
  }
  if (bits_of(*at) >= last) *at = to;
  return 0;
}

/* Whether rounding errors decide for few doubles from this one on. */
static int is_narrow(const ff_formula_at *f, uint64_t start) {
  uint8_t doubt = 0;
  double at;
  const double from = double_of(start), to = double_of(start + MOST_DOUBLES);
  return ff_formula_first_sure(f, from, from, to, 0, 4 * MOST_DOUBLES, &at, &doubt);
}

int ff_formula_is_steady(const ff_formula_at *f, double time) {
  const int truth = is_true(f, time);
  if (is_narrow(f, bits_of(time))) return 1;
  for (uint64_t i = 1; i <= STEADY; i++)
    if (is_true(f, double_of(bits_of(time) + i)) != truth) return 0;
  return 1;
}

ff_change ff_formula_first_change(const ff_formula_at *f, double from, double to, int truth, uint32_t steps, double *at) {
  uint32_t unsure = 0; /* doubles before the next one that rounding errors decide */
  parts p;
  *at = to;
  if (!begin(&p, from, to)) return FF_CHANGE_NONE;
  for (; p.n > 0; steps--) {
    const uint64_t stop = stop_of(&p);
    const int sure = sure_within(f, p.start, stop), changed = sure < 0 && p.start == stop && is_true(f, double_of(stop)) != truth;
    *at = double_of(p.start);
    if (sure == !truth || (changed && is_narrow(f, stop))) return FF_CHANGE_FOUND;
    if (changed || unsure > MOST_DOUBLES) {
      *at = double_of(p.start - 1 - unsure);
      return FF_CHANGE_UNSURE;
    }
    if (steps == 0) {
      *at = double_of(p.start - 1);
      return FF_CHANGE_NONE;
    }
    if (sure < 0 && p.start < stop) {
      halve(&p);
      continue;
    }
    unsure = sure < 0 ? unsure + 1 : 0;
    pass(&p);
  }
  *at = to;
  return FF_CHANGE_NONE;
}

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

double ff_formula_propensity(const ff_formula_at *f, double time) {
  const double value = ff_formula_value(f->formula, f->values, time, f->stack);
  if (!(value < 0.0)) return value;
  return range_within(f, FF_RANGE_INEXACT, time, time).high >= 0.0 ? 0.0 : value;
}

/* 1 or 0 if the propensity is valid at all times of a range, or at none of them, and -1 if this is not known. */
static int is_valid_within(const ff_formula_at *f, double from, double to) {
  if (from == to) return ff_formula_propensity(f, from) >= 0.0;
  const ff_range x = range_within(f, FF_RANGE_COMPUTED, from, to);
  if (x.low >= 0.0 && !x.nan) return 1;
  if (x.low == x.high && !x.nan) { /* it may be 0 but for a rounding error, as on a step of floor(time) */
    const int valid = (ff_formula_propensity(f, from) >= 0.0) + (ff_formula_propensity(f, from + (to - from) / 2) >= 0.0) +
                      (ff_formula_propensity(f, to) >= 0.0);
    return valid == 3 ? 1 : valid == 0 ? 0 : -1;
  }
  return x.high < 0.0 && range_within(f, FF_RANGE_INEXACT, from, to).high < 0.0 ? 0 : -1;
}

int ff_formula_first_invalid(const ff_formula_at *f, double from, double to, uint32_t steps, double *at) {
  parts p;
  *at = to;
  if (!begin(&p, from, to)) return 0;
  for (; p.n > 0; steps--) {
    const int valid = is_valid_within(f, double_of(p.start), double_of(stop_of(&p)));
    *at = double_of(valid == 0 ? p.start : p.start - 1);
    if (valid == 0 || steps == 0) return valid == 0;
    if (valid < 0)
      halve(&p);
    else
      pass(&p);
  }
  *at = to;
  return 0;
}
