/* Events of reaction networks: making and checking them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../ff_formula_code.h"
#include "ff_reactions_internal.h"

ff_status ff_reactions_add_events(ff_reactions *net, uint32_t n, ff_error *err) {
  net->events = ff_calloc(n, sizeof *net->events);
  if (net->events == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u events", n);
  net->n_events = n;
  return FF_OK;
}

static ff_quoted label_of(const ff_event *event) { return ff_quote(event->name, strlen(event->name)); }

static ff_status broken(const ff_event *event, const char *what, ff_error *err) {
  return ff_error_set(err, FF_EINTERNAL, "the %s of event %s is broken", what, label_of(event).text);
}

/* A number that is invalid, whatever happens, is reported before a simulation. */
static ff_status check_numbers(const ff_reactions *net, const ff_event *event, ff_error *err) {
  double number;
  if (ff_formula_is_number(&event->delay, &number) && !(number >= 0.0 && isfinite(number)))
    return ff_error_set(err, FF_EMODEL, "the delay of event %s is %s; expected a finite number of at least 0",
                        label_of(event).text, ff_show(number, 6).text);
  if (ff_formula_is_number(&event->priority, &number) && isnan(number))
    return ff_error_set(err, FF_EMODEL, "the priority of event %s is NaN; expected a number", label_of(event).text);
  for (uint32_t i = 0; i < event->n_sets; i++) {
    const ff_event_set *set = &event->sets[i];
    const char *name = net->names[set->symbol];
    const int species = set->symbol < net->n_species;
    const int real = species && net->real != NULL && net->real[set->symbol];
    double count;
    if (set->factor.length > 0 || !ff_formula_is_number(&set->value, &number)) continue;
    if (real && !(number >= 0 && isfinite(number)))
      return ff_error_set(err, FF_EMODEL, "event %s sets species %s to %s; expected a finite number of at least 0",
                          label_of(event).text, ff_quote(name, strlen(name)).text, ff_show(number, 17).text);
    if (species && !real && !(ff_count_of(number, &count) && count <= FF_MAX_COUNT)) /* the rule of simulations */
      return ff_error_set(err, FF_EMODEL, "event %s sets species %s to %s; expected a whole number from 0 to 2^53",
                          label_of(event).text, ff_quote(name, strlen(name)).text, ff_show(number, 17).text);
    if (isnan(number))
      return ff_error_set(err, FF_EMODEL, "event %s sets parameter %s to NaN; expected a number", label_of(event).text,
                          ff_quote(name, strlen(name)).text);
  }
  return FF_OK;
}

/* seen[] has an entry for each symbol: the last event, from 1, that sets it. */
static ff_status check_sets(const ff_reactions *net, uint32_t at, uint32_t *seen, ff_error *err) {
  const ff_event *event = &net->events[at];
  const uint32_t n = net->n_species + net->n_parameters + net->n_variables;
  int constant;
  if (event->n_sets > 0 && event->sets == NULL) return broken(event, "list of values", err);
  for (uint32_t i = 0; i < event->n_sets; i++) {
    if (event->sets[i].symbol >= n) return broken(event, "list of values", err);
    if (!ff_formula_valid(&event->sets[i].value, n, &constant)) return broken(event, "list of values", err);
    if (event->sets[i].factor.length > 0 && !ff_formula_valid(&event->sets[i].factor, n, &constant))
      return broken(event, "list of values", err);
    const char *name = net->names[event->sets[i].symbol];
    if (event->sets[i].symbol >= net->n_species + net->n_parameters)
      return ff_error_set(err, FF_EMODEL, "event %s sets %s, a variable; expected a species or a parameter",
                          label_of(event).text, ff_quote(name, strlen(name)).text);
    if (seen[event->sets[i].symbol] == at + 1)
      return ff_error_set(err, FF_EMODEL, "event %s sets %s twice", label_of(event).text, ff_quote(name, strlen(name)).text);
    seen[event->sets[i].symbol] = at + 1;
  }
  return FF_OK;
}

static ff_status check_event(const ff_reactions *net, uint32_t at, uint32_t *seen, ff_error *err) {
  const ff_event *event = &net->events[at];
  const uint32_t n = net->n_species + net->n_parameters + net->n_variables;
  int constant;
  if (event->name == NULL || event->name[0] == '\0' || !ff_utf8_valid(event->name, strlen(event->name)))
    return ff_error_set(err, FF_EMODEL, "the name of event %u is %s", at + 1,
                        event->name == NULL || event->name[0] == '\0' ? "missing" : "not valid UTF-8");
  if (event->trigger.length == 0) return ff_error_set(err, FF_EMODEL, "event %s has no condition", label_of(event).text);
  if (!ff_formula_valid(&event->trigger, n, &constant)) return broken(event, "condition", err);
  if (event->delay.length > 0 && !ff_formula_valid(&event->delay, n, &constant)) return broken(event, "delay", err);
  if (event->priority.length > 0 && !ff_formula_valid(&event->priority, n, &constant)) return broken(event, "priority", err);
  if (event->initially > 1 || event->persistent > 1 || event->late > 1) return broken(event, "list of properties", err);
  ff_status status = check_sets(net, at, seen, err);
  return status == FF_OK ? check_numbers(net, event, err) : status;
}

ff_status ff_events_check(const ff_reactions *net, ff_error *err) {
  if (net->n_events == 0) return FF_OK;
  uint32_t *seen = ff_calloc((size_t)net->n_species + net->n_parameters, sizeof *seen);
  char **names = ff_calloc(net->n_events, sizeof *names);
  ff_names *unique = NULL;
  ff_status status = FF_OK;
  if (seen == NULL || names == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory to check %u events", net->n_events);
  for (uint32_t i = 0; i < net->n_events && status == FF_OK; i++) {
    status = check_event(net, i, seen, err);
    names[i] = net->events[i].name;
  }
  if (status == FF_OK) status = ff_names_new(&unique, names, net->n_events, "events", err);
  ff_names_free(unique);
  free(names);
  free(seen);
  return status;
}
