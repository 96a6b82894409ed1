/* How often each count occurs, on the device. Blocks count the values of a cell in a table in device memory. If the values of a
 * cell are near each other, each block counts first in its own memory. */
#include <stdlib.h>

#include "ff_collect_device.h"

#define THREADS 256
#define AT_ONCE 8          /* counts that a thread reads before it counts them */
#define TURN (AT_ONCE * THREADS)
#define BINS 4096          /* the values that a block counts in its own memory: 16 KB */
#define MOST_JOBS 65536    /* at a time */
#define LEAST_TURNS 4      /* of a block, unless there are fewer */
#define NONE 0xFFFFFFFFu   /* no count */

typedef struct {
  const uint32_t *recorded, *refused;
  uint64_t first, units, wave; /* trajectories first ... first + units - 1 of a wave of `wave` */
  uint64_t parts, items; /* parts of the trajectories; an item is a part of a job */
  const ff_collect_job *jobs;
  word *table, *used; /* used[0] values are listed */
  ff_collect_value *values;
} count_input;

__device__ static void add_hashed(word *table, uint32_t room, uint32_t value, uint32_t count) {
  const word entry = ff_collect_entry(value, count);
  for (uint32_t i = ff_collect_slot(value, room);; i = (i + 1) & (room - 1)) {
    word found = *(volatile word *)(table + i);
    if (found == 0) found = atomicCAS(table + i, 0, entry);
    if (found == 0) return;
    if (found >> 32 != entry >> 32) continue; /* another value, which remains */
    atomicAdd(table + i, (word)count);
    return;
  }
}

/* The value of trajectory k, or NONE if it does not belong to the job. */
__device__ static uint32_t value_of(const count_input *in, const ff_collect_job *job, uint64_t k) {
  const uint64_t at = in->first + k;
  if (k >= in->units || in->refused[at / 32] >> at % 32 & 1) return NONE;
  const uint32_t x = in->recorded[job->cell * in->wave + at];
  return x >= job->from && (job->hashed || x - job->from < job->room) ? x : NONE;
}

/* Adds one occurrence of x, or none if x is NONE. `bins` are the block's own, or NULL. */
__device__ static void count_value(word *table, uint32_t *bins, const ff_collect_job *job, uint32_t x) {
  if (bins != NULL) {
    if (x != NONE) atomicAdd(bins + (x - job->from), 1u);
    return;
  }
  const uint32_t same = __match_any_sync(EVERYONE, x); /* one lane adds for all that have the same value */
  if (x == NONE || FF_LOWEST(same) != threadIdx.x % 32) return;
  if (job->hashed) add_hashed(table, job->room, x, FF_POPCOUNT(same));
  else atomicAdd(table + (x - job->from), (word)FF_POPCOUNT(same));
}

__global__ static void __launch_bounds__(THREADS) count_values(count_input in) {
  __shared__ uint32_t bins[BINS];
  for (uint64_t item = blockIdx.x; item < in.items; item += gridDim.x) {
    const ff_collect_job job = in.jobs[item / in.parts];
    word *table = in.table + job.offset;
    const uint32_t near = !job.hashed && job.room <= BINS ? job.room : 0;
    for (uint32_t i = threadIdx.x; i < near; i += THREADS) bins[i] = 0;
    __syncthreads();
    for (uint64_t first = item % in.parts * TURN; first < in.units; first += in.parts * TURN) {
      uint32_t x[AT_ONCE];
#pragma unroll
      for (int i = 0; i < AT_ONCE; i++) x[i] = value_of(&in, &job, first + i * THREADS + threadIdx.x);
#pragma unroll
      for (int i = 0; i < AT_ONCE; i++) count_value(table, near > 0 ? bins : NULL, &job, x[i]);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < near; i += THREADS)
      if (bins[i] != 0) atomicAdd(table + i, (word)bins[i]);
    __syncthreads(); /* before the bins are used again */
  }
}

/* Lists the entries of all tables that are not 0. */
__global__ static void __launch_bounds__(THREADS) list_values(count_input in) {
  const uint32_t lane = threadIdx.x % 32;
  for (uint64_t item = blockIdx.x; item < in.items; item += gridDim.x) {
    const ff_collect_job job = in.jobs[item / in.parts];
    for (uint64_t first = item % in.parts * THREADS; first < job.room; first += in.parts * THREADS) {
      const uint32_t i = (uint32_t)first + threadIdx.x;
      const word entry = i < job.room ? in.table[job.offset + i] : 0;
      const uint32_t those = __ballot_sync(EVERYONE, entry != 0);
      word to = 0;
      if (lane == 0 && those != 0) to = atomicAdd(in.used, (word)FF_POPCOUNT(those));
      to = __shfl_sync(EVERYONE, to, 0) + FF_POPCOUNT(those & ((1u << lane) - 1));
      if (entry != 0) in.values[to] = ff_collect_value_of(&job, i, entry);
    }
  }
}

/* ---- on the host -------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_trajectories *e;
  uint64_t first, units; /* the trajectories of the wave that are counted */
  ff_collect_job *jobs;
  size_t n;      /* jobs */
  uint32_t room; /* the entries of all their tables */
} job_group;

