/* Petri nets as an engine of ensembles: checks, lanes of one trajectory, and why trajectories fail. */
#include "ff_petri_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../base/ff_philox.h"
#include "../path/ff_petri_path.h"

#define MOST_COUNT 0x1p53

/* ---- lanes -------------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_lanes base;
  ff_petri_path path;
  const double *initial;
  double *count;
  double start, wanted;
  uint64_t key;
  int begun;
} petri_lane;

static void start(ff_lanes *lanes, uint32_t lane, uint64_t unit, double wanted) {
  petri_lane *e = (petri_lane *)lanes;
  (void)lane;
  ff_petri_path_start(&e->path, e->key, unit, e->initial, e->start);
  e->base.broken = e->base.reached = 0;
  e->wanted = wanted;
  e->begun = 0;
}

static void rest(ff_lanes *lanes, uint32_t lane) {
  (void)lane;
  ((petri_lane *)lanes)->wanted = INFINITY;
}

/* When a condition has ended the trajectory, the state stays that of the last step. */
static uint64_t advance(ff_lanes *lanes, uint32_t *steps) {
  petri_lane *e = (petri_lane *)lanes;
  ff_petri_path *path = &e->path;
  while (!(e->begun && (path->failure.what != FF_PETRI_FINE || e->wanted < path->next_time))) {
    if (*steps == 0 || (e->begun && path->next_time == INFINITY)) return 0;
    --*steps;
    ff_petri_path_step(path);
    e->begun = 1;
    e->base.reached = path->looks && path->reached;
    if (e->base.reached && path->failure.what == FF_PETRI_FINE) ff_petri_path_show(path, path->now, e->count, 1);
  }
  e->base.broken = path->failure.what != FF_PETRI_FINE;
  return 1;
}

static void show(ff_lanes *lanes, uint32_t lane, double t) {
  petri_lane *e = (petri_lane *)lanes;
  (void)lane;
  ff_petri_path_show(&e->path, t, e->count, 1);
  e->base.broken = e->path.failure.what != FF_PETRI_FINE;
}

static uint64_t steps(const ff_lanes *lanes, uint32_t lane) {
  (void)lane;
  return ((const petri_lane *)lanes)->path.firings;
}

static void diagnose(ff_lanes *lanes, uint32_t lane, ff_failure *out) {
  (void)lane;
  *out = ((petri_lane *)lanes)->path.failure;
}

static void drop(ff_lanes *lanes) {
  petri_lane *e = (petri_lane *)lanes;
  if (e == NULL) return;
  ff_petri_path_free(&e->path);
  free(e->count);
  free(e);
}

static ff_status make_lanes(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                            uint64_t trajectories, ff_error *err) {
  const ff_petri_program *program = process->model;
  (void)trajectories;
  *out = NULL;
  petri_lane *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  e->count = ff_calloc((size_t)program->n_places + program->n_settable, sizeof *e->count);
  ff_status status = e->count != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u places", program->n_places);
  if (status == FF_OK) status = ff_petri_path_new(&e->path, program, options->until, err);
  if (status != FF_OK) {
    drop(&e->base);
    return status;
  }
  e->initial = initial;
  e->start = options->start;
  e->key = options->key;
  e->wanted = INFINITY;
  e->base = (ff_lanes){.lanes = 1, .stride = 1, .count = e->count, .next_time = &e->path.next_time, .wanted = &e->wanted,
                       .looks = 1, .next = &e->path.next, .start = start, .rest = rest, .advance = advance, .steps = steps,
                       .show = show, .diagnose = diagnose, .free = drop};
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
                     (continuous || (initial[k] == floor(initial[k]) && initial[k] <= MOST_COUNT));
    if (!fine)
      return ff_error_set(err, FF_EARGUMENT, "the marking of %s place %s at the start is %.17g; expected a %s",
                          continuous ? "continuous" : "discrete", place_name(p, k).text, initial[k],
                          continuous ? "number of at least 0" : "whole number from 0 to 2^53");
  }
  return FF_OK;
}

