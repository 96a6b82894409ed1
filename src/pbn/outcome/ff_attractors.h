/* Which attractor a state leads to, found by following arrows between states. Stands on base/ and model/.
 *
 * The network is taken without perturbation: an arrow goes from a state to each state that may follow it. A recurrent class
 * (attractor) is a set of states that reach each other and no state besides. Every attractor that is told is one, and has just
 * these states: nothing here is random, and no probability is looked at but for being above 0.
 */
#ifndef FF_ATTRACTORS_H
#define FF_ATTRACTORS_H

#include "../../model/ff_model.h"

#define FF_ATTRACTORS_MAX_STATES (UINT32_C(1) << 24)

/* What a state leads to: the number of the one attractor that it can end in, or one of these. */
enum { FF_LEADS_UNKNOWN = -1, FF_LEADS_SEVERAL = -2 };

/* CYCLE: each state has one other state that may follow, COMPLEX: not so. */
typedef enum { FF_FIXED_POINT, FF_CYCLE, FF_COMPLEX } ff_attractor_type;

/* Arrays are the owner's, valid until the next attractor is found; bit i of word i / 32 is node i. */
typedef struct {
  uint32_t states;
  ff_attractor_type type;
  const uint32_t *smallest; /* its smallest state, by which it is known */
  const uint32_t *always;   /* nodes that are 1 in all its states */
  const uint32_t *ever;     /* nodes that are 1 in some */
} ff_attractor;

typedef struct ff_attractors ff_attractors;

/* Borrows the network. What is learnt about states is kept, up to about 128 MB and then some for one exploration. */
ff_status ff_attractors_new(ff_attractors **out, const ff_pbn *pbn, ff_error *err);
void ff_attractors_free(ff_attractors *attractors);

uint32_t ff_attractors_words(const ff_attractors *attractors); /* of a state */
uint32_t ff_attractors_count(const ff_attractors *attractors);
ff_attractor ff_attractors_get(const ff_attractors *attractors, uint32_t i);

/* What is known of a state without exploring; *tried is the largest limit within which that was in vain. */
int32_t ff_attractors_known(const ff_attractors *attractors, const uint32_t *state, uint32_t *tried);

/* Explores what can follow a state: begin, then run until *done, each time until `deadline` (on ff_clock) or a little later.
 * The answer is ff_attractors_answer. It is FF_LEADS_UNKNOWN where more than `limit` states would have to be looked at that
 * are not known already; an attractor of at most `limit` states is always found from a state in it. O(arrows * words), and
 * the network's size for each state. */
ff_status ff_attractors_begin(ff_attractors *attractors, const uint32_t *state, uint32_t limit, ff_error *err);
ff_status ff_attractors_run(ff_attractors *attractors, double deadline, int *done, ff_error *err);
int32_t ff_attractors_answer(const ff_attractors *attractors);

/* Work done so far, in predictor functions evaluated (an arrow counts as one). */
uint64_t ff_attractors_work(const ff_attractors *attractors);

#endif