static ff_status count_on(const count_input *in, cudaStream_t stream, ff_error *err) {
  const unsigned blocks = in->items < 1u << 30 ? (unsigned)in->items : 1u << 30;
  count_values<<<blocks, THREADS, 0, stream>>>(*in);
  ff_status status = ff_cuda_check(cudaGetLastError(), "counting", err);
  if (status != FF_OK) return status;
  list_values<<<blocks, THREADS, 0, stream>>>(*in);
  return ff_cuda_check(cudaGetLastError(), "counting", err);
}

/* Divides the memory for a group's jobs, and queues the counting. */
static ff_status queue(count_input *in, const job_group *group, ff_error *err) {
  ff_trajectories *e = group->e;
  const ff_launch *run = &e->launch;
  const size_t table = (1 + (size_t)group->room) * sizeof(word), jobs = group->n * sizeof *group->jobs;
  const size_t values = group->room * sizeof *in->values;
  ff_status status = ff_cuda_room_take(&e->sums, table + jobs + values + 16, "histograms", err);
  if (status != FF_OK) return status;
  in->used = (word *)e->sums.at; /* all parts are aligned to 8 bytes */
  in->table = in->used + 1;
  in->jobs = (const ff_collect_job *)((char *)e->sums.at + table);
  in->values = (ff_collect_value *)((char *)e->sums.at + table + jobs);
  status = ff_cuda_check(cudaMemsetAsync(in->used, 0, table, e->stream), "counting", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync((void *)in->jobs, group->jobs, jobs, cudaMemcpyHostToDevice, e->stream), "counting",
                           err);
  if (status != FF_OK) return status;
  const uint64_t most = (group->units + LEAST_TURNS * TURN - 1) / (LEAST_TURNS * TURN);
  const uint64_t blocks = (uint64_t)e->device.multiProcessorCount * 32; /* all that run at a time, several times */
  const uint64_t wanted = (blocks + group->n - 1) / group->n;
  in->recorded = run->recorded;
  in->refused = run->refused;
  in->first = group->first;
  in->units = group->units;
  in->wave = run->units;
  in->parts = wanted < most ? wanted : most;
  in->items = in->parts * group->n;
  return count_on(in, e->stream, err);
}

/* Counts for a group of jobs, adds what was found to the list, and empties the group. */
static ff_status count_group(ff_collect_values *out, job_group *group, ff_error *err) {
  ff_trajectories *e = group->e;
  count_input in = {};
  uint64_t used = 0;
  if (group->n == 0) return FF_OK;
  ff_status status = queue(&in, group, err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(&used, in.used, sizeof used, cudaMemcpyDeviceToHost, e->stream), "counting", err);
  if (status == FF_OK) status = ff_stages_wait(e, "counting", err);
  const uint64_t most = e->request.max_values;
  if (status == FF_OK && most > 0 && out->n + used > most)
    status = ff_error_set(err, FF_ESIZE, "the histograms have more than %llu entries", (unsigned long long)most);
  if (status == FF_OK) status = ff_grow((void **)&out->at, &out->capacity, out->n + (size_t)used, sizeof *out->at, err);
  const size_t bytes = (size_t)used * sizeof *out->at;
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(out->at + out->n, in.values, bytes, cudaMemcpyDeviceToHost, e->stream), "counting",
                           err);
  if (status == FF_OK) status = ff_stages_wait(e, "counting", err);
  if (status == FF_OK) out->n += used;
  group->n = group->room = 0;
  return status;
}

/* Adds the jobs of a cell to the group, which is counted whenever it is full. */
static ff_status count_cell(ff_collect_values *out, job_group *group, size_t cell, const uint64_t *words, ff_error *err) {
  const uint32_t most = (uint32_t)words[FF_COLLECT_WORD_MOST];
  uint32_t from = FF_DEVICE_MOST - (uint32_t)words[FF_COLLECT_WORD_LEAST];
  if (words[FF_COLLECT_WORD_N] == 0) return FF_OK;
  while (from <= most) {
    ff_collect_job job = ff_collect_job_of(cell, from, words);
    ff_status status = FF_OK;
    if (group->n == MOST_JOBS || group->room + job.room > FF_COLLECT_ROOM) status = count_group(out, group, err);
    if (status != FF_OK) return status;
    job.offset = group->room;
    group->room += job.room;
    group->jobs[group->n++] = job;
    from = job.hashed ? most + 1 : from + job.room;
  }
  return FF_OK;
}

ff_status ff_collect_values_of(ff_collect_values *out, ff_trajectories *e, uint64_t first, uint64_t n, const uint64_t *words,
                               size_t cells, ff_error *err) {
  job_group group = {e, first, n, (ff_collect_job *)ff_calloc(MOST_JOBS, sizeof(ff_collect_job)), 0, 0};
  ff_status status = group.jobs != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for histograms");
  for (size_t i = 0; i < cells && status == FF_OK; i++)
    status = count_cell(out, &group, i, words + i * FF_COLLECT_WORDS, err);
  if (status == FF_OK) status = count_group(out, &group, err);
  free(group.jobs);
  return status;
}
