/* Colours of coloured Petri nets: expressions, their texts and values, and sets. test_colour_bind.c has the search for
 * bindings. */
#include "check.h"
#include "colours.h"
#include "corpus.h"

static colour_net net;

static void with_net(void (*test)(void)) {
  ff_error err = {FF_OK, ""};
  const ff_status status = colour_net_make(&net, &err);
  FF_CHECK_OK(status, &err);
  if (status == FF_OK) test();
  colour_net_free(&net);
}

static int same_code(const ff_colour_expr *x, const ff_colour_expr *y) {
  if (x->length != y->length || x->depth != y->depth) return 0;
  for (uint32_t i = 0; i < x->length; i++)
    if (x->word[i].code != y->word[i].code || x->word[i].of != y->word[i].of || x->word[i].value != y->word[i].value) return 0;
  return 1;
}

/* The text of an expression must be `wanted`, and must give the same code. */
static void check_text(const ff_colour_expr *expr, ff_colour_dialect dialect, const char *wanted) {
  ff_error err = {FF_OK, ""};
  ff_colour_expr again;
  char *text;
  FF_CHECK_OK(ff_colour_text(&text, expr, dialect, &net.scope, &err), &err);
  if (text == NULL) return;
  FF_CHECK_SAY(strcmp(text, wanted) == 0, "found %s where %s was expected", text, wanted);
  FF_CHECK_OK(ff_colour_parse(&again, text, strlen(text), dialect, &net.scope, (ff_place){0}, &err), &err);
  FF_CHECK_SAY(same_code(expr, &again), "%s", text);
  ff_colour_free(&again);
  free(text);
}

static const struct {
  ff_colour_dialect dialect;
  const char *text, *r, *candl;
} texts[] = {
    {FF_COLOUR_R, "abs(x-a)+abs(y-b)==1", "abs(x - a) + abs(y - b) == 1", "abs(x - a) + abs(y - b) = 1"},
    {FF_COLOUR_R, "x == next(x) && next(next(y)) != b", "x == next(x) & next(next(y)) != b", "x = +x & +(+y) != b"},
    {FF_COLOUR_R, "-(x + 1) == -1", "-(x + 1) == -1", "-(x + 1) = -1"},
    {FF_COLOUR_R, "-(2L)^2 == (-2) ^ 2 ** n", "-2^2 == (-2)^2^n", "-(2 ^ 2) = -2 ^ (2 ^ n)"},
    {FF_COLOUR_R, "2^-x[1]^2", "2^-x^2", "2 ^ -(x ^ 2)"},
    {FF_COLOUR_R, "x[1] - (a - 1) - 1", "x - (a - 1) - 1", "x - (a - 1) - 1"},
    {FF_COLOUR_R, "2 * x %% 3 %/% 2 * 4", "2 * x %% 3 %/% 2 * 4", "2 * (x % 3 / 2) * 4"},
    {FF_COLOUR_R, "p == q | p != q", "p[1] == q[1] & p[2] == q[2] | (p[1] != q[1] | p[2] != q[2])",
     "p:1 = q:1 & p:2 = q:2 | (p:1 != q:1 | p:2 != q:2)"},
    {FF_COLOUR_R, "!x == 1 & 2 * !a", "!x == 1 & 2 * !a", "!(x = 1) & 2 * !a"},
    {FF_COLOUR_R, "(x == 1) == (a == 2)", "(x == 1) == (a == 2)", "(x = 1) = (a = 2)"},
    {FF_COLOUR_R, "c == red | m == 'light'", NULL, NULL},
    {FF_COLOUR_R, "c == red | m == \"light grey\"", "c == red | m == `light grey`", "c = red | m = `light grey`"},
    {FF_COLOUR_R, "near(x, a) & step(x, a + 1) & one() == TRUE", "near(x, a) & step(x, a + 1) & one() == 1",
     "near(x, a) & step(x, a + 1) & one() = 1"},
    {FF_COLOUR_R, "--abs(x) - -abs(x)", "--abs(x) - -abs(x)", "-(-abs(x)) - -abs(x)"},
    {FF_COLOUR_R, "-n^2 * (-n)^2 > x - -3", "-n^2 * (-n)^2 > x - -3", "-(n ^ 2) * (-n ^ 2) > x - -3"},
    {FF_COLOUR_CANDL, "+(+y)=b&-x=a", "next(next(y)) == b & previous(x) == a", "+(+y) = b & -x = a"},
    {FF_COLOUR_CANDL, "-x*2 + +y - -(-(b))", "previous(x) * 2 + next(y) - previous(previous(b))", "-x * 2 + +y - -(-b)"},
    {FF_COLOUR_CANDL, "a<>x || a==1 && b%2=1", "a != x | a == 1 & b %% 2 == 1", "a != x | a = 1 & b % 2 = 1"},
    {FF_COLOUR_CANDL, "!x = 1 | !(x = 1)", "(!x) == 1 | !x == 1", "!x = 1 | !(x = 1)"},
    {FF_COLOUR_CANDL, "x < 3 = a < 3 & -3 ^ 2 = 9", "(x < 3) == (a < 3) & (-3)^2 == 9", "x < 3 = a < 3 & -3 ^ 2 = 9"},
    {FF_COLOUR_CANDL, "2 ^ 3 ^ x / 2 * 3", "(2^3)^x %/% 2 * 3", "2 ^ 3 ^ x / 2 * 3"},
    {FF_COLOUR_CANDL, "p:2 = y & + p : 1 != 2 | (p) = (q)", "p[2] == y & next(p[1]) != 2 | p[1] == q[1] & p[2] == q[2]",
     "p:2 = y & +p:1 != 2 | p:1 = q:1 & p:2 = q:2"},
    {FF_COLOUR_CANDL, "-n + +n - -(x + 1)", "-n + n - -(x + 1)", "-n + n - -(x + 1)"},
    {FF_COLOUR_CANDL, "near(+x, -a) | after(x) = +after(x)", "near(next(x), previous(a)) | after(x) == after(x)",
     "near(+x, -a) | after(x) = after(x)"},
};

