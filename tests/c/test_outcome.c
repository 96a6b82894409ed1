/* Compares attractors with the transitive closure of the exact chain's transitions, and outcome probabilities with those of the
 * exact chain. */
#include <math.h>

#include "../../src/exact/ff_exact.h"
#include "../../src/pbn/outcome/ff_outcome.h"
#include "../../src/base/ff_states.h"
#include "nets.h"

static const net_shape shapes[] = {
    {.nodes = 5, .max_functions = 2, .max_parents = 3},
    {.nodes = 6, .max_functions = 1, .max_parents = 3},
    {.nodes = 6, .max_functions = 2, .max_parents = 2, .keep = 0.3, .fixed = 0.3},
    {.nodes = 5, .max_functions = 3, .max_parents = 3, .contexts = 3},
    {.nodes = 6, .max_functions = 2, .max_parents = 3, .update = FF_ASYNCHRONOUS},
    {.nodes = 6, .max_functions = 1, .max_parents = 3, .update = FF_ASYNCHRONOUS, .fixed = 1},
    {.nodes = 5, .max_functions = 3, .max_parents = 3, .contexts = 2, .update = FF_ASYNCHRONOUS},
    {.nodes = 5, .max_functions = 2, .max_parents = 3, .perturbation = 0.1, .exempt = 2},
};
#define N_SHAPES (sizeof shapes / sizeof shapes[0])

static void a_set_of_states(void) {
  ff_error err;
  ff_states set;
  FF_CHECK_OK(ff_states_new(&set, 2, &err), &err);
  for (int round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < 5000; i++) {
      uint32_t state[2] = {i * 7, i % 3}, number = 0;
      FF_CHECK_INT(ff_states_find(&set, state), FF_STATES_NONE);
      FF_CHECK_OK(ff_states_put(&set, state, &number, &err), &err);
      FF_CHECK_INT(number, i);
    }
    for (uint32_t i = 0; i < 5000; i++) {
      uint32_t state[2] = {i * 7, i % 3}, number = 0;
      FF_CHECK_INT(ff_states_find(&set, state), i);
      FF_CHECK_OK(ff_states_put(&set, state, &number, &err), &err);
      FF_CHECK_INT(number, i);
      FF_CHECK(memcmp(ff_states_at(&set, i), state, sizeof state) == 0);
    }
    FF_CHECK_INT(set.n, 5000);
    ff_states_clear(&set);
  }
  uint32_t a[2] = {5, 1}, b[2] = {1, 2};
  FF_CHECK_INT(ff_states_compare(a, b, 2), -1);
  FF_CHECK_INT(ff_states_compare(b, a, 2), 1);
  FF_CHECK_INT(ff_states_compare(a, a, 2), 0);
  ff_states_free(&set);
}

/* ---- the attractors of a network, by brute force ------------------------------------------------------------------ */

typedef struct {
  ff_exact *exact;
  const uint32_t *nodes;
  uint32_t n_free, n; /* number of states */
  uint8_t *reach;     /* n x n: in any number of steps, also 0 */
  uint8_t *next;      /* n x n: in one step */
} brute;

static brute brute_new(const ff_pbn *pbn) {
  ff_error err;
  brute b = {0};
  FF_CHECK_OK(ff_exact_new(&b.exact, pbn, &err), &err);
  b.n_free = ff_exact_free_nodes(b.exact, &b.nodes);
  b.n = (uint32_t)ff_exact_states(b.exact);
  b.reach = ff_calloc((size_t)b.n * b.n, 1);
  b.next = ff_calloc((size_t)b.n * b.n, 1);
  double *row = ff_calloc(b.n, sizeof *row);
  for (uint32_t s = 0; s < b.n; s++) {
    FF_CHECK_OK(ff_exact_row(row, s, b.exact, &err), &err);
    for (uint32_t t = 0; t < b.n; t++) b.next[s * b.n + t] = row[t] > 0;
    for (uint32_t t = 0; t < b.n; t++) b.reach[s * b.n + t] = row[t] > 0 || s == t;
  }
  for (uint32_t k = 0; k < b.n; k++)
    for (uint32_t s = 0; s < b.n; s++)
      for (uint32_t t = 0; b.reach[s * b.n + k] && t < b.n; t++) b.reach[s * b.n + t] |= b.reach[k * b.n + t];
  free(row);
  return b;
}

