/* Arithmetic formulas: the grammar, values, replacement, messages and sizes. test_formula_text.c tests their texts. */
#include "formulas.h"
#include "long_double.h"

static void random_values(void) {
  uint64_t seed = 1;
  char *text = malloc(TEXT);
  for (int round = 0; round < 20000; round++) {
    ff_formula formula;
    draw_formula(&formula, text, &seed, 1 + (int)draw(&seed, DEPTH));
    for (int again = 0; again < 3; again++) {
      double values[N_NAMES];
      for (int i = 0; i < N_NAMES; i++) values[i] = draw_value(&seed);
      oracle o = {.at = text, .values = values};
      double got = value(&formula, values), want = oracle_value(&o, 0);
      FF_CHECK_SAY(same_bits(got, want), "%s is %.17g, expected %.17g", text, got, want);
      FF_CHECK(got == got || ff_math_bits(got) == UINT64_C(0x7FF8000000000000)); /* always the same NaN */
    }
    ff_formula_free(&formula);
  }
  free(text);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

/* With a = 2, b = 3, c = NaN, d = -0.75. */
static void values(void) {
  static const double at[N_NAMES] = {2, 3, NAN, -0.75};
  static const struct {
    const char *text;
    double want;
  } cases[] = {
      {"-2^2", -4}, {"2^-1", 0.5}, {"2^3^2", 512}, {"-2^-2", -0.25}, {"!a == b", 1}, {"!a + b", 0}, {"-a^2", -4},
      {"a - b - 1", -2},
      {"a / b * 3", 2.0 / 3.0 * 3.0}, {"1 + 2 * 3", 7}, {"1 < 2 & 3 < 2", 0}, {"1 | 0 & 0", 1}, {"!0 & 0", 0}, {"!(0 & 0)", 1},
      {"a < b", 1}, {"a > b", 0}, {"a <= 2", 1}, {"a >= 2", 1}, {"a == 2", 1}, {"a != 2", 0}, {"c < 1", 0}, {"c >= 1", 0},
      {"c == c", 0}, {"c != c", 1}, {"c & 1", 1}, {"!c", 0}, {"c | 0", 1}, {"if(c, 1, 2)", 1}, {"if(0, c, 2)", 2},
      {"if(1, 2, c)", 2}, {"min(a, c)", NAN}, {"max(c, a)", NAN}, {"min(b, a, 7)", 2}, {"max(b, a, 7)", 7}, {"min(b)", 3},
      {"c ^ 0", 1}, {"1 ^ c", 1}, {"0 ^ 0", 1}, {"0 ^ -1", INFINITY}, {"(-8) ^ (1 / 3)", NAN}, {"(-2) ^ 3", -8},
      {"d ^ 2", 0.5625},
      {"d ^ 1", -0.75}, {"abs(d)", 0.75}, {"floor(d)", -1}, {"ceiling(d)", -0.0}, {"ceil(2.5)", 3}, {"sqrt(9)", 3},
      {"sqrt(-1)", NAN}, {"exp(0)", 1}, {"expm1(0)", 0}, {"log(1)", 0}, {"log(0)", -INFINITY}, {"log(-1)", NAN}, {"ln(1)", 0},
      {"log1p(0)", 0}, {"log2(1024)", 10}, {"log2(0)", -INFINITY}, {"log10(0.001)", -3}, {"log10(1e22)", 22}, {"log10(-1)", NAN},
      {"log(4, 4)", 1}, {"sin(0)", 0}, {"cos(0)", 1}, {"tan(0)", 0}, {"asin(0)", 0}, {"acos(1)", 0}, {"atan(0)", 0},
      {"sinh(0)", 0},
      {"cosh(0)", 1}, {"tanh(0)", 0}, {"pow(a, b)", 8}, {"a ** b", 8}, {"ifelse(a < b, 5, 6)", 5}, {"time * 4", 2},
      {"time() + 1", 1.5}, {"pi", 3.14159265358979323846}, {"TRUE + FALSE", 1}, {"Inf", INFINITY}, {"-Inf", -INFINITY},
      {"Inf - Inf", NAN},
      {"NaN", NAN}, {"0 / 0", NAN}, {"1 / 0", INFINITY}, {"-0", -0.0}, {"1 / -0", -INFINITY}, {"a && b || c", 1}, {"a", 2},
      {"a*!b+a", 0}, {"a - -b", 5}, {"a--b", 5}, {"+-+a", -2}, {"!!a", 1}, {"1e3", 1000}, {"1.e3", 1000}, {".5", 0.5}, {"5L", 5}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_formula formula;
    ff_error err;
    FF_CHECK_OK(parse(&formula, cases[i].text, &err), &err);
    double got = value(&formula, at);
    FF_CHECK_SAY(same_bits(got, cases[i].want), "%s is %.17g, expected %.17g", cases[i].text, got, cases[i].want);
    ff_formula_free(&formula);
  }
  FF_CHECK(isnan(ff_formula_value(&(ff_formula){0}, NULL, 0, NULL)));
}

/* The distance of a result from the exact value in units of the last place of the result. */
static double ulps(double got, long double want) {
  double next = nextafter(fabs(got), INFINITY);
  return (double)(fabsl((long double)got - want) / ((long double)next - fabsl(got)));
}

/* Functions that base/ff_math.h does not have. The logarithm has 63 bits, and the division has a relative error of about 2^-58:
 * with the last rounding, that is below 0.6 units in the last place. */
static void operations(void) {
  const int has_reference = long_double_is_longer();
  uint64_t seed = 4;
  for (int i = 0; i < 200000; i++) {
    uint64_t bits = draw_bits(&seed) & ~FF_MATH_SIGN;
    double any = bits < FF_MATH_INFINITE ? ff_math_from_bits(bits) : 0.75;
    double near = 1 + ldexp(draw_value(&seed), -(int)draw(&seed, 50));
    const double x[] = {any, near > 0 && near < 1e300 ? near : 2, 1 + draw(&seed, 1000000)};
    for (int j = 0; j < 3; j++) {
      if (x[j] == 1) continue;
      if (has_reference) {
        FF_CHECK_SAY(ulps(ff_formula_log2(x[j]), log2l(x[j])) < 0.6, "log2(%a)", x[j]);
        FF_CHECK_SAY(ulps(ff_formula_log10(x[j]), log10l(x[j])) < 0.6, "log10(%a)", x[j]);
      }
      double part = ldexp(x[j], -(int)draw(&seed, 40)) * (j == 1 ? -1 : 1);
      FF_CHECK_SAY(same_bits(ff_formula_floor(part), floor(part)), "floor(%a)", part);
      FF_CHECK_SAY(same_bits(ff_formula_ceiling(part), ceil(part)), "ceiling(%a)", part);
    }
  }
  for (int k = -1074; k < 1024; k++) FF_CHECK(same_bits(ff_formula_log2(ldexp(1, k)), k));
  for (int k = -307; k <= 308; k++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", k);
    FF_CHECK_SAY(same_bits(ff_formula_log10(strtod(text, NULL)), k), "log10(%s)", text);
  }
  for (double base = 2; base < 3000; base++) /* powers of integers are exact as long as doubles hold them */
    for (double power = base, n = 1; power < 0x1p53; power *= base, n++)
      FF_CHECK_SAY(ff_formula_pow(base, n) == power, "%g^%g", base, n);
  const double halves[] = {-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 0x1p52 - 0.5, 0x1p52, 0x1p53, INFINITY, -INFINITY, NAN, 5e-324};
  for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
    FF_CHECK(same_bits(ff_formula_floor(halves[i]), floor(halves[i])));
    FF_CHECK(same_bits(ff_formula_ceiling(halves[i]), ceil(halves[i])));
  }
}

