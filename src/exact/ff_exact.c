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
    if (!stack) return ff_error_set(err, FF_EMEMORY, "Out of memory for the exact chain.");
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
    return ff_error_set(err, FF_EMEMORY, "Out of memory for the exact chain.");
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
                        "The network has %u free nodes, and exact answers go up to %d: reduce the network or estimate by "
                        "simulation.",
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
  if (!ex->spread) return ff_error_set(err, FF_EMEMORY, "Out of memory for the exact chain.");
  for (size_t l = 1; l < size; l++) ex->spread[l] = (ex->spread[l - 1] - ex->flip_mask) & ex->flip_mask;
  return FF_OK;
}

static ff_status fill_maps(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  ex->first = ff_calloc(ex->n_free + 1u, sizeof *ex->first);
  if (!ex->first) return ff_error_set(err, FF_EMEMORY, "Out of memory for the exact chain.");
  uint32_t depth = 1;
  for (uint32_t b = 0; b < ex->n_free; b++) {
    uint32_t node = ex->nodes[b];
    ex->first[b + 1] = ex->first[b] + (pbn->first[node + 1] - pbn->first[node]);
    for (uint32_t j = pbn->first[node]; j < pbn->first[node + 1]; j++)
      if (pbn->predictors[j].expr.depth > depth) depth = pbn->predictors[j].expr.depth;
  }
  size_t functions = ex->first[ex->n_free];
  ex->words = ex->n_states / 64 + (ex->n_states < 64);
  if (functions > SIZE_MAX / ex->words)
    return ff_error_set(err, FF_ESIZE, "The truth maps of %zu functions exceed the memory.", functions);
  ex->probability = ff_calloc(functions, sizeof *ex->probability);
  ex->maps = ff_calloc(functions * ex->words, sizeof *ex->maps);
  uint64_t *stack = ff_calloc(depth, sizeof *stack);
  if (!ex->probability || !ex->maps || !stack) {
    free(stack);
    return ff_error_set(err, FF_EMEMORY, "Out of memory for the truth maps of %zu functions.", functions);
  }
  for (uint32_t b = 0; b < ex->n_free; b++) {
    const ff_predictor *f = pbn->predictors + pbn->first[ex->nodes[b]];
    for (uint32_t j = ex->first[b]; j < ex->first[b + 1]; j++, f++) {
      uint64_t *map = ex->maps + (size_t)j * ex->words;
      for (size_t w = 0; w < ex->words; w++) map[w] = ff_exact_word(ex, &f->expr, w, stack);
      ex->probability[j] = f->probability;
    }
  }
  free(stack);
  return FF_OK;
}

static inline uint32_t map_value(const ff_exact *ex, uint32_t function, uint32_t s) {
  return (uint32_t)(ex->maps[(size_t)function * ex->words + s / 64] >> (s % 64)) & 1u;
}

/* The chance that bit i becomes 1 from state s. */
static inline double chance(const ff_exact *ex, uint32_t i, uint32_t s) {
  double sum = 0;
  for (uint32_t j = ex->first[i]; j < ex->first[i + 1]; j++)
    if (map_value(ex, j, s)) sum += ex->probability[j];
  return sum;
}

/* The chance that bit i becomes 0. */
static inline double chance_not(const ff_exact *ex, uint32_t i, uint32_t s) {
  double sum = 0;
  for (uint32_t j = ex->first[i]; j < ex->first[i + 1]; j++)
    if (!map_value(ex, j, s)) sum += ex->probability[j];
  return sum;
}

static ff_status fill_independent(ff_exact *ex, ff_error *err) {
  ex->base = ff_calloc(ex->n_states, sizeof *ex->base);
  ex->vary = ff_calloc(ex->n_states, sizeof *ex->vary);
  if (!ex->base || !ex->vary) return ff_error_set(err, FF_EMEMORY, "Out of memory for %u states.", ex->n_states);
  for (uint32_t i = 0; i < ex->n_free; i++) {
    uint32_t bit = UINT32_C(1) << i;
    for (size_t w = 0; w < ex->words; w++) {
      uint64_t all = ~UINT64_C(0), any = 0;
      for (uint32_t j = ex->first[i]; j < ex->first[i + 1]; j++) {
        uint64_t v = ex->maps[(size_t)j * ex->words + w];
        all &= v;
        any |= v;
      }
      uint64_t unsure = any & ~all;
      uint32_t lanes = ex->n_states < 64 ? ex->n_states : 64;
      for (uint32_t l = 0; l < lanes; l++) {
        size_t s = w * 64 + l;
        ex->base[s] |= (all >> l) & 1u ? bit : 0;
        ex->vary[s] |= (unsure >> l) & 1u ? bit : 0;
      }
    }
  }
  uint32_t widest = 0;
  double total = 0;
  for (uint32_t s = 0; s < ex->n_states; s++) {
    uint32_t bits = 0;
    for (uint32_t v = ex->vary[s]; v; v &= v - 1) bits++;
    if (bits > widest) widest = bits;
    total += (double)(UINT32_C(1) << bits);
  }
  ex->row_max = (size_t)1 << widest;
  ex->row_mean = total / ex->n_states;
  return FF_OK;
}

static uint32_t context_next(const ff_exact *ex, uint32_t c, uint32_t s) {
  if (ex->next) return ex->next[(size_t)c * ex->n_states + s];
  const uint32_t *function = ex->context + (size_t)c * ex->n_free;
  uint32_t to = 0;
  for (uint32_t i = 0; i < ex->n_free; i++) to |= map_value(ex, function[i], s) << i;
  return to;
}

