/* Replicated modules: what the analysis finds and what it refuses. */
#include <float.h>

#include "../../src/ssa/lanes/ff_ssa_ring16.h"
#include "../../src/ssa/path/ff_ssa_draws.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "ring_examples.h"
#include "random.h"

/* ---- the analysis ------------------------------------------------------------------------------------------------------- */

/* The propensity of each reaction is that of its kind and module, in random states, and its changes are those of its kind. Only
 * the rounding of three products and of a multiple of a rate differs. */
static void describes_reactions(const ff_ssa_program *p, const char *what) {
  const ff_ssa_ring *x = p->ring;
  uint64_t seed = 5;
  ff_ssa_path path;
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&path, p, &ff_ssa_finder_direct, &err), &err);
  for (uint32_t s = 0; s < p->n_species; s++) path.count[s] = below(&seed, 1000);
  for (uint32_t q = 0; q < x->n_kinds; q++)
    for (uint32_t j = 0; j < x->n; j++) {
      const ff_ssa_ring_kind *kind = x->kinds + q;
      const ff_ssa_ring_term *term = x->terms + kind->term;
      const uint32_t r = x->reaction[q * x->n + j];
      const double a = term->hub == FF_RING_ONE ? 1 : path.count[x->species[j * x->n_species + term->hub]];
      const uint32_t at = ff_ssa_ring_at(x, j, kind->offset);
      const double b = kind->species == FF_RING_ONE ? 1 : path.count[x->species[at * x->n_species + kind->species]];
      const double found = term->rate * a * (kind->weight * b - term->less), wanted = ff_ssa_path_propensity(&path, r);
      FF_CHECK_SAY(fabs(found - wanted) <= wanted * 5 * 0x1p-53, "%s: %.17g; expected %.17g", what, found, wanted);
      FF_CHECK_INT(kind->n_changes, p->change_first[r + 1] - p->change_first[r]);
      for (uint32_t i = 0; i < kind->n_changes; i++) {
        const ff_ssa_ring_change *c = kind->changes + i;
        const uint32_t species = x->species[ff_ssa_ring_at(x, j, c->offset) * x->n_species + c->species];
        int64_t by = 0;
        for (uint32_t k = p->change_first[r]; k < p->change_first[r + 1]; k++)
          if (p->changes[k].species == species) by = p->changes[k].by;
        FF_CHECK_INT(c->by, by);
      }
    }
  ff_ssa_path_free(&path);
}

/* Each reaction is of one kind and module, and each species of one module. */
static void covers_network(const ff_ssa_program *p) {
  const ff_ssa_ring *x = p->ring;
  uint8_t *seen = ff_calloc(p->n_species + p->n_reactions, 1);
  for (uint32_t i = 0; i < p->n_species; i++) seen[x->species[i]]++;
  for (uint32_t i = 0; i < x->n_kinds * x->n; i++) seen[p->n_species + x->reaction[i]]++;
  for (uint32_t i = 0; i < p->n_species + p->n_reactions; i++) FF_CHECK_INT(seen[i], 1);
  free(seen);
}

static void finds_modules(void) {
  const uint32_t sizes[] = {8, 9, 12, 100};
  for (size_t i = 0; i < RING_EXAMPLES * 16; i++) {
    const ring_example *e = ring_examples + i / 16;
    ff_ssa_program *p = program_of_modules(e, sizes[i % 4], i / 4 % 2, i / 8 % 2);
    FF_CHECK_SAY(p->ring != NULL, "%s: no modules", e->what);
    if (p->ring != NULL) {
      FF_CHECK_SAY(p->ring->n_terms == e->terms && p->ring->n_kinds == e->kinds && p->ring->n == sizes[i % 4],
                   "%s: %u terms and %u kinds; expected %u and %u", e->what, p->ring->n_terms, p->ring->n_kinds, e->terms,
                   e->kinds);
      describes_reactions(p, e->what);
      covers_network(p);
    }
    ff_ssa_program_free(p);
  }
}

