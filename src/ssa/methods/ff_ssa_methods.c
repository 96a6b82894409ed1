/* The table of methods. */
#include "ff_ssa_methods.h"

#include <stdio.h>

#include "../lanes/ff_ssa_factored.h"
#include "ff_ssa_finders.h"
#include "../leap/ff_ssa_implicit.h"
#include "../leap/ff_ssa_leap.h"
#include "../path/ff_ssa_method.h"
#include "../lanes/ff_ssa_ring16.h"
#include "../lanes/ff_ssa_vector32.h"

/* ---- engines ------------------------------------------------------------------------------------------------------------ */

static ff_status one_by_one(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, uint64_t trajectories, ff_error *err) {
  (void)trajectories;
  return ff_ssa_engine_path(out, program, ff_ssa_row_of(options->method)->finder, initial, options->key, err);
}

/* With fewer trajectories for each thread, most lanes would be idle. */
#define FEW 4
#define FEW_VECTOR32 16

static ff_status in_vectors(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                            const double *initial, uint64_t trajectories, ff_error *err) {
  if (!ff_ssa_engine_vector16_can(program)) return one_by_one(out, program, options, initial, trajectories, err);
  if (trajectories >= FEW_VECTOR32 && ff_ssa_engine_vector32_can(program))
    return ff_ssa_engine_vector32(out, program, initial, options->key, options->simd, err);
  if (trajectories >= FEW) return ff_ssa_engine_vector16(out, program, initial, options->key, options->simd, err);
  return ff_ssa_engine_path(out, program, &ff_ssa_finder_tree, initial, options->key, err); /* has the same bits */
}

static ff_status in_groups(ff_lanes **out, const ff_ssa_program *program, const ff_run_options *options,
                           const double *initial, uint64_t trajectories, ff_error *err) {
  if (program->ring != NULL) return ff_ssa_engine_ring16(out, program, options, initial, err);
  if (ff_ssa_engine_factored_can(program)) return ff_ssa_engine_factored(out, program, options, initial, err);
  return one_by_one(out, program, options, initial, trajectories, err);
}

/* ---- the work of a step ----------------------------------------------------------------------------------------------- */

static double all(const ff_ssa_program *p) { return p->n_reactions; }
static double changed(const ff_ssa_program *p) { return ff_ssa_program_coupling(p); }
static double changed_in_groups(const ff_ssa_program *p) { return changed(p) + ff_ssa_program_groups(p); }
static double of_leap(const ff_ssa_program *p) { return 16.0 * p->n_reactions; } /* random numbers, and stages */
static double of_implicit_leap(const ff_ssa_program *p) { return of_leap(p) + ff_ssa_implicit_cost(p); }

/* ---- the table ---------------------------------------------------------------------------------------------------------- */

#define EXACT_HERE .exact = 1, .whole = 1 /* on the processor only */
#define EXACT EXACT_HERE, .on_devices = 1
#define PARTIAL .check = ff_ssa_partial_check, .work = all, .follows = FF_FOLLOWS

