/* Reactions in partial equilibrium.
 *
 * A group of reactions with the net flow n(x) and the mean flow F has the extent y, and dy = n dt + sqrt(2 F) dW. Its own rate of
 * relaxation, or speed L, is how much one more firing reduces n. In equilibrium the extent has the variance F / L, by the linear
 * noise approximation. An implicit Euler step of length t with the noise of the firings, of variance 2 F t, gives only
 * 2 / (2 + L t) of this variance. With further noise of variance t^2 F L, it gives all of it, for any t. A step of length
 * (exp(L t) - 1) / L relaxes as the solution of the equation does in the time t, and gives its variance.
 *
 * In a cluster of several groups, A takes the place of L in the noise: it is sqrt(2 F t) z + t sqrt(F) A^(1/2) z'. There L is the
 * least eigenvalue of A. The standard normal z and z' are functions of the time: processes of Ornstein and Uhlenbeck. So
 * fluctuations of a single group have the right correlations in time. */
#include "ff_ssa_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/ff_math.h"
#include "ff_ssa_single.h"

#define BALANCE 0.05    /* in partial equilibrium, the flows of both directions differ by less than this part ... */
#define DEVIATIONS 3    /* ... or by less than this number of their standard deviations in equilibrium */
#define MUCH_LONGER 100 /* a shorter leap is explicit */
#define RELAXED 5       /* the least product of a leap's length and a rate of relaxation over which it jumps */
#define MOST_SQUARED (1.0 / 16) /* a count that fluctuates by more than a quarter is not near an equilibrium */
#define NULL_MODE 1e-10 /* rates below this part of the fastest one are those of closed loops, which change no count */
#define NULL_PIVOT 1e-12
#define MOST_ROOM ((size_t)1 << 18)
#define END_NODE (UINT64_C(1) << 63)
#define MOST_LEVELS 62
#define STRAIGHT 0x1p-12 /* a process is a straight line for shorter times, in times of relaxation */
#define MOST_DECAY 14    /* what is left of a deviation after a longer time is neglected */
#define NONE UINT32_MAX

/* The change by a reaction, but for its sign. */
typedef struct {
  const ff_ssa_change *change;
  uint32_t n, reaction;
  int64_t sign;
} direction;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* ---- groups ------------------------------------------------------------------------------------------------------------- */

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
static ff_status find_groups(ff_ssa_balance *e, const ff_ssa_program *p, ff_error *err) {
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

static int is_mass_action(const ff_ssa_program *p, uint32_t r) {
  return p->propensities[r].law != FF_LAW_FORMULA && p->propensities[r].law != FF_LAW_SCALED;
}

static void add_reactants(const ff_ssa_program *p, uint32_t r, double times, double *to) {
  const ff_ssa_propensity *a = p->propensities + r;
  for (uint32_t i = a->first; i < a->first + a->n; i++) to[p->factors[i].species] += times * (double)p->factors[i].count;
}

/* Whether a group is one reaction of mass action and its reverse: the products of each are the reactants of the other one.
 * Networks of such groups have detailed balance in equilibrium, so the equilibrium is stable and the only one. */
static int is_detailed(ff_ssa_balance *e, const ff_ssa_program *p, uint32_t g) {
  const uint32_t first = e->member_first[g], r = e->member[first], back = e->member[first + 1];
  int same = 1;
  if (e->member_first[g + 1] - first != 2 || !is_mass_action(p, r) || !is_mass_action(p, back)) return 0;
  add_reactants(p, r, 1, e->shift);
  ff_ssa_apply(p, e->shift, r, 1);
  add_reactants(p, back, -1, e->shift);
  for (int which = 0; which < 2; which++) {
    const ff_ssa_propensity *a = p->propensities + (which == 0 ? r : back);
    for (uint32_t i = a->first; i < a->first + a->n; i++) same &= e->shift[p->factors[i].species] == 0;
  }
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) same &= e->shift[p->changes[i].species] == 0;
  memset(e->shift, 0, p->n_species * sizeof *e->shift);
  return same;
}

/* ---- equilibria of one group -------------------------------------------------------------------------------------------- */

