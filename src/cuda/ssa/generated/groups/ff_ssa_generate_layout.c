/* Code for the factored method: where counts, partial sums and other numbers are, and how many bits they have. */
#include <math.h>

#include "ff_ssa_generate_factored.h"

#define NONE FF_SSA_PLACE_NONE
#define REGISTER FF_SSA_PLACE_REGISTER
#define MOST_REGISTERS FF_SSA_MOST_REGISTERS
#define MOST_LOOSE 8u            /* such counts */
#define BITS16_MOST 16384.0      /* counts and cells have 16 bits if so much is expected, */
#define BITS16_EXPECTED 32768.0  /* if this is known well */
#define ROOM 16384.0             /* for what 16 bits gain between two checks */
#define FEWEST_STEPS 64u
#define APART_EVENTS 256u        /* these take longer */
#define CHUNK FF_SSA_CHUNK
#define MOST_HEAD FF_SSA_MOST_HEAD
#define MOST_PARTS 128u          /* without regions */
#define MOST_REGIONS 512u
#define MOST_REGION 256u
#define MORE_ENTRIES 4096u       /* of maps than twice the reactions, if changes are by entry */
#define MOST_CHUNKS FF_SSA_MOST_CHUNKS
#define LOWER 0x4410u            /* equal those of ff_ssa_thread_factored.h: the bytes of a cell */
#define UPPER FF_SSA_UPPER
#define WHOLE 0x3210u
#define NOTHING FF_SSA_NOTHING
#define BLOCK_BYTES FF_SSA_BLOCK_BYTES
#define FEWEST_THREADS 128u      /* for counts in shared memory */
#define FEWEST_SPLIT 96u         /* for cells there, and counts in global memory */
#define SECTOR_COST 350.0        /* of 32 bytes of global memory, in instructions */
#define SECTORS_CHANGED 3.0      /* for counts of a step that are in global memory but seldom needed */
/* The same for counts in global memory, as measured with chains of 1e3 to 5e4 species (docs/decisions/13-gpu-chains.md): what an
 * step takes with few cells, in instructions that take APART_TIME each if many trajectories run, with cells in shared memory and
 * with regions. Memory sends 64 bytes at a time, which take hardly less time if only half of them are used. More warps than
 * APART_WARPS do not help. Then what a trajectory takes that waits for memory. */
#define APART_EVENT 330.0
#define APART_REGIONS 1200.0
#define APART_WARPS 20.0
#define APART_LOAD 620.0         /* of 64 bytes */
#define APART_SECTOR 40.0        /* more for each half of them that is used */
#define APART_TIME 4.35e-14
#define APART_WAIT 1.2e-9
#define APART_WAIT_EVENT 1400.0
#define APART_WAIT_SECTOR 600.0
#define CELL_WORD 5.0            /* what a word of the cells of a part takes that a step changes */

typedef ff_ssa_factored_sum plan;
typedef ff_ssa_factored_generator generator;

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* ---- places ------------------------------------------------------------------------------------------------------------- */

static void want(generator *g, uint32_t species, uint32_t *n) {
  if (g->place[species] == NONE) g->place[species] = (*n)++;
}