/* At each time, a formula that is later has the value of the first one after the delay. */
static void later_formulas(void) {
  static const double values[] = {3, 5, 7, 11, 13};
  double stack[16];
  ff_formula formula, later;
  ff_error err;
  FF_CHECK_OK(parse(&formula, "d * time + exp(-time / a) - if(time > 2, time, d)", &err), &err);
  FF_CHECK_OK(ff_formula_later(&later, &formula, 0.75, &err), &err);
  FF_CHECK(later.length == formula.length + 8 && later.depth <= 16);
  for (double time = 0; time < 4; time += 0.25)
    FF_CHECK(ff_formula_value(&later, values, time, stack) == ff_formula_value(&formula, values, time + 0.75, stack));
  ff_formula_free(&later);
  ff_formula_free(&formula);
}

static void copies(void) {
  ff_formula formula, copy;
  ff_error err;
  FF_CHECK_OK(parse(&formula, "d * a + min(d, time, a) - a^d", &err), &err);
  FF_CHECK(ff_formula_has_time(&formula));
  FF_CHECK_OK(ff_formula_copy(&copy, &formula, &err), &err);
  FF_CHECK(copy.word != formula.word && same_code(&copy, &formula));
  double number = 7;
  FF_CHECK(!ff_formula_is_number(&formula, &number) && number == 7);
  ff_formula_free(&formula);
  FF_CHECK(formula.word == NULL && formula.length == 0);
  ff_formula_free(&copy);
  ff_formula_free(NULL);
  FF_CHECK_OK(parse(&formula, "-2.5", &err), &err);
  FF_CHECK(ff_formula_is_number(&formula, &number) && number == -2.5 && !ff_formula_has_time(&formula));
  ff_formula_free(&formula);
  FF_CHECK_OK(ff_formula_copy(&copy, &formula, &err), &err);
  FF_CHECK(copy.word == NULL && copy.length == 0);
  FF_CHECK(!ff_formula_is_number(&formula, &number));
}

