/* Ensembles of tiles on a device: the choice of a runner, memory, launches, and the interface "pbn". */
#include "ff_pbn_ensemble.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_STEPS 4      /* in the first launch, because the time per step is not known yet */
#define SPILL_STEPS ((1u << FF_COUNT_LEVELS) - 1u)

/* ---- ensembles -------------------------------------------------------------------------------------------------- */

static size_t common_bytes(const ff_pbn_program *p) { return (size_t)p->n_terms * (FF_TILE * 8 + 16); }

static const ff_pbn_runner *runner_of(const ff_ensemble *e) { return static_cast<const ff_pbn_runner *>(e->runner); }

/* Lists the candidates in the order in which they are asked. */
static void list_runners(ff_ensemble *e) {
  static const ff_pbn_runner *const packed[] = {&ff_pbn_runner_table, &ff_pbn_runner_table_unsplit};
  static const ff_pbn_runner *const sliced[] = {&ff_pbn_runner_generated, &ff_pbn_runner_interpreter};
  const int is_packed = e->program->layout == FF_LAYOUT_PACKED;
  for (int i = 0; i < 2; i++) {
    const ff_pbn_runner *runner = is_packed ? packed[i] : sliced[i];
    const int left_out = runner == &ff_pbn_runner_table_unsplit ||
                         (runner == &ff_pbn_runner_generated && ff_runner_is(&ff_pbn_runner_interpreter, ff_stages_like(e)));
    if (e->options.kernel != NULL ? ff_runner_is(runner, e->options.kernel) : !left_out) ff_stages_offer(e, runner);
  }
}

/* A wave has as many tiles as the device can run at the same time, if memory allows. A smaller last wave costs less than equal
 * waves would, because the fullest multiprocessor determines a wave's time. */
static ff_status size_up(ff_ensemble *e, ff_error *err) {
  size_t unused = 0, all = 0;
  ff_status status = ff_cuda_check(cudaMemGetInfo(&unused, &all), "reading its memory size", err);
  if (status != FF_OK) return status;
  uint64_t a_tile = e->tile_bytes + common_bytes(e->program),
           fits = (uint64_t)((double)unused * 0.9) / (a_tile > 0 ? a_tile : 1);
  uint64_t tiles = e->resident > 0 ? e->resident : 1;
  if (tiles > fits) tiles = fits;
  if (tiles == 0)
    return ff_error_set(err, FF_EMEMORY, "1,024 trajectories take %llu bytes of GPU memory, but only %llu are free",
                        (unsigned long long)a_tile, (unsigned long long)unused);
  if (e->options.units > 0 && e->options.units < tiles) tiles = e->options.units;
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

static ff_status allocate(ff_ensemble *e, ff_error *err) {
  ff_status status = size_up(e, err);
  if (status == FF_OK) status = take_memory(e, err);
  return status == FF_OK ? runner_of(e)->allocate(e, err) : status;
}

static void give_back(ff_ensemble *e) {
  void *const memory[] = {e->counts, e->first_half, e->changes, e->before, e->after, e->sums.at, e->observables.at};
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) cudaFree(memory[i]);
}

static void destroy(ff_ensemble *e) {
  if (e == NULL) return;
  ff_stages_close(e);
  free(e);
}

static ff_status create(ff_ensemble **out, const ff_pbn_program *program, const ff_ensemble_options *options, ff_error *err) {
  static const ff_staged_kind kind = {allocate, NULL, give_back};
  ff_error none;
  *out = NULL;
  ff_ensemble *e = (ff_ensemble *)ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
  e->kind = &kind;
  e->program = program;
  e->options = *options;
  list_runners(e);
  ff_error_set(&none, FF_EARGUMENT, "no kernel of this name runs a program of layout \"%s\"",
               program->layout == FF_LAYOUT_PACKED ? "packed" : "sliced");
  const ff_status status = ff_stages_open(e, &none, err);
  if (status == FF_OK) *out = e;
  else destroy(e);
  return status;
}

static ff_ensemble_info info(const ff_ensemble *e) { return e->info; }

ff_status ff_pbn_ensemble_forget(ff_ensemble *e, ff_error *err) {
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
    return ff_error_set(err, FF_EINTERNAL, "a wave of %llu tiles, but at most %llu fit", (unsigned long long)tiles,
                        (unsigned long long)e->capacity);
  e->key = key;
  e->unit = unit;
  e->tiles = tiles;
  e->step = 0;
  ff_status status = ff_pbn_ensemble_forget(e, err);
  if (status == FF_OK) status = runner_of(e)->start(e, err);
  return status == FF_OK ? ff_stages_wait(e, "starting trajectories", err) : status;
}

