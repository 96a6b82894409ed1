/* Families as laws: rates, tests, and changes of places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "ff_petri_compile_internal.h"

static ff_status push(ff_petri_family_maker *f, ff_formula_builder *b, uint32_t code, uint32_t symbol, double number) {
  return ff_formula_push(b, (ff_formula_word){code, symbol, number}, f->m->err);
}

static ff_status push_formula(ff_petri_family_maker *f, ff_formula_builder *b, const ff_formula *formula) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < formula->length && status == FF_OK; at++) status = ff_formula_push(b, formula->word[at], f->m->err);
  return status;
}

/* Parameters that events set become rows. */
static ff_status replace_settable(ff_petri_family_maker *f, ff_formula *formula, uint32_t first) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < formula->length && status == FF_OK; at++) {
    ff_formula_word *word = &formula->word[at];
    if (word->code == FF_F_SYMBOL && word->symbol >= first)
      status = ff_petri_settable_row(f, f->m->settable_of[word->symbol - first], &word->symbol);
  }
  return status;
}

/* Ends the words: parameters become numbers, and what can be computed is. */
static ff_status finish(ff_petri_family_maker *f, ff_formula_builder *b, ff_status status, ff_formula *out) {
  const uint32_t first = f->family->n_slots + f->family->n_numbers, n = f->m->flat->n_parameters;
  ff_formula raw = {0};
  *out = (ff_formula){0};
  if (status != FF_OK || b->length == 0) {
    free(b->word);
    return status;
  }
  ff_formula_finish(&raw, b);
  const ff_formula **by = ff_calloc((size_t)first + n, sizeof *by);
  if (by == NULL) status = ff_error_set(f->m->err, FF_EMEMORY, "no memory for %u parameters", n);
  for (uint32_t i = 0; i < n && status == FF_OK; i++)
    by[first + i] = f->m->settable_of[i] == FF_PETRI_NO_VALUE ? &f->m->parameter[i] : NULL;
  if (status == FF_OK) status = ff_formula_replace(out, &raw, by, f->m->err);
  if (status == FF_OK) status = replace_settable(f, out, first);
  if (status != FF_OK) ff_formula_free(out);
  free(by);
  ff_formula_free(&raw);
  return status;
}

/* ---- rates -------------------------------------------------------------------------------------------------------------- */

/* x (x - 1) ... / k! of a jump, x^k / k! of a flow, with the operations in the order of rate equations. */
static ff_status push_power(ff_petri_family_maker *f, ff_formula_builder *b, uint32_t slot, double k) {
  const int falling = f->family->kind != FF_PETRI_CONTINUOUS;
  ff_status status = push(f, b, FF_F_SYMBOL, slot, 0);
  for (double i = 2; i <= k && status == FF_OK; i++) {
    status = push(f, b, FF_F_SYMBOL, slot, 0);
    if (status == FF_OK && falling) status = push(f, b, FF_F_NUMBER, 0, i - 1);
    if (status == FF_OK && falling) status = push(f, b, FF_F_SUB, 0, 0);
    if (status == FF_OK) status = push(f, b, FF_F_NUMBER, 0, i);
    if (status == FF_OK) status = push(f, b, FF_F_DIV, 0, 0);
    if (status == FF_OK) status = push(f, b, FF_F_MUL, 0, 0);
  }
  return status;
}

/* The constant of mass action of a flow must not be negative if it is a number, once parameters are. */
static ff_status check_flow_constant(ff_petri_family_maker *f) {
  const ff_petri_family *family = f->family;
  ff_formula_builder b = {0};
  ff_formula constant = {0};
  double number;
  if (family->kind != FF_PETRI_CONTINUOUS || !family->mass_action) return FF_OK;
  ff_status status = finish(f, &b, push_formula(f, &b, &family->rate), &constant);
  if (status == FF_OK && ff_formula_is_number(&constant, &number) && number < 0) {
    const char *name = f->m->flat->net->transition[family->transition].name;
    status = ff_error_set(f->m->err, FF_EMODEL,
                          "transition %s: with the values of the parameters, its flow constant is %s; expected a number of at "
                          "least 0",
                          ff_quote(name, strlen(name)).text, ff_show(number, 6).text);
  }
  ff_formula_free(&constant);
  return status;
}