/* Sums the propensities of both directions of a group. Critical reactions are not part of a leap. */
static void add_flow(const ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g, double flow[2]) {
  flow[0] = flow[1] = 0;
  for (uint32_t i = e->member_first[g]; i < e->member_first[g + 1]; i++)
    if (!length->critical[e->member[i]]) flow[e->backward[e->member[i]]] += ff_ssa_path_propensity(path, e->member[i]);
}

static uint32_t forward_of(const ff_ssa_balance *e, uint32_t g) {
  uint32_t i = e->member_first[g];
  while (e->backward[e->member[i]]) i++;
  return e->member[i];
}

/* By how much so many firings reduce the net flow of a group. NaN if a propensity has no valid value then. */
static double reduction(const ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g, double firings) {
  const ff_ssa_failure failure = path->failure;
  const uint32_t r = forward_of(e, g);
  double next[2];
  ff_ssa_apply(path->program, path->count, r, firings);
  add_flow(e, length, path, g, next);
  ff_ssa_apply(path->program, path->count, r, -firings);
  const int valid = path->failure.what == failure.what;
  path->failure = failure;
  return valid ? e->net[g] - (next[0] - next[1]) : NAN;
}

/* The counts must be so large that fluctuations do not change them by more than a part. Leaps neglect the difference between the
 * mean of a propensity and the propensity of the mean; its part is about the variance divided by the squared count. In detailed
 * balance the variance is at most the count. */
static int is_large(const ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, uint32_t g, double variance) {
  const ff_ssa_program *p = path->program;
  const uint32_t r = forward_of(e, g);
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    const double x = path->count[p->changes[i].species], by = (double)p->changes[i].by;
    if ((e->detailed[g] ? x : by * by * variance) > smaller(length->tolerance, MOST_SQUARED) * x * x) return 0;
  }
  return 1;
}

/* Whether the net flow leads back from three and six standard deviations, at least a quarter as fast as by the speed. Elsewhere
 * there may be another equilibrium, to which fluctuations lead, or counts may run away. */
static int leads_back(const ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g, double deviation) {
  const ff_ssa_program *p = path->program;
  const uint32_t r = forward_of(e, g);
  for (int k = -6; k <= 6; k += 3) {
    double firings = ceil(fabs(k * deviation));
    if (k == 0) continue;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const double by = k < 0 ? -(double)p->changes[i].by : (double)p->changes[i].by;
      const double most = floor(-0.9 * path->count[p->changes[i].species] / by);
      if (by < 0 && firings > most) firings = most;
    }
    if (firings < 1) continue;
    const double less = reduction(e, length, path, g, k < 0 ? -firings : firings);
    if (!((k < 0 ? -less : less) >= e->speed[g] * firings / 4)) return 0;
  }
  return 1;
}

/* Sets the flow, the net flow and the speed of a group. Returns 0 if it has no flow in one direction, or no stable equilibrium:
 * one more firing must reduce the net flow. */
static int measure(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g) {
  double flow[2];
  add_flow(e, length, path, g, flow);
  e->flow[g] = (flow[0] + flow[1]) / 2;
  e->net[g] = flow[0] - flow[1];
  if (!(flow[0] > 0 && flow[1] > 0)) return 0;
  e->speed[g] = reduction(e, length, path, g, 1);
  return e->speed[g] > 0 && e->speed[g] < INFINITY;
}

/* Whether a group is in equilibrium by itself. */
static int is_balanced(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g) {
  if (!measure(e, length, path, g)) return 0;
  const double gap = fabs(e->net[g]), least = e->flow[g] - gap / 2, variance = e->flow[g] / e->speed[g];
  if (gap > BALANCE * least && gap > DEVIATIONS * e->speed[g] * ff_math_sqrt(variance)) return 0;
  return is_large(e, length, path, g, variance) && (e->detailed[g] || leads_back(e, length, path, g, ff_math_sqrt(variance)));
}

static void leave_out(ff_ssa_balance *e, uint32_t g) {
  for (uint32_t i = e->member_first[g]; i < e->member_first[g + 1]; i++) e->balanced[e->member[i]] = 0;
  e->speed[g] = 0;
}

