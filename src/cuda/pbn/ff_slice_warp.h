/* One step of the sliced program, run by the warps of a block. A block runs one tile. Lane t of a warp holds word t of every row,
 * that is 32 trajectories. The same text is compiled for device and host (ff_warp.h). A step has four phases, with a barrier of
 * the block after each:
 *
 *   hits    (all threads)  marks the trajectories that are perturbed and flips their nodes in `now`; `next` keeps the old values
 *   update  (warps take segments)  next = perturbed ? now : function of now
 *   commit  (all threads)          now = next; clears all marks
 *   terms   (warps take segments)  evaluates the terms and counts them
 *
 * Between steps `next` equals `now`. The comment at ff_table_of says what limits the speed.
 */
#ifndef FF_SLICE_WARP_H
#define FF_SLICE_WARP_H

#include "../../pbn/ff_slice_codes.h"
#include "ff_slice_image.h"
#include "../runtime/ff_warp.h"

#define FF_ITEMS 64u                 /* the most undecided trajectories in the list; two random words per lane */
#define FF_WINDOW (FF_I_WINDOW / 4u) /* words of the stream that a warp sees */
#define FF_FUNCTIONS 1024u           /* words per pair of warps for the functions of two inputs */

#if defined(__CUDA_ARCH__)
/* FF_BYTE_ABOVE: byte i of a word as byte 1 of a place whose byte 0 is `low`. FF_SIGNED_BYTE: byte i of a word, sign-extended. */
#define FF_BYTE_ABOVE(word, i, low) __byte_perm((word), (low), 0x7604u | (i) << 4u)
#define FF_SIGNED_BYTE(out, word, i) asm("prmt.b32 %0, %1, 0, %2;" : "=r"(out) : "r"(word), "r"(0x8880u + (i) * 0x1111u))
/* One lane increments a counter that all warps share, and every lane gets its old value. */
#define FF_TAKE(out, turn)                               \
  do {                                                   \
    if (lane == 0u) (out) = atomicAdd((turn), 1u);       \
    (out) = __shfl_sync(0xFFFFFFFFu, (out), 0);          \
  } while (0)
#define FF_UNROLL4 _Pragma("unroll 4")
#define FF_LANE_OF(w) const unsigned lane = (w)->lane; (void)lane
#else
#define FF_LANE_OF(w)
#define FF_BYTE_ABOVE(word, i, low) (((word) >> 8u * (i) & 255u) << 8u | (low))
#define FF_SIGNED_BYTE(out, word, i) (out) = (uint32_t)(int32_t)(int8_t)((word) >> 8 * (i))
#define FF_TAKE(out, turn) (out) = (*(turn))++
#define FF_UNROLL4
#endif

typedef struct {
  uint32_t v[4];
} __attribute__((aligned(16))) ff_quad;

typedef struct {
  uint32_t v[2];
} __attribute__((aligned(8))) ff_pair;

typedef struct {
  const ff_slice_image *image;
  const uint32_t *round_key; /* round keys of Philox, as in ff_slice_launch */
  uint32_t *now, *next, *scratch;
  uint32_t *inputs;    /* what tables read: `now`, or scratch in a staged image */
  uint32_t *stay;      /* 32 words: the trajectories that are perturbed in this step */
  uint32_t *turn;      /* number of segments that warps took after their first ones */
  uint32_t *functions; /* of the whole block: FF_FUNCTIONS words per pair of warps */
  uint32_t *column;    /* the warp's first word in `functions` ... */
  uint32_t pair, low;  /* ... and what its position adds to byte 1 of a place (in all bytes) and to byte 0 */
  uint32_t *window;    /* FF_WINDOW words of the warp */
  /* FF_ITEMS words of the warp: number of the cut in its block * 1,024 + trajectory that the first bits leave undecided */
  uint32_t *items;
  uint32_t *counters;  /* FF_COUNTER_ROWS rows per term */
  uint32_t *before;    /* per term: trajectories in which it held when counting started */
  uint64_t unit, step;
  uint32_t warp, warps;
  uint32_t most_items; /* FF_ITEMS; fewer in tests */
  uint32_t lane;       /* used on a device */
  int staged;          /* as in the image */
} ff_slice_warp;