static void check_texts(void) {
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    ff_error err = {FF_OK, ""};
    ff_colour_expr expr, copy;
    const char *text = texts[i].text;
    const ff_status status = ff_colour_parse(&expr, text, strlen(text), texts[i].dialect, &net.scope, (ff_place){0}, &err);
    FF_CHECK_SAY((status == FF_OK) == (texts[i].r != NULL), "%s: %s", text, err.text);
    if (status != FF_OK || texts[i].r == NULL) continue;
    check_text(&expr, FF_COLOUR_R, texts[i].r);
    check_text(&expr, FF_COLOUR_CANDL, texts[i].candl);
    FF_CHECK_OK(ff_colour_copy(&copy, &expr, &err), &err);
    FF_CHECK(same_code(&copy, &expr));
    ff_colour_free(&copy);
    ff_colour_free(&expr);
  }
  ff_colour_expr none = {0}, copy;
  ff_error err = {FF_OK, ""};
  FF_CHECK_OK(ff_colour_copy(&copy, &none, &err), &err);
  FF_CHECK(copy.length == 0 && copy.word == NULL);
}
static void text(void) { with_net(check_texts); }

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

static const struct {
  ff_colour_dialect dialect;
  const char *text, *message;
} errors[] = {
    {FF_COLOUR_R, "y == -x",
     "found \"-\" before an index (character 6 of \"y == -x\"); next(x) and previous(x) are the neighbours of x, and 0 - x is "
     "its "
     "negative"},
    {FF_COLOUR_R, "+next(x)",
     "found \"+\" before an index (character 1 of \"+next(x)\"); next(x) and previous(x) are the neighbours of x, and 0 - x is "
     "its "
     "negative"},
    {FF_COLOUR_R, "p[3] == 1",
     "the expression: found \"3\" at character 3 of \"p[3] == 1\" where a component from 1 to 2 was expected"},
    {FF_COLOUR_R, "p[1", "the expression: found the end at character 4 of \"p[1\" where \"]\" was expected"},
    {FF_COLOUR_R, "x + p",
     "the index \"p\" stands for tuples of 2 colours (character 5 of \"x + p\"); such indices can be compared with each other by "
     "== and "
     "!=, and p[1] is the first component"},
    {FF_COLOUR_CANDL, "p < q",
     "the index \"p\" stands for tuples of 2 colours (character 1 of \"p < q\"); such indices can be compared with each other by "
     "= and "
     "!=, and p:1 is the first component"},
    {FF_COLOUR_R, "p == x",
     "the index \"p\" stands for tuples of 2 colours (character 1 of \"p == x\"); such indices can be compared with each other "
     "by == "
     "and !=, and p[1] is the first component"},
    {FF_COLOUR_R, "x == p", NULL},
    {FF_COLOUR_R, "!p", NULL},
    {FF_COLOUR_R, "near(p, x)", NULL},
    {FF_COLOUR_R, "next(p)", NULL},
    {FF_COLOUR_R, "p", NULL},
    {FF_COLOUR_CANDL, "+p = q", NULL},
    {FF_COLOUR_R, "gren == c",
     "no index, parameter or colour is called \"gren\" (character 1 of \"gren == c\"); did you mean \"green\"?"},
    {FF_COLOUR_R, "moss == m",
     "no index, parameter or colour is called \"moss\" (character 1 of \"moss == m\"); did you mean \"most\"?"},
    {FF_COLOUR_R, "x + zz", "no index, parameter or colour is called \"zz\" (character 5 of \"x + zz\")"},
    {FF_COLOUR_R, "nxet(x)", "no function of colours is called \"nxet\" (character 1 of \"nxet(x)\"); did you mean \"next\"?"},
    {FF_COLOUR_CANDL, "next(x)",
     "no function of colours is called \"next\" (character 1 of \"next(x)\"); there is abs(), and +x and -x are the neighbours "
     "of an "
     "index x"},
    {FF_COLOUR_R, "next(3)",
     "found \"next\" of something else (character 1 of \"next(3)\") where an index whose set is known, or a neighbour of one was "
     "expected"},
    {FF_COLOUR_CANDL, "-red",
     "found \"-\" of a colour (character 1 of \"-red\") where an index whose set is known, or a neighbour of one was expected"},
    {FF_COLOUR_R, "near(x)", "found 1 argument of \"near\" (character 1 of \"near(x)\") where 2 were expected"},
    {FF_COLOUR_R, "one(x, 1)", "found 2 arguments of \"one\" (character 1 of \"one(x, 1)\") where 0 were expected"},
    {FF_COLOUR_R, "x = 1",
     "the expression: found \"=\" at character 3 of \"x = 1\" where an operator (\"==\" compares) was expected"},
    {FF_COLOUR_R, "x % 2",
     "the expression: found \"%\" at character 3 of \"x % 2\" where an operator (\"%/%\" divides, \"%%\" is what is left) was "
     "expected"},
    {FF_COLOUR_R, "1 < x < 3",
     "the expression: found \"<\" at character 7 of \"1 < x < 3\" where another operator (comparisons cannot be chained) was "
     "expected"},
    {FF_COLOUR_CANDL, "1 = x = 3", NULL},
    {FF_COLOUR_R, "x == 1.5",
     "the expression: found \"1.5\" at character 6 of \"x == 1.5\" where a whole number below 2^39 was expected"},
    {FF_COLOUR_R, "x == 1e12", NULL},
    {FF_COLOUR_R, "(x == 1",
     "the expression: found the end at character 8 of \"(x == 1\" where an operator or \")\" was expected"},
    {FF_COLOUR_R, "x == 1)", NULL},
    {FF_COLOUR_R, "(x, y)", NULL},
    {FF_COLOUR_R, "x ==", NULL},
    {FF_COLOUR_R, "x == \"a", NULL},
    {FF_COLOUR_R, "x $ 1", NULL},
    {FF_COLOUR_R, "", NULL},
    {FF_COLOUR_R, "next()", NULL},
};

