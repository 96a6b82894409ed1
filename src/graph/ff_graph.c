/* The only file that uses the igraph C library, versions 0.10 and 1.0.
 *
 * igraph's default error handler ends the process. So every call runs under a handler that returns, and the old handler is
 * restored afterwards. If igraph was built with IGRAPH_THREAD_SAFE, each thread has its own handler. Otherwise the process
 * has one handler, and only one thread at a time may call this file. R's interface calls it from R's thread only.
 */
#include "ff_graph.h"

#include <igraph.h>
#include <stdlib.h>
#include <string.h>

#if IGRAPH_VERSION_MAJOR >= 1
typedef igraph_int_t ff_igraph_int;
#else
typedef igraph_integer_t ff_igraph_int;
#endif

static ff_status igraph_failed(igraph_error_t code, ff_error *err) {
  if (code == IGRAPH_ENOMEM) return ff_error_set(err, FF_EMEMORY, "no memory for the dependency graph");
  return ff_error_set(err, FF_EINTERNAL, "the igraph library failed: %s", igraph_strerror(code));
}

/* Makes a graph of n vertices. If this returns IGRAPH_SUCCESS, the caller must destroy the graph. */
static igraph_error_t make_graph(igraph_t *graph, uint32_t n, const uint32_t *from, const uint32_t *to, size_t arrows) {
  igraph_vector_int_t ends;
  igraph_error_t code = igraph_vector_int_init(&ends, (ff_igraph_int)(2 * arrows));
  if (code != IGRAPH_SUCCESS) return code;
  for (size_t a = 0; a < arrows; a++) {
    VECTOR(ends)[2 * a] = (ff_igraph_int)from[a];
    VECTOR(ends)[2 * a + 1] = (ff_igraph_int)to[a];
  }
  code = igraph_create(graph, &ends, (ff_igraph_int)n, IGRAPH_DIRECTED);
  igraph_vector_int_destroy(&ends);
  return code;
}

/* Finds the component of each node by igraph's numbers, whose order igraph does not document. */
static igraph_error_t find_components(uint32_t *member, uint32_t *count, uint32_t n, const uint32_t *from,
                                      const uint32_t *to, size_t arrows) {
  igraph_t graph;
  igraph_vector_int_t membership;
  ff_igraph_int number = 0;
  igraph_error_t code = igraph_vector_int_init(&membership, 0);
  if (code != IGRAPH_SUCCESS) return code;
  code = make_graph(&graph, n, from, to, arrows);
  if (code == IGRAPH_SUCCESS) {
    code = igraph_connected_components(&graph, &membership, NULL, &number, IGRAPH_STRONG);
    if (code == IGRAPH_SUCCESS)
      for (uint32_t i = 0; i < n; i++) member[i] = (uint32_t)VECTOR(membership)[i];
    igraph_destroy(&graph);
  }
  igraph_vector_int_destroy(&membership);
  *count = (uint32_t)number;
  return code;
}

/* Sets rank[c] to the position of vertex c in a topological order of an acyclic graph. */
static igraph_error_t find_ranks(uint32_t *rank, uint32_t n, const uint32_t *from, const uint32_t *to, size_t arrows) {
  igraph_t graph;
  igraph_vector_int_t sorted;
  igraph_error_t code = igraph_vector_int_init(&sorted, 0);
  if (code != IGRAPH_SUCCESS) return code;
  code = make_graph(&graph, n, from, to, arrows);
  if (code == IGRAPH_SUCCESS) {
    code = igraph_topological_sorting(&graph, &sorted, IGRAPH_OUT);
    if (code == IGRAPH_SUCCESS)
      for (uint32_t k = 0; k < n; k++) rank[VECTOR(sorted)[k]] = k;
    igraph_destroy(&graph);
  }
  igraph_vector_int_destroy(&sorted);
  return code;
}

/* Renumbers the components so that arrows go from low to high. `ends` has room for two numbers per arrow, `rank` for one per
 * node. */
static igraph_error_t sort_components(ff_components *c, uint32_t n, const uint32_t *from, const uint32_t *to, size_t arrows,
                                      uint32_t *ends, uint32_t *rank) {
  uint32_t *tails = ends, *heads = ends + arrows;
  size_t between = 0;
  for (size_t a = 0; a < arrows; a++) {
    uint32_t tail = c->component[from[a]], head = c->component[to[a]];
    if (tail == head) continue;
    tails[between] = tail;
    heads[between++] = head;
  }
  igraph_error_t code = find_ranks(rank, c->n_components, tails, heads, between);
  for (uint32_t i = 0; i < n && code == IGRAPH_SUCCESS; i++) c->component[i] = rank[c->component[i]];
  return code;
}

static ff_components *new_components(uint32_t n) {
  ff_components *c = ff_calloc(1, sizeof *c);
  if (!c) return NULL;
  c->component = ff_calloc(n, sizeof *c->component);
  c->size = ff_calloc(n, sizeof *c->size);
  c->cyclic = ff_calloc(n, sizeof *c->cyclic);
  if (c->component && c->size && c->cyclic) return c;
  ff_graph_components_free(c);
  return NULL;
}

/* Sets the sizes of the components and which of them have a cycle. */
static void describe_components(ff_components *c, uint32_t n, const uint32_t *from, const uint32_t *to, size_t arrows) {
  for (uint32_t i = 0; i < n; i++) c->size[c->component[i]]++;
  for (size_t a = 0; a < arrows; a++)
    if (from[a] == to[a]) c->cyclic[c->component[from[a]]] = 1;
  for (uint32_t k = 0; k < c->n_components; k++)
    if (c->size[k] > 1) c->cyclic[k] = 1;
}

ff_status ff_graph_components(ff_components **out, uint32_t n, const uint32_t *from, const uint32_t *to, size_t arrows,
                              ff_error *err) {
  *out = NULL;
  ff_components *c = new_components(n);
  uint32_t *ends = ff_calloc(arrows, 2 * sizeof *ends), *rank = ff_calloc(n, sizeof *rank);
  ff_status status = FF_OK;
  if (!c || !ends || !rank) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for the components of %u nodes", n);
  } else {
#if IGRAPH_VERSION_MAJOR >= 1
    igraph_setup();
#endif
    igraph_error_handler_t *before = igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_error_t code = find_components(c->component, &c->n_components, n, from, to, arrows);
    if (code == IGRAPH_SUCCESS) code = sort_components(c, n, from, to, arrows, ends, rank);
    igraph_set_error_handler(before);
    if (code != IGRAPH_SUCCESS) status = igraph_failed(code, err);
  }
  free(ends);
  free(rank);
  if (status != FF_OK) {
    ff_graph_components_free(c);
    return status;
  }
  describe_components(c, n, from, to, arrows);
  *out = c;
  return FF_OK;
}

void ff_graph_components_free(ff_components *components) {
  if (!components) return;
  free(components->component);
  free(components->size);
  free(components->cyclic);
  free(components);
}
