/* Unfolded nets as reaction networks, for SBML. */
#include "ff_io_petri_sbml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../model/ff_formula_code.h"

enum { NAME = 4096 };

typedef struct {
  const ff_petri_flat *flat;
  ff_reactions *net;
  uint32_t reaction;
  ff_error *err;
} maker;

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

static ff_status push(maker *m, ff_formula_builder *b, uint32_t code, uint32_t symbol, double number) {
  return ff_formula_push(b, (ff_formula_word){code, symbol, number}, m->err);
}

/* A symbol of the flat net: places, variables, then parameters. Variables without a name are sums over colours. */
static ff_status push_symbol(maker *m, ff_formula_builder *b, uint32_t symbol) {
  const ff_petri_flat *flat = m->flat;
  const uint32_t named = flat->net->n_variables, variables = flat->n_places + flat->n_parameters;
  if (symbol < flat->n_places) return push(m, b, FF_F_SYMBOL, symbol, 0);
  if (symbol >= flat->n_places + flat->n_variables) return push(m, b, FF_F_SYMBOL, symbol - flat->n_variables, 0);
  if (symbol < flat->n_places + named) return push(m, b, FF_F_SYMBOL, symbol - flat->n_places + variables, 0);
  const ff_formula *sum = &flat->variable[symbol - flat->n_places];
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < sum->length && status == FF_OK; at++) status = ff_formula_push(b, sum->word[at], m->err);
  return status;
}

/* A formula of the flat net. */
static ff_status make_formula(maker *m, const ff_formula *of, ff_formula *out) {
  ff_formula_builder b = {0};
  ff_status status = FF_OK;
  if (of->length == 0) return FF_OK;
  for (uint32_t at = 0; at < of->length && status == FF_OK; at++)
    status = of->word[at].code == FF_F_SYMBOL ? push_symbol(m, &b, of->word[at].symbol)
                                              : ff_formula_push(&b, of->word[at], m->err);
  if (status == FF_OK)
    ff_formula_finish(out, &b);
  else
    free(b.word);
  return status;
}

/* Transition i of a family. */
typedef struct {
  const ff_petri_family *f;
  uint32_t family, i;
} transition;

static uint32_t place_of(const transition *t, uint32_t slot) { return t->f->slot[(size_t)slot * t->f->n + t->i]; }

static ff_status push_word(maker *m, ff_formula_builder *b, const transition *t, const ff_formula_word *word) {
  const ff_petri_family *f = t->f;
  const uint32_t numbers = f->n_slots + f->n_numbers, symbol = word->symbol;
  if (word->code != FF_F_SYMBOL) return ff_formula_push(b, *word, m->err);
  if (symbol < f->n_slots) return push_symbol(m, b, place_of(t, symbol));
  if (symbol < numbers) return push(m, b, FF_F_NUMBER, 0, f->number[(size_t)(symbol - f->n_slots) * f->n + t->i]);
  return push_symbol(m, b, m->flat->n_places + m->flat->n_variables + (symbol - numbers));
}

static ff_status push_formula(maker *m, ff_formula_builder *b, const transition *t, const ff_formula *of) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < of->length && status == FF_OK; at++) status = push_word(m, b, t, &of->word[at]);
  return status;
}

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

static ff_status refuse(maker *m, const transition *t, const char *what) {
  char name[NAME];
  ff_petri_transition_name(name, sizeof name, m->flat, t->family, t->i, ",");
  return ff_error_set(m->err, FF_EMODEL, "transition %s %s, which SBML cannot express; ANDL and CANDL can",
                      ff_quote(name, strlen(name)).text, what);
}

/* ---- weights ------------------------------------------------------------------------------------------------------------ */

static int is_set(const ff_petri_flat *flat, uint32_t parameter) {
  for (uint32_t e = 0; e < flat->n_events; e++)
    for (uint32_t i = 0; i < flat->event[e].n_sets; i++)
      if (flat->event[e].sets[i].symbol == flat->n_places + flat->n_variables + parameter) return 1;
  return 0;
}