static const ff_ssa_method_row rows[] = {
    [FF_SSA_DIRECT] = {"direct", "All propensities and their sum are computed after each event (Gillespie 1977).", "n",
                       &ff_ssa_finder_direct, &ff_ssa_finder_tree, in_vectors, .work = all, .follows = FF_FOLLOWS, EXACT},
    [FF_SSA_TREE] = {"logarithmic_direct",
                     "Propensities that an event changes are computed anew; a tree holds their sums (Li and Petzold 2006).",
                     "d log n", &ff_ssa_finder_tree, &ff_ssa_finder_tree, one_by_one, .work = changed, .follows = FF_FOLLOWS,
                     EXACT},
    [FF_SSA_FIRST] = {"first_reaction",
                      "A waiting time is drawn for each reaction; the shortest wins (Gillespie 1976).", "n",
                      &ff_ssa_finder_first, &ff_ssa_finder_first, one_by_one, .work = all, .follows = FF_FOLLOWS, EXACT},
    [FF_SSA_NEXT] = {"next_reaction",
                     "Each reaction keeps a waiting time of its own, in a heap (Gibson and Bruck 2000; Anderson 2007).",
                     "d log n", &ff_ssa_finder_next, &ff_ssa_finder_next, one_by_one, .work = changed, .follows = FF_FOLLOWS,
                     EXACT},
    [FF_SSA_FACTORED] = {"factored",
                         "Reactions whose propensities have common factors are one group: a group is chosen, then a molecule.",
                         "g + s log n", &ff_ssa_finder_tree, NULL, in_groups, .work = changed_in_groups,
                         .follows = FF_FOLLOWS_WITHOUT_GROUPS, EXACT},
    [FF_SSA_OPTIMISED] = {"optimised_direct",
                          "Linear search in an order that a short simulation before the run finds (Cao, Li and Petzold 2004).",
                          "d + n", &ff_ssa_finder_optimised, NULL, one_by_one, .work = all, .follows = FF_FOLLOWS, .ordered = 1,
                          EXACT},
    [FF_SSA_SORTING] = {"sorting_direct",
                        "Linear search in an order that is improved at each event (McCollum et al. 2006).", "d + n",
                        &ff_ssa_finder_sorting, NULL, one_by_one, .work = all, .follows = FF_FOLLOWS, EXACT},
    [FF_SSA_COMPOSITION] = {"composition_rejection",
                            "Groups of propensities by powers of two, and rejection within a group (Slepoy, Thompson and "
                            "Plimpton 2008).", "d",
                            &ff_ssa_finder_composition, NULL, one_by_one, .work = changed, .follows = FF_FOLLOWS,
                            EXACT_HERE},
    [FF_SSA_RSSA] = {"rssa", "Candidates by upper bounds of propensities, and rejection (Thanh, Priami and Zunino 2014).",
                     "log n, and d at times", &ff_ssa_finder_rssa, NULL, one_by_one, .work = changed, .follows = FF_FOLLOWS,
                     EXACT},
    [FF_SSA_RSSA_CR] = {"rssa_cr", "The same, with groups of the upper bounds (Thanh, Priami and Zunino 2015).",
                        "1, and d at times", &ff_ssa_finder_rssa_cr, NULL, one_by_one, .work = changed, .follows = FF_FOLLOWS,
                        EXACT_HERE},
    [FF_SSA_PDM] = {"pdm",
                    "Partial propensities by reactant, for at most two molecules (Ramaswamy, Gonzalez-Segredo and Sbalzarini "
                    "2009).", "s",
                    &ff_ssa_finder_pdm, NULL, one_by_one, PARTIAL, EXACT},
    [FF_SSA_SPDM] = {"spdm", "The same, in an order that is improved at each event.", "s", &ff_ssa_finder_spdm, NULL,
                     one_by_one, PARTIAL, EXACT_HERE},
    [FF_SSA_PSSA_CR] = {"pssa_cr", "The same, with groups of reactants (Ramaswamy and Sbalzarini 2010).",
                        "d or s, the smaller one", &ff_ssa_finder_pssa_cr, NULL, one_by_one, PARTIAL, EXACT},
    [FF_SSA_BLOCK] = {"block_search", "Sums of blocks in three levels (Komarov and D'Souza 2012).", "d n^(1/3)",
                      &ff_ssa_finder_block, NULL, one_by_one, .work = all, .follows = FF_FOLLOWS, EXACT},
    [FF_SSA_TAU] = {"tau_leaping", "Many firings at once, approximately (Cao, Gillespie and Petzold 2006).", "n for a leap",
                    NULL, NULL, ff_ssa_engine_leap, .work = of_leap, .whole = 1},
    [FF_SSA_IMPLICIT] = {"implicit_tau_leaping",
                         "The same for stiff networks, with leaps that are explicit or implicit (Cao, Gillespie and Petzold "
                         "2007).", "n + s^3 for a leap",
                         NULL, NULL, ff_ssa_engine_leap, .check = ff_ssa_implicit_check, .work = of_implicit_leap, .whole = 1},
    [FF_SSA_LANGEVIN] = {"langevin", "Normally distributed numbers of firings, approximately (Gillespie 2000).", "n for a step",
                         NULL, NULL, ff_ssa_engine_langevin, .work = of_leap},
    [FF_SSA_ODE] = {"ode", "The deterministic limit of large counts (Dormand and Prince 1980).", "n for a step", NULL, NULL,
                    ff_ssa_engine_ode, .work = of_leap, .signs = 1},
};
_Static_assert(sizeof rows / sizeof *rows == FF_SSA_METHODS, "each method has a row");

