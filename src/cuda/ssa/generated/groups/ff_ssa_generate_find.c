/* Code for the factored method: the propensities of groups, and the choice of a group. */
#include <stdio.h>

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

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

int ff_ssa_factored_is_tame(const generator *g) {
  int tame = !g->checked;
  for (uint32_t i = 0; i < g->f->n_factored; i++) tame &= g->f->groups[i].rate >= 1e-200 && g->f->groups[i].rate <= 1e200;
  return tame;
}

/* Writes the choice of one of n children, from number `first` on: `chosen`, `before`, and what it has in lists of variables. */
static void put_choice(generator *g, const char *sum, uint32_t n, const char *at, const char *chosen, const char *const *lists) {
  for (uint32_t k = 0; lists[k] != NULL; k += 3)
    ff_write(&g->out, "  %s %s = %s0;\n", lists[k], lists[k + 1], lists[k + 2]);
  ff_write(&g->out, "  uint32_t %s = 0u;\n  double %s_before = 0.0;\n", chosen, chosen);
  for (uint32_t i = 1; i < n; i++) {
    ff_write(&g->out, "  const int %s%u = %s%u <= %s;\n", chosen, i, sum, i, at);
    ff_write(&g->out, "  %s = %s%u ? %uu : %s;\n", chosen, chosen, i, i, chosen);
    ff_write(&g->out, "  %s_before = %s%u ? %s%u : %s_before;\n", chosen, chosen, i, sum, i, chosen);
    for (uint32_t k = 0; lists[k] != NULL; k += 3)
      ff_write(&g->out, "  %s = %s%u ? %s%u : %s;\n", lists[k + 1], chosen, i, lists[k + 2], i, lists[k + 1]);
  }
}

static const char *const leaf_lists[] = {"double", "leaf", "p", "uint32_t", "n", "m", NULL};
static const char *const child_lists[] = {"double", "leaf", "c", "uint32_t", "n", "d", NULL};
static const char *const no_lists[] = {NULL};

