/* Hybrid nets of a middling size whose flows are stiff: for kernels that have implicit steps of many levels. */
#ifndef FF_TESTS_PETRI_LARGE_STIFF_H
#define FF_TESTS_PETRI_LARGE_STIFF_H

#include "petri_large.h"

static inline void large_levels(petri_text *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) large_place(x, "x%u", i, 1, i % 3 == 0 ? "0.5" : "0.1");
}

/* Flows between neighbours, which are fast for most of them; the last level tells the switch. */
static inline void large_stiff_links(petri_text *x, uint32_t n, const char *feed) {
  char rate[80];
  switch_places(x);
  large_levels(x, n);
  snprintf(rate, sizeof rate, "off * (0.3 + x%u^2 / (0.2 + x%u^2))", n - 1, n - 1);
  switch_between(x, rate, "1.2 * on * (0.5 + x0)");
  large_add(x, FF_PETRI_CONTINUOUS, "in%u", 0, "0 -> x%u", NULL, feed);
  for (uint32_t i = 0; i + 1 < n; i++) {
    large_add(x, FF_PETRI_CONTINUOUS, "go%u", i, "x%u -> x%v", NULL, i % 4 == 3 ? "8 * x%u / (0.5 + x%u)" : "1%u00 * x%u");
    large_add(x, FF_PETRI_CONTINUOUS, "back%u", i, "x%v -> x%u", NULL, i % 4 == 3 ? "x%v" : "900 * x%v");
  }
  large_add(x, FF_PETRI_CONTINUOUS, "end%u", n - 1, "x%u -> 0", NULL, "2 * x%u");
}

static inline void large_stiff_chain(petri_text *x, uint32_t n) { large_stiff_links(x, n, "0.2 + 3 * on"); }

/* The feed depends on the time. */
static inline void large_stiff_seasons(petri_text *x, uint32_t n) {
  large_stiff_links(x, n, "(0.2 + 3 * on) * (1.2 + sin(2 * time))");
}

/* A ring with links across it: the factors have more entries than the matrix. */
static inline void large_stiff_net(petri_text *x, uint32_t n) {
  char equation[40], rate[40];
  large_stiff_links(x, n, "0.2 + 3 * on");
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 1; k < 3; k++) {
      snprintf(equation, sizeof equation, "x%u -> x%u", i, (i * (5 + 2 * k) + k) % n);
      snprintf(rate, sizeof rate, "%u * x%u", 30 * k, i);
      if (i != (i * (5 + 2 * k) + k) % n)
        large_add(x, FF_PETRI_CONTINUOUS, k == 1 ? "over%u" : "across%u", i, equation, NULL, rate);
    }
}

/* Each level reads all of them. */
static inline void large_stiff_full(petri_text *x, uint32_t n) {
  char name[20], equation[40], rate[1000], sum[900] = "1";
  petri_place(x, "n", 0, "1");
  large_levels(x, n);
  for (uint32_t i = 0; i < n; i++) snprintf(sum + strlen(sum), sizeof sum - strlen(sum), " + x%u", i);
  for (uint32_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "in%u", i);
    snprintf(equation, sizeof equation, "0 -> x%u", i);
    snprintf(rate, sizeof rate, "(%u + n) / (%s)", i, sum);
    petri_flows(x, name, equation, rate);
    large_add(x, FF_PETRI_CONTINUOUS, "out%u", i, "x%u -> 0", NULL, i % 2 == 0 ? "3%u000 * x%u" : "x%u");
  }
  petri_fires(x, "more", "0 -> n", "2");
  petri_fires(x, "less", "n -> 0", "n * (0.5 + x1)");
}

/* n times the reactions of Robertson, each with a count that feeds the next one. */
static inline void large_stiff_modules(petri_text *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    large_place(x, "n%u", i, 0, "3");
    large_place(x, "x%u", i, 1, "1");
    large_place(x, "y%u", i, 1, "0");
    large_place(x, "z%u", i, 1, "0");
  }
  for (uint32_t i = 0; i < n; i++) {
    large_add(x, FF_PETRI_CONTINUOUS, "slow%u", i, "x%u -> y%u", NULL, "0.04 * x%u");
    large_add(x, FF_PETRI_CONTINUOUS, "fast%u", i, "2 y%u -> y%u + z%u", NULL, "3e7 * y%u * y%u");
    large_add(x, FF_PETRI_CONTINUOUS, "back%u", i, "y%u + z%u -> x%u + z%u", NULL, "1e4 * y%u * z%u");
    large_add(x, FF_PETRI_CONTINUOUS, "turn%u", i, "z%u -> x%u", NULL, "0.1 * n%u * z%u");
    if (i + 1 < n) large_add(x, FF_PETRI_CONTINUOUS, "pass%u", i, "z%u -> x%v", NULL, "0.05 * z%u");
    large_add(x, FF_PETRI_STOCHASTIC, "lose%u", i, "n%u -> 0", NULL, "n%u * (0.1 + z%u)");
    large_add(x, FF_PETRI_STOCHASTIC, "gain%u", i, "0 -> n%u", NULL, "1");
  }
}

