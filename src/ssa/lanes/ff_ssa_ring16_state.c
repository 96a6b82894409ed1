/* Lanes of modules: cells from counts and counts from cells, and whether their numbers are small. */
#include <math.h>
#include <string.h>

#include "ff_ssa_ring16.h"

#define BITS16_MOST 0x1p16  /* counts of 16 bits are below this */
#define SMALL 0x1p31        /* small counts are below this, and so are their sums */
#define REAL_COUNT 0x1p38   /* real counts are below this */
#define REAL 0x1p52         /* and real sums below this */
#define BETWEEN_CHECKS 1024 /* steps */

/* ---- cells -------------------------------------------------------------------------------------------------------------- */

/* A count of a species with a row, in module j of a lane. */
static double count_in(const ff_ssa_ring16 *f, uint32_t species, uint32_t j, uint32_t lane) {
  const ff_ssa_ring16_species *s = f->plan->species + species;
  const size_t at = (size_t)(s->item + j) * FF_SSA_LANES + lane;
  if (f->size == FF_RING16_REAL) return f->real[at];
  const uint32_t word = f->cells[at];
  return s->part == FF_RING16_HIGH ? word >> 16 : s->part == FF_RING16_LOW ? word & 0xFFFF : word;
}

static double count_of(const ff_ssa_ring16 *f, uint32_t s, uint32_t lane) {
  const uint32_t n = f->ring->n_species, j = f->place_of[s] / n, own = f->place_of[s] % n;
  const ff_ssa_ring16_species *species = f->plan->species + own;
  if (species->item != FF_RING16_NONE) return count_in(f, own, j, lane);
  double sum = f->fixed[s];
  for (uint32_t k = 0; k < n; k++)
    if (species->times[k] != 0) sum += species->times[k] * count_in(f, k, j, lane);
  return sum;
}

void ff_ssa_ring16_set_counts(ff_ssa_ring16 *f, uint64_t lanes, int all) {
  const int some = !all && f->observed != NULL;
  const uint32_t n = some ? f->n_observed : f->vector.lanes.program->n_species;
  for (uint32_t lane = 0; lane < FF_SSA_LANES && f->size != FF_RING16_LARGE; lane++) {
    if ((lanes >> lane & 1) == 0) continue;
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t s = some ? f->observed[i] : i;
      f->vector.lanes.count[(size_t)s * FF_SSA_LANES + lane] = count_of(f, s, lane);
    }
  }
}

/* Cells of a state whose numbers have this size. Entry i is cells[i * stride], and that of species s is count[s * by]. */
static void fill_cells(const ff_ssa_ring16 *f, const ff_ssa_ring16_plan *plan, const double *count, size_t by,
                       const ff_ssa_ring16_lane *sums, uint32_t *cells, size_t stride) {
  const uint32_t n = f->ring->n_species;
  for (uint32_t i = 0; i < plan->items; i++) cells[i * stride] = 0;
  for (uint32_t s = 0; s < f->vector.lanes.program->n_species; s++) {
    const ff_ssa_ring16_species *species = plan->species + f->place_of[s] % n;
    const uint32_t part = (uint32_t)(int64_t)count[s * by] << (species->part == FF_RING16_HIGH ? 16 : 0);
    if (species->item != FF_RING16_NONE) cells[(species->item + f->place_of[s] / n) * stride] += part;
  }
  for (uint32_t t = 0; t < plan->n_terms; t++) {
    cells[(plan->total_item + t) * stride] = (uint32_t)sums->q[t].low;
    for (uint32_t b = 0; b < plan->blocks; b++)
      cells[(plan->block_item + t * plan->blocks + b) * stride] = (uint32_t)sums->blocks[t * plan->blocks + b].low;
    for (uint32_t j = 0; j < plan->n && plan->terms[t].item >= plan->count_items; j++)
      cells[(plan->terms[t].item + j) * stride] = (uint32_t)ff_ssa_ring16_value(f->ring, count, by, t, j);
  }
}

