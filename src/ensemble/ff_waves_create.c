/* Creates the ensembles of devices that simulate the trajectories of a run. */
#include "ff_waves.h"

uint64_t ff_run_waiting(const ff_run *run) {
  const uint64_t next = atomic_load(&run->next);
  uint64_t n = next < run->options.n ? run->options.n - next : 0;
  for (uint32_t i = 0; run->waves != NULL && i < run->waves->n_left; i++)
    n += run->waves->left[i].last - run->waves->left[i].next;
  return n;
}

uint64_t ff_wave_units(const ff_run *run, const ff_wave *v) {
  const uint32_t n = run->waves->fleet.n;
  return v->range.last - v->range.next + (ff_run_waiting(run) + n - 1) / n;
}

/* The first ensemble for larger counts, or NULL. */
static const ff_ensemble *first_bits32(const ff_waves *w) {
  for (uint32_t i = 0; i < w->fleet.n; i++)
    if (w->waves[i].on->ensemble != NULL && w->waves[i].bits32) return w->waves[i].on->ensemble;
  return NULL;
}

ff_status ff_wave_create(const ff_run *run, const ff_wave *v, int bits32, ff_ensemble_options *options, ff_ensemble **out,
                         ff_error *err) {
  const ff_waves *w = run->waves;
  const ff_engine *engine = run->process.engine;
  const uint64_t complete = ff_workers_complete(run);
  if (bits32) options->like = first_bits32(w);
  options->units = ff_wave_units(run, v);
  options->steps = complete > 0 ? ff_workers_steps(run) / complete : 0;
  ff_device_request request = {.method = run->options.method,
                               .initial = w->largest != NULL ? w->largest : run->initial,
                               .until = run->options.until,
                               .starts = run->options.starts,
                               .first_start = run->options.first,
                               .max_firings = run->options.max_firings,
                               .max_values = ff_most_entries(&run->wanted),
                               .bits32 = bits32,
                               .product_bytes = w->tallies ? run->wanted.product_bytes : 0,
                               .times = run->wanted.since,
                               .n_times = run->wanted.n_times,
                               .observed = w->counts,
                               .n_observed = w->n_counts,
                               .reals = w->reals,
                               .tallies = w->tallies,
                               .threads = run->options.threads / (int)w->fleet.n,
                               .blocks = w->fleet.choice.blocks};
  if (engine->request != NULL) engine->request(&run->process, &request);
  return w->calls->create(out, run->process.model, &request, options, err);
}
