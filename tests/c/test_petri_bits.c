/* Random Petri nets with every construct: whatever the threads, the times and the place of a trajectory in an ensemble are, its
 * states have the same bits. Nets may contradict themselves; then they fail alike. */
#include <math.h>

#include "check.h"

#include "petri_random.h"
#include "petri_runs.h"

#include "../../src/petri/path/ff_petri_draws.h"

/* Runs trajectories first ... first + n - 1; the states of all places at the last time are in state[], trajectory by trajectory.
 */
static ff_status run(const ff_petri_program *program, uint64_t first, uint64_t n, const double *times, uint32_t n_times,
                     int threads, ff_simd simd, double *state, ff_error *err) {
  const uint32_t places = program->n_places;
  uint32_t *observed = calloc(places + 1, sizeof *observed);
  double **states = calloc(places + 1, sizeof *states), *all = calloc((size_t)places * n * n_times + 1, sizeof *all);
  for (uint32_t k = 0; k < places; k++) {
    observed[k] = k;
    states[k] = all + (size_t)k * n * n_times;
  }
  const ff_run_options options = {.key = 4, .first = first, .n = n, .times = times, .n_times = n_times, .observed = observed,
                                  .n_observed = places, .states = states, .threads = threads, .simd = simd};
  ff_run *r = NULL;
  int done = 0;
  ff_status status = ff_run_new(&r, &ff_petri_engine, program, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(r, 10, &done, err);
  ff_run_free(r);
  for (uint64_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < places; k++) state[i * places + k] = states[k][i * n_times + n_times - 1];
  free(observed);
  free(states);
  free(all);
  return status;
}

enum { TRAJECTORIES = 19 }; /* more than there are lanes */

static void compare_runs(const ff_petri_program *program, uint64_t seed, uint32_t *fine) {
  const double end[] = {0.4}, many[] = {0, 0.01, 0.05, 0.1, 0.3, 0.35, 0.4};
  const size_t n = (size_t)program->n_places * TRAJECTORIES;
  double *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b);
  ff_error first, err;
  const ff_status status = run(program, 0, TRAJECTORIES, end, 1, 1, FF_SIMD_BEST, a, &first),
                  same = run(program, 0, TRAJECTORIES, many, 7, 2, FF_SIMD_PORTABLE, b, &err);
  FF_CHECK_SAY(status == same, "net %d: %s and %s\n", (int)seed, ff_status_name(status), ff_status_name(same));
  if (status != FF_OK) {
    FF_CHECK_SAY(status == FF_EMODEL || status == FF_ESIZE, "net %d: %s\n", (int)seed, first.text);
    if (same != FF_OK) FF_CHECK_SAY(strcmp(first.text, err.text) == 0, "net %d: %s and %s\n", (int)seed, first.text, err.text);
  } else {
    ++*fine;
    FF_CHECK_SAY(memcmp(a, b, n * sizeof *a) == 0, "net %d\n", (int)seed);
    FF_CHECK(run(program, TRAJECTORIES - 1, 1, end, 1, 1, FF_SIMD_BEST, b, &err) == FF_OK);
    FF_CHECK_SAY(memcmp(a + n - program->n_places, b, program->n_places * sizeof *a) == 0, "net %d, the last alone\n", (int)seed);
    for (size_t i = 0; i < n; i++) {
      const uint32_t place = (uint32_t)(i % program->n_places);
      FF_CHECK_SAY(program->flat->continuous[place] ? a[i] > -1e-3 : a[i] >= 0 && a[i] == floor(a[i]), "net %d: %g\n", (int)seed,
                   a[i]);
    }
  }
  free(a);
  free(b);
}

