/* The CUDA backend's only exported symbol: its table, with the engines that it serves. */
#include <string.h>

#include "pbn/ff_pbn_ensemble.h"
#include "petri/ff_cuda_petri.h"
#include "runtime/ff_jit.h"
#include "ssa/ff_cuda_ssa.h"

static const void *interface(const char *engine) {
  if (strcmp(engine, FF_PBN_INTERFACE) == 0) return &ff_cuda_pbn;
  if (strcmp(engine, FF_PETRI_INTERFACE) == 0) return &ff_cuda_petri;
  return strcmp(engine, FF_SSA_INTERFACE) == 0 ? &ff_cuda_ssa : NULL;
}

static ff_status compiles(const ff_device *device, ff_error *err) {
  return ff_jit_check((int)(device->major * 10 + device->minor), err);
}

extern "C" __attribute__((visibility("default"))) const ff_backend *fireflip_backend(void) {
  static const ff_backend table = {FF_BACKEND_ABI, sizeof(ff_backend), ff_backend_build(), "cuda", ff_cuda_devices, interface,
                                   compiles};
  return &table;
}
