/* Events: their triggers, those that wait, and what they set. */
#include <stdlib.h>

#include "ff_petri_path_internal.h"

#define MOST_WAITING (UINT32_C(1) << 20)

/* ---- room --------------------------------------------------------------------------------------------------------------- */

static int grow_waits(ff_petri_waits *w, uint32_t most_sets) {
  const uint32_t room = w->room == 0 ? 16 : 2 * w->room;
  const struct {
    void **memory;
    size_t size;
  } arrays[] = {{(void **)&w->due.heap, sizeof *w->due.heap}, {(void **)&w->due.at, sizeof *w->due.at},
                {(void **)&w->event, sizeof *w->event},       {(void **)&w->serial, sizeof *w->serial},
                {(void **)&w->unused, sizeof *w->unused},     {(void **)&w->value, (most_sets + (size_t)1) * sizeof *w->value}};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
    size_t capacity = w->room;
    if (ff_grow(arrays[k].memory, &capacity, room, arrays[k].size, NULL) != FF_OK) return 0;
  }
  for (uint32_t row = room; row-- > w->room;) {
    w->due.at[row] = FF_PETRI_NOT_DUE;
    w->unused[w->n_unused++] = row;
  }
  w->room = room;
  return 1;
}

void ff_petri_events_free(ff_petri_path *path) {
  ff_petri_waits *w = &path->waits;
  free(w->due.heap);
  free(w->due.at);
  free(w->event);
  free(w->serial);
  free(w->unused);
  free(w->value);
}

void ff_petri_events_begin(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  ff_petri_waits *w = &path->waits;
  ff_petri_due_clear(&w->due, w->room);
  w->n_unused = 0;
  for (uint32_t row = w->room; row-- > 0;) w->unused[w->n_unused++] = row;
  w->last = w->ties = 0;
  for (uint32_t e = 0; e < p->n_events; e++) {
    path->truth[e] = p->event[e].initially;
    path->is_dirty_event[e] = 1;
    path->dirty_event[e] = e;
  }
  path->n_dirty_events = p->n_events;
}

/* ---- triggers ----------------------------------------------------------------------------------------------------------- */

static void compute_values(ff_petri_path *path, uint32_t row) {
  const ff_petri_program *p = path->program;
  const ff_petri_event_law *event = &p->event[path->waits.event[row]];
  double *value = path->waits.value + (size_t)row * p->most_sets;
  for (uint32_t i = 0; i < event->n_sets; i++) value[i] = ff_petri_plain_at(path, path->now, &event->set[i].to);
}

/* The trigger has become true. */
static void add(ff_petri_path *path, uint32_t e) {
  const ff_petri_program *p = path->program;
  ff_petri_waits *w = &path->waits;
  const ff_petri_event_law *event = &p->event[e];
  const double delay = event->delay.formula.length == 0 ? 0 : ff_petri_plain_at(path, path->now, &event->delay);
  if (!(delay >= 0 && delay < INFINITY)) {
    ff_petri_path_fail(path, FF_PETRI_BAD_EVENT_DELAY, e, delay, 0);
    return;
  }
  if (w->due.n == MOST_WAITING) {
    ff_petri_path_fail(path, FF_PETRI_TOO_MANY_EVENTS, e, 0, 0);
    return;
  }
  if (w->n_unused == 0 && !grow_waits(w, p->most_sets)) {
    ff_petri_path_fail(path, FF_PETRI_NO_MEMORY, 0, 0, 0);
    return;
  }
  const uint32_t row = w->unused[--w->n_unused];
  w->event[row] = e;
  w->serial[row] = w->last++;
  ff_petri_due_set(&w->due, row, path->now + delay);
  if (!event->late) compute_values(path, row);
}

static void drop(ff_petri_waits *w, uint32_t row) {
  ff_petri_due_cancel(&w->due, row);
  w->unused[w->n_unused++] = row;
}

static void cancel(ff_petri_path *path, uint32_t e) {
  ff_petri_waits *w = &path->waits;
  for (uint32_t row = 0; row < w->room; row++)
    if (w->event[row] == e && ff_petri_due_has(&w->due, row)) drop(w, row);
}

void ff_petri_events_look(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  for (uint32_t k = 0; k < path->n_dirty_events; k++) {
    const uint32_t e = path->dirty_event[k];
    path->is_dirty_event[e] = 0;
    if (path->failure.what != FF_PETRI_FINE) continue;
    const uint8_t truth = ff_petri_plain_at(path, path->now, &p->event[e].untrue) == 0;
    if (truth == path->truth[e]) continue;
    path->truth[e] = truth;
    if (truth)
      add(path, e);
    else if (!p->event[e].persistent)
      cancel(path, e);
  }
  path->n_dirty_events = 0;
}

/* ---- the choice --------------------------------------------------------------------------------------------------------- */

/* The best of those whose time has come so far; how many are as good. */
typedef struct {
  uint32_t row, equal;
  double priority;
} choice;

