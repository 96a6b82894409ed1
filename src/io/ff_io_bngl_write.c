/* Writes BioNetGen's network format. A rate constant there is a parameter or a function, and functions name species by groups. */
#include "ff_io_formats.h"
#include "../model/ff_parse.h"
#include "ff_io_bngl.h"
#include "sbml/ff_io_sbml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { CONSTANT, GROUP, FUNCTION } kind; /* what a variable is written as */

typedef struct {
  ff_out out;
  const ff_reactions *net;
  char **ids;      /* of symbols */
  char **shown;    /* of symbols in formulas: a species is named by its group */
  ff_names *names; /* the table of `shown` */
  uint32_t n_symbols, first; /* the number of symbols, and the first variable */
  char prefix[40]; /* no id begins with it */
  uint8_t *kinds;  /* of variables */
  uint8_t *counted; /* 1 for species that a formula names, so that they need a group */
  uint32_t *order; /* of variables */
  double *constant; /* the different numbers that are rate constants, ascending */
  size_t n_constants;
  char owner[FF_QUOTE_SIZE + 20]; /* for messages: whose formula is written */
  ff_error *err;
} writer;

static void put(writer *w, const char *text) { ff_out_puts(&w->out, text); }
static void put_own(writer *w, const char *what, uint64_t number) {
  put(w, w->prefix);
  put(w, what);
  ff_out_count(&w->out, number);
}

static void set_owner(writer *w, const char *what, const char *name) {
  snprintf(w->owner, sizeof w->owner, "%s %s", what, ff_quote(name, strlen(name)).text);
}

/* The start of a line: a blank and its number. */
static void put_line(writer *w, uint64_t number) {
  put(w, "  ");
  ff_out_count(&w->out, number);
  put(w, " ");
}

/* ---- what variables and rates are ---------------------------------------------------------------------------------------- */

/* Whether a formula is a sum of species, each with an optional weight. */
static int is_group(const ff_reactions *net, const ff_formula *formula) {
  const ff_formula_word *word = formula->word;
  if (formula->length == 1 && word[0].code == FF_F_NUMBER) return word[0].number == 0;
  for (uint32_t at = 0, terms = 0; at < formula->length; terms++) {
    const int weighted = word[at].code == FF_F_NUMBER;
    if (weighted && (at + 2 >= formula->length || word[at + 2].code != FF_F_MUL || !isfinite(word[at].number))) return 0;
    at += (uint32_t)weighted;
    if (word[at].code != FF_F_SYMBOL || word[at].symbol >= net->n_species) return 0;
    at += weighted ? 2 : 1;
    if (terms > 0 && (at == formula->length || word[at++].code != FF_F_ADD)) return 0;
  }
  return 1;
}

static kind kind_of(const writer *w, const ff_formula *formula) {
  if (is_group(w->net, formula)) return GROUP;
  if (ff_formula_has_time(formula)) return FUNCTION;
  for (uint32_t i = 0; i < formula->length; i++) {
    const uint32_t symbol = formula->word[i].symbol;
    if (formula->word[i].code != FF_F_SYMBOL) continue;
    if (symbol < w->net->n_species || (symbol >= w->first && w->kinds[symbol - w->first] != CONSTANT)) return FUNCTION;
  }
  return CONSTANT;
}

/* A number divided by n! for each reactant that occurs n times: BioNetGen multiplies a constant by these. */
static double divided_for(const ff_reaction *reaction, double number) {
  for (uint32_t i = 0; i < reaction->n_reactants; i++)
    for (uint32_t k = 2; k <= reaction->reactants[i].count && number != 0; k++) number /= k;
  return number;
}

/* The factor and the symbol of a rate such as 0.5 * k that needs no function of its own, or 0. A number has no symbol. */
static int simple_rate(const writer *w, const ff_reaction *reaction, double *factor, uint32_t *symbol) {
  const ff_formula_word *word = reaction->rate.word;
  const uint32_t n = reaction->rate.length;
  const int product = n == 3 && word[0].code == FF_F_NUMBER && word[2].code == FF_F_MUL;
  const ff_formula_word *name = n == 1 ? word : product ? word + 1 : NULL;
  if (!reaction->mass_action || name == NULL) return 0;
  *factor = divided_for(reaction, n == 3 ? word[0].number : 1);
  *symbol = UINT32_MAX;
  if (n == 1 && name->code == FF_F_NUMBER) return 1;
  *symbol = name->symbol;
  if (name->code != FF_F_SYMBOL || *symbol < w->net->n_species) return 0;
  return *symbol < w->first || w->kinds[*symbol - w->first] != GROUP;
}

