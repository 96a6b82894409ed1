/* Reactions in partial equilibrium.
 *
 * A pair of reactions with the net flow n(x) and the mean flow F has the extent y, and dy = n dt + sqrt(2 F) dW. Its own rate of
 * relaxation, or speed L, is how much one more firing reduces n. In equilibrium the extent has the variance F / L, by the linear
 * noise approximation. An implicit Euler step of length t with the noise of the firings, of variance 2 F t, gives only
 * 2 / (2 + L t) of this variance. With further noise of variance t^2 F L, it gives all of it, for any t. A step of length
 * (exp(L t) - 1) / L relaxes as the solution of the equation does in the time t, and gives its variance.
 *
 * In a cluster of several pairs, a matrix A (set_matrix()) takes the place of L in the noise, which is sqrt(2 F t) z +
 * t sqrt(F) A^(1/2) z'. There L is the least eigenvalue of A. The standard normal z and z' are functions of the time: processes
 * of Ornstein and Uhlenbeck. So fluctuations of a single pair have the right correlations in time. */
#include "ff_ssa_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_math.h"
#include "../engine/ff_ssa_single.h"

#define BALANCE 0.05    /* in partial equilibrium, the flows of both directions differ by less than this part ... */
#define DEVIATIONS 3    /* ... or by less than this number of their standard deviations in equilibrium */
#define MUCH_LONGER 100 /* a shorter leap is explicit */
#define RELAXED 5       /* the least product of a leap's length and a rate of relaxation over which it jumps */
#define MOST_SQUARED (1.0 / 16) /* a count that fluctuates by more than a quarter is not near an equilibrium */
#define MOST_ROOM ((size_t)1 << 18)
#define LEAST_AT_END 0.5
#define END_NODE (UINT64_C(1) << 63)
#define MOST_LEVELS 62
#define STRAIGHT 0x1p-12 /* in times of relaxation; over a shorter time, a process is taken to be a straight line */
#define MOST_DECAY 14    /* what is left of a deviation after a longer time is neglected */
#define NONE UINT32_MAX

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

int ff_ssa_balance_has(const ff_ssa_balance *e, uint32_t r) { return e->pairs.of[r] != NONE && e->speed[e->pairs.of[r]] > 0; }

/* ---- equilibria of one pair --------------------------------------------------------------------------------------------- */

/* The propensities of both directions. Critical reactions are not part of a leap. */
static void find_flow(const ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g, double flow[2]) {
  const uint32_t both[] = {e->pairs.forward[g], e->pairs.backward[g]};
  for (int k = 0; k < 2; k++) flow[k] = length->critical[both[k]] ? 0 : ff_ssa_path_propensity(path, both[k]);
}

/* Sets the flow, the net flow and the speed of a pair. Returns 0 if it has no flow in one direction. */
static int measure(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g) {
  const uint32_t forward = e->pairs.forward[g];
  double flow[2], next[2];
  find_flow(e, length, path, g, flow);
  e->flow[g] = (flow[0] + flow[1]) / 2;
  e->net[g] = flow[0] - flow[1];
  if (!(flow[0] > 0 && flow[1] > 0)) return 0;
  ff_ssa_apply(path->program, path->count, forward, 1);
  find_flow(e, length, path, g, next);
  ff_ssa_apply(path->program, path->count, forward, -1);
  e->speed[g] = e->net[g] - (next[0] - next[1]);
  return e->speed[g] > 0 && e->speed[g] < INFINITY;
}

/* The counts must be so large that their fluctuations are relatively small. Leaps neglect the difference between the mean of a
 * propensity and the propensity of the mean. Its relative size is about the variance divided by the squared count. In detailed
 * balance the variance is at most the count. `least` is the least product of a count and the tolerance. */
static int is_large(const ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, uint32_t g, double least) {
  const ff_ssa_program *p = path->program;
  const uint32_t r = e->pairs.forward[g];
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
    if (!(path->count[p->changes[i].species] * smaller(length->tolerance, MOST_SQUARED) >= least)) return 0;
  return 1;
}

/* Whether a pair is in equilibrium by itself. */
static int is_balanced(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path, uint32_t g) {
  if (!is_large(e, length, path, g, 1) || !measure(e, length, path, g)) return 0;
  const double gap = fabs(e->net[g]), least = e->flow[g] - gap / 2;
  return gap <= BALANCE * least || gap <= DEVIATIONS * ff_math_sqrt(e->flow[g] * e->speed[g]);
}

