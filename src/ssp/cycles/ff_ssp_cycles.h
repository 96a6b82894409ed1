/* A processor at work: trajectories from the functional model, and the cycles that they take. */
#ifndef FF_SSP_CYCLES_H
#define FF_SSP_CYCLES_H

#include "../run/ff_ssp_run.h"
#include "../timing/ff_ssp_timing.h"

/* Reactions that have fired, from any exact method. Of each trajectory, they are asked for in the order of its steps, but
 * trajectories of several SPEs take turns. */
typedef struct {
  /* NULL, or returns the reaction that fires next in a trajectory, by its number in the network, or FF_SSP_ENDS if none does.
   * Another number ends the run with FF_EARGUMENT. */
  uint32_t (*next)(void *of, uint64_t trajectory);
  void *of;
} ff_ssp_source;

typedef struct {
  uint64_t key, first, n;  /* trajectories first ... first + n - 1; an SPE that ends one takes the next */
  const double *initial;   /* counts at the start, in the network's order; NULL for those of the program. Borrowed. */
  double last;             /* a trajectory ends with the step whose reaction fires after this time; infinity: never */
  uint64_t steps;          /* and after so many reactions that have fired; 0: never */
  double error;            /* stops when the mean number of cycles of a step is known to this relative error; 0: does not */
  uint64_t sample;         /* and not before so many steps of all SPEs; 0: 100,000, or those of 4,000,000 instructions if fewer */
  uint64_t memory;         /* bytes that the run may ask for; 0: any number */
  double *times, *states;  /* NULL, or of each trajectory that ends: when its last reaction fired, and the counts after that, in
                            * the network's order, first by trajectory. The caller keeps the arrays. */
  ff_ssp_source fired;     /* if it is given, no propensities and no waiting times are computed. Then it alone says when
                            * trajectories end, key, initial, last and steps are not read, and times and states must be NULL. */
} ff_ssp_cycles_options;

/* What is known of the cycles of a step: by the means of batches with equal numbers of steps, after a warm-up. What is sampled is
 * the begin of the run. If the pace changes later, as when other reactions fire and their vectors are not in the cache, the
 * interval does not know it. */
typedef struct {
  uint64_t steps, cycles; /* after the warm-up, while all SPEs are at work; of short and of complete runs, all of them */
  double mean;            /* cycles between the ends of two steps of an SPE, in the mean; NaN if there is no step */
  double error;           /* half of the 95% interval of the mean; NaN if it is not known */
  int complete;           /* whether all trajectories were simulated to their ends */
} ff_ssp_pace;

typedef struct ff_ssp_cycles ff_ssp_cycles;

/* Begins a run of a program, which is borrowed and must be one that ff_ssp_check() accepts. The caller frees *out with
 * ff_ssp_cycles_free(), which accepts NULL. Memory: O(SPEs x RUs x (requests + species)), and with a source O(SPEs x RUs x
 * requests). FF_ESIZE if the SPEs need more than options->memory, which is checked before their memory is asked for;
 * FF_EARGUMENT if options contradict each other. */
ff_status ff_ssp_cycles_new(ff_ssp_cycles **out, const ff_ssp_program *program, const ff_ssp_cycles_options *options,
                            ff_error *err);
void ff_ssp_cycles_free(ff_ssp_cycles *run);

/* The bytes that are compared with options->memory. O(RUs). */
uint64_t ff_ssp_cycles_bytes(const ff_ssp_cycles *run);

/* Works for about `seconds`; a step of a large network may take longer. *done becomes 1 when there is nothing left to do.
 * FF_ESIZE or FF_EMODEL if a trajectory fails. A failure is final. */
ff_status ff_ssp_cycles_advance(ff_ssp_cycles *run, double seconds, int *done, ff_error *err);

/* Works for at most so many cycles. Otherwise as ff_ssp_cycles_advance(). */
ff_status ff_ssp_cycles_go(ff_ssp_cycles *run, uint64_t cycles, int *done, ff_error *err);

/* Trajectories that have ended, and steps so far. */
uint64_t ff_ssp_cycles_ended(const ff_ssp_cycles *run);
uint64_t ff_ssp_cycles_steps(const ff_ssp_cycles *run);

/* The pace so far. O(SPEs). */
void ff_ssp_cycles_pace(const ff_ssp_cycles *run, ff_ssp_pace *out);

/* What the cycles were spent on. It belongs to the run. */
const ff_ssp_timing *ff_ssp_cycles_timing(const ff_ssp_cycles *run);

#endif
