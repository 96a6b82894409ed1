/* Counts as a wave of trajectories on a device might record them, and their statistics on this processor. */
#ifndef FF_TESTS_FAKE_WAVE_H
#define FF_TESTS_FAKE_WAVE_H

#include "../../src/ensemble/ff_device.h"
#include "check.h"
#include "random.h"

typedef struct {
  uint32_t n_times, n_observed;
  uint64_t units;
  int refused_each; /* one of so many trajectories is refused; 0: none, 1: all */
} wave_shape;

/* Counts of cell number i are below 2 to the power `wave_bits[i % WAVE_KINDS]`. 0: all are 0; -1: all are the largest; -2: half
 * are just below 2^15, half just above. */
#define WAVE_KINDS 8
static const int wave_bits[WAVE_KINDS] = {30, 4, -1, 15, 16, 0, -2, 23};

static inline uint32_t wave_count(uint64_t cell, uint64_t *seed) {
  const int bits = wave_bits[cell % WAVE_KINDS];
  const uint32_t word = (uint32_t)(next_random(seed) >> 32);
  if (bits == -1) return FF_DEVICE_MOST;
  if (bits == -2) return (1u << 15) - (word >> 31);
  return bits == 0 ? 0 : word >> (32 - bits);
}

/* NULL if there is no memory. The caller frees both. */
static inline uint32_t *wave_counts(const wave_shape *s, uint64_t seed) {
  const uint64_t cells = (uint64_t)s->n_times * s->n_observed;
  uint32_t *counts = (uint32_t *)ff_calloc(cells * s->units, sizeof *counts);
  for (uint64_t cell = 0; counts != NULL && cell < cells; cell++)
    for (uint64_t k = 0; k < s->units; k++) counts[cell * s->units + k] = wave_count(cell, &seed);
  return counts;
}

static inline uint32_t *wave_refused(const wave_shape *s, uint64_t seed) {
  uint32_t *refused = (uint32_t *)ff_calloc((s->units + 31) / 32, sizeof *refused);
  for (uint64_t k = 0; refused != NULL && s->refused_each > 0 && k < s->units; k++)
    if (below(&seed, (uint32_t)s->refused_each) == 0) refused[k / 32] |= 1u << k % 32;
  return refused;
}

/* Sums of no trajectory. */
static inline ff_status wave_sums(ff_sums *sums, const wave_shape *s, unsigned wanted, ff_error *err) {
  uint8_t *real = (uint8_t *)ff_calloc(s->n_observed, 1);
  if (real == NULL) return ff_error_set(err, FF_EMEMORY, "no memory");
  const ff_status status = ff_sums_new(sums, s->n_times, s->n_observed, real, wanted, err);
  free(real);
  return status;
}

/* Adds all trajectories that are not refused, one by one. */
static inline ff_status wave_add(ff_sums *sums, const wave_shape *s, const uint32_t *counts, const uint32_t *refused,
                                 ff_error *err) {
  double *x = (double *)ff_calloc(s->n_observed, sizeof *x);
  uint64_t bytes = 0;
  ff_status status = x != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory");
  for (uint64_t k = 0; k < s->units && status == FF_OK; k++)
    for (uint32_t i = 0; !(refused[k / 32] >> k % 32 & 1u) && i < s->n_times && status == FF_OK; i++) {
      for (uint32_t j = 0; j < s->n_observed; j++) x[j] = counts[((uint64_t)i * s->n_observed + j) * s->units + k];
      status = ff_sums_add(sums, i, x, &bytes, err);
    }
  free(x);
  return status;
}

/* The words of moments and products that differ. */
static inline size_t wave_differences(const ff_sums *a, const ff_sums *b) {
  const size_t cells = (size_t)a->n_times * a->n_counts, pairs = (size_t)a->n_counts * (a->n_counts - 1) / 2 * a->n_times;
  size_t differ = 0;
  for (size_t i = 0; i < cells; i++) {
    const ff_count_moments *x = a->counts + i, *y = b->counts + i;
    differ += memcmp(&x->sums, &y->sums, sizeof x->sums) != 0;
    differ += memcmp(&x->min, &y->min, sizeof x->min) != 0;
    differ += memcmp(&x->max, &y->max, sizeof x->max) != 0;
  }
  for (size_t i = 0; a->products != NULL && i < 2 * pairs; i++) differ += a->products[i] != b->products[i];
  return differ;
}

/* The histograms that differ. They cannot be added to afterwards. */
static inline size_t wave_histograms_differ(ff_sums *a, ff_sums *b) {
  const size_t cells = (size_t)a->n_times * a->n_observed;
  size_t differ = 0;
  for (size_t i = 0; i < cells; i++) {
    const size_t n = a->frequency[i].used;
    double *list = (double *)ff_calloc(4 * n, sizeof *list);
    const int same = list != NULL && b->frequency[i].used == n;
    if (same) ff_frequency_list(a->frequency + i, list, list + n);
    if (same) ff_frequency_list(b->frequency + i, list + 2 * n, list + 3 * n);
    differ += !same || memcmp(list, list + 2 * n, 2 * n * sizeof *list) != 0;
    free(list);
  }
  return differ;
}

#endif
