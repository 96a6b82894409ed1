/* Petri nets as an engine of ensembles: checks, lanes of one trajectory, and why trajectories fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../base/ff_philox.h"
#include "../lanes/ff_petri_lanes.h"
#include "ff_petri_run_internal.h"

/* ---- lanes -------------------------------------------------------------------------------------------------------------- */

#define MOST_VALUES 4096u /* of a net with many lanes: their state should stay in the caches */
#define MOST_TURNS 64u    /* steps of a trajectory before the others have their turn */

typedef struct {
  ff_lanes base;
  ff_petri_path *path;
  ff_petri_lanes *together; /* NULL with one lane */
  const double *initial;
  double *own_initial; /* for each lane, if trajectories begin with different counts */
  double *count, *wanted, *next_time;
  uint8_t *begun;
  double start;
  uint64_t key;
  uint32_t n_places;
} petri_lanes;

static void start(ff_lanes *lanes, uint32_t lane, uint64_t unit, double wanted) {
  petri_lanes *e = (petri_lanes *)lanes;
  const double *initial = e->initial;
  if (e->own_initial != NULL) {
    double *own = e->own_initial + (size_t)lane * e->n_places;
    initial = memcpy(own, e->initial, e->n_places * sizeof *own);
  }
  ff_petri_path_start(&e->path[lane], e->key, unit, initial, e->start);
  e->base.broken &= ~(UINT64_C(1) << lane);
  e->base.reached &= ~(UINT64_C(1) << lane);
  e->wanted[lane] = wanted;
  e->next_time[lane] = 0; /* that of the first step, in which a condition may hold */
  e->begun[lane] = 0;
}

static void rest(ff_lanes *lanes, uint32_t lane) { ((petri_lanes *)lanes)->wanted[lane] = INFINITY; }

/* Whether a lane has something to report. */
static int reports(const petri_lanes *e, uint32_t lane) {
  const ff_petri_path *path = &e->path[lane];
  return e->begun[lane] && !path->paused && (path->failure.what != FF_PETRI_FINE || e->wanted[lane] < path->next_time);
}

/* When a condition has ended the trajectory, the state stays that of the last step. */
static uint64_t advance(ff_lanes *lanes, uint32_t *steps) {
  petri_lanes *e = (petri_lanes *)lanes;
  ff_petri_path *path = &e->path[0];
  while (!reports(e, 0)) {
    if (*steps == 0 || (e->begun[0] && path->next_time == INFINITY)) return 0;
    --*steps;
    ff_petri_path_step(path);
    e->begun[0] = 1;
    e->next_time[0] = path->next_time;
    e->base.reached = path->looks && path->reached;
    if (e->base.reached && path->failure.what == FF_PETRI_FINE) ff_petri_path_show(path, path->now, e->count, 1);
  }
  e->base.broken = path->failure.what != FF_PETRI_FINE;
  return 1;
}

/* All lanes go on until they wait for the solver; then it makes their steps. */
static uint64_t advance_together(ff_lanes *lanes, uint32_t *steps) {
  petri_lanes *e = (petri_lanes *)lanes;
  for (; *steps > 0; --*steps) {
    ff_petri_path *waiting[FF_PETRI_LANES];
    uint64_t bits = 0;
    uint32_t n = 0, more = 0;
    for (uint32_t l = 0; l < e->base.lanes; l++) {
      ff_petri_path *path = &e->path[l];
      if (e->wanted[l] == INFINITY) continue;
      for (uint32_t turn = 0; turn < MOST_TURNS && !path->paused && !reports(e, l); turn++) {
        ff_petri_path_step(path);
        e->begun[l] = 1;
      }
      e->next_time[l] = path->next_time;
      path->horizon = e->wanted[l];
      if (path->paused)
        waiting[n++] = path;
      else if (reports(e, l))
        bits |= UINT64_C(1) << l;
      else
        more = 1;
      if (path->failure.what != FF_PETRI_FINE) e->base.broken |= UINT64_C(1) << l;
    }
    if (bits != 0 || (n == 0 && !more)) return bits;
    ff_petri_lanes_step(e->together, waiting, n);
  }
  return 0;
}

static void show(ff_lanes *lanes, uint32_t lane, double t) {
  petri_lanes *e = (petri_lanes *)lanes;
  ff_petri_path_show(&e->path[lane], t, e->count + lane, e->base.stride);
  if (e->path[lane].failure.what != FF_PETRI_FINE) e->base.broken |= UINT64_C(1) << lane;
}

static uint64_t steps(const ff_lanes *lanes, uint32_t lane) { return ((const petri_lanes *)lanes)->path[lane].firings; }

