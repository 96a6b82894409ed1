/* From amounts to counts: formulas of amounts become formulas of counts, and powers become numbers of pairs. */
#include <math.h>
#include <stdlib.h>

#include "../ff_formula_code.h"
#include "ff_reactions_internal.h"

/* ---- how a formula grows with the amounts -------------------------------------------------------------------------------- */

enum { FREE, AMOUNT, OTHER }; /* what a symbol is: without amounts, an amount, or a value that depends on amounts */

typedef struct {
  ff_reactions *net;
  double factor;
  uint8_t *kind; /* of each symbol */
  ff_error *err;
} converter;

/* The degree of a result whose operands have these degrees: f(c x) = c^degree f(x); NaN for none. `exponent` is the second operand
 * if it is a number, else NaN. One case for each operation. */
static double degree_after(uint32_t code, double a, double b, double c, double exponent) {
  const double none = ff_math_nan();
  switch (code) {
    case FF_F_NEG:
    case FF_F_ABS: return a;
    case FF_F_ADD:
    case FF_F_SUB:
    case FF_F_MIN:
    case FF_F_MAX: return a == b ? a : none;
    case FF_F_MUL: return a + b;
    case FF_F_DIV: return a - b;
    case FF_F_POW: return b != 0 ? none : a == 0 ? 0 : a * exponent;
    case FF_F_SQRT: return a / 2;
    case FF_F_LT:
    case FF_F_LE:
    case FF_F_GT:
    case FF_F_GE:
    case FF_F_EQ:
    case FF_F_NE: return a == b ? 0 : none;
    case FF_F_AND:
    case FF_F_OR: return a == 0 && b == 0 ? 0 : none;
    case FF_F_IF: return a == 0 && b == c ? b : none;
    default: return a == 0 ? 0 : none;
  }
}

/* The degree of each part of a formula, which ends with the word of the same number. stack[] has formula->depth entries. */
static void find_degrees(const converter *k, const ff_formula *formula, double *degree, double *stack) {
  uint32_t top = 0;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = &formula->word[i];
    const uint32_t n = ff_formula_operands(word->code);
    degree[i] = 0;
    top -= n;
    const uint8_t kind = word->code == FF_F_SYMBOL ? k->kind[word->symbol] : FREE;
    if (kind != FREE) degree[i] = kind == AMOUNT ? 1 : ff_math_nan();
    if (n > 0) {
      const double exponent = word[-1].code == FF_F_NUMBER ? word[-1].number : ff_math_nan();
      degree[i] = degree_after(word->code, stack[top], n > 1 ? stack[top + 1] : 0, n > 2 ? stack[top + 2] : 0, exponent);
    }
    stack[top++] = degree[i];
  }
}

/* ---- formulas ------------------------------------------------------------------------------------------------------------ */

static ff_status append(ff_formula *formula, const ff_formula_word *words, uint32_t n, ff_error *err) {
  ff_formula_builder b = {0};
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < formula->length && status == FF_OK; i++) status = ff_formula_push(&b, formula->word[i], err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) status = ff_formula_push(&b, words[i], err);
  if (status != FF_OK) {
    free(b.word);
    return status;
  }
  ff_formula_free(formula);
  ff_formula_finish(formula, &b);
  return FF_OK;
}

#define MOST_NESTED 200 /* operations within each other whose operands are converted one by one */

/* A formula that becomes one of counts. */
typedef struct {
  const converter *k;
  const ff_formula *formula;
  const uint32_t *start;
  const double *degree;
  ff_formula_builder b;
} conversion;

static ff_status put(conversion *c, ff_formula_word word) { return ff_formula_push(&c->b, word, c->k->err); }

/* Appends words, with x / factor for an amount x if `scaled`. */
static ff_status put_words(conversion *c, uint32_t last, int scaled) {
  ff_status status = FF_OK;
  for (uint32_t i = c->start[last]; i <= last && status == FF_OK; i++) {
    const ff_formula_word *word = &c->formula->word[i];
    const int divides = scaled && word->code == FF_F_SYMBOL && c->k->kind[word->symbol] == AMOUNT;
    status = put(c, *word);
    if (status == FF_OK && divides) status = put(c, (ff_formula_word){FF_F_NUMBER, 0, c->k->factor});
    if (status == FF_OK && divides) status = put(c, (ff_formula_word){FF_F_DIV, 0, 0});
  }
  return status;
}

/* Multiplies what was appended by this power of the factor. */
static ff_status put_power(conversion *c, double power) {
  if (power == 0) return FF_OK;
  const double by = power == -1 ? c->k->factor : pow(c->k->factor, power);
  const ff_status status = put(c, (ff_formula_word){FF_F_NUMBER, 0, by});
  return status == FF_OK ? put(c, (ff_formula_word){power == -1 ? FF_F_DIV : FF_F_MUL, 0, 0}) : status;
}

