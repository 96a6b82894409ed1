/* What the tests of readers share: texts, and the reaction networks or the errors that they must give. */
#ifndef FF_TESTS_REACTION_EXAMPLES_H
#define FF_TESTS_REACTION_EXAMPLES_H

#include "../../src/io/ff_io.h"
#include "check.h"
#include "corpus.h"
#include "reactions_text.h"

/* A text, and what it must give: the description of a network, or a message. */
typedef struct {
  const char *text, *want;
} example;

#define COUNT_OF(examples) (sizeof(examples) / sizeof(examples)[0])

static inline void put(char *out, size_t size, const char *text) { strncat(out, text, size - strlen(out) - 1); }

static inline void put_formula(char *out, size_t size, const char *before, const ff_formula *formula, const ff_reactions *net) {
  ff_error err;
  char *text;
  if (formula->length == 0) return;
  FF_CHECK_OK(ff_formula_text(&text, formula, net->names, &err), &err);
  put(out, size, before);
  put(out, size, text);
  free(text);
}

/* " event e when time() >= 5 after 2 priority 1: A = 3 times c, v = k" */
static inline void describe_event(char *out, size_t size, const ff_reactions *net, const ff_event *event) {
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
    put_formula(out, size, " times ", &event->sets[i].factor, net);
  }
}

/* " R1: A -> 0 @ k" */
static inline void describe_reaction(char *out, size_t size, const ff_reactions *net, uint32_t r) {
  ff_error err;
  char *equation;
  FF_CHECK_OK(ff_reactions_equation_text(&equation, net, r, &err), &err);
  put(out, size, " ");
  put(out, size, net->reactions[r].name);
  put(out, size, ": ");
  put(out, size, equation);
  put_formula(out, size, " @ ", &net->reactions[r].rate, net);
  free(equation);
}

/* The network as text: species with counts (! if fixed), parameters, then variables, reactions and events. */
static inline void describe(char *out, size_t size, const ff_reactions *net) {
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
    put(out, size, " ");
    put(out, size, net->names[net->n_species + net->n_parameters + v]);
    put_formula(out, size, " := ", &net->variable[v], net);
    put(out, size, ";");
  }
  for (uint32_t r = 0; r < net->n_reactions; r++) describe_reaction(out, size, net, r);
  for (uint32_t e = 0; e < net->n_events; e++) describe_event(out, size, net, &net->events[e]);
}

/* The format is recognised. Rates in SBML are formulas; those in BioNetGen's format are of mass action. */
static inline ff_reactions *parse_network(const char *text, ff_format format) {
  ff_error err;
  ff_io_model model;
  ff_format found;
  FF_CHECK_OK(ff_io_parse_model(&model, &found, text, strlen(text), "net", FF_FORMAT_AUTO, &err), &err);
  FF_CHECK(model.pbn == NULL && found == format);
  for (uint32_t r = 0; model.reactions != NULL && r < model.reactions->n_reactions; r++)
    FF_CHECK_INT(model.reactions->reactions[r].mass_action, format == FF_FORMAT_BNGL);
  return model.reactions;
}

static inline void reads_as(const example *examples, size_t n, ff_format format) {
  char got[4000];
  for (size_t i = 0; i < n; i++) {
    ff_reactions *net = parse_network(examples[i].text, format);
    if (net == NULL) continue;
    describe(got, sizeof got, net);
    FF_CHECK_STR(got, examples[i].want);
    FF_CHECK_SAY(keeps_its_text(net), "%s", got);
    ff_reactions_free(net);
  }
}

static inline void fails(const example *examples, size_t n, ff_format format, ff_status status) {
  for (size_t i = 0; i < n; i++) {
    ff_error err = {0};
    ff_io_model model;
    ff_status got = ff_io_parse_model(&model, NULL, examples[i].text, strlen(examples[i].text), "net", format, &err);
    FF_CHECK_SAY(got == status, "%s for \"%s\"", ff_status_name(got), examples[i].want);
    FF_CHECK_STR(got == FF_OK ? "" : err.text, examples[i].want);
    FF_CHECK(model.pbn == NULL && model.reactions == NULL);
    ff_io_model_free(&model);
  }
}

/* If the caller gives the count of `name`, the first two species have the counts that are wanted. Otherwise, the file fails. */
static inline void reads_given(const char *text, ff_format format, const char *name, double first, double second) {
  ff_error err = {0};
  ff_io_model model;
  char *const names[] = {(char *)name};
  ff_names *given = NULL;
  FF_CHECK(ff_io_parse_given(&model, NULL, text, strlen(text), "net", format, NULL, &err) != FF_OK);
  FF_CHECK(model.reactions == NULL);
  FF_CHECK_OK(ff_names_new(&given, names, 1, "species", &err), &err);
  FF_CHECK_OK(ff_io_parse_given(&model, NULL, text, strlen(text), "net", format, &(ff_io_given){.counts = given}, &err), &err);
  ff_names_free(given);
  if (model.reactions == NULL) return;
  FF_CHECK(model.reactions->initial[0] == first && model.reactions->initial[1] == second);
  ff_io_model_free(&model);
}

/* A file of the corpus, which must be readable unless its name begins with "crash". */
static inline void replay_network(const char *path, ff_format format) {
  ff_error err;
  ff_io_model model;
  ff_status status = ff_io_read_model(&model, NULL, path, format, &err);
  corpus_check_message(path, status, &err);
  if (strstr(path, "/crash") == NULL) FF_CHECK_OK(status, &err);
  if (status == FF_OK) FF_CHECK_SAY(model.reactions != NULL && keeps_its_text(model.reactions), "%s", path);
  ff_io_model_free(&model);
}

#endif
