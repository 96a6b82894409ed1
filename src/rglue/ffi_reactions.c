/* Converts the R object of class "reaction_network" to an ff_reactions, and answers what R asks about it. */
#include "ffi_values.h"
#include "ffi_events.h"

#include <stdlib.h>
#include <string.h>

/* ---- the columns of the R object: they only check types and lengths ---- */

static SEXP typed(SEXP x, SEXPTYPE type, R_xlen_t n, const char *what, const char *wanted) {
  return ffi_typed(x, type, n, FFI_REACTIONS, what, wanted);
}

static SEXP frame_of(SEXP model, const char *what, const char *wanted) {
  SEXP frame = typed(ffi_element(model, what), VECSXP, -1, what, wanted);
  if (!Rf_inherits(frame, "data.frame")) ffi_stop_found(FFI_REACTIONS, what, wanted, "a list");
  return frame;
}

static const char **texts_of(SEXP x, R_xlen_t n, const char *what, const char *wanted) {
  return ffi_texts(x, n, 0, FFI_REACTIONS, what, wanted);
}

/* What is taken from the R object. The texts lie in R's memory. */
typedef struct {
  uint32_t n_species, n_parameters, n_reactions, n_variables;
  const char **species, **parameters, **names, **equations, **rates, **laws, **variables, **formulas;
  const double *initial, *value;
  const int *fixed;
  ffi_events events;
} parts;

static uint32_t size_of(SEXP column, const char *what) {
  if (Rf_xlength(column) > INT32_MAX)
    ffi_stop_found(FFI_REACTIONS, what, "of at most 2^31 - 1 elements", ffi_described(column).text);
  return (uint32_t)Rf_xlength(column);
}

/* Networks that were made before there were variables have no such element. */
static void take_variables(parts *p, SEXP model) {
  static const char *const texts = "formulas as text, with names";
  SEXP formulas = ffi_element(model, "variables");
  if (formulas == R_NilValue) return;
  p->n_variables = size_of(formulas, "variables");
  p->formulas = texts_of(formulas, -1, "variables", texts);
  if (p->n_variables > 0)
    p->variables = texts_of(Rf_getAttrib(formulas, R_NamesSymbol), p->n_variables, "variables", texts);
}

static parts parts_of(SEXP model) {
  if (TYPEOF(model) != VECSXP || !Rf_inherits(model, "reaction_network")) {
    ff_error err;
    ff_error_set(&err, FF_EARGUMENT,
                 "a reaction network must be an object of class \"reaction_network\", as reaction_network() makes it; found one "
                 "of type \"%s\" without this class", Rf_type2char((SEXPTYPE)TYPEOF(model)));
    ffi_stop(&err);
  }
  static const char *const texts = "texts, one for each reaction", *const numbers = "numbers, one for each species";
  static const char *const named = "numbers with names";
  parts p = {0};
  SEXP species = frame_of(model, "species", "a data frame of species, initial and fixed");
  SEXP reactions = frame_of(model, "reactions", "a data frame of name, equation, rate and law");
  SEXP names = ffi_element(species, "species"), equation = ffi_element(reactions, "equation");
  p.species = texts_of(names, -1, "species$species", "the names of the species");
  p.n_species = size_of(names, "species");
  p.initial = ffi_doubles(ffi_element(species, "initial"), p.n_species, FFI_REACTIONS, "species$initial", numbers);
  p.fixed = ffi_flags(ffi_element(species, "fixed"), p.n_species, FFI_REACTIONS, "species$fixed",
                      "TRUE or FALSE for each species");
  SEXP value = ffi_element(model, "parameters");
  p.value = ffi_doubles(value, -1, FFI_REACTIONS, "parameters", named);
  p.n_parameters = size_of(value, "parameters");
  if (p.n_parameters > 0) p.parameters = texts_of(Rf_getAttrib(value, R_NamesSymbol), p.n_parameters, "parameters", named);
  p.equations = texts_of(equation, -1, "reactions$equation", texts);
  p.n_reactions = size_of(equation, "reactions");
  p.names = texts_of(ffi_element(reactions, "name"), p.n_reactions, "reactions$name", texts);
  p.rates = texts_of(ffi_element(reactions, "rate"), p.n_reactions, "reactions$rate", texts);
  p.laws = texts_of(ffi_element(reactions, "law"), p.n_reactions, "reactions$law", texts);
  take_variables(&p, model);
  p.events = ffi_events_of(model, FFI_REACTIONS);
  return p;
}