static void check_errors(void) {
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
    ff_error err = {FF_OK, ""};
    ff_colour_expr expr;
    const char *text = errors[i].text;
    const ff_status status = ff_colour_parse(&expr, text, strlen(text), errors[i].dialect, &net.scope, (ff_place){0}, &err);
    FF_CHECK_SAY(status == FF_EPARSE && expr.word == NULL, "%s", text);
    if (errors[i].message != NULL) FF_CHECK_SAY(strcmp(err.text, errors[i].message) == 0, "%s", err.text);
    FF_CHECK_SAY(ff_colour_parse(&expr, text, strlen(text), errors[i].dialect, &net.scope, (ff_place){"net", 3}, &err) ==
                         FF_EPARSE &&
                     strncmp(err.text, "net, line 3: ", 13) == 0,
                 "%s", err.text);
  }
}
static void messages(void) { with_net(check_errors); }

/* ---- values ------------------------------------------------------------------------------------------------------------- */

enum { NONE = -999 };

static const struct {
  const char *text;
  int64_t value; /* at x = 5, y = 7, a = 2, c = blue, g = -2, m = 5; NONE if there is none */
} values[] = {
    {"7 %/% 2", 3},        {"(-7) %/% 2", -3},   {"7 %/% -2", -3},      {"(-7) %% 3", -1},      {"7 %% -3", 1},
    {"7 %/% (x - 5)", NONE}, {"7 %% (x - 5)", NONE}, {"2^10", 1024},    {"2^38 + 2^38", NONE},  {"2^39", NONE},
    {"2^38 * 1", 274877906944}, {"2^(-1)", NONE}, {"0^0", 1},           {"(-1)^1000001", -1},   {"(-2)^3", -8},
    {"10^30", NONE},       {"next(x)", 1},       {"previous(x)", 4},    {"next(next(y))", 2},   {"next(c) == red", 1},
    {"next(g)", 1},        {"previous(g)", 8},   {"next(m) == `light grey`", 1}, {"previous(m) == red", 1}, {"c == 1", 0},
    {"c != 1", 1},         {"c < 1", NONE},      {"c + 1", NONE},       {"-c[1]", NONE},        {"abs(g)", 2},
    {"c < red", 0},        {"c >= green", 1},    {"x == 5 | 1 %/% 0 == 1", 1}, {"1 %/% 0 == 1 | x == 5", 1},
    {"x == 4 & 1 %/% 0 == 1", 0}, {"1 %/% 0 == 1 & x == 4", 0}, {"x == 5 & 1 %/% 0 == 1", NONE},
    {"x == 4 | 1 %/% 0 == 1", NONE}, {"!(1 %/% 0 == 1)", NONE}, {"!x", 0}, {"!0 & 7", 1},     {"x & 0", 0},
    {"n + k", 1},          {"near(x, a + 2)", 1}, {"step(x, 1)", 1},    {"step(x + 1, 1)", NONE}, {"step(x - 1, 5)", 1},
    {"after(after(x))", 2}, {"TRUE + true", 2},   {"2 * -3", -6},       {"x > 4 & y >= 7 & a <= 2 & a < 3", 1},
};