/* ---- replacement ---------------------------------------------------------------------------------------------------- */

/* Whether a sum of -0 and 0 is computed, whose sign differs from that of its first operand. */
static int adds_zeros(const ff_formula *formula, const double *values) {
  double *stack = malloc(formula->depth * sizeof *stack), *top = stack;
  int found = 0;
  for (uint32_t at = 0; at < formula->length; at++) {
    const ff_formula_word *word = &formula->word[at];
    uint32_t n = ff_formula_operands(word->code);
    top -= n;
    if ((word->code == FF_F_ADD || word->code == FF_F_SUB) && top[0] == 0 && top[1] == 0) found = 1;
    if (n > 0) *top = ff_formula_operate(word->code, top[0], n > 1 ? top[1] : 0, n > 2 ? top[2] : 0);
    else *top = word->code == FF_F_NUMBER ? word->number : word->code == FF_F_TIME ? 0.5 : values[word->symbol];
    top++;
  }
  free(stack);
  return found;
}

/* No operation of the result has operands that are all numbers, and no neutral operand is left. */
static void check_folded(const ff_formula *formula) {
  uint32_t *start = malloc(formula->length * sizeof *start);
  for (uint32_t at = 0; at < formula->length; at++) {
    uint32_t code = formula->word[at].code, n = ff_formula_operands(code), operand[3], all = n;
    start[at] = at;
    for (uint32_t i = n; i > 0; i--) {
      operand[i - 1] = start[at] - 1;
      start[at] = start[operand[i - 1]];
    }
    for (uint32_t i = 0; i < n; i++) all -= formula->word[operand[i]].code == FF_F_NUMBER;
    FF_CHECK(n == 0 || all > 0);
    if (n != 2) continue;
    const ff_formula_word *x = &formula->word[operand[0]], *y = &formula->word[operand[1]];
    int zero = code == FF_F_ADD || code == FF_F_SUB, one = code == FF_F_MUL || code == FF_F_DIV || code == FF_F_POW;
    FF_CHECK(!(y->code == FF_F_NUMBER && ((zero && y->number == 0) || (one && y->number == 1))));
    FF_CHECK(!(x->code == FF_F_NUMBER && ((code == FF_F_ADD && x->number == 0) || (code == FF_F_MUL && x->number == 1))));
  }
  free(start);
}

