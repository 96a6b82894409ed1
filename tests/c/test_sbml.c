/* SBML-qual: what the reader accepts, its errors, round trips, and libsbml's own check of the written files. */
#include <sbml/SBMLTypes.h>

#include "../../src/io/ff_io.h"

#include "check.h"
#include "nets.h"
#include "pbn_refusals.h"
#include "same_network.h"

#define HEAD                                                                                                  \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                                \
  "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\" "                    \
  "xmlns:qual=\"http://www.sbml.org/sbml/level3/version1/qual/version1\" qual:required=\"true\">\n"             \
  "<model><listOfCompartments><compartment id=\"c\" constant=\"true\"/></listOfCompartments>\n"
#define SPECIES(rows) "<qual:listOfQualitativeSpecies>\n" rows "</qual:listOfQualitativeSpecies>\n"
#define SP(id, more) "<qual:qualitativeSpecies qual:id=\"" id "\" qual:compartment=\"c\" " more "/>\n"
#define FREE "qual:constant=\"false\" "
#define ABC SPECIES(SP("A", FREE) SP("B", FREE) SP("C", FREE)) /* lines 4 to 8 */
#define TRANSITIONS(rows) "<qual:listOfTransitions>\n" rows "</qual:listOfTransitions>\n"
#define TRANSITION(inputs, outputs, terms)                                                                    \
  "<qual:transition>\n" inputs "<qual:listOfOutputs>" outputs "</qual:listOfOutputs>\n<qual:listOfFunctionTerms>" terms \
  "</qual:listOfFunctionTerms></qual:transition>\n"
#define OUTPUT(id) "<qual:output qual:qualitativeSpecies=\"" id "\" qual:transitionEffect=\"assignmentLevel\"/>"
#define INPUTS(rows) "<qual:listOfInputs>" rows "</qual:listOfInputs>"
#define INPUT(id, more) "<qual:input qual:qualitativeSpecies=\"" id "\" qual:transitionEffect=\"none\" " more "/>"
#define DEFAULT(level) "<qual:defaultTerm qual:resultLevel=\"" level "\"/>"
#define MATH(math) "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" math "</math>"
#define TERM(level, math) "\n<qual:functionTerm qual:resultLevel=\"" level "\">" MATH(math) "</qual:functionTerm>"
#define TAIL "</model></sbml>\n"
#define CI(id) "<ci> " id " </ci>"
#define CN(n) "<cn type=\"integer\"> " n " </cn>"
#define OF(op, arguments) "<apply><" op "/>" arguments "</apply>"
#define IS(id) OF("eq", CI(id) CN("1"))
#define RULE(math) HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("0") TERM("1", math))) TAIL /* `math` is on line 13 */

static ff_pbn *parse(const char *text) {
  ff_error err;
  ff_pbn *pbn = NULL;
  FF_CHECK_OK(ff_io_parse(&pbn, NULL, text, strlen(text), "net", FF_FORMAT_AUTO, &err), &err);
  return pbn;
}

/* The function of node A, in fireflip's grammar. */
static void reads_as(const char *text, const char *want) {
  ff_error err;
  ff_pbn *pbn = parse(text);
  char *got = NULL;
  if (pbn == NULL) return;
  FF_CHECK_OK(ff_expr_text(&got, &pbn->predictors[0].expr, pbn->names, 1, &err), &err);
  FF_CHECK_STR(got, want);
  free(got);
  ff_pbn_free(pbn);
}

/* ---- reading ---- */

