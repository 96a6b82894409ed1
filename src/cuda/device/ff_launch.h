/* What all kernels for trajectories read: the wave, what is recorded, and the trajectories that are on their way. The same text
 * is compiled for the device (also at run time) and for the host. */
#ifndef FF_LAUNCH_H
#define FF_LAUNCH_H

#include "../../base/ff_philox.h"
#include "../../ensemble/ff_fired.h"

/* Counters of a wave. */
typedef struct {
  uint64_t begun;    /* trajectories */
  uint64_t complete; /* or refused */
  uint64_t steps;    /* of complete trajectories */
  uint64_t fired;    /* firings in the list of the launch */
} ff_wave_counters;

/* A launch lets trajectories of `slots` make about `steps` steps at most, for about so many nanoseconds. A slot whose
 * trajectory is complete begins the next one of the wave. A limit of time rather than of steps lets all warps end together,
 * although a multiprocessor prefers some of them. The trajectories of a wave are numbered from 0: number k is trajectory
 * first + k.
 *
 * There may be more slots than the device can run at the same time. Then a launch runs some of them, from number `from` on; slot
 * 0 comes after the last one. The next launch goes on with those that come after, so that all get equal shares of the time. */
typedef struct {
  uint64_t key, first;
  uint64_t units;      /* trajectories of the wave, below 2^32 - slots */
  uint64_t nanoseconds;
  uint32_t slots, steps; /* slots: a multiple of the threads of a block */
  uint32_t from;       /* the slot of the first thread or warp: a multiple of the slots of a block */
  uint32_t begun;      /* slots from this one on are empty: none has begun a trajectory */
  uint32_t n_times, n_observed; /* that are recorded */
  const double *times;
  const uint32_t *observed;
  union {              /* n_times x n_observed x units counts; real ones if the request has `reals` */
    uint32_t *recorded;
    double *recorded_real;
  };
  uint32_t *refused;   /* a bit for each trajectory of the wave */
  ff_wave_counters *counters;
  uint32_t *state;     /* what slots keep between launches, as the kernel lays it out */
  uint32_t round_key[2 * FF_PHILOX_ROUNDS]; /* both words of the key in each round */
  const uint32_t *points; /* of an ensemble of several points: what each point of the wave has, as its kernel lays it out */
  uint64_t *point_steps; /* of complete trajectories, for each point of the wave */
  uint32_t each;          /* trajectories of each point: number k of the wave is trajectory k % each of point k / each */
  union {                 /* NULL, or the counts of each trajectory at the start: FF_START_OF(), or FF_START_REAL_OF() */
    const uint32_t *starts;
    const double *starts_real;
  };
  double *stopped;        /* NULL, or for each trajectory the time at which the condition has ended it, NaN if it has not */
  ff_fired *fired;        /* NULL, or the launch's list of firings; those of each trajectory are in order */
} ff_launch;

/* The slot of a thread or warp, and whether it is empty. */
#define FF_SLOT_OF(run, index) \
  ((index) < (run)->slots - (run)->from ? (index) + (run)->from : (index) - ((run)->slots - (run)->from))
#define FF_SLOT_IS_FRESH(run, slot) ((slot) >= (run)->begun)

/* The counts that trajectory `unit` of the wave records at time `at`: that of quantity j is entry j * units. */
#define FF_RECORD_OF(run, at, unit) ((run)->recorded + (uint64_t)(at) * (run)->n_observed * (run)->units + (unit))
#define FF_RECORD_REAL_OF(run, at, unit) ((run)->recorded_real + (uint64_t)(at) * (run)->n_observed * (run)->units + (unit))

/* The count of quantity s of the model, of all its n quantities, with which trajectory `unit` of the wave starts. */
#define FF_START_OF(run, n, unit, s) ((run)->starts[(uint64_t)(unit) * (n) + (s)])
#define FF_START_REAL_OF(run, n, unit, s) ((run)->starts_real[(uint64_t)(unit) * (n) + (s)])

#endif
