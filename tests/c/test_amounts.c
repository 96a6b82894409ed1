/* Amounts that become counts: formulas, events, and numbers of pairs. */
#include "../../src/model/reactions/ff_reactions.h"

#include <math.h>

#include "check.h"
#include "random.h"
#include "text_networks.h"

#define FACTOR 8.0 /* a power of 2, so that known texts have short numbers */
#define SYMBOLS \
  "species;A;10\nspecies;B;5\nparameter;k;2\nparameter;K;3\nvariable;v;A + 2 * B\nvariable;w;A / K + 1\nvariable;free;k + K\n"
enum { N_SYMBOLS = 7, V = 4 };
static const uint8_t amount[N_SYMBOLS] = {1, 1, 0, 0, 1, 0, 0}; /* v is an amount, w is not */

static ff_reactions *network(const char *law, const char *more) {
  char text[3000];
  snprintf(text, sizeof text, SYMBOLS "law;A -> B;%s\n%s", law, more);
  return network_of_text(text);
}

static void check_text(const ff_reactions *net, const ff_formula *formula, const char *wanted) {
  char *text;
  ff_error err;
  FF_CHECK_OK(ff_formula_text(&text, formula, net->names, &err), &err);
  FF_CHECK_SAY(strcmp(text, wanted) == 0, "%s, not %s", text, wanted);
  free(text);
}

static void known_laws(void) {
  static const char *const laws[][2] = {
      {"k * A", "k * A"},
      {"k", "k * 8"},
      {"k * A * B", "k * A * B / 8"},
      {"k * A^2 * B", "k * A^2 * B * 0.015625"},
      {"k * sqrt(A) * sqrt(B)", "k * sqrt(A) * sqrt(B)"},
      {"k * A / B", "k * A / B * 8"},
      {"k * A / (K + A)", "k * A / (K + A / 8)"},
      {"k * A - K * A * B", "k * A - K * A * B / 8"},
      {"k * exp(A / B)", "k * exp(A / B) * 8"},
      {"k * exp(A)", "k * (exp(A / 8) * 8)"},
      {"k * A * exp(-B)", "k * A * exp(-(B / 8))"},
      {"if(A > B, k * A, B)", "if(A > B, k * A, B)"},
      {"if(A > K, k * A, B)", "if(A / 8 > K, k * (A / 8), B / 8) * 8"},
      {"k * v", "k * v"},
      {"k * w", "k * (w * 8)"},
      {"k * free * time()", "k * free * time() * 8"},
      {"A^K", "(A / 8)^K * 8"},
      {"k^K", "k^K * 8"},
  };
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    ff_reactions *net = network(laws[i][0], "");
    ff_error err;
    FF_CHECK_OK(ff_reactions_convert(net, amount, FACTOR, 0, &err), &err);
    FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
    check_text(net, &net->reactions[0].rate, laws[i][1]);
    check_text(net, &net->variable[0], "A + 2 * B");
    check_text(net, &net->variable[1], "A / K / 8 + 1");
    ff_reactions_free(net);
  }
}

static void events_are_converted(void) {
  for (int rounds = 0; rounds < 2; rounds++) {
    ff_error err;
    ff_reactions *net = network("1", "event;e;A + B > K;A / B;A;i;A;A / 2;B;K @ k;k;A\n");
    FF_CHECK_OK(ff_reactions_convert(net, amount, FACTOR, rounds, &err), &err);
    FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
    const ff_event *e = &net->events[0];
    check_text(net, &e->trigger, "A / 8 + B / 8 > K");
    check_text(net, &e->delay, "A / B");
    check_text(net, &e->priority, "A / 8");
    check_text(net, &e->sets[0].value, rounds ? "floor(A / 2 + 0.5)" : "A / 2");
    check_text(net, &e->sets[1].value, "K * 8"); /* it has a factor */
    check_text(net, &e->sets[1].factor, "k");
    check_text(net, &e->sets[2].value, "A / 8");
    ff_reactions_free(net);
  }
}

/* ---- random formulas ----------------------------------------------------------------------------------------------------- */

