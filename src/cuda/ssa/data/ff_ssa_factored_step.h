/* One step of a trajectory, for a network whose propensities have common factors and that is read as data
 * (ff_ssa_factored_image.h). A warp runs a trajectory. The same text is compiled for device and host (ff_warp.h).
 *
 * All bits are those of ff_ssa_factored.h. The propensities of groups are the leaves of a tree in which a node has eight
 * children, and is summed as a balanced binary tree (ff_ssa_tree.c). So all sums together have this shape, too: each lane adds up
 * its own leaves, and then lanes exchange sums in five steps. In each step a lane also adds up what comes before it among the
 * children of its node, so that a choice takes one vote at each level.
 *
 *   choice   A vote at each level of the tree: lanes whose children begin at or below the chosen number.
 *   search   A lane for each cell or member: sums of the first ones, and a vote.
 *   firing   A lane for each change of a count.
 *   update   With weights, each lane adds to the totals of its sums. With uses, a lane for each sum of a species that changes.
 *
 * A network has `each` groups for each lane in each of `rounds` rounds. Functions take these as arguments that are constants
 * where the functions are inlined. Everything that decides which way the warp goes has the same value in all lanes.
 */
#ifndef FF_SSA_FACTORED_STEP_H
#define FF_SSA_FACTORED_STEP_H

#include "ff_ssa_factored_image.h"
#include "ff_ssa_generic_step.h"

/* FF_ADD_UP: each lane adds the value of the lane that is `by` before it, if there is one. FF_TOTAL: the sum over all lanes.
 * FF_HIGHEST: the highest bit that is set. FF_GATHER: each lane gets the value of a lane that it chooses. FF_FRESH: a word that
 * atomic operations may have changed. */
#if defined(__CUDA_ARCH__)
#define FF_ADD_UP(name, by)                                                            \
  asm volatile("{ .reg .u32 r; .reg .pred p;\n"                                                 \
      "shfl.sync.up.b32 r|p, %0, %1, 0, 0xFFFFFFFF;\n"                                 \
      "@p add.u32 %0, %0, r; }" : "+r"(name) : "n"(by))
#define FF_HIGHEST(x) (31u - (unsigned)__clz((int)(x)))
#define FF_GATHER(out, name, from) (out) = __shfl_sync(0xFFFFFFFFu, (name), (int)(from))
#define FF_FRESH(at) (*(const volatile uint32_t *)(at))
#else
#define FF_ADD_UP(name, by) for (unsigned lane = 32u; lane-- > (by);) (name)[lane] += (name)[lane - (by)]
#define FF_HIGHEST(x) (31u - (unsigned)__builtin_clz(x))
#define FF_GATHER(out, name, from) FF_EACH_LANE (out)[lane] = (name)[from]
#define FF_FRESH(at) (*(at))
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define FF_TOTAL(out, name) (out) = __reduce_add_sync(0xFFFFFFFFu, (name))
#elif defined(__CUDA_ARCH__)
#define FF_TOTAL(out, name)                                                                                  \
  do {                                                                                                       \
    (out) = (name);                                                                                          \
    for (int ff_by = 16; ff_by > 0; ff_by /= 2) (out) += __shfl_xor_sync(0xFFFFFFFFu, (out), ff_by);         \
  } while (0)
#else
#define FF_TOTAL(out, name)                  \
  do {                                       \
    (out) = 0u;                              \
    FF_EACH_LANE (out) += (name)[lane];      \
  } while (0)
#endif

/* The leaves of a lane, by round, and what is in the tree before them. */
typedef struct {
  double leaf[FF_SSA_ROUNDS_MOST][FF_SSA_EACH_MOST];
  double before[FF_SSA_ROUNDS_MOST][FF_SSA_EACH_MOST]; /* the sum of those leaves of the node that come before leaf i */
  double upper[FF_SSA_ROUNDS_MOST][2]; /* the same at levels 1 and 2, for the nodes that the lane is in */
  double node[FF_SSA_ROUNDS_MOST][3];  /* the sums of the nodes of levels 1, 2 and 3 that the lane is in */
} ff_ssa_lane_leaves;

