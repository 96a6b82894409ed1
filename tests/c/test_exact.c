/* Compares the exact chain with a dense chain that is computed here from the definition. It enumerates all flip vectors, choices
 * of functions and choices of the updated node, over the states of all nodes. */
#include "../../src/exact/ff_exact.h"

#include <math.h>

#include "../../src/pbn/reduce/ff_reduce.h"
#include "long_double.h"
#include "nets.h"

/* ---- the reference ---- */

static int value_of(const ff_predictor *f, uint32_t state) {
  uint8_t stack[64];
  FF_CHECK(f->expr.depth <= sizeof stack);
  return ff_expr_value(&f->expr, &state, stack);
}

/* Adds one choice of functions, with weight w, to a row of the update. */
static void add_choice(long double *row, const ff_pbn *pbn, uint32_t state, const uint32_t *choice, long double w) {
  uint32_t n = pbn->n_nodes, next = 0;
  for (uint32_t i = 0; i < n; i++) next |= (uint32_t)value_of(&pbn->predictors[pbn->first[i] + choice[i]], state) << i;
  if (pbn->update == FF_SYNCHRONOUS) {
    row[next] += w;
    return;
  }
  long double picks = (long double)n + pbn->removed_nodes;
  row[state] += w * pbn->removed_nodes / picks;
  for (uint32_t i = 0; i < n; i++) row[(state & ~(1u << i)) | (next & (1u << i))] += w / picks;
}

static void add_update(long double *row, const ff_pbn *pbn, uint32_t state, long double w) {
  uint32_t n = pbn->n_nodes, choice[32] = {0};
  if (pbn->n_contexts) {
    for (uint32_t c = 0; c < pbn->n_contexts; c++)
      add_choice(row, pbn, state, pbn->context + (size_t)c * n, w * pbn->context_probability[c]);
    return;
  }
  for (;;) {
    long double part = w;
    for (uint32_t i = 0; i < n; i++) part *= pbn->predictors[pbn->first[i] + choice[i]].probability;
    add_choice(row, pbn, state, choice, part);
    uint32_t i = 0;
    while (i < n && ++choice[i] == pbn->first[i + 1] - pbn->first[i]) choice[i++] = 0;
    if (i == n) return;
  }
}

/* The transition matrix P over the states of all nodes, row by row. */
static long double *dense_chain(const ff_pbn *pbn) {
  uint32_t n = pbn->n_nodes, size = 1u << n;
  long double *p = ff_calloc((size_t)size * size, sizeof *p);
  long double rate = pbn->perturbation, no_removed = powl(1 - rate, pbn->removed_perturbed);
  for (uint32_t s = 0; s < size; s++) {
    long double *row = p + (size_t)s * size;
    for (uint32_t flips = 0; flips < size; flips++) {
      long double w = 1;
      for (uint32_t i = 0; i < n; i++) {
        long double one = pbn->perturbed[i] ? rate : 0;
        w *= flips >> i & 1 ? one : 1 - one;
      }
      if (flips) {
        row[s ^ flips] += w;
      } else {
        row[s] += w * (1 - no_removed);
        add_update(row, pbn, s, w * no_removed);
      }
    }
  }
  return p;
}

/* The Cesaro limit from the initial distribution. Squares (I + P) / 2 until nothing changes. */
static long double *dense_long_run(const ff_pbn *pbn, long double *p) {
  uint32_t n = pbn->n_nodes, size = 1u << n;
  long double *square = ff_calloc((size_t)size * size, sizeof *square), *pi = ff_calloc(size, sizeof *pi);
  for (uint32_t s = 0; s < size; s++)
    for (uint32_t t = 0; t < size; t++) p[s * size + t] = (p[s * size + t] + (s == t)) / 2;
  for (int k = 0; k < 50; k++) {
    memset(square, 0, (size_t)size * size * sizeof *square);
    for (uint32_t s = 0; s < size; s++) {
      long double sum = 0, *to = square + s * size;
      for (uint32_t m = 0; m < size; m++) {
        long double w = p[s * size + m];
        if (w == 0) continue;
        for (uint32_t t = 0; t < size; t++) to[t] += w * p[m * size + t];
      }
      for (uint32_t t = 0; t < size; t++) sum += to[t];
      for (uint32_t t = 0; t < size; t++) to[t] /= sum;
    }
    memcpy(p, square, (size_t)size * size * sizeof *square);
  }
  uint32_t starts = 0;
  for (uint32_t s = 0; s < size; s++) {
    int can = 1;
    for (uint32_t i = 0; i < n; i++) can &= pbn->initial[i] < 0 || (uint32_t)pbn->initial[i] == (s >> i & 1);
    if (!can) continue;
    starts++;
    for (uint32_t t = 0; t < size; t++) pi[t] += p[s * size + t];
  }
  for (uint32_t t = 0; t < size; t++) pi[t] /= starts;
  free(square);
  return pi;
}

