/* ff_math.h: special values, errors compared with long double, identities, and the bits of the results. The test same_bits
 * compares checksums of the results' bits with constants, so it fails if a compiler or its options change a bit. tools/check-math
 * compiles this file many times and runs that test. tests/campaign/math.c tries far more values, and tests/cuda/math.cu a GPU. */
#include "check.h"
#include "math_reference.h"

static uint64_t bits_of(double x) { return ff_math_bits(x); }

#define INF ((double)INFINITY)
#define LEAST 0x1p-1074

/* ---- special values ------------------------------------------------------------------------------------------------- */

typedef struct {
  int function;
  double x, want;
} special;

static const double any_nan = (double)NAN;

static void special_values(void) {
  const special list[] = {
      {MATH_log, 0.0, -INF}, {MATH_log, -0.0, -INF}, {MATH_log, 1.0, 0.0}, {MATH_log, INF, INF}, {MATH_log, -1.0, any_nan},
      {MATH_log, -INF, any_nan}, {MATH_log, -LEAST, any_nan}, {MATH_log, LEAST, -0x1.74385446d71c3p+9},
      {MATH_log, DBL_MAX, 0x1.62e42fefa39efp+9}, {MATH_log1p, 0.0, 0.0}, {MATH_log1p, -0.0, -0.0}, {MATH_log1p, -1.0, -INF},
      {MATH_log1p, INF, INF}, {MATH_log1p, -1.5, any_nan}, {MATH_log1p, -INF, any_nan}, {MATH_log1p, LEAST, LEAST},
      {MATH_log1p, -LEAST, -LEAST}, {MATH_log1p, DBL_MAX, 0x1.62e42fefa39efp+9}, {MATH_exp, 0.0, 1.0}, {MATH_exp, -0.0, 1.0},
      {MATH_exp, INF, INF}, {MATH_exp, -INF, 0.0}, {MATH_exp, LEAST, 1.0},
      {MATH_exp, 709.782712893384, 0x1.fffffffffff2ap+1023}, {MATH_exp, 709.7827128933841, INF}, {MATH_exp, DBL_MAX, INF},
      {MATH_exp, -745.1332191019411, LEAST}, {MATH_exp, -745.1332191019413, 0.0}, {MATH_exp, -DBL_MAX, 0.0},
      {MATH_expm1, 0.0, 0.0}, {MATH_expm1, -0.0, -0.0}, {MATH_expm1, INF, INF}, {MATH_expm1, -INF, -1.0},
      {MATH_expm1, -1000.0, -1.0}, {MATH_expm1, 1000.0, INF}, {MATH_expm1, LEAST, LEAST}, {MATH_sinh, 0.0, 0.0},
      {MATH_sinh, -0.0, -0.0}, {MATH_sinh, INF, INF}, {MATH_sinh, -INF, -INF}, {MATH_sinh, 710.5, INF},
      {MATH_sinh, -710.5, -INF}, {MATH_sinh, -LEAST, -LEAST}, {MATH_cosh, 0.0, 1.0}, {MATH_cosh, -0.0, 1.0},
      {MATH_cosh, INF, INF}, {MATH_cosh, -INF, INF}, {MATH_cosh, -710.5, INF}, {MATH_tanh, 0.0, 0.0}, {MATH_tanh, -0.0, -0.0},
      {MATH_tanh, INF, 1.0}, {MATH_tanh, -INF, -1.0}, {MATH_tanh, 30.0, 1.0}, {MATH_tanh, LEAST, LEAST}, {MATH_sin, 0.0, 0.0},
      {MATH_sin, -0.0, -0.0}, {MATH_sin, INF, any_nan}, {MATH_sin, -INF, any_nan}, {MATH_sin, LEAST, LEAST},
      {MATH_cos, 0.0, 1.0}, {MATH_cos, -0.0, 1.0}, {MATH_cos, INF, any_nan}, {MATH_cos, LEAST, 1.0}, {MATH_tan, 0.0, 0.0},
      {MATH_tan, -0.0, -0.0}, {MATH_tan, INF, any_nan}, {MATH_tan, -LEAST, -LEAST}, {MATH_asin, 0.0, 0.0},
      {MATH_asin, -0.0, -0.0}, {MATH_asin, 1.0, 0x1.921fb54442d18p+0}, {MATH_asin, -1.0, -0x1.921fb54442d18p+0},
      {MATH_asin, INF, any_nan}, {MATH_asin, 1.0 + DBL_EPSILON, any_nan}, {MATH_asin, -2.0, any_nan},
      {MATH_asin, LEAST, LEAST}, {MATH_acos, 1.0, 0.0}, {MATH_acos, -1.0, 0x1.921fb54442d18p+1},
      {MATH_acos, 0.0, 0x1.921fb54442d18p+0}, {MATH_acos, -0.0, 0x1.921fb54442d18p+0},
      {MATH_acos, 1.0 + DBL_EPSILON, any_nan}, {MATH_acos, -INF, any_nan}, {MATH_atan, 0.0, 0.0}, {MATH_atan, -0.0, -0.0},
      {MATH_atan, INF, 0x1.921fb54442d18p+0}, {MATH_atan, -INF, -0x1.921fb54442d18p+0},
      {MATH_atan, DBL_MAX, 0x1.921fb54442d18p+0}, {MATH_atan, -LEAST, -LEAST}, {MATH_atan, 1.0, 0x1.921fb54442d18p-1}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    const math_arguments at = {list[i].x, 0.0};
    const double got = math_value(list[i].function, at), want = isnan(list[i].want) ? ff_math_nan() : list[i].want;
    FF_CHECK_SAY(bits_of(got) == bits_of(want), "%s(%a) is %a, expected %a", math_name(list[i].function), list[i].x, got, want);
  }
  for (int function = 0; function < MATH_FUNCTIONS; function++) {
    const math_arguments positive = {any_nan, 3.0}, negative = {-any_nan, 3.0};
    FF_CHECK_SAY(bits_of(math_value(function, positive)) == bits_of(ff_math_nan()), "%s(NaN)", math_name(function));
    FF_CHECK_SAY(bits_of(math_value(function, negative)) == bits_of(ff_math_nan()), "%s(-NaN)", math_name(function));
  }
}

