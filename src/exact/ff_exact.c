#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node that no perturbation touches and whose every predictor gives back the value that it starts with. */
static ff_status is_held(int *held, const ff_pbn *pbn, uint32_t node, uint32_t *state, ff_error *err) {
  *held = 0;
  int moves = pbn->perturbation > 0 && pbn->perturbed[node];
  if (moves || pbn->initial[node] < 0) return FF_OK;
  uint32_t mask = UINT32_C(1) << (node % 32);
  for (uint32_t j = pbn->first[node]; j < pbn->first[node + 1]; j++) {
    const ff_predictor *f = &pbn->predictors[j];
    if (f->n_parents > 1 || (f->n_parents == 1 && f->parents[0] != node)) return FF_OK;
    uint8_t *stack = ff_calloc(f->expr.depth + 1u, 1);
    if (!stack) return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
    if (pbn->initial[node]) state[node / 32] |= mask;
    int value = ff_expr_value(&f->expr, state, stack);
    state[node / 32] &= ~mask;
    free(stack);
    if (value != pbn->initial[node]) return FF_OK;
  }
  *held = 1;
  return FF_OK;
}

static ff_status find_free(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  uint32_t *state = ff_calloc(pbn->n_nodes / 32 + 1u, sizeof *state);
  ex->nodes = ff_calloc(pbn->n_nodes, sizeof *ex->nodes);
  ex->bit = ff_calloc(pbn->n_nodes, sizeof *ex->bit);
  ff_status status = FF_OK;
  if (!state || !ex->nodes || !ex->bit) {
    free(state);
    return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  }
  ex->n_nodes = pbn->n_nodes;
  uint32_t free_nodes = 0;
  for (uint32_t i = 0; i < pbn->n_nodes && status == FF_OK; i++) {
    int held = 0;
    status = is_held(&held, pbn, i, state, err);
    if (held) {
      ex->bit[i] = (int8_t)(pbn->initial[i] ? FF_HELD_1 : FF_HELD_0);
      continue;
    }
    if (free_nodes < FF_EXACT_MAX_FREE) {
      ex->bit[i] = (int8_t)free_nodes;
      ex->nodes[free_nodes] = i;
    }
    free_nodes++;
  }
  free(state);
  if (status != FF_OK) return status;
  if (free_nodes > FF_EXACT_MAX_FREE)
    return ff_error_set(err, FF_ESIZE,
                        "the network has %u free nodes, and exact answers go up to %d: reduce the network or estimate by "
                        "simulation",
                        free_nodes, FF_EXACT_MAX_FREE);
  ex->n_free = free_nodes;
  ex->n_states = UINT32_C(1) << free_nodes;
  for (uint32_t b = 0; b < free_nodes; b++) {
    uint32_t node = ex->nodes[b];
    if (pbn->perturbation > 0 && pbn->perturbed[node]) {
      ex->flip_mask |= UINT32_C(1) << b;
      ex->flip_bits++;
    }
    if (pbn->initial[node] >= 0) {
      ex->start_mask |= UINT32_C(1) << b;
      if (pbn->initial[node]) ex->start_value |= UINT32_C(1) << b;
    }
  }
  return FF_OK;
}

static ff_status fill_flips(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  ex->p = pbn->perturbation;
  double log_stay = ex->p > 0 ? log1p(-ex->p) : 0;
  double removed = (double)pbn->removed_perturbed * log_stay;
  ex->flip = -expm1((double)ex->flip_bits * log_stay);
  ex->idle = exp((double)ex->flip_bits * log_stay) * -expm1(removed);
  ex->update = exp((double)ex->flip_bits * log_stay + removed);
  size_t size = (size_t)1 << ex->flip_bits;
  ex->spread = ff_calloc(size, sizeof *ex->spread);
  if (!ex->spread) return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  for (size_t l = 1; l < size; l++) ex->spread[l] = (ex->spread[l - 1] - ex->flip_mask) & ex->flip_mask;
  return FF_OK;
}

