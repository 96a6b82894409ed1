/* Generated code in slots without a trajectory, which go on while other slots of their warp are busy. They must have counts that
 * the network can have: other counts lead a search to wrong places of memory. */
#define GENERATED_FLAGS "'-DS_GOES_ON(busy)=1'"
#include "generated_code.h"

/* The largest number of 16 bits among what a slot keeps: its counts and the totals of sums. */
static uint32_t largest(const ff_launch *run, const ff_ssa_code *code, uint32_t slot) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < code->n_counts + code->n_rows; i++) {
    const uint32_t word = run->state[(size_t)(FF_SSA_CODE_WORDS + i) * run->slots + slot];
    if ((word & 0xFFFF) > most) most = word & 0xFFFF;
    if (word >> 16 > most) most = word >> 16;
  }
  return most;
}

/* Lets all slots go on after the last trajectory has ended. */
static uint32_t largest_idle(const ff_launch *run, generated *g) {
  uint32_t found = 0;
  for (int i = 0; i < 20; i++)
    for (uint32_t slot = 0; slot < LAUNCH_SLOTS; slot++) {
      launch_generated(g, run, slot);
      const uint32_t most = largest(run, &g->code, slot);
      if (most > found) found = most;
    }
  return found;
}

/* No number of an empty slot may exceed `most`. */
static void check_idle(const reaction_text *reactions, const double *initial, uint32_t n_species, uint32_t most,
                       const char *what) {
  const double time = 0.1;
  const uint32_t species = 0;
  const ff_device_request request = {.method = FF_SSA_FACTORED, .initial = initial, .times = &time, .n_times = 1,
                                         .observed = &species, .n_observed = 1};
  ff_ssa_program *program = program_of(reactions, initial, n_species);
  ff_error err;
  generated g = {0};
  FF_CHECK_OK(ff_ssa_generate(&g.code, program, &request, shared_bytes, &err), &err);
  void *library = compile(&g.code, folder);
  if (library != NULL) {
    ff_launch run = launch_new(&request, FF_SSA_CODE_WORDS + g.code.n_counts + g.code.n_rows);
    *(void **)&g.run = dlsym(library, "s_host");
    g.rows = ff_calloc((size_t)g.code.n_rows * g.code.threads, sizeof *g.rows);
    launch_all(&run, launch_generated, &g, LAUNCH_SLOTS);
    run.begun = run.slots;
    run.steps = 1100; /* slots begin anew at the first step and after 1,024 */
    const uint32_t found = largest_idle(&run, &g);
    FF_CHECK_SAY(found <= most, "%s: %u in an empty slot", what, found);
    launch_free(&run);
    free(g.rows);
    dlclose(library);
  }
  ff_ssa_code_free(&g.code);
  ff_ssa_program_free(program);
}

/* The first molecule of a pair may have been chosen when a slot begins anew: the pair is given up. */
static void pairs_are_given_up(void) {
  static const reaction_text pool[] = {{"2 A -> B + C", "1"}, {"2 B -> C + A", "1"}, {"2 C -> A + B", "1"},
                                       {"A + B -> 2 C", "1"}, {"B + C -> 2 A", "1"}, {"A + C -> 2 B", "1"},
                                       {"A -> C", "7"},       {NULL, NULL}};
  const double initial[] = {0, 0, 30};
  check_idle(pool, initial, 3, 30, "a pool");
}

FF_TEST_MAIN("ssa_generate_idle", make_folder, pairs_are_given_up, remove_folder)
