/* The parts of generated code that do not depend on the network; ff_generate.c generates the others. A warp runs one tile, step
 * by step. Lane t holds word t of every row. The same text is compiled for the device (at run time) and for the host (in tests).
 *
 * The generated text that comes before this one defines
 *   G_NODES, G_TERMS, G_CUTS     the numbers of nodes, terms and cuts
 *   G_FLIP, G_FLIP_HERE          sites that can be perturbed, and how many of them are nodes of the network; 0: no perturbation
 *   G_FLIP_SAME                  1 if site i is node i
 *   G_DRAWS, G_SIZE, G_LOWEST    the table from which the number of flips is drawn
 *   G_HITS                       the most flips in one step
 *   G_CHOICES_ARE_CUTS           1 if every choice has one cut
 *   G_TWO_STATE(i)               whether the changes of term i are counted
 *   G_CHANGING, G_CHANGING_BEFORE(i)  the number of such terms, and how many of them come before term i
 *   G_NEAR_LEVELS                levels of the counters that lie in shared memory
 *   G_WARPS, G_BLOCKS            warps per block, and blocks per multiprocessor for which registers are limited
 * The text that comes after this one defines g_select(w), g_update(w) and g_terms(w, chunk, word, lane). It uses NODE(i),
 * MASK(k), RANDOM(group) and g_open(w, k, bits).
 */
#ifndef FF_GENERATED_H
#define FF_GENERATED_H

#include "../../pbn/ff_pbn_draws.h"
#include "ff_slice_image.h"
#include "../runtime/ff_warp.h"

#define G_ITEMS 64u
#define G_NEAR_ROWS (G_NEAR_LEVELS > 0u ? G_TERMS * 2u * G_NEAR_LEVELS + 2u * G_CHANGING : 0u)
#define G_WORDS ((G_NODES + G_CUTS + 1u + G_NEAR_ROWS) * 32u + G_ITEMS + (G_HITS + 31u) / 32u * 32u) /* per warp */

typedef struct {
  const ff_slice_image *image;
  const ff_slice_launch *run;
  uint32_t *now, *masks, *stay, *near, *items, *hits; /* shared memory of the warp */
  uint32_t *counters;                                 /* global memory of the tile */
  uint64_t step, unit;
  uint32_t n_items;
} g_warp;

#define NODE(i) (w->now[(i) * 32u + lane])
#define MASK(k) (w->masks[(k) * 32u + lane])

/* Philox with the round keys of the launch, which are constants of the kernel. */
FF_WARP ff_philox_block g_random(const g_warp *w, uint32_t purpose, uint32_t block) {
  return ff_philox_rounds(w->run->round_key, 0, ff_philox_counter(purpose, block, w->step, w->unit));
}

#define RANDOM(group) g_random(w, FF_DRAW_SELECT, (group) * 32u + lane)

/* Draws the remaining bits for the last n items and sets their bits in the masks. */
FF_WARP void g_close(g_warp *w, uint32_t n) {
  FF_LANE_IN;
  FF_SYNCWARP();
  FF_EACH_LANE if (lane < n) {
    const uint32_t item = w->items[w->n_items - n + lane], cut = item >> 10, at = item & 1023u;
    const uint32_t number = G_CHOICES_ARE_CUTS ? cut : w->image->cut_number[cut];
    uint32_t purpose = FF_DRAW_REMAINDER, bound = w->image->cut_rest[cut], word;
    FF_NO_UNROLL for (;;) { /* repeats only if 32 further bits are equal too */
      const ff_philox_block draw = g_random(w, purpose, number * 256u + at / 4u);
      const uint32_t low = at & 1u ? draw.v[1] : draw.v[0], high = at & 1u ? draw.v[3] : draw.v[2];
      word = at & 2u ? high : low;
      if (!FF_RARELY(word == bound) || purpose == FF_DRAW_SELECT_FURTHER) break;
      purpose = FF_DRAW_SELECT_FURTHER;
      bound = w->image->cut_further[cut];
    }
    if (word < bound) FF_ATOMIC_OR(w->masks + cut * 32u + at / 32u, 1u << (at & 31u));
  }
  w->n_items -= n;
  FF_SYNCWARP();
}