static void mark_species(writer *w, const ff_formula *formula) {
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL && formula->word[i].symbol < w->net->n_species)
      w->counted[formula->word[i].symbol] = 1;
}

static int ascending(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void classify(writer *w) {
  const ff_reactions *net = w->net;
  double factor;
  uint32_t symbol;
  size_t n = 0;
  for (uint32_t i = 0; i < net->n_variables; i++) {
    const uint32_t v = w->order[i];
    w->kinds[v] = (uint8_t)kind_of(w, &net->variable[v]);
    if (w->kinds[v] == FUNCTION) mark_species(w, &net->variable[v]);
  }
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    if (simple_rate(w, reaction, &factor, &symbol)) {
      if (symbol == UINT32_MAX) w->constant[n++] = reaction->rate.word[0].number;
      continue;
    }
    mark_species(w, &reaction->rate);
    for (uint32_t i = 0; !reaction->mass_action && i < reaction->n_reactants; i++) w->counted[reaction->reactants[i].species] = 1;
  }
  if (n > 1) qsort(w->constant, n, sizeof *w->constant, ascending);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || w->constant[i] != w->constant[i - 1]) w->constant[w->n_constants++] = w->constant[i];
}

static size_t number_of_constant(const writer *w, double value) {
  return (size_t)((const double *)bsearch(&value, w->constant, w->n_constants, sizeof value, ascending) - w->constant) + 1;
}

/* ---- formulas ----------------------------------------------------------------------------------------------------------- */

static ff_status check_formula(const writer *w, const ff_formula *formula) {
  static const uint8_t missing[] = {FF_F_FLOOR, FF_F_CEILING, FF_F_EXPM1, FF_F_LOG1P, FF_F_NOT};
  static const char *const names[] = {"floor()", "ceiling()", "expm1()", "log1p()", "!"};
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = &formula->word[i];
    if (word->code == FF_F_NUMBER && !isfinite(word->number))
      return ff_error_set(w->err, FF_EMODEL, "%s: the formula has the number %s, which BioNetGen's format cannot express",
                          w->owner, ff_show(word->number, 6).text);
    for (size_t k = 0; k < sizeof missing; k++)
      if (word->code == missing[k])
        return ff_error_set(w->err, FF_EMODEL, "%s: the formula has %s, which BioNetGen's format cannot express", w->owner,
                            names[k]);
  }
  return FF_OK;
}

/* Writes a word that is like a name. Functions of the network are called with (). */
static void put_word(writer *w, ff_span word, int call) {
  const int64_t at = call ? -1 : ff_names_find(w->names, word.text, word.length);
  if (call && word.length == 3 && memcmp(word.text, "log", 3) == 0)
    put(w, "ln");
  else
    ff_out_add(&w->out, word);
  if (at >= w->first && w->kinds[at - w->first] == FUNCTION) put(w, "()");
}

static ff_status put_formula(writer *w, const ff_formula *formula) {
  char *text;
  ff_status status = check_formula(w, formula);
  if (status == FF_OK) status = ff_formula_text(&text, formula, w->shown, w->err);
  if (status != FF_OK) return status;
  for (ff_span rest = ff_span_of(text); rest.length > 0;) {
    const char *at = rest.text;
    size_t used = ff_bngl_name_length(rest), number = ff_decimal_length(at, rest.length);
    if (used > 0) {
      put_word(w, (ff_span){at, used}, at[used] == '(');
    } else if (number > 0) { /* its exponent is no name */
      used = number;
      ff_out_add(&w->out, (ff_span){at, used});
    } else {
      used = 1;
      if (*at == '&' || *at == '|') put(w, *at == '&' ? "&" : "|"); /* && and || */
      if (*at != '`') ff_out_add(&w->out, (ff_span){at, 1});
    }
    rest = ff_span_after(rest, used);
  }
  free(text);
  return w->out.status;
}

