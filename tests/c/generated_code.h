/* Code that the CUDA backend generates for a reaction network, compiled for this processor and compared with its engines, bit for
 * bit. This needs a C compiler at run time. A test includes this header first. */
#ifndef FF_TESTS_GENERATED_CODE_H
#define FF_TESTS_GENERATED_CODE_H

#define _GNU_SOURCE /* mkdtemp */
#include "ssa_generated.h"

static uint32_t shared_bytes = FF_SSA_SHARED_H200;
static uint32_t blocks, first_observed; /* of requests; the first species of those that are observed */
static int bits32;                      /* whether requests have bits32 */
static char folder[] = "/tmp/fireflip-generate-XXXXXX";

/* Runs the code of a program to the last time, and compares. */
static inline void check_program(const ff_ssa_program *program, ff_ssa_method method, const double *initial, uint32_t n_species,
                                 double last, int refuses, const char *what) {
  ff_error err;
  generated g = {0};
  double times[LAUNCH_TIMES];
  uint32_t species[64];
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  n_species = n_species < 64 ? n_species : 64;
  for (uint32_t s = 0; s < n_species; s++) species[s] = first_observed + n_species - 1 - s;
  const int ordered = method == FF_SSA_OPTIMISED;
  ff_ssa_path order;
  if (ordered) order = order_of(program, LAUNCH_KEY);
  const ff_device_request request = {.method = method, .initial = initial, .times = times, .n_times = LAUNCH_TIMES,
                                         .observed = species, .n_observed = n_species, .blocks = blocks, .bits32 = bits32,
                                         .order = ordered ? ff_ssa_optimised_order(&order) : NULL};
  FF_CHECK_OK(ff_ssa_generate(&g.code, program, &request, shared_bytes, &err), &err);
  ff_launch run;
  if (g.code.functions != NULL && run_generated(&g, &request, folder, &run)) {
    launch_compare(&run, program, &request, refuses, what);
    launch_free(&run);
  }
  ff_ssa_code_free(&g.code);
  if (ordered) ff_ssa_path_free(&order);
}

static inline void make_folder(void) { FF_CHECK(mkdtemp(folder) != NULL); }
static inline void remove_folder(void) { rmdir(folder); }

#endif
