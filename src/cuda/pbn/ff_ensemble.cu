/* The CUDA backend's table: ensembles, and the sums over trajectories, which are reduced on the device. */
#include "ff_ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_STEPS 4      /* of a first launch, whose time is not known yet */
#define LONG_LAUNCH 0.02   /* seconds; launches aim at half of what the caller gives, or at all where that is less than this */
#define SPILL_STEPS ((1u << FF_COUNT_LEVELS) - 1u)
#define LIMBS 4            /* a sum is kept in 32-bit limbs, each in a word of its own, so that atomics can add it */

/* ---- sums over trajectories ------------------------------------------------------------------------------------- */

typedef struct {
  const uint32_t *counts, *first_half, *before, *after;
  const uint64_t *changes;
  const uint32_t *first, *weights, *at;
  const uint8_t *sets;
  uint32_t n, n_terms, n_counted; /* observables, their terms, and what the program counts */
  uint64_t tiles, half[2];
  uint64_t *sums;
} tally_input;

typedef unsigned long long word;

__device__ static void add_limbs(word *sum, word low, word high) {
  sum[0] += (uint32_t)low;
  sum[1] += low >> 32;
  sum[2] += (uint32_t)high;
  sum[3] += high >> 32;
}

__device__ static void add_block(word *shared, word *to, const word *mine, int n) {
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) shared[i] = 0;
  __syncthreads();
  for (int i = 0; i < n; i++) {
    word sum = mine[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(&shared[i], sum);
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
    if (shared[i] != 0) atomicAdd(&to[i], shared[i]);
  __syncthreads();
}

/* A term's counts in the first half and in all, of one trajectory; a constant one has them all, or none. */
__device__ static void read_counts(const tally_input *in, uint32_t term, word tile, uint32_t lane, word *early, word *all) {
  const uint32_t at = in->at[term];
  if (at >= FF_SUMS_0) {
    *early = at == FF_SUMS_1 ? in->half[0] : 0;
    *all = at == FF_SUMS_1 ? in->half[0] + in->half[1] : 0;
    return;
  }
  const word i = (tile * in->n_counted + at) * FF_TILE + lane;
  *early = in->first_half[i];
  *all = in->counts[i];
}

/* Five plain sums a term: after its counts a state set has its changes, and how many trajectories begin and end there; another term
 * has the trajectories' halves in which it held, and in which it did not, at some step. */
__global__ static void tally_terms(tally_input in) {
  __shared__ word shared[5];
  for (uint32_t observable = blockIdx.x; observable < in.n; observable += gridDim.x)
    for (uint32_t i = in.first[observable]; i < in.first[observable + 1]; i++) {
      const int set = in.sets[observable], constant = in.at[i] >= FF_SUMS_0;
      word mine[5] = {0, 0, 0, 0, 0};
      for (uint64_t tile = blockIdx.y; tile < in.tiles; tile += gridDim.y) {
        for (uint32_t lane = threadIdx.x; lane < FF_TILE; lane += blockDim.x) {
          word early, all;
          read_counts(&in, i, tile, lane, &early, &all);
          mine[0] += early;
          mine[1] += all;
          if (set) continue;
          const word late = all - early;
          mine[2] += constant ? 2 : (early > 0) + (late > 0);
          mine[3] += constant ? 2 : (early < in.half[0]) + (late < in.half[1]);
        }
        if (!set || threadIdx.x != 0) continue;
        const uint64_t held = in.at[i] == FF_SUMS_1 ? FF_TILE : 0, at = constant ? 0 : tile * in.n_counted + in.at[i];
        mine[2] += !constant ? in.changes[at] : 0;
        mine[3] += constant ? held : in.before[at];
        mine[4] += constant ? held : in.after[at];
      }
      add_block(shared, (word *)in.sums + (size_t)i * 5, mine, 5);
    }
}

/* Five sums of limbs an observable: a, b, a a, b b, a b of a trajectory's weighted counts in the halves. */
__global__ static void tally_observables(tally_input in) {
  __shared__ word shared[5 * LIMBS];
  for (uint32_t i = blockIdx.x; i < in.n; i += gridDim.x) {
    word mine[5 * LIMBS] = {0};
    for (uint64_t tile = blockIdx.y; tile < in.tiles; tile += gridDim.y)
      for (uint32_t lane = threadIdx.x; lane < FF_TILE; lane += blockDim.x) {
        word a = 0, whole = 0;
        for (uint32_t j = in.first[i]; j < in.first[i + 1]; j++) {
          word early, all;
          read_counts(&in, j, tile, lane, &early, &all);
          a += in.weights[j] * early;
          whole += in.weights[j] * all;
        }
        const word b = whole - a;
        add_limbs(mine, a, 0);
        add_limbs(mine + LIMBS, b, 0);
        add_limbs(mine + 2 * LIMBS, a * a, __umul64hi(a, a));
        add_limbs(mine + 3 * LIMBS, b * b, __umul64hi(b, b));
        add_limbs(mine + 4 * LIMBS, a * b, __umul64hi(a, b));
      }
    add_block(shared, (word *)in.sums + (size_t)in.n_terms * 5 + (size_t)i * 5 * LIMBS, mine, 5 * LIMBS);
  }
}

/* ---- ensembles -------------------------------------------------------------------------------------------------- */

static void ensemble_free(ff_ensemble *e) {
  if (e == NULL) return;
  cudaSetDevice((int)e->options.device);
  if (e->stream != NULL) cudaStreamSynchronize(e->stream);
  if (e->runner != NULL && e->own != NULL) e->runner->release(e);
  cudaFree(e->counts);
  cudaFree(e->first_half);
  cudaFree(e->changes);
  cudaFree(e->before);
  cudaFree(e->after);
  cudaFree(e->sums);
  cudaFree(e->observable_first);
  cudaFree(e->observable_weights);
  cudaFree(e->observable_at);
  cudaFree(e->observable_sets);
  if (e->begin != NULL) cudaEventDestroy(e->begin);
  if (e->end != NULL) cudaEventDestroy(e->end);
  if (e->stream != NULL) cudaStreamDestroy(e->stream);
  cudaGetLastError();
  free(e);
}

static size_t common_bytes(const ff_program *p) { return (size_t)p->n_terms * (FF_TILE * 8 + 16); }

static void list_runners(ff_ensemble *e) {
  const ff_kernel wanted = e->options.kernel;
  if (e->program->layout == FF_LAYOUT_PACKED) {
    if (wanted == FF_KERNEL_AUTO || wanted == FF_KERNEL_TABLE) e->runners[e->n_runners++] = &ff_runner_table;
    return;
  }
  const int interpret = wanted == FF_KERNEL_AUTO && e->options.like == FF_KERNEL_INTERPRETER;
  if (!interpret && (wanted == FF_KERNEL_AUTO || wanted == FF_KERNEL_GENERATED)) e->runners[e->n_runners++] = &ff_runner_generated;
  if (wanted == FF_KERNEL_AUTO || wanted == FF_KERNEL_INTERPRETER) e->runners[e->n_runners++] = &ff_runner_interpreter;
}

static void refuse(ff_ensemble *e, const ff_error *why) {
  if (e->own != NULL) e->runner->release(e);
  e->own = NULL;
  snprintf(e->refused, sizeof e->refused, "%.150s", why->text);
}

/* Whatever keeps the first runner from taking it, the next may do. */
static ff_status next_runner(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_error_set(err, FF_EARGUMENT, "this kernel does not run a program of layout \"%s\"",
                                  e->program->layout == FF_LAYOUT_PACKED ? "packed" : "sliced");
  while (status != FF_OK && e->tried < e->n_runners) {
    e->runner = e->runners[e->tried++];
    e->info.kernel = e->runner->kernel;
    status = e->runner->prepare(e, err);
    if (status != FF_OK) refuse(e, err);
  }
  return status;
}

/* As many tiles as the device runs at a time, where the memory allows: a last, smaller wave costs less than equal ones, whose
 * time is that of the fullest multiprocessor. */
static ff_status size_up(ff_ensemble *e, ff_error *err) {
  size_t unused = 0, all = 0;
  ff_status status = ff_cuda_check(cudaMemGetInfo(&unused, &all), "asking for its memory", err);
  if (status != FF_OK) return status;
  uint64_t a_tile = e->tile_bytes + common_bytes(e->program), fits = (uint64_t)((double)unused * 0.9) / (a_tile > 0 ? a_tile : 1);
  uint64_t tiles = e->resident > 0 ? e->resident : 1;
  if (tiles > fits) tiles = fits;
  if (tiles == 0)
    return ff_error_set(err, FF_EMEMORY, "1,024 trajectories take %llu bytes of GPU memory, and %llu are free",
                        (unsigned long long)a_tile, (unsigned long long)unused);
  if (e->options.tiles > 0 && e->options.tiles < tiles) tiles = e->options.tiles;
  e->capacity = e->info.capacity = tiles;
  e->info.bytes += tiles * a_tile;
  return FF_OK;
}

static ff_status take_memory(ff_ensemble *e, ff_error *err) {
  const uint64_t n = e->capacity * e->program->n_terms;
  ff_status status = ff_cuda_new((void **)&e->counts, n * FF_TILE * sizeof *e->counts, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->first_half, n * FF_TILE * sizeof *e->first_half, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->changes, n * sizeof *e->changes, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->before, n * sizeof *e->before, "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&e->after, n * sizeof *e->after, "counts", err);
  return status;
}

/* Memory is cleared and filled on the default stream, for which the ensemble's own does not wait. */
static ff_status settle_memory(ff_error *err) {
  return ff_cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "filling its memory", err);
}

static ff_status set_up(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaGetDeviceProperties(&e->device, (int)e->options.device), "asking what it is", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking), "making a stream", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&e->begin), "making a timer", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&e->end), "making a timer", err);
  list_runners(e);
  return status == FF_OK ? next_runner(e, err) : status;
}

