/* The search for the time at which a function passes 0: the method ITP (interpolate, truncate, project) of Oliveira and Takahashi
 * (2021). gcc, nvcc and NVRTC compile the same text:
 *
 *   ff_ode_bracket b = ff_ode_bracket_new(low, high, value at low, value at high, enough);
 *   while (ff_ode_bracket_next(&b, &t)) ff_ode_bracket_take(&b, t, value at t);
 *
 * b.high is then the time: there the function has its new sign. All calls take O(1), but ff_ode_bracket_new() takes
 * O(log(width / enough)). */
#ifndef FF_ODE_LOCATE_MATH_H
#define FF_ODE_LOCATE_MATH_H

#include "../base/ff_math.h"

#define FF_ODE_ROUNDING 0x1p-52
/* How far ITP moves from the secant's root towards the middle, where that moves it less than a tolerance. */
#define FF_ODE_SHARE 0.2
#define FF_ODE_MOST_ROUNDS 60

typedef struct {
  double low, high, at_low, at_high;
  double wide, enough; /* the first width, and one that ends the search */
  double reach;        /* `enough` times a power of 2, at least `wide` at first; half of it in each round */
  int before, rounds;  /* whether the function is at least 0 at `low` */
} ff_ode_bracket;

static FF_HD inline ff_ode_bracket ff_ode_bracket_new(double low, double high, double at_low, double at_high, double enough) {
  ff_ode_bracket b = {low, high, at_low, at_high, high - low, enough, enough, at_low >= 0, 0};
  while (b.reach < b.wide) b.reach *= 2;
  return b;
}

/* A time between low and high: the root of the secant, moved towards the middle, so that both ends come near to the root. It is
 * so near to the middle that halving would need `most` as the largest distance from there on. */
static FF_HD inline double ff_ode_bracket_time(const ff_ode_bracket *b, double move, double most) {
  const double low = b->low, high = b->high;
  const double middle = low + (high - low) / 2, root = low + (high - low) * (b->at_low / (b->at_low - b->at_high));
  const double sign = middle > root ? 1 : -1;
  if (!(root >= low && root <= high)) return middle;
  double t = ff_math_absolute(middle - root) > move ? root + sign * move : middle;
  if (ff_math_absolute(t - middle) > most) t = middle - sign * most;
  return t > low && t < high ? t : middle;
}

/* Sets *t to the next time at which the function is needed. Returns 0 at the end of the search. */
static FF_HD inline int ff_ode_bracket_next(ff_ode_bracket *b, double *t) {
  const double narrow = b->high - b->low, share = FF_ODE_SHARE * narrow * (narrow / b->wide);
  if (b->rounds == FF_ODE_MOST_ROUNDS || !(narrow > b->enough)) return 0;
  *t = ff_ode_bracket_time(b, share > b->enough / 2 ? share : b->enough / 2, b->reach - narrow / 2);
  b->rounds++;
  b->reach /= 2;
  return *t > b->low && *t < b->high;
}

static FF_HD inline void ff_ode_bracket_take(ff_ode_bracket *b, double t, double value) {
  if ((value >= 0) == b->before) {
    b->low = t;
    b->at_low = value;
  } else {
    b->high = t;
    b->at_high = value;
  }
}

#endif
