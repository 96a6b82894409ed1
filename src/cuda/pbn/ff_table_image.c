/* Plans where the data of the table kernel are stored, and writes the packed program with nodes numbered by place. */
#include "ff_table_image.h"

#include <stdlib.h>
#include <string.h>

#define ENOUGH_THREADS 512u          /* per multiprocessor: enough to hide the latency of memory */
#define LEAST_THREADS 256u           /* per block, if the state is in shared memory */
#define CACHE_BYTES (size_t)65536    /* bytes of shared memory that remain for the cache if states are in global memory */

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static uint32_t parent_words(const ff_packed *q, uint32_t f, int form) {
  uint32_t k = (uint32_t)q->function[f] & 15;
  if (k == FF_STEP_WIDE) return 0;
  return form & FF_FORM_PAIRS ? (k + 1) / 2 : k;
}

static uint32_t row_words(const ff_packed *q, uint32_t f, int form) {
  uint32_t k = (uint32_t)q->function[f] & 15;
  if (k == FF_STEP_WIDE) return 0;
  uint32_t words = k <= 5 ? 1 : 1u << (k - 5);
  return form & FF_FORM_ROWS ? words : words - 1;
}

static void add_up(ff_table_fast *fast) {
  fast->words = 3 * (size_t)fast->hits + 2 * (size_t)fast->functions + fast->uniform + fast->parents + fast->extra_at +
                fast->extra;
}

/* All functions and their tables: what is copied if nothing is split. */
static ff_table_fast whole(const ff_pbn_program *p, int form) {
  const ff_packed *q = &p->packed;
  ff_table_fast out = {.hits = p->hits.size, .functions = q->n_functions};
  if (form & FF_FORM_ASYNCHRONOUS) out.uniform = ff_table_uniform(p);
  if (!(form & FF_FORM_ROWS)) out.extra_at = q->n_functions;
  for (uint32_t f = 0; f < q->n_functions; f++) {
    out.parents += parent_words(q, f, form);
    out.extra += row_words(q, f, form);
  }
  add_up(&out);
  return out;
}

/* As many tables as fit in `bytes`, always for whole words of the state. *split becomes the number of these words. */
static ff_table_fast part(uint32_t *split, const ff_pbn_program *p, int form, size_t bytes) {
  const ff_packed *q = &p->packed;
  ff_table_fast out = {.hits = p->hits.size};
  *split = 0;
  add_up(&out);
  for (uint32_t word = 0; word < q->words; word++) {
    uint32_t end = p->n_nodes - word * 32 < 32 ? p->n_nodes : word * 32 + 32;
    ff_table_fast more = out;
    for (; more.functions < q->first[end]; more.functions++) {
      more.parents += parent_words(q, more.functions, form);
      more.extra += row_words(q, more.functions, form);
    }
    add_up(&more);
    if (more.words * 4 > bytes) break;
    out = more;
    *split = word + 1;
  }
  return out;
}

/* Chooses the block size for which most threads fit on a multiprocessor, and returns the number of these threads. */
static uint32_t size_blocks(ff_table_plan *plan, const ff_table_card *card) {
  uint32_t most = 0;
  for (uint32_t threads = 1024; threads >= 128; threads /= 2) {
    size_t bytes = ff_table_shared_bytes(plan, threads);
    if (bytes > card->shared_block) continue;
    size_t blocks = card->shared_processor / (bytes + card->shared_reserved);
    if (blocks > card->threads / threads) blocks = card->threads / threads;
    if (blocks * threads <= most) continue;
    most = (uint32_t)blocks * threads;
    plan->threads = threads;
  }
  return most;
}

/* Puts the counts into shared memory too, if that leaves enough threads. */
static void place_counts(ff_table_plan *plan, const ff_pbn_program *p, const ff_table_card *card, uint32_t threads) {
  ff_table_plan with = *plan;
  with.shared_counts = 1;
  with.thread_bytes += (size_t)p->n_terms * 9;
  uint32_t most = size_blocks(&with, card);
  if (most >= threads || most >= 2 * ENOUGH_THREADS) *plan = with;
}

/* bytes per word of the state; with the next state if that is separate */
static int shared_state(const ff_pbn_program *p) { return p->update == FF_SYNCHRONOUS ? 8 : 4; }

/* Plans with all tables in shared memory. Returns 0 if that leaves too few threads. */
static int plan_whole(ff_table_plan *plan, const ff_pbn_program *p, const ff_table_card *card) {
  uint32_t words = p->packed.words;
  if (words <= 4) {
    plan->form |= words <= 2 ? FF_FORM_WORDS2 : FF_FORM_WORDS4;
    plan->state = FF_STATE_REGISTERS;
  } else {
    plan->state = FF_STATE_SHARED;
    plan->thread_bytes = (size_t)words * (size_t)shared_state(p);
  }
  plan->fast = whole(p, plan->form);
  uint32_t threads = size_blocks(plan, card);
  if (threads < ENOUGH_THREADS) return 0;
  place_counts(plan, p, card, threads);
  return 1;
}

/* Plans with the tables split between shared and global memory. The state is in shared memory if a block of enough threads leaves
 * room for tables. */
