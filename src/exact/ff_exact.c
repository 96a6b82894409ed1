#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ff_status find_free(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  int8_t *held = ff_calloc(pbn->n_nodes, sizeof *held);
  ex->nodes = ff_calloc(pbn->n_nodes, sizeof *ex->nodes);
  ex->bit = ff_calloc(pbn->n_nodes, sizeof *ex->bit);
  if (!held || !ex->nodes || !ex->bit) {
    free(held);
    return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  }
  ex->n_nodes = pbn->n_nodes;
  ff_status status = ff_pbn_held(held, pbn, err);
  uint32_t free_nodes = 0;
  for (uint32_t i = 0; i < pbn->n_nodes && status == FF_OK; i++) {
    if (held[i] >= 0) {
      ex->bit[i] = (int8_t)(held[i] ? FF_HELD_1 : FF_HELD_0);
      continue;
    }
    if (free_nodes < FF_EXACT_MAX_FREE) {
      ex->bit[i] = (int8_t)free_nodes;
      ex->nodes[free_nodes] = i;
    }
    free_nodes++;
  }
  free(held);
  if (status != FF_OK) return status;
  if (free_nodes > FF_EXACT_MAX_FREE)
    return ff_error_set(err, FF_ESIZE,
                        "the network has %u free nodes, but exact answers are possible for at most %d, or if no node is "
                        "perturbed and few states can follow: reduce the network or estimate by simulation",
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

static void set_flips(ff_exact *ex, const ff_pbn *pbn) {
  ex->p = pbn->perturbation;
  double log_stay = ex->p > 0 ? log1p(-ex->p) : 0;
  double removed = (double)pbn->removed_perturbed * log_stay;
  ex->flip = -expm1((double)ex->flip_bits * log_stay);
  ex->idle = exp((double)ex->flip_bits * log_stay) * -expm1(removed);
  ex->update = exp((double)ex->flip_bits * log_stay + removed);
}

/* The largest number of bytes that the chain and its solver use at once: the tables, the answer, a row, and the larger of the
 * following two amounts. (1) The search for components takes 33 bytes per state, or 66 if orbits are searched too, and sorting
 * them takes 29. (2) The systems take 102 bytes per state, plus the flips of an orbit, the factors of components, and the Krylov
 * vectors. */
static double most_bytes(const ff_exact *ex, const ff_pbn *pbn) {
  double n = ex->n_states, orbit = ex->flip_bits ? ldexp(1, (int)ex->flip_bits) : 0, row = ex->n_free + 2.0;
  double tables = 8 * (double)ex->record * n + 4 * orbit, choices = 1;
  for (uint32_t b = 0; b < ex->n_free; b++) choices *= ex->width[b] > 1 ? 2 : 1;
  if (ex->synchronous && !pbn->n_contexts) {
    tables += 8 * n;
    row = choices;
  } else if (ex->synchronous) {
    double next = (double)pbn->n_contexts * n;
    tables += next > FF_EXACT_MAX_NEXT ? 0 : 4 * next;
    row = pbn->n_contexts;
  }
  double search = (ex->flip_bits > 0 && ex->flip_bits < ex->n_free ? 66 : 33) * n + 29 * n;
  double factors = 8 * (n * FF_EXACT_DENSE_SEGMENT < FF_EXACT_MAX_FACTORS ? n * FF_EXACT_DENSE_SEGMENT : FF_EXACT_MAX_FACTORS);
  double systems = 102 * n + 16 * orbit + factors + 8 * n * (ff_exact_gmres_room(ex->n_states) + 1.0);
  return tables + 8 * n + 12 * row + (search > systems ? search : systems);
}

/* Assigns a bit of the record to every function. */
static ff_status set_slots(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  ex->width = ff_calloc(ex->n_free, sizeof *ex->width);
  ex->slot = ff_calloc(ex->n_free, sizeof *ex->slot);
  ex->pattern = ff_calloc(ex->n_free, sizeof *ex->pattern);
  if (!ex->width || !ex->slot || !ex->pattern) return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  uint64_t slots = 0;
  ex->row_cost = ex->synchronous && !pbn->n_contexts ? 1 : ex->n_free + 1;
  for (uint32_t b = 0; b < ex->n_free; b++) {
    uint32_t node = ex->nodes[b], width = pbn->first[node + 1] - pbn->first[node];
    if (width > 1u << 24) return ff_error_set(err, FF_ESIZE, "a node has %u predictor functions: too many", width);
    if (slots % 64 + width > 64) slots += 64 - slots % 64;
    ex->width[b] = width;
    ex->slot[b] = (uint32_t)slots;
    ex->pattern[b] = ex->n_patterns;
    slots += width;
    if (width <= FF_EXACT_PATTERN)
      ex->n_patterns += (size_t)1 << width;
    else
      ex->row_cost += width;
  }
  ex->arrow_cost = ex->synchronous && !pbn->n_contexts ? 1 : ex->row_cost;
  ex->n_slots = slots;
  ex->record = slots / 64 + 1;
  ex->words = (ex->n_states + 63u) / 64;
  double bytes = most_bytes(ex, pbn);
  if (bytes <= FF_EXACT_MAX_BYTES) return FF_OK;
  return ff_error_set(err, FF_ESIZE,
                      "exact answers for this network (%u free nodes, %u predictor functions) could take %.3g GB of memory, "
                      "more than the %.3g GB that are allowed: reduce the network or estimate by simulation",
                      ex->n_free, pbn->first[pbn->n_nodes], bytes / 1e9, FF_EXACT_MAX_BYTES / 1e9);
}

static ff_status make_tables(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  uint32_t depth = 1;
  uint64_t next = (uint64_t)pbn->n_contexts * ex->n_states;
  int with_bits = ex->synchronous && !pbn->n_contexts;
  int with_next = ex->synchronous && pbn->n_contexts && next <= FF_EXACT_MAX_NEXT;
  for (uint32_t b = 0; b < ex->n_free; b++) {
    const ff_predictor *f = pbn->predictors + pbn->first[ex->nodes[b]];
    for (uint32_t k = 0; k < ex->width[b]; k++) {
      ex->word_cost += f[k].expr.length + 64;
      if (f[k].expr.depth > depth) depth = f[k].expr.depth;
    }
  }
  ex->stack = ff_calloc(depth, sizeof *ex->stack);
  ex->spread = ff_calloc((size_t)1 << ex->flip_bits, sizeof *ex->spread);
  ex->probability = ff_calloc(ex->n_slots, sizeof *ex->probability);
  ex->values = ff_calloc(ex->record * ex->n_states, sizeof *ex->values);
  ex->chance = ff_calloc(2 * ex->n_patterns, sizeof *ex->chance);
  if (with_bits) ex->base = ff_calloc(ex->n_states, sizeof *ex->base);
  if (with_bits) ex->vary = ff_calloc(ex->n_states, sizeof *ex->vary);
  if (with_next) ex->next = ff_calloc((size_t)next, sizeof *ex->next);
  if (ex->stack && ex->spread && ex->probability && ex->values && ex->chance && (!with_bits || (ex->base && ex->vary)) &&
      (!with_next || ex->next))
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the values of %u functions in %u states", pbn->first[pbn->n_nodes],
                      ex->n_states);
}

