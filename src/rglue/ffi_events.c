/* Converts the data frame `events` of a network to the core's events, and back. */
#include "ffi_events.h"

#include <stdlib.h>
#include <string.h>

/* ---- from R ------------------------------------------------------------------------------------------------------------- */

static const char **texts_of(SEXP x, R_xlen_t n, const char *what, int missing, ffi_owner owner) {
  return ffi_texts(x, n, missing, owner, what, "texts, one for each event");
}

static const int *flags_of(SEXP x, R_xlen_t n, const char *what, ffi_owner owner) {
  return ffi_flags(x, n, owner, what, "TRUE or FALSE for each event");
}

/* The column `factor`, which only networks have whose events have factors: like `set`, but NA stands for no factor. */
static const char ***factors_of(SEXP factors, R_xlen_t n, const uint32_t *n_sets, ffi_owner owner) {
  static const char *const what = "events$factor";
  static const char *const wanted = "a list of formulas or NA for each event, one for each value of `set`";
  if (factors == R_NilValue) return NULL;
  ffi_typed(factors, VECSXP, n, owner, what, wanted);
  const char ***out = (const char ***)R_alloc((size_t)n + 1, sizeof *out);
  for (R_xlen_t i = 0; i < n; i++)
    out[i] = ffi_texts(VECTOR_ELT(factors, i), n_sets[i], 1, owner, what, wanted);
  return out;
}

ffi_events ffi_events_of(SEXP model, ffi_owner owner) {
  static const char *const wanted = "a list of formulas with names for each event";
  ffi_events out = {0};
  SEXP frame = ffi_element(model, "events");
  if (frame == R_NilValue) return out;
  ffi_typed(frame, VECSXP, -1, owner, "events", "NULL, or a data frame with a row for each event");
  SEXP name = ffi_element(frame, "name");
  if (!Rf_inherits(frame, "data.frame")) ffi_stop_found(owner, "events", "NULL, or a data frame", "a list");
  const R_xlen_t n = Rf_xlength(name);
  out.name = texts_of(name, n, "events$name", 0, owner);
  if (n > INT32_MAX) ffi_stop_found(owner, "events$name", "of at most 2^31 - 1 elements", ffi_described(name).text);
  out.when = texts_of(ffi_element(frame, "when"), n, "events$when", 0, owner);
  out.delay = texts_of(ffi_element(frame, "delay"), n, "events$delay", 1, owner);
  out.priority = texts_of(ffi_element(frame, "priority"), n, "events$priority", 1, owner);
  out.values = texts_of(ffi_element(frame, "values"), n, "events$values", 0, owner);
  out.persistent = flags_of(ffi_element(frame, "persistent"), n, "events$persistent", owner);
  out.initially = flags_of(ffi_element(frame, "initially"), n, "events$initially", owner);
  SEXP sets = ffi_typed(ffi_element(frame, "set"), VECSXP, n, owner, "events$set", wanted);
  out.n = (uint32_t)n;
  out.n_sets = (uint32_t *)R_alloc((size_t)n + 1, sizeof *out.n_sets);
  out.target = (const char ***)R_alloc((size_t)n + 1, sizeof *out.target);
  out.value = (const char ***)R_alloc((size_t)n + 1, sizeof *out.value);
  for (R_xlen_t i = 0; i < n; i++) {
    SEXP set = VECTOR_ELT(sets, i);
    out.value[i] = ffi_texts(set, -1, 0, owner, "events$set", wanted);
    if (Rf_xlength(set) > INT32_MAX) ffi_stop_found(owner, "events$set", wanted, ffi_described(set).text);
    out.n_sets[i] = (uint32_t)Rf_xlength(set);
    out.target[i] = NULL;
    if (out.n_sets[i] == 0) continue;
    out.target[i] = ffi_texts(Rf_getAttrib(set, R_NamesSymbol), out.n_sets[i], 0, owner, "events$set", wanted);
  }
  out.factor = factors_of(ffi_element(frame, "factor"), n, out.n_sets, owner);
  return out;
}

/* ---- to the core: nothing below calls R ---------------------------------------------------------------------------------- */

/* Parses a part of an event. Messages call it "the WHAT of event "NAME"". */
static ff_status parse(ff_formula *out, const char *text, const char *what, const char *event, ff_names *symbols, ff_error *err) {
  char place[2 * FF_QUOTE_SIZE + 60];
  if (text == NULL) return FF_OK;
  snprintf(place, sizeof place, "%s of event %s", what, ff_quote(event, strlen(event)).text);
  return ff_formula_parse(out, text, strlen(text), ff_names_find, symbols, (ff_place){place, 0}, err);
}

static ff_status fill_sets(ff_event *event, const ff_reactions *net, const ffi_events *all, uint32_t i, ff_names *symbols,
                           ff_error *err) {
  ff_status status = ff_event_add_sets(event, all->n_sets[i], err);
  for (uint32_t k = 0; k < event->n_sets && status == FF_OK; k++) {
    const char *target = all->target[i][k];
    char what[FF_QUOTE_SIZE + 40] = "the value of ";
    const int64_t symbol = ff_names_find(symbols, target, strlen(target));
    if (symbol == -2) return ff_error_set(err, FF_EMEMORY, "no memory for the names of symbols");
    if (symbol < 0) {
      /* variables follow from the state, so none is suggested */
      const char *near = ff_name_near(net->names, net->n_species + net->n_parameters, target, strlen(target));
      return ff_error_set(err, FF_EPARSE, "event %s sets %s, but no species or parameter has this name%s",
                          ff_quote(event->name, strlen(event->name)).text, ff_quote(target, strlen(target)).text,
                          ff_hint_of(near).text);
    }
    event->sets[k].symbol = (uint32_t)symbol;
    strcat(what, ff_quote(target, strlen(target)).text);
    status = parse(&event->sets[k].value, all->value[i][k], what, event->name, symbols, err);
    if (status == FF_OK && all->factor != NULL)
      status = parse(&event->sets[k].factor, all->factor[i][k], what, event->name, symbols, err);
  }
  return status;
}

