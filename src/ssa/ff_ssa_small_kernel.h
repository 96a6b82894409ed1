/* The step of ff_ssa_small. Included after ff_ssa_wide_kernel.h, with its macros, and D_TABLE(table, index): entries of a
 * table. */
#define SMALL_W (FF_SSA_SMALL_LANES / VL)
#define SMALL_AT(array, item, h) ((array) + (size_t)(item) * FF_SSA_SMALL_LANES + (size_t)(h) * VL)

/* Several vectors at a time, so that the processor need not wait for one result after the other. */
#define AT_ONCE (SMALL_W % 4 == 0 ? 4 : 1)

/* As FF_KERNEL(philox)(), for the event with this number after the ones to come. */
static inline __attribute__((always_inline)) void FF_KERNEL(small_words)(U x[AT_ONCE][4], const ff_ssa_small *w, uint32_t draw,
                                                                         int h) {
  const U m0 = U_SET(FF_PHILOX_M0), m1 = U_SET(FF_PHILOX_M1);
#pragma GCC unroll 4
  for (int i = 0; i < AT_ONCE; i++)
    FF_KERNEL(counter)(x[i], U_ADD(U_LOAD(SMALL_AT(w->event, 0, h + i)), U_SET(draw + UINT64_C(1))),
                       U_LOAD(SMALL_AT(w->unit, 0, h + i)));
  for (int round = 0; round < FF_PHILOX_ROUNDS; round++) {
    const U k0 = U_SET(w->key_words[0][round]), k1 = U_SET(w->key_words[1][round]);
#pragma GCC unroll 4
    for (int i = 0; i < AT_ONCE; i++) FF_KERNEL(round)(x[i], m0, m1, k0, k1);
  }
}

/* Makes the draws for the next events. */
static void FF_KERNEL(small_draw)(ff_ssa_small *w) {
  for (uint32_t draw = 0; draw < FF_SSA_SMALL_DRAWS; draw++)
    for (int h = 0; h < SMALL_W; h += AT_ONCE) {
      U x[AT_ONCE][4];
      FF_KERNEL(small_words)(x, w, draw, h);
#pragma GCC unroll 4
      for (int i = 0; i < AT_ONCE; i++) {
        const D open = (FF_KERNEL(whole)(x[i][0], x[i][1]) + D_SET(0.5)) * D_SET(0x1p-53);
        D_STORE(SMALL_AT(w->wait, draw, h + i), FF_KERNEL(minus_log)(open));
        D_STORE(SMALL_AT(w->choice, draw, h + i), FF_KERNEL(whole)(x[i][2], x[i][3]) * D_SET(0x1p-53));
      }
    }
  w->drawn = 0;
}

/* The next reaction is applied to vector h. Returns the lanes with a count that is too large. */
static inline M FF_KERNEL(small_change)(ff_ssa_small *w, U next, int h) {
  M large = M_NONE;
  for (uint32_t i = 0; i < w->n_changed; i++) {
    double *count = SMALL_AT(w->count, w->changed[i], h);
    const D now = D_LOAD(count) + D_TABLE(w->change + (size_t)i * FF_SSA_SMALL_TABLE, next);
    large = M_OR(large, D_LESS(D_SET(FF_SSA_MAX_COUNT), now));
    D_STORE(count, now);
  }
  return large;
}

/* An event of each lane of vector h. Returns a bit for each lane that reports something. */
static inline __attribute__((always_inline)) uint64_t FF_KERNEL(small_event)(ff_ssa_small *w, const uint32_t n, int h) {
  const D time = D_LOAD(SMALL_AT(w->next_time, 0, h)), wanted = D_LOAD(SMALL_AT(w->wanted, 0, h));
  D value[FF_SSA_FAN], sum[FF_SSA_FAN + 1];
  U chosen = U_SET(0);
  M wrong = FF_KERNEL(small_change)(w, U_LOAD(SMALL_AT(w->next, 0, h)), h);
#pragma GCC unroll 8
  for (uint32_t r = 0; r < FF_SSA_FAN; r++) {
    value[r] = D_SET(0.0);
    if (r >= n) continue;
    const D a = D_LOAD(SMALL_AT(w->count, w->a[r], h)), b = D_LOAD(SMALL_AT(w->count, w->b[r], h));
    value[r] = D_SET(w->rate[r]) * (a * (b - D_SET(w->less[r])));
  }
  FF_KERNEL(prefix)(sum, value);
  const D total = sum[FF_SSA_FAN], at = D_LOAD(SMALL_AT(w->choice, w->drawn, h)) * total;
#pragma GCC unroll 8
  for (uint32_t r = 1; r < n; r++) chosen = U_PICK(D_MOST(sum[r], at), U_SET(r), chosen); /* `at` is below the total */
  const M some = D_LESS(D_SET(0.0), total);
  const D next_time = D_PICK(some, time + D_LOAD(SMALL_AT(w->wait, w->drawn, h)) / total, D_SET(INFINITY));
  D_STORE(SMALL_AT(w->time, 0, h), time);
  D_STORE(SMALL_AT(w->next_time, 0, h), next_time);
  U_STORE(SMALL_AT(w->next, 0, h), U_PICK(some, chosen, U_SET(n)));
  U_STORE(SMALL_AT(w->event, 0, h), U_ADD(U_LOAD(SMALL_AT(w->event, 0, h)), U_SET(1)));
  wrong = M_AND(M_OR(wrong, M_NOT(D_LESS(total, D_SET(INFINITY)))), D_LESS(wanted, D_SET(INFINITY)));
  w->base.broken |= (uint64_t)M_BITS(wrong) << (h * VL);
  return (uint64_t)M_BITS(M_OR(wrong, D_LESS(wanted, next_time))) << (h * VL);
}

/* Lanes that have something to report before a step is made must be served first. */
static inline uint64_t FF_KERNEL(small_report)(const ff_ssa_small *w) {
  uint64_t bits = w->base.broken;
  for (int h = 0; h < SMALL_W; h++)
    bits |= (uint64_t)M_BITS(D_LESS(D_LOAD(SMALL_AT(w->wanted, 0, h)), D_LOAD(SMALL_AT(w->next_time, 0, h)))) << (h * VL);
  return bits;
}

static inline __attribute__((always_inline)) uint64_t FF_KERNEL(small_steps)(ff_ssa_small *w, const uint32_t n,
                                                                             uint32_t *steps) {
  uint64_t bits = FF_KERNEL(small_report)(w);
  for (; bits == 0 && *steps > 0; --*steps) {
    if (w->drawn == FF_SSA_SMALL_DRAWS) FF_KERNEL(small_draw)(w);
    for (int h = 0; h < SMALL_W; h++) bits |= FF_KERNEL(small_event)(w, n, h);
    w->drawn++;
  }
  return bits;
}

uint64_t FF_KERNEL(small)(ff_ssa_engine *engine, uint32_t *steps) {
  ff_ssa_small *w = (ff_ssa_small *)engine;
  switch (w->program->n_reactions) {
    case 1: return FF_KERNEL(small_steps)(w, 1, steps);
    case 2: return FF_KERNEL(small_steps)(w, 2, steps);
    case 3: return FF_KERNEL(small_steps)(w, 3, steps);
    case 4: return FF_KERNEL(small_steps)(w, 4, steps);
    case 5: return FF_KERNEL(small_steps)(w, 5, steps);
    case 6: return FF_KERNEL(small_steps)(w, 6, steps);
    case 7: return FF_KERNEL(small_steps)(w, 7, steps);
    default: return FF_KERNEL(small_steps)(w, 8, steps);
  }
}