/* ---- the stream ------------------------------------------------------------------------------------------------------- */

/* Reads the stream ahead: the lanes already fetch the next window while the warp works on the present one. */
typedef struct {
  uint32_t next; /* number of the window after the one that is fetched */
  FF_LANE_VAR(ff_pair, ahead);
} ff_reader;

FF_WARP void ff_next_window(const ff_slice_warp *w, ff_reader *r) {
  FF_LANE_OF(w);
  FF_SYNCWARP();
  FF_EACH_LANE {
    ((ff_pair *)w->window)[lane] = r->FF_L(ahead);
    r->FF_L(ahead) = ((const ff_pair *)w->image->stream)[r->next * 32u + lane];
  }
  r->next++;
  FF_SYNCWARP();
}

FF_WARP void ff_open_stream(const ff_slice_warp *w, ff_reader *r, uint32_t window) {
  FF_LANE_OF(w);
  FF_EACH_LANE r->FF_L(ahead) = ((const ff_pair *)w->image->stream)[window * 32u + lane];
  r->next = window + 1u;
  ff_next_window(w, r);
}

/* The quad at byte `at` of the window. */
FF_WARP const ff_quad *ff_read(const ff_slice_warp *w, uint32_t at) { return (const ff_quad *)((const char *)w->window + at); }

/* The lane's word of the row at a place. */
FF_WARP uint32_t *ff_word(uint32_t *rows, uint32_t place, unsigned lane) {
  return (uint32_t *)((char *)rows + (place + lane * 4u));
}

FF_WARP uint32_t ff_operand(const ff_slice_warp *w, uint32_t place, unsigned lane) {
  return *ff_word(place & FF_I_SCRATCH ? w->scratch : w->now, FF_I_ROW(place), lane);
}

/* ---- choices ---------------------------------------------------------------------------------------------------------- */

FF_WARP ff_philox_block ff_random(const ff_slice_warp *w, uint32_t purpose, uint32_t block) {
  const ff_philox_block c = ff_philox_counter(purpose, block, w->step, w->unit);
  uint32_t x0 = c.v[0], x1 = c.v[1], x2 = c.v[2], x3 = c.v[3];
  FF_UNROLL for (int round = 0; round < FF_PHILOX_ROUNDS; round++) {
    const uint64_t p0 = (uint64_t)FF_PHILOX_M0 * x0, p1 = (uint64_t)FF_PHILOX_M1 * x2;
    x0 = (uint32_t)(p1 >> 32) ^ x1 ^ w->round_key[2 * round];
    x2 = (uint32_t)(p0 >> 32) ^ x3 ^ w->round_key[2 * round + 1];
    x1 = (uint32_t)p1;
    x3 = (uint32_t)p0;
  }
  const ff_philox_block out = {{x0, x1, x2, x3}};
  return out;
}

/* Draws the remaining bits of an item and sets its bit in the mask if the number is below the cut. */
FF_WARP void ff_close_item(const ff_slice_warp *w, uint32_t first_cut, uint32_t item) {
  const uint32_t row = item >> 10, at = item & 1023u;
  const uint32_t number = w->image->cut_number[first_cut + row];
  uint32_t purpose = FF_DRAW_REMAINDER, cut = w->image->cut_rest[first_cut + row], word;
  FF_NO_UNROLL for (;;) { /* repeats only if 32 further bits are equal too */
    const ff_philox_block draw = ff_random(w, purpose, number * 256u + at / 4u);
    const uint32_t low = at & 1u ? draw.v[1] : draw.v[0], high = at & 1u ? draw.v[3] : draw.v[2];
    word = at & 2u ? high : low;
    if (!FF_RARELY(word == cut) || purpose == FF_DRAW_SELECT_FURTHER) break;
    purpose = FF_DRAW_SELECT_FURTHER;
    cut = w->image->cut_further[first_cut + row];
  }
  if (word < cut) FF_ATOMIC_OR(w->scratch + row * 32u + (at >> 5), 1u << (at & 31u));
}

/* Decides the last `n` items (at most 32) of a list that ends at `end`. */
FF_WARP void ff_close_items(const ff_slice_warp *w, uint32_t first_cut, uint32_t end, uint32_t n) {
  FF_LANE_OF(w);
  FF_SYNCWARP();
  FF_EACH_LANE if (lane < n) ff_close_item(w, first_cut, w->items[end - n + lane]);
  FF_SYNCWARP();
}

