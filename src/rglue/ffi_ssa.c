/* Ensembles of reaction networks: programs, their methods, and what a result tells of them. ffi_ensemble.c does the rest. */
#include <stdlib.h>
#include <string.h>

#include "../ssa/ff_ssa.h"
#include "ffi_ensemble.h"
#include "ffi_values.h"

typedef struct {
  ff_ssa_compiler *compiler; /* until there is a program */
  ff_ssa_program *program;
  ff_formula until;
  ff_ssa_method method;
  double changed; /* as ff_ssa_method_of() */
} held;

static void release(void *own) {
  held *h = own;
  if (h == NULL) return;
  ff_ssa_compiler_free(h->compiler);
  ff_ssa_program_free(h->program);
  ff_formula_free(&h->until);
  free(h);
}

static int method_of(const char *name, ff_ssa_method *method) {
  for (*method = 0; *method < FF_SSA_METHODS; (*method)++)
    if (strcmp(ff_ssa_method_name(*method), name) == 0) return 1;
  return 0;
}

/* Compiles the network, which may take some seconds if it is very large. */
static void compile(held *h, const ff_reactions *net, double start) {
  ff_error err;
  ffi_check(ff_ssa_compiler_new(&h->compiler, net, start, &err), &err);
  while (h->program == NULL) {
    R_CheckUserInterrupt();
    ffi_check(ff_ssa_compiler_step(h->compiler, &h->program, &err), &err);
  }
  ff_ssa_compiler_free(h->compiler);
  h->compiler = NULL;
}

/* The option `method` is a name or "auto". */
static const void *make(ffi_ensemble *ensemble, SEXP model, SEXP options, uint64_t seed, ff_run_options *o) {
  ff_error err;
  ff_reactions *net;
  PROTECT(ffi_reactions_hold(model, &net));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("an ensemble");
  *ffi_ensemble_own(ensemble) = h;
  const char *until = ffi_ensemble_observe(ensemble, options, net->n_species + net->n_variables);
  if (until != NULL) ffi_check(ff_ssa_condition(&h->until, net, until, &err), &err);
  compile(h, net, ffi_number(ffi_element(options, "start"), "start"));
  *o = ffi_ensemble_options(ensemble, options, seed, until != NULL ? &h->until : NULL, net->n_species);
  h->changed = ff_ssa_program_coupling(h->program);
  if (!method_of(ffi_text(ffi_element(options, "method"), "method"), &h->method)) /* "auto" */
    h->method = ff_ssa_method_of(h->program, o, &h->changed);
  o->method = h->method;
  UNPROTECT(1);
  return h->program;
}

/* Returns list(method, coupling, changed, groups, formulas, varies). `changed` is that of ff_ssa_method_of(), or `coupling` if
 * the method was given. `varies` tells for each observed quantity whether a reaction may change it. */
static SEXP describe(const void *own, const uint32_t *observed, uint32_t n) {
  static const char *const names[] = {"method", "coupling", "changed", "groups", "formulas", "varies"};
  const held *h = own;
  SEXP out = PROTECT(ffi_list(6, names)), varies = Rf_allocVector(LGLSXP, n);
  ffi_set(out, "varies", varies);
  for (uint32_t j = 0; j < n; j++) LOGICAL(varies)[j] = ff_ssa_program_changes(h->program, observed[j]);
  ffi_set(out, "method", Rf_mkString(ff_ssa_method_name(h->method)));
  ffi_set(out, "coupling", Rf_ScalarReal(ff_ssa_program_coupling(h->program)));
  ffi_set(out, "changed", Rf_ScalarReal(h->changed));
  ffi_set(out, "groups", Rf_ScalarReal(ff_ssa_program_groups(h->program)));
  ffi_set(out, "formulas", Rf_ScalarReal(ff_ssa_program_formulas(h->program)));
  UNPROTECT(1);
  return out;
}

static const ffi_engine engine = {&ff_ssa_engine, FF_SSA_INTERFACE, make, release, describe};

/* As ffi_ensemble_make() and ffi_sweep_make(), for reaction networks. */
SEXP ffi_ssa_new(SEXP model, SEXP options) { return ffi_ensemble_make(&engine, model, options); }

SEXP ffi_ssa_sweep(SEXP models, SEXP seeds, SEXP options) { return ffi_sweep_make(&engine, models, seeds, options); }

/* Returns list(name, about, cost, exact, whole, gpu) of the methods: what they do, what an event costs, whether they are exact,
 * whether their counts are whole numbers, and whether GPUs have them. */
SEXP ffi_ssa_methods(void) {
  static const char *const names[] = {"name", "about", "cost", "exact", "whole", "gpu"};
  enum { TEXTS = 3, FLAGS = 3 };
  SEXP out = PROTECT(ffi_list(TEXTS + FLAGS, names));
  for (int k = 0; k < TEXTS + FLAGS; k++)
    SET_VECTOR_ELT(out, k, Rf_allocVector(k < TEXTS ? STRSXP : LGLSXP, FF_SSA_METHODS));
  for (int i = 0; i < FF_SSA_METHODS; i++) {
    const ff_ssa_method m = (ff_ssa_method)i;
    const char *const texts[TEXTS] = {ff_ssa_method_name(m), ff_ssa_method_about(m), ff_ssa_method_cost(m)};
    const int flags[FLAGS] = {ff_ssa_method_exact(m), ff_ssa_method_whole(m), ff_ssa_method_on_devices(m)};
    for (int k = 0; k < TEXTS; k++) SET_STRING_ELT(VECTOR_ELT(out, k), i, Rf_mkChar(texts[k]));
    for (int k = 0; k < FLAGS; k++) LOGICAL(VECTOR_ELT(out, TEXTS + k))[i] = flags[k];
  }
  UNPROTECT(1);
  return out;
}
