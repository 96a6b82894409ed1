/* Whether long double has more digits than double, so that it can be a reference. */
#ifndef FF_TESTS_LONG_DOUBLE_H
#define FF_TESTS_LONG_DOUBLE_H

/* It has 64 bits or more on x86, but under valgrind only the 53 of a double. */
static inline int long_double_is_longer(void) {
  volatile long double one = 1.0L, little = 0x1p-63L;
  return one + little != one;
}

#endif
