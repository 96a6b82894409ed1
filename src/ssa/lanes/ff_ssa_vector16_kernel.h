/* The step of ff_ssa_vector16. The including file compiles it for an instruction set and must define
 *   FF_KERNEL(name)             the name in this instruction set
 *   D, U, M, VL                 vectors of doubles and of 64-bit words, a truth value for each lane, and the number of lanes
 *   D_LOAD D_STORE D_SET U_LOAD U_STORE U_SET   aligned load and store, and the same value in all lanes
 *   D_LESS(a, b), D_MOST(a, b)  a < b, a <= b; also U_EQUAL, M_AND, M_OR, M_NOT, M_NONE (a value), M_BITS (lane i is bit i)
 *   D_PICK(m, a, b) U_PICK      a where m is true, else b; D_RAISE: the same if 0 <= b <= a
 *   D_LEAST(a, b)               the smaller one; b if one of them is NaN; also D_GREATEST
 *   U_COUNT(m, n)               n + 1 where m is true, else n
 *   U_MUL U_XOR3 U_AND U_OR U_ADD U_RIGHT(a, n) U_LEFT(a, n)   U_MUL multiplies the low halves
 *   D_WHOLE(high, low)          the upper 53 bits of the number that the low halves of both are, as a whole number
 *   D_LOAD_SMALL(p)             aligned load of 32-bit whole numbers
 *   D_OF(u) U_OF(d)             the same bits
 *   D_GATHER(base, index)       base[index] in each lane
 * D has the operators + - * /. Vectors of 32-bit words:
 *   I, IM, IL                a vector, a truth value for each lane, and the number of lanes
 *   I_LOAD I_STORE I_SET     as for D
 *   I_ADD I_SUB I_MUL I_AND  of the words, modulo 2^32
 *   I_LEAST(a, b)            the smaller one, without signs
 *   I_LEFT(a, n) I_RIGHT(a, n)   shifts by a constant; I_LEFT_BY, I_RIGHT_BY: by a variable; I_RIGHT_SIGNED: with the sign
 *   I_RIGHT_EACH(a, b)       shifts by b of each lane
 *   I_EQUAL(a, b) I_MOST(a, b) I_PICK(m, a, b)   I_MOST: a <= b, with signs
 *   I_COUNT(m, n)            n + 1 where m is true, else n
 *   I_OF(d)                  the words of the whole parts of d[0] to d[IL / VL - 1], which are below 2^31 and at least -1
 *   I_GATHER(p, i) I_SCATTER(p, i, x)   p[i] of each lane
 *   I_TABLE8(p, i) I_TABLE32(p, i)      p[i] of a table of so many words, aligned
 *   D_SCATTER(base, index, x)           as D_GATHER */
