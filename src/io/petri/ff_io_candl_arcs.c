/* Markings, guards, inscriptions and rates of a Petri net that is read. */
#include "ff_io_candl_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ALL 4096u /* colours of an arc that has all of a place */

/* A part of a marking or an inscription: [predicate] count`colour. */
typedef struct {
  ff_span predicate, count, colour;
} term;

static ff_status take_term(ff_candl *candl, term *out, ff_span part, ff_place place) {
  *out = (term){0};
  ff_span rest = part;
  if (!ff_candl_predicate(&rest, &out->predicate)) return ff_io_found(candl->err, place, part, "\"]\" after a predicate");
  const size_t tick = ff_candl_find(rest, 0, "`");
  out->colour = rest;
  if (tick < rest.length) {
    out->count = ff_span_trim((ff_span){rest.text, tick});
    out->colour = ff_span_trim(ff_span_after(rest, tick + 1));
    if (out->count.length == 0) return ff_io_found(candl->err, place, part, "a number before the \"`\"");
  }
  if (out->colour.length == 0) return ff_io_found(candl->err, place, part, "a colour, such as 1`(x,y) or all");
  return FF_OK;
}

static int is_zero(ff_span text) {
  double value;
  return ff_span_number(text, &value) && value == 0;
}

/* ---- markings ---- */

static ff_status add_marking(ff_candl *candl, uint32_t number, const term *t, int adds, ff_place place) {
  const uint32_t set = candl->net->place[number].set;
  ff_candl_colour colour = {0};
  char *when = NULL, *element = NULL, *value = NULL;
  ff_status status = ff_candl_when(candl, &when, t->predicate, place);
  if (status == FF_OK && !ff_candl_is_all(t->colour)) status = ff_candl_colour_read(candl, &colour, t->colour, set, place);
  if (status == FF_OK) status = ff_candl_element(candl, &element, number, &colour);
  if (status == FF_OK)
    status = ff_candl_number(candl, &value, t->count.length == 0 ? ff_span_of("1") : t->count, FF_CANDL_MAY_INDICES, place);
  if (status == FF_OK) status = ff_petri_add_marking(candl->net, element, when, value, adds, place, candl->err);
  ff_candl_colour_free(&colour);
  free(when);
  free(element);
  free(value);
  return ff_candl_at(candl, status, place);
}

/* The count of a text for an uncoloured place: n, n`dot or dot. */
static ff_span uncoloured(ff_span text) {
  const size_t tick = ff_candl_find(text, 0, "`");
  const ff_span colour = ff_span_trim(tick < text.length ? ff_span_after(text, tick + 1) : text);
  if (!ff_span_is(colour, "dot") && !ff_span_equals(colour, "all")) return text;
  return tick < text.length ? ff_span_trim((ff_span){text.text, tick}) : ff_span_of("1");
}

ff_status ff_candl_marking(ff_candl *candl, uint32_t number, ff_span text, ff_place place) {
  ff_span rest = text = ff_span_trim(text), part;
  ff_status status = ff_candl_observers_done(candl);
  if (text.length == 0 || status != FF_OK) return status;
  if (candl->net->place[number].set == FF_PETRI_NONE) {
    char *element = NULL, *value = NULL;
    if (is_zero(uncoloured(text))) return FF_OK;
    status = ff_candl_number(candl, &value, uncoloured(text), FF_CANDL_ONLY_CONSTANTS, place);
    if (status == FF_OK) status = ff_candl_element(candl, &element, number, &(ff_candl_colour){0});
    if (status == FF_OK) status = ff_petri_add_marking(candl->net, element, NULL, value, 0, place, candl->err);
    free(value);
    free(element);
    return ff_candl_at(candl, status, place);
  }
  const int several = ff_candl_find(text, 0, "++") < text.length;
  while (status == FF_OK && ff_candl_part(&rest, "++", &part)) {
    term t;
    status = take_term(candl, &t, part, place);
    if (status == FF_OK && !(is_zero(t.count) && ff_candl_is_all(t.colour)))
      status = add_marking(candl, number, &t, several, place);
  }
  return status;
}

/* ---- guards ---- */

