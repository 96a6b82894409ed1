/* Scenarios of test_memory: the input of the kernels on a GPU, a backend's library, and code that is generated at run time. */
#ifndef FF_TESTS_MEMORY_BACKEND_H
#define FF_TESTS_MEMORY_BACKEND_H

#include "../../src/cuda/pbn/ff_generate.h"
#include "../../src/cuda/pbn/ff_slice_image.h"
#include "../../src/cuda/pbn/ff_table_image.h"
#include "../../src/cuda/runtime/ff_jit.h"
#include "files.h"
#include "memory_networks.h"
#include "pretend_module.h"

/* ---- the input of the kernels on a GPU --------------------------------------------------------------------------- */

static void prepare_kernel(ff_layout layout) {
  ff_error err;
  prepare_synchronous();
  static const uint32_t first[] = {0, 1};
  static const double weights[] = {1};
  const ff_observables sets = {1, first, &given.pbn->predictors[0].expr, weights};
  FF_CHECK_OK(ff_pbn_program_new(&given.program, given.pbn, &sets, layout, &err), &err);
}
static void prepare_rows(void) { prepare_kernel(FF_LAYOUT_SLICED); }
static void prepare_table(void) { prepare_kernel(FF_LAYOUT_PACKED); }

static ff_status generates(ff_error *err) {
  ff_generated_text text;
  ff_status status = ff_generate(&text, given.program, &(ff_generate_shape){4, 4, 1}, err);
  CHECK_OUT(status, text.definitions);
  CHECK_OUT(status, text.functions);
  ff_generate_free(&text);
  return status;
}

static ff_status makes_slice_images(ff_error *err) {
  ff_slice_image image;
  void *memory = NULL, *staged = NULL;
  size_t bytes;
  ff_status status = ff_slice_image_new(&image, &memory, &bytes, given.program, err);
  CHECK_OUT(status, memory);
  if (status == FF_OK) {
    status = ff_slice_image_staged(&image, &staged, &bytes, given.program, err);
    CHECK_OUT(status, staged);
  }
  ff_free_aligned(memory);
  ff_free_aligned(staged);
  return status;
}

static ff_status makes_table_image(ff_error *err) {
  static const ff_table_card card = {24576, 24576, 0, 1024};
  ff_step_program image;
  ff_table_plan plan;
  void *memory = NULL;
  size_t bytes;
  ff_table_plan_of(&plan, given.program, &card, 1);
  ff_status status = ff_table_image_new(&image, &memory, &bytes, given.program, &plan, err);
  CHECK_OUT(status, memory);
  ff_free_aligned(memory);
  return status;
}

/* The fake backend is in the folder of this program: see the Makefile. */
static ff_status opens_a_backend(ff_error *err) {
  ff_backend_library *library = NULL;
  ff_status status = ff_backend_open(&library, "build/memory/fake_right.so", err);
  CHECK_OUT(status, library);
  ff_backend_close(library);
  return status;
}

/* ---- code that is generated at run time ------------------------------------------------------------------------------ */

static char code_folder[64];

static void prepare_code(void) {
  char library[600], here[512];
  FF_CHECK(getcwd(here, sizeof here) != NULL);
  snprintf(library, sizeof library, "%s/build/fake", here);
  setenv("LD_LIBRARY_PATH", library, 1); /* for the compiler's process */
  snprintf(code_folder, sizeof code_folder, "/tmp/fireflip-memory-XXXXXX");
  FF_CHECK(mkdtemp(code_folder) != NULL);
}

static void release_code(void) { remove_folder(code_folder); }

/* Uses the compiler in the folder of this program, which loads the fake library instead of NVRTC. */
static ff_status makes_code(double price, ff_error *err) {
  static const char *const parts[] = {"#include \"base/ff_philox.h\"\n", "int kernel;\n"}, *const options[] = {"-DONE=1"};
  const ff_jit_request request = {.parts = parts, .n_parts = 2, .options = options, .n_options = 1, .arch = 90,
                                  .cache = code_folder,
                                  .saves = 1, .price = price};
  ff_jit *jit = NULL;
  ff_jit_outcome outcome = FF_JIT_COMPILING;
  ff_status status = ff_jit_start(&jit, &request, err);
  CHECK_OUT(status, jit);
  while (status == FF_OK && outcome == FF_JIT_COMPILING) status = ff_jit_wait(jit, 0.2, &outcome, err);
  if (status == FF_OK && outcome == FF_JIT_UNAVAILABLE) status = ff_error_set(err, FF_EMEMORY, "%s", ff_jit_reason(jit));
  ff_jit_free(jit);
  return status;
}

static ff_status compiles_code(ff_error *err) {
  empty_folder(code_folder);
  return makes_code(0, err);
}

static ff_status weighs_code(ff_error *err) {
  empty_folder(code_folder);
  return makes_code(1e9, err);
}

static ff_status finds_code(ff_error *err) { return makes_code(0, err); }

#endif
