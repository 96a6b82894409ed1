/* Compilation of generated code by NVRTC itself, without a GPU. A test includes check.h first. */
#ifndef FF_TESTS_NVRTC_H
#define FF_TESTS_NVRTC_H

#include <string.h>

#include "../../src/cuda/runtime/ff_compile.h"

/* Compiles a text by the program `compiler`, for an option such as "--gpu-architecture=sm_90". Returns the outcome, and in *holds
 * whether the content contains `part`; -1 after a failed check. */
static inline int nvrtc_compile(const char *compiler, const char *arch, const char *text, const char *part, int *holds) {
  const char *const options[] = {arch, "--std=c++17", "-fmad=false", "-default-device"};
  const ff_compile_input input = {.options = options, .n_options = 4, .text = text, .newest = 13};
  ff_compile *c = NULL;
  ff_error err;
  int done = 0;
  *holds = 0;
  ff_status status = ff_compile_start(&c, compiler, &input, &err);
  while (status == FF_OK && !done) status = ff_compile_wait(c, 1, &done, &err);
  FF_CHECK_OK(status, &err);
  if (!done) {
    ff_compile_free(c);
    return -1;
  }
  const ff_compile_answer a = ff_compile_get(c);
  const size_t n = strlen(part);
  for (size_t i = 0; i + n <= a.bytes && !*holds; i++) *holds = memcmp(a.content + i, part, n) == 0;
  if (a.outcome != FF_COMPILED && !*holds) printf("%.2000s\n", a.content);
  if (a.outcome == FF_COMPILED) FF_CHECK(memcmp(a.content, "\177ELF", 4) == 0 && ff_maker_is_there(a.maker));
  const int outcome = (int)a.outcome;
  ff_compile_free(c);
  return outcome;
}

#endif
