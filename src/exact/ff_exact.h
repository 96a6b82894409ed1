/* Exact answers for small networks, by the sparse transition matrix of the Markov chain: no sampling, no graph library.
 * Stands on base/ and model/.
 *
 * Held nodes (ff_pbn_held) are constants and do not count. The others are free; the chain lives on the 2^free states, numbered
 * with the first free node as the least significant bit.
 */
#ifndef FF_EXACT_H
#define FF_EXACT_H

#include "../model/ff_model.h"

#define FF_EXACT_MAX_FREE 24   /* 2^24 states; beyond that FF_ESIZE */
#define FF_EXACT_MAX_BYTES 8e9 /* what the chain and its solver may take together; beyond that FF_ESIZE, on any machine */

typedef struct ff_exact ff_exact;

/* The chain of a network: one step as in Mizera et al. (eq. 3, 4), removed nodes counted (a removed node that flips, or that
 * asynchronous mode picks, leaves the state as it is). Flips are applied as a product over nodes, never stored; what is stored
 * are the values of all predictor functions, 8 bytes a state and 64 functions, and 8 bytes a state besides.
 *
 * Whatever takes long is done in pieces of about `seconds`, which may be 0, and goes on at the next call; the answer does not
 * depend on where pieces end. A piece is no longer than its seconds by more than a row of U takes (at worst, 2^24 arrows, a
 * few tenths of a second) or a gigabyte to give back (a tenth).
 *
 * ff_exact_begin refuses what is too large and takes the memory; the chain can then tell its free nodes and its states. The
 * rest needs ff_exact_fill to have returned 1; `pbn` must live until then. ff_exact_new does both in one. */
ff_status ff_exact_begin(ff_exact **out, const ff_pbn *pbn, ff_error *err);
int ff_exact_fill(ff_exact *exact, double seconds);
ff_status ff_exact_new(ff_exact **out, const ff_pbn *pbn, ff_error *err);
void ff_exact_free(ff_exact *exact);

uint32_t ff_exact_free_nodes(const ff_exact *exact, const uint32_t **nodes);
uint64_t ff_exact_states(const ff_exact *exact);

/* y = x P for a row vector of ff_exact_states entries, in one go. */
ff_status ff_exact_step(double *y, const double *x, const ff_exact *exact, ff_error *err);

/* One row of P, dense (ff_exact_states entries), in one go. */
ff_status ff_exact_row(double *row, uint64_t state, const ff_exact *exact, ff_error *err);

/* The long-run (Cesaro) distribution from the initial one (held and definite nodes at their values, others uniform): call
 * until *done. `pi` is the caller's, the same array in every call, and holds the answer once *done. *residual is then the
 * 1-norm of pi P - pi; before, how far the class at hand is (below `tolerance`, at least 4e-15, it is done). Recurrent classes
 * that the start cannot reach get 0; with several, each has the probability that the chain ends in it. `exact` must outlive the
 * solver. Memory: about 100 bytes a state and up to 1 GB (6 vectors at least) of Krylov vectors, given back once *done. Ends
 * with FF_ECONVERGENCE after max_steps applications of P in all. */
typedef struct ff_exact_solver ff_exact_solver;
ff_status ff_exact_solver_new(ff_exact_solver **out, const ff_exact *exact, double tolerance, uint64_t max_steps,
                              ff_error *err);
ff_status ff_exact_solver_advance(ff_exact_solver *solver, double *pi, double seconds, int *done, double *residual,
                                  ff_error *err);
void ff_exact_solver_free(ff_exact_solver *solver);

/* Probability under pi that an expression over the network's nodes holds: the value of a sum that starts as {0}, once *done.
 * O(states * length / 64). ff_exact_probability is the same in one go. */
typedef struct {
  double value, lost;
  size_t at;
} ff_exact_sum;
ff_status ff_exact_sum_advance(ff_exact_sum *sum, const double *pi, const ff_expr *set, const ff_exact *exact,
                               double seconds, int *done, ff_error *err);
ff_status ff_exact_probability(double *out, const double *pi, const ff_expr *set, const ff_exact *exact, ff_error *err);

#endif