/* Whether row a has precedence over the best one so far: -1 if that has, 0 if the choice is random. Without priorities, the order
 * is that of the net, and then that of time. */
static int precedence(const ff_petri_path *path, uint32_t a, double priority, const choice *best) {
  const ff_petri_program *p = path->program;
  const ff_petri_waits *w = &path->waits;
  const uint32_t b = best->row, event_a = w->event[a], event_b = w->event[b];
  const int has_a = p->event[event_a].priority.formula.length > 0, has_b = p->event[event_b].priority.formula.length > 0;
  if (has_a != has_b) return has_a ? 1 : -1;
  if (has_a) return priority > best->priority ? 1 : priority < best->priority ? -1 : 0;
  if (event_a != event_b) return event_a < event_b ? 1 : -1;
  const double x = ff_petri_due_time(&w->due, a), y = ff_petri_due_time(&w->due, b);
  return x < y || (x == y && w->serial[a] < w->serial[b]) ? 1 : -1;
}

/* The i-th of n with the same priority replaces the choice so far with probability 1 / i, so each has probability 1 / n. */
static void consider(ff_petri_path *path, uint32_t row, choice *best) {
  const ff_petri_event_law *event = &path->program->event[path->waits.event[row]];
  const double priority = event->priority.formula.length == 0 ? 0 : ff_petri_plain_at(path, path->now, &event->priority);
  if (priority != priority) ff_petri_path_fail(path, FF_PETRI_BAD_PRIORITY, path->waits.event[row], priority, 0);
  int better = best->row == FF_PETRI_NOT_DUE ? 1 : precedence(path, row, priority, best);
  best->equal = better == 1 ? 1 : best->equal + (better == 0);
  if (better == 0) {
    const ff_philox_block w = ff_philox(ff_philox_counter(FF_PETRI_DRAW_TIE, 0, path->waits.ties++, path->unit), path->key);
    better = ff_closed(w.v[0], w.v[1]) * best->equal < 1;
  }
  if (better != 1) return;
  best->row = row;
  best->priority = priority;
}

/* Looks at the part of the heap whose time has come, from `place` downwards; it is as deep as the heap at most. */
static void consider_ready(ff_petri_path *path, uint32_t place, choice *best) {
  const ff_petri_due *due = &path->waits.due;
  if (place >= due->n || due->heap[place].time > path->now || path->failure.what != FF_PETRI_FINE) return;
  consider(path, due->heap[place].number, best);
  consider_ready(path, 2 * place + 1, best);
  consider_ready(path, 2 * place + 2, best);
}

int ff_petri_find_event(ff_petri_path *path) {
  choice best = {FF_PETRI_NOT_DUE, 0, 0};
  if (!(ff_petri_due_next(&path->waits.due) <= path->now)) return 0;
  consider_ready(path, 0, &best);
  if (path->failure.what != FF_PETRI_FINE) return 0;
  path->waits.chosen = best.row;
  ff_petri_set_next(path, FF_PETRI_HAPPENS, path->now);
  return 1;
}

/* ---- what happens ------------------------------------------------------------------------------------------------------- */

/* What a place or parameter becomes; places are checked as after a firing. */
static double checked(ff_petri_path *path, uint32_t e, uint32_t value, double becomes) {
  const ff_petri_program *p = path->program;
  double count = becomes;
  int fine = becomes == becomes;
  if (value < p->n_places) {
    const int continuous = p->flat->continuous[p->value_place[value]];
    fine = continuous ? becomes >= 0 && becomes < INFINITY : ff_count_of(becomes, &count) && count <= FF_MAX_COUNT;
  }
  if (!fine) ff_petri_path_fail(path, FF_PETRI_BAD_SET, e, becomes, value);
  return value < p->n_places ? ff_petri_reset_to(count) : count;
}

void ff_petri_happen(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  ff_petri_waits *w = &path->waits;
  const uint32_t row = w->chosen, e = w->event[row];
  const ff_petri_event_law *event = &p->event[e];
  double *to = w->value + (size_t)row * p->most_sets;
  path->crossings = 0;
  if (path->at_once++ >= p->options.most_at_once) ff_petri_path_fail(path, FF_PETRI_ENDLESS_EVENTS, e, 0, 0);
  if (event->late) compute_values(path, row);
  drop(w, row);
  for (uint32_t i = 0; i < event->n_sets; i++)
    if (event->set[i].factor.formula.length > 0) to[i] *= ff_petri_plain_at(path, path->now, &event->set[i].factor);
  for (uint32_t i = 0; i < event->n_sets && path->failure.what == FF_PETRI_FINE; i++) {
    const uint32_t value = event->set[i].value;
    if (value < p->n_levels) ff_petri_own_levels(path);
    const double after = checked(path, e, value, to[i]);
    if (path->value[value] == after) continue;
    path->value[value] = after;
    ff_petri_touch(path, value);
  }
}
