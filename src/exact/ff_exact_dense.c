#include "ff_exact_internal.h"

ff_status ff_exact_too_small(ff_error *err) {
  return ff_error_set(err, FF_ECONVERGENCE,
                      "states are left with a probability too small for double precision (found 0, where at least about "
                      "1e-308 was expected): give the network a larger perturbation probability, such as 0.001, or larger "
                      "selection probabilities");
}

ff_status ff_exact_gth(double *pi, double *flow, uint32_t n, ff_error *err) {
  for (uint32_t k = n; k-- > 1;) {
    double *row = flow + (size_t)k * n, out = 0;
    for (uint32_t j = 0; j < k; j++) out += row[j];
    if (!(out > 0)) return ff_exact_too_small(err);
    for (uint32_t i = 0; i < k; i++) {
      double *target = flow + (size_t)i * n;
      if (target[k] == 0) continue;
      double f = target[k] /= out;
      for (uint32_t j = 0; j < k; j++) target[j] += f * row[j];
    }
  }
  double total = pi[0] = 1;
  for (uint32_t k = 1; k < n; k++) {
    double sum = 0;
    for (uint32_t i = 0; i < k; i++) sum += pi[i] * flow[(size_t)i * n + k];
    pi[k] = sum;
    total += sum;
  }
  for (uint32_t k = 0; k < n; k++) pi[k] /= total;
  return FF_OK;
}

/* Row k keeps its weights to later states and its pivot. Column k below the pivot keeps the multipliers. */
void ff_exact_factor(double *a, double *excess, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    double *row = a + (size_t)k * n, pivot = excess[k];
    for (uint32_t j = k + 1; j < n; j++) pivot += row[j];
    row[k] = pivot;
    for (uint32_t i = k + 1; i < n; i++) {
      double *target = a + (size_t)i * n;
      if (target[k] == 0) continue;
      double f = target[k] /= pivot;
      excess[i] += f * excess[k];
      for (uint32_t j = k + 1; j < n; j++) target[j] += f * row[j];
    }
  }
}

void ff_exact_solve_factored(double *v, const double *a, uint32_t n) {
  for (uint32_t j = 0; j < n; j++) {
    double sum = v[j];
    for (uint32_t k = 0; k < j; k++) sum += v[k] * a[(size_t)k * n + j];
    v[j] = sum / a[(size_t)j * n + j];
  }
  for (uint32_t i = n; i-- > 0;)
    for (uint32_t k = i + 1; k < n; k++) v[i] += v[k] * a[(size_t)k * n + i];
}
