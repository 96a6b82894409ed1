/* The layout of sums, and what each reaction changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_factor.h"

#define CHANGE_MOST (1 << 30)

/* It is faster to compute all groups of 16 trajectories in vectors than this part of them one by one. */
#define SPARSE 12

/* A member of a sum, by its species. */
typedef struct {
  uint32_t sum, position, weight;
} use;

/* Amounts of a row that is being written, by entry; 0 between rows. */
typedef struct {
  double *by;
  uint32_t *touched, n;
  uint64_t *bits; /* for ff_sort_unique_bits() */
} amounts;

typedef struct {
  ff_ssa_factor *f;
  const ff_ssa_program *p;
  uint32_t *use_first; /* for each species, and the one of which there is always one; with one entry more */
  use *uses;
  amounts rows, cells;
  uint32_t *reader_first, *readers; /* groups by the rows that they read */
  uint32_t *mark, stamp;            /* for each group */
  size_t room;
  int fits, bits16; /* whether addends are possible, and whether they have 16 bits */
  size_t addends;   /* the most for lists by reaction */
  int full;         /* whether there are more */
  ff_error *err;
} writer;

/* Sums have levels of cells one after the other. Sets also what groups read. */
static ff_status lay_out_sums(ff_ssa_factor *f, const ff_ssa_program *program, ff_error *err) {
  uint64_t cells = 0;
  for (uint32_t i = 0; i < f->n_sums; i++) {
    ff_ssa_factor_sum *s = f->sums + i;
    for (uint32_t n = s->n; n > 1; n = (n + FF_FACTOR_FAN - 1) / FF_FACTOR_FAN) {
      s->at[s->levels++] = (uint32_t)cells;
      cells += ((uint64_t)n + FF_FACTOR_FAN - 1) / FF_FACTOR_FAN * FF_FACTOR_FAN;
      if (n <= FF_FACTOR_FAN) break;
    }
    if (s->levels > f->levels) f->levels = s->levels;
  }
  if (cells > UINT32_MAX - 2 * FF_FACTOR_FAN) return ff_error_set(err, FF_ESIZE, "the factors of the network are too large");
  f->beyond = (uint32_t)cells;
  f->n_cells = (uint32_t)cells + FF_FACTOR_FAN + FF_FACTOR_ADDENDS;
  f->n_rows = FF_FACTOR_ROW_OF_SUM(program, f->n_sums) + FF_FACTOR_ADDENDS;
  for (uint32_t g = 0; g < f->n_groups; g++) {
    ff_ssa_factor_group *group = f->groups + g;
    group->a = group->b = program->n_species;
    if (group->kind == FF_GROUP_REST) continue;
    group->b = FF_FACTOR_ROW_OF_SUM(program, group->sum);
    if (group->kind != FF_GROUP_PLAIN) group->a = group->kind == FF_GROUP_HUB ? group->hub : group->b;
    group->less = group->kind == FF_GROUP_POOL;
    if (group->ranges > f->ranges) f->ranges = group->ranges;
    f->pools |= group->kind == FF_GROUP_POOL && group->ranges > 1;
  }
  return FF_OK;
}

static void set_search(ff_ssa_factor *f, ff_ssa_search *search, const ff_ssa_factor_group *group) {
  const ff_ssa_factor_sum none = {.first = f->n_members}, *sum = group->kind == FF_GROUP_REST ? &none : f->sums + group->sum;
  *search = (ff_ssa_search){.b = group->b, .map = group->map, .ranges = group->ranges, .member = sum->first};
  for (uint32_t level = 0; level < FF_FACTOR_MAX_LEVELS; level++)
    search->at[level] = level < sum->levels ? sum->at[level] : f->beyond;
}

/* One more group, member and entry of the map are for searches that must find no reaction. Searches for groups of kind
 * FF_GROUP_REST find a member, too. */
static ff_status write_searches(ff_ssa_factor *f, const ff_ssa_program *program, ff_error *err) {
  size_t members_room = f->n_members, map_room = f->n_map;
  ff_status status = ff_grow((void **)&f->members, &members_room, (size_t)f->n_members + 1, sizeof *f->members, err);
  if (status == FF_OK) status = ff_grow((void **)&f->map, &map_room, (size_t)f->n_map + 1, sizeof *f->map, err);
  if (status != FF_OK) return status;
  f->searches = ff_calloc((size_t)f->n_groups + 1, sizeof *f->searches);
  if (f->searches == NULL) return FF_EMEMORY;
  f->members[f->n_members] = (ff_ssa_member){program->n_species, 1};
  f->map[f->n_map] = program->n_reactions;
  for (uint32_t g = 0; g < f->n_groups; g++) set_search(f, f->searches + g, f->groups + g);
  const ff_ssa_factor_group none = {.kind = FF_GROUP_REST, .b = program->n_species, .map = f->n_map, .ranges = 1};
  set_search(f, f->searches + f->n_groups, &none);
  return FF_OK;
}

