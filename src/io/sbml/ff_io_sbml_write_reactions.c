/* Writes a reaction network as SBML Level 3 Version 2, whose formulas have min and max. The text is written here and not by
 * libsbml, whose recursion would be as deep as a formula is nested. */
#include "ff_io_sbml_format.h"
#include "../../model/ff_formula_math.h"
#include "ff_io_sbml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* <sbml>, <model>, the list, <reaction>, <kineticLaw>, <math>, two of mass action, <otherwise>, and a leaf. */
#define OUTER_DEPTH 10
#define MOST_OF_A_REACTANT 20
#define NONE UINT32_MAX

typedef struct {
  ff_out out;
  const ff_reactions *net;
  char **ids; /* of symbols, then of reactions, then of events, then of the compartment */
  char **names;
  uint32_t n_symbols, n;
  uint32_t *mark; /* of species: r + 1 if they are listed for reaction r */
  uint8_t *set;   /* of symbols: 1 if an event sets them, so that they are not constant */
  uint32_t *cell; /* of species: the variable that is the size of their compartment, or NONE. Events set their concentrations */
  uint8_t *holds; /* of variables: 1 if they are such a size */
  char owner[FF_QUOTE_SIZE + 20]; /* for messages: whose formula is written */
  ff_error *err;
} writer;

static void put(writer *w, const char *text) { ff_out_puts(&w->out, text); }

static void set_owner(writer *w, const char *what, const char *name) {
  snprintf(w->owner, sizeof w->owner, "%s %s", what, ff_quote(name, strlen(name)).text);
}

static void put_attribute(writer *w, const char *before, const char *value) {
  put(w, before);
  ff_sbml_put_escaped(&w->out, value);
  put(w, "\"");
}

/* The id of an element, and its name if this is not the id. */
static void put_id(writer *w, uint32_t i) {
  put_attribute(w, " id=\"", w->ids[i]);
  if (strcmp(w->ids[i], w->names[i]) != 0) put_attribute(w, " name=\"", w->names[i]);
}

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

static void put_number(writer *w, double number) {
  if (isnan(number) || isinf(number)) {
    put(w, isnan(number) ? "<notanumber/>" : number > 0 ? "<infinity/>" : "<apply><minus/><infinity/></apply>");
    return;
  }
  ff_shown shown = ff_show_exact(number);
  char *e = strchr(shown.text, 'e');
  put(w, e == NULL ? "<cn> " : "<cn type=\"e-notation\"> ");
  if (e != NULL) *e = '\0';
  put(w, shown.text);
  if (e != NULL) {
    char text[32];
    snprintf(text, sizeof text, " <sep/> %ld", strtol(e + 1, NULL, 10));
    put(w, text);
  }
  put(w, " </cn>");
}

/* What is still to be written: a text that closes `closes` elements, or the subexpression that ends with word `at`. */
typedef struct {
  const char *text;
  uint32_t at, closes;
} task;

typedef struct {
  const ff_formula *formula;
  uint32_t *start; /* of each word: where its subexpression starts */
  task *tasks;
  size_t n;
  uint32_t depth;
} math;

static const char *element_of(uint32_t code) {
  static const char *const elements[FF_F_COUNT] = {
      [FF_F_NEG] = "minus",     [FF_F_ADD] = "plus",    [FF_F_SUB] = "minus",   [FF_F_MUL] = "times",   [FF_F_DIV] = "divide",
      [FF_F_POW] = "power",     [FF_F_LT] = "lt",       [FF_F_LE] = "leq",      [FF_F_GT] = "gt",       [FF_F_GE] = "geq",
      [FF_F_EQ] = "eq",         [FF_F_NE] = "neq",      [FF_F_AND] = "and",     [FF_F_OR] = "or",       [FF_F_NOT] = "not",
      [FF_F_MIN] = "min",       [FF_F_MAX] = "max",     [FF_F_ABS] = "abs",     [FF_F_FLOOR] = "floor",
      [FF_F_CEILING] = "ceiling",
      [FF_F_SQRT] = "root",     [FF_F_EXP] = "exp",     [FF_F_LOG] = "ln",      [FF_F_LOG10] = "log",   [FF_F_SIN] = "sin",
      [FF_F_COS] = "cos",       [FF_F_TAN] = "tan",     [FF_F_ASIN] = "arcsin", [FF_F_ACOS] = "arccos", [FF_F_ATAN] = "arctan",
      [FF_F_SINH] = "sinh",     [FF_F_COSH] = "cosh",   [FF_F_TANH] = "tanh",
  };
  return elements[code];
}