/* C99, F.9.4.4 */
static void special_powers(void) {
  const double n = any_nan;
  const double list[][3] = {
      {0.0, -3.0, INF}, {-0.0, -3.0, -INF}, {0.0, -2.5, INF}, {-0.0, -2.5, INF}, {-0.0, -4.0, INF}, {0.0, 3.0, 0.0},
      {-0.0, 3.0, -0.0}, {0.0, 2.5, 0.0}, {-0.0, 2.5, 0.0}, {-0.0, 4.0, 0.0}, {0.0, INF, 0.0}, {-0.0, INF, 0.0},
      {0.0, -INF, INF}, {-0.0, -INF, INF}, {-1.0, INF, 1.0}, {-1.0, -INF, 1.0}, {1.0, n, 1.0}, {1.0, INF, 1.0},
      {1.0, -INF, 1.0}, {1.0, 0x1p900, 1.0}, {n, 0.0, 1.0}, {n, -0.0, 1.0}, {INF, 0.0, 1.0}, {-INF, -0.0, 1.0},
      {0.0, 0.0, 1.0}, {-0.0, -0.0, 1.0}, {-5.0, 0.0, 1.0}, {-2.0, 0.5, n}, {-2.0, -1.5, n}, {-DBL_MAX, 1.5, n},
      {-LEAST, 0x1.8p-1000, n}, {0.5, -INF, INF}, {-0.5, -INF, INF}, {2.0, -INF, 0.0}, {-2.0, -INF, 0.0}, {0.5, INF, 0.0},
      {-0.5, INF, 0.0}, {2.0, INF, INF}, {-2.0, INF, INF}, {-INF, -3.0, -0.0}, {-INF, -2.5, 0.0}, {-INF, -4.0, 0.0},
      {-INF, 3.0, -INF}, {-INF, 2.5, INF}, {-INF, 4.0, INF}, {INF, -3.0, 0.0}, {INF, -0.5, 0.0}, {INF, 3.0, INF},
      {INF, 0.5, INF}, {INF, INF, INF}, {INF, -INF, 0.0}, {-INF, INF, INF}, {-INF, -INF, 0.0}, {n, 1.0, n}, {2.0, n, n},
      {0.0, n, n}, {n, n, n}, {-1.0, 3.0, -1.0}, {-1.0, 4.0, 1.0}, {-1.0, 0x1p60, 1.0}, {-1.0, 9007199254740991.0, -1.0},
      {-1.0, 9007199254740992.0, 1.0}, {-3.0, 3.0, -27.0}, {-3.0, -3.0, -0x1.2f684bda12f68p-5}, {2.0, 1024.0, INF},
      {-2.0, 1025.0, -INF}, {2.0, -1074.0, LEAST}, {-2.0, -1073.0, -2.0 * LEAST}, {2.0, -1076.0, 0.0}, {-2.0, -1077.0, -0.0},
      {1.0 + DBL_EPSILON, 0x1p80, INF}, {1.0 + DBL_EPSILON, -0x1p80, 0.0}, {1.0 - DBL_EPSILON, 0x1p80, 0.0},
      {1.0 - DBL_EPSILON, -0x1p80, INF}, {DBL_MAX, 0x1p-80, 1.0}, {LEAST, 0x1p-80, 1.0}, {LEAST, 1.0, LEAST},
      {-LEAST, 1.0, -LEAST}, {LEAST, -1.0, INF}, {0x1p-1074, 0.5, 0x1p-537}, {DBL_MAX, 1.0, DBL_MAX},
      {DBL_MAX, -1.0, 0x1p-1024}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    const double got = ff_pow(list[i][0], list[i][1]), want = isnan(list[i][2]) ? ff_math_nan() : list[i][2];
    FF_CHECK_SAY(bits_of(got) == bits_of(want), "pow(%a, %a) is %a, expected %a", list[i][0], list[i][1], got, want);
  }
}

