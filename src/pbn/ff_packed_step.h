/* A step of a trajectory of the packed program. gcc compiles it for the processor (ff_packed.c) and nvcc for GPUs
 * (src/cuda/pbn/). Draws are addressed, so the results do not depend on where and when a step runs.
 *
 * `form` is a constant wherever these functions are called, so the compiler removes the branches that it excludes:
 * - PLACED: bit i of a state is the node at place i, not node i. Values are then computed in the order of their bits, and 32
 *   of them are collected in a register before they are written (Mizera, Pang, Yuan, section 3.3).
 * - PAIRS: parents are 16-bit numbers, two per word, the lower half first.
 * - ROWS: the words of a table are consecutive in `extra`, at the position that the function gives (section 3.4). Otherwise
 *   the function itself contains rows 0..31, and the other rows are in `extra` (section 3.3).
 * - WORDS2, WORDS4: a state has at most 2 or 4 words and is in registers. Registers have no address, so words are selected by
 *   comparisons.
 * - SPLIT: the places of the first words have their tables in `fast`, the others in `slow`. Otherwise all are in `fast`.
 *
 * Word w of a state is state[w * stride].
 */
#ifndef FF_PACKED_STEP_H
#define FF_PACKED_STEP_H

#include "ff_pbn_program.h"

#if defined(__CUDACC__)
#define FF_STEP static __host__ __device__ __forceinline__
#else
#define FF_STEP static inline __attribute__((always_inline))
#endif

enum {
  FF_FORM_ASYNCHRONOUS = 1,
  FF_FORM_PLACED = 2,
  FF_FORM_PAIRS = 4,
  FF_FORM_ROWS = 8,
  FF_FORM_WORDS2 = 16,
  FF_FORM_WORDS4 = 32,
  FF_FORM_SPLIT = 64
};

/* A function in the array `function`. Its low word is 16 * (position of its parents in `parents`) + (number of parents). For a
 * wide function it is 16 * (number of its expression) + FF_STEP_WIDE. Parents are most significant first. The high word belongs
 * to its table.
 */
#define FF_STEP_WIDE 15u

typedef struct {
  const uint64_t *function;
  const uint32_t *parents;
  const uint32_t *extra_at, *extra; /* extra_at: for each function, not used with ROWS */
} ff_step_tables;

typedef struct {
  uint32_t n_nodes, words, n_all, n_flip, n_flip_here, n_contexts;
  uint32_t first_term;           /* number of the first term among the expressions: wide functions, then terms */
  uint32_t split;                /* number of words of a state whose places are in `fast` */
  const uint32_t *order;         /* node of each place */
  const uint32_t *first, *cut;   /* for each place, and one more: its first function; for each function: see ff_packed */
  const uint32_t *cut_further;   /* read only if a word equals a cut, which is rare */
  const uint32_t *context, *context_cut, *context_further;
  const uint32_t *flip;          /* for each site: its bit of the state */
  const uint32_t *code_at, *code; /* for each expression, and one more: its words in `code`, in postfix order; variables are
                                   * bits of the state */
  const int8_t *initial;         /* for each node */
  ff_step_tables fast, slow;
  ff_poisson hits;
} ff_step_program;

typedef struct {
  uint64_t key, unit; /* unit of the trajectory */
  uint32_t *state, *next, *hits;
  size_t stride, next_stride, hits_stride;
} ff_step_trajectory;

/* The counts of a trajectory. Entry t * stride of each array belongs to term t. */
typedef struct {
  uint32_t n_terms;
  uint8_t *value;    /* in the current state */
  uint32_t *count;   /* number of steps after which it was 1 */
  uint32_t *changes; /* number of steps that changed it */
  size_t value_stride, count_stride, changes_stride;
} ff_step_counts;

/* ---- bits and words of a state ----------------------------------------------------------------------------------- */