/* What is left to do once the runner is prepared. */
static ff_status finish(ff_ensemble *e, ff_error *err) {
  if (e->refused[0] != '\0') { /* why not the runner before */
    char first[sizeof e->info.reason];
    snprintf(first, sizeof first, "%s", e->info.reason);
    snprintf(e->info.reason, sizeof e->info.reason, "%.90s; %.150s", first, e->refused);
  }
  ff_status status = size_up(e, err);
  if (status == FF_OK) status = take_memory(e, err);
  if (status == FF_OK) status = e->runner->allocate(e, err);
  return status == FF_OK ? settle_memory(err) : status;
}

static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  int prepared = 1;
  *is = e->made;
  if (e->made) return FF_OK;
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  if (status != FF_OK) return status;
  if (e->runner->ready != NULL) status = e->runner->ready(e, seconds, &prepared, err);
  if (status != FF_OK) {
    refuse(e, err);
    return e->tried < e->n_runners ? next_runner(e, err) : status;
  }
  if (!prepared) return FF_OK;
  status = finish(e, err);
  *is = e->made = status == FF_OK;
  return status;
}

static ff_status ensemble_new(ff_ensemble **out, const ff_program *program, const ff_ensemble_options *options, ff_error *err) {
  *out = NULL;
  ff_ensemble *e = (ff_ensemble *)ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
  e->program = program;
  e->options = *options;
  ff_status status = set_up(e, err);
  e->options.cache = NULL; /* the caller's */
  if (status != FF_OK) {
    ensemble_free(e);
    return status;
  }
  *out = e;
  return FF_OK;
}

