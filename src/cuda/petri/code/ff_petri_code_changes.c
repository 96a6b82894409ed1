/* What firings change, in generated code.
 *
 * Most firings add small whole numbers to counts. What each transition adds to a count is then a few bits of a number, so that
 * threads whose transitions differ do the same. All other transitions have code of their own. */
#include "ff_petri_code_internal.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  ff_petri_coder *g;
  int64_t *by;       /* of each transition and count, for those that are plain */
  uint8_t *special;  /* of each transition */
  uint32_t bits;     /* of a change */
} changes;

static const ff_petri_law *law_of(const ff_petri_program *p, uint32_t m, uint32_t *i) {
  const ff_petri_member member = ff_petri_code_member(p, m);
  *i = member.i;
  return &p->law[member.law];
}

/* Whether a transition adds whole numbers to counts, and does nothing else. */
static int is_plain(const ff_petri_coder *g, uint32_t m) {
  uint32_t i;
  const ff_petri_law *law = law_of(g->p, m, &i);
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    if (g->room[ff_petri_value_of(law, effect->row, i)] != FF_PETRI_IN_COUNTS || effect->resets ||
        effect->formula.formula.length > 0 || ff_petri_code_datum_of(g, &effect->by) != FF_PETRI_CODE_NO_DATA ||
        effect->by != floor(effect->by) || fabs(effect->by) > 1e6)
      return 0;
  }
  return 1;
}

/* How many bits each change needs: 64 if there is no room for those of all transitions. */
static uint32_t bits_of(const changes *x) {
  const uint32_t n = ff_petri_code_transitions(x->g->p);
  int64_t low = 0, high = 0;
  for (size_t k = 0; k < (size_t)n * x->g->n_counts; k++) {
    low = x->by[k] < low ? x->by[k] : low;
    high = x->by[k] > high ? x->by[k] : high;
  }
  for (uint32_t bits = 2; bits <= 8; bits *= 2)
    if (n * bits <= 64 && low >= -((int64_t)1 << (bits - 1)) && high < (int64_t)1 << (bits - 1)) return bits;
  return 64;
}

static void fill(changes *x) {
  const ff_petri_program *p = x->g->p;
  const uint32_t n = ff_petri_code_transitions(p);
  for (uint32_t m = 0; m < n; m++) {
    uint32_t i;
    const ff_petri_law *law = law_of(p, m, &i);
    x->special[m] = !is_plain(x->g, m);
    for (uint32_t c = 0; c < law->n_effects && !x->special[m]; c++)
      x->by[(size_t)m * x->g->n_counts + x->g->number[ff_petri_value_of(law, law->effect[c].row, i)]] +=
          (int64_t)law->effect[c].by;
  }
  x->bits = bits_of(x);
  for (uint32_t m = 0; m < n && x->bits == 64; m++) x->special[m] = 1;
}

/* ---- plain transitions -------------------------------------------------------------------------------------------------- */

static void write_plain(const changes *x) {
  ff_petri_coder *g = x->g;
  const ff_petri_program *p = g->p;
  uint64_t stir = 0;
  for (uint32_t v = 0; v < p->n_places; v++) {
    uint64_t packed = 0;
    if (g->room[v] != FF_PETRI_IN_COUNTS) continue;
    for (uint32_t m = 0; m < ff_petri_code_transitions(p); m++) {
      const int64_t by = x->special[m] ? 0 : x->by[(size_t)m * g->n_counts + g->number[v]];
      packed |= ((uint64_t)by & (((uint64_t)1 << x->bits) - 1)) << (x->bits * m);
      if (by != 0 && p->stirs[v]) stir |= (uint64_t)1 << m;
    }
    if (packed == 0) continue;
    ff_write(&g->out, "  P_X(%u) += (uint32_t)((int32_t)((uint32_t)(0x%llXull >> (%uu * m)) << %uu) >> %u);\n", g->number[v],
             (unsigned long long)packed, x->bits, 32 - x->bits, 32 - x->bits);
    ff_write(&g->out, "  fails |= P_X(%u) > P_LARGEST;\n", g->number[v]);
  }
  ff_write(&g->out, "  stirs |= (uint32_t)(0x%llXull >> m) & 1u;\n", (unsigned long long)stir);
}

/* ---- others ------------------------------------------------------------------------------------------------------------- */