/* The infections of the ring are one term, with weights. */
static void finds_weights(void) {
  ff_ssa_program *p = program_of_modules(ring_examples, 10, 0, 0);
  const ff_ssa_ring *x = p->ring;
  const int32_t offsets[] = {0, 1, -1};
  const uint32_t weights[] = {10, 1, 1};
  FF_CHECK_INT(x->terms[0].n, 3);
  FF_CHECK_INT(x->terms[0].hub, 0);
  FF_CHECK(x->terms[0].rate == 0.0003);
  FF_CHECK_INT(x->terms[1].hub, FF_RING_ONE);
  for (uint32_t i = 0; i < 3; i++) {
    FF_CHECK_INT(x->kinds[i].species, 1);
    FF_CHECK_INT(x->kinds[i].offset, offsets[i]);
    FF_CHECK_INT(x->kinds[i].weight, weights[i]);
  }
  ff_ssa_program_free(p);
}

/* Calls `spoil` before the network of a ring is compiled, and expects no modules. */
static void expect_none(const char *what, void (*spoil)(ff_reactions *net)) {
  ff_error err;
  for (int layout = 0; layout < 4; layout++) {
    ff_reactions *net = network_of_modules(ring_examples, 10, layout & 1, layout >> 1);
    spoil(net);
    FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
    ff_ssa_program *p = program_of_network(net);
    FF_CHECK_SAY(p->ring == NULL, "%s has modules", what);
    ff_ssa_program_free(p);
  }
}

static void set_rate(ff_reaction *r, double rate) {
  ff_error err;
  ff_formula_free(&r->rate);
  FF_CHECK_OK(ff_formula_of_number(&r->rate, rate, &err), &err);
}

static void spoil_rate(ff_reactions *net) { set_rate(net->reactions + 17, nextafter(net->reactions[17].rate.word[0].number, 1)); }

static void spoil_product(ff_reactions *net) { net->reactions[17].products[0].count++; }

static void spoil_reactant(ff_reactions *net) {
  ff_reaction *r = net->reactions + net->n_reactions - 1; /* a recovery */
  r->reactants[0].species = (r->reactants[0].species + 1) % net->n_species;
}

/* A line: one infection across its end never happens. */
static void spoil_ring(ff_reactions *net) {
  for (uint32_t r = 0; r < net->n_reactions; r++)
    if (net->reactions[r].n_reactants == 2 && net->reactions[r].reactants[0].species == 0 &&
        net->reactions[r].reactants[1].species > net->n_species / 2 - 3)
      set_rate(net->reactions + r, 0);
}

static void spoil_fixed(ff_reactions *net) { net->fixed[4] = 1; }

static void spoil_law(ff_reactions *net) {
  net->reactions[3].reactants[0].count = 3;
  net->reactions[3].n_reactants = 1;
}

static void leaves_other_networks(void) {
  expect_none("one other rate", spoil_rate);
  expect_none("one other product", spoil_product);
  expect_none("one other reactant", spoil_reactant);
  expect_none("a line", spoil_ring);
  expect_none("a fixed species", spoil_fixed);
  expect_none("another law", spoil_law);
  ff_ssa_program *p = program_of_modules(ring_examples, FF_RING_LEAST - 1, 0, 0);
  ff_error err;
  ff_ssa_ring *ring;
  FF_CHECK(p->ring == NULL);
  FF_CHECK_OK(ff_ssa_ring_new(&ring, p, 3, &err), &err);
  FF_CHECK_INT(ring->n, FF_RING_LEAST - 1);
  ff_ssa_ring_free(ring);
  ff_ssa_program_free(p);
  p = program_of_modules(ring_examples + 1, FF_RING_MOST * 2, 0, 0); /* also as modules of two species */
  FF_CHECK(p->ring == NULL);
  ff_ssa_program_free(p);
}

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 whole;