/* ---- what reads what ---------------------------------------------------------------------------------------------------- */

static ff_status list_uses(writer *w) {
  const ff_ssa_factor *f = w->f;
  const uint32_t n = w->p->n_species + 1;
  w->use_first = ff_calloc((size_t)n + 1, sizeof *w->use_first);
  w->uses = ff_calloc(f->n_members, sizeof *w->uses);
  if (w->use_first == NULL || w->uses == NULL) return FF_EMEMORY;
  for (uint32_t i = 0; i < f->n_members; i++) w->use_first[f->members[i].species]++;
  uint32_t at = 0;
  for (uint32_t s = 0; s <= n; s++) w->use_first[s] = at += w->use_first[s]; /* the ends, for now */
  for (uint32_t i = f->n_sums; i-- > 0;)
    for (uint32_t k = f->sums[i].n; k-- > 0;) {
      const ff_ssa_member *m = f->members + f->sums[i].first + k;
      w->uses[--w->use_first[m->species]] = (use){i, k, m->weight};
    }
  return FF_OK;
}

static ff_status list_group_readers(writer *w) {
  const ff_ssa_factor *f = w->f;
  w->reader_first = ff_calloc((size_t)f->n_rows + 1, sizeof *w->reader_first);
  w->readers = ff_calloc(2 * (size_t)f->n_groups, sizeof *w->readers);
  w->mark = ff_calloc(f->n_groups, sizeof *w->mark);
  if (!w->reader_first || !w->readers || !w->mark) return FF_EMEMORY;
  for (uint32_t g = 0; g < f->n_groups; g++) {
    const ff_ssa_factor_group *group = f->groups + g;
    if (group->kind == FF_GROUP_REST) continue;
    w->reader_first[group->a]++;
    w->reader_first[group->b]++;
  }
  uint32_t at = 0;
  for (uint32_t i = 0; i <= f->n_rows; i++) w->reader_first[i] = at += w->reader_first[i];
  for (uint32_t g = f->n_groups; g-- > 0;) {
    if (f->groups[g].kind == FF_GROUP_REST) continue;
    w->readers[--w->reader_first[f->groups[g].a]] = g;
    w->readers[--w->reader_first[f->groups[g].b]] = g;
  }
  return FF_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

static void add(amounts *a, uint32_t at, double by) {
  if (a->by[at] == 0) a->touched[a->n++] = at;
  a->by[at] += by;
}

static void add_change(writer *w, uint32_t species, double by) {
  add(&w->rows, species, by);
  for (uint32_t i = w->use_first[species]; i < w->use_first[species + 1]; i++) {
    const use *u = w->uses + i;
    const ff_ssa_factor_sum *s = w->f->sums + u->sum;
    uint32_t position = u->position;
    add(&w->rows, FF_FACTOR_ROW_OF_SUM(w->p, u->sum), by * u->weight);
    for (uint32_t level = 0; level < s->levels; level++, position /= FF_FACTOR_FAN)
      add(&w->cells, s->at[level] + position, by * u->weight);
  }
}

static void write_addend(writer *w, uint32_t at, double by) {
  if (fabs(by) > CHANGE_MOST) w->fits = 0;
  if (at > UINT16_MAX || fabs(by) > INT16_MAX) w->bits16 = 0;
  w->f->addends32[w->f->n_addends++] = (ff_ssa_addend32){at, (int32_t)(w->fits ? by : 0)};
}

/* Writes the amounts that are not 0, in ascending order, and makes all of them 0. Fills the list; `unread` is the first of the
 * spare entries at the end of the array, on which no propensity depends. Returns the length. */
static uint16_t write_amounts(writer *w, amounts *a, uint32_t unread) {
  const size_t before = w->f->n_addends;
  a->n = (uint32_t)ff_sort_unique_bits(a->touched, a->n, a->bits);
  for (uint32_t i = 0; i < a->n; i++) {
    const uint32_t at = a->touched[i];
    if (a->by[at] != 0) write_addend(w, at, a->by[at]);
    if (a->by[at] > w->f->most) w->f->most = a->by[at];
    a->by[at] = 0;
  }
  a->n = 0;
  while ((w->f->n_addends - before) % FF_FACTOR_ADDENDS != 0) write_addend(w, unread++, 0);
  if (w->f->n_addends - before > UINT16_MAX) w->fits = 0;
  return (uint16_t)(w->f->n_addends - before);
}

static void write_group(writer *w, uint32_t g) {
  if (w->mark[g] == w->stamp) return;
  w->mark[g] = w->stamp;
  write_addend(w, g, 0);
}

static void write_readers(writer *w, uint32_t item) {
  for (uint32_t i = w->reader_first[item]; i < w->reader_first[item + 1]; i++) write_group(w, w->readers[i]);
}

/* The groups whose propensities the reaction changes. Those of the rest are always computed. */
static uint16_t write_groups(writer *w, const ff_ssa_row *row) {
  const ff_ssa_factor *f = w->f;
  const size_t before = f->n_addends;
  w->stamp++;
  for (uint32_t i = 0; i < row->rows; i++) write_readers(w, f->addends32[row->first + i].at);
  return (uint16_t)(f->n_addends - before); /* at most FF_FACTOR_LEAVES */
}

/* Writes the addends of the changes that have been added. */
static ff_status write_changes(writer *w, ff_ssa_row *row) {
  ff_ssa_factor *f = w->f;
  ff_status status = ff_grow((void **)&f->addends32, &w->room, f->n_addends + w->rows.n + w->cells.n + f->n_groups +
                             2 * FF_FACTOR_ADDENDS, sizeof *f->addends32, w->err);
  if (status != FF_OK) return status;
  if (f->n_addends > w->addends) w->full = 1;
  row->first = (uint32_t)f->n_addends;
  row->rows = write_amounts(w, &w->rows, f->n_rows - FF_FACTOR_ADDENDS);
  row->cells = write_amounts(w, &w->cells, f->n_cells - FF_FACTOR_ADDENDS);
  return FF_OK;
}

static ff_status write_row(writer *w, uint32_t r) {
  const uint32_t first = w->p->change_first[r], n = w->p->change_first[r + 1] - first;
  ff_ssa_row *row = w->f->reactions + r;
  for (uint32_t i = 0; i < n; i++) add_change(w, w->p->changes[first + i].species, (double)w->p->changes[first + i].by);
  ff_status status = write_changes(w, row);
  row->groups = status == FF_OK && w->fits ? write_groups(w, row) : 0;
  return status;
}

/* The largest weight of a species, which is 1 if it is in no sum. */
static double weight_of(const writer *w, uint32_t species) {
  uint32_t most = 1;
  for (uint32_t i = w->use_first[species]; i < w->use_first[species + 1]; i++)
    if (w->uses[i].weight > most) most = w->uses[i].weight;
  return most;
}

/* Whether no step changes many molecules. Sets a bound of what a step adds to a row. */
static int measure_events(writer *w) {
  w->f->most = 0;
  for (uint32_t r = 0; r < w->p->n_reactions; r++) {
    double molecules = 0, most = 0;
    for (uint32_t i = w->p->change_first[r]; i < w->p->change_first[r + 1]; i++) {
      const double by = (double)w->p->changes[i].by;
      molecules += fabs(by);
      if (by > 0) most += by * weight_of(w, w->p->changes[i].species);
    }
    if (molecules > FF_FACTOR_MOLECULES) return 0;
    if (most > w->f->most) w->f->most = most;
  }
  return 1;
}

/* Lists by reaction need too much memory: writes lists by species instead. */
static ff_status write_species(writer *w) {
  ff_ssa_factor *f = w->f;
  free(f->reactions);
  free(f->addends32);
  f->reactions = NULL;
  f->addends32 = NULL;
  f->n_addends = w->room = 0;
  w->bits16 = 0;
  w->fits = 1;
  f->species = ff_calloc(2 * (size_t)w->p->n_species + 2, sizeof *f->species);
  if (f->species == NULL) return FF_EMEMORY;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < 2 * w->p->n_species && w->fits && status == FF_OK; i++) {
    add_change(w, i / 2, i % 2 == 0 ? 1 : -1);
    status = write_changes(w, f->species + i);
  }
  if (!measure_events(w)) w->fits = 0;
  return status;
}

