/* Factored simulation: groups and sums against propensities, the choice of a reaction against its share, and bits. */
#include "../../src/ssa/lanes/ff_ssa_factored.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "factor_examples.h"
#include "random.h"

/* Calls `check` with the program of each example, and with those of complexes and of a colloid. */
static void check_all(uint32_t sites, void (*check)(ff_ssa_program *p, const char *what)) {
  for (size_t i = 0; i < FACTOR_EXAMPLES + 3; i++) {
    const char *what = i < FACTOR_EXAMPLES ? factor_examples[i].what : i < FACTOR_EXAMPLES + 2 ? "sites" : "a colloid";
    ff_ssa_program *p = i < FACTOR_EXAMPLES ? program_of_example(factor_examples + i)
                                            : i < FACTOR_EXAMPLES + 2 ? program_of_sites(i == FACTOR_EXAMPLES ? sites : 4)
                                                                      : program_of_colloid(20);
    check(p, what);
    ff_ssa_program_free(p);
  }
}

/* ---- the analysis ------------------------------------------------------------------------------------------------------- */

static void finds_groups(void) {
  for (size_t i = 0; i < FACTOR_EXAMPLES; i++) {
    ff_ssa_program *p = program_of_example(factor_examples + i);
    FF_CHECK_SAY(p->factor->n_groups == factor_examples[i].groups && p->factor->n_sums == factor_examples[i].sums,
                 "%s: %u groups of %u sums; expected %u of %u", factor_examples[i].what, p->factor->n_groups, p->factor->n_sums,
                 factor_examples[i].groups, factor_examples[i].sums);
    ff_ssa_program_free(p);
  }
  ff_ssa_program *p = program_of_sites(5);
  FF_CHECK_INT(p->factor->n_groups, 3);
  FF_CHECK_INT(p->factor->n_sums, 3);
  ff_ssa_program_free(p);
}

static double total_of(const ff_ssa_factor *f, const ff_ssa_program *p, uint32_t sum, const double *count) {
  double total = 0;
  for (uint32_t k = f->sums[sum].first; k < f->sums[sum].first + f->sums[sum].n; k++)
    total += f->members[k].weight * (f->members[k].species == p->n_species ? 1 : count[f->members[k].species]);
  return total;
}

/* The sum over the groups is the sum of all propensities, in random states. Each propensity and each group is rounded thrice, and
 * merging rates adds one rounding. */
static void sums_are_those_of_propensities(ff_ssa_program *p, const char *what) {
  const ff_ssa_factor *f = p->factor;
  uint64_t seed = 3;
  ff_ssa_path path;
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&path, p, &ff_ssa_finder_direct, &err), &err);
  for (int round = 0; round < 50; round++) {
    double wanted = 0, found = 0;
    for (uint32_t s = 0; s < p->n_species; s++) path.count[s] = below(&seed, 3) == 0 ? 0 : below(&seed, round < 25 ? 5 : 100000);
    for (uint32_t r = 0; r < p->n_reactions; r++) wanted += ff_ssa_path_propensity(&path, r);
    for (uint32_t g = 0; g < f->n_groups; g++) {
      const ff_ssa_factor_group *group = f->groups + g;
      const double x = group->kind == FF_GROUP_REST ? 0 : total_of(f, p, group->sum, path.count);
      switch (group->kind) {
        case FF_GROUP_REST: found += ff_ssa_path_propensity(&path, group->hub); break;
        case FF_GROUP_PLAIN: found += group->rate * x; break;
        case FF_GROUP_HUB: found += group->rate * path.count[group->hub] * x; break;
        default: found += group->rate * x * (x - 1);
      }
    }
    FF_CHECK_SAY(fabs(found - wanted) <= wanted * 0x1p-53 * (6 + p->n_reactions), "%s: %.17g; expected %.17g", what, found,
                 wanted);
  }
  ff_ssa_path_free(&path);
}

