/* The CUDA backend's only exported symbol: its table, with the engines that it serves. */
#include <string.h>

#include "pbn/ff_ensemble.h"

static const void *interface(const char *engine) { return strcmp(engine, FF_PBN_INTERFACE) == 0 ? &ff_cuda_pbn : NULL; }

extern "C" __attribute__((visibility("default"))) const ff_backend *fireflip_backend(void) {
  static const ff_backend table = {FF_BACKEND_ABI, sizeof(ff_backend), ff_backend_build(), "cuda", ff_cuda_devices, interface};
  return &table;
}