typedef struct {
  ff_ssa_warp base; /* its image, value and lists are not used */
  const ff_ssa_factored_image *net;
  const ff_ssa_factored_leaf *leaves; /* those of net, or a copy of them in shared memory */
  uint32_t *total;
  uint32_t *cell1, *cell2; /* cells of both levels. An array would be indexed, and then this struct would be in slow memory */
  double two, three; /* the sums of the first two rounds and of the third one, if there are three */
  FF_LANE_VAR(ff_ssa_lane_leaves, own);
} ff_ssa_factored_warp;

/* Where the words of a slot are while it runs. All are kept behind the head of the slot; some work elsewhere, on a device in
 * shared memory: first the totals and cells, then the counts. */
typedef struct {
  uint64_t bytes;       /* of a slot */
  uint32_t stay_cells, stay_counts; /* words of the cells of level 1, and of counts, if these work where they are kept; else 0 */
  uint32_t elsewhere;   /* all other words */
} ff_ssa_factored_layout;

static inline ff_ssa_factored_layout ff_ssa_factored_lay_out(const ff_ssa_factored_image *image, int stay_cells,
                                                             int stay_counts) {
  const uint32_t cells = image->levels > 0u ? image->count - image->cell[1] : 0u;
  ff_ssa_factored_layout at;
  at.bytes = FF_SSA_SLOT_HEAD + (uint64_t)image->n_words * 4u; /* words are a multiple of 32 */
  at.stay_cells = stay_cells ? cells : 0u;
  at.stay_counts = stay_counts ? image->n_words - image->count : 0u;
  at.elsewhere = image->n_words - at.stay_cells - at.stay_counts;
  return at;
}

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

FF_WARP uint32_t ff_ssa_log2_each(uint32_t each) { return each >= 8u ? 3u : each >= 4u ? 2u : each >= 2u ? 1u : 0u; }

/* Computes the leaves of a lane in a round, and what comes before each of them in the lane. Returns their sum. */
FF_WARP double ff_ssa_sum_lane(const ff_ssa_factored_warp *w, double *v, double *before, uint32_t lane, uint32_t round,
                               uint32_t each) {
  FF_UNROLL for (uint32_t i = 0; i < each; i++) {
    const ff_ssa_factored_leaf leaf = w->leaves[(round * each + i) * 32u + lane];
    const uint32_t b = w->total[leaf.sum], pool = leaf.hub & FF_SSA_LEAF_POOL;
    const uint32_t a = pool ? b : w->base.count[leaf.hub];
    v[i] = leaf.rate * ((double)a - (pool ? 1.0 : 0.0)) * (double)b;
  }
  before[0] = 0.0;
  if (each == 1u) return v[0];
  const double two = v[0] + v[1];
  before[1] = v[0];
  if (each == 2u) return two;
  const double four = two + (v[2] + v[3]);
  before[2] = two;
  before[3] = two + v[2];
  if (each == 4u) return four;
  const double six = v[4] + v[5];
  before[4] = four;
  before[5] = four + v[4];
  before[6] = four + six;
  before[7] = four + (six + v[6]);
  return four + (six + (v[6] + v[7]));
}

/* Computes all leaves and the sums of nodes. Returns the sum of all leaves. */
FF_WARP double ff_ssa_factored_total(ff_ssa_factored_warp *w, uint32_t each, uint32_t rounds) {
  FF_LANE_IN;
  const uint32_t log = ff_ssa_log2_each(each);
  double total[FF_SSA_ROUNDS_MOST] = {0.0};
  FF_UNROLL for (uint32_t r = 0; r < rounds; r++) {
    FF_LANE_VAR(double, part);
    FF_LANE_VAR(double, other);
    FF_EACH_LANE {
      FF_L(part) = ff_ssa_sum_lane(w, w->FF_L(own).leaf[r], w->FF_L(own).before[r], lane, r, each);
      w->FF_L(own).upper[r][0] = w->FF_L(own).upper[r][1] = 0.0;
      if (each == 8u) w->FF_L(own).node[r][0] = FF_L(part);
    }
    FF_UNROLL for (uint32_t k = 0; k < 5u; k++) {
      const uint32_t bit = log + k, level = bit / 3u;
      FF_EXCHANGE(other, part, 1u << k);
      FF_EACH_LANE {
        const double x = lane >> k & 1u ? FF_L(other) : 0.0;
        if (level == 0u) {
          FF_UNROLL for (uint32_t i = 0; i < each; i++) w->FF_L(own).before[r][i] = x + w->FF_L(own).before[r][i];
        } else {
          w->FF_L(own).upper[r][level - 1u] = x + w->FF_L(own).upper[r][level - 1u];
        }
        FF_L(part) += FF_L(other);
        if (bit % 3u == 2u) w->FF_L(own).node[r][level] = FF_L(part);
      }
    }
    FF_FIRST_LANE(total[r], part);
  }
  if (rounds == 1u) return total[0];
  FF_EACH_LANE w->FF_L(own).upper[1][1] = total[0] + w->FF_L(own).upper[1][1];
  if (rounds == 2u) return total[0] + total[1];
  w->two = total[0] + total[1];
  w->three = total[2];
  return w->two + w->three;
}

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

