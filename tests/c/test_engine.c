/* Compares both layouts of programs with the exact transition probabilities, and all instruction sets with each other. */
#include <math.h>

#include "../../src/exact/ff_exact.h"
#include "../../src/pbn/reduce/ff_reduce.h"
#include "../../src/pbn/ff_pbn_program.h"
#include "../../src/pbn/ff_fixed.h"
#include "../../src/pbn/ff_pbn_trajectories.h"
#include "long_double.h"
#include "nets.h"
#include "open.h"

static const net_shape shapes[] = {
    {.nodes = 3, .max_functions = 3, .max_parents = 3, .perturbation = 0.05},
    {.nodes = 5, .max_functions = 4, .max_parents = 4, .perturbation = 0.2, .exempt = 0.3},
    {.nodes = 6, .max_functions = 2, .max_parents = 6, .perturbation = 0.01, .keep = 0.2},
    {.nodes = 4, .max_functions = 3, .max_parents = 3, .contexts = 5, .perturbation = 0.1},
    {.nodes = 5, .max_functions = 3, .max_parents = 3, .perturbation = 0},
    {.nodes = 4, .max_functions = 2, .max_parents = 2, .perturbation = 0.7},
    {.nodes = 5, .max_functions = 3, .max_parents = 3, .perturbation = 0.05, .update = FF_ASYNCHRONOUS},
    {.nodes = 4, .max_functions = 3, .max_parents = 3, .contexts = 3, .perturbation = 0.1, .update = FF_ASYNCHRONOUS},
    {.nodes = 5, .max_functions = 3, .max_parents = 3, .perturbation = 0, .update = FF_ASYNCHRONOUS, .exempt = 0.3},
};
#define N_SHAPES (sizeof shapes / sizeof shapes[0])

/* The upper 1e-9 quantile of the chi-square distribution, by Wilson and Hilferty. */
static double chi_square_bound(double df) {
  double t = 1 - 2 / (9 * df) + 5.998 * sqrt(2 / (9 * df));
  return df * t * t * t;
}

/* Compares many single steps from a given state with the exact row of the transition matrix. */
static void check_row(const ff_pbn *pbn, ff_layout layout, uint64_t state, uint64_t key) {
  ff_error err;
  ff_pbn_program *program = NULL;
  ff_tile *tile = NULL;
  ff_exact *exact = NULL;
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, layout, &err), &err);
  FF_CHECK_OK(ff_exact_new(&exact, pbn, &err), &err);
  if (program != NULL) FF_CHECK_OK(ff_tile_new(&tile, program, FF_SIMD_BEST, &err), &err);
  if (tile == NULL || exact == NULL) return;
  const uint32_t *nodes;
  uint32_t n_free = ff_exact_free_nodes(exact, &nodes);
  uint64_t n_states = ff_exact_states(exact), n_units = 64;
  double *row = ff_calloc(n_states, sizeof *row), *seen = ff_calloc(n_states, sizeof *seen);
  FF_CHECK_OK(ff_exact_row(row, state, exact, &err), &err);
  for (uint64_t unit = 0; unit < n_units; unit++) {
    ff_tile_start(tile, key, unit);
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      for (uint32_t i = 0; i < n_free; i++) ff_tile_set(tile, nodes[i], lane, (int)(state >> i & 1));
    ff_tile_advance(tile, 1);
    for (uint32_t lane = 0; lane < FF_TILE; lane++) {
      uint64_t to = 0;
      for (uint32_t i = 0; i < n_free; i++) to |= (uint64_t)ff_tile_get(tile, nodes[i], lane) << i;
      seen[to]++;
    }
  }
  /* cells with small expected counts are pooled */
  double n = (double)n_units * FF_TILE, chi = 0, pooled_seen = 0, pooled = 0, cells = 0;
  for (uint64_t s = 0; s < n_states; s++) {
    double expected = n * row[s];
    FF_CHECK_SAY(expected > 0 || seen[s] == 0, "an impossible state was reached");
    if (expected < 10) {
      pooled += expected;
      pooled_seen += seen[s];
    } else {
      chi += (seen[s] - expected) * (seen[s] - expected) / expected;
      cells++;
    }
  }
  if (pooled >= 10) {
    chi += (pooled_seen - pooled) * (pooled_seen - pooled) / pooled;
    cells++;
  }
  if (cells > 1) FF_CHECK_SAY(chi < chi_square_bound(cells - 1), "chi-square %g with %g cells", chi, cells);
  free(row);
  free(seen);
  ff_tile_free(tile);
  ff_pbn_program_free(program);
  ff_exact_free(exact);
}

