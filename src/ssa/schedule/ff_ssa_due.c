/* Events of the network: when their triggers change, which of them will happen, and what they set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../path/ff_ssa_draws.h"
#include "ff_ssa_schedule.h"

#define MOST_AT_ONCE 100000u     /* events at the same time: if there are more, they trigger each other without end */
#define WORK_AT_ONCE 16384u      /* formulas that are evaluated before the step is left halfway */
#define MOST_LATER (1u << 20)    /* events that are delayed */

void ff_ssa_due_start(ff_ssa_path *path) {
  ff_ssa_schedule *s = path->schedule;
  for (uint32_t e = 0; e < path->program->n_events; e++) {
    s->truth[e] = path->program->events[e].initially;
    s->fresh[e] = 1;
    s->change[e] = 0;
    s->zone[e] = FF_SSA_NO_ZONE;
  }
  s->later.n = s->now.n = s->n_rows = s->n_unused = 0;
  s->serial = 0;
}

/* ---- lists of events that will happen ----------------------------------------------------------------------------------- */

static int before(const ff_ssa_due *a, const ff_ssa_due *b) {
  return a->time < b->time || (a->time == b->time && a->serial < b->serial);
}

static void sift_down(ff_ssa_due_list *list, size_t at) {
  const ff_ssa_due moved = list->item[at];
  for (size_t child = 2 * at + 1; child < list->n; child = 2 * at + 1) {
    if (child + 1 < list->n && before(&list->item[child + 1], &list->item[child])) child++;
    if (!before(&list->item[child], &moved)) break;
    list->item[at] = list->item[child];
    at = child;
  }
  list->item[at] = moved;
}

static void push(ff_ssa_due_list *list, ff_ssa_due due) {
  size_t at = list->n++;
  for (; at > 0 && before(&due, &list->item[(at - 1) / 2]); at = (at - 1) / 2) list->item[at] = list->item[(at - 1) / 2];
  list->item[at] = due;
}

/* Makes room for one more event in all lists, and a row for its values. */
static int make_room(ff_ssa_path *path, uint32_t event, uint32_t *row) {
  ff_ssa_schedule *s = path->schedule;
  const size_t n = s->later.n + s->now.n + 1, sets = path->program->most_sets;
  if (n > MOST_LATER) {
    ff_ssa_path_fail(path, FF_SSA_TOO_MANY, event, 0);
    return 0;
  }
  if (s->n_unused == 0) s->unused[s->n_unused++] = (uint32_t)s->n_rows++;
  void *later = s->later.item, *now = s->now.item, *values = s->values, *unused = s->unused;
  ff_status status = ff_grow(&later, &s->later.room, n, sizeof *s->later.item, NULL);
  if (status == FF_OK) status = ff_grow(&now, &s->now.room, n, sizeof *s->now.item, NULL);
  if (status == FF_OK) status = ff_grow(&values, &s->values_room, s->n_rows * sets + 1, sizeof *s->values, NULL);
  if (status == FF_OK) status = ff_grow(&unused, &s->unused_room, s->n_rows + 1, sizeof *s->unused, NULL);
  s->later.item = later;
  s->now.item = now;
  s->values = values;
  s->unused = unused;
  if (status != FF_OK) {
    ff_ssa_path_fail(path, FF_SSA_NO_MEMORY, event, 0);
    return 0;
  }
  *row = s->unused[--s->n_unused];
  return 1;
}

/* ---- triggers ----------------------------------------------------------------------------------------------------------- */

static double value_of(const ff_ssa_path *path, const ff_formula *formula) {
  return ff_formula_value(formula, path->count, path->time, path->stack);
}

static double *row_of(const ff_ssa_path *path, uint32_t row) {
  return path->schedule->values + (size_t)row * path->program->most_sets;
}

static void compute_values(ff_ssa_path *path, const ff_ssa_due *due) {
  const ff_event *event = &path->program->events[due->event];
  double *values = row_of(path, due->row);
  for (uint32_t i = 0; i < event->n_sets; i++) values[i] = value_of(path, &event->sets[i].value);
}