static void brute_free(brute *b) {
  ff_exact_free(b->exact);
  free(b->reach);
  free(b->next);
}

static int recurrent(const brute *b, uint32_t s) {
  for (uint32_t t = 0; t < b->n; t++)
    if (b->reach[s * b->n + t] && !b->reach[t * b->n + s]) return 0;
  return 1;
}

/* The smallest recurrent state that s can reach, or -2 if it can reach several classes. */
static int32_t brute_leads(const brute *b, uint32_t s) {
  int32_t found = -1;
  for (uint32_t t = 0; t < b->n; t++) {
    if (!b->reach[s * b->n + t] || !recurrent(b, t)) continue;
    if (found < 0) found = (int32_t)t;
    if (!b->reach[(uint32_t)found * b->n + t]) return FF_LEADS_SEVERAL;
  }
  return found;
}

/* Held nodes have their values, and the values of free nodes are the bits of the number. */
static void state_of(uint32_t *state, uint32_t number, const brute *b, const ff_pbn *pbn) {
  state[0] = 0;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) state[0] |= (uint32_t)(pbn->initial[i] == 1) << i;
  for (uint32_t i = 0; i < b->n_free; i++) {
    state[0] &= ~(1u << b->nodes[i]);
    state[0] |= (number >> i & 1u) << b->nodes[i];
  }
}

static int32_t explore(ff_attractors *a, const uint32_t *state, uint32_t limit, double seconds) {
  ff_error err;
  int done = 0;
  FF_CHECK_OK(ff_attractors_begin(a, state, limit, &err), &err);
  while (!done) FF_CHECK_OK(ff_attractors_run(a, ff_clock() + seconds, &done, &err), &err);
  return ff_attractors_answer(a);
}

/* Compares the description of an attractor with the class of state s. */
static void check_attractor(const ff_attractor *is, uint32_t s, const brute *b, const ff_pbn *pbn) {
  uint32_t states = 0, always = UINT32_MAX, ever = 0, smallest = UINT32_MAX, state;
  int branches = 0;
  for (uint32_t t = 0; t < b->n; t++) {
    if (!b->reach[s * b->n + t]) continue;
    int others = 0;
    for (uint32_t u = 0; u < b->n; u++) others += u != t && b->next[t * b->n + u];
    branches |= others > 1;
    state_of(&state, t, b, pbn);
    states++;
    always &= state;
    ever |= state;
    if (state < smallest) smallest = state;
  }
  FF_CHECK_INT(is->states, states);
  FF_CHECK_INT(is->type, states == 1 ? FF_FIXED_POINT : branches ? FF_COMPLEX : FF_CYCLE);
  FF_CHECK_INT(is->smallest[0], smallest);
  FF_CHECK_INT(is->always[0], always);
  FF_CHECK_INT(is->ever[0], ever);
}

static void check_states(const ff_pbn *pbn, const brute *b, ff_attractors *a, uint32_t limit, net_random *r) {
  for (uint32_t k = 0; k < 2 * b->n; k++) {
    uint32_t s = net_draw(r, b->n), state, tried;
    state_of(&state, s, b, pbn);
    int32_t leads = explore(a, &state, limit, 0), want = brute_leads(b, s);
    FF_CHECK_INT(ff_attractors_known(a, &state, &tried), leads);
    if (leads == FF_LEADS_UNKNOWN) {
      FF_CHECK(limit < b->n);
      FF_CHECK_INT(tried, limit);
    } else if (leads == FF_LEADS_SEVERAL) {
      FF_CHECK_INT(want, FF_LEADS_SEVERAL);
    } else {
      FF_CHECK(want >= 0);
      ff_attractor is = ff_attractors_get(a, (uint32_t)leads);
      if (want >= 0) check_attractor(&is, (uint32_t)want, b, pbn);
    }
  }
}