FF_STEP uint32_t ff_step_bit(const int form, const uint32_t *state, size_t stride, uint32_t bit) {
  if (form & FF_FORM_WORDS2) return (uint32_t)(((uint64_t)state[1] << 32 | state[0]) >> (bit & 63)) & 1;
  if (form & FF_FORM_WORDS4) {
    uint32_t low = bit & 64 ? state[2] : state[0], high = bit & 64 ? state[3] : state[1];
    return (uint32_t)(((uint64_t)high << 32 | low) >> (bit & 63)) & 1;
  }
  return state[(bit / 32) * stride] >> (bit % 32) & 1;
}

FF_STEP uint32_t ff_step_word(const int form, const uint32_t *state, size_t stride, uint32_t word) {
  if (form & FF_FORM_WORDS2) return word ? state[1] : state[0];
  if (form & FF_FORM_WORDS4) return word & 2 ? (word & 1 ? state[3] : state[2]) : (word & 1 ? state[1] : state[0]);
  return state[word * stride];
}

FF_STEP void ff_step_put(const int form, uint32_t *state, size_t stride, uint32_t word, uint32_t bits) {
  if (form & (FF_FORM_WORDS2 | FF_FORM_WORDS4)) {
    state[0] = word == 0 ? bits : state[0];
    state[1] = word == 1 ? bits : state[1];
    if (form & FF_FORM_WORDS4) {
      state[2] = word == 2 ? bits : state[2];
      state[3] = word == 3 ? bits : state[3];
    }
  } else {
    state[word * stride] = bits;
  }
}

/* ---- functions and expressions ----------------------------------------------------------------------------------- */

/* The value of an expression. The stack is one word: ff_packed_compile() orders operands so that 32 bits suffice. */
FF_STEP uint32_t ff_step_expression(const int form, const ff_step_program *p, const uint32_t *state, size_t stride,
                                    uint32_t which) {
  uint32_t at = p->code_at[which], end = p->code_at[which + 1], stack = 0;
  while (at < end) {
    uint32_t op = p->code[at++], operand = FF_X_OPERAND(op);
    switch (FF_X_CODE(op)) {
      case FF_X_CONST: stack = stack << 1 | operand; break;
      case FF_X_VAR: stack = stack << 1 | ff_step_bit(form, state, stride, operand); break;
      case FF_X_NOT: stack ^= 1; break;
      case FF_X_AND: stack = stack >> 1 & (stack | ~1u); break;
      case FF_X_OR: stack = stack >> 1 | (stack & 1); break;
      case FF_X_XOR: stack = stack >> 1 ^ (stack & 1); break;
      default: { /* FF_X_TABLE: its inputs were pushed most significant first, so they form the row's number */
        uint32_t row = stack & ((1u << operand) - 1);
        stack = stack >> operand << 1 | (p->code[at + row / 32] >> (row % 32) & 1);
        at += operand <= 5 ? 1 : 1u << (operand - 5);
      }
    }
  }
  return stack & 1;
}

FF_STEP uint32_t ff_step_function(const int form, const ff_step_program *p, const ff_step_tables *tables,
                                  const uint32_t *state, size_t stride, uint32_t f) {
  uint64_t function = tables->function[f];
  uint32_t head = (uint32_t)function, table = (uint32_t)(function >> 32), k = head & 15, entry = 0;
  const uint32_t *parent = tables->parents + (head >> 4);
  if (k == FF_STEP_WIDE) return ff_step_expression(form, p, state, stride, head >> 4);
  if (form & FF_FORM_PAIRS) {
    for (; k >= 2; k -= 2) {
      uint32_t pair = *parent++;
      entry = 2 * entry + ff_step_bit(form, state, stride, pair & 0xFFFF);
      entry = 2 * entry + ff_step_bit(form, state, stride, pair >> 16);
    }
    if (k != 0) entry = 2 * entry + ff_step_bit(form, state, stride, *parent & 0xFFFF);
  } else {
    for (; k > 0; k--) entry = 2 * entry + ff_step_bit(form, state, stride, *parent++);
  }
  if (form & FF_FORM_ROWS)
    table = tables->extra[table + entry / 32];
  else if (entry >= 32)
    table = tables->extra[tables->extra_at[f] + entry / 32 - 1];
  return table >> (entry % 32) & 1;
}