/* ---- to the core: nothing below calls R ---- */

static ff_status fill_symbols(ff_reactions *net, const parts *p, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < p->n_species && status == FF_OK; i++) {
    status = ff_name_copy(&net->names[i], p->species[i], err);
    net->initial[i] = p->initial[i];
    net->fixed[i] = p->fixed[i] == 1;
  }
  for (uint32_t i = 0; i < p->n_parameters && status == FF_OK; i++) {
    status = ff_name_copy(&net->names[p->n_species + i], p->parameters[i], err);
    net->value[i] = p->value[i];
  }
  for (uint32_t i = 0; i < p->n_variables && status == FF_OK; i++)
    status = ff_name_copy(&net->names[p->n_species + p->n_parameters + i], p->variables[i], err);
  return status;
}

static ff_status fill_variable(ff_reactions *net, uint32_t v, const parts *p, ff_names *symbols, ff_error *err) {
  char place[FF_QUOTE_SIZE + 40] = "variable ";
  strcat(place, ff_quote(p->variables[v], strlen(p->variables[v])).text);
  return ff_formula_parse(&net->variable[v], p->formulas[v], strlen(p->formulas[v]), ff_names_find, symbols,
                          (ff_place){place, 0}, err);
}

static ff_status fill_reaction(ff_reactions *net, uint32_t r, const parts *p, ff_names *species, ff_names *symbols,
                               ff_error *err) {
  ff_reaction *reaction = &net->reactions[r];
  char place[2 * FF_QUOTE_SIZE + 40] = "the rate of reaction ";
  const char *label = place + strlen("the rate of ");
  int both;
  strcat(place, ff_quote(p->names[r], strlen(p->names[r])).text);
  ff_status status = ff_name_copy(&reaction->name, p->names[r], err);
  if (status != FF_OK) return status;
  reaction->mass_action = strcmp(p->laws[r], "mass action") == 0;
  if (!reaction->mass_action && strcmp(p->laws[r], "formula") != 0)
    return ff_error_set(err, FF_EARGUMENT, "%s: the law must be \"mass action\" or \"formula\"; found %s", label,
                        ff_quote(p->laws[r], strlen(p->laws[r])).text);
  status = ff_reactions_equation(net, r, p->equations[r], species, (ff_place){label, 0}, &both, err);
  if (status != FF_OK) return status;
  if (both)
    return ff_error_set(err, FF_EPARSE, "%s: found %s, an equation for both directions; each direction is a reaction of its own",
                        label, ff_quote(p->equations[r], strlen(p->equations[r])).text);
  status = ff_formula_parse(&reaction->rate, p->rates[r], strlen(p->rates[r]), ff_names_find, symbols, (ff_place){place, 0}, err);
  if (status != FF_EPARSE) return status;
  strcat(strcat(place, ", "), ff_quote(p->equations[r], strlen(p->equations[r])).text); /* the message shows the equation */
  return ff_formula_parse(&reaction->rate, p->rates[r], strlen(p->rates[r]), ff_names_find, symbols, (ff_place){place, 0}, err);
}

/* ---- the network: R may interrupt what follows, so external pointers hold what has been allocated ---- */

enum { REACTIONS_BETWEEN_LOOKS = 1 << 14 };

/* Lets R process Ctrl-C before some of the reactions. */
static void look(R_xlen_t reaction) {
  if (reaction % REACTIONS_BETWEEN_LOOKS == 0) R_CheckUserInterrupt();
}