static void attractors_of_random_networks(void) {
  ff_error err;
  uint32_t seen[3] = {0, 0, 0};
  for (uint64_t seed = 0; seed < 25 * N_SHAPES; seed++) {
    ff_pbn *pbn = net_random_make(&shapes[seed % N_SHAPES], seed);
    net_random r = {seed ^ 0xABCDu, 0};
    brute b = brute_new(pbn);
    const uint32_t limits[] = {FF_ATTRACTORS_MAX_STATES, 1, 3, 8};
    for (uint32_t l = 0; l < 4; l++) {
      ff_attractors *a = NULL;
      FF_CHECK_OK(ff_attractors_new(&a, pbn, &err), &err);
      check_states(pbn, &b, a, limits[l], &r);
      if (l > 0) check_states(pbn, &b, a, limits[0], &r); /* after searches that failed */
      for (uint32_t i = 0; i < ff_attractors_count(a); i++) seen[ff_attractors_get(a, i).type]++;
      ff_attractors_free(a);
    }
    brute_free(&b);
    ff_pbn_free(pbn);
  }
  FF_CHECK(seen[FF_FIXED_POINT] > 50 && seen[FF_CYCLE] > 50 && seen[FF_COMPLEX] > 50);
}

/* ---- outcomes ----------------------------------------------------------------------------------------------------- */

static ff_outcome *outcome_of(const ff_pbn *pbn, ff_outcome_options options, double seconds) {
  ff_error err;
  ff_outcome *o = NULL;
  int done = 0;
  FF_CHECK_OK(ff_outcome_new(&o, pbn, options, &err), &err);
  while (o != NULL && !done) {
    ff_status status = ff_outcome_advance(o, seconds, &done, &err);
    FF_CHECK_OK(status, &err);
    if (status != FF_OK) break;
  }
  return o;
}

static ff_outcome_options usual(uint64_t key) {
  return (ff_outcome_options){.trajectories = 4096, .key = key, .max_steps = 1u << 16, .max_states = 1u << 14, .threads = 1,
                              .simd = FF_SIMD_BEST};
}

static double *distribution(const brute *b) {
  ff_error err;
  ff_exact_solver *solver = NULL;
  double *pi = ff_calloc(b->n, sizeof *pi), residual;
  int done = 0;
  FF_CHECK_OK(ff_exact_solver_new(&solver, b->exact, 1e-14, UINT64_C(1) << 40, &err), &err);
  while (!done) FF_CHECK_OK(ff_exact_solver_advance(solver, pi, 1, &done, &residual, &err), &err);
  ff_exact_solver_free(solver);
  return pi;
}

/* The probability of the recurrent class that contains this state. */
static double mass_of(uint32_t with, const double *pi, const brute *b, const ff_pbn *pbn) {
  double p = 0;
  uint32_t at = 0, state;
  for (uint32_t s = 0; s < b->n; s++) {
    state_of(&state, s, b, pbn);
    if (state == with) at = s;
  }
  FF_CHECK(recurrent(b, at));
  for (uint32_t s = 0; s < b->n; s++) p += b->reach[at * b->n + s] ? pi[s] : 0;
  return p;
}

/* 200 networks with about 3 outcomes each. The bound is 5.5 standard deviations of a binomial count, plus 5 because a small
 * expected count has heavier tails. The test fails by chance with a probability of about 1e-4. */