/* Finds the pairs that are in equilibrium by themselves. Returns whether there are any. */
static int find_balanced(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path) {
  int any = 0;
  for (uint32_t g = 0; g < e->pairs.n; g++) {
    if (is_balanced(e, length, path, g))
      any = 1;
    else
      e->speed[g] = 0;
  }
  return any;
}

/* ---- clusters ----------------------------------------------------------------------------------------------------------- */

static uint32_t top_of(ff_ssa_balance *e, uint32_t g) {
  while (e->parent[g] != g) g = e->parent[g] = e->parent[e->parent[g]];
  return g;
}

/* Joins pair g with those that read species s, if it is the first pair that changes s, and else with that first pair. */
static void join_readers(ff_ssa_balance *e, const ff_ssa_program *p, uint32_t g, uint32_t s) {
  if (e->changer[s] != NONE) {
    e->parent[top_of(e, e->changer[s])] = top_of(e, g);
    return;
  }
  e->changer[s] = g;
  for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1]; k++) {
    const uint32_t reader = p->readers[k];
    if (ff_ssa_balance_has(e, reader)) e->parent[top_of(e, e->pairs.of[reader])] = top_of(e, g);
  }
}

/* Joins the pairs of which one changes what another one reads. */
static void join_pairs(ff_ssa_balance *e, const ff_ssa_program *p) {
  for (uint32_t s = 0; s < p->n_species; s++) e->changer[s] = NONE;
  for (uint32_t g = 0; g < e->pairs.n; g++) e->parent[g] = g;
  for (uint32_t g = 0; g < e->pairs.n; g++) {
    const uint32_t r = e->pairs.forward[g];
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1] && e->speed[g] > 0; i++)
      join_readers(e, p, g, p->changes[i].species);
  }
}

static void find_clusters(ff_ssa_balance *e, const ff_ssa_program *p) {
  uint32_t n = 0;
  join_pairs(e, p);
  for (uint32_t g = 0; g < e->pairs.n; g++) e->head[g] = NONE;
  for (uint32_t g = e->pairs.n; g-- > 0;) {
    const uint32_t top = top_of(e, g);
    e->next[g] = e->head[top];
    e->head[top] = g;
  }
  e->n_clusters = 0;
  for (uint32_t g = 0; g < e->pairs.n; g++) {
    if (e->head[g] == NONE || !(e->speed[g] > 0)) continue;
    e->cluster_first[e->n_clusters++] = n;
    for (uint32_t i = e->head[g]; i != NONE; i = e->next[i]) e->cluster[n++] = i;
  }
  e->cluster_first[e->n_clusters] = n;
}

/* The matrix A of m pairs. In detailed balance one more firing of h changes the net flow of g by - flow_g times the sum of
 * v_g v_h / x over all species. */
static void set_matrix(const ff_ssa_balance *e, const ff_ssa_path *path, const uint32_t *pairs, size_t m, double *a) {
  const ff_ssa_program *p = path->program;
  if (m == 1) {
    a[0] = e->speed[pairs[0]];
    return;
  }
  for (size_t j = 0; j < m; j++) {
    const uint32_t h = e->pairs.forward[pairs[j]];
    for (uint32_t i = p->change_first[h]; i < p->change_first[h + 1]; i++)
      e->shift[p->changes[i].species] = (double)p->changes[i].by / path->count[p->changes[i].species];
    for (size_t k = 0; k < m; k++) {
      const uint32_t g = e->pairs.forward[pairs[k]];
      double sum = 0;
      for (uint32_t i = p->change_first[g]; i < p->change_first[g + 1]; i++)
        sum += (double)p->changes[i].by * e->shift[p->changes[i].species];
      a[j * m + k] = sum * ff_math_sqrt(e->flow[pairs[j]] * e->flow[pairs[k]]);
    }
    for (uint32_t i = p->change_first[h]; i < p->change_first[h + 1]; i++) e->shift[p->changes[i].species] = 0;
  }
}

/* Sets e->modes.vector to the extents by which a cluster relaxes in a leap, divided by the square roots of the flows. */
static void find_relaxation(const ff_ssa_balance *e, const uint32_t *pairs, size_t m, const double *a, double tau) {
  double *matrix = e->modes.matrix;
  for (size_t i = 0; i < m * m; i++) matrix[i] = tau * a[i];
  for (size_t i = 0; i < m; i++) {
    matrix[i * m + i] += 1;
    e->modes.vector[i] = tau * e->net[pairs[i]] / ff_math_sqrt(e->flow[pairs[i]]);
  }
  ff_modes_root(matrix, m);
  ff_modes_solve(matrix, m, e->modes.vector);
}

