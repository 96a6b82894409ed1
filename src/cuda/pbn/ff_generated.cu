/* The runner of generated code: it generates code for one network, compiles it at run time, and keeps it in a cache
 * (ff_jit.h). */
#include "ff_forecast.h"
#include "ff_generate.h"
#include "../runtime/ff_jit.h"
#include "ff_slice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Longer code takes half a minute to compile and is slower than the interpreter (docs/decisions/04-boolean-forecast.md). */
#define MOST_OPERATIONS 20000
#define KEPT_PRICE 0.25 /* fraction of the compile time that the code must save if it is cached: most networks run again */
#define LEAST_WARPS 4        /* per multiprocessor: with fewer warps the interpreter is as fast */
#define BLOCK_WARPS 4
#define WANTED_WARPS 16      /* per multiprocessor: leaves each thread registers for 128 values */

typedef struct {
  ff_slice_device device;
  ff_jit *jit;
  ff_module_kernel kernel;
  ff_generate_shape shape;
  uint64_t operations;
  size_t shared;
} generated;

/* The number of warps that fit on a multiprocessor by its shared memory, in blocks of `block` warps. 0 if one block does not
 * fit. */
static uint32_t warps_that_fit(const ff_ensemble *e, uint64_t words, uint32_t block) {
  const size_t taken = (size_t)words * 4 * block, reserved = e->device.reservedSharedMemPerBlock;
  if (taken > e->device.sharedMemPerBlockOptin) return 0;
  return (uint32_t)(e->device.sharedMemPerMultiprocessor / (taken + reserved)) * block;
}

/* Chooses the block size with which most warps fit on a multiprocessor, and the largest of these. *fit becomes that number of
 * warps. */
static uint32_t fit_block(const ff_ensemble *e, uint64_t words, uint32_t *fit) {
  uint32_t best = 0;
  *fit = 0;
  for (uint32_t block = BLOCK_WARPS; block > 0; block /= 2) {
    const uint32_t warps = warps_that_fit(e, words, block);
    if (warps == 0 || (best > 0 && warps / 4 <= *fit / 4)) continue; /* a smaller block is chosen only if many more warps fit */
    *fit = warps;
    best = block;
  }
  return best;
}

/* Chooses the number of counter levels in shared memory for which the predicted run time is shortest. FF_EARGUMENT, with the
 * reason, if none is possible. */
static ff_status shape(generated *own, const ff_ensemble *e, ff_forecast *best, ff_error *err) {
  int kilohertz = 0;
  uint64_t words;
  ff_status status = ff_cuda_check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, (int)e->options.device),
                                   "reading its clock rate", err);
  if (status != FF_OK) return status;
  for (uint32_t levels = 0; levels <= FF_GENERATE_LEVELS; levels++) {
    uint32_t fit;
    ff_generate_size(e->program, levels, &words, &own->operations);
    const uint32_t block = fit_block(e, words, &fit), target = fit < WANTED_WARPS ? fit : WANTED_WARPS;
    if (block == 0 || (levels == 0 && fit < LEAST_WARPS)) break;
    const ff_forecast_run run = {.processors = (uint32_t)e->device.multiProcessorCount, .clock = kilohertz * 1e3,
                                 .tiles = e->options.units, .steps = e->options.steps, .levels = levels, .warps = fit};
    const ff_forecast f = ff_forecast_of(e->program, &run);
    if (levels > 0 && f.generated >= best->generated) continue;
    *best = f;
    own->shape = (ff_generate_shape){block, target / block > 0 ? target / block : 1, levels};
  }
  if (own->operations > MOST_OPERATIONS)
    return ff_error_set(err, FF_EARGUMENT, "no generated code: about %llu operations, but at most %d are compiled",
                        (unsigned long long)own->operations, MOST_OPERATIONS);
  if (own->shape.warps > 0) return FF_OK;
  return ff_error_set(err, FF_EARGUMENT, "no generated code: a warp needs %llu bytes of shared memory; %zu must hold %d warps",
                      (unsigned long long)words * 4, (size_t)e->device.sharedMemPerMultiprocessor, LEAST_WARPS);
}

/* Computes how many seconds the generated code saves in this run, and how many it must save to be compiled. The code is compiled
 * at once if the caller asked for it, if another device uses it, or if the length of the run is unknown. */
static ff_status weigh(const generated *own, const ff_ensemble *e, const ff_forecast *f, double *saves, double *price,
                       ff_error *err) {
  const ff_runner *const here = &ff_pbn_runner_generated;
  const int asked = ff_runner_is(here, e->options.kernel) || ff_runner_is(here, ff_stages_like(e));
  *saves = f->interpreted - f->generated;
  *price = e->options.cache != NULL ? KEPT_PRICE * f->compile : f->compile;
  if (asked || e->options.steps == 0) *price = -INFINITY;
  if (asked || *saves > 0) return FF_OK;
  return ff_error_set(err, FF_EARGUMENT, "no generated code: with about %llu operations it would be no faster",
                      (unsigned long long)own->operations);
}