static void outcomes_are_as_probable_as_exactly(void) {
  uint32_t branching = 0;
  for (uint64_t seed = 0; seed < 25 * N_SHAPES; seed++) {
    ff_pbn *pbn = net_random_make(&shapes[seed % N_SHAPES], seed + 1000);
    brute b = brute_new(pbn);
    double *pi = distribution(&b), told = 0;
    ff_outcome *o = outcome_of(pbn, usual(seed), 1);
    ff_outcome_state now = ff_outcome_now(o);
    FF_CHECK_INT(now.arrived, now.trajectories);
    const ff_attractors *a = ff_outcome_attractors(o);
    branching += ff_attractors_count(a) > 1;
    for (uint32_t i = 0; i < ff_attractors_count(a); i++) {
      double n = (double)now.trajectories, p = mass_of(ff_attractors_get(a, i).smallest[0], pi, &b, pbn);
      told += p;
      p = p < 1 ? p : 1; /* a sum may exceed 1 by a rounding error */
      double gap = fabs((double)ff_outcome_counts(o)[i] - n * p);
      FF_CHECK_SAY(gap <= 5.5 * sqrt(n * p * (1 - p)) + 5, "network %d: %g instead of %g", (int)seed,
                   (double)ff_outcome_counts(o)[i], n * p);
    }
    /* outcomes that 4,096 trajectories miss have little probability: e^-20 */
    FF_CHECK_SAY(told > 0.995, "network %d: outcomes of %g in all", (int)seed, told);
    ff_outcome_free(o);
    free(pi);
    brute_free(&b);
    ff_pbn_free(pbn);
  }
  FF_CHECK_SAY(branching > 30, "%u networks with several outcomes", branching);
}

/* Many short calls, or several threads, give the same counts in the same order. */
static void pieces_and_threads_change_nothing(void) {
  for (uint64_t seed = 0; seed < N_SHAPES; seed++) {
    ff_pbn *pbn = net_random_make(&shapes[seed], seed + 7);
    ff_outcome_options options = usual(seed);
    options.max_states = 4; /* some searches fail */
    options.max_steps = 64;
    ff_outcome *one = outcome_of(pbn, options, 1);
    options.threads = 3;
    options.simd = FF_SIMD_PORTABLE;
    ff_outcome *two = outcome_of(pbn, options, 0);
    ff_outcome_state first = ff_outcome_now(one), second = ff_outcome_now(two);
    FF_CHECK_INT(first.arrived, second.arrived);
    FF_CHECK_INT(first.undecided, second.undecided);
    const ff_attractors *a = ff_outcome_attractors(one), *b = ff_outcome_attractors(two);
    FF_CHECK_INT(ff_attractors_count(a), ff_attractors_count(b));
    for (uint32_t i = 0; i < ff_attractors_count(a) && i < ff_attractors_count(b); i++) {
      FF_CHECK_INT(ff_outcome_counts(one)[i], ff_outcome_counts(two)[i]);
      FF_CHECK_INT(ff_attractors_get(a, i).smallest[0], ff_attractors_get(b, i).smallest[0]);
    }
    ff_outcome_free(one);
    ff_outcome_free(two);
    ff_pbn_free(pbn);
  }
}

/* n nodes, each of which takes the value of the previous one; one node is on. */
static ff_pbn *ring(uint32_t n, ff_update update) {
  char text[40][32];
  const char *rules[41] = {NULL};
  for (uint32_t i = 0; i < n; i++) {
    snprintf(text[i], sizeof text[i], "n%u 1 n%u", i, (i + n - 1) % n);
    rules[i] = text[i];
  }
  ff_pbn *pbn = net_parse(rules, 0, update);
  for (uint32_t i = 0; i < n; i++) pbn->initial[i] = i == 3;
  return pbn;
}

/* With synchronous update, the node that is on moves around the ring, a cycle of n states. With asynchronous update, the nodes
 * that are on are adjacent. Each end of them moves with equal probability, until no node is on or, with probability 1/n, all
 * nodes are on. */
