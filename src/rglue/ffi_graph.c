/* Reduction, and the nodes that state sets name. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/ff_reduce.h"
#include "ffi.h"

/* Returns the nodes that occur in the texts, numbered from 1, in ascending order and without repeats. */
SEXP ffi_set_nodes(SEXP model, SEXP sets) {
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP named = PROTECT(Rf_allocVector(LGLSXP, pbn->n_nodes));
  memset(LOGICAL(named), 0, pbn->n_nodes * sizeof(int));
  const char *const *texts = ffi_texts(sets);
  R_xlen_t n_sets = XLENGTH(sets);
  ff_names *names;
  ffi_check(ff_names_new(&names, pbn->names, pbn->n_nodes, "nodes", &err), &err);
  ff_status status = FF_OK;
  for (R_xlen_t i = 0; i < n_sets && status == FF_OK; i++) {
    ff_expr set = {0};
    uint32_t *nodes = NULL, n = 0;
    status = ff_expr_parse(&set, texts[i], strlen(texts[i]), ff_names_find, names, (ff_place){NULL, 0}, &err);
    if (status == FF_OK) status = ff_expr_parents(&set, &nodes, &n, &err);
    for (uint32_t j = 0; j < n; j++) LOGICAL(named)[nodes[j]] = 1;
    free(nodes);
    ff_expr_free(&set);
  }
  ff_names_free(names);
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
  uint32_t n = (uint32_t)XLENGTH(of_interest);
  uint32_t *nodes = (uint32_t *)R_alloc(n > 0 ? n : 1, sizeof *nodes);
  for (uint32_t i = 0; i < n; i++) nodes[i] = (uint32_t)INTEGER(of_interest)[i] - 1;
  uint8_t *keep = (uint8_t *)R_alloc(pbn->n_nodes > 0 ? pbn->n_nodes : 1, 1);
  ffi_check(ff_pbn_keep(keep, pbn, nodes, n, &err), &err);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) LOGICAL(out)[i] = keep[i];
  UNPROTECT(2);
  return out;
}