static void mathml(void) {
  static const struct {
    const char *text, *want;
  } cases[] = {
      {RULE(IS("B")), "B"},
      {RULE(CI("B")), "B"},
      {RULE(OF("eq", CI("B") CN("0"))), "!B"},
      {RULE(OF("eq", CN("0") CI("B"))), "!B"},
      {RULE(OF("eq", CI("B") "<cn> 1 </cn>")), "B"},
      {RULE(OF("neq", CI("B") CN("1"))), "!B"},
      {RULE(OF("neq", CI("B") CN("0"))), "B"},
      {RULE(OF("geq", CI("B") CN("1"))), "B"},
      {RULE(OF("geq", CI("B") CN("0"))), "1"},
      {RULE(OF("geq", CN("0") CI("B"))), "!B"},
      {RULE(OF("gt", CI("B") CN("0"))), "B"},
      {RULE(OF("gt", CI("B") CN("1"))), "0"},
      {RULE(OF("gt", CN("1") CI("B"))), "!B"},
      {RULE(OF("leq", CI("B") CN("0"))), "!B"},
      {RULE(OF("leq", CN("1") CI("B"))), "B"},
      {RULE(OF("lt", CI("B") CN("1"))), "!B"},
      {RULE(OF("lt", CN("0") CI("B"))), "B"},
      {RULE(OF("lt", CN("0") CN("1"))), "1"},
      {RULE(OF("eq", "<true/>" "<false/>")), "0"},
      {RULE(OF("eq", CI("A") CI("B"))), "!(A ^ B)"},
      {RULE(OF("neq", CI("A") CI("B"))), "A ^ B"},
      {RULE(OF("geq", CI("A") CI("B"))), "A | !B"},
      {RULE(OF("gt", CI("A") CI("B"))), "A & !B"},
      {RULE(OF("leq", CI("A") CI("B"))), "!(A & !B)"},
      {RULE(OF("lt", CI("A") CI("B"))), "!(A | !B)"},
      {RULE(OF("eq", OF("and", IS("A") IS("B")) CN("0"))), "!(A & B)"},
      {RULE(OF("and", IS("A") IS("B") IS("C"))), "A & B & C"},
      {RULE(OF("or", IS("A") OF("not", OF("and", IS("B") IS("C"))))), "A | !(B & C)"},
      {RULE(OF("xor", IS("A") IS("B") IS("C"))), "A ^ B ^ C"},
      {RULE(OF("and", IS("A"))), "A"},
      {RULE("<apply><and/></apply>"), "1"},
      {RULE("<apply><or/></apply>"), "0"},
      {RULE("<true/>"), "1"},
      {RULE(CN("0")), "0"},
      /* depends on an input's threshold */
      {HEAD ABC TRANSITIONS(TRANSITION(INPUTS(INPUT("B", "qual:id=\"t1\" qual:thresholdLevel=\"1\"")
                                                  INPUT("C", "qual:id=\"t0\" qual:thresholdLevel=\"0\"")),
                                       OUTPUT("A"),
                                       DEFAULT("0")
                                           TERM("1", OF("and", OF("geq", CI("B") CI("t1")) OF("leq", CI("C") CI("t0")))))) TAIL,
       "B & !C"},
      /* the first term that holds determines the value */
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"),
                                       DEFAULT("0") TERM("1", IS("A")) TERM("0", IS("B")) TERM("1", IS("C")))) TAIL,
       "A | !B & C"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("1") TERM("0", IS("A")) TERM("1", IS("B")))) TAIL, "!A"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("1") TERM("1", IS("A")))) TAIL, "1"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("1"))) TAIL, "1"},
      /* no transition */
      {HEAD ABC TAIL, "A"},
      {HEAD SPECIES(SP("A", "qual:constant=\"true\"")) TAIL, "A"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) reads_as(cases[i].text, cases[i].want);
}

static void outputs_and_levels(void) {
  ff_pbn *pbn = parse(HEAD SPECIES(SP("A", FREE "qual:initialLevel=\"1\"")
                                       SP("B", FREE "qual:maxLevel=\"1\" qual:initialLevel=\"0\"") SP("C", FREE))
                          TRANSITIONS(TRANSITION("", OUTPUT("B") OUTPUT("A"), DEFAULT("0") TERM("1", IS("C")))) TAIL);
  if (pbn == NULL) return;
  const int initial[] = {1, 0, -1};
  for (int i = 0; i < 3; i++) {
    FF_CHECK_INT(pbn->initial[i], initial[i]);
    FF_CHECK_INT(pbn->predictors[i].n_parents, 1);
    FF_CHECK_INT(pbn->predictors[i].parents[0], 2);
  }
  FF_CHECK(pbn->perturbation == 0 && pbn->update == FF_SYNCHRONOUS);
  ff_pbn_free(pbn);
}

