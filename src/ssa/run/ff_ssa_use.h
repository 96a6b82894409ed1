/* Lets devices of a backend simulate the trajectories of a run. This changes no bit of the results. */
#ifndef FF_SSA_USE_H
#define FF_SSA_USE_H

#include "ff_ssa_device.h"
#include "ff_ssa_run.h"

/* The devices that are to be used. */
typedef struct {
  const ff_ssa_device *backend;
  const uint32_t *devices;
  uint32_t n_devices; /* at least 1 */
  const char *kernel; /* name of the kernel, or NULL to let the backend choose */
  const char *cache;  /* folder for compiled code, or NULL */
  uint32_t blocks;    /* as in ff_ssa_device_request; for measurements */
  double wide_events; /* how many events of refused trajectories let a wave begin anew; 0: as many as take the processor about a
                       * second. For tests */
} ff_ssa_choice;

/* FF_EUNSUPPORTED if no device can do this run. The message is a clause with the reason. A device may still refuse the run
 * later, in ff_ssa_run_ready(). O(species + length of observed variables), or with starts O(trajectories * species). */
ff_status ff_ssa_run_check_devices(const ff_ssa_run *run, ff_error *err);

/* Lets devices simulate what has not begun when they are ready. May be called once, before or between calls of
 * ff_ssa_run_advance(). The backend is borrowed, the rest is copied. FF_EUNSUPPORTED as ff_ssa_run_check_devices(). */
ff_status ff_ssa_run_use(ff_ssa_run *run, const ff_ssa_choice *choice, ff_error *err);

/* Works for about `seconds` (at least on one device) until the devices are ready; they take a while to start, and code to
 * compile. Once *is is 1, they have all trajectories that have not begun. Until then, ff_ssa_run_advance() works on this
 * processor alone. If the call fails, no device can be used, and ff_ssa_run_advance() continues on this processor. The error is
 * FF_EUNSUPPORTED, with a clause as message, if no kernel can do this run. */
ff_status ff_ssa_run_ready(ff_ssa_run *run, double seconds, int *is, ff_error *err);

/* Lets an ensemble that is ready simulate what has not begun. The run then owns it, also after an error. */
ff_status ff_ssa_run_join(ff_ssa_run *run, const ff_ssa_device *backend, ff_ensemble *ensemble, ff_error *err);

/* The trajectories that have not begun. O(devices). */
uint64_t ff_ssa_run_waiting(const ff_ssa_run *run);

/* Describes the first device that runs, with the bytes and capacity of all devices, their number, and how many trajectories they
 * have refused. Returns 0 if no device has begun to simulate. */
int ff_ssa_run_device(const ff_ssa_run *run, ff_ensemble_info *out);

/* The devices that have failed and why, as a text; the others have done their share. NULL if none has failed. Belongs to the
 * run. If the last device fails, ff_ssa_run_advance() fails with its message. */
const char *ff_ssa_run_lost(const ff_ssa_run *run);

#endif
