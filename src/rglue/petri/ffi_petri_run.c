/* Ensembles of Petri nets. ffi_ensemble.c does the rest. */
#include <stdlib.h>
#include <string.h>

#include "../../petri/ff_petri_engine.h"
#include "../ffi_ensemble.h"
#include "ffi_petri.h"

typedef struct {
  SEXP unfolded; /* what the program borrows; preserved */
  ff_petri_program *program;
  ff_petri_method method;
  uint8_t *varies; /* for each place, variable and parameter of the unfolded net: whether trajectories may differ in it */
} held;

static void release(void *own) {
  held *h = own;
  if (h == NULL) return;
  ff_petri_program_free(h->program);
  free(h->varies);
  if (h->unfolded != NULL) R_ReleaseObject(h->unfolded);
  free(h);
}

/* The number of a text among n names. */
static int choice_of(SEXP options, const char *name, const char *const *names, int n) {
  ff_error err;
  const char *text = ffi_text(ffi_element(options, name), name);
  for (int i = 0; i < n; i++)
    if (strcmp(names[i], text) == 0) return i;
  ff_error_set(&err, FF_EARGUMENT, "`%s` must be one of \"%s\" and others; found %s", name, names[0],
               ff_quote(text, strlen(text)).text);
  ffi_stop(&err);
  return 0;
}

enum { AUTO = FF_PETRI_METHODS, PAPER, METHODS };
static const char *const methods[] = {"exact", "windows", "auto", "paper"};

static ff_petri_options options_of(SEXP options) {
  static const char *const semantics[] = {"adaptive", "bio"};
  static const char *const integrators[] = {"auto", "dormand_prince", "rosenbrock", "cvode"};
  return (ff_petri_options){.semantics = (ff_petri_semantics)choice_of(options, "semantics", semantics, 2),
                            .integrator = (ff_petri_integrator)choice_of(options, "integrator", integrators, 4),
                            .paper = choice_of(options, "method", methods, METHODS) == PAPER,
                            .relative = ffi_number(ffi_element(options, "relative"), "relative"),
                            .absolute = ffi_number(ffi_element(options, "absolute"), "absolute")};
}

/* Marks what may vary: places that a transition or an event changes, parameters that events set, and variables of these or of the
 * time. */
static void mark_varying(uint8_t *varies, const ff_petri_flat *flat) {
  for (uint32_t e = 0; e < flat->n_events; e++)
    for (uint32_t i = 0; i < flat->event[e].n_sets; i++) varies[flat->event[e].sets[i].symbol] = 1;
  for (uint32_t f = 0; f < flat->n_families; f++) {
    const ff_petri_family *family = &flat->family[f];
    for (uint32_t a = 0; a < family->n_arcs; a++) {
      const ff_petri_arc_kind kind = family->arc[a].kind;
      if (kind != FF_ARC_IN && kind != FF_ARC_OUT && kind != FF_ARC_RESET) continue;
      const uint32_t *slot = family->slot + (size_t)family->arc[a].slot * family->n;
      for (uint32_t i = 0; i < family->n; i++) varies[slot[i]] |= !flat->fixed[slot[i]];
    }
  }
  for (uint32_t k = 0; k < flat->n_variables; k++) {
    const uint32_t v = flat->order[k];
    const ff_formula *formula = &flat->variable[v];
    int moves = ff_formula_has_time(formula);
    for (uint32_t i = 0; i < formula->length; i++)
      if (formula->word[i].code == FF_F_SYMBOL) moves |= varies[formula->word[i].symbol];
    varies[flat->n_places + v] = (uint8_t)moves;
  }
}

/* The option `flat` is the pointer of ffi_petri_flatten(), for this model and the option `until`; NULL to unfold the net here. */
static const void *make(ffi_ensemble *ensemble, SEXP model, SEXP options, uint64_t seed, ff_run_options *o) {
  ff_error err;
  SEXP pointer = ffi_element(options, "flat"), condition = ffi_element(options, "until");
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("an ensemble");
  *ffi_ensemble_own(ensemble) = h;
  ffi_petri_unfolded *u;
  if (pointer == R_NilValue)
    pointer = ffi_petri_unfold(model, condition == R_NilValue ? NULL : ffi_text(condition, "until"), &u);
  else
    u = ffi_held(pointer, "an unfolded net");
  PROTECT(pointer);
  R_PreserveObject(pointer);
  h->unfolded = pointer;
  const ff_petri_flat *flat = u->flat;
  const uint32_t named = u->net->n_variables - (condition != R_NilValue); /* the condition is the last variable */
  const ff_petri_options own = options_of(options);
  h->varies = ff_calloc((size_t)flat->n_places + flat->n_variables + flat->n_parameters, 1);
  if (h->varies == NULL) ffi_no_memory("an ensemble");
  mark_varying(h->varies, flat);
  ffi_check(ff_petri_program_new(&h->program, flat, &own, &err), &err);
  ffi_ensemble_observe(ensemble, options, flat->n_places + named);
  const ff_formula *until = condition != R_NilValue ? &h->program->observer[named] : NULL;
  *o = ffi_ensemble_options(ensemble, options, seed, until, flat->n_places);
  const int method = choice_of(options, "method", methods, METHODS);
  if (method < FF_PETRI_METHODS)
    h->method = (ff_petri_method)method;
  else if (method == AUTO)
    ffi_check(ff_petri_method_of(&h->method, h->program, o, &err), &err);
  o->method = h->method;
  UNPROTECT(1);
  return h->program;
}

/* Returns list(method, varies): `varies` tells for each observed quantity whether a transition may change it. */
static SEXP describe(const void *own, const uint32_t *observed, uint32_t n) {
  static const char *const names[] = {"method", "varies"};
  const held *h = own;
  SEXP out = PROTECT(ffi_list(2, names)), varies = Rf_allocVector(LGLSXP, n);
  ffi_set(out, "varies", varies);
  for (uint32_t j = 0; j < n; j++) LOGICAL(varies)[j] = h->varies[observed[j]];
  ffi_set(out, "method", Rf_mkString(methods[h->program->options.paper ? PAPER : (int)h->method]));
  UNPROTECT(1);
  return out;
}

static const ffi_engine engine = {&ff_petri_engine, FF_PETRI_INTERFACE, make, release, describe};

/* As ffi_ensemble_make() and ffi_sweep_make(), for Petri nets. The options also have `relative` and `absolute` (tolerances),
 * `integrator`, `semantics` and `flat`; their `method` is "auto", "exact" or "paper". */
SEXP ffi_petri_new(SEXP model, SEXP options) { return ffi_ensemble_make(&engine, model, options); }

SEXP ffi_petri_sweep(SEXP models, SEXP seeds, SEXP options) { return ffi_sweep_make(&engine, models, seeds, options); }