/* Lists the trajectories for which the first bits leave cut k undecided. */
FF_WARP void g_open(g_warp *w, uint32_t cut, FF_LANE_VAR(uint32_t, open)) {
  FF_LANE_IN;
  for (;;) {
    uint32_t who;
    FF_BALLOT(who, FF_L(open) != 0u);
    if (who == 0u) return;
    FF_EACH_LANE if (FF_L(open) != 0u) {
      w->items[w->n_items + FF_POPCOUNT(who & ((1u << lane) - 1u))] = cut << 10 | lane * 32u | FF_LOWEST(FF_L(open));
      FF_L(open) &= FF_L(open) - 1u;
    }
    w->n_items += FF_POPCOUNT(who);
    if (w->n_items >= 32u) g_close(w, 32u);
  }
}

FF_WARP void g_select(g_warp *w);
FF_WARP void g_update(const g_warp *w);
/* computes eight terms, from term 8 * chunk on */
FF_WARP void g_terms(const g_warp *w, uint32_t chunk, uint32_t *word, unsigned lane);

/* ---- flips -------------------------------------------------------------------------------------------------------- */

#if G_FLIP
/* The number of flips that draw number `draw` of a step yields. */
FF_WARP uint32_t g_flips_of(const g_warp *w, uint32_t draw, uint32_t which, uint32_t against) {
  const uint32_t column = (uint32_t)(((uint64_t)which * G_SIZE) >> 32);
  const uint64_t threshold = w->image->hits_threshold[column];
  int own = against < (uint32_t)(threshold >> 32);
  if (FF_RARELY(against == (uint32_t)(threshold >> 32)))
    own = g_random(w, FF_DRAW_FLIPS_FURTHER, draw).v[0] < (uint32_t)threshold;
  return G_LOWEST + (own ? column : w->image->hits_alias[column]);
}

/* Records hit i of the step, given by two random words: marks its trajectory, and lists the word, the bit and the new value. */
FF_WARP void g_note(const g_warp *w, uint32_t i, uint32_t one, uint32_t other) {
  const uint32_t site = (uint32_t)(((uint64_t)one * G_FLIP + (((uint64_t)(other >> 10) * G_FLIP) >> 22)) >> 32);
  const uint32_t word = other >> 5 & 31u, bit = other & 31u;
  FF_ATOMIC_OR(w->stay + word, 1u << bit);
  uint32_t entry = 0xFFFFFFFFu; /* a node that reduction removed */
  if (site < G_FLIP_HERE) {
    const uint32_t at = (G_FLIP_SAME ? site : w->image->flip[site]) * 32u + word;
    entry = at << 6 | bit << 1 | (~(w->now[at] >> bit) & 1u);
  }
  w->hits[i] = entry;
}

/* Draws the number of hits, then the hits. If one draw gives the number, lane 0 draws it, and the other lanes draw the first hits
 * at the same time. */
FF_WARP uint32_t g_draw_hits(const g_warp *w) {
  FF_LANE_IN;
  uint32_t n = 0, first = (G_DRAWS + 1u) / 2u;
#if G_DRAWS == 1
  FF_LANE_VAR(ff_philox_block, draw);
  FF_EACH_LANE FF_L(draw) = g_random(w, FF_DRAW_FLIPS, lane);
  FF_LANE_VAR(uint32_t, count);
  FF_EACH_LANE FF_L(count) = lane == 0u ? g_flips_of(w, 0u, FF_L(draw).v[0], FF_L(draw).v[1]) : 0u;
  FF_FIRST_LANE(n, count);
  FF_EACH_LANE if (lane > 0u) {
    if (2u * lane - 2u < n) g_note(w, 2u * lane - 2u, FF_L(draw).v[0], FF_L(draw).v[1]);
    if (2u * lane - 1u < n) g_note(w, 2u * lane - 1u, FF_L(draw).v[2], FF_L(draw).v[3]);
  }
  const uint32_t done = 31u;
#else
  for (uint32_t i = 0; i < G_DRAWS; i++) {
    const ff_philox_block draw = g_random(w, FF_DRAW_FLIPS, i / 2u);
    n += g_flips_of(w, i, i % 2u ? draw.v[2] : draw.v[0], i % 2u ? draw.v[3] : draw.v[1]);
  }
  const uint32_t done = 0u;
#endif
  FF_EACH_LANE for (uint32_t i = done + lane; 2u * i < n; i += 32u) {
    const ff_philox_block draw = g_random(w, FF_DRAW_FLIPS, first + i);
    g_note(w, 2u * i, draw.v[0], draw.v[1]);
    if (2u * i + 1u < n) g_note(w, 2u * i + 1u, draw.v[2], draw.v[3]);
  }
  return n;
}

