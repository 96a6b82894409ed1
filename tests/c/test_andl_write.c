/* ANDL and CANDL: what the writer makes of nets, and what it cannot write. */
#include <math.h>

#include "petri_andl.h"

static void cannot_write(ff_petri *net, const char *want) {
  ff_error err;
  char *text;
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_FAILS(ff_io_petri_text(&text, net, FF_FORMAT_ANDL, &err), FF_EMODEL, &err, want);
  FF_CHECK(text == NULL);
  free(text);
  ff_petri_free(net);
}

/* A net A -> 0 with this rate. */
static ff_petri *decay(const char *a, const char *t, const char *rate) {
  const ff_place none = {NULL, 0};
  ff_error err;
  ff_petri *net;
  uint32_t number;
  int both;
  char equation[80];
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, a, FF_PETRI_NONE, 0, 0, &err), &err);
  FF_CHECK_OK(ff_petri_add_transition(net, t, FF_PETRI_STOCHASTIC, &number, &err), &err);
  snprintf(equation, sizeof equation, "`%s` -> 0", a);
  FF_CHECK_OK(ff_petri_equation(net, number, equation, 0, &both, none, &err), &err);
  FF_CHECK_OK(ff_petri_number(net, number, NULL, rate, 1, none, &err), &err);
  return net;
}

static void unwritable(void) {
  ff_error err;
  cannot_write(decay("A", "t", "log1p(A)"),
               "transition \"t\" has a formula with the function \"log1p\", which ANDL cannot express");
  cannot_write(decay("A", "t", "time()"), "transition \"t\" has a formula that depends on the time, which ANDL cannot express");
  cannot_write(decay("A", "t", "if(A > 1, 2, 3)"),
               "transition \"t\" has a formula with the function \"if\", which ANDL cannot express");
  ff_petri *net = decay("A", "t", "1");
  FF_CHECK_OK(ff_petri_add_place(net, "B", FF_PETRI_NONE, 0, 1, &err), &err);
  cannot_write(net, "place \"B\" has a level that no transition changes (it is fixed), which ANDL cannot express");
  net = decay("a b", "t", "1");
  FF_CHECK_OK(ff_petri_add_place(net, "a_b", FF_PETRI_NONE, 0, 0, &err), &err);
  cannot_write(net,
               "the name \"a_b\" is written as \"a_b\", which is another name; names of ANDL have letters, digits and \"_\"");
}

/* Names that the format does not allow. */
static void ids(void) {
  static const char *const names[][2] = {{"a b", "a_b"},    {"2x", "_2x"},         {"exp", "exp_"},
                                         {"\xC3\xA4", "_"}, {"places", "places_"}, {"A", "A"}};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    ff_error err;
    ff_petri *net = decay(names[i][0], names[i][0], "2"), *again;
    char *text;
    FF_CHECK_OK(ff_petri_finish(net, &err), &err);
    FF_CHECK_OK(ff_io_petri_text(&text, net, FF_FORMAT_ANDL, &err), &err);
    FF_CHECK_OK(read_net(&again, text, NULL, &err), &err);
    FF_CHECK_STR(again->place[0].name, names[i][1]);
    FF_CHECK_STR(again->transition[0].name, names[i][1]);
    FF_CHECK(again->transition[0].piece[0].mass_action);
    free(text);
    ff_petri_free(net);
    ff_petri_free(again);
  }
}

