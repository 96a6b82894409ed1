#include "ff_influence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t *first;
  ff_expr *terms;
  double *weights;
  size_t n_terms, terms_capacity, weights_capacity;
  int64_t *map; /* the identity, except for one node at a time */
} builder;

void ff_influence_free(ff_observables *observables) {
  ff_expr *terms = (ff_expr *)observables->terms;
  for (uint32_t i = 0; terms != NULL && observables->first != NULL && i < observables->first[observables->n]; i++)
    ff_expr_free(&terms[i]);
  free(terms);
  free((double *)observables->weights);
  free((uint32_t *)observables->first);
  *observables = (ff_observables){0};
}

/* The probability that function f (counted from 0) of a node is selected. */
static double selected(const ff_pbn *pbn, uint32_t node, uint32_t f) {
  if (pbn->n_contexts == 0) return pbn->predictors[pbn->first[node] + f].probability;
  double sum = 0;
  for (uint32_t c = 0; c < pbn->n_contexts; c++)
    if (pbn->context[(size_t)c * pbn->n_nodes + node] == f) sum += pbn->context_probability[c];
  return sum < 1 ? sum : 1;
}

static int names(const ff_predictor *f, uint32_t parent) {
  uint32_t low = 0, high = f->n_parents;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (f->parents[middle] < parent)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->n_parents && f->parents[low] == parent;
}

#define FOLD_PARENTS 10 /* up to this many parents, the truth table shows whether an expression is constant */

/* Replaces an expression that has the same value in every state by that constant. */
static ff_status fold(ff_expr *expr, ff_error *err) {
  uint32_t *parents = NULL, *table = NULL, n = 0, ones = 0;
  ff_status status = ff_expr_parents(expr, &parents, &n, err);
  if (status != FF_OK || n > FOLD_PARENTS) {
    free(parents);
    return status;
  }
  status = ff_expr_table(expr, parents, n, &table, err);
  for (uint32_t row = 0; status == FF_OK && row < 1u << n; row++) ones += table[row / 32] >> (row % 32) & 1;
  if (status == FF_OK && (ones == 0 || ones == 1u << n)) {
    expr->code[0] = FF_X_OP(FF_X_CONST, ones != 0);
    expr->length = expr->depth = 1;
  }
  free(parents);
  free(table);
  return status;
}