static int is_series(uint32_t code) {
  return code == FF_F_ADD || code == FF_F_MUL || code == FF_F_AND || code == FF_F_OR || code == FF_F_MIN || code == FF_F_MAX;
}

static void push_close(math *m, const char *text, uint32_t closes) {
  m->depth += closes;
  m->tasks[m->n++] = (task){text, 0, closes};
}
static void push_operand(math *m, uint32_t at) { m->tasks[m->n++] = (task){NULL, at, 0}; }

static void put_name(writer *w, uint32_t symbol) {
  put(w, "<ci> ");
  put(w, w->ids[symbol]);
  put(w, " </ci>");
}

static void put_leaf(writer *w, const ff_formula_word *word) {
  if (word->code == FF_F_NUMBER) put_number(w, word->number);
  if (word->code == FF_F_TIME)
    put(w, "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\"> time </csymbol>");
  if (word->code != FF_F_SYMBOL) return;
  const uint32_t cell = word->symbol < w->net->n_species ? w->cell[word->symbol] : NONE;
  if (cell != NONE) put(w, "<apply><times/>");
  put_name(w, word->symbol);
  if (cell != NONE) put_name(w, cell);
  if (cell != NONE) put(w, "</apply>");
}

/* Whether the operation at this word divides a species by the size of its compartment: the name of the species means this. */
static int is_concentration(const writer *w, const ff_formula_word *word, uint32_t at) {
  return word[at].code == FF_F_DIV && word[at - 1].code == FF_F_SYMBOL && word[at - 2].code == FF_F_SYMBOL &&
         word[at - 2].symbol < w->net->n_species && w->cell[word[at - 2].symbol] == word[at - 1].symbol;
}

/* if(condition, yes, no) */
static void put_piecewise(writer *w, math *m, uint32_t at) {
  const uint32_t no = at - 1, yes = m->start[no] - 1, condition = m->start[yes] - 1;
  put(w, "<piecewise><piece>");
  push_close(m, "</otherwise></piecewise>", 1);
  push_operand(m, no);
  push_close(m, "</piece><otherwise>", 1);
  push_operand(m, condition);
  push_operand(m, yes);
}

/* Writes the start of an operation, and puts the rest on the stack. A chain such as a + b + c is one element. */
static void put_operation(writer *w, math *m, uint32_t at) {
  const ff_formula_word *word = m->formula->word;
  const uint32_t code = word[at].code;
  if (code == FF_F_IF) {
    put_piecewise(w, m, at);
    return;
  }
  put(w, code == FF_F_LOG2    ? "<apply><log/><logbase><cn> 2 </cn></logbase>"
         : code == FF_F_EXPM1 ? "<apply><minus/><apply><exp/>"
         : code == FF_F_LOG1P ? "<apply><ln/><apply><plus/><cn> 1 </cn>"
                              : "<apply>");
  if (element_of(code) != NULL) {
    put(w, "<");
    put(w, element_of(code));
    put(w, "/>");
  }
  if (code == FF_F_EXPM1)
    push_close(m, "</apply><cn> 1 </cn></apply>", 2);
  else
    push_close(m, code == FF_F_LOG1P ? "</apply></apply>" : "</apply>", 1 + (code == FF_F_LOG1P));
  uint32_t last = at - 1;
  push_operand(m, last);
  if (ff_formula_operands(code) == 1) return;
  uint32_t left = m->start[last] - 1;
  for (; is_series(code) && word[left].code == code; left = m->start[left - 1] - 1) push_operand(m, left - 1);
  push_operand(m, left);
}

static ff_status too_deep(const writer *w) {
  return ff_error_set(w->err, FF_EMODEL, "%s: a formula nests more than %d operations, the limit for SBML", w->owner,
                      FF_SBML_DEPTH - OUTER_DEPTH);
}