static double choice_of_all = -1; /* the choice of each step, unless it is negative */

/* A trajectory by the definition in ff_ssa_ring.h: everything is computed anew at each step. */
typedef struct {
  const ff_ssa_program *p;
  uint64_t key, unit, step;
  double *count, time, next_time, share;
  whole q[FF_RING_TERMS];
  uint32_t term;
} reference;

static whole count_at(const reference *r, uint32_t species, uint32_t j, int32_t offset) {
  const ff_ssa_ring *m = r->p->ring;
  if (species == FF_RING_ONE) return 1;
  return (whole)r->count[m->species[ff_ssa_ring_at(m, j, offset) * m->n_species + species]];
}

static whole part_at(const reference *r, uint32_t q, uint32_t j) {
  const ff_ssa_ring_kind *kind = r->p->ring->kinds + q;
  return kind->weight * count_at(r, kind->species, j, kind->offset);
}

static whole value_at(const reference *r, uint32_t t, uint32_t j) {
  const ff_ssa_ring_term *term = r->p->ring->terms + t;
  const whole a = count_at(r, term->hub, j, 0);
  whole f = 0;
  for (uint32_t i = 0; i < term->n; i++) f += part_at(r, term->first + i, j);
  return a == 0 ? 0 : a * (f - term->less);
}

static void find_next(reference *r) {
  const ff_ssa_ring *m = r->p->ring;
  const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_STEP, 0, r->step, r->unit), r->key);
  double child[FF_SSA_FAN] = {0}, sum[FF_SSA_FAN + 1];
  for (uint32_t t = 0; t < m->n_terms; t++) {
    r->q[t] = 0;
    for (uint32_t j = 0; j < m->n; j++) r->q[t] += value_at(r, t, j);
    child[t] = (double)r->q[t] * m->terms[t].rate;
  }
  ff_ssa_tree_prefix(sum, child);
  const double total = sum[FF_SSA_FAN], choice = choice_of_all >= 0 ? choice_of_all : ff_closed(words.v[2], words.v[3]);
  const double at = choice * total;
  r->term = 0;
  for (uint32_t t = 1; t < m->n_terms; t++)
    if (sum[t] <= at && sum[t] < total) r->term = t;
  r->share = (at - sum[r->term]) / child[r->term];
  r->next_time = total > 0 ? r->time + ff_exponential(words.v[0], words.v[1]) / total : INFINITY;
}

static void go_on(reference *r) {
  const ff_ssa_ring *m = r->p->ring;
  const double q = (double)r->q[r->term];
  whole v = (whole)(r->share * q);
  if (v >= r->q[r->term]) v = r->q[r->term] - 1;
  uint32_t j = 0, kind = m->terms[r->term].first;
  for (; v >= value_at(r, r->term, j); j++) v -= value_at(r, r->term, j);
  whole sum = part_at(r, kind, j);
  for (; m->terms[r->term].less == 0 && v / count_at(r, m->terms[r->term].hub, j, 0) >= sum; sum += part_at(r, kind, j)) kind++;
  const uint32_t reaction = m->reaction[kind * m->n + j];
  for (uint32_t i = r->p->change_first[reaction]; i < r->p->change_first[reaction + 1]; i++)
    r->count[r->p->changes[i].species] += (double)r->p->changes[i].by;
  r->time = r->next_time;
  r->step++;
  find_next(r);
}

static reference reference_of(const ff_ssa_program *p, const double *initial, uint64_t key, uint64_t unit) {
  reference r = {.p = p, .key = key, .unit = unit, .count = ff_calloc(p->n_species, sizeof(double))};
  memcpy(r.count, initial, p->n_species * sizeof *initial);
  find_next(&r);
  return r;
}

