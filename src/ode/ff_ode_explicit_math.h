/* The arithmetic of one component in a step of Dormand and Prince's method, the state within a step, and the length of the next
 * one. gcc, nvcc and NVRTC compile the same text. All calls take O(1). */
#ifndef FF_ODE_EXPLICIT_MATH_H
#define FF_ODE_EXPLICIT_MATH_H

#include "../base/ff_math.h"

enum { FF_ODE_EXPLICIT_STAGES = 7, FF_ODE_DENSE = 5 };

#define FF_ODE_SAFETY 0.9
#define FF_ODE_LEAST_FACTOR 0.2
#define FF_ODE_MOST_FACTOR 5
#define FF_ODE_REJECTED_FACTOR 0.5  /* the largest one after a step that is not accepted */
#define FF_ODE_NEXT_TERM 0.02       /* the part of the next term that the estimated error is at least */
#define FF_ODE_TINY 0x1p-900        /* above the numbers that have fewer digits */

/* ---- stages ------------------------------------------------------------------------------------------------------------- */

/* When stage i is, as a part of the step. */
static FF_HD inline double ff_ode_explicit_node(int i) {
  return i == 0 ? 0 : i == 1 ? 1.0 / 5 : i == 2 ? 3.0 / 10 : i == 3 ? 4.0 / 5 : i == 4 ? 8.0 / 9 : 1;
}

/* The component at stages 1 to 6 of a step of length h from x. k0 to k5 are its slopes at the stages before. */
static FF_HD inline double ff_ode_explicit_1(double x, double h, double k0) { return x + h * (1.0 / 5 * k0); }

static FF_HD inline double ff_ode_explicit_2(double x, double h, double k0, double k1) {
  return x + h * (3.0 / 40 * k0 + 9.0 / 40 * k1);
}

static FF_HD inline double ff_ode_explicit_3(double x, double h, double k0, double k1, double k2) {
  return x + h * (44.0 / 45 * k0 + -56.0 / 15 * k1 + 32.0 / 9 * k2);
}

static FF_HD inline double ff_ode_explicit_4(double x, double h, double k0, double k1, double k2, double k3) {
  return x + h * (19372.0 / 6561 * k0 + -25360.0 / 2187 * k1 + 64448.0 / 6561 * k2 + -212.0 / 729 * k3);
}

static FF_HD inline double ff_ode_explicit_5(double x, double h, double k0, double k1, double k2, double k3, double k4) {
  return x + h * (9017.0 / 3168 * k0 + -355.0 / 33 * k1 + 46732.0 / 5247 * k2 + 49.0 / 176 * k3 + -5103.0 / 18656 * k4);
}

/* The end of the step, which does not depend on k1. The slope there is that of stage 6, and of stage 0 of the next step. */
static FF_HD inline double ff_ode_explicit_6(double x, double h, double k0, double k2, double k3, double k4, double k5) {
  return x + h * (35.0 / 384 * k0 + 500.0 / 1113 * k2 + 125.0 / 192 * k3 + -2187.0 / 6784 * k4 + 11.0 / 84 * k5);
}

/* The last coefficient of the polynomial of a step, as a part of its length. */
static FF_HD inline double ff_ode_explicit_fourth(const double *k) {
  return -12715105075.0 / 11282082432.0 * k[0] + 87487479700.0 / 32700410799.0 * k[2] + -10690763975.0 / 1880347072.0 * k[3] +
         701980252875.0 / 199316789632.0 * k[4] + -1453857185.0 / 822651844.0 * k[5] + 69997945.0 / 29380423.0 * k[6];
}

/* The error that a step has at least: a part of the term that comes next, if terms fall as a power. Those before it are the
 * coefficients c[3] and c[4] of the state within the step. */
static FF_HD inline double ff_ode_least_error(double third, double fourth) {
  const double next = ff_math_absolute(fourth), before = ff_math_absolute(third);
  return FF_ODE_NEXT_TERM * next * (next / (before + next + FF_ODE_TINY));
}

