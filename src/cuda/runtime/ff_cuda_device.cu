#include "ff_cuda_device.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern "C" ff_status ff_cuda_check(cudaError_t status, const char *doing, ff_error *err) {
  if (status == cudaSuccess) return FF_OK;
  cudaGetLastError(); /* clears the error, if it can be cleared */
  if (status == cudaErrorMemoryAllocation)
    return ff_error_set(err, FF_EMEMORY,
                        "the GPU has not enough free memory for %s: request less at a time, or free GPU memory elsewhere", doing);
  if (status == cudaErrorNoKernelImageForDevice)
    return ff_error_set(err, FF_EBACKEND,
                        "the CUDA backend has no code for this GPU: install the package again with FIREFLIP_CUDA_ARCH "
                        "set to its compute capability, as in \"80\" (backends() shows it)");
  /* after some failures the process can no longer use the device */
  const int for_good = cudaFree(NULL) != cudaSuccess;
  cudaGetLastError();
  return ff_error_set(err, FF_EBACKEND, "the GPU failed at %s: %s (%s)%s", doing, cudaGetErrorString(status),
                      cudaGetErrorName(status),
                      for_good ? "; this R session can no longer use it: start a new one, or use backend = \"cpu\"" : "");
}

extern "C" ff_status ff_cuda_new(void **out, size_t bytes, const char *what, ff_error *err) {
  *out = NULL;
  ff_status status = ff_cuda_check(cudaMalloc(out, bytes > 0 ? bytes : 1), what, err);
  return status == FF_OK ? ff_cuda_check(cudaMemset(*out, 0, bytes), what, err) : status;
}

extern "C" ff_status ff_cuda_upload(void **out, const void *from, size_t bytes, const char *what, ff_error *err) {
  ff_status status = ff_cuda_new(out, bytes, what, err);
  if (status != FF_OK || bytes == 0) return status;
  return ff_cuda_check(cudaMemcpy(*out, from, bytes, cudaMemcpyHostToDevice), what, err);
}

extern "C" ff_status ff_cuda_room_take(ff_cuda_room *room, size_t bytes, const char *what, ff_error *err) {
  if (bytes <= room->bytes) return FF_OK;
  cudaFree(room->at);
  *room = {};
  /* not cleared, because clearing would happen on another stream */
  ff_status status = ff_cuda_check(cudaMalloc(&room->at, bytes), what, err);
  if (status == FF_OK) room->bytes = bytes;
  return status;
}

/* ---- the current device of the thread ------------------------------------------------------------------------------ */

typedef CUresult (*get_context)(CUcontext *);
typedef CUresult (*set_context)(CUcontext);

/* Uses functions of the driver, because cudaGetDevice() does not tell whether there is a context, and cudaSetDevice() would
 * create one on a device that nobody has selected. If the CUDA runtime is in use, the driver is already loaded. */
static void *driver_function(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD), *found = NULL;
  if (library == NULL) return NULL;
  found = dlsym(library, name);
  dlclose(library);
  return found;
}

extern "C" ff_status ff_cuda_enter(ff_cuda_guard *guard, uint32_t device, ff_error *err) {
  const get_context get = (get_context)driver_function("cuCtxGetCurrent");
  CUcontext context = NULL;
  guard->context = get != NULL && get(&context) == CUDA_SUCCESS ? context : NULL; /* a driver that is not loaded has none */
  const cudaError_t status = cudaSetDevice((int)device);
  if (status == cudaSuccess) return FF_OK;
  cudaGetLastError(); /* not ff_cuda_check(), which would create a context on the thread's current device */
  const ff_status failed = status == cudaErrorMemoryAllocation ? FF_EMEMORY : FF_EBACKEND;
  return ff_error_set(err, failed, "the GPU failed at selecting the device: %s (%s)", cudaGetErrorString(status),
                      cudaGetErrorName(status));
}

extern "C" void ff_cuda_leave(ff_cuda_guard *guard) {
  const set_context set = (set_context)driver_function("cuCtxSetCurrent");
  if (set != NULL) set((CUcontext)guard->context);
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

static ff_status no_driver(cudaError_t status, ff_error *err) {
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver)
    return ff_error_set(err, FF_EBACKEND,
                        "the NVIDIA driver is missing or older than CUDA %d.%d, with which this backend was built: install "
                        "a newer driver, or reinstall fireflip with an older CUDA toolkit",
                        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  if (status == cudaErrorNoDevice)
    return ff_error_set(err, FF_EBACKEND, "the NVIDIA driver finds no GPU: check the hardware and CUDA_VISIBLE_DEVICES");
  return ff_error_set(err, FF_EBACKEND, "the NVIDIA driver does not start: %s (%s)", cudaGetErrorString(status),
                      cudaGetErrorName(status));
}

static void describe(ff_device *out, int index) {
  memset(out, 0, sizeof *out);
  cudaDeviceProp prop;
  cudaError_t status = cudaGetDeviceProperties(&prop, index);
  if (status == cudaSuccess) {
    snprintf(out->name, sizeof out->name, "%.127s", prop.name);
    out->memory = prop.totalGlobalMem;
    out->major = (uint32_t)prop.major;
    out->minor = (uint32_t)prop.minor;
    out->processors = (uint32_t)prop.multiProcessorCount;
    if (prop.major * 10 + prop.minor < 75) {
      snprintf(out->why_not, sizeof out->why_not, "compute capability %d.%d: 7.5 or later is needed", prop.major, prop.minor);
      return;
    }
    int mode = 0; /* no context is created, because the device may be reserved for someone else */
    status = cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index);
    if (mode == cudaComputeModeProhibited) status = cudaErrorDevicesUnavailable;
  }
  out->usable = status == cudaSuccess;
  if (!out->usable) snprintf(out->why_not, sizeof out->why_not, "%s", cudaGetErrorString(status));
  cudaGetLastError();
}

extern "C" ff_status ff_cuda_devices(ff_device *out, uint32_t capacity, uint32_t *n, ff_error *err) {
  int found = 0;
  *n = 0;
  cudaError_t status = cudaGetDeviceCount(&found);
  if (status != cudaSuccess) return no_driver(status, err);
  for (int i = 0; i < found && (uint32_t)i < capacity; i++) describe(&out[i], i);
  *n = (uint32_t)found;
  return FF_OK;
}
