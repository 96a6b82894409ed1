/* Kernels for small Petri nets, a thread for each trajectory: their code is compiled for this processor, and gives the bits of the
 * engine. */
#include "petri_code.h"

#include "random.h"

enum { UNITS = 40 };

/* ---- nets with names ----------------------------------------------------------------------------------------------------------- */

static void switch_places(petri_text *x) {
  petri_place(x, "off", 0, "1");
  petri_place(x, "on", 0, "0");
}

static void switch_between(petri_text *x, const char *on, const char *off) {
  petri_fires(x, "open", "off -> on", on);
  petri_fires(x, "shut", "on -> off", off);
}

static void gene(petri_text *x) {
  switch_places(x);
  petri_place(x, "p", 1, "0");
  switch_between(x, "1.5 * off", "2.5 * on");
  petri_flows(x, "make", "0 -> p", "on");
  petri_flows(x, "decay", "p -> 0", "p");
}

static void hill(petri_text *x) {
  switch_places(x);
  petri_place(x, "m", 1, "0.1");
  petri_place(x, "p", 1, "0.1");
  switch_between(x, "off * (0.2 + 4 * p^4 / (15^4 + p^4))", "on * (0.5 + 1.5 * 15^4 / (15^4 + p^4))");
  petri_flows(x, "transcribe", "0 -> m", "20 * on");
  petri_flows(x, "degrade", "m -> 0", "2 * m");
  petri_flows(x, "translate", "0 -> p", "3 * m");
  petri_flows(x, "decay", "p -> 0", "p");
}

static void growth(petri_text *x) {
  petri_place(x, "x", 1, "0");
  petri_place(x, "n", 0, "0");
  petri_flows(x, "grow", "0 -> x", "1");
  petri_transition(x, "divide", FF_PETRI_STOCHASTIC, "0 -> n", NULL, "x", "x", 0);
}

/* Two groups, of which one has a constant hazard; a flow with a weight; a level that firings raise, and one that they reset. */
static void groups(petri_text *x) {
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
static void seasons(petri_text *x) {
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
static void rest(petri_text *x) {
  switch_places(x);
  petri_place(x, "x", 1, "0");
  switch_between(x, "off * (0.5 + x)", "on * (1 + x)");
  petri_flows(x, "in", "0 -> x", "2 * on");
  petri_flows(x, "out", "x -> 0", "x * on");
}

/* A hazard with a narrow peak, which takes several pieces, and a flow with one. */
static void peaks(petri_text *x) {
  petri_place(x, "x", 1, "0");
  petri_place(x, "y", 1, "0");
  petri_place(x, "n", 0, "0");
  petri_flows(x, "grow", "0 -> x", "1");
  petri_flows(x, "pulse", "0 -> y", "0.02 / (0.0004 + (x - 1)^2)");
  petri_flows(x, "fade", "y -> 0", "0.1 * y");
  petri_transition(x, "divide", FF_PETRI_STOCHASTIC, "0 -> n", NULL, "x", "0.05 + 1 / (0.001 + (x - 2.5)^2)", 0);
}

static void named_nets(void) {
  static const struct {
    const char *what;
    void (*write)(petri_text *x);
    double last;
    uint32_t refused; /* at most */
    ff_petri_integrator integrator;
  } nets[] = {{"gene", gene, 30, 0, FF_PETRI_AUTO},          {"hill", hill, 20, 0, FF_PETRI_AUTO},
              {"growth", growth, 20, 0, FF_PETRI_AUTO},      {"groups", groups, 10, 0, FF_PETRI_DORMAND_PRINCE},
              {"seasons", seasons, 8, 0, FF_PETRI_AUTO},     {"peaks", peaks, 6, 0, FF_PETRI_AUTO},       {"rest", rest, 12, 0, FF_PETRI_AUTO},
              {"gene, explicit", gene, 9, 0, FF_PETRI_DORMAND_PRINCE}};
  for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
    petri_text x;
    const ff_petri_options options = {.integrator = nets[i].integrator};
    petri_begin(&x);
    nets[i].write(&x);
    petri_compile(&x, &options);
    if (x.program != NULL) check_code(x.program, nets[i].last, UNITS, NULL, i % 2 == 0, nets[i].refused, nets[i].what);
    petri_end(&x);
  }
}

static void calcium(void) {
  ff_error err;
  petri_text x = {0};
  const ff_petri_options options = {0};
  FF_CHECK_OK(petri_calcium(&x.net, 1, 1, &err), &err);
  petri_compile(&x, &options);
  if (x.program != NULL) check_code(x.program, 0.5, UNITS, NULL, 1, 0, "calcium");
  petri_end(&x);
}

FF_TEST_MAIN("petri_code", code_make_folder, named_nets, calcium, code_remove_folder)
