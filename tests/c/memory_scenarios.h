/* The scenarios of test_memory. Together they reach every place of the core that allocates. A scenario is prepared once, while
 * no allocation fails, and then run many times. A run returns the status of the call that failed and frees everything that it
 * allocated. It passes `err`, which may be NULL, to everything that it calls. */
#ifndef FF_TESTS_MEMORY_SCENARIOS_H
#define FF_TESTS_MEMORY_SCENARIOS_H

#include <dirent.h>
#include <unistd.h>

#include "../../src/cme/ff_cme.h"
#include "../../src/cuda/pbn/ff_generate.h"
#include "../../src/cuda/pbn/ff_slice_image.h"
#include "../../src/cuda/pbn/ff_table_image.h"
#include "../../src/cuda/runtime/ff_jit.h"
#include "../../src/exact/ff_exact.h"
#include "../../src/io/ff_io.h"
#include "../../src/model/ff_reactions.h"
#include "../../src/pbn/ff_reduce.h"
#include "../../src/pbn/outcome/ff_outcome.h"
#include "../../src/ssa/ff_ssa_internal.h"
#include "check.h"
#include "nets.h"
#include "pretend_module.h"

/* What the prepare functions make and release() frees. */
static struct {
  ff_pbn *pbn;
  ff_program *program;
  char *text;
  ff_tally tally;
  ff_plan plan;
} given;

static void release(void) {
  ff_program_free(given.program);
  ff_pbn_free(given.pbn);
  free(given.text);
  ff_tally_free(&given.tally);
  memset(&given, 0, sizeof given);
}

static void give_random(net_shape shape, uint64_t seed) { given.pbn = net_random_make(&shape, seed); }

/* After a failed call, *out must be NULL. */
#define CHECK_OUT(status, out) FF_CHECK(((status) == FF_OK) == ((out) != NULL))

/* ---- reaction networks -------------------------------------------------------------------------------------------- */

