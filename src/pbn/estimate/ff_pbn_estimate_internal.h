/* What the files of the estimator share: its state, and the functions that they call in each other. Internal to
 * pbn/estimate/. */
#ifndef FF_ESTIMATE_INTERNAL_H
#define FF_ESTIMATE_INTERNAL_H

#include "../../exact/ff_reach.h"
#include "ff_look.h"
#include "ff_pbn_waves.h"

#define RECORD_STEPS 1024       /* number of steps at the end of the pilot's window whose values are kept for 64 trajectories,
                                 * to find the thinning */
#define PACKED_COST 25          /* a step of a packed program costs this many times as much as one of a sliced program */
#define PERIODS 240             /* windows are multiples of this; their halves then hold whole periods of 1-6, 8, 10, 12 ... */

/* A slot: a tile that is being run, and its position in burn-in and window. */
typedef struct {
  ff_tile *tile;
  uint64_t unit;
  int busy;
  uint32_t *first_half; /* counts at the end of the first half window */
  ff_pair_counts pairs; /* in the pilot, if pairs are watched */
  ff_pbn_tally tally;       /* of the tiles that this slot has finished in this call */
  uint64_t steps;       /* steps run in this call */
} slot;

struct ff_pbn_estimate {
  ff_pbn_estimate_options options;
  ff_counting run, pilot_of, now; /* what is counted in the run, in the pilot, and in the current phase */
  ff_observables observables;     /* of the run: first and weights are owned, terms are not kept */
  uint32_t *first;
  double *weights, *precision; /* for each term; for each observable */
  ff_look_rule rule;
  double *within;              /* for each observable of the pilot; see ff_look_unmixed() */
  uint8_t *two_state, *constant;
  ff_clockwork clockwork;
  ff_reach *reach;             /* the search through the states that can follow the start, until it has ended */
  double *exact;               /* for each observable: its exact long-run mean, or NULL if that is not known ... */
  uint32_t exact_at[2];        /* the observable and the term that are to be added next */
  uint32_t n_reached;          /* ... the number of these states ... */
  int is_exact;                /* ... and whether it is the answer */
  uint32_t stuck_node;         /* see ff_pbn_estimate_stuck() */
  uint8_t *certain;            /* for each observable; see ff_pbn_estimate_certain() */
  ff_phase phase;
  ff_plan plan;
  uint64_t target[3];     /* steps at which burn-in, first and second half window end */
  uint64_t chunk;         /* steps between two readings of the clock */
  slot *slots;
  uint32_t n_slots;
  uint32_t pilot;         /* tiles of the pilot, and the least number of tiles of a run */
  uint64_t start_tile, next_tile, stop_tile, last_tile; /* of this shard and round; work pauses at stop_tile for a look */
  double deadline;
  int waits;              /* the pilot has ended and the run has not begun */
  ff_pbn_waves *waves;        /* devices that do the pilot or the run, or NULL ... */
  ff_pbn_waves *coming;       /* ... and devices that are not ready yet */
  int wave_busy;
  double pilot_seconds;   /* run time of a device in the pilot */
  uint32_t spare;         /* devices that were given besides the pilot's */
  ff_ensemble_info device;
  uint64_t steps, steps_before; /* trajectory-steps; those before the run */
  uint64_t *record;       /* RECORD_STEPS words for each state set: the end of the pilot's window, 64 trajectories of tile 0;
                           * freed after the pilot */
  uint32_t n_sets;
  uint32_t *set;          /* for each observable: its index among the state sets */
  uint32_t *set_at;       /* for each state set: its position among the program's terms */
  uint32_t *thinning;
  ff_pbn_tally tally;
  int remembers;          /* the pilot has ended, and a tile measures how long a start is remembered ... */
  double *recall;         /* ... two means per observable; see ff_pbn_estimate_recall() */
  double recall_steps;
  double planned[2];      /* burn-in and samples that the run will then have */
  uint64_t least_window;  /* least window of the run */
  double last_unmixed;
  double pair_recall;     /* the longest recall, in steps, of a pair at the last look */
  uint32_t slow_pair;     /* the pair that has mixed least at the last look, or UINT32_MAX if none is slow */
  int stuck;
  ff_error doubt;         /* why the answer is uncertain; status FF_OK: there is no doubt */
  ff_trace *trace;
  size_t n_trace, trace_capacity;
};

/* The first unit of the pilot. The units of the run are below it. */
#define PILOT_UNIT (UINT64_C(1) << 36)
/* The number of units of a round. Each time the run starts anew with another burn-in or window, it is a new round with units
 * of its own. */
#define ROUND_UNITS (UINT64_C(1) << 30)

/* ff_slots.c. ff_slots_new() makes n slots with tiles, and the sums of what `counting` counts. ff_slots_window() and
 * ff_slots_halves() set the burn-in and the window, or its two halves, and clear the sums. */
ff_status ff_slots_new(ff_pbn_estimate *e, const ff_counting *counting, uint32_t n, ff_error *err);
void ff_slots_free(ff_pbn_estimate *e);
void ff_slots_window(ff_pbn_estimate *e, uint64_t burn_in, uint64_t n);
void ff_slots_halves(ff_pbn_estimate *e, uint64_t burn_in, uint64_t first, uint64_t second);
/* Lets the pilot's slots watch pairs. The next ff_slots_new() ends this. */
ff_status ff_slots_watch(ff_pbn_estimate *e, ff_error *err);

/* ff_certain.c: fills e->certain at the end of the pilot. */
ff_status ff_certain_find(ff_pbn_estimate *e, ff_error *err);

/* ff_decide.c: the number of steps in which a node flips once and the rarest predictor function is selected once (see
 * ff_pbn_estimate_stretch()). */
double ff_decide_stretch(const ff_pbn_program *program);
/* ff_decide.c: the step by which deterministic nodes have entered their cycle. */
double ff_decide_settled(const ff_pbn_estimate *e);

/* ff_decide.c: determines the tiles of a round that this shard runs. The round has `tiles` tiles from number `first` on. */
void ff_decide_start_round(ff_pbn_estimate *e, uint64_t round, uint64_t first, uint64_t tiles);

/* ff_decide.c: whether max_burn_in is long enough, and what to do after a window of the pilot, after the tile that measures
 * recall, and at a look at the run. */
ff_status ff_decide_begin(ff_pbn_estimate *e, ff_error *err); /* before the pilot */
ff_status ff_decide_give_up(ff_pbn_estimate *e, ff_status status, const ff_error *why, ff_error *err);
double ff_decide_longest(const ff_pbn_estimate *e); /* longest burn-in or window */
ff_status ff_decide_after_pilot(ff_pbn_estimate *e, ff_error *err);
ff_status ff_decide_after_recall(ff_pbn_estimate *e, ff_error *err);
ff_status ff_decide_after_run(ff_pbn_estimate *e, uint64_t *round, ff_error *err);

#endif
