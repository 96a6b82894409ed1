/* Coloured hybrid Petri nets, from text: equations, tests and resets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../base/ff_text.h"
#include "../ff_formula_code.h"
#include "../ff_parse.h"
#include "ff_petri_internal.h"

/* ---- equations ---------------------------------------------------------------------------------------------------- */

/* Either `net` gets the arcs, or `found` is called for each place. */
typedef struct {
  ff_source source;
  size_t at;
  ff_petri *net;
  uint32_t transition;
  int reverse;
  void (*found)(void *context, const char *name, size_t length);
  void *context;
  int both;
} reader;

static void skip_blanks(reader *r) {
  while (r->at < r->source.length && ff_is_blank(r->source.text[r->at])) r->at++;
}

/* The length of a separator at the start of the text, or 0. */
static size_t separator(const char *text, size_t length) {
  const size_t at = length > 0 && text[0] == '<';
  return length >= at + 2 && (text[at] == '-' || text[at] == '=') && text[at + 1] == '>' ? at + 2 : 0;
}

static ff_status fail(const reader *r, size_t start, size_t end, const char *wanted) {
  return ff_source_found(&r->source, start, start < r->source.length ? end : start, wanted);
}

static ff_petri_elements elements_of(const reader *r) {
  ff_petri_transition *t = &r->net->transition[r->transition];
  return (ff_petri_elements){r->net, &t->element, &t->n_elements, r->source.place, r->source.err};
}

/* Reads a weight, if there is one: a number, or a formula in parentheses. */
static ff_status read_weight(reader *r, ff_formula *weight) {
  const char *text = r->source.text + r->at;
  const size_t left = r->source.length - r->at, start = r->at;
  size_t used = ff_decimal_length(text, left);
  ff_status status = FF_OK;
  if (used > 0) {
    const double number = ff_decimal_read(text, used);
    if (!(number > 0.0 && isfinite(number))) return fail(r, start, start + used, "a finite number above 0");
    if (r->net != NULL) status = ff_formula_of_number(weight, number, r->source.err);
  } else if (left > 0 && text[0] == '(') {
    used = ff_bracketed_length(text, left);
    if (used == 0) return fail(r, start, r->source.length, "a closing bracket");
    const ff_petri_elements to = r->net != NULL ? elements_of(r) : (ff_petri_elements){0};
    if (r->net != NULL) status = ff_petri_parse_formula(weight, &to, text, used, FF_MAY_ELEMENTS | FF_MAY_INDICES);
  }
  r->at += used;
  skip_blanks(r);
  if (used > 0 && r->at < r->source.length && r->source.text[r->at] == '*') r->at++;
  skip_blanks(r);
  return status;
}

/* Reads an element and adds its arc. */
static ff_status read_element(reader *r, ff_petri_arc_kind kind, ff_formula *weight) {
  const char *text = r->source.text + r->at, *name;
  const size_t left = r->source.length - r->at;
  size_t name_length, used = ff_petri_name_at(text, left, &name, &name_length), next = used;
  if (left > 0 && used == 0 && (text[0] == '"' || text[0] == '`')) return fail(r, r->at, r->source.length, "a closing quote");
  if (used == 0 || name_length == 0) return fail(r, r->at, r->at + 1, "a place");
  while (next < left && ff_is_blank(text[next])) next++;
  if (next < left && text[next] == '[') {
    const size_t brackets = ff_bracketed_length(text + next, left - next);
    if (brackets == 0) return fail(r, r->at + next, r->source.length, "a closing bracket");
    used = next + brackets;
  }
  r->at += used;
  if (r->net == NULL) {
    r->found(r->context, name, name_length);
    return FF_OK;
  }
  uint32_t element = 0;
  const ff_petri_elements to = elements_of(r);
  ff_status status = ff_petri_take_element(&to, text, used, &element);
  return status == FF_OK ? ff_petri_push_arc(r->net, r->transition, kind, element, weight, r->source.err) : status;
}

/* Whether a side ends here: the first one with a separator, which is taken. */
static int ends_side(reader *r, int first) {
  skip_blanks(r);
  if (!first) return r->at == r->source.length;
  const size_t used = separator(r->source.text + r->at, r->source.length - r->at);
  if (used > 0) r->both = r->source.text[r->at] == '<';
  r->at += used;
  return used > 0;
}

