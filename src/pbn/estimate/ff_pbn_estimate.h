/* Long-run probabilities from many short trajectories: the parallel two-state Markov chain approach (Mizera, Pang, Yuan,
 * algorithms 1-3, after Raftery and Lewis 1992 and Gelman and Rubin 1992), with further checks. Uses base/, model/, exact/ and
 * pbn/.
 *
 * If no node can flip, the states that can follow the start may be so few that the long run is known exactly. Then the pilot is
 * compared with it, so that rare events that the pilot has missed are noticed.
 *
 * The estimate has three phases. Each depends only on the program, the options and the key.
 * 1. Pilot: FF_PILOT_TILES tiles run psi steps uncounted and then psi steps counted. In the code, psi is this length, which
 *    is the pilot's burn-in and its window. It is doubled until every observable has mixed, including the monitors
 *    (ff_monitor.h); see ff_look.h. Burn-in and window together last at least as long as it takes, on average, until a node
 *    flips and until the rarest predictor function is selected.
 * 2. Plan: burn-in, tiles, and steps per tile are computed from the recall that the pilot has shown (how long a trajectory
 *    depends on its start) and the spread of its trajectories' means.
 * 3. Run: each tile burns in, is counted, adds integers to a tally, and is discarded. If the tally does not reach the
 *    precision, or has too few visits, tiles are added. If trajectories depend too much on their start, the run starts anew
 *    with a longer burn-in.
 *
 * A tile's results depend only on the program, the key, the plan and the tile's number, and tallies are sums of integers. So
 * every division of the tiles among threads, shards or machines gives the same sums.
 */
#ifndef FF_PBN_ESTIMATE_H
#define FF_PBN_ESTIMATE_H

#include "../../ensemble/ff_fleet.h"
#include "../ff_pbn_device.h"
#include "../ff_pbn_engine.h"
#include "ff_monitor.h"
#include "ff_pairs.h"
#include "ff_pbn_tally.h"

#define FF_PILOT_TILES 4         /* half as many for a packed program, whose steps cost far more */
#define FF_LONG_PILOT 500        /* number of nodes from which a device runs the pilot faster */
#define FF_CONVERGED 1.05        /* limit for rhat: the window is then about 10 times as long as the chains' recall */
#define FF_MAX_TILES 4096        /* largest number of tiles of a first plan ... */
#define FF_MOST_TILES 262144     /* ... and of a long run: eight GPUs hold 20,000 at a time, and the last wave is only partly
                                  * filled */
#define FF_MAX_WINDOW (1u << 26) /* counted steps per tile, so that sums of squares fit into 128 bits */

/* ---- the formulas ----------------------------------------------------------------------------------------------- */

/* Burn-in and number of samples by Raftery and Lewis for a two-state chain with transition probabilities alpha and beta. Both
 * are at least 1, also for alpha + beta = 0, 1 and 2. z is the normal quantile of (1 + confidence) / 2. O(1). */
double ff_burn_in(double alpha, double beta, double epsilon);
double ff_samples(double alpha, double beta, double z, double precision);

/* The smallest thinning (a power of 2) for which a first-order chain describes the record better than a second-order one (G2
 * - 2 log(n - 2) < 0), and alpha and beta of that chain. Bit i of record[t] is the value of sequence i at step t. If the
 * record is too short for any thinning to pass, the result is the largest one that leaves 16 steps. O(n_steps). */
uint32_t ff_thinning(const uint64_t *record, uint32_t n_steps, double *alpha, double *beta);

/* ---- the estimator ---------------------------------------------------------------------------------------------- */

/* What to do with the exact long run if it is known because few states can follow the start. FF_EXPLORE_CHECK: it is the answer
 * if the pilot contradicts it or does not converge, because then the simulation would not reach the long run. FF_EXPLORE_PREFER:
 * it is the answer. FF_EXPLORE_ONLY: the same, and nothing is simulated if it is not known. */
typedef enum { FF_EXPLORE_CHECK, FF_EXPLORE_PREFER, FF_EXPLORE_ONLY } ff_explore;