/* Under valgrind a long double is only as precise as a double. Then squaring loses the more accuracy the rarer the rarest
 * transition is. */
static double close_enough(double perturbation) {
  if (long_double_is_longer()) return 2e-12;
  return perturbation > 0 && perturbation < 1e-3 ? 1e-8 : 1e-10;
}

/* ---- the chain under test ---- */

static double *solve(const ff_exact *ex) {
  ff_error err = {FF_OK, ""};
  ff_exact_solver *solver = NULL;
  double *pi = ff_calloc(ff_exact_states(ex), sizeof *pi), residual = 1;
  int done = 0;
  ff_status status = ff_exact_solver_new(&solver, ex, 1e-14, 100000, &err);
  while (status == FF_OK && !done) status = ff_exact_solver_advance(solver, pi, 0.01, &done, &residual, &err);
  FF_CHECK_OK(status, &err);
  FF_CHECK(residual < 1e-12);
  ff_exact_solver_free(solver);
  return pi;
}

/* The state of all nodes for a state of the free ones. */
static uint32_t widen(const ff_exact *ex, const ff_pbn *pbn, uint64_t s) {
  const uint32_t *nodes;
  uint32_t n = ff_exact_free_nodes(ex, &nodes), all = 0;
  for (uint32_t i = 0; i < pbn->n_nodes; i++)
    if (pbn->initial[i] == 1) all |= 1u << i;
  for (uint32_t b = 0; b < n; b++) all = (all & ~(1u << nodes[b])) | (uint32_t)(s >> b & 1) << nodes[b];
  return all;
}

static double compare(const ff_pbn *pbn) {
  ff_error err = {FF_OK, ""};
  ff_exact *ex = NULL;
  FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
  if (!ex) return 1;
  uint32_t size = 1u << pbn->n_nodes;
  uint64_t states = ff_exact_states(ex);
  long double *p = dense_chain(pbn);
  double *row = ff_calloc(states, sizeof *row), *unit = ff_calloc(states, sizeof *unit);
  double *step = ff_calloc(states, sizeof *step), worst = 0;
  for (uint64_t s = 0; s < states; s++) {
    FF_CHECK_OK(ff_exact_row(row, s, ex, &err), &err);
    unit[s] = 1;
    FF_CHECK_OK(ff_exact_step(step, unit, ex, &err), &err);
    unit[s] = 0;
    for (uint64_t t = 0; t < states; t++) {
      double want = (double)p[(size_t)widen(ex, pbn, s) * size + widen(ex, pbn, t)];
      if (fabs(row[t] - want) > worst) worst = fabs(row[t] - want);
      if (fabs(step[t] - want) > worst) worst = fabs(step[t] - want);
    }
  }
  FF_CHECK_SAY(worst < 1e-15, "rows differ by %g", worst);
  long double *want = dense_long_run(pbn, p);
  double *pi = solve(ex);
  worst = 0;
  for (uint64_t s = 0; s < states; s++) {
    double gap = fabs(pi[s] - (double)want[widen(ex, pbn, s)]);
    if (gap > worst) worst = gap;
  }
  FF_CHECK_SAY(worst < close_enough(pbn->perturbation), "long-run distributions differ by %g at p = %g", worst,
               pbn->perturbation);
  free(p);
  free(row);
  free(unit);
  free(step);
  free(want);
  free(pi);
  ff_exact_free(ex);
  return worst;
}

