/* Quick bounds in single precision, which GPUs compute in a fraction of the time of ff_petri_span_math.h. They are a bit wider,
 * so that what they exclude is excluded; where they do not tell, bounds in double precision decide. Part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_SPANS_H
#define FF_PETRI_THREAD_SPANS_H

#define P_WIDER 0x1p-18f /* more than the rounding errors of an operation */
#define P_LEAST 0x1p-120f

typedef struct {
  float low, high;
} p_span;

/* On the device, sums and products are rounded outwards. fminf() leaves out NaN, as 0 times infinity, which stands for 0 here. */
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_FLOAT_LESS(a, b) fminf((a), (b))
#define P_FLOAT_MORE(a, b) fmaxf((a), (b))
#define P_FLOAT_SIZE(a) fabsf(a)
#define P_SUM_BELOW(a, b) __fadd_rd((a), (b))
#define P_SUM_ABOVE(a, b) __fadd_ru((a), (b))
#define P_PRODUCT_BELOW(a, b) __fmul_rd((a), (b))
#define P_PRODUCT_ABOVE(a, b) __fmul_ru((a), (b))
#define P_FLOAT_PART(a, b) __fdividef((a), (b)) /* two units in the last place */
#else
#define P_FLOAT_LESS(a, b) ((a) < (b) || (b) != (b) ? (a) : (b))
#define P_FLOAT_MORE(a, b) ((a) > (b) || (b) != (b) ? (a) : (b))
#define P_FLOAT_SIZE(a) ((a) < 0.0f ? -(a) : (a))
#define P_SUM_BELOW(a, b) p_below((a) + (b))
#define P_SUM_ABOVE(a, b) p_above((a) + (b))
#define P_PRODUCT_BELOW(a, b) p_below((a) * (b))
#define P_PRODUCT_ABOVE(a, b) p_above((a) * (b))
#define P_FLOAT_PART(a, b) ((a) / (b))
#endif

FF_WARP float p_below(float a) { return a - (P_WIDER * P_FLOAT_SIZE(a) + P_LEAST); }
FF_WARP float p_above(float a) { return a + (P_WIDER * P_FLOAT_SIZE(a) + P_LEAST); }

FF_WARP p_span p_span_of(float low, float high) {
  p_span out;
  out.low = p_below(low);
  out.high = p_above(high);
  return out;
}

FF_WARP p_span p_span_new(double x) { return p_span_of((float)x, (float)x); }

/* As ff_petri_span_of_level(). */
FF_WARP p_span p_span_of_level(const double *c, int clips) {
  const float c1 = (float)c[1], c2 = (float)c[2], c3 = (float)c[3], c4 = (float)c[4];
  const float d1 = (c1 + c2) * 0.25f, d2 = c1 * 0.5f + c2 * (1.0f / 3) + (c3 + c4) * (1.0f / 6),
              d3 = c1 * 0.75f + (c2 + c3) * 0.25f;
  const float least = P_FLOAT_LESS(P_FLOAT_LESS(0.0f, d1), P_FLOAT_LESS(P_FLOAT_LESS(d2, d3), c1));
  const float most = P_FLOAT_MORE(P_FLOAT_MORE(0.0f, d1), P_FLOAT_MORE(P_FLOAT_MORE(d2, d3), c1));
  const float rounding = P_WIDER * (P_FLOAT_SIZE(c1) + P_FLOAT_SIZE(c2) + P_FLOAT_SIZE(c3) + P_FLOAT_SIZE(c4));
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
  p_span out;
  out.low = P_SUM_BELOW(a.low, b.low);
  out.high = P_SUM_ABOVE(a.high, b.high);
  return out;
}

FF_WARP p_span p_span_difference(p_span a, p_span b) { return p_span_sum(a, p_span_negative(b)); }

FF_WARP p_span p_span_product(p_span a, p_span b) {
  p_span out;
  out.low = P_FLOAT_LESS(P_FLOAT_LESS(P_PRODUCT_BELOW(a.low, b.low), P_PRODUCT_BELOW(a.low, b.high)),
                         P_FLOAT_LESS(P_PRODUCT_BELOW(a.high, b.low), P_PRODUCT_BELOW(a.high, b.high)));
  out.high = P_FLOAT_MORE(P_FLOAT_MORE(P_PRODUCT_ABOVE(a.low, b.low), P_PRODUCT_ABOVE(a.low, b.high)),
                          P_FLOAT_MORE(P_PRODUCT_ABOVE(a.high, b.low), P_PRODUCT_ABOVE(a.high, b.high)));
  return out;
}

FF_WARP p_span p_span_quotient(p_span a, p_span b) {
  if (!(b.low > 0.0f || b.high < 0.0f)) return p_span_of((float)ff_math_nan(), (float)ff_math_nan());
  return p_span_product(a, p_span_of(P_FLOAT_PART(1.0f, b.high), P_FLOAT_PART(1.0f, b.low)));
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
