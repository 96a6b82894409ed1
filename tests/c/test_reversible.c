/* Reactions in both directions whose rate is a difference, which become two. */
#include "../../src/model/reactions/ff_reactions.h"

#include <math.h>

#include "check.h"
#include "random.h"
#include "text_networks.h"

#define SYMBOLS                                                                                                               \
  "species;A;10\nspecies;B;5\nspecies;E;3\nfixed;X;4\nparameter;k;2\nparameter;n;1\nparameter;m;3\nparameter;K;10\n"          \
  "parameter;c;1.5\nparameter;T;20\nparameter;minus;-2\n"
#define VARIABLES                                                                                                             \
  "variable;conc;A / c\nvariable;net;k * A - m * B\nvariable;twice;2 * net\nvariable;free;T - B\nvariable;all;A + B\n"

static ff_reactions *split_of(const char *equation, const char *law, uint8_t **reverse) {
  char text[2000];
  ff_error err;
  snprintf(text, sizeof text, SYMBOLS VARIABLES "reaction;0 -> E;0.5\nlaw;%s;%s\n", equation, law);
  ff_reactions *net = network_of_text(text);
  FF_CHECK_OK(ff_reactions_split(net, reverse, &err), &err);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

/* Checks the rates of both directions; NULL if the reaction must be as it was. */
static void check_split(const char *equation, const char *law, const char *forward, const char *backward) {
  uint8_t *reverse;
  ff_error err;
  char *text = NULL;
  ff_reactions *net = split_of(equation, law, &reverse);
  FF_CHECK_SAY(net->n_reactions == (forward == NULL ? 2u : 3u), "%s, %s", equation, law);
  for (uint32_t r = 0; r < net->n_reactions; r++) FF_CHECK_INT(reverse[r], r == 2);
  for (uint32_t r = 1; r < net->n_reactions; r++) {
    const char *wanted = forward == NULL ? law : r == 1 ? forward : backward;
    FF_CHECK_OK(ff_formula_text(&text, &net->reactions[r].rate, net->names, &err), &err);
    FF_CHECK_SAY(wanted == NULL || strcmp(text, wanted) == 0, "%s, %s: %s, not %s", equation, law, text, wanted);
    free(text);
  }
  free(reverse);
  ff_reactions_free(net);
}

static void splits_differences(void) {
  static const char *const laws[][4] = {
      {"A -> B", "k * A - m * B", "k * A", "m * B"},
      {"A -> B", "-m * B + k * A", "k * A", "m * B"},
      {"A -> B", "-(m * B - k * A)", "k * A", "m * B"},
      {"A -> B", "c * (k * A - m * B)", "c * (k * A)", "c * (m * B)"},
      {"A -> B", "(k * A - m * B) * c", "k * A * c", "m * B * c"},
      {"A -> B", "minus * (m * B - k * A)", "-minus * (k * A)", "-minus * (m * B)"},
      {"A -> B", "k * A + minus * B", "k * A", "-minus * B"},
      {"A -> B", "k * A + -3 * B", "k * A", "3 * B"},
      {"A -> B", "k * (A - B / K)", "k * A", "k * (B / K)"},
      {"A -> B", "(k * A / K - m * B / T) / (1 + A / K + B / T)", "k * A / K / (1 + A / K + B / T)",
       "m * B / T / (1 + A / K + B / T)"},
      {"A -> B", "k / (1 + A / K) * (A - B)", "k / (1 + A / K) * A", "k / (1 + A / K) * B"},
      {"A -> B", "k * A + n * E * A - (m * B - minus * E * B)", "k * A + n * E * A", "m * B - minus * E * B"},
      {"A -> B", "k * A / (K + A) - m * B / (K + B)", "k * A / (K + A)", "m * B / (K + B)"},
      {"A -> B", "E * (k * A - m * B)", "E * (k * A)", "E * (m * B)"}, /* an enzyme */
      {"A + E -> B", "k * A * E - m * B", "k * A * E", "m * B"},
      {"B -> A + E", "k * B - m * A * E", "k * B", "m * A * E"},
      {"2 A -> B", "k * A * (A - 1) / 2 - m * B", "k * A * (A - 1) / 2", "m * B"},
      {"2 A -> 2 B", "k * A * (A - 1) * E / (E + 1) - m * B * (B - 1)", "k * A * (A - 1) * E / (E + 1)", "m * B * (B - 1)"},
      {"2 A -> B", "k * A^2 - m * B", "k * A^2", "m * B"},
      {"A + E -> B", "k * A - m * B", "k * A", "m * B"}, /* E is thought to be plentiful */
      {"X -> A", "k * (X - A)", "k * X", "k * A"},
      {"A -> X", "k * A - m * X", "k * A", "m * X"},
      {"A -> B", "net", "k * A", "m * B"},
      {"A -> B", "twice / (1 + all)", "2 * (k * A) / (1 + all)", "2 * (m * B) / (1 + all)"},
      {"A -> B", "k * conc - m * B / c", "k * conc", "m * B / c"},
      {"A -> B", "k * A * exp(-time()) - m * B", "k * A * exp(-time())", "m * B"},
      {"A -> B", "k * A * B - m * B", "k * A * B", "m * B"}, /* infection and recovery */
      {"A + B -> 2 B", "k * A * B - m * B * (B - 1)", "k * A * B", "m * B * (B - 1)"},
      {"A -> B", "0 + k * A - m * B", "k * A", "m * B"},
  };
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) check_split(laws[i][0], laws[i][1], laws[i][2], laws[i][3]);
}