/* ---- errors --------------------------------------------------------------------------------------------------------- */

static void errors_are_bounded(void) {
  if (!long_double_is_longer()) return; /* no reference to compare with */
  for (int function = 0; function < MATH_FUNCTIONS; function++) {
    double worst = 0.0;
    math_arguments where = {0.0, 0.0};
    for (uint64_t i = 0; i < 200000; i++) {
      const math_arguments at = math_arguments_of(function, i);
      const double distance = math_distance(math_value(function, at), math_reference(function, at));
      if (distance > worst) {
        worst = distance;
        where = at;
      }
    }
    FF_CHECK_SAY(worst <= math_bound(function), "%s(%a, %a) is wrong by %g units in the last place", math_name(function),
                 where.x, where.y, worst);
  }
}

/* The doubles nearest to multiples of pi/2 (from the continued fraction of pi), and other arguments known to be difficult. Values
 * by mpmath. */
static void hard_arguments(void) {
  const struct {
    double x, sine, cosine, tangent;
  } list[] = {
      {0x1.6ac5b262ca1ffp+849, 0x1.0000000000000p+0, -0x1.14ae72e6ba22fp-61, -0x1.d9ba9a7975636p+60},
      {0x1.6c6cbc45dc8dep+5, 0x1.0000000000000p+0, -0x1.6d61b58c99c43p-61, -0x1.66b9ebc4850c6p+60},
      {0x1.6ac5b262ca1ffp+850, -0x1.14ae72e6ba22fp-60, -0x1.0000000000000p+0, 0x1.14ae72e6ba22fp-60},
      {0x1.6c6cbc45dc8dep+6, -0x1.6d61b58c99c43p-60, -0x1.0000000000000p+0, 0x1.6d61b58c99c43p-60},
      {0x1.b951f1572eba5p+23, -0x1.0000000000000p+0, -0x1.f54f5227a4e84p-60, 0x1.057584c429b3ap+59},
      {0x1.504cac51f1eafp+131, -0x1.0000000000000p+0, -0x1.0cb604d34f341p-59, 0x1.e7c7d0f43f81ep+58},
      {0x1.6ac5b262ca1ffp+851, 0x1.14ae72e6ba22fp-59, 0x1.0000000000000p+0, 0x1.14ae72e6ba22fp-59},
      {0x1.e009c53148be1p+991, 0x1.0000000000000p+0, 0x1.295a3b0a64b1dp-59, 0x1.b8cbf7ecfaffap+58},
      {0x1.6c6cbc45dc8dep+7, 0x1.6d61b58c99c43p-59, 0x1.0000000000000p+0, 0x1.6d61b58c99c43p-59},
      {0x1.4c96c11134d36p+577, -0x1.0000000000000p+0, 0x1.6ec67bcf77522p-59, -0x1.655cf9e23c4d7p+58},
      {0x1.cfe482285f8edp+860, -0x1.0000000000000p+0, -0x1.d08f59c32bfa3p-59, 0x1.1a246b6f92457p+58},
      {0x1.db41f3cb71d7bp+680, 0x1.0000000000000p+0, 0x1.e09878d22e29dp-59, 0x1.10ba6f3f467d7p+58},
      {0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1, -0x1.a0f79c1b6b257p+0},
      {0x1.921fb54442d18p+0, 0x1.0000000000000p+0, 0x1.1a62633145c07p-54, 0x1.d02967c31cdb5p+53},
      {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.0000000000000p+0, -0x1.1a62633145c07p-53},
      {0x1.0000000000000p+20, 0x1.526ccb2fc8656p-2, 0x1.e33ada92fe2aep-1, 0x1.6692e5779206fp-2},
      {0x1.fffffffffffffp+19, 0x1.526ccb2de52a8p-2, 0x1.e33ada9352c61p-1, 0x1.6692e575533f1p-2},
      {0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1, -0x1.4530cfe729484p-8},
      {0x1.7e43c8800759cp+996, -0x1.a2c16b010e385p-1, -0x1.2699022adc4c1p-1, 0x1.6be411f37ac77p+0},
      {0x1.6c6cbc45dc8dep+8, 0x1.6d61b58c99c43p-58, 0x1.0000000000000p+0, 0x1.6d61b58c99c43p-58},
      {0x1.6c6cbc45dc8dep+9, 0x1.6d61b58c99c43p-57, 0x1.0000000000000p+0, 0x1.6d61b58c99c43p-57},
      {0x1.6c6cbc45dc8dep+10, 0x1.6d61b58c99c43p-56, 0x1.0000000000000p+0, 0x1.6d61b58c99c43p-56}
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    const double x = list[i].x, s = ff_sin(x), c = ff_cos(x), t = ff_tan(x);
    FF_CHECK_SAY(math_distance(s, (long double)list[i].sine) <= 1.0, "sin(%a) is %a", x, s);
    FF_CHECK_SAY(math_distance(c, (long double)list[i].cosine) <= 1.0, "cos(%a) is %a", x, c);
    FF_CHECK_SAY(math_distance(t, (long double)list[i].tangent) <= 1.0, "tan(%a) is %a", x, t);
  }
}

