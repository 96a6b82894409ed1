/* Compiling CUDA C at run time by NVRTC, keeping the result in a folder, and loading it by the driver: start, wait, kernel_of. */
#ifndef FF_JIT_H
#define FF_JIT_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"

typedef struct ff_jit ff_jit;

typedef struct {
  void *function;
  int registers, blocks; /* of a thread; that a multiprocessor runs at a time */
  int from_cache;
} ff_jit_kernel;

/* Begins to make code of the parts, one after the other (they may include what ff_texts.h holds), for compute capability `arch`
 * (75 ...): loads what `cache` (a folder, made where missing; may be NULL) holds of the same text, else compiles it, in a thread of
 * its own, for a minute may pass and the compiler cannot be interrupted. That it does once the seconds that the code `saves`, in
 * this run and in those before that asked for it with the same cache, reach `price`; till then FF_EARGUMENT. Also that, with the
 * reason, where there is no NVRTC or it does not know the device. FF_EINTERNAL, from ff_jit_wait, where the text does not compile. */
ff_status ff_jit_start(ff_jit **out, const char *const *parts, int n, int arch, const char *cache, double saves, double price,
                       ff_error *err);

/* Waits for `seconds` at most; *ready becomes 1 once the code is loaded. */
ff_status ff_jit_wait(ff_jit *jit, double seconds, int *ready, ff_error *err);

/* A compilation that is on its way is left to itself; what comes of it is kept. */
void ff_jit_free(ff_jit *jit);

ff_status ff_jit_kernel_of(ff_jit_kernel *out, ff_jit *jit, const char *name, int threads, size_t shared, ff_error *err);
ff_status ff_jit_launch(ff_jit *jit, const ff_jit_kernel *kernel, unsigned blocks, unsigned threads, size_t shared,
                        cudaStream_t stream, void **arguments, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