static void random_against_dense(void) {
  const double rates[] = {0, 1e-6, 1e-3, 0.05, 0.3};
  uint64_t seed = 1;
  for (int k = 0; k < 5; k++)
    for (int mode = 0; mode < 8; mode++) {
      net_shape shape = {5, 3, 3, mode & 1 ? 3 : 0, rates[k], mode & 2 ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS, 0.3, 0.4, 0.2};
      if (mode & 4) shape.max_functions = 1;
      ff_pbn *pbn = net_random_make(&shape, seed++);
      if (mode & 1) { /* as in a reduced network */
        pbn->removed_nodes = 3;
        pbn->removed_perturbed = 2;
      }
      compare(pbn);
      ff_pbn_free(pbn);
    }
}

static void periodic_and_many_classes(void) {
  const char *const ring[] = {"a 1 c", "b 1 a", "c 1 b", "d 1 d", NULL}; /* rotations, with two classes */
  const char *const switches[] = {"a 0.5 a", "a 0.5 b", "b 1 !a", "c 0.25 a & c", "c 0.75 c", NULL};
  for (int update = 0; update < 2; update++) {
    ff_pbn *pbn = net_parse(ring, 0, update ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS);
    compare(pbn);
    pbn->initial[0] = 1;
    pbn->initial[3] = 0;
    compare(pbn);
    ff_pbn_free(pbn);
    pbn = net_parse(switches, 0, update ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS);
    compare(pbn);
    pbn->perturbation = 0.01;
    pbn->perturbed[2] = 0; /* no flip reaches this node: the long run depends on the initial state */
    compare(pbn);
    pbn->initial[2] = 1;
    compare(pbn);
    ff_pbn_free(pbn);
  }
}

/* Two deep basins that only several simultaneous flips connect: x follows the majority, and y = 1 slightly disagrees with it. */
static void rare_jumps(void) {
  const char *const rules[] = {"a 1 f(a, b, c, d, e){00000001000101110001011101111111}",
                               "b 1 f(a, b, c, d, e){00000001000101110001011101111111}",
                               "c 1 f(a, b, c, d, e){00000001000101110001011101111111}",
                               "d 1 f(a, b, c, d, e){00000001000101110001011101111111}",
                               "e 0.9 f(a, b, c, d, e){00000001000101110001011101111111}", "e 0.1 a | b", NULL};
  ff_pbn *pbn = net_parse(rules, 1e-2, FF_SYNCHRONOUS);
  compare(pbn);
  ff_pbn_free(pbn);
}

static void held_nodes(void) {
  const char *const rules[] = {"a 1 a", "b 1 1", "c 1 a & b & !d", "d 1 c | b ^ d", NULL};
  ff_error err = {FF_OK, ""};
  ff_exact *ex = NULL;
  const uint32_t *nodes;
  ff_pbn *pbn = net_parse(rules, 0.1, FF_ASYNCHRONOUS);
  pbn->perturbed[0] = pbn->perturbed[1] = 0;
  pbn->initial[0] = 1;
  pbn->initial[1] = 1;
  FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
  FF_CHECK_INT(ff_exact_free_nodes(ex, &nodes), 2);
  FF_CHECK_INT(nodes[0], 2);
  FF_CHECK_INT(ff_exact_states(ex), 4);
  ff_exact_free(ex);
  compare(pbn);
  pbn->initial[1] = 0; /* starts off, later on: not held */
  FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
  FF_CHECK_INT(ff_exact_free_nodes(ex, &nodes), 3);
  ff_exact_free(ex);
  compare(pbn);
  ff_pbn_free(pbn);
}

