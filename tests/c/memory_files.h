/* Scenarios of test_memory: readers and writers. */
#ifndef FF_TESTS_MEMORY_FILES_H
#define FF_TESTS_MEMORY_FILES_H

#include <unistd.h>

#include "memory_given.h"

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
  prepare_parsed("targets, factors\na, b & !a\n\"b c\", a ^ b\nb, f(a, b){0110}\n", FF_FORMAT_BNET);
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

/* Rate rules: a linear one, and one with a power and a sine of the time. An event sets a concentration in a compartment whose
 * size changes. */
#define TIME_TEXT "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol>"
static const char rates_text[] =
    "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\"><model><listOfCompartments>"
    "<compartment id=\"c\" size=\"1\" constant=\"true\"/><compartment id=\"d\" constant=\"false\"/>"
    "</listOfCompartments><listOfSpecies><species id=\"A\" compartment=\"c\" "
    "initialAmount=\"2\" hasOnlySubstanceUnits=\"true\" boundaryCondition=\"true\" constant=\"false\"/>"
    "<species id=\"B\" compartment=\"d\" "
    "initialAmount=\"2\" hasOnlySubstanceUnits=\"false\" boundaryCondition=\"false\" constant=\"false\"/></listOfSpecies>"
    "<listOfParameters><parameter id=\"k\" value=\"2\" constant=\"true\"/><parameter id=\"x\" value=\"2\" constant=\"false\"/>"
    "<parameter id=\"y\" value=\"2\" constant=\"false\"/></listOfParameters><listOfRules>"
    "<rateRule variable=\"x\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><minus/><ci>k</ci><apply><times/>"
    "<ci>x</ci><ci>k</ci></apply></apply></math></rateRule>"
    "<rateRule variable=\"y\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><plus/><apply><power/><apply><plus/>"
    "<cn>1</cn>" TIME_TEXT "</apply><cn>2</cn></apply><apply><sin/>" TIME_TEXT "</apply></apply></math></rateRule>"
    "<assignmentRule variable=\"d\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>y</ci></math></assignmentRule>"
    "</listOfRules><listOfEvents><event id=\"e\" useValuesFromTriggerTime=\"true\"><trigger initialValue=\"true\" "
    "persistent=\"true\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><true/></math></trigger><listOfEventAssignments>"
    "<eventAssignment variable=\"B\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>k</ci></math></eventAssignment>"
    "</listOfEventAssignments></event></listOfEvents></model></sbml>";

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

static ff_status parse_bngl(ff_reactions **net, ff_error *err) {
  ff_io_model model;
  ff_status status = ff_io_parse_model(&model, NULL, bngl_text, strlen(bngl_text), "network", FF_FORMAT_AUTO, err);
  CHECK_OUT(status, model.reactions);
  *net = model.reactions;
  return status;
}

static ff_status reads_bngl(ff_error *err) {
  ff_reactions *net;
  ff_status status = parse_bngl(&net, err);
  ff_reactions_free(net);
  return status;
}

static void prepare_bngl(void) {
  ff_error err;
  FF_CHECK_OK(parse_bngl(&given.net, &err), &err);
}

static ff_status writes_reactions_as(ff_format format, ff_error *err) {
  char *text = NULL;
  ff_status status = ff_io_reactions_text(&text, given.net, format, err);
  CHECK_OUT(status, text);
  free(text);
  return status;
}

static ff_status writes_reactions(ff_error *err) {
  ff_status status = writes_reactions_as(FF_FORMAT_SBML, err);
  return status == FF_OK ? writes_reactions_as(FF_FORMAT_BNGL, err) : status;
}

static void prepare_sbml_events(void) {
  ff_error err;
  ff_io_model model;
  FF_CHECK_OK(ff_io_parse_model(&model, NULL, reactions_text, strlen(reactions_text), "network", FF_FORMAT_AUTO, &err), &err);
  given.net = model.reactions;
}

static ff_status writes_events(ff_error *err) { return writes_reactions_as(FF_FORMAT_SBML, err); }

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

#endif
