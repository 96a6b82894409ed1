/* Flows in generated code. */
#include "ff_petri_code_internal.h"

#include <stdlib.h>

/* A rate that is mended if it is not finite: variable m<flow>. */
static void write_mended(ff_petri_coder *g, const ff_petri_law *law, uint32_t i, uint32_t flow, uint32_t rate) {
  ff_write(&g->out, "  const double m%u = p_mended_rate(t, %uu, time, y, f%u, 0u", flow, flow, rate);
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    if (effect->formula.formula.length > 0) continue;
    ff_write(&g->out, " | (uint32_t)(");
    ff_petri_code_number_at(g, &effect->by);
    ff_write(&g->out, " < 0) << %u", ff_petri_value_of(law, effect->row, i));
  }
  ff_write(&g->out, ", &fine);\n");
}

/* What a flow adds to slopes. begun: of each level, whether its sum has begun. */
static void write_flow(ff_petri_coder *g, const ff_petri_law *law, uint32_t i, uint32_t number, int mends, uint8_t *begun) {
  const uint32_t rate = ff_petri_code_term(g, law, &law->rate, i);
  if (mends) write_mended(g, law, i, number, rate);
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    const uint32_t level = ff_petri_value_of(law, effect->row, i);
    const int varies = effect->formula.formula.length > 0;
    const uint32_t by = varies ? ff_petri_code_term(g, law, &effect->formula, i) : 0;
    ff_write(&g->out, begun[level] ? "  o%u += " : "  o%u = ", level); /* 0 + x differs from x in the sign of a 0 only */
    begun[level] = 1;
    if (varies)
      ff_write(&g->out, "f%u", by);
    else
      ff_petri_code_number_at(g, &effect->by);
    ff_write(&g->out, mends ? " * m%u;\n" : " * f%u;\n", mends ? number : rate);
  }
}

static const char *head_of_slopes(const ff_petri_coder *g, int mends) {
  if (mends) return "FF_WARP int p_mended_slopes(const p_thread *t, double time, const double *y, double *out)";
  return g->is_block ? "FF_WARP void p_own_slopes(const p_thread *t, const double *by, double time, const double *y, double *out)"
                     : "FF_WARP void p_slopes(const p_thread *t, double time, const double *y, double *out)";
}

/* As ff_petri_free_slopes(): the same sums in the same order. In a block, multiples of values come first. With `mends`, as
 * mend_rate() of petri/path/. */
static void write_slopes(ff_petri_coder *g, int mends) {
  const ff_petri_program *p = g->p;
  const int lone = g->is_block;
  uint32_t number = 0;
  const uint32_t *flow = lone ? p->single : p->flow, n_flows = lone ? p->n_singles : p->n_flows;
  ff_petri_code_begin(g, head_of_slopes(g, mends), 0);
  uint8_t *begun = ff_calloc(p->n_levels, 1);
  if (begun == NULL) {
    if (g->out.status == FF_OK) g->out.status = ff_error_set(g->out.err, FF_EMEMORY, "no memory for code");
    return;
  }
  if (mends) ff_write(&g->out, "  int fine = 1;\n");
  for (uint32_t i = 0; i < p->n_levels; i++) {
    if (lone)
      ff_write(&g->out, "  double o%u = out[%u];\n", i, i);
    else
      ff_write(&g->out, "  double o%u = 0;\n", i);
    begun[i] = (uint8_t)lone;
  }
  for (uint32_t i = 0, n = 0; i < p->n_levels && lone; i++)
    for (size_t k = p->linear_first[i]; k < p->linear_first[i + 1]; k++) {
      if (ff_petri_is_given_value(p, p->linear_value[k])) continue;
      ff_petri_code_declare(g, p->linear_value[k]);
      ff_write(&g->out, "  o%u += by[%u] * x%u;\n", i, n++, g->name[p->linear_value[k]]);
    }
  for (uint32_t f = 0; f < n_flows; f++) {
    const ff_petri_law *law = &p->law[flow[f]];
    for (uint32_t i = 0; i < law->n; i++) write_flow(g, law, i, number++, mends, begun);
  }
  for (uint32_t i = 0; i < p->n_levels; i++) ff_write(&g->out, "  out[%u] = o%u;\n", i, i);
  ff_write(&g->out, "  (void)t;\n%s  (void)time;\n  (void)y;\n  (void)out;\n%s}\n\n", lone ? "  (void)by;\n" : "",
           mends ? "  return fine;\n" : "");
  free(begun);
}

static void write_flow_rates(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  uint32_t number = 0;
  ff_write(&g->out, "P_APART double p_flow_rate(p_thread own, uint32_t f, double time, const double *y) {\n"
                    "  const p_thread *const t = &own;\n  (void)t;\n  (void)time;\n  (void)y;\n");
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    for (uint32_t i = 0; i < law->n; i++) {
      ff_write(&g->out, "  if (f == %uu)", number++);
      ff_petri_code_begin(g, "", 0);
      ff_write(&g->out, "  return f%u;\n}\n", ff_petri_code_term(g, law, &law->rate, i));
    }
  }
  ff_write(&g->out, "  return 0;\n}\n\n");
}

/* ---- flows that may have narrow peaks ----------------------------------------------------------------------------------- */