/* Whether the rate is the whole propensity, and BioNetGen multiplies it with counts. */
static int is_divided(const writer *w, const ff_reaction *reaction) {
  for (uint32_t i = 0; !reaction->mass_action && i < reaction->n_reactants; i++)
    if (!w->net->fixed[reaction->reactants[i].species]) return 1;
  return 0;
}

/* Whether the whole propensity needs a function of its own: it is no variable that is one. */
static int has_own_law(const writer *w, uint32_t r) {
  const ff_formula *rate = &w->net->reactions[r].rate;
  const uint32_t symbol = rate->word[0].symbol;
  return rate->length != 1 || rate->word[0].code != FF_F_SYMBOL || symbol < w->first || w->kinds[symbol - w->first] != FUNCTION;
}

static void put_law_name(writer *w, uint32_t r) {
  if (has_own_law(w, r))
    put_own(w, "law", r + 1);
  else
    put(w, w->ids[w->net->reactions[r].rate.word[0].symbol]);
}

/* The whole propensity, divided by what BioNetGen multiplies it with. */
static ff_status put_divided(writer *w, uint32_t r) {
  const ff_reaction *reaction = &w->net->reactions[r];
  char text[40];
  int any = 0;
  for (int part = 0; part < 2; part++) { /* the condition, and the divisor */
    for (uint32_t i = 0; i < reaction->n_reactants; i++) {
      const ff_participant *reactant = &reaction->reactants[i];
      const char *name = w->shown[reactant->species];
      if (w->net->fixed[reactant->species]) continue;
      if (part == 0) {
        put(w, any ? "&&(" : "if((");
        put(w, name);
        snprintf(text, sizeof text, ">=%u)", reactant->count);
        put(w, text);
      }
      for (uint32_t k = 0; part == 1 && k < reactant->count; k++) {
        snprintf(text, sizeof text, "-%u)", k);
        put(w, k > 0 ? "/(" : "/");
        put(w, name);
        if (k > 0) put(w, text);
      }
      any = 1;
    }
    if (part == 1) break;
    put(w, ",");
    put_law_name(w, r);
    put(w, "()");
  }
  put(w, ",0)");
  return w->out.status;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------- */

/* A line with a variable, which is a parameter or a function; `after` follows its name. */
static ff_status put_variable(writer *w, uint64_t line, uint32_t v, const char *after) {
  put_line(w, line);
  put(w, w->ids[w->first + v]);
  put(w, after);
  set_owner(w, "variable", w->net->names[w->first + v]);
  ff_status status = put_formula(w, &w->net->variable[v]);
  put(w, "\n");
  return status;
}

static ff_status put_parameters(writer *w) {
  const ff_reactions *net = w->net;
  ff_status status = FF_OK;
  uint64_t n = 0;
  put(w, "begin parameters\n");
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    if (!isfinite(net->value[i]))
      return ff_error_set(w->err, FF_EMODEL, "parameter %s is %s, which BioNetGen's format cannot express",
                          ff_quote(net->names[net->n_species + i], strlen(net->names[net->n_species + i])).text,
                          ff_show(net->value[i], 6).text);
    put_line(w, ++n);
    put(w, w->ids[net->n_species + i]);
    put(w, " ");
    ff_out_number(&w->out, net->value[i]);
    put(w, "\n");
  }
  for (size_t i = 0; i < w->n_constants; i++) {
    put_line(w, ++n);
    put_own(w, "k", i + 1);
    put(w, " ");
    ff_out_number(&w->out, w->constant[i]);
    put(w, "\n");
  }
  for (uint32_t i = 0; i < net->n_variables && status == FF_OK; i++)
    if (w->kinds[w->order[i]] == CONSTANT) status = put_variable(w, ++n, w->order[i], " ");
  put(w, "end parameters\n");
  return status;
}

/* A line with the whole propensity, unless a variable is it. */
static ff_status put_law(writer *w, uint64_t *n, uint32_t r) {
  if (!has_own_law(w, r)) return FF_OK;
  put_line(w, ++*n);
  put_law_name(w, r);
  put(w, "() ");
  ff_status status = put_formula(w, &w->net->reactions[r].rate);
  put(w, "\n");
  return status;
}