ff_status ff_candl_guard(ff_candl *candl, uint32_t transition, ff_span text, ff_place place) {
  text = ff_span_trim(text);
  if (text.length == 0 || ff_span_equals(text, "true")) return FF_OK;
  char *copy = ff_strndup(text.text, text.length);
  if (copy == NULL) return ff_candl_no_memory(candl);
  const ff_status status = ff_petri_guard(candl->net, transition, copy, FF_COLOUR_CANDL, place, candl->err);
  free(copy);
  return ff_candl_at(candl, status, place);
}

/* ---- arcs ---- */

/* Adds an arc of one colour. `weight` is in R's grammar, or NULL for 1. */
static ff_status push_arc(ff_candl *candl, ff_petri_arc_kind kind, uint32_t number, const ff_candl_colour *colour,
                          const char *weight, ff_place place) {
  const ff_status status = ff_petri_add_arc(candl->net, candl->transition, kind, number, (const char *const *)colour->text,
                                            colour->width, weight, FF_COLOUR_R, place, candl->err);
  return ff_candl_at(candl, status, place);
}

/* Remembers an input, whose colour then belongs to the ff_candl, also on failure. */
static ff_status note_input(ff_candl *candl, ff_petri_arc_kind kind, uint32_t number, ff_candl_colour *colour, double weight,
                            ff_span predicate, ff_place place) {
  ff_candl_input input = {kind, number, candl->inscriptions, NULL, *colour, weight, NULL};
  void *memory = candl->input;
  ff_status status = ff_candl_element(candl, &input.element, number, colour);
  memset(colour, 0, sizeof *colour);
  if (status == FF_OK) status = ff_candl_when(candl, &input.when, predicate, place);
  if (status == FF_OK) status = ff_grow(&memory, &candl->inputs_capacity, candl->n_inputs + 1, sizeof input, candl->err);
  candl->input = memory;
  if (status == FF_OK) {
    candl->input[candl->n_inputs++] = input;
    return FF_OK;
  }
  free(input.element);
  free(input.when);
  ff_candl_colour_free(&input.colour);
  return status;
}

/* if(predicate, weight, otherwise), as a new string. */
static ff_status guarded_weight(ff_candl *candl, char **out, ff_span predicate, const char *weight, const char *otherwise,
                                ff_place place) {
  const ff_colour_scope scope = ff_petri_scope(candl->net);
  ff_colour_expr expr = {0};
  ff_out text = {.err = candl->err};
  ff_status status = ff_colour_parse(&expr, predicate.text, predicate.length, FF_COLOUR_CANDL, &scope, place, candl->err);
  ff_out_puts(&text, "if(");
  if (status == FF_OK) status = ff_candl_formula_of_colour(candl, &text, &expr, place);
  const char *const rest[] = {", ", weight, ", ", otherwise, ")"};
  for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) ff_out_puts(&text, rest[i]);
  ff_colour_free(&expr);
  if (status == FF_OK) return ff_out_finish(&text, out);
  free(text.text);
  return status;
}

/* Adds arcs with a predicate. An equal arc becomes a read arc and an inhibitor. */
static ff_status push_guarded(ff_candl *candl, ff_petri_arc_kind kind, uint32_t number, const ff_candl_colour *colour,
                              const char *weight, ff_span predicate, ff_place place) {
  char *guarded = NULL, *next = NULL;
  ff_out more = {.err = candl->err};
  if (kind == FF_ARC_MODIFIER) return push_arc(candl, kind, number, colour, weight, place);
  if (kind == FF_ARC_RESET)
    return ff_error_set(candl->err, FF_EUNSUPPORTED,
                        "%s, line %llu: found the predicate %s on a reset arc; a guard of the transition can "
                        "have it",
                        place.file, (unsigned long long)place.line, ff_quote(predicate.text, predicate.length).text);
  ff_status status = guarded_weight(candl, &guarded, predicate, weight, kind == FF_ARC_INHIBITOR ? "Inf" : "0", place);
  if (status == FF_OK) status = push_arc(candl, kind == FF_ARC_EQUAL ? FF_ARC_READ : kind, number, colour, guarded, place);
  free(guarded);
  guarded = NULL;
  if (status != FF_OK || kind != FF_ARC_EQUAL) return status;
  ff_out_puts(&more, "(");
  ff_out_puts(&more, weight);
  ff_out_puts(&more, ") + 1");
  status = ff_out_finish(&more, &next);
  if (status == FF_OK) status = guarded_weight(candl, &guarded, predicate, next, "Inf", place);
  if (status == FF_OK) status = push_arc(candl, FF_ARC_INHIBITOR, number, colour, guarded, place);
  free(next);
  free(guarded);
  return status;
}

