/* Coloured hybrid Petri nets: the checks of a net that has been filled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../ff_formula_code.h"
#include "ff_petri_internal.h"

static ff_quoted quote_name(const char *name) { return ff_quote(name, strlen(name)); }

static ff_quoted quote_place(const ff_petri *net, const ff_petri_element *element) {
  return quote_name(net->place[element->place].name);
}

/* ---- colours, parameters, variables ------------------------------------------------------------------------------- */

static ff_status make_colours(ff_petri *net, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t s = 0; s < net->n_sets; s++) {
    ff_colours_free(net->colours[s]);
    net->colours[s] = NULL;
  }
  for (uint32_t s = 0; s < net->n_sets && status == FF_OK; s++) {
    const ff_colour_scope scope = ff_petri_scope(net);
    status = ff_colours_new(&net->colours[s], s, &scope, err);
  }
  return status;
}

static ff_status check_variables(const ff_petri *net, ff_error *err) {
  const uint32_t n = net->n_variables;
  if (n == 0) return FF_OK;
  ff_formula *formula = ff_calloc(n, sizeof *formula);
  char **names = ff_calloc(n, sizeof *names);
  uint32_t *order = NULL;
  ff_status status = formula != NULL && names != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u variables", n);
  for (uint32_t v = 0; v < n && status == FF_OK; v++) {
    formula[v] = net->variable[v].value;
    names[v] = net->variable[v].name;
    if (formula[v].length == 0) status = ff_error_set(err, FF_EMODEL, "variable %s has no formula", quote_name(names[v]).text);
  }
  if (status == FF_OK) status = ff_formula_order(&order, formula, n, net->n_parameters, names, err);
  free(order);
  free(formula);
  free(names);
  return status;
}

/* ---- arcs --------------------------------------------------------------------------------------------------------- */

static ff_status check_weight(const ff_petri *net, uint32_t t, const ff_petri_arc *arc, ff_error *err) {
  const ff_petri_element *element = &net->transition[t].element[arc->element];
  double weight;
  if (!ff_petri_weight(&arc->weight, &weight)) return FF_OK;
  const int whole = weight == floor(weight) && weight <= FF_MAX_COUNT, discrete = !net->place[element->place].continuous;
  if (weight >= 0.0 && isfinite(weight) && (whole || !discrete)) return FF_OK;
  return ff_error_set(err, FF_EMODEL, "%sthe arc of the %s place %s has the weight %s; expected a %s of at least 0",
                      ff_petri_label_of(net, t).text, discrete ? "discrete" : "continuous", quote_place(net, element).text,
                      ff_show(weight, 6).text, discrete ? "whole number" : "finite number");
}

/* What may join what. */
static ff_status check_arc(const ff_petri *net, uint32_t t, const ff_petri_arc *arc, ff_error *err) {
  const ff_petri_transition *transition = &net->transition[t];
  const ff_petri_element *element = &transition->element[arc->element];
  const ff_petri_place *place = &net->place[element->place];
  const int flow = transition->kind == FF_PETRI_CONTINUOUS, standard = arc->kind == FF_ARC_IN || arc->kind == FF_ARC_OUT;
  const ff_petri_label label = ff_petri_label_of(net, t);
  const ff_quoted name = quote_name(place->name);
  if (standard && flow && !place->continuous && !place->fixed)
    return ff_error_set(err, FF_EMODEL,
                        "%sa flow %s the discrete place %s; expected a continuous place, or a place that is on both "
                        "sides with equal weights",
                        label.text, arc->kind == FF_ARC_IN ? "takes from" : "adds to", name.text);
  if (arc->kind == FF_ARC_EQUAL && place->continuous)
    return ff_error_set(err, FF_EMODEL, "%sa test for equality has the continuous place %s; expected a discrete place, or a test "
                        "with >= or <", label.text, name.text);
  if (arc->kind == FF_ARC_RESET && flow)
    return ff_error_set(err, FF_EMODEL,
                        "%sa flow resets place %s; expected a transition that fires: stochastic, "
                        "immediate, deterministic or scheduled",
                        label.text, name.text);
  if (arc->kind == FF_ARC_RESET && place->fixed)
    return ff_error_set(err, FF_EMODEL, "%sa reset has the fixed place %s; expected a place that may change", label.text,
                        name.text);
  return check_weight(net, t, arc, err);
}