/* The aligned range of 2^log lanes that contains a lane, as bits. */
FF_WARP uint32_t ff_ssa_lanes_around(uint32_t lane, uint32_t log) { return ((1u << (1u << log)) - 1u) << (lane >> log << log); }

/* `at`, or the largest number below `total` if `at` is not below it. `total` is not 0. */
FF_WARP double ff_ssa_most_below(double at, double total) {
  return at < total ? at : ff_math_from_bits(ff_math_bits(total) - 1u);
}

typedef struct {
  uint32_t group;
  double share; /* what is left of the choice, as a part of the group's propensity */
} ff_ssa_factored_choice;

/* What a lane has in the round that is chosen. */
#define FF_SSA_IN_ROUND(name, i)                                                               \
  (rounds > 2u && round == 2u   ? w->FF_L(own).name[2][i]                                      \
   : rounds > 1u && round == 1u ? w->FF_L(own).name[1][i]                                      \
                                : w->FF_L(own).name[0][i])

/* Chooses a round. Two of them are a node, and its sum is w->two. */
FF_WARP uint32_t ff_ssa_factored_round(const ff_ssa_factored_warp *w, double *at, double *total, uint32_t rounds) {
  FF_LANE_IN;
  uint32_t who;
  if (rounds == 1u) return 0u;
  if (rounds == 3u) {
    if (w->two <= ff_ssa_most_below(*at, *total)) {
      *at -= w->two;
      *total = w->three;
      return 2u;
    }
    *total = w->two;
  }
  const double most = ff_ssa_most_below(*at, *total);
  FF_BALLOT(who, w->FF_L(own).upper[1][1] <= most);
  return who != 0u;
}

/* As ff_ssa_tree_find(), with `total` the sum of all. */
FF_WARP ff_ssa_factored_choice ff_ssa_factored_choose(const ff_ssa_factored_warp *w, double at, double total, uint32_t each,
                                                      uint32_t rounds) {
  FF_LANE_IN;
  const uint32_t log = ff_ssa_log2_each(each), round = ff_ssa_factored_round(w, &at, &total, rounds);
  uint32_t who, among = 0xFFFFFFFFu, chosen;
  double less, value, most = ff_ssa_most_below(at, total);
  FF_LANE_VAR(double, mine);
  if (each >= 4u) { /* among nodes of 64 leaves */
    FF_EACH_LANE FF_L(mine) = FF_SSA_IN_ROUND(upper, 1);
    FF_BALLOT(who, FF_L(mine) <= most);
    chosen = FF_HIGHEST(who);
    FF_FROM_LANE(less, mine, chosen);
    FF_EACH_LANE FF_L(mine) = FF_SSA_IN_ROUND(node, 1);
    FF_FROM_LANE(total, mine, chosen);
    among = ff_ssa_lanes_around(chosen, 6u - log);
    at -= less;
    most = ff_ssa_most_below(at, total);
  }
  FF_EACH_LANE FF_L(mine) = FF_SSA_IN_ROUND(upper, 0);
  FF_BALLOT(who, FF_L(mine) <= most);
  chosen = FF_HIGHEST(who & among);
  FF_FROM_LANE(less, mine, chosen);
  FF_EACH_LANE FF_L(mine) = FF_SSA_IN_ROUND(node, 0);
  FF_FROM_LANE(total, mine, chosen);
  among = ff_ssa_lanes_around(chosen, 3u - log);
  at -= less;
  most = ff_ssa_most_below(at, total);
  FF_LANE_VAR(double, leaf);
  FF_LANE_VAR(uint32_t, n);
  FF_EACH_LANE {
    FF_L(n) = 0u;
    FF_L(mine) = FF_L(leaf) = 0.0;
    FF_UNROLL for (uint32_t i = 0; i < each; i++) {
      const double before = FF_SSA_IN_ROUND(before, i);
      const int passed = before <= most;
      FF_L(n) = passed ? i + 1u : FF_L(n);
      FF_L(mine) = passed ? before : FF_L(mine);
      FF_L(leaf) = passed ? FF_SSA_IN_ROUND(leaf, i) : FF_L(leaf);
    }
  }
  FF_BALLOT(who, FF_L(n) > 0u);
  chosen = FF_HIGHEST(who & among);
  FF_FROM_LANE(less, mine, chosen);
  FF_FROM_LANE(value, leaf, chosen);
  FF_FROM_LANE(who, n, chosen);
  const ff_ssa_factored_choice out = {round * 32u * each + chosen * each + who - 1u, (at - less) / value};
  return out;
}