/* Large enough for the iterative solver: compares with the textbook form of elimination, on rows from ff_exact_row(). */
static void large_against_elimination(void) {
  const double rates[] = {1e-6, 1e-3, 0.2};
  for (int k = 0; k < 6; k++) {
    net_shape shape = {9, 1 + k % 3, 3, k == 2 ? 4 : 0, rates[k % 3], k > 3 ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS, 0, 0, 0.2};
    ff_error err = {FF_OK, ""};
    ff_pbn *pbn = net_random_make(&shape, 77 + (uint64_t)k);
    ff_exact *ex = NULL;
    FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
    size_t n = ff_exact_states(ex);
    double *a = ff_calloc(n * n, sizeof *a), *x = ff_calloc(n, sizeof *x), total = 1, worst = 0;
    for (size_t i = 0; i < n; i++) FF_CHECK_OK(ff_exact_row(a + i * n, i, ex, &err), &err);
    for (size_t q = n - 1; q > 0; q--) {
      double out = 0;
      for (size_t j = 0; j < q; j++) out += a[q * n + j];
      for (size_t i = 0; i < q; i++) {
        a[i * n + q] /= out;
        for (size_t j = 0; j < q; j++) a[i * n + j] += a[i * n + q] * a[q * n + j];
      }
    }
    x[0] = 1;
    for (size_t q = 1; q < n; q++) {
      for (size_t i = 0; i < q; i++) x[q] += x[i] * a[i * n + q];
      total += x[q];
    }
    double *pi = solve(ex);
    for (size_t i = 0; i < n; i++)
      if (fabs(pi[i] - x[i] / total) > worst) worst = fabs(pi[i] - x[i] / total);
    FF_CHECK_SAY(worst < 1e-12, "differ by %g at p = %g", worst, shape.perturbation);
    free(a);
    free(x);
    free(pi);
    ff_exact_free(ex);
    ff_pbn_free(pbn);
  }
}

/* A cycle of 511 states that is entered from outside, without and with a node that shuffles. Tests the open systems. */
static void long_cycles(void) {
  const char *const shift[] = {"a 1 b", "b 1 c", "c 1 d", "d 1 e", "e 1 f", "f 1 g", "g 1 h", "h 1 i", "i 1 a ^ e", NULL};
  const char *const shaken[] = {"a 1 b", "b 1 c", "c 1 d",       "d 1 e", "e 1 f",
                                "f 1 g", "g 1 h", "h 1 i", "i 0.9 a ^ e", "i 0.1 a", NULL};
  for (int k = 0; k < 2; k++) {
    ff_error err = {FF_OK, ""};
    ff_pbn *pbn = net_parse(k ? shaken : shift, 0, FF_SYNCHRONOUS);
    ff_exact *ex = NULL;
    FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
    double *pi = solve(ex), *y = ff_calloc(512, sizeof *y), sum = 0, gap = 0;
    FF_CHECK_OK(ff_exact_step(y, pi, ex, &err), &err);
    for (int s = 0; s < 512; s++) {
      sum += pi[s];
      gap += fabs(y[s] - pi[s]);
    }
    FF_CHECK_NEAR(sum, 1, 1e-13);
    FF_CHECK(gap < 1e-13);
    FF_CHECK_NEAR(pi[0], 1.0 / 512, 1e-13); /* the state of all zeros stays in both networks */
    if (k == 0)
      for (int s = 1; s < 512; s++) FF_CHECK_NEAR(pi[s], 1.0 / 512, 1e-13);
    free(pi);
    free(y);
    ff_exact_free(ex);
    ff_pbn_free(pbn);
  }
}

/* A Gray code that is counted asynchronously. In each of 512 states, one node can change and leads to the next state. Otherwise
 * the state stays, twice as long if a is next to change. The closed class is one cycle, apart from waiting times of 1 /
 * (probability of leaving). */
