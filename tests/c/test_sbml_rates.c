/* Rate rules of SBML: those with a known solution become formulas of the time, and the others are refused by name. */
#include <math.h>
#include <stdlib.h>

#include "../../src/io/ff_io.h"
#include "check.h"

#define HEAD \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                                               \
  "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version2/core\" level=\"3\" version=\"2\"><model>\n"
#define MATH(x) "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" x "</math>"
#define CI(id) "<ci> " id " </ci>"
#define CN(x) "<cn> " x " </cn>"
#define TIME "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\"> t </csymbol>"
#define OF(op, x) "<apply><" op "/>" x "</apply>"
#define PARAMETER(id, value, constant) "<parameter id=\"" id "\" value=\"" value "\" constant=\"" constant "\"/>"
#define SPECIES(id, more) \
  "<species id=\"" id "\" compartment=\"c\" initialAmount=\"10\" constant=\"false\" hasOnlySubstanceUnits=" more "/>"
#define RATE(id, x) "<rateRule variable=\"" id "\">" MATH(x) "</rateRule>"
#define ASSIGN(id, x) "<assignmentRule variable=\"" id "\">" MATH(x) "</assignmentRule>"
#define EVENT(id)                                                                                                            \
  "<listOfEvents><event id=\"e\" useValuesFromTriggerTime=\"true\"><trigger initialValue=\"true\" persistent=\"true\">"      \
  MATH("<true/>") "</trigger><listOfEventAssignments><eventAssignment variable=\"" id "\">" MATH(CN("1"))                    \
  "</eventAssignment></listOfEventAssignments></event></listOfEvents>"
#define REACTION(species)                                                                                                    \
  "<listOfReactions><reaction id=\"r\" reversible=\"false\"><listOfReactants><speciesReference species=\"" species           \
  "\" stoichiometry=\"1\" constant=\"true\"/></listOfReactants><kineticLaw>" MATH(CI("k")) "</kineticLaw></reaction>"        \
  "</listOfReactions>"
/* Rules begin on line 6. V is 2, k is 0.5, w is 3, x and y are 4 and 1 at time 0, and u has no value. */
#define DOCUMENT(rules, more)                                                                                                \
  HEAD "<listOfCompartments><compartment id=\"c\" size=\"2\" constant=\"true\"/>"                                            \
  "<compartment id=\"V\" size=\"2\" constant=\"false\"/></listOfCompartments>\n"                                             \
  "<listOfSpecies>" SPECIES("A", "\"false\" boundaryCondition=\"true\"") SPECIES("B", "\"true\" boundaryCondition=\"false\"") \
  SPECIES("D", "\"true\" boundaryCondition=\"true\"") "</listOfSpecies>\n"                                                   \
  "<listOfParameters>" PARAMETER("k", "0.5", "true") PARAMETER("w", "3", "true") PARAMETER("zero", "0", "true")              \
  PARAMETER("x", "4", "false") PARAMETER("y", "1", "false") PARAMETER("z", "1", "false")                                     \
  "<parameter id=\"u\" constant=\"false\"/></listOfParameters><listOfRules>\n" rules "</listOfRules>" more "</model></sbml>"

static ff_reactions *parse(const char *text) {
  ff_error err;
  ff_io_model model = {0};
  ff_format found;
  FF_CHECK_OK(ff_io_parse_model(&model, &found, text, strlen(text), "net", FF_FORMAT_AUTO, &err), &err);
  return model.reactions;
}

/* The value of a variable at a time. */
static double value_at(const ff_reactions *net, const char *name, double time) {
  double values[100] = {0}, found = NAN;
  uint32_t *order = NULL;
  ff_error err;
  const uint32_t first = net->n_species + net->n_parameters;
  for (uint32_t i = 0; i < net->n_species; i++) values[i] = net->initial[i];
  for (uint32_t i = 0; i < net->n_parameters; i++) values[net->n_species + i] = net->value[i];
  FF_CHECK_OK(ff_reactions_order(&order, net, &err), &err);
  double stack[100];
  ff_reactions_compute(net, order, values, time, stack);
  for (uint32_t v = 0; v < net->n_variables; v++)
    if (strcmp(net->names[first + v], name) == 0) found = values[first + v];
  free(order);
  return found;
}

typedef struct {
  const char *document, *name;
  double (*exact)(double t);
} example;