/* Gives every function its bit, and room for what rows need. */
static ff_status fill_slots(ff_exact *ex, const ff_pbn *pbn, uint32_t *depth, ff_error *err) {
  ex->width = ff_calloc(ex->n_free, sizeof *ex->width);
  ex->slot = ff_calloc(ex->n_free, sizeof *ex->slot);
  ex->pattern = ff_calloc(ex->n_free, sizeof *ex->pattern);
  if (!ex->width || !ex->slot || !ex->pattern) return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  size_t slots = 0, patterns = 0;
  for (uint32_t b = 0; b < ex->n_free; b++) {
    uint32_t node = ex->nodes[b], width = pbn->first[node + 1] - pbn->first[node];
    for (uint32_t j = pbn->first[node]; j < pbn->first[node + 1]; j++)
      if (pbn->predictors[j].expr.depth > *depth) *depth = pbn->predictors[j].expr.depth;
    if (width > 1u << 24) return ff_error_set(err, FF_ESIZE, "a node has %u predictor functions: too many", width);
    if (slots % 64 + width > 64) slots += 64 - slots % 64;
    ex->width[b] = width;
    ex->slot[b] = (uint32_t)slots;
    ex->pattern[b] = patterns;
    slots += width;
    if (width <= FF_EXACT_PATTERN) patterns += (size_t)1 << width;
  }
  ex->record = slots / 64 + 1;
  if (ex->record > SIZE_MAX / 8 / ex->n_states)
    return ff_error_set(err, FF_ESIZE, "the values of %zu functions in %u states exceed the memory", slots, ex->n_states);
  ex->probability = ff_calloc(slots, sizeof *ex->probability);
  ex->values = ff_calloc(ex->record * ex->n_states, sizeof *ex->values);
  ex->chance = ff_calloc(2 * patterns, sizeof *ex->chance);
  if (!ex->probability || !ex->values || !ex->chance)
    return ff_error_set(err, FF_EMEMORY, "no memory for the values of %zu functions in %u states", slots, ex->n_states);
  return FF_OK;
}

static ff_status fill_values(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  uint32_t depth = 1, lanes = ex->n_states < 64 ? ex->n_states : 64;
  ff_status status = fill_slots(ex, pbn, &depth, err);
  if (status != FF_OK) return status;
  uint64_t *stack = ff_calloc(depth, sizeof *stack);
  if (!stack) return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  ex->words = (ex->n_states + 63u) / 64;
  for (uint32_t b = 0; b < ex->n_free; b++) {
    const ff_predictor *f = pbn->predictors + pbn->first[ex->nodes[b]];
    for (uint32_t j = ex->slot[b]; j < ex->slot[b] + ex->width[b]; j++, f++) {
      ex->probability[j] = f->probability;
      for (size_t w = 0; w < ex->words; w++) {
        uint64_t value = ff_exact_word(ex, &f->expr, w, stack), *at = ex->values + w * 64 * ex->record + j / 64;
        for (uint32_t l = 0; l < lanes; l++, at += ex->record) *at |= (value >> l & 1u) << (j % 64);
      }
    }
  }
  free(stack);
  return FF_OK;
}

static inline uint32_t slot_value(const ff_exact *ex, uint32_t slot, uint32_t s) {
  return (uint32_t)(ex->values[s * ex->record + slot / 64] >> (slot % 64)) & 1u;
}

typedef struct {
  double to[2]; /* chance that the bit becomes 0, 1 */
} bit_chance;

/* Each chance is a sum of its own functions, never 1 - the other: 0 means that it cannot be. */
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

static void fill_chances(ff_exact *ex) {
  for (uint32_t i = 0; i < ex->n_free; i++) {
    if (ex->width[i] > FF_EXACT_PATTERN) continue;
    double *at = ex->chance + 2 * ex->pattern[i];
    for (uint32_t pattern = 0; pattern < UINT32_C(1) << ex->width[i]; pattern++, at += 2)
      for (uint32_t j = 0; j < ex->width[i]; j++) at[pattern >> j & 1u] += ex->probability[ex->slot[i] + j];
  }
}

static ff_status fill_independent(ff_exact *ex, ff_error *err) {
  ex->base = ff_calloc(ex->n_states, sizeof *ex->base);
  ex->vary = ff_calloc(ex->n_states, sizeof *ex->vary);
  if (!ex->base || !ex->vary) return ff_error_set(err, FF_EMEMORY, "no memory for %u states", ex->n_states);
  uint32_t widest = 0;
  double total = 0;
  for (uint32_t s = 0; s < ex->n_states; s++) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < ex->n_free; i++) {
      bit_chance c = chances(ex, i, s);
      if (c.to[1] == 0) continue;
      if (c.to[0] == 0) {
        ex->base[s] |= UINT32_C(1) << i;
      } else {
        ex->vary[s] |= UINT32_C(1) << i;
        bits++;
      }
    }
    if (bits > widest) widest = bits;
    total += (double)(UINT32_C(1) << bits);
  }
  ex->row_max = (size_t)1 << widest;
  ex->row_mean = total / ex->n_states;
  return FF_OK;
}

static uint32_t context_next(const ff_exact *ex, uint32_t c, uint32_t s) {
  if (ex->next) return ex->next[(size_t)c * ex->n_states + s];
  const uint32_t *slot = ex->context + (size_t)c * ex->n_free;
  uint32_t to = 0;
  for (uint32_t i = 0; i < ex->n_free; i++) to |= slot_value(ex, slot[i], s) << i;
  return to;
}