static void put_random(char *out, size_t size, uint64_t *state, int depth) {
  static const char *const leaves[] = {"A", "B", "k", "K", "v", "w", "free", "2", "0.5", "time()"};
  static const char *const forms[] = {"(%s + %s)",    "(%s - %s)",         "(%s * %s)", "(%s / %s)",
                                      "min(%s, %s)", "if(%s > 1, %s, 2)", "(%s * %s)", "(%s / (K + %s))"};
  char a[800], b[800];
  if (depth == 0) {
    snprintf(out, size, "%s", leaves[below(state, 10)]);
    return;
  }
  put_random(a, sizeof a / 2, state, depth - 1 - (int)below(state, 2) * (depth > 1));
  put_random(b, sizeof b / 2, state, depth - 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-truncation"
  if (below(state, 5) == 0)
    snprintf(out, size, below(state, 2) ? "exp(-%s)" : "(%s)^2", a);
  else
    snprintf(out, size, forms[below(state, 8)], a, b);
#pragma GCC diagnostic pop
}

static double value_at(const ff_reactions *net, double a, double b) {
  double values[N_SYMBOLS] = {a, b, net->value[0], net->value[1]}, stack[200];
  uint32_t *order;
  ff_error err;
  FF_CHECK_OK(ff_reactions_order(&order, net, &err), &err);
  ff_reactions_compute(net, order, values, 0.75, stack);
  free(order);
  return ff_formula_value(&net->reactions[0].rate, values, 0.75, stack);
}

/* The rate of counts is `factor` times the rate of amounts. */
static void rates_are_those_of_amounts(void) {
  static const double factor = 1000;
  uint64_t state = 3;
  uint32_t numbers = 0;
  for (int i = 0; i < 3000; i++) {
    char law[900];
    ff_error err;
    put_random(law, sizeof law, &state, 1 + (int)below(&state, 4));
    if (strpbrk(law, "ABvw") == NULL) continue; /* the rate may be a negative number */
    ff_reactions *before = network(law, ""), *after = network(law, "");
    FF_CHECK_OK(ff_reactions_convert(after, amount, factor, 0, &err), &err);
    FF_CHECK_OK(ff_reactions_finish(after, &err), &err);
    for (int k = 0; k < 5; k++) {
      const double a = 1 + (double)below(&state, 4000), b = 1 + (double)below(&state, 4000);
      const double wanted = factor * value_at(before, a / factor, b / factor), found = value_at(after, a, b);
      if (!isfinite(wanted) || fabs(wanted) > 1e200) continue;
      numbers++;
      /* differences lose digits, and min() and if() may choose the other one of two numbers that are equal but for rounding */
      FF_CHECK_SAY(fabs(found - wanted) <= 1e-6 * (fabs(wanted) + factor), "%s at %g, %g: %.17g, not %.17g", law, a, b, found,
                   wanted);
    }
    ff_reactions_free(before);
    ff_reactions_free(after);
  }
  FF_CHECK_SAY(numbers > 8000, "%u", numbers);
}

/* ---- pairs --------------------------------------------------------------------------------------------------------------- */

static void powers_count_pairs(void) {
  static const struct {
    const char *equation, *law, *wanted; /* NULL: it is no number of pairs */
  } cases[] = {
      {"2 A -> B", "k * A * A", "k * A * (A - 1)"},
      {"2 A -> B", "k * A^2", "k * (A * (A - 1))"},
      {"2 A -> B", "K * k * (A / K) * (A / K)", "K * k * (A / K) * ((A - 1) / K)"},
      {"2 A -> B", "K * (A / K)^2 / 8", "K * (A / K * ((A - 1) / K)) / 8"},
      {"3 A -> B", "k * A^3", "k * (A * (A - 1) * (A - 2))"},
      {"3 A -> B", "k * A * A^2", "k * A * ((A - 1) * (A - 2))"},
      {"2 A + 2 B -> A", "k * A^2 * B^2", "k * (A * (A - 1)) * (B * (B - 1))"},
      {"2 A + B -> A", "k * A * A * B", "k * A * (A - 1) * B"},
      {"2 A -> B", "k * A * A * exp(-B)", "k * A * (A - 1) * exp(-B)"},
      {"A -> B", "k * A * A", NULL},
      {"2 A -> B", "k * A", NULL},
      {"2 A -> B", "k * A^3", NULL},
      {"2 A -> B", "k * A * (A - 1)", NULL},
      {"2 A -> B", "k * A * A / (K + A)", NULL},
      {"2 A -> B", "k * A * A + k", NULL},
      {"2 A -> B", "k * A^K", NULL},
      {"2 A -> B", "k * sqrt(A)^4", NULL},
      {"A + B -> 0", "k * A * B", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    uint8_t counted[2];
    ff_error err;
    snprintf(text, sizeof text, SYMBOLS "law;%s;%s\nreaction;2 A -> B;k\n", cases[i].equation, cases[i].law);
    ff_reactions *net = network_of_text(text);
    FF_CHECK_OK(ff_reactions_count_pairs(net, counted, &err), &err);
    FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
    FF_CHECK_INT(counted[0], cases[i].wanted != NULL);
    FF_CHECK_INT(counted[1], 0);
    check_text(net, &net->reactions[0].rate, cases[i].wanted != NULL ? cases[i].wanted : cases[i].law);
    ff_reactions_free(net);
  }
}

FF_TEST_MAIN("amounts", known_laws, events_are_converted, rates_are_those_of_amounts, powers_count_pairs)