static void check_law(ff_layout layout) {
  for (size_t i = 0; i < N_SHAPES; i++) {
    for (uint64_t seed = 0; seed < 4; seed++) {
      ff_pbn *pbn = net_random_make(&shapes[i], 100 * i + seed);
      if (pbn == NULL) continue;
      for (uint64_t s = 0; s < 3; s++) check_row(pbn, layout, (s * 11 + seed) % (1u << shapes[i].nodes), seed + 7);
      ff_pbn_free(pbn);
    }
  }
}

static void sliced_steps_follow_the_law(void) { check_law(FF_LAYOUT_SLICED); }
static void packed_steps_follow_the_law(void) { check_law(FF_LAYOUT_PACKED); }

/* Nodes that a reduction removed still flip, and are still picked in asynchronous mode. */
static void removed_nodes_stay_in_the_law(void) {
  for (size_t i = 0; i < N_SHAPES; i++) {
    ff_pbn *pbn = net_random_make(&shapes[i], 500 + i);
    if (pbn == NULL) continue;
    pbn->removed_nodes = 7;
    pbn->removed_perturbed = 4;
    check_row(pbn, FF_LAYOUT_PACKED, 1, 3);
    check_row(pbn, FF_LAYOUT_SLICED, 2, 3);
    ff_pbn_free(pbn);
  }
}

static ff_pbn *large_net(uint64_t seed, uint32_t contexts, ff_update update) {
  net_shape shape = {.nodes = 60, .max_functions = 4, .max_parents = 11, .contexts = contexts, .perturbation = 0.002,
                     .update = update, .exempt = 0.1, .fixed = 0.1};
  return net_random_make(&shape, seed);
}

/* A hash of all results of a tile. */
static uint64_t fingerprint(const ff_pbn *pbn, ff_layout layout, ff_simd simd, const uint64_t *pieces, int n_pieces) {
  ff_error err;
  ff_expr terms[3] = {{0}};
  static const uint32_t first[] = {0, 1, 3};
  static const double weights[] = {1, 0.25, 0.75};
  ff_names *names = NULL;
  FF_CHECK_OK(ff_names_new(&names, pbn->names, pbn->n_nodes, "nodes", &err), &err);
  static const char *const texts[] = {"n1 & !n2 | n3", "f(n4, n5, n6){01101001}", "n7 ^ n8 & (n9 | !n10)"};
  for (int i = 0; i < 3; i++)
    FF_CHECK_OK(ff_expr_parse(&terms[i], texts[i], strlen(texts[i]), ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  ff_names_free(names);
  ff_observables observables = {2, first, terms, weights};
  ff_pbn_program *program = NULL;
  ff_tile *tile = NULL;
  uint64_t hash = 1469598103934665603u;
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, &observables, layout, &err), &err);
  if (program != NULL) FF_CHECK_OK(ff_tile_new(&tile, program, simd, &err), &err);
  if (tile != NULL) {
    ff_tile_start(tile, 99, (UINT64_C(1) << 36) + 5);
    ff_tile_advance(tile, 20);
    for (int i = 0; i < n_pieces; i++) ff_tile_count(tile, pieces[i]);
    ff_harvest h = ff_tile_harvest(tile);
    hash = (hash ^ h.steps) * 1099511628211u;
    for (uint32_t i = 0; i < 3 * FF_TILE; i++) hash = (hash ^ h.counts[i]) * 1099511628211u;
    hash = (hash ^ h.changes[0]) * 1099511628211u;
    hash = (hash ^ h.before[0]) * 1099511628211u;
    hash = (hash ^ h.after[0]) * 1099511628211u;
    for (uint32_t i = 0; i < pbn->n_nodes; i++)
      for (uint32_t lane = 0; lane < FF_TILE; lane++)
        hash = (hash ^ (uint64_t)ff_tile_get(tile, i, lane)) * 1099511628211u;
  }
  ff_tile_free(tile);
  ff_pbn_program_free(program);
  for (int i = 0; i < 3; i++) ff_expr_free(&terms[i]);
  return hash;
}

static void instruction_sets_agree_to_the_bit(void) {
  static const uint64_t whole[] = {60};
  for (uint64_t seed = 0; seed < 6; seed++) {
    ff_pbn *pbn = large_net(seed, seed % 3 == 2 ? 9 : 0, seed % 2 ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS);
    if (pbn == NULL) continue;
    uint64_t portable = fingerprint(pbn, FF_LAYOUT_SLICED, FF_SIMD_PORTABLE, whole, 1);
    for (int simd = FF_SIMD_AVX2; simd <= (int)ff_simd_best(); simd++)
      FF_CHECK_SAY(fingerprint(pbn, FF_LAYOUT_SLICED, (ff_simd)simd, whole, 1) == portable, "%s", ff_simd_name((ff_simd)simd));
    ff_pbn_free(pbn);
  }
}

