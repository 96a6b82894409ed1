/* The part of an image for networks with events, or with rates that depend on the time. */
#include <stdlib.h>
#include <string.h>

#include "../device/ff_ssa_event_table.h"
#include "ff_ssa_image_maker.h"

#define NONE UINT32_MAX
#define MOST_TIMED (UINT64_C(1) << 26) /* entries of lists: 256 MB */
#define MOST_DUE 4096u                 /* the most events that may wait, if events have delays */
#define MOST_DUE_WORDS 16384u          /* the most words that they take of a slot; without delays, few events wait */

typedef ff_ssa_image_maker maker;

/* ---- rates that depend on the time --------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t *mark; /* for each reaction: 1 + the reaction in whose list it is */
  uint32_t *out;  /* NULL, or where entries go */
  uint64_t n;
} timed_lists;

static void list_one(const maker *m, timed_lists *lists, uint32_t reaction, uint32_t fired) {
  if (m->timed[reaction] == 0 || lists->mark[reaction] == fired + 1) return;
  lists->mark[reaction] = fired + 1;
  if (lists->out != NULL) lists->out[lists->n] = m->timed[reaction] - 1;
  lists->n++;
}

/* Those that depend on what a reaction changes, in the order in which the processor computes them. next_reaction computes that of
 * the reaction itself last, and always. */
static void list_timed(const maker *m, timed_lists *lists, uint32_t r) {
  const ff_ssa_program *p = m->program;
  const int next = m->request->method == FF_SSA_NEXT;
  if (p->dependents != NULL) {
    for (size_t k = p->depend_first[r]; k < p->depend_first[r + 1]; k++)
      if (!next || p->dependents[k] != r) list_one(m, lists, p->dependents[k], r);
  } else {
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      for (size_t k = p->reader_first[p->changes[i].species]; k < p->reader_first[p->changes[i].species + 1]; k++)
        if (!next || p->readers[k] != r) list_one(m, lists, p->readers[k], r);
  }
  if (next) list_one(m, lists, r, r);
}

ff_status ff_ssa_image_number_timed(ff_ssa_image_maker *m, ff_error *err) {
  const uint32_t n = m->program->n_reactions;
  timed_lists lists = {0};
  uint32_t n_timed = 0;
  m->timed = ff_calloc(n, sizeof *m->timed);
  lists.mark = ff_calloc(n, sizeof *lists.mark);
  const int missing = m->timed == NULL || lists.mark == NULL;
  for (uint32_t r = 0; !missing && m->program->timed != NULL && r < n; r++)
    if (m->program->timed[r]) m->timed[r] = ++n_timed;
  for (uint32_t r = 0; n_timed > 0 && r < n && lists.n <= MOST_TIMED; r++) list_timed(m, &lists, r);
  free(lists.mark);
  m->n_timed = lists.n;
  if (missing) return ff_error_set(err, FF_EMEMORY, "no memory for %u reactions", n);
  return lists.n <= MOST_TIMED ? FF_OK : ff_error_set(err, FF_EUNSUPPORTED, "too many rates depend on the time and on counts");
}

static void put_timed(maker *m, ff_ssa_image_schedule *s) {
  const ff_ssa_program *p = m->program;
  for (uint32_t r = 0; r < p->n_reactions; r++) s->n_timed += m->timed[r] != 0;
  uint32_t *rates = ff_ssa_image_take(m, s->n_timed, sizeof *rates);
  uint64_t *first = ff_ssa_image_take(m, (size_t)p->n_reactions + 1, sizeof *first);
  uint32_t *timed = ff_ssa_image_take(m, m->n_timed, sizeof *timed);
  uint32_t *mark = ff_ssa_image_take(m, p->n_reactions, sizeof *mark);
  s->rates = rates;
  s->timed_first = first;
  s->timed = timed;
  timed_lists lists = {.mark = mark, .out = timed};
  for (uint32_t r = 0; m->memory != NULL && r < p->n_reactions; r++) {
    if (m->timed[r] != 0) rates[m->timed[r] - 1] = m->image->laws[r].a;
    list_timed(m, &lists, r);
    first[r + 1] = lists.n;
  }
}

/* ---- formulas ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  ff_ssa_image_formula *formulas; /* NULL to count */
  ff_formula_word *words;
  uint64_t n_words;
  uint32_t n, depth;
} formula_list;

/* Returns the number of a formula that is added, or NONE for an empty one. */
static uint32_t add(formula_list *list, const ff_formula *formula) {
  if (formula->length == 0) return NONE;
  if (list->formulas != NULL) {
    list->formulas[list->n] = (ff_ssa_image_formula){list->n_words, formula->length};
    memcpy(list->words + list->n_words, formula->word, formula->length * sizeof *formula->word);
  }
  if (formula->depth > list->depth) list->depth = formula->depth;
  list->n_words += formula->length;
  return list->n++;
}

