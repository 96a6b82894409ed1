/* Sums over trajectories. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_sums.h"

#define MOVED_AT_ONCE 65536 /* entries of histograms */

static size_t pairs_of(uint32_t n) { return n > 1 ? (size_t)n * (n - 1) / 2 : 0; }

static size_t pair_of(uint32_t j, uint32_t k) { return (size_t)k * (k - 1) / 2 + j; }

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

void ff_sums_free(ff_sums *sums) {
  for (size_t i = 0; sums->frequency != NULL && i < (size_t)sums->n_times * sums->n_observed; i++)
    ff_frequency_free(sums->frequency + i);
  free(sums->frequency);
  free(sums->real);
  free(sums->rank);
  free(sums->counts);
  free(sums->reals);
  free(sums->products);
  free(sums->real_products);
  memset(sums, 0, sizeof *sums);
}

static void clear(ff_sums *sums) {
  for (size_t i = 0; i < (size_t)sums->n_times * sums->n_counts; i++) {
    sums->counts[i].min = INFINITY;
    sums->counts[i].max = -INFINITY;
  }
  for (size_t i = 0; i < (size_t)sums->n_times * sums->n_reals; i++) {
    sums->reals[i].min = INFINITY;
    sums->reals[i].max = -INFINITY;
  }
}

ff_status ff_sums_new(ff_sums *sums, uint32_t n_times, uint32_t n_observed, const uint8_t *real, unsigned wanted,
                      ff_error *err) {
  const size_t times = n_times, pairs = wanted & FF_COVARIANCE ? pairs_of(n_observed) : 0;
  *sums = (ff_sums){.n_times = n_times, .n_observed = n_observed};
  sums->real = ff_calloc(n_observed, 1);
  sums->rank = ff_calloc(n_observed, sizeof *sums->rank);
  int complete = sums->real != NULL && sums->rank != NULL;
  for (uint32_t j = 0; complete && j < n_observed; j++) {
    sums->real[j] = real[j] != 0;
    sums->rank[j] = real[j] ? sums->n_reals++ : sums->n_counts++;
  }
  complete = complete && (sums->counts = ff_calloc(times * sums->n_counts, sizeof *sums->counts)) != NULL;
  complete = complete && (sums->reals = ff_calloc(times * sums->n_reals, sizeof *sums->reals)) != NULL;
  if (pairs > 0 && sums->n_reals == 0)
    complete = complete && (sums->products = ff_calloc(times * pairs, 2 * sizeof *sums->products)) != NULL;
  if (pairs > 0 && sums->n_reals > 0)
    complete = complete && (sums->real_products = ff_calloc(times * pairs, sizeof *sums->real_products)) != NULL;
  if (wanted & FF_HISTOGRAM)
    complete = complete && (sums->frequency = ff_calloc(times * n_observed, sizeof *sums->frequency)) != NULL;
  if (!complete)
    return ff_error_set(err, FF_EMEMORY, "no memory for the statistics of %u quantities at %u times", n_observed, n_times);
  clear(sums);
  return FF_OK;
}

/* ---- additions ---------------------------------------------------------------------------------------------------------- */

static void add_real(ff_value_moments *m, double x) {
  ff_real_powers_add(&m->sums, x);
  ff_sums_extend(&m->min, &m->max, x + 0.0, x + 0.0); /* -0 becomes 0: otherwise the order would tell which of them is kept */
}

static void add_count(ff_count_moments *m, double x) {
  ff_sum_add_powers(&m->sums, (uint64_t)x);
  ff_sums_extend(&m->min, &m->max, x, x);
}

/* Pairs are in the order (0, 1), (0, 2), (1, 2), (0, 3), ... */
static void add_products(uint64_t *to, uint32_t n, const double *x) {
  for (uint32_t k = 1; k < n; k++)
    for (uint32_t j = 0; j < k; j++, to += 2) ff_sum_add_product(to, (uint64_t)x[j], (uint64_t)x[k]);
}

