/* Simulates trajectories, tile by tile and step by step, into R's memory. */
#include <stdlib.h>
#include <string.h>

#include "../pbn/ff_engine.h"
#include "ffi.h"

#define MAX_THREADS 256
#define PIECE 0.05      /* seconds between checks for Ctrl-C ... */
#define NODES_AT_ONCE 32 /* ... and nodes copied between readings of the clock, because new memory is slow at first use */

/* What a simulation holds. Tile i runs the 1,024 trajectories from (unit + i) * 1024 on. */
typedef struct {
  ff_program *program;
  ff_tile *tiles[MAX_THREADS];
  int n_tiles;
  int **columns; /* per node, in R's memory */
  uint64_t unit, n, stride, steps;
  uint64_t at[MAX_THREADS];   /* per tile: the step that it has reached ... */
  uint32_t node[MAX_THREADS]; /* ... and how many nodes' values at this step are copied; all nodes if the step is not wanted */
  double deadline;
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

/* Sets initial states from a matrix with one row per trajectory (recycled) and values 0, 1, or NA for the network's own. */
static void set_initial(ff_tile *tile, SEXP initial, uint64_t first, uint32_t lanes, uint32_t n_nodes) {
  if (initial == R_NilValue) return;
  R_xlen_t rows = Rf_nrows(initial);
  for (uint32_t lane = 0; lane < lanes; lane++)
    for (uint32_t node = 0; node < n_nodes; node++) {
      int value = INTEGER(initial)[(R_xlen_t)((first + lane) % (uint64_t)rows) + (R_xlen_t)node * rows];
      if (value != NA_INTEGER) ff_tile_set(tile, node, lane, value);
    }
}

/* Copies the values of some nodes at the step that the tile has reached. */
static void copy_nodes(const held *h, int i, uint32_t lanes, uint32_t from, uint32_t to) {
  R_xlen_t at = (R_xlen_t)((h->unit + (uint64_t)i) * FF_TILE) * h->states + (R_xlen_t)(h->at[i] / h->stride);
  for (uint32_t node = from; node < to; node++)
    for (uint32_t lane = 0; lane < lanes; lane++)
      h->columns[node][at + (R_xlen_t)lane * h->states] = ff_tile_get(h->tiles[i], node, lane);
}

/* Advances one tile to its end or to the deadline and keeps every stride-th state. Touches no R object, only memory that R
 * allocated. */
static void run_steps(void *context, int i) {
  held *h = context;
  uint32_t lanes = lanes_of(h, i), n_nodes = ff_program_nodes(h->program);
  uint64_t piece = 1 + 20000 / ((uint64_t)n_nodes + 1);
  if (lanes == 0) h->at[i] = h->steps;
  if (lanes == 0) h->node[i] = n_nodes;
  while (ff_clock() < h->deadline && (h->at[i] < h->steps || h->node[i] < n_nodes)) {
    if (h->node[i] < n_nodes) {
      uint32_t to = n_nodes - h->node[i] > NODES_AT_ONCE ? h->node[i] + NODES_AT_ONCE : n_nodes;
      copy_nodes(h, i, lanes, h->node[i], to);
      h->node[i] = to;
      continue;
    }
    uint64_t next = (h->at[i] / h->stride + 1) * h->stride;
    if (next > h->steps) next = h->steps;
    if (next > h->at[i] + piece) next = h->at[i] + piece;
    ff_tile_advance(h->tiles[i], next - h->at[i]);
    h->at[i] = next;
    if (next % h->stride == 0) h->node[i] = 0;
  }
}

static int all_done(const held *h) {
  int done = 1;
  for (int i = 0; i < h->n_tiles; i++) done &= h->at[i] == h->steps && h->node[i] == ff_program_nodes(h->program);
  return done;
}

/* Returns a list with one integer vector per node. It has one trajectory after the other; each of the nsim trajectories has
 * steps/every + 1 states. */
SEXP ffi_simulate(SEXP model, SEXP nsim, SEXP steps, SEXP every, SEXP initial, SEXP seed, SEXP layout, SEXP simd,
                  SEXP threads) {
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(ffi_pointer(release, 1, R_NilValue));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("a simulation");
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
  h->steps = (uint64_t)(h->states - 1) * h->stride;
  for (h->unit = 0; h->unit < units; h->unit += (uint64_t)h->n_tiles) {
    for (int i = 0; i < h->n_tiles; i++) {
      ff_tile_start(h->tiles[i], key, h->unit + (uint64_t)i);
      set_initial(h->tiles[i], initial, (h->unit + (uint64_t)i) * FF_TILE, lanes_of(h, i), pbn->n_nodes);
      h->at[i] = h->node[i] = 0;
    }
    while (!all_done(h)) {
      h->deadline = ff_clock() + PIECE;
      ff_parallel(h->n_tiles, run_steps, h);
      R_CheckUserInterrupt();
    }
  }
  release(pointer); /* now, not at R's next garbage collection */
  UNPROTECT(3);
  return columns;
}
