/* The trajectories that a thread of a run has on its way, and those that it has completed. */
#include "ff_run.h"
#include "ff_run_internal.h"

void ff_worker_drop(ff_run *run, ff_worker *w) {
  uint64_t failed = atomic_load(&run->failed);
  for (uint32_t lane = 0; lane < ff_worker_lanes(w); lane++) {
    if (w->unit[lane] == FF_NO_UNIT || w->unit[lane] <= failed) continue;
    w->unit[lane] = FF_NO_UNIT;
    w->ended &= ~(UINT64_C(1) << lane);
    w->lanes->rest(w->lanes, lane);
  }
}

void ff_worker_fail(ff_run *run, ff_worker *w, uint64_t unit, const ff_error *failure) {
  if (unit < w->failed) {
    w->failure = *failure;
    w->failed = unit;
  }
  uint_least64_t first = atomic_load(&run->failed);
  while (unit < first && !atomic_compare_exchange_weak(&run->failed, &first, unit)) continue;
}

uint64_t ff_workers_complete(const ff_run *run) {
  uint64_t n = 0;
  for (int i = 0; i < run->threads; i++) n += run->workers[i].complete;
  return n;
}

uint64_t ff_workers_steps(const ff_run *run) {
  uint64_t n = 0;
  for (int i = 0; i < run->threads; i++) {
    const ff_worker *w = run->workers + i;
    n += w->steps;
    for (uint32_t lane = 0; lane < ff_worker_lanes(w); lane++)
      if (w->unit[lane] != FF_NO_UNIT) n += w->lanes->steps(w->lanes, lane);
  }
  return n;
}

double ff_workers_underway(const ff_run *run) {
  const double last = run->wanted.since[run->wanted.n_times - 1];
  double sum = 0;
  for (int i = 0; i < run->threads; i++) {
    const ff_worker *w = run->workers + i;
    for (uint32_t lane = 0; lane < ff_worker_lanes(w); lane++) {
      const double part = w->unit[lane] != FF_NO_UNIT ? w->lanes->next_time[lane] / last : 0;
      if (part > 0) sum += part < 1 ? part : 1;
    }
  }
  return sum;
}
