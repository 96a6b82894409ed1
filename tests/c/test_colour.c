/* model/petri/ff_colour: expressions in both grammars, sets, and bindings of guards against brute force. */
#include <stdlib.h>
#include <string.h>

#include "../../src/model/petri/ff_petri.h"
#include "check.h"

/* X = 1..4, Y = 1..3, N = a, b, c, G = {3, 9, 1}, Cell = X * Y, Odd = cells with an odd x, U = X + N. Constants W = 2, H =
 * 2.5. */
static ff_petri *net_of_colours(void) {
  ff_petri *net = NULL;
  ff_error err;
  int64_t names[3], range[4] = {1, 2, 3, 4}, gaps[3] = {3, 9, 1};
  const char *const argument[2] = {"p", "q"}, *const set[2] = {"X", "X"};
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  for (int i = 0; i < 3; i++) FF_CHECK_OK(ff_petri_add_colour(net, (const char *[]){"a", "b", "c"}[i], &names[i], &err), &err);
  FF_CHECK_OK(ff_petri_add_parameter(net, "W", 2, &err), &err);
  FF_CHECK_OK(ff_petri_add_parameter(net, "H", 2.5, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "X", range, 4, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "Y", range, 3, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "N", names, 3, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "G", gaps, 3, &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "x", "X", &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "y", "Y", &err), &err);
  FF_CHECK_OK(ff_petri_add_set_text(net, "Cell", "X * Y", (ff_place){0}, &err), &err);
  FF_CHECK_OK(ff_petri_add_set_text(net, "Odd", "Cell[x %% 2 == 1]", (ff_place){0}, &err), &err);
  FF_CHECK_OK(ff_petri_add_set_text(net, "U", "X + N", (ff_place){0}, &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "n", "N", &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "g", "G", &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "o", "Odd", &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "d", "Cell", &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "u", "U", &err), &err);
  FF_CHECK_OK(ff_petri_add_function(net, "near", argument, set, 2, "abs(p - q) == 1 | next(p) == q", FF_COLOUR_R, (ff_place){0},
                                    &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, "P", FF_PETRI_NONE, 0, 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  return net;
}

enum { INDICES = 7 }; /* x, y, n, g, o, d, u */

static ff_colour_expr parsed(const ff_petri *net, const char *text, ff_colour_dialect dialect) {
  const ff_colour_scope scope = ff_petri_scope(net);
  ff_colour_expr out;
  ff_error err;
  FF_CHECK_OK(ff_colour_parse(&out, text, strlen(text), dialect, &scope, (ff_place){0}, &err), &err);
  return out;
}

/* Each text, in the first grammar, is written as the second and the third. */
static void reads_and_writes(void) {
  static const struct {
    ff_colour_dialect dialect;
    const char *text, *r, *candl;
  } cases[] = {
      {FF_COLOUR_R, "x-1", "x - 1", "x - 1"},
      {FF_COLOUR_R, "x + y * 2 == 3 & !(x < y) | n == a", "x + y * 2 == 3 & !x < y | n == a", "x + y * 2 = 3 & !(x < y) | n = a"},
      {FF_COLOUR_R, "next(previous(x)) == 2L", "next(previous(x)) == 2", "+(-x) = 2"},
      {FF_COLOUR_R, "-(x + 1)", "-(x + 1)", "-(x + 1)"},
      {FF_COLOUR_R, "x %% 2 * 3 %/% y", "x %% 2 * 3 %/% y", "x % 2 * (3 / y)"},
      {FF_COLOUR_R, "2 ^ 3 ^ 2", "2 ^ 3 ^ 2", "2 ^ (3 ^ 2)"},
      {FF_COLOUR_R, "o == d", "o[1] == d[1] & o[2] == d[2]", "o:1 = d:1 & o:2 = d:2"},
      {FF_COLOUR_R, "o[2] - W", "o[2] - W", "o:2 - W"},
      {FF_COLOUR_R, "near(x, 3) && TRUE", "near(x, 3) & 1", "near(x, 3) & 1"},
      {FF_COLOUR_R, "abs(x - y) != -1", "abs(x - y) != -1", "abs(x - y) != -1"},
      {FF_COLOUR_CANDL, "x=+y&y<>-(-y)", "x == next(y) & y != previous(previous(y))", "x = +y & y != -(-y)"},
      {FF_COLOUR_CANDL, "(a=n|b=n)&!(x%2=1)", "(a == n | b == n) & !x %% 2 == 1", "(a = n | b = n) & !(x % 2 = 1)"},
      {FF_COLOUR_CANDL, "x < 2 = y < 3", "(x < 2) == (y < 3)", "x < 2 = y < 3"},
  };
  ff_petri *net = net_of_colours();
  const ff_colour_scope scope = ff_petri_scope(net);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_colour_expr e = parsed(net, cases[i].text, cases[i].dialect);
    for (int d = 0; d < 2; d++) {
      const ff_colour_dialect dialect = d == 0 ? FF_COLOUR_R : FF_COLOUR_CANDL;
      char *text = NULL;
      ff_error err;
      FF_CHECK_OK(ff_colour_text(&text, &e, dialect, &scope, &err), &err);
      FF_CHECK_STR(text, d == 0 ? cases[i].r : cases[i].candl);
      ff_colour_expr again = parsed(net, text, dialect);
      FF_CHECK_INT(again.length, e.length);
      FF_CHECK(again.length == e.length && memcmp(again.word, e.word, e.length * sizeof *e.word) == 0);
      ff_colour_free(&again);
      free(text);
    }
    ff_colour_free(&e);
  }
  ff_petri_free(net);
}

static void tells_errors(void) {
  static const struct {
    ff_colour_dialect dialect;
    const char *text, *message;
  } cases[] = {
      {FF_COLOUR_R, "x + ", "found the end"},
      {FF_COLOUR_R, "-x == 1", "write next(x) or previous(x)"},
      {FF_COLOUR_R, "x < y < 3", "& or | between comparisons"},
      {FF_COLOUR_R, "xx == 1", "no index, constant or colour is called \"xx\""},
      {FF_COLOUR_R, "(x == 1", "where ) was expected"},
      {FF_COLOUR_R, "x == 1)", "an operation or the end"},
      {FF_COLOUR_R, "next(x + 1)", "next(x) of an index"},
      {FF_COLOUR_R, "o == x", "another index with as many components"},
      {FF_COLOUR_R, "o[3] == 1", "the number of a component"},
      {FF_COLOUR_R, "near(x)", "near() has 2 arguments; found 1"},
      {FF_COLOUR_R, "far(x)", "no colour function is called \"far\""},
      {FF_COLOUR_R, "x == 1.5", "a whole number"},
      {FF_COLOUR_R, "x = 1", "an operation or the end"},
      {FF_COLOUR_CANDL, "x == 1 % ", "found the end"},
  };
  ff_petri *net = net_of_colours();
  const ff_colour_scope scope = ff_petri_scope(net);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_colour_expr out;
    ff_error err;
    FF_CHECK_FAILS(ff_colour_parse(&out, cases[i].text, strlen(cases[i].text), cases[i].dialect, &scope, (ff_place){0}, &err),
                   FF_EPARSE, &err, cases[i].message);
    FF_CHECK(out.word == NULL);
  }
  ff_colour_expr e = parsed(net, "x == H", FF_COLOUR_R), expanded;
  ff_error err;
  FF_CHECK_FAILS(ff_colour_expand(&expanded, &e, &scope, &err), FF_EMODEL, &err, "the constant \"H\" is 2.5");
  ff_colour_free(&e);
  ff_petri_free(net);
}

