/* Tau-leaping (Cao, Gillespie and Petzold 2006), an approximation: while the propensities change little, all reactions fire a
 * Poisson number of times at once. Where that does not pay, the events are exact ones.
 *
 * The times at which the state is wanted do not change a trajectory. The firings of a reaction in a leap are spread uniformly
 * over the leap: the leap is halved again and again, and each half gets a binomial part of the firings. The draws are addressed
 * by the reaction and the half, so that the state at a time does not depend on the other times. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_engine.h"
#include "ff_ssa_methods.h"
#include "ff_ssa_variates.h"

#define CRITICAL 10        /* a reaction that can fire fewer times is critical: it fires at most once in a leap */
#define LEAST_EVENTS 10    /* a leap with fewer events on average does not pay */
#define EXACT_EVENTS 100   /* exact events that then follow */
#define BRIDGE_LEVELS 62   /* a leap is divided into 2^62 parts */

typedef struct {
  ff_ssa_engine base;
  ff_ssa_path path; /* at the beginning of the leap, or at the last exact event */
  const double *initial;
  double tolerance, wanted, end; /* end: of the leap */
  int started, leaping;
  uint32_t exact; /* exact events that are left */
  uint64_t fired; /* firings of the trajectory */
  double *order;  /* for each species: how strongly propensities depend on it, at least; 0 if no reaction uses it */
  uint8_t *twice, *thrice; /* for each species: a reaction takes two or three of it */
  double *drift, *noise;   /* for each species: mean and variance of its change, per time */
  double *after, *shown;   /* counts at the end of the leap, and at the wanted time */
  double *times_fired;     /* for each reaction: its firings in the leap */
  uint8_t *critical;       /* for each reaction */
  uint32_t last;           /* the critical reaction that fires at the end of the leap, or n_reactions */
  uint64_t address;        /* path.event for the draws of the leap */
} leaper;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* ---- the length of a leap ----------------------------------------------------------------------------------------------- */

/* The order of each species in the reactions of mass action. */
static void find_orders(leaper *e) {
  const ff_ssa_program *p = e->path.program;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *a = p->propensities + r;
    double order = 0;
    if (a->law == FF_LAW_FORMULA) continue;
    for (uint32_t i = a->first; i < a->first + a->n; i++) order += p->factors[i].count;
    for (uint32_t i = a->first; i < a->first + a->n; i++) {
      const uint32_t s = p->factors[i].species;
      e->order[s] = larger(e->order[s], order);
      e->twice[s] |= p->factors[i].count == 2;
      e->thrice[s] |= p->factors[i].count > 2;
    }
  }
}

/* The relative change of the propensity of r for a relative change of the count of s, by adding one molecule. */
static double elasticity(ff_ssa_path *path, uint32_t r, uint32_t s) {
  const ff_ssa_failure before = path->failure;
  const double now = path->propensity[r], x = path->count[s];
  if (!(now > 0)) return 0;
  path->count[s] += 1;
  const double next = ff_ssa_path_propensity(path, r);
  path->count[s] = x;
  path->failure = before;
  return next < INFINITY ? fabs(x * (next - now) / now) : 0;
}

/* The factor g of the paper. Formulas have no order: their elasticity is used instead. */
static double sensitivity(leaper *e, uint32_t s) {
  ff_ssa_path *path = &e->path;
  const ff_ssa_program *p = path->program;
  const double x = path->count[s];
  double g = e->order[s];
  if (e->twice[s] && x > 1) g = larger(g, e->order[s] / 2 * (2 + 1 / (x - 1)));
  if (e->thrice[s] && x > 2) g = larger(g, e->order[s] / 3 * (3 + 1 / (x - 1) + 2 / (x - 2)));
  for (size_t k = p->n_formulas > 0 ? p->reader_first[s] : p->reader_first[s + 1]; k < p->reader_first[s + 1]; k++) {
    const uint32_t law = p->propensities[p->readers[k]].law;
    if (law == FF_LAW_FORMULA || law == FF_LAW_SCALED) g = larger(g, elasticity(path, p->readers[k], s));
  }
  return larger(g, 1);
}

