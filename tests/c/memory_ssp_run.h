/* Scenarios of test_memory: programs of a Stochastic Simulation Processor are executed. */
#ifndef FF_TESTS_MEMORY_SSP_RUN_H
#define FF_TESTS_MEMORY_SSP_RUN_H

#include "memory_given.h"
#include "ssp_nets.h"

static ff_ssp_program *ssp_given;

/* With 64 bits, and with 32 and a table of logarithms. */
static void prepare_ssp_run(void) {
  uint64_t state = 3;
  ssp_shape shape = {.chip = ff_ssp_chip_default(), .internal = 50, .local = 50};
  shape.chip.rus = 3;
  shape.chip.precision = given.variant == 0 ? 64 : 32;
  shape.chip.logarithm = given.variant == 0 ? 0 : 8;
  given.net = ssp_random_network(&state, 6, 20);
  ssp_given = ssp_random_program(5, given.net, &shape);
}

static void end_ssp_run(void) {
  ff_ssp_program_free(ssp_given);
  ssp_given = NULL;
}

static ff_status executes_ssp(ff_error *err) {
  const uint32_t observed = 2;
  const double time = 1;
  double value[2], *values = value;
  const ff_run_options options = {.n = 2, .times = &time, .n_times = 1, .observed = &observed, .n_observed = 1, .states = &values,
                                  .threads = 1};
  ff_ssp_code *code;
  ff_run *run = NULL;
  int done = 0;
  ff_status status = ff_ssp_code_new(&code, ssp_given, err);
  CHECK_OUT(status, code);
  if (status != FF_OK) return status;
  status = ff_run_new(&run, &ff_ssp_engine, code, &options, err);
  CHECK_OUT(status, run);
  while (status == FF_OK && !done) status = ff_run_advance(run, 1, &done, err);
  ff_run_free(run);
  ff_ssp_code_free(code);
  return status;
}

/* A processing element by itself, for a trace. */
static ff_status traces_ssp(ff_error *err) {
  ff_ssp_code *code;
  ff_ssp_spe *spe = NULL;
  ff_status status = ff_ssp_code_new(&code, ssp_given, err);
  if (status != FF_OK) return status;
  status = ff_ssp_spe_new(&spe, code, NULL, err);
  CHECK_OUT(status, spe);
  if (status == FF_OK) {
    ff_ssp_spe_start(spe, 1, 2, NULL);
    for (int i = 0; i < 5; i++) ff_ssp_spe_step(spe);
    status = ff_ssp_spe_drain(spe, err);
  }
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
  return status;
}

#endif
