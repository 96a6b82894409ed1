/* Measures the engine's speed, for bench/: the number of trajectory-steps per second while some state sets are counted, for tiles
 * on this processor's threads or for a wave of tiles on a device of a backend. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/ff_pbn_engine.h"
#include "../pbn/ff_pbn_device.h"
#include "ffi_backend.h"
#include "ffi_values.h"

#define MAX_THREADS 256
#define PIECE 0.1 /* seconds that a device works between readings of the clock and checks for Ctrl-C */

typedef struct {
  ff_expr *terms;
  uint32_t n_terms;
  ff_pbn_program *program;
  ff_tile *tiles[MAX_THREADS];
  uint64_t steps[MAX_THREADS];
  double deadline;
  int n;
  const ff_pbn_device *backend;
  ff_ensemble *ensemble;
} held;

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  SEXP backend = R_ExternalPtrProtected(pointer); /* see ffi_backend_may_free() */
  if (h->ensemble != NULL && ffi_backend_may_free(backend)) h->backend->common.destroy(h->ensemble);
  for (int i = 0; i < h->n; i++) ff_tile_free(h->tiles[i]);
  ff_pbn_program_free(h->program);
  for (uint32_t i = 0; h->terms != NULL && i < h->n_terms; i++) ff_expr_free(&h->terms[i]);
  free(h->terms);
  free(h);
  R_ClearExternalPtr(pointer);
}

/* Makes a program that counts the sets, held by an external pointer, which the caller PROTECTs. `backend` lives as long as the
 * pointer. */
static SEXP hold(held **out, SEXP model, SEXP sets, SEXP layout, SEXP backend) {
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(ffi_pointer(release, 1, backend));
  const char *const *texts = ffi_sets(sets);
  uint32_t n = (uint32_t)Rf_xlength(sets), *first = (uint32_t *)R_alloc(n + 1, sizeof *first);
  double *weights = (double *)R_alloc(n, sizeof *weights);
  held *h = ff_calloc(1, sizeof *h);
  R_SetExternalPtrAddr(pointer, h);
  if (h == NULL || (h->terms = ff_calloc(n, sizeof *h->terms)) == NULL) ffi_no_memory("a measurement of speed");
  h->n_terms = n;
  for (uint32_t i = 0; i < n; i++) weights[i] = 1;
  for (uint32_t i = 0; i <= n; i++) first[i] = i;
  ffi_check(ffi_parse_sets(h->terms, texts, n, pbn, &err), &err);
  ff_observables observables = {n, first, h->terms, weights};
  ffi_check(ff_pbn_program_new(&h->program, pbn, &observables, (ff_layout)ffi_int(layout, "layout"), &err), &err);
  UNPROTECT(2);
  *out = h;
  return pointer;
}

static void count_steps(void *context, int i) {
  held *h = context;
  for (uint64_t chunk = 1; ff_clock() < h->deadline; chunk = chunk < 64 ? 2 * chunk : chunk) {
    ff_tile_count(h->tiles[i], chunk);
    h->steps[i] += chunk;
  }
}

/* Runs one tile per thread for about `seconds`. */
SEXP ffi_engine_speed(SEXP model, SEXP sets, SEXP layout, SEXP simd, SEXP threads, SEXP seed, SEXP seconds) {
  ff_error err;
  held *h;
  SEXP pointer = PROTECT(hold(&h, model, sets, layout, R_NilValue));
  int wanted = ffi_int(threads, "threads") < MAX_THREADS ? ffi_int(threads, "threads") : MAX_THREADS;
  for (; h->n < wanted; h->n++) {
    ffi_check(ff_tile_new(&h->tiles[h->n], h->program, (ff_simd)ffi_int(simd, "simd"), &err), &err);
    ff_tile_start(h->tiles[h->n], ffi_count(seed, "seed", FFI_MOST), (uint64_t)h->n);
  }
  double started = ff_clock();
  h->deadline = started + ffi_number(seconds, "seconds");
  ff_parallel(h->n, count_steps, h);
  double elapsed = ff_clock() - started, steps = 0;
  for (int i = 0; i < h->n; i++) steps += (double)h->steps[i];
  release(pointer);
  UNPROTECT(1);
  return Rf_ScalarReal(steps * FF_TILE / elapsed);
}

/* Runs all tiles for about `seconds` and returns the number of steps. */
static double device_steps(const held *h, int count, double seconds) {
  ff_error err;
  double steps = 0, deadline = ff_clock() + seconds;
  while (ff_clock() < deadline) {
    uint64_t done = 0;
    ffi_check(h->backend->steps(h->ensemble, UINT32_MAX / 2, count, seconds < PIECE ? seconds : PIECE, &done, &err), &err);
    steps += (double)done;
    R_CheckUserInterrupt();
  }
  return steps;
}

/* Runs a wave of `tiles` tiles (0: as many as the device runs at a time) for about `seconds` after a warm-up. `kernel` is the
 * name of a kernel or NULL, `cache` a folder or NULL. Returns a list: steps_per_second (by the run time of the kernels),
 * elapsed_per_second (by the clock), setup_seconds (to create the ensemble and its code), and the members of ff_ensemble_info. */
SEXP ffi_device_speed(SEXP model, SEXP sets, SEXP layout, SEXP backend, SEXP device, SEXP kernel, SEXP cache, SEXP seed,
                      SEXP seconds, SEXP wanted_tiles) {
  static const char *const names[] = {"steps_per_second", "elapsed_per_second", "setup_seconds", "tiles",  "threads", "blocks",
                                      "registers",        "shared",             "bytes",         "kernel", "reason"};
  ff_error err;
  held *h;
  SEXP pointer = PROTECT(hold(&h, model, sets, layout, backend));
  h->backend = ffi_backend_interface(backend, FF_PBN_INTERFACE);
  ff_ensemble_options options = {.device = ffi_uint(device, "device"), .kernel = ffi_kernel(kernel),
                                 .units = ffi_count(wanted_tiles, "tiles", FFI_MOST), .cache = ffi_cache(cache)};
  const double asked = ff_clock();
  ffi_check(h->backend->create(&h->ensemble, h->program, &options, &err), &err);
  for (int ready = 0; !ready;) {
    ffi_check(h->backend->common.ready(h->ensemble, PIECE, &ready, &err), &err);
    R_CheckUserInterrupt();
  }
  const double setup = ff_clock() - asked;
  uint64_t tiles = h->backend->common.info(h->ensemble).capacity;
  ffi_check(h->backend->common.start(h->ensemble, ffi_count(seed, "seed", FFI_MOST), 0, tiles, &err), &err);
  device_steps(h, 0, ffi_number(seconds, "seconds") / 4);
  double before = h->backend->common.info(h->ensemble).device_seconds, started = ff_clock();
  double steps = device_steps(h, 1, ffi_number(seconds, "seconds")) * (double)tiles * FF_TILE, elapsed = ff_clock() - started;
  ff_ensemble_info info = h->backend->common.info(h->ensemble);
  double device_seconds = info.device_seconds - before, bytes = (double)info.bytes;
  double numbers[] = {steps / device_seconds, steps / elapsed, setup,      (double)tiles, info.threads, info.blocks,
                      info.registers,         info.shared_bytes, bytes};
  SEXP out = PROTECT(ffi_list(11, names));
  for (int i = 0; i < 9; i++) SET_VECTOR_ELT(out, i, Rf_ScalarReal(numbers[i]));
  ffi_set(out, "kernel", Rf_mkString(info.kernel));
  ffi_set(out, "reason", Rf_mkString(info.reason));
  release(pointer);
  UNPROTECT(2);
  return out;
}
