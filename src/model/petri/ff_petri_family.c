/* The unfolding of coloured nets: families of transitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../ff_formula_code.h"
#include "ff_petri_unfold.h"

/* ---- formulas ----------------------------------------------------------------------------------------------------- */

/* What names the symbols of a family. */
typedef struct {
  ff_unfolder *u;
  const ff_petri_transition *t;
  ff_family_builder *family;
  const ff_formula **formula; /* of the family: weights and the rate */
  uint32_t n_formulas, first_variable, first_component, first_element;
} namer;

/* A formula of the family's symbols. */
static ff_status translate(ff_formula *out, const namer *n, const ff_formula *formula, ff_error *err) {
  const ff_petri_family *family = &n->family->out;
  ff_status status = ff_formula_copy(out, formula, err);
  for (uint32_t i = 0; i < out->length; i++) {
    ff_formula_word *word = &out->word[i];
    if (word->code != FF_F_SYMBOL) continue;
    if (word->symbol < n->first_variable) word->symbol += family->n_slots + family->n_numbers;
    else word->symbol = n->u->symbol_to[word->symbol];
  }
  return status;
}

/* Whether a symbol is a variable, or the sum over all colours of a place. */
static int is_variable(const namer *n, uint32_t symbol) {
  if (symbol < n->first_component) return symbol >= n->first_variable;
  return symbol >= n->first_element && n->t->element[symbol - n->first_element].all;
}

/* Calls take(n, symbol) for each symbol that the formulas name. */
static void each_symbol(namer *n, void (*take)(namer *n, uint32_t symbol)) {
  for (uint32_t f = 0; f < n->n_formulas; f++)
    for (uint32_t i = 0; i < n->formula[f]->length; i++)
      if (n->formula[f]->word[i].code == FF_F_SYMBOL) take(n, n->formula[f]->word[i].symbol);
}

static int is_component(const namer *n, uint32_t symbol) { return symbol >= n->first_component && symbol < n->first_element; }

static void forget(namer *n, uint32_t symbol) {
  if (is_variable(n, symbol) || is_component(n, symbol)) n->u->symbol_to[symbol] = FF_PETRI_NONE;
}

static void take_variable(namer *n, uint32_t symbol) {
  ff_family_builder *family = n->family;
  if (!is_variable(n, symbol) || n->u->symbol_to[symbol] != FF_PETRI_NONE) return;
  const uint32_t variable = symbol < n->first_component ? symbol - n->first_variable
                                                        : n->u->sum_of[n->t->element[symbol - n->first_element].place];
  n->u->symbol_to[symbol] = family->out.n_slots;
  family->source[family->out.n_slots++] = n->u->flat->n_places + variable;
}

static void take_component(namer *n, uint32_t symbol) {
  ff_petri_family *family = &n->family->out;
  if (!is_component(n, symbol) || n->u->symbol_to[symbol] != FF_PETRI_NONE) return;
  n->u->symbol_to[symbol] = family->n_slots + family->n_numbers;
  n->family->component[family->n_numbers++] = symbol - n->first_component;
}

