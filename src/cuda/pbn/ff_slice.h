/* What the two kernels of the sliced program share: a tile's memory on the device, where it starts, and what counters hold. */
#ifndef FF_SLICE_H
#define FF_SLICE_H

#include "ff_ensemble.h"
#include "ff_slice_image.h"

typedef struct {
  ff_slice_image image; /* of the device */
  void *memory;
  uint32_t *state, *counters, *next;
} ff_slice_device;

#ifdef __cplusplus
extern "C" {
#endif

ff_status ff_slice_upload(ff_slice_device *out, const ff_program *program, ff_error *err);
void ff_slice_release(ff_slice_device *device);
uint64_t ff_slice_tile_bytes(const ff_program *program);
ff_status ff_slice_allocate(ff_slice_device *device, ff_ensemble *e, ff_error *err);
ff_status ff_slice_start(ff_slice_device *device, ff_ensemble *e, ff_error *err);
ff_status ff_slice_spill(ff_slice_device *device, ff_ensemble *e, ff_error *err);
ff_status ff_slice_state(ff_slice_device *device, ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err);
ff_status ff_slice_terms(ff_slice_device *device, ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err);
ff_slice_launch ff_slice_launch_of(const ff_slice_device *device, const ff_ensemble *e, uint64_t steps, int count, int fresh);

#ifdef __cplusplus
}
#endif

#endif