static ff_ensemble_info ensemble_info(const ff_ensemble *e) { return e->info; }

static ff_status wait_for(ff_ensemble *e, const char *doing, ff_error *err) {
  ff_status status = ff_cuda_check(cudaGetLastError(), doing, err);
  return status == FF_OK ? ff_cuda_check(cudaStreamSynchronize(e->stream), doing, err) : status;
}

static ff_status forget(ff_ensemble *e, ff_error *err) {
  const uint64_t n = e->tiles * e->program->n_terms;
  e->counted = e->in_counters = 0;
  ff_status status = ff_cuda_check(cudaMemsetAsync(e->counts, 0, n * FF_TILE * sizeof *e->counts, e->stream),
                                   "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->first_half, 0, n * FF_TILE * sizeof *e->first_half, e->stream),
                           "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->changes, 0, n * sizeof *e->changes, e->stream), "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->before, 0, n * sizeof *e->before, e->stream), "clearing counts", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemsetAsync(e->after, 0, n * sizeof *e->after, e->stream), "clearing counts", err);
  return status;
}

static ff_status start(ff_ensemble *e, uint64_t key, uint64_t unit, uint64_t tiles, ff_error *err) {
  if (tiles > e->capacity || tiles == 0)
    return ff_error_set(err, FF_EINTERNAL, "a wave of %llu tiles, and %llu fit", (unsigned long long)tiles,
                        (unsigned long long)e->capacity);
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  if (status != FF_OK) return status;
  e->key = key;
  e->unit = unit;
  e->tiles = tiles;
  e->step = 0;
  status = forget(e, err);
  if (status == FF_OK) status = e->runner->start(e, err);
  return status == FF_OK ? wait_for(e, "starting trajectories", err) : status;
}

