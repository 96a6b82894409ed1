/* Searches for the times at which the truth of a formula changes. gcc, nvcc and NVRTC compile the same text.
 *
 * A range of times is halved until interval arithmetic decides it. Near a change, rounding errors decide, and the truth that is
 * computed may change back and forth from one double to the next. Interval arithmetic that widens each range by the rounding
 * error tells where this is so.
 *
 * The text before this one defines for a device
 *   FF_CHANGE_AT                        the type of a formula in a state, a pointer
 *   FF_CHANGE_VALUE(f, time)            its value at this time
 *   FF_CHANGE_RANGE(f, kind, from, to)  its range between these times */
#ifndef FF_FORMULA_CHANGE_MATH_H
#define FF_FORMULA_CHANGE_MATH_H

#include "ff_formula_change.h"
#include "ff_formula_range_math.h"

#ifndef FF_CHANGE_AT /* on the processor */
#define FF_CHANGE_AT const ff_formula_at *
#define FF_CHANGE_VALUE(f, time) ff_formula_value((f)->formula, (f)->values, (time), (f)->stack)
#define FF_CHANGE_RANGE ff_change_range

/* Not inlined, because what calls it needs the registers. */
static __attribute__((noinline, unused)) ff_range ff_change_range(const ff_formula_at *f, ff_range_kind kind, double from,
                                                                  double to) {
  return ff_formula_range(f->formula, kind, f->values, f->values, ff_range_new(from, to, 0, 0), f->ranges);
}
#endif

#define FF_CHANGE_MOST_DOUBLES 1024u         /* if rounding errors decide for more doubles in a row, these are a zone */
#define FF_CHANGE_STEADY 64u                 /* doubles in a row whose truth is the same: hardly ever by rounding errors */
#define FF_CHANGE_PART 16u                   /* the shortest span to be decided is the distance from a zone's start / 16 */
#define FF_CHANGE_MOST_SPAN (UINT64_C(1) << 48) /* a sixteenth of a power of two */
#define FF_CHANGE_LAST 0x1.fffffffffffffp+1023 /* the largest double */

/* Doubles that are not negative have the order of their bits as whole numbers. */
static FF_HD inline double ff_change_double(uint64_t bits) { return ff_math_from_bits(bits); }
static FF_HD inline uint64_t ff_change_bits(double x) { return ff_math_bits(x + 0.0); }

/* What is left of a range of times: the ends of its parts, the next one last. Each is at most half of the one before. */
typedef struct {
  uint64_t start, end[66];
  uint32_t n;
} ff_change_parts;

/* The doubles above `from`, up to `to`; returns whether there are any. */
static FF_HD inline int ff_change_begin(ff_change_parts *p, double from, double to) {
  p->n = 0;
  if (!(to > from) || from >= FF_CHANGE_LAST) return 0;
  p->start = ff_change_bits(from) + 1;
  p->end[p->n++] = ff_change_bits(to < FF_CHANGE_LAST ? to : FF_CHANGE_LAST);
  return 1;
}

static FF_HD inline uint64_t ff_change_stop(const ff_change_parts *p) { return p->end[p->n - 1]; }

static FF_HD inline void ff_change_halve(ff_change_parts *p) {
  const uint64_t stop = ff_change_stop(p);
  p->end[p->n++] = p->start + (stop - p->start) / 2;
}

static FF_HD inline void ff_change_pass(ff_change_parts *p) {
  p->start = ff_change_stop(p) + 1;
  p->n--;
}

/* ---- truth -------------------------------------------------------------------------------------------------------------- */

static FF_HD inline int ff_change_is_true(FF_CHANGE_AT f, double time) {
  return FF_CHANGE_VALUE(f, time) != 0.0;
}

/* A single double is decided together with the next one, so that what depends on the time varies. */
static FF_HD inline int ff_change_sure_within(FF_CHANGE_AT f, uint64_t start, uint64_t stop) {
  const uint64_t last = ff_change_bits(FF_CHANGE_LAST);
  if (start == stop && stop < last) stop++;
  if (start == stop) start--;
  return ff_range_truth(FF_CHANGE_RANGE(f, FF_RANGE_CERTAIN, ff_change_double(start), ff_change_double(stop)));
}

/* Whether the formula is true at this time: 1 or 0 if this is sure, and -1 if rounding errors decide. If it is sure, it is what
 * FF_CHANGE_VALUE() computes. O(length). */
