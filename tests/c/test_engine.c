/* Both programs against the exact transition law, and against each other's instruction sets. */
#include <math.h>

#include "../../src/exact/ff_exact.h"
#include "../../src/graph/ff_graph.h"
#include "../../src/pbn/ff_engine_internal.h"
#include "nets.h"

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

/* The upper 1e-9 quantile of chi-square, by Wilson and Hilferty. */
static double chi_square_bound(double df) {
  double t = 1 - 2 / (9 * df) + 5.998 * sqrt(2 / (9 * df));
  return df * t * t * t;
}

/* One step from a given state, many times, against the exact row of the transition matrix. */
static void check_row(const ff_pbn *pbn, ff_layout layout, uint64_t state, uint64_t key) {
  ff_error err;
  ff_program *program = NULL;
  ff_tile *tile = NULL;
  ff_exact *exact = NULL;
  FF_CHECK_OK(ff_program_new(&program, pbn, NULL, layout, &err), &err);
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
  /* cells with few expected counts are pooled */
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
  ff_program_free(program);
  ff_exact_free(exact);
}

static void check_law(ff_layout layout) {
  for (size_t i = 0; i < N_SHAPES; i++) {
    if (layout == FF_LAYOUT_SLICED && shapes[i].update == FF_ASYNCHRONOUS) continue;
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

/* Nodes that a reduction removed go on to flip, and to be picked in asynchronous mode. */
static void removed_nodes_stay_in_the_law(void) {
  for (size_t i = 0; i < N_SHAPES; i++) {
    ff_pbn *pbn = net_random_make(&shapes[i], 500 + i);
    if (pbn == NULL) continue;
    pbn->removed_nodes = 7;
    pbn->removed_perturbed = 4;
    check_row(pbn, FF_LAYOUT_PACKED, 1, 3);
    if (pbn->update == FF_SYNCHRONOUS) check_row(pbn, FF_LAYOUT_SLICED, 2, 3);
    ff_pbn_free(pbn);
  }
}

static ff_pbn *large_net(uint64_t seed, uint32_t contexts, ff_update update) {
  net_shape shape = {.nodes = 60, .max_functions = 4, .max_parents = 11, .contexts = contexts, .perturbation = 0.002,
                     .update = update, .exempt = 0.1, .fixed = 0.1};
  return net_random_make(&shape, seed);
}

/* Everything that a tile can be asked, as one number. */
static uint64_t fingerprint(const ff_pbn *pbn, ff_layout layout, ff_simd simd, const uint64_t *pieces, int n_pieces) {
  ff_error err;
  ff_expr terms[3] = {{0}};
  static const uint32_t first[] = {0, 1, 3};
  static const double weights[] = {1, 0.25, 0.75};
  ff_names *names = NULL;
  FF_CHECK_OK(ff_names_new(&names, pbn->names, pbn->n_nodes, &err), &err);
  static const char *const texts[] = {"n1 & !n2 | n3", "f(n4, n5, n6){01101001}", "n7 ^ n8 & (n9 | !n10)"};
  for (int i = 0; i < 3; i++)
    FF_CHECK_OK(ff_expr_parse(&terms[i], texts[i], strlen(texts[i]), ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  ff_names_free(names);
  ff_observables observables = {2, first, terms, weights};
  ff_program *program = NULL;
  ff_tile *tile = NULL;
  uint64_t hash = 1469598103934665603u;
  FF_CHECK_OK(ff_program_new(&program, pbn, &observables, layout, &err), &err);
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
  ff_program_free(program);
  for (int i = 0; i < 3; i++) ff_expr_free(&terms[i]);
  return hash;
}

static void instruction_sets_agree_to_the_bit(void) {
  static const uint64_t whole[] = {60};
  for (uint64_t seed = 0; seed < 6; seed++) {
    ff_pbn *pbn = large_net(seed, seed % 3 == 2 ? 9 : 0, FF_SYNCHRONOUS);
    if (pbn == NULL) continue;
    uint64_t portable = fingerprint(pbn, FF_LAYOUT_SLICED, FF_SIMD_PORTABLE, whole, 1);
    for (int simd = FF_SIMD_AVX2; simd <= (int)ff_simd_best(); simd++)
      FF_CHECK_SAY(fingerprint(pbn, FF_LAYOUT_SLICED, (ff_simd)simd, whole, 1) == portable, "%s", ff_simd_name((ff_simd)simd));
    ff_pbn_free(pbn);
  }
}

static void steps_may_be_divided(void) {
  static const uint64_t whole[] = {60}, pieces[] = {1, 2, 0, 7, 50};
  for (int packed = 0; packed < 2; packed++) {
    ff_pbn *pbn = large_net(3, 0, packed ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS);
    if (pbn == NULL) continue;
    ff_layout layout = packed ? FF_LAYOUT_PACKED : FF_LAYOUT_SLICED;
    FF_CHECK(fingerprint(pbn, layout, FF_SIMD_BEST, whole, 1) == fingerprint(pbn, layout, FF_SIMD_BEST, pieces, 5));
    ff_pbn_free(pbn);
  }
}

/* More steps than the vertical counters hold, against a count step by step. */
static void counters_count(void) {
  static const char *const rules[] = {"a 0.5 b", "a 0.5 !a", "b 1 a ^ b", "c 1 1", NULL};
  ff_pbn *pbn = net_parse(rules, 0.1, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  ff_error err;
  ff_names *names = NULL;
  FF_CHECK_OK(ff_names_new(&names, pbn->names, 3, &err), &err);
  ff_expr terms[2] = {{0}};
  FF_CHECK_OK(ff_expr_parse(&terms[0], "a & b", 5, ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  FF_CHECK_OK(ff_expr_parse(&terms[1], "1", 1, ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  static const uint32_t first[] = {0, 1, 2};
  static const double weights[] = {1, 1};
  ff_observables observables = {2, first, terms, weights};
  for (int layout = FF_LAYOUT_SLICED; layout <= FF_LAYOUT_PACKED; layout++) {
    ff_program *program = NULL;
    ff_tile *whole = NULL, *single = NULL;
    FF_CHECK_OK(ff_program_new(&program, pbn, &observables, (ff_layout)layout, &err), &err);
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
    ff_program_free(program);
  }
  ff_expr_free(&terms[0]);
  ff_expr_free(&terms[1]);
  ff_names_free(names);
  ff_pbn_free(pbn);
}

/* The alias table holds the Poisson probabilities: each column gives its threshold to itself and the rest to its alias. */
static void hits_are_poisson(void) {
  static const double means[] = {1e-6, 0.03, 1, 60, 900, 5000};
  for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
    ff_poisson table;
    ff_error err;
    double p = 0.001, sites = means[i] / -log1p(-p);
    FF_CHECK_OK(ff_poisson_new(&table, p, sites, &err), &err);
    double mean = means[i] / table.n_draws;
    double *mass = ff_calloc(table.size, sizeof *mass);
    for (uint32_t c = 0; c < table.size; c++) {
      double own = (double)table.threshold[c] / 4294967296.0;
      mass[c] += own / table.size;
      mass[table.alias[c]] += (1 - own) / table.size;
    }
    double apart = 0;
    for (uint32_t c = 0; c < table.size; c++) {
      double k = table.lowest + c;
      apart += fabs(mass[c] - exp(k * log(mean) - mean - lgamma(k + 1)));
    }
    FF_CHECK_SAY(apart < 1e-8, "mean %g: total variation %g", means[i], apart);
    free(mass);
    ff_poisson_free(&table);
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

static void refusals(void) {
  static const char *const rules[] = {"a 1 !a", NULL};
  ff_pbn *pbn = net_parse(rules, 0.1, FF_ASYNCHRONOUS);
  if (pbn == NULL) return;
  ff_error err;
  ff_program *program = NULL;
  ff_tile *tile = NULL;
  FF_CHECK_FAILS(ff_program_new(&program, pbn, NULL, FF_LAYOUT_SLICED, &err), FF_EARGUMENT, &err, "synchronous");
  FF_CHECK_OK(ff_program_new(&program, pbn, NULL, FF_LAYOUT_AUTO, &err), &err);
  FF_CHECK_INT(ff_program_layout(program), FF_LAYOUT_PACKED);
  if (ff_simd_best() < FF_SIMD_AVX512)
    FF_CHECK_FAILS(ff_tile_new(&tile, program, FF_SIMD_AVX512, &err), FF_EARGUMENT, &err, "AVX-512");
  ff_program_free(program);
  ff_pbn_free(pbn);
}

FF_TEST_MAIN("engine", sliced_steps_follow_the_law, packed_steps_follow_the_law, removed_nodes_stay_in_the_law,
             instruction_sets_agree_to_the_bit, steps_may_be_divided, counters_count, hits_are_poisson,
             wide_predictors_stay_expressions, refusals)
