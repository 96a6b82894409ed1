/* The number of hits in a step: Poisson probabilities by recurrence from the mode (only + - * /, so that every machine gets
 * the same table), then Vose's form of Walker's alias method. */
#include <stdlib.h>

#include "ff_engine_internal.h"

static double root(double x) { /* Newton; accuracy is no matter here, equality among machines is */
  double r = x > 1.0 ? x : 1.0;
  for (int i = 0; i < 64; i++) r = 0.5 * (r + x / r);
  return r;
}

void ff_poisson_free(ff_poisson *poisson) {
  free(poisson->threshold);
  free(poisson->alias);
  *poisson = (ff_poisson){0};
}

/* Splits columns into those below and above the average and pairs them off. */
static void fill_alias(ff_poisson *out, double *weight, uint32_t *stack) {
  uint32_t size = out->size, low = 0, high = size; /* low ones grow from the front, high ones from the back */
  for (uint32_t i = 0; i < size; i++) {
    out->alias[i] = i;
    out->threshold[i] = UINT64_C(1) << 32;
    if (weight[i] < 1.0)
      stack[low++] = i;
    else
      stack[--high] = i;
  }
  while (low > 0 && high < size) {
    uint32_t less = stack[--low], more = stack[high];
    out->threshold[less] = (uint64_t)(weight[less] * 4294967296.0 + 0.5);
    out->alias[less] = more;
    weight[more] -= 1.0 - weight[less];
    if (weight[more] < 1.0) {
      high++;
      stack[low++] = more;
    }
  }
}

ff_status ff_poisson_new(ff_poisson *out, double p, double sites, ff_error *err) {
  *out = (ff_poisson){0};
  double mean = ff_neg_log1m(p) * sites;
  if (mean <= 0.0) return FF_OK;
  double draws = (double)(uint64_t)(mean / FF_HITS_PER_DRAW) + 1.0;
  if (draws > 4194304.0)
    return ff_error_set(err, FF_ESIZE, "%.3g flips a step are more than one step can draw", mean);
  out->n_draws = (uint32_t)draws;
  mean /= draws;
  uint32_t mode = (uint32_t)mean, reach = (uint32_t)(12.0 * root(mean)) + 48;
  out->lowest = mode > reach ? mode - reach : 0;
  out->size = mode + reach - out->lowest + 1;
  double *weight = ff_calloc(out->size, sizeof *weight);
  uint32_t *stack = ff_calloc(out->size, sizeof *stack);
  out->threshold = ff_calloc(out->size, sizeof *out->threshold);
  out->alias = ff_calloc(out->size, sizeof *out->alias);
  if (weight == NULL || stack == NULL || out->threshold == NULL || out->alias == NULL) {
    free(weight);
    free(stack);
    ff_poisson_free(out);
    return ff_error_set(err, FF_EMEMORY, "no memory for the table of flips");
  }
  weight[mode - out->lowest] = 1.0;
  double sum = 1.0;
  for (uint32_t k = mode; k > out->lowest; k--)
    sum += weight[k - 1 - out->lowest] = weight[k - out->lowest] * (double)k / mean;
  for (uint32_t k = mode + 1; k < out->lowest + out->size; k++)
    sum += weight[k - out->lowest] = weight[k - 1 - out->lowest] * mean / (double)k;
  for (uint32_t i = 0; i < out->size; i++) weight[i] *= (double)out->size / sum;
  fill_alias(out, weight, stack);
  free(weight);
  free(stack);
  return FF_OK;
}
