/* Converts the R object of class "petri_net" to an ff_petri. */
#include "../../base/ff_text.h"
#include "../ffi_events.h"
#include "ffi_petri.h"

#include <stdlib.h>
#include <string.h>

/* ---- the columns of the R object: they only check types and lengths -------------------------------------------------------- */

static SEXP typed(SEXP x, SEXPTYPE type, R_xlen_t n, const char *what, const char *wanted) {
  return ffi_typed(x, type, n, FFI_PETRI, what, wanted);
}

static SEXP frame_of(SEXP model, const char *what, const char *wanted) {
  SEXP frame = typed(ffi_element(model, what), VECSXP, -1, what, wanted);
  if (!Rf_inherits(frame, "data.frame")) ffi_stop_found(FFI_PETRI, what, wanted, "a list");
  return frame;
}

static uint32_t size_of(SEXP column, const char *what) {
  if (Rf_xlength(column) > INT32_MAX)
    ffi_stop_found(FFI_PETRI, what, "of at most 2^31 - 1 elements", ffi_described(column).text);
  return (uint32_t)Rf_xlength(column);
}

/* Texts with names. */
typedef struct {
  uint32_t n;
  const char **name, **text;
} named;

typedef struct {
  uint32_t n;
  const char **name, **kind, **equation, **number, **law, **test, **reset, **guard, **at[3];
} transitions;

typedef struct {
  uint32_t n_places, n_markings, n_pieces, n_parameters, n_colours;
  const char **place, **set, **parameter, **definition, **colour;
  const int *continuous, *fixed, *adds;
  const double *value;
  const char **element, **when, **marking;                 /* of markings */
  const char **piece_of, **piece_when, **piece, **piece_law; /* of pieces */
  transitions t;
  named sets, indices, functions, variables;
  ffi_events events;
  SEXP colours;
} parts;

static named named_of(SEXP model, const char *what) {
  static const char *const wanted = "texts, with names";
  SEXP x = ffi_element(model, what);
  named out = {0};
  out.n = size_of(x, what);
  out.text = ffi_texts(x, -1, 0, FFI_PETRI, what, wanted);
  if (out.n > 0) out.name = ffi_texts(Rf_getAttrib(x, R_NamesSymbol), out.n, 0, FFI_PETRI, what, wanted);
  return out;
}

static const char **column_of(SEXP frame, const char *name, R_xlen_t n, int missing, const char *what) {
  return ffi_texts(ffi_element(frame, name), n, missing, FFI_PETRI, what, "texts, one for each row");
}

static void take_transitions(transitions *t, SEXP model) {
  SEXP frame = frame_of(model, "transitions", "a data frame of name, kind, equation and number");
  SEXP name = ffi_element(frame, "name");
  t->name = ffi_texts(name, -1, 0, FFI_PETRI, "transitions$name", "texts");
  t->n = size_of(name, "transitions");
  t->kind = column_of(frame, "kind", t->n, 0, "transitions$kind");
  t->equation = column_of(frame, "equation", t->n, 0, "transitions$equation");
  t->number = column_of(frame, "number", t->n, 1, "transitions$number");
  t->law = column_of(frame, "law", t->n, 1, "transitions$law");
  t->test = column_of(frame, "test", t->n, 1, "transitions$test");
  t->reset = column_of(frame, "reset", t->n, 1, "transitions$reset");
  t->guard = column_of(frame, "guard", t->n, 1, "transitions$guard");
  t->at[0] = column_of(frame, "begin", t->n, 1, "transitions$begin");
  t->at[1] = column_of(frame, "period", t->n, 1, "transitions$period");
  t->at[2] = column_of(frame, "end", t->n, 1, "transitions$end");
}

static void take_pieces(parts *p, SEXP model) {
  if (ffi_element(model, "pieces") == R_NilValue) return;
  SEXP frame = frame_of(model, "pieces", "NULL, or a data frame of transition, when, number and law");
  SEXP of = ffi_element(frame, "transition");
  p->piece_of = ffi_texts(of, -1, 0, FFI_PETRI, "pieces$transition", "texts");
  p->n_pieces = size_of(of, "pieces");
  p->piece_when = column_of(frame, "when", p->n_pieces, 1, "pieces$when");
  p->piece = column_of(frame, "number", p->n_pieces, 0, "pieces$number");
  p->piece_law = column_of(frame, "law", p->n_pieces, 0, "pieces$law");
}

