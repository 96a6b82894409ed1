/* Code for the factored method: propensities of groups are computed at each event, from totals of sums. ff_ssa_thread_factored.h
 * has what does not depend on the network, and tells how counts and cells are laid out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_expect.h"
#include "ff_ssa_generate_factored.h"

#define NONE FF_SSA_PLACE_NONE
#define REGISTER FF_SSA_PLACE_REGISTER
#define MOST_REGISTERS 48u       /* totals, and counts that are not members */
#define MOST_LOOSE 8u            /* such counts */
#define MOST_CHANGE 127
#define MOST_WEIGHT 255u
#define MOST_REACTIONS 65534u    /* 16 bits, and one that changes nothing */
#define MOST_FORMULAS 512u       /* words */
#define NARROW 16384.0           /* counts and cells have 16 bits if so much is expected, */
#define NARROW_EXPECTED 32768.0  /* if this is known well */
#define ROOM 16384.0             /* for what 16 bits gain between two checks */
#define MOST_EVENTS 1024u        /* between two checks */
#define FEWEST_EVENTS 64u
#define CHUNK FF_SSA_CHUNK
#define MOST_HEAD 8u
#define MOST_PARTS 128u
#define MOST_CHUNKS 65535u       /* their numbers have 16 bits */
#define LOWER 0x4410u            /* equal those of ff_ssa_thread_factored.h: the bytes of a cell */
#define UPPER 0x4432u
#define WHOLE 0x3210u
#define NOTHING 0x4444u
#define TABLE_WORDS 10240u       /* that a block keeps in shared memory */
#define WEIGHT_WORDS 4096u       /* of these, for weights */
#define SHARED_BYTES 233472u     /* of a multiprocessor; */
#define BLOCK_BYTES 15872u       /* what each block takes of it for itself and for s_common */
#define FEWEST_THREADS 128u      /* for counts in shared memory */
#define FEWEST_SPLIT 96u         /* for cells there, and counts in global memory */
#define SECTOR_COST 350.0        /* of 32 bytes of global memory, in instructions */

typedef ff_ssa_factored_sum plan;
typedef ff_ssa_factored_generator generator;

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* ---- places ------------------------------------------------------------------------------------------------------------- */

static void want(generator *g, uint32_t species, uint32_t *n) {
  if (g->place[species] == NONE) g->place[species] = (*n)++;
}

static double initial_of(const generator *g, uint32_t species) {
  return species < g->p->n_species ? g->request->initial[species] : 1;
}

/* Whether a count may exceed 16 bits. */
static int is_large(const generator *g, uint32_t species) {
  const double limit = g->checked ? NARROW : NARROW_EXPECTED;
  return initial_of(g, species) >= limit || (species < g->p->n_species && g->expected[species] >= limit);
}

static int has_total(const generator *g, uint32_t sum) {
  return g->f->sums[sum].n > 1 && (!g->many || ff_ssa_many_has_total(g, sum));
}

/* The members up to the last one with a large count are the head, if they are few. If they are not, all counts have 32 bits. */
static void choose_head(generator *g) {
  uint32_t n = 0, registers = 0;
  int others = 0;
  for (uint32_t s = 0; s <= g->p->n_species; s++) {
    if (g->place[s] == NONE) continue;
    const int member = g->place[s] < g->members;
    n += member;
    if (member && is_large(g, s)) g->head = n;
    others |= !member && is_large(g, s);
    registers += !member;
  }
  if (registers > MOST_LOOSE || registers + g->totals > MOST_REGISTERS) registers = 0;
  else others = 0;
  g->wide = others || g->head > MOST_HEAD || g->head + registers + g->totals > MOST_REGISTERS;
  if (g->wide) g->head = 0;
  g->loose = registers;
}

