/* A scenario of test_memory: the image of a reaction network for the kernels that read networks as data. */
#ifndef FF_TESTS_MEMORY_SSA_IMAGE_H
#define FF_TESTS_MEMORY_SSA_IMAGE_H

#include "../../src/cuda/ssa/ff_ssa_image.h"
#include "memory_reactions.h"

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

#endif
