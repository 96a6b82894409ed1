/* The dense layout of groups. */
#include "ff_ssa_dense.h"

#include <stdlib.h>
#include <string.h>

#include "../program/ff_ssa_options.h"
#include "ff_ssa_factor.h"

_Static_assert(sizeof(ff_ssa_dense_block) == 64, "a block is a line of the cache");
_Static_assert(2 * FF_DENSE_WIDTH % FF_DENSE_LINE == 0, "a line of cells is aligned in each lane");

/* Cycles for 16 lanes: to gather and compare an entry of a node, and to change two lines of cells. Members take two gathers,
 * because their rows are looked up. */
#define ENTRY 11u
#define TWO_LINES 45u

static uint32_t divide_up(uint32_t n, uint32_t by) { return (n + by - 1) / by; }

/* ---- levels ------------------------------------------------------------------------------------------------------------- */

/* The entries of a sum's level. */
static uint32_t entries_of(const ff_ssa_dense *d, uint32_t n, uint32_t level) {
  for (uint32_t i = 0; i < level; i++) n = divide_up(n, 1u << d->level[i].shift);
  return n;
}

static uint32_t most_entries(const ff_ssa_dense *d, const ff_ssa_factor *f, uint32_t level) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < f->n_sums; i++) {
    const uint32_t n = entries_of(d, f->sums[i].n, level);
    if (n > most) most = n;
  }
  return most;
}

/* Nodes of 2^shift members, and then of 2^upper entries, until a node has all. Returns the cycles, or UINT32_MAX if there are too
 * many levels. */
static uint32_t set_levels(ff_ssa_dense *d, const ff_ssa_factor *f, uint32_t shift, uint32_t upper) {
  uint32_t cost = 0, cells = 0;
  for (uint32_t level = 0; level <= FF_DENSE_LEVELS; level++) {
    const uint32_t most = most_entries(d, f, level);
    d->level[level] = (ff_ssa_dense_level){.width = 1u << (level == 0 ? shift : upper), .shift = level == 0 ? shift : upper};
    const int top = most <= FF_DENSE_WIDTH;
    if (top) d->level[level].width = most;
    for (uint32_t i = 0; i < f->n_sums && level > 0; i++) {
      const uint32_t n = entries_of(d, f->sums[i].n, level);
      cells += n > 1 ? n : 0;
    }
    cost += (level == 0 ? 2 : 1) * ENTRY * (d->level[level].width - 1);
    d->levels = level;
    if (top) return cost + TWO_LINES * divide_up(cells, 2 * FF_DENSE_LINE);
  }
  return UINT32_MAX;
}

static int choose_levels(ff_ssa_dense *d, const ff_ssa_factor *f) {
  uint32_t best = UINT32_MAX, best_shift = 0, best_upper = 0;
  for (uint32_t shift = 1; shift <= 3; shift++)
    for (uint32_t upper = 1; upper <= 3; upper++) {
      const uint32_t cost = set_levels(d, f, shift, upper);
      if (cost >= best) continue;
      best = cost;
      best_shift = shift;
      best_upper = upper;
    }
  if (best == UINT32_MAX) return 0;
  set_levels(d, f, best_shift, best_upper);
  return 1;
}

/* ---- cells -------------------------------------------------------------------------------------------------------------- */

static ff_status place_cells(ff_ssa_dense *d, const ff_ssa_factor *f) {
  uint32_t cells = 0;
  d->sum_at = ff_calloc(f->n_sums, FF_DENSE_LEVELS * sizeof *d->sum_at);
  if (d->sum_at == NULL) return FF_EMEMORY;
  for (uint32_t i = 0; i < f->n_sums; i++)
    for (uint32_t level = 1; level <= d->levels; level++) {
      const uint32_t n = entries_of(d, f->sums[i].n, level);
      d->sum_at[i * FF_DENSE_LEVELS + level - 1] = n > 1 ? cells : UINT32_MAX;
      cells += n > 1 ? n : 0;
    }
  d->lines = 2 * divide_up(cells, 2 * FF_DENSE_LINE);
  d->n_cells = d->lines * FF_DENSE_LINE;
  d->beyond = d->n_cells + FF_DENSE_WIDTH; /* searches read zeros behind the last sum, and behind this */
  d->stride = d->beyond + FF_DENSE_WIDTH;
  for (uint32_t i = 0; i < f->n_sums * FF_DENSE_LEVELS; i++)
    if (d->sum_at[i] == UINT32_MAX) d->sum_at[i] = d->beyond;
  return FF_OK;
}

/* Adds to the cells above a member. */
static void add_member(const ff_ssa_dense *d, uint32_t sum, uint32_t position, int32_t by, int32_t *cells) {
  for (uint32_t level = 1; level <= d->levels; level++) {
    const uint32_t at = d->sum_at[sum * FF_DENSE_LEVELS + level - 1];
    position >>= d->level[level - 1].shift;
    if (at != d->beyond) cells[at + position] += by;
  }
}

