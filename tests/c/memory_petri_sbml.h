/* Scenarios of test_memory: Petri nets as SBML. */
#ifndef FF_TESTS_MEMORY_PETRI_SBML_H
#define FF_TESTS_MEMORY_PETRI_SBML_H

#include "../../src/io/ff_io.h"
#include "../../src/io/petri/ff_io_petri_sbml.h"
#include "memory_given.h"
#include "petri_nets.h"

/* Weights with fractions and with a formula, tests beside mass action, a variable that is a sum over colours, and an event. */
static ff_status make_written(ff_petri **net, ff_error *err) {
  ff_status status = petri_small(net, 2, err);
  if (status == FF_OK) status = ff_petri_add_variable(*net, "v", err);
  if (status == FF_OK) status = ff_petri_variable_text(*net, 0, "sum(Ca) * k", petri_nowhere, err);
  if (status == FF_OK)
    status = petri_add(*net, "flow", FF_PETRI_CONTINUOUS, "1.5 C -> (k / 4) Ca[x,y]", NULL, NULL, NULL, "k * v", 0, err);
  if (status == FF_OK)
    status = petri_add(*net, "bind", FF_PETRI_STOCHASTIC, "B + 2 A -> S100[x,y]", NULL, "C >= 0.1 & Ca[x,y] < n", NULL, "k", 1, err);
  if (status == FF_OK) status = petri_add(*net, "pair", FF_PETRI_CONTINUOUS, "2 C -> 0", NULL, NULL, NULL, "k", 1, err);
  if (status == FF_OK) status = ff_petri_add_event(*net, "E", err);
  if (status == FF_OK) status = ff_petri_event_text(*net, 0, FF_EVENT_TRIGGER, "sum(Ca) > 1", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_set_text(*net, 0, "m", "v + m", NULL, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "C", NULL, "1.25", 0, petri_nowhere, err);
  return status == FF_OK ? ff_petri_finish(*net, err) : status;
}

static void prepare_written(void) {
  ff_error err;
  FF_CHECK_OK(make_written(&given.petri, &err), &err);
  FF_CHECK_OK(ff_petri_unfold(&given.flat, given.petri, &err), &err);
}

static ff_status writes_petri_sbml(ff_error *err) {
  const ff_io_given how = {.flows = 1};
  ff_reactions *net = NULL;
  ff_io_model model = {0};
  char *text = NULL;
  ff_status status = ff_io_petri_reactions(&net, given.flat, err);
  CHECK_OUT(status, net);
  if (status == FF_OK) status = ff_io_reactions_text(&text, net, FF_FORMAT_SBML, err);
  if (status == FF_OK) status = ff_io_parse_given(&model, NULL, text, strlen(text), "net", FF_FORMAT_SBML, &how, err);
  if (status == FF_OK) FF_CHECK(model.reactions->real != NULL && model.reactions->reactions[0].weight != NULL && model.marked);
  ff_io_model_free(&model);
  ff_reactions_free(net);
  free(text);
  return status;
}

/* A concentration in a compartment whose size changes. */
static const char growth_text[] =
    "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\"><model><listOfCompartments>"
    "<compartment id=\"c\" size=\"1\" constant=\"false\"/></listOfCompartments><listOfSpecies><species id=\"A\" compartment=\"c\" "
    "initialAmount=\"2.5\" hasOnlySubstanceUnits=\"false\" boundaryCondition=\"true\" constant=\"false\"/></listOfSpecies>"
    "<listOfRules><rateRule variable=\"A\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><ci>A</ci></math></rateRule>"
    "<rateRule variable=\"c\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><cn>2</cn></math></rateRule></listOfRules>"
    "</model></sbml>";

static ff_status reads_flows(ff_error *err) {
  const ff_io_given how = {.flows = 1};
  ff_io_model model;
  ff_status status = ff_io_parse_given(&model, NULL, growth_text, strlen(growth_text), "net", FF_FORMAT_SBML, &how, err);
  CHECK_OUT(status, model.reactions);
  if (status == FF_OK) FF_CHECK(model.reactions->n_reactions == 2 && model.reactions->reactions[1].flows);
  ff_io_model_free(&model);
  return status;
}

#endif
