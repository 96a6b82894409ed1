/* The step of ff_ssa_vector32. Included after ff_ssa_vector16_kernel.h, with its macros, and D_TABLE(table, index): entries of a
 * table, of the first 16 or with D_LONG_TABLE() of 32. */

#include "ff_ssa_vector32.h"
#define SMALL_W (FF_SSA_VECTOR32_LANES / VL)
#define SMALL_AT(array, item, h) ((array) + (size_t)(item) * FF_SSA_VECTOR32_LANES + (size_t)(h) * VL)

/* Numbers whose lower words are 0, from a table of upper words, the last of which is 0. For vectors of 256 bits. */
#define FROM_WORDS(t, i) D_OF(I_TABLE8(t, U_OR(U_LEFT(i, 32), U_SET(FF_SSA_FAN - 1))))

/* The next reaction is applied to vector h. Returns the lanes with a count that is too large. */
FF_INLINED M FF_KERNEL(small_change)(ff_ssa_vector32 *w, const uint32_t groups, const uint32_t n, U next, int h) {
  const int by_words = VL == 4 && n < FF_SSA_FAN && w->high != NULL;
  D most = D_SET(0.0);
  for (uint32_t i = 0; i < w->n_changed; i++) {
    double *count = SMALL_AT(w->lanes.count, w->changed[i], h);
    const double *table = w->change + (size_t)i * FF_SSA_VECTOR32_TABLE;
    const D now = D_LOAD(count) + (by_words      ? FROM_WORDS(w->high + (size_t)i * FF_SSA_FAN, next)
                                   : groups == 1 ? D_TABLE(table, next)
                                                 : D_LONG_TABLE(table, next));
    most = D_GREATEST(most, now);
    D_STORE(count, now);
  }
  return D_LESS(D_SET(FF_SSA_MAX_COUNT), most);
}

/* The propensities of n reactions from `first` on, and zeros. */
FF_INLINED void FF_KERNEL(small_values)(D value[FF_SSA_FAN], const ff_ssa_vector32 *w, uint32_t first, const uint32_t n, int h) {
#pragma GCC unroll 8
  for (uint32_t r = 0; r < FF_SSA_FAN; r++) {
    value[r] = D_SET(0.0);
    const uint32_t at = first + r;
    if (r >= n || at >= w->lanes.program->n_reactions) continue;
    const D a = D_LOAD(SMALL_AT(w->lanes.count, w->a[at], h)), rate = D_SET(w->rate[at]);
    if (w->b[at] == w->lanes.program->n_species)
      value[r] = rate * a;
    else
      value[r] = rate * (a * (D_LOAD(SMALL_AT(w->lanes.count, w->b[at], h)) - D_SET(w->less[at])));
  }
}

/* Chooses among n children by their prefix sums, as ff_ssa_tree_find(). *before becomes the sum of those before the chosen. */
FF_INLINED U FF_KERNEL(small_choose)(const D sum[FF_SSA_FAN + 1], const uint32_t n, D at, D *before) {
  const D below = FF_KERNEL(below)(at, sum[FF_SSA_FAN]);
  U chosen = U_SET(0);
  *before = D_SET(0.0);
#pragma GCC unroll 8
  for (uint32_t i = 1; i < n; i++) {
    const M passed = D_MOST(sum[i], below);
    chosen = U_COUNT(passed, chosen);
    *before = D_RAISE(passed, sum[i], *before);
  }
  return chosen;
}

/* The reaction at which the cumulative sum exceeds `choice` times the total, which is returned too. */
FF_INLINED U FF_KERNEL(small_find)(const ff_ssa_vector32 *w, const uint32_t groups, const uint32_t n, int h, D choice, D *total) {
  D value[FF_SSA_VECTOR32_GROUPS][FF_SSA_FAN], group[FF_SSA_FAN], sum[FF_SSA_FAN + 1], before;
#pragma GCC unroll 8
  for (uint32_t g = 0; g < FF_SSA_FAN; g++) {
    group[g] = D_SET(0.0);
    if (g >= groups) continue;
    FF_KERNEL(small_values)(value[g], w, g * FF_SSA_FAN, n, h);
    FF_KERNEL(prefix)(sum, value[g]);
    group[g] = sum[FF_SSA_FAN];
  }
  *total = sum[FF_SSA_FAN];
  if (groups == 1) return FF_KERNEL(small_choose)(sum, n, choice * *total, &before);
  FF_KERNEL(prefix)(sum, group);
  *total = sum[FF_SSA_FAN];
  const D at = choice * *total;
  const U above = FF_KERNEL(small_choose)(sum, groups, at, &before);
  D child[FF_SSA_FAN], rest = at - before;
#pragma GCC unroll 8
  for (uint32_t i = 0; i < FF_SSA_FAN; i++) {
    child[i] = value[0][i];
#pragma GCC unroll 4
    for (uint32_t g = 1; g < groups; g++) child[i] = D_PICK(U_EQUAL(above, U_SET(g)), value[g][i], child[i]);
  }
  FF_KERNEL(prefix)(sum, child);
  return U_ADD(U_LEFT(above, 3), FF_KERNEL(small_choose)(sum, FF_SSA_FAN, rest, &before));
}

