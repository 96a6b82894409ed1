/* Gathers the trajectories of a wave in its first slots (ff_ssa_gather.h). */
#include "ff_ssa_ensemble.h"

#define THREADS 256

/* Lists the empty slots among the first n. places[0] counts them, places[1] those that are taken, and the list follows. */
__global__ static void list_empty(const __grid_constant__ ff_ssa_launch run, uint32_t n, uint32_t *places) {
  const uint32_t slot = blockIdx.x * THREADS + threadIdx.x;
  if (slot < n && run.state[(uint64_t)FF_SSA_SLOT_BUSY * run.slots + slot] == 0u) places[2u + atomicAdd(places, 1u)] = slot;
}

/* Moves what busy slots from number n on keep to empty ones. The order does not matter. */
__global__ static void move(const __grid_constant__ ff_ssa_launch run, const __grid_constant__ ff_ssa_slot_words words, uint32_t n,
                            uint32_t *places) {
  const uint32_t slot = n + blockIdx.x * THREADS + threadIdx.x;
  if (slot >= run.slots || run.state[(uint64_t)FF_SSA_SLOT_BUSY * run.slots + slot] == 0u) return;
  const uint32_t to = places[2u + atomicAdd(places + 1, 1u)];
  for (uint32_t i = 0; i < words.columns + words.store; i++)
    run.state[ff_ssa_word_place(&words, run.slots, to, i)] = run.state[ff_ssa_word_place(&words, run.slots, slot, i)];
  run.state[(uint64_t)FF_SSA_SLOT_BUSY * run.slots + slot] = 0u;
}

extern "C" ff_status ff_ssa_gather_slots(ff_ensemble *e, uint32_t n, ff_error *err) {
  const ff_ssa_launch *l = &e->launch;
  const uint32_t rest = l->slots - n;
  ff_status status = ff_cuda_room_take(&e->places, ((size_t)n + 2) * sizeof(uint32_t), "places", err);
  uint32_t *const places = (uint32_t *)e->places.at;
  if (status == FF_OK) status = ff_cuda_check(cudaMemsetAsync(places, 0, 2 * sizeof *places, e->stream), "gathering", err);
  if (status != FF_OK) return status;
  list_empty<<<(n + THREADS - 1) / THREADS, THREADS, 0, e->stream>>>(*l, n, places);
  move<<<(rest + THREADS - 1) / THREADS, THREADS, 0, e->stream>>>(*l, e->words, n, places);
  status = ff_cuda_check(cudaGetLastError(), "gathering trajectories", err);
  if (status != FF_OK) return status;
  e->running = n;
  e->launch.from = 0;
  e->gathered = 1;
  return FF_OK;
}