static void set_components(int64_t *component) {
  static const int64_t at[] = {5, 7, 2, 1, NAMED(2), NAMED(0), -2, 5};
  for (uint32_t i = 0; i < net.n_components; i++) component[i] = i < 8 ? at[i] : 1;
}

static void check_values(void) {
  int64_t component[32], stack[32], value;
  set_components(component);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    ff_error err = {FF_OK, ""};
    ff_colour_expr expr, expanded;
    const char *text = values[i].text;
    const ff_status status = ff_colour_parse(&expr, text, strlen(text), FF_COLOUR_R, &net.scope, (ff_place){0}, &err);
    if (strstr(text, "-c") != NULL) { /* it is refused at once */
      FF_CHECK(status == FF_EPARSE);
      continue;
    }
    FF_CHECK_OK(status, &err);
    if (status != FF_OK) continue;
    FF_CHECK_OK(ff_colour_expand(&expanded, &expr, &net.scope, &err), &err);
    FF_CHECK(expanded.depth <= 32);
    const int has = ff_colour_value(&value, &expanded, &net.scope, component, stack);
    FF_CHECK_SAY(has == (values[i].value != NONE) && (!has || value == values[i].value), "%s is %lld", text, (long long)value);
    ff_colour_free(&expanded);
    ff_colour_free(&expr);
  }
}
static void value(void) { with_net(check_values); }

/* ---- functions and constants -------------------------------------------------------------------------------------------- */

static void check_expansion(const char *text, ff_status wanted, const char *result) {
  ff_error err = {FF_OK, ""};
  ff_colour_expr expr, expanded;
  char *shown;
  FF_CHECK_OK(ff_colour_parse(&expr, text, strlen(text), FF_COLOUR_R, &net.scope, (ff_place){0}, &err), &err);
  FF_CHECK(ff_colour_expand(&expanded, &expr, &net.scope, &err) == wanted);
  if (wanted == FF_OK) {
    FF_CHECK_OK(ff_colour_text(&shown, &expanded, FF_COLOUR_R, &net.scope, &err), &err);
    FF_CHECK_SAY(strcmp(shown, result) == 0, "%s", shown);
    free(shown);
  } else {
    FF_CHECK_SAY(strcmp(err.text, result) == 0 && expanded.word == NULL, "%s", err.text);
  }
  ff_colour_free(&expanded);
  ff_colour_free(&expr);
}