/* Appends the undecided trajectories of all lanes to the list and returns the list's new length. If the list is full, which is
 * rare, each lane decides its own. */
FF_WARP uint32_t ff_note_items(const ff_slice_warp *w, uint32_t first_cut, uint32_t n, FF_LANE_VAR(uint32_t, open),
                               uint32_t row) {
  FF_LANE_OF(w);
  for (;;) {
    uint32_t who;
    FF_BALLOT(who, FF_L(open) != 0u);
    if (who == 0u) return n;
    if (n > w->most_items - 32u) {
      FF_EACH_LANE FF_NO_UNROLL for (; FF_L(open) != 0u; FF_L(open) &= FF_L(open) - 1u)
        ff_close_item(w, first_cut, row << 10 | lane << 5 | FF_LOWEST(FF_L(open)));
      FF_SYNCWARP();
      return n;
    }
    FF_EACH_LANE {
      const uint32_t place = n + FF_POPCOUNT(who & ((1u << lane) - 1u));
      if (FF_L(open) != 0u) w->items[place] = row << 10 | lane << 5 | FF_LOWEST(FF_L(open));
      FF_L(open) &= FF_L(open) - 1u;
    }
    n += FF_POPCOUNT(who);
  }
}

typedef struct {
  uint32_t v[8];
} ff_words8;

/* Draws the eight random rows of a choice that consists of two whole groups of four. */
FF_WARP ff_words8 ff_draw_plain(const ff_slice_warp *w, uint32_t first, unsigned lane) {
  const uint32_t block = first / 4u * 32u + lane;
  const ff_philox_block one = ff_random(w, FF_DRAW_SELECT, block), other = ff_random(w, FF_DRAW_SELECT, block + 32u);
  const ff_words8 out = {{one.v[0], one.v[1], one.v[2], one.v[3], other.v[0], other.v[1], other.v[2], other.v[3]}};
  return out;
}

/* Draws random rows first .. first + n - 1; the rows after them are 0. Choices with few rows share groups of four: *last holds
 * the rows of group `held`, and afterwards those of the last group drawn. */
FF_WARP ff_words8 ff_draw_rows(const ff_slice_warp *w, uint32_t first, uint32_t n, uint32_t held, ff_philox_block *last,
                               unsigned lane) {
  uint32_t v[12] = {0}, group = first / 4u, off = first % 4u;
  FF_UNROLL for (uint32_t g = 0; g < 3u; g++) {
    if (off + n <= 4u * g) break;
    if (g > 0u || group != held) *last = ff_random(w, FF_DRAW_SELECT, (group + g) * 32u + lane);
    FF_UNROLL for (uint32_t i = 0; i < 4u; i++) v[4u * g + i] = last->v[i];
  }
  if (off & 1u) FF_UNROLL for (uint32_t i = 0; i < 11u; i++) v[i] = v[i + 1u];
  if (off & 2u) FF_UNROLL for (uint32_t i = 0; i < 10u; i++) v[i] = v[i + 2u];
  const ff_words8 out = {{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}};
  return out;
}

/* Computes the mask of a cut from the random rows: the trajectories with u < cut. *equal are those whose first 8 bits equal the
 * cut's. */
FF_WARP uint32_t ff_below(const ff_quad *cut, const ff_words8 *random, uint32_t *equal) {
  const ff_quad high = cut[0], low = cut[1];
  uint32_t less = 0, differ = 0;
  /* from the least significant bit on: a bit that differs decides, equal bits keep the result */
  FF_UNROLL for (uint32_t j = 8; j-- > 0u;) {
    const uint32_t bit = j < 4u ? high.v[j % 4u] : low.v[j % 4u], word = random->v[j];
    less = (bit & ~word) | (less & (bit | ~word));
    differ |= word ^ bit;
  }
  *equal = ~differ;
  return less;
}

/* Computes the masks of the choices from byte `at` of the window on, one row per cut, from row 0 of scratch on. Returns the byte
 * after the choices. */
