/* The chemical master equation: the exact distribution of a small reaction network at given times. Uses base/ and model/.
 *
 * The network is a Markov chain in continuous time. A state is a count of each species, and reaction r fires with the propensity
 * ff_reactions_propensity(). Let p(t) be the distribution of the state at time t, which starts in the network's initial state.
 *
 * Method: finite state projection (Munsky and Khammash 2006) with uniformisation (Jensen 1953). The time is divided into
 * segments. In each segment, only the states of a finite set, the projection, are followed; probability that leaves the set is
 * lost. The set is enlarged, and the segment repeated, until little enough is lost. Between segments, states that together have a
 * negligible probability are dropped from the set, and their probability is lost too. So the set follows the distribution.
 *
 * Error: lost probability never comes back. So without rounding, the computed distribution q is nowhere above p, and the error in
 * the 1-norm, the sum of |q - p| over all states, is the missing probability 1 - sum(q). ff_cme_missing() adds a bound of all
 * rounding errors of q. The propensities themselves are taken as exact. */
#ifndef FF_CME_H
#define FF_CME_H

#include "../model/reactions/ff_reactions.h"

#define FF_CME_MAX_BYTES 8e9 /* a projection that needs more memory counts as too large, on any machine */

typedef struct ff_cme ff_cme;

/* Starts at time 0 in the network's initial state. `end` is the last time that will be asked for. `tolerance` is the largest
 * error at that time, and is spread over the time. The projection has at most max_states states. Fails with FF_EUNSUPPORTED if a
 * rate depends on the time, and with FF_EMODEL if the initial state has an invalid propensity. `net` must outlive the result. The
 * caller frees the result with ff_cme_free(), which accepts NULL. O(size of the network). */
ff_status ff_cme_new(ff_cme **out, const ff_reactions *net, double tolerance, uint32_t max_states, double end, ff_error *err);
void ff_cme_free(ff_cme *cme);

/* Advances to the time `until`, which is at most `end` and not before the time already reached. A call works for about `seconds`,
 * which may be 0. It must be repeated with the same `until` until *done is 1. The answer does not depend on where a call ends. A
 * call can exceed its time only by the time to enlarge a hash table, some tenths of a second for a million states.
 *
 * Fails with FF_EMODEL if a state that can be reached has a propensity that is negative, infinite or NaN; with FF_ESIZE if more
 * than max_states states, or FF_CME_MAX_BYTES of memory, are needed; with FF_ECONVERGENCE if the bound of rounding errors is
 * above the tolerance. After a failure only ff_cme_free() may be called.
 *
 * Time: about (rate * time + 10 sqrt(rate * time)) * arrows operations, where `rate` is the largest exit rate of a state of the
 * projection, and an arrow is a reaction that can fire in a state. */
ff_status ff_cme_advance(ff_cme *cme, double until, double seconds, int *done, ff_error *err);

/* The time that has been reached, the number of states of the projection, and the number of species. O(1). */
double ff_cme_time(const ff_cme *cme);
uint32_t ff_cme_states(const ff_cme *cme);
uint32_t ff_cme_species(const ff_cme *cme);

/* A bound of the error of the distribution at the time reached, in the 1-norm. Only when *done is 1. O(states). */
double ff_cme_missing(const ff_cme *cme);

/* The distribution at the time reached, only when *done is 1. Returns the number of states whose probability is above 0. Unless
 * the arrays are NULL, counts[i + j * n_rows] becomes the count of species j in state i, and probability[i] the probability of
 * state i. The states are in no particular order. O(states * species). */
uint32_t ff_cme_distribution(const ff_cme *cme, double *counts, double *probability, size_t n_rows);

/* Weights of the Poisson distribution with mean m, for uniformisation: weight[k - left] for k from left to right. Each is at most
 * the true weight, but for rounding, and all add up to at least 1 - epsilon. after[k - left] is at least the probability of a
 * value above k, and at most 1. The arrays grow; the caller zeroes the struct at the start, and frees weight and after. O(sqrt(m)
 * * sqrt(-log(epsilon))), about, for m > 1. 0 < m <= 1e9, 1e-200 <= epsilon < 0.1. */
typedef struct {
  double *weight, *after;
  size_t weight_capacity, after_capacity;
  uint32_t left, right;
} ff_cme_poisson;
ff_status ff_cme_poisson_weights(ff_cme_poisson *out, double m, double epsilon, ff_error *err);

#endif
