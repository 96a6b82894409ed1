/* A step of the sliced program by the warps of a block, one tile a block: lane t of a warp holds word t of every row, 32
 * trajectories. The same text for device and host (ff_warp.h); the phases of a step have the block's barrier between them:
 *
 *   hits    (all threads)  marks trajectories that are perturbed, puts the flipped values into `next`
 *   update  (each warp takes segments)  next = perturbed ? next : function of now
 *   commit  (each warp takes rows)      now = next; nothing is marked any more
 *   terms   (each warp takes segments)  evaluates terms and counts them
 *
 * Between steps `next` equals `now`, so that a perturbed trajectory has only its flips to change.
 */
#ifndef FF_SLICE_WARP_H
#define FF_SLICE_WARP_H

#include "../pbn/ff_slice_codes.h"
#include "ff_slice_image.h"
#include "ff_warp.h"

#define FF_ITEMS 64u /* lanes open at a time, two draws a lane */

/* A trajectory whose first bits equal those of a cut: the rest of its number is to be drawn and compared. */
typedef struct {
  uint32_t where; /* choice * 1,024 + trajectory */
  uint32_t rest;  /* of the cut */
  uint32_t row;   /* of scratch: the mask */
} ff_open_item;

typedef struct {
  const ff_slice_image *image;
  uint32_t *now, *next, *scratch;
  uint32_t *stay;      /* 32 words: trajectories perturbed in this step */
  ff_open_item *items; /* FF_ITEMS, the warp's */
  uint32_t *counters;  /* FF_COUNTER_ROWS rows a term */
  uint32_t *before;    /* a term: trajectories in which it held when counting started */
  uint64_t key, unit, step;
  uint32_t warp, warps;
} ff_slice_warp;

typedef struct {
  uint32_t v[8];
} ff_words8;

FF_WARP uint32_t *ff_row_at(const ff_slice_warp *w, uint32_t operand) {
  return (operand & FF_I_SCRATCH ? w->scratch : w->now) + FF_I_ROW(operand);
}

/* Draws the rest for the last `n` items (at most 32) of a list of `end`. */
FF_WARP void ff_close_items(const ff_slice_warp *w, uint32_t end, uint32_t n) {
  FF_LANE_IN;
  FF_SYNCWARP();
  FF_EACH_LANE if (lane < n) {
    const ff_open_item item = w->items[end - n + lane];
    const ff_philox_block draw = ff_philox(ff_philox_counter(FF_DRAW_REMAINDER, item.where / 4u, w->step, w->unit), w->key);
    const uint32_t low = item.where & 1u ? draw.v[1] : draw.v[0], high = item.where & 1u ? draw.v[3] : draw.v[2];
    if ((item.where & 2u ? high : low) < item.rest)
      FF_ATOMIC_OR(w->scratch + item.row * 32u + (item.where >> 5 & 31u), 1u << (item.where & 31u));
  }
  FF_SYNCWARP();
}

/* Notes a lane's open trajectories; returns how many the list holds then. */
FF_WARP uint32_t ff_note_items(const ff_slice_warp *w, uint32_t n, FF_LANE_VAR(uint32_t, open), uint32_t number, uint32_t rest,
                               uint32_t row) {
  FF_LANE_IN;
  for (;;) {
    uint32_t who;
    FF_BALLOT(who, FF_L(open) != 0u);
    if (who == 0u) return n;
    FF_EACH_LANE if (FF_L(open) != 0u) {
      ff_open_item *item = w->items + n + FF_POPCOUNT(who & ((1u << lane) - 1u));
      item->where = number * 1024u + lane * 32u + FF_LOWEST(FF_L(open));
      item->rest = rest;
      item->row = row;
      FF_L(open) &= FF_L(open) - 1u;
    }
    n += FF_POPCOUNT(who);
    if (n < 32u) continue;
    ff_close_items(w, n, 32u);
    n -= 32u;
  }
}

