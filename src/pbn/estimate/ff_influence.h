/* Long-run influences as observables (Shmulevich et al. 2002). The influence of node k on node i is the sum over i's
 * predictor functions j of c_j times P(f_j(x) differs from f_j(x with bit k flipped)). */
#ifndef FF_INFLUENCE_H
#define FF_INFLUENCE_H

#include "../ff_pbn_engine.h"
#include "../ff_pbn_sums.h"

/* Makes one observable per pair of nodes. It has a term for each predictor function of to[i] that names from[i]: the
 * exclusive or of the function's values with the parent off and on, weighted by the probability that the function is selected
 * (in a dependent network: the sum over the contexts that select it). A pair without such a function is FF_EARGUMENT. A pair
 * whose functions no context selects has no term and influence 0. O(length of the functions). The caller frees the contents
 * of *out with ff_influence_free(). */
ff_status ff_influence_new(ff_observables *out, const ff_pbn *pbn, const uint32_t *from, const uint32_t *to, uint32_t n,
                           ff_error *err);
void ff_influence_free(ff_observables *observables);

/* Inserts n state sets (terms of weight 1) before the other observables. The observables own the expressions from then on. On
 * failure nothing is changed. O(observables + terms). */
ff_status ff_observables_put_sets(ff_observables *observables, const ff_expr *sets, uint32_t n, ff_error *err);

/* The terms that must be counted for observables: their distinct terms that are not constant. Influences have many equal
 * terms and many constant ones, because a function with one parent is always changed by it. */
typedef struct {
  ff_observables counted; /* observables of one term each; its weight is 1 if a state set has this term, whose transitions are
                           * then counted, else 1/2 */
  uint32_t *at;           /* for each term of the observables: its position among the counted ones, or FF_TERM_0 or FF_TERM_1 */
} ff_counted;

/* Finds the terms to be counted. Terms are equal if their truth tables are equal (for up to 10 inputs) or their codes are.
 * The expressions are borrowed from the observables, which must outlive *out. The caller frees the contents of *out with
 * ff_counted_free(). O(length of the terms), and at most 2^10 per term. */
ff_status ff_counted_new(ff_counted *out, const ff_observables *observables, ff_error *err);
void ff_counted_free(ff_counted *counted);

/* Replaces held nodes (ff_pbn_held()) by their values in the terms. O(nodes + length of the terms), and at most 2^10 per
 * term. */
ff_status ff_observables_hold(ff_observables *observables, const ff_pbn *pbn, ff_error *err);

/* The value of an observable whose terms are all constants, so that no simulation is needed, else NaN. O(terms of the
 * observable). */
double ff_observable_constant(const ff_observables *observables, uint32_t observable);

#endif
