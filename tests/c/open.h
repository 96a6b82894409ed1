/* Changes programs so that the first bits of some random numbers equal those of the bounds with which they are compared. Then
 * further bits decide the comparison, which otherwise happens once in 2^32 draws. A bound gets the bits that are drawn at a
 * given step. Its last bits are chosen so that the number is below the bound (`below`) or not. */
#ifndef FF_TESTS_OPEN_H
#define FF_TESTS_OPEN_H

#include "../../src/pbn/ff_pbn_program.h"

typedef struct {
  uint64_t key, unit, step; /* unit: number of the tile; in a packed program, of the trajectory */
} open_at;

static inline uint32_t open_word(const open_at *at, uint32_t purpose, uint32_t word) {
  return ff_philox(ff_philox_counter(purpose, word / 4, at->step, at->unit), at->key).v[word % 4];
}

/* Changes the threshold of the column that the step's first draw hits. Returns the column. */
static inline uint32_t open_hits(ff_pbn_program *p, const open_at *at, int below) {
  uint32_t column = (uint32_t)(((uint64_t)open_word(at, FF_DRAW_FLIPS, 0) * p->hits.size) >> 32);
  uint32_t further = open_word(at, FF_DRAW_FLIPS_FURTHER, 0);
  if (below && further < UINT32_MAX) further++;
  p->hits.threshold[column] = (uint64_t)open_word(at, FF_DRAW_FLIPS, 1) << 32 | further;
  return column;
}

/* A trajectory's number in a choice of a sliced program, without its last 24 bits. */
static inline uint64_t open_number(const ff_slice_select *select, uint32_t lane, const open_at *at) {
  uint64_t number = 0;
  for (uint32_t r = select->row; r < select->row + FF_SELECT_ROWS; r++)
    number = number << 1 | (open_word(at, FF_DRAW_SELECT, (r / 4 * 32 + lane / 32) * 4 + r % 4) >> (lane % 32) & 1);
  return (number << 32 | open_word(at, FF_DRAW_REMAINDER, select->number * FF_TILE + lane)) << 24;
}

/* Changes a cut of the choice. Does nothing if the first bits always decide. */
static inline void open_select(ff_pbn_program *p, uint32_t which, uint32_t lane, const open_at *at, int below) {
  ff_slice_select *select = &p->slice.selects[which];
  if (select->exact) return;
  uint64_t number = open_number(select, lane, at), *cut = p->slice.cuts + select->cut;
  uint32_t further = open_word(at, FF_DRAW_SELECT_FURTHER, select->number * FF_TILE + lane) >> 8, j = 0;
  while (j + 1 < select->n_cuts && cut[j + 1] <= number) j++;
  cut[j] = number | (further + (below && further < (1u << 24) - 1));
}

static inline uint32_t open_choice_word(const ff_pbn_program *p, const open_at *at, uint32_t number) {
  return p->update == FF_ASYNCHRONOUS ? open_word(at, FF_DRAW_FLIPS, 3) : open_word(at, FF_DRAW_SELECT, number);
}

/* Changes a bound of choice `number` of a packed program, of functions first ... last or of contexts. */
static inline void open_choice(ff_pbn_program *p, uint32_t number, uint32_t *cut, uint32_t *low, uint32_t n, const open_at *at,
                               int below) {
  uint32_t word = open_choice_word(p, at, number), further = open_word(at, FF_DRAW_SELECT_FURTHER, number * 4), j = 0;
  while (j + 2 < n && cut[j + 1] <= word) j++;
  cut[j] = word;
  low[j] = further + (below && further < UINT32_MAX);
}

/* Changes the bounds of everything that a step draws: for trajectories 3, 10, 17, ... of a tile, or for one of a packed
 * program. */
static inline void leave_open(ff_pbn_program *p, uint64_t key, uint64_t unit, uint64_t step) {
  open_at at = {key, unit, step};
  ff_packed *q = &p->packed;
  if (p->layout == FF_LAYOUT_PACKED) at.unit = unit * FF_TILE + step;
  if (p->hits.size > 0) open_hits(p, &at, (int)(step % 2));
  for (uint32_t i = 0; i < p->slice.n_selects; i++) open_select(p, i, (7 * i + 3) % FF_TILE, &at, (int)(i % 2));
  if (q->n_contexts > 1) open_choice(p, 0, q->context_cut, q->context_further, q->n_contexts, &at, (int)(step % 2));
  for (uint32_t place = 0, number = 0; p->layout == FF_LAYOUT_PACKED && place < p->n_nodes; place++) {
    uint32_t first = q->first[place], n = q->first[place + 1] - first;
    if (n < 2) continue;
    open_choice(p, p->update == FF_ASYNCHRONOUS ? 0 : number, q->cut + first, q->cut_further + first, n, &at, (int)(place % 2));
    number++;
  }
}

#endif
