/* Code for the factored method: the data that it reads. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_generate_factored.h"

#define NONE FF_SSA_PLACE_NONE
#define REGISTER FF_SSA_PLACE_REGISTER
#define MOST_CHANGE FF_SSA_MOST_CHANGE
#define CHUNK FF_SSA_CHUNK
#define UPPER FF_SSA_UPPER
#define NOTHING FF_SSA_NOTHING
#define TABLE_WORDS(shared) ((shared) / 228u * 10u) /* that a block keeps in shared memory */
#define WEIGHT_WORDS(shared) ((shared) / 57u)       /* of these, for weights */
#define MOST_SAFE 1e9 /* steps */

typedef ff_ssa_factored_sum plan;
typedef ff_ssa_factored_generator generator;

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* The part of a place. The last one has no cells. */
static uint32_t part_of(const generator *g, uint32_t place) { return place / (g->chunks * CHUNK); }

static int has_cells(const generator *g, uint32_t place) { return part_of(g, place) + 1 < g->parts; }

static void add_cell(const generator *g, uint32_t *words, uint32_t place, const plan *s, uint32_t by) {
  const uint32_t to = by << (s->bytes == UPPER ? 16 : 0), part = part_of(g, place);
  if (has_cells(g, place)) words[g->words + part * g->columns + s->cell] += to;
  if (has_cells(g, place) && g->regions > 1) words[ff_ssa_store_of(g) + part / g->region * g->columns + s->cell] += to;
}

static void fill_initial(const generator *g, uint32_t *to) {
  for (uint32_t s = 0; s <= g->p->n_species; s++) {
    const uint32_t at = g->place[s], x = (uint32_t)ff_ssa_initial_of(g, s);
    if (at == NONE) continue;
    if (at >= REGISTER)
      to[g->all + g->leaf_words + (at - REGISTER)] = x;
    else if (g->bits32)
      to[at] = x;
    else
      to[at / 2] |= x << (at % 2 * 16);
  }
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    for (uint32_t k = 0; k < g->f->sums[i].n; k++) {
      const ff_ssa_member *m = ff_ssa_members_of(g, i) + k;
      const uint32_t by = m->weight * (uint32_t)ff_ssa_initial_of(g, m->species);
      if (g->sums[i].total != NONE) to[g->all + g->leaf_words + g->sums[i].total] += by;
      if (!g->sums[i].small && g->place[m->species] < REGISTER) add_cell(g, to, g->place[m->species], g->sums + i, by);
    }
}

/* Whether word i of the initial ones has no two numbers of 16 bits. */
static int is_whole(const generator *g, uint32_t i) {
  if (i < g->words) return g->bits32;
  const uint32_t at = g->regions > 1 && i >= ff_ssa_store_of(g) ? i - ff_ssa_store_of(g) : i - g->words;
  return g->columns == 0 || at % g->columns >= g->pairs;
}

uint32_t ff_ssa_factored_safe(const generator *g) {
  const uint32_t *initial = (g->code->n_big > 0 ? g->code->big : g->code->table) + g->initial_at;
  double most = 0, most16 = 0;
  if (g->request->points != NULL) return 0; /* points differ */
  for (uint32_t i = 0; i < g->all; i++) {
    const double low = initial[i] & 0xFFFFu, high = initial[i] >> 16;
    if (is_whole(g, i) && initial[i] > most) most = initial[i];
    if (!is_whole(g, i) && (low > high ? low : high) > most16) most16 = low > high ? low : high;
  }
  const double safe = (FF_DEVICE_MOST - most) / g->most, safe16 = (65535 - most16) / (g->most16 > 1 ? g->most16 : 1);
  const double least = safe < safe16 ? safe : safe16;
  return least < 0 ? 0 : least < MOST_SAFE ? (uint32_t)least : (uint32_t)MOST_SAFE;
}

/* The position of a member in the map of its sum, and among the weights. */
static uint32_t position(const generator *g, uint32_t sum, uint32_t species) {
  const plan *s = g->sums + sum;
  const uint32_t at = g->place[species];
  const uint32_t head = REGISTER + g->totals + g->loose - g->head; /* the place of its first member */
  if (at >= REGISTER) return CHUNK * (s->small ? g->chunks : g->parts * g->chunks) + (at - head);
  return at - (!s->small ? 0 : g->quads ? s->first * CHUNK : s->first * (g->bits32 ? 1 : 2));
}