static ff_status fill_contexts(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_contexts;
  if (n > SIZE_MAX / (ex->n_free + 1u) / sizeof(uint32_t))
    return ff_error_set(err, FF_ESIZE, "%u contexts exceed the memory.", n);
  ex->context_probability = ff_calloc(n, sizeof *ex->context_probability);
  ex->context = ff_calloc((size_t)n * ex->n_free, sizeof *ex->context);
  if (!ex->context_probability || !ex->context)
    return ff_error_set(err, FF_EMEMORY, "Out of memory for %u contexts.", n);
  ex->n_contexts = n;
  for (uint32_t c = 0; c < n; c++) {
    ex->context_probability[c] = pbn->context_probability[c];
    for (uint32_t i = 0; i < ex->n_free; i++)
      ex->context[(size_t)c * ex->n_free + i] = ex->first[i] + pbn->context[(size_t)c * pbn->n_nodes + ex->nodes[i]];
  }
  ex->row_max = n;
  ex->row_mean = n;
  if ((uint64_t)n * ex->n_states > UINT64_C(1) << 26) return FF_OK;
  uint32_t *next = ff_calloc((size_t)n * ex->n_states, sizeof *next);
  if (!next) return ff_error_set(err, FF_EMEMORY, "Out of memory for %u contexts.", n);
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
  ex->row_max = ex->n_free + 1u;
  ex->row_mean = (double)ex->row_max;
  if (!pbn->n_contexts) return;
  memset(ex->probability, 0, ex->first[ex->n_free] * sizeof *ex->probability);
  for (uint32_t c = 0; c < pbn->n_contexts; c++)
    for (uint32_t i = 0; i < ex->n_free; i++)
      ex->probability[ex->first[i] + pbn->context[(size_t)c * pbn->n_nodes + ex->nodes[i]]] +=
          pbn->context_probability[c];
}

ff_status ff_exact_new(ff_exact **out, const ff_pbn *pbn, ff_error *err) {
  *out = NULL;
  if (pbn->n_nodes == 0) return ff_error_set(err, FF_EMODEL, "A network without nodes has no chain.");
  ff_exact *ex = ff_calloc(1, sizeof *ex);
  if (!ex) return ff_error_set(err, FF_EMEMORY, "Out of memory for the exact chain.");
  ex->synchronous = pbn->update == FF_SYNCHRONOUS;
  ff_status status = find_free(ex, pbn, err);
  if (status == FF_OK) status = fill_flips(ex, pbn, err);
  if (status == FF_OK) status = fill_maps(ex, pbn, err);
  if (status == FF_OK) {
    if (!ex->synchronous)
      fill_asynchronous(ex, pbn);
    else if (pbn->n_contexts)
      status = fill_contexts(ex, pbn, err);
    else
      status = fill_independent(ex, err);
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
  free(ex->first);
  free(ex->probability);
  free(ex->maps);
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

uint32_t ff_exact_update_row(const ff_exact *ex, uint32_t s, uint32_t *to, double *weight) {
  if (!ex->synchronous) {
    uint32_t n = 1;
    double stay = ex->pick_none;
    for (uint32_t i = 0; i < ex->n_free; i++) {
      int one = (s >> i) & 1;
      double move = one ? chance_not(ex, i, s) : chance(ex, i, s);
      if (move > 0) {
        to[n] = s ^ (UINT32_C(1) << i);
        weight[n++] = ex->pick * move;
      }
      stay += ex->pick * (one ? chance(ex, i, s) : chance_not(ex, i, s));
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
  uint32_t n = 1;
  to[0] = ex->base[s];
  weight[0] = 1;
  for (uint32_t v = ex->vary[s]; v; v &= v - 1) {
    uint32_t bit = v & (~v + 1u);
    uint32_t i = 0;
    while (bit >> i != 1u) i++;
    double one = chance(ex, i, s), zero = chance_not(ex, i, s);
    for (uint32_t e = 0; e < n; e++) {
      to[n + e] = to[e] | bit;
      weight[n + e] = weight[e] * one;
      weight[e] *= zero;
    }
    n *= 2;
  }
  return n;
}

int ff_exact_next(const ff_exact *ex, uint32_t s, uint32_t *cursor, uint32_t *to) {
  uint32_t c = *cursor;
  if (!ex->synchronous) {
    for (; c < ex->n_free; c++) {
      if ((((s >> c) & 1) ? chance_not(ex, c, s) : chance(ex, c, s)) > 0) {
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

void ff_exact_update_all(const ff_exact *ex, const double *x, double scale, double *y, uint32_t *to, double *weight) {
  for (uint32_t s = 0; s < ex->n_states; s++) {
    double mass = scale * x[s];
    if (mass == 0) continue;
    if (ex->base && !ex->vary[s]) {
      y[ex->base[s]] += mass;
      continue;
    }
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
    status = ff_error_set(err, FF_EMEMORY, "Out of memory for a step over %u states.", ex->n_states);
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
    return ff_error_set(err, FF_EARGUMENT, "State %llu is not among the %u states.", (unsigned long long)state,
                        ex->n_states);
  uint32_t s = (uint32_t)state;
  uint32_t *to = ff_calloc(ex->row_max, sizeof *to);
  double *weight = ff_calloc(ex->row_max, sizeof *weight);
  if (!to || !weight) {
    free(to);
    free(weight);
    return ff_error_set(err, FF_EMEMORY, "Out of memory for a row of %u states.", ex->n_states);
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
