/* Recognises rate laws that are mass action in their form. */
#include <math.h>
#include <stdlib.h>

#include "ff_reactions.h"

/* A value of postfix code that is a coefficient times factors (count of a species) - offset. The factors are part of a list in
 * the order of the code, so the factors of neighbouring values are neighbours too. */
typedef struct {
  double coefficient;
  uint32_t first, n;
} monomial;

/* A factor is stored as a participant whose `count` is the offset. */
typedef struct {
  monomial *stack;
  uint32_t height, n_factors;
  ff_participant *factors;
} analysis;

static void push(analysis *a, monomial value) { a->stack[a->height++] = value; }

static int is_species(const analysis *a, monomial x) {
  return x.n == 1 && x.coefficient == 1 && a->factors[x.first].count == 0;
}

/* Replaces x and y at the top of the stack by the result of the operation. Returns 0 if it is not a monomial. */
static int combine(analysis *a, uint32_t code) {
  monomial y = a->stack[--a->height], x = a->stack[--a->height];
  if (code == FF_F_MUL) {
    push(a, (monomial){x.coefficient * y.coefficient, x.first, x.n + y.n});
    return 1;
  }
  if (code == FF_F_DIV && y.n == 0) {
    push(a, (monomial){x.coefficient / y.coefficient, x.first, x.n});
    return 1;
  }
  if (code == FF_F_SUB && y.n == 0 && is_species(a, x) && y.coefficient >= 1 && y.coefficient < 1000 &&
      y.coefficient == floor(y.coefficient)) {
    a->factors[x.first].count = (uint32_t)y.coefficient;
    push(a, x);
    return 1;
  }
  return 0;
}

static int read_code(analysis *a, const ff_formula *formula) {
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = formula->word + i;
    switch (word->code) {
      case FF_F_NUMBER: push(a, (monomial){word->number, a->n_factors, 0}); break;
      case FF_F_SYMBOL:
        a->factors[a->n_factors] = (ff_participant){word->symbol, 0};
        push(a, (monomial){1, a->n_factors++, 1});
        break;
      case FF_F_MUL:
      case FF_F_DIV:
      case FF_F_SUB:
        if (!combine(a, word->code)) return 0;
        break;
      default: return 0;
    }
  }
  return 1;
}

static int compare(const void *left, const void *right) {
  const ff_participant *x = left, *y = right;
  if (x->species != y->species) return x->species < y->species ? -1 : 1;
  return x->count < y->count ? -1 : x->count > y->count;
}

/* The offsets of a species must be 0, 1, ..., k - 1. Then its factors become one with count k, and k! goes into the rate. */
static int merge(ff_participant *factors, uint32_t *n_factors, double *rate) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < *n_factors; i++) {
    int same = n > 0 && factors[n - 1].species == factors[i].species;
    if (factors[i].count != (same ? factors[n - 1].count : 0)) return 0;
    if (!same) factors[n++] = (ff_participant){factors[i].species, 0};
    factors[n - 1].count++;
    *rate *= factors[n - 1].count;
  }
  *n_factors = n;
  return 1;
}

static int is_mass_action(const ff_formula *formula, monomial *stack, double *rate, ff_participant *factors,
                          uint32_t *n_factors) {
  analysis a = {.factors = factors, .stack = stack};
  if (formula->length == 0 || !read_code(&a, formula)) return 0;
  *rate = a.stack[0].coefficient;
  *n_factors = a.n_factors;
  if (a.n_factors > 1) qsort(factors, a.n_factors, sizeof *factors, compare);
  return merge(factors, n_factors, rate) && *rate >= 0 && isfinite(*rate);
}

/* Whether the propensity of mass action with these factors is 0 whenever a reactant is missing. Both are in ascending order.
 * Fixed species are never used up, so they may be missing. */
static int covers(const ff_participant *factors, uint32_t n, const ff_reaction *reaction, const uint8_t *fixed) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < reaction->n_reactants; i++) {
    const ff_participant *reactant = reaction->reactants + i;
    if (fixed[reactant->species]) continue;
    while (at < n && factors[at].species < reactant->species) at++;
    if (at == n || factors[at].species != reactant->species || factors[at].count < reactant->count) return 0;
  }
  return 1;
}

ff_status ff_mass_action_read(ff_mass_action *out, const ff_formula *formula, const ff_reactions *net, uint32_t r,
                              ff_error *err) {
  *out = (ff_mass_action){0};
  monomial *stack = ff_calloc(formula->depth, sizeof *stack);
  ff_participant *factors = ff_calloc(formula->length, sizeof *factors);
  if (stack == NULL || factors == NULL) {
    free(stack);
    free(factors);
    return ff_error_set(err, FF_EMEMORY, "no memory for a rate law");
  }
  out->factors = factors;
  out->is = is_mass_action(formula, stack, &out->rate, factors, &out->n) &&
            covers(factors, out->n, &net->reactions[r], net->fixed);
  free(stack);
  return FF_OK;
}
