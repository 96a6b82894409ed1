/* Hybrid nets of a middling size: too large for a thread, too small for the whole device. */
#ifndef FF_TESTS_PETRI_LARGE_H
#define FF_TESTS_PETRI_LARGE_H

#include "petri_small.h"

/* Places, flows and stochastic transitions with numbers in their names and texts, where %u is a number, and %v the next one. */
static inline const char *large_text(char *out, size_t size, const char *text, uint32_t i) {
  size_t at = 0;
  for (; *text != '\0' && at + 12 < size; text++) {
    const int number = text[0] == '%' && (text[1] == 'u' || text[1] == 'v');
    if (number)
      at += (size_t)snprintf(out + at, size - at, "%u", i + (*++text == 'v'));
    else
      out[at++] = *text;
  }
  out[at] = '\0';
  return out;
}

static inline void large_place(petri_text *x, const char *name, uint32_t i, int continuous, const char *marking) {
  char own[20];
  petri_place(x, large_text(own, sizeof own, name, i), continuous, marking);
}

static inline void large_add(petri_text *x, ff_petri_kind kind, const char *name, uint32_t i, const char *equation,
                             const char *resets, const char *rate) {
  char own[20], arcs[80], speed[120];
  petri_transition(x, large_text(own, sizeof own, name, i), kind, large_text(arcs, sizeof arcs, equation, i), NULL, resets,
                   large_text(speed, sizeof speed, rate, i), 0);
}

/* A switch, and a chain of n levels that it feeds; its end tells the switch. */
static inline void large_chain(petri_text *x, uint32_t n) {
  char rate[80];
  switch_places(x);
  for (uint32_t i = 0; i < n; i++) large_place(x, "x%u", i, 1, i % 3 == 0 ? "0.5" : "0.1");
  snprintf(rate, sizeof rate, "off * (0.3 + x%u^2 / (0.2 + x%u^2))", n - 1, n - 1);
  switch_between(x, rate, "1.2 * on * (0.5 + x0)");
  large_add(x, FF_PETRI_CONTINUOUS, "in%u", 0, "0 -> x%u", NULL, "0.2 + 3 * on");
  for (uint32_t i = 0; i + 1 < n; i++)
    large_add(x, FF_PETRI_CONTINUOUS, "go%u", i, "x%u -> x%v", NULL, "4 * x%u / (0.5 + x%u)");
  for (uint32_t i = 0; i < n; i++) large_add(x, FF_PETRI_CONTINUOUS, "out%u", i, "x%u -> 0", NULL, "0.1 * x%u");
  large_add(x, FF_PETRI_CONTINUOUS, "end%u", n - 1, "x%u -> 0", NULL, "2 * x%u");
}

/* A ring of n places with tokens that go round, by hazards of which every third reads a level. Half of the places feed it. */
static inline void large_ring(petri_text *x, uint32_t n) {
  char last[40], back[40];
  petri_place(x, "x", 1, "1");
  for (uint32_t i = 0; i < n; i++) large_place(x, "n%u", i, 0, i % 5 == 0 ? "1" : "0");
  for (uint32_t i = 0; i + 1 < n; i++)
    large_add(x, FF_PETRI_STOCHASTIC, "step%u", i, "n%u -> n%v", NULL, i % 3 == 0 ? "n%u * x^2 / (1 + x^2)" : "0.2%u * n%u");
  snprintf(last, sizeof last, "n%u -> n0", n - 1);
  snprintf(back, sizeof back, "n%u", n - 1);
  petri_fires(x, "close", last, back);
  for (uint32_t i = 0; i < n; i += 2) large_add(x, FF_PETRI_CONTINUOUS, "feed%u", i, "0 -> x", NULL, "0.3 * n%u");
  petri_flows(x, "decay", "x -> 0", "x");
}

