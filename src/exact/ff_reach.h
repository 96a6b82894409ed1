/* The exact long run of a network without perturbation, however many nodes it has, if few states can follow its start. Uses base/
 * and model/.
 *
 * The states that can follow are found one after the other, with the probabilities of their arrows. Recurrent classes and the
 * probabilities to end in them are then solved without subtraction, as in ff_exact_gth(). So an event that waits for several rare
 * choices in a row has its exact weight, although no simulation meets it.
 */
#ifndef FF_REACH_H
#define FF_REACH_H

#include "../model/ff_model.h"

#define FF_REACH_MAX_STATES (UINT32_C(1) << 14)
#define FF_REACH_MAX_ARROWS (UINT32_C(1) << 18)
#define FF_REACH_MAX_WORDS (UINT32_C(1) << 22)  /* 32-bit words of all states together */
#define FF_REACH_MAX_WORK (UINT64_C(1) << 25)   /* words of predictor functions evaluated, about a quarter of a second */
#define FF_REACH_MAX_COMPONENT 1024u            /* states of a component, unless each state of it is followed by one other */
#define FF_REACH_MAX_SOLVING (UINT64_C(1) << 31) /* cubes of the sizes of components, added up: about a second */

typedef struct ff_reach ff_reach;

/* Makes a search from one state (bit i of word i / 32 is node i), or, if `start` is NULL, from the network's start, where nodes
 * whose initial value is not given have either value with probability 1/2. It finds at most max_states (at most
 * FF_REACH_MAX_STATES) states. The network is borrowed and must outlive the search; `start` is copied. FF_EARGUMENT if a node can
 * flip. The caller frees *out with ff_reach_free(), which accepts NULL. Memory: below 64 MB. */
ff_status ff_reach_new(ff_reach **out, const ff_pbn *pbn, const uint32_t *start, uint32_t max_states, ff_error *err);
void ff_reach_free(ff_reach *reach);

/* Works for about `seconds`, or up to a second longer while a component is solved. Must be called until *done is 1. */
ff_status ff_reach_advance(ff_reach *reach, double seconds, int *done, ff_error *err);

/* Finds all states that can follow, without solving, in one piece. *all is 0 if they exceed a limit. ff_reach_possible() then
 * gives the values that an expression has in the states found: 1 is the value 0, 2 the value 1, and 3 both. `stack` needs
 * set->depth bytes. O(states * length). */
ff_status ff_reach_explore(ff_reach *reach, int *all, ff_error *err);
uint8_t ff_reach_possible(const ff_reach *reach, const ff_expr *set, uint8_t *stack);
uint64_t ff_reach_work(const ff_reach *reach); /* words of predictor functions evaluated so far */

/* When done: the number of states that can follow the start, itself included, or 0 if a limit was exceeded and the long run is
 * not known. */
uint32_t ff_reach_states(const ff_reach *reach);

/* When done, and if the long run is known: the long-run probability that an expression is true, in *out. O(states * length). */
ff_status ff_reach_probability(double *out, const ff_reach *reach, const ff_expr *set, ff_error *err);

#endif