/* off ^ on, as postfix code; two constants are folded into one */
static ff_status join(ff_expr *out, const ff_expr *off, const ff_expr *on, ff_error *err) {
  if (off->length == 1 && on->length == 1 && FF_X_CODE(off->code[0]) == FF_X_CONST && FF_X_CODE(on->code[0]) == FF_X_CONST) {
    ff_status status = ff_expr_copy(out, off, err);
    if (status == FF_OK) out->code[0] ^= FF_X_OPERAND(on->code[0]);
    return status;
  }
  *out = (ff_expr){.length = off->length + on->length + 1, .depth = off->depth > on->depth + 1 ? off->depth : on->depth + 1};
  out->code = ff_calloc(out->length, sizeof *out->code);
  if (out->code == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an influence");
  memcpy(out->code, off->code, off->length * sizeof *off->code);
  memcpy(out->code + off->length, on->code, on->length * sizeof *on->code);
  out->code[out->length - 1] = FF_X_OP(FF_X_XOR, 0);
  return FF_OK;
}

static ff_status difference(ff_expr *out, const ff_expr *f, uint32_t parent, int64_t *map, ff_error *err) {
  ff_expr off = {0}, on = {0};
  map[parent] = FF_MAP_0;
  ff_status status = ff_expr_remap(&off, f, map, err);
  map[parent] = FF_MAP_1;
  if (status == FF_OK) status = ff_expr_remap(&on, f, map, err);
  map[parent] = parent;
  if (status == FF_OK) status = join(out, &off, &on, err);
  ff_expr_free(&off);
  ff_expr_free(&on);
  return status;
}

static ff_status add_pair(builder *b, const ff_pbn *pbn, uint32_t from, uint32_t to, ff_error *err) {
  int parent = 0;
  for (uint32_t f = pbn->first[to]; f < pbn->first[to + 1]; f++) {
    double weight = selected(pbn, to, f - pbn->first[to]);
    if (!names(&pbn->predictors[f], from)) continue;
    parent = 1;
    if (weight == 0) continue; /* no context selects it */
    ff_status status = ff_grow((void **)&b->terms, &b->terms_capacity, b->n_terms + 1, sizeof *b->terms, err);
    if (status == FF_OK) status = ff_grow((void **)&b->weights, &b->weights_capacity, b->n_terms + 1, sizeof *b->weights, err);
    if (status == FF_OK) status = difference(&b->terms[b->n_terms], &pbn->predictors[f].expr, from, b->map, err);
    if (status != FF_OK) return status;
    b->weights[b->n_terms++] = weight;
    status = fold(&b->terms[b->n_terms - 1], err);
    if (status != FF_OK) return status;
  }
  if (!parent)
    return ff_error_set(err, FF_EARGUMENT, "node \"%s\" is not a parent of node \"%s\"", pbn->names[from], pbn->names[to]);
  return FF_OK;
}

double ff_observable_constant(const ff_observables *observables, uint32_t observable) {
  double sum = 0;
  for (uint32_t i = observables->first[observable]; i < observables->first[observable + 1]; i++) {
    const ff_expr *term = &observables->terms[i];
    if (term->length != 1 || FF_X_CODE(term->code[0]) != FF_X_CONST) return NAN;
    sum += observables->weights[i] * FF_X_OPERAND(term->code[0]);
  }
  return sum;
}

ff_status ff_observables_hold(ff_observables *observables, const ff_pbn *pbn, ff_error *err) {
  int64_t *map = ff_calloc(pbn->n_nodes, sizeof *map);
  int8_t *held = ff_calloc(pbn->n_nodes, sizeof *held);
  ff_status status = map != NULL && held != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for the held nodes");
  if (status == FF_OK) status = ff_pbn_held(held, pbn, err);
  int any = 0;
  for (uint32_t i = 0; i < pbn->n_nodes && status == FF_OK; i++) {
    map[i] = held[i] < 0 ? (int64_t)i : held[i] ? FF_MAP_1 : FF_MAP_0;
    any |= held[i] >= 0;
  }
  ff_expr *terms = (ff_expr *)observables->terms;
  for (uint32_t i = 0; any && i < observables->first[observables->n] && status == FF_OK; i++) {
    ff_expr settled = {0};
    status = ff_expr_remap(&settled, &terms[i], map, err);
    if (status != FF_OK) break;
    ff_expr_free(&terms[i]);
    terms[i] = settled;
    status = fold(&terms[i], err);
  }
  free(held);
  free(map);
  return status;
}

ff_status ff_influence_new(ff_observables *out, const ff_pbn *pbn, const uint32_t *from, const uint32_t *to, uint32_t n,
                           ff_error *err) {
  *out = (ff_observables){0};
  builder b = {0};
  b.first = ff_calloc((size_t)n + 1, sizeof *b.first);
  b.map = ff_calloc(pbn->n_nodes, sizeof *b.map);
  ff_status status = b.first != NULL && b.map != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u influences", n);
  for (uint32_t i = 0; i < pbn->n_nodes && status == FF_OK; i++) b.map[i] = i;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    status = add_pair(&b, pbn, from[i], to[i], err);
    b.first[i + 1] = (uint32_t)b.n_terms;
  }
  free(b.map);
  if (status != FF_OK) {
    for (size_t i = 0; i < b.n_terms; i++) ff_expr_free(&b.terms[i]);
    free(b.terms);
    free(b.weights);
    free(b.first);
    return status;
  }
  *out = (ff_observables){.n = n, .first = b.first, .terms = b.terms, .weights = b.weights};
  return FF_OK;
}

