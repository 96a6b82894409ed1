/* Compares kernels with a tile, bit for bit. Contains the networks for all kernels, and launches the step code of a sliced
 * kernel on the host. */
#ifndef FF_TESTS_ROWS_H
#define FF_TESTS_ROWS_H

#include "../../src/cuda/pbn/ff_slice_image.h"
#include "../../src/pbn/ff_pbn_engine.h"
#include "nets.h"
#include "open.h"

/* The first entries of all lists of shapes. */
#define SMALL_SHAPES                                                                                            \
  {.nodes = 3, .max_functions = 3, .max_parents = 3, .perturbation = 0.05},                                     \
      {.nodes = 5, .max_functions = 4, .max_parents = 4, .perturbation = 0.2, .exempt = 0.3, .fixed = 0.3},     \
      {.nodes = 12, .max_functions = 2, .max_parents = 8, .perturbation = 0.01, .keep = 0.2},                   \
      {.nodes = 14, .max_functions = 3, .max_parents = 11, .perturbation = 0.001},                              \
      {.nodes = 20, .max_functions = 3, .max_parents = 3, .contexts = 5, .perturbation = 0.1},                  \
      {.nodes = 40, .max_functions = 3, .max_parents = 3, .perturbation = 0},                                   \
      {.nodes = 16, .max_functions = 3, .max_parents = 4, .perturbation = 0.01, .update = FF_ASYNCHRONOUS},     \
      {.nodes = 21, .max_functions = 3, .max_parents = 3, .contexts = 4, .update = FF_ASYNCHRONOUS}

#define MOST_TERMS 40

typedef struct {
  ff_expr terms[MOST_TERMS]; /* functions of the network */
  double weights[MOST_TERMS];
  uint32_t first[MOST_TERMS + 1];
  ff_observables observables;
} term_list;

/* Chooses functions of the network as terms. Most observables are state sets; every third is a sum of two weighted terms. */
static inline void choose_terms(term_list *c, const ff_pbn *pbn, uint32_t most) {
  uint32_t n = pbn->first[pbn->n_nodes] < most ? pbn->first[pbn->n_nodes] : most, observables = 0;
  c->first[0] = 0;
  for (uint32_t i = 0; i < n; observables++) {
    uint32_t here = observables % 3 == 2 && i + 1 < n ? 2 : 1;
    for (uint32_t j = 0; j < here; j++, i++) {
      c->terms[i] = pbn->predictors[i].expr;
      c->weights[i] = here == 2 ? 0.3 : 1;
    }
    c->first[observables + 1] = i;
  }
  c->observables = (ff_observables){observables, c->first, c->terms, c->weights};
}

#define ROWS_UNIT ((UINT64_C(5) << 32) + 7) /* the number of the tile */

/* The state of the tile in the form of the kernels: 32 words per node. */
static inline void rows_of_tile(uint32_t *rows, const ff_tile *tile, uint32_t n_nodes) {
  memset(rows, 0, (size_t)n_nodes * 128);
  for (uint32_t node = 0; node < n_nodes; node++)
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      rows[node * 32 + lane / 32] |= (uint32_t)ff_tile_get(tile, node, lane) << (lane % 32);
}

/* A trajectory's count in the vertical counter of a term: the sums, and the rows that are held after `counted` steps. */
static inline uint32_t count_in_rows(const uint32_t *counter, uint32_t lane, uint32_t counted) {
  uint32_t n = 0;
  for (uint32_t level = 0; level < FF_COUNTER_LEVELS; level++) {
    n += (counter[level * 32 + lane / 32] >> lane % 32 & 1) << level;
    if (counted >> level & 1) n += (counter[(FF_COUNTER_HELD + level) * 32 + lane / 32] >> lane % 32 & 1) << level;
  }
  return n;
}

static inline void compare_rows(const ff_slice_launch *run, ff_tile *tile, const ff_slice_image *image, const char *what) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < image->n_nodes; i++)
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      wrong += (int)(run->state[i * 32 + lane / 32] >> (lane % 32) & 1) != ff_tile_get(tile, i, lane);
  FF_CHECK_SAY(wrong == 0, "%s: %u node values differ after step %d", what, wrong, (int)run->step);
  ff_harvest harvest = ff_tile_harvest(tile);
  for (uint32_t i = 0; i < image->n_terms; i++) {
    const uint32_t *counter = run->counters + (size_t)i * FF_COUNTER_ROWS * 32;
    uint32_t differ = 0, after = 0, changes = 0;
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      differ += count_in_rows(counter, lane, run->counted) != harvest.counts[(size_t)i * FF_TILE + lane];
    for (uint32_t t = 0; t < 32; t++) {
      after += (uint32_t)__builtin_popcount(counter[FF_COUNTER_BEFORE * 32 + t]);
      changes += counter[FF_COUNTER_CHANGED * 32 + t];
    }
    FF_CHECK_SAY(differ == 0, "%s: %u counts of term %u differ after step %d", what, differ, i, (int)run->step);
    int same = changes == harvest.changes[i] && run->before[i] == harvest.before[i] && after == harvest.after[i];
    FF_CHECK_SAY(same, "%s: term %u after step %d: %u changes, held in %u before and in %u after, expected %u, %u and %u", what,
                 i, (int)run->step, changes, run->before[i], after, (uint32_t)harvest.changes[i], harvest.before[i],
                 harvest.after[i]);
  }
}

/* Runs a kernel's launch for the only tile. */
typedef void (*rows_kernel)(void *kernel, const ff_slice_launch *run);

/* Runs three launches and compares the states and counts after each: steps[0] without counting, then steps[1] and steps[2] with
 * counting. */
static inline void check_rows(rows_kernel launch, void *kernel, const ff_slice_image *image, const ff_pbn_program *program,
                              uint64_t key, const uint64_t steps[3], const char *what) {
  ff_error err;
  ff_tile *tile = NULL;
  ff_slice_launch run = {.key = key, .unit = ROWS_UNIT, .tiles = 1};
  ff_philox_round_keys(run.round_key, key);
  run.state = ff_calloc_aligned((size_t)image->n_nodes * 32, 4);
  run.counters = ff_calloc((size_t)image->n_terms * FF_COUNTER_ROWS * 32, 4);
  run.before = ff_calloc(image->n_terms, 4);
  FF_CHECK_OK(ff_tile_new(&tile, program, FF_SIMD_BEST, &err), &err);
  if (tile != NULL && run.state != NULL && run.counters != NULL && run.before != NULL) {
    ff_tile_start(tile, key, run.unit);
    rows_of_tile(run.state, tile, image->n_nodes);
    for (int i = 0; i < 3; i++) {
      run.steps = steps[i];
      run.count = i > 0;
      run.fresh = i == 1;
      launch(kernel, &run);
      run.step += steps[i];
      if (run.count) run.counted += (uint32_t)steps[i];
      (run.count ? ff_tile_count : ff_tile_advance)(tile, steps[i]);
      compare_rows(&run, tile, image, what);
    }
  }
  ff_free_aligned(run.state);
  free(run.counters);
  free(run.before);
  ff_tile_free(tile);
}

#endif