/* The trigger has become true. */
static void add(ff_ssa_path *path, uint32_t e) {
  ff_ssa_schedule *s = path->schedule;
  const ff_event *event = &path->program->events[e];
  ff_ssa_due due = {.serial = s->serial++, .event = e};
  const double delay = event->delay.length > 0 ? value_of(path, &event->delay) : 0.0;
  if (!(delay >= 0.0 && delay < INFINITY)) {
    ff_ssa_path_fail(path, FF_SSA_BAD_DELAY, e, delay);
    return;
  }
  due.time = path->time + delay;
  if (!make_room(path, e, &due.row)) return;
  if (!event->late) compute_values(path, &due);
  push(&s->later, due);
}

/* Drops the occurrences of this event that have not happened yet. */
static size_t drop_from(ff_ssa_schedule *s, ff_ssa_due_list *list, uint32_t e) {
  size_t kept = 0;
  for (size_t i = 0; i < list->n; i++) {
    if (list->item[i].event == e)
      s->unused[s->n_unused++] = list->item[i].row;
    else
      list->item[kept++] = list->item[i];
  }
  const size_t dropped = list->n - kept;
  list->n = kept;
  return dropped;
}

static void cancel(ff_ssa_path *path, uint32_t e) {
  ff_ssa_schedule *s = path->schedule;
  drop_from(s, &s->now, e);
  if (drop_from(s, &s->later, e) > 0)
    for (size_t at = s->later.n / 2; at-- > 0;) sift_down(&s->later, at);
}

static ff_formula_at trigger_at(const ff_ssa_path *path, uint32_t e) {
  return (ff_formula_at){&path->program->events[e].trigger, path->count, path->stack, path->ranges};
}

/* Whether a trigger that depends on the time keeps its truth, because rounding errors have decided since the last change of what
 * it reads, or since the trigger itself changed. So rounding errors trigger nothing twice. If what it reads has changed, the
 * trigger takes the new truth all the same, unless this changes back at once. If the truth that was kept is the right one
 * afterwards, although the opposite one was computed in between, it cannot be known whether there was a change. */
static int is_kept(ff_ssa_path *path, uint32_t e, uint8_t truth) {
  ff_ssa_schedule *s = path->schedule;
  const int within = s->zone[e] >= 0.0 && !s->fresh[e];
  if (!within && !s->fresh[e] && truth == s->truth[e]) return 0;
  const ff_formula_at trigger = trigger_at(path, e);
  const int sure = ff_formula_is_sure(&trigger, path->time) >= 0;
  if (within && !sure) return 1;
  if (within && truth == s->truth[e] && s->doubt[e]) ff_ssa_path_fail(path, FF_SSA_BAD_TRIGGER, e, 0);
  s->zone[e] = sure ? FF_SSA_NO_ZONE : path->time;
  s->doubt[e] = 0;
  return !sure && truth != s->truth[e] && s->fresh[e] && path->time > 0.0 && !ff_formula_is_steady(&trigger, path->time);
}

/* Returns whether the truth has changed. */
static int look_at(ff_ssa_path *path, uint32_t e) {
  ff_ssa_schedule *s = path->schedule;
  const ff_event *event = &path->program->events[e];
  const uint8_t truth = value_of(path, &event->trigger) != 0.0;
  const int kept = s->timed[e] != 0 && is_kept(path, e, truth);
  s->fresh[e] = 0;
  if (kept) return 0;
  if (truth == s->truth[e]) return 0;
  s->truth[e] = truth;
  if (truth)
    add(path, e);
  else if (!event->persistent)
    cancel(path, e);
  return 1;
}

/* The value of this symbol has changed. */
static void refresh(ff_ssa_path *path, uint32_t symbol) {
  const ff_ssa_program *p = path->program;
  for (size_t k = p->watch_first[symbol]; k < p->watch_first[symbol + 1]; k++) path->schedule->fresh[p->watchers[k]] = 1;
}

