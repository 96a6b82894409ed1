/* The interpreter of the sliced program. The including file compiles it for an instruction set and must define
 *   FF_KERNEL(name)           the name in this instruction set
 *   V, VL                     a vector, and the number of 64-bit words in it
 *   V_LOAD V_STORE V_SET1     aligned load and store, and the same 64-bit word in all places
 *   V_AND V_OR V_XOR V_ANDN   (V_ANDN(a, b) = a & ~b)
 *   V_MUX(m, a, b) V_XOR3 V_MAJ V_XAND(a, b, c) = (a & b) ^ c
 *   V_DIRECT                  tables of up to this many inputs are computed nibble by nibble
 *   V_MUL(a, b) V_HIGH(a)     product of the low halves of every word; the high half moved to the low half
 *   V_ADD(a, b) V_SHIFT(a, n) sum of every word; every word shifted right by n bits
 *   V_JOIN(low, high)         low halves of two vectors joined: (uint32_t)low | high << 32
 *   V_RAMP(start, step)       start, start + step, ...
 *   V_NONZERO(a)              bit i is 1 if word i is not 0
 *   v_spread(counts, bits, weight)   counts[i] += weight for each i of 64 whose bit is 1
 */
#define V_ROW (FF_ROW_WORDS / VL)
#define V_AT(row, h) ((row) + (size_t)(h) * VL)

/* The parts of a Philox counter and key that are the same for a whole step. */
typedef struct {
  uint64_t key0[FF_PHILOX_ROUNDS], key1[FF_PHILOX_ROUNDS];
  uint64_t step_low, step_unit, unit_low;
} FF_KERNEL(draws);

