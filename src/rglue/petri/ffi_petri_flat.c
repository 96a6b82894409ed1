/* Unfolds nets, and tells R what they have become. */
#include <stdlib.h>
#include <string.h>

#include "../ffi_events.h"
#include "ffi_petri.h"

/* ---- unfolding ------------------------------------------------------------------------------------------------------------- */

static void finalize(SEXP holder) {
  ffi_petri_unfolded *u = R_ExternalPtrAddr(holder);
  if (u == NULL) return;
  ff_unfolder_free(u->unfolder);
  ff_petri_flat_free(u->flat);
  free(u);
  R_ClearExternalPtr(holder);
}

SEXP ffi_petri_unfold(SEXP model, const char *until, ffi_petri_unfolded **out) {
  enum { BUDGET = 1 << 20 };
  ff_error err;
  ff_petri *net;
  SEXP of_net = PROTECT(ffi_petri_hold(model, until, &net));
  SEXP holder = PROTECT(ffi_pointer(finalize, 0, of_net));
  ffi_petri_unfolded *u = ff_calloc(1, sizeof *u);
  if (u == NULL) ffi_no_memory("an unfolded net");
  R_SetExternalPtrAddr(holder, u);
  u->net = net;
  ffi_check(ff_unfolder_new(&u->unfolder, net, &err), &err);
  while (u->flat == NULL) {
    R_CheckUserInterrupt();
    ffi_check(ff_unfolder_step(u->unfolder, BUDGET, &u->flat, &err), &err);
  }
  ff_unfolder_free(u->unfolder);
  u->unfolder = NULL;
  *out = u;
  UNPROTECT(2);
  return holder;
}

static ffi_petri_unfolded *unfolded_of(SEXP pointer) { return ffi_held(pointer, "an unfolded net"); }

/* Returns an external pointer to the net that `model` stands for. `until` is NULL, or a condition that ends trajectories. */
SEXP ffi_petri_flatten(SEXP model, SEXP until) {
  ffi_petri_unfolded *u;
  return ffi_petri_unfold(model, until == R_NilValue ? NULL : ffi_text(until, "until"), &u);
}

/* ---- what a net becomes ------------------------------------------------------------------------------------------------------
 * */

/* The transitions that have no binding, numbered from 1. */
static SEXP never_of(const ff_petri_flat *flat) {
  SEXP out = Rf_allocVector(INTSXP, flat->n_never);
  for (uint32_t i = 0; i < flat->n_never; i++) INTEGER(out)[i] = (int)flat->never[i] + 1;
  return out;
}

/* The same; pointer: of ffi_petri_flatten(). */
SEXP ffi_petri_never(SEXP pointer) { return never_of(unfolded_of(pointer)->flat); }

/* Returns list(n_places, n_continuous, n_families, kinds, never): the numbers of places, of continuous ones and of families, the
 * number of transitions of each kind, and those of never_of(). */
SEXP ffi_petri_sizes(SEXP model) {
  static const char *const names[] = {"n_places", "n_continuous", "n_families", "kinds", "never"};
  ffi_petri_unfolded *u;
  PROTECT(ffi_petri_unfold(model, NULL, &u));
  const ff_petri_flat *flat = u->flat;
  double continuous = 0;
  SEXP out = PROTECT(ffi_list(5, names)), kinds = Rf_allocVector(REALSXP, FF_PETRI_KINDS_COUNT);
  ffi_set(out, "kinds", kinds);
  for (int k = 0; k < FF_PETRI_KINDS_COUNT; k++) REAL(kinds)[k] = 0;
  for (uint32_t f = 0; f < flat->n_families; f++) REAL(kinds)[flat->family[f].kind] += flat->family[f].n;
  for (uint32_t p = 0; p < flat->n_places; p++) continuous += flat->continuous[p];
  ffi_set(out, "n_places", Rf_ScalarReal(flat->n_places));
  ffi_set(out, "n_continuous", Rf_ScalarReal(continuous));
  ffi_set(out, "n_families", Rf_ScalarReal(flat->n_families));
  ffi_set(out, "never", never_of(flat));
  UNPROTECT(2);
  return out;
}

