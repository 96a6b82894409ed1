/* Code for the factored method: the propensities of groups, and what is recorded. */
#include "ff_ssa_generate_factored.h"

#define NONE FF_SSA_PLACE_NONE
#define REGISTER FF_SSA_PLACE_REGISTER

typedef ff_ssa_factored_sum plan;
typedef ff_ssa_factored_generator generator;

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

static void put_count(generator *g, uint32_t species) {
  const uint32_t at = g->place[species];
  if (species == g->p->n_species)
    ff_write(&g->out, "1u");
  else if (at >= REGISTER)
    ff_write(&g->out, "t->x[%u]", at - REGISTER);
  else
    ff_write(&g->out, "S_COUNT(%uu)", at);
}

static void put_totals(generator *g) {
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    const plan *s = g->sums + i;
    if (g->many && s->total == NONE) continue;
    ff_write(&g->out, "  const uint32_t n%u = ", i);
    if (s->total != NONE) {
      ff_write(&g->out, "S_TOTAL(%uu)", s->total);
    } else {
      ff_write(&g->out, "%uu * ", g->f->members[g->f->sums[i].first].weight);
      put_count(g, g->f->members[g->f->sums[i].first].species);
    }
    ff_write(&g->out, ";\n  const double b%u = S_REAL(n%u);\n", i, i);
  }
}

/* The value of group i, with rate constant number `rate`. */
static void put_group(generator *g, uint32_t i, uint32_t rate) {
  const ff_ssa_factor_group *group = g->f->groups + i;
  if (group->kind == FF_GROUP_REST) {
    ff_ssa_write_law(&g->law, g->p, group->hub, i, rate);
    ff_write(&g->out, "  const uint32_t m%u = 1u;\n", i);
    return;
  }
  ff_write(&g->out, "  const uint32_t m%u = n%u;\n  const double p%u = S_RATE(%u) * ", i, group->sum, i, rate);
  if (group->kind == FF_GROUP_HUB) {
    ff_write(&g->out, "S_REAL(");
    put_count(g, group->hub);
    ff_write(&g->out, ") * ");
  } else if (group->kind == FF_GROUP_POOL) {
    ff_write(&g->out, "(b%u - 1.0) * ", group->sum);
  }
  ff_write(&g->out, "b%u;\n", group->sum);
}

int ff_ssa_factored_is_tame(const generator *g) {
  int tame = !g->checked;
  for (uint32_t i = 0; i < g->f->n_factored; i++) tame &= g->f->groups[i].rate >= 1e-200 && g->f->groups[i].rate <= 1e200;
  return tame;
}

/* The counts that other laws read. */
static void put_counts(generator *g) {
  for (uint32_t i = 0; i < g->f->n_rest; i++) {
    const uint32_t s = g->f->rest[i];
    ff_write(&g->out, "  const double x%u = S_REAL(", g->place[s]);
    put_count(g, s);
    ff_write(&g->out, ");\n");
  }
}

/* Writes the values of all groups, or of the special ones if there are many. */
static void put_values(generator *g) {
  ff_write(&g->out, "FF_WARP int s_values(const s_thread *t, double *value, uint32_t *of) {\n  int invalid = 0;\n");
  put_counts(g);
  put_totals(g);
  for (uint32_t j = 0; j < (g->many ? g->n_special : g->f->n_groups); j++) {
    const uint32_t i = g->many ? g->special[j] : j;
    put_group(g, i, g->many ? 1 + j : i);
    ff_write(&g->out, "  value[%u] = p%u;\n  of[%u] = m%u;\n", j, i, j, i);
  }
  ff_write(&g->out, "  (void)t;\n  (void)value;\n  (void)of;\n  return invalid;\n}\n\n");
}

static void put_insert(generator *g) {
  ff_write(&g->out, "FF_WARP void s_insert(uint32_t half, const double *value, const uint32_t *sum, double *leaf, "
           "uint32_t *of) {\n");
  for (uint32_t j = 0; j < g->n_special; j++) {
    const uint32_t half = g->special[j] / 4, k = g->special[j] % 4;
    ff_write(&g->out, "  leaf[%u] = half == %uu ? value[%u] : leaf[%u];\n", k, half, j, k);
    ff_write(&g->out, "  of[%u] = half == %uu ? sum[%u] : of[%u];\n", k, half, j, k);
  }
  ff_write(&g->out, "  (void)half;\n  (void)value;\n  (void)sum;\n  (void)leaf;\n  (void)of;\n}\n\n");
}

static void put_record(generator *g) {
  ff_write(&g->out, "FF_WARP void s_record(const s_thread *t, uint32_t *to) {\n");
  for (uint32_t j = 0; j < g->request->n_observed; j++) {
    ff_write(&g->out, "  to[%uull * t->run->units] = ", j);
    put_count(g, g->request->observed[j]);
    ff_write(&g->out, ";\n");
  }
  ff_write(&g->out, "  (void)t;\n  (void)to;\n}\n");
}

void ff_ssa_factored_put(generator *g) {
  put_values(g);
  if (g->many) put_insert(g);
  put_record(g);
}