static double line(double t) { return 4 + 1.5 * t; }
static double still(double t) { return 4 + 0 * t; }
static double growth(double t) { return 4 * exp(0.5 * t); }
static double decay(double t) { return 4 * exp(-3 * t); }
static double relaxation(double t) { return 6 + (4 - 6) * exp(-0.5 * t); }
static double power(double t) { return 4 + t * t * t / 3 + 3 * t * t / 2 - 2 * t; }
static double square(double t) { return 4 + (pow(1 + 3 * t, 3) - 1) / 9; }
static double wave(double t) { return 4 + 0.5 * (cos(1) - cos(1 + 3 * t)) / 3; }
static double turn(double t) { return 4 + 0.5 * t - sin(3 * t) / 3; }
static double pulse(double t) { return 4 + exp(0.5) * (exp(-3 * t) - 1) / -3; }
static double flat(double t) { return 4 + t; }
static double amount(double t) { return 2 * (5 * exp(-0.5 * t)); } /* the concentration is 5, and the volume 2 */
static double volume(double t) { return 2 + 0.5 * t; }
static double whole(double t) { return 10 + 30 * t; }

static const example solved[] = {
    {DOCUMENT(RATE("x", OF("times", CI("k") CI("w"))), ""), "x", line},
    {DOCUMENT(RATE("x", CN("0")), ""), "x", still},
    {DOCUMENT(RATE("x", OF("times", CI("x") CI("k"))), ""), "x", growth},
    {DOCUMENT(RATE("x", OF("minus", OF("times", CI("x") CI("w")))), ""), "x", decay},
    {DOCUMENT(RATE("x", OF("minus", CI("w") OF("times", CI("k") CI("x")))), ""), "x", relaxation},
    {DOCUMENT(RATE("x", OF("times", CI("k") OF("minus", OF("divide", CI("w") CI("k")) CI("x")))), ""), "x", relaxation},
    {DOCUMENT(RATE("x", OF("plus", CI("w") OF("times", CI("zero") CI("x")))
                   ), ""), "x", NULL},
    {DOCUMENT(RATE("x", OF("minus", OF("times", TIME OF("plus", TIME CI("w"))) CN("2"))), ""), "x", power},
    {DOCUMENT(RATE("x", OF("power", OF("plus", CN("1") OF("times", CI("w") TIME)) CN("2"))), ""), "x", square},
    {DOCUMENT(RATE("x", OF("times", CI("k") OF("sin", OF("plus", OF("times", CI("w") TIME) CN("1"))))), ""), "x", wave},
    {DOCUMENT(RATE("x", OF("minus", CI("k") OF("cos", OF("times", CI("w") TIME)))), ""), "x", turn},
    {DOCUMENT(RATE("x", OF("exp", OF("minus", CI("k") OF("times", CI("w") TIME)))), ""), "x", pulse},
    {DOCUMENT(RATE("x", OF("exp", OF("times", CI("zero") TIME))), ""), "x", flat},
    {DOCUMENT(RATE("A", OF("minus", OF("times", CI("k") CI("A")))), ""), "A", amount},
    {DOCUMENT(RATE("V", CI("k")), ""), "V", volume},
    {DOCUMENT(RATE("D", OF("times", CI("w") CI("z"))) ASSIGN("z", OF("times", CI("y") CN("10"))), ""), "D", whole},
    {DOCUMENT(RATE("D", OF("times", CI("w") CI("z"))) ASSIGN("z", OF("times", CI("y") CN("10"))), REACTION("D")), "D", whole},
};

static double constant_rate(double t) { return 4 + 3 * t; }

static void rules_are_solved(void) {
  for (size_t i = 0; i < sizeof solved / sizeof *solved; i++) {
    ff_reactions *net = parse(solved[i].document);
    if (net == NULL) continue;
    double (*exact)(double) = solved[i].exact == NULL ? constant_rate : solved[i].exact; /* NULL: the coefficient of x is 0 */
    for (double t = 0; t < 4; t += 0.37) {
      const double found = value_at(net, solved[i].name, t), right = exact(t);
      FF_CHECK_SAY(fabs(found - right) <= 1e-13 * (1 + fabs(right)), "rule %zu at %g: found %.17g, expected %.17g", i, t, found,
                   right);
    }
    ff_reactions_free(net);
  }
}