#if defined(__GNUC__)
#define FF_INLINED static inline __attribute__((always_inline)) /* for functions that two steps use */
#else
#define FF_INLINED static inline
#endif
#define W (FF_SSA_LANES / VL)
#define EACH(h) for (int h = 0; h < W; h++)
#define AT(array, item, h) ((array) + (size_t)(item) * FF_SSA_LANES + (size_t)(h) * VL)
#if defined(__GNUC__) && !defined(__clang__)
#define FF_UNROLLED _Pragma("GCC unroll 8") /* -O2 does not do this */
#else
#define FF_UNROLLED
#endif
#define IW (FF_SSA_LANES / IL)
static const _Alignas(64) uint32_t FF_KERNEL(lane_numbers)[FF_SSA_LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#define IAT(array, item, h) ((array) + (size_t)(item) * FF_SSA_LANES + (size_t)(h) * IL)

/* A search in `n` rows: *left was number v of their sum and becomes what is left of it in its row, whose number is returned.
 * Numbers below 0 have the highest bit, so they are never the least. */
#define FF_LANES_SEARCH(n, x_of, found, left)                              \
  do {                                                                       \
    I rest = left, behind = I_SET(0);                                        \
    for (uint32_t i = 0; i + 1 < (n); i++) {                                 \
      rest = I_SUB(rest, x_of);                                              \
      left = I_LEAST(left, rest);                                            \
      behind = I_ADD(behind, I_RIGHT(rest, 31));                             \
    }                                                                        \
    found = I_SUB(I_SET((n)-1), behind);                                     \
  } while (0)

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

static inline void FF_KERNEL(formula)(ff_ssa_vector16 *w, const ff_formula *formula) {
  double *top = w->stack;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = formula->word + i;
    uint32_t operands = ff_formula_operands(word->code);
    top -= (size_t)operands * FF_SSA_LANES;
    double *b = operands > 1 ? top + FF_SSA_LANES : top, *c = operands > 2 ? top + 2 * FF_SSA_LANES : top;
    EACH(h) {
      D x = D_LOAD(AT(top, 0, h)), y = D_LOAD(AT(b, 0, h));
      switch (word->code) {
        case FF_F_NUMBER: x = D_SET(word->number); break;
        case FF_F_SYMBOL: x = D_LOAD(AT(w->lanes.count, word->symbol, h)); break;
        case FF_F_ADD: x = x + y; break;
        case FF_F_SUB: x = x - y; break;
        case FF_F_MUL: x = x * y; break;
        case FF_F_DIV: x = x / y; break;
        default:
          for (int l = 0; l < VL; l++) {
            double *a = AT(top, 0, h) + l;
            *a = ff_formula_operate(word->code, *a, AT(b, 0, h)[l], AT(c, 0, h)[l]);
          }
          continue;
      }
      D_STORE(AT(top, 0, h), x);
    }
    top += FF_SSA_LANES;
  }
}

/* The values of formula r, where lanes without a reactant have 0, unless the formula is below 0 in them. */
static inline D FF_KERNEL(without)(ff_ssa_vector16 *w, uint32_t r, int h, M missing, D value) {
  const M below = M_AND(missing, D_LESS(value, D_SET(0.0)));
  double *each = AT(w->stack, 0, h);
  D_STORE(each, D_PICK(M_AND(missing, M_NOT(below)), D_SET(0.0), value));
  for (uint32_t l = 0; M_BITS(below) >> l != 0; l++)
    if ((M_BITS(below) >> l & 1u) && !ff_ssa_lanes_below(&w->lanes, (uint32_t)(h * VL) + l, r)) each[l] = 0;
  return D_LOAD(each);
}

/* Laws with several factors or a formula, as checked_propensity() computes them. The result is a leaf of the tree. */
static inline void FF_KERNEL(checked)(ff_ssa_vector16 *w, uint32_t r, uint32_t leaf) {
  const ff_ssa_program *p = w->lanes.program;
  const ff_ssa_propensity *a = p->propensities + r;
  if (a->law != FF_LAW_PRODUCT) FF_KERNEL(formula)(w, p->formulas + a->a);
  EACH(h) {
    D value = a->law == FF_LAW_PRODUCT ? D_SET(a->rate) : D_LOAD(AT(w->stack, 0, h));
    M missing = M_NONE;
    for (uint32_t i = a->first; i < a->first + a->n; i++) {
      const D x = D_LOAD(AT(w->lanes.count, p->factors[i].species, h));
      const uint32_t k = p->factors[i].count;
      missing = M_OR(missing, D_LESS(x, D_SET((double)k)));
      if (a->law == FF_LAW_FORMULA) continue;
      value = value * x;
      for (uint32_t j = 1; j < k; j++) value = value * ((x - D_SET((double)j)) / D_SET((double)(j + 1)));
    }
    value = ff_ssa_may_be_below(a) ? FF_KERNEL(without)(w, r, h, missing, value) : D_PICK(missing, D_SET(0.0), value);
    const M fine = M_AND(M_NOT(D_LESS(value, D_SET(0.0))), D_LESS(value, D_SET(INFINITY)));
    w->lanes.base.broken |= (uint64_t)M_BITS(M_NOT(fine)) << (h * VL);
    D_STORE(AT(w->value, leaf, h), value + D_SET(0.0));
  }
}