void ff_ssa_dense_sum_up(const ff_ssa_dense *d, const ff_ssa_factor *f, const double *rows, size_t stride, int32_t *cells) {
  memset(cells, 0, d->stride * sizeof *cells);
  for (uint32_t i = 0; i < f->n_sums; i++)
    for (uint32_t k = 0; k < f->sums[i].n; k++) {
      const ff_ssa_member *m = f->members + f->sums[i].first + k;
      add_member(d, i, k, (int32_t)(rows[m->species * stride] * m->weight), cells);
    }
  cells[d->beyond] = INT32_MAX;
}

/* ---- what reactions add ------------------------------------------------------------------------------------------------- */

/* The sum and the position of a member, by the cell of the other layout. */
typedef struct {
  uint32_t sum, position;
} place;

static ff_ssa_addend32 addend_at(const ff_ssa_factor *f, size_t i) {
  if (f->addends == NULL) return f->addends32[i];
  return (ff_ssa_addend32){f->addends[i].at, f->addends[i].by};
}

static int is_byte(int32_t x) { return x >= INT8_MIN && x <= INT8_MAX; }

static int changes(const int32_t *line) {
  int some = 0;
  for (uint32_t i = 0; i < FF_DENSE_LINE; i++) some |= line[i] != 0;
  return some;
}

/* Writes the blocks of a reaction: the lines that it changes, and then others, which fill up the last block. */
static void write_blocks(ff_ssa_dense *d, uint32_t r, const int32_t *cells, size_t *n_blocks) {
  ff_ssa_dense_block *block = d->blocks + r;
  const int all = d->lines <= FF_DENSE_FEW;
  uint32_t n = 0;
  d->next[r] = (uint32_t)*n_blocks;
  for (int wanted = 1; wanted >= 0; wanted--)
    for (uint32_t i = 0; i < d->lines; i++) {
      const int32_t *line = cells + i * FF_DENSE_LINE;
      if ((all || changes(line)) != wanted || (!wanted && n == FF_DENSE_FEW)) continue;
      if (n == FF_DENSE_FEW) {
        block = d->blocks + (*n_blocks)++;
        d->blocks[r].more++;
        n = 0;
      }
      for (uint32_t k = 0; k < FF_DENSE_LINE; k++) block->by[n][k] = (int8_t)line[k];
      block->line[n++] = (uint8_t)i;
    }
}

/* Writes what a reaction adds. Returns 0 if it does not fit. `cells` is scratch. */
static int write_reaction(ff_ssa_dense *d, const ff_ssa_factor *f, const ff_ssa_program *p, uint32_t r, const place *places,
                          int32_t *cells, size_t *n_blocks) {
  const ff_ssa_row *row = f->reactions + r;
  uint32_t *words = d->words + (size_t)r * d->n_words, n = 0;
  int fits = 1;
  for (uint32_t i = 0; i < row->rows; i++) {
    const ff_ssa_addend32 addend = addend_at(f, row->first + i);
    const uint32_t sum = addend.at - FF_FACTOR_ROW_OF_SUM(p, 0);
    if (addend.by == 0) continue;
    fits &= is_byte(addend.by);
    if (addend.at < p->n_species)
      words[n++] = addend.at * FF_SSA_LANES + ((uint32_t)addend.by << 24);
    else
      words[d->n_changes + sum / 4] |= ((uint32_t)addend.by & 0xFF) << 8 * (sum % 4);
  }
  memset(cells, 0, d->n_cells * sizeof *cells);
  for (uint32_t i = 0; i < row->cells; i++) {
    const ff_ssa_addend32 addend = addend_at(f, row->first + row->rows + i);
    if (places[addend.at].sum < f->n_sums) add_member(d, places[addend.at].sum, places[addend.at].position, addend.by, cells);
  }
  for (uint32_t i = 0; i < d->n_cells; i++) fits &= is_byte(cells[i]);
  write_blocks(d, r, cells, n_blocks);
  return fits;
}

static ff_status write_reactions(ff_ssa_dense *d, const ff_ssa_factor *f, const ff_ssa_program *p, int *fits) {
  place *places = ff_calloc(f->n_cells, sizeof *places);
  int32_t *cells = ff_calloc((size_t)d->n_cells + 1, sizeof *cells);
  size_t n_blocks = (size_t)p->n_reactions + 1;
  const ff_status status = places != NULL && cells != NULL ? FF_OK : FF_EMEMORY;
  for (uint32_t i = 0; i < f->n_cells && status == FF_OK; i++) places[i].sum = f->n_sums;
  for (uint32_t i = 0; i < f->n_sums && status == FF_OK; i++)
    for (uint32_t k = 0; k < f->sums[i].n && f->sums[i].levels > 0; k++) places[f->sums[i].at[0] + k] = (place){i, k};
  if (status == FF_OK) write_blocks(d, p->n_reactions, cells, &n_blocks); /* zeros */
  for (uint32_t r = 0; r < p->n_reactions && status == FF_OK && *fits; r++)
    *fits = write_reaction(d, f, p, r, places, cells, &n_blocks);
  free(places);
  free(cells);
  return status;
}

