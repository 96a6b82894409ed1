/* A Petri net as one text, for tests of readers and writers. */
#ifndef FF_TESTS_PETRI_DESCRIBE_H
#define FF_TESTS_PETRI_DESCRIBE_H

#include "../../src/io/ff_io.h"
#include "check.h"

typedef struct {
  char *text;
  size_t length, capacity;
} description;

static inline void describe(description *to, const char *text) {
  const size_t length = strlen(text);
  if (to->length + length + 1 > to->capacity) to->text = realloc(to->text, to->capacity = 2 * (to->length + length + 1));
  memcpy(to->text + to->length, text, length + 1);
  to->length += length;
}

/* Adds a text that a function has made, with `before` and `after` it, and frees it; nothing if it is NULL. */
static inline void describe_made(description *to, ff_status status, const ff_error *err, const char *before, char *text,
                                 const char *after) {
  FF_CHECK_OK(status, err);
  if (status != FF_OK || text == NULL) return;
  describe(to, before);
  describe(to, text);
  describe(to, after);
  free(text);
}

static inline void describe_number(description *to, const char *before, double number) {
  char text[40];
  snprintf(text, sizeof text, "%s%.17g", before, number);
  describe(to, text);
}

static inline void describe_set(description *to, const ff_petri *net, uint32_t s) {
  const ff_colour_definition *set = &net->set[s];
  ff_error err;
  char *text;
  describe(to, s == 0 ? "" : " ");
  describe(to, set->name);
  describe(to, "=");
  for (uint32_t i = 0; i < set->n_values; i++) {
    if (set->value[i] >= FF_COLOUR_NAMES) describe(to, i == 0 ? "" : ",");
    if (set->value[i] >= FF_COLOUR_NAMES)
      describe(to, net->colour[set->value[i] - FF_COLOUR_NAMES]);
    else
      describe_number(to, i == 0 ? "" : ",", (double)set->value[i]);
  }
  if (set->kind == FF_SET_VALUES) return;
  const ff_status status = ff_petri_set_text(&text, net, s, &err);
  describe_made(to, status, &err, "", text, "");
}

static inline void describe_transition(description *to, const ff_petri *net, uint32_t t) {
  static const char *const kinds[] = {
#define FF_X(code, name, number) name,
      FF_PETRI_KINDS(FF_X)
#undef FF_X
  };
  ff_error err;
  char *text;
  ff_status status;
  describe(to, "\n");
  describe(to, kinds[net->transition[t].kind]);
  describe(to, " ");
  describe(to, net->transition[t].name);
  status = ff_petri_guard_text(&text, net, t, &err);
  describe_made(to, status, &err, " {", text, "}");
  status = ff_petri_equation_text(&text, net, t, &err);
  describe_made(to, status, &err, ": ", text, "");
  status = ff_petri_tests_text(&text, net, t, &err);
  describe_made(to, status, &err, " if ", text, "");
  status = ff_petri_resets_text(&text, net, t, &err);
  describe_made(to, status, &err, " reset ", text, "");
  for (uint32_t i = 0; i < net->transition[t].n_pieces; i++) {
    describe(to, " @");
    status = ff_petri_when_text(&text, net, t, i, &err);
    describe_made(to, status, &err, " [", text, "]");
    status = ff_petri_number_text(&text, net, t, i, &err);
    describe_made(to, status, &err, " ", text, net->transition[t].piece[i].mass_action ? " *" : "");
  }
  for (int i = 0; i < 3; i++) {
    status = ff_petri_at_text(&text, net, t, i, &err);
    describe_made(to, status, &err, " at ", text, "");
  }
}

/* Sets; indices; functions; parameters; places (~ if continuous); markings; variables; transitions. The caller frees the text. */
static inline char *describe_net(const ff_petri *net) {
  description to = {NULL, 0, 0};
  ff_error err;
  char *text, *when, *value;
  ff_status status;
  for (uint32_t s = 0; s < net->n_sets; s++) describe_set(&to, net, s);
  describe(&to, " |");
  for (uint32_t i = 0; i < net->n_indices; i++) {
    describe(&to, " ");
    describe(&to, net->index[i].name);
    describe(&to, ":");
    describe(&to, net->set[net->index[i].set].name);
  }
  describe(&to, " |");
  for (uint32_t i = 0; i < net->n_functions; i++) {
    ff_colour_scope scope = ff_petri_scope(net);
    scope.within = &net->function[i];
    status = ff_colour_text(&text, &net->function[i].value, FF_COLOUR_R, &scope, &err);
    describe(&to, " ");
    describe(&to, net->function[i].name);
    describe_made(&to, status, &err, "()=", text, "");
  }
  describe(&to, " |");
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    describe(&to, " ");
    describe(&to, net->parameter[i]);
    describe_number(&to, "=", net->value[i]);
  }
  describe(&to, " |");
  for (uint32_t i = 0; i < net->n_places; i++) {
    describe(&to, " ");
    describe(&to, net->place[i].name);
    if (net->place[i].set != FF_PETRI_NONE) describe(&to, ":");
    if (net->place[i].set != FF_PETRI_NONE) describe(&to, net->set[net->place[i].set].name);
    describe(&to, net->place[i].continuous ? "~" : "");
  }
  describe(&to, " |");
  for (uint32_t i = 0; i < net->n_markings; i++) {
    status = ff_petri_marking_text(&text, &when, &value, net, i, &err);
    describe_made(&to, status, &err, i == 0 ? " " : "; ", text, "");
    describe_made(&to, status, &err, " when ", when, "");
    describe_made(&to, status, &err, net->marking[i].adds ? " += " : " = ", value, "");
  }
  describe(&to, " |");
  for (uint32_t i = 0; i < net->n_variables; i++) {
    status = ff_petri_variable_value_text(&text, net, i, &err);
    describe(&to, " ");
    describe(&to, net->variable[i].name);
    describe_made(&to, status, &err, " := ", text, ";");
  }
  for (uint32_t t = 0; t < net->n_transitions; t++) describe_transition(&to, net, t);
  return to.text;
}

#endif