static void waiting_cycle(void) {
#define ODD "(a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i)"
  const char *const gray[] = {"a 0.5 !" ODD " ^ a",
                              "a 0.5 a",
                              "b 1 b ^ (" ODD " & a)",
                              "c 1 c ^ (" ODD " & b & !a)",
                              "d 1 d ^ (" ODD " & c & !b & !a)",
                              "e 1 e ^ (" ODD " & d & !c & !b & !a)",
                              "f 1 f ^ (" ODD " & e & !d & !c & !b & !a)",
                              "g 1 g ^ (" ODD " & f & !e & !d & !c & !b & !a)",
                              "h 1 h ^ (" ODD " & g & !f & !e & !d & !c & !b & !a)",
                              "i 1 i ^ (" ODD " & !g & !f & !e & !d & !c & !b & !a)",
                              NULL};
#undef ODD
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = net_parse(gray, 0, FF_ASYNCHRONOUS);
  ff_exact *ex = NULL;
  FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
  double *pi = solve(ex), row[512];
  for (uint32_t s = 0; s < 512; s++) {
    int odd = 0;
    for (uint32_t v = s; v; v &= v - 1) odd ^= 1;
    FF_CHECK_NEAR(pi[s], (odd ? 1.0 : 2.0) / 768, 1e-14);
  }
  FF_CHECK_OK(ff_exact_row(row, 256, ex, &err), &err);
  FF_CHECK_NEAR(row[0], 1.0 / 9, 1e-16);
  FF_CHECK_NEAR(row[256], 8.0 / 9, 1e-15);
  free(pi);
  ff_exact_free(ex);
  ff_pbn_free(pbn);
}

/* Orbits larger than the flips that are processed at once. Compares steps from single states with rows, which contain powers of
 * the flip probabilities. */
static void large_orbits(void) {
  for (uint32_t n = 12; n <= 15; n++) {
    net_shape shape = {n, 2, 3, 0, 0.07, FF_ASYNCHRONOUS, n == 15 ? 0.1 : 0, 0, 0};
    ff_error err = {FF_OK, ""};
    ff_pbn *pbn = net_random_make(&shape, n);
    ff_exact *ex = NULL;
    FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
    uint64_t states = ff_exact_states(ex);
    double *row = ff_calloc(states, sizeof *row), *unit = ff_calloc(states, sizeof *unit);
    double *step = ff_calloc(states, sizeof *step), worst = 0;
    for (uint64_t s = 5; s < states; s = 3 * s + 1) {
      unit[s] = 1;
      FF_CHECK_OK(ff_exact_row(row, s, ex, &err), &err);
      FF_CHECK_OK(ff_exact_step(step, unit, ex, &err), &err);
      unit[s] = 0;
      for (uint64_t t = 0; t < states; t++) {
        double gap = fabs(row[t] - step[t]) / row[t]; /* n roundings in a product of n factors */
        if (row[t] > 0 ? gap > worst : step[t] != 0) worst = row[t] > 0 ? gap : 1;
      }
    }
    FF_CHECK_SAY(worst < 1e-14, "%u nodes: differ by %g", n, worst);
    free(row);
    free(unit);
    free(step);
    ff_exact_free(ex);
    ff_pbn_free(pbn);
  }
}

/* The probability of every pattern of the kept nodes, before and after reduction. */
static void reduction_changes_nothing(void) {
  uint32_t reduced = 0;
  for (uint64_t seed = 100; seed < 140; seed++) {
    net_shape shape = {7, 2, 2, seed % 3 == 0 ? 3 : 0, 0.02, seed % 2 ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS, 0.3, 0.3, 0.2};
    if (seed % 5 == 0) shape.perturbation = 0;
    ff_error err = {FF_OK, ""};
    ff_pbn *pbn = net_random_make(&shape, seed), *small = NULL;
    uint8_t keep[7];
    uint32_t interest = 3, kept[7];
    FF_CHECK_OK(ff_pbn_keep(keep, pbn, &interest, 1, &err), &err);
    FF_CHECK_OK(ff_pbn_reduce(&small, kept, pbn, keep, &err), &err);
    ff_exact *ex = NULL, *ex_small = NULL;
    FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
    FF_CHECK_OK(ff_exact_new(&ex_small, small, &err), &err);
    double *pi = solve(ex), *pi_small = solve(ex_small), want[128] = {0}, got[128] = {0};
    for (uint64_t s = 0; s < ff_exact_states(ex); s++) {
      uint32_t all = widen(ex, pbn, s), pattern = 0;
      for (uint32_t i = 0; i < small->n_nodes; i++) pattern |= (all >> kept[i] & 1) << i;
      want[pattern] += pi[s];
    }
    for (uint64_t s = 0; s < ff_exact_states(ex_small); s++) got[widen(ex_small, small, s)] += pi_small[s];
    for (uint32_t s = 0; s < 1u << small->n_nodes; s++) FF_CHECK_NEAR(got[s], want[s], 1e-12);
    reduced += small->n_nodes < 7;
    free(pi);
    free(pi_small);
    ff_exact_free(ex);
    ff_exact_free(ex_small);
    ff_pbn_free(pbn);
    ff_pbn_free(small);
  }
  FF_CHECK(reduced > 20);
}