/* The code for a GPU contains whole maps, so no entry may be left to chance. */
static void ranges_beyond_weights_are_no_reaction(ff_ssa_program *p, const char *what) {
  const ff_ssa_factor *f = p->factor;
  for (uint32_t i = 0; i < f->n_factored; i++) {
    const ff_ssa_factor_group *group = f->groups + i;
    const ff_ssa_member *members = f->members + f->sums[group->sum].first;
    for (uint32_t k = 0; k < f->sums[group->sum].n && group->kind != FF_GROUP_POOL; k++)
      for (uint32_t u = 0; u < group->ranges; u++) {
        const uint32_t r = f->map[group->map + k * group->ranges + u];
        FF_CHECK_SAY((r < p->n_reactions) == (u < members[k].weight) && r <= p->n_reactions, "%s: entry %u of member %u is %u",
                     what, u, k, r);
      }
  }
}
static void maps_of_groups(void) { check_all(5, ranges_beyond_weights_are_no_reaction); }

static void sums_of_groups(void) { check_all(5, sums_are_those_of_propensities); }

/* ---- the choice --------------------------------------------------------------------------------------------------------- */

static ff_ssa_factored *engine_of(const ff_ssa_program *p, ff_simd simd) {
  ff_lanes *engine;
  ff_error err;
  const ff_run_options options = {.key = 7, .simd = simd};
  FF_CHECK_OK(ff_ssa_engine_factored(&engine, p, &options, p->initial, &err), &err);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) engine->start(engine, lane, lane, INFINITY);
  ff_ssa_factored_set_counts((ff_ssa_factored *)engine, UINT64_MAX, 1);
  return (ff_ssa_factored *)engine;
}

static void advance(ff_ssa_factored *f, uint32_t steps) {
  while (steps > 0) {
    const uint64_t bits = f->vector.lanes.base.advance(&f->vector.lanes.base, &steps);
    if (bits != 0) break;
  }
  ff_ssa_factored_set_counts(f, UINT64_MAX, 1);
}

static uint32_t reaction_of(const ff_ssa_factored *f, ff_simd simd, uint32_t lane, uint32_t g, double v, double v2) {
#if defined(__x86_64__)
  if (simd == FF_SIMD_AVX512) return ff_ssa_reaction_of_avx512(f, lane, g, v, v2);
  if (simd == FF_SIMD_AVX2) return ff_ssa_reaction_of_avx2(f, lane, g, v, v2);
#endif
  (void)simd;
  return ff_ssa_reaction_of_portable(f, lane, g, v, v2);
}

/* All molecules, and all pairs of a pool, are counted by the reaction that they choose. Each reaction's count times the rate of
 * the group (and its hub) must be its propensity. Totals and propensities of groups are those of the state. */
static void counts_choices(const ff_ssa_factored *f, ff_simd simd, uint32_t lane, const char *what) {
  const ff_ssa_program *p = f->vector.lanes.program;
  const ff_ssa_factor *factor = p->factor;
  double *share = ff_calloc(p->n_reactions, sizeof *share);
  ff_ssa_path path;
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&path, p, &ff_ssa_finder_direct, &err), &err);
  for (uint32_t s = 0; s < p->n_species; s++) path.count[s] = f->vector.lanes.count[(size_t)s * FF_SSA_LANES + lane];
  for (uint32_t g = 0; g < factor->n_groups; g++) {
    const ff_ssa_factor_group *group = factor->groups + g;
    if (group->kind == FF_GROUP_REST) {
      share[reaction_of(f, simd, lane, g, 0, 0)] += ff_ssa_path_propensity(&path, group->hub);
      continue;
    }
    const double n = total_of(factor, p, group->sum, path.count);
    const double one = group->rate * (group->kind == FF_GROUP_HUB ? path.count[group->hub] : 1);
    FF_CHECK_SAY(f->vector.lanes.count[(size_t)group->b * FF_SSA_LANES + lane] == n, "%s: a total", what);
    for (double v = 0; v < n; v++)
      for (double v2 = 0; v2 < (group->kind == FF_GROUP_POOL ? n - 1 : 1); v2++)
        share[reaction_of(f, simd, lane, g, v, v2)] += one;
  }
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const double wanted = ff_ssa_path_propensity(&path, r);
    FF_CHECK_SAY(fabs(share[r] - wanted) <= 1e-12 * wanted, "%s, %s: reaction %u has %.17g; expected %.17g", what,
                 ff_simd_name(simd), r, share[r], wanted);
  }
  ff_ssa_path_free(&path);
  free(share);
}