/* Whether a count may exceed 16 bits. */
static int is_large(const generator *g, uint32_t species) {
  const double limit = g->checked ? BITS16_MOST : BITS16_EXPECTED;
  return ff_ssa_initial_of(g, species) >= limit || (species < g->p->n_species && g->expected[species] >= limit);
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
  g->bits32 = others || g->head > MOST_HEAD || g->head + registers + g->totals > MOST_REGISTERS;
  if (g->bits32) g->head = 0;
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
  for (uint32_t i = 0; i < g->request->n_observed; i++) want(g, g->request->observed[i], &n);
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

/* How many counts a reaction changes that are words. Before place_others(), counts are included that it puts into registers. */
static void measure_changes(generator *g) {
  const ff_ssa_program *p = g->p;
  g->moved = g->entries = 0;
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

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

/* The places of the first and last members of a sum that are not in the head. Returns whether there are any. */
static int range_of(const generator *g, uint32_t sum, uint32_t *first, uint32_t *last) {
  const uint32_t n = g->f->sums[sum].n;
  uint32_t k = 0;
  while (k < n && g->place[ff_ssa_members_of(g, sum)[k].species] >= REGISTER) k++;
  *first = *last = 0;
  if (k == n) return 0;
  *first = g->place[ff_ssa_members_of(g, sum)[k].species];
  *last = g->place[ff_ssa_members_of(g, sum)[n - 1].species];
  return 1;
}

/* The first word or place of the chunk of a sum if it is small; NONE if it is not. */
static uint32_t chunk_of(const generator *g, uint32_t sum, int quads) {
  uint32_t first, last;
  range_of(g, sum, &first, &last);
  if (quads) return first / CHUNK == last / CHUNK ? first / CHUNK : NONE;
  if (!g->bits32) first &= ~1u;
  return last - first < CHUNK ? (g->bits32 ? first : first / 2) : NONE;
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
  const uint32_t each = g->bits32 ? 1 : 2;
  return (round_up(g->members, CHUNK) + (g->counts - g->members) + each - 1) / each;
}

static uint32_t later(const generator *g, uint32_t last, uint32_t species) {
  const uint32_t place = g->place[species];
  return species < g->p->n_species && place < g->members && place / CHUNK > last ? place / CHUNK : last;
}

/* The last chunk with counts that all steps read: those of hubs, of sums without a total, and of other rate laws. */
static uint32_t last_read(const generator *g) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < g->f->n_rest; i++) last = later(g, last, g->f->rest[i]);
  for (uint32_t i = 0; i < g->f->n_factored; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    if (group->kind == FF_GROUP_HUB) last = later(g, last, group->hub);
    if (g->sums[group->sum].total == NONE) last = later(g, last, ff_ssa_members_of(g, group->sum)[0].species);
  }
  return last;
}

/* An array consists of pieces of so many bytes. How many loads of 64 bytes one of them takes, as the mean of all. */
static double loads_of(uint32_t bytes) {
  return bytes == 0 ? 0 : (bytes - ff_common_divisor(bytes, 64)) / 64.0 + 1;
}

/* What a step costs if counts are in global memory. There are so many cells in shared memory, and in global memory those of the
 * parts of a region; c chunks in each part. */
static double cost_apart(generator *g, uint32_t shared, uint32_t global, uint32_t c) {
  const double free = (double)g->shared - BLOCK_BYTES, most = ff_ssa_most_threads(g) / 32;
  const double cells = 20.0 * g->f->n_groups + 2.0 * (shared + global) + 9.0 * c + CELL_WORD * g->moved * g->columns;
  const uint32_t counts = c * CHUNK * (g->bits32 ? 4 : 2), each = g->columns < 8 ? 4 * g->columns : 32;
  const double sectors = (counts + global * each) / 32.0;
  double warps = floor(free / (128 * ((double)shared * g->columns + 1)));
  if (warps > most) warps = most;
  if (warps < 1) return INFINITY;
  if (warps > APART_WARPS) warps = APART_WARPS;
  g->latency = APART_WAIT * (APART_WAIT_EVENT + cells + APART_WAIT_SECTOR * sectors);
  return ((global > 0 ? APART_REGIONS : APART_EVENT) + cells) * (1 + 8 / warps) + APART_SECTOR * sectors +
         APART_LOAD * (loads_of(counts) + loads_of(global * each));
}

/* How many warps of a multiprocessor have room; 0 if none has. */
static double warps_of(const generator *g, double room, double words, double far) {
  double most = g->held > 0 ? 16 : 28;
  if (g->held > 0) most = fmin(most, floor(FF_SSA_MOST_OFFSET / (128.0 * far)));
  return fmin(g->stored ? 16 : floor(room / (128 * words)), most);
}

/* What a step costs: with c chunks in each part, and `held` parts in shared memory, if there are cells in shared memory for all.
 * More warps hide more of the time that loads take. Of the steps, a share `away` needs counts of other parts. */
