/* What ff_jit.cu asks of the CUDA driver and of NVRTC, without either: one shared object under both names, whose compiler takes
 * FAKE_SECONDS (0.2), fails with FAKE_FAIL, and tells what it saw. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compiles, heard_interrupts;

int fake_compiles(void);
int fake_compiles(void) { return __atomic_load_n(&compiles, __ATOMIC_SEQ_CST); }
int fake_heard_interrupts(void);
int fake_heard_interrupts(void) { return __atomic_load_n(&heard_interrupts, __ATOMIC_SEQ_CST); }

#define FAKE(name, ...)   \
  int name(__VA_ARGS__);  \
  int name(__VA_ARGS__)

FAKE(cuModuleLoadData, void **module, const char *code) {
  *module = (void *)1;
  return memcmp(code, "code", 4) == 0 ? 0 : 1;
}
FAKE(cuModuleUnload, void *module) { return module == NULL; }
FAKE(cuModuleGetFunction, void **function, void *module, const char *name) {
  *function = module;
  return name == NULL;
}
FAKE(cuFuncSetAttribute, void *function, int attribute, int value) { return function == NULL || attribute < 0 || value < 0; }
FAKE(cuFuncGetAttribute, int *value, int attribute, void *function) {
  *value = 32;
  return function == NULL || attribute < 0;
}
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, void *function, int threads, size_t shared) {
  *blocks = 4;
  return function == NULL || threads < 1 || shared > 1u << 30;
}
FAKE(cuLaunchKernel, void) { return 0; }
FAKE(cuGetErrorString, int error, const char **text) {
  *text = "not even fake";
  return error < 0;
}

FAKE(nvrtcVersion, int *major, int *minor) {
  *major = 12;
  *minor = 8;
  return 0;
}
FAKE(nvrtcCreateProgram, void **program, const char *text, const char *name, int n, const char *const *headers,
     const char *const *names) {
  *program = malloc(1);
  return text == NULL || name == NULL || n < 1 || headers == NULL || names == NULL;
}
FAKE(nvrtcCompileProgram, void *program, int n, const char *const *options) {
  sigset_t blocked;
  const char *seconds = getenv("FAKE_SECONDS");
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  __atomic_fetch_add(&heard_interrupts, !sigismember(&blocked, SIGINT), __ATOMIC_SEQ_CST);
  usleep((useconds_t)(1e6 * (seconds != NULL ? atof(seconds) : 0.2)));
  __atomic_fetch_add(&compiles, 1, __ATOMIC_SEQ_CST);
  return getenv("FAKE_FAIL") != NULL ? 6 : program == NULL || n < 1 || options == NULL;
}
FAKE(nvrtcGetProgramLogSize, void *program, size_t *n) {
  *n = 8;
  return program == NULL;
}
FAKE(nvrtcGetProgramLog, void *program, char *log) {
  strcpy(log, "no, no!");
  return program == NULL;
}
FAKE(nvrtcGetCUBINSize, void *program, size_t *n) {
  *n = 100;
  return program == NULL;
}
FAKE(nvrtcGetCUBIN, void *program, char *code) {
  memset(code, 7, 100);
  memcpy(code, "code", 4);
  return program == NULL;
}
FAKE(nvrtcDestroyProgram, void **program) {
  free(*program);
  return 0;
}