static void keeps_what_is_no_balance(void) {
  static const char *const laws[][2] = {
      {"A -> B", "k * A"},
      {"2 A -> B", "k * A * (A - 1) / 2"},
      {"3 A -> B", "k * A * (A - 1) * (A - 2) / 6"},
      {"2 A -> B", "k * A * (A - 1) / (K + A)"},
      {"2 A -> B", "k * A * A - k * A"},             /* the same, in another form */
      {"2 A + B -> 3 B", "k * A * A * B - k * A * B"},
      {"A -> B", "max(0, k * A - m * B)"},
      {"A -> B", "abs(k * A - m * B)"},
      {"A -> 0", "k * A - m"},
      {"0 -> A", "k - m * A"},
      {"0 -> A", "k * (T - A)"},                     /* T - A may count molecules in another state */
      {"0 -> A", "k * A * (1 - A / K)"},             /* births until there is no room */
      {"A -> 2 A", "k * A * (1 - A / K)"},
      {"A -> 2 A", "k * A * (T - A) / T"},
      {"B -> 2 B", "k * B - m * B * B"},
      {"0 -> A", "k * (1 - B)"},                     /* B is 0 or 1: a gene that is bound */
      {"A -> B", "k * A * (1 - E)"},
      {"A -> B", "k * A * (1 - B / K)"},             /* as much as fits */
      {"A -> B", "k * A - k * A * B / K"},
      {"A -> B", "k * (T - B)"},                     /* T - B is A */
      {"A -> B", "k * free"},
      {"A -> B", "k * A - m * (T - A)"},
      {"A -> B", "k * A - m * T + m * A"},
      {"A -> B", "k * (T - B) - m * B"},
      {"0 -> B", "k * (T - B) - m * B"},
      {"A -> B", "k * (A - B) * (A - E)"},
      {"A -> B", "(A - B)^3"},
      {"A -> B", "(A - B) / (K - A)"},
      {"A -> A", "k * A - m * B"},
      {"A -> B", "k * B - m * A"},                   /* the wrong way round */
      {"A -> B", "m * B + k * A"},
      {"A -> B", "-m * B"},
      {"A -> B", "if(time() < 5, k * A - m * B, 1)"},
      {"A -> B", "k * A - n * m"},
  };
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) check_split(laws[i][0], laws[i][1], NULL, NULL);
}

/* Mass action, whatever its constant is, and flows. */
static void keeps_other_laws(void) {
  uint8_t *reverse;
  ff_error err;
  ff_reactions *net = network_of_text(SYMBOLS "reaction;A -> B;k * A - m * B\nlaw;A -> B;k * A - m * B\n");
  net->reactions[1].flows = 1;
  FF_CHECK_OK(ff_reactions_split(net, &reverse, &err), &err);
  FF_CHECK_INT(net->n_reactions, 2);
  free(reverse);
  ff_reactions_free(net);
}

static void reverses_have_names_and_sides(void) {
  uint8_t *reverse;
  ff_error err;
  ff_reactions *net = network_of_text(SYMBOLS "law;A + 2 E -> 2 B;k * A - m * B\nlaw;A -> B;k * A - m * B\nlaw;A -> B;k * A\n"
                                              "law;A -> B;k * A - m * B\nlaw;A -> B;k * A - m * B\n");
  const char *const given[] = {"a", "a_reverse", "a_reverse_reverse", "", ""};
  static const char *const wanted[] = {"a", "a_reverse_", "a_reverse", "a_reverse_reverse_", "a_reverse_reverse", "", "", "", ""};
  for (uint32_t r = 0; r < 5; r++) {
    free(net->reactions[r].name);
    net->reactions[r].name = ff_strndup(given[r], strlen(given[r]));
  }
  FF_CHECK_OK(ff_reactions_split(net, &reverse, &err), &err);
  FF_CHECK_INT(net->n_reactions, 9);
  for (uint32_t r = 0; r < 9; r++) {
    FF_CHECK_SAY(strcmp(net->reactions[r].name, wanted[r]) == 0, "%s", net->reactions[r].name);
    FF_CHECK_INT(reverse[r], r == 1 || r == 3 || r == 6 || r == 8);
  }
  char *text;
  FF_CHECK_OK(ff_reactions_equation_text(&text, net, 1, &err), &err);
  FF_CHECK_SAY(strcmp(text, "2 B -> A + 2 E") == 0, "%s", text);
  free(text);
  free(reverse);
  ff_reactions_free(net);
}