static void add_real_products(ff_real_sum *to, uint32_t n, const double *x) {
  for (uint32_t k = 1; k < n; k++)
    for (uint32_t j = 0; j < k; j++, to++) ff_real_sum_add_product(to, x[j], x[k]);
}

ff_status ff_sums_add(ff_sums *sums, uint32_t i, const double *x, uint64_t *bytes, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < sums->n_observed; j++) {
    const uint32_t rank = sums->rank[j];
    if (sums->real[j])
      add_real(sums->reals + (size_t)i * sums->n_reals + rank, x[j]);
    else
      add_count(sums->counts + (size_t)i * sums->n_counts + rank, x[j]);
  }
  const size_t first = i * pairs_of(sums->n_observed);
  if (sums->products != NULL) add_products(sums->products + 2 * first, sums->n_observed, x);
  if (sums->real_products != NULL) add_real_products(sums->real_products + first, sums->n_observed, x);
  for (uint32_t j = 0; sums->frequency != NULL && j < sums->n_observed && status == FF_OK; j++)
    status = ff_frequency_add(sums->frequency + (size_t)i * sums->n_observed + j, x[j], 1, bytes, err);
  return status;
}

/* ---- merging ------------------------------------------------------------------------------------------------------------ */

static void merge_moments(ff_sums *sums, const ff_sums *others, uint32_t i) {
  for (size_t j = (size_t)i * sums->n_counts; j < (size_t)(i + 1) * sums->n_counts; j++) {
    ff_count_moments *all = sums->counts + j;
    const ff_count_moments *one = others->counts + j;
    ff_sum_merge_powers(&all->sums, &one->sums);
    ff_sums_extend(&all->min, &all->max, one->min, one->max);
  }
  for (size_t j = (size_t)i * sums->n_reals; j < (size_t)(i + 1) * sums->n_reals; j++) {
    ff_value_moments *all = sums->reals + j;
    const ff_value_moments *one = others->reals + j;
    ff_real_powers_merge(&all->sums, &one->sums);
    ff_sums_extend(&all->min, &all->max, one->min, one->max);
  }
}

void ff_sums_merge(ff_sums *sums, const ff_sums *others, uint32_t i) {
  const size_t pairs = pairs_of(sums->n_observed), first = i * pairs;
  merge_moments(sums, others, i);
  for (size_t k = first; sums->products != NULL && k < first + pairs; k++)
    ff_sum_add(sums->products + 2 * k, others->products[2 * k], others->products[2 * k + 1]);
  for (size_t k = first; sums->real_products != NULL && k < first + pairs; k++)
    ff_real_sum_merge(sums->real_products + k, others->real_products + k);
}

ff_status ff_sums_move(ff_sums *sums, ff_sums *others, ff_sum_place *at, uint64_t *bytes, int *done, ff_error *err) {
  const size_t cells = sums->frequency != NULL ? (size_t)sums->n_times * sums->n_observed : 0;
  size_t moved = 0;
  *done = 0;
  for (; at->cell < cells; at->cell++, at->entry = 0) {
    ff_frequency *from = others->frequency + at->cell;
    if (moved++ >= MOVED_AT_ONCE) return FF_OK;
    for (; at->entry < from->room; at->entry++) {
      const ff_frequency_entry *entry = from->entry + at->entry;
      if (moved++ >= MOVED_AT_ONCE) return FF_OK;
      ff_status status = ff_frequency_add(sums->frequency + at->cell, entry->value, entry->count, bytes, err);
      if (status != FF_OK) return status;
    }
    ff_frequency_free(from);
  }
  *done = 1;
  return FF_OK;
}

uint64_t ff_sums_bytes(const ff_sums *sums) {
  const size_t cells = sums->frequency != NULL ? (size_t)sums->n_times * sums->n_observed : 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < cells; i++) {
    uint64_t room = sums->frequency[i].used > 0 ? 16 : 0;
    while (room > 0 && room < 2 * (sums->frequency[i].used + 1)) room *= 2;
    bytes += room * sizeof(ff_frequency_entry);
  }
  return bytes;
}

