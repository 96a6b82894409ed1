/* Quick bounds in single precision, which GPUs compute in a fraction of the time of ff_petri_span_math.h. They are a bit wider,
 * so that what they exclude is excluded; where they do not tell, bounds in double precision decide. Part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_SPANS_H
#define FF_PETRI_THREAD_SPANS_H

#define P_WIDER 0x1p-18f /* more than the rounding errors of an operation */
#define P_LEAST 0x1p-120f

typedef struct {
  float low, high;
} p_span;

FF_WARP float p_float_less(float a, float b) { return a < b ? a : b; }
FF_WARP float p_float_more(float a, float b) { return a > b ? a : b; }
FF_WARP float p_float_size(float a) { return a < 0.0f ? -a : a; }

FF_WARP p_span p_span_of(float low, float high) {
  p_span out;
  out.low = low - (P_WIDER * p_float_size(low) + P_LEAST);
  out.high = high + (P_WIDER * p_float_size(high) + P_LEAST);
  return out;
}

FF_WARP p_span p_span_new(double x) { return p_span_of((float)x, (float)x); }

/* As ff_petri_span_of_level(). */
FF_WARP p_span p_span_of_level(const double *c, int clips) {
  const float c1 = (float)c[1], c2 = (float)c[2], c3 = (float)c[3], c4 = (float)c[4];
  const float d1 = (c1 + c2) * 0.25f, d2 = c1 * 0.5f + c2 * (1.0f / 3) + (c3 + c4) * (1.0f / 6),
              d3 = c1 * 0.75f + (c2 + c3) * 0.25f;
  const float least = p_float_less(p_float_less(0.0f, d1), p_float_less(p_float_less(d2, d3), c1));
  const float most = p_float_more(p_float_more(0.0f, d1), p_float_more(p_float_more(d2, d3), c1));
  const float rounding = P_WIDER * (p_float_size(c1) + p_float_size(c2) + p_float_size(c3) + p_float_size(c4));
  const p_span x = p_span_of((float)c[0] + least - rounding, (float)c[0] + most + rounding);
  p_span out;
  out.low = clips && x.low < 0.0f ? 0.0f : x.low;
  out.high = clips && x.high < 0.0f ? 0.0f : x.high;
  return out;
}

FF_WARP p_span p_span_negative(p_span a) {
  p_span out;
  out.low = -a.high;
  out.high = -a.low;
  return out;
}

FF_WARP p_span p_span_sum(p_span a, p_span b) {
  const float size = P_WIDER * (p_float_size(a.low) + p_float_size(a.high) + p_float_size(b.low) + p_float_size(b.high));
  return p_span_of(a.low + b.low - size, a.high + b.high + size);
}

FF_WARP p_span p_span_difference(p_span a, p_span b) { return p_span_sum(a, p_span_negative(b)); }

FF_WARP p_span p_span_of_corners(float a, float b, float c, float d) {
  return p_span_of(p_float_less(p_float_less(a, b), p_float_less(c, d)), p_float_more(p_float_more(a, b), p_float_more(c, d)));
}

FF_WARP p_span p_span_product(p_span a, p_span b) {
  return p_span_of_corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

FF_WARP p_span p_span_quotient(p_span a, p_span b) {
  if (!(b.low > 0.0f || b.high < 0.0f)) return p_span_of((float)ff_math_nan(), (float)ff_math_nan());
  const float low = 1.0f / b.low, high = 1.0f / b.high;
  return p_span_of_corners(a.low * low, a.low * high, a.high * low, a.high * high);
}

/* A power whose exponent is a number. */
FF_WARP p_span p_span_power(p_span a, double y) {
  const float low = a.low < 0.0f ? 0.0f : a.low;
  const double x = ff_formula_pow((double)low, y), z = ff_formula_pow((double)a.high, y);
  if (a.low < -0x1p-30f * a.high) return p_span_of((float)ff_math_nan(), (float)ff_math_nan());
  return p_span_of((float)(y < 0 ? z : x), (float)(y < 0 ? x : z));
}

/* Whether bounds are known and not far from computed values: as ff_petri_span_is_near(). */
FF_WARP int p_span_is_near(p_span x, double low, double high, double slack) {
  return ff_petri_span_is_near(ff_petri_span_new((double)x.low, (double)x.high), low, high, slack);
}

#endif
