/* Random small hybrid nets, for kernels that simulate a trajectory in a thread.
 *
 * Texts are templates. X and Y are levels, N and M discrete places of a group, K a number, D a continuous place that firings
 * alone change, F a fixed place, and C one that nothing changes. */
#ifndef FF_TESTS_PETRI_HYBRID_H
#define FF_TESTS_PETRI_HYBRID_H

#include "petri_runs.h"
#include "random.h"

#define HYBRID_PICK(s, list) ((list)[below((s), sizeof(list) / sizeof *(list))])

/* Coefficients of hazards, and profiles, which read levels. */
static const char *const hybrid_coefficients[] = {
    "K", "K * N", "N", "K * N * M", "K * (N > 2)", "if(N > 2, K, 2 * K)", "K * N * (N - 1)", "K * N / (1 + N)",
    "K / (1 + N)", "K * (1 + (N == M))", "K * C", "F * N", "(K + K * N + K * M)", "K * (1 + D)", "K * sqrt(N + D)", "K * N", "K",
    "K * N * (X >= 0.4)", "K + N * (X < K)", "K * (Y > 0.6)"};
static const char *const hybrid_profiles[] = {
    "", "", "", "", "X", "(K + K * X)", "(K + X + Y)", "X * Y", "X^2", "(K + X^3)", "(X^3 + K * X * Y + K)",
    "X^2 / (K + X^2)", "(0.1 + X^4 / (K + X^4))", "X^2.5 / (K + X^2.5)", "1 / (1 + X)", "X / (K + X)", "sqrt(K + X)", "sqrt(X)",
    "exp(-X)", "exp(-K * X * X)", "(1 + sin(K * time))", "(1.1 + cos(time) * X / (1 + X))", "(0.05 + 0.1 / (0.02 + (X - K)^2))",
    "(X - K)^2", "log(1 + X)", "(X / (K + X) + Y)", "(N + X)", "(1 + N * X) / (1 + X)", "tanh(X)",
    "(exp(-5 * X) + 0.1)", "X / (0.01 + X)", "(2 * K + X) / (K + Y)"};

/* What firings do. */
static const struct {
  const char *equation, *tests, *resets;
} hybrid_firings[] = {{"N -> M", NULL, NULL},         {"N -> M", NULL, NULL},
                      {"M -> N", NULL, NULL},         {"N -> 0", NULL, NULL},
                      {"N -> 0", NULL, NULL},         {"0 -> N", NULL, NULL},
                      {"0 -> N", "N < 6", NULL},      {"2 N -> M", NULL, NULL},
                      {"0 -> 2 N", "N <= 4", NULL},   {"N -> M + K X", NULL, NULL},
                      {"0 -> K X", NULL, NULL},       {"0 -> (1 + N) X", "N >= 1", NULL},
                      {"0 -> (0.1 * X) Y", NULL, NULL}, {"0 -> (0.5 * X) X", NULL, "X"},
                      {"0 -> 3 M", "M < 3", "X"},     {"0 -> N", NULL, "X, Y"},
                      {"0 -> M", "N > 1", "N"},       {"0 -> K D", NULL, NULL},
                      {"0 -> (K + K * X) D", NULL, "D"}, {"0 -> 2 N + K X + K Y", "N == 0", NULL},
                      {"0 -> (N) M", "M < 4", NULL},  {"N -> M", "N > 1 & M <= 4", NULL},
                      {"N + M -> 0", NULL, NULL},     {"N + C -> N + C + M", "M < 5", NULL},
                      {"0 -> 200 N", NULL, "N"},      {"F + N -> F", NULL, NULL},
                      {"0 -> (1 + N * M) D", NULL, NULL}, {"N -> M", "X >= 0.5", NULL},
                      {"0 -> N", "Y < 0.7 & N < 5", "X"}};

static const char *const hybrid_gains[] = {
    "K", "K * N", "K * (N > 2)", "K * (1 + cos(K * time))", "if(N > 2, K, 2 * K)", "K * N * M / (1 + N)", "K * D", "F", "K * C",
    "K * (N == 0)", "K * N", "K * (1 + (X > K))", "K * (Y >= K)"};
/* These read a level that comes before. */
static const char *const hybrid_chains[] = {
    "K / (1 + Y)", "Y^2 / (K + Y^2)", "K * Y", "Y * N / (1 + Y)", "0.02 / (0.0004 + (Y - 1)^2)", "K * N * exp(-Y)",
    "sqrt(1 + Y)", "K * Y * (1 + sin(time))", "N * Y^4 / (K + Y^4)", "Y / (0.002 + Y)", "K * Y^3 / (1 + Y)^2"};