/* Marks critical reactions. Returns the sum of their propensities. */
static double find_critical(leaper *e) {
  const ff_ssa_program *p = e->path.program;
  double sum = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    e->critical[r] = 0;
    if (!(e->path.propensity[r] > 0)) continue;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      if (p->changes[i].by < 0 && e->path.count[p->changes[i].species] < CRITICAL * -(double)p->changes[i].by)
        e->critical[r] = 1;
    if (e->critical[r]) sum += e->path.propensity[r];
  }
  return sum;
}

/* The time in which no propensity is likely to change by more than the tolerance, by reactions that are not critical. */
static double longest_leap(leaper *e) {
  const ff_ssa_program *p = e->path.program;
  double tau = INFINITY;
  memset(e->drift, 0, p->n_species * sizeof *e->drift);
  memset(e->noise, 0, p->n_species * sizeof *e->noise);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const double a = e->path.propensity[r];
    if (e->critical[r] || !(a > 0)) continue;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const double by = (double)p->changes[i].by;
      e->drift[p->changes[i].species] += by * a;
      e->noise[p->changes[i].species] += by * by * a;
    }
  }
  for (uint32_t s = 0; s < p->n_species; s++) {
    if (!(e->noise[s] > 0) || p->reader_first[s] == p->reader_first[s + 1]) continue;
    const double most = larger(e->tolerance * e->path.count[s] / sensitivity(e, s), 1);
    if (e->drift[s] != 0) tau = smaller(tau, most / fabs(e->drift[s]));
    tau = smaller(tau, most * most / e->noise[s]);
  }
  return tau;
}

/* ---- leaps -------------------------------------------------------------------------------------------------------------- */

/* The key of a reaction's numbers in this leap. */
static uint64_t key_of(const leaper *e, uint32_t r) {
  const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_LEAP, r, e->address, e->path.unit), e->path.key);
  return (uint64_t)words.v[1] << 32 | words.v[0];
}

static void change(const ff_ssa_program *p, double *count, uint32_t r, double times) {
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
    count[p->changes[i].species] += times * (double)p->changes[i].by;
}

static uint32_t choose_critical(const leaper *e, double at) {
  uint32_t found = e->path.program->n_reactions;
  for (uint32_t r = 0; r < e->path.program->n_reactions; r++) {
    if (!e->critical[r]) continue;
    found = r;
    if (at < e->path.propensity[r]) break;
    at -= e->path.propensity[r];
  }
  return found;
}

/* Draws the firings of a leap of at most this length. Returns 0 if a count would be negative. */
static int draw_leap(leaper *e, double tau, double critical) {
  ff_ssa_path *path = &e->path;
  const ff_ssa_program *p = path->program;
  const ff_philox_block words = ff_ssa_path_draw(path, FF_SSA_DRAW_EVENT, 0);
  const double wait = critical > 0 ? ff_ssa_exponential(words.v[0], words.v[1]) / critical : INFINITY;
  e->address = path->event++;
  e->last = wait <= tau ? choose_critical(e, ff_ssa_closed(words.v[2], words.v[3]) * critical) : p->n_reactions;
  tau = smaller(tau, wait);
  e->end = path->time + tau;
  memcpy(e->after, path->count, p->n_species * sizeof *e->after);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    e->times_fired[r] = 0;
    if (e->critical[r] || !(path->propensity[r] > 0)) continue;
    ff_ssa_sequence sequence = ff_ssa_sequence_of(key_of(e, r), 0);
    e->times_fired[r] = ff_ssa_poisson(&sequence, path->propensity[r] * tau);
    if (e->times_fired[r] > 0) change(p, e->after, r, e->times_fired[r]);
  }
  if (e->last < p->n_reactions) change(p, e->after, e->last, 1);
  for (uint32_t s = 0; s < p->n_species; s++)
    if (e->after[s] < 0) return 0;
  return 1;
}

