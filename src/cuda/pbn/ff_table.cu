/* The table kernel: runs the packed program, one trajectory per thread (Mizera, Pang, Yuan, sections 3.2 to 3.4). */
#include "ff_pbn_ensemble.h"
#include "ff_table_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 1024 /* at most in a block; the compiler limits the registers per thread accordingly */

/* The parameter of a launch. Word w of the state of lane l of a tile is at (tile * words + w) * 1,024 + l. */
typedef struct {
  ff_step_program program; /* in global memory */
  ff_table_fast fast;
  uint64_t key, unit, step, steps, tiles;
  uint32_t n_terms;        /* the terms to count; 0 if nothing is counted */
  int shared_counts;
  size_t slots;            /* threads that run at the same time; the stride between the words of one thread */
  /* per slot: next state, hits and changes, if they are not in shared memory or registers */
  uint32_t *state, *next, *hits, *changed;
  uint8_t *value;          /* per tile, term and lane */
  uint32_t *counts;
  unsigned long long *changes;
} ff_table_job;

/* Arrays that the threads of a warp read at the same address. They are a kernel parameter, so they are in constant memory. */
template <int WORDS>
struct uniform {
  uint32_t word[WORDS];
};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

__device__ static ff_step_trajectory trajectory_of(const ff_table_job &job, uint64_t tile, uint32_t lane) {
  const size_t slot = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  ff_step_trajectory t;
  t.key = job.key;
  t.unit = (job.unit + tile) * FF_TILE + lane;
  t.state = job.state + tile * job.program.words * FF_TILE + lane;
  t.next = job.next + slot;
  t.hits = job.hits + slot;
  t.stride = FF_TILE;
  t.next_stride = t.hits_stride = job.slots;
  return t;
}

/* The counts of one launch. They are in shared memory if there is room, else in global memory. */
__device__ static ff_step_counts open_counts(const ff_table_job &job, uint64_t at, uint32_t *shared) {
  const uint32_t n = job.n_terms, threads = blockDim.x;
  ff_step_counts c;
  c.n_terms = n;
  c.value = job.value + at;
  c.count = job.counts + at;
  c.changes = job.changed + (size_t)blockIdx.x * threads + threadIdx.x;
  c.value_stride = c.count_stride = FF_TILE;
  c.changes_stride = job.slots;
  if (job.shared_counts) {
    c.count = shared + threadIdx.x;
    c.changes = c.count + (size_t)n * threads;
    c.value = (uint8_t *)(shared + 2 * (size_t)n * threads) + threadIdx.x;
    c.value_stride = c.count_stride = c.changes_stride = threads;
  }
  for (uint32_t i = 0; i < n; i++) {
    c.changes[i * c.changes_stride] = 0;
    if (!job.shared_counts) continue;
    c.count[i * c.count_stride] = 0;
    c.value[i * c.value_stride] = job.value[at + (size_t)i * FF_TILE];
  }
  return c;
}

/* Adds the counts of a launch to those of the tile. All threads of a block belong to one tile and call this together. */
__device__ static void close_counts(const ff_table_job &job, uint64_t at, uint64_t tile, const ff_step_counts &c) {
  for (uint32_t i = 0; i < c.n_terms; i++) {
    if (job.shared_counts) {
      job.counts[at + (size_t)i * FF_TILE] += c.count[i * c.count_stride];
      job.value[at + (size_t)i * FF_TILE] = c.value[i * c.value_stride];
    }
    unsigned long long changed = c.changes[i * c.changes_stride];
    for (int offset = 16; offset > 0; offset /= 2) changed += __shfl_down_sync(0xFFFFFFFFu, changed, offset);
    if (threadIdx.x % 32 == 0 && changed != 0) atomicAdd(&job.changes[tile * job.n_terms + i], changed);
  }
}