static const char *const hybrid_losses[] = {
    "X / (1 + X)", "X^2 / (K + X^2)", "K * X * Y", "K * X * N", "X * (1 + sin(time))", "K * X", "K * X * (N > 2)", "K * X^2",
    "X / (0.05 + X)", "K * X * exp(-Y)", "K * X * (X < 1.1)",
    "X * (Y > 0.5)"};

/* What fires at once, so that nothing fires without end: each takes more tokens than it makes. */
static const struct {
  const char *equation, *tests, *resets;
} hybrid_at_once[] = {{"2 N -> M", "N > 3", NULL}, {"3 N -> 0", "N >= M", NULL},      {"4 N -> (1 + M) X", NULL, NULL},
                      {"N + M -> 0", NULL, NULL},  {"N -> 0", "N > 4 & M <= 3", "X"}, {"3 N -> M + K D", "M < 4", NULL},
                      {"N -> 0", "X >= 1.5", "X"}, {"2 N -> M", "Y >= 0.8 & X < 2", NULL},
                      {"5 N -> 2 M", NULL, "D"},   {"2 N -> (0.5 * X) Y", "N > 2", NULL}};
static const char *const hybrid_weights[] = {"1", "K", "K * N", "N / (1 + M)", "N - 2", "K * (N > M)", "1 + D", "F"};

/* Delays, and times of schedules: begin, period, end. Many are due at the same instant. */
static const char *const hybrid_delays[] = {"0.5", "0.25", "1", "K", "0.2 + 0.3 * X", "0.5 / (1 + N)", "0.1 + K * N + X * Y",
                                            "0.1 + K * (N > M)", "0.3 + 0.1 * time", "K + D", "0.5 * (N < 4)"};
static const char *const hybrid_schedules[][3] = {{"0.5", "0.5", NULL}, {"0", "0.25", "3"}, {"1", "0.25", NULL},
                                                  {"0.75", "1", NULL},  {"2.5", "0", NULL}, {"0.1", "0.3", "4"}};

typedef struct {
  petri_text *to;
  uint64_t *s;
  uint32_t n_levels, n_counts, n_groups, n_transitions;
  uint64_t *vary; /* NULL, or by which some numbers K are changed: another point of a sweep */
  int stiff;      /* whether some flows are fast */
} hybrid;

static inline double hybrid_number(hybrid *h) {
  const double number = 0.2 + 1.6 * uniform(h->s);
  return h->vary == NULL || below(h->vary, 2) == 0 ? number : number * (0.5 + uniform(h->vary));
}

/* The text of a template for a group; X is a level, and Y one before it, if `ordered`. */
static inline void hybrid_expand(hybrid *h, const char *text, uint32_t group, uint32_t level, int ordered, char *out,
                                 size_t size) {
  const uint32_t x = level, y = ordered ? below(h->s, level > 0 ? level : 1) : below(h->s, h->n_levels);
  const uint32_t of_group = h->n_counts / h->n_groups + (group < h->n_counts % h->n_groups);
  const uint32_t n = group + h->n_groups * below(h->s, of_group), m = group + h->n_groups * below(h->s, of_group);
  size_t at = 0;
  for (; *text != '\0' && at + 20 < size; text++) {
    if (*text == 'X') at += (size_t)snprintf(out + at, size - at, "x%u", x);
    else if (*text == 'Y') at += (size_t)snprintf(out + at, size - at, "x%u", y);
    else if (*text == 'N') at += (size_t)snprintf(out + at, size - at, "n%u", n);
    else if (*text == 'M') at += (size_t)snprintf(out + at, size - at, "n%u", m);
    else if (*text == 'K') at += (size_t)snprintf(out + at, size - at, "%.3f", hybrid_number(h));
    else if (*text == 'D') at += (size_t)snprintf(out + at, size - at, "dose");
    else if (*text == 'F') at += (size_t)snprintf(out + at, size - at, "fixed");
    else if (*text == 'C') at += (size_t)snprintf(out + at, size - at, "catalyst");
    else out[at++] = *text;
  }
  out[at] = '\0';
}

static inline void hybrid_add(hybrid *h, ff_petri_kind kind, const char *equation, const char *tests, const char *resets,
                              const char *rate) {
  char name[20];
  snprintf(name, sizeof name, "t%u", h->n_transitions++);
  petri_transition(h->to, name, kind, equation, tests, resets, rate, 0);
}

