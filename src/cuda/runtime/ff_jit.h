/* Code that is generated at run time for a model. It is found in a cache, or compiled by NVRTC in a separate process, and then
 * loaded. Call ff_jit_start(), then ff_jit_wait(), then take kernels from the module. Depends on no engine. */
#ifndef FF_JIT_H
#define FF_JIT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"
#include "ff_module.h"

typedef struct ff_jit ff_jit;

typedef struct {
  const char *const *parts;   /* CUDA C, one part after the other; includes are found by their path under src/ (ff_expand.h) */
  const char *const *options; /* in addition to those for the device, C++17, and -fmad=false (a * b + c is rounded twice) */
  int n_parts, n_options;
  int arch;                   /* compute capability: 90 is 9.0 */
  const char *cache;          /* a folder for compiled code (ff_code_cache.h); NULL: no cache */
  double saves, price;        /* seconds that the code saves in this run, and that it must save to be compiled */
} ff_jit_request;

typedef enum {
  FF_JIT_LOADED,
  FF_JIT_COMPILING,   /* call ff_jit_wait() again */
  FF_JIT_NOT_WORTH_IT, /* what it saves, in this run and in earlier ones with the same cache, is below the price */
  FF_JIT_UNAVAILABLE  /* there is no NVRTC, it ended early, or it or the driver does not support this device */
} ff_jit_outcome;

/* Loads the code from the cache, or begins to compile it if that is worthwhile. Takes milliseconds. If several threads or
 * processes with the same cache need the same code, only the first one compiles it. Its ff_jit_wait() stores the code. The others
 * wait for at most a minute. Everything in the request is copied. The caller frees *out with ff_jit_free(). Returns FF_OK for
 * every outcome of ff_jit_wait(); errors are FF_EMEMORY and FF_EINTERNAL. */
ff_status ff_jit_start(ff_jit **out, const ff_jit_request *request, ff_error *err);

/* Waits while the code is compiled, for `seconds` at most, or until a signal arrives. Loads the code in the calling thread's
 * current context. FF_EINTERNAL, with the compiler's message, if the text does not compile. After an error, and after any outcome
 * but FF_JIT_COMPILING, every further call gives the same result. */
ff_status ff_jit_wait(ff_jit *jit, double seconds, ff_jit_outcome *outcome, ff_error *err);

/* A clause that says why the code is not available, or, after FF_JIT_LOADED, why it was not stored in the cache. Empty if there
 * is nothing to say. Valid until the next call. */
const char *ff_jit_reason(const ff_jit *jit);

/* The module, after FF_JIT_LOADED; valid until ff_jit_free(). Borrowed. */
ff_module *ff_jit_module(const ff_jit *jit);
/* Whether the code was in the cache. */
int ff_jit_kept(const ff_jit *jit);

/* Ends a compilation that still runs, and frees everything. Accepts NULL. */
void ff_jit_free(ff_jit *jit);

/* Compiles next to nothing, to find out whether code can be compiled for a device. FF_EUNSUPPORTED, with a clause that says why
 * not. Takes about a tenth of a second, and ten seconds at most. */
ff_status ff_jit_check(int arch, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
