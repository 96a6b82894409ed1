/* Coloured hybrid Petri nets: their texts, and what may join what. Their unfolding has test_petri_unfold. */
#include <math.h>

#include "check.h"
#include "petri_nets.h"
#include "random.h"

static ff_petri *small(void) {
  ff_petri *net = NULL;
  ff_error err;
  FF_CHECK_OK(petri_small(&net, 3, &err), &err);
  return net;
}

static uint32_t new_transition(ff_petri *net, ff_petri_kind kind) {
  ff_error err;
  uint32_t t;
  FF_CHECK_OK(ff_petri_add_transition(net, "t", kind, &t, &err), &err);
  return t;
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

static void reads_equations(void) {
  static const struct {
    const char *text, *wanted;
    int both;
  } cases[] = {
      {"A -> B", "A -> B", 0},
      {"A<->2B", "A -> 2 B", 1},
      {"2 * A + B + A => 0", "3 A + B -> 0", 0},
      {" -> `two words`", "0 -> `two words`", 0},
      {"2.5 C -> 1e-3 C", "2.5 C -> 0.001 C", 0},
      {"(n + 1) A -> (2 * 3) B", "(n + 1) A -> 6 B", 0},
      {"Ca[x,y] + Ca[ next(x), 2 ] -> Ca[x + 1,y]", "Ca[x,y] + Ca[next(x),2] -> Ca[x + 1,y]", 0},
      {"(x * A) G[red] <=> G[g]", "(x * A) G[red] -> G[g]", 1},
      {"(1 + 0) A -> A", "A -> A", 0},
      {"", NULL, 0},
  };
  for (size_t i = 0; cases[i].wanted != NULL; i++) {
    ff_petri *net = small();
    ff_error err;
    const char *text = cases[i].text;
    char *written = NULL;
    for (int again = 0; again < 2; again++) { /* the text gives the same equation */
      const uint32_t t = new_transition(net, FF_PETRI_STOCHASTIC);
      int both = -1;
      FF_CHECK_OK(ff_petri_equation(net, t, text, 0, &both, petri_nowhere, &err), &err);
      if (again == 0) FF_CHECK_INT(both, cases[i].both);
      free(written);
      FF_CHECK_OK(ff_petri_equation_text(&written, net, t, &err), &err);
      FF_CHECK_STR(written, cases[i].wanted);
      text = written;
    }
    free(written);
    ff_petri_free(net);
  }
}

static void reverses_equations(void) {
  ff_petri *net = small();
  ff_error err;
  int both;
  char *text = NULL;
  const uint32_t t = new_transition(net, FF_PETRI_STOCHASTIC);
  FF_CHECK_OK(ff_petri_equation(net, t, "2 A <-> Ca[x,y]", 1, &both, petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_equation_text(&text, net, t, &err), &err);
  FF_CHECK_STR(text, "Ca[x,y] -> 2 A");
  free(text);
  ff_petri_free(net);
}

static void keep_name(void *context, const char *name, size_t length) {
  char *names = context;
  const size_t used = strlen(names);
  snprintf(names + used, 100 - used, "<%.*s>", (int)length, name);
}

static void lists_names_of_equations(void) {
  ff_error err;
  char names[100] = "";
  int both = -1;
  FF_CHECK_OK(
      ff_petri_equation_names("(n+1) A[x, f(y)] + 2`two words` <-> 3 B + A", keep_name, names, &both, petri_nowhere, &err), &err);
  FF_CHECK_STR(names, "<A><two words><B><A>");
  FF_CHECK_INT(both, 1);
  FF_CHECK_FAILS(ff_petri_equation_names("A + -> B", keep_name, names, &both, petri_nowhere, &err), FF_EPARSE, &err, "a place");
}

static void refuses_equations(void) {
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"A -> ", NULL},
      {"A", "found the end at character 2 of \"A\" where \"+\", \"->\" or \"<->\" was expected"},
      {"A -> Q", "no place is called \"Q\""},
      {"AA[x] -> B", "no place is called \"AA\""},
      {"A -> `two word`", "did you mean \"two words\"?"},
      {"A[x] -> B", "place \"A\" has no colours"},
      {"Ca -> B", "place \"Ca\" has colours; expected them in brackets"},
      {"Ca[x] -> B", "place \"Ca\" has colours of 2 components; found 1"},
      {"Ca[x,y,x] -> B", "found 3"},
      {"Ca[x,y -> B", "a closing bracket"},
      {"Ca[x,zz] -> B", "zz"},
      {"sum(Ca) -> B", "no place is called \"sum\""},
      {"0 A -> B", "after the 0"},
      {"2 -> B", "where a place was expected"},
      {"(k -> B", "a closing bracket"},
      {"(q) A -> B", "no place, parameter, variable or index is called \"q\""},
      {"(time) A -> B", "depends on the time"},
      {"1e999 A -> B", "a finite number above 0"},
      {"A -> B -> A", "\"+\" or the end"},
      {"`A -> B", "a closing quote"},
      {"(sum(A + B)) A -> B", "expected sum(P)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_petri *net = small();
    ff_error err;
    int both;
    const uint32_t t = new_transition(net, FF_PETRI_STOCHASTIC);
    const ff_status status = ff_petri_equation(net, t, cases[i].text, 0, &both, petri_nowhere, &err);
    if (cases[i].part == NULL) FF_CHECK_OK(status, &err);
    else FF_CHECK_FAILS(status, FF_EPARSE, &err, cases[i].part);
    ff_petri_free(net);
  }
  ff_petri *net = small();
  ff_error err;
  int both;
  FF_CHECK_FAILS(
      ff_petri_equation(net, new_transition(net, FF_PETRI_STOCHASTIC), "A -> Q", 0, &both, (ff_place){"f.txt", 7}, &err),
      FF_EPARSE, &err, "f.txt, line 7: no place");
  ff_petri_free(net);
}

static void reads_tests(void) {
  static const struct {
    const char *text, *wanted;
  } cases[] = {
      {"A >= 3", "A >= 3"},
      {"S100[x,y]>=3&B<2 && `two words` == 1", "S100[x,y] >= 3 & B < 2 & `two words` == 1"},
      {"A > 3 & B <= 2", "A >= 4 & B < 3"},
      {"A >= n + 1 & A < B * k", "A >= n + 1 & A < B * k"},
      {"A > B", "A >= floor(B) + 1"},
      {"C < (k > 1) + Ca[x,2]", "C < (k > 1) + Ca[x,2]"},
      {"C >= (k > 1)", "C >= (k > 1)"},
      {"A >= 1", "A >= 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_petri *net = small();
    ff_error err;
    const char *text = cases[i].text;
    char *written = NULL;
    for (int again = 0; again < 2; again++) {
      const uint32_t t = new_transition(net, FF_PETRI_STOCHASTIC);
      FF_CHECK_OK(ff_petri_tests(net, t, text, petri_nowhere, &err), &err);
      free(written);
      FF_CHECK_OK(ff_petri_tests_text(&written, net, t, &err), &err);
      FF_CHECK_STR(written, cases[i].wanted);
      text = written;
    }
    free(written);
    ff_petri_free(net);
  }
}

static void refuses_tests(void) {
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"A >= 3 | B < 2", "(condition) * rate"},
      {"A != 3", "has \"!=\""},
      {"A + B > 3", "found \"+ B"},
      {"3 <= A", "does not begin with a place"},
      {"k > 1", "(condition) * rate"},
      {"A", "has no comparison"},
      {"1 < A < 3", "(condition) * rate"},
      {"C > 3", "has \">\" on a continuous place"},
      {"C <= 3", "\"<=\" on a continuous"},
      {"A >= 3 &", "has no comparison"},
      {"A >=", "found the end"},
      {"Q >= 1", "no place is called \"Q\""},
      {"Ca >= 1", "expected them in brackets"},
      {"A >= time", "depends on the time"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_petri *net = small();
    ff_error err;
    const uint32_t t = new_transition(net, FF_PETRI_STOCHASTIC);
    FF_CHECK_FAILS(ff_petri_tests(net, t, cases[i].text, petri_nowhere, &err), FF_EPARSE, &err, cases[i].part);
    ff_petri_free(net);
  }
}

static void reads_numbers(void) {
  static const struct {
    const char *text, *wanted, *part; /* the text that is written, or a part of the error */
  } cases[] = {
      {"k * A", "k * A", NULL},
      {"k*Ca[ x , next(y) ]^2", "k * Ca[x,next(y)]^2", NULL},
      {"sum( Ca ) / sum(A) + v", "sum(Ca) / A + v", NULL},
      {"x + c[2] + S100[c]", "x + c[2] + S100[c[1],c[2]]", NULL},
      {"`two words` * time", "`two words` * time()", NULL},
      {"if(A > 1, G[red], G[g])", "if(A > 1, G[red], G[g])", NULL},
      {"Ca", NULL, "place \"Ca\" has colours; expected one of them, as in Ca[...], or the sum over all, sum(Ca)"},
      {"sum(Ca[x,y])", NULL, "expected sum(P)"},
      {"sum(Q)", NULL, "no place is called \"Q\""},
      {"k[1]", NULL, "parameter \"k\" has no colours"},
      {"v[x]", NULL, "variable \"v\" has no colours"},
      {"g + 1", NULL, "its colours are names"},
      {"c", NULL, "index \"c\" has 2 components"},
      {"c[3]", NULL, "index \"c\" has 2 components"},
      {"kk * A", NULL, "no place, parameter, variable or index is called \"kk\""},
      {"Cb[x,y]", NULL, "no place, parameter, variable or index is called \"Cb[x,y]\""},
      {"two_words", NULL, "did you mean \"two words\"?"},
      {"Ca[x,y", NULL, "a closing bracket"},
      {"k *", NULL, "the end"},
      {"k A", NULL, "an operator"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_petri *net = small();
    ff_error err;
    char *written = NULL;
    FF_CHECK_OK(ff_petri_add_variable(net, "v", &err), &err);
    const uint32_t t = new_transition(net, FF_PETRI_STOCHASTIC);
    const ff_status status = ff_petri_number(net, t, NULL, cases[i].text, 0, petri_nowhere, &err);
    if (cases[i].wanted != NULL) {
      FF_CHECK_OK(status, &err);
      FF_CHECK_OK(ff_petri_number_text(&written, net, t, 0, &err), &err);
      FF_CHECK_STR(written, cases[i].wanted);
    } else {
      FF_CHECK_FAILS(status, FF_EPARSE, &err, cases[i].part);
      FF_CHECK_INT(net->transition[t].n_pieces, 0);
    }
    free(written);
    ff_petri_free(net);
  }
}

static void adds_modifiers(void) {
  ff_petri *net = small();
  ff_error err;
  FF_CHECK_OK(
      petri_add(net, "t", FF_PETRI_STOCHASTIC, "A -> B", NULL, NULL, NULL, "k * A * Ca[x,y] * Ca[x,y] * sum(S100)", 0, &err),
      &err);
  const ff_petri_transition *t = &net->transition[0];
  FF_CHECK_INT(t->n_arcs, 3);
  FF_CHECK_INT(t->arc[2].kind, FF_ARC_MODIFIER);
  FF_CHECK_INT(t->element[t->arc[2].element].place, ff_petri_place_number(net, "Ca", 2));
  ff_petri_free(net);
}

static void reads_other_texts(void) {
  ff_petri *net = small();
  ff_error err;
  char *text = NULL, *when, *value;
  const uint32_t t = new_transition(net, FF_PETRI_SCHEDULED);
  FF_CHECK_OK(ff_petri_resets(net, t, "A, S100[x, y] ,G[next(g)]", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_resets_text(&text, net, t, &err), &err);
  FF_CHECK_STR(text, "A, S100[x,y], G[next(g)]");
  free(text);
  FF_CHECK_FAILS(ff_petri_resets(net, t, "A,", petri_nowhere, &err), FF_EPARSE, &err, "found nothing; expected a place");
  FF_CHECK_OK(ff_petri_guard(net, t, "x==a", FF_COLOUR_R, petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_guard_text(&text, net, t, &err), &err);
  FF_CHECK_STR(text, "x == a");
  free(text);
  FF_CHECK_OK(ff_petri_at(net, t, 1, "k+n", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_at_text(&text, net, t, 1, &err), &err);
  FF_CHECK_STR(text, "k + n");
  free(text);
  FF_CHECK_OK(ff_petri_at_text(&text, net, t, 2, &err), &err);
  FF_CHECK(text == NULL);
  FF_CHECK_FAILS(ff_petri_at(net, t, 0, "A", petri_nowhere, &err), FF_EPARSE, &err,
                 "found the place \"A\" where only parameters");
  FF_CHECK_FAILS(ff_petri_at(net, t, 0, "x", petri_nowhere, &err), FF_EPARSE, &err,
                 "found the index \"x\" where only parameters");
  FF_CHECK_OK(ff_petri_add_variable(net, "v", &err), &err);
  FF_CHECK_OK(ff_petri_variable_text(net, 0, "sum(Ca) + G[red] * k", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_variable_value_text(&text, net, 0, &err), &err);
  FF_CHECK_STR(text, "sum(Ca) + G[red] * k");
  free(text);
  FF_CHECK_FAILS(ff_petri_variable_text(net, 0, "x", petri_nowhere, &err), FF_EPARSE, &err, "found the index \"x\"");
  FF_CHECK_FAILS(ff_petri_variable_text(net, 0, "Ca[x,1]", petri_nowhere, &err), FF_EPARSE, &err, "by an index");
  FF_CHECK_OK(ff_petri_add_marking(net, "Ca[x, 2]", "x < 2", "k*x", 0, petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_marking_text(&text, &when, &value, net, 0, &err), &err);
  FF_CHECK_STR(text, "Ca[x,2]");
  FF_CHECK_STR(when, "x < 2");
  FF_CHECK_STR(value, "k * x");
  free(text);
  free(when);
  free(value);
  FF_CHECK_OK(ff_petri_add_marking(net, " Ca ", NULL, "1", 0, petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_marking_text(&text, &when, &value, net, 1, &err), &err);
  FF_CHECK_STR(text, "Ca");
  FF_CHECK(when == NULL);
  free(text);
  free(value);
  FF_CHECK_FAILS(ff_petri_add_marking(net, "A", NULL, "B", 0, petri_nowhere, &err), FF_EPARSE, &err, "found the place \"B\"");
  FF_CHECK_FAILS(ff_petri_add_marking(net, "k", NULL, "1", 0, petri_nowhere, &err), FF_EPARSE, &err, "no place is called \"k\"");
  ff_petri_free(net);
}

static void reads_sets(void) {
  ff_petri *net = small();
  ff_error err;
  char *text = NULL;
  FF_CHECK_OK(ff_petri_add_set_text(net, "Half", " Cell [x %% 2 == 1] ", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_set_text(&text, net, net->n_sets - 1, &err), &err);
  FF_CHECK_STR(text, "Cell[x %% 2 == 1]");
  free(text);
  FF_CHECK_OK(ff_petri_add_set_text(net, "Sum", "X+Y + `Paint`", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_set_text(&text, net, net->n_sets - 1, &err), &err);
  FF_CHECK_STR(text, "X + Y + Paint");
  free(text);
  FF_CHECK_OK(ff_petri_set_text(&text, net, 0, &err), &err);
  FF_CHECK(text == NULL);
  FF_CHECK_INT(ff_petri_set_width(net, ff_petri_set_number(net, "Half", 4)), 2);
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "Z", "X * Q", petri_nowhere, &err), FF_EPARSE, &err,
                 "no set of colours is called \"Q\"");
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "Z", "X * Y + X", petri_nowhere, &err), FF_EPARSE, &err, "\"*\" or the end");
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "Z", "X", petri_nowhere, &err), FF_EPARSE, &err, "found the end");
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "Z", "X *", petri_nowhere, &err), FF_EPARSE, &err, "the name of a set of colours");
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "Z", "X[x > 1", petri_nowhere, &err), FF_EPARSE, &err, "a closing bracket");
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "Z", "Cell + X", petri_nowhere, &err), FF_EMODEL, &err, "have 2 components");
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "Z", "Cell * Cell * Cell * Cell * X", petri_nowhere, &err), FF_ESIZE, &err,
                 "at most 8");
  FF_CHECK_FAILS(ff_petri_add_set_text(net, "X", "X * Y", petri_nowhere, &err), FF_EMODEL, &err,
                 "more than one set of colours is called \"X\"");
  FF_CHECK_FAILS(ff_petri_add_index(net, "z", "Cel", &err), FF_EMODEL, &err, "did you mean \"Cell\"?");
  const char *const arguments[] = {"u", "u"};
  FF_CHECK_FAILS(ff_petri_add_function(net, "f", arguments, NULL, 2, "u == 1", FF_COLOUR_R, petri_nowhere, &err), FF_EMODEL, &err,
                 "more than one argument \"u\"");
  const int64_t large = FF_COLOUR_MOST;
  FF_CHECK_FAILS(ff_petri_add_values(net, "Z", &large, 1, &err), FF_EMODEL, &err, "below 2^39");
  ff_petri_free(net);
}

