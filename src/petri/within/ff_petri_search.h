/* The search for the first change of a condition within a step. It decides which parts of the step are looked at, and the caller
 * evaluates the condition there. gcc, nvcc and NVRTC compile the same text:
 *
 *   ff_petri_search x = ff_petri_search_new(s0, s1, steps);
 *   while (ff_petri_search_next(&x)) ff_petri_search_take(&x, verdict on all values from x.a to x.b);
 *
 * If x.found is 1 then, the condition has its old truth up to x.low (s0, if rounding errors decide from the start), and it
 * surely has another one at x.high. Computed values tell when it changes in between.
 *
 * Parts are halved until bounds of all computed values decide them. Where rounding errors decide, halving would not end, and the
 * truth may go to and fro. There, the old truth counts until another one is sure. So a level that touches a threshold, or that
 * is held there, changes nothing; what was found is not found again by a search that begins there; and a level that begins on a
 * threshold and falls has a change just after. Nothing that is larger than a rounding error is missed.
 *
 * ff_formula_change_math.h does this for formulas of the time on doubles, which are denser near 0. Errors of a level do not
 * become smaller there, so it would look at very many doubles. Here, parts have an absolute width. */
#ifndef FF_PETRI_SEARCH_H
#define FF_PETRI_SEARCH_H

#include "../../base/ff_math.h"

#define FF_PETRI_FINEST 0x1p-52 /* the shortest part of a step that is looked at */
#define FF_PETRI_DEEPEST 64     /* a part of this width is reached by 52 halvings */
#define FF_PETRI_ZONE 16

typedef enum {
  FF_PETRI_SAME,    /* the old truth, at all times of the part */
  FF_PETRI_OTHER,   /* another one, at all times of it */
  FF_PETRI_CROSSES, /* it changes once, and surely has another truth at the end */
  FF_PETRI_STILL,   /* rounding errors decide, and would do so in each half */
  FF_PETRI_OPEN
} ff_petri_verdict;

typedef struct {
  double a, b;      /* what is looked at */
  double low, high; /* the truth is surely the old one up to `low`; if found, another one at `high` */
  double end[FF_PETRI_DEEPEST];
  uint32_t n, steps; /* parts left; steps left */
  uint8_t found;
} ff_petri_search;

static FF_HD inline ff_petri_search ff_petri_search_new(double s0, double s1, uint32_t steps) {
  ff_petri_search x;
  x.a = x.low = s0;
  x.b = x.high = x.end[0] = s1;
  x.n = s1 > s0;
  x.steps = steps;
  x.found = 0;
  return x;
}

/* Returns 0 at the end. If there are parts left then (x.n > 0) and nothing is found, the steps did not suffice. */
static FF_HD inline int ff_petri_search_next(ff_petri_search *x) {
  if (x->found || x->n == 0 || x->steps == 0) return 0;
  x->steps--;
  x->b = x->end[x->n - 1];
  return 1;
}

/* Whether an open part is short, compared with the time for which rounding errors have decided. If they decide at its start, its
 * middle and its end, too, the caller may take the part for STILL. Otherwise, where the sides of a comparison move but are about
 * equal, bounds would be open for each of 2^53 parts. */
static FF_HD inline int ff_petri_search_is_late(const ff_petri_search *x) {
  return (x->b - x->a) * FF_PETRI_ZONE <= x->a - x->low;
}

static FF_HD inline void ff_petri_search_take(ff_petri_search *x, ff_petri_verdict verdict) {
  const double a = x->a, b = x->b, middle = a + (b - a) / 2;
  const int short_enough = b - a <= FF_PETRI_FINEST || !(middle > a && middle < b) || x->n == FF_PETRI_DEEPEST;
  if (verdict == FF_PETRI_OTHER || verdict == FF_PETRI_CROSSES) {
    const double soon = a + FF_PETRI_FINEST; /* a change at the very beginning is a change just after it */
    x->high = verdict == FF_PETRI_CROSSES ? b : a > x->low ? a : soon < b ? soon : b;
    x->found = 1;
    return;
  }
  if (verdict == FF_PETRI_OPEN && !short_enough) {
    x->end[x->n++] = middle;
    return;
  }
  if (verdict == FF_PETRI_SAME) x->low = b;
  x->a = b;
  x->n--;
}

#endif
