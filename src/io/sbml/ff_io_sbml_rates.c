/* Rate rules whose solution is known: x' = f becomes a formula of the time. f is written as
 *
 *   a_0 + a_1 t + a_2 t^2 + ... + b x + g(t),
 *
 * where the coefficients do not change, and g is a sum of sines, cosines and exponentials, of which only the integral is kept. */
#include "ff_io_sbml_rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/ff_formula_math.h"
#include "ff_io_sbml_formula.h"

#define MOST_LENGTH 1000    /* words of the formula of a rule */
#define MOST_WORDS 100000   /* words of the coefficients of a rule, in all */
enum { POWERS = 9, OWN = POWERS, INTEGRAL, PARTS };

/* A coefficient as postfix code; an empty one is 0. */
typedef struct {
  ff_formula_word *word;
  size_t length, capacity;
} code;

typedef struct {
  code part[PARTS]; /* a_0, a_1, ..., b, and the integral of g from 0 to t */
} form;

typedef struct {
  ff_sbml_table *table;
  uint8_t *fate;       /* of each symbol */
  uint8_t *found;      /* of each symbol with an assignment rule: its fate, from the first words of the rule */
  uint32_t *at, *open; /* the number of these words, and a stack of symbols */
  const ff_formula **none; /* for ff_formula_replace(): nothing is replaced */
  uint32_t own;        /* the variable of the rule */
  form *stack;
  uint32_t height;
  size_t words;
  ff_status status;
} solver;

/* ---- what changes ------------------------------------------------------------------------------------------------------- */

enum { UNKNOWN, CONSTANT, COUNTED, SET, RATED, TIMED, DEPENDENT }; /* fates of symbols */

static uint8_t own_fate(const ff_sbml_symbol *s) {
  if (s->kind != FF_SBML_SPECIES) return CONSTANT;
  return Species_getBoundaryCondition(s->element) || Species_getConstant(s->element) ? CONSTANT : COUNTED;
}

/* Goes on with the rule of the symbol on top of the stack: finds its fate, or puts a symbol on the stack on which it depends. */
static void take_step(solver *s, uint32_t *height) {
  const uint32_t top = s->open[*height - 1];
  const ff_sbml_symbol *of = &s->table->symbol[top];
  while (s->at[top] < of->rule.length) {
    const ff_formula_word *word = &of->rule.word[s->at[top]];
    if (word->code == FF_F_SYMBOL && s->fate[word->symbol] == UNKNOWN) {
      s->open[(*height)++] = word->symbol;
      return;
    }
    if (word->code == FF_F_TIME) s->found[top] = TIMED;
    if (word->code == FF_F_SYMBOL && s->fate[word->symbol] != CONSTANT) s->found[top] = DEPENDENT;
    s->at[top]++;
  }
  s->fate[top] = of->rule.length == 0 ? own_fate(of) : s->found[top] != UNKNOWN ? s->found[top] : CONSTANT;
  (*height)--;
}

/* Assignment rules do not depend on themselves, because initial values do not. So a symbol is on the stack once. */
static void find_fate(solver *s, uint32_t symbol) {
  uint32_t height = 0;
  if (s->fate[symbol] == UNKNOWN) s->open[height++] = symbol;
  while (height > 0) take_step(s, &height);
}

/* ---- errors ------------------------------------------------------------------------------------------------------------- */

static const void *rule_of(const solver *s) { return s->table->symbol[s->own].rate_rule; }

static void refuse(solver *s, const char *why) {
  char rest[FF_QUOTE_SIZE + 260];
  if (s->status != FF_OK) return;
  snprintf(rest, sizeof rest, ", which is not supported in a reaction network%s", why);
  s->status = ff_sbml_found(s->table, FF_EUNSUPPORTED, ff_sbml_place(s->table, rule_of(s)), "<rateRule>",
                            s->table->ids.names[s->own], rest);
}

static void refuse_shape(solver *s) {
  refuse(s, " because no solution is known for its formula: expected a + b x, where x is what the rule determines, or a sum of "
         "powers, sines, cosines and exponentials of the time");
}

