/* What is recorded of trajectories: their states at given times or statistics of these, and firings. */
#ifndef FF_SSA_RECORD_H
#define FF_SSA_RECORD_H

#include <stdatomic.h>

#include "../program/ff_ssa_options.h"
#include "../program/ff_ssa_program.h"
#include "ff_ssa_sums.h"

/* What a run wants. Copies of the options, except the arrays of `states` and `stopped`. */
typedef struct {
  const ff_ssa_program *program;
  uint64_t n, max_firings;
  uint64_t max_bytes, product_bytes; /* of histograms; of the sums of products of a thread */
  uint32_t n_times, n_observed;
  double *times, *since; /* the times, and the times since the start */
  double **states;
  const double *stopped; /* NULL, or when trajectories have ended: their variables do not change any more */
  double start;
  uint32_t *observed;
  uint8_t *real; /* for each observed quantity: 1 if it is a real number */
  int any_variable;
  unsigned sums;
  double cost; /* of the record of a state, in the time that it takes to add a count to its sums */
} ff_ssa_wanted;

ff_status ff_ssa_wanted_new(ff_ssa_wanted *wanted, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err);
void ff_ssa_wanted_free(ff_ssa_wanted *wanted);

typedef struct {
  uint64_t trajectory;
  double time;
  uint32_t reaction;
} ff_ssa_firing;

/* What all threads share: the memory of histograms that are not merged, the firings, and whether histograms must be merged before
 * the threads go on. */
typedef struct {
  atomic_uint_least64_t bytes, firings;
  atomic_int full;
} ff_ssa_shared;

/* What a thread has recorded. The order of the records does not matter. */
typedef struct {
  ff_ssa_sums sums;
  ff_ssa_firing *firing;
  size_t n_firings, firings_room;
  uint64_t bytes;
  double *value, *state, *stack; /* of the observed quantities; of the species; for formulas */
  ff_ssa_shared *shared;
} ff_ssa_record;

ff_status ff_ssa_record_new(ff_ssa_record *record, const ff_ssa_wanted *wanted, ff_ssa_shared *shared, ff_error *err);
void ff_ssa_record_free(ff_ssa_record *record);

/* FF_ESIZE: the histograms take more than max_bytes. */
ff_status ff_ssa_refuse_bytes(const ff_ssa_wanted *wanted, ff_error *err);

/* The most entries that histograms can have if they take at most max_bytes; 0 if there are none. */
uint64_t ff_ssa_most_entries(const ff_ssa_wanted *wanted);

/* Records a trajectory's state at the time with number `at`. If a condition has ended the trajectory before, wanted->stopped has
 * the time of this, and variables have that time. The count of species s is count[s * stride]. FF_ESIZE if the
 * histograms of this thread alone exceed max_bytes. If only those of all threads together do, shared->full becomes 1. */
ff_status ff_ssa_record_state(ff_ssa_record *record, const ff_ssa_wanted *wanted, uint64_t trajectory, uint32_t at,
                              const double *count, size_t stride, ff_error *err);

/* Looks at the size of histograms to which others have added, as ff_ssa_record_state() does. O(histograms). */
ff_status ff_ssa_record_look(ff_ssa_record *record, const ff_ssa_wanted *wanted, ff_error *err);

/* FF_ESIZE: there are more than max_firings firings. */
ff_status ff_ssa_refuse_firings(const ff_ssa_wanted *wanted, ff_error *err);

/* Records a firing. FF_ESIZE if there are too many. */
ff_status ff_ssa_record_firing(ff_ssa_record *record, const ff_ssa_wanted *wanted, uint64_t trajectory, double time,
                               uint32_t reaction, ff_error *err);

#endif
