/* The rows of the update U, and flips. */
#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t slot_value(const ff_exact *ex, uint32_t slot, uint32_t s) {
  return (uint32_t)(ex->values[s * ex->record + slot / 64] >> (slot % 64)) & 1u;
}

typedef struct {
  double to[2]; /* probability that the bit becomes 0, and 1 */
} bit_chance;

/* Each probability is the sum over its own functions, never 1 minus the other one. So 0 means that the value is impossible. */
static bit_chance sum_chances(const ff_exact *ex, uint32_t i, uint32_t s) {
  bit_chance c = {{0, 0}};
  for (uint32_t j = ex->slot[i]; j < ex->slot[i] + ex->width[i]; j++) c.to[slot_value(ex, j, s)] += ex->probability[j];
  return c;
}

static inline bit_chance chances(const ff_exact *ex, uint32_t i, uint32_t s) {
  uint32_t width = ex->width[i];
  if (width > FF_EXACT_PATTERN) return sum_chances(ex, i, s);
  uint64_t word = ex->values[s * ex->record + ex->slot[i] / 64] >> (ex->slot[i] % 64);
  const double *at = ex->chance + 2 * (ex->pattern[i] + (size_t)(word & ((UINT64_C(1) << width) - 1)));
  bit_chance c = {{at[0], at[1]}};
  return c;
}

uint32_t ff_exact_context_next(const ff_exact *ex, uint32_t c, uint32_t s) {
  const uint32_t *slot = ex->context + (size_t)c * ex->n_free;
  uint32_t to = 0;
  for (uint32_t i = 0; i < ex->n_free; i++) to |= slot_value(ex, slot[i], s) << i;
  return to;
}

static inline uint32_t context_next(const ff_exact *ex, uint32_t c, uint32_t s) {
  return ex->next ? ex->next[(size_t)c * ex->n_states + s] : ff_exact_context_next(ex, c, s);
}

/* The bits under `mask` of the successors of s, with their weights. The weights of rows with disjoint masks can be
 * multiplied. */
static uint32_t half_row(const ff_exact *ex, uint32_t s, uint32_t mask, uint32_t *to, double *weight) {
  uint32_t n = 1;
  to[0] = ex->base[s] & mask;
  weight[0] = 1;
  for (uint32_t v = ex->vary[s] & mask; v; v &= v - 1) {
    uint32_t bit = v & (~v + 1u), i = 0;
    while (bit >> i != 1u) i++;
    bit_chance c = chances(ex, i, s);
    for (uint32_t e = 0; e < n; e++) {
      to[n + e] = to[e] | bit;
      weight[n + e] = weight[e] * c.to[1];
      weight[e] *= c.to[0];
    }
    n *= 2;
  }
  return n;
}

uint32_t ff_exact_update_row(const ff_exact *ex, uint32_t s, uint32_t *to, double *weight) {
  if (!ex->synchronous) {
    uint32_t n = 1;
    double stay = ex->pick_none;
    for (uint32_t i = 0; i < ex->n_free; i++) {
      bit_chance c = chances(ex, i, s);
      uint32_t one = (s >> i) & 1u;
      to[n] = s ^ (UINT32_C(1) << i);
      weight[n] = ex->pick * c.to[!one];
      n += c.to[!one] > 0;
      stay += ex->pick * c.to[one];
    }
    to[0] = s;
    weight[0] = stay;
    return n;
  }
  if (ex->n_contexts) {
    for (uint32_t c = 0; c < ex->n_contexts; c++) {
      to[c] = context_next(ex, c, s);
      weight[c] = ex->context_probability[c];
    }
    return ex->n_contexts;
  }
  return half_row(ex, s, UINT32_MAX, to, weight);
}