static void take_colours(parts *p, SEXP model) {
  static const char *const wanted = "a list of whole numbers or texts, with names";
  p->colours = typed(ffi_element(model, "colours"), VECSXP, -1, "colours", wanted);
  p->n_colours = size_of(p->colours, "colours");
  if (p->n_colours > 0)
    p->colour = ffi_texts(Rf_getAttrib(p->colours, R_NamesSymbol), p->n_colours, 0, FFI_PETRI, "colours", wanted);
  for (uint32_t i = 0; i < p->n_colours; i++) {
    SEXP x = VECTOR_ELT(p->colours, i);
    size_of(x, "colours");
    if (TYPEOF(x) == STRSXP)
      ffi_texts(x, -1, 0, FFI_PETRI, "colours", wanted);
    else
      ffi_doubles(x, -1, FFI_PETRI, "colours", wanted);
  }
}

static parts parts_of(SEXP model) {
  if (TYPEOF(model) != VECSXP || !Rf_inherits(model, "petri_net")) {
    ff_error err;
    ff_error_set(&err, FF_EARGUMENT,
                 "a Petri net must be an object of class \"petri_net\", as petri_net() makes it; found one of type \"%s\" "
                 "without this class", Rf_type2char((SEXPTYPE)TYPEOF(model)));
    ffi_stop(&err);
  }
  static const char *const flags = "TRUE or FALSE for each place", *const numbers = "numbers with names";
  parts p = {0};
  SEXP places = frame_of(model, "places", "a data frame of place, set, continuous and fixed");
  SEXP name = ffi_element(places, "place"), value = ffi_element(model, "parameters");
  p.place = ffi_texts(name, -1, 0, FFI_PETRI, "places$place", "the names of the places");
  p.n_places = size_of(name, "places");
  p.set = column_of(places, "set", p.n_places, 1, "places$set");
  p.continuous = ffi_flags(ffi_element(places, "continuous"), p.n_places, FFI_PETRI, "places$continuous", flags);
  p.fixed = ffi_flags(ffi_element(places, "fixed"), p.n_places, FFI_PETRI, "places$fixed", flags);
  take_transitions(&p.t, model);
  take_pieces(&p, model);
  SEXP markings = frame_of(model, "markings", "a data frame of element, when, value and adds");
  SEXP element = ffi_element(markings, "element");
  p.element = ffi_texts(element, -1, 0, FFI_PETRI, "markings$element", "texts");
  p.n_markings = size_of(element, "markings");
  p.when = column_of(markings, "when", p.n_markings, 1, "markings$when");
  p.marking = column_of(markings, "value", p.n_markings, 0, "markings$value");
  p.adds = ffi_flags(ffi_element(markings, "adds"), p.n_markings, FFI_PETRI, "markings$adds", "TRUE or FALSE for each marking");
  p.value = ffi_doubles(value, -1, FFI_PETRI, "parameters", numbers);
  p.n_parameters = size_of(value, "parameters");
  if (p.n_parameters > 0)
    p.parameter = ffi_texts(Rf_getAttrib(value, R_NamesSymbol), p.n_parameters, 0, FFI_PETRI, "parameters", numbers);
  if (ffi_element(model, "written_as") != R_NilValue)
    p.definition = ffi_texts(ffi_element(model, "written_as"), p.n_parameters, 1, FFI_PETRI, "written_as", "texts of parameters");
  take_colours(&p, model);
  p.sets = named_of(model, "sets");
  p.indices = named_of(model, "indices");
  p.functions = named_of(model, "functions");
  p.variables = named_of(model, "variables");
  p.events = ffi_events_of(model, FFI_PETRI);
  return p;
}