static void check_expand(void) {
  check_expansion("step(x, a) & n == 3", FF_OK, "(next(x) == a | abs(x - (a + 3)) == 1) & 3 == 3");
  check_expansion("near(after(x), after(previous(y)))", FF_OK, "abs(next(x) - next(previous(y))) == 1");
  check_expansion("one() + one()", FF_OK, "1 + 1");
  check_expansion("after(x + 1)", FF_EMODEL, "a colour function has next() of an argument that is not an index");
  check_expansion("x == half", FF_EMODEL,
                  "the parameter \"half\" is 2.5 in an expression of colours, where a whole number was expected");
  check_expansion("x == big", FF_EMODEL,
                  "the parameter \"big\" is 1e+13 in an expression of colours, where a whole number was expected");
}
static void expansion(void) { with_net(check_expand); }

/* f1(s) = s + s, and each function calls the one before twice: 2^30 words. With `drop`, the values are short, but the work is
 * not. */
static void grows_without_end(void) {
  enum { N = 30 };
  static ff_colour_function function[N];
  static char names[N][8], *argument[] = {(char *)"s"};
  static uint32_t set[] = {UINT32_MAX};
  for (int drop = 0; drop < 2; drop++) {
    ff_error err = {FF_OK, ""};
    ff_colour_scope scope = {.function = function, .subset_of = UINT32_MAX};
    for (uint32_t f = 0; f < N; f++) {
      char text[64];
      snprintf(names[f], sizeof names[f], "f%u", f);
      snprintf(text, sizeof text, f == 0 ? (drop ? "1" : "s + s") : drop ? "f%u(f%u(s))" : "f%u(s) + f%u(s)", f - 1, f - 1);
      function[f] = (ff_colour_function){.name = names[f], .argument = argument, .set = set, .n_arguments = 1};
      scope.within = &function[f];
      scope.n_functions = f;
      FF_CHECK_OK(ff_colour_parse(&function[f].value, text, strlen(text), FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
    }
    scope.within = NULL;
    scope.n_functions = N;
    ff_colour_expr expr, expanded;
    FF_CHECK_OK(ff_colour_parse(&expr, "f29(1)", 6, FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
    FF_CHECK(ff_colour_expand(&expanded, &expr, &scope, &err) == FF_ESIZE);
    ff_colour_free(&expr);
    for (uint32_t f = 0; f < N; f++) ff_colour_free(&function[f].value);
  }
}

/* ---- nesting ------------------------------------------------------------------------------------------------------------ */

static void check_nested(size_t n, const char *open, const char *middle, const char *close, ff_colour_dialect dialect) {
  const size_t a = strlen(open), m = strlen(middle), z = strlen(close), length = n * (a + z) + m;
  char *text = malloc(length), *again;
  ff_error err = {FF_OK, ""};
  ff_colour_expr expr, copy;
  for (size_t i = 0; i < n; i++) memcpy(text + i * a, open, a);
  memcpy(text + n * a, middle, m);
  for (size_t i = 0; i < n; i++) memcpy(text + n * a + m + i * z, close, z);
  FF_CHECK_OK(ff_colour_parse(&expr, text, length, dialect, &net.scope, (ff_place){0}, &err), &err);
  FF_CHECK_OK(ff_colour_expand(&copy, &expr, &net.scope, &err), &err);
  FF_CHECK_OK(ff_colour_text(&again, &expr, dialect, &net.scope, &err), &err);
  const uint32_t index[] = {0, 2};
  ff_binder *binder;
  int done = 0;
  FF_CHECK_OK(ff_binder_new(&binder, index, 2, &copy, &net.scope, &err), &err);
  if (binder != NULL) FF_CHECK_OK(ff_binder_step(binder, 4 * n, &done, &err), &err);
  ff_binder_free(binder);
  ff_colour_free(&expr);
  FF_CHECK(ff_colour_parse(&expr, text, n * a, dialect, &net.scope, (ff_place){0}, &err) == FF_EPARSE);
  ff_colour_free(&copy);
  free(again);
  free(text);
}

static void check_deep(void) {
  check_nested(1000000, "(", "x == 1", ")", FF_COLOUR_R);
  check_nested(100000, "!", "x", "", FF_COLOUR_R);
  check_nested(100000, "next(", "x", ")", FF_COLOUR_R);
  check_nested(100000, "+(", "x", ")", FF_COLOUR_CANDL);
  check_nested(100000, "-(1 + ", "x", ")", FF_COLOUR_R);
  check_nested(100000, "x | (a & (", "a == 2", "))", FF_COLOUR_R);
}
static void deep(void) { with_net(check_deep); }

/* ---- sets --------------------------------------------------------------------------------------------------------------- */

static void check_set(const char *name, uint32_t n, uint32_t width, const char *first, const char *last) {
  for (uint32_t s = 0; s < COLOUR_SETS; s++) {
    if (strcmp(net.set[s].name, name) != 0) continue;
    const ff_colours *set = net.colours[s];
    char text[64];
    FF_CHECK_SAY(ff_colours_n(set) == n && ff_colours_width(set) == width, "%s: %u", name, ff_colours_n(set));
    for (uint32_t i = 0; i < ff_colours_n(set); i++) {
      int64_t tuple[FF_COLOUR_MAX_WIDTH];
      ff_colours_at(set, i, tuple);
      FF_CHECK(ff_colours_find(set, tuple) == i);
      for (uint32_t k = 0; k < width; k++) FF_CHECK(ff_colours_find(ff_colours_component(set, k), &tuple[k]) >= 0);
      tuple[width - 1] = 1000;
      FF_CHECK(ff_colours_find(set, tuple) == -1);
    }
    FF_CHECK(ff_colours_text(text, sizeof text, set, 0, "_", &net.scope) == strlen(first));
    FF_CHECK_SAY(strcmp(text, first) == 0, "%s", text);
    FF_CHECK(ff_colours_text(text, sizeof text, set, n - 1, ",", &net.scope) == strlen(last));
    FF_CHECK_SAY(strcmp(text, last) == 0, "%s", text);
    FF_CHECK(ff_colours_text(text, 3, set, n - 1, ",", &net.scope) == strlen(last) && strlen(text) < 3);
  }
}

static void check_sets(void) {
  check_set("X", 5, 1, "1", "5");
  check_set("C", 3, 1, "red", "blue");
  check_set("G", 5, 1, "1", "-2");
  check_set("M", 4, 1, "2", "light grey");
  check_set("Cell", 35, 2, "1_1", "5,7");
  /* x and y are both odd (3 * 4), both even (2 * 3), or else y is above 6, so x is even (2) */
  check_set("Part", 12 + 6 + 2, 2, "1_1", "5,7");
  check_set("Both", 35, 2, "1_1", "5,6"); /* what the first part leaves comes last */
  check_set("Paint", 15, 2, "red_1", "blue,5");
  check_set("Mixed", 50, 2, "1_1", "blue,5");
  check_set("Odd", 3, 1, "1", "5");
  check_set("Most", 2, 1, "3", "5");
  const ff_colours *mixed = net.colours[9];
  FF_CHECK(ff_colours_n(ff_colours_component(mixed, 0)) == 8 && ff_colours_n(ff_colours_component(mixed, 1)) == 7);
  FF_CHECK(ff_colours_component(net.colours[6], 1) == net.colours[1] &&
           ff_colours_component(net.colours[10], 0) == net.colours[10]);
  FF_CHECK(ff_colours_component(net.colours[7], 0) == net.colours[0]); /* both parts of the union have it */
}
static void sets(void) { with_net(check_sets); }

static void check_bad_set(ff_colour_definition set, const char *predicate, ff_status wanted, const char *message) {
  ff_colour_definition all[COLOUR_SETS + 1];
  ff_colours *made[COLOUR_SETS + 1] = {NULL}, *out;
  ff_error err = {FF_OK, ""};
  ff_colour_scope scope = net.scope;
  memcpy(all, net.set, sizeof net.set);
  memcpy(made, net.colours, sizeof net.colours);
  set.name = (char *)"New";
  scope.set = all;
  scope.colours = made;
  scope.n_sets = COLOUR_SETS + 1;
  if (predicate != NULL) {
    scope.subset_of = set.part[0];
    FF_CHECK_OK(ff_colour_parse(&set.predicate, predicate, strlen(predicate), FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
    scope.subset_of = UINT32_MAX;
  }
  all[COLOUR_SETS] = set;
  FF_CHECK(ff_colours_new(&out, COLOUR_SETS, &scope, &err) == wanted && out == NULL);
  FF_CHECK_SAY(strcmp(err.text, message) == 0, "%s", err.text);
  ff_colour_free(&set.predicate);
}

static void check_bad_sets(void) {
  int64_t twice[] = {4, 7, 4}, names[] = {NAMED(1), NAMED(3), NAMED(3)};
  uint32_t x[] = {0}, more[] = {5, 5, 5, 5, 0}, unequal[] = {5, 0};
  check_bad_set((ff_colour_definition){.kind = FF_SET_VALUES}, NULL, FF_EMODEL, "the set \"New\" has no colours");
  check_bad_set((ff_colour_definition){.kind = FF_SET_VALUES, .value = twice, .n_values = 3}, NULL, FF_EMODEL,
                "the set \"New\" has the colour 4 twice");
  check_bad_set((ff_colour_definition){.kind = FF_SET_VALUES, .value = names, .n_values = 3}, NULL, FF_EMODEL,
                "the set \"New\" has the colour \"light grey\" twice");
  check_bad_set((ff_colour_definition){.kind = FF_SET_SUBSET, .part = x, .n_parts = 1}, "x > 5", FF_EMODEL,
                "the set \"New\" has no colours");
  check_bad_set((ff_colour_definition){.kind = FF_SET_SUBSET, .part = x, .n_parts = 1}, "x > half", FF_EMODEL,
                "the parameter \"half\" is 2.5 in an expression of colours, where a whole number was expected");
  check_bad_set((ff_colour_definition){.kind = FF_SET_PRODUCT}, NULL, FF_EMODEL, "the set \"New\" has no colours");
  check_bad_set((ff_colour_definition){.kind = FF_SET_UNION}, NULL, FF_EMODEL, "the set \"New\" has no colours");
  check_bad_set((ff_colour_definition){.kind = FF_SET_PRODUCT, .part = more, .n_parts = 5}, NULL, FF_ESIZE,
                "the colours of the set \"New\" have more than 8 components");
  check_bad_set((ff_colour_definition){.kind = FF_SET_UNION, .part = unequal, .n_parts = 2}, NULL, FF_EMODEL,
                "the set \"New\" joins the set Cell, whose colours have 2 components, and X, where they have 1");
}
static void bad_sets(void) { with_net(check_bad_sets); }

/* 100,000^2 colours are too many; 8,192^2 are not, and take no memory. */
static void large_sets(void) {
  enum { N = 100000 };
  int64_t *number = malloc(N * sizeof *number);
  for (int i = 0; i < N; i++) number[i] = i - 50;
  uint32_t both[] = {0, 0}, less[] = {2, 2};
  const ff_colour_definition set[] = {{.name = (char *)"A", .value = number, .n_values = N},
                                      {.name = (char *)"AA", .kind = FF_SET_PRODUCT, .part = both, .n_parts = 2},
                                      {.name = (char *)"B", .value = number, .n_values = 8192},
                                      {.name = (char *)"BB", .kind = FF_SET_PRODUCT, .part = less, .n_parts = 2}};
  ff_colours *made[4] = {NULL};
  const ff_colour_scope scope = {.set = set, .colours = made, .n_sets = 4, .subset_of = UINT32_MAX};
  ff_error err = {FF_OK, ""};
  for (uint32_t s = 0; s < 4; s++) {
    const ff_status status = ff_colours_new(&made[s], s, &scope, &err);
    FF_CHECK(status == (s == 1 ? FF_ESIZE : FF_OK));
    if (s == 1)
      FF_CHECK_SAY(strcmp(err.text, "the set \"AA\" has 1e+10 colours; at most 67108864 are possible") == 0, "%s", err.text);
  }
  int64_t tuple[2];
  ff_colours_at(made[3], 8192u * 3 + 5, tuple);
  FF_CHECK(tuple[0] == -47 && tuple[1] == -45 && ff_colours_find(made[3], tuple) == 8192 * 3 + 5);
  for (int s = 0; s < 4; s++) ff_colours_free(made[s]);
  free(number);
}

/* ---- predicates --------------------------------------------------------------------------------------------------------- */

/* Indices stand for components in the order in which the text names them. */
static void check_predicates(void) {
  static const struct {
    uint32_t of;
    const char *text, *again;
    uint32_t first; /* the component of the first index */
  } cases[] = {{5, "y > 1 & x == 2", "y > 1 & x == 2", 1}, {5, "b == a", "y == x", 1},       {5, "p[2] == p[1]", "y == x", 1},
               {8, "x == 2 | d == red", "x == 2 | c == red", 1}, {10, "x > 1", "x > 1", 0}, {9, "v[2] == 1", "v[2] == 1", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_error err = {FF_OK, ""};
    ff_colour_expr expr, parsed;
    char *text;
    net.scope.subset_of = cases[i].of;
    FF_CHECK_OK(ff_colour_parse(&expr, cases[i].text, strlen(cases[i].text), FF_COLOUR_R, &net.scope, (ff_place){0}, &err), &err);
    FF_CHECK(expr.word[0].of == cases[i].first);
    FF_CHECK_OK(ff_colour_text(&text, &expr, FF_COLOUR_R, &net.scope, &err), &err);
    FF_CHECK_SAY(strcmp(text, cases[i].again) == 0, "%s", text);
    FF_CHECK_OK(ff_colour_parse(&parsed, text, strlen(text), FF_COLOUR_R, &net.scope, (ff_place){0}, &err), &err);
    FF_CHECK(same_code(&expr, &parsed));
    ff_colour_free(&expr);
    ff_colour_free(&parsed);
    free(text);
  }
  net.scope.subset_of = 5;
  ff_error err = {FF_OK, ""};
  ff_colour_expr expr;
  FF_CHECK(ff_colour_parse(&expr, "x == a", 6, FF_COLOUR_R, &net.scope, (ff_place){0}, &err) == FF_EPARSE);
  FF_CHECK_SAY(strcmp(err.text, "no component of the set \"Cell\" is left for the index \"a\" (character 6 of \"x == a\"); "
                                "expected an index of another component") == 0, "%s", err.text);
}
static void predicates(void) { with_net(check_predicates); }

/* ---- inputs of the fuzzer ------------------------------------------------------------------------------------------------- */

/* The first byte chooses the dialect and the scope, as in tests/fuzz/fuzz_colour.c. */
static void replay(const char *path, ff_format format) {
  (void)format;
  char bytes[5000];
  FILE *file = fopen(path, "rb");
  FF_CHECK_SAY(file != NULL, "%s", path);
  if (file == NULL) return;
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  FF_CHECK_SAY(size > 0 && size < sizeof bytes, "%s", path);
  if (size == 0) return;
  const int kind = bytes[0] >> 1 & 3;
  ff_colour_scope scope = net.scope;
  if (kind == 1) scope.within = &net.function[2];
  if (kind == 2) scope.subset_of = bytes[0] & 8 ? 5 : 9;
  ff_error err = {FF_OK, ""};
  ff_colour_expr expr, again;
  const ff_colour_dialect dialect = bytes[0] & 1 ? FF_COLOUR_CANDL : FF_COLOUR_R;
  const ff_status status = ff_colour_parse(&expr, bytes + 1, size - 1, dialect, &scope, (ff_place){0}, &err);
  corpus_check_message(path, status, &err);
  for (int d = 0; d < 2 && status == FF_OK; d++) {
    char *text;
    FF_CHECK_OK(ff_colour_text(&text, &expr, d == 0 ? FF_COLOUR_R : FF_COLOUR_CANDL, &scope, &err), &err);
    FF_CHECK_OK(
        ff_colour_parse(&again, text, strlen(text), d == 0 ? FF_COLOUR_R : FF_COLOUR_CANDL, &scope, (ff_place){0}, &err), &err);
    FF_CHECK_SAY(same_code(&expr, &again), "%s", path);
    ff_colour_free(&again);
    free(text);
  }
  ff_colour_free(&expr);
}

static void replay_all(void) { FF_CHECK(corpus_each("colour", (ff_format)0, replay) >= 9); }
static void corpus(void) { with_net(replay_all); }

FF_TEST_MAIN("colours", text, messages, value, expansion, grows_without_end, deep, sets, bad_sets, large_sets, predicates, corpus)
