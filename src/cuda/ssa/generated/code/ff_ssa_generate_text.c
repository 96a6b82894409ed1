#include "ff_ssa_generate_text.h"

void ff_ssa_define(ff_writer *out, const ff_ssa_definition *list, size_t n) {
  for (size_t i = 0; i < n; i++) ff_write(out, "#define %s %uu\n", list[i].name, list[i].value);
}

void ff_ssa_write_law(ff_formula_writer *law, const ff_ssa_program *p, uint32_t r, uint32_t leaf, uint32_t rate) {
  const ff_ssa_propensity *a = p->propensities + r;
  const int formula = a->law != FF_LAW_PRODUCT;
  const uint32_t f = formula ? ff_formula_write(law, p->formulas + a->a) : 0;
  if (formula)
    ff_write(law->out, "  double v%u = f%u;\n", leaf, f);
  else
    ff_write(law->out, "  double v%u = S_RATE(%u);\n", leaf, rate);
  for (uint32_t i = a->first; i < a->first + a->n && a->law != FF_LAW_FORMULA; i++) {
    const uint32_t x = law->place[p->factors[i].species];
    ff_write(law->out, "  v%u *= x%u;\n", leaf, x);
    for (uint32_t j = 1; j < p->factors[i].count; j++)
      ff_write(law->out, "  v%u *= (x%u - %u.0) / %u.0;\n", leaf, x, j, j + 1);
  }
  for (uint32_t i = a->first; i < a->first + a->n; i++)
    if (ff_ssa_may_be_below(a)) /* the processor finds out whether rounding errors alone may explain it */
      ff_write(law->out, "  if (x%u < %u.0 && !(v%u < 0.0)) v%u = 0.0;\n", law->place[p->factors[i].species],
               p->factors[i].count, leaf, leaf);
    else
      ff_write(law->out, "  if (x%u < %u.0) v%u = 0.0;\n", law->place[p->factors[i].species], p->factors[i].count, leaf);
  ff_write(law->out, "  invalid |= !(v%u >= 0.0 && v%u < ff_math_infinity());\n", leaf, leaf);
  ff_write(law->out, "  const double p%u = v%u + 0.0;\n", leaf, leaf);
}