/* A parameter that an event sets keeps its sign, as far as is known. */
static void parameters_of_events_have_signs(void) {
  for (int negative = 0; negative < 2; negative++) {
    uint8_t *reverse;
    ff_error err;
    char text[600];
    snprintf(text, sizeof text, "species;A;10\nspecies;B;5\nparameter;k;%d\nparameter;m;3\nlaw;A -> B;k * A - m * B\n"
             "event;e;time > 5;;;i;k;7\n", negative ? -1 : 1);
    ff_reactions *net = network_of_text(text);
    FF_CHECK_OK(ff_reactions_split(net, &reverse, &err), &err);
    FF_CHECK_INT(net->n_reactions, negative ? 1 : 2);
    free(reverse);
    ff_reactions_free(net);
  }
}

/* ---- random laws --------------------------------------------------------------------------------------------------------- */

/* A rate that is 0 without its species: CONSTANT * SPECIES ..., perhaps with a denominator. */
static void put_rate(char *out, size_t size, uint64_t *state, const char *species) {
  static const char *const forms[] = {"%g * %s", "%g * %s * E", "%s / %g", "%g * %s^2", "%g * exp(-time) * %s", "%s / (%g + A)"};
  const double c = 0.25 * (1 + below(state, 20));
  const uint64_t form = below(state, 6);
  const int first = form == 2 || form == 5;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (first)
    snprintf(out, size, forms[form], species, c);
  else
    snprintf(out, size, forms[form], c, species);
#pragma GCC diagnostic pop
}

/* Both rates are never negative, and their difference is the law. */
static void rates_are_those_of_the_law(void) {
  static const char *const outer[] = {"%s", "c * (%s)", "(%s) * E / (1 + A + B)", "(%s) / (1 + A / K + B / T)", "-1 * (%s)"};
  uint64_t state = 11;
  for (int i = 0; i < 2000; i++) {
    char term[4][80], sum[400] = "", law[600];
    const int flipped = below(&state, 5) == 0, n = 2 + (int)below(&state, 3);
    for (int t = 0; t < n; t++) {
      const int backward = t == 0 ? 0 : t == 1 ? 1 : (int)below(&state, 2);
      put_rate(term[t], sizeof term[t], &state, backward ? "B" : "A");
      strcat(strcat(sum, backward != flipped ? " - " : t == 0 ? "" : " + "), term[t]);
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(law, sizeof law, outer[flipped ? 4 : below(&state, 4)], sum);
#pragma GCC diagnostic pop
    uint8_t *reverse;
    ff_reactions *net = split_of("A -> B", law, &reverse);
    FF_CHECK_SAY(net->n_reactions == 3, "%s", law);
    for (int k = 0; k < 20 && net->n_reactions == 3; k++) {
      double values[16] = {(double)below(&state, 30), (double)below(&state, 30), (double)below(&state, 5), 4}, stack[64];
      uint32_t *order;
      ff_error err;
      ff_formula whole;
      ff_names *names;
      FF_CHECK_OK(ff_names_new(&names, net->names, 16, "symbols", &err), &err);
      FF_CHECK_OK(ff_formula_parse(&whole, law, strlen(law), ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
      for (int p = 0; p < 7; p++) values[4 + p] = net->value[p];
      FF_CHECK_OK(ff_reactions_order(&order, net, &err), &err);
      ff_reactions_compute(net, order, values, 0.5, stack);
      const double f = ff_formula_value(&net->reactions[1].rate, values, 0.5, stack);
      const double b = ff_formula_value(&net->reactions[2].rate, values, 0.5, stack);
      const double v = ff_formula_value(&whole, values, 0.5, stack);
      FF_CHECK_SAY(f >= 0 && b >= 0 && fabs(f - b - v) <= 1e-12 * (f + b), "%s: %g, %g, %g", law, f, b, v);
      FF_CHECK_SAY((values[0] > 0 || f == 0) && (values[1] > 0 || b == 0), "%s", law);
      free(order);
      ff_formula_free(&whole);
      ff_names_free(names);
    }
    free(reverse);
    ff_reactions_free(net);
  }
}

/* Large laws end: a sum of many terms, and one that is nested deeply. */
static void large_laws_end(void) {
  enum { TERMS = 1500 };
  static char text[TERMS * 20 + 200];
  size_t length = (size_t)snprintf(text, sizeof text, "species;A;10\nspecies;B;5\nlaw;A -> B;A");
  for (int i = 0; i < TERMS / 2; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, " + %d * A", i);
  for (int i = 0; i < TERMS / 2; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, " - %d * B", i);
  snprintf(text + length, sizeof text - length, "\n");
  FF_CHECK(length < TEXT_LONGEST);
  uint8_t *reverse;
  ff_error err;
  ff_reactions *net = network_of_text(text);
  FF_CHECK_OK(ff_reactions_split(net, &reverse, &err), &err);
  FF_CHECK_INT(net->n_reactions, 2);
  free(reverse);
  ff_reactions_free(net);
}

FF_TEST_MAIN("reversible", splits_differences, keeps_what_is_no_balance, keeps_other_laws, reverses_have_names_and_sides,
             parameters_of_events_have_signs, rates_are_those_of_the_law, large_laws_end)
