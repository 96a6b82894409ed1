/* Sums over trajectories, and what they say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_estimate.h"
#include "ff_influence.h"

#define WEIGHT_ONE 1048576.0 /* weights are counted in units of 2^-20 */
#define TERM_WORDS 5
#define PAIR_WORDS 10

uint32_t ff_tally_weight(double weight) { return (uint32_t)(weight * WEIGHT_ONE + 0.5); }

/* A 128-bit sum, low word first; the largest summand is below 2^127. */
static void add128(uint64_t *sum, uint64_t low, uint64_t high) {
  sum[0] += low;
  sum[1] += high + (sum[0] < low);
}

static void add_product(uint64_t *sum, uint64_t a, uint64_t b) {
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
  uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
  add128(sum, (uint32_t)p00 | middle << 32, p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32));
}

static double real128(const uint64_t *sum) { return (double)sum[1] * 18446744073709551616.0 + (double)sum[0]; }

/* a b - c d, of 128-bit sums: exact but for rounding at the end, so that what differs little is not lost. */
static double difference(const uint64_t *a, const uint64_t *b, const uint64_t *c, const uint64_t *d) {
  const uint64_t *factors[2][2] = {{a, b}, {c, d}};
  uint64_t product[2][4] = {{0}};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        uint64_t part[2] = {0}, carry;
        add_product(part, factors[k][0][i], factors[k][1][j]);
        for (int l = i + j; l < 4 && (part[0] | part[1]) != 0; l++) {
          product[k][l] += part[0];
          carry = product[k][l] < part[0];
          part[0] = part[1] + carry;
          part[1] = part[0] < carry;
        }
      }
  int last = 3, larger = 0;
  while (last > 0 && product[0][last] == product[1][last]) last--;
  larger = product[0][last] < product[1][last];
  uint64_t borrow = 0;
  double out = 0, unit = 1;
  for (int l = 0; l < 4; l++, unit *= 18446744073709551616.0) {
    uint64_t x = product[larger][l], y = product[1 - larger][l], rest = x - y - borrow;
    borrow = x < y || (x == y && borrow);
    out += (double)rest * unit;
  }
  return larger ? -out : out;
}

void ff_tally_free(ff_tally *tally) {
  free(tally->first);
  free(tally->weights);
  free(tally->words);
  *tally = (ff_tally){0};
}

ff_status ff_tally_new(ff_tally *out, const ff_observables *observables, ff_error *err) {
  *out = (ff_tally){.n = observables->n, .n_terms = observables->first[observables->n]};
  out->n_words = (size_t)out->n_terms * TERM_WORDS + (size_t)out->n * PAIR_WORDS;
  out->first = ff_calloc((size_t)out->n + 1, sizeof *out->first);
  out->weights = ff_calloc(out->n_terms, sizeof *out->weights);
  out->words = ff_calloc(out->n_words, sizeof *out->words);
  if (out->first == NULL || out->weights == NULL || out->words == NULL) {
    ff_tally_free(out);
    return ff_error_set(err, FF_EMEMORY, "no memory for the sums of %u observables", observables->n);
  }
  memcpy(out->first, observables->first, ((size_t)out->n + 1) * sizeof *out->first);
  memcpy(out->weights, observables->weights, out->n_terms * sizeof *out->weights);
  return FF_OK;
}

void ff_tally_clear(ff_tally *tally, uint64_t half0, uint64_t half1) {
  memset(tally->words, 0, tally->n_words * sizeof *tally->words);
  tally->tiles = 0;
  tally->half[0] = half0;
  tally->half[1] = half1;
}

static uint64_t *term_words(const ff_tally *tally, uint32_t term) { return tally->words + (size_t)term * TERM_WORDS; }
static uint64_t *pair_words(const ff_tally *tally, uint32_t observable) {
  return tally->words + (size_t)tally->n_terms * TERM_WORDS + (size_t)observable * PAIR_WORDS;
}

/* A term's counts of 1,024 trajectories, or what all of them have where it is constant. */
typedef struct {
  const uint32_t *counts;
  uint32_t all;
} column;

static column column_of(const uint32_t *counts, uint32_t at, uint64_t steps) {
  if (at < FF_TERM_0) return (column){counts + (size_t)at * FF_TILE, 0};
  return (column){NULL, at == FF_TERM_1 ? (uint32_t)steps : 0};
}