#define WANTED                                                                                                             \
  " where and, or, not, xor, eq, neq, geq, gt, leq, lt, true, false, 0, 1, the id of a species or of an input with a " \
  "thresholdLevel was expected"

static void errors(void) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"<", "net, line 1, column 1: libsbml found: XML content is not well-formed"},
      {RULE(OF("plus", CI("A") CI("B"))), "net, line 13: found \"<plus>\"" WANTED},
      {RULE(OF("and", IS("A") OF("sin", CI("B")))), "net, line 13: found \"<sin>\"" WANTED},
      {RULE("<pi/>"), "net, line 13: found \"<pi>\"" WANTED},
      {RULE("<piecewise><piece>" CN("1") IS("A") "</piece></piecewise>"), "net, line 13: found \"<piecewise>\"" WANTED},
      {RULE("<apply><ci> f </ci>" CI("A") "</apply>"), "net, line 13: found a call of \"f\"" WANTED},
      {RULE("<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\"> t </csymbol>"),
       "net, line 13: found \"<csymbol>\"" WANTED},
      {RULE("<cn type=\"rational\"> 1 <sep/> 2 </cn>"), "net, line 13: found \"<cn>\"" WANTED},
      {RULE(CI("D")), "net, line 13: found \"D\" where the id of a species, or of an input with a thresholdLevel was expected"},
      {RULE(CI("c")), "net, line 13: found \"c\" where the id of a species, or of an input with a thresholdLevel was "
                      "expected; did you mean \"C\"?"},
      {RULE(OF("geq", CI("A") CN("2"))), "net, line 13: found \"2\" where the level 0 or 1 was expected"},
      {RULE("<cn> 0.5 </cn>"), "net, line 13: found \"0.5\" where the level 0 or 1 was expected"},
      {RULE(OF("eq", CI("A") CI("B") CI("C"))),
       "net, line 13: found <eq> with 3 arguments where a comparison of two was expected"},
      {RULE(""), "net, line 13: found a <math> without content" WANTED},
      {RULE(OF("eq", CI("A"))), "net, line 13: found <eq> with 1 argument where a comparison of two was expected"},
      {RULE(OF("not", "")), "net, line 13: found <not> with 0 arguments where one argument was expected"},
      {HEAD TAIL, "net, line 3: found nothing where a qualitativeSpecies was expected"},
      {HEAD SPECIES(SP("A", FREE) SP("A", FREE)) TAIL,
       "net, line 6: found \"A\" where an id that no other species has was expected"},
      {HEAD SPECIES(SP("A", FREE) SP("B", FREE "qual:maxLevel=\"2\"")) TAIL,
       "net, line 6: found a species \"B\" with maxLevel = 2 where a species with the levels 0 and 1 was expected"},
      {HEAD SPECIES(SP("A", FREE "qual:initialLevel=\"2\"")) TAIL,
       "net, line 5: found a species \"A\" with initialLevel = 2 where a species with the levels 0 and 1 was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("0")) TRANSITION("", OUTPUT("A"), DEFAULT("1"))) TAIL,
       "net, line 14: found a second transition with the output \"A\" (the first is on line 10) where one was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("D"), DEFAULT("0"))) TAIL,
       "net, line 11: found \"D\" where the id of a species was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("b"), DEFAULT("0"))) TAIL,
       "net, line 11: found \"b\" where the id of a species was expected; did you mean \"B\"?"},
      {HEAD ABC TRANSITIONS(TRANSITION(INPUTS(INPUT("D", "")), OUTPUT("A"), DEFAULT("0"))) TAIL,
       "net, line 11: found \"D\" where the id of a species was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION(INPUTS("<qual:input qual:qualitativeSpecies=\"B\" "
                                              "qual:transitionEffect=\"consumption\"/>"),
                                       OUTPUT("A"), DEFAULT("0"))) TAIL,
       "net, line 11: found \"consumption\" where the transitionEffect \"none\" of an input was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", "<qual:output qual:qualitativeSpecies=\"B\" qual:transitionEffect=\"production\"/>",
                                       DEFAULT("0"))) TAIL,
       "net, line 11: found the output \"B\", whose transitionEffect is not assignmentLevel, where an output with "
       "assignmentLevel was expected"},
      {HEAD SPECIES(SP("A", "qual:constant=\"true\"")) TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("0"))) TAIL,
       "net, line 9: found the output \"A\", which is constant, where a species that is not constant was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("2"))) TAIL,
       "net, line 12: found a defaultTerm with resultLevel = 2 where the level 0 or 1 was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("0") TERM("2", IS("A")))) TAIL,
       "net, line 13: found a functionTerm with resultLevel = 2 where the level 0 or 1 was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("0") "\n<qual:functionTerm qual:resultLevel=\"1\"/>")) TAIL,
       "net, line 13: found a functionTerm without math where one with it was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), TERM("1", IS("A")))) TAIL,
       "net, line 10: found a transition without a defaultTerm where one with it was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION(INPUTS(INPUT("B", "qual:id=\"t\"")), OUTPUT("A"), DEFAULT("0") TERM("1", CI("t")))) TAIL,
       "net, line 13: found \"t\" where the id of a species, or of an input with a thresholdLevel was expected"},
      {HEAD ABC TRANSITIONS(TRANSITION(INPUTS(INPUT("B", "qual:id=\"t\" qual:thresholdLevel=\"2\"")), OUTPUT("A"),
                                       DEFAULT("0") TERM("1", OF("geq", CI("B") CI("t"))))) TAIL,
       "net, line 13: found \"2\" where the level 0 or 1 was expected"},
      {HEAD SPECIES("<qual:qualitativeSpecies qual:id=\"A\" qual:compartment=\"c\" qual:constant=\"perhaps\"/>") TAIL,
       "net, line 5, column 82: libsbml found: The attribute 'qual:constant' in <qualitativeSpecies> must be of the data type "
       "Boolean"},
      {HEAD "</modell></sbml>", "net, line 4, column 10: libsbml found: Element tag mismatch or missing tag"},
      {"<sbml xmlns=\"http://www.sbml.org/sbml/level2\" level=\"2\" version=\"1\"><model/></sbml>",
       "net, line 1: found a model without species where a Boolean network (SBML Level 3 with qual, Version 1) or a reaction "
       "network was expected"},
      {"<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a>&b;</a>",
       "net, line 2: found \"<!DOCTYPE a\" where an element (a document type may define entities and is not read) was expected"},
      {"<?xml version=\"1.0\"?>\n<sbml xmlns=\"qual\"/>",
       "net, line 2: found \"qual\" where the URI of a namespace was expected"},
      {"<s:sbml xmlns:s = 'http://www.sbml.org/sbml/level3/version1/core' a=b\txmlns:fbc\n= 'fb&#99;'/>",
       "net, line 1: found \"fb&#99;\" where the URI of a namespace was expected"},
      {"<?xml version=\"1.0\" encoding = 'UTF-7'?>\n<a/>", "net, line 1: found \"UTF-7\" where the encoding UTF-8 was expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) fails(cases[i].text, FF_FORMAT_SBML, FF_EPARSE, cases[i].message);
}

