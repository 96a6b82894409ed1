/* Implicit leaps. The counts X at the end of a leap of length tau from the counts x solve
 *
 *   X = x + sum over reactions j of v_j (P_j - tau a_j(x) + tau a_j(X)),
 *
 * where v_j is the change by reaction j, a_j its propensity and P_j the Poisson number with mean tau a_j(x). The firings are the
 * terms in brackets, rounded, so that counts remain whole numbers and conservation laws hold. */
#include "ff_ssa_implicit.h"

#include "../base/ff_math.h"
#include "ff_ssa_single.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BALANCE 0.05     /* in partial equilibrium, the propensities of both directions differ by less than this part ... */
#define DEVIATIONS 3     /* ... or by less than this number of their standard deviations in equilibrium */
#define MUCH_LONGER 100  /* a shorter leap is explicit */
#define MOST_ITERATIONS 30
#define MISFIT 0x1p-6    /* of counts that solve the equations, in molecules */
#define ROUNDING 0x1p-40 /* as a part of the firings */
#define NONE UINT32_MAX

/* The change by a reaction, but for its sign. */
typedef struct {
  const ff_ssa_change *change;
  uint32_t n, reaction;
  int64_t sign;
} direction;

struct ff_ssa_implicit {
  uint32_t n, n_groups;
  uint32_t *unknown;         /* the n species that reactions change and propensities read */
  uint32_t *place;           /* for each species: its place in `unknown`, or NONE */
  uint32_t *group;           /* for each reaction: its group of reactions with the same change but for the sign, or NONE */
  uint32_t *member, *member_first; /* the reactions of each group: n_groups + 1 entries */
  uint8_t *backward;         /* for each reaction: 1 if the sign is the other one */
  uint8_t *balanced;         /* for each reaction: 1 if it is in partial equilibrium */
  double *speed;             /* for each group in partial equilibrium: the rate of its relaxation; else 0 */
  double *before;            /* for each species: the count at the beginning of the leap */
  double *constant, *scale;  /* for each unknown: what does not depend on X, and the firings that change it */
  double *misfit, *matrix;   /* of the linear equations */
};

/* ---- reactions that reverse each other ---------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right) {
  const direction *x = left, *y = right;
  if (x->n != y->n) return x->n < y->n ? -1 : 1;
  for (uint32_t i = 0; i < x->n; i++) {
    const ff_ssa_change *a = x->change + i, *b = y->change + i;
    if (a->species != b->species) return a->species < b->species ? -1 : 1;
    if (a->by * x->sign != b->by * y->sign) return a->by * x->sign < b->by * y->sign ? -1 : 1;
  }
  return 0;
}

/* Numbers the changes that reactions make in both directions. */
static ff_status find_groups(ff_ssa_implicit *e, const ff_ssa_program *p, ff_error *err) {
  direction *all = ff_calloc(p->n_reactions, sizeof *all);
  if (all == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the changes of %u reactions", p->n_reactions);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_change *change = p->n_changes > 0 ? p->changes + p->change_first[r] : NULL;
    const uint32_t n = p->change_first[r + 1] - p->change_first[r];
    all[r] = (direction){change, n, r, n > 0 && change->by < 0 ? -1 : 1};
    e->group[r] = NONE;
  }
  if (p->n_reactions > 1) qsort(all, p->n_reactions, sizeof *all, compare);
  for (uint32_t first = 0, end; first < p->n_reactions; first = end) {
    int both = 0;
    for (end = first; end < p->n_reactions && compare(&all[first], &all[end]) == 0; end++) both |= all[end].sign < 0 ? 2 : 1;
    if (both != 3) continue;
    uint32_t n = e->member_first[e->n_groups];
    for (uint32_t i = first; i < end; i++) {
      e->member[n++] = all[i].reaction;
      e->group[all[i].reaction] = e->n_groups;
      e->backward[all[i].reaction] = all[i].sign < 0;
    }
    e->member_first[++e->n_groups] = n;
  }
  free(all);
  return FF_OK;
}

int ff_ssa_implicit_balanced(const ff_ssa_implicit *e, uint32_t r) { return e->balanced[r]; }

/* Adds up the propensities of both directions of a group. */
static void add_flow(const ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g, double flow[2]) {
  flow[0] = flow[1] = 0;
  for (uint32_t i = e->member_first[g]; i < e->member_first[g + 1]; i++)
    if (!length->critical[e->member[i]]) flow[e->backward[e->member[i]]] += ff_ssa_path_propensity(path, e->member[i]);
}

/* By how much one more firing changes the difference of both directions: the rate at which they return to equilibrium. */
static double speed_of(const ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g,
                       const double flow[2]) {
  const ff_ssa_failure failure = path->failure;
  const uint32_t r = e->member[e->member_first[g]];
  double next[2];
  ff_ssa_apply(path->program, path->count, r, 1);
  add_flow(e, length, path, g, next);
  ff_ssa_apply(path->program, path->count, r, -1);
  path->failure = failure;
  return fabs(next[0] - next[1] - (flow[0] - flow[1]));
}