/* One launch, timed. */
static ff_status launch(ff_ensemble *e, uint64_t steps, int count, ff_error *err) {
  ff_status status = ff_cuda_check(cudaEventRecord(e->begin, e->stream), "timing", err);
  if (status == FF_OK) status = e->runner->steps(e, steps, count, count && e->counted == 0, err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventRecord(e->end, e->stream), "timing", err);
  if (status == FF_OK) status = wait_for(e, "running steps", err);
  float milliseconds = 0;
  if (status == FF_OK) status = ff_cuda_check(cudaEventElapsedTime(&milliseconds, e->begin, e->end), "timing", err);
  if (status != FF_OK) return status;
  e->info.device_seconds += milliseconds / 1000.0;
  if (milliseconds > 0) e->second_steps[count != 0] = (double)steps * 1000.0 / milliseconds;
  e->step += steps;
  if (count) e->counted += steps;
  if (count) e->in_counters += steps;
  return FF_OK;
}

static ff_status spill(ff_ensemble *e, ff_error *err) {
  ff_status status = e->runner->spill(e, err);
  e->in_counters = 0;
  return status;
}

static ff_status steps(ff_ensemble *e, uint64_t wanted, int count, double seconds, uint64_t *done, ff_error *err) {
  *done = 0;
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  const double stop = ff_clock() + seconds;
  while (status == FF_OK && *done < wanted) {
    double share = seconds < LONG_LAUNCH ? seconds : seconds / 2, left = stop - ff_clock();
    if (left < share && left > 0) share = left; /* so that several devices end at the same time, and none waits long */
    double most = e->second_steps[count != 0] > 0 ? e->second_steps[count != 0] * share : FIRST_STEPS;
    uint64_t chunk = most < 1 ? 1 : most > 1e9 ? 1000000000 : (uint64_t)most;
    if (chunk > wanted - *done) chunk = wanted - *done;
    if (count) {
      uint64_t room = SPILL_STEPS - e->in_counters;
      if (chunk > room) chunk = room;
    }
    status = launch(e, chunk, count, err);
    if (status == FF_OK && e->in_counters == SPILL_STEPS) status = spill(e, err);
    *done += chunk;
    if (ff_clock() > stop) break;
  }
  return status;
}

static ff_status half(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  if (status == FF_OK) status = spill(e, err);
  const uint64_t n = e->tiles * e->program->n_terms;
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(e->first_half, e->counts, n * FF_TILE * sizeof *e->counts,
                                           cudaMemcpyDeviceToDevice, e->stream),
                           "noting the first half", err);
  return status == FF_OK ? wait_for(e, "noting the first half", err) : status;
}