static ff_status write_rows(writer *w) {
  ff_ssa_factor *f = w->f;
  f->reactions = ff_calloc((size_t)w->p->n_reactions + 1, sizeof *f->reactions);
  w->rows.by = ff_calloc(f->n_rows, sizeof *w->rows.by);
  w->rows.touched = ff_calloc((size_t)f->n_rows + f->n_members, sizeof *w->rows.touched);
  w->cells.by = ff_calloc(f->n_cells, sizeof *w->cells.by);
  w->cells.touched = ff_calloc((size_t)f->n_members * FF_FACTOR_MAX_LEVELS, sizeof *w->cells.touched);
  w->rows.bits = ff_calloc((size_t)f->n_rows / 64 + 1, sizeof *w->rows.bits);
  w->cells.bits = ff_calloc((size_t)f->n_cells / 64 + 1, sizeof *w->cells.bits);
  const int has_rows = w->rows.by != NULL && w->rows.touched != NULL && w->rows.bits != NULL;
  if (!f->reactions || !has_rows || !w->cells.by || !w->cells.touched || !w->cells.bits) return FF_EMEMORY;
  ff_status status = FF_OK;
  double groups = 0;
  for (uint32_t r = 0; r < w->p->n_reactions && w->fits && !w->full && status == FF_OK; r++) {
    status = write_row(w, r);
    groups += f->reactions[r].groups;
  }
  f->sparse = groups * SPARSE < (double)f->n_factored * w->p->n_reactions;
  if (status == FF_OK && w->full) {
    f->sparse = 0;
    status = write_species(w);
  }
  return status;
}

