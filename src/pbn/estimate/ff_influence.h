/* Long-run influence as something to count (Shmulevich et al. 2002): of node k on node i,
 * sum over i's predictor functions j of c_j times P(f_j(x) differs from f_j(x with bit k flipped)).
 */
#ifndef FF_INFLUENCE_H
#define FF_INFLUENCE_H

#include "../ff_engine.h"
#include "../ff_sums.h"

/* One observable a pair, a term for each of to[i]'s predictor functions that names from[i]: the function's value with the
 * parent off, exclusive or its value with the parent on, weighted by the probability that the function is selected (in a
 * dependent network: of all contexts that select it). A pair without such a function is FF_EARGUMENT; one
 * whose functions no context selects has no term and influence 0.
 * O(length of the functions). To be given back to ff_influence_free. */
ff_status ff_influence_new(ff_observables *out, const ff_pbn *pbn, const uint32_t *from, const uint32_t *to, uint32_t n,
                           ff_error *err);
void ff_influence_free(ff_observables *observables);

/* Puts n state sets (terms of weight 1) before the others. The expressions become the observables'; on failure all is as it
 * was. */
ff_status ff_observables_put_sets(ff_observables *observables, const ff_expr *sets, uint32_t n, ff_error *err);

/* What has to be counted for observables: their distinct terms that are no constants. Influences have many equal terms, and
 * constant ones: a function with one parent is always changed by it. */
typedef struct {
  ff_observables counted; /* of one term each, of weight 1 where a state set has it (whose transitions count), else 1/2 */
  uint32_t *at;           /* per term of the observables: its place among the counted ones, or FF_TERM_0/1 */
} ff_counted;

/* Terms are equal where their truth tables are (up to 10 inputs), or their codes. The counted expressions stay the observables',
 * which must outlive them. O(length of the terms, 2^10 a term at most). */
ff_status ff_counted_new(ff_counted *out, const ff_observables *observables, ff_error *err);
void ff_counted_free(ff_counted *counted);

/* Puts the values of held nodes (ff_pbn_held) into the terms. */
ff_status ff_observables_hold(ff_observables *observables, const ff_pbn *pbn, ff_error *err);

/* The value of an observable whose terms are all constants, which needs no simulation to be known; else NaN. */
double ff_observable_constant(const ff_observables *observables, uint32_t observable);

#endif
