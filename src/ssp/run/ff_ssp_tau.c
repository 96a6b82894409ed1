/* Waiting times and their minimum. Each reaction is evaluated once a step, by some RU. So waiting times can be computed when all
 * propensities are known, in the order of tags. Then a block of random numbers serves all its reactions, whatever RUs they are
 * in, and loops are short and straight. Of equal times, the first one in this order has the lowest tag. */
#include <math.h>

#include "ff_ssp_run_internal.h"

/* How many reactions are computed together, from `first` on: a multiple of 4. Beyond the last one, propensities are 0. */
static inline uint32_t length_of(const ff_ssp_spe *e, uint32_t first) {
  const uint32_t left = e->code->n_reactions - first;
  return left < FF_SSP_CHUNK ? (left + 3) / 4 * 4 : FF_SSP_CHUNK;
}

/* The random words of n reactions, `each` of them in a block of Philox. */
static inline void draw(const ff_ssp_spe *e, uint32_t purpose, uint32_t first, uint32_t n, uint32_t each, uint32_t *words) {
  for (uint32_t i = 0; i < n / each; i++) {
    const ff_philox_block counter = ff_philox_counter(purpose, first / each + i, e->winner.step, e->trajectory);
    const ff_philox_block x = ff_philox_rounds(e->keys, 0, counter);
    for (uint32_t k = 0; k < 4; k++) words[4 * i + k] = x.v[k];
  }
}

/* ---- 64 bits ------------------------------------------------------------------------------------------------------------ */

static int find64(ff_ssp_spe *e) {
  uint32_t words[2 * FF_SSP_CHUNK];
  double wait[FF_SSP_CHUNK], least = INFINITY;
  for (uint32_t first = 0; first < e->code->n_reactions; first += FF_SSP_CHUNK) {
    const uint32_t n = length_of(e, first);
    const double *a = e->propensity + first;
    double most = 0, chunk = INFINITY;
    for (uint32_t i = 0; i < n; i++) most = a[i] > most ? a[i] : most;
    if (!(most > 0)) continue;
    draw(e, FF_SSP_DRAW_FIRST, first, n, 2, words);
    for (uint32_t i = 0; i < n; i++) wait[i] = ff_exponential(words[2 * i], words[2 * i + 1]) / a[i];
    for (uint32_t i = 0; i < n; i++) chunk = wait[i] < chunk ? wait[i] : chunk;
    for (uint32_t i = 0; i < n && most == INFINITY; i++)
      if (a[i] == INFINITY) {
        e->winner.tag = first + i;
        return 0;
      }
    for (uint32_t i = 0; i < n && chunk < least; i++)
      if (wait[i] == chunk) {
        least = chunk;
        e->winner.tag = first + i;
      }
  }
  e->winner.wait = least;
  return 1;
}

/* ---- 32 bits ------------------------------------------------------------------------------------------------------------ */

static int find32(ff_ssp_spe *e) {
  const double *logarithms = e->code->logarithms;
  const uint32_t bits = e->code->bits;
  uint32_t words[FF_SSP_CHUNK];
  float wait[FF_SSP_CHUNK], least = INFINITY;
  for (uint32_t first = 0; first < e->code->n_reactions; first += FF_SSP_CHUNK) {
    const uint32_t n = length_of(e, first);
    const float *a = e->propensity32 + first;
    float most = 0, chunk = INFINITY;
    for (uint32_t i = 0; i < n; i++) most = a[i] > most ? a[i] : most;
    if (!(most > 0)) continue;
    draw(e, FF_SSP_DRAW_FIRST32, first, n, 4, words);
    if (logarithms != NULL)
      for (uint32_t i = 0; i < n; i++) wait[i] = ff_ssp_table_log(words[i], logarithms, bits);
    else
      for (uint32_t i = 0; i < n; i++) wait[i] = ff_ssp_minus_log(words[i]);
    for (uint32_t i = 0; i < n; i++) wait[i] /= a[i];
    for (uint32_t i = 0; i < n; i++) chunk = wait[i] < chunk ? wait[i] : chunk;
    for (uint32_t i = 0; i < n && most == INFINITY; i++)
      if (a[i] == INFINITY) {
        e->winner.tag = first + i;
        return 0;
      }
    for (uint32_t i = 0; i < n && chunk < least; i++)
      if (wait[i] == chunk) {
        least = chunk;
        e->winner.tag = first + i;
      }
  }
  e->winner.wait = (double)least;
  return 1;
}

int ff_ssp_spe_find(ff_ssp_spe *e) { return e->code->is_double ? find64(e) : find32(e); }