ff_status ff_observables_put_sets(ff_observables *observables, const ff_expr *sets, uint32_t n, ff_error *err) {
  uint32_t old = observables->n, old_terms = observables->first[old];
  size_t n_terms = (size_t)n + old_terms;
  uint32_t *first = ff_calloc((size_t)n + old + 1, sizeof *first);
  ff_expr *terms = ff_calloc(n_terms, sizeof *terms);
  double *weights = ff_calloc(n_terms, sizeof *weights);
  if (first == NULL || terms == NULL || weights == NULL) {
    free(first);
    free(terms);
    free(weights);
    return ff_error_set(err, FF_EMEMORY, "no memory for %u state sets", n);
  }
  for (uint32_t i = 0; i < n; i++) {
    first[i] = i;
    terms[i] = sets[i];
    weights[i] = 1;
  }
  for (uint32_t i = 0; i <= old; i++) first[n + i] = n + observables->first[i];
  for (uint32_t i = 0; i < old_terms; i++) {
    terms[n + i] = observables->terms[i];
    weights[n + i] = observables->weights[i];
  }
  free((uint32_t *)observables->first);
  free((ff_expr *)observables->terms);
  free((double *)observables->weights);
  *observables = (ff_observables){.n = n + old, .first = first, .terms = terms, .weights = weights};
  return FF_OK;
}

/* ---- equal terms ----------------------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t *words; /* keys, one after the other */
  size_t n, capacity;
} key_list;

static int bit(const uint32_t *table, uint32_t row) { return table[row / 32] >> (row % 32) & 1; }

/* Keeps only the inputs on which the table depends. The table shrinks in place. */
static uint32_t essential(uint32_t *parents, uint32_t n, uint32_t *table) {
  for (uint32_t k = n; k-- > 0;) {
    uint32_t low = (1u << k) - 1, half = 1u << (n - 1), same = 1;
    for (uint32_t row = 0; row < half && same; row++) {
      uint32_t off = (row & low) | (row & ~low) << 1;
      same = bit(table, off) == bit(table, off | 1u << k);
    }
    if (!same) continue;
    for (uint32_t row = 0; row < half; row++) { /* reads are never behind writes */
      uint32_t value = (uint32_t)bit(table, (row & low) | (row & ~low) << 1);
      table[row / 32] = (table[row / 32] & ~(1u << (row % 32))) | value << (row % 32);
    }
    for (uint32_t i = k + 1; i < n; i++) parents[i - 1] = parents[i];
    n--;
  }
  return n;
}

static ff_status put(key_list *keys, const uint32_t *words, size_t n, ff_error *err) {
  ff_status status = ff_grow((void **)&keys->words, &keys->capacity, keys->n + n, sizeof *keys->words, err);
  if (status != FF_OK) return status;
  for (size_t i = 0; i < n; i++) keys->words[keys->n++] = words[i];
  return FF_OK;
}

/* Appends a term's key: inputs and table, or its code. */
static ff_status put_key(key_list *keys, const ff_expr *term, ff_error *err) {
  uint32_t *parents = NULL, *table = NULL, n = 0, code = UINT32_MAX;
  ff_status status = ff_expr_parents(term, &parents, &n, err);
  if (status == FF_OK && n > FOLD_PARENTS) {
    status = put(keys, &code, 1, err);
    if (status == FF_OK) status = put(keys, term->code, term->length, err);
  } else if (status == FF_OK) {
    status = ff_expr_table(term, parents, n, &table, err);
    if (status == FF_OK) {
      n = essential(parents, n, table);
      if (n < 5) table[0] &= (1u << (1u << n)) - 1; /* a table shorter than a word */
      status = put(keys, &n, 1, err);
    }
    if (status == FF_OK) status = put(keys, parents, n, err);
    if (status == FF_OK) status = put(keys, table, n > 5 ? 1u << (n - 5) : 1, err);
  }
  free(parents);
  free(table);
  return status;
}