template <int FORM, ff_state_place STATE, int WORDS>
__global__ static void __launch_bounds__(THREADS)
    run_steps(const __grid_constant__ ff_table_job job, const __grid_constant__ uniform<WORDS> constant) {
  extern __shared__ __align__(16) uint32_t shared[];
  const uint32_t threads = blockDim.x, per_tile = FF_TILE / threads, words = job.program.words;
  ff_step_program p = job.program;
  if (WORDS > 1) ff_table_read_uniform(&p, constant.word);
  ff_table_fetch(FORM, &p, &job.fast, shared, threadIdx.x, threads);
  __syncthreads();
  uint32_t *own = shared + job.fast.words, *behind = own;
  if (STATE == FF_STATE_SHARED) behind += (size_t)words * threads * (FORM & FF_FORM_ASYNCHRONOUS ? 1 : 2);
  for (uint64_t chunk = blockIdx.x; chunk < job.tiles * per_tile; chunk += gridDim.x) {
    const uint64_t tile = chunk / per_tile;
    const uint32_t lane = (uint32_t)(chunk % per_tile) * threads + threadIdx.x;
    const uint64_t at = tile * job.n_terms * FF_TILE + lane;
    ff_step_trajectory t = trajectory_of(job, tile, lane);
    uint32_t *const state = t.state, held[4], next[4];
    const ff_step_counts c = open_counts(job, at, behind);
    if (STATE == FF_STATE_REGISTERS) {
      t.state = held;
      t.next = next;
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        held[i] = i < words ? state[(size_t)i * FF_TILE] : 0;
        next[i] = 0;
      }
    }
    if (STATE == FF_STATE_SHARED) {
      t.state = own + threadIdx.x;
      t.next = t.state + (size_t)words * threads;
      t.stride = t.next_stride = threads;
      for (uint32_t i = 0; i < words; i++) t.state[i * t.stride] = state[(size_t)i * FF_TILE];
    }
    ff_step_run(FORM, &p, &t, job.step, job.steps, &c);
    if (STATE == FF_STATE_REGISTERS) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        if (i < words) state[(size_t)i * FF_TILE] = held[i];
    }
    if (STATE == FF_STATE_SHARED)
      for (uint32_t i = 0; i < words; i++) state[(size_t)i * FF_TILE] = t.state[i * t.stride];
    __syncwarp();
    close_counts(job, at, tile, c);
  }
}

__global__ static void __launch_bounds__(THREADS) start_states(const __grid_constant__ ff_table_job job) {
  const uint32_t per_tile = FF_TILE / blockDim.x;
  for (uint64_t chunk = blockIdx.x; chunk < job.tiles * per_tile; chunk += gridDim.x) {
    const uint32_t lane = (uint32_t)(chunk % per_tile) * blockDim.x + threadIdx.x;
    const ff_step_trajectory t = trajectory_of(job, chunk / per_tile, lane);
    ff_step_start(FF_FORM_PLACED, &job.program, &t);
  }
}

/* Evaluates the terms in the present states. */
__global__ static void __launch_bounds__(THREADS) evaluate(const __grid_constant__ ff_table_job job) {
  const uint32_t per_tile = FF_TILE / blockDim.x;
  for (uint64_t chunk = blockIdx.x; chunk < job.tiles * per_tile; chunk += gridDim.x) {
    const uint64_t tile = chunk / per_tile;
    const uint32_t lane = (uint32_t)(chunk % per_tile) * blockDim.x + threadIdx.x;
    const ff_step_trajectory t = trajectory_of(job, tile, lane);
    ff_step_counts c;
    c.n_terms = job.n_terms;
    c.value = job.value + tile * job.n_terms * FF_TILE + lane;
    c.value_stride = FF_TILE;
    c.count = c.changes = NULL;
    c.count_stride = c.changes_stride = 0;
    ff_step_evaluate(FF_FORM_PLACED, &job.program, &t, &c);
  }
}

/* One warp per tile and term. Counts the trajectories in which the term holds. */
__global__ static void add_values(const uint8_t *value, uint32_t *out, uint64_t n) {
  const uint32_t lane = threadIdx.x % 32;
  for (uint64_t i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < n; i += (uint64_t)gridDim.x * blockDim.x / 32) {
    const uint32_t *four = (const uint32_t *)(value + i * FF_TILE);
    int sum = 0;
    for (uint32_t j = lane; j < FF_TILE / 4; j += 32) sum += __popc(four[j]);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (lane == 0) out[i] = (uint32_t)sum;
  }
}

/* ---- the compiled variants of the kernel -------------------------------------------------------------------------- */

typedef struct {
  int form;
  ff_state_place state;
  int constant;
  const void *kernel;
} variant;

#define FORM_OF(form) ((form) | FF_FORM_PLACED)
#define VARIANT(form, state, constant) \
  { FORM_OF(form), state, constant, (const void *)run_steps<FORM_OF(form), state, constant ? FF_TABLE_CONSTANT : 1> }
#define SPLIT_ROWS (FF_FORM_SPLIT | FF_FORM_ROWS)

