/* Reaction networks in SBML: what the reader refuses, errors, and hostile documents. */
#define _GNU_SOURCE /* opendir under -std=c11 */
#include "reaction_examples.h"
#include "sbml_reactions.h"

/* ---- refusals ---- */

#define STOICHIOMETRY(reference) \
  L3 CELL AB K LIST("Reactions", REACTION("r", "", "<listOfReactants>" reference "</listOfReactants>" LAW(CI("k"), ""))) END

static void unsupported(void) {
#define PACKAGE(prefix, name) " xmlns:" prefix "=\"http://www.sbml.org/sbml/level3/version1/" name "/version1\""
#define NORMAL "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/distrib/normal\"> normal </csymbol>"
#define NO(what) "net, line " what
#define KIND "which is not supported in a reaction network"
#define RULE(rule) L3 CELL AB K "<listOfRules>\n" rule "</listOfRules>\n" END
#define MOLES(id) \
  LIST("UnitDefinitions", "<unitDefinition id=\"" id "\"><listOfUnits><unit kind=\"mole\" scale=\"-9\" exponent=\"1\" " \
                          "multiplier=\"1\"/></listOfUnits></unitDefinition>")
  static const example examples[] = {
      {RULE("<algebraicRule>" MATH(CI("k")) "</algebraicRule>"), NO("7: found <algebraicRule>, " KIND)},
      {EVENT("true", AT_5 LIST("EventAssignments", SET("c", CN("1")))),
       NO("6: found <eventAssignment> \"c\", " KIND " because it sets neither a species nor a parameter")},
      {EVENT("true", ""), NO("6: found <event> \"e\", " KIND " because it has no trigger")},
      {L3 CELL AB LIST("Constraints", "<constraint>" MATH("<true/>") "</constraint>") END, NO("5: found <constraint>, " KIND)},
      {SBML("3", "1", CORE, "") "<model id=\"m\" conversionFactor=\"k\">\n" CELL AB K END,
       NO("2: found <model> \"m\", " KIND " because it has a conversionFactor")},
      {L3 CELL LIST("Species", SPECIES("A", COUNT "initialAmount=\"3\" conversionFactor=\"k\"")) K END,
       NO("4: found <species> \"A\", " KIND " because it has a conversionFactor")},
      {L3 CELL AB K LIST("Reactions", "<reaction id=\"r\" reversible=\"false\" fast=\"true\">" LAW(CI("k"), "")
                         "</reaction>") END,
       NO("6: found <reaction> \"r\", " KIND " because it is fast")},
      {L3 CELL AB LIST("Reactions", REACTION("r", "", FROM_A)) END,
       NO("5: found <reaction> \"r\", " KIND " because it has no kineticLaw")},
      {L3 CELL LIST("Species", SPECIES("A", COUNT "initialAmount=\"3.5\"")) END,
       NO("4: found the species \"A\" with the initial amount 3.5 where a whole number from 0 to 2^53 was expected, a count")},
      {L3 CELL LIST("Species", SPECIES("A", DENSE "initialConcentration=\"1.000001\"")) END,
       NO("4: found the species \"A\" with the initial amount 2.000002 where a whole number from 0 to 2^53 was expected, a "
          "count")},
      {L3 CELL LIST("Species", SPECIES("A", COUNT "initialAmount=\"-1\"")) END,
       NO("4: found the species \"A\" with the initial amount -1 where a whole number from 0 to 2^53 was expected, a count")},
      {L3 MOLES("amount") CELL LIST("Species", SPECIES("A", COUNT "substanceUnits=\"amount\" initialAmount=\"0.5\"")) END,
       NO("5: found the species \"A\" with the initial amount 0.5 where a whole number from 0 to 2^53 was expected, a count (the "
          "unit of the amount is 1e-09 mole, and units are not converted)")},
      {SBML("3", "1", CORE, "") "<model substanceUnits=\"mole\">\n" CELL
           LIST("Species", SPECIES("A", COUNT "initialAmount=\"0.5\"")) END,
       NO("4: found the species \"A\" with the initial amount 0.5 where a whole number from 0 to 2^53 was expected, a count (the "
          "unit of the amount is mole, and units are not converted)")},
      {L2 MOLES("substance") CELL LIST("Species", SPECIES("A", "initialAmount=\"0.5\"")) END,
       NO("5: found the species \"A\" with the initial amount 0.5 where a whole number from 0 to 2^53 was expected, a count (the "
          "unit of the amount is 1e-09 mole, and units are not converted)")},
      {SBML("3", "1", CORE, "") "<model substanceUnits=\"item\">\n" MOLES("amount") CELL
           LIST("Species", SPECIES("A", COUNT "initialAmount=\"0.5\"")) END,
       NO("5: found the species \"A\" with the initial amount 0.5 where a whole number from 0 to 2^53 was expected, a count")},
      {L3 MOLES("amount") CELL LIST("Species", SPECIES("A", COUNT "substanceUnits=\"item\" initialAmount=\"3\"")
                                                   "\n" SPECIES("B", COUNT "substanceUnits=\"amount\" initialAmount=\"3\"")) END,
       NO("6: found the species \"B\" with amounts in the unit 1e-09 mole where item was expected, as for the species \"A\"; "
          "units are not converted")},
      {STOICHIOMETRY(REF("A", "0.5")),
       NO("6: found <speciesReference> \"A\", " KIND " because its stoichiometry is 0.5, not a whole number from 0 to 2^32 - 1")},
      {STOICHIOMETRY(REF("A", "-1")),
       NO("6: found <speciesReference> \"A\", " KIND " because its stoichiometry is -1, not a whole number from 0 to 2^32 - 1")},
      {STOICHIOMETRY("<speciesReference species=\"A\" constant=\"false\"/>"),
       NO("6: found <speciesReference> \"A\", " KIND " because it has no stoichiometry")},
      {STOICHIOMETRY(REF("A", "4e9") REF("A", "4e9")),
       NO("6: found <reaction> \"r\", " KIND " because a stoichiometry is larger than 2^32 - 1")},
      {L2 CELL LIST("Species", SPECIES("A", "initialAmount=\"3\""))
           LIST("Reactions", "<reaction id=\"r\"><listOfReactants><speciesReference species=\"A\"><stoichiometryMath>"
                MATH(CI("A")) "</stoichiometryMath></speciesReference></listOfReactants>" LAW(CI("A"), "") "</reaction>") END,
       NO("5: found <stoichiometryMath>, " KIND " because it changes with the time")},
      {L2 CELL LIST("Species", SPECIES("A", "initialAmount=\"3\""))
           LIST("Parameters", "<parameter id=\"v\" value=\"2\" constant=\"false\"/>")
           LIST("Reactions", "<reaction id=\"r\"><listOfReactants><speciesReference species=\"A\"><stoichiometryMath>"
                MATH(CI("v")) "</stoichiometryMath></speciesReference></listOfReactants>" LAW(CI("A"), "") "</reaction>")
           LIST("Events", "<event id=\"e\"><trigger>" MATH(OF("gt", CSYMBOL("time") CN("1"))) "</trigger>"
                LIST("EventAssignments", SET("v", CN("3"))) "</event>") END,
       NO("6: found <stoichiometryMath>, " KIND " because it changes with the time")},
      {RATE(OF("times", CI("A") CI("r"))), NO("8: found the reaction \"r\" in a formula, which is not supported")},
      {RATE("<apply>" CSYMBOL("delay") CI("A") CN("1") "</apply>"), NO("8: found a delay in a formula, " KIND)},
      {RATE(OF("factorial", CI("A"))), NO("8: found <factorial> in a formula, " KIND)},
      {SBML("3", "1", CORE, " xmlns:comp=\"http://www.sbml.org/sbml/level3/version1/comp/version1\" comp:required=\"true\"")
           "<model>\n" CELL AB END,
       NO("2: found the package \"comp\" with required = true, which changes the meaning of the model and is not supported")},
      {SBML("3", "1", CORE, " xmlns:arrays=\"http://www.sbml.org/sbml/level3/version1/arrays/version1\" arrays:required=\"true\"")
           "<model>\n" CELL AB END,
       NO("2: found the package \"arrays\" with required = true, which changes the meaning of the model and is not supported")},
      /* what the package means comes before what libsbml says of its elements: it knows no such csymbol */
      {SBML("3", "2", "http://www.sbml.org/sbml/level3/version2/core", PACKAGE("distrib", "distrib") " distrib:required=\"true\"")
           "<model>\n" CELL AB LIST("Reactions", REACTION("r", "", FROM_A LAW("<apply>" NORMAL CN("3") CN("1") "</apply>", "")))
               END,
       NO("2: found the package \"distrib\" with required = true, which changes the meaning of the model and is not supported")},
      {SBML("3", "1", CORE, PACKAGE("x", "multi") " x:required=\"1\"") "<model>\n" CELL AB "<x:unknown/>" END,
       NO("2: found the package \"multi\" with required = true, which changes the meaning of the model and is not supported")},
      {SBML("3", "1", CORE, PACKAGE("qual", "qual") " qual:required=\"true\"" PACKAGE("d", "dyn") " d:required=\"true\"")
           "<model><qual:listOfQualitativeSpecies/></model></sbml>",
       NO("2: found the package \"dyn\" with required = true, which changes the meaning of the model and is not supported")},
      {SBML("3", "1", CORE, " xmlns:own=\"urn:own\" own:required=\"true\"") "<model>\n" CELL AB END,
       NO("2: found the package \"own\" with required = true, which changes the meaning of the model and is not supported")},
      {SBML("3", "1", CORE, " xmlns:fbc=\"http://www.sbml.org/sbml/level3/version1/fbc/version2\" fbc:required=\"false\"")
           "<!-- <model x:strict=\"true\"> -->\n<model fbc:strict=\"true\">\n" CELL AB END,
       NO("3: found a model for flux balance analysis (fbc:strict = true), which is not supported")},
  };
  fails(examples, COUNT_OF(examples), FF_FORMAT_SBML, FF_EUNSUPPORTED);
}