/* Whether the relaxation of a cluster in a leap changes its counts by no more than the tolerance, or no more than fluctuations
 * do. Otherwise the cluster is still far from equilibrium, and leaps must be short enough to follow it. */
static int is_near(ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, const uint32_t *pairs, size_t m) {
  const ff_ssa_program *p = path->program;
  int near = 1;
  for (size_t j = 0; j < m; j++) {
    const uint32_t g = pairs[j], r = e->pairs.forward[g];
    ff_ssa_apply(p, e->shift, r, e->modes.vector[j] * ff_math_sqrt(e->flow[g]));
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      e->variance[p->changes[i].species] += (double)p->changes[i].by * (double)p->changes[i].by * e->flow[g] / e->speed[g];
  }
  for (size_t j = 0; j < m; j++) {
    const uint32_t r = e->pairs.forward[pairs[j]];
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const uint32_t s = p->changes[i].species;
      const double x = path->count[s], most = larger(length->tolerance * x, DEVIATIONS * ff_math_sqrt(e->variance[s]));
      near &= fabs(e->shift[s]) <= larger(most, 1);
      e->shift[s] = e->variance[s] = 0;
    }
  }
  return near;
}

/* Whether there would be a net flow round a closed loop, such as A <-> B <-> C <-> A, after the relaxation. Then there is no
 * detailed balance. `left` is the part of a deviation that is left after the leap. */
static int goes_round(const ff_ssa_balance *e, const uint32_t *pairs, size_t m, double tau, double left) {
  for (size_t j = 0; j < m; j++) {
    const uint32_t g = pairs[j];
    const double net = fabs(e->modes.vector[j]) * ff_math_sqrt(e->flow[g]) / tau;
    if (net > BALANCE * e->flow[g] + left * DEVIATIONS * ff_math_sqrt(e->flow[g] * e->speed[g])) return 1;
  }
  return 0;
}

/* ---- lengths ------------------------------------------------------------------------------------------------------------ */

/* Whether e->shift is set for a species that cluster c changes. */
static int is_marked(const ff_ssa_balance *e, const ff_ssa_program *p, uint32_t c) {
  for (uint32_t k = e->cluster_first[c]; k < e->cluster_first[c + 1]; k++) {
    const uint32_t r = e->pairs.forward[e->cluster[k]];
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      if (e->shift[p->changes[i].species] > 0) return 1;
  }
  return 0;
}

/* Marks the species of clusters that other reactions change, too: the cluster passes such changes on to all its species. */
static void mark_followers(ff_ssa_balance *e, ff_ssa_length *length, const ff_ssa_program *p) {
  for (uint32_t r = 0; r < p->n_reactions; r++)
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1] && !ff_ssa_balance_has(e, r); i++)
      e->shift[p->changes[i].species] = 1;
  for (uint32_t c = 0; c < e->n_clusters; c++) {
    if (!is_marked(e, p, c)) continue;
    for (uint32_t k = e->cluster_first[c]; k < e->cluster_first[c + 1]; k++) {
      const uint32_t r = e->pairs.forward[e->cluster[k]];
      for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) length->follows[p->changes[i].species] = 1;
    }
  }
  memset(e->shift, 0, p->n_species * sizeof *e->shift);
}

/* The longest leap, if the reactions in partial equilibrium do not limit it. */
static double longest_without(ff_ssa_balance *e, ff_ssa_length *length, ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  mark_followers(e, length, p);
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (ff_ssa_balance_has(e, r)) length->critical[r] |= FF_SSA_LEFT_OUT;
  const double longest = ff_ssa_length_longest(length, path);
  for (uint32_t r = 0; r < p->n_reactions; r++) length->critical[r] &= (uint8_t)~FF_SSA_LEFT_OUT;
  memset(length->follows, 0, p->n_species);
  return longest;
}

/* Leaves out those of m pairs, or of all if `pairs` is NULL, whose rate of relaxation is at most twice the slowest one, ... */
static void leave_out_slowest(ff_ssa_balance *e, const uint32_t *pairs, size_t m) {
  double slowest = INFINITY;
  for (size_t i = 0; i < m; i++) {
    const double speed = e->speed[pairs != NULL ? pairs[i] : i];
    if (speed > 0 && speed < slowest) slowest = speed;
  }
  for (size_t i = 0; i < m; i++) {
    const size_t g = pairs != NULL ? pairs[i] : i;
    if (e->speed[g] <= 2 * slowest) e->speed[g] = 0;
  }
}