static size_t hash_of(const uint32_t *words, size_t n) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < n; i++) hash = (hash ^ words[i]) * UINT64_C(0x100000001B3);
  return (size_t)(hash ^ hash >> 32);
}

/* The distinct terms found so far. A slot holds the number of a term, from 1. */
typedef struct {
  key_list keys;
  size_t *end; /* for each distinct term: where its key ends */
  uint32_t *slots;
  size_t n_slots;
  uint32_t n;
} term_table;

/* The number (from 0) of the term whose key was appended last. If the term is known, its number is returned and the key is
 * removed; otherwise it gets the next number. */
static uint32_t number_of(term_table *t, size_t start) {
  size_t length = t->keys.n - start;
  for (size_t slot = hash_of(t->keys.words + start, length) % t->n_slots;; slot = (slot + 1) % t->n_slots) {
    uint32_t number = t->slots[slot];
    if (number == 0) {
      t->end[t->n] = t->keys.n;
      t->slots[slot] = ++t->n;
      return t->n - 1;
    }
    size_t first = number > 1 ? t->end[number - 2] : 0;
    if (t->end[number - 1] - first != length ||
        memcmp(t->keys.words + first, t->keys.words + start, length * sizeof *t->keys.words) != 0)
      continue;
    t->keys.n = start;
    return number - 1;
  }
}

void ff_counted_free(ff_counted *counted) {
  free((uint32_t *)counted->counted.first);
  free((ff_expr *)counted->counted.terms);
  free((double *)counted->counted.weights);
  free(counted->at);
  *counted = (ff_counted){0};
}

ff_status ff_counted_new(ff_counted *out, const ff_observables *observables, ff_error *err) {
  uint32_t n = observables->first[observables->n];
  term_table found = {.n_slots = 2 * (size_t)n + 1};
  uint32_t *first = ff_calloc((size_t)n + 1, sizeof *first), *at = ff_calloc(n, sizeof *at);
  ff_expr *terms = ff_calloc(n, sizeof *terms);
  double *weights = ff_calloc(n, sizeof *weights);
  found.end = ff_calloc(n, sizeof *found.end);
  found.slots = ff_calloc(found.n_slots, sizeof *found.slots);
  ff_status status = FF_OK;
  if (first == NULL || at == NULL || terms == NULL || weights == NULL || found.end == NULL || found.slots == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for %u terms", n);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    const ff_expr *term = &observables->terms[i];
    if (term->length == 1 && FF_X_CODE(term->code[0]) == FF_X_CONST) {
      at[i] = FF_X_OPERAND(term->code[0]) ? FF_TERM_1 : FF_TERM_0;
      continue;
    }
    size_t start = found.keys.n;
    status = put_key(&found.keys, term, err);
    if (status != FF_OK) break;
    const uint32_t *key = found.keys.words + start;
    if (key[0] == 0) { /* depends on no node */
      at[i] = key[1] & 1 ? FF_TERM_1 : FF_TERM_0;
      found.keys.n = start;
      continue;
    }
    at[i] = number_of(&found, start);
    terms[at[i]] = *term; /* the last one of equal terms */
    weights[at[i]] = 0.5;
    first[at[i] + 1] = at[i] + 1;
  }
  for (uint32_t i = 0; i < observables->n && status == FF_OK; i++) {
    uint32_t j = observables->first[i];
    if (ff_is_set(observables->first, observables->weights, i) && at[j] < FF_TERM_0) weights[at[j]] = 1;
  }
  free(found.keys.words);
  free(found.end);
  free(found.slots);
  *out = (ff_counted){.counted = {.n = found.n, .first = first, .terms = terms, .weights = weights}, .at = at};
  if (status != FF_OK) ff_counted_free(out);
  return status;
}
