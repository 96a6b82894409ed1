/* Exponentially distributed numbers: -log(u) of a random u from (0, 1], without a division or a branch. gcc, nvcc and NVRTC
 * compile the same text, and vectors compute the same bits.
 *
 * With u = 2^k m, and c the nearest to m of 32 numbers from 11/16 to 43/32, among them 1:
 *   log(u) = k log(2) + log(c) + log(1 + r), where r = (m - c) / c, |r| <= 1/64, and log(1 + r) = r + r^2 P(r).
 * m - c is exact. The error of the result is below 2 units in the last place.
 * tools/math-coefficients computes the coefficients and the table.
 */
#ifndef FF_EXPONENTIAL_H
#define FF_EXPONENTIAL_H

#include "../base/ff_math.h"

#define FF_EXPONENTIAL_CELLS 32
#define FF_EXPONENTIAL_INVERSES                                                                    \
  0x1.745d1745d1746p+0, 0x1.6c16c16c16c17p+0, 0x1.642c8590b2164p+0, 0x1.5c9882b931057p+0, \
  0x1.5555555555555p+0, 0x1.4e5e0a72f0539p+0, 0x1.47ae147ae147bp+0, 0x1.4141414141414p+0, \
  0x1.3b13b13b13b14p+0, 0x1.3521cfb2b78c1p+0, 0x1.2f684bda12f68p+0, 0x1.29e4129e4129ep+0, \
  0x1.2492492492492p+0, 0x1.1f7047dc11f70p+0, 0x1.1a7b9611a7b96p+0, 0x1.15b1e5f75270dp+0, \
  0x1.1111111111111p+0, 0x1.0c9714fbcda3bp+0, 0x1.0842108421084p+0, 0x1.0410410410410p+0, \
  0x1p+0, 0x1.f07c1f07c1f08p-1, 0x1.e1e1e1e1e1e1ep-1, 0x1.d41d41d41d41dp-1, \
  0x1.c71c71c71c71cp-1, 0x1.bacf914c1bad0p-1, 0x1.af286bca1af28p-1, 0x1.a41a41a41a41ap-1, \
  0x1.999999999999ap-1, 0x1.8f9c18f9c18fap-1, 0x1.8618618618618p-1, 0x1.7d05f417d05f4p-1
#define FF_EXPONENTIAL_LOGARITHMS /* -log(c) */                                                    \
0x1.7fafa3bd8151cp-2, 0x1.68ac83e9c6a14p-2, 0x1.522ae0738a3d8p-2, 0x1.3c25277333184p-2, \
  0x1.269621134db92p-2, 0x1.1178e8227e47cp-2, 0x1.f991c6cb3b379p-3, 0x1.d1037f2655e7bp-3, \
  0x1.a93ed3c8ad9e3p-3, 0x1.823c16551a3c2p-3, 0x1.5bf406b543db2p-3, 0x1.365fcb0159016p-3, \
  0x1.1178e8227e47cp-3, 0x1.da727638446a2p-4, 0x1.9335e5d594989p-4, 0x1.4d3115d207eacp-4, \
  0x1.08598b59e3a07p-4, 0x1.894aa149fb343p-5, 0x1.0415d89e74444p-5, 0x1.0205658935847p-6, \
  0.0, -0x1.f829b0e783300p-6, -0x1.f0a30c01162a6p-5, -0x1.6f0d28ae56b4cp-4, \
  -0x1.e27076e2af2e6p-4, -0x1.29552f81ff523p-3, -0x1.5ff3070a793d4p-3, -0x1.9525a9cf456b4p-3, \
  -0x1.c8ff7c79a9a22p-3, -0x1.fb9186d5e3e2bp-3, -0x1.1675cababa60ep-2, -0x1.2e8e2bae11d31p-2
#define FF_EXPONENTIAL_2 0x1.62e42fefa39efp-1
#define FF_EXPONENTIAL_P0 -0.5
#define FF_EXPONENTIAL_P1 0x1.5555555556a6ep-2
#define FF_EXPONENTIAL_P2 -0x1.00000000004ddp-2
#define FF_EXPONENTIAL_P3 0x1.9999989a6d9aep-3
#define FF_EXPONENTIAL_P4 -0x1.555554deff7ebp-3
#define FF_EXPONENTIAL_P5 0x1.24adb4e8102a8p-3
#define FF_EXPONENTIAL_P6 -0x1.00126bf345a97p-3

/* A number x has cell (w >> 47) % 32 and k = (w >> 52) - 1023, where w is its bits plus this. m has the bits (w % 2^52) + the
 * second number. For c, the third is added to the first 5 of these 52 bits. */