static void chooses_in_proportion(ff_ssa_program *p, const char *what) {
  ff_ssa_dense *dense = p->factor->dense;
  for (ff_simd simd = FF_SIMD_PORTABLE; simd <= ff_simd_best(); simd++)
    for (int kind = 0; kind <= 2; kind++) {
      p->factor->dense = kind == 0 ? dense : NULL;
      ff_ssa_factored *f = engine_of(p, simd);
      if (kind == 2) ff_ssa_factored_prepare(f, UINT32_MAX);
      FF_CHECK_INT(f->is_large, kind == 2);
      counts_choices(f, simd, 0, what);
      advance(f, 30);
      counts_choices(f, simd, 0, what);
      counts_choices(f, simd, 15, what);
      f->vector.lanes.base.free(&f->vector.lanes.base);
    }
  p->factor->dense = dense;
}

static void choices_of_reactions(void) {
  ff_ssa_program *p = program_of_sites(6);
  FF_CHECK_INT(p->factor->sums[0].levels, 3);
  ff_ssa_program_free(p);
  check_all(6, chooses_in_proportion);
}

/* More rows than 16 bits can count. */
static void choices_of_large_networks(void) {
  ff_ssa_program *p = program_of_network(ring_of(70000));
  FF_CHECK(p->factor->addends == NULL && p->factor->addends32 != NULL);
  ff_ssa_factored *f = engine_of(p, ff_simd_best());
  advance(f, 30);
  counts_choices(f, ff_simd_best(), 15, "a ring");
  f->vector.lanes.base.free(&f->vector.lanes.base);
  ff_ssa_program_free(p);
}

/* ---- bits --------------------------------------------------------------------------------------------------------------- */

static void make_bits32(ff_ssa_factor *f) {
  f->addends32 = ff_calloc(f->n_addends, sizeof *f->addends32);
  for (size_t i = 0; i < f->n_addends; i++) f->addends32[i] = (ff_ssa_addend32){f->addends[i].at, f->addends[i].by};
  free(f->addends);
  f->addends = NULL;
}

/* Lists of what species change give the same trajectories. */
static void lists_by_species(ff_ssa_program *p, const ff_ssa_factored *one, const char *what) {
  const size_t n = (size_t)p->n_species * FF_SSA_LANES * sizeof(double);
  const uint32_t groups = p->factor->n_groups;
  ff_error err;
  ff_ssa_factor_free(p->factor);
  FF_CHECK_OK(ff_ssa_factor_new(&p->factor, p, 0, &err), &err);
  FF_CHECK(p->factor->n_groups == groups && p->factor->reactions == NULL && p->factor->species != NULL);
  for (ff_simd simd = FF_SIMD_PORTABLE; simd <= ff_simd_best(); simd++)
    for (int large = 0; large <= 1; large++) {
      ff_ssa_factored *f = engine_of(p, simd);
      advance(f, 100);
      if (large) ff_ssa_factored_prepare(f, UINT32_MAX);
      advance(f, 300);
      FF_CHECK_SAY(memcmp(one->vector.lanes.count, f->vector.lanes.count, n) == 0, "%s, %s, %d: counts by species", what,
                   ff_simd_name(simd), large);
      f->vector.lanes.base.free(&f->vector.lanes.base);
    }
}

#define SOME_STEPS 300000000u /* steps that are too many for the dense layout, but lead to no large total */

/* Vectors of any width, and cells and addends of all sizes and layouts, give the same trajectories. Groups that are computed only
 * when they change have the bits of all groups. */
