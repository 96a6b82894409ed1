/* Code that the CUDA backend generates for a reaction network, compiled for this processor and compared with its engines, bit for
 * bit. This needs a C compiler at run time. A test includes this header first. */
#ifndef FF_TESTS_GENERATED_CODE_H
#define FF_TESTS_GENERATED_CODE_H

#define _GNU_SOURCE /* mkdtemp */
#include <dlfcn.h>
#include <unistd.h>

#include "../../src/cuda/ssa/ff_ssa_generate.h"
#include "ssa_launch.h"

#ifndef GENERATED_OPTIMISATION
#define GENERATED_OPTIMISATION "-O1"
#endif

typedef void (*host_run)(const ff_ssa_launch *run, const void *rates, const uint32_t *table, const uint32_t *big, uint32_t slot,
                         uint32_t *rows);

typedef struct {
  host_run run;
  ff_ssa_code code;
  uint32_t *rows; /* the shared memory of a block */
} generated;

/* Compiles the code. Returns NULL after a failed check. */
static inline void *compile(const ff_ssa_code *code, const char *folder) {
  char source[300], object[300], command[1200];
  snprintf(source, sizeof source, "%s/s.c", folder);
  snprintf(object, sizeof object, "%s/s.so", folder);
  FILE *file = fopen(source, "w");
  if (file == NULL) return NULL;
  fprintf(file, "%s" FF_SSA_CODE_HEADERS "%s", code->definitions, code->functions);
  fclose(file);
  const char *cc = getenv("CC");
  snprintf(command, sizeof command, "%s -std=c11 " GENERATED_OPTIMISATION " -w -ffp-contract=off -fPIC -shared -Isrc '%s' -o '%s'",
           cc != NULL ? cc : "cc", source, object);
  const int status = system(command);
  FF_CHECK_SAY(status == 0, "%s", command);
  void *library = status == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (status == 0) FF_CHECK_SAY(library != NULL, "%s", dlerror());
  if (status == 0) unlink(source);
  unlink(object);
  return library;
}

static inline void launch_generated(void *kernel, const ff_ssa_launch *run, uint32_t slot) {
  generated *g = kernel;
  g->run(run, g->code.rates, g->code.table, g->code.big, slot, g->rows);
}

static uint32_t shared_bytes = FF_SSA_SHARED_H200;
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
  for (uint32_t s = 0; s < n_species; s++) species[s] = n_species - 1 - s;
  const ff_ssa_device_request request = {method, initial, times, LAUNCH_TIMES, species, n_species};
  FF_CHECK_OK(ff_ssa_generate(&g.code, program, &request, shared_bytes, &err), &err);
  void *library = g.code.functions != NULL ? compile(&g.code, folder) : NULL;
  if (library != NULL) {
    const ff_ssa_code *code = &g.code;
    ff_ssa_launch run =
        launch_new(&request, FF_SSA_CODE_WORDS + code->n_counts + code->n_rows + code->n_kept + code->n_store);
    *(void **)&g.run = dlsym(library, "s_host");
    g.rows = ff_calloc((size_t)(g.code.n_rows + g.code.n_sums) * g.code.threads, sizeof *g.rows);
    launch_all(&run, launch_generated, &g);
    launch_compare(&run, program, &request, refuses, what);
    launch_free(&run);
    free(g.rows);
    dlclose(library);
  }
  ff_ssa_code_free(&g.code);
}

static void make_folder(void) { FF_CHECK(mkdtemp(folder) != NULL); }
static void remove_folder(void) { rmdir(folder); }

#endif
