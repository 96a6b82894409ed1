/* Code for the direct method: all propensities are computed at each event, and counts are in registers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../ssa/program/ff_ssa_method_kinds.h"
#include "../../../ssa/path/ff_ssa_tree.h"
#include "ff_ssa_generate_direct.h"

#define MOST_REACTIONS (FF_SSA_FAN * FF_SSA_FAN)
#define MOST_COUNTS 64u
#define SMALL_BLOCKS 8u
#define FEW_COUNTS 32u  /* which leave registers for other numbers */
#define MOST_WORDS 512u /* of formulas */
#define MOST_CHANGE 127
#define SCHEDULED_BLOCKS 4u
#define SCHEDULED_CHUNK 128u /* steps between two looks at the clock: some take long */
#define NONE UINT32_MAX

typedef ff_ssa_direct_generator generator;

/* ---- counts ---------------------------------------------------------------------------------------------------------------- */

static void keep(generator *g, uint32_t species) {
  if (species < g->p->n_species && g->place[species] == NONE) g->place[species] = g->code->n_counts++;
}

static void keep_symbols(generator *g, const ff_formula *formula) {
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL) keep(g, formula->word[i].symbol);
}

static void keep_reactants(generator *g, const ff_ssa_propensity *law) {
  const ff_ssa_program *p = g->p;
  const int formula = law->law == FF_LAW_FORMULA || law->law == FF_LAW_SCALED;
  if (law->law >= FF_LAW_LINEAR && law->law <= FF_LAW_TWIN) keep(g, law->a);
  if (law->law == FF_LAW_PAIR) keep(g, law->b);
  for (uint32_t i = law->first; i < law->first + law->n && law->law > FF_LAW_TWIN; i++) keep(g, p->factors[i].species);
  if (formula) keep_symbols(g, &p->formulas[law->a]);
  g->checked |= law->law > FF_LAW_TWIN;
}

static void keep_event(generator *g, const ff_event *event) {
  keep_symbols(g, &event->trigger);
  keep_symbols(g, &event->delay);
  keep_symbols(g, &event->priority);
  for (uint32_t i = 0; i < event->n_sets; i++) {
    keep(g, event->sets[i].symbol);
    keep_symbols(g, &event->sets[i].value);
    keep_symbols(g, &event->sets[i].factor);
  }
}

/* Finds the species whose counts a thread keeps. */
static ff_status list_counts(generator *g, ff_error *err) {
  const ff_ssa_program *p = g->p;
  uint64_t words = 0;
  for (uint32_t s = 0; s < p->n_species; s++) g->place[s] = NONE;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *law = p->propensities + r;
    keep_reactants(g, law);
    if (law->law == FF_LAW_FORMULA || law->law == FF_LAW_SCALED) words += p->formulas[law->a].length;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const int64_t by = p->changes[i].by;
      if (by > g->most) g->most = by;
      if (by > MOST_CHANGE || by < -MOST_CHANGE)
        return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a reaction changes a count by %lld", (long long)by);
      keep(g, p->changes[i].species);
    }
  }
  for (uint32_t j = 0; j < g->request->n_species; j++) keep(g, g->request->species[j]);
  for (uint32_t e = 0; e < p->n_events; e++) keep_event(g, &p->events[e]);
  if (g->request->until != NULL) {
    keep_symbols(g, g->request->until);
    words += g->request->until->length;
  }
  if (g->code->n_counts > MOST_COUNTS || words > MOST_WORDS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u counts and formulas of %llu words are too many",
                        g->code->n_counts, (unsigned long long)words);
  for (uint32_t s = 0; s < p->n_species; s++)
    if (g->place[s] != NONE && p->changed[s]) g->changed[g->place[s]] = ++g->n_changed;
  for (uint32_t i = 0; i < p->n_slots; i++) g->place[p->n_species + i] = g->code->n_counts + i;
  if (p->n_reactions > FF_SSA_FEW) g->words = (g->n_changed + 3) / 4;
  return FF_OK;
}

/* The table of events comes last. */
static ff_status fill_schedule(generator *g, ff_error *err) {
  ff_ssa_code *code = g->code;
  ff_status status = ff_ssa_schedule_code_fill(&g->schedule, g->place, code->n_table, code->n_counts, err);
  if (status != FF_OK) return status;
  void *table = code->table;
  size_t room = code->n_table;
  status = ff_grow(&table, &room, (size_t)code->n_table + g->schedule.n_table, sizeof *code->table, err);
  code->table = table;
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < g->p->n_slots; i++) code->rates[g->p->n_reactions + i] = g->p->slots[i];
  for (uint32_t i = 0; i < g->schedule.n_table; i++) code->table[code->n_table + i] = g->schedule.table[i];
  code->n_table += g->schedule.n_table;
  code->n_kept = ff_ssa_schedule_code_kept(&g->schedule, code->n_counts);
  code->n_store = ff_ssa_schedule_code_store(&g->schedule);
  return FF_OK;
}