static void refuse_symbol(solver *s, uint32_t symbol) {
  static const char *const why[] = {[COUNTED] = "which reactions may change", [SET] = "which an event sets",
                                    [RATED] = "which a rateRule determines",  [TIMED] = "which changes with the time",
                                    [DEPENDENT] = "which an assignmentRule changes"};
  char text[FF_QUOTE_SIZE + 100];
  const char *name = s->table->ids.names[symbol];
  snprintf(text, sizeof text, " because its formula depends on %s, %s", ff_quote(name, strlen(name)).text,
           why[s->fate[symbol]]);
  refuse(s, text);
}

static void refuse_missing(solver *s, uint32_t symbol) {
  s->status = ff_sbml_missing(s->table, symbol, "the rateRule of ", s->table->ids.names[s->own], " depends on it");
}

/* ---- code --------------------------------------------------------------------------------------------------------------- */

static void add_words(solver *s, code *to, const ff_formula_word *word, size_t n) {
  void *memory = to->word;
  if (s->status != FF_OK || n == 0) return;
  s->words += n;
  if (s->words > MOST_WORDS) {
    refuse(s, " because its formula is too long");
    return;
  }
  s->status = ff_grow(&memory, &to->capacity, to->length + n, sizeof *to->word, s->table->err);
  to->word = memory;
  if (s->status != FF_OK) return;
  memcpy(to->word + to->length, word, n * sizeof *word);
  to->length += n;
}

static void add_word(solver *s, code *to, uint32_t operation) { add_words(s, to, &(ff_formula_word){operation, 0, 0}, 1); }
static void add_number(solver *s, code *to, double x) { add_words(s, to, &(ff_formula_word){FF_F_NUMBER, 0, x}, 1); }
static void add_code(solver *s, code *to, const code *from) { add_words(s, to, from->word, from->length); }

static void add_times_time(solver *s, code *to, const code *factor) {
  add_code(s, to, factor);
  add_word(s, to, FF_F_TIME);
  add_word(s, to, FF_F_MUL);
}

static void clear(code *c) {
  free(c->word);
  *c = (code){0};
}

/* Adds a term, or takes it away. */
static void add_term(solver *s, code *to, const code *term, uint32_t operation) {
  const int first = to->length == 0;
  if (term->length == 0) return;
  add_code(s, to, term);
  if (!first || operation == FF_F_SUB) add_word(s, to, first ? FF_F_NEG : operation);
}

/* Replaces operations on numbers by their values. Returns whether the result is a number other than 0. */
static int fold(solver *s, code *c) {
  double number = 0;
  ff_formula formula;
  if (s->status != FF_OK) return 0;
  const ff_formula before = ff_sbml_formula_of(c->word, c->length);
  c->word = before.word;
  s->status = ff_formula_replace(&formula, &before, s->none, s->table->err);
  if (s->status != FF_OK) return 0;
  free(c->word);
  *c = (code){formula.word, formula.length, formula.length};
  return ff_formula_is_number(&formula, &number) && number != 0;
}

/* Begins a choice between two formulas: the first one is taken if `c` is 0. */
static void begin_choice(solver *s, code *to, const code *c) {
  add_code(s, to, c);
  add_number(s, to, 0);
  add_word(s, to, FF_F_EQ);
}

/* ---- forms -------------------------------------------------------------------------------------------------------------- */

static void clear_form(form *f) {
  for (int i = 0; i < PARTS; i++) clear(&f->part[i]);
}

/* Whether no part but those from `first` to `last` is there. */
static int only(const form *f, int first, int last) {
  for (int i = 0; i < PARTS; i++)
    if ((i < first || i > last) && f->part[i].length > 0) return 0;
  return 1;
}

static int is_constant(const form *f) { return only(f, 0, 0); }

static int degree_of(const form *f) {
  int degree = 0;
  for (int i = 1; i < POWERS; i++)
    if (f->part[i].length > 0) degree = i;
  return degree;
}