/* ---- identities ----------------------------------------------------------------------------------------------------- */

static void symmetries_are_exact(void) {
  const int odd[] = {MATH_sinh, MATH_tanh, MATH_sin, MATH_tan, MATH_asin, MATH_atan}, even[] = {MATH_cosh, MATH_cos};
  for (uint64_t i = 0; i < 40000; i++) {
    for (size_t j = 0; j < sizeof odd / sizeof odd[0]; j++) {
      const math_arguments at = math_arguments_of(odd[j], i), mirrored = {-at.x, 0.0};
      const double one = math_value(odd[j], at), other = math_value(odd[j], mirrored);
      FF_CHECK_SAY(isnan(one) || bits_of(one) == bits_of(-other), "%s(%a)", math_name(odd[j]), at.x);
    }
    for (size_t j = 0; j < sizeof even / sizeof even[0]; j++) {
      const math_arguments at = math_arguments_of(even[j], i), mirrored = {-at.x, 0.0};
      const double one = math_value(even[j], at), other = math_value(even[j], mirrored);
      FF_CHECK_SAY(bits_of(one) == bits_of(other), "%s(%a)", math_name(even[j]), at.x);
    }
  }
}

static void unchecked_forms_are_equal(void) {
  for (uint64_t i = 0; i < 100000; i++) {
    const double x = math_arguments_of(MATH_log, i).x, y = math_arguments_of(MATH_exp, i).x;
    if (isnormal(x) && x > 0.0) FF_CHECK_SAY(bits_of(ff_log(x)) == bits_of(ff_log_normal(x)), "log(%a)", x);
    if (fabs(y) <= 708.0) FF_CHECK_SAY(bits_of(ff_exp(y)) == bits_of(ff_exp_normal(y)), "exp(%a)", y);
  }
}