static void finalize_names(SEXP holder) {
  ff_names_free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

/* A table of the first n names of the network. `holder` holds it. */
static ff_names *names_of(SEXP holder, const ff_reactions *net, uint32_t n, const char *what) {
  ff_error err;
  ff_names *names;
  ffi_check(ff_names_new(&names, net->names, n, what, &err), &err);
  R_SetExternalPtrAddr(holder, names);
  return names;
}

static void fill(ff_reactions *net, const parts *p) {
  ff_error err;
  const uint32_t n_symbols = p->n_species + p->n_parameters + p->n_variables;
  SEXP of_symbols = PROTECT(ffi_pointer(finalize_names, 0, R_NilValue));
  SEXP of_species = PROTECT(ffi_pointer(finalize_names, 0, R_NilValue));
  ffi_check(ff_reactions_add_variables(net, p->n_variables, &err), &err);
  ffi_check(fill_symbols(net, p, &err), &err);
  ff_names *symbols = names_of(of_symbols, net, n_symbols,
                               p->n_variables > 0 ? "species, parameters and variables" : "species and parameters");
  ff_names *species = names_of(of_species, net, p->n_species, "species");
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    look(r);
    ffi_check(fill_reaction(net, r, p, species, symbols, &err), &err);
  }
  for (uint32_t v = 0; v < p->n_variables; v++) ffi_check(fill_variable(net, v, p, symbols, &err), &err);
  ffi_check(ffi_events_fill(net, &p->events, symbols, &err), &err);
  ffi_check(ff_reactions_finish(net, &err), &err);
  finalize_names(of_species);
  finalize_names(of_symbols);
  UNPROTECT(2);
}

static void finalize_reactions(SEXP holder) {
  ff_reactions_free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

SEXP ffi_reactions_holder(void) { return ffi_pointer(finalize_reactions, 0, R_NilValue); }

SEXP ffi_reactions_hold(SEXP model, ff_reactions **out) {
  ff_error err;
  parts p = parts_of(model);
  SEXP holder = PROTECT(ffi_reactions_holder());
  ff_reactions *net;
  ffi_check(ff_reactions_new(&net, p.n_species, p.n_parameters, p.n_reactions, &err), &err);
  R_SetExternalPtrAddr(holder, net);
  fill(net, &p);
  *out = net;
  UNPROTECT(1);
  return holder;
}

/* ---- what R asks ---- */

/* Raises an error unless R can work with the parts of a network; the core need not accept it. Returns NULL. O(size of the
 * list). */
SEXP ffi_reactions_parts(SEXP model) {
  parts_of(model);
  return R_NilValue;
}

/* Where the names of equations go. The first pass only counts them. */
typedef struct {
  SEXP names; /* NULL in the first pass */
  R_xlen_t n;
} collected;

static void collect(void *context, const char *name, size_t length) {
  collected *c = context;
  if (c->names != NULL && length <= INT32_MAX) SET_STRING_ELT(c->names, c->n, Rf_mkCharLenCE(name, (int)length, CE_UTF8));
  c->n++;
}

SEXP ffi_names_of_equations(SEXP equations, ffi_equation_names_of names_of_one) {
  static const char *const names[] = {"names", "both"};
  const char **texts = texts_of(equations, -1, "reactions$equation", "texts");
  R_xlen_t n = Rf_xlength(equations);
  ff_error err;
  SEXP out = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(LGLSXP, n));
  collected c = {NULL, 0};
  for (R_xlen_t i = 0; i < n; i++) {
    int both;
    look(i);
    ffi_check(names_of_one(texts[i], collect, &c, &both, &err), &err);
    LOGICAL(VECTOR_ELT(out, 1))[i] = both;
  }
  SET_VECTOR_ELT(out, 0, Rf_allocVector(STRSXP, c.n));
  c = (collected){VECTOR_ELT(out, 0), 0};
  for (R_xlen_t i = 0; i < n; i++) {
    int both;
    look(i);
    ffi_check(names_of_one(texts[i], collect, &c, &both, &err), &err);
  }
  UNPROTECT(1);
  return out;
}

static ff_status names_of_equation(const char *text, void (*found)(void *context, const char *name, size_t length), void *context,
                                   int *both, ff_error *err) {
  return ff_equation_names(text, found, context, (ff_place){NULL, 0}, both, err);
}