static void errors(void) {
#define FORMULA(x) " where " x " was expected"
#define IDS "the id of a species, parameter or compartment"
  static const example examples[] = {
      {RATE(CI("kk")), NO("8: found \"kk\"" FORMULA(IDS))},
      {L3 CELL LIST("Species", "<species id=\"own\" compartment=\"own\" initialAmount=\"1\" " COUNT "/>") END,
       NO("4: found \"own\"" FORMULA("the id of a compartment"))},
      {RATE(CI("parametr")), NO("8: found \"parametr\"" FORMULA(IDS))},
      {L3 CELL AB LIST("Parameters", PARAMETER("rate", "1")) LIST("Reactions", REACTION("r", "", LAW(CI("ratte"), ""))) END,
       NO("6: found \"ratte\"" FORMULA(IDS) "; did you mean \"rate\"?")},
      {RATE(""), NO("8: found a <math> without content" FORMULA("a formula"))},
      {RATE(OF("divide", CI("A"))), NO("8: found <divide> with 1 argument where 2 were expected")},
      {RATE(OF("sin", CI("A") CI("B"))), NO("8: found <sin> with 2 arguments where 1 was expected")},
      {RATE(OF("eq", CI("A"))), NO("8: found <eq> with 1 argument where at least 2 were expected")},
      {RATE(OF("minus", CI("A") CI("B") CI("k"))), NO("8: found <minus> with 3 arguments where 2 were expected")},
      {RATE("<piecewise/>"), NO("8: found <piecewise> with 0 arguments where at least 1 was expected")},
      {RATE(CALL("f", CI("A"))), NO("8: found \"f\"" FORMULA("the name of a function"))},
      {RATE(CALL("A", CI("A"))), NO("8: found \"A\"" FORMULA("the name of a function"))},
      {WITH(FUNCTION("f", BVAR("x"), CI("x")), CALL("f", CI("A") CI("B"))),
       NO("9: found a call of \"f\" with 2 arguments where 1 was expected")},
      {WITH(FUNCTION("f", BVAR("x"), CI("x")), CI("f")), NO("9: found the function \"f\" without arguments" FORMULA(IDS))},
      {WITH(FUNCTION("f", BVAR("x"), CI("k")), CALL("f", CI("A"))),
       NO("3: found \"k\"" FORMULA("an argument of the function"))},
      {WITH(FUNCTION("f", BVAR("x"), CALL("g", CI("x"))) FUNCTION("g", BVAR("x"), CALL("f", CI("x"))), CALL("f", CI("A"))),
       NO("3: found the function \"f\", which calls itself")},
      {WITH(FUNCTION("f", BVAR("x") BVAR("x"), CI("x")), CALL("f", CI("A") CI("A"))),
       NO("3: found \"x\"" FORMULA("an argument that does not occur before"))},
      {L3 CELL AB LIST("Parameters", PARAMETER("A", "1")) END, NO("5: found \"A\"" FORMULA("an id that no other element has"))},
      {L3 CELL LIST("Species", "<species id=\"A\" compartment=\"d\" " COUNT "initialAmount=\"3\"/>") END,
       NO("4: found \"d\"" FORMULA("the id of a compartment"))},
      {L3 CELL LIST("Species", SPECIES("A", COUNT)) END,
       NO("4: found the species \"A\" without an initial amount or concentration where one was expected")},
      {L3 CELL AB LIST("Parameters", "<parameter id=\"k\" constant=\"true\"/>")
           LIST("Reactions", REACTION("r", "", LAW(CI("k"), ""))) END,
       NO("5: found the parameter \"k\" without a value where one was expected, because the kineticLaw of reaction \"r\" "
          "depends on it")},
      {L3 LIST("Compartments", "<compartment id=\"c\" constant=\"true\"/>")
           LIST("Species", SPECIES("A", DENSE "initialAmount=\"3\""))
               LIST("Reactions", REACTION("r", "", FROM_A LAW(CI("A"), ""))) END,
       NO("3: found the compartment \"c\" without a size where one was expected, because the kineticLaw of reaction \"r\" "
          "depends on it")},
      {L3 CELL AB LIST("Parameters", "<parameter id=\"k\" constant=\"true\"/>")
           LIST("InitialAssignments", ASSIGN("A", CI("k"))) END,
       NO("5: found the parameter \"k\" without a value where one was expected, because that of \"A\" depends on it")},
      {L3 CELL AB K LIST("InitialAssignments", ASSIGN("A", CI("k")) ASSIGN("k", CI("A"))) END,
       NO("4: found an initial value of \"A\" that depends on itself")},
      {L3 CELL AB K "<listOfInitialAssignments>\n" ASSIGN("k", CN("1")) "\n" ASSIGN("k", CN("2"))
           "</listOfInitialAssignments>" END,
       NO("8: found a second initialAssignment of \"k\" (the first is on line 7) where one was expected")},
      {L3 CELL AB K LIST("InitialAssignments", ASSIGN("z", CI("k"))) END, NO("6: found \"z\"" FORMULA(IDS))},
      {STOICHIOMETRY(REF("Z", "1")), NO("6: found \"Z\"" FORMULA("the id of a species"))},
      {L3 CELL AB K LIST("Reactions", REACTION("r", "", LIST("Modifiers", "<modifierSpeciesReference species=\"k\"/>")
                                                            LAW(CI("k"), ""))) END,
       NO("6: found \"k\"" FORMULA("the id of a species"))},
  };
  fails(examples, COUNT_OF(examples), FF_FORMAT_SBML, FF_EPARSE);
  static const example negative[] = {
      {RATE(OF("minus", CN("1"))), "net: reaction \"r\": the rate is -1; expected a finite number of at least 0"},
      {L3 CELL AB "<listOfRules>" DETERMINE("A", CN("1")) DETERMINE("B", CN("2")) "</listOfRules>" END,
       "net: rules determine all species; expected a species without a rule"}};
  fails(negative, COUNT_OF(negative), FF_FORMAT_SBML, FF_EMODEL);
}