/* Adds the arc of a part of an inscription. The colour then belongs to the ff_candl. `count` is empty if there is none. */
static ff_status add_colour(ff_candl *candl, ff_petri_arc_kind kind, uint32_t number, ff_candl_colour *colour, const term *t,
                            ff_place place) {
  const ff_span count = t->count.length == 0 ? ff_span_of("1") : t->count;
  double number_of = 1;
  char *weight = NULL;
  ff_status status = ff_candl_number(candl, &weight, count, FF_CANDL_MAY_PLACES | FF_CANDL_MAY_INDICES, place);
  if (status == FF_OK) status = ff_candl_value_of(candl, &number_of, count, place);
  const int zero = status == FF_OK && ff_span_number(count, &number_of) && number_of == 0;
  if (status == FF_OK && (!zero || kind == FF_ARC_EQUAL || kind == FF_ARC_RESET)) {
    if (t->predicate.length > 0 && !ff_span_equals(t->predicate, "true"))
      status = push_guarded(candl, kind, number, colour, weight, t->predicate, place);
    else
      status = push_arc(candl, kind, number, colour, kind == FF_ARC_RESET || kind == FF_ARC_MODIFIER ? NULL : weight, place);
    if (status == FF_OK && kind == FF_ARC_RESET && t->count.length > 0 && !zero)
      status = push_arc(candl, FF_ARC_OUT, number, colour, weight, place);
    if (status == FF_OK && kind != FF_ARC_OUT)
      status = note_input(candl, kind, number, colour, number_of, t->predicate, place);
  }
  ff_candl_colour_free(colour);
  free(weight);
  return status;
}

static ff_status add_all(ff_candl *candl, ff_petri_arc_kind kind, uint32_t number, const term *t, ff_place place) {
  const uint32_t set = candl->net->place[number].set;
  const ff_colours *colours;
  ff_status status = ff_candl_at(candl, ff_candl_colours(candl, set, &colours), place);
  if (status == FF_OK && ff_colours_n(colours) > MOST_ALL)
    status = ff_error_set(candl->err, FF_ESIZE,
                          "%s, line %llu: an arc has all %u colours of the place \"%s\"; at most %u are possible", place.file,
                          (unsigned long long)place.line, ff_colours_n(colours), candl->net->place[number].name, MOST_ALL);
  for (uint32_t i = 0; status == FF_OK && i < ff_colours_n(colours); i++) {
    ff_candl_colour colour;
    status = ff_candl_colour_at(candl, &colour, set, i);
    if (status == FF_OK) status = add_colour(candl, kind, number, &colour, t, place);
  }
  return status;
}

ff_status ff_candl_arc(ff_candl *candl, uint32_t transition, ff_petri_arc_kind kind, uint32_t number, ff_span text,
                       ff_place place) {
  const uint32_t set = candl->net->place[number].set;
  ff_candl_colour colour = {0};
  ff_span rest = text = ff_span_trim(text), part;
  ff_status status = FF_OK;
  term t = {0};
  if (transition != candl->transition) ff_candl_forget_inputs(candl);
  candl->transition = transition;
  candl->inscriptions++;
  if (set == FF_PETRI_NONE) {
    t.count = text.length == 0 ? text : uncoloured(text);
    return add_colour(candl, kind, number, &colour, &t, place);
  }
  if (text.length == 0) return ff_io_found(candl->err, place, text, "the colours of an arc of a coloured place");
  while (status == FF_OK && ff_candl_part(&rest, "++", &part)) {
    status = take_term(candl, &t, part, place);
    if (status == FF_OK && ff_candl_is_all(t.colour)) {
      status = add_all(candl, kind, number, &t, place);
    } else if (status == FF_OK) {
      status = ff_candl_colour_read(candl, &colour, t.colour, set, place);
      if (status == FF_OK) status = add_colour(candl, kind, number, &colour, &t, place);
    }
  }
  return status;
}

/* ---- rates ---- */

/* The text within MassAction( ), if this is the whole text. */
static int whole_mass_action(ff_span text, ff_span *k) {
  const size_t name = ff_candl_name_length(text);
  const ff_span rest = ff_span_trim(ff_span_after(text, name));
  if (ff_candl_law_of((ff_span){text.text, name}) != FF_CANDL_MASS_ACTION || rest.length == 0 || rest.text[0] != '(') return 0;
  if (ff_candl_close(rest, 0) != rest.length - 1) return 0;
  *k = ff_span_trim((ff_span){rest.text + 1, rest.length - 2});
  return ff_candl_find(*k, 0, ",") == k->length;
}

