/* The texts of arithmetic formulas, and of the numbers in them. */
#define _GNU_SOURCE /* setenv under -std=c11 */
#include "comma.h"
#include "formulas.h"

static void random_texts(void) {
  uint64_t seed = 2;
  char *text = malloc(TEXT);
  for (int round = 0; round < 20000; round++) {
    ff_formula formula;
    draw_formula(&formula, text, &seed, 1 + (int)draw(&seed, DEPTH));
    check_text(&formula);
    ff_formula_free(&formula);
  }
  free(text);
}

static void texts(void) {
  static const char *const cases[][2] = {
      {"a-(b-c)", "a - (b - c)"}, {"(a-b)-c", "a - b - c"}, {"((a*b))/(c)", "a * b / c"}, {"a*(b/c)", "a * (b / c)"},
      {"-(a^2)", "-a^2"}, {"(-a)^2", "(-a)^2"}, {"(-2)^2", "(-2)^2"}, {"2^(-a)", "2^-a"}, {"(a^b)^c", "(a^b)^c"},
      {"a**(b**c)", "a^b^c"}, {"-(-a)", "--a"}, {"(-a)*b", "-a * b"}, {"-(a*b)", "-(a * b)"}, {"a-(-1)", "a - -1"},
      {"!(a==b)", "!a == b"}, {"(!a)==b", "(!a) == b"}, {"a==(!b)", "a == !b"}, {"a*(!b)+c", "a * (!b) + c"},
      {"(a<b)<c", "(a < b) < c"}, {"a<(b<c)", "a < (b < c)"}, {"(a&b)|c", "a & b | c"}, {"a&(b|c)", "a & (b | c)"},
      {"a||b&&!c", "a | b & !c"}, {"min(min(a,b),c)", "min(a, b, c)"}, {"min(a,min(b,c))", "min(a, min(b, c))"},
      {"max(a)", "a"}, {"max(min(a,b),c)", "max(min(a, b), c)"}, {"log(a,2)", "log(a) / log(2)"}, {"ln(a)", "log(a)"},
      {"ifelse(a,(b),-c)", "if(a, b, -c)"}, {"pow(a+1,b)", "(a + 1)^b"}, {"ceil(a)", "ceiling(a)"}, {"time", "time()"},
      {"time ( )", "time()"}, {"TRUE-FALSE", "1 - 0"}, {"-Inf", "-Inf"}, {"-NaN", "NaN"}, {"+a", "a"}, {"a+(+b)", "a + b"},
      {"`a`*\"b\"", "a * b"}, {"2L*3.0", "2 * 3"}, {"a!=b", "a != b"}, {"a>=b", "a >= b"}, {"a<=b", "a <= b"},
      {"\ta\n+\r b", "a + b"}, {"-0", "-0"}, {"--1", "1"}, {"1-(2)", "1 - 2"}, {"pi", "3.141592653589793"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_formula formula;
    ff_error err;
    char *shown = NULL;
    FF_CHECK_OK(parse(&formula, cases[i][0], &err), &err);
    FF_CHECK_OK(ff_formula_text(&shown, &formula, names, &err), &err);
    FF_CHECK_STR(shown, cases[i][1]);
    check_text(&formula);
    free(shown);
    ff_formula_free(&formula);
  }
}

/* Names that need quotes, and names that are also words of the grammar. */
static void names_in_texts(void) {
  static char *odd[] = {"a b", "", "2a", "Inf", "x`y", "time", "pi", "min", "\xC3\xA4", ".x", ".5x", "a-b", "NaN", "_", "TRUE"};
  static const char *const want[] = {"`a b`", "``", "`2a`", "`Inf`", "\"x`y\"", "time", "pi", "min", "\xC3\xA4", ".x", "`.5x`",
                                     "`a-b`", "`NaN`", "_", "`TRUE`"};
  enum { N = sizeof odd / sizeof odd[0] };
  ff_names *table;
  ff_error err;
  FF_CHECK_OK(ff_names_new(&table, odd, N, "symbols", &err), &err);
  for (uint32_t i = 0; i < N; i++) {
    ff_formula_word word = {FF_F_SYMBOL, i, 0};
    ff_formula formula = {&word, 1, 1}, again;
    char *shown;
    FF_CHECK_OK(ff_formula_text(&shown, &formula, odd, &err), &err);
    FF_CHECK_STR(shown, want[i]);
    FF_CHECK_OK(ff_formula_parse(&again, shown, strlen(shown), ff_names_find, table, (ff_place){NULL, 0}, &err), &err);
    FF_CHECK_SAY(same_code(&formula, &again), "%s", shown);
    ff_formula_free(&again);
    free(shown);
  }
  ff_names_free(table);
  ff_formula_word word = {FF_F_SYMBOL, 0, 0};
  ff_formula formula = {&word, 1, 1}, empty = {0};
  char *both[] = {"\"`"}, *shown;
  FF_CHECK_FAILS(ff_formula_text(&shown, &formula, both, &err), FF_EMODEL, &err, "cannot be written");
  FF_CHECK(shown == NULL);
  FF_CHECK_FAILS(ff_formula_text(&shown, &empty, both, &err), FF_EINTERNAL, &err, "empty");
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* Whether some decimal number with n significant digits has the value x > 0. */
static int has_digits(double x, int n) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", n - 1, x);
  long power = strtol(strchr(text, 'e') + 1, NULL, 10) - (n - 1);
  unsigned long long digits = 0;
  for (const char *at = text; *at != 'e'; at++)
    if (*at != '.') digits = digits * 10 + (unsigned long long)(*at - '0');
  for (unsigned long long d = digits - 1; d <= digits + 1; d++) {
    snprintf(text, sizeof text, "%llue%ld", d, power);
    if (strtod(text, NULL) == x) return 1;
  }
  return 0;
}

static int significant(const char *text) {
  int n = 0, zeros = 0;
  for (; *text != '\0' && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) continue;
    n++;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return n - zeros;
}

static void check_number(double x) {
  ff_formula formula, again;
  ff_error err;
  char *shown;
  FF_CHECK_OK(ff_formula_of_number(&formula, x, &err), &err);
  FF_CHECK_OK(ff_formula_text(&shown, &formula, names, &err), &err);
  FF_CHECK_OK(parse(&again, shown, &err), &err);
  double got = 0;
  FF_CHECK(ff_formula_is_number(&again, &got));
  FF_CHECK_SAY(same_bits(got, x), "%.17g as %s", x, shown);
  if (isfinite(x) && x != 0) {
    int n = significant(shown);
    FF_CHECK_SAY(n <= 17 && (n == 1 || !has_digits(fabs(x), n - 1)), "%s has too many digits", shown);
  }
  ff_formula_free(&again);
  ff_formula_free(&formula);
  free(shown);
}

static void numbers(void) {
  uint64_t seed = 3;
  for (int i = 0; i < 10000; i++) {
    uint64_t bits = draw_bits(&seed);
    double x;
    memcpy(&x, &bits, sizeof x);
    check_number(x);
    check_number((double)draw(&seed, 1u << 20) / 1000);
    check_number(round(ldexp(1, (int)draw(&seed, 60)) * draw_value(&seed)));
  }
  for (int k = -1074; k < 1024; k++) check_number(ldexp(1, k)); /* the interval around a power of 2 is not symmetric */
  for (int k = -330; k < 310; k++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", k);
    check_number(strtod(text, NULL));
  }
  static const char *const shown[][2] = {
      {"100000", "1e+05"}, {"123456", "123456"}, {"0.0001", "1e-04"}, {"0.001", "0.001"}, {"1e-5", "1e-05"}, {"1e15", "1e+15"},
      {"0.1", "0.1"}, {"120000", "120000"}, {"1.5e-10", "1.5e-10"}, {"1234.5678", "1234.5678"}, {"1e22", "1e+22"},
      {"1e23", "1e+23"}, {"5e-324", "5e-324"}, {"5.684341886080802e-14", "5.684341886080802e-14"}, {"1e400", "Inf"},
      {"1e-400", "0"}, {"1e999999999999999999999", "Inf"}, {"0e999999999999999999999", "0"},
      {"0.30000000000000004", "0.30000000000000004"},
      {"1e-999999999999999999999", "0"}, {"00012", "12"}, {"0x", NULL}, {"1E+2", "100"}, {"12345678", "12345678"}};
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
    ff_formula formula;
    ff_error err;
    char *text = NULL;
    ff_status status = parse(&formula, shown[i][0], &err);
    FF_CHECK_INT(status, shown[i][1] == NULL ? FF_EPARSE : FF_OK);
    if (status != FF_OK) continue;
    FF_CHECK_OK(ff_formula_text(&text, &formula, names, &err), &err);
    FF_CHECK_STR(text, shown[i][1]);
    free(text);
    ff_formula_free(&formula);
  }
}

