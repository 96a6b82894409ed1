/* The runner "windows": large nets, whose blocks run side by side over windows of time. A slot runs one trajectory. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_ensemble.h"

extern "C" {
#include "windows/ff_petri_tissue_data.h"
}

#define SIDE_BY_SIDE 400000u /* blocks of the net, in all trajectories that run side by side: more are not faster */
#define MOST_RESIDENT 32767u /* there may be twice as many slots, and a launch has at most 65,535 rows */

/* The code of a class of blocks. */
typedef struct {
  ff_jit *jit;
  ff_module_kernel prepare, sweep;
} block_class;

typedef struct {
  ff_petri_tissue_data data;
  block_class of[FF_PETRI_MOST_CLASSES];
  ff_module_kernel add_up, review; /* in the code of the first class */
  char *lists;           /* of the net, on the device */
  char *opened;          /* the begin of a slot's memory, on this processor: locked in memory, so that copies are fast */
  ff_petri_slot *slot;   /* of each slot, as they were read last */
  uint32_t n_slots, rounds; /* rounds: that are queued next */
  uint64_t next;         /* the next trajectory that begins */
} tissue;

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  tissue *own = (tissue *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  e->own = own;
  ff_status status = ff_petri_tissue_data_new(&own->data, (const ff_petri_parts *)e->request.own, &e->request, err);
  for (uint32_t c = 0; c < own->data.n_classes && status == FF_OK; c++) {
    const ff_petri_code *code = &own->data.code[c];
    const char *const parts[] = {code->definitions, FF_PETRI_CODE_BLOCK_HEADERS, code->functions};
    status = ff_trajectories_start_code(e, &own->of[c].jit, parts, err);
  }
  return status;
}

/* Waits for the code of all classes. */
static ff_status wait_for_code(tissue *own, double seconds, int *is, ff_error *err) {
  const double deadline = ff_clock() + seconds;
  ff_status status = FF_OK;
  *is = 1;
  for (uint32_t c = 0; c < own->data.n_classes && *is && status == FF_OK; c++) {
    const double left = deadline - ff_clock();
    status = ff_trajectories_wait_for_code(own->of[c].jit, left > 0 ? left : 0, is, err);
  }
  return status;
}

static ff_status take_kernels(tissue *own, ff_error *err) {
  ff_module *first = ff_jit_module(own->of[0].jit);
  ff_status status = FF_OK;
  for (uint32_t c = 0; c < own->data.n_classes && status == FF_OK; c++) {
    block_class *of = &own->of[c];
    const int threads = (int)own->data.code[c].threads;
    const size_t shared = ff_petri_code_shared_bytes(&own->data.code[c]);
    status = ff_module_kernel_of(&of->prepare, ff_jit_module(of->jit), "p_prepare_kernel", threads, shared, err);
    if (status == FF_OK)
      status = ff_module_kernel_of(&of->sweep, ff_jit_module(of->jit), "p_sweep_kernel", threads, shared, err);
  }
  if (status == FF_OK) status = ff_module_kernel_of(&own->add_up, first, "p_add_up_kernel", FF_PETRI_REVIEW_THREADS, 0, err);
  if (status == FF_OK) status = ff_module_kernel_of(&own->review, first, "p_review_kernel", FF_PETRI_REVIEW_THREADS, 0, err);
  return status;
}

/* Memory of this machine, not of the GPU, may be what is missing. */
static ff_status lock_memory(char **out, size_t bytes, ff_error *err) {
  const cudaError_t status = cudaMallocHost((void **)out, bytes);
  if (status != cudaErrorMemoryAllocation) return ff_cuda_check(status, "locking memory", err);
  cudaGetLastError();
  return ff_error_set(err, FF_EMEMORY, "this machine has not enough memory for the start of a trajectory: %zu bytes that the GPU "
                      "can read", bytes);
}

/* Waits for the code, then takes the kernels and uploads the lists of the net. */
static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  tissue *own = (tissue *)e->own;
  ff_status status = wait_for_code(own, seconds, is, err);
  if (status != FF_OK || !*is) return status;
  status = take_kernels(own, err);
  if (status == FF_OK) status = ff_cuda_upload((void **)&own->lists, own->data.data, own->data.bytes, "a net", err);
  if (status != FF_OK) return status;
  const size_t bytes = ff_petri_tissue_open_bytes(&own->data);
  status = lock_memory(&own->opened, bytes, err);
  if (status != FF_OK) return status;
  memset(own->opened, 0, bytes);
  const ff_petri_code *code = own->data.code;
  ff_trajectories_use_code(e, own->of[0].jit, &own->of[0].sweep, code->threads, code->threads, ff_petri_code_shared_bytes(code),
                           "net", "many threads per trajectory");
  e->slot_bytes = own->data.net.slot_bytes;
  e->block_slots = 1;
  e->resident = 1 + SIDE_BY_SIDE / own->data.net.n_blocks;
  if (e->resident > MOST_RESIDENT) e->resident = MOST_RESIDENT;
  return FF_OK;
}

