/* Exact stochastic simulation of reaction networks (Gillespie 1977): programs, and ensembles of trajectories.
 *
 * An answer depends on the network, the key, the method and the numbers of the trajectories alone. It has the same bits for any
 * number of threads and any division of the work. The direct method and the logarithmic one have the same bits; the others differ
 * in bits, but not in law.
 */
#ifndef FF_SSA_H
#define FF_SSA_H

#include "../base/ff_simd.h"
#include "../base/ff_sum.h"
#include "../model/ff_reactions.h"

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

/* A reaction network that is ready for simulation: rate laws in the form that is fastest to evaluate, changes of counts, and the
 * reactions that each reaction affects. It is not changed by simulations, so threads can share it. */
typedef struct ff_ssa_program ff_ssa_program;

/* Compiles a network that ff_reactions_finish() has completed, and which is not used afterwards. The caller frees *out with
 * ff_ssa_program_free(), which accepts NULL. FF_EUNSUPPORTED if a rate depends on the time. O(size of the network, and for each
 * reaction the number of readers of each species that it changes). */
ff_status ff_ssa_program_new(ff_ssa_program **out, const ff_reactions *net, ff_error *err);
void ff_ssa_program_free(ff_ssa_program *program);

/* The mean number of reactions whose propensity changes when a reaction fires. O(1). */
double ff_ssa_program_coupling(const ff_ssa_program *program);

/* The number of reactions that are evaluated as formulas, not as mass action. O(reactions). */
uint32_t ff_ssa_program_formulas(const ff_ssa_program *program);

/* The number of groups of reactions whose propensities have common factors; 0 if the network is not factored. O(1). */
uint32_t ff_ssa_program_groups(const ff_ssa_program *program);

/* Whether a reaction changes the count of this species. O(1). */
int ff_ssa_program_changes(const ff_ssa_program *program, uint32_t species);

/* ---- methods ------------------------------------------------------------------------------------------------------------- */

typedef enum {
  FF_SSA_DIRECT, /* Gillespie 1977: all propensities are computed after each event; of several trajectories at once, if there are
                  * at most FF_SSA_WIDE_REACTIONS */
  FF_SSA_TREE,   /* the direct method with a dependency graph, and sums of propensities in a tree */
  FF_SSA_FIRST,  /* the first reaction method of Gillespie 1976 */
  FF_SSA_NEXT,   /* the next reaction method of Gibson and Bruck 2000, with the waiting times of Anderson 2007 */
  FF_SSA_FACTORED, /* the direct method for groups of reactions whose propensities have common factors; the logarithmic one if
                    * there are too many groups */
  FF_SSA_METHODS
} ff_ssa_method;

/* The name of a method, a constant string. */
const char *ff_ssa_method_name(ff_ssa_method method);

/* The method that is likely to be the fastest for a program. O(1). */
ff_ssa_method ff_ssa_method_of(const ff_ssa_program *program);

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_ssa_method method;
  uint64_t key;
  uint64_t first, n;        /* the numbers of the trajectories are first ... first + n - 1, below 2^48 */
  const double *initial;    /* counts at time 0 of each species; NULL for those of the network */
  const double *times;      /* ascending, finite, at least 0 */
  uint32_t n_times;         /* at least 1 */
  const uint32_t *observed; /* species */
  uint32_t n_observed;
  double *const *states;    /* NULL, or for each observed species an array for n x n_times counts, first by trajectory and then
                             * by time. The caller keeps the arrays until the run is freed. There are no statistics then. */
  int threads;
  ff_simd simd; /* changes no bit */
} ff_ssa_options;

/* Statistics of one species at one time. */
typedef struct {
  ff_sum_powers sums; /* of counts */
  double min, max;
} ff_ssa_moments;

/* Simulates n trajectories from time 0 to the last of the times. At each time, the state is that after all events up to and
 * including this time. The times never change a trajectory. */
typedef struct ff_ssa_run ff_ssa_run;

/* Begins a run. The program is borrowed; what the options point to is copied, except the arrays of `states`. The caller frees
 * *out with ff_ssa_run_free(), which accepts NULL. FF_ESIZE if an initial count is above FF_SSA_MAX_COUNT. Memory: O(threads *
 * (species + reactions + times * observed)). */
#define FF_SSA_MAX_COUNT 0x1p40
ff_status ff_ssa_run_new(ff_ssa_run **out, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err);
void ff_ssa_run_free(ff_ssa_run *run);

/* Works for about `seconds`. *done becomes 1 when all trajectories are complete. FF_EMODEL if a propensity is negative or not
 * finite, FF_ESIZE if a count exceeds FF_SSA_MAX_COUNT. The message names the reaction or species, the time, and the first
 * trajectory in which this happens. A failure is final: the run must be freed. */
ff_status ff_ssa_run_advance(ff_ssa_run *run, double seconds, int *done, ff_error *err);

/* The trajectories that are complete, and the events of all trajectories, so far. O(threads). */
uint64_t ff_ssa_run_complete(const ff_ssa_run *run);
uint64_t ff_ssa_run_events(const ff_ssa_run *run);

/* The statistics of observed species j at time i over all trajectories of a run that is done and does not keep the states.
 * O(threads). */
ff_ssa_moments ff_ssa_run_moments(const ff_ssa_run *run, uint32_t i, uint32_t j);

#endif
