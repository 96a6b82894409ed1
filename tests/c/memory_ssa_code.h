/* Scenarios of test_memory: what kernels for reaction networks run. */
#ifndef FF_TESTS_MEMORY_SSA_CODE_H
#define FF_TESTS_MEMORY_SSA_CODE_H

#include "../../src/cuda/ssa/data/ff_ssa_factored_image.h"
#include "../../src/cuda/ssa/generated/code/ff_ssa_generate.h"
#include "../../src/cuda/ssa/data/ff_ssa_image.h"
#include "factor_examples.h"
#include "memory_reactions.h"
#include "ring_examples.h"
#include "text_networks.h"

static void give_schedule(void) {
  given.simulated = program_of_network(network_of_text("species;A;3\nparameter;k;2\nreaction;0 -> A;k * (1 + sin(time))\n"
                                                       "reaction;A -> 0;1\nevent;e;A > 5;k;1;f;A;0;k;3\n"));
}

static void prepare_ssa_image(void) {
  const int variant = given.variant;
  if (variant == 3) {
    give_schedule();
    return;
  }
  if (variant == 2) { /* mass action */
    given.simulated = program_of_colloid(8);
    return;
  }
  prepare_formulas();
  given.variant = variant;
  give_program();
}

static ff_status makes_ssa_image(ff_error *err) {
  ff_ssa_image image;
  void *memory = NULL;
  size_t bytes;
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_OPTIMISED, FF_SSA_PSSA_CR, FF_SSA_NEXT};
  static uint32_t order[64];
  for (uint32_t i = 0; i < 64; i++) order[i] = i;
  FF_CHECK(given.simulated->n_reactions <= 64);
  const ff_device_request request = {.method = methods[given.variant], .initial = given.simulated->initial, .order = order};
  ff_status status = ff_ssa_image_new(&image, &memory, &bytes, given.simulated, &request, err);
  CHECK_OUT(status, memory);
  ff_free_aligned(memory);
  return status;
}

/* Sums with lists of uses, and with weights. */
static void prepare_factored_image(void) {
  given.simulated = given.variant == 0 ? program_of_sites(6) : program_of_colloid(24);
}

static ff_status makes_factored_image(ff_error *err) {
  ff_ssa_factored_image image;
  void *memory = NULL;
  size_t bytes;
  ff_status status = ff_ssa_factored_image_new(&image, &memory, &bytes, given.simulated, given.simulated->initial, err);
  CHECK_OUT(status, memory);
  ff_free_aligned(memory);
  return status;
}

/* Lists of what species change, as for networks whose lists by reaction are too long. */
static void prepare_lists(void) { given.simulated = program_of_sites(3); }

static ff_status lists_species(ff_error *err) {
  ff_ssa_factor *factor = NULL;
  ff_status status = ff_ssa_factor_new(&factor, given.simulated, 0, err);
  CHECK_OUT(status, factor);
  ff_ssa_factor_free(factor);
  return status;
}

/* Code for the direct method, for the first reaction method, for groups of few and of many reactions, for many groups, for
 * replicated modules, for the points of a sweep, for events and rates that depend on the time, and for optimised_direct and
 * sorting_direct. */
static void prepare_ssa_code(void) {
  const int variant = given.variant;
  if (variant == 7) {
    give_schedule();
    return;
  }
  if (variant == 9) {
    given.simulated = program_of_network(ring_of(40));
    return;
  }
  if (variant == 3) {
    given.simulated = program_of_sites(5);
    return;
  }
  if (variant == 5) {
    given.simulated = program_of_modules(ring_examples, 10, 0, 0);
    return;
  }
  if (variant == 4) { /* each reaction is a group */
    ff_reactions *net = ring_of(40);
    for (uint32_t r = 0; r < 40; r++) net->reactions[r].rate.word[0].number = 1 + 0.37 * r;
    given.simulated = program_of_network(net);
    FF_CHECK(ff_ssa_program_groups(given.simulated) == 40);
    return;
  }
  if (variant == 2)
    prepare_factors();
  else
    prepare_formulas();
  given.variant = variant;
  give_program();
}

static ff_status generates_ssa_code(ff_error *err) {
  static const ff_ssa_method methods[] = {FF_SSA_DIRECT, FF_SSA_FIRST, FF_SSA_FACTORED, FF_SSA_FACTORED,
                                          FF_SSA_FACTORED, FF_SSA_FACTORED, FF_SSA_DIRECT, FF_SSA_DIRECT,
                                          FF_SSA_OPTIMISED, FF_SSA_SORTING};
  static const double times[] = {1};
  static const uint32_t species[] = {0};
  static uint32_t order[64];
  for (uint32_t i = 0; i < 64; i++) order[i] = i;
  const ff_device_point point = {given.simulated, given.simulated->initial, 1, NULL};
  const ff_device_request request = {.method = methods[given.variant], .initial = given.simulated->initial,
                                         .times = times, .n_times = 1, .observed = species, .n_observed = 1, .order = order,
                                         .points = given.variant == 6 ? &point : NULL, .n_points = given.variant == 6};
  ff_ssa_common_code *code = NULL;
  ff_status status = ff_ssa_common_code_new(&code, NULL, given.simulated, &request, FF_SSA_SHARED_H200, err);
  CHECK_OUT(status, code);
  ff_ssa_common_code_free(code);
  return status;
}

#endif