/* The rates; and the table: initial counts, the changes by each reaction (a byte for each count that changes), and for each count
 * its number among what is recorded. So the code does not depend on what is recorded. */
static ff_status fill_data(generator *g, ff_error *err) {
  const ff_ssa_program *p = g->p;
  ff_ssa_code *code = g->code;
  const uint32_t recorded = g->recorded = code->n_counts + (p->n_reactions + 1) * g->words;
  code->n_rates = p->n_reactions + p->n_slots > 0 ? p->n_reactions + p->n_slots : 1;
  code->n_initial = code->n_counts;
  code->for_points = 1;
  code->n_table = recorded + code->n_counts;
  code->rates = ff_calloc(code->n_rates, sizeof *code->rates);
  code->table = ff_calloc(code->n_table, sizeof *code->table);
  if (code->rates == NULL || code->table == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (uint32_t s = 0; s < p->n_species; s++)
    if (g->place[s] != NONE) code->table[g->place[s]] = (uint32_t)g->request->initial[s];
  for (uint32_t i = 0; i < code->n_counts; i++) code->table[recorded + i] = NONE;
  for (uint32_t j = 0; j < g->request->n_species; j++) code->table[recorded + g->place[g->request->species[j]]] = j;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    code->rates[r] = p->propensities[r].rate;
    for (uint32_t i = p->change_first[r]; g->words > 0 && i < p->change_first[r + 1]; i++) {
      const uint32_t at = g->changed[g->place[p->changes[i].species]] - 1;
      code->table[code->n_counts + r * g->words + at / 4] |= (uint32_t)(uint8_t)p->changes[i].by << (8 * (at % 4));
    }
  }
  return g->scheduled ? fill_schedule(g, err) : FF_OK;
}

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

/* Writes the choice of the child at which the prefix sum exceeds `at`: its number is the variable `chosen`. `whole` tells whether
 * `at` is below the sum of all: it is the product of a normal number and at most 1 - 2^-53. `reactions` tells whether
 * the children are reactions. */
static void put_choice(generator *g, const char *sum, uint32_t n, const char *at, int whole, int reactions, const char *chosen,
                       const char *before) {
  if (whole)
    ff_write(&g->out, "  const double %s_most = %s;\n", chosen, at);
  else
    ff_write(&g->out, "  const double %s_most = s_most_below(%s, %s%u);\n", chosen, at, sum, n);
  ff_write(&g->out, "  uint32_t %s = %uu;\n", chosen, reactions ? ff_ssa_direct_number(g, 0) : 0);
  if (before != NULL) ff_write(&g->out, "  double %s = 0.0;\n", before);
  for (uint32_t i = 1; i < n; i++) {
    ff_write(&g->out, "  %s = %s%u <= %s_most ? %uu : %s;\n", chosen, sum, i, chosen, reactions ? ff_ssa_direct_number(g, i) : i,
             chosen);
    if (before != NULL) ff_write(&g->out, "  %s = %s%u <= %s_most ? %s%u : %s;\n", before, sum, i, chosen, sum, i, before);
  }
}

/* Writes the search among groups of FF_SSA_FAN reactions. */
static void put_groups(generator *g, uint32_t n) {
  const uint32_t groups = (n + FF_SSA_FAN - 1) / FF_SSA_FAN;
  for (uint32_t k = 0; k < groups; k++) {
    const uint32_t first = k * FF_SSA_FAN, here = n - first < FF_SSA_FAN ? n - first : FF_SSA_FAN;
    ff_write(&g->out, "  const double g%u = ", k);
    ff_ssa_write_sum(&g->out, "p", first, FF_SSA_FAN, first + here);
    ff_write(&g->out, ";\n");
  }
  ff_ssa_write_prefix(&g->out, "g", "G", groups);
  ff_write(&g->out, "  const double total = G%u, at = s_at(choice, total);\n", groups);
  put_choice(g, "G", groups, "at", ff_ssa_direct_is_plain(g), 0, "above", "before");
  for (uint32_t i = 0; i < FF_SSA_FAN; i++) {
    ff_write(&g->out, "  double c%u = p%u;\n", i, i);
    for (uint32_t k = 1; k < groups; k++)
      if (k * FF_SSA_FAN + i < n)
        ff_write(&g->out, "  c%u = above == %uu ? p%u : c%u;\n", i, k, k * FF_SSA_FAN + i, i);
      else
        ff_write(&g->out, "  c%u = above == %uu ? 0.0 : c%u;\n", i, k, i);
  }
  ff_ssa_write_prefix(&g->out, "c", "C", FF_SSA_FAN);
  ff_write(&g->out, "  const double rest = at - before;\n");
  put_choice(g, "C", FF_SSA_FAN, "rest", 0, 0, "within", NULL);
  ff_write(&g->out, "  next->reaction = above * %uu + within;\n", FF_SSA_FAN);
}