/* ---- molecules ---------------------------------------------------------------------------------------------------------- */

/* A member of a sum: its position, its count, and the number of the molecule among its ranges. */
typedef struct {
  uint32_t position, x, left;
} ff_ssa_factored_place;

/* The entry, from `from` on, at which the sum of entries exceeds *v; *v becomes what is left. Entries are cells of a level, or
 * for level 0 counts of members times weights. `end` is the end of the entries. */
FF_WARP uint32_t ff_ssa_rank(const ff_ssa_factored_warp *w, uint32_t level, uint32_t from, uint32_t end, uint32_t *v,
                             uint32_t *x) {
  FF_LANE_IN;
  FF_LANE_VAR(uint32_t, entry);
  FF_LANE_VAR(uint32_t, count);
  FF_LANE_VAR(uint32_t, sum);
  uint32_t all, who, less;
  FF_NO_UNROLL for (;; from += 32u, *v -= all) {
    FF_EACH_LANE {
      FF_L(entry) = FF_L(count) = 0u;
      if (from + lane < end && level > 0u) FF_L(entry) = FF_FRESH((level == 1u ? w->cell1 : w->cell2) + from + lane);
      if (from + lane < end && level == 0u) {
        const uint32_t member = w->net->members[from + lane];
        FF_L(count) = w->base.count[member & FF_SSA_MEMBER_SPECIES];
        FF_L(entry) = FF_L(count) * ((member >> 24) + 1u);
      }
    }
    if (from + 32u >= end) break;
    FF_TOTAL(all, entry);
    if (*v < all) break;
  }
  FF_EACH_LANE FF_L(sum) = FF_L(entry);
  FF_ADD_UP(sum, 1u);
  FF_ADD_UP(sum, 2u);
  FF_ADD_UP(sum, 4u);
  FF_ADD_UP(sum, 8u);
  FF_ADD_UP(sum, 16u);
  FF_BALLOT(who, FF_L(sum) <= *v);
  const uint32_t chosen = FF_POPCOUNT(who) < 32u ? FF_POPCOUNT(who) : 31u;
  FF_EACH_LANE FF_L(sum) -= FF_L(entry);
  FF_FROM_LANE(less, sum, chosen);
  FF_FROM_LANE(*x, count, chosen);
  *v -= less;
  return from + chosen;
}

/* The member to which molecule v of a sum belongs. */
FF_WARP ff_ssa_factored_place ff_ssa_factored_find(const ff_ssa_factored_warp *w, const ff_ssa_factored_search *s, uint32_t v) {
  uint32_t from = s->first >> (5u * w->net->levels), x = 0u;
  FF_NO_UNROLL for (uint32_t level = w->net->levels; level > 0u; level--)
    from = 32u * ff_ssa_rank(w, level, from, ((s->end - 1u) >> (5u * level)) + 1u, &v, &x);
  const uint32_t at = ff_ssa_rank(w, 0u, from, s->end, &v, &x);
  const ff_ssa_factored_place out = {at, x, v};
  return out;
}

/* The number of the second molecule of a pool, if the first one is number v of n. */
FF_WARP uint32_t ff_ssa_factored_second(const ff_ssa_factored_warp *w, uint32_t v, uint32_t n) {
  const ff_philox_block words =
      ff_philox(ff_philox_counter(FF_SSA_DRAW_STEP, 1, w->base.step, ff_ssa_warp_number(&w->base)), ff_ssa_warp_key(&w->base));
  const uint32_t second = (uint32_t)(ff_closed(words.v[0], words.v[1]) * (double)(n - 1u));
  const uint32_t v2 = second < n - 1u ? second : n - 2u;
  return v2 < v ? v2 : v2 + 1u;
}

