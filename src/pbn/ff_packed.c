/* Runs the packed program one trajectory at a time. The value of a node is a bit of a 32-bit word (ff_packed_step.h). */
#include <string.h>

#include "ff_packed_step.h"

/* The forms of both kinds of update, as constants. */
#define SYNCHRONOUS 0
#define ASYNCHRONOUS FF_FORM_ASYNCHRONOUS

static ff_step_program program_of(const ff_pbn_program *p) {
  const ff_packed *q = &p->packed;
  return (ff_step_program){.n_nodes = p->n_nodes,
                           .words = q->words,
                           .n_all = p->n_all,
                           .n_flip = p->n_flip,
                           .n_flip_here = p->n_flip_here,
                           .n_contexts = q->n_contexts,
                           .first_term = q->n_wide,
                           .order = q->order,
                           .first = q->first,
                           .cut = q->cut,
                           .cut_further = q->cut_further,
                           .context = q->context,
                           .context_cut = q->context_cut,
                           .context_further = q->context_further,
                           .flip = p->flip,
                           .code_at = q->code_at,
                           .code = q->code,
                           .initial = p->initial,
                           .fast = {q->function, q->parents, q->extra_at, q->extra},
                           .hits = p->hits};
}

static ff_step_trajectory trajectory_of(const ff_tile *tile, uint32_t lane) {
  return (ff_step_trajectory){.key = tile->key,
                              .unit = tile->unit * FF_TILE + lane,
                              .state = tile->state + (size_t)lane * tile->program->packed.words,
                              .next = tile->next,
                              .hits = tile->extra_hits,
                              .stride = 1,
                              .next_stride = 1,
                              .hits_stride = 1};
}

/* `changes` is counted for one trajectory at a time. It uses the tile's array `after`, which is filled only at the harvest. */
static ff_step_counts counts_of(ff_tile *tile, uint32_t lane) {
  return (ff_step_counts){.n_terms = tile->program->n_terms,
                          .value = tile->value + lane,
                          .count = tile->counts + lane,
                          .changes = tile->after,
                          .value_stride = FF_TILE,
                          .count_stride = FF_TILE,
                          .changes_stride = 1};
}

void ff_packed_start(ff_tile *tile) {
  const ff_step_program p = program_of(tile->program);
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    ff_step_trajectory t = trajectory_of(tile, lane);
    ff_step_start(SYNCHRONOUS, &p, &t);
  }
}

static void take_before(ff_tile *tile, const ff_step_program *p) {
  uint32_t n_terms = tile->program->n_terms;
  memset(tile->before, 0, n_terms * sizeof *tile->before);
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    ff_step_trajectory t = trajectory_of(tile, lane);
    ff_step_counts c = counts_of(tile, lane);
    ff_step_evaluate(SYNCHRONOUS, p, &t, &c);
    for (uint32_t i = 0; i < n_terms; i++) tile->before[i] += c.value[i * c.value_stride];
  }
  tile->fresh = 0;
}

static void count_lane(ff_tile *tile, const ff_step_program *p, uint32_t lane, uint64_t steps) {
  ff_step_trajectory t = trajectory_of(tile, lane);
  ff_step_counts c = counts_of(tile, lane);
  memset(c.changes, 0, c.n_terms * sizeof *c.changes);
  if (tile->program->update == FF_ASYNCHRONOUS)
    ff_step_run(ASYNCHRONOUS, p, &t, tile->step, steps, &c);
  else
    ff_step_run(SYNCHRONOUS, p, &t, tile->step, steps, &c);
  for (uint32_t i = 0; i < c.n_terms; i++) tile->changes[i] += c.changes[i];
}

static void run_lane(ff_tile *tile, const ff_step_program *p, uint32_t lane, uint64_t steps) {
  ff_step_trajectory t = trajectory_of(tile, lane);
  if (tile->program->update == FF_ASYNCHRONOUS)
    ff_step_run(ASYNCHRONOUS, p, &t, tile->step, steps, NULL);
  else
    ff_step_run(SYNCHRONOUS, p, &t, tile->step, steps, NULL);
}

void ff_packed_run(ff_tile *tile, uint64_t steps, int count) {
  const ff_step_program p = program_of(tile->program);
  if (count && tile->fresh) take_before(tile, &p);
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    if (count)
      count_lane(tile, &p, lane, steps);
    else
      run_lane(tile, &p, lane, steps);
  }
  tile->step += steps;
  if (count) tile->counted += steps;
}
