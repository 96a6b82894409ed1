/* What the scenarios of test_memory share. */
#ifndef FF_TESTS_MEMORY_GIVEN_H
#define FF_TESTS_MEMORY_GIVEN_H

#include "../../src/io/ff_io.h"
#include "../../src/model/petri/ff_petri_flat.h"
#include "../../src/petri/program/ff_petri_program.h"
#include "../../src/pbn/estimate/ff_pbn_estimate.h"
#include "../../src/ssa/plan/ff_ssa_plan.h"
#include "check.h"
#include "nets.h"

/* What the prepare functions make and release() frees. */
static struct {
  ff_pbn *pbn;
  ff_pbn_program *program;
  char *text;
  ff_pbn_tally tally;
  ff_plan plan;
  ff_reactions *net;
  ff_ssa_program *simulated;
  ff_petri *petri;
  ff_petri_flat *flat, *flat_too;
  ff_petri_program *compiled, *compiled_too;
  int variant; /* from 0, of those that the scenario has */
} given;

static void release(void) {
  ff_pbn_program_free(given.program);
  ff_pbn_free(given.pbn);
  free(given.text);
  ff_pbn_tally_free(&given.tally);
  ff_ssa_program_free(given.simulated);
  ff_reactions_free(given.net);
  ff_petri_program_free(given.compiled);
  ff_petri_program_free(given.compiled_too);
  ff_petri_flat_free(given.flat);
  ff_petri_flat_free(given.flat_too);
  ff_petri_free(given.petri);
  memset(&given, 0, sizeof given);
}

static void give_random(net_shape shape, uint64_t seed) { given.pbn = net_random_make(&shape, seed); }

/* After a failed call, *out must be NULL. */
#define CHECK_OUT(status, out) FF_CHECK(((status) == FF_OK) == ((out) != NULL))

static void prepare_parsed(const char *text, ff_format format) {
  ff_error err;
  FF_CHECK_OK(ff_io_parse(&given.pbn, NULL, text, strlen(text), "network", format, &err), &err);
}

/* The truth table of the parity of six parents. */
#define PARITY_OF_SIX "0110100110010110100101100110100110010110011010010110100110010110"

#endif