/* Sets the probability of each function of a node that is updated. In asynchronous mode, the selected node uses the context
 * that was drawn, so only the probability summed over contexts matters. */
static void set_probabilities(ff_exact *ex, const ff_pbn *pbn) {
  for (uint32_t b = 0; b < ex->n_free; b++) {
    const ff_predictor *f = pbn->predictors + pbn->first[ex->nodes[b]];
    for (uint32_t k = 0; k < ex->width[b]; k++)
      ex->probability[ex->slot[b] + k] = !ex->synchronous && pbn->n_contexts ? 0 : f[k].probability;
  }
  for (uint32_t c = 0; c < pbn->n_contexts && !ex->synchronous; c++)
    for (uint32_t i = 0; i < ex->n_free; i++)
      ex->probability[ex->slot[i] + pbn->context[(size_t)c * pbn->n_nodes + ex->nodes[i]]] +=
          pbn->context_probability[c];
  for (uint32_t i = 0; i < ex->n_free; i++) {
    if (ex->width[i] > FF_EXACT_PATTERN) continue;
    double *at = ex->chance + 2 * ex->pattern[i];
    for (uint32_t pattern = 0; pattern < UINT32_C(1) << ex->width[i]; pattern++, at += 2)
      for (uint32_t j = 0; j < ex->width[i]; j++) at[pattern >> j & 1u] += ex->probability[ex->slot[i] + j];
  }
}

static ff_status set_contexts(ff_exact *ex, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_contexts;
  ex->context_probability = ff_calloc(n, sizeof *ex->context_probability);
  ex->context = ff_calloc(n, ex->n_free * sizeof *ex->context);
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
  return FF_OK;
}

