/* What all kernels for reaction networks read: the wave, what is recorded, and the trajectories that are on their way. The same
 * text is compiled for the device (also at run time) and for the host. */
#ifndef FF_SSA_LAUNCH_H
#define FF_SSA_LAUNCH_H

#include "../../base/ff_philox.h"

/* Counters of a wave. */
typedef struct {
  uint64_t begun;    /* trajectories */
  uint64_t complete; /* or refused */
  uint64_t events;   /* of complete trajectories */
} ff_ssa_counters;

/* A launch lets each of `slots` trajectories make about `steps` events at most, for about so many nanoseconds. A slot whose
 * trajectory is complete begins the next one of the wave. A limit of time rather than of events lets all warps end together,
 * although a multiprocessor prefers some of them. The trajectories of a wave are numbered from 0: number k is trajectory
 * first + k. */
typedef struct {
  uint64_t key, first;
  uint64_t units;      /* trajectories of the wave, below 2^32 - slots */
  uint64_t nanoseconds;
  uint32_t slots, steps; /* slots: a multiple of the threads of a block */
  int fresh;           /* whether all slots are empty: none has begun a trajectory */
  uint32_t turn, begun; /* for generated code, which may run a part of the slots: the first slot of the part, and slot
                         * 0 follows the last one; and how many slots have begun: the first ones */
  uint32_t n_times, n_species; /* that are recorded */
  const double *times;
  const uint32_t *species;
  uint32_t *recorded;  /* n_times x n_species x units counts */
  uint32_t *refused;   /* a bit for each trajectory of the wave */
  ff_ssa_counters *counters;
  uint32_t *state;     /* what slots keep between launches, as the kernel lays it out */
  uint32_t round_key[2 * FF_PHILOX_ROUNDS]; /* both words of the key in each round */
  const uint32_t *points; /* of an ensemble of several points: what each point of the wave has, as generated code lays it out */
  uint64_t *point_events; /* of complete trajectories, for each point of the wave */
  uint32_t each;          /* trajectories of each point: number k of the wave is trajectory k % each of point k / each */
} ff_ssa_launch;

/* Shared memory of a block of generated code besides its table and rows: s_common of ff_ssa_thread.h, with or without the first
 * table of logarithms; what the system keeps (1,024 bytes), and what the alignment of s_common may leave unused (256 bytes). */
#define FF_SSA_COMMON_BYTES 14592u
#define FF_SSA_COMMON_SHORT_BYTES 512u
#define FF_SSA_BLOCK_RESERVE 1280u
#define FF_SSA_BLOCK_BYTES (FF_SSA_COMMON_BYTES + FF_SSA_BLOCK_RESERVE)
#define FF_SSA_BLOCK_SHORT_BYTES (FF_SSA_COMMON_SHORT_BYTES + FF_SSA_BLOCK_RESERVE)

/* After a launch of `resident` slots, the next launch runs those that follow. */
static inline void ff_ssa_next_turn(ff_ssa_launch *launch, uint64_t resident) {
  const uint64_t end = launch->turn + resident;
  if (launch->begun < end) launch->begun = (uint32_t)(end < launch->slots ? end : launch->slots);
  launch->turn = (uint32_t)(resident < launch->slots ? end % launch->slots : 0u);
}

/* The counts that trajectory `unit` of the wave records at time `at`: that of species j is entry j * units. */
#define FF_SSA_RECORD(run, at, unit) ((run)->recorded + (uint64_t)(at) * (run)->n_species * (run)->units + (unit))

#endif
