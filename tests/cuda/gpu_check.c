/* Compares every kernel of the CUDA backend with tiles on this processor, bit for bit, on a machine with a GPU:
 *
 *   gpu_check fireflip_cuda.so [nodes=N] [cache=FOLDER] [test ...]
 *
 * nodes=N leaves out networks of more nodes, for compute-sanitizer, which makes kernels many times slower. cache=FOLDER keeps
 * compiled code from run to run. Networks, steps and seeds are fixed, so that a failure can be repeated. `make cuda-check` builds
 * this program, and `make gpu-check` runs it.
 */
#include "../../src/pbn/estimate/ff_pbn_estimate.h"
#include "../c/rows.h"

static struct {
  const ff_pbn_device *backend;
  uint32_t most_nodes;
  const char *cache; /* NULL: all code is compiled */
  int waves; /* so far */
} gpu = {NULL, UINT32_MAX, NULL, 0};

typedef struct {
  uint64_t key, unit, tiles, burn_in, half[2];
} task;

/* Runs a task with tiles on this processor. */
static ff_status on_cpu(ff_pbn_tally *tally, uint32_t *states, uint64_t *last, const ff_pbn_program *program, const term_list *c,
                        const task *t, ff_error *err) {
  ff_tile *tile = NULL;
  ff_status status = ff_pbn_tally_new(tally, &c->observables, err);
  if (status == FF_OK) status = ff_tile_new(&tile, program, FF_SIMD_BEST, err);
  uint32_t n_terms = c->first[c->observables.n], n = ff_pbn_program_nodes(program);
  uint32_t *first_half = ff_calloc((size_t)n_terms * FF_TILE, sizeof *first_half);
  if (status == FF_OK && first_half == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory");
  if (status == FF_OK) ff_pbn_tally_clear(tally, t->half[0], t->half[1]);
  for (uint64_t i = 0; i < t->tiles && status == FF_OK; i++) {
    ff_tile_start(tile, t->key, t->unit + i);
    ff_tile_advance(tile, t->burn_in);
    ff_tile_count(tile, t->half[0]);
    ff_harvest harvest = ff_tile_harvest(tile);
    memcpy(first_half, harvest.counts, (size_t)n_terms * FF_TILE * sizeof *first_half);
    ff_tile_count(tile, t->half[1]);
    for (uint32_t j = 0; j < n_terms; j++) last[i * n_terms + j] = ff_tile_term_word(tile, j, 0);
    harvest = ff_tile_harvest(tile);
    ff_pbn_tally_add(tally, NULL, first_half, &harvest);
    rows_of_tile(states + i * n * 32, tile, n);
  }
  free(first_half);
  ff_tile_free(tile);
  return status;
}

static ff_status run_steps(ff_ensemble *e, uint64_t n, int count, ff_error *err) {
  for (uint64_t done; n > 0; n -= done) {
    ff_status status = gpu.backend->steps(e, n, count, 0.05, &done, err);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

static ff_status on_gpu(uint64_t *words, uint32_t *states, uint64_t *last, ff_ensemble *e, const ff_pbn_program *program,
                        const term_list *c, const task *t, uint64_t first, uint64_t tiles, ff_error *err) {
  uint32_t n_terms = c->first[c->observables.n], weights[MOST_TERMS];
  uint8_t sets[MOST_TERMS];
  for (uint32_t i = 0; i < n_terms; i++) weights[i] = ff_pbn_tally_weight(c->weights[i]);
  for (uint32_t i = 0; i < c->observables.n; i++) sets[i] = (uint8_t)ff_is_set(c->first, c->weights, i);
  ff_pbn_sums sums = {c->observables.n, n_terms, c->first, weights, NULL, sets, {t->half[0], t->half[1]}, words};
  ff_status status = gpu.backend->common.start(e, t->key, t->unit + first, tiles, err);
  if (status == FF_OK) status = run_steps(e, t->burn_in, 0, err);
  if (status == FF_OK) status = run_steps(e, t->half[0], 1, err);
  if (status == FF_OK) status = gpu.backend->half(e, err);
  if (status == FF_OK) status = run_steps(e, t->half[1], 1, err);
  for (uint64_t i = 0; i < tiles && status == FF_OK; i++)
    status = gpu.backend->terms(e, i, n_terms, last + (first + i) * n_terms, err);
  if (status == FF_OK) status = gpu.backend->tally(e, &sums, err);
  for (uint64_t i = 0; i < tiles && status == FF_OK; i++)
    status = gpu.backend->state(e, i, (uint64_t *)(states + (first + i) * ff_pbn_program_nodes(program) * 32), err);
  return status;
}

/* If the kernel cannot run the program, prints the reason; this is not a failure. */
static void check(const ff_pbn *pbn, ff_layout layout, const char *kernel, uint32_t most_terms, const task *t, const char *what) {
  ff_error err = {FF_OK, ""};
  ff_pbn_program *program = NULL;
  ff_ensemble *e = NULL;
  term_list c;
  choose_terms(&c, pbn, most_terms);
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, &c.observables, layout, &err), &err);
  if (program == NULL) return;
  size_t state_words = (size_t)t->tiles * pbn->n_nodes * 32;
  ff_pbn_tally tally = {0};
  uint32_t *here = ff_calloc(state_words, 4), *there = ff_calloc(state_words, 4);
  size_t n_last = (size_t)t->tiles * c.first[c.observables.n];
  uint64_t *last_here = ff_calloc(n_last, 8), *last_there = ff_calloc(n_last, 8);
  FF_CHECK_OK(on_cpu(&tally, here, last_here, program, &c, t, &err), &err);
  uint64_t *words = ff_calloc(tally.n_words, sizeof *words);
  ff_ensemble_options options = {.device = 0, .kernel = kernel, .units = t->tiles, .cache = gpu.cache};
  ff_status status = gpu.backend->create(&e, program, &options, &err);
  for (int ready = 0; status == FF_OK && !ready;) status = gpu.backend->common.ready(e, 0.05, &ready, &err);
  if (status == FF_EARGUMENT && strcmp(kernel, "generated") == 0) {
    printf("%s: %s\n", what, err.text);
  } else {
    FF_CHECK_OK(status, &err);
  }
  if (status == FF_OK) {
    ff_ensemble_info info = gpu.backend->common.info(e);
    for (uint64_t first = 0; first < t->tiles && status == FF_OK; first += info.capacity) {
      uint64_t tiles = t->tiles - first < info.capacity ? t->tiles - first : info.capacity;
      status = on_gpu(words, there, last_there, e, program, &c, t, first, tiles, &err);
      FF_CHECK_OK(status, &err);
      gpu.waves++;
    }
    size_t wrong_words = 0, wrong_states = 0, wrong_last = 0;
    for (size_t i = 0; i < tally.n_words; i++) wrong_words += words[i] != tally.words[i];
    for (size_t i = 0; i < state_words; i++) wrong_states += here[i] != there[i];
    for (size_t i = 0; i < n_last; i++) wrong_last += last_here[i] != last_there[i];
    FF_CHECK_SAY(wrong_words == 0 && wrong_states == 0 && wrong_last == 0,
                 "%s (%s): %zu of %zu sums, %zu of %zu words of states and %zu of %zu words of terms differ", what, info.reason,
                 wrong_words, tally.n_words, wrong_states, state_words, wrong_last, n_last);
  }
  gpu.backend->common.destroy(e);
  ff_pbn_tally_free(&tally);
  free(here);
  free(there);
  free(words);
  free(last_here);
  free(last_there);
  ff_pbn_program_free(program);
}

static const net_shape shapes[] = {
    SMALL_SHAPES,
    {.nodes = 59, .max_functions = 2, .max_parents = 4, .perturbation = 0.001},
    {.nodes = 90, .max_functions = 3, .max_parents = 5, .perturbation = 0.3},
    {.nodes = 150, .max_functions = 3, .max_parents = 5, .contexts = 4, .perturbation = 0.001},
    {.nodes = 300, .max_functions = 3, .max_parents = 7, .perturbation = 0.01},
    {.nodes = 700, .max_functions = 3, .max_parents = 6, .perturbation = 0.001},
    {.nodes = 1000, .max_functions = 3, .max_parents = 8, .perturbation = 0.001},
    {.nodes = 2000, .max_functions = 2, .max_parents = 5, .perturbation = 0.0005},
};

static void all_shapes(ff_layout layout, const char *kernel, ff_update update, const char *name) {
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (uint64_t seed = 0; seed < 2; seed++) {
      net_shape shape = shapes[i];
      if (shape.nodes > gpu.most_nodes) continue;
      shape.update = update;
      int slow = shape.nodes > 200 && layout == FF_LAYOUT_PACKED && update == FF_SYNCHRONOUS;
      uint64_t steps = slow ? 3 : shape.nodes > 200 ? 7 : 40;
      task t = {.key = 1000003 * i + seed, .unit = seed << 33 | i, .tiles = 3 + seed, .burn_in = steps,
                .half = {steps, steps + 2}};
      char what[96];
      snprintf(what, sizeof what, "%s, %u nodes, seed %d", name, shape.nodes, (int)seed);
      ff_pbn *pbn = net_random_make(&shape, i * 10 + seed);
      if (pbn != NULL) check(pbn, layout, kernel, seed == 1 ? MOST_TERMS : 7, &t, what);
      ff_pbn_free(pbn);
    }
}

static void generated(void) { all_shapes(FF_LAYOUT_SLICED, "generated", FF_SYNCHRONOUS, "generated"); }
static void interpreter(void) { all_shapes(FF_LAYOUT_SLICED, "interpreter", FF_SYNCHRONOUS, "interpreter"); }
/* One choice among all nodes: it has many masks, and the generated code is long. */
static void sliced_asynchronous(void) {
  const uint32_t all = gpu.most_nodes;
  if (gpu.most_nodes > 90) gpu.most_nodes = 90;
  all_shapes(FF_LAYOUT_SLICED, "generated", FF_ASYNCHRONOUS, "generated, asynchronous");
  if (all > 300) gpu.most_nodes = 300;
  all_shapes(FF_LAYOUT_SLICED, "interpreter", FF_ASYNCHRONOUS, "interpreter, asynchronous");
  gpu.most_nodes = all;
}
static void table_synchronous(void) { all_shapes(FF_LAYOUT_PACKED, "table", FF_SYNCHRONOUS, "table, synchronous"); }
static void table_asynchronous(void) { all_shapes(FF_LAYOUT_PACKED, "table", FF_ASYNCHRONOUS, "table, asynchronous"); }

/* More counted steps than a vertical counter holds, and more tiles than a small wave. */
static void long_run(void) {
  net_shape shape = {.nodes = 6, .max_functions = 2, .max_parents = 3, .perturbation = 0.01};
  task t = {.key = 5, .unit = 9, .tiles = 2, .burn_in = 100, .half = {5000, 9000}};
  ff_pbn *pbn = net_random_make(&shape, 77);
  if (pbn == NULL) return;
  check(pbn, FF_LAYOUT_SLICED, "generated", 7, &t, "long, generated");
  check(pbn, FF_LAYOUT_SLICED, "interpreter", 7, &t, "long, interpreter");
  check(pbn, FF_LAYOUT_PACKED, "table", 7, &t, "long, table");
  ff_pbn_free(pbn);
}

/* More tiles than the device runs at a time. The last wave is a small one. */
static void more_than_a_wave(void) {
  static const struct {
    ff_layout layout;
    const char *kernel;
  } ways[] = {{FF_LAYOUT_SLICED, "generated"}, {FF_LAYOUT_SLICED, "interpreter"}, {FF_LAYOUT_PACKED, "table"}};
  net_shape shape = {.nodes = 6, .max_functions = 2, .max_parents = 3, .perturbation = 0.01};
  task t = {.key = 6, .unit = 11, .tiles = 20001, .burn_in = 3, .half = {4, 5}};
  ff_pbn *pbn = net_random_make(&shape, 78);
  for (size_t i = 0; pbn != NULL && i < 3; i++) {
    const int waves_before = gpu.waves;
    check(pbn, ways[i].layout, ways[i].kernel, 7, &t, ways[i].kernel);
    FF_CHECK_SAY(gpu.waves - waves_before > 1, "%s: all of %d tiles ran at once", ways[i].kernel, (int)t.tiles);
  }
  ff_pbn_free(pbn);
}

/* One ensemble computes few sums, then more, then few again, each time for the same steps. */
static void sums_of_any_size(void) {
  ff_error err;
  net_shape shape = {.nodes = 12, .max_functions = 2, .max_parents = 3, .perturbation = 0.02};
  ff_pbn *pbn = net_random_make(&shape, 79);
  ff_pbn_program *program = NULL;
  ff_ensemble *e = NULL;
  term_list c;
  if (pbn == NULL) return;
  choose_terms(&c, pbn, MOST_TERMS);
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, &c.observables, FF_LAYOUT_SLICED, &err), &err);
  const task t = {.key = 8, .unit = 2, .tiles = 3, .burn_in = 5, .half = {6, 7}};
  const size_t n_states = (size_t)t.tiles * pbn->n_nodes * 32, n_last = (size_t)t.tiles * c.first[c.observables.n];
  const ff_ensemble_options options = {.kernel = "interpreter", .units = t.tiles};
  uint32_t *states = ff_calloc(n_states, 4);
  uint64_t *last = ff_calloc(n_last, 8);
  ff_status status = gpu.backend->create(&e, program, &options, &err);
  for (int ready = 0; status == FF_OK && !ready;) status = gpu.backend->common.ready(e, 0.05, &ready, &err);
  FF_CHECK_OK(status, &err);
  const uint32_t all = c.observables.n, asked[] = {1, all, 2};
  for (size_t i = 0; i < 3 && status == FF_OK; i++) {
    ff_pbn_tally tally = {0};
    term_list some = c;
    some.observables.n = asked[i];
    FF_CHECK_OK(on_cpu(&tally, states, last, program, &some, &t, &err), &err);
    uint64_t *words = ff_calloc(tally.n_words, sizeof *words);
    FF_CHECK_OK(on_gpu(words, states, last, e, program, &some, &t, 0, t.tiles, &err), &err);
    FF_CHECK_SAY(memcmp(words, tally.words, tally.n_words * 8) == 0, "sums of %u observables differ", asked[i]);
    free(words);
    ff_pbn_tally_free(&tally);
  }
  gpu.backend->common.destroy(e);
  free(states);
  free(last);
  ff_pbn_program_free(program);
  ff_pbn_free(pbn);
}