int ff_ssa_due_watch(ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  int changed = 0;
  if (p->n_events == 0) return 0;
  for (uint32_t i = p->change_first[path->next]; i < p->change_first[path->next + 1]; i++) {
    const uint32_t species = p->changes[i].species;
    refresh(path, species);
    for (size_t k = p->watch_first[species]; k < p->watch_first[species + 1]; k++) changed |= look_at(path, p->watchers[k]);
  }
  return changed;
}

/* ---- what happens ------------------------------------------------------------------------------------------------------- */

/* Moves the events whose time has come to the list `now`. */
static void take_ready(ff_ssa_path *path) {
  ff_ssa_schedule *s = path->schedule;
  while (s->later.n > 0 && s->later.item[0].time <= path->time) {
    s->now.item[s->now.n++] = s->later.item[0];
    s->later.item[0] = s->later.item[--s->later.n];
    if (s->later.n > 0) sift_down(&s->later, 0);
  }
}

/* Whether `a` has precedence over `b`, which both are due: -1 if `b` has, 0 if the choice is random. Without priorities, the
 * order is that of the network, and then that of time. */
static int precedence(const ff_ssa_path *path, const ff_ssa_due *a, double priority_a, const ff_ssa_due *b, double priority_b) {
  const ff_event *events = path->program->events;
  const int has_a = events[a->event].priority.length > 0, has_b = events[b->event].priority.length > 0;
  if (has_a != has_b) return has_a ? 1 : -1;
  if (has_a) return priority_a > priority_b ? 1 : priority_a < priority_b ? -1 : 0;
  if (a->event != b->event) return a->event < b->event ? 1 : -1;
  return before(a, b) ? 1 : -1;
}

/* The index of the event that happens first. Each of n events with the same priority is chosen with probability 1 / n, because
 * the i-th of them replaces the choice so far with probability 1 / i. */
static size_t choose(ff_ssa_path *path) {
  const ff_ssa_due_list *now = &path->schedule->now;
  size_t best = 0;
  double highest = 0;
  uint32_t equal = 1;
  for (size_t i = 0; i < now->n; i++) {
    const ff_formula *formula = &path->program->events[now->item[i].event].priority;
    const double priority = formula->length > 0 ? value_of(path, formula) : 0.0;
    if (priority != priority) ff_ssa_path_fail(path, FF_SSA_BAD_PRIORITY, now->item[i].event, priority);
    int better = i == 0 ? 1 : precedence(path, &now->item[i], priority, &now->item[best], highest);
    equal = better == 1 ? 1 : equal + (better == 0);
    if (better == 0) {
      const uint32_t block = 1 + path->schedule->ties++ % (FF_PHILOX_MAX_BLOCKS - 1);
      const ff_philox_block words = ff_ssa_path_draw(path, FF_SSA_DRAW_CHECK, block);
      better = ff_closed(words.v[0], words.v[1]) * equal < 1.0;
    }
    if (better != 1) continue;
    best = i;
    highest = priority;
  }
  return best;
}

static void set_count(ff_ssa_path *path, uint32_t event, uint32_t species, double value) {
  double whole;
  if (!ff_count_of(value, &whole) || whole > FF_SSA_MAX_COUNT) {
    ff_ssa_path_fail(path, FF_SSA_BAD_SET, event, value);
    path->failure.symbol = species;
  } else {
    path->count[species] = whole;
  }
}

static void happen(ff_ssa_path *path, const ff_ssa_due *due) {
  const ff_event *event = &path->program->events[due->event];
  double *values = row_of(path, due->row);
  if (event->late) compute_values(path, due);
  for (uint32_t i = 0; i < event->n_sets; i++)
    if (event->sets[i].factor.length > 0) values[i] *= value_of(path, &event->sets[i].factor);
  for (uint32_t i = 0; i < event->n_sets && path->failure.what == FF_SSA_FINE; i++) {
    const uint32_t symbol = event->sets[i].symbol;
    const double before = path->count[symbol];
    if (symbol < path->program->n_species) {
      set_count(path, due->event, symbol, values[i]);
    } else if (values[i] != values[i]) {
      ff_ssa_path_fail(path, FF_SSA_BAD_SET, due->event, values[i]);
      path->failure.symbol = symbol;
    } else {
      path->count[symbol] = values[i];
    }
    if (path->count[symbol] != before) refresh(path, symbol);
  }
}

