#include "ff_ssa_generate_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "../../../../model/ff_formula_math.h"
#include "../../device/ff_ssa_event_table.h"

#define MOST_EVENTS 32u  /* bits of a word */
#define MOST_WORDS 1024u /* of formulas */
#define MOST_SETTABLE 64u   /* parameters that events set: their values are arguments of the kernel */
#define MOST_DUE 128u    /* events that may wait, if events have delays */
#define MOST_STORE 4096u /* words of a thread for waiting events; there is always room for the fewest that may be needed */
#define REACTION_WORDS 6u
#define NONE FF_SSA_NO_NUMBER

/* ---- numbers of formulas -------------------------------------------------------------------------------------------------- */

void ff_ssa_schedule_code_free(ff_ssa_schedule_code *code) {
  free(code->formulas);
  free(code->rate_of);
  free(code->timed);
  free(code->table);
  *code = (ff_ssa_schedule_code){0};
}

static uint32_t most_formulas(const ff_ssa_program *p) {
  uint32_t n = p->n_reactions;
  for (uint32_t e = 0; e < p->n_events; e++) n += 3 + 2 * p->events[e].n_sets;
  return n;
}

/* Returns the number of a formula that is added, or NONE for an empty one. */
static uint32_t add(ff_ssa_schedule_code *code, const ff_formula *formula) {
  if (formula->length == 0) return NONE;
  code->formulas[code->n_formulas] = formula;
  return code->n_formulas++;
}

static void sort_event(ff_ssa_schedule_code *code, uint32_t e) {
  switch (ff_ssa_trigger_kind(&code->program->events[e].trigger)) {
    case FF_SSA_BY_STATE: code->by_state |= 1u << e; break;
    case FF_SSA_BY_TIME: code->by_time |= 1u << e; break;
    default: code->by_both |= 1u << e; break;
  }
}

static void list_formulas(ff_ssa_schedule_code *code) {
  const ff_ssa_program *p = code->program;
  for (uint32_t e = 0; e < p->n_events; e++) {
    add(code, &p->events[e].trigger);
    sort_event(code, e);
  }
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    code->timed[r] = p->timed != NULL && p->timed[r] ? code->n_timed++ : NONE;
    if (code->timed[r] == NONE) continue;
    code->rate_of[code->timed[r]] = r;
    add(code, &p->formulas[p->propensities[r].a]);
  }
}

