/* Stochastic simulation of reaction networks (Gillespie 1977): programs, and ensembles of trajectories.
 *
 * An answer depends on the network, the key, the method and the numbers of the trajectories alone. It has the same bits for any
 * number of threads and any division of the work. The direct method and the logarithmic one have the same bits. The other exact
 * methods have other bits, but the same distribution.
 */
#ifndef FF_SSA_H
#define FF_SSA_H

#include "../base/ff_frequency.h"
#include "../base/ff_real_sum.h"
#include "../base/ff_simd.h"
#include "../model/ff_reactions.h"

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

/* A reaction network that is ready for simulation: rate laws in the form that is fastest to evaluate, changes of counts, and the
 * reactions that each reaction affects. It is not changed by simulations, so threads can share it. */
typedef struct ff_ssa_program ff_ssa_program;

/* Compiles a network that ff_reactions_finish() has completed, for simulations that begin at time 0. The program does not need
 * the network afterwards. The caller frees *out with ff_ssa_program_free(), which accepts NULL. O(size of the network, and for
 * each reaction the number of readers of each species that it changes). */
ff_status ff_ssa_program_new(ff_ssa_program **out, const ff_reactions *net, ff_error *err);
void ff_ssa_program_free(ff_ssa_program *program);

/* The same in several steps, so that a caller can give up between two of them; and for simulations that begin at time `start`.
 * Engines count the time from there, so rates that depend on the time are compiled for that. The last step sets *out, the others
 * set it to NULL. The network must outlive the compiler, which the caller frees with ff_ssa_compiler_free() at any time; it
 * accepts NULL. After an error there is no further step. All steps together cost what ff_ssa_program_new() does. */
typedef struct ff_ssa_compiler ff_ssa_compiler;
ff_status ff_ssa_compiler_new(ff_ssa_compiler **out, const ff_reactions *net, double start, ff_error *err);
ff_status ff_ssa_compiler_step(ff_ssa_compiler *compiler, ff_ssa_program **out, ff_error *err);
void ff_ssa_compiler_free(ff_ssa_compiler *compiler);

/* The mean number of reactions whose propensity changes when a reaction fires. It is estimated if the sum of these numbers over
 * all reactions exceeds 2^27. O(1). */
double ff_ssa_program_coupling(const ff_ssa_program *program);

/* The number of reactions that are evaluated as formulas, not as mass action. O(reactions). */
uint32_t ff_ssa_program_formulas(const ff_ssa_program *program);

/* The number of groups of reactions whose propensities have common factors, those of all modules together if the network is
 * copies of one module (ff_ssa_modules.h); 0 if it is not factored. O(1). */
uint32_t ff_ssa_program_groups(const ff_ssa_program *program);

/* Whether a reaction or an event changes the count of this species, or the value of the variable `item` - n_species. O(length of
 * its formula). */
int ff_ssa_program_changes(const ff_ssa_program *program, uint32_t item);

/* ---- methods ------------------------------------------------------------------------------------------------------------- */