static ff_ssa_ring16 *engine_of(const ff_ssa_program *p, const double *initial, ff_simd simd) {
  ff_lanes *engine;
  ff_error err;
  const ff_run_options options = {.key = 7, .simd = simd};
  FF_CHECK_OK(ff_ssa_engine_ring16(&engine, p, &options, initial, &err), &err);
  for (uint32_t lane = 0; lane < FF_SSA_LANES - 1; lane++) engine->start(engine, lane, lane + 40, DBL_MAX);
  return (ff_ssa_ring16 *)engine; /* the last lane is idle */
}

/* Lanes, some of which begin late, against the reference. Returns how many steps had numbers of this size. */
static uint32_t same_trajectories(const ff_ssa_program *p, const double *initial, ff_simd simd, uint32_t n,
                                  ff_ssa_ring16_size size, const char *what) {
  ff_ssa_ring16 *f = engine_of(p, initial, simd);
  ff_lanes *base = &f->vector.lanes.base;
  reference lanes[FF_SSA_LANES - 1];
  uint32_t sized = 0, wrong = 0;
  for (uint32_t lane = 0; lane < FF_SSA_LANES - 1; lane++) lanes[lane] = reference_of(p, initial, 7, lane + 40);
  for (uint32_t step = 0; step < n && wrong == 0; step++) {
    uint32_t one = 1;
    if (step % 37 == 36) { /* a lane begins anew */
      const uint32_t lane = step / 37 % (FF_SSA_LANES - 1);
      free(lanes[lane].count);
      lanes[lane] = reference_of(p, initial, 7, 1000 + step);
      base->start(base, lane, 1000 + step, DBL_MAX);
      lanes[lane].step = UINT64_MAX;
    }
    for (uint32_t lane = 0; lane < FF_SSA_LANES && choice_of_all >= 0; lane++) f->vector.lanes.choice[lane] = choice_of_all;
    base->advance(base, &one);
    sized += f->size == size;
    ff_ssa_ring16_set_counts(f, UINT64_MAX, 1);
    for (uint32_t lane = 0; lane < FF_SSA_LANES - 1; lane++) {
      reference *r = lanes + lane;
      if (step > 0 && r->step != UINT64_MAX && r->next_time < INFINITY) go_on(r);
      if (r->step == UINT64_MAX) r->step = 0;
      wrong += base->next_time[lane] != r->next_time;
      for (uint32_t s = 0; s < p->n_species; s++) wrong += f->vector.lanes.count[s * FF_SSA_LANES + lane] != r->count[s];
    }
    if (wrong > 0) FF_CHECK_SAY(0, "%s, vectors %d: another trajectory from step %u on", what, (int)simd, step);
    FF_CHECK(base->next_time[FF_SSA_LANES - 1] == INFINITY);
  }
  for (uint32_t lane = 0; lane < FF_SSA_LANES - 1; lane++) free(lanes[lane].count);
  base->free(base);
  return sized;
}

static int has(ff_simd simd) {
  ff_error err;
  return ff_simd_choose(&simd, &err) == FF_OK;
}

static void are_as_defined(void) {
  const uint32_t sizes[] = {8, 9, 13, 100};
  const ff_simd simds[] = {FF_SIMD_PORTABLE, FF_SIMD_AVX2, FF_SIMD_AVX512};
  for (size_t i = 0; i < RING_EXAMPLES * 4 * 3; i++) {
    const ring_example *e = ring_examples + i / 12;
    if (!has(simds[i % 3])) continue;
    ff_ssa_program *p = program_of_modules(e, sizes[i / 3 % 4], i / 3 % 2, i % 2);
    FF_CHECK_INT(same_trajectories(p, p->initial, simds[i % 3], 300, FF_RING16_BITS16, e->what), 300);
    ff_ssa_program_free(p);
  }
}

/* ---- large numbers ------------------------------------------------------------------------------------------------------ */

static const ring_example growth = {
    "growth", 1, 1, 2, {{1, {{0, 0, 1}}, {{0, 0, 65}}}, {1e-9, {{0, 0, 1}}, {{0, 1, 1}}}}, {1}};
