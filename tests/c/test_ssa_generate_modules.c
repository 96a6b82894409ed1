/* Compares generated code for networks of replicated modules with a simulation that follows the definition in ff_ssa_modules.h
 * step by step, bit for bit. */
#define _GNU_SOURCE /* mkdtemp */
#include "../../src/ssa/ff_ssa_draws.h"
#include "module_examples.h"
#include "random_reactions.h"
#include "ssa_generated.h"

static char folder[] = "/tmp/fireflip-modules-XXXXXX";
static uint32_t shared_bytes = FF_SSA_SHARED_H200;

/* ---- the definition ----------------------------------------------------------------------------------------------------- */

typedef struct {
  const ff_ssa_program *program;
  const ff_ssa_modules *m;
  uint64_t *count; /* by species of the program */
} state;

static uint64_t count_of(const state *s, uint32_t module, uint32_t species, int32_t offset) {
  if (species == FF_MODULES_ONE) return 1;
  return s->count[s->m->species[ff_ssa_module_at(s->m, module, offset) * s->m->n_species + species]];
}

static uint64_t hub_of(const state *s, uint32_t term, uint32_t module) {
  return count_of(s, module, s->m->terms[term].hub, 0);
}

static uint64_t product_of(const state *s, uint32_t term, uint32_t module) {
  const ff_ssa_module_term *t = s->m->terms + term;
  uint64_t f = 0, a = hub_of(s, term, module);
  for (uint32_t q = t->first; q < t->first + t->n; q++)
    f += s->m->kinds[q].weight * count_of(s, module, s->m->kinds[q].species, s->m->kinds[q].offset);
  return a == 0 ? 0 : a * (f - t->less);
}

/* Makes molecule number v of a term react. */
static void react(const state *s, uint32_t term, uint64_t v) {
  const ff_ssa_module_term *t = s->m->terms + term;
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

/* The number of events of a trajectory, and whether the code recorded its counts. */
static uint64_t follow(const state *s, const ff_ssa_launch *run, uint32_t unit, const double *initial, uint32_t *wrong) {
  for (uint32_t i = 0; i < s->program->n_species; i++) s->count[i] = (uint64_t)initial[i];
  double time = 0;
  uint32_t at = 0;
  for (uint64_t event = 0;; event++) {
    double value[FF_SSA_FAN] = {0}, sum[FF_SSA_FAN + 1];
    uint64_t total[FF_SSA_FAN] = {0};
    for (uint32_t t = 0; t < s->m->n_terms; t++) {
      for (uint32_t j = 0; j < s->m->n; j++) total[t] += product_of(s, t, j);
      value[t] = s->m->terms[t].rate * (double)total[t];
    }
    ff_ssa_tree_prefix(sum, value);
    const double all = sum[FF_SSA_FAN];
    const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_EVENT, 0, event, run->first + unit), run->key);
    const double next = all > 0 ? time + ff_ssa_exponential(words.v[0], words.v[1]) / all : INFINITY;
    for (; at < run->n_times && run->times[at] < next; at++)
      for (uint32_t k = 0; k < run->n_species; k++)
        *wrong += FF_SSA_RECORD(run, at, unit)[k * run->units] != s->count[run->species[k]];
    if (at == run->n_times) return event;
    const double choice = ff_ssa_closed(words.v[2], words.v[3]) * all;
    uint32_t chosen = 0;
    for (uint32_t t = 1; t < s->m->n_terms; t++)
      if (sum[t] <= choice && sum[t] < all) chosen = t;
    const double share = (choice - (chosen > 0 ? sum[chosen] : 0)) / value[chosen];
    const uint64_t v = (uint64_t)(share * (double)total[chosen]);
    react(s, chosen, v < total[chosen] ? v : total[chosen] - 1);
    time = next;
  }
}

static void compare(const ff_ssa_program *program, const double *initial, const ff_ssa_launch *run, int refuses, const char *what) {
  state s = {program, program->modules, ff_calloc(program->n_species, sizeof *s.count)};
  uint32_t wrong = 0, refused = 0;
  uint64_t events = 0;
  for (uint32_t k = 0; k < run->units; k++) refused += run->refused[k / 32] >> (k % 32) & 1;
  FF_CHECK_SAY(run->counters->complete == run->units, "%s: %llu complete", what, (unsigned long long)run->counters->complete);
  FF_CHECK_SAY(refused == (refuses ? run->units : 0), "%s: %u refused", what, refused);
  for (uint32_t k = 0; k < run->units && !refuses; k++) events += follow(&s, run, k, initial, &wrong);
  FF_CHECK_SAY(wrong == 0, "%s: %u counts differ", what, wrong);
  FF_CHECK_SAY(refuses || events == run->counters->events, "%s: %llu events, not %llu", what,
               (unsigned long long)run->counters->events, (unsigned long long)events);
  FF_CHECK_SAY(refuses || events > run->units, "%s: %llu events", what, (unsigned long long)events);
  free(s.count);
}

/* Runs the code of a program to the last time, and compares. Some species are recorded, or all. */
static void check_modules(const ff_ssa_program *program, const double *initial, double last, uint32_t every, int refuses,
                          const char *what) {
  ff_error err;
  generated g = {0};
  ff_ssa_launch run;
  double times[LAUNCH_TIMES];
  uint32_t *species = ff_calloc(program->n_species, sizeof *species), n = 0;
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = program->n_species; s-- > 0;)
    if (s % every == 0) species[n++] = s;
  const ff_ssa_device_request request = {FF_SSA_FACTORED, initial, times, LAUNCH_TIMES, species, n};
  FF_CHECK_SAY(program->modules != NULL, "%s: no modules", what);
  FF_CHECK_OK(ff_ssa_generate(&g.code, program, &request, shared_bytes, &err), &err);
  if (g.code.functions != NULL && run_generated(&g, &request, folder, &run)) {
    compare(program, initial, &run, refuses, what);
    launch_free(&run);
  }
  ff_ssa_code_free(&g.code);
  free(species);
}

/* ---- networks ----------------------------------------------------------------------------------------------------------- */

static void examples_give_the_trajectories(void) {
  static const uint32_t sizes[] = {8, 11, 30, 100};
  for (size_t i = 0; i < MODULE_EXAMPLES; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      const module_example *e = module_examples + i;
      char what[64];
      ff_ssa_program *program = program_of_modules(e, sizes[k], k % 2 == 1, k % 3 == 1);
      snprintf(what, sizeof what, "%u modules: %s", sizes[k], e->what);
      check_modules(program, program->initial, 0.7, 1 + (uint32_t)k * 2, 0, what);
      ff_ssa_program_free(program);
    }
}

static void make_folder(void) { FF_CHECK(mkdtemp(folder) != NULL); }
static void remove_folder(void) { rmdir(folder); }

FF_TEST_MAIN("ssa_generate_modules", make_folder, examples_give_the_trajectories, remove_folder)