/* After a failure, further calls return the same error, and the ensemble can be freed. */
static void a_failure_is_final(void) {
  ff_error err, again;
  net_shape shape = {.nodes = 6, .max_functions = 2, .max_parents = 3, .perturbation = 0.01};
  ff_pbn *pbn = net_random_make(&shape, 80);
  ff_pbn_program *program = NULL;
  ff_ensemble *e = NULL;
  if (pbn == NULL) return;
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, FF_LAYOUT_SLICED, &err), &err);
  FF_CHECK_FAILS(gpu.backend->create(&e, program, &(ff_ensemble_options){.kernel = "table"}, &err), FF_EARGUMENT, &err,
                 "no kernel");
  FF_CHECK(e == NULL);
  FF_CHECK_OK(gpu.backend->create(&e, program, &(ff_ensemble_options){.kernel = "interpreter", .units = 1}, &err), &err);
  int ready = 0;
  for (ff_status status = FF_OK; status == FF_OK && !ready;) status = gpu.backend->common.ready(e, 0.05, &ready, &err);
  const uint64_t more = gpu.backend->common.info(e).capacity + 1;
  for (int i = 0; i < 2; i++) FF_CHECK_FAILS(gpu.backend->common.start(e, 1, 0, more, &again), FF_EINTERNAL, &again, "fit");
  gpu.backend->common.destroy(e);
  gpu.backend->common.destroy(NULL);
  ff_pbn_program_free(program);
  ff_pbn_free(pbn);
}

