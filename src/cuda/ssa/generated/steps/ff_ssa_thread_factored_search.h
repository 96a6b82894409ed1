/* The search for the molecule that reacts, from the choice of a group to the reaction. A part of ff_ssa_thread_factored.h. */
#ifndef FF_SSA_THREAD_FACTORED_SEARCH_H
#define FF_SSA_THREAD_FACTORED_SEARCH_H

/* The number of the head's members before molecule v, S_HEAD if it is in none. *base becomes the sum of these. */
FF_WARP uint32_t s_head(const s_thread *t, uint32_t group, uint32_t v, uint32_t *base, uint32_t *x) {
  uint32_t found = 0u, before = 0u;
#if S_HEAD > 0
  const s_two w = ((const s_two *)(t->table + S_HEADS))[group];
  const uint32_t *counts = t->x + (S_TOTALS + S_LOOSE - S_HEAD);
  uint32_t sum = 0u;
  *x = counts[0];
  FF_UNROLL for (uint32_t i = 0; i < S_HEAD; i++) {
    sum += counts[i] * S_BYTE(w.v[i / 4u], i % 4u);
    found = v >= sum ? i + 1u : found;
    before = v >= sum ? sum : before;
    if (i + 1u < S_HEAD) *x = v >= sum ? counts[i + 1u] : *x;
  }
#endif
  (void)t;
  (void)group;
  (void)v;
  (void)x;
  *base = before;
  return found;
}

#if S_REGIONS > 1
/* The one of n cells, a multiple of 4, in which their prefix sum exceeds v, if each fourth of them is one load; the last one if
 * none does. Cells that `mask` excludes are 0. *base is the sum before all, and becomes that of those before. */
FF_WARP uint32_t s_quads(const uint32_t *cells, uint32_t stride, uint32_t n, uint32_t mask, uint32_t v, uint32_t *base) {
  uint32_t quad = 0u, sum = *base;
  s_four found = *(const s_four *)cells;
  int over = 0;
  FF_UNROLL for (uint32_t k = 0; k < n / 4u; k++) {
    const s_four four = *(const s_four *)(cells + k * stride);
    FF_UNROLL for (uint32_t i = 0; i < 3u; i++) found.v[i] = over ? four.v[i] : found.v[i];
    if (k + 1u == n / 4u) break;
    sum += (four.v[0] + four.v[1] + four.v[2] + four.v[3]) & mask;
    over = v >= sum;
    quad = over ? k + 1u : quad;
    *base = over ? sum : *base;
  }
  const uint32_t one = *base + (found.v[0] & mask), two = one + (found.v[1] & mask), three = two + (found.v[2] & mask);
  *base = v >= three ? three : v >= two ? two : v >= one ? one : *base;
  return 4u * quad + (v >= one) + (v >= two) + (v >= three);
}

/* The same, cell by cell. `rows` tells whether cells are in rows. */
FF_WARP uint32_t s_cells(const uint32_t *cells, int rows, uint32_t n, uint32_t bytes, uint32_t v, uint32_t *base) {
  uint32_t found = 0u, sum = *base;
  FF_UNROLL for (uint32_t k = 0; k + 1u < n; k++) {
    sum += S_PICK(cells[rows ? S_ROW_OFFSET(k * S_COLUMNS) : k * S_COLUMNS], bytes);
    found = v >= sum ? k + 1u : found;
    *base = v >= sum ? sum : *base;
  }
  return found;
}

