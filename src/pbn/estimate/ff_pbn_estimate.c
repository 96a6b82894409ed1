/* The estimator: pilot, plan and run. Each call does a limited amount of work. ff_decide.c decides what follows from the
 * counts. */
#include "ff_pbn_estimate_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_influence.h"

#define ALL_PERIODS 5040        /* ... and if periods never end: of 1-10, 12, 14, 15, 18, 20 and more steps */
#define NEGLIGIBLE 8            /* differences below the finest precision divided by this do not matter */

void ff_pbn_estimate_free(ff_pbn_estimate *e) {
  if (e == NULL) return;
  ff_pbn_waves_free(e->waves);
  ff_pbn_waves_free(e->coming);
  ff_slots_free(e);
  ff_reach_free(e->reach);
  free(e->exact);
  free(e->certain);
  free(e->within);
  free(e->first);
  free(e->weights);
  free(e->precision);
  free(e->two_state);
  free(e->constant);
  free(e->record);
  free(e->set);
  free(e->set_at);
  free(e->thinning);
  free(e->recall);
  free(e->trace);
  free(e);
}

static ff_status check_options(const ff_pbn_estimate_options *o, uint32_t n, ff_error *err) {
  for (uint32_t i = 0; i <= n; i++) {
    double precision = i == n || o->precisions == NULL ? o->precision : o->precisions[i];
    if (!(precision > 0 && precision < 1))
      return ff_error_set(err, FF_EARGUMENT, "precision must be between 0 and 1: found %g", precision);
  }
  if (!(o->z > 0 && o->z < 40))
    return ff_error_set(err, FF_EARGUMENT, "confidence gives the quantile %g: expected (0, 40)", o->z);
  if (!(o->epsilon > 0 && o->epsilon < 1))
    return ff_error_set(err, FF_EARGUMENT, "epsilon must be between 0 and 1: found %g", o->epsilon);
  if (o->n_shards < 1 || o->shard >= o->n_shards)
    return ff_error_set(err, FF_EARGUMENT, "shard %u of %u does not exist", o->shard + 1, o->n_shards);
  if (o->threads < 1) return ff_error_set(err, FF_EARGUMENT, "threads must be at least 1: found %d", o->threads);
  return FF_OK;
}

/* Fills in what depends on the observables only: precisions, state sets, constants. set_at: where the pilot counts each set. */
static void describe(ff_pbn_estimate *e, const ff_observables *observables) {
  e->rule = (ff_look_rule){.precision = e->precision, .n_asked = observables->n, .n_judged = e->pilot_of.observables->n,
                           .z = e->options.z, .unit = e->options.precision, .forgets = ff_pbn_program_forgets(e->run.program),
                           .negligible = e->options.precision};
  for (uint32_t i = 0; i < observables->n; i++) {
    e->thinning[i] = 1;
    e->precision[i] = e->options.precisions == NULL ? e->options.precision : e->options.precisions[i];
    if (e->precision[i] < e->rule.negligible) e->rule.negligible = e->precision[i];
    e->two_state[i] = (uint8_t)ff_is_set(e->first, e->weights, i);
    if (e->two_state[i]) {
      e->set_at[e->n_sets] = e->pilot_of.at == NULL ? e->first[i] : e->pilot_of.at[e->first[i]];
      e->set[i] = e->n_sets++;
    }
    double constant = ff_observable_constant(observables, i); /* NaN if it varies */
    e->constant[i] = constant == constant;
  }
  e->rule.negligible /= NEGLIGIBLE;
  e->options.precisions = NULL; /* belongs to the caller */
}