double ff_sums_moment_bytes(uint32_t n_times, uint32_t n_observed, uint32_t n_reals) {
  const double n_counts = (double)n_observed - n_reals;
  return n_times * (n_counts * sizeof(ff_count_moments) + n_reals * (double)sizeof(ff_value_moments));
}

double ff_sums_product_bytes(uint32_t n_times, uint32_t n_observed, int any_real) {
  return (double)n_observed * (n_observed - 1.0) / 2 * n_times * (any_real ? sizeof(ff_real_sum) : 2 * sizeof(uint64_t));
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

/* Below these sizes, products of numbers may be 0 or inexact, and so may be what cancellation leaves of their sums. */
#define LEAST_SQUARE 0x1p-848 /* of the product of two numbers */
#define LEAST_SIZE 0x1p-199   /* of a number, for its third and its fourth power */

static double size_of(double min, double max) { return fmax(fabs(min), fabs(max)); }

/* Moments that the sums are too inexact for are not known. Those of equal numbers are 0. */
static ff_sum_central known_moments(ff_sum_central m, double min, double max) {
  const double size = size_of(min, max);
  if (!(min < max)) return m;
  if (size < LEAST_SIZE) m.third = m.fourth = NAN;
  if (size * size < LEAST_SQUARE) m.second = NAN;
  return m;
}

ff_sum_central ff_sums_moments(const ff_sums *sums, uint32_t i, uint32_t j, uint64_t n, double *min, double *max) {
  if (sums->real[j]) {
    const ff_value_moments *m = sums->reals + (size_t)i * sums->n_reals + sums->rank[j];
    *min = m->min;
    *max = m->max;
    return known_moments(ff_real_moments(&m->sums, n), m->min, m->max);
  }
  const ff_count_moments *m = sums->counts + (size_t)i * sums->n_counts + sums->rank[j];
  *min = m->min;
  *max = m->max;
  return ff_sum_moments(&m->sums, n);
}

/* The sum of a quantity, in the form for real ones. */
static ff_real_sum real_sum_of(const ff_sums *sums, uint32_t i, uint32_t j) {
  if (sums->real[j]) return sums->reals[(size_t)i * sums->n_reals + sums->rank[j]].sums.power[0];
  ff_real_sum out = {{0}, 0};
  ff_real_sum_add_whole(&out, sums->counts[(size_t)i * sums->n_counts + sums->rank[j]].sums.first);
  return out;
}

/* Whether the products of two quantities are too small for their covariance to be known. */
static int too_small(const ff_sums *sums, uint32_t i, uint32_t j, uint32_t k) {
  double min[2], max[2];
  const uint32_t of[2] = {j, k};
  for (int a = 0; a < 2; a++) {
    const size_t at = (size_t)i * (sums->real[of[a]] ? sums->n_reals : sums->n_counts) + sums->rank[of[a]];
    min[a] = sums->real[of[a]] ? sums->reals[at].min : sums->counts[at].min;
    max[a] = sums->real[of[a]] ? sums->reals[at].max : sums->counts[at].max;
  }
  return min[0] < max[0] && min[1] < max[1] && size_of(min[0], max[0]) * size_of(min[1], max[1]) < LEAST_SQUARE;
}

double ff_sums_covariance(const ff_sums *sums, uint32_t i, uint32_t j, uint32_t k, uint64_t n) {
  const size_t at = i * pairs_of(sums->n_observed) + pair_of(j, k);
  if (sums->real_products != NULL) {
    if (too_small(sums, i, j, k)) return NAN;
    const ff_real_sum x = real_sum_of(sums, i, j), y = real_sum_of(sums, i, k);
    return ff_real_covariance(sums->real_products + at, &x, &y, n);
  }
  const ff_count_moments *x = sums->counts + (size_t)i * sums->n_counts + j, *y = x - j + k;
  /* A covariance is at most a fourth of the product of the ranges. */
  if ((double)n * (x->max - x->min) * (y->max - y->min) >= 0x1p129) return NAN;
  return ff_sum_covariance(sums->products + 2 * at, x->sums.first, y->sums.first, n);
}
