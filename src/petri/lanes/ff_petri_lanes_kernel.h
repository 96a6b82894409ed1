/* The inner loops of ff_petri_lanes. The including file compiles them for an instruction set and defines FF_KERNEL(name), the
 * name there. Loops over lanes have a constant length and no branch, so that compilers make vectors of them; each has a function
 * of its own for that. */
#include <math.h>
#include <string.h>

#include "../../model/ff_formula_math.h"
#include "ff_petri_lanes_internal.h"

enum { L = FF_PETRI_LANES };
#define EACH(l) for (int l = 0; l < L; l++)
#define ROW(array, i) ((array) + (size_t)(i) * L)
#if defined(__GNUC__) && !defined(__clang__)
#define APART static __attribute__((noinline))
#else
#define APART static
#endif

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

#define OPERANDS double *out, ff_petri_lanes_operand a, ff_petri_lanes_operand b, uint32_t points
#if defined(__GNUC__) && !defined(__clang__)
#define NO_OVERLAP _Pragma("GCC ivdep") /* but `out` may be an operand */
#else
#define NO_OVERLAP
#endif
#define FOR_EACH_POINT(expression)                                           \
  for (uint32_t p = 0; p < points; p++, out += L, a.row += a.next, b.row += b.next) \
    NO_OVERLAP EACH(l) out[l] = expression

APART void FF_KERNEL(add)(OPERANDS) { FOR_EACH_POINT(a.row[l] + b.row[l]); }
APART void FF_KERNEL(subtract)(OPERANDS) { FOR_EACH_POINT(a.row[l] - b.row[l]); }
APART void FF_KERNEL(multiply)(OPERANDS) { FOR_EACH_POINT(a.row[l] * b.row[l]); }
APART void FF_KERNEL(divide)(OPERANDS) { FOR_EACH_POINT(a.row[l] / b.row[l]); }
APART void FF_KERNEL(negate)(OPERANDS) { FOR_EACH_POINT(-a.row[l]); }
APART void FF_KERNEL(cube)(OPERANDS) { FOR_EACH_POINT(a.row[l] * a.row[l] * a.row[l]); }
APART void FF_KERNEL(fourth)(OPERANDS) { FOR_EACH_POINT((a.row[l] * a.row[l]) * (a.row[l] * a.row[l])); }

/* Powers of positive normal numbers. Returns the largest |y log(x)|; infinity if a number is of another kind. */
APART double FF_KERNEL(powers)(double *restrict out, const double *restrict x, double y) {
  double most = 0, each[L];
  EACH(l) {
    double size;
    const double value = ff_pow_normal(x[l], y, &size);
    out[l] = value;
    each[l] = x[l] >= 0x1p-1022 && x[l] < INFINITY ? size : INFINITY;
  }
  EACH(l) most = each[l] > most ? each[l] : most;
  return most;
}

static void FF_KERNEL(power)(OPERANDS) {
  const double y = b.row[0];
  int same = b.next == 0;
  for (int l = 0; l < L && same; l++) same = b.row[l] == y;
  if (same && (y == 2 || y == 3 || y == 4)) {
    if (y == 2) FF_KERNEL(multiply)(out, a, a, points);
    if (y == 3) FF_KERNEL(cube)(out, a, a, points);
    if (y == 4) FF_KERNEL(fourth)(out, a, a, points);
    return;
  }
  for (uint32_t p = 0; p < points; p++, out += L, a.row += a.next, b.row += b.next) {
    double value[L];
    if (!(same && y != 1 && fabs(y) >= 0x1p-65 && fabs(y) <= 0x1p65 && FF_KERNEL(powers)(value, a.row, y) <= 708))
      EACH(l) value[l] = ff_formula_pow(a.row[l], b.row[l]);
    memcpy(out, value, sizeof value);
  }
}

static void FF_KERNEL(other)(uint32_t code, double *out, const ff_petri_lanes_operand *operand, uint32_t operands,
                             uint32_t points) {
  for (uint32_t p = 0; p < points; p++)
    EACH(l) {
      double x[3] = {0, 0, 0};
      for (uint32_t i = 0; i < operands; i++) x[i] = operand[i].row[p * operand[i].next + (size_t)l];
      out[(size_t)p * L + (size_t)l] = ff_formula_operate(code, x[0], x[1], x[2]);
    }
}