/* The names of all flat places, then of all variables. The caller PROTECTs them. */
static SEXP names_of(const ff_petri_flat *flat) {
  char name[FFI_PETRI_NAME];
  SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)flat->n_places + flat->n_variables));
  for (uint32_t p = 0; p < flat->n_places; p++) {
    if (p % (1u << 16) == 0) R_CheckUserInterrupt();
    ff_petri_place_name(name, sizeof name, flat, p, ",");
    SET_STRING_ELT(out, p, Rf_mkCharCE(name, CE_UTF8));
  }
  for (uint32_t v = 0; v < flat->n_variables; v++) {
    ff_petri_variable_name(name, sizeof name, flat, v);
    SET_STRING_ELT(out, (R_xlen_t)flat->n_places + v, Rf_mkCharCE(name, CE_UTF8));
  }
  UNPROTECT(1);
  return out;
}

/* Reads a name as a flat place, such as Ca[3,5], as a place with all its colours, or as a variable: `n` numbers from `first`. */
static int find(const ff_petri_flat *flat, const char *name, uint32_t *first, uint32_t *n) {
  const ff_petri *net = flat->net;
  const size_t length = strlen(name);
  const uint32_t p = ff_petri_place_number(net, name, length), v = ff_petri_variable_number(net, name, length);
  if (p != FF_PETRI_NONE) {
    *first = flat->first[p];
    *n = flat->first[p + 1] - flat->first[p];
    return 1;
  }
  *n = 1;
  if (v != FF_PETRI_NONE) {
    *first = flat->n_places + v;
    return 1;
  }
  const int64_t place = ff_petri_find_place(flat, name, length);
  if (place < 0) return 0;
  *first = (uint32_t)place;
  return 1;
}

/* For each name, list(first, n): the numbers, from 1, of the flat places and variables that it stands for; NA if there are none.
 * */
SEXP ffi_petri_observed(SEXP pointer, SEXP names) {
  static const char *const elements[] = {"first", "n"};
  const ff_petri_flat *flat = unfolded_of(pointer)->flat;
  const char **name = ffi_texts(names, -1, 0, FFI_ARGUMENT, "observe", "names of places and variables");
  const R_xlen_t n = Rf_xlength(names);
  SEXP out = PROTECT(ffi_list(2, elements)), first = Rf_allocVector(REALSXP, n);
  SET_VECTOR_ELT(out, 0, first);
  SEXP count = Rf_allocVector(REALSXP, n);
  SET_VECTOR_ELT(out, 1, count);
  for (R_xlen_t i = 0; i < n; i++) {
    uint32_t at, some;
    const int found = find(flat, name[i], &at, &some);
    REAL(first)[i] = found ? at + 1.0 : NA_REAL;
    REAL(count)[i] = found ? some : NA_REAL;
  }
  UNPROTECT(1);
  return out;
}