static void fill_weights(const generator *g, uint32_t *to) {
  if (g->ones) return;
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    for (uint32_t k = 0; k < g->f->sums[i].n; k++) {
      const ff_ssa_member *m = ff_ssa_members_of(g, i) + k;
      const uint32_t at = position(g, i, m->species);
      if (g->place[m->species] < REGISTER) to[2 * g->sums[i].weights + at / 4] |= m->weight << (at % 4 * 8);
    }
}

/* The weights of the head, by group. */
static void fill_heads(const generator *g, uint32_t *to) {
  for (uint32_t i = 0; i < g->f->n_factored && g->head > 0; i++) {
    const uint32_t sum = g->f->groups[i].sum;
    for (uint32_t k = 0; k < g->f->sums[sum].n; k++) {
      const ff_ssa_member *m = ff_ssa_members_of(g, sum) + k;
      const uint32_t at = g->place[m->species] - (REGISTER + g->totals + g->loose - g->head);
      if (g->place[m->species] >= REGISTER) to[2 * i + at / 4] |= m->weight << (at % 4 * 8);
    }
  }
}

static void fill_map(const generator *g, const ff_ssa_factor_group *group, uint32_t *to) {
  const uint32_t ranges = ff_ssa_ranges_of(g, group);
  if (group->kind == FF_GROUP_REST) {
    to[0] = group->hub;
    return;
  }
  for (uint32_t k = 0; k < g->f->sums[group->sum].n; k++) {
    const uint32_t at = position(g, group->sum, ff_ssa_members_of(g, group->sum)[k].species);
    if (ff_ssa_is_pool(group)) {
      to[at] = k;
      for (uint32_t j = 0; j < ranges; j++) to[ff_ssa_span(g) * (1 + j) + at] = g->f->map[group->map + j * ranges + k];
    } else {
      for (uint32_t u = 0; u < ranges; u++) to[at * ranges + u] = g->f->map[group->map + k * group->ranges + u];
    }
  }
}

/* A small sum is searched in the last part: chunks before it. */
static uint32_t chunks_before(const generator *g, int small) { return small ? (g->parts - 1) * g->chunks : 0; }

/* From chunk to chunk, as the first word of a group counts. */
static uint32_t chunk_step(const generator *g) { return g->quads ? 1 : g->bits32 ? CHUNK : CHUNK / 2; }

/* A group without a sum, or no group: its only molecule is in the last member of all. */
static void fill_single(const generator *g, int small, uint32_t map, uint32_t to[4]) {
  const uint32_t before = chunks_before(g, small);
  to[0] = ((0u - before * chunk_step(g)) & 0xFFFFu) | NOTHING << 16;
  to[1] = g->ones ? 0 : g->n_weights - g->chunks - before;
  to[2] = map - (g->parts * g->chunks * CHUNK - 1);
  to[3] = 1;
}

static void fill_group(const generator *g, const ff_ssa_factor_group *group, uint32_t map, uint32_t to[4]) {
  const int small = ff_ssa_is_small(g, group), pool = ff_ssa_is_pool(group);
  const uint32_t before = chunks_before(g, small), ranges = ff_ssa_ranges_of(g, group);
  const plan *s = g->sums + group->sum;
  to[0] = (((small ? s->first : 0) - before * chunk_step(g)) & 0xFFFFu) | (uint32_t)s->bytes << 16;
  to[1] = s->weights - before;
  to[2] = map - before * CHUNK * (pool ? 1 : ranges);
  to[3] = ranges | (g->parts > 1 && !small ? s->cell << 16 : 0) | (uint32_t)pool << 31;
}

/* The groups, and their maps. Entries that no molecule finds are a reaction without changes; for a pool, the first member. */
static void fill_groups(const generator *g, uint32_t *groups, uint32_t *maps) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < g->n_map; i++) maps[i] = g->p->n_reactions;
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    const int rest = group->kind == FF_GROUP_REST, pool = ff_ssa_is_pool(group);
    const uint32_t span = ff_ssa_span_of(g, group);
    if (g->ones) at = 0; /* all have the same map */
    if (rest) fill_single(g, ff_ssa_is_small(g, group), at, groups + 4 * i);
    else fill_group(g, group, at, groups + 4 * i);
    if (pool) memset(maps + at, 0, span * sizeof *maps);
    fill_map(g, group, maps + at);
    at += pool ? ff_ssa_span(g) * (1 + group->ranges) : span * (rest ? 1 : ff_ssa_ranges_of(g, group));
  }
  fill_single(g, 1, g->ones ? g->n_map - 1 : at, groups + 4 * g->f->n_groups);
}