/* The entry of the map that a group and a share of it determine. */
FF_WARP uint32_t ff_ssa_factored_entry(const ff_ssa_factored_warp *w, const ff_ssa_factored_choice *c, uint32_t each) {
  const ff_ssa_factored_search s = w->net->searches[c->group];
  const uint32_t n = w->total[w->leaves[FF_SSA_SUM_WORD(c->group, each)].sum], ranges = s.ranges & ~FF_SSA_LEAF_POOL;
  const uint32_t chosen = (uint32_t)(c->share * (double)n), v = chosen < n ? chosen : n - 1u;
  const ff_ssa_factored_place place = ff_ssa_factored_find(w, &s, v);
  uint32_t unit = 0u;
  if (s.ranges & FF_SSA_LEAF_POOL)
    unit = ff_ssa_factored_find(w, &s, ff_ssa_factored_second(w, v, n)).position - s.first;
  else if (ranges > 1u)
    unit = place.left / (place.x > 1u ? place.x : 1u);
  return s.map + (place.position - s.first) * ranges + unit;
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

/* The sum of four products of bytes: without a sign, and with one. */
FF_WARP uint32_t ff_ssa_dot(uint32_t bytes, uint32_t with_signs, uint32_t sum) {
#if defined(__CUDA_ARCH__)
  uint32_t out;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(out) : "r"(bytes), "r"(with_signs), "r"(sum));
  return out;
#else
  for (uint32_t i = 0; i < 32u; i += 8u) sum += (bytes >> i & 0xFFu) * (uint32_t)(int32_t)(int8_t)(uint8_t)(with_signs >> i);
  return sum;
#endif
}

/* Bytes i of four words. */
FF_WARP uint32_t ff_ssa_column(const uint32_t word[4], uint32_t i) {
#if defined(__CUDA_ARCH__)
  const uint32_t pairs = i < 2u ? 0x5140u : 0x7362u;
  const uint32_t low = __byte_perm(word[0], word[1], pairs), high = __byte_perm(word[2], word[3], pairs);
  return __byte_perm(low, high, i % 2u == 0u ? 0x5410u : 0x7632u);
#else
  uint32_t out = 0u;
  for (uint32_t j = 0; j < 4u; j++) out |= (word[j] >> (8u * i) & 0xFFu) << (8u * j);
  return out;
#endif
}

/* Adds to the totals of a lane's sums what four changes add to them. `by` has a byte for each of them. Returns whether a total is
 * too large. */
FF_WARP int ff_ssa_add_weights(const ff_ssa_factored_warp *w, const uint32_t species[4], uint32_t by, uint32_t lane,
                               uint32_t round, uint32_t each, uint32_t rounds) {
  int bad = 0;
  FF_UNROLL for (uint32_t i = 0; i < each; i += 4u) {
    const uint32_t at = lane * each + i;
    uint32_t word[4];
    FF_UNROLL for (uint32_t j = 0; j < 4u; j++)
      word[j] = w->net->weights[(species[j] * rounds + round) * (8u * each) + at / 4u] >> (at % 4u * 8u);
    FF_UNROLL for (uint32_t k = 0; k < 4u && i + k < each; k++) {
      uint32_t *const total = w->total + ((round * each + i + k) * 32u + lane);
      const uint32_t now = ff_ssa_dot(ff_ssa_column(word, k), by, *total);
      *total = now;
      bad |= now > FF_DEVICE_MOST;
    }
  }
  return bad;
}

/* All sums, by weights. Returns whether a total is too large for this lane. */
FF_WARP uint32_t ff_ssa_add_changes(const ff_ssa_factored_warp *w, const ff_ssa_factored_by *changes, uint32_t each,
                                    uint32_t rounds) {
  FF_LANE_IN;
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE FF_L(bad) = 0;
  FF_NO_UNROLL for (uint32_t base = 0; base < w->net->n_changes; base += 4u) {
    const ff_ssa_factored_by *c = changes + base;
    const uint32_t species[4] = {c[0].species, c[1].species, c[2].species, c[3].species};
    const uint32_t by = ((uint32_t)c[0].by & 0xFFu) | ((uint32_t)c[1].by & 0xFFu) << 8 | ((uint32_t)c[2].by & 0xFFu) << 16 |
                        (uint32_t)c[3].by << 24;
    FF_EACH_LANE FF_UNROLL for (uint32_t r = 0; r < rounds; r++)
        FF_L(bad) |= ff_ssa_add_weights(w, species, by, lane, r, each, rounds);
  }
  FF_BALLOT(who, FF_L(bad));
  return who;
}