static void keeps_names_apart(void) {
  ff_petri *net = small();
  ff_error err;
  FF_CHECK_FAILS(ff_petri_add_place(net, "A", FF_PETRI_NONE, 0, 0, &err), FF_EMODEL, &err, "more than one place is called \"A\"");
  FF_CHECK_FAILS(ff_petri_add_place(net, "k", FF_PETRI_NONE, 0, 0, &err), FF_EMODEL, &err,
                 "a place and a parameter are called \"k\"");
  FF_CHECK_FAILS(ff_petri_add_variable(net, "x", &err), FF_EMODEL, &err, "a variable and an index are called \"x\"");
  FF_CHECK_FAILS(ff_petri_add_parameter(net, "", 0, &err), FF_EMODEL, &err, "has no name");
  FF_CHECK_OK(ff_petri_add_place(net, "X", FF_PETRI_NONE, 0, 0, &err), &err); /* sets have names of their own */
  for (int i = 0; i < 1000; i++) { /* the table grows */
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    FF_CHECK_OK(ff_petri_add_place(net, name, FF_PETRI_NONE, 0, 0, &err), &err);
    FF_CHECK_INT(ff_petri_place_number(net, name, strlen(name)), net->n_places - 1);
  }
  FF_CHECK_INT(ff_petri_place_number(net, "A", 1), 0);
  FF_CHECK(ff_petri_place_number(net, "k", 1) == FF_PETRI_NONE);
  ff_petri_free(net);
}

