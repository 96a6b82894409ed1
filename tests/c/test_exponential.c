/* Exponential numbers: their errors, and the table from which they are computed. */
#include <math.h>

#include "../../src/ssa/path/ff_ssa_draws.h"
#include "check.h"
#include "long_double.h"
#include "random.h"

/* The error of a number in units in the last place, against the C library's logarithm of 64 bits. */
static double error_of(uint64_t words) {
  const double got = ff_exponential((uint32_t)words, (uint32_t)(words >> 32));
  const double u = ff_open((uint32_t)words, (uint32_t)(words >> 32));
  const long double want = -logl((long double)u);
  if (want == 0) return got == 0 ? 0 : INFINITY;
  const double size = (double)want;
  return fabs((double)((long double)got - want)) / (nextafter(size, INFINITY) - size);
}

/* Random numbers, numbers near 0 and 1, and both ends of every cell of the table at several powers of 2. */
static void errors_are_below_two_units(void) {
  uint64_t state = 1, worst_at = 0;
  double worst = 0;
  if (!long_double_is_longer()) FF_SKIP("long double is only as precise as double here, as under valgrind");
  for (uint32_t i = 0; i < 2000000; i++) {
    uint64_t words = next_random(&state) ^ next_random(&state) >> 32;
    if (i % 4 == 1) words >>= i / 4 % 64;
    if (i % 4 == 2) words = ~(words >> i / 4 % 64);
    if (i % 4 == 3) {
      const double edge = (0.6875 + i / 4 % 90 / 128.0) * ldexp(1, -(int)(i / 360 % 20)), nudge = (double)(words >> 40) - 0x1p23;
      const double u = edge + ldexp(nudge, -70);
      words = u < 1 ? (uint64_t)(u * 0x1p53) << 11 : ~UINT64_C(0);
    }
    const double error = error_of(words);
    if (!(error <= worst)) {
      worst = error;
      worst_at = words;
    }
  }
  FF_CHECK_SAY(worst < 2, "%.3f units for %llx", worst, (unsigned long long)worst_at);
}

static void ends_are_as_defined(void) {
  FF_CHECK(ff_exponential(UINT32_MAX, UINT32_MAX) == 0);
  FF_CHECK_NEAR(ff_exponential(0, 0), 54 * log(2.0), 1e-13);
  for (uint32_t cell = 0; cell < FF_EXPONENTIAL_CELLS; cell++) {
    const double c = cell < 20 ? 0.6875 + cell / 64.0 : 1 + (cell - 20) / 32.0;
    FF_CHECK(FF_EXPONENTIAL_TABLE[cell] == 1 / c);
    FF_CHECK_NEAR(FF_EXPONENTIAL_TABLE[FF_EXPONENTIAL_CELLS + cell], -log(c), 1e-16);
  }
}

FF_TEST_MAIN("exponential", errors_are_below_two_units, ends_are_as_defined)