FF_WARP uint32_t ff_select_masks(const ff_slice_warp *w, ff_reader *r, uint32_t first_cut, uint32_t at) {
  FF_LANE_OF(w);
  uint32_t n = 0, row = 0, held = 0xFFFFFFFFu, what = 0;
  FF_LANE_VAR(ff_philox_block, last);
  FF_LANE_VAR(ff_words8, random);
  FF_EACH_LANE FF_L(last).v[0] = FF_L(last).v[1] = FF_L(last).v[2] = FF_L(last).v[3] = 0u;
  FF_NO_UNROLL while (!(what & FF_I_LAST)) {
    const ff_quad choice = *ff_read(w, at);
    const uint32_t first = choice.v[0], n_rows = FF_I_ROWS(choice.v[1]);
    what = choice.v[1];
    if (FF_I_CUTS(what) == 0u) {
      ff_next_window(w, r);
      at = 0;
      continue;
    }
    if (!(what & FF_I_MORE)) {
      if (what & FF_I_PLAIN) {
        FF_EACH_LANE FF_L(random) = ff_draw_plain(w, first, lane);
      } else {
        FF_EACH_LANE FF_L(random) = ff_draw_rows(w, first, n_rows, held, &FF_L(last), lane);
        held = (first + n_rows - 1u) / 4u;
      }
    }
    const uint32_t end = row + FF_I_CUTS(what);
    at += 16u;
    FF_NO_UNROLL for (; row < end; row++, at += 32u) {
      FF_LANE_VAR(uint32_t, open);
      FF_EACH_LANE *ff_word(w->scratch, row * 128u, lane) = ff_below(ff_read(w, at), &FF_L(random), &FF_L(open));
      if (!(what & FF_I_EXACT)) n = ff_note_items(w, first_cut, n, open, row);
    }
    if (n < 32u) continue;
    ff_close_items(w, first_cut, n, 32u);
    n -= 32u;
  }
  while (n > 0u) {
    const uint32_t some = n < 32u ? n : 32u;
    ff_close_items(w, first_cut, n, some);
    n -= some;
  }
  FF_SYNCWARP();
  return at;
}

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

FF_WARP uint32_t ff_mux(uint32_t c, uint32_t a, uint32_t b) { return (a & c) | (b & ~c); }

/* Selects one of 2^levels values (at most 16) by the inputs, level by level. The loop bounds are constants, so that the loops are
 * unrolled. */
FF_WARP uint32_t ff_fold(uint32_t *value, uint32_t levels, const uint32_t *in) {
  FF_UNROLL for (uint32_t l = 0; l < 4u; l++)
    FF_UNROLL for (uint32_t i = 0; i < 8u; i++)
      if (l < levels && i < 1u << (levels - 1u - l)) value[i] = ff_mux(in[l], value[2u * i + 1u], value[2u * i]);
  return value[0];
}

/* Computes all functions of two inputs but the constant ones, 0 and 15, which are there already. The index is the nibble of the
 * truth table. */
FF_WARP void ff_spread(const ff_slice_warp *w, uint32_t a, uint32_t b, unsigned lane) {
  uint32_t *f = w->column + lane;
  f[1 * 64] = ~(a | b);
  f[2 * 64] = a & ~b;
  f[3 * 64] = ~b;
  f[4 * 64] = ~a & b;
  f[5 * 64] = ~a;
  f[6 * 64] = a ^ b;
  f[7 * 64] = ~(a & b);
  f[8 * 64] = a & b;
  f[9 * 64] = ~(a ^ b);
  f[10 * 64] = a;
  f[11 * 64] = a | ~b;
  f[12 * 64] = b;
  f[13 * 64] = ~a | b;
  f[14 * 64] = a | b;
}

/* Evaluates a truth table of 4 * 2^levels rows by its nibbles. */
FF_WARP uint32_t ff_nibbles(const ff_slice_warp *w, const ff_quad *from, uint32_t levels, const uint32_t *in, unsigned lane) {
  const uint32_t low = w->low + lane * 4u;
  const ff_quad nibbles = *from;
  uint32_t value[16];
  FF_UNROLL for (uint32_t i = 0; i < 16u; i++)
    if (i < 1u << levels)
      value[i] = *(const uint32_t *)((const char *)w->functions + FF_BYTE_ABOVE(nibbles.v[i / 4u] | w->pair, i % 4u, low));
  return ff_fold(value, levels, in);
}

