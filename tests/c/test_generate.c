/* The code that the CUDA backend generates for a network, compiled for this processor (32 lanes in a loop), against tiles:
 * bit for bit. Needs a C compiler at run time, as every machine that builds these tests has. */
#define _GNU_SOURCE /* mkdtemp */
#include <dlfcn.h>
#include <unistd.h>

#include "../../src/cuda/ff_generate.h"
#include "../../src/cuda/ff_slice_image.h"
#include "../../src/pbn/ff_engine_internal.h"
#include "nets.h"

typedef void (*host_run)(const ff_slice_image *image, const ff_slice_launch *run, uint32_t tile, uint32_t *memory);

/* Compiles the text with the frame; NULL after a failed check. */
static void *compile(const ff_generated_text *text, const char *folder, int number) {
  char source[300], object[300], command[1200];
  snprintf(source, sizeof source, "%s/g%d.c", folder, number);
  snprintf(object, sizeof object, "%s/g%d.so", folder, number);
  FILE *file = fopen(source, "w");
  if (file == NULL) return NULL;
  fprintf(file, "%s#include \"ff_generated.h\"\n%s", text->definitions, text->functions);
  fclose(file);
  const char *cc = getenv("CC");
  snprintf(command, sizeof command, "%s -std=c11 -O1 -w -fPIC -shared -Isrc/cuda '%s' -o '%s'", cc != NULL ? cc : "cc",
           source, object);
  int status = system(command);
  FF_CHECK_SAY(status == 0, "%s", command);
  void *library = status == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (status == 0) FF_CHECK_SAY(library != NULL, "%s", dlerror());
  unlink(source);
  unlink(object);
  return library;
}

static ff_slice_launch launch_of(uint64_t key, uint64_t unit) {
  ff_slice_launch run = {.key = key, .unit = unit, .tiles = 1};
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < FF_PHILOX_ROUNDS; round++, k0 += FF_PHILOX_W0, k1 += FF_PHILOX_W1) {
    run.round_key[2 * round] = k0;
    run.round_key[2 * round + 1] = k1;
  }
  return run;
}

static void advance(host_run host, const ff_slice_image *image, ff_slice_launch *run, uint32_t *memory, uint64_t steps,
                    int count) {
  run->steps = steps;
  run->count = count;
  run->fresh = count && run->counted == 0;
  host(image, run, 0, memory);
  run->step += steps;
  if (count) run->counted += (uint32_t)steps;
}

static uint32_t count_of(const uint32_t *counter, uint32_t lane, uint32_t bit, uint32_t counted) {
  uint32_t n = 0;
  for (uint32_t level = 0; level < FF_COUNTER_LEVELS; level++) {
    n += (counter[level * 32 + lane] >> bit & 1) << level;
    if (counted >> level & 1) n += (counter[(FF_COUNTER_HELD + level) * 32 + lane] >> bit & 1) << level;
  }
  return n;
}

static void compare(const ff_slice_image *image, const ff_slice_launch *run, ff_tile *tile, const char *what) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < image->n_nodes; i++)
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      wrong += (int)(run->state[i * 32 + lane / 32] >> (lane % 32) & 1) != ff_tile_get(tile, i, lane);
  FF_CHECK_SAY(wrong == 0, "%s: %u node values differ", what, wrong);
  ff_harvest harvest = ff_tile_harvest(tile);
  for (uint32_t i = 0; i < image->n_terms; i++) {
    const uint32_t *counter = run->counters + (size_t)i * FF_COUNTER_ROWS * 32;
    uint32_t differ = 0, after = 0;
    uint64_t changes = 0;
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      differ += count_of(counter, lane / 32, lane % 32, run->counted) != harvest.counts[(size_t)i * FF_TILE + lane];
    for (uint32_t t = 0; t < 32; t++) {
      after += (uint32_t)__builtin_popcount(counter[FF_COUNTER_BEFORE * 32 + t]);
      changes += counter[FF_COUNTER_CHANGED * 32 + t];
    }
    FF_CHECK_SAY(differ == 0, "%s: %u counts of term %u differ", what, differ, i);
    FF_CHECK_INT(changes, harvest.changes[i]);
    FF_CHECK_INT(run->before[i], harvest.before[i]);
    FF_CHECK_INT(after, harvest.after[i]);
  }
}

