/* The parts of generated code for optimised_direct and sorting_direct that do not depend on the network. ff_ssa_thread.h includes
 * this. All bits are those of ff_ssa_optimised.c.
 *
 * A thread keeps the propensities by position, in the order in which the search reads them, and their sum with a bound of its
 * rounding errors. The order is data, so one code works for all orders.
 *
 *   S_SEARCHED              reactions
 *   S_VALUES             propensities that a thread keeps, a multiple of S_SEARCH; those from number S_SEARCHED on are infinite
 *   S_SEARCH             propensities that it reads between two looks whether the search has ended
 *   S_SORTS              1 if each thread has an order of its own, which changes: sorting_direct. Row S_ORDERS + i then is the
 *                        reaction at position i, and from bit 16 on the position of reaction i
 *   S_BY_TABLE           1 if steps read what they change from a table; else the code of all reactions is executed
 *   S_ORDER              where the table begins that has the number in the code of each position, or of each reaction if S_SORTS
 * The table in global memory has the propensities by position at time 0, and their sum.
 *
 * With S_BY_TABLE, number r is a position, or a reaction if S_SORTS. The first S_ROWS_READ rows are the counts that laws or the
 * record read, and then 1. The table begins with what they are at time 0.
 *   S_LISTS_AT           where two words for each number begin: the first change and their number, the first dependent and their
 *                        number (the latter from bit 16 on)
 *   S_CHANGES_AT         a word for each change: a row, and from bit 16 on what is added
 *   S_DEPENDENTS_AT      four words for each dependent: s_dependent
 *   S_RECORDED_AT        the rows of what is recorded
 * Otherwise, s_fire() computes the propensities that steps change, and calls s_correct() for each of them. */
#ifndef FF_SSA_THREAD_OPTIMISED_H
#define FF_SSA_THREAD_OPTIMISED_H

#define S_VALUE(i) (t->sums[(i) * S_THREADS])

#if defined(__CUDA_ARCH__)
#define S_MAGNITUDE(x) fabs(x) /* takes no instruction of its own */
#else
#define S_MAGNITUDE(x) ((x) < 0.0 ? -(x) : (x))
#endif

/* a + 2^-53 b, or a if `counts` is 0. With S_PLAIN, the product is exact, because it is no subnormal number, and b is finite. */
FF_WARP double s_add_error(double a, double b, int counts) {
#if S_PLAIN && defined(__CUDA_ARCH__)
  return __fma_rn(__hiloint2double(counts ? 0x3CA00000 : 0, 0), b, a);
#else
  return counts ? a + 0x1p-53 * b : a;
#endif
}

FF_WARP void s_begin_values(s_thread *t) {
  const double *const initial = (const double *)t->big;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_VALUES; i++) S_VALUE(i) = initial[i];
#if S_SORTS
  FF_NO_UNROLL for (uint32_t i = 0; i < S_SEARCHED; i++) S_ROW(S_ORDERS + i) = i << 16 | i;
#endif
  t->sum = ff_ssa_corrected_of(initial[S_VALUES]);
}

/* The sign of a number, as all bits. */
FF_WARP uint32_t s_sign(double x) { return (uint32_t)((int32_t)(uint32_t)(ff_math_bits(x) >> 32) >> 31); }

/* As ff_ssa_search(). `at` becomes negative where the search ends, and stays negative, because no term is negative. So the
 * position is the number of terms after which it is not negative. */
FF_WARP uint32_t s_search(const s_thread *t, double at) {
  uint32_t position = 0u;
  FF_NO_UNROLL for (uint32_t first = 0; first < S_VALUES; first += S_SEARCH) {
    const double *const value = t->sums + first * S_THREADS;
    FF_UNROLL for (uint32_t i = 0; i < S_SEARCH; i++) {
      at -= value[i * S_THREADS];
      position += 1u + s_sign(at);
    }
    if (s_sign(at) != 0u) break;
  }
  if (position >= S_SEARCHED)
    FF_NO_UNROLL for (position = S_SEARCHED > 0u ? S_SEARCHED - 1u : 0u; position > 0u && !(S_VALUE(position) > 0.0);) position--;
  return position;
}

FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {
  uint32_t number = next->position = s_search(t, s_at(choice, t->sum.value));
#if S_SORTS
  number = S_ROW(S_ORDERS + number) & 0xFFFFu;
#endif
#if S_BY_TABLE
  next->reaction = number;
#else
  next->reaction = t->table[S_ORDER + number];
#endif
  return t->sum.value;
}