SEXP ffi_equation_names(SEXP equations) { return ffi_names_of_equations(equations, names_of_equation); }

/* Sets used[i] to TRUE for each species, parameter and variable that an equation, a rate or a variable names. */
static void mark_used(int *used, const ff_reactions *net) {
  memset(used, 0, (net->n_species + net->n_parameters + net->n_variables) * sizeof *used);
  for (uint32_t v = 0; v < net->n_variables; v++) ffi_mark_named(used, &net->variable[v]);
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    for (uint32_t i = 0; i < reaction->n_reactants; i++) used[reaction->reactants[i].species] = 1;
    for (uint32_t i = 0; i < reaction->n_products; i++) used[reaction->products[i].species] = 1;
    ffi_mark_named(used, &reaction->rate);
  }
  ffi_events_mark(used, net);
}

static SEXP names_from(char *const *names, uint32_t n) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
  for (uint32_t i = 0; i < n; i++) SET_STRING_ELT(out, i, Rf_mkCharCE(names[i], CE_UTF8));
  UNPROTECT(1);
  return out;
}

static SEXP numbers_from(const double *numbers, uint32_t n) {
  SEXP out = Rf_allocVector(REALSXP, n);
  for (uint32_t i = 0; i < n; i++) REAL(out)[i] = numbers[i];
  return out;
}

SEXP ffi_reactions_list(const ff_reactions *net) {
  static const char *const names[] = {"species",  "initial", "fixed", "parameters", "name",
                                      "equation", "rate",    "law",   "variables",  "events"};
  ff_error err;
  char *text;
  SEXP out = PROTECT(ffi_list(10, names)), holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  ffi_set(out, "species", names_from(net->names, net->n_species));
  ffi_set(out, "initial", numbers_from(net->initial, net->n_species));
  ffi_set(out, "fixed", Rf_allocVector(LGLSXP, net->n_species));
  for (uint32_t i = 0; i < net->n_species; i++) LOGICAL(ffi_element(out, "fixed"))[i] = net->fixed[i];
  SEXP value = numbers_from(net->value, net->n_parameters);
  ffi_set(out, "parameters", value);
  Rf_setAttrib(value, R_NamesSymbol, PROTECT(names_from(net->names + net->n_species, net->n_parameters)));
  SEXP columns[4];
  for (int i = 0; i < 4; i++) SET_VECTOR_ELT(out, 4 + i, columns[i] = Rf_allocVector(STRSXP, net->n_reactions));
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    look(r);
    SET_STRING_ELT(columns[0], r, Rf_mkCharCE(net->reactions[r].name, CE_UTF8));
    ffi_check(ff_reactions_equation_text(&text, net, r, &err), &err);
    ffi_set_text(columns[1], r, text, R_BlankString, holder);
    ffi_check(ff_formula_text(&text, &net->reactions[r].rate, net->names, &err), &err);
    ffi_set_text(columns[2], r, text, R_BlankString, holder);
    SET_STRING_ELT(columns[3], r, Rf_mkChar(net->reactions[r].mass_action ? "mass action" : "formula"));
  }
  ffi_set(out, "events", ffi_events_list(net->events, net->n_events, net->names));
  SEXP variables = Rf_allocVector(STRSXP, net->n_variables);
  ffi_set(out, "variables", variables);
  Rf_setAttrib(variables, R_NamesSymbol,
               PROTECT(names_from(net->names + net->n_species + net->n_parameters, net->n_variables)));
  for (uint32_t v = 0; v < net->n_variables; v++) {
    ffi_check(ff_formula_text(&text, &net->variable[v], net->names, &err), &err);
    ffi_set_text(variables, v, text, R_BlankString, holder);
  }
  UNPROTECT(4);
  return out;
}

/* Raises an error if the network is invalid. Otherwise returns list(equation, rate, used, events): the texts of the equations and
 * of the rates, written in one way; for each species, parameter and variable whether a reaction, a variable or an event names it;
 * and the events, as ffi_events_list() makes them. */