static void release(ff_ensemble *e) {
  tissue *own = (tissue *)e->own;
  cudaFree(own->lists);
  for (uint32_t c = 0; c < FF_PETRI_MOST_CLASSES; c++) ff_jit_free(own->of[c].jit);
  ff_petri_tissue_data_free(&own->data);
  cudaFreeHost(own->opened);
  free(own->slot);
  free(own);
}

/* ---- launches ----------------------------------------------------------------------------------------------------------- */

/* Lets the next trajectory begin in a slot. */
static ff_status begin(ff_ensemble *e, const ff_launch *launch, uint32_t k, ff_error *err) {
  tissue *own = (tissue *)e->own;
  const uint64_t unit = own->next++, number = launch->first + unit;
  const double *starts = e->request.starts;
  const double *initial = starts == NULL ? e->request.initial : starts + (number - e->request.first_start) * e->n_counts;
  ff_petri_tissue_open(&own->data, launch->key, number, (uint32_t)unit, initial, own->opened);
  own->slot[k] = *(const ff_petri_slot *)(own->opened + own->data.net.at_slot);
  const ff_status status = ff_cuda_check(cudaMemcpyAsync((char *)launch->state + k * e->slot_bytes, own->opened,
                                         ff_petri_tissue_open_bytes(&own->data), cudaMemcpyHostToDevice, e->stream),
                         "copying the start of a trajectory", err);
  return status == FF_OK ? ff_stages_wait(e, "copying the start of a trajectory", err) : status;
}

/* How many blocks of threads share the blocks of a class in a slot: as many as the device has room for, but no more than give
 * each warp one block of the class. */
static uint32_t groups_of(const ff_ensemble *e, uint32_t c) {
  const tissue *own = (const tissue *)e->own;
  const uint32_t warps = own->data.code[c].threads / 32;
  const uint32_t most = (ff_petri_tissue_blocks_of(&own->data, c) + warps - 1) / warps;
  const uint32_t share = (uint32_t)own->of[c].sweep.blocks * (uint32_t)e->device.multiProcessorCount / own->n_slots;
  return share < 1 ? 1 : share < most ? share : most;
}

