/* The parts of generated code for networks of replicated modules that do not depend on the network: the search for the module in
 * which a reaction fires, and its counts. A part of ff_ssa_thread.h.
 *
 * The propensity of a term is a rate times the sum, over all modules, of the product of A and F, which are counts of the module
 * and of its neighbours. The totals of these sums are in registers. S_SPAN neighbouring modules are a part, and a row has the
 * sum of a term over a part. S_FAN parts together may have a sum, too: an upper sum. Within a part, products are computed from
 * counts. A module has S_EACH words: two counts of 16 bits in each, or one of 32.
 *
 *   S_MODULES            modules
 *   S_BITS32             whether counts have 32 bits
 *   S_EACH, S_READ       words of a module; those that products read, which are the first ones
 *   S_TERMS              terms
 *   S_SPAN, S_PARTS      modules of a part, parts
 *   S_LAST_PART          the last part that has modules
 *   S_FAN, S_UPPERS      parts of an upper sum; upper sums, 0 if there are none
 *   S_SUMS, S_TOPS       the rows where the sums of parts, and upper sums, begin: those of a term are neighbours
 *   S_BEFORE, S_AFTER    how far products reach to modules before and after
 *   S_PARTS_OF(x), S_UPPERS_OF(x)  x / S_SPAN and x / S_SPAN / S_FAN for modules x, if there are several of these
 *   S_LONG               defined if sums of products have 64 bits, in two rows or registers each, the lower half first
 *   S_QUICK              whether s_choose_near() saves a division: not for long sums, and only if S_PLAIN
 *   S_MOST_COUNT         the most that a count may be at a check
 *   S_MOST_TOTAL         the most that a total may be
 *   S_INITIAL            where these begin in global memory: what rows, the store and registers have at time 0, and then a
 *                        constant for each species that is recorded
 *   S_PLACES             where a word for each recorded species begins in global memory. It is twice the number of the word that
 *                        has the count, plus 1 for the upper half. If bit 31 is set, it has the module, and the species in the
 *                        lowest 3 bits: the count is the constant plus s_derived()
 *   S_DERIVED            whether there are such species
 *   S_STORE              words of global memory for counts. If it is 0, counts are the first rows
 *   S_TERM_FIELDS        what the code needs to know about a term
 * The text that comes after ff_ssa_thread.h defines
 *   s_term_of(term)                        its fields
 *   s_product(words, term, sum)            sum + A F of the module whose words begin at words[S_BEFORE * S_READ]
 *   s_derived(t, module, species)          a sum of counts of a module
 *   s_change(t, next, term, near, module, part, left)
 *                                          lets molecule number `left` of a module react, unless no reaction happens
 */
#ifndef FF_SSA_THREAD_RING_H
#define FF_SSA_THREAD_RING_H

#if S_STORE > 0
#define S_COUNT_WORD(i) (t->store[i])
#else
#define S_COUNT_WORD(i) S_ROW(i)
#endif
#define S_COUNT_WORDS (S_MODULES * S_EACH)
#if S_POINTS
#define S_INITIAL_WORDS (t->point + S_POINT_INITIAL)
#else
#define S_INITIAL_WORDS (t->big + S_INITIAL)
#endif
#define S_LOWER_HALF(word) ((word) & 0xFFFFu)
#define S_UPPER_HALF(word) ((word) >> 16)
#define S_WORD_OF(module, word) S_COUNT_WORD((module) * S_EACH + (word))
#ifdef S_LONG
#define S_HALVES 2u
#else
#define S_HALVES 1u
#endif
#define S_PART_SUM(term, part) (&S_ROW(S_SUMS + ((term) * S_PARTS + (part)) * S_HALVES))
#define S_UPPER_SUM(term, upper) (&S_ROW(S_TOPS + ((term) * S_UPPERS + (upper)) * S_HALVES))
#define S_WINDOW ((S_BEFORE + S_SPAN + S_AFTER) * S_READ)
#define S_NEAR_WORDS ((S_BEFORE + 1u + S_AFTER) * S_READ) /* that a product reads */
#if S_STORE > 0 /* keeps what the search has loaded, so that it is not loaded again */
#define S_NEAR_WORD(i, module, word) (near[i])
#else
#define S_NEAR_WORD(i, module, word) S_WORD_OF(module, word)
#endif

typedef struct {
  S_TERM_FIELDS
} s_term;

FF_WARP s_term s_term_of(uint32_t term);
FF_WARP s_sum s_product(const uint32_t *words, const s_term *term, s_sum sum);
FF_WARP void s_change(s_thread *t, const s_next *next, const s_term *term, const uint32_t *near, uint32_t module, uint32_t part,
                      s_sum left);

