/* The weights of the Poisson distribution. */
#include "ff_cme_internal.h"

#include <math.h>

static ff_status grow(ff_cme_poisson *p, size_t need, ff_error *err) {
  void *weight = p->weight, *after = p->after;
  ff_status status = ff_grow(&weight, &p->weight_capacity, need, sizeof *p->weight, err);
  p->weight = weight;
  if (status == FF_OK) status = ff_grow(&after, &p->after_capacity, need, sizeof *p->after, err);
  p->after = after;
  return status;
}

/* The weights are computed relative to that of the mode, which is largest. The ratio of two that follow each other is m / (k +
 * 1), and decreases with k. So the weights after k + 1 add up to at most those of a geometric sequence, and likewise those before
 * k - 1 (Fox and Glynn 1988). Sums over part of the weights are below the sum of all, so comparing with them is safe. */
ff_status ff_cme_poisson_weights(ff_cme_poisson *out, double m, double epsilon, ff_error *err) {
  const uint32_t mode = (uint32_t)floor(m);
  uint32_t left = mode, right = mode;
  double sum = 1;
  for (double w = 1; left > 0; left--) {
    w *= left / m;
    if (w / (1 - (left - 1) / m) <= epsilon / 2 * sum) break;
    sum += w;
  }
  for (double w = 1;; right++) {
    w *= m / (right + 1.0);
    if (w / (1 - m / (right + 2.0)) <= epsilon / 2 * sum) break;
    sum += w;
  }
  out->left = left;
  out->right = right;
  ff_status status = grow(out, (size_t)right - left + 1, err);
  if (status != FF_OK) return status;
  double *weight = out->weight, *after = out->after, above = epsilon;
  weight[mode - left] = 1;
  for (uint32_t k = mode; k > left; k--) weight[k - 1 - left] = weight[k - left] * (k / m);
  for (uint32_t k = mode; k < right; k++) weight[k + 1 - left] = weight[k - left] * (m / (k + 1.0));
  double below = 0; /* each half is added up from its small weights, for the least rounding */
  for (uint32_t k = left; k < mode; k++) below += weight[k - left];
  sum = 0;
  for (uint32_t k = right; k > mode; k--) sum += weight[k - left];
  sum += 1 + below;
  for (uint32_t i = right - left + 1; i-- > 0;) {
    weight[i] *= (1 - epsilon) / sum;
    after[i] = above < 1 ? above : 1;
    above += weight[i] * (1 + 1e-9); /* more than all rounding errors */
  }
  return FF_OK;
}