/* The part in which the prefix sum of cells exceeds v: first the region, then the part in it. */
FF_WARP uint32_t s_part(const s_thread *t, const s_group *g, uint32_t v, uint32_t *base) {
  const uint32_t column = g->more >> 16 & 0xFFu, bytes = g->first >> 16;
#if S_COLUMNS == 1 && S_PAIRS == 0
  const uint32_t mask = bytes == S_NOWHERE ? 0u : 0xFFFFFFFFu;
  const uint32_t region = s_quads(t->rows, 4u * S_THREADS, S_REGIONS, mask, v, base);
  const uint32_t *cells = t->store + S_CELLS + region * S_REGION;
  (void)column;
  return region * S_REGION + s_quads(cells, 4u, S_REGION, mask, v, base);
#else
  const uint32_t *regions = t->rows + (S_COLUMNS <= 4u ? column : S_ROW_OFFSET(column));
  const uint32_t region = s_cells(regions, 1, S_REGIONS, bytes, v, base);
  const uint32_t *cells = t->store + S_CELLS + region * (S_REGION * S_COLUMNS) + column;
  return region * S_REGION + s_cells(cells, 0, S_REGION, bytes, v, base);
#endif
}
#else
/* The part in which the prefix sum of cells exceeds v. *base is the sum before all parts, and becomes that of those before. */
FF_WARP uint32_t s_part(const s_thread *t, const s_group *g, uint32_t v, uint32_t *base) {
  uint32_t part = 0u;
#if S_PARTS > 1
  const uint32_t column = g->more >> 16 & 0xFFu, bytes = g->first >> 16;
  const uint32_t *cells = S_CELL_BASE + (S_QUADS && S_COLUMNS <= 4u ? column : S_CELL_OFFSET(column));
  uint32_t sum = *base;
  FF_UNROLL for (uint32_t k = 0; k < S_PARTS - 1u; k++) {
    sum += S_PICK(cells[S_CELL_OFFSET(k * S_COLUMNS)], bytes);
    part = v >= sum ? k + 1u : part;
    *base = v >= sum ? sum : *base;
  }
#endif
  (void)t;
  (void)g;
  (void)v;
  return part;
}
#endif

#if S_HELD > 0
FF_WARP const uint32_t *s_held(const s_thread *t, uint32_t chunk) {
  const int away = chunk >= S_HELD;
  return (away ? t->away : t->rows) + (away ? chunk - S_HELD : chunk) * S_STRIDE;
}
#endif

/* Where the counts of a chunk are. */
FF_WARP const uint32_t *s_chunk_at(const s_thread *t, const s_group *g, uint32_t chunk) {
#if S_HELD > 0
  return s_held(t, (g->first + chunk) & 0xFFFFu);
#elif S_ONES
  (void)g;
  return S_BASE + chunk * S_STRIDE;
#elif S_QUADS
  return S_BASE + ((g->first + chunk) & 0xFFFFu) * S_STRIDE;
#else
  return S_BASE + S_OFFSET((g->first + chunk * S_CHUNK_WORDS) & 0xFFFFu);
#endif
}

FF_WARP void s_counts(const uint32_t *chunk, uint32_t x[S_CHUNK_WORDS]) {
#if S_QUADS
  FF_UNROLL for (uint32_t i = 0; i < S_CHUNK_WORDS / 4u; i++) {
    const s_four four = *(const s_four *)(chunk + S_OFFSET(4u * i));
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) x[4u * i + k] = four.v[k];
  }
#else
  FF_UNROLL for (uint32_t i = 0; i < S_CHUNK_WORDS; i++) x[i] = chunk[S_OFFSET(i)];
#endif
}

#if S_APART
/* Its weights. */
FF_WARP s_two s_weights(const s_thread *t, const s_group *g, uint32_t chunk) {
#if S_ONES
  const uint32_t ones = g->first >> 16 == S_NOWHERE ? 0u : 0x01010101u;
  const s_two out = {{ones, ones}};
  (void)t;
  (void)chunk;
  return out;
#else
  return *S_WEIGHTS_OF(g->weights + chunk);
#endif
}

/* The sum of a chunk. */
FF_WARP uint32_t s_weigh(const uint32_t x[S_CHUNK_WORDS], const s_two *w) {
#if S_BITS32
  uint32_t sum = 0u;
  FF_UNROLL for (uint32_t i = 0; i < 8u; i++) sum += x[i] * S_BYTE(w->v[i / 4u], i % 4u);
  return sum;
#else
  return s_dp2_high(x[3], w->v[1], s_dp2_low(x[2], w->v[1], s_dp2_high(x[1], w->v[0], s_dp2_low(x[0], w->v[0], 0u))));
#endif
}

