/* Variables of reaction networks: formulas with names, which other formulas use. */
#include "../../base/ff_math.h"
#include "../ff_formula_range.h"
#include "ff_reactions.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_reactions_add_variables(ff_reactions *net, uint32_t n, ff_error *err) {
  const size_t before = (size_t)net->n_species + net->n_parameters;
  if (n > UINT32_MAX - before)
    return ff_error_set(err, FF_ESIZE, "a network has at most 2^32 - 1 species, parameters and variables; found %zu and %u",
                        before, n);
  char **names = ff_calloc(before + n, sizeof *names);
  ff_formula *variable = ff_calloc(n, sizeof *variable);
  if (names == NULL || variable == NULL) {
    free(names);
    free(variable);
    return ff_error_set(err, FF_EMEMORY, "no memory for %u variables", n);
  }
  if (before > 0) memcpy(names, net->names, before * sizeof *names);
  free(net->names);
  free(net->variable);
  net->names = names;
  net->variable = variable;
  net->n_variables = n;
  return FF_OK;
}

static uint32_t first_of(const ff_reactions *net) { return net->n_species + net->n_parameters; }

ff_status ff_reactions_order(uint32_t **order, const ff_reactions *net, ff_error *err) {
  return ff_formula_order(order, net->variable, net->n_variables, first_of(net), net->names + first_of(net), err);
}

void ff_reactions_compute(const ff_reactions *net, const uint32_t *order, double *values, double time, double *stack) {
  for (uint32_t i = 0; i < net->n_variables; i++)
    values[first_of(net) + order[i]] = ff_formula_value(&net->variable[order[i]], values, time, stack);
}

/* ---- formulas without variables ----------------------------------------------------------------------------------------- */

ff_status ff_reactions_expand(ff_formula *expanded, const ff_reactions *net, const ff_formula **replacement, ff_error *err) {
  uint32_t *order;
  uint64_t words = 0;
  ff_status status = ff_reactions_order(&order, net, err);
  for (uint32_t i = 0; i < net->n_variables && status == FF_OK; i++) {
    const uint32_t v = order[i];
    status = ff_formula_replace(&expanded[v], &net->variable[v], replacement, err);
    replacement[first_of(net) + v] = &expanded[v];
    words += expanded[v].length;
    if (status == FF_OK && words > FF_REACTIONS_EXPANDED)
      status = ff_error_set(err, FF_ESIZE, "the formulas of the variables, in which variables are replaced by their formulas, "
                            "have more than %llu words", (unsigned long long)FF_REACTIONS_EXPANDED);
  }
  free(order);
  return status;
}

uint32_t ff_reactions_settable(uint32_t *settable_of, const ff_reactions *net) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < net->n_parameters; i++) settable_of[i] = UINT32_MAX;
  for (uint32_t e = 0; e < net->n_events; e++)
    for (uint32_t i = 0; i < net->events[e].n_sets; i++) {
      const uint32_t symbol = net->events[e].sets[i].symbol;
      uint32_t *number = symbol >= net->n_species ? settable_of + (symbol - net->n_species) : NULL;
      if (number != NULL && *number == UINT32_MAX) *number = n++;
    }
  return n;
}

ff_status ff_replacement_new(ff_replacement *out, const ff_reactions *net, const uint32_t *settable_of, ff_error *err) {
  const uint32_t first = net->n_species;
  *out = (ff_replacement){.of = ff_calloc((size_t)first_of(net) + net->n_variables, sizeof *out->of),
                          .value = ff_calloc(net->n_parameters, sizeof *out->value),
                          .expanded = ff_calloc(net->n_variables, sizeof *out->expanded)};
  if (out->of == NULL || out->value == NULL || out->expanded == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the formulas of %u parameters and %u variables", net->n_parameters,
                        net->n_variables);
  out->n_values = net->n_parameters;
  out->n_expanded = net->n_variables;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < net->n_parameters && status == FF_OK; i++) {
    status = ff_formula_of_number(&out->value[i], net->value[i], err);
    if (status == FF_OK && settable_of != NULL && settable_of[i] != UINT32_MAX)
      out->value[i].word[0] = (ff_formula_word){FF_F_SYMBOL, first + settable_of[i], 0};
    out->of[first + i] = &out->value[i];
  }
  return status == FF_OK ? ff_reactions_expand(out->expanded, net, out->of, err) : status;
}

void ff_replacement_free(ff_replacement *replacement) {
  for (uint32_t i = 0; i < replacement->n_values; i++) ff_formula_free(&replacement->value[i]);
  for (uint32_t v = 0; v < replacement->n_expanded; v++) ff_formula_free(&replacement->expanded[v]);
  free(replacement->of);
  free(replacement->value);
  free(replacement->expanded);
  *replacement = (ff_replacement){0};
}

/* ---- what rates depend on ----------------------------------------------------------------------------------------------- */

static int names_marked(const ff_formula *formula, const ff_reactions *net, const uint8_t *marked) {
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = &formula->word[i];
    if (word->code == FF_F_SYMBOL && word->symbol >= first_of(net) && marked[word->symbol - first_of(net)]) return 1;
  }
  return 0;
}

static int is_timed(const ff_formula *formula, const ff_reactions *net, const uint8_t *marked) {
  return ff_formula_has_time(formula) || names_marked(formula, net, marked);
}

