/* Code for the factored method: propensities of groups are computed at each event, from totals of sums. ff_ssa_thread_factored.h
 * has what does not depend on the network, and tells how counts and cells are laid out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_generate_factored.h"

#define NONE FF_SSA_PLACE_NONE
#define REGISTER FF_SSA_PLACE_REGISTER
#define MOST_REGISTERS 48u       /* totals, and counts that are not members */
#define MOST_LOOSE 8u            /* such counts */
#define MOST_CHANGE 127
#define MOST_WEIGHT 255u
#define MOST_REACTIONS 65534u    /* 16 bits, and one that changes nothing */
#define MOST_FORMULAS 512u       /* words */
#define NARROW 16384.0           /* counts have 16 bits if they begin below */
#define NARROW_CELLS 32768.0
#define ROOM 16384.0             /* for what 16 bits gain between two checks */
#define MOST_EVENTS 1024u        /* between two checks */
#define FEWEST_EVENTS 64u
#define CHUNK FF_SSA_CHUNK
#define TABLE_WORDS 10240u       /* that a block keeps in shared memory */
#define SHARED_BYTES 233472u     /* of a multiprocessor; */
#define BLOCK_BYTES 15872u       /* what each block takes of it for itself and for s_common */
#define FEWEST_THREADS 96u       /* for counts in shared memory */

typedef ff_ssa_factored_sum plan;
typedef ff_ssa_factored_generator generator;

/* Networks in which an event changes few of some groups are as those of many groups. */
#define FEW_GROUPS 16u
#define FEW_CHANGES 8u
static int has_many(const ff_ssa_factor *f, uint32_t n_reactions) {
  if (f->n_groups > FF_SSA_FEW_GROUPS) return 1;
  if (f->n_groups <= FEW_GROUPS || f->n_factored < f->n_groups) return 0;
  for (uint32_t r = 0; r < n_reactions; r++)
    if (f->reactions[r].groups > FEW_CHANGES) return 0;
  return 1;
}

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* ---- places ------------------------------------------------------------------------------------------------------------- */

static void want(generator *g, uint32_t species, uint32_t *n) {
  if (g->place[species] == NONE) g->place[species] = (*n)++;
}

/* Members come first, in the order of species. */
static void place_members(generator *g) {
  for (uint32_t s = 0; s <= g->p->n_species; s++) g->place[s] = NONE;
  for (uint32_t i = 0; i < g->f->n_members; i++) g->place[g->f->members[i].species] = 0;
  for (uint32_t s = 0; s <= g->p->n_species; s++)
    if (g->place[s] != NONE) g->place[s] = g->members++;
}

/* Then what hubs, laws and the caller read. */
static void place_others(generator *g) {
  uint32_t n = g->members;
  for (uint32_t i = 0; i < g->f->n_factored && !g->many; i++)
    if (g->f->groups[i].kind == FF_GROUP_HUB) want(g, g->f->groups[i].hub, &n);
  for (uint32_t i = 0; i < g->f->n_rest; i++) want(g, g->f->rest[i], &n);
  for (uint32_t i = 0; i < g->request->n_species; i++) want(g, g->request->species[i], &n);
  g->loose = n - g->members;
  const int registers = g->loose <= MOST_LOOSE && g->loose + g->totals <= MOST_REGISTERS;
  const uint32_t span = g->parts * g->chunks * CHUNK;
  for (uint32_t s = 0; s <= g->p->n_species; s++)
    if (g->place[s] != NONE && g->place[s] >= g->members)
      g->place[s] = registers ? REGISTER + g->totals + (g->place[s] - g->members) : span + (g->place[s] - g->members);
  g->counts = registers ? g->many ? round_up(g->members, CHUNK) : span : span + g->loose;
  if (!registers) g->loose = 0;
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static const ff_ssa_member *members_of(const generator *g, uint32_t sum) { return g->f->members + g->f->sums[sum].first; }

/* Parts of few chunks need many cells, and the search among them takes long; parts of many chunks are searched for long. */
static void choose_parts(generator *g) {
  const uint32_t chunks = (g->members + CHUNK - 1) / CHUNK;
  double best = INFINITY;
  for (uint32_t c = 1; c <= 64; c *= 2) {
    const uint32_t parts = (chunks + c - 1) / c, columns = g->cell16 ? (g->large + 1) / 2 : g->large;
    const double cost = 6.0 * (parts - 1) + 14.0 * (c - 1) + 0.5 * (parts > 1 ? parts * columns : 0);
    if (!(cost < best)) continue;
    best = cost;
    g->chunks = c;
    g->parts = parts;
  }
}

static void plan_sums(generator *g) {
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    const uint32_t n = g->f->sums[i].n, at = g->place[members_of(g, i)->species], begin = g->wide ? at : at & ~1u;
    plan *s = g->sums + i;
    *s = (plan){NONE, NONE, 0, 0, 0};
    s->small = g->place[members_of(g, i)[n - 1].species] - begin < CHUNK;
    if (s->small) s->first = g->wide ? begin : begin / 2;
    if (n > 1 && (!g->many || ff_ssa_many_has_total(g, i))) s->total = g->totals++;
    if (!s->small) s->cell = g->large++;
    g->smalls += s->small;
  }
  choose_parts(g);
  if (g->parts == 1) g->columns = 0;
  else g->columns = g->cell16 ? (g->large + 1) / 2 : g->large;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    g->sums[i].weights = g->n_weights;
    g->n_weights += g->sums[i].small ? 1 : g->parts * g->chunks;
  }
  if (g->checked) g->smalls++;
  g->n_weights += g->smalls > 0 ? 1 : g->parts * g->chunks; /* without weights, for what is no sum */
}

