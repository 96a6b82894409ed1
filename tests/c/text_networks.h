/* Networks from texts, with parameters, variables and events. Each line is a list of fields with semicolons between them:
 *
 *   species;NAME;COUNT
 *   fixed;NAME;COUNT             a species that reactions do not change
 *   parameter;NAME;VALUE
 *   variable;NAME;FORMULA
 *   reaction;EQUATION;RATE       mass action
 *   law;EQUATION;FORMULA
 *   event;NAME;CONDITION;DELAY;PRIORITY;FLAGS;SYMBOL;FORMULA;SYMBOL;FORMULA ...
 *
 * The formula of what an event sets may be VALUE @ FACTOR. Delay and priority may be empty. The flags are letters: i if the
 * condition was true before time 0, f if the event does not happen when its condition becomes false before, l if its values are
 * computed when it happens. bench/write_plain.R writes such texts. */
#ifndef FF_TESTS_TEXT_NETWORKS_H
#define FF_TESTS_TEXT_NETWORKS_H

#include "../../src/model/reactions/ff_reactions.h"
#include "check.h"

#define TEXT_FIELDS 256
#define TEXT_LONGEST 16384

typedef struct {
  char text[TEXT_LONGEST], *field[TEXT_FIELDS];
  uint32_t n;
} text_line;

/* Reads the line at *at, and moves on. Returns 0 at the end. */
static inline int text_next(text_line *line, const char **at) {
  const size_t length = strcspn(*at, "\n");
  if (**at == '\0') return 0;
  FF_CHECK(length < TEXT_LONGEST);
  memcpy(line->text, *at, length);
  line->text[length] = '\0';
  *at += length + ((*at)[length] == '\n');
  line->n = 0;
  for (char *field = line->text; field != NULL && line->n < TEXT_FIELDS; line->n++) {
    line->field[line->n] = field;
    field = strchr(field, ';');
    if (field != NULL) *field++ = '\0';
  }
  for (uint32_t i = line->n; i < TEXT_FIELDS; i++) line->field[i] = line->text + length;
  return 1;
}

static inline int text_is(const text_line *line, const char *kind) { return strcmp(line->field[0], kind) == 0; }

static inline void text_formula(ff_formula *out, const char *text, ff_names *names) {
  ff_error err;
  *out = (ff_formula){0};
  if (text[0] == '\0') return;
  FF_CHECK_OK(ff_formula_parse(out, text, strlen(text), ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
}

static inline void text_reaction(ff_reactions *net, uint32_t r, const text_line *line, ff_names *species, ff_names *names) {
  char name[16];
  ff_error err;
  int both;
  snprintf(name, sizeof name, "R%u", r + 1);
  net->reactions[r].name = ff_strndup(name, strlen(name));
  net->reactions[r].mass_action = text_is(line, "reaction");
  FF_CHECK_OK(ff_reactions_equation(net, r, line->field[1], species, (ff_place){NULL, 0}, &both, &err), &err);
  text_formula(&net->reactions[r].rate, line->field[2], names);
}

static inline void text_event(ff_event *event, text_line *line, ff_names *names) {
  ff_error err;
  FF_CHECK_OK(ff_event_add_sets(event, (line->n - 6) / 2, &err), &err);
  event->name = ff_strndup(line->field[1], strlen(line->field[1]));
  text_formula(&event->trigger, line->field[2], names);
  text_formula(&event->delay, line->field[3], names);
  text_formula(&event->priority, line->field[4], names);
  event->initially = strchr(line->field[5], 'i') != NULL;
  event->persistent = strchr(line->field[5], 'f') == NULL;
  event->late = strchr(line->field[5], 'l') != NULL;
  for (uint32_t i = 0; i < event->n_sets; i++) {
    const int64_t symbol = ff_names_find(names, line->field[6 + 2 * i], strlen(line->field[6 + 2 * i]));
    FF_CHECK_SAY(symbol >= 0, "%s", line->field[6 + 2 * i]);
    event->sets[i].symbol = (uint32_t)symbol;
    char *const value = line->field[7 + 2 * i], *const mark = strchr(value, '@');
    if (mark != NULL) *mark = '\0';
    text_formula(&event->sets[i].value, value, names);
    if (mark != NULL) text_formula(&event->sets[i].factor, mark + 1, names);
  }
}

/* Sets names and numbers: species first, then parameters, then variables. */
static inline void text_symbols(ff_reactions *net, const char *text) {
  uint32_t s = 0, p = net->n_species, v = p + net->n_parameters;
  static text_line line;
  while (text_next(&line, &text)) {
    const int fixed = text_is(&line, "fixed"), species = fixed || text_is(&line, "species");
    const int parameter = text_is(&line, "parameter");
    if (!species && !parameter && !text_is(&line, "variable")) continue;
    const uint32_t at = species ? s++ : parameter ? p++ : v++;
    net->names[at] = ff_strndup(line.field[1], strlen(line.field[1]));
    if (species) net->initial[at] = strtod(line.field[2], NULL);
    if (species) net->fixed[at] = (uint8_t)fixed;
    if (parameter) net->value[at - net->n_species] = strtod(line.field[2], NULL);
  }
}

static inline ff_reactions *network_of_text(const char *text) {
  static const char *const kinds[] = {"species", "fixed", "parameter", "variable", "reaction", "law", "event"};
  static text_line line;
  uint32_t n[7] = {0}, r = 0, v = 0, e = 0;
  ff_reactions *net;
  ff_names *species, *names;
  ff_error err;
  for (const char *at = text; text_next(&line, &at);)
    for (int k = 0; k < 7; k++) n[k] += text_is(&line, kinds[k]);
  FF_CHECK_OK(ff_reactions_new(&net, n[0] + n[1], n[2], n[4] + n[5], &err), &err);
  FF_CHECK_OK(ff_reactions_add_variables(net, n[3], &err), &err);
  FF_CHECK_OK(ff_reactions_add_events(net, n[6], &err), &err);
  text_symbols(net, text);
  FF_CHECK_OK(ff_names_new(&species, net->names, n[0] + n[1], "species", &err), &err);
  FF_CHECK_OK(ff_names_new(&names, net->names, n[0] + n[1] + n[2] + n[3], "symbols", &err), &err);
  for (const char *at = text; text_next(&line, &at);) {
    if (text_is(&line, "reaction") || text_is(&line, "law")) text_reaction(net, r++, &line, species, names);
    if (text_is(&line, "variable")) text_formula(&net->variable[v++], line.field[2], names);
    if (text_is(&line, "event")) text_event(&net->events[e++], &line, names);
  }
  ff_names_free(species);
  ff_names_free(names);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

#endif