static double cost_of(generator *g, uint32_t parts, uint32_t c, uint32_t held, double away) {
  const double others = g->leaf_words + 2.0 * g->n_sums, cells = (double)(parts - 1) * g->columns;
  const uint32_t counts = held < parts ? held * c * (CHUNK / 2) : round_up(count_words(g), 4);
  const double words = counts + cells + others;
  const double weights = 8.0 * g->f->n_sums * parts * c, free = (double)g->shared - BLOCK_BYTES;
  const double change = parts > 1 ? CELL_WORD * g->moved * g->columns : 0;
  const double instructions = 300 + 20.0 * g->f->n_groups + 6.0 * (parts - 1) + 9.0 * (c - 1) + change;
  g->held = held < parts ? held * c : 0;
  g->stored = 4 * words * FEWEST_THREADS > free;
  g->split = g->stored && !g->many && 4 * cells * FEWEST_SPLIT <= free;
  if (g->held > 0 && g->stored) return INFINITY;
  if (g->stored && !g->many) return cost_apart(g, g->split ? parts - 1 : 0, g->split ? 0 : parts - 1, c);
  const double warps = warps_of(g, free - weights, words, parts * c - g->held);
  double sectors = 0;
  if (g->held > 0 && warps < 1) return INFINITY;
  if (g->stored) sectors = c * (g->bits32 ? 1 : 0.5) + (parts - 1) * (g->columns < 8 ? g->columns / 8.0 : 1);
  if (g->held > 0) sectors = away * (0.5 * c + SECTORS_CHANGED);
  return instructions * (1 + 8 / (warps < 1 ? 1 : warps)) + SECTOR_COST * sectors;
}

typedef struct {
  double cost;
  uint32_t parts, chunks, held;
} choice;

static void try_parts(generator *g, uint32_t parts, uint32_t chunks, uint32_t held, double away, choice *best) {
  const double cost = cost_of(g, parts, chunks, held, away);
  if (cost < best->cost) *best = (choice){cost, parts, chunks, held};
}

/* Leaves the last parts to global memory, if what all steps read stays in shared memory. Places are in the order of species. */
static void try_away(generator *g, uint32_t parts, uint32_t chunks, choice *best) {
  uint32_t held = parts - 1;
  double away = 0, all = 0;
  const uint32_t last = last_read(g);
  cost_of(g, parts, chunks, last / chunks + 1, 0);
  if (g->stored) return; /* even the fewest parts have no room there */
  for (uint32_t s = 0; s < g->p->n_species; s++)
    if (g->place[s] < g->members) all += g->expected[s];
  for (uint32_t s = g->p->n_species; s-- > 0 && held * chunks > last;) {
    if (g->place[s] >= g->members) continue;
    for (; g->place[s] / CHUNK < held * chunks && held * chunks > last; held--)
      try_parts(g, parts, chunks, held, away / all, best);
    away += g->expected[s];
  }
}

/* Cells for regions are in shared memory, and the cells of parts behind the counts. */
static void choose_regions(generator *g, uint32_t chunks, uint32_t blocks, double best) {
  for (uint32_t regions = 4; regions <= MOST_REGIONS; regions += 4)
    for (uint32_t region = 8; region <= MOST_REGION; region += 8) {
      const uint32_t parts = regions * region, c = (chunks + parts - 1) / parts;
      if (parts > 65535u || (blocks > 0 && regions != blocks)) continue;
      if (blocks == 0 && (regions - 4) * region * c >= chunks) continue; /* fewer would do */
      const double cost = cost_apart(g, regions, region, c);
      if (!(cost < best)) continue;
      best = cost;
      g->regions = regions;
      g->region = region;
      g->chunks = c;
      g->parts = parts;
    }
}