static void replacements(void) {
  uint64_t seed = 5;
  char *text = malloc(TEXT);
  int compared = 0;
  for (int round = 0; round < 20000; round++) {
    ff_formula formula, given[N_NAMES] = {{0}}, out;
    const ff_formula *with[N_NAMES] = {NULL};
    ff_error err;
    draw_formula(&formula, text, &seed, 1 + (int)draw(&seed, DEPTH));
    for (int i = 0; i < N_NAMES; i++) {
      if (draw(&seed, 2) == 0) continue;
      with[i] = &given[i];
      if (draw(&seed, 4) > 0) draw_formula(&given[i], text, &seed, (int)draw(&seed, 3));
    }
    FF_CHECK_OK(ff_formula_replace(&out, &formula, with, &err), &err);
    check_folded(&out);
    double before[N_NAMES], after[N_NAMES];
    for (int i = 0; i < N_NAMES; i++) after[i] = draw_value(&seed);
    int zeros = 0;
    for (int i = 0; i < N_NAMES; i++) {
      before[i] = given[i].length > 0 ? value(&given[i], after) : after[i];
      if (given[i].length > 0) zeros |= adds_zeros(&given[i], after);
    }
    double want = value(&formula, before), got = value(&out, after);
    if (!zeros && !adds_zeros(&formula, before)) {
      FF_CHECK_SAY(same_bits(got, want), "%.17g after replacement, %.17g before", got, want);
      compared++;
    }
    check_text(&out);
    ff_formula_free(&out);
    ff_formula_free(&formula);
    for (int i = 0; i < N_NAMES; i++) ff_formula_free(&given[i]);
  }
  FF_CHECK_SAY(compared > 15000, "%d", compared);
  free(text);
}

static void foldings(void) {
  static const char *const cases[][2] = { /* b is replaced by 2 * a, c by 1, d by 0 */
      {"b", "2 * a"}, {"b * b", "2 * a * (2 * a)"}, {"c * a", "a"}, {"a * c", "a"}, {"a / c", "a"}, {"c / a", "1 / a"},
      {"a + d", "a"},
      {"d + a", "a"}, {"a - d", "a"}, {"d - a", "0 - a"}, {"a^c", "a"}, {"a^d", "a^0"}, {"c^a", "1^a"}, {"a * d", "a * 0"},
      {"c + c", "2"}, {"a + (c + c)", "a + 2"}, {"a + c + c", "a + 1 + 1"}, {"c * (c * (c * b))", "2 * a"},
      {"c * b / c", "2 * a"},
      {"c * (a + d) * c^2", "a"}, {"-(c)", "-1"}, {"if(c, a, b)", "if(1, a, 2 * a)"}, {"if(c, 3, 4)", "3"},
      {"min(c, d, a)", "min(0, a)"},
      {"d / d", "NaN"}, {"time() * c", "time()"}, {"a & c", "a & 1"}};
  ff_formula given[N_NAMES] = {{0}};
  const ff_formula *const with[N_NAMES] = {NULL, &given[1], &given[2], &given[3]};
  ff_error err;
  FF_CHECK_OK(parse(&given[1], "2 * a", &err), &err);
  FF_CHECK_OK(ff_formula_of_number(&given[2], 1, &err), &err);
  FF_CHECK_OK(ff_formula_of_number(&given[3], 0, &err), &err);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_formula formula, out;
    char *shown = NULL;
    FF_CHECK_OK(parse(&formula, cases[i][0], &err), &err);
    FF_CHECK_OK(ff_formula_replace(&out, &formula, with, &err), &err);
    FF_CHECK_OK(ff_formula_text(&shown, &out, names, &err), &err);
    FF_CHECK_STR(shown, cases[i][1]);
    free(shown);
    ff_formula_free(&out);
    ff_formula_free(&formula);
  }
  for (int i = 0; i < N_NAMES; i++) ff_formula_free(&given[i]);
  ff_formula out, empty = {0};
  FF_CHECK_FAILS(ff_formula_replace(&out, &empty, with, &err), FF_EINTERNAL, &err, "empty");
}