static const void *kernel_of(const ff_table_plan *plan) {
  static const variant all[] = {
      VARIANT(FF_FORM_PAIRS | FF_FORM_WORDS2, FF_STATE_REGISTERS, 1),
      VARIANT(FF_FORM_PAIRS | FF_FORM_WORDS2, FF_STATE_REGISTERS, 0),
      VARIANT(FF_FORM_PAIRS | FF_FORM_WORDS4, FF_STATE_REGISTERS, 1),
      VARIANT(FF_FORM_PAIRS | FF_FORM_WORDS4, FF_STATE_REGISTERS, 0),
      VARIANT(FF_FORM_PAIRS, FF_STATE_SHARED, 1),
      VARIANT(FF_FORM_PAIRS, FF_STATE_SHARED, 0),
      VARIANT(FF_FORM_PAIRS | SPLIT_ROWS, FF_STATE_SHARED, 1),
      VARIANT(FF_FORM_PAIRS | SPLIT_ROWS, FF_STATE_SHARED, 0),
      VARIANT(FF_FORM_PAIRS | SPLIT_ROWS, FF_STATE_GLOBAL, 0),
      VARIANT(SPLIT_ROWS, FF_STATE_GLOBAL, 0),
      VARIANT(FF_FORM_ASYNCHRONOUS | FF_FORM_PAIRS | FF_FORM_WORDS2, FF_STATE_REGISTERS, 0),
      VARIANT(FF_FORM_ASYNCHRONOUS | FF_FORM_PAIRS | FF_FORM_WORDS4, FF_STATE_REGISTERS, 0),
      VARIANT(FF_FORM_ASYNCHRONOUS | FF_FORM_PAIRS, FF_STATE_SHARED, 0),
      VARIANT(FF_FORM_ASYNCHRONOUS | FF_FORM_PAIRS | SPLIT_ROWS, FF_STATE_SHARED, 0),
      VARIANT(FF_FORM_ASYNCHRONOUS | FF_FORM_PAIRS | SPLIT_ROWS, FF_STATE_GLOBAL, 0),
      VARIANT(FF_FORM_ASYNCHRONOUS | SPLIT_ROWS, FF_STATE_GLOBAL, 0),
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i].form == plan->form && all[i].state == plan->state && all[i].constant == plan->constant) return all[i].kernel;
  return NULL;
}

/* ---- the runner -------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_table_plan plan;
  const void *kernel;
  ff_step_program program; /* its pointers are the device's */
  void *memory;
  uniform<FF_TABLE_CONSTANT> constant;
  size_t slots;
  uint32_t *state, *next, *hits, *changed;
  uint8_t *value;
} table_own;

static void release(ff_ensemble *e) {
  table_own *own = (table_own *)e->own;
  cudaFree(own->memory);
  cudaFree(own->state);
  cudaFree(own->next);
  cudaFree(own->hits);
  cudaFree(own->changed);
  cudaFree(own->value);
  free(own);
  e->own = NULL;
}

static ff_status upload(ff_ensemble *e, table_own *own, ff_error *err) {
  const ff_pbn_program *p = e->program;
  ff_step_program image;
  void *memory = NULL;
  size_t bytes = 0;
  ff_status status = ff_table_image_new(&image, &memory, &bytes, p, &own->plan, err);
  if (status != FF_OK) return status;
  if (own->plan.constant) memcpy(own->constant.word, image.first, ff_table_uniform(p) * sizeof(uint32_t));
  status = ff_cuda_upload(&own->memory, memory, bytes, "the program", err);
  if (status == FF_OK) own->program = ff_table_image_at(&image, memory, own->memory);
  ff_free_aligned(memory);
  e->info.bytes += bytes;
  return status;
}

static void say_why(ff_ensemble *e, const ff_table_plan *plan) {
  static const char *const state[] = {"registers", "shared memory", "global memory"};
  char tables[64] = "tables in shared memory";
  if (plan->form & FF_FORM_SPLIT) {
    uint32_t n = plan->split * 32 < e->program->n_nodes ? plan->split * 32 : e->program->n_nodes;
    snprintf(tables, sizeof tables, "tables of %u of %u nodes in shared memory", n, e->program->n_nodes);
  }
  snprintf(e->info.reason, sizeof e->info.reason, "one trajectory per thread: state in %s, %s", state[plan->state], tables);
}

