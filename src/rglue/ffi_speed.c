/* The engine's speed, for bench/: steps of trajectories a second, one tile a thread, one state set counted. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/ff_engine.h"
#include "ffi.h"

#define MAX_THREADS 256

typedef struct {
  ff_expr term;
  ff_program *program;
  ff_tile *tiles[MAX_THREADS];
  uint64_t steps[MAX_THREADS];
  double deadline;
  int n;
} held;

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  for (int i = 0; i < h->n; i++) ff_tile_free(h->tiles[i]);
  ff_program_free(h->program);
  ff_expr_free(&h->term);
  free(h);
  R_ClearExternalPtr(pointer);
}

static void count_steps(void *context, int i) {
  held *h = context;
  for (uint64_t chunk = 1; ff_clock() < h->deadline; chunk = chunk < 64 ? 2 * chunk : chunk) {
    ff_tile_count(h->tiles[i], chunk);
    h->steps[i] += chunk;
  }
}

SEXP ffi_engine_speed(SEXP model, SEXP set, SEXP layout, SEXP simd, SEXP threads, SEXP seed, SEXP seconds) {
  static const uint32_t first[] = {0, 1};
  static const double weight = 1;
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, release, TRUE);
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) {
    ff_error_set(&err, FF_EMEMORY, "no memory to measure speed");
    ffi_stop(&err);
  }
  R_SetExternalPtrAddr(pointer, h);
  ff_names *names;
  ffi_check(ff_names_new(&names, pbn->names, pbn->n_nodes, &err), &err);
  const char *text = CHAR(STRING_ELT(set, 0));
  ff_status status = ff_expr_parse(&h->term, text, strlen(text), ff_names_find, names, (ff_place){NULL, 0}, &err);
  ff_names_free(names);
  ffi_check(status, &err);
  ff_observables observables = {1, first, &h->term, &weight};
  ffi_check(ff_program_new(&h->program, pbn, &observables, (ff_layout)Rf_asInteger(layout), &err), &err);
  int wanted = Rf_asInteger(threads) < MAX_THREADS ? Rf_asInteger(threads) : MAX_THREADS;
  for (; h->n < wanted; h->n++) {
    ffi_check(ff_tile_new(&h->tiles[h->n], h->program, (ff_simd)Rf_asInteger(simd), &err), &err);
    ff_tile_start(h->tiles[h->n], (uint64_t)Rf_asReal(seed), (uint64_t)h->n);
  }
  double started = ff_clock();
  h->deadline = started + Rf_asReal(seconds);
  ff_parallel(h->n, count_steps, h);
  double elapsed = ff_clock() - started, steps = 0;
  for (int i = 0; i < h->n; i++) steps += (double)h->steps[i];
  UNPROTECT(2);
  return Rf_ScalarReal(steps * FF_TILE / elapsed);
}