/* A text from words that the grammars have, in any order; half of them begin with `start`. */
static void draw_text(uint64_t *seed, const char *start, char *text, size_t size) {
  static const char *const words[] = {"A",  "B",  "Ca", "[",  "]",  "x",  "y",  ",",  "+",   "->", "2",    "(",  ")", ">=", "<",
                                      "==", "&",  "|",  "*",  "G",  "g",  "k",  "n",  "sum", "c",  "Ca[x,y]", "S100[c]", "G[red]",
                                      "`",  "\"", "0",  "<->", "next(x)", "A", "C", "-", ">", "1.5", "`two words`", " ", "%%"};
  const uint32_t n = 1 + below(seed, 9);
  size_t used = (size_t)snprintf(text, size, "%s", below(seed, 2) == 0 ? start : "");
  for (uint32_t i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", words[below(seed, sizeof words / sizeof *words)],
                             below(seed, 3) == 0 ? "" : " ");
}

typedef ff_status (*text_reader)(ff_petri *net, uint32_t t, const char *text, ff_error *err);
typedef ff_status (*text_writer)(char **out, const ff_petri *net, uint32_t t, ff_error *err);

static ff_status read_equation(ff_petri *net, uint32_t t, const char *text, ff_error *err) {
  int both;
  return ff_petri_equation(net, t, text, 0, &both, petri_nowhere, err);
}