static void steps_may_be_divided(void) {
  static const uint64_t whole[] = {60}, pieces[] = {1, 2, 0, 7, 50};
  for (int kind = 0; kind < 4; kind++) {
    ff_pbn *pbn = large_net(3, 0, kind % 2 ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS);
    if (pbn == NULL) continue;
    ff_layout layout = kind / 2 ? FF_LAYOUT_PACKED : FF_LAYOUT_SLICED;
    FF_CHECK(fingerprint(pbn, layout, FF_SIMD_BEST, whole, 1) == fingerprint(pbn, layout, FF_SIMD_BEST, pieces, 5));
    ff_pbn_free(pbn);
  }
}

/* Runs more steps than the vertical counters hold and compares with a count step by step. */
static void counters_count(void) {
  static const char *const rules[] = {"a 0.5 b", "a 0.5 !a", "b 1 a ^ b", "c 1 1", NULL};
  ff_pbn *pbn = net_parse(rules, 0.1, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  ff_error err;
  ff_names *names = NULL;
  FF_CHECK_OK(ff_names_new(&names, pbn->names, 3, "nodes", &err), &err);
  ff_expr terms[2] = {{0}};
  FF_CHECK_OK(ff_expr_parse(&terms[0], "a & b", 5, ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  FF_CHECK_OK(ff_expr_parse(&terms[1], "1", 1, ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  static const uint32_t first[] = {0, 1, 2};
  static const double weights[] = {1, 1};
  ff_observables observables = {2, first, terms, weights};
  for (int layout = FF_LAYOUT_SLICED; layout <= FF_LAYOUT_PACKED; layout++) {
    ff_pbn_program *program = NULL;
    ff_tile *whole = NULL, *single = NULL;
    FF_CHECK_OK(ff_pbn_program_new(&program, pbn, &observables, (ff_layout)layout, &err), &err);
    FF_CHECK_OK(ff_tile_new(&whole, program, FF_SIMD_BEST, &err), &err);
    FF_CHECK_OK(ff_tile_new(&single, program, FF_SIMD_BEST, &err), &err);
    uint32_t steps = layout == FF_LAYOUT_SLICED ? 9001 : 500;
    ff_tile_start(whole, 4, 2);
    ff_tile_start(single, 4, 2);
    ff_tile_count(whole, steps);
    static uint32_t count[FF_TILE];
    memset(count, 0, sizeof count);
    uint64_t changes = 0;
    uint8_t last[FF_TILE];
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      last[lane] = (uint8_t)(ff_tile_get(single, 0, lane) & ff_tile_get(single, 1, lane));
    for (uint32_t s = 0; s < steps; s++) {
      ff_tile_advance(single, 1);
      for (uint32_t lane = 0; lane < FF_TILE; lane++) {
        uint8_t now = (uint8_t)(ff_tile_get(single, 0, lane) & ff_tile_get(single, 1, lane));
        count[lane] += now;
        changes += now != last[lane];
        last[lane] = now;
      }
    }
    ff_harvest h = ff_tile_harvest(whole);
    FF_CHECK_INT(h.steps, steps);
    FF_CHECK(memcmp(h.counts, count, sizeof count) == 0);
    FF_CHECK_INT(h.changes[0], changes);
    FF_CHECK_INT(h.counts[FF_TILE + 5], steps);
    FF_CHECK_INT(h.before[1], FF_TILE);
    uint32_t after = 0;
    for (uint32_t lane = 0; lane < FF_TILE; lane++) after += last[lane];
    FF_CHECK_INT(h.after[0], after);
    ff_tile_forget(whole);
    ff_tile_count(whole, 3);
    FF_CHECK_INT(ff_tile_harvest(whole).before[0], after);
    FF_CHECK_INT(ff_tile_harvest(whole).counts[FF_TILE], 3);
    ff_tile_free(whole);
    ff_tile_free(single);
    ff_pbn_program_free(program);
  }
  ff_expr_free(&terms[0]);
  ff_expr_free(&terms[1]);
  ff_names_free(names);
  ff_pbn_free(pbn);
}

__extension__ typedef unsigned __int128 wide;

/* The exact probabilities of a table, in units of 2^-96. Each column is selected by some number of random words. For each of
 * these words, the threshold is the part that goes to the column's value, and the rest goes to its alias. */
static wide *masses(const ff_poisson *table) {
  wide *mass = ff_calloc(table->size, sizeof *mass);
  for (uint32_t c = 0; c < table->size; c++) {
    uint64_t first = (((uint64_t)c << 32) + table->size - 1) / table->size;
    uint64_t words = ((((uint64_t)c + 1) << 32) + table->size - 1) / table->size - first;
    mass[c] += (wide)words * table->threshold[c];
    mass[table->alias[c]] += ((wide)words << 64) - (wide)words * table->threshold[c];
  }
  return mass;
}

/* The Poisson probabilities of the table's values, computed by recurrence from the mode. */
static long double *poisson_law(const ff_poisson *table, long double mean) {
  long double *law = ff_calloc(table->size, sizeof *law);
  wide sum = 0; /* in units of 2^-100, so that nothing is lost */
  uint32_t mode = (uint32_t)mean - table->lowest;
  law[mode] = 1;
  for (uint32_t c = mode; c > 0; c--) law[c - 1] = law[c] * (table->lowest + c) / mean;
  for (uint32_t c = mode + 1; c < table->size; c++) law[c] = law[c - 1] * mean / (table->lowest + c);
  for (uint32_t c = 0; c < table->size; c++) sum += (wide)(law[c] * 0x1p100L);
  for (uint32_t c = 0; c < table->size; c++) law[c] /= (long double)sum * 0x1p-100L;
  return law;
}

/* All errors are in units of 2^-64. The table has an error of at most 3: it has two rounded sums, of which the last may stay
 * below 1, and thresholds that are rounded down by 2^-96 per word and column, which would all add up in an alias of all columns.
 * The probabilities computed here have these errors: each step of the recurrence rounds twice, so at distance d from the mode a
 * probability P(d) has an error of 2 d P(d) < 1. All of these together change the sum by a fraction of 2 E|d|, which times P(d)
 * is < 1. The mean has a relative error of 4, so P(d) has an error of 4 d P(d) < 2. The division by the sum adds 2. The total is
 * 9, or 2^-60.8. */
static void hits_are_poisson(void) {
  static const double probabilities[] = {1e-15, 1e-14, 1e-12, 1e-11, 1e-9, 1e-6, 1e-3, 0.02, 0.1, 0.3, 0.5, 0.7, 0.999};
  static const uint64_t sites[] = {1, 2, 7, 59, 1024, 59 * 1024, 100000, 3000000, 100000 * 1024};
  const long double bound = long_double_is_longer() ? 0x1p-60L : 0x1p-46L;
  for (size_t i = 0; i < sizeof probabilities / sizeof probabilities[0]; i++)
    for (size_t j = 0; j < sizeof sites / sizeof sites[0]; j++) {
      ff_poisson table;
      ff_error err;
      FF_CHECK_OK(ff_poisson_new(&table, probabilities[i], sites[j], &err), &err);
      long double mean = -log1pl(-(long double)probabilities[i]) * (long double)sites[j] / table.n_draws, most = 0;
      long double *law = poisson_law(&table, mean);
      wide *mass = masses(&table), sum = 0, some = 0;
      for (uint32_t c = 0; c < table.size; c++) {
        long double apart = fabsl((long double)mass[c] * 0x1p-96L - law[c]);
        if (apart > most) most = apart;
        sum += mass[c];
        if (table.lowest + c > 0) some += mass[c];
      }
      FF_CHECK_SAY(most < bound, "p %g, %g sites: a probability is wrong by 2^%.1Lf", probabilities[i], (double)sites[j],
                   log2l(most));
      FF_CHECK(sum == (wide)1 << 96);
      /* at least one hit, if that is rare: only the error of the table matters */
      if (mean < 0x1p-10L)
        FF_CHECK_SAY(fabsl((long double)some * 0x1p-96L + expm1l(-mean)) < 0x1p-62L + bound * mean,
                     "p %g, %g sites: %Lg, expected %Lg",
                     probabilities[i], (double)sites[j], (long double)some * 0x1p-96L, -expm1l(-mean));
      free(law);
      free(mass);
      ff_poisson_free(&table);
    }
}

/* At p = 1e-15 there is a hit only if the upper halves are equal in the column of one hit, which happens once in 2^32 draws. Then
 * further bits decide. Among 200,000 such draws the number of hits is binomial. It is outside six standard deviations with
 * probability 2e-9. */
static void rarest_hits_have_their_rate(void) {
  ff_poisson table;
  ff_error err;
  FF_CHECK_OK(ff_poisson_new(&table, 1e-15, 1024, &err), &err);
  const uint32_t n = 200000, column = (uint32_t)((UINT64_C(3) << 31) / table.size) + 1; /* the middle of column 1 */
  uint32_t hits = 0;
  FF_CHECK_INT(table.threshold[1] >> 32, 0);
  for (uint32_t step = 0; step < n; step++) hits += ff_poisson_value(&table, column, 0, 0, step, 5, 77);
  double q = 1e-15 * 1024 * table.size * 4294967296.0;
  FF_CHECK_NEAR(hits / (double)n, q, 6 * sqrt(q * (1 - q) / n));
  ff_poisson_free(&table);
}

/* A network whose only node changes in every step, except in steps that perturb the trajectory by flips of removed nodes. */
static ff_pbn *blinker(uint32_t removed, double p, ff_update update) {
  static const char *const rules[] = {"a 1 !a", NULL};
  ff_pbn *pbn = net_parse(rules, p, update);
  if (pbn == NULL) return NULL;
  pbn->perturbed[0] = 0;
  pbn->removed_nodes = pbn->removed_perturbed = removed;
  return pbn;
}

static ff_tile *blinking(ff_pbn_program **program, const ff_pbn *pbn, ff_layout layout, ff_simd simd) {
  static const uint32_t first[] = {0, 1};
  static const double weights[] = {1};
  ff_error err;
  ff_tile *tile = NULL;
  ff_observables observables = {1, first, &pbn->predictors[0].expr, weights};
  *program = NULL;
  FF_CHECK_OK(ff_pbn_program_new(program, pbn, &observables, layout, &err), &err);
  if (*program != NULL) FF_CHECK_OK(ff_tile_new(&tile, *program, simd, &err), &err);
  return tile;
}

/* With 1,024 million sites, p = 1e-12 and a million steps, 1,024 hits are expected, with a Poisson distribution. The number
 * differs from the expectation by more than six standard deviations and one with probability below 1e-8. The expected number of
 * steps in which one trajectory is hit twice is 5e-4. */
static void tiny_perturbations_flip(void) {
  const uint64_t steps = 1000000;
  ff_pbn_program *program;
  ff_pbn *pbn = blinker(1000000, 1e-12, FF_SYNCHRONOUS);
  ff_tile *tile = pbn == NULL ? NULL : blinking(&program, pbn, FF_LAYOUT_SLICED, FF_SIMD_BEST);
  if (tile != NULL) {
    ff_tile_start(tile, 11, 1);
    ff_tile_count(tile, steps);
    uint64_t hits = steps * FF_TILE - ff_tile_harvest(tile).changes[0];
    FF_CHECK_NEAR((double)hits, 1024, 6 * sqrt(1024) + 1);
  }
  ff_tile_free(tile);
  if (pbn != NULL) ff_pbn_program_free(program);
  ff_pbn_free(pbn);
}

/* The first bits do not decide the hits of trajectory 9. If the further bits are below the threshold, its number of hits is that
 * of its column, else it has none. */
static void check_open_hits(ff_tile *tile, ff_pbn_program *program, ff_layout layout, uint64_t step) {
  const uint64_t key = 13, unit = 3;
  for (int below = 0; below < 2; below++) {
    open_at at = {key, layout == FF_LAYOUT_PACKED ? unit * FF_TILE + 9 : unit, step};
    uint32_t column = open_hits(program, &at, below), stay = 0;
    program->hits.alias[column] = 0;
    uint8_t before[FF_TILE];
    ff_tile_start(tile, key, unit);
    tile->step = step;
    for (uint32_t lane = 0; lane < FF_TILE; lane++) before[lane] = (uint8_t)ff_tile_get(tile, 0, lane);
    ff_tile_advance(tile, 1);
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      if (layout == FF_LAYOUT_SLICED || lane == 9) stay += ff_tile_get(tile, 0, lane) == before[lane];
    FF_CHECK_SAY((stay > 0) == (below && column > 0), "%s, step %d, column %u: %u stay", ff_layout_name(layout), (int)step,
                 column, stay);
  }
}

static void open_hits_are_decided(void) {
  for (int layout = FF_LAYOUT_SLICED; layout <= FF_LAYOUT_PACKED; layout++)
    for (int simd = FF_SIMD_PORTABLE; simd <= (int)ff_simd_best(); simd++) {
      ff_pbn_program *program;
      ff_pbn *pbn = blinker(1, 1e-4, FF_SYNCHRONOUS);
      ff_tile *tile = pbn == NULL ? NULL : blinking(&program, pbn, (ff_layout)layout, (ff_simd)simd);
      for (uint64_t step = 0; step < 20 && tile != NULL; step++) check_open_hits(tile, program, (ff_layout)layout, step);
      ff_tile_free(tile);
      if (pbn != NULL) ff_pbn_program_free(program);
      ff_pbn_free(pbn);
    }
}

/* Node b's value shows which function or context was chosen for a trajectory whose first bits did not decide. */
static void check_open_choice(ff_pbn *pbn, ff_layout layout, ff_simd simd) {
  ff_error err;
  for (uint64_t i = 0; i < 40; i++) {
    ff_pbn_program *program = NULL;
    ff_tile *tile = NULL;
    int below = (int)(i % 2);
    uint32_t lane = (uint32_t)(i * 26 + 5);
    open_at at = {21, layout == FF_LAYOUT_PACKED ? 2 * FF_TILE + lane : 2, i};
    FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, layout, &err), &err);
    if (program != NULL) FF_CHECK_OK(ff_tile_new(&tile, program, simd, &err), &err);
    if (tile != NULL) {
      ff_packed *q = &program->packed;
      uint32_t last = program->slice.n_selects == 0 ? 0 : (uint32_t)program->slice.n_selects - 1, place = 0;
      while (layout == FF_LAYOUT_PACKED && q->order[place] != pbn->n_nodes - 1) place++;
      if (layout == FF_LAYOUT_SLICED)
        open_select(program, last, lane, &at, below);
      else if (pbn->n_contexts > 0)
        open_choice(program, 0, q->context_cut, q->context_further, 2, &at, below);
      else
        open_choice(program, place, q->cut + q->first[place], q->cut_further + q->first[place], 2, &at, below);
      ff_tile_start(tile, 21, 2);
      tile->step = i;
      ff_tile_set(tile, pbn->n_nodes - 1, lane, !below);
      ff_tile_advance(tile, 1);
      FF_CHECK_SAY(ff_tile_get(tile, pbn->n_nodes - 1, lane) == below, "%s, step %d", ff_layout_name(layout), (int)i);
    }
    ff_tile_free(tile);
    ff_pbn_program_free(program);
  }
}

static void open_choices_are_decided(void) {
  static const char *const two[] = {"a 0.3 1", "a 0.7 0", "b 0.4 1", "b 0.6 0", NULL};
  static const char *const one[] = {"b 0.4 1", "b 0.6 0", NULL};
  for (int kind = 0; kind < 4; kind++) { /* independent or context-sensitive; synchronous or asynchronous */
    ff_error err;
    ff_update update = kind < 2 ? FF_SYNCHRONOUS : FF_ASYNCHRONOUS;
    ff_pbn *pbn = net_parse(kind == 0 ? two : one, 0, update);
    if (pbn == NULL) continue;
    if (kind % 2 == 1) {
      FF_CHECK_OK(ff_pbn_new_contexts(pbn, 2, &err), &err);
      pbn->context_probability[0] = 0.2;
      pbn->context_probability[1] = 0.8;
      pbn->context[0] = 0;
      pbn->context[1] = 1;
      FF_CHECK_OK(ff_pbn_finish(pbn, 0, &err), &err);
    }
    check_open_choice(pbn, FF_LAYOUT_PACKED, FF_SIMD_BEST);
    for (int simd = FF_SIMD_PORTABLE; simd <= (int)ff_simd_best(); simd++)
      check_open_choice(pbn, FF_LAYOUT_SLICED, (ff_simd)simd);
    ff_pbn_free(pbn);
  }
}

/* Cuts are correct to half a unit of 2^-64, or to a whole unit if the cut is 1. Long doubles add an error of the same size. */
static void cuts_are_right(void) {
  static const double weights[][4] = {{1e-15, 1 - 1e-15}, {1 - 1e-15, 1e-15}, {0.5, 1e-12, 0.5 - 1e-12}, {0.25, 0.25, 0.5},
                                      {0.1, 0.2, 0.3, 0.4}, {1e-18, 1}, {1, 1e-18}};
  const long double bound = long_double_is_longer() ? 0x1p-62L : 0x1p-50L;
  for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
    uint32_t n = weights[i][2] == 0 ? 2 : weights[i][3] == 0 ? 3 : 4;
    uint64_t cut[3];
    long double sum = 0, part = 0;
    ff_fixed_cuts(cut, weights[i], sizeof weights[i][0], n);
    for (uint32_t j = 0; j < n; j++) sum += weights[i][j];
    for (uint32_t j = 0; j + 1 < n; j++) {
      part += weights[i][j];
      FF_CHECK_SAY(fabsl((long double)cut[j] * 0x1p-64L - part / sum) < bound, "%zu, cut %u", i, j);
      if (i == 3) FF_CHECK(cut[j] == (uint64_t)(j + 1) << 62);
    }
  }
}

static void wide_predictors_stay_expressions(void) {
  static const char *const rules[] = {
      "a 1 b & c & d & e & g & h & i & j & k & l & m & n & o & p & q & r & s & t | a ^ b",
      "b 1 !a", "c 1 a", "d 1 a | b", "e 1 1", "g 1 1", "h 1 1", "i 1 a", "j 1 1", "k 1 b", "l 1 1", "m 1 1", "n 1 1",
      "o 1 1", "p 1 !b", "q 1 1", "r 1 1", "s 1 1", "t 1 a", NULL};
  ff_pbn *pbn = net_parse(rules, 0.01, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  check_row(pbn, FF_LAYOUT_SLICED, 5, 1);
  check_row(pbn, FF_LAYOUT_PACKED, 5, 1);
  ff_pbn_free(pbn);
}

/* In asynchronous mode, large networks use the packed layout and small ones the sliced layout. */
static void layouts_follow_from_the_network(void) {
  for (uint32_t nodes = 250; nodes <= 260; nodes += 10)
    for (int update = FF_SYNCHRONOUS; update <= FF_ASYNCHRONOUS; update++) {
      net_shape shape = {.nodes = nodes, .max_functions = 1, .max_parents = 2, .update = (ff_update)update};
      ff_pbn *pbn = net_random_make(&shape, 5);
      ff_pbn_program *program = NULL;
      ff_error err;
      if (pbn == NULL) continue;
      FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, FF_LAYOUT_AUTO, &err), &err);
      int packed = update == FF_ASYNCHRONOUS && nodes > 256;
      FF_CHECK_INT(ff_pbn_program_layout(program), packed ? FF_LAYOUT_PACKED : FF_LAYOUT_SLICED);
      ff_pbn_program_free(program);
      ff_pbn_free(pbn);
    }
}

/* A ring of n nodes whose last one is negated (period 2n), a coin, and a chain of `chain` nodes that starts at the coin, in
 * either order. */
static ff_pbn *ring_and_chain(uint32_t n, uint32_t chain, int reverse, double p) {
  static char text[300][48];
  const char *rules[301];
  uint32_t k = 0;
  for (uint32_t i = 0; i < chain; i++) {
    uint32_t c = reverse ? chain - 1 - i : i;
    snprintf(text[k++], sizeof text[0], c == 0 ? "c0 1 coin" : "c%u 1 c%u", c, c - 1);
  }
  for (uint32_t i = 0; i < n; i++)
    snprintf(text[k++], sizeof text[0], i == 0 ? "r0 1 !r%u" : "r%u 1 r%u", i == 0 ? n - 1 : i, i - 1);
  snprintf(text[k++], sizeof text[0], "coin 0.5 1");
  snprintf(text[k++], sizeof text[0], "coin 0.5 0");
  for (uint32_t i = 0; i < k; i++) rules[i] = text[i];
  rules[k] = NULL;
  ff_pbn *pbn = net_parse(rules, p, FF_SYNCHRONOUS);
  for (uint32_t i = 0; pbn != NULL && i < pbn->n_nodes; i++) pbn->initial[i] = 0;
  return pbn;
}

static ff_clockwork clockwork_of(ff_pbn *pbn) {
  ff_clockwork out = {99, 99, 0};
  ff_error err;
  FF_CHECK(pbn != NULL);
  if (pbn != NULL) FF_CHECK_OK(ff_clockwork_find(&out, pbn, &err), &err);
  ff_pbn_free(pbn);
  return out;
}

static void clocks_are_found(void) {
  for (int reverse = 0; reverse < 2; reverse++) {
    ff_clockwork found = clockwork_of(ring_and_chain(37, 200, reverse, 0));
    FF_CHECK_INT(found.period, 74);
    FF_CHECK(found.settled <= 2 * 74);
  }
  FF_CHECK_INT(clockwork_of(ring_and_chain(1, 0, 0, 0)).period, 2);
  FF_CHECK_INT(clockwork_of(ring_and_chain(3, 2, 0, 0.01)).period, 1); /* flips reach all states */
  /* a binary counter with 20 digits has period 2^20; with 21 digits the period is too long */
  for (uint32_t bits = 20; bits <= 21; bits++) {
    static char text[21][256];
    const char *rules[22] = {NULL};
    for (uint32_t i = 0; i < bits; i++) {
      int used = snprintf(text[i], sizeof text[i], "b%u 1 b%u ^ (1", i, i);
      for (uint32_t j = 0; j < i; j++) used += snprintf(text[i] + used, sizeof text[i] - (size_t)used, " & b%u", j);
      snprintf(text[i] + used, sizeof text[i] - (size_t)used, ")");
      rules[i] = text[i];
    }
    ff_pbn *pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
    uint64_t period = clockwork_of(pbn).period;
    FF_CHECK_SAY(period == 0 || (bits == 20 && period == 1u << 20), "%u bits: %u", bits, (unsigned)period);
  }
  /* a shift register that fills with ones is constant after 30 steps */
  static char text[30][32];
  const char *rules[31] = {NULL};
  for (uint32_t i = 0; i < 30; i++) {
    snprintf(text[i], sizeof text[i], i == 0 ? "s0 1 1" : "s%u 1 s%u", i, i - 1);
    rules[i] = text[i];
  }
  ff_pbn *pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
  for (uint32_t i = 0; pbn != NULL && i < 30; i++) pbn->initial[i] = 0;
  ff_clockwork found = clockwork_of(pbn);
  FF_CHECK_INT(found.period, 1);
  FF_CHECK_SAY(found.settled >= 29 && found.settled < 64, "settled by %u", (unsigned)found.settled);
}

/* ---- trajectories ------------------------------------------------------------------------------------------------ */

enum { KEPT_NODES = 40, KEPT_N = 2 * FF_TILE + 300, KEPT_STEPS = 17, KEPT_EVERY = 5, KEPT_STATES = 4 };

/* The states that are kept, by pieces of work as small as possible or by one. */
static void keep(int *values, const ff_pbn_program *program, const int *initial, int threads, double seconds) {
  ff_error err;
  ff_pbn_trajectories *trajectories = NULL;
  int *columns[KEPT_NODES];
  for (int i = 0; i < KEPT_NODES; i++) columns[i] = values + (size_t)i * KEPT_N * KEPT_STATES;
  const ff_pbn_trajectories_options options = {.n = KEPT_N, .steps = KEPT_STEPS, .every = KEPT_EVERY, .key = 7,
                                               .initial = initial, .rows = 3, .columns = columns, .threads = threads,
                                               .simd = FF_SIMD_BEST};
  FF_CHECK_OK(ff_pbn_trajectories_new(&trajectories, program, &options, &err), &err);
  while (trajectories != NULL && !ff_pbn_trajectories_advance(trajectories, seconds)) continue;
  if (trajectories != NULL) FF_CHECK(ff_pbn_trajectories_advance(trajectories, seconds));
  ff_pbn_trajectories_free(trajectories);
}

/* The values of all nodes in one trajectory, by a tile of its own. */
static void check_kept(const int *values, const ff_pbn_program *program, const int *initial, uint64_t trajectory) {
  ff_error err;
  ff_tile *tile = NULL;
  const uint32_t lane = (uint32_t)(trajectory % FF_TILE);
  FF_CHECK_OK(ff_tile_new(&tile, program, FF_SIMD_BEST, &err), &err);
  if (tile == NULL) return;
  ff_tile_start(tile, 7, trajectory / FF_TILE);
  for (uint32_t i = 0; i < KEPT_NODES; i++) {
    const int value = initial[trajectory % 3 + 3 * i];
    if (value >= 0) ff_tile_set(tile, i, lane, value);
  }
  for (uint64_t state = 0; state < KEPT_STATES; state++) {
    for (uint32_t i = 0; i < KEPT_NODES; i++)
      FF_CHECK_INT(values[((size_t)i * KEPT_N + trajectory) * KEPT_STATES + state], ff_tile_get(tile, i, lane));
    ff_tile_advance(tile, KEPT_EVERY);
  }
  ff_tile_free(tile);
}

static void states_are_kept(void) {
  ff_error err;
  ff_pbn_program *program = NULL;
  const size_t n = (size_t)KEPT_NODES * KEPT_N * KEPT_STATES;
  int *one = ff_calloc(n, sizeof *one), *other = ff_calloc(n, sizeof *other), initial[3 * KEPT_NODES];
  for (int i = 0; i < 3 * KEPT_NODES; i++) initial[i] = i % 7 - 1 > 1 ? INT32_MIN : i % 7 - 1;
  const net_shape shape = {.nodes = KEPT_NODES, .max_functions = 2, .max_parents = 3, .perturbation = 0.05};
  ff_pbn *pbn = net_random_make(&shape, 3);
  if (pbn != NULL) FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, FF_LAYOUT_AUTO, &err), &err);
  if (program != NULL && one != NULL && other != NULL) {
    keep(one, program, initial, 1, 1e9);
    keep(other, program, initial, 3, 0);
    FF_CHECK(memcmp(one, other, n * sizeof *one) == 0);
    static const uint64_t some[] = {0, 1, FF_TILE - 1, FF_TILE, KEPT_N - 1};
    for (int i = 0; i < 5; i++) check_kept(one, program, initial, some[i]);
  }
  ff_pbn_program_free(program);
  ff_pbn_free(pbn);
  free(one);
  free(other);
}

