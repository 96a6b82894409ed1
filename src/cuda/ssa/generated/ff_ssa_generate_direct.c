/* Code for the direct method: all propensities are computed at each step, and counts are in registers. */
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
  for (uint32_t j = 0; j < g->request->n_observed; j++) keep(g, g->request->observed[j]);
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
  for (uint32_t i = 0; i < p->n_settable; i++) g->place[p->n_species + i] = g->code->n_counts + i;
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
  for (uint32_t i = 0; i < g->p->n_settable; i++) code->rates[g->p->n_reactions + i] = g->p->settable[i];
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
  code->n_rates = p->n_reactions + p->n_settable > 0 ? p->n_reactions + p->n_settable : 1;
  code->n_initial = code->n_counts;
  code->for_points = 1;
  code->n_table = recorded + code->n_counts;
  code->rates = ff_calloc(code->n_rates, sizeof *code->rates);
  code->table = ff_calloc(code->n_table, sizeof *code->table);
  if (code->rates == NULL || code->table == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (uint32_t s = 0; s < p->n_species; s++)
    if (g->place[s] != NONE) code->table[g->place[s]] = (uint32_t)g->request->initial[s];
  for (uint32_t i = 0; i < code->n_counts; i++) code->table[recorded + i] = NONE;
  for (uint32_t j = 0; j < g->request->n_observed; j++) code->table[recorded + g->place[g->request->observed[j]]] = j;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    code->rates[r] = p->propensities[r].rate;
    for (uint32_t i = p->change_first[r]; g->words > 0 && i < p->change_first[r + 1]; i++) {
      const uint32_t at = g->changed[g->place[p->changes[i].species]] - 1;
      code->table[code->n_counts + r * g->words + at / 4] |= (uint32_t)(uint8_t)p->changes[i].by << (8 * (at % 4));
    }
  }
  return g->scheduled ? fill_schedule(g, err) : FF_OK;
}

/* ---- propensities ------------------------------------------------------------------------------------------------------- */

static void put_values(generator *g) {
  ff_write(&g->out, "FF_WARP int s_values(const s_thread *t, double *value, uint32_t *of) {\n");
  ff_ssa_direct_write_counts(g);
  for (uint32_t i = g->code->n_counts; i < g->code->n_counts + g->p->n_settable; i++)
    ff_write(&g->out, "  const double x%u = t->schedule->kept.k.y[%u];\n  (void)x%u;\n", i, i, i);
  for (uint32_t r = 0; r < g->p->n_reactions; r++) {
    ff_ssa_direct_write_propensity(g, r);
    ff_write(&g->out, "  value[%u] = p%u;\n", r, r);
  }
  ff_write(&g->out, "  (void)t;\n  (void)value;\n  (void)of;\n  return %s;\n}\n\n", g->checked ? "invalid" : "0");
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

/* Writes the function that sets the counts to those with which a trajectory starts. */
static void put_start(generator *g) {
  const ff_ssa_program *p = g->p;
  ff_write(&g->out, "FF_WARP void s_set_counts(s_thread *t, uint32_t unit) {\n");
  for (uint32_t s = 0; s < p->n_species; s++)
    if (g->place[s] != NONE)
      ff_write(&g->out, "  t->x[%u] = FF_START_OF(t->run, %uu, unit, %uu);\n", g->place[s], p->n_species, s);
  ff_write(&g->out, "  (void)t;\n  (void)unit;\n}\n\n");
}

/* Writes the function that tells whether the condition holds. Code with a schedule has it among its formulas instead. */
static void put_condition(generator *g) {
  ff_write(&g->out, "FF_WARP int s_ends(const s_thread *t) {\n");
  for (uint32_t i = 0; i < g->code->n_counts; i++)
    ff_write(&g->out, "  const double x%u = S_REAL(t->x[%u]);\n  (void)x%u;\n", i, i, i);
  const uint32_t f = ff_formula_write(&g->law, g->request->until);
  ff_write(&g->out, "  return f%u != 0.0;\n}\n\n", f);
}

/* Blocks of a multiprocessor for which registers are limited. */
static uint32_t blocks_of(const generator *g) {
  if (g->keeps) return g->optimised.blocks;
  if (g->scheduled) return g->code->n_counts <= 16 ? SCHEDULED_BLOCKS : 2u;
  return g->p->n_reactions <= FF_SSA_FEW ? SMALL_BLOCKS : g->code->n_counts <= 16 ? 5u : 2u;
}

static void put_definitions(generator *g) {
  const ff_ssa_code *code = g->code;
  uint64_t changed = 0;
  for (uint32_t i = 0; i < code->n_counts; i++) changed |= (uint64_t)(g->changed[i] > 0) << i;
  ff_write(&g->out, "#define S_REACTIONS %uu\n#define S_COUNTS %uu\n#define S_ROWS %uu\n#define S_STORE %uu\n",
           ff_ssa_direct_number(g, g->p->n_reactions), code->n_counts, code->n_rows, code->n_store);
  ff_write(&g->out, "#define S_RATES %u\n#define S_PLAIN %d\n", code->n_rates, ff_ssa_direct_is_plain(g));
  ff_write(&g->out, "#define S_MOST %uu\n#define S_THREADS %u\n#define S_BLOCKS %u\n#define S_TABLE %uu\n", (unsigned)g->most,
           code->threads, blocks_of(g), code->n_table);
  ff_write(&g->out, "#define S_FIRST %d\n", g->request->method == FF_SSA_FIRST);
  ff_write(&g->out, "#define S_RECORDED %uu\n#define S_CHANGED 0x%llXull\n", g->recorded, (unsigned long long)changed);
  if (!g->keeps) ff_ssa_direct_define_choices(g);
  if (g->request->starts != NULL) ff_write(&g->out, "#define S_STARTS 1\n");
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
  g->law = (ff_formula_writer){.out = &g->out, .place = g->place, .stack = stack,
                             .numbers = g->request->points != NULL ? &g->code->numbers : NULL};
  put_definitions(g);
  g->code->definitions = finish(g);
  if (!g->keeps) put_values(g);
  put_fire(g);
  if (g->request->starts != NULL) put_start(g);
  if (until != NULL && !g->scheduled) put_condition(g);
  if (g->scheduled) ff_ssa_schedule_code_write(&g->schedule, &g->law, g->code->n_counts);
  g->code->functions = finish(g);
  free(stack);
  return g->out.status;
}

ff_status ff_ssa_generate_direct(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request,
                                 uint32_t shared, ff_error *err) {
  generator g = {.p = program, .request = request, .code = out, .out = {.err = err},
                 .scheduled = ff_ssa_program_scheduled(program),
                 .keeps = ff_ssa_method_searches(request->method)};
  if (program->n_reactions > MOST_REACTIONS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u reactions are too many", program->n_reactions);
  out->threads = 128;
  g.place = ff_calloc((size_t)program->n_species + program->n_settable, sizeof *g.place);
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
