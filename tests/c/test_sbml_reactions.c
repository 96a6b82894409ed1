/* Reaction networks in SBML: what the reader makes of each element, what it refuses, and hostile documents. */
#define _GNU_SOURCE /* opendir under -std=c11 */
#include <dirent.h>
#include <math.h>

#include "../../src/base/ff_names.h"
#include "../../src/io/ff_io.h"

#include "check.h"
#include "reactions_text.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define SBML(level, version, uri, more) XML "<sbml xmlns=\"" uri "\" level=\"" level "\" version=\"" version "\"" more ">"
#define CORE "http://www.sbml.org/sbml/level3/version1/core"
#define L3 SBML("3", "1", CORE, "") "<model>\n"
#define L3V2 SBML("3", "2", "http://www.sbml.org/sbml/level3/version2/core", "") "<model>\n"
#define L2 SBML("2", "4", "http://www.sbml.org/sbml/level2/version4", "") "<model>\n"
#define L1 SBML("1", "2", "http://www.sbml.org/sbml/level1", "") "<model>\n"
#define END "</model></sbml>\n"
#define LIST(name, rows) "<listOf" name ">" rows "</listOf" name ">\n"
#define CELL LIST("Compartments", "<compartment id=\"c\" spatialDimensions=\"3\" size=\"2\" constant=\"true\"/>")
#define SPECIES(id, more) "<species id=\"" id "\" compartment=\"c\" " more "/>"
#define FREE "boundaryCondition=\"false\" constant=\"false\" "
#define COUNT "hasOnlySubstanceUnits=\"true\" " FREE
#define DENSE "hasOnlySubstanceUnits=\"false\" " FREE
#define AB LIST("Species", SPECIES("A", COUNT "initialAmount=\"3\"") SPECIES("B", COUNT "initialAmount=\"0\""))
#define PARAMETER(id, value) "<parameter id=\"" id "\" value=\"" value "\" constant=\"true\"/>"
#define K LIST("Parameters", PARAMETER("k", "1.5"))
#define MATH(x) "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" x "</math>"
#define LAW(x, more) "<kineticLaw>" MATH(x) more "</kineticLaw>"
#define REF(id, n) "<speciesReference species=\"" id "\" stoichiometry=\"" n "\" constant=\"true\"/>"
#define REACTION(id, more, body) "<reaction id=\"" id "\" reversible=\"false\" fast=\"false\" " more ">" body "</reaction>"
#define FROM_A LIST("Reactants", REF("A", "1"))
#define TO_B LIST("Products", REF("B", "1"))
#define CI(id) "<ci> " id " </ci>"
#define CN(x) "<cn> " x " </cn>"
#define OF(op, x) "<apply><" op "/>" x "</apply>"
#define CALL(f, x) "<apply>" CI(f) x "</apply>"
#define CSYMBOL(name) \
  "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/" name "\"> " name " </csymbol>"
/* An event on line 6; the parameter v is not constant. */
#define V LIST("Parameters", PARAMETER("k", "1.5") "<parameter id=\"v\" value=\"2\" constant=\"false\"/>")
#define EVENT(values, body) \
  L3 CELL AB V LIST("Events", "<event id=\"e\" useValuesFromTriggerTime=\"" values "\">" body "</event>") END
#define TRIGGER(first, lasting, x) \
  "<trigger initialValue=\"" first "\" persistent=\"" lasting "\">" MATH(x) "</trigger>"
#define SET(id, x) "<eventAssignment variable=\"" id "\">" MATH(x) "</eventAssignment>"
#define AT_5 TRIGGER("false", "true", OF("geq", CSYMBOL("time") CN("5")))
/* One reaction with this law, on line 8 of the document. */
#define RATE(x) L3 CELL AB K LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(x, ""))) END

static void put(char *out, size_t size, const char *text) { strncat(out, text, size - strlen(out) - 1); }

static void put_formula(char *out, size_t size, const char *before, const ff_formula *formula, const ff_reactions *net) {
  ff_error err;
  char *text;
  if (formula->length == 0) return;
  FF_CHECK_OK(ff_formula_text(&text, formula, net->names, &err), &err);
  put(out, size, before);
  put(out, size, text);
  free(text);
}