static ff_status open_process(ff_process *process, const ff_run_options *o, ff_error *err) {
  const ff_petri_program *p = process->model;
  if (o->method != FF_PETRI_EXACT) return ff_error_set(err, FF_EARGUMENT, "a run needs a known method");
  if (p->n_groups >= FF_PHILOX_MAX_BLOCKS)
    return ff_error_set(err, FF_ESIZE, "the net has %u groups of transitions; expected fewer than 2^29", p->n_groups);
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
  ff_status status = check_places(p, o->initial != NULL ? o->initial : p->start, err);
  for (uint64_t i = 0; o->starts != NULL && i < o->n && status == FF_OK; i++)
    status = check_places(p, o->starts + i * p->n_places, err);
  return status;
}

static void close_process(ff_process *process) { (void)process; }

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
                     "transition %s fires without end%s: more than %u times at one instant; expected that its firings "
                     "disable it",
                     name.text, at, p->options.most_at_once);
      else
        ff_error_set(out, FF_EMODEL,
                     "transitions such as %s and %s fire without end%s: more than %u times at one instant; expected "
                     "that they disable each other",
                     name.text, transition_name(p, f->symbol).text, at, p->options.most_at_once);
  }
}

static void describe_place(const ff_petri_program *p, const ff_failure *f, const char *at, ff_error *out) {
  const ff_quoted name = place_name(p, f->item);
  const ff_shown shown = ff_show(f->value, 15);
  const char *value = shown.text;
  switch (f->what) {
    case FF_PETRI_BAD_STEP:
      ff_error_set(out, FF_EMODEL,
                   "the flows cannot be integrated%s: the steps become too short for place %s, perhaps "
                   "because a rate is infinite or jumps there",
                   at, name.text);
      break;
    case FF_PETRI_BAD_COUNT:
      ff_error_set(out, FF_ESIZE, "place %s would have %s tokens by transition %s%s; expected at most 2^53", name.text, value,
                   transition_name(p, f->symbol).text, at);
      break;
    case FF_PETRI_BAD_CHANGE:
      ff_error_set(out, FF_EMODEL, "place %s would become %s by transition %s%s; expected a %snumber of at least 0", name.text,
                   value, transition_name(p, f->symbol).text, at, p->flat->continuous[f->item] ? "" : "whole ");
      break;
    case FF_PETRI_BAD_LEVEL:
      ff_error_set(out, FF_EMODEL,
                   "the level of place %s falls below %s%s; expected at least 0: with semantics \"adaptive\", flows out of "
                   "an empty place are limited",
                   name.text, value, at);
      break;
    default:
      ff_error_set(out, FF_EMODEL,
                   "conditions on place %s change without end%s: more than %u times in almost no time; expected a "
                   "distance between the levels at which rates change to and fro",
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
  if (f->value > MOST_COUNT && f->value < INFINITY && !p->flat->continuous[place])
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
    default: ff_error_set(out, FF_ESIZE, "more than 2^20 events are delayed%s, the last of them event %s", at, event.text);
  }
}

static void describe(const ff_process *process, const ff_run_options *o, ff_lanes *lanes, uint32_t lane,
                     unsigned long long number, ff_error *out) {
  ff_failure f;
  (void)o;
  lanes->diagnose(lanes, lane, &f);
  const where at = where_of(&f, number);
  if (f.what == FF_PETRI_NO_MEMORY)
    ff_error_set(out, FF_EMEMORY, "no memory for a step%s", at.text);
  else if (f.what <= FF_PETRI_BAD_DELAY || f.what == FF_PETRI_BAD_INTEGRAL || f.what == FF_PETRI_ENDLESS)
    describe_transition(process->model, &f, at.text, out);
  else if (f.what >= FF_PETRI_BAD_SET && f.what <= FF_PETRI_TOO_MANY)
    describe_event(process->model, &f, at.text, out);
  else
    describe_place(process->model, &f, at.text, out);
}

/* ---- devices ------------------------------------------------------------------------------------------------------------ */

static ff_status check_devices(const void *model, const ff_run_options *o, ff_error *err) {
  (void)model, (void)o;
  return ff_error_set(err, FF_EUNSUPPORTED, "Petri nets are simulated on the processor");
}

static int shares(const ff_run_options *o) {
  (void)o;
  return 0;
}

const ff_engine ff_petri_engine = {.open = open_process, .close = close_process, .initial = initial_of, .lanes = make_lanes,
                                   .describe = describe, .check_devices = check_devices, .shares = shares};
