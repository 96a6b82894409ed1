/* Partial-propensity methods (Ramaswamy, Gonzalez-Segredo and Sbalzarini 2009; Ramaswamy and Sbalzarini 2010), for mass action of
 * at most two molecules.
 *
 * The propensity of a reaction is the count of one of its reactants times its partial propensity. The reactions of that reactant
 * are a row. So a change of a count changes one factor of a row, and only partial propensities that read it: the cost of a step
 * grows with the number of species, not of reactions. The reactions without reactants are row 0, and row s + 1 belongs to
 * species s. A method differs from the others in how it finds the row:
 *   pdm       linear search through rows and their reactions
 *   spdm      the same, where rows and reactions that are found move forward
 *   pssa_cr   composition and rejection */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_finders.h"
#include "ff_ssa_bins.h"
#include "../path/ff_ssa_method.h"

typedef enum { IN_ORDER, SORTING, COMPOSED } how_found;

#define NO_SPECIES UINT32_MAX

/* An item is a reaction in its row. */
typedef struct {
  how_found how;
  uint32_t n_rows, n;      /* rows and items */
  size_t *row_first;       /* n_rows + 1 entries: the items of a row are neighbours */
  uint32_t *reaction, *row; /* of each item */
  uint32_t *item_of;        /* of each reaction */
  double *partial;         /* of each item */
  size_t *partner_first;   /* n_species + 1 entries */
  uint32_t *partners;      /* of each species: the items whose partial propensity reads it */
  uint32_t *row_order, *row_place;   /* the order of the search: rows by position */
  uint32_t *item_order, *item_place; /* items by position, which is within the range of their row */
  ff_ssa_corrected *sum;     /* of each row: the sum of its partial propensities */
  double *weight;          /* of each row: the sum of its propensities; the bins have their own */
  ff_ssa_corrected total;
  ff_ssa_bins bins;
  uint32_t *touched, n_touched; /* rows that the step changes */
  uint8_t *is_touched;
} partial;