/* Appends the part of a formula that ends with `last`, times factor^power, as a formula of counts. */
static ff_status put_counts(conversion *c, uint32_t last, double power, int depth) {
  const ff_formula_word *word = &c->formula->word[last];
  const int scales = c->degree[last] == c->degree[last];
  const int sum = word->code == FF_F_ADD || word->code == FF_F_SUB, product = word->code == FF_F_MUL || word->code == FF_F_DIV;
  ff_status status;
  if (!scales && depth < MOST_NESTED && (sum || product)) {
    const uint32_t right = last - 1, left = c->start[right] - 1;
    const double a = c->degree[left], b = c->degree[right], sign = word->code == FF_F_DIV ? -1 : 1;
    double first = power, second = power; /* of the factor, for both operands */
    if (product && a == a) {
      first = a;
      second = sign * (power - a);
    } else if (product) {
      second = b == b ? b : 0;
      first = power - sign * second;
    }
    status = put_counts(c, left, first, depth + 1);
    if (status == FF_OK) status = put_counts(c, right, second, depth + 1);
    return status == FF_OK ? put(c, *word) : status;
  }
  status = put_words(c, last, !scales);
  return status == FF_OK ? put_power(c, scales ? power - c->degree[last] : power) : status;
}

/* Makes the formula one of counts. Its value is an amount, and becomes a count, if `power` is 1; it remains if this is 0. */
static ff_status convert(const converter *k, ff_formula *formula, int power) {
  if (formula->length == 0 || k->factor == 1) return FF_OK;
  double *stack = ff_calloc(formula->depth, sizeof *stack), *degree = ff_calloc(formula->length, sizeof *degree);
  uint32_t *start = ff_calloc(formula->length, sizeof *start);
  conversion c = {.k = k, .formula = formula, .start = start, .degree = degree};
  ff_status status = FF_OK;
  if (stack == NULL || degree == NULL || start == NULL) status = ff_error_set(k->err, FF_EMEMORY, "no memory for a formula");
  if (status == FF_OK) {
    ff_formula_starts(start, formula);
    find_degrees(k, formula, degree, stack);
    status = put_counts(&c, formula->length - 1, power, 0);
  }
  free(stack);
  free(degree);
  free(start);
  if (status == FF_OK) {
    ff_formula_free(formula);
    ff_formula_finish(formula, &c.b);
  }
  free(c.b.word);
  return status;
}

static ff_status convert_event(const converter *k, ff_event *event, int rounds) {
  static const ff_formula_word nearest[] = {{FF_F_NUMBER, 0, 0.5}, {FF_F_ADD, 0, 0}, {FF_F_FLOOR, 0, 0}};
  ff_status status = convert(k, &event->trigger, 0);
  if (status == FF_OK) status = convert(k, &event->delay, 0);
  if (status == FF_OK) status = convert(k, &event->priority, 0);
  for (uint32_t i = 0; i < event->n_sets && status == FF_OK; i++) {
    ff_event_set *set = &event->sets[i];
    status = convert(k, &set->value, k->kind[set->symbol] == AMOUNT);
    if (status == FF_OK) status = convert(k, &set->factor, 0);
    if (status == FF_OK && rounds && set->symbol < k->net->n_species && set->factor.length == 0)
      status = append(&set->value, nearest, 3, k->err);
  }
  return status;
}

static int depends(const ff_formula *formula, const uint8_t *kind) {
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL && kind[formula->word[i].symbol] != FREE) return 1;
  return 0;
}

static ff_status find_kinds(converter *k, const uint8_t *amount) {
  const ff_reactions *net = k->net;
  const uint32_t first = net->n_species + net->n_parameters, n = first + net->n_variables;
  uint32_t *order = NULL;
  k->kind = ff_calloc(n, 1);
  if (k->kind == NULL) return ff_error_set(k->err, FF_EMEMORY, "no memory for %u symbols", n);
  ff_status status = ff_reactions_order(&order, net, k->err);
  for (uint32_t i = 0; i < n; i++) k->kind[i] = amount[i] ? AMOUNT : FREE;
  for (uint32_t i = 0; i < net->n_variables && status == FF_OK; i++)
    if (!amount[first + order[i]] && depends(&net->variable[order[i]], k->kind)) k->kind[first + order[i]] = OTHER;
  free(order);
  return status;
}

ff_status ff_reactions_convert(ff_reactions *net, const uint8_t *amount, double factor, int rounds, ff_error *err) {
  const uint32_t first = net->n_species + net->n_parameters;
  converter k = {.net = net, .factor = factor, .err = err};
  ff_status status = find_kinds(&k, amount);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++)
    if (!net->reactions[r].mass_action) status = convert(&k, &net->reactions[r].rate, 1);
  for (uint32_t v = 0; v < net->n_variables && status == FF_OK; v++)
    status = convert(&k, &net->variable[v], k.kind[first + v] == AMOUNT);
  for (uint32_t e = 0; e < net->n_events && status == FF_OK; e++) status = convert_event(&k, &net->events[e], rounds);
  free(k.kind);
  return status;
}