static void same_bits(ff_ssa_program *p, const char *what) {
  const size_t n = (size_t)p->n_species * FF_SSA_LANES * sizeof(double);
  enum { DENSE, DENSE_TO_SMALL, DENSE_TO_LARGE, SMALL, SMALL_TO_LARGE, SPARSE, BITS32, KINDS };
  ff_ssa_dense *dense = p->factor->dense;
  p->factor->dense = NULL;
  ff_ssa_factored *one = engine_of(p, FF_SIMD_PORTABLE);
  advance(one, 400);
  for (int kind = 0; kind < KINDS; kind++) {
    p->factor->dense = kind <= DENSE_TO_LARGE ? dense : NULL;
    if (kind == SPARSE) p->factor->sparse = !p->factor->sparse;
    if (kind == BITS32 && p->factor->addends32 == NULL) make_bits32(p->factor);
    for (ff_simd simd = FF_SIMD_PORTABLE; simd <= ff_simd_best(); simd++) {
      ff_ssa_factored *f = engine_of(p, simd);
      advance(f, 100);
      if (kind == DENSE_TO_SMALL) ff_ssa_factored_prepare(f, SOME_STEPS);
      if (kind == DENSE_TO_LARGE || kind == SMALL_TO_LARGE) ff_ssa_factored_prepare(f, UINT32_MAX);
      FF_CHECK(f->dense == NULL || kind == DENSE);
      advance(f, 300);
      const ff_ssa_lanes *a = &one->vector.lanes, *b = &f->vector.lanes;
      FF_CHECK_SAY(memcmp(a->count, b->count, n) == 0, "%s, %s, %d: counts", what, ff_simd_name(simd), kind);
      FF_CHECK_SAY(memcmp(a->next_time, b->next_time, FF_SSA_LANES * sizeof(double)) == 0, "%s: times", what);
      f->vector.lanes.base.free(&f->vector.lanes.base);
    }
    if (kind == SPARSE) p->factor->sparse = !p->factor->sparse;
  }
  p->factor->dense = dense;
  lists_by_species(p, one, what);
  one->vector.lanes.base.free(&one->vector.lanes.base);
}

static void vectors_change_no_bit(void) { check_all(6, same_bits); }

/* ---- limits ------------------------------------------------------------------------------------------------------------- */

/* Searches read the numbers behind those of a sum. Here these have the largest totals that the dense layout may have. */
static void totals_at_the_limit(void) {
  static const reaction_text pairs[] = {{"A -> B", "1"},    {"B -> A", "1"},    {"C -> D", "1.37"}, {"D -> C", "1.37"},
                                        {"E -> F", "2.71"}, {"F -> G", "2.71"}, {"G -> H", "2.71"}, {"H -> I", "2.71"},
                                        {"I -> E", "2.71"}, {"J -> K", "3.33"}, {"K -> J", "3.33"}, {NULL, NULL}};
  const double half = 0x1p27 - 500;
  const double initial[] = {half, half, half, half, 2 * half, 0, 0, 0, 0, half, half};
  ff_ssa_program *p = program_of(pairs, initial, 11);
  FF_CHECK(p->factor->dense != NULL && p->factor->n_sums == 4);
  same_bits(p, "totals at the limit");
  ff_ssa_program_free(p);
}

