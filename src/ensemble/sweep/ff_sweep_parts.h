/* What the files of a sweep share: its points, and the devices that simulate them. */
#ifndef FF_SWEEP_PARTS_H
#define FF_SWEEP_PARTS_H

#include <pthread.h>

#include "ff_sweep.h"
#include "../ff_waves.h"

typedef enum {
  FF_POINT_WAITS,
  FF_POINT_BEGUN, /* its run is on this processor */
  FF_POINT_WAVE,  /* a device simulates it */
  FF_POINT_BACK,  /* its device has simulated it, and its run must record that before the device goes on */
  FF_POINT_OVER,  /* done, or it has failed */
  FF_POINT_LEFT
} ff_point_stage;

#define FF_NO_DEVICE UINT32_MAX

typedef struct {
  ff_point given;
  ff_point_stage stage;
  int busy;        /* whether a thread works on it */
  int alone;       /* whether devices cannot simulate it together with others */
  uint32_t device; /* whose ensemble it belongs to, or FF_NO_DEVICE */
  uint64_t at, steps; /* the first of its trajectories in the device's wave; the steps that the device has counted */
  ff_run *run; /* NULL before it begins, and after its results were dropped */
  ff_status status;
  ff_error err;
} ff_sweep_point;

typedef enum {
  FF_SWEEP_NONE,  /* needs an ensemble */
  FF_SWEEP_STARTS, /* what its engine needs is made, and then the ensemble */
  FF_SWEEP_READY, /* has no wave */
  FF_SWEEP_RUNS,
  FF_SWEEP_ENDED, /* the points of its wave record what it has simulated */
  FF_SWEEP_IDLE,  /* no points are left for it */
  FF_SWEEP_LOST
} ff_sweep_stage;

/* A device, and its ensemble of several points. */
typedef struct {
  ff_sweep *sweep;
  uint32_t number; /* among the devices of the sweep */
  ff_fleet_device *on;
  ff_sweep_stage stage;
  ff_ensemble_info info;
  uint32_t *members, n_members; /* the points of the ensemble; until it is ready, those that may join it */
  ff_device_point *points;  /* until then: what the ensemble reads, */
  uint8_t *joins;               /* and which of them join it */
  ff_process process;       /* of its first point, also until then; all 0 otherwise */
  uint32_t first, n;            /* the members of the wave */
  int begun;
  ff_device_progress progress;
  uint64_t *steps; /* of each member of the wave */
  ff_wave wave; /* lists what the device has refused */
  pthread_mutex_t lock; /* of the ensemble, while points record */
  atomic_int failed; /* whether a call has failed, with the device's error */
} ff_sweep_device;

struct ff_sweep {
  ff_sweep_point *points;
  uint32_t n;
  int threads, each, side; /* threads of a point's run, and points at a time on this processor */
  pthread_mutex_t lock;    /* of the stages of points, and of the next two numbers */
  uint32_t failed;         /* the first point that is known to have failed, or n */
  uint32_t over;           /* all points before this one are done or left: nobody looks at them again */
  pthread_mutex_t creating; /* while a device creates an ensemble */
  double deadline;
  uint64_t complete, steps; /* of points that were dropped */
  const ff_device_calls *calls;
  ff_fleet fleet;
  ff_sweep_device *devices; /* as many as the fleet has */
  uint32_t *counts, n_counts; /* that devices record */
  int reals;                  /* whether they may be real numbers */
  int tallies;                /* whether devices add them up */
  uint64_t max_values, product_bytes; /* as in ff_device_request */
  uint32_t at_work;             /* devices that have not failed */
  atomic_uint singles;          /* ensembles that had only one point */
  int moved;                    /* whether devices have the points that wait */
};

/* ---- the part of a wave that the run of a point takes (ff_sweep_join.c) ---------------------------------------------- */

/* The wave of the point's device has ended. Gives the point's part of it to the point's run, which records it. FF_EBACKEND,
 * FF_EMEMORY, or FF_EUNSUPPORTED if the device has not recorded the counts that the run needs. */
ff_status ff_sweep_join(ff_sweep *sweep, ff_sweep_point *point, ff_error *err);
/* Notes a device's failure, unless there was one before. */
void ff_sweep_note(ff_sweep_device *device, ff_status status, const ff_error *err);

/* ---- points (ff_sweep_points.c) -------------------------------------------------------------------------------------- */

/* Works on points until the deadline, or until none is left. With `device`, only on points that are back from this device. */
void ff_sweep_work(ff_sweep *sweep, const ff_sweep_device *device);
/* Ends the sweep at a point that has failed. The caller holds the lock. */
void ff_sweep_fail(ff_sweep *sweep, ff_sweep_point *point, ff_status status, const ff_error *err);

/* ---- devices (ff_sweep_devices.c) ------------------------------------------------------------------------------------ */

void ff_sweep_free_devices(ff_sweep *sweep);
/* Lets a device go on until the deadline. */
void ff_sweep_drive(ff_sweep_device *device);
/* Drops devices that have failed: their points wait again. An error if no device is left. Points for which there is no device are
 * left to the caller. */
ff_status ff_sweep_settle(ff_sweep *sweep, ff_error *err);

#endif