static void powers_that_are_doubles_are_exact(void) {
  for (int k = -1074; k <= 1023; k++) {
    FF_CHECK_SAY(ff_pow(2.0, k) == ldexp(1.0, k), "2^%d is %a", k, ff_pow(2.0, k));
    if (k % 2 == 0 && k >= -1022) FF_CHECK_SAY(ff_pow(ldexp(1.0, k), 0.5) == ldexp(1.0, k / 2), "2^%d to 1/2", k);
  }
  for (int base = 2; base <= 200; base++) {
    double product = 1.0;
    for (int k = 1; product * base <= 0x1p53; k++) {
      product *= base;
      FF_CHECK_SAY(ff_pow(base, k) == product && ff_pow(-base, k) == (k % 2 ? -product : product), "%d^%d", base, k);
    }
  }
  for (uint64_t i = 0; i < 100000; i++) {
    const double x = math_arguments_of(MATH_pow, i).x;
    if (isfinite(x)) FF_CHECK_SAY(ff_pow(x, 1.0) == x, "%a^1 is %a", x, ff_pow(x, 1.0));
  }
}

/* Over steps of 64 units in the last place, no function may decrease where it should increase, however it rounds. */
static void monotone_where_it_should_be(void) {
  const int rising[] = {MATH_log, MATH_log1p, MATH_exp, MATH_expm1, MATH_sinh, MATH_tanh, MATH_asin, MATH_atan};
  for (size_t j = 0; j < sizeof rising / sizeof rising[0]; j++)
    for (uint64_t i = 0; i < 40000; i++) {
      const math_arguments at = math_arguments_of(rising[j], i);
      if (!isfinite(at.x)) continue;
      const math_arguments next = {ff_math_from_bits(bits_of(at.x) + 64), 0.0}; /* away from 0 */
      const double one = math_value(rising[j], at), other = math_value(rising[j], next);
      if (isnan(one) || isnan(other)) continue;
      FF_CHECK_SAY(at.x < 0.0 ? other <= one : other >= one, "%s at %a", math_name(rising[j]), at.x);
    }
}

/* ---- bits ----------------------------------------------------------------------------------------------------------- */

#define SAME 200000u

/* The checksums were computed by gcc 12 at -O2. They may change only if a function is changed on purpose. */
static void same_bits(void) {
  const uint64_t want[MATH_FUNCTIONS] = {/* in the order of MATH_LIST */
      UINT64_C(0x029D5D50BA8C6A9C), UINT64_C(0x2E85651A61051C79), UINT64_C(0x5583BA56E562999B), UINT64_C(0x4E3B1EFEC028E1A6),
      UINT64_C(0xE7FA023B715683B3), UINT64_C(0x121A345561DA53ED), UINT64_C(0x2A5EC5F10D9CDB84), UINT64_C(0x597196284382A8C9),
      UINT64_C(0x799E4A6C120386BF), UINT64_C(0x17EAF35724192A39), UINT64_C(0xC90501BEAE9928A1), UINT64_C(0xD72678EE84F330B9),
      UINT64_C(0xD4BA79A5ECE0C07E), UINT64_C(0xBA8D177D6612DE56)
  };
  for (int function = 0; function < MATH_FUNCTIONS; function++) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < SAME; i++) sum += math_mixed(math_value(function, math_arguments_of(function, i)), i);
    FF_CHECK_SAY(sum == want[function], "%s: the bits sum up to 0x%016llX", math_name(function), (unsigned long long)sum);
  }
}

/* The loops that compilers turn into vector instructions. */
static void same_bits_in_loops(void) {
  enum { N = 4096 };
  static double x[N], logarithm[N], power[N];
  for (uint64_t i = 0; i < N; i++) x[i] = math_fraction(math_mixed(0.0, i)) + 0x1p-60;
  for (int i = 0; i < N; i++) logarithm[i] = ff_log_normal(x[i]);
  for (int i = 0; i < N; i++) power[i] = ff_exp_normal(-100.0 * x[i]);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < N; i++) sum += math_mixed(logarithm[i], i) + math_mixed(power[i], i + N);
  FF_CHECK_SAY(sum == UINT64_C(0x7CDCD3C0BC645AB1), "the bits sum up to 0x%016llX", (unsigned long long)sum);
}

FF_TEST_MAIN("math", special_values, special_powers, errors_are_bounded, hard_arguments, symmetries_are_exact,
             unchecked_forms_are_equal, powers_that_are_doubles_are_exact, monotone_where_it_should_be,
             same_bits, same_bits_in_loops)
