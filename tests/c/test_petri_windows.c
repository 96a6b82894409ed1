/* Petri nets by windows: trajectories are those of the exact method, with the same bits for any number of threads. */
#include <math.h>

#include "check.h"
#include "petri_random.h"
#include "petri_runs.h"
#include "petri_tissues.h"

#include "../../src/petri/windows/ff_petri_windows.h"

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

typedef struct {
  petri_firings firings;
  double *state; /* of all places at the end */
  ff_status status;
  ff_error err;
} outcome;

static outcome simulate(const ff_petri_program *program, int method, const double *times, uint32_t n_times, int threads,
                        const double *initial) {
  const uint32_t places = program->n_places;
  outcome out;
  memset(&out, 0, sizeof out);
  uint32_t *observed = calloc(places + 1, sizeof *observed);
  double **states = calloc(places + 1, sizeof *states), *all = calloc((size_t)places * n_times + 1, sizeof *all);
  for (uint32_t k = 0; k < places; k++) {
    observed[k] = k;
    states[k] = all + (size_t)k * n_times;
  }
  const ff_run_options options = {.method = method, .key = 5, .n = 1, .times = times, .n_times = n_times, .observed = observed,
                                  .n_observed = places, .states = states, .threads = threads, .max_firings = 1000000,
                                  .initial = initial};
  ff_run *run = NULL;
  int done = 0;
  out.status = ff_run_new(&run, &ff_petri_engine, program, &options, &out.err);
  while (out.status == FF_OK && !done) out.status = ff_run_advance(run, 0.05, &done, &out.err);
  out.state = calloc(places + 1, sizeof *out.state);
  for (uint32_t k = 0; k < places; k++) out.state[k] = states[k][n_times - 1];
  if (out.status == FF_OK) {
    petri_firings *f = &out.firings;
    f->n = ff_run_n_firings(run);
    f->trajectory = calloc(f->n + 1, sizeof *f->trajectory);
    f->time = calloc(f->n + 1, sizeof *f->time);
    f->what = calloc(f->n + 1, sizeof *f->what);
    out.status = ff_run_firings(run, f->trajectory, f->time, f->what, &out.err);
  }
  ff_run_free(run);
  free(observed);
  free(states);
  free(all);
  return out;
}

static void end(outcome *x) {
  petri_firings_free(&x->firings);
  free(x->state);
}

/* The number of blocks whose firings are the same, and the largest distance of their times. */
static uint32_t same_blocks(const ff_petri_blocks *b, const outcome *x, const outcome *y, double *apart) {
  const outcome *both[2] = {x, y};
  uint32_t same = 0, *first_of = calloc(b->net->flat->n_transitions + 1, sizeof *first_of);
  size_t *first[2];
  uint64_t *list[2];
  *apart = 0;
  for (uint32_t k = 0; k < b->n_blocks; k++)
    for (size_t i = b->transition_first[k]; i < b->transition_first[k + 1]; i++) first_of[b->transition[i]] = k;
  for (int i = 0; i < 2; i++) {
    const petri_firings *f = &both[i]->firings;
    first[i] = calloc((size_t)b->n_blocks + 2, sizeof *first[i]);
    list[i] = calloc(f->n + 1, sizeof *list[i]);
    for (uint64_t k = 0; k < f->n; k++) first[i][first_of[f->what[k]] + 2]++;
    for (uint32_t k = 0; k < b->n_blocks; k++) first[i][k + 2] += first[i][k + 1];
    for (uint64_t k = 0; k < f->n; k++) list[i][first[i][first_of[f->what[k]] + 1]++] = k;
  }
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    const size_t n = first[0][k + 1] - first[0][k];
    double most = 0;
    int alike = first[1][k + 1] - first[1][k] == n;
    for (size_t i = 0; i < n && alike; i++) {
      const uint64_t u = list[0][first[0][k] + i], v = list[1][first[1][k] + i];
      alike = x->firings.what[u] == y->firings.what[v];
      const double distance = fabs(x->firings.time[u] - y->firings.time[v]);
      if (distance > most) most = distance;
    }
    same += (uint32_t)alike;
    if (alike && most > *apart) *apart = most;
  }
  for (int i = 0; i < 2; i++) {
    free(first[i]);
    free(list[i]);
  }
  free(first_of);
  return same;
}