int ff_exact_next(const ff_exact *ex, uint32_t s, uint32_t *cursor, uint32_t *to) {
  uint32_t c = *cursor;
  if (!ex->synchronous) {
    for (; c < ex->n_free; c++) {
      if (chances(ex, c, s).to[!((s >> c) & 1u)] > 0) {
        *to = s ^ (UINT32_C(1) << c);
        *cursor = c + 1;
        return 1;
      }
    }
    *cursor = c;
    return 0;
  }
  if (ex->n_contexts) {
    if (c >= ex->n_contexts) return 0;
    *to = context_next(ex, c, s);
    *cursor = c + 1;
    return 1;
  }
  const uint32_t started = UINT32_C(1) << 31;
  uint32_t mask = ex->vary[s], sub = c & ~started;
  if (c) {
    sub = (sub - mask) & mask;
    if (!sub) return 0;
  }
  *to = ex->base[s] | sub;
  *cursor = sub | started;
  return 1;
}

/* Computes long rows as products of two halves. The targets of the low half are in a window of y that fits into the
 * first-level cache. */
static int update_wide(const ff_exact *ex, const double *x, double scale, double *y, uint32_t *to, double *weight,
                       ff_exact_place *place, ff_exact_turn *turn) {
  enum { LOW = 10 };
  uint32_t low_to[1 << LOW];
  double low_weight[1 << LOW];
  const uint32_t low = (UINT32_C(1) << LOW) - 1;
  for (; place->at < ex->n_states; place->at++) {
    if (!ff_exact_more(turn, ex->row_cost)) return 0;
    uint32_t s = place->at;
    double mass = scale * x[s];
    if (mass == 0) continue;
    uint32_t n_low = half_row(ex, s, low, low_to, low_weight), n = half_row(ex, s, ~low, to, weight);
    turn->left -= (int64_t)n * n_low;
    for (uint32_t e = 0; e < n; e++) {
      double *window = y + to[e], part = mass * weight[e];
      for (uint32_t l = 0; l < n_low; l++) window[low_to[l]] += part * low_weight[l];
    }
  }
  place->at = 0;
  return 1;
}

int ff_exact_update_all(const ff_exact *ex, const double *x, double scale, double *y, uint32_t *to, double *weight,
                        ff_exact_place *place, ff_exact_turn *turn) {
  if (ex->base && ex->row_mean > 8) return update_wide(ex, x, scale, y, to, weight, place, turn);
  for (; place->at < ex->n_states; place->at++) {
    if (!ff_exact_more(turn, ex->row_cost)) return 0;
    uint32_t s = place->at;
    double mass = scale * x[s];
    if (mass == 0) continue;
    uint32_t n = ff_exact_update_row(ex, s, to, weight);
    turn->left -= n;
    for (uint32_t e = 0; e < n; e++) y[to[e]] += mass * weight[e];
  }
  place->at = 0;
  return 1;
}

/* c is the probability that none of the earlier bits has flipped. */
static inline void flip_pairs(double p, double c, const double *restrict xu, const double *restrict xv, double *restrict u,
                              double *restrict v, size_t n) {
  double q = 1 - p;
  for (size_t l = 0; l < n; l++) {
    double a = u[l], b = v[l];
    u[l] = q * a + p * (b + c * xv[l]);
    v[l] = q * b + p * (a + c * xu[l]);
  }
}

void ff_exact_flip(const ff_exact *ex, uint32_t bit, const double *x, double *out, uint32_t from, uint32_t to) {
  size_t half = (size_t)1 << bit;
  double c = 1;
  for (uint32_t j = 0; j < bit; j++) c *= 1 - ex->p;
  for (size_t pair = from; pair < to;) { /* pairs are in blocks of `half` */
    size_t off = pair % half, block = 2 * (pair - off) + off, n = half - off < to - pair ? half - off : to - pair;
    flip_pairs(ex->p, c, x + block, x + block + half, out + block, out + block + half, n);
    pair += n;
  }
}

void ff_exact_flips(const ff_exact *ex, uint32_t bits, const double *x, double *out) {
  size_t size = (size_t)1 << bits;
  double c = 1;
  memset(out, 0, size * sizeof *out);
  for (uint32_t j = 0; j < bits; j++) {
    size_t half = (size_t)1 << j;
    for (size_t block = 0; block < size; block += 2 * half)
      flip_pairs(ex->p, c, x + block, x + block + half, out + block, out + block + half, half);
    c *= 1 - ex->p;
  }
}