/* Translates a piece with candl->holds. */
static ff_status translate_piece(ff_candl *candl, char **out, int *mass_action, ff_span text, ff_place place) {
  const unsigned may = FF_CANDL_MAY_PLACES | FF_CANDL_MAY_INDICES | FF_CANDL_MAY_TIME | FF_CANDL_MAY_LAWS;
  ff_span k;
  char *inner = NULL;
  *mass_action = 0;
  *out = NULL;
  if (!whole_mass_action(text, &k)) return ff_candl_number(candl, out, text, may, place);
  ff_status status = ff_candl_number(candl, &inner, k, may, place);
  if (status == FF_OK) status = ff_candl_mass_action(candl, out, mass_action, inner, place);
  free(inner);
  return status;
}

/* The predicate of the piece and the conditions that are taken to hold, as a new string or NULL. */
static ff_status join_conditions(ff_candl *candl, char **out, const char *when) {
  ff_out text = {.err = candl->err};
  *out = NULL;
  for (uint32_t i = 0; i <= candl->n_conditions; i++) {
    const char *one = i == 0 ? when : candl->condition[i - 1];
    if (one == NULL || (i > 0 && !(candl->holds >> (i - 1) & 1))) continue;
    ff_out_puts(&text, text.length == 0 ? "(" : " & (");
    ff_out_puts(&text, one);
    ff_out_puts(&text, ")");
  }
  return text.length == 0 && text.status == FF_OK ? FF_OK : ff_out_finish(&text, out);
}

/* Adds a piece for each case of the conditions; those with more conditions that hold come first. One is enough if all are
 * alike. */
static ff_status add_cases(ff_candl *candl, const char *when, ff_span text, ff_place place) {
  const unsigned cases = 1u << candl->n_conditions;
  char *value[1u << FF_CANDL_MOST_CONDITIONS] = {NULL};
  int mass_action[1u << FF_CANDL_MOST_CONDITIONS], alike = 1;
  ff_status status = FF_OK;
  for (candl->holds = 0; status == FF_OK && candl->holds < cases; candl->holds++) {
    const unsigned i = candl->holds;
    status = translate_piece(candl, &value[i], &mass_action[i], text, place);
    if (status == FF_OK) alike &= mass_action[i] == mass_action[0] && strcmp(value[i], value[0]) == 0;
  }
  if (alike) candl->n_conditions = 0;
  for (uint32_t count = candl->n_conditions + 1; status == FF_OK && count-- > 0;)
    for (candl->holds = 1u << candl->n_conditions; status == FF_OK && candl->holds-- > 0;) {
      char *all = NULL;
      if ((uint32_t)__builtin_popcount(candl->holds) != count) continue;
      status = join_conditions(candl, &all, when);
      if (status == FF_OK)
        status = ff_petri_number(candl->net, candl->transition, all, value[candl->holds], mass_action[candl->holds], place,
                                 candl->err);
      free(all);
    }
  for (unsigned i = 0; i < cases; i++) free(value[i]);
  return status;
}

/* A piece. If it depends on whether colours are equal, there is a piece for each case. */
static ff_status add_piece(ff_candl *candl, ff_span predicate, ff_span text, ff_place place) {
  char *when = NULL, *value = NULL;
  int mass_action;
  ff_status status = ff_candl_when(candl, &when, predicate, place);
  candl->n_conditions = 0;
  candl->holds = 0;
  for (uint32_t before = UINT32_MAX; status == FF_OK && before != candl->n_conditions;) { /* finds all conditions */
    before = candl->n_conditions;
    for (candl->holds = 0; status == FF_OK && candl->holds < 1u << before; candl->holds++) {
      status = translate_piece(candl, &value, &mass_action, text, place);
      free(value);
    }
  }
  if (status == FF_OK) status = add_cases(candl, when, text, place);
  free(when);
  return ff_candl_at(candl, status, place);
}

