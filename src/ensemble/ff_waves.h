/* Waves of trajectories on devices: what the files ff_waves*.c share. */
#ifndef FF_WAVES_H
#define FF_WAVES_H

#include "ff_fleet.h"
#include "ff_run_internal.h"

/* Trajectories next ... last - 1 of the run. */
typedef struct {
  uint64_t next, last;
  int counted; /* whether their steps were counted before, in a wave whose device has failed */
} ff_unit_range;

/* In stage WIDENS, a device prepares an ensemble for larger counts, which then begins the wave anew. */
typedef enum { FF_WAVE_NONE, FF_WAVE_RUNS, FF_WAVE_ENDED, FF_WAVE_WIDENS } ff_wave_stage;

/* A device and its current wave. */
typedef struct {
  ff_fleet_device *on; /* a device that fails is dropped, and the others take over its share */
  uint64_t size;       /* the trajectories of a wave that are planned, at most on->capacity */
  int bits32;          /* whether the ensemble is for larger counts */
  int stays;           /* whether no such one takes its place any more */
  ff_wave_stage stage;
  int begun; /* whether the ensemble has begun the wave */
  ff_unit_range range;
  uint64_t recorded; /* of its trajectories, from the first one on */
  ff_device_progress progress;
  uint64_t *refused; /* ascending numbers within the wave that has ended */
  size_t n_refused, refused_room;
  uint64_t n_stopped; /* trajectories whose times of stopping are copied */
  uint64_t listed;    /* of its list of firings, those that are recorded or left out */
} ff_wave;

/* States of some trajectories of a wave, which all threads record. */
typedef struct {
  ff_wave *of; /* NULL if all is recorded */
  void *counts;     /* as states() copies them */
  uint64_t room, n; /* trajectories: for which there is room, and that are here */
  uint8_t *skip;    /* for each trajectory: 1 if it was refused */
  uint64_t *at;     /* for each thread: the next state that it records, of n_times x n */
  double *state;    /* for each thread: all items */
} ff_piece;

struct ff_waves {
  const ff_device_calls *calls;
  ff_fleet fleet;
  ff_wave *waves;    /* for each device */
  int ready;        /* whether they have all trajectories that had not begun */
  int used;         /* whether one of them has begun a wave */
  double *largest;   /* the largest of each count at the start, if trajectories have starts; else NULL */
  uint32_t *counts;  /* that are recorded */
  uint32_t n_counts;
  int reals;         /* whether counts may be real numbers, as in ff_device_request */
  int tallies;       /* whether devices add up the statistics, so that no states are copied */
  uint64_t at_once;  /* if they do: of so many trajectories between two looks at the clock */
  ff_unit_range *left; /* trajectories that no device has begun */
  uint32_t n_left;
  uint64_t *refused; /* trajectories that devices have refused */
  size_t n_refused, refused_room;
  atomic_size_t next_refused; /* the first of them that no thread has begun; may be above n_refused */
  uint64_t complete, steps;   /* of waves that are recorded */
  atomic_int ended;           /* whether a wave has ended that is not recorded */
  ff_piece piece;
};

/* ---- whether devices can simulate a run (ff_waves_ready.c) --------------------------------------------------------- */

/* FF_EUNSUPPORTED as ff_run_check_devices(), for a process that is open. */
ff_status ff_process_check_devices(const ff_process *process, const ff_run_options *options, ff_error *err);

/* ---- ensembles of devices (ff_waves_create.c) ---------------------------------------------------------------------- */

/* The trajectories that a device may expect in all: those of its wave, and its share of those that wait. */
uint64_t ff_wave_units(const ff_run *run, const ff_wave *wave);
/* Creates an ensemble for a wave. An ensemble of 32 bits begins with the device's wave, and shares code with others. */
ff_status ff_wave_create(const ff_run *run, const ff_wave *wave, int bits32, ff_ensemble_options *options, ff_ensemble **out,
                         ff_error *err);

/* ---- waves (ff_waves.c) -------------------------------------------------------------------------------------------- */

/* Divides what is left into waves of about equal size, so that the devices end together. */
void ff_waves_plan(ff_waves *waves);
/* Gives a wave to each device that has none. If its ensemble for larger counts is not ready, begin_bits32() will know how many
 * trajectories it has room for. */
void ff_waves_begin(ff_run *run);
/* Drops devices that have just failed. An error if no device is left. */
ff_status ff_waves_drop_failed(ff_run *run, ff_error *err);

/* ---- what is recorded of them (ff_waves_record.c) ----------------------------------------------------------------- */

/* Chooses what devices record. Needs run->wanted. */
ff_status ff_waves_choose_counts(ff_waves *waves, const ff_run *run, ff_error *err);
/* How many trajectories a device adds up at once, if each has so many products of counts, and so many counts in histograms. */
uint64_t ff_tally_at_once(double products, double values);
/* How many it adds up next, if it was to add up `at_once`, and added up n of them in so many seconds: twice as many after a short
 * time, because most counts of a histogram are often the same. */
uint64_t ff_tally_next(uint64_t at_once, uint64_t n, double seconds);
/* Allocates the piece, if states are copied. */
ff_status ff_piece_new(ff_waves *waves, const ff_run *run, ff_error *err);
void ff_piece_free(ff_piece *piece);
/* Lists the trajectories that the wave's device has refused. */
ff_status ff_wave_list_refused(const ff_device_calls *calls, ff_wave *wave);
/* How many of these have lower numbers within the wave than `unit`. O(log(refused)). */
size_t ff_wave_refused_before(const ff_wave *wave, uint64_t unit);
/* Whether a wave has listed more firings than the run may keep. Then the run fails. */
int ff_wave_lists_too_many(const ff_run *run, const ff_wave *wave);
/* Counts what is recorded of a wave, records the firings that are left, and leaves to this processor what was refused of it.
 * FF_EMEMORY. */
ff_status ff_wave_settle(ff_run *run, ff_wave *wave, ff_error *err);
/* Records a wave that has ended; after a failure, no statistics are needed. wave->on->status tells whether the device has failed.
 * FF_EMEMORY. */
ff_status ff_wave_collect(ff_run *run, ff_wave *wave, ff_error *err);

#endif
