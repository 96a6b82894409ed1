/* A sum of terms that is corrected when a term changes, and a bound of its rounding errors. When the bound exceeds
 * FF_SSA_DRIFT of the sum, the caller must add up all terms again. gcc, nvcc and NVRTC compile the same text. */
#ifndef FF_SSA_CORRECTED_H
#define FF_SSA_CORRECTED_H

#include "../../base/ff_math.h"

typedef struct {
  double value, error;
} ff_ssa_corrected;
#define FF_SSA_DRIFT 0x1p-40

/* `sum` is that of ff_ssa_sum(). */
static FF_HD inline ff_ssa_corrected ff_ssa_corrected_of(double sum) {
  const ff_ssa_corrected out = {sum, 0x1p-46 * sum};
  return out;
}

/* A term has changed by `change`, a rounded difference. Both operations round, each by at most 2^-53 of its result. */
static FF_HD inline void ff_ssa_corrected_change(ff_ssa_corrected *sum, double change) {
  sum->value += change;
  sum->error += 0x1p-53 * (ff_math_absolute(change) + ff_math_absolute(sum->value));
}

static FF_HD inline int ff_ssa_corrected_stale(const ff_ssa_corrected *sum) {
  return !(sum->error <= FF_SSA_DRIFT * sum->value);
}

#endif
