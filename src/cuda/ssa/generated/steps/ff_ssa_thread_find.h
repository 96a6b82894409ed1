/* The choice among all reactions, or all groups, whose propensities are computed at each step. A part of ff_ssa_thread.h.
 *
 *   S_CHOICES     reactions or groups; not defined if the code chooses in another way
 *   S_CODE_OF(i)  the number by which the code knows choice i
 *
 *   s_values(t, value, of)  computes the propensities of all choices; of groups, of[i] becomes the sum of counts. Returns whether
 *                           a propensity is invalid
 */
#ifndef FF_SSA_THREAD_FIND_H
#define FF_SSA_THREAD_FIND_H

#define S_CHILDREN 8u /* of a node; equals FF_SSA_FAN */

/* As FF_SSA_TREE_PREFIX, for the first n children of a node; there are no others. */
FF_WARP void s_prefix(const double *child, uint32_t n, double *sum) {
  sum[1] = child[0];
  if (n > 1u) sum[2] = child[0] + child[1];
  if (n > 2u) sum[3] = sum[2] + child[2];
  if (n > 3u) sum[4] = sum[2] + (child[2] + child[3]);
  if (n > 4u) sum[5] = sum[4] + child[4];
  if (n > 5u) sum[6] = sum[4] + (child[4] + child[5]);
  if (n > 6u) sum[7] = sum[4] + ((child[4] + child[5]) + child[6]);
  if (n > 7u) sum[8] = sum[4] + ((child[4] + child[5]) + (child[6] + child[7]));
}

/* The sums of nodes. The last one may have fewer than eight of the n children. */
FF_WARP void s_nodes(const double *child, uint32_t n, double *node) {
  FF_UNROLL for (uint32_t k = 0; k < n; k += S_CHILDREN) {
    const uint32_t here = n - k < S_CHILDREN ? n - k : S_CHILDREN;
    double sum[S_CHILDREN + 1u];
    s_prefix(child + k, here, sum);
    node[k / S_CHILDREN] = sum[here];
  }
}

/* The number of the last of n nodes before which the sum is at most `most`. *before becomes this sum. */
FF_WARP uint32_t s_choose_node(const double *sum, uint32_t n, double most, double *before) {
  uint32_t chosen = 0u;
  *before = 0.0;
  FF_UNROLL for (uint32_t k = 1; k < n; k++) {
    const int over = sum[k] <= most;
    chosen = over ? k : chosen;
    *before = over ? sum[k] : *before;
  }
  return chosen;
}

#ifdef S_CHOICES

#ifndef S_CODE_OF
#define S_CODE_OF(i) (i)
#endif
#define S_NODES ((S_CHOICES + S_CHILDREN - 1u) / S_CHILDREN)

FF_WARP int s_values(const s_thread *t, double *value, uint32_t *of);

#if S_FIRST
/* Each pair of reactions shares a block of random words. A reaction whose propensity is 0 has no waiting time. */
FF_WARP double s_first(const s_thread *t, s_next *next) {
  double value[S_CHOICES > 0u ? S_CHOICES : 1u], least = ff_math_infinity();
  int invalid = s_values(t, value, 0);
  ff_philox_block words;
  next->reaction = S_REACTIONS;
  FF_UNROLL for (uint32_t r = 0; r < S_CHOICES; r++) {
    if (r % 2u == 0u) words = s_random(t, FF_SSA_DRAW_FIRST, r / 2u);
    const double wait = S_DIVIDE(s_exponential(t, words.v[r % 2u * 2u], words.v[r % 2u * 2u + 1u]), value[r]);
#ifdef S_KEPT
    invalid |= !(value[r] < ff_math_infinity());
#endif
    const int shorter = value[r] > 0.0 && wait < least;
    next->reaction = shorter ? S_CODE_OF(r) : next->reaction;
    least = shorter ? wait : least;
  }
  return invalid ? ff_math_nan() : least;
}
#elif S_CHOICES == 0
FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {
  (void)t;
  (void)choice;
  next->reaction = S_REACTIONS;
  return 0.0;
}
#else
/* Chooses the last of n children before which the sum is at most `most`. What the code needs to know of the child goes to *next,
 * and `*value` becomes its propensity. Returns the sum before it. */
FF_WARP double s_choose_child(const double *child, const uint32_t *of, const double *sum, uint32_t n, double most, s_next *next,
                              double *value) {
  double before = 0.0;
  next->reaction = S_CODE_OF(0u);
  next->n = of[0];
  *value = child[0];
  FF_UNROLL for (uint32_t i = 1; i < n; i++) {
    const int over = sum[i] <= most;
    next->reaction = over ? S_CODE_OF(i) : next->reaction;
    before = over ? sum[i] : before;
    *value = over ? child[i] : *value;
    next->n = over ? of[i] : next->n;
  }
  return before;
}

#if S_NODES == 1
FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {
  double value[S_CHOICES], sum[S_CHILDREN + 1u], chosen;
  uint32_t of[S_CHOICES] = {0u};
  const int invalid = s_values(t, value, of);
  s_prefix(value, S_CHOICES, sum);
  const double total = sum[S_CHOICES], at = s_at(choice, total), most = S_PLAIN ? at : s_most_below(at, total);
  const double before = s_choose_child(value, of, sum, S_CHOICES, most, next, &chosen);
  next->share = S_DIVIDE(at - before, chosen);
  return invalid ? ff_math_nan() : total;
}
#else
/* Chooses a node, and then one of its children. */
FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {
  double value[S_CHOICES], node[S_NODES], sum[S_CHILDREN + 1u], child[S_CHILDREN], chosen, before;
  uint32_t of[S_CHOICES] = {0u}, child_of[S_CHILDREN];
  const int invalid = s_values(t, value, of);
  s_nodes(value, S_CHOICES, node);
  s_prefix(node, S_NODES, sum);
  const double total = sum[S_NODES], at = s_at(choice, total), most = S_PLAIN ? at : s_most_below(at, total);
  const uint32_t above = s_choose_node(sum, S_NODES, most, &before);
  FF_UNROLL for (uint32_t i = 0; i < S_CHILDREN; i++) {
    child[i] = value[i];
    child_of[i] = of[i];
    FF_UNROLL for (uint32_t k = i + S_CHILDREN; k < S_NODES * S_CHILDREN; k += S_CHILDREN) {
      child[i] = above == k / S_CHILDREN ? (k < S_CHOICES ? value[k] : 0.0) : child[i];
      if (k < S_CHOICES) child_of[i] = above == k / S_CHILDREN ? of[k] : child_of[i];
    }
  }
  s_prefix(child, S_CHILDREN, sum);
  const double rest = at - before;
  before = s_choose_child(child, child_of, sum, S_CHILDREN, s_most_below(rest, sum[S_CHILDREN]), next, &chosen);
  next->reaction += above * S_CHILDREN;
  next->share = S_DIVIDE(rest - before, chosen);
  return invalid ? ff_math_nan() : total;
}
#endif
#endif
#endif

#endif
