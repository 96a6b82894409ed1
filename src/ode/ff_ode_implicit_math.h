/* The arithmetic of a step of the Rosenbrock method Rodas5P: its weights, stages, derivatives, and the state within a step.
 * gcc, nvcc and NVRTC compile the same text. Stage i solves (I / (h gamma) - df/dx) u_i = f(t + c_i h, x + sum a_ij u_j) +
 * sum C_ij u_j / h + h d_i df/dt, the form of Hairer and Wanner (IV.7). u_i has n components, from k[i * n] on. */
#ifndef FF_ODE_IMPLICIT_MATH_H
#define FF_ODE_IMPLICIT_MATH_H

#include "../linear/ff_sparse_lu_math.h"
#include "ff_ode_pace_math.h"

enum { FF_ODE_IMPLICIT_STAGES = 8, FF_ODE_IMPLICIT_INNER = 5 };

#define FF_ODE_IMPLICIT_GAMMA 0.21193756319429014
/* The largest part of its terms, or of what the tolerance permits, by which a solution may miss an equation. */
#define FF_ODE_IMPLICIT_MISFIT 0x1p-20
#define FF_ODE_IMPLICIT_FAR 16.0 /* tolerances: see ff_ode_implicit_far() */
#define FF_ODE_DIFFERENCE 0x1p-26 /* the root of the rounding unit: rounding errors are as large as those of the difference */

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define FF_ODE_TABLE static __constant__ const
#else
#define FF_ODE_TABLE static const
#endif

/* ---- weights ------------------------------------------------------------------------------------------------------------ */

/* The last three stages are at the end: each adds its u to the state of the one before. */
FF_ODE_TABLE double ff_ode_implicit_node[FF_ODE_IMPLICIT_INNER] = {0, 0.6358126895828704, 0.4095798393397535,
                                                                   0.9769306725060716, 0.4288403609558664};
FF_ODE_TABLE double ff_ode_implicit_in_time[FF_ODE_IMPLICIT_INNER] = {FF_ODE_IMPLICIT_GAMMA, -0.42387512638858027,
                                                                     -0.3384627126235924, 1.8046452872882734, 2.325825639765069};