static ff_status read_side(reader *r, int first) {
  const ff_petri_arc_kind kind = first != r->reverse ? FF_ARC_IN : FF_ARC_OUT;
  if (ends_side(r, first)) return FF_OK;
  const size_t start = r->at;
  if (ff_decimal_length(r->source.text + start, r->source.length - start) == 1 && r->source.text[start] == '0') { /* nothing */
    r->at++;
    return ends_side(r, first) ? FF_OK
                               : fail(r, r->at, r->at + 1, first ? "\"->\" or \"<->\" after the 0" : "the end after the 0");
  }
  for (;;) {
    ff_formula weight = {0};
    ff_status status = read_weight(r, &weight);
    if (status == FF_OK) status = read_element(r, kind, &weight);
    ff_formula_free(&weight);
    if (status != FF_OK) return status;
    if (ends_side(r, first)) return FF_OK;
    if (r->at == r->source.length || r->source.text[r->at] != '+')
      return fail(r, r->at, r->at + 1, first ? "\"+\", \"->\" or \"<->\"" : "\"+\" or the end");
    r->at++;
    skip_blanks(r);
  }
}

ff_status ff_petri_equation(ff_petri *net, uint32_t transition, const char *text, int reverse, int *both, ff_place place,
                            ff_error *err) {
  reader r = {.source = {text, strlen(text), place, "the equation", err}, .net = net, .transition = transition,
              .reverse = reverse != 0};
  ff_status status = read_side(&r, 1);
  if (status == FF_OK) status = read_side(&r, 0);
  *both = r.both;
  return status;
}

ff_status ff_petri_equation_names(const char *text, void (*found)(void *context, const char *name, size_t length), void *context,
                                  int *both, ff_place place, ff_error *err) {
  reader r = {.source = {text, strlen(text), place, "the equation", err}, .found = found, .context = context};
  ff_status status = read_side(&r, 1);
  if (status == FF_OK) status = read_side(&r, 0);
  *both = r.both;
  return status;
}

/* ---- tests -------------------------------------------------------------------------------------------------------- */

/* A part of a text of tests: from `start` to `end`, with an operator from `operator` to `right`. */
typedef struct {
  size_t start, operator, right, end;
  int found; /* operators */
} comparison;

static const char tests_wanted[] =
    "; a test compares a place with a weight, as in A >= 3, and \"&\" joins tests; other conditions are "
    "written before the rate, as in (condition) * rate";

static ff_status refuse_test(const ff_source *source, const comparison *c, const char *why) {
  return ff_error_set(source->err, FF_EPARSE, "%sthe test %s%s%s", ff_source_place(source).text,
                      ff_quote(source->text + c->start, c->end - c->start).text, why, tests_wanted);
}

/* Finds the end of a part, and its comparison. */
static comparison find_comparison(const ff_source *source, size_t start) {
  comparison c = {.start = start};
  const char *text = source->text, *name;
  size_t at = start, name_length;
  int closed;
  while (at < source->length && text[at] != '&') {
    size_t used = 1;
    const int equal = at + 1 < source->length && text[at + 1] == '=';
    if (text[at] == '"' || text[at] == '`') used = ff_quoted_length(text + at, source->length - at, &name, &name_length, &closed);
    if (text[at] == '(' || text[at] == '[') used = ff_bracketed_length(text + at, source->length - at);
    if (used == 0) used = source->length - at; /* the missing bracket is found later */
    if (text[at] == '|' || text[at] == '?') c.found = 2;
    if (text[at] == '<' || text[at] == '>' || ((text[at] == '=' || text[at] == '!') && equal)) {
      used += (size_t)equal;
      c.found++;
      c.operator = at;
      c.right = at + used;
    }
    at += used;
  }
  c.end = at;
  return c;
}

/* w becomes floor(w) + 1. */
static ff_status next_count(ff_formula *weight, ff_error *err) {
  const ff_formula_word more[] = {{FF_F_FLOOR, 0, 0}, {FF_F_NUMBER, 0, 1.0}, {FF_F_ADD, 0, 0}};
  ff_formula_builder builder = {0};
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < weight->length && status == FF_OK; i++) status = ff_formula_push(&builder, weight->word[i], err);
  for (int i = 0; i < 3 && status == FF_OK; i++) status = ff_formula_push(&builder, more[i], err);
  if (status != FF_OK) {
    free(builder.word);
    return status;
  }
  ff_formula_free(weight);
  ff_formula_finish(weight, &builder);
  return FF_OK;
}