typedef enum {
  FF_SSA_DIRECT, /* Gillespie 1977: all propensities are computed after each event; for several trajectories at once, if there
                  * are at most FF_SSA_WIDE_REACTIONS reactions */
  FF_SSA_TREE,   /* the direct method with a dependency graph, and sums of propensities in a tree */
  FF_SSA_FIRST,  /* the first reaction method of Gillespie 1976 */
  FF_SSA_NEXT,   /* the next reaction method of Gibson and Bruck 2000, with the waiting times of Anderson 2007 */
  FF_SSA_FACTORED, /* the direct method for groups of reactions whose propensities have common factors; the logarithmic one if
                    * there are too many groups */
  FF_SSA_OPTIMISED,   /* the optimised direct method of Cao, Li and Petzold 2004 */
  FF_SSA_SORTING,     /* the sorting direct method of McCollum et al. 2006 */
  FF_SSA_COMPOSITION, /* composition and rejection of Slepoy, Thompson and Plimpton 2008 */
  FF_SSA_RSSA,        /* the rejection-based method of Thanh, Priami and Zunino 2014 */
  FF_SSA_RSSA_CR,     /* the same with composition and rejection, 2015 */
  FF_SSA_PDM,         /* the partial-propensity direct method of Ramaswamy, Gonzalez-Segredo and Sbalzarini 2009 */
  FF_SSA_SPDM,        /* the same with sorting */
  FF_SSA_PSSA_CR,     /* the same with composition and rejection, 2010 */
  FF_SSA_BLOCK,       /* the search in three levels of Komarov and D'Souza 2012 */
  FF_SSA_TAU,         /* an approximation: explicit tau-leaping of Cao, Gillespie and Petzold 2006 */
  FF_SSA_IMPLICIT,    /* an approximation: leaps that are explicit or implicit, Cao, Gillespie and Petzold 2007 */
  FF_SSA_LANGEVIN,    /* an approximation: the chemical Langevin equation, Gillespie 2000. Counts are real numbers. */
  FF_SSA_ODE,         /* the deterministic limit of large counts. Counts are real numbers. */
  FF_SSA_METHODS
} ff_ssa_method;

/* The name of a method, what it does, and what an event costs, as constant strings. */
const char *ff_ssa_method_name(ff_ssa_method method);
const char *ff_ssa_method_about(ff_ssa_method method);
const char *ff_ssa_method_cost(ff_ssa_method method);

/* Whether its trajectories have the distribution that the network defines. */
int ff_ssa_method_exact(ff_ssa_method method);

/* Whether its counts are whole numbers. */
int ff_ssa_method_whole(ff_ssa_method method);

/* Whether devices have it. */
int ff_ssa_method_on_devices(ff_ssa_method method);

/* FF_EUNSUPPORTED unless devices have this method. The message names those that they have. */
ff_status ff_ssa_method_check_devices(ff_ssa_method method, ff_error *err);

/* FF_EUNSUPPORTED if the method cannot simulate this program. The message names the first reaction that it cannot simulate, or
 * says that it does not simulate events or rates that depend on the time. O(reactions). */
ff_status ff_ssa_method_check(const ff_ssa_program *program, ff_ssa_method method, ff_error *err);

/* ---- statistics --------------------------------------------------------------------------------------------------------- */

/* Statistics of one species at one time. */
typedef struct {
  ff_sum_powers sums; /* of counts */
  double min, max;
} ff_ssa_moments;

/* Statistics of one variable at one time. */
typedef struct {
  ff_real_powers sums;
  double min, max; /* NaN if a value was */
} ff_ssa_real_moments;

/* Sums over trajectories, at each time and for each observed quantity. There are two kinds of quantities: counts of species,
 * which are whole numbers; and real numbers, which are variables, and all counts of methods with real counts. The sums are exact,
 * so the order in which trajectories are added changes no bit. */
typedef struct {
  uint32_t n_times, n_observed, n_counts, n_reals; /* n_observed = n_counts + n_reals */
  uint8_t *real;                                   /* for each quantity: 1 if it is a real number */
  uint32_t *rank;                                  /* for each quantity: its number among those of its kind */
  ff_ssa_moments *counts;                          /* n_times x n_counts, first by time */
  ff_ssa_real_moments *reals;                      /* n_times x n_reals */
  uint64_t *products; /* n_times x pairs x 2 words: sums of products, if there are only species; pair (j, k), j < k, has the
                       * number k (k - 1) / 2 + j; NULL if not wanted */
  ff_real_sum *real_products; /* n_times x pairs, if a quantity is real; or NULL */
  ff_frequency *frequency;    /* n_times x n_observed: how often each value occurs; or NULL */
} ff_ssa_sums;

enum { FF_SSA_COVARIANCE = 1, FF_SSA_HISTOGRAM = 2 }; /* what is added up beside moments */

/* Makes sums of no trajectory. `real` is copied. The caller frees the contents with ff_ssa_sums_free(), also after a failure.
 * O(size). */