static inline void FF_KERNEL(propensities)(ff_ssa_vector16 *w) {
  const ff_ssa_program *p = w->lanes.program;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *a = p->propensities + r;
    const D rate = D_SET(a->rate);
    switch (a->law) {
      case FF_LAW_CONSTANT:
        EACH(h) D_STORE(AT(w->value, r, h), rate);
        break;
      case FF_LAW_LINEAR:
        EACH(h) D_STORE(AT(w->value, r, h), rate * D_LOAD(AT(w->lanes.count, a->a, h)));
        break;
      case FF_LAW_PAIR:
        EACH(h) D_STORE(AT(w->value, r, h), rate * (D_LOAD(AT(w->lanes.count, a->a, h)) * D_LOAD(AT(w->lanes.count, a->b, h))));
        break;
      case FF_LAW_TWIN:
        EACH(h) {
          const D x = D_LOAD(AT(w->lanes.count, a->a, h));
          D_STORE(AT(w->value, r, h), rate * (x * (x - D_SET(1.0))));
        }
        break;
      default: FF_KERNEL(checked)(w, r, r);
    }
  }
}

/* Nodes that only fill a group are 0. */
FF_INLINED void FF_KERNEL(sums)(ff_ssa_vector16 *w) {
  for (uint32_t level = 1; level < w->levels; level++)
    for (uint32_t node = 0; node < w->n[level]; node++) {
      const double *v = AT(w->value, w->first[level - 1] + node * FF_SSA_FAN, 0);
      EACH(h) {
        const D low = (D_LOAD(AT(v, 0, h)) + D_LOAD(AT(v, 1, h))) + (D_LOAD(AT(v, 2, h)) + D_LOAD(AT(v, 3, h)));
        const D high = (D_LOAD(AT(v, 4, h)) + D_LOAD(AT(v, 5, h))) + (D_LOAD(AT(v, 6, h)) + D_LOAD(AT(v, 7, h)));
        D_STORE(AT(w->value, w->first[level] + node, h), low + high);
      }
    }
}

/* ---- draws -------------------------------------------------------------------------------------------------------------- */

static inline void FF_KERNEL(round)(U x[4], U m0, U m1, U k0, U k1) {
  const U p0 = U_MUL(x[0], m0), p1 = U_MUL(x[2], m1);
  x[0] = U_XOR3(U_RIGHT(p1, 32), x[1], k0); /* the high halves of all words are not used */
  x[2] = U_XOR3(U_RIGHT(p0, 32), x[3], k1);
  x[1] = p1;
  x[3] = p0;
}

_Static_assert(FF_SSA_DRAW_STEP == 0, "the first word of the counter of an event is 0, and so is its product");

/* The first round of Philox for a step. */
static inline void FF_KERNEL(first_round)(U x[4], U step, U unit, U m1, U k0, U k1) {
  const U p1 = U_MUL(U_OR(U_AND(U_RIGHT(step, 32), U_SET(0xFFFF)), U_LEFT(U_RIGHT(unit, 32), 16)), m1);
  x[0] = U_XOR3(U_RIGHT(p1, 32), step, k0);
  x[2] = U_XOR3(unit, k1, U_SET(0));
  x[1] = p1;
  x[3] = U_SET(0);
}

/* The words of the draws for a step, in the low halves. */
static inline void FF_KERNEL(philox)(U x[4], uint64_t key[2][FF_PHILOX_ROUNDS], U step, U unit) {
  const U m0 = U_SET(FF_PHILOX_M0), m1 = U_SET(FF_PHILOX_M1);
  FF_KERNEL(first_round)(x, step, unit, m1, U_SET(key[0][0]), U_SET(key[1][0]));
  for (int i = 1; i < FF_PHILOX_ROUNDS; i++) FF_KERNEL(round)(x, m0, m1, U_SET(key[0][i]), U_SET(key[1][i]));
}