static int64_t one_letter(void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] >= 'a' && name[0] <= 'i' ? name[0] - 'a' : -1;
}

static void probability_of_sets(void) {
  const char *const sets[] = {"a & !b", "0", "1", "a ^ c ^ i", "f(a, b, c){01101001}",
                              "f(a,b,c,d,e,f,g,h){0110100110010110011010011001011001101001100101100110100110010110"
                              "0110100110010110011010011001011001101001100101100110100110010110"
                              "1000000000000000000000000000000000000000000000000000000000000000"
                              "0000000000000000000000000000000000000000000000000000000000000001}"};
  for (uint32_t n = 9; n >= 8; n--) {
    net_shape shape = {n, 2, 3, 0, 0.1, FF_SYNCHRONOUS, 0, 0, 0};
    ff_error err = {FF_OK, ""};
    ff_pbn *pbn = net_random_make(&shape, 5);
    ff_exact *ex = NULL;
    FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
    double *pi = solve(ex);
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
      ff_expr set;
      double got = -1, want = 0;
      if (n == 8 && k == 3) continue; /* names a node that does not exist */
      FF_CHECK_OK(ff_expr_parse(&set, sets[k], strlen(sets[k]), one_letter, NULL, (ff_place){NULL, 0}, &err), &err);
      FF_CHECK_OK(ff_exact_probability(&got, pi, &set, ex, &err), &err);
      for (uint32_t s = 0; s < ff_exact_states(ex); s++) {
        uint8_t stack[64];
        if (ff_expr_value(&set, &s, stack)) want += pi[s];
      }
      FF_CHECK_NEAR(got, want, 1e-14);
      ff_expr_free(&set);
    }
    free(pi);
    ff_exact_free(ex);
    ff_pbn_free(pbn);
  }
}

typedef struct {
  double *pi, residual, sum;
  uint64_t states, turns;
} outcome;

/* Returns the answer, and the number of turns of `seconds` that it took. */
static outcome solve_in(const ff_pbn *pbn, double seconds) {
  static const char set[] = "a & !b";
  outcome o = {NULL, 1, 0, 0, 0};
  ff_error err = {FF_OK, ""};
  ff_exact *ex = NULL;
  ff_exact_solver *solver = NULL;
  ff_expr expr;
  ff_exact_sum sum = {0};
  int done = 0;
  FF_CHECK_OK(ff_exact_begin(&ex, pbn, &err), &err);
  while (!ff_exact_fill(ex, seconds)) o.turns++;
  o.states = ff_exact_states(ex);
  o.pi = ff_calloc(o.states, sizeof *o.pi);
  ff_status status = ff_exact_solver_new(&solver, ex, 1e-14, 100000, &err);
  for (; status == FF_OK && !done; o.turns++)
    status = ff_exact_solver_advance(solver, o.pi, seconds, &done, &o.residual, &err);
  FF_CHECK_OK(status, &err);
  FF_CHECK_OK(ff_expr_parse(&expr, set, strlen(set), one_letter, NULL, (ff_place){NULL, 0}, &err), &err);
  for (done = 0; status == FF_OK && !done; o.turns++)
    status = ff_exact_sum_advance(&sum, o.pi, &expr, ex, seconds, &done, &err);
  o.sum = sum.value;
  ff_expr_free(&expr);
  ff_exact_solver_free(solver);
  ff_exact_free(ex);
  return o;
}

/* The calculation in one turn, and in turns so short that each loop is stopped many times, must give the same bits. Returns the
 * number of short turns. */