#if S_DERIVED
FF_WARP uint32_t s_derived(const s_thread *t, uint32_t module, uint32_t species);
#endif

/* Around the ring: module - S_MODULES if it is at least that; module + S_MODULES if it is negative, modulo 2^32. */
FF_WARP uint32_t s_after(uint32_t module) {
  const uint32_t other = module - S_MODULES;
  return other < module ? other : module;
}

FF_WARP uint32_t s_before(uint32_t module) {
  const uint32_t other = module + S_MODULES;
  return other < module ? other : module;
}

/* What a row has of a sum, a total, and the addition to these. */
#ifdef S_LONG
#define S_SUM(row) ((s_sum)(row)[S_THREADS] << 32 | (row)[0])
#define S_TOTAL(i) ((s_sum)t->x[2u * (i) + 1u] << 32 | t->x[2u * (i)])
#define S_SIGNED(x) ((s_sum)(int64_t)(int32_t)(x))
#define S_SIGN(x) ((uint32_t)((x) >> 63)) /* 1 if it is negative, else 0 */
FF_WARP void s_add(uint32_t *row, s_sum by) {
  const s_sum sum = S_SUM(row) + by;
  row[0] = (uint32_t)sum;
  row[S_THREADS] = (uint32_t)(sum >> 32);
}
FF_WARP void s_add_total(s_thread *t, uint32_t i, s_sum by) {
  const s_sum sum = S_TOTAL(i) + by;
  t->x[2u * i] = (uint32_t)sum;
  t->x[2u * i + 1u] = (uint32_t)(sum >> 32);
}
#else
#define S_SUM(row) (*(row))
#define S_TOTAL(i) (t->x[i])
#define S_SIGNED(x) (x)
#define S_SIGN(x) ((x) >> 31)
FF_WARP void s_add(uint32_t *row, s_sum by) {
#if defined(__CUDA_ARCH__)
  atomicAdd(row, by); /* one instruction, and the thread does not wait for it */
#else
  *row += by;
#endif
}
FF_WARP void s_add_total(s_thread *t, uint32_t i, s_sum by) { t->x[i] += by; }
#endif

FF_WARP double s_real(s_sum x) {
#if defined(__CUDA_ARCH__) && defined(S_LONG)
  return __ull2double_rn(x);
#elif defined(__CUDA_ARCH__)
  return __uint2double_rn(x);
#else
  return (double)x;
#endif
}

/* The upper half of a product. */
FF_WARP uint32_t s_high(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __umulhi(a, b);
#else
  return (uint32_t)((uint64_t)a * b >> 32);
#endif
}

#ifndef S_PARTS_OF
#define S_PARTS_OF(x) 0u
#endif

/* Adds to the sums of a term to which a module belongs. */
FF_WARP void s_add_effect(s_thread *t, uint32_t term, uint32_t module, uint32_t part, s_sum by) {
  s_add_total(t, term, by);
#if S_PARTS > 1
  s_add(S_PART_SUM(term, part), by);
#endif
#if S_UPPERS > 0
  s_add(S_UPPER_SUM(term, S_UPPERS_OF(module)), by);
#endif
  (void)module;
  (void)part;
}

/* A count, or 1, as `bytes` says: the lower or upper half of a word, or the 1. */
#define S_TAKE_LOWER 0x5510u
#define S_TAKE_UPPER 0x5532u
#define S_TAKE_ONE 0x5554u
FF_WARP uint32_t s_take_count(uint32_t word, uint32_t bytes) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(word, 1u, bytes);
#else
  return bytes == S_TAKE_ONE ? 1u : bytes == S_TAKE_UPPER ? word >> 16 : word & 0xFFFFu;
#endif
}

/* The whole part of x, for x from 0 to 2^31, or to 2^62 if sums are long. */
FF_WARP s_sum s_whole(double x) {
#if defined(__CUDA_ARCH__) && defined(S_LONG)
  return __double2ull_rz(x);
#elif defined(__CUDA_ARCH__)
  return (uint32_t)__double2loint(__dadd_rz(x, 0x1p52));
#else
  return (s_sum)x;
#endif
}

/* The number of the chosen molecule, by its definition: the whole part of the share times the total. */
FF_WARP void s_choose_exactly(s_next *next) {
  const s_sum n = next->n, chosen = s_whole(S_DIVIDE(next->rest, next->leaf) * s_real(n));
  next->v = chosen < n ? chosen : n - 1u;
}

