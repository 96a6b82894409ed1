/* The packed program in the form that the table kernel reads, and where its parts are to lie (Mizera, Pang, Yuan, Table 1).
 *
 * Bit i of a state is the node at place i of the program's order, so that a trajectory writes its next values in order; all
 * that names a node names its place instead. One block of memory holds every array; a kernel brings the parts that many
 * threads read to its block's shared memory, and gets the `uniform` ones, which the threads of a warp read together, as a
 * parameter (which lies in constant memory) where they fit.
 */
#ifndef FF_TABLE_IMAGE_H
#define FF_TABLE_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_packed_step.h"

#define FF_TABLE_CONSTANT 7000 /* words of a kernel's parameter */

typedef enum { FF_STATE_REGISTERS, FF_STATE_SHARED, FF_STATE_GLOBAL } ff_state_place;

/* Elements of each array that a block brings to its shared memory, in this order, and their 32-bit words together. */
typedef struct {
  uint32_t hits;     /* thresholds and aliases */
  uint32_t functions;
  uint32_t uniform;  /* first, cut, code_at, code */
  uint32_t parents, extra_at, extra;
  size_t words;
} ff_table_fast;

/* What of a card matters. */
typedef struct {
  size_t shared_block, shared_processor, shared_reserved; /* bytes: of a block at most, of a multiprocessor, lost a block */
  uint32_t threads;                                       /* of a multiprocessor */
} ff_table_card;

typedef struct {
  int form;              /* of ff_packed_step.h */
  ff_state_place state;
  int constant;          /* the uniform arrays are a parameter */
  int shared_counts;     /* counts of a launch are gathered in shared memory */
  uint32_t threads;      /* of a block; divides FF_TILE */
  uint32_t split;        /* words of the state whose tables are brought */
  ff_table_fast fast;
  size_t thread_bytes;   /* of shared memory, a thread */
} ff_table_plan;

/* Chooses. `split` 0 leaves all tables of a network that does not fit where they are, to measure what splitting gains. */
void ff_table_plan_of(ff_table_plan *out, const ff_program *program, const ff_table_card *card, int split);

static inline size_t ff_table_shared_bytes(const ff_table_plan *plan, uint32_t threads) {
  return plan->fast.words * 4 + plan->thread_bytes * threads;
}

/* The program for such a plan in one block of memory, to be freed by ff_free_aligned(*memory). O(size of the program). */
ff_status ff_table_image_new(ff_step_program *out, void **memory, size_t *bytes, const ff_program *program,
                             const ff_table_plan *plan, ff_error *err);

/* The same program where its memory was copied from `from` to `to`. */
ff_step_program ff_table_image_at(const ff_step_program *image, const void *from, const void *to);

/* Words of the uniform arrays, which follow each other from `first` on. */
static inline uint32_t ff_table_uniform(const ff_program *p) {
  const ff_packed *q = &p->packed;
  return p->n_nodes + 1 + q->n_functions + q->n_wide + p->n_terms + 1 + q->n_code;
}

/* ---- what a block does first ------------------------------------------------------------------------------------- */

/* Makes the program read its uniform arrays from a copy of them. */
FF_STEP void ff_table_read_uniform(ff_step_program *p, const uint32_t *copy) {
  p->cut = copy + (p->cut - p->first);
  p->code_at = copy + (p->code_at - p->first);
  p->code = copy + (p->code - p->first);
  p->first = copy;
}

/* Words from `from` to place *at of `shared`, by thread `thread` of `threads`. */
FF_STEP uint32_t *ff_table_bring(uint32_t *shared, uint32_t *at, const void *from, uint32_t words, uint32_t thread,
                                 uint32_t threads) {
  uint32_t *to = shared + *at;
  for (uint32_t i = thread; i < words; i += threads) to[i] = ((const uint32_t *)from)[i];
  *at += words;
  return to;
}

/* Brings what `fast` says and makes the program read it there. */
FF_STEP void ff_table_fetch(const int form, ff_step_program *p, const ff_table_fast *fast, uint32_t *shared, uint32_t thread,
                            uint32_t threads) {
  uint32_t at = 0;
  const ff_step_tables all = p->fast;
  if (form & FF_FORM_SPLIT) p->slow = all;
  p->hits.threshold = (uint64_t *)(void *)ff_table_bring(shared, &at, p->hits.threshold, 2 * fast->hits, thread, threads);
  p->fast.function =
      (const uint64_t *)(const void *)ff_table_bring(shared, &at, all.function, 2 * fast->functions, thread, threads);
  p->hits.alias = ff_table_bring(shared, &at, p->hits.alias, fast->hits, thread, threads);
  if ((form & FF_FORM_ASYNCHRONOUS) && !(form & FF_FORM_SPLIT)) {
    const uint32_t *uniform = ff_table_bring(shared, &at, p->first, fast->uniform, thread, threads);
    ff_table_read_uniform(p, uniform);
  }
  p->fast.parents = ff_table_bring(shared, &at, all.parents, fast->parents, thread, threads);
  p->fast.extra = ff_table_bring(shared, &at, all.extra, fast->extra, thread, threads);
  if (!(form & FF_FORM_ROWS)) p->fast.extra_at = ff_table_bring(shared, &at, all.extra_at, fast->extra_at, thread, threads);
}

#ifdef __cplusplus
}
#endif

#endif