static ff_status put_functions(writer *w) {
  const ff_reactions *net = w->net;
  ff_status status = FF_OK;
  uint64_t n = 0;
  double factor;
  uint32_t symbol;
  put(w, "begin functions\n");
  for (uint32_t i = 0; i < net->n_variables && status == FF_OK; i++)
    if (w->kinds[w->order[i]] == FUNCTION) status = put_variable(w, ++n, w->order[i], "() ");
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    if (simple_rate(w, reaction, &factor, &symbol)) continue;
    const int divided = is_divided(w, reaction);
    set_owner(w, "reaction", reaction->name);
    if (divided) status = put_law(w, &n, r);
    put_line(w, ++n);
    put_own(w, "rate", r + 1);
    put(w, "() ");
    if (status == FF_OK) status = divided ? put_divided(w, r) : put_formula(w, &reaction->rate);
    put(w, "\n");
  }
  put(w, "end functions\n");
  return status;
}

/* The pattern of a species is its name, unless the format would read this as something else. */
static void put_species(writer *w) {
  const ff_reactions *net = w->net;
  put(w, "begin species\n");
  for (uint32_t i = 0; i < net->n_species; i++) {
    const char *name = net->names[i];
    put_line(w, (uint64_t)i + 1);
    if (net->fixed[i]) put(w, "$");
    put(w, strpbrk(name, " \t\r\n\v\f#$@") == NULL ? name : w->ids[i]);
    put(w, " ");
    ff_out_number(&w->out, net->initial[i]);
    put(w, "\n");
  }
  put(w, "end species\n");
}

/* Without mass action, fixed species have no effect, and BioNetGen would multiply with them. */
static void put_side(writer *w, const ff_reaction *reaction, const ff_participant *all, uint32_t n) {
  int any = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (w->net->fixed[all[i].species] && !reaction->mass_action) continue;
    for (uint32_t k = 0; k < all[i].count; k++) {
      if (any) put(w, ",");
      ff_out_count(&w->out, (uint64_t)all[i].species + 1);
      any = 1;
    }
  }
  put(w, any ? " " : "0 ");
}

static ff_status put_reactions(writer *w) {
  put(w, "begin reactions\n");
  for (uint32_t r = 0; r < w->net->n_reactions; r++) {
    const ff_reaction *reaction = &w->net->reactions[r];
    double factor = 1;
    uint32_t symbol;
    uint64_t molecules = 0;
    for (uint32_t i = 0; i < reaction->n_reactants; i++) molecules += reaction->reactants[i].count;
    for (uint32_t i = 0; i < reaction->n_products; i++) molecules += reaction->products[i].count;
    if (molecules > 100000)
      return ff_error_set(w->err, FF_EMODEL, "reaction %s has %llu molecules; at most 100,000 are written to BioNetGen's format",
                          ff_quote(reaction->name, strlen(reaction->name)).text, (unsigned long long)molecules);
    put_line(w, (uint64_t)r + 1);
    put_side(w, reaction, reaction->reactants, reaction->n_reactants);
    put_side(w, reaction, reaction->products, reaction->n_products);
    const int simple = simple_rate(w, reaction, &factor, &symbol);
    if (!simple) factor = reaction->mass_action ? divided_for(reaction, 1) : 1;
    if (factor != 1) ff_out_number(&w->out, factor);
    if (factor != 1) put(w, "*");
    if (!simple)
      put_own(w, "rate", r + 1);
    else if (symbol == UINT32_MAX)
      put_own(w, "k", number_of_constant(w, reaction->rate.word[0].number));
    else
      put(w, w->ids[symbol]);
    if (is_divided(w, reaction)) {
      put(w, " #" FF_BNGL_MARK " ");
      put_law_name(w, r);
    }
    put(w, "\n");
  }
  put(w, "end reactions\n");
  return w->out.status;
}

