/* What the two kernels of the sliced program share: the memory of the tiles on the device, their initial states, and the
 * counts. */
#ifndef FF_SLICE_H
#define FF_SLICE_H

#include "ff_pbn_ensemble.h"
#include "ff_slice_image.h"

typedef struct {
  ff_slice_image image; /* its pointers are the device's */
  void *memory;
  uint32_t *state, *counters, *next;
} ff_slice_device;

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the image of the program to the device and fills *out. The caller calls ff_slice_release(), also after an error. O(size
 * of the program). */
ff_status ff_slice_upload(ff_slice_device *out, const ff_pbn_program *program, ff_error *err);
/* Frees all device memory of *device and clears it. *device may be all zero. */
void ff_slice_release(ff_slice_device *device);
/* Bytes of device memory per tile: its state and its counters. */
uint64_t ff_slice_tile_bytes(const ff_pbn_program *program);
/* Allocates the states and counters of e->capacity tiles. */
ff_status ff_slice_allocate(ff_slice_device *device, ff_ensemble *e, ff_error *err);
/* Draws the initial states of the wave's tiles and clears their counters. Queued on the ensemble's stream. */
ff_status ff_slice_start(ff_slice_device *device, ff_ensemble *e, ff_error *err);
/* Adds the counters to e->counts and e->changes, fills e->after, and clears the counters. Queued on the ensemble's stream. */
ff_status ff_slice_spill(ff_slice_device *device, ff_ensemble *e, ff_error *err);
/* Copies the state of tile `tile` of the wave to `rows` (n_nodes rows of FF_ROW_WORDS words). */
ff_status ff_slice_state(ff_slice_device *device, ff_ensemble *e, uint64_t tile, uint64_t *rows, ff_error *err);
/* Copies the last values of the first n terms in trajectories 0 to 63 of tile `tile` of the wave: one word per term. */
ff_status ff_slice_terms(ff_slice_device *device, ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err);
/* The parameter of a kernel that runs `steps` steps. It borrows all memory that it names. */
ff_slice_launch ff_slice_launch_of(const ff_slice_device *device, const ff_ensemble *e, uint64_t steps, int count, int fresh);

#ifdef __cplusplus
}
#endif

#endif
