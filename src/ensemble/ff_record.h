/* What is recorded of trajectories: their states at given times or statistics of these, and firings. */
#ifndef FF_RECORD_H
#define FF_RECORD_H

#include <stdatomic.h>

#include "ff_engine.h"

/* What a run wants. The process is borrowed. Copies of the options, except the arrays of `states` and `stopped`. */
typedef struct {
  const ff_process *process;
  uint64_t n, max_firings;
  uint64_t max_bytes, product_bytes; /* of histograms; of the sums of products of a thread */
  double moment_bytes;               /* of a thread */
  uint32_t n_times, n_observed;
  double *times, *since; /* the times, and the times since the start */
  double **states;
  const double *stopped; /* NULL, or when trajectories have ended: their variables do not change any more */
  double start;
  uint32_t *observed;
  uint8_t *real; /* for each observed quantity: 1 if it is a real number */
  uint32_t *needed, n_needed; /* the items that observed variables depend on, ascending */
  unsigned sums;
  double cost; /* of the record of a state, in the time that it takes to add a count to its sums */
} ff_wanted;

ff_status ff_wanted_new(ff_wanted *wanted, const ff_process *process, const ff_run_options *options, ff_error *err);
void ff_wanted_free(ff_wanted *wanted);

/* The moments of all threads may take so many bytes, or there is one thread. They never refuse a run: one thread needs them. */
#define FF_RUN_MAX_MOMENTS 0x1p33

/* The number of threads, up to this one, of which each has a trajectory and all have memory for their moments and products. */
int ff_wanted_threads(const ff_wanted *wanted, int threads);

typedef struct {
  uint64_t trajectory;
  double time;
  uint32_t what;
} ff_firing;

/* What all threads share: the memory of histograms that are not merged, the firings, and whether histograms must be merged before
 * the threads go on. */
typedef struct {
  atomic_uint_least64_t bytes, firings;
  atomic_int full;
} ff_shared;

/* What a thread has recorded. The order of the records does not matter. */
typedef struct {
  ff_sums sums;
  ff_firing *firing;
  size_t n_firings, firings_room;
  uint64_t bytes;
  double *value, *state, *stack; /* of the observed quantities; of the items; for formulas */
  ff_shared *shared;
} ff_record;

ff_status ff_record_new(ff_record *record, const ff_wanted *wanted, ff_shared *shared, ff_error *err);
void ff_record_free(ff_record *record);

/* FF_ESIZE: the histograms take more than max_bytes. */
ff_status ff_refuse_bytes(const ff_wanted *wanted, ff_error *err);

/* The most entries that histograms can have if they take at most max_bytes; 0 if there are none. */
uint64_t ff_most_entries(const ff_wanted *wanted);

/* Records a trajectory's state at the time with number `at`. If a condition has ended the trajectory before, wanted->stopped has
 * the time of this, and variables have that time. Item i of the state is count[i * stride]. FF_ESIZE if the
 * histograms of this thread alone exceed max_bytes. If only those of all threads together do, shared->full becomes 1. */
ff_status ff_record_state(ff_record *record, const ff_wanted *wanted, uint64_t trajectory, uint32_t at,
                          const double *count, size_t stride, ff_error *err);

/* Looks at the size of histograms to which others have added, as ff_record_state() does. O(histograms). */
ff_status ff_record_look(ff_record *record, const ff_wanted *wanted, ff_error *err);

/* FF_ESIZE: there are more than max_firings firings. */
ff_status ff_refuse_firings(const ff_wanted *wanted, ff_error *err);

/* Records a firing. FF_ESIZE if there are too many. */
ff_status ff_record_firing(ff_record *record, const ff_wanted *wanted, uint64_t trajectory, double time,
                           uint32_t what, ff_error *err);

#endif