static ff_status make_rate(ff_petri_family_maker *f, ff_formula *out) {
  const ff_petri_family *family = f->family;
  ff_formula_builder b = {0};
  ff_status status = check_flow_constant(f);
  if (status == FF_OK)
    status = family->rate.length > 0 ? push_formula(f, &b, &family->rate) : push(f, &b, FF_F_NUMBER, 0, 0);
  int factors = 0;
  for (uint32_t a = 0; a < family->n_arcs && family->mass_action && status == FF_OK; a++) {
    const ff_petri_flat_arc *arc = &family->arc[a];
    if (arc->kind != FF_ARC_IN || arc->number == 0) continue;
    status = push_power(f, &b, arc->slot, arc->number);
    if (status == FF_OK && factors++ > 0) status = push(f, &b, FF_F_MUL, 0, 0);
  }
  if (status == FF_OK && factors > 0) status = push(f, &b, FF_F_MUL, 0, 0);
  return finish(f, &b, status, out);
}

/* ---- tests -------------------------------------------------------------------------------------------------------------- */

/* Whether a rate is a number, which may be a parameter that no event sets. */
static int is_constant(const ff_petri_family_maker *f, const ff_formula *rate) {
  const uint32_t first = f->family->n_slots + f->family->n_numbers;
  if (rate->length != 1 || rate->word[0].code == FF_F_NUMBER) return rate->length == 1;
  return rate->word[0].symbol >= first && f->m->settable_of[rate->word[0].symbol - first] == FF_PETRI_NO_VALUE;
}

/* Whether mass action with a number as its constant is 0 anyway where a test fails. */
static int is_implied(const ff_petri_family_maker *f, const ff_petri_flat_arc *arc) {
  const ff_petri_family *family = f->family;
  const uint32_t value = ff_petri_value_of(f->law, arc->slot, 0);
  return family->kind == FF_PETRI_STOCHASTIC && family->mass_action && arc->weight.length == 0 && value >= f->m->p->n_levels &&
         !f->m->flat->continuous[f->m->p->value_place[value]] && is_constant(f, &family->rate);
}

/* The comparison that an arc stands for, or FF_F_COUNT: none. Flows take from places without a test. */
static uint32_t test_of(const ff_petri_family_maker *f, const ff_petri_flat_arc *arc) {
  if (arc->weight.length == 0 && arc->number == 0 && arc->kind != FF_ARC_EQUAL) return FF_F_COUNT;
  switch (arc->kind) {
    case FF_ARC_IN: return f->family->kind == FF_PETRI_CONTINUOUS || is_implied(f, arc) ? FF_F_COUNT : FF_F_GE;
    case FF_ARC_READ: return FF_F_GE;
    case FF_ARC_INHIBITOR: return FF_F_LT;
    case FF_ARC_EQUAL: return FF_F_EQ;
    default: return FF_F_COUNT;
  }
}

static ff_status push_weight(ff_petri_family_maker *f, ff_formula_builder *b, const ff_petri_flat_arc *arc) {
  return arc->weight.length > 0 ? push_formula(f, b, &arc->weight) : push(f, b, FF_F_NUMBER, 0, arc->number);
}

static ff_status make_tests(ff_petri_family_maker *f, ff_formula *out) {
  ff_formula_builder b = {0};
  ff_status status = FF_OK;
  int tests = 0;
  for (uint32_t a = 0; a < f->family->n_arcs && status == FF_OK; a++) {
    const ff_petri_flat_arc *arc = &f->family->arc[a];
    const uint32_t code = test_of(f, arc);
    if (code == FF_F_COUNT) continue;
    status = push(f, &b, FF_F_SYMBOL, arc->slot, 0);
    if (status == FF_OK) status = push_weight(f, &b, arc);
    if (status == FF_OK) status = push(f, &b, code, 0, 0);
    if (status == FF_OK && tests++ > 0) status = push(f, &b, FF_F_AND, 0, 0);
  }
  return finish(f, &b, status, out);
}

