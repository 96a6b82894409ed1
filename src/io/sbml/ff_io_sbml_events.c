/* Reads the events of a reaction network in SBML. */
#include "ff_io_sbml_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_io_sbml_formula.h"

static uint64_t line_of(const ff_sbml_table *table, const void *element) { return ff_sbml_place(table, element).line; }

/* ---- what an event sets ------------------------------------------------------------------------------------------------- */

static ff_status check_target(const ff_sbml_table *table, const void *element, const char *id, uint32_t at) {
  const ff_sbml_symbol *symbol = &table->symbol[at];
  if (symbol->rule.length > 0) return ff_sbml_unsupported(table, element, id, " because an assignmentRule determines it");
  if (symbol->rate.length > 0 && !table->flows)
    return ff_sbml_unsupported(table, element, id, " because a rateRule determines it");
  if (symbol->kind != FF_SBML_SPECIES && symbol->kind != FF_SBML_PARAMETER)
    return ff_sbml_unsupported(table, element, id, " because it sets neither a species nor a parameter");
  if (!ff_sbml_is_constant(table, symbol)) return FF_OK;
  return ff_sbml_found(table, FF_EPARSE, ff_sbml_place(table, element), "an eventAssignment of", id,
                       ", which is constant, where a species or parameter that is not constant was expected");
}

/* The value is a concentration, unless the compartment is 0. It becomes an amount when the event happens, with the size before
 * that: so it is in case 01780 of the SBML test suite, whose event also sets the size. A value of the trigger gets a factor if a
 * rule may change the size until then. */
static ff_status make_amount(ff_event_set *set, ff_sbml_table *table, uint32_t compartment, int late) {
  const ff_sbml_symbol *size = &table->symbol[compartment];
  if (compartment == 0 || late || (size->rule.length == 0 && size->rate.length == 0))
    return ff_sbml_multiply(table, &set->value, compartment);
  ff_formula_word *word = ff_calloc(1, sizeof *word);
  if (word == NULL) return ff_error_set(table->err, FF_EMEMORY, "no memory for a formula");
  *word = (ff_formula_word){FF_F_SYMBOL, compartment, 0};
  set->factor = (ff_formula){word, 1, 1};
  return FF_OK;
}

static ff_status read_set(ff_event_set *out, ff_sbml_table *table, const EventAssignment_t *assignment, int late) {
  const char *id = EventAssignment_getVariable(assignment);
  if (id == NULL) id = "";
  const int64_t at = ff_build_find(&table->ids, id, strlen(id));
  if (at < 0) return ff_sbml_unknown(table, assignment, id, "the id of a species or parameter");
  out->symbol = (uint32_t)at;
  ff_status status = check_target(table, assignment, id, out->symbol);
  if (status != FF_OK) return status;
  table->symbol[at].set = 1;
  if (!EventAssignment_isSetMath(assignment))
    return ff_sbml_unsupported(table, assignment, id, " because it has no formula");
  status = ff_sbml_formula(&out->value, EventAssignment_getMath(assignment), table, NULL, line_of(table, assignment));
  return status == FF_OK ? make_amount(out, table, table->symbol[at].divisor, late) : status;
}

/* ---- an event ----------------------------------------------------------------------------------------------------------- */

static ff_status read_trigger(ff_event *out, ff_sbml_table *table, Event_t *event) {
  const Trigger_t *trigger = Event_isSetTrigger(event) ? Event_getTrigger(event) : NULL;
  const ASTNode_t *math = trigger == NULL ? NULL : Trigger_getMath(trigger);
  if (math == NULL) return ff_sbml_unsupported(table, event, ff_sbml_id(event), " because it has no trigger");
  out->initially = 1; /* before Level 3, an event was not triggered at time 0 */
  out->persistent = 1;
  if (table->level >= 3) { /* libsbml requires both attributes */
    out->initially = Trigger_getInitialValue(trigger) != 0;
    out->persistent = Trigger_getPersistent(trigger) != 0;
  }
  return ff_sbml_formula(&out->trigger, math, table, NULL, line_of(table, trigger));
}

static ff_status read_times(ff_event *out, ff_sbml_table *table, Event_t *event) {
  const Delay_t *delay = Event_isSetDelay(event) ? Event_getDelay(event) : NULL;
  const Priority_t *priority = Event_isSetPriority(event) ? Event_getPriority(event) : NULL;
  ff_status status = FF_OK;
  if (delay != NULL && Delay_isSetMath(delay))
    status = ff_sbml_formula(&out->delay, Delay_getMath(delay), table, NULL, line_of(table, delay));
  if (status == FF_OK && priority != NULL && Priority_isSetMath(priority))
    status = ff_sbml_formula(&out->priority, Priority_getMath(priority), table, NULL, line_of(table, priority));
  return status;
}

/* Adds the ids of events, which must be new. */
static ff_status read_ids(ff_build *ids, ff_sbml_table *table, Model_t *model) {
  ff_status status = FF_OK;
  for (unsigned i = 0; i < Model_getNumEvents(model) && status == FF_OK; i++) {
    const Event_t *event = Model_getEvent(model, i);
    const char *id = ff_sbml_id(event);
    uint32_t at;
    int is_new = 1;
    if (id == NULL || id[0] == '\0') continue;
    const ff_span span = {id, strlen(id)};
    if (ff_build_find(&table->ids, id, span.length) >= 0) is_new = 0;
    if (is_new) status = ff_build_node(ids, span, &at, &is_new);
    if (!is_new) return ff_io_found(table->err, ff_sbml_place(table, event), span, "an id that no other element has");
  }
  return status;
}

