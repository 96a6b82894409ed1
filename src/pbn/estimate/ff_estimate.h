/* Long-run probabilities from many short trajectories: the parallel two-state Markov chain approach (Mizera, Pang, Yuan,
 * algorithms 1-3, after Raftery and Lewis 1992 and Gelman and Rubin 1992), made honest. Stands on base/, model/ and pbn/.
 *
 * Three phases, each a function of (program, options, key) alone:
 *  1. Pilot: FF_PILOT_TILES tiles run psi steps and then psi counted ones, psi doubled until every observable has mixed, the
 *     monitors (ff_monitor.h) included; see ff_look.h. Both together are no shorter than what moves the network takes to happen.
 *  2. Plan: burn-in, tiles and steps a tile, from the memory that the pilot saw and the spread of its trajectories' means.
 *  3. Run: each tile burns in, is counted, adds integers to a tally and is forgotten. Where the tally then falls short of
 *     the precision, or of visits, tiles are added; where trajectories remember too much, the run starts anew with a longer burn-in.
 * A tile's numbers depend on nothing but (program, key, plan, tile), and tallies are sums of integers: any division among
 * threads, shards or machines adds up to the same.
 */
#ifndef FF_ESTIMATE_H
#define FF_ESTIMATE_H

#include "../ff_pbn_device.h"
#include "../ff_engine.h"
#include "ff_monitor.h"
#include "ff_tally.h"

#define FF_PILOT_TILES 4         /* half as many for a packed program, whose steps cost far more */
#define FF_CONVERGED 1.05        /* rhat: the window is then some 10 times as long as the chains' memory */
#define FF_MAX_TILES 4096        /* tiles of a first plan ... */
#define FF_MOST_TILES 262144     /* ... and of a long run's: eight GPUs hold 20,000 at a time, and the last wave is but part of one */
#define FF_MAX_WINDOW (1u << 26) /* counted steps a tile, so that sums of squares fit 128 bits */

/* ---- the formulas ----------------------------------------------------------------------------------------------- */

/* Burn-in and samples by Raftery and Lewis for a two-state chain, at least 1; alpha + beta = 0, 1 and 2 are taken care of.
 * z is the normal quantile of (1 + confidence) / 2. */
double ff_burn_in(double alpha, double beta, double epsilon);
double ff_samples(double alpha, double beta, double z, double precision);

/* The smallest thinning (a power of 2) at which a first-order chain describes the record better than a second-order one (G2 -
 * 2 log(n - 2) < 0), and that chain's alpha and beta. Bit i of record[t] is sequence i's value at step t. Sequences so short
 * that no thinning passes get the largest that leaves 16 steps. */
uint32_t ff_thinning(const uint64_t *record, uint32_t n_steps, double *alpha, double *beta);

/* ---- the estimator ---------------------------------------------------------------------------------------------- */

typedef struct {
  double precision;         /* half the width of the interval wanted, of every observable but where `precisions` tells more */
  const double *precisions; /* NULL, or one per observable; copied */
  double z;         /* normal quantile of (1 + confidence) / 2 */
  double epsilon;   /* distance from the long run that burn-in leaves */
  uint64_t key;
  uint64_t max_burn_in; /* steps after which a network that has not converged is given up */
  uint32_t shard, n_shards; /* this part (from 0) of so many */
  int threads;
  ff_simd simd;
  int go_on;                /* 1: an answer of trajectories that still disagree is wanted too, with its doubt */
  const ff_clockwork *clockwork; /* of a network whose start is not forgotten, or NULL. Borrowed until ff_estimate_new returns */
  const ff_monitors *monitors; /* NULL, or what the pilot counts besides, and the names of the nodes: for messages. Borrowed */
  char *const *names;
} ff_estimate_options;

/* A program, the observables that it is to count, and where it counts each of their terms: what ff_counted_new has found to be
 * enough, which gives the same bits, or NULL: in their order. All borrowed. */
typedef struct {
  const ff_program *program;
  const ff_observables *observables;
  const uint32_t *at;
} ff_counting;

typedef struct {
  uint64_t burn_in;
  uint64_t half[2]; /* counted steps of a trajectory, in two halves */
  uint64_t tiles;   /* of the whole ensemble */
} ff_plan;

typedef enum { FF_PHASE_PILOT, FF_PHASE_RUN, FF_PHASE_DONE } ff_phase;

typedef struct {
  ff_phase phase;
  uint64_t steps;    /* trajectory-steps so far */
  double fraction;   /* of the phase; NaN in the pilot */
  double width;      /* half the widest interval so far (see below); NaN before there is one */
  double rhat;       /* the largest so far; NaN before there is one */
} ff_progress;

/* Where observables have precisions of their own, "the widest" is the one furthest from its own, and its half width is told
 * in units of options.precision: width / options.precision is how many times too wide it is. */