static inline void hybrid_add_flow(hybrid *h, const char *equation, const char *rate, uint32_t level, int ordered) {
  char of[100], text[300];
  const uint32_t group = below(h->s, h->n_groups);
  hybrid_expand(h, equation, group, level, ordered, of, sizeof of);
  hybrid_expand(h, rate, group, level, ordered, text, sizeof text);
  hybrid_add(h, FF_PETRI_CONTINUOUS, of, NULL, NULL, text);
}

static const char *const hybrid_fast_gains[] = {"1e3 * K", "2e4 * K * N", "5e2 * (1 + sin(time))", "3e3 * Y",
                                                "1e3 * K * Y / (1 + Y)"};
static const char *const hybrid_fast_losses[] = {"2e3 * X", "1e4 * X", "1e3 * X * (1 + N)", "5e3 * X * (1 + Y)", "3e3 * X^2",
                                                 "1e5 * X", "2e3 * X * (N > 2)", "1e4 * X / (0.5 + X)"};

/* A level follows other values closely, at least at times. */
static inline void hybrid_add_fast_flows(hybrid *h, uint32_t level) {
  hybrid_add_flow(h, "X -> 0", HYBRID_PICK(h->s, hybrid_fast_losses), level, 1);
  if (below(h->s, 3) > 0) hybrid_add_flow(h, "0 -> X", HYBRID_PICK(h->s, hybrid_fast_gains), level, 1);
}

/* Each level has a gain and a loss that is proportional to it, so that it stays small. */
static inline void hybrid_add_flows(hybrid *h) {
  static const char *const gains[] = {"0 -> X", "0 -> X", "0 -> 2 X", "0 -> K X"};
  static const char *const decays[] = {"X -> 0", "X -> 0", "(1 + N) X -> 0", "K X -> 0"};
  static const char *const losses[] = {"X -> 0", "X -> 0", "X -> D", "X -> Y", "X -> 2 Y"};
  for (uint32_t i = 0; i < h->n_levels; i++) {
    hybrid_add_flow(h, HYBRID_PICK(h->s, decays), "K * X", i, 0);
    if (h->stiff && below(h->s, 3) > 0) hybrid_add_fast_flows(h, i);
    if (below(h->s, 3) == 0) hybrid_add_flow(h, "0 -> (1 + N) X", "0.2 * X / (1 + X)", i, 0);
    hybrid_add_flow(h, HYBRID_PICK(h->s, gains), HYBRID_PICK(h->s, hybrid_gains), i, 0);
    for (uint32_t k = below(h->s, 3); k > 0 && i > 0; k--)
      hybrid_add_flow(h, HYBRID_PICK(h->s, gains), HYBRID_PICK(h->s, hybrid_chains), i, 1);
    for (uint32_t k = below(h->s, 3); k > 0; k--)
      hybrid_add_flow(h, i + 1 < h->n_levels ? losses[0] : HYBRID_PICK(h->s, losses), HYBRID_PICK(h->s, hybrid_losses), i, 1);
  }
}

/* Templates of a transition that fires. */
static inline void hybrid_add_jump(hybrid *h, ff_petri_kind kind, uint32_t group, const char *equation, const char *tests,
                                   const char *resets, const char *number, const char *profile) {
  const char *const of[] = {equation, tests, resets};
  char text[3][100], coefficient[200], rate[500];
  const uint32_t level = below(h->s, h->n_levels);
  const uint64_t before = *h->s; /* the same places in all texts but those of rates */
  uint64_t after = before;
  for (int k = 0; k < 3; k++) {
    *h->s = before;
    hybrid_expand(h, of[k] == NULL ? "" : of[k], group, level, 0, text[k], sizeof text[k]);
    if (k == 0) after = *h->s;
  }
  *h->s = after;
  hybrid_expand(h, number, group, level, 0, coefficient, sizeof coefficient);
  snprintf(rate, sizeof rate, "%s%s%s", coefficient, profile[0] == '\0' ? "" : " * ", profile);
  hybrid_add(h, kind, text[0], text[1][0] == '\0' ? NULL : text[1], text[2][0] == '\0' ? NULL : text[2],
             rate[0] == '\0' ? NULL : rate);
}

static inline void hybrid_add_firing(hybrid *h, uint32_t group, uint32_t k, const char *profile) {
  hybrid_add_jump(h, FF_PETRI_STOCHASTIC, group, hybrid_firings[k].equation, hybrid_firings[k].tests, hybrid_firings[k].resets,
                  HYBRID_PICK(h->s, hybrid_coefficients), profile);
}

static inline void hybrid_add_at_once(hybrid *h, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = below(h->s, sizeof hybrid_at_once / sizeof *hybrid_at_once);
    hybrid_add_jump(h, FF_PETRI_IMMEDIATE, below(h->s, h->n_groups), hybrid_at_once[k].equation, hybrid_at_once[k].tests,
                    hybrid_at_once[k].resets, HYBRID_PICK(h->s, hybrid_weights), "");
  }
}

