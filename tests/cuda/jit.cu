/* Tests code that is generated at run time, without a GPU: the driver's part (ff_module.cu) is tested with fake_libraries.c, and
 * the declarations of fireflip_nvrtc.c are compared with nvrtc.h. Run with the fake libraries in LD_LIBRARY_PATH.
 * tests/c/test_jit.c tests everything else. */
#include "../../src/cuda/runtime/ff_jit.h"

#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <string.h>
#include <type_traits>

static_assert(NVRTC_SUCCESS == 0 && NVRTC_ERROR_INVALID_OPTION == 5 && NVRTC_ERROR_COMPILATION == 6, "codes of fireflip_nvrtc.c");
static_assert(sizeof(nvrtcResult) == sizeof(int) && sizeof(nvrtcProgram) == sizeof(void *), "types of fireflip_nvrtc.c");
typedef nvrtcResult create(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
typedef nvrtcResult compile(nvrtcProgram, int, const char *const *);
typedef nvrtcResult size_of(nvrtcProgram, size_t *);
typedef nvrtcResult text_of(nvrtcProgram, char *);
static_assert(std::is_same<decltype(nvrtcCreateProgram), create>::value &&
                  std::is_same<decltype(nvrtcCompileProgram), compile>::value &&
                  std::is_same<decltype(nvrtcGetProgramLogSize), size_of>::value &&
                  std::is_same<decltype(nvrtcGetProgramLog), text_of>::value &&
                  std::is_same<decltype(nvrtcGetCUBINSize), size_of>::value &&
                  std::is_same<decltype(nvrtcGetCUBIN), text_of>::value &&
                  std::is_same<decltype(nvrtcVersion), nvrtcResult(int *, int *)>::value &&
                  std::is_same<decltype(nvrtcGetErrorString), const char *(nvrtcResult)>::value,
              "functions of fireflip_nvrtc.c");

static int wrong, passed, failed; /* checks; tests */
static ff_error err;

static void check(int fine, const char *what, int line) {
  wrong += !fine;
  if (!fine) printf("jit.cu:%d: not true: %s\n", line, what);
}
#define CHECK(x) check((x) ? 1 : 0, #x, __LINE__)
#define TEST(x)                             \
  do {                                      \
    const int before = wrong;               \
    x;                                      \
    (wrong == before ? passed : failed)++;  \
  } while (0)

static void the_driver_takes_code_or_says_why(void) {
  ff_module *m = NULL;
  CHECK(ff_module_load(&m, "what is no code", &err) == FF_EARGUMENT && m == NULL && strstr(err.text, "not even fake") != NULL);
  CHECK(ff_module_load(&m, "code", &err) == FF_OK && m != NULL);
  ff_module_free(m);
  ff_module_free(NULL);
  CHECK(ff_module_cuda() == CUDA_VERSION / 1000);
}

static void a_module_has_several_kernels(void) {
  ff_module *m = NULL;
  ff_module_kernel one = {}, other = {};
  CHECK(ff_module_load(&m, "code", &err) == FF_OK);
  if (m == NULL) return;
  CHECK(ff_module_kernel_of(&one, m, "g_kernel", 128, 1000, &err) == FF_OK && one.registers == 32 && one.blocks == 4);
  CHECK(ff_module_kernel_of(&other, m, "g_other", 32, 0, &err) == FF_OK && other.function != NULL);
  CHECK(ff_module_launch(m, &one, 2, 1, 128, 1000, NULL, NULL, &err) == FF_OK);
  CHECK(ff_module_kernel_of(&other, m, "none", 32, 0, &err) == FF_EBACKEND && strstr(err.text, "finding a kernel") != NULL);
  CHECK(ff_module_kernel_of(&other, m, "g_kernel", 32, 300000, &err) == FF_EARGUMENT && strstr(err.text, "does not fit") != NULL);
  ff_module_free(m);
}

static void what_is_compiled_is_loaded(void) {
  static const char *const parts[] = {"#include \"cuda/pbn/ff_generated.h\"\n"};
  ff_jit_request request = {};
  ff_jit *jit = NULL;
  ff_jit_outcome outcome = FF_JIT_COMPILING;
  ff_module_kernel kernel;
  request.parts = parts;
  request.n_parts = 1;
  request.arch = 90;
  ff_status status = ff_jit_start(&jit, &request, &err);
  while (status == FF_OK && outcome == FF_JIT_COMPILING) status = ff_jit_wait(jit, 0.1, &outcome, &err);
  CHECK(status == FF_OK && outcome == FF_JIT_LOADED);
  if (outcome == FF_JIT_LOADED) CHECK(ff_module_kernel_of(&kernel, ff_jit_module(jit), "g_kernel", 128, 0, &err) == FF_OK);
  if (status == FF_OK && outcome != FF_JIT_LOADED) printf("%s\n", ff_jit_reason(jit));
  ff_jit_free(jit);
}

int main(void) {
  TEST(the_driver_takes_code_or_says_why());
  TEST(a_module_has_several_kernels());
  TEST(what_is_compiled_is_loaded());
  printf("jit: %d passed, %d failed\n", passed, failed);
  return failed != 0;
}
