/* Compiled code on a device: loaded, asked for its kernels, and launched, by the CUDA driver (libcuda.so.1, opened when it is
 * needed). */
#ifndef FF_MODULE_H
#define FF_MODULE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"

typedef struct ff_module ff_module;

typedef struct {
  void *function;
  int registers, blocks; /* of a thread; that a multiprocessor runs at a time */
} ff_module_kernel;

/* Loads a cubin into the calling thread's current context. To be given back to ff_module_free. FF_EARGUMENT, with a clause, where
 * there is no driver or it does not take the code. */
ff_status ff_module_load(ff_module **out, const char *cubin, ff_error *err);
void ff_module_free(ff_module *module);

/* The kernel of that name (extern "C"), with `shared` bytes of dynamic shared memory. FF_EARGUMENT where a block does not fit. */
ff_status ff_module_kernel_of(ff_module_kernel *out, ff_module *module, const char *name, int threads, size_t shared,
                              ff_error *err);

/* `stream` is a cudaStream_t. */
ff_status ff_module_launch(ff_module *module, const ff_module_kernel *kernel, unsigned blocks, unsigned threads, size_t shared,
                           void *stream, void **arguments, ff_error *err);

/* The major version of CUDA that this was built with: drivers that run it load the code of NVRTC up to this one. */
int ff_module_cuda(void);

#ifdef __cplusplus
}
#endif

#endif