static ff_status read_tests(ff_petri *net, uint32_t t, const char *text, ff_error *err) {
  return ff_petri_tests(net, t, text, petri_nowhere, err);
}

static ff_status read_resets(ff_petri *net, uint32_t t, const char *text, ff_error *err) {
  return ff_petri_resets(net, t, text, petri_nowhere, err);
}

static ff_status read_number(ff_petri *net, uint32_t t, const char *text, ff_error *err) {
  return ff_petri_number(net, t, NULL, text, 0, petri_nowhere, err);
}

static ff_status write_number(char **out, const ff_petri *net, uint32_t t, ff_error *err) {
  return ff_petri_number_text(out, net, t, 0, err);
}

/* Any text is read or refused; what is read is written as a text that gives the same text again. */
static void reads_any_text(void) {
  static const struct {
    text_reader read;
    text_writer write;
  } grammars[] = {{read_equation, ff_petri_equation_text}, {read_tests, ff_petri_tests_text},
                  {read_resets, ff_petri_resets_text},     {read_number, write_number}};
  uint64_t seed = 5;
  uint32_t read[4] = {0};
  ff_petri *net = small();
  for (int round = 0; round < 40000; round++) {
    char text[200], *first = NULL, *second = NULL;
    ff_error err;
    const int g = round % 4;
    if (round % 400 == 0) {
      ff_petri_free(net);
      net = small();
    }
    draw_text(&seed, g == 1 ? "B < " : "", text, sizeof text);
    const ff_status status = grammars[g].read(net, new_transition(net, FF_PETRI_STOCHASTIC), text, &err);
    FF_CHECK_SAY(status == FF_OK || status == FF_EPARSE, "%s: %s", text, err.text);
    FF_CHECK(ff_petri_add_set_text(net, "Z", text, petri_nowhere, &err) != FF_EMEMORY);
    if (status != FF_OK) continue;
    read[g]++;
    FF_CHECK_OK(grammars[g].write(&first, net, net->n_transitions - 1, &err), &err);
    FF_CHECK_OK(grammars[g].read(net, new_transition(net, FF_PETRI_STOCHASTIC), first, &err), &err);
    FF_CHECK_OK(grammars[g].write(&second, net, net->n_transitions - 1, &err), &err);
    FF_CHECK_STR(second, first);
    free(first);
    free(second);
  }
  ff_petri_free(net);
  for (int g = 0; g < 4; g++) FF_CHECK_SAY(read[g] > 50, "grammar %d: %u texts were read", g, read[g]);
}