static void put_nodes(generator *g, uint32_t n, const char *most) {
  const uint32_t nodes = (n + FF_SSA_FAN - 1) / FF_SSA_FAN;
  for (uint32_t k = 0; k < nodes; k++) {
    const uint32_t first = k * FF_SSA_FAN, here = n - first < FF_SSA_FAN ? n - first : FF_SSA_FAN;
    ff_write(&g->out, "  const double g%u = ", k);
    ff_ssa_write_sum(&g->out, "p", first, FF_SSA_FAN, first + here);
    ff_write(&g->out, ";\n");
  }
  ff_ssa_write_prefix(&g->out, "g", "G", nodes);
  ff_write(&g->out, "  const double total = G%u, at = s_at(choice, total), at_most = %s;\n", nodes, most);
  put_choice(g, "G", nodes, "at_most", "above", no_lists);
  for (uint32_t i = 0; i < FF_SSA_FAN; i++) {
    ff_write(&g->out, "  double c%u = p%u;\n  uint32_t d%u = m%u;\n", i, i, i, i);
    for (uint32_t k = 1; k < nodes; k++)
      if (k * FF_SSA_FAN + i < n)
        ff_write(&g->out, "  c%u = above == %uu ? p%u : c%u;\n  d%u = above == %uu ? m%u : d%u;\n", i, k, k * FF_SSA_FAN + i, i,
                 i, k, k * FF_SSA_FAN + i, i);
      else
        ff_write(&g->out, "  c%u = above == %uu ? 0.0 : c%u;\n", i, k, i);
  }
  ff_ssa_write_prefix(&g->out, "c", "C", FF_SSA_FAN);
  ff_write(&g->out, "  const double rest = at - above_before, rest_most = s_most_below(rest, C%u);\n", FF_SSA_FAN);
  put_choice(g, "C", FF_SSA_FAN, "rest_most", "within", child_lists);
  ff_write(&g->out, "  next->reaction = above * %uu + within;\n", FF_SSA_FAN);
  ff_write(&g->out, "  next->share = S_DIVIDE(rest - within_before, leaf);\n");
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

/* ---- many groups -------------------------------------------------------------------------------------------------------- */

static void put_special(generator *g) {
  ff_write(&g->out, "FF_WARP int s_special(const s_thread *t, double *value, uint32_t *sum) {\n  int invalid = 0;\n");
  put_counts(g);
  put_totals(g);
  for (uint32_t j = 0; j < g->n_special; j++) {
    const uint32_t i = g->special[j];
    put_group(g, i, 1 + j);
    ff_write(&g->out, "  value[%u] = p%u;\n  sum[%u] = m%u;\n", j, i, j, i);
  }
  ff_write(&g->out, "  (void)t;\n  (void)value;\n  (void)sum;\n  return invalid;\n}\n\n");
  ff_write(&g->out, "FF_WARP void s_insert(uint32_t half, const double *value, const uint32_t *sum, double *leaf, "
           "uint32_t *of) {\n");
  for (uint32_t j = 0; j < g->n_special; j++) {
    const uint32_t half = g->special[j] / 4, k = g->special[j] % 4;
    ff_write(&g->out, "  leaf[%u] = half == %uu ? value[%u] : leaf[%u];\n", k, half, j, k);
    ff_write(&g->out, "  of[%u] = half == %uu ? sum[%u] : of[%u];\n", k, half, j, k);
  }
  ff_write(&g->out, "  (void)half;\n  (void)value;\n  (void)sum;\n  (void)leaf;\n  (void)of;\n}\n\n");
}

static void put_node_sum(generator *g, const char *name, uint32_t i, uint32_t node) {
  ff_write(&g->out, "  const double %s%u = S_SUM(%u)", name, i, 2 * node);
  if (2 * node + 1 < g->halves) ff_write(&g->out, " + S_SUM(%u)", 2 * node + 1);
  ff_write(&g->out, ";\n");
}

/* The nodes below the chosen one, whose children are pairs of halves. */
static void put_node_sums(generator *g, uint32_t above) {
  const uint32_t nodes = (g->halves + 1) / 2;
  ff_write(&g->out, "  double child[7], sum = h0, before;\n");
  for (uint32_t k = 1; k < above; k++) ff_write(&g->out, "  sum = above == %uu ? h%u : sum;\n", k, k);
  for (uint32_t i = 0; i < FF_SSA_FAN - 1; i++) {
    if (g->uppers > 0) {
      ff_write(&g->out, "  child[%u] = S_SUM(above * 16u + %uu) + S_SUM(above * 16u + %uu);\n", i, 2 * i, 2 * i + 1);
      continue;
    }
    ff_write(&g->out, "  child[%u] = g%u;\n", i, i);
    for (uint32_t k = 1; k < above; k++)
      if (k * FF_SSA_FAN + i < nodes)
        ff_write(&g->out, "  child[%u] = above == %uu ? g%u : child[%u];\n", i, k, k * FF_SSA_FAN + i, i);
      else
        ff_write(&g->out, "  child[%u] = above == %uu ? 0.0 : child[%u];\n", i, k, i);
  }
}

static void put_find_many(generator *g) {
  const uint32_t nodes = (g->halves + 1) / 2, above = (nodes + FF_SSA_FAN - 1) / FF_SSA_FAN;
  const int two = nodes <= FF_SSA_FAN;
  const uint32_t n = two ? nodes : above;
  char most[40];
  snprintf(most, sizeof most, ff_ssa_factored_is_tame(g) ? "at" : "s_most_below(at, G%u)", n);
  ff_write(&g->out, "FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {\n");
  ff_write(&g->out, "  double special[S_SPECIAL + 1u];\n  uint32_t of[S_SPECIAL + 1u];\n");
  ff_write(&g->out, "  const int invalid = s_special(t, special, of);\n  (void)invalid;\n");
  for (uint32_t i = 0; i < nodes && g->uppers == 0; i++) put_node_sum(g, "g", i, i);
  for (uint32_t k = 0; k < above && !two; k++) {
    const uint32_t end = nodes < (k + 1) * FF_SSA_FAN ? nodes : (k + 1) * FF_SSA_FAN;
    ff_write(&g->out, "  const double h%u = ", k);
    if (g->uppers > 0)
      ff_write(&g->out, "S_SUM(S_SUMS - S_UPPERS + %uu)", k);
    else
      ff_ssa_write_sum(&g->out, "g", k * FF_SSA_FAN, FF_SSA_FAN, end);
    ff_write(&g->out, ";\n");
  }
  ff_ssa_write_prefix(&g->out, two ? "g" : "h", "G", n);
  ff_write(&g->out, "  const double total = G%u, at = s_at(choice, total), at_most = %s;\n", n, most);
  put_choice(g, "G", n, "at_most", "above", no_lists);
  ff_write(&g->out, "  const double rest = at - above_before;\n");
  if (two) {
    ff_write(&g->out, "  s_choose(t, special, of, above, rest, next);\n");
  } else {
    put_node_sums(g, above);
    ff_write(&g->out, "  const uint32_t within = s_child(child, sum, rest, &before);\n");
    ff_write(&g->out, "  s_choose(t, special, of, above * %uu + within, rest - before, next);\n", FF_SSA_FAN);
  }
  ff_write(&g->out, "  return %stotal;\n}\n\n", g->checked ? "invalid ? ff_math_nan() : " : "");
}

/* ---- the text ----------------------------------------------------------------------------------------------------------- */

static void put_find(generator *g) {
  const uint32_t n = g->f->n_groups;
  char most[40];
  snprintf(most, sizeof most, ff_ssa_factored_is_tame(g) ? "at" : "s_most_below(at, %s%u)", n <= FF_SSA_FAN ? "P" : "G",
           n <= FF_SSA_FAN ? n : (n + FF_SSA_FAN - 1) / FF_SSA_FAN);
  ff_write(&g->out, "FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {\n");
  put_counts(g);
  if (g->checked) ff_write(&g->out, "  int invalid = 0;\n");
  put_totals(g);
  for (uint32_t i = 0; i < n; i++) put_group(g, i, i);
  if (n <= FF_SSA_FAN) {
    ff_ssa_write_prefix(&g->out, "p", "P", n);
    ff_write(&g->out, "  const double total = P%u, at = s_at(choice, total), at_most = %s;\n", n, most);
    put_choice(g, "P", n, "at_most", "chosen", leaf_lists);
    ff_write(&g->out, "  next->reaction = chosen;\n  next->share = S_DIVIDE(at - chosen_before, leaf);\n");
  } else {
    put_nodes(g, n, most);
  }
  ff_write(&g->out, "  next->n = n;\n  return %stotal;\n}\n\n", g->checked ? "invalid ? ff_math_nan() : " : "");
}

static void put_record(generator *g) {
  ff_write(&g->out, "FF_WARP void s_record(const s_thread *t, uint32_t *to) {\n");
  for (uint32_t j = 0; j < g->request->n_species; j++) {
    ff_write(&g->out, "  to[%uull * t->run->units] = ", j);
    put_count(g, g->request->species[j]);
    ff_write(&g->out, ";\n");
  }
  ff_write(&g->out, "  (void)t;\n  (void)to;\n}\n");
}

void ff_ssa_factored_put(generator *g) {
  if (g->many) {
    put_special(g);
    put_find_many(g);
  } else {
    put_find(g);
  }
  put_record(g);
}