/* n genes, each with a level of its own, which the next one reads. */
static inline void large_groups(petri_text *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    large_place(x, "off%u", i, 0, "1");
    large_place(x, "on%u", i, 0, "0");
    large_place(x, "p%u", i, 1, "0.1");
    large_place(x, "d%u", i, 1, "0");
  }
  for (uint32_t i = 0; i < n; i++) {
    large_add(x, FF_PETRI_STOCHASTIC, "open%u", i, "off%u -> on%u", NULL, "off%u * (0.2 + p%u^4 / (1 + p%u^4))");
    large_add(x, FF_PETRI_STOCHASTIC, "shut%u", i, "on%u -> off%u + 0.1 p%u", NULL, "on%u * (0.5 + exp(-p%u))");
    large_add(x, FF_PETRI_STOCHASTIC, "burst%u", i, "0 -> (1 + on%u) d%u", i % 2 == 0 ? "d0" : NULL, "0.05 * (1 + on%u)");
    large_add(x, FF_PETRI_CONTINUOUS, "make%u", i, "0 -> p%u", NULL, "2 * on%u * (1.2 + cos(time))");
    large_add(x, FF_PETRI_CONTINUOUS, "decay%u", i, "p%u -> 0", NULL, "p%u");
    if (i + 1 < n) large_add(x, FF_PETRI_CONTINUOUS, "help%u", i, "0 -> p%v", NULL, "0.3 * p%u^2 / (0.1 + p%u^2)");
  }
}

/* n switches that read one level, each faster than the one before: so it needs the integral of their profile more exactly. */
static inline void large_shared(petri_text *x, uint32_t n) {
  petri_place(x, "x", 1, "0.2");
  for (uint32_t i = 0; i < n; i++) {
    large_place(x, "a%u", i, 0, "1");
    large_place(x, "b%u", i, 0, "0");
    large_add(x, FF_PETRI_STOCHASTIC, "up%u", i, "a%u -> b%u", NULL, "(0.5 + %u * %u) * a%u * (x^4 / (0.5 + x^4))");
    large_add(x, FF_PETRI_STOCHASTIC, "down%u", i, "b%u -> a%u", NULL, "2 * b%u * (x^4 / (0.5 + x^4))");
    large_add(x, FF_PETRI_CONTINUOUS, "in%u", i, "0 -> x", NULL, "0.4 * b%u");
  }
  petri_flows(x, "more", "0 -> x", "0.5");
  petri_flows(x, "less", "x -> 0", "x");
}

/* n levels with narrow peaks in their flows, and in the hazards of n counts. */
static inline void large_peaks(petri_text *x, uint32_t n) {
  petri_place(x, "x", 1, "0");
  petri_flows(x, "grow", "0 -> x", "1");
  for (uint32_t i = 0; i < n; i++) {
    large_place(x, "y%u", i, 1, "0");
    large_place(x, "n%u", i, 0, "0");
    large_add(x, FF_PETRI_CONTINUOUS, "pulse%u", i, "0 -> y%u", NULL, "0.02 / (0.0004 + (x - 0.1 * %v)^2)");
    large_add(x, FF_PETRI_CONTINUOUS, "fade%u", i, "y%u -> 0", NULL, "0.4 * y%u");
    large_add(x, FF_PETRI_STOCHASTIC, "count%u", i, "0 -> n%u", NULL, "0.1 + 0.3 / (0.002 + (x - 0.15 * %v)^2)");
  }
  petri_transition(x, "reset", FF_PETRI_STOCHASTIC, "0 -> n0", NULL, "x", "0.2 * x", 0);
}

static inline void large_calcium(petri_text *x, uint32_t n) {
  if (x->net != NULL) ff_petri_free(x->net);
  x->status = petri_calcium(&x->net, n, n, &x->err);
}

typedef struct {
  const char *what;
  void (*write)(petri_text *x, uint32_t n);
  uint32_t n;
  double last; /* a time until which some 50 transitions fire */
} large_net;

/* Each is beyond a limit of generated code. */
static const large_net large_nets[] = {
    {"chain of 24", large_chain, 24, 20},   {"chain of 100", large_chain, 100, 20}, {"ring of 300", large_ring, 300, 0.5},
    {"40 groups", large_groups, 40, 2},     {"20 share a profile", large_shared, 20, 1}, {"17 peaks", large_peaks, 17, 3},
    {"3 x 3 cells", large_calcium, 3, 0.05}};
enum { LARGE_NETS = sizeof large_nets / sizeof *large_nets };

/* Compiles a net. The caller ends *x with petri_end(). */
static inline void large_compile(petri_text *x, const large_net *net, ff_petri_integrator integrator) {
  petri_begin(x);
  net->write(x, net->n);
  petri_compile(x, &(ff_petri_options){.integrator = integrator});
}

#endif