SEXP ffi_reactions_check(SEXP model) {
  static const char *const names[] = {"equation", "rate", "used", "events"};
  ff_reactions *net;
  ff_error err;
  char *text;
  PROTECT(ffi_reactions_hold(model, &net));
  SEXP out = PROTECT(ffi_list(4, names)), holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  SEXP equation = Rf_allocVector(STRSXP, net->n_reactions);
  SET_VECTOR_ELT(out, 0, equation);
  SEXP rate = Rf_allocVector(STRSXP, net->n_reactions);
  SET_VECTOR_ELT(out, 1, rate);
  SET_VECTOR_ELT(out, 2, Rf_allocVector(LGLSXP, (R_xlen_t)net->n_species + net->n_parameters + net->n_variables));
  mark_used(LOGICAL(VECTOR_ELT(out, 2)), net);
  SEXP reactions = ffi_element(model, "reactions");
  SEXP old_equation = ffi_element(reactions, "equation"), old_rate = ffi_element(reactions, "rate");
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    look(r);
    ffi_check(ff_reactions_equation_text(&text, net, r, &err), &err);
    ffi_set_text(equation, r, text, STRING_ELT(old_equation, r), holder);
    ffi_check(ff_formula_text(&text, &net->reactions[r].rate, net->names, &err), &err);
    ffi_set_text(rate, r, text, STRING_ELT(old_rate, r), holder);
  }
  SET_VECTOR_ELT(out, 3, ffi_events_list(net->events, net->n_events, net->names));
  UNPROTECT(3);
  return out;
}

/* Returns the numbers of summary() as a list. The order of a reaction is the number of its reactants. */
SEXP ffi_reactions_summary(SEXP model) {
  static const char *const names[] = {"n_species", "n_reactions", "n_parameters", "n_variables", "order",
                                      "mass_action", "formula",   "time",         "n_events"};
  ff_reactions *net;
  ff_error err;
  PROTECT(ffi_reactions_hold(model, &net));
  double order = 0, mass_action = 0, timed = 0;
  uint8_t *has_time = (uint8_t *)R_alloc(net->n_reactions, 1);
  ffi_check(ff_reactions_timed(has_time, net, &err), &err);
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    double reactants = 0;
    for (uint32_t i = 0; i < reaction->n_reactants; i++) reactants += reaction->reactants[i].count;
    if (reactants > order) order = reactants;
    mass_action += reaction->mass_action;
    timed += has_time[r];
  }
  const double formulas = net->n_reactions - mass_action;
  const double values[] = {net->n_species, net->n_reactions, net->n_parameters, net->n_variables, order,
                           mass_action,    formulas,         timed,             net->n_events};
  SEXP out = PROTECT(ffi_numbers(9, names, values));
  UNPROTECT(2);
  return out;
}

typedef struct {
  int *species, *reaction, *role; /* NULL in the first pass, which only counts */
  double *count;
  R_xlen_t n;
} arrows;

static void add_arrow(arrows *a, uint32_t species, uint32_t reaction, int role, double count) {
  if (a->species != NULL) {
    a->species[a->n] = (int)species + 1;
    a->reaction[a->n] = (int)reaction + 1;
    a->role[a->n] = role;
    a->count[a->n] = count;
  }
  a->n++;
}

/* What list_arrows() needs. mark[i] becomes r + 1 when species i has an arrow to the rate of reaction r; the other two arrays are
 * those of ff_reactions_read(). */
typedef struct {
  arrows *a;
  uint32_t *mark, *seen, *stack;
} rate_arrows;

static void add_rate_arrow(void *context, uint32_t r, uint32_t species) {
  rate_arrows *rates = context;
  if (rates->mark[species] == r + 1) return;
  rates->mark[species] = r + 1;
  add_arrow(rates->a, species, r, 3, 0);
}