static ff_status put_math(writer *w, const ff_formula *formula) {
  math m = {.formula = formula, .start = ff_calloc(formula->length, sizeof *m.start),
            .tasks = ff_calloc(2 * (size_t)formula->length + 2, sizeof *m.tasks)};
  ff_status status = FF_OK;
  if (m.start == NULL || m.tasks == NULL) status = ff_error_set(w->err, FF_EMEMORY, "no memory to write a formula");
  if (status == FF_OK) ff_formula_starts(m.start, formula);
  if (status == FF_OK) push_operand(&m, formula->length - 1);
  while (m.n > 0 && status == FF_OK) {
    const task now = m.tasks[--m.n];
    if (now.text != NULL) {
      put(w, now.text);
      m.depth -= now.closes;
    } else if (ff_formula_operands(formula->word[now.at].code) == 0) {
      put_leaf(w, &formula->word[now.at]);
    } else if (is_concentration(w, formula->word, now.at)) {
      put_name(w, formula->word[now.at - 2].symbol);
    } else {
      put_operation(w, &m, now.at);
    }
    if (m.depth + OUTER_DEPTH > FF_SBML_DEPTH) status = too_deep(w);
  }
  free(m.start);
  free(m.tasks);
  return status == FF_OK ? w->out.status : status;
}

#define MATH "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">"

/* ---- reactions ---------------------------------------------------------------------------------------------------------- */

/* rate * A * (A - 1) / 2, and so on; of a flow, rate * A * A / 2 */
static ff_status put_mass_action(writer *w, uint32_t r) {
  const ff_reaction *reaction = &w->net->reactions[r];
  double factorials = 1;
  for (uint32_t i = 0; i < reaction->n_reactants; i++) {
    if (reaction->reactants[i].count > MOST_OF_A_REACTANT)
      return ff_error_set(w->err, FF_EMODEL, "reaction %s: a reactant occurs %u times; SBML's law of mass action is written for "
                          "at most %d", ff_quote(reaction->name, strlen(reaction->name)).text, reaction->reactants[i].count,
                          MOST_OF_A_REACTANT);
    for (uint32_t k = 2; k <= reaction->reactants[i].count; k++) factorials *= k;
  }
  if (factorials != 1) put(w, "<apply><divide/>");
  if (reaction->n_reactants > 0) put(w, "<apply><times/>");
  ff_status status = put_math(w, &reaction->rate);
  for (uint32_t i = 0; i < reaction->n_reactants && status == FF_OK; i++)
    for (uint32_t k = 0; k < reaction->reactants[i].count; k++) {
      const int less = k > 0 && !reaction->flows;
      if (less) put(w, "<apply><minus/>");
      put_leaf(w, &(ff_formula_word){FF_F_SYMBOL, reaction->reactants[i].species, 0});
      if (less) put_number(w, k);
      if (less) put(w, "</apply>");
    }
  if (reaction->n_reactants > 0) put(w, "</apply>");
  if (factorials != 1) {
    put_number(w, factorials);
    put(w, "</apply>");
  }
  return status;
}

static void put_side(writer *w, const char *list, const ff_participant *all, uint32_t n, const double *weight, uint32_t r) {
  if (n == 0) return;
  put(w, "        <");
  put(w, list);
  put(w, ">\n");
  for (uint32_t i = 0; i < n; i++) {
    w->mark[all[i].species] = r + 1;
    put_attribute(w, "          <speciesReference species=\"", w->ids[all[i].species]);
    put(w, " stoichiometry=\"");
    if (weight != NULL)
      ff_out_number(&w->out, weight[i]);
    else
      ff_out_count(&w->out, all[i].count);
    put(w, "\" constant=\"true\"/>\n");
  }
  put(w, "        </");
  put(w, list);
  put(w, ">\n");
}

/* The species that the law names, but which are neither reactants nor products. */
static void put_modifiers(writer *w, uint32_t r) {
  const ff_formula *rate = &w->net->reactions[r].rate;
  int any = 0;
  for (uint32_t i = 0; i < rate->length; i++) {
    const uint32_t species = rate->word[i].symbol;
    if (rate->word[i].code != FF_F_SYMBOL || species >= w->net->n_species || w->mark[species] == r + 1) continue;
    w->mark[species] = r + 1;
    if (!any) put(w, "        <listOfModifiers>\n");
    any = 1;
    put_attribute(w, "          <modifierSpeciesReference species=\"", w->ids[species]);
    put(w, "/>\n");
  }
  if (any) put(w, "        </listOfModifiers>\n");
}

static void put_mark(writer *w, const char *mark) {
  put(w, "<fireflip:");
  put(w, mark);
  put(w, " xmlns:fireflip=\"" FF_SBML_NAMESPACE "\"/>");
}

