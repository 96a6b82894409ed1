/* Trajectories: a tile at a time, a step at a time, into R's memory. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/ff_engine.h"
#include "ffi.h"

#define MAX_THREADS 256

/* What one simulation holds on to, and the piece of work under way: tile i runs trajectories from (unit + i) * 1024 on. */
typedef struct {
  ff_program *program;
  ff_tile *tiles[MAX_THREADS];
  int n_tiles;
  int **columns; /* per node, in R's memory */
  uint64_t unit, n, stride;
  uint64_t from, to; /* steps */
  R_xlen_t states;
} held;

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  for (int i = 0; i < h->n_tiles; i++) ff_tile_free(h->tiles[i]);
  ff_program_free(h->program);
  free(h);
  R_ClearExternalPtr(pointer);
}

static uint32_t lanes_of(const held *h, int i) {
  uint64_t first = (h->unit + (uint64_t)i) * FF_TILE;
  return first >= h->n ? 0 : h->n - first < FF_TILE ? (uint32_t)(h->n - first) : FF_TILE;
}

/* Initial states: a matrix, a row a trajectory (recycled), 0, 1 or NA for the network's own. */
static void set_initial(ff_tile *tile, SEXP initial, uint64_t first, uint32_t lanes, uint32_t n_nodes) {
  if (initial == R_NilValue) return;
  R_xlen_t rows = Rf_nrows(initial);
  for (uint32_t lane = 0; lane < lanes; lane++)
    for (uint32_t node = 0; node < n_nodes; node++) {
      int value = INTEGER(initial)[(R_xlen_t)((first + lane) % (uint64_t)rows) + (R_xlen_t)node * rows];
      if (value != NA_INTEGER) ff_tile_set(tile, node, lane, value);
    }
}

static void copy_states(const held *h, int i, uint32_t lanes, uint64_t state) {
  R_xlen_t at = (R_xlen_t)((h->unit + (uint64_t)i) * FF_TILE) * h->states + (R_xlen_t)state;
  uint32_t n_nodes = ff_program_nodes(h->program);
  for (uint32_t node = 0; node < n_nodes; node++)
    for (uint32_t lane = 0; lane < lanes; lane++)
      h->columns[node][at + (R_xlen_t)lane * h->states] = ff_tile_get(h->tiles[i], node, lane);
}

/* Steps from .. to of one tile, keeping every stride-th state; touches no R object, only memory that R gave. */
static void run_steps(void *context, int i) {
  held *h = context;
  uint32_t lanes = lanes_of(h, i);
  if (lanes == 0) return;
  if (h->from == 0) copy_states(h, i, lanes, 0);
  for (uint64_t at = h->from; at < h->to;) {
    uint64_t next = (at / h->stride + 1) * h->stride;
    if (next > h->to) next = h->to;
    ff_tile_advance(h->tiles[i], next - at);
    at = next;
    if (at % h->stride == 0) copy_states(h, i, lanes, at / h->stride);
  }
}

/* list of one integer vector a node: trajectory by trajectory, each nsim's steps/every + 1 states. */
SEXP ffi_simulate(SEXP model, SEXP nsim, SEXP steps, SEXP every, SEXP initial, SEXP seed, SEXP layout, SEXP simd,
                  SEXP threads) {
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, release, TRUE);
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) {
    ff_error_set(&err, FF_EMEMORY, "no memory for a simulation");
    ffi_stop(&err);
  }
  R_SetExternalPtrAddr(pointer, h);
  h->n = (uint64_t)Rf_asReal(nsim);
  h->stride = (uint64_t)Rf_asReal(every);
  h->states = (R_xlen_t)((uint64_t)Rf_asReal(steps) / h->stride) + 1;
  uint64_t key = (uint64_t)Rf_asReal(seed), units = (h->n + FF_TILE - 1) / FF_TILE;
  int wanted = Rf_asInteger(threads);
  wanted = wanted > MAX_THREADS ? MAX_THREADS : (uint64_t)wanted > units ? (int)units : wanted;
  ffi_check(ff_program_new(&h->program, pbn, NULL, (ff_layout)Rf_asInteger(layout), &err), &err);
  for (; h->n_tiles < wanted; h->n_tiles++)
    ffi_check(ff_tile_new(&h->tiles[h->n_tiles], h->program, (ff_simd)Rf_asInteger(simd), &err), &err);

  SEXP columns = PROTECT(Rf_allocVector(VECSXP, pbn->n_nodes));
  h->columns = (int **)R_alloc(pbn->n_nodes, sizeof *h->columns);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    SET_VECTOR_ELT(columns, i, Rf_allocVector(INTSXP, (R_xlen_t)h->n * h->states));
    h->columns[i] = INTEGER(VECTOR_ELT(columns, i));
  }
  /* pieces of some milliseconds, so that a Ctrl-C is heard between them */
  uint64_t steps_in_all = (uint64_t)(h->states - 1) * h->stride, piece = 1 + 20000 / ((uint64_t)pbn->n_nodes + 1);
  for (h->unit = 0; h->unit < units; h->unit += (uint64_t)h->n_tiles) {
    for (int i = 0; i < h->n_tiles; i++) {
      ff_tile_start(h->tiles[i], key, h->unit + (uint64_t)i);
      set_initial(h->tiles[i], initial, (h->unit + (uint64_t)i) * FF_TILE, lanes_of(h, i), pbn->n_nodes);
    }
    h->from = 0;
    do {
      h->to = h->from + piece < steps_in_all ? h->from + piece : steps_in_all;
      ff_parallel(h->n_tiles, run_steps, h);
      R_CheckUserInterrupt();
      h->from = h->to;
    } while (h->from < steps_in_all);
  }
  release(pointer); /* now, not when R next collects */
  UNPROTECT(3);
  return columns;
}
