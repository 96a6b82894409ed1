/* Pairs of nodes, watched at some instants. */
#include "ff_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 4u                   /* bits of a count up to FF_PAIR_INSTANTS */
#define ROW_WORDS (FF_TILE / 64)
#define MOST_PARENTS 32u
#define MOST_LISTED (UINT32_C(1) << 22) /* pairs before repeats are dropped */

void ff_pairs_free(ff_pairs *pairs) {
  free(pairs->node[0]);
  free(pairs->node[1]);
  *pairs = (ff_pairs){0};
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t *code; /* the smaller node in the high word */
  size_t n, capacity;
} list;

static ff_status add_all(list *l, const uint32_t *parents, uint32_t n, ff_error *err) {
  if (n > MOST_PARENTS) n = MOST_PARENTS;
  if (n < 2 || l->n > MOST_LISTED) return FF_OK;
  ff_status status = ff_grow((void **)&l->code, &l->capacity, l->n + (size_t)n * (n - 1) / 2, sizeof *l->code, err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < n; i++) /* parents are in ascending order */
    for (uint32_t j = i + 1; j < n; j++) l->code[l->n++] = (uint64_t)parents[i] << 32 | parents[j];
  return FF_OK;
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static ff_status list_pairs(list *l, const ff_observables *asked, const ff_pbn *pbn, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t f = 0; f < pbn->first[pbn->n_nodes] && status == FF_OK; f++)
    status = add_all(l, pbn->predictors[f].parents, pbn->predictors[f].n_parents, err);
  for (uint32_t t = 0; t < asked->first[asked->n] && status == FF_OK; t++) {
    uint32_t *parents, n;
    status = ff_expr_parents(&asked->terms[t], &parents, &n, err);
    if (status == FF_OK) status = add_all(l, parents, n, err);
    free(parents);
  }
  if (status != FF_OK || l->n == 0) return status;
  qsort(l->code, l->n, sizeof *l->code, compare);
  size_t kept = 1;
  for (size_t i = 1; i < l->n; i++)
    if (l->code[i] != l->code[kept - 1]) l->code[kept++] = l->code[i];
  l->n = kept;
  return FF_OK;
}

ff_status ff_pairs_new(ff_pairs *out, const ff_observables *asked, const ff_pbn *pbn, uint32_t first_node, uint32_t most,
                       ff_error *err) {
  *out = (ff_pairs){0};
  list l = {0};
  ff_status status = list_pairs(&l, asked, pbn, err);
  size_t nodes = first_node < pbn->n_nodes ? pbn->n_nodes - first_node : 0, all = nodes + l.n;
  uint32_t n = all < most ? (uint32_t)all : most;
  if (status == FF_OK) {
    out->node[0] = ff_calloc(n, sizeof *out->node[0]);
    out->node[1] = ff_calloc(n, sizeof *out->node[1]);
    if (out->node[0] == NULL || out->node[1] == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for %u pairs", n);
  }
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    size_t at = (size_t)((uint64_t)i * all / n);
    out->node[0][i] = at < nodes ? first_node + (uint32_t)at : (uint32_t)(l.code[at - nodes] >> 32);
    out->node[1][i] = at < nodes ? first_node + (uint32_t)at : (uint32_t)l.code[at - nodes];
  }
  out->n = n;
  free(l.code);
  if (status != FF_OK) ff_pairs_free(out);
  return status;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

void ff_pair_counts_free(ff_pair_counts *counts) {
  free(counts->count);
  free(counts->rows);
  *counts = (ff_pair_counts){0};
}

static size_t words_of(const ff_pairs *pairs) { return (size_t)pairs->n * 2 * LEVELS * ROW_WORDS; }

ff_status ff_pair_counts_new(ff_pair_counts *out, const ff_pairs *pairs, uint32_t n_nodes, ff_error *err) {
  *out = (ff_pair_counts){0};
  out->count = ff_calloc(words_of(pairs), sizeof *out->count);
  out->rows = ff_calloc((size_t)n_nodes * ROW_WORDS, sizeof *out->rows);
  if (out->count != NULL && out->rows != NULL) return FF_OK;
  ff_pair_counts_free(out);
  return ff_error_set(err, FF_EMEMORY, "no memory for the counts of %u pairs of nodes", pairs->n);
}

void ff_pair_counts_clear(ff_pair_counts *counts, const ff_pairs *pairs) {
  memset(counts->count, 0, words_of(pairs) * sizeof *counts->count);
  counts->taken = 0;
}

uint64_t ff_pair_counts_next(const ff_pair_counts *counts, const uint64_t half[2]) {
  uint32_t in_half = counts->taken % FF_PAIR_INSTANTS + 1;
  if (counts->taken < FF_PAIR_INSTANTS) return ff_share(half[0], in_half, FF_PAIR_INSTANTS);
  return half[0] + ff_share(half[1], in_half, FF_PAIR_INSTANTS);
}

/* Adds 1 to the counts of the trajectories whose bit in a ^ (b & mask) is 1. */
static void add(uint64_t *restrict count, const uint64_t *restrict a, const uint64_t *restrict b, uint64_t mask) {
  uint64_t carry[ROW_WORDS];
  for (uint32_t w = 0; w < ROW_WORDS; w++) carry[w] = a[w] ^ (b[w] & mask);
  for (uint32_t l = 0; l < LEVELS; l++, count += ROW_WORDS)
    for (uint32_t w = 0; w < ROW_WORDS; w++) {
      uint64_t before = count[w];
      count[w] = before ^ carry[w];
      carry[w] &= before;
    }
}

void ff_pair_counts_take(ff_pair_counts *counts, const ff_pairs *pairs, const ff_tile *tile) {
  uint32_t half = counts->taken++ / FF_PAIR_INSTANTS;
  ff_tile_rows(counts->rows, tile);
  for (uint32_t i = 0; i < pairs->n; i++) {
    const uint32_t a = pairs->node[0][i], b = pairs->node[1][i];
    add(counts->count + ((size_t)i * 2 + half) * LEVELS * ROW_WORDS, counts->rows + (size_t)a * ROW_WORDS,
        counts->rows + (size_t)b * ROW_WORDS, a == b ? 0 : UINT64_MAX);
  }
}

/* ---- moments ----------------------------------------------------------------------------------------------------- */

/* The number of bits that are 1 in both rows. Bytes are added up over all words, because plain x86-64 has no instruction that
 * counts bits. No byte exceeds 8 * ROW_WORDS = 128. */
static uint64_t ones(const uint64_t *a, const uint64_t *b) {
  const uint64_t m1 = UINT64_C(0x5555555555555555), m2 = UINT64_C(0x3333333333333333), m4 = UINT64_C(0x0F0F0F0F0F0F0F0F);
  const uint64_t m8 = UINT64_C(0x00FF00FF00FF00FF);
  uint64_t bytes = 0;
  for (uint32_t w = 0; w < ROW_WORDS; w++) {
    uint64_t x = a[w] & b[w];
    x -= x >> 1 & m1;
    x = (x & m2) + (x >> 2 & m2);
    bytes += (x + (x >> 4)) & m4;
  }
  bytes = (bytes & m8) + (bytes >> 8 & m8);
  return bytes * UINT64_C(0x0001000100010001) >> 48;
}

/* The sum over trajectories of the product of two counts, and of the square of a count. */
static uint64_t product(const uint64_t *a, const uint64_t *b) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < LEVELS; i++)
    for (uint32_t j = 0; j < LEVELS; j++) sum += ones(a + i * ROW_WORDS, b + j * ROW_WORDS) << (i + j);
  return sum;
}

