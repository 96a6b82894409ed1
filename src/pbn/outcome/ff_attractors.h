/* Finds the attractor that a state leads to by following arrows between states. Uses base/ and model/.
 *
 * The network is considered without perturbation. An arrow goes from a state to each state that may follow it. A recurrent
 * class (attractor) is a set of states that can reach each other and no other states. Every reported attractor is such a set,
 * with exactly these states. Nothing here is random, and the only property of a probability that matters is whether it is
 * above 0.
 */
#ifndef FF_ATTRACTORS_H
#define FF_ATTRACTORS_H

#include "../../model/ff_model.h"

#define FF_ATTRACTORS_MAX_STATES (UINT32_C(1) << 24)

/* What a state leads to: the number of the only attractor that it can end in, or one of these values. */
enum { FF_LEADS_UNKNOWN = -1, FF_LEADS_SEVERAL = -2 };

/* FF_CYCLE: each state has exactly one other state that may follow. FF_COMPLEX: any other attractor of several states. */
typedef enum { FF_FIXED_POINT, FF_CYCLE, FF_COMPLEX } ff_attractor_type;

/* The arrays belong to the ff_attractors and are valid until the next attractor is found. Bit i of word i / 32 is node i. */
typedef struct {
  uint32_t states;
  ff_attractor_type type;
  const uint32_t *smallest; /* its smallest state, which identifies it */
  const uint32_t *always;   /* nodes that are 1 in all its states */
  const uint32_t *ever;     /* nodes that are 1 in some of its states */
} ff_attractor;

typedef struct ff_attractors ff_attractors;

/* Makes an empty search. The network is borrowed and must outlive it. Results for states are stored, up to about 128 MB. One
 * exploration takes further memory. The caller frees *out with ff_attractors_free(), which accepts NULL. */
ff_status ff_attractors_new(ff_attractors **out, const ff_pbn *pbn, ff_error *err);
void ff_attractors_free(ff_attractors *attractors);

uint32_t ff_attractors_words(const ff_attractors *attractors); /* number of words of a state */
uint32_t ff_attractors_count(const ff_attractors *attractors);
ff_attractor ff_attractors_get(const ff_attractors *attractors, uint32_t i);

/* The result for a state as far as it is known, without exploring. *tried is the largest limit with which an exploration from
 * this state has failed. O(words). */
int32_t ff_attractors_known(const ff_attractors *attractors, const uint32_t *state, uint32_t *tried);

/* Explores the states that can follow a state. ff_attractors_begin() starts; then ff_attractors_run() must be called until
 * *done is 1, and each call works until `deadline` (on ff_clock()) or a little longer. ff_attractors_answer() then returns
 * the result. It is FF_LEADS_UNKNOWN if more than `limit` states without a known result would have to be explored. From a
 * state in an attractor of at most `limit` states, the attractor is always found. O(arrows * words), and for each state
 * O(size of the network). */
ff_status ff_attractors_begin(ff_attractors *attractors, const uint32_t *state, uint32_t limit, ff_error *err);
ff_status ff_attractors_run(ff_attractors *attractors, double deadline, int *done, ff_error *err);
int32_t ff_attractors_answer(const ff_attractors *attractors);

/* The work done so far: the number of predictor functions evaluated, where an arrow counts as one. */
uint64_t ff_attractors_work(const ff_attractors *attractors);

#endif