ff_status ff_ssa_sums_new(ff_ssa_sums *sums, uint32_t n_times, uint32_t n_observed, const uint8_t *real, unsigned wanted,
                          ff_error *err);
void ff_ssa_sums_free(ff_ssa_sums *sums);

/* Adds a trajectory's quantities x[] at the time with number i. *bytes grows by the memory of histograms. O(quantities), and with
 * covariances O(quantities^2). */
ff_status ff_ssa_sums_add(ff_ssa_sums *sums, uint32_t i, const double *x, uint64_t *bytes, ff_error *err);

/* Adds other sums of the same quantities and times at the time with number i, but not their histograms. O(quantities), and with
 * covariances O(quantities^2). */
void ff_ssa_sums_merge(ff_ssa_sums *sums, const ff_ssa_sums *others, uint32_t i);

/* Where histograms are moved: the next one, and the next entry of its table. It begins with zeros. */
typedef struct {
  size_t cell, entry;
} ff_ssa_place;

/* Moves some of the others' histograms, which are left empty. *done becomes 1 after the last of them. *bytes grows by the memory
 * of histograms. A failure leaves both incomplete. O(1). */
ff_status ff_ssa_sums_move(ff_ssa_sums *sums, ff_ssa_sums *others, ff_ssa_place *at, uint64_t *bytes, int *done, ff_error *err);

/* The memory that the histograms take at most. It follows from the number of different values alone. O(size). */
uint64_t ff_ssa_sums_bytes(const ff_ssa_sums *sums);

/* The memory of sums of products. O(1). */
double ff_ssa_sums_product_bytes(uint32_t n_times, uint32_t n_observed, int any_real);

/* Mean and central moments of quantity j at time i over n trajectories, and its least and largest value. O(1). */
ff_sum_central ff_ssa_sums_moments(const ff_ssa_sums *sums, uint32_t i, uint32_t j, uint64_t n, double *min, double *max);

/* The mean of the products of the deviations of quantities j < k from their means. O(1). */
double ff_ssa_sums_covariance(const ff_ssa_sums *sums, uint32_t i, uint32_t j, uint32_t k, uint64_t n);

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

#define FF_SSA_TOLERANCE 0.03

typedef struct {
  ff_ssa_method method;
  uint64_t key;
  uint64_t first, n;        /* the numbers of the trajectories are first ... first + n - 1, below 2^48 */
  const double *initial;    /* counts at time 0 of each species; NULL for those of the network */
  const double *times;      /* ascending, finite, at least 0 */
  uint32_t n_times;         /* at least 1 */
  const uint32_t *observed; /* species, and variables from n_species on */
  uint32_t n_observed;
  double *const *states;    /* NULL, or for each observed quantity an array for n x n_times values, first by trajectory and then
                             * by time. The caller keeps the arrays until the run is freed. There are no statistics then. */
  unsigned wanted;          /* FF_SSA_COVARIANCE | FF_SSA_HISTOGRAM, for statistics */
  uint64_t max_bytes;       /* of histograms and sums of products; 0 for FF_SSA_MAX_BYTES. Whether they fit does not depend on the
                             * number of threads. All threads together may need this memory once more until their histograms are
                             * merged. */
  uint64_t max_firings;     /* 0, or every firing is kept, up to this number of them */
  const ff_formula *until;  /* NULL, or a trajectory ends as soon as this function of the species is not 0 (NaN is not 0).
                             * Borrowed. From then on its state does not change. */
  double *stopped;          /* NULL, or for each trajectory the time at which it has ended, NaN if it has not. As `states`. */
  const double *starts;     /* NULL, or n x n_species counts at the start, first by trajectory. Borrowed. */
  double start;             /* the time at the start; no time is before it */
  int threads;
  ff_simd simd; /* changes no bit */
  double tolerance; /* of FF_SSA_TAU to FF_SSA_LANGEVIN: the relative change of propensities in a leap; 0 is FF_SSA_TOLERANCE.
                     * Of FF_SSA_ODE: the relative error of a step, and the absolute one of counts; 0 is 1e-8 */
} ff_ssa_options;