/* A net, its program and its blocks. */
typedef struct {
  ff_petri *net;
  ff_petri_flat *flat;
  ff_petri_program *program;
  ff_petri_blocks *blocks;
} tissue;

static void finish(tissue *x, double relative) {
  const ff_petri_options options = {.relative = relative};
  ff_error err;
  FF_CHECK_OK(ff_petri_unfold(&x->flat, x->net, &err), &err);
  FF_CHECK_OK(ff_petri_program_new(&x->program, x->flat, &options, &err), &err);
  FF_CHECK_OK(ff_petri_blocks_new(&x->blocks, x->program, &err), &err);
}

static void end_tissue(tissue *x) {
  ff_petri_blocks_free(x->blocks);
  ff_petri_program_free(x->program);
  ff_petri_flat_free(x->flat);
  ff_petri_free(x->net);
}

/* Cells of calcium with a diffusion, and a marking in which channels open and close: about that of the stationary chain. */
static void calcium(tissue *x, uint32_t nx, uint32_t ny, double diffusion, double **initial) {
  static const double until[] = {0.36, 0.66, 0.72, 0.8, 0.9, 1};
  static const int state[] = {8, 6, 4, 2, 9, 7};
  const uint32_t n = nx * ny;
  ff_error err;
  uint64_t s = 3;
  memset(x, 0, sizeof *x);
  FF_CHECK_OK(petri_calcium(&x->net, nx, ny, &err), &err);
  x->net->value[11] = diffusion;
  finish(x, 1e-6);
  FF_CHECK_INT(x->blocks->n_blocks, n);
  FF_CHECK(x->blocks->n_types <= 9);
  *initial = calloc(10 * (size_t)n, sizeof **initial);
  for (uint32_t i = 0; i < n; i++) {
    (*initial)[i] = 0.1;
    (*initial)[n + i] = 10.27;
    for (int k = 0; k < 4; k++) {
      const double u = below(&s, 1000) / 1000.0;
      int at = 0;
      while (u >= until[at]) at++;
      (*initial)[(uint32_t)state[at] * n + i]++;
    }
  }
}

/* As many cells as must be the same are, and levels have errors of a few tolerances. Returns the number of firings. */
static uint64_t check_agreement(const tissue *x, double time, const double *initial, double most_apart) {
  outcome a = simulate(x->program, FF_PETRI_EXACT, &time, 1, 1, initial);
  outcome b = simulate(x->program, FF_PETRI_WINDOWS, &time, 1, 1, initial);
  double apart = 0, worst = 0;
  FF_CHECK_SAY(a.status == FF_OK && b.status == FF_OK, "%s", a.status != FF_OK ? a.err.text : b.err.text);
  if (a.status == FF_OK && b.status == FF_OK) {
    const uint32_t same = same_blocks(x->blocks, &a, &b, &apart);
    FF_CHECK_SAY(same >= x->blocks->n_blocks * 0.999, "%u of %u blocks, %llu and %llu firings", same, x->blocks->n_blocks,
                 (unsigned long long)a.firings.n, (unsigned long long)b.firings.n);
    FF_CHECK_SAY(apart <= most_apart, "%g", apart);
    FF_CHECK(a.firings.n > 0);
    for (uint64_t k = 1; k < b.firings.n; k++) FF_CHECK(b.firings.time[k - 1] <= b.firings.time[k]);
    for (uint32_t f = 0; f < x->program->n_places; f++) {
      const double far = fabs(a.state[f] - b.state[f]) / (1e-3 + fabs(a.state[f]));
      if (far > worst) worst = far;
    }
    if (same == x->blocks->n_blocks) FF_CHECK_SAY(worst <= 2e-5, "%g", worst);
  }
  const uint64_t firings = a.firings.n;
  end(&a);
  end(&b);
  return firings;
}