/* ... or those that are slower than this. Returns whether there are such pairs. */
static int leave_out_slower(ff_ssa_balance *e, double speed) {
  int any = 0;
  for (uint32_t g = 0; g < e->pairs.n; g++) {
    if (!(e->speed[g] > 0 && e->speed[g] < speed)) continue;
    e->speed[g] = 0;
    any = 1;
  }
  return any;
}

/* Leaves out pairs of a cluster over whose relaxation a leap must not jump. Returns whether there are such pairs; if not, the
 * root of its matrix is known. */
static int leave_out_of_cluster(ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, uint32_t c, double tau,
                                double *root, size_t room) {
  const uint32_t *pairs = e->cluster + e->cluster_first[c];
  const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
  if (m > e->largest) e->largest = (uint32_t)m;
  if (m * m <= room) {
    set_matrix(e, path, pairs, m, root);
    if (ff_modes_fast(&e->modes, root, m, RELAXED / tau, &e->rate[c])) {
      find_relaxation(e, pairs, m, root, tau);
      if (is_near(e, length, path, pairs, m) && !goes_round(e, pairs, m, tau, 1 / (1 + tau * e->rate[c]))) {
        ff_modes_root(root, m);
        return 0;
      }
      for (size_t i = 0; i < m; i++) e->speed[pairs[i]] = 0;
      return 1;
    }
  }
  leave_out_slowest(e, pairs, m);
  return 1;
}

static int leave_out_of_clusters(ff_ssa_balance *e, const ff_ssa_length *length, const ff_ssa_path *path, double tau) {
  size_t used = 0;
  int any = 0;
  for (uint32_t c = 0; c < e->n_clusters; c++) {
    const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
    any |= leave_out_of_cluster(e, length, path, c, tau, e->root + used, e->room - used);
    used += m * m <= e->room - used ? m * m : 0;
  }
  return any;
}

static int any_balanced(const ff_ssa_balance *e) {
  for (uint32_t g = 0; g < e->pairs.n; g++)
    if (e->speed[g] > 0) return 1;
  return 0;
}

double ff_ssa_balance_longest(ff_ssa_balance *e, ff_ssa_length *length, ff_ssa_path *path, double shorter) {
  e->largest = 0;
  int any = find_balanced(e, length, path);
  while (any) {
    find_clusters(e, path->program);
    const double longest = longest_without(e, length, path);
    if (!(longest > MUCH_LONGER * shorter)) break;
    if (longest == INFINITY) /* nothing else limits the leap, so the slowest reactions do */
      leave_out_slowest(e, NULL, e->pairs.n);
    else if (!leave_out_slower(e, RELAXED / longest) && !leave_out_of_clusters(e, length, path, longest))
      return longest;
    any = any_balanced(e);
  }
  for (uint32_t g = 0; g < e->pairs.n; g++) e->speed[g] = 0;
  return shorter;
}

/* A leap that this refuses is drawn again, so it must not refuse those that lead to less of a species: they would happen too
 * rarely. Hence the least count is half of the one at the beginning: leaps change counts by much smaller parts. */
