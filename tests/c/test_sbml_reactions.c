/* Reaction networks in SBML: what the reader makes of each element. */
#define _GNU_SOURCE /* opendir under -std=c11 */
#include <math.h>
#include <sbml/SBMLTypes.h>

#include "reaction_examples.h"
#include "sbml_reactions.h"

/* libsbml must report no errors either. Its warnings are about units, which a network does not have. */
static void check_consistency(const char *text) {
  SBMLDocument_t *document = readSBMLFromString(text);
  SBMLDocument_checkConsistency(document);
  for (unsigned i = 0; i < SBMLDocument_getNumErrors(document); i++) {
    const XMLError_t *error = (const XMLError_t *)SBMLDocument_getError(document, i);
    FF_CHECK_SAY(XMLError_getSeverity(error) < LIBSBML_SEV_ERROR, "line %u: %s\n%s", XMLError_getLine(error),
                 XMLError_getMessage(error), text);
  }
  SBMLDocument_free(document);
}

/* Writes the network and reads it again: it must be the same. SBML has no log1p(), so ln(1 + x) is written. */
static void round_trip(const ff_reactions *net, const char *want) {
  ff_error err;
  char *text, got[4000];
  ff_status status = ff_io_reactions_text(&text, net, FF_FORMAT_SBML, &err);
  FF_CHECK_OK(status, &err);
  if (status != FF_OK) return;
  check_consistency(text);
  ff_reactions *again = parse_network(text, FF_FORMAT_SBML);
  if (again != NULL) describe(got, sizeof got, again);
  if (again != NULL && strstr(want, "log1p") == NULL) FF_CHECK_STR(got, want);
  ff_reactions_free(again);
  free(text);
}

/* Reads each network, writes it and reads it again. */
static void reads_and_writes(const example *examples, size_t n) {
  reads_as(examples, n, FF_FORMAT_SBML);
  for (size_t i = 0; i < n; i++) {
    ff_reactions *net = parse_network(examples[i].text, FF_FORMAT_SBML);
    if (net != NULL) round_trip(net, examples[i].want);
    ff_reactions_free(net);
  }
}

/* ---- assignment rules ---- */

static void assignment_rules(void) {
  static const example good[] = {
      /* of a parameter and of a species, in any order; initial values follow from them */
      {L3 CELL LIST("Species", SPECIES("A", COUNT "initialAmount=\"3\"") SPECIES("B", COUNT)
                                   SPECIES("D", COUNT "initialAmount=\"0\""))
           LIST("Parameters", PARAMETER("k", "1.5") "<parameter id=\"q\" constant=\"false\"/>")
               LIST("InitialAssignments",
                    "<initialAssignment symbol=\"D\">" MATH(OF("times", CI("B") CN("2"))) "</initialAssignment>")
                   LIST("Rules", DETERMINE("B", OF("plus", CI("q") CN("1"))) DETERMINE("q", OF("times", CN("2") CI("A"))))
                       LIST("Reactions", REACTION("r", "", FROM_A LAW(OF("times", CI("B") CI("k")), ""))) END,
       "A=3 D=14 | k=1.5 | B := q + 1; q := 2 * A; r: A -> 0 @ B * k"},
      /* of a concentration: the variable is the amount. Of a compartment. A boundary condition in a reaction has no effect. */
      {L3 CELL LIST("Species", SPECIES("A", DENSE "initialAmount=\"3\"")
                                   SPECIES("B", "boundaryCondition=\"true\" constant=\"false\" hasOnlySubstanceUnits=\"false\""))
           LIST("Rules", DETERMINE("B", CI("A")) DETERMINE("c", CSYMBOL("time")))
               LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(CI("B"), ""))) END,
       "A=3 | | B := A / c * c; c := time(); r: A -> 0 @ B / c"},
  };
  static const example parse[] = {
      {L3 CELL AB LIST("Rules", DETERMINE("a", CN("1"))) END,
       "net, line 5: found \"a\" where the id of a species, parameter or compartment was expected; did you mean \"A\"?"},
      {L3 CELL AB LIST("Rules", DETERMINE("A", CN("1")) DETERMINE("A", CN("2"))) END,
       "net, line 5: found a second rule of \"A\" where one was expected"},
      {L3 CELL AB LIST("Rules", DETERMINE("A", CI("B")) DETERMINE("B", CI("A"))) END,
       "net, line 4: found an initial value of \"A\" that depends on itself"},
      {L3 CELL AB LIST("InitialAssignments", "<initialAssignment symbol=\"A\">" MATH(CN("1")) "</initialAssignment>")
           LIST("Rules", DETERMINE("A", CN("1"))) END,
       "net, line 5: found an initialAssignment of \"A\", which an assignmentRule determines"},
  };
  static const example unsupported[] = {
      {L3 CELL AB LIST("Rules", DETERMINE("B", CN("1"))) LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(CI("A"), ""))) END,
       "net, line 7: found <speciesReference> \"B\", which is not supported in a reaction network because an assignmentRule "
       "determines the species"},
      {L3 CELL AB LIST("Rules", "<algebraicRule>" MATH(CI("A")) "</algebraicRule>") END,
       "net, line 5: found <algebraicRule>, which is not supported in a reaction network"},
      {L3 CELL AB LIST("Rules", DETERMINE("n", CI("A")))
           LIST("Reactions", REACTION("r", "", LIST("Reactants", "<speciesReference id=\"n\" species=\"B\" constant=\"false\"/>")
                                                   LAW(CI("A"), ""))) END,
       "net, line 5: found <assignmentRule> \"n\", which is not supported in a reaction network because it determines a "
       "stoichiometry"},
  };
  reads_and_writes(good, COUNT_OF(good));
  fails(parse, COUNT_OF(parse), FF_FORMAT_SBML, FF_EPARSE);
  fails(unsupported, COUNT_OF(unsupported), FF_FORMAT_SBML, FF_EUNSUPPORTED);
}

