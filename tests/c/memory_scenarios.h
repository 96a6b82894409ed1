/* The scenarios of test_memory. Together they reach every place of the core that allocates. A scenario is prepared once, while
 * no allocation fails, and then run many times. A run returns the status of the call that failed and frees everything that it
 * allocated. It passes `err`, which may be NULL, to everything that it calls. */
#ifndef FF_TESTS_MEMORY_SCENARIOS_H
#define FF_TESTS_MEMORY_SCENARIOS_H

#include "memory_andl.h"
#include "memory_backend.h"
#include "memory_colour.h"
#include "memory_dram.h"
#include "memory_estimates.h"
#include "memory_files.h"
#include "memory_levels.h"
#include "memory_networks.h"
#include "memory_ode.h"
#include "memory_petri.h"
#include "memory_petri_code.h"
#include "memory_petri_engine.h"
#include "memory_petri_sbml.h"
#include "memory_reactions.h"
#include "memory_snoopy.h"
#include "memory_ssa_code.h"
#include "memory_ssp_compile.h"
#include "memory_ssp_run.h"
#include "memory_ssp_timing.h"

typedef struct {
  const char *name;
  void (*prepare)(void); /* or NULL */
  ff_status (*play)(ff_error *err);
  void (*end)(void); /* or NULL */
  int variants;      /* how often the scenario is prepared and played, with another given.variant each time; 0: once */
} scenario;