/* Gives a propensity its new value. A change of 0, with either sign, does not change the value of the sum. */
FF_WARP void s_correct(s_thread *t, uint32_t offset, double now) {
  double *const value = t->sums + offset;
  const double change = now - *value;
  const uint64_t bits = ff_math_bits(change);
  t->sum.value += change;
  const double rounded = S_MAGNITUDE(change) + S_MAGNITUDE(t->sum.value);
  const int changes = (((uint32_t)(bits >> 32) & 0x7FFFFFFFu) | (uint32_t)bits) != 0u;
  t->sum.error = s_add_error(t->sum.error, rounded, changes);
  *value = now;
}

/* Where the propensity of a reaction is. `data` is the offset of its position, or its number if S_SORTS. */
FF_WARP uint32_t s_offset(const s_thread *t, uint32_t data) {
#if S_SORTS
  return (S_ROW(S_ORDERS + data) >> 16) * S_THREADS;
#else
  (void)t;
  return data;
#endif
}

/* sorting_direct: a reaction that has fired changes places with the one before it. */
FF_WARP void s_move_forward(s_thread *t, const s_next *next) {
#if S_SORTS
  const uint32_t at = next->position;
  if (at == 0u || next->reaction == S_REACTIONS) return;
  const uint32_t here = S_ROW(S_ORDERS + at), above = S_ROW(S_ORDERS + at - 1u), one = here & 0xFFFFu, other = above & 0xFFFFu;
  const double value = S_VALUE(at);
  S_VALUE(at) = S_VALUE(at - 1u);
  S_VALUE(at - 1u) = value;
  S_ROW(S_ORDERS + at) = (here & 0xFFFF0000u) | other;
  S_ROW(S_ORDERS + at - 1u) = (above & 0xFFFF0000u) | one;
  S_ROW(S_ORDERS + one) = (S_ROW(S_ORDERS + one) & 0xFFFFu) | (at - 1u) << 16;
  S_ROW(S_ORDERS + other) = (S_ROW(S_ORDERS + other) & 0xFFFFu) | at << 16;
#endif
  (void)t;
  (void)next;
}

/* After the corrections of a step. The sum is added up in the new order. With an invalid propensity, the trajectory is refused
 * at its next step. */
FF_WARP void s_settle(s_thread *t, const s_next *next, int invalid) {
  s_move_forward(t, next);
  if (ff_ssa_corrected_stale(&t->sum)) t->sum = ff_ssa_corrected_of(ff_ssa_sum_strided(t->sums, S_SEARCHED, S_THREADS));
  if (invalid) t->sum.value = ff_math_nan();
}

#if S_BY_TABLE
typedef struct {
  double rate;
  uint32_t species; /* the rows of two counts, whose product is multiplied by the rate */
  uint32_t term;    /* s_offset(); in bit 31, whether the second count is less by 1 */
} __attribute__((aligned(16))) s_dependent;

FF_WARP void s_begin(s_thread *t) {
  FF_NO_UNROLL for (uint32_t i = 0; i < S_ROWS_READ; i++) S_ROW(i) = t->table[i];
  s_begin_values(t);
}

FF_WARP void s_fire(s_thread *t, const s_next *next) {
  const uint32_t *const lists = t->table + S_LISTS_AT + 2u * next->reaction;
  const uint32_t changes = lists[0], dependents = lists[1];
  FF_NO_UNROLL for (uint32_t i = changes & 0xFFFFu, end = i + (changes >> 16); i < end; i++) {
    const uint32_t change = t->table[S_CHANGES_AT + i];
    S_ROW(change & 0xFFFFu) += (uint32_t)((int32_t)change >> 16);
  }
  FF_NO_UNROLL for (uint32_t i = dependents & 0xFFFFu, end = i + (dependents >> 16); i < end; i++) {
    const s_dependent d = ((const s_dependent *)(t->table + S_DEPENDENTS_AT))[i];
    const double a = S_REAL(S_ROW(d.species & 0xFFFFu)), b = S_REAL(S_ROW(d.species >> 16) - (d.term >> 31));
    s_correct(t, s_offset(t, d.term & 0x7FFFFFFFu), d.rate * (a * b));
  }
  s_settle(t, next, 0);
}

FF_WARP void s_record(const s_thread *t, uint32_t *to) {
  const ff_launch *run = t->run;
  FF_NO_UNROLL for (uint32_t j = 0; j < run->n_observed; j++) to[j * run->units] = S_ROW(t->table[S_RECORDED_AT + j]);
}

FF_WARP uint32_t s_most(const s_thread *t) {
  uint32_t most = 0u;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_ROWS_READ; i++) most = S_ROW(i) > most ? S_ROW(i) : most;
  return most;
}
#endif

#endif