FF_WARP void g_apply_hits(const g_warp *w, uint32_t n) {
  FF_LANE_IN;
  FF_EACH_LANE for (uint32_t i = lane; i < n; i += 32u) {
    const uint32_t entry = w->hits[i], bit = 1u << (entry >> 1 & 31u);
    if (entry == 0xFFFFFFFFu) continue;
    if (entry & 1u)
      FF_ATOMIC_OR(w->now + (entry >> 6), bit);
    else
      FF_ATOMIC_AND(w->now + (entry >> 6), ~bit);
  }
}
#endif

/* ---- a step --------------------------------------------------------------------------------------------------------- */

FF_WARP void g_step(g_warp *w) {
  FF_LANE_IN;
#if G_FLIP
  FF_EACH_LANE w->stay[lane] = 0u;
  FF_SYNCWARP();
  const uint32_t n = g_draw_hits(w);
#endif
  w->n_items = 0u;
  g_select(w);
#if G_CUTS
  if (w->n_items > 0u) g_close(w, w->n_items);
#endif
  FF_SYNCWARP();
  g_update(w);
#if G_FLIP
  FF_SYNCWARP();
  g_apply_hits(w, n);
#endif
  FF_SYNCWARP();
}

/* ---- counting --------------------------------------------------------------------------------------------------------- */

#if G_TERMS
/* The rows of a term in shared memory are the sums and the held rows of its low levels. After those of all terms come two rows
 * for each term whose changes are counted: its last value, and its changes. */
#define G_NEAR(row) (w->near[(row) * 32u + lane])
#define G_FAR(i, row) (w->counters[((uint64_t)(i) * FF_COUNTER_ROWS + (row)) * 32u + lane])
#define G_NEAR_SUM(i, level) G_NEAR((i) * 2u * G_NEAR_LEVELS + (level))
#define G_NEAR_HELD(i, level) G_NEAR((i) * 2u * G_NEAR_LEVELS + G_NEAR_LEVELS + (level))
#if G_NEAR_LEVELS
#define G_AT_BEFORE(i) G_NEAR(G_TERMS * 2u * G_NEAR_LEVELS + 2u * G_CHANGING_BEFORE(i))
#define G_AT_CHANGED(i) G_NEAR(G_TERMS * 2u * G_NEAR_LEVELS + 2u * G_CHANGING_BEFORE(i) + 1u)
#else
#define G_AT_BEFORE(i) G_FAR(i, FF_COUNTER_BEFORE)
#define G_AT_CHANGED(i) G_FAR(i, FF_COUNTER_CHANGED)
#endif

/* Terms are processed in groups of eight. The reads of a group are in flight together, and registers suffice. */
#define G_SOME 8u
#define G_CHUNKS ((G_TERMS + G_SOME - 1u) / G_SOME)

/* A full adder: stores the sum in *sum and returns the carry. */
FF_WARP uint32_t g_add(uint32_t *sum, uint32_t held, uint32_t word) {
  const uint32_t s = *sum, both = s ^ held;
  *sum = both ^ word;
  return (s & held) | (both & word);
}