/* Markings that replace others are written as numbers: the same initial state. */
static void replaced_markings(void) {
  const ff_place none = {NULL, 0};
  const int64_t values[] = {1, 2, 3};
  ff_error err;
  ff_petri *net, *again;
  ff_petri_flat *flat, *flat_again;
  char *text;
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "X", values, 3, &err), &err);
  FF_CHECK_OK(ff_petri_add_set_text(net, "G", "X * X", none, &err), &err);
  FF_CHECK_OK(ff_petri_add_index(net, "x", "X", &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, "A", 1, 1, 0, &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, "B", 0, 0, 0, &err), &err);
  FF_CHECK_OK(ff_petri_add_marking(net, "A", NULL, "0.1", 0, none, &err), &err);
  FF_CHECK_OK(ff_petri_add_marking(net, "A[2, 3]", NULL, "5", 0, none, &err), &err);
  FF_CHECK_OK(ff_petri_add_marking(net, "B", NULL, "x * x", 0, none, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_OK(ff_io_petri_text(&text, net, FF_FORMAT_CANDL, &err), &err);
  FF_CHECK(strstr(text, "G A = 0.1`(1,1)++0.1`(1,2)") != NULL && strstr(text, "5`(2,3)") != NULL);
  FF_CHECK_OK(read_net(&again, text, NULL, &err), &err);
  FF_CHECK_OK(ff_petri_unfold(&flat, net, &err), &err);
  FF_CHECK_OK(ff_petri_unfold(&flat_again, again, &err), &err);
  FF_CHECK_INT(flat_again->n_places, 12);
  for (uint32_t i = 0; i < 12; i++) FF_CHECK(flat->initial[i] == flat_again->initial[i]);
  FF_CHECK(flat->initial[5] == 5 && flat->initial[0] == 0.1 && flat->initial[11] == 9);
  free(text);
  ff_petri_flat_free(flat);
  ff_petri_flat_free(flat_again);
  ff_petri_free(net);
  ff_petri_free(again);
}

/* Mass action with tests, which the format's law counts: written out. */
static void written_out(void) {
  const ff_place none = {NULL, 0};
  ff_error err;
  char *text;
  ff_petri *net = decay("A", "t", "2");
  FF_CHECK_OK(ff_petri_tests(net, 0, "A >= 3", none, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_OK(ff_io_petri_text(&text, net, FF_FORMAT_ANDL, &err), &err);
  FF_CHECK(strstr(text, ": 2 * A\n") != NULL);
  free(text);
  ff_petri_free(net);
}

/* A constant that is a formula is written as one, unless its value was given, or another name is written for a constant. */
static void formulas_of_constants(void) {
  static const char text[] =
      NET("spn", "constants: all: int D = 15; int N = D / 2; double k = (D + N) / 4; bool b = D > 3;\nplaces: A = N;\n");
  static const char *const names[] = {"N"};
  static const double values[] = {9};
  const ff_io_petri_options given = {names, values, 1, NULL};
  ff_error err;
  ff_petri *net;
  char *written;
  FF_CHECK_OK(read_net(&net, text, NULL, &err), &err);
  FF_CHECK_OK(ff_io_petri_text(&written, net, FF_FORMAT_ANDL, &err), &err);
  FF_CHECK(strstr(written, "  double D = 15;\n  int N = D / 2;\n  double k = (D + N) / 4;\n  int b = D > 3;\n") != NULL);
  free(written);
  FF_CHECK(round_trip(net, text));
  ff_petri_free(net);
  FF_CHECK_OK(read_net(&net, text, &given, &err), &err);
  FF_CHECK_OK(ff_io_petri_text(&written, net, FF_FORMAT_ANDL, &err), &err);
  FF_CHECK(strstr(written, "  double N = 9;\n  double k = (D + N) / 4;\n") != NULL);
  free(written);
  ff_petri_free(net);
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  FF_CHECK_OK(ff_petri_add_parameter(net, "a b", 4, &err), &err); /* written with another name */
  FF_CHECK_OK(ff_petri_add_parameter(net, "c", 2, &err), &err);
  FF_CHECK_OK(ff_petri_define_parameter(net, 1, "double 8 / 2", &err), &err);
  FF_CHECK_OK(ff_petri_define_parameter(net, 1, "double 8 / 4", &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, "A", FF_PETRI_NONE, 0, 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_OK(ff_io_petri_text(&written, net, FF_FORMAT_ANDL, &err), &err);
  FF_CHECK(strstr(written, "  double c = 2;\n") != NULL);
  free(written);
  ff_petri_free(net);
}

FF_TEST_MAIN("andl_write", unwritable, ids, replaced_markings, written_out, formulas_of_constants)
