/* Components of graphs as R's vectors. */
#ifndef FFI_ARROWS_H
#define FFI_ARROWS_H

#include "../graph/ff_graph.h"
#include "ffi.h"

/* Copies components into vectors that have an element for each node, and frees them. Numbers are from 1. Calls nothing of R that
 * may fail. */
void ffi_take_components(ff_components *found, uint32_t n_nodes, SEXP component, SEXP size, SEXP cyclic);

#endif