/* Evaluates a truth table of 2^k rows. Its nibbles are functions of the first two inputs; the other inputs select among them.
 * With up to four inputs a nibble takes three multiplications, with more inputs one read from the sixteen functions. Logical
 * operations, multiplications and shared memory each have their own maximal rate. A nibble as four masks in memory would need
 * four words of shared memory. */
FF_WARP uint32_t ff_table_of(const ff_slice_warp *w, const ff_quad *op, uint32_t k, unsigned lane) {
  uint32_t place[8] = {op->v[2], op->v[3], 0, 0, 0, 0, 0, 0}, in[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  FF_UNROLL for (uint32_t i = 2; i < 8u; i++)
    if (i < k) place[i] = op[(i + 2u) / 4u].v[(i + 2u) % 4u];
  FF_UNROLL for (uint32_t i = 0; i < 8u; i++)
    if (i < k) in[i] = *ff_word(w->inputs, place[i], lane);
  const ff_quad *truth = op + FF_I_TABLE_HEAD(k);
  uint32_t value[16];
  if (k > 5u) {
    ff_spread(w, in[0], in[1], lane);
    FF_UNROLL for (uint32_t i = 0; i < 4u; i++)
      if (i < 1u << (k - 6u)) value[i] = ff_nibbles(w, truth + i, 4u, in + 2, lane);
    return ff_fold(value, k - 6u, in + 6);
  }
  if (k == 5u) {
    ff_spread(w, in[0], in[1], lane);
    return ff_nibbles(w, truth, 3u, in + 2, lane);
  }
  const ff_quad numbers = *truth;
  const uint32_t factor[4] = {0, in[0], in[1], in[0] & in[1]};
  FF_UNROLL for (uint32_t i = 0; i < 4u; i++) {
    if (i > 0u && (k < 3u || i >= 1u << (k - 2u))) break;
    FF_SIGNED_BYTE(value[i], numbers.v[i], 0);
    FF_UNROLL for (uint32_t j = 1; j < 4u; j++) {
      uint32_t number;
      FF_SIGNED_BYTE(number, numbers.v[i], j);
      value[i] += number * factor[j];
    }
  }
  return ff_fold(value, k > 2u ? k - 2u : 0u, in + 2);
}

/* ---- operations ------------------------------------------------------------------------------------------------------- */

/* Copies sixteen rows that a segment reads. All reads are in flight at once. */
FF_WARP void ff_stage_rows(const ff_slice_warp *w, const ff_quad *op) {
  FF_LANE_OF(w);
  FF_EACH_LANE {
    const uint32_t to = op[0].v[1];
    uint32_t word[FF_I_STAGED];
    FF_UNROLL for (uint32_t i = 0; i < FF_I_STAGED; i++) word[i] = *ff_word(w->now, op[1u + i / 4u].v[i % 4u], lane);
    FF_UNROLL for (uint32_t i = 0; i < FF_I_STAGED; i++) *ff_word(w->scratch, to + i * 128u, lane) = word[i];
  }
}

/* The lane's word of the result of a table; below, of an operation on rows. */
FF_WARP uint32_t ff_table_result(const ff_slice_warp *w, const ff_quad *op, uint32_t inputs, unsigned lane) {
  switch (inputs) { /* each call has a constant number of inputs, so that its loops are unrolled */
  case 1u: return ff_table_of(w, op, 1u, lane);
  case 2u: return ff_table_of(w, op, 2u, lane);
  case 3u: return ff_table_of(w, op, 3u, lane);
  case 4u: return ff_table_of(w, op, 4u, lane);
  case 5u: return ff_table_of(w, op, 5u, lane);
  case 6u: return ff_table_of(w, op, 6u, lane);
  case 7u: return ff_table_of(w, op, 7u, lane);
  default: return ff_table_of(w, op, 8u, lane);
  }
}

FF_WARP uint32_t ff_row_result(const ff_slice_warp *w, const ff_quad *op, uint32_t kind, unsigned lane) {
#define A ff_operand(w, op->v[1], lane) /* read only by operations that have this operand */
#define B ff_operand(w, op->v[2], lane)
#define C ff_operand(w, op->v[3], lane)
  switch (kind) {
  case FF_S_CONST: return 0u - op->v[2];
  case FF_S_COPY: return A;
  case FF_S_NOT: return ~A;
  case FF_S_AND: return A & B;
  case FF_S_NAND: return ~(A & B);
  case FF_S_OR: return A | B;
  case FF_S_NOR: return ~(A | B);
  case FF_S_ANDN: return A & ~B;
  case FF_S_ORN: return ~A | B;
  case FF_S_XOR: return A ^ B;
  case FF_S_XNOR: return ~(A ^ B);
  default: return ff_mux(C, A, B); /* FF_S_MUX */
  }
#undef A
#undef B
#undef C
}

/* Where a segment finds the present values of the nodes that it writes: `rows` begins with the row at place `from`. */
typedef struct {
  uint32_t *rows;
  uint32_t from;
} ff_own_rows;

/* Writes the lane's word to its destination. A node of a perturbed trajectory keeps the value that it has in `now`. */
FF_WARP void ff_store(const ff_slice_warp *w, const ff_own_rows *own, uint32_t head, uint32_t value, unsigned lane) {
  const uint32_t place = FF_I_ROW(head), nodes = w->image->n_nodes * 128u;
  if (place == FF_I_NOWHERE) return;
  if (head & FF_I_TO_SCRATCH)
    *ff_word(w->scratch, place, lane) = value;
  else if (place < nodes)
    *ff_word(w->next, place, lane) = ff_mux(w->stay[lane], *ff_word(own->rows, place - own->from, lane), value);
  else
    *ff_word(w->next, place, lane) = value;
}

/* Runs the segment that begins at a window. */
FF_WARP void ff_run_segment(const ff_slice_warp *w, uint32_t window) {
  FF_LANE_OF(w);
  ff_own_rows own = {w->now, 0};
  uint32_t at = 0;
  ff_reader r;
  FF_LANE_VAR(uint32_t, value);
  FF_EACH_LANE FF_L(value) = 0u;
  ff_open_stream(w, &r, window);
  FF_NO_UNROLL for (;;) {
    const ff_quad *op = ff_read(w, at);
    const uint32_t head = op->v[0], kind = FF_I_KIND(head), size = FF_I_BYTES(op->v[1]);
    FF_LANE_VAR(uint32_t, word);
    if (kind >= FF_I_TABLE) { /* tested first, because most operations of a large program are tables */
      if (kind == FF_I_END) return;
      FF_EACH_LANE FF_L(word) = ff_table_result(w, op, FF_I_INPUTS(kind), lane);
    } else if (kind == FF_S_SELECT) {
      at = ff_select_masks(w, &r, op->v[1], at + 16u);
      continue;
    } else if (kind == FF_I_NEXT) {
      ff_next_window(w, &r);
      at = 0;
      continue;
    } else if (w->staged && kind == FF_I_STAGE) {
      own.rows = w->scratch + op->v[3] / 4u;
      own.from = op->v[2];
      ff_stage_rows(w, op);
      at += 16u + FF_I_STAGED * 4u;
      continue;
    } else {
      FF_EACH_LANE FF_L(word) = ff_row_result(w, op, kind, lane);
    }
    FF_EACH_LANE {
      const uint32_t mask = head & FF_I_JOIN ? *ff_word(w->scratch, FF_I_ROW(op->v[1]), lane) : 0xFFFFFFFFu;
      FF_L(value) = ff_mux(mask, FF_L(word), FF_L(value));
      ff_store(w, &own, head, FF_L(value), lane);
    }
    at += size;
  }
}

/* ---- phases ----------------------------------------------------------------------------------------------------------- */

/* Called once, before all other phases. */
FF_WARP void ff_phase_begin(const ff_slice_warp *w) {
  FF_LANE_OF(w);
  FF_EACH_LANE {
    w->column[lane] = 0u;
    w->column[15 * 64 + lane] = 0xFFFFFFFFu;
    if (w->warp == 0u) w->stay[lane] = 0u;
    if (w->warp == 0u && lane == 0u) *w->turn = 0u;
  }
}

FF_WARP uint32_t ff_hits_drawn(const ff_slice_warp *w) {
  const ff_slice_image *image = w->image;
  uint32_t n = 0;
  for (uint32_t i = 0; i < image->hits_draws; i++) {
    const ff_philox_block draw = ff_random(w, FF_DRAW_FLIPS, i / 2u);
    const uint32_t which = i % 2u ? draw.v[2] : draw.v[0], against = i % 2u ? draw.v[3] : draw.v[1];
    const uint32_t column = (uint32_t)(((uint64_t)which * image->hits_size) >> 32);
    const uint64_t threshold = image->hits_threshold[column];
    int own = against < (uint32_t)(threshold >> 32);
    if (FF_RARELY(against == (uint32_t)(threshold >> 32)))
      own = ff_random(w, FF_DRAW_FLIPS_FURTHER, i).v[0] < (uint32_t)threshold;
    n += image->hits_lowest + (own ? column : image->hits_alias[column]);
  }
  return n;
}

/* A site may be hit twice in a step. Its value is then still the negation of the value in `next`. */
FF_WARP void ff_phase_hits(const ff_slice_warp *w) {
  FF_LANE_OF(w);
  const ff_slice_image *image = w->image;
  if (image->hits_size == 0u) return;
  const uint32_t n = ff_hits_drawn(w), base = (image->hits_draws + 1u) / 2u;
  FF_EACH_LANE for (uint32_t i = w->warp * 32u + lane; 2u * i < n; i += w->warps * 32u) {
    const ff_philox_block draw = ff_random(w, FF_DRAW_FLIPS, base + i);
    FF_UNROLL for (uint32_t j = 0; j < 2u; j++) {
      if (2u * i + j >= n) break;
      const uint32_t one = draw.v[2u * j], other = draw.v[2u * j + 1u], n_flip = image->n_flip;
      const uint32_t site = (uint32_t)(((uint64_t)one * n_flip + (((uint64_t)(other >> 10) * n_flip) >> 22)) >> 32);
      const uint32_t row = image->flip[site], word = other >> 5 & 31u, bit = 1u << (other & 31u);
      FF_ATOMIC_OR(w->stay + word, bit);
      if (row >= image->n_nodes) continue; /* a node that reduction removed */
      if (w->next[row * 32u + word] & bit)
        FF_ATOMIC_AND(w->now + row * 32u + word, ~bit);
      else
        FF_ATOMIC_OR(w->now + row * 32u + word, bit);
    }
  }
}

/* Each warp has a first segment. Afterwards a free warp takes the next one. The position of the next segment is read before the
 * present one is run. */
FF_WARP void ff_phase_update(const ff_slice_warp *w) {
  FF_LANE_OF(w);
  const ff_slice_image *image = w->image;
  uint32_t s = w->warp, window = 0;
  int some = image->prologue > 0u;
  FF_NO_UNROLL for (;;) {
    const int more = s < image->n_update;
    const uint32_t next = more ? image->segments[s] : 0u;
    if (some) ff_run_segment(w, window);
    if (!more) return;
    some = 1;
    window = next;
    FF_TAKE(s, w->turn);
    s += w->warps;
  }
}

FF_WARP void ff_phase_commit(const ff_slice_warp *w) {
  FF_LANE_OF(w);
  ff_quad *now = (ff_quad *)w->now;
  const ff_quad *next = (const ff_quad *)w->next;
  const uint32_t n = w->image->n_nodes * 8u;
  FF_EACH_LANE FF_UNROLL4 for (uint32_t i = w->warp * 32u + lane; i < n; i += w->warps * 32u) now[i] = next[i];
  if (w->warp == 0u) FF_EACH_LANE w->stay[lane] = 0u;
  FF_EACH_LANE if (w->warp == 0u && lane == 0u) *w->turn = 0u;
}

/* Adds one word of a row to a vertical counter that already holds t words (carry-save adder of Harley and Seal). */
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

/* Evaluates the terms. With `fresh`, it only records them and counts the trajectories in which they hold. Otherwise it counts
 * them; `t` steps have been counted already. */
FF_WARP void ff_phase_terms(const ff_slice_warp *w, uint32_t t, int fresh) {
  FF_LANE_OF(w);
  const ff_slice_image *image = w->image;
  for (uint32_t s = image->n_update + w->warp; s < image->n_segments; s += w->warps) {
    ff_run_segment(w, image->segments[s]);
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