/* ---- messages ------------------------------------------------------------------------------------------------------- */

/* Texts, and parts of the messages about them. */
static const char *const wrong[][2] = {
    {"", "rates, line 3: found the end at character 1 of \"\" where a number, a name, \"-\", \"!\" or \"(\" was expected"},
    {"  ", "found the end at character 3 of"},
    {"S1 *", "found the end at character 5 of \"S1 *\" where a number, a name, \"-\", \"!\" or \"(\" was expected"},
    {"S1 * * 2", "found \"*\" at character 6 of \"S1 * * 2\" where a number"},
    {"* 2", "found \"*\" at character 1 of"},
    {"S1 kinase", "found \"kinase\" at character 4 of \"S1 kinase\" where an operator or the end was expected"},
    {"2S1", "found \"S1\" at character 2 of"}, {"2 3", "found \"3\" at character 3"}, {"1e+", "found \"e\" at character 2"},
    {"1..2", "found \".2\" at character 3"}, {"2Lx", "found \"Lx\" at character 2"}, {"0x10", "found \"x10\" at character 2"},
    {"(S1", "found the end at character 4 of \"(S1\" where an operator or \")\" was expected"},
    {"sin(S1", "where an operator, \",\" or \")\" was expected"},
    {"sin((S1)", "where an operator, \",\" or \")\" was expected"},
    {"S1)", "found \")\" at character 3 of \"S1)\" where an operator or the end was expected"},
    {"(S1, 2)", "found \",\" at character 4 of \"(S1, 2)\" where an operator or \")\" was expected"},
    {"S1, 2", "found \",\" at character 3"}, {"()", "found \")\" at character 2"}, {"sin(S1,)", "found \")\" at character 8"},
    {"sin(,)", "found \",\" at character 5"}, {"sin(-)", "found \")\" at character 6"},
    {"(2)(3)", "found \"(\" at character 4"}, {"`k 1`(2)", "found \"(\" at character 6"},
    {"2(3)", "found \"(\" at character 2"},
    {"S1 %% 2", "an operator (the remainder of a / b is \"a - b * floor(a / b)\") was expected"},
    {"S1 > 2 ? 1 : 0", "an operator (a choice is \"if(condition, yes, no)\") was expected"},
    {"S1 = 2", "found \"=\" at character 4 of \"S1 = 2\" where an operator (\"==\" compares) was expected"},
    {"S1 > 2 and kinase < 1",
     "found \"and\" at character 8 of \"S1 > 2 and kinase < 1\" where an operator (\"&&\" means and) was expected"},
    {"(S1 OR kinase)", "where an operator (\"||\" means or) was expected"},
    {"S1 `and` 2", "where an operator or the end was expected"},
    {"not S1", "no species, parameter or variable is called \"not\" (character 1 of \"not S1\"); \"!\" means not"},
    {"not(S1)", "no function is called \"not\" (character 1 of \"not(S1)\"); \"!\" means not"},
    {"= 2", "found \"=\" at character 1"}, {"S1 % 2", "found \"%\" at character 4"}, {"S1[2]", "found \"[\" at character 3"},
    {"1 < S1 < 2", "found \"<\" at character 8 of \"1 < S1 < 2\" where another operator (comparisons cannot be chained)"},
    {"1 == 2 != 3 + 1", "found \"!=\" at character 8"}, {"1 < 2 + 3 < 4", "found \"<\" at character 11"},
    {"\"S1", "found \"\"S1\" at character 1 of \"\"S1\" where a closing quote was expected"},
    {"S1 + `k 1", "found \"`k 1\" at character 6 of \"S1 + `k 1\" where a closing quote was expected"},
    {"S1 `k", "where a closing quote was expected"},
    {"s1 + 1",
     "rates, line 3: no species, parameter or variable is called \"s1\" (character 1 of \"s1 + 1\"); did you mean \"S1\"?"},
    {"2 * kinas",
     "no species, parameter or variable is called \"kinas\" (character 5 of \"2 * kinas\"); did you mean \"kinase\"?"},
    {"zzz", "rates, line 3: no species, parameter or variable is called \"zzz\""},
    {"`time`", "no species, parameter or variable is called \"time\""},
    {"\xC3\xA4 + 1", "no species, parameter or variable is called \"\xC3\xA4\" (character 1 of"},
    {"Sin(1)", "did you mean \"sin\"?"},
    {"S1 + \"\xC3\xA4\" - kinase", "(character 6 of"}, {"`\xC3\xA4\xC3\xA4", "at character 1"},
    {"1 + floo(2)", "no function is called \"floo\" (character 5 of \"1 + floo(2)\"); did you mean \"floor\"?"},
    {"S1(2)", "no function is called \"S1\" (character 1 of \"S1(2)\"); the functions are abs, acos"},
    {"zzzzzz(2)", "tan, tanh and time"}, {"Inf(2)", "no function is called \"Inf\""},
    {"ceilin(2)", "did you mean \"ceiling\"?"},
    {"sqrt(1, 2)", "rates, line 3: found 2 arguments of sqrt() (character 1 of \"sqrt(1, 2)\") where 1 was expected"},
    {"1 + sin()", "found 0 arguments of sin() (character 5 of \"1 + sin()\") where 1 was expected"},
    {"if(1, 2)", "found 2 arguments of if() (character 1 of \"if(1, 2)\") where 3 were expected"},
    {"if(1, 2, 3, 4)", "found 4 arguments"},
    {"min()", "found 0 arguments of min() (character 1 of \"min()\") where at least 1 were"},
    {"log(1, 2, 3)", "found 3 arguments of log() (character 1 of \"log(1, 2, 3)\") where 1 or 2 were expected"},
    {"ln(1, 2)", "found 2 arguments of ln()"},
    {"time(1)", "found 1 argument of time() (character 1 of \"time(1)\") where 0 were"},
    {"pow(1)", "found 1 argument of pow() (character 1 of \"pow(1)\") where 2 were expected"}};