/* A million brackets, signs and negations. */
static void nests_deeply(void) {
  enum { DEEP = 1000000 };
  ff_petri *net = net_of_colours();
  const ff_colour_scope scope = ff_petri_scope(net);
  char *text = ff_calloc(2 * DEEP + 2, 1);
  memset(text, '(', DEEP);
  text[DEEP] = 'x';
  memset(text + DEEP + 1, ')', DEEP);
  ff_colour_expr e;
  ff_error err;
  FF_CHECK_OK(ff_colour_parse(&e, text, 2 * DEEP + 1, FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
  FF_CHECK_INT(e.length, 1);
  ff_colour_free(&e);
  FF_CHECK_FAILS(ff_colour_parse(&e, text, 2 * DEEP, FF_COLOUR_R, &scope, (ff_place){0}, &err), FF_EPARSE, &err, ")");
  memset(text, '!', DEEP);
  FF_CHECK_OK(ff_colour_parse(&e, text, DEEP + 1, FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
  FF_CHECK_INT(e.length, DEEP + 1);
  const uint32_t index = 0;
  ff_binder *b = NULL;
  int done = 0;
  FF_CHECK_OK(ff_binder_new(&b, &index, 1, &e, &scope, &err), &err);
  while (!done) FF_CHECK_OK(ff_binder_step(b, 100, &done, &err), &err);
  FF_CHECK_INT(ff_binder_n(b), 4); /* !! of a number above 0 is true */
  ff_binder_free(b);
  ff_colour_free(&e);
  free(text);
  ff_petri_free(net);
}

/* ---- bindings ----------------------------------------------------------------------------------------------------------- */

static uint64_t state = 1;
static uint32_t random_below(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % n);
}

static void term(char *out, size_t size, int deep);

/* Appends the text of a guard. */
static void guard(char *out, size_t size, int deep) {
  static const char *const joins[] = {" & ", " | "}, *const comparisons[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
  static const char *const plain[] = {"near(x, d[1])", "o == d", "o != d", "n == b", "next(n) == c", "u == x", "u == n",
                                      "previous(g) == 9", "next(next(x)) == d[1]", "y == next(y)", "u != a"};
  char left[4000] = "", right[4000] = "";
  const uint32_t kind = random_below(10);
  if (deep > 0 && kind < 5) {
    guard(left, sizeof left, deep - 1);
    guard(right, sizeof right, deep - 1);
    snprintf(out, size, "(%s)%s(%s)", left, joins[random_below(2)], right);
  } else if (deep > 0 && kind == 5) {
    guard(left, sizeof left, deep - 1);
    snprintf(out, size, "!(%s)", left);
  } else if (kind < 8) {
    term(left, sizeof left, 2);
    term(right, sizeof right, 2);
    snprintf(out, size, "%s%s%s", left, comparisons[random_below(6)], right);
  } else {
    snprintf(out, size, "%s", plain[random_below(sizeof plain / sizeof plain[0])]);
  }
}

static void term(char *out, size_t size, int deep) {
  static const char *const leaves[] = {"x", "y", "g", "o[1]", "o[2]", "d[1]", "d[2]", "W", "1", "2", "5", "next(x)",
                                       "previous(y)", "next(g)", "u"};
  static const char *const joins[] = {" + ", " - ", " * ", " %% ", " %/% "};
  char left[1000] = "", right[1000] = "";
  const uint32_t kind = random_below(6);
  if (deep == 0 || kind < 3) {
    snprintf(out, size, "%s", leaves[random_below(sizeof leaves / sizeof leaves[0])]);
    return;
  }
  term(left, sizeof left, deep - 1);
  term(right, sizeof right, deep - 1);
  if (kind == 3) snprintf(out, size, "abs(%s - %s)", left, right);
  else snprintf(out, size, "(%s%s%s)", left, joins[random_below(5)], right);
}

typedef struct {
  const ff_petri *net;
  const ff_colour_expr *guard;
  const uint32_t *index;
  uint32_t n;
  int64_t component[16], stack[4000], *found;
  uint64_t n_found;
} listing;

static void list_all(listing *l, uint32_t k, const ff_colour_scope *scope) {
  if (k == l->n) {
    int64_t value;
    if (l->guard->length > 0 && (!ff_colour_value(&value, l->guard, scope, l->component, l->stack) || value == 0)) return;
    for (uint32_t i = 0; i < l->n; i++) {
      const ff_colour_index *of = &l->net->index[l->index[i]];
      for (uint32_t j = 0; j < ff_colours_width(l->net->colours[of->set]); j++)
        l->found[l->n_found++] = l->component[of->first + j];
    }
    return;
  }
  const ff_colour_index *of = &l->net->index[l->index[k]];
  const ff_colours *set = l->net->colours[of->set];
  for (uint32_t i = 0; i < ff_colours_n(set); i++) {
    ff_colours_at(set, i, l->component + of->first);
    list_all(l, k + 1, scope);
  }
}

/* In the order of sets as products of ascending ranges, listing by tuples and by components is the same. */
static void binds_as_brute_force(void) {
  ff_petri *net = net_of_colours();
  const ff_colour_scope scope = ff_petri_scope(net);
  const uint32_t index[INDICES] = {0, 1, 2, 3, 4, 5, 6};
  listing *l = ff_calloc(1, sizeof *l);
  l->found = ff_calloc(4 * 3 * 3 * 3 * 6 * 12 * 7 * 9, sizeof *l->found);
  uint64_t bindings = 0;
  for (int i = 0; i < 200; i++) {
    char text[20000];
    guard(text, sizeof text, 3);
    ff_colour_expr e = parsed(net, text, FF_COLOUR_R), expanded;
    ff_error err;
    ff_binder *b = NULL;
    int done = 0;
    FF_CHECK_OK(ff_colour_expand(&expanded, &e, &scope, &err), &err);
    FF_CHECK(expanded.depth < 4000);
    *l = (listing){.net = net, .guard = &expanded, .index = index, .n = INDICES, .found = l->found};
    list_all(l, 0, &scope);
    FF_CHECK_OK(ff_binder_new(&b, index, INDICES, &expanded, &scope, &err), &err);
    while (!done) FF_CHECK_OK(ff_binder_step(b, 1 + random_below(1000), &done, &err), &err);
    FF_CHECK_SAY(ff_binder_n(b) * ff_binder_width(b) == l->n_found, "guard %s", text);
    FF_CHECK_SAY(ff_binder_n(b) * ff_binder_width(b) == l->n_found &&
                     (l->n_found == 0 || memcmp(ff_binder_values(b), l->found, l->n_found * sizeof *l->found) == 0),
                 "guard %s", text);
    bindings += ff_binder_n(b);
    ff_binder_free(b);
    ff_colour_free(&e);
    ff_colour_free(&expanded);
  }
  FF_CHECK(bindings > 10000);
  free(l->found);
  free(l);
  ff_petri_free(net);
}

/* A grid of 30 x 40 cells has 2 (29 40 + 30 39) ordered pairs of neighbours, and a torus 4 each. The search visits a small
 * multiple of the bindings, of 1.4 million candidates. */
static void narrows_grids(void) {
  static const char *const grid[] = {"abs(x - a) + abs(y - b) == 1",
                                     "(a == x & b == y - 1) | (a == x & b == y + 1) | (a == x - 1 & b == y) | "
                                     "(a == x + 1 & b == y)"};
  ff_error err;
  ff_petri *net = NULL;
  int64_t range[40];
  const uint32_t index[4] = {0, 1, 2, 3};
  for (int i = 0; i < 40; i++) range[i] = i + 1;
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "X", range, 30, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "Y", range, 40, &err), &err);
  for (int i = 0; i < 4; i++)
    FF_CHECK_OK(ff_petri_add_index(net, (const char *[]){"x", "y", "a", "b"}[i], i % 2 == 0 ? "X" : "Y", &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, "P", FF_PETRI_NONE, 0, 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  const ff_colour_scope scope = ff_petri_scope(net);
  for (int i = 0; i < 3; i++) {
    ff_colour_expr e = i < 2 ? parsed(net, grid[i], FF_COLOUR_R)
                             : parsed(net, "a=+x&b=y | a=-x&b=y | a=x&b=+y | a=x&b=-y", FF_COLOUR_CANDL);
    ff_binder *b = NULL;
    int done = 0;
    FF_CHECK_OK(ff_binder_new(&b, index, 4, &e, &scope, &err), &err);
    while (!done) FF_CHECK_OK(ff_binder_step(b, 1000, &done, &err), &err);
    FF_CHECK_INT(ff_binder_n(b), i < 2 ? 2 * (29 * 40 + 30 * 39) : 4 * 30 * 40);
    FF_CHECK(ff_binder_nodes(b) < 10 * ff_binder_n(b));
    ff_binder_free(b);
    ff_colour_free(&e);
  }
  ff_petri_free(net);
}

/* ---- sets --------------------------------------------------------------------------------------------------------------- */

static void makes_sets(void) {
  ff_petri *net = net_of_colours();
  const ff_colour_scope scope = ff_petri_scope(net);
  static const uint32_t n[] = {4, 3, 3, 3, 12, 6, 7};
  for (uint32_t s = 0; s < net->n_sets; s++) {
    const ff_colours *set = net->colours[s];
    FF_CHECK_INT(ff_colours_n(set), n[s]);
    for (uint32_t i = 0; i < ff_colours_n(set); i++) {
      int64_t tuple[FF_COLOUR_MAX_WIDTH];
      ff_colours_at(set, i, tuple);
      FF_CHECK_INT(ff_colours_find(set, tuple), i);
      if (s == 5) FF_CHECK(tuple[0] % 2 == 1);
    }
  }
  char text[40];
  ff_colours_text(text, sizeof text, net->colours[4], 7, ",", &scope);
  FF_CHECK_STR(text, "3,2");
  ff_colours_text(text, sizeof text, net->colours[6], 6, ",", &scope);
  FF_CHECK_STR(text, "c");
  const int64_t outside[2] = {5, 1};
  FF_CHECK_INT(ff_colours_find(net->colours[4], outside), -1);
  ff_petri_free(net);
}

static void refuses_sets(void) {
  ff_error err;
  ff_petri *net = NULL;
  int64_t twice[3] = {1, 7, 1}, *large = ff_calloc(10000, sizeof *large);
  for (int i = 0; i < 10000; i++) large[i] = i;
  for (int i = 0; i < 3; i++) {
    FF_CHECK_OK(ff_petri_new(&net, &err), &err);
    FF_CHECK_OK(ff_petri_add_place(net, "P", FF_PETRI_NONE, 0, 0, &err), &err);
    if (i == 0) FF_CHECK_OK(ff_petri_add_values(net, "T", twice, 3, &err), &err);
    if (i > 0) FF_CHECK_OK(ff_petri_add_values(net, "L", large, 10000, &err), &err);
    if (i == 1) FF_CHECK_OK(ff_petri_add_set_text(net, "S", "L * L", (ff_place){0}, &err), &err);
    if (i == 2) {
      FF_CHECK_OK(ff_petri_add_index(net, "l", "L", &err), &err);
      FF_CHECK_OK(ff_petri_add_set_text(net, "S", "L[l > 10000]", (ff_place){0}, &err), &err);
    }
    static const char *const wanted[] = {"the set \"T\" has the colour 1 twice", "the set \"S\" has 100000000 colours; at most",
                                         "the set \"S\" has no colour"};
    FF_CHECK_FAILS(ff_petri_finish(net, &err), i == 1 ? FF_ESIZE : FF_EMODEL, &err, wanted[i]);
    ff_petri_free(net);
  }
  free(large);
}

FF_TEST_MAIN("colour", reads_and_writes, tells_errors, nests_deeply, binds_as_brute_force, narrows_grids, makes_sets,
             refuses_sets)
