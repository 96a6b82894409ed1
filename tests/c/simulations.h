/* What the tests of simulations share: programs of short networks, runs to the end, and Pearson's statistic. */
#ifndef FF_TESTS_SIMULATIONS_H
#define FF_TESTS_SIMULATIONS_H

#include <math.h>

#include "../../src/ssa/ff_ssa.h"
#include "reactions.h"

/* A formula of the species A and B. */
static inline ff_formula formula_of(const char *text) {
  static char *names[] = {"A", "B"};
  ff_names *table;
  ff_formula out;
  ff_error err;
  FF_CHECK_OK(ff_names_new(&table, names, 2, "species", &err), &err);
  FF_CHECK_OK(ff_formula_parse(&out, text, strlen(text), ff_names_find, table, (ff_place){NULL, 0}, &err), &err);
  ff_names_free(table);
  return out;
}

/* Frees the network. */
static inline ff_ssa_program *program_of_network(ff_reactions *net) {
  ff_ssa_program *program;
  ff_error err;
  FF_CHECK_OK(ff_ssa_program_new(&program, net, &err), &err);
  ff_reactions_free(net);
  return program;
}

static inline ff_ssa_program *program_of(const reaction_text *reactions, const double *initial, uint32_t n_species) {
  return program_of_network(network_of(reactions, initial, n_species));
}

/* Runs an ensemble in pieces of this many seconds, to its end or to its failure. The caller frees the run. */
static inline ff_status run_pieces(ff_run **run, const ff_ssa_program *program, const ff_run_options *options, double piece,
                                   ff_error *err) {
  int done = 0;
  ff_status status = ff_ssa_run_new(run, program, options, err);
  while (status == FF_OK && !done) status = ff_run_advance(*run, piece, &done, err);
  return status;
}

static inline ff_run *run_to_end(const ff_ssa_program *program, const ff_run_options *options, double piece) {
  ff_run *run;
  ff_error err;
  FF_CHECK_OK(run_pieces(&run, program, options, piece, &err), &err);
  return run;
}

/* The status of a run that may fail. */
static inline ff_status status_of(const ff_ssa_program *program, const ff_run_options *options, double piece, ff_error *err) {
  ff_run *run;
  ff_status status = run_pieces(&run, program, options, piece, err);
  ff_run_free(run);
  return status;
}

/* Pearson's statistic of counts. Neighbouring counts are joined, so that in each cell at least `least` are expected. */
typedef struct {
  double least, left, left_observed; /* not yet in a cell */
  double expected, observed;         /* of the cell that is being filled */
  double statistic, cells;
} chi_square;

/* For n counted events. */
static inline chi_square chi_square_of(double n, double least) {
  return (chi_square){.least = least, .left = n, .left_observed = n};
}

/* Returns 0 if all that is left belongs to the last cell. */
static inline int chi_square_add(chi_square *x, double expected, double observed) {
  x->expected += expected;
  x->observed += observed;
  const int last = x->left - x->expected < x->least;
  if (x->expected < x->least || last) return !last;
  x->statistic += (x->observed - x->expected) * (x->observed - x->expected) / x->expected;
  x->cells++;
  x->left -= x->expected;
  x->left_observed -= x->observed;
  x->expected = x->observed = 0;
  return 1;
}

/* Fills the last cell. Returns the statistic's normal quantile, by Wilson and Hilferty (1931). */
static inline double chi_square_quantile(chi_square *x) {
  x->statistic += (x->left_observed - x->left) * (x->left_observed - x->left) / x->left;
  const double freedom = x->cells++;
  return (cbrt(x->statistic / freedom) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom));
}

#endif
