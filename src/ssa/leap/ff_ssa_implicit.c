/* Implicit leaps. The counts X at the end of a leap of length tau from the counts x solve
 *
 *   X = x + sum over reactions j of v_j (P_j - tau a_j + tau a_j(X)),
 *
 * where v_j is the change by reaction j, and a_j(X) its propensity. For reactions in partial equilibrium, P_j is a Poisson number
 * with the mean tau a_j, and a_j is a_j(x). For the others, P_j is tau a_j, and a_j is the propensity when those have relaxed
 * from x: the counts of fast species where a leap begins are not those of any time, because they must be large. These others fire
 * a Poisson number of times, with the mean tau a_j(X) + tau (a_j - a_j(Y)) / 2. Y is the solution without any noise. So X brings
 * the noise of fast species, and slow changes are followed to the second order.
 *
 * Fast species fluctuate. Their counts X have about the mean and the variance of their average over the leap, which is what slow
 * reactions need. The counts at the end vary more. So the firings of reactions in partial equilibrium are found anew, by a second
 * solution in which the slow reactions have fired and more noise is added (ff_ssa_balance.c). A second solution for a part of the
 * leap gives the state within it. */
#include "ff_ssa_implicit.h"

#include "../../base/ff_math.h"
#include "../../linear/ff_eliminate.h"
#include "../engine/ff_ssa_single.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 30
#define MISFIT 0x1p-6    /* of counts that solve the equations, in molecules */
#define ROUNDING 0x1p-40 /* as a part of the firings */
#define MOST_PAUSE 64
#define NONE UINT32_MAX

struct ff_ssa_implicit {
  ff_ssa_balance balance;
  uint32_t n;
  uint32_t *unknown;        /* the n species that reactions change and propensities read */
  uint32_t *place;          /* for each species: its place in `unknown`, or NONE */
  uint8_t *takes_part;      /* for each reaction: 1 if its propensity is in the equations */
  double *before;           /* for each species: the count at the beginning of the leap */
  double *mean;             /* for each reaction: its firings without noise */
  double *time;             /* for each reaction: how long it fires with the propensity at the end */
  double *step, *extent;    /* for each pair: the same, and its extent */
  double *constant, *scale; /* for each unknown: what does not depend on X, and the firings that change it */
  double *misfit, *matrix;  /* of the linear equations */
  uint32_t pause;           /* leaps until the next search for reactions in partial equilibrium */
};

/* ---- equations ---------------------------------------------------------------------------------------------------------- */

/* Adds the changes by `times` firings of reaction r to the equations' numbers. */
static void add_changes(const ff_ssa_implicit *e, const ff_ssa_program *p, uint32_t r, double times, double *to) {
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    const uint32_t place = e->place[p->changes[i].species];
    if (place != NONE) to[place] += times * (double)p->changes[i].by;
  }
}

/* Sets `misfit` for the counts of the path. Returns whether it is small; *valid becomes 0 if it is not a number. */
static int find_misfit(ff_ssa_implicit *e, ff_ssa_path *path, int *valid) {
  const ff_ssa_program *p = path->program;
  int small = 1;
  memset(e->misfit, 0, e->n * sizeof *e->misfit);
  memset(e->scale, 0, e->n * sizeof *e->scale);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    if (!e->takes_part[r]) continue;
    const double times = e->time[r] * ff_ssa_path_propensity(path, r);
    add_changes(e, p, r, -times, e->misfit);
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const uint32_t place = e->place[p->changes[i].species];
      if (place != NONE) e->scale[place] += fabs(times * (double)p->changes[i].by);
    }
  }
  *valid = path->failure.what == FF_SSA_FINE;
  for (uint32_t i = 0; i < e->n; i++) {
    e->misfit[i] += path->count[e->unknown[i]] - e->constant[i];
    *valid &= isfinite(e->misfit[i]) != 0;
    small &= fabs(e->misfit[i]) <= MISFIT + ROUNDING * e->scale[i];
  }
  return small;
}

/* The derivative of the propensity of r with respect to the count of s. It is exact for two molecules. */
static double derivative(ff_ssa_path *path, uint32_t r, uint32_t s) {
  const ff_failure failure = path->failure;
  const double x = path->count[s], by = x > 1 ? 0x1p-12 * x : 0x1p-12, low = x > by ? x - by : 0;
  path->count[s] = x + by;
  const double above = ff_ssa_path_propensity(path, r);
  path->count[s] = low;
  const double below = ff_ssa_path_propensity(path, r);
  path->count[s] = x;
  path->failure = failure;
  return (above - below) / (x + by - low);
}

