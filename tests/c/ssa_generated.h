/* Generated code for reaction networks, compiled for this processor. This needs a C compiler at run time, and _GNU_SOURCE. */
#ifndef FF_TESTS_SSA_GENERATED_H
#define FF_TESTS_SSA_GENERATED_H

#include <dlfcn.h>
#include <unistd.h>

#include "../../src/cuda/ssa/generated/code/ff_ssa_generate.h"
#include "ssa_launch.h"

#ifndef GENERATED_OPTIMISATION
#define GENERATED_OPTIMISATION "-Og" /* the compiler takes most of the time */
#endif

#ifndef GENERATED_FLAGS
#define GENERATED_FLAGS ""
#endif

typedef void (*host_run)(const ff_launch *run, const void *rates, const uint32_t *table, const uint32_t *big, uint32_t slot,
                         uint32_t *rows);

typedef struct {
  host_run run;
  ff_ssa_code code;
  uint32_t *rows; /* the shared memory of a block */
  const uint32_t *starts; /* of launches, or NULL */
} generated;

/* Compiles the code. Returns NULL after a failed check. */
static inline void *compile(const ff_ssa_code *code, const char *folder) {
  char source[300], object[300], command[1200];
  snprintf(source, sizeof source, "%s/s.c", folder);
  snprintf(object, sizeof object, "%s/s.so", folder);
  FILE *file = fopen(source, "w");
  FF_CHECK_SAY(file != NULL, "%s: cannot be written", source);
  if (file == NULL) return NULL;
  fprintf(file, "%s" FF_SSA_CODE_HEADERS "%s", code->definitions, code->functions);
  fclose(file);
  const char *cc = getenv("CC");
  snprintf(command, sizeof command,
           "%s -std=c11 " GENERATED_OPTIMISATION " " GENERATED_FLAGS " -w -ffp-contract=off -fPIC -shared -Isrc '%s' -o '%s'",
           cc != NULL ? cc : "cc", source, object);
  const int status = system(command);
  FF_CHECK_SAY(status == 0, "%s", command);
  void *library = status == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (status == 0) FF_CHECK_SAY(library != NULL, "%s", dlerror());
  if (status == 0) unlink(source);
  unlink(object);
  return library;
}

static inline void launch_generated(void *kernel, const ff_launch *run, uint32_t slot) {
  generated *g = kernel;
  g->run(run, g->code.rates, g->code.table, g->code.big, slot, g->rows);
}

/* Compiles the code, and launches until the wave is complete. Returns 0 after a failed check; else the caller frees *run. */
static inline int run_generated(generated *g, const ff_device_request *request, const char *folder, ff_launch *run) {
  void *library = compile(&g->code, folder);
  if (library == NULL) return 0;
  *run = launch_new(request, FF_SSA_CODE_WORDS + g->code.n_counts + g->code.n_rows + g->code.n_kept +
                                 g->code.n_store);
  run->starts = g->starts;
  *(void **)&g->run = dlsym(library, "s_host");
  g->rows = ff_calloc((size_t)(g->code.n_rows + g->code.n_sums) * g->code.threads, sizeof *g->rows);
  launch_all(run, launch_generated, g, LAUNCH_TURN);
  free(g->rows);
  dlclose(library);
  return 1;
}

#endif