/* A step of each lane of vector h. Returns a bit for each lane that reports something. */
FF_INLINED uint64_t FF_KERNEL(vector32_step)(ff_ssa_vector32 *w, const uint32_t groups, const uint32_t n, int h) {
  const D time = D_LOAD(SMALL_AT(w->lanes.next_time, 0, h)), wanted = D_LOAD(SMALL_AT(w->lanes.wanted, 0, h));
  D total;
  M wrong = FF_KERNEL(small_change)(w, groups, n, U_LOAD(SMALL_AT(w->lanes.next, 0, h)), h);
  const U found = FF_KERNEL(small_find)(w, groups, n, h, D_LOAD(SMALL_AT(w->lanes.choice, w->lanes.drawn, h)), &total);
  const M some = D_LESS(D_SET(0.0), total);
  const D next_time = D_PICK(some, time + D_LOAD(SMALL_AT(w->lanes.wait, w->lanes.drawn, h)) / total, D_SET(INFINITY));
  D_STORE(SMALL_AT(w->lanes.time, 0, h), time);
  D_STORE(SMALL_AT(w->lanes.next_time, 0, h), next_time);
  U_STORE(SMALL_AT(w->lanes.next, 0, h), U_PICK(some, found, U_SET(w->lanes.program->n_reactions)));
  U_STORE(SMALL_AT(w->lanes.step, 0, h), U_ADD(U_LOAD(SMALL_AT(w->lanes.step, 0, h)), U_SET(1)));
  wrong = M_AND(M_OR(wrong, M_NOT(D_LESS(total, D_SET(INFINITY)))), D_LESS(wanted, D_SET(INFINITY)));
  w->lanes.base.broken |= (uint64_t)M_BITS(wrong) << (h * VL);
  return (uint64_t)M_BITS(M_OR(wrong, D_LESS(wanted, next_time))) << (h * VL);
}

/* Lanes that have something to report before a step is made must be served first. */
static inline uint64_t FF_KERNEL(small_report)(const ff_ssa_vector32 *w) {
  uint64_t bits = w->lanes.base.broken;
  for (int h = 0; h < SMALL_W; h++) {
    const D wanted = D_LOAD(SMALL_AT(w->lanes.wanted, 0, h)), next_time = D_LOAD(SMALL_AT(w->lanes.next_time, 0, h));
    bits |= (uint64_t)M_BITS(D_LESS(wanted, next_time)) << (h * VL);
  }
  return bits;
}

FF_INLINED uint64_t FF_KERNEL(small_steps)(ff_ssa_vector32 *w, const uint32_t groups, const uint32_t n, uint32_t *steps) {
  uint64_t bits = FF_KERNEL(small_report)(w);
  for (; bits == 0 && *steps > 0; --*steps) {
    if (w->lanes.drawn == FF_SSA_DRAWS) FF_KERNEL(draw_ahead)(&w->lanes, FF_SSA_VECTOR32_LANES);
    for (int h = 0; h < SMALL_W; h++) bits |= FF_KERNEL(vector32_step)(w, groups, n, h);
    w->lanes.drawn++;
  }
  return bits;
}

/* Code for each number of reactions up to 8, and then for each number of groups. */
uint64_t FF_KERNEL(vector32)(ff_lanes *engine, uint32_t *steps) {
  ff_ssa_vector32 *w = (ff_ssa_vector32 *)engine;
  const uint32_t n = w->lanes.program->n_reactions;
  switch (n) {
    case 1: return FF_KERNEL(small_steps)(w, 1, 1, steps);
    case 2: return FF_KERNEL(small_steps)(w, 1, 2, steps);
    case 3: return FF_KERNEL(small_steps)(w, 1, 3, steps);
    case 4: return FF_KERNEL(small_steps)(w, 1, 4, steps);
    case 5: return FF_KERNEL(small_steps)(w, 1, 5, steps);
    case 6: return FF_KERNEL(small_steps)(w, 1, 6, steps);
    case 7: return FF_KERNEL(small_steps)(w, 1, 7, steps);
    case 8: return FF_KERNEL(small_steps)(w, 1, 8, steps);
  }
  if (n <= 2 * FF_SSA_FAN) return FF_KERNEL(small_steps)(w, 2, FF_SSA_FAN, steps);
  if (n <= 3 * FF_SSA_FAN) return FF_KERNEL(small_steps)(w, 3, FF_SSA_FAN, steps);
  return FF_KERNEL(small_steps)(w, 4, FF_SSA_FAN, steps);
}