/* A block of choices: mask rows from scratch row `row` on. */
FF_WARP void ff_select_masks(const ff_slice_warp *w, uint32_t first, uint32_t count, uint32_t row) {
  FF_LANE_IN;
  const ff_slice_image *image = w->image;
  uint32_t n = 0;
  FF_NO_UNROLL for (uint32_t s = first; s < first + count; s++) {
    const ff_image_select select = image->selects[s];
    FF_LANE_VAR(ff_words8, random);
    FF_EACH_LANE {
      uint32_t at = 0;
      FF_NO_UNROLL for (uint32_t group = select.row / 4u; at < select.n_rows; group++) {
        const ff_philox_block draw = ff_philox(ff_philox_counter(FF_DRAW_SELECT, group * 32u + lane, w->step, w->unit), w->key);
        for (uint32_t j = at == 0u ? select.row % 4u : 0u; j < 4u && at < 8u; j++) {
          const uint32_t word = j == 0u ? draw.v[0] : j == 1u ? draw.v[1] : j == 2u ? draw.v[2] : draw.v[3];
          FF_UNROLL for (uint32_t i = 0; i < 8u; i++) /* a register cannot be numbered by a variable */
            if (i == at) FF_L(random).v[i] = word;
          at++;
        }
      }
    }
    for (uint32_t k = 0; k < select.n_cuts; k++, row++) {
      const uint32_t top = image->cut_top[select.cut + k];
      FF_LANE_VAR(uint32_t, open);
      FF_EACH_LANE {
        uint32_t less = 0, equal = 0xFFFFFFFFu;
        FF_UNROLL for (uint32_t r = 0; r < 8u; r++) {
          if (r >= select.n_rows) break;
          const uint32_t bit = 0u - (top >> (7u - r) & 1u), word = FF_L(random).v[r];
          less |= equal & bit & ~word;
          equal &= ~(word ^ bit);
        }
        w->scratch[row * 32u + lane] = less;
        FF_L(open) = select.exact ? 0u : equal;
      }
      if (!select.exact) n = ff_note_items(w, n, open, select.number, image->cut_rest[select.cut + k], row);
    }
  }
  ff_close_items(w, n, n);
}

/* c0 ^ c1 a ^ c2 b ^ c3 a b */
FF_WARP uint32_t ff_leaf(const uint32_t *mask, uint32_t a, uint32_t b, uint32_t ab) {
  return mask[0] ^ (mask[1] & a) ^ (mask[2] & b) ^ (mask[3] & ab);
}

/* A truth table of 2^k bits by monomial masks: leaves of the first two inputs, then the others choose, level by level. */
#define FF_LEAVES(n)                 \
  uint32_t level[n];                 \
  FF_UNROLL for (uint32_t i = 0; i < (n); i++) level[i] = ff_leaf(mask + 4u * i, in[0], in[1], ab)
#define FF_HALVE(n, input) \
  FF_UNROLL for (uint32_t i = 0; i < (n); i++) level[i] = (level[2u * i + 1u] & (input)) | (level[2u * i] & ~(input))

