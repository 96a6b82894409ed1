/* make fuzz: the parser of formulas and the functions that process its results. Every name of one letter is a symbol. */
#include "../../src/model/ff_formula_math.h"
#include "fuzz.h"
#include "fuzz_letters.h"

static int same_bits(double x, double y) { return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0; }

static double value(const ff_formula *formula, const double *values) {
  double *stack = malloc(formula->depth * sizeof *stack);
  MUST(stack != NULL, "memory");
  double result = ff_formula_value(formula, values, 0.25, stack);
  free(stack);
  return result;
}

static void check_text(const ff_formula *formula, char *const *names) {
  ff_error err = {FF_OK, ""};
  ff_formula again;
  char *text;
  MUST(ff_formula_text(&text, formula, names, &err) == FF_OK, err.text);
  MUST(ff_formula_parse(&again, text, strlen(text), find_letter, NULL, (ff_place){"text", 1}, &err) == FF_OK, err.text);
  MUST(formula->length == again.length && formula->depth == again.depth, text);
  for (uint32_t i = 0; i < again.length; i++) {
    const ff_formula_word *x = &formula->word[i], *y = &again.word[i];
    MUST(x->code == y->code && x->symbol == y->symbol && same_bits(x->number, y->number), text);
  }
  ff_formula_free(&again);
  free(text);
}

/* After every third symbol is replaced by its value, the value of the formula must be the same, except for the sign of a zero.
 * Formulas in which this sign may matter later are left out. */
static void check_replacement(const ff_formula *formula, char *const *names) {
  ff_error err = {FF_OK, ""};
  double values[LETTERS];
  ff_formula number[LETTERS] = {{0}}, out;
  const ff_formula *with[LETTERS] = {NULL};
  int sums = 0;
  for (int i = 0; i < LETTERS; i++) {
    values[i] = (double)(i % 7) / 2 - 1;
    if (i % 3 != 0) continue;
    MUST(ff_formula_of_number(&number[i], values[i], &err) == FF_OK, err.text);
    with[i] = &number[i];
  }
  MUST(ff_formula_replace(&out, formula, with, &err) == FF_OK, err.text);
  for (uint32_t i = 0; i < formula->length; i++) sums |= formula->word[i].code == FF_F_ADD || formula->word[i].code == FF_F_SUB;
  double before = value(formula, values), after = value(&out, values);
  MUST(sums || same_bits(before, after), "replacement");
  MUST(out.length <= formula->length, "replacement");
  check_text(&out, names);
  ff_formula_free(&out);
  for (int i = 0; i < LETTERS; i++) ff_formula_free(&number[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  letter_names all;
  name_letters(&all);
  ff_error err = {FF_OK, ""};
  ff_formula formula;
  ff_status status = ff_formula_parse(&formula, (const char *)data, size, find_letter, NULL, (ff_place){"net", 1}, &err);
  if (status != FF_OK) {
    MUST(status == FF_EPARSE && formula.word == NULL && ff_utf8_valid(err.text, strlen(err.text)), err.text);
    return 0;
  }
  check_text(&formula, all.names);
  check_replacement(&formula, all.names);
  ff_formula_free(&formula);
  return 0;
}