/* A net from a text, and its blocks. */
static tissue divide(petri_text *t, uint32_t n_blocks) {
  const ff_petri_options options = {.relative = 1e-6};
  petri_compile(t, &options);
  tissue x = {t->net, t->flat, t->program, NULL};
  FF_CHECK_OK(ff_petri_blocks_new(&x.blocks, x.program, &t->err), &t->err);
  FF_CHECK_INT(x.blocks->n_blocks, n_blocks);
  return x;
}

static void follows_calcium(void) {
  tissue x;
  double *initial;
  calcium(&x, 20, 20, 20, &initial);
  check_agreement(&x, 0.1, initial, 1e-6);
  free(initial);
  end_tissue(&x);
}

static void follows_fast_diffusion(void) {
  tissue x;
  double *initial;
  calcium(&x, 8, 8, 400, &initial);
  check_agreement(&x, 0.1, initial, 1e-6);
  free(initial);
  end_tissue(&x);
}

static int are_identical(const outcome *a, const outcome *b, uint32_t places) {
  const uint64_t n = a->firings.n;
  return a->status == FF_OK && b->status == FF_OK && n == b->firings.n &&
         memcmp(a->firings.time, b->firings.time, n * sizeof *a->firings.time) == 0 &&
         memcmp(a->firings.what, b->firings.what, n * sizeof *a->firings.what) == 0 &&
         memcmp(a->state, b->state, places * sizeof *a->state) == 0;
}

static void keeps_its_bits(void) {
  const double last = 0.04, many[] = {0, 0.001, 0.0123, 0.0124, 0.03, 0.04};
  tissue x;
  double *initial;
  calcium(&x, 7, 5, 20, &initial);
  outcome one = simulate(x.program, FF_PETRI_WINDOWS, &last, 1, 1, initial);
  FF_CHECK_SAY(one.firings.n > 100, "%llu", (unsigned long long)one.firings.n);
  for (int threads = 1; threads <= 3; threads++) {
    outcome other = simulate(x.program, FF_PETRI_WINDOWS, many, 6, threads, initial);
    FF_CHECK_SAY(are_identical(&one, &other, x.program->n_places), "%d threads", threads);
    end(&other);
  }
  end(&one);
  free(initial);
  end_tissue(&x);
}

/* What else may happen in a cell: levels that jump, clocks, immediate transitions, resets, places that become empty. */
static void follows_all_kinds(void) {
  static const struct {
    ff_petri_kind kind;
    const char *equation, *number;
  } more[] = {{FF_PETRI_STOCHASTIC, "0 -> 2 C[x]", "3"},           {FF_PETRI_STOCHASTIC, "S[x] + 0.5 C[x] -> 0", "C[x]"},
              {FF_PETRI_DETERMINISTIC, "2 S[x] -> C[x]", "0.1"},   {FF_PETRI_IMMEDIATE, "4 S[x] -> C[x]", "1"},
              {FF_PETRI_SCHEDULED, "0 -> C[x] + S[x]", "0.1@0.3"}, {FF_PETRI_CONTINUOUS, "C[x] -> 0", "4"},
              {FF_PETRI_CONTINUOUS, "0 -> C[x]", "2 * (C[x] > 3.5)"}};
  for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
    tissue x;
    ff_error err;
    memset(&x, 0, sizeof x);
    FF_CHECK_OK(petri_row(&x.net, 6, "C[x] -> C[a]", "0.5 * C[x]", NULL, more[k].kind, more[k].equation, more[k].number, &err),
                &err);
    finish(&x, 1e-6);
    FF_CHECK_INT(x.blocks->n_blocks, 6);
    check_agreement(&x, 2, NULL, 1e-4);
    end_tissue(&x);
  }
}

