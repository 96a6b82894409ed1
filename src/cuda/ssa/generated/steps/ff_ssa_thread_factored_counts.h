/* Counts of the factored method: changes by a reaction, initial counts, and the largest count. A part of
 * ff_ssa_thread_factored.h. */
#ifndef FF_SSA_THREAD_FACTORED_COUNTS_H
#define FF_SSA_THREAD_FACTORED_COUNTS_H

/* The changes by a reaction are a word for each count: where it is, and what is added. 16 bits follow for each member's cells:
 * where those of its part are. Bytes follow: what is added to these cells, with 128 added if there are two to a word; then to
 * totals and counts in registers. */
#if S_STORE > 0 /* the word, bit 8 for its upper half, and 128 + what is added */
#define S_ENTRY_BY(entry) (((entry) & 0xFFu) - 128u)
#define S_ENTRY_SHIFT(entry) ((entry) >> 4 & 16u)
#define S_ENTRY_WORD(entry) (t->store + ((entry) >> 9))
#else           /* 16 bits for the offset, 8 for what is added, 1 that tells whether it is not in rows, 7 for the first bit */
#define S_ENTRY_WORD(entry) ((S_HELD > 0u && ((entry) & 0x80u) != 0u ? t->away : t->rows) + ((entry) >> 16))
#define S_ENTRY_BY(entry) S_SIGNED(entry, 1u)
#define S_ENTRY_SHIFT(entry) (entry)
#endif
#if S_SPLIT
#define S_CELLS_AT(n) (t->rows + (n))
#else
#define S_CELLS_AT(n) (S_BASE + (S_STORE > 0u ? S_CELLS + (n) * S_COLUMNS : (n)))
#endif

/* Adds to a word of t->store. */
#if S_APART && defined(__CUDA_ARCH__)
#define S_ADD(at, by) atomicAdd((at), (by))
#else
#define S_ADD(at, by) (*(at) += (by))
#endif

/* Word k of a part's cells after what byte `at` of a row, or bytes at and at + 1, add to it. */
FF_WARP uint32_t s_add_cells(uint32_t cells, const uint32_t *row, uint32_t at, uint32_t k) {
  const uint32_t byte = at + (k < S_PAIRS ? 2u * k : S_PAIRS + k);
  if (k >= S_PAIRS) return s_add_byte(cells, row[byte / 4u], byte);
  const uint32_t word = row[byte / 4u];
  if (byte % 4u % 2u == 0u) return cells + S_SPREAD(word, byte % 4u * 8u) - 0x00800080u;
  return cells + S_SPREAD(byte % 4u == 1u ? word >> 8 : word >> 24 | row[byte / 4u + 1u] << 8, 0u) - 0x00800080u;
}

/* Adds to the word of a count. On the device, an atomic operation adds, and the thread does not wait for it. */
FF_WARP void s_add_count(s_thread *t, uint32_t entry) {
  const uint32_t by = S_BITS32 ? S_ENTRY_BY(entry) : S_SHIFT(S_ENTRY_BY(entry), S_ENTRY_SHIFT(entry));
#if S_HELD > 0 && defined(__CUDA_ARCH__)
  const uint32_t at = entry >> 16, row = (uint32_t)__cvta_generic_to_shared(t->rows) + 4u * at;
  asm volatile("{\n.reg .pred away;\nsetp.ne.u32 away, %3, 0;\n@away red.global.add.u32 [%0], %2;\n"
               "@!away red.shared.add.u32 [%1], %2;\n}"
               :: "l"(__cvta_generic_to_global(t->away + at)), "r"(row), "r"(by), "r"(entry & 0x80u) : "memory");
#else
  S_ADD(S_ENTRY_WORD(entry), by);
#endif
}

FF_WARP void s_fire(s_thread *t, const s_next *next) {
  const s_four *changes = (const s_four *)(S_DATA + S_CHANGES) + s_reaction(t, next) * (S_CHANGE / 4u);
  uint32_t row[S_FIXED], byte = 4u * S_ENTRIES;
  FF_UNROLL for (uint32_t i = 0; i < S_FIXED / 4u; i++) {
    const s_four four = changes[i];
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) row[4u * i + k] = four.v[k];
  }
  FF_UNROLL for (uint32_t i = 0; i < S_ENTRIES; i++) s_add_count(t, row[i]);
