/* Peaks that are narrower than the distances between the nodes at which a formula is evaluated: bounds of all values of the
 * formula show that there may be one. gcc, nvcc and NVRTC compile the same text. All calls take O(n + length) of the formula. */
#ifndef FF_PETRI_PEAK_MATH_H
#define FF_PETRI_PEAK_MATH_H

#include "ff_petri_bounds_math.h"
#include "ff_petri_span_math.h"

#define FF_PETRI_PEAK_TRIES 40       /* a step is made again, shorter, so many times at most */
#define FF_PETRI_PEAK_FINEST 0x1p-20 /* in shorter parts of a segment, bounds of profiles are not asked */

/* Times in a step at which a method evaluates flows, as far as they have a weight in its result and in its estimate of errors.
 * The first two are the ends of the step. */
typedef struct {
  int n;
  double s[6];
} ff_petri_seen;

#define FF_PETRI_SEEN_BY_DORMAND_PRINCE {5, {0, 1, 0.3, 0.8, 8.0 / 9}}
#define FF_PETRI_SEEN_BY_RODAS {6, {0, 1, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664}}

/* Bounds that are not finite tell nothing. */
static FF_HD inline int ff_petri_peak_is_far(ff_range x, double low, double high, double slack) {
  return !x.nan && x.high - x.low < ff_math_infinity() &&
         ff_petri_span_is_far(ff_petri_span_new(x.low, x.high), low, high, slack);
}

/* Whether the values of a formula between the parts a and b of the step may be far from those that were computed there, which are
 * from `low` to `high`. A distance of `slack` does not matter. */
static FF_HD inline int ff_petri_peak_hides(const ff_petri_formula *of, const ff_petri_step *step, double a, double b, double low,
                                            double high, double slack) {
  ff_petri_verdict why;
  if (!ff_petri_peak_is_far(FF_PETRI_SPAN(of, step, a, b), low, high, slack)) return 0;
  return ff_petri_peak_is_far(FF_PETRI_RANGE(of, step, a, b, &why), low, high, slack);
}

/* Whether a rate may have a peak in the step that the solver has not seen. First, the ends of the step may tell. */
static FF_HD inline int ff_petri_peak_is_unseen(const ff_petri_formula *of, const ff_petri_step *step, const ff_petri_seen *by,
                                                double slack) {
  double low = ff_math_infinity(), high = -ff_math_infinity();
  for (int i = 0; i < by->n; i++) {
    const double f = FF_PETRI_VALUE(of, step, by->s[i]);
    if (!(ff_math_absolute(f) < ff_math_infinity())) return 0;
    low = f < low ? f : low;
    high = f > high ? f : high;
    if (i == 1 && !ff_petri_peak_is_far(FF_PETRI_SPAN(of, step, 0, 1), low, high, slack)) return 0;
  }
  return ff_petri_peak_hides(of, step, 0, 1, low, high, slack);
}

#endif
