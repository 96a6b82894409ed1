/* Times at which conditions change: a search on the dense output. */
#include "ff_ode_internal.h"
#include "ff_ode_locate_math.h"

#define NEAREST_LOOK 0x1p-48 /* parts of a step after which a function that was 0 is looked at */
#define NEXT_LOOK 0x1p12
#define FOUND 2

/* Condition i at a time of the step. */
static double value_at(ff_ode *o, const ff_ode_watch *w, uint32_t i, double t) {
  if (t <= o->span.from) return w->value(w->of, i, t, o->start);
  if (t >= o->span.to) return w->value(w->of, i, t, o->end);
  if (w->read_first == NULL)
    ff_ode_state(o, t, o->look);
  else
    for (uint32_t k = w->read_first[i]; k < w->read_first[i + 1]; k++) o->look[w->read[k]] = ff_ode_component(o, t, w->read[k]);
  return w->value(w->of, i, t, o->look);
}

static int counts(const ff_ode_watch *w, uint32_t i, int becomes) {
  const int direction = w->direction != NULL ? w->direction[i] : 0;
  return direction == 0 || direction == (becomes ? 1 : -1);
}

/* The first time found at which the condition has its value at `high`, where it differs from that at `low`. */
static double time_of_change(ff_ode *o, const ff_ode_watch *w, uint32_t i, double low, double high) {
  const double at_low = value_at(o, w, i, low), at_high = value_at(o, w, i, high);
  ff_ode_bracket b = ff_ode_bracket_new(low, high, at_low, at_high, FF_ODE_ROUNDING * (fabs(high) + o->pace.tried));
  double t;
  while (ff_ode_bracket_next(&b, &t)) ff_ode_bracket_take(&b, t, value_at(o, w, i, t));
  return b.high;
}

/* A function is 0 at `low`. If it is below just afterwards, this is the first of some times at which that is seen; else `low`. */
static double time_below(ff_ode *o, const ff_ode_watch *w, uint32_t i, double low, double high) {
  for (double part = NEAREST_LOOK; part < 1; part *= NEXT_LOOK) {
    const double t = low + (high - low) * part, value = value_at(o, w, i, t);
    if (value < 0) return t;
    if (value > 0) break;
  }
  return low;
}

/* Whether condition i has changed at a time, when it was `before`: -1, 0 or 1. */
static int change_of(ff_ode *o, const ff_ode_watch *w, uint32_t i, double t, int before) {
  const int now = value_at(o, w, i, t) >= 0;
  return now != before && counts(w, i, now) ? now - before : 0;
}

/* Some conditions have changed at a time; `changed` tells which were true before. If more of them have a rounding later, it
 * becomes this time: they change together. */
static void tell_changes(ff_ode *o, const ff_ode_watch *w, double *at, int8_t *changed) {
  const double later = *at + FF_ODE_ROUNDING * (fabs(*at) + o->pace.tried);
  int now = 0, then = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    now += change_of(o, w, i, *at, changed[i]) != 0;
    then += change_of(o, w, i, later, changed[i]) != 0;
  }
  if (then > now) *at = later < o->span.to ? later : o->span.to;
  for (uint32_t i = 0; i < w->n; i++) changed[i] = (int8_t)change_of(o, w, i, *at, changed[i]);
}

/* Looks at condition i in a piece of the step. changed[i] becomes its value at the start. If it has changed at the end, *end
 * becomes the time of this change, and changed[i] has FOUND, too. */
static int search_one(ff_ode *o, const ff_ode_watch *w, uint32_t i, double begin, double *end, int8_t *changed) {
  const double value = value_at(o, w, i, begin), below = value == 0 ? time_below(o, w, i, begin, *end) : begin;
  double low = begin, high = *end;
  changed[i] = value >= 0;
  if (below > begin && counts(w, i, 0)) high = below;
  if (below > begin && !counts(w, i, 0)) {
    low = below;
    changed[i] = 0;
  }
  if (change_of(o, w, i, high, changed[i]) == 0) return 0;
  *end = time_of_change(o, w, i, low, high);
  changed[i] |= FOUND;
  return 1;
}

/* *end becomes the time of the first change. A condition that changes twice may have changed at an earlier end. */
static int search_piece(ff_ode *o, const ff_ode_watch *w, double begin, double *end, int8_t *changed) {
  int any = 0, more = 1;
  for (uint32_t i = 0; i < w->n; i++) changed[i] = 0;
  while (more) {
    more = 0;
    for (uint32_t i = 0; i < w->n; i++)
      if (!(changed[i] & FOUND)) more |= search_one(o, w, i, begin, end, changed);
    any |= more;
  }
  for (uint32_t i = 0; i < w->n; i++) {
    changed[i] &= ~FOUND;
    /* another condition may have changed before a function that was 0 fell */
    if (any && !changed[i] && value_at(o, w, i, begin) == 0) changed[i] = time_below(o, w, i, begin, *end) == begin;
  }
  if (any) tell_changes(o, w, end, changed);
  return any;
}

int ff_ode_locate(ff_ode *o, const ff_ode_watch *w, double from, double *at, int8_t *changed) {
  const uint32_t pieces = w->pieces > 0 ? w->pieces : 1;
  const double to = o->span.to, begin = ff_ode_larger(from, o->span.from);
  double low = begin;
  for (uint32_t piece = 1; piece <= pieces && low < to; piece++) {
    *at = piece < pieces ? begin + (to - begin) * piece / pieces : to;
    if (search_piece(o, w, low, at, changed)) return 1;
    low = *at;
  }
  return 0;
}
