/* Scenarios of test_memory: programs of a Stochastic Simulation Processor are compiled, kept in files, moved, and timed. */
#ifndef FF_TESTS_MEMORY_SSP_COMPILE_H
#define FF_TESTS_MEMORY_SSP_COMPILE_H

#include "../../src/ssp/compile/ff_ssp_compile.h"
#include "../../src/ssp/cycles/ff_ssp_cycles.h"
#include "../../src/ssp/cycles/ff_ssp_trace.h"
#include "memory_given.h"
#include "ssp_networks.h"

static ff_ssp_program *compiled_ssp;
static ff_ssp_chip ssp_chip;

/* All optimisations, with 32 and 64 bits. */
#define SSP_COMPILES (2 * FF_SSP_OPTIMISES)

static void prepare_ssp_network(void) {
  uint64_t state = 8;
  given.net = random_network(&state, 12, 20);
  ssp_chip = ff_ssp_chip_default();
  ssp_chip.rus = 2;
  ssp_chip.spes = 2;
  ssp_chip.internal = 2;
  ssp_chip.cached = 3;
  ssp_chip.merger = 2;
  ssp_chip.reaction_memory = 32;
  ssp_chip.channels = 2;
  ssp_chip.reaction_channels = 1;
  ssp_chip.precision = given.variant % 2 == 0 ? 32 : 64;
}

static void prepare_compiled_ssp(void) {
  ff_error err;
  prepare_ssp_network();
  FF_CHECK_OK(ff_ssp_compile(&compiled_ssp, given.net, &ssp_chip, FF_SSP_LOCALITY, 1, &err), &err);
}

static void end_compiled_ssp(void) {
  ff_ssp_program_free(compiled_ssp);
  compiled_ssp = NULL;
}

static ff_status compiles_ssp(ff_error *err) {
  ff_ssp_program *p;
  const ff_status status = ff_ssp_compile(&p, given.net, &ssp_chip, (ff_ssp_optimise)(given.variant / 2), 1, err);
  CHECK_OUT(status, p);
  ff_ssp_program_free(p);
  return status;
}

static ff_status keeps_ssp(ff_error *err) {
  uint8_t *image;
  size_t n;
  ff_ssp_program *p = NULL;
  ff_status status = ff_ssp_image(&image, &n, compiled_ssp, err);
  CHECK_OUT(status, image);
  if (status != FF_OK) return status;
  status = ff_ssp_image_read(&p, image, n, err);
  CHECK_OUT(status, p);
  ff_ssp_program_free(p);
  free(image);
  return status;
}

static ff_status decompiles_ssp(ff_error *err) {
  ff_reactions *net;
  const ff_status status = ff_ssp_decompile(&net, compiled_ssp, err);
  CHECK_OUT(status, net);
  ff_reactions_free(net);
  return status;
}

static ff_status counts_ssp_copies(ff_error *err) {
  uint64_t copies;
  return ff_ssp_count_copies(&copies, compiled_ssp, err);
}

/* A program that could not be moved is as it was. */
static ff_status moves_ssp(ff_error *err) {
  ff_ssp_chip chip = compiled_ssp->chip;
  const ff_ssp_place *const copies = compiled_ssp->copies;
  const uint32_t spes = chip.spes;
  chip.spes = 5 - spes;
  const ff_status status = ff_ssp_program_move(compiled_ssp, &chip, err);
  FF_CHECK((status == FF_OK) == (compiled_ssp->copies != copies));
  FF_CHECK_INT(compiled_ssp->chip.spes, status == FF_OK ? chip.spes : spes);
  return status;
}

/* Only the begin of a run allocates. */
static ff_status counts_ssp_cycles(ff_error *err) {
  const ff_ssp_cycles_options options = {.key = 1, .n = 3, .last = 1e300, .steps = 4};
  ff_ssp_cycles *run;
  int done = 0;
  ff_status status = ff_ssp_cycles_new(&run, compiled_ssp, &options, err);
  CHECK_OUT(status, run);
  while (status == FF_OK && !done) status = ff_ssp_cycles_advance(run, 1, &done, err);
  ff_ssp_cycles_free(run);
  return status;
}

static uint32_t fires_no_more(void *of, uint64_t trajectory) {
  (void)of;
  (void)trajectory;
  return FF_SSP_ENDS;
}

/* The same without processing elements, and with a record of each cycle. */
static ff_status replays_ssp_cycles(ff_error *err) {
  const ff_ssp_cycles_options options = {.n = 3, .fired = {fires_no_more, NULL}};
  ff_ssp_trace *trace;
  int done = 0;
  ff_status status = ff_ssp_trace_new(&trace, compiled_ssp, &options, 100000, err);
  CHECK_OUT(status, trace);
  while (status == FF_OK && !done) status = ff_ssp_trace_advance(trace, 1, &done, err);
  ff_ssp_trace_free(trace);
  return status;
}

#endif