static void diagnose(ff_lanes *lanes, uint32_t lane, ff_failure *out) { *out = ((petri_lanes *)lanes)->path[lane].failure; }

static void drop(ff_lanes *lanes) {
  petri_lanes *e = (petri_lanes *)lanes;
  if (e == NULL) return;
  for (uint32_t l = 0; l < e->base.lanes && e->path != NULL; l++) ff_petri_path_free(&e->path[l]);
  ff_petri_lanes_free(e->together);
  free(e->path);
  free(e->own_initial);
  free(e->count);
  free(e->wanted);
  free(e->next_time);
  free(e->begun);
  free(e);
}

/* How many lanes are worth while. */
static uint32_t lanes_for(const ff_petri_program *p, const ff_run_options *options, uint64_t trajectories) {
  const int explicit_steps = p->options.integrator == FF_PETRI_AUTO || p->options.integrator == FF_PETRI_DORMAND_PRINCE;
  if (p->n_levels == 0 || ff_run_follows(options) || p->n_values + p->flat->n_transitions > MOST_VALUES || !explicit_steps ||
      p->options.paper)
    return 1;
  return trajectories < FF_PETRI_LANES ? trajectories > 0 ? (uint32_t)trajectories : 1 : FF_PETRI_LANES;
}

static ff_status make_paths(petri_lanes *e, const ff_petri_program *p, const ff_run_options *options, ff_error *err) {
  const uint32_t n = e->base.lanes;
  e->path = ff_calloc(n, sizeof *e->path);
  e->count = ff_calloc((size_t)p->n_places + p->n_settable, n * sizeof *e->count);
  e->wanted = ff_calloc(n, sizeof *e->wanted);
  e->next_time = ff_calloc(n, sizeof *e->next_time);
  e->begun = ff_calloc(n, sizeof *e->begun);
  if (n > 1 && options->starts != NULL) e->own_initial = ff_calloc(p->n_places, n * sizeof *e->own_initial);
  const int fine = e->path && e->count && e->wanted && e->next_time && e->begun &&
                   (n == 1 || options->starts == NULL || e->own_initial != NULL);
  ff_status status = fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u places", p->n_places);
  for (uint32_t l = 0; l < n && status == FF_OK; l++) {
    status = ff_petri_path_new(&e->path[l], p, options->until, err);
    e->path[l].together = n > 1;
    e->wanted[l] = INFINITY;
  }
  if (status == FF_OK && n > 1) status = ff_petri_lanes_new(&e->together, p, options->simd, err);
  return status;
}

static ff_status make_lanes(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                            uint64_t trajectories, ff_error *err) {
  const ff_petri_program *program = process->model;
  *out = NULL;
  if (options->method == FF_PETRI_WINDOWS) return ff_petri_window_lanes(out, process, options, initial, err);
  petri_lanes *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  e->base.lanes = lanes_for(program, options, trajectories);
  const ff_status status = make_paths(e, program, options, err);
  if (status != FF_OK) {
    drop(&e->base);
    return status;
  }
  const int one = e->base.lanes == 1;
  e->initial = initial;
  e->start = options->start;
  e->key = options->key;
  e->n_places = program->n_places;
  e->base = (ff_lanes){.lanes = e->base.lanes, .stride = e->base.lanes, .count = e->count, .next_time = e->next_time,
                       .wanted = e->wanted, .looks = 1, .next = one ? &e->path[0].next : NULL, .start = start, .rest = rest,
                       .advance = one ? advance : advance_together, .steps = steps, .show = show, .diagnose = diagnose,
                       .free = drop};
  *out = &e->base;
  return FF_OK;
}

/* ---- options ------------------------------------------------------------------------------------------------------------ */

enum { NAME = 200 };

static ff_quoted place_name(const ff_petri_program *p, uint32_t place) {
  char name[NAME];
  const size_t length = ff_petri_place_name(name, sizeof name, p->flat, place, ",");
  return ff_quote(name, length < sizeof name ? length : sizeof name - 1);
}

static ff_quoted transition_name(const ff_petri_program *p, uint32_t transition) {
  char name[NAME];
  const ff_petri_member m = ff_petri_member_of(p, transition);
  const size_t length = ff_petri_transition_name(name, sizeof name, p->flat, m.law, m.i, ",");
  return ff_quote(name, length < sizeof name ? length : sizeof name - 1);
}