/* Numbers the symbols of the family: elements, variables, components of indices. */
static ff_status number_symbols(namer *n, const uint32_t *element, const uint32_t *pattern, uint32_t n_elements, ff_error *err) {
  ff_family_builder *family = n->family;
  size_t words = 0;
  for (uint32_t f = 0; f < n->n_formulas; f++) words += n->formula[f]->length;
  family->source = ff_calloc(n_elements + words, sizeof *family->source);
  family->component = ff_calloc(words, sizeof *family->component);
  if (family->source == NULL || family->component == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a family of transitions");
  uint32_t *to = n->u->symbol_to + n->first_element;
  for (uint32_t k = 0; k < n_elements; k++) {
    to[element[k]] = pattern[k] == k ? family->out.n_slots : to[element[pattern[k]]];
    if (pattern[k] == k) family->source[family->out.n_slots++] = k;
  }
  family->n_places = family->out.n_slots;
  each_symbol(n, forget);
  each_symbol(n, take_variable);
  each_symbol(n, take_component);
  return FF_OK;
}

/* ---- arcs --------------------------------------------------------------------------------------------------------- */

static ff_status push_weight(ff_formula_builder *to, const ff_petri_flat_arc *arc, ff_error *err) {
  ff_status status = FF_OK;
  if (arc->weight.length == 0) return ff_formula_push(to, (ff_formula_word){FF_F_NUMBER, 0, arc->number}, err);
  for (uint32_t i = 0; i < arc->weight.length && status == FF_OK; i++) status = ff_formula_push(to, arc->weight.word[i], err);
  return status;
}

static ff_status push_code(ff_formula_builder *to, uint32_t code, double number, ff_error *err) {
  return ff_formula_push(to, (ff_formula_word){code, 0, number}, err);
}

/* The weight of two tests for equality: if(v == w, v, -1), which no marking equals. */
static ff_status push_equal(ff_formula_builder *to, const ff_petri_flat_arc *a, const ff_petri_flat_arc *b, ff_error *err) {
  ff_status status = push_weight(to, a, err);
  if (status == FF_OK) status = push_weight(to, b, err);
  if (status == FF_OK) status = push_code(to, FF_F_EQ, 0, err);
  if (status == FF_OK) status = push_weight(to, a, err);
  if (status == FF_OK) status = push_code(to, FF_F_NUMBER, -1.0, err);
  return status == FF_OK ? push_code(to, FF_F_IF, 0, err) : status;
}

/* Arc b of the same kind and place is added to a. *never becomes 1 if they cannot both hold. */
static ff_status merge_arcs(ff_petri_flat_arc *a, const ff_petri_flat_arc *b, int *never, ff_error *err) {
  const int standard = a->kind == FF_ARC_IN || a->kind == FF_ARC_OUT;
  if (a->weight.length == 0 && b->weight.length == 0) {
    if (a->kind == FF_ARC_EQUAL && a->number != b->number) *never = 1;
    if (standard) a->number += b->number;
    if (a->kind == FF_ARC_READ && b->number > a->number) a->number = b->number;
    if (a->kind == FF_ARC_INHIBITOR && b->number < a->number) a->number = b->number;
    return FF_OK;
  }
  ff_formula_builder builder = {0};
  ff_status status;
  if (a->kind == FF_ARC_EQUAL) {
    status = push_equal(&builder, a, b, err);
  } else {
    status = push_weight(&builder, a, err);
    if (status == FF_OK) status = push_weight(&builder, b, err);
    if (status == FF_OK)
      status = push_code(&builder, standard ? FF_F_ADD : a->kind == FF_ARC_INHIBITOR ? FF_F_MIN : FF_F_MAX, 0, err);
  }
  if (status != FF_OK) {
    free(builder.word);
    return status;
  }
  ff_formula_free(&a->weight);
  ff_formula_finish(&a->weight, &builder);
  return FF_OK;
}

/* Adds an arc, or merges it with that of the same kind and slot. `at` has the number + 1 of the arc of each kind and slot. */
static ff_status add_arc(const namer *n, const ff_petri_arc *arc, uint32_t *at, ff_error *err) {
  ff_petri_family *family = &n->family->out;
  ff_petri_flat_arc flat = {.kind = arc->kind, .slot = n->u->symbol_to[n->first_element + arc->element]};
  const int number = ff_petri_weight(&arc->weight, &flat.number);
  int never = 0;
  if (number && flat.number == 0.0 && arc->kind != FF_ARC_EQUAL) return FF_OK; /* it does nothing */
  ff_status status = number ? FF_OK : translate(&flat.weight, n, &arc->weight, err);
  if (status != FF_OK) return status;
  uint32_t *found = &at[(size_t)flat.slot * FF_ARC_COUNT + arc->kind];
  if (*found == 0) {
    family->arc[family->n_arcs++] = flat;
    *found = family->n_arcs;
    return FF_OK;
  }
  status = merge_arcs(&family->arc[*found - 1], &flat, &never, err);
  n->family->dropped |= never;
  ff_formula_free(&flat.weight);
  return status;
}

static ff_status make_arcs(const namer *n, ff_error *err) {
  ff_petri_family *family = &n->family->out;
  uint32_t *at = ff_calloc((size_t)family->n_slots * FF_ARC_COUNT, sizeof *at);
  family->arc = ff_calloc(n->t->n_arcs, sizeof *family->arc);
  ff_status status = at != NULL && family->arc != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u arcs",
                                                                              n->t->n_arcs);
  for (uint32_t i = 0; i < n->t->n_arcs && status == FF_OK; i++)
    if (n->t->arc[i].kind != FF_ARC_MODIFIER) status = add_arc(n, &n->t->arc[i], at, err);
  free(at);
  return status;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* When a scheduled transition fires. */
static ff_status make_times(const namer *n, ff_error *err) {
  static const char *const what[] = {"begin", "period", "end"};
  double *at = n->family->out.at;
  ff_status status = FF_OK;
  at[2] = INFINITY;
  for (int i = 0; i < 3 && status == FF_OK; i++) {
    if (n->t->at[i].length > 0) status = ff_unfolder_value(n->u, &n->t->at[i], &at[i], err);
    if (status == FF_OK && !(isfinite(at[i]) || (i == 2 && at[i] == INFINITY)))
      status = ff_error_set(err, FF_EMODEL, "%sthe %s is %s; expected a %snumber",
                            ff_petri_label_of(n->u->net, n->family->out.transition).text, what[i], ff_show(at[i], 6).text,
                            i == 2 ? "" : "finite ");
  }
  if (status == FF_OK && at[1] < 0)
    status = ff_error_set(err, FF_EMODEL, "%sthe period is %s; expected a number of at least 0",
                          ff_petri_label_of(n->u->net, n->family->out.transition).text, ff_show(at[1], 6).text);
  return status;
}

static ff_status make_rate(const namer *n, ff_error *err) {
  ff_family_builder *family = n->family;
  const ff_petri_kind kind = family->out.kind;
  ff_status status;
  double number;
  if (kind == FF_PETRI_SCHEDULED) return make_times(n, err);
  if (family->piece == FF_PETRI_NONE) {
    status = ff_formula_of_number(&family->out.rate, 0.0, err);
  } else {
    family->out.mass_action = n->t->piece[family->piece].mass_action;
    status = translate(&family->out.rate, n, &n->t->piece[family->piece].value, err);
  }
  if (status == FF_OK && kind != FF_PETRI_DETERMINISTIC && ff_formula_is_number(&family->out.rate, &number) && number == 0.0)
    family->dropped = 1;
  return status;
}

/* ---- families ----------------------------------------------------------------------------------------------------- */

/* The formulas of a family, in a new array. */
static ff_status list_formulas(namer *n, ff_error *err) {
  n->formula = ff_calloc((size_t)n->t->n_arcs + 1, sizeof *n->formula);
  if (n->formula == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u arcs", n->t->n_arcs);
  for (uint32_t i = 0; i < n->t->n_arcs; i++)
    if (n->t->arc[i].kind != FF_ARC_MODIFIER) n->formula[n->n_formulas++] = &n->t->arc[i].weight;
  if (n->family->piece != FF_PETRI_NONE) n->formula[n->n_formulas++] = &n->t->piece[n->family->piece].value;
  return FF_OK;
}

ff_status ff_family_start(ff_family_builder *out, ff_unfolder *u, uint32_t transition, uint32_t piece, const uint32_t *element,
                          const uint32_t *pattern, uint32_t n, ff_error *err) {
  const ff_petri *net = u->net;
  namer names = {.u = u, .t = &net->transition[transition], .family = out, .first_variable = net->n_parameters,
                 .first_component = net->n_parameters + net->n_variables, .first_element = ff_petri_first_element(net)};
  *out = (ff_family_builder){.piece = piece, .pattern = ff_calloc(n, sizeof *pattern), .n_pattern = n};
  out->out = (ff_petri_family){.transition = transition, .kind = names.t->kind};
  ff_status status = out->pattern != NULL ? list_formulas(&names, err)
                                          : ff_error_set(err, FF_EMEMORY, "no memory for a family of transitions");
  if (status == FF_OK && n > 0) memcpy(out->pattern, pattern, n * sizeof *pattern);
  if (status == FF_OK) status = number_symbols(&names, element, pattern, n, err);
  if (status == FF_OK) status = make_arcs(&names, err);
  if (status == FF_OK) status = make_rate(&names, err);
  free(names.formula);
  if (status != FF_OK) ff_family_builder_free(out);
  return status;
}

ff_status ff_family_add(ff_family_builder *to, const uint32_t *element, const uint32_t *place, const ff_bindings *bindings,
                        const int64_t *component, ff_error *err) {
  ff_petri_family *family = &to->out;
  const size_t n = family->n, width = bindings->width;
  void *memory = to->row;
  ff_status status = ff_grow(&memory, &to->capacity, (n + 1) * to->n_places, sizeof *to->row, err);
  to->row = memory;
  memory = to->number;
  if (status == FF_OK) status = ff_grow(&memory, &to->number_capacity, (n + 1) * family->n_numbers, sizeof *to->number, err);
  to->number = memory;
  memory = family->binding;
  if (status == FF_OK) status = ff_grow(&memory, &to->binding_capacity, (n + 1) * width, sizeof *family->binding, err);
  family->binding = memory;
  if (status != FF_OK) return status;
  uint32_t *row = to->row + n * to->n_places;
  for (uint32_t k = 0; k < to->n_places; k++) row[k] = place[element[to->source[k]]];
  for (uint32_t k = 0; k < family->n_numbers; k++) to->number[n * family->n_numbers + k] = (double)component[to->component[k]];
  for (size_t k = 0; k < width; k++) family->binding[n * width + k] = component[bindings->component[k]];
  family->width = bindings->width;
  family->n++;
  return FF_OK;
}

ff_status ff_family_finish(ff_petri_family *out, ff_family_builder *from, ff_error *err) {
  ff_petri_family *family = &from->out;
  const size_t n = family->n;
  family->slot = ff_calloc(n * family->n_slots, sizeof *family->slot);
  family->number = ff_calloc(n * family->n_numbers, sizeof *family->number);
  if (family->slot == NULL || family->number == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %zu transitions", n);
  for (size_t k = 0; k < from->n_places; k++)
    for (size_t i = 0; i < n; i++) family->slot[k * n + i] = from->row[i * from->n_places + k];
  for (size_t k = from->n_places; k < family->n_slots; k++)
    for (size_t i = 0; i < n; i++) family->slot[k * n + i] = from->source[k];
  for (size_t k = 0; k < family->n_numbers; k++)
    for (size_t i = 0; i < n; i++) family->number[k * n + i] = from->number[i * family->n_numbers + k];
  if (family->binding != NULL) family->binding = ff_shrink(family->binding, n * family->width, sizeof *family->binding);
  *out = *family;
  *family = (ff_petri_family){0};
  ff_family_builder_free(from);
  return FF_OK;
}

void ff_family_builder_free(ff_family_builder *builder) {
  ff_petri_family_free(&builder->out);
  free(builder->pattern);
  free(builder->source);
  free(builder->component);
  free(builder->row);
  free(builder->number);
  *builder = (ff_family_builder){0};
}