/* The chunk of a part in which the prefix sum exceeds v, its counts and its weights. They are not loaded again. */
FF_WARP uint32_t s_chunk(const s_thread *t, const s_group *g, uint32_t part, uint32_t v, uint32_t *base,
                         uint32_t x[S_CHUNK_WORDS], s_two *w) {
  const uint32_t first = part * S_CHUNKS, *counts = s_chunk_at(t, g, first);
  uint32_t chunk = first, sum = *base;
  int over = 1;
  FF_UNROLL for (uint32_t k = 0; k < S_CHUNKS; k++) {
    uint32_t here[S_CHUNK_WORDS];
    const s_two weights = s_weights(t, g, first + k);
    s_counts(counts + k * S_STRIDE, here);
    FF_UNROLL for (uint32_t i = 0; i < S_CHUNK_WORDS; i++) x[i] = over ? here[i] : x[i];
    FF_UNROLL for (uint32_t i = 0; i < 2u; i++) w->v[i] = over ? weights.v[i] : w->v[i];
    if (k + 1u == S_CHUNKS) break;
    sum += s_weigh(here, &weights);
    over = v >= sum;
    chunk = over ? first + k + 1u : chunk;
    *base = over ? sum : *base;
  }
  return chunk;
}
#else
/* The chunk of a part in which the prefix sum exceeds v. */
FF_WARP uint32_t s_chunk(const s_thread *t, const s_group *g, uint32_t part, uint32_t v, uint32_t *base) {
  uint32_t chunk = part * S_CHUNKS;
#if S_CHUNKS > 1
  uint32_t sum = *base;
  const uint32_t first = chunk, *counts = s_chunk_at(t, g, first), *others = counts;
#if S_HELD > 0
  if (g->first >> 16 == S_NOWHERE) others = t->rows; /* the other counts weigh nothing in a small sum */
#endif
  const s_two *weights = S_WEIGHTS_OF(g->weights + first);
  FF_UNROLL for (uint32_t k = 0; k < S_CHUNKS - 1u; k++) {
    uint32_t x[S_CHUNK_WORDS];
    const s_two w = weights[k];
    s_counts((k == 0u ? counts : others) + k * S_STRIDE, x);
#if S_BITS32
    FF_UNROLL for (uint32_t i = 0; i < 8u; i++) sum += x[i] * S_BYTE(w.v[i / 4u], i % 4u);
#else
    const uint32_t half = s_dp2_high(x[1], w.v[0], s_dp2_low(x[0], w.v[0], S_CHUNKS > 2u ? 0u : sum));
    const uint32_t whole = s_dp2_high(x[3], w.v[1], s_dp2_low(x[2], w.v[1], half));
    sum = S_CHUNKS > 2u ? sum + whole : whole; /* with more chunks, their sums do not wait for each other */
#endif
    chunk = v >= sum ? first + k + 1u : chunk;
    *base = v >= sum ? sum : *base;
  }
#endif
  (void)t;
  (void)g;
  (void)v;
  (void)base;
  return chunk;
}
#endif

/* Member `at` or the next one, which have x0 and x1 molecules; their weights are the lowest bytes. */
FF_WARP s_place s_one_of_two(uint32_t at, uint32_t x0, uint32_t x1, uint32_t weights, uint32_t base, uint32_t v) {
  const uint32_t sum = base + x0 * (weights & 0xFFu);
  const int over = v >= sum;
  const s_place out = {at + (over ? 1u : 0u), over ? x1 : x0, v - (over ? sum : base)};
  return out;
}

/* The member of a chunk with these counts and weights to which molecule v belongs; `base` is the sum of those before. */
FF_WARP s_place s_member(uint32_t chunk, uint32_t x[S_CHUNK_WORDS], const s_two *w, uint32_t base, uint32_t v) {
#if S_BITS32
  uint32_t sum = base;
  FF_UNROLL for (uint32_t i = 0; i < 4u; i++) sum += x[i] * S_BYTE(w->v[0], i);
  const int q4 = v >= sum;
  const uint32_t weights = q4 ? w->v[1] : w->v[0];
  FF_UNROLL for (uint32_t i = 0; i < 4u; i++) x[i] = q4 ? x[i + 4u] : x[i];
  base = q4 ? sum : base;
  sum = base + x[0] * S_BYTE(weights, 0u) + x[1] * S_BYTE(weights, 1u);
  const int q2 = v >= sum;
  const uint32_t x0 = q2 ? x[2] : x[0], x1 = q2 ? x[3] : x[1];
#else
  uint32_t sum = s_dp2_high(x[1], w->v[0], s_dp2_low(x[0], w->v[0], base));
  const int q4 = v >= sum;
  const uint32_t weights = q4 ? w->v[1] : w->v[0], a = q4 ? x[2] : x[0], b = q4 ? x[3] : x[1];
  base = q4 ? sum : base;
  sum = s_dp2_low(a, weights, base);
  const int q2 = v >= sum;
  const uint32_t pair = q2 ? b : a, x0 = pair & 0xFFFFu, x1 = pair >> 16;
#endif
  return s_one_of_two(chunk * 8u + (q4 ? 4u : 0u) + (q2 ? 2u : 0u), x0, x1, q2 ? weights >> 16 : weights, q2 ? sum : base, v);
}