FF_WARP uint32_t ff_table_word(const ff_slice_warp *w, uint32_t place, uint32_t k, unsigned lane) {
  const uint32_t *args = w->image->args + place, *mask = args + (k + 3u) / 4u * 4u;
  uint32_t in[8];
  FF_UNROLL for (uint32_t i = 0; i < 8u; i++) in[i] = i < k ? ff_row_at(w, args[i])[lane] : 0u;
  const uint32_t ab = in[0] & in[1];
  switch (k) {
  case 1:
  case 2: return ff_leaf(mask, in[0], in[1], ab);
  case 3: {
    FF_LEAVES(2);
    FF_HALVE(1, in[2]);
    return level[0];
  }
  case 4: {
    FF_LEAVES(4);
    FF_HALVE(2, in[2]);
    FF_HALVE(1, in[3]);
    return level[0];
  }
  case 5: {
    FF_LEAVES(8);
    FF_HALVE(4, in[2]);
    FF_HALVE(2, in[3]);
    FF_HALVE(1, in[4]);
    return level[0];
  }
  case 6: {
    FF_LEAVES(16);
    FF_HALVE(8, in[2]);
    FF_HALVE(4, in[3]);
    FF_HALVE(2, in[4]);
    FF_HALVE(1, in[5]);
    return level[0];
  }
  default: break;
  }
  uint32_t half[2] = {0, 0}; /* of seven or eight inputs, half by half, so that registers suffice */
  FF_NO_UNROLL for (uint32_t h = 0; h < 1u << (k - 7u); h++) {
    FF_LEAVES(32);
    FF_HALVE(16, in[2]);
    FF_HALVE(8, in[3]);
    FF_HALVE(4, in[4]);
    FF_HALVE(2, in[5]);
    FF_HALVE(1, in[6]);
    if (h == 0u) half[0] = level[0];
    else half[1] = level[0];
    mask += 128;
  }
  return k == 7u ? half[0] : (half[1] & in[7]) | (half[0] & ~in[7]);
}

FF_WARP uint32_t ff_op_word(const ff_slice_warp *w, const ff_image_op *op, unsigned lane) {
  if (op->code == FF_S_CONST) return 0u - op->a;
  if (op->code == FF_S_TABLE) return ff_table_word(w, op->a, op->b, lane);
  const uint32_t a = ff_row_at(w, op->a)[lane];
  if (op->code == FF_S_COPY) return a;
  if (op->code == FF_S_NOT) return ~a;
  const uint32_t b = ff_row_at(w, op->b)[lane];
  switch (op->code) {
  case FF_S_AND: return a & b;
  case FF_S_NAND: return ~(a & b);
  case FF_S_OR: return a | b;
  case FF_S_NOR: return ~(a | b);
  case FF_S_ANDN: return a & ~b;
  case FF_S_ORN: return ~a | b;
  case FF_S_XOR: return a ^ b;
  case FF_S_XNOR: return ~(a ^ b);
  default: break;
  }
  const uint32_t c = ff_row_at(w, op->c)[lane];
  return (a & c) | (b & ~c);
}

/* Operations begin .. end - 1; a node's next value keeps what a perturbation put there. */
FF_WARP void ff_run_ops(const ff_slice_warp *w, uint32_t begin, uint32_t end) {
  FF_LANE_IN;
  const uint32_t nodes = w->image->n_nodes * 32u;
  FF_NO_UNROLL for (uint32_t i = begin; i < end; i++) {
    const ff_image_op op = w->image->ops[i];
    if (op.code == FF_S_SELECT) {
      ff_select_masks(w, op.a, op.b, op.dst / 32u);
      continue;
    }
    FF_EACH_LANE {
      const uint32_t value = ff_op_word(w, &op, lane);
      if (op.dst & FF_I_SCRATCH) {
        w->scratch[FF_I_ROW(op.dst) + lane] = value;
      } else {
        uint32_t *at = w->next + op.dst + lane;
        const uint32_t stay = op.dst < nodes ? w->stay[lane] : 0u;
        *at = (*at & stay) | (value & ~stay);
      }
    }
  }
}

FF_WARP uint32_t ff_hits_drawn(const ff_slice_image *image, uint64_t key, uint64_t step, uint64_t unit) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < image->hits_draws; i++) {
    const ff_philox_block draw = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, i / 2u, step, unit), key);
    const uint32_t which = i % 2u ? draw.v[2] : draw.v[0], against = i % 2u ? draw.v[3] : draw.v[1];
    const uint32_t column = (uint32_t)(((uint64_t)which * image->hits_size) >> 32);
    n += image->hits_lowest + (against < image->hits_threshold[column] ? column : image->hits_alias[column]);
  }
  return n;
}