/* Transitions with clocks, which do what stochastic ones do. */
static inline void hybrid_add_clocks(hybrid *h, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = below(h->s, sizeof hybrid_firings / sizeof *hybrid_firings), schedules = below(h->s, 2);
    hybrid_add_jump(h, schedules ? FF_PETRI_SCHEDULED : FF_PETRI_DETERMINISTIC, below(h->s, h->n_groups),
                    hybrid_firings[k].equation, hybrid_firings[k].tests, hybrid_firings[k].resets,
                    schedules ? "" : HYBRID_PICK(h->s, hybrid_delays), "");
    if (schedules) petri_schedule(h->to, HYBRID_PICK(h->s, hybrid_schedules));
  }
}

/* Some transitions, of which several may share a profile; or a chain of many with numbers times counts. */
static inline void hybrid_add_group(hybrid *h, uint32_t group) {
  char profile[200] = "";
  const uint32_t n = 1 + below(h->s, 4), chain = below(h->s, 4) == 0;
  for (uint32_t k = 0; k < n; k++) {
    if (k == 0 || below(h->s, 3) > 0)
      hybrid_expand(h, HYBRID_PICK(h->s, hybrid_profiles), group, below(h->s, h->n_levels), 0, profile, sizeof profile);
    hybrid_add_firing(h, group, below(h->s, sizeof hybrid_firings / sizeof *hybrid_firings), profile);
  }
  for (uint32_t k = 0; k < 7 && chain; k++) {
    char coefficient[40], rate[300], equation[40];
    const uint64_t before = *h->s;
    hybrid_expand(h, k % 2 == 0 ? "N -> M" : "N -> 0", group, 0, 0, equation, sizeof equation);
    *h->s = before;
    hybrid_expand(h, "N * K", group, 0, 0, coefficient, sizeof coefficient);
    snprintf(rate, sizeof rate, "%s%s%s", coefficient, profile[0] == '\0' ? "" : " * ", profile);
    hybrid_add(h, FF_PETRI_STOCHASTIC, equation, NULL, NULL, rate);
  }
}

/* A random net, which need not be one that can be compiled; with `all`, one with transitions of all kinds, else with stochastic
 * ones and flows. With `vary`, one with other numbers. With `stiff`, one with up to 6 levels, of which some change fast. The
 * caller ends *x with petri_end(). */
static inline void hybrid_write_any(petri_text *x, uint64_t *s, int all, uint64_t *vary, int stiff) {
  char name[20], marking[20];
  hybrid h = {x, s, 1 + below(s, stiff ? 6 : 3), 1 + below(s, 6), 0, 0, vary, stiff};
  const uint32_t groups = 1 + below(s, 4);
  h.n_groups = groups < h.n_counts ? groups : h.n_counts;
  petri_begin(x);
  for (uint32_t i = 0; i < h.n_levels; i++) {
    snprintf(name, sizeof name, "x%u", i);
    snprintf(marking, sizeof marking, "%.2f", below(s, 2) == 0 ? 0 : 2 * uniform(s));
    petri_place(x, name, 1, marking);
  }
  for (uint32_t i = 0; i < h.n_counts; i++) {
    snprintf(name, sizeof name, "n%u", i);
    snprintf(marking, sizeof marking, "%u", below(s, 6));
    petri_place(x, name, 0, marking);
  }
  petri_place(x, "dose", 1, "0.5");
  petri_place(x, "catalyst", below(s, 2) == 0, "2");
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "fixed", FF_PETRI_NONE, 1, 1, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, "fixed", NULL, "1.25", 0, petri_nowhere, &x->err);
  for (uint32_t g = 0; g < h.n_groups; g++) hybrid_add_group(&h, g);
  if (all && below(s, 2) == 0) hybrid_add_at_once(&h, 1 + below(s, 4));
  if (all && below(s, 2) == 0) hybrid_add_clocks(&h, 1 + below(s, 5));
  hybrid_add_flows(&h);
}

static inline void hybrid_write_varied(petri_text *x, uint64_t *s, int all, uint64_t *vary) {
  hybrid_write_any(x, s, all, vary, 0);
}
static inline void hybrid_write(petri_text *x, uint64_t *s, int all) { hybrid_write_any(x, s, all, NULL, 0); }
static inline void hybrid_write_stiff(petri_text *x, uint64_t *s, int all) { hybrid_write_any(x, s, all, NULL, 1); }

