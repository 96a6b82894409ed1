/* Switches in generated code: comparisons of levels with numbers. */
#include "ff_petri_code_internal.h"

void ff_petri_code_switches(ff_petri_coder *g) {
  if (g->n_switches == 0) return;
  ff_write(&g->out, "FF_WARP ff_petri_threshold p_threshold(uint32_t k) {\n  ff_petri_threshold of = {0, 0u, 0};\n");
  for (uint32_t k = 0; k < g->n_switches; k++) {
    const ff_petri_threshold *of = &g->switches[k].threshold;
    ff_write(&g->out, "  if (k == %uu) {\n    of.weight = ", k);
    ff_petri_code_number(g, of->weight);
    ff_write(&g->out, ";\n    of.level = %uu;\n    of.strict = %u;\n  }\n", of->level, of->strict);
  }
  ff_write(&g->out, "  return of;\n}\n\nFF_WARP void p_set_switches(p_thread *t, uint32_t level) {\n");
  for (uint32_t k = 0; k < g->n_switches; k++) {
    const ff_petri_plain *plain = &g->p->derived[g->switches[k].derived].plain;
    ff_petri_code_begin(g, "", 0);
    ff_write(&g->out, "  const double y%u = P_Y(%u);\n  if (level == %uu)", plain->read[0], plain->read[0], plain->read[0]);
    const ff_formula_word *w = plain->formula.word;
    static const char *const signs[] = {[FF_F_LT - FF_F_LT] = "<", [FF_F_LE - FF_F_LT] = "<=", [FF_F_GT - FF_F_LT] = ">",
                                        [FF_F_GE - FF_F_LT] = ">="};
    ff_write(&g->out, " P_D(%u) = ", g->switches[k].derived);
    for (int side = 0; side < 2; side++) {
      if (w[side].code == FF_F_NUMBER)
        ff_petri_code_number(g, w[side].number);
      else
        ff_write(&g->out, "y%u", plain->read[0]);
      if (side == 0) ff_write(&g->out, " %s ", signs[w[2].code - FF_F_LT]);
    }
    ff_write(&g->out, ";\n}\n");
  }
  ff_write(&g->out, "}\n\n");
}

void ff_petri_code_define_switches(ff_petri_coder *g) {
  uint32_t derived[FF_PETRI_CODE_SWITCHES], negated = 0;
  ff_write(&g->out, "#define P_SWITCHES %uu\n", g->n_switches);
  if (g->n_switches == 0) return;
  for (uint32_t k = 0; k < g->n_switches; k++) {
    derived[k] = g->switches[k].derived;
    negated |= (uint32_t)g->switches[k].negated << k;
  }
  ff_write(&g->out, "#define P_NEGATED 0x%Xu\n", negated);
  ff_petri_code_define_map(g, "P_SWITCH_OF", derived, g->n_switches);
}
