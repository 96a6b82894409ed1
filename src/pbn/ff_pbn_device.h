/* The interface "pbn" of a backend: how its devices run tiles of a program.
 *
 * An ensemble is a wave of tiles on one device. Once it is ready, the calls for each wave are start(), steps(), half(),
 * steps(), tally().
 */
#ifndef FF_PBN_DEVICE_H
#define FF_PBN_DEVICE_H

#include "../backend/ff_backend.h"
#include "ff_pbn_engine.h"
#include "ff_pbn_sums.h"

#define FF_PBN_INTERFACE "pbn"

typedef struct {
  ff_ensemble_calls common; /* units are tiles */
  /* Creates an ensemble. The program is borrowed and must outlive it. FF_EBACKEND if the device fails, FF_EMEMORY if not even
   * one tile fits, FF_EARGUMENT if no kernel can run this program. ready() may return these errors too. */
  ff_status (*create)(ff_ensemble **out, const ff_pbn_program *program, const ff_ensemble_options *options, ff_error *err);
  /* Runs steps of all tiles, with or without counting, for about `seconds`. *done is the number of steps that were run, at
   * least 1. */
  ff_status (*steps)(ff_ensemble *ensemble, uint64_t steps, int count, double seconds, uint64_t *done, ff_error *err);
  /* Marks the end of the first half window: all counts so far belong to it. */
  ff_status (*half)(ff_ensemble *ensemble, ff_error *err);
  /* Adds the wave's counts to sums->words and restarts counting from the current state. If it
   * fails, nothing is added. */
  ff_status (*tally)(ff_ensemble *ensemble, const ff_pbn_sums *sums, ff_error *err);
  /* Copies the state of tile `tile` of the wave as 1,024-bit rows (n_nodes x 16 words). For tests. */
  ff_status (*state)(ff_ensemble *ensemble, uint64_t tile, uint64_t *rows, ff_error *err);
  /* Copies the values of the program's first n terms at the last counted step, in trajectories 0 to 63 of tile `tile` of the
   * wave: one word per term. */
  ff_status (*terms)(ff_ensemble *ensemble, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err);
} ff_pbn_device;

#endif