static ff_status fill_reactions(ff_reactions *net, ff_names **species, ff_names **symbols, ff_error *err) {
  static const char *const names[] = {"A", "a species", "k"}, *const rates[] = {"k", "2 - 1", "k * A / (1 + A)"};
  static const char *const equations[] = {"A + 2 `a species` -> A", "0 -> A", "`a species` + A + A -> 0"};
  int both;
  for (int i = 0; i < 3; i++) net->names[i] = ff_strndup(names[i], strlen(names[i]));
  for (int r = 0; r < 3; r++) net->reactions[r].name = ff_strndup("R", 1);
  for (int i = 0; i < 3; i++)
    if (net->names[i] == NULL || net->reactions[i].name == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a name");
  ff_status status = ff_names_new(species, net->names, 2, "species", err);
  if (status == FF_OK) status = ff_names_new(symbols, net->names, 3, "symbols", err);
  for (uint32_t r = 0; r < 3 && status == FF_OK; r++) {
    ff_formula *rate = &net->reactions[r].rate;
    status = ff_reactions_equation(net, r, equations[r], *species, (ff_place){NULL, 0}, &both, err);
    if (status == FF_OK)
      status = ff_formula_parse(rate, rates[r], strlen(rates[r]), ff_names_find, *symbols, (ff_place){NULL, 0}, err);
  }
  return status == FF_OK ? ff_reactions_finish(net, err) : status;
}

static ff_status makes_reactions(ff_error *err) {
  ff_reactions *net = NULL;
  ff_names *species = NULL, *symbols = NULL;
  ff_status status = ff_reactions_new(&net, 2, 1, 3, err);
  CHECK_OUT(status, net);
  if (status == FF_OK) status = fill_reactions(net, &species, &symbols, err);
  for (uint32_t r = 0; r < 3 && status == FF_OK; r++) {
    char *text = NULL;
    status = ff_reactions_equation_text(&text, net, r, err);
    CHECK_OUT(status, text);
    free(text);
  }
  ff_names_free(species);
  ff_names_free(symbols);
  ff_reactions_free(net);
  return status;
}

/* Groups of all kinds, with sums of two levels. */
static ff_status runs_factored(ff_error *err) {
  enum { N = 20 };
  static const double time = 0.1;
  ff_reactions *net = NULL;
  ff_ssa_program *program = NULL;
  ff_ssa_run *run = NULL;
  ff_status status = ff_reactions_new(&net, N, 0, 2 * N + 1, err);
  CHECK_OUT(status, net);
  for (uint32_t i = 0; i < 3 * N + 1 && status == FF_OK; i++) {
    char text[16];
    snprintf(text, sizeof text, "S%u", i);
    char **name = i < N ? net->names + i : &net->reactions[i - N].name;
    *name = ff_strndup(i < N ? text : "", i < N ? strlen(text) : 0);
    if (*name == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for a name");
  }
  for (uint32_t r = 0; r < 2 * N + 1 && status == FF_OK; r++) {
    ff_reaction *reaction = net->reactions + r;
    reaction->mass_action = 1;
    status = ff_formula_of_number(&reaction->rate, r == 2 * N ? 2 : 1, err);
    if (status != FF_OK) break;
    reaction->reactants = ff_calloc(2, sizeof *reaction->reactants);
    if (reaction->reactants == NULL) {
      status = ff_error_set(err, FF_EMEMORY, "no memory for a reaction");
      break;
    }
    reaction->n_reactants = r < N || r == 2 * N ? 1 : 2;
    reaction->reactants[0] = (ff_participant){r % N, r == 2 * N ? 2 : 1};
    reaction->reactants[1] = (ff_participant){N - 1, 1};
    if (r == 2 * N - 1) reaction->n_reactants = 1;
  }
  for (uint32_t s = 0; s < N && status == FF_OK; s++) net->initial[s] = 3;
  if (status == FF_OK) status = ff_reactions_finish(net, err);
  if (status == FF_OK) {
    status = ff_ssa_program_new(&program, net, err);
    CHECK_OUT(status, program);
  }
  ff_ssa_options options = {.method = FF_SSA_FACTORED, .n = 16, .times = &time, .n_times = 1, .threads = 1,
                            .simd = FF_SIMD_BEST};
  if (status == FF_OK) {
    status = ff_ssa_run_new(&run, program, &options, err);
    CHECK_OUT(status, run);
  }
  for (int done = 0; status == FF_OK && !done;) status = ff_ssa_run_advance(run, 60, &done, err);
  ff_ssa_run_free(run);
  ff_ssa_program_free(program);
  ff_reactions_free(net);
  return status;
}

/* All methods that simulate rates that are formulas. */
static ff_status runs_ensembles(ff_error *err) {
  static const double times[] = {0.5, 1};
  static const uint32_t observed = 1;
  ff_reactions *net = NULL;
  ff_names *species = NULL, *symbols = NULL;
  ff_ssa_program *program = NULL;
  ff_status status = ff_reactions_new(&net, 2, 1, 3, err);
  if (status == FF_OK) status = fill_reactions(net, &species, &symbols, err);
  if (status == FF_OK) {
    net->initial[1] = 3;
    net->value[0] = 0.5;
    status = ff_ssa_program_new(&program, net, err);
    CHECK_OUT(status, program);
  }
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS && status == FF_OK; method++) {
    if (ff_ssa_method_check(program, method, NULL) != FF_OK) continue;
    double kept[32], *const columns[] = {kept};
    ff_ssa_options options = {.method = method, .n = 16, .times = times, .n_times = 2, .observed = &observed, .n_observed = 1,
                              .states = method == FF_SSA_NEXT ? columns : NULL, .threads = 2, .simd = FF_SIMD_BEST};
    ff_ssa_run *run = NULL;
    status = ff_ssa_run_new(&run, program, &options, err);
    CHECK_OUT(status, run);
    for (int done = 0; status == FF_OK && !done;) status = ff_ssa_run_advance(run, 60, &done, err);
    ff_ssa_run_free(run);
  }
  ff_ssa_program_free(program);
  ff_names_free(species);
  ff_names_free(symbols);
  ff_reactions_free(net);
  return status;
}

/* One reaction of mass action, for methods that refuse formulas and for the engine of small networks. */
static ff_status fill_pair(ff_reactions *net, ff_names **species, ff_error *err) {
  int both;
  net->names[0] = ff_strndup("A", 1);
  net->reactions[0].name = ff_strndup("R", 1);
  net->initial[0] = 9;
  if (net->names[0] == NULL || net->reactions[0].name == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a name");
  ff_status status = ff_names_new(species, net->names, 1, "species", err);
  if (status == FF_OK) status = ff_reactions_equation(net, 0, "2 A -> A", *species, (ff_place){NULL, 0}, &both, err);
  net->reactions[0].mass_action = 1;
  if (status == FF_OK) status = ff_formula_of_number(&net->reactions[0].rate, 0.5, err);
  return status == FF_OK ? ff_reactions_finish(net, err) : status;
}

static ff_status runs_partial_methods(ff_error *err) {
  const double time = 1;
  ff_reactions *net = NULL;
  ff_names *species = NULL;
  ff_ssa_program *program = NULL;
  ff_status status = ff_reactions_new(&net, 1, 0, 1, err);
  if (status == FF_OK) status = fill_pair(net, &species, err);
  if (status == FF_OK) status = ff_ssa_program_new(&program, net, err);
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS && status == FF_OK; method++) {
    if (method != FF_SSA_DIRECT && (method < FF_SSA_PDM || method > FF_SSA_PSSA_CR)) continue;
    const ff_ssa_options options = {.method = method, .n = 16, .times = &time, .n_times = 1, .threads = 1};
    ff_ssa_run *run = NULL;
    status = ff_ssa_run_new(&run, program, &options, err);
    CHECK_OUT(status, run);
    for (int done = 0; status == FF_OK && !done;) status = ff_ssa_run_advance(run, 60, &done, err);
    ff_ssa_run_free(run);
  }
  ff_ssa_program_free(program);
  ff_names_free(species);
  ff_reactions_free(net);
  return status;
}

static ff_status fill_event(ff_reactions *net, ff_names *symbols, ff_error *err) {
  ff_event *event = net->events;
  static const char *const texts[] = {"time > 0.2 & A < 9", "A / 8 + 0.01", "k", "A + 1", "k / 2"};
  event->name = ff_strndup("e", 1);
  event->persistent = 1;
  if (event->name == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a name");
  ff_status status = ff_event_add_sets(event, 2, err);
  if (status != FF_OK) return status;
  event->sets[1].symbol = 2;
  ff_formula *const formulas[] = {&event->trigger, &event->delay, &event->priority, &event->sets[0].value, &event->sets[1].value};
  for (int i = 0; i < 5 && status == FF_OK; i++)
    status = ff_formula_parse(formulas[i], texts[i], strlen(texts[i]), ff_names_find, symbols, (ff_place){NULL, 0}, err);
  return status == FF_OK ? ff_reactions_finish(net, err) : status;
}

/* An event that is delayed and sets a parameter, and a rate that depends on the time. */
static ff_status runs_events(ff_error *err) {
  static const double times[] = {0.5, 1};
  static const uint32_t observed = 1;
  ff_reactions *net = NULL;
  ff_names *species = NULL, *symbols = NULL;
  ff_ssa_program *program = NULL;
  ff_ssa_run *run = NULL;
  ff_status status = ff_reactions_new(&net, 2, 1, 3, err);
  if (status == FF_OK) status = fill_reactions(net, &species, &symbols, err);
  if (status == FF_OK) {
    net->value[0] = 0.5;
    ff_formula_free(&net->reactions[1].rate);
    status = ff_formula_parse(&net->reactions[1].rate, "9 + time", 8, ff_names_find, symbols, (ff_place){NULL, 0}, err);
  }
  if (status == FF_OK) status = ff_reactions_add_events(net, 1, err);
  if (status == FF_OK) status = fill_event(net, symbols, err);
  if (status == FF_OK) status = ff_ssa_program_new(&program, net, err);
  CHECK_OUT(status, program);
  ff_ssa_options options = {.method = FF_SSA_NEXT, .n = 16, .times = times, .n_times = 2, .observed = &observed, .n_observed = 1,
                            .threads = 1, .simd = FF_SIMD_BEST};
  if (status == FF_OK) status = ff_ssa_run_new(&run, program, &options, err);
  for (int done = 0; status == FF_OK && !done;) status = ff_ssa_run_advance(run, 60, &done, err);
  ff_ssa_run_free(run);
  ff_ssa_program_free(program);
  ff_names_free(species);
  ff_names_free(symbols);
  ff_reactions_free(net);
  return status;
}

/* All that an ensemble can record, from starts of its own, until a condition holds. */
static ff_status run_recorded(const ff_ssa_program *program, const ff_formula *until, uint32_t n_observed, ff_error *err) {
  static const double times[] = {0.5, 1}, starts[] = {5, 3, 4, 2, 6, 1};
  static const uint32_t observed[] = {1, 0, 2};
  double trajectory[1000], time[1000];
  int32_t reaction[1000];
  ff_ssa_options options = {.method = FF_SSA_TREE, .n = 3, .times = times, .n_times = 2,
                            .observed = observed, .n_observed = n_observed,
                            .wanted = FF_SSA_COVARIANCE | FF_SSA_HISTOGRAM, .max_firings = 1000, .until = until,
                            .starts = starts, .threads = 2};
  ff_ssa_run *run = NULL;
  ff_ssa_sums *sums;
  ff_status status = ff_ssa_run_new(&run, program, &options, err);
  CHECK_OUT(status, run);
  for (int done = 0; status == FF_OK && !done;) status = ff_ssa_run_advance(run, 60, &done, err);
  if (status == FF_OK) status = ff_ssa_run_sums(run, &sums, err);
  if (status == FF_OK) status = ff_ssa_run_firings(run, trajectory, time, reaction, err);
  ff_ssa_run_free(run);
  return status;
}

static ff_status records_ensembles(ff_error *err) {
  ff_reactions *net = NULL;
  ff_names *species = NULL, *symbols = NULL;
  ff_ssa_program *program = NULL;
  ff_formula until = {0};
  ff_status status = ff_reactions_new(&net, 2, 1, 3, err);
  if (status == FF_OK) status = fill_reactions(net, &species, &symbols, err);
  if (status == FF_OK) status = ff_ssa_condition(&until, net, "0 > 1", err);
  FF_CHECK(status == FF_OK || until.word == NULL);
  if (status == FF_OK) {
    net->value[0] = 0.5;
    status = ff_ssa_program_new(&program, net, err);
    CHECK_OUT(status, program);
  }
  if (status == FF_OK) status = run_recorded(program, &until, 2, err);
  if (status == FF_OK && program->n_variables == 0) { /* and with a variable */
    free(program->variables);
    program->variables = ff_calloc(1, sizeof *program->variables);
    program->n_variables = 1;
    status = ff_formula_of_number(&program->variables[0], 3, err);
  }
  if (status == FF_OK) status = run_recorded(program, &until, 3, err);
  ff_formula_free(&until);
  ff_ssa_program_free(program);
  ff_names_free(species);
  ff_names_free(symbols);
  ff_reactions_free(net);
  return status;
}

/* The set of states is enlarged, and states are dropped. */
static ff_status solves_master_equation(ff_error *err) {
  ff_reactions *net = NULL;
  ff_names *species = NULL, *symbols = NULL;
  ff_cme *cme = NULL;
  ff_status status = ff_reactions_new(&net, 2, 1, 3, err);
  if (status == FF_OK) status = fill_reactions(net, &species, &symbols, err);
  if (status == FF_OK) {
    net->initial[1] = 3;
    net->value[0] = 0.5;
    status = ff_cme_new(&cme, net, 1e-3, 10000, 60, err);
    CHECK_OUT(status, cme);
  }
  for (int done = 0; status == FF_OK && !done;) status = ff_cme_advance(cme, 60, 1, &done, err);
  ff_cme_free(cme);
  ff_names_free(species);
  ff_names_free(symbols);
  ff_reactions_free(net);
  return status;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static ff_status read_text(const char *text, ff_format format, ff_error *err) {
  ff_pbn *pbn = NULL;
  ff_status status = ff_io_parse(&pbn, NULL, text, strlen(text), "network", format, err);
  CHECK_OUT(status, pbn);
  ff_pbn_free(pbn);
  return status;
}

static ff_status write_text(ff_format format, ff_error *err) {
  char *text = NULL;
  ff_status status = ff_io_text(&text, given.pbn, format, err);
  CHECK_OUT(status, text);
  free(text);
  return status;
}

#define PARITY_OF_SIX "0110100110010110100101100110100110010110011010010110100110010110"

/* Truth tables, parents that are named twice, names that need quotes, exempt nodes, initial values, contexts. */
static const char assa_text[] =
    "type=synchronous\nn=3\nperturbation=0.01\nremovedNodes=2 1\nnodeNames\na\n\"b c\"\np38/d\nendNodeNames\n"
    "node a\n0.4 : a & !a | \"b c\"\n0.6 : f(a, p38/d){0110}\nendNode\nnode \"b c\"\n1 : !(a ^ p38/d)\nendNode\n"
    "node p38/d\n1 : ((((((((((((((((((a))))))))))))))))))\nendNode\nnpNode\na\nendNpNode\n"
    "initialValues\na = 1\nendInitialValues\ncontexts\n0.3 : 1 1 1\n0.7 : 2 1 1\nendContexts\n";
static const char boolnet_text[] =
    "targets, factors, probabilities\na, b & !u, 0.5\na, f(a, b, c){01101001}, 0.5\nb, a ^ c\nc, v | !a & b, 1\n";
static const char bnet_text[] =
    "targets, factors\na, b & !a\nb, f(a, b, c){01101001}\nc, !(a ^ b) | c\n"
    "\"d e\", a & f(a, b, c, d, e, g){" PARITY_OF_SIX "}\nd, a\ne, b\ng, c | (a & b & c)\n";

static ff_status reads_assa(ff_error *err) { return read_text(assa_text, FF_FORMAT_AUTO, err); }
static ff_status reads_boolnet(ff_error *err) { return read_text(boolnet_text, FF_FORMAT_AUTO, err); }
static ff_status reads_bnet(ff_error *err) { return read_text(bnet_text, FF_FORMAT_BNET, err); }

static void prepare_parsed(const char *text, ff_format format) {
  ff_error err;
  FF_CHECK_OK(ff_io_parse(&given.pbn, NULL, text, strlen(text), "network", format, &err), &err);
}
static void prepare_assa(void) { prepare_parsed(assa_text, FF_FORMAT_ASSA); }
static void prepare_boolnet(void) { prepare_parsed(boolnet_text, FF_FORMAT_BOOLNET); }
static void prepare_bnet(void) { prepare_parsed(bnet_text, FF_FORMAT_BNET); }
static ff_status writes_assa(ff_error *err) { return write_text(FF_FORMAT_ASSA, err); }
static ff_status writes_boolnet(ff_error *err) { return write_text(FF_FORMAT_BOOLNET, err); }
static ff_status writes_bnet(ff_error *err) { return write_text(FF_FORMAT_BNET, err); }
static ff_status writes_sbml(ff_error *err) { return write_text(FF_FORMAT_SBML, err); }

/* Names that cannot be ids, so that the reader takes them from annotations. Allocations of libsbml itself never fail: see
 * ff_io_sbml.h. */
static void prepare_sbml(void) {
  ff_error err;
  prepare_bnet();
  FF_CHECK_OK(ff_io_text(&given.text, given.pbn, FF_FORMAT_SBML, &err), &err);
}
static ff_status reads_sbml(ff_error *err) { return read_text(given.text, FF_FORMAT_AUTO, err); }

/* Functions, initial assignments that depend on each other, a rule, and parameters of a kinetic law whose names exist already. */
static const char reactions_text[] =
    "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\"><model>"
    "<listOfFunctionDefinitions><functionDefinition id=\"f\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><lambda>"
    "<bvar><ci>x</ci></bvar><bvar><ci>y</ci></bvar><apply><sec/><apply><plus/><ci>x</ci><ci>y</ci></apply></apply></lambda>"
    "</math></functionDefinition></listOfFunctionDefinitions>"
    "<listOfCompartments><compartment id=\"c\" constant=\"true\"/></listOfCompartments>"
    "<listOfSpecies><species id=\"A\" compartment=\"c\" initialConcentration=\"2\" hasOnlySubstanceUnits=\"false\" "
    "boundaryCondition=\"false\" constant=\"false\"/></listOfSpecies>"
    "<listOfParameters><parameter id=\"k\" constant=\"true\"/><parameter id=\"v\" constant=\"false\"/>"
    "<parameter id=\"r_k\" value=\"2\" constant=\"true\"/>"
    "</listOfParameters><listOfInitialAssignments><initialAssignment symbol=\"c\"><math "
    "xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>k</ci></math></initialAssignment><initialAssignment symbol=\"k\"><math "
    "xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><times/><ci>r_k</ci><cn>2</cn></apply></math></initialAssignment>"
    "</listOfInitialAssignments><listOfRules><assignmentRule variable=\"v\"><math "
    "xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>A</ci></math></assignmentRule></listOfRules>"
    "<listOfReactions><reaction id=\"r\" reversible=\"false\" fast=\"false\"><listOfReactants>"
    "<speciesReference id=\"n\" species=\"A\" stoichiometry=\"2\" constant=\"true\"/></listOfReactants><listOfProducts>"
    "<speciesReference species=\"A\" stoichiometry=\"1\" constant=\"true\"/></listOfProducts><kineticLaw><math "
    "xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><ci>f</ci><ci>k</ci><apply><times/><ci>A</ci><ci>n</ci></apply></apply>"
    "</math><listOfLocalParameters><localParameter id=\"k\" value=\"1\"/></listOfLocalParameters></kineticLaw></reaction>"
    "</listOfReactions><listOfEvents><event useValuesFromTriggerTime=\"true\"><trigger initialValue=\"true\" "
    "persistent=\"true\"><math "
    "xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><gt/><ci>A</ci><cn>1</cn></apply></math></trigger>"
    "<priority><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>A</ci></math></priority>"
    "<delay><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>k</ci></math></delay><listOfEventAssignments>"
    "<eventAssignment variable=\"A\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>k</ci></math></eventAssignment>"
    "</listOfEventAssignments></event><event id=\"e\" useValuesFromTriggerTime=\"true\"><trigger initialValue=\"true\" "
    "persistent=\"true\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><true/></math></trigger></event></listOfEvents>"
    "</model></sbml>";

/* Level 2, for a stoichiometry that is a formula. */
static const char level2_text[] =
    "<sbml xmlns=\"http://www.sbml.org/sbml/level2/version4\" level=\"2\" version=\"4\"><model><listOfCompartments>"
    "<compartment id=\"c\"/></listOfCompartments><listOfSpecies><species id=\"A\" compartment=\"c\" initialAmount=\"3\" "
    "hasOnlySubstanceUnits=\"true\"/></listOfSpecies><listOfParameters><parameter id=\"n\" value=\"2\"/></listOfParameters>"
    "<listOfReactions><reaction id=\"r\"><listOfReactants><speciesReference species=\"A\"><stoichiometryMath><math "
    "xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><plus/><ci>n</ci><cn>1</cn></apply></math></stoichiometryMath>"
    "</speciesReference></listOfReactants><kineticLaw><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>A</ci></math>"
    "</kineticLaw></reaction></listOfReactions></model></sbml>";

/* Rate rules: a linear one, and one with a power and a sine of the time. */
#define TIME_TEXT "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol>"
static const char rates_text[] =
    "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\"><model><listOfCompartments>"
    "<compartment id=\"c\" size=\"1\" constant=\"true\"/></listOfCompartments><listOfSpecies><species id=\"A\" compartment=\"c\" "
    "initialAmount=\"2\" hasOnlySubstanceUnits=\"true\" boundaryCondition=\"true\" constant=\"false\"/></listOfSpecies>"
    "<listOfParameters><parameter id=\"k\" value=\"2\" constant=\"true\"/><parameter id=\"x\" value=\"2\" constant=\"false\"/>"
    "<parameter id=\"y\" value=\"2\" constant=\"false\"/></listOfParameters><listOfRules>"
    "<rateRule variable=\"x\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><minus/><ci>k</ci><apply><times/>"
    "<ci>x</ci><ci>k</ci></apply></apply></math></rateRule>"
    "<rateRule variable=\"y\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><plus/><apply><power/><apply><plus/>"
    "<cn>1</cn>" TIME_TEXT "</apply><cn>2</cn></apply><apply><sin/>" TIME_TEXT "</apply></apply></math></rateRule>"
    "</listOfRules></model></sbml>";

static ff_status reads_sbml_reactions(ff_error *err) {
  ff_status status = FF_OK;
  for (int i = 0; i < 3 && status == FF_OK; i++) {
    const char *text = i == 0 ? reactions_text : i == 1 ? level2_text : rates_text;
    ff_io_model model;
    status = ff_io_parse_model(&model, NULL, text, strlen(text), "network", FF_FORMAT_AUTO, err);
    CHECK_OUT(status, model.reactions);
    ff_io_model_free(&model);
  }
  return status;
}

/* Every kind of line; an initial count needs the formulas of variables. */
static const char bngl_text[] =
    "begin parameters\n1 k 1/2\n2 l 2*k + 3\nend parameters\nbegin functions\n1 f() k*G+g()\n2 g() l\nend functions\n"
    "begin species\n1 A() 5\n2 @m::$B(x) l\n3 C() 2*l\nend species\nbegin reactions\n1 1,1 2 k\n2 3 1,2 0.5*f\n"
    "end reactions\nbegin groups\n1 G 1,2*2\n2 H\nend groups\n";

static ff_status parse_bngl(ff_io_model *model, ff_error *err) {
  ff_status status = ff_io_parse_model(model, NULL, bngl_text, strlen(bngl_text), "network", FF_FORMAT_AUTO, err);
  CHECK_OUT(status, model->reactions);
  return status;
}

static ff_status reads_bngl(ff_error *err) {
  ff_io_model model;
  ff_status status = parse_bngl(&model, err);
  ff_io_model_free(&model);
  return status;
}

/* A program and a master equation of a network with variables, and what its rates depend on. */
static ff_status uses_variables(ff_error *err) {
  ff_io_model model;
  ff_ssa_program *program = NULL;
  ff_cme *cme = NULL;
  uint8_t timed[2];
  ff_status status = parse_bngl(&model, err);
  if (status == FF_OK) status = ff_ssa_program_new(&program, model.reactions, err);
  CHECK_OUT(status, program);
  ff_ssa_program_free(program);
  if (status == FF_OK) {
    status = ff_cme_new(&cme, model.reactions, 1e-3, 100, 0.1, err);
    CHECK_OUT(status, cme);
  }
  ff_cme_free(cme);
  if (status == FF_OK) status = ff_reactions_timed(timed, model.reactions, err);
  ff_io_model_free(&model);
  return status;
}

static ff_status writes_reactions(ff_error *err) {
  ff_io_model model;
  ff_status status = parse_bngl(&model, err);
  for (int i = 0; i < 2 && status == FF_OK; i++) {
    char *text = NULL;
    status = ff_io_reactions_text(&text, model.reactions, i == 0 ? FF_FORMAT_SBML : FF_FORMAT_BNGL, err);
    CHECK_OUT(status, text);
    free(text);
  }
  ff_io_model_free(&model);
  return status;
}

static const char *scratch_file(void) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/fireflip-memory-%ld.pbn", (long)getpid());
  return path;
}

/* If a file cannot be written completely, its old contents remain. */
static ff_status writes_and_reads_a_file(ff_error *err) {
  ff_pbn *pbn = NULL;
  unlink(scratch_file());
  ff_status status = ff_io_write(given.pbn, scratch_file(), FF_FORMAT_ASSA, err);
  FF_CHECK((access(scratch_file(), F_OK) == 0) == (status == FF_OK));
  if (status == FF_OK) status = ff_io_write(given.pbn, scratch_file(), FF_FORMAT_ASSA, err); /* replaces the first file */
  if (status == FF_OK) {
    status = ff_io_read(&pbn, NULL, scratch_file(), FF_FORMAT_AUTO, err);
    CHECK_OUT(status, pbn);
  }
  unlink(scratch_file());
  ff_pbn_free(pbn);
  return status;
}

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

static char *formula_names[] = {"a", "b c"};

static ff_status rewrites_a_formula(const ff_formula *formula, ff_error *err) {
  ff_formula number = {0}, copy = {0}, out = {0};
  uint32_t *symbols = NULL, n;
  char *text = NULL;
  ff_status status = ff_formula_of_number(&number, 2, err);
  const ff_formula *const with[] = {&number, NULL};
  if (status == FF_OK) status = ff_formula_copy(&copy, formula, err);
  if (status == FF_OK) status = ff_formula_symbols(&copy, &symbols, &n, err);
  if (status == FF_OK) status = ff_formula_replace(&out, &copy, with, err);
  FF_CHECK(status == FF_OK || out.word == NULL);
  if (status == FF_OK) status = ff_formula_text(&text, &out, formula_names, err);
  FF_CHECK(status == FF_OK || text == NULL);
  free(text);
  free(symbols);
  ff_formula_free(&out);
  ff_formula_free(&copy);
  ff_formula_free(&number);
  return status;
}

static ff_status handles_formulas(ff_error *err) {
  static const char text[] = "((((((a + `b c` * 2))))))^3 - min(a, `b c`, if(a < 1 & !`b c`, sin(a), time)) / sqrt(`b c` + a)";
  ff_names *names = NULL;
  ff_formula formula = {0};
  ff_status status = ff_names_new(&names, formula_names, 2, "symbols", err);
  if (status == FF_OK)
    status = ff_formula_parse(&formula, text, sizeof text - 1, ff_names_find, names, (ff_place){NULL, 0}, err);
  FF_CHECK(status == FF_OK || formula.word == NULL);
  if (status == FF_OK) status = rewrites_a_formula(&formula, err);
  ff_formula_free(&formula);
  ff_names_free(names);
  return status;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static void prepare_graph(void) {
  give_random((net_shape){.nodes = 12, .max_functions = 2, .max_parents = 2, .contexts = 3, .perturbation = 0.1}, 5);
}

static ff_status finds_components(ff_error *err) {
  ff_components *components = NULL;
  ff_status status = ff_pbn_components(&components, given.pbn, err);
  CHECK_OUT(status, components);
  ff_graph_components_free(components);
  return status;
}

static ff_status reduces(ff_error *err) {
  uint8_t keep[12];
  uint32_t kept[12], order[12], split, of_interest = 3;
  ff_pbn *small = NULL;
  ff_status status = ff_pbn_keep(keep, given.pbn, &of_interest, 1, err);
  if (status == FF_OK) {
    status = ff_pbn_reduce(&small, kept, given.pbn, keep, err);
    CHECK_OUT(status, small);
  }
  if (status == FF_OK) status = ff_pbn_order(order, &split, small, 1000, err);
  ff_pbn_free(small);
  return status;
}

static ff_status finds_inputs(ff_error *err) {
  uint8_t input[12];
  return ff_pbn_inputs(input, given.pbn, err);
}

/* ---- exact answers ----------------------------------------------------------------------------------------------- */

static ff_status solves(ff_error *err) {
  ff_exact *exact = NULL;
  ff_exact_solver *solver = NULL;
  double *pi = NULL, *next = NULL, residual, share;
  ff_status status = ff_exact_new(&exact, given.pbn, err);
  CHECK_OUT(status, exact);
  if (status == FF_OK) {
    pi = ff_calloc(ff_exact_states(exact), sizeof *pi); /* allocated by the test itself, so it does not fail */
    next = ff_calloc(ff_exact_states(exact), sizeof *next);
    status = ff_exact_solver_new(&solver, exact, 1e-9, 100000, err);
    CHECK_OUT(status, solver);
  }
  for (int done = 0; status == FF_OK && !done;) status = ff_exact_solver_advance(solver, pi, 10, &done, &residual, err);
  if (status == FF_OK) status = ff_exact_step(next, pi, exact, err);
  if (status == FF_OK) status = ff_exact_row(next, 1, exact, err);
  if (status == FF_OK) status = ff_exact_probability(&share, pi, &given.pbn->predictors[0].expr, exact, err);
  ff_exact_solver_free(solver);
  ff_exact_free(exact);
  free(pi);
  free(next);
  return status;
}

/* A few states, solved by elimination. */
static void prepare_dense(void) {
  give_random((net_shape){.nodes = 4, .max_functions = 2, .max_parents = 3, .perturbation = 0.1}, 3);
}

/* Contexts, and orbits that must be searched because no flip reaches one node. */
static void prepare_orbits(void) {
  net_shape shape = {.nodes = 5, .max_functions = 3, .max_parents = 3, .contexts = 3, .perturbation = 0.1, .exempt = 0.5};
  give_random(shape, 8);
}

/* Transient states and several classes. */
static void prepare_classes(void) {
  static const char *const rules[] = {"a 0.5 a", "a 0.5 b", "b 1 b | c", "c 1 c & d", "d 0.5 d", "d 0.5 c & a", NULL};
  given.pbn = net_parse(rules, 0, FF_ASYNCHRONOUS);
}

/* Too many states for elimination, so iteration is used, with more groups of states than are solved separately. */
static void prepare_groups(void) {
  static const char *const rules[] = {"a 1 a", "b 1 b", "c 1 c", "d 1 d", "e 1 e", "f 1 f", "g 1 g", "h 1 h", "i 1 i", NULL};
  given.pbn = net_parse(rules, 0.2, FF_SYNCHRONOUS);
}

/* Rows are so long that it is not worthwhile to reorder the states. */
static void prepare_wide(void) {
  give_random((net_shape){.nodes = 9, .max_functions = 6, .max_parents = 4, .perturbation = 0.2}, 2);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static ff_status compiles(ff_layout layout, ff_error *err) {
  static const uint32_t first[] = {0, 1, 2, 4};
  static const double weights[] = {1, 1, 0.5, 0.25};
  ff_expr terms[4];
  for (uint32_t i = 0; i < 4; i++) terms[i] = given.pbn->predictors[i].expr;
  ff_program *program = NULL;
  ff_tile *tile = NULL;
  ff_status status = ff_program_new(&program, given.pbn, &(ff_observables){3, first, terms, weights}, layout, err);
  CHECK_OUT(status, program);
  if (status == FF_OK) {
    status = ff_tile_new(&tile, program, FF_SIMD_BEST, err);
    CHECK_OUT(status, tile);
  }
  ff_tile_free(tile);
  ff_program_free(program);
  return status;
}
static ff_status compiles_sliced(ff_error *err) { return compiles(FF_LAYOUT_SLICED, err); }
static ff_status compiles_packed(ff_error *err) { return compiles(FF_LAYOUT_PACKED, err); }

/* Tables as operations, constants that are folded into them, and functions with more parents than a table may have. */
static void prepare_rules(ff_update update) {
  static const char *const rules[] = {"a 0.3 f(b, c, d){01101001}",
                                      "a 0.7 a | b & c",
                                      "b 1 !a",
                                      "c 1 b ^ d ^ f(a, b, c, d, e, f){" PARITY_OF_SIX "}",
                                      "d 1 a & b & c & d & e & f & g & h & i & j & k & l & m",
                                      "e 1 f(e, d){0111} & (e ^ d ^ a)",
                                      "f 1 e", "g 1 g", "h 1 a", "i 1 h", "j 1 i", "k 1 j", "l 1 k", "m 1 l", NULL};
  given.pbn = net_parse(rules, 0.01, update);
}
static void prepare_synchronous(void) { prepare_rules(FF_SYNCHRONOUS); }
static void prepare_asynchronous(void) { prepare_rules(FF_ASYNCHRONOUS); }
static void prepare_contexts(void) {
  give_random((net_shape){.nodes = 6, .max_functions = 3, .max_parents = 7, .contexts = 4, .perturbation = 0.1}, 6);
}
static void prepare_picked_contexts(void) {
  give_random((net_shape){.nodes = 6, .max_functions = 3, .max_parents = 7, .contexts = 4, .update = FF_ASYNCHRONOUS}, 6);
}

static void prepare_clock(void) {
  static const char *const rules[] = {"a 1 !c", "b 1 a", "c 1 b", "d 0.5 a", "d 0.5 d", NULL};
  given.pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
}

static ff_status finds_a_clock(ff_error *err) {
  ff_clockwork clock;
  ff_status status = ff_clockwork_find(&clock, given.pbn, err);
  if (status == FF_OK) FF_CHECK_INT(clock.period, 6);
  return status;
}

/* ---- the input of the kernels on a GPU --------------------------------------------------------------------------- */

static void prepare_kernel(ff_layout layout) {
  ff_error err;
  prepare_synchronous();
  static const uint32_t first[] = {0, 1};
  static const double weights[] = {1};
  const ff_observables sets = {1, first, &given.pbn->predictors[0].expr, weights};
  FF_CHECK_OK(ff_program_new(&given.program, given.pbn, &sets, layout, &err), &err);
}
static void prepare_rows(void) { prepare_kernel(FF_LAYOUT_SLICED); }
static void prepare_table(void) { prepare_kernel(FF_LAYOUT_PACKED); }

static ff_status generates(ff_error *err) {
  ff_generated_text text;
  ff_status status = ff_generate(&text, given.program, &(ff_generate_shape){4, 4, 1}, err);
  CHECK_OUT(status, text.definitions);
  CHECK_OUT(status, text.functions);
  ff_generate_free(&text);
  return status;
}

static ff_status makes_slice_images(ff_error *err) {
  ff_slice_image image;
  void *memory = NULL, *staged = NULL;
  size_t bytes;
  ff_status status = ff_slice_image_new(&image, &memory, &bytes, given.program, err);
  CHECK_OUT(status, memory);
  if (status == FF_OK) {
    status = ff_slice_image_staged(&image, &staged, &bytes, given.program, err);
    CHECK_OUT(status, staged);
  }
  ff_free_aligned(memory);
  ff_free_aligned(staged);
  return status;
}

static ff_status makes_table_image(ff_error *err) {
  static const ff_table_card card = {24576, 24576, 0, 1024};
  ff_step_program image;
  ff_table_plan plan;
  void *memory = NULL;
  size_t bytes;
  ff_table_plan_of(&plan, given.program, &card, 1);
  ff_status status = ff_table_image_new(&image, &memory, &bytes, given.program, &plan, err);
  CHECK_OUT(status, memory);
  ff_free_aligned(memory);
  return status;
}

/* The fake backend is in the folder of this program: see the Makefile. */
static ff_status opens_a_backend(ff_error *err) {
  ff_backend_library *library = NULL;
  ff_status status = ff_backend_open(&library, "build/memory/fake_right.so", err);
  CHECK_OUT(status, library);
  ff_backend_close(library);
  return status;
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

static ff_estimate_options quick_options(int threads) {
  return (ff_estimate_options){.precision = 0.05, .z = 1.96, .epsilon = 1e-2, .key = 7, .max_burn_in = 1u << 16, .n_shards = 1,
                               .threads = threads, .simd = FF_SIMD_BEST};
}

static void prepare_estimate(void) {
  static const char *const rules[] = {"a 0.5 b", "a 0.5 !c", "b 1 f(a, b, d){01101001}", "c 1 a & b | c", "d 1 !a", NULL};
  given.pbn = net_parse(rules, 0.02, FF_SYNCHRONOUS);
}

/* Works as the package does: sets and influences are observed, each distinct term is counted once, the pilot has monitors, and
 * the run goes to its end. */
static ff_status estimates(int threads, ff_error *err) {
  static const uint32_t from[] = {1, 2, 0, 0}, to[] = {0, 0, 3, 2};
  ff_observables observables = {0};
  ff_monitors monitors = {{0}, 0, {NULL, NULL}};
  ff_counted counted = {{0}, NULL}, watched = {{0}, NULL};
  ff_program *program = NULL, *pilot = NULL;
  ff_estimate *estimate = NULL;
  ff_expr set = {0};
  ff_status status = ff_influence_new(&observables, given.pbn, from, to, 4, err);
  if (status == FF_OK) status = ff_expr_copy(&set, &given.pbn->predictors[2].expr, err);
  if (status == FF_OK) status = ff_observables_put_sets(&observables, &set, 1, err);
  if (status != FF_OK) ff_expr_free(&set);
  if (status == FF_OK) status = ff_observables_hold(&observables, given.pbn, err);
  if (status == FF_OK) status = ff_counted_new(&counted, &observables, err);
  if (status == FF_OK) status = ff_monitors_new(&monitors, &observables, given.pbn, 10, 3, 2, err);
  if (status == FF_OK) status = ff_counted_new(&watched, &monitors.observables, err);
  if (status == FF_OK) status = ff_program_new(&program, given.pbn, &counted.counted, FF_LAYOUT_AUTO, err);
  if (status == FF_OK) status = ff_program_new(&pilot, given.pbn, &watched.counted, FF_LAYOUT_AUTO, err);
  ff_estimate_options options = quick_options(threads);
  options.monitors = &monitors;
  options.names = given.pbn->names;
  if (status == FF_OK) {
    ff_program_spread(program);
    ff_program_spread(pilot);
    status = ff_estimate_new(&estimate, &(ff_counting){program, &observables, counted.at},
                             &(ff_counting){pilot, &monitors.observables, watched.at}, options, err);
    CHECK_OUT(status, estimate);
  }
  for (int done = 0; status == FF_OK && !done;) status = ff_estimate_advance(estimate, 10, &done, err);
  ff_estimate_free(estimate);
  ff_program_free(program);
  ff_program_free(pilot);
  ff_counted_free(&counted);
  ff_counted_free(&watched);
  ff_monitors_free(&monitors);
  ff_influence_free(&observables);
  return status;
}
static ff_status estimates_in_one_thread(ff_error *err) { return estimates(1, err); }
static ff_status estimates_in_two_threads(ff_error *err) { return estimates(2, err); }

/* Every node is a separate observable, so the program counts each. */
static const uint32_t own_first[] = {0, 1, 2};
static const double own_weights[] = {1, 1};

static void prepare_resumed(void) {
  ff_error err;
  ff_estimate *estimate = NULL;
  prepare_estimate();
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  FF_CHECK_OK(ff_program_new(&given.program, given.pbn, &sets, FF_LAYOUT_AUTO, &err), &err);
  FF_CHECK_OK(ff_estimate_new(&estimate, &(ff_counting){given.program, &sets, NULL}, NULL, quick_options(1), &err), &err);
  for (int done = 0; estimate != NULL && !done;) FF_CHECK_OK(ff_estimate_advance(estimate, 10, &done, &err), &err);
  given.plan = ff_estimate_plan(estimate);
  FF_CHECK_OK(ff_tally_new(&given.tally, &sets, &err), &err);
  ff_tally_clear(&given.tally, given.plan.half[0], given.plan.half[1]);
  FF_CHECK_OK(ff_tally_merge(&given.tally, ff_estimate_tally(estimate), &err), &err);
  ff_estimate_free(estimate);
}

static ff_status resumes(ff_error *err) {
  ff_estimate *estimate = NULL;
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  ff_status status = ff_estimate_new(&estimate, &(ff_counting){given.program, &sets, NULL}, NULL, quick_options(2), err);
  CHECK_OUT(status, estimate);
  if (status == FF_OK) status = ff_estimate_resume(estimate, given.plan, &given.tally, NULL, err);
  for (int done = 0; status == FF_OK && !done;) status = ff_estimate_advance(estimate, 10, &done, err);
  ff_estimate_free(estimate);
  return status;
}

/* Pilot and run use the devices of test_waves, which are tiles on this processor. If a device fails, this must be reported. */
static void prepare_devices(void) {
  ff_error err;
  prepare_estimate();
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  FF_CHECK_OK(ff_program_new(&given.program, given.pbn, &sets, FF_LAYOUT_AUTO, &err), &err);
}

static ff_status estimates_on_devices(ff_error *err) {
  static const uint32_t devices[] = {0, 1};
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  ff_estimate *estimate = NULL;
  memset(&fake, 0, sizeof fake);
  fake.observables = &sets;
  fake.capacity = 4;
  ff_status status = ff_estimate_new(&estimate, &(ff_counting){given.program, &sets, NULL}, NULL, quick_options(1), err);
  CHECK_OUT(status, estimate);
  for (int done = 0, used = 0; status == FF_OK && !done;) {
    const ff_engine_choice choice = {.backend = &backend, .devices = devices, .n_devices = used > 0 ? 2 : 1, .cache = "/nowhere"};
    if (used == 0 || ff_estimate_waits(estimate)) {
      used++;
      status = ff_estimate_use(estimate, &choice, err);
      for (int is = 0; status == FF_OK && !is;) status = ff_estimate_ready(estimate, 1, &is, err);
    }
    if (status == FF_OK) status = ff_estimate_advance(estimate, 10, &done, err);
  }
  /* one of two devices is left out, the other does its work, and the loss is reported */
  if (status == FF_OK && ff_estimate_lost(estimate) != NULL)
    status = ff_error_set(err, FF_EMEMORY, "%s", ff_estimate_lost(estimate));
  ff_estimate_free(estimate);
  FF_CHECK_INT(fake.freed, fake.made);
  return status;
}

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

static ff_status finds_outcomes(ff_error *err) {
  ff_outcome *outcome = NULL;
  const ff_outcome_options options = {
      .trajectories = 1024, .key = 3, .max_steps = 64, .max_states = 600, .threads = 2, .simd = FF_SIMD_BEST};
  ff_status status = ff_outcome_new(&outcome, given.pbn, options, err);
  CHECK_OUT(status, outcome);
  for (int done = 0; status == FF_OK && !done;) status = ff_outcome_advance(outcome, 10, &done, err);
  ff_outcome_free(outcome);
  return status;
}

/* An attractor of 512 states, so that the set of states grows. */
static void prepare_outcomes(void) {
  static const char *const rules[] = {"a 0.5 0", "a 0.5 1", "b 0.5 0", "b 0.5 1", "c 0.5 0", "c 0.5 1", "d 0.5 0",
                                      "d 0.5 1", "e 0.5 0", "e 0.5 1", "f 0.5 0", "f 0.5 1", "g 0.5 0", "g 0.5 1",
                                      "h 0.5 0", "h 0.5 1", "i 0.5 0", "i 0.5 1", "j 1 j",   NULL};
  given.pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
}

static void prepare_context_outcomes(void) {
  net_shape shape = {.nodes = 6, .max_functions = 2, .max_parents = 2, .contexts = 2, .update = FF_ASYNCHRONOUS, .keep = 0.3};
  give_random(shape, 4);
}

/* One function has more inputs than a table may have and is examined as an expression. */
static const char wide_text[] =
    "targets, factors\na, (a & b | c) & d & e & f & g & h & i & !(j | k) & l & m & n & o & p & !q & (r ^ s)\n"
                                "b, a\nc, a\nd, a\ne, a\nf, a\ng, a\nh, a\ni, a\nj, !a\nk, a ^ b\nl, a\nm, a\nn, a\no, a\np, a\n"
                                "q, a\nr, a\ns, a\n";
static void prepare_signs(void) { prepare_parsed(wide_text, FF_FORMAT_BNET); }
static ff_status finds_signs(ff_error *err) {
  uint32_t *from = NULL, *to = NULL;
  size_t n = 0;
  ff_status status = ff_pbn_arrows(&from, &to, &n, given.pbn, err);
  uint8_t *sign = status == FF_OK ? calloc(n + 1, 1) : NULL;
  if (status == FF_OK) status = ff_pbn_signs(sign, given.pbn, from, to, n, err);
  free(sign);
  free(from);
  free(to);
  return status;
}

/* ---- code that is generated at run time ------------------------------------------------------------------------------ */

static char code_folder[64];

static void empty_code_folder(void) {
  char path[512];
  DIR *list = opendir(code_folder);
  for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
    snprintf(path, sizeof path, "%s/%.255s", code_folder, e->d_name);
    if (e->d_name[0] != '.') unlink(path);
  }
  if (list != NULL) closedir(list);
}

static void prepare_code(void) {
  char library[600], here[512];
  FF_CHECK(getcwd(here, sizeof here) != NULL);
  snprintf(library, sizeof library, "%s/build/fake", here);
  setenv("LD_LIBRARY_PATH", library, 1); /* for the compiler's process */
  snprintf(code_folder, sizeof code_folder, "/tmp/fireflip-memory-XXXXXX");
  FF_CHECK(mkdtemp(code_folder) != NULL);
}

static void release_code(void) {
  empty_code_folder();
  FF_CHECK(rmdir(code_folder) == 0);
}

/* Uses the compiler in the folder of this program, which loads the fake library instead of NVRTC. */
static ff_status makes_code(double price, ff_error *err) {
  static const char *const parts[] = {"#include \"base/ff_philox.h\"\n", "int kernel;\n"}, *const options[] = {"-DONE=1"};
  const ff_jit_request request = {.parts = parts, .n_parts = 2, .options = options, .n_options = 1, .arch = 90,
                                  .cache = code_folder,
                                  .saves = 1, .price = price};
  ff_jit *jit = NULL;
  ff_jit_outcome outcome = FF_JIT_COMPILING;
  ff_status status = ff_jit_start(&jit, &request, err);
  CHECK_OUT(status, jit);
  while (status == FF_OK && outcome == FF_JIT_COMPILING) status = ff_jit_wait(jit, 0.2, &outcome, err);
  if (status == FF_OK && outcome == FF_JIT_UNAVAILABLE) status = ff_error_set(err, FF_EMEMORY, "%s", ff_jit_reason(jit));
  ff_jit_free(jit);
  return status;
}

static ff_status compiles_code(ff_error *err) {
  empty_code_folder();
  return makes_code(0, err);
}

static ff_status weighs_code(ff_error *err) {
  empty_code_folder();
  return makes_code(1e9, err);
}

static ff_status finds_code(ff_error *err) { return makes_code(0, err); }

#endif