/* Long texts, in which the last digit decides on the rounding. */
static void long_numbers(void) {
  char *text = malloc(4000);
  ff_error err;
  for (int more = 0; more < 2; more++) {
    for (int zeros = 1; zeros < 3000; zeros += 97) { /* 2^53 + 1 lies halfway between two doubles */
      snprintf(text, 4000, "9007199254740993.%0*d", zeros, more);
      ff_formula formula;
      FF_CHECK_OK(parse(&formula, text, &err), &err);
      FF_CHECK(value(&formula, NULL) == (more ? 9007199254740994.0 : 9007199254740992.0));
      ff_formula_free(&formula);
      snprintf(text, 4000, "0.%0*d9007199254740993%se%d", zeros, 0, more ? "0000000000000000000000000001" : "", zeros + 16);
      FF_CHECK_OK(parse(&formula, text, &err), &err);
      FF_CHECK(value(&formula, NULL) == (more ? 9007199254740994.0 : 9007199254740992.0));
      ff_formula_free(&formula);
      snprintf(text, 4000, "1%0*de-%d", zeros, 0, zeros);
      FF_CHECK_OK(parse(&formula, text, &err), &err);
      FF_CHECK(value(&formula, NULL) == 1);
      ff_formula_free(&formula);
    }
  }
  free(text);
}

