/* Compares generated code for networks of replicated modules with a simulation that follows the definition in ff_ssa_ring.h
 * step by step, and with the engine of this processor, bit for bit. */
#define _GNU_SOURCE /* mkdtemp */
#include "../../src/ssa/path/ff_ssa_draws.h"
#include "ring_examples.h"
#include "random_reactions.h"
#include "ssa_generated.h"

static char folder[] = "/tmp/fireflip-modules-XXXXXX";
static uint32_t shared_bytes = FF_SSA_SHARED_H200;

/* ---- the definition ----------------------------------------------------------------------------------------------------- */

typedef struct {
  const ff_ssa_program *program;
  const ff_ssa_ring *m;
  uint64_t *count; /* by species of the program */
} simulated_ring;

static uint64_t count_of(const simulated_ring *s, uint32_t module, uint32_t species, int32_t offset) {
  if (species == FF_RING_ONE) return 1;
  return s->count[s->m->species[ff_ssa_ring_at(s->m, module, offset) * s->m->n_species + species]];
}

static uint64_t hub_of(const simulated_ring *s, uint32_t term, uint32_t module) {
  return count_of(s, module, s->m->terms[term].hub, 0);
}

static uint64_t product_of(const simulated_ring *s, uint32_t term, uint32_t module) {
  const ff_ssa_ring_term *t = s->m->terms + term;
  uint64_t f = 0, a = hub_of(s, term, module);
  for (uint32_t q = t->first; q < t->first + t->n; q++)
    f += s->m->kinds[q].weight * count_of(s, module, s->m->kinds[q].species, s->m->kinds[q].offset);
  return a == 0 ? 0 : a * (f - t->less);
}

/* Makes molecule number v of a term react. */
static void react(const simulated_ring *s, uint32_t term, uint64_t v) {
  const ff_ssa_ring_term *t = s->m->terms + term;
  uint32_t j = 0, q = t->first;
  for (; v >= product_of(s, term, j); j++) v -= product_of(s, term, j);
  uint64_t sum = s->m->kinds[q].weight * count_of(s, j, s->m->kinds[q].species, s->m->kinds[q].offset);
  const uint64_t a = hub_of(s, term, j);
  while (q + 1 < t->first + t->n && a * sum <= v) {
    q++;
    sum += s->m->kinds[q].weight * count_of(s, j, s->m->kinds[q].species, s->m->kinds[q].offset);
  }
  const uint32_t r = s->m->reaction[q * s->m->n + j];
  for (uint32_t i = s->program->change_first[r]; i < s->program->change_first[r + 1]; i++)
    s->count[s->program->changes[i].species] += (uint64_t)s->program->changes[i].by;
}

/* The number of steps of a trajectory, and whether the code recorded its counts. */
static uint64_t follow(const simulated_ring *s, const ff_launch *run, uint32_t unit, const double *initial, uint32_t *wrong) {
  for (uint32_t i = 0; i < s->program->n_species; i++) s->count[i] = (uint64_t)initial[i];
  double time = 0;
  uint32_t at = 0;
  for (uint64_t step = 0;; step++) {
    double value[FF_SSA_FAN] = {0}, sum[FF_SSA_FAN + 1];
    uint64_t total[FF_SSA_FAN] = {0};
    for (uint32_t t = 0; t < s->m->n_terms; t++) {
      for (uint32_t j = 0; j < s->m->n; j++) total[t] += product_of(s, t, j);
      value[t] = s->m->terms[t].rate * (double)total[t];
    }
    ff_ssa_tree_prefix(sum, value);
    const double all = sum[FF_SSA_FAN];
    const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_STEP, 0, step, run->first + unit), run->key);
    const double next = all > 0 ? time + ff_exponential(words.v[0], words.v[1]) / all : INFINITY;
    for (; at < run->n_times && run->times[at] < next; at++)
      for (uint32_t k = 0; k < run->n_observed; k++)
        *wrong += FF_RECORD_OF(run, at, unit)[k * run->units] != s->count[run->observed[k]];
    if (at == run->n_times) return step;
    const double choice = ff_closed(words.v[2], words.v[3]) * all;
    uint32_t chosen = 0;
    for (uint32_t t = 1; t < s->m->n_terms; t++)
      if (sum[t] <= choice && sum[t] < all) chosen = t;
    const double share = (choice - (chosen > 0 ? sum[chosen] : 0)) / value[chosen];
    const uint64_t v = (uint64_t)(share * (double)total[chosen]);
    react(s, chosen, v < total[chosen] ? v : total[chosen] - 1);
    time = next;
  }
}