/* What a file lacks, or has too much of, without a change of the model. */
static void harmless_errors(void) {
  reads_as(HEAD SPECIES("<qual:qualitativeSpecies qual:id=\"A\"/>" SP("B", FREE))
               TRANSITIONS(TRANSITION(INPUTS(INPUT("B", "essential=\"true\" qual:sign=\"mixed\"")), OUTPUT("A"), DEFAULT("0")
                                          TERM("1", IS("B")))) TAIL, "B");
  reads_as(HEAD ABC TRANSITIONS(TRANSITION("<qual:listOfInputs></qual:listOfInputs>", OUTPUT("A"), DEFAULT("1"))) TAIL, "1");
  static const char rest[] = "?>\n<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\" "
                             "xmlns:qual=\"http://www.sbml.org/sbml/level3/version1/qual/version1\" qual:required=\"true\">\n"
                             "<model>" ABC TRANSITIONS(TRANSITION("", OUTPUT("A"), DEFAULT("1"))) TAIL;
  static const char *const encodings[] = {"'ISO-8859-1'", "\"windows-1252\"", "'latin1'", "\"cp1250\" standalone='no'"};
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
    char text[2000];
    snprintf(text, sizeof text, "<?xml version=\"1.0\" encoding=%s%s", encodings[i], rest);
    reads_as(text, "1");
  }
}