/* What a place becomes: see checked() of petri/path/ff_petri_fire.c. */
static void write_becomes(ff_petri_coder *g, uint32_t value, uint32_t c) {
  const uint32_t at = g->number[value];
  const char *const stirs = g->p->stirs[value] ? "stirs |= b != a; " : "";
  switch ((ff_petri_code_room)g->room[value]) {
    case FF_PETRI_IN_COUNTS:
      ff_write(&g->out, "    { const double a = (double)P_X(%u), b = %sd%u);\n      %sfails |= !p_is_count(b);\n"
               "      P_X(%u) = p_is_count(b) ? (uint32_t)b : 0u; }\n", at, "P_BECOMES(a, ", c, stirs, at);
      break;
    case FF_PETRI_IN_REALS:
      ff_write(&g->out, "    { const double a = P_R(%u), b = P_BECOMES(a, d%u);\n"
               "      %sfails |= b != a && !p_is_level(p_mended(b));\n"
               "      P_R(%u) = b != a ? p_mended(b) : a; }\n", at, c, stirs, at);
      break;
    default:
      ff_write(&g->out, "    { const double a = p_level_at(t, %uu, now), b = P_BECOMES(a, d%u);\n"
               "      if (b != a) {\n        p_own_levels(t);\n        P_Y(%u) = p_mended(b);\n        stirs = 1u;\n"
               "        fails |= !p_is_level(P_Y(%u));\n", at, c, at, at);
      if (g->n_switches > 0) ff_write(&g->out, "        p_set_switches(t, %uu);\n", at);
      ff_write(&g->out, "      } }\n");
  }
}

static void write_special(ff_petri_coder *g, uint32_t m) {
  uint32_t i;
  const ff_petri_law *law = law_of(g->p, m, &i);
  ff_petri_code_begin(g, "", 1);
  ff_write(&g->out, "  if (m == %uu) {\n", m);
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    const int varies = effect->formula.formula.length > 0;
    const uint32_t f = varies ? ff_petri_code_term(g, law, &effect->formula, i) : 0;
    ff_write(&g->out, "    const double d%u = ", c);
    if (varies)
      ff_write(&g->out, "f%u", f);
    else
      ff_petri_code_number_at(g, &effect->by);
    ff_write(&g->out, ";\n");
  }
  for (uint32_t c = 0; c < law->n_effects; c++) {
    ff_write(&g->out, "#undef P_BECOMES\n#define P_BECOMES(a, d) %s\n",
             law->effect[c].resets ? "ff_petri_reset_to(d)" : "ff_petri_sum_of((a), (d))");
    write_becomes(g, ff_petri_value_of(law, law->effect[c].row, i), c);
  }
  ff_write(&g->out, "  }\n}\n");
}

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

static void write_change(const changes *x) {
  ff_petri_coder *g = x->g;
  int any = 0;
  ff_petri_code_begin(g, "FF_WARP uint32_t p_change(p_thread *t, uint32_t m, double now)", 1);
  ff_write(&g->out, "  const double time = now;\n  uint32_t stirs = 0u, fails = 0u;\n");
  for (uint32_t m = 0; m < ff_petri_code_transitions(g->p); m++) any |= !x->special[m];
  if (any) write_plain(x);
  for (uint32_t m = 0; m < ff_petri_code_transitions(g->p); m++)
    if (x->special[m]) write_special(g, m);
  ff_write(&g->out, "  (void)now;\n  (void)time;\n");
  ff_write(&g->out, "  return (stirs ? P_CHANGES_STIR : 0u) | (fails ? P_CHANGES_FAIL : 0u);\n}\n\n");
}

static void write_numbers(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  uint64_t stirs = 0;
  for (uint32_t m = 0; m < p->n_stochastic; m++)
    if (p->law[p->stochastic[m].law].stirs) stirs |= (uint64_t)1 << m;
  ff_write(&g->out, "FF_WARP int p_stirs(uint32_t m) { return (int)(0x%llXull >> m & 1u); }\n\n", (unsigned long long)stirs);
  if (g->is_block) return;
  ff_write(&g->out, "FF_WARP uint32_t p_number(uint32_t m) {\n  uint32_t number = 0u;\n");
  for (uint32_t m = 0; m < ff_petri_code_transitions(p); m++)
    ff_write(&g->out, "  number = m == %uu ? %uu : number;\n", m, ff_petri_number_of(p, ff_petri_code_member(p, m)));
  ff_write(&g->out, "  return number;\n}\n\n");
}

void ff_petri_code_changes(ff_petri_coder *g) {
  const uint32_t n = ff_petri_code_transitions(g->p);
  changes x = {g, ff_calloc((size_t)n * (g->n_counts + 1), sizeof *x.by), ff_calloc(n, 1), 0};
  if (x.by == NULL || x.special == NULL) {
    if (g->out.status == FF_OK) g->out.status = ff_error_set(g->out.err, FF_EMEMORY, "no memory for code");
  } else {
    fill(&x);
    write_change(&x);
    write_numbers(g);
  }
  free(x.by);
  free(x.special);
}
