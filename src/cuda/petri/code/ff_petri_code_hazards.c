/* Hazards in generated code: profiles, sums of coefficients, and the choice among transitions. */
#include "../../../base/ff_decimal.h"
#include "ff_petri_code_internal.h"

/* ---- profiles ----------------------------------------------------------------------------------------------------------- */

static void write_profiles(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP double p_profile(const p_thread *t, uint32_t k, const double *y, double time)", 0);
  ff_write(&g->out, "  double value = 1;\n");
  for (uint32_t k = 1; k < p->n_profiles; k++) {
    const uint32_t f = ff_petri_code_plain(g, &p->profile[k].plain);
    ff_write(&g->out, "  value = k == %uu ? f%u : value;\n", k, f);
  }
  ff_write(&g->out, "  (void)t;\n  (void)k;\n  (void)y;\n  (void)time;\n  return value;\n}\n\n");
}

static void write_profile_spans(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP p_span p_profile_span(const p_thread *t, uint32_t k, const p_span *span)", 0);
  ff_write(&g->out, "  p_span out = p_span_new(1);\n");
  for (uint32_t k = 1; k < p->n_profiles; k++) {
    if (!p->profile[k].quick || p->profile[k].affine) continue;
    const uint32_t s = ff_petri_code_span(g, &p->profile[k].plain.formula, p->profile[k].plain.read);
    ff_write(&g->out, "  out = k == %uu ? s%u : out;\n", k, s);
  }
  ff_write(&g->out, "  (void)t;\n  (void)k;\n  (void)span;\n  return out;\n}\n\n");
}

static void write_profile_formulas(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  uint8_t quick[FF_PETRI_CODE_PROFILES] = {0};
  for (uint32_t k = 1; k < p->n_profiles; k++) {
    const ff_petri_plain *plain = &p->profile[k].plain;
    ff_petri_code_data(g, "profile", k, &plain->formula, plain->read);
    quick[k] = p->profile[k].quick && !p->profile[k].affine;
    if (quick[k]) ff_petri_code_bounds(g, "profile", k, &plain->formula, plain->read, 1);
  }
  ff_petri_code_dispatch(g, "profile", "outline", quick, p->n_profiles);
  ff_petri_code_dispatch(g, "profile", "bound", quick, p->n_profiles);
  ff_petri_code_begin(g, "FF_WARP p_formula p_profile_formula(uint32_t k)", 0);
  ff_write(&g->out, "  switch (k) {\n");
  for (uint32_t k = 1; k < p->n_profiles; k++)
    ff_write(&g->out, "    case %uu: {\n      const p_formula out = P_profile_%u;\n      return out;\n    }\n", k, k);
  ff_write(&g->out, "    default: {\n      const p_formula out = {0, 0, 0u, 0u};\n      return out;\n    }\n  }\n}\n\n");
}

/* ---- coefficients ------------------------------------------------------------------------------------------------------- */

uint32_t ff_petri_code_coefficient(ff_petri_coder *g, uint32_t member) {
  const ff_petri_program *p = g->p;
  const ff_petri_factor *factor = &p->factor[member];
  const ff_petri_member m = p->stochastic[member];
  if (factor->value == FF_PETRI_NO_FACTOR) return ff_petri_code_term(g, &p->law[m.law], &p->law[m.law].rate, m.i);
  ff_petri_code_declare(g, factor->value);
  const uint32_t to = g->formulas.variables++;
  ff_write(&g->out, "  const double f%u = ", to);
  ff_petri_code_number_at(g, &factor->number);
  ff_write(&g->out, " * x%u;\n", g->name[factor->value]);
  return to;
}

static void write_coefficients(ff_petri_coder *g, uint32_t cell, uint32_t *of) {
  const ff_petri_program *p = g->p;
  for (size_t k = p->cell_members[cell]; k < p->cell_members[cell + 1]; k++)
    of[k - p->cell_members[cell]] = ff_petri_code_coefficient(g, p->member[k]);
}

/* Whether a coefficient is a number times a count, which is never below 0. */
static int is_positive(const ff_petri_coder *g, uint32_t member) {
  const ff_petri_factor *factor = &g->p->factor[member];
  return factor->value != FF_PETRI_NO_FACTOR && g->room[factor->value] == FF_PETRI_IN_COUNTS && factor->number >= 0;
}

#define MANY 6u /* members of a cell whose coefficients are computed in a loop: their code would be long */

/* Whether the coefficients of a cell are numbers times counts, and many; and none is kept. */
static int has_table(const ff_petri_coder *g, uint32_t cell) {
  const ff_petri_program *p = g->p;
  int plain = p->cell_members[cell + 1] - p->cell_members[cell] >= MANY && !(g->reached >> p->group_of[cell] & 1);
  for (size_t k = p->cell_members[cell]; k < p->cell_members[cell + 1]; k++) plain &= is_positive(g, p->member[k]);
  return plain;
}

/* Tables of the choice among many members: the number, the count and the transition of each, for all such cells. Where points
 * differ, each point has the numbers. */