/* Finds the groups that are in equilibrium by themselves. Returns whether there are any. */
static int find_balanced(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path) {
  int any = 0;
  memset(e->balanced, 0, path->program->n_reactions);
  for (uint32_t g = 0; g < e->n_groups; g++) {
    if (!is_balanced(e, length, path, g)) {
      e->speed[g] = 0;
      continue;
    }
    any = 1;
    for (uint32_t i = e->member_first[g]; i < e->member_first[g + 1]; i++)
      e->balanced[e->member[i]] = !length->critical[e->member[i]] && path->propensity[e->member[i]] > 0;
  }
  return any;
}

/* ---- clusters ----------------------------------------------------------------------------------------------------------- */

static uint32_t top_of(ff_ssa_balance *e, uint32_t g) {
  while (e->parent[g] != g) g = e->parent[g] = e->parent[e->parent[g]];
  return g;
}

/* Joins the groups of which one changes what another one reads. */
static void join_groups(ff_ssa_balance *e, const ff_ssa_program *p) {
  for (uint32_t g = 0; g < e->n_groups; g++) e->parent[g] = g;
  for (uint32_t g = 0; g < e->n_groups; g++) {
    const uint32_t r = e->member[e->member_first[g]];
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1] && e->speed[g] > 0; i++) {
      const uint32_t s = p->changes[i].species;
      for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1]; k++) {
        const uint32_t reader = p->readers[k];
        if (e->balanced[reader]) e->parent[top_of(e, e->group[reader])] = top_of(e, g);
      }
    }
  }
}

static void find_clusters(ff_ssa_balance *e, const ff_ssa_program *p) {
  uint32_t n = 0;
  join_groups(e, p);
  for (uint32_t g = 0; g < e->n_groups; g++) e->head[g] = NONE;
  for (uint32_t g = e->n_groups; g-- > 0;) {
    const uint32_t top = top_of(e, g);
    e->next[g] = e->head[top];
    e->head[top] = g;
  }
  e->n_clusters = 0;
  for (uint32_t g = 0; g < e->n_groups; g++) {
    if (e->head[g] == NONE || !(e->speed[g] > 0)) continue;
    e->cluster_first[e->n_clusters++] = n;
    for (uint32_t i = e->head[g]; i != NONE; i = e->next[i]) e->cluster[n++] = i;
  }
  e->cluster_first[e->n_clusters] = n;
}

/* The matrix A of m groups. In detailed balance one more firing of h changes the net flow of g by - flow_g times the sum of
 * v_g v_h / x over all species. */
static void set_matrix(const ff_ssa_balance *e, const ff_ssa_path *path, const uint32_t *groups, size_t m, double *a) {
  const ff_ssa_program *p = path->program;
  if (m == 1) {
    a[0] = e->speed[groups[0]];
    return;
  }
  for (size_t j = 0; j < m; j++) {
    const uint32_t h = forward_of(e, groups[j]);
    for (uint32_t i = p->change_first[h]; i < p->change_first[h + 1]; i++)
      e->shift[p->changes[i].species] = (double)p->changes[i].by / path->count[p->changes[i].species];
    for (size_t k = 0; k < m; k++) {
      const uint32_t g = forward_of(e, groups[k]);
      double sum = 0;
      for (uint32_t i = p->change_first[g]; i < p->change_first[g + 1]; i++)
        sum += (double)p->changes[i].by * e->shift[p->changes[i].species];
      a[j * m + k] = sum * ff_math_sqrt(e->flow[groups[j]] * e->flow[groups[k]]);
    }
    for (uint32_t i = p->change_first[h]; i < p->change_first[h + 1]; i++) e->shift[p->changes[i].species] = 0;
  }
}