static void scale(solver *s, form *f, const code *by, uint32_t operation) {
  for (int i = 0; i < PARTS; i++) {
    if (f->part[i].length == 0) continue;
    add_code(s, &f->part[i], by);
    add_word(s, &f->part[i], operation);
  }
}

/* The product of two polynomials of the time. */
static void multiply_powers(solver *s, form *x, const form *y) {
  form product = {0};
  code term = {0};
  if (degree_of(x) + degree_of(y) >= POWERS) refuse_shape(s);
  for (int i = 0; i <= degree_of(x); i++) {
    for (int j = 0; j <= degree_of(y) && s->status == FF_OK; j++) {
      if (x->part[i].length == 0 || y->part[j].length == 0) continue;
      add_code(s, &term, &x->part[i]);
      add_code(s, &term, &y->part[j]);
      add_word(s, &term, FF_F_MUL);
      add_term(s, &product.part[i + j], &term, FF_F_ADD);
      clear(&term);
    }
  }
  clear(&term);
  clear_form(x);
  *x = product;
}

/* Makes x the product of both. */
static void multiply(solver *s, form *x, form *y) {
  if (is_constant(y)) {
    scale(s, x, &y->part[0], FF_F_MUL);
  } else if (is_constant(x)) {
    const form by = *x;
    *x = *y;
    *y = by;
    scale(s, x, &y->part[0], FF_F_MUL);
  } else if (only(x, 0, POWERS - 1) && only(y, 0, POWERS - 1)) {
    multiply_powers(s, x, y);
  } else {
    refuse_shape(s);
  }
}

/* A power of a polynomial of the time, with a whole exponent. */
static void raise(solver *s, form *x, const form *y) {
  const code *exponent = &y->part[0];
  const int is_number = is_constant(y) && exponent->length == 1 && exponent->word[0].code == FF_F_NUMBER;
  const double n = is_number ? exponent->word[0].number : 0;
  if (!(n >= 1 && n < POWERS && n == floor(n)) || !only(x, 0, POWERS - 1)) {
    refuse_shape(s);
    return;
  }
  form base = {0};
  for (int i = 0; i < POWERS; i++) add_code(s, &base.part[i], &x->part[i]);
  for (int i = 1; i < (int)n && s->status == FF_OK; i++) multiply_powers(s, x, &base);
  clear_form(&base);
}

/* Makes x = p + w t the integral from 0 to t of its sine, cosine or exponential: (cos(p) - cos(p + w t)) / w,
 * (sin(p + w t) - sin(p)) / w, or exp(p) expm1(w t) / w. If w is 0, it is t times the value at 0. */
static void integrate(solver *s, form *x, uint32_t function) {
  if (!only(x, 0, 1)) {
    refuse_shape(s);
    return;
  }
  code *p = &x->part[0], *w = &x->part[1], turn = {0}, sum = {0}, *out = &x->part[INTEGRAL];
  const uint32_t other = function == FF_F_SIN ? FF_F_COS : function == FF_F_COS ? FF_F_SIN : FF_F_EXP;
  if (p->length == 0) add_number(s, p, 0);
  const int turns = fold(s, w);
  add_times_time(s, &turn, w);
  add_code(s, &sum, p);
  add_code(s, &sum, &turn);
  add_word(s, &sum, FF_F_ADD);
  if (!turns) {
    begin_choice(s, out, w);
    add_code(s, out, p);
    add_word(s, out, function);
    add_word(s, out, FF_F_TIME);
    add_word(s, out, FF_F_MUL);
  }
  add_code(s, out, function == FF_F_COS ? &sum : p);
  add_word(s, out, other);
  add_code(s, out, function == FF_F_EXP ? &turn : function == FF_F_COS ? p : &sum);
  add_word(s, out, function == FF_F_EXP ? FF_F_EXPM1 : other);
  add_word(s, out, function == FF_F_EXP ? FF_F_MUL : FF_F_SUB);
  add_code(s, out, w);
  add_word(s, out, FF_F_DIV);
  if (!turns) add_word(s, out, FF_F_IF);
  clear(&turn);
  clear(&sum);
  clear(p);
  clear(w);
}