static ff_status fill_contexts(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_contexts;
  if (n > SIZE_MAX / (ex->n_free + 1u) / sizeof(uint32_t))
    return ff_error_set(err, FF_ESIZE, "%u contexts exceed the memory.", n);
  ex->context_probability = ff_calloc(n, sizeof *ex->context_probability);
  ex->context = ff_calloc((size_t)n * ex->n_free, sizeof *ex->context);
  if (!ex->context_probability || !ex->context)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u contexts", n);
  ex->n_contexts = n;
  for (uint32_t c = 0; c < n; c++) {
    ex->context_probability[c] = pbn->context_probability[c];
    for (uint32_t i = 0; i < ex->n_free; i++)
      ex->context[(size_t)c * ex->n_free + i] = ex->slot[i] + pbn->context[(size_t)c * pbn->n_nodes + ex->nodes[i]];
  }
  ex->row_max = n;
  ex->row_mean = n;
  if ((uint64_t)n * ex->n_states > UINT64_C(1) << 26) return FF_OK;
  uint32_t *next = ff_calloc((size_t)n * ex->n_states, sizeof *next);
  if (!next) return ff_error_set(err, FF_EMEMORY, "no memory for %u contexts", n);
  for (uint32_t c = 0; c < n; c++)
    for (uint32_t s = 0; s < ex->n_states; s++) next[(size_t)c * ex->n_states + s] = context_next(ex, c, s);
  ex->next = next;
  return FF_OK;
}

/* A picked node uses the context that was drawn: only each function's chance over all contexts matters. */
static void fill_asynchronous(ff_exact *ex, const ff_pbn *pbn) {
  double nodes = (double)pbn->n_nodes + (double)pbn->removed_nodes;
  ex->pick = 1 / nodes;
  ex->pick_none = (nodes - (double)ex->n_free) / nodes;
  ex->row_max = ex->n_free + 2u; /* a row is written one entry ahead */
  ex->row_mean = (double)ex->row_max;
  if (!pbn->n_contexts) return;
  for (uint32_t i = 0; i < ex->n_free; i++)
    memset(ex->probability + ex->slot[i], 0, ex->width[i] * sizeof *ex->probability);
  for (uint32_t c = 0; c < pbn->n_contexts; c++)
    for (uint32_t i = 0; i < ex->n_free; i++)
      ex->probability[ex->slot[i] + pbn->context[(size_t)c * pbn->n_nodes + ex->nodes[i]]] +=
          pbn->context_probability[c];
}

ff_status ff_exact_new(ff_exact **out, const ff_pbn *pbn, ff_error *err) {
  *out = NULL;
  if (pbn->n_nodes == 0) return ff_error_set(err, FF_EMODEL, "a network without nodes has no chain");
  ff_exact *ex = ff_calloc(1, sizeof *ex);
  if (!ex) return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  ex->synchronous = pbn->update == FF_SYNCHRONOUS;
  ff_status status = find_free(ex, pbn, err);
  if (status == FF_OK) status = fill_flips(ex, pbn, err);
  if (status == FF_OK) status = fill_values(ex, pbn, err);
  if (status == FF_OK) {
    if (!ex->synchronous) fill_asynchronous(ex, pbn);
    fill_chances(ex);
    if (ex->synchronous) status = pbn->n_contexts ? fill_contexts(ex, pbn, err) : fill_independent(ex, err);
  }
  if (status != FF_OK) {
    ff_exact_free(ex);
    return status;
  }
  *out = ex;
  return FF_OK;
}

void ff_exact_free(ff_exact *ex) {
  if (!ex) return;
  free(ex->nodes);
  free(ex->bit);
  free(ex->spread);
  free(ex->width);
  free(ex->slot);
  free(ex->pattern);
  free(ex->probability);
  free(ex->values);
  free(ex->chance);
  free(ex->base);
  free(ex->vary);
  free(ex->context_probability);
  free(ex->context);
  free(ex->next);
  free(ex);
}

uint32_t ff_exact_free_nodes(const ff_exact *exact, const uint32_t **nodes) {
  *nodes = exact->nodes;
  return exact->n_free;
}

uint64_t ff_exact_states(const ff_exact *exact) { return exact->n_states; }

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* The bits under `mask` of the successors of s, with their weights; rows of disjoint masks multiply. */
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