static FF_HD inline int ff_change_is_sure(FF_CHANGE_AT f, double time) {
  return ff_change_sure_within(f, ff_change_bits(time), ff_change_bits(time));
}

/* Bisects for a double that is sure, while the one before it is not. The result is at most `sure`, which is sure. */
static FF_HD inline uint64_t ff_change_first_sure_of(FF_CHANGE_AT f, uint64_t unsure, uint64_t sure) {
  while (sure - unsure > 1) {
    const uint64_t middle = unsure + (sure - unsure) / 2;
    if (ff_change_sure_within(f, middle, middle) >= 0)
      sure = middle;
    else
      unsure = middle;
  }
  return sure;
}

/* Rounding errors decide from the time `zone` on. Finds the time above `from`, up to `to`, at which this ends. Returns 1, and
 * *at is this time; 0 if it is none up to *at, which is less than `to` if `steps` steps do not suffice. Looks at one double in
 * each sixteenth of the distance from `zone`. *doubt becomes 1 if the computed truth is not `truth` at one of them that is far
 * from `zone`. O(steps * length). */
static FF_HD inline int ff_change_first_sure(FF_CHANGE_AT f, double zone, double from, double to, int truth, uint32_t steps,
                                             double *at, uint8_t *doubt) {
  const uint64_t first = ff_change_bits(zone), last = ff_change_bits(to < FF_CHANGE_LAST ? to : FF_CHANGE_LAST);
  *at = from;
  for (uint64_t now = ff_change_bits(from); now < last && steps > 0; steps--) {
    const uint64_t away = now - first, wide = away / FF_CHANGE_PART;
    const uint64_t part = wide < FF_CHANGE_MOST_SPAN ? wide : FF_CHANGE_MOST_SPAN;
    const uint64_t next = last - now <= part ? last : now + (part > 0 ? part : 1);
    if (ff_change_sure_within(f, next, next) >= 0) {
      *at = ff_change_double(ff_change_first_sure_of(f, now, next));
      return 1;
    }
    if (away > FF_CHANGE_MOST_DOUBLES && ff_change_is_true(f, ff_change_double(next)) != truth) *doubt = 1;
    *at = ff_change_double(next);
    if (next == last) break;
    now = next;
  }
  if (ff_change_bits(*at) >= last) *at = to;
  return 0;
}

/* Whether rounding errors decide for few doubles from this one on. */
static FF_HD inline int ff_change_is_narrow(FF_CHANGE_AT f, uint64_t start) {
  uint8_t doubt = 0;
  double at;
  const double from = ff_change_double(start), to = ff_change_double(start + FF_CHANGE_MOST_DOUBLES);
  return ff_change_first_sure(f, from, from, to, 0, 4 * FF_CHANGE_MOST_DOUBLES, &at, &doubt);
}

/* Where rounding errors decide: whether they do so for few doubles only, or the truth that is computed is the same from this time
 * on for some tens of doubles. O(length). */
static FF_HD inline int ff_change_is_steady(FF_CHANGE_AT f, double time) {
  const int truth = ff_change_is_true(f, time);
  if (ff_change_is_narrow(f, ff_change_bits(time))) return 1;
  for (uint64_t i = 1; i <= FF_CHANGE_STEADY; i++)
    if (ff_change_is_true(f, ff_change_double(ff_change_bits(time) + i)) != truth) return 0;
  return 1;
}

/* A search for the first change, which can stop after each step. */
typedef struct {
  ff_change_parts parts;
  uint32_t steps;  /* how many are left */
  uint32_t unsure; /* doubles before the next one that rounding errors decide */
} ff_change_search;

/* Returns whether there is anything to search. */
static FF_HD inline int ff_change_search_begin(ff_change_search *search, double from, double to, uint32_t steps) {
  search->steps = steps;
  search->unsure = 0;
  return ff_change_begin(&search->parts, from, to);
}