/* A weight must be a function of what never changes. */
static ff_status find_weight(maker *m, const transition *t, const ff_petri_flat_arc *arc, double *weight) {
  const ff_petri_flat *flat = m->flat;
  const uint32_t numbers = t->f->n_slots + t->f->n_numbers;
  *weight = arc->number;
  if (arc->weight.length == 0) return FF_OK;
  double *value = ff_calloc((size_t)numbers + flat->n_parameters + arc->weight.depth, sizeof *value);
  if (value == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for the weight of an arc");
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < arc->weight.length && status == FF_OK; at++) {
    const ff_formula_word *word = &arc->weight.word[at];
    const int symbol = word->code == FF_F_SYMBOL;
    if (word->code == FF_F_TIME || (symbol && word->symbol < t->f->n_slots) ||
        (symbol && word->symbol >= numbers && is_set(flat, word->symbol - numbers)))
      status = refuse(m, t, "has an arc whose weight changes");
  }
  for (uint32_t k = 0; k < t->f->n_numbers; k++) value[t->f->n_slots + k] = t->f->number[(size_t)k * t->f->n + t->i];
  for (uint32_t k = 0; k < flat->n_parameters; k++) value[numbers + k] = flat->parameter[k];
  if (status == FF_OK) *weight = ff_formula_value(&arc->weight, value, 0, value + numbers + flat->n_parameters);
  free(value);
  if (status == FF_OK && !(*weight >= 0 && isfinite(*weight))) status = refuse(m, t, "has an arc whose weight is no number");
  return status;
}

/* A side of a reaction: participants by species, and their weights. */
typedef struct {
  ff_participant *of;
  double *weight;
  uint32_t n;
  int fractions;
} side;

static void free_side(side *s) {
  free(s->of);
  free(s->weight);
}

static ff_status make_side(maker *m, const transition *t, ff_petri_arc_kind kind, side *out) {
  ff_status status = FF_OK;
  *out = (side){ff_calloc(t->f->n_arcs, sizeof *out->of), ff_calloc(t->f->n_arcs, sizeof *out->weight), 0, 0};
  if (out->of == NULL || out->weight == NULL) status = ff_error_set(m->err, FF_EMEMORY, "no memory for %u arcs", t->f->n_arcs);
  for (uint32_t a = 0; a < t->f->n_arcs && status == FF_OK; a++) {
    const ff_petri_flat_arc *arc = &t->f->arc[a];
    double weight = 0;
    if (arc->kind != kind) continue;
    status = find_weight(m, t, arc, &weight);
    if (status != FF_OK || weight == 0) continue;
    const int whole = weight == floor(weight) && weight <= UINT32_MAX;
    const uint32_t species = place_of(t, arc->slot);
    uint32_t at = out->n++;
    for (; at > 0 && out->of[at - 1].species > species; at--) {
      out->of[at] = out->of[at - 1];
      out->weight[at] = out->weight[at - 1];
    }
    out->of[at] = (ff_participant){species, whole ? (uint32_t)weight : 1};
    out->weight[at] = weight;
    out->fractions |= !whole;
  }
  return status;
}

/* ---- rates -------------------------------------------------------------------------------------------------------------- */

/* The comparison of a test, or FF_F_COUNT. A reaction whose rate is a formula fires also if a fixed reactant is at 0, but a
 * transition needs its tokens. */
static uint32_t test_of(const maker *m, const transition *t, const ff_petri_flat_arc *arc) {
  const int needs = t->f->kind == FF_PETRI_STOCHASTIC && !t->f->mass_action && arc->kind == FF_ARC_IN &&
                    m->flat->fixed[place_of(t, arc->slot)];
  if (arc->weight.length == 0 && arc->number == 0 && arc->kind != FF_ARC_EQUAL) return FF_F_COUNT;
  return arc->kind == FF_ARC_READ || needs ? FF_F_GE
         : arc->kind == FF_ARC_INHIBITOR   ? FF_F_LT
         : arc->kind == FF_ARC_EQUAL       ? FF_F_EQ
                                           : FF_F_COUNT;
}

