/* Kernels for small Petri nets, a thread for each trajectory: their code is compiled for this processor, and gives the bits of the
 * engine. */
#include "petri_code.h"

#include "petri_hostile.h"
#include "petri_hybrid.h"

enum { UNITS = 40 };

static void small_nets_give_the_trajectories(void) {
  petri_text nets[SMALL_NETS];
  code_case cases[SMALL_NETS] = {0};
  uint32_t n = 0;
  for (size_t i = 0; i < SMALL_NETS; i++) {
    small_compile(&nets[i], &small_nets[i]);
    if (nets[i].program == NULL) continue;
    cases[n++] = (code_case){.what = small_nets[i].what, .program = nets[i].program, .last = small_nets[i].last, .units = UNITS,
                             .firings = i % 2 == 0, .alone = small_nets[i].write == small_shared};
  }
  code_play(cases, n);
  code_end(cases, n);
  for (size_t i = 0; i < SMALL_NETS; i++) petri_end(&nets[i]);
}

/* ---- random nets ---------------------------------------------------------------------------------------------------------- */

enum { DRAWN = 54, LEAST_FIRINGS = 60, MOST_FIRINGS = 4000 };

/* Whether some transitions fire in the trajectories of a case, but not too many. */
static int is_lively(const code_case *x) {
  static const uint32_t observed = 0;
  double *state = ff_calloc(x->units, sizeof *state), *const states = state;
  ff_error err;
  ff_run *run = NULL;
  int done = 0;
  const ff_run_options options = {.key = CODE_KEY, .first = CODE_FIRST, .n = x->units, .times = &x->last, .n_times = 1,
                                  .observed = &observed, .n_observed = 1, .states = &states, .threads = 1,
                                  .max_firings = MOST_FIRINGS, .starts = x->starts};
  ff_status status = ff_run_new(&run, &ff_petri_engine, x->program, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, &err);
  const uint64_t n = status == FF_OK ? ff_run_n_firings(run) : 0;
  ff_run_free(run);
  free(state);
  return n >= LEAST_FIRINGS;
}