/* A column for component k of the colours of some flat places: whole numbers, or texts if one of them is a name. */
static SEXP component(const ff_petri_flat *flat, const uint32_t *observed, R_xlen_t n, const uint32_t *of, uint32_t k) {
  const ff_petri *net = flat->net;
  int64_t tuple[FF_COLOUR_MAX_WIDTH];
  SEXP out = R_NilValue;
  for (int text = 0; text < 2; text++) {
    int has_names = 0;
    out = PROTECT(Rf_allocVector(text ? STRSXP : INTSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
      const uint32_t set = of[i] == FF_PETRI_NONE ? FF_PETRI_NONE : net->place[of[i]].set;
      const int has = set != FF_PETRI_NONE && k < ff_colours_width(net->colours[set]);
      if (has) ff_colours_at(net->colours[set], observed[i] - flat->first[of[i]], tuple);
      if (text && has && tuple[k] >= FF_COLOUR_NAMES) {
        SET_STRING_ELT(out, i, Rf_mkCharCE(net->colour[tuple[k] - FF_COLOUR_NAMES], CE_UTF8));
      } else if (text) {
        char digits[24];
        snprintf(digits, sizeof digits, "%lld", has ? (long long)tuple[k] : 0);
        SET_STRING_ELT(out, i, has ? Rf_mkChar(digits) : NA_STRING);
      } else {
        has_names |= has && (tuple[k] > INT32_MAX || tuple[k] <= INT32_MIN);
        INTEGER(out)[i] = has && !has_names ? (int)tuple[k] : NA_INTEGER;
      }
    }
    UNPROTECT(1);
    if (!has_names) break;
  }
  return out;
}

/* Describes observed quantities, numbers from 1: list(name, place, component...), with a column for each component of colours,
 * which has NA where a place has fewer. `name` is that of the flat place, `place` that of the place or variable. */
SEXP ffi_petri_cells(SEXP pointer, SEXP numbers) {
  const ff_petri_flat *flat = unfolded_of(pointer)->flat;
  const ff_petri *net = flat->net;
  const uint32_t *observed = ffi_nodes(numbers, -1, "observed", flat->n_places + net->n_variables);
  const R_xlen_t n = Rf_xlength(numbers);
  uint32_t *of = (uint32_t *)R_alloc((size_t)n + 1, sizeof *of), width = 0, place = 0;
  for (R_xlen_t i = 0; i < n; i++) {
    of[i] = FF_PETRI_NONE;
    if (observed[i] >= flat->n_places) continue;
    if (observed[i] < flat->first[place]) place = 0;
    while (observed[i] >= flat->first[place + 1]) place++;
    of[i] = place;
    const uint32_t set = net->place[place].set, w = set == FF_PETRI_NONE ? 0 : ff_colours_width(net->colours[set]);
    if (w > width) width = w;
  }
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2 + (R_xlen_t)width)), name = Rf_allocVector(STRSXP, n);
  SET_VECTOR_ELT(out, 0, name);
  SEXP family = Rf_allocVector(STRSXP, n);
  SET_VECTOR_ELT(out, 1, family);
  for (R_xlen_t i = 0; i < n; i++) {
    char text[FFI_PETRI_NAME];
    const int is_place = of[i] != FF_PETRI_NONE;
    const char *own = is_place ? net->place[of[i]].name : net->variable[observed[i] - flat->n_places].name;
    if (is_place) ff_petri_place_name(text, sizeof text, flat, observed[i], ",");
    SET_STRING_ELT(name, i, Rf_mkCharCE(is_place ? text : own, CE_UTF8));
    SET_STRING_ELT(family, i, Rf_mkCharCE(own, CE_UTF8));
  }
  for (uint32_t k = 0; k < width; k++) SET_VECTOR_ELT(out, 2 + (R_xlen_t)k, component(flat, observed, n, of, k));
  UNPROTECT(1);
  return out;
}

/* The names of the transitions of the unfolded net, such as diffuse[1,2,1,3]. */
SEXP ffi_petri_transition_names(SEXP model) {
  ffi_petri_unfolded *u;
  R_xlen_t at = 0;
  PROTECT(ffi_petri_unfold(model, NULL, &u));
  const ff_petri_flat *flat = u->flat;
  SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)flat->n_transitions));
  for (uint32_t f = 0; f < flat->n_families; f++) {
    for (uint32_t i = 0; i < flat->family[f].n; i++) {
      char name[FFI_PETRI_NAME];
      if (at % (1 << 16) == 0) R_CheckUserInterrupt();
      ff_petri_transition_name(name, sizeof name, flat, f, i, ",");
      SET_STRING_ELT(out, at++, Rf_mkCharCE(name, CE_UTF8));
    }
  }
  UNPROTECT(2);
  return out;
}

/* ---- the unfolded net, as a net of R -----------------------------------------------------------------------------------------
 * */

/* The columns of arcs. */
typedef struct {
  SEXP weight; /* texts */
  int *transition, *kind, *place;
  double *value;
  R_xlen_t n;
} arcs;

/* The text of a formula of a family, for transition i: its slots are flat places, and its numbers are written as numbers. */
static void formula_text(SEXP strings, R_xlen_t at, const ff_petri_flat *flat, const ff_petri_family *f, uint32_t i,
                         const ff_formula *formula, SEXP symbols, SEXP holders) {
  ff_error err;
  char *text;
  const uint32_t n = f->n_slots + f->n_numbers, all = n + flat->n_parameters;
  ff_formula *number = (ff_formula *)R_ExternalPtrAddr(VECTOR_ELT(holders, 0));
  const ff_formula **replaced = (const ff_formula **)R_alloc(all + 1, sizeof *replaced);
  char **names = (char **)R_alloc(all + 1, sizeof *names);
  for (uint32_t k = 0; k < all; k++) {
    replaced[k] = NULL;
    names[k] = k < n ? "" : flat->net->parameter[k - n];
  }
  for (uint32_t k = 0; k < f->n_slots; k++)
    names[k] = (char *)(uintptr_t)CHAR(STRING_ELT(symbols, f->slot[(size_t)k * f->n + i]));
  ff_formula_word word = {FF_F_NUMBER, 0, 0};
  ff_formula one = {&word, 1, 1}, *ones = (ff_formula *)R_alloc(f->n_numbers + 1, sizeof *ones);
  ff_formula_word *words = (ff_formula_word *)R_alloc(f->n_numbers + 1, sizeof *words);
  for (uint32_t k = 0; k < f->n_numbers; k++) {
    words[k] = word;
    words[k].number = f->number[(size_t)k * f->n + i];
    ones[k] = one;
    ones[k].word = &words[k];
    replaced[f->n_slots + k] = &ones[k];
  }
  ff_formula_free(number);
  ffi_check(ff_formula_replace(number, formula, replaced, &err), &err);
  ffi_check(ff_formula_text(&text, number, names, &err), &err);
  ffi_set_text(strings, at, text, R_BlankString, VECTOR_ELT(holders, 1));
}