ff_status ff_ssa_schedule_code_new(ff_ssa_schedule_code *out, const ff_ssa_program *p, const ff_formula *until, ff_error *err) {
  *out = (ff_ssa_schedule_code){.program = p, .until = until};
  uint64_t words = until != NULL ? until->length : 0;
  for (uint32_t e = 0; e < p->n_events; e++) {
    words += (uint64_t)p->events[e].trigger.length + p->events[e].delay.length + p->events[e].priority.length;
    for (uint32_t i = 0; i < p->events[e].n_sets; i++)
      words += (uint64_t)p->events[e].sets[i].value.length + p->events[e].sets[i].factor.length;
  }
  if (p->n_events > MOST_EVENTS || p->n_settable > MOST_SETTABLE || words > MOST_WORDS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u events that set %u parameters, with formulas of %llu "
                        "words, are too many", p->n_events, p->n_settable, (unsigned long long)words);
  out->formulas = ff_calloc((size_t)most_formulas(p) + 1, sizeof *out->formulas);
  out->rate_of = ff_calloc(p->n_reactions, sizeof *out->rate_of);
  out->timed = ff_calloc(p->n_reactions, sizeof *out->timed);
  if (out->formulas == NULL || out->rate_of == NULL || out->timed == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for code");
  list_formulas(out);
  out->due = ff_ssa_due_room(p, MOST_STORE, MOST_DUE);
  return FF_OK;
}

/* ---- the table ------------------------------------------------------------------------------------------------------------ */

/* The number of the formula that comes next, in the order of list_others(). */
static uint32_t number_of(const ff_formula *formula, uint32_t *next) { return formula->length > 0 ? (*next)++ : NONE; }

static void list_others(ff_ssa_schedule_code *code) {
  for (uint32_t e = 0; e < code->program->n_events; e++) {
    const ff_event *event = &code->program->events[e];
    add(code, &event->delay);
    add(code, &event->priority);
    for (uint32_t i = 0; i < event->n_sets; i++) {
      add(code, &event->sets[i].value);
      add(code, &event->sets[i].factor);
    }
  }
  if (code->until != NULL) add(code, code->until);
}

/* Puts events in front, and what they set behind `sets`. */
static void put_events(ff_ssa_schedule_code *code, const uint32_t *place, uint32_t before, uint32_t sets) {
  uint32_t next = code->program->n_events + code->n_timed;
  for (uint32_t e = 0; e < code->program->n_events; e++) {
    const ff_event *event = &code->program->events[e];
    uint32_t *row = code->table + FF_SSA_EVENT_WORDS * e;
    row[0] = number_of(&event->delay, &next);
    row[1] = number_of(&event->priority, &next);
    row[2] = ff_ssa_event_flags(event);
    row[3] = before + sets;
    row[4] = event->n_sets;
    for (uint32_t i = 0; i < event->n_sets; i++) {
      code->table[sets++] = place[event->sets[i].symbol];
      code->table[sets++] = number_of(&event->sets[i].value, &next);
      code->table[sets++] = number_of(&event->sets[i].factor, &next);
    }
  }
}

/* The events whose triggers read a symbol of the program, as bits. */
static uint32_t readers_of(const ff_ssa_program *p, uint32_t symbol) {
  uint32_t bits = 0;
  for (size_t k = p->n_events > 0 ? p->watch_first[symbol] : 0; p->n_events > 0 && k < p->watch_first[symbol + 1]; k++)
    bits |= 1u << p->watchers[k];
  return bits;
}

/* Puts a reaction, and the symbols that it changes and triggers read behind `at`. Returns where these end. */
static uint32_t put_reaction(ff_ssa_schedule_code *code, uint32_t r, const uint32_t *place, uint32_t before, uint32_t at) {
  const ff_ssa_program *p = code->program;
  uint32_t *row = code->table + code->at_reactions + REACTION_WORDS * r, n = 0;
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    const uint32_t species = p->changes[i].species, readers = readers_of(p, species);
    if (readers != 0) code->table[at + n++] = place[species];
    row[5] |= readers & code->by_both;
    for (size_t k = p->reader_first[species]; k < p->reader_first[species + 1]; k++) {
      const uint32_t number = code->timed[p->readers[k]];
      if (number != NONE) row[2 + number / 32] |= 1u << (number % 32);
    }
  }
  row[0] = before + at;
  row[1] = n;
  row[4] = code->timed[r];
  return at + n;
}

