/* The functions of ff_math.h by number, and arguments for them. An argument depends only on its number, so it is the same on the
 * processor and on a GPU. */
#ifndef FF_TESTS_MATH_CASES_H
#define FF_TESTS_MATH_CASES_H

#include "../../src/base/ff_math.h"
#include "../../src/base/ff_philox.h"

/* name, usual range, numerically difficult range, lowest and highest exponent, whether negative arguments are in the domain */
#define MATH_LIST(X)                              \
  X(log, 0.0, 1.0, 0.5, 1.5, -1022, 1023, 0)      \
  X(log1p, -1.0, 3.0, -0.3, 0.5, -60, 1023, 0)    \
  X(exp, -20.0, 20.0, -746.0, 710.0, -60, 9, 1)   \
  X(expm1, -2.0, 2.0, -45.0, 710.0, -60, 9, 1)    \
  X(pow, 0.0, 10.0, 0.5, 1.5, -1022, 1023, 0)     \
  X(sinh, -3.0, 3.0, -711.0, 711.0, -30, 9, 1)    \
  X(cosh, -3.0, 3.0, -711.0, 711.0, -30, 9, 1)    \
  X(tanh, -3.0, 3.0, -22.0, 22.0, -30, 5, 1)      \
  X(sin, -10.0, 10.0, -1e6, 1e6, -30, 1023, 1)    \
  X(cos, -10.0, 10.0, -1e6, 1e6, -30, 1023, 1)    \
  X(tan, -10.0, 10.0, -1e6, 1e6, -30, 1023, 1)    \
  X(asin, -1.0, 1.0, 0.45, 0.55, -30, -1, 1)      \
  X(acos, -1.0, 1.0, 0.45, 0.55, -30, -1, 1)      \
  X(atan, -3.0, 3.0, 0.4, 2.5, -30, 60, 1)

enum {
#define MATH_X(name, a, b, c, d, e, f, g) MATH_##name,
  MATH_LIST(MATH_X)
#undef MATH_X
  MATH_FUNCTIONS
};

typedef struct {
  double x, y;
} math_arguments;

static FF_HD inline double math_fraction(uint64_t word) { return (double)(int64_t)(word >> 11) * 0x1p-53; }

/* 2^e times a number in [1, 2), with e uniform in lowest..highest */
static FF_HD inline double math_of_exponents(uint64_t word, uint64_t other, int lowest, int highest, int negative) {
  const uint64_t n = (uint64_t)(highest - lowest + 1), e = (other >> 32) * n >> 32;
  const uint64_t sign = negative ? (other & 1u) << 63 : 0u;
  return ff_math_from_bits(sign | (uint64_t)((int64_t)e + lowest + 1023) << 52 | word >> 12);
}

/* The last two bits of i decide where argument number i comes from: the usual range, the difficult range, any exponent, or any
 * bits. */
static FF_HD inline math_arguments math_arguments_of(int function, uint64_t i) {
  const ff_philox_block c = {{(uint32_t)i, (uint32_t)(i >> 32), (uint32_t)function, 0u}};
  const ff_philox_block w = ff_philox(c, 20240607u);
  const uint64_t one = (uint64_t)w.v[1] << 32 | w.v[0], other = (uint64_t)w.v[3] << 32 | w.v[2];
  const unsigned kind = (unsigned)(i & 3u);
  double low = 0.0, high = 0.0;
  int lowest = 0, highest = 0, negative = 0;
  switch (function) {
#define MATH_X(name, a, b, c, d, e, f, g)                 \
  case MATH_##name:                                       \
    low = kind == 0u ? a : c;                             \
    high = kind == 0u ? b : d;                            \
    lowest = e;                                           \
    highest = f;                                          \
    negative = g;                                         \
    break;
    MATH_LIST(MATH_X)
#undef MATH_X
  }
  math_arguments out;
  out.x = kind < 2u ? low + (high - low) * math_fraction(one) : math_of_exponents(one, other, lowest, highest, negative);
  if (kind == 3u) out.x = ff_math_from_bits(one);
  out.y = 16.0 * math_fraction(other) - 8.0; /* the exponent of pow */
  if (kind == 1u) out.y *= 264.0;
  if (kind == 2u) { /* so that results of all magnitudes occur */
    const double size = (double)(int64_t)(ff_math_bits(out.x) >> 52) - 1023.0;
    out.y = (math_fraction(other << 20) - 0.5) * 2200.0 / ((size < 0.0 ? -size : size) + 1.0);
  }
  if (kind == 3u) out.y = ff_math_from_bits(other);
  return out;
}

static FF_HD inline double math_value(int function, math_arguments at) {
  switch (function) {
#define MATH_X(name, a, b, c, d, e, f, g) \
  case MATH_##name:                       \
    return MATH_CALL_##name;
#define MATH_CALL_log ff_log(at.x)
#define MATH_CALL_log1p ff_log1p(at.x)
#define MATH_CALL_exp ff_exp(at.x)
#define MATH_CALL_expm1 ff_expm1(at.x)
#define MATH_CALL_pow ff_pow(at.x, at.y)
#define MATH_CALL_sinh ff_sinh(at.x)
#define MATH_CALL_cosh ff_cosh(at.x)
#define MATH_CALL_tanh ff_tanh(at.x)
#define MATH_CALL_sin ff_sin(at.x)
#define MATH_CALL_cos ff_cos(at.x)
#define MATH_CALL_tan ff_tan(at.x)
#define MATH_CALL_asin ff_asin(at.x)
#define MATH_CALL_acos ff_acos(at.x)
#define MATH_CALL_atan ff_atan(at.x)
    MATH_LIST(MATH_X)
#undef MATH_X
  }
  return 0.0;
}

/* The contribution of result number i to a checksum. Contributions are added modulo 2^64, so their order does not matter. */
static FF_HD inline uint64_t math_mixed(double value, uint64_t i) {
  uint64_t z = ff_math_bits(value) + i * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

#if !defined(__CUDACC_RTC__)
static inline const char *math_name(int function) {
  static const char *const name[MATH_FUNCTIONS] = {
#define MATH_X(name, a, b, c, d, e, f, g) #name,
      MATH_LIST(MATH_X)
#undef MATH_X
  };
  return name[function];
}
#endif

#endif
