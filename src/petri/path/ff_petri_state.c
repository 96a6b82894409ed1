/* Trajectories in parts: what a path knows between two segments, as a block of memory. */
#include <string.h>

#include "ff_petri_path_internal.h"

/* Numbers that are kept. */
typedef struct {
  ff_petri_kept steps;
  double crossings_since;
  uint64_t choices, batches;
  uint32_t n_candidates, n_due, n_empty, n_enabled, at_once, crossings;
} kept;

/* Arrays that are kept, those of doubles first, with the numbers of their elements. */
#define FF_STATE_ARRAYS(X)                                                                                                    \
  X(value, p->n_values) X(left, p->n_groups) X(choice, p->n_groups) X(since, p->n_groups) X(rate, p->n_groups)                \
  X(fired, p->n_groups) X(enabled, ff_petri_enabled_words(p))                                                                 \
  X(coefficient, p->n_stochastic) X(sum, p->n_cells) X(low, p->n_cells) X(high, p->n_cells) X(times, p->n_timed)              \
  X(candidates.heap, p->n_groups) X(due.heap, p->n_timed) X(candidates.at, p->n_groups) X(due.at, p->n_timed)                 \
  X(empty, p->n_watched) X(varies, p->n_groups) X(is_dirty_group, p->n_groups) X(is_enabled_timed, p->n_timed)

size_t ff_petri_path_state_size(const ff_petri_program *p) {
  const ff_petri_path *x = NULL;
  size_t size = sizeof(kept);
#define FF_X(name, n) size += (size_t)(n) * sizeof *x->name;
  FF_STATE_ARRAYS(FF_X)
#undef FF_X
  return (size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

ff_petri_kept ff_petri_path_kept(const ff_petri_path *x) {
  return (ff_petri_kept){x->ode != NULL ? ff_ode_pace_of(x->ode) : (ff_ode_pace){0}, x->reach};
}

static void save(const ff_petri_path *x, void *state) {
  const ff_petri_program *p = x->program;
  const kept k = {ff_petri_path_kept(x), x->crossings_since, x->choices, x->batches, x->candidates.n, x->due.n, x->n_empty,
                  x->n_enabled, x->at_once, x->crossings};
  char *to = state;
  memcpy(to, &k, sizeof k);
  to += sizeof k;
#define FF_X(name, n)                                                                                                         \
  memcpy(to, x->name, (size_t)(n) * sizeof *x->name);                                                                         \
  to += (size_t)(n) * sizeof *x->name;
  FF_STATE_ARRAYS(FF_X)
#undef FF_X
}

static kept load(ff_petri_path *x, const void *state) {
  const ff_petri_program *p = x->program;
  const char *from = state;
  kept k;
  memcpy(&k, from, sizeof k);
  from += sizeof k;
#define FF_X(name, n)                                                                                                         \
  memcpy(x->name, from, (size_t)(n) * sizeof *x->name);                                                                       \
  from += (size_t)(n) * sizeof *x->name;
  FF_STATE_ARRAYS(FF_X)
#undef FF_X
  return k;
}

double ff_petri_path_open(ff_petri_path *x, void *state) {
  const ff_petri_program *p = x->program;
  double all = 0;
  ff_petri_path_begin(x);
  ff_petri_switches_set(x);
  if (state != NULL) save(x, state);
  for (uint32_t c = 0; c < p->n_cells; c++)
    if (x->sum[c] != 0) all += x->sum[c] * ff_petri_profile_at(x, 0, p->cell_profile[c]);
  return all;
}

void ff_petri_path_leave(ff_petri_path *x, void *state, double t) {
  x->now = t;
  ff_petri_own_levels(x);
  if (!x->flat && t == x->to && x->reach < FF_PETRI_REACH * x->length) x->reach = FF_PETRI_REACH * x->length;
  ff_petri_leave_segment(x);
  save(x, state);
}

/* It is as after a flat segment: the solver begins anew, from the levels in value[]. Segments keep their numbers, by which
 * profiles know theirs. */
void ff_petri_path_resume(ff_petri_path *x, const void *state, double t) {
  const ff_petri_program *p = x->program;
  const uint64_t segment = x->segment;
  for (uint32_t b = 0; b < x->n_batch; b++) x->in_batch[x->batch[b]] = 0; /* of a trajectory that was left in between */
  ff_petri_path_forget(x);
  const kept k = load(x, state);
  x->failure = (ff_failure){0};
  x->segment = segment;
  x->flat = x->own = 1;
  x->now = x->next_time = x->from = t;
  x->at_stop = 0;
  x->reach = k.steps.reach;
  x->crossings_since = k.crossings_since;
  x->choices = k.choices;
  x->batches = k.batches;
  x->candidates.n = k.n_candidates;
  x->due.n = k.n_due;
  x->n_enabled = k.n_enabled;
  x->at_once = k.at_once;
  x->crossings = k.crossings;
  x->n_batch = x->at_batch = 0;
  ff_petri_hold_begin(x);
  x->n_empty = k.n_empty;
  if (x->ode != NULL) {
    ff_ode_set_pace(x->ode, &k.steps.pace);
    ff_ode_go_on(x->ode, t, x->value);
  }
  ff_petri_switches_set(x);
  for (uint32_t g = 0; g < p->n_groups; g++)
    if (x->is_dirty_group[g]) x->dirty_group[x->n_dirty_groups++] = g;
  ff_petri_path_find(x);
}
