/* BioNetGen's network format: expressions and rates. */
#include "../model/ff_parse.h"
#include "ff_io_bngl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions: their text is rewritten in the grammar of ff_formula_parse() --------------------------------------------- */

/* What follows a name: *open tells whether it is "(", and *empty is the number of bytes up to ")" if there is nothing between. */
static void look_ahead(ff_span rest, int *open, size_t *empty) {
  size_t at = 0;
  *empty = 0;
  while (at < rest.length && ff_is_blank(rest.text[at])) at++;
  *open = at < rest.length && rest.text[at] == '(';
  if (!*open) return;
  at++;
  while (at < rest.length && ff_is_blank(rest.text[at])) at++;
  if (at < rest.length && rest.text[at] == ')') *empty = at + 1;
}

/* Names that mean something else in formulas are put into quotes. */
static void put_name(ff_out *out, ff_span name, int known) {
  static const char *const reserved[] = {"pi", "time", "Inf", "NaN", "TRUE", "FALSE"};
  const char *quote = "";
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
    if (ff_span_equals(name, reserved[i])) quote = "`";
  if (!known && ff_span_equals(name, "time")) quote = ""; /* the time of the simulation */
  if (!known && ff_span_equals(name, "_pi")) {
    ff_out_puts(out, "3.141592653589793"); /* pi may be the name of a parameter */
  } else if (!known && ff_span_equals(name, "_e")) {
    ff_out_puts(out, "2.718281828459045");
  } else {
    ff_out_puts(out, quote);
    ff_out_add(out, name);
    ff_out_puts(out, quote);
  }
}

/* Rewrites the name at the start of the text. *used becomes the number of bytes. */
static ff_status rewrite_name(ff_bngl *f, ff_span text, uint64_t line, size_t *used) {
  ff_span name = {text.text, ff_bngl_name_length(text)};
  const int known = ff_names_find(f->names, name.text, name.length) >= 0;
  int open;
  size_t empty;
  look_ahead(ff_span_after(text, name.length), &open, &empty);
  *used = name.length;
  if (!open || (empty > 0 && known)) {
    put_name(&f->buffer, name, known);
    *used += empty;
    return f->buffer.status;
  }
  if (known)
    return ff_error_set(f->err, FF_EUNSUPPORTED, "%s, line %llu: found an argument of %s, which is not supported", f->file,
                        (unsigned long long)line, ff_quote(name.text, name.length).text);
  if (ff_span_equals(name, "log")) return ff_io_found(f->err, (ff_place){f->file, line}, name, "\"ln\", \"log10\" or \"log2\"");
  ff_out_add(&f->buffer, name);
  return f->buffer.status;
}

static ff_status rewrite(ff_bngl *f, ff_span text, uint64_t line) {
  f->buffer.length = 0;
  while (text.length > 0) {
    size_t used = ff_decimal_length(text.text, text.length);
    ff_status status = FF_OK;
    if (used > 0) {
      ff_out_add(&f->buffer, (ff_span){text.text, used});
    } else if (ff_bngl_name_length(text) > 0) {
      status = rewrite_name(f, text, line, &used);
    } else if (text.text[0] == '"' || text.text[0] == '`') {
      return ff_io_found(f->err, (ff_place){f->file, line}, (ff_span){text.text, 1}, "an expression without quotes");
    } else {
      used = 1;
      ff_out_add(&f->buffer, (ff_span){text.text, used});
    }
    if (status == FF_OK) status = f->buffer.status;
    if (status != FF_OK) return status;
    text = ff_span_after(text, used);
  }
  return FF_OK;
}

ff_status ff_bngl_formula(ff_formula *out, ff_bngl *f, ff_span text, uint64_t line, const char *wanted) {
  *out = (ff_formula){0};
  if (text.length == 0) return ff_io_found(f->err, (ff_place){f->file, line}, text, wanted);
  ff_status status = rewrite(f, text, line);
  if (status != FF_OK) return status;
  return ff_formula_parse(out, f->buffer.text, f->buffer.length, ff_names_find, f->names, (ff_place){f->file, line}, f->err);
}

/* ---- rates -------------------------------------------------------------------------------------------------------------- */

/* A constant k of BioNetGen gives the propensity k x (x - 1) ..., and ours k x (x - 1) ... / (n! ...). So it is multiplied by
 * `factor`, the product of the n!. A factor of the rate itself, as in 0.5*k, is merged with it. */
static ff_status scale(ff_formula *rate, double factor, ff_error *err) {
  const ff_formula_word times = {FF_F_MUL, 0, 0};
  const int product = rate->length == 3 && rate->word[0].code == FF_F_NUMBER && rate->word[2].code == FF_F_MUL;
  if (rate->length == 1 && rate->word[0].code == FF_F_NUMBER) {
    rate->word[0].number *= factor;
  } else if (product && rate->word[0].number * factor != 1) {
    rate->word[0].number *= factor;
  } else if (product) {
    rate->word[0] = rate->word[1];
    rate->length = rate->depth = 1;
  } else if (factor != 1) {
    ff_formula_word *word = ff_calloc((size_t)rate->length + 2, sizeof *word);
    if (word == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a rate");
    word[0] = (ff_formula_word){FF_F_NUMBER, 0, factor};
    memcpy(word + 1, rate->word, rate->length * sizeof *word);
    word[rate->length + 1] = times;
    free(rate->word);
    *rate = (ff_formula){word, rate->length + 2, rate->depth + 1};
  }
  return FF_OK;
}

static double factor_of(const ff_reaction *reaction) {
  double factor = 1;
  for (uint32_t i = 0; i < reaction->n_reactants; i++)
    for (uint32_t k = 2; k <= reaction->reactants[i].count && factor < 1e300; k++) factor *= k;
  return factor;
}

/* Laws that BioNetGen names by a word: those that are not supported, or NULL. */
static const char *special_law(ff_span word) {
  static const char *const laws[] = {"Sat", "MM", "Hill", "FunctionProduct", "Arrhenius", "eBNG"};
  const char *star = memchr(word.text, '*', word.length);
  if (star != NULL) word = ff_span_after(word, (size_t)(star + 1 - word.text));
  for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++)
    if (ff_span_equals(word, laws[i])) return laws[i];
  return NULL;
}