static void keeps_bits(void) {
  uint32_t fine = 0, made = 0;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    uint64_t s = seed;
    const ff_petri_options options = {.relative = 1e-5, .absolute = 1e-8, .most_at_once = 1000};
    ff_petri *net = NULL;
    ff_petri_flat *flat = NULL;
    ff_petri_program *program = NULL;
    ff_error err;
    ff_status status = random_petri(&net, &s, &err);
    if (status == FF_OK) status = ff_petri_unfold(&flat, net, &err);
    if (status == FF_OK) {
      FF_CHECK_OK(ff_petri_program_new(&program, flat, &options, &err), &err);
      if (program != NULL) compare_runs(program, seed, &fine);
      made++;
    }
    ff_petri_program_free(program);
    ff_petri_flat_free(flat);
    ff_petri_free(net);
  }
  FF_CHECK_SAY(made >= 100 && fine >= 40, "%u nets, %u without a failure\n", made, fine);
}

/* ---- families ------------------------------------------------------------------------------------------------------------ */

enum { CELLS = 37 }; /* two chunks, and a part of one */

/* A ring of cells: what flows in a cell, between cells, and a channel in each. With colours there are families of CELLS
 * transitions; without, the same transitions in the same order, each alone. */
static ff_status add_ring(ff_petri *net, int coloured, ff_error *err) {
  static const struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *tests, *number;
    int mass_action;
  } list[] = {{"in", FF_PETRI_CONTINUOUS, "0 -> Ca[x]", "S[x] >= 1", "3 / (1 + x / 10) * (Ca[x] < 2)", 0},
              {"pump", FF_PETRI_CONTINUOUS, "Ca[x] -> 0", NULL, "Ca[x]^2 / (0.3 + Ca[x]^2)", 0},
              {"move", FF_PETRI_CONTINUOUS, "Ca[x] -> Ca[next(x)]", NULL, "5", 1},
              {"open", FF_PETRI_STOCHASTIC, "C[x] -> S[x]", NULL, "3 * Ca[x]", 1},
              {"close", FF_PETRI_STOCHASTIC, "S[x] -> C[x]", NULL, "2", 1}};
  ff_status status = FF_OK;
  for (size_t k = 0; k < sizeof list / sizeof *list && status == FF_OK; k++) {
    for (int x = 1; x <= (coloured ? 1 : CELLS) && status == FF_OK; x++) {
      const char *const texts[] = {list[k].equation, list[k].tests, list[k].number};
      char name[20], made[3][120];
      snprintf(name, sizeof name, "%s%d", list[k].name, x);
      for (int i = 0; i < 3; i++) { /* [x] becomes _7, [next(x)] becomes _8, and x / 10 becomes 7 / 10 */
        char *to = made[i];
        for (const char *from = texts[i] != NULL ? texts[i] : ""; *from != '\0'; from++) {
          if (!coloured && strncmp(from, "[x]", 3) == 0) {
            to += sprintf(to, "_%d", x);
            from += 2;
          } else if (!coloured && strncmp(from, "[next(x)]", 9) == 0) {
            to += sprintf(to, "_%d", x % CELLS + 1);
            from += 8;
          } else if (!coloured && strncmp(from, "x / 10", 6) == 0) {
            to += sprintf(to, "%d", x);
          } else {
            *to++ = *from;
          }
        }
        *to = '\0';
      }
      status = petri_add(net, name, list[k].kind, made[0], NULL, texts[1] != NULL ? made[1] : NULL, NULL, made[2],
                         list[k].mass_action, err);
    }
  }
  return status;
}

static ff_status make_ring(ff_petri **net, int coloured, ff_error *err) {
  static const char *const places[] = {"Ca", "C", "S"};
  int64_t number[CELLS];
  ff_status status = ff_petri_new(net, err);
  for (int x = 0; x < CELLS; x++) number[x] = x + 1;
  if (status == FF_OK && coloured) status = ff_petri_add_values(*net, "X", number, CELLS, err);
  if (status == FF_OK && coloured) status = ff_petri_add_index(*net, "x", "X", err);
  for (int p = 0; p < 3 && status == FF_OK; p++)
    for (int x = 1; x <= (coloured ? 1 : CELLS) && status == FF_OK; x++) {
      char name[20];
      snprintf(name, sizeof name, coloured ? "%s" : "%s_%d", places[p], x);
      status = ff_petri_add_place(*net, name, coloured ? 0 : FF_PETRI_NONE, p == 0, 0, err);
      if (status == FF_OK) status = ff_petri_add_marking(*net, name, NULL, p == 2 ? "0" : "1", 0, petri_nowhere, err);
    }
  if (status == FF_OK) status = add_ring(*net, coloured, err);
  return status == FF_OK ? ff_petri_finish(*net, err) : status;
}