static void set_matrix(ff_ssa_implicit *e, ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  const size_t n = e->n;
  memset(e->matrix, 0, n * n * sizeof *e->matrix);
  for (uint32_t k = 0; k < n; k++) { /* column k: the derivatives with respect to unknown k */
    const uint32_t s = e->unknown[k];
    e->matrix[k * n + k] = 1;
    for (size_t i = p->reader_first[s]; i < p->reader_first[s + 1]; i++) {
      const uint32_t r = p->readers[i];
      if (e->takes_part[r]) add_changes(e, p, r, -e->time[r] * derivative(path, r, s), e->matrix + k * n);
    }
  }
}

/* ---- leaps -------------------------------------------------------------------------------------------------------------- */

/* Newton's method, from the counts at the beginning of the leap. path->count becomes the solution. */
static int find_counts(ff_ssa_implicit *e, ff_ssa_path *path) {
  for (int round = 0; round < MOST_ITERATIONS; round++) {
    int valid;
    const int done = find_misfit(e, path, &valid);
    if (!valid) return 0;
    if (done) return 1;
    set_matrix(e, path);
    if (!ff_eliminate(e->matrix, e->misfit, e->n)) return 0;
    for (uint32_t i = 0; i < e->n; i++) {
      double *count = path->count + e->unknown[i];
      *count -= e->misfit[i];
      if (!(*count >= 0)) *count = 0;
    }
  }
  return 0;
}

static void begin_equations(ff_ssa_implicit *e, const ff_ssa_path *path) {
  memcpy(e->before, path->count, path->program->n_species * sizeof *e->before);
  for (uint32_t i = 0; i < e->n; i++) e->constant[i] = path->count[e->unknown[i]];
}

/* Restores the counts of the path. A failure while the equations were solved is not a failure of the trajectory. */
static void end_equations(const ff_ssa_implicit *e, ff_ssa_path *path, ff_failure failure) {
  memcpy(path->count, e->before, path->program->n_species * sizeof *e->before);
  path->failure = failure;
}

/* Solves the equations for the counts at the end. The firings of reaction r are fired[r]; if it takes part, they are fired[r] +
 * e->time[r] * its propensity at the end, and fired[r] is set to this. Returns whether the equations were solved. */
static int solve(ff_ssa_implicit *e, ff_ssa_path *path, double *fired) {
  const ff_ssa_program *p = path->program;
  const ff_failure failure = path->failure;
  begin_equations(e, path);
  for (uint32_t r = 0; r < p->n_reactions; r++) add_changes(e, p, r, fired[r], e->constant);
  const int found = find_counts(e, path);
  for (uint32_t r = 0; r < p->n_reactions && found; r++)
    if (e->takes_part[r]) fired[r] += e->time[r] * ff_ssa_path_propensity(path, r);
  end_equations(e, path, failure);
  return found;
}

static void choose_all(ff_ssa_implicit *e, const ff_ssa_length *length, uint32_t n_reactions, const double *rate, double tau) {
  for (uint32_t r = 0; r < n_reactions; r++) {
    e->takes_part[r] = !length->critical[r] && rate[r] > 0;
    e->time[r] = tau;
  }
}

int ff_ssa_implicit_solve(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, const double *rate, double tau,
                          double *fired) {
  choose_all(e, length, path->program->n_reactions, rate, tau);
  for (uint32_t r = 0; r < path->program->n_reactions; r++) fired[r] -= e->takes_part[r] ? tau * rate[r] : 0;
  return solve(e, path, fired);
}

/* Sets e->mean to the solution without noise. */
static int solve_mean(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, const double *rate, double tau) {
  choose_all(e, length, path->program->n_reactions, rate, tau);
  memset(e->mean, 0, path->program->n_reactions * sizeof *e->mean);
  return solve(e, path, e->mean);
}

/* Makes whole numbers of the solution: of reactions in partial equilibrium it is rounded, because their firings are found anew.
 * The others fire Poisson numbers of times. */
static void make_whole(ff_ssa_implicit *e, const ff_ssa_path *path, const double *rate, uint64_t address, double tau,
                       double *fired) {
  for (uint32_t r = 0; r < path->program->n_reactions; r++) {
    if (!e->takes_part[r]) continue;
    if (ff_ssa_balance_has(&e->balance, r)) {
      fired[r] = fired[r] > 0 ? round(fired[r]) : 0;
      continue;
    }
    ff_sequence sequence = ff_sequence_of(ff_ssa_step_key(path, address, r), 0);
    const double mean = fired[r] + (tau * rate[r] - e->mean[r]) / 2;
    fired[r] = mean > 0 ? ff_variate_poisson(&sequence, mean) : 0;
  }
}