/* Whether a symbol is the count of a species: the species, or a group of it alone. */
static int is_count_of(const ff_bngl *f, uint32_t symbol, uint32_t species) {
  const ff_bngl_symbol *s = &f->symbol[symbol];
  double number;
  if (s->kind != FF_BNGL_GROUP) return symbol == f->species[species];
  return ff_span_number(ff_span_trim(s->text), &number) && number == species + 1.0;
}

/* Passes a word of a formula. Returns whether it is the expected one. `number` matters for FF_F_NUMBER only. */
static int take_word(const ff_formula *formula, uint32_t *at, uint32_t code, double number) {
  if (*at >= formula->length) return 0;
  const ff_formula_word *word = &formula->word[(*at)++];
  return word->code == code && (code != FF_F_NUMBER || word->number == number);
}

static int take_count(const ff_bngl *f, const ff_formula *formula, uint32_t *at, uint32_t species) {
  const int is = *at < formula->length && formula->word[*at].code == FF_F_SYMBOL;
  return is && is_count_of(f, formula->word[(*at)++].symbol, species);
}

static int take_symbol(const ff_formula *formula, uint32_t *at, uint32_t symbol) {
  return *at < formula->length && formula->word[*at].code == FF_F_SYMBOL && formula->word[(*at)++].symbol == symbol;
}

/* The condition that the reactants are there. */
static int take_condition(const ff_bngl *f, const ff_formula *formula, uint32_t *at, const ff_reaction *reaction) {
  for (uint32_t i = 0; i < reaction->n_reactants; i++) {
    const ff_participant *reactant = &reaction->reactants[i];
    if (!take_count(f, formula, at, reactant->species) || !take_word(formula, at, FF_F_NUMBER, reactant->count) ||
        !take_word(formula, at, FF_F_GE, 0) || (i > 0 && !take_word(formula, at, FF_F_AND, 0)))
      return 0;
  }
  return 1;
}

/* The division by one factor: a count less k. */
static int take_factor(const ff_bngl *f, const ff_formula *formula, uint32_t *at, uint32_t species, uint32_t k) {
  return take_count(f, formula, at, species) &&
         (k == 0 || (take_word(formula, at, FF_F_NUMBER, k) && take_word(formula, at, FF_F_SUB, 0))) &&
         take_word(formula, at, FF_F_DIV, 0);
}

/* Whether a function is as write_network() writes it: if the reactants are there, the law divided by what BioNetGen multiplies it
 * with. Otherwise the file was changed, and the mark means nothing. */
static int is_divided(const ff_bngl *f, const ff_formula *formula, const ff_reaction *reaction, uint32_t law) {
  uint32_t at = 0;
  int fine = take_condition(f, formula, &at, reaction) && take_symbol(formula, &at, law);
  for (uint32_t i = 0; fine && i < reaction->n_reactants; i++)
    for (uint32_t k = 0; fine && k < reaction->reactants[i].count; k++)
      fine = take_factor(f, formula, &at, reaction->reactants[i].species, k);
  return fine && take_word(formula, &at, FF_F_NUMBER, 0) && take_word(formula, &at, FF_F_IF, 0) && at == formula->length;
}

/* *is becomes 1 if the line's rate is a function that divides the marked law, else 0. */
static ff_status check_mark(int *is, ff_bngl *f, const ff_reaction *reaction, ff_span text, ff_span marked) {
  const ff_span name = ff_span_trim(text);
  const int64_t rate = ff_names_find(f->names, name.text, name.length);
  const int64_t law = ff_names_find(f->names, marked.text, marked.length);
  ff_formula formula;
  *is = 0;
  if (rate < 0 || law < 0 || f->symbol[rate].kind != FF_BNGL_FUNCTION) return FF_OK;
  ff_status status = ff_bngl_formula(&formula, f, f->symbol[rate].text, f->symbol[rate].line, "an expression");
  if (status == FF_OK) *is = is_divided(f, &formula, reaction, (uint32_t)law);
  ff_formula_free(&formula);
  return status;
}

ff_status ff_bngl_rate(ff_reaction *reaction, ff_bngl *f, ff_span text, ff_span marked, uint64_t line) {
  ff_span rest = text, word = ff_bngl_word(&rest);
  const int several = ff_span_trim(rest).length > 0 && ff_names_find(f->names, word.text, word.length) < 0;
  const char *law = several ? special_law(word) : NULL;
  if (law != NULL)
    return ff_error_set(f->err, FF_EUNSUPPORTED, "%s, line %llu: found the rate law %s of BioNetGen, which is not supported; "
                        "expected a rate constant or a function", f->file, (unsigned long long)line, law);
  int divided = 0;
  ff_status status = marked.length > 0 ? check_mark(&divided, f, reaction, text, marked) : FF_OK;
  reaction->mass_action = !divided;
  if (status == FF_OK) status = ff_bngl_formula(&reaction->rate, f, divided ? marked : text, line, "a rate constant");
  return status == FF_OK && !divided ? scale(&reaction->rate, factor_of(reaction), f->err) : status;
}