static uint64_t value(column c, uint32_t lane) { return c.counts != NULL ? c.counts[lane] : c.all; }

static void add_term(uint64_t *words, uint32_t at, int two_state, const uint32_t *first_half, const ff_harvest *harvest,
                     const uint64_t half[2]) {
  column a = column_of(first_half, at, half[0]), whole = column_of(harvest->counts, at, half[0] + half[1]);
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    words[0] += value(a, lane);
    words[1] += value(whole, lane);
  }
  if (two_state) {
    uint32_t held = at == FF_TERM_1 ? FF_TILE : 0;
    words[2] += at < FF_TERM_0 ? harvest->changes[at] : 0;
    words[3] += at < FF_TERM_0 ? harvest->before[at] : held;
    words[4] += at < FF_TERM_0 ? harvest->after[at] : held;
    return;
  }
  for (uint32_t lane = 0; lane < FF_TILE; lane++) { /* what is constant cannot be missed */
    uint64_t early = value(a, lane), late = value(whole, lane) - early;
    words[2] += at >= FF_TERM_0 ? 2 : (early > 0) + (late > 0);
    words[3] += at >= FF_TERM_0 ? 2 : (early < half[0]) + (late < half[1]);
  }
}

#define SHORT_WINDOW (UINT64_C(1) << 26) /* 1,024 products of counts up to this fit into 64 bits */

/* One term: the products' sums times its weight's square, which are the same integers. */
static void add_single(uint64_t *words, column early, column all, uint64_t weight) {
  uint64_t a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (uint32_t lane = 0; lane < FF_TILE && early.counts != NULL; lane++) {
    uint64_t first = early.counts[lane], second = all.counts[lane] - early.counts[lane];
    a += first;
    b += second;
    aa += first * first;
    bb += second * second;
    ab += first * second;
  }
  if (early.counts == NULL) {
    uint64_t first = early.all, second = all.all - early.all;
    a = first * FF_TILE;
    b = second * FF_TILE;
    aa = first * first * FF_TILE;
    bb = second * second * FF_TILE;
    ab = first * second * FF_TILE;
  }
  add_product(words, weight, a);
  add_product(words + 2, weight, b);
  add_product(words + 4, weight * weight, aa);
  add_product(words + 6, weight * weight, bb);
  add_product(words + 8, weight * weight, ab);
}

void ff_tally_add_at(ff_tally *tally, const uint32_t *at, const uint32_t *first_half, const ff_harvest *harvest) {
  for (uint32_t i = 0; i < tally->n; i++) {
    uint32_t first = tally->first[i], last = tally->first[i + 1];
    int two_state = last - first == 1 && tally->weights[first] == 1.0;
    uint64_t *words = pair_words(tally, i);
    if (last - first == 1 && tally->half[0] + tally->half[1] < SHORT_WINDOW) {
      uint32_t place = at == NULL ? first : at[first];
      add_term(term_words(tally, first), place, two_state, first_half, harvest, tally->half);
      add_single(words, column_of(first_half, place, tally->half[0]),
                 column_of(harvest->counts, place, tally->half[0] + tally->half[1]), ff_tally_weight(tally->weights[first]));
      continue;
    }
    uint64_t a[FF_TILE] = {0}, whole[FF_TILE] = {0};
    for (uint32_t j = first; j < last; j++) {
      uint32_t place = at == NULL ? j : at[j];
      add_term(term_words(tally, j), place, two_state, first_half, harvest, tally->half);
      uint64_t weight = ff_tally_weight(tally->weights[j]);
      column early = column_of(first_half, place, tally->half[0]);
      column all = column_of(harvest->counts, place, tally->half[0] + tally->half[1]);
      for (uint32_t lane = 0; lane < FF_TILE; lane++) {
        a[lane] += weight * value(early, lane);
        whole[lane] += weight * value(all, lane);
      }
    }
    for (uint32_t lane = 0; lane < FF_TILE; lane++) {
      uint64_t b = whole[lane] - a[lane];
      add128(words, a[lane], 0);
      add128(words + 2, b, 0);
      add_product(words + 4, a[lane], a[lane]);
      add_product(words + 6, b, b);
      add_product(words + 8, a[lane], b);
    }
  }
  tally->tiles++;
}

