/* What a run simulates and records, and by which method. */
#ifndef FF_SSA_OPTIONS_H
#define FF_SSA_OPTIONS_H

#include "../../base/ff_simd.h"
#include "../../model/reactions/ff_reactions.h"
#include "ff_ssa_method_kinds.h"

#define FF_SSA_TOLERANCE 0.03
#define FF_SSA_LANES 16 /* trajectories that vectors of the processor advance together */

typedef struct {
  ff_ssa_method method;
  uint64_t key;
  uint64_t first, n;        /* the numbers of the trajectories are first ... first + n - 1, below 2^48 */
  const double *initial;    /* counts at time 0 of each species; NULL for those of the network */
  const double *times;      /* ascending, finite, at least 0 */
  uint32_t n_times;         /* at least 1 */
  const uint32_t *observed; /* species, and variables from n_species on */
  uint32_t n_observed;
  double *const *states;    /* NULL, or for each observed quantity an array for n x n_times values, first by trajectory and then
                             * by time. The caller keeps the arrays until the run is freed. There are no statistics then. */
  unsigned wanted;          /* FF_SSA_COVARIANCE | FF_SSA_HISTOGRAM, for statistics */
  uint64_t max_bytes;       /* of histograms and sums of products; 0 for FF_SSA_MAX_BYTES. Whether they fit does not depend on the
                             * number of threads. All threads together may need this memory once more until their histograms are
                             * merged. */
  uint64_t max_firings;     /* 0, or every firing is kept, up to this number of them */
  const ff_formula *until;  /* NULL, or a trajectory ends as soon as this function of the species is not 0 (NaN is not 0).
                             * Borrowed. From then on its state does not change. */
  double *stopped;          /* NULL, or for each trajectory the time at which it has ended, NaN if it has not. As `states`. */
  const double *starts;     /* NULL, or n x n_species counts at the start, first by trajectory. Borrowed. */
  double start;             /* the time at the start; no time is before it */
  int threads;
  ff_simd simd; /* changes no bit */
  double tolerance; /* of FF_SSA_TAU to FF_SSA_LANGEVIN: the relative change of propensities in a leap; 0 is FF_SSA_TOLERANCE.
                     * Of FF_SSA_ODE: the relative error of a step, and the absolute one of counts; 0 is 1e-8 */
} ff_ssa_options;

#define FF_SSA_MAX_BYTES (UINT64_C(1) << 31)

/* Whether a run looks at the state after every event. */
static inline int ff_ssa_follows_events(const ff_ssa_options *o) { return o->until != NULL || o->max_firings > 0; }

#endif
