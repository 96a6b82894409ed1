/* The runner "generated": code for one net, compiled at run time. A thread runs one trajectory after the other. */
#include <stdlib.h>

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

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  generated *own = (generated *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  ff_status status = ff_petri_code_new(&own->code, e->program, &e->request, e->device.sharedMemPerBlockOptin, err);
  if (status != FF_OK) return status;
  const char *const parts[] = {own->code.definitions, FF_PETRI_CODE_HEADERS, own->code.functions};
  return ff_trajectories_start_code(e, &own->jit, parts, err);
}

/* Waits for the code, then takes the kernel and uploads its data. */
static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  generated *own = (generated *)e->own;
  const ff_petri_code *code = &own->code;
  ff_status status = ff_trajectories_wait_for_code(own->jit, seconds, is, err);
  if (status != FF_OK || !*is) return status;
  status = ff_module_kernel_of(&own->kernel, ff_jit_module(own->jit), "p_kernel", (int)code->threads,
                               ff_petri_code_shared_bytes(code), err);
  if (status == FF_OK)
    status = ff_cuda_upload((void **)&own->initial, code->initial, code->n_places * sizeof *code->initial, "markings", err);
  if (status == FF_OK)
    status = ff_cuda_upload((void **)&own->table, code->table, code->n_places * sizeof *code->table, "a table", err);
  if (status == FF_OK && code->points != NULL)
    status = ff_cuda_upload((void **)&e->points, code->points, (size_t)code->n_points * code->point_size * sizeof *code->points,
                            "points", err);
  if (status != FF_OK) return status;
  e->n_points = code->n_points;
  e->point_words = 2 * code->point_size;
  e->slot_bytes = ff_petri_code_slot_bytes(code);
  ff_trajectories_use_code(e, own->jit, &own->kernel, code->threads, code->slots, ff_petri_code_shared_bytes(code), "net",
                           "one trajectory per thread");
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
  return ff_module_launch(ff_jit_module(own->jit), &own->kernel, e->running / own->code.slots, 1, own->code.threads,
                          ff_petri_code_shared_bytes(&own->code), e->stream, arguments, err);
}

extern "C" const ff_trajectory_runner ff_petri_runner_generated = {"generated", prepare, ready, release, launch};
