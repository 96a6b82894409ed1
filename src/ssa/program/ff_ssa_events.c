/* Compiles the events of a network: formulas, the parameters that they set, and which events read which
 * species. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_program.h"

ff_status ff_ssa_compile_settable(ff_ssa_program *p, const ff_reactions *net, uint32_t *settable_of, ff_error *err) {
  const uint32_t n = ff_reactions_settable(settable_of, net);
  if (n == 0) return FF_OK;
  if (n > UINT32_MAX - net->n_species)
    return ff_error_set(err, FF_ESIZE, "the network has more than 2^32 species and parameters");
  p->settable = ff_calloc(n, sizeof *p->settable);
  p->settable_names = ff_calloc(n, sizeof *p->settable_names);
  if (p->settable == NULL || p->settable_names == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u parameters", n);
  p->n_settable = n;
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    if (settable_of[i] == UINT32_MAX) continue;
    const char *name = net->names[net->n_species + i];
    p->settable[settable_of[i]] = net->value[i];
    p->settable_names[settable_of[i]] = ff_strndup(name, strlen(name));
    if (p->settable_names[settable_of[i]] == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the name of a parameter");
  }
  return FF_OK;
}

static ff_status compile_formula(ff_ssa_program *p, ff_formula *out, const ff_formula *formula,
                                 const ff_formula *const *replacement, ff_error *err) {
  if (formula->length == 0) return FF_OK;
  ff_status status = ff_formula_replace(out, formula, replacement, err);
  if (status == FF_OK && out->depth > p->depth) p->depth = out->depth;
  return status;
}

/* The symbol of the program for one of the network. */
static uint32_t symbol_of(const ff_ssa_program *p, uint32_t symbol, const ff_formula *const *replacement) {
  return symbol < p->n_species ? symbol : replacement[symbol]->word[0].symbol;
}

static ff_status compile_event(ff_ssa_program *p, const ff_event *event, const ff_formula *const *replacement, ff_error *err) {
  ff_event *out = &p->events[p->n_events++];
  *out = (ff_event){.initially = event->initially, .persistent = event->persistent, .late = event->late};
  out->name = ff_strndup(event->name, strlen(event->name));
  if (out->name == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the name of an event");
  ff_status status = compile_formula(p, &out->trigger, &event->trigger, replacement, err);
  if (status == FF_OK) status = compile_formula(p, &out->delay, &event->delay, replacement, err);
  if (status == FF_OK) status = compile_formula(p, &out->priority, &event->priority, replacement, err);
  if (status == FF_OK) status = ff_event_add_sets(out, event->n_sets, err);
  for (uint32_t i = 0; i < event->n_sets && status == FF_OK; i++) {
    out->sets[i].symbol = symbol_of(p, event->sets[i].symbol, replacement);
    if (out->sets[i].symbol < p->n_species) p->changed[out->sets[i].symbol] = 1;
    status = compile_formula(p, &out->sets[i].value, &event->sets[i].value, replacement, err);
    if (status == FF_OK) status = compile_formula(p, &out->sets[i].factor, &event->sets[i].factor, replacement, err);
  }
  if (event->n_sets > p->most_sets) p->most_sets = event->n_sets;
  return status;
}

/* Lists the events whose triggers read each symbol. `last` is the last event + 1 that was found to read it. The first
 * pass counts, in watch_first[symbol + 1]. */
static void list_watchers(ff_ssa_program *p, uint32_t *last, size_t *at) {
  for (uint32_t e = 0; e < p->n_events; e++) {
    const ff_formula *trigger = &p->events[e].trigger;
    for (uint32_t i = 0; i < trigger->length; i++) {
      const uint32_t symbol = trigger->word[i].symbol;
      if (trigger->word[i].code != FF_F_SYMBOL || last[symbol] == e + 1) continue;
      last[symbol] = e + 1;
      if (at != NULL)
        p->watchers[at[symbol]++] = e;
      else
        p->watch_first[symbol + 1]++;
    }
  }
}

static ff_status find_watchers(ff_ssa_program *p, ff_error *err) {
  const size_t n = (size_t)p->n_species + p->n_settable;
  uint32_t *last = ff_calloc(n, sizeof *last);
  size_t *at = ff_calloc(n, sizeof *at);
  p->watch_first = ff_calloc(n + 1, sizeof *p->watch_first);
  int fine = last != NULL && at != NULL && p->watch_first != NULL;
  if (fine) {
    list_watchers(p, last, NULL);
    for (size_t s = 0; s < n; s++) p->watch_first[s + 1] += p->watch_first[s];
    p->watchers = ff_calloc(p->watch_first[n], sizeof *p->watchers);
    fine = p->watchers != NULL;
  }
  if (fine) {
    memset(last, 0, n * sizeof *last);
    memcpy(at, p->watch_first, n * sizeof *at);
    list_watchers(p, last, at);
  }
  free(last);
  free(at);
  return fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u events", p->n_events);
}

ff_status ff_ssa_compile_events(ff_ssa_program *p, const ff_reactions *net, const ff_formula *const *replacement, ff_error *err) {
  if (net->n_events == 0) return FF_OK;
  p->events = ff_calloc(net->n_events, sizeof *p->events);
  if (p->events == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u events", net->n_events);
  ff_status status = FF_OK;
  for (uint32_t e = 0; e < net->n_events && status == FF_OK; e++) status = compile_event(p, &net->events[e], replacement, err);
  return status == FF_OK ? find_watchers(p, err) : status;
}

void ff_ssa_free_events(ff_ssa_program *p) {
  for (uint32_t e = 0; e < p->n_events; e++) ff_event_free(&p->events[e]);
  for (uint32_t i = 0; i < p->n_settable; i++) free(p->settable_names[i]);
  free(p->events);
  free(p->settable);
  free(p->settable_names);
  free(p->watch_first);
  free(p->watchers);
}
