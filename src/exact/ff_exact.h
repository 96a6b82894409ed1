/* Exact answers for small networks, from the sparse transition matrix of the Markov chain, without sampling. Uses base/ and
 * model/.
 *
 * Held nodes (ff_pbn_held()) are constants. The other nodes are called free. The chain has 2^free states; the first free node
 * is the least significant bit of a state's number.
 */
#ifndef FF_EXACT_H
#define FF_EXACT_H

#include "../model/ff_model.h"

#define FF_EXACT_MAX_FREE 24   /* 2^24 states; more free nodes are FF_ESIZE */
#define FF_EXACT_MAX_BYTES 8e9 /* limit for the chain and its solver together; above it FF_ESIZE, on any machine */

typedef struct ff_exact ff_exact;

/* The chain of a network. A step is defined as in Mizera et al. (eq. 3, 4) and takes removed nodes into account: if a removed
 * node flips, or an asynchronous update selects it, the state does not change. Flips are applied as a product over nodes and
 * never stored. The values of all predictor functions are stored in 8 bytes per state and 64 functions. Synchronous networks
 * need another 8 bytes per state; dependent ones need 4 bytes per state and context instead, if this is not more than 256 MB.
 *
 * A long computation is done in pieces: a call works for about `seconds`, which may be 0, and the next call continues. The
 * answer does not depend on where a piece ends. A piece can exceed its time only by the time for a row of U (at worst 2^24
 * arrows, a few tenths of a second) or for freeing a gigabyte (a tenth of a second).
 *
 * ff_exact_begin() allocates the chain, or fails with FF_ESIZE if it is too large. Then ff_exact_free_nodes() and
 * ff_exact_states() can be called. ff_exact_fill() fills the tables. It must be called until it returns 1 before any other
 * function is used, and `pbn` must exist until then. ff_exact_new() does both steps in one call. The caller frees the chain
 * with ff_exact_free(), which accepts NULL. Filling takes O(states * total length of the functions / 64) and, in each state,
 * one operation per function.
 */
ff_status ff_exact_begin(ff_exact **out, const ff_pbn *pbn, ff_error *err);
int ff_exact_fill(ff_exact *exact, double seconds);
ff_status ff_exact_new(ff_exact **out, const ff_pbn *pbn, ff_error *err);
void ff_exact_free(ff_exact *exact);

/* The number of free nodes; *nodes points to them in the order of the bits of a state. The array belongs to the chain. O(1). */
uint32_t ff_exact_free_nodes(const ff_exact *exact, const uint32_t **nodes);
/* The number of states. O(1). */
uint64_t ff_exact_states(const ff_exact *exact);

/* y = x P for a row vector x of ff_exact_states() entries, in one piece. O(arrows of U + states * perturbed nodes). */
ff_status ff_exact_step(double *y, const double *x, const ff_exact *exact, ff_error *err);

/* One dense row of P, ff_exact_states() entries, in one piece. O(states * perturbed nodes). */
ff_status ff_exact_row(double *row, uint64_t state, const ff_exact *exact, ff_error *err);

/* Computes the long-run (Cesaro) distribution of the chain. In the initial distribution, nodes that are held or have a given
 * initial value have that value, and the others are uniform. ff_exact_solver_advance() must be called until *done is 1. The
 * caller provides `pi`, the same array in every call; it holds the answer when *done is 1. *residual is then the 1-norm of
 * pi P - pi, or the error in the probabilities of the classes if that is larger. Before, it is the residual of the recurrent
 * class that is being solved. This class is finished when the residual is at most `tolerance` (at least 4e-15), or at most
 * 1e-12 if it no longer decreases. Recurrent classes that the start cannot reach get 0. If several can be reached, each gets
 * the probability that the chain ends in it.
 *
 * The chain must outlive the solver. The caller frees the solver with ff_exact_solver_free(), which accepts NULL. Memory:
 * about 100 bytes per state and up to 1 GB (but at least 6 vectors) of Krylov vectors, which are freed when *done is 1. Fails
 * with FF_ECONVERGENCE after max_steps applications of P in all.
 */
typedef struct ff_exact_solver ff_exact_solver;
ff_status ff_exact_solver_new(ff_exact_solver **out, const ff_exact *exact, double tolerance, uint64_t max_steps,
                              ff_error *err);
ff_status ff_exact_solver_advance(ff_exact_solver *solver, double *pi, double seconds, int *done, double *residual,
                                  ff_error *err);
void ff_exact_solver_free(ff_exact_solver *solver);

/* The probability under pi that an expression over the network's nodes is true. *sum must be zeroed before the first call;
 * ff_exact_sum_advance() must be called until *done is 1, and sum->value is then the answer. ff_exact_probability() does the
 * same in one piece. O(states * length / 64 + states). */
typedef struct {
  double value, lost;
  size_t at;
} ff_exact_sum;
ff_status ff_exact_sum_advance(ff_exact_sum *sum, const double *pi, const ff_expr *set, const ff_exact *exact,
                               double seconds, int *done, ff_error *err);
ff_status ff_exact_probability(double *out, const double *pi, const ff_expr *set, const ff_exact *exact, ff_error *err);

#endif
