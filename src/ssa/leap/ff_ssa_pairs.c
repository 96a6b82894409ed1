/* Reactions that reverse each other. */
#include "ff_ssa_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "../engine/ff_ssa_single.h"

#define MOST_FAST 2 /* a propensity may be mass action of at most so many molecules whose counts pairs change */
#define NONE UINT32_MAX

/* The change by a reaction, but for its sign. */
typedef struct {
  const ff_ssa_change *change;
  uint32_t n, reaction;
  int64_t sign;
} direction;

static int compare(const void *left, const void *right) {
  const direction *x = left, *y = right;
  if (x->n != y->n) return x->n < y->n ? -1 : 1;
  for (uint32_t i = 0; i < x->n; i++) {
    const ff_ssa_change *a = x->change + i, *b = y->change + i;
    if (a->species != b->species) return a->species < b->species ? -1 : 1;
    if (a->by * x->sign != b->by * y->sign) return a->by * x->sign < b->by * y->sign ? -1 : 1;
  }
  return 0;
}

static int has_formula(const ff_ssa_program *p, uint32_t r) {
  return p->propensities[r].law == FF_LAW_FORMULA || p->propensities[r].law == FF_LAW_SCALED;
}

static void add_reactants(const ff_ssa_program *p, uint32_t r, double times, double *to) {
  const ff_ssa_propensity *a = p->propensities + r;
  for (uint32_t i = a->first; i < a->first + a->n; i++) to[p->factors[i].species] += times * (double)p->factors[i].count;
}

/* Whether the products of r are the reactants of `back`, which makes the opposite change. `sum` is 0 for all species, before and
 * after. */
static int are_reverse(const ff_ssa_program *p, uint32_t r, uint32_t back, double *sum) {
  const uint32_t both[] = {r, back};
  int same = 1;
  if (has_formula(p, r) || has_formula(p, back)) return 0;
  add_reactants(p, r, 1, sum);
  ff_ssa_apply(p, sum, r, 1);
  add_reactants(p, back, -1, sum);
  for (int k = 0; k < 2; k++) {
    const ff_ssa_propensity *a = p->propensities + both[k];
    for (uint32_t i = a->first; i < a->first + a->n; i++) same &= sum[p->factors[i].species] == 0;
    for (uint32_t i = a->first; i < a->first + a->n; i++) sum[p->factors[i].species] = 0;
  }
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    same &= sum[p->changes[i].species] == 0;
    sum[p->changes[i].species] = 0;
  }
  return same;
}

static void find_pairs(ff_ssa_pairs *e, const ff_ssa_program *p, direction *all, double *sum) {
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_change *change = p->n_changes > 0 ? p->changes + p->change_first[r] : NULL;
    const uint32_t n = p->change_first[r + 1] - p->change_first[r];
    all[r] = (direction){change, n, r, n > 0 && change->by < 0 ? -1 : 1};
  }
  if (p->n_reactions > 1) qsort(all, p->n_reactions, sizeof *all, compare);
  for (uint32_t first = 0, end; first < p->n_reactions; first = end) {
    for (end = first + 1; end < p->n_reactions && compare(&all[first], &all[end]) == 0; end++) continue;
    if (end != first + 2 || all[first].sign == all[first + 1].sign) continue;
    const uint32_t forward = all[first + (all[first].sign < 0)].reaction, backward = all[first + (all[first].sign > 0)].reaction;
    if (!are_reverse(p, forward, backward, sum)) continue;
    e->forward[e->n] = forward;
    e->backward[e->n++] = backward;
  }
}

/* ---- propensities that read what pairs change --------------------------------------------------------------------------- */

/* fast[s] is not 0 if pairs change species s. It is this if a propensity that reads s is not as ff_ssa_pairs.h says. */
#define BADLY_READ 2

static int names_fast(const ff_ssa_program *p, const ff_formula *formula, const uint8_t *fast) {
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = formula->word + i;
    if (word->code == FF_F_SYMBOL && word->symbol < p->n_species && fast[word->symbol]) return 1;
  }
  return 0;
}

/* The reactants of a reaction whose propensity is a formula need only be there. But if it needs many of them, fluctuations decide
 * whether they are. */
static int reads_well(const ff_ssa_program *p, uint32_t r, const uint8_t *fast) {
  const ff_ssa_propensity *a = p->propensities + r;
  double molecules = 0;
  for (uint32_t i = a->first; i < a->first + a->n; i++) {
    const double count = fast[p->factors[i].species] ? (double)p->factors[i].count : 0;
    molecules = a->law != FF_LAW_FORMULA ? molecules + count : count > molecules ? count : molecules;
  }
  return molecules <= MOST_FAST && !(has_formula(p, r) && names_fast(p, &p->formulas[a->a], fast));
}

static int is_read_well(const ff_ssa_program *p, uint32_t s, const uint8_t *fast) {
  for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1]; k++)
    if (!reads_well(p, p->readers[k], fast)) return 0;
  return 1;
}

static int changes_badly_read(const ff_ssa_program *p, uint32_t r, const uint8_t *fast) {
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
    if (fast[p->changes[i].species] == BADLY_READ) return 1;
  return 0;
}

/* Each species is looked at once, though many pairs may change it. */
static void leave_out_badly_read(ff_ssa_pairs *e, const ff_ssa_program *p, uint8_t *fast) {
  uint32_t n = 0;
  for (uint32_t g = 0; g < e->n; g++) {
    const uint32_t r = e->forward[g];
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) fast[p->changes[i].species] = 1;
  }
  for (uint32_t s = 0; s < p->n_species; s++)
    if (fast[s] && !is_read_well(p, s, fast)) fast[s] = BADLY_READ;
  for (uint32_t g = 0; g < e->n; g++) {
    if (changes_badly_read(p, e->forward[g], fast)) continue;
    e->forward[n] = e->forward[g];
    e->backward[n++] = e->backward[g];
  }
  e->n = n;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

ff_status ff_ssa_pairs_new(ff_ssa_pairs *e, const ff_ssa_program *p, ff_error *err) {
  memset(e, 0, sizeof *e);
  e->forward = ff_calloc(p->n_reactions, sizeof *e->forward);
  e->backward = ff_calloc(p->n_reactions, sizeof *e->backward);
  e->of = ff_calloc(p->n_reactions, sizeof *e->of);
  direction *all = ff_calloc(p->n_reactions, sizeof *all);
  double *sum = ff_calloc(p->n_species, sizeof *sum);
  uint8_t *fast = ff_calloc(p->n_species, 1);
  const int enough = e->forward && e->backward && e->of && all && sum && fast;
  if (enough) {
    find_pairs(e, p, all, sum);
    leave_out_badly_read(e, p, fast);
    for (uint32_t r = 0; r < p->n_reactions; r++) e->of[r] = NONE;
    for (uint32_t g = 0; g < e->n; g++) e->of[e->forward[g]] = e->of[e->backward[g]] = g;
  }
  free(all);
  free(sum);
  free(fast);
  return enough ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for the reverses of %u reactions", p->n_reactions);
}

void ff_ssa_pairs_free(ff_ssa_pairs *e) {
  free(e->forward);
  free(e->backward);
  free(e->of);
  memset(e, 0, sizeof *e);
}