/* Raises an error unless R can work with the parts of a net; the core need not accept it. Returns NULL. */
SEXP ffi_petri_parts(SEXP model) {
  parts_of(model);
  return R_NilValue;
}

/* ---- to the core: functions below that return a status call nothing of R --------------------------------------------------- */

enum { WHERE = 2 * FF_QUOTE_SIZE + 80 };

/* A place for messages: `what`, and a name in quotes. */
static ff_place where(char *text, const char *what, const char *name) {
  strcat(strcpy(text, what), ff_quote(name, strlen(name)).text);
  return (ff_place){text, 0};
}


static uint32_t set_of(const ff_petri *net, const char *name) { return ff_petri_set_number(net, name, strlen(name)); }

static int is_index(const ff_petri *net, const char *name) {
  return ff_petri_index_number(net, name, strlen(name)) != FF_PETRI_NONE;
}

/* Adds indices in their order, up to the first whose set is not there yet. */
static ff_status add_indices(ff_petri *net, const named *indices, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < indices->n && status == FF_OK; i++) {
    if (is_index(net, indices->name[i])) continue;
    if (set_of(net, indices->text[i]) == FF_PETRI_NONE) break;
    status = ff_petri_add_index(net, indices->name[i], indices->text[i], err);
  }
  return status;
}

/* A function such as `near(x in X, a)`. The head is copied, because it is taken apart. */
enum { MOST_ARGUMENTS = 64 };
typedef struct {
  char *name, *argument[MOST_ARGUMENTS], *set[MOST_ARGUMENTS];
  uint32_t n;
} head;

static char *trimmed(char *text) {
  while (*text == ' ' || *text == '\t' || *text == '\n') text++;
  for (size_t n = strlen(text); n > 0 && strchr(" \t\n", text[n - 1]) != NULL; n--) text[n - 1] = '\0';
  return text;
}

static ff_status take_head(head *h, char *copy, const char *text, ff_error *err) {
  char *open = strchr(copy, '('), *close = strrchr(copy, ')');
  *h = (head){0};
  if (open == NULL || close == NULL || close < open || *trimmed(close + 1) != '\0')
    return ff_error_set(err, FF_EPARSE, "found the head %s of a function of colours where one such as \"near(x, a)\" was "
                        "expected", ff_quote(text, strlen(text)).text);
  *open = *close = '\0';
  h->name = trimmed(copy);
  for (char *at = open + 1, *next; at != NULL; at = next) {
    next = strchr(at, ',');
    if (next != NULL) *next++ = '\0';
    if (h->n == MOST_ARGUMENTS)
      return ff_error_set(err, FF_ESIZE, "function %s has more than %d arguments", ff_quote(h->name, strlen(h->name)).text,
                          MOST_ARGUMENTS);
    char *in = strstr(at, " in ");
    if (in != NULL) *in = '\0';
    h->set[h->n] = in != NULL ? trimmed(in + 4) : NULL;
    h->argument[h->n++] = trimmed(at);
  }
  if (h->n == 1 && *h->argument[0] == '\0') h->n = 0;
  return FF_OK;
}

