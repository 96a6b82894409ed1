/* Fleets: the devices of a run, each with an ensemble of its own. */
#ifndef FF_FLEET_H
#define FF_FLEET_H

#include "../backend/ff_backend.h"

/* The devices that are to be used. */
typedef struct {
  const ff_ensemble_calls *calls; /* the first member of the backend's interface. It is borrowed */
  const uint32_t *devices;        /* their numbers in the backend */
  uint32_t n_devices;             /* at least 1 */
  const char *kernel; /* name of the kernel, or NULL to let the backend choose */
  const char *cache;  /* folder for compiled code, or NULL */
  uint32_t blocks;    /* as in ff_device_request; for measurements */
  double anew_steps; /* how many steps of refused trajectories let a wave begin anew; 0: as many as take the processor about a
                       * second. For tests */
} ff_fleet_choice;

typedef struct {
  ff_ensemble *ensemble; /* NULL before it is created, and after the device has failed */
  uint64_t capacity;     /* units that run at a time; 0 until the ensemble is ready */
  double seconds;        /* run time of the ensembles that the device had before */
  int lost;              /* whether the device has failed, and has been dropped */
  ff_status status;      /* of the last call; a device whose status is not FF_OK has failed */
  ff_error err;
} ff_fleet_device;

typedef struct {
  ff_fleet_choice choice; /* its texts and numbers are owned */
  ff_fleet_device *device;
  uint32_t n, made;         /* number of devices, and of those that have an ensemble or have failed to get one */
  char lost[FF_ERROR_TEXT]; /* which devices have failed and why; empty: none */
} ff_fleet;

/* Copies the choice. The caller frees the contents with ff_fleet_clear(), also after a failure. */
ff_status ff_fleet_fill(ff_fleet *fleet, const ff_fleet_choice *choice, ff_error *err);
/* Destroys all ensembles, at the same time: it takes a while to free much memory of a device. Accepts a fleet that is all 0. */
void ff_fleet_clear(ff_fleet *fleet);

/* The options for an ensemble of device i. It is like the first one that there is: all devices use its kernel, because they shall
 * end together, and share its code. */
ff_ensemble_options ff_fleet_options(const ff_fleet *fleet, uint32_t i);
/* Creates an ensemble for device i of a fleet. It completes the options. */
typedef ff_status ff_fleet_create(void *context, uint32_t i, ff_ensemble_options *options, ff_ensemble **out, ff_error *err);
/* Creates ensembles and waits for them until the deadline, at least for one. *is becomes 1 when all devices are ready that have
 * not failed. An error only if all have failed. */
ff_status ff_fleet_ready(ff_fleet *fleet, double deadline, ff_fleet_create *create, void *context, int *is, ff_error *err);

/* The next device that has failed and is not dropped, or n. O(n). */
uint32_t ff_fleet_failed(const ff_fleet *fleet);
/* Drops a device that has failed. */
void ff_fleet_drop(ff_fleet *fleet, uint32_t i);
/* The error of the first device that was dropped, if no other is left; else FF_OK. O(n). */
ff_status ff_fleet_check(const ff_fleet *fleet, ff_error *err);

/* Info of the first device that has an ensemble, with the bytes and capacity of all devices and their number. Returns 0 if none
 * has one. */
int ff_fleet_info(const ff_fleet *fleet, ff_ensemble_info *out);

#endif
