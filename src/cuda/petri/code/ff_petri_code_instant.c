/* Immediate and timed transitions in generated code: weights, tests, delays, and which hazards their firings may change. */
#include "ff_petri_code_internal.h"

#include <math.h>
#include <stdlib.h>

/* Firings at one instant. The processor permits more. */
#define MOST_AT_ONCE 1024u

/* ---- what firings may change -------------------------------------------------------------------------------------------- */

/* Marks the places that firings change, other than stochastic ones, switches, and what is derived of these. */
static void mark_changed(const ff_petri_program *p, uint8_t *changed) {
  for (uint32_t m = p->n_stochastic; m < ff_petri_code_transitions(p); m++) {
    const ff_petri_member member = ff_petri_code_member(p, m);
    const ff_petri_law *law = &p->law[member.law];
    for (uint32_t c = 0; c < law->n_effects; c++) changed[ff_petri_value_of(law, law->effect[c].row, member.i)] = 1;
  }
  for (uint32_t k = 0; k < p->n_derived; k++) changed[p->derived[k].value] = p->derived[k].kind != FF_PETRI_DISCRETE;
  for (uint32_t k = 0; k < p->n_derived; k++)
    for (uint32_t i = 0; i < p->derived[k].plain.n; i++) changed[p->derived[k].value] |= changed[p->derived[k].plain.read[i]];
}

void ff_petri_code_reach(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  uint8_t *changed = ff_calloc(p->n_values, sizeof *changed);
  if (changed == NULL) {
    if (g->out.status == FF_OK) g->out.status = ff_error_set(g->out.err, FF_EMEMORY, "no memory for code");
    return;
  }
  mark_changed(p, changed);
  for (uint32_t t = 0; t < p->n_stochastic; t++) {
    const ff_petri_law *law = &p->law[p->stochastic[t].law];
    for (uint32_t k = 0; k < law->rate.n; k++)
      if (changed[ff_petri_value_of(law, law->rate.row[k], p->stochastic[t].i)])
        g->reached |= (uint64_t)1 << p->group_of[p->cell_of[t]];
  }
  for (uint32_t t = 0; t < p->n_stochastic; t++)
    if (g->reached >> p->group_of[p->cell_of[t]] & 1) g->kept[t] = (uint8_t)g->n_kept++;
  free(changed);
}

/* As set_coefficient() of petri/path/ff_petri_fire.c. */
static void write_has_changed(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP int p_has_changed(const p_thread *t, uint32_t g)", 0);
  ff_write(&g->out, "  int same = 1;\n");
  for (uint32_t group = 0; group < p->n_groups; group++) {
    if (!(g->reached >> group & 1)) continue;
    ff_petri_code_begin(g, "", 0);
    ff_write(&g->out, "  if (g == %uu) {\n", group);
    for (uint32_t t = 0; t < p->n_stochastic; t++) {
      if (p->group_of[p->cell_of[t]] != group) continue;
      ff_write(&g->out, "  same &= f%u == P_COEFFICIENT(%u);\n", ff_petri_code_coefficient(g, t), g->kept[t]);
    }
    ff_write(&g->out, "  }\n}\n");
  }
  ff_write(&g->out, "  (void)t;\n  (void)g;\n  return !same;\n}\n\n");
}

/* ---- immediate transitions ---------------------------------------------------------------------------------------------- */

/* Begins a block for transition k, whose name is `test`, if its tests hold. */
static void begin_if_enabled(ff_petri_coder *g, const char *test, uint32_t k, const ff_petri_law *law, uint32_t i) {
  ff_petri_code_begin(g, "", 1);
  ff_write(&g->out, "  if (%s == %uu) {\n", test, k);
  const int tests = law->enabled.formula.length > 0;
  const uint32_t f = tests ? ff_petri_code_term(g, law, &law->enabled, i) : 0;
  if (tests)
    ff_write(&g->out, "  const int enabled = f%u != 0;\n", f);
  else
    ff_write(&g->out, "  const int enabled = 1;\n");
}

static void write_weight(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP double p_weight(const p_thread *t, uint32_t k, double now)", 1);
  ff_write(&g->out, "  const double time = now;\n  double weight = 0;\n");
  for (uint32_t k = 0; k < p->n_immediate; k++) {
    const ff_petri_law *law = &p->law[p->immediate[k].law];
    begin_if_enabled(g, "k", k, law, p->immediate[k].i);
    const uint32_t f = ff_petri_code_term(g, law, &law->rate, p->immediate[k].i);
    ff_write(&g->out, "  weight = enabled ? f%u : 0;\n  }\n}\n", f);
  }
  ff_write(&g->out, "  (void)t;\n  (void)k;\n  (void)now;\n  (void)time;\n  return weight;\n}\n\n");
}

