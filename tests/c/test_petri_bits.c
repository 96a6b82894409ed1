/* Random Petri nets with every construct: whatever the threads, the times and the place of a trajectory in an ensemble are, its
 * states have the same bits. Nets may contradict themselves; then they fail alike. */
#include <math.h>

#include "check.h"

#include "petri_random.h"
#include "petri_runs.h"

/* Runs trajectories first ... first + n - 1; the states of all places at the last time are in state[], trajectory by trajectory.
 */
static ff_status run(const ff_petri_program *program, uint64_t first, uint64_t n, const double *times, uint32_t n_times,
                     int threads, double *state, ff_error *err) {
  const uint32_t places = program->n_places;
  uint32_t *observed = calloc(places + 1, sizeof *observed);
  double **states = calloc(places + 1, sizeof *states), *all = calloc((size_t)places * n * n_times + 1, sizeof *all);
  for (uint32_t k = 0; k < places; k++) {
    observed[k] = k;
    states[k] = all + (size_t)k * n * n_times;
  }
  const ff_run_options options = {.key = 4, .first = first, .n = n, .times = times, .n_times = n_times, .observed = observed,
                                  .n_observed = places, .states = states, .threads = threads};
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

enum { TRAJECTORIES = 4 };

static void compare_runs(const ff_petri_program *program, uint64_t seed, uint32_t *fine) {
  const double end[] = {0.4}, many[] = {0, 0.01, 0.05, 0.1, 0.3, 0.35, 0.4};
  const size_t n = (size_t)program->n_places * TRAJECTORIES;
  double *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b);
  ff_error first, err;
  const ff_status status = run(program, 0, TRAJECTORIES, end, 1, 1, a, &first),
                  same = run(program, 0, TRAJECTORIES, many, 7, 2, b, &err);
  FF_CHECK_SAY(status == same, "net %d: %s and %s\n", (int)seed, ff_status_name(status), ff_status_name(same));
  if (status != FF_OK) {
    FF_CHECK_SAY(status == FF_EMODEL || status == FF_ESIZE, "net %d: %s\n", (int)seed, first.text);
    if (same != FF_OK) FF_CHECK_SAY(strcmp(first.text, err.text) == 0, "net %d: %s and %s\n", (int)seed, first.text, err.text);
  } else {
    ++*fine;
    FF_CHECK_SAY(memcmp(a, b, n * sizeof *a) == 0, "net %d\n", (int)seed);
    FF_CHECK(run(program, TRAJECTORIES - 1, 1, end, 1, 1, b, &err) == FF_OK);
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

FF_TEST_MAIN("petri_bits", keeps_bits)