/* " event e when time() >= 5 after 2 priority 1: A = 3, v = k" */
static void describe_event(char *out, size_t size, const ff_reactions *net, const ff_event *event) {
  put(out, size, " event ");
  put(out, size, event->name);
  put_formula(out, size, " when ", &event->trigger, net);
  put_formula(out, size, " after ", &event->delay, net);
  put_formula(out, size, " priority ", &event->priority, net);
  put(out, size, event->initially ? " initially" : "");
  put(out, size, event->persistent ? "" : " fleeting");
  put(out, size, event->late ? " late" : "");
  for (uint32_t i = 0; i < event->n_sets; i++) {
    put(out, size, i == 0 ? ": " : ", ");
    put(out, size, net->names[event->sets[i].symbol]);
    put_formula(out, size, " = ", &event->sets[i].value, net);
  }
}

/* The network as text: species with counts (! if fixed), parameters, and reactions. */
static void describe(char *out, size_t size, const ff_reactions *net) {
  char piece[200];
  out[0] = '\0';
  for (uint32_t i = 0; i < net->n_species; i++) {
    snprintf(piece, sizeof piece, "%s=%.17g%s ", net->names[i], net->initial[i], net->fixed[i] ? "!" : "");
    put(out, size, piece);
  }
  put(out, size, "|");
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    snprintf(piece, sizeof piece, " %s=%.15g", net->names[net->n_species + i], net->value[i]);
    put(out, size, piece);
  }
  put(out, size, " |");
  for (uint32_t v = 0; v < net->n_variables; v++) {
    ff_error err;
    char *formula;
    FF_CHECK_OK(ff_formula_text(&formula, &net->variable[v], net->names, &err), &err);
    snprintf(piece, sizeof piece, " %s := %.100s;", net->names[net->n_species + net->n_parameters + v], formula);
    put(out, size, piece);
    free(formula);
  }
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    ff_error err;
    char *equation, *rate;
    FF_CHECK(!net->reactions[r].mass_action);
    FF_CHECK_OK(ff_reactions_equation_text(&equation, net, r, &err), &err);
    FF_CHECK_OK(ff_formula_text(&rate, &net->reactions[r].rate, net->names, &err), &err);
    put(out, size, " ");
    put(out, size, net->reactions[r].name);
    put(out, size, ": ");
    put(out, size, equation);
    put(out, size, " @ ");
    put(out, size, rate);
    free(equation);
    free(rate);
  }
  for (uint32_t e = 0; e < net->n_events; e++) describe_event(out, size, net, &net->events[e]);
}

static ff_reactions *parse(const char *text) {
  ff_error err;
  ff_io_model model;
  ff_format found;
  FF_CHECK_OK(ff_io_parse_model(&model, &found, text, strlen(text), "net", FF_FORMAT_AUTO, &err), &err);
  FF_CHECK(model.pbn == NULL && found == FF_FORMAT_SBML);
  return model.reactions;
}

typedef struct {
  const char *text, *want;
} example;

static void reads_as(const example *examples, size_t n) {
  char got[4000];
  for (size_t i = 0; i < n; i++) {
    ff_reactions *net = parse(examples[i].text);
    if (net == NULL) continue;
    describe(got, sizeof got, net);
    FF_CHECK_STR(got, examples[i].want);
    FF_CHECK_SAY(keeps_its_text(net), "%s", got);
    ff_reactions_free(net);
  }
}

/* What is written as SBML reads the same again. */
static void writes_as(const example *examples, size_t n) {
  char got[4000];
  for (size_t i = 0; i < n; i++) {
    ff_error err;
    char *text;
    ff_reactions *net = parse(examples[i].text);
    if (net == NULL) continue;
    FF_CHECK_OK(ff_io_reactions_text(&text, net, FF_FORMAT_SBML, &err), &err);
    ff_reactions_free(net);
    if (text == NULL) continue;
    if ((net = parse(text)) != NULL) {
      describe(got, sizeof got, net);
      FF_CHECK_STR(got, examples[i].want);
      ff_reactions_free(net);
    }
    free(text);
  }
}

