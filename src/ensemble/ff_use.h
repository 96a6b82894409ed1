/* Lets devices of a backend simulate the trajectories of a run. This changes no bit of the results. */
#ifndef FF_USE_H
#define FF_USE_H

#include "ff_fleet.h"
#include "ff_run.h"

/* FF_EUNSUPPORTED if no device can do this run. The message is a clause with the reason. A device may still refuse the run
 * later, in ff_run_ready(). O(counts + length of observed variables), or with starts O(trajectories * counts). */
ff_status ff_run_check_devices(const ff_run *run, ff_error *err);

/* Lets devices simulate what has not begun when they are ready. May be called once, before or between calls of
 * ff_run_advance(). The choice's calls are ff_device_calls of the engine. FF_EUNSUPPORTED as ff_run_check_devices(). */
ff_status ff_run_use(ff_run *run, const ff_fleet_choice *choice, ff_error *err);

/* Works for about `seconds` (at least on one device) until the devices are ready; they take a while to start, and code to
 * compile. Once *is is 1, they have all trajectories that have not begun. Until then, ff_run_advance() works on this
 * processor alone. If the call fails, no device can be used, and ff_run_advance() continues on this processor. The error is
 * FF_EUNSUPPORTED, with a clause as message, if no kernel can do this run. */
ff_status ff_run_ready(ff_run *run, double seconds, int *is, ff_error *err);

/* Lets an ensemble that is ready simulate what has not begun. The run then owns it, also after an error. */
ff_status ff_run_join(ff_run *run, const ff_device_calls *backend, ff_ensemble *ensemble, ff_error *err);

/* The trajectories that have not begun. O(devices). */
uint64_t ff_run_waiting(const ff_run *run);

/* Describes the first device that runs, with the bytes and capacity of all devices, their number, and how many trajectories they
 * have refused. Returns 0 if no device has begun to simulate. */
int ff_run_device(const ff_run *run, ff_ensemble_info *out);

/* The devices that have failed and why, as a text; the others have done their share. NULL if none has failed. Belongs to the
 * run. If the last device fails, ff_run_advance() fails with its message. */
const char *ff_run_lost(const ff_run *run);

#endif