/* ---- the formula of a rule ---------------------------------------------------------------------------------------------- */

static void push_symbol(solver *s, form *out, uint32_t symbol) {
  const ff_sbml_symbol *of = &s->table->symbol[symbol];
  if (symbol == s->own) {
    add_number(s, &out->part[OWN], 1);
    return;
  }
  find_fate(s, symbol);
  if (s->fate[symbol] != CONSTANT)
    refuse_symbol(s, symbol);
  else if (isnan(of->value) && of->rule.length == 0)
    refuse_missing(s, symbol);
  else
    add_words(s, &out->part[0], &(ff_formula_word){FF_F_SYMBOL, symbol, 0}, 1);
}

static void push_leaf(solver *s, const ff_formula_word *word) {
  form *out = &s->stack[s->height++];
  switch (word->code) {
    case FF_F_NUMBER: add_number(s, &out->part[0], word->number); break;
    case FF_F_TIME: add_number(s, &out->part[1], 1); break;
    default: push_symbol(s, out, word->symbol);
  }
}

/* An operation whose operands do not change. */
static void apply_to_constants(solver *s, form *x, uint32_t n, uint32_t operation) {
  for (uint32_t i = 1; i < n; i++) add_code(s, &x->part[0], &x[i].part[0]);
  add_word(s, &x->part[0], operation);
}

static void apply(solver *s, uint32_t operation) {
  const uint32_t n = ff_formula_operands(operation);
  form *x = &s->stack[s->height - n];
  int constant = 1;
  for (uint32_t i = 0; i < n; i++) constant &= is_constant(&x[i]);
  if (constant) {
    apply_to_constants(s, x, n, operation);
  } else {
    switch (operation) {
      case FF_F_ADD:
      case FF_F_SUB:
        for (int i = 0; i < PARTS; i++) add_term(s, &x->part[i], &x[1].part[i], operation);
        break;
      case FF_F_NEG:
        for (int i = 0; i < PARTS; i++)
          if (x->part[i].length > 0) add_word(s, &x->part[i], FF_F_NEG);
        break;
      case FF_F_MUL: multiply(s, x, x + 1); break;
      case FF_F_DIV: is_constant(x + 1) ? scale(s, x, &x[1].part[0], FF_F_DIV) : refuse_shape(s); break;
      case FF_F_POW: raise(s, x, x + 1); break;
      case FF_F_SIN:
      case FF_F_COS:
      case FF_F_EXP: integrate(s, x, operation); break;
      default: refuse_shape(s);
    }
  }
  for (uint32_t i = 1; i < n; i++) clear_form(&x[i]);
  s->height -= n - 1;
}

/* ---- solutions ---------------------------------------------------------------------------------------------------------- */

/* x_0 + a_0 t + a_1 t^2 / 2 + ... + the integral of g */
static void solve_sum(solver *s, form *f, double initial, code *out) {
  code term = {0};
  add_number(s, out, initial);
  for (int i = 0; i < POWERS; i++) {
    if (f->part[i].length == 0) continue;
    add_code(s, &term, &f->part[i]);
    add_word(s, &term, FF_F_TIME);
    if (i > 0) {
      add_number(s, &term, i + 1);
      add_word(s, &term, FF_F_POW);
    }
    add_word(s, &term, FF_F_MUL);
    add_number(s, &term, i + 1);
    add_word(s, &term, FF_F_DIV);
    add_term(s, out, &term, FF_F_ADD);
    clear(&term);
  }
  add_term(s, out, &f->part[INTEGRAL], FF_F_ADD);
}