/* After a failure, the lane of a trajectory begins another one. What the failed one chose does not matter any more. */
static void lanes_begin_anew_after_failures(void) {
  static const reaction_text cycle[] = {{"A -> B", "1"}, {"B -> C", "2"},     {"C -> D", "3"}, {"D -> E", "1"}, {"E -> F", "2"},
                                        {"F -> G", "3"}, {"G -> H", "1"},     {"H -> I", "2"}, {"I -> J", "3"}, {"J -> A", "1"},
                                        {"0 -> K", "9"}, {"2 K -> 0", "1e305"}, {NULL, NULL}};
  const double initial[] = {40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 1};
  ff_ssa_program *p = program_of(cycle, initial, 11);
  FF_CHECK(p->factor->dense != NULL);
  for (ff_simd simd = FF_SIMD_PORTABLE; simd <= ff_simd_best(); simd++) {
    ff_ssa_factored *fresh = engine_of(p, simd), *f = engine_of(p, simd);
    ff_lanes *engine = &f->vector.lanes.base;
    for (uint32_t row = 0; row < p->n_species; row++) f->rows[row * FF_SSA_LANES + 3] = row == 10 ? 1 << 20 : 0;
    for (uint32_t i = 0; i < p->factor->n_sums; i++) f->rows[FF_FACTOR_ROW_OF_SUM(p, i) * FF_SSA_LANES + 3] = 1 << 20;
    uint32_t one = 1;
    engine->wanted[3] = 1e9; /* failures of idle lanes do not matter */
    FF_CHECK_INT(engine->advance(engine, &one), UINT64_C(1) << 3);
    FF_CHECK_INT(engine->broken, UINT64_C(1) << 3);
    engine->start(engine, 3, 3, INFINITY);
    advance(fresh, 1);
    one = 1;
    FF_CHECK_INT(engine->advance(engine, &one), 0);
    ff_ssa_factored_set_counts(f, UINT64_MAX, 1);
    for (uint32_t s = 0; s < p->n_species; s++)
      FF_CHECK(f->vector.lanes.count[s * FF_SSA_LANES + 3] == fresh->vector.lanes.count[s * FF_SSA_LANES + 3]);
    FF_CHECK(f->vector.lanes.next_time[3] == fresh->vector.lanes.next_time[3]);
    engine->free(engine);
    fresh->vector.lanes.base.free(&fresh->vector.lanes.base);
  }
  ff_ssa_program_free(p);
}

/* A formula may be infinite where all counts are 0, as in an idle lane. Nothing happens there, and the other lanes go on. */
static void idle_lanes_with_infinite_rates(void) {
  static const reaction_text cycle[] = {{"A -> B", "1"}, {"B -> C", "2"}, {"C -> D", "3"},       {"D -> E", "1"},
                                        {"E -> F", "2"}, {"F -> G", "3"}, {"G -> H", "1"},       {"H -> I", "2"},
                                        {"I -> J", "3"}, {"J -> A", "1"}, {"0 -> A", "=3 / K"}, {NULL, NULL}};
  const double initial[] = {40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 1};
  ff_ssa_program *p = program_of(cycle, initial, 11);
  ff_ssa_dense *dense = p->factor->dense;
  FF_CHECK(dense != NULL);
  for (ff_simd simd = FF_SIMD_PORTABLE; simd <= ff_simd_best(); simd++)
    for (int kind = 0; kind <= 2; kind++) {
      p->factor->dense = kind == 0 ? dense : NULL;
      ff_ssa_factored *all = engine_of(p, simd), *f = engine_of(p, simd);
      if (kind == 2) ff_ssa_factored_prepare(all, UINT32_MAX);
      if (kind == 2) ff_ssa_factored_prepare(f, UINT32_MAX);
      f->vector.lanes.base.rest(&f->vector.lanes.base, 3);
      advance(all, 50);
      advance(f, 50);
      for (uint32_t s = 0; s < p->n_species; s++)
        for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) {
          const size_t at = s * FF_SSA_LANES + lane;
          FF_CHECK(f->vector.lanes.count[at] == (lane == 3 ? 0 : all->vector.lanes.count[at]));
        }
      f->vector.lanes.base.free(&f->vector.lanes.base);
      all->vector.lanes.base.free(&all->vector.lanes.base);
    }
  p->factor->dense = dense;
  ff_ssa_program_free(p);
}

/* Adds a block to cells. Returns a bit for each line. */
static uint64_t add_block(const ff_ssa_dense *d, const ff_ssa_dense_block *block, int32_t *cells) {
  uint64_t lines = 0;
  for (uint32_t i = 0; i < FF_DENSE_FEW && i < d->lines; i++) {
    if (d->lines <= FF_DENSE_FEW) FF_CHECK_INT(block->line[i], i);
    lines |= UINT64_C(1) << block->line[i];
    for (uint32_t k = 0; k < FF_DENSE_LINE; k++) cells[block->line[i] * FF_DENSE_LINE + k] += block->by[i][k];
  }
  return lines;
}