/* The member to which molecule v of a group's sum belongs. */
FF_WARP s_place s_search(const s_thread *t, const s_group *g, uint32_t group, uint32_t v) {
  uint32_t base, x[S_CHUNK_WORDS], head_x = 0u;
#if S_ONES
  FF_UNROLL for (uint32_t i = 0; i + 1u < S_TOTALS; i++) v += i < g->weights ? S_TOTAL(i) : 0u;
#endif
  const uint32_t head = s_head(t, group, v, &base, &head_x);
  const uint32_t head_base = base, some = s_part(t, g, v, &base);
  /* If a member of the head is found, it does not matter which part is searched, so it is one in rows. */
  const uint32_t part = S_HELD > 0u && head < S_HEAD && g->first >> 16 != S_NOWHERE ? 0u : some;
#if S_APART
  s_two w;
  const uint32_t chunk = s_chunk(t, g, part, v, &base, x, &w);
#else
  const uint32_t chunk = s_chunk(t, g, part, v, &base);
  const s_two w = *S_WEIGHTS_OF(g->weights + chunk);
  s_counts(s_chunk_at(t, g, chunk), x);
#endif
  s_place out = s_member(chunk, x, &w, base, v);
#if S_HEAD > 0
  const int in_head = head < S_HEAD;
  out.at = in_head ? S_SPAN - 8u + head : out.at;
  out.x = in_head ? head_x : out.x;
  out.left = in_head ? v - head_base : out.left;
#endif
  (void)head;
  (void)head_base;
  return out;
}

FF_WARP uint32_t s_map(const s_thread *t, uint32_t at) {
  if (S_MAPPED) return at;
  return ((const unsigned short *)(S_DATA + S_MAPS))[at];
}

/* The quotient of numbers if it is at most 255 and the divisor is not 0. */
FF_WARP uint32_t s_quotient(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  float inverse; /* errors are far below 1 / 255, so that the quotient is wrong by 1 at most */
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(__uint2float_rn(b)));
  const uint32_t about = __float2uint_rz(__uint2float_rn(a) * inverse);
  const int32_t rest = (int32_t)(a - about * b);
  return rest < 0 ? about - 1u : (uint32_t)rest >= b ? about + 1u : about;
#else
  return a / (b > 1u ? b : 1u);
#endif
}

FF_WARP uint32_t s_range(uint32_t left, uint32_t x, uint32_t ranges) {
  if (S_RANGES == 1u) return 0u;
  uint32_t unit = 0u;
  if (S_RANGES <= 5u) {
    FF_UNROLL for (uint32_t k = 1; k < S_RANGES; k++) unit += left >= k * x;
  } else if (S_RANGES <= 16u) {
    FF_UNROLL for (uint32_t k = 8; k > 0u; k /= 2u) {
      const int over = left >= k * x;
      unit += over ? k : 0u;
      left -= over ? k * x : 0u;
    }
  } else {
    unit = s_quotient(left, x);
  }
  return unit < ranges ? unit : ranges - 1u;
}

/* The reaction that a group and a molecule of its sum determine, or the entry of the map if S_MAPPED. The two molecules of a pool
 * take two steps, so that lanes of other groups need not wait: the first step stores the first member and the step, and the
 * second step draws the other molecule among those that are left. */
FF_WARP uint32_t s_reaction(s_thread *t, const s_next *next) {
  const s_group g = ((const s_group *)t->table)[next->reaction];
  const int second = S_POOLS && t->member != S_NONE;
  const uint32_t n = second ? next->n - 1u : next->n, ranges = g.more & 0xFFFFu;
  const double share = second ? t->choice * 0x1p-64 : next->share;
  const uint32_t chosen = (uint32_t)(share * S_REAL(n));
  uint32_t v = chosen < n ? chosen : n - 1u;
#if S_POOLS
  const int pool = g.more >> 31, first = pool && !second;
  v += second && v >= t->pool_v ? 1u : 0u;
  t->pool = next->reaction;
  t->pool_n = next->n;
  t->pool_v = v;
  const s_place place = s_search(t, &g, next->reaction, v);
  const uint32_t row = second ? S_SPAN * (1u + t->member) : 0u;
  const uint32_t r = s_map(t, g.map + (pool ? row + place.at : place.at * ranges + s_range(place.left, place.x, ranges)));
  t->member = first ? r : S_NONE;
  return first ? S_NOTHING : r;
#else
  const s_place place = s_search(t, &g, next->reaction, v);
  return s_map(t, g.map + place.at * ranges + s_range(place.left, place.x, ranges));
#endif
}

#endif