/* ---- coloured nets --------------------------------------------------------------------------------------------------------- */

/* Two to four cells, each with a level, a discrete place and a clock of its own; and a level and a place that all share. */
static inline void hybrid_write_coloured(petri_text *x, uint64_t *s, int all) {
  static const int64_t colours[] = {2, 3, 5, 8};
  static const char *const rates[] = {"0.8 * N[x]", "(0.3 * x) * N[x]", "N[x] * (0.2 + L[x])", "N[x] * L[x]^2 / (0.5 + L[x]^2)",
                                      "x * sqrt(0.1 + L[x]) / (1 + N[x])", "N[x] * exp(-L[x] / x)",
                                      "N[x] * (1.2 + sin(x * time))"};
  static const char *const flows[] = {"0.3 * N[x]", "0.2 * x", "L[x] / (1 + L[x])", "1.1 / (1 + G^2)", "0.4 + cos(x + time)^2"};
  const uint32_t n = 2 + below(s, 3);
  const struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *guard, *tests, *resets, *rate;
    int mass_action;
  } list[] = {{"birth", FF_PETRI_STOCHASTIC, "0 -> N[x]", NULL, "N[x] < 7", NULL, HYBRID_PICK(s, rates), 0},
              {"birth too", FF_PETRI_STOCHASTIC, "0 -> (1 + x) N[x]", NULL, "N[x] < 2", NULL, "0.5", 0},
              {"death", FF_PETRI_STOCHASTIC, "N[x] -> 0", NULL, NULL, NULL, HYBRID_PICK(s, rates), 0},
              {"push", FF_PETRI_STOCHASTIC, "0 -> (0.1 * x) L[x] + 0.1 L[next(x)]", "x > 2", NULL, NULL, "0.5", 0},
              {"clear", FF_PETRI_STOCHASTIC, "N[x] -> 0", "x < 4", NULL, "L[x]", "0.2", 1},
              {"merge", FF_PETRI_IMMEDIATE, "4 N[x] -> 0.1 L[x] + N[next(x)]", NULL, "N[x] > 4", NULL, "x * N[x]", 0},
              {"meet", FF_PETRI_IMMEDIATE, "N[x] + N[next(x)] -> 0", "x > 2", "N[next(x)] > 2", NULL, "1", 0},
              {"late", FF_PETRI_DETERMINISTIC, "N[x] -> 0", NULL, "N[x] > 3", NULL, "0.25 * x + 0.1 * L[x]", 0},
              {"later", FF_PETRI_DETERMINISTIC, "2 N[x] -> (0.1 * x) L[next(x)]", NULL, NULL, NULL, "0.5", 0},
              {"pulse", FF_PETRI_SCHEDULED, "0 -> N[x]", NULL, "N[x] < x", NULL, NULL, 0},
              {"spread", FF_PETRI_CONTINUOUS, "L[x] -> L[next(x)]", NULL, NULL, NULL, "0.7", 1},
              {"gain", FF_PETRI_CONTINUOUS, "0 -> (1 / x) L[x]", NULL, NULL, NULL, HYBRID_PICK(s, flows), 0},
              {"loss", FF_PETRI_CONTINUOUS, "L[x] -> G", NULL, NULL, NULL, "0.9", 1},
              {"leak", FF_PETRI_CONTINUOUS, "G -> 0", NULL, NULL, NULL, "1.1", 1}};
  const uint32_t many = sizeof list / sizeof *list, left_out = below(s, 5);
  petri_begin(x);
  if (x->status == FF_OK) x->status = ff_petri_add_values(x->net, "X", colours, n, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_index(x->net, "x", "X", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "N", ff_petri_set_number(x->net, "X", 1), 0, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "L", ff_petri_set_number(x->net, "X", 1), 1, 0, &x->err);
  petri_place(x, "G", 1, "0");
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, "N", NULL, "x", 0, petri_nowhere, &x->err);
  for (uint32_t k = 0; k < many && x->status == FF_OK; k++)
    if ((k != left_out || k == 0) && (all || list[k].kind == FF_PETRI_STOCHASTIC || list[k].kind == FF_PETRI_CONTINUOUS))
      x->status = petri_add(x->net, list[k].name, list[k].kind, list[k].equation, list[k].guard, list[k].tests, list[k].resets,
                            list[k].rate, list[k].mass_action, &x->err);
  for (uint32_t t = 0; x->status == FF_OK && t < x->net->n_transitions; t++)
    if (x->net->transition[t].kind == FF_PETRI_SCHEDULED) petri_schedule_of(x, t, HYBRID_PICK(s, hybrid_schedules));
}

#endif
