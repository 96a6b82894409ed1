/* Graphs: arrows with their signs, components, reduction, and the nodes that state sets name. */
#include <stdlib.h>
#include <string.h>

#include "../graph/ff_graph.h"
#include "../pbn/reduce/ff_reduce.h"
#include "ffi_values.h"

/* Copies components into vectors that have an element for each node, and frees them. Numbers are from 1. Calls nothing of R that
 * may fail. */
static void take_components(ff_components *found, uint32_t n_nodes, SEXP component, SEXP size, SEXP cyclic) {
  for (uint32_t i = 0; i < n_nodes; i++) INTEGER(component)[i] = (int)found->component[i] + 1;
  for (uint32_t i = 0; i < found->n_components; i++) {
    INTEGER(size)[i] = (int)found->size[i];
    LOGICAL(cyclic)[i] = found->cyclic[i];
  }
  ff_graph_components_free(found);
}

/* Puts such vectors, of which the first n components are filled, into a list. */
static void set_components(SEXP out, SEXP component, SEXP size, SEXP cyclic, uint32_t n) {
  ffi_set(out, "component", component);
  ffi_set(out, "size", Rf_xlengthgets(size, n));
  ffi_set(out, "cyclic", Rf_xlengthgets(cyclic, n));
}

/* Returns the strongly connected components of the graph of `nodes` nodes in which arrow i goes from from[i] to to[i], integers
 * from 1: list(component, size, cyclic), as ffi_pbn_graph(). */
SEXP ffi_arrow_components(SEXP from, SEXP to, SEXP nodes) {
  static const char *const names[] = {"component", "size", "cyclic"};
  ff_error err;
  const int n = ffi_int(nodes, "nodes");
  const uint32_t *first = ffi_nodes(from, -1, "from", (uint32_t)n);
  const uint32_t *second = ffi_nodes(to, Rf_xlength(from), "to", (uint32_t)n);
  /* R's memory is allocated before the core's */
  SEXP component = PROTECT(Rf_allocVector(INTSXP, n)), size = PROTECT(Rf_allocVector(INTSXP, n));
  SEXP cyclic = PROTECT(Rf_allocVector(LGLSXP, n)), out = PROTECT(ffi_list(3, names));
  ff_components *found = NULL;
  ffi_check(ff_graph_components(&found, (uint32_t)n, first, second, (size_t)Rf_xlength(from), &err), &err);
  const uint32_t number = found->n_components;
  take_components(found, (uint32_t)n, component, size, cyclic);
  set_components(out, component, size, cyclic, number);
  UNPROTECT(4);
  return out;
}

/* Returns the arrows of the dependency graph and its components: list(from, to, component, size, cyclic), all from 1. */
SEXP ffi_pbn_graph(SEXP model) {
  static const char *const names[] = {"from", "to", "component", "size", "cyclic"};
  ff_pbn *pbn;
  ff_error err;
  PROTECT(ffi_pbn_hold(model, &pbn));
  double parents = 0;
  for (uint32_t j = 0; j < pbn->first[pbn->n_nodes]; j++) parents += pbn->predictors[j].n_parents;

  /* room for the largest possible number of arrows, so that R cannot jump while the core's arrays are allocated */
  SEXP from = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)parents)), to = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)parents));
  uint32_t *arrow_from = NULL, *arrow_to = NULL;
  size_t n_arrows = 0;
  ffi_check(ff_pbn_arrows(&arrow_from, &arrow_to, &n_arrows, pbn, &err), &err);
  for (size_t i = 0; i < n_arrows; i++) {
    INTEGER(from)[i] = (int)arrow_from[i] + 1;
    INTEGER(to)[i] = (int)arrow_to[i] + 1;
  }
  free(arrow_from);
  free(arrow_to);

  SEXP component = PROTECT(Rf_allocVector(INTSXP, pbn->n_nodes)), size = PROTECT(Rf_allocVector(INTSXP, pbn->n_nodes));
  SEXP cyclic = PROTECT(Rf_allocVector(LGLSXP, pbn->n_nodes));
  ff_components *components = NULL;
  ffi_check(ff_pbn_components(&components, pbn, &err), &err);
  uint32_t n_components = components->n_components;
  take_components(components, pbn->n_nodes, component, size, cyclic);

  SEXP out = PROTECT(ffi_list(5, names));
  ffi_set(out, "from", Rf_xlengthgets(from, (R_xlen_t)n_arrows));
  ffi_set(out, "to", Rf_xlengthgets(to, (R_xlen_t)n_arrows));
  set_components(out, component, size, cyclic, n_components);
  UNPROTECT(7);
  return out;
}

/* Returns the signs of the arrows, in the order of ffi_pbn_graph(): the integers of ff_pbn_signs(). */
SEXP ffi_pbn_signs(SEXP model) {
  ff_pbn *pbn;
  ff_error err;
  PROTECT(ffi_pbn_hold(model, &pbn));
  size_t most = 0;
  for (uint32_t j = 0; j < pbn->first[pbn->n_nodes]; j++) most += pbn->predictors[j].n_parents;
  /* R's memory is allocated before the core's arrays */
  SEXP sign = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)most));
  uint8_t *found = (uint8_t *)R_alloc(most + 1, 1);
  uint32_t *from = NULL, *to = NULL;
  size_t n_arrows = 0;
  ff_status status = ff_pbn_arrows(&from, &to, &n_arrows, pbn, &err);
  if (status == FF_OK) status = ff_pbn_signs(found, pbn, from, to, n_arrows, &err);
  free(from);
  free(to);
  ffi_check(status, &err);
  for (size_t i = 0; i < n_arrows; i++) INTEGER(sign)[i] = found[i];
  SEXP out = Rf_xlengthgets(sign, (R_xlen_t)n_arrows);
  UNPROTECT(2);
  return out;
}

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