static void finish_leap(leaper *e) {
  ff_ssa_path *path = &e->path;
  const ff_ssa_program *p = path->program;
  e->leaping = 0;
  path->time = e->end;
  memcpy(path->count, e->after, p->n_species * sizeof *path->count);
  for (uint32_t r = 0; r < p->n_reactions; r++) e->fired += (uint64_t)e->times_fired[r];
  e->fired += e->last < p->n_reactions;
  for (uint32_t s = 0; s < p->n_species; s++)
    if (path->count[s] > FF_SSA_MAX_COUNT) ff_ssa_path_fail(path, FF_SSA_BAD_COUNT, s, path->count[s]);
}

/* Begins a leap, or a series of exact events. */
static void go_on(leaper *e) {
  ff_ssa_path *path = &e->path;
  ff_ssa_path_compute(path);
  const double total = ff_ssa_sum(path->propensity, path->program->n_reactions);
  e->exact = EXACT_EVENTS;
  if (path->failure.what == FF_SSA_FINE && total > 0 && total < INFINITY) {
    const double critical = find_critical(e);
    /* The mean number of firings is bounded, so that it is a number that a count may reach. */
    for (double tau = smaller(longest_leap(e), 2 * FF_SSA_MAX_COUNT / total); tau * total >= LEAST_EVENTS; tau /= 2)
      if (draw_leap(e, tau, critical)) {
        e->leaping = 1;
        return;
      }
  }
  ff_ssa_path_resume(path);
}

/* ---- the state within a leap -------------------------------------------------------------------------------------------- */

/* How many of n firings, spread uniformly over the leap, happen in its first `part`. */
static double firings_until(uint64_t key, double n, double part) {
  double found = 0;
  uint64_t node = 1;
  for (int level = 0; level < BRIDGE_LEVELS && n > 0; level++) {
    ff_ssa_sequence sequence = ff_ssa_sequence_of(key, node); /* node 0 is for the number of firings */
    const double first = ff_ssa_halves(&sequence, n);
    part *= 2;
    node *= 2;
    if (part >= 1) {
      part -= 1;
      node += 1;
      found += first;
      n -= first;
    } else {
      n = first;
    }
  }
  return found;
}

/* A count may be negative within a leap though it is not at its end. It is shown as 0. */
static void show(leaper *e, double time) {
  const ff_ssa_path *path = &e->path;
  const ff_ssa_program *p = path->program;
  const double part = (time - path->time) / (e->end - path->time);
  memcpy(e->shown, path->count, p->n_species * sizeof *e->shown);
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (e->times_fired[r] > 0) change(p, e->shown, r, firings_until(key_of(e, r), e->times_fired[r], part));
  for (uint32_t s = 0; s < p->n_species; s++) e->shown[s] = larger(e->shown[s], 0);
}

/* ---- the engine --------------------------------------------------------------------------------------------------------- */

static void start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  leaper *e = (leaper *)engine;
  (void)lane;
  e->path.unit = unit;
  e->path.event = 0;
  e->path.failure.what = FF_SSA_FINE;
  e->base.broken = 0;
  e->fired = 0;
  e->wanted = wanted;
  e->started = e->leaping = 0;
}

static void rest(ff_ssa_engine *engine, uint32_t lane) {
  (void)lane;
  ((leaper *)engine)->wanted = INFINITY;
}

static void begin(leaper *e) {
  ff_ssa_path *path = &e->path;
  e->started = 1;
  path->time = 0;
  memcpy(path->count, e->initial, path->program->n_species * sizeof *path->count);
  go_on(e);
}