static void fails(const example *examples, size_t n, ff_status status) {
  for (size_t i = 0; i < n; i++) {
    ff_error err = {0};
    ff_io_model model;
    ff_status got = ff_io_parse_model(&model, NULL, examples[i].text, strlen(examples[i].text), "net", FF_FORMAT_SBML, &err);
    FF_CHECK_SAY(got == status, "%s for \"%s\"", ff_status_name(got), examples[i].want);
    FF_CHECK_STR(got == FF_OK ? "" : err.text, examples[i].want);
    FF_CHECK(model.pbn == NULL && model.reactions == NULL);
    ff_io_model_free(&model);
  }
}

#define DETERMINE(id, x) "<assignmentRule variable=\"" id "\">" MATH(x) "</assignmentRule>"
#define COUNT_OF(examples) (sizeof(examples) / sizeof(examples)[0])

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
  reads_as(good, COUNT_OF(good));
  fails(parse, COUNT_OF(parse), FF_EPARSE);
  fails(unsupported, COUNT_OF(unsupported), FF_EUNSUPPORTED);
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
  reads_as(examples, COUNT_OF(examples));
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
  reads_as(examples, COUNT_OF(examples));
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
  reads_as(examples, COUNT_OF(examples));
}

/* ---- initial assignments and functions ---- */

#define ASSIGN(id, x) "<initialAssignment symbol=\"" id "\">" MATH(x) "</initialAssignment>"
#define FUNCTION(id, arguments, body) \
  "<functionDefinition id=\"" id "\">" MATH("<lambda>" arguments body "</lambda>") "</functionDefinition>"
#define BVAR(x) "<bvar>" CI(x) "</bvar>"

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
  reads_as(examples, COUNT_OF(examples));
}

static void functions(void) {
#define WITH(functions, x) \
  L3 LIST("FunctionDefinitions", functions) CELL AB K LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(x, ""))) END
#define READS(rate) "A=3 B=0 | k=1.5 | r: A -> B @ " rate
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
  reads_as(examples, COUNT_OF(examples));
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
  reads_as(examples, COUNT_OF(examples));
}

/* The value of a rate for A = 3, B = 0 and k = 1.5. */
static double value_of(const char *text) {
  ff_reactions *net = parse(text);
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
}

/* ---- events ---- */

static void events(void) {
#define START "A=3 B=0 | k=1.5 v=2 | event "
  static const example examples[] = {
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("7")) SET("v", CI("k")))),
       START "e when time() >= 5: A = 7, v = k"},
      {EVENT("false", TRIGGER("true", "false", OF("gt", CI("A") CN("2"))) "<priority>" MATH(CI("k")) "</priority>"
             "<delay>" MATH(OF("times", CI("k") CN("2"))) "</delay>" LIST("EventAssignments", SET("B", CI("A")))),
       START "e when A > 2 after k * 2 priority k initially fleeting late: B = A"},
      {EVENT("true", AT_5), START "e when time() >= 5"},
      /* a concentration is set to an amount; the compartment becomes a parameter */
      {L3 CELL LIST("Species", SPECIES("A", DENSE "initialAmount=\"3\"")) LIST("Events", "<event "
       "useValuesFromTriggerTime=\"true\">" TRIGGER("false", "true", OF("lt", CI("A") CN("1")))
       LIST("EventAssignments", SET("A", CN("4"))) "</event>") END,
       "A=3 | c=2 | event event1 when A / c < 1: A = 4 * c"},
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
       "net, line 5: found \"v\" without a value where one was expected, because event \"e\" names it"},
  };
  static const example broken[] = {
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("1.5")))),
       "net: event \"e\" sets species \"A\" to 1.5; expected a whole number from 0 to 2^53"},
      {EVENT("true", AT_5 LIST("EventAssignments", SET("A", CN("1")) SET("A", CN("2")))), "net: event \"e\" sets \"A\" twice"},
      {EVENT("true", AT_5 "<delay>" MATH(CN("-1")) "</delay>"),
       "net: the delay of event \"e\" is -1; expected a finite number of at least 0"},
  };
  reads_as(examples, sizeof examples / sizeof *examples);
  writes_as(examples, sizeof examples / sizeof *examples);
  fails(wrong, sizeof wrong / sizeof *wrong, FF_EPARSE);
  fails(broken, sizeof broken / sizeof *broken, FF_EMODEL);