/* The first function whose cut is above the random number of choice `number`, or the last function. Cuts are in ascending
 * order. */
FF_STEP uint32_t ff_step_choose(const ff_step_program *p, const ff_step_trajectory *t, uint64_t step, uint32_t number,
                                uint32_t first, uint32_t last, uint32_t word) {
  uint32_t chosen = first;
  for (uint32_t f = first; f < last; f++) chosen += word > p->cut[f];
  if (FF_RARELY(word == p->cut[chosen])) {
    uint32_t further = ff_further(FF_DRAW_SELECT_FURTHER, number, step, t->unit, t->key);
    while (chosen < last && word == p->cut[chosen] && further >= p->cut_further[chosen]) chosen++;
  }
  return chosen;
}

FF_STEP uint32_t ff_step_context(const ff_step_program *p, const ff_step_trajectory *t, uint64_t step, uint32_t word) {
  uint32_t c = 0;
  while (c + 1 < p->n_contexts && word >= p->context_cut[c]) c++;
  if (FF_RARELY(c > 0 && word == p->context_cut[c - 1])) {
    uint32_t further = ff_further(FF_DRAW_SELECT_FURTHER, 0, step, t->unit, t->key);
    while (c > 0 && word == p->context_cut[c - 1] && further < p->context_further[c - 1]) c--;
  }
  return c;
}

/* ---- flips ------------------------------------------------------------------------------------------------------- */

/* Applies the flips of a step. Returns 1 if any node flipped, a removed one included, else 0. */
FF_STEP int ff_step_perturb(const int form, const ff_step_program *p, const ff_step_trajectory *t, uint64_t step,
                            ff_philox_block head) {
  uint32_t n = ff_poisson_value(&p->hits, head.v[0], head.v[1], 0, step, t->unit, t->key);
  uint32_t first = 1 + p->hits.n_draws / 2, noted = 0;
  ff_philox_block w = head;
  for (uint32_t i = 1; i < p->hits.n_draws; i++) {
    if (i % 2 != 0) w = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, 1 + (i - 1) / 2, step, t->unit), t->key);
    n += ff_poisson_value(&p->hits, i % 2 != 0 ? w.v[0] : w.v[2], i % 2 != 0 ? w.v[1] : w.v[3], i, step, t->unit, t->key);
  }
  if (n == 0) return 0;
  for (uint32_t i = 0; i < n; i++) {
    if (i % 2 == 0) w = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, first + i / 2, step, t->unit), t->key);
    uint32_t site = i % 2 == 0 ? ff_pick54(w.v[0], w.v[1], p->n_flip) : ff_pick54(w.v[2], w.v[3], p->n_flip);
    if (site >= p->n_flip_here) continue;
    uint32_t bit = p->flip[site], word = ff_step_word(form, t->state, t->stride, bit / 32);
    if (n == 1)
      ff_step_put(form, t->state, t->stride, bit / 32, word ^ 1u << (bit % 32));
    else
      t->hits[noted++ * t->hits_stride] = bit * 2 + (~word >> (bit % 32) & 1);
  }
  for (uint32_t i = 0; i < noted; i++) { /* a node that is hit twice gets the same value twice */
    uint32_t hit = t->hits[i * t->hits_stride], bit = hit / 2;
    uint32_t word = ff_step_word(form, t->state, t->stride, bit / 32) & ~(1u << (bit % 32));
    ff_step_put(form, t->state, t->stride, bit / 32, word | (hit & 1) << (bit % 32));
  }
  return 1;
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

/* The progress of the choices of a synchronous step. */
typedef struct {
  const uint32_t *context; /* the context's function for each place; NULL if every node chooses */
  ff_philox_block w;       /* the remaining words of a block, shifted to the front */
  uint32_t number;         /* number of the next choice */
} ff_step_choices;

