/* The step of ff_ssa_factored. Part of ff_ssa_vector16_kernel.h, whose macros it uses. What depends on the type of the cells is
 * in ff_ssa_factored_cells.h. */

/* ---- molecules ---------------------------------------------------------------------------------------------------------- */

/* The entry of a node at which the cumulative sum exceeds *v, which becomes what is left of it. Whole numbers are added, so the
 * order of additions does not matter. */
static inline uint32_t FF_KERNEL(rank_large)(const double *node, double *v) {
  double sum = 0, before = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < FF_FACTOR_FAN; i++) {
    sum += node[i];
    n += sum <= *v;
    before = sum <= *v ? sum : before;
  }
  *v -= before;
  return n;
}

static inline uint32_t FF_KERNEL(rank_small)(const int32_t *node, int32_t *v) {
#if VL == 8
  const __m512i zero = _mm512_setzero_si512();
  __m512i x = _mm512_load_si512((const void *)node);
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
  int32_t sums[FF_FACTOR_FAN + 1];
  sums[0] = 0;
  _mm512_storeu_si512((void *)(sums + 1), x);
  const uint32_t n = (uint32_t)__builtin_ctz(~(uint32_t)_mm512_cmple_epi32_mask(x, _mm512_set1_epi32(*v)));
  *v -= sums[n];
  return n;
#else
  int32_t sum = 0, before = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < FF_FACTOR_FAN; i++) {
    sum += node[i];
    n += sum <= *v;
    before = sum <= *v ? sum : before;
  }
  *v -= before;
  return n;
#endif
}

/* The second molecule of a pool, for the step that happens now. */
static inline double FF_KERNEL(second)(const ff_ssa_factored *f, uint32_t lane, double n) {
  const ff_ssa_vector16 *w = &f->vector;
  const ff_philox_block at = ff_philox_counter(FF_SSA_DRAW_STEP, 1, w->lanes.step[lane] - 1, w->lanes.unit[lane]);
  const ff_philox_block words = ff_philox(at, w->lanes.key);
  const double v = (double)(int64_t)(ff_closed(words.v[0], words.v[1]) * n);
  return v < n ? v : n - 1;
}

#define CELL int32_t
#define FF_CELLS(name) FF_KERNEL(name##_small)
#define ROWS_OF(f) ((f)->rows)
#define CELLS_OF(f) ((f)->small)
#define ROW_LOAD(p) D_LOAD_SMALL(p)
#define CHECKS 0
#include "ff_ssa_factored_cells.h"
#undef CELL
#undef FF_CELLS
#undef ROWS_OF
#undef CELLS_OF
#undef ROW_LOAD
#undef CHECKS

#define CELL double
#define FF_CELLS(name) FF_KERNEL(name##_large)
#define ROWS_OF(f) ((f)->vector.lanes.count)
#define CELLS_OF(f) ((f)->large)
#define ROW_LOAD(p) D_LOAD(p)
#define CHECKS 1
#include "ff_ssa_factored_cells.h"

#include "ff_ssa_dense_kernel.h"
#include "../path/ff_ssa_draws.h"

uint32_t FF_KERNEL(reaction_of)(const ff_ssa_factored *f, uint32_t lane, uint32_t g, double v, double v2) {
  if (f->dense != NULL) return FF_KERNEL(reaction_of_dense)(f, lane, g, v, v2);
  return f->is_large ? FF_KERNEL(reaction_of_large)(f, lane, g, v, v2) : FF_KERNEL(reaction_of_small)(f, lane, g, v, v2);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

uint64_t FF_KERNEL(advance_factored)(ff_lanes *engine, uint32_t *steps) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  ff_ssa_vector16 *w = &f->vector;
  uint64_t bits = FF_KERNEL(report)(w);
  ff_ssa_factored_prepare(f, *steps);
  for (; bits == 0 && *steps > 0; --*steps) {
    if (w->lanes.drawn == FF_SSA_DRAWS) FF_KERNEL(draw_ahead)(&w->lanes, FF_SSA_LANES);
    EACH(h) {
      D_STORE(AT(w->lanes.time, 0, h), D_LOAD(AT(w->lanes.next_time, 0, h)));
      U_STORE(AT(w->lanes.step, 0, h), U_ADD(U_LOAD(AT(w->lanes.step, 0, h)), U_SET(1)));
    }
    if (f->dense != NULL) {
      FF_KERNEL(dense_change)(f);
      FF_KERNEL(dense_look)(f);
    } else {
      if (f->is_large) {
        FF_KERNEL(change_large)(f);
        FF_KERNEL(groups_large)(f);
      } else {
        FF_KERNEL(change_small)(f);
        FF_KERNEL(groups_small)(f);
      }
      FF_KERNEL(sums)(w);
      FF_KERNEL(next_steps)(w, f->share);
    }
    w->lanes.drawn++;
    bits = FF_KERNEL(report)(w);
  }
  ff_ssa_factored_set_counts(f, bits, 0);
  return bits;
}