/* ---- what may join what ------------------------------------------------------------------------------------------- */

static void checks_arcs(void) {
  static const struct {
    ff_petri_kind kind;
    const char *equation, *tests, *resets, *number;
    int mass_action;
    const char *part; /* of the error; NULL if there is none */
  } cases[] = {
      {FF_PETRI_CONTINUOUS, "A -> C", NULL, NULL, "1", 0,
       "transition \"t\": a flow takes from the discrete place \"A\"; expected"},
      {FF_PETRI_CONTINUOUS, "C -> A", NULL, NULL, "1", 0, "a flow adds to the discrete place \"A\""},
      {FF_PETRI_CONTINUOUS, "C + A -> 2 A", NULL, NULL, "1", 0, "a flow takes from the discrete place \"A\""},
      {FF_PETRI_CONTINUOUS, "C + A -> A", NULL, NULL, "1", 0, NULL},
      {FF_PETRI_CONTINUOUS, "C + S100[x,y] -> S100[y,x]", NULL, NULL, "1", 0, "discrete place \"S100\""},
      {FF_PETRI_CONTINUOUS, "F -> C", NULL, NULL, "1", 0, NULL},
      {FF_PETRI_CONTINUOUS, "C -> 0", "A >= 1 & C < 2", NULL, "-1", 0, NULL},
      {FF_PETRI_CONTINUOUS, "C -> 0", NULL, "A", "1", 0, "a flow resets place \"A\""},
      {FF_PETRI_STOCHASTIC, "C -> A", NULL, "A", "1", 0, NULL},
      {FF_PETRI_STOCHASTIC, "A -> B", "C == 1", NULL, "1", 0, "a test for equality has the continuous place \"C\""},
      {FF_PETRI_STOCHASTIC, "A -> B", "A == 1 & A < 2", NULL, "1", 0, "place \"A\" has a test for equality beside another test"},
      {FF_PETRI_STOCHASTIC, "A -> B", "A >= 1 & A < 2 & B == 1", NULL, "1", 0, NULL},
      {FF_PETRI_STOCHASTIC, "A -> B", NULL, "F", "1", 0, "a reset has the fixed place \"F\""},
      {FF_PETRI_STOCHASTIC, "1.5 A -> B", NULL, NULL, "1", 0,
       "the discrete place \"A\" has the weight 1.5; expected a whole number"},
      {FF_PETRI_STOCHASTIC, "A -> B", "A >= 1.5", NULL, "1", 0, "the weight 1.5"},
      {FF_PETRI_STOCHASTIC, "(-1) A -> B", NULL, NULL, "1", 0, "the weight -1"},
      {FF_PETRI_STOCHASTIC, "1.5 C -> B", NULL, NULL, "1", 0, NULL},
      {FF_PETRI_STOCHASTIC, "1.5 C -> B", NULL, NULL, "1", 1, "mass action takes 1.5 of place \"C\"; expected a whole number"},
      {FF_PETRI_STOCHASTIC, "(n) A -> B", NULL, NULL, "1", 1, "mass action takes a formula of place \"A\""},
      {FF_PETRI_STOCHASTIC, "(n) A -> B", NULL, NULL, "1", 0, NULL},
      {FF_PETRI_STOCHASTIC, "A -> B", NULL, NULL, "-1", 0, "the rate is -1; expected a finite number of at least 0"},
      {FF_PETRI_IMMEDIATE, "A -> B", NULL, NULL, "0/0", 0, "the weight is NaN"},
      {FF_PETRI_DETERMINISTIC, "A -> B", NULL, NULL, "-0.5", 0, "the delay is -0.5"},
      {FF_PETRI_CONTINUOUS, "C -> 0", NULL, NULL, "1/0", 0, "the flow is Inf; expected a finite number"},
      {FF_PETRI_STOCHASTIC, "A -> B", NULL, NULL, NULL, 0, "there is no rate"},
      {FF_PETRI_SCHEDULED, "A -> B", NULL, NULL, NULL, 0, "there is no time of its first firing"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_petri *net = small();
    ff_error err;
    FF_CHECK_OK(petri_add(net, "t", cases[i].kind, cases[i].equation, NULL, cases[i].tests, cases[i].resets, cases[i].number,
                          cases[i].mass_action, &err), &err);
    const ff_status status = ff_petri_finish(net, &err);
    if (cases[i].part == NULL) FF_CHECK_OK(status, &err);
    else FF_CHECK_FAILS(status, FF_EMODEL, &err, cases[i].part);
    ff_petri_free(net);
  }
}

/* A + E -> B + E beside a flow: E becomes a read arc, and mass action still counts it. */
static void makes_read_arcs(void) {
  ff_petri *net = small();
  ff_error err;
  char *text = NULL;
  FF_CHECK_OK(petri_add(net, "t", FF_PETRI_CONTINUOUS, "C + A + 3 B -> 3 B + Ca[1,1] + A", NULL, NULL, NULL, "k", 1, &err), &err);
  FF_CHECK_OK(petri_add(net, "u", FF_PETRI_STOCHASTIC, "A + B -> A", NULL, NULL, NULL, "k", 1, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err); /* nothing changes again */
  FF_CHECK_OK(ff_petri_equation_text(&text, net, 0, &err), &err);
  FF_CHECK_STR(text, "C -> Ca[1,1]");
  free(text);
  FF_CHECK_OK(ff_petri_tests_text(&text, net, 0, &err), &err);
  FF_CHECK_STR(text, "A >= 1 & B >= 3");
  free(text);
  FF_CHECK_OK(ff_petri_number_text(&text, net, 0, 0, &err), &err);
  FF_CHECK_STR(text, "k * A * B * (B - 1) * (B - 2) / 6");
  free(text);
  FF_CHECK_OK(ff_petri_equation_text(&text, net, 1, &err), &err);
  FF_CHECK_STR(text, "A + B -> A");
  free(text);
  ff_petri_free(net);
}

static void refuses_nets(void) {
  ff_error err;
  ff_petri *net = NULL;
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  FF_CHECK_FAILS(ff_petri_finish(net, &err), FF_EMODEL, &err, "no places");
  ff_petri_free(net);
  net = small();
  FF_CHECK_OK(ff_petri_add_variable(net, "v", &err), &err);
  FF_CHECK_OK(ff_petri_add_variable(net, "w", &err), &err);
  FF_CHECK_FAILS(ff_petri_finish(net, &err), FF_EMODEL, &err, "variable \"v\" has no formula");
  FF_CHECK_OK(ff_petri_variable_text(net, 0, "w + 1", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_variable_text(net, 1, "2 * v", petri_nowhere, &err), &err);
  FF_CHECK_FAILS(ff_petri_finish(net, &err), FF_EMODEL, &err, "a variable depends on itself: \"v\", which depends on \"w\"");
  FF_CHECK_OK(ff_petri_variable_text(net, 1, "2", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  net->value[0] = INFINITY;
  FF_CHECK_FAILS(ff_petri_finish(net, &err), FF_EMODEL, &err, "the value of parameter \"k\" is Inf");
  ff_petri_free(net);
}

FF_TEST_MAIN("petri", reads_equations, reverses_equations, lists_names_of_equations, refuses_equations, reads_tests,
             refuses_tests, reads_numbers, adds_modifiers, reads_other_texts, reads_sets, reads_any_text, keeps_names_apart,
             checks_arcs, makes_read_arcs, refuses_nets)