#undef START
}

/* ---- refusals ---- */

static void unsupported(void) {
#define NO(what) "net, line " what
#define KIND "which is not supported in a reaction network"
#define RULE(rule) L3 CELL AB K "<listOfRules>\n" rule "</listOfRules>\n" END
#define STOICHIOMETRY(reference) \
  L3 CELL AB K LIST("Reactions", REACTION("r", "", "<listOfReactants>" reference "</listOfReactants>" LAW(CI("k"), ""))) END
  static const example examples[] = {
      {RULE("<rateRule variable=\"k\">" MATH(CN("1")) "</rateRule>"), NO("7: found <rateRule> \"k\", " KIND)},
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
      {RATE(OF("times", CI("A") CI("r"))), NO("8: found the reaction \"r\" in a formula, which is not supported")},
      {RATE("<apply>" CSYMBOL("delay") CI("A") CN("1") "</apply>"), NO("8: found a delay in a formula, " KIND)},
      {RATE(OF("factorial", CI("A"))), NO("8: found <factorial> in a formula, " KIND)},
      {SBML("3", "1", CORE, " xmlns:comp=\"http://www.sbml.org/sbml/level3/version1/comp/version1\" comp:required=\"true\"")
           "<model>\n" CELL AB END,
       NO("2: found the package \"comp\" with required = true, which changes the meaning of the model and is not supported")},
      {SBML("3", "1", CORE, " xmlns:arrays=\"http://www.sbml.org/sbml/level3/version1/arrays/version1\" arrays:required=\"true\"")
           "<model>\n" CELL AB END,
       NO("2: found the package \"arrays\" with required = true, which changes the meaning of the model and is not supported")},
      {SBML("3", "1", CORE, " xmlns:fbc=\"http://www.sbml.org/sbml/level3/version1/fbc/version2\" fbc:required=\"false\"")
           "<!-- <model x:strict=\"true\"> -->\n<model fbc:strict=\"true\">\n" CELL AB END,
       NO("3: found a model for flux balance analysis (fbc:strict = true), which is not supported")},
  };
  fails(examples, COUNT_OF(examples), FF_EUNSUPPORTED);
}

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
  reads_as(examples, COUNT_OF(examples));
}

static void errors(void) {
#define FORMULA(x) " where " x " was expected"
#define IDS "the id of a species, parameter or compartment"
  static const example examples[] = {
      {RATE(CI("kk")), NO("8: found \"kk\"" FORMULA(IDS))},
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
       NO("5: found \"k\" without a value where one was expected, because that of \"A\" depends on it")},
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
  fails(examples, COUNT_OF(examples), FF_EPARSE);
  static const example negative[] = {
      {RATE(OF("minus", CN("1"))), "net: reaction \"r\": the rate is -1; expected a finite number of at least 0"}};
  fails(negative, 1, FF_EMODEL);
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

/* Inputs of the fuzzer. FIREFLIP_CORPUS, or the folder relative to the top folder of the repository. */
static void corpus(void) {
  char folder[300], path[700];
  const char *root = getenv("FIREFLIP_CORPUS");
  snprintf(folder, sizeof folder, "%.200s/sbml_reactions", root != NULL ? root : "tests/c/corpus");
  DIR *entries = opendir(folder);
  if (entries == NULL) FF_SKIP("there is no corpus");
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%.300s", folder, entry->d_name);
    ff_error err;
    ff_io_model model;
    ff_status status = ff_io_read_model(&model, NULL, path, FF_FORMAT_SBML, &err);
    if (status == FF_OK)
      FF_CHECK_SAY(model.reactions != NULL && keeps_its_text(model.reactions), "%s", path);
    else
      FF_CHECK_SAY(ff_utf8_valid(err.text, strlen(err.text)) && err.text[0] != '\0', "%s", path);
    if (strncmp(entry->d_name, "crash", 5) != 0) FF_CHECK_OK(status, &err);
    ff_io_model_free(&model);
  }
  closedir(entries);
}

FF_TEST_MAIN("sbml_reactions", assignment_rules, amounts, local_parameters, stoichiometries, initial_assignments, functions,
             rates, rewritten_functions, events, unsupported, other_packages, errors, many_terms, nested_functions,
             corpus)
