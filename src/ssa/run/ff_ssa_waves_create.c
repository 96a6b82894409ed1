/* Creates the ensembles of devices that simulate the trajectories of a run. */
#include "../methods/ff_ssa_finders.h"
#include "ff_ssa_waves.h"

uint64_t ff_ssa_run_waiting(const ff_ssa_run *run) {
  const uint64_t next = atomic_load(&run->next);
  uint64_t n = next < run->options.n ? run->options.n - next : 0;
  for (uint32_t i = 0; run->waves != NULL && i < run->waves->n_left; i++)
    n += run->waves->left[i].last - run->waves->left[i].next;
  return n;
}

const ff_ssa_wave *ff_ssa_waves_first(const ff_ssa_waves *w, int wide) {
  for (uint32_t i = 0; i < w->n; i++)
    if (w->waves[i].ensemble != NULL && w->waves[i].wide >= wide) return &w->waves[i];
  return NULL;
}

uint64_t ff_ssa_wave_units(const ff_ssa_run *run, const ff_ssa_wave *v) {
  const uint32_t n = run->waves->n;
  return v->range.last - v->range.next + (ff_ssa_run_waiting(run) + n - 1) / n;
}

ff_status ff_ssa_wave_create(const ff_ssa_run *run, const ff_ssa_wave *v, int wide, ff_ensemble **out, ff_error *err) {
  const ff_ssa_waves *w = run->waves;
  const ff_ssa_wave *first = ff_ssa_waves_first(w, wide);
  const uint64_t complete = ff_ssa_workers_complete(run);
  const ff_ensemble_options options = {.device = w->devices[v - w->waves],
                                       .kernel = w->choice.kernel,
                                       .like = first != NULL ? first->ensemble : NULL,
                                       .units = ff_ssa_wave_units(run, v),
                                       .steps = complete > 0 ? ff_ssa_workers_events(run) / complete : 0,
                                       .cache = w->choice.cache};
  const ff_ssa_device_request request = {.method = run->options.method,
                                         .initial = w->largest != NULL ? w->largest : run->initial,
                                         .until = run->options.until,
                                         .starts = run->options.starts,
                                         .first_start = run->options.first,
                                         .max_firings = run->options.max_firings,
                                         .max_values = ff_ssa_most_entries(&run->wanted),
                                         .wide = wide,
                                         .product_bytes = w->tallies ? run->wanted.product_bytes : 0,
                                         .times = run->wanted.since,
                                         .n_times = run->wanted.n_times,
                                         .species = w->species,
                                         .n_species = w->n_species,
                                         .blocks = w->choice.blocks,
                                         .order = w->order != NULL ? ff_ssa_optimised_order(w->order) : NULL};
  return w->backend->create(out, run->program, &request, &options, err);
}