/* In equilibrium, the number of firings that one direction is ahead has the variance (flow[0] + flow[1]) / (2 speed), by the
 * linear noise approximation. The difference of the propensities has speed^2 times as much. */
static int is_balanced(const double flow[2], double speed) {
  const double least = flow[0] < flow[1] ? flow[0] : flow[1], gap = fabs(flow[0] - flow[1]);
  return least > 0 && speed > 0 && (gap <= BALANCE * least || gap <= DEVIATIONS * ff_math_sqrt(speed * (flow[0] + flow[1]) / 2));
}

/* Finds the reactions in partial equilibrium. Returns whether there are any. */
static int find_balanced(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path) {
  int any = 0;
  memset(e->balanced, 0, path->program->n_reactions);
  for (uint32_t g = 0; g < e->n_groups; g++) {
    double flow[2];
    add_flow(e, length, path, g, flow);
    e->speed[g] = speed_of(e, length, path, g, flow);
    if (!is_balanced(flow, e->speed[g])) e->speed[g] = 0;
    for (uint32_t i = e->member_first[g]; i < e->member_first[g + 1] && e->speed[g] > 0; i++) {
      const uint32_t r = e->member[i];
      e->balanced[r] = !length->critical[r] && path->propensity[r] > 0;
      any |= e->balanced[r];
    }
  }
  return any;
}

/* Without the reactions in partial equilibrium. */
static double longest_without(const ff_ssa_implicit *e, ff_ssa_length *length, ff_ssa_path *path) {
  const uint32_t n = path->program->n_reactions;
  for (uint32_t r = 0; r < n; r++) length->critical[r] |= (uint8_t)(e->balanced[r] << 1); /* these are left out */
  const double longest = ff_ssa_length_longest(length, path);
  for (uint32_t r = 0; r < n; r++) length->critical[r] &= 1;
  return longest;
}

static void leave_out_slowest(ff_ssa_implicit *e) {
  uint32_t slowest = NONE;
  for (uint32_t g = 0; g < e->n_groups; g++)
    if (e->speed[g] > 0 && (slowest == NONE || e->speed[g] < e->speed[slowest])) slowest = g;
  if (slowest == NONE) return;
  for (uint32_t i = e->member_first[slowest]; i < e->member_first[slowest + 1]; i++) e->balanced[e->member[i]] = 0;
  e->speed[slowest] = 0;
}

/* If nothing else limits the leap, the slowest reactions do: their fluctuations are then not damped. */
double ff_ssa_implicit_longest(ff_ssa_implicit *e, ff_ssa_length *length, ff_ssa_path *path, double shorter) {
  if (!find_balanced(e, length, path)) return shorter;
  double longest = longest_without(e, length, path);
  if (longest == INFINITY) {
    leave_out_slowest(e);
    longest = longest_without(e, length, path);
  }
  return longest > MUCH_LONGER * shorter && longest < INFINITY ? longest : shorter;
}

double ff_ssa_implicit_part(const ff_ssa_implicit *e, uint32_t r, double tau, double part) {
  const double x = e->speed[e->group[r]] * tau;
  return x > 0x1p-20 ? ff_expm1(-x * part) / ff_expm1(-x) : part;
}

/* ---- equations ---------------------------------------------------------------------------------------------------------- */

static int takes_part(const ff_ssa_length *length, const ff_ssa_path *path, uint32_t r) {
  return !length->critical[r] && path->propensity[r] > 0;
}

/* Adds the changes by `times` firings of reaction r to the equations' numbers. */
static void add_changes(const ff_ssa_implicit *e, const ff_ssa_program *p, uint32_t r, double times, double *to) {
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    const uint32_t place = e->place[p->changes[i].species];
    if (place != NONE) to[place] += times * (double)p->changes[i].by;
  }
}

/* Sets `misfit` for the counts of the path. Returns whether it is small; *valid becomes 0 if it is not a number. */
static int find_misfit(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, double tau, int *valid) {
  const ff_ssa_program *p = path->program;
  int small = 1;
  memset(e->misfit, 0, e->n * sizeof *e->misfit);
  memset(e->scale, 0, e->n * sizeof *e->scale);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    if (!takes_part(length, path, r)) continue;
    const double times = tau * ff_ssa_path_propensity(path, r);
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
  const ff_ssa_failure failure = path->failure;
  const double x = path->count[s], by = x > 1 ? 0x1p-12 * x : 0x1p-12, low = x > by ? x - by : 0;
  path->count[s] = x + by;
  const double above = ff_ssa_path_propensity(path, r);
  path->count[s] = low;
  const double below = ff_ssa_path_propensity(path, r);
  path->count[s] = x;
  path->failure = failure;
  return (above - below) / (x + by - low);
}

static void set_matrix(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, double tau) {
  const ff_ssa_program *p = path->program;
  const size_t n = e->n;
  memset(e->matrix, 0, n * n * sizeof *e->matrix);
  for (uint32_t k = 0; k < n; k++) { /* column k: the derivatives with respect to unknown k */
    const uint32_t s = e->unknown[k];
    e->matrix[k * n + k] = 1;
    for (size_t i = p->reader_first[s]; i < p->reader_first[s + 1]; i++) {
      const uint32_t r = p->readers[i];
      if (takes_part(length, path, r)) add_changes(e, p, r, -tau * derivative(path, r, s), e->matrix + k * n);
    }
  }
}