/* The two reactions of a pair together fire as often as the sum of their propensities says. The difference of their firings is
 * the extent of the pair. It is not the difference of the propensities, which fluctuates. If both fired as often as their own
 * propensities say, and one of them more often to reach the extent, there would be too many firings. */
static void divide_extents(ff_ssa_implicit *e, const ff_ssa_path *path, double time, double *fired) {
  const ff_ssa_balance *b = &e->balance;
  for (uint32_t g = 0; g < b->pairs.n; g++) {
    const uint32_t forward = b->pairs.forward[g], backward = b->pairs.backward[g];
    if (!(b->speed[g] > 0)) continue;
    const double extent = round(e->extent[g]), least = extent < 0 ? -extent : 0; /* of the backward reaction */
    const double half = round((time * (path->propensity[forward] + path->propensity[backward]) - extent) / 2);
    fired[backward] = half > least ? half : least;
    fired[forward] = fired[backward] + extent;
  }
}

/* The reactions in partial equilibrium fire, and no others. The lengths of their steps are known. */
static void choose_balanced(ff_ssa_implicit *e, uint32_t n_reactions) {
  for (uint32_t r = 0; r < n_reactions; r++) {
    e->takes_part[r] = (uint8_t)ff_ssa_balance_has(&e->balance, r);
    if (e->takes_part[r]) e->time[r] = e->step[e->balance.pairs.of[r]];
  }
}

/* Sets the firings of the reactions in partial equilibrium in a part of a leap, when the others have fired: the extents relax and
 * fluctuate. */
int ff_ssa_implicit_settle(ff_ssa_implicit *e, ff_ssa_path *path, uint64_t address, double tau, double part, double *fired) {
  const ff_ssa_balance *b = &e->balance;
  ff_ssa_balance_fluctuate(&e->balance, path, address, tau, part, e->step, e->extent);
  choose_balanced(e, path->program->n_reactions);
  for (uint32_t g = 0; g < b->pairs.n; g++) {
    if (!(b->speed[g] > 0)) continue;
    fired[b->pairs.forward[g]] = e->extent[g];
    fired[b->pairs.backward[g]] = 0;
  }
  if (!solve(e, path, fired)) return 0;
  for (uint32_t g = 0; g < b->pairs.n; g++) e->extent[g] = fired[b->pairs.forward[g]] - fired[b->pairs.backward[g]];
  divide_extents(e, path, part * tau, fired);
  return 1;
}

int ff_ssa_implicit_relax(ff_ssa_implicit *e, ff_ssa_path *path, double tau, double *rate) {
  const ff_ssa_program *p = path->program;
  const ff_failure failure = path->failure;
  ff_ssa_balance_steps(&e->balance, tau, e->step);
  choose_balanced(e, p->n_reactions);
  begin_equations(e, path);
  const int found = find_counts(e, path);
  for (uint32_t r = 0; r < p->n_reactions && found; r++)
    if (!e->takes_part[r]) rate[r] = ff_ssa_path_propensity(path, r);
  const int valid = found && path->failure.what == failure.what;
  end_equations(e, path, failure);
  return valid;
}

/* The fluctuations are those of the equilibrium at the end of the leap. */
static int find_fluctuations(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, const double *fired) {
  const ff_ssa_program *p = path->program;
  const ff_failure failure = path->failure;
  begin_equations(e, path);
  for (uint32_t r = 0; r < p->n_reactions; r++) ff_ssa_apply(p, path->count, r, fired[r]);
  const int found = ff_ssa_balance_measure(&e->balance, length, path);
  end_equations(e, path, failure);
  return found;
}

int ff_ssa_implicit_leap(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, const double *rate, uint64_t address,
                         double tau, double *fired) {
  if (!solve_mean(e, length, path, rate, tau)) return 0;
  for (uint32_t r = 0; r < path->program->n_reactions; r++)
    if (e->takes_part[r] && !ff_ssa_balance_has(&e->balance, r)) fired[r] = tau * rate[r];
  if (!ff_ssa_implicit_solve(e, length, path, rate, tau, fired)) return 0;
  make_whole(e, path, rate, address, tau, fired);
  return find_fluctuations(e, length, path, fired) && ff_ssa_implicit_settle(e, path, address, tau, 1, fired);
}

