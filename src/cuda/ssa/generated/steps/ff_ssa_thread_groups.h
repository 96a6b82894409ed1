/* The parts of generated code for many groups of reactions that do not depend on the network. A part of ff_ssa_thread_factored.h.
 *
 * The propensity of a group is its leaf in a tree of sums. Each thread keeps the two numbers of every leaf, but not its value,
 * and the sums of halves: leaves 4 h to 4 h + 3 are half h, and two halves are a node of the tree. A step changes few halves,
 * and only these are summed again. All sums follow from the numbers alone, so a launch begins with new ones.
 *
 * Special groups have other laws, or totals in registers; the generated code computes them at each step.
 *
 *   S_LEAVES, S_LEAF_WORDS  the word of the first leaf, and words of all
 *   S_LEAF_BITS32           whether a leaf is two words; else it is two numbers of 16 bits, at most S_LEAF_MOST
 *   S_ONE_RATE              whether the leaves have one rate and are no pools; else their rates are from number S_LEAF_RATES of
 *                           the doubles of the table
 *   S_TWINS                 whether some are pools, whose rates have a minus sign
 *   S_SPECIAL               special groups
 *   S_HALVES                halves
 *   S_SUMS, S_UPPERS        sums that a thread keeps, and how many are of nodes of nodes; these are the last
 *   S_FIXED                 the words of a change without lists of many leaves, and
 *   S_MORE                  where its part for groups begins: leaves and what is added to them, halves, and nodes of nodes
 *   S_LEAF_ENTRIES, S_HALVES_CHANGED, S_UPPERS_CHANGED  the most of these
 *   S_LOOPED                whether they are many; a word then has their numbers
 *
 *   s_values(t, value, sum)             computes the special groups; returns whether a value is invalid
 *   s_insert(half, value, sum, leaf, of) puts them among the leaves of a half
 */
#ifndef FF_SSA_THREAD_GROUPS_H
#define FF_SSA_THREAD_GROUPS_H

#define S_SUM(i) (t->sums[(i) * S_THREADS])
#define S_LEAF(i) S_WORD(S_LEAVES + (i))
#if S_POINTS
#define S_LEAF_RATE(i) (((const double *)(t->point + S_POINT_LEAVES))[i])
#else
#define S_LEAF_RATE(i) (((const double *)t->table)[S_LEAF_RATES + (i)])
#endif

FF_WARP int s_values(const s_thread *t, double *value, uint32_t *sum);
FF_WARP void s_insert(uint32_t half, const double *value, const uint32_t *sum, double *leaf, uint32_t *of);

/* The leaves of a half; of[] becomes their sums of counts. */
FF_WARP void s_half(const s_thread *t, const double *special, const uint32_t *special_of, uint32_t half, double leaf[4],
                    uint32_t of[4]) {
  FF_UNROLL for (uint32_t k = 0; k < 4u; k++) {
#if S_LEAF_BITS32
    const uint32_t x = S_LEAF(half * 8u + 2u * k), y = S_LEAF(half * 8u + 2u * k + 1u);
    const double a = S_REAL(x), b = S_REAL(y);
    of[k] = y;
#else
    const uint32_t word = S_LEAF(half * 4u + k);
    const double a = (double)(unsigned short)word, b = (double)(unsigned short)(word >> 16);
    of[k] = word >> 16;
#endif
#if S_ONE_RATE
    leaf[k] = S_RATE(0) * a * b;
#elif S_TWINS
    const double rate = S_LEAF_RATE(k * S_HALVES + half);
    leaf[k] = (rate < 0.0 ? -rate : rate) * (a - (rate < 0.0 ? 1.0 : 0.0)) * b;
#else
    leaf[k] = S_LEAF_RATE(k * S_HALVES + half) * a * b;
#endif
  }
  s_insert(half, special, special_of, leaf, of);
}

FF_WARP void s_sum_half(s_thread *t, const double *special, const uint32_t *special_of, uint32_t half) {
  double leaf[4];
  uint32_t of[4];
  s_half(t, special, special_of, half, leaf, of);
  S_SUM(half) = (leaf[0] + leaf[1]) + (leaf[2] + leaf[3]);
}

/* The sum of eight nodes. */
FF_WARP void s_sum_upper(s_thread *t, uint32_t i) {
  double v[8];
  FF_UNROLL for (uint32_t k = 0; k < 8u; k++) v[k] = S_SUM(i * 16u + 2u * k) + S_SUM(i * 16u + 2u * k + 1u);
  S_SUM(S_SUMS - S_UPPERS + i) = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

FF_WARP void s_sum_all(s_thread *t) {
  double special[S_SPECIAL + 1u];
  uint32_t of[S_SPECIAL + 1u];
  (void)s_values(t, special, of);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_SUMS; i++) S_SUM(i) = 0.0;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_HALVES; i++) s_sum_half(t, special, of, i);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_UPPERS; i++) s_sum_upper(t, i);
}

