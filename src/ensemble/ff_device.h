/* The interface of a backend for an engine: how its devices run trajectories of a model.
 *
 * An ensemble is a wave of trajectories on one device. Once it is ready, the calls for each wave are start(), advance() until the
 * wave is done, refused(), and then tally() or states(), stopped() and fired(). A trajectory that a device cannot complete is
 * refused: it had a count above FF_DEVICE_MOST, an invalid rate, or events of the model that the device cannot decide or has no
 * room for. The caller simulates it on this processor, which may find that it fails.
 *
 * An ensemble of several points has those points that share the code of the first one, or the layout of its data: rate
 * constants and initial counts are data. These points are numbered from 0, in their order. Trajectory number u of the ensemble
 * is trajectory u % n_each of point u / n_each. A wave has whole points, so start() gets multiples of n_each. The keys are those
 * of the points. Their models must outlive the ensemble, too.
 */
#ifndef FF_ENSEMBLE_DEVICE_H
#define FF_ENSEMBLE_DEVICE_H

#include "../backend/ff_backend.h"
#include "ff_fired.h"
#include "../model/ff_formula.h"
#include "ff_sums.h"

/* A point of a sweep. The models of all points have the same counts. */
typedef struct {
  const void *model; /* as the engine compiles it */
  const double *initial;
  uint64_t key;
  const ff_formula *until; /* as in the request; all points have a condition, or none has */
} ff_device_point;

/* What is simulated and recorded. Arrays are borrowed while the ensemble is created, and not kept, with two exceptions. `points`
 * and `joins` are borrowed until ready() has told that the ensemble is ready, or has failed. Then `joins` is complete. What
 * `until` and `starts` point to must outlive the ensemble. */
typedef struct {
  int method;              /* of the engine; its bits are those of this processor */
  const double *initial;   /* each count at the start */
  const double *times;     /* since the start: ascending, finite, at least 0 */
  uint32_t n_times;        /* at least 1 */
  const uint32_t *observed; /* the counts that are recorded, each only once */
  uint32_t n_observed;
  uint32_t blocks;         /* partial sums that a search looks at first, if this can be chosen; 0: as many as seem best */
  uint32_t warps;          /* that run a trajectory of a single point together, where a kernel can; 0: as it seems best */
  const uint32_t *order;   /* of what can happen, for a method that sorts it beforehand; else NULL */
  const ff_device_point *points; /* NULL, or an ensemble of several points; `model` and `initial` are those of the first */
  uint32_t n_points;
  uint64_t n_each;  /* trajectories of each point, below 2^31; they are numbered from 0 */
  uint8_t *joins;   /* for each point, 0: becomes 1 if it is a point of the ensemble. The first one is */
  const ff_formula *until; /* NULL, or a trajectory ends as soon as this function of the state is not 0. Of several points, that
                            * of the first one */
  const double *starts;    /* NULL, or all counts at the start of each trajectory, first by
                            * trajectory, from number `first_start` on. `initial` then has the largest of each */
  uint64_t first_start;
  uint64_t max_firings;    /* 0, or the firings are listed, and a wave stops halfway when it has listed more than so many.
                            * Ensembles of several points have neither starts nor lists */
  uint64_t max_values;     /* 0, or the most entries of all histograms that tally() may find */
  int bits32;              /* whether counts of more than 16 bits are to be expected, whatever rate equations say */
  uint64_t product_bytes;  /* of the sums of products that tally() adds up; 0 if there are none */
  const void *own;         /* NULL, or what the engine tells its backend besides. Must outlive the ensemble */
  int reals;               /* whether counts may be real numbers. Then the device has all counts that are recorded, and those at
                            * the start, as doubles */
  int tallies;             /* whether tally() may be called */
  int threads;             /* of this processor, that the ensemble may use in start() and advance(). 0 counts as 1 */
} ff_device_request;

#define FF_DEVICE_MOST_REALS (UINT64_C(1) << 27) /* trajectories of which a tally() adds up real numbers */

/* The bytes of a count that a device records, or has at the start of a trajectory. */
static inline size_t ff_device_count_bytes(int reals) { return reals ? sizeof(double) : sizeof(uint32_t); }

/* Whether a request needs more than the counts of trajectories that all start alike. */
static inline int ff_device_follows(const ff_device_request *request) {
  return request->until != NULL || request->starts != NULL || request->max_firings > 0;
}

typedef struct {
  uint64_t complete; /* trajectories of the wave that are complete or refused */
  uint64_t steps;    /* of the complete ones that are not refused */
  uint64_t fired;    /* firings listed so far, also of trajectories that are on their way or refused */
  int done;          /* whether all are */
} ff_device_progress;

typedef struct {
  ff_ensemble_calls common; /* units are trajectories */
  /* Creates an ensemble. The model is borrowed and must outlive it. FF_EBACKEND if the device fails, FF_EMEMORY if not even one
   * trajectory fits, FF_EUNSUPPORTED if no kernel can run this model with this method; the message is a clause that tells why.
   * ready() may return these errors too. */
  ff_status (*create)(ff_ensemble **out, const void *model, const ff_device_request *request,
                      const ff_ensemble_options *options, ff_error *err);
  /* Lets the wave's trajectories go on for about `seconds`, or until it has listed too many firings. */
  ff_status (*advance)(ff_ensemble *ensemble, double seconds, ff_device_progress *progress, ff_error *err);
  /* Lists at most `capacity` of the wave's refused trajectories, as ascending numbers within the wave, from the number `from` on.
   * *n is how many are listed. */
  ff_status (*refused)(ff_ensemble *ensemble, uint64_t from, uint64_t *units, uint64_t capacity, uint64_t *n, ff_error *err);
  /* Adds the statistics of trajectories first ... first + n - 1 of the wave that are not refused to `sums`, whose quantities are
   * the counts of the request in their order. FF_ESIZE if their histograms have more than max_values entries
   * in all, which may take much memory. FF_EMEMORY if this processor has no memory for them; then some histograms may have been
   * added. After any other failure, nothing is added. With `reals`, there are no histograms, and n is at most
   * FF_DEVICE_MOST_REALS. */
  ff_status (*tally)(ff_ensemble *ensemble, uint64_t first, uint64_t n, ff_sums *sums, ff_error *err);
  /* Copies what trajectories first ... first + n - 1 of the wave have recorded, as uint32_t, or with `reals` as double:
   * counts[(i * n_observed + j) * n + k] is count j at time i in trajectory first + k. Those of refused trajectories are
   * undefined. */
  ff_status (*states)(ff_ensemble *ensemble, uint64_t first, uint64_t n, void *counts, ff_error *err);
  /* With `until`: the times since the start at which trajectories first ... first + n - 1 of the wave have ended; NaN for those
   * that have not. Those of refused trajectories are undefined. */
  ff_status (*stopped)(ff_ensemble *ensemble, uint64_t first, uint64_t n, double *times, ff_error *err);
  /* With `max_firings`: the list of the wave's firings, which belongs to the ensemble and is valid until the next start(). Those
   * of each trajectory are in order. Refused trajectories may have some, too. O(1). */
  const ff_fired *(*fired)(const ff_ensemble *ensemble, uint64_t *n);
  /* For an ensemble of several points: the steps of each point of the wave, without those of refused trajectories. */
  ff_status (*steps)(ff_ensemble *ensemble, uint64_t *steps, ff_error *err);
} ff_device_calls;

#endif