int ff_ssa_balance_measure(ff_ssa_balance *e, const ff_ssa_length *length, ff_ssa_path *path) {
  double *root = e->root;
  for (uint32_t c = 0; c < e->n_clusters; c++) {
    const uint32_t *pairs = e->cluster + e->cluster_first[c];
    const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
    for (size_t i = 0; i < m; i++)
      if (!measure(e, length, path, pairs[i]) || !is_large(e, length, path, pairs[i], LEAST_AT_END)) return 0;
    set_matrix(e, path, pairs, m, root);
    if (m == 1) e->rate[c] = root[0];
    ff_modes_root(root, m);
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
  ff_sequence sequence = ff_sequence_of(key, END_NODE);
  for (int i = 0; i < 2; i++) value[i] = spread * ff_variate_normal(&sequence);
  if (part >= 1) return;
  for (int level = 0; level < MOST_LEVELS && time > STRAIGHT; level++) {
    time /= 2;
    const double decay = ff_exp(-time), sum = 1 + decay * decay, deviation = ff_math_sqrt(-ff_expm1(-2 * time) / sum);
    double middle[2];
    sequence = ff_sequence_of(key, node);
    for (int i = 0; i < 2; i++) middle[i] = decay * (from[i] + value[i]) / sum + deviation * ff_variate_normal(&sequence);
    memcpy(ff_ssa_halve(&part, &node) ? from : value, middle, sizeof middle);
  }
  for (int i = 0; i < 2; i++) value[i] = from[i] + part * (value[i] - from[i]);
}

static double step_of(double rate, double time) {
  return ff_expm1(smaller(rate * time, MOST_DECAY)) / rate;
}

void ff_ssa_balance_steps(const ff_ssa_balance *e, double tau, double *step) {
  for (uint32_t c = 0; c < e->n_clusters; c++)
    for (uint32_t k = e->cluster_first[c]; k < e->cluster_first[c + 1]; k++) step[e->cluster[k]] = step_of(e->rate[c], tau);
}

void ff_ssa_balance_fluctuate(ff_ssa_balance *e, const ff_ssa_path *path, uint64_t address, double tau, double part,
                              double *step, double *extent) {
  const double *root = e->root;
  ff_ssa_balance_steps(e, part * tau, step);
  for (uint32_t c = 0; c < e->n_clusters; c++) {
    const uint32_t *pairs = e->cluster + e->cluster_first[c];
    const size_t m = e->cluster_first[c + 1] - e->cluster_first[c];
    const double time = e->rate[c] * tau, now = step[pairs[0]];
    const double scale = now > 0 ? 1 / ff_math_sqrt(-ff_expm1(-2 * time * part)) : 0;
    for (size_t i = 0; i < m; i++) {
      double value[2];
      find_processes(ff_ssa_step_key(path, address, e->pairs.forward[pairs[i]]), time, part, value);
      extent[pairs[i]] = ff_math_sqrt(2 * now) * scale * value[0];
      e->modes.vector[i] = scale * value[1];
    }
    for (size_t i = 0; i < m; i++) {
      double sum = 0;
      for (size_t j = 0; j <= i; j++) sum += root[i * m + j] * e->modes.vector[j];
      extent[pairs[i]] = ff_math_sqrt(e->flow[pairs[i]]) * (extent[pairs[i]] + now * sum);
    }
    root += m * m;
  }
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static ff_status allocate(ff_ssa_balance *e, const ff_ssa_program *p, ff_error *err) {
  const size_t n = e->pairs.n;
  e->room = n < 512 ? n * n : MOST_ROOM;
  e->shift = ff_calloc(p->n_species, sizeof *e->shift);
  e->variance = ff_calloc(p->n_species, sizeof *e->variance);
  e->speed = ff_calloc(n, sizeof *e->speed);
  e->flow = ff_calloc(n, sizeof *e->flow);
  e->net = ff_calloc(n, sizeof *e->net);
  e->changer = ff_calloc(p->n_species, sizeof *e->changer);
  e->parent = ff_calloc(n, sizeof *e->parent);
  e->head = ff_calloc(n, sizeof *e->head);
  e->next = ff_calloc(n, sizeof *e->next);
  e->cluster = ff_calloc(n, sizeof *e->cluster);
  e->cluster_first = ff_calloc(n + 1, sizeof *e->cluster_first);
  e->rate = ff_calloc(n, sizeof *e->rate);
  e->root = ff_calloc(e->room, sizeof *e->root);
  e->modes.matrix = ff_calloc(e->room, sizeof *e->modes.matrix);
  e->modes.diagonal = ff_calloc(n, sizeof *e->modes.diagonal);
  e->modes.beside = ff_calloc(n, sizeof *e->modes.beside);
  e->modes.vector = ff_calloc(n, sizeof *e->modes.vector);
  if (e->shift && e->variance && e->speed && e->flow && e->net && e->changer && e->parent && e->head && e->next && e->cluster &&
      e->cluster_first && e->rate && e->root && e->modes.matrix && e->modes.diagonal && e->modes.beside && e->modes.vector)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the equilibria of %u pairs of reactions", e->pairs.n);
}

ff_status ff_ssa_balance_new(ff_ssa_balance *e, const ff_ssa_program *p, ff_error *err) {
  memset(e, 0, sizeof *e);
  const ff_status status = ff_ssa_pairs_new(&e->pairs, p, err);
  return status == FF_OK ? allocate(e, p, err) : status;
}

void ff_ssa_balance_free(ff_ssa_balance *e) {
  void *const all[] = {e->shift, e->variance, e->speed, e->flow, e->net, e->changer, e->parent, e->head, e->next, e->cluster,
                       e->cluster_first, e->rate, e->root, e->modes.matrix, e->modes.diagonal, e->modes.beside, e->modes.vector};
  ff_ssa_pairs_free(&e->pairs);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  memset(e, 0, sizeof *e);
}