/* The solution follows the parameters, so that they may be changed. */
static void solutions_name_their_parameters(void) {
  static const struct {
    const char *document, *want;
  } examples[] = {
      {DOCUMENT(RATE("x", OF("times", CI("k") CI("w"))), ""), "4 + k * w * time()"},
      {DOCUMENT(RATE("x", OF("minus", OF("times", CI("k") CI("x")))), ""), "4 * exp(-k * time())"},
      {DOCUMENT(RATE("x", OF("times", CI("x") CI("k"))), ""), "4 * exp(k * time())"},
      {DOCUMENT(RATE("x", CN("1.5")), ""), "4 + 1.5 * time()"},
      {DOCUMENT(RATE("x", OF("cos", OF("times", OF("plus", CN("1") CN("1")) TIME))), ""), "4 + sin(2 * time()) / 2"},
      {DOCUMENT(RATE("x", OF("minus", CI("w") CI("x"))), ""), "4 * exp(-1 * time()) + w * expm1(-1 * time()) / -1"},
      {DOCUMENT(RATE("x", OF("minus", CI("w") OF("times", CI("k") CI("x")))), ""),
       "4 * exp(-k * time()) + if(-k == 0, w * time(), w * expm1(-k * time()) / -k)"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    ff_error err;
    char *text = NULL;
    ff_reactions *net = parse(examples[i].document);
    if (net == NULL) continue;
    FF_CHECK_INT(net->n_variables, 1);
    FF_CHECK_OK(ff_formula_text(&text, &net->variable[0], net->names, &err), &err);
    FF_CHECK_STR(text, examples[i].want);
    free(text);
    ff_reactions_free(net);
  }
}

#define KIND ", which is not supported in a reaction network because "
#define SHAPE \
  KIND "no solution is known for its formula: expected a + b x, where x is what the rule determines, or a sum of powers, " \
  "sines, cosines and exponentials of the time"
#define FIXED ", which is constant, where a species, parameter or compartment that is not constant was expected"
#define AT(line, text) "net, line " line ": found " text

static const struct {
  const char *document, *want;
  ff_status status;
} refused[] = {
    {DOCUMENT(RATE("k", CN("1")), ""), AT("6", "a rateRule of \"k\"" FIXED), FF_EPARSE},
    {DOCUMENT(RATE("c", CN("1")), ""), AT("6", "a rateRule of \"c\"" FIXED), FF_EPARSE},
    {DOCUMENT(RATE("x", CN("1")) "\n" RATE("x", CN("2")), ""), AT("7", "a second rule of \"x\" where one was expected"),
     FF_EPARSE},
    {DOCUMENT(RATE("x", CN("1")) "\n" ASSIGN("x", CN("2")), ""), AT("7", "a second rule of \"x\" where one was expected"),
     FF_EPARSE},
    {DOCUMENT(RATE("none", CN("1")), ""), AT("6", "\"none\" where the id of a species, parameter or compartment was expected"),
     FF_EPARSE},
    {DOCUMENT(RATE("u", CN("1")), ""), AT("6", "the rateRule of \"u\", which has no initial value, where one was expected"),
     FF_EPARSE},
    {DOCUMENT(RATE("x", CI("u")), ""), AT("5", "the parameter \"u\" without a value where one was expected, because the "
     "rateRule of \"x\" depends on it"), FF_EPARSE},
    {DOCUMENT(RATE("B", CN("1")), REACTION("B")), AT("6", "<speciesReference> \"B\"" KIND "a rateRule determines the species"),
     FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", CI("B")), ""),
     AT("6", "<rateRule> \"x\"" KIND "its formula depends on \"B\", which reactions may change"), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", CI("y")) "\n" RATE("y", CN("1")), ""),
     AT("6", "<rateRule> \"x\"" KIND "its formula depends on \"y\", which a rateRule determines"), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", CI("z")) ASSIGN("z", OF("sin", TIME)), ""),
     AT("6", "<rateRule> \"x\"" KIND "its formula depends on \"z\", which changes with the time"), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", CI("z")) ASSIGN("z", OF("times", CI("y") CN("2"))) ASSIGN("y", CI("B")), ""),
     AT("6", "<rateRule> \"x\"" KIND "its formula depends on \"z\", which an assignmentRule changes"), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", CI("y")), EVENT("y")),
     AT("6", "<rateRule> \"x\"" KIND "its formula depends on \"y\", which an event sets"), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", CN("1")), EVENT("x")), AT("6", "<eventAssignment> \"x\"" KIND "a rateRule determines it"),
     FF_EUNSUPPORTED},
    {DOCUMENT(RATE("A", CN("1")) RATE("c", CN("1")), ""), AT("6", "a rateRule of \"c\"" FIXED), FF_EPARSE},
    {DOCUMENT(RATE("x", OF("times", CI("x") CI("x"))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("divide", CN("1") CI("x"))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("times", CI("x") TIME)), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("plus", CI("x") TIME)), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("sin", CI("x"))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("ln", OF("plus", CN("1") TIME))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("sin", OF("times", TIME TIME))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("power", TIME CN("9"))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("power", OF("power", TIME CN("8")) CN("2"))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
    {DOCUMENT(RATE("x", OF("power", TIME CN("0.5"))), ""), AT("6", "<rateRule> \"x\"" SHAPE), FF_EUNSUPPORTED},
};

static void other_rules_are_refused(void) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    ff_error err = {FF_OK, ""};
    ff_io_model model = {0};
    ff_format found;
    const char *text = refused[i].document;
    const ff_status status = ff_io_parse_model(&model, &found, text, strlen(text), "net", FF_FORMAT_AUTO, &err);
    FF_CHECK_SAY(status == refused[i].status, "document %zu: status %d", i, (int)status);
    FF_CHECK_STR(err.text, refused[i].want);
    ff_reactions_free(model.reactions);
  }
}