/* ---- species, compartments, parameters ---- */

static void amounts(void) {
  static const example examples[] = {
      /* amounts, and concentrations, which formulas divide by the size */
      {L3 CELL LIST("Species", SPECIES("A", COUNT "initialAmount=\"3\"") SPECIES("B", DENSE "initialConcentration=\"2.5\""))
           LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(OF("times", CI("A") CI("B")), ""))) END,
       "A=3 B=5 | c=2 | r: A -> B @ A * (B / c)"},
      /* hasOnlySubstanceUnits changes formulas only */
      {L3 CELL LIST("Species", SPECIES("A", COUNT "initialConcentration=\"2.5\"")) END, "A=5 | |"},
      /* boundary and constant species, and one that no reaction names */
      {L3 CELL LIST("Species", SPECIES("A", "hasOnlySubstanceUnits=\"true\" boundaryCondition=\"true\" constant=\"false\" "
                                            "initialAmount=\"1e3\"")
                                   SPECIES("B", "hasOnlySubstanceUnits=\"true\" boundaryCondition=\"true\" constant=\"true\" "
                                                "initialAmount=\"0\"") SPECIES("D", COUNT "initialAmount=\"7\"")) K
           LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(CI("k"), ""))) END,
       "A=1000! B=0! D=7 | k=1.5 | r: A -> B @ k"},
      /* rounding errors of concentrations: 0.1 * 30 is 3.0000000000000004 */
      {L3 LIST("Compartments", "<compartment id=\"c\" spatialDimensions=\"3\" size=\"30\" constant=\"true\"/>")
           LIST("Species", SPECIES("A", DENSE "initialConcentration=\"0.1\"")) END,
       "A=3 | |"},
      /* without dimensions or without a size that is needed */
      {L3 LIST("Compartments", "<compartment id=\"c\" spatialDimensions=\"0\" constant=\"true\"/>")
           LIST("Species", SPECIES("A", DENSE "initialAmount=\"3\""))
               LIST("Reactions", REACTION("r", "", FROM_A LAW(CI("A"), ""))) END,
       "A=3 | | r: A -> 0 @ A"},
      {L3 LIST("Compartments", "<compartment id=\"c\" constant=\"true\"/>")
           LIST("Species", SPECIES("A", DENSE "initialAmount=\"3\"")) END, "A=3 | |"},
      /* parameters without a value that nothing names, and compartments that nothing names, are left out */
      {L3 CELL AB LIST("Parameters", "<parameter id=\"k\" constant=\"true\"/>" PARAMETER("l", "INF") PARAMETER("m", "-1")) END,
       "A=3 B=0 | l=inf m=-1 |"},
      /* Level 2: sizes and stoichiometries have other defaults */
      {L2 LIST("Compartments", "<compartment id=\"c\"/>")
           LIST("Species", SPECIES("A", "initialAmount=\"3\" hasOnlySubstanceUnits=\"true\""))
               LIST("Reactions", "<reaction id=\"r\"><listOfReactants><speciesReference species=\"A\"/></listOfReactants>"
                    LAW(CI("A"), "") "</reaction>") END,
       "A=3 | | r: A -> 0 @ A"},
      /* Level 1: names are ids, formulas are text, and the size is 1 */
      {L1 LIST("Compartments", "<compartment name=\"c\"/>")
           LIST("Species", "<species name=\"A\" compartment=\"c\" initialAmount=\"3\"/>"
                           "<species name=\"pi\" compartment=\"c\" initialAmount=\"4\" boundaryCondition=\"true\"/>")
               LIST("Reactions", "<reaction name=\"r\"><listOfReactants>"
                                 "<speciesReference species=\"A\" stoichiometry=\"4\" denominator=\"2\"/></listOfReactants>"
                                 "<kineticLaw formula=\"k*A^2/(1 + pow(pi, 2)) - sqrt(A) + log10(A)\">"
                                 "<listOfParameters><parameter name=\"k\" value=\"2\"/></listOfParameters></kineticLaw>"
                                 "</reaction>") END,
       "A=3 pi=4! | c=1 r_k=2 | r: 2 A -> 0 @ r_k * (A / c)^2 / (1 + (pi / c)^2) - sqrt(A / c) + log10(A / c)"},
  };
  reads_and_writes(examples, COUNT_OF(examples));
}

