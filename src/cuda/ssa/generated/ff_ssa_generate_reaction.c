/* What generated code of the direct methods has of each reaction: its number and its propensity. */
#include "ff_ssa_generate_direct.h"

#define NONE UINT32_MAX

typedef ff_ssa_direct_generator generator;

/* If changes are bytes of two words, a reaction is known by the selector of the instruction that takes one byte of eight, with
 * its sign. Few reactions have the last four bytes, because the second word may be a part of the instruction. */
#define SELECTOR(byte) (0x8880u + (byte) * 0x1111u)

uint32_t ff_ssa_direct_first_byte(const generator *g) {
  return g->p->n_reactions <= FF_SSA_FEW / 2 + 1 ? FF_SSA_FEW / 2 + 1 : 0;
}

uint32_t ff_ssa_direct_number(const generator *g, uint32_t r) {
  if (g->words > 0 || g->scheduled) return r;
  if (r < g->p->n_reactions) return SELECTOR(ff_ssa_direct_first_byte(g) + r);
  return SELECTOR(ff_ssa_direct_first_byte(g) > 0 ? 0 : FF_SSA_FEW);
}

void ff_ssa_direct_define_choices(generator *g) {
  ff_write(&g->out, "#define S_CHOICES %uu\n", g->p->n_reactions);
  if (ff_ssa_direct_number(g, 1) != 1)
    ff_write(&g->out, "#define S_CODE_OF(i) (%uu + (i) * 0x1111u)\n", ff_ssa_direct_number(g, 0));
}

void ff_ssa_direct_define_firings(generator *g) {
  const int numbered = ff_ssa_direct_number(g, 1) == 1;
  ff_write(&g->out, "#define S_FIRES 1\n");
  if (numbered)
    ff_write(&g->out, "#define S_REACTION_OF(r) (r)\n");
  else
    ff_write(&g->out, "#define S_REACTION_OF(r) (((r) - %uu) / 0x1111u)\n", ff_ssa_direct_number(g, 0));
}

void ff_ssa_direct_write_counts(generator *g) {
  for (uint32_t i = 0; i < g->code->n_counts; i++)
    ff_write(&g->out, "  const double x%u = S_REAL(t->x[%u]);\n  (void)x%u;\n", i, i, i);
  if (g->checked) ff_write(&g->out, "  int invalid = 0;\n");
}

void ff_ssa_direct_write_propensity(generator *g, uint32_t r) {
  const ff_ssa_propensity *law = g->p->propensities + r;
  const uint32_t a = law->law == FF_LAW_CONSTANT || law->law > FF_LAW_TWIN ? 0 : g->place[law->a];
  if (g->scheduled && g->schedule.timed[r] != NONE) {
    ff_write(&g->out, "  const double p%u = t->schedule->kept.k.bound[%u];\n", r, g->schedule.timed[r]);
    return;
  }
  switch (law->law) {
    case FF_LAW_CONSTANT: ff_write(&g->out, "  const double p%u = S_RATE(%u);\n", r, r); break;
    case FF_LAW_LINEAR: ff_write(&g->out, "  const double p%u = S_RATE(%u) * x%u;\n", r, r, a); break;
    case FF_LAW_PAIR: ff_write(&g->out, "  const double p%u = S_RATE(%u) * (x%u * x%u);\n", r, r, a, g->place[law->b]); break;
    case FF_LAW_TWIN: ff_write(&g->out, "  const double p%u = S_RATE(%u) * (x%u * (x%u - 1.0));\n", r, r, a, a); break;
    default: ff_ssa_write_law(&g->law, g->p, r, r, r);
  }
}

int ff_ssa_has_plain_rates(const ff_ssa_program *p) {
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const double rate = p->propensities[r].rate;
    if (rate != 0 && !(rate >= 1e-200 && rate <= 1e200)) return 0;
  }
  return 1;
}

int ff_ssa_direct_is_plain(const generator *g) { return !g->checked && ff_ssa_has_plain_rates(g->p); }
