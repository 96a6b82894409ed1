/* Code for many groups: what ff_ssa_thread_groups.h wants. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_generate_factored.h"

#define MOST_TOTALS 4u        /* of special groups */
#define MOST_UNROLLED 8u      /* leaves or halves that a reaction changes */
#define MOST_REGISTER_NODES 2u /* nodes of nodes whose sums are computed at each step */
#define BITS16_LEAVES 32768.0 /* leaves have 16 bits if they begin below */
#define ROOM 16384.0          /* for what they gain between two checks */
#define FEWEST_STEPS 64u
#define MOST_CHANGE 127

typedef ff_ssa_factored_generator generator;

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

static const ff_ssa_factor_group *group_of(const generator *g, uint32_t i) { return g->f->groups + i; }

/* ---- the plan ----------------------------------------------------------------------------------------------------------- */

static int is_special(const generator *g, uint32_t group) {
  for (uint32_t i = 0; i < g->n_special; i++)
    if (g->special[i] == group) return 1;
  return 0;
}

int ff_ssa_many_has_total(const generator *g, uint32_t sum) {
  for (uint32_t i = 0; i < g->n_special; i++) {
    const ff_ssa_factor_group *group = group_of(g, g->special[i]);
    if (group->kind != FF_GROUP_REST && group->sum == sum) return 1;
  }
  return 0;
}

/* Other laws, and the first groups whose sums may become too large for 16 bits. */
static ff_status choose_special(generator *g, ff_error *err) {
  for (uint32_t i = 0; i < g->f->n_factored && g->n_special < MOST_TOTALS; i++) {
    const ff_ssa_factor_group *group = group_of(g, i);
    if (group->kind == FF_GROUP_PLAIN && g->f->sums[group->sum].n > FF_SSA_CHUNK) g->special[g->n_special++] = i;
  }
  const uint32_t rest = g->f->n_groups - g->f->n_factored;
  if (g->n_special + rest > FF_SSA_MOST_SPECIAL)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u groups, and %u of them with other laws, are too many",
                        g->f->n_groups, rest);
  for (uint32_t i = g->f->n_factored; i < g->f->n_groups; i++) g->special[g->n_special++] = i;
  return FF_OK;
}

static double initial_of(const generator *g, uint32_t species) {
  return species < g->p->n_species ? g->request->initial[species] : 1;
}

/* The two counts of a group at the beginning. */
static void initial_leaf(const generator *g, uint32_t i, double leaf[2]) {
  const ff_ssa_factor_group *group = group_of(g, i);
  const ff_ssa_factor_sum *sum = g->f->sums + group->sum;
  leaf[1] = 0;
  for (uint32_t k = sum->first; k < sum->first + sum->n; k++)
    leaf[1] += g->f->members[k].weight * initial_of(g, g->f->members[k].species);
  leaf[0] = group->kind == FF_GROUP_HUB ? initial_of(g, group->hub) : group->kind == FF_GROUP_POOL ? leaf[1] : 1;
}

static void choose_leaves(generator *g) {
  g->leaf_bits32 = g->request->bits32 || g->f->most * FEWEST_STEPS > ROOM;
  g->one_rate = 1;
  double rate = 0;
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    if (is_special(g, i)) continue;
    double leaf[2];
    initial_leaf(g, i, leaf);
    if (leaf[0] >= BITS16_LEAVES || leaf[1] >= BITS16_LEAVES) g->leaf_bits32 = 1;
    if (rate == 0) rate = group_of(g, i)->rate;
    g->twins |= group_of(g, i)->kind == FF_GROUP_POOL;
    if (g->twins || group_of(g, i)->rate != rate) g->one_rate = 0;
  }
  while (!g->leaf_bits32 && g->check > FEWEST_STEPS && g->f->most * g->check > ROOM) g->check /= 2;
}