static void local_parameters(void) {
#define LOCAL(id, value) "<localParameter id=\"" id "\" value=\"" value "\"/>"
  static const example examples[] = {
      /* a local parameter hides a global one, a species or a compartment of the same name, in its law only */
      {L3 CELL AB K LIST("Reactions",
                         REACTION("r", "", FROM_A LAW(OF("times", CI("k") CI("A") CI("c")),
                                                      LIST("LocalParameters", LOCAL("k", "5") LOCAL("c", "6"))))
                             REACTION("s", "", FROM_A LAW(OF("times", CI("k") CI("A")),
                                                          LIST("LocalParameters", LOCAL("A", "7"))))) END,
       "A=3 B=0 | k=1.5 r_k=5 r_c=6 s_A=7 | r: A -> 0 @ r_k * A * r_c s: A -> 0 @ k * s_A"},
      /* a name that exists already */
      {L3 CELL AB LIST("Parameters", PARAMETER("r_k", "1") PARAMETER("r_k_", "2"))
           LIST("Reactions", REACTION("r", "", FROM_A LAW(CI("k"), LIST("LocalParameters", LOCAL("k", "5"))))) END,
       "A=3 B=0 | r_k=1 r_k_=2 r_k__=5 | r: A -> 0 @ r_k__"},
      {L2 LIST("Compartments", "<compartment id=\"c\"/>")
           LIST("Species", SPECIES("A", "initialAmount=\"3\" hasOnlySubstanceUnits=\"true\"")) K
               LIST("Reactions", "<reaction id=\"r\">" LAW(CI("k"), LIST("Parameters", "<parameter id=\"k\" value=\"4\"/>"))
                    "</reaction>") END,
       "A=3 | k=1.5 r_k=4 | r: 0 -> 0 @ r_k"},
  };
  reads_and_writes(examples, COUNT_OF(examples));
}

