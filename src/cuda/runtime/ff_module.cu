#include "ff_module.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void *library;
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleUnload) unload;
  decltype(&cuModuleGetFunction) function;
  decltype(&cuFuncSetAttribute) set;
  decltype(&cuFuncGetAttribute) get;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuGetErrorString) text;
} driver;

struct ff_module {
  driver cuda;
  CUmodule module;
};

template <typename T> static int find(T *out, void *library, const char *name) {
  *out = (T)dlsym(library, name);
  return *out != NULL;
}

#define NAME_OF_(x) #x
#define NAME_OF(x) NAME_OF_(x) /* including a version suffix that the header defines, as in cuMemAlloc_v2 */

static int open_driver(driver *d) {
  d->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return d->library != NULL && find(&d->load, d->library, NAME_OF(cuModuleLoadData)) &&
         find(&d->unload, d->library, NAME_OF(cuModuleUnload)) && find(&d->function, d->library, NAME_OF(cuModuleGetFunction)) &&
         find(&d->set, d->library, NAME_OF(cuFuncSetAttribute)) && find(&d->get, d->library, NAME_OF(cuFuncGetAttribute)) &&
         find(&d->occupancy, d->library, NAME_OF(cuOccupancyMaxActiveBlocksPerMultiprocessor)) &&
         find(&d->launch, d->library, NAME_OF(cuLaunchKernel)) && find(&d->text, d->library, NAME_OF(cuGetErrorString));
}

static const char *text_of(const ff_module *m, CUresult result) {
  const char *text = "unknown";
  m->cuda.text(result, &text);
  return text;
}

static ff_status load(ff_module *m, const char *cubin, ff_error *err) {
  if (!open_driver(&m->cuda)) return ff_error_set(err, FF_EARGUMENT, "the driver's library libcuda.so.1 lacks a function");
  CUresult result = m->cuda.load(&m->module, cubin);
  if (result == CUDA_SUCCESS) return FF_OK;
  m->module = NULL;
  return ff_error_set(err, FF_EARGUMENT, "the driver does not load compiled code (%s)", text_of(m, result));
}

extern "C" ff_status ff_module_load(ff_module **out, const char *cubin, ff_error *err) {
  *out = NULL;
  ff_module *m = (ff_module *)ff_calloc(1, sizeof *m);
  if (m == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  ff_status status = load(m, cubin, err);
  if (status == FF_OK)
    *out = m;
  else
    ff_module_free(m);
  return status;
}

extern "C" void ff_module_free(ff_module *m) {
  if (m == NULL) return;
  if (m->module != NULL) m->cuda.unload(m->module);
  if (m->cuda.library != NULL) dlclose(m->cuda.library);
  free(m);
}

static ff_status check(const ff_module *m, CUresult result, const char *doing, ff_error *err) {
  if (result == CUDA_SUCCESS) return FF_OK;
  return ff_error_set(err, FF_EBACKEND, "the GPU failed at %s: %s; if this happens again, start a new R session, or use "
                                        "backend = \"cpu\"",
                      doing, text_of(m, result));
}

extern "C" ff_status ff_module_occupancy(int *blocks, const ff_module *m, const ff_module_kernel *kernel, int threads,
                                         size_t shared, ff_error *err) {
  return check(m, m->cuda.occupancy(blocks, (CUfunction)kernel->function, threads, shared), "planning a launch", err);
}

extern "C" ff_status ff_module_kernel_of(ff_module_kernel *out, ff_module *m, const char *name, int threads, size_t shared,
                                         ff_error *err) {
  CUfunction function = NULL;
  memset(out, 0, sizeof *out);
  ff_status status = check(m, m->cuda.function(&function, m->module, name), "finding a kernel in compiled code", err);
  out->function = function;
  if (status == FF_OK)
    status = check(m, m->cuda.set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared),
                   "setting the shared memory", err);
  if (status == FF_OK)
    status = check(m, m->cuda.get(&out->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function), "planning a launch", err);
  if (status == FF_OK) status = ff_module_occupancy(&out->blocks, m, out, threads, shared, err);
  if (status == FF_OK && out->blocks == 0)
    status = ff_error_set(err, FF_EARGUMENT, "no generated code: a block does not fit a multiprocessor");
  return status;
}

extern "C" ff_status ff_module_launch(ff_module *m, const ff_module_kernel *kernel, unsigned blocks, unsigned rows,
                                      unsigned threads, size_t shared, void *stream, void **arguments, ff_error *err) {
  return check(m, m->cuda.launch((CUfunction)kernel->function, blocks, rows, 1, threads, 1, 1, (unsigned)shared, (CUstream)stream,
                                 arguments, NULL),
               "launching generated code", err);
}

extern "C" int ff_module_cuda(void) { return CUDA_VERSION / 1000; }