/* Whether a formula of a family is the same for all of its transitions. */
static int is_shared(const ff_petri_family *f, const ff_formula *formula) {
  for (uint32_t k = 0; k < formula->length; k++)
    if (formula->word[k].code == FF_F_SYMBOL && formula->word[k].symbol < f->n_slots + f->n_numbers) return 0;
  return 1;
}

/* The text of the rate of a family without numbers, in which a name in backquotes, the byte 1, the number of a slot and the byte
 * 1, stands for that of a place. NULL if there is none, because there are numbers or few transitions. It is in R's memory. */
static const char *rate_pattern(const ff_petri_flat *flat, const ff_petri_family *f, SEXP holders) {
  ff_error err;
  char *text;
  if (f->n_numbers > 0 || f->n < 8 || f->kind == FF_PETRI_SCHEDULED) return NULL;
  char **names = (char **)R_alloc((size_t)f->n_slots + flat->n_parameters + 1, sizeof *names);
  for (uint32_t k = 0; k < f->n_slots; k++) {
    names[k] = R_alloc(16, 1);
    snprintf(names[k], 16, "\1%u\1", k);
  }
  for (uint32_t k = 0; k < flat->n_parameters; k++) names[f->n_slots + k] = flat->net->parameter[k];
  ffi_check(ff_formula_text(&text, &f->rate, names, &err), &err);
  R_SetExternalPtrAddr(VECTOR_ELT(holders, 1), text);
  char *out = R_alloc(strlen(text) + 1, 1);
  strcpy(out, text);
  ffi_free_text(VECTOR_ELT(holders, 1));
  return out;
}

/* The text of a pattern for transition i. `quoted` has the names of all symbols as formulas have them. */
static SEXP pattern_text(const char *pattern, const ff_petri_family *f, uint32_t i, SEXP quoted) {
  size_t n = 0, size = 256;
  char *buffer = R_alloc(size, 1);
  for (const char *p = pattern; *p != 0;) {
    const char *next = strstr(p, "`\1"), *piece = p;
    size_t length = next == NULL ? strlen(p) : (size_t)(next - p);
    p += length;
    if (next == piece) {
      char *end;
      const SEXP name = STRING_ELT(quoted, f->slot[strtoul(p + 2, &end, 10) * f->n + i]);
      piece = CHAR(name);
      length = (size_t)LENGTH(name);
      p = end + 2; /* behind \1 and the backquote */
    }
    if (n + length > size) {
      char *more = R_alloc(2 * (n + length), 1);
      memcpy(more, buffer, n);
      buffer = more;
      size = 2 * (n + length);
    }
    memcpy(buffer + n, piece, length);
    n += length;
  }
  return Rf_mkCharLenCE(buffer, (int)n, CE_UTF8);
}

/* The names of all symbols as formulas have them. The caller PROTECTs them. */
static SEXP quoted_names(SEXP symbols, SEXP holders) {
  ff_error err;
  ff_formula_word word = {FF_F_SYMBOL, 0, 0};
  const ff_formula one = {&word, 1, 1};
  const R_xlen_t n = Rf_xlength(symbols);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
  for (R_xlen_t k = 0; k < n; k++) {
    char *text, *name = (char *)(uintptr_t)CHAR(STRING_ELT(symbols, k));
    ffi_check(ff_formula_text(&text, &one, &name, &err), &err);
    ffi_set_text(out, k, text, R_BlankString, VECTOR_ELT(holders, 1));
  }
  UNPROTECT(1);
  return out;
}