/* if (tests) rate else 0, as a term. Takes both formulas. */
static ff_status make_flow(ff_petri_family_maker *f, ff_formula *rate, ff_formula *tests) {
  ff_formula_builder b = {0};
  ff_formula both = {0}, done = {0};
  ff_status status = push_formula(f, &b, tests);
  if (status == FF_OK) status = push_formula(f, &b, rate);
  if (status == FF_OK && tests->length > 0) status = push(f, &b, FF_F_NUMBER, 0, 0);
  if (status == FF_OK && tests->length > 0) status = push(f, &b, FF_F_IF, 0, 0);
  status = finish(f, &b, status, &both);
  if (status == FF_OK) status = ff_petri_rewrite(f, &both, 1, &done);
  if (status == FF_OK) status = ff_petri_term_of(f, &done, &f->law->rate);
  ff_formula_free(&both);
  ff_formula_free(&done);
  return status;
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

/* Sets what is added to a place. A flow's number, such as the weight 1 / c of a parameter c, is no formula. */
static ff_status set_change(ff_petri_family_maker *f, ff_formula *by, ff_petri_effect *change) {
  const int flows = f->family->kind == FF_PETRI_CONTINUOUS;
  if (!flows || by->length != 1 || by->word->code != FF_F_NUMBER || !isfinite(by->word->number))
    return ff_petri_term_of(f, by, &change->formula);
  change->by = by->word->number;
  return FF_OK;
}

/* Sets what happens to the place of a slot: what is added, less what is taken; after a reset, what is added. */
static ff_status make_change(ff_petri_family_maker *f, uint32_t slot, ff_petri_effect *change) {
  const ff_petri_flat_arc *in = NULL, *out = NULL;
  *change = (ff_petri_effect){.row = slot};
  for (uint32_t a = 0; a < f->family->n_arcs; a++) {
    const ff_petri_flat_arc *arc = &f->family->arc[a];
    if (arc->slot != slot) continue;
    if (arc->kind == FF_ARC_RESET) change->resets = 1;
    if (arc->kind == FF_ARC_IN) in = arc;
    if (arc->kind == FF_ARC_OUT) out = arc;
  }
  if (change->resets) in = NULL;
  change->by = (out != NULL ? out->number : 0) - (in != NULL ? in->number : 0);
  if ((in == NULL || in->weight.length == 0) && (out == NULL || out->weight.length == 0)) return FF_OK;
  ff_formula_builder b = {0};
  ff_formula by = {0}, done = {0};
  ff_status status = out != NULL ? push_weight(f, &b, out) : push(f, &b, FF_F_NUMBER, 0, 0);
  if (status == FF_OK && in != NULL) status = push_weight(f, &b, in);
  if (status == FF_OK && in != NULL) status = push(f, &b, FF_F_SUB, 0, 0);
  status = finish(f, &b, status, &by);
  if (status == FF_OK) status = ff_petri_rewrite(f, &by, f->family->kind == FF_PETRI_CONTINUOUS, &done);
  if (status == FF_OK) status = set_change(f, &done, change);
  ff_formula_free(&by);
  ff_formula_free(&done);
  return status;
}

static ff_status make_changes(ff_petri_family_maker *f) {
  const ff_petri_family *family = f->family;
  ff_petri_law *law = f->law;
  ff_status status = FF_OK;
  law->effect = ff_calloc(family->n_slots, sizeof *law->effect);
  if (law->effect == NULL) return ff_error_set(f->m->err, FF_EMEMORY, "no memory for %u changes", family->n_slots);
  for (uint32_t a = 0; a < family->n_arcs; a++) law->takes |= family->arc[a].kind == FF_ARC_IN;
  for (uint32_t s = 0; s < family->n_slots && status == FF_OK; s++) {
    const uint32_t value = family->slot[(size_t)s * family->n];
    if (value >= f->m->p->n_places || f->m->flat->fixed[value]) continue;
    ff_petri_effect *change = &law->effect[law->n_effects];
    status = make_change(f, s, change);
    law->varies |= change->formula.formula.length > 0;
    if (change->resets || change->by != 0 || change->formula.formula.length > 0) law->n_effects++;
  }
  return status;
}

/* ---- families ----------------------------------------------------------------------------------------------------------- */

static ff_status make_rows(ff_petri_family_maker *f) {
  ff_petri_maker *m = f->m;
  const ff_petri_family *family = f->family;
  const size_t n = family->n, rows = (size_t)family->n_slots + family->n_numbers;
  ff_status status = ff_grow((void **)&f->law->index, &f->index_room, rows * n, sizeof *f->law->index, m->err);
  if (status == FF_OK) status = ff_grow((void **)&f->row_class, &f->class_room, rows, sizeof *f->row_class, m->err);
  if (status != FF_OK) return status;
  f->law->n_rows = (uint32_t)rows;
  for (size_t r = 0; r < rows; r++) {
    f->row_class[r] = r < family->n_slots ? FF_PETRI_OF_COUNTS : FF_PETRI_OF_NOTHING;
    for (size_t i = 0; i < n; i++) {
      const uint32_t slot = r < family->n_slots ? family->slot[r * n + i] : 0;
      uint32_t value = r >= family->n_slots ? m->constants + (uint32_t)((r - family->n_slots) * n + i)
                       : slot < m->p->n_places ? m->p->place_value[slot]
                                               : slot;
      uint8_t class = r >= family->n_slots ? FF_PETRI_OF_NOTHING
                      : slot >= m->p->n_places ? m->variable_class[slot - m->p->n_places]
                      : ff_petri_is_level(m->p, value) ? FF_PETRI_OF_LEVELS
                                               : FF_PETRI_OF_COUNTS;
      f->law->index[r * n + i] = value;
      if (class > f->row_class[r]) f->row_class[r] = class;
    }
  }
  m->constants += (uint32_t)(n * family->n_numbers);
  return FF_OK;
}

/* How often a scheduled transition fires, where the last time may be rounded, as in R's seq(). */
static void set_times(ff_petri_law *law, const double *at) {
  law->begin = at[0];
  law->period = at[1] > 0 ? at[1] : 0;
  law->times = !(at[0] <= at[2]) ? 0 : law->period > 0 ? floor((at[2] - at[0]) / law->period + 1e-10) + 1 : 1;
}

/* An immediate transition fires as soon as its weight is above 0. Where levels or the time decide this, it is one more test, so
 * that the time is found. */
static ff_status add_weight_test(ff_petri_family_maker *f, const ff_formula *rate, ff_formula *tests) {
  ff_formula_builder b = {0};
  if (f->family->kind != FF_PETRI_IMMEDIATE || ff_petri_class_of(f, rate->word, rate->length) != FF_PETRI_OF_LEVELS) return FF_OK;
  ff_status status = push_formula(f, &b, tests);
  if (status == FF_OK) status = push_formula(f, &b, rate);
  if (status == FF_OK) status = push(f, &b, FF_F_NUMBER, 0, 0);
  if (status == FF_OK) status = push(f, &b, FF_F_GT, 0, 0);
  if (status == FF_OK && tests->length > 0) status = push(f, &b, FF_F_AND, 0, 0);
  ff_formula_free(tests);
  return finish(f, &b, status, tests);
}

static ff_status make_jump(ff_petri_family_maker *f, ff_formula *rate, ff_formula *tests) {
  ff_formula number = {0}, condition = {0};
  ff_status status = add_weight_test(f, rate, tests);
  if (status == FF_OK && tests->length > 0) status = ff_petri_rewrite(f, tests, 0, &condition);
  if (status == FF_OK && rate->length > 0) status = ff_petri_rewrite(f, rate, 0, &number);
  if (f->family->kind == FF_PETRI_STOCHASTIC) {
    if (status == FF_OK) status = ff_petri_compile_hazard(f, &number, &condition);
  } else {
    if (status == FF_OK && condition.length > 0) status = ff_petri_term_of(f, &condition, &f->law->enabled);
    if (status == FF_OK && number.length > 0) status = ff_petri_term_of(f, &number, &f->law->rate);
  }
  ff_formula_free(&number);
  ff_formula_free(&condition);
  return status;
}

static ff_status make_law(ff_petri_maker *m, uint32_t k) {
  ff_petri_law *law = &m->p->law[k];
  ff_petri_family_maker f = {.m = m, .family = &m->flat->family[k], .law = law, .time_row = FF_PETRI_NO_VALUE};
  ff_formula rate = {0}, tests = {0};
  law->kind = f.family->kind;
  law->n = f.family->n;
  ff_status status = make_rows(&f);
  if (status == FF_OK) status = make_rate(&f, &rate);
  if (status == FF_OK) status = make_tests(&f, &tests);
  if (status == FF_OK) status = make_changes(&f);
  if (status == FF_OK) status = law->kind == FF_PETRI_CONTINUOUS ? make_flow(&f, &rate, &tests) : make_jump(&f, &rate, &tests);
  if (law->kind == FF_PETRI_SCHEDULED) set_times(law, f.family->at);
  ff_formula_free(&rate);
  ff_formula_free(&tests);
  free(f.row_class);
  return status;
}

/* Numbers the transitions of each kind. */
static ff_status list_members(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  const uint32_t n = p->n_laws;
  p->flow = ff_calloc(n, sizeof *p->flow);
  p->stochastic = ff_calloc(p->n_stochastic, sizeof *p->stochastic);
  p->immediate = ff_calloc(p->n_immediate, sizeof *p->immediate);
  p->timed = ff_calloc(p->n_timed, sizeof *p->timed);
  if (p->flow == NULL || p->stochastic == NULL || p->immediate == NULL || p->timed == NULL)
    return ff_error_set(m->err, FF_EMEMORY, "no memory for %llu transitions", (unsigned long long)m->flat->n_transitions);
  for (uint32_t k = 0; k < n; k++) {
    const ff_petri_law *law = &p->law[k];
    ff_petri_member *list = law->kind == FF_PETRI_STOCHASTIC  ? p->stochastic
                            : law->kind == FF_PETRI_IMMEDIATE ? p->immediate
                                                              : p->timed;
    if (law->kind == FF_PETRI_CONTINUOUS)
      p->flow[p->n_flows++] = k;
    else
      for (uint32_t i = 0; i < law->n; i++) list[law->own + i] = (ff_petri_member){k, i};
  }
  return FF_OK;
}

ff_status ff_petri_compile_laws(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  uint64_t first = 0;
  ff_status status = FF_OK;
  p->law = ff_calloc(m->flat->n_families, sizeof *p->law);
  if (p->law == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u families", m->flat->n_families);
  p->n_laws = m->flat->n_families;
  for (uint32_t k = 0; k < p->n_laws && status == FF_OK; k++) {
    ff_petri_law *law = &p->law[k];
    status = make_law(m, k);
    law->first = first;
    first += law->n;
    uint32_t *counted = law->kind == FF_PETRI_STOCHASTIC   ? &p->n_stochastic
                        : law->kind == FF_PETRI_IMMEDIATE  ? &p->n_immediate
                        : law->kind == FF_PETRI_CONTINUOUS ? NULL
                                                           : &p->n_timed;
    if (counted == NULL) continue;
    law->own = *counted;
    *counted += law->n;
  }
  return status == FF_OK ? list_members(m) : status;
}