static void put_propensities(generator *g) {
  ff_write(&g->out, "  next->share = 0.0;\n");
  ff_ssa_direct_write_counts(g);
  for (uint32_t i = g->code->n_counts; i < g->code->n_counts + g->p->n_slots; i++)
    ff_write(&g->out, "  const double x%u = t->schedule->kept.k.y[%u];\n  (void)x%u;\n", i, i, i);
  for (uint32_t r = 0; r < g->p->n_reactions; r++) ff_ssa_direct_write_propensity(g, r);
}

/* Each pair of reactions shares a block of random words. A reaction whose propensity is 0 has no waiting time. */
static void put_first(generator *g) {
  const uint32_t n = g->p->n_reactions;
  ff_write(&g->out, "FF_WARP double s_first(const s_thread *t, s_next *next) {\n");
  put_propensities(g);
  ff_write(&g->out, "  double least = ff_math_infinity();\n  next->reaction = S_REACTIONS;\n");
  for (uint32_t r = 0; r < n; r++) {
    if (r % 2 == 0) ff_write(&g->out, "  const ff_philox_block b%u = s_random(t, FF_SSA_DRAW_FIRST, %uu);\n", r / 2, r / 2);
    ff_write(&g->out, "  const double w%u = S_DIVIDE(s_exponential(t, b%u.v[%u], b%u.v[%u]), p%u);\n", r, r / 2, 2 * (r % 2),
             r / 2, 2 * (r % 2) + 1, r);
    if (g->scheduled) ff_write(&g->out, "  invalid |= !(p%u < ff_math_infinity());\n", r);
    ff_write(&g->out, "  const int shorter%u = p%u > 0.0 && w%u < least;\n", r, r, r);
    ff_write(&g->out, "  next->reaction = shorter%u ? %uu : next->reaction;\n  least = shorter%u ? w%u : least;\n", r,
             ff_ssa_direct_number(g, r), r, r);
  }
  ff_write(&g->out, "  return %sleast;\n}\n\n", g->checked ? "invalid ? ff_math_nan() : " : "");
}