/* Without flows, times are the same to the last bit. */
static void keeps_constant_hazards(void) {
  const double time = 30;
  petri_text t;
  double apart;
  petri_begin(&t);
  for (int i = 0; i < 5; i++) {
    char name[20], equation[40], rate[20];
    snprintf(name, sizeof name, "P%d", i);
    petri_place(&t, name, 0, "3");
    snprintf(equation, sizeof equation, "0 -> P%d", i);
    snprintf(rate, sizeof rate, "%d", 1 + i);
    petri_fires(&t, rate, equation, rate);
    snprintf(equation, sizeof equation, "P%d -> 0", i);
    snprintf(name, sizeof name, "out%d", i);
    petri_transition(&t, name, FF_PETRI_STOCHASTIC, equation, NULL, NULL, "0.7", 1);
  }
  tissue x = divide(&t, 5);
  FF_CHECK_INT(x.blocks->n_types, 5);
  outcome a = simulate(x.program, FF_PETRI_EXACT, &time, 1, 1, NULL);
  outcome b = simulate(x.program, FF_PETRI_WINDOWS, &time, 1, 2, NULL);
  FF_CHECK_INT(same_blocks(x.blocks, &a, &b, &apart), 5);
  FF_CHECK_SAY(apart == 0 && a.firings.n > 500, "%g, %llu", apart, (unsigned long long)a.firings.n);
  end(&a);
  end(&b);
  end_tissue(&x);
}

/* Clocks go on from window to window, also in blocks that nothing flows into, where levels stay, or without levels. */
static void keeps_clocks(void) {
  petri_text t;
  petri_begin(&t);
  petri_place(&t, "off", 0, "1");
  petri_place(&t, "on", 0, "0");
  petri_place(&t, "n", 0, "0");
  petri_place(&t, "A", 1, "0");
  petri_place(&t, "B", 1, "0");
  petri_place(&t, "C", 0, "0");
  petri_transition(&t, "go", FF_PETRI_DETERMINISTIC, "off -> on", NULL, NULL, "1", 0);
  petri_transition(&t, "stop", FF_PETRI_DETERMINISTIC, "on -> off", NULL, NULL, "0.5", 0);
  petri_transition(&t, "tick", FF_PETRI_DETERMINISTIC, "0 -> n", NULL, NULL, "0.3", 0);
  petri_flows(&t, "make", "0 -> A", "2 * on");
  petri_flows(&t, "pass", "0 -> B", "A");
  petri_flows(&t, "lose", "B -> 0", "B");
  petri_fires(&t, "count", "0 -> C", "B");
  tissue x = divide(&t, 3); /* the clocks with A; n; B and C */
  const uint64_t firings = check_agreement(&x, 10, NULL, 1e-5);
  FF_CHECK_SAY(firings > 46, "%llu", (unsigned long long)firings); /* 33 + 13 by clocks */
  end_tissue(&x);
}

/* Very many firings at one time, which no shorter window divides. */
static void follows_bursts(void) {
  petri_text t;
  petri_begin(&t);
  petri_place(&t, "p", 0, "6000");
  petri_place(&t, "q", 0, "0");
  petri_place(&t, "A", 1, "1");
  petri_place(&t, "B", 1, "0");
  petri_transition(&t, "burst", FF_PETRI_IMMEDIATE, "p -> q", NULL, NULL, "1", 0);
  petri_flows(&t, "lose", "A -> 0", "A");
  petri_flows(&t, "pass", "0 -> B", "A");
  tissue x = divide(&t, 3);
  FF_CHECK_INT(check_agreement(&x, 1, NULL, 0), 6000);
  end_tissue(&x);
}

/* Random nets have the firings of the exact method, or its failure, and the same bits with two threads. */
static void follows_random_nets(void) {
  const double time = 0.4;
  uint32_t fine = 0, alike = 0;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    uint64_t s = seed;
    const ff_petri_options options = {.relative = 1e-6, .most_at_once = 1000};
    tissue x;
    ff_error err;
    memset(&x, 0, sizeof x);
    ff_status status = random_petri(&x.net, &s, &err);
    if (status == FF_OK) status = ff_petri_unfold(&x.flat, x.net, &err);
    if (status == FF_OK) status = ff_petri_program_new(&x.program, x.flat, &options, &err);
    if (status == FF_OK) status = ff_petri_blocks_new(&x.blocks, x.program, &err);
    if (status == FF_OK) {
      double apart;
      outcome a = simulate(x.program, FF_PETRI_EXACT, &time, 1, 1, NULL);
      outcome b = simulate(x.program, FF_PETRI_WINDOWS, &time, 1, 1, NULL);
      outcome c = simulate(x.program, FF_PETRI_WINDOWS, &time, 1, 2, NULL);
      FF_CHECK_SAY(a.status == b.status && b.status == c.status, "net %d: %s and %s", (int)seed, a.err.text, b.err.text);
      if (a.status == FF_OK && b.status == FF_OK) {
        fine++;
        alike += same_blocks(x.blocks, &a, &b, &apart) == x.blocks->n_blocks && apart < 1e-5;
        FF_CHECK_SAY(are_identical(&b, &c, x.program->n_places), "net %d", (int)seed);
      }
      end(&a);
      end(&b);
      end(&c);
    }
    end_tissue(&x);
  }
  FF_CHECK_SAY(fine >= 50 && alike + 1 >= fine, "%u nets, %u alike", fine, alike); /* choices of one net have other draws */
}