/* All sums, by uses: a lane for each use of a species that changes. */
FF_WARP uint32_t ff_ssa_add_uses(const ff_ssa_factored_warp *w, const ff_ssa_factored_by *changes) {
  FF_LANE_IN;
  const uint32_t uses = w->net->n_uses, n = w->net->n_changes * uses;
  FF_LANE_VAR(int, bad);
  uint32_t who, any = 0u;
  FF_NO_UNROLL for (uint32_t base = 0; base < n; base += 32u) {
    FF_LANE_VAR(uint32_t, sum);
    FF_EACH_LANE {
      FF_L(sum) = 0u;
      if (base + lane < n) {
        const uint32_t i = uses == 1u ? base + lane : (base + lane) / uses;
        const ff_ssa_factored_by change = changes[i];
        const ff_ssa_factored_use use = w->net->uses[(size_t)change.species * uses + (base + lane - i * uses)];
        const uint32_t more = (uint32_t)change.by * (use.sum >> 16);
        FF_L(sum) = use.sum & 0xFFFFu;
        if (more != 0u) {
          FF_ATOMIC_ADD(w->total + FF_L(sum), more);
          if (w->net->levels > 0u) FF_ATOMIC_ADD(w->cell1 + (use.position >> 5u), more);
          if (w->net->levels > 1u) FF_ATOMIC_ADD(w->cell2 + (use.position >> 10u), more);
        }
      }
    }
    FF_SYNCWARP();
    FF_EACH_LANE FF_L(bad) = FF_FRESH(w->total + FF_L(sum)) > FF_DEVICE_MOST;
    FF_BALLOT(who, FF_L(bad));
    any |= who;
  }
  return any;
}

/* Changes what an entry of a map changes. Returns whether all counts and totals are still in order. */
FF_WARP int ff_ssa_factored_fire(const ff_ssa_factored_warp *w, uint32_t entry, uint32_t each, uint32_t rounds) {
  FF_LANE_IN;
  const uint32_t n = w->net->n_changes;
  const ff_ssa_factored_by *const changes = w->net->changes + (size_t)entry * n;
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(bad) = 0;
    if (lane < n) {
      const ff_ssa_factored_by change = changes[lane];
      const uint32_t count = w->base.count[change.species] + (uint32_t)change.by;
      if (change.by != 0) w->base.count[change.species] = count; /* the entries that fill up have one species */
      FF_L(bad) = count > FF_DEVICE_MOST;
    }
  }
  FF_BALLOT(who, FF_L(bad));
  who |= w->net->n_uses > 0u ? ff_ssa_add_uses(w, changes) : ff_ssa_add_changes(w, changes, each, rounds);
  FF_SYNCWARP();
  return who == 0u;
}

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

/* Sets the parts of a slot that work elsewhere, or with `all` every word, from words as they are kept. */
FF_WARP void ff_ssa_factored_set(const ff_ssa_factored_warp *w, const ff_ssa_factored_layout *at, const uint32_t *words,
                                 int all) {
  const uint32_t count = w->net->count, low = w->net->levels > 0u ? w->net->cell[1] : count;
  ff_ssa_warp_copy(w->total, words, low);
  if (low < count && (all || at->stay_cells == 0u)) ff_ssa_warp_copy(w->cell1, words + low, count - low);
  if (all || at->stay_counts == 0u) ff_ssa_warp_copy(w->base.count, words + count, w->net->n_words - count);
}

/* Copies what works elsewhere to where it is kept. */
FF_WARP void ff_ssa_factored_keep(const ff_ssa_factored_warp *w, const ff_ssa_factored_layout *at, uint32_t *words) {
  const uint32_t count = w->net->count, low = w->net->levels > 0u ? w->net->cell[1] : count;
  ff_ssa_warp_copy(words, w->total, low);
  if (low < count && at->stay_cells == 0u) ff_ssa_warp_copy(words + low, w->cell1, count - low);
  if (at->stay_counts == 0u) ff_ssa_warp_copy(words + count, w->base.count, w->net->n_words - count);
}