/* What a reaction changes, and where the weights of species in sums are found: use_first and uses, by species. */
typedef struct {
  uint32_t *first;
  struct { uint32_t sum, weight; } *uses;
} species_uses;

static ff_status list_uses(const generator *g, species_uses *u, ff_error *err) {
  const uint32_t n = g->p->n_species + 1;
  u->first = ff_calloc((size_t)n + 1, sizeof *u->first);
  u->uses = ff_calloc((size_t)g->f->n_members + 1, sizeof *u->uses);
  if (u->first == NULL || u->uses == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  uint32_t at = 0;
  for (uint32_t i = 0; i < g->f->n_members; i++) u->first[g->f->members[i].species]++;
  for (uint32_t s = 0; s <= n; s++) u->first[s] = at += u->first[s];
  for (uint32_t i = g->f->n_sums; i-- > 0;)
    for (uint32_t k = g->f->sums[i].n; k-- > 0;) {
      const ff_ssa_member *m = ff_ssa_members_of(g, i) + k;
      const uint32_t to = --u->first[m->species];
      u->uses[to].sum = i;
      u->uses[to].weight = m->weight;
    }
  return FF_OK;
}

/* Adds to byte `at` of a row. Returns whether it fits. */
static int add_byte(uint32_t *row, uint32_t at, int64_t by) {
  const uint32_t shift = at % 4 * 8;
  const int64_t now = (int8_t)(uint8_t)(row[at / 4] >> shift) + by;
  row[at / 4] = (row[at / 4] & ~(0xFFu << shift)) | (uint32_t)(uint8_t)(int8_t)now << shift;
  return now >= -MOST_CHANGE && now <= MOST_CHANGE;
}

/* Where a word is from that of the first one. */
static uint32_t offset_of(const generator *g, uint32_t word) {
  return g->quads ? word / 4 * (4 * g->code->threads) + word % 4 : word * g->code->threads;
}

static uint32_t entry_of(const generator *g, uint32_t place, int64_t by) {
  uint32_t word = g->bits32 ? place : place / 2;
  const uint32_t half = g->bits32 ? 0 : place % 2, away = g->held > 0 && word >= 4 * g->held;
  if (away) word -= 4 * g->held;
  if (g->stored) return word << 9 | half << 8 | (uint32_t)(by + 128);
  return offset_of(g, word) << 16 | (uint32_t)(uint8_t)(int8_t)by << 8 | away << 7 | half << 4;
}

/* What tells a row of changes where the cells of a part are. */
static uint32_t cells_of(const generator *g, uint32_t part) {
  const uint32_t first = g->split ? 0 : g->held > 0 ? 4 * g->held : g->words; /* word of rows */
  return g->stored && !g->split ? part : offset_of(g, first + part * g->columns);
}

/* The byte of a sum's cell among the changes to those of a part. */
static uint32_t byte_of(const generator *g, const plan *s) {
  return s->cell < g->pairs ? 2 * s->cell + (s->bytes == UPPER) : s->cell + g->pairs;
}

/* The members of sums whose counts are words and change at reaction r; at none if it is the number of no reaction. */
static uint32_t count_moved(const generator *g, uint32_t r) {
  uint32_t moved = 0;
  for (uint32_t i = g->p->change_first[r]; r < g->p->n_reactions && i < g->p->change_first[r + 1]; i++)
    moved += g->place[g->p->changes[i].species] < g->members;
  return moved;
}

/* Entries of members come first. The others follow at once, so a row needs no more entries than a reaction changes counts. */
static int fill_change(const generator *g, const species_uses *u, uint32_t r, uint32_t *row) {
  const ff_ssa_program *p = g->p;
  const uint32_t cells = ff_ssa_cells_at(g), totals = ff_ssa_totals_at(g);
  uint32_t moved = 0, others = count_moved(g, r);
  int fits = 1;
  for (uint32_t i = 0; i < g->entries; i++) row[i] = entry_of(g, 0, 0);
  for (uint32_t i = 0; i < g->moved && g->parts > 1; i++) row[g->entries + i / 2] |= cells_of(g, 0) << (i % 2 * 16);
  for (uint32_t i = p->change_first[r]; r < p->n_reactions && i < p->change_first[r + 1]; i++) {
    const uint32_t species = p->changes[i].species, at = g->place[species];
    const int64_t by = p->changes[i].by;
    if (at == NONE) continue;
    if (at >= REGISTER) {
      fits &= add_byte(row, totals + (at - REGISTER), by);
    }
    const int word = at < REGISTER, counts = word && at < g->members && has_cells(g, at);
    const uint32_t entry = !word ? 0 : at < g->members ? moved++ : others++;
    if (word) row[entry] = entry_of(g, at, by);
    if (counts) row[g->entries + entry / 2] += (cells_of(g, part_of(g, at)) - cells_of(g, 0)) << (entry % 2 * 16);
    for (uint32_t k = u->first[species]; k < u->first[species + 1]; k++) {
      const plan *s = g->sums + u->uses[k].sum;
      const int64_t weighted = by * u->uses[k].weight;
      if (s->total != NONE) fits &= add_byte(row, totals + s->total, weighted);
      if (!s->small && counts) fits &= add_byte(row, cells + entry * g->cell_bytes + byte_of(g, s), weighted);
    }
  }
  for (uint32_t i = 0; i < totals - cells; i++)
    if (i % g->cell_bytes < 2 * g->pairs) row[(cells + i) / 4] ^= 0x80u << ((cells + i) % 4 * 8);
  return fits;
}

/* By reaction, or by entry of the maps. */
static ff_status fill_changes(const generator *g, const uint32_t *maps, uint32_t *rows, ff_error *err) {
  species_uses u = {NULL, NULL};
  ff_status status = list_uses(g, &u, err);
  const uint32_t n = g->mapped ? g->n_map : g->p->n_reactions + 1;
  int fits = 1;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    const uint32_t r = g->mapped ? maps[i] : i; /* beyond the weight of a member, no reaction */
    fits &= fill_change(g, &u, r < g->p->n_reactions ? r : g->p->n_reactions, rows + (size_t)i * g->change);
  }
  free(u.first);
  free(u.uses);
  if (status == FF_OK && !fits)
    status = ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a reaction changes a sum by more than %d", MOST_CHANGE);
  return status;
}