FF_WARP void ff_phase_hits(const ff_slice_warp *w) {
  FF_LANE_IN;
  const ff_slice_image *image = w->image;
  if (image->hits_size == 0u) return;
  const uint32_t n = ff_hits_drawn(image, w->key, w->step, w->unit), base = (image->hits_draws + 1u) / 2u;
  FF_EACH_LANE for (uint32_t i = w->warp * 32u + lane; 2u * i < n; i += w->warps * 32u) {
    const ff_philox_block draw = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, base + i, w->step, w->unit), w->key);
    FF_UNROLL for (uint32_t j = 0; j < 2u; j++) {
      if (2u * i + j >= n) break;
      const uint32_t one = draw.v[2u * j], other = draw.v[2u * j + 1u], n_flip = image->n_flip;
      const uint32_t site = (uint32_t)(((uint64_t)one * n_flip + (((uint64_t)(other >> 10) * n_flip) >> 22)) >> 32);
      const uint32_t row = image->flip[site], word = other >> 5 & 31u, bit = 1u << (other & 31u);
      FF_ATOMIC_OR(w->stay + word, bit);
      if (row >= image->n_nodes) continue; /* a removed node */
      if (w->now[row * 32u + word] & bit)
        FF_ATOMIC_AND(w->next + row * 32u + word, ~bit);
      else
        FF_ATOMIC_OR(w->next + row * 32u + word, bit);
    }
  }
}

FF_WARP void ff_phase_update(const ff_slice_warp *w) {
  const ff_slice_image *image = w->image;
  ff_run_ops(w, 0, image->n_prologue);
  for (uint32_t s = w->warp; s < image->n_update; s += w->warps) {
    FF_SYNCWARP();
    ff_run_ops(w, image->segments[s], image->segments[s + 1u]);
  }
}

FF_WARP void ff_phase_commit(const ff_slice_warp *w) {
  FF_LANE_IN;
  for (uint32_t row = w->warp; row < w->image->n_nodes; row += w->warps)
    FF_EACH_LANE w->now[row * 32u + lane] = w->next[row * 32u + lane];
  if (w->warp == 0u) FF_EACH_LANE w->stay[lane] = 0u;
}

/* One word of a row into a vertical counter that holds t of them: Harley and Seal's carry-save adder. */
FF_WARP void ff_count_word(uint32_t *counter, uint32_t word, uint32_t t, unsigned lane) {
  uint32_t carry = word, level = 0;
  for (; t >> level & 1u; level++) {
    uint32_t *sum_at = counter + level * 32u + lane;
    const uint32_t sum = *sum_at, held = counter[(FF_COUNTER_HELD + level) * 32u + lane], both = sum ^ held;
    *sum_at = both ^ carry;
    carry = (sum & held) | (both & carry);
  }
  counter[(FF_COUNTER_HELD + level) * 32u + lane] = carry;
}

/* Evaluates the terms; the first time (`fresh`) only notes them, else counts them: `t` steps are counted already. */
FF_WARP void ff_phase_terms(const ff_slice_warp *w, uint32_t t, int fresh) {
  FF_LANE_IN;
  const ff_slice_image *image = w->image;
  for (uint32_t s = image->n_update + w->warp; s < image->n_segments; s += w->warps) {
    ff_run_ops(w, image->segments[s], image->segments[s + 1u]);
    for (uint32_t i = image->segment_terms[s]; i < image->segment_terms[s + 1u]; i++) {
      uint32_t *counter = w->counters + (uint64_t)i * FF_COUNTER_ROWS * 32u;
      const uint32_t *term = w->next + ((uint64_t)image->n_nodes + i) * 32u;
      const int changes = image->two_state[i];
      FF_EACH_LANE {
        uint32_t *before = counter + FF_COUNTER_BEFORE * 32u + lane;
        if (fresh) {
          FF_ATOMIC_ADD(w->before + i, FF_POPCOUNT(term[lane]));
        } else {
          ff_count_word(counter, term[lane], t, lane);
          if (changes) counter[FF_COUNTER_CHANGED * 32u + lane] += FF_POPCOUNT(*before ^ term[lane]);
        }
        *before = term[lane];
      }
    }
  }
}

#endif