typedef struct {
  double precision;         /* half the width of the interval wanted, for all observables without a value in `precisions` */
  const double *precisions; /* NULL, or one value per observable; copied */
  double z;         /* normal quantile of (1 + confidence) / 2 */
  double epsilon;   /* distance from the long-run distribution that may remain after burn-in */
  uint64_t key;
  uint64_t max_burn_in; /* a network that has not converged after this many steps is given up */
  uint32_t shard, n_shards; /* number of this shard, from 0, and of all shards */
  int threads;
  ff_simd simd;
  int go_on;                /* 1: if trajectories still disagree, give an answer with a doubt instead of an error */
  const ff_clockwork *clockwork; /* for a network whose start is not forgotten, or NULL. Borrowed until ff_pbn_estimate_new()
                                  * returns */
  const ff_monitors *monitors; /* NULL, or what the pilot counts in addition, and the names of the nodes for messages.
                                * Borrowed */
  char *const *names;
  const ff_pairs *pairs; /* NULL, or pairs of nodes that the pilot watches if the start is forgotten, and if it runs on this
                          * processor. Borrowed by the estimate */
  const ff_pbn *network; /* NULL, or the network. If its start is not forgotten and no node can flip, the states that can follow
                          * the start are explored first (exact/ff_reach.h), and the terms of the run's observables must outlive
                          * the estimate. Borrowed */
  ff_explore explore;
} ff_pbn_estimate_options;

/* A program, the observables that it counts, and the position of each term among the program's terms: the result of
 * ff_counted_new(), which leaves out equal terms and gives the same bits, or NULL for the same order. All borrowed. */
typedef struct {
  const ff_pbn_program *program;
  const ff_observables *observables;
  const uint32_t *at;
} ff_counting;

typedef struct {
  uint64_t burn_in;
  uint64_t half[2]; /* counted steps of a trajectory in each half window */
  uint64_t tiles;   /* of all shards together */
} ff_plan;

typedef enum { FF_PHASE_PILOT, FF_PHASE_RUN, FF_PHASE_DONE } ff_phase;

typedef struct {
  ff_phase phase;
  uint64_t steps;    /* trajectory-steps so far */
  double fraction;   /* done part of the phase; NaN in the pilot */
  double width;      /* half the width of the widest interval so far (see below); NaN before there is one */
  double rhat;       /* the largest so far; NaN before there is one */
} ff_progress;

/* If observables have precisions of their own, the widest interval is the one that exceeds its precision by the largest
 * factor, and its half width is given in units of options.precision: width / options.precision is that factor. */

/* The state of the estimate at one look, for plots of convergence. */
typedef struct {
  int phase;
  double samples, rhat, width, burn_in;
} ff_trace;

typedef struct ff_pbn_estimate ff_pbn_estimate;

/* Makes an estimate. `pilot` counts the same observables and, after them, the monitors (ff_monitor.h), by a program of the
 * same network; if it is NULL, the pilot counts the same as the run. Everything that `run` and `pilot` point to must outlive the
 * estimate, except the terms of the observables. FF_EARGUMENT if an option is out of its domain. FF_ECONVERGENCE if
 * max_burn_in is too short for this network and options.go_on is 0. The caller frees *out with ff_pbn_estimate_free(), which
 * accepts NULL. */
ff_status ff_pbn_estimate_new(ff_pbn_estimate **out, const ff_counting *run, const ff_counting *pilot,
                              ff_pbn_estimate_options options,
                              ff_error *err);
void ff_pbn_estimate_free(ff_pbn_estimate *estimate);

/* Lets devices do the run instead of this processor's threads. This changes no bit of the answer. ff_pbn_estimate_use() must be
 * called between pilot and run, when ff_pbn_estimate_waits() is 1. If it is called before the pilot's first look, the pilot
 * itself runs from its beginning on the first of the devices; its few tiles do not fill a device, so only networks with a
 * long pilot gain. The choice's calls are those of an ff_pbn_device. Then ff_pbn_estimate_ready() must be called until *ready is
 * 1, because devices take a while to start and code to compile. If either call fails, pilot and run can still be done on this
 * processor. */
ff_status ff_pbn_estimate_use(ff_pbn_estimate *estimate, const ff_fleet_choice *choice, ff_error *err);
ff_status ff_pbn_estimate_ready(ff_pbn_estimate *estimate, double seconds, int *ready, ff_error *err);

/* 1 if a device would run the pilot of this network faster and the pilot can still be moved to it. */
int ff_pbn_estimate_long_pilot(const ff_pbn_estimate *estimate);

/* 1 between pilot and run. */
int ff_pbn_estimate_waits(const ff_pbn_estimate *estimate);

/* Trajectory-steps that this shard has still to run; in the pilot, those of the current window with its burn-in. */
double ff_pbn_estimate_planned(const ff_pbn_estimate *estimate);