static ff_status allocate(ff_pbn_estimate *e, ff_error *err) {
  const ff_observables *observables = e->run.observables;
  uint32_t n = observables->n, n_terms = observables->first[n];
  e->pilot = ff_pbn_program_layout(e->run.program) == FF_LAYOUT_PACKED ? FF_PILOT_TILES / 2 : FF_PILOT_TILES;
  e->first = ff_calloc((size_t)n + 1, sizeof *e->first);
  e->weights = ff_calloc(n_terms, sizeof *e->weights);
  e->precision = ff_calloc(n, sizeof *e->precision);
  e->within = ff_calloc(e->pilot_of.observables->n, sizeof *e->within);
  e->two_state = ff_calloc(n, 1);
  e->set = ff_calloc(n, sizeof *e->set);
  e->set_at = ff_calloc(n, sizeof *e->set_at);
  e->constant = ff_calloc(n, 1);
  e->thinning = ff_calloc(n, sizeof *e->thinning);
  e->recall = ff_calloc((size_t)n * 2, sizeof *e->recall);
  e->certain = ff_calloc(n, 1);
  if (e->first == NULL || e->weights == NULL || e->precision == NULL || e->within == NULL || e->two_state == NULL ||
      e->set == NULL || e->set_at == NULL || e->constant == NULL || e->thinning == NULL || e->recall == NULL ||
      e->certain == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for an estimate of %u observables", n);
  memcpy(e->first, observables->first, ((size_t)n + 1) * sizeof *e->first);
  memcpy(e->weights, observables->weights, n_terms * sizeof *e->weights);
  describe(e, observables);
  e->record = ff_calloc((size_t)e->n_sets * RECORD_STEPS, sizeof *e->record);
  if (e->record == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the record of %u state sets", e->n_sets);
  e->observables = (ff_observables){.n = n, .first = e->first, .weights = e->weights};
  ff_status status = ff_slots_new(e, &e->pilot_of, e->pilot, err);
  int watches = e->options.pairs != NULL && e->options.pairs->n > 0 && e->rule.forgets;
  return status == FF_OK && watches ? ff_slots_watch(e, err) : status;
}

/* Windows are multiples of this number of steps, so that both halves contain whole periods. `limit` is the longest window of the
 * first look. */
static uint64_t window_unit(const ff_pbn_estimate *e, int periods, uint64_t limit) {
  uint64_t unit = periods && limit >= ALL_PERIODS ? ALL_PERIODS : PERIODS, period = e->clockwork.period;
  if (e->rule.forgets) return PERIODS / 2; /* phases are forgotten in time, and pilots should be short */
  if (period < 2 || unit % (2 * period) == 0) return unit;
  uint64_t all = ff_common_multiple(PERIODS, 2 * period);
  if (all > limit) all = 2 * period;
  if (all > limit) return period; /* then a half does not contain whole periods, but the window does */
  uint64_t most = limit / all * all, out = (unit + all - 1) / all * all;
  return out < most ? out : most;
}

/* Half of the steps in which a change moves along a chain of all nodes, or of all nodes that do not flip. These change only in
 * steps in which no node flips; flips overtake a change that moves along other nodes. Chains are seldom longer than `most`. */
static double half_chain(const ff_pbn_program *program, double most) {
  double nodes = ff_pbn_program_all_nodes(program), exempt = ff_pbn_program_waiting(program);
  double moves = ff_pbn_program_still(program), cost = ff_pbn_program_asynchronous(program) ? 16 : 0.5;
  double all = fmin(ceil(cost * nodes), most), slow = fmin(ceil(cost * exempt), most) / (moves > 1e-9 ? moves : 1e-9);
  return all > slow ? all : slow;
}

/* The length psi of the first burn-in and of the first window. As far as limits allow, both together last so long that a stretch
 * (ff_decide_stretch()) passes, that a change can move along a chain of nodes, and that deterministic nodes enter their cycle. */
static uint64_t first_psi(const ff_pbn_estimate *e) {
  const ff_pbn_program *program = e->run.program;
  int asynchronous = ff_pbn_program_asynchronous(program), forgets = ff_pbn_program_forgets(program);
  const int packed = ff_pbn_program_layout(program) == FF_LAYOUT_PACKED;
  uint64_t work = ff_pbn_program_all_nodes(program) * (uint64_t)(packed ? PACKED_COST : 1);
  int periods = !asynchronous && ff_pbn_program_perturbation(program) == 0 && !forgets && work <= 1000;
  double psi = half_chain(program, asynchronous ? 65536 : 1024), stretch = ff_decide_stretch(program);
  double limit = ff_decide_longest(e) / (forgets ? 1 : 2); /* otherwise one look is not enough */
  if (2 * psi < stretch) psi = stretch / 2;
  if (psi < ff_decide_settled(e)) psi = ff_decide_settled(e);
  if (psi > limit) psi = limit;
  if (limit < PERIODS) return (uint64_t)limit;
  uint64_t unit = window_unit(e, periods, (uint64_t)limit);
  double units = ceil(psi / (double)unit), most_units = floor(limit / (double)unit);
  return (uint64_t)(units < most_units ? units : most_units) * unit;
}

/* The pilot's tiles at step 0, on this processor. */
static void start_pilot(ff_pbn_estimate *e) {
  for (uint32_t i = 0; i < e->pilot; i++) {
    e->slots[i].unit = PILOT_UNIT + i;
    e->slots[i].busy = 1;
    ff_tile_start(e->slots[i].tile, e->options.key, e->slots[i].unit);
  }
}

/* ---- exploring --------------------------------------------------------------------------------------------------- */

/* If nodes can flip, more states can follow than can be explored. */
static ff_status begin_exploring(ff_pbn_estimate *e, ff_error *err) {
  if (ff_pbn_program_perturbation(e->run.program) == 0) {
    return ff_reach_new(&e->reach, e->options.network, NULL, FF_REACH_MAX_STATES, err);
  }
  if (e->options.explore != FF_EXPLORE_ONLY) return ff_decide_begin(e, err);
  e->phase = FF_PHASE_DONE;
  return FF_OK;
}

/* Adds up the exact means, a term at a time, until the deadline. */
static ff_status take_exact(ff_pbn_estimate *e, int *done, ff_error *err) {
  const ff_observables *observables = e->run.observables;
  if (e->exact == NULL) e->exact = ff_calloc(observables->n, sizeof *e->exact);
  if (e->exact == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the long run of %u observables", observables->n);
  for (uint32_t i = e->exact_at[0]; i < observables->n; i++)
    for (uint32_t j = e->exact_at[1]; j < observables->first[i + 1]; j++) { /* terms are numbered through */
      double probability;
      ff_status status = ff_reach_probability(&probability, e->reach, &observables->terms[j], err);
      if (status != FF_OK) return status;
      e->exact[i] += observables->weights[j] * probability;
      e->exact_at[0] = i;
      e->exact_at[1] = j + 1;
      if (ff_clock() > e->deadline) return FF_OK;
    }
  *done = 1;
  return FF_OK;
}

/* Explores the states that can follow the start, until the deadline. */
static ff_status explore(ff_pbn_estimate *e, ff_error *err) {
  int done;
  ff_status status = ff_reach_advance(e->reach, e->deadline - ff_clock(), &done, err);
  if (status != FF_OK || !done) return status;
  e->n_reached = ff_reach_states(e->reach);
  done = e->n_reached == 0;
  if (!done) status = take_exact(e, &done, err);
  if (status != FF_OK || !done) return status;
  ff_reach_free(e->reach);
  e->reach = NULL;
  int simulates = e->options.explore == FF_EXPLORE_CHECK || (e->exact == NULL && e->options.explore == FF_EXPLORE_PREFER);
  if (simulates) return ff_decide_begin(e, err);
  e->is_exact = e->exact != NULL;
  e->phase = FF_PHASE_DONE;
  return FF_OK;
}

ff_status ff_pbn_estimate_new(ff_pbn_estimate **out, const ff_counting *run, const ff_counting *pilot,
                              ff_pbn_estimate_options options,
                              ff_error *err) {
  *out = NULL;
  ff_status status = check_options(&options, run->observables->n, err);
  if (status != FF_OK) return status;
  ff_pbn_estimate *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an estimate");
  e->run = *run;
  e->pilot_of = pilot != NULL ? *pilot : *run;
  e->options = options;
  e->options.clockwork = NULL;
  e->clockwork = options.clockwork != NULL ? *options.clockwork : (ff_clockwork){1, 0, 0};
  status = allocate(e, err);
  if (status == FF_OK) status = options.network != NULL ? begin_exploring(e, err) : ff_decide_begin(e, err);
  if (status != FF_OK) {
    ff_pbn_estimate_free(e);
    return status;
  }
  uint32_t nodes = ff_pbn_program_nodes(run->program);
  int packed = ff_pbn_program_layout(run->program) == FF_LAYOUT_PACKED;
  uint64_t cost = packed ? 50000 / PACKED_COST : 50000;
  e->chunk = nodes > cost ? 1 : cost / (nodes > 0 ? nodes : 1) + 1;
  if (e->chunk > 1024) e->chunk = 1024;
  uint64_t psi = first_psi(e);
  ff_slots_window(e, psi, psi);
  start_pilot(e);
  e->last_unmixed = INFINITY;
  e->stuck_node = UINT32_MAX;
  *out = e;
  return FF_OK;
}

/* ---- one tile ---------------------------------------------------------------------------------------------------- */

/* Counts steps and fills the pilot's record: the last RECORD_STEPS steps of the window, one by one. */
static void count_recorded(ff_pbn_estimate *e, slot *s, uint64_t steps) {
  uint64_t left = e->target[2] - ff_tile_step(s->tile), before = left > RECORD_STEPS ? left - RECORD_STEPS : 0;
  if (before > steps) before = steps;
  ff_tile_count(s->tile, before);
  for (uint64_t i = before; i < steps; i++) {
    ff_tile_count(s->tile, 1);
    uint64_t to_go = e->target[2] - ff_tile_step(s->tile);
    for (uint32_t j = 0; j < e->n_sets; j++) {
      uint32_t at = e->set_at[j];
      e->record[(size_t)j * RECORD_STEPS + (RECORD_STEPS - 1 - to_go)] = at == FF_TERM_0   ? 0
                                                                         : at == FF_TERM_1 ? UINT64_MAX
                                                                                           : ff_tile_term_word(s->tile, at, 0);
    }
  }
}

/* Runs a slot's tile to the end of its window or to the deadline. Returns 1 if the end is reached. */
static int run_tile(ff_pbn_estimate *e, slot *s) {
  int records = e->phase == FF_PHASE_PILOT && s->unit == PILOT_UNIT;
  uint32_t n_terms = ff_pbn_program_terms(e->now.program);
  for (int part = 0; part < 3; part++) {
    while (ff_tile_step(s->tile) < e->target[part]) {
      uint64_t left = e->target[part] - ff_tile_step(s->tile), steps = left < e->chunk ? left : e->chunk;
      int watches = s->pairs.count != NULL && part > 0;
      uint64_t wait = watches ? e->target[0] + ff_pair_counts_next(&s->pairs, e->plan.half) - ff_tile_step(s->tile) : steps;
      if (wait < steps) steps = wait;
      if (part == 0)
        ff_tile_advance(s->tile, steps);
      else if (records)
        count_recorded(e, s, steps);
      else
        ff_tile_count(s->tile, steps);
      s->steps += steps;
      if (watches && steps == wait) ff_pair_counts_take(&s->pairs, e->options.pairs, s->tile);
      if (part == 1 && steps == left)
        memcpy(s->first_half, ff_tile_harvest(s->tile).counts, (size_t)n_terms * FF_TILE * sizeof *s->first_half);
      if (ff_clock() > e->deadline && ff_tile_step(s->tile) < e->target[2]) return 0;
    }
  }
  ff_harvest harvest = ff_tile_harvest(s->tile);
  ff_pbn_tally_add(&s->tally, e->now.at, s->first_half, &harvest);
  ff_tile_forget(s->tile);
  s->busy = 0;
  return 1;
}

static void pilot_share(void *context, int index) {
  ff_pbn_estimate *e = context;
  for (uint32_t i = (uint32_t)index; i < e->n_slots; i += (uint32_t)e->options.threads)
    if (e->slots[i].busy) run_tile(e, &e->slots[i]);
}

static void run_share(void *context, int index) {
  ff_pbn_estimate *e = context;
  slot *s = &e->slots[index];
  for (;;) {
    if (!s->busy) {
      uint64_t tile = __atomic_fetch_add(&e->next_tile, 1, __ATOMIC_RELAXED);
      if (tile >= e->stop_tile) {
        __atomic_fetch_sub(&e->next_tile, 1, __ATOMIC_RELAXED);
        return;
      }
      s->unit = tile;
      s->busy = 1;
      ff_tile_start(s->tile, e->options.key, s->unit);
    }
    if (!run_tile(e, s)) return;
    if (ff_clock() > e->deadline) return;
  }
}

/* The pilot's device has failed, but there are other devices for the run. This processor starts the pilot again from its first
 * step. The window begins at the same step as on the device, so the counts are the same. */
static void pilot_comes_back(ff_pbn_estimate *e) {
  ff_pbn_waves_free(e->waves);
  e->waves = NULL;
  e->wave_busy = 0;
  e->steps = 0;
  ff_slots_halves(e, e->plan.burn_in, e->plan.half[0], e->plan.half[1]);
  start_pilot(e);
}

/* Works until the deadline, then adds the finished tallies of the slots to the common tally. */
static ff_status work(ff_pbn_estimate *e, ff_error *err) {
  if (e->waves != NULL) {
    ff_status status = ff_pbn_waves_work(e->waves, e->options.key, &e->next_tile, e->stop_tile, e->deadline, &e->tally,
                                         &e->wave_busy,
                                         &e->steps, err);
    if (status == FF_OK || e->phase != FF_PHASE_PILOT || e->spare == 0) return status;
    pilot_comes_back(e);
  }
  int threads = e->options.threads;
  if (e->phase == FF_PHASE_PILOT && threads > (int)e->n_slots) threads = (int)e->n_slots;
  ff_parallel(threads, e->phase == FF_PHASE_PILOT ? pilot_share : run_share, e);
  for (uint32_t i = 0; i < e->n_slots; i++) {
    slot *s = &e->slots[i];
    e->steps += s->steps * FF_TILE;
    s->steps = 0;
    if (s->tally.tiles == 0) continue;
    ff_status status = ff_pbn_tally_merge(&e->tally, &s->tally, err);
    if (status != FF_OK) return status;
    ff_pbn_tally_clear(&s->tally, e->plan.half[0], e->plan.half[1]);
  }
  return FF_OK;
}

ff_status ff_pbn_estimate_advance(ff_pbn_estimate *e, double seconds, int *done, ff_error *err) {
  if (e->coming != NULL) return ff_error_set(err, FF_EARGUMENT, "the chosen devices are not ready");
  e->deadline = ff_clock() + seconds;
  *done = e->phase == FF_PHASE_DONE;
  e->waits = 0;
  while (!*done && !e->waits) {
    ff_status status = e->reach != NULL ? explore(e, err) : FF_OK;
    if (status != FF_OK || e->reach != NULL) return status;
    *done = e->phase == FF_PHASE_DONE; /* the exact answer */
    if (*done) return FF_OK;
    status = work(e, err);
    if (status != FF_OK) return status;
    if (e->phase == FF_PHASE_PILOT) {
      if (!e->remembers && e->tally.tiles == e->pilot)
        status = ff_decide_after_pilot(e, err);
      else if (e->remembers && e->tally.tiles == 1)
        status = ff_decide_after_recall(e, err);
    } else {
      uint64_t round = e->last_tile / ROUND_UNITS;
      int busy = e->wave_busy;
      for (uint32_t i = 0; i < e->n_slots; i++) busy |= e->slots[i].busy;
      if (!busy && e->next_tile >= e->stop_tile) status = ff_decide_after_run(e, &round, err);
    }
    if (status != FF_OK) return status;
    *done = e->phase == FF_PHASE_DONE;
    if (ff_clock() > e->deadline) return FF_OK;
  }
  return FF_OK;
}

int ff_pbn_estimate_waits(const ff_pbn_estimate *e) { return e->waits; }

double ff_pbn_estimate_planned(const ff_pbn_estimate *e) {
  if (e->phase == FF_PHASE_PILOT) return (double)e->pilot * FF_TILE * (double)e->target[2];
  return (double)(e->last_tile - e->next_tile) * FF_TILE * (double)e->target[2];
}

int ff_pbn_estimate_long_pilot(const ff_pbn_estimate *e) {
  return e->phase == FF_PHASE_PILOT && e->n_trace == 0 && ff_pbn_program_nodes(e->run.program) >= FF_LONG_PILOT;
}

/* A pilot has too few tiles for more than one device, and it is too short for compiling code. */
static ff_status use_for_pilot(ff_pbn_estimate *e, const ff_fleet_choice *choice, ff_error *err) {
  ff_fleet_choice one = *choice;
  one.n_devices = 1;
  e->spare = choice->n_devices - 1;
  if (ff_pbn_program_layout(e->run.program) == FF_LAYOUT_SLICED && one.kernel == NULL) one.kernel = "interpreter";
  ff_status status = ff_pbn_waves_new(&e->coming, &one, e->pilot_of.program, e->pilot_of.observables, e->pilot_of.at, e->pilot, 0,
                                      err);
  if (status != FF_OK) return status;
  ff_pbn_record record = {e->set_at, e->n_sets, RECORD_STEPS, e->record};
  status = ff_pbn_waves_pilot(e->coming, &record, err);
  if (status == FF_OK) return FF_OK;
  ff_pbn_waves_free(e->coming);
  e->coming = NULL;
  return status;
}

ff_status ff_pbn_estimate_use(ff_pbn_estimate *e, const ff_fleet_choice *choice, ff_error *err) {
  int pilot = e->phase == FF_PHASE_PILOT && e->n_trace == 0;
  if ((!pilot && !e->waits) || e->waves != NULL || e->coming != NULL)
    return ff_error_set(err, FF_EARGUMENT, "devices can be chosen at the start of the pilot, or between pilot and run");
  if (pilot) return use_for_pilot(e, choice, err);
  if (e->next_tile == e->last_tile) return FF_OK; /* a shard without tiles */
  return ff_pbn_waves_new(&e->coming, choice, e->run.program, &e->observables, e->run.at, e->last_tile - e->next_tile,
                          e->target[2],
                          err);
}

static void start_on_devices(ff_pbn_estimate *e) {
  e->waves = e->coming;
  ff_pbn_waves_plan(e->waves, e->target, e->plan.half);
  if (e->phase == FF_PHASE_PILOT) { /* starts again, even if this processor has already done a part */
    for (uint32_t i = 0; i < e->pilot; i++) {
      e->slots[i].busy = 0;
      ff_pbn_tally_clear(&e->slots[i].tally, e->plan.half[0], e->plan.half[1]);
    }
    ff_pbn_tally_clear(&e->tally, e->plan.half[0], e->plan.half[1]);
    e->steps = 0;
    e->next_tile = PILOT_UNIT;
    e->stop_tile = PILOT_UNIT + e->pilot;
  } else {
    e->steps_before = e->steps;
    e->stop_tile = e->last_tile;
  }
}

ff_status ff_pbn_estimate_ready(ff_pbn_estimate *e, double seconds, int *ready, ff_error *err) {
  *ready = e->coming == NULL;
  if (*ready) return FF_OK;
  ff_status status = ff_pbn_waves_ready(e->coming, seconds, ready, err);
  if (status == FF_OK && !*ready) return FF_OK;
  int fits = status == FF_OK && (e->phase != FF_PHASE_PILOT || ff_pbn_waves_info(e->coming).capacity >= e->pilot);
  if (fits) /* otherwise this processor runs the pilot */
    start_on_devices(e);
  else
    ff_pbn_waves_free(e->coming);
  e->coming = NULL;
  if (status == FF_OK || e->phase != FF_PHASE_PILOT || e->spare == 0) return status;
  *ready = 1; /* the other devices may still do the run */
  return FF_OK;
}

const ff_ensemble_info *ff_pbn_estimate_device(ff_pbn_estimate *e) {
  if (e->waves == NULL) return NULL;
  e->device = ff_pbn_waves_info(e->waves);
  e->device.device_seconds += e->pilot_seconds;
  return &e->device;
}

const char *ff_pbn_estimate_lost(const ff_pbn_estimate *e) { return e->waves != NULL ? ff_pbn_waves_lost(e->waves) : NULL; }

ff_status ff_pbn_estimate_resume(ff_pbn_estimate *e, ff_plan plan, const ff_pbn_tally *tally, const char *doubt, ff_error *err) {
  uint64_t window = plan.half[0] + plan.half[1];
  if (e->phase != FF_PHASE_PILOT || e->steps > 0 || e->options.n_shards != 1)
    return ff_error_set(err, FF_EARGUMENT, "only a new estimate of the undivided run can be resumed");
  if (plan.burn_in < 1 || plan.burn_in > e->options.max_burn_in || plan.half[0] != window / 2 || window < 2 ||
      window > FF_MAX_WINDOW || plan.tiles < 1 || plan.tiles > ROUND_UNITS / 2)
    return ff_error_set(err, FF_EARGUMENT,
                        "a plan of %llu tiles, a burn-in of %llu steps and a window of %llu steps is not possible",
                        (unsigned long long)plan.tiles, (unsigned long long)plan.burn_in, (unsigned long long)window);
  uint32_t n = e->observables.n, n_terms = e->first[n];
  size_t first = ((size_t)n + 1) * sizeof *e->first, weights = (size_t)n_terms * sizeof *e->weights;
  if (tally->n != n || tally->n_terms != n_terms || memcmp(tally->first, e->first, first) != 0 ||
      memcmp(tally->weights, e->weights, weights) != 0 || tally->tiles != plan.tiles)
    return ff_error_set(err, FF_EARGUMENT, "the sums are not those of all %llu tiles of this estimate",
                        (unsigned long long)plan.tiles);
  ff_status status = ff_slots_new(e, &e->run, (uint32_t)e->options.threads, err);
  if (status != FF_OK) return status;
  ff_reach_free(e->reach); /* the parts have explored */
  e->reach = NULL;
  ff_slots_window(e, plan.burn_in, window);
  status = ff_pbn_tally_merge(&e->tally, tally, err);
  if (status != FF_OK) return status;
  if (doubt != NULL) ff_error_set(&e->doubt, FF_ECONVERGENCE, "%s", doubt);
  e->least_window = window;
  e->phase = FF_PHASE_RUN;
  e->plan.tiles = plan.tiles;
  ff_decide_start_round(e, 0, 0, plan.tiles);
  e->next_tile = e->stop_tile = e->last_tile;
  free(e->record);
  e->record = NULL;
  e->waits = 1;
  return FF_OK;
}

ff_progress ff_pbn_estimate_progress(const ff_pbn_estimate *e) {
  ff_progress out = {.phase = e->phase, .steps = e->steps, .fraction = NAN, .width = NAN, .rhat = NAN};
  if (e->n_trace > 0) out.rhat = e->trace[e->n_trace - 1].rhat;
  if (e->phase == FF_PHASE_PILOT) return out;
  uint64_t in_shard = ff_share(e->plan.tiles, e->options.shard + 1, e->options.n_shards) -
                      ff_share(e->plan.tiles, e->options.shard, e->options.n_shards);
  out.fraction = in_shard > 0 ? (double)e->tally.tiles / (double)in_shard : 1;
  if (e->waves != NULL && in_shard > 0) /* all tiles of a wave are finished at once */
    out.fraction = (double)(e->steps - e->steps_before) / ((double)in_shard * FF_TILE * (double)e->target[2]);
  if (e->tally.tiles > 0) out.width = ff_look_at(&e->tally, &e->rule).width;
  return out;
}

size_t ff_pbn_estimate_bytes(const ff_pbn_estimate *e) {
  const ff_pbn_program *program = e->now.program;
  size_t counts = (size_t)ff_pbn_program_terms(program) * FF_TILE * sizeof(uint32_t);
  return ff_pbn_program_bytes(program) + e->n_slots * (ff_pbn_program_tile_bytes(program) + counts) +
         (size_t)e->n_sets * RECORD_STEPS * sizeof *e->record;
}

uint64_t ff_pbn_estimate_period(const ff_pbn_estimate *e) { return e->clockwork.whole ? e->clockwork.period : 0; }
const uint8_t *ff_pbn_estimate_certain(const ff_pbn_estimate *e) { return e->certain; }
uint32_t ff_pbn_estimate_stuck(const ff_pbn_estimate *e) { return e->stuck_node; }
const double *ff_pbn_estimate_exact(const ff_pbn_estimate *e, uint32_t *states, int *answer) {
  *states = e->n_reached;
  *answer = e->is_exact;
  return e->exact;
}
const ff_error *ff_pbn_estimate_doubt(const ff_pbn_estimate *e) { return e->doubt.status != FF_OK ? &e->doubt : NULL; }
const double *ff_pbn_estimate_recall(const ff_pbn_estimate *e, double *steps) {
  *steps = e->recall_steps;
  return e->recall;
}
const ff_pbn_tally *ff_pbn_estimate_tally(const ff_pbn_estimate *e) { return &e->tally; }
ff_plan ff_pbn_estimate_plan(const ff_pbn_estimate *e) { return e->plan; }
const uint32_t *ff_pbn_estimate_thinning(const ff_pbn_estimate *e) { return e->thinning; }
const ff_trace *ff_pbn_estimate_trace(const ff_pbn_estimate *e, size_t *n) {
  *n = e->n_trace;
  return e->trace;
}