/* No equal arc beside a read arc or an inhibitor of the same element. */
static ff_status check_tests(const ff_petri *net, uint32_t t, ff_error *err) {
  const ff_petri_transition *transition = &net->transition[t];
  uint8_t *seen = ff_calloc(transition->n_elements, 1);
  ff_status status = seen != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory to check a transition");
  for (uint32_t i = 0; i < transition->n_arcs && status == FF_OK; i++) {
    const ff_petri_arc *arc = &transition->arc[i];
    if (arc->kind == FF_ARC_EQUAL) seen[arc->element] |= 1;
    if (arc->kind == FF_ARC_READ || arc->kind == FF_ARC_INHIBITOR) seen[arc->element] |= 2;
    if (seen[arc->element] == 3)
      status = ff_error_set(err, FF_EMODEL, "%splace %s has a test for equality beside another test; expected only one of them",
                            ff_petri_label_of(net, t).text, quote_place(net, &transition->element[arc->element]).text);
  }
  free(seen);
  return status;
}

/* Mass action counts the ways to choose what standard input arcs take. */
static ff_status check_mass_action(const ff_petri *net, uint32_t t, ff_error *err) {
  const ff_petri_transition *transition = &net->transition[t];
  int mass_action = 0;
  for (uint32_t i = 0; i < transition->n_pieces; i++) mass_action |= transition->piece[i].mass_action;
  for (uint32_t i = 0; i < transition->n_arcs && mass_action; i++) {
    const ff_petri_arc *arc = &transition->arc[i];
    double weight;
    if (arc->kind != FF_ARC_IN) continue;
    const int number = ff_petri_weight(&arc->weight, &weight);
    if (number && weight == floor(weight) && weight >= 0.0 && weight <= UINT32_MAX) continue;
    return ff_error_set(err, FF_EMODEL,
                        "%smass action takes %s of place %s; expected a whole number up to 2^32 - 1, or a "
                        "formula as the rate",
                        ff_petri_label_of(net, t).text, number ? ff_show(weight, 6).text : "a formula",
                        quote_place(net, &transition->element[arc->element]).text);
  }
  return FF_OK;
}

/* ---- places on both sides of a flow ------------------------------------------------------------------------------- */

static int same_weight(const ff_formula *a, const ff_formula *b) {
  double x, y;
  if (ff_petri_weight(a, &x) && ff_petri_weight(b, &y)) return x == y;
  if (a->length != b->length) return 0;
  for (uint32_t i = 0; i < a->length; i++)
    if (a->word[i].code != b->word[i].code || a->word[i].symbol != b->word[i].symbol || a->word[i].number != b->word[i].number)
      return 0;
  return 1;
}

#define MOST_FACTORS 1000 /* of a rate that mass action multiplies */

/* Multiplies a rate by x (x - 1) ... / k!, where x is the marking of a discrete place: what mass action does for an arc that
 * is no longer standard. */