/* ---- lengths ------------------------------------------------------------------------------------------------------------ */

void ff_ssa_implicit_start(ff_ssa_implicit *e) { e->pause = 0; }

int ff_ssa_implicit_balanced(const ff_ssa_implicit *e, uint32_t r) { return ff_ssa_balance_has(&e->balance, r); }

/* If a search looked at large clusters and found no equilibrium, some explicit leaps follow before the next search. */
double ff_ssa_implicit_longest(ff_ssa_implicit *e, ff_ssa_length *length, ff_ssa_path *path, double shorter) {
  if (e->pause > 0) {
    e->pause--;
    return shorter;
  }
  const double longest = ff_ssa_balance_longest(&e->balance, length, path, shorter);
  if (longest == shorter && e->balance.largest > 1) e->pause = e->balance.largest < MOST_PAUSE ? e->balance.largest : MOST_PAUSE;
  return longest;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static int is_unknown(const ff_ssa_program *p, uint32_t s) {
  return p->changed[s] && p->reader_first[s] < p->reader_first[s + 1];
}

static uint32_t count_unknowns(const ff_ssa_program *p) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < p->n_species; s++) n += is_unknown(p, s) != 0;
  return n;
}

ff_status ff_ssa_implicit_check(const ff_ssa_program *p, ff_error *err) {
  const uint32_t n = count_unknowns(p);
  if (n <= FF_SSA_IMPLICIT_MOST) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "method \"implicit_tau_leaping\" solves equations for the counts that reactions "
                      "change and propensities read: expected at most %d species, found %u; choose \"tau_leaping\"",
                      FF_SSA_IMPLICIT_MOST, n);
}

double ff_ssa_implicit_cost(const ff_ssa_program *p) {
  const double n = count_unknowns(p);
  return n * n * n / 16;
}

static ff_status allocate(ff_ssa_implicit *e, const ff_ssa_program *p, ff_error *err) {
  const size_t n = e->n;
  e->unknown = ff_calloc(n, sizeof *e->unknown);
  e->place = ff_calloc(p->n_species, sizeof *e->place);
  e->takes_part = ff_calloc(p->n_reactions, 1);
  e->mean = ff_calloc(p->n_reactions, sizeof *e->mean);
  e->time = ff_calloc(p->n_reactions, sizeof *e->time);
  e->extent = ff_calloc(p->n_reactions, sizeof *e->extent);
  e->step = ff_calloc(p->n_reactions, sizeof *e->step);
  e->before = ff_calloc(p->n_species, sizeof *e->before);
  e->constant = ff_calloc(n, sizeof *e->constant);
  e->scale = ff_calloc(n, sizeof *e->scale);
  e->misfit = ff_calloc(n, sizeof *e->misfit);
  e->matrix = ff_calloc(n * n, sizeof *e->matrix);
  if (e->unknown && e->place && e->takes_part && e->mean && e->time && e->extent && e->step && e->before && e->constant &&
      e->scale && e->misfit && e->matrix)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the equations of %u species", e->n);
}

ff_status ff_ssa_implicit_new(ff_ssa_implicit **out, const ff_ssa_program *p, ff_error *err) {
  *out = NULL;
  ff_status status = ff_ssa_implicit_check(p, err);
  if (status != FF_OK) return status;
  ff_ssa_implicit *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for implicit leaps");
  e->n = count_unknowns(p);
  status = allocate(e, p, err);
  if (status == FF_OK) status = ff_ssa_balance_new(&e->balance, p, err);
  if (status != FF_OK) {
    ff_ssa_implicit_free(e);
    return status;
  }
  e->n = 0;
  for (uint32_t s = 0; s < p->n_species; s++) {
    e->place[s] = is_unknown(p, s) ? e->n : NONE;
    if (e->place[s] != NONE) e->unknown[e->n++] = s;
  }
  *out = e;
  return FF_OK;
}

void ff_ssa_implicit_free(ff_ssa_implicit *e) {
  if (e == NULL) return;
  ff_ssa_balance_free(&e->balance);
  free(e->unknown);
  free(e->place);
  free(e->takes_part);
  free(e->mean);
  free(e->time);
  free(e->extent);
  free(e->step);
  free(e->before);
  free(e->constant);
  free(e->scale);
  free(e->misfit);
  free(e->matrix);
  free(e);
}