static void put_find(generator *g) {
  const uint32_t n = g->p->n_reactions;
  ff_write(&g->out, "FF_WARP double s_find(const s_thread *t, double choice, s_next *next) {\n");
  put_propensities(g);
  if (n == 0) {
    ff_write(&g->out, "  (void)choice;\n  next->reaction = S_REACTIONS;\n  const double total = 0.0;\n");
  } else if (n <= FF_SSA_FAN) {
    ff_ssa_write_prefix(&g->out, "p", "P", n);
    ff_write(&g->out, "  const double total = P%u, at = s_at(choice, total);\n", n);
    put_choice(g, "P", n, "at", ff_ssa_direct_is_plain(g), 1, "chosen", NULL);
    ff_write(&g->out, "  next->reaction = chosen;\n");
  } else {
    put_groups(g, n);
  }
  ff_write(&g->out, "  return %stotal;\n}\n\n", g->checked ? "invalid ? ff_math_nan() : " : "");
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

static void put_bytes(generator *g) {
  const ff_ssa_program *p = g->p;
  for (uint32_t s = 0; s < p->n_species; s++) {
    uint64_t bytes = 0;
    if (g->place[s] == NONE || !p->changed[s]) continue;
    for (uint32_t r = 0; r < p->n_reactions; r++)
      for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
        if (p->changes[i].species == s) bytes |= (uint64_t)(uint8_t)p->changes[i].by << (8 * r);
    bytes <<= 8 * ff_ssa_direct_first_byte(g);
    ff_write(&g->out, "  t->x[%u] += s_byte(0x%Xu, 0x%Xu, r);\n", g->place[s], (unsigned)bytes, (unsigned)(bytes >> 32));
  }
}

static void put_fire(generator *g) {
  ff_write(&g->out, "FF_WARP void s_fire(s_thread *t, const s_next *next) {\n");
  if (g->scheduled && g->words == 0)
    ff_write(&g->out, "  const uint32_t r = 0x8880u + (next->reaction + %uu) * 0x1111u;\n",
             ff_ssa_direct_first_byte(g));
  else
    ff_write(&g->out, "  const uint32_t r = next->reaction;\n");
  ff_write(&g->out, "  (void)t;\n  (void)r;\n");
  if (g->words == 0) put_bytes(g);
  for (uint32_t w = 0; w < g->words; w++)
    ff_write(&g->out, "  const uint32_t d%u = t->table[%uu + r * %uu];\n", w, g->code->n_counts + w, g->words);
  for (uint32_t i = 0; i < g->code->n_counts && g->words > 0; i++)
    if (g->changed[i] > 0)
      ff_write(&g->out, "  t->x[%u] += (uint32_t)(int32_t)(int8_t)(d%u >> %u);\n", i, (g->changed[i] - 1) / 4,
               (g->changed[i] - 1) % 4 * 8);
  if (g->keeps) ff_ssa_optimised_write(g);
  ff_write(&g->out, "}\n\n");
}

/* Sets the counts to those with which the trajectory starts. An empty slot has no trajectory; it takes the counts of another one,
 * and nobody reads them. */
static void put_starts(generator *g) {
  const ff_ssa_program *p = g->p;
  ff_write(&g->out, "  const uint32_t unit = t->unit < t->run->units ? t->unit : 0u;\n");
  for (uint32_t s = 0; s < p->n_species; s++)
    if (g->place[s] != NONE)
      ff_write(&g->out, "  t->x[%u] = FF_SSA_START(t->run, %uu, unit, %uu);\n", g->place[s], p->n_species, s);
  ff_write(&g->out, "  (void)unit;\n");
}

/* Writes the function that tells whether the condition holds. Code with a schedule has it among its formulas instead. */
static void put_condition(generator *g) {
  ff_write(&g->out, "FF_WARP int s_ends(const s_thread *t) {\n");
  for (uint32_t i = 0; i < g->code->n_counts; i++)
    ff_write(&g->out, "  const double x%u = S_REAL(t->x[%u]);\n  (void)x%u;\n", i, i, i);
  const uint32_t f = ff_ssa_write_formula(&g->law, g->request->until);
  ff_write(&g->out, "  return f%u != 0.0;\n}\n\n", f);
}

static void put_rest(generator *g) {
  const uint32_t n = g->code->n_counts;
  ff_write(&g->out, "FF_WARP void s_begin(s_thread *t) {\n");
  if (g->request->starts != NULL)
    put_starts(g);
  else
    for (uint32_t i = 0; i < n; i++) ff_write(&g->out, "  t->x[%u] = S_INITIAL_COUNT(%u);\n", i, i);
  if (g->keeps) ff_write(&g->out, "  s_begin_values(t);\n");
  if (g->scheduled)
    ff_write(&g->out, "  t->starts = 1u;\n  t->schedule->kept.k.silent = t->schedule->kept.k.left = 0u;\n");
  ff_write(&g->out, "  (void)t;\n}\n\nFF_WARP void s_record(const s_thread *t, uint32_t *to) {\n");
  for (uint32_t i = 0; i < n; i++)
    ff_write(&g->out, "  if (t->table[%uu] != 0x%Xu) to[t->table[%uu] * t->run->units] = t->x[%u];\n", g->recorded + i, NONE,
             g->recorded + i, i);
  ff_write(&g->out, "  (void)t;\n  (void)to;\n}\n\nFF_WARP uint32_t s_most(const s_thread *t) {\n  uint32_t most = 0u;\n");
  for (uint32_t i = 0; i < n; i++)
    if (g->changed[i] > 0) ff_write(&g->out, "  most = t->x[%u] > most ? t->x[%u] : most;\n", i, i);
  ff_write(&g->out, "  (void)t;\n  return most;\n}\n");
}

/* Blocks of a multiprocessor for which registers are limited. */
static uint32_t blocks_of(const generator *g) {
  if (g->keeps) return g->optimised.blocks;
  if (g->scheduled) return g->code->n_counts <= 16 ? SCHEDULED_BLOCKS : 2u;
  return g->p->n_reactions <= FF_SSA_FEW ? SMALL_BLOCKS : g->code->n_counts <= 16 ? 5u : 2u;
}

static void put_definitions(generator *g) {
  const ff_ssa_code *code = g->code;
  ff_write(&g->out, "#define S_REACTIONS %uu\n#define S_COUNTS %uu\n#define S_ROWS %uu\n#define S_STORE %uu\n",
           ff_ssa_direct_number(g, g->p->n_reactions), code->n_counts, code->n_rows, code->n_store);
  ff_write(&g->out, "#define S_RATES %u\n#define S_PLAIN %d\n", code->n_rates, ff_ssa_direct_is_plain(g));
  ff_write(&g->out, "#define S_MOST %uu\n#define S_THREADS %u\n#define S_BLOCKS %u\n#define S_TABLE %uu\n", (unsigned)g->most,
           code->threads, blocks_of(g), code->n_table);
  ff_write(&g->out, "#define S_FIRST %d\n", g->request->method == FF_SSA_FIRST);
  if (!g->scheduled) ff_write(&g->out, "#define S_DIRECT 1\n");
  ff_write(&g->out, "#define S_KEEP_KEYS %d\n#define S_UNROLL %uu\n", code->n_counts <= FEW_COUNTS,
           g->scheduled ? 1u : g->p->n_reactions <= FF_SSA_FEW ? FF_SSA_CODE_ROUND : 4u);
  if (g->checked || g->scheduled || g->request->until != NULL) ff_write(&g->out, "#define S_FORMULAS 1\n");
  if (g->scheduled) ff_write(&g->out, "#define S_CHUNK %uu\n", SCHEDULED_CHUNK);
  if (g->request->until != NULL) ff_write(&g->out, "#define S_UNTIL 1\n");
  if (g->request->max_firings > 0) ff_ssa_direct_define_firings(g);
  if (g->keeps) ff_ssa_optimised_define(g);
  if (g->scheduled)
    ff_ssa_schedule_code_define(&g->schedule, &g->out, code->n_table - g->schedule.n_table, code->n_counts);
}

static char *finish(generator *g) {
  char *text = g->out.text;
  g->out = (ff_writer){.status = g->out.status, .err = g->out.err};
  return text;
}

static ff_status generate(generator *g, ff_error *err) {
  const ff_formula *until = g->request->until;
  const size_t depth = until != NULL && until->depth > g->p->depth ? until->depth : g->p->depth;
  uint32_t *stack = ff_calloc(depth + 1, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  g->law = (ff_ssa_law_text){.out = &g->out, .program = g->p, .place = g->place, .stack = stack,
                             .code = g->request->points != NULL ? g->code : NULL};
  put_definitions(g);
  g->code->definitions = finish(g);
  if (g->request->method == FF_SSA_FIRST)
    put_first(g);
  else if (!g->keeps)
    put_find(g);
  put_fire(g);
  put_rest(g);
  if (until != NULL && !g->scheduled) put_condition(g);
  if (g->scheduled) ff_ssa_schedule_code_write(&g->schedule, &g->law, g->code->n_counts);
  g->code->functions = finish(g);
  free(stack);
  return g->out.status;
}

ff_status ff_ssa_generate_direct(ff_ssa_code *out, const ff_ssa_program *program, const ff_ssa_device_request *request,
                                 uint32_t shared, ff_error *err) {
  generator g = {.p = program, .request = request, .code = out, .out = {.err = err},
                 .scheduled = ff_ssa_program_scheduled(program),
                 .keeps = ff_ssa_method_searches(request->method)};
  if (program->n_reactions > MOST_REACTIONS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u reactions are too many", program->n_reactions);
  out->threads = 128;
  g.place = ff_calloc((size_t)program->n_species + program->n_slots, sizeof *g.place);
  g.changed = ff_calloc(program->n_species, sizeof *g.changed);
  ff_status status = g.place != NULL && g.changed != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for code");
  g.checked = g.scheduled && request->method == FF_SSA_FIRST;
  if (status == FF_OK && g.scheduled) status = ff_ssa_schedule_code_new(&g.schedule, program, request->until, err);
  if (status == FF_OK) status = list_counts(&g, err);
  if (status == FF_OK) status = fill_data(&g, err);
  if (status == FF_OK && g.keeps) status = ff_ssa_optimised_fill(&g, shared, err);
  if (status == FF_OK) status = generate(&g, err);
  free(g.place);
  free(g.changed);
  ff_ssa_schedule_code_free(&g.schedule);
  return status;
}
