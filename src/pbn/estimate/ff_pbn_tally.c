/* Sums over trajectories, and the estimates that follow from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_sum.h"
#include "ff_pbn_tally.h"

#define WEIGHT_ONE 1048576.0 /* weights are in units of 2^-20 */

uint32_t ff_pbn_tally_weight(double weight) { return (uint32_t)(weight * WEIGHT_ONE + 0.5); }

void ff_pbn_tally_free(ff_pbn_tally *tally) {
  free(tally->first);
  free(tally->weights);
  free(tally->words);
  *tally = (ff_pbn_tally){0};
}

ff_status ff_pbn_tally_new(ff_pbn_tally *out, const ff_observables *observables, ff_error *err) {
  *out = (ff_pbn_tally){.n = observables->n, .n_terms = observables->first[observables->n]};
  out->n_words = ff_pbn_sums_words(out->n_terms, out->n);
  out->first = ff_calloc((size_t)out->n + 1, sizeof *out->first);
  out->weights = ff_calloc(out->n_terms, sizeof *out->weights);
  out->words = ff_calloc(out->n_words, sizeof *out->words);
  if (out->first == NULL || out->weights == NULL || out->words == NULL) {
    ff_pbn_tally_free(out);
    return ff_error_set(err, FF_EMEMORY, "no memory for the sums of %u observables", observables->n);
  }
  memcpy(out->first, observables->first, ((size_t)out->n + 1) * sizeof *out->first);
  memcpy(out->weights, observables->weights, out->n_terms * sizeof *out->weights);
  return FF_OK;
}

void ff_pbn_tally_clear(ff_pbn_tally *tally, uint64_t half0, uint64_t half1) {
  memset(tally->words, 0, tally->n_words * sizeof *tally->words);
  tally->tiles = 0;
  tally->half[0] = half0;
  tally->half[1] = half1;
}

/* A term's counts in 1,024 trajectories, or the same count for all if it is constant. */
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
    words[FF_TERM_EARLY] += value(a, lane);
    words[FF_TERM_ALL] += value(whole, lane);
  }
  if (two_state) {
    uint32_t held = at == FF_TERM_1 ? FF_TILE : 0;
    words[FF_TERM_CHANGES] += at < FF_TERM_0 ? harvest->changes[at] : 0;
    words[FF_TERM_BEFORE] += at < FF_TERM_0 ? harvest->before[at] : held;
    words[FF_TERM_AFTER] += at < FF_TERM_0 ? harvest->after[at] : held;
    return;
  }
  for (uint32_t lane = 0; lane < FF_TILE; lane++) { /* a constant term cannot be missed */
    uint64_t early = value(a, lane), late = value(whole, lane) - early;
    words[FF_TERM_SEEN_ON] += at >= FF_TERM_0 ? 2 : (early > 0) + (late > 0);
    words[FF_TERM_SEEN_OFF] += at >= FF_TERM_0 ? 2 : (early < half[0]) + (late < half[1]);
  }
}

#define SHORT_WINDOW (UINT64_C(1) << 26) /* 1,024 products of counts up to this fit into 64 bits */

/* Adds an observable of one term. The sums of products times the square of its weight are the same integers as in the general
 * case. */
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
  ff_sum_add_product(words + FF_SUM_A, weight, a);
  ff_sum_add_product(words + FF_SUM_B, weight, b);
  ff_sum_add_product(words + FF_SUM_AA, weight * weight, aa);
  ff_sum_add_product(words + FF_SUM_BB, weight * weight, bb);
  ff_sum_add_product(words + FF_SUM_AB, weight * weight, ab);
}

void ff_pbn_tally_add(ff_pbn_tally *tally, const uint32_t *at, const uint32_t *first_half, const ff_harvest *harvest) {
  for (uint32_t i = 0; i < tally->n; i++) {
    uint32_t first = tally->first[i], last = tally->first[i + 1];
    int two_state = ff_is_set(tally->first, tally->weights, i);
    uint64_t *words = ff_pbn_sums_of_observable(tally->words, tally->n_terms, i);
    if (last - first == 1 && tally->half[0] + tally->half[1] < SHORT_WINDOW) {
      uint32_t place = at == NULL ? first : at[first];
      add_term(ff_pbn_sums_of_term(tally->words, first), place, two_state, first_half, harvest, tally->half);
      add_single(words, column_of(first_half, place, tally->half[0]),
                 column_of(harvest->counts, place, tally->half[0] + tally->half[1]), ff_pbn_tally_weight(tally->weights[first]));
      continue;
    }
    uint64_t a[FF_TILE] = {0}, whole[FF_TILE] = {0};
    for (uint32_t j = first; j < last; j++) {
      uint32_t place = at == NULL ? j : at[j];
      add_term(ff_pbn_sums_of_term(tally->words, j), place, two_state, first_half, harvest, tally->half);
      uint64_t weight = ff_pbn_tally_weight(tally->weights[j]);
      column early = column_of(first_half, place, tally->half[0]);
      column all = column_of(harvest->counts, place, tally->half[0] + tally->half[1]);
      for (uint32_t lane = 0; lane < FF_TILE; lane++) {
        a[lane] += weight * value(early, lane);
        whole[lane] += weight * value(all, lane);
      }
    }
    for (uint32_t lane = 0; lane < FF_TILE; lane++) {
      uint64_t b = whole[lane] - a[lane];
      ff_sum_add(words + FF_SUM_A, a[lane], 0);
      ff_sum_add(words + FF_SUM_B, b, 0);
      ff_sum_add_product(words + FF_SUM_AA, a[lane], a[lane]);
      ff_sum_add_product(words + FF_SUM_BB, b, b);
      ff_sum_add_product(words + FF_SUM_AB, a[lane], b);
    }
  }
  tally->tiles++;
}

