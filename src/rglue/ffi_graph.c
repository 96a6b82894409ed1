/* Reduction, and the nodes that state sets name. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/reduce/ff_reduce.h"
#include "ffi_values.h"

/* Returns the nodes that occur in the texts, numbered from 1, in ascending order and without repeats. */
SEXP ffi_set_nodes(SEXP model, SEXP sets) {
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP named = PROTECT(Rf_allocVector(LGLSXP, pbn->n_nodes));
  memset(LOGICAL(named), 0, pbn->n_nodes * sizeof(int));
  const char *const *texts = ffi_sets(sets);
  const uint32_t n_sets = (uint32_t)Rf_xlength(sets);
  ff_expr *parsed = (ff_expr *)R_alloc((size_t)n_sets + 1, sizeof *parsed);
  memset(parsed, 0, ((size_t)n_sets + 1) * sizeof *parsed);
  ff_status status = ffi_parse_sets(parsed, texts, n_sets, pbn, &err);
  for (uint32_t i = 0; i < n_sets; i++) {
    uint32_t *nodes = NULL, n = 0;
    if (status == FF_OK) status = ff_expr_parents(&parsed[i], &nodes, &n, &err);
    for (uint32_t j = 0; j < n; j++) LOGICAL(named)[nodes[j]] = 1;
    free(nodes);
    ff_expr_free(&parsed[i]);
  }
  ffi_check(status, &err);
  int total = 0;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) total += LOGICAL(named)[i];
  SEXP out = PROTECT(Rf_allocVector(INTSXP, total));
  for (uint32_t i = 0, at = 0; i < pbn->n_nodes; i++)
    if (LOGICAL(named)[i]) INTEGER(out)[at++] = (int)i + 1;
  UNPROTECT(3);
  return out;
}

/* Returns TRUE for each node that the reduction keeps if the given nodes (numbered from 1) are of interest. */
SEXP ffi_graph_keep(SEXP model, SEXP of_interest) {
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP out = PROTECT(Rf_allocVector(LGLSXP, pbn->n_nodes));
  const uint32_t *nodes = ffi_nodes(of_interest, -1, "of_interest", pbn->n_nodes), n = (uint32_t)Rf_xlength(of_interest);
  uint8_t *keep = (uint8_t *)R_alloc(pbn->n_nodes > 0 ? pbn->n_nodes : 1, 1);
  ffi_check(ff_pbn_keep(keep, pbn, nodes, n, &err), &err);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) LOGICAL(out)[i] = keep[i];
  UNPROTECT(2);
  return out;
}