static ff_status check_places(const ff_petri_program *p, const double *initial, ff_error *err) {
  for (uint32_t k = 0; k < p->n_places; k++) {
    const int continuous = p->flat->continuous[k];
    const int fine = initial[k] >= 0 && initial[k] < INFINITY &&
                     (continuous || (initial[k] == floor(initial[k]) && initial[k] <= FF_PETRI_MOST_COUNT));
    if (!fine)
      return ff_error_set(err, FF_EARGUMENT, "the marking of %s place %s at the start is %.17g; expected a %s",
                          continuous ? "continuous" : "discrete", place_name(p, k).text, initial[k],
                          continuous ? "number of at least 0" : "whole number from 0 to 2^53");
  }
  return FF_OK;
}

ff_status ff_petri_method_of(ff_petri_method *out, const ff_petri_program *p, const ff_run_options *options, ff_error *err) {
  ff_petri_blocks *blocks = NULL;
  *out = FF_PETRI_EXACT;
  if (options->until != NULL || p->n_groups < FF_PETRI_MANY_BLOCKS || p->n_levels < FF_PETRI_MANY_BLOCKS) return FF_OK;
  const ff_status status = ff_petri_blocks_new(&blocks, p, err);
  if (status != FF_OK) return status == FF_EMEMORY ? status : FF_OK;
  uint32_t many = 0; /* blocks whose firings would cost steps of all others */
  for (uint32_t k = 0; k < blocks->n_blocks; k++) {
    const ff_petri_program *own = blocks->types[blocks->type[k]].program;
    many += own->n_groups > 0 && own->n_levels > 0;
  }
  if (many >= FF_PETRI_MANY_BLOCKS && blocks->n_types <= many / 4) *out = FF_PETRI_WINDOWS;
  ff_petri_blocks_free(blocks);
  return FF_OK;
}