static void stoichiometries(void) {
#define TWO "<stoichiometryMath>" MATH("<cn type=\"rational\"> 4 <sep/> 2 </cn>") "</stoichiometryMath>"
  static const example examples[] = {
      /* sums, zeros, modifiers, empty sides, and a reversible reaction */
      {L3 CELL AB K LIST("Reactions",
                         REACTION("r", "", LIST("Reactants", REF("B", "2") REF("A", "1") REF("B", "1"))
                                               LIST("Products", REF("A", "0"))
                                                   LIST("Modifiers", "<modifierSpeciesReference species=\"A\"/>")
                                                   LAW(CI("k"), ""))
                             REACTION("s", "", TO_B LAW(CI("k"), ""))
                                 "<reaction id=\"t\" reversible=\"true\" fast=\"false\">" FROM_A TO_B
                                     LAW(OF("minus", CI("A") CI("B")), "") "</reaction>") END,
       "A=3 B=0 | k=1.5 | r: A + 3 B -> 0 @ k s: 0 -> B @ k t: A -> B @ A - B"},
      {L2 CELL LIST("Species", SPECIES("A", "initialAmount=\"3\" hasOnlySubstanceUnits=\"true\""))
           LIST("Parameters", PARAMETER("n", "3"))
           LIST("Reactions", "<reaction id=\"r\"><listOfReactants><speciesReference species=\"A\">" TWO "</speciesReference>"
                             "</listOfReactants><listOfProducts><speciesReference species=\"A\"><stoichiometryMath>"
                             MATH(CI("n")) "</stoichiometryMath></speciesReference></listOfProducts>" LAW(CI("A"), "")
                             "</reaction>") END,
       "A=3 | n=3 | r: 2 A -> 3 A @ A"},
      /* the id of a species reference is its stoichiometry, also if an initial assignment gives it */
      {L3 CELL AB LIST("InitialAssignments", "<initialAssignment symbol=\"m\">" MATH(OF("plus", CI("n") CN("1")))
                       "</initialAssignment>")
           LIST("Reactions", REACTION("r", "", "<listOfReactants><speciesReference id=\"n\" species=\"A\" stoichiometry=\"4\" "
                                               "constant=\"true\"/></listOfReactants><listOfProducts><speciesReference id=\"m\" "
                                               "species=\"B\" constant=\"true\"/></listOfProducts>"
                                               LAW(OF("times", CI("n") CI("m") CI("A")), ""))) END,
       "A=3 B=0 | | r: 4 A -> 5 B @ 4 * 5 * A"},
  };
  reads_and_writes(examples, COUNT_OF(examples));
}

/* ---- initial assignments and functions ---- */

static void initial_assignments(void) {
  static const example examples[] = {
      /* in any order, of parameters, sizes, species and concentrations, with the time, which is 0 */
      {L3 LIST("Compartments", "<compartment id=\"c\" constant=\"true\"/>")
           LIST("Species",
                SPECIES("A", COUNT "initialAmount=\"9\"") SPECIES("B", DENSE) SPECIES("D", DENSE "initialAmount=\"6\""))
               LIST("Parameters", "<parameter id=\"k\" constant=\"true\"/>" PARAMETER("l", "1.5"))
                   LIST("InitialAssignments", ASSIGN("A", OF("times", CI("k") CN("4"))) ASSIGN("k", OF("plus", CI("l") CI("B")))
                        ASSIGN("B", OF("divide", CI("D") CN("2"))) ASSIGN("c", OF("plus", CN("4") CSYMBOL("time")))) END,
       "A=9 B=3 D=6 | k=2.25 l=1.5 |"},
      {L3 CELL LIST("FunctionDefinitions", FUNCTION("f", BVAR("x") BVAR("y"), OF("minus", CI("x") CI("y")))) AB
           LIST("InitialAssignments", ASSIGN("A", CALL("f", CN("7") CALL("f", CN("4") CN("2"))))) END,
       "A=5 B=0 | |"},
      /* the compartment of a concentration has an initial assignment */
      {L3 LIST("Compartments", "<compartment id=\"c\" constant=\"true\"/>")
           LIST("Species", SPECIES("A", DENSE "initialConcentration=\"1.5\""))
               LIST("InitialAssignments", ASSIGN("c", CN("4"))) END,
       "A=6 | |"},
      {L3V2 CELL AB LIST("InitialAssignments", "<initialAssignment symbol=\"A\"/>") END, "A=3 B=0 | |"},
  };
  reads_and_writes(examples, COUNT_OF(examples));
}