ff_status ff_ssa_many_plan(generator *g, ff_error *err) {
  if (!g->many) return FF_OK;
  ff_status status = choose_special(g, err);
  if (status != FF_OK) return status;
  choose_leaves(g);
  const uint32_t n = g->f->n_groups, nodes = (n + FF_SSA_FAN - 1) / FF_SSA_FAN, above = (nodes + FF_SSA_FAN - 1) / FF_SSA_FAN;
  g->halves = (n + 3) / 4;
  g->leaf_words = (g->leaf_bits32 ? 2 : 1) * round_up(4 * g->halves, 4);
  g->rate_words = g->one_rate ? 0 : 8 * g->halves;
  g->uppers = above > MOST_REGISTER_NODES ? above : 0;
  g->n_sums = g->uppers > 0 ? 2 * FF_SSA_FAN * above + above : 2 * nodes;
  return FF_OK;
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

/* What a reaction changes. */
typedef struct {
  uint32_t leaves, halves, uppers;
  uint32_t leaf[FF_FACTOR_LEAVES], half[FF_FACTOR_LEAVES / 4], upper[FF_FACTOR_LEAVES / 64];
} changes;

static uint32_t addend_at(const ff_ssa_factor *f, size_t i) { return f->addends != NULL ? f->addends[i].at : f->addends32[i].at; }

static void add_half(const generator *g, changes *c, uint32_t group) {
  const uint32_t half = group / 4, upper = group / (FF_SSA_FAN * FF_SSA_FAN);
  uint32_t i = 0;
  while (i < c->halves && c->half[i] != half) i++;
  if (i == c->halves) c->half[c->halves++] = half;
  for (i = 0; i < c->uppers && c->upper[i] != upper;) i++;
  if (g->uppers > 0 && i == c->uppers) c->upper[c->uppers++] = upper;
}

static void list_changes(const generator *g, uint32_t r, changes *c) {
  const ff_ssa_row *row = g->f->reactions + r;
  const size_t first = row->first + row->rows + row->cells;
  c->leaves = c->halves = c->uppers = 0;
  for (uint32_t i = 0; i < row->groups; i++) {
    const uint32_t group = addend_at(g->f, first + i);
    if (!is_special(g, group)) c->leaf[c->leaves++] = group;
    add_half(g, c, group);
  }
  for (uint32_t i = g->f->n_factored; i < g->f->n_groups; i++) add_half(g, c, i); /* they may depend on all counts */
}

void ff_ssa_many_measure(generator *g) {
  for (uint32_t r = 0; r < g->p->n_reactions; r++) {
    changes c;
    list_changes(g, r, &c);
    if (c.leaves > g->leaf_entries) g->leaf_entries = c.leaves;
    if (c.halves > g->halves_changed) g->halves_changed = c.halves;
    if (c.uppers > g->uppers_changed) g->uppers_changed = c.uppers;
  }
  g->looped = g->leaf_entries > MOST_UNROLLED || g->halves_changed > MOST_UNROLLED;
  if (g->looped) g->change = g->fixed = g->change > 0 ? round_up(g->change, 4) : 4;
  g->more = g->change;
  g->change += g->looped + g->leaf_entries + (g->halves_changed + g->uppers_changed + 3) / 4;
}

/* Amounts by row of the factor; they are 0 between reactions. */
static void set_amounts(const generator *g, uint32_t r, int32_t *amount, int set) {
  const ff_ssa_factor *f = g->f;
  const ff_ssa_row *row = f->reactions + r;
  for (size_t i = row->first; i < (size_t)row->first + row->rows; i++)
    amount[addend_at(f, i)] = !set ? 0 : f->addends != NULL ? f->addends[i].by : f->addends32[i].by;
}

static int fits(int32_t by) { return by >= -MOST_CHANGE && by <= MOST_CHANGE; }

static uint32_t entry_of(uint32_t leaf, int32_t a, int32_t b) {
  return leaf << 16 | (uint32_t)(b + 128) << 8 | (uint32_t)(a + 128);
}

/* Fills the part of a row for groups. Returns whether all amounts fit. */
static int fill_row(const generator *g, const changes *c, const int32_t *amount, uint32_t *row) {
  uint32_t *to = row + g->more;
  int fit = 1;
  if (g->looped) *to++ = c->leaves << 16 | c->halves << 8 | c->uppers;
  for (uint32_t i = 0; i < g->leaf_entries; i++) {
    const ff_ssa_factor_group *group = i < c->leaves ? group_of(g, c->leaf[i]) : NULL;
    const int32_t a = group != NULL && group->kind != FF_GROUP_PLAIN ? amount[group->a] : 0;
    const int32_t b = group != NULL ? amount[group->b] : 0;
    fit &= fits(a) && fits(b);
    to[i] = entry_of(group != NULL ? c->leaf[i] : 0, a, b);
  }
  to += g->leaf_entries;
  for (uint32_t i = 0; i < g->halves_changed; i++)
    to[i / 4] |= (i < c->halves ? c->half[i] : c->halves > 0 ? c->half[0] : 0) << (i % 4 * 8);
  for (uint32_t i = 0; i < g->uppers_changed; i++) {
    const uint32_t at = g->halves_changed + i;
    to[at / 4] |= (i < c->uppers ? c->upper[i] : c->uppers > 0 ? c->upper[0] : 0) << (at % 4 * 8);
  }
  return fit;
}

static ff_status fill_rows(const generator *g, uint32_t *rows, ff_error *err) {
  int32_t *amount = ff_calloc(g->f->n_rows, sizeof *amount);
  int fit = 1;
  if (amount == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (uint32_t r = 0; r <= g->p->n_reactions; r++) {
    changes c = {.leaves = 0};
    if (r < g->p->n_reactions) {
      list_changes(g, r, &c);
      set_amounts(g, r, amount, 1);
    }
    fit &= fill_row(g, &c, amount, rows + (size_t)r * g->change);
    if (r < g->p->n_reactions) set_amounts(g, r, amount, 0);
  }
  free(amount);
  if (fit) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a reaction changes a sum by more than %d", MOST_CHANGE);
}

/* ---- data --------------------------------------------------------------------------------------------------------------- */

static void fill_leaves(const generator *g, uint32_t *to) {
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    if (is_special(g, i)) continue;
    double leaf[2];
    initial_leaf(g, i, leaf);
    if (g->leaf_bits32) {
      to[2 * i] = (uint32_t)leaf[0];
      to[2 * i + 1] = (uint32_t)leaf[1];
    } else {
      to[i] = (uint32_t)leaf[0] | (uint32_t)leaf[1] << 16;
    }
  }
}

/* A rate with a minus sign is that of a pool. */
static void fill_rates(const generator *g, uint32_t *to) {
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    const ff_ssa_factor_group *group = group_of(g, i);
    if (is_special(g, i)) continue;
    const double rate = group->kind == FF_GROUP_POOL ? -group->rate : group->rate;
    if (g->one_rate)
      g->code->rates[0] = rate;
    else
      memcpy(to + 2 * (i % 4 * g->halves + i / 4), &rate, sizeof rate);
  }
  for (uint32_t j = 0; j < g->n_special; j++) {
    const ff_ssa_factor_group *group = group_of(g, g->special[j]);
    g->code->rates[1 + j] = group->kind == FF_GROUP_REST ? g->p->propensities[group->hub].rate : group->rate;
  }
}

ff_status ff_ssa_many_fill(generator *g, uint32_t *initial, uint32_t *rows, ff_error *err) {
  fill_leaves(g, initial + g->all);
  fill_rates(g, g->code->table + 4 * (g->f->n_groups + 1));
  return fill_rows(g, rows, err);
}

void ff_ssa_many_define(generator *g) {
  const ff_ssa_definition values[] = {
    {"S_LEAF_BITS32", g->leaf_bits32}, {"S_ONE_RATE", g->one_rate}, {"S_TWINS", g->twins}, {"S_LOOPED", g->looped},
    {"S_SPECIAL", g->n_special}, {"S_LEAVES", g->all}, {"S_LEAF_RATES", 2 * (g->f->n_groups + 1)}, {"S_HALVES", g->halves},
    {"S_SUMS", g->n_sums}, {"S_UPPERS", g->uppers}, {"S_MORE", g->more}, {"S_LEAF_ENTRIES", g->leaf_entries},
    {"S_HALVES_CHANGED", g->halves_changed}, {"S_UPPERS_CHANGED", g->uppers_changed},
    {"S_LEAF_MOST", 65535u - (uint32_t)g->f->most * g->check},
  };
  ff_ssa_define(&g->out, values, sizeof values / sizeof *values);
}