ff_status ff_exact_begin(ff_exact **out, const ff_pbn *pbn, ff_error *err) {
  *out = NULL;
  if (pbn->n_nodes == 0) return ff_error_set(err, FF_EMODEL, "a network without nodes has no chain");
  ff_exact *ex = ff_calloc(1, sizeof *ex);
  if (!ex) return ff_error_set(err, FF_EMEMORY, "no memory for the exact chain");
  ex->synchronous = pbn->update == FF_SYNCHRONOUS;
  ex->pbn = pbn;
  ff_status status = find_free(ex, pbn, err);
  if (status == FF_OK) {
    set_flips(ex, pbn);
    status = set_slots(ex, pbn, err);
  }
  if (status == FF_OK) status = make_tables(ex, pbn, err);
  if (status == FF_OK) set_probabilities(ex, pbn);
  if (status == FF_OK && ex->synchronous && pbn->n_contexts) status = set_contexts(ex, pbn, err);
  if (!ex->synchronous) {
    double nodes = (double)pbn->n_nodes + (double)pbn->removed_nodes;
    ex->pick = 1 / nodes;
    ex->pick_none = (nodes - (double)ex->n_free) / nodes;
    ex->row_max = ex->n_free + 2u; /* ff_exact_update_row() writes one entry ahead */
    ex->row_mean = (double)ex->row_max;
  }
  if (status != FF_OK) {
    ff_exact_free(ex);
    return status;
  }
  *out = ex;
  return FF_OK;
}

/* Evaluates all functions in the 64 states of word w, and finds the bits that have only one possible next value. No function has
 * probability 0. */
static void fill_word(ff_exact *ex, uint32_t w) {
  uint32_t lanes = ex->n_states < 64 ? ex->n_states : 64;
  size_t first = (size_t)w * 64;
  for (uint32_t b = 0; b < ex->n_free; b++) {
    const ff_predictor *f = ex->pbn->predictors + ex->pbn->first[ex->nodes[b]];
    uint64_t ones = 0, zeros = 0;
    for (uint32_t j = ex->slot[b]; j < ex->slot[b] + ex->width[b]; j++, f++) {
      uint64_t value = ff_exact_word(ex, &f->expr, w, ex->stack), *at = ex->values + first * ex->record + j / 64;
      for (uint32_t l = 0; l < lanes; l++, at += ex->record) *at |= (value >> l & 1u) << (j % 64);
      ones |= value;
      zeros |= ~value;
    }
    for (uint32_t l = 0; l < lanes && ex->base; l++) {
      ex->base[first + l] |= (uint32_t)((ones & ~zeros) >> l & 1u) << b;
      ex->vary[first + l] |= (uint32_t)((ones & zeros) >> l & 1u) << b;
    }
  }
}

/* One case for each stage. */
int ff_exact_fill(ff_exact *ex, double seconds) {
  enum { SPREAD, VALUES, LENGTHS, NEXT, FULL };
  ff_exact_turn turn = ff_exact_turn_of(seconds);
  ff_exact_place *place = &ex->fill;
  uint32_t lo, hi, orbit = UINT32_C(1) << ex->flip_bits, n = ex->n_states;
  for (;;) switch (place->stage) {
      case SPREAD:
        while (ff_exact_take(&turn, place, orbit, &lo, &hi))
          for (uint32_t l = lo; l < hi; l++) ex->spread[l] = l ? (ex->spread[l - 1] - ex->flip_mask) & ex->flip_mask : 0;
        if (!ff_exact_through(place, orbit, VALUES)) return 0;
        break;
      case VALUES:
        for (; place->at < ex->words; place->at++) {
          if (!ff_exact_more(&turn, ex->word_cost)) return 0;
          fill_word(ex, place->at);
        }
        place->at = 0;
        place->stage = ex->base ? LENGTHS : ex->next ? NEXT : FULL;
        break;
      case LENGTHS:
        while (ff_exact_take(&turn, place, n, &lo, &hi)) {
          for (uint32_t s = lo; s < hi; s++) {
            size_t length = 1;
            for (uint32_t v = ex->vary[s]; v; v &= v - 1) length *= 2;
            if (length > ex->row_max) ex->row_max = length;
            ex->row_mean += (double)length;
          }
        }
        if (!ff_exact_through(place, n, FULL)) return 0;
        ex->row_mean /= n;
        break;
      case NEXT:
        while (ff_exact_take(&turn, place, ex->n_contexts * n, &lo, &hi))
          for (uint32_t k = lo; k < hi; k++) ex->next[k] = ff_exact_context_next(ex, k / n, k % n);
        if (!ff_exact_through(place, ex->n_contexts * n, FULL)) return 0;
        break;
      default: return 1;
    }
}

ff_status ff_exact_new(ff_exact **out, const ff_pbn *pbn, ff_error *err) {
  ff_status status = ff_exact_begin(out, pbn, err);
  while (status == FF_OK && !ff_exact_fill(*out, INFINITY)) continue;
  return status;
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
  free(ex->stack);
  free(ex);
}

uint32_t ff_exact_free_nodes(const ff_exact *exact, const uint32_t **nodes) {
  *nodes = exact->nodes;
  return exact->n_free;
}

uint64_t ff_exact_states(const ff_exact *exact) { return exact->n_states; }