static void refusals(void) {
  static const char *const rules[] = {"a 1 !a", NULL};
  ff_pbn *pbn = net_parse(rules, 0.1, FF_ASYNCHRONOUS);
  if (pbn == NULL) return;
  ff_error err;
  ff_pbn_program *program = NULL;
  ff_tile *tile = NULL;
  FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, FF_LAYOUT_AUTO, &err), &err);
  if (ff_simd_best() < FF_SIMD_AVX512)
    FF_CHECK_FAILS(ff_tile_new(&tile, program, FF_SIMD_AVX512, &err), FF_EARGUMENT, &err, "AVX-512");
  ff_pbn_trajectories *trajectories = NULL;
  FF_CHECK_FAILS(ff_pbn_trajectories_new(&trajectories, program, &(ff_pbn_trajectories_options){.every = 1, .threads = 1}, &err),
                 FF_EARGUMENT, &err, "found no trajectories");
  ff_pbn_program_free(program);
  ff_pbn_free(pbn);
}

FF_TEST_MAIN("engine", sliced_steps_follow_the_law, packed_steps_follow_the_law, removed_nodes_stay_in_the_law,
             instruction_sets_agree_to_the_bit, steps_may_be_divided, counters_count, hits_are_poisson,
             rarest_hits_have_their_rate, tiny_perturbations_flip, open_hits_are_decided, open_choices_are_decided,
             cuts_are_right,
             wide_predictors_stay_expressions, layouts_follow_from_the_network, clocks_are_found, states_are_kept, refusals)
