/* The rejection-based method (Thanh, Priami and Zunino 2014), and the same with composition and rejection (2015).
 *
 * Each count has an interval around it, and each propensity has bounds that hold while the counts are within their intervals. A
 * candidate is drawn by the upper bounds, and accepted with the ratio of its propensity and its upper bound. The lower bound
 * often accepts it without the propensity. The time advances at each candidate, which is thinning of a Poisson process.
 *
 * Mass action is monotone, so the ends of the intervals give its bounds. Other laws are computed anew when a count that they
 * read changes, and their bounds are equal. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_finders.h"
#include "ff_ssa_bins.h"
#include "../path/ff_ssa_method.h"

typedef struct {
  double *low, *high;      /* for each species: the interval of its count */
  double *lower;           /* for each reaction; the upper bounds are leaves of the tree, or weights of the bins */
  size_t *direct_first;    /* n_species + 1 entries */
  uint32_t *direct;        /* for each species: the reactions that are computed anew when it changes */
  uint32_t *mark, *work, stamp;
  size_t listed;           /* in `work`: reactions with new bounds */
  uint8_t *without_bounds; /* for each reaction: 1 if it is computed anew */
  int points;              /* whether all intervals are points, because the sum of the upper bounds was infinite */
  int composed;
  ff_ssa_tree tree;
  ff_ssa_bins bins;
} bounds;

static void drop(ff_ssa_path *path) {
  bounds *b = path->own;
  if (b == NULL) return;
  free(b->low);
  free(b->high);
  free(b->lower);
  free(b->direct_first);
  free(b->direct);
  free(b->mark);
  free(b->work);
  free(b->without_bounds);
  ff_ssa_tree_free(&b->tree);
  ff_ssa_bins_free(&b->bins);
  free(b);
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

#define EXACT_MOST 4 /* counts up to this have no interval around them */

/* Mass action of at most three molecules of a species. A count that is below three is known exactly, so a reaction whose upper
 * bound is above 0 has a lower bound above 0: a candidate is accepted in the end. */
static int has_bounds(const ff_ssa_program *p, uint32_t r) {
  const ff_ssa_propensity *a = p->propensities + r;
  if (a->law == FF_LAW_FORMULA || a->law == FF_LAW_SCALED) return 0;
  for (uint32_t i = a->first; a->law == FF_LAW_PRODUCT && i < a->first + a->n; i++)
    if (p->factors[i].count > 3) return 0;
  return 1;
}

static ff_status list_direct(bounds *b, const ff_ssa_program *p, ff_error *err) {
  size_t n = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) b->without_bounds[r] = !has_bounds(p, r);
  for (size_t k = 0; k < p->reader_first[p->n_species]; k++) n += b->without_bounds[p->readers[k]];
  b->direct = ff_calloc(n, sizeof *b->direct);
  if (b->direct == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the dependencies of %u species", p->n_species);
  n = 0;
  for (uint32_t s = 0; s < p->n_species; s++) {
    for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1]; k++)
      if (b->without_bounds[p->readers[k]]) b->direct[n++] = p->readers[k];
    b->direct_first[s + 1] = n;
  }
  return FF_OK;
}