/* A wave of trajectories (ff_launch.h) begins: all slots are empty. */
static ff_status begin_wave(ff_ensemble *e, const ff_launch *launch, ff_error *err) {
  tissue *own = (tissue *)e->own;
  own->next = 0;
  own->rounds = 1;
  own->n_slots = launch->slots;
  free(own->slot);
  own->slot = (ff_petri_slot *)ff_calloc(own->n_slots, sizeof *own->slot);
  if (own->slot == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u trajectories", own->n_slots);
  for (uint32_t k = 0; k < own->n_slots; k++) {
    const ff_status status = ff_cuda_check(cudaMemsetAsync((char *)launch->state + k * e->slot_bytes + own->data.net.at_slot, 0,
                                                           sizeof *own->slot, e->stream), "starting trajectories", err);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

/* Whether a slot is empty, but shall have a trajectory. */
static int waits(const tissue *own, const ff_launch *launch, uint32_t k) {
  return own->slot[k].phase == FF_PETRI_SLOT_IS_EMPTY && own->next < launch->units;
}

/* Fills empty slots until the time `stop`: at least one, and the others in the next launch, so that a user can interrupt. The
 * time of the launch begins after that. */
static ff_status fill(ff_ensemble *e, const ff_launch *launch, double stop, ff_error *err) {
  tissue *own = (tissue *)e->own;
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < own->n_slots && status == FF_OK; k++) {
    if (!waits(own, launch, k)) continue;
    status = begin(e, launch, k, err);
    if (ff_clock() > stop) break;
  }
  return status == FF_OK ? ff_launch_begin(e, err) : status;
}

/* Whether all slots that shall have trajectories have some, and there are any. */
static int is_full(const tissue *own, const ff_launch *launch) {
  int full = 0;
  for (uint32_t k = 0; k < own->n_slots; k++) {
    if (waits(own, launch, k)) return 0;
    full |= own->slot[k].phase != FF_PETRI_SLOT_IS_EMPTY;
  }
  return full;
}

/* Queues a kernel of a class. */
static ff_status launch_class(ff_ensemble *e, uint32_t c, const ff_module_kernel *kernel, unsigned groups, void **arguments,
                              ff_error *err) {
  const tissue *own = (const tissue *)e->own;
  const ff_petri_code *code = &own->data.code[c];
  return ff_module_launch(ff_jit_module(own->of[c].jit), kernel, groups, own->n_slots, code->threads,
                          ff_petri_code_shared_bytes(code), e->stream, arguments, err);
}

/* Queues a round: the four parts of ff_petri_tissue.h. */
static ff_status play_round(ff_ensemble *e, void **arguments, ff_error *err) {
  tissue *own = (tissue *)e->own;
  const ff_petri_tissue *net = &own->data.net;
  const uint32_t n = own->data.n_classes, strips = FF_PETRI_REVIEW_THREADS / 32;
  ff_module *first = ff_jit_module(own->of[0].jit);
  ff_status status = FF_OK;
  for (uint32_t c = 0; c < n && status == FF_OK; c++) {
    const uint32_t threads = own->data.code[c].threads, blocks = ff_petri_tissue_blocks_of(&own->data, c);
    status = launch_class(e, c, &own->of[c].prepare, (blocks + threads - 1) / threads, arguments, err);
  }
  for (uint32_t c = 0; c < n && status == FF_OK; c++)
    status = launch_class(e, c, &own->of[c].sweep, groups_of(e, c), arguments, err);
  if (status == FF_OK)
    status = ff_module_launch(first, &own->add_up, (net->n_strips + strips - 1) / strips, own->n_slots,
                              FF_PETRI_REVIEW_THREADS, 0, e->stream, arguments, err);
  if (status == FF_OK)
    status = ff_module_launch(first, &own->review, own->n_slots, 1, FF_PETRI_REVIEW_THREADS, 0, e->stream, arguments, err);
  return status;
}

/* Reads all slots: one by one if they are farther apart than lines of a copy may be. */
static ff_status read_slots(ff_ensemble *e, const ff_launch *launch, ff_error *err) {
  tissue *own = (tissue *)e->own;
  const char *from = (const char *)launch->state + own->data.net.at_slot;
  const size_t bytes = sizeof *own->slot;
  const int at_once = e->slot_bytes <= e->device.memPitch;
  ff_status status = FF_OK;
  if (at_once)
    status = ff_cuda_check(cudaMemcpy2DAsync(own->slot, bytes, from, e->slot_bytes, bytes, own->n_slots, cudaMemcpyDeviceToHost,
                                             e->stream), "reading trajectories", err);
  for (uint32_t k = 0; !at_once && k < own->n_slots && status == FF_OK; k++)
    status = ff_cuda_check(cudaMemcpyAsync(own->slot + k, from + k * e->slot_bytes, bytes, cudaMemcpyDeviceToHost, e->stream),
                           "reading trajectories", err);
  return status == FF_OK ? ff_stages_wait(e, "simulating trajectories", err) : status;
}

static ff_status launch(ff_ensemble *e, const ff_launch *launch, ff_error *err) {
  tissue *own = (tissue *)e->own;
  ff_launch run = *launch;
  ff_petri_tissue net = ff_petri_tissue_at(&own->data, own->lists, (char *)launch->state);
  void *arguments[] = {&run, &net};
  const double stop = ff_clock() + (double)launch->nanoseconds * 1e-9;
  ff_status status = launch->begun == 0 ? begin_wave(e, launch, err) : FF_OK;
  if (status == FF_OK) status = fill(e, launch, stop, err);
  /* Rounds begin when all slots are full: with few trajectories, they take nearly as long as with all. */
  while (status == FF_OK && is_full(own, launch)) {
    const double began = ff_clock();
    for (uint32_t k = 0; k < own->rounds && status == FF_OK; k++) status = play_round(e, arguments, err);
    if (status == FF_OK) status = read_slots(e, launch, err);
    own->rounds = ff_petri_tissue_rounds(own->rounds, ff_clock() - began);
    if (ff_clock() >= stop) break;
  }
  return status;
}

extern "C" const ff_trajectory_runner ff_petri_runner_windows = {"windows", prepare, ready, release, launch};