static int is_set(const ff_petri_flat *flat, uint32_t parameter) {
  for (uint32_t e = 0; e < flat->n_events; e++)
    for (uint32_t i = 0; i < flat->event[e].n_sets; i++)
      if (flat->event[e].sets[i].symbol == flat->n_places + flat->n_variables + parameter) return 1;
  return 0;
}

/* The value of a weight, NaN if it depends on places, the time, or parameters that events set. */
static double weight_value(const ff_petri_flat *flat, const ff_petri_family *f, uint32_t i, const ff_formula *weight) {
  const uint32_t n = f->n_slots + f->n_numbers;
  double *values = (double *)R_alloc((size_t)n + flat->n_parameters + 1, sizeof *values);
  for (uint32_t k = 0; k < weight->length; k++) {
    const uint32_t symbol = weight->word[k].code == FF_F_SYMBOL ? weight->word[k].symbol : n - 1;
    if (weight->word[k].code == FF_F_TIME) return R_NaN;
    if (weight->word[k].code == FF_F_SYMBOL && (symbol < f->n_slots || (symbol >= n && is_set(flat, symbol - n)))) return R_NaN;
  }
  for (uint32_t k = 0; k < f->n_slots; k++) values[k] = 0;
  for (uint32_t k = 0; k < f->n_numbers; k++) values[f->n_slots + k] = f->number[(size_t)k * f->n + i];
  for (uint32_t k = 0; k < flat->n_parameters; k++) values[n + k] = flat->parameter[k];
  return ff_formula_value(weight, values, 0, (double *)R_alloc((size_t)weight->depth + 1, sizeof(double)));
}

static void finalize_formula(SEXP holder) {
  ff_formula *formula = R_ExternalPtrAddr(holder);
  if (formula == NULL) return;
  ff_formula_free(formula);
  free(formula);
  R_ClearExternalPtr(holder);
}

/* What formula_text() needs: a formula that is freed whatever happens, and a text that is. */
static SEXP text_holders(void) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, ffi_pointer(finalize_formula, 0, R_NilValue));
  SET_VECTOR_ELT(out, 1, ffi_pointer(ffi_free_text, 0, R_NilValue));
  ff_formula *formula = ff_calloc(1, sizeof *formula);
  if (formula == NULL) ffi_no_memory("a formula");
  R_SetExternalPtrAddr(VECTOR_ELT(out, 0), formula);
  UNPROTECT(1);
  return out;
}

/* Appends the arcs of transition i of a family, which is number `at`. Weights that are the same for all are those of the
 * transition before. */
static void add_arcs(arcs *a, R_xlen_t at, const ff_petri_flat *flat, const ff_petri_family *f, uint32_t i, SEXP symbols,
                     SEXP holders) {
  for (uint32_t k = 0; k < f->n_arcs; k++, a->n++) {
    const ff_petri_flat_arc *arc = &f->arc[k];
    const R_xlen_t before = a->n - (R_xlen_t)f->n_arcs;
    a->transition[a->n] = (int)at + 1;
    a->kind[a->n] = (int)arc->kind;
    a->place[a->n] = (int)f->slot[(size_t)arc->slot * f->n + i] + 1;
    if (i > 0 && is_shared(f, &arc->weight)) {
      a->value[a->n] = a->value[before];
      SET_STRING_ELT(a->weight, a->n, STRING_ELT(a->weight, before));
      continue;
    }
    a->value[a->n] = arc->weight.length == 0 ? arc->number : weight_value(flat, f, i, &arc->weight);
    if (arc->weight.length > 0)
      formula_text(a->weight, a->n, flat, f, i, &arc->weight, symbols, holders);
    else
      SET_STRING_ELT(a->weight, a->n, Rf_mkChar(ff_show_as_r(arc->number, 17).text));
  }
}