static void other_locale(void) {
  if (!comma_begin()) FF_SKIP("no locale with a decimal comma is installed");
  ff_formula formula;
  ff_error err;
  char *shown;
  FF_CHECK_OK(parse(&formula, "1.25e-7 + 1234.5 * a", &err), &err);
  FF_CHECK(formula.word[0].number == 1.25e-7 && formula.word[1].number == 1234.5);
  FF_CHECK_OK(ff_formula_text(&shown, &formula, names, &err), &err);
  FF_CHECK_STR(shown, "1.25e-07 + 1234.5 * a");
  free(shown);
  ff_formula_free(&formula);
  comma_end();
}

/* Names with brackets: a look-up that keeps each name as a symbol. */
typedef struct {
  char *name[10];
  uint32_t n;
} kept_names;

static int64_t keep_name(void *context, const char *name, size_t length) {
  kept_names *kept = context;
  if (length == 4 && memcmp(name, "none", 4) == 0) return -1;
  if (length == 4 && memcmp(name, "fail", 4) == 0) return -2 - FF_ESIZE;
  if (length == 4 && memcmp(name, "time", 4) == 0) return -1;
  kept->name[kept->n] = ff_strndup(name, length);
  return kept->n++;
}

static const char *no_name(void *context, const char *name, size_t length) {
  (void)context;
  return length == 4 && memcmp(name, "none", 4) == 0 ? "nine" : NULL;
}

static void elements(void) {
  static const struct {
    const char *text, *wanted, *part;
  } cases[] = {
      {"2*Ca[x, next(y)]", "2 * Ca[x, next(y)]", NULL},
      {"sum( Ca ) + Ca [1]^2", "sum( Ca ) + Ca [1]^2", NULL},
      {"`two words`[\"]\"] - \"b\"", "`two words`[\"]\"] - \"b\"", NULL},
      {"min(a[b[1]], time)", "min(a[b[1]], time())", NULL},
      {"sum + summary[(2)]", "sum + summary[(2)]", NULL},
      {"a[1", NULL, "found \"a[1\" at character 1 of \"a[1\" where a closing bracket was expected"},
      {"sum(a", NULL, "a closing bracket"},
      {"1 + none", NULL, "no thing is called \"none\" (character 5 of \"1 + none\"); did you mean \"nine\"?"},
      {"a[1](2)", NULL, "no function is called \"a[1]\""},
      {"a[1] b", NULL, "found \"b\" at character 6"},
      {"fail", NULL, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    kept_names kept = {{NULL}, 0};
    const ff_formula_elements as = {keep_name, &kept, "thing", no_name};
    ff_formula formula;
    ff_error err = {FF_OK, ""};
    char *text = NULL;
    const ff_status status =
        ff_formula_parse_elements(&formula, cases[i].text, strlen(cases[i].text), &as, (ff_place){NULL, 0}, &err);
    if (cases[i].wanted != NULL) {
      FF_CHECK_OK(status, &err);
      FF_CHECK_OK(ff_formula_text_elements(&text, &formula, kept.name, 0, &err), &err);
      FF_CHECK_STR(text, cases[i].wanted);
    } else {
      FF_CHECK_FAILS(status, strcmp(cases[i].text, "fail") == 0 ? FF_ESIZE : FF_EPARSE, &err, cases[i].part);
    }
    free(text);
    ff_formula_free(&formula);
    for (uint32_t k = 0; k < kept.n; k++) free(kept.name[k]);
  }
}

FF_TEST_MAIN("formula_text", random_texts, texts, names_in_texts, numbers, long_numbers, other_locale,
             elements)