static void compare(const ff_ssa_program *program, const double *initial, const ff_launch *run, int refuses,
                    const char *what) {
  simulated_ring s = {program, program->ring, ff_calloc(program->n_species, sizeof *s.count)};
  uint32_t wrong = 0, refused = 0;
  uint64_t steps = 0;
  for (uint32_t k = 0; k < run->units; k++) refused += run->refused[k / 32] >> (k % 32) & 1;
  FF_CHECK_SAY(run->counters->complete == run->units, "%s: %llu complete", what, (unsigned long long)run->counters->complete);
  FF_CHECK_SAY(refused == (refuses ? run->units : 0), "%s: %u refused", what, refused);
  for (uint32_t k = 0; k < run->units && !refuses; k++) steps += follow(&s, run, k, initial, &wrong);
  FF_CHECK_SAY(wrong == 0, "%s: %u counts differ", what, wrong);
  FF_CHECK_SAY(refuses || steps == run->counters->steps, "%s: %llu events, not %llu", what,
               (unsigned long long)run->counters->steps, (unsigned long long)steps);
  FF_CHECK_SAY(refuses || steps > run->units, "%s: %llu events", what, (unsigned long long)steps);
  free(s.count);
}

static int bits32; /* whether code is generated for large counts */

/* Runs the code of a program to the last time, and compares. Some species are recorded, or all. The code is generated for a run
 * to the planned time. */
static void check_planned(const ff_ssa_program *program, const double *initial, double planned, double last, uint32_t every,
                          int refuses, const char *what) {
  ff_error err;
  generated g = {0};
  ff_launch run;
  double times[LAUNCH_TIMES];
  uint32_t *species = ff_calloc(program->n_species, sizeof *species), n = 0;
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = program->n_species; s-- > 0;)
    if (s % every == 0) species[n++] = s;
  const ff_device_request request = {.method = FF_SSA_FACTORED, .initial = initial, .times = times,
                                         .n_times = LAUNCH_TIMES, .observed = species, .n_observed = n};
  ff_device_request plan = request;
  plan.times = &planned;
  plan.n_times = 1;
  plan.bits32 = bits32;
  FF_CHECK_SAY(program->ring != NULL, "%s: no modules", what);
  FF_CHECK_OK(ff_ssa_generate(&g.code, program, &plan, shared_bytes, &err), &err);
  if (g.code.functions != NULL && run_generated(&g, &request, folder, &run)) {
    compare(program, initial, &run, refuses, what);
    if (n <= 64) launch_compare(&run, program, &request, refuses, what);
    launch_free(&run);
  }
  ff_ssa_code_free(&g.code);
  free(species);
}

static void check_modules(const ff_ssa_program *program, const double *initial, double last, uint32_t every, const char *what) {
  check_planned(program, initial, last, last, every, 0, what);
}

/* ---- networks ----------------------------------------------------------------------------------------------------------- */

static void examples_give_the_trajectories(void) {
  static const uint32_t sizes[] = {8, 11, 100};
  for (size_t i = 0; i < RING_EXAMPLES; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      const ring_example *e = ring_examples + i;
      char what[64];
      ff_ssa_program *program = program_of_modules(e, sizes[k], k % 2 == 1, k % 3 == 1);
      snprintf(what, sizeof what, "%u modules: %s", sizes[k], e->what);
      check_modules(program, program->initial, 0.7, 1 + (uint32_t)k * 2, what);
      ff_ssa_program_free(program);
    }
}