/* Adds all formulas, and fills `events` unless it is NULL: first the events, and then what they set. */
static void list_formulas(const maker *m, formula_list *list, uint32_t *events) {
  const ff_ssa_program *p = m->program;
  uint32_t at = FF_SSA_EVENT_WORDS * p->n_events;
  for (uint32_t e = 0; e < p->n_events; e++) add(list, &p->events[e].trigger);
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (m->timed[r] != 0) add(list, &p->formulas[p->propensities[r].a]);
  for (uint32_t e = 0; e < p->n_events; e++) {
    const ff_event *event = &p->events[e];
    const uint32_t delay = add(list, &event->delay), priority = add(list, &event->priority);
    const uint32_t row[FF_SSA_EVENT_WORDS] = {delay, priority, ff_ssa_event_flags(event), at, event->n_sets};
    if (events != NULL) memcpy(events + FF_SSA_EVENT_WORDS * e, row, sizeof row);
    for (uint32_t i = 0; i < event->n_sets; i++, at += FF_SSA_SET_WORDS) {
      const uint32_t value = add(list, &event->sets[i].value), factor = add(list, &event->sets[i].factor);
      if (events == NULL) continue;
      events[at] = event->sets[i].symbol;
      events[at + 1] = value;
      events[at + 2] = factor;
    }
  }
}

static void put_formulas(maker *m, ff_ssa_image_schedule *s) {
  const ff_ssa_program *p = m->program;
  formula_list list = {0};
  size_t n = (size_t)FF_SSA_EVENT_WORDS * p->n_events;
  list_formulas(m, &list, NULL);
  for (uint32_t e = 0; e < p->n_events; e++) n += FF_SSA_SET_WORDS * (size_t)p->events[e].n_sets;
  if (list.depth > m->image->depth) m->image->depth = list.depth;
  ff_ssa_image_formula *formulas = ff_ssa_image_take(m, (size_t)list.n + 1, sizeof *formulas);
  ff_formula_word *words = ff_ssa_image_take(m, list.n_words, sizeof *words);
  uint32_t *events = ff_ssa_image_take(m, n, sizeof *events);
  s->formulas = formulas;
  s->words = words;
  s->events = events;
  if (m->memory == NULL) return;
  list = (formula_list){.formulas = formulas, .words = words};
  list_formulas(m, &list, events);
}

/* ---- events -------------------------------------------------------------------------------------------------------------- */

static void put_triggers(maker *m, ff_ssa_image_schedule *s) {
  const ff_ssa_program *p = m->program;
  const size_t n_symbols = (size_t)p->n_species + p->n_settable, n = p->n_events > 0 ? p->watch_first[n_symbols] : 0;
  uint32_t *kinds = ff_ssa_image_take(m, p->n_events, sizeof *kinds);
  uint32_t *watched = ff_ssa_image_take(m, p->n_events, sizeof *watched);
  uint64_t *first = ff_ssa_image_take(m, n_symbols + 1, sizeof *first);
  uint32_t *watchers = ff_ssa_image_take(m, n, sizeof *watchers);
  double *settable = ff_ssa_image_take(m, p->n_settable, sizeof *settable);
  s->kinds = kinds;
  s->watched = watched;
  s->watch_first = first;
  s->watchers = watchers;
  s->settable = settable;
  if (m->memory == NULL) return;
  for (uint32_t e = 0; e < p->n_events; e++) {
    kinds[e] = ff_ssa_trigger_kind(&p->events[e].trigger);
    if (kinds[e] != FF_SSA_BY_STATE) watched[s->n_watched++] = e;
  }
  for (size_t i = 0; p->n_events > 0 && i <= n_symbols; i++) first[i] = p->watch_first[i];
  if (n > 0) memcpy(watchers, p->watchers, n * sizeof *watchers);
  if (p->n_settable > 0) memcpy(settable, p->settable, p->n_settable * sizeof *settable);
}

void ff_ssa_image_put_schedule(ff_ssa_image_maker *m) {
  const ff_ssa_program *p = m->program;
  ff_ssa_image_schedule *s = &m->image->schedule;
  *s = (ff_ssa_image_schedule){.n_events = p->n_events, .n_settable = p->n_settable, .most_sets = p->most_sets,
                               .due = ff_ssa_due_room(p, MOST_DUE_WORDS, MOST_DUE)};
  put_timed(m, s);
  put_formulas(m, s);
  put_triggers(m, s);
}