static void run_both(const ff_pbn *pbn, const ff_program *program, host_run host, uint32_t words, uint64_t key,
                     const char *what) {
  ff_error err;
  ff_tile *tile = NULL;
  ff_slice_image image;
  void *memory = NULL;
  size_t bytes;
  FF_CHECK_OK(ff_tile_new(&tile, program, FF_SIMD_BEST, &err), &err);
  FF_CHECK_OK(ff_slice_image_new(&image, &memory, &bytes, program, &err), &err);
  ff_slice_launch run = launch_of(key, (UINT64_C(3) << 32) + 11);
  run.state = ff_calloc((size_t)pbn->n_nodes * 32, 4);
  run.counters = ff_calloc((size_t)image.n_terms * FF_COUNTER_ROWS * 32, 4);
  run.before = ff_calloc(image.n_terms, 4);
  uint32_t *own = ff_calloc(words, 4);
  if (tile != NULL && memory != NULL && run.state != NULL && run.counters != NULL && run.before != NULL && own != NULL) {
    ff_tile_start(tile, key, run.unit);
    for (uint32_t i = 0; i < pbn->n_nodes; i++)
      for (uint32_t lane = 0; lane < FF_TILE; lane++)
        run.state[i * 32 + lane / 32] |= (uint32_t)ff_tile_get(tile, i, lane) << (lane % 32);
    ff_tile_advance(tile, 5);
    advance(host, &image, &run, own, 5, 0);
    compare(&image, &run, tile, what);
    ff_tile_count(tile, 21);
    advance(host, &image, &run, own, 21, 1);
    compare(&image, &run, tile, what);
    ff_tile_count(tile, 14);
    advance(host, &image, &run, own, 14, 1);
    compare(&image, &run, tile, what);
  }
  free(run.state);
  free(run.counters);
  free(run.before);
  free(own);
  ff_free_aligned(memory);
  ff_tile_free(tile);
}

static void check_net(const ff_pbn *pbn, uint32_t most_terms, uint64_t key, const char *folder, int number) {
  ff_error err;
  ff_program *program = NULL;
  uint32_t n = pbn->first[pbn->n_nodes] < most_terms ? pbn->first[pbn->n_nodes] : most_terms, first[33] = {0};
  ff_expr terms[32];
  double weights[32];
  for (uint32_t i = 0; i < n; i++) { /* the first three and every fifth are state sets, whose changes are counted */
    first[i + 1] = i + 1;
    terms[i] = pbn->predictors[i].expr;
    weights[i] = i < 3 || i % 5 == 0 ? 1 : 0.25;
  }
  ff_observables observables = {n, first, terms, weights};
  ff_generated_text text = {0};
  char what[64];
  snprintf(what, sizeof what, "network %d", number);
  FF_CHECK_OK(ff_program_new(&program, pbn, &observables, FF_LAYOUT_SLICED, &err), &err);
  if (program != NULL) FF_CHECK_OK(ff_generate(&text, program, 4, 4, &err), &err);
  void *library = text.functions != NULL ? compile(&text, folder, number) : NULL;
  if (library != NULL) {
    host_run host;
    *(void **)&host = dlsym(library, "g_host");
    FF_CHECK(host != NULL);
    if (host != NULL) run_both(pbn, program, host, text.words, key, what);
    dlclose(library);
  }
  ff_generate_free(&text);
  ff_program_free(program);
}

static const net_shape shapes[] = {
    {.nodes = 3, .max_functions = 3, .max_parents = 3, .perturbation = 0.05},
    {.nodes = 5, .max_functions = 4, .max_parents = 4, .perturbation = 0.2, .exempt = 0.3, .fixed = 0.3},
    {.nodes = 12, .max_functions = 2, .max_parents = 8, .perturbation = 0.01, .keep = 0.2},
    {.nodes = 14, .max_functions = 3, .max_parents = 10, .perturbation = 0.001},
    {.nodes = 20, .max_functions = 3, .max_parents = 3, .contexts = 5, .perturbation = 0.1},
    {.nodes = 40, .max_functions = 3, .max_parents = 3, .perturbation = 0},
    {.nodes = 59, .max_functions = 2, .max_parents = 4, .perturbation = 0.001},
    {.nodes = 90, .max_functions = 3, .max_parents = 5, .perturbation = 0.3},
    {.nodes = 90, .max_functions = 1, .max_parents = 4, .perturbation = 0.001},
};

static void generated_code_gives_the_tile(void) {
  char folder[] = "/tmp/fireflip-generate-XXXXXX";
  FF_CHECK(mkdtemp(folder) != NULL);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    ff_pbn *pbn = net_random_make(&shapes[i], 41 + 100 * i);
    if (pbn != NULL) check_net(pbn, i == 6 ? 32 : 7, 88888888888u + i, folder, (int)i);
    ff_pbn_free(pbn);
  }
  rmdir(folder);
}

FF_TEST_MAIN("generate", generated_code_gives_the_tile)