/* What the blocks of a reaction add to the cells of a state gives those of the next state. Returns the most blocks of one. */
static uint32_t most_blocks(ff_ssa_program *p) {
  const ff_ssa_dense *d = p->factor->dense;
  double *rows = ff_calloc(p->factor->n_rows, sizeof *rows);
  int32_t *before = ff_calloc(2 * (size_t)d->stride, sizeof *before), *after = before + d->stride;
  uint32_t most = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_dense_block *block = d->blocks + r;
    for (uint32_t s = 0; s < p->n_species; s++) rows[s] = 5 + s % 3;
    rows[p->n_species] = 1;
    ff_ssa_dense_sum_up(d, p->factor, rows, 1, before);
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      rows[p->changes[i].species] += (double)p->changes[i].by;
    ff_ssa_dense_sum_up(d, p->factor, rows, 1, after);
    const uint64_t lines = add_block(d, block, before);
    FF_CHECK_INT(__builtin_popcountll(lines), d->lines < FF_DENSE_FEW ? d->lines : FF_DENSE_FEW);
    for (uint32_t i = 0; i < block->more; i++) add_block(d, d->blocks + d->next[r] + i, before);
    FF_CHECK_SAY(memcmp(before, after, d->stride * sizeof *before) == 0, "reaction %u", r);
    if (block->more + 1u > most) most = block->more + 1u;
  }
  free(before);
  free(rows);
  ff_ssa_program_free(p);
  return most;
}

static void blocks_of_cells(void) {
  FF_CHECK_INT(most_blocks(program_of_sites(4)), 1);
  FF_CHECK_INT(most_blocks(program_of_sites(6)), 3);
  FF_CHECK_INT(most_blocks(program_of_colloid(20)), 1);
}

/* Layouts that are chosen, so that the tests reach all parts of the code. */
static void check_layout(ff_ssa_program *p, uint32_t levels, uint32_t lines) {
  const ff_ssa_dense *d = p->factor->dense;
  FF_CHECK(d != NULL);
  if (d != NULL) FF_CHECK_SAY(d->levels == levels && d->lines == lines, "%u levels, %u lines", d->levels, d->lines);
  ff_ssa_program_free(p);
}

static void layouts(void) {
  check_layout(program_of_example(factor_examples), 0, 0);
  check_layout(program_of_sites(4), 2, 6);
  check_layout(program_of_sites(5), 2, 12);
  check_layout(program_of_sites(6), 3, 38);
  check_layout(program_of_colloid(20), 1, 4);
  ff_ssa_program *p = program_of_network(ring_of(70000));
  FF_CHECK(p->factor->dense == NULL);
  ff_ssa_program_free(p);
  p = program_of_colloid(70); /* more groups than a table has entries */
  FF_CHECK(p->factor->n_groups > FF_DENSE_GROUPS && p->factor->dense == NULL);
  ff_ssa_program_free(p);
}

/* Counts at their limit: sums are exact, and a larger count is a failure. */
static void counts_to_the_limit(void) {
  static const reaction_text growing[] = {{"A -> A + 1000 B", "1"}, {"B -> C", "1e-12"}, {"C -> B", "1e-12"}, {NULL, NULL}};
  const double initial[] = {5, 0x1p40 - 20000, 3}, time = 1e6;
  ff_ssa_program *p = program_of(growing, initial, 3);
  FF_CHECK(ff_ssa_engine_factored_can(p));
  ff_run_options options = {.method = FF_SSA_FACTORED, .n = 20, .times = &time, .n_times = 1, .threads = 2};
  ff_error err;
  FF_CHECK_INT(status_of(p, &options, 1, &err), FF_ESIZE);
  FF_CHECK(strstr(err.text, "the count of species \"B\" exceeds 2^40 at time ") == err.text);
  FF_CHECK(strstr(err.text, " of trajectory 1") != NULL);
  ff_ssa_program_free(p);
}

