/* Compares generated code with tiles, bit for bit. The CUDA backend generates the code for a network, and here it is compiled for
 * this processor (32 lanes in a loop). This needs a C compiler at run time, which every machine that builds these tests has. */
#define _GNU_SOURCE /* mkdtemp */
#include <dlfcn.h>
#include <unistd.h>

#include "../../src/cuda/pbn/ff_generate.h"
#include "rows.h"

typedef void (*host_run)(const ff_slice_image *image, const ff_slice_launch *run, uint32_t tile, uint32_t *memory);

/* Compiles the text together with ff_generated.h. Returns NULL after a failed check. */
static void *compile(const ff_generated_text *text, const char *folder, int number) {
  char source[300], object[300], command[1200];
  snprintf(source, sizeof source, "%s/g%d.c", folder, number);
  snprintf(object, sizeof object, "%s/g%d.so", folder, number);
  FILE *file = fopen(source, "w");
  if (file == NULL) return NULL;
  fprintf(file, "%s#include \"cuda/pbn/ff_generated.h\"\n%s", text->definitions, text->functions);
  fclose(file);
  const char *cc = getenv("CC");
  snprintf(command, sizeof command, "%s -std=c11 -O1 -w -fPIC -shared -Isrc '%s' -o '%s'", cc != NULL ? cc : "cc",
           source, object);
  int status = system(command);
  FF_CHECK_SAY(status == 0, "%s", command);
  void *library = status == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (status == 0) FF_CHECK_SAY(library != NULL, "%s", dlerror());
  unlink(source);
  unlink(object);
  return library;
}

typedef struct {
  host_run run;
  ff_slice_image image;
  uint32_t *memory; /* the shared memory of a warp */
} generated;

static void launch(void *kernel, const ff_slice_launch *run) {
  generated *g = kernel;
  g->run(&g->image, run, 0, g->memory);
}

static void check_net(const ff_pbn *pbn, uint32_t most_terms, uint32_t levels, uint64_t key, const char *folder, int number) {
  static const uint64_t steps[] = {5, 21, 14};
  ff_error err;
  ff_pbn_program *program = NULL;
  ff_generated_text text = {0};
  generated g = {0};
  void *memory = NULL, *library = NULL;
  size_t bytes;
  term_list c;
  char what[64];
  snprintf(what, sizeof what, "network %d, %u levels", number, levels);
  choose_terms(&c, pbn, most_terms);
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, &c.observables, FF_LAYOUT_SLICED, &err), &err);
  if (program != NULL && key % 2 == 0) leave_open(program, key, ROWS_UNIT, 3);
  if (program != NULL) FF_CHECK_OK(ff_slice_image_new(&g.image, &memory, &bytes, program, &err), &err);
  if (memory != NULL) FF_CHECK_OK(ff_generate(&text, program, &(ff_generate_shape){4, 4, levels}, &err), &err);
  if (text.functions != NULL) library = compile(&text, folder, number);
  if (library != NULL) {
    *(void **)&g.run = dlsym(library, "g_host");
    g.memory = ff_calloc(text.words, 4);
    FF_CHECK(g.run != NULL);
    if (g.run != NULL && g.memory != NULL) check_rows(launch, &g, &g.image, program, key, steps, what);
    free(g.memory);
    dlclose(library);
  }
  ff_generate_free(&text);
  ff_free_aligned(memory);
  ff_pbn_program_free(program);
}

static const net_shape shapes[] = {
    SMALL_SHAPES,
    {.nodes = 59, .max_functions = 2, .max_parents = 4, .perturbation = 0.001},
    {.nodes = 90, .max_functions = 3, .max_parents = 5, .perturbation = 0.3},
    {.nodes = 90, .max_functions = 1, .max_parents = 4, .perturbation = 0.001},
};

static void generated_code_gives_the_tile(void) {
  char folder[] = "/tmp/fireflip-generate-XXXXXX";
  FF_CHECK(mkdtemp(folder) != NULL);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    ff_pbn *pbn = net_random_make(&shapes[i], 41 + 100 * i);
    if (pbn != NULL)
      check_net(pbn, shapes[i].nodes == 59 ? 32 : 7, (uint32_t)i % (FF_GENERATE_LEVELS + 1), 88888888888u + i, folder, (int)i);
    ff_pbn_free(pbn);
  }
  rmdir(folder);
}

FF_TEST_MAIN("generate", generated_code_gives_the_tile)