static uint32_t weight_words(const generator *g) { return round_up(2 * g->n_weights, 4); }

/* Weights go to shared memory if they are few, and then all other data, too. */
void ff_ssa_factored_size(generator *g) {
  ff_ssa_code *code = g->code;
  uint32_t groups = ff_ssa_heads_at(g) + (g->head > 0 ? round_up(2 * (g->f->n_groups + 1), 4) : 0);
  g->far = weight_words(g) > WEIGHT_WORDS(g->shared);
  g->weights_at = g->far ? g->n_data : groups;
  if (g->far) g->n_data += weight_words(g);
  else groups += weight_words(g);
  const int big = g->far || groups + g->n_data > TABLE_WORDS(g->shared);
  code->n_table = big ? groups : groups + g->n_data;
  code->n_big = big ? g->n_data : 0;
  code->n_rates = g->many ? 1 + g->n_special : g->f->n_groups;
  code->n_counts = g->totals + g->loose;
  if (!big) {
    g->initial_at += groups;
    g->maps_at += groups;
    g->changes_at += groups;
  }
  code->for_points = 1;
  code->initial_big = big;
  code->initial_at = g->initial_at;
  code->n_initial = g->all + g->leaf_words + g->totals + g->loose;
  code->leaves_at = 4 * (g->f->n_groups + 1);
  code->n_leaves = g->rate_words;
}

ff_status ff_ssa_factored_fill(generator *g, ff_error *err) {
  ff_ssa_code *code = g->code;
  const int big = code->n_big > 0;
  code->table = ff_calloc(code->n_table, sizeof *code->table);
  code->rates = ff_calloc(code->n_rates, sizeof *code->rates);
  if (big) code->big = ff_calloc(code->n_big, sizeof *code->big);
  if (code->table == NULL || code->rates == NULL || (big && code->big == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for code");
  uint32_t *const base = big ? code->big : code->table;
  for (uint32_t i = 0; i < g->f->n_groups && !g->many; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    code->rates[i] = group->kind == FF_GROUP_REST ? g->p->propensities[group->hub].rate : group->rate;
  }
  fill_initial(g, base + g->initial_at);
  fill_weights(g, (g->far ? base : code->table) + g->weights_at);
  uint32_t *maps = ff_calloc(g->n_map, sizeof *maps);
  if (maps == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  fill_groups(g, code->table, maps);
  for (uint32_t i = 0; i < g->n_map && !g->mapped; i++) ((uint16_t *)(base + g->maps_at))[i] = (uint16_t)maps[i];
  fill_heads(g, code->table + ff_ssa_heads_at(g));
  ff_status status = fill_changes(g, maps, base + g->changes_at, err);
  free(maps);
  if (status == FF_OK && g->many) status = ff_ssa_many_fill(g, base + g->initial_at, base + g->changes_at, err);
  return status;
}