/* Whether a count or cell may begin with so much, in 16 bits. */
static void choose_widths(generator *g) {
  double most = 0;
  for (uint32_t s = 0; s < g->p->n_species; s++)
    if (g->request->initial[s] > most) most = g->request->initial[s];
  g->wide = most >= NARROW;
  g->cell16 = !g->wide;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    double total = 0;
    for (uint32_t k = 0; k < g->f->sums[i].n; k++) {
      const ff_ssa_member *m = members_of(g, i) + k;
      total += m->weight * (m->species < g->p->n_species ? g->request->initial[m->species] : 1);
    }
    if (total >= NARROW_CELLS) g->cell16 = 0;
  }
  g->most = g->f->most;
  double by = 0;
  for (uint32_t i = 0; i < g->p->n_changes; i++)
    if ((double)g->p->changes[i].by > by) by = (double)g->p->changes[i].by;
  if (g->most * FEWEST_EVENTS > ROOM) g->cell16 = 0;
  g->most16 = g->cell16 ? g->most : by;
  g->check = MOST_EVENTS;
  while (!g->wide && g->check > FEWEST_EVENTS && g->most16 * g->check > ROOM) g->check /= 2;
}

/* ---- limits ------------------------------------------------------------------------------------------------------------- */

static ff_status check_limits(const generator *g, ff_error *err) {
  const ff_ssa_program *p = g->p;
  uint64_t words = 0;
  if (p->n_reactions > MOST_REACTIONS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u reactions are too many", p->n_reactions);
  for (uint32_t i = 0; i < g->f->n_members; i++)
    if (g->f->members[i].weight > MOST_WEIGHT)
      return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a weight is %u", g->f->members[i].weight);
  for (uint32_t i = 0; i < p->n_changes; i++)
    if (p->changes[i].by > MOST_CHANGE || p->changes[i].by < -MOST_CHANGE)
      return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a reaction changes a count by %lld",
                          (long long)p->changes[i].by);
  for (uint32_t i = g->f->n_factored; i < g->f->n_groups; i++) {
    const ff_ssa_propensity *law = p->propensities + g->f->groups[i].hub;
    if (law->law == FF_LAW_FORMULA || law->law == FF_LAW_SCALED) words += p->formulas[law->a].length;
  }
  if (words > MOST_FORMULAS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: formulas of %llu words are too many",
                        (unsigned long long)words);
  return FF_OK;
}

/* ---- data --------------------------------------------------------------------------------------------------------------- */

static uint32_t span_of(const generator *g, const ff_ssa_factor_group *group) {
  return group->kind == FF_GROUP_REST || g->sums[group->sum].small ? CHUNK : g->parts * g->chunks * CHUNK;
}

/* The search without a group finds no reaction. If all sums are large, it is like theirs. */
static uint32_t span_of_none(const generator *g) { return g->smalls > 0 ? CHUNK : g->parts * g->chunks * CHUNK; }

static int is_pool(const ff_ssa_factor_group *group) { return group->kind == FF_GROUP_POOL && group->units > 1; }

