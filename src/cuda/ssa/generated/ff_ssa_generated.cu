/* The runner "generated": code for one network, compiled at run time. A thread runs one trajectory after the other. */
#include <math.h>
#include <stdlib.h>

#include "../device/ff_ssa_ensemble.h"
#include "../data/ff_ssa_factored_image.h"
#include "code/ff_ssa_generate.h"

#define SCHEDULED_MOST 16u /* counts of a network with a schedule; with more, a warp runs a trajectory */

typedef struct {
  ff_ssa_common_code *common; /* the ensembles of other devices in the same run may own it, too */
  const ff_ssa_code *code;    /* that of `common` */
  ff_jit *jit;
  ff_module_kernel kernel;
  uint32_t *table, *big; /* on the device; big may be NULL */
  uint32_t *points;      /* on the host, until they are on the device: the words of each point, or NULL */
  uint32_t gathered;     /* how many points have been compared with the first one */
} generated;

static size_t shared_bytes(const ff_ssa_code *code) {
  return ((size_t)code->n_table + ((size_t)code->n_rows + code->n_sums) * code->threads) * 4;
}

/* Whether a warp for each trajectory is expected to be faster: a network with groups of reactions whose steps change many of
 * them, or few trajectories for so many threads; or with a schedule and so many counts that registers have room for few threads
 * (measured for 30 counts). */
static int warps_pay(const ff_ensemble *e, const ff_ssa_code *code) {
  if (e->options.kernel != NULL) return 0;
  if (ff_ssa_program_scheduled(e->program)) return code->n_counts > SCHEDULED_MOST;
  if (code->speed == 0) return 0;
  const double cores = e->device.multiProcessorCount, n = e->options.units > 0 ? (double)e->options.units : INFINITY;
  return ff_ssa_factored_speed(e->program, n / cores) > ff_ssa_code_speed(code, n, cores);
}

/* Fills the words of the next point, if it shares the code of the first one. */
static ff_status gather_point(ff_ensemble *e, generated *own, ff_error *err) {
  ff_device_request request = e->request;
  const uint32_t i = own->gathered++;
  const ff_device_point *point = request.points + i;
  ff_ssa_code code;
  ff_error why;
  request.initial = point->initial;
  request.until = point->until;
  const ff_status status =
      ff_ssa_generate(&code, (const ff_ssa_program *)point->model, &request, (uint32_t)e->device.sharedMemPerMultiprocessor,
                      &why);
  if (status == FF_EUNSUPPORTED) return FF_OK;
  if (status != FF_OK) return ff_error_set(err, status, "%s", why.text);
  request.joins[i] = (uint8_t)ff_ssa_code_alike(own->code, &code);
  if (request.joins[i]) ff_ssa_code_point(&code, point->key, own->points + e->n_points++ * e->point_words);
  ff_ssa_code_free(&code);
  return FF_OK;
}

/* Goes on until the deadline, or until all points are gathered, with one point at least. Each may take a while, as its code is
 * generated. Meanwhile the code of the first one is compiled. */
static ff_status gather_points(ff_ensemble *e, generated *own, double deadline, ff_error *err) {
  const uint32_t n = e->request.n_points;
  ff_status status = FF_OK;
  if (own->points == NULL) {
    e->point_words = ff_ssa_code_point_words(own->code);
    own->points = (uint32_t *)ff_calloc((size_t)n * e->point_words, sizeof *own->points);
    if (own->points == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u points", n);
  }
  do
    if (own->gathered < n) status = gather_point(e, own, err);
  while (status == FF_OK && own->gathered < n && ff_clock() < deadline);
  return status;
}

/* The code of another device of the run, which may be used here too; or NULL. */
static ff_ssa_common_code *code_like(const ff_ensemble *e) {
  const ff_ensemble *like = e->options.like;
  const int has_code = like != NULL && like->runner == &ff_ssa_runner_generated && like->own != NULL;
  return has_code ? ((const generated *)like->own)->common : NULL;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  generated *own = (generated *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  ff_status status = ff_ssa_common_code_new(&own->common, code_like(e), e->program, &e->request,
                                            (uint32_t)e->device.sharedMemPerMultiprocessor, err);
  if (status != FF_OK) return status;
  own->code = ff_ssa_common_code_get(own->common);
  if (warps_pay(e, own->code))
    return ff_error_set(err, FF_EUNSUPPORTED, "a warp for each trajectory is expected to be faster than a thread");
  const char *const parts[] = {own->code->definitions, FF_SSA_CODE_HEADERS, own->code->functions};
  return ff_trajectories_start_code(e, &own->jit, parts, err);
}

/* Waits for the code, then takes the kernel and uploads the table. */
static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  generated *own = (generated *)e->own;
  const ff_ssa_code *code = own->code;
  const double deadline = ff_clock() + seconds;
  *is = 0;
  if (e->request.n_points > own->gathered) {
    const ff_status status = gather_points(e, own, deadline, err);
    if (status != FF_OK || own->gathered < e->request.n_points) return status;
  }
  const double left = deadline - ff_clock();
  ff_status status = ff_trajectories_wait_for_code(own->jit, left > 0 ? left : 0, is, err);
  if (status != FF_OK || !*is) return status;
  status = ff_module_kernel_of(&own->kernel, ff_jit_module(own->jit), "s_kernel", (int)code->threads, shared_bytes(code), err);
  if (status == FF_OK) status = ff_cuda_upload((void **)&own->table, code->table, (size_t)code->n_table * 4, "a table", err);
  if (status == FF_OK && code->n_big > 0)
    status = ff_cuda_upload((void **)&own->big, code->big, (size_t)code->n_big * 4, "a table", err);
  if (status == FF_OK && own->points != NULL)
    status = ff_cuda_upload((void **)&e->points, own->points, (size_t)e->n_points * e->point_words * 4, "points", err);
  if (status != FF_OK) return status;
  e->fills = code->latency > 0;
  e->slot_bytes = 4ull * (FF_SSA_CODE_WORDS + code->n_counts + code->n_rows + code->n_kept + code->n_store);
  e->info.bits16 = code->bits16;
  ff_trajectories_use_code(e, own->jit, &own->kernel, code->threads, code->threads, shared_bytes(code), "network",
                           "one trajectory per thread");
  return FF_OK;
}

static void release(ff_ensemble *e) {
  generated *own = (generated *)e->own;
  cudaFree(own->table);
  cudaFree(own->big);
  free(own->points);
  ff_jit_free(own->jit);
  ff_ssa_common_code_free(own->common);
  free(own);
}

static ff_status launch(ff_ensemble *e, const ff_launch *launch, ff_error *err) {
  generated *own = (generated *)e->own;
  ff_launch run = *launch;
  void *arguments[] = {&run, own->code->rates, &own->table, &own->big};
  return ff_module_launch(ff_jit_module(own->jit), &own->kernel, e->running / own->code->threads, 1, own->code->threads,
                          shared_bytes(own->code), e->stream, arguments, err);
}

extern "C" const ff_ssa_runner ff_ssa_runner_generated = {"generated", prepare, ready, release, launch};
