/* Pieces of SBML documents that hold a reaction network. */
#ifndef FF_TESTS_SBML_REACTIONS_H
#define FF_TESTS_SBML_REACTIONS_H

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
#define DETERMINE(id, x) "<assignmentRule variable=\"" id "\">" MATH(x) "</assignmentRule>"
#define ASSIGN(id, x) "<initialAssignment symbol=\"" id "\">" MATH(x) "</initialAssignment>"
#define FUNCTION(id, arguments, body) \
  "<functionDefinition id=\"" id "\">" MATH("<lambda>" arguments body "</lambda>") "</functionDefinition>"
#define BVAR(x) "<bvar>" CI(x) "</bvar>"
/* Functions on line 3, and one reaction with this law on line 9. The rate is read as `rate`. */
#define WITH(functions, x) \
  L3 LIST("FunctionDefinitions", functions) CELL AB K LIST("Reactions", REACTION("r", "", FROM_A TO_B LAW(x, ""))) END
#define READS(rate) "A=3 B=0 | k=1.5 | r: A -> B @ " rate

#endif