#define FF_EXPONENTIAL_SHIFT UINT64_C(0x000A400000000000)
#define FF_EXPONENTIAL_M UINT64_C(0x3FE5C00000000000)
#define FF_EXPONENTIAL_C UINT64_C(0x3FE6000000000000)
#define FF_EXPONENTIAL_FIRST UINT64_C(0x000F800000000000) /* the first 5 of 52 bits */
#define FF_EXPONENTIAL_BITS UINT64_C(0x000FFFFFFFFFFFFF)

#if defined(__CUDACC__)
static __device__ const double ff_exponential_on_device[2 * FF_EXPONENTIAL_CELLS] = {FF_EXPONENTIAL_INVERSES,
                                                                                    FF_EXPONENTIAL_LOGARITHMS};
#endif
#if !defined(__CUDACC_RTC__)
static const double ff_exponential_on_host[2 * FF_EXPONENTIAL_CELLS] __attribute__((aligned(64))) = /* for loads of vectors */
    {FF_EXPONENTIAL_INVERSES, FF_EXPONENTIAL_LOGARITHMS};
#endif
#if defined(__CUDA_ARCH__)
#define FF_EXPONENTIAL_TABLE ff_exponential_on_device
#else
#define FF_EXPONENTIAL_TABLE ff_exponential_on_host
#endif

/* The numbers of the polynomial, for code that keeps them in registers. */
typedef struct {
  double p[7];
} ff_exponential_numbers;

static FF_HD inline ff_exponential_numbers ff_exponential_constants(void) {
  const ff_exponential_numbers out = {{FF_EXPONENTIAL_P0, FF_EXPONENTIAL_P1, FF_EXPONENTIAL_P2, FF_EXPONENTIAL_P3,
                                       FF_EXPONENTIAL_P4, FF_EXPONENTIAL_P5, FF_EXPONENTIAL_P6}};
  return out;
}

static FF_HD inline double ff_exponential_polynomial(double r, const ff_exponential_numbers *numbers) {
  const double q = r * r, *p = numbers->p;
  const double sum = (p[0] + p[1] * r) + q * ((p[2] + p[3] * r) + q * ((p[4] + p[5] * r) + q * p[6]));
  return r + q * sum;
}

/* log(1 + r) of the low 52 bits of w; `inverse` is 1 / c. */
static FF_HD inline double ff_exponential_rest(uint64_t w, double inverse, const ff_exponential_numbers *numbers) {
  const uint64_t low = w & FF_EXPONENTIAL_BITS;
  const double f = ff_math_from_bits(low + FF_EXPONENTIAL_M) - ff_math_from_bits((low & FF_EXPONENTIAL_FIRST) + FF_EXPONENTIAL_C);
  return ff_exponential_polynomial(f * inverse, numbers);
}

/* The same for processors of 32 bits: of the high and the low word of w. The constants change no bit of the low word. */
static FF_HD inline double ff_exponential_rest_of_words(uint32_t high, uint32_t low, double inverse,
                                                    const ff_exponential_numbers *numbers) {
  const uint32_t m = (high & (uint32_t)(FF_EXPONENTIAL_BITS >> 32)) + (uint32_t)(FF_EXPONENTIAL_M >> 32);
  const uint32_t c = (high & (uint32_t)(FF_EXPONENTIAL_FIRST >> 32)) + (uint32_t)(FF_EXPONENTIAL_C >> 32);
  return ff_exponential_polynomial((ff_math_from_words(m, low) - ff_math_from_words(c, 0)) * inverse, numbers);
}

/* -log(c 2^k), where k and the cell of c are those of w. */
static FF_HD inline double ff_exponential_first(uint32_t k_and_cell) {
  const double k = (double)((int32_t)(k_and_cell >> 5) - 1023);
  return FF_EXPONENTIAL_TABLE[FF_EXPONENTIAL_CELLS + k_and_cell % 32u] - k * FF_EXPONENTIAL_2;
}

/* -log(x) of a positive normal number. */
static FF_HD inline double ff_minus_log(double x) {
  const uint64_t w = ff_math_bits(x) + FF_EXPONENTIAL_SHIFT;
  const ff_exponential_numbers numbers = ff_exponential_constants();
  return ff_exponential_first((uint32_t)(w >> 47)) - ff_exponential_rest(w, FF_EXPONENTIAL_TABLE[w >> 47 & 31u], &numbers);
}

/* A number from (0, 1], in the middle of one of 2^53 equal parts, rounded. */
static FF_HD inline double ff_open(uint32_t low, uint32_t high) {
  return ((double)(((uint64_t)high << 32 | low) >> 11) + 0.5) * 0x1p-53;
}

/* A number from [0, 1), a multiple of 2^-53. */
static FF_HD inline double ff_closed(uint32_t low, uint32_t high) {
  return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

/* An exponentially distributed number with mean 1. */
static FF_HD inline double ff_exponential(uint32_t low, uint32_t high) { return ff_minus_log(ff_open(low, high)); }

#endif