/* Whether an error is above the least one, but for numbers that have few digits, where both are far below any tolerance. */
static FF_HD inline int ff_ode_is_above_least(double error, double before, double next) {
  return (1 - 0x1p-40) * error * (before + next) > FF_ODE_NEXT_TERM * next * next;
}

/* The estimated error. k has the slopes at all stages. The difference from the result of order 4 changes its sign at some length
 * of a step, near which it is far too small. Where the least error is smaller, devices do not compute it: it takes a division. */
static FF_HD inline double ff_ode_explicit_error(double h, const double *k) {
  const double sum = 71.0 / 57600 * k[0] + -71.0 / 16695 * k[2] + 71.0 / 1920 * k[3] + -17253.0 / 339200 * k[4] +
                     22.0 / 525 * k[5] + -1.0 / 40 * k[6];
  const double third = -157.0 / 192 * k[0] + 1000.0 / 1113 * k[2] + 125.0 / 96 * k[3] + -2187.0 / 3392 * k[4] +
                       11.0 / 42 * k[5] - k[6];
  const double fourth = ff_ode_explicit_fourth(k), error = ff_math_absolute(h * sum);
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  if (ff_ode_is_above_least(ff_math_absolute(sum), ff_math_absolute(third), ff_math_absolute(fourth))) return error;
#endif
  const double least = h * ff_ode_least_error(third, fourth);
  return least > error ? least : error;
}

/* ---- within a step ------------------------------------------------------------------------------------------------------ */

/* Sets the coefficients c of the polynomial from `start` to `end`. */
static FF_HD inline void ff_ode_explicit_dense(double h, double start, double end, const double *k, double *c) {
  const double by = end - start, bend = h * k[0] - by;
  c[0] = start;
  c[1] = by;
  c[2] = bend;
  c[3] = by - h * k[6] - bend;
  c[4] = h * ff_ode_explicit_fourth(k);
}

/* The state at a part of the step, from 0 to 1. The implicit method has polynomials of this form, too. */
static FF_HD inline double ff_ode_dense_value(const double *c, double part) {
  const double rest = 1 - part;
  return c[0] + part * (c[1] + rest * (c[2] + part * (c[3] + rest * c[4])));
}

/* ---- the next step ------------------------------------------------------------------------------------------------------ */

/* x^(-1/5) of a positive normal number, with a relative error below 0.0004: lengths of steps need no more. A guess from the
 * exponent and the first digits, and one step of Householder's method of third order. */
static FF_HD inline double ff_ode_inverse_fifth_root(double x) {
  const uint32_t high = (uint32_t)(ff_math_bits(x) >> 32);
  const double y = ff_math_from_bits((uint64_t)(0x4CB8A800u - high / 5u) << 32), square = y * y;
  const double rest = 1 - x * (square * square * y);
  return y + y * (rest * (1.0 / 5 + 3.0 / 25 * rest));
}

/* What the length of a step is multiplied with, after an error that is this part of the one that is permitted. Outside of
 * 2^-13 to 2^12, the factor is the most or the least for any order up to 5. */
static FF_HD inline double ff_ode_factor(double error, int order, int accepted) {
  double factor = error < 0x1p12 ? FF_ODE_MOST_FACTOR : FF_ODE_LEAST_FACTOR;
  if (error > 0x1p-13 && error < 0x1p12)
    factor = FF_ODE_SAFETY * (order == 5 ? ff_ode_inverse_fifth_root(error) : ff_pow(error, -1.0 / order));
  if (factor < FF_ODE_LEAST_FACTOR) factor = FF_ODE_LEAST_FACTOR;
  if (factor > FF_ODE_MOST_FACTOR) factor = FF_ODE_MOST_FACTOR;
  return !accepted && factor > FF_ODE_REJECTED_FACTOR ? FF_ODE_REJECTED_FACTOR : factor;
}

#endif
