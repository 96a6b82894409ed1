/* Sums for methods. */
#include "ff_ssa_method.h"

int ff_ssa_path_ends(ff_ssa_path *path, double total) {
  if (total > 0 && total < INFINITY) return 0;
  path->next_time = INFINITY;
  if (!(total < INFINITY)) {
    ff_ssa_path_compute(path); /* a method may keep other values */
    ff_ssa_path_blame(path);
  }
  return 1;
}

double ff_ssa_sum(const double *terms, size_t n) {
  if (n > 64) return ff_ssa_sum(terms, n / 2) + ff_ssa_sum(terms + n / 2, n - n / 2);
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += terms[i];
  return sum;
}