static const ring_example slow_growth = {
    "slow growth", 1, 1, 2, {{1, {{0, 0, 1}}, {{0, 0, 2}}}, {1e-9, {{0, 0, 1}}, {{0, 1, 1}}}}, {1}};

/* In mid-run, Q grows over 2^31 or 2^52, or counts over 2^16: that might happen before the second check, which is after 1,024
 * steps. */
static void grows_large(void) {
  static const struct { const ring_example *e; double initial; ff_ssa_ring16_size size; } all[] = {
      {&slow_growth, 64450, FF_RING16_BITS16}, {&growth, (0x1p31 - 80000) / 8, FF_RING16_SMALL},
      {&growth, 0x1p38 - 68000, FF_RING16_REAL}};
  for (size_t i = 0; i < 9; i++) {
    const ff_simd simd = (ff_simd)(i % 3);
    double initial[8];
    if (!has(simd)) continue;
    ff_ssa_program *p = program_of_modules(all[i / 3].e, 8, 0, 0);
    for (uint32_t k = 0; k < 8; k++) initial[k] = all[i / 3].initial;
    FF_CHECK_INT(same_trajectories(p, initial, simd, 2200, all[i / 3].size, all[i / 3].e->what), 1024);
    ff_ssa_program_free(p);
  }
}

/* Numbers of each size from the start, with each kind of vectors. For counts near 2^39, Q has more than 80 bits. */
static void starts_large(void) {
  static const struct { double count; ff_ssa_ring16_size size; } starts[] = {
      {70000, FF_RING16_REAL}, {1e6, FF_RING16_REAL}, {0x1p39, FF_RING16_LARGE}, {3e8, FF_RING16_LARGE}};
  for (size_t i = 0; i < RING_EXAMPLES * 12; i++) {
    const ring_example *e = ring_examples + i / 12;
    const ff_simd simd = (ff_simd)(i % 3);
    if (!has(simd)) continue;
    ff_ssa_program *p = program_of_modules(e, 9, 0, 0);
    double *initial = ff_calloc(p->n_species, sizeof *initial);
    for (uint32_t s = 0; s < p->n_species; s++) initial[s] = starts[i / 3 % 4].count - 123 * s;
    const uint32_t n = same_trajectories(p, initial, simd, 100, starts[i / 3 % 4].size, e->what);
    if (i / 12 != 1) FF_CHECK_INT(n, 100); /* numbers of the walk are smaller */
    free(initial);
    ff_ssa_program_free(p);
  }
}

/* Lanes change between all sizes of numbers, and stay what they are. An initial count makes the engine believe that it must take
 * care. */
static void changes_sizes(void) {
  static const double counts[] = {1, 0x1p39, 1, 0x1p32, 0x1p39, 1, 0x1p32, 1};
  static const ff_ssa_ring16_size sizes[] = {FF_RING16_SMALL, FF_RING16_LARGE, FF_RING16_SMALL, FF_RING16_REAL,
                                              FF_RING16_LARGE, FF_RING16_SMALL, FF_RING16_REAL, FF_RING16_SMALL};
  for (size_t i = 0; i < RING_EXAMPLES * 3; i++) {
    const ff_simd simd = (ff_simd)(i % 3);
    if (!has(simd)) continue;
    ff_ssa_program *p = program_of_modules(ring_examples + i / 3, 21, 0, 0);
    double *initial = ff_calloc(p->n_species, sizeof *initial); /* borrowed by the second engine */
    memcpy(initial, p->initial, p->n_species * sizeof *initial);
    ff_ssa_ring16 *f[2] = {engine_of(p, p->initial, simd), engine_of(p, initial, simd)};
    for (uint32_t round = 0; round < 24; round++) {
      uint32_t steps[2] = {7, 7};
      initial[0] = counts[round % 8];
      f[1]->budget = 0;
      for (int k = 0; k < 2; k++) f[k]->vector.lanes.base.advance(&f[k]->vector.lanes.base, steps + k);
      for (int k = 0; k < 2; k++) ff_ssa_ring16_set_counts(f[k], UINT64_MAX, 1);
      FF_CHECK_INT(f[0]->size, FF_RING16_BITS16);
      FF_CHECK_INT(f[1]->size, round == 0 ? FF_RING16_BITS16 : sizes[round % 8]);
      FF_CHECK(memcmp(f[0]->vector.lanes.count, f[1]->vector.lanes.count, p->n_species * FF_SSA_LANES * sizeof(double)) == 0);
      FF_CHECK(memcmp(f[0]->vector.lanes.next_time, f[1]->vector.lanes.next_time, FF_SSA_LANES * sizeof(double)) == 0);
    }
    for (int k = 0; k < 2; k++) f[k]->vector.lanes.base.free(&f[k]->vector.lanes.base);
    free(initial);
    ff_ssa_program_free(p);
  }
}