ff_status ff_pbn_tally_merge(ff_pbn_tally *into, const ff_pbn_tally *from, ff_error *err) {
  if (into->n_words != from->n_words || into->half[0] != from->half[0] || into->half[1] != from->half[1])
    return ff_error_set(err, FF_EARGUMENT, "results of different runs cannot be merged");
  size_t plain = ff_pbn_sums_words(into->n_terms, 0);
  for (size_t i = 0; i < plain; i++) into->words[i] += from->words[i];
  for (size_t i = plain; i < into->n_words; i += 2) ff_sum_add(into->words + i, from->words[i], from->words[i + 1]);
  into->tiles += from->tiles;
  return FF_OK;
}

/* A covariance over trajectories from the sum of products and the sums, in units of steps. */
static double spread(const uint64_t *products, const uint64_t *a, const uint64_t *b, uint64_t chains) {
  const uint64_t n[2] = {chains, 0};
  double unit = WEIGHT_ONE * (double)chains;
  return ff_sum_difference(products, n, a, b) / (unit * unit);
}

static void two_state(ff_moments *m, const uint64_t *words, double samples) {
  /* number of steps that began in the set */
  uint64_t ones_from = words[FF_TERM_ALL] + words[FF_TERM_BEFORE] - words[FF_TERM_AFTER];
  double n1 = (double)ones_from, n0 = samples - n1;
  m->n01 = (words[FF_TERM_CHANGES] + words[FF_TERM_AFTER] - words[FF_TERM_BEFORE]) / 2;
  m->n10 = (words[FF_TERM_CHANGES] + words[FF_TERM_BEFORE] - words[FF_TERM_AFTER]) / 2;
  m->alpha = n0 > 0 ? (double)m->n01 / n0 : 0;
  m->beta = n1 > 0 ? (double)m->n10 / n1 : 0;
  double sum = m->alpha + m->beta;
  if (m->n01 > 0 && m->n10 > 0)
    m->se_two_state = sqrt(m->alpha * m->beta * (2 - sum) / (sum * sum * sum) / samples);
}

/* 1 if rounding to 2^-20 changes a weight by more than 0.1%. Then the largest possible spread of the means is used as a bound. */
static int rounded(const ff_pbn_tally *tally, uint32_t first, uint32_t last) {
  for (uint32_t j = first; j < last; j++)
    if (fabs(ff_pbn_tally_weight(tally->weights[j]) / WEIGHT_ONE - tally->weights[j]) > 1e-3 * tally->weights[j]) return 1;
  return 0;
}

/* Chooses the standard error. The spread between trajectories is a valid measure, however the states within a trajectory depend
 * on each other, if there are enough visits to show it. */
static void choose_error(ff_moments *m, double mean, double most) {
  double rarer = mean < most - mean ? mean : most - mean;
  m->se = m->se_between;
  m->visits = m->se > 0 ? rarer * rarer / (m->se * m->se) : INFINITY;
  if (m->visits >= FF_FEW_VISITS || m->se_two_state <= m->se) return;
  m->se = m->se_two_state;
  m->visits = rarer * rarer / (m->se * m->se);
}

/* The spread of a sum is reliable only if the rarer value of each term was seen in at least FF_FEW_VISITS half windows. For a
 * term with a rarer value, an error is added. Its variance is doubled, because the lengths of visits vary as much as their
 * number. */
static void count_looks(ff_moments *m, const ff_pbn_tally *tally, uint32_t first, uint32_t last, double samples) {
  double more = 0; /* terms may have the same visits, so the errors are added and not their squares */
  for (uint32_t j = first; j < last; j++) {
    const uint64_t *words = ff_pbn_sums_of_term(tally->words, j);
    double weight = tally->weights[j], mean = (double)words[FF_TERM_ALL] / samples, rarer = mean < 0.5 ? mean : 1 - mean;
    uint64_t looks = words[FF_TERM_SEEN_ON] < words[FF_TERM_SEEN_OFF] ? words[FF_TERM_SEEN_ON] : words[FF_TERM_SEEN_OFF];
    if (looks == 0) m->unseen[words[FF_TERM_SEEN_ON] > 0] += weight;
    if (looks == 0 || looks >= FF_FEW_VISITS) continue;
    more += weight * rarer * sqrt(2 / (double)looks);
    if ((double)looks < m->visits) m->visits = (double)looks;
  }
  m->se = sqrt(m->se * m->se + more * more);
}

