/* What the files that add up a wave on the device share. */
#ifndef FF_COLLECT_DEVICE_H
#define FF_COLLECT_DEVICE_H

#include "ff_trajectories.h"

extern "C" {
#include "ff_collect.h"
}

#define EVERYONE 0xFFFFFFFFu /* the lanes of a warp */

typedef unsigned long long word;

/* The largest number of all lanes. */
template <typename T>
__device__ static inline T ff_collect_most(T x) {
  for (int offset = 16; offset > 0; offset /= 2) x = max(x, __shfl_xor_sync(EVERYONE, x, offset));
  return x;
}

/* Lists how often each value occurs in each cell, among trajectories first ... first + n - 1 of the wave, in any order. `words`
 * are those of the cells. FF_ESIZE if the list would have more than max_values entries. The caller frees out->at, also
 * after a failure. O(counts) work on the device, and more for cells with many different values. */
ff_status ff_collect_values_of(ff_collect_values *out, ff_trajectories *e, uint64_t first, uint64_t n, const uint64_t *words,
                               size_t cells, ff_error *err);

/* As ff_collect(), for trajectories that have recorded real numbers. Histograms are not counted. After a failure, nothing is
 * added. */
ff_status ff_collect_reals(ff_trajectories *e, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err);

#endif