static ff_status add_function(ff_petri *net, const char *text, const char *value, ff_error *err) {
  char place[WHERE];
  head h;
  char *copy = ff_strndup(text, strlen(text));
  if (copy == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a function of colours");
  ff_status status = take_head(&h, copy, text, err);
  if (status == FF_OK)
    status = ff_petri_add_function(net, h.name, (const char *const *)h.argument, (const char *const *)h.set, h.n, value,
                                   FF_COLOUR_R, where(place, "function ", text), err);
  free(copy);
  return status;
}

static ff_status add_sets(ff_petri *net, const parts *p, ff_error *err) {
  char place[WHERE];
  ff_status status = add_indices(net, &p->indices, err);
  for (uint32_t s = 0; s < p->sets.n && status == FF_OK; s++) {
    status = ff_petri_add_set_text(net, p->sets.name[s], p->sets.text[s], where(place, "set ", p->sets.name[s]), err);
    if (status == FF_OK) status = add_indices(net, &p->indices, err);
  }
  for (uint32_t i = 0; i < p->indices.n && status == FF_OK; i++) /* one whose set is unknown fails */
    if (!is_index(net, p->indices.name[i])) status = ff_petri_add_index(net, p->indices.name[i], p->indices.text[i], err);
  for (uint32_t f = 0; f < p->functions.n && status == FF_OK; f++)
    status = add_function(net, p->functions.name[f], p->functions.text[f], err);
  return status;
}

static ff_status add_places(ff_petri *net, const parts *p, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < p->n_places && status == FF_OK; i++) {
    const uint32_t set = p->set[i] == NULL ? FF_PETRI_NONE : set_of(net, p->set[i]);
    if (p->set[i] != NULL && set == FF_PETRI_NONE)
      return ff_error_set(err, FF_EMODEL, "place %s has the set %s, which the net does not have",
                          ff_quote(p->place[i], strlen(p->place[i])).text, ff_quote(p->set[i], strlen(p->set[i])).text);
    status = ff_petri_add_place(net, p->place[i], set, p->continuous[i], p->fixed[i], err);
  }
  return status;
}

static ff_status kind_of(ff_petri_kind *kind, const char *text, const char *name, ff_error *err) {
  static const char *const kinds[] = {
#define FF_X(code, kind_name, number) kind_name,
      FF_PETRI_KINDS(FF_X)
#undef FF_X
  };
  for (*kind = 0; *kind < FF_PETRI_KINDS_COUNT; (*kind)++)
    if (strcmp(kinds[*kind], text) == 0) return FF_OK;
  return ff_error_set(err, FF_EARGUMENT,
                      "transition %s: the kind must be \"stochastic\", \"continuous\", \"immediate\", \"deterministic\" or "
                      "\"scheduled\"; found %s", ff_quote(name, strlen(name)).text, ff_quote(text, strlen(text)).text);
}

/* What kinds call their number, in the order of the kinds. */
static const char *number_word(ff_petri_kind kind) {
  static const char *const words[] = {
#define FF_X(code, kind_name, number) "the " number " of transition ",
      FF_PETRI_KINDS(FF_X)
#undef FF_X
  };
  return words[kind];
}

static ff_status add_number(ff_petri *net, uint32_t t, const char *when, const char *number, const char *law, const char *name,
                            const char *equation, ff_error *err) {
  char place[WHERE];
  const int mass_action = law != NULL && strcmp(law, "mass action") == 0;
  if (!mass_action && law != NULL && strcmp(law, "formula") != 0)
    return ff_error_set(err, FF_EARGUMENT, "transition %s: the law must be \"mass action\" or \"formula\"; found %s",
                        ff_quote(name, strlen(name)).text, ff_quote(law, strlen(law)).text);
  where(place, number_word(net->transition[t].kind), name);
  strcat(strcat(place, ", "), ff_quote(equation, strlen(equation)).text); /* messages show the equation */
  return ff_petri_number(net, t, when, number, mass_action, (ff_place){place, 0}, err);
}

static ff_status add_times(ff_petri *net, uint32_t t, const parts *p, uint32_t i, ff_error *err) {
  char place[WHERE];
  ff_status status = FF_OK;
  for (int k = 0; k < 3 && status == FF_OK; k++)
    if (p->t.at[k][i] != NULL)
      status = ff_petri_at(net, t, k, p->t.at[k][i], where(place, "`at` of transition ", p->t.name[i]), err);
  return status;
}

