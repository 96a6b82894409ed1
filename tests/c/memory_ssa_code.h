/* Scenarios of test_memory: what kernels for reaction networks run. */
#ifndef FF_TESTS_MEMORY_SSA_CODE_H
#define FF_TESTS_MEMORY_SSA_CODE_H

#include "../../src/cuda/ssa/ff_ssa_generate.h"
#include "../../src/cuda/ssa/ff_ssa_image.h"
#include "factor_examples.h"
#include "memory_reactions.h"
#include "text_networks.h"

static void prepare_ssa_image(void) {
  prepare_formulas();
  give_program();
}

static ff_status makes_ssa_image(ff_error *err) {
  ff_ssa_image image;
  void *memory = NULL;
  size_t bytes;
  ff_status status = ff_ssa_image_new(&image, &memory, &bytes, given.simulated, given.simulated->initial, err);
  CHECK_OUT(status, memory);
  ff_free_aligned(memory);
  return status;
}

/* Code for the direct method, for the first reaction method, for groups of few and of many reactions, for many groups, and for
 * events and rates that depend on the time. */
static void prepare_ssa_code(void) {
  const int variant = given.variant;
  if (variant == 5) {
    given.simulated = program_of_network(network_of_text("species;A;3\nparameter;k;2\nreaction;0 -> A;k * (1 + sin(time))\n"
                                                         "reaction;A -> 0;1\nevent;e;A > 5;k;1;f;A;0;k;3\n"));
    return;
  }
  if (variant == 3) {
    given.simulated = program_of_sites(6);
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
                                         FF_SSA_FACTORED, FF_SSA_DIRECT};
  static const double times[] = {1};
  static const uint32_t species[] = {0};
  const ff_ssa_device_request request = {methods[given.variant], given.simulated->initial, times, 1, species, 1};
  ff_ssa_code code = {0};
  ff_status status = ff_ssa_generate(&code, given.simulated, &request, FF_SSA_SHARED_H200, err);
  CHECK_OUT(status, code.functions);
  ff_ssa_code_free(&code);
  return status;
}

#endif
