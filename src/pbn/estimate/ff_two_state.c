/* The formulas of the two-state Markov chain approach. */
#include <math.h>

#include "ff_pbn_estimate.h"

double ff_burn_in(double alpha, double beta, double epsilon) {
  double sum = alpha + beta, most = alpha > beta ? alpha : beta;
  if (!(sum > 0)) return 1;
  double recall = sum < 1 ? 1 - sum : sum - 1; /* an alternating chain forgets its phase equally slowly */
  if (recall < 1e-15 || recall > 1 - 1e-15) return 1; /* it forgets at once, or never as with a period of two, which averages
                                                       * out */
  double m = ff_log_series(epsilon * sum / most) / ff_log_series(recall);
  return m > 1 ? ceil(m) : 1;
}

double ff_samples(double alpha, double beta, double z, double precision) {
  double sum = alpha + beta;
  if (!(alpha > 0) || !(beta > 0)) return 1;
  double n = alpha * beta * (2 - sum) / (sum * sum * sum) * (z / precision) * (z / precision);
  return n > 1 ? ceil(n) : 1;
}

/* Counts triples of values k steps apart over all 64 sequences. The index of a triple is 4 i + 2 j + l. */
static void count_triples(uint64_t count[8], const uint64_t *record, uint32_t n_steps, uint32_t k) {
  for (int i = 0; i < 8; i++) count[i] = 0;
  for (uint32_t t = 0; t + 2 * k < n_steps; t += k) {
    uint64_t a = record[t], b = record[t + k], c = record[t + 2 * k];
    for (int i = 0; i < 8; i++)
      count[i] += (uint64_t)__builtin_popcountll((i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c));
  }
}

uint32_t ff_thinning(const uint64_t *record, uint32_t n_steps, double *alpha, double *beta) {
  uint64_t c[8];
  for (uint32_t k = 1;; k *= 2) {
    count_triples(c, record, n_steps, k);
    double n = 0, g2 = 0;
    for (int i = 0; i < 8; i++) n += (double)c[i];
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        for (int l = 0; l < 2; l++) {
          double seen = (double)c[4 * i + 2 * j + l];
          double ij = (double)(c[4 * i + 2 * j] + c[4 * i + 2 * j + 1]), jl = (double)(c[2 * j + l] + c[4 + 2 * j + l]);
          double all_j = (double)(c[2 * j] + c[2 * j + 1] + c[4 + 2 * j] + c[4 + 2 * j + 1]);
          if (seen > 0) g2 += 2 * seen * ff_log_series(seen / (ij * jl / all_j));
        }
    double zeros = (double)(c[0] + c[1] + c[2] + c[3]), ones = (double)(c[4] + c[5] + c[6] + c[7]);
    *alpha = zeros > 0 ? (double)(c[2] + c[3]) / zeros : 0;
    *beta = ones > 0 ? (double)(c[4] + c[5]) / ones : 0;
    if (n <= 2 || g2 - 2 * ff_log_series(n - 2) < 0 || n_steps / (2 * k) < 16) return k;
  }
}