/* A device that does not exist is refused, and the others continue. compute-sanitizer reports CUDA's own refusal as an error. */
static void absent_device(void) {
  ff_error err;
  net_shape shape = {.nodes = 6, .max_functions = 2, .max_parents = 3, .perturbation = 0.01};
  ff_pbn *pbn = net_random_make(&shape, 81);
  ff_pbn_program *program = NULL;
  ff_ensemble *e = NULL;
  const ff_ensemble_options absent = {.device = 1000};
  if (pbn == NULL) return;
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, FF_LAYOUT_SLICED, &err), &err);
  FF_CHECK_FAILS(gpu.backend->create(&e, program, &absent, &err), FF_EBACKEND, &err, "device");
  FF_CHECK(gpu.backend->create(&e, program, &absent, NULL) == FF_EBACKEND && e == NULL);
  FF_CHECK_OK(gpu.backend->create(&e, program, &(ff_ensemble_options){.kernel = "interpreter", .units = 1}, &err), &err);
  gpu.backend->common.destroy(e); /* not ready yet */
  ff_pbn_program_free(program);
  ff_pbn_free(pbn);
}

/* Removes the options from the arguments. Returns how many arguments remain: the backend, then the tests. */
static int take_options(int argc, char **argv) {
  int left = 1;
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "nodes=", 6) == 0)
      gpu.most_nodes = (uint32_t)strtoul(argv[i] + 6, NULL, 10);
    else if (strncmp(argv[i], "cache=", 6) == 0)
      gpu.cache = argv[i] + 6;
    else
      argv[left++] = argv[i];
  }
  return left;
}