/* Long rows go out by halves: the low one stays within a window of y that fits the first cache. */
static void update_wide(const ff_exact *ex, const double *x, double scale, double *y, uint32_t *to, double *weight) {
  enum { LOW = 10 };
  uint32_t low_to[1 << LOW];
  double low_weight[1 << LOW];
  const uint32_t low = (UINT32_C(1) << LOW) - 1;
  for (uint32_t s = 0; s < ex->n_states; s++) {
    double mass = scale * x[s];
    if (mass == 0) continue;
    uint32_t n_low = half_row(ex, s, low, low_to, low_weight), n = half_row(ex, s, ~low, to, weight);
    for (uint32_t e = 0; e < n; e++) {
      double *window = y + to[e], part = mass * weight[e];
      for (uint32_t l = 0; l < n_low; l++) window[low_to[l]] += part * low_weight[l];
    }
  }
}

void ff_exact_update_all(const ff_exact *ex, const double *x, double scale, double *y, uint32_t *to, double *weight) {
  if (ex->base && ex->row_mean > 8) {
    update_wide(ex, x, scale, y, to, weight);
    return;
  }
  for (uint32_t s = 0; s < ex->n_states; s++) {
    double mass = scale * x[s];
    if (mass == 0) continue;
    uint32_t n = ff_exact_update_row(ex, s, to, weight);
    for (uint32_t e = 0; e < n; e++) y[to[e]] += mass * weight[e];
  }
}

/* Carries, bit by bit, the mass that has flipped at least once; c is the chance that none of the bits so far has. */
void ff_exact_flips(const ff_exact *ex, const double *x, double *out) {
  size_t size = (size_t)1 << ex->flip_bits;
  double p = ex->p, q = 1 - p, c = 1;
  memset(out, 0, size * sizeof *out);
  for (uint32_t j = 0; j < ex->flip_bits; j++) {
    size_t half = (size_t)1 << j;
    for (size_t block = 0; block < size; block += 2 * half) {
      double *restrict u = out + block, *restrict v = out + block + half;
      const double *restrict xu = x + block, *restrict xv = x + block + half;
      for (size_t l = 0; l < half; l++) {
        double a = u[l], b = v[l];
        u[l] = q * a + p * (b + c * xv[l]);
        v[l] = q * b + p * (a + c * xu[l]);
      }
    }
    c *= q;
  }
}

ff_status ff_exact_step(double *y, const double *x, const ff_exact *ex, ff_error *err) {
  size_t orbit = (size_t)1 << ex->flip_bits;
  uint32_t *to = ff_calloc(ex->row_max, sizeof *to);
  double *weight = ff_calloc(ex->row_max, sizeof *weight);
  double *in = ff_calloc(orbit, sizeof *in), *out = ff_calloc(orbit, sizeof *out);
  ff_status status = FF_OK;
  if (!to || !weight || !in || !out) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for a step over %u states", ex->n_states);
  } else {
    for (uint32_t s = 0; s < ex->n_states; s++) y[s] = ex->idle * x[s];
    ff_exact_update_all(ex, x, ex->update, y, to, weight);
    for (uint32_t s = 0; s < ex->n_states && ex->flip_bits; s++) {
      if (s & ex->flip_mask) continue;
      for (size_t l = 0; l < orbit; l++) in[l] = x[s | ex->spread[l]];
      ff_exact_flips(ex, in, out);
      for (size_t l = 0; l < orbit; l++) y[s | ex->spread[l]] += out[l];
    }
  }
  free(to);
  free(weight);
  free(in);
  free(out);
  return status;
}

ff_status ff_exact_row(double *row, uint64_t state, const ff_exact *ex, ff_error *err) {
  if (state >= ex->n_states)
    return ff_error_set(err, FF_EARGUMENT, "state %llu is not among the %u states", (unsigned long long)state,
                        ex->n_states);
  uint32_t s = (uint32_t)state;
  uint32_t *to = ff_calloc(ex->row_max, sizeof *to);
  double *weight = ff_calloc(ex->row_max, sizeof *weight);
  if (!to || !weight) {
    free(to);
    free(weight);
    return ff_error_set(err, FF_EMEMORY, "no memory for a row of %u states", ex->n_states);
  }
  memset(row, 0, ex->n_states * sizeof *row);
  uint32_t n = ff_exact_update_row(ex, s, to, weight);
  for (uint32_t e = 0; e < n; e++) row[to[e]] += ex->update * weight[e];
  row[s] += ex->idle;
  for (size_t l = 1; l < (size_t)1 << ex->flip_bits; l++) {
    uint32_t flipped = 0;
    for (size_t v = l; v; v &= v - 1) flipped++;
    row[s ^ ex->spread[l]] += pow(ex->p, flipped) * pow(1 - ex->p, (double)(ex->flip_bits - flipped));
  }
  free(to);
  free(weight);
  return FF_OK;
}