static ff_status multiply(ff_formula *value, uint32_t symbol, double k, ff_error *err) {
  ff_formula_builder builder = {0};
  double ways = 1.0;
  ff_status status = FF_OK;
  if (k > MOST_FACTORS)
    return ff_error_set(err, FF_ESIZE, "mass action of %.17g tokens of a discrete place beside a flow; at most %d are possible",
                        k, MOST_FACTORS);
  for (uint32_t i = 0; i < value->length && status == FF_OK; i++) status = ff_formula_push(&builder, value->word[i], err);
  for (double i = 0.0; i < k && status == FF_OK; i++) {
    const ff_formula_word more[] = {
        {FF_F_SYMBOL, symbol, 0}, {FF_F_NUMBER, 0, i}, {FF_F_SUB, 0, 0}, {FF_F_MUL, 0, 0}};
    for (int j = 0; j < 4 && status == FF_OK; j++)
      if (i > 0.0 || j == 0 || j == 3) status = ff_formula_push(&builder, more[j], err);
    if (ways < 0x1p1000) ways *= i + 1.0;
  }
  const ff_formula_word share[] = {{FF_F_NUMBER, 0, ways}, {FF_F_DIV, 0, 0}};
  for (int j = 0; j < 2 && ways > 1.0 && status == FF_OK; j++) status = ff_formula_push(&builder, share[j], err);
  if (status != FF_OK) {
    free(builder.word);
    return status;
  }
  ff_formula_free(value);
  ff_formula_finish(value, &builder);
  return FF_OK;
}

/* Arc i, which takes, becomes a read arc, and arc k, which gives the same back, goes. */
static ff_status join_arcs(ff_petri *net, ff_petri_transition *t, uint32_t i, uint32_t k, ff_error *err) {
  const uint32_t symbol = ff_petri_first_element(net) + t->arc[i].element;
  double weight;
  ff_status status = FF_OK;
  ff_petri_weight(&t->arc[i].weight, &weight);
  for (uint32_t p = 0; p < t->n_pieces && status == FF_OK; p++) {
    if (!t->piece[p].mass_action || weight == 0.0) continue;
    status = multiply(&t->piece[p].value, symbol, weight, err);
  }
  if (status != FF_OK) return status;
  t->arc[i].kind = FF_ARC_READ;
  ff_formula_free(&t->arc[k].weight);
  t->n_arcs--;
  memmove(&t->arc[k], &t->arc[k + 1], (t->n_arcs - k) * sizeof *t->arc);
  return FF_OK;
}

static ff_status join_sides(ff_petri *net, ff_petri_transition *t, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < t->n_arcs && t->kind == FF_PETRI_CONTINUOUS && status == FF_OK; i++) {
    const ff_petri_place *place = &net->place[t->element[t->arc[i].element].place];
    if (t->arc[i].kind != FF_ARC_IN || place->continuous || place->fixed) continue;
    uint32_t k = 0;
    while (k < t->n_arcs && !(t->arc[k].kind == FF_ARC_OUT && t->arc[k].element == t->arc[i].element &&
                              same_weight(&t->arc[i].weight, &t->arc[k].weight)))
      k++;
    if (k == t->n_arcs) continue;
    status = join_arcs(net, t, i, k, err);
    if (k < i) i--;
  }
  return status;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static const char *const numbers[] = {
#define FF_X(code, name, number) number,
    FF_PETRI_KINDS(FF_X)
#undef FF_X
};

static ff_status check_piece(const ff_petri *net, uint32_t t, const ff_petri_piece *piece, ff_error *err) {
  const ff_petri_kind kind = net->transition[t].kind;
  const int negative = kind == FF_PETRI_CONTINUOUS && !piece->mass_action; /* such a flow goes the other way */
  double value;
  for (uint32_t i = 0; i < piece->value.length; i++)
    if (piece->value.word[i].code == FF_F_SYMBOL || piece->value.word[i].code == FF_F_TIME) return FF_OK;
  ff_status status = ff_formula_constant(&piece->value, &value, err);
  if (status != FF_OK) return status;
  if (isfinite(value) && (value >= 0.0 || negative)) return FF_OK;
  return ff_error_set(err, FF_EMODEL, "%sthe %s is %s; expected a finite number%s", ff_petri_label_of(net, t).text, numbers[kind],
                      ff_show(value, 6).text, negative ? "" : " of at least 0");
}