/* A reader that expects a Boolean network says what it found instead. */
static void reaction_networks(void) {
  static const char text[] =
      "<sbml xmlns=\"http://www.sbml.org/sbml/level2\" level=\"2\" version=\"1\"><model>"
      "<listOfCompartments><compartment id=\"c\"/></listOfCompartments>"
      "<listOfSpecies><species id=\"A\" compartment=\"c\" initialAmount=\"1\"/></listOfSpecies></model></sbml>";
  ff_error err = {0};
  ff_pbn *pbn = NULL;
  FF_CHECK_FAILS(ff_io_parse(&pbn, NULL, text, strlen(text), "net", FF_FORMAT_AUTO, &err), FF_EUNSUPPORTED, &err,
                 "net holds a reaction network (1 species and 0 reactions); a Boolean network was expected");
  FF_CHECK(pbn == NULL);
}

/* Nested elements: too deep a nesting is refused, so that the stack suffices. */
static void depth(void) {
  static const char head[] = HEAD ABC
      "<qual:listOfTransitions>\n<qual:transition><qual:listOfOutputs>" OUTPUT("A") "</qual:listOfOutputs>"
      "<qual:listOfFunctionTerms>" DEFAULT("0")
      "<qual:functionTerm qual:resultLevel=\"1\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\">";
  static const char tail[] =
      "</math></qual:functionTerm></qual:listOfFunctionTerms></qual:transition></qual:listOfTransitions>" TAIL;
  static const char open[] = "<apply><not/>", close[] = "</apply>";
  static const int depths[] = {100, 392, 393, 10000};
  for (int d = 0; d < 4; d++) {
    int n = depths[d];
    char *text = malloc(sizeof head + sizeof tail + n * (sizeof open + sizeof close) + 100), *at = text;
    if (text == NULL) return;
    at += sprintf(at, "%s", head);
    for (int i = 0; i < n; i++) at += sprintf(at, "%s", open);
    at += sprintf(at, "<ci>B</ci>");
    for (int i = 0; i < n; i++) at += sprintf(at, "%s", close);
    sprintf(at, "%s", tail);
    ff_error err;
    ff_pbn *pbn;
    ff_status status = ff_io_parse(&pbn, NULL, text, strlen(text), "net", FF_FORMAT_SBML, &err);
    if (d < 2) {
      FF_CHECK_OK(status, &err);
    } else {
      FF_CHECK_FAILS(status, FF_EPARSE, &err,
                     "line 10: found more than 400 nested elements where at most 400 were expected");
    }
    ff_pbn_free(pbn);
    free(text);
  }
}

/* ---- writing ---- */