/* Updates the places of words `from` ... to - 1 of the state. */
FF_STEP void ff_step_update_words(const int form, const ff_step_program *p, const ff_step_tables *tables,
                                  const ff_step_trajectory *t, uint64_t step, ff_step_choices *c, uint32_t from,
                                  uint32_t to) {
  for (uint32_t word = from; word < to; word++) {
    uint32_t bits = 0, place = word * 32, end = p->n_nodes - place < 32 ? p->n_nodes : place + 32;
    for (; place < end; place++) {
      uint32_t f = p->first[place], last = p->first[place + 1] - 1;
      if (c->context != NULL) {
        f = c->context[place];
      } else if (last > f) {
        if (c->number % 4 == 0)
          c->w = ff_philox(ff_philox_counter(FF_DRAW_SELECT, c->number / 4, step, t->unit), t->key);
        c->number++;
        f = ff_step_choose(p, t, step, c->number - 1, f, last, c->w.v[0]);
        c->w.v[0] = c->w.v[1];
        c->w.v[1] = c->w.v[2];
        c->w.v[2] = c->w.v[3];
      }
      uint32_t value = ff_step_function(form, p, tables, t->state, t->stride, f);
      if (form & FF_FORM_PLACED)
        bits |= value << (place % 32);
      else
        t->next[(p->order[place] / 32) * t->next_stride] |= value << (p->order[place] % 32);
    }
    if (form & FF_FORM_PLACED) ff_step_put(form, t->next, t->next_stride, word, bits);
  }
}

FF_STEP void ff_step_update_all(const int form, const ff_step_program *p, const ff_step_trajectory *t, uint64_t step) {
  ff_step_choices c = {NULL, {{0, 0, 0, 0}}, 0};
  if (p->n_contexts > 0) {
    c.w = ff_philox(ff_philox_counter(FF_DRAW_SELECT, 0, step, t->unit), t->key);
    c.context = p->context + (size_t)ff_step_context(p, t, step, c.w.v[0]) * p->n_nodes;
  }
  if (!(form & FF_FORM_PLACED))
    for (uint32_t i = 0; i < p->words; i++) t->next[i * t->next_stride] = 0;
  if (form & FF_FORM_SPLIT) {
    ff_step_update_words(form, p, &p->fast, t, step, &c, 0, p->split);
    ff_step_update_words(form, p, &p->slow, t, step, &c, p->split, p->words);
  } else {
    ff_step_update_words(form, p, &p->fast, t, step, &c, 0, p->words);
  }
  if (form & (FF_FORM_WORDS2 | FF_FORM_WORDS4)) {
    for (uint32_t i = 0; i < (form & FF_FORM_WORDS2 ? 2u : 4u); i++) t->state[i] = t->next[i];
  } else {
    for (uint32_t i = 0; i < p->words; i++) t->state[i * t->stride] = t->next[i * t->next_stride];
  }
}

/* Updates one node unless it is a removed one. Returns 1 if the state changed, else 0. */
FF_STEP int ff_step_update_one(const int form, const ff_step_program *p, const ff_step_trajectory *t, uint64_t step,
                               ff_philox_block head) {
  uint32_t place = (uint32_t)(((uint64_t)head.v[2] * p->n_all) >> 32);
  if (place >= p->n_nodes) return 0;
  uint32_t f = p->n_contexts > 0
                   ? p->context[(size_t)ff_step_context(p, t, step, head.v[3]) * p->n_nodes + place]
                   : ff_step_choose(p, t, step, 0, p->first[place], p->first[place + 1] - 1, head.v[3]);
  uint32_t bit = form & FF_FORM_PLACED ? place : p->order[place], value;
  if ((form & FF_FORM_SPLIT) && place / 32 >= p->split)
    value = ff_step_function(form, p, &p->slow, t->state, t->stride, f);
  else
    value = ff_step_function(form, p, &p->fast, t->state, t->stride, f);
  uint32_t old = ff_step_word(form, t->state, t->stride, bit / 32);
  if ((old >> (bit % 32) & 1) == value) return 0;
  ff_step_put(form, t->state, t->stride, bit / 32, old ^ 1u << (bit % 32));
  return 1;
}

/* ---- trajectories ------------------------------------------------------------------------------------------------ */