static SEXP transition_columns(const ff_petri_flat *flat, SEXP symbols, SEXP holders, arcs *a) {
  static const char *const names[] = {"name", "of", "number", "mass_action", "begin", "period", "end"};
  const R_xlen_t n = (R_xlen_t)flat->n_transitions;
  static const SEXPTYPE types[] = {STRSXP, INTSXP, STRSXP, LGLSXP, REALSXP, REALSXP, REALSXP};
  SEXP out = PROTECT(ffi_list(7, names)), quoted = PROTECT(quoted_names(symbols, holders));
  R_xlen_t at = 0;
  for (int k = 0; k < 7; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(types[k], n));
  for (uint32_t f = 0; f < flat->n_families; f++) {
    const ff_petri_family *family = &flat->family[f];
    const void *of_family = vmaxget();
    const char *pattern = rate_pattern(flat, family, holders);
    for (uint32_t i = 0; i < family->n; i++, at++) {
      char name[FFI_PETRI_NAME];
      const void *memory = vmaxget();
      if (at % 4096 == 0) R_CheckUserInterrupt();
      ff_petri_transition_name(name, sizeof name, flat, f, i, ",");
      SET_STRING_ELT(VECTOR_ELT(out, 0), at, Rf_mkCharCE(name, CE_UTF8));
      INTEGER(VECTOR_ELT(out, 1))[at] = (int)family->transition + 1;
      if (family->kind == FF_PETRI_SCHEDULED)
        SET_STRING_ELT(VECTOR_ELT(out, 2), at, NA_STRING);
      else if (pattern != NULL)
        SET_STRING_ELT(VECTOR_ELT(out, 2), at, pattern_text(pattern, family, i, quoted));
      else
        formula_text(VECTOR_ELT(out, 2), at, flat, family, i, &family->rate, symbols, holders);
      LOGICAL(VECTOR_ELT(out, 3))[at] = family->mass_action;
      for (int k = 0; k < 3; k++) REAL(VECTOR_ELT(out, 4 + k))[at] = family->kind == FF_PETRI_SCHEDULED ? family->at[k] : NA_REAL;
      add_arcs(a, at, flat, family, i, symbols, holders);
      vmaxset(memory);
    }
    vmaxset(of_family);
  }
  UNPROTECT(2);
  return out;
}

/* The names of all symbols of the flat net. */
static char **symbol_names(const ff_petri_flat *flat, SEXP symbols) {
  const uint32_t n = flat->n_places + flat->n_variables;
  char **names = (char **)R_alloc((size_t)n + flat->n_parameters + 1, sizeof *names);
  for (uint32_t k = 0; k < n; k++) names[k] = (char *)(uintptr_t)CHAR(STRING_ELT(symbols, k));
  for (uint32_t k = 0; k < flat->n_parameters; k++) names[n + k] = flat->net->parameter[k];
  return names;
}

/* The texts of variables. */
static SEXP variable_texts(const ff_petri_flat *flat, SEXP symbols, SEXP holders) {
  ff_error err;
  char **names = symbol_names(flat, symbols);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, flat->n_variables));
  for (uint32_t v = 0; v < flat->n_variables; v++) {
    char *text;
    ffi_check(ff_formula_text(&text, &flat->variable[v], names, &err), &err);
    ffi_set_text(out, v, text, R_BlankString, VECTOR_ELT(holders, 1));
  }
  UNPROTECT(1);
  return out;
}

/* The condition of ffi_petri_flatten() as a text in which the names of flat places are quoted, as reaction networks read them. */
SEXP ffi_petri_condition(SEXP pointer) {
  ff_error err;
  char *text;
  const ff_petri_flat *flat = unfolded_of(pointer)->flat;
  const uint32_t named = flat->net->n_variables, n = flat->n_places + flat->n_variables;
  SEXP symbols = PROTECT(names_of(flat)), holders = PROTECT(text_holders()), out = PROTECT(Rf_allocVector(STRSXP, 1));
  ff_formula *whole = R_ExternalPtrAddr(VECTOR_ELT(holders, 0));
  const ff_formula **sums = (const ff_formula **)R_alloc((size_t)n + flat->n_parameters + 1, sizeof *sums);
  char **names = (char **)R_alloc((size_t)n + flat->n_parameters + 1, sizeof *names);
  for (uint32_t k = 0; k < n + flat->n_parameters; k++) {
    sums[k] = k < flat->n_places + named || k >= n ? NULL : &flat->variable[k - flat->n_places];
    names[k] = k < n ? (char *)(uintptr_t)CHAR(STRING_ELT(symbols, k)) : flat->net->parameter[k - n];
  }
  ffi_check(ff_formula_replace(whole, &flat->variable[named - 1], sums, &err), &err);
  ffi_check(ff_formula_text(&text, whole, names, &err), &err);
  ffi_set_text(out, 0, text, R_BlankString, VECTOR_ELT(holders, 1));
  UNPROTECT(3);
  return out;
}