/* Householder's reduction of a symmetric matrix of order m to a tridiagonal one with the same eigenvalues. */
static void make_tridiagonal(ff_ssa_balance *e, double *a, size_t m) {
  double *v = e->vector;
  for (size_t k = 0; k + 2 < m; k++) {
    double square = 0, product = 0;
    for (size_t i = k + 1; i < m; i++) square += a[i * m + k] * a[i * m + k];
    const double norm = ff_math_sqrt(square), pivot = a[(k + 1) * m + k], beside = pivot > 0 ? -norm : norm;
    e->beside[k] = beside;
    if (!(norm > 0)) continue;
    for (size_t i = k + 1; i < m; i++) v[i] = a[i * m + k];
    v[k + 1] -= beside;
    const double scale = 1 / (norm * (norm + fabs(pivot))); /* 2 / (v v) */
    double *q = e->diagonal; /* entries from k + 1 on are not yet in use */
    for (size_t i = k + 1; i < m; i++) {
      double sum = 0;
      for (size_t j = k + 1; j < m; j++) sum += a[i * m + j] * v[j];
      q[i] = scale * sum;
      product += q[i] * v[i];
    }
    for (size_t i = k + 1; i < m; i++) q[i] -= scale * product / 2 * v[i];
    for (size_t i = k + 1; i < m; i++)
      for (size_t j = k + 1; j < m; j++) a[i * m + j] -= v[i] * q[j] + q[i] * v[j];
  }
  if (m > 1) e->beside[m - 2] = a[(m - 1) * m + m - 2];
  for (size_t i = 0; i < m; i++) e->diagonal[i] = a[i * m + i];
}

/* The number of eigenvalues of the tridiagonal matrix that are below a value (Sturm). */
static size_t count_below(const ff_ssa_balance *e, size_t m, double value) {
  size_t n = 0;
  double q = 1;
  for (size_t i = 0; i < m; i++) {
    const double square = i > 0 ? e->beside[i - 1] * e->beside[i - 1] : 0;
    q = e->diagonal[i] - value - (i > 0 ? square / q : 0);
    if (q == 0) q = 0x1p-500;
    n += q < 0;
  }
  return n;
}

/* Whether all modes of a cluster relax at least at this rate. Then *slowest is the rate of the slowest one. */
static int relaxes_fast(ff_ssa_balance *e, const double *a, size_t m, double rate, double *slowest) {
  double fastest = 0;
  *slowest = a[0];
  if (m == 1) return a[0] >= rate;
  memcpy(e->matrix, a, m * m * sizeof *a);
  make_tridiagonal(e, e->matrix, m);
  for (size_t i = 0; i < m; i++) fastest = larger(fastest, e->diagonal[i]); /* at least 1 / m of the trace */
  const size_t loops = count_below(e, m, NULL_MODE * fastest);
  if (count_below(e, m, rate) != loops) return 0;
  double low = rate, high = fastest; /* there is an eigenvalue of at most the largest diagonal entry */
  while (high > 1.01 * low) {
    const double middle = low + (high - low) / 2;
    if (count_below(e, m, middle) > loops)
      high = middle;
    else
      low = middle;
  }
  *slowest = low;
  return 1;
}

/* The lower triangular root of a positive semidefinite matrix replaces it. Columns of pivots that are 0 but for rounding become
 * 0. */
static void take_root(double *a, size_t m) {
  for (size_t k = 0; k < m; k++) {
    const double before = a[k * m + k];
    double pivot = before;
    for (size_t j = 0; j < k; j++) pivot -= a[k * m + j] * a[k * m + j];
    const double root = pivot > NULL_PIVOT * before ? ff_math_sqrt(pivot) : 0;
    a[k * m + k] = root;
    for (size_t i = k + 1; i < m; i++) {
      double sum = a[i * m + k];
      for (size_t j = 0; j < k; j++) sum -= a[i * m + j] * a[k * m + j];
      a[i * m + k] = root > 0 ? sum / root : 0;
    }
  }
}

/* Replaces y by the solution x of L L' x = y. */
static void solve_with_root(const double *root, size_t m, double *y) {
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < i; j++) y[i] -= root[i * m + j] * y[j];
    y[i] /= root[i * m + i];
  }
  for (size_t i = m; i-- > 0;) {
    for (size_t j = i + 1; j < m; j++) y[i] -= root[j * m + i] * y[j];
    y[i] /= root[i * m + i];
  }
}

