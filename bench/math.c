/* Nanoseconds per call of the functions of ff_math.h and of the C library, for arguments in random order from the usual range:
 * make bench-math. Each figure is the smallest of 40 runs over 4,096 values. "in a loop" means ff_log_normal and ff_exp_normal in
 * loops that compilers turn into vector instructions. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "../src/base/ff_math.h"
#include "../tests/c/math_cases.h"

#define N 4096
#define RUNS 40

static double arguments[N], results[N];
static volatile double sink;

#define TIME(least, call)                                             \
  do {                                                                \
    least = 1e9;                                                      \
    for (int run = 0; run < RUNS; run++) {                            \
      const double began = ff_clock();                                \
      for (int repeat = 0; repeat < 8; repeat++) {                    \
        for (int i = 0; i < N; i++) {                                 \
          const double x = arguments[i];                              \
          results[i] = call;                                          \
        }                                                             \
        sink = results[repeat];                                       \
      }                                                               \
      const double each = (ff_clock() - began) / (8.0 * N) * 1e9;     \
      if (each < least) least = each;                                 \
    }                                                                 \
  } while (0)

#define COMPARE(name, low, high, ours, theirs)                                                          \
  do {                                                                                                  \
    double mine, other;                                                                                 \
    for (uint64_t i = 0; i < N; i++)                                                                    \
      arguments[i] = (low) + ((high) - (low)) * math_fraction(math_mixed(1.0, i));                      \
    TIME(mine, ours);                                                                                   \
    TIME(other, theirs);                                                                                \
    printf("| %-19s | %8g to %-5g | %6.1f | %6.1f | %5.2f |\n", name, low, high, mine, other, mine / other); \
  } while (0)

int main(void) {
  printf("| function            | arguments         |   ours | C lib. | ratio |\n|---|---|---|---|---|\n");
  COMPARE("log", 0.0, 1.0, ff_log(x), log(x));
  COMPARE("log, in a loop", 0.0, 1.0, ff_log_normal(x), log(x));
  COMPARE("ff_log_series", 0.0, 1.0, ff_log_series(x), log(x));
  COMPARE("log1p", -1.0, 3.0, ff_log1p(x), log1p(x));
  COMPARE("exp", -20.0, 20.0, ff_exp(x), exp(x));
  COMPARE("exp, in a loop", -20.0, 20.0, ff_exp_normal(x), exp(x));
  COMPARE("expm1", -2.0, 2.0, ff_expm1(x), expm1(x));
  COMPARE("pow (x, 2.7)", 0.0, 10.0, ff_pow(x, 2.7), pow(x, 2.7));
  COMPARE("sinh", -3.0, 3.0, ff_sinh(x), sinh(x));
  COMPARE("cosh", -3.0, 3.0, ff_cosh(x), cosh(x));
  COMPARE("tanh", -3.0, 3.0, ff_tanh(x), tanh(x));
  COMPARE("sin", -10.0, 10.0, ff_sin(x), sin(x));
  COMPARE("sin, large", 1e29, 1e30, ff_sin(x), sin(x));
  COMPARE("cos", -10.0, 10.0, ff_cos(x), cos(x));
  COMPARE("tan", -10.0, 10.0, ff_tan(x), tan(x));
  COMPARE("asin", -1.0, 1.0, ff_asin(x), asin(x));
  COMPARE("acos", -1.0, 1.0, ff_acos(x), acos(x));
  COMPARE("atan", -3.0, 3.0, ff_atan(x), atan(x));
  return 0;
}