static void counts_to_the_limit(void) {
  ff_reactions *net = network_of_modules(&growth, 8, 0, 0);
  const double time = 1e6;
  for (uint32_t s = 0; s < 8; s++) net->initial[s] = 0x1p40 - 20000;
  ff_ssa_program *p = program_of_network(net);
  const ff_run_options options = {.method = FF_SSA_FACTORED, .n = 20, .times = &time, .n_times = 1, .threads = 2};
  ff_error err;
  FF_CHECK(p->ring != NULL);
  FF_CHECK_INT(status_of(p, &options, 1, &err), FF_ESIZE);
  FF_CHECK(strstr(err.text, "the count of species \"S") == err.text);
  FF_CHECK(strstr(err.text, "exceeds 2^40 at time ") != NULL);
  FF_CHECK(strstr(err.text, " of trajectory 1") != NULL);
  ff_ssa_program_free(p);
}

/* Doubles of random numbers of all lengths, and of those halfway between two doubles. */
static void rounds_whole_numbers(void) {
  uint64_t seed = 9;
  for (int round = 0; round < 20000; round++) {
    const int bits = (int)below(&seed, 128) /* of zeros */;
    whole x = ((whole)next_random(&seed) << 64 | next_random(&seed)) >> bits;
    if (round % 2 == 0 && bits < 70) { /* 53 bits, then a half, and perhaps more */
      const int cut = 127 - bits - 53;
      x = (x >> cut | 1) << cut;
      x += round % 8 / 2 == 1;
      x -= round % 8 / 2 == 2;
    }
    const ff_ssa_whole own = {(uint64_t)x, (uint64_t)(x >> 64)};
    FF_CHECK(ff_ssa_whole_double(own) == (double)x);
  }
}

/* The largest choice there is: its share of Q may be rounded to Q, and then the last molecule is meant. */
static void takes_the_last(void) {
  choice_of_all = 1 - 0x1p-53;
  for (size_t i = 0; i < RING_EXAMPLES * 6; i++) {
    const ff_simd simd = (ff_simd)(i % 3);
    if (!has(simd)) continue;
    ff_ssa_program *p = program_of_modules(ring_examples + i / 6, 9, 0, 0);
    for (uint32_t s = 0; s < p->n_species; s++) p->initial[s] = i / 3 % 2 == 0 ? p->initial[s] : 70000 + s;
    same_trajectories(p, p->initial, simd, 20, FF_RING16_BITS16, ring_examples[i / 6].what); /* none ends before */
    ff_ssa_program_free(p);
  }
  choice_of_all = -1;
}

FF_TEST_MAIN("ssa_ring", finds_modules, finds_weights, leaves_other_networks, are_as_defined, grows_large, starts_large,
             changes_sizes, takes_the_last, counts_to_the_limit, rounds_whole_numbers)