static ff_status put_reaction(writer *w, uint32_t r) {
  const ff_reaction *reaction = &w->net->reactions[r];
  put(w, "      <reaction");
  put_id(w, w->n_symbols + r);
  put(w, " reversible=\"false\">\n");
  const double *in = reaction->weight, *added = in != NULL ? in + reaction->n_reactants : NULL;
  put_side(w, "listOfReactants", reaction->reactants, reaction->n_reactants, in, r);
  put_side(w, "listOfProducts", reaction->products, reaction->n_products, added, r);
  put_modifiers(w, r);
  put(w, "        <kineticLaw>");
  if (reaction->mass_action || reaction->flows) put(w, "<annotation>");
  if (reaction->mass_action) put_mark(w, FF_SBML_MASS_ACTION);
  if (reaction->flows) put_mark(w, FF_SBML_FLOW);
  if (reaction->mass_action || reaction->flows) put(w, "</annotation>");
  put(w, MATH);
  set_owner(w, "reaction", reaction->name);
  ff_status status = reaction->mass_action ? put_mass_action(w, r) : put_math(w, &reaction->rate);
  put(w, "</math></kineticLaw>\n      </reaction>\n");
  return status;
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

/* Whether what an event sets is a value times this size at the time when the event happens. */
static int is_times(const ff_event_set *set, uint32_t cell, int late) {
  const ff_formula *f = set->factor.length > 0 ? &set->factor : &set->value;
  if (set->factor.length > 0) return f->word[0].symbol == cell;
  return late && f->length > 2 && f->word[f->length - 1].code == FF_F_MUL && f->word[f->length - 2].code == FF_F_SYMBOL &&
         f->word[f->length - 2].symbol == cell;
}

static ff_status cannot_say(const writer *w, const ff_event *event, uint32_t symbol) {
  const char *name = w->net->names[symbol];
  return ff_error_set(w->err, FF_EMODEL, "event %s sets %s by a factor; SBML can express this for a species, if the factor is a "
                      "variable, the same one in all events that set the species",
                      ff_quote(event->name, strlen(event->name)).text, ff_quote(name, strlen(name)).text);
}

/* Finds what events set, and the species whose concentrations they set: then a variable is the factor. */
static ff_status mark_sets(writer *w) {
  const ff_reactions *net = w->net;
  const uint32_t first = net->n_species + net->n_parameters; /* variable */
  for (uint32_t i = 0; i < net->n_species; i++) w->cell[i] = NONE;
  for (uint32_t e = 0; e < net->n_events; e++)
    for (uint32_t k = 0; k < net->events[e].n_sets; k++) {
      const ff_event_set *set = &net->events[e].sets[k];
      w->set[set->symbol] = 1;
      if (set->factor.length == 0) continue;
      const ff_formula_word *word = set->factor.word;
      if (set->symbol >= net->n_species || set->factor.length > 1 || word->code != FF_F_SYMBOL || word->symbol < first)
        return cannot_say(w, &net->events[e], set->symbol);
      w->cell[set->symbol] = word->symbol;
      w->holds[word->symbol - first] = 1;
    }
  for (uint32_t e = 0; e < net->n_events; e++)
    for (uint32_t k = 0; k < net->events[e].n_sets; k++) {
      const ff_event_set *set = &net->events[e].sets[k];
      const uint32_t cell = set->symbol < net->n_species ? w->cell[set->symbol] : NONE;
      if (cell != NONE && !is_times(set, cell, net->events[e].late)) return cannot_say(w, &net->events[e], set->symbol);
    }
  return FF_OK;
}

static ff_status put_element(writer *w, const char *element, const ff_formula *formula) {
  if (formula->length == 0) return FF_OK;
  put(w, "        <");
  put(w, element);
  put(w, ">" MATH);
  ff_status status = put_math(w, formula);
  put(w, "</math></");
  put(w, element);
  put(w, ">\n");
  return status;
}

static ff_status put_sets(writer *w, const ff_event *event) {
  ff_status status = FF_OK;
  if (event->n_sets > 0) put(w, "        <listOfEventAssignments>\n");
  for (uint32_t k = 0; k < event->n_sets && status == FF_OK; k++) {
    put_attribute(w, "          <eventAssignment variable=\"", w->ids[event->sets[k].symbol]);
    put(w, ">" MATH);
    ff_formula value = event->sets[k].value;
    const uint32_t symbol = event->sets[k].symbol;
    if (symbol < w->net->n_species && w->cell[symbol] != NONE && event->sets[k].factor.length == 0)
      value.length -= 2; /* without the size: see is_times() */
    status = put_math(w, &value);
    put(w, "</math></eventAssignment>\n");
  }
  if (event->n_sets > 0) put(w, "        </listOfEventAssignments>\n");
  return status;
}

static ff_status put_event(writer *w, uint32_t e) {
  const ff_event *event = &w->net->events[e];
  set_owner(w, "event", event->name);
  put(w, "      <event");
  put_id(w, w->n_symbols + w->net->n_reactions + e);
  put(w, event->late ? " useValuesFromTriggerTime=\"false\">\n" : " useValuesFromTriggerTime=\"true\">\n");
  put(w, event->initially ? "        <trigger initialValue=\"true\"" : "        <trigger initialValue=\"false\"");
  put(w, event->persistent ? " persistent=\"true\">" MATH : " persistent=\"false\">" MATH);
  ff_status status = put_math(w, &event->trigger);
  put(w, "</math></trigger>\n");
  if (status == FF_OK) status = put_element(w, "priority", &event->priority);
  if (status == FF_OK) status = put_element(w, "delay", &event->delay);
  if (status == FF_OK) status = put_sets(w, event);
  put(w, "      </event>\n");
  return status;
}

/* ---- the model ---------------------------------------------------------------------------------------------------------- */

static void put_cells(writer *w) {
  for (uint32_t v = 0; v < w->net->n_variables; v++) {
    if (!w->holds[v]) continue;
    put(w, "      <compartment");
    put_id(w, w->net->n_species + w->net->n_parameters + v);
    put(w, " spatialDimensions=\"3\" constant=\"false\"/>\n");
  }
}

static void put_species(writer *w, uint32_t i) {
  put(w, "      <species");
  put_id(w, i);
  put_attribute(w, " compartment=\"", w->ids[w->cell[i] == NONE ? w->n - 1 : w->cell[i]]);
  put(w, " initialAmount=\"");
  ff_out_number(&w->out, w->net->initial[i]);
  put(w, w->cell[i] == NONE ? "\" hasOnlySubstanceUnits=\"true\"" : "\" hasOnlySubstanceUnits=\"false\"");
  put(w, " boundaryCondition=\"");
  put(w, w->net->fixed[i] ? "true\"" : "false\"");
  put(w, w->net->fixed[i] && !w->set[i] ? " constant=\"true\"" : " constant=\"false\"");
  if (w->net->real == NULL || !w->net->real[i]) {
    put(w, "/>\n");
    return;
  }
  put(w, "><annotation>");
  put_mark(w, FF_SBML_CONTINUOUS);
  put(w, "</annotation></species>\n");
}

static void put_parameters(writer *w) {
  const ff_reactions *net = w->net;
  uint32_t n = net->n_parameters;
  for (uint32_t v = 0; v < net->n_variables; v++) n += !w->holds[v];
  if (n == 0) return;
  put(w, "    <listOfParameters>\n");
  for (uint32_t i = 0; i < net->n_parameters + net->n_variables; i++) {
    if (i >= net->n_parameters && w->holds[i - net->n_parameters]) continue;
    put(w, "      <parameter");
    put_id(w, net->n_species + i);
    if (i < net->n_parameters) {
      const double value = net->value[i];
      put(w, " value=\"");
      if (isinf(value))
        put(w, value > 0 ? "INF" : "-INF");
      else
        ff_out_number(&w->out, value);
      put(w, "\"");
    }
    const int constant = i < net->n_parameters && !w->set[net->n_species + i];
    put(w, constant ? " constant=\"true\"/>\n" : " constant=\"false\"/>\n");
  }
  put(w, "    </listOfParameters>\n");
}

static ff_status put_rules(writer *w) {
  const ff_reactions *net = w->net;
  ff_status status = FF_OK;
  if (net->n_variables > 0) put(w, "    <listOfRules>\n");
  for (uint32_t v = 0; v < net->n_variables && status == FF_OK; v++) {
    const uint32_t symbol = net->n_species + net->n_parameters + v;
    put_attribute(w, "      <assignmentRule variable=\"", w->ids[symbol]);
    put(w, ">" MATH);
    set_owner(w, "variable", net->names[symbol]);
    status = put_math(w, &net->variable[v]);
    put(w, "</math></assignmentRule>\n");
  }
  if (net->n_variables > 0) put(w, "    </listOfRules>\n");
  return status;
}

static ff_status put_all(writer *w) {
  put(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version2/core\" level=\"3\" version=\"2\">\n"
         "  <model>\n    <listOfCompartments>\n      <compartment");
  put_attribute(w, " id=\"", w->ids[w->n - 1]);
  put(w, " spatialDimensions=\"3\" size=\"1\" constant=\"true\"/>\n");
  put_cells(w);
  put(w, "    </listOfCompartments>\n    <listOfSpecies>\n");
  for (uint32_t i = 0; i < w->net->n_species; i++) put_species(w, i);
  put(w, "    </listOfSpecies>\n");
  put_parameters(w);
  ff_status status = put_rules(w);
  if (w->net->n_reactions > 0) put(w, "    <listOfReactions>\n");
  for (uint32_t r = 0; r < w->net->n_reactions && status == FF_OK; r++) status = put_reaction(w, r);
  if (w->net->n_reactions > 0) put(w, "    </listOfReactions>\n");
  if (w->net->n_events > 0) put(w, "    <listOfEvents>\n");
  for (uint32_t e = 0; e < w->net->n_events && status == FF_OK; e++) status = put_event(w, e);
  if (w->net->n_events > 0) put(w, "    </listOfEvents>\n");
  put(w, "  </model>\n</sbml>\n");
  return status == FF_OK ? w->out.status : status;
}

/* Adds a name to the table: `name`, or with '_' appended until it is new. */
static ff_status add_name(ff_build *names, const char *name, ff_error *err) {
  ff_out text = {.err = err};
  uint32_t at;
  int is_new = 0;
  ff_out_puts(&text, name[0] == '\0' ? "reaction" : name);
  ff_status status = text.status;
  while (status == FF_OK && !is_new) {
    status = ff_build_node(names, (ff_span){text.text, text.length}, &at, &is_new);
    if (!is_new) ff_out_puts(&text, "_");
    if (status == FF_OK) status = text.status;
  }
  free(text.text);
  return status;
}

/* Makes different names of all elements, and their ids. */
static ff_status make_ids(writer *w, ff_build *names) {
  const ff_reactions *net = w->net;
  ff_status status = FF_OK;
  w->n_symbols = net->n_species + net->n_parameters + net->n_variables;
  for (uint32_t i = 0; i < w->n_symbols && status == FF_OK; i++) status = add_name(names, net->names[i], w->err);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) status = add_name(names, net->reactions[r].name, w->err);
  for (uint32_t e = 0; e < net->n_events && status == FF_OK; e++) status = add_name(names, net->events[e].name, w->err);
  if (status == FF_OK) status = add_name(names, "cell", w->err);
  for (uint32_t i = 0; i < names->n_nodes && status == FF_OK; i++) status = ff_sbml_check_name(names->names[i], w->err);
  w->names = names->names;
  w->n = names->n_nodes;
  return status == FF_OK ? ff_sbml_ids(&w->ids, names->names, names->n_nodes, w->err) : status;
}

ff_status ff_io_sbml_reactions_text(char **text, const ff_reactions *net, ff_error *err) {
  writer w = {.out = {.err = err}, .net = net, .err = err};
  ff_build names = {.file = "network", .err = err};
  *text = NULL;
  w.mark = ff_calloc(net->n_species, sizeof *w.mark);
  w.set = ff_calloc((size_t)net->n_species + net->n_parameters + net->n_variables, 1);
  w.cell = ff_calloc(net->n_species, sizeof *w.cell);
  w.holds = ff_calloc(net->n_variables, 1);
  const int missing = w.mark == NULL || w.set == NULL || w.cell == NULL || w.holds == NULL;
  ff_status status = missing ? ff_error_set(err, FF_EMEMORY, "no memory to write a network") : make_ids(&w, &names);
  if (status == FF_OK) status = mark_sets(&w);
  if (status == FF_OK) status = put_all(&w);
  if (w.ids != NULL) ff_sbml_ids_free(w.ids, w.n);
  free(w.mark);
  free(w.set);
  free(w.cell);
  free(w.holds);
  ff_build_free(&names);
  if (status == FF_OK) return ff_out_finish(&w.out, text);
  free(w.out.text);
  return status;
}
