/* Compiles CUDA C by NVRTC in a process of its own (cuda/nvrtc/fireflip_nvrtc.c), which can be killed. Plain POSIX. */
#ifndef FF_COMPILE_H
#define FF_COMPILE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"
#include "ff_compile_frame.h"

typedef struct ff_compile ff_compile;

typedef struct {
  const char *const *options; /* NVRTC's */
  int n_options;
  const char *text;           /* a whole translation unit */
  int newest;                 /* the newest major version of NVRTC whose code is wanted */
} ff_compile_input;

/* Starts `program` (the path of fireflip_nvrtc) and gives it the input, which is copied. To be given back to ff_compile_free.
 * Milliseconds. FF_EBACKEND where the program cannot be started. */
ff_status ff_compile_start(ff_compile **out, const char *program, const ff_compile_input *input, ff_error *err);

/* Waits for `seconds` at most, or until a signal comes; *done becomes 1 once there is an answer. FF_EBACKEND where the process
 * ended without one; the same again if it is called again. */
ff_status ff_compile_wait(ff_compile *compile, double seconds, int *done, ff_error *err);

/* What came of it, once it is done; the texts are valid until ff_compile_free. */
typedef struct {
  ff_compiled outcome;
  const char *maker;   /* the compiler's name (ff_maker_name); empty if unknown */
  const char *content; /* a cubin, a log, or a reason; terminated */
  size_t bytes;        /* of the content */
} ff_compile_answer;
ff_compile_answer ff_compile_get(const ff_compile *compile);

/* Kills the process where it is still at work, and waits for its end. */
void ff_compile_free(ff_compile *compile);

#ifdef __cplusplus
}
#endif

#endif