/* In a ring of 8 modules, the offsets 4 and -4 lead to the same module. */
static void opposite_modules_react(void) {
  static const ring_example example = {"opposite modules", 2, 2, 3,
                                         {{0.01, {{0, 0, 1}, {1, 4, 1}}, {{1, 4, 2}}},
                                          {0.02, {{0, 0, 1}, {1, 1, 1}}, {{1, 1, 2}}},
                                          {0.1, {{1, 0, 1}}, {{0, -4, 1}}}},
                                         {30, 12}};
  ff_ssa_program *program = program_of_modules(&example, 8, 0, 0);
  check_modules(program, program->initial, 0.7, 1, example.what);
  ff_ssa_program_free(program);
}

/* A random part of a reaction: a species, at an offset of at most `reach`. */
static module_part random_part(uint64_t *state, uint32_t n_species, int32_t reach) {
  const int32_t offset = (int32_t)below(state, 2 * (uint32_t)reach + 1) - reach;
  return (module_part){(uint32_t)below(state, n_species), offset, 1};
}

/* Random kinds with few rates, so that some are terms together, with weights. Molecules neither vanish nor appear but by the last
 * two kinds. */
static void random_example(uint64_t *state, ring_example *e) {
  static const double rates[] = {0.02, 0.04, 0.1, 0.2};
  const uint32_t n = 2 + (uint32_t)below(state, 6);
  const int32_t reach = (int32_t)below(state, 5);
  memset(e, 0, sizeof *e);
  e->what = "a random ring";
  e->n_species = 1 + (uint32_t)below(state, 5);
  for (uint32_t k = 0; k < e->n_species; k++) e->start[k] = 3 + (uint32_t)below(state, 20);
  for (uint32_t i = 0; i < n; i++) {
    module_reaction *r = e->reactions + i;
    const uint64_t form = below(state, 5);
    r->rate = rates[below(state, 4)] * (form < 2 ? 10 : 1);
    r->in[0] = (module_part){(uint32_t)below(state, form < 2 ? e->n_species : e->n_species < 2 ? 1 : 2), 0, form == 4 ? 2 : 1};
    r->out[0] = random_part(state, e->n_species, form == 0 ? 0 : reach);
    if (form == 2 || form == 3) r->in[1] = random_part(state, e->n_species, reach);
    if (form == 2) r->out[1] = r->in[1];
    if (form > 2) r->out[1] = random_part(state, e->n_species, reach);
  }
  e->reactions[n] = (module_reaction){0.5, {{0, 0, 0}}, {{(uint32_t)below(state, e->n_species), 0, 1}}};
  e->reactions[n + 1] = (module_reaction){0.1, {{(uint32_t)below(state, e->n_species), 0, 1}}, {{0, 0, 0}}};
}

static void random_rings_give_the_trajectories(void) {
  uint64_t state = 2028;
  uint32_t checked = 0;
  for (uint32_t i = 0; i < 18; i++) {
    ring_example e;
    char what[64];
    random_example(&state, &e);
    const uint32_t m = 9 + (uint32_t)below(&state, 40), every = 1 + (uint32_t)below(&state, 6);
    ff_ssa_program *program = program_of_modules(&e, m, i % 2 == 0, i % 3 == 0);
    snprintf(what, sizeof what, "random ring %u: %u modules of %u species", i, m, e.n_species);
    if (program->ring != NULL) check_modules(program, program->initial, 0.4, every, what);
    checked += program->ring != NULL;
    ff_ssa_program_free(program);
  }
  FF_CHECK_SAY(checked >= 9, "%u rings have modules", checked);
}

/* Counts that need 32 bits; a ring of which none is in shared memory, with upper sums; GPUs with less of it. */
static void large_rings_give_the_trajectories(void) {
  static const struct { uint32_t example, m, shared, factor; double last; } rings[] = {
    {0, 10, FF_SSA_SHARED_H200, 200, 0.01}, {1, 12, FF_SSA_SHARED_H200, 9000, 0.002}, {3, 20, FF_SSA_SHARED_H200, 900, 0.0001},
    {0, 1000, FF_SSA_SHARED_H200, 1, 0.002}, {2, 1009, FF_SSA_SHARED_H200, 1, 0.01}, {3, 900, FF_SSA_SHARED_H200, 1, 0.002},
    {0, 100, 65536, 1, 0.2}, {3, 60, 102400, 1, 0.2}};
  for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
    char what[64];
    ff_ssa_program *program = program_of_modules(ring_examples + rings[i].example, rings[i].m, 0, 0);
    for (uint32_t s = 0; s < program->n_species; s++) program->initial[s] *= rings[i].factor;
    shared_bytes = rings[i].shared;
    snprintf(what, sizeof what, "large ring %zu", i);
    check_modules(program, program->initial, rings[i].last, 3, what);
    ff_ssa_program_free(program);
  }
  shared_bytes = FF_SSA_SHARED_H200;
}