static ff_status push_tests(maker *m, ff_formula_builder *b, const transition *t, int *any) {
  ff_status status = FF_OK;
  *any = 0;
  for (uint32_t a = 0; a < t->f->n_arcs && status == FF_OK; a++) {
    const ff_petri_flat_arc *arc = &t->f->arc[a];
    const uint32_t code = test_of(m, t, arc);
    if (code == FF_F_COUNT) continue;
    status = push(m, b, FF_F_SYMBOL, place_of(t, arc->slot), 0);
    if (status == FF_OK)
      status = arc->weight.length > 0 ? push_formula(m, b, t, &arc->weight) : push(m, b, FF_F_NUMBER, 0, arc->number);
    if (status == FF_OK) status = push(m, b, code, 0, 0);
    if (status == FF_OK && *any) status = push(m, b, FF_F_AND, 0, 0);
    *any = 1;
  }
  return status;
}

/* Multiplies by x (x - 1) ... / k!, or for a flow by x^k / k!. */
static ff_status push_ways(maker *m, ff_formula_builder *b, const transition *t, const ff_participant *of) {
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < of->count && status == FF_OK; k++) {
    status = push(m, b, FF_F_SYMBOL, of->species, 0);
    if (status == FF_OK && k > 0 && t->f->kind == FF_PETRI_STOCHASTIC) {
      status = push(m, b, FF_F_NUMBER, 0, k);
      if (status == FF_OK) status = push(m, b, FF_F_SUB, 0, 0);
    }
    if (status == FF_OK) status = push(m, b, FF_F_MUL, 0, 0);
    if (status == FF_OK && k > 0) status = push(m, b, FF_F_NUMBER, 0, k + 1.0);
    if (status == FF_OK && k > 0) status = push(m, b, FF_F_DIV, 0, 0);
  }
  return status;
}

/* Without tests, mass action stays; with tests, the rate is if(tests, rate, 0). */
static ff_status make_rate(maker *m, const transition *t, const side *taken, ff_reaction *out) {
  ff_formula_builder b = {0};
  int tests = 0;
  ff_status status = push_tests(m, &b, t, &tests);
  if (status == FF_OK) status = push_formula(m, &b, t, &t->f->rate);
  out->mass_action = t->f->mass_action && !tests;
  for (uint32_t k = 0; k < taken->n && t->f->mass_action && tests && status == FF_OK; k++)
    status = push_ways(m, &b, t, &taken->of[k]);
  if (status == FF_OK && tests) status = push(m, &b, FF_F_NUMBER, 0, 0);
  if (status == FF_OK && tests) status = push(m, &b, FF_F_IF, 0, 0);
  if (status == FF_OK)
    ff_formula_finish(&out->rate, &b);
  else
    free(b.word);
  return status;
}

/* ---- reactions ---------------------------------------------------------------------------------------------------------- */

static ff_status check_transition(maker *m, const transition *t) {
  switch (t->f->kind) {
    case FF_PETRI_IMMEDIATE: return refuse(m, t, "is immediate");
    case FF_PETRI_DETERMINISTIC: return refuse(m, t, "is deterministic");
    case FF_PETRI_SCHEDULED: return refuse(m, t, "is scheduled");
    default: break;
  }
  for (uint32_t a = 0; a < t->f->n_arcs; a++)
    if (t->f->arc[a].kind == FF_ARC_RESET) return refuse(m, t, "resets a place");
  return FF_OK;
}