static void write_rates(ff_petri_coder *g) {
  ff_petri_code_begin(g, "FF_WARP double p_rate(const p_thread *t, uint32_t f, const double *y)", 0);
  ff_write(&g->out, "  double rate = 0;\n");
  for (uint32_t k = 0; k < g->n_narrow; k++) {
    const ff_petri_code_narrow *x = &g->narrow[k];
    if (!x->quick) continue;
    const uint32_t f = ff_petri_code_term(g, x->law, &x->law->rate, x->i);
    ff_write(&g->out, "  rate = f == %uu ? f%u : rate;\n", k, f);
  }
  ff_write(&g->out, "  (void)t;\n  (void)f;\n  (void)y;\n  return rate;\n}\n\n");
}

static void write_spans(ff_petri_coder *g) {
  ff_petri_code_begin(g, "FF_WARP p_span p_rate_span(const p_thread *t, uint32_t f, const p_span *span)", 0);
  ff_write(&g->out, "  p_span out = p_span_new(0);\n");
  for (uint32_t k = 0; k < g->n_narrow; k++) {
    const ff_petri_code_narrow *x = &g->narrow[k];
    uint32_t *of;
    if (!x->quick || g->out.status != FF_OK) continue;
    g->out.status = ff_petri_code_symbols(&of, g, x->law, &x->law->rate, x->i, g->out.err);
    if (g->out.status != FF_OK) return;
    const uint32_t s = ff_petri_code_span(g, &x->law->rate.formula, of);
    ff_write(&g->out, "  out = f == %uu ? s%u : out;\n", k, s);
    free(of);
  }
  ff_write(&g->out, "  (void)t;\n  (void)f;\n  (void)span;\n  return out;\n}\n\n");
}

/* The size of what a flow changes a level by. */
static void write_size(ff_petri_coder *g, const double *by) {
  if (ff_petri_code_datum_of(g, by) == FF_PETRI_CODE_NO_DATA) {
    ff_petri_code_number(g, *by < 0 ? -*by : *by);
  } else {
    ff_write(&g->out, "ff_math_absolute(");
    ff_petri_code_number_at(g, by);
    ff_write(&g->out, ")");
  }
}

/* As slack_of() of petri/path/ff_petri_peak.c. */
static void write_slacks(ff_petri_coder *g) {
  ff_petri_code_begin(g, "FF_WARP double p_rate_slack(const p_thread *t, uint32_t f, const double *y, double length)", 0);
  ff_write(&g->out, "  double slack = P_INFINITY, most;\n");
  for (uint32_t k = 0; k < g->n_narrow; k++) {
    const ff_petri_law *law = g->narrow[k].law;
    ff_write(&g->out, "  if (f == %uu) {\n", k);
    for (uint32_t c = 0; c < law->n_effects; c++) {
      const ff_petri_effect *effect = &law->effect[c];
      const uint32_t level = ff_petri_value_of(law, effect->row, g->narrow[k].i);
      static const double one = 1;
      const double *by = effect->formula.formula.length == 0 ? &effect->by : &one;
      if (level >= g->p->n_levels || *by == 0) continue;
      ff_write(&g->out, "    most = P_RELATIVE * (P_SIZE + ff_math_absolute(y[%u]));\n    if (most < slack * ", level);
      write_size(g, by);
      ff_write(&g->out, " * length) slack = most / (");
      write_size(g, by);
      ff_write(&g->out, " * length);\n");
    }
    ff_write(&g->out, "  }\n");
  }
  ff_write(&g->out, "  (void)t;\n  (void)f;\n  (void)y;\n  (void)length;\n  (void)most;\n  return slack;\n}\n\n");
}

static void write_formulas(ff_petri_coder *g) {
  uint8_t quick[FF_PETRI_CODE_NARROW] = {0};
  for (uint32_t k = 0; k < g->n_narrow; k++) {
    const ff_petri_code_narrow *x = &g->narrow[k];
    uint32_t *of;
    if (g->out.status != FF_OK) return;
    g->out.status = ff_petri_code_symbols(&of, g, x->law, &x->law->rate, x->i, g->out.err);
    if (g->out.status != FF_OK) return;
    ff_petri_code_data(g, "rate", k, &x->law->rate.formula, of);
    quick[k] = (uint8_t)x->quick;
    if (x->quick) ff_petri_code_bounds(g, "rate", k, &x->law->rate.formula, of, 0);
    free(of);
  }
  ff_petri_code_dispatch(g, "rate", "outline", quick, g->n_narrow);
  ff_petri_code_dispatch(g, "rate", "bound", quick, g->n_narrow);
  ff_petri_code_begin(g, "FF_WARP p_formula p_rate_formula(uint32_t f)", 0);
  ff_write(&g->out, "  switch (f) {\n");
  for (uint32_t k = 0; k + 1 < g->n_narrow; k++)
    ff_write(&g->out, "    case %uu: {\n      const p_formula out = P_rate_%u;\n      return out;\n    }\n", k, k);
  ff_write(&g->out, "    default: {\n      const p_formula out = P_rate_%u;\n      return out;\n    }\n  }\n}\n\n",
           g->n_narrow - 1);
}

void ff_petri_code_flows(ff_petri_coder *g) {
  write_slopes(g, 0);
  if (ff_petri_code_implicit(g)) {
    write_flow_rates(g);
    write_slopes(g, 1);
  }
  if (g->n_narrow == 0) return;
  write_rates(g);
  write_spans(g);
  write_slacks(g);
  write_formulas(g);
}
