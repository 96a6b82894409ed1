/* The estimator: pilot, plan, run, each advanced by a bounded amount of work. */
#include "ff_estimate.h"

#include "ff_influence.h"
#include "ff_waves.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_STEPS 1024       /* of the pilot's window, kept for 64 trajectories to find the thinning */
#define MIN_TRANSITIONS 50      /* of either kind before the pilot is believed */
#define RARE 50.0               /* independent looks times precision at which a set too rare to be seen is rare enough */
#define MIN_PATIENCE 4096       /* steps, and flips of every node, before trajectories that disagree are given up */
#define MIN_FLIPS 32
#define MAX_STUCK 2             /* doublings that bring no agreement before trajectories are given up */
#define DRIFT_PILOT 4.0
#define DRIFT_RUN 5.0
#define MARGIN 1.1              /* more samples than planned, so that one run mostly suffices */
#define MARGIN_MORE 1.02        /* ... and where it did not: the spread is known better by then */
#define BURN_IN_SHARE 8         /* a tile counts at least so many times its burn-in, where samples are many ... */
#define LONG_SHARE 32           /* ... and so many where they ask for more than FF_MAX_TILES */
#define LARGE 500               /* nodes of a network whose pilot a device does faster */

/* A tile on its way: where it stands in its burn-in and window. */
typedef struct {
  ff_tile *tile;
  uint64_t unit;
  int busy;
  uint32_t *first_half; /* counts at half time */
  ff_tally tally;       /* of the tiles that this slot has finished in this call */
  uint64_t steps;       /* run in this call */
} slot;

struct ff_estimate {
  const ff_program *program;
  ff_estimate_options options;
  ff_observables observables; /* first and weights owned, terms not kept */
  const uint32_t *at;         /* where the program counts each term; NULL: in their order. Borrowed */
  uint32_t *first;
  double *weights, *precision; /* per term; per observable */
  uint8_t *two_state, *constant;
  ff_phase phase;
  ff_plan plan;
  uint64_t target[3];     /* steps at which burn-in, first and second half end */
  uint64_t chunk;         /* steps between two looks at the clock */
  slot *slots;
  uint32_t n_slots;
  uint32_t pilot;         /* tiles of the pilot, and the fewest of a run */
  uint64_t start_tile, next_tile, stop_tile, last_tile; /* of this shard and round; work pauses at stop_tile for a look */
  double deadline;
  int waits;              /* the pilot is over, the run has not begun */
  ff_waves *waves;        /* pilot or run is done on devices, or NULL ... */
  ff_waves *coming;       /* ... which are not ready yet */
  int wave_busy;
  double pilot_seconds;   /* of a device */
  ff_ensemble_info device;
  uint64_t steps, steps_before; /* of trajectories; before the run */
  uint64_t *record;       /* per state set, RECORD_STEPS words: the pilot's window, tile 0, word 0; freed after it */
  uint32_t n_sets;
  uint32_t *set;          /* per observable: its place among the state sets */
  uint32_t *set_at;       /* per state set: where the program counts it */
  uint32_t *thinning;
  ff_tally tally;
  double last_rhat;
  int stuck;
  ff_trace *trace;
  size_t n_trace, trace_capacity;
};

/* Units of the pilot are apart from those of the run. */
#define PILOT_UNIT (UINT64_C(1) << 36)
/* ... and those of a run with another burn-in from the run before. */
#define ROUND_UNITS (UINT64_C(1) << 30)

void ff_estimate_free(ff_estimate *e) {
  if (e == NULL) return;
  ff_waves_free(e->waves);
  ff_waves_free(e->coming);
  for (uint32_t i = 0; e->slots != NULL && i < e->n_slots; i++) {
    ff_tile_free(e->slots[i].tile);
    free(e->slots[i].first_half);
    ff_tally_free(&e->slots[i].tally);
  }
  free(e->slots);
  free(e->first);
  free(e->weights);
  free(e->precision);
  free(e->two_state);
  free(e->constant);
  free(e->record);
  free(e->set);
  free(e->set_at);
  free(e->thinning);
  free(e->trace);
  ff_tally_free(&e->tally);
  free(e);
}