/* Computes how many blocks run on a multiprocessor, and allocates the memory that each of their threads needs. */
static ff_status size_up(ff_ensemble *e, table_own *own, ff_error *err) {
  const ff_pbn_program *p = e->program;
  const size_t shared = ff_table_shared_bytes(&own->plan, own->plan.threads);
  cudaFuncAttributes attributes;
  int blocks = 0;
  ff_status status = ff_cuda_check(cudaFuncGetAttributes(&attributes, own->kernel), "reading the table kernel's attributes", err);
  if (status == FF_OK) /* the maximum, for all ensembles that use this kernel: each launch states how much it takes */
    status = ff_cuda_check(cudaFuncSetAttribute(own->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                (int)e->device.sharedMemPerBlockOptin), "taking shared memory", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, own->kernel, (int)own->plan.threads, shared),
                           "sizing the table kernel", err);
  if (status != FF_OK) return status;
  if (blocks < 1)
    return ff_error_set(err, FF_EBACKEND, "the table kernel does not fit on the GPU (%zu bytes of shared memory)", shared);
  own->slots = (size_t)blocks * (size_t)e->device.multiProcessorCount * own->plan.threads;
  e->resident = own->slots / FF_TILE > 0 ? own->slots / FF_TILE : 1;
  e->info.threads = own->plan.threads;
  e->info.blocks = (uint32_t)blocks;
  e->info.registers = (uint32_t)attributes.numRegs;
  e->info.shared_bytes = (uint32_t)shared;
  const size_t hits = p->hits.size == 0 ? 0 : (size_t)p->hits.n_draws * ((size_t)p->hits.lowest + p->hits.size);
  const size_t changed = own->plan.shared_counts ? 0 : p->n_terms;
  status = ff_cuda_new((void **)&own->next, own->slots * p->packed.words * 4, "next states", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&own->hits, own->slots * hits * 4, "flips", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&own->changed, own->slots * changed * 4, "counts", err);
  e->info.bytes += own->slots * 4 * (p->packed.words + hits + changed);
  return status;
}

static ff_status prepare(ff_ensemble *e, ff_error *err) {
  const ff_pbn_program *p = e->program;
  if (p->layout != FF_LAYOUT_PACKED)
    return ff_error_set(err, FF_EARGUMENT, "the table kernel runs programs of layout \"packed\", not \"%s\"",
                        p->layout == FF_LAYOUT_SLICED ? "sliced" : "packed");
  table_own *own = (table_own *)ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the table kernel");
  e->own = own;
  const ff_table_card card = {e->device.sharedMemPerBlockOptin, e->device.sharedMemPerMultiprocessor,
                              e->device.reservedSharedMemPerBlock, (uint32_t)e->device.maxThreadsPerMultiProcessor};
  ff_table_plan_of(&own->plan, p, &card, e->runner != &ff_pbn_runner_table_unsplit);
  own->kernel = kernel_of(&own->plan);
  if (own->kernel == NULL) return ff_error_set(err, FF_EINTERNAL, "no table kernel of form %d", own->plan.form);
  ff_status status = upload(e, own, err);
  if (status == FF_OK) status = size_up(e, own, err);
  e->tile_bytes = ((uint64_t)p->packed.words * 4 + p->n_terms) * FF_TILE;
  say_why(e, &own->plan);
  return status;
}

static ff_status allocate(ff_ensemble *e, ff_error *err) {
  table_own *own = (table_own *)e->own;
  ff_status status =
      ff_cuda_new((void **)&own->state, e->capacity * e->program->packed.words * FF_TILE * sizeof *own->state, "states", err);
  if (status != FF_OK) return status;
  return ff_cuda_new((void **)&own->value, e->capacity * e->program->n_terms * FF_TILE, "values", err);
}

static ff_table_job job_of(const ff_ensemble *e) {
  const table_own *own = (const table_own *)e->own;
  ff_table_job job;
  memset(&job, 0, sizeof job);
  job.program = own->program;
  job.fast = own->plan.fast;
  job.key = e->key;
  job.unit = e->unit;
  job.step = e->step;
  job.tiles = e->tiles;
  job.n_terms = e->program->n_terms;
  job.shared_counts = own->plan.shared_counts;
  job.slots = own->slots;
  job.state = own->state;
  job.next = own->next;
  job.hits = own->hits;
  job.changed = own->changed;
  job.value = own->value;
  job.counts = e->counts;
  job.changes = (unsigned long long *)e->changes;
  return job;
}

typedef struct {
  uint32_t blocks, threads;
} launch_size;