void ff_tally_add(ff_tally *tally, const uint32_t *first_half, const ff_harvest *harvest) {
  ff_tally_add_at(tally, NULL, first_half, harvest);
}

ff_status ff_tally_merge(ff_tally *into, const ff_tally *from, ff_error *err) {
  if (into->n_words != from->n_words || into->half[0] != from->half[0] || into->half[1] != from->half[1])
    return ff_error_set(err, FF_EARGUMENT, "results of different runs cannot be merged");
  size_t plain = (size_t)into->n_terms * TERM_WORDS;
  for (size_t i = 0; i < plain; i++) into->words[i] += from->words[i];
  for (size_t i = plain; i < into->n_words; i += 2) add128(into->words + i, from->words[i], from->words[i + 1]);
  into->tiles += from->tiles;
  return FF_OK;
}

/* A covariance over trajectories from the sum of products and the sums, in units of steps. */
static double spread(const uint64_t *products, const uint64_t *a, const uint64_t *b, uint64_t chains) {
  const uint64_t n[2] = {chains, 0};
  double unit = WEIGHT_ONE * (double)chains;
  return difference(products, n, a, b) / (unit * unit);
}

static void two_state(ff_moments *m, const uint64_t *words, double samples) {
  uint64_t ones_from = words[1] + words[3] - words[4]; /* steps that began in the set */
  double n1 = (double)ones_from, n0 = samples - n1;
  m->n01 = (words[2] + words[4] - words[3]) / 2;
  m->n10 = (words[2] + words[3] - words[4]) / 2;
  m->alpha = n0 > 0 ? (double)m->n01 / n0 : 0;
  m->beta = n1 > 0 ? (double)m->n10 / n1 : 0;
  double sum = m->alpha + m->beta;
  if (m->n01 > 0 && m->n10 > 0)
    m->se_two_state = sqrt(m->alpha * m->beta * (2 - sum) / (sum * sum * sum) / samples);
}

/* Does rounding to 2^-20 change a weight by more than 0.1%? Then the spread is bounded by the largest that means can have. */
static int rounded(const ff_tally *tally, uint32_t first, uint32_t last) {
  for (uint32_t j = first; j < last; j++)
    if (fabs(ff_tally_weight(tally->weights[j]) / WEIGHT_ONE - tally->weights[j]) > 1e-3 * tally->weights[j]) return 1;
  return 0;
}

/* The spread between trajectories is honest whatever happens within them, once there are enough visits for it to show. */
static void choose_error(ff_moments *m, double mean, double most) {
  double rarer = mean < most - mean ? mean : most - mean;
  m->se = m->se_between;
  m->visits = m->se > 0 ? rarer * rarer / (m->se * m->se) : INFINITY;
  if (m->visits >= FF_FEW_VISITS || m->se_two_state <= m->se) return;
  m->se = m->se_two_state;
  m->visits = rarer * rarer / (m->se * m->se);
}

/* The spread of a sum is reliable only if each term's rarer value was seen in FF_FEW_VISITS half-trajectories. For a rarer term an
 * error is added; its variance is doubled, as lengths of visits vary as much as their number. */
static void count_looks(ff_moments *m, const ff_tally *tally, uint32_t first, uint32_t last, double samples) {
  double more = 0; /* terms may share their visits: their errors are added, not the squares */
  for (uint32_t j = first; j < last; j++) {
    const uint64_t *words = term_words(tally, j);
    double weight = tally->weights[j], mean = (double)words[1] / samples, rarer = mean < 0.5 ? mean : 1 - mean;
    uint64_t looks = words[2] < words[3] ? words[2] : words[3];
    if (looks == 0) m->unseen[words[2] > 0] += weight;
    if (looks == 0 || looks >= FF_FEW_VISITS) continue;
    more += weight * rarer * sqrt(2 / (double)looks);
    if ((double)looks < m->visits) m->visits = (double)looks;
  }
  m->se = sqrt(m->se * m->se + more * more);
}