static void functions(void) {
  static const example examples[] = {
      /* arguments hide ids; a function may be defined after its use; arguments may be used twice, or not at all */
      {WITH(FUNCTION("f", BVAR("A") BVAR("k"), OF("minus", CI("k") CI("A"))), CALL("f", CI("A") CI("k"))), READS("k - A")},
      {WITH(FUNCTION("f", BVAR("x"), CALL("g", CALL("g", CI("x"))))
                FUNCTION("g", BVAR("x"), OF("times", CI("x") CI("x"))), CALL("f", OF("plus", CI("A") CN("1")))),
       READS("(A + 1) * (A + 1) * ((A + 1) * (A + 1))")},
      {WITH(FUNCTION("f", BVAR("x") BVAR("y"), CI("y")), OF("times", CI("k") CALL("f", CI("B") CI("A")))), READS("k * A")},
      {WITH(FUNCTION("f", "", CN("7")), OF("times", CI("k") CALL("f", ""))), READS("k * 7")},
      {WITH(FUNCTION("f", BVAR("x"), OF("times", CI("x") CSYMBOL("time"))), CALL("f", CI("k"))), READS("k * time()")},
  };
  reads_and_writes(examples, COUNT_OF(examples));
}

/* ---- MathML ---- */

static void rates(void) {
#define RATIONAL "<cn type=\"rational\"> 3 <sep/> 4 </cn>"
#define PIECES(x) "<piecewise>" x "</piecewise>"
#define PIECE(x, when) "<piece>" x when "</piece>"
  static const example examples[] = {
      {RATE(OF("plus", CI("A") CI("B") CI("k"))), READS("A + B + k")},
      {RATE(OF("plus", CI("A"))), READS("A")},
      {RATE(OF("plus", "")), READS("0")},
      {RATE(OF("times", "")), READS("1")},
      {RATE(OF("times", CI("A") OF("times", CI("B") CI("k")))), READS("A * (B * k)")},
      {RATE(OF("minus", CI("A"))), READS("-A")},
      {RATE(OF("times", OF("minus", CN("2")) OF("minus", CI("k")))), READS("-2 * -k")},
      {RATE(OF("power", CI("A") CN("2"))), READS("A^2")},
      {RATE(OF("root", CI("A"))), READS("sqrt(A)")},
      {RATE(OF("root", "<degree>" CN("2") "</degree>" CI("A"))), READS("sqrt(A)")},
      {RATE(OF("root", "<degree>" CN("3") "</degree>" OF("plus", CI("A") CN("1")))), READS("(A + 1)^(1 / 3)")},
      {RATE(OF("log", CI("A"))), READS("log10(A)")},
      {RATE(OF("log", "<logbase>" CN("2") "</logbase>" CI("A"))), READS("log2(A)")},
      {RATE(OF("log", "<logbase>" CI("k") "</logbase>" CI("A"))), READS("log(A) / log(k)")},
      {RATE(OF("ln", CI("A"))), READS("log(A)")},
      {RATE(RATIONAL), READS("0.75")},
      {RATE("<cn type=\"e-notation\"> 6.022 <sep/> 23 </cn>"), READS("6.022e+23")},
      {RATE("<cn type=\"e-notation\"> 1.25e-3 <sep/> -2 </cn>"), READS("1.25e-05")},
      {RATE("<cn type=\"integer\"> 1000000000 </cn>"), READS("1e+09")},
      {RATE(CSYMBOL("avogadro")), READS("6.02214179e+23")},
      {RATE(OF("times", "<pi/><exponentiale/>" CI("A"))), READS("3.141592653589793 * 2.718281828459045 * A")},
      {RATE(CSYMBOL("time")), READS("time()")},
      {RATE(OF("times", OF("lt", CI("A") CI("B")) OF("leq", CI("A") CI("B") CI("k")))), READS("(A < B) * (A <= B & B <= k)")},
      {RATE(OF("or", OF("gt", CI("A") CI("B")) OF("geq", CI("A") CI("k")) OF("neq", CI("A") CN("1")))),
       READS("A > B | A >= k | A != 1")},
      {RATE(OF("and", OF("eq", CI("A") CI("B")) OF("not", OF("eq", CI("A") CI("k"))) "<true/>")), READS("A == B & !A == k & 1")},
      {RATE(OF("and", "")), READS("1")},
      {RATE(OF("xor", "")), READS("0")},
      {RATE(OF("xor", OF("gt", CI("A") CN("1")) OF("gt", CI("B") CN("1")) CI("k"))), READS("((A > 1) != (B > 1)) != (k != 0)")},
      {RATE(PIECES(PIECE(CI("k"), OF("gt", CI("A") CN("1"))) PIECE(CI("B"), OF("lt", CI("A") CN("0"))) "<otherwise>" CI("A")
                   "</otherwise>")),
       READS("if(A > 1, k, if(A < 0, B, A))")},
      {RATE(PIECES(PIECE(CI("k"), OF("gt", CI("A") CN("1"))))), READS("if(A > 1, k, NaN)")},
      {RATE(PIECES("<otherwise>" CI("A") "</otherwise>")), READS("A")},
      {RATE("<semantics>" CI("A") "<annotation>x</annotation></semantics>"), READS("A")},
      {L3V2 CELL AB K LIST("Reactions", "<reaction id=\"r\" reversible=\"false\">" FROM_A TO_B
                           LAW(OF("max", CI("A") OF("min", CI("B") CI("k") CN("1"))), "") "</reaction>") END,
       READS("max(A, min(B, k, 1))")},
  };
  reads_and_writes(examples, COUNT_OF(examples));
}