FF_STEP void ff_step_evaluate(const int form, const ff_step_program *p, const ff_step_trajectory *t,
                              const ff_step_counts *c) {
  for (uint32_t i = 0; i < c->n_terms; i++)
    c->value[i * c->value_stride] = (uint8_t)ff_step_expression(form, p, t->state, t->stride, p->first_term + i);
}

/* Called when the state has changed: adds the last `held` steps, in which the terms had their old values, and evaluates the
 * terms anew. */
FF_STEP void ff_step_note(const int form, const ff_step_program *p, const ff_step_trajectory *t, const ff_step_counts *c,
                          uint32_t held) {
  for (uint32_t i = 0; i < c->n_terms; i++) {
    uint32_t old = c->value[i * c->value_stride];
    uint32_t now = ff_step_expression(form, p, t->state, t->stride, p->first_term + i);
    if (old != 0) c->count[i * c->count_stride] += held;
    if (now == old) continue;
    c->value[i * c->value_stride] = (uint8_t)now;
    c->changes[i * c->changes_stride]++;
  }
}

/* Runs steps `step` ... `step + steps - 1` (fewer than 2^32). `c` is NULL if nothing is counted. The inner loop runs over
 * steps that only flip nodes until a step updates, so that neighbouring trajectories on a GPU update together. */
FF_STEP void ff_step_run(const int form, const ff_step_program *p, const ff_step_trajectory *t, uint64_t step, uint64_t steps,
                         const ff_step_counts *c) {
  uint64_t end = step + steps;
  uint32_t held = 0; /* steps not counted yet, in all of which the terms had their current values */
  for (;;) {
    ff_philox_block head = {{0, 0, 0, 0}};
    for (; step < end; step++) {
      if ((form & FF_FORM_ASYNCHRONOUS) || p->hits.size > 0)
        head = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, 0, step, t->unit), t->key);
      if (p->hits.size == 0 || !ff_step_perturb(form, p, t, step, head)) break;
      if (c == NULL) continue;
      ff_step_note(form, p, t, c, held);
      held = 1;
    }
    if (step >= end) break;
    step++;
    if (form & FF_FORM_ASYNCHRONOUS) {
      if (!ff_step_update_one(form, p, t, step - 1, head)) {
        held++;
        continue;
      }
    } else {
      ff_step_update_all(form, p, t, step - 1);
    }
    if (c == NULL) continue;
    ff_step_note(form, p, t, c, held);
    held = 1;
  }
  for (uint32_t i = 0; c != NULL && i < c->n_terms; i++)
    if (c->value[i * c->value_stride] != 0) c->count[i * c->count_stride] += held;
}

/* Sets the state of step 0. Words are drawn by node. With PLACED they are first stored in `next`, which must have room for
 * them. */
FF_STEP void ff_step_start(const int form, const ff_step_program *p, const ff_step_trajectory *t) {
  uint32_t *drawn = form & FF_FORM_PLACED ? t->next : t->state;
  size_t stride = form & FF_FORM_PLACED ? t->next_stride : t->stride;
  uint32_t words = (p->n_nodes + 31) / 32;
  ff_philox_block w = {{0, 0, 0, 0}};
  for (uint32_t i = 0; i < words; i++) {
    if (i % 4 == 0) w = ff_philox(ff_philox_counter(FF_DRAW_INITIAL, i / 4, 0, t->unit), t->key);
    drawn[i * stride] = w.v[0];
    w.v[0] = w.v[1];
    w.v[1] = w.v[2];
    w.v[2] = w.v[3];
  }
  for (uint32_t i = 0; i < words; i++) {
    uint32_t bits = 0, place = i * 32, end = p->n_nodes - place < 32 ? p->n_nodes : place + 32;
    for (; place < end; place++) {
      uint32_t node = form & FF_FORM_PLACED ? p->order[place] : place;
      uint32_t bit = drawn[(node / 32) * stride] >> (node % 32) & 1;
      bits |= (ff_start_bits(p->initial[node], bit != 0 ? 0xFFFFFFFFu : 0u) >> (t->unit % 32) & 1) << (place % 32);
    }
    t->state[i * t->stride] = bits;
  }
}

#endif