static void plan_split(ff_table_plan *plan, const ff_pbn_program *p, const ff_table_card *card, int split) {
  size_t state = (size_t)p->packed.words * (size_t)shared_state(p), room = card->shared_block;
  plan->form |= FF_FORM_SPLIT | FF_FORM_ROWS;
  plan->threads = ENOUGH_THREADS;
  while (plan->threads > LEAST_THREADS && state * plan->threads > room / 4 * 3) plan->threads /= 2;
  if ((plan->form & FF_FORM_PAIRS) && state * plan->threads + (size_t)p->hits.size * 12 <= room / 16 * 15) {
    plan->state = FF_STATE_SHARED;
    plan->thread_bytes = state;
    room -= state * plan->threads;
  } else {
    plan->state = FF_STATE_GLOBAL;
    plan->threads = 1024;
    room = room > 2 * CACHE_BYTES ? room - CACHE_BYTES : room / 2;
  }
  plan->fast = part(&plan->split, p, plan->form, split ? room : 0);
}

void ff_table_plan_of(ff_table_plan *out, const ff_pbn_program *program, const ff_table_card *card, int split) {
  int synchronous = program->update == FF_SYNCHRONOUS;
  int form = FF_FORM_PLACED | (synchronous ? 0 : FF_FORM_ASYNCHRONOUS) | (program->n_nodes <= 65536 ? FF_FORM_PAIRS : 0);
  *out = (ff_table_plan){.form = form};
  if (!split || !(form & FF_FORM_PAIRS) || !plan_whole(out, program, card)) {
    *out = (ff_table_plan){.form = form};
    plan_split(out, program, card, split);
  }
  out->constant = synchronous && out->state != FF_STATE_GLOBAL && ff_table_uniform(program) <= FF_TABLE_CONSTANT;
}

/* ---- the image --------------------------------------------------------------------------------------------------- */

/* The positions of the arrays, in 32-bit words from the start of the memory. Arrays of 64-bit numbers come first. */
typedef struct {
  size_t threshold, function, alias, first, cut, code_at, code, parents, extra_at, extra, context, context_cut, flip, order,
      cut_further, context_further, initial, end;
} places;

static places lay_out(const ff_pbn_program *p, const ff_table_fast *all) {
  const ff_packed *q = &p->packed;
  places at;
  at.threshold = 0;
  at.function = at.threshold + 2 * (size_t)p->hits.size;
  at.alias = at.function + 2 * (size_t)q->n_functions;
  at.first = at.alias + p->hits.size;
  at.cut = at.first + (size_t)p->n_nodes + 1;
  at.code_at = at.cut + q->n_functions;
  at.code = at.code_at + (size_t)q->n_wide + p->n_terms + 1;
  at.parents = at.code + q->n_code;
  at.extra_at = at.parents + all->parents;
  at.extra = at.extra_at + all->extra_at;
  at.context = at.extra + all->extra;
  at.context_cut = at.context + (size_t)q->n_contexts * p->n_nodes;
  at.flip = at.context_cut + q->n_contexts;
  at.order = at.flip + p->n_flip_here;
  at.cut_further = at.order + p->n_nodes;
  at.context_further = at.cut_further + q->n_functions;
  at.initial = at.context_further + q->n_contexts;
  at.end = at.initial + ((size_t)p->n_nodes + 3) / 4;
  return at;
}

static void copy_words(uint32_t *to, const void *from, size_t words) {
  if (words > 0) memcpy(to, from, words * sizeof *to);
}

/* Writes the functions, with their parents as places, and the rows of their truth tables. */
static void write_functions(uint32_t *memory, const places *at, const ff_packed *q, const uint32_t *place, int form) {
  uint32_t parents = 0, extra = 0;
  for (uint32_t f = 0; f < q->n_functions; f++) {
    uint32_t head = (uint32_t)q->function[f], table = (uint32_t)(q->function[f] >> 32), k = head & 15;
    uint32_t *to = memory + at->parents + parents, words = row_words(q, f, form);
    const uint32_t *from = q->parents + (head >> 4), *rows = q->extra + q->extra_at[f];
    if (!(form & FF_FORM_ROWS)) memory[at->extra_at + f] = extra;
    if (k != FF_STEP_WIDE) {
      head = parents * 16 + k;
      for (uint32_t i = 0; i < k; i++) {
        if (form & FF_FORM_PAIRS)
          to[i / 2] |= place[from[i]] << (i % 2 * 16);
        else
          to[i] = place[from[i]];
      }
      if (form & FF_FORM_ROWS) {
        memory[at->extra + extra] = table;
        table = extra;
        copy_words(memory + at->extra + extra + 1, rows, words - 1);
      } else {
        copy_words(memory + at->extra + extra, rows, words);
      }
    }
    parents += parent_words(q, f, form);
    extra += words;
    uint64_t function = (uint64_t)table << 32 | head;
    memcpy(memory + at->function + 2 * (size_t)f, &function, sizeof function);
  }
}