/* Whether the relaxation of a cluster in a leap changes its counts by no more than the tolerance, or than fluctuations do. If
 * not, the cluster is on its way to equilibrium, and the leap must follow it. */
static int is_relaxed(ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, const uint32_t *groups, size_t m,
                      const double *a, double tau) {
  const ff_ssa_program *p = path->program;
  int relaxed = 1;
  for (size_t i = 0; i < m * m; i++) e->matrix[i] = tau * a[i];
  for (size_t i = 0; i < m; i++) {
    e->matrix[i * m + i] += 1;
    e->vector[i] = tau * e->net[groups[i]] / ff_math_sqrt(e->flow[groups[i]]);
  }
  take_root(e->matrix, m);
  solve_with_root(e->matrix, m, e->vector);
  for (size_t j = 0; j < m; j++) {
    const uint32_t g = groups[j], r = forward_of(e, g);
    ff_ssa_apply(p, e->shift, r, e->vector[j] * ff_math_sqrt(e->flow[g]));
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      e->variance[p->changes[i].species] += (double)p->changes[i].by * (double)p->changes[i].by * e->flow[g] / e->speed[g];
  }
  for (size_t j = 0; j < m; j++) {
    const uint32_t r = forward_of(e, groups[j]);
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const uint32_t s = p->changes[i].species;
      const double x = path->count[s], most = larger(length->tolerance * x, DEVIATIONS * ff_math_sqrt(e->variance[s]));
      relaxed &= fabs(e->shift[s]) <= larger(most, 1);
      e->shift[s] = e->variance[s] = 0;
    }
  }
  return relaxed;
}

/* ---- lengths ------------------------------------------------------------------------------------------------------------ */

/* Without the reactions in partial equilibrium. */
static double longest_without(const ff_ssa_balance *e, ff_ssa_length *length, ff_ssa_path *path) {
  const uint32_t n = path->program->n_reactions;
  for (uint32_t r = 0; r < n; r++)
    if (e->balanced[r]) length->critical[r] |= FF_SSA_LEFT_OUT;
  const double longest = ff_ssa_length_longest(length, path);
  for (uint32_t r = 0; r < n; r++)
    if (e->balanced[r]) length->critical[r] &= (uint8_t)~FF_SSA_LEFT_OUT;
  return longest;
}

/* Leaves out those of m groups, or of all if `groups` is NULL, that are at most twice as slow as the slowest one, ... */
static void leave_out_slowest(ff_ssa_balance *e, const uint32_t *groups, size_t m) {
  double slowest = INFINITY;
  for (size_t i = 0; i < m; i++) {
    const double speed = e->speed[groups != NULL ? groups[i] : i];
    if (speed > 0 && speed < slowest) slowest = speed;
  }
  for (size_t i = 0; i < m; i++) {
    const uint32_t g = groups != NULL ? groups[i] : (uint32_t)i;
    if (e->speed[g] > 0 && e->speed[g] <= 2 * slowest) leave_out(e, g);
  }
}

/* ... or those that are slower than this. Returns whether there are such groups. */
static int leave_out_slower(ff_ssa_balance *e, double speed) {
  int any = 0;
  for (uint32_t g = 0; g < e->n_groups; g++) {
    if (!(e->speed[g] > 0 && e->speed[g] < speed)) continue;
    leave_out(e, g);
    any = 1;
  }
  return any;
}

/* Leaves out groups of a cluster over whose relaxation a leap must not jump. Returns whether there are such groups; if not, the
 * root of its matrix is known. A cluster must have detailed balance: otherwise its matrix is not symmetric, and there may be
 * another equilibrium. */
static int leave_out_of_cluster(ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, uint32_t c, double tau,
                                double *root, size_t room) {
  const uint32_t *groups = e->cluster + e->cluster_first[c];
  const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
  int detailed = 1;
  if (m > e->largest) e->largest = (uint32_t)m;
  for (size_t i = 0; i < m; i++) detailed &= m == 1 || e->detailed[groups[i]];
  if (m * m <= room && detailed) {
    set_matrix(e, path, groups, m, root);
    if (relaxes_fast(e, root, m, RELAXED / tau, &e->rate[c])) {
      if (is_relaxed(e, length, path, groups, m, root, tau)) {
        take_root(root, m);
        return 0;
      }
      for (size_t i = 0; i < m; i++) leave_out(e, groups[i]);
      return 1;
    }
  }
  leave_out_slowest(e, groups, m);
  return 1;
}