#if S_PARTS > 1
  byte += 2u * S_MOVED;
  FF_UNROLL for (uint32_t i = 0; i < S_MOVED; i++) {
    const uint32_t part = S_HALF(row[S_ENTRIES + i / 2u], i % 2u * 16u);
#if S_APART && !S_SPLIT
    FF_UNROLL for (uint32_t k = 0; k < S_USED; k++) {
      const uint32_t by = s_add_cells(0u, row, byte, k);
      if (S_COLUMNS == 1u || by != 0u) S_ADD(S_CELLS_AT(part) + k, by);
    }
#endif
#if S_REGIONS > 1
    uint32_t *const cells = t->rows + S_ROW_OFFSET(part / S_REGION * S_COLUMNS);
#else
    uint32_t *const cells = S_CELLS_AT(part);
#endif
#if S_APART && !S_SPLIT && S_REGIONS == 1
    (void)cells;
#elif S_QUADS && S_COLUMNS % 4 == 0
    FF_UNROLL for (uint32_t j = 0; j < S_COLUMNS; j += 4u) {
      s_four four = *(const s_four *)(cells + S_CELL_OFFSET(j));
      FF_UNROLL for (uint32_t k = 0; k < 4u; k++)
        if (j + k < S_USED) four.v[k] = s_add_cells(four.v[k], row, byte, j + k);
      *(s_four *)(cells + S_CELL_OFFSET(j)) = four;
    }
#else
    FF_UNROLL for (uint32_t k = 0; k < S_USED; k++) {
      uint32_t *const cell = cells + S_CELL_OFFSET(k);
      *cell = s_add_cells(*cell, row, byte, k);
    }
#endif
    byte += S_CELL_BYTES;
  }
#endif
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) t->x[i] = s_add_byte(t->x[i], row[(byte + i) / 4u], byte + i);
#if S_MANY
  s_update(t, row, (const uint32_t *)changes + S_MORE);
#endif
}

#if S_POINTS
#define S_INITIAL_OF(t) ((t)->point + S_POINT_INITIAL)
#else
#define S_INITIAL_OF(t) (S_DATA + S_INITIAL)
#endif

FF_WARP void s_begin(s_thread *t) {
  const uint32_t *initial = S_INITIAL_OF(t);
  const uint32_t first = S_APART ? S_STORE : 0u; /* s_fill() does what comes before */
  FF_NO_UNROLL for (uint32_t i = first; i < S_WORDS_ALL + S_LEAF_WORDS; i++) S_ANY_WORD(i) = initial[i];
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) t->x[i] = initial[S_WORDS_ALL + S_LEAF_WORDS + i];
#if S_MANY
  s_sum_all(t);
#endif
#if S_APART
  t->safe = S_SAFE;
#endif
}

#if S_APART
/* Sets the counts of trajectories that begin: all threads of the warp set those of one after the other. */
FF_WARP void s_fill(s_thread *t) {
  const uint32_t *initial = S_INITIAL_OF(t);
  uint32_t *to = t->store;
#if defined(__CUDA_ARCH__)
  uint32_t who = __ballot_sync(0xFFFFFFFFu, t->begins != 0u);
  FF_NO_UNROLL for (; who != 0u; who &= who - 1u) {
    const int lane = __ffs((int)who) - 1;
    to = (uint32_t *)__shfl_sync(0xFFFFFFFFu, (unsigned long long)t->store, lane);
#if S_POINTS
    initial = (const uint32_t *)__shfl_sync(0xFFFFFFFFu, (unsigned long long)(t->point + S_POINT_INITIAL), lane);
    for (uint32_t i = threadIdx.x % 32u; i < S_STORE; i += 32u) to[i] = initial[i];
#else
    for (uint32_t i = threadIdx.x % 32u; i < S_STORE / 4u; i += 32u) ((s_four *)to)[i] = ((const s_four *)initial)[i];
#endif
  }
  __syncwarp();
#else
  for (uint32_t i = 0; t->begins != 0u && i < S_STORE; i++) to[i] = initial[i];
#endif
  t->begins = 0u;
}