/* The value of a rate for A = 3, B = 0 and k = 1.5. */
static double value_of(const char *text) {
  ff_reactions *net = parse_network(text, FF_FORMAT_SBML);
  if (net == NULL) return NAN;
  const ff_formula *rate = &net->reactions[0].rate;
  double *stack = calloc(rate->depth, sizeof *stack), values[] = {3.0, 0.0, 1.5};
  double value = stack == NULL ? NAN : ff_formula_value(rate, values, 0.0, stack);
  free(stack);
  ff_reactions_free(net);
  return value;
}

/* Functions that formulas do not have. */
static void rewritten_functions(void) {
#define ONE(f, x) RATE(OF("minus", OF(f, CN(x)) OF("minus", CI("B"))))
#define TWO_OF(f, x, y)                                                                                                       \
  L3V2 CELL AB K LIST("Reactions", "<reaction id=\"r\" reversible=\"false\">" FROM_A TO_B                                       \
                      LAW(OF("plus", OF(f, CN(x) CN(y)) CI("B")), "") "</reaction>") END
  static const struct {
    const char *text;
    double want;
  } cases[] = {
      {ONE("sec", "0.3"), 1.0467516015380856},     {ONE("csc", "0.3"), 3.383863361824123},
      {ONE("cot", "0.3"), 3.2327281437658275},     {ONE("sech", "0.3"), 0.9566279119002483},
      {ONE("csch", "0.3"), 3.283853396698424},    {ONE("coth", "0.3"), 3.4327384303217414},
      {ONE("arcsec", "3"), 1.2309594173407747},    {ONE("arccsc", "3"), 0.3398369094541219},
      {ONE("arccot", "3"), 0.3217505543966422},    {ONE("arcsinh", "3"), 1.8184464592320668},
      {ONE("arcsinh", "-1e-9"), -1e-9},            {ONE("arccosh", "3"), 1.7627471740390859},
      {ONE("arctanh", "0.3"), 0.3095196042031117}, {ONE("arcsech", "0.3"), 1.8738202425274144},
      {ONE("arccsch", "-3"), -0.3274501502372584}, {ONE("arccoth", "3"), 0.34657359027997264},
      {TWO_OF("quotient", "-7", "2"), -3.0},       {TWO_OF("rem", "-7", "2"), -1.0},
      {TWO_OF("quotient", "7", "2"), 3.0},         {TWO_OF("rem", "7", "-2"), 1.0},
      {TWO_OF("implies", "1", "0"), 0.0},          {TWO_OF("implies", "0", "0"), 1.0},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    double got = value_of(cases[i].text), size = fabs(cases[i].want);
    FF_CHECK_SAY(fabs(got - cases[i].want) <= 1e-15 * (1.0 + 4.0 * size), "case %zu: %.17g", i, got);
  }
  /* 3.4999999999999996 / 0.7 is rounded to 5, but the remainder has the sign of the first argument */
  FF_CHECK(value_of(TWO_OF("rem", "3.4999999999999996", "0.7")) == 0.0);
  FF_CHECK(value_of(TWO_OF("rem", "-3.4999999999999996", "0.7")) == 0.0);
}