/* If all positions and amounts fit into 16 bits, the addends take half as much memory. */
static ff_status make_bits16(ff_ssa_factor *f) {
  f->addends = ff_calloc(f->n_addends, sizeof *f->addends);
  if (f->addends == NULL) return FF_EMEMORY;
  for (size_t i = 0; i < f->n_addends; i++)
    f->addends[i] = (ff_ssa_addend){(uint16_t)f->addends32[i].at, (int16_t)f->addends32[i].by};
  free(f->addends32);
  f->addends32 = NULL;
  return FF_OK;
}

/* ---- the rest ----------------------------------------------------------------------------------------------------------- */

static ff_status list_rest(ff_ssa_factor *f, const ff_ssa_program *p) {
  uint8_t *is_rest = ff_calloc(p->n_reactions, 1);
  f->rest = ff_calloc(p->n_species, sizeof *f->rest);
  if (is_rest == NULL || f->rest == NULL) {
    free(is_rest);
    return FF_EMEMORY;
  }
  for (uint32_t g = f->n_factored; g < f->n_groups; g++) is_rest[f->groups[g].hub] = 1;
  for (uint32_t s = 0; s < p->n_species; s++) {
    int read = 0;
    for (size_t i = p->reader_first[s]; i < p->reader_first[s + 1]; i++) read |= is_rest[p->readers[i]];
    if (read) f->rest[f->n_rest++] = s;
  }
  free(is_rest);
  return FF_OK;
}

ff_status ff_ssa_factor_lay_out(ff_ssa_factor *f, const ff_ssa_program *program, size_t addends, ff_error *err) {
  writer w = {.f = f, .p = program, .addends = addends, .fits = 1, .bits16 = 1, .err = err};
  ff_status status = lay_out_sums(f, program, err);
  if (status != FF_OK) return status;
  status = list_uses(&w);
  if (status == FF_OK) status = list_group_readers(&w);
  if (status == FF_OK) status = write_rows(&w);
  if (status == FF_OK && w.bits16) status = make_bits16(f);
  if (status == FF_OK) status = write_searches(f, program, err);
  if (status == FF_OK) status = list_rest(f, program);
  if (status == FF_EMEMORY) ff_error_set(err, FF_EMEMORY, "no memory for the factors of %u reactions", program->n_reactions);
  if (status == FF_OK && !w.fits) f->n_groups = FF_FACTOR_NONE;
  free(w.use_first);
  free(w.uses);
  free(w.reader_first);
  free(w.readers);
  free(w.mark);
  free(w.rows.by);
  free(w.rows.touched);
  free(w.rows.bits);
  free(w.cells.by);
  free(w.cells.touched);
  free(w.cells.bits);
  return status;
}