/* The units of a group, of which 1 is enough if the member alone determines the reaction. */
static uint32_t units_of(const generator *g, const ff_ssa_factor_group *group) {
  if (group->kind == FF_GROUP_REST || is_pool(group)) return group->units;
  for (uint32_t k = 0; k < g->f->sums[group->sum].n; k++) {
    const uint32_t *map = g->f->map + group->map + k * group->units;
    for (uint32_t u = 1; u < members_of(g, group->sum)[k].weight && u < group->units; u++)
      if (map[u] != map[0]) return group->units;
  }
  return 1;
}

/* How much a reaction changes. */
static void measure_changes(generator *g) {
  const ff_ssa_program *p = g->p;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    uint32_t moved = 0, others = 0;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const uint32_t at = g->place[p->changes[i].species];
      moved += at < g->members;
      others += at != NONE && at >= g->members && at < REGISTER;
    }
    if (moved > g->moved) g->moved = moved;
    if (moved + others > g->entries) g->entries = moved + others;
  }
}

static void lay_out(generator *g) {
  uint32_t end = 0;
  const uint32_t each = g->wide ? 1 : 2, chunk_words = CHUNK / each;
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    if (g->sums[i].small && g->sums[i].first + chunk_words > end) end = g->sums[i].first + chunk_words;
  g->words = (g->counts + each - 1) / each;
  if (g->words < end) g->words = end;
  if (g->words < chunk_words) g->words = chunk_words; /* searches without a sum read the first chunk */
  if (!g->many) g->words = round_up(g->words, 4);
  g->all = g->words + (g->parts > 1 ? g->parts * g->columns : 0);
  if (!g->many) g->all = round_up(g->all, 4);
  while (g->all + g->leaf_words < g->parts * g->chunks * chunk_words) g->all++; /* searches read all chunks of a part */
  measure_changes(g);
  g->cell_bytes = g->cell16 ? 2 * g->columns : round_up(g->columns, 2);
  g->change = g->entries + (g->moved * g->cell_bytes + g->totals + g->loose + 3) / 4;
  if (g->many) ff_ssa_many_measure(g);
  g->change = round_up(g->change, 4);
  if (g->change == 0) g->change = 4;
  if (g->fixed == 0) g->fixed = g->change;
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    const uint32_t units = units_of(g, group);
    if (units > g->units) g->units = units;
    g->n_map += is_pool(group) ? span_of(g, group) + units * units : span_of(g, group) * units;
  }
  g->n_map += span_of_none(g);
  uint32_t at = 0;
  g->initial_at = at;
  at = round_up(at + g->all + g->leaf_words + g->totals + g->loose, 4);
  g->weights_at = at;
  at = round_up(at + 2 * g->n_weights, 4);
  g->maps_at = at;
  at = round_up(at + (g->n_map + 1) / 2, 4);
  g->changes_at = at;
  g->n_data = at + (g->p->n_reactions + 1) * g->change;
}

static double initial_of(const generator *g, uint32_t species) {
  return species < g->p->n_species ? g->request->initial[species] : 1;
}

static void add_cell(const generator *g, uint32_t *words, uint32_t place, uint32_t cell, uint32_t by) {
  const uint32_t part = place / (g->chunks * CHUNK), first = g->words + part * g->columns;
  if (g->cell16)
    words[first + cell / 2] += by << (cell % 2 * 16);
  else
    words[first + cell] += by;
}

static void fill_initial(const generator *g, uint32_t *to) {
  for (uint32_t s = 0; s <= g->p->n_species; s++) {
    const uint32_t at = g->place[s], x = (uint32_t)initial_of(g, s);
    if (at == NONE) continue;
    if (at >= REGISTER)
      to[g->all + g->leaf_words + (at - REGISTER)] = x;
    else if (g->wide)
      to[at] = x;
    else
      to[at / 2] |= x << (at % 2 * 16);
  }
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    for (uint32_t k = 0; k < g->f->sums[i].n; k++) {
      const ff_ssa_member *m = members_of(g, i) + k;
      const uint32_t by = m->weight * (uint32_t)initial_of(g, m->species);
      if (g->sums[i].total != NONE) to[g->all + g->leaf_words + g->sums[i].total] += by;
      if (g->sums[i].cell != NONE && g->parts > 1) add_cell(g, to, g->place[m->species], g->sums[i].cell, by);
    }
}