static inline void FF_KERNEL(philox)(V out[4], V block, const FF_KERNEL(draws) * d) {
  const V m0 = V_SET1(FF_PHILOX_M0), m1 = V_SET1(FF_PHILOX_M1);
  V x0 = block, x1 = V_SET1(d->step_low), x2 = V_SET1(d->step_unit), x3 = V_SET1(d->unit_low);
  for (int round = 0; round < FF_PHILOX_ROUNDS; round++) {
    V p0 = V_MUL(x0, m0), p1 = V_MUL(x2, m1);
    x0 = V_XOR3(V_HIGH(p1), x1, V_SET1(d->key0[round]));
    x2 = V_XOR3(V_HIGH(p0), x3, V_SET1(d->key1[round]));
    x1 = p1;
    x3 = p0;
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

static void FF_KERNEL(address)(FF_KERNEL(draws) * d, const ff_tile *tile) {
  d->step_low = (uint32_t)tile->step;
  d->step_unit = ((tile->step >> 32) & 0xFFFF) | ((tile->unit >> 32 & 0xFFFF) << 16);
  d->unit_low = (uint32_t)tile->unit;
  uint32_t k0 = (uint32_t)tile->key, k1 = (uint32_t)(tile->key >> 32);
  for (int round = 0; round < FF_PHILOX_ROUNDS; round++) {
    d->key0[round] = k0;
    d->key1[round] = k1;
    k0 += FF_PHILOX_W0;
    k1 += FF_PHILOX_W1;
  }
}

/* Computes four random rows from 32 blocks: 32-bit word t of row j is word j of block t. */
static inline void FF_KERNEL(random_rows)(uint64_t *rows, uint32_t purpose, uint32_t group, const FF_KERNEL(draws) * d) {
  uint64_t base = ((uint64_t)purpose << FF_PHILOX_BLOCK_BITS) + (uint64_t)group * 32;
  for (int h = 0; h < V_ROW; h++) {
    V even[4], odd[4];
    FF_KERNEL(philox)(even, V_RAMP(base + (uint64_t)h * VL * 2, 2), d);
    FF_KERNEL(philox)(odd, V_RAMP(base + (uint64_t)h * VL * 2 + 1, 2), d);
    for (int j = 0; j < 4; j++) V_STORE(V_AT(rows + (size_t)j * FF_ROW_WORDS, h), V_JOIN(even[j], odd[j]));
  }
}

/* A list of open lanes: trajectories whose first bits equal those of a cut, each with that cut. They are collected over a
 * block of choices, so that the rest of their numbers can be drawn many at a time. */
#define FF_OPEN_AT_ONCE (FF_TILE * 2)
typedef struct {
  FF_ALIGNED uint64_t block[FF_OPEN_AT_ONCE + 2 * VL]; /* of the draw */
  uint32_t cut[FF_OPEN_AT_ONCE + 2 * VL];              /* index among the cuts of the block */
  uint16_t lane[FF_OPEN_AT_ONCE + 2 * VL];
  uint32_t n;
} FF_KERNEL(open_list);

/* Decides lanes in which all bits but the last equal those of a cut. close() has taken these numbers for not below the cut. */
FF_SELDOM void FF_KERNEL(close_further)(const ff_tile *tile, const FF_KERNEL(open_list) * open, uint64_t *masks,
                                        uint32_t first_cut) {
  const ff_slice *s = &tile->program->slice;
  for (uint32_t i = 0; i < open->n; i++) {
    uint64_t cut = s->cuts[first_cut + open->cut[i]];
    uint32_t lane = open->lane[i], block = (uint32_t)open->block[i] & (FF_PHILOX_MAX_BLOCKS - 1);
    ff_philox_block w = ff_philox(ff_philox_counter(FF_DRAW_REMAINDER, block, tile->step, tile->unit), tile->key);
    ff_philox_block last = ff_philox(ff_philox_counter(FF_DRAW_SELECT_FURTHER, block, tile->step, tile->unit), tile->key);
    uint64_t below = w.v[lane % 4] == FF_CUT_REST(cut) && last.v[lane % 4] < FF_CUT_FURTHER(cut);
    masks[(size_t)open->cut[i] * FF_ROW_WORDS + lane / 64] |= below << (lane % 64);
  }
}

static void FF_KERNEL(close)(ff_tile *tile, FF_KERNEL(open_list) * open, uint64_t *masks, uint32_t first_cut,
                             const FF_KERNEL(draws) * d) {
  const ff_slice *s = &tile->program->slice;
  uint32_t still_open = 0;
  for (uint32_t i = open->n; i < open->n + 2 * VL; i++) open->block[i] = 0;
  for (uint32_t i = 0; i < open->n; i += 2 * VL) {
    FF_ALIGNED uint64_t words[2][4][VL];
    V out[2][4];
    FF_KERNEL(philox)(out[0], V_LOAD(open->block + i), d);
    FF_KERNEL(philox)(out[1], V_LOAD(open->block + i + VL), d);
    for (int j = 0; j < 4; j++) {
      V_STORE(words[0][j], out[0][j]);
      V_STORE(words[1][j], out[1][j]);
    }
    for (uint32_t j = 0; j < 2 * VL && i + j < open->n; j++) {
      uint32_t lane = open->lane[i + j], rest = (uint32_t)words[j / VL][lane % 4][j % VL];
      uint32_t cut = FF_CUT_REST(s->cuts[first_cut + open->cut[i + j]]);
      still_open |= rest == cut;
      masks[(size_t)open->cut[i + j] * FF_ROW_WORDS + lane / 64] |= (uint64_t)(rest < cut) << (lane % 64);
    }
  }
  if (FF_RARELY(still_open)) FF_KERNEL(close_further)(tile, open, masks, first_cut);
  open->n = 0;
}

/* Compares a number for each lane with a cut. The number's first bits are in random rows, the most significant first. Lanes
 * whose bits all equal those of the cut are added to the list. `at` is the index of the cut in its block. */
static inline void FF_KERNEL(compare)(const uint64_t *ring, const ff_slice_select *select, uint64_t cut, uint32_t at,
                                      uint64_t *mask, FF_KERNEL(open_list) * list) {
  FF_ALIGNED uint64_t undecided[FF_ROW_WORDS];
  uint32_t nonzero = 0;
  for (int h = 0; h < V_ROW; h++) {
    V less = V_SET1(0), equal = V_SET1(UINT64_MAX);
    uint64_t bits = cut;
    for (uint32_t r = 0; r < select->n_rows; r++, bits <<= 1) {
      const V random = V_LOAD(V_AT(ring + (size_t)((select->row + r) % FF_RING_ROWS) * FF_ROW_WORDS, h));
      const V bit = V_SET1((uint64_t)((int64_t)bits >> 63));
      less = V_OR(less, V_AND(equal, V_ANDN(bit, random)));
      equal = V_ANDN(equal, V_XOR(random, bit));
    }
    V_STORE(V_AT(mask, h), less);
    V_STORE(V_AT(undecided, h), equal);
    nonzero |= V_NONZERO(equal) << (h * VL);
  }
  if (select->exact) return;
  uint64_t base = ((uint64_t)FF_DRAW_REMAINDER << FF_PHILOX_BLOCK_BITS) + (uint64_t)select->number * (FF_TILE / 4);
  for (; nonzero != 0; nonzero &= nonzero - 1) {
    uint32_t w = (uint32_t)__builtin_ctz(nonzero);
    for (uint64_t bits = undecided[w]; bits != 0; bits &= bits - 1) {
      uint32_t lane = w * 64 + (uint32_t)__builtin_ctzll(bits);
      list->block[list->n] = base + lane / 4;
      list->cut[list->n] = at;
      list->lane[list->n++] = (uint16_t)lane;
    }
  }
}

/* Makes a block of choices: draws their random rows and computes their masks from row `op->dst` on. */
static void FF_KERNEL(select)(ff_tile *tile, const ff_slice_op *op, const FF_KERNEL(draws) * d) {
  const ff_slice *s = &tile->program->slice;
  uint64_t *masks = tile->rows + (size_t)op->dst * FF_ROW_WORDS, *ring = tile->rows + (size_t)s->ring * FF_ROW_WORDS;
  const ff_slice_select *select = &s->selects[op->a], *end = select + op->b;
  FF_KERNEL(open_list) open;
  open.n = 0;
  uint32_t first_cut = select->cut, group = (select->row + 3) / 4; /* earlier rows of this group are in the ring already */
  for (; select < end; select++) {
    for (; group * 4 < select->row + select->n_rows; group++)
      FF_KERNEL(random_rows)(ring + (size_t)(group % 4) * 4 * FF_ROW_WORDS, FF_DRAW_SELECT, group, d);
    for (uint32_t k = select->cut; k < select->cut + select->n_cuts; k++) {
      FF_KERNEL(compare)(ring, select, s->cuts[k], k - first_cut, masks + (size_t)(k - first_cut) * FF_ROW_WORDS, &open);
      if (open.n > FF_TILE) FF_KERNEL(close)(tile, &open, masks, first_cut, d);
    }
  }
  if (open.n > 0) FF_KERNEL(close)(tile, &open, masks, first_cut, d);
}

/* The function of two inputs with four given values, written as c0 ^ c1 a ^ c2 b ^ c3 a b. */
#define FF_MASK(bit) (0 - (uint64_t)((bit)&1))
#define FF_MONOMIALS(n) \
  {FF_MASK(n), FF_MASK((n) ^ (n) >> 1), FF_MASK((n) ^ (n) >> 2), FF_MASK((n) ^ (n) >> 1 ^ (n) >> 2 ^ (n) >> 3)}
static const uint64_t FF_KERNEL(monomials)[16][4] = {
    FF_MONOMIALS(0u), FF_MONOMIALS(1u), FF_MONOMIALS(2u),  FF_MONOMIALS(3u),  FF_MONOMIALS(4u),  FF_MONOMIALS(5u),
    FF_MONOMIALS(6u), FF_MONOMIALS(7u), FF_MONOMIALS(8u),  FF_MONOMIALS(9u),  FF_MONOMIALS(10u), FF_MONOMIALS(11u),
    FF_MONOMIALS(12u), FF_MONOMIALS(13u), FF_MONOMIALS(14u), FF_MONOMIALS(15u)};

/* Computes all sixteen functions of two inputs. Bit r of the index is the value for b a = r. */
static inline void FF_KERNEL(leaves)(V leaf[16], V a, V b) {
  const V one = V_SET1(UINT64_MAX), not_a = V_XOR(a, one), not_b = V_XOR(b, one);
  leaf[0] = V_SET1(0);
  leaf[1] = V_AND(not_a, not_b);
  leaf[2] = V_ANDN(a, b);
  leaf[3] = not_b;
  leaf[4] = V_ANDN(b, a);
  leaf[5] = not_a;
  leaf[6] = V_XOR(a, b);
  leaf[7] = V_OR(not_a, not_b);
  leaf[8] = V_AND(a, b);
  leaf[9] = V_XOR(leaf[6], one);
  leaf[10] = a;
  leaf[11] = V_OR(a, not_b);
  leaf[12] = b;
  leaf[13] = V_OR(b, not_a);
  leaf[14] = V_OR(a, b);
  leaf[15] = one;
}

static inline V FF_KERNEL(leaf)(uint32_t nibble, V a, V b, V ab) {
  const uint64_t *c = FF_KERNEL(monomials)[nibble & 15];
  return V_XAND(ab, V_SET1(c[3]), V_XAND(b, V_SET1(c[2]), V_XAND(a, V_SET1(c[1]), V_SET1(c[0]))));
}

/* Looks up a truth table for whole rows. Each nibble is a function of the two least significant inputs: for a small table it
 * is computed, for a large one it is taken from all sixteen functions. The other inputs then select among the results, level
 * by level. */
static inline void FF_KERNEL(table)(uint64_t *rows, uint64_t *dst, const uint32_t *args) {
  const uint32_t k = args[0], *input = args + 1, *bits = args + 1 + k;
  for (int h = 0; h < V_ROW; h++) {
    V a = V_LOAD(V_AT(rows + (size_t)input[0] * FF_ROW_WORDS, h));
    V b = k > 1 ? V_LOAD(V_AT(rows + (size_t)input[1] * FF_ROW_WORDS, h)) : V_SET1(0);
    V ab = V_AND(a, b);
    if (k <= 2) {
      V_STORE(V_AT(dst, h), FF_KERNEL(leaf)(bits[0], a, b, ab));
      continue;
    }
    V level[1 << (FF_TABLE_INPUTS - 3)];
    uint32_t n = 1u << (k - 3);
    V choose = V_LOAD(V_AT(rows + (size_t)input[2] * FF_ROW_WORDS, h));
    if (k <= V_DIRECT) {
      for (uint32_t i = 0; i < n; i++) {
        uint32_t byte = bits[i / 4] >> (i % 4 * 8);
        level[i] = V_MUX(choose, FF_KERNEL(leaf)(byte >> 4, a, b, ab), FF_KERNEL(leaf)(byte, a, b, ab));
      }
    } else {
      V leaf[16];
      FF_KERNEL(leaves)(leaf, a, b);
      for (uint32_t i = 0; i < n; i++) {
        uint32_t byte = bits[i / 4] >> (i % 4 * 8);
        level[i] = V_MUX(choose, leaf[byte >> 4 & 15], leaf[byte & 15]);
      }
    }
    for (uint32_t j = 3; j < k; j++) {
      choose = V_LOAD(V_AT(rows + (size_t)input[j] * FF_ROW_WORDS, h));
      n /= 2;
      for (uint32_t i = 0; i < n; i++) level[i] = V_MUX(choose, level[2 * i + 1], level[2 * i]);
    }
    V_STORE(V_AT(dst, h), level[0]);
  }
}

#define FF_BINARY(expression)                       \
  for (int h = 0; h < V_ROW; h++) {                 \
    const V a = V_LOAD(V_AT(ra, h)), b = V_LOAD(V_AT(rb, h)); \
    V_STORE(V_AT(dst, h), expression);              \
  }                                                 \
  break

static inline void FF_KERNEL(fetch_row)(const uint64_t *rows, uint32_t row) {
  __builtin_prefetch(rows + (size_t)row * FF_ROW_WORDS);
  __builtin_prefetch(rows + (size_t)row * FF_ROW_WORDS + FF_ROW_WORDS / 2);
}

/* Prefetches the rows that a later operation will read. A network larger than the caches reads rows all over the memory. */
static inline void FF_KERNEL(fetch)(const uint64_t *rows, const ff_slice *s, const ff_slice_op *op) {
  if (op->code == FF_S_TABLE) {
    const uint32_t *args = s->args + op->a;
    for (uint32_t i = 1; i <= args[0]; i++) FF_KERNEL(fetch_row)(rows, args[i]);
  } else if (op->code != FF_S_SELECT && op->code != FF_S_CONST) {
    FF_KERNEL(fetch_row)(rows, op->a);
    FF_KERNEL(fetch_row)(rows, op->b);
  }
}

/* One case for each operation. */
static void FF_KERNEL(ops)(ff_tile *tile, const ff_slice_op *op, const ff_slice_op *end, const FF_KERNEL(draws) * d) {
  const ff_slice *s = &tile->program->slice;
  uint64_t *rows = tile->rows;
  const V one = V_SET1(UINT64_MAX);
  const int far = s->n_rows > FF_NEAR_ROWS;
  for (; op < end; op++) {
    if (far && end - op > FF_FETCH_AHEAD) FF_KERNEL(fetch)(rows, s, op + FF_FETCH_AHEAD);
    uint64_t *dst = rows + (size_t)op->dst * FF_ROW_WORDS;
    const uint64_t *ra = rows + (size_t)op->a * FF_ROW_WORDS, *rb = rows + (size_t)op->b * FF_ROW_WORDS;
    switch (op->code) {
    case FF_S_CONST:
      for (int h = 0; h < V_ROW; h++) V_STORE(V_AT(dst, h), V_SET1(0 - (uint64_t)op->a));
      break;
    case FF_S_COPY:
      for (int h = 0; h < V_ROW; h++) V_STORE(V_AT(dst, h), V_LOAD(V_AT(ra, h)));
      break;
    case FF_S_NOT:
      for (int h = 0; h < V_ROW; h++) V_STORE(V_AT(dst, h), V_XOR(V_LOAD(V_AT(ra, h)), one));
      break;
    case FF_S_AND: FF_BINARY(V_AND(a, b));
    case FF_S_NAND: FF_BINARY(V_XOR(V_AND(a, b), one));
    case FF_S_OR: FF_BINARY(V_OR(a, b));
    case FF_S_NOR: FF_BINARY(V_XOR(V_OR(a, b), one));
    case FF_S_ANDN: FF_BINARY(V_ANDN(a, b));
    case FF_S_ORN: FF_BINARY(V_XOR(V_ANDN(a, b), one));
    case FF_S_XOR: FF_BINARY(V_XOR(a, b));
    case FF_S_XNOR: FF_BINARY(V_XOR3(a, b, one));
    case FF_S_MUX: {
      const uint64_t *rc = rows + (size_t)op->c * FF_ROW_WORDS;
      FF_BINARY(V_MUX(V_LOAD(V_AT(rc, h)), a, b));
    }
    case FF_S_TABLE: FF_KERNEL(table)(rows, dst, s->args + op->a); break;
    case FF_S_SELECT: FF_KERNEL(select)(tile, op, d); break;
    }
  }
}

/* Draws the hits of a step. Marks the trajectories that were hit and stores, for each hit, the new value of its site. A hit
 * on a removed node reads and writes a row that nothing else uses, which is cheaper than a branch. Returns the number of
 * hits. */
static size_t FF_KERNEL(draw_hits)(ff_tile *tile, uint64_t *perturbed, const FF_KERNEL(draws) * d) {
  const ff_pbn_program *p = tile->program;
  uint32_t n = 0, first = (p->hits.n_draws + 1) / 2;
  for (uint32_t i = 0; i < p->hits.n_draws; i++) {
    ff_philox_block w = ff_philox(ff_philox_counter(FF_DRAW_FLIPS, i / 2, tile->step, tile->unit), tile->key);
    n += ff_poisson_value(&p->hits, w.v[i % 2 * 2], w.v[i % 2 * 2 + 1], i, tile->step, tile->unit, tile->key);
  }
  uint64_t base = ((uint64_t)FF_DRAW_FLIPS << FF_PHILOX_BLOCK_BITS) + first;
  const uint32_t *flip = p->flip;
  const uint64_t *rows = tile->rows;
  const V n_flip = V_SET1(p->n_flip);
  for (uint32_t i = 0; i < n; i += 2 * VL) { /* hit 2b uses the first half of block b's words, hit 2b + 1 the second half */
    FF_ALIGNED uint64_t site[2][VL], lane[2][VL];
    V out[4];
    FF_KERNEL(philox)(out, V_RAMP(base + i / 2, 1), d);
    for (int j = 0; j < 2; j++) { /* ff_pick54() on vectors */
      V low = V_MUL(V_SHIFT(V_JOIN(out[2 * j + 1], V_SET1(0)), 10), n_flip);
      V_STORE(site[j], V_HIGH(V_ADD(V_MUL(out[2 * j], n_flip), V_SHIFT(low, 22))));
      V_STORE(lane[j], V_AND(out[2 * j + 1], V_SET1(FF_TILE - 1)));
    }
    uint32_t some = n - i < 2 * VL ? n - i : 2 * VL;
    for (uint32_t j = 0; j < some; j++) {
      uint32_t at = (uint32_t)lane[j % 2][j / 2];
      size_t word = (size_t)flip[site[j % 2][j / 2]] * FF_ROW_WORDS + at / 64;
      perturbed[at / 64] |= UINT64_C(1) << (at % 64);
      tile->hit_word[i + j] = word;
      tile->hit_bit[i + j] = (uint8_t)(at % 64);
      tile->hit_value[i + j] = (uint8_t)~(rows[word] >> (at % 64)) & 1;
    }
  }
  return n;
}

/* Adds one row to a vertical counter that already has t rows. */
static inline void FF_KERNEL(add)(ff_counter *counter, const uint64_t *row, uint32_t t) {
  for (int h = 0; h < V_ROW; h++) {
    V carry = V_LOAD(V_AT(row, h));
    uint32_t level = 0;
    for (; t >> level & 1; level++) {
      uint64_t *at = V_AT(counter->sum[level], h);
      V sum = V_LOAD(at), held = V_LOAD(V_AT(counter->held[level], h));
      V_STORE(at, V_XOR3(sum, held, carry));
      carry = V_MAJ(sum, held, carry);
    }
    V_STORE(V_AT(counter->held[level], h), carry);
  }
}

static void FF_KERNEL(spill)(ff_tile *tile) {
  const ff_pbn_program *p = tile->program;
  uint32_t t = tile->in_counters;
  for (uint32_t i = 0; i < p->n_terms && t > 0; i++) {
    for (uint32_t level = 0; level < FF_COUNT_LEVELS; level++)
      for (uint32_t w = 0; w < FF_ROW_WORDS; w++) {
        uint32_t *counts = tile->counts + (size_t)i * FF_TILE + w * 64;
        v_spread(counts, tile->held[i].sum[level][w], 1u << level);
        if (t >> level & 1) v_spread(counts, tile->held[i].held[level][w], 1u << level);
      }
    memset(&tile->held[i], 0, sizeof tile->held[i]);
    if (!p->two_state[i]) continue;
    ff_counter *changed = &tile->changed[tile->changed_at[i]];
    for (uint32_t level = 0; level < FF_COUNT_LEVELS; level++)
      for (uint32_t w = 0; w < FF_ROW_WORDS; w++) {
        uint64_t n = (uint64_t)__builtin_popcountll(changed->sum[level][w]);
        if (t >> level & 1) n += (uint64_t)__builtin_popcountll(changed->held[level][w]);
        tile->changes[i] += n << level;
      }
    memset(changed, 0, sizeof *changed);
  }
  tile->in_counters = 0;
}

static void FF_KERNEL(terms)(ff_tile *tile, const FF_KERNEL(draws) * d) {
  const ff_slice *s = &tile->program->slice;
  FF_KERNEL(ops)(tile, s->ops + s->n_update, s->ops + s->n_ops, d);
}

static void FF_KERNEL(count)(ff_tile *tile, const FF_KERNEL(draws) * d) {
  const ff_pbn_program *p = tile->program;
  const ff_slice *s = &p->slice;
  FF_KERNEL(terms)(tile, d);
  for (uint32_t i = 0; i < p->n_terms; i++) {
    const uint64_t *row = tile->rows + (size_t)(s->terms + i) * FF_ROW_WORDS;
    FF_KERNEL(add)(&tile->held[i], row, tile->in_counters);
    if (!p->two_state[i]) continue;
    uint64_t *before = tile->rows + (size_t)(s->before + i) * FF_ROW_WORDS;
    FF_ALIGNED uint64_t change[FF_ROW_WORDS];
    for (int h = 0; h < V_ROW; h++) {
      V now = V_LOAD(V_AT(row, h));
      V_STORE(V_AT(change, h), V_XOR(now, V_LOAD(V_AT(before, h))));
      V_STORE(V_AT(before, h), now);
    }
    FF_KERNEL(add)(&tile->changed[tile->changed_at[i]], change, tile->in_counters);
  }
  tile->counted++;
  if (++tile->in_counters == (1u << FF_COUNT_LEVELS) - 1) FF_KERNEL(spill)(tile);
}

/* Evaluates the terms in the state from which counting starts. */
static void FF_KERNEL(count_from)(ff_tile *tile, const FF_KERNEL(draws) * d) {
  const ff_pbn_program *p = tile->program;
  const ff_slice *s = &p->slice;
  FF_KERNEL(terms)(tile, d);
  for (uint32_t i = 0; i < p->n_terms; i++) {
    uint64_t *before = tile->rows + (size_t)(s->before + i) * FF_ROW_WORDS;
    memcpy(before, tile->rows + (size_t)(s->terms + i) * FF_ROW_WORDS, FF_ROW_WORDS * sizeof *before);
    tile->before[i] = 0;
    for (int w = 0; w < FF_ROW_WORDS; w++) tile->before[i] += (uint32_t)__builtin_popcountll(before[w]);
  }
  tile->fresh = 0;
}

static void FF_KERNEL(step)(ff_tile *tile, FF_KERNEL(draws) * d) {
  const ff_pbn_program *p = tile->program;
  const ff_slice *s = &p->slice;
  d->step_low = (uint32_t)tile->step;
  d->step_unit = ((tile->step >> 32) & 0xFFFF) | ((tile->unit >> 32 & 0xFFFF) << 16);
  FF_ALIGNED uint64_t perturbed[FF_ROW_WORDS] = {0};
  size_t hits = p->hits.size > 0 ? FF_KERNEL(draw_hits)(tile, perturbed, d) : 0;
  uint64_t all = UINT64_MAX;
  for (int w = 0; w < FF_ROW_WORDS; w++) all &= perturbed[w];
  if (all != UINT64_MAX) {
    FF_KERNEL(ops)(tile, s->ops, s->ops + s->n_update, d);
    uint64_t *now = tile->rows, *next = tile->rows + (size_t)s->n_nodes * FF_ROW_WORDS;
    for (int h = 0; h < V_ROW; h++) {
      const V stay = V_LOAD(V_AT(perturbed, h));
      for (size_t i = 0; i < (size_t)s->n_nodes * FF_ROW_WORDS; i += FF_ROW_WORDS)
        V_STORE(V_AT(now + i, h), V_MUX(stay, V_LOAD(V_AT(now + i, h)), V_LOAD(V_AT(next + i, h))));
    }
  }
  for (size_t i = 0; i < hits; i++) { /* a site that is hit twice gets the same value twice */
    uint64_t *word = tile->rows + tile->hit_word[i];
    *word = (*word & ~(UINT64_C(1) << tile->hit_bit[i])) | (uint64_t)tile->hit_value[i] << tile->hit_bit[i];
  }
  tile->step++;
}

static void FF_KERNEL(run)(ff_tile *tile, uint64_t steps, int count) {
  FF_KERNEL(draws) d;
  FF_KERNEL(address)(&d, tile);
  if (count && tile->fresh) FF_KERNEL(count_from)(tile, &d);
  for (uint64_t i = 0; i < steps; i++) {
    FF_KERNEL(step)(tile, &d);
    if (count) FF_KERNEL(count)(tile, &d);
  }
}

static void FF_KERNEL(start)(ff_tile *tile) {
  const ff_pbn_program *p = tile->program;
  FF_KERNEL(draws) d;
  FF_KERNEL(address)(&d, tile);
  FF_ALIGNED uint64_t four[4 * FF_ROW_WORDS];
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    if (i % 4 == 0) FF_KERNEL(random_rows)(four, FF_DRAW_INITIAL, i / 4, &d);
    uint64_t *row = tile->rows + (size_t)i * FF_ROW_WORDS;
    const uint64_t *drawn = four + (size_t)(i % 4) * FF_ROW_WORDS;
    for (int w = 0; w < FF_ROW_WORDS; w++) {
      const uint32_t low = ff_start_bits(p->initial[i], (uint32_t)drawn[w]);
      row[w] = (uint64_t)ff_start_bits(p->initial[i], (uint32_t)(drawn[w] >> 32)) << 32 | low;
    }
  }
}

const ff_slice_kernel FF_KERNEL(kernel) = {FF_KERNEL(start), FF_KERNEL(run), FF_KERNEL(spill)};