/* begin, period, end. */
static ff_status add_times(ff_candl *candl, uint32_t transition, ff_span text, ff_place place) {
  ff_span rest = text, part = {"", 0};
  ff_status status = FF_OK;
  for (int i = 0; i < 3 && status == FF_OK; i++) {
    char *time = NULL;
    if (!ff_candl_part(&rest, ",", &part))
      return ff_io_found(candl->err, place, text, "begin, period, end of a scheduled transition");
    if (i == 2 && ff_span_equals(part, "_SimEnd")) break; /* no end */
    status = ff_candl_number(candl, &time, part, FF_CANDL_MAY_START, place);
    if (status == FF_OK) status = ff_petri_at(candl->net, transition, i, time, place, candl->err);
    free(time);
  }
  if (status == FF_OK && rest.text != NULL) return ff_io_found(candl->err, place, rest, "the end after begin, period, end");
  return ff_candl_at(candl, status, place);
}

ff_status ff_candl_rate(ff_candl *candl, uint32_t transition, ff_span text, ff_place place) {
  ff_span rest = ff_span_trim(text), piece, predicate;
  ff_status status = FF_OK;
  if (transition != candl->transition) ff_candl_forget_inputs(candl);
  candl->transition = transition;
  if (candl->net->transition[transition].kind == FF_PETRI_SCHEDULED) return add_times(candl, transition, rest, place);
  if (rest.length == 0) rest = ff_span_of("1");
  while (status == FF_OK && rest.text != NULL) {
    size_t at = ff_candl_find(rest, 0, "++"); /* pieces: what follows ++ has a predicate */
    while (at < rest.length && !(ff_span_trim(ff_span_after(rest, at + 2)).length > 0 &&
                                 ff_span_trim(ff_span_after(rest, at + 2)).text[0] == '['))
      at = ff_candl_find(rest, at + 1, "++");
    piece = ff_span_trim((ff_span){rest.text, at});
    rest = at < rest.length ? ff_span_after(rest, at + 2) : (ff_span){NULL, 0};
    predicate = (ff_span){piece.text, 0};
    ff_span value = piece;
    if (!ff_candl_predicate(&value, &predicate)) return ff_io_found(candl->err, place, piece, "\"]\" after a predicate");
    if (value.length == 0 ||
        (predicate.length > 0 && strchr("+-*/^", value.text[0]) != NULL)) { /* the number of a colour: [x] * 2 */
      value = piece;
      predicate.length = 0;
    }
    status = add_piece(candl, predicate, value, place);
  }
  return status;
}

/* ---- observers ---- */

ff_status ff_candl_observer(ff_candl *candl, ff_span name, ff_span text, ff_place place) {
  if (candl->observed)
    return ff_error_set(candl->err, FF_EARGUMENT, "%s, line %llu: observers must be read before markings and transitions",
                        place.file, (unsigned long long)place.line);
  ff_status status = ff_candl_declare(candl, &candl->symbols, FF_CANDL_OBSERVER, (uint32_t)candl->n_observers, name,
                                      "the name of an observer", place);
  const char *kept = status == FF_OK ? ff_candl_keep(candl, name) : NULL, *kept_text = NULL;
  if (kept != NULL) kept_text = ff_candl_keep(candl, text);
  if (kept_text == NULL) return status == FF_OK ? FF_EMEMORY : status;
  void *memory = candl->observer;
  status = ff_grow(&memory, &candl->observers_capacity, candl->n_observers + 1, sizeof *candl->observer, candl->err);
  candl->observer = memory;
  if (status != FF_OK) return status;
  candl->observer[candl->n_observers++] =
      (ff_candl_waiting){.name = {kept, name.length}, .text = {kept_text, text.length}, .place = place};
  return FF_OK;
}

ff_status ff_candl_observers_done(ff_candl *candl) {
  ff_status status = FF_OK;
  if (candl->observed) return FF_OK;
  candl->observed = 1;
  for (size_t i = 0; i < candl->n_observers && status == FF_OK; i++)
    status =
        ff_candl_at(candl, ff_petri_add_variable(candl->net, candl->observer[i].name.text, candl->err), candl->observer[i].place);
  for (uint32_t i = 0; i < candl->n_observers && status == FF_OK; i++) {
    const ff_candl_waiting *it = &candl->observer[i];
    char *value = NULL;
    status = ff_candl_number(candl, &value, it->text, FF_CANDL_MAY_PLACES | FF_CANDL_MAY_TIME, it->place);
    if (status == FF_OK) status = ff_petri_variable_text(candl->net, i, value, it->place, candl->err);
    free(value);
    status = ff_candl_at(candl, status, it->place);
  }
  return status;
}