static ff_status add_transition(ff_petri *net, const parts *p, uint32_t i, ff_error *err) {
  char place[WHERE];
  int both;
  uint32_t t;
  ff_petri_kind kind;
  const transitions *all = &p->t;
  ff_status status = kind_of(&kind, all->kind[i], all->name[i], err);
  if (status == FF_OK) status = ff_petri_add_transition(net, all->name[i], kind, &t, err);
  if (status != FF_OK) return status;
  status = ff_petri_equation(net, t, all->equation[i], 0, &both, where(place, "transition ", all->name[i]), err);
  if (status == FF_OK && both)
    return ff_error_set(err, FF_EPARSE, "%s: found %s, an equation for both directions; each direction is a transition of its "
                        "own", place, ff_quote(all->equation[i], strlen(all->equation[i])).text);
  if (status == FF_OK && all->test[i] != NULL)
    status = ff_petri_tests(net, t, all->test[i], where(place, "the test of transition ", all->name[i]), err);
  if (status == FF_OK && all->reset[i] != NULL)
    status = ff_petri_resets(net, t, all->reset[i], where(place, "the reset of transition ", all->name[i]), err);
  if (status == FF_OK && all->guard[i] != NULL)
    status = ff_petri_guard(net, t, all->guard[i], FF_COLOUR_R, where(place, "the guard of transition ", all->name[i]), err);
  if (status == FF_OK && all->number[i] != NULL) status = add_number(net, t, NULL, all->number[i], all->law[i], all->name[i],
                                                                     all->equation[i], err);
  for (uint32_t k = 0; k < p->n_pieces && status == FF_OK; k++)
    if (strcmp(p->piece_of[k], all->name[i]) == 0)
      status = add_number(net, t, p->piece_when[k], p->piece[k], p->piece_law[k], all->name[i], all->equation[i], err);
  return status == FF_OK ? add_times(net, t, p, i, err) : status;
}

static ff_status add_markings(ff_petri *net, const parts *p, ff_error *err) {
  char place[WHERE];
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < p->n_markings && status == FF_OK; i++)
    status = ff_petri_add_marking(net, p->element[i], p->when[i], p->marking[i], p->adds[i] == 1,
                                  where(place, "the initial marking of ", p->element[i]), err);
  return status;
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

/* A place for messages: "the delay of event "E"". */
static ff_place where_in(char *text, const char *part, const char *event) {
  snprintf(text, WHERE, "%s of event %s", part, ff_quote(event, strlen(event)).text);
  return (ff_place){text, 0};
}

static ff_status add_event_sets(ff_petri *net, const ffi_events *all, uint32_t i, ff_error *err) {
  char place[WHERE], part[FF_QUOTE_SIZE + 20];
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < all->n_sets[i] && status == FF_OK; k++) {
    const char *target = all->target[i][k], *factor = all->factor != NULL ? all->factor[i][k] : NULL;
    snprintf(part, sizeof part, "the value of %s", ff_quote(target, strlen(target)).text);
    status = ff_petri_event_set_text(net, i, target, all->value[i][k], factor, where_in(place, part, all->name[i]), err);
  }
  return status;
}

static ff_status add_event(ff_petri *net, const ffi_events *all, uint32_t i, ff_error *err) {
  static const char *const parts[] = {"the condition", "the delay", "the priority"};
  const char *const text[] = {all->when[i], all->delay[i], all->priority[i]}, *name = all->name[i], *values = all->values[i];
  char place[WHERE];
  ff_status status = ff_petri_add_event(net, name, err);
  if (status != FF_OK) return status;
  ff_event *event = &net->event[i].event;
  event->persistent = all->persistent[i] == 1;
  event->initially = all->initially[i] == 1;
  event->late = strcmp(values, "execution") == 0;
  if (!event->late && strcmp(values, "trigger") != 0)
    return ff_error_set(err, FF_EARGUMENT,
                        "the values of event %s must be those at the \"trigger\" or the \"execution\"; found %s",
                        ff_quote(name, strlen(name)).text, ff_quote(values, strlen(values)).text);
  for (int k = 0; k < 3 && status == FF_OK; k++)
    if (text[k] != NULL) status = ff_petri_event_text(net, i, (ff_event_part)k, text[k], where_in(place, parts[k], name), err);
  return status == FF_OK ? add_event_sets(net, all, i, err) : status;
}

/* ---- the net: R may interrupt what follows, so external pointers hold what has been allocated ------------------------------ */