/* The same as (rest / rate), without a division: inverse is 2^20 / rate. Products and quotients of the definition, and this one,
 * have relative errors of 5 * 2^-53 together. That is 5 / 4 units of 2^-20 for numbers below 2^31, and what is cut off is less
 * than one. So the whole part is the same if the 20 bits behind it are at least 4 units away from a whole number. */
FF_WARP void s_choose_near(s_next *next, double inverse) {
#if S_QUICK
#if defined(__CUDA_ARCH__)
  const uint64_t bits = ff_math_bits(__fma_rz(next->rest, inverse, 0x1p52));
#else
  const uint64_t bits = (uint64_t)(next->rest * inverse);
#endif
  next->v = (uint32_t)(bits >> 20);
  next->near = (((uint32_t)bits + 4u) & 0xFFFFFu) < 8u;
#else
  (void)inverse;
  next->near = 0u;
  s_choose_exactly(next);
#endif
}

/* Whether the words of a part are in global memory and can be loaded four by four. */
#define S_FOURS (S_STORE > 0u && S_MODULES % S_SPAN == 0u && S_SPAN * S_EACH % 4u == 0u)

#if S_STORE > 0
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
typedef struct __align__(16) {
  uint32_t v[4];
} s_words4;
#else
typedef struct __attribute__((aligned(16))) {
  uint32_t v[4];
} s_words4;
#endif

FF_WARP void s_load_fours(const s_thread *t, uint32_t module, uint32_t *words) {
  const s_words4 *fours = (const s_words4 *)(t->store + module * S_EACH);
  FF_UNROLL for (uint32_t i = 0; i < S_SPAN * S_EACH / 4u; i++) {
    const s_words4 four = fours[i];
    FF_UNROLL for (uint32_t k = 0; k < 4u; k++) {
      const uint32_t at = (4u * i + k) / S_EACH, w = (4u * i + k) % S_EACH;
      if (w < S_READ) words[(S_BEFORE + at) * S_READ + w] = four.v[k];
    }
  }
}
#endif

/* The words of a part's modules, and of those that their products read. */
FF_WARP void s_words(const s_thread *t, uint32_t module, uint32_t *words) {
#if S_STORE > 0
  if (S_FOURS) s_load_fours(t, module, words);
#endif
  FF_UNROLL for (uint32_t i = 0; i < S_BEFORE + S_SPAN + S_AFTER; i++) {
    uint32_t at = module + i - S_BEFORE;
    if (S_FOURS && i >= S_BEFORE && i < S_BEFORE + S_SPAN) continue;
    if (i < S_BEFORE) at = s_before(at);
    if (i > S_BEFORE && (i >= S_BEFORE + S_SPAN || S_MODULES % S_SPAN != 0u)) at = s_after(at);
    FF_UNROLL for (uint32_t w = 0; w < S_READ; w++) words[i * S_READ + w] = S_WORD_OF(at, w);
  }
}

/* n, and 1 more if a sum is negative. */
FF_WARP uint32_t s_count_negative(s_sum sum, uint32_t n) {
#if defined(__CUDA_ARCH__) && !defined(S_LONG)
  uint32_t out;
  asm("mad.hi.u32 %0, %1, 2, %2;" : "=r"(out) : "r"(sum), "r"(n));
  return out;
#else
  return n + S_SIGN(sum);
#endif
}

/* Finds the module, and lets it react. `below` is a sum of what comes before, minus v + 1: it is negative as long as the sum is
 * at most v. Of such numbers without signs, the last negative one is the largest. This takes one instruction for each number,
 * and another one counts those that are negative. */