/* Members come first, in the order of species; then what hubs, laws and the caller read. */
static void place_counts(generator *g) {
  for (uint32_t s = 0; s <= g->p->n_species; s++) g->place[s] = NONE;
  for (uint32_t i = 0; i < g->f->n_members; i++) g->place[g->f->members[i].species] = 0;
  for (uint32_t s = 0; s <= g->p->n_species; s++)
    if (g->place[s] != NONE) g->place[s] = g->members++;
  uint32_t n = g->members;
  for (uint32_t i = 0; i < g->f->n_factored && !g->many; i++)
    if (g->f->groups[i].kind == FF_GROUP_HUB) want(g, g->f->groups[i].hub, &n);
  for (uint32_t i = 0; i < g->f->n_rest; i++) want(g, g->f->rest[i], &n);
  for (uint32_t i = 0; i < g->request->n_species; i++) want(g, g->request->species[i], &n);
  for (uint32_t i = 0; i < g->f->n_sums; i++) g->totals += has_total(g, i);
  choose_head(g);
  g->counts = n - g->head - g->loose;
  g->members -= g->head;
  for (uint32_t s = 0; s <= g->p->n_species; s++)
    if (g->place[s] < g->head)
      g->place[s] += REGISTER + g->totals + g->loose;
    else if (g->place[s] != NONE)
      g->place[s] -= g->head;
  g->loose += g->head;
}

/* Counts that are not members follow the chunks, or are in registers. */
static void place_others(generator *g) {
  const uint32_t span = round_up(g->members, CHUNK);
  const int registers = g->loose > g->head;
  for (uint32_t s = 0; s <= g->p->n_species; s++)
    if (g->place[s] < REGISTER && g->place[s] >= g->members)
      g->place[s] += (registers ? REGISTER + g->totals : span) - g->members;
  g->counts += span - g->members;
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static const ff_ssa_member *members_of(const generator *g, uint32_t sum) { return g->f->members + g->f->sums[sum].first; }

/* The places of the first and last members of a sum that are not in the head. Returns whether there are any. */
static int range_of(const generator *g, uint32_t sum, uint32_t *first, uint32_t *last) {
  const uint32_t n = g->f->sums[sum].n;
  uint32_t k = 0;
  while (k < n && g->place[members_of(g, sum)[k].species] >= REGISTER) k++;
  *first = *last = 0;
  if (k == n) return 0;
  *first = g->place[members_of(g, sum)[k].species];
  *last = g->place[members_of(g, sum)[n - 1].species];
  return 1;
}

/* The first word or place of the chunk of a sum if it is small; NONE if it is not. */
static uint32_t chunk_of(const generator *g, uint32_t sum, int quads) {
  uint32_t first, last;
  range_of(g, sum, &first, &last);
  if (quads) return first / CHUNK == last / CHUNK ? first / CHUNK : NONE;
  if (!g->wide) first &= ~1u;
  return last - first < CHUNK ? (g->wide ? first : first / 2) : NONE;
}

/* Chunks take one load each if they begin at multiples of their size. This is worth it unless far more sums are large then. */
static int use_quads(const generator *g) {
  uint32_t large = 0, large_quads = 0;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    large += chunk_of(g, i, 0) == NONE;
    large_quads += chunk_of(g, i, 1) == NONE;
  }
  return large_quads <= 4 * large || g->members > MOST_CHUNKS;
}

/* Words of counts. The chunks of the last part may be fewer. */
static uint32_t count_words(const generator *g) {
  const uint32_t each = g->wide ? 1 : 2;
  return (round_up(g->members, CHUNK) + (g->counts - g->members) + each - 1) / each;
}

/* What a step costs: with c chunks in each part. More warps hide more of the time that loads take. */
static double cost_of(generator *g, uint32_t parts, uint32_t c) {
  const double others = g->leaf_words + 2.0 * g->n_sums, cells = (double)(parts - 1) * g->columns;
  const double words = round_up(count_words(g), 4) + cells + others;
  const double weights = 8.0 * g->f->n_sums * parts * c, free = SHARED_BYTES - BLOCK_BYTES;
  const double instructions = 300 + 20.0 * g->f->n_groups + 6.0 * (parts - 1) + 9.0 * (c - 1);
  g->stored = 4 * words * FEWEST_THREADS > free;
  g->split = g->stored && !g->many && 4 * cells * FEWEST_SPLIT <= free;
  double warps = 16, sectors = 0;
  if (g->split) warps = cells > 0 ? floor(free / (128 * cells)) : 16;
  if (!g->stored) warps = floor((free - weights) / (128 * words));
  if (warps > (g->split ? 16 : 28)) warps = g->split ? 16 : 28;
  if (g->stored) sectors = c * (g->wide ? 1 : 0.5) + (g->split ? 0 : (parts - 1) * (g->columns < 8 ? g->columns / 8.0 : 1));
  return instructions * (1 + 8 / (warps < 1 ? 1 : warps)) + SECTOR_COST * sectors;
}