ff_status ff_ssa_schedule_code_fill(ff_ssa_schedule_code *code, const uint32_t *place, uint32_t before, uint32_t n_counts,
                                    ff_error *err) {
  const ff_ssa_program *p = code->program;
  const uint32_t n_symbols = p->n_species + p->n_settable;
  uint32_t sets = 0;
  for (uint32_t e = 0; e < p->n_events; e++) sets += FF_SSA_SET_WORDS * p->events[e].n_sets;
  code->at_readers = FF_SSA_EVENT_WORDS * p->n_events;
  code->at_reactions = code->at_readers + n_counts + p->n_settable;
  const uint32_t at_sets = code->at_reactions + REACTION_WORDS * p->n_reactions;
  code->table = ff_calloc((size_t)at_sets + sets + p->n_changes, sizeof *code->table);
  if (code->table == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  list_others(code);
  put_events(code, place, before, at_sets);
  for (uint32_t s = 0; s < n_symbols; s++)
    if (place[s] != NONE) code->table[code->at_readers + place[s]] = readers_of(p, s);
  code->n_table = at_sets + sets;
  for (uint32_t r = 0; r < p->n_reactions; r++) code->n_table = put_reaction(code, r, place, before, code->n_table);
  return FF_OK;
}

/* ---- definitions ---------------------------------------------------------------------------------------------------------- */

static uint32_t at_least_1(uint32_t n) { return n > 0 ? n : 1; }

/* The size of s_kept, in words. */
uint32_t ff_ssa_schedule_code_kept(const ff_ssa_schedule_code *code, uint32_t n_counts) {
  const ff_ssa_program *p = code->program;
  return 2 * (at_least_1(n_counts + p->n_settable) + 2 * at_least_1(p->n_events) + at_least_1(code->n_timed) + 8) + 14;
}

uint32_t ff_ssa_schedule_code_store(const ff_ssa_schedule_code *code) {
  return (uint32_t)(code->due * ff_ssa_due_words(code->program->most_sets));
}

void ff_ssa_schedule_code_define(const ff_ssa_schedule_code *code, ff_writer *out, uint32_t before, uint32_t n_counts) {
  const ff_ssa_program *p = code->program;
  ff_write(out, "#define S_KEPT %uu\n#define S_SETTABLE %uu\n#define S_SYMBOLS %uu\n", ff_ssa_schedule_code_kept(code, n_counts),
           p->n_settable, n_counts + p->n_settable);
  ff_write(out, "#define S_N_TRIGGERS %uu\n#define S_BY_STATE 0x%Xu\n#define S_BY_BOTH 0x%Xu\n#define S_BY_TIME 0x%Xu\n",
           p->n_events, code->by_state, code->by_both, code->by_time);
  ff_write(out, "#define S_N_TIMED %uu\n#define S_MOST_SETS %uu\n#define S_N_DUE %uu\n", code->n_timed, p->most_sets, code->due);
  ff_write(out, "#define S_AT_EVENTS %uu\n#define S_AT_READERS %uu\n#define S_AT_REACTIONS %uu\n", before,
           before + code->at_readers, before + code->at_reactions);
  if (code->until != NULL) ff_write(out, "#define S_CONDITION %uu\n", code->n_formulas - 1);
  ff_write(out, "#include \"cuda/ssa/generated/steps/ff_ssa_thread_kept.h\"\n");
}

/* ---- functions ------------------------------------------------------------------------------------------------------------ */

static void write_values(const ff_ssa_schedule_code *code, ff_formula_writer *law) {
  ff_write(law->out, "\nS_CALL double s_value(uint32_t formula, const s_schedule *t, double time) {\n"
           "  const double *const y = t->kept.k.y;\n  (void)y;\n  (void)time;\n  switch (formula) {\n");
  for (uint32_t i = 0; i < code->n_formulas; i++) {
    ff_write(law->out, "  case %uu: {\n", i);
    const uint32_t f = ff_formula_write(law, code->formulas[i]);
    ff_write(law->out, "  return f%u;\n  }\n", f);
  }
  ff_write(law->out, "  default: return 0.0;\n  }\n}\n\n");
}

static void write_ranges(const ff_ssa_schedule_code *code, ff_formula_writer *law) {
  ff_write(law->out, "S_CALL ff_range s_range(uint32_t formula, ff_range_kind kind, const s_schedule *t, double from, "
           "double to) {\n  const ff_range time = ff_range_leaf(kind, ff_range_new(from, to, 0, 0));\n"
           "  const double *const y = t->kept.k.y;\n  (void)y;\n  switch (formula) {\n");
  for (uint32_t i = 0; i < code->program->n_events + code->n_timed; i++) {
    if (!ff_formula_has_time(code->formulas[i])) continue;
    ff_write(law->out, "  case %uu: {\n", i);
    const uint32_t f = ff_formula_write_range(law, code->formulas[i]);
    ff_write(law->out, "  return f%u;\n  }\n", f);
  }
  ff_write(law->out, "  default: return time;\n  }\n}\n\n");
}

static void write_laws(const ff_ssa_schedule_code *code, ff_formula_writer *law) {
  const ff_ssa_program *p = code->program;
  ff_write(law->out, "S_CALL double s_law_of(uint32_t k, const double *y, double rate) {\n  (void)y;\n  switch (k) {\n");
  for (uint32_t k = 0; k < code->n_timed; k++) {
    const ff_ssa_propensity *a = p->propensities + code->rate_of[k];
    if (a->law == FF_LAW_FORMULA) continue;
    ff_write(law->out, "  case %uu: {\n", k);
    for (uint32_t i = a->first; i < a->first + a->n; i++) {
      const uint32_t x = law->place[p->factors[i].species];
      ff_write(law->out, "  if (y[%u] < %u.0) return 0.0;\n  rate *= y[%u];\n", x, p->factors[i].count, x);
      for (uint32_t j = 1; j < p->factors[i].count; j++) ff_write(law->out, "  rate *= (y[%u] - %u.0) / %u.0;\n", x, j, j + 1);
    }
    ff_write(law->out, "  return rate;\n  }\n");
  }
  ff_write(law->out, "  default: return rate;\n  }\n}\n\nS_CALL int s_missing(uint32_t k, const double *y) {\n  (void)y;\n"
           "  switch (k) {\n");
  for (uint32_t k = 0; k < code->n_timed; k++) {
    const ff_ssa_propensity *a = p->propensities + code->rate_of[k];
    ff_write(law->out, "  case %uu: return 0", k);
    for (uint32_t i = a->first; i < a->first + a->n; i++)
      ff_write(law->out, " || y[%u] < %u.0", law->place[p->factors[i].species], p->factors[i].count);
    ff_write(law->out, " ? %d : 0;\n", ff_ssa_may_be_below(a) ? 2 : 1);
  }
  ff_write(law->out, "  default: return 0;\n  }\n}\n\n");
}

static void write_truths(const ff_ssa_schedule_code *code, ff_formula_writer *law, uint32_t n_counts) {
  const uint32_t n_settable = code->program->n_settable;
  ff_write(law->out, "FF_WARP uint32_t s_truths(const s_thread *t) {\n  uint32_t bits = 0u;\n  (void)t;\n");
  for (uint32_t i = 0; i < n_counts; i++)
    ff_write(law->out, "  const double x%u = S_REAL(t->x[%u]);\n  (void)x%u;\n", i, i, i);
  for (uint32_t i = n_counts; i < n_counts + n_settable; i++)
    ff_write(law->out, "  const double x%u = t->schedule->kept.k.y[%u];\n  (void)x%u;\n", i, i, i);
  for (uint32_t e = 0; e < code->program->n_events; e++) {
    if (!(code->by_state >> e & 1)) continue;
    const uint32_t f = ff_formula_write(law, code->formulas[e]);
    ff_write(law->out, "  bits |= (f%u != 0.0 ? 1u : 0u) << %u;\n", f, e);
  }
  ff_write(law->out, "  return bits;\n}\n\n");
}

static void write_copies(const ff_ssa_schedule_code *code, const ff_formula_writer *law, uint32_t n_counts) {
  const ff_ssa_program *p = code->program;
  ff_write(law->out, "FF_WARP void s_show(s_thread *t) {\n  (void)t;\n");
  for (uint32_t i = 0; i < n_counts; i++) ff_write(law->out, "  t->schedule->kept.k.y[%u] = S_REAL(t->x[%u]);\n", i, i);
  ff_write(law->out, "}\n\nFF_WARP void s_take_back(s_thread *t) {\n  (void)t;\n");
  for (uint32_t e = 0; e < p->n_events; e++)
    for (uint32_t i = 0; i < p->events[e].n_sets; i++) {
      const uint32_t symbol = p->events[e].sets[i].symbol;
      if (symbol < p->n_species)
        ff_write(law->out, "  t->x[%u] = (uint32_t)t->schedule->kept.k.y[%u];\n", law->place[symbol], law->place[symbol]);
    }
  ff_write(law->out, "}\n");
}

void ff_ssa_schedule_code_write(const ff_ssa_schedule_code *code, ff_formula_writer *law, uint32_t n_counts) {
  ff_write(law->out, "\n#include \"cuda/ssa/generated/steps/ff_ssa_thread_schedule.h\"\n\n");
  law->array = 1;
  ff_formula_write_operations(law->out, code->formulas, code->n_formulas);
  write_values(code, law);
  write_ranges(code, law);
  write_laws(code, law);
  law->array = 0;
  write_truths(code, law, n_counts);
  write_copies(code, law, n_counts);
}
