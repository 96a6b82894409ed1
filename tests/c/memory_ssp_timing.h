/* Scenario of test_memory: the cycles of a Stochastic Simulation Processor. */
#ifndef FF_TESTS_MEMORY_SSP_TIMING_H
#define FF_TESTS_MEMORY_SSP_TIMING_H

#include "../../src/ssp/timing/ff_ssp_timing.h"
#include "memory_given.h"
#include "ssp_programs.h"

static ff_ssp_program *timed_program;

static void prepare_timed(void) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.spes = 2;
  chip.rus = 2;
  chip.channels = 2;
  chip.reaction_channels = 1;
  timed_program = plain_program(&chip, 5, 20, 6, 3);
}

static void release_timed(void) {
  ff_ssp_program_free(timed_program);
  timed_program = NULL;
  release();
}

static uint32_t fires_first(void *of, uint32_t spe, uint64_t cycle) {
  (void)of;
  (void)spe;
  return cycle < 500 ? 0 : FF_SSP_ENDS;
}

/* Only a new processor allocates. */
static ff_status times_a_program(ff_error *err) {
  const ff_ssp_steps steps = {NULL, fires_first, NULL};
  ff_ssp_timing *t;
  int done;
  ff_status status = ff_ssp_timing_new(&t, timed_program, &steps, NULL, err);
  CHECK_OUT(status, t);
  if (status == FF_OK) status = ff_ssp_timing_advance(t, 10000, UINT64_MAX, &done, err);
  FF_CHECK(status != FF_OK || done);
  ff_ssp_timing_free(t);
  return status;
}

#endif
