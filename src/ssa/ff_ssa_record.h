/* What is recorded of trajectories: their states at given times, or statistics of these. */
#ifndef FF_SSA_RECORD_H
#define FF_SSA_RECORD_H

#include "ff_ssa_internal.h"

/* What a run wants. Copies of the options, except the arrays of `states`. */
typedef struct {
  uint64_t n;
  uint32_t n_times, n_observed;
  double *times, **states;
  uint32_t *observed;
} ff_ssa_wanted;

ff_status ff_ssa_wanted_new(ff_ssa_wanted *wanted, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err);
void ff_ssa_wanted_free(ff_ssa_wanted *wanted);

/* What a thread has recorded. The order of the records does not matter. */
typedef struct {
  ff_ssa_moments *moments; /* first by time, then by species */
} ff_ssa_record;

ff_status ff_ssa_record_new(ff_ssa_record *record, const ff_ssa_wanted *wanted, ff_error *err);
void ff_ssa_record_free(ff_ssa_record *record);

/* Records a trajectory's state at the time with number `at`. The count of species s is count[s * stride]. */
void ff_ssa_record_state(ff_ssa_record *record, const ff_ssa_wanted *wanted, uint64_t trajectory, uint32_t at,
                         const double *count, size_t stride);

/* Adds to the statistics of observed species j at time i. */
void ff_ssa_record_merge(ff_ssa_moments *all, const ff_ssa_record *record, const ff_ssa_wanted *wanted, uint32_t i, uint32_t j);

#endif