/* libsbml must not report errors either. Its warnings are about units, which a network does not have. */
static void round_trip(const ff_pbn *pbn) {
  ff_error err;
  char *text;
  ff_status status = ff_io_text(&text, pbn, FF_FORMAT_SBML, &err);
  FF_CHECK_OK(status, &err);
  if (status != FF_OK) return;
  ff_pbn *again = parse(text);
  FF_CHECK_SAY(again != NULL && same_network(pbn, again, 0), "%s", text);
  FF_CHECK(again != NULL && memcmp(pbn->initial, again->initial, pbn->n_nodes) == 0);
  ff_pbn_free(again);
  SBMLDocument_t *document = readSBMLFromString(text);
  SBMLDocument_checkConsistency(document);
  for (unsigned i = 0; i < SBMLDocument_getNumErrors(document); i++) {
    const XMLError_t *error = (const XMLError_t *)SBMLDocument_getError(document, i);
    FF_CHECK_SAY(XMLError_getSeverity(error) < LIBSBML_SEV_ERROR, "line %u: %s", XMLError_getLine(error),
                 XMLError_getMessage(error));
  }
  SBMLDocument_free(document);
  free(text);
}

static void random_networks(void) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    net_shape shape = {.nodes = 1 + (uint32_t)seed % 9, .max_functions = 1, .max_parents = 1 + (uint32_t)seed % 7,
                       .fixed = 0.5, .keep = 0.1};
    ff_pbn *pbn = net_random_make(&shape, seed);
    if (pbn != NULL) round_trip(pbn);
    ff_pbn_free(pbn);
  }
}

static ff_pbn *from_bnet(const char *text) {
  ff_error err;
  ff_pbn *pbn = NULL;
  FF_CHECK_OK(ff_io_parse(&pbn, NULL, text, strlen(text), "net", FF_FORMAT_BNET, &err), &err);
  return pbn;
}

static void functions_of_every_kind(void) {
  ff_pbn *pbn = from_bnet("a, !a & !(b | c) & (c | 0) & !!b\nb, a ^ b ^ !(c ^ d) ^ 1\n"
                          "c, f(a, b, c, d){0110100110010110} ^ f(){1} | !f(b){01}\n"
                          "d, 1\ne, !1\nf, !(a | (b | (c | d)))\ng, f(a,b){1111}\n");
  if (pbn != NULL) round_trip(pbn);
  ff_pbn_free(pbn);
}

/* Ids are made from names, and the names are read back. */
static void names(void) {
  ff_pbn *pbn = from_bnet("\"a b\", \"a.b\"\n\"a.b\", a_b\na_b, a_b_2\na_b_2, a_b_2_\na_b_2_, cell\ncell, cell_\n"
                          "cell_, \"and\"\n\"and\", \"9x\"\n"
                          "\"9x\", _9x\n_9x, \"<&>'`\"\n\"<&>'`\", `\"`\n`\"`, \"\xCE\xB2\"\n\"\xCE\xB2\", \"  \"\n"
                          "\"  \", \" a \"\n\" a \", 1\n");
  if (pbn == NULL) return;
  round_trip(pbn);
  ff_error err;
  char *text;
  FF_CHECK_OK(ff_io_text(&text, pbn, FF_FORMAT_SBML, &err), &err);
  const char *parts[] = {"<compartment id=\"cell__\"", "qual:id=\"a_b_1\" qual:name=\"a b\" ",
                         "qual:id=\"a_b_2__\" qual:name=\"a.b\" ", "qual:id=\"a_b_2\" qual:compartment",
                         "qual:id=\"_9x_9\" qual:name=\"9x\" ",
                         "qual:id=\"_____\" qual:name=\"&lt;&amp;&gt;'`\" ", "qual:id=\"_\" qual:name=\"&quot;\" ",
                         "qual:id=\"__13\" qual:name=\"\xCE\xB2\" "};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    FF_CHECK_SAY(strstr(text, parts[i]) != NULL, "%s\n%s", parts[i], text);
  free(text);
  ff_pbn_free(pbn);
}