static void FF_KERNEL(operate)(uint32_t code, double *out, const ff_petri_lanes_operand *of, uint32_t points) {
  switch (code) {
    case FF_F_ADD: FF_KERNEL(add)(out, of[0], of[1], points); break;
    case FF_F_SUB: FF_KERNEL(subtract)(out, of[0], of[1], points); break;
    case FF_F_MUL: FF_KERNEL(multiply)(out, of[0], of[1], points); break;
    case FF_F_DIV: FF_KERNEL(divide)(out, of[0], of[1], points); break;
    case FF_F_NEG: FF_KERNEL(negate)(out, of[0], of[0], points); break;
    case FF_F_POW: FF_KERNEL(power)(out, of[0], of[1], points); break;
    default: FF_KERNEL(other)(code, out, of, ff_formula_operands(code), points);
  }
}

/* The value of a formula: a row. */
static const double *FF_KERNEL(formula)(const ff_petri_lanes *x, const ff_formula *formula) {
  ff_petri_lanes_operand *top = x->operand;
  double *out = x->stack;
  for (uint32_t at = 0; at < formula->length; at++, out += L) {
    const ff_formula_word *word = &formula->word[at];
    if (word->code == FF_F_SYMBOL) {
      *top++ = (ff_petri_lanes_operand){ROW(x->row, word->symbol), 0};
      continue;
    }
    const uint32_t operands = ff_formula_operands(word->code);
    top -= operands;
    out -= operands * (size_t)L;
    FF_KERNEL(operate)(word->code, out, top, 1);
    *top++ = (ff_petri_lanes_operand){out, 0};
  }
  return top[-1].row;
}

/* An operand at FF_PETRI_POINTS points of a step. */
static ff_petri_lanes_operand FF_KERNEL(operand)(const ff_petri_lanes *x, const ff_petri_lanes_words *words, uint32_t i) {
  if (i >= FF_PETRI_WORD) return (ff_petri_lanes_operand){ROW(words->value, FF_PETRI_POINTS * (i - FF_PETRI_WORD)), L};
  if (i < x->n_levels) return (ff_petri_lanes_operand){ROW(x->point, FF_PETRI_POINTS * i), L};
  return (ff_petri_lanes_operand){ROW(x->row, i), 0};
}