/* A network without factors in common, or with large changes, is simulated by the logarithmic direct method. */
static void leaves_other_networks(void) {
  static const reaction_text large[] = {{"A -> A + 2000000000 B", "1"}, {"B -> 0", "1e-12"}, {NULL, NULL}};
  static const reaction_text none[] = {{NULL, NULL}};
  const double initial[] = {2, 3}, time = 1;
  const uint32_t observed[] = {0, 1};
  reaction_text *many = ff_calloc(FF_FACTOR_LEAVES + 2, sizeof *many);
  char(*rates)[16] = ff_calloc(FF_FACTOR_LEAVES + 1, sizeof *rates);
  for (uint32_t r = 0; r <= FF_FACTOR_LEAVES; r++) {
    snprintf(rates[r], sizeof *rates, "0.%u1", 100000 + r); /* no rate is a multiple of another */
    many[r] = (reaction_text){"A -> B", rates[r]};
  }
  const reaction_text *lists[] = {large, none, many};
  for (int i = 0; i < 3; i++) {
    double one[2][10], other[2][10], *const columns[] = {one[0], one[1]}, *const others[] = {other[0], other[1]};
    ff_ssa_program *p = program_of(lists[i], initial, 2);
    FF_CHECK(!ff_ssa_engine_factored_can(p));
    for (int method = 0; method < 2; method++) {
      ff_run_options options = {.method = method ? FF_SSA_FACTORED : FF_SSA_TREE, .n = 10, .times = &time, .n_times = 1,
                                .observed = observed, .n_observed = 2, .states = method ? columns : others, .threads = 1};
      ff_run_free(run_to_end(p, &options, 1));
    }
    FF_CHECK(memcmp(one, other, sizeof one) == 0);
    ff_ssa_program_free(p);
  }
  many[FF_FACTOR_LEAVES] = (reaction_text){NULL, NULL};
  ff_ssa_program *most = program_of(many, initial, 2);
  FF_CHECK(ff_ssa_engine_factored_can(most));
  FF_CHECK_INT(ff_ssa_program_groups(most), FF_FACTOR_LEAVES);
  ff_ssa_program_free(most);
  free(many);
  free(rates);
}

/* A method for several trajectories at once is not chosen, and refused, if a run looks at each step or has starts of its own. */
static void suits_the_options(void) {
  enum { N = 49 };
  static reaction_text pairs[N + 1];
  static char equations[N][16];
  const double initial[26] = {1, 1}, time = 1;
  const ff_run_options plain = {.n = 1, .times = &time, .n_times = 1, .threads = 1};
  ff_run_options firings = plain, starts = plain;
  double changed;
  for (int r = 0; r < N; r++) { /* A + B, ..., A + Z, B + C, ..., B + Z */
    snprintf(equations[r], sizeof *equations, "%c + %c -> 0", r < 25 ? 'A' : 'B', r < 25 ? 'B' + r : 'C' + r - 25);
    pairs[r] = (reaction_text){equations[r], "1"};
  }
  ff_ssa_program *p = program_of(pairs, initial, 26);
  firings.max_firings = 10;
  starts.starts = initial;
  FF_CHECK_INT(ff_ssa_method_of(p, &plain, &changed), FF_SSA_FACTORED);
  FF_CHECK_INT(ff_ssa_method_of(p, &firings, &changed), FF_SSA_TREE);
  FF_CHECK_INT(ff_ssa_method_of(p, &starts, &changed), FF_SSA_TREE);
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    ff_run *run;
    ff_error err;
    const int factored = method == FF_SSA_FACTORED;
    firings.method = starts.method = method;
    const ff_status follows = ff_ssa_method_exact(method) && !factored ? FF_OK : FF_EUNSUPPORTED;
    FF_CHECK_INT(ff_ssa_method_check_options(p, &firings, &err), follows);
    FF_CHECK_INT(ff_ssa_method_check_options(p, &starts, &err), factored ? FF_EUNSUPPORTED : FF_OK);
    FF_CHECK_INT(ff_ssa_run_new(&run, p, &firings, &err), follows);
    ff_run_free(run);
  }
  ff_ssa_program_free(p);
}

FF_TEST_MAIN("ssa_factor", finds_groups, maps_of_groups, sums_of_groups, choices_of_reactions, choices_of_large_networks,
             vectors_change_no_bit, blocks_of_cells, layouts, totals_at_the_limit, lanes_begin_anew_after_failures,
             idle_lanes_with_infinite_rates, counts_to_the_limit, leaves_other_networks, suits_the_options)