static void write_tables(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  static const char *const heads[] = {"double p_numbers[]", "uint8_t p_counts[]", "uint8_t p_members[]"};
  uint8_t has[FF_PETRI_CODE_CELLS];
  for (uint32_t c = 0; c < p->n_cells; c++) has[c] = (uint8_t)has_table(g, c);
  ff_petri_code_add_table(g, has);
  const int differs = g->points.table != FF_PETRI_CODE_NO_DATA;
  if (differs) ff_write(&g->out, "#define p_numbers P_TABLE_OF_POINT(%u)\n", g->points.table);
  for (int which = differs; which < 3; which++) {
    ff_write(&g->out, "P_TABLE %s = {", heads[which]);
    for (uint32_t c = 0; c < p->n_cells; c++)
      for (size_t k = p->cell_members[c]; k < p->cell_members[c + 1] && has[c]; k++) {
        const ff_petri_factor *factor = &p->factor[p->member[k]];
        if (which == 0) ff_write(&g->out, "%s, ", ff_show_exact(factor->number).text);
        if (which == 1) ff_write(&g->out, "%uu, ", g->number[factor->value]);
        if (which == 2) ff_write(&g->out, "%uu, ", p->member[k]);
      }
    ff_write(&g->out, "0};\n");
  }
}

/* As ff_petri_clock_sum(): four sums. */
static void write_sum(ff_petri_coder *g, uint32_t cell, uint32_t *of) {
  const uint32_t n = (uint32_t)(g->p->cell_members[cell + 1] - g->p->cell_members[cell]);
  write_coefficients(g, cell, of);
  for (uint32_t k = 0; k < n && g->reached >> g->p->group_of[cell] & 1; k++)
    ff_write(&g->out, "  P_COEFFICIENT(%u) = f%u;\n", g->kept[g->p->member[g->p->cell_members[cell] + k]], of[k]);
  for (uint32_t k = 0; k < n; k++)
    if (!is_positive(g, g->p->member[g->p->cell_members[cell] + k])) ff_write(&g->out, "  fine &= f%u >= 0;\n", of[k]);
  for (uint32_t i = 0; i < 4; i++) {
    ff_write(&g->out, "  const double c%u_%u = 0.0", cell, i);
    for (uint32_t k = i; k < n; k += 4) ff_write(&g->out, " + f%u", of[k]);
    ff_write(&g->out, ";\n");
  }
  ff_write(&g->out, "  const double s%u = (c%u_0 + c%u_1) + (c%u_2 + c%u_3);\n", cell, cell, cell, cell, cell);
  ff_write(&g->out, "  fine &= s%u < P_INFINITY;\n  P_SET_SUM(%u, s%u);\n", cell, cell, cell);
}

/* The sum and the choice have as many variables as transitions, so each is in a block of its own. */
static void write_sums(ff_petri_coder *g, uint32_t *of) {
  const ff_petri_program *p = g->p;
  ff_petri_code_begin(g, "FF_WARP int p_sums(p_thread *t, uint32_t g)", 0);
  ff_write(&g->out, "  int fine = 1;\n");
  for (uint32_t group = 0; group < p->n_groups; group++) {
    ff_petri_code_begin(g, "", 0);
    ff_write(&g->out, "  if (g == %uu) {\n", group);
    for (uint32_t c = p->cell_first[group]; c < p->cell_first[group + 1]; c++) write_sum(g, c, of);
    ff_write(&g->out, "  }\n}\n");
  }
  ff_write(&g->out, "  return fine;\n}\n\n");
}

/* As choose_in_cell() of petri/path/ff_petri_clock.c. Cells with tables share a loop. */
static void write_member(ff_petri_coder *g, uint32_t *of) {
  const ff_petri_program *p = g->p;
  uint32_t at = 0;
  ff_petri_code_begin(g, "FF_WARP uint32_t p_member(const p_thread *t, uint32_t c, double x)", 0);
  ff_write(&g->out, "  uint32_t last = P_NONE, first = 0u, n = 0u;\n  int open = 1;\n");
  for (uint32_t c = 0; c < p->n_cells; c++) {
    const uint32_t n = (uint32_t)(p->cell_members[c + 1] - p->cell_members[c]);
    if (!has_table(g, c)) continue;
    ff_write(&g->out, "  if (c == %uu) first = %uu, n = %uu;\n", c, at, n);
    at += n;
  }
  if (at > 0)
    ff_write(&g->out, "  if (n > 0u) last = p_members[p_place_in_table(t, p_numbers, p_counts, first, first + n, x)];\n");
  for (uint32_t c = 0; c < p->n_cells; c++) {
    const size_t first = p->cell_members[c];
    if (has_table(g, c)) continue;
    ff_petri_code_begin(g, "", 0);
    ff_write(&g->out, "  if (c == %uu) {\n", c);
    write_coefficients(g, c, of);
    ff_write(&g->out, "  last = %uu;\n", p->member[first]);
    for (size_t k = first; k < p->cell_members[c + 1]; k++) {
      const uint32_t f = of[k - first];
      ff_write(&g->out, "  if (open && f%u > 0) {\n    last = %uu;\n    open = !(x < f%u);\n    x = open ? x - f%u : x;\n  }\n",
               f, p->member[k], f, f);
    }
    ff_write(&g->out, "  }\n}\n");
  }
  ff_write(&g->out, "  (void)t;\n  (void)open;\n  (void)first;\n  (void)n;\n  return last;\n}\n\n");
}

void ff_petri_code_hazards(ff_petri_coder *g) {
  uint32_t of[FF_PETRI_CODE_TRANSITIONS];
  write_profiles(g);
  write_profile_spans(g);
  write_profile_formulas(g);
  write_tables(g);
  write_sums(g, of);
  write_member(g, of);
}
