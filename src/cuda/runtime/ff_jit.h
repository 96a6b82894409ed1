/* Code that is made at run time for a model: found in a cache, or compiled by NVRTC in a process of its own, then loaded.
 * Start, wait, then take kernels from the module. Nothing here knows an engine. */
#ifndef FF_JIT_H
#define FF_JIT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"
#include "ff_module.h"

typedef struct ff_jit ff_jit;

typedef struct {
  const char *const *parts;   /* CUDA C, one after the other; what they include is found by its path under src/ (ff_expand.h) */
  const char *const *options; /* besides those for the device, C++17, and -fmad=false (a * b + c is rounded twice) */
  int n_parts, n_options;
  int arch;                   /* compute capability: 90 is 9.0 */
  const char *cache;          /* a folder for compiled code (ff_code_cache.h); NULL: none */
  double saves, price;        /* seconds that the code saves in this run, and that it has to save before it is compiled */
} ff_jit_request;

typedef enum {
  FF_JIT_LOADED,
  FF_JIT_COMPILING,   /* ask again, by ff_jit_wait */
  FF_JIT_NOT_WORTH_IT, /* what it saves, in this run and those before with the same cache, is below the price */
  FF_JIT_UNAVAILABLE  /* there is no NVRTC, it ended early, or it or the driver does not know this device */
} ff_jit_outcome;

/* Loads the code from the cache, or begins to compile it where that is worth it; milliseconds. All threads and processes that
 * use a cache compile the same code once: the others wait for the first, a minute at most, whose own ff_jit_wait puts the code
 * into the cache. To be given back to ff_jit_free. Everything of the request is copied. FF_OK with all outcomes of ff_jit_wait;
 * errors are FF_EMEMORY and FF_EINTERNAL. */
ff_status ff_jit_start(ff_jit **out, const ff_jit_request *request, ff_error *err);

/* Waits for `seconds` at most, or until a signal comes, while the code is compiled. Loads it in the calling thread's current
 * context. FF_EINTERNAL, with the compiler's message, where the text does not compile. After another outcome than
 * FF_JIT_COMPILING, and after an error, every further call gives the same again. */
ff_status ff_jit_wait(ff_jit *jit, double seconds, ff_jit_outcome *outcome, ff_error *err);

/* A clause that says why the code is not to be had; after FF_JIT_LOADED why it is not kept. Empty where there is nothing to
 * say. Valid until the next call. */
const char *ff_jit_reason(const ff_jit *jit);

/* Once it is loaded: its module, valid until ff_jit_free, and whether it was in the cache. */
ff_module *ff_jit_module(const ff_jit *jit);
int ff_jit_kept(const ff_jit *jit);

/* Ends a compilation that is under way. */
void ff_jit_free(ff_jit *jit);

#ifdef __cplusplus
}
#endif

#endif
