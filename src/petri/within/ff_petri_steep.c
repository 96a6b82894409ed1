/* How steep a formula of one level is, for any level. */
#include "ff_petri_crossing.h"

#define PARTS 16 /* of each octave */

/* A bound of |x f'(x) / f(x)| between a and b. */
static double steepness(const ff_petri_formula *of, double *curve, double a, double b) {
  const ff_petri_step step = {0, 1, 1};
  ff_petri_verdict why;
  curve[0] = a;
  curve[1] = b - a;
  const ff_range f = ff_petri_formula_range(of, &step, 0, 1, &why), slope = of->bound->slope;
  const double steep = fmax(fabs(slope.low), fabs(slope.high)), least = f.low > 0 ? f.low : -f.high;
  if (f.nan || !of->bound->smooth) return INFINITY;
  return steep == 0 ? 0 : least > 0 ? b * steep / ((b - a) * least) : INFINITY;
}

void ff_petri_formula_steepness(const ff_formula *formula, ff_petri_bound *room, double *steep) {
  double curve[FF_ODE_DENSE] = {0}, value = 0, octave = FF_PETRI_FIRST_OCTAVE;
  const double *const curves[1] = {curve};
  const ff_petri_formula of = {formula, 1, curves, &value, NULL, NULL, room, 1, 0};
  int single = 1;
  for (uint32_t at = 0; at < formula->length; at++)
    single &= formula->word[at].code != FF_F_TIME && formula->word[at].symbol == 0; /* which is 0 for numbers, too */
  for (int k = 0; k < FF_PETRI_OCTAVES; k++, octave *= 2) {
    steep[k] = single ? 0 : INFINITY;
    for (int i = 0; i < PARTS && steep[k] < INFINITY; i++)
      steep[k] = fmax(steep[k], steepness(&of, curve, octave + octave * i / PARTS, octave + octave * (i + 1) / PARTS));
  }
}