/* Parts of few chunks need many cells, and the search among them takes long; parts of many chunks are searched for long. */
static void choose_parts(generator *g) {
  const uint32_t chunks = g->members > 0 ? (g->members + CHUNK - 1) / CHUNK : 1;
  double best = INFINITY;
  g->parts = g->chunks = 1;
  for (uint32_t parts = 1; g->large > 0 && parts <= chunks && parts <= MOST_PARTS; parts++) {
    const uint32_t c = (chunks + parts - 1) / parts;
    if ((parts - 1) * c >= chunks || !(cost_of(g, parts, c) < best)) continue;
    best = cost_of(g, parts, c);
    g->chunks = c;
    g->parts = parts;
  }
  cost_of(g, g->parts, g->chunks); /* tells where counts are */
}

/* Whether the cells of a sum have 16 bits. */
static int is_narrow(const generator *g, uint32_t sum) {
  double expected = 0, initial = 0;
  for (uint32_t k = 0; k < g->f->sums[sum].n; k++) {
    const ff_ssa_member *m = members_of(g, sum) + k;
    if (g->place[m->species] >= REGISTER) continue;
    initial += m->weight * initial_of(g, m->species);
    if (m->species < g->p->n_species) expected += m->weight * g->expected[m->species];
  }
  return !g->wide && g->f->most * FEWEST_EVENTS <= ROOM && initial < NARROW_EXPECTED &&
         expected < (g->checked ? NARROW : NARROW_EXPECTED);
}

/* Cells of 16 bits come first, two to a word. */
static void place_cells(generator *g) {
  uint32_t halves = 0, wholes = 0;
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    if (!g->sums[i].small && is_narrow(g, i)) {
      g->sums[i].bytes = halves % 2 == 0 ? LOWER : UPPER;
      g->sums[i].cell = halves++ / 2;
    }
  g->pairs = (halves + 1) / 2;
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    if (!g->sums[i].small && g->sums[i].cell == NONE) {
      g->sums[i].bytes = WHOLE;
      g->sums[i].cell = g->pairs + wholes++;
    }
  g->used = g->pairs + wholes;
  g->columns = !g->quads || g->used <= 2 ? g->used : round_up(g->used, 4);
}

static void plan_sums(generator *g) {
  uint32_t totals = 0;
  g->quads = use_quads(g);
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    plan *s = g->sums + i;
    const uint32_t first = chunk_of(g, i, g->quads);
    *s = (plan){NONE, NONE, NOTHING, first != NONE, first != NONE ? first : 0, 0};
    if (has_total(g, i)) s->total = totals++;
    g->large += !s->small;
  }
  place_cells(g);
  choose_parts(g);
  if (g->parts == 1) g->columns = g->used = g->pairs = 0;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    g->sums[i].weights = g->n_weights;
    g->n_weights += g->sums[i].small ? g->chunks : g->parts * g->chunks;
  }
  g->n_weights += g->chunks; /* without weights, for what is no sum */
}