static uint64_t by_turns(const ff_pbn *pbn, const char *what) {
  outcome whole = solve_in(pbn, INFINITY), cut = solve_in(pbn, 0);
  FF_CHECK_SAY(memcmp(whole.pi, cut.pi, whole.states * sizeof *whole.pi) == 0, "%s", what);
  FF_CHECK_SAY(memcmp(&whole.residual, &cut.residual, sizeof whole.residual) == 0, "%s", what);
  FF_CHECK_SAY(memcmp(&whole.sum, &cut.sum, sizeof whole.sum) == 0, "%s", what);
  FF_CHECK_INT(whole.turns, 2);
  free(whole.pi);
  free(cut.pi);
  return cut.turns;
}

static void turns_of_random_networks(void) {
  const struct {
    const char *what;
    net_shape shape;
    uint64_t seed, turns; /* `turns`: at least this many */
  } cases[] = {
      {"wide rows, which need no order", {10, 9, 4, 0, 0.01, FF_SYNCHRONOUS, 0, 0, 0}, 1, 1000},
      {"wide rows, rare flips", {10, 9, 4, 0, 1e-6, FF_SYNCHRONOUS, 0, 0, 0}, 2, 1000},
      {"many functions", {9, 20, 3, 0, 1e-3, FF_ASYNCHRONOUS, 0, 0, 0.4}, 10, 1000},
      {"an orbit larger than a window", {14, 1, 2, 0, 0.3, FF_SYNCHRONOUS, 0, 0, 0}, 3, 10000},
      {"exempt nodes, orbits and states searched", {10, 2, 3, 0, 0.01, FF_SYNCHRONOUS, 0.5, 0, 0.2}, 4, 200},
      {"asynchronous", {10, 3, 3, 0, 0.001, FF_ASYNCHRONOUS, 0, 0, 0.1}, 5, 1000},
      {"asynchronous, exempt, many classes", {10, 2, 2, 0, 0.01, FF_ASYNCHRONOUS, 0.6, 0.2, 0.5}, 6, 100},
      {"no flips, transient states", {11, 2, 2, 0, 0, FF_SYNCHRONOUS, 0, 0.2, 0.3}, 7, 100},
      {"no flips, asynchronous", {10, 3, 3, 0, 0, FF_ASYNCHRONOUS, 0, 0, 0.2}, 8, 100},
      {"contexts", {10, 3, 3, 5, 0.01, FF_SYNCHRONOUS, 0.2, 0, 0.1}, 9, 100},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ff_pbn *pbn = net_random_make(&cases[k].shape, cases[k].seed);
    uint64_t turns = by_turns(pbn, cases[k].what);
    FF_CHECK_SAY(turns >= cases[k].turns, "%s: %llu turns", cases[k].what, (unsigned long long)turns);
    ff_pbn_free(pbn);
  }
}

static void rules_by_turns(const char *const *rules, double perturbation, ff_update update, const char *what) {
  ff_pbn *pbn = net_parse(rules, perturbation, update);
  by_turns(pbn, what);
  ff_pbn_free(pbn);
}

/* Long cycles, which are closed or rarely left; closed components of several sizes, more of them than separate groups are
 * possible; and components too large to be solved completely. */