/* Whether a net is one for which code can be generated. */
static int has_code(petri_text *x, const ff_petri_options *options) {
  if (x->status == FF_OK) x->status = ff_petri_finish(x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_unfold(&x->flat, x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_program_new(&x->program, x->flat, options, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_code_check(x->program, &x->err);
  if (getenv("HYBRID_SHOW") && x->status != FF_OK) printf("%s\n", x->err.text);
  return x->status == FF_OK;
}

/* Markings at the start; some levels are 0. The caller frees them. */
static double *random_starts(const ff_petri_program *p, uint64_t units, uint64_t *s) {
  double *starts = ff_calloc(units * p->n_places, sizeof *starts);
  for (uint64_t k = 0; k < units; k++)
    for (uint32_t f = 0; f < p->n_places; f++)
      starts[k * p->n_places + f] = !p->flat->continuous[f] ? below(s, 6) : below(s, 3) == 0 ? 0 : 2 * uniform(s);
  return starts;
}

static void random_nets_give_the_trajectories(void) {
  static const double relative[] = {1e-6, 1e-4, 1e-9}, last = 5;
  uint64_t seed = 38, trajectories = 0, refused = 0, steps = 0;
  static petri_text nets[DRAWN];
  static code_case cases[DRAWN];
  static char names[DRAWN][40];
  uint32_t n = 0, draws = 0;
  for (; n < DRAWN && draws < 40 * DRAWN; draws++) {
    const ff_petri_options options = {.relative = relative[n % 3], .one_clock = n % 9 == 4,
                                      .integrator = n % 2 == 0 ? FF_PETRI_AUTO : FF_PETRI_DORMAND_PRINCE};
    petri_text *x = &nets[n];
    const uint64_t begun = seed;
    (n % 6 == 5 ? hybrid_write_coloured : hybrid_write)(x, &seed);
    if (has_code(x, &options)) {
      snprintf(names[n], sizeof names[n], "net %u, seed %llu", n, (unsigned long long)begun);
      cases[n] = (code_case){.what = names[n], .program = x->program, .last = last, .units = 20 + n % 3, .firings = n % 4 != 1,
                             .some = n % 5 == 2, .most_refused = 22};
      if (n % 4 == 2) cases[n].starts = random_starts(x->program, cases[n].units, &seed);
      if (is_lively(&cases[n])) {
        n++;
        continue;
      }
      free((void *)cases[n].starts);
    }
    petri_end(x);
  }
  FF_CHECK_INT(n, DRAWN);
  code_play(cases, n);
  for (uint32_t i = 0; i < n; i++) {
    trajectories += cases[i].units;
    refused += cases[i].refused;
    steps += cases[i].steps;
    if (getenv("HYBRID_SHOW"))
      printf("%s: %u levels, %u groups, %u cells, %u profiles, %u transitions: %llu steps, %u of %u refused, %u failed\n", names[i],
             nets[i].program->n_levels, nets[i].program->n_groups, nets[i].program->n_cells, nets[i].program->n_profiles,
             nets[i].program->n_stochastic, (unsigned long long)cases[i].steps, cases[i].refused, (unsigned)cases[i].units,
             cases[i].failed);
    free((void *)cases[i].starts);
  }
  if (getenv("HYBRID_SHOW")) printf("%u draws, %llu of %llu refused, %llu steps\n", draws, (unsigned long long)refused,
      (unsigned long long)trajectories, (unsigned long long)steps);
  code_end(cases, n);
  for (uint32_t i = 0; i < n; i++) petri_end(&nets[i]);
}

/* ---- nets that are hard --------------------------------------------------------------------------------------------------- */

/* What cannot be simulated is refused, and all else has the bits. What fails on the processor is always refused: code_compare_each(). */
static void hostile_nets_give_the_trajectories(void) {
  static petri_text nets[HOSTILE_NETS];
  static code_case cases[HOSTILE_NETS];
  for (size_t i = 0; i < HOSTILE_NETS; i++) {
    const hostile_net *of = &hostile_nets[i];
    const ff_petri_options options = {.integrator = of->integrator, .relative = of->relative};
    hostile_write(&nets[i], of->text);
    petri_compile(&nets[i], &options);
    if (nets[i].program == NULL) {
      printf("%s\n", of->what);
      return;
    }
    cases[i] = (code_case){.what = of->what, .program = nets[i].program, .last = of->last, .units = UNITS, .firings = i % 3 != 0,
                           .most_refused = of->most == HOSTILE_ALL ? UNITS : (uint32_t)of->most, .quiet = of->least > 0,
                           .alone = i % 4 == 0};
  }
  code_play(cases, HOSTILE_NETS);
  for (size_t i = 0; i < HOSTILE_NETS; i++) {
    const hostile_net *of = &hostile_nets[i];
    const int least = of->least == HOSTILE_ALL ? UNITS : of->least;
    if (getenv("HYBRID_SHOW")) printf("hostile %s: %llu steps, %u refused, %u failed\n", of->what, (unsigned long long)cases[i].steps, cases[i].refused, cases[i].failed);
    FF_CHECK_SAY((int)cases[i].refused >= least, "%s: %u refused", of->what, cases[i].refused);
    FF_CHECK_SAY((int)cases[i].failed >= of->least_failed && (cases[i].failed == 0 || of->least_failed > 0), "%s: %u failed",
                 of->what, cases[i].failed);
  }
  code_end(cases, HOSTILE_NETS);
  for (size_t i = 0; i < HOSTILE_NETS; i++) petri_end(&nets[i]);
}

FF_TEST_MAIN("petri_code", code_make_folder, small_nets_give_the_trajectories, random_nets_give_the_trajectories,
             hostile_nets_give_the_trajectories, code_remove_folder)