/* ff_minus_log(x / 2^53) */
static inline D FF_KERNEL(minus_log)(D x) {
  const U w = U_ADD(U_OF(x), U_SET(FF_EXPONENTIAL_SHIFT)), low = U_AND(w, U_SET(FF_EXPONENTIAL_BITS)), cell = U_RIGHT(low, 47);
  const D k = D_OF(U_OR(U_RIGHT(w, 52), U_SET(UINT64_C(0x4330000000000000)))) - D_SET(0x1p52 + (1023 + 53));
  const D c = D_OF(U_ADD(U_AND(low, U_SET(FF_EXPONENTIAL_FIRST)), U_SET(FF_EXPONENTIAL_C)));
  const D r = (D_OF(U_ADD(low, U_SET(FF_EXPONENTIAL_M))) - c) * D_LONG_TABLE(FF_EXPONENTIAL_TABLE, cell), q = r * r;
  const D p = (D_SET(FF_EXPONENTIAL_P0) + D_SET(FF_EXPONENTIAL_P1) * r)
      + q * ((D_SET(FF_EXPONENTIAL_P2) + D_SET(FF_EXPONENTIAL_P3) * r)
      + q * ((D_SET(FF_EXPONENTIAL_P4) + D_SET(FF_EXPONENTIAL_P5) * r) + q * D_SET(FF_EXPONENTIAL_P6)));
  return (D_LONG_TABLE(FF_EXPONENTIAL_TABLE + FF_EXPONENTIAL_CELLS, cell) - k * D_SET(FF_EXPONENTIAL_2)) - (r + q * p);
}

/* Draws the waiting times, with mean 1, and the choices of reactions for the step with the number w->lanes.step + later. */
FF_INLINED void FF_KERNEL(draw)(ff_ssa_vector16 *w, uint64_t later) {
  EACH(h) {
    U x[4];
    const U step = U_ADD(U_LOAD(AT(w->lanes.step, 0, h)), U_SET(later));
    FF_KERNEL(philox)(x, w->lanes.key_words, step, U_LOAD(AT(w->lanes.unit, 0, h)));
    D_STORE(AT(w->lanes.wait, 0, h), FF_KERNEL(minus_log)(D_WHOLE(x[1], x[0]) + D_SET(0.5)));
    D_STORE(AT(w->lanes.choice, 0, h), D_WHOLE(x[3], x[2]) * D_SET(0x1p-53));
  }
}

/* Several vectors at a time, so that the processor need not wait for one result after the other. */
#define AT_ONCE 4

/* Makes the draws for the next FF_SSA_DRAWS steps of so many lanes. */
FF_INLINED void FF_KERNEL(draw_ahead)(ff_ssa_lanes *l, const uint32_t lanes) {
  const uint32_t vectors = lanes / VL;
  const U m0 = U_SET(FF_PHILOX_M0), m1 = U_SET(FF_PHILOX_M1);
  for (uint32_t first = 0; first < FF_SSA_DRAWS * vectors; first += AT_ONCE) {
    U x[AT_ONCE][4];
    const U first0 = U_SET(l->key_words[0][0]), first1 = U_SET(l->key_words[1][0]);
    FF_UNROLLED for (uint32_t i = 0; i < AT_ONCE; i++) {
      const uint32_t draw = (first + i) / vectors, h = (first + i) % vectors;
      const U step = U_ADD(U_LOAD(l->step + h * VL), U_SET(draw + UINT64_C(1)));
      FF_KERNEL(first_round)(x[i], step, U_LOAD(l->unit + h * VL), m1, first0, first1);
    }
    for (int round = 1; round < FF_PHILOX_ROUNDS; round++) {
      const U k0 = U_SET(l->key_words[0][round]), k1 = U_SET(l->key_words[1][round]);
      FF_UNROLLED for (uint32_t i = 0; i < AT_ONCE; i++) FF_KERNEL(round)(x[i], m0, m1, k0, k1);
    }
    FF_UNROLLED for (uint32_t i = 0; i < AT_ONCE; i++) {
      D_STORE(l->wait + (first + i) * VL, FF_KERNEL(minus_log)(D_WHOLE(x[i][1], x[i][0]) + D_SET(0.5)));
      D_STORE(l->choice + (first + i) * VL, D_WHOLE(x[i][3], x[i][2]) * D_SET(0x1p-53));
    }
  }
  l->drawn = 0;
}

