/* Statistics of real numbers of a wave, added up as a device does it (cuda/device/ff_collect_reals.h). */
#ifndef FF_TESTS_REAL_WAVE_H
#define FF_TESTS_REAL_WAVE_H

#include "../../src/cuda/device/ff_collect_reals.h"
#include "random.h"

#define REAL_KINDS 7u
static inline int real_is_whole(uint64_t cell) { return cell % REAL_KINDS == 2 || cell % REAL_KINDS == 3; }

/* Numbers of cell number i: near 1, of all sizes, whole, large and whole, zeros of both signs, the largest ones, or strange. */
static inline double real_number(uint64_t cell, uint64_t *seed) {
  static const double strange[] = {INFINITY, -INFINITY, NAN, 1, -1e300, 4e-324, -0.0, 0};
  const uint64_t bits = next_random(seed) ^ next_random(seed) >> 32;
  const double unit = (double)(bits >> 11) * 0x1p-53;
  double any;
  memcpy(&any, &bits, sizeof any);
  switch (cell % REAL_KINDS) {
    case 0: return 0.5 + unit;
    case 1: return isfinite(any) ? any : 0;
    case 2: return floor(unit * 100);
    case 3: return 0x1p53 - floor(unit * 100);
    case 4: return bits >> 63 ? -0.0 : 0.0;
    case 5: return bits >> 63 ? -0x1.fffffffffffffp1023 : 0x1.fffffffffffffp1023;
    default: return strange[bits >> 61];
  }
}

/* Real numbers of trajectories: cell number c (a quantity at a time) of trajectory k is x[c * by_cell + k * by_unit]. */
typedef struct {
  const double *x;
  size_t by_cell, by_unit;
  const uint8_t *refused; /* for each trajectory */
} real_wave;

/* Adds the numbers of trajectories first ... first + n - 1 to a lane of its own for each trajectory % lanes. */
static inline void real_wave_job(uint64_t words[FF_COLLECT_REAL_WORDS], const real_wave *w, uint64_t first, uint64_t n,
                                 uint32_t n_observed, uint32_t time, uint64_t job, uint32_t lanes) {
  uint32_t j, k;
  int power;
  memset(words, 0, FF_COLLECT_REAL_WORDS * sizeof *words);
  ff_collect_real_job(job, n_observed, &j, &k, &power);
  const double *x = w->x + ((size_t)time * n_observed + j) * w->by_cell, *y = w->x + ((size_t)time * n_observed + k) * w->by_cell;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    uint64_t own[FF_REAL_DIGITS] = {0};
    ff_collect_real_lane l = {0, 0, 0, 0};
    for (uint64_t unit = first + lane; unit < first + n; unit += lanes)
      if (!w->refused[unit]) ff_collect_real_add(&l, own, 1, power, x[unit * w->by_unit], y[unit * w->by_unit]);
    for (uint32_t d = 0; d < FF_REAL_DIGITS; d++) words[d] += own[d];
    words[FF_COLLECT_REAL_STRANGE] |= l.strange;
    words[FF_COLLECT_REAL_N] += l.n;
    if (l.most > words[FF_COLLECT_REAL_MOST]) words[FF_COLLECT_REAL_MOST] = l.most;
    if (l.least > words[FF_COLLECT_REAL_LEAST]) words[FF_COLLECT_REAL_LEAST] = l.least;
  }
}

static inline void real_wave_tally(ff_sums *sums, const real_wave *w, uint64_t first, uint64_t n, uint32_t lanes) {
  const uint64_t each = ff_collect_real_jobs(sums->n_observed, sums->products != NULL || sums->real_products != NULL);
  for (uint32_t i = 0; i < sums->n_times; i++)
    for (uint64_t job = 0; job < each; job++) {
      uint64_t words[FF_COLLECT_REAL_WORDS];
      real_wave_job(words, w, first, n, sums->n_observed, i, job, lanes);
      ff_collect_real_to(sums, i, job, words);
    }
}

#endif