static SEXP flat_places(const ff_petri_flat *flat) {
  static const char *const names[] = {"continuous", "fixed", "initial", "of"};
  static const SEXPTYPE types[] = {LGLSXP, LGLSXP, REALSXP, INTSXP};
  SEXP out = PROTECT(ffi_list(4, names));
  for (int k = 0; k < 4; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(types[k], flat->n_places));
  for (uint32_t p = 0, of = 0; p < flat->n_places; p++) {
    while (p >= flat->first[of + 1]) of++;
    LOGICAL(VECTOR_ELT(out, 0))[p] = flat->continuous[p];
    LOGICAL(VECTOR_ELT(out, 1))[p] = flat->fixed[p];
    REAL(VECTOR_ELT(out, 2))[p] = flat->initial[p];
    INTEGER(VECTOR_ELT(out, 3))[p] = (int)of + 1;
  }
  UNPROTECT(1);
  return out;
}

/* Returns list(names, places, transitions, arcs, variables, events): the names of places and variables; of places, `continuous`,
 * `fixed`, `initial` and the number of the place that has them; of transitions, `name`, `of` (the transition of the net),
 * `number` (text), `mass_action`, `begin`, `period` and `end`; of arcs, `transition`, `kind` (an ff_petri_arc_kind), `place`,
 * `weight` (text) and `value` (that of the weight, NaN if it depends on places or events); the texts of variables; and what
 * ffi_events_list() returns. Fails if there are more than 2^31 - 1 of anything. */
SEXP ffi_petri_unfolded_list(SEXP model) {
  static const char *const names[] = {"names", "places", "transitions", "arcs", "variables", "events"};
  static const char *const of_arcs[] = {"transition", "kind", "place", "weight", "value"};
  ff_error err;
  ffi_petri_unfolded *u;
  PROTECT(ffi_petri_unfold(model, NULL, &u));
  const ff_petri_flat *flat = u->flat;
  uint64_t n = 0;
  for (uint32_t f = 0; f < flat->n_families; f++) n += (uint64_t)flat->family[f].n * flat->family[f].n_arcs;
  if (n > INT32_MAX || flat->n_transitions > INT32_MAX)
    ffi_check(ff_error_set(&err, FF_ESIZE,
                           "the unfolded net has %llu arcs and %llu transitions; a data frame has at most "
                           "2^31 - 1 rows",
                           (unsigned long long)n, (unsigned long long)flat->n_transitions),
              &err);
  SEXP out = PROTECT(ffi_list(6, names)), holders = PROTECT(text_holders()), columns = PROTECT(ffi_list(5, of_arcs));
  SEXP symbols = names_of(flat);
  ffi_set(out, "names", symbols);
  static const SEXPTYPE types[] = {INTSXP, INTSXP, INTSXP, STRSXP, REALSXP};
  for (int k = 0; k < 5; k++) SET_VECTOR_ELT(columns, k, Rf_allocVector(types[k], (R_xlen_t)n));
  arcs a = {VECTOR_ELT(columns, 3), INTEGER(VECTOR_ELT(columns, 0)), INTEGER(VECTOR_ELT(columns, 1)),
            INTEGER(VECTOR_ELT(columns, 2)), REAL(VECTOR_ELT(columns, 4)), 0};
  ffi_set(out, "places", flat_places(flat));
  ffi_set(out, "transitions", transition_columns(flat, symbols, holders, &a));
  ffi_set(out, "arcs", columns);
  ffi_set(out, "variables", variable_texts(flat, symbols, holders));
  ffi_set(out, "events", ffi_events_list(flat->event, flat->n_events, symbol_names(flat, symbols)));
  UNPROTECT(4);
  return out;
}

/* ---- what transitions, variables and events read ------------------------------------------------------------------------ */

/* Marks the slots that a formula of a family names. */
static void mark_slots(int *used, const ff_petri_family *f, const ff_formula *formula) {
  for (uint32_t k = 0; k < formula->length; k++)
    if (formula->word[k].code == FF_F_SYMBOL && formula->word[k].symbol < f->n_slots) used[formula->word[k].symbol] = 1;
}