FF_WARP void g_note_changes(const g_warp *w, uint32_t first, const uint32_t *word, unsigned lane) {
  uint32_t before[G_SOME], changed[G_SOME];
  FF_UNROLL for (uint32_t i = 0; i < G_SOME; i++) {
    if (first + i >= G_TERMS || !G_TWO_STATE(first + i)) continue;
    before[i] = G_AT_BEFORE(first + i);
    changed[i] = G_AT_CHANGED(first + i);
  }
  FF_UNROLL for (uint32_t i = 0; i < G_SOME; i++) {
    if (first + i >= G_TERMS || !G_TWO_STATE(first + i)) continue;
    G_AT_CHANGED(first + i) = changed[i] + FF_POPCOUNT(before[i] ^ word[i]);
    G_AT_BEFORE(first + i) = word[i];
  }
}

/* Adds the words of a group of terms to one level of their counters. The words become the carries. */
FF_WARP void g_add_level(const g_warp *w, uint32_t first, uint32_t *word, uint32_t level, int near, unsigned lane) {
  uint32_t sum[G_SOME], held[G_SOME];
  FF_UNROLL for (uint32_t i = 0; i < G_SOME; i++) {
    if (first + i >= G_TERMS) continue;
    sum[i] = near ? G_NEAR_SUM(first + i, level) : G_FAR(first + i, level);
    held[i] = near ? G_NEAR_HELD(first + i, level) : G_FAR(first + i, FF_COUNTER_HELD + level);
  }
  FF_UNROLL for (uint32_t i = 0; i < G_SOME; i++) {
    if (first + i >= G_TERMS) continue;
    word[i] = g_add(&sum[i], held[i], word[i]);
    if (near)
      G_NEAR_SUM(first + i, level) = sum[i];
    else
      G_FAR(first + i, level) = sum[i];
  }
}

/* Counts the words of a group of terms. The counters hold t steps already. All lanes take the same branches. */
FF_WARP void g_count_some(const g_warp *w, uint32_t first, uint32_t *word, uint32_t t, unsigned lane) {
  g_note_changes(w, first, word, lane);
  uint32_t level = 0;
#if G_NEAR_LEVELS
  for (; level < G_NEAR_LEVELS && (t >> level & 1u); level++) g_add_level(w, first, word, level, 1, lane);
  if (level < G_NEAR_LEVELS) {
    FF_UNROLL for (uint32_t i = 0; i < G_SOME; i++)
      if (first + i < G_TERMS) G_NEAR_HELD(first + i, level) = word[i];
    return;
  }
#endif
  for (; t >> level & 1u; level++) g_add_level(w, first, word, level, 0, lane);
  FF_UNROLL for (uint32_t i = 0; i < G_SOME; i++)
    if (first + i < G_TERMS) G_FAR(first + i, FF_COUNTER_HELD + level) = word[i];
}

FF_WARP void g_count(const g_warp *w, uint32_t t) {
  FF_LANE_IN;
  FF_EACH_LANE {
    FF_UNROLL for (uint32_t chunk = 0; chunk < G_CHUNKS; chunk++) {
      uint32_t word[G_SOME];
      g_terms(w, chunk, word, lane);
      g_count_some(w, chunk * G_SOME, word, t, lane);
    }
  }
}

/* Records the present values of the terms. This happens before the first counted step, when the trajectories in which they hold
 * are counted as well, and after the last step of a launch. */
FF_WARP void g_note_terms(const g_warp *w, uint32_t tile, int fresh) {
  FF_LANE_IN;
  FF_EACH_LANE {
    FF_UNROLL for (uint32_t chunk = 0; chunk < G_CHUNKS; chunk++) {
      uint32_t word[G_SOME];
      g_terms(w, chunk, word, lane);
      FF_UNROLL for (uint32_t i = 0; i < G_SOME; i++) {
        const uint32_t term = chunk * G_SOME + i;
        if (term >= G_TERMS) continue;
        if (fresh) FF_ATOMIC_ADD(w->run->before + (uint64_t)tile * G_TERMS + term, FF_POPCOUNT(word[i]));
        if (G_TWO_STATE(term))
          G_AT_BEFORE(term) = word[i];
        else
          G_FAR(term, FF_COUNTER_BEFORE) = word[i];
      }
    }
  }
}