/* ---- pairs --------------------------------------------------------------------------------------------------------------- */

#define MOST_FACTORS 64 /* nested products of a law that are looked at */

typedef struct {
  const ff_formula *law;
  const uint32_t *start;
  uint32_t species, seen;
  ff_formula_builder b;
  ff_error *err;
} product;

static int names(const product *p, uint32_t last) {
  for (uint32_t i = p->start[last]; i <= last; i++)
    if (p->law->word[i].code == FF_F_SYMBOL && p->law->word[i].symbol == p->species) return 1;
  return 0;
}

/* A whole number of at most 16 that ends with this word, or 0. */
static uint32_t whole(const product *p, uint32_t last) {
  const ff_formula_word *word = &p->law->word[last];
  const int fine = word->code == FF_F_NUMBER && word->number >= 1 && word->number <= 16 && word->number == floor(word->number);
  return fine ? (uint32_t)word->number : 0;
}

/* How often the species is a factor of a product; -1 if it also stands elsewhere. */
static int64_t count_factors(const product *p, uint32_t last, int depth) {
  const uint32_t code = p->law->word[last].code;
  if (code == FF_F_SYMBOL) return p->law->word[last].symbol == p->species;
  if (!names(p, last)) return 0;
  if (depth == MOST_FACTORS || (code != FF_F_MUL && code != FF_F_DIV && code != FF_F_POW)) return -1;
  const uint32_t right = last - 1, left = p->start[right] - 1;
  const int64_t first = count_factors(p, left, depth + 1);
  if (code == FF_F_MUL) {
    const int64_t second = count_factors(p, right, depth + 1);
    return first < 0 || second < 0 ? -1 : first + second;
  }
  if (first < 0 || names(p, right)) return -1;
  if (code == FF_F_DIV) return first;
  return whole(p, right) > 0 ? first * whole(p, right) : -1;
}

static ff_status add(product *p, ff_formula_word word) { return ff_formula_push(&p->b, word, p->err); }

/* Appends the part of the law that ends with `last`, where the species x becomes x, x - 1, x - 2 and so on. */
static ff_status put_falling(product *p, uint32_t last) {
  const ff_formula_word *word = &p->law->word[last];
  ff_status status = FF_OK;
  if (word->code == FF_F_SYMBOL && word->symbol == p->species) {
    status = add(p, *word);
    if (status == FF_OK && p->seen > 0) status = add(p, (ff_formula_word){FF_F_NUMBER, 0, p->seen});
    if (status == FF_OK && p->seen > 0) status = add(p, (ff_formula_word){FF_F_SUB, 0, 0});
    p->seen++;
    return status;
  }
  if (!names(p, last)) {
    for (uint32_t i = p->start[last]; i <= last && status == FF_OK; i++) status = add(p, p->law->word[i]);
    return status;
  }
  const uint32_t right = last - 1, left = p->start[right] - 1;
  if (word->code == FF_F_POW) {
    for (uint32_t i = 0; i < whole(p, right) && status == FF_OK; i++) {
      status = put_falling(p, left);
      if (status == FF_OK && i > 0) status = add(p, (ff_formula_word){FF_F_MUL, 0, 0});
    }
    return status;
  }
  status = put_falling(p, left);
  if (status == FF_OK) status = put_falling(p, right);
  return status == FF_OK ? add(p, *word) : status;
}

/* *counted becomes 1 if the law has the species so often as a factor as the reaction takes it. */
static ff_status count_reactant(ff_reaction *reaction, const ff_participant *reactant, int *counted, ff_error *err) {
  uint32_t *start = ff_calloc(reaction->rate.length, sizeof *start);
  if (start == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a rate law");
  ff_formula_starts(start, &reaction->rate);
  product p = {.law = &reaction->rate, .start = start, .species = reactant->species, .err = err};
  ff_status status = FF_OK;
  *counted = count_factors(&p, reaction->rate.length - 1, 0) == reactant->count;
  if (*counted) status = put_falling(&p, reaction->rate.length - 1);
  if (*counted && status == FF_OK) {
    ff_formula_free(&reaction->rate);
    ff_formula_finish(&reaction->rate, &p.b);
  }
  free(p.b.word);
  free(start);
  return status;
}

ff_status ff_reactions_count_pairs(ff_reactions *net, uint8_t *counted, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) {
    ff_reaction *reaction = &net->reactions[r];
    counted[r] = 0;
    if (reaction->mass_action || reaction->flows) continue;
    for (uint32_t i = 0; i < reaction->n_reactants && status == FF_OK; i++) {
      int yes = 0;
      if (reaction->reactants[i].count < 2) continue;
      status = count_reactant(reaction, &reaction->reactants[i], &yes, err);
      counted[r] |= (uint8_t)yes;
    }
  }
  return status;
}