static void finalize_net(SEXP holder) {
  ff_petri_free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

SEXP ffi_petri_holder(void) { return ffi_pointer(finalize_net, 0, R_NilValue); }

/* Whether a text is a whole number below 2^39 in size, which *value becomes. */
static int is_whole(const char *text, int64_t *value) {
  const int negative = text[0] == '-';
  *value = 0;
  if (text[negative] == '\0') return 0;
  for (const char *at = text + negative; *at != '\0'; at++) {
    if (!ff_is_digit(*at) || *value >= FF_COLOUR_MOST / 10) return 0;
    *value = *value * 10 + (*at - '0');
  }
  if (negative) *value = -*value;
  return 1;
}

/* The colours of a vector of R; names that are whole numbers are these. */
static int64_t *colours_of(ff_petri *net, SEXP x) {
  ff_error err;
  const R_xlen_t n = Rf_xlength(x);
  int64_t *value = (int64_t *)R_alloc((size_t)n + 1, sizeof *value);
  const double *number = TYPEOF(x) == STRSXP ? NULL : ffi_doubles(x, n, FFI_PETRI, "colours", "whole numbers");
  const char **name = TYPEOF(x) == STRSXP ? ffi_texts(x, n, 0, FFI_PETRI, "colours", "texts") : NULL;
  for (R_xlen_t i = 0; i < n; i++) {
    if (number != NULL) {
      if (!(number[i] > -(double)FF_COLOUR_MOST && number[i] < (double)FF_COLOUR_MOST && number[i] == (double)(int64_t)number[i]))
        ffi_stop_found(FFI_PETRI, "colours", "whole numbers below 2^39 in size, or names", ff_show(number[i], 15).text);
      value[i] = (int64_t)number[i];
    } else if (!is_whole(name[i], &value[i])) {
      ffi_check(ff_petri_add_colour(net, name[i], &value[i], &err), &err);
    }
  }
  return value;
}

static void fill(ff_petri *net, const parts *p, const char *until) {
  ff_error err;
  for (uint32_t i = 0; i < p->n_parameters; i++) {
    ffi_check(ff_petri_add_parameter(net, p->parameter[i], p->value[i], &err), &err);
    if (p->definition != NULL && p->definition[i] != NULL)
      ffi_check(ff_petri_define_parameter(net, i, p->definition[i], &err), &err);
  }
  for (uint32_t i = 0; i < p->n_colours; i++) {
    SEXP x = VECTOR_ELT(p->colours, i);
    ffi_check(ff_petri_add_values(net, p->colour[i], colours_of(net, x), (uint32_t)Rf_xlength(x), &err), &err);
  }
  ffi_check(add_sets(net, p, &err), &err);
  ffi_check(add_places(net, p, &err), &err);
  for (uint32_t v = 0; v < p->variables.n; v++) ffi_check(ff_petri_add_variable(net, p->variables.name[v], &err), &err);
  if (until != NULL) ffi_check(ff_petri_add_variable(net, "the condition that ends trajectories", &err), &err);
  for (uint32_t i = 0; i < p->t.n; i++) {
    if (i % 1024 == 0) R_CheckUserInterrupt();
    ffi_check(add_transition(net, p, i, &err), &err);
  }
  for (uint32_t v = 0; v < p->variables.n; v++) {
    char place[WHERE];
    ffi_check(ff_petri_variable_text(net, v, p->variables.text[v], where(place, "variable ", p->variables.name[v]), &err), &err);
  }
  if (until != NULL) ffi_check(ff_petri_variable_text(net, p->variables.n, until, (ff_place){"the condition", 0}, &err), &err);
  for (uint32_t e = 0; e < p->events.n; e++) ffi_check(add_event(net, &p->events, e, &err), &err);
  ffi_check(add_markings(net, p, &err), &err);
  R_CheckUserInterrupt();
  ffi_check(ff_petri_finish(net, &err), &err);
}

SEXP ffi_petri_hold(SEXP model, const char *until, ff_petri **out) {
  ff_error err;
  parts p = parts_of(model);
  SEXP holder = PROTECT(ffi_petri_holder());
  ff_petri *net;
  ffi_check(ff_petri_new(&net, &err), &err);
  R_SetExternalPtrAddr(holder, net);
  fill(net, &p, until);
  *out = net;
  UNPROTECT(1);
  return holder;
}