/* The position of a member among the chunks of its sum. */
static uint32_t position(const generator *g, uint32_t sum, uint32_t species) {
  return g->place[species] - (g->sums[sum].small ? g->sums[sum].first * (g->wide ? 1 : 2) : 0);
}

static void fill_weights(const generator *g, uint32_t *to) {
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    for (uint32_t k = 0; k < g->f->sums[i].n; k++) {
      const ff_ssa_member *m = members_of(g, i) + k;
      const uint32_t at = position(g, i, m->species);
      to[2 * g->sums[i].weights + at / 4] |= m->weight << (at % 4 * 8);
    }
}

static void fill_map(const generator *g, const ff_ssa_factor_group *group, uint16_t *to) {
  const uint32_t span = span_of(g, group), units = units_of(g, group);
  if (group->kind == FF_GROUP_REST) {
    for (uint32_t i = 0; i < CHUNK; i++) to[i] = (uint16_t)group->hub;
    return;
  }
  for (uint32_t k = 0; k < g->f->sums[group->sum].n; k++) {
    const uint32_t at = position(g, group->sum, members_of(g, group->sum)[k].species);
    if (is_pool(group)) {
      to[at] = (uint16_t)k;
      for (uint32_t j = 0; j < units; j++) to[span + k * units + j] = (uint16_t)g->f->map[group->map + k * units + j];
    } else {
      for (uint32_t u = 0; u < units; u++) to[at * units + u] = (uint16_t)g->f->map[group->map + k * group->units + u];
    }
  }
}

/* The groups, and their maps. Entries that no molecule finds are a reaction without changes; for a pool, the first member. */
static void fill_groups(const generator *g, uint32_t *groups, uint16_t *maps) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < g->n_map; i++) maps[i] = (uint16_t)g->p->n_reactions;
  for (uint32_t i = 0; i <= g->f->n_groups; i++) {
    const int none = i == g->f->n_groups;
    const ff_ssa_factor_group *group = g->f->groups + i;
    uint32_t *to = groups + 4 * i;
    to[1] = g->n_weights - span_of_none(g) / CHUNK;
    to[2] = at;
    to[3] = 1u | (uint32_t)(g->smalls > 0) << 30;
    if (none) break;
    if (group->kind != FF_GROUP_REST) {
      const plan *s = g->sums + group->sum;
      const uint32_t cell = s->cell != NONE && g->parts > 1 ? s->cell : 0;
      to[0] = s->first;
      to[1] = s->weights;
      to[3] = units_of(g, group) | (g->cell16 ? cell / 2 : cell) << 16 | (g->cell16 ? cell % 2 : 0) << 28;
      to[3] |= (uint32_t)s->small << 30;
      if (is_pool(group)) to[3] |= 1u << 31;
    }
    if (is_pool(group)) memset(maps + at, 0, span_of(g, group) * sizeof *maps);
    fill_map(g, group, maps + at);
    at += is_pool(group) ? span_of(g, group) + group->units * group->units : span_of(g, group) * units_of(g, group);
  }
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
      const ff_ssa_member *m = members_of(g, i) + k;
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

static uint32_t entry_of(const generator *g, uint32_t place, int64_t by) {
  const uint32_t word = g->wide ? place : place / 2, half = g->wide ? 0 : place % 2;
  return word << 9 | half << 8 | (uint32_t)(by + 128);
}

static int fill_change(const generator *g, const species_uses *u, uint32_t r, uint32_t *row) {
  const ff_ssa_program *p = g->p;
  const uint32_t cells_at = 4 * g->entries, totals_at = cells_at + g->moved * g->cell_bytes;
  uint32_t moved = 0, others = g->moved;
  int fits = 1;
  for (uint32_t i = 0; i < g->entries; i++) row[i] = entry_of(g, 0, 0);
  for (uint32_t i = p->change_first[r]; r < p->n_reactions && i < p->change_first[r + 1]; i++) {
    const uint32_t species = p->changes[i].species, at = g->place[species];
    const int64_t by = p->changes[i].by;
    if (at == NONE) continue;
    if (at >= REGISTER) {
      fits &= add_byte(row, totals_at + (at - REGISTER), by);
      continue;
    }
    const uint32_t entry = at < g->members ? moved++ : others++;
    row[entry] = entry_of(g, at, by);
    for (uint32_t k = u->first[species]; k < u->first[species + 1]; k++) {
      const plan *s = g->sums + u->uses[k].sum;
      const int64_t weighted = by * u->uses[k].weight;
      if (s->total != NONE) fits &= add_byte(row, totals_at + s->total, weighted);
      if (s->cell != NONE && g->parts > 1) fits &= add_byte(row, cells_at + entry * g->cell_bytes + s->cell, weighted);
    }
  }
  for (uint32_t i = cells_at; i < totals_at && g->cell16; i++) row[i / 4] ^= 0x80u << (i % 4 * 8);
  return fits;
}

