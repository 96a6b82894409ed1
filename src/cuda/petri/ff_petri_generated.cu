/* The runner "generated": code for one net, compiled at run time. A thread runs one trajectory after the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../runtime/ff_jit.h"
#include "ff_petri_ensemble.h"

extern "C" {
#include "code/ff_petri_code.h"
}

typedef struct {
  ff_petri_code code;
  ff_jit *jit;
  ff_module_kernel kernel;
  double *initial; /* on the device */
  uint32_t *table;
} generated;

/* FF_EUNSUPPORTED, with the reason, if the code is not available. */
static ff_status wait_for_code(generated *own, double seconds, int *loaded, ff_error *err) {
  ff_jit_outcome outcome;
  ff_status status = ff_jit_wait(own->jit, seconds, &outcome, err);
  *loaded = status == FF_OK && outcome == FF_JIT_LOADED;
  if (status != FF_OK || *loaded || outcome == FF_JIT_COMPILING) return status;
  return ff_error_set(err, FF_EUNSUPPORTED, "%s", ff_jit_reason(own->jit));
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  generated *own = (generated *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  ff_status status = ff_petri_code_new(&own->code, e->program, &e->request, err);
  if (status != FF_OK) return status;
  const char *const parts[] = {own->code.definitions, FF_PETRI_CODE_HEADERS, own->code.functions};
  const ff_jit_request request = {.parts = parts, .options = NULL, .n_parts = 3, .n_options = 0,
                                  .arch = e->device.major * 10 + e->device.minor, .cache = e->options.cache, .saves = 0,
                                  .price = -INFINITY};
  status = ff_jit_start(&own->jit, &request, err);
  int loaded;
  return status == FF_OK ? wait_for_code(own, 0, &loaded, err) : status;
}

/* Waits for the code, then takes the kernel and uploads its data. */
static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  generated *own = (generated *)e->own;
  const ff_petri_code *code = &own->code;
  ff_status status = wait_for_code(own, seconds, is, err);
  if (status != FF_OK || !*is) return status;
  status = ff_module_kernel_of(&own->kernel, ff_jit_module(own->jit), "p_kernel", (int)code->threads,
                               ff_petri_code_shared_bytes(code), err);
  if (status == FF_OK)
    status = ff_cuda_upload((void **)&own->initial, code->initial, code->n_places * sizeof *code->initial, "markings", err);
  if (status == FF_OK)
    status = ff_cuda_upload((void **)&own->table, code->table, code->n_places * sizeof *code->table, "a table", err);
  if (status != FF_OK) return status;
  e->resident = (uint64_t)own->kernel.blocks * code->threads * (uint64_t)e->device.multiProcessorCount;
  e->block_slots = code->threads;
  e->slot_bytes = ff_petri_code_slot_bytes(code);
  e->info.threads = code->threads;
  e->info.blocks = (uint32_t)own->kernel.blocks;
  e->info.registers = (uint32_t)own->kernel.registers;
  e->info.shared_bytes = (uint32_t)ff_petri_code_shared_bytes(code);
  const char *note = ff_jit_reason(own->jit);
  snprintf(e->info.reason, sizeof e->info.reason, "code generated for this net%s, one trajectory per thread%s%.120s",
           ff_jit_kept(own->jit) ? " (from the cache)" : "", note[0] != '\0' ? "; " : "", note);
  return FF_OK;
}

static void release(ff_ensemble *e) {
  generated *own = (generated *)e->own;
  cudaFree(own->initial);
  cudaFree(own->table);
  ff_jit_free(own->jit);
  ff_petri_code_free(&own->code);
  free(own);
}

static ff_status launch(ff_ensemble *e, const ff_launch *launch, ff_error *err) {
  generated *own = (generated *)e->own;
  ff_launch run = *launch;
  void *arguments[] = {&run, &own->initial, &own->table};
  return ff_module_launch(ff_jit_module(own->jit), &own->kernel, e->running / own->code.threads, own->code.threads,
                          ff_petri_code_shared_bytes(&own->code), e->stream, arguments, err);
}

extern "C" const ff_petri_runner ff_petri_runner_generated = {"generated", prepare, ready, release, launch};
