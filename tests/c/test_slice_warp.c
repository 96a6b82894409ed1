/* Compares the step code of the CUDA interpreter with tiles on this processor, bit for bit. Its 32 lanes run one after the
 * other. */
#include "../../src/cuda/pbn/ff_slice_warp.h"
#include "rows.h"

/* A block of warps on the host: the memory of its tile, except for the parameter of a launch. */
typedef struct {
  ff_slice_image image;
  void *memory;
  uint32_t *next, *scratch, *stay, *turn, *functions, *window, *items;
  uint32_t warps, most_items;
} block;

static void block_free(block *b) {
  ff_free_aligned(b->memory);
  ff_free_aligned(b->next);
  free(b->scratch);
  free(b->stay);
  free(b->turn);
  free(b->functions);
  ff_free_aligned(b->window);
  free(b->items);
}

static int block_new(block *b, const ff_pbn_program *program, uint32_t warps, int staged) {
  ff_error err;
  size_t bytes;
  *b = (block){.warps = warps, .most_items = warps == 3 ? 40 : FF_ITEMS}; /* with 40, the list is full for some trajectories */
  FF_CHECK_OK((staged ? ff_slice_image_staged : ff_slice_image_new)(&b->image, &b->memory, &bytes, program, &err), &err);
  if (b->memory == NULL) return 0;
  const ff_slice_image *image = &b->image;
  b->next = ff_calloc_aligned(((size_t)image->n_nodes + image->n_terms) * 32, 4);
  b->scratch = ff_calloc((size_t)image->scratch_rows * warps * 32, 4);
  b->stay = ff_calloc(32, 4);
  b->turn = ff_calloc(1, 4);
  b->functions = ff_calloc((size_t)FF_FUNCTIONS * ((warps + 1) / 2), 4);
  b->window = ff_calloc_aligned((size_t)FF_WINDOW * warps, 4);
  b->items = ff_calloc((size_t)FF_ITEMS * warps, sizeof *b->items);
  return b->next != NULL && b->scratch != NULL && b->stay != NULL && b->turn != NULL && b->functions != NULL &&
         b->window != NULL && b->items != NULL;
}

static ff_slice_warp warp_of(const block *b, uint32_t warp, const ff_slice_launch *run) {
  uint32_t *scratch = b->scratch + (size_t)warp * b->image.scratch_rows * 32;
  return (ff_slice_warp){.image = &b->image,
                         .round_key = run->round_key,
                         .now = run->state,
                         .next = b->next,
                         .scratch = scratch,
                         .inputs = b->image.staged ? scratch : run->state,
                         .stay = b->stay,
                         .turn = b->turn,
                         .functions = b->functions,
                         .column = b->functions + warp / 2 * FF_FUNCTIONS + warp % 2 * 32,
                         .pair = warp / 2 * 0x10101010u,
                         .low = warp % 2 * 128,
                         .window = b->window + (size_t)warp * FF_WINDOW,
                         .items = b->items + (size_t)warp * FF_ITEMS,
                         .counters = run->counters,
                         .before = run->before,
                         .unit = run->unit,
                         .warp = warp,
                         .warps = b->warps,
                         .most_items = b->most_items,
                         .staged = (int)b->image.staged};
}

static void launch(void *kernel, const ff_slice_launch *run) {
  const block *b = kernel;
  ff_slice_warp w[16];
  if (run->step == 0) memcpy(b->next, run->state, (size_t)b->image.n_nodes * 128);
  for (uint32_t i = 0; i < b->warps; i++) w[i] = warp_of(b, i, run);
  for (uint32_t i = 0; i < b->warps; i++) ff_phase_begin(&w[i]);
  for (uint32_t i = 0; run->fresh && i < b->warps; i++) ff_phase_terms(&w[i], 0, 1);
  for (uint64_t s = 0; s < run->steps; s++) {
    for (uint32_t i = 0; i < b->warps; i++) w[i].step = run->step + s;
    for (uint32_t i = 0; i < b->warps; i++) ff_phase_hits(&w[i]);
    for (uint32_t i = 0; i < b->warps; i++) ff_phase_update(&w[i]);
    for (uint32_t i = 0; i < b->warps; i++) ff_phase_commit(&w[i]);
    for (uint32_t i = 0; run->count && i < b->warps; i++) ff_phase_terms(&w[i], run->counted + (uint32_t)s, 0);
  }
}

static void check_net(const ff_pbn *pbn, uint32_t warps, int staged, uint64_t key, const char *what) {
  static const uint64_t steps[] = {5, 9, 4};
  ff_error err;
  ff_pbn_program *program = NULL;
  block b = {0};
  term_list c;
  choose_terms(&c, pbn, 6);
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, &c.observables, FF_LAYOUT_SLICED, &err), &err);
  if (program != NULL && key % 2 == 0) leave_open(program, key, ROWS_UNIT, 3);
  if (program != NULL && block_new(&b, program, warps, staged)) check_rows(launch, &b, &b.image, program, key, steps, what);
  block_free(&b);
  ff_pbn_program_free(program);
}

static const net_shape shapes[] = {
    SMALL_SHAPES,
    {.nodes = 150, .max_functions = 3, .max_parents = 5, .contexts = 4, .perturbation = 0.001},
    {.nodes = 300, .max_functions = 3, .max_parents = 7, .perturbation = 0.7},
    {.nodes = 300, .max_functions = 1, .max_parents = 4, .perturbation = 0.001},
    {.nodes = 120, .max_functions = 6, .max_parents = 6, .perturbation = 0.01},
    {.nodes = 30, .max_functions = 24, .max_parents = 3, .perturbation = 0.01}, /* choices with more cuts than fit in one group */
    {.nodes = 60, .max_functions = 3, .max_parents = 4, .contexts = 30, .perturbation = 0.01},
    {.nodes = 130, .max_functions = 3, .max_parents = 4, .perturbation = 0.001, .update = FF_ASYNCHRONOUS},
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

/* Every operation on rows, and choices that the first bits always decide (1/2, 1/4), which share groups of random rows. */
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