static ff_status make(ff_ssa_path *path, int composed, ff_error *err) {
  const ff_ssa_program *p = path->program;
  const uint32_t n = p->n_reactions;
  bounds *b = path->own = ff_calloc(1, sizeof *b);
  if (b == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for bounds of propensities");
  b->composed = composed;
  b->low = ff_calloc(p->n_species, sizeof *b->low);
  b->high = ff_calloc(p->n_species, sizeof *b->high);
  b->direct_first = ff_calloc((size_t)p->n_species + 1, sizeof *b->direct_first);
  b->lower = ff_calloc(n, sizeof *b->lower);
  b->mark = ff_calloc(n, sizeof *b->mark);
  b->work = ff_calloc(n, sizeof *b->work);
  b->without_bounds = ff_calloc(n, 1);
  if (!b->low || !b->high || !b->direct_first || !b->lower || !b->mark || !b->work || !b->without_bounds)
    return ff_error_set(err, FF_EMEMORY, "no memory for the bounds of %u propensities", n);
  ff_status status = composed ? ff_ssa_bins_new(&b->bins, n, err) : ff_ssa_tree_new(&b->tree, n, err);
  return status == FF_OK ? list_direct(b, p, err) : status;
}

static ff_status make_tree(ff_ssa_path *path, ff_error *err) { return make(path, 0, err); }
static ff_status make_bins(ff_ssa_path *path, ff_error *err) { return make(path, 1, err); }

/* ---- bounds ------------------------------------------------------------------------------------------------------------- */

/* An interval of 10% to both sides, as in the papers. If it is not a point, it holds no count below 3. */
static void set_interval(ff_ssa_path *path, uint32_t s) {
  bounds *b = path->own;
  const double x = path->count[s], width = b->points || x <= EXACT_MOST ? 0 : x < 20 ? 2 : floor(x / 10);
  b->low[s] = x - width;
  b->high[s] = x + width;
}

/* The propensity of mass action with these counts. A bound may be infinite though the propensity is not: this is no failure. */
static double bound_of(ff_ssa_path *path, uint32_t r, double *count) {
  double *own = path->count;
  const ff_failure before = path->failure;
  path->count = count;
  double bound = ff_ssa_path_propensity(path, r) + 0.0; /* -0 becomes 0 */
  path->count = own;
  if (path->failure.what != before.what) bound = INFINITY;
  path->failure = before;
  return bound;
}

static void set_upper(bounds *b, uint32_t r, double upper) {
  if (b->composed)
    ff_ssa_bins_set(&b->bins, r, upper);
  else
    b->tree.value[r] = upper;
}

static double upper_of(const bounds *b, uint32_t r) { return b->composed ? b->bins.weight[r] : b->tree.value[r]; }

static void set_bounds(ff_ssa_path *path, uint32_t r) {
  bounds *b = path->own;
  if (b->without_bounds[r]) {
    b->lower[r] = ff_ssa_path_propensity(path, r);
    set_upper(b, r, b->lower[r]);
    return;
  }
  const double upper = bound_of(path, r, b->high);
  b->lower[r] = bound_of(path, r, b->low);
  set_upper(b, r, upper);
}

static void set_all(ff_ssa_path *path) {
  bounds *b = path->own;
  for (uint32_t s = 0; s < path->program->n_species; s++) set_interval(path, s);
  if (b->composed) ff_ssa_bins_clear(&b->bins);
  for (uint32_t r = 0; r < path->program->n_reactions; r++) set_bounds(path, r);
  if (!b->composed) ff_ssa_tree_sum(&b->tree);
}

static double total_of(const bounds *b) { return b->composed ? ff_ssa_bins_total(&b->bins) : ff_ssa_tree_total(&b->tree); }

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

static void find(ff_ssa_path *path) {
  bounds *b = path->own;
  if (FF_RARELY(!(total_of(b) < INFINITY)) && !b->points) {
    b->points = 1;
    set_all(path);
  }
  const double total = total_of(b);
  if (FF_RARELY(ff_ssa_path_ends(path, total))) return;
  ff_ssa_words words = ff_ssa_words_of(path);
  path->next_time = path->time;
  for (;;) {
    path->next_time += ff_ssa_words_exponential(&words) / total;
    const uint32_t r = b->composed ? ff_ssa_bins_find(&b->bins, total, &words)
                                   : ff_ssa_tree_find(&b->tree, ff_ssa_words_closed(&words) * total);
    path->next = r;
    const double upper = upper_of(b, r);
    if (b->lower[r] == upper) return;
    const double at = ff_ssa_words_closed(&words) * upper;
    if (at < b->lower[r] || at < ff_ssa_path_propensity(path, r)) return;
  }
}

static void begin(ff_ssa_path *path) {
  bounds *b = path->own;
  b->points = 0;
  set_all(path);
  find(path);
}

static void list(bounds *b, const uint32_t *reactions, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (b->mark[reactions[i]] == b->stamp) continue;
    b->mark[reactions[i]] = b->stamp;
    b->work[b->listed++] = reactions[i];
  }
}

static void go_on(ff_ssa_path *path) {
  const ff_ssa_program *p = path->program;
  bounds *b = path->own;
  b->listed = 0;
  if (++b->stamp == 0) {
    memset(b->mark, 0, p->n_reactions * sizeof *b->mark);
    b->stamp = 1;
  }
  for (uint32_t i = p->change_first[path->next]; i < p->change_first[path->next + 1]; i++) {
    const uint32_t s = p->changes[i].species;
    const size_t first = p->reader_first[s];
    if (path->count[s] < b->low[s] || path->count[s] > b->high[s]) {
      set_interval(path, s);
      list(b, p->readers + first, p->reader_first[s + 1] - first);
    } else {
      list(b, b->direct + b->direct_first[s], b->direct_first[s + 1] - b->direct_first[s]);
    }
  }
  for (size_t i = 0; i < b->listed; i++) set_bounds(path, b->work[i]);
  if (!b->composed && b->listed > 0) ff_ssa_tree_update(&b->tree, b->work, b->listed);
  find(path);
}

const ff_ssa_finder ff_ssa_finder_rssa = {make_tree, drop, begin, go_on};
const ff_ssa_finder ff_ssa_finder_rssa_cr = {make_bins, drop, begin, go_on};