/* x_0 exp(b t) + a_0 expm1(b t) / b, where the second term is a_0 t if b is 0 */
static void solve_linear(solver *s, form *f, double initial, code *out) {
  const code *a = &f->part[0], *b = &f->part[OWN];
  code turn = {0};
  const int changes = fold(s, &f->part[OWN]);
  if (f->part[INTEGRAL].length > 0 || degree_of(f) > 0) refuse_shape(s);
  add_times_time(s, &turn, b);
  if (initial != 0 || a->length == 0) add_number(s, out, initial);
  if (initial != 0) { /* 0 times an infinite power would not be 0 */
    add_code(s, out, &turn);
    add_word(s, out, FF_F_EXP);
    add_word(s, out, FF_F_MUL);
  }
  if (a->length > 0) {
    if (!changes) {
      begin_choice(s, out, b);
      add_times_time(s, out, a);
    }
    add_code(s, out, a);
    add_code(s, out, &turn);
    add_word(s, out, FF_F_EXPM1);
    add_word(s, out, FF_F_MUL);
    add_code(s, out, b);
    add_word(s, out, FF_F_DIV);
    if (!changes) add_word(s, out, FF_F_IF);
    if (initial != 0) add_word(s, out, FF_F_ADD);
  }
  clear(&turn);
}

/* Reads the formula into stack[0]. */
static void read_formula(solver *s, const ff_formula *rate) {
  s->height = 0;
  s->words = 0;
  s->stack = NULL;
  if (rate->length > MOST_LENGTH)
    refuse(s, " because its formula is too long");
  else if ((s->stack = ff_calloc(rate->depth, sizeof *s->stack)) == NULL)
    s->status = ff_error_set(s->table->err, FF_EMEMORY, "no memory for the formula of a rateRule");
  for (uint32_t i = 0; i < rate->length && s->status == FF_OK; i++) {
    if (ff_formula_operands(rate->word[i].code) == 0)
      push_leaf(s, &rate->word[i]);
    else
      apply(s, rate->word[i].code);
  }
}

static void solve(solver *s, uint32_t own) {
  ff_sbml_symbol *symbol = &s->table->symbol[own];
  code out = {0};
  s->own = own;
  if (symbol->formula.length == 0)
    s->status = ff_sbml_found(s->table, FF_EPARSE, ff_sbml_place(s->table, rule_of(s)), "the rateRule of",
                              s->table->ids.names[own], ", which has no initial value, where one was expected");
  if (s->status != FF_OK) return;
  read_formula(s, &symbol->rate);
  if (s->status == FF_OK) (s->stack[0].part[OWN].length > 0 ? solve_linear : solve_sum)(s, s->stack, symbol->value, &out);
  for (uint32_t i = 0; s->stack != NULL && i < symbol->rate.depth; i++) clear_form(&s->stack[i]);
  free(s->stack);
  if (s->status != FF_OK) {
    clear(&out);
    return;
  }
  ff_formula formula = ff_sbml_formula_of(out.word, out.length);
  s->status = ff_formula_replace(&symbol->rule, &formula, s->none, s->table->err);
  ff_formula_free(&formula);
}

ff_status ff_sbml_solve_rates(ff_sbml_table *table, const ff_sbml_events *events) {
  const uint32_t n = table->ids.n_nodes;
  solver s = {.table = table};
  uint32_t first = 0;
  while (first < n && table->symbol[first].rate.length == 0) first++;
  if (first == n) return FF_OK;
  s.fate = ff_calloc(n, 1);
  s.found = ff_calloc(n, 1);
  s.at = ff_calloc(n, sizeof *s.at);
  s.open = ff_calloc(n, sizeof *s.open);
  s.none = ff_calloc(n, sizeof *s.none);
  if (s.fate == NULL || s.found == NULL || s.at == NULL || s.open == NULL || s.none == NULL)
    s.status = ff_error_set(table->err, FF_EMEMORY, "no memory for the rate rules of %u names", n);
  for (uint32_t i = 0; i < events->n && s.status == FF_OK; i++)
    for (uint32_t k = 0; k < events->event[i].n_sets; k++) s.fate[events->event[i].sets[k].symbol] = SET;
  for (uint32_t i = first; i < n && s.status == FF_OK; i++)
    if (table->symbol[i].rate.length > 0) s.fate[i] = RATED;
  for (uint32_t i = first; i < n && s.status == FF_OK; i++)
    if (table->symbol[i].rate.length > 0) solve(&s, i);
  free(s.fate);
  free(s.found);
  free(s.at);
  free(s.open);
  free(s.none);
  return s.status;
}