/* The symbols that the transitions of a family read. Without columns, only counts them. */
static R_xlen_t reads_of_family(const ff_petri_family *f, R_xlen_t first, SEXP transition, SEXP symbol, R_xlen_t at) {
  const void *memory = vmaxget();
  int *used = (int *)R_alloc((size_t)f->n_slots + 1, sizeof *used);
  memset(used, 0, f->n_slots * sizeof *used);
  mark_slots(used, f, &f->rate);
  for (uint32_t k = 0; k < f->n_arcs; k++) mark_slots(used, f, &f->arc[k].weight);
  for (uint32_t k = 0; k < f->n_slots; k++) {
    for (uint32_t i = 0; used[k] && i < f->n; i++, at++) {
      if (transition == NULL) continue;
      REAL(transition)[at] = (double)(first + i) + 1;
      REAL(symbol)[at] = f->slot[(size_t)k * f->n + i] + 1.0;
    }
  }
  vmaxset(memory);
  return at;
}

static void mark_symbols(int *used, uint32_t symbols, const ff_formula *formula) {
  for (uint32_t k = 0; k < formula->length; k++)
    if (formula->word[k].code == FF_F_SYMBOL && formula->word[k].symbol < symbols) used[formula->word[k].symbol] = 1;
}

/* For each place and variable, whether an event names it (`sets` is 0) or sets it. */
static SEXP of_events(const ff_petri_flat *flat, uint32_t symbols, int sets) {
  SEXP out = PROTECT(Rf_allocVector(LGLSXP, symbols));
  int *used = LOGICAL(out);
  for (uint32_t k = 0; k < symbols; k++) used[k] = 0;
  for (uint32_t e = 0; e < flat->n_events; e++) {
    const ff_event *event = &flat->event[e];
    if (!sets) {
      mark_symbols(used, symbols, &event->trigger);
      mark_symbols(used, symbols, &event->delay);
      mark_symbols(used, symbols, &event->priority);
    }
    for (uint32_t i = 0; i < event->n_sets; i++) {
      if (sets && event->sets[i].symbol < symbols) used[event->sets[i].symbol] = 1;
      if (sets) continue;
      mark_symbols(used, symbols, &event->sets[i].value);
      mark_symbols(used, symbols, &event->sets[i].factor);
    }
  }
  UNPROTECT(1);
  return out;
}

/* Returns list(transition, symbol, variable, of, event, set), numbers from 1: transition `transition` of the unfolded net has a
 * rate or a weight that names the place or variable `symbol`, and the formula of variable `variable` names `of` (NA for other
 * words). `event` and `set` tell of each place and variable whether events name and set it. */
SEXP ffi_petri_reads(SEXP model) {
  static const char *const names[] = {"transition", "symbol", "variable", "of", "event", "set"};
  ffi_petri_unfolded *u;
  PROTECT(ffi_petri_unfold(model, NULL, &u));
  const ff_petri_flat *flat = u->flat;
  const uint32_t symbols = flat->n_places + flat->n_variables;
  R_xlen_t n = 0, first = 0, at = 0, of_variables = 0;
  for (uint32_t f = 0; f < flat->n_families; f++) n = reads_of_family(&flat->family[f], 0, NULL, NULL, n);
  for (uint32_t v = 0; v < flat->n_variables; v++) of_variables += flat->variable[v].length;
  SEXP out = PROTECT(ffi_list(6, names));
  for (int k = 0; k < 4; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, k < 2 ? n : of_variables));
  for (int sets = 0; sets < 2; sets++) SET_VECTOR_ELT(out, 4 + sets, of_events(flat, symbols, sets));
  for (uint32_t f = 0; f < flat->n_families; first += flat->family[f].n, f++)
    at = reads_of_family(&flat->family[f], first, VECTOR_ELT(out, 0), VECTOR_ELT(out, 1), at);
  at = 0;
  for (uint32_t v = 0; v < flat->n_variables; v++) {
    for (uint32_t k = 0; k < flat->variable[v].length; k++, at++) {
      const ff_formula_word *word = &flat->variable[v].word[k];
      const int is_read = word->code == FF_F_SYMBOL && word->symbol < symbols;
      REAL(VECTOR_ELT(out, 2))[at] = v + 1.0;
      REAL(VECTOR_ELT(out, 3))[at] = is_read ? word->symbol + 1.0 : NA_REAL;
    }
  }
  UNPROTECT(2);
  return out;
}