void ff_pbn_tally_recall(const ff_pbn_tally *tally, uint32_t observable, double share[2]) {
  const uint64_t *pair = ff_pbn_sums_of_observable(tally->words, tally->n_terms, observable);
  double most = 0, a = ff_sum_value(pair + FF_SUM_A), b = ff_sum_value(pair + FF_SUM_B), ab = ff_sum_value(pair + FF_SUM_AB);
  double chains = (double)tally->tiles * FF_TILE, h0 = (double)tally->half[0], h1 = (double)tally->half[1];
  for (uint32_t j = tally->first[observable]; j < tally->first[observable + 1]; j++)
    most += ff_pbn_tally_weight(tally->weights[j]);
  double off = most * h0 * chains - a; /* the complement of the first half's sum */
  share[0] = off > 0 ? (most * h0 * b - ab) / off / h1 / WEIGHT_ONE : NAN;
  share[1] = a > 0 ? ab / a / h1 / WEIGHT_ONE : NAN;
}

ff_moments ff_pbn_tally_moments(const ff_pbn_tally *tally, uint32_t observable) {
  ff_moments m = {.rhat = NAN, .alpha = NAN, .beta = NAN, .visited = 1, .inflation = 1};
  uint32_t first = tally->first[observable], last = tally->first[observable + 1];
  const uint64_t *pair = ff_pbn_sums_of_observable(tally->words, tally->n_terms, observable);
  double chains = (double)tally->tiles * FF_TILE, h0 = (double)tally->half[0], h1 = (double)tally->half[1], n = h0 + h1;
  if (chains == 0 || n == 0) return m;
  double total = 0, most = 0;
  for (uint32_t j = first; j < last; j++) {
    m.mean += tally->weights[j] * (double)ff_pbn_sums_of_term(tally->words, j)[FF_TERM_ALL];
    most += tally->weights[j];
    total += (double)ff_pbn_sums_of_term(tally->words, j)[FF_TERM_ALL];
  }
  m.mean /= chains * n;
  int set = ff_is_set(tally->first, tally->weights, observable);
  if (set) two_state(&m, ff_pbn_sums_of_term(tally->words, first), chains * n);
  if (total == 0 || total == chains * n * (last - first)) {
    m.mean = total == 0 ? 0 : most;
    m.visited = total == 0 ? 0 : 2;
    if (set)
      m.unseen[total > 0] = 1;
    else
      count_looks(&m, tally, first, last, chains * n);
    return m;
  }
  /* in units of steps: the mean weighted count of a trajectory in each half window */
  double a = ff_sum_value(pair + FF_SUM_A) / WEIGHT_ONE / chains, b = ff_sum_value(pair + FF_SUM_B) / WEIGHT_ONE / chains;
  uint64_t whole = tally->tiles * FF_TILE;
  double aa = spread(pair + FF_SUM_AA, pair + FF_SUM_A, pair + FF_SUM_A, whole),
         bb = spread(pair + FF_SUM_BB, pair + FF_SUM_B, pair + FF_SUM_B, whole);
  double ab = spread(pair + FF_SUM_AB, pair + FF_SUM_A, pair + FF_SUM_B, whole);
  double correct = chains / (chains - 1);
  double between = fmax(0, (aa + bb + 2 * ab) * correct) / (n * n); /* variance of the trajectories' means */
  m.se_between = sqrt(between / chains);
  double mean = (a + b) / n, square = between / correct + mean * mean;
  /* the variance of a 0/1 sequence times `most`, the largest value; an upper bound for a sum of several terms */
  double within = n / (n - 1) * (most * mean - square);
  if (n > 1 && within > 1e-12 * most * mean)
    m.rhat = sqrt((n - 1) / n + between / within);
  else if (between > 0) /* trajectories never change, and they differ */
    m.rhat = INFINITY;
  double independent = mean * (most - mean) / n;
  if (independent > 0) m.inflation = between / independent;
  double var0 = fmax(0, aa) * correct / (h0 * h0), var1 = fmax(0, bb) * correct / (h1 * h1);
  m.half_cov = ab * correct / (h0 * h1);
  m.half_var = sqrt(var0 * var1);
  const uint64_t length[2][2] = {{tally->half[0], 0}, {tally->half[1], 0}};
  m.gap = ff_sum_difference(pair + FF_SUM_B, length[0], pair + FF_SUM_A, length[1]) / (WEIGHT_ONE * chains * h0 * h1);
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
