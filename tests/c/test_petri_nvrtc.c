/* Kernels for Petri nets are code for NVRTC, too: other tests compile it for this processor, whose compiler knows more types and
 * functions. Nothing is run. */
#include "petri_code.h"
#include "nvrtc.h"
#include "petri_hostile.h"
#include "petri_instant.h"
#include "petri_small.h"
#include "petri_stiff.h"

#include "../../src/cuda/petri/windows/ff_petri_tissue_data.h"
#include "../../src/cuda/runtime/ff_expand.h"

static char compiler[4096]; /* path of fireflip_nvrtc, which is in the folder of this program */

static int nvrtc_is_there(void) {
  int holds;
  return nvrtc_compile(compiler, "--gpu-architecture=sm_90", "extern \"C\" __global__ void k(int *x) { *x = 1; }\n",
                       "was not found", &holds) == FF_COMPILED;
}

static void compile(const ff_petri_code *code, const char *headers, const char *arch, const char *kernel, const char *what) {
  const char *const parts[] = {code->definitions, headers, code->functions};
  char *unit = NULL;
  ff_error err;
  int holds;
  FF_CHECK_OK(ff_expand(&unit, ff_texts(), parts, 3, &err), &err);
  if (unit == NULL) return;
  const int outcome = nvrtc_compile(compiler, arch, unit, kernel, &holds);
  FF_CHECK_SAY(outcome == FF_COMPILED && holds, "%s: %d\n", what, outcome);
  free(unit);
}

/* The kernel of an ensemble. */
static void compile_ensemble(petri_text *x, const char *arch, const char *what) {
  code_case of = {.what = what, .program = x->program, .last = 1, .units = 1};
  if (x->program == NULL) return;
  code_ask(&of);
  FF_CHECK_OK(ff_petri_code_new(&of.code, x->program, &of.request, FF_PETRI_CODE_SHARED, &x->err), &x->err);
  if (of.code.functions != NULL) compile(&of.code, FF_PETRI_CODE_HEADERS, arch, "p_kernel", what);
  ff_petri_code_free(&of.code);
}

/* Short code, for the oldest devices; and code with a pool and bounds. */
static void small_nets_compile(void) {
  if (!nvrtc_is_there()) FF_SKIP("NVRTC is not here");
  for (int i = 0; i < 2; i++) {
    petri_text x = {0};
    small_compile(&x, &small_nets[i]);
    compile_ensemble(&x, i == 0 ? "--gpu-architecture=sm_75" : "--gpu-architecture=sm_90", small_nets[i].what);
    petri_end(&x);
  }
}

/* Immediate transitions, clocks, crossings, and implicit steps. */
static void kinds_of_nets_compile(void) {
  static const hostile_net *const nets[] = {instant_nets + 0, clock_nets + 4, switch_nets + 0, stiff_nets + 10};
  if (!nvrtc_is_there()) FF_SKIP("NVRTC is not here");
  for (int i = 0; i < 4; i++) {
    petri_text x = {0};
    hostile_write(&x, nets[i]->text);
    petri_compile(&x, &(ff_petri_options){.integrator = nets[i]->integrator});
    compile_ensemble(&x, "--gpu-architecture=sm_75", nets[i]->what);
    petri_end(&x);
  }
}

static void blocks_of_large_nets_compile(void) {
  petri_text x = {0};
  ff_petri_blocks *blocks = NULL;
  ff_petri_tissue_data d = {0};
  code_case of = {.what = "calcium", .last = 1, .units = 1};
  if (!nvrtc_is_there()) FF_SKIP("NVRTC is not here");
  x.status = petri_calcium(&x.net, 3, 3, &x.err);
  petri_compile(&x, &(ff_petri_options){0});
  of.program = x.program;
  if (of.program != NULL) code_ask(&of);
  ff_status status = of.program != NULL ? ff_petri_blocks_new(&blocks, of.program, &x.err) : x.status;
  const ff_petri_parts parts = {blocks, &ff_petri_opener_of_windows};
  if (status == FF_OK) status = ff_petri_tissue_data_new(&d, &parts, &of.request, &x.err);
  FF_CHECK_OK(status, &x.err);
  if (status == FF_OK) {
    compile(&d.code[0], FF_PETRI_CODE_BLOCK_HEADERS, "--gpu-architecture=sm_75", "p_sweep_kernel", "calcium");
    ff_petri_tissue_data_free(&d);
  }
  ff_petri_blocks_free(blocks);
  petri_end(&x);
}

#define main tests_main
FF_TEST_MAIN("petri_nvrtc", small_nets_compile, kinds_of_nets_compile, blocks_of_large_nets_compile)
#undef main
int main(int argc, char **argv) {
  char path[4000];
  if (realpath(argv[0], path) == NULL) return 1;
  *strrchr(path, '/') = '\0';
  snprintf(compiler, sizeof compiler, "%.3900s/fireflip_nvrtc", path);
  return tests_main(argc, argv);
}