static int leave_out_of_clusters(ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, double tau) {
  size_t used = 0;
  int any = 0;
  find_clusters(e, path->program);
  for (uint32_t c = 0; c < e->n_clusters; c++) {
    const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
    any |= leave_out_of_cluster(e, length, path, c, tau, e->root + used, e->room - used);
    used += m * m <= e->room - used ? m * m : 0;
  }
  return any;
}

static int any_balanced(const ff_ssa_balance *e) {
  for (uint32_t g = 0; g < e->n_groups; g++)
    if (e->speed[g] > 0) return 1;
  return 0;
}

double ff_ssa_balance_longest(ff_ssa_balance *e, ff_ssa_length *length, ff_ssa_path *path, double shorter) {
  e->largest = 0;
  int any = find_balanced(e, length, path);
  while (any) {
    const double longest = longest_without(e, length, path);
    if (!(longest > MUCH_LONGER * shorter)) break;
    if (longest == INFINITY) /* nothing else limits the leap, so the slowest reactions do */
      leave_out_slowest(e, NULL, e->n_groups);
    else if (!leave_out_slower(e, RELAXED / longest) && !leave_out_of_clusters(e, length, path, longest))
      return longest;
    any = any_balanced(e);
  }
  for (uint32_t g = 0; g < e->n_groups; g++) e->speed[g] = 0;
  memset(e->balanced, 0, path->program->n_reactions);
  return shorter;
}

int ff_ssa_balance_measure(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path) {
  double *root = e->root;
  for (uint32_t c = 0; c < e->n_clusters; c++) {
    const uint32_t *groups = e->cluster + e->cluster_first[c];
    const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
    for (size_t i = 0; i < m; i++)
      if (!measure(e, length, path, groups[i]) || !is_large(e, length, path, groups[i], 0)) return 0;
    set_matrix(e, path, groups, m, root);
    if (m == 1) e->rate[c] = root[0];
    take_root(root, m);
    root += m * m;
  }
  return 1;
}

/* ---- fluctuations ------------------------------------------------------------------------------------------------------- */

/* Two independent processes that begin at 0, decay at the rate 1 and approach variance 1, at a part of a leap of length `time`.
 * The value at the end is drawn first, then those in the middle of intervals that contain the part. */
static void find_processes(uint64_t key, double time, double part, double value[2]) {
  const double spread = ff_math_sqrt(-ff_expm1(-2 * time));
  double from[2] = {0, 0};
  uint64_t node = 1;
  ff_ssa_sequence sequence = ff_ssa_sequence_of(key, END_NODE);
  for (int i = 0; i < 2; i++) value[i] = spread * ff_ssa_normal(&sequence);
  if (part >= 1) return;
  for (int level = 0; level < MOST_LEVELS && time > STRAIGHT; level++) {
    time /= 2;
    const double decay = ff_exp(-time), sum = 1 + decay * decay, deviation = ff_math_sqrt(-ff_expm1(-2 * time) / sum);
    double middle[2];
    sequence = ff_ssa_sequence_of(key, node);
    for (int i = 0; i < 2; i++) middle[i] = decay * (from[i] + value[i]) / sum + deviation * ff_ssa_normal(&sequence);
    memcpy(ff_ssa_halve(&part, &node) ? from : value, middle, sizeof middle);
  }
  for (int i = 0; i < 2; i++) value[i] = from[i] + part * (value[i] - from[i]);
}

static double step_of(double rate, double time) {
  return ff_expm1(smaller(rate * time, MOST_DECAY)) / rate;
}

