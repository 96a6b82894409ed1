/* The distribution of the number of hits in a step. Poisson probabilities are computed by recurrence from the mode, to 2^-64
 * in integers (ff_fixed.h). The table is made by Vose's variant of Walker's alias method. */
#include <stdlib.h>

#include "ff_pbn_program.h"
#include "ff_fixed.h"

/* A square root by Newton's method. It need not be accurate, but it must be the same on all machines. */
static double root(double x) {
  double r = x > 1.0 ? x : 1.0;
  for (int i = 0; i < 64; i++) r = 0.5 * (r + x / r);
  return r;
}

void ff_poisson_free(ff_poisson *poisson) {
  free(poisson->threshold);
  free(poisson->alias);
  *poisson = (ff_poisson){0};
}

/* The part of 2^64 that belongs to a column: 2^32 times the number of words that select the column. This number is larger by one
 * for some columns than for others. */
static uint64_t share(const ff_poisson *p, uint32_t column) {
  uint64_t first = (((uint64_t)column << 32) + p->size - 1) / p->size;
  return (((((uint64_t)column + 1) << 32) + p->size - 1) / p->size - first) << 32;
}

/* part / whole in units of 2^-64. part < whole, and whole is 2^32 times a number below 2^32. */
static uint64_t fraction(uint64_t part, uint64_t whole) {
  uint64_t words = whole >> 32;
  return ((part / words) << 32) + ((part % words) << 32) / words;
}

/* Splits the columns into those whose weight is below their share and the others, and pairs them. The weights sum to 2^64 -
 * 1, so one column may end one unit below its share, with itself as its alias. */
static void fill_alias(ff_poisson *out, uint64_t *weight, uint32_t *stack) {
  uint32_t size = out->size, low = 0, high = size; /* columns below their share are added at the front, the others at the back */
  for (uint32_t i = 0; i < size; i++) {
    out->alias[i] = i;
    out->threshold[i] = UINT64_MAX;
    if (weight[i] < share(out, i))
      stack[low++] = i;
    else
      stack[--high] = i;
  }
  while (low > 0 && high < size) {
    uint32_t less = stack[--low], pick = high;
    uint64_t missing = share(out, less) - weight[less];
    /* if a whole share is missing, a column with hardly more than its share has too little; then other columns have more */
    while (weight[stack[pick]] < missing && pick + 1 < size) pick++;
    uint32_t more = stack[pick];
    stack[pick] = stack[high];
    stack[high] = more;
    out->threshold[less] = fraction(weight[less], share(out, less));
    out->alias[less] = more;
    weight[more] -= missing;
    if (weight[more] < share(out, more)) {
      high++;
      stack[low++] = more;
    }
  }
}

/* Computes the probabilities of the values in units of 2^-64, each with an error of at most one unit, and with the sum 2^64 -
 * 1. They are differences of rounded cumulative sums. */
static void fill_weights(uint64_t *weight, ff_fixed *relative, const ff_poisson *p, ff_fixed mean, uint32_t mode) {
  uint32_t at = mode - p->lowest;
  ff_fixed sum = {{0}};
  relative[at] = ff_fixed_of(1.0);
  if (at > 0) {
    const ff_fixed inverse = ff_fixed_inverse(mean);
    for (uint32_t i = at; i > 0; i--)
      relative[i - 1] = ff_fixed_product(ff_fixed_product(relative[i], ff_fixed_of((double)p->lowest + i)), inverse);
  }
  for (uint32_t i = at + 1; i < p->size; i++) relative[i] = ff_fixed_over(ff_fixed_product(relative[i - 1], mean), p->lowest + i);
  for (uint32_t i = 0; i < p->size; i++) sum = ff_fixed_sum(sum, relative[i]);
  const ff_fixed inverse = ff_fixed_inverse(sum);
  uint64_t before = 0;
  sum = (ff_fixed){{0}};
  for (uint32_t i = 0; i < p->size; i++) {
    sum = ff_fixed_sum(sum, relative[i]);
    uint64_t now = i + 1 < p->size ? ff_fixed_fraction(ff_fixed_product(sum, inverse)) : UINT64_MAX;
    weight[i] = now - before;
    before = now;
  }
}

ff_status ff_poisson_new(ff_poisson *out, double p, uint64_t sites, ff_error *err) {
  *out = (ff_poisson){0};
  double mean = ff_neg_log1m(p) * (double)sites; /* accurate enough to choose the range of the table */
  if (mean <= 0.0) return FF_OK;
  double draws = (double)(uint64_t)(mean / FF_HITS_PER_DRAW) + 1.0;
  if (draws > 4194304.0)
    return ff_error_set(err, FF_ESIZE, "%.3g flips per step are more than one step can draw", mean);
  out->n_draws = (uint32_t)draws;
  mean /= draws;
  uint32_t mode = (uint32_t)mean, reach = (uint32_t)(12.0 * root(mean)) + 48;
  out->lowest = mode > reach ? mode - reach : 0;
  out->size = mode + reach - out->lowest + 1;
  uint64_t *weight = ff_calloc(out->size, sizeof *weight);
  ff_fixed *relative = ff_calloc(out->size, sizeof *relative);
  uint32_t *stack = ff_calloc(out->size, sizeof *stack);
  out->threshold = ff_calloc(out->size, sizeof *out->threshold);
  out->alias = ff_calloc(out->size, sizeof *out->alias);
  ff_status status = FF_OK;
  if (weight == NULL || relative == NULL || stack == NULL || out->threshold == NULL || out->alias == NULL) {
    ff_poisson_free(out);
    status = ff_error_set(err, FF_EMEMORY, "no memory for the table of flips");
  } else {
    ff_fixed all = ff_fixed_product(ff_fixed_neg_log1m(p), ff_fixed_of((double)sites));
    fill_weights(weight, relative, out, ff_fixed_over(all, out->n_draws), mode);
    fill_alias(out, weight, stack);
  }
  free(weight);
  free(relative);
  free(stack);
  return status;
}