/* Steps in which no number can become too large, from the largest numbers. */
FF_WARP uint32_t s_safe(uint32_t most, uint32_t most16) {
  uint32_t safe = S_STEPS - S_CHUNK;
  if (most > S_LARGEST || most16 > 0xFFFFu) return 0u;
  if ((S_LARGEST - most) / S_MOST < safe) safe = (S_LARGEST - most) / S_MOST;
  return (0xFFFFu - most16) / S_STEP16 < safe ? (0xFFFFu - most16) / S_STEP16 : safe;
}

/* The same, from the counts and cells. */
FF_WARP uint32_t s_look(const s_thread *t) {
  uint32_t most = 0u, most16 = 0u;
  S_UNROLL_8 for (uint32_t i = 0; i < S_WORDS_ALL; i++) {
    const uint32_t w = S_ANY_WORD(i), column = (i < S_STORE ? i - S_CELLS : i - S_STORE) % (S_COLUMNS > 0u ? S_COLUMNS : 1u);
    const uint32_t low = w & 0xFFFFu, high = w >> 16, pair = low > high ? low : high;
    const int whole = i < S_CELLS ? S_BITS32 : column >= S_PAIRS;
    most = whole && w > most ? w : most;
    most16 = !whole && pair > most16 ? pair : most16;
  }
  return s_safe(most, most16);
}

/* The largest total or count in a register. */
FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u;
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) most = t->x[i] > most ? t->x[i] : most;
  return most;
}
#else
/* The largest of both halves of two words. */
FF_WARP uint32_t s_largest_halves(uint32_t a, uint32_t b) {
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  return __vmaxu2(a, b);
#else
  const uint32_t low = (a & 0xFFFFu) > (b & 0xFFFFu) ? a & 0xFFFFu : b & 0xFFFFu;
  return low | (a >> 16 > b >> 16 ? a >> 16 : b >> 16) << 16;
#endif
}

/* The largest halves of words of counts, which are four by four. */
FF_WARP uint32_t s_most_four(const uint32_t *counts, uint32_t words, uint32_t halves) {
  FF_NO_UNROLL for (uint32_t i = 0; i < words; i += 4u) {
    const s_four four = *(const s_four *)(counts + S_ROW_OFFSET(i));
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) halves = s_largest_halves(halves, four.v[k]);
  }
  return halves;
}

FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u, halves = 0u, first = 0u;
#if S_QUADS && !S_BITS32 && S_STORE == 0 && S_CELLS % 4 == 0
  first = S_CELLS;
  halves = s_most_four(t->rows, S_HELD > 0u ? 4u * S_HELD : S_CELLS, halves);
#if S_HELD > 0
  halves = s_most_four(t->away, S_CELLS - 4u * S_HELD, halves);
#endif
#endif
  FF_NO_UNROLL for (uint32_t i = first; i < S_WORDS_ALL; i++) {
    const uint32_t w = S_ANY_WORD(i);
    if (i < S_CELLS ? S_BITS32 : (i - S_CELLS) % (S_COLUMNS > 0u ? S_COLUMNS : 1u) >= S_PAIRS)
      most = w > most ? w : most;
    else
      halves = s_largest_halves(halves, w);
  }
  const uint32_t most16 = halves >> 16 > (halves & 0xFFFFu) ? halves >> 16 : halves & 0xFFFFu;
  FF_UNROLL for (uint32_t i = 0; i < S_TOTALS + S_LOOSE; i++) most = t->x[i] > most ? t->x[i] : most;
#if S_MANY
  const uint32_t leaf = s_most_leaf(t);
  most = leaf > most ? leaf : most;
#endif
  return most16 > S_MOST16 ? 0xFFFFFFFFu : most;
}
#endif

#endif