/* A rule whose formula has n nested or repeated parts. */
static char *large(size_t n, const char *before, const char *part, const char *after) {
  const char *document = DOCUMENT(RATE("x", "@"), ""), *at = strchr(document, '@');
  char *text = malloc(strlen(document) + strlen(before) + n * strlen(part) + strlen(after) + 1);
  if (text == NULL) abort();
  memcpy(text, document, (size_t)(at - document));
  char *to = text + (at - document);
  to += sprintf(to, "%s", before);
  for (size_t i = 0; i < n; i++) to += sprintf(to, "%s", part);
  sprintf(to, "%s%s", after, at + 1);
  return text;
}

static void large_rules_are_refused(void) {
  static const struct {
    size_t n;
    const char *before, *part, *after;
  } examples[] = {{2000, "<apply><plus/>", CI("k"), "</apply>"},
                  {400, "<apply><times/>", OF("plus", CI("k") TIME CI("x")), "</apply>"},
                  {9, "<apply><times/>", OF("plus", CI("k") TIME), "</apply>"},
                  {450, "<apply><times/>" OF("plus", CI("x") CI("k")), CI("k"), "</apply>"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    ff_error err = {FF_OK, ""};
    ff_io_model model = {0};
    ff_format found;
    char *text = large(examples[i].n, examples[i].before, examples[i].part, examples[i].after);
    const ff_status status = ff_io_parse_model(&model, &found, text, strlen(text), "net", FF_FORMAT_AUTO, &err);
    FF_CHECK_SAY(status == (i == 3 ? FF_OK : FF_EUNSUPPORTED), "example %zu: %s", i, err.text);
    if (i == 0) FF_CHECK(strstr(err.text, "because its formula is too long") != NULL);
    ff_reactions_free(model.reactions);
    free(text);
  }
}

/* In Level 1, rules of parameters have a type. */
static void level_1_has_rate_rules(void) {
  ff_reactions *net = parse(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<sbml xmlns=\"http://www.sbml.org/sbml/level1\" level=\"1\" version=\"2\"><model>\n"
      "<listOfCompartments><compartment name=\"c\" volume=\"1\"/></listOfCompartments>\n"
      "<listOfSpecies><species name=\"A\" compartment=\"c\" initialAmount=\"1\" boundaryCondition=\"true\"/></listOfSpecies>\n"
      "<listOfParameters><parameter name=\"x\" value=\"4\"/><parameter name=\"k\" value=\"1.5\"/></listOfParameters>\n"
      "<listOfRules><parameterRule name=\"x\" type=\"rate\" formula=\"k\"/></listOfRules></model></sbml>");
  if (net == NULL) return;
  FF_CHECK_NEAR(value_at(net, "x", 2), 7, 1e-12);
  ff_reactions_free(net);
}

FF_TEST_MAIN("sbml_rates", rules_are_solved, solutions_name_their_parameters, other_rules_are_refused, large_rules_are_refused,
             level_1_has_rate_rules)