ff_status ff_reactions_timed(uint8_t *timed, const ff_reactions *net, ff_error *err) {
  uint32_t *order;
  uint8_t *marked = ff_calloc(net->n_variables, 1);
  if (marked == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u variables", net->n_variables);
  ff_status status = ff_reactions_order(&order, net, err);
  if (status == FF_OK) {
    for (uint32_t i = 0; i < net->n_variables; i++) marked[order[i]] = (uint8_t)is_timed(&net->variable[order[i]], net, marked);
    for (uint32_t r = 0; r < net->n_reactions; r++) timed[r] = (uint8_t)is_timed(&net->reactions[r].rate, net, marked);
  }
  free(order);
  free(marked);
  return status;
}

/* The ranges of species, and of parameters, of which events may set some to anything. */
static void start_ranges(double *low, double *high, const ff_reactions *net) {
  for (uint32_t i = 0; i < net->n_species; i++) high[i] = FF_MAX_COUNT;
  for (uint32_t i = 0; i < net->n_parameters; i++) low[net->n_species + i] = high[net->n_species + i] = net->value[i];
  for (uint32_t e = 0; e < net->n_events; e++)
    for (uint32_t i = 0; i < net->events[e].n_sets; i++) {
      const uint32_t symbol = net->events[e].sets[i].symbol;
      if (symbol < net->n_species) continue;
      low[symbol] = -ff_math_infinity();
      high[symbol] = ff_math_infinity();
    }
}

ff_status ff_reactions_never_negative(uint8_t *never, const ff_reactions *net, ff_error *err) {
  const size_t symbols = (size_t)first_of(net) + net->n_variables;
  const ff_range time = {.low = 0, .high = DBL_MAX}; /* an infinite time times 0 would be NaN */
  uint32_t depth = 0, *order;
  for (uint32_t v = 0; v < net->n_variables; v++)
    if (net->variable[v].depth > depth) depth = net->variable[v].depth;
  double *low = ff_calloc(symbols, sizeof *low), *high = ff_calloc(symbols, sizeof *high);
  uint8_t *undefined = ff_calloc(net->n_variables, 1); /* may be NaN, which low[] and high[] do not tell */
  ff_range *stack = ff_calloc(depth, sizeof *stack);
  ff_status status = ff_reactions_order(&order, net, err);
  if (status == FF_OK && (low == NULL || high == NULL || undefined == NULL || stack == NULL))
    status = ff_error_set(err, FF_EMEMORY, "no memory for the ranges of %u variables", net->n_variables);
  if (status == FF_OK) {
    start_ranges(low, high, net);
    for (uint32_t i = 0; i < net->n_variables; i++) {
      const uint32_t v = order[i];
      const ff_range range = ff_formula_range(&net->variable[v], FF_RANGE_COMPUTED, low, high, time, stack);
      const int unknown = names_marked(&net->variable[v], net, undefined);
      low[first_of(net) + v] = range.low;
      high[first_of(net) + v] = range.high;
      undefined[v] = unknown || range.nan;
      never[v] = range.low >= 0.0 && !unknown;
    }
  }
  free(low);
  free(high);
  free(undefined);
  free(stack);
  free(order);
  return status;
}

ff_status ff_reactions_surely_negative(int *sure, const ff_reactions *net, uint32_t r, const uint32_t *order,
                                       const double *values, ff_error *err) {
  const size_t symbols = (size_t)first_of(net) + net->n_variables;
  const ff_formula *rate = &net->reactions[r].rate;
  const ff_range start = {.low = 0, .high = 0};
  uint32_t depth = rate->depth;
  for (uint32_t v = 0; v < net->n_variables; v++)
    if (net->variable[v].depth > depth) depth = net->variable[v].depth;
  double *low = ff_calloc(symbols, sizeof *low), *high = ff_calloc(symbols, sizeof *high);
  ff_range *stack = ff_calloc(depth, sizeof *stack);
  const int missing = low == NULL || high == NULL || stack == NULL;
  *sure = 0;
  if (!missing) {
    memcpy(low, values, first_of(net) * sizeof *low);
    memcpy(high, values, first_of(net) * sizeof *high);
    for (uint32_t i = 0; i < net->n_variables; i++) {
      const ff_range range = ff_formula_range(&net->variable[order[i]], FF_RANGE_INEXACT, low, high, start, stack);
      low[first_of(net) + order[i]] = range.low;
      high[first_of(net) + order[i]] = range.high;
    }
    *sure = ff_formula_range(rate, FF_RANGE_INEXACT, low, high, start, stack).high < 0.0;
  }
  free(low);
  free(high);
  free(stack);
  return missing ? ff_error_set(err, FF_EMEMORY, "no memory for the ranges of %u variables", net->n_variables) : FF_OK;
}

void ff_reactions_read(const ff_reactions *net, uint32_t r, uint32_t *mark, uint32_t *stack,
                       void (*found)(void *context, uint32_t r, uint32_t species), void *context) {
  const ff_formula *formula = &net->reactions[r].rate;
  uint32_t height = 0;
  for (uint32_t next = 0;; formula = &net->variable[stack[next++]]) {
    for (uint32_t i = 0; i < formula->length; i++) {
      const ff_formula_word *word = &formula->word[i];
      if (word->code != FF_F_SYMBOL) continue;
      if (word->symbol < net->n_species) found(context, r, word->symbol);
      if (word->symbol < first_of(net) || mark[word->symbol - first_of(net)] == r + 1) continue;
      mark[word->symbol - first_of(net)] = r + 1;
      stack[height++] = word->symbol - first_of(net); /* each variable is pushed once, so there is room */
    }
    if (next == height) return;
  }
}