/* How many events may happen between two checks. */
static void choose_check(generator *g) {
  double by = 0;
  g->most = g->f->most;
  for (uint32_t i = 0; i < g->p->n_changes; i++)
    if ((double)g->p->changes[i].by > by) by = (double)g->p->changes[i].by;
  g->most16 = g->pairs > 0 ? g->most : by;
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

/* Positions in the map of a group: those of its chunks, then those of the head. */
static int is_small(const generator *g, const ff_ssa_factor_group *group) {
  return group->kind == FF_GROUP_REST || g->sums[group->sum].small;
}

static int is_pool(const ff_ssa_factor_group *group) { return group->kind == FF_GROUP_POOL && group->units > 1; }

static uint32_t head_span(const generator *g) { return g->head > 0 ? MOST_HEAD : 0; }

/* A search without weights ends at the last position, and in a small sum among the first. */
static uint32_t span_of(const generator *g, const ff_ssa_factor_group *group) {
  if (group->kind == FF_GROUP_REST) return 1;
  if (is_small(g, group) && g->head == 0 && !is_pool(group)) return CHUNK;
  return CHUNK * (is_small(g, group) ? g->chunks : g->parts * g->chunks) + head_span(g);
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

/* Where totals begin in a row of changes, in bytes; the cells are before. */
static uint32_t cells_at(const generator *g) { return 4 * (g->entries + (g->parts > 1 ? (g->moved + 1) / 2 : 0)); }
static uint32_t totals_at(const generator *g) { return cells_at(g) + g->moved * g->cell_bytes; }

static void lay_out_words(generator *g) {
  uint32_t end = 0;
  const uint32_t each = g->wide ? 1 : 2, chunk_words = CHUNK / each;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    const plan *s = g->sums + i;
    const uint32_t reads = (g->chunks > 1 ? g->chunks - 1 : 1) * chunk_words + s->first * (g->quads ? chunk_words : 1);
    if (s->small && reads > end) end = reads;
  }
  g->words = (g->counts + each - 1) / each;
  if (g->words < chunk_words * g->chunks) g->words = chunk_words * g->chunks; /* what searches without a sum read */
  g->words = round_up(g->words, 4);
  if (end < g->parts * g->chunks * chunk_words) end = g->parts * g->chunks * chunk_words; /* that weigh nothing */
  if (g->split && g->words < end) g->words = round_up(end, 4);
  g->all = round_up(g->words + (g->parts - 1) * g->columns, 4);
  if (g->all < end) g->all = round_up(end, 4);
}

static void lay_out(generator *g) {
  lay_out_words(g);
  measure_changes(g);
  g->cell_bytes = g->used + g->pairs;
  g->change = (totals_at(g) + g->totals + g->loose + 3) / 4;
  if (g->many) ff_ssa_many_measure(g);
  g->change = round_up(g->change, 4);
  if (g->change == 0) g->change = 4;
  if (g->fixed == 0) g->fixed = g->change;
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    const uint32_t units = group->units;
    g->n_map += is_pool(group) ? span_of(g, group) + units * units : span_of(g, group) * units;
  }
  g->n_map++; /* for the search without a group, which finds no reaction */
  uint32_t at = 0;
  g->initial_at = at;
  at = round_up(at + g->all + g->leaf_words + g->totals + g->loose, 4);
  g->maps_at = at;
  at = round_up(at + (g->n_map + 1) / 2, 4);
  g->changes_at = at;
  g->n_data = at + (g->p->n_reactions + 1) * g->change;
}

/* The part of a place. The last one has no cells. */
static uint32_t part_of(const generator *g, uint32_t place) { return place / (g->chunks * CHUNK); }

static int has_cells(const generator *g, uint32_t place) { return part_of(g, place) + 1 < g->parts; }

static void add_cell(const generator *g, uint32_t *words, uint32_t place, const plan *s, uint32_t by) {
  if (has_cells(g, place))
    words[g->words + part_of(g, place) * g->columns + s->cell] += by << (s->bytes == UPPER ? 16 : 0);
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
      if (!g->sums[i].small && g->place[m->species] < REGISTER) add_cell(g, to, g->place[m->species], g->sums + i, by);
    }
}

/* The position of a member in the map of its sum, and among the weights. */
static uint32_t position(const generator *g, uint32_t sum, uint32_t species) {
  const plan *s = g->sums + sum;
  const uint32_t at = g->place[species];
  if (at >= REGISTER) return CHUNK * (s->small ? g->chunks : g->parts * g->chunks) + (at - REGISTER - (g->totals + g->loose - g->head));
  return at - (!s->small ? 0 : g->quads ? s->first * CHUNK : s->first * (g->wide ? 1 : 2));
}

static void fill_weights(const generator *g, uint32_t *to) {
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    for (uint32_t k = 0; k < g->f->sums[i].n; k++) {
      const ff_ssa_member *m = members_of(g, i) + k;
      const uint32_t at = position(g, i, m->species);
      if (g->place[m->species] < REGISTER) to[2 * g->sums[i].weights + at / 4] |= m->weight << (at % 4 * 8);
    }
}