uint32_t ff_ssa_due_happen(ff_ssa_path *path) {
  path->schedule->ties = path->schedule->happened = 0;
  return ff_ssa_due_go_on(path);
}

uint32_t ff_ssa_due_go_on(ff_ssa_path *path) {
  ff_ssa_schedule *s = path->schedule;
  for (size_t work = 0; work <= WORK_AT_ONCE; s->happened++) {
    for (uint32_t e = 0; e < path->program->n_events && path->failure.what == FF_SSA_FINE; e++) look_at(path, e);
    if (path->failure.what != FF_SSA_FINE) return s->happened;
    take_ready(path);
    if (s->now.n == 0) return s->happened;
    work += path->program->n_events + s->now.n;
    const size_t at = choose(path);
    const ff_ssa_due due = s->now.item[at];
    if (s->happened == MOST_AT_ONCE) ff_ssa_path_fail(path, FF_SSA_ENDLESS, due.event, 0);
    if (path->failure.what != FF_SSA_FINE) return s->happened;
    s->now.n--;
    memmove(s->now.item + at, s->now.item + at + 1, (s->now.n - at) * sizeof due);
    happen(path, &due);
    s->unused[s->n_unused++] = due.row;
    if (ff_ssa_path_has_reached(path)) return s->happened + 1;
  }
  ff_ssa_path_pause(path);
  return s->happened;
}

/* ---- when something may happen next ------------------------------------------------------------------------------------- */

/* The time up to which the trigger does not change, or at which it changes; infinity if it does not up to `to`. */
static double next_change(ff_ssa_path *path, uint32_t e, double to) {
  ff_ssa_schedule *s = path->schedule;
  const ff_formula_at trigger = trigger_at(path, e);
  const int truth = s->truth[e];
  ff_change found = FF_CHANGE_NONE;
  double at = path->time;
  for (uint32_t i = 0; i < FF_SSA_MOST_PIECES && s->zone[e] < 0.0 && found == FF_CHANGE_NONE; i++) {
    found = ff_formula_first_change(&trigger, at, to, truth, FF_SSA_SEARCH_STEPS, &at);
    if (found == FF_CHANGE_NONE && at >= to) return INFINITY;
    if (found == FF_CHANGE_FOUND || at - path->time > path->time * FF_SSA_LEAST_PROGRESS) return at;
  }
  if (s->zone[e] < 0.0 && found == FF_CHANGE_NONE) ff_ssa_path_fail(path, FF_SSA_BAD_TRIGGER, e, 0);
  if (s->zone[e] < 0.0) s->zone[e] = at;
  if (ff_formula_first_sure(&trigger, s->zone[e], at > path->time ? at : path->time, to, truth, FF_SSA_SEARCH_STEPS, &at,
                            &s->doubt[e]))
    return at;
  return at < to ? at : INFINITY;
}

void ff_ssa_due_next(ff_ssa_path *path, double limit) {
  ff_ssa_schedule *s = path->schedule;
  s->event_time = s->later.n > 0 ? s->later.item[0].time : INFINITY;
  for (uint32_t i = 0; i < s->n_watched; i++) {
    const uint32_t e = s->watched[i];
    const double first = s->event_time < limit ? s->event_time : limit;
    if (s->timed[e] == 1 && s->change[e] <= path->time) s->change[e] = next_change(path, e, INFINITY);
    const double change = s->timed[e] == 1 ? s->change[e] : next_change(path, e, first);
    if (change < s->event_time) s->event_time = change;
  }
}