const ff_ssa_method_row *ff_ssa_row_of(ff_ssa_method method) { return rows + method; }

/* ---- what other rooms ask ----------------------------------------------------------------------------------------------- */

const char *ff_ssa_method_name(ff_ssa_method method) { return (unsigned)method < FF_SSA_METHODS ? rows[method].name : "unknown"; }
const char *ff_ssa_method_about(ff_ssa_method method) { return rows[method].about; }
const char *ff_ssa_method_cost(ff_ssa_method method) { return rows[method].cost; }
int ff_ssa_method_exact(ff_ssa_method method) { return rows[method].exact; }
int ff_ssa_method_whole(ff_ssa_method method) { return rows[method].whole; }
int ff_ssa_method_on_devices(ff_ssa_method method) { return rows[method].on_devices; }

const ff_ssa_finder *ff_ssa_finder_of(ff_ssa_method method) {
  return rows[method].finder != NULL ? rows[method].finder : &ff_ssa_finder_direct;
}

/* Methods that simulate events and rates that depend on the time, and methods that devices have. */
static int is_clocked(const ff_ssa_method_row *row) { return row->clocked != NULL; }
static int is_on_devices(const ff_ssa_method_row *row) { return row->on_devices; }

#define LIST_SIZE 300

/* Writes the names of the methods that are so: "a", "b" or "c". */
static void list_methods(char out[LIST_SIZE], int (*is_so)(const ff_ssa_method_row *row)) {
  int left = 0;
  size_t used = 0;
  for (int i = 0; i < FF_SSA_METHODS; i++) left += is_so(rows + i);
  for (int i = 0; i < FF_SSA_METHODS && used < LIST_SIZE; i++)
    if (is_so(rows + i))
      used += (size_t)snprintf(out + used, LIST_SIZE - used, "\"%s\"%s", rows[i].name,
                               --left > 1 ? ", " : left == 1 ? " or " : "");
}

ff_status ff_ssa_method_check_devices(ff_ssa_method method, ff_error *err) {
  char choice[LIST_SIZE];
  if (rows[method].on_devices) return FF_OK;
  list_methods(choice, is_on_devices);
  return ff_error_set(err, FF_EUNSUPPORTED, "GPUs have no kernel for method \"%s\"; choose %s", rows[method].name, choice);
}

ff_status ff_ssa_method_check(const ff_ssa_program *program, ff_ssa_method method, ff_error *err) {
  const ff_ssa_method_row *row = rows + method;
  if (ff_ssa_program_scheduled(program) && row->clocked == NULL) {
    char choice[LIST_SIZE];
    list_methods(choice, is_clocked);
    return ff_error_set(err, FF_EUNSUPPORTED, "method \"%s\" does not simulate %s; choose %s", row->name,
                        program->n_events > 0 ? "networks with events" : "rates that depend on the time", choice);
  }
  ff_status status = row->signs ? FF_OK : ff_ssa_program_check_rates(program, err);
  return status == FF_OK && row->check != NULL ? row->check(program, err) : status;
}

/* A method that simulates several trajectories at once cannot follow each firing, nor begin with the states of a result. */
ff_status ff_ssa_method_check_options(const ff_ssa_program *program, const ff_run_options *options, ff_error *err) {
  const ff_ssa_method_row *row = rows + options->method;
  const int follows = ff_ssa_row_follows(row, program), several = row->exact && !follows;
  const int refused = ff_run_follows(options) ? !follows : options->starts != NULL && several;
  ff_status status = ff_ssa_method_check(program, options->method, err);
  if (status != FF_OK || !refused) return status;
  return ff_error_set(err, FF_EUNSUPPORTED, "method \"%s\" does not simulate one firing after the other, as %s needs; choose "
                      "\"auto\", or an exact method other than \"factored\"", row->name,
                      options->until != NULL      ? "a condition that ends trajectories"
                      : options->max_firings > 0 ? "a list of the firings"
                                                 : "a run that continues trajectories");
}