static uint64_t square(const uint64_t *a) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < LEVELS; i++)
    for (uint32_t j = 0; j <= i; j++) sum += ones(a + i * ROW_WORDS, a + j * ROW_WORDS) << (i + j + (i != j));
  return sum;
}

static uint64_t total(const uint64_t *a) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < LEVELS; i++) sum += ones(a + i * ROW_WORDS, a + i * ROW_WORDS) << i;
  return sum;
}

/* The numbers of trajectories that showed a 0, and a 1, at some instant. */
static void add_seen(uint64_t seen[2], const uint64_t *a) {
  const uint64_t *top = a + (LEVELS - 1) * ROW_WORDS; /* 1 if the count is FF_PAIR_INSTANTS */
  for (uint32_t w = 0; w < ROW_WORDS; w++) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < LEVELS; i++) any |= a[i * ROW_WORDS + w];
    seen[0] += 64 - (uint64_t)__builtin_popcountll(top[w]);
    seen[1] += (uint64_t)__builtin_popcountll(any);
  }
}

ff_moments ff_pair_moments(const ff_pair_counts *const *tiles, uint32_t n_tiles, uint32_t pair) {
  uint64_t a = 0, b = 0, aa = 0, bb = 0, ab = 0, seen[2] = {0, 0};
  for (uint32_t t = 0; t < n_tiles; t++) {
    const uint64_t *first = tiles[t]->count + (size_t)pair * 2 * LEVELS * ROW_WORDS, *second = first + LEVELS * ROW_WORDS;
    a += total(first);
    b += total(second);
    aa += square(first);
    bb += square(second);
    ab += product(first, second);
    add_seen(seen, first);
    add_seen(seen, second);
  }
  double chains = (double)n_tiles * FF_TILE, unit = 0.5 / FF_PAIR_INSTANTS, scale = unit * unit / (chains - 1);
  double mean_a = (double)a / chains, mean_b = (double)b / chains;
  double var_a = ((double)aa - (double)a * mean_a) * scale, var_b = ((double)bb - (double)b * mean_b) * scale;
  ff_moments m = {.mean = unit * (mean_a + mean_b) / 2, .visited = seen[1] == 0 ? 0 : seen[0] == 0 ? 2 : 1};
  m.visits = (double)(seen[0] < seen[1] ? seen[0] : seen[1]) / 2;
  m.half_cov = ((double)ab - (double)a * mean_b) * scale;
  m.half_var = sqrt(fmax(var_a, 0) * fmax(var_b, 0));
  m.gap = unit * (mean_b - mean_a);
  m.gap_se = sqrt(fmax(var_a + var_b - 2 * m.half_cov, 0) / chains);
  return m;
}