/* Blocks are smaller if there are too few trajectories for all multiprocessors. There are never more threads than slots. */
static launch_size size_of(const ff_ensemble *e) {
  const table_own *own = (const table_own *)e->own;
  uint32_t threads = own->plan.threads;
  while (threads > 64 && e->tiles * FF_TILE / threads < (uint64_t)e->device.multiProcessorCount) threads /= 2;
  const uint64_t chunks = e->tiles * FF_TILE / threads, most = own->slots / threads;
  launch_size out = {(uint32_t)(chunks < most ? chunks : most), threads};
  return out;
}

static ff_status start(ff_ensemble *e, ff_error *err) {
  const launch_size size = size_of(e);
  start_states<<<size.blocks, size.threads, 0, e->stream>>>(job_of(e));
  return ff_cuda_check(cudaGetLastError(), "starting trajectories", err);
}

/* Counts, per tile and term, the trajectories in which the term held when its values were last recorded. */
static ff_status add_up(ff_ensemble *e, uint32_t *out, ff_error *err) {
  const table_own *own = (const table_own *)e->own;
  const uint64_t n = e->tiles * e->program->n_terms, blocks = (n + 7) / 8;
  if (n == 0) return FF_OK;
  add_values<<<(unsigned)(blocks < 65536 ? blocks : 65536), 256, 0, e->stream>>>(own->value, out, n);
  return ff_cuda_check(cudaGetLastError(), "adding up values", err);
}

static ff_status steps(ff_ensemble *e, uint64_t wanted, int count, int fresh, ff_error *err) {
  table_own *own = (table_own *)e->own;
  const launch_size size = size_of(e);
  ff_table_job job = job_of(e);
  ff_status status = FF_OK;
  if (count && fresh && job.n_terms > 0) {
    evaluate<<<size.blocks, size.threads, 0, e->stream>>>(job);
    status = ff_cuda_check(cudaGetLastError(), "recording the first states", err);
    if (status == FF_OK) status = add_up(e, e->before, err);
  }
  if (!count) job.n_terms = 0;
  for (uint64_t done = 0; done < wanted && status == FF_OK; done += job.steps) {
    job.step = e->step + done;
    job.steps = wanted - done < UINT32_MAX ? wanted - done : UINT32_MAX; /* because the counts of a launch are 32-bit numbers */
    void *arguments[] = {&job, &own->constant};
    status = ff_cuda_check(cudaLaunchKernel(own->kernel, dim3(size.blocks), dim3(size.threads), arguments,
                                            ff_table_shared_bytes(&own->plan, size.threads), e->stream), "running steps", err);
  }
  return status;
}

static ff_status spill(ff_ensemble *e, ff_error *err) { return add_up(e, e->after, err); }

static ff_status state(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  const table_own *own = (const table_own *)e->own;
  const ff_packed *q = &e->program->packed;
  const size_t words = (size_t)q->words * FF_TILE;
  uint32_t *got = (uint32_t *)ff_calloc(words, sizeof *got);
  if (got == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a tile's states");
  ff_status status = ff_cuda_check(cudaMemcpy(got, own->state + tile * words, words * sizeof *got, cudaMemcpyDeviceToHost),
                                   "reading states", err);
  for (uint32_t place = 0; place < e->program->n_nodes && status == FF_OK; place++) {
    uint64_t *row = rows + (size_t)q->order[place] * FF_ROW_WORDS;
    memset(row, 0, FF_ROW_WORDS * sizeof *row);
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      row[lane / 64] |= (uint64_t)(got[(size_t)(place / 32) * FF_TILE + lane] >> (place % 32) & 1) << (lane % 64);
  }
  free(got);
  return status;
}

static ff_status terms(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err) {
  const table_own *own = (const table_own *)e->own;
  const size_t tile_bytes = (size_t)e->program->n_terms * FF_TILE;
  uint8_t *got = (uint8_t *)ff_calloc(n, 64);
  if (got == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u terms", n);
  ff_status status = ff_cuda_check(cudaMemcpy2D(got, 64, own->value + tile * tile_bytes, FF_TILE, 64, n, cudaMemcpyDeviceToHost),
                                   "reading terms", err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    words[i] = 0;
    for (uint32_t lane = 0; lane < 64; lane++) words[i] |= (uint64_t)(got[(size_t)i * 64 + lane] & 1) << lane;
  }
  free(got);
  return status;
}

extern "C" const ff_pbn_runner ff_pbn_runner_table = {"table", prepare, NULL, release, allocate, start,
                                                     steps, spill, state, terms};
extern "C" const ff_pbn_runner ff_pbn_runner_table_unsplit = {"table_unsplit", prepare, NULL, release, allocate, start,
                                                             steps, spill, state, terms};