/* Terms are counted in their order. */
static ff_status upload_same(ff_ensemble *e, uint32_t n_terms, ff_error *err) {
  uint32_t *same = (uint32_t *)ff_calloc(n_terms, sizeof *same);
  if (same == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for sums");
  for (uint32_t i = 0; i < n_terms; i++) same[i] = i;
  ff_status status = ff_cuda_upload((void **)&e->observable_at, same, (size_t)n_terms * sizeof *same, "sums", err);
  free(same);
  return status;
}

static ff_status upload_observables(ff_ensemble *e, const ff_sums *sums, ff_error *err) {
  if (e->sums != NULL) return FF_OK;
  ff_status status = ff_cuda_new((void **)&e->sums,
                                 ((size_t)sums->n_terms * 5 + (size_t)sums->n * 5 * LIMBS) * sizeof *e->sums, "sums", err);
  if (status == FF_OK)
    status = ff_cuda_upload((void **)&e->observable_first, sums->first, ((size_t)sums->n + 1) * sizeof *sums->first, "sums", err);
  if (status == FF_OK)
    status = ff_cuda_upload((void **)&e->observable_weights, sums->weights, (size_t)sums->n_terms * sizeof *sums->weights,
                            "sums", err);
  if (status != FF_OK) return status;
  if (sums->at != NULL)
    status = ff_cuda_upload((void **)&e->observable_at, sums->at, (size_t)sums->n_terms * sizeof *sums->at, "sums", err);
  else
    status = upload_same(e, sums->n_terms, err);
  if (status == FF_OK) status = ff_cuda_upload((void **)&e->observable_sets, sums->sets, sums->n, "sums", err);
  return status == FF_OK ? settle_memory(err) : status;
}

static void add_words(uint64_t *sum, uint64_t low, uint64_t high) {
  sum[0] += low;
  sum[1] += high + (sum[0] < low);
}

static void add_to(const ff_sums *sums, const uint64_t *from) {
  const size_t plain = (size_t)sums->n_terms * 5;
  for (size_t i = 0; i < plain; i++) sums->words[i] += from[i];
  for (size_t i = 0; i < (size_t)sums->n * 5; i++) {
    const uint64_t *limb = from + plain + i * LIMBS;
    uint64_t *to = sums->words + plain + i * 2;
    add_words(to, limb[0], 0);
    add_words(to, limb[1] << 32, limb[1] >> 32);
    add_words(to, 0, limb[2]);
    add_words(to, 0, limb[3] << 32);
  }
}

static ff_status tally(ff_ensemble *e, const ff_sums *sums, ff_error *err) {
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  if (status == FF_OK) status = spill(e, err);
  if (status == FF_OK) status = upload_observables(e, sums, err);
  if (status != FF_OK || sums->n_terms == 0) return status;
  const size_t words = (size_t)sums->n_terms * 5 + (size_t)sums->n * 5 * LIMBS;
  status = ff_cuda_check(cudaMemsetAsync(e->sums, 0, words * sizeof *e->sums, e->stream), "adding up", err);
  if (status != FF_OK) return status;
  const tally_input in = {.counts = e->counts, .first_half = e->first_half, .before = e->before, .after = e->after,
                          .changes = e->changes, .first = e->observable_first, .weights = e->observable_weights,
                          .at = e->observable_at, .sets = e->observable_sets, .n = sums->n, .n_terms = sums->n_terms,
                          .n_counted = e->program->n_terms, .tiles = e->tiles, .half = {sums->half[0], sums->half[1]},
                          .sums = e->sums};
  const uint64_t fill = (uint64_t)e->device.multiProcessorCount * 8 / sums->n + 1; /* blocks an observable, to fill the device */
  const unsigned deep = (unsigned)(e->tiles < fill ? e->tiles : fill);
  tally_terms<<<dim3(sums->n < 4096 ? sums->n : 4096, deep), 256, 0, e->stream>>>(in);
  tally_observables<<<dim3(sums->n < 4096 ? sums->n : 4096, deep), 256, 0, e->stream>>>(in);
  status = ff_cuda_check(cudaGetLastError(), "adding up", err);
  uint64_t *got = (uint64_t *)ff_calloc(words, sizeof *got);
  if (got == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for sums");
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(got, e->sums, words * sizeof *got, cudaMemcpyDeviceToHost, e->stream),
                           "adding up", err);
  if (status == FF_OK) status = wait_for(e, "adding up", err);
  if (status == FF_OK) add_to(sums, got);
  free(got);
  return status == FF_OK ? forget(e, err) : status;
}

static ff_status state(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  return status == FF_OK ? e->runner->state(e, tile, rows, err) : status;
}

static ff_status terms(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err) {
  ff_status status = ff_cuda_check(cudaSetDevice((int)e->options.device), "taking the device", err);
  return status == FF_OK && n > 0 ? e->runner->terms(e, tile, n, words, err) : status;
}

static const ff_backend table = {FF_BACKEND_ABI, sizeof(ff_backend), "cuda", ff_cuda_devices, ensemble_new, ensemble_free,
                                 ensemble_info, start, steps, half, tally, state, ready, terms};

extern "C" __attribute__((visibility("default"))) const ff_backend *fireflip_backend(uint32_t abi, size_t program_bytes) {
  return abi == FF_BACKEND_ABI && program_bytes == sizeof(ff_program) ? &table : NULL;
}