/* ---- clocks ------------------------------------------------------------------------------------------------------------- */

static void write_enabled(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP int p_is_enabled(const p_thread *t, uint32_t k)", 1);
  ff_write(&g->out, "  int is = 0;\n");
  for (uint32_t k = 0; k < p->n_timed; k++) {
    begin_if_enabled(g, "k", k, &p->law[p->timed[k].law], p->timed[k].i);
    ff_write(&g->out, "  is = enabled;\n  }\n}\n");
  }
  ff_write(&g->out, "  (void)t;\n  return is;\n}\n\n");
}

static void write_delay(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP double p_delay(const p_thread *t, uint32_t k, double now)", 1);
  ff_write(&g->out, "  const double time = now;\n  double delay = 0;\n");
  for (uint32_t k = 0; k < p->n_timed; k++) {
    const ff_petri_law *law = &p->law[p->timed[k].law];
    if (law->kind != FF_PETRI_DETERMINISTIC) continue;
    ff_petri_code_begin(g, "", 1);
    ff_write(&g->out, "  if (k == %uu) {\n", k);
    ff_write(&g->out, "  delay = f%u;\n  }\n}\n", ff_petri_code_term(g, law, &law->rate, p->timed[k].i));
  }
  ff_write(&g->out, "  (void)t;\n  (void)k;\n  (void)now;\n  (void)time;\n  return delay;\n}\n\n");
}

/* As schedule() of petri/path/ff_petri_timed.c. */
static void write_scheduled(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_write(&g->out, "FF_WARP double p_scheduled(uint32_t k, uint32_t n) {\n  double time = P_INFINITY;\n");
  for (uint32_t k = 0; k < p->n_timed; k++) {
    const ff_petri_law *law = &p->law[p->timed[k].law];
    if (law->kind != FF_PETRI_SCHEDULED || !(law->begin >= 0)) continue;
    ff_write(&g->out, "  if (k == %uu && (double)n < ", k);
    if (law->times < INFINITY)
      ff_petri_code_number(g, law->times);
    else
      ff_write(&g->out, "P_INFINITY");
    ff_write(&g->out, ") time = ");
    ff_petri_code_number(g, law->begin);
    ff_write(&g->out, " + (double)n * ");
    ff_petri_code_number(g, law->period);
    ff_write(&g->out, ";\n");
  }
  ff_write(&g->out, "  (void)k;\n  (void)n;\n  return time;\n}\n\n");
}

/* Bits of timed transitions: those that are scheduled (0), that take tokens (1), whose firings may change a flow (2). */
static uint32_t clocks_of(const ff_petri_program *p, int which) {
  uint32_t bits = 0;
  for (uint32_t k = 0; k < p->n_timed; k++) {
    const ff_petri_law *law = &p->law[p->timed[k].law];
    const int is = which == 0 ? law->kind == FF_PETRI_SCHEDULED : which == 1 ? law->takes : law->stirs;
    bits |= (uint32_t)is << k;
  }
  return bits;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

void ff_petri_code_instant(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  if (ff_petri_code_transitions(p) == p->n_stochastic && g->n_switches == 0) return;
  write_has_changed(g);
  if (p->n_immediate > 0) write_weight(g);
  if (p->n_timed == 0) return;
  write_enabled(g);
  write_delay(g);
  write_scheduled(g);
}

void ff_petri_code_define_instant(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  const uint32_t most = p->options.most_at_once < MOST_AT_ONCE ? p->options.most_at_once : MOST_AT_ONCE;
  const int any = ff_petri_code_transitions(p) > p->n_stochastic || g->n_switches > 0;
  ff_write(&g->out, "#define P_INSTANT %d\n#define P_INSTANT_REALS %uu\n#define P_INSTANT_WORDS %uu\n", any,
           g->code->instant_reals, g->code->instant_words);
  ff_write(&g->out, "#define P_CLOCKS %uu\n", p->n_timed);
  if (!any) return;
  ff_write(&g->out, "#define P_STOCHASTIC %uu\n#define P_IMMEDIATE %uu\n#define P_MOST_AT_ONCE %uu\n#define P_KEPT %uu\n",
           p->n_stochastic, p->n_immediate, most, g->n_kept);
  ff_write(&g->out, "#define P_REACHED 0x%llXull\n", (unsigned long long)g->reached);
  ff_write(&g->out, "#define P_SCHEDULED 0x%Xu\n#define P_TAKERS 0x%Xu\n#define P_CLOCKS_STIR 0x%Xu\n", clocks_of(p, 0),
           clocks_of(p, 1), clocks_of(p, 2));
}