/* Runs one launch and measures its time. */
static ff_status launch(ff_ensemble *e, uint64_t steps, int count, ff_error *err) {
  double seconds = 0;
  ff_status status = ff_launch_begin(e, err);
  if (status == FF_OK) status = runner_of(e)->steps(e, steps, count, count && e->counted == 0, err);
  if (status == FF_OK) status = ff_launch_end(e, err);
  if (status == FF_OK) status = ff_launch_lasted(e, "running steps", &seconds, err);
  if (status != FF_OK) return status;
  if (seconds > 0) e->second_steps[count != 0] = (double)steps / seconds;
  e->step += steps;
  if (count) e->counted += steps;
  if (count) e->in_counters += steps;
  return FF_OK;
}

ff_status ff_pbn_ensemble_spill(ff_ensemble *e, ff_error *err) {
  ff_status status = runner_of(e)->spill(e, err);
  e->in_counters = 0;
  return status;
}

static ff_status steps(ff_ensemble *e, uint64_t wanted, int count, double seconds, uint64_t *done, ff_error *err) {
  *done = 0;
  ff_status status = FF_OK;
  const double stop = ff_clock() + seconds;
  while (status == FF_OK && *done < wanted) {
    const double share = ff_launch_share(seconds, stop - ff_clock());
    double most = e->second_steps[count != 0] > 0 ? e->second_steps[count != 0] * share : FIRST_STEPS;
    uint64_t chunk = most < 1 ? 1 : most > 1e9 ? 1000000000 : (uint64_t)most;
    if (chunk > wanted - *done) chunk = wanted - *done;
    if (count) {
      uint64_t room = SPILL_STEPS - e->in_counters;
      if (chunk > room) chunk = room;
    }
    status = launch(e, chunk, count, err);
    if (status == FF_OK && e->in_counters == SPILL_STEPS) status = ff_pbn_ensemble_spill(e, err);
    if (status == FF_OK) *done += chunk;
    if (ff_clock() > stop) break;
  }
  return status;
}

static ff_status half(ff_ensemble *e, ff_error *err) {
  ff_status status = ff_pbn_ensemble_spill(e, err);
  const uint64_t n = e->tiles * e->program->n_terms;
  if (status == FF_OK)
    status = ff_cuda_check(cudaMemcpyAsync(e->first_half, e->counts, n * FF_TILE * sizeof *e->counts,
                                           cudaMemcpyDeviceToDevice, e->stream),
                           "storing the first half", err);
  return status == FF_OK ? ff_stages_wait(e, "storing the first half", err) : status;
}

static ff_status tally(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err) {
  ff_status status = ff_pbn_ensemble_spill(e, err);
  if (status != FF_OK) return status;
  return sums->n_terms > 0 ? ff_pbn_ensemble_add_up(e, sums, err) : ff_pbn_ensemble_forget(e, err);
}

/* ---- the interface: each call makes the ensemble's device the thread's current one ---------------------------------- */

static ff_status ready_there(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  FF_ON_DEVICE(e, ff_stages_ready(e, seconds, is, err), err);
}

static ff_status start_there(ff_ensemble *e, uint64_t key, uint64_t first, uint64_t tiles, ff_error *err) {
  FF_ON_DEVICE(e, start(e, key, first, tiles, err), err);
}

static ff_status steps_there(ff_ensemble *e, uint64_t wanted, int count, double seconds, uint64_t *done, ff_error *err) {
  FF_ON_DEVICE(e, steps(e, wanted, count, seconds, done, err), err);
}

static ff_status half_there(ff_ensemble *e, ff_error *err) { FF_ON_DEVICE(e, half(e, err), err); }

static ff_status tally_there(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err) {
  FF_ON_DEVICE(e, tally(e, sums, err), err);
}

static ff_status state_there(ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err) {
  FF_ON_DEVICE(e, runner_of(e)->state(e, tile, rows, err), err);
}

static ff_status terms_there(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err) {
  if (n == 0) return FF_OK;
  FF_ON_DEVICE(e, runner_of(e)->terms(e, tile, n, words, err), err);
}

const ff_pbn_device ff_cuda_pbn = {.common = {.destroy = destroy, .ready = ready_there, .start = start_there, .info = info},
                                   .create = create,
                                   .steps = steps_there,
                                   .half = half_there,
                                   .tally = tally_there,
                                   .state = state_there,
                                   .terms = terms_there};
