/* Small hybrid nets, for kernels that simulate a trajectory in a thread. */
#ifndef FF_TESTS_PETRI_SMALL_H
#define FF_TESTS_PETRI_SMALL_H

#include "petri_runs.h"

static inline void switch_places(petri_text *x) {
  petri_place(x, "off", 0, "1");
  petri_place(x, "on", 0, "0");
}

static inline void switch_between(petri_text *x, const char *on, const char *off) {
  petri_fires(x, "open", "off -> on", on);
  petri_fires(x, "shut", "on -> off", off);
}

static inline void small_gene(petri_text *x) {
  switch_places(x);
  petri_place(x, "p", 1, "0");
  switch_between(x, "1.5 * off", "2.5 * on");
  petri_flows(x, "make", "0 -> p", "on");
  petri_flows(x, "decay", "p -> 0", "p");
}

static inline void small_hill(petri_text *x) {
  switch_places(x);
  petri_place(x, "m", 1, "0.1");
  petri_place(x, "p", 1, "0.1");
  switch_between(x, "off * (0.2 + 4 * p^4 / (15^4 + p^4))", "on * (0.5 + 1.5 * 15^4 / (15^4 + p^4))");
  petri_flows(x, "transcribe", "0 -> m", "20 * on");
  petri_flows(x, "degrade", "m -> 0", "2 * m");
  petri_flows(x, "translate", "0 -> p", "3 * m");
  petri_flows(x, "decay", "p -> 0", "p");
}

static inline void small_growth(petri_text *x) {
  petri_place(x, "x", 1, "0");
  petri_place(x, "n", 0, "0");
  petri_flows(x, "grow", "0 -> x", "1");
  petri_transition(x, "divide", FF_PETRI_STOCHASTIC, "0 -> n", NULL, "x", "x", 0);
}

/* Two groups, of which one has a constant hazard; a flow with a weight; a level that firings raise, and one that they reset. */
static inline void small_groups(petri_text *x) {
  switch_places(x);
  petri_place(x, "a", 0, "3");
  petri_place(x, "b", 0, "0");
  petri_place(x, "x", 1, "0.5");
  petri_place(x, "y", 1, "0");
  petri_place(x, "dose", 1, "0.25");
  switch_between(x, "off * (0.3 + x / (1 + x))", "2 * on");
  petri_fires(x, "forth", "a -> b", "0.7 * a");
  petri_fires(x, "back", "b -> a", "0.4 * b");
  petri_fires(x, "push", "0 -> 2 y + 0.5 x", "0.9");
  petri_transition(x, "clear", FF_PETRI_STOCHASTIC, "0 -> dose", NULL, "y", "0.2 * sqrt(y + 1)", 0);
  petri_flows(x, "in", "0 -> x", "1.2 * on + 0.1 * b");
  petri_flows(x, "out", "x -> 0", "0.8 * x");
  petri_flows(x, "turn", "x -> 3 y", "0.2 * x * x / (0.5 + x * x)");
  petri_flows(x, "lose", "y -> 0", "0.5 * y");
}

/* Rates that depend on the time, and a part of formulas that depends on counts alone. */
static inline void small_seasons(petri_text *x) {
  switch_places(x);
  petri_place(x, "n", 0, "0");
  petri_place(x, "x", 1, "1");
  switch_between(x, "off * (1.5 + sin(3 * time))", "on * (0.4 + (n > 2))");
  petri_fires(x, "count", "0 -> n", "0.8 + 0.3 * x");
  petri_fires(x, "drop", "n -> 0", "0.3 * n");
  petri_flows(x, "in", "0 -> x", "if(n > 2, 3, 1) * (1.2 + cos(time))");
  petri_flows(x, "out", "x -> 0", "x");
}

/* Nothing flows for a while: levels do not move until something has fired. */
static inline void small_rest(petri_text *x) {
  switch_places(x);
  petri_place(x, "x", 1, "0");
  switch_between(x, "off * (0.5 + x)", "on * (1 + x)");
  petri_flows(x, "in", "0 -> x", "2 * on");
  petri_flows(x, "out", "x -> 0", "x * on");
}

/* A hazard with a narrow peak, which takes several pieces, and a flow with one. */
static inline void small_peaks(petri_text *x) {
  petri_place(x, "x", 1, "0");
  petri_place(x, "y", 1, "0");
  petri_place(x, "n", 0, "0");
  petri_flows(x, "grow", "0 -> x", "1");
  petri_flows(x, "pulse", "0 -> y", "0.02 / (0.0004 + (x - 1)^2)");
  petri_flows(x, "fade", "y -> 0", "0.1 * y");
  petri_transition(x, "divide", FF_PETRI_STOCHASTIC, "0 -> n", NULL, "x", "0.05 + 1 / (0.001 + (x - 2.5)^2)", 0);
}

/* Groups with a profile in common, which the second one needs more exactly. The first one tells in `dose` when it has fired. */
static inline void small_shared(petri_text *x) {
  switch_places(x);
  petri_place(x, "n", 0, "0");
  petri_place(x, "dose", 1, "0");
  petri_place(x, "x", 1, "0.2");
  petri_fires(x, "count", "0 -> n + (x) dose", "1.5 * x^4 / (0.5 + x^4)");
  switch_between(x, "40 * off * x^4 / (0.5 + x^4)", "40 * on * x^4 / (0.5 + x^4)");
  petri_flows(x, "in", "0 -> x", "5 * on + 0.5");
  petri_flows(x, "out", "x -> 0", "x");
}

static inline void small_calcium(petri_text *x) {
  if (x->net != NULL) ff_petri_free(x->net);
  x->status = petri_calcium(&x->net, 1, 1, &x->err);
}

typedef struct {
  const char *what;
  void (*write)(petri_text *x);
  double last; /* a time until which some 50 transitions fire */
  ff_petri_integrator integrator;
} small_net;

static const small_net small_nets[] = {
    {"gene", small_gene, 30, FF_PETRI_AUTO},       {"hill", small_hill, 20, FF_PETRI_AUTO},
    {"growth", small_growth, 20, FF_PETRI_AUTO},   {"groups", small_groups, 10, FF_PETRI_DORMAND_PRINCE},
    {"seasons", small_seasons, 8, FF_PETRI_AUTO},  {"peaks", small_peaks, 6, FF_PETRI_AUTO},
    {"rest", small_rest, 12, FF_PETRI_AUTO},       {"gene, explicit", small_gene, 9, FF_PETRI_DORMAND_PRINCE},
    {"shared", small_shared, 4, FF_PETRI_AUTO},    {"shared, explicit", small_shared, 2, FF_PETRI_DORMAND_PRINCE},
    {"calcium", small_calcium, 0.5, FF_PETRI_AUTO}};
enum { SMALL_NETS = sizeof small_nets / sizeof *small_nets };

/* Compiles a net. The caller ends *x with petri_end(). */
static inline void small_compile(petri_text *x, const small_net *net) {
  const ff_petri_options options = {.integrator = net->integrator};
  petri_begin(x);
  net->write(x);
  petri_compile(x, &options);
}

#endif
