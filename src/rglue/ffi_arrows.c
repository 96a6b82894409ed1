/* Components of a graph that R gives as a list of arrows. */
#include "ffi_arrows.h"

#include "ffi_values.h"

void ffi_take_components(ff_components *found, uint32_t n_nodes, SEXP component, SEXP size, SEXP cyclic) {
  for (uint32_t i = 0; i < n_nodes; i++) INTEGER(component)[i] = (int)found->component[i] + 1;
  for (uint32_t i = 0; i < found->n_components; i++) {
    INTEGER(size)[i] = (int)found->size[i];
    LOGICAL(cyclic)[i] = found->cyclic[i];
  }
  ff_graph_components_free(found);
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
  ffi_take_components(found, (uint32_t)n, component, size, cyclic);
  ffi_set(out, "component", component);
  ffi_set(out, "size", Rf_xlengthgets(size, number));
  ffi_set(out, "cyclic", Rf_xlengthgets(cyclic, number));
  UNPROTECT(4);
  return out;
}