/* Parts of few chunks need many cells, and the search among them takes long; parts of many chunks are searched for long. */
static void choose_parts_of(generator *g, uint32_t blocks) {
  const uint32_t chunks = g->members > 0 ? (g->members + CHUNK - 1) / CHUNK : 1;
  const int may_leave = !g->many && !g->bits32 && g->quads && g->counts == g->members;
  choice best = {INFINITY, 1, 1, 1};
  for (uint32_t parts = 1; g->large > 0 && parts <= chunks && parts <= MOST_PARTS; parts++) {
    const uint32_t c = (chunks + parts - 1) / parts;
    if ((parts - 1) * c >= chunks || (blocks > 0 && parts != blocks)) continue;
    try_parts(g, parts, c, parts, 0, &best);
    if (may_leave) try_away(g, parts, c, &best);
  }
  g->chunks = best.chunks;
  g->parts = best.parts;
  cost_of(g, best.parts, best.chunks, best.held, 0); /* tells where counts are */
  g->regions = 1;
  g->region = g->parts;
  g->apart = g->stored && !g->many;
  if (g->apart && g->quads && g->large > 0) choose_regions(g, chunks, blocks, best.cost);
  if (g->regions > 1) g->split = 0;
  if (!g->apart) return;
  const double cost = g->regions > 1 ? cost_apart(g, g->regions, g->region, g->chunks)
                                     : cost_of(g, g->parts, g->chunks, g->parts, 0);
  g->code->speed = 1 / (APART_TIME * cost);
  g->code->latency = g->latency;
}

/* With the number of cells that the request wants, if this is possible. */
static void choose_parts(generator *g) {
  const uint32_t chunks = g->members > 0 ? (g->members + CHUNK - 1) / CHUNK : 1;
  choose_parts_of(g, g->request->blocks);
  if (g->large > 0 && g->parts * g->chunks < chunks) choose_parts_of(g, 0);
}

/* Whether the cells of a sum have 16 bits. */
static int has_bits16(const generator *g, uint32_t sum) {
  double expected = 0, initial = 0;
  for (uint32_t k = 0; k < g->f->sums[sum].n; k++) {
    const ff_ssa_member *m = ff_ssa_members_of(g, sum) + k;
    if (g->place[m->species] >= REGISTER) continue;
    initial += m->weight * ff_ssa_initial_of(g, m->species);
    if (m->species < g->p->n_species) expected += m->weight * g->expected[m->species];
  }
  return !g->bits32 && g->f->most * FEWEST_STEPS <= ROOM && initial < BITS16_EXPECTED &&
         expected < (g->checked ? BITS16_MOST : BITS16_EXPECTED);
}

/* Cells of 16 bits come first, two to a word. */
static void place_cells(generator *g) {
  uint32_t halves = 0, wholes = 0;
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    if (!g->sums[i].small && has_bits16(g, i)) {
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

/* Whether each member is in one sum with the weight 1, sums follow each other in the order of members, and each is that of one
 * group. Then all of them can be searched as if they were one sum. */
static int is_row(const generator *g) {
  uint32_t n = 0;
  if (!g->quads || g->many || g->head > 0 || g->counts > g->members || g->f->n_sums != g->f->n_groups) return 0;
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    if (group->kind == FF_GROUP_REST || group->sum != i || ff_ssa_is_pool(group) || ff_ssa_ranges_of(g, group) > 1) return 0;
  }
  for (uint32_t i = 0; i < g->f->n_sums; i++)
    for (uint32_t k = 0; k < g->f->sums[i].n; k++, n++) {
      const ff_ssa_member *m = ff_ssa_members_of(g, i) + k;
      if (m->weight != 1 || g->place[m->species] != n || g->f->sums[i].n == 1) return 0;
    }
  return n == g->members;
}

static void plan_cells(generator *g) {
  uint32_t totals = 0;
  g->large = 0;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    plan *s = g->sums + i;
    const uint32_t first = g->ones ? NONE : chunk_of(g, i, g->quads);
    *s = (plan){NONE, NONE, NOTHING, first != NONE, first != NONE ? first : 0, 0};
    if (has_total(g, i)) s->total = totals++;
    g->large += !s->small;
    if (!g->ones) continue;
    s->bytes = WHOLE;
    s->cell = 0;
  }
  g->pairs = 0;
  g->used = g->columns = 1;
  if (!g->ones) place_cells(g);
  choose_parts(g);
}

static void plan_sums(generator *g) {
  g->quads = use_quads(g);
  g->ones = is_row(g);
  plan_cells(g);
  if (g->ones && !g->apart) {
    g->ones = 0;
    plan_cells(g);
  }
  if (g->parts == 1) g->columns = g->used = g->pairs = 0;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    g->sums[i].weights = g->ones ? i : g->n_weights;
    if (g->ones) continue;
    g->n_weights += (g->sums[i].small ? g->chunks : g->parts * g->chunks) | 1u; /* sums begin at different banks */
  }
  if (!g->ones) g->n_weights += g->chunks; /* without weights, for what is no sum */
}