static ff_status take_sides(maker *m, side *in, side *put, ff_reaction *out) {
  out->reactants = in->of;
  out->products = put->of;
  out->n_reactants = in->n;
  out->n_products = put->n;
  in->of = put->of = NULL;
  if (!in->fractions && !put->fractions) return FF_OK;
  out->weight = ff_calloc((size_t)in->n + put->n, sizeof *out->weight);
  if (out->weight == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for weights");
  for (uint32_t k = 0; k < in->n; k++) out->weight[k] = in->weight[k];
  for (uint32_t k = 0; k < put->n; k++) out->weight[in->n + k] = put->weight[k];
  return FF_OK;
}

static ff_status add_transition(maker *m, const transition *t) {
  ff_reaction *out = &m->net->reactions[m->reaction++];
  side in = {0}, added = {0};
  char name[NAME];
  ff_status status = check_transition(m, t);
  if (status != FF_OK) return status;
  ff_petri_transition_name(name, sizeof name, m->flat, t->family, t->i, "_");
  status = ff_name_copy(&out->name, name, m->err);
  out->flows = t->f->kind == FF_PETRI_CONTINUOUS;
  if (status == FF_OK) status = make_side(m, t, FF_ARC_IN, &in);
  if (status == FF_OK) status = make_side(m, t, FF_ARC_OUT, &added);
  if (status == FF_OK) status = make_rate(m, t, &in, out);
  if (status == FF_OK) status = take_sides(m, &in, &added, out);
  free_side(&in);
  free_side(&added);
  return status;
}

/* ---- the rest ----------------------------------------------------------------------------------------------------------- */

static ff_status set_symbols(maker *m) {
  const ff_petri_flat *flat = m->flat;
  ff_reactions *net = m->net;
  char name[NAME];
  ff_status status = FF_OK;
  net->real = ff_calloc(flat->n_places, 1);
  if (net->real == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u places", flat->n_places);
  for (uint32_t p = 0; p < flat->n_places && status == FF_OK; p++) {
    ff_petri_place_name(name, sizeof name, flat, p, "_");
    status = ff_name_copy(&net->names[p], name, m->err);
    net->initial[p] = flat->initial[p];
    net->fixed[p] = flat->fixed[p];
    net->real[p] = flat->continuous[p];
  }
  for (uint32_t i = 0; i < flat->n_parameters && status == FF_OK; i++) {
    status = ff_name_copy(&net->names[flat->n_places + i], flat->net->parameter[i], m->err);
    net->value[i] = flat->parameter[i];
  }
  for (uint32_t v = 0; v < flat->net->n_variables && status == FF_OK; v++) {
    status = ff_name_copy(&net->names[flat->n_places + flat->n_parameters + v], flat->net->variable[v].name, m->err);
    if (status == FF_OK) status = make_formula(m, &flat->variable[v], &net->variable[v]);
  }
  return status;
}

static ff_status add_event(maker *m, const ff_event *from, ff_event *out) {
  const uint32_t variables = m->flat->n_variables;
  ff_status status = ff_name_copy(&out->name, from->name, m->err);
  out->initially = from->initially;
  out->persistent = from->persistent;
  out->late = from->late;
  if (status == FF_OK) status = make_formula(m, &from->trigger, &out->trigger);
  if (status == FF_OK) status = make_formula(m, &from->delay, &out->delay);
  if (status == FF_OK) status = make_formula(m, &from->priority, &out->priority);
  if (status == FF_OK) status = ff_event_add_sets(out, from->n_sets, m->err);
  for (uint32_t k = 0; k < from->n_sets && status == FF_OK; k++) {
    const uint32_t symbol = from->sets[k].symbol;
    out->sets[k].symbol = symbol < m->flat->n_places ? symbol : symbol - variables;
    status = make_formula(m, &from->sets[k].value, &out->sets[k].value);
    if (status == FF_OK) status = make_formula(m, &from->sets[k].factor, &out->sets[k].factor);
  }
  return status;
}

ff_status ff_io_petri_reactions(ff_reactions **out, const ff_petri_flat *flat, ff_error *err) {
  maker m = {.flat = flat, .err = err};
  *out = NULL;
  ff_status status = ff_petri_check_names(flat, "_", err);
  if (status == FF_OK && flat->n_transitions >= UINT32_MAX)
    status = ff_error_set(err, FF_ESIZE, "the net has more transitions than SBML can have reactions");
  if (status == FF_OK) status = ff_reactions_new(&m.net, flat->n_places, flat->n_parameters, (uint32_t)flat->n_transitions, err);
  if (status == FF_OK) status = ff_reactions_add_variables(m.net, flat->net->n_variables, err);
  if (status == FF_OK) status = set_symbols(&m);
  for (uint32_t f = 0; f < flat->n_families && status == FF_OK; f++)
    for (uint32_t i = 0; i < flat->family[f].n && status == FF_OK; i++)
      status = add_transition(&m, &(transition){&flat->family[f], f, i});
  if (status == FF_OK && flat->n_events > 0) status = ff_reactions_add_events(m.net, flat->n_events, err);
  for (uint32_t e = 0; e < flat->n_events && status == FF_OK; e++) status = add_event(&m, &flat->event[e], &m.net->events[e]);
  if (status == FF_OK) status = ff_reactions_finish(m.net, err);
  if (status == FF_OK)
    *out = m.net;
  else
    ff_reactions_free(m.net);
  return status;
}