static void FF_KERNEL(words)(const ff_petri_lanes *x, const ff_petri_lanes_words *words) {
  for (uint32_t k = 0; k < words->n; k++) {
    const ff_petri_lanes_word *word = &words->word[k];
    ff_petri_lanes_operand of[3];
    for (uint32_t i = 0; i < ff_formula_operands(word->code); i++) of[i] = FF_KERNEL(operand)(x, words, word->operand[i]);
    FF_KERNEL(operate)(word->code, ROW(words->value, FF_PETRI_POINTS * k), of, FF_PETRI_POINTS);
  }
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

APART void FF_KERNEL(fill)(double *restrict a, double b) { EACH(l) a[l] = b; }
APART void FF_KERNEL(times)(double *restrict a, double by, const double *restrict b) { EACH(l) a[l] = by * b[l]; }
APART void FF_KERNEL(add_times)(double *restrict a, double by, const double *restrict b) { EACH(l) a[l] += by * b[l]; }
APART void FF_KERNEL(add_product)(double *restrict a, const double *restrict b, const double *restrict c) {
  EACH(l) a[l] += b[l] * c[l];
}

/* The value of a term: a row, which may be `room`. */
static const double *FF_KERNEL(term)(const ff_petri_lanes *x, const ff_petri_lanes_term *term, double *room) {
  switch (term->simple) {
    case FF_PETRI_SYMBOL: return ROW(x->row, term->symbol);
    case FF_PETRI_NUMBER: FF_KERNEL(fill)(room, term->number); return room;
    case FF_PETRI_MULTIPLE: FF_KERNEL(times)(room, term->number, ROW(x->row, term->symbol)); return room;
    default: return FF_KERNEL(formula)(x, &term->formula);
  }
}

/* ---- flows -------------------------------------------------------------------------------------------------------------- */

/* A rate that is not finite makes a slope that is not. */
APART void FF_KERNEL(find_bad)(double *restrict bad, const double *restrict slope) {
  EACH(l) bad[l] = fabs(slope[l]) < INFINITY ? bad[l] : 1;
}

APART void FF_KERNEL(times_of)(double *restrict out, const double *restrict zero, const double *restrict from,
                               const double *restrict h, double node) {
  EACH(l) out[l] = zero[l] + (from[l] + node * h[l]);
}

/* The slopes of levels for the rows, at a stage. */
static void FF_KERNEL(slopes)(ff_petri_lanes *x, int stage, double *out) {
  if (x->time_row != FF_PETRI_NO_ROW)
    FF_KERNEL(times_of)(ROW(x->row, x->time_row), x->zero, x->from, x->h, ff_ode_explicit_node(stage));
  for (uint32_t g = 0; g < x->n_given; g++) {
    const int row = stage == 0 ? 0 : (stage < FF_PETRI_GIVEN_STAGES ? stage : FF_PETRI_GIVEN_STAGES) - 1;
    const uint32_t at = g * FF_PETRI_GIVEN_STAGES + (uint32_t)row;
    memcpy(ROW(x->row, x->n_levels + g), ROW(x->given, at), L * sizeof *x->given);
  }
  for (uint32_t k = 0; k < x->n_variables; k++) {
    const double *value = FF_KERNEL(term)(x, &x->variable[k].value, x->rate);
    memcpy(ROW(x->row, x->variable[k].row), value, L * sizeof *value);
  }
  memset(out, 0, (size_t)x->n_levels * L * sizeof *out);
  for (uint32_t k = 0; k < x->n_multiples; k++)
    FF_KERNEL(add_times)(ROW(out, x->multiple[k].level), x->multiple[k].by, ROW(x->row, x->multiple[k].row));
  for (uint32_t f = 0; f < x->n_flows; f++) {
    const double *rate = FF_KERNEL(term)(x, &x->flow[f].rate, x->rate);
    for (uint32_t k = x->flow[f].first; k < x->flow[f].end; k++) {
      const ff_petri_lanes_arc *arc = &x->arc[k];
      if (arc->weight == NULL) {
        FF_KERNEL(add_times)(ROW(out, arc->level), arc->by, rate);
        continue;
      }
      if (rate == x->stack) rate = memcpy(x->rate, rate, L * sizeof *rate); /* weights need the stack */
      FF_KERNEL(add_product)(ROW(out, arc->level), FF_KERNEL(term)(x, arc->weight, x->factor), rate);
    }
  }
  for (uint32_t i = 0; i < x->n_levels; i++) FF_KERNEL(find_bad)(x->bad, ROW(out, i));
}

/* ---- a step ------------------------------------------------------------------------------------------------------------- */

APART void FF_KERNEL(stage_1)(double *restrict out, const double *restrict x, const double *restrict h,
                              const double *restrict k0) {
  EACH(l) out[l] = ff_ode_explicit_1(x[l], h[l], k0[l]);
}
APART void FF_KERNEL(stage_2)(double *restrict out, const double *restrict x, const double *restrict h,
                              const double *restrict k0, const double *restrict k1) {
  EACH(l) out[l] = ff_ode_explicit_2(x[l], h[l], k0[l], k1[l]);
}
APART void FF_KERNEL(stage_3)(double *restrict out, const double *restrict x, const double *restrict h,
                              const double *restrict k0, const double *restrict k1, const double *restrict k2) {
  EACH(l) out[l] = ff_ode_explicit_3(x[l], h[l], k0[l], k1[l], k2[l]);
}
APART void FF_KERNEL(stage_4)(double *restrict out, const double *restrict x, const double *restrict h,
                              const double *restrict k0, const double *restrict k1, const double *restrict k2,
                              const double *restrict k3) {
  EACH(l) out[l] = ff_ode_explicit_4(x[l], h[l], k0[l], k1[l], k2[l], k3[l]);
}
APART void FF_KERNEL(stage_5)(double *restrict out, const double *restrict x, const double *restrict h,
                              const double *restrict k0, const double *restrict k1, const double *restrict k2,
                              const double *restrict k3, const double *restrict k4) {
  EACH(l) out[l] = ff_ode_explicit_5(x[l], h[l], k0[l], k1[l], k2[l], k3[l], k4[l]);
}
APART void FF_KERNEL(stage_6)(double *restrict out, const double *restrict x, const double *restrict h,
                              const double *restrict k0, const double *restrict k2, const double *restrict k3,
                              const double *restrict k4, const double *restrict k5) {
  EACH(l) out[l] = ff_ode_explicit_6(x[l], h[l], k0[l], k2[l], k3[l], k4[l], k5[l]);
}

APART void FF_KERNEL(errors)(double *restrict out, const double *restrict h, const double *restrict k0, const double *restrict k1,
                             const double *restrict k2, const double *restrict k3, const double *restrict k4,
                             const double *restrict k5, const double *restrict k6) {
  EACH(l) {
    const double k[FF_ODE_EXPLICIT_STAGES] = {k0[l], k1[l], k2[l], k3[l], k4[l], k5[l], k6[l]};
    out[l] = ff_ode_explicit_error(h[l], k);
  }
}

/* The largest errors, as parts of what the tolerance permits: see error_of() of ode/ff_ode.c. */
APART void FF_KERNEL(worst)(double *restrict worst, const double *restrict error, const double *restrict start,
                            const double *restrict end, double tolerance, double size) {
  EACH(l) {
    const double a = fabs(start[l]), b = fabs(end[l]), most = tolerance * (size + (a > b ? a : b));
    const double found = error[l] / most, part = found < INFINITY ? found : INFINITY;
    worst[l] = worst[l] > part ? worst[l] : part;
  }
}

/* The parts of ff_ode_explicit_speed(). */
APART void FF_KERNEL(speeds)(double *restrict by, double *restrict apart, const double *restrict k5, const double *restrict k6,
                             const double *restrict at, const double *restrict end, double size) {
  EACH(l) {
    const double whole = size + fabs(end[l]), a = fabs(k6[l] - k5[l]) / whole, b = fabs(end[l] - at[l]) / whole;
    by[l] = by[l] > a ? by[l] : a;
    apart[l] = apart[l] > b ? apart[l] : b;
  }
}

APART void FF_KERNEL(quotients)(double *restrict by, const double *restrict apart) {
  EACH(l) by[l] = apart[l] > 0 ? by[l] / apart[l] : 0;
}

APART void FF_KERNEL(curve)(double *restrict out, const double *restrict h, const double *restrict start,
                            const double *restrict end, const double *restrict k0, const double *restrict k1,
                            const double *restrict k2, const double *restrict k3, const double *restrict k4,
                            const double *restrict k5, const double *restrict k6) {
  EACH(l) {
    const double k[FF_ODE_EXPLICIT_STAGES] = {k0[l], k1[l], k2[l], k3[l], k4[l], k5[l], k6[l]};
    double c[FF_ODE_DENSE];
    ff_ode_explicit_dense(h[l], start[l], end[l], k, c);
    out[l] = c[0];
    out[L + l] = c[1];
    out[2 * L + l] = c[2];
    out[3 * L + l] = c[3];
    out[4 * L + l] = c[4];
  }
}

static void FF_KERNEL(first_slopes)(ff_petri_lanes *x) {
  FF_KERNEL(fill)(x->bad, 0);
  FF_KERNEL(slopes)(x, 0, x->k[0]);
}

static void FF_KERNEL(attempt)(ff_petri_lanes *x) {
  double *const *k = x->k;
  const double *h = x->h;
  const uint32_t n = x->n_levels;
  FF_KERNEL(fill)(x->bad, 0);
  for (uint32_t i = 0; i < n; i++) FF_KERNEL(stage_1)(ROW(x->row, i), ROW(x->start, i), h, ROW(k[0], i));
  FF_KERNEL(slopes)(x, 1, k[1]);
  for (uint32_t i = 0; i < n; i++) FF_KERNEL(stage_2)(ROW(x->row, i), ROW(x->start, i), h, ROW(k[0], i), ROW(k[1], i));
  FF_KERNEL(slopes)(x, 2, k[2]);
  for (uint32_t i = 0; i < n; i++)
    FF_KERNEL(stage_3)(ROW(x->row, i), ROW(x->start, i), h, ROW(k[0], i), ROW(k[1], i), ROW(k[2], i));
  FF_KERNEL(slopes)(x, 3, k[3]);
  for (uint32_t i = 0; i < n; i++)
    FF_KERNEL(stage_4)(ROW(x->row, i), ROW(x->start, i), h, ROW(k[0], i), ROW(k[1], i), ROW(k[2], i), ROW(k[3], i));
  FF_KERNEL(slopes)(x, 4, k[4]);
  for (uint32_t i = 0; i < n; i++)
    FF_KERNEL(stage_5)(ROW(x->row, i), ROW(x->start, i), h, ROW(k[0], i), ROW(k[1], i), ROW(k[2], i), ROW(k[3], i), ROW(k[4], i));
  memcpy(x->at, x->row, (size_t)n * L * sizeof *x->at);
  FF_KERNEL(slopes)(x, 5, k[5]);
  for (uint32_t i = 0; i < n; i++)
    FF_KERNEL(stage_6)(ROW(x->row, i), ROW(x->start, i), h, ROW(k[0], i), ROW(k[2], i), ROW(k[3], i), ROW(k[4], i), ROW(k[5], i));
  memcpy(x->end, x->row, (size_t)n * L * sizeof *x->end);
  FF_KERNEL(slopes)(x, 6, k[6]);
  FF_KERNEL(fill)(x->worst, 0);
  for (uint32_t i = 0; i < n; i++) {
    FF_KERNEL(errors)(ROW(x->error, i), h, ROW(k[0], i), ROW(k[1], i), ROW(k[2], i), ROW(k[3], i), ROW(k[4], i), ROW(k[5], i),
                      ROW(k[6], i));
    FF_KERNEL(curve)(ROW(x->dense, FF_ODE_DENSE * i), h, ROW(x->start, i), ROW(x->end, i), ROW(k[0], i), ROW(k[1], i),
                     ROW(k[2], i), ROW(k[3], i), ROW(k[4], i), ROW(k[5], i), ROW(k[6], i));
    FF_KERNEL(worst)(x->worst, ROW(x->error, i), ROW(x->start, i), ROW(x->end, i), x->program->options.relative, x->size);
  }
  if (x->program->options.integrator != FF_PETRI_AUTO) return;
  FF_KERNEL(fill)(x->speed, 0);
  FF_KERNEL(fill)(x->factor, 0);
  for (uint32_t i = 0; i < n; i++)
    FF_KERNEL(speeds)(x->speed, x->factor, ROW(k[5], i), ROW(k[6], i), ROW(x->at, i), ROW(x->end, i), x->size);
  FF_KERNEL(quotients)(x->speed, x->factor);
}

/* ---- profiles ----------------------------------------------------------------------------------------------------------- */

/* A level at a part of the step, where levels below 0 count as 0. */
APART void FF_KERNEL(level)(double *restrict out, const double *restrict curve, double part) {
  EACH(l) {
    const double c[FF_ODE_DENSE] = {curve[l], curve[L + l], curve[2 * L + l], curve[3 * L + l], curve[4 * L + l]};
    const double level = ff_ode_dense_value(c, part);
    out[l] = level < 0 ? 0 : level;
  }
}

/* What ff_petri_try() tells, in parts that compilers make vectors of. */
APART void FF_KERNEL(integrals)(double *restrict out, const double *restrict f) {
  EACH(l) {
    const double at[FF_PETRI_NODES] = {f[l], f[L + l], f[2 * L + l], f[3 * L + l], f[4 * L + l]};
    double c[FF_PETRI_DEGREE], rate;
    ff_petri_integral(at, c);
    out[l] = c[0];
    out[L + l] = c[1];
    out[2 * L + l] = c[2];
    out[3 * L + l] = c[3];
    out[4 * L + l] = c[4];
    out[5 * L + l] = ff_petri_integral_at(c, 1, &rate);
  }
}

APART void FF_KERNEL(integral_errors)(double *restrict error, const double *restrict c, const double *restrict f) {
  EACH(l) {
    const double of[FF_PETRI_DEGREE] = {c[l], c[L + l], c[2 * L + l], c[3 * L + l], c[4 * L + l]};
    const double at[FF_PETRI_POINTS] = {0, 0, 0, 0, 0, f[5 * L + l], f[6 * L + l]};
    error[l] = ff_petri_integral_error(at, of);
  }
}

APART void FF_KERNEL(limit)(double *restrict low, double *restrict high, double *restrict finite, const double *restrict f) {
  EACH(l) {
    low[l] = f[l] < low[l] ? f[l] : low[l];
    high[l] = f[l] > high[l] ? f[l] : high[l];
    finite[l] += f[l] - f[l];
  }
}

/* The least and the largest of n values; NaN for the least if one is not finite. */
static void FF_KERNEL(limits)(double *restrict low, double *restrict high, const double *restrict f, uint32_t n) {
  double finite[L];
  EACH(l) {
    low[l] = high[l] = f[l];
    finite[l] = f[l] - f[l];
  }
  for (uint32_t i = 1; i < n; i++) FF_KERNEL(limit)(low, high, finite, ROW(f, i));
  EACH(l) low[l] += finite[l];
}

/* The values of a profile at all points, in rows one after the other. */
static const double *FF_KERNEL(points_of)(const ff_petri_lanes *x, uint32_t operand) {
  const ff_petri_lanes_operand value = FF_KERNEL(operand)(x, &x->profiles, operand);
  for (int p = 0; value.next == 0 && p < FF_PETRI_POINTS; p++) memcpy(ROW(x->stack, p), value.row, L * sizeof *value.row);
  return value.next == 0 ? x->stack : value.row;
}

/* ---- quick bounds: rows of the least values, and then of the largest ------------------------------------------------------- */

/* Of a level; and where it counts as 0 below. */
APART void FF_KERNEL(span_of_level)(double *restrict out, double *restrict clipped, const double *restrict curve) {
  EACH(l) {
    const double c[FF_ODE_DENSE] = {curve[l], curve[L + l], curve[2 * L + l], curve[3 * L + l], curve[4 * L + l]};
    const ff_petri_span x = ff_petri_span_of_level(c, 0);
    out[l] = x.low;
    out[L + l] = x.high;
    clipped[l] = x.low < 0 ? 0 : x.low;
    clipped[L + l] = x.high < 0 ? 0 : x.high;
  }
}

#define SPANS double *out, const double *a, const double *b
#define SPAN_OF(operation)                                                                                                    \
  NO_OVERLAP EACH(l) {                                                                                                        \
    const ff_petri_span x = operation(ff_petri_span_new(a[l], a[L + l]), ff_petri_span_new(b[l], b[L + l]));                  \
    out[l] = x.low;                                                                                                           \
    out[L + l] = x.high;                                                                                                      \
  }

APART void FF_KERNEL(span_sum)(SPANS) { SPAN_OF(ff_petri_span_sum) }
APART void FF_KERNEL(span_difference)(SPANS) { SPAN_OF(ff_petri_span_difference) }
APART void FF_KERNEL(span_product)(SPANS) { SPAN_OF(ff_petri_span_product) }
APART void FF_KERNEL(span_quotient)(SPANS) { SPAN_OF(ff_petri_span_quotient) }

/* A number that is an exponent is a row with the same number in all lanes. */
static void FF_KERNEL(span_power)(double *out, const double *of, const double *y) {
  double low[L], high[L];
  const ff_petri_lanes_operand exponent = {y, 0};
  FF_KERNEL(power)(low, (ff_petri_lanes_operand){of, 0}, exponent, 1);
  FF_KERNEL(power)(high, (ff_petri_lanes_operand){of + L, 0}, exponent, 1);
  EACH(l) {
    const ff_petri_span span = ff_petri_span_power(y[l], of[l], low[l], high[l]);
    out[l] = span.low;
    out[L + l] = span.high;
  }
}

static void FF_KERNEL(span_negative)(double *out, const double *of) {
  EACH(l) {
    out[l] = -of[L + l];
    out[L + l] = -of[l];
  }
}

/* Bounds of an operand: two rows, which may be `room`. */
static const double *FF_KERNEL(span_of)(const ff_petri_lanes *x, const ff_petri_lanes_words *words, uint32_t i,
                                        const double *level, double *room) {
  if (i >= FF_PETRI_WORD) return ROW(words->span, 2 * (i - FF_PETRI_WORD));
  if (i < x->n_levels) return ROW(level, 2 * i);
  memcpy(room, ROW(x->row, i), L * sizeof *room);
  memcpy(room + L, ROW(x->row, i), L * sizeof *room);
  return room;
}

static void FF_KERNEL(spans)(const ff_petri_lanes *x, const ff_petri_lanes_words *words, const double *level) {
  for (uint32_t k = 0; k < words->n; k++) {
    const ff_petri_lanes_word *word = &words->word[k];
    if (!word->quick) continue;
    double *out = ROW(words->span, 2 * k);
    const double *a = FF_KERNEL(span_of)(x, words, word->operand[0], level, x->spans);
    const double *b = ff_formula_operands(word->code) > 1
                          ? FF_KERNEL(span_of)(x, words, word->operand[1], level, ROW(x->spans, 2)) : NULL;
    switch (word->code) {
      case FF_F_ADD: FF_KERNEL(span_sum)(out, a, b); break;
      case FF_F_SUB: FF_KERNEL(span_difference)(out, a, b); break;
      case FF_F_MUL: FF_KERNEL(span_product)(out, a, b); break;
      case FF_F_DIV: FF_KERNEL(span_quotient)(out, a, b); break;
      case FF_F_POW: FF_KERNEL(span_power)(out, a, b); break;
      default: FF_KERNEL(span_negative)(out, a);
    }
  }
}

/* By how much a rate may differ, less what lengths of steps are rounded by: see slack_of() of path/ff_petri_peak.c. */
APART void FF_KERNEL(least_slack)(double *restrict slack, const double *restrict end, const double *restrict h, double by,
                                  double tolerance, double size) {
  EACH(l) {
    const double most = tolerance * (size + fabs(end[l])) / (by * h[l]) * (1 - 1e-9);
    slack[l] = most < slack[l] ? most : slack[l];
  }
}

APART void FF_KERNEL(keep_plain)(double *restrict plain, const double *restrict span, const double *restrict slack) {
  EACH(l) {
    const double low = span[l], high = span[L + l], size = fabs(low) < fabs(high) ? fabs(low) : fabs(high);
    plain[l] = high - low <= size / 8 * (1 - 1e-9) + slack[l] ? plain[l] : 0;
  }
}

/* Whether bounds of all rates that may have narrow peaks are near to each other. */
static void FF_KERNEL(look_at_rates)(ff_petri_lanes *x) {
  FF_KERNEL(fill)(x->plain, 1);
  FF_KERNEL(spans)(x, &x->rates, x->wide);
  for (uint32_t k = 0; k < x->n_narrow; k++) {
    const ff_petri_lanes_flow *flow = &x->flow[x->narrow[k].flow];
    FF_KERNEL(fill)(x->slack, INFINITY);
    for (uint32_t a = flow->first; a < flow->end; a++) {
      const double by = x->arc[a].weight != NULL ? 1 : fabs(x->arc[a].by);
      if (by > 0)
        FF_KERNEL(least_slack)(x->slack, ROW(x->end, x->arc[a].level), x->h, by, x->program->options.relative, x->size);
    }
    FF_KERNEL(keep_plain)(x->plain, FF_KERNEL(span_of)(x, &x->rates, x->narrow[k].value, x->wide, x->spans), x->slack);
  }
}

static void FF_KERNEL(profiles)(ff_petri_lanes *x) {
  for (uint32_t i = 0; i < x->n_levels && (x->n_narrow > 0 || x->n_profiles > 0); i++)
    FF_KERNEL(span_of_level)(ROW(x->wide, 2 * i), ROW(x->span, 2 * i), ROW(x->dense, FF_ODE_DENSE * i));
  if (x->looks_at_rates) FF_KERNEL(look_at_rates)(x);
  for (uint32_t i = 0; i < x->n_levels; i++)
    for (int p = 0; x->is_shown[i] && p < FF_PETRI_POINTS; p++)
      FF_KERNEL(level)(ROW(x->point, FF_PETRI_POINTS * i + (uint32_t)p), ROW(x->dense, FF_ODE_DENSE * i), ff_petri_node(p));
  FF_KERNEL(words)(x, &x->profiles);
  FF_KERNEL(spans)(x, &x->profiles, x->span);
  for (uint32_t k = 0; k < x->n_profiles; k++) {
    const ff_petri_lanes_profile *profile = &x->profile[k];
    const double *f = FF_KERNEL(points_of)(x, profile->value);
    double *tried = ROW(x->tried, FF_PETRI_TRIED * k);
    FF_KERNEL(integrals)(tried, f);
    FF_KERNEL(fill)(ROW(tried, 6), 0);
    if (!profile->affine) FF_KERNEL(integral_errors)(ROW(tried, 6), tried, f);
    FF_KERNEL(limits)(ROW(tried, 7), ROW(tried, 8), f, profile->affine ? FF_PETRI_NODES : FF_PETRI_POINTS);
    FF_KERNEL(fill)(ROW(tried, 9), NAN);
    FF_KERNEL(fill)(ROW(tried, 10), NAN);
    if (profile->quick)
      memcpy(ROW(tried, 9), FF_KERNEL(span_of)(x, &x->profiles, profile->value, x->span, x->spans), 2 * L * sizeof *tried);
  }
}

const ff_petri_lanes_kernel FF_KERNEL(all) = {FF_KERNEL(attempt), FF_KERNEL(first_slopes), FF_KERNEL(profiles)};
