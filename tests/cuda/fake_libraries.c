/* A fake CUDA driver and a fake NVRTC, with the functions that ff_module.cu and fireflip_nvrtc use. One shared object is used
 * under both names. The compiled code is "code", followed by the options and the text, one per line. A compilation takes
 * FAKE_SECONDS (default 0) seconds, adds a byte to the file FAKE_LOG when it begins, and fails with the code FAKE_FAIL. If
 * FAKE_CRASH is set, the process kills itself. */
#define _GNU_SOURCE /* nanosleep */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
  return strcmp(name, "g_kernel") != 0 && strcmp(name, "g_other") != 0;
}
FAKE(cuFuncSetAttribute, void *function, int attribute, int value) { return function == NULL || attribute < 0 || value < 0; }
FAKE(cuFuncGetAttribute, int *value, int attribute, void *function) {
  *value = 32;
  return function == NULL || attribute < 0;
}
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, void *function, int threads, size_t shared) {
  *blocks = shared > 200000 ? 0 : 4;
  return function == NULL || threads < 1;
}
FAKE(cuLaunchKernel, void) { return 0; }
FAKE(cuGetErrorString, int error, const char **text) {
  *text = "not even fake";
  return error < 0;
}

typedef struct {
  char *text, *code;
  size_t bytes;
} fake_program;

FAKE(nvrtcVersion, int *major, int *minor) {
  *major = 12;
  *minor = 8;
  return 0;
}
FAKE(nvrtcCreateProgram, void **program, const char *text, const char *name, int n, const char *const *headers,
     const char *const *names) {
  fake_program *p = calloc(1, sizeof *p);
  if (p != NULL) p->text = malloc(strlen(text) + 1);
  if (p == NULL || p->text == NULL) return 1;
  strcpy(p->text, text);
  *program = p;
  return name == NULL || (n > 0 && (headers == NULL || names == NULL));
}

static void take_time(double seconds) {
  struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left) != 0) {}
}

static void note_in(const char *path) {
  FILE *log = path != NULL ? fopen(path, "a") : NULL;
  if (log == NULL) return;
  fputc('.', log);
  fclose(log);
}

FAKE(nvrtcCompileProgram, void *program, int n, const char *const *options) {
  fake_program *p = program;
  const char *seconds = getenv("FAKE_SECONDS"), *fail = getenv("FAKE_FAIL");
  note_in(getenv("FAKE_LOG"));
  if (getenv("FAKE_CRASH") != NULL) raise(SIGKILL);
  if (seconds != NULL) take_time(atof(seconds));
  if (fail != NULL) return atoi(fail);
  size_t bytes = strlen(p->text) + 8;
  for (int i = 0; i < n; i++) bytes += strlen(options[i]) + 1;
  p->code = malloc(bytes);
  if (p->code == NULL) return 1;
  p->bytes = (size_t)sprintf(p->code, "code\n");
  for (int i = 0; i < n; i++) p->bytes += (size_t)sprintf(p->code + p->bytes, "%s\n", options[i]);
  p->bytes += (size_t)sprintf(p->code + p->bytes, "%s", p->text);
  return 0;
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
  *n = ((fake_program *)program)->bytes;
  return 0;
}
FAKE(nvrtcGetCUBIN, void *program, char *code) {
  const fake_program *p = program;
  memcpy(code, p->code, p->bytes);
  return 0;
}
const char *nvrtcGetErrorString(int code);
const char *nvrtcGetErrorString(int code) { return code == 7 ? "FAKE_BUILTIN" : "FAKE_ERROR"; }
