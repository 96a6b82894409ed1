/* The lengths of leaps. */
#include "ff_ssa_length.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_math.h"
#include "../program/ff_ssa_options.h"

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* The order of each species in the reactions of mass action. */
static void find_orders(ff_ssa_length *e, const ff_ssa_program *p) {
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *a = p->propensities + r;
    double order = 0;
    if (a->law == FF_LAW_FORMULA) continue;
    for (uint32_t i = a->first; i < a->first + a->n; i++) order += p->factors[i].count;
    for (uint32_t i = a->first; i < a->first + a->n; i++) {
      const uint32_t s = p->factors[i].species;
      e->order[s] = larger(e->order[s], order);
      e->twice[s] |= p->factors[i].count == 2;
      e->thrice[s] |= p->factors[i].count > 2;
    }
  }
}

/* The relative change of the propensity of r divided by the relative change of the count of s, if one molecule is added. */
static double elasticity(ff_ssa_path *path, uint32_t r, uint32_t s) {
  const ff_failure before = path->failure;
  const double now = path->propensity[r], x = path->count[s];
  if (!(now > 0)) return 0;
  path->count[s] += 1;
  const double next = ff_ssa_path_propensity(path, r);
  path->count[s] = x;
  path->failure = before;
  return next < INFINITY ? fabs(x * (next - now) / now) : 0;
}

/* The factor g of the paper. Formulas have no order: their elasticity is used instead. */
static double sensitivity(const ff_ssa_length *e, ff_ssa_path *path, uint32_t s) {
  const ff_ssa_program *p = path->program;
  const double x = path->count[s];
  double g = e->order[s];
  if (e->twice[s] && x > 1) g = larger(g, e->order[s] / 2 * (2 + 1 / (x - 1)));
  if (e->thrice[s] && x > 2) g = larger(g, e->order[s] / 3 * (3 + 1 / (x - 1) + 2 / (x - 2)));
  for (size_t k = p->n_formulas > 0 ? p->reader_first[s] : p->reader_first[s + 1]; k < p->reader_first[s + 1]; k++) {
    const uint32_t law = p->propensities[p->readers[k]].law;
    if (law == FF_LAW_FORMULA || law == FF_LAW_SCALED) g = larger(g, elasticity(path, p->readers[k], s));
  }
  return larger(g, 1);
}

void ff_ssa_length_critical(ff_ssa_length *e, const ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    e->critical[r] = 0;
    if (!(path->propensity[r] > 0)) continue;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      if (p->changes[i].by < 0 && path->count[p->changes[i].species] < FF_SSA_CRITICAL * -(double)p->changes[i].by)
        e->critical[r] = 1;
  }
}

/* ---- relaxation --------------------------------------------------------------------------------------------------------- */

#define RELAXATION 2 /* a leap is at most this factor * tolerance * the shortest time of relaxation */

/* Critical reactions count. Reactions that cannot fire yet count, too, because molecules that the leap makes may react within
 * it. */
static int limits(const ff_ssa_length *e, uint32_t r) { return !(e->critical[r] & FF_SSA_LEFT_OUT); }

/* Marks the species whose deviations change the drift. */
static void find_active(ff_ssa_length *e, const ff_ssa_program *p) {
  for (uint32_t s = 0; s < p->n_species; s++) {
    e->active[s] = e->follows[s];
    for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1] && e->noise[s] > 0 && !e->active[s]; k++)
      e->active[s] = (uint8_t)limits(e, p->readers[k]);
  }
}

/* How much one more molecule of s changes the propensity of r. */
static double slope(ff_ssa_path *path, uint32_t r, uint32_t s) {
  const ff_failure before = path->failure;
  const double x = path->count[s];
  path->count[s] += 1;
  const double next = ff_ssa_path_propensity(path, r);
  path->count[s] = x;
  path->failure = before;
  return next < INFINITY ? next - path->propensity[r] : 0;
}

/* Adds the derivatives of all drifts with respect to species s to the sums of their rows. Returns the sum of this column. With
 * `roots`, each count is divided by its square root; then there are no sums of relative counts. */
static double add_column(ff_ssa_length *e, ff_ssa_path *path, uint32_t s, int roots) {
  const ff_ssa_program *p = path->program;
  double sum = 0;
  for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1]; k++) {
    const uint32_t r = p->readers[k];
    const double by = limits(e, r) ? slope(path, r, s) : 0;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1] && by != 0; i++)
      e->column[p->changes[i].species] += by * (double)p->changes[i].by;
  }
  for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1]; k++) {
    const uint32_t r = p->readers[k];
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const uint32_t other = p->changes[i].species;
      const double ratio = larger(path->count[s], 1) / larger(path->count[other], 1);
      const double entry = (e->active[other] ? fabs(e->column[other]) : 0) * (roots ? ff_math_sqrt(ratio) : 1);
      e->column[other] = 0; /* several reactions may change it */
      sum += entry;
      e->row[other] += entry;
      if (!roots) e->scaled[other] += entry * ratio;
    }
  }
  return sum;
}