static uint64_t report(leaper *e, double *count, double next_time) {
  e->base.broken = e->path.failure.what != FF_SSA_FINE;
  e->base.count = count;
  e->path.next_time = next_time;
  return 1;
}

static void take_step(leaper *e) {
  if (!e->started) {
    begin(e);
  } else if (e->leaping) {
    finish_leap(e);
    if (e->path.failure.what == FF_SSA_FINE) go_on(e);
  } else {
    ff_ssa_path_step(&e->path);
    e->fired++;
    if (--e->exact == 0 && e->path.failure.what == FF_SSA_FINE) go_on(e);
  }
}

static uint64_t advance(ff_ssa_engine *engine, uint32_t *steps) {
  leaper *e = (leaper *)engine;
  for (;;) {
    if (e->started && e->path.failure.what != FF_SSA_FINE) return report(e, e->path.count, e->path.next_time);
    if (e->started && e->leaping && e->wanted < e->end) {
      show(e, e->wanted);
      return report(e, e->shown, nextafter(e->wanted, INFINITY));
    }
    if (e->started && !e->leaping && e->wanted < e->path.next_time) return report(e, e->path.count, e->path.next_time);
    if (*steps == 0) return 0;
    --*steps;
    take_step(e);
  }
}

static uint64_t events(const ff_ssa_engine *engine, uint32_t lane) {
  (void)lane;
  return ((const leaper *)engine)->fired;
}

static void diagnose(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out) {
  (void)lane;
  *out = ((leaper *)engine)->path.failure;
}

static void drop(ff_ssa_engine *engine) {
  leaper *e = (leaper *)engine;
  if (e == NULL) return;
  if (e->path.finder != NULL) ff_ssa_path_free(&e->path);
  free(e->order);
  free(e->twice);
  free(e->thrice);
  free(e->drift);
  free(e->noise);
  free(e->after);
  free(e->shown);
  free(e->times_fired);
  free(e->critical);
  free(e);
}

static ff_status allocate(leaper *e, const ff_ssa_program *p, ff_error *err) {
  e->order = ff_calloc(p->n_species, sizeof *e->order);
  e->twice = ff_calloc(p->n_species, 1);
  e->thrice = ff_calloc(p->n_species, 1);
  e->drift = ff_calloc(p->n_species, sizeof *e->drift);
  e->noise = ff_calloc(p->n_species, sizeof *e->noise);
  e->after = ff_calloc(p->n_species, sizeof *e->after);
  e->shown = ff_calloc(p->n_species, sizeof *e->shown);
  e->times_fired = ff_calloc(p->n_reactions, sizeof *e->times_fired);
  e->critical = ff_calloc(p->n_reactions, 1);
  if (e->order && e->twice && e->thrice && e->drift && e->noise && e->after && e->shown && e->times_fired && e->critical)
    return ff_ssa_path_new(&e->path, p, FF_SSA_TREE, err);
  return ff_error_set(err, FF_EMEMORY, "no memory for leaps of %u reactions", p->n_reactions);
}

ff_status ff_ssa_engine_leap(ff_ssa_engine **out, const ff_ssa_program *program, const ff_ssa_options *options,
                             const double *initial, ff_error *err) {
  *out = NULL;
  leaper *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  ff_status status = allocate(e, program, err);
  if (status != FF_OK) {
    drop(&e->base);
    return status;
  }
  e->base = (ff_ssa_engine){.lanes = 1, .stride = 1, .start = start, .rest = rest, .advance = advance, .events = events,
                            .diagnose = diagnose, .free = drop};
  e->base.count = e->path.count;
  e->base.next_time = &e->path.next_time;
  e->base.wanted = &e->wanted;
  e->initial = initial;
  e->path.key = options->key;
  e->tolerance = options->tolerance > 0 ? options->tolerance : FF_SSA_TOLERANCE;
  e->wanted = INFINITY;
  find_orders(e);
  *out = &e->base;
  return FF_OK;
}
