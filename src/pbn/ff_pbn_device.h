/* How a backend's devices run tiles of a program: the interface "pbn" of a backend.
 *
 * An ensemble is a wave of tiles on one device: once it is ready, start, steps, half, steps, tally; then the next wave.
 */
#ifndef FF_PBN_DEVICE_H
#define FF_PBN_DEVICE_H

#include "../backend/ff_backend.h"
#include "ff_engine.h"
#include "ff_sums.h"

#define FF_PBN_INTERFACE "pbn"

typedef struct {
  ff_ensemble_calls common; /* units are tiles */
  /* Borrows the program. FF_EBACKEND for what the device refuses, FF_EMEMORY where not even one tile fits, FF_EARGUMENT where no
   * kernel runs this program; all may come from ready() as well. */
  ff_status (*create)(ff_ensemble **out, const ff_program *program, const ff_ensemble_options *options, ff_error *err);
  /* Runs steps of all tiles, counted or not, for about `seconds`; *done are the steps run, at least 1. */
  ff_status (*steps)(ff_ensemble *ensemble, uint64_t steps, int count, double seconds, uint64_t *done, ff_error *err);
  /* Half time: what has been counted is the first half. */
  ff_status (*half)(ff_ensemble *ensemble, ff_error *err);
  /* Adds the wave's counts to sums->words, and counting starts anew from the present state. If it fails, nothing is added. */
  ff_status (*tally)(ff_ensemble *ensemble, const ff_sums *sums, ff_error *err);
  /* The state as 1,024-bit rows (n_nodes x 16 words) of tile `tile` of the wave: for tests. */
  ff_status (*state)(ff_ensemble *ensemble, uint64_t tile, uint64_t *rows, ff_error *err);
  /* What the program's first n terms were at the last counted step in trajectories 0 to 63 of tile `tile` of the wave: a word each. */
  ff_status (*terms)(ff_ensemble *ensemble, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err);
} ff_pbn_device;

#endif
