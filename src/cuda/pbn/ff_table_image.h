/* The packed program in the form that the table kernel reads, and the plan of where its parts are stored (Mizera, Pang, Yuan,
 * Table 1).
 *
 * Bit i of a state is the node at place i of the program's node order, so that a trajectory writes its next values in order. All
 * arrays name a node by its place. One block of memory holds all arrays. A kernel copies the parts that many threads read to the
 * shared memory of its block. The `uniform` arrays, which the threads of a warp read at the same address, are a kernel parameter
 * (in constant memory) if they fit.
 */
#ifndef FF_TABLE_IMAGE_H
#define FF_TABLE_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_packed_step.h"

#define FF_TABLE_CONSTANT 7000 /* the most words of the uniform arrays in a kernel parameter */

typedef enum { FF_STATE_REGISTERS, FF_STATE_SHARED, FF_STATE_GLOBAL } ff_state_place;

/* The elements of each array that a block copies to its shared memory, in this order, and the sum of their 32-bit words. */
typedef struct {
  uint32_t hits;     /* thresholds and aliases */
  uint32_t functions;
  uint32_t uniform;  /* first, cut, code_at, code */
  uint32_t parents, extra_at, extra;
  size_t words;
} ff_table_fast;

/* The properties of a card that the plan depends on. */
typedef struct {
  /* bytes: the most per block, per multiprocessor, and reserved per block */
  size_t shared_block, shared_processor, shared_reserved;
  uint32_t threads;                                       /* per multiprocessor */
} ff_table_card;

typedef struct {
  int form;              /* flags FF_FORM_* of ff_packed_step.h */
  ff_state_place state;
  int constant;          /* the uniform arrays are a kernel parameter */
  int shared_counts;     /* the counts of a launch are in shared memory */
  uint32_t threads;      /* per block; divides FF_TILE */
  uint32_t split;        /* words of the state whose tables are copied to shared memory */
  ff_table_fast fast;
  size_t thread_bytes;   /* shared memory per thread */
} ff_table_plan;

/* Makes the plan for a program and a card. With `split` 0, a network that does not fit keeps all its tables in global memory, to
 * measure what splitting gains. O(size of the program). */
void ff_table_plan_of(ff_table_plan *out, const ff_pbn_program *program, const ff_table_card *card, int split);

static inline size_t ff_table_shared_bytes(const ff_table_plan *plan, uint32_t threads) {
  return plan->fast.words * 4 + plan->thread_bytes * threads;
/* Bytes of shared memory of a block of `threads` threads. */
}

/* Makes the image of the program for a plan, in one block of memory. The caller frees it with ff_free_aligned(*memory). On an
 * error there is nothing to free. O(size of the program). */
ff_status ff_table_image_new(ff_step_program *out, void **memory, size_t *bytes, const ff_pbn_program *program,
                             const ff_table_plan *plan, ff_error *err);

/* The same image, for a copy of its memory: `from` is the start of the original, `to` that of the copy. O(1). */
ff_step_program ff_table_image_at(const ff_step_program *image, const void *from, const void *to);

/* The number of words of the uniform arrays, which lie one after the other from `first` on. */
static inline uint32_t ff_table_uniform(const ff_pbn_program *p) {
  const ff_packed *q = &p->packed;
  return p->n_nodes + 1 + q->n_functions + q->n_wide + p->n_terms + 1 + q->n_code;
}

/* ---- what a block does first: copy to shared memory ------------------------------------------------------------------ */

/* Makes the program read its uniform arrays from `copy`. */
FF_STEP void ff_table_read_uniform(ff_step_program *p, const uint32_t *copy) {
  p->cut = copy + (p->cut - p->first);
  p->code_at = copy + (p->code_at - p->first);
  p->code = copy + (p->code - p->first);
  p->first = copy;
}

/* Copies words from `from` to place *at of `shared` and advances *at. This is the part of thread `thread` of `threads`. Returns
 * the copy. */
FF_STEP uint32_t *ff_table_bring(uint32_t *shared, uint32_t *at, const void *from, uint32_t words, uint32_t thread,
                                 uint32_t threads) {
  uint32_t *to = shared + *at;
  for (uint32_t i = thread; i < words; i += threads) to[i] = ((const uint32_t *)from)[i];
  *at += words;
  return to;
}

/* Copies the arrays that `fast` counts, and makes the program read the copies. */
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