void ff_tally_memory(const ff_tally *tally, uint32_t observable, double share[2]) {
  const uint64_t *pair = pair_words(tally, observable);
  double most = 0, a = real128(pair), b = real128(pair + 2), ab = real128(pair + 8);
  double chains = (double)tally->tiles * FF_TILE, h0 = (double)tally->half[0], h1 = (double)tally->half[1];
  for (uint32_t j = tally->first[observable]; j < tally->first[observable + 1]; j++) most += ff_tally_weight(tally->weights[j]);
  double off = most * h0 * chains - a; /* what the first half lacks */
  share[0] = off > 0 ? (most * h0 * b - ab) / off / h1 / WEIGHT_ONE : NAN;
  share[1] = a > 0 ? ab / a / h1 / WEIGHT_ONE : NAN;
}

ff_moments ff_tally_moments(const ff_tally *tally, uint32_t observable) {
  ff_moments m = {.rhat = NAN, .alpha = NAN, .beta = NAN, .visited = 1, .inflation = 1};
  uint32_t first = tally->first[observable], last = tally->first[observable + 1];
  const uint64_t *pair = pair_words(tally, observable);
  double chains = (double)tally->tiles * FF_TILE, h0 = (double)tally->half[0], h1 = (double)tally->half[1], n = h0 + h1;
  if (chains == 0 || n == 0) return m;
  double total = 0, most = 0;
  for (uint32_t j = first; j < last; j++) {
    m.mean += tally->weights[j] * (double)term_words(tally, j)[1];
    most += tally->weights[j];
    total += (double)term_words(tally, j)[1];
  }
  m.mean /= chains * n;
  int set = last - first == 1 && tally->weights[first] == 1.0;
  if (set) two_state(&m, term_words(tally, first), chains * n);
  if (total == 0 || total == chains * n * (last - first)) {
    m.mean = total == 0 ? 0 : most;
    m.visited = total == 0 ? 0 : 2;
    if (set)
      m.unseen[total > 0] = 1;
    else
      count_looks(&m, tally, first, last, chains * n);
    return m;
  }
  /* in units of steps: a trajectory's weighted count over each half */
  double a = real128(pair) / WEIGHT_ONE / chains, b = real128(pair + 2) / WEIGHT_ONE / chains;
  uint64_t whole = tally->tiles * FF_TILE;
  double aa = spread(pair + 4, pair, pair, whole), bb = spread(pair + 6, pair + 2, pair + 2, whole);
  double ab = spread(pair + 8, pair, pair + 2, whole);
  double correct = chains / (chains - 1);
  double between = fmax(0, (aa + bb + 2 * ab) * correct) / (n * n); /* variance of the trajectories' means */
  m.se_between = sqrt(between / chains);
  double mean = (a + b) / n, square = between / correct + mean * mean;
  /* of a 0/1 sequence times `most`, the largest value; an upper bound for a sum of several terms */
  double within = n / (n - 1) * (most * mean - square);
  if (n > 1 && within > 1e-12 * most * mean)
    m.rhat = sqrt((n - 1) / n + between / within);
  else if (between > 0) /* every trajectory stays where it is, and not all in the same place */
    m.rhat = INFINITY;
  double independent = mean * (most - mean) / n;
  if (independent > 0) m.inflation = between / independent;
  double var0 = fmax(0, aa) * correct / (h0 * h0), var1 = fmax(0, bb) * correct / (h1 * h1);
  m.half_cov = ab * correct / (h0 * h1);
  m.half_var = sqrt(var0 * var1);
  const uint64_t length[2][2] = {{tally->half[0], 0}, {tally->half[1], 0}};
  m.gap = difference(pair + 2, length[0], pair, length[1]) / (WEIGHT_ONE * chains * h0 * h1);
  m.gap_se = sqrt(fmax(0, var0 + var1 - 2 * m.half_cov) / chains);
  if (m.gap_se > 0)
    m.drift = m.gap / m.gap_se;
  else if (m.gap != 0)
    m.drift = m.gap > 0 ? INFINITY : -INFINITY;
  if (rounded(tally, first, last)) m.se_between = fmax(m.se_between, sqrt(m.mean * (most - m.mean) / chains));
  choose_error(&m, m.mean, most);
  if (!set) count_looks(&m, tally, first, last, chains * n);
  return m;
}