/* ---- events ---- */

static void events(void) {
#define CHANGES(values)                                                                                                       \
  L3 LIST("Compartments", "<compartment id=\"c\" constant=\"false\"/>")                                                        \
      LIST("Species", SPECIES("A", DENSE "initialAmount=\"3\"")) LIST("Rules", DETERMINE("c", CSYMBOL("time")))               \
          LIST("Events", "<event id=\"e\" useValuesFromTriggerTime=\"" values "\">" AT_5                                      \
               LIST("EventAssignments", SET("A", CN("4"))) "</event>") END
#define START "A=3 B=0 | k=1.5 v=2 | event "
  static const example examples[] = {
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("7")) SET("v", CI("k")))),
       START "e when time() >= 5: A = 7, v = k"},
      {EVENT("false", TRIGGER("true", "false", OF("gt", CI("A") CN("2"))) "<priority>" MATH(CI("k")) "</priority>"
             "<delay>" MATH(OF("times", CI("k") CN("2"))) "</delay>" LIST("EventAssignments", SET("B", CI("A")))),
       START "e when A > 2 after k * 2 priority k initially fleeting late: B = A"},
      {EVENT("true", AT_5), START "e when time() >= 5"},
      /* a number that is a count but for rounding errors, as 0.1 * 30 */
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("3.0000000000000004")))),
       START "e when time() >= 5: A = 3.0000000000000004"},
      /* a boundary condition may be set, but a constant species may not */
      {L3 CELL LIST("Species", SPECIES("A", "boundaryCondition=\"true\" constant=\"false\" hasOnlySubstanceUnits=\"true\" "
                                            "initialAmount=\"3\""))
       LIST("Events", "<event useValuesFromTriggerTime=\"true\">" AT_5 "<delay>" MATH(CN("0")) "</delay>"
            LIST("EventAssignments", SET("A", OF("plus", CI("A") "<cn type=\"e-notation\"> 2 <sep/> 30 </cn>")))
            "</event><event id=\"event1\" useValuesFromTriggerTime=\"true\">" AT_5 "</event>") END,
       "A=3! | | event event1_ when time() >= 5 after 0: A = A + 2e+30 event event1 when time() >= 5"},
      /* a concentration is set to an amount; the compartment becomes a parameter */
      {L3 CELL LIST("Species", SPECIES("A", DENSE "initialAmount=\"3\"")) LIST("Events", "<event "
       "useValuesFromTriggerTime=\"true\">" TRIGGER("false", "true", OF("lt", CI("A") CN("1")))
       LIST("EventAssignments", SET("A", CN("4"))) "</event>") END,
       "A=3 | c=2 | event event1 when A / c < 1: A = 4 * c"},
      /* a rule may change the size between the trigger and the execution: a value of the trigger gets a factor */
      {CHANGES("true"), "A=3 | | c := time(); event e when time() >= 5: A = 4 times c"},
      {CHANGES("false"), "A=3 | | c := time(); event e when time() >= 5 late: A = 4 * c"},
      /* level 2 has neither initialValue nor persistent: an event is not triggered at time 0 */
      {L2 "<listOfCompartments><compartment id=\"c\" size=\"2\"/></listOfCompartments><listOfSpecies><species id=\"A\" "
       "compartment=\"c\" initialAmount=\"3\" hasOnlySubstanceUnits=\"true\"/></listOfSpecies><listOfEvents><event id=\"e\">"
       "<trigger>" MATH(OF("gt", CI("A") CN("2"))) "</trigger>" LIST("EventAssignments", SET("A", CN("0"))) "</event>"
       "</listOfEvents>" END,
       "A=3 | | event e when A > 2 initially: A = 0"},
  };
  static const example wrong[] = {
      {EVENT("true", AT_5 LIST("EventAssignments", SET("k", CN("1")))),
       "net, line 6: found an eventAssignment of \"k\", which is constant, where a species or parameter that is not constant was "
       "expected"},
      {EVENT("true", AT_5 LIST("EventAssignments", SET("Aa", CN("1")))),
       "net, line 6: found \"Aa\" where the id of a species or parameter was expected"},
      {L3 CELL AB LIST("Events", "<event id=\"A\" useValuesFromTriggerTime=\"true\">" AT_5 "</event>") END,
       "net, line 5: found \"A\" where an id that no other element has was expected"},
      {L3 CELL AB LIST("Parameters", "<parameter id=\"v\" constant=\"false\"/>") LIST("Events", "<event id=\"e\" "
       "useValuesFromTriggerTime=\"true\">" AT_5 LIST("EventAssignments", SET("v", CN("1"))) "</event>") END,
       "net, line 5: found the parameter \"v\" without a value where one was expected, because event \"e\" names it"},
  };
  static const example broken[] = {
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("3.0001")))),
       "net: event \"e\" sets species \"A\" to 3.0001000000000002; expected a whole number from 0 to 2^53"},
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("1.5")))),
       "net: event \"e\" sets species \"A\" to 1.5; expected a whole number from 0 to 2^53"},
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("1")) SET("A", CN("2")))), "net: event \"e\" sets \"A\" twice"},
      {EVENT("true", AT_5 "<delay>" MATH(CN("-1")) "</delay>"),
       "net: the delay of event \"e\" is -1; expected a finite number of at least 0"},
  };
  reads_and_writes(examples, COUNT_OF(examples));
  fails(wrong, COUNT_OF(wrong), FF_FORMAT_SBML, FF_EPARSE);
  fails(broken, COUNT_OF(broken), FF_FORMAT_SBML, FF_EMODEL);