/* Predators and prey are one block, because of the test. What only reads them must not step over their peaks, whose contribution
 * is the whole of B. Without this, a third of B is lost at the larger tolerance. */
static void sees_fast_neighbours(void) {
  static const struct {
    double relative, error;
  } cases[] = {{1e-10, 0}, {1e-6, 1e-4}, {1e-4, 0.05}};
  const double time = 0.5;
  double exact = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const ff_petri_options options = {.relative = cases[k].relative};
    petri_text t;
    petri_begin(&t);
    petri_place(&t, "x", 1, "1");
    petri_place(&t, "y", 1, "0.3");
    petri_place(&t, "B", 1, "0");
    petri_transition(&t, "birth", FF_PETRI_CONTINUOUS, "0 -> x", "y < 1000", NULL, "50 * x", 0);
    petri_flows(&t, "eaten", "x -> 0", "50 * x * y");
    petri_flows(&t, "eats", "0 -> y", "50 * x * y");
    petri_flows(&t, "death", "y -> 0", "50 * y");
    petri_flows(&t, "adds", "0 -> B", "exp(10 * x - 20)");
    petri_flows(&t, "decay", "B -> 0", "B");
    petri_compile(&t, &options);
    outcome x = simulate(t.program, k > 0 ? FF_PETRI_WINDOWS : FF_PETRI_EXACT, &time, 1, 1, NULL);
    FF_CHECK_SAY(x.status == FF_OK, "%s", x.err.text);
    if (k == 0) exact = x.state[2];
    FF_CHECK_SAY(exact > 1 && fabs(x.state[2] - exact) <= cases[k].error * exact, "%g and %g", x.state[2], exact);
    end(&x);
    petri_end(&t);
  }
}

/* A hazard becomes negative: the same sentence. */
static void fails_alike(void) {
  tissue x;
  ff_error err;
  const double time = 20;
  memset(&x, 0, sizeof x);
  FF_CHECK_OK(petri_row(&x.net, 6, "C[x] -> C[a]", "0.5 * C[x]", NULL, FF_PETRI_STOCHASTIC, "0 -> S[x]", "8 - C[x]", &err),
              &err);
  finish(&x, 1e-6);
  outcome a = simulate(x.program, FF_PETRI_EXACT, &time, 1, 1, NULL);
  outcome b = simulate(x.program, FF_PETRI_WINDOWS, &time, 1, 1, NULL);
  FF_CHECK(a.status == FF_EMODEL && b.status == FF_EMODEL);
  FF_CHECK_SAY(strstr(b.err.text, "the rate of stochastic transition \"more[") != NULL, "%s; %s", a.err.text, b.err.text);
  end(&a);
  end(&b);
  end_tissue(&x);
}