/* Roots of levels that come near 0: at stages of long steps they have no value. */
static inline void large_stiff_roots(petri_text *x, uint32_t n) {
  petri_place(x, "n", 0, "1");
  for (uint32_t i = 0; i < n; i++) large_place(x, "x%u", i, 1, "0");
  petri_flows(x, "in", "0 -> x0", "n");
  for (uint32_t i = 0; i + 1 < n; i++) large_add(x, FF_PETRI_CONTINUOUS, "go%u", i, "x%u -> x%v", NULL, "1e3 * sqrt(x%u)");
  large_add(x, FF_PETRI_CONTINUOUS, "end%u", n - 1, "x%u -> 0", NULL, "1e3 * x%u");
  petri_fires(x, "more", "0 -> n", "1 + x1");
  petri_transition(x, "less", FF_PETRI_STOCHASTIC, "n -> 0", NULL, "x0", "n", 0);
}

/* Narrow peaks in flows of fast levels. */
static inline void large_stiff_peaks(petri_text *x, uint32_t n) {
  large_peaks(x, n);
  for (uint32_t i = 0; i < n; i++) {
    large_place(x, "z%u", i, 1, "0");
    large_add(x, FF_PETRI_CONTINUOUS, "go%u", i, "y%u -> z%u", NULL, "3e3 * y%u");
    large_add(x, FF_PETRI_CONTINUOUS, "lose%u", i, "z%u -> 0", NULL, "z%u");
  }
}

/* Calcium cells with twenty times the diffusion of the usual ones. */
static inline void large_stiff_calcium(petri_text *x, uint32_t n) {
  if (x->net != NULL) ff_petri_free(x->net);
  x->status = petri_calcium_with(&x->net, n, n, 400, &x->err);
}

typedef struct {
  large_net net;
  ff_petri_integrator integrator;
} large_stiff;

static const large_stiff large_stiff_nets[] = {
    {{"stiff chain of 12", large_stiff_chain, 12, 8}, FF_PETRI_AUTO},
    {{"stiff chain of 24, implicit", large_stiff_chain, 24, 8}, FF_PETRI_ROSENBROCK},
    {{"stiff chain of 100", large_stiff_chain, 100, 3}, FF_PETRI_AUTO},
    {{"stiff seasons of 15", large_stiff_seasons, 15, 5}, FF_PETRI_AUTO},
    {{"stiff seasons of 15, implicit", large_stiff_seasons, 15, 5}, FF_PETRI_ROSENBROCK},
    {{"stiff links among 40", large_stiff_net, 40, 5}, FF_PETRI_AUTO},
    {{"stiff links among 40, implicit", large_stiff_net, 40, 5}, FF_PETRI_ROSENBROCK},
    {{"20 stiff levels, all of which count", large_stiff_full, 20, 6}, FF_PETRI_AUTO},
    {{"6 stiff modules", large_stiff_modules, 6, 4}, FF_PETRI_AUTO},
    {{"6 stiff modules, implicit", large_stiff_modules, 6, 4}, FF_PETRI_ROSENBROCK},
    {{"stiff roots of 12, implicit", large_stiff_roots, 12, 6}, FF_PETRI_ROSENBROCK},
    {{"stiff peaks of 6", large_stiff_peaks, 6, 3}, FF_PETRI_AUTO},
    {{"stiff peaks of 6, implicit", large_stiff_peaks, 6, 3}, FF_PETRI_ROSENBROCK},
    {{"stiff 3 x 3 cells", large_stiff_calcium, 3, 0.05}, FF_PETRI_AUTO},
    {{"stiff 3 x 3 cells, implicit", large_stiff_calcium, 3, 0.05}, FF_PETRI_ROSENBROCK}};
enum { LARGE_STIFF_NETS = sizeof large_stiff_nets / sizeof *large_stiff_nets };

#endif
