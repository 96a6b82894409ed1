/* What the files of the estimator share: its state, and what each asks of the others. Internal to estimate/. */
#ifndef FF_ESTIMATE_INTERNAL_H
#define FF_ESTIMATE_INTERNAL_H

#include "ff_look.h"
#include "ff_waves.h"

#define RECORD_STEPS 1024       /* of the pilot's window, kept for 64 trajectories to find the thinning */
#define PACKED_COST 25          /* a step of a packed program costs so many times as much as one of a sliced program */
#define LARGE 500               /* nodes of a network whose pilot a device does faster */
#define PERIODS 240             /* windows are multiples: their halves then hold whole periods of 1-6, 8, 10, 12 ... */

/* A tile on its way: where it stands in its burn-in and window. */
typedef struct {
  ff_tile *tile;
  uint64_t unit;
  int busy;
  uint32_t *first_half; /* counts at half time */
  ff_tally tally;       /* of the tiles that this slot has finished in this call */
  uint64_t steps;       /* run in this call */
} slot;

struct ff_estimate {
  ff_estimate_options options;
  ff_counting run, pilot_of, now; /* what is counted in either phase, and in this one */
  ff_observables observables;     /* of the run: first and weights owned, terms not kept */
  uint32_t *first;
  double *weights, *precision; /* per term; per observable */
  ff_look_rule rule;
  double *within;              /* per observable of the pilot; see ff_look_unmixed() */
  uint8_t *two_state, *constant;
  ff_clockwork clockwork;
  ff_phase phase;
  ff_plan plan;
  uint64_t target[3];     /* steps at which burn-in, first and second half end */
  uint64_t chunk;         /* steps between two looks at the clock */
  slot *slots;
  uint32_t n_slots;
  uint32_t pilot;         /* tiles of the pilot, and the fewest of a run */
  uint64_t start_tile, next_tile, stop_tile, last_tile; /* of this shard and round; work pauses at stop_tile for a look */
  double deadline;
  int waits;              /* the pilot is over, the run has not begun */
  ff_waves *waves;        /* pilot or run is done on devices, or NULL ... */
  ff_waves *coming;       /* ... which are not ready yet */
  int wave_busy;
  double pilot_seconds;   /* of a device */
  uint32_t spare;         /* devices that were given besides the pilot's */
  ff_ensemble_info device;
  uint64_t steps, steps_before; /* of trajectories; before the run */
  uint64_t *record;       /* per state set, RECORD_STEPS words: the pilot's window, tile 0, word 0; freed after it */
  uint32_t n_sets;
  uint32_t *set;          /* per observable: its place among the state sets */
  uint32_t *set_at;       /* per state set: where the program counts it */
  uint32_t *thinning;
  ff_tally tally;
  int remembers;          /* the pilot has ended, and a tile shows how long a start is remembered ... */
  double *memory;         /* ... per observable two means; see ff_estimate_memory() */
  double memory_steps;
  double planned[2];      /* burn-in and samples that the run will have then */
  uint64_t least_window;  /* of the run */
  double last_unmixed;
  int stuck;
  ff_error doubt;         /* why the answer is uncertain; status FF_OK: it is not known to be */
  ff_trace *trace;
  size_t n_trace, trace_capacity;
};

/* Units of the pilot are apart from those of the run. */
#define PILOT_UNIT (UINT64_C(1) << 36)
/* ... and those of a run with another burn-in from the run before. */
#define ROUND_UNITS (UINT64_C(1) << 30)

/* ff_slots.c. ff_slots_new: n tiles, and the sums of what `counting` counts. ff_slots_window, ff_slots_halves: set burn-in and window,
 * and clear the sums. */
ff_status ff_slots_new(ff_estimate *e, const ff_counting *counting, uint32_t n, ff_error *err);
void ff_slots_free(ff_estimate *e);
void ff_slots_window(ff_estimate *e, uint64_t burn_in, uint64_t n);
void ff_slots_halves(ff_estimate *e, uint64_t burn_in, uint64_t first, uint64_t second);

/* ff_decide.c: steps in which a node flips once, and the rarest predictor function is selected once. */
double ff_decide_stretch(const ff_program *program);

/* ff_decide.c: the tiles of a round that this shard runs, `tiles` in all from number `first` on. */
void ff_decide_start_round(ff_estimate *e, uint64_t round, uint64_t first, uint64_t tiles);

/* ff_decide.c: is max_burn_in long enough? And what to do after a window of the pilot, the tile that tells of memory, a look at the run. */
ff_status ff_decide_give_up(ff_estimate *e, ff_status status, const ff_error *why, ff_error *err);
double ff_decide_longest(const ff_estimate *e); /* burn-in or window */
ff_status ff_decide_beforehand(const ff_estimate *e, ff_error *err);
ff_status ff_decide_after_pilot(ff_estimate *e, ff_error *err);
ff_status ff_decide_after_memory(ff_estimate *e, ff_error *err);
ff_status ff_decide_after_run(ff_estimate *e, uint64_t *round, ff_error *err);

#endif