static const scenario scenarios[] = {
    {"differential equations", NULL, solves_equations, NULL, 0},
    {"order of a sparse matrix", NULL, orders_a_grid, NULL, 0},
    {"CVODE", NULL, makes_cvode, NULL, 0},
    {"channel of memory", NULL, makes_dram, NULL, 0},
    {"cycles of a processor", prepare_timed, times_a_program, release_timed, 0},
    {"reaction network", NULL, makes_reactions, NULL, 0},
    {"Petri net", NULL, makes_petri, NULL, 0},
    {"Petri net, texts", prepare_petri, writes_petri, NULL, 0},
    {"Petri net, unfolded", prepare_petri, unfolds_petri, NULL, 0},
    {"Petri net, compiled", prepare_hybrid, compiles_petri, NULL, 5},
    {"Petri net, simulated", prepare_program, simulates_petri, NULL, 5},
    {"Petri net, in lanes", prepare_program, simulates_petri_in_lanes, NULL, 0},
    {"Petri net of cells, compiled", prepare_cells, compiles_petri, NULL, 0},
    {"Petri net, by windows", prepare_windows, simulates_by_windows, NULL, 2},
    {"refuses a rate", prepare_formulas, refuses_a_rate, NULL, 0},
    {"colours", NULL, uses_colours, NULL, 0},
    {"names of colours", NULL, names_many_colours, NULL, 0},
    {"amounts to counts", prepare_amounts, converts_amounts, NULL, 2},
    {"rates of both directions", prepare_both_directions, splits_directions, end_both_directions, 0},
    {"negative laws", prepare_difference, finds_a_negative_law, NULL, 0},
    {"master equation", prepare_formulas, solves_master_equation, NULL, 0},
    {"ensembles, each method", prepare_method, runs_a_method, NULL, FF_SSA_METHODS},
    {"ensembles, small network", prepare_pair, runs_small, NULL, 0},
    {"ensembles, factored", prepare_factors, runs_factored, NULL, 0},
    {"ensembles, modules", prepare_modules, runs_factored, NULL, 0},
    {"ensembles, events", prepare_events, runs_events, NULL, 0},
    {"ensembles, recorded", prepare_recorded, records_ensembles, NULL, 2},
    {"ensembles, on devices", prepare_moved, moves_to_devices, NULL, 5},
    {"sweeps", prepare_sweeps, sweeps, NULL, 3},
    {"real counts, on a device", prepare_levels, records_levels, NULL, 2},
    {"reads .pbn", NULL, reads_assa, NULL, 0},
    {"reads BoolNet's text", NULL, reads_boolnet, NULL, 0},
    {"reads .bnet", NULL, reads_bnet, NULL, 0},
    {"reads SBML-qual", prepare_sbml, reads_sbml, NULL, 0},
    {"reads SBML's reactions", NULL, reads_sbml_reactions, NULL, 0},
    {"reads BioNetGen's .net", NULL, reads_bngl, NULL, 0},
    {"reads ANDL", NULL, reads_andl, NULL, ANDL_TEXTS},
    {"writes ANDL", prepare_andl, writes_andl, NULL, ANDL_TEXTS},
    {"processor's program, compiled", prepare_ssp_network, compiles_ssp, NULL, SSP_COMPILES},
    {"processor's program, in a file", prepare_compiled_ssp, keeps_ssp, end_compiled_ssp, 2},
    {"processor's program, its network", prepare_compiled_ssp, decompiles_ssp, end_compiled_ssp, 2},
    {"processor's program, its copies", prepare_compiled_ssp, counts_ssp_copies, end_compiled_ssp, 0},
    {"processor's program, moved", prepare_compiled_ssp, moves_ssp, end_compiled_ssp, 0},
    {"processor's program, its cycles", prepare_compiled_ssp, counts_ssp_cycles, end_compiled_ssp, 2},
    {"processor's program, a trace", prepare_compiled_ssp, replays_ssp_cycles, end_compiled_ssp, 2},
    {"processor's program, executed", prepare_ssp_run, executes_ssp, end_ssp_run, 2},
    {"processor's program, traced", prepare_ssp_run, traces_ssp, end_ssp_run, 0},
    {"variables", prepare_bngl, uses_variables, NULL, 0},
    {"writes a reaction network", prepare_bngl, writes_reactions, NULL, 0},
    {"writes events", prepare_sbml_events, writes_events, NULL, 0},
    {"writes .pbn", prepare_assa, writes_assa, NULL, 0},
    {"writes BoolNet's text", prepare_boolnet, writes_boolnet, NULL, 0},
    {"writes .bnet", prepare_bnet, writes_bnet, NULL, 0},
    {"writes SBML-qual", prepare_bnet, writes_sbml, NULL, 0},
    {"writes and reads a file", prepare_assa, writes_and_reads_a_file, NULL, 0},
    {"reads Snoopy's XML", prepare_snoopy, reads_snoopy, NULL, SNOOPY_FILES},
    {"Petri net, as SBML", prepare_written, writes_petri_sbml, NULL, 0},
    {"reads flows in SBML", NULL, reads_flows, NULL, 0},
    {"writes PNML", prepare_pnml, writes_pnml, end_pnml, 2},
    {"formulas", NULL, handles_formulas, NULL, 0},
    {"components", prepare_graph, finds_components, NULL, 0},
    {"reduction", prepare_graph, reduces, NULL, 0},
    {"inputs", prepare_graph, finds_inputs, NULL, 0},
    {"exact, dense", prepare_dense, solves, NULL, 0},
    {"exact, orbits and contexts", prepare_orbits, solves, NULL, 0},
    {"exact, several classes", prepare_classes, solves, NULL, 0},
    {"exact, many groups", prepare_groups, solves, NULL, 0},
    {"exact, wide rows", prepare_wide, solves, NULL, 0},
    {"sliced, synchronous", prepare_synchronous, compiles_sliced, NULL, 0},
    {"sliced, asynchronous", prepare_asynchronous, compiles_sliced, NULL, 0},
    {"sliced, contexts", prepare_contexts, compiles_sliced, NULL, 0},
    {"sliced, contexts, asynchronous", prepare_picked_contexts, compiles_sliced, NULL, 0},
    {"packed", prepare_synchronous, compiles_packed, NULL, 0},
    {"packed, contexts", prepare_contexts, compiles_packed, NULL, 0},
    {"trajectories", prepare_synchronous, keeps_states, NULL, 0},
    {"clockwork", prepare_clock, finds_a_clock, NULL, 0},
    {"generated code", prepare_rows, generates, NULL, 0},
    {"images of sliced programs", prepare_rows, makes_slice_images, NULL, 0},
    {"image of a packed program", prepare_table, makes_table_image, NULL, 0},
    {"image of a reaction network", prepare_ssa_image, makes_ssa_image, NULL, 4},
    {"image of groups of reactions", prepare_factored_image, makes_factored_image, NULL, 2},
    {"factors, lists by species", prepare_lists, lists_species, NULL, 0},
    {"code for a reaction network", prepare_ssa_code, generates_ssa_code, NULL, 10},
    {"code for a Petri net", prepare_petri_code, generates_petri_code, NULL, 3},
    {"a Petri net as data", prepare_petri_data, makes_petri_image, NULL, 2},
    {"data of a tissue", prepare_tissue, makes_tissue_data, NULL, 2},
    {"a backend's library", NULL, opens_a_backend, NULL, 0},
    {"estimate, one thread", prepare_estimate, estimates_in_one_thread, NULL, 0},
    {"estimate, two threads", prepare_estimate, estimates_in_two_threads, NULL, 0},
    {"estimate, resumed", prepare_resumed, resumes, NULL, 0},
    {"estimate, exploring", prepare_exploring, explores, NULL, 0},
    {"estimate, following ends", prepare_following, follows_ends, NULL, 0},
    {"estimate, on devices", prepare_devices, estimates_on_devices, NULL, 0},
    {"outcomes", prepare_outcomes, finds_outcomes, NULL, 0},
    {"outcomes, contexts", prepare_context_outcomes, finds_outcomes, NULL, 0},
    {"signs of arrows", prepare_signs, finds_signs, NULL, 0},
    {"code, compiled", prepare_code, compiles_code, release_code, 0},
    {"code, found", prepare_code, finds_code, release_code, 0},
    {"code, not worth it", prepare_code, weighs_code, release_code, 0},
};

#endif