/* ---- hostile documents ---- */

static char *grow_text(char *at, const char *piece, int n) {
  for (int i = 0; i < n; i++) at += sprintf(at, "%s", piece);
  return at;
}

/* Sums of many terms become deep trees in libsbml, and so do formulas of Level 1. */
static void many_terms(void) {
  static const char head[] = L3 CELL AB K "<listOfReactions><reaction id=\"r\" reversible=\"false\" fast=\"false\"><kineticLaw>"
      "<math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><plus/>";
  static const char tail[] = "</apply></math></kineticLaw></reaction></listOfReactions>" END;
  static const char head1[] = L1 "<listOfCompartments><compartment name=\"c\"/></listOfCompartments><listOfSpecies>"
      "<species name=\"A\" compartment=\"c\" initialAmount=\"3\"/></listOfSpecies>\n<listOfReactions><reaction name=\"r\">"
      "<kineticLaw formula=\"A";
  static const char tail1[] = "\"/></reaction></listOfReactions>" END;
  static const int terms[] = {4990, 5010, 200000};
  for (int level = 1; level <= 3; level += 2)
    for (int i = 0; i < 3; i++) {
      char *text = malloc(sizeof head + sizeof tail + 1000 + 20 * (size_t)terms[i]), *at = text;
      if (text == NULL) return;
      at = grow_text(at, level == 1 ? head1 : head, 1);
      at = grow_text(at, level == 1 ? "+A" : "<ci>A</ci>", terms[i]);
      grow_text(at, level == 1 ? tail1 : tail, 1);
      ff_error err;
      ff_io_model model;
      ff_status status = ff_io_parse_model(&model, NULL, text, strlen(text), "net", FF_FORMAT_SBML, &err);
      if (i == 0)
        FF_CHECK_OK(status, &err);
      else
        FF_CHECK_FAILS(status, FF_EPARSE, &err, "found a formula of more than 5000 nested terms where at most 5000");
      ff_io_model_free(&model);
      free(text);
    }
}