/* Moves the largest entry of column k from row k on into row k. Returns 0 if there is none but 0. */
static int pivot(ff_ssa_implicit *e, size_t k) {
  const size_t n = e->n;
  size_t best = k;
  for (size_t i = k + 1; i < n; i++)
    if (fabs(e->matrix[k * n + i]) > fabs(e->matrix[k * n + best])) best = i;
  if (!(fabs(e->matrix[k * n + best]) > 0)) return 0;
  for (size_t j = k; j < n && best != k; j++) {
    const double x = e->matrix[j * n + k];
    e->matrix[j * n + k] = e->matrix[j * n + best];
    e->matrix[j * n + best] = x;
  }
  const double y = e->misfit[k];
  e->misfit[k] = e->misfit[best];
  e->misfit[best] = y;
  return 1;
}

/* Gaussian elimination with partial pivoting: `misfit` becomes the solution. Columns are stored one after the other. */
static int eliminate(ff_ssa_implicit *e) {
  const size_t n = e->n;
  double *a = e->matrix, *y = e->misfit;
  for (size_t k = 0; k < n; k++) {
    if (!pivot(e, k)) return 0;
    for (size_t i = k + 1; i < n; i++) {
      a[k * n + i] /= a[k * n + k];
      y[i] -= a[k * n + i] * y[k];
    }
    for (size_t j = k + 1; j < n; j++) {
      const double factor = a[j * n + k];
      if (factor == 0) continue;
      for (size_t i = k + 1; i < n; i++) a[j * n + i] -= a[k * n + i] * factor;
    }
  }
  for (size_t k = n; k-- > 0;) {
    y[k] /= a[k * n + k];
    for (size_t i = 0; i < k; i++) y[i] -= a[k * n + i] * y[k];
  }
  return 1;
}

/* ---- leaps -------------------------------------------------------------------------------------------------------------- */

/* Newton's method, from the counts at the beginning of the leap. path->count becomes the solution. */
static int find_counts(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, double tau) {
  for (int round = 0; round < MOST_ITERATIONS; round++) {
    int valid;
    const int done = find_misfit(e, length, path, tau, &valid);
    if (!valid) return 0;
    if (done) return 1;
    set_matrix(e, length, path, tau);
    if (!eliminate(e)) return 0;
    for (uint32_t i = 0; i < e->n; i++) {
      double *count = path->count + e->unknown[i];
      *count -= e->misfit[i];
      if (!(*count >= 0)) *count = 0;
    }
  }
  return 0;
}

int ff_ssa_implicit_solve(ff_ssa_implicit *e, const ff_ssa_length *length, ff_ssa_path *path, double tau, double *fired) {
  const ff_ssa_program *p = path->program;
  const ff_ssa_failure failure = path->failure; /* a failure on the way to the solution is none of the trajectory */
  memcpy(e->before, path->count, p->n_species * sizeof *e->before);
  for (uint32_t i = 0; i < e->n; i++) e->constant[i] = path->count[e->unknown[i]];
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (takes_part(length, path, r)) add_changes(e, p, r, fired[r] - tau * path->propensity[r], e->constant);
  const int found = find_counts(e, length, path, tau);
  for (uint32_t r = 0; r < p->n_reactions && found; r++) {
    if (!takes_part(length, path, r)) continue;
    const double times = round(fired[r] - tau * path->propensity[r] + tau * ff_ssa_path_propensity(path, r));
    fired[r] = times > 0 ? times : 0;
  }
  memcpy(path->count, e->before, p->n_species * sizeof *e->before);
  path->failure = failure;
  return found;
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
  e->group = ff_calloc(p->n_reactions, sizeof *e->group);
  e->backward = ff_calloc(p->n_reactions, 1);
  e->balanced = ff_calloc(p->n_reactions, 1);
  e->speed = ff_calloc(p->n_reactions, sizeof *e->speed);
  e->member = ff_calloc(p->n_reactions, sizeof *e->member);
  e->member_first = ff_calloc((size_t)p->n_reactions + 1, sizeof *e->member_first);
  e->before = ff_calloc(p->n_species, sizeof *e->before);
  e->constant = ff_calloc(n, sizeof *e->constant);
  e->scale = ff_calloc(n, sizeof *e->scale);
  e->misfit = ff_calloc(n, sizeof *e->misfit);
  e->matrix = ff_calloc(n * n, sizeof *e->matrix);
  if (e->unknown && e->place && e->group && e->backward && e->balanced && e->speed && e->member && e->member_first && e->before &&
      e->constant && e->scale && e->misfit && e->matrix)
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
  if (status == FF_OK) status = find_groups(e, p, err);
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
  free(e->unknown);
  free(e->place);
  free(e->group);
  free(e->backward);
  free(e->balanced);
  free(e->speed);
  free(e->member);
  free(e->member_first);
  free(e->before);
  free(e->constant);
  free(e->scale);
  free(e->misfit);
  free(e->matrix);
  free(e);
}