/* Kernel, launch and device memory of the devices in use, or NULL if this processor does the work. Belongs to the estimate. */
const ff_ensemble_info *ff_pbn_estimate_device(ff_pbn_estimate *estimate);

/* The devices that have failed and why, as a text; the other devices have done their share. NULL if none has failed. Belongs
 * to the estimate. */
const char *ff_pbn_estimate_lost(const ff_pbn_estimate *estimate);

/* Works for about `seconds` (at least a step of a tile) on options.threads threads, all of which end before it returns. It
 * also returns at the end of the pilot. *done becomes 1 at the end. FF_ECONVERGENCE if the trajectories do not converge. */
ff_status ff_pbn_estimate_advance(ff_pbn_estimate *estimate, double seconds, int *done, ff_error *err);
ff_progress ff_pbn_estimate_progress(const ff_pbn_estimate *estimate);

/* Puts a new estimate with n_shards = 1 into the state that it would have at the end of its first plan, without running its
 * pilot. `plan` is the shards' plan and `tally` the sum of all their tallies. ff_pbn_estimate_advance() then continues as the
 * undivided run would: it ends at once, adds tiles, or starts anew with a longer burn-in. Thinning stays 1. `doubt` is the
 * shards' doubt (ff_pbn_estimate_doubt()) or NULL. FF_EARGUMENT if plan and tally do not belong to such an estimate. */
ff_status ff_pbn_estimate_resume(ff_pbn_estimate *estimate, ff_plan plan, const ff_pbn_tally *tally, const char *doubt,
                                 ff_error *err);

/* Two means per observable over the first *steps steps, from very different starts: of trajectories that start outside the
 * set, and of those that start in it. Their difference from the long-run mean tells how long a trajectory stays in a part of the
 * state space that the run may have missed. *steps is 0 if the start is not forgotten, in networks of 500 nodes and more, and
 * for a resumed estimate. Belongs to the estimate. */
const double *ff_pbn_estimate_recall(const ff_pbn_estimate *estimate, double *steps);

/* The period of a network in which only the start is random, if it is known, else 0. */
uint64_t ff_pbn_estimate_period(const ff_pbn_estimate *estimate);

/* The exact long-run mean of each observable if it is known, else NULL. *states is the number of states that can follow the
 * start. *answer is 1 if the means are the answer (see ff_explore). Belongs to the estimate. */
const double *ff_pbn_estimate_exact(const ff_pbn_estimate *estimate, uint32_t *states, int *answer);

/* For each observable: 1 if the run cannot have missed a change of its value, as far as the pilot's trajectories show. It is 1 if
 * the start is forgotten, if the exact long run is known, or if the value of no term can change after the end of any of these
 * trajectories, whatever happens. So if the value of an observable with 0 did not change in the run, it might still change later.
 * All are 0 if options.network is NULL and the start is not forgotten. Belongs to the estimate. */
const uint8_t *ff_pbn_estimate_certain(const ff_pbn_estimate *estimate);

/* A node with a monitor that no trajectory of the pilot changed, but that may change later (as above), or UINT32_MAX. It is only
 * looked for in networks of less than FF_LONG_PILOT nodes. */
uint32_t ff_pbn_estimate_stuck(const ff_pbn_estimate *estimate);

/* Why the answer is uncertain (with options.go_on), or NULL. Belongs to the estimate. */
const ff_error *ff_pbn_estimate_doubt(const ff_pbn_estimate *estimate);

/* The number of steps after which a trajectory counts as a new independent observation of something that it has visited
 * rarely or never. In the code this is called a stretch. It is the larger of the burn-in and of the steps in which a node
 * flips once, or the rarest predictor function is selected once. */
double ff_pbn_estimate_stretch(const ff_pbn_estimate *estimate);

/* Memory of the estimate in bytes: program, tiles, counts, records. */
size_t ff_pbn_estimate_bytes(const ff_pbn_estimate *estimate);

/* Results, which are complete when done. Pointers belong to the estimate. */
const ff_pbn_tally *ff_pbn_estimate_tally(const ff_pbn_estimate *estimate);
ff_plan ff_pbn_estimate_plan(const ff_pbn_estimate *estimate);
const uint32_t *ff_pbn_estimate_thinning(const ff_pbn_estimate *estimate); /* for each observable */
const ff_trace *ff_pbn_estimate_trace(const ff_pbn_estimate *estimate, size_t *n);

#endif