/* ---- the next step ----------------------------------------------------------------------------------------------------- */

static inline void FF_KERNEL(prefix)(D sum[FF_SSA_FAN + 1], const D child[FF_SSA_FAN]) { FF_SSA_TREE_PREFIX(D, sum, child); }

/* A number x is at most this if x <= at and x < total: the lesser one of `at` and the number before the total. If the total is 0,
 * this is NaN, so no number is. */
static inline D FF_KERNEL(below)(D at, D total) {
  const D before = D_OF(U_ADD(U_OF(total), U_SET(UINT64_MAX)));
  return D_LEAST(at, before);
}

/* As ff_ssa_tree_find(). *share becomes the part of the leaf's value that is left of `at`, which rounding may make more
 * than 1. */
FF_INLINED U FF_KERNEL(find)(const ff_ssa_vector16 *w, D at, int h, D *share) {
  U node = U_SET(0);
  D leaf = D_LOAD(AT(w->value, w->first[w->levels - 1], h));
  for (uint32_t level = w->levels - 1; level > 0; level--) {
    const double *v = AT(w->value, w->first[level - 1], h);
    const U base = U_LEFT(node, 3);
    const uint32_t n = w->n[level - 1] < FF_SSA_FAN ? w->n[level - 1] : FF_SSA_FAN;
    D child[FF_SSA_FAN], sum[FF_SSA_FAN + 1], before = D_SET(0.0);
    U chosen = U_SET(0);
    for (uint32_t i = 0; i < FF_SSA_FAN; i++) {
      child[i] = D_SET(0.0);
      if (i < n && level == w->levels - 1) child[i] = D_LOAD(AT(v, i, 0));
      if (i < n && level != w->levels - 1) child[i] = D_GATHER(v, U_ADD(base, U_SET(i)));
    }
    FF_KERNEL(prefix)(sum, child);
    const D below = FF_KERNEL(below)(at, sum[FF_SSA_FAN]);
    leaf = child[0];
    for (uint32_t i = 1; i < n; i++) {
      const M passed = D_MOST(sum[i], below);
      chosen = U_PICK(passed, U_SET(i), chosen);
      before = D_PICK(passed, sum[i], before);
      leaf = D_PICK(passed, child[i], leaf);
    }
    at = at - before;
    node = U_ADD(base, chosen);
  }
  *share = at / leaf;
  return node;
}

/* Chooses a leaf of the tree in each lane. share[lane], unless NULL, becomes the part of its value that is left of the choice. If
 * the sum is infinite, nothing is chosen: an idle lane goes on, although a formula may be infinite where all counts are 0. */
FF_INLINED void FF_KERNEL(next_steps)(ff_ssa_vector16 *w, double *share) {
  const double *total = AT(w->value, w->first[w->levels - 1], 0);
  EACH(h) {
    const D sum = D_LOAD(AT(total, 0, h)), at = D_LOAD(AT(w->lanes.choice, w->lanes.drawn, h)) * sum;
    const D time = D_LOAD(AT(w->lanes.time, 0, h)) + D_LOAD(AT(w->lanes.wait, w->lanes.drawn, h)) / sum;
    const M some = D_LESS(D_SET(0.0), sum), is_finite = D_LESS(sum, D_SET(INFINITY)), chooses = M_AND(some, is_finite);
    D left;
    const U found = FF_KERNEL(find)(w, at, h, &left);
    w->lanes.base.broken |= (uint64_t)M_BITS(M_NOT(is_finite)) << (h * VL);
    D_STORE(AT(w->lanes.next_time, 0, h), D_PICK(some, time, D_SET(INFINITY)));
    U_STORE(AT(w->lanes.next, 0, h), U_PICK(chooses, found, U_SET(w->lanes.program->n_reactions)));
    if (share != NULL) D_STORE(AT(share, 0, h), D_PICK(chooses, left, D_SET(0.0)));
  }
}