/* One look at the estimate while it grew, for plots of convergence. */
typedef struct {
  int phase;
  double samples, rhat, width, burn_in;
} ff_trace;

typedef struct ff_estimate ff_estimate;

/* `pilot` counts the same observables and then monitors (ff_monitor.h), by a program of the same network; NULL: as the run. What
 * either names must outlive the estimate, but for the terms of the observables. FF_EARGUMENT for options out of their domain. */
ff_status ff_estimate_new(ff_estimate **out, const ff_counting *run, const ff_counting *pilot, ff_estimate_options options,
                          ff_error *err);
void ff_estimate_free(ff_estimate *estimate);

/* Where the run is to be done: on devices of a backend. */
typedef struct {
  const ff_pbn_device *backend;
  const uint32_t *devices;
  uint32_t n_devices;
  const char *kernel; /* by its name, or NULL: the backend chooses */
  const char *cache; /* folder for compiled code, or NULL */
} ff_engine_choice;

/* Lets the run be done on devices rather than on this processor's threads, which changes no bit of the answer: to be called
 * between pilot and run, when ff_estimate_waits() says 1. Called before the pilot has looked at anything, it is the pilot that goes
 * there, to the first of the devices and from its beginning: its few tiles fill no device, so that only networks with a long pilot
 * gain. Borrows the backend, copies the rest. Then call ff_estimate_ready() until it says 1 (devices take a while to start, and code
 * to compile), and only then go on. Where either fails pilot or run can still be done here. */
ff_status ff_estimate_use(ff_estimate *estimate, const ff_engine_choice *choice, ff_error *err);
ff_status ff_estimate_ready(ff_estimate *estimate, double seconds, int *ready, ff_error *err);

/* Whether a device does the pilot of so large a network faster, and can still be given it. */
int ff_estimate_long_pilot(const ff_estimate *estimate);

/* 1 between pilot and run. */
int ff_estimate_waits(const ff_estimate *estimate);

/* Trajectory-steps that the plan asks of this shard; in the pilot, up to its next look. */
double ff_estimate_planned(const ff_estimate *estimate);

/* What runs it (kernel, launch, device memory), or NULL where that is this processor. */
const ff_ensemble_info *ff_estimate_device(ff_estimate *estimate);

/* Devices that failed on the way, and why, as a text; the others did their share. NULL: none. */
const char *ff_estimate_lost(const ff_estimate *estimate);

/* Works for about `seconds` (a step of a tile at least) on options.threads threads, then returns with none left; returns as well
 * when the pilot is over. *done becomes 1 at the end. FF_ECONVERGENCE where trajectories go on to disagree. */
ff_status ff_estimate_advance(ff_estimate *estimate, double seconds, int *done, ff_error *err);
ff_progress ff_estimate_progress(const ff_estimate *estimate);

/* Puts a new, undivided estimate where it would stand at the end of its first plan, without its pilot: from that plan and the
 * sum of all its parts. Advancing it then goes on as the undivided run would: it ends at once, or adds tiles, or starts anew with
 * a longer burn-in. Thinning stays 1. `doubt` is that of the parts (ff_estimate_doubt), or NULL. FF_EARGUMENT where plan and tally
 * are not of such an estimate. */
ff_status ff_estimate_resume(ff_estimate *estimate, ff_plan plan, const ff_tally *tally, const char *doubt, ff_error *err);

/* Per observable two means over the first *steps steps, from starts far apart: of trajectories that start outside the set, and of
 * those that start in it. The excess over the long run's mean tells how long a trajectory stays in a part of the state space that the
 * run may have missed. *steps is 0 where the start is not forgotten, in networks of 500 nodes and more, and for a resumed estimate.
 * Borrowed. */
const double *ff_estimate_memory(const ff_estimate *estimate, double *steps);

/* The period of a network in which nothing is left to chance but the start, where it is known; else 0. */
uint64_t ff_estimate_period(const ff_estimate *estimate);

/* Why the answer is uncertain (with options.go_on), or NULL. Borrowed. */
const ff_error *ff_estimate_doubt(const ff_estimate *estimate);

/* Steps that count as one independent look of a trajectory at something that it has not seen or has seen rarely: the burn-in, and
 * no less than a node takes to flip, or the rarest predictor function to be selected. */
double ff_estimate_stretch(const ff_estimate *estimate);

/* Bytes that the estimate holds: program, tiles, counts, records. */
size_t ff_estimate_bytes(const ff_estimate *estimate);

/* Borrowed; complete once done. */
const ff_tally *ff_estimate_tally(const ff_estimate *estimate);
ff_plan ff_estimate_plan(const ff_estimate *estimate);
const uint32_t *ff_estimate_thinning(const ff_estimate *estimate); /* per observable */
const ff_trace *ff_estimate_trace(const ff_estimate *estimate, size_t *n);

#endif
