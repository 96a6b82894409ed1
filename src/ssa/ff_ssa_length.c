/* The lengths of leaps. */
#include "ff_ssa_length.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The relative change of the propensity of r for a relative change of the count of s, by adding one molecule. */
static double elasticity(ff_ssa_path *path, uint32_t r, uint32_t s) {
  const ff_ssa_failure before = path->failure;
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

double ff_ssa_length_critical(ff_ssa_length *e, const ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  double sum = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    e->critical[r] = 0;
    if (!(path->propensity[r] > 0)) continue;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      if (p->changes[i].by < 0 && path->count[p->changes[i].species] < FF_SSA_CRITICAL * -(double)p->changes[i].by)
        e->critical[r] = 1;
    if (e->critical[r]) sum += path->propensity[r];
  }
  return sum;
}

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
  return tau;
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
  if (e->order == NULL || e->twice == NULL || e->thrice == NULL || e->drift == NULL || e->noise == NULL || e->critical == NULL) {
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
  memset(e, 0, sizeof *e);
}