/* Whether the text is not one of a place: it is another symbol, or no name. */
static int is_no_place(const ff_petri *net, const char *text, size_t length) {
  const char *name;
  size_t name_length;
  ff_petri_name_kind kind = FF_NAMES_PLACE;
  if (ff_petri_name_at(text, length, &name, &name_length) == 0) return 1;
  return ff_petri_find(net, &kind, name, name_length) != FF_PETRI_NONE && kind != FF_NAMES_PLACE;
}

/* Whether no marking is below a bound. */
static int is_below_all(const ff_formula *bound) {
  double number;
  for (uint32_t i = 0; i < bound->length; i++)
    if (bound->word[i].code == FF_F_SYMBOL || bound->word[i].code == FF_F_TIME) return 0;
  return bound->length > 0 && ff_formula_constant(bound, &number, NULL) == FF_OK && number <= 0;
}

static ff_status read_test(const ff_petri_elements *to, uint32_t transition, const ff_source *source, const comparison *c) {
  const char first = source->text[c->operator], *left = source->text + c->start;
  size_t length = c->operator - c->start;
  ff_formula weight = {0};
  uint32_t element = 0;
  if (c->found != 1) return refuse_test(source, c, c->found == 0 ? " has no comparison" : "");
  if (first == '!') return refuse_test(source, c, " has \"!=\"");
  while (length > 0 && ff_is_blank(left[0])) left++, length--;
  if (is_no_place(to->net, left, length)) return refuse_test(source, c, " does not begin with a place");
  ff_status status = ff_petri_take_element(to, left, length, &element);
  if (status != FF_OK) return status;
  const int equal = c->right - c->operator == 2, shift = (first == '>') != equal && first != '='; /* > and <= */
  if (shift && to->net->place[(*to->all)[element].place].continuous)
    return refuse_test(source, c, equal ? " has \"<=\" on a continuous place, where \">=\" and \"<\" are possible"
                                        : " has \">\" on a continuous place, where \">=\" and \"<\" are possible");
  status = ff_petri_parse_formula(&weight, to, source->text + c->right, c->end - c->right, FF_MAY_ELEMENTS | FF_MAY_INDICES);
  if (status == FF_OK && shift) status = next_count(&weight, source->err);
  const ff_petri_arc_kind kind = first == '=' ? FF_ARC_EQUAL : first == '>' ? FF_ARC_READ : FF_ARC_INHIBITOR;
  if (status == FF_OK && kind == FF_ARC_INHIBITOR && is_below_all(&weight))
    status = refuse_test(source, c, " never holds, as no marking is below 0"); /* an inhibitor of weight 0 would be none */
  if (status == FF_OK) return ff_petri_push_arc(to->net, transition, kind, element, &weight, source->err);
  ff_formula_free(&weight);
  return status;
}

ff_status ff_petri_tests(ff_petri *net, uint32_t transition, const char *text, ff_place place, ff_error *err) {
  const ff_source source = {text, strlen(text), place, "the tests", err};
  ff_petri_transition *t = &net->transition[transition];
  const ff_petri_elements to = {net, &t->element, &t->n_elements, place, err};
  for (size_t at = 0;;) {
    const comparison c = find_comparison(&source, at);
    ff_status status = read_test(&to, transition, &source, &c);
    if (status != FF_OK || c.end == source.length) return status;
    at = c.end + 1 + (c.end + 1 < source.length && text[c.end + 1] == '&');
  }
}

/* ---- resets ------------------------------------------------------------------------------------------------------- */

ff_status ff_petri_resets(ff_petri *net, uint32_t transition, const char *text, ff_place place, ff_error *err) {
  ff_petri_transition *t = &net->transition[transition];
  const ff_petri_elements to = {net, &t->element, &t->n_elements, place, err};
  ff_petri_piece_text *piece;
  uint32_t n, element = 0;
  ff_status status = ff_petri_split(&piece, &n, text, strlen(text), err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    ff_formula none = {0};
    status = ff_petri_take_element(&to, piece[i].text, piece[i].length, &element);
    if (status == FF_OK) status = ff_petri_push_arc(net, transition, FF_ARC_RESET, element, &none, err);
  }
  free(piece);
  return status;
}
