/* What the files of a run share: the run itself, and what its threads work on. */
#ifndef FF_RUN_INTERNAL_H
#define FF_RUN_INTERNAL_H

#include "ff_record.h"
#include "ff_use.h"

#define FF_NO_UNIT UINT64_MAX
#define FF_BETWEEN_LOOKS 16384.0 /* what is recorded between looks at the clock, as ff_wanted counts its cost */

/* What a thread works on, and what it has found. */
typedef struct {
  ff_lanes *lanes; /* may be NULL before this processor works: for a large model, it takes much time and memory */
  uint64_t unit[FF_MAX_LANES]; /* the trajectory on its way in each lane; FF_NO_UNIT if there is none */
  uint32_t at[FF_MAX_LANES];   /* the next time at which its state is wanted */
  double budget;               /* what may be recorded until the thread looks at the clock */
  uint64_t ended; /* a bit for each lane: a condition has ended its trajectory, and its state must be recorded to the end */
  uint64_t complete, steps;    /* of trajectories that are complete */
  ff_record record;
  double *initial; /* counts at the start of the next trajectory; NULL if they are the same for all */
  double *stack;   /* for the condition in all lanes */
  uint64_t failed; /* the trajectory that failed; FF_NO_UNIT if none has */
  ff_status status; /* not FF_OK if the thread has no lanes, and cannot have any */
  ff_error failure; /* of the one or the other */
} ff_worker;

typedef struct ff_waves ff_waves;

struct ff_run {
  ff_process process;
  ff_run_options options; /* its pointers are to what the caller keeps, or to copies of the run */
  ff_wanted wanted;
  double *initial;
  ff_worker *workers;
  int threads;
  int equipped; /* whether all workers have lanes; the first one always has */
  ff_waves *waves; /* of devices; NULL if there are none */
  ff_shared shared;
  int over;         /* whether all trajectories are complete */
  int merging;      /* whether records are being merged into that of the first worker: all sums if it is over, else histograms */
  int merged;       /* whether the first worker's record holds all sums */
  int from;         /* the worker whose record is merged */
  uint32_t at_time; /* the next of its sums */
  ff_sum_place at;  /* and of its histograms */
  atomic_uint_least64_t next;   /* the first trajectory that nobody has begun or keeps for a device */
  atomic_uint_least64_t failed; /* the first trajectory that is known to fail; FF_NO_UNIT if none is */
  double deadline;
};

/* ---- what threads of this processor do (ff_work.c) ---------------------------------------------------------------------- */

/* Makes the lanes of a worker, if it has none. worker->status and worker->failure tell if there is no memory for it. O(lanes x
 * size of the model), without looks at the deadline. */
void ff_worker_equip(const ff_run *run, ff_worker *worker);
/* Simulates trajectories until the deadline, until none is left, or until others must be recorded first. The worker has
 * lanes. */
void ff_run_work(ff_run *run, ff_worker *worker);

/* ---- trajectories that threads have on their way or have completed (ff_worker.c) ------------------------------------ */

/* The number of trajectories that a worker can have on their way; 0 without lanes. */
static inline uint32_t ff_worker_lanes(const ff_worker *worker) {
  return worker->lanes != NULL ? worker->lanes->lanes : 0;
}
/* Whether a trajectory is on its way. */
static inline int ff_worker_busy(const ff_worker *worker) {
  for (uint32_t lane = 0; lane < ff_worker_lanes(worker); lane++)
    if (worker->unit[lane] != FF_NO_UNIT) return 1;
  return 0;
}
/* Drops trajectories after a failed one, because they do not matter. */
void ff_worker_drop(ff_run *run, ff_worker *worker);
/* Notes that a trajectory has failed. Of several failures, that of the first trajectory is kept. */
void ff_worker_fail(ff_run *run, ff_worker *worker, uint64_t unit, const ff_error *failure);
/* How many trajectories the workers have completed, and the steps so far, also of trajectories that are on their way. */
uint64_t ff_workers_complete(const ff_run *run);
uint64_t ff_workers_steps(const ff_run *run);
/* As ff_run_underway(). */
double ff_workers_underway(const ff_run *run);

/* ---- devices (ff_waves.c). `run->waves` may be NULL ---------------------------------------------------------------- */

void ff_waves_free(ff_waves *waves); /* accepts NULL */
/* The number of devices that have a share of the run, or 0. */
int ff_waves_devices(const ff_run *run);
/* Lets the wave of a device go on until the deadline, or until the states of another wave are to be recorded. */
void ff_waves_work(ff_run *run, int device);
/* Records waves that have ended, with all threads, until the deadline, and begins new ones. The run must not be at work. An error
 * if the last device has failed, or there is no memory. */
ff_status ff_waves_collect(ff_run *run, ff_error *err);
/* Whether threads shall return, because a wave has ended. */
int ff_waves_ended(const ff_run *run);
/* The next trajectory that a device has refused and that may still matter, or FF_NO_UNIT. */
uint64_t ff_waves_refused(ff_run *run);
int ff_waves_any_refused(const ff_run *run);
/* Whether trajectories that may still matter are left, either for devices or refused by them. */
int ff_waves_left(const ff_run *run);
/* Trajectories that devices have completed, and their steps, so far. */
uint64_t ff_waves_complete(const ff_run *run);
uint64_t ff_waves_steps(const ff_run *run);

#endif