FF_ODE_TABLE double ff_ode_implicit_state_weight[FF_ODE_IMPLICIT_INNER + 1][FF_ODE_IMPLICIT_INNER] = {
    {0},
    {3.0},
    {2.849394379747939, 0.45842242204463923},
    {-6.954028509809101, 2.489845061869568, -10.358996098473584},
    {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
    {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946}};
FF_ODE_TABLE double ff_ode_implicit_stage_weight[FF_ODE_IMPLICIT_STAGES][FF_ODE_IMPLICIT_STAGES - 1] = {
    {0},
    {-14.155112264123755},
    {-17.97296035885952, -2.859693295451294},
    {147.12150275711716, -1.41221402718213, 71.68940251302358},
    {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
    {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
    {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623, -28.087943162872662},
    {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002, -54.66780262877968,
     -9.48861652309627}};
FF_ODE_TABLE double ff_ode_implicit_dense_weight[3][FF_ODE_IMPLICIT_STAGES] = {
    {25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073, 1.1241088310450404,
     0.4272876194431874, -0.17202221070155493},
    {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044, 15.98066361424651,
     -6.789040303419874, -6.710236069923372},
    {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654, -59.78993625266729,
     -0.15582684282751913, 4.883087185713722}};

/* ---- the pattern of derivatives ----------------------------------------------------------------------------------------- */

/* Of n equations, column j of df/dx has the rows row[first[j]] to row[first[j + 1] - 1]. */
typedef struct {
  uint32_t n;
  const size_t *first;
  const uint32_t *row;
} ff_ode_pattern;

/* A component that is a bit larger, or for the sign -1 less, for the difference of f. */
static FF_HD inline double ff_ode_shifted(double x, double size, int sign) {
  return x + sign * FF_ODE_DIFFERENCE * (size + ff_math_absolute(x));
}

/* A later time. The unit of time is the length of the step that is tried first. */
static FF_HD inline double ff_ode_later(double t, double tried) {
  return t + FF_ODE_DIFFERENCE * (ff_math_absolute(t) + tried);
}

/* Sets the entries of column c from f at two states that differ in it. */
static FF_HD inline void ff_ode_difference(const ff_ode_pattern *j, uint32_t c, const double *start, const double *slope,
                                           const double *at, const double *slope_at, double *entry) {
  const double step = at[c] - start[c];
  for (size_t p = j->first[c]; p < j->first[c + 1]; p++) entry[p] = (slope_at[j->row[p]] - slope[j->row[p]]) / step;
}

/* The same for the columns of group g, no two of which have a row in common. */
static FF_HD inline void ff_ode_differences(const ff_ode_pattern *j, const uint32_t *group, uint32_t g, const double *start,
                                            const double *slope, const double *at, const double *slope_at, double *entry) {
  for (uint32_t c = 0; c < j->n; c++)
    if (group[c] == g) ff_ode_difference(j, c, start, slope, at, slope_at, entry);
}

/* df/dt of a component from f at two times. */
static FF_HD inline double ff_ode_slope_in_time(double t, double later, double slope, double slope_later) {
  return (slope_later - slope) / (later - t);
}

static FF_HD inline void ff_ode_difference_in_time(uint32_t n, double t, double later, const double *slope,
                                                   const double *slope_later, double *in_time) {
  for (uint32_t i = 0; i < n; i++) in_time[i] = ff_ode_slope_in_time(t, later, slope[i], slope_later[i]);
}

/* ---- stages ------------------------------------------------------------------------------------------------------------- */

static FF_HD inline double ff_ode_implicit_sum(const double *weight, int stages, const double *k, uint32_t n) {
  double sum = 0;
  for (int i = 0; i < stages; i++) sum += weight[i] * k[(size_t)i * n];
  return sum;
}

/* 1 / (h gamma). */
static FF_HD inline double ff_ode_implicit_shift(double h) { return 1 / (h * FF_ODE_IMPLICIT_GAMMA); }

/* When stage i is. */
static FF_HD inline double ff_ode_implicit_time(int i, double from, double h) {
  return from + (i < FF_ODE_IMPLICIT_INNER ? ff_ode_implicit_node[i] : 1) * h;
}

/* A component at stage i, where k[0], k[n], ... are its u. The last stages add u to the state of the stage before, which is
 * `at`. */
static FF_HD inline double ff_ode_implicit_at(int i, uint32_t n, double start, double at, const double *k) {
  const double *const weight = ff_ode_implicit_state_weight[i < FF_ODE_IMPLICIT_INNER ? i : FF_ODE_IMPLICIT_INNER];
  if (i > FF_ODE_IMPLICIT_INNER) return at + k[(size_t)(i - 1) * n];
  return start + ff_ode_implicit_sum(weight, i, k, n);
}

/* Sets the state of stage i. */
static FF_HD inline void ff_ode_implicit_state(int i, uint32_t n, const double *start, const double *k, double *at) {
  for (uint32_t s = 0; s < n; s++) at[s] = ff_ode_implicit_at(i, n, start[s], at[s], k + s);
}

/* A component of the right side of (df/dx - shift I) u = y at stage i, where k[i * n] is f. in_time: that of the component, or
 * NULL if f does not depend on the time. */
static FF_HD inline double ff_ode_implicit_side(int i, uint32_t n, double h, const double *in_time, const double *k) {
  double sum = k[(size_t)i * n] + ff_ode_implicit_sum(ff_ode_implicit_stage_weight[i], i, k, n) / h;
  if (i < FF_ODE_IMPLICIT_INNER && in_time != 0) sum += h * ff_ode_implicit_in_time[i] * *in_time;
  return -sum;
}

/* Replaces f at stage i, in k, by the right side, and sets `right` to it. in_time: 0 if f does not depend on the time. */
static FF_HD inline void ff_ode_implicit_right(int i, uint32_t n, double h, const double *in_time, double *k, double *right) {
  for (uint32_t s = 0; s < n; s++)
    k[(size_t)i * n + s] = right[s] = ff_ode_implicit_side(i, n, h, in_time != 0 ? in_time + s : 0, k + s);
}

/* Whether u solves row i of (df/dx - shift I) u = y: `misfit` is the difference of both sides, `terms` the sum of the sizes of
 * what it is made of, `permitted` the least error of the component that the tolerance permits. A part of it may be missed, too:
 * numbers below 2^-1022 have few digits. */
static FF_HD inline int ff_ode_implicit_fits(double misfit, double terms, double shift, double permitted) {
  return ff_math_absolute(misfit) <= FF_ODE_IMPLICIT_MISFIT * (terms + shift * permitted);
}

/* Whether u solves (df/dx - shift I) u = y, but for rounding errors. misfit, terms: room. */
static FF_HD inline int ff_ode_implicit_solves(const ff_ode_pattern *j, const double *entry, double shift, const double *u,
                                               const double *y, const double *permitted, double *misfit, double *terms) {
  for (uint32_t i = 0; i < j->n; i++) {
    misfit[i] = -shift * u[i] - y[i];
    terms[i] = ff_math_absolute(shift * u[i]) + ff_math_absolute(y[i]);
  }
  for (uint32_t c = 0; c < j->n; c++)
    for (size_t p = j->first[c]; p < j->first[c + 1]; p++) {
      const double term = entry[p] * u[c];
      misfit[j->row[p]] += term;
      terms[j->row[p]] += ff_math_absolute(term);
    }
  for (uint32_t i = 0; i < j->n; i++)
    if (!ff_ode_implicit_fits(misfit[i], terms[i], shift, permitted[i])) return 0;
  return 1;
}

/* No mode is faster than the largest sum of a row, where each component is measured by its size. terms: room. */
static FF_HD inline double ff_ode_implicit_fastest(const ff_ode_pattern *j, const double *entry, const double *size,
                                                   double *terms) {
  double most = 0;
  for (uint32_t i = 0; i < j->n; i++) terms[i] = 0;
  for (uint32_t c = 0; c < j->n; c++)
    for (size_t p = j->first[c]; p < j->first[c + 1]; p++) terms[j->row[p]] += ff_math_absolute(entry[p]) * size[c];
  for (uint32_t i = 0; i < j->n; i++) most = ff_ode_larger(most, terms[i] / size[i]);
  return most;
}

/* ---- within a step ------------------------------------------------------------------------------------------------------ */

/* Sets the coefficients c of a component, whose u are k[0], k[n], ...: Steinebach's polynomial x0 + s (by + r (d1 + s (d2 + s
 * d3))), r = 1 - s, in the form of the explicit method. */
static FF_HD inline void ff_ode_implicit_dense(double start, double end, const double *k, uint32_t n, double *c) {
  const double last = ff_ode_implicit_sum(ff_ode_implicit_dense_weight[2], FF_ODE_IMPLICIT_STAGES, k, n);
  c[0] = start;
  c[1] = end - start;
  c[2] = ff_ode_implicit_sum(ff_ode_implicit_dense_weight[0], FF_ODE_IMPLICIT_STAGES, k, n);
  c[3] = ff_ode_implicit_sum(ff_ode_implicit_dense_weight[1], FF_ODE_IMPLICIT_STAGES, k, n) + last;
  c[4] = -last;
}

/* The state of a component in the middle of a step. */
static FF_HD inline double ff_ode_implicit_middle_of(double start, double end, const double *k, uint32_t n) {
  double c[FF_ODE_DENSE];
  ff_ode_implicit_dense(start, end, k, n, c);
  return ff_ode_dense_value(c, 0.5);
}

static FF_HD inline void ff_ode_implicit_middle(uint32_t n, const double *start, const double *end, const double *k, double *at) {
  for (uint32_t s = 0; s < n; s++) at[s] = ff_ode_implicit_middle_of(start[s], end[s], k + s, n);
}

/* By how much the slope of a component's polynomial misses `slope`, that of the equations, in the middle of a step. */
static FF_HD inline double ff_ode_implicit_miss_of(double h, double start, double end, const double *k, uint32_t n,
                                                   double slope) {
  double c[FF_ODE_DENSE];
  ff_ode_implicit_dense(start, end, k, n, c);
  return (c[1] + 0.25 * c[3]) / h - slope; /* the other terms are stationary there */
}

/* Sets the right side of (df/dx - shift I) e = y, where e estimates errors within a step. Where a fast mode is far from where it
 * would rest, as after an event, or where this moves, a long step has the right end, and the error there is no measure of those
 * within it. */
static FF_HD inline void ff_ode_implicit_misses(uint32_t n, double h, const double *start, const double *end, const double *k,
                                                const double *slope, double *y) {
  for (uint32_t s = 0; s < n; s++) y[s] = ff_ode_implicit_miss_of(h, start[s], end[s], k + s, n, slope[s]);
}

/* Where f bends within the tolerance, df/dx tells nothing of what comes: with x / (1e-10 + x) as outflow, a step of any length
 * seemed to leave x near 0, with small errors, while more flowed in than out. So where a component is left behind from where its
 * slope alone leads, the slope is looked at some tolerances farther. If it leads the same way there, the step is too long. Where
 * several are left behind, they also move together, as an outflow that they share may be small enough for one of them alone. */
static FF_HD inline double ff_ode_implicit_far(double tolerance, double size, double at) {
  return FF_ODE_IMPLICIT_FAR * tolerance * (size + ff_math_absolute(at));
}

/* Whether a component is left behind, by more than the tolerance, in a step of length h, from where this slope leads it. */
static FF_HD inline int ff_ode_implicit_stays(double h, double start, double end, double slope, double far) {
  const double moved = slope > 0 ? end - start : start - end, leads = h * ff_math_absolute(slope);
  const double least = leads < far ? leads : far;
  return moved < 0.5 * least && least - moved > far / FF_ODE_IMPLICIT_FAR;
}

static FF_HD inline double ff_ode_implicit_away(double at, double slope, double far) { return slope > 0 ? at + far : at - far; }

/* How fast it gets so far; and where it is once the fastest one is so far. */
static FF_HD inline double ff_ode_implicit_haste(double slope, double far) { return ff_math_absolute(slope) / far; }

static FF_HD inline double ff_ode_implicit_together(double at, double slope, double fastest) { return at + slope / fastest; }

/* Whether it must not stay, with slope `there` so far away. */
static FF_HD inline int ff_ode_implicit_stalls(double h, double start, double end, double slope, double there, double far) {
  const double least = ff_math_absolute(there) < ff_math_absolute(slope) ? there : slope;
  return (slope > 0) == (there > 0) && ff_ode_implicit_stays(h, start, end, least, far);
}

/* The error of a component, from the last u and from e. */
static FF_HD inline double ff_ode_implicit_error(double last, double within) {
  return ff_ode_larger(ff_math_absolute(last), ff_math_absolute(within));
}

#endif