/* The id, or "event" and the number. If an id is written so, '_' is appended until it is none. */
static ff_status name_event(ff_event *out, ff_sbml_table *table, ff_build *ids, const Event_t *event, uint32_t i) {
  const char *id = ff_sbml_id(event);
  char own[60];
  if (id == NULL || id[0] == '\0') {
    snprintf(own, sizeof own, "event%u", i + 1);
    for (size_t length = strlen(own); length < sizeof own - 1 && ff_build_find(ids, own, length) >= 0; own[++length] = '\0')
      own[length] = '_';
    id = own;
  }
  return ff_name_copy(&out->name, id, table->err);
}

static ff_status read_event(ff_event *out, ff_sbml_table *table, ff_build *ids, Event_t *event, uint32_t i) {
  ff_status status = name_event(out, table, ids, event, i);
  if (status == FF_OK) status = read_trigger(out, table, event);
  if (status == FF_OK) status = read_times(out, table, event);
  if (status != FF_OK) return status;
  out->late = !Event_getUseValuesFromTriggerTime(event);
  status = ff_event_add_sets(out, Event_getNumEventAssignments(event), table->err);
  for (uint32_t k = 0; k < out->n_sets && status == FF_OK; k++)
    status = read_set(&out->sets[k], table, Event_getEventAssignment(event, k), out->late);
  return status;
}

ff_status ff_sbml_events_read(ff_sbml_events *events, ff_sbml_table *table, Model_t *model) {
  const uint32_t n = Model_getNumEvents(model);
  *events = (ff_sbml_events){0};
  if (n == 0) return FF_OK;
  events->event = ff_calloc(n, sizeof *events->event);
  if (events->event == NULL) return ff_error_set(table->err, FF_EMEMORY, "no memory for %u events", n);
  ff_build ids = {.file = table->ids.file, .err = table->err};
  ff_status status = read_ids(&ids, table, model);
  for (events->n = 0; events->n < n && status == FF_OK; events->n++)
    status = read_event(&events->event[events->n], table, &ids, Model_getEvent(model, events->n), events->n);
  ff_build_free(&ids);
  return status;
}

void ff_sbml_events_free(ff_sbml_events *events) {
  for (uint32_t i = 0; i < events->n; i++) ff_event_free(&events->event[i]);
  free(events->event);
  *events = (ff_sbml_events){0};
}

/* ---- symbols ------------------------------------------------------------------------------------------------------------ */

static ff_status mark_one(const ff_sbml_table *table, const ff_event *event, uint32_t symbol, uint32_t *used) {
  const ff_sbml_symbol *s = &table->symbol[symbol];
  used[symbol] = 1;
  if (s->kind == FF_SBML_SPECIES || s->rule.length > 0 || !isnan(s->value)) return FF_OK;
  return ff_sbml_missing(table, symbol, "event ", event->name, " names it");
}

static ff_status mark(const ff_sbml_table *table, const ff_event *event, const ff_formula *formula, uint32_t *used) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < formula->length && status == FF_OK; at++)
    if (formula->word[at].code == FF_F_SYMBOL) status = mark_one(table, event, formula->word[at].symbol, used);
  return status;
}

ff_status ff_sbml_events_mark(const ff_sbml_events *events, const ff_sbml_table *table, uint32_t *used) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < events->n && status == FF_OK; i++) {
    const ff_event *event = &events->event[i];
    status = mark(table, event, &event->trigger, used);
    if (status == FF_OK) status = mark(table, event, &event->delay, used);
    if (status == FF_OK) status = mark(table, event, &event->priority, used);
    for (uint32_t k = 0; k < event->n_sets && status == FF_OK; k++) {
      status = mark_one(table, event, event->sets[k].symbol, used);
      if (status == FF_OK) status = mark(table, event, &event->sets[k].value, used);
      if (status == FF_OK) status = mark(table, event, &event->sets[k].factor, used);
    }
  }
  return status;
}

ff_status ff_sbml_events_move(ff_sbml_events *events, const ff_sbml_table *table, const uint32_t *number, ff_reactions *net) {
  if (events->n == 0) return FF_OK;
  ff_status status = ff_reactions_add_events(net, events->n, table->err);
  for (uint32_t i = 0; i < events->n && status == FF_OK; i++) {
    ff_event *event = &net->events[i];
    *event = events->event[i];
    events->event[i] = (ff_event){0};
    ff_sbml_renumber(table, number, &event->trigger);
    ff_sbml_renumber(table, number, &event->delay);
    ff_sbml_renumber(table, number, &event->priority);
    for (uint32_t k = 0; k < event->n_sets; k++) {
      event->sets[k].symbol = number[event->sets[k].symbol];
      ff_sbml_renumber(table, number, &event->sets[k].value);
      ff_sbml_renumber(table, number, &event->sets[k].factor);
    }
  }
  return status;
}