/* The same for real numbers. */
static void fill_real(const ff_ssa_ring16 *f, const double *count, size_t by, const ff_ssa_ring16_lane *sums, double *cells,
                      size_t stride) {
  const ff_ssa_ring16_plan *plan = f->plans + 1;
  const uint32_t n = f->ring->n_species;
  for (uint32_t i = 0; i < plan->items; i++) cells[i * stride] = 0;
  for (uint32_t s = 0; s < f->vector.lanes.program->n_species; s++) {
    const ff_ssa_ring16_species *species = plan->species + f->place_of[s] % n;
    if (species->item != FF_RING16_NONE) cells[(species->item + f->place_of[s] / n) * stride] = count[s * by];
  }
  for (uint32_t t = 0; t < plan->n_terms; t++) {
    cells[(plan->total_item + t) * stride] = (double)sums->q[t].low;
    for (uint32_t b = 0; b < plan->blocks; b++)
      cells[(plan->block_item + t * plan->blocks + b) * stride] = (double)sums->blocks[t * plan->blocks + b].low;
    for (uint32_t j = 0; j < plan->n && plan->terms[t].item >= plan->count_items; j++)
      cells[(plan->terms[t].item + j) * stride] = (double)ff_ssa_ring16_value(f->ring, count, by, t, j);
  }
}

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

void ff_ssa_ring16_clear(const ff_ssa_ring16 *f, ff_ssa_ring16_lane *lane) {
  memset(lane->q, 0, sizeof lane->q);
  memset(lane->blocks, 0, (size_t)f->plan->n_terms * f->plan->blocks * sizeof *lane->blocks);
}

static void set_size(ff_ssa_ring16 *f, ff_ssa_ring16_size size) {
  f->size = size;
  f->plan = f->plans + (size != FF_RING16_BITS16);
}

/* Sets the cells of a lane, and what is chosen there, from counts and sums. */
static void fill_lane(ff_ssa_ring16 *f, uint32_t lane) {
  const double *count = f->vector.lanes.count + lane;
  const uint32_t t = f->term[lane];
  const double q = t == FF_RING16_NONE ? 0 : ff_ssa_whole_double(f->lane[lane].q[t]), v = fmin(f->share[lane] * q, q - 1);
  if (f->size == FF_RING16_REAL) {
    fill_real(f, count, FF_SSA_LANES, f->lane + lane, f->real + lane, FF_SSA_LANES);
    f->real_term[lane] = t == FF_RING16_NONE ? -1 : (double)t;
    f->real_v[lane] = floor(v);
  } else if (f->size != FF_RING16_LARGE) {
    fill_cells(f, f->plan, count, FF_SSA_LANES, f->lane + lane, f->cells + lane, FF_SSA_LANES);
    f->v[lane] = t == FF_RING16_NONE ? UINT32_MAX : (uint32_t)v;
  }
}

/* Sums are computed anew if the lanes did not keep them. Nothing happens in an idle lane, also if reactions need no molecules. */
static void convert(ff_ssa_ring16 *f, ff_ssa_ring16_size size) {
  const ff_ssa_ring16_size old = f->size;
  ff_ssa_ring16_set_counts(f, UINT64_MAX, 1);
  set_size(f, size);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
    const int idle = !(f->vector.lanes.wanted[lane] < INFINITY);
    if (old == FF_RING16_REAL) f->term[lane] = f->real_term[lane] < 0 ? FF_RING16_NONE : (uint32_t)f->real_term[lane];
    if (old != FF_RING16_LARGE && idle) ff_ssa_ring16_clear(f, f->lane + lane);
    if (old != FF_RING16_LARGE && !idle) ff_ssa_ring16_sum(f, f->vector.lanes.count + lane, FF_SSA_LANES, f->lane + lane);
    fill_lane(f, lane);
  }
}

/* The most that Q of a term may change within so many steps from counts of at most `most`, which grow to `later`. An effect
 * changes A F by A dF + dA (F + dF). */
static double most_change(const ff_ssa_ring16 *f, uint32_t t, double later, double steps) {
  double sum = 0;
  for (uint32_t i = 0; i < f->plan->n_effects; i++) {
    const ff_ssa_ring16_effect *e = f->plan->effects + i;
    double weights = 0, a = 0, df = 0;
    if (e->term != t) continue;
    for (uint32_t k = 0; k < e->n; k++) weights += e->parts[k].weight;
    for (uint32_t k = 0; k < FF_RING16_SLOTS; k++) {
      a = fmax(a, fabs((double)e->a[k]));
      df = fmax(df, fabs((double)e->f[k]));
    }
    sum += (e->hub == f->plan->n_reads ? 1 : later) * df + a * (weights * later + df);
  }
  return sum * steps;
}

