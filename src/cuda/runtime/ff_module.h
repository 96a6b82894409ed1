/* Compiled code on a device: loads it, finds its kernels and launches them, through the CUDA driver (libcuda.so.1, which is
 * opened when needed). */
#ifndef FF_MODULE_H
#define FF_MODULE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"

typedef struct ff_module ff_module;

typedef struct {
  void *function;
  int registers, blocks; /* registers per thread; blocks that a multiprocessor can run at the same time */
} ff_module_kernel;

/* Loads a cubin into the calling thread's current context; `cubin` is not kept. The caller frees *out with ff_module_free().
 * FF_EARGUMENT, with a clause, if there is no driver or the driver refuses the code. */
ff_status ff_module_load(ff_module **out, const char *cubin, ff_error *err);
void ff_module_free(ff_module *module);

/* Finds the kernel of that name (extern "C") for blocks of `threads` threads with `shared` bytes of dynamic shared memory. *out
 * is valid as long as the module. FF_EARGUMENT if a block does not fit. */
ff_status ff_module_kernel_of(ff_module_kernel *out, ff_module *module, const char *name, int threads, size_t shared,
                              ff_error *err);

/* Computes how many blocks of so many threads, with so much dynamic shared memory each, a multiprocessor can run at the same
 * time. It is at most what ff_module_kernel_of() was called with. */
ff_status ff_module_occupancy(int *blocks, const ff_module *module, const ff_module_kernel *kernel, int threads, size_t shared,
                              ff_error *err);

/* Queues a launch of `rows` rows of blocks. `stream` is a cudaStream_t. `arguments` are only read during the call. */
ff_status ff_module_launch(ff_module *module, const ff_module_kernel *kernel, unsigned blocks, unsigned rows, unsigned threads,
                           size_t shared, void *stream, void **arguments, ff_error *err);

/* The major version of CUDA with which this was built. A driver that runs it can load code from NVRTC up to this version. */
int ff_module_cuda(void);

#ifdef __cplusplus
}
#endif

#endif
