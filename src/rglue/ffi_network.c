/* What R asks about a network: whether it is valid, the parents and truth tables of its predictor functions, and which nodes are
 * held or inputs. Quoted names, and seeds of several runs derived from one seed, are here too. */
#include "../base/ff_philox.h"
#include "../pbn/reduce/ff_reduce.h"
#include "../pbn/ff_pbn_engine.h"
#include "ffi_values.h"

#include <stdlib.h>
#include <string.h>

/* Returns list(nodes, functions, parents, max_functions, max_parents, density), all numbers. Raises an error if the network is
 * invalid. */
SEXP ffi_pbn_check(SEXP model) {
  static const char *const names[] = {"nodes", "functions", "parents", "max_functions", "max_parents", "density"};
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  uint32_t functions = pbn->first[pbn->n_nodes], max_functions = 0, max_parents = 0;
  double parents = 0;
  for (uint32_t j = 0; j < functions; j++) {
    uint32_t k = pbn->predictors[j].n_parents;
    parents += k;
    if (k > max_parents) max_parents = k;
  }
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    uint32_t k = pbn->first[i + 1] - pbn->first[i];
    if (k > max_functions) max_functions = k;
  }
  const double values[] = {pbn->n_nodes, functions, parents, max_functions, max_parents, ff_pbn_density(pbn)};
  SEXP out = PROTECT(ffi_numbers(6, names, values));
  UNPROTECT(2);
  return out;
}

/* Returns a list with one integer vector per predictor function, in the order of model$rules: its parents, from 1, ascending. */
SEXP ffi_pbn_parents(SEXP model) {
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  uint32_t functions = pbn->first[pbn->n_nodes];
  SEXP out = PROTECT(Rf_allocVector(VECSXP, functions));
  for (uint32_t j = 0; j < functions; j++) {
    const ff_predictor *predictor = &pbn->predictors[j];
    SEXP parents = Rf_allocVector(INTSXP, predictor->n_parents);
    SET_VECTOR_ELT(out, j, parents);
    for (uint32_t k = 0; k < predictor->n_parents; k++) INTEGER(parents)[k] = (int)predictor->parents[k] + 1;
  }
  UNPROTECT(2);
  return out;
}

/* Returns the truth table of each predictor function over its parents, in ascending order. The first parent is the most
 * significant bit of the row number. */
SEXP ffi_pbn_tables(SEXP model) {
  ff_pbn *pbn;
  ff_error err;
  PROTECT(ffi_pbn_hold(model, &pbn));
  uint32_t functions = pbn->first[pbn->n_nodes];
  SEXP out = PROTECT(Rf_allocVector(VECSXP, functions));
  for (uint32_t j = 0, node = 0; j < functions; j++) {
    const ff_predictor *predictor = &pbn->predictors[j];
    uint32_t n = predictor->n_parents, *table = NULL;
    while (pbn->first[node + 1] <= j) node++;
    if (n > FF_X_MAX_TABLE)
      ffi_check(ff_error_set(&err, FF_ESIZE,
                             "node %s: found a predictor function with %u parents; a truth table takes at most %d",
                             ff_quote(pbn->names[node], strlen(pbn->names[node])).text, n, FF_X_MAX_TABLE),
                &err);
    R_xlen_t rows = (R_xlen_t)1 << n;
    SEXP values = Rf_allocVector(INTSXP, rows);
    SET_VECTOR_ELT(out, j, values);
    ffi_check(ff_expr_table(&predictor->expr, predictor->parents, n, &table, &err), &err);
    for (R_xlen_t row = 0; row < rows; row++) {
      uint32_t turned = 0; /* in the core, the first parent is the least significant bit */
      for (uint32_t k = 0; k < n; k++) turned |= (uint32_t)(row >> k & 1) << (n - 1 - k);
      INTEGER(values)[row] = (int)(table[turned / 32] >> turned % 32 & 1);
    }
    free(table);
  }
  UNPROTECT(2);
  return out;
}