void ff_ssa_balance_fluctuate(ff_ssa_balance *e, const ff_ssa_path *path, uint64_t address, double tau, double part,
                              double *step, double *extent) {
  const double *root = e->root;
  for (uint32_t c = 0; c < e->n_clusters; c++) {
    const uint32_t *groups = e->cluster + e->cluster_first[c];
    const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
    const double time = e->rate[c] * tau, now = step_of(e->rate[c], part * tau);
    const double scale = now > 0 ? 1 / ff_math_sqrt(-ff_expm1(-2 * time * part)) : 0;
    for (size_t i = 0; i < m; i++) {
      double value[2];
      find_processes(ff_ssa_step_key(path, address, forward_of(e, groups[i])), time, part, value);
      step[groups[i]] = now;
      extent[groups[i]] = ff_math_sqrt(2 * now) * scale * value[0];
      e->vector[i] = scale * value[1];
    }
    for (size_t i = 0; i < m; i++) {
      double sum = 0;
      for (size_t j = 0; j <= i; j++) sum += root[i * m + j] * e->vector[j];
      extent[groups[i]] = ff_math_sqrt(e->flow[groups[i]]) * (extent[groups[i]] + now * sum);
    }
    root += m * m;
  }
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static ff_status allocate_groups(ff_ssa_balance *e, const ff_ssa_program *p, ff_error *err) {
  const size_t n = p->n_reactions;
  e->group = ff_calloc(n, sizeof *e->group);
  e->backward = ff_calloc(n, 1);
  e->balanced = ff_calloc(n, 1);
  e->member = ff_calloc(n, sizeof *e->member);
  e->member_first = ff_calloc(n + 1, sizeof *e->member_first);
  e->shift = ff_calloc(p->n_species, sizeof *e->shift);
  e->variance = ff_calloc(p->n_species, sizeof *e->variance);
  if (e->group && e->backward && e->balanced && e->member && e->member_first && e->shift && e->variance) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the groups of %u reactions", p->n_reactions);
}

static ff_status allocate_clusters(ff_ssa_balance *e, ff_error *err) {
  const size_t n = e->n_groups;
  e->room = n < 512 ? n * n : MOST_ROOM;
  e->detailed = ff_calloc(n, 1);
  e->speed = ff_calloc(n, sizeof *e->speed);
  e->flow = ff_calloc(n, sizeof *e->flow);
  e->net = ff_calloc(n, sizeof *e->net);
  e->parent = ff_calloc(n, sizeof *e->parent);
  e->head = ff_calloc(n, sizeof *e->head);
  e->next = ff_calloc(n, sizeof *e->next);
  e->cluster = ff_calloc(n, sizeof *e->cluster);
  e->cluster_first = ff_calloc(n + 1, sizeof *e->cluster_first);
  e->rate = ff_calloc(n, sizeof *e->rate);
  e->root = ff_calloc(e->room, sizeof *e->root);
  e->matrix = ff_calloc(e->room, sizeof *e->matrix);
  e->diagonal = ff_calloc(n, sizeof *e->diagonal);
  e->beside = ff_calloc(n, sizeof *e->beside);
  e->vector = ff_calloc(n, sizeof *e->vector);
  if (e->detailed && e->speed && e->flow && e->net && e->parent && e->head && e->next && e->cluster && e->cluster_first &&
      e->rate && e->root && e->matrix && e->diagonal && e->beside && e->vector)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the equilibria of %u pairs of reactions", e->n_groups);
}

ff_status ff_ssa_balance_new(ff_ssa_balance *e, const ff_ssa_program *p, ff_error *err) {
  memset(e, 0, sizeof *e);
  ff_status status = allocate_groups(e, p, err);
  if (status == FF_OK) status = find_groups(e, p, err);
  if (status == FF_OK) status = allocate_clusters(e, err);
  for (uint32_t g = 0; status == FF_OK && g < e->n_groups; g++) e->detailed[g] = (uint8_t)is_detailed(e, p, g);
  return status;
}

void ff_ssa_balance_free(ff_ssa_balance *e) {
  void *const all[] = {e->group, e->backward, e->balanced, e->member, e->member_first, e->shift, e->variance, e->detailed,
                       e->speed, e->flow, e->net, e->parent, e->head, e->next, e->cluster, e->cluster_first, e->rate, e->root,
                       e->matrix, e->diagonal, e->beside, e->vector};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  memset(e, 0, sizeof *e);
}
