/* Compiles CUDA C with NVRTC in a separate process (cuda/nvrtc/fireflip_nvrtc.c), which can be killed. Uses POSIX only.
 *
 * NVRTC cannot be interrupted, and the process shares no memory, threads or signals with R. It is killed on Ctrl-C, at the end of
 * the run and at the end of R, and ends by itself when the socket to its parent closes. PR_SET_PDEATHSIG would not do: it reports
 * the end of the thread that started the process, and devices are prepared in threads that end early. */
#ifndef FF_COMPILE_H
#define FF_COMPILE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"
#include "ff_compile_frame.h"

typedef struct ff_compile ff_compile;

typedef struct {
  const char *const *options; /* NVRTC's options */
  int n_options;
  const char *text;           /* a complete translation unit */
  int newest;                 /* the highest major version of NVRTC that may be used */
} ff_compile_input;

/* Starts `program` (the path of fireflip_nvrtc) and sends it the input, which is copied. Takes milliseconds. The caller frees
 * *out with ff_compile_free(). FF_EBACKEND if the program cannot be started. */
ff_status ff_compile_start(ff_compile **out, const char *program, const ff_compile_input *input, ff_error *err);

/* Waits until there is an answer, for `seconds` at most, or until a signal arrives. *done becomes 1 once there is an answer.
 * FF_EBACKEND if the process ended without an answer; further calls then return the same error. */
ff_status ff_compile_wait(ff_compile *compile, double seconds, int *done, ff_error *err);

/* The answer. Valid once *done is 1; its texts belong to `compile` and are valid until ff_compile_free(). */
typedef struct {
  ff_compiled outcome;
  const char *maker;   /* the compiler's name (ff_maker_name); empty if unknown */
  const char *content; /* a cubin, a log, or a reason, by the outcome; terminated */
  size_t bytes;        /* size of the content, without the terminating byte */
} ff_compile_answer;
ff_compile_answer ff_compile_get(const ff_compile *compile);

/* Kills the process if it still runs, waits for its end, and frees everything. Accepts NULL. */
void ff_compile_free(ff_compile *compile);

#ifdef __cplusplus
}
#endif

#endif