/* The most species that a reaction changes. */
static uint32_t most_changes(const ff_ssa_program *p) {
  uint32_t most = 1;
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (p->change_first[r + 1] - p->change_first[r] > most) most = p->change_first[r + 1] - p->change_first[r];
  return most;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static void write_tables(ff_ssa_dense *d, const ff_ssa_factor *f) {
  for (uint32_t i = 0; i <= f->n_members; i++) {
    const ff_ssa_member *m = f->members + i;
    d->weighted |= m->weight > 1;
    d->members[i] = m->species * FF_SSA_LANES;
  }
  for (uint32_t i = 0; i < FF_DENSE_WIDTH; i++) d->members[f->n_members + 1 + i] = (f->n_rows - 1) * FF_SSA_LANES;
  for (uint32_t i = 0; i <= f->n_members && d->weighted; i++) d->members[i] += f->members[i].weight << 24;
  for (uint32_t g = 0; g < FF_DENSE_TABLE; g++) {
    const uint32_t known = g < f->n_groups ? g : f->n_groups;
    const ff_ssa_search *search = f->searches + known;
    const int sums = known < f->n_factored;
    for (uint32_t level = 0; level < FF_DENSE_LEVELS; level++)
      d->at[level][g] = sums ? d->sum_at[f->groups[known].sum * FF_DENSE_LEVELS + level] : d->beyond;
    d->member[g] = search->member;
    d->map[g] = search->map;
    d->ranges[g] = search->ranges;
    d->b[g] = search->b * FF_SSA_LANES;
  }
}

static int may_be_dense(const ff_ssa_factor *f, const ff_ssa_program *p) {
  return f->n_groups <= FF_DENSE_GROUPS && f->reactions != NULL && f->n_rows < FF_DENSE_ROWS &&
         most_changes(p) <= FF_DENSE_CHANGES;
}

static ff_status fill(ff_ssa_dense *d, const ff_ssa_factor *f, const ff_ssa_program *p, int *fits) {
  const size_t n = (size_t)p->n_reactions + 1;
  *fits = choose_levels(d, f);
  if (!*fits) return FF_OK;
  if (place_cells(d, f) != FF_OK) return FF_EMEMORY;
  d->n_changes = most_changes(p);
  d->n_words = d->n_changes + divide_up(f->n_sums, 4);
  const size_t blocks = 1 + d->lines / FF_DENSE_FEW;
  *fits = d->lines <= FF_DENSE_LINES && n * (blocks * sizeof *d->blocks + d->n_words * sizeof *d->words) <= FF_DENSE_TABLES;
  if (!*fits) return FF_OK;
  d->members = ff_calloc((size_t)f->n_members + 1 + FF_DENSE_WIDTH, sizeof *d->members);
  d->words = ff_calloc(n, d->n_words * sizeof *d->words);
  d->next = ff_calloc(n, sizeof *d->next);
  d->blocks = ff_calloc_aligned(n * blocks, sizeof *d->blocks);
  if (d->members == NULL || d->words == NULL || d->blocks == NULL || d->next == NULL) return FF_EMEMORY;
  for (size_t r = 0; r < n; r++)
    for (uint32_t i = 0; i < d->n_changes; i++) d->words[r * d->n_words + i] = (f->n_rows - 1) * FF_SSA_LANES;
  write_tables(d, f);
  return write_reactions(d, f, p, fits);
}

void ff_ssa_dense_free(ff_ssa_dense *d) {
  if (d == NULL) return;
  free(d->sum_at);
  free(d->members);
  free(d->words);
  free(d->next);
  ff_free_aligned(d->blocks);
  ff_free_aligned(d);
}

ff_status ff_ssa_dense_new(ff_ssa_dense **out, const ff_ssa_factor *factor, const ff_ssa_program *program, ff_error *err) {
  int fits = 0;
  *out = NULL;
  if (!may_be_dense(factor, program)) return FF_OK;
  ff_ssa_dense *d = ff_calloc_aligned(1, sizeof *d);
  const ff_status status = d != NULL ? fill(d, factor, program, &fits) : FF_EMEMORY;
  if (status == FF_OK && fits)
    *out = d;
  else
    ff_ssa_dense_free(d);
  if (status != FF_OK) ff_error_set(err, status, "no memory for the factors of %u reactions", program->n_reactions);
  return status;
}