static ff_status check_options(const ff_estimate_options *o, uint32_t n, ff_error *err) {
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

static ff_status allocate(ff_estimate *e, const ff_observables *observables, ff_error *err) {
  uint32_t n = observables->n, n_terms = observables->first[n];
  e->pilot = ff_program_layout(e->program) == FF_LAYOUT_PACKED ? FF_PILOT_TILES / 2 : FF_PILOT_TILES;
  e->n_slots = (uint32_t)e->options.threads > e->pilot ? (uint32_t)e->options.threads : e->pilot;
  e->first = ff_calloc((size_t)n + 1, sizeof *e->first);
  e->weights = ff_calloc(n_terms, sizeof *e->weights);
  e->precision = ff_calloc(n, sizeof *e->precision);
  e->two_state = ff_calloc(n, 1);
  e->set = ff_calloc(n, sizeof *e->set);
  e->set_at = ff_calloc(n, sizeof *e->set_at);
  e->constant = ff_calloc(n, 1);
  e->thinning = ff_calloc(n, sizeof *e->thinning);
  e->slots = ff_calloc(e->n_slots, sizeof *e->slots);
  if (e->first == NULL || e->weights == NULL || e->precision == NULL || e->two_state == NULL || e->set == NULL ||
      e->set_at == NULL || e->constant == NULL || e->thinning == NULL || e->slots == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for an estimate of %u observables", n);
  memcpy(e->first, observables->first, ((size_t)n + 1) * sizeof *e->first);
  memcpy(e->weights, observables->weights, n_terms * sizeof *e->weights);
  for (uint32_t i = 0; i < n; i++) {
    e->thinning[i] = 1;
    e->precision[i] = e->options.precisions == NULL ? e->options.precision : e->options.precisions[i];
    e->two_state[i] = e->first[i + 1] - e->first[i] == 1 && e->weights[e->first[i]] == 1.0;
    if (e->two_state[i]) {
      e->set_at[e->n_sets] = e->at == NULL ? e->first[i] : e->at[e->first[i]];
      e->set[i] = e->n_sets++;
    }
    double constant = ff_observable_constant(observables, i); /* NaN where it varies */
    e->constant[i] = constant == constant;
  }
  e->options.precisions = NULL; /* the caller's */
  e->record = ff_calloc((size_t)e->n_sets * RECORD_STEPS, sizeof *e->record);
  if (e->record == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the record of %u state sets", e->n_sets);
  e->observables = (ff_observables){.n = n, .first = e->first, .weights = e->weights};
  ff_status status = ff_tally_new(&e->tally, observables, err);
  for (uint32_t i = 0; i < e->n_slots && status == FF_OK; i++) {
    slot *s = &e->slots[i];
    status = ff_tile_new(&s->tile, e->program, e->options.simd, err);
    if (status == FF_OK) status = ff_tally_new(&s->tally, observables, err);
    if (status != FF_OK) break;
    s->first_half = ff_calloc((size_t)ff_program_terms(e->program) * FF_TILE, sizeof *s->first_half);
    if (s->first_half == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for the counts of %u terms", n_terms);
  }
  return status;
}

/* psi: burn-in and window of the pilot's next look. */
static void set_window(ff_estimate *e, uint64_t burn_in, uint64_t n) {
  e->plan.burn_in = burn_in;
  e->plan.half[0] = n / 2;
  e->plan.half[1] = n - n / 2;
  e->target[0] = burn_in;
  e->target[1] = burn_in + e->plan.half[0];
  e->target[2] = burn_in + n;
  ff_tally_clear(&e->tally, e->plan.half[0], e->plan.half[1]);
  for (uint32_t i = 0; i < e->n_slots; i++) ff_tally_clear(&e->slots[i].tally, e->plan.half[0], e->plan.half[1]);
  if (e->waves != NULL) ff_waves_plan(e->waves, e->target, e->plan.half);
}

/* The first look: long enough for a state to run through a chain of nodes, where it is not too long. */
static uint64_t first_psi(const ff_program *program) {
  int asynchronous = ff_program_asynchronous(program);
  uint64_t nodes = ff_program_all_nodes(program), psi = 64, enough = asynchronous ? 16 * nodes : nodes;
  while (psi < enough && psi < (asynchronous ? 65536 : 1024)) psi *= 2;
  return psi;
}

ff_status ff_estimate_new(ff_estimate **out, const ff_program *program, const ff_observables *observables,
                          const uint32_t *at, ff_estimate_options options, ff_error *err) {
  *out = NULL;
  ff_status status = check_options(&options, observables->n, err);
  if (status != FF_OK) return status;
  ff_estimate *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an estimate");
  e->program = program;
  e->at = at;
  e->options = options;
  status = allocate(e, observables, err);
  if (status != FF_OK) {
    ff_estimate_free(e);
    return status;
  }
  uint32_t nodes = ff_program_nodes(program);
  int packed = ff_program_layout(program) == FF_LAYOUT_PACKED;
  uint64_t cost = packed ? 2000 : 50000; /* a step of 1,024 packed trajectories costs some 25 times as much */
  e->chunk = nodes > cost ? 1 : cost / (nodes > 0 ? nodes : 1) + 1;
  if (e->chunk > 1024) e->chunk = 1024;
  uint64_t psi = first_psi(program);
  set_window(e, psi, psi);
  for (uint32_t i = 0; i < e->pilot; i++) {
    e->slots[i].unit = PILOT_UNIT + i;
    e->slots[i].busy = 1;
    ff_tile_start(e->slots[i].tile, options.key, e->slots[i].unit);
  }
  e->last_rhat = INFINITY;
  *out = e;
  return FF_OK;
}

/* ---- one tile ---------------------------------------------------------------------------------------------------- */

/* The pilot's record: the last RECORD_STEPS steps of the window, one by one. */
static void count_recorded(ff_estimate *e, slot *s, uint64_t steps) {
  for (uint64_t i = 0; i < steps; i++) {
    ff_tile_count(s->tile, 1);
    uint64_t to_go = e->target[2] - ff_tile_step(s->tile);
    if (to_go >= RECORD_STEPS) continue;
    for (uint32_t j = 0; j < e->n_sets; j++) {
      uint32_t at = e->set_at[j];
      e->record[(size_t)j * RECORD_STEPS + (RECORD_STEPS - 1 - to_go)] = at == FF_TERM_0   ? 0
                                                                         : at == FF_TERM_1 ? UINT64_MAX
                                                                                           : ff_tile_term_word(s->tile, at, 0);
    }
  }
}

/* Runs a slot's tile to the end of its window or to the deadline; returns whether it is at the end. */
static int run_tile(ff_estimate *e, slot *s) {
  int records = e->phase == FF_PHASE_PILOT && s->unit == PILOT_UNIT;
  uint32_t n_terms = ff_program_terms(e->program);
  for (int part = 0; part < 3; part++) {
    while (ff_tile_step(s->tile) < e->target[part]) {
      uint64_t left = e->target[part] - ff_tile_step(s->tile), steps = left < e->chunk ? left : e->chunk;
      if (part == 0)
        ff_tile_advance(s->tile, steps);
      else if (records)
        count_recorded(e, s, steps);
      else
        ff_tile_count(s->tile, steps);
      s->steps += steps;
      if (part == 1 && steps == left)
        memcpy(s->first_half, ff_tile_harvest(s->tile).counts, (size_t)n_terms * FF_TILE * sizeof *s->first_half);
      if (ff_clock() > e->deadline && ff_tile_step(s->tile) < e->target[2]) return 0;
    }
  }
  ff_harvest harvest = ff_tile_harvest(s->tile);
  ff_tally_add_at(&s->tally, e->at, s->first_half, &harvest);
  ff_tile_forget(s->tile);
  s->busy = 0;
  return 1;
}

static void pilot_share(void *context, int index) {
  ff_estimate *e = context;
  for (uint32_t i = (uint32_t)index; i < e->pilot; i += (uint32_t)e->options.threads)
    if (e->slots[i].busy) run_tile(e, &e->slots[i]);
}

static void run_share(void *context, int index) {
  ff_estimate *e = context;
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

/* Work until the deadline, then what the slots have finished goes into the common tally. */
static ff_status work(ff_estimate *e, ff_error *err) {
  if (e->waves != NULL)
    return ff_waves_work(e->waves, e->options.key, &e->next_tile, e->stop_tile, e->deadline, &e->tally, &e->wave_busy,
                         &e->steps, err);
  int threads = e->options.threads;
  if (e->phase == FF_PHASE_PILOT && threads > (int)e->pilot) threads = (int)e->pilot;
  ff_parallel(threads, e->phase == FF_PHASE_PILOT ? pilot_share : run_share, e);
  for (uint32_t i = 0; i < e->n_slots; i++) {
    slot *s = &e->slots[i];
    e->steps += s->steps * FF_TILE;
    s->steps = 0;
    if (s->tally.tiles == 0) continue;
    ff_status status = ff_tally_merge(&e->tally, &s->tally, err);
    if (status != FF_OK) return status;
    ff_tally_clear(&s->tally, e->plan.half[0], e->plan.half[1]);
  }
  return FF_OK;
}

/* ---- looks and decisions ----------------------------------------------------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }

/* In units of options.precision, as ff_progress tells it. */
static double half_width(const ff_estimate *e, uint32_t observable, const ff_moments *m) {
  return e->options.z * larger(m->se_two_state, m->se_between) * (e->options.precision / e->precision[observable]);
}

typedef struct {
  double rhat, width, drift;
} look;

static look look_at(const ff_estimate *e) {
  look out = {.rhat = NAN};
  for (uint32_t i = 0; i < e->observables.n; i++) {
    ff_moments m = ff_tally_moments(&e->tally, i);
    if (!isnan(m.rhat) && !(out.rhat > m.rhat)) out.rhat = m.rhat;
    out.width = larger(out.width, half_width(e, i, &m));
    out.drift = larger(out.drift, fabs(m.drift));
  }
  return out;
}

static ff_status note(ff_estimate *e, look now, ff_error *err) {
  ff_status status = ff_grow((void **)&e->trace, &e->trace_capacity, e->n_trace + 1, sizeof *e->trace, err);
  if (status != FF_OK) return status;
  double samples = (double)e->tally.tiles * FF_TILE * (double)(e->plan.half[0] + e->plan.half[1]);
  e->trace[e->n_trace++] = (ff_trace){(int)e->phase, samples, now.rhat, now.width, (double)e->plan.burn_in};
  return FF_OK;
}

double ff_estimate_stretch(const ff_estimate *e) {
  double p = ff_program_perturbation(e->program), stretch = (double)e->plan.burn_in;
  if (p > 0) stretch = larger(stretch, 1 / p);
  return larger(stretch, 1 / ff_program_rarest(e->program));
}

/* Has enough been seen of every observable? Of a state set transitions of either kind; of one that hardly comes and goes, so
 * many independent looks that it (or its complement) is rarer than the precision. */
static int seen_enough(const ff_estimate *e) {
  double window = (double)(e->plan.half[0] + e->plan.half[1]), steps = (double)e->plan.burn_in + window;
  double looks = (double)e->tally.tiles * FF_TILE * (1 + floor(window / ff_estimate_stretch(e)));
  if (steps < ff_estimate_stretch(e)) looks = 0; /* a trajectory may not have got away from its start yet */
  for (uint32_t i = 0; i < e->observables.n; i++) {
    if (e->constant[i] || looks * e->precision[i] >= RARE) continue;
    ff_moments m = ff_tally_moments(&e->tally, i);
    if (e->two_state[i] ? m.n01 < MIN_TRANSITIONS || m.n10 < MIN_TRANSITIONS : m.visited != 1) return 0;
  }
  return 1;
}

/* Is there an observable that varies by its expression, and never did? */
static int never_seen(const ff_estimate *e) {
  for (uint32_t i = 0; i < e->observables.n; i++)
    if (!e->constant[i] && ff_tally_moments(&e->tally, i).visited != 1) return 1;
  return 0;
}

/* Burn-in and samples that the pilot asks for. */
static void wanted(ff_estimate *e, double *burn_in, double *samples) {
  uint64_t window = e->plan.half[0] + e->plan.half[1];
  uint32_t recorded = window < RECORD_STEPS ? (uint32_t)window : RECORD_STEPS;
  double n = (double)window * e->pilot * FF_TILE, z = e->options.z;
  *burn_in = (double)e->plan.burn_in;
  *samples = 1;
  for (uint32_t i = 0; i < e->observables.n; i++) {
    ff_moments m = ff_tally_moments(&e->tally, i);
    if (m.visited != 1) continue;
    double r = e->precision[i];
    *samples = larger(*samples, m.se_between * m.se_between * n * (z / r) * (z / r));
    /* memory = (inflation - 1) / (inflation + 1) for a chain whose correlations fall off geometrically */
    if (m.inflation > 1)
      *burn_in = larger(*burn_in, ff_log(e->options.epsilon) / ff_log((m.inflation - 1) / (m.inflation + 1)));
    if (!e->two_state[i]) continue;
    double alpha, beta;
    *samples = larger(*samples, ff_samples(m.alpha, m.beta, z, r));
    e->thinning[i] = ff_thinning(e->record + (size_t)e->set[i] * RECORD_STEPS + (RECORD_STEPS - recorded), recorded, &alpha,
                                 &beta);
    double k = e->thinning[i];
    if (alpha > 0 && beta > 0) *burn_in = larger(*burn_in, 1 + (ff_burn_in(alpha, beta, e->options.epsilon) - 1) * k);
  }
}

static void start_round(ff_estimate *e, uint64_t round, uint64_t first, uint64_t tiles) {
  uint64_t s = e->options.shard, k = e->options.n_shards;
  e->next_tile = round * ROUND_UNITS + first + tiles * s / k;
  e->start_tile = e->next_tile;
  e->last_tile = round * ROUND_UNITS + first + tiles * (s + 1) / k;
  uint64_t n = e->last_tile - e->start_tile; /* of a long run: looks at a 64th, a 16th, a quarter, and at the end */
  e->stop_tile = n <= 64 || e->waves != NULL ? e->last_tile : e->start_tile + n / 64;
  for (uint32_t i = 0; i < e->n_slots; i++) e->slots[i].busy = 0;
}

/* Many tiles let many threads work, and many GPUs where the run is long; each costs its burn-in. */
static double tiles_for(double steps, double burn_in, double fewest) {
  double tiles = ceil(steps / (BURN_IN_SHARE * burn_in)), more = ceil(steps / (LONG_SHARE * burn_in));
  if (tiles <= FF_MAX_TILES) return tiles < fewest ? fewest : tiles;
  return more < FF_MAX_TILES ? FF_MAX_TILES : more > FF_MOST_TILES ? FF_MOST_TILES : more;
}

static ff_status plan_run(ff_estimate *e, double burn_in, double samples, uint64_t round, ff_error *err) {
  if (burn_in > (double)e->options.max_burn_in)
    return ff_error_set(err, FF_ECONVERGENCE,
                        "the state sets ask for a burn-in of %.3g steps, and at most %llu are allowed: raise max_burn_in, or use "
                        "method = \"exact\"", burn_in,
                        (unsigned long long)e->options.max_burn_in);
  uint64_t steps = (uint64_t)burn_in;
  double tiles = tiles_for(samples / FF_TILE, burn_in, e->pilot);
  double window = ceil(samples / FF_TILE / tiles);
  if (window > FF_MAX_WINDOW) {
    tiles = ceil(samples / FF_TILE / FF_MAX_WINDOW);
    window = ceil(samples / FF_TILE / tiles);
  }
  if (window < 16) window = 16;
  if (tiles * 2 > (double)ROUND_UNITS || (double)steps + window > 2.8e14)
    return ff_error_set(err, FF_ESIZE,
                        "the precision asked for takes %s%.3g samples, and at most %.2g can be addressed: ask for a larger "
                        "`precision`",
                        isfinite(samples) ? "" : "more than ", isfinite(samples) ? samples : DBL_MAX,
                        (double)FF_TILE * (double)FF_MAX_WINDOW * (double)(ROUND_UNITS / 2));
  e->phase = FF_PHASE_RUN;
  set_window(e, steps, (uint64_t)window);
  e->plan.tiles = (uint64_t)tiles;
  start_round(e, round, 0, e->plan.tiles);
  return FF_OK;
}

/* A longer burn-in is advised only where max_burn_in is what ended it, not where doublings have brought no agreement. */
static ff_status not_converged(const ff_estimate *e, double rhat, int agree, ff_error *err) {
  if (agree)
    return ff_error_set(err, FF_ECONVERGENCE,
                        "in %llu steps a state set has hardly been seen to come and go, and what moves it may take %.3g steps to "
                        "happen once (the perturbation probability is %g, the smallest selection probability %g): allow a longer "
                        "burn-in (max_burn_in), or use method = \"exact\"",
                        (unsigned long long)e->target[2], ff_estimate_stretch(e), ff_program_perturbation(e->program),
                        ff_program_rarest(e->program));
  int perturbed = ff_program_perturbation(e->program) > 0;
  int longer = e->stuck < MAX_STUCK && e->plan.burn_in < FF_MAX_WINDOW;
  return ff_error_set(err, FF_ECONVERGENCE,
                      "after %llu steps trajectories from different starts still disagree (rhat %.3g)%s, as they can where %s: "
                      "give %san initial state, %suse method = \"exact\"%s",
                      (unsigned long long)e->target[2], rhat, e->stuck >= MAX_STUCK ? " and longer runs bring them no closer" : "",
                      perturbed ? "nodes are exempt from perturbation or the network mixes slowly"
                                : "there is no perturbation and the long run depends on the start",
                      perturbed ? "it " : "the network a perturbation probability, such as 0.001, or ",
                      longer ? "" : "or ", longer ? ", or allow a longer burn-in (max_burn_in)" : "");
}

static ff_status after_pilot_window(ff_estimate *e, ff_error *err) {
  look now = look_at(e);
  ff_status status = note(e, now, err);
  if (status != FF_OK) return status;
  int converged = !(now.rhat > FF_CONVERGED) && now.drift < DRIFT_PILOT;
  uint64_t psi = e->plan.burn_in;
  int had_a_chance = psi >= MIN_PATIENCE && (double)psi >= ff_estimate_stretch(e);
  if (converged && (had_a_chance || seen_enough(e))) { /* what is rare all the same is left to the run, which has more tiles */
    double burn_in, samples;
    wanted(e, &burn_in, &samples);
    free(e->record);
    e->record = NULL;
    if (e->waves != NULL) e->pilot_seconds = ff_waves_info(e->waves).device_seconds;
    ff_waves_free(e->waves);
    e->waves = NULL;
    e->waits = 1;
    return plan_run(e, ceil(burn_in * MARGIN), samples * MARGIN, 0, err);
  }
  /* rhat - 1 halves with every doubling once the window outlasts the chains' memory; it is not given up before every node has
   * flipped many times over */
  double flips = ff_program_perturbation(e->program) * (double)psi;
  int patient = psi >= MIN_PATIENCE && (flips == 0 || flips >= MIN_FLIPS);
  e->stuck = patient && now.rhat > 1.2 && !(now.rhat - 1 < 0.8 * (e->last_rhat - 1)) ? e->stuck + 1 : 0;
  e->last_rhat = now.rhat;
  if (e->stuck >= MAX_STUCK || 2 * psi > e->options.max_burn_in || psi >= FF_MAX_WINDOW)
    return not_converged(e, now.rhat, converged, err);
  set_window(e, 2 * psi, 2 * psi); /* what has been run so far, 2 psi, is the next burn-in */
  for (uint32_t i = 0; i < e->pilot; i++) e->slots[i].busy = e->waves == NULL;
  return FF_OK;
}

static ff_status add_tiles(ff_estimate *e, uint64_t round, uint64_t more, ff_error *err) {
  if (e->plan.tiles + more >= ROUND_UNITS)
    return ff_error_set(err, FF_ESIZE,
                        "%llu more tiles of 1,024 trajectories are more than can be addressed: ask for less precision",
                        (unsigned long long)more);
  start_round(e, round, e->plan.tiles, more);
  e->plan.tiles += more;
  return FF_OK;
}

static ff_status after_run(ff_estimate *e, uint64_t *round, ff_error *err) {
  look now = look_at(e);
  ff_status status = e->tally.tiles > 0 ? note(e, now, err) : FF_OK;
  if (status != FF_OK) return status;
  if (e->stop_tile < e->last_tile) {
    uint64_t n = 4 * (e->stop_tile - e->start_tile);
    e->stop_tile = 2 * n > e->last_tile - e->start_tile ? e->last_tile : e->start_tile + n;
    return FF_OK;
  }
  int whole = e->options.n_shards == 1; /* parts follow the first plan; their sum is resumed */
  double burn_in = (double)e->plan.burn_in;
  double samples = (double)e->tally.tiles * FF_TILE * (double)(e->plan.half[0] + e->plan.half[1]);
  if (whole && now.drift > DRIFT_RUN) return plan_run(e, 4 * burn_in, samples, ++*round, err);
  if (whole && now.width > e->options.precision) {
    double ratio = now.width / e->options.precision;
    uint64_t more = (uint64_t)ceil((double)e->plan.tiles * (ratio * ratio * MARGIN_MORE - 1)) + 1;
    return add_tiles(e, *round, more, err);
  }
  if (whole && !seen_enough(e)) {
    double stretch = ceil(ff_estimate_stretch(e));
    if (burn_in + (double)(e->plan.half[0] + e->plan.half[1]) < stretch && never_seen(e)) /* no number of such looks is enough */
      return plan_run(e, stretch, samples, ++*round, err);
    return add_tiles(e, *round, e->plan.tiles, err);
  }
  e->phase = FF_PHASE_DONE;
  return FF_OK;
}

ff_status ff_estimate_advance(ff_estimate *e, double seconds, int *done, ff_error *err) {
  if (e->coming != NULL) return ff_error_set(err, FF_EARGUMENT, "devices were chosen that are not ready");
  e->deadline = ff_clock() + seconds;
  *done = e->phase == FF_PHASE_DONE;
  e->waits = 0;
  while (!*done && !e->waits) {
    ff_status status = work(e, err);
    if (status != FF_OK) return status;
    if (e->phase == FF_PHASE_PILOT) {
      if (e->tally.tiles == e->pilot) status = after_pilot_window(e, err);
    } else {
      uint64_t round = e->last_tile / ROUND_UNITS;
      int busy = e->wave_busy;
      for (uint32_t i = 0; i < e->n_slots; i++) busy |= e->slots[i].busy;
      if (!busy && e->next_tile >= e->stop_tile) status = after_run(e, &round, err);
    }
    if (status != FF_OK) return status;
    *done = e->phase == FF_PHASE_DONE;
    if (ff_clock() > e->deadline) return FF_OK;
  }
  return FF_OK;
}

int ff_estimate_waits(const ff_estimate *e) { return e->waits; }

double ff_estimate_planned(const ff_estimate *e) {
  if (e->phase == FF_PHASE_PILOT) return (double)e->pilot * FF_TILE * (double)e->target[2];
  return (double)(e->last_tile - e->next_tile) * FF_TILE * (double)e->target[2];
}

int ff_estimate_long_pilot(const ff_estimate *e) {
  return e->phase == FF_PHASE_PILOT && e->n_trace == 0 && ff_program_nodes(e->program) >= LARGE;
}

/* A pilot has too few tiles for more than one device, and is too short for code that has to be compiled. */
static ff_status use_for_pilot(ff_estimate *e, const ff_engine_choice *choice, ff_error *err) {
  ff_engine_choice one = *choice;
  one.n_devices = 1;
  if (ff_program_layout(e->program) == FF_LAYOUT_SLICED && one.kernel == FF_KERNEL_AUTO) one.kernel = FF_KERNEL_INTERPRETER;
  ff_status status = ff_waves_new(&e->coming, &one, e->program, &e->observables, e->at, e->pilot, 0, err);
  if (status != FF_OK) return status;
  ff_record record = {e->set_at, e->n_sets, RECORD_STEPS, e->record};
  status = ff_waves_pilot(e->coming, &record, err);
  if (status == FF_OK) return FF_OK;
  ff_waves_free(e->coming);
  e->coming = NULL;
  return status;
}

ff_status ff_estimate_use(ff_estimate *e, const ff_engine_choice *choice, ff_error *err) {
  int pilot = e->phase == FF_PHASE_PILOT && e->n_trace == 0;
  if ((!pilot && !e->waits) || e->waves != NULL || e->coming != NULL)
    return ff_error_set(err, FF_EARGUMENT, "devices are chosen before the pilot has looked, or between pilot and run");
  if (pilot) return use_for_pilot(e, choice, err);
  if (e->next_tile == e->last_tile) return FF_OK; /* a part without tiles */
  return ff_waves_new(&e->coming, choice, e->program, &e->observables, e->at, e->last_tile - e->next_tile, e->target[2], err);
}

static void start_on_devices(ff_estimate *e) {
  e->waves = e->coming;
  ff_waves_plan(e->waves, e->target, e->plan.half);
  if (e->phase == FF_PHASE_PILOT) { /* from the beginning, whatever has been done of it here */
    for (uint32_t i = 0; i < e->pilot; i++) {
      e->slots[i].busy = 0;
      ff_tally_clear(&e->slots[i].tally, e->plan.half[0], e->plan.half[1]);
    }
    ff_tally_clear(&e->tally, e->plan.half[0], e->plan.half[1]);
    e->steps = 0;
    e->next_tile = PILOT_UNIT;
    e->stop_tile = PILOT_UNIT + e->pilot;
  } else {
    e->steps_before = e->steps;
    e->stop_tile = e->last_tile;
  }
}

ff_status ff_estimate_ready(ff_estimate *e, double seconds, int *ready, ff_error *err) {
  *ready = e->coming == NULL;
  if (*ready) return FF_OK;
  ff_status status = ff_waves_ready(e->coming, seconds, ready, err);
  if (status == FF_OK && !*ready) return FF_OK;
  int fits = status == FF_OK && (e->phase != FF_PHASE_PILOT || ff_waves_info(e->coming).capacity >= e->pilot);
  if (fits) /* else this processor does the pilot */
    start_on_devices(e);
  else
    ff_waves_free(e->coming);
  e->coming = NULL;
  return status;
}

const ff_ensemble_info *ff_estimate_device(ff_estimate *e) {
  if (e->waves == NULL) return NULL;
  e->device = ff_waves_info(e->waves);
  e->device.device_seconds += e->pilot_seconds;
  return &e->device;
}

ff_status ff_estimate_resume(ff_estimate *e, ff_plan plan, const ff_tally *tally, ff_error *err) {
  uint64_t window = plan.half[0] + plan.half[1];
  if (e->phase != FF_PHASE_PILOT || e->steps > 0 || e->options.n_shards != 1)
    return ff_error_set(err, FF_EARGUMENT, "only a new estimate of the whole can be resumed");
  if (plan.burn_in < 1 || plan.burn_in > e->options.max_burn_in || plan.half[0] != window / 2 || window < 2 ||
      window > FF_MAX_WINDOW || plan.tiles < 1 || plan.tiles > ROUND_UNITS / 2)
    return ff_error_set(err, FF_EARGUMENT, "no estimate plans %llu tiles of %llu and %llu steps", (unsigned long long)plan.tiles,
                        (unsigned long long)plan.burn_in, (unsigned long long)window);
  size_t first = ((size_t)e->tally.n + 1) * sizeof *e->first, weights = (size_t)e->tally.n_terms * sizeof *e->weights;
  if (tally->n != e->tally.n || tally->n_terms != e->tally.n_terms || memcmp(tally->first, e->first, first) != 0 ||
      memcmp(tally->weights, e->weights, weights) != 0 || tally->tiles != plan.tiles)
    return ff_error_set(err, FF_EARGUMENT, "the sums are not those of all %llu tiles of this estimate",
                        (unsigned long long)plan.tiles);
  ff_plan fresh = e->plan;
  set_window(e, plan.burn_in, window);
  ff_status status = ff_tally_merge(&e->tally, tally, err);
  if (status != FF_OK) {
    set_window(e, fresh.burn_in, fresh.half[0] + fresh.half[1]);
    return status;
  }
  e->phase = FF_PHASE_RUN;
  e->plan.tiles = plan.tiles;
  start_round(e, 0, 0, plan.tiles);
  e->next_tile = e->stop_tile = e->last_tile;
  free(e->record);
  e->record = NULL;
  e->waits = 1;
  return FF_OK;
}

ff_progress ff_estimate_progress(const ff_estimate *e) {
  ff_progress out = {.phase = e->phase, .steps = e->steps, .fraction = NAN, .width = NAN, .rhat = NAN};
  if (e->n_trace > 0) out.rhat = e->trace[e->n_trace - 1].rhat;
  if (e->phase == FF_PHASE_PILOT) return out;
  uint64_t in_shard = e->plan.tiles * (e->options.shard + 1) / e->options.n_shards -
                      e->plan.tiles * e->options.shard / e->options.n_shards;
  out.fraction = in_shard > 0 ? (double)e->tally.tiles / (double)in_shard : 1;
  if (e->waves != NULL && in_shard > 0) /* waves are finished all at once */
    out.fraction = (double)(e->steps - e->steps_before) / ((double)in_shard * FF_TILE * (double)e->target[2]);
  if (e->tally.tiles > 0) out.width = look_at(e).width;
  return out;
}

size_t ff_estimate_bytes(const ff_estimate *e) {
  size_t counts = (size_t)ff_program_terms(e->program) * FF_TILE * sizeof(uint32_t);
  return ff_program_bytes(e->program) + e->n_slots * (ff_program_tile_bytes(e->program) + counts) +
         (size_t)e->n_sets * RECORD_STEPS * sizeof *e->record;
}

const ff_tally *ff_estimate_tally(const ff_estimate *e) { return &e->tally; }
ff_plan ff_estimate_plan(const ff_estimate *e) { return e->plan; }
const uint32_t *ff_estimate_thinning(const ff_estimate *e) { return e->thinning; }
const ff_trace *ff_estimate_trace(const ff_estimate *e, size_t *n) {
  *n = e->n_trace;
  return e->trace;
}