/* Each function calls the one before it, twice or once. */
static void nested_functions(void) {
  for (int twice = 0; twice < 2; twice++)
    for (int n = twice ? 20 : 90; n <= (twice ? 40 : 120); n += twice ? 20 : 30) {
      char *text = malloc(100000), *at = text;
      if (text == NULL) return;
      at += sprintf(at, "%s<listOfFunctionDefinitions>%s", L3, FUNCTION("f0", BVAR("x"), CI("x")));
      for (int i = 1; i <= n; i++) {
        at += sprintf(at, "<functionDefinition id=\"f%d\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><lambda>"
                      BVAR("x") "<apply><plus/>", i);
        for (int j = 0; j <= twice; j++) at += sprintf(at, "<apply><ci>f%d</ci><ci>x</ci></apply>", i - 1);
        at += sprintf(at, "</apply></lambda></math></functionDefinition>");
      }
      at += sprintf(at, "</listOfFunctionDefinitions>%s<listOfReactions><reaction id=\"r\" reversible=\"false\" fast=\"false\">"
                    "<kineticLaw><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><ci>f%d</ci><ci>A</ci></apply></math>"
                    "</kineticLaw></reaction></listOfReactions>%s", CELL AB, n, END);
      ff_error err;
      ff_io_model model;
      ff_status status = ff_io_parse_model(&model, NULL, text, (size_t)(at - text), "net", FF_FORMAT_SBML, &err);
      if (n == 20 || n == 90)
        FF_CHECK_OK(status, &err);
      else
        FF_CHECK_FAILS(status, FF_ESIZE, &err, twice ? "the formulas have too many numbers, names and operations"
                                                     : "at which more than 100 functions call each other");
      ff_io_model_free(&model);
      free(text);
    }
}

static void corpus(void) {
  if (corpus_each("sbml_reactions", FF_FORMAT_SBML, replay_network) == 0) FF_SKIP("there is no corpus");
}

FF_TEST_MAIN("sbml_refusals", unsupported, errors, many_terms, nested_functions, corpus)
