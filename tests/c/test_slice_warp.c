/* The CUDA interpreter's step code, its 32 lanes run one after the other, against tiles on this processor: bit for bit. */
#include "../../src/cuda/ff_slice_image.h"
#include "../../src/cuda/ff_slice_warp.h"
#include "../../src/pbn/ff_engine_internal.h"
#include "nets.h"

/* A block of warps on the host: its tile's memory. */
typedef struct {
  ff_slice_image image;
  void *memory;
  uint32_t *now, *next, *scratch, *stay, *turn, *functions, *window, *items, *counters, *before;
  uint32_t warps, most_items;
} block;

static void block_free(block *b) {
  ff_free_aligned(b->memory);
  ff_free_aligned(b->now);
  ff_free_aligned(b->next);
  free(b->scratch);
  free(b->stay);
  free(b->turn);
  free(b->functions);
  ff_free_aligned(b->window);
  free(b->counters);
  free(b->before);
  free(b->items);
}

static int block_new(block *b, const ff_program *program, uint32_t warps, int staged) {
  ff_error err;
  size_t bytes;
  *b = (block){.warps = warps, .most_items = warps == 3 ? 40 : FF_ITEMS}; /* with 40 some find the list full */
  FF_CHECK_OK((staged ? ff_slice_image_staged : ff_slice_image_new)(&b->image, &b->memory, &bytes, program, &err), &err);
  if (b->memory == NULL) return 0;
  const ff_slice_image *image = &b->image;
  b->now = ff_calloc_aligned((size_t)image->n_nodes * 32, 4);
  b->next = ff_calloc_aligned(((size_t)image->n_nodes + image->n_terms) * 32, 4);
  b->scratch = ff_calloc((size_t)image->scratch_rows * warps * 32, 4);
  b->stay = ff_calloc(32, 4);
  b->turn = ff_calloc(1, 4);
  b->functions = ff_calloc((size_t)FF_FUNCTIONS * ((warps + 1) / 2), 4);
  b->window = ff_calloc_aligned((size_t)FF_WINDOW * warps, 4);
  b->counters = ff_calloc((size_t)image->n_terms * FF_COUNTER_ROWS * 32, 4);
  b->before = ff_calloc(image->n_terms, 4);
  b->items = ff_calloc((size_t)(FF_ITEMS + 1) * warps, sizeof *b->items);
  return b->now != NULL && b->next != NULL && b->scratch != NULL && b->stay != NULL && b->turn != NULL && b->functions != NULL &&
         b->window != NULL && b->counters != NULL && b->before != NULL && b->items != NULL;
}

static ff_slice_warp warp_of(const block *b, uint32_t warp, const uint32_t *round_key, uint64_t unit, uint64_t step) {
  uint32_t *scratch = b->scratch + (size_t)warp * b->image.scratch_rows * 32;
  return (ff_slice_warp){.image = &b->image,
                         .round_key = round_key,
                         .now = b->now,
                         .next = b->next,
                         .scratch = scratch,
                         .inputs = b->image.staged ? scratch : b->now,
                         .stay = b->stay,
                         .turn = b->turn,
                         .functions = b->functions,
                         .column = b->functions + warp / 2 * FF_FUNCTIONS + warp % 2 * 32,
                         .pair = warp / 2 * 0x10101010u,
                         .low = warp % 2 * 128,
                         .window = b->window + (size_t)warp * FF_WINDOW,
                         .items = b->items + (size_t)warp * (FF_ITEMS + 1),
                         .counters = b->counters,
                         .before = b->before,
                         .unit = unit,
                         .step = step,
                         .warp = warp,
                         .warps = b->warps,
                         .most_items = b->most_items,
                         .staged = (int)b->image.staged};
}

static void run(block *b, uint64_t key, uint64_t unit, uint64_t first, uint64_t steps, int count, uint32_t counted) {
  ff_slice_warp w[16];
  uint32_t round_key[2 * FF_PHILOX_ROUNDS], k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < FF_PHILOX_ROUNDS; round++, k0 += FF_PHILOX_W0, k1 += FF_PHILOX_W1) {
    round_key[2 * round] = k0;
    round_key[2 * round + 1] = k1;
  }
  for (uint64_t s = first; s < first + steps; s++) {
    for (uint32_t i = 0; i < b->warps; i++) w[i] = warp_of(b, i, round_key, unit, s);
    for (uint32_t i = 0; s == first && i < b->warps; i++) ff_phase_begin(&w[i]);
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

static void check_net(const ff_pbn *pbn, uint32_t warps, int staged, uint64_t key, const char *what) {
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
  if (tile != NULL && block_new(&b, program, warps, staged)) {
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
    {.nodes = 30, .max_functions = 24, .max_parents = 3, .perturbation = 0.01}, /* choices of more cuts than stand together */
    {.nodes = 60, .max_functions = 3, .max_parents = 4, .contexts = 30, .perturbation = 0.01},
};

static void steps_give_the_tile(void) {
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      ff_pbn *pbn = net_random_make(&shapes[i], seed + 100 * i);
      char what[64];
      for (int staged = 0; staged < 2 && pbn != NULL; staged++) {
        snprintf(what, sizeof what, "shape %zu, seed %llu%s", i, (unsigned long long)seed, staged ? ", staged" : "");
        check_net(pbn, seed == 1 ? 1 : seed == 2 ? 3 : 16, staged, seed * 77777777777u, what);
      }
      ff_pbn_free(pbn);
    }
}

/* Every operation on rows, and choices that rows decide (1/2, 1/4), which share groups of random rows. */
static void operations_give_the_tile(void) {
  static const char *const rules[] = {
      "a 1 b & c",          "b 1 !(b & d)",        "c 1 a | !d",          "d 0.5 a ^ b",        "d 0.5 !(c | e)",    "e 0.25 !a",
      "e 0.75 (a & !b) | c", "f 0.5 e",             "f 0.25 !(a ^ f)",     "f 0.25 1",           "g 0.5 (a | b) & !(c | d)",
      "g 0.5 (e ^ f) | !(a & g)", "h 0.3 h & g",   "h 0.7 !h | (a & f)", "i 0.5 0",             "i 0.5 (h & !g) ^ (a | i)", NULL};
  ff_pbn *pbn = net_parse(rules, 0.02, FF_SYNCHRONOUS);
  for (int staged = 0; staged < 2 && pbn != NULL; staged++)
    check_net(pbn, 2, staged, 424242, staged ? "operations, staged" : "operations");
  ff_pbn_free(pbn);
}

FF_TEST_MAIN("slice_warp", steps_give_the_tile, operations_give_the_tile)