#undef START
}

/* ---- counts that the caller sets ---- */

static void given_counts(void) {
#define COUNTED(more) L3 CELL LIST("Species", SPECIES("A", COUNT more) SPECIES("B", COUNT "initialAmount=\"2\"")) END
  reads_given(COUNTED("initialAmount=\"0.5\""), FF_FORMAT_SBML, "A", 0, 2);
  reads_given(COUNTED("initialAmount=\"-1\""), FF_FORMAT_SBML, "A", 0, 2);
  reads_given(COUNTED(""), FF_FORMAT_SBML, "A", 0, 2);
#undef COUNTED
}

/* ---- packages ---- */

/* Packages that do not change what a reaction network means. */
static void other_packages(void) {
  static const example examples[] = {
      {SBML("3", "1", CORE,
            " xmlns:arrays=\"http://www.sbml.org/sbml/level3/version1/arrays/version1\" arrays:required=\"false\"")
           "<model>\n" CELL AB END, "A=3 B=0 | |"},
      {SBML("3", "1", CORE, " xmlns:e=\"http://www.sbml.org/sbml/level3/version1/l3v2extendedmath/version1\" e:required=\"true\"")
           "<model>\n" CELL AB K LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(OF("max", CI("A") CI("k")), ""))) END,
       READS("max(A, k)")},
      {SBML("3", "1", CORE, " xmlns:qual=\"http://www.sbml.org/sbml/level3/version1/qual/version1\" qual:required=\"true\"")
           "<model>\n" CELL AB K LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(CI("k"), ""))) END, READS("k")},
      {SBML("3", "1", CORE, " xmlns:fbc=\"http://www.sbml.org/sbml/level3/version1/fbc/version2\" fbc:required=\"false\"")
           "<model fbc:strict=\"false\">\n" CELL AB END, "A=3 B=0 | |"},
  };
  reads_and_writes(examples, COUNT_OF(examples));
}

FF_TEST_MAIN("sbml_reactions", assignment_rules, amounts, local_parameters, stoichiometries, initial_assignments, functions,
             rates, rewritten_functions, events, given_counts, other_packages)