/* Takes the image of the trajectory's point. */
FF_WARP void ff_ssa_factored_locate(ff_ssa_factored_warp *w) {
  if (w->base.point_words == 0u || w->base.what != FF_SLOT_BUSY) return;
  w->net = &((const ff_ssa_factored_point *)w->base.point)->image;
  w->leaves = w->net->leaves;
}

/* Begins the next trajectory of the wave, if there is one. */
FF_WARP void ff_ssa_factored_begin(ff_ssa_factored_warp *w, const ff_ssa_factored_layout *at) {
  ff_ssa_warp *const b = &w->base;
  ff_ssa_warp_take(b);
  if (b->what != FF_SLOT_BUSY) return;
  ff_ssa_factored_locate(w);
  ff_ssa_factored_set(w, at, w->net->initial, 1);
  FF_SYNCWARP();
}

/* Finds the next step. Records what comes before it, and then lets it happen or ends the trajectory. */
FF_WARP void ff_ssa_factored_step(ff_ssa_factored_warp *w, uint32_t each, uint32_t rounds) {
  ff_ssa_warp *const b = &w->base;
  const double total = ff_ssa_factored_total(w, each, rounds);
  double next_time = ff_math_infinity(), wait, choice;
  if (!(total < ff_math_infinity())) {
    ff_ssa_warp_end(b, 1);
    return;
  }
  if (b->drawn == 32u) ff_ssa_warp_draw(b);
  FF_FROM_LANE(wait, b->wait, b->drawn);
  FF_FROM_LANE(choice, b->choice, b->drawn);
  b->drawn++;
  if (total > 0.0) next_time = b->time + wait / total;
  if (b->wanted < next_time) ff_ssa_warp_record(b, next_time);
  if (b->at == b->run->n_times) {
    ff_ssa_warp_end(b, 0);
    return;
  }
  const ff_ssa_factored_choice chosen = ff_ssa_factored_choose(w, choice * total, total, each, rounds);
  const int fine = ff_ssa_factored_fire(w, ff_ssa_factored_entry(w, &chosen, each), each, rounds);
  b->time = next_time;
  b->step++;
  if (!fine || b->step == FF_SSA_MOST_STEPS) ff_ssa_warp_end(b, 1);
}

/* ---- launches ----------------------------------------------------------------------------------------------------------- */

/* Runs a launch for a slot. net, leaves, base.run and base.point_words are set; with points, net is that of any. `place` is the
 * memory for the words that work elsewhere. */
FF_WARP void ff_ssa_factored_run(ff_ssa_factored_warp *w, const ff_ssa_factored_layout *at, uint32_t slot, uint32_t *place,
                                 uint32_t each, uint32_t rounds) {
  FF_LANE_IN;
  ff_ssa_warp *const b = &w->base;
  const ff_ssa_factored_image *net = w->net;
  char *const kept = (char *)b->run->state + slot * at->bytes;
  ff_ssa_slot *const head = (ff_ssa_slot *)kept;
  uint32_t *const words = (uint32_t *)(kept + FF_SSA_SLOT_HEAD);
  w->total = place;
  w->cell1 = at->stay_cells > 0u ? words + net->cell[1] : place + net->cell[1];
  w->cell2 = place + net->cell[2];
  b->count = at->stay_counts > 0u ? words + net->count : place + (net->count - at->stay_cells);
  if (!ff_ssa_warp_resume(b, slot, head)) return;
  ff_ssa_factored_locate(w);
  if (b->what == FF_SLOT_BUSY) ff_ssa_factored_set(w, at, words, 0);
  ff_ssa_warp_limit limit = ff_ssa_warp_limit_of(b->run);
  FF_SYNCWARP();
  FF_NO_UNROLL for (; ff_ssa_warp_goes_on(b, &limit); ff_ssa_warp_count(b, &limit, FF_SSA_WARP_STEPS)) {
    if (b->what == FF_SLOT_EMPTY)
      ff_ssa_factored_begin(w, at);
    else
      ff_ssa_factored_step(w, each, rounds);
  }
  FF_SYNCWARP();
  if (b->what == FF_SLOT_BUSY) ff_ssa_factored_keep(w, at, words);
  const ff_ssa_slot after = {b->time, b->unit, b->step, b->at, b->what};
  FF_EACH_LANE if (lane == 0u) *head = after;
}

#endif