static void turns_of_made_networks(void) {
  const char *const shift[] = {"a 1 b", "b 1 c", "c 1 d", "d 1 e", "e 1 f", "f 1 g", "g 1 h", "h 1 i", "i 1 a ^ e", NULL};
  const char *const left[] = {"a 1 b", "b 1 c", "c 1 d",     "d 1 e",       "e 1 f", "f 1 g",
                              "g 1 h", "h 1 i", "i 1 a ^ e", "j 0.99 j", "j 0.01 j | a & b & c & d & e & f & g & h & i", NULL};
  const char *const still[] = {"a 1 a", "b 1 b", "c 1 c", "d 1 d",          "e 1 e", "f 1 f",
                               "g 1 g", "h 1 h", "i 1 i", "j 1 a & b & j", NULL};
  const char *const noisy[] = {"a 0.5 1", "a 0.5 0", "b 0.5 1", "b 0.5 0", "c 0.5 1", "c 0.5 0",
                               "d 0.5 1", "d 0.5 0", "e 0.5 1", "e 0.5 0", "f 0.5 1", "f 0.5 0",
                               "g 1 g",   "h 1 h",   "i 1 i | a & b & c & d & e & f", NULL};
  rules_by_turns(shift, 0, FF_SYNCHRONOUS, "closed cycle");
  rules_by_turns(shift, 0.01, FF_SYNCHRONOUS, "cycle that flips leave");
  rules_by_turns(left, 0, FF_SYNCHRONOUS, "cycle that an arrow leaves");
  rules_by_turns(still, 0.01, FF_SYNCHRONOUS, "a thousand groups");
  rules_by_turns(still, 0, FF_SYNCHRONOUS, "a thousand classes");
  rules_by_turns(noisy, 0.01, FF_ASYNCHRONOUS, "large open components");
}

/* The network is refused before memory is allocated. This depends on the network, not on the machine. */
static void is_too_large(const net_shape *shape, const char *part) {
  ff_pbn *pbn = net_random_make(shape, 3);
  ff_exact *ex = NULL;
  for (int fill = 0; fill < 2 && ex == NULL; fill++) { /* ends, without filling, if the network is accepted by mistake */
    ff_error err = {FF_OK, ""};
    FF_CHECK_FAILS((fill ? ff_exact_new : ff_exact_begin)(&ex, pbn, &err), FF_ESIZE, &err, part);
  }
  FF_CHECK(ex == NULL);
  ff_exact_free(ex);
  ff_pbn_free(pbn);
}

static void large_networks_are_refused(void) {
  ff_error err = {FF_OK, ""};
  net_shape shape = {25, 3, 3, 0, 0.1, FF_SYNCHRONOUS, 0, 0, 0};
  is_too_large(&shape, "25 free nodes");
  shape.nodes = 24;
  ff_pbn *pbn = net_random_make(&shape, 3);
  ff_exact *ex = NULL;
  FF_CHECK_OK(ff_exact_begin(&ex, pbn, &err), &err);
  FF_CHECK_INT(ff_exact_states(ex), 1 << 24);
  ff_exact_free(ex);
  ff_pbn_free(pbn);
  shape.max_functions = 400; /* about 4800 functions: 8 bytes for 64 of them per state make 10 GB */
  is_too_large(&shape, "GB of memory");
  shape.update = FF_ASYNCHRONOUS;
  is_too_large(&shape, "GB of memory");
}

static void refusals(void) {
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = net_random_make(&(net_shape){.nodes = 9, .max_functions = 1, .max_parents = 2, .perturbation = 0.1}, 3);
  ff_exact *ex = NULL;
  ff_exact_solver *solver = NULL;
  FF_CHECK_OK(ff_exact_new(&ex, pbn, &err), &err);
  double *pi = ff_calloc(512, sizeof *pi), residual;
  int done = 0;
  FF_CHECK_FAILS(ff_exact_row(pi, 512, ex, &err), FF_EARGUMENT, &err, "512");
  FF_CHECK_FAILS(ff_exact_solver_new(&solver, ex, 0, 10, &err), FF_EARGUMENT, &err, "tolerance");
  FF_CHECK_OK(ff_exact_solver_new(&solver, ex, 1e-14, 1, &err), &err);
  ff_status status = FF_OK;
  while (status == FF_OK && !done) status = ff_exact_solver_advance(solver, pi, 0, &done, &residual, &err);
  FF_CHECK_FAILS(status, FF_ECONVERGENCE, &err, "did not converge");
  ff_exact_solver_free(solver);
  free(pi);
  ff_exact_free(ex);
  ff_pbn_free(pbn);
}

FF_TEST_MAIN("exact", random_against_dense, periodic_and_many_classes, rare_jumps, held_nodes, large_against_elimination,
             long_cycles, waiting_cycle, large_orbits, reduction_changes_nothing, probability_of_sets,
             turns_of_random_networks, turns_of_made_networks, large_networks_are_refused, refusals)