#define FF_SSA_MAX_BYTES (UINT64_C(1) << 31)

/* FF_EUNSUPPORTED as ff_ssa_method_check(), and if the options want firings, a condition or starts, but the method does not
 * simulate one event after the other. O(reactions). */
ff_status ff_ssa_method_check_options(const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err);

/* The method that is likely to be the fastest for a program among those that can do what the options want. It depends on the
 * program, and on whether the options want firings, a condition or starts; options->method is ignored. *changed becomes the mean
 * number of propensities that a firing changes: that of ff_ssa_program_coupling(), or that of a short simulation if it is larger.
 * There is such a simulation for networks without a schedule that have more than 256 reactions or groups, unless the answer is
 * FF_SSA_FACTORED. O(reactions + firings of this simulation). */
ff_ssa_method ff_ssa_method_of(const ff_ssa_program *program, const ff_ssa_options *options, double *changed);

/* Simulates n trajectories from the start to the last of the times. At each time, the state is that after all events up to and
 * including this time. The times never change a trajectory. */
typedef struct ff_ssa_run ff_ssa_run;

/* Begins a run. The program is borrowed; what the options point to is copied, except what they call borrowed or kept by the
 * caller. The caller frees *out with ff_ssa_run_free(), which accepts NULL. FF_ESIZE if an initial count is above
 * FF_SSA_MAX_COUNT, or sums of products exceed max_bytes. FF_EARGUMENT if a count is not whole, but those of the method are
 * (ff_ssa_method_whole()). FF_EUNSUPPORTED if the network has events, or rates that depend on the time, and the method does not
 * simulate them or the start is not 0. Memory: O(threads * (species + reactions + times * observed)). */
#define FF_SSA_MAX_COUNT 0x1p40
ff_status ff_ssa_run_new(ff_ssa_run **out, const ff_ssa_program *program, const ff_ssa_options *options, ff_error *err);
void ff_ssa_run_free(ff_ssa_run *run);

/* Works for about `seconds`. *done becomes 1 when all trajectories are complete. FF_EMODEL if a propensity is negative or not
 * finite, if an event sets a species to a value that is not a count, or if the steps of a method become too short. FF_ESIZE if a
 * count exceeds FF_SSA_MAX_COUNT, histograms exceed max_bytes, or there are too many firings. The message names the reaction,
 * species or event, the time, and the first trajectory in which this happens. FF_EMEMORY if there is no memory for what is
 * recorded, or for the engines of threads. The first call that needs engines makes them, and does not look at the clock
 * meanwhile. A failure is final: the run must be freed. */
ff_status ff_ssa_run_advance(ff_ssa_run *run, double seconds, int *done, ff_error *err);

/* The trajectories that are complete, and the events of all trajectories, so far. O(threads). */
uint64_t ff_ssa_run_complete(const ff_ssa_run *run);
uint64_t ff_ssa_run_events(const ff_ssa_run *run);

/* The sums over all trajectories of a run that is done and does not keep the states. *out belongs to the run. O(1). */
ff_status ff_ssa_run_sums(ff_ssa_run *run, ff_ssa_sums **out, ff_error *err);

/* The firings of a run that is done: their number, and in the order of trajectories and times the number of the trajectory (from
 * 0 for the run's first one), the time and the reaction. Each array has an element for each firing. O(firings + trajectories). */
uint64_t ff_ssa_run_n_firings(const ff_ssa_run *run);
ff_status ff_ssa_run_firings(const ff_ssa_run *run, double *trajectory, double *time, int32_t *reaction, ff_error *err);

/* Parses a condition for `until`: a formula of the network's species, parameters and variables. Parameters are replaced by their
 * values, or by the program's symbols if events set them. The caller frees its contents with ff_formula_free(). FF_EUNSUPPORTED
 * if it depends on the time. O(length + species). */
ff_status ff_ssa_condition(ff_formula *out, const ff_reactions *net, const char *text, ff_error *err);

#endif
