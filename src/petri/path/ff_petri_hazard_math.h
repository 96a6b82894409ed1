/* Integrals of hazards within a step. gcc, nvcc and NVRTC compile the same text. All calls take O(1), unless they say otherwise.
 *
 * A profile f is evaluated at the five nodes of Lobatto's rule of a part of a step, whose length is w; s goes from 0 to 1 in
 * this part. p is the polynomial of degree 4 through these values, so that its integral has degree 5.
 *
 * The error at another point is f(s) - p(s) = f[s_0, ..., s_4, s] pi(s), where the first factor is a divided difference of order
 * 5, and pi(s) the product of all s - s_i. If this divided difference is K all over the part, the error of the integral from 0
 * to s is K times the integral of pi, which is largest at s = 1/2: FF_PETRI_MOST_PI = 1/2688. (At the end it is 0, as
 * Lobatto's rule has a higher order.) K is estimated at two points between nodes; the larger estimate counts. */
#ifndef FF_PETRI_HAZARD_MATH_H
#define FF_PETRI_HAZARD_MATH_H

#include "../../base/ff_math.h"

enum { FF_PETRI_NODES = 5, FF_PETRI_POINTS = 7, FF_PETRI_DEGREE = 5 };

#define FF_PETRI_MOST_PI (1.0 / 2688)
#define FF_PETRI_MOST_ROUNDS 60

/* A node, or a point of the check: where it is, and what the value there gives to the coefficients of the integral of p, from s^2
 * on. */
typedef struct {
  double at, by[4];
} ff_petri_point;

/* The nodes, and then the two points of the check. */
#define FF_PETRI_POINT_TABLE                                                                                                  \
  {{0, {-5.0, 10.0, -8.75, 2.8}},                                                                                              \
   {0.17267316464601143, {6.7565024887242400, -18.957449421892924452, 19.006502488724240004, -6.5333333333333333333}},         \
   {0.5, {-2.6666666666666667, 14.222222222222222222, -18.666666666666666667, 7.4666666666666666667}},                         \
   {0.82732683535398857, {1.4101641779424266628, -8.2647728003292977701, 13.660164177942426663, -6.5333333333333333333}},      \
   {1, {-0.5, 3.0, -5.25, 2.8}},                                                                                               \
   {0.34375, {0, 0, 0, 0}},                                                                                                    \
   {0.9375, {0, 0, 0, 0}}}

static FF_HD inline double ff_petri_node(int i) {
  static const ff_petri_point point[] = FF_PETRI_POINT_TABLE;
  return point[i].at;
}

/* Sets the coefficients of the integral of p, for s^1 to s^5, from the values at the nodes. */
static FF_HD inline void ff_petri_integral(const double *f, double *c) {
  static const ff_petri_point point[] = FF_PETRI_POINT_TABLE;
  c[0] = f[0];
  for (int i = 0; i < 4; i++)
    c[i + 1] = point[0].by[i] * f[0] + point[1].by[i] * f[1] + point[2].by[i] * f[2] + point[3].by[i] * f[3] +
               point[4].by[i] * f[4];
}

/* The integral from 0 to s, and *rate, its derivative there. */
static FF_HD inline double ff_petri_integral_at(const double *c, double s, double *rate) {
  *rate = c[0] + s * (2 * c[1] + s * (3 * c[2] + s * (4 * c[3] + s * (5 * c[4]))));
  return s * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4]))));
}

static FF_HD inline double ff_petri_polynomial(const double *c, double s) {
  double rate;
  ff_petri_integral_at(c, s, &rate);
  return rate;
}

/* A bound of the error of the integral in units of w, as far as two more values tell. by: FF_PETRI_MOST_PI / |pi(s)| for both. */
static FF_HD inline double ff_petri_integral_error(const double *f, const double *c) {
  const double by[2] = {FF_PETRI_MOST_PI / 0.0029160082340240478516, FF_PETRI_MOST_PI / 0.00216007232666015625};
  const double a = ff_math_absolute(f[5] - ff_petri_polynomial(c, 0.34375)) * by[0];
  const double b = ff_math_absolute(f[6] - ff_petri_polynomial(c, 0.9375)) * by[1];
  return a > b ? a : b;
}

/* What is known of a part: the coefficients of the integral, the integral and its error in units of w, and the least and the
 * largest value. */
typedef struct {
  double c[FF_PETRI_DEGREE], sum, error, low, high; /* low is NaN if a value is not finite */
} ff_petri_tried;

/* A part of a segment in which the integral of a profile is a polynomial. Parts of the segment go from 0 to 1. */
typedef struct {
  double begin, width, before; /* before: the integral up to `begin`, in units of the segment's length */
  double c[FF_PETRI_DEGREE];
} ff_petri_part;

/* The integral from 0 to s, from n parts in ascending order, and *rate, its derivative there. O(log(n)). */
static FF_HD inline double ff_petri_integral_of_parts(const ff_petri_part *part, uint32_t n, double s, double *rate) {
  uint32_t low = 0, high = n;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (part[middle].begin <= s)
      low = middle;
    else
      high = middle;
  }
  part += low;
  return part->before + part->width * ff_petri_integral_at(part->c, (s - part->begin) / part->width, rate);
}

/* Whether an integral is as exact as it need be, for hazards of `size` times the profile over this part. */
static FF_HD inline int ff_petri_is_exact(double size, double sum, double error, double tolerance) {
  const double whole = size * ff_math_absolute(sum);
  return size * error <= tolerance * (whole > 1 ? whole : 1);
}