/* The size of the numbers in so many steps from now. */
static ff_ssa_ring16_size size_after(const ff_ssa_ring16 *f, double most, const double q[FF_RING_TERMS], double steps) {
  const double later = most + steps * f->most_added;
  double sum = 0;
  for (uint32_t t = 0; t < f->plan->n_terms; t++) sum = fmax(sum, q[t] + most_change(f, t, later, steps));
  if (sum < SMALL && later < SMALL) return later < BITS16_MOST ? FF_RING16_BITS16 : FF_RING16_SMALL;
  return sum < REAL && later < REAL_COUNT ? FF_RING16_REAL : FF_RING16_LARGE;
}

static double largest_of(const double *count, size_t n) {
  double most = 1;
  for (size_t i = 0; i < n; i++)
    if (count[i] > most) most = count[i];
  return most;
}

/* In the rows of counts. */
static double largest_in_rows(const ff_ssa_ring16 *f) {
  const size_t n = (size_t)f->plan->count_items * FF_SSA_LANES;
  uint32_t low = 0, high = 0;
  if (f->size == FF_RING16_REAL) return largest_of(f->real, n);
  if (f->plan->bits16) {
    for (size_t i = 0; i < n; i++) {
      const uint32_t own = f->cells[i] & 0xFFFF;
      low = own > low ? own : low;
      high = f->cells[i] > high ? f->cells[i] : high;
    }
    return low > high >> 16 ? low : high >> 16;
  }
  for (size_t i = 0; i < n; i++) low = f->cells[i] > low ? f->cells[i] : low;
  return low;
}

/* A lane may begin a trajectory at any step, so the initial state counts, too. Numbers that have 16 bits again keep the other
 * form. */
void ff_ssa_ring16_prepare(ff_ssa_ring16 *f) {
  const uint32_t n = f->vector.lanes.program->n_species;
  const int large = f->size == FF_RING16_LARGE;
  const double most = large ? largest_of(f->vector.lanes.count, (size_t)n * FF_SSA_LANES) : largest_in_rows(f);
  double q[FF_RING_TERMS];
  for (uint32_t t = 0; t < f->plan->n_terms; t++) {
    q[t] = ff_ssa_whole_double(f->initial_lane.q[t]);
    for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
      const size_t at = (size_t)(f->plan->total_item + t) * FF_SSA_LANES + lane;
      const double cell = f->size == FF_RING16_REAL ? f->real[at] : f->cells[at];
      q[t] = fmax(q[t], large ? ff_ssa_whole_double(f->lane[lane].q[t]) : cell);
    }
  }
  ff_ssa_ring16_size size = size_after(f, fmax(most, largest_of(f->vector.lanes.initial, n)), q, BETWEEN_CHECKS);
  if (size == FF_RING16_BITS16 && f->size != FF_RING16_BITS16) size = FF_RING16_SMALL;
  if (size != f->size) convert(f, size);
  f->budget = BETWEEN_CHECKS;
}

/* ---- the initial state -------------------------------------------------------------------------------------------------- */

/* Sets the places of species, and what does not change of those without rows. */
static void set_places(ff_ssa_ring16 *f, const double *initial) {
  const ff_ssa_ring *m = f->ring;
  for (uint32_t i = 0; i < m->n * m->n_species; i++) {
    const uint32_t s = m->species[i], first = i / m->n_species * m->n_species;
    const ff_ssa_ring16_species *species = f->plan->species + i % m->n_species;
    f->place_of[s] = i;
    f->fixed[s] = initial[s];
    for (uint32_t k = 0; k < m->n_species; k++) f->fixed[s] -= species->times[k] * initial[m->species[first + k]];
  }
}

void ff_ssa_ring16_begin(ff_ssa_ring16 *f, const double *initial) {
  const ff_ssa_ring *m = f->ring;
  double q[FF_RING_TERMS];
  set_size(f, FF_RING16_LARGE);
  set_places(f, initial);
  for (uint32_t q0 = 0; q0 < m->n_kinds; q0++)
    for (uint32_t i = 0; i < m->kinds[q0].n_changes; i++) f->most_added = fmax(f->most_added, m->kinds[q0].changes[i].by);
  ff_ssa_ring16_sum(f, initial, 1, &f->initial_lane);
  for (uint32_t t = 0; t < m->n_terms; t++) q[t] = ff_ssa_whole_double(f->initial_lane.q[t]);
  set_size(f, size_after(f, largest_of(initial, f->vector.lanes.program->n_species), q, BETWEEN_CHECKS));
  if (f->size <= FF_RING16_REAL) fill_real(f, initial, 1, &f->initial_lane, f->initial_real, 1);
  for (int i = (int)f->size; i < 2; i++) fill_cells(f, f->plans + i, initial, 1, &f->initial_lane, f->initial_cells[i], 1);
}