/* Returns the texts of the predictor functions with the nodes renamed. The caller has checked the names. */
SEXP ffi_pbn_renamed(SEXP model, SEXP names) {
  ff_pbn *pbn;
  ff_error err;
  PROTECT(ffi_pbn_hold(model, &pbn));
  const char **given = ffi_texts(names, pbn->n_nodes, 0, FFI_ARGUMENT, "names", "a text for each node");
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    char *copy = ff_strndup(given[i], strlen(given[i]));
    if (copy == NULL) ffi_check(ff_error_set(&err, FF_EMEMORY, "no memory for the names of %u nodes", pbn->n_nodes), &err);
    free(pbn->names[i]);
    pbn->names[i] = copy;
  }
  SEXP list = PROTECT(ffi_pbn_list(pbn)); /* nodes, rules (node, predictor, probability), ... */
  SEXP texts = VECTOR_ELT(VECTOR_ELT(list, 1), 1);
  UNPROTECT(2);
  return texts;
}

/* Returns list(held, input): one flag per node, as computed by ff_pbn_held() and ff_pbn_inputs(). The value of a held node is its
 * initial one. */
SEXP ffi_pbn_roles(SEXP model) {
  static const char *const names[] = {"held", "input"};
  ff_pbn *pbn;
  ff_error err;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP out = PROTECT(ffi_list(2, names));
  for (int i = 0; i < 2; i++) SET_VECTOR_ELT(out, i, Rf_allocVector(LGLSXP, pbn->n_nodes));
  int8_t *held = (int8_t *)R_alloc(pbn->n_nodes, 1);
  uint8_t *input = (uint8_t *)R_alloc(pbn->n_nodes, 1);
  ffi_check(ff_pbn_held(held, pbn, &err), &err);
  ffi_check(ff_pbn_inputs(input, pbn, &err), &err);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    LOGICAL(VECTOR_ELT(out, 0))[i] = held[i] >= 0;
    LOGICAL(VECTOR_ELT(out, 1))[i] = input[i];
  }
  UNPROTECT(2);
  return out;
}

/* Whether the long run is certain not to depend on the initial states. */
SEXP ffi_pbn_forgets(SEXP model) {
  ff_pbn *pbn;
  ff_error err;
  ff_pbn_program *program = NULL;
  PROTECT(ffi_pbn_hold(model, &pbn));
  ffi_check(ff_pbn_program_new(&program, pbn, NULL, FF_LAYOUT_AUTO, &err), &err);
  int forgets = ff_pbn_program_forgets(program);
  ff_pbn_program_free(program);
  UNPROTECT(1);
  return Rf_ScalarLogical(forgets);
}

/* Returns the names as they appear in an expression: in quotes if the grammar requires them. */
SEXP ffi_quote_names(SEXP names) {
  R_xlen_t n = Rf_xlength(ffi_typed(names, STRSXP, -1, FFI_ARGUMENT, "names", "texts"));
  SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
  for (R_xlen_t i = 0; i < n; i++) {
    const void *mark = vmaxget();
    const char *name = Rf_translateCharUTF8(STRING_ELT(names, i)), *quote = ff_name_quote(name);
    size_t size = strlen(name) + 3;
    char *text = R_alloc(size, 1);
    snprintf(text, size, "%s%s%s", quote, name, quote);
    SET_STRING_ELT(out, i, Rf_mkCharCE(text, CE_UTF8));
    vmaxset(mark);
  }
  UNPROTECT(1);
  return out;
}

/* Returns the seed of run number `run`, derived from `seed`. Both are whole numbers up to 2^53. */
SEXP ffi_derived_seed(SEXP seed, SEXP run) {
  return Rf_ScalarReal((double)ff_philox_seed(ffi_count(seed, "seed", FFI_MOST), ffi_count(run, "run", FFI_MOST)));
}