static void list_arrows(arrows *a, rate_arrows *rates, const ff_reactions *net) {
  rates->a = a;
  memset(rates->mark, 0, net->n_species * sizeof *rates->mark);
  memset(rates->seen, 0, net->n_variables * sizeof *rates->seen);
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    for (uint32_t i = 0; i < reaction->n_reactants; i++)
      add_arrow(a, reaction->reactants[i].species, r, 1, reaction->reactants[i].count);
    for (uint32_t i = 0; i < reaction->n_products; i++)
      add_arrow(a, reaction->products[i].species, r, 2, reaction->products[i].count);
    ff_reactions_read(net, r, rates->seen, rates->stack, add_rate_arrow, rates);
  }
}

/* Returns list(species, reaction, role, count), with an element for each reactant (role 1) and product (2) of a reaction, and for
 * each species that its rate names (3, count 0). Numbers are from 1. */
SEXP ffi_reactions_arrows(SEXP model) {
  static const char *const names[] = {"species", "reaction", "role", "count"};
  ff_reactions *net;
  PROTECT(ffi_reactions_hold(model, &net));
  rate_arrows rates = {.mark = (uint32_t *)R_alloc(net->n_species, sizeof *rates.mark),
                       .seen = (uint32_t *)R_alloc(net->n_variables, sizeof *rates.seen),
                       .stack = (uint32_t *)R_alloc(net->n_variables, sizeof *rates.stack)};
  arrows a = {0};
  list_arrows(&a, &rates, net);
  SEXP out = PROTECT(ffi_list(4, names));
  for (int i = 0; i < 4; i++) SET_VECTOR_ELT(out, i, Rf_allocVector(i < 3 ? INTSXP : REALSXP, a.n));
  a = (arrows){.species = INTEGER(VECTOR_ELT(out, 0)), .reaction = INTEGER(VECTOR_ELT(out, 1)),
               .role = INTEGER(VECTOR_ELT(out, 2)), .count = REAL(VECTOR_ELT(out, 3))};
  list_arrows(&a, &rates, net);
  UNPROTECT(2);
  return out;
}

/* Returns for each variable whether it is shown to be never negative. */
SEXP ffi_reactions_never_negative(SEXP model) {
  ff_reactions *net;
  ff_error err;
  PROTECT(ffi_reactions_hold(model, &net));
  uint8_t *never = (uint8_t *)R_alloc(net->n_variables, 1);
  ffi_check(ff_reactions_never_negative(never, net, &err), &err);
  SEXP out = PROTECT(Rf_allocVector(LGLSXP, net->n_variables));
  for (uint32_t v = 0; v < net->n_variables; v++) LOGICAL(out)[v] = never[v];
  UNPROTECT(2);
  return out;
}

SEXP ffi_split(ff_reactions *net) {
  ff_error err;
  uint8_t *reverse;
  SEXP holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  ffi_check(ff_reactions_split(net, &reverse, &err), &err);
  R_SetExternalPtrAddr(holder, reverse);
  SEXP out = PROTECT(Rf_allocVector(LGLSXP, net->n_reactions));
  for (uint32_t r = 0; r < net->n_reactions; r++) LOGICAL(out)[r] = reverse[r];
  ffi_free_text(holder);
  UNPROTECT(2);
  return out;
}

/* Makes two reactions of each whose rate is that of both directions. Returns list(reverse, name, equation, rate) with an element
 * for each reaction that the network has then, where reverse tells the second ones; NULL if there are none. */
SEXP ffi_reactions_split(SEXP model) {
  static const char *const names[] = {"reverse", "name", "equation", "rate"};
  ff_reactions *net;
  PROTECT(ffi_reactions_hold(model, &net));
  const uint32_t before = net->n_reactions;
  SEXP reverse = PROTECT(ffi_split(net));
  if (net->n_reactions == before) {
    UNPROTECT(2);
    return R_NilValue;
  }
  SEXP out = PROTECT(ffi_list(4, names)), columns = PROTECT(ffi_reactions_list(net));
  ffi_set(out, "reverse", reverse);
  for (int i = 1; i < 4; i++) ffi_set(out, names[i], ffi_element(columns, names[i]));
  UNPROTECT(4);
  return out;
}