/* The weights of the head, by group. */
static void fill_heads(const generator *g, uint32_t *to) {
  for (uint32_t i = 0; i < g->f->n_factored && g->head > 0; i++) {
    const uint32_t sum = g->f->groups[i].sum;
    for (uint32_t k = 0; k < g->f->sums[sum].n; k++) {
      const ff_ssa_member *m = members_of(g, sum) + k;
      const uint32_t at = g->place[m->species] - (REGISTER + g->totals + g->loose - g->head);
      if (g->place[m->species] >= REGISTER) to[2 * i + at / 4] |= m->weight << (at % 4 * 8);
    }
  }
}

static void fill_map(const generator *g, const ff_ssa_factor_group *group, uint16_t *to) {
  const uint32_t span = span_of(g, group), units = group->units;
  if (group->kind == FF_GROUP_REST) {
    to[0] = (uint16_t)group->hub;
    return;
  }
  for (uint32_t k = 0; k < g->f->sums[group->sum].n; k++) {
    const uint32_t at = position(g, group->sum, members_of(g, group->sum)[k].species);
    if (is_pool(group)) {
      to[at] = (uint16_t)k;
      for (uint32_t j = 0; j < units; j++) to[span + k * units + j] = (uint16_t)g->f->map[group->map + k * units + j];
    } else {
      for (uint32_t u = 0; u < units; u++) to[at * units + u] = (uint16_t)g->f->map[group->map + k * units + u];
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
    const uint32_t units = none || group->kind == FF_GROUP_REST || is_pool(group) ? 1 : group->units;
    const int small = none || is_small(g, group), in_sum = !none && group->kind != FF_GROUP_REST;
    const uint32_t before = small ? (g->parts - 1) * g->chunks : 0; /* a small sum is searched in the last part */
    uint32_t *to = groups + 4 * i;
    const uint32_t step = g->quads ? 1 : g->wide ? CHUNK : CHUNK / 2; /* from chunk to chunk, as to[0] counts */
    to[0] = (0u - before * step) & 0xFFFFu;
    to[1] = g->n_weights - g->chunks - before;
    to[2] = at - (in_sum ? before * CHUNK * units : g->parts * g->chunks * CHUNK - 1);
    to[3] = 1;
    uint32_t bytes = NOTHING;
    if (in_sum) {
      const plan *s = g->sums + group->sum;
      to[0] = ((small ? s->first : 0) - before * step) & 0xFFFFu;
      to[1] = s->weights - before;
      to[3] = group->units | (g->parts > 1 && !small ? s->cell << 16 : 0) | (uint32_t)is_pool(group) << 31;
      bytes = s->bytes;
    }
    to[0] |= bytes << 16;
    if (none) break;
    if (is_pool(group)) memset(maps + at, 0, span_of(g, group) * sizeof *maps);
    fill_map(g, group, maps + at);
    at += is_pool(group) ? span_of(g, group) + group->units * group->units : span_of(g, group) * group->units;
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

/* Where a word is from that of the first one. */
static uint32_t offset_of(const generator *g, uint32_t word) {
  return g->quads ? word / 4 * (4 * g->code->threads) + word % 4 : word * g->code->threads;
}

static uint32_t entry_of(const generator *g, uint32_t place, int64_t by) {
  const uint32_t word = g->wide ? place : place / 2, half = g->wide ? 0 : place % 2;
  if (g->stored) return word << 9 | half << 8 | (uint32_t)(by + 128);
  return offset_of(g, word) << 16 | (uint32_t)(uint8_t)(int8_t)by << 8 | half << 4;
}

/* What tells a row of changes where the cells of a part are. */
static uint32_t cells_of(const generator *g, uint32_t part) {
  return g->stored && !g->split ? part : offset_of(g, (g->split ? 0 : g->words) + part * g->columns);
}

/* The byte of a sum's cell among the changes to those of a part. */
static uint32_t byte_of(const generator *g, const plan *s) {
  return s->cell < g->pairs ? 2 * s->cell + (s->bytes == UPPER) : s->cell + g->pairs;
}

static int fill_change(const generator *g, const species_uses *u, uint32_t r, uint32_t *row) {
  const ff_ssa_program *p = g->p;
  const uint32_t cells = cells_at(g), totals = totals_at(g);
  uint32_t moved = 0, others = g->moved;
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

static uint32_t heads_at(const generator *g) { return 4 * (g->f->n_groups + 1) + g->rate_words; }

static uint32_t weight_words(const generator *g) { return round_up(2 * g->n_weights, 4); }

/* Weights go to shared memory if they are few, and then all other data, too. */
static void size_data(generator *g) {
  ff_ssa_code *code = g->code;
  uint32_t groups = heads_at(g) + (g->head > 0 ? round_up(2 * (g->f->n_groups + 1), 4) : 0);
  g->far = weight_words(g) > WEIGHT_WORDS;
  g->weights_at = g->far ? g->n_data : groups;
  if (g->far) g->n_data += weight_words(g);
  else groups += weight_words(g);
  const int big = g->far || groups + g->n_data > TABLE_WORDS;
  code->n_table = big ? groups : groups + g->n_data;
  code->n_big = big ? g->n_data : 0;
  code->n_rates = g->many ? 1 + g->n_special : g->f->n_groups;
  code->n_counts = g->totals + g->loose;
  if (!big) {
    g->initial_at += groups;
    g->maps_at += groups;
    g->changes_at += groups;
  }
}

static ff_status fill_data(generator *g, ff_error *err) {
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
  fill_groups(g, code->table, (uint16_t *)(base + g->maps_at));
  fill_heads(g, code->table + heads_at(g));
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
  define(g, "S_KEEP_KEYS", 0);
  define(g, "S_UNROLL", g->f->n_groups <= 4 ? 2 : 1); /* more would take too many registers */
  define(g, "S_THREADS", code->threads);
  define(g, "S_BLOCKS", blocks);
  define(g, "S_WIDE", g->wide);
  define(g, "S_QUADS", (uint32_t)g->quads);
  define(g, "S_FAR", (uint32_t)g->far);
  define(g, "S_HEAD", g->head);
  define(g, "S_HEADS", heads_at(g));
  define(g, "S_BIG", code->n_big > 0);
  define(g, "S_POOLS", g->f->pools != 0);
  define(g, "S_STORE", code->n_store);
  define(g, "S_SPLIT", (uint32_t)g->split);
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
  define(g, "S_SPAN", g->parts * g->chunks * CHUNK + head_span(g));
  define(g, "S_CELLS", g->words);
  define(g, "S_COLUMNS", g->columns);
  define(g, "S_USED", g->used);
  define(g, "S_PAIRS", g->pairs);
  define(g, "S_CELL_BYTES", g->cell_bytes);
  define(g, "S_WORDS_ALL", g->all);
  define(g, "S_UNITS", g->f->units > 0 ? g->f->units : 1);
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
  code->n_store = g->split ? g->words : g->stored ? words : 0;
  code->n_rows = words - code->n_store;
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
  g->check = MOST_EVENTS;
  ff_status status = ff_ssa_many_plan(g, err);
  if (status != FF_OK) return status;
  place_counts(g);
  plan_sums(g);
  place_others(g);
  choose_check(g);
  if (g->totals + g->loose > MOST_REGISTERS || g->large > 255)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u sums are too many", g->f->n_sums);
  if (g->parts * g->chunks > MOST_CHUNKS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u species in sums are too many", g->members);
  lay_out(g);
  size_data(g);
  const uint32_t blocks = choose_threads(g);
  status = fill_data(g, err);
  return status == FF_OK ? generate(g, blocks, err) : status;
}

ff_status ff_ssa_generate_factored(ff_ssa_code *out, const ff_ssa_program *program, const ff_ssa_device_request *request,
                                   ff_error *err) {
  generator g = {.p = program, .f = program->factor, .request = request, .code = out, .out = {.err = err}};
  g.many = g.f->n_groups > FF_SSA_FEW_GROUPS;
  ff_status status = check_limits(&g, err);
  if (status != FF_OK) return status;
  g.place = ff_calloc((size_t)program->n_species + 1, sizeof *g.place);
  g.sums = ff_calloc((size_t)g.f->n_sums + 1, sizeof *g.sums);
  status = g.place != NULL && g.sums != NULL ? ff_ssa_expect(&g.expected, program, request, err)
                                             : ff_error_set(err, FF_EMEMORY, "no memory for code");
  if (status == FF_OK) status = generate_code(&g, err);
  free(g.expected);
  free(g.place);
  free(g.sums);
  return status;
}