/* The width of the part after one that ends at `begin`: twice as wide if a part so wide may begin there. */
static FF_HD inline double ff_petri_next_width(double begin, double width) {
  const double twice = 2 * width, places = begin / twice;
  return places == (double)(int64_t)places && begin + twice <= 1 ? twice : width;
}

/* By how much bounds of such a profile may differ from its values. */
static FF_HD inline double ff_petri_slack_of(double size, double sum, double tolerance) {
  const double whole = size * ff_math_absolute(sum);
  return tolerance * (whole > 1 ? whole : 1) / size;
}

/* From the values at the nodes, and unless `affine` (in s) at the points of the check. */
static FF_HD inline void ff_petri_try(const double *f, int affine, ff_petri_tried *out) {
  double rate, low = f[0], high = f[0], finite = f[0] - f[0]; /* 0, or NaN */
  ff_petri_integral(f, out->c);
  out->sum = ff_petri_integral_at(out->c, 1, &rate);
  out->error = affine ? 0 : ff_petri_integral_error(f, out->c);
  for (int i = 1; i < (affine ? (int)FF_PETRI_NODES : (int)FF_PETRI_POINTS); i++) {
    low = f[i] < low ? f[i] : low;
    high = f[i] > high ? f[i] : high;
    finite += f[i] - f[i];
  }
  out->low = low + finite;
  out->high = high;
}

/* The same with one value after the other, in the order of the points: less code, with the same bits.
 *
 *   ff_petri_sampled x = ff_petri_sampled_new();
 *   for each point: ff_petri_sample(&x, point, value there);
 *   ff_petri_sampled_tell(&x, affine, &tried); */
typedef struct {
  double c[FF_PETRI_DEGREE], f[2], low, high, finite; /* f: the last two values */
  int n;
} ff_petri_sampled;

static FF_HD inline ff_petri_sampled ff_petri_sampled_new(void) {
  ff_petri_sampled x;
  for (int i = 0; i < FF_PETRI_DEGREE; i++) x.c[i] = -0.0; /* which changes no number that is added */
  x.low = ff_math_infinity();
  x.high = -ff_math_infinity();
  x.finite = 0;
  x.f[0] = x.f[1] = 0;
  x.n = 0;
  return x;
}

static FF_HD inline void ff_petri_sample(ff_petri_sampled *x, const ff_petri_point *point, double f) {
  if (x->n == 0) x->c[0] = f;
  for (int i = 0; i < 4 && x->n < FF_PETRI_NODES; i++) x->c[i + 1] += point->by[i] * f;
  x->low = f < x->low ? f : x->low;
  x->high = f > x->high ? f : x->high;
  x->finite += f - f; /* 0, or NaN */
  x->f[0] = x->f[1];
  x->f[1] = f;
  x->n++;
}

static FF_HD inline void ff_petri_sampled_tell(const ff_petri_sampled *x, int affine, ff_petri_tried *out) {
  const double f[FF_PETRI_POINTS] = {0, 0, 0, 0, 0, x->f[0], x->f[1]};
  double rate;
  for (int i = 0; i < FF_PETRI_DEGREE; i++) out->c[i] = x->c[i];
  out->sum = ff_petri_integral_at(x->c, 1, &rate);
  out->error = affine ? 0 : ff_petri_integral_error(f, x->c);
  out->low = x->low + x->finite;
  out->high = x->high;
}

/* The search for s, from low to high, at which an integral reaches a number: Newton's method, within a bracket. It is at least
 * this number at `high`.
 *
 *   ff_petri_root x = ff_petri_root_new(low, high, value at low, value at high, derivative at low, number);
 *   while (x.rounds > 0) ff_petri_root_take(&x, integral at x.s, its derivative there, number);
 *
 * x.s is then the result. */
typedef struct {
  double low, high, s, moved; /* moved: by how much s was changed last */
  int rounds;
} ff_petri_root;

/* The first guess is the root of a parabola. */
static FF_HD inline ff_petri_root ff_petri_root_new(double low, double high, double at_low, double at_high, double rate,
                                                    double number) {
  const double need = number - at_low, linear = rate * (high - low), square = (at_high - at_low) - linear;
  const double under = linear * linear + 4 * square * need, below = linear + ff_math_sqrt(under > 0 ? under : 0);
  ff_petri_root x;
  x.low = low;
  x.high = high;
  x.s = below > 0 ? low + (high - low) * (2 * need / below) : low;
  if (!(x.s >= low)) x.s = low;
  if (x.s > high) x.s = high;
  x.moved = high - low;
  x.rounds = FF_PETRI_MOST_ROUNDS;
  return x;
}

/* Where changes become much smaller each time, the next one would be about the square of this one. */
static FF_HD inline void ff_petri_root_take(ff_petri_root *x, double value, double rate, double number) {
  const double over = value - number;
  if (over > 0)
    x->high = x->s;
  else
    x->low = x->s;
  double next = rate > 0 ? x->s - over / rate : x->low + (x->high - x->low) / 2;
  const int newton = next >= x->low && next <= x->high;
  if (!newton) next = x->low + (x->high - x->low) / 2;
  const double moved = ff_math_absolute(next - x->s);
  const int ends = moved <= 0x1p-51 * next || (newton && moved <= 0x1p-28 * next && moved <= 0x1p-6 * x->moved);
  x->rounds = ends ? 0 : x->rounds - 1;
  x->moved = moved;
  x->s = next;
}

#endif