static ff_status check_transition(ff_petri *net, uint32_t t, ff_error *err) {
  ff_petri_transition *transition = &net->transition[t];
  if (transition->kind >= FF_PETRI_KINDS_COUNT) return ff_error_set(err, FF_EARGUMENT, "transition %u has no kind", t + 1);
  if (transition->kind == FF_PETRI_SCHEDULED ? transition->at[0].length == 0 : transition->n_pieces == 0)
    return ff_error_set(err, FF_EMODEL, "%sthere is no %s", ff_petri_label_of(net, t).text,
                        transition->kind == FF_PETRI_SCHEDULED ? "time of its first firing" : numbers[transition->kind]);
  ff_status status = check_mass_action(net, t, err);
  if (status == FF_OK) status = join_sides(net, transition, err);
  for (uint32_t i = 0; i < transition->n_arcs && status == FF_OK; i++) status = check_arc(net, t, &transition->arc[i], err);
  for (uint32_t i = 0; i < transition->n_pieces && status == FF_OK; i++)
    status = check_piece(net, t, &transition->piece[i], err);
  return status == FF_OK ? check_tests(net, t, err) : status;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static ff_status check_set(const ff_petri *net, const ff_petri_coloured_event *e, const ff_event_set *set, ff_error *err) {
  const uint32_t first = ff_petri_first_element(net);
  const char *event = e->event.name;
  double number;
  if (!ff_formula_is_number(&set->value, &number) || set->factor.length > 0) return FF_OK;
  if (set->symbol < first)
    return number == number ? FF_OK : ff_error_set(err, FF_EMODEL, "event %s sets parameter %s to NaN; expected a number",
                                                   quote_name(event).text, quote_name(net->parameter[set->symbol]).text);
  const ff_petri_element *element = &e->element[set->symbol - first];
  const int continuous = net->place[element->place].continuous;
  double count;
  if (continuous ? number >= 0 && isfinite(number) : ff_count_of(number, &count) && count <= FF_MAX_COUNT) return FF_OK;
  return ff_error_set(err, FF_EMODEL, "event %s sets place %s to %s; expected a %s", quote_name(event).text,
                      quote_place(net, element).text, ff_show(number, 17).text,
                      continuous ? "finite number of at least 0" : "whole number from 0 to 2^53");
}

static ff_status check_event(const ff_petri *net, const ff_petri_coloured_event *e, ff_error *err) {
  const char *name = e->event.name;
  double number;
  ff_status status = FF_OK;
  if (e->event.trigger.length == 0) return ff_error_set(err, FF_EMODEL, "event %s has no condition", quote_name(name).text);
  if (ff_formula_is_number(&e->event.delay, &number) && !(number >= 0.0 && isfinite(number)))
    return ff_error_set(err, FF_EMODEL, "the delay of event %s is %s; expected a finite number of at least 0",
                        quote_name(name).text, ff_show(number, 6).text);
  if (ff_formula_is_number(&e->event.priority, &number) && isnan(number))
    return ff_error_set(err, FF_EMODEL, "the priority of event %s is NaN; expected a number", quote_name(name).text);
  for (uint32_t i = 0; i < e->event.n_sets && status == FF_OK; i++) status = check_set(net, e, &e->event.sets[i], err);
  return status;
}

/* A parameter that an expression of colours names and an event sets, or FF_PETRI_NONE. */
static uint32_t set_in_colours(const uint8_t *is_set, const ff_colour_expr *expr) {
  for (uint32_t i = 0; i < expr->length; i++)
    if (expr->word[i].code == FF_C_CONSTANT && is_set[expr->word[i].of]) return expr->word[i].of;
  return FF_PETRI_NONE;
}

static uint32_t set_in_elements(const uint8_t *is_set, const ff_petri_element *element, uint32_t n) {
  uint32_t found = FF_PETRI_NONE;
  for (uint32_t i = 0; i < n && found == FF_PETRI_NONE; i++)
    for (uint32_t k = 0; k < element[i].width && found == FF_PETRI_NONE; k++)
      found = set_in_colours(is_set, &element[i].colour[k]);
  return found;
}

/* The same for all that must not change: the colours of a transition, and its times if it is scheduled. */
static uint32_t set_in_transition(const uint8_t *is_set, const ff_petri_transition *t) {
  uint32_t found = set_in_colours(is_set, &t->guard);
  if (found == FF_PETRI_NONE) found = set_in_elements(is_set, t->element, t->n_elements);
  for (uint32_t i = 0; i < t->n_pieces && found == FF_PETRI_NONE; i++) found = set_in_colours(is_set, &t->piece[i].when);
  for (int k = 0; k < 3 && found == FF_PETRI_NONE; k++)
    for (uint32_t i = 0; i < t->at[k].length && found == FF_PETRI_NONE; i++)
      if (t->at[k].word[i].code == FF_F_SYMBOL && is_set[t->at[k].word[i].symbol]) found = t->at[k].word[i].symbol;
  return found;
}

static ff_status check_constants(const ff_petri *net, const uint8_t *is_set, ff_error *err) {
  uint32_t found = FF_PETRI_NONE;
  for (uint32_t f = 0; f < net->n_functions && found == FF_PETRI_NONE; f++)
    found = set_in_colours(is_set, &net->function[f].value);
  for (uint32_t s = 0; s < net->n_sets && found == FF_PETRI_NONE; s++) found = set_in_colours(is_set, &net->set[s].predicate);
  for (uint32_t v = 0; v < net->n_variables && found == FF_PETRI_NONE; v++)
    found = set_in_elements(is_set, net->variable[v].element, net->variable[v].n_elements);
  if (found != FF_PETRI_NONE)
    return ff_error_set(err, FF_EMODEL,
                        "an event sets parameter %s, which colours depend on; expected a parameter that no set, "
                        "function or variable names for its colours",
                        quote_name(net->parameter[found]).text);
  for (uint32_t t = 0; t < net->n_transitions; t++) {
    found = set_in_transition(is_set, &net->transition[t]);
    if (found != FF_PETRI_NONE)
      return ff_error_set(err, FF_EMODEL,
                          "%san event sets parameter %s, which the colours or the times of this transition depend "
                          "on; expected a parameter that they do not name",
                          ff_petri_label_of(net, t).text, quote_name(net->parameter[found]).text);
  }
  return FF_OK;
}

static ff_status check_events(const ff_petri *net, ff_error *err) {
  if (net->n_events == 0) return FF_OK;
  uint8_t *is_set = ff_calloc(net->n_parameters, sizeof *is_set);
  if (is_set == NULL) return ff_error_set(err, FF_EMEMORY, "no memory to check %u events", net->n_events);
  ff_status status = FF_OK;
  for (uint32_t e = 0; e < net->n_events && status == FF_OK; e++) {
    status = check_event(net, &net->event[e], err);
    for (uint32_t i = 0; i < net->event[e].event.n_sets; i++)
      if (net->event[e].event.sets[i].symbol < net->n_parameters) is_set[net->event[e].event.sets[i].symbol] = 1;
  }
  if (status == FF_OK) status = check_constants(net, is_set, err);
  free(is_set);
  return status;
}

ff_status ff_petri_finish(ff_petri *net, ff_error *err) {
  if (net->n_places == 0) return ff_error_set(err, FF_EMODEL, "a Petri net has no places; expected at least one");
  for (uint32_t i = 0; i < net->n_parameters; i++)
    if (!isfinite(net->value[i]))
      return ff_error_set(err, FF_EMODEL, "the value of parameter %s is %s; expected a finite number",
                          quote_name(net->parameter[i]).text, ff_show(net->value[i], 6).text);
  ff_status status = make_colours(net, err);
  if (status == FF_OK) status = check_variables(net, err);
  for (uint32_t t = 0; t < net->n_transitions && status == FF_OK; t++) status = check_transition(net, t, err);
  return status == FF_OK ? check_events(net, err) : status;
}