/* Writes the expressions, with their variables as places. */
static void write_code(uint32_t *code, const ff_packed *q, const uint32_t *place) {
  copy_words(code, q->code, q->n_code);
  for (uint32_t at = 0; at < q->n_code; at++) {
    uint32_t operand = FF_X_OPERAND(code[at]);
    if (FF_X_CODE(code[at]) == FF_X_VAR) code[at] = FF_X_OP(FF_X_VAR, place[operand]);
    else if (FF_X_CODE(code[at]) == FF_X_TABLE) at += operand <= 5 ? 1 : 1u << (operand - 5);
  }
}

static void point(ff_step_program *out, uint32_t *memory, const places *at) {
  out->hits.threshold = (uint64_t *)(void *)(memory + at->threshold);
  out->hits.alias = memory + at->alias;
  out->first = memory + at->first;
  out->cut = memory + at->cut;
  out->code_at = memory + at->code_at;
  out->code = memory + at->code;
  out->context = memory + at->context;
  out->context_cut = memory + at->context_cut;
  out->cut_further = memory + at->cut_further;
  out->context_further = memory + at->context_further;
  out->flip = memory + at->flip;
  out->order = memory + at->order;
  out->initial = (const int8_t *)(memory + at->initial);
  out->fast.function = (const uint64_t *)(const void *)(memory + at->function);
  out->fast.parents = memory + at->parents;
  out->fast.extra_at = memory + at->extra_at;
  out->fast.extra = memory + at->extra;
}

static void write_image(uint32_t *memory, const places *at, const ff_pbn_program *p, const uint32_t *place, int form) {
  const ff_packed *q = &p->packed;
  copy_words(memory + at->threshold, p->hits.threshold, 2 * (size_t)p->hits.size);
  copy_words(memory + at->alias, p->hits.alias, p->hits.size);
  copy_words(memory + at->first, q->first, (size_t)p->n_nodes + 1);
  copy_words(memory + at->cut, q->cut, q->n_functions);
  copy_words(memory + at->code_at, q->code_at, (size_t)q->n_wide + p->n_terms + 1);
  copy_words(memory + at->context, q->context, (size_t)q->n_contexts * p->n_nodes);
  copy_words(memory + at->context_cut, q->context_cut, q->n_contexts);
  copy_words(memory + at->cut_further, q->cut_further, q->n_functions);
  copy_words(memory + at->context_further, q->context_further, q->n_contexts);
  copy_words(memory + at->order, q->order, p->n_nodes);
  memcpy(memory + at->initial, p->initial, p->n_nodes);
  for (uint32_t i = 0; i < p->n_flip_here; i++) memory[at->flip + i] = place[p->flip[i]];
  write_code(memory + at->code, q, place);
  write_functions(memory, at, q, place, form);
}

ff_status ff_table_image_new(ff_step_program *out, void **memory, size_t *bytes, const ff_pbn_program *program,
                             const ff_table_plan *plan, ff_error *err) {
  const ff_packed *q = &program->packed;
  if ((uint64_t)q->n_extra + q->n_functions > UINT32_MAX)
    return ff_error_set(err, FF_ESIZE, "%u words of truth tables are more than the table kernel can address", q->n_extra);
  const ff_table_fast all = whole(program, plan->form);
  const places at = lay_out(program, &all);
  *bytes = at.end * sizeof(uint32_t);
  *memory = ff_calloc_aligned(at.end, sizeof(uint32_t));
  uint32_t *place = ff_calloc(program->n_nodes, sizeof *place);
  if (*memory == NULL || place == NULL) {
    ff_free_aligned(*memory);
    free(place);
    *memory = NULL;
    return ff_error_set(err, FF_EMEMORY, "no memory for the %zu bytes of a packed program", *bytes);
  }
  for (uint32_t i = 0; i < program->n_nodes; i++) place[q->order[i]] = i;
  write_image(*memory, &at, program, place, plan->form);
  free(place);
  *out = (ff_step_program){.n_nodes = program->n_nodes,
                           .words = q->words,
                           .n_all = program->n_all,
                           .n_flip = program->n_flip,
                           .n_flip_here = program->n_flip_here,
                           .n_contexts = q->n_contexts,
                           .first_term = q->n_wide,
                           .split = plan->split,
                           .hits = program->hits};
  point(out, *memory, &at);
  return FF_OK;
}

static const void *moved(const void *pointer, const void *from, const void *to) {
  return (const char *)to + ((const char *)pointer - (const char *)from);
}

ff_step_program ff_table_image_at(const ff_step_program *image, const void *from, const void *to) {
  ff_step_program out = *image;
  const uint32_t **words[] = {&out.first, &out.cut, &out.cut_further, &out.code_at, &out.code, &out.context, &out.context_cut,
                              &out.context_further, &out.flip, &out.order, &out.fast.parents, &out.fast.extra_at,
                              &out.fast.extra};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) *words[i] = moved(*words[i], from, to);
  out.initial = moved(out.initial, from, to);
  out.fast.function = moved(out.fast.function, from, to);
  out.hits.threshold = (uint64_t *)(uintptr_t)moved(out.hits.threshold, from, to);
  out.hits.alias = (uint32_t *)(uintptr_t)moved(out.hits.alias, from, to);
  return out;
}
