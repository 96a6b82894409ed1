/* What a run simulates and records. */
#ifndef FF_RUN_OPTIONS_H
#define FF_RUN_OPTIONS_H

#include "../base/ff_simd.h"
#include "../model/ff_formula.h"
#include "ff_sums.h"

#define FF_RUN_MAX_BYTES (UINT64_C(1) << 31)

typedef struct {
  int method;               /* of the engine, as it numbers them */
  uint64_t key;
  uint64_t first, n;        /* the numbers of the trajectories are first ... first + n - 1, below 2^48 */
  const double *initial;    /* counts at the start; NULL for those of the model */
  const double *times;      /* ascending, finite, at least 0 */
  uint32_t n_times;         /* at least 1 */
  const uint32_t *observed; /* counts, and variables from n_counts on */
  uint32_t n_observed;
  double *const *states;    /* NULL, or for each observed quantity an array for n x n_times values, first by trajectory and then
                             * by time. The caller keeps the arrays until the run is freed. There are no statistics then. */
  unsigned wanted;          /* FF_COVARIANCE | FF_HISTOGRAM, for statistics */
  uint64_t max_bytes;       /* of histograms and sums of products; 0 for FF_RUN_MAX_BYTES. Whether they fit does not depend on the
                             * number of threads. All threads together may need this memory once more until their histograms are
                             * merged. */
  uint64_t max_firings;     /* 0, or every firing is kept, up to this number of them */
  const ff_formula *until;  /* NULL, or a trajectory ends as soon as this function of the counts is not 0 (NaN is not 0).
                             * Borrowed. From then on its state does not change. */
  double *stopped;          /* NULL, or for each trajectory the time at which it has ended, NaN if it has not. As `states`. */
  const double *starts;     /* NULL, or n x n_counts counts at the start, first by trajectory. Borrowed. */
  double start;             /* the time at the start; no time is before it */
  int threads;              /* at most; fewer if their sums take too much memory */
  ff_simd simd;             /* changes no bit */
  double tolerance;         /* of an approximate method; 0 for its default */
} ff_run_options;

/* Whether a run looks at the state after every step. */
static inline int ff_run_follows(const ff_run_options *o) { return o->until != NULL || o->max_firings > 0; }

#endif