int main(int argc, char **argv) {
  static const ff_check_test tests[] = {{"generated", generated},
                                        {"interpreter", interpreter},
                                        {"sliced_asynchronous", sliced_asynchronous},
                                        {"table_synchronous", table_synchronous},
                                        {"table_asynchronous", table_asynchronous},
                                        {"long_run", long_run},
                                        {"more_than_a_wave", more_than_a_wave},
                                        {"sums_of_any_size", sums_of_any_size},
                                        {"a_failure_is_final", a_failure_is_final},
                                        {"absent_device", absent_device}};
  ff_error err;
  ff_backend_library *library = NULL;
  ff_device device;
  uint32_t n = 0;
  argc = take_options(argc, argv);
  ff_status status = argc > 1 ? ff_backend_open(&library, argv[1], &err)
                              : ff_error_set(&err, FF_EARGUMENT,
                                             "gpu_check fireflip_cuda.so [nodes=N] [cache=FOLDER] [test ...]");
  const ff_backend *backend = NULL;
  if (status == FF_OK) status = ff_backend_table(library, &backend, &err);
  if (status == FF_OK) status = backend->devices(&device, 1, &n, &err);
  if (status != FF_OK || n == 0) {
    printf("%s\n", status != FF_OK ? err.text : "no GPU");
    return 2;
  }
  gpu.backend = backend->interface(FF_PBN_INTERFACE);
  if (gpu.backend == NULL) {
    printf("the backend does not run Boolean networks\n");
    return 2;
  }
  printf("%s, compute capability %u.%u, %u multiprocessors\n", device.name, device.major, device.minor, device.processors);
  int failed = ff_check_main("gpu", tests, sizeof tests / sizeof tests[0], argc - 1, argv + 1);
  ff_backend_close(library);
  return failed;
}