static ff_device_request request_of(const ff_ssa_program *program) {
  static const double time = 1;
  static const uint32_t species = 0;
  return (ff_device_request){.method = FF_SSA_FACTORED, .initial = program->initial, .times = &time, .n_times = 1,
                                 .observed = &species, .n_observed = 1};
}

/* What a block takes of shared memory must fit. */
static void rings_fit_into_shared_memory(void) {
  static const uint32_t sizes[] = {65536, 102400, FF_SSA_SHARED_H200}, rings[] = {8, 10, 100, 250, 1000, 2048};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < sizeof rings / sizeof *rings; k++) {
      ff_ssa_program *program = program_of_modules(ring_examples, rings[k], 0, 0);
      const ff_device_request request = request_of(program);
      ff_ssa_code code;
      ff_error err;
      FF_CHECK_OK(ff_ssa_generate(&code, program, &request, sizes[i], &err), &err);
      const uint32_t bytes = 4 * (code.n_table + (code.n_rows + code.n_sums) * code.threads) + 1792;
      FF_CHECK_SAY(bytes <= sizes[i], "%u modules: %u of %u bytes", rings[k], bytes, sizes[i]);
      ff_ssa_code_free(&code);
      ff_ssa_program_free(program);
    }
}

/* A sum of products, or a count, becomes larger than was expected: the trajectories are refused. If the first ones are too large,
 * there is no code. */
static void overflow_is_refused(void) {
  static const ring_example growth[] = {
    {"a sum", 2, 2, 2, {{10, {{0, 0, 1}}, {{0, 0, 2}}}, {1e-9, {{0, 0, 1}, {0, 1, 1}}, {{1, 0, 1}}}}, {4000, 0}},
    {"a count", 1, 1, 2, {{5, {{0, 0, 1}}, {{0, 0, 33}}}, {1, {{0, 0, 1}}, {{0, 0, 0}}}}, {9}}};
  ff_ssa_code code;
  ff_error err;
  for (size_t i = 0; i < 2; i++) {
    ff_ssa_program *program = program_of_modules(growth + i, 40, 0, 0);
    check_planned(program, program->initial, 0, 2, 1, 1, growth[i].what);
    ff_ssa_program_free(program);
  }
  bits32 = 1; /* at this time, counts are about 80,000 */
  ff_ssa_program *large = program_of_modules(growth + 1, 40, 0, 0);
  check_planned(large, large->initial, 0, 0.057, 1, 0, "room for large counts");
  ff_ssa_program_free(large);
  bits32 = 0;
  ff_ssa_program *program = program_of_modules(ring_examples, 40, 0, 0);
  for (uint32_t s = 0; s < program->n_species; s++) program->initial[s] = s == 0 ? 0x1p29 : 1e5;
  ff_device_request request = request_of(program);
  FF_CHECK(ff_ssa_generate(&code, program, &request, shared_bytes, &err) == FF_EUNSUPPORTED &&
           strstr(err.text, "a count is 536870912") != NULL);
  for (uint32_t s = 0; s < program->n_species; s++) program->initial[s] = 1e7;
  FF_CHECK(ff_ssa_generate(&code, program, &request, shared_bytes, &err) == FF_EUNSUPPORTED &&
           strstr(err.text, "a sum of products") != NULL);
  ff_ssa_program_free(program);
}

static void make_folder(void) { FF_CHECK(mkdtemp(folder) != NULL); }
static void remove_folder(void) { rmdir(folder); }

FF_TEST_MAIN("ssa_generate_ring", make_folder, examples_give_the_trajectories, opposite_modules_react,
             random_rings_give_the_trajectories, large_rings_give_the_trajectories, rings_fit_into_shared_memory,
             overflow_is_refused, remove_folder)