/* Windows in which blocks have much do not grow, are made shorter, or are tried again with half the length. */
static void windows_leave_room(void) {
  static const struct {
    double pieces; /* of a block on average */
    uint32_t most; /* of a wave */
    double length; /* of the next window */
  } accepted[] = {{7.9, 255, 1.25}, {8.1, 255, 1}, {7.9, 256, 1}, {16.1, 255, 0.8}};
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
    ff_petri_pace pace = ff_petri_pace_new(1e-6);
    ff_petri_pace_begin(&pace, 0);
    const ff_petri_swept swept = {.fine = 1, .pieces = accepted[i].pieces / 2};
    FF_CHECK_INT(ff_petri_pace_after_sweep(&pace, swept), FF_PETRI_GOES_ON);
    ff_petri_pace_accept(&pace, 1, accepted[i].pieces, ff_petri_use_of_room(accepted[i].most, 10, 100));
    FF_CHECK_NEAR(pace.length, accepted[i].length, 0);
  }
  static const ff_petri_swept bad[] = {{.fine = 1, .pieces = 16.1}, {.fine = 0, .pieces = 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ff_petri_pace pace = ff_petri_pace_new(1e-6);
    ff_petri_pace_begin(&pace, 0);
    FF_CHECK_INT(ff_petri_pace_after_sweep(&pace, bad[i]), FF_PETRI_GOES_BACK);
    FF_CHECK_NEAR(pace.length, 0.5, 0);
  }
  FF_CHECK_INT(ff_petri_use_of_room(256, 1, 1), FF_PETRI_ALL_ROOM / 2);
  FF_CHECK_INT(ff_petri_use_of_room(1, 192, 1), FF_PETRI_ALL_ROOM / 4 * 3);
  FF_CHECK_INT(ff_petri_use_of_room(1, 1, 4096), FF_PETRI_ALL_ROOM);
}

static void refuses(void) {
  ff_formula_word late[] = {{FF_F_TIME, 0, 0}, {FF_F_NUMBER, 0, 2.75}, {FF_F_GT, 0, 0}};
  const ff_formula until = {late, 3, 2};
  const double time = 1;
  const uint32_t observed = 0;
  double state[1], *const states[] = {state};
  tissue x;
  double *initial;
  ff_run *run = NULL;
  ff_error err;
  ff_petri_method method;
  calcium(&x, 2, 2, 20, &initial);
  ff_run_options options = {.method = FF_PETRI_WINDOWS, .n = 1, .times = &time, .n_times = 1, .observed = &observed,
                            .n_observed = 1, .states = states, .threads = 1, .until = &until};
  FF_CHECK(ff_run_new(&run, &ff_petri_engine, x.program, &options, &err) == FF_EARGUMENT);
  FF_CHECK_SAY(strstr(err.text, "method = \"exact\"") != NULL, "%s", err.text);
  ff_run_free(run);
  options.until = NULL;
  FF_CHECK_OK(ff_petri_method_of(&method, x.program, &options, &err), &err);
  FF_CHECK_INT(method, FF_PETRI_EXACT);
  free(initial);
  end_tissue(&x);
  calcium(&x, 25, 8, 20, &initial);
  FF_CHECK_OK(ff_petri_method_of(&method, x.program, &options, &err), &err);
  FF_CHECK_INT(method, FF_PETRI_WINDOWS);
  options.until = &until;
  FF_CHECK_OK(ff_petri_method_of(&method, x.program, &options, &err), &err);
  FF_CHECK_INT(method, FF_PETRI_EXACT);
  free(initial);
  end_tissue(&x);
}

/* A marking of -0 is shown as 0, as all other methods and GPUs show it. */
static void shows_no_minus_zero(void) {
  const double time = 0;
  tissue x;
  double *initial;
  uint32_t zeros = 0, wrong = 0;
  calcium(&x, 3, 3, 20, &initial);
  for (uint32_t k = 0; k < x.program->n_places; k++) {
    zeros += initial[k] == 0;
    if (initial[k] == 0) initial[k] = -0.0;
  }
  outcome out = simulate(x.program, FF_PETRI_WINDOWS, &time, 1, 1, initial);
  FF_CHECK_OK(out.status, &out.err);
  for (uint32_t k = 0; k < x.program->n_places; k++) wrong += signbit(out.state[k]) != 0;
  FF_CHECK_SAY(zeros > 0 && wrong == 0, "%u of %u are -0", wrong, zeros);
  end(&out);
  free(initial);
  end_tissue(&x);
}

FF_TEST_MAIN("petri_windows", follows_calcium, follows_fast_diffusion, keeps_its_bits, follows_all_kinds, keeps_clocks,
             follows_bursts, follows_random_nets, sees_fast_neighbours, keeps_constant_hazards, fails_alike, windows_leave_room,
             shows_no_minus_zero, refuses)