/* FF_EARGUMENT, with the reason, if the code is not available. */
static ff_status wait_for_code(generated *own, double seconds, int *loaded, ff_error *err) {
  ff_jit_outcome outcome;
  ff_status status = ff_jit_wait(own->jit, seconds, &outcome, err);
  *loaded = status == FF_OK && outcome == FF_JIT_LOADED;
  if (status != FF_OK || *loaded || outcome == FF_JIT_COMPILING) return status;
  return ff_error_set(err, FF_EARGUMENT, "%s", ff_jit_reason(own->jit));
}

static ff_status build(generated *own, ff_ensemble *e, ff_error *err) {
  double saves = 0, price = 0;
  ff_forecast forecast = {};
  ff_generated_text text;
  ff_status status = shape(own, e, &forecast, err);
  if (status == FF_OK) status = weigh(own, e, &forecast, &saves, &price, err);
  if (status == FF_OK) status = ff_generate(&text, e->program, &own->shape, err);
  if (status != FF_OK) return status;
  own->shared = (size_t)text.words * 4 * own->shape.warps;
  const char *const parts[] = {text.definitions, "#include \"cuda/pbn/ff_generated.h\"\n", text.functions};
  const ff_jit_request request = {.parts = parts, .options = NULL, .n_parts = 3, .n_options = 0,
                                  .arch = e->device.major * 10 + e->device.minor, .cache = e->options.cache, .saves = saves,
                                  .price = price};
  status = ff_jit_start(&own->jit, &request, err);
  ff_generate_free(&text);
  int loaded;
  return status == FF_OK ? wait_for_code(own, 0, &loaded, err) : status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  generated *own = (generated *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  return build(own, e, err);
}

/* Waits for the code, then takes the kernel and uploads the program. */
static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  generated *own = (generated *)e->own;
  ff_status status = wait_for_code(own, seconds, is, err);
  if (status != FF_OK || !*is) return status;
  status = ff_module_kernel_of(&own->kernel, ff_jit_module(own->jit), "g_kernel", (int)own->shape.warps * 32, own->shared, err);
  if (status == FF_OK) status = ff_slice_upload(&own->device, e->program, err);
  if (status != FF_OK) return status;
  e->resident = (uint64_t)own->kernel.blocks * own->shape.warps * (uint64_t)e->device.multiProcessorCount;
  e->tile_bytes = ff_slice_tile_bytes(e->program);
  e->info.threads = own->shape.warps * 32;
  e->info.blocks = (uint32_t)own->kernel.blocks;
  e->info.registers = (uint32_t)own->kernel.registers;
  e->info.shared_bytes = (uint32_t)own->shared;
  const char *note = ff_jit_reason(own->jit);
  snprintf(e->info.reason, sizeof e->info.reason,
           "code generated for this network (%llu operations%s), one tile per warp%s%.120s",
           (unsigned long long)own->operations, ff_jit_kept(own->jit) ? ", from the cache" : "", note[0] != '\0' ? "; " : "",
           note);
  return FF_OK;
}

static ff_status allocate(ff_ensemble *e, ff_error *err) { return ff_slice_allocate(&((generated *)e->own)->device, e, err); }

static void release(ff_ensemble *e) {
  generated *own = (generated *)e->own;
  ff_slice_release(&own->device);
  ff_jit_free(own->jit);
  free(own);
}

static ff_status start(ff_ensemble *e, ff_error *err) { return ff_slice_start(&((generated *)e->own)->device, e, err); }

static ff_status steps(ff_ensemble *e, uint64_t n, int count, int fresh, ff_error *err) {
  generated *own = (generated *)e->own;
  ff_slice_launch run = ff_slice_launch_of(&own->device, e, n, count, fresh);
  void *arguments[] = {&own->device.image, &run};
  const uint32_t warps = own->shape.warps;
  return ff_module_launch(ff_jit_module(own->jit), &own->kernel, (unsigned)((e->tiles + warps - 1) / warps), 1, warps * 32,
                          own->shared, e->stream, arguments, err);
}

static ff_status spill(ff_ensemble *e, ff_error *err) { return ff_slice_spill(&((generated *)e->own)->device, e, err); }

static ff_status state(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  return ff_slice_state(&((generated *)e->own)->device, e, tile, rows, err);
}

static ff_status terms(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err) {
  return ff_slice_terms(&((generated *)e->own)->device, e, tile, n, words, err);
}

extern "C" const ff_pbn_runner ff_pbn_runner_generated = {"generated", prepare, ready, release, allocate, start,
                                                         steps, spill, state, terms};
