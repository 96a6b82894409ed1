/* The arithmetic of bins of weights for composition and rejection, which processor and GPU share. Weights of one bin are
 * multiples of the same power of two, so their sum is an exact integer. */
#ifndef FF_SSA_BIN_H
#define FF_SSA_BIN_H

#include "../../base/ff_math.h"

enum { FF_SSA_BINS = 2049 };  /* number 0 is for weights of 0, and 1 + e for those with exponent e */
enum { FF_SSA_SUBNORMAL = 1 };  /* the bin of all weights below the least normal number */

static FF_HD inline uint32_t ff_ssa_exponent(double weight) { return (uint32_t)(ff_math_bits(weight) >> 52); }

/* The bin of a weight of at least 0. */
static FF_HD inline uint32_t ff_ssa_bin_of(double weight) { return weight > 0 ? ff_ssa_exponent(weight) + 1u : 0u; }

static FF_HD inline uint64_t ff_ssa_significand(double weight) {
  const uint64_t fraction = ff_math_bits(weight) & (((uint64_t)1 << 52) - 1u);
  return ff_ssa_exponent(weight) > 0 ? fraction | (uint64_t)1 << 52 : fraction;
}

/* The weight of a bin other than 0 whose significands have the sum high * 2^64 + low, rounded. That of the last bin is
 * infinite. The power of two of the first and of the last bins is applied in two steps, which do not round, as the sum is a
 * whole number below 2^86. */
static FF_HD inline double ff_ssa_bin_weight(uint32_t bin, uint64_t low, uint64_t high) {
  const int power = bin < 2u ? -1074 : (int)bin - 1076, far = power < 0 ? -500 : 500;
  const double sum = (double)high * 0x1p64 + (double)low;
  if (bin > 54u && bin < 2040u) return sum * ff_math_power_of_two((uint64_t)(int64_t)power);
  if (bin == FF_SSA_BINS - 1u) return sum > 0 ? ff_math_infinity() : 0;
  const double scaled = sum * ff_math_power_of_two((uint64_t)(int64_t)far);
  return scaled * ff_math_power_of_two((uint64_t)(int64_t)(power - far));
}

/* Half of the bound of the weights of a bin from 2 on. */
static FF_HD inline double ff_ssa_bin_half(uint32_t bin) {
  return ff_math_power_of_two((uint64_t)(int64_t)((int)bin - 1024));
}

#endif