/* Names in files of other programs replace ids only if the writer would make these ids from the names. */
static void foreign_names(void) {
  static const struct {
    const char *text, *first, *second;
  } cases[] = {
      {HEAD SPECIES(SP("s1", FREE "qual:name=\"p53\"") SP("s2", FREE "qual:name=\"Mdm2\"")) TAIL, "s1", "s2"},
      {HEAD SPECIES(SP("p53_on", FREE "qual:name=\"p53 on\"") SP("B", FREE)) TAIL, "p53 on", "B"},
      {HEAD SPECIES(SP("p53_on", FREE "qual:name=\"p53 on\"") SP("s2", FREE "qual:name=\"B\"")) TAIL, "p53_on", "s2"},
      {HEAD SPECIES(SP("a_b", FREE "qual:name=\"a b\"") SP("a_b_2", FREE "qual:name=\"a b\"")) TAIL, "a_b", "a_b_2"},
      {HEAD SPECIES(SP("a_b", FREE "qual:name=\"a b\"") SP("a_b_2", FREE "qual:name=\"a.b\"")) TAIL, "a b", "a.b"},
      {HEAD SPECIES(SP("A", FREE "qual:name=\"B\"") SP("B", FREE "qual:name=\"A\"")) TAIL, "A", "B"},
      {HEAD SPECIES(SP("a_b", FREE "qual:name=\"a&#9;b\"") SP("B", FREE)) TAIL, "a_b", "B"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_pbn *pbn = parse(cases[i].text);
    if (pbn == NULL) continue;
    FF_CHECK_STR(pbn->names[0], cases[i].first);
    FF_CHECK_STR(pbn->names[1], cases[i].second);
    ff_pbn_free(pbn);
  }
}

static void what_sbml_cannot_say(void) {
  ff_error err;
  char *text;
  const char *several[] = {"a 0.5 b", "a 0.5 !b", "b 1 a", NULL}, *plain[] = {"a 1 a", NULL};
  ff_pbn *pbn = net_parse(several, 0, FF_SYNCHRONOUS);
  FF_CHECK_FAILS(ff_io_text(&text, pbn, FF_FORMAT_SBML, &err), FF_EMODEL, &err,
                 "SBML-qual has one function per node, but node \"a\" has 2; .pbn and BoolNet's text format can store several");
  ff_pbn_free(pbn);
  pbn = net_parse(plain, 0, FF_SYNCHRONOUS);
  FF_CHECK_OK(ff_pbn_new_contexts(pbn, 1, &err), &err);
  FF_CHECK_FAILS(ff_io_text(&text, pbn, FF_FORMAT_SBML, &err), FF_EMODEL, &err,
                 "cannot express the contexts of a dependent network");
  ff_pbn_free(pbn);
  pbn = from_bnet("\"x\xEF\xBF\xBF\", 1\n");
  FF_CHECK_FAILS(ff_io_text(&text, pbn, FF_FORMAT_SBML, &err), FF_EMODEL, &err, "a character that XML does not allow");
  ff_pbn_free(pbn);
}

/* The deepest function that is written can be read. */
static void deep_functions(void) {
  for (int n = 380; n <= 420; n += 2) {
    char text[20000] = "a, ", *at = text + 3;
    for (int i = 0; i < n; i++) at += sprintf(at, "a %c (", i % 2 ? '&' : '|');
    at += sprintf(at, "a");
    for (int i = 0; i < n; i++) *at++ = ')';
    *at = '\0';
    ff_error err;
    ff_pbn *pbn = from_bnet(text);
    char *written;
    ff_status status = ff_io_text(&written, pbn, FF_FORMAT_SBML, &err);
    if (n > 391) {
      FF_CHECK_FAILS(status, FF_EMODEL, &err, "the function of node \"a\" nests more than 391 operations");
    } else {
      FF_CHECK_OK(status, &err);
      if (status == FF_OK) free(written);
      if (status == FF_OK) round_trip(pbn);
    }
    ff_pbn_free(pbn);
  }
}

FF_TEST_MAIN("sbml", mathml, outputs_and_levels, errors, harmless_errors, reaction_networks, depth, random_networks, functions_of_every_kind,
             names, foreign_names, what_sbml_cannot_say, deep_functions)