/* Makes a step. Returns whether the search has ended; then *found and *at tell what ff_change_first() does. */
static FF_HD inline int ff_change_search_step(FF_CHANGE_AT f, ff_change_search *search, double to, int truth, ff_change *found,
                                              double *at) {
  ff_change_parts *p = &search->parts;
  const uint64_t stop = ff_change_stop(p);
  const int sure = ff_change_sure_within(f, p->start, stop);
  const int changed = sure < 0 && p->start == stop && ff_change_is_true(f, ff_change_double(stop)) != truth;
  *found = FF_CHANGE_FOUND;
  *at = ff_change_double(p->start);
  if (sure == !truth || (changed && ff_change_is_narrow(f, stop))) return 1;
  *found = FF_CHANGE_UNSURE;
  *at = ff_change_double(p->start - 1 - search->unsure);
  if (changed || search->unsure > FF_CHANGE_MOST_DOUBLES) return 1;
  *found = FF_CHANGE_NONE;
  *at = ff_change_double(p->start - 1);
  if (search->steps == 0) return 1;
  search->steps--;
  if (sure < 0 && p->start < stop) {
    ff_change_halve(p);
    return 0;
  }
  search->unsure = sure < 0 ? search->unsure + 1 : 0;
  ff_change_pass(p);
  *at = to;
  return p->n == 0;
}

/* Finds the first double above `from`, up to `to`, at which the formula is not as true as `truth` (0 or 1), while the symbols
 * keep their values. It is not missed, for any formula. Near it, rounding errors may let the computed truth change several times;
 * the first of these is found. If rounding errors decide for more than about 1,000 doubles, the search ends there. *at is less
 * than `to`, too, if `steps` steps do not suffice. A crossing takes about 130 steps. `from` is at least 0. O(steps * length). */
static FF_HD inline ff_change ff_change_first(FF_CHANGE_AT f, double from, double to, int truth, uint32_t steps, double *at) {
  ff_change_search search;
  ff_change found = FF_CHANGE_NONE;
  *at = to;
  if (!ff_change_search_begin(&search, from, to, steps)) return FF_CHANGE_NONE;
  while (!ff_change_search_step(f, &search, to, truth, &found, at)) continue;
  return found;
}

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

/* The value of a propensity: a negative one is 0 if it may be so because of rounding errors. O(length). */
static FF_HD inline double ff_change_propensity(FF_CHANGE_AT f, double time) {
  const double value = FF_CHANGE_VALUE(f, time);
  if (!(value < 0.0)) return value;
  return FF_CHANGE_RANGE(f, FF_RANGE_INEXACT, time, time).high >= 0.0 ? 0.0 : value;
}

static FF_HD inline int ff_change_is_valid_at(FF_CHANGE_AT f, double time, int missing) {
  return ff_formula_is_valid(ff_change_propensity(f, time), missing);
}

/* 1 or 0 if the propensity is valid at all times of a range, or at none of them, and -1 if this is not known. */
static FF_HD inline int ff_change_is_valid_within(FF_CHANGE_AT f, double from, double to, int missing) {
  if (from == to) return ff_change_is_valid_at(f, from, missing);
  const ff_range x = FF_CHANGE_RANGE(f, FF_RANGE_COMPUTED, from, to);
  const int undefined = x.nan && !missing;
  if (x.low >= 0.0 && !undefined) return 1;
  if (x.low == x.high && !x.nan) { /* it may be 0 but for a rounding error, as on a step of floor(time) */
    const int valid = ff_change_is_valid_at(f, from, missing) + ff_change_is_valid_at(f, from + (to - from) / 2, missing) +
                      ff_change_is_valid_at(f, to, missing);
    return valid == 3 ? 1 : valid == 0 ? 0 : -1;
  }
  if (x.nan && missing) return -1;
  return x.high < 0.0 && FF_CHANGE_RANGE(f, FF_RANGE_INEXACT, from, to).high < 0.0 ? 0 : -1;
}

/* Finds the first double above `from`, up to `to`, at which this propensity is not valid. Returns 1, and *at is this time.
 * Returns 0 if there is none up to the time *at, which is less than `to` if `steps` steps do not suffice. */
static FF_HD inline int ff_change_first_invalid(FF_CHANGE_AT f, double from, double to, int missing, uint32_t steps,
                                                double *at) {
  ff_change_parts p;
  *at = to;
  if (!ff_change_begin(&p, from, to)) return 0;
  for (; p.n > 0; steps--) {
    const double start = ff_change_double(p.start), stop = ff_change_double(ff_change_stop(&p));
    const int valid = ff_change_is_valid_within(f, start, stop, missing);
    *at = ff_change_double(valid == 0 ? p.start : p.start - 1);
    if (valid == 0 || steps == 0) return valid == 0;
    if (valid < 0)
      ff_change_halve(&p);
    else
      ff_change_pass(&p);
  }
  *at = to;
  return 0;
}

#endif
