/* The CUDA interpreter's step code, its 32 lanes run one after the other, against tiles on this processor: bit for bit. */
#include "../../src/cuda/ff_slice_image.h"
#include "../../src/cuda/ff_slice_warp.h"
#include "../../src/pbn/ff_engine_internal.h"
#include "nets.h"

/* A block of warps on the host: its tile's memory. */
typedef struct {
  ff_slice_image image;
  void *memory;
  uint32_t *now, *next, *scratch, *stay, *counters, *before;
  ff_open_item *items;
  uint32_t warps;
} block;

static void block_free(block *b) {
  ff_free_aligned(b->memory);
  free(b->now);
  free(b->next);
  free(b->scratch);
  free(b->stay);
  free(b->counters);
  free(b->before);
  free(b->items);
}

static int block_new(block *b, const ff_program *program, uint32_t warps) {
  ff_error err;
  size_t bytes;
  *b = (block){.warps = warps};
  FF_CHECK_OK(ff_slice_image_new(&b->image, &b->memory, &bytes, program, &err), &err);
  if (b->memory == NULL) return 0;
  const ff_slice_image *image = &b->image;
  b->now = ff_calloc((size_t)image->n_nodes * 32, 4);
  b->next = ff_calloc(((size_t)image->n_nodes + image->n_terms) * 32, 4);
  b->scratch = ff_calloc((size_t)image->scratch_rows * warps * 32, 4);
  b->stay = ff_calloc(32, 4);
  b->counters = ff_calloc((size_t)image->n_terms * FF_COUNTER_ROWS * 32, 4);
  b->before = ff_calloc(image->n_terms, 4);
  b->items = ff_calloc((size_t)FF_ITEMS * warps, sizeof *b->items);
  return b->now != NULL && b->next != NULL && b->scratch != NULL && b->stay != NULL && b->counters != NULL && b->before != NULL &&
         b->items != NULL;
}

static ff_slice_warp warp_of(const block *b, uint32_t warp, uint64_t key, uint64_t unit, uint64_t step) {
  return (ff_slice_warp){.image = &b->image,
                         .now = b->now,
                         .next = b->next,
                         .scratch = b->scratch + (size_t)warp * b->image.scratch_rows * 32,
                         .stay = b->stay,
                         .items = b->items + (size_t)warp * FF_ITEMS,
                         .counters = b->counters,
                         .before = b->before,
                         .key = key,
                         .unit = unit,
                         .step = step,
                         .warp = warp,
                         .warps = b->warps};
}

static void run(block *b, uint64_t key, uint64_t unit, uint64_t first, uint64_t steps, int count, uint32_t counted) {
  ff_slice_warp w[16];
  for (uint64_t s = first; s < first + steps; s++) {
    for (uint32_t i = 0; i < b->warps; i++) w[i] = warp_of(b, i, key, unit, s);
    for (uint32_t i = 0; count && counted == 0 && s == first && i < b->warps; i++) ff_phase_terms(&w[i], 0, 1);
    for (uint32_t i = 0; i < b->warps; i++) ff_phase_hits(&w[i]);
    for (uint32_t i = 0; i < b->warps; i++) ff_phase_update(&w[i]);
    for (uint32_t i = 0; i < b->warps; i++) ff_phase_commit(&w[i]);
    for (uint32_t i = 0; count && i < b->warps; i++) ff_phase_terms(&w[i], counted, 0);
    counted++;
  }
}

static uint32_t count_of(const block *b, uint32_t term, uint32_t lane, uint32_t bit, uint32_t counted) {
  const uint32_t *counter = b->counters + (size_t)term * FF_COUNTER_ROWS * 32;
  uint32_t n = 0;
  for (uint32_t level = 0; level < FF_COUNTER_LEVELS; level++) {
    n += (counter[level * 32 + lane] >> bit & 1) << level;
    if (counted >> level & 1) n += (counter[(FF_COUNTER_HELD + level) * 32 + lane] >> bit & 1) << level;
  }
  return n;
}