/* The draws for the step after the next one do not wait for anything, so the processor makes them in between. */
static inline void FF_KERNEL(look)(ff_ssa_vector16 *w) {
  FF_KERNEL(propensities)(w);
  FF_KERNEL(sums)(w);
  FF_KERNEL(next_steps)(w, NULL);
  FF_KERNEL(draw)(w, 1);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

static inline void FF_KERNEL(change_vectors)(ff_ssa_vector16 *w) {
  const ff_ssa_program *p = w->lanes.program;
  EACH(h) {
    const U next = U_LOAD(AT(w->lanes.next, 0, h));
    M large = M_NONE;
    for (uint32_t r = 0; r < p->n_reactions; r++) {
      const M fires = U_EQUAL(next, U_SET(r));
      for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
        double *count = AT(w->lanes.count, p->changes[i].species, h);
        const D now = D_LOAD(count) + D_PICK(fires, D_SET((double)p->changes[i].by), D_SET(0.0));
        large = M_OR(large, D_LESS(D_SET(FF_SSA_MAX_COUNT), now));
        D_STORE(count, now);
      }
    }
    w->lanes.base.broken |= (uint64_t)M_BITS(large) << (h * VL);
  }
}

static inline void FF_KERNEL(change_lanes)(ff_ssa_vector16 *w) {
  const ff_ssa_program *p = w->lanes.program;
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    if (w->lanes.next[lane] >= p->n_reactions) continue;
    for (uint32_t i = p->change_first[w->lanes.next[lane]]; i < p->change_first[w->lanes.next[lane] + 1]; i++) {
      double *count = w->lanes.count + (size_t)p->changes[i].species * FF_SSA_LANES + lane;
      *count += (double)p->changes[i].by;
      if (FF_RARELY(*count > FF_SSA_MAX_COUNT)) w->lanes.base.broken |= UINT64_C(1) << lane;
    }
  }
}

static inline uint64_t FF_KERNEL(report)(const ff_ssa_vector16 *w) {
  uint64_t bits = 0, idle = 0;
  EACH(h) {
    const D wanted = D_LOAD(AT(w->lanes.wanted, 0, h));
    bits |= (uint64_t)M_BITS(D_LESS(wanted, D_LOAD(AT(w->lanes.next_time, 0, h)))) << (h * VL);
    idle |= (uint64_t)M_BITS(M_NOT(D_LESS(wanted, D_SET(INFINITY)))) << (h * VL);
  }
  return bits | (w->lanes.base.broken & ~idle);
}

uint64_t FF_KERNEL(advance)(ff_lanes *engine, uint32_t *steps) {
  ff_ssa_vector16 *w = (ff_ssa_vector16 *)engine;
  const int vectors = w->lanes.program->n_changes <= FF_SSA_VECTOR_CHANGES;
  uint64_t bits = FF_KERNEL(report)(w);
  for (; bits == 0 && *steps > 0; --*steps) {
    EACH(h) {
      D_STORE(AT(w->lanes.time, 0, h), D_LOAD(AT(w->lanes.next_time, 0, h)));
      U_STORE(AT(w->lanes.step, 0, h), U_ADD(U_LOAD(AT(w->lanes.step, 0, h)), U_SET(1)));
    }
    if (vectors)
      FF_KERNEL(change_vectors)(w);
    else
      FF_KERNEL(change_lanes)(w);
    FF_KERNEL(look)(w);
    bits = FF_KERNEL(report)(w);
  }
  return bits;
}

#include "ff_ssa_factored_kernel.h"
#include "ff_ssa_ring16_kernel.h"