static void put_groups(writer *w) {
  const ff_reactions *net = w->net;
  uint64_t n = 0;
  put(w, "begin groups\n");
  for (uint32_t v = 0; v < net->n_variables; v++) {
    if (w->kinds[v] != GROUP) continue;
    const ff_formula *formula = &net->variable[v];
    put_line(w, ++n);
    put(w, w->ids[w->first + v]);
    for (uint32_t i = 0, terms = 0; i < formula->length; i++) {
      const ff_formula_word *word = &formula->word[i];
      const int weighted = i > 0 && formula->word[i - 1].code == FF_F_NUMBER;
      if (word->code != FF_F_SYMBOL) continue;
      put(w, terms++ == 0 ? " " : ",");
      if (weighted) ff_out_number(&w->out, formula->word[i - 1].number);
      if (weighted) put(w, "*");
      ff_out_count(&w->out, (uint64_t)word->symbol + 1);
    }
    put(w, "\n");
  }
  for (uint32_t i = 0; i < net->n_species; i++) {
    if (!w->counted[i]) continue;
    put_line(w, ++n);
    put(w, w->shown[i]);
    put_line(w, (uint64_t)i + 1);
    put(w, "\n");
  }
  put(w, "end groups\n");
}

/* ---- the network -------------------------------------------------------------------------------------------------------- */

static ff_status make_names(writer *w) {
  const ff_reactions *net = w->net;
  ff_status status = ff_sbml_ids(&w->ids, net->names, w->n_symbols, w->err);
  strcpy(w->prefix, "_");
  for (uint32_t i = 0; status == FF_OK && i < w->n_symbols; i++)
    while (strncmp(w->ids[i], w->prefix, strlen(w->prefix)) == 0) {
      if (strlen(w->prefix) + 2 > sizeof w->prefix)
        return ff_error_set(w->err, FF_EMODEL, "a name begins with more than 38 underscores");
      strcat(w->prefix, "_");
    }
  for (uint32_t i = 0; status == FF_OK && i < w->n_symbols; i++) {
    char group[80];
    snprintf(group, sizeof group, "%sn%u", w->prefix, i + 1);
    status = ff_name_copy(&w->shown[i], i < net->n_species ? group : w->ids[i], w->err);
  }
  return status == FF_OK ? ff_names_new(&w->names, w->shown, w->n_symbols, "names", w->err) : status;
}

static ff_status put_all(writer *w) {
  ff_status status = make_names(w);
  if (status == FF_OK) status = ff_reactions_order(&w->order, w->net, w->err);
  if (status != FF_OK) return status;
  classify(w);
  put(w, "# Created by fireflip\n");
  status = put_parameters(w);
  if (status == FF_OK) status = put_functions(w);
  if (status != FF_OK) return status;
  put_species(w);
  status = put_reactions(w);
  put_groups(w);
  return status == FF_OK ? w->out.status : status;
}

/* The format has no events. They are refused, never left out. */
static ff_status check_events(const ff_reactions *net, ff_error *err) {
  if (net->n_events == 0) return FF_OK;
  const char *name = net->events[0].name;
  return ff_error_set(err, FF_EMODEL, "event %s: BioNetGen's format cannot express events; SBML can",
                      ff_quote(name, strlen(name)).text);
}

ff_status ff_io_bngl_text(char **text, const ff_reactions *net, ff_error *err) {
  writer w = {.out = {.err = err}, .net = net, .err = err};
  *text = NULL;
  ff_status checked = check_events(net, err);
  if (checked != FF_OK) return checked;
  w.first = net->n_species + net->n_parameters;
  w.n_symbols = w.first + net->n_variables;
  w.shown = ff_calloc(w.n_symbols, sizeof *w.shown);
  w.kinds = ff_calloc(net->n_variables, 1);
  w.counted = ff_calloc(net->n_species, 1);
  w.constant = ff_calloc(net->n_reactions, sizeof *w.constant);
  ff_status status = w.shown != NULL && w.kinds != NULL && w.counted != NULL && w.constant != NULL
                         ? put_all(&w)
                         : ff_error_set(err, FF_EMEMORY, "no memory to write a network");
  for (uint32_t i = 0; w.shown != NULL && i < w.n_symbols; i++) free(w.shown[i]);
  if (w.ids != NULL) ff_sbml_ids_free(w.ids, w.n_symbols);
  ff_names_free(w.names);
  free(w.shown);
  free(w.kinds);
  free(w.counted);
  free(w.constant);
  free(w.order);
  if (status == FF_OK) return ff_out_finish(&w.out, text);
  free(w.out.text);
  return status;
}