static void compare(const block *b, ff_tile *tile, uint32_t counted, const char *what) {
  const ff_slice_image *image = &b->image;
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < image->n_nodes; i++)
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      wrong += (int)(b->now[i * 32 + lane / 32] >> (lane % 32) & 1) != ff_tile_get(tile, i, lane);
  FF_CHECK_SAY(wrong == 0, "%s: %u node values differ", what, wrong);
  ff_harvest harvest = ff_tile_harvest(tile);
  for (uint32_t i = 0; i < image->n_terms; i++) {
    uint32_t differ = 0, after = 0;
    uint64_t changes = 0;
    const uint32_t *counter = b->counters + (size_t)i * FF_COUNTER_ROWS * 32;
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      differ += count_of(b, i, lane / 32, lane % 32, counted) != harvest.counts[(size_t)i * FF_TILE + lane];
    for (uint32_t t = 0; t < 32; t++) {
      after += (uint32_t)__builtin_popcount(counter[FF_COUNTER_BEFORE * 32 + t]);
      changes += counter[FF_COUNTER_CHANGED * 32 + t];
    }
    FF_CHECK_SAY(differ == 0, "%s: %u counts of term %u differ", what, differ, i);
    FF_CHECK_INT(changes, harvest.changes[i]);
    FF_CHECK_INT(b->before[i], harvest.before[i]);
    FF_CHECK_INT(after, harvest.after[i]);
  }
}

static void check_net(const ff_pbn *pbn, uint32_t warps, uint64_t key, const char *what) {
  ff_error err;
  ff_program *program = NULL;
  ff_tile *tile = NULL;
  block b = {0};
  /* terms: functions of the network, the first three of weight 1, so that their changes are counted */
  uint32_t n = pbn->first[pbn->n_nodes] < 6 ? pbn->first[pbn->n_nodes] : 6, first[7] = {0};
  ff_expr terms[6];
  double weights[6];
  for (uint32_t i = 0; i < n; i++) {
    first[i + 1] = i + 1;
    terms[i] = pbn->predictors[i].expr;
    weights[i] = i < 3 ? 1 : 0.25;
  }
  ff_observables observables = {n, first, terms, weights};
  FF_CHECK_OK(ff_program_new(&program, pbn, &observables, FF_LAYOUT_SLICED, &err), &err);
  if (program != NULL) FF_CHECK_OK(ff_tile_new(&tile, program, FF_SIMD_BEST, &err), &err);
  if (tile != NULL && block_new(&b, program, warps)) {
    uint64_t unit = (UINT64_C(5) << 32) + 7;
    ff_tile_start(tile, key, unit);
    for (uint32_t i = 0; i < pbn->n_nodes; i++)
      for (uint32_t lane = 0; lane < FF_TILE; lane++)
        b.now[i * 32 + lane / 32] |= (uint32_t)ff_tile_get(tile, i, lane) << (lane % 32);
    memcpy(b.next, b.now, (size_t)pbn->n_nodes * 128);
    ff_tile_advance(tile, 5);
    run(&b, key, unit, 0, 5, 0, 0);
    compare(&b, tile, 0, what);
    ff_tile_count(tile, 9);
    run(&b, key, unit, 5, 9, 1, 0);
    compare(&b, tile, 9, what);
    ff_tile_count(tile, 4);
    run(&b, key, unit, 14, 4, 1, 9);
    compare(&b, tile, 13, what);
  }
  block_free(&b);
  ff_tile_free(tile);
  ff_program_free(program);
}

static const net_shape shapes[] = {
    {.nodes = 3, .max_functions = 3, .max_parents = 3, .perturbation = 0.05},
    {.nodes = 5, .max_functions = 4, .max_parents = 4, .perturbation = 0.2, .exempt = 0.3, .fixed = 0.3},
    {.nodes = 12, .max_functions = 2, .max_parents = 8, .perturbation = 0.01, .keep = 0.2},
    {.nodes = 14, .max_functions = 3, .max_parents = 11, .perturbation = 0.001},
    {.nodes = 20, .max_functions = 3, .max_parents = 3, .contexts = 5, .perturbation = 0.1},
    {.nodes = 150, .max_functions = 3, .max_parents = 5, .contexts = 4, .perturbation = 0.001},
    {.nodes = 40, .max_functions = 3, .max_parents = 3, .perturbation = 0},
    {.nodes = 300, .max_functions = 3, .max_parents = 7, .perturbation = 0.7},
    {.nodes = 300, .max_functions = 1, .max_parents = 4, .perturbation = 0.001},
    {.nodes = 120, .max_functions = 6, .max_parents = 6, .perturbation = 0.01},
};

static void steps_give_the_tile(void) {
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      ff_pbn *pbn = net_random_make(&shapes[i], seed + 100 * i);
      char what[64];
      snprintf(what, sizeof what, "shape %zu, seed %llu", i, (unsigned long long)seed);
      if (pbn != NULL) check_net(pbn, seed == 1 ? 1 : seed == 2 ? 3 : 16, seed * 77777777777u, what);
      ff_pbn_free(pbn);
    }
}

FF_TEST_MAIN("slice_warp", steps_give_the_tile)