#if G_NEAR_LEVELS
FF_WARP void g_move_row(const g_warp *w, uint32_t near_row, uint32_t term, uint32_t far_row, int in, unsigned lane) {
  if (in)
    G_NEAR(near_row) = G_FAR(term, far_row);
  else
    G_FAR(term, far_row) = G_NEAR(near_row);
}
#endif

/* Copies the rows in shared memory from (`in`) or to the counters of the tile. */
FF_WARP void g_move_counters(const g_warp *w, int in) {
#if G_NEAR_LEVELS
  FF_LANE_IN;
  FF_EACH_LANE for (uint32_t i = 0; i < G_TERMS; i++) {
    for (uint32_t level = 0; level < G_NEAR_LEVELS; level++) {
      const uint32_t row = i * 2u * G_NEAR_LEVELS + level;
      g_move_row(w, row, i, level, in, lane);
      g_move_row(w, row + G_NEAR_LEVELS, i, FF_COUNTER_HELD + level, in, lane);
    }
    if (!G_TWO_STATE(i)) continue;
    const uint32_t row = G_TERMS * 2u * G_NEAR_LEVELS + 2u * G_CHANGING_BEFORE(i);
    g_move_row(w, row, i, FF_COUNTER_BEFORE, in, lane);
    g_move_row(w, row + 1u, i, FF_COUNTER_CHANGED, in, lane);
  }
#else
  (void)w;
  (void)in;
#endif
}
#endif

/* Runs a launch for one tile. `memory` has the G_WORDS words of the warp. */
FF_WARP void g_run(const ff_slice_image *image, const ff_slice_launch *run, uint32_t tile, uint32_t *memory) {
  FF_LANE_IN;
  g_warp warp, *w = &warp;
  uint32_t *state = run->state + (uint64_t)tile * G_NODES * 32u;
  w->image = image;
  w->run = run;
  w->now = memory;
  w->masks = w->now + G_NODES * 32u;
  w->stay = w->masks + G_CUTS * 32u;
  w->near = w->stay + 32u;
  w->items = w->near + G_NEAR_ROWS * 32u;
  w->hits = w->items + G_ITEMS;
  w->counters = run->counters + (uint64_t)tile * G_TERMS * FF_COUNTER_ROWS * 32u;
  w->unit = run->unit + tile;
  FF_EACH_LANE for (uint32_t i = 0; i < G_NODES; i++) NODE(i) = state[i * 32u + lane];
#if G_TERMS
  if (run->count) g_move_counters(w, 1);
#endif
  FF_SYNCWARP();
  FF_NO_UNROLL for (int end = run->fresh ? 0 : 1; end < 2; end++) { /* a loop, so that the code of the terms is there only once */
    FF_NO_UNROLL for (uint64_t s = 0; s < (end ? run->steps : 0u); s++) {
      w->step = run->step + s;
      g_step(w);
#if G_TERMS
      if (run->count) g_count(w, run->counted + (uint32_t)s);
#endif
    }
#if G_TERMS
    if (run->count) g_note_terms(w, tile, !end);
#endif
  }
#if G_TERMS
  if (run->count) g_move_counters(w, 0);
#endif
  FF_EACH_LANE for (uint32_t i = 0; i < G_NODES; i++) state[i * 32u + lane] = NODE(i);
}

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(G_WARPS * 32, G_BLOCKS)
    g_kernel(const __grid_constant__ ff_slice_image image, const __grid_constant__ ff_slice_launch run) {
  extern __shared__ __align__(128) uint32_t g_shared[];
  const uint32_t warp = threadIdx.x / 32u, tile = blockIdx.x * G_WARPS + warp;
  if (tile < run.tiles) g_run(&image, &run, tile, g_shared + warp * G_WORDS);
}
#else
void g_host(const ff_slice_image *image, const ff_slice_launch *run, uint32_t tile, uint32_t *memory);
void g_host(const ff_slice_image *image, const ff_slice_launch *run, uint32_t tile, uint32_t *memory) {
  g_run(image, run, tile, memory);
}
#endif

#endif