static ff_status fill_event(ff_event *event, const ff_reactions *net, const ffi_events *all, uint32_t i, ff_names *symbols,
                            ff_error *err) {
  ff_status status = ff_name_copy(&event->name, all->name[i], err);
  if (status != FF_OK) return status;
  event->persistent = all->persistent[i] == 1;
  event->initially = all->initially[i] == 1;
  event->late = strcmp(all->values[i], "execution") == 0;
  if (!event->late && strcmp(all->values[i], "trigger") != 0)
    return ff_error_set(err, FF_EARGUMENT,
                        "the values of event %s must be those at the \"trigger\" or the \"execution\"; found %s",
                        ff_quote(event->name, strlen(event->name)).text, ff_quote(all->values[i], strlen(all->values[i])).text);
  status = parse(&event->trigger, all->when[i], "the condition", event->name, symbols, err);
  if (status == FF_OK) status = parse(&event->delay, all->delay[i], "the delay", event->name, symbols, err);
  if (status == FF_OK) status = parse(&event->priority, all->priority[i], "the priority", event->name, symbols, err);
  return status == FF_OK ? fill_sets(event, net, all, i, symbols, err) : status;
}

ff_status ffi_events_fill(ff_reactions *net, const ffi_events *events, ff_names *symbols, ff_error *err) {
  if (events->n == 0) return FF_OK;
  ff_status status = ff_reactions_add_events(net, events->n, err);
  for (uint32_t i = 0; i < events->n && status == FF_OK; i++)
    status = fill_event(&net->events[i], net, events, i, symbols, err);
  return status;
}

void ffi_events_mark(int *used, const ff_reactions *net) {
  for (uint32_t e = 0; e < net->n_events; e++) {
    const ff_event *event = &net->events[e];
    ffi_mark_named(used, &event->trigger);
    ffi_mark_named(used, &event->delay);
    ffi_mark_named(used, &event->priority);
    for (uint32_t i = 0; i < event->n_sets; i++) {
      used[event->sets[i].symbol] = 1;
      ffi_mark_named(used, &event->sets[i].value);
      ffi_mark_named(used, &event->sets[i].factor);
    }
  }
}

/* ---- to R --------------------------------------------------------------------------------------------------------------- */

/* Sets element i of the strings to the text of a formula, or to NA if the formula is empty. */
static void set_formula(SEXP strings, R_xlen_t i, const ff_formula *formula, char *const *names, SEXP holder) {
  ff_error err;
  char *text;
  SET_STRING_ELT(strings, i, NA_STRING);
  if (formula->length == 0) return;
  ffi_check(ff_formula_text(&text, formula, names, &err), &err);
  ffi_set_text(strings, i, text, R_BlankString, holder);
}

/* The values that an event sets, or their factors. */
static SEXP sets_of(const ff_event *event, int factors, char *const *symbols, SEXP holder) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, event->n_sets)), names = PROTECT(Rf_allocVector(STRSXP, event->n_sets));
  for (uint32_t i = 0; i < event->n_sets; i++) {
    SET_STRING_ELT(names, i, Rf_mkCharCE(symbols[event->sets[i].symbol], CE_UTF8));
    set_formula(out, i, factors ? &event->sets[i].factor : &event->sets[i].value, symbols, holder);
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

static int has_factors(const ff_event *events, uint32_t n) {
  for (uint32_t e = 0; e < n; e++)
    for (uint32_t i = 0; i < events[e].n_sets; i++)
      if (events[e].sets[i].factor.length > 0) return 1;
  return 0;
}

SEXP ffi_events_list(const ff_event *events, uint32_t n, char *const *symbols) {
  static const char *const names[] = {"name",      "when",   "delay", "priority", "persistent",
                                      "initially", "values", "set",   "factor"};
  static const SEXPTYPE types[] = {STRSXP, STRSXP, STRSXP, STRSXP, LGLSXP, LGLSXP, STRSXP, VECSXP, VECSXP};
  SEXP column[9];
  if (n == 0) return R_NilValue;
  const int n_columns = has_factors(events, n) ? 9 : 8;
  SEXP out = PROTECT(ffi_list(n_columns, names)), holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  for (int i = 0; i < n_columns; i++) SET_VECTOR_ELT(out, i, column[i] = Rf_allocVector(types[i], n));
  for (uint32_t e = 0; e < n; e++) {
    const ff_event *event = &events[e];
    SET_STRING_ELT(column[0], e, Rf_mkCharCE(event->name, CE_UTF8));
    set_formula(column[1], e, &event->trigger, symbols, holder);
    set_formula(column[2], e, &event->delay, symbols, holder);
    set_formula(column[3], e, &event->priority, symbols, holder);
    LOGICAL(column[4])[e] = event->persistent;
    LOGICAL(column[5])[e] = event->initially;
    SET_STRING_ELT(column[6], e, Rf_mkChar(event->late ? "execution" : "trigger"));
    SET_VECTOR_ELT(column[7], e, sets_of(event, 0, symbols, holder));
    if (n_columns == 9) SET_VECTOR_ELT(column[8], e, sets_of(event, 1, symbols, holder));
  }
  UNPROTECT(2);
  return out;
}