/* An upper bound of the rates at which deviations of the counts change: the absolute values of the eigenvalues of the drift's
 * matrix of derivatives are at most the largest sum of a row or a column, and scaling leaves the eigenvalues as they are.
 *
 * Reactions in partial equilibrium divide a change among their species. This is a projection, orthogonal if each count is divided
 * by its square root, by detailed balance. So it does not enlarge the norm of the matrix with this scaling, which is at most the
 * root of the product of its largest sums of a row and of a column. */
static double fastest_rate(ff_ssa_length *e, ff_ssa_path *path) {
  const uint32_t n = path->program->n_species;
  const int roots = memchr(e->follows, 1, n) != NULL;
  double columns = 0, rows = 0, scaled = 0;
  find_active(e, path->program);
  memset(e->row, 0, n * sizeof *e->row);
  memset(e->scaled, 0, n * sizeof *e->scaled);
  for (uint32_t s = 0; s < n; s++)
    if (e->active[s]) columns = larger(columns, add_column(e, path, s, roots));
  for (uint32_t s = 0; s < n; s++) {
    rows = larger(rows, e->row[s]);
    scaled = larger(scaled, e->scaled[s]);
  }
  return roots ? ff_math_sqrt(columns * rows) : smaller(columns, smaller(rows, scaled));
}

/* ---- lengths ------------------------------------------------------------------------------------------------------------ */

double ff_ssa_length_longest(ff_ssa_length *e, ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  double tau = INFINITY;
  memset(e->drift, 0, p->n_species * sizeof *e->drift);
  memset(e->noise, 0, p->n_species * sizeof *e->noise);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const double a = path->propensity[r];
    if (e->critical[r] || !(a > 0)) continue;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const double by = (double)p->changes[i].by;
      e->drift[p->changes[i].species] += by * a;
      e->noise[p->changes[i].species] += by * by * a;
    }
  }
  for (uint32_t s = 0; s < p->n_species; s++) {
    if (!(e->noise[s] > 0) || p->reader_first[s] == p->reader_first[s + 1]) continue;
    const double most = larger(e->tolerance * path->count[s] / sensitivity(e, path, s), 1);
    if (e->drift[s] != 0) tau = smaller(tau, most / fabs(e->drift[s]));
    tau = smaller(tau, most * most / e->noise[s]);
  }
  const double rate = fastest_rate(e, path);
  return rate > 0 ? smaller(tau, RELAXATION * e->tolerance / rate) : tau;
}

ff_status ff_ssa_length_new(ff_ssa_length *e, const ff_ssa_program *p, double tolerance, ff_error *err) {
  memset(e, 0, sizeof *e);
  e->tolerance = tolerance > 0 ? tolerance : FF_SSA_TOLERANCE;
  e->order = ff_calloc(p->n_species, sizeof *e->order);
  e->twice = ff_calloc(p->n_species, 1);
  e->thrice = ff_calloc(p->n_species, 1);
  e->drift = ff_calloc(p->n_species, sizeof *e->drift);
  e->noise = ff_calloc(p->n_species, sizeof *e->noise);
  e->critical = ff_calloc(p->n_reactions, 1);
  e->active = ff_calloc(p->n_species, 1);
  e->follows = ff_calloc(p->n_species, 1);
  e->column = ff_calloc(p->n_species, sizeof *e->column);
  e->row = ff_calloc(p->n_species, sizeof *e->row);
  e->scaled = ff_calloc(p->n_species, sizeof *e->scaled);
  if (!e->order || !e->twice || !e->thrice || !e->drift || !e->noise || !e->critical || !e->active || !e->follows || !e->column ||
      !e->row || !e->scaled) {
    ff_ssa_length_free(e);
    return ff_error_set(err, FF_EMEMORY, "no memory for the leaps of %u reactions", p->n_reactions);
  }
  find_orders(e, p);
  return FF_OK;
}

void ff_ssa_length_free(ff_ssa_length *e) {
  free(e->order);
  free(e->twice);
  free(e->thrice);
  free(e->drift);
  free(e->noise);
  free(e->critical);
  free(e->active);
  free(e->follows);
  free(e->column);
  free(e->row);
  free(e->scaled);
  memset(e, 0, sizeof *e);
}