static ff_status open_process(ff_process *process, const ff_run_options *o, ff_error *err) {
  const ff_petri_program *p = process->model;
  if (o->method < 0 || o->method >= FF_PETRI_METHODS) return ff_error_set(err, FF_EARGUMENT, "a run needs a known method");
  if (o->method == FF_PETRI_WINDOWS && o->until != NULL)
    return ff_error_set(err, FF_EARGUMENT,
                        "method \"windows\" cannot stop trajectories by a condition (`until`); use method = \"exact\"");
  if (p->n_groups >= FF_PHILOX_MAX_BLOCKS)
    return ff_error_set(err, FF_ESIZE,
                        "the net has %u groups of stochastic transitions with a clock of their own; expected fewer than "
                        "2^29",
                        p->n_groups);
  process->variables = p->observer;
  process->n_counts = p->n_places;
  process->n_items = p->n_places + p->n_settable;
  process->n_variables = p->flat->n_variables;
  for (uint32_t v = 0; v < process->n_variables; v++)
    if (p->observer[v].depth > process->depth) process->depth = p->observer[v].depth;
  process->real = p->flat->continuous;
  process->step = 64 + 8.0 * p->n_levels;
  process->look = 4.0 * p->n_places;
  process->counted = "places";
  process->shared = o->method == FF_PETRI_WINDOWS;
  ff_status status = check_places(p, o->initial != NULL ? o->initial : p->start, err);
  for (uint64_t i = 0; o->starts != NULL && i < o->n && status == FF_OK; i++)
    status = check_places(p, o->starts + i * p->n_places, err);
  if (status != FF_OK || o->method != FF_PETRI_WINDOWS) return status;
  ff_petri_parts *parts = process->own = ff_calloc(1, sizeof *parts);
  if (parts == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the blocks of %u places", p->n_places);
  parts->opener = &ff_petri_opener_of_windows;
  return ff_petri_blocks_new(&parts->blocks, p, err);
}

static void close_process(ff_process *process) {
  ff_petri_parts *parts = process->own;
  if (parts != NULL) ff_petri_blocks_free(parts->blocks);
  free(parts);
}

static const double *initial_of(const void *model) { return ((const ff_petri_program *)model)->start; }

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

/* Where and when: " at time 2 of trajectory 5". */
typedef struct {
  char text[80];
} where;

static where where_of(const ff_failure *f, unsigned long long number) {
  where out;
  snprintf(out.text, sizeof out.text, " at time %s of trajectory %llu", ff_show(f->time, 6).text, number);
  return out;
}

static void describe_transition(const ff_petri_program *p, const ff_failure *f, const char *at, ff_error *out) {
  const ff_quoted name = transition_name(p, f->item);
  const ff_shown shown = ff_show(f->value, 6);
  const char *value = shown.text;
  switch (f->what) {
    case FF_PETRI_BAD_HAZARD:
      ff_error_set(out, FF_EMODEL,
                   "the rate of stochastic transition %s is %s%s; expected a finite number of at least 0, such as "
                   "max(0, ...)",
                   name.text, value, at);
      break;
    case FF_PETRI_BAD_FLOW:
      ff_error_set(out, FF_EMODEL, "the rate of continuous transition %s is %s%s; expected a finite number", name.text, value,
                   at);
      break;
    case FF_PETRI_BAD_WEIGHT:
      ff_error_set(out, FF_EMODEL, "the weight of immediate transition %s is %s%s; expected a finite number", name.text, value,
                   at);
      break;
    case FF_PETRI_BAD_DELAY:
      ff_error_set(out, FF_EMODEL, "the delay of deterministic transition %s is %s%s; expected a number of at least 0", name.text,
                   value, at);
      break;
    case FF_PETRI_BAD_INTEGRAL:
      ff_error_set(out, FF_EMODEL,
                   "the rate of stochastic transition %s cannot be integrated%s, where it is about %s; expected a "
                   "rate that changes more smoothly",
                   name.text, at, value);
      break;
    default:
      if (f->symbol == f->item)
        ff_error_set(out, FF_EMODEL,
                     "transition %s fires without end%s: more than %u times at one instant; expected a transition "
                     "that its own firings disable",
                     name.text, at, p->options.most_at_once);
      else
        ff_error_set(out, FF_EMODEL,
                     "transitions such as %s and %s fire without end%s: more than %u times at one instant; expected "
                     "transitions whose firings disable them in the end",
                     name.text, transition_name(p, f->symbol).text, at, p->options.most_at_once);
  }
}

/* Steps become too short, too, if errors that the absolute tolerance permits are larger than the levels. */
static void describe_step(const ff_petri_program *p, const double *start, const ff_failure *f, const char *at, ff_error *out) {
  char hint[FF_ERROR_TEXT] = "";
  double most = 0;
  uint32_t place = 0;
  for (uint32_t i = 0; i < p->n_places; i++) {
    if (!p->flat->continuous[i] || p->flat->fixed[i] || start[i] <= most || start[i] >= 1000 * p->options.absolute) continue;
    most = start[i];
    place = i;
  }
  if (most > 0)
    snprintf(hint, sizeof hint,
             ". Or, if small levels matter, as that of place %s, which is %s at the start: a smaller absolute tolerance than %s, "
             "such as tolerance = c(relative = 1e-6, absolute = %s)",
             place_name(p, place).text, ff_show(most, 3).text, ff_show(p->options.absolute, 3).text,
             ff_show(1e-6 * most, 1).text);
  ff_error_set(out, FF_EMODEL,
               "the flows cannot be integrated%s: the steps of the solver become too short for place %s; "
               "expected rates that stay finite and do not jump there%s",
               at, place_name(p, f->item).text, hint);
}

static void describe_place(const ff_petri_program *p, const ff_failure *f, const char *at, ff_error *out) {
  const ff_quoted name = place_name(p, f->item);
  const ff_shown shown = ff_show(f->value, 15);
  const char *value = shown.text;
  switch (f->what) {
    case FF_PETRI_BAD_COUNT:
      ff_error_set(out, FF_ESIZE,
                   "transition %s would set place %s to %s tokens%s; expected at most 2^53, or a continuous place",
                   transition_name(p, f->symbol).text, name.text, value, at);
      break;
    case FF_PETRI_BAD_CHANGE:
      ff_error_set(out, FF_EMODEL, "transition %s would set place %s to %s%s; expected a %snumber of at least 0",
                   transition_name(p, f->symbol).text, name.text, value, at, p->flat->continuous[f->item] ? "" : "whole ");
      break;
    case FF_PETRI_BAD_LEVEL:
      ff_error_set(out, FF_EMODEL,
                   "the level of place %s falls below %s%s; expected at least 0, or semantics = \"adaptive\", which "
                   "limits the flows out of an empty place",
                   name.text, value, at);
      break;
    default:
      ff_error_set(out, FF_EMODEL,
                   "conditions on place %s change without end%s: more than %u times in almost no time; expected "
                   "different levels for switching a rate on and off",
                   name.text, at, FF_PETRI_MOST_CROSSINGS);
  }
}

/* What an event would set. */
static void describe_set(const ff_petri_program *p, const ff_failure *f, const char *event, const char *at, ff_error *out) {
  const ff_shown value = ff_show(f->value, 15);
  if (f->symbol >= p->n_places) {
    const char *name = p->flat->net->parameter[p->settable[f->symbol - p->time - 1]];
    ff_error_set(out, FF_EMODEL, "event %s sets parameter %s to %s%s; expected a number", event,
                 ff_quote(name, strlen(name)).text, value.text, at);
    return;
  }
  const uint32_t place = p->value_place[f->symbol];
  if (f->value > FF_PETRI_MOST_COUNT && f->value < INFINITY && !p->flat->continuous[place])
    ff_error_set(out, FF_ESIZE, "event %s sets place %s to %s%s; expected at most 2^53", event, place_name(p, place).text,
                 value.text, at);
  else
    ff_error_set(out, FF_EMODEL, "event %s sets place %s to %s%s; expected a %s of at least 0", event, place_name(p, place).text,
                 value.text, at, p->flat->continuous[place] ? "finite number" : "whole number");
}

static void describe_event(const ff_petri_program *p, const ff_failure *f, const char *at, ff_error *out) {
  const char *name = p->flat->event[f->item].name;
  const ff_quoted event = ff_quote(name, strlen(name));
  switch (f->what) {
    case FF_PETRI_BAD_SET: describe_set(p, f, event.text, at, out); break;
    case FF_PETRI_BAD_EVENT_DELAY:
      ff_error_set(out, FF_EMODEL, "the delay of event %s is %s%s; expected a finite number of at least 0", event.text,
                   ff_show(f->value, 6).text, at);
      break;
    case FF_PETRI_BAD_PRIORITY:
      ff_error_set(out, FF_EMODEL, "the priority of event %s is NaN%s; expected a number", event.text, at);
      break;
    case FF_PETRI_ENDLESS_EVENTS:
      ff_error_set(out, FF_EMODEL, "more than %u events happen%s, and event %s is next; expected events that do not trigger "
                   "each other for ever", p->options.most_at_once, at, event.text);
      break;
    default:
      ff_error_set(out, FF_ESIZE,
                   "more than 2^20 events wait%s, the last of them event %s; expected shorter delays, or "
                   "events that are triggered less often",
                   at, event.text);
  }
}

static void describe(const ff_process *process, const ff_run_options *o, ff_lanes *lanes, uint32_t lane,
                     unsigned long long number, ff_error *out) {
  const ff_petri_program *p = process->model;
  ff_failure f;
  lanes->diagnose(lanes, lane, &f);
  const where at = where_of(&f, number);
  if (f.what == FF_PETRI_BAD_WINDOW)
    ff_error_set(out, FF_EMODEL,
                 "the levels of neighbouring parts of the net do not agree%s, even in windows of length %s; use "
                 "method = \"exact\"",
                 at.text, ff_show(f.value, 3).text);
  else if (f.what == FF_PETRI_NO_MEMORY)
    ff_error_set(out, FF_EMEMORY, "no memory for a step%s", at.text);
  else if (f.what <= FF_PETRI_BAD_DELAY || f.what == FF_PETRI_BAD_INTEGRAL || f.what == FF_PETRI_ENDLESS)
    describe_transition(p, &f, at.text, out);
  else if (f.what >= FF_PETRI_BAD_SET && f.what <= FF_PETRI_TOO_MANY_EVENTS)
    describe_event(p, &f, at.text, out);
  else if (f.what == FF_PETRI_BAD_STEP)
    describe_step(p, o->initial != NULL ? o->initial : p->start, &f, at.text, out);
  else
    describe_place(p, &f, at.text, out);
}

/* ---- devices ------------------------------------------------------------------------------------------------------------ */

/* What no kernel has. What a net needs besides is checked when an ensemble is created. */
static ff_status check_devices(const void *model, const ff_run_options *o, ff_error *err) {
  const ff_petri_program *p = model;
  if (o->method == FF_PETRI_WINDOWS && o->max_firings > 0)
    return ff_error_set(err, FF_EUNSUPPORTED, "no kernel lists firings of nets that are simulated by windows yet");
  if (o->start != 0 && p->n_timed > 0)
    return ff_error_set(err, FF_EUNSUPPORTED, "some transitions have clocks, and no kernel begins at another time than 0 yet");
  if (o->start != 0 && (p->timed_flows || p->timed_profiles))
    return ff_error_set(err, FF_EUNSUPPORTED, "rates depend on the time, and no kernel begins at another time than 0 yet");
  return FF_OK;
}

static void request(const ff_process *process, ff_device_request *out) { out->own = process->own; }

/* Trajectories by windows have other kernels, which are for one point. */
static int shares(const ff_run_options *o) { return o->method == FF_PETRI_EXACT; }

const ff_engine ff_petri_engine = {.open = open_process, .close = close_process, .initial = initial_of, .lanes = make_lanes,
                                   .describe = describe, .check_devices = check_devices, .request = request, .shares = shares};