/* Adds to a leaf. An entry is its number in the upper half, and two bytes: 128 + what is added to its numbers. */
FF_WARP void s_add(s_thread *t, uint32_t entry) {
#if S_LEAF_BITS32
  S_LEAF(2u * (entry >> 16)) += (entry & 0xFFu) - 128u;
  S_LEAF(2u * (entry >> 16) + 1u) += (entry >> 8 & 0xFFu) - 128u;
#else
  S_LEAF(entry >> 16) += S_SPREAD(entry, 0u) - 0x00800080u;
#endif
}

#define S_BYTE_OF(words, i) ((words)[(i) / 4u] >> ((i) % 4u * 8u) & 0xFFu)

/* Changes leaves and sums; the other counts have changed. Returns when all lanes have. */
FF_WARP void s_update(s_thread *t, const uint32_t *row, const uint32_t *more) {
  double special[S_SPECIAL + 1u];
  uint32_t of[S_SPECIAL + 1u];
  (void)s_values(t, special, of);
#if S_LOOPED
  const uint32_t n = more[0], leaves = n >> 16, halves = n >> 8 & 0xFFu, uppers = n & 0xFFu;
  const uint32_t *bytes = more + 1 + S_LEAF_ENTRIES;
  FF_NO_UNROLL for (uint32_t i = 0; S_ANY(i < leaves); i++)
    if (i < leaves) s_add(t, more[1u + i]);
  FF_NO_UNROLL for (uint32_t i = 0; S_ANY(i < halves); i++)
    if (i < halves) s_sum_half(t, special, of, S_BYTE_OF(bytes, i));
  FF_NO_UNROLL for (uint32_t i = 0; S_ANY(i < uppers); i++)
    if (i < uppers) s_sum_upper(t, S_BYTE_OF(bytes, S_HALVES_CHANGED + i));
  FF_SYNCWARP();
  (void)row;
#else
  const uint32_t *bytes = row + S_MORE + S_LEAF_ENTRIES;
  FF_UNROLL for (uint32_t i = 0; i < S_LEAF_ENTRIES; i++) s_add(t, row[S_MORE + i]);
  FF_UNROLL for (uint32_t i = 0; i < S_HALVES_CHANGED; i++) s_sum_half(t, special, of, S_BYTE_OF(bytes, i));
  FF_UNROLL for (uint32_t i = 0; i < S_UPPERS_CHANGED; i++) s_sum_upper(t, S_BYTE_OF(bytes, S_HALVES_CHANGED + i));
  (void)more;
#endif
}

/* Chooses one of the eight children of a node, whose sum is `sum`, where `at` is the chosen part of the sum. *before becomes the
 * sum of the children before. The sums are those of FF_SSA_TREE_PREFIX: that of the first half is added to those in the
 * second. */
FF_WARP uint32_t s_child(const double child[7], double sum, double at, double *before) {
  const double first = (child[0] + child[1]) + (child[2] + child[3]), most = s_most_below(at, sum);
  const int second = first <= most;
  const double base = second ? first : 0.0, x = second ? child[4] : child[0], z = second ? child[6] : child[2];
  const double pair = x + (second ? child[5] : child[1]), one = base + x, two = base + pair, three = base + (pair + z);
  const int over1 = one <= most, over2 = two <= most, over3 = three <= most;
  *before = over3 ? three : over2 ? two : over1 ? one : base;
  return (second ? 4u : 0u) + (over3 ? 3u : over2 ? 2u : over1 ? 1u : 0u);
}

/* Chooses a leaf of a node in the same way. */
FF_WARP void s_choose(const s_thread *t, const double *special, const uint32_t *special_of, uint32_t node, double at,
                      s_next *next) {
  const double first = S_SUM(2u * node), last = S_HALVES % 2u == 0u || 2u * node + 1u < S_HALVES ? S_SUM(2u * node + 1u) : 0.0;
  const double most = s_most_below(at, first + last);
  const int second = first <= most;
  const uint32_t half = 2u * node + (second ? 1u : 0u);
  double leaf[4], before = second ? first : 0.0;
  uint32_t of[4];
  s_half(t, special, special_of, half, leaf, of);
  const double pair = leaf[0] + leaf[1], one = before + leaf[0], two = before + pair, three = before + (pair + leaf[2]);
  const int over1 = one <= most, over2 = two <= most, over3 = three <= most;
  double value = over1 ? leaf[1] : leaf[0];
  next->reaction = over1 ? 1u : 0u;
  next->n = over1 ? of[1] : of[0];
  before = over1 ? one : before;
  value = over2 ? leaf[2] : value;
  next->reaction = over2 ? 2u : next->reaction;
  next->n = over2 ? of[2] : next->n;
  before = over2 ? two : before;
  value = over3 ? leaf[3] : value;
  next->reaction = half * 4u + (over3 ? 3u : next->reaction);
  next->n = over3 ? of[3] : next->n;
  before = over3 ? three : before;
  next->share = S_DIVIDE(at - before, value);
}