/* How many steps may happen between two checks. */
static void choose_check(generator *g) {
  double by = 0;
  g->most = g->f->most > 1 ? g->f->most : 1; /* the code divides by it */
  for (uint32_t i = 0; i < g->p->n_changes; i++)
    if ((double)g->p->changes[i].by > by) by = (double)g->p->changes[i].by;
  g->most16 = g->pairs > 0 ? g->most : by;
  if (g->apart) g->check = APART_EVENTS;
  while (!g->bits32 && g->check > FEWEST_STEPS && g->most16 * g->check > ROOM) g->check /= 2;
}

/* ---- data --------------------------------------------------------------------------------------------------------------- */

static void lay_out_words(generator *g) {
  uint32_t end = 0;
  const uint32_t each = g->bits32 ? 1 : 2, chunk_words = CHUNK / each, to = g->quads || !g->many ? 4 : 1;
  for (uint32_t i = 0; i < g->f->n_sums; i++) {
    const plan *s = g->sums + i;
    const uint32_t chunks = g->chunks > 1 && !g->apart ? g->chunks - 1 : g->chunks;
    const uint32_t reads = chunks * chunk_words + s->first * (g->quads ? chunk_words : 1);
    if (s->small && reads > end) end = reads;
  }
  g->words = (g->counts + each - 1) / each;
  if (g->words < chunk_words * g->chunks) g->words = chunk_words * g->chunks; /* what searches without a sum read */
  g->words = round_up(g->words, to);
  if (g->held > 0) {
    g->all = g->words + (g->parts - 1) * g->columns;
    g->away = 4 * (g->parts * g->chunks - g->held);
    return;
  }
  if (end < g->parts * g->chunks * chunk_words) end = g->parts * g->chunks * chunk_words; /* that weigh nothing */
  if (g->split && g->words < end) g->words = round_up(end, to);
  if (g->regions > 1 && g->words < end) g->words = end;
  if (g->regions > 1) g->words = round_up(g->words, 8);
  g->all = round_up(g->words + (g->parts - 1) * g->columns, to);
  if (g->regions > 1) g->all = ff_ssa_store_of(g) + round_up(g->regions * g->columns, 4);
  if (g->all < end) g->all = round_up(end, to);
}

void ff_ssa_factored_lay_out(generator *g) {
  lay_out_words(g);
  measure_changes(g);
  g->cell_bytes = g->used + g->pairs;
  g->change = (ff_ssa_totals_at(g) + g->totals + g->loose + 3) / 4;
  if (g->many) ff_ssa_many_measure(g);
  g->change = round_up(g->change, 4);
  if (g->change == 0) g->change = 4;
  if (g->fixed == 0) g->fixed = g->change;
  for (uint32_t i = 0; i < g->f->n_groups; i++) {
    const ff_ssa_factor_group *group = g->f->groups + i;
    const uint32_t ranges = ff_ssa_ranges_of(g, group);
    if (ranges > g->ranges) g->ranges = ranges;
    if (g->ones && i > 0) break; /* all groups have the same map */
    g->n_map += ff_ssa_is_pool(group) ? ff_ssa_span(g) * (1 + ranges) : ff_ssa_span_of(g, group) * ranges;
  }
  g->n_map++; /* for the search without a group, which finds no reaction */
  g->mapped = g->apart && g->f->pools == 0 && g->n_map <= 2 * g->p->n_reactions + MORE_ENTRIES;
  uint32_t at = 0;
  g->initial_at = at;
  at = round_up(at + g->all + g->leaf_words + g->totals + g->loose, 4);
  g->maps_at = at;
  if (!g->mapped) at = round_up(at + (g->n_map + 1) / 2, 4);
  g->changes_at = at;
  g->n_data = at + (g->mapped ? g->n_map : g->p->n_reactions + 1) * g->change;
}

void ff_ssa_factored_plan(generator *g) {
  place_counts(g);
  measure_changes(g);
  plan_sums(g);
  place_others(g);
  choose_check(g);
}