static void messages(void) {
  static char *symbols[] = {"S1", "kinase", "k 1"};
  ff_names *table;
  ff_error err;
  FF_CHECK_OK(ff_names_new(&table, symbols, 3, "symbols", &err), &err);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    ff_formula formula;
    size_t length = strlen(wrong[i][0]);
    char *exact = malloc(length + 1); /* not terminated, so that the sanitizer sees reads past the end */
    memcpy(exact, wrong[i][0], length);
    char *fitting = realloc(exact, length > 0 ? length : 1);
    FF_CHECK_FAILS(ff_formula_parse(&formula, fitting, length, ff_names_find, table, (ff_place){"rates", 3}, &err), FF_EPARSE,
                   &err, wrong[i][1]);
    FF_CHECK(formula.word == NULL && formula.length == 0);
    FF_CHECK(ff_formula_parse(&formula, fitting, length, ff_names_find, table, (ff_place){NULL, 0}, NULL) == FF_EPARSE);
    free(fitting);
  }
  ff_formula formula;
  FF_CHECK_FAILS(ff_formula_parse(&formula, "1 2", 3, ff_names_find, table, (ff_place){NULL, 0}, &err), FF_EPARSE, &err,
                 "the formula: found \"2\"");
  FF_CHECK_FAILS(ff_formula_parse(&formula, "1 2", 3, ff_names_find, table, (ff_place){"net", 0}, &err), FF_EPARSE, &err,
                 "net: found \"2\"");
  FF_CHECK_FAILS(ff_formula_parse(&formula, "1\0", 2, ff_names_find, table, (ff_place){NULL, 0}, &err), FF_EPARSE, &err, "\\x00");
  ff_names_free(table);
}

static int64_t find_nothing(void *context, const char *name, size_t length) {
  (void)name;
  (void)length;
  return *(int64_t *)context;
}