#define S_NODES ((S_HALVES + 1u) / 2u)
#define S_TOPS ((S_NODES + S_CHILDREN - 1u) / S_CHILDREN) /* nodes of nodes */

FF_WARP double s_node(const s_thread *t, uint32_t i) {
  return 2u * i + 1u < S_HALVES ? S_SUM(2u * i) + S_SUM(2u * i + 1u) : S_SUM(2u * i);
}

#if S_TOPS == 1
FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {
  double special[S_SPECIAL + 1u], node[S_NODES], sum[S_CHILDREN + 1u], before;
  uint32_t of[S_SPECIAL + 1u];
  const int invalid = s_values(t, special, of);
  FF_UNROLL for (uint32_t i = 0; i < S_NODES; i++) node[i] = s_node(t, i);
  s_prefix(node, S_NODES, sum);
  const double total = sum[S_NODES], at = s_at(choice, total), most = S_PLAIN ? at : s_most_below(at, total);
  const uint32_t chosen = s_choose_node(sum, S_NODES, most, &before);
  s_choose(t, special, of, chosen, at - before, next);
  return invalid ? ff_math_nan() : total;
}
#else
/* The first seven nodes below a node of nodes. */
FF_WARP void s_nodes_below(const s_thread *t, const double *node, uint32_t top, double child[7]) {
  FF_UNROLL for (uint32_t i = 0; i < 7u; i++) {
#if S_UPPERS > 0
    child[i] = S_SUM(top * 16u + 2u * i) + S_SUM(top * 16u + 2u * i + 1u);
#else
    child[i] = node[i];
    FF_UNROLL for (uint32_t k = i + S_CHILDREN; k < S_TOPS * S_CHILDREN; k += S_CHILDREN)
      child[i] = top == k / S_CHILDREN ? (k < S_NODES ? node[k] : 0.0) : child[i];
#endif
  }
}

FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {
  double special[S_SPECIAL + 1u], node[S_NODES], top[S_TOPS], sum[S_CHILDREN + 1u], child[7], before, within_before;
  uint32_t of[S_SPECIAL + 1u];
  const int invalid = s_values(t, special, of);
#if S_UPPERS > 0
  FF_UNROLL for (uint32_t k = 0; k < S_TOPS; k++) top[k] = S_SUM(S_SUMS - S_UPPERS + k);
#else
  FF_UNROLL for (uint32_t i = 0; i < S_NODES; i++) node[i] = s_node(t, i);
  s_nodes(node, S_NODES, top);
#endif
  s_prefix(top, S_TOPS, sum);
  const double total = sum[S_TOPS], at = s_at(choice, total), most = S_PLAIN ? at : s_most_below(at, total);
  const uint32_t chosen = s_choose_node(sum, S_TOPS, most, &before);
  double chosen_sum = top[0];
  FF_UNROLL for (uint32_t k = 1; k < S_TOPS; k++) chosen_sum = chosen == k ? top[k] : chosen_sum;
  s_nodes_below(t, node, chosen, child);
  const double rest = at - before;
  const uint32_t within = s_child(child, chosen_sum, rest, &within_before);
  s_choose(t, special, of, chosen * S_CHILDREN + within, rest - within_before, next);
  return invalid ? ff_math_nan() : total;
}
#endif

/* The largest number of a leaf, or more if one is too large for 16 bits. */
FF_WARP uint32_t s_most_leaf(const s_thread *t) {
  uint32_t most = 0u;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_LEAF_WORDS; i++) {
    const uint32_t w = S_LEAF(i);
    if (S_LEAF_BITS32) {
      most = w > most ? w : most;
    } else {
      most = (w & 0xFFFFu) > most ? w & 0xFFFFu : most;
      most = w >> 16 > most ? w >> 16 : most;
    }
  }
  return !S_LEAF_BITS32 && most > S_LEAF_MOST ? 0xFFFFFFFFu : most;
}

#endif