static ff_status fill_changes(const generator *g, uint32_t *rows, ff_error *err) {
  species_uses u = {NULL, NULL};
  ff_status status = list_uses(g, &u, err);
  int fits = 1;
  for (uint32_t r = 0; r <= g->p->n_reactions && status == FF_OK; r++)
    fits &= fill_change(g, &u, r, rows + (size_t)r * g->change);
  free(u.first);
  free(u.uses);
  if (status == FF_OK && !fits)
    status = ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a reaction changes a sum by more than %d", MOST_CHANGE);
  return status;
}

/* Data go to shared memory if they are few. */
static ff_status fill_data(generator *g, ff_error *err) {
  ff_ssa_code *code = g->code;
  const uint32_t groups = 4 * (g->f->n_groups + 1) + g->rate_words;
  const int big = groups + g->n_data > TABLE_WORDS;
  code->n_table = big ? groups : groups + g->n_data;
  code->n_big = big ? g->n_data : 0;
  code->n_rates = g->many ? 1 + g->n_special : g->f->n_groups;
  code->table = ff_calloc(code->n_table, sizeof *code->table);
  code->rates = ff_calloc(code->n_rates, sizeof *code->rates);
  if (big) code->big = ff_calloc(code->n_big, sizeof *code->big);
  if (code->table == NULL || code->rates == NULL || (big && code->big == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for code");
  if (!big) {
    g->initial_at += groups;
    g->weights_at += groups;
    g->maps_at += groups;
    g->changes_at += groups;
  }
  uint32_t *const base = big ? code->big : code->table;
  for (uint32_t i = 0; i < g->f->n_groups && !g->many; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    code->rates[i] = group->kind == FF_GROUP_REST ? g->p->propensities[group->hub].rate : group->rate;
  }
  fill_initial(g, base + g->initial_at);
  fill_weights(g, base + g->weights_at);
  fill_groups(g, code->table, (uint16_t *)(base + g->maps_at));
  ff_status status = fill_changes(g, base + g->changes_at, err);
  if (status == FF_OK && g->many) status = ff_ssa_many_fill(g, base + g->initial_at, base + g->changes_at, err);
  return status;
}

/* ---- text -------------------------------------------------------------------------------------------------------------- */

static void define(generator *g, const char *name, uint32_t value) { ff_write(&g->out, "#define %s %uu\n", name, value); }

static void put_definitions(generator *g, uint32_t blocks) {
  const ff_ssa_code *code = g->code;
  define(g, "S_RATES", code->n_rates);
  define(g, "S_PLAIN", ff_ssa_factored_is_tame(g));
  define(g, "S_FIRST", 0);
  define(g, "S_KEEP_KEYS", g->many);
  define(g, "S_UNROLL", 1);
  define(g, "S_THREADS", code->threads);
  define(g, "S_BLOCKS", blocks);
  define(g, "S_WIDE", g->wide);
  define(g, "S_CELL16", g->cell16);
  define(g, "S_BIG", code->n_big > 0);
  define(g, "S_SMALL", g->smalls > 0);
  define(g, "S_LARGE", g->large > 0);
  define(g, "S_POOLS", g->f->pools != 0);
  define(g, "S_STORE", code->n_store);
  define(g, "S_REACTIONS", g->f->n_groups);
  define(g, "S_GROUPS", g->f->n_groups);
  define(g, "S_COUNTS", code->n_counts);
  define(g, "S_ROWS", code->n_rows);
  define(g, "S_MOST", (uint32_t)g->most);
  define(g, "S_CHUNK", g->check);
  define(g, "S_MOST16", 65535u - (uint32_t)g->most16 * g->check);
  define(g, "S_TABLE", code->n_table);
  define(g, "S_CHUNKS", g->chunks);
  define(g, "S_PARTS", g->parts);
  define(g, "S_SPAN", g->parts * g->chunks * CHUNK);
  define(g, "S_CELLS", g->words);
  define(g, "S_COLUMNS", g->columns);
  define(g, "S_CELL_BYTES", g->cell_bytes);
  define(g, "S_WORDS_ALL", g->all);
  define(g, "S_UNITS", g->units > 0 ? g->units : 1);
  define(g, "S_MOVED", g->moved);
  define(g, "S_ENTRIES", g->entries);
  define(g, "S_TOTALS", g->totals);
  define(g, "S_LOOSE", g->loose);
  define(g, "S_INITIAL", g->initial_at);
  define(g, "S_WEIGHTS", g->weights_at);
  define(g, "S_MAPS", g->maps_at);
  define(g, "S_CHANGES", g->changes_at);
  define(g, "S_CHANGE", g->change);
  define(g, "S_FIXED", g->fixed);
  define(g, "S_LEAF_WORDS", g->leaf_words);
  define(g, "S_MANY", g->many);
  define(g, "S_AHEAD", g->many);
  if (g->many) ff_ssa_many_define(g);
  if (g->checked) ff_write(&g->out, "#define S_FORMULAS 1\n");
}

static char *finish(generator *g) {
  char *text = g->out.text;
  g->out = (ff_writer){.status = g->out.status, .err = g->out.err};
  return text;
}

static ff_status generate(generator *g, uint32_t blocks, ff_error *err) {
  uint32_t *stack = ff_calloc((size_t)g->p->depth + 1, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  g->law = (ff_ssa_law_text){.out = &g->out, .program = g->p, .place = g->place, .stack = stack};
  put_definitions(g, blocks);
  g->code->definitions = finish(g);
  ff_ssa_factored_put(g);
  g->code->functions = finish(g);
  free(stack);
  return g->out.status;
}

/* As many threads as shared memory and registers allow. Returns the blocks of a multiprocessor. */
static uint32_t choose_threads(generator *g) {
  ff_ssa_code *code = g->code;
  const uint32_t table = 4 * code->n_table + BLOCK_BYTES, words = g->all + g->leaf_words;
  const uint32_t most = g->f->n_groups <= FF_SSA_FAN && code->n_counts <= 12 ? 1024 : 512;
  uint32_t best = 0, blocks = 1;
  code->threads = 128;
  code->n_sums = 2 * g->n_sums;
  if (words + code->n_sums <= (SHARED_BYTES - table) / 4 / FEWEST_THREADS)
    code->n_rows = words;
  else
    code->n_store = words;
  for (uint32_t threads = 512; threads >= 32; threads -= 32)
    for (uint32_t k = 1; k * threads <= most && k <= 16; k++)
      if (k * (table + 4 * (code->n_rows + code->n_sums) * threads) <= SHARED_BYTES && k * threads > best) {
        best = k * threads;
        blocks = k;
        code->threads = threads;
      }
  return blocks;
}

static ff_status generate_code(generator *g, ff_error *err) {
  g->checked = g->f->n_groups > g->f->n_factored;
  place_members(g);
  choose_widths(g);
  ff_status status = ff_ssa_many_plan(g, err);
  if (status != FF_OK) return status;
  plan_sums(g);
  place_others(g);
  if (g->totals + g->loose > MOST_REGISTERS || g->large > 255)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u sums are too many", g->f->n_sums);
  lay_out(g);
  status = fill_data(g, err);
  g->code->n_counts = g->totals + g->loose;
  return status == FF_OK ? generate(g, choose_threads(g), err) : status;
}

ff_status ff_ssa_generate_factored(ff_ssa_code *out, const ff_ssa_program *program, const ff_ssa_device_request *request,
                                   ff_error *err) {
  generator g = {.p = program, .f = program->factor, .request = request, .code = out, .out = {.err = err}};
  g.many = has_many(g.f, program->n_reactions);
  ff_status status = check_limits(&g, err);
  if (status != FF_OK) return status;
  g.place = ff_calloc((size_t)program->n_species + 1, sizeof *g.place);
  g.sums = ff_calloc((size_t)g.f->n_sums + 1, sizeof *g.sums);
  status = g.place != NULL && g.sums != NULL ? generate_code(&g, err) : ff_error_set(err, FF_EMEMORY, "no memory for code");
  free(g.place);
  free(g.sums);
  return status;
}