static void lookups(void) {
  ff_formula formula;
  ff_error err;
  int64_t none = -2, huge = INT64_C(1) << 32, last = UINT32_MAX;
  ff_place nowhere = {NULL, 0};
  FF_CHECK_FAILS(ff_formula_parse(&formula, "x", 1, find_nothing, &none, nowhere, &err), FF_EMEMORY, &err, "no memory");
  FF_CHECK_FAILS(ff_formula_parse(&formula, "x", 1, find_nothing, &huge, nowhere, &err), FF_ESIZE, &err, "2^32");
  FF_CHECK_OK(ff_formula_parse(&formula, "x", 1, find_nothing, &last, nowhere, &err), &err);
  FF_CHECK(formula.word[0].symbol == UINT32_MAX);
  ff_formula_free(&formula);
}

/* ---- sizes ---------------------------------------------------------------------------------------------------------- */

/* before before ... a after after ..., n times each */
static void check_nested(const char *before, const char *after, double want) {
  enum { TIMES = 100000 };
  size_t left = strlen(before), right = strlen(after), length = (left + right) * TIMES + 1;
  char *text = malloc(length + 1), *at = text;
  for (int i = 0; i < TIMES; i++) at = put(at, before);
  at = put(at, "a");
  for (int i = 0; i < TIMES; i++) at = put(at, after);
  ff_formula formula, out;
  ff_error err;
  const ff_formula *with[N_NAMES] = {NULL};
  const double one[N_NAMES] = {1, 1, 1, 1};
  FF_CHECK_OK(parse(&formula, text, &err), &err);
  FF_CHECK_SAY(value(&formula, one) == want, "%s", before);
  check_text(&formula);
  FF_CHECK_OK(ff_formula_replace(&out, &formula, with, &err), &err);
  FF_CHECK_SAY(value(&out, one) == want, "%s", before);
  ff_formula_free(&out);
  ff_formula_free(&formula);
  text[length - 1] = '+';
  FF_CHECK(parse(&formula, text, &err) == FF_EPARSE);
  text[left * TIMES] = '?';
  FF_CHECK(parse(&formula, text, &err) == FF_EPARSE);
  free(text);
}

static void deep_nesting(void) {
  check_nested("(", ")", 1);
  check_nested("-", "", 1);
  check_nested("!", "", 1);
  check_nested("a^(", ")", 1);
  check_nested("a^", "", 1);
  check_nested("1*(", ")", 1);
  check_nested("a+(0*", ")", 1);
  check_nested("", "*a", 1);
  check_nested("", "-0", 1);
  check_nested("sqrt(", ")", 1);
  check_nested("min(b,", ")", 1);
  check_nested("min(", ",b)", 1);
  check_nested("if(1,", ",b)", 1);
  check_nested("log(", ",2)^0", 1);
}

static void too_long(void) {
  size_t pairs = FF_FORMULA_MAX / 2, length = 2 * pairs + 1; /* a+a+...+a has one word per byte, one too many */
  char *text = malloc(length);
  for (size_t i = 0; i < length; i++) text[i] = i % 2 == 0 ? 'a' : '+';
  ff_formula formula, out;
  ff_error err;
  ff_place nowhere = {NULL, 0};
  FF_CHECK_FAILS(ff_formula_parse(&formula, text, length, find_letter, NULL, nowhere, &err), FF_ESIZE, &err, "16777216");
  FF_CHECK(formula.word == NULL);
  FF_CHECK_OK(ff_formula_parse(&formula, text, 8191, find_letter, NULL, nowhere, &err), &err);
  const ff_formula *const with[N_NAMES] = {&formula};
  FF_CHECK_FAILS(ff_formula_replace(&out, &formula, with, &err), FF_ESIZE, &err, "would have 33554431 words");
  FF_CHECK(out.word == NULL);
  ff_formula_free(&formula);
  free(text);
}

FF_TEST_MAIN("formula", random_values, values, operations, later_formulas, copies, replacements, foldings, messages, lookups,
             deep_nesting, too_long)