static void drop(ff_ssa_path *path) {
  partial *p = path->own;
  if (p == NULL) return;
  free(p->row_first);
  free(p->reaction);
  free(p->row);
  free(p->item_of);
  free(p->partial);
  free(p->partner_first);
  free(p->partners);
  free(p->row_order);
  free(p->row_place);
  free(p->item_order);
  free(p->item_place);
  free(p->sum);
  free(p->weight);
  free(p->touched);
  free(p->is_touched);
  ff_ssa_bins_free(&p->bins);
  free(p);
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

ff_status ff_ssa_partial_check(const ff_ssa_program *program, ff_error *err) {
  for (uint32_t r = 0; r < program->n_reactions; r++) {
    if (program->propensities[r].law <= FF_LAW_TWIN) continue;
    const char *name = program->names[program->n_species + r];
    return ff_error_set(err, FF_EUNSUPPORTED,
                        "the rate of reaction %s is not mass action of at most two molecules, which partial-propensity "
                        "methods need; choose another method", ff_quote(name, strlen(name)).text);
  }
  return FF_OK;
}

static uint32_t row_of(const ff_ssa_propensity *a) {
  if (a->law == FF_LAW_CONSTANT) return 0;
  return 1 + (a->law == FF_LAW_PAIR && a->b < a->a ? a->b : a->a);
}

static uint32_t partner_of(const ff_ssa_propensity *a) {
  if (a->law == FF_LAW_PAIR) return a->a < a->b ? a->b : a->a;
  return a->law == FF_LAW_TWIN ? a->a : NO_SPECIES;
}

static ff_status allocate(partial *p, uint32_t n_species, ff_error *err) {
  const uint32_t n = p->n, rows = p->n_rows;
  p->row_first = ff_calloc((size_t)rows + 2, sizeof *p->row_first);
  p->reaction = ff_calloc(n, sizeof *p->reaction);
  p->row = ff_calloc(n, sizeof *p->row);
  p->item_of = ff_calloc(n, sizeof *p->item_of);
  p->partial = ff_calloc(n, sizeof *p->partial);
  p->partner_first = ff_calloc((size_t)n_species + 2, sizeof *p->partner_first);
  p->partners = ff_calloc(n, sizeof *p->partners);
  p->row_order = ff_calloc(rows, sizeof *p->row_order);
  p->row_place = ff_calloc(rows, sizeof *p->row_place);
  p->item_order = ff_calloc(n, sizeof *p->item_order);
  p->item_place = ff_calloc(n, sizeof *p->item_place);
  p->sum = ff_calloc(rows, sizeof *p->sum);
  p->weight = ff_calloc(rows, sizeof *p->weight);
  p->touched = ff_calloc(rows, sizeof *p->touched);
  p->is_touched = ff_calloc(rows, 1);
  if (p->row_first && p->reaction && p->row && p->item_of && p->partial && p->partner_first && p->partners && p->row_order &&
      p->row_place && p->item_order && p->item_place && p->sum && p->weight && p->touched && p->is_touched)
    return p->how == COMPOSED ? ff_ssa_bins_new(&p->bins, rows, err) : FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the partial propensities of %u reactions", n);
}

/* Counts the items of row k in row_first[k + 2], so that row_first[k + 1] is where the next one goes when they are listed. */
static void list_items(partial *p, const ff_ssa_program *program) {
  for (uint32_t r = 0; r < p->n; r++) p->row_first[row_of(program->propensities + r) + 2]++;
  for (uint32_t k = 0; k < p->n_rows; k++) p->row_first[k + 2] += p->row_first[k + 1];
  for (uint32_t r = 0; r < p->n; r++) {
    const uint32_t row = row_of(program->propensities + r);
    const size_t item = p->row_first[row + 1]++;
    p->reaction[item] = r;
    p->row[item] = row;
    p->item_of[r] = (uint32_t)item;
  }
}

static void list_partners(partial *p, const ff_ssa_program *program) {
  for (uint32_t item = 0; item < p->n; item++) {
    const uint32_t s = partner_of(program->propensities + p->reaction[item]);
    if (s != NO_SPECIES) p->partner_first[s + 2]++;
  }
  for (uint32_t s = 0; s < program->n_species; s++) p->partner_first[s + 2] += p->partner_first[s + 1];
  for (uint32_t item = 0; item < p->n; item++) {
    const uint32_t s = partner_of(program->propensities + p->reaction[item]);
    if (s != NO_SPECIES) p->partners[p->partner_first[s + 1]++] = item;
  }
}

static ff_status make(ff_ssa_path *path, how_found how, ff_error *err) {
  const ff_ssa_program *program = path->program;
  ff_status status = ff_ssa_partial_check(program, err);
  if (status != FF_OK) return status;
  partial *p = path->own = ff_calloc(1, sizeof *p);
  if (p == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for partial propensities");
  p->how = how;
  p->n = program->n_reactions;
  p->n_rows = program->n_species + 1;
  status = allocate(p, program->n_species, err);
  if (status != FF_OK) return status;
  list_items(p, program);
  list_partners(p, program);
  return FF_OK;
}

static ff_status make_pdm(ff_ssa_path *path, ff_error *err) { return make(path, IN_ORDER, err); }
static ff_status make_spdm(ff_ssa_path *path, ff_error *err) { return make(path, SORTING, err); }
static ff_status make_pssa_cr(ff_ssa_path *path, ff_error *err) { return make(path, COMPOSED, err); }

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static double partial_of(const ff_ssa_path *path, uint32_t item) {
  const partial *p = path->own;
  const ff_ssa_propensity *a = path->program->propensities + p->reaction[item];
  if (a->law == FF_LAW_PAIR) return a->rate * path->count[a->a < a->b ? a->b : a->a];
  if (a->law == FF_LAW_TWIN) return path->count[a->a] > 1 ? a->rate * (path->count[a->a] - 1) : 0;
  return a->rate;
}

static double factor_of(const ff_ssa_path *path, uint32_t row) { return row > 0 ? path->count[row - 1] : 1; }

static void add_up_row(partial *p, uint32_t row) {
  p->sum[row] = ff_ssa_corrected_of(ff_ssa_sum(p->partial + p->row_first[row], p->row_first[row + 1] - p->row_first[row]));
}

static void set_row(ff_ssa_path *path, uint32_t row) {
  partial *p = path->own;
  if (ff_ssa_corrected_stale(&p->sum[row])) add_up_row(p, row);
  const double factor = factor_of(path, row), now = factor > 0 ? factor * p->sum[row].value : 0;
  if (p->how == COMPOSED) {
    ff_ssa_bins_set(&p->bins, row, now);
    return;
  }
  ff_ssa_corrected_change(&p->total, now - p->weight[row]);
  p->weight[row] = now;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

static void find_item(ff_ssa_path *path, uint32_t row, double at) {
  const partial *p = path->own;
  const size_t found = ff_ssa_search_terms(p->partial, p->item_order, p->row_first[row], p->row_first[row + 1], &at);
  path->next = p->reaction[p->item_order[found]];
}

static void find_composed(ff_ssa_path *path) {
  const partial *p = path->own;
  const double total = ff_ssa_bins_total(&p->bins);
  if (FF_RARELY(ff_ssa_path_ends(path, total))) return;
  ff_ssa_words words = ff_ssa_words_of(path);
  path->next_time = path->time + ff_ssa_words_exponential(&words) / total;
  const uint32_t row = ff_ssa_bins_find(&p->bins, total, &words);
  find_item(path, row, ff_ssa_words_closed(&words) * p->sum[row].value);
}

static void find(ff_ssa_path *path) {
  partial *p = path->own;
  if (p->how == COMPOSED) {
    find_composed(path);
    return;
  }
  if (ff_ssa_corrected_stale(&p->total)) p->total = ff_ssa_corrected_of(ff_ssa_sum(p->weight, p->n_rows));
  double at;
  if (!ff_ssa_path_choose(path, p->total.value, &at)) return;
  const uint32_t row = p->row_order[ff_ssa_search_terms(p->weight, p->row_order, 0, p->n_rows, &at)];
  find_item(path, row, at / factor_of(path, row));
}

static void begin(ff_ssa_path *path) {
  partial *p = path->own;
  for (uint32_t item = 0; item < p->n; item++) {
    p->partial[item] = partial_of(path, item);
    p->item_order[item] = p->item_place[item] = item;
  }
  if (p->how == COMPOSED) ff_ssa_bins_clear(&p->bins);
  for (uint32_t row = 0; row < p->n_rows; row++) {
    p->row_order[row] = p->row_place[row] = row;
    p->weight[row] = 0;
    add_up_row(p, row);
    set_row(path, row);
  }
  p->total = ff_ssa_corrected_of(ff_ssa_sum(p->weight, p->n_rows));
  find(path);
}

static void touch(partial *p, uint32_t row) {
  if (!p->is_touched[row]) p->touched[p->n_touched++] = row;
  p->is_touched[row] = 1;
}

static void update(ff_ssa_path *path) {
  const ff_ssa_program *program = path->program;
  partial *p = path->own;
  p->n_touched = 0;
  for (uint32_t i = program->change_first[path->next]; i < program->change_first[path->next + 1]; i++) {
    const uint32_t s = program->changes[i].species;
    for (size_t k = p->partner_first[s]; k < p->partner_first[s + 1]; k++) {
      const uint32_t item = p->partners[k];
      const double before = p->partial[item];
      p->partial[item] = partial_of(path, item);
      ff_ssa_corrected_change(&p->sum[p->row[item]], p->partial[item] - before);
      touch(p, p->row[item]);
    }
    touch(p, s + 1);
  }
  for (uint32_t i = 0; i < p->n_touched; i++) {
    p->is_touched[p->touched[i]] = 0;
    set_row(path, p->touched[i]);
  }
}

/* Moves what is at this position one place forward, unless it is the first. */
static void move_forward(uint32_t *order, uint32_t *place, uint32_t at, size_t first) {
  if (at <= first) return;
  const uint32_t found = order[at], before = order[at - 1];
  order[at - 1] = found;
  order[at] = before;
  place[found] = at - 1;
  place[before] = at;
}

static void go_on(ff_ssa_path *path) {
  update(path);
  find(path);
}

static void go_on_sorting(ff_ssa_path *path) {
  partial *p = path->own;
  const uint32_t row = row_of(path->program->propensities + path->next);
  move_forward(p->row_order, p->row_place, p->row_place[row], 0);
  move_forward(p->item_order, p->item_place, p->item_place[p->item_of[path->next]], p->row_first[row]);
  go_on(path);
}

const ff_ssa_finder ff_ssa_finder_pdm = {make_pdm, drop, begin, go_on};
const ff_ssa_finder ff_ssa_finder_spdm = {make_spdm, drop, begin, go_on_sorting};
const ff_ssa_finder ff_ssa_finder_pssa_cr = {make_pssa_cr, drop, begin, go_on};