FF_WARP void s_fire(s_thread *t, const s_next *next) {
  const s_term term = s_term_of(next->reaction);
  s_sum last = ~next->v, below = last;
  uint32_t part = 0u, at = 0u, words[S_WINDOW], near[S_NEAR_WORDS];
#if S_UPPERS > 0
  FF_UNROLL for (uint32_t i = 0; i < S_UPPERS - 1u; i++) {
    below += S_SUM(t->rows + term.tops + i * S_HALVES * S_THREADS);
    last = below > last ? below : last;
    part = s_count_negative(below, part);
  }
  part *= S_FAN;
  below = last;
#endif
#if S_PARTS > 1
  const uint32_t *sums = t->rows + (term.sums + part * S_HALVES * S_THREADS);
  FF_UNROLL for (uint32_t i = 0; i < (S_UPPERS > 0 ? S_FAN : S_PARTS) - 1u; i++) {
    below += S_SUM(sums + i * S_HALVES * S_THREADS);
    last = below > last ? below : last;
    part = s_count_negative(below, part);
  }
  below = last;
#endif
  if (S_PARTS > S_LAST_PART + 1u) part = part < S_LAST_PART ? part : S_LAST_PART; /* if no reaction happens */
  s_words(t, part * S_SPAN, words);
  FF_UNROLL for (uint32_t k = 0; k < S_NEAR_WORDS; k++) near[k] = words[k];
  FF_UNROLL for (uint32_t i = 0; i < S_SPAN - 1u; i++) {
    below = s_product(words + i * S_READ, &term, below);
    last = below > last ? below : last;
    at = s_count_negative(below, at);
    FF_UNROLL for (uint32_t k = 0; k < S_NEAR_WORDS; k++)
      near[k] = S_SIGN(below) != 0u ? words[(i + 1u) * S_READ + k] : near[k];
  }
  const uint32_t module = part * S_SPAN + at;
  s_change(t, next, &term, near, S_MODULES % S_SPAN != 0u ? s_after(module) : module, part, ~last);
}

/* The next step: first the term. */
FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {
  double value[S_TERMS], sum[S_CHILDREN + 1u], before = 0.0, leaf, inverse = S_RATE(S_TERMS);
  s_sum n[S_TERMS], chosen;
  uint32_t over = 0u;
  FF_UNROLL for (uint32_t i = 0; i < S_TERMS; i++) {
    n[i] = S_TOTAL(i);
    over |= n[i] > S_MOST_TOTAL;
    value[i] = S_RATE(i) * s_real(n[i]);
  }
  s_prefix(value, S_TERMS, sum);
  const double total = sum[S_TERMS], at = s_at(choice, total), most = S_PLAIN ? at : s_most_below(at, total);
  next->reaction = 0u;
  chosen = n[0];
  leaf = value[0];
  FF_UNROLL for (uint32_t i = 1; i < S_TERMS; i++) {
    const int past = sum[i] <= most;
    next->reaction = past ? i : next->reaction;
    chosen = past ? n[i] : chosen;
    before = past ? sum[i] : before;
    leaf = past ? value[i] : leaf;
    inverse = past ? S_RATE(S_TERMS + i) : inverse;
  }
  next->over = over;
  next->n = chosen;
  next->rest = at - before;
  next->leaf = leaf;
  s_choose_near(next, inverse);
  return total;
}

/* Both loops over counts make several loads at a time. */
FF_WARP void s_begin(s_thread *t) {
  const uint32_t *initial = S_INITIAL_WORDS;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_ROWS + S_STORE; i += 8u) {
    uint32_t words[8];
    FF_UNROLL for (uint32_t k = 0; k < 8u; k++) words[k] = initial[i + k < S_ROWS + S_STORE ? i + k : 0u];
    FF_UNROLL for (uint32_t k = 0; k < 8u; k++) {
      if (i + k < S_ROWS) S_ROW(i + k) = words[k];
      if (i + k >= S_ROWS && i + k < S_ROWS + S_STORE) t->store[i + k - S_ROWS] = words[k];
    }
  }
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++) t->x[i] = initial[S_ROWS + S_STORE + i];
}

FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_COUNT_WORDS; i += 8u) {
    FF_UNROLL for (uint32_t k = 0; k < 8u; k++) {
      const uint32_t w = i + k < S_COUNT_WORDS ? S_COUNT_WORD(i + k) : 0u;
      const uint32_t low = S_BITS32 ? w : S_LOWER_HALF(w), high = S_BITS32 ? w : S_UPPER_HALF(w);
      most = low > most ? low : most;
      most = high > most ? high : most;
    }
  }
  return most > S_MOST_COUNT ? 0xFFFFFFFFu : 0u;
}

FF_WARP void s_record(const s_thread *t, uint32_t *to) {
  const uint32_t *places = t->big + S_PLACES, n = t->run->n_observed;
  FF_NO_UNROLL for (uint32_t j = 0; j < n; j++) {
    const uint32_t place = places[j];
    uint32_t x;
#if S_DERIVED
    if (place >> 31 != 0u) {
      x = S_INITIAL_WORDS[S_ROWS + S_STORE + S_COUNTS + j] + s_derived(t, (place & 0x7FFFFFFFu) >> 3, place & 7u);
    } else
#endif
    {
      const uint32_t w = S_COUNT_WORD(place >> 1);
      x = S_BITS32 ? w : (place & 1u) != 0u ? S_UPPER_HALF(w) : S_LOWER_HALF(w);
    }
    to[(uint64_t)j * t->run->units] = x;
  }
}

#endif