static void rings(void) {
  ff_pbn *pbn = ring(40, FF_SYNCHRONOUS);
  ff_outcome *o = outcome_of(pbn, usual(1), 1);
  FF_CHECK(ff_outcome_now(o).certain);
  FF_CHECK_INT(ff_outcome_counts(o)[0], 4096);
  FF_CHECK_INT(ff_attractors_count(ff_outcome_attractors(o)), 1);
  ff_attractor is = ff_attractors_get(ff_outcome_attractors(o), 0);
  FF_CHECK_INT(is.states, 40);
  FF_CHECK_INT(is.type, FF_CYCLE);
  FF_CHECK_INT(is.smallest[0], 1);
  FF_CHECK_INT(is.smallest[1], 0);
  FF_CHECK_INT(is.always[0], 0);
  FF_CHECK_INT(is.ever[1], 255);
  ff_outcome_free(o);
  ff_pbn_free(pbn);
  pbn = ring(12, FF_ASYNCHRONOUS);
  o = outcome_of(pbn, usual(2), 1);
  FF_CHECK(!ff_outcome_now(o).certain);
  FF_CHECK_INT(ff_outcome_now(o).arrived, 4096);
  FF_CHECK_INT(ff_attractors_count(ff_outcome_attractors(o)), 2);
  for (uint32_t i = 0; i < 2; i++) {
    is = ff_attractors_get(ff_outcome_attractors(o), i);
    FF_CHECK_INT(is.type, FF_FIXED_POINT);
    double p = is.ever[0] == 0 ? 11.0 / 12 : 1.0 / 12;
    FF_CHECK_NEAR((double)ff_outcome_counts(o)[i], 4096 * p, 5 * sqrt(4096 * 11.0 / 144));
  }
  ff_outcome_free(o);
  ff_pbn_free(pbn);
}

/* 15 nodes with random values have an attractor of 2^15 states. The other network has two nodes that take each other's value
 * once per million steps. */
static void what_cannot_be_told(void) {
  static char text[30][64];
  const char *rules[31] = {NULL};
  for (int i = 0; i < 30; i++) {
    snprintf(text[i], sizeof text[i], "n%02d %s", i / 2, i % 2 ? "0.5 0" : "0.5 1");
    rules[i] = text[i];
  }
  ff_error err;
  ff_pbn *pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
  ff_outcome_options options = usual(3);
  options.max_states = 1000;
  options.max_steps = 50;
  ff_outcome *o = outcome_of(pbn, options, 1);
  ff_outcome_state now = ff_outcome_now(o);
  FF_CHECK_INT(now.arrived, 0);
  FF_CHECK_INT(now.begun, 4096);
  FF_CHECK_INT(now.undecided, 0);
  FF_CHECK_INT(now.step, 50);
  ff_outcome_free(o);
  options.max_states = 1u << 15; /* as many as there are */
  o = outcome_of(pbn, options, 1);
  now = ff_outcome_now(o);
  FF_CHECK_INT(now.arrived, 4096);
  FF_CHECK_INT(ff_attractors_get(ff_outcome_attractors(o), 0).states, 1 << 15);
  ff_outcome_free(o);
  ff_pbn_free(pbn);

  static const char *const toggle[] = {"a 0.999999 a", "a 0.000001 b", "b 0.999999 b", "b 0.000001 a", NULL};
  pbn = net_parse(toggle, 0, FF_SYNCHRONOUS);
  pbn->initial[0] = 1;
  pbn->initial[1] = 0;
  options.max_steps = 100;
  o = outcome_of(pbn, options, 1);
  now = ff_outcome_now(o);
  FF_CHECK(now.arrived < 100);
  FF_CHECK_INT(now.undecided, now.begun - now.arrived);
  ff_outcome_free(o);
  pbn->perturbation = 0.01;
  FF_CHECK_FAILS(ff_outcome_new(&o, pbn, options, &err), FF_EARGUMENT, &err, "leaves every attractor");
  options.threads = 0;
  FF_CHECK_FAILS(ff_outcome_new(&o, pbn, options, &err), FF_EARGUMENT, &err, "threads");
  ff_pbn_free(pbn);
}

FF_TEST_MAIN("outcomes", a_set_of_states, attractors_of_random_networks, outcomes_are_as_probable_as_exactly,
             pieces_and_threads_change_nothing, rings, what_cannot_be_told)
