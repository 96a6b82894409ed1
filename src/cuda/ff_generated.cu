/* Runs code that is generated for the network at hand: compiled at run time, kept in a folder by its content (ff_jit.h). */
#include "ff_generate.h"
#include "ff_jit.h"
#include "ff_slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPERATIONS 8000 /* longer code takes many seconds to compile and hardly beats the interpreter (bench/NOTES.md) */
#define MOST_ASKED 20000     /* ... and so is made only where this kernel is asked for; a minute at most */
#define LEAST_WARPS 4        /* a multiprocessor's: with fewer the interpreter does as well */
#define BLOCK_WARPS 4
#define WANTED_WARPS 16      /* a multiprocessor's: registers for 128 values a thread */

typedef struct {
  ff_slice_device device;
  ff_jit *jit;
  ff_jit_kernel kernel;
  uint32_t warps;
  uint64_t operations;
  size_t shared;
} generated;

static ff_status too_large(const ff_ensemble *e, uint64_t words, uint64_t operations, uint64_t most, ff_error *err) {
  if (operations > most)
    return ff_error_set(err, FF_EARGUMENT, "no generated code: about %llu operations, and %llu are the most",
                        (unsigned long long)operations, (unsigned long long)most);
  return ff_error_set(err, FF_EARGUMENT, "no generated code: %llu bytes of shared memory a warp, and %zu hold at least %d warps",
                      (unsigned long long)words * 4, (size_t)e->device.sharedMemPerMultiprocessor, LEAST_WARPS);
}

/* Warps that a multiprocessor can hold by its shared memory, in whole blocks of at most BLOCK_WARPS. */
static uint32_t warps_that_fit(const ff_ensemble *e, uint64_t words, uint32_t block) {
  const size_t taken = (size_t)words * 4 * block, reserved = e->device.reservedSharedMemPerBlock;
  if (taken > e->device.sharedMemPerBlockOptin) return 0;
  return (uint32_t)(e->device.sharedMemPerMultiprocessor / (taken + reserved)) * block;
}

static ff_status build(generated *own, ff_ensemble *e, ff_error *err) {
  uint64_t words, operations;
  const uint64_t most = e->options.kernel == FF_KERNEL_GENERATED ? MOST_ASKED : MOST_OPERATIONS;
  ff_generate_size(e->program, &words, &operations);
  uint32_t block = BLOCK_WARPS;
  while (block > 1 && warps_that_fit(e, words, block) < LEAST_WARPS) block /= 2;
  uint32_t fit = warps_that_fit(e, words, block);
  if (operations > most || fit < LEAST_WARPS) return too_large(e, words, operations, most, err);
  own->operations = operations;
  const uint32_t target = fit < WANTED_WARPS ? fit : WANTED_WARPS;
  own->warps = block;
  ff_generated_text text;
  ff_status status = ff_generate(&text, e->program, block, target / block > 0 ? target / block : 1, err);
  if (status != FF_OK) return status;
  own->shared = (size_t)text.words * 4 * block;
  const char *const parts[] = {text.definitions, "#include \"ff_generated.h\"\n", text.functions};
  status = ff_jit_compile(&own->jit, parts, 3, e->device.major * 10 + e->device.minor, e->options.cache, err);
  if (status == FF_OK) status = ff_jit_kernel_of(&own->kernel, own->jit, "g_kernel", (int)block * 32, own->shared, err);
  ff_generate_free(&text);
  return status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  generated *own = (generated *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  ff_status status = build(own, e, err);
  if (status == FF_OK) status = ff_slice_upload(&own->device, e->program, err);
  if (status != FF_OK) return status;
  e->resident = (uint64_t)own->kernel.blocks * own->warps * (uint64_t)e->device.multiProcessorCount;
  e->tile_bytes = ff_slice_tile_bytes(e->program);
  e->info.threads = own->warps * 32;
  e->info.blocks = (uint32_t)own->kernel.blocks;
  e->info.registers = (uint32_t)own->kernel.registers;
  e->info.shared_bytes = (uint32_t)own->shared;
  snprintf(e->info.reason, sizeof e->info.reason, "code generated for this network (some %llu operations%s), a tile a warp",
           (unsigned long long)own->operations, own->kernel.from_cache ? ", kept from before" : "");
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
  return ff_jit_launch(own->jit, &own->kernel, (unsigned)((e->tiles + own->warps - 1) / own->warps), own->warps * 32, own->shared,
                       e->stream, arguments, err);
}

static ff_status spill(ff_ensemble *e, ff_error *err) { return ff_slice_spill(&((generated *)e->own)->device, e, err); }

static ff_status state(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  return ff_slice_state(&((generated *)e->own)->device, e, tile, rows, err);
}

extern "C" const ff_runner ff_runner_generated = {FF_KERNEL_GENERATED, prepare, allocate, release, start, steps, spill, state};