static void families_keep_bits(void) {
  const double end[] = {3};
  double *state[2] = {calloc(3 * CELLS * 2, sizeof(double)), calloc(3 * CELLS * 2, sizeof(double))};
  for (int coloured = 0; coloured < 2; coloured++) {
    const ff_petri_options options = {.relative = 1e-6};
    ff_petri *net = NULL;
    ff_petri_flat *flat = NULL;
    ff_petri_program *program = NULL;
    ff_error err;
    FF_CHECK_OK(make_ring(&net, coloured, &err), &err);
    FF_CHECK_OK(ff_petri_unfold(&flat, net, &err), &err);
    FF_CHECK_OK(ff_petri_program_new(&program, flat, &options, &err), &err);
    FF_CHECK(program->n_laws == (coloured ? 5 : 5 * CELLS) && program->n_groups == CELLS);
    FF_CHECK_OK(run(program, 0, 2, end, 1, 1, FF_SIMD_BEST, state[coloured], &err), &err);
    ff_petri_program_free(program);
    ff_petri_flat_free(flat);
    ff_petri_free(net);
  }
  FF_CHECK(memcmp(state[0], state[1], 6 * CELLS * sizeof(double)) == 0);
  FF_CHECK(state[0][0] > 0 && state[0][0] != 1);
  free(state[0]);
  free(state[1]);
}

/* ---- draws --------------------------------------------------------------------------------------------------------------- */

/* Two groups with constant hazards: their thresholds and choices are words with known addresses. */
static void draws_have_addresses(void) {
  const ff_petri_options options = {.relative = 1e-6};
  petri_text x;
  petri_firings f = {0};
  petri_begin(&x);
  petri_place(&x, "A", 0, "0");
  petri_place(&x, "B", 0, "0");
  petri_fires(&x, "a", "0 -> A", "0.5");
  petri_transition(&x, "b", FF_PETRI_STOCHASTIC, "0 -> B", "B < 3", NULL, "1.25", 0);
  petri_transition(&x, "c", FF_PETRI_STOCHASTIC, "0 -> B", "B < 3", NULL, "2", 0);
  petri_compile(&x, &options);
  if (x.status == FF_OK) x.status = petri_list(&f, x.program, 5, 40, 99, &x.err);
  FF_CHECK_SAY(x.status == FF_OK, "%s\n", x.err.text);
  uint64_t fired[2] = {0}, trajectory = 0;
  double since[2] = {0};
  for (uint64_t i = 0; i < f.n; i++) {
    if ((uint64_t)f.trajectory[i] != trajectory) {
      trajectory = (uint64_t)f.trajectory[i];
      fired[0] = fired[1] = 0;
      since[0] = since[1] = 0;
    }
    const uint32_t g = f.what[i] > 0;
    const ff_philox_block w = ff_philox(ff_philox_counter(FF_PETRI_DRAW_FIRING, g, fired[g]++, trajectory), 99);
    FF_CHECK(f.time[i] == since[g] + ff_exponential(w.v[0], w.v[1]) / (g ? 3.25 : 0.5));
    if (g) FF_CHECK(f.what[i] == (ff_closed(w.v[2], w.v[3]) * 3.25 < 1.25 ? 1 : 2));
    since[g] = f.time[i];
  }
  FF_CHECK(f.n > 15 + 5 && fired[1] == 3);
  petri_firings_free(&f);
  petri_end(&x);
}

FF_TEST_MAIN("petri_bits", keeps_bits, families_keep_bits, draws_have_addresses)
