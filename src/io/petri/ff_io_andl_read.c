/* Reads ANDL and CANDL: the type, the sections and their statements. */
#include "ff_io_andl_internal.h"

#include <stdlib.h>
#include <string.h>

static ff_status found(ff_andl *andl, ff_span what, const char *wanted) {
  return ff_io_found(andl->err, ff_andl_place(andl, what), what, wanted);
}

/* The rest of the text, or no text at its end, for messages. */
static ff_span rest_of(ff_andl *andl) {
  while (andl->at < andl->text.length && ff_is_blank(andl->text.text[andl->at])) andl->at++;
  return ff_span_after(andl->text, andl->at);
}

static ff_status found_here(ff_andl *andl, const char *wanted) {
  const ff_span rest = rest_of(andl);
  if (rest.length > 0) return found(andl, rest, wanted);
  return ff_io_found(andl->err, ff_andl_place(andl, rest), (ff_span){NULL, 0}, wanted);
}

/* ---- words ---- */

/* The end of the comment that starts at `at`; `at` itself if there is none. */
static size_t end_of_comment(const char *text, size_t length, size_t at) {
  if (text[at] != '/' || at + 1 == length || (text[at + 1] != '/' && text[at + 1] != '*')) return at;
  const int line = text[at + 1] == '/';
  for (size_t end = at + 2; end < length; end++) {
    if (line && (text[end] == '\n' || text[end] == '\r')) return end;
    if (!line && text[end] == '/' && text[end - 1] == '*' && end > at + 2) return end + 1;
  }
  return length;
}

/* A copy in which blanks stand for comments. */
static char *without_comments(const char *text, size_t length) {
  char *copy = ff_calloc(length + 1, 1);
  int quoted = 0;
  for (size_t i = 0; copy != NULL && i < length;) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n') quoted = 0;
    const size_t end = quoted ? i : end_of_comment(text, length, i);
    if (end == i) copy[i] = text[i];
    for (size_t k = i; k < end; k++) copy[k] = text[k] == '\n' || text[k] == '\r' ? text[k] : ' ';
    i = end == i ? i + 1 : end;
  }
  return copy;
}

static int take(ff_andl *andl, char c) {
  const ff_span rest = rest_of(andl);
  if (rest.length == 0 || rest.text[0] != c) return 0;
  andl->at++;
  return 1;
}

/* The name at the present place; *header is 1 if a ":" follows it. */
static ff_span peek(ff_andl *andl, int *header) {
  const ff_span rest = rest_of(andl);
  const ff_span name = {rest.text, ff_candl_name_length(rest)}, after = ff_span_trim(ff_span_after(rest, name.length));
  *header = name.length > 0 && after.length > 0 && after.text[0] == ':';
  return name;
}

static void skip_header(ff_andl *andl, ff_span name) {
  andl->at += name.length;
  take(andl, ':');
}

/* Takes a statement up to the ";" at its end. */
static ff_status take_statement(ff_andl *andl, ff_span *statement) {
  const ff_span rest = rest_of(andl);
  const size_t end = ff_candl_find(rest, 0, ";");
  if (end == rest.length) return found(andl, rest, "a statement with a \";\" at its end");
  *statement = ff_span_trim((ff_span){rest.text, end});
  andl->at += end + 1;
  return FF_OK;
}

/* Splits a statement NAME SIGN REST. */
static ff_status split(ff_andl *andl, ff_span statement, const char *sign, ff_span *name, ff_span *rest, const char *wanted) {
  const size_t at = ff_candl_find(statement, 0, sign);
  if (at == statement.length) return found(andl, statement, wanted);
  *name = ff_span_trim((ff_span){statement.text, at});
  *rest = ff_span_trim(ff_span_after(statement, at + strlen(sign)));
  return FF_OK;
}

/* ---- statements of each section ---- */

/* With `skip`, only moves behind them. */
static ff_status read_valuesets(ff_andl *andl, ff_span name, int skip) {
  const ff_place place = ff_andl_place(andl, name);
  andl->at += name.length;
  const ff_span rest = rest_of(andl);
  const size_t close = rest.length > 0 && rest.text[0] == '[' ? ff_candl_close(rest, 0) : rest.length;
  if (close == rest.length) return found_here(andl, "the names of sets of values, as in valuesets[Main]");
  ff_span names = {rest.text + 1, close - 1}, part;
  andl->at += close + 1;
  take(andl, ';');
  if (skip) return FF_OK;
  while (ff_candl_part(&names, ":", &part)) {
    void *memory = andl->valueset;
    if (part.length == 0) return found(andl, part, "the name of a set of values");
    const ff_status status =
        ff_grow(&memory, &andl->valuesets_capacity, andl->n_valuesets + 1, sizeof *andl->valueset, andl->err);
    andl->valueset = memory;
    if (status != FF_OK) return status;
    andl->valueset[andl->n_valuesets++] = part;
  }
  return ff_candl_valueset(andl->candl, andl->valueset, (uint32_t)andl->n_valuesets, &andl->chosen, place);
}

/* One of the values [a:b] of a constant. */
static ff_status choose_value(ff_andl *andl, ff_span *value) {
  ff_span rest, part, chosen = {0};
  size_t n = 0;
  if (value->length < 2 || value->text[0] != '[' || ff_candl_close(*value, 0) != value->length - 1) return FF_OK;
  rest = (ff_span){value->text + 1, value->length - 2};
  while (ff_candl_part(&rest, ":", &part))
    if (n++ == andl->chosen) chosen = part;
  if (n != (andl->n_valuesets == 0 ? 1 : andl->n_valuesets)) return found(andl, *value, "a value for each set of values");
  *value = chosen;
  return FF_OK;
}

static ff_status read_constant(ff_andl *andl, ff_span statement) {
  ff_span left, value;
  ff_status status = split(andl, statement, "=", &left, &value, "a constant, such as int N = 3;");
  if (status != FF_OK) return status;
  const size_t type = ff_candl_name_length(left);
  status = choose_value(andl, &value);
  if (status != FF_OK) return status;
  return ff_candl_constant(andl->candl, (ff_span){left.text, type}, ff_span_trim(ff_span_after(left, type)), value,
                           ff_andl_place(andl, statement));
}

static ff_status read_function(ff_andl *andl, ff_span statement) {
  ff_span left, body;
  ff_status status = split(andl, statement, "=", &left, &body, "a function, such as f(a) = 2 * a;");
  if (status != FF_OK) return status;
  const size_t open = ff_candl_find(left, 0, "(");
  if (open == left.length || ff_candl_close(left, open) != left.length - 1)
    return found(andl, left, "the name of a function and its arguments in parentheses");
  return ff_candl_function(andl->candl, ff_span_trim((ff_span){left.text, open}),
                           (ff_span){left.text + open + 1, left.length - open - 2}, body, ff_andl_place(andl, statement));
}

static ff_status read_set(ff_andl *andl, ff_span statement) {
  ff_span name, text;
  const ff_status status = split(andl, statement, "=", &name, &text, "a set of colours, such as X = {1..10};");
  return status == FF_OK ? ff_candl_set(andl->candl, name, text, ff_andl_place(andl, statement)) : status;
}

/* X : x, or X x as older files have it. */
static ff_status read_index(ff_andl *andl, ff_span statement) {
  const size_t length = ff_candl_name_length(statement);
  ff_span rest = ff_span_trim(ff_span_after(statement, length));
  if (length == 0 || rest.length == 0) return found(andl, statement, "a variable of colours, such as X : x;");
  if (rest.text[0] == ':') rest = ff_span_trim(ff_span_after(rest, 1));
  return ff_candl_index(andl->candl, rest, (ff_span){statement.text, length}, ff_andl_place(andl, statement));
}

/* bool f(X x, Y y) { body }. */
static ff_status read_colour_function(ff_andl *andl, ff_span statement) {
  static const char wanted[] = "a function of colours, such as bool f(X x) { x > 1 };";
  const size_t type = ff_candl_name_length(statement), open = ff_candl_find(statement, 0, "(");
  if (type == 0 || open == statement.length) return found(andl, statement, wanted);
  const size_t close = ff_candl_close(statement, open);
  if (close == statement.length) return found(andl, statement, wanted);
  const ff_span name = ff_span_trim((ff_span){statement.text + type, open > type ? open - type : 0});
  const ff_span body = ff_span_trim(ff_span_after(statement, close + 1));
  if (body.length < 2 || body.text[0] != '{' || ff_candl_close(body, 0) != body.length - 1) return found(andl, statement, wanted);
  return ff_candl_colour_function(andl->candl, name, (ff_span){statement.text + open + 1, close - open - 1},
                                  ff_span_trim((ff_span){body.text + 1, body.length - 2}), ff_andl_place(andl, statement));
}

/* [set] NAME = marking. */
static ff_status read_place(ff_andl *andl, ff_span statement) {
  const size_t equal = ff_candl_find(statement, 0, "=");
  const ff_span left = ff_span_trim((ff_span){statement.text, equal});
  const size_t length = ff_candl_name_length(left);
  ff_span name = ff_span_trim(ff_span_after(left, length)), set = {left.text, length};
  if (equal == statement.length || length == 0) return found(andl, statement, "a place and its marking, such as p = 0;");
  if (name.length == 0) {
    name = set;
    set.length = 0;
  }
  ff_status status = ff_candl_place(andl->candl, set, name, andl->in_continuous, 0, ff_andl_place(andl, statement));
  if (status != FF_OK) return status;
  void *memory = andl->marking;
  status = ff_grow(&memory, &andl->markings_capacity, andl->n_markings + 1, sizeof *andl->marking, andl->err);
  andl->marking = memory;
  if (status != FF_OK) return status;
  andl->marking[andl->n_markings++] =
      (ff_andl_marking){andl->candl->net->n_places - 1, ff_span_trim(ff_span_after(statement, equal + 1))};
  return FF_OK;
}

static ff_status read_observer(ff_andl *andl, ff_span statement) {
  ff_span name, text;
  const ff_status status = split(andl, statement, "=", &name, &text, "an observer, such as total = A + B;");
  return status == FF_OK ? ff_candl_observer(andl->candl, name, text, ff_andl_place(andl, statement)) : status;
}

/* ---- sections ---- */

typedef struct {
  const char *name;
  ff_status (*read)(ff_andl *andl, ff_span statement);
} section;

/* In the order in which they come. */
enum { CONSTANTS, FUNCTIONS, SETS, VARIABLES, COLOUR_FUNCTIONS, PLACES, OBSERVERS, TRANSITIONS, N_SECTIONS };
static const section sections[N_SECTIONS] = {{"constants", read_constant},   {"functions", read_function},
                                             {"colorsets", read_set},        {"variables", read_index},
                                             {"colorfunctions", read_colour_function}, {"places", read_place},
                                             {"observers", read_observer},   {"transitions", ff_andl_transition}};

static int section_of(ff_span name) {
  int i = 0;
  while (i < N_SECTIONS && !ff_span_equals(name, sections[i].name)) i++;
  return i;
}

/* Takes a word with a ":" that tells the kind of what follows. Returns 0 if it is none. */
static int take_kind(ff_andl *andl, int in, ff_span name) {
  static const char *const kinds[] = {
#define FF_X(code, name, number) name,
      FF_PETRI_KINDS(FF_X)
#undef FF_X
  };
  const int discrete = ff_span_equals(name, "discrete"), continuous = ff_span_equals(name, "continuous");
  if (in == CONSTANTS || (in == OBSERVERS && ff_span_equals(name, "place"))) {
    skip_header(andl, name);
    return 1;
  }
  if (in == PLACES && (discrete || continuous)) {
    andl->in_continuous = continuous;
    skip_header(andl, name);
    return 1;
  }
  for (int i = 0; in == TRANSITIONS && i < FF_PETRI_KINDS_COUNT; i++) {
    if (!ff_span_equals(name, kinds[i])) continue;
    andl->kind = (ff_petri_kind)i;
    skip_header(andl, name);
    return 1;
  }
  return 0;
}

/* Reads statements up to the next section or the end; with `skip`, only moves behind them. */
static ff_status read_section(ff_andl *andl, int in, int skip) {
  ff_status status = FF_OK;
  andl->in_continuous = andl->continuous;
  andl->kind = andl->continuous ? FF_PETRI_CONTINUOUS : FF_PETRI_STOCHASTIC;
  while (status == FF_OK) {
    int header;
    ff_span statement, name = peek(andl, &header);
    if (header && section_of(name) < N_SECTIONS) return FF_OK;
    if (andl->at == andl->text.length || andl->text.text[andl->at] == '}') return FF_OK;
    if (in == CONSTANTS && ff_span_equals(name, "valuesets") && andl->n_valuesets == 0) {
      status = read_valuesets(andl, name, skip);
      continue;
    }
    if (header && take_kind(andl, in, name)) continue;
    if (header && in == OBSERVERS && ff_span_equals(name, "transition"))
      return ff_error_set(andl->err, FF_EUNSUPPORTED,
                          "%s, line %llu: found observers of transitions; remove them, as only those of places are read",
                          andl->file, (unsigned long long)ff_andl_place(andl, name).line);
    status = take_statement(andl, &statement);
    if (status == FF_OK && statement.length > 0 && !skip) status = sections[in].read(andl, statement);
  }
  return status;
}

/* Finds all sections, which may have any order. */
static ff_status find_sections(ff_andl *andl) {
  ff_status status = FF_OK;
  while (status == FF_OK && !take(andl, '}')) {
    int header;
    const ff_span name = peek(andl, &header);
    const int kind = section_of(name);
    if (!header || kind == N_SECTIONS)
      return found_here(andl, "\"constants:\", \"functions:\", \"colorsets:\", \"variables:\", \"colorfunctions:\", \"places:\", "
                              "\"observers:\", \"transitions:\" or \"}\"");
    skip_header(andl, name);
    void *memory = andl->section;
    status = ff_grow(&memory, &andl->sections_capacity, andl->n_sections + 1, sizeof *andl->section, andl->err);
    andl->section = memory;
    if (status == FF_OK) andl->section[andl->n_sections++] = (ff_andl_section){kind, andl->at};
    if (status == FF_OK) status = read_section(andl, kind, 1);
  }
  if (status == FF_OK && rest_of(andl).length > 0) status = found_here(andl, "the end after the net");
  return status;
}

/* What follows the sections of a kind. */
static ff_status after_sections(ff_andl *andl, int kind) {
  const ff_place place = {andl->file, 0};
  ff_status status = FF_OK;
  if (kind == CONSTANTS && andl->n_valuesets == 0) status = ff_candl_valueset(andl->candl, NULL, 0, &andl->chosen, place);
  if (kind == CONSTANTS && status == FF_OK) status = ff_candl_constants_done(andl->candl, place);
  if (kind == VARIABLES) status = ff_candl_colours_done(andl->candl);
  if (kind == OBSERVERS) status = ff_candl_observers_done(andl->candl);
  for (size_t i = 0; kind == OBSERVERS && i < andl->n_markings && status == FF_OK; i++) {
    const ff_andl_marking *marking = &andl->marking[i];
    status = ff_candl_marking(andl->candl, marking->place, marking->text, ff_andl_place(andl, marking->text));
  }
  return status;
}

static ff_status read_sections(ff_andl *andl) {
  ff_status status = find_sections(andl);
  for (int kind = 0; kind < N_SECTIONS && status == FF_OK; kind++) {
    for (size_t i = 0; i < andl->n_sections && status == FF_OK; i++) {
      if (andl->section[i].kind != kind) continue;
      andl->at = andl->section[i].at;
      status = read_section(andl, kind, 0);
    }
    if (status == FF_OK) status = after_sections(andl, kind);
  }
  return status;
}

/* ---- the net ---- */

/* Whether a word is a type of a net; *coloured and *continuous tell more. */
static int is_type(ff_span word, int *coloured, int *continuous) {
  static const char *const types[] = {"pn", "xpn", "spn", "gspn", "xspn", "cpn", "hpn", "tpn"};
  *coloured = word.length > 3 && memcmp(word.text, "col", 3) == 0;
  const ff_span type = *coloured ? ff_span_after(word, 3) : word;
  *continuous = ff_span_equals(type, "cpn");
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (ff_span_equals(type, types[i])) return !(*coloured && ff_span_equals(type, "tpn"));
  return 0;
}

int ff_io_andl_starts(const char *line, size_t length) {
  const ff_span text = ff_span_trim((ff_span){line, length});
  int coloured, continuous;
  if (ff_andl_is_spc(text)) return 1;
  const size_t word = ff_candl_name_length(text);
  if (!is_type((ff_span){text.text, word}, &coloured, &continuous)) return 0;
  const ff_span rest = ff_span_trim(ff_span_after(text, word));
  return rest.length == 0 || rest.text[0] == '[' || rest.text[0] == '/' ? 1 + coloured : 0;
}

/* The type and the name in brackets. */
static ff_status read_head(ff_andl *andl) {
  const ff_span rest = rest_of(andl), word = {rest.text, ff_candl_name_length(rest)};
  int coloured;
  if (!is_type(word, &coloured, &andl->continuous))
    return found_here(andl,
                      "the type of a net: pn, xpn, spn, gspn, xspn, cpn, hpn, tpn, or with colours colpn, colspn, ... colhpn");
  andl->at += word.length;
  const ff_span name = rest_of(andl);
  const char *close = name.length > 0 && name.text[0] == '[' ? memchr(name.text, ']', name.length) : NULL;
  if (close == NULL) return found_here(andl, "the name of the net in brackets");
  andl->at += (size_t)(close - name.text) + 1;
  if (!take(andl, '{')) return found_here(andl, "\"{\" after the name of the net");
  return FF_OK;
}

static ff_status read_net(ff_andl *andl, ff_petri *net) {
  ff_status status = read_head(andl);
  if (status == FF_OK) status = read_sections(andl);
  if (status != FF_OK) return status;
  status = ff_petri_finish(net, andl->err);
  if (status == FF_OK || status == FF_EMEMORY || andl->err == NULL) return status;
  const ff_error old = *andl->err;
  return ff_error_set(andl->err, status, "%s: %s", andl->file, old.text);
}

ff_status ff_io_andl_parse(ff_petri **out, const char *text, size_t length, const char *file, const ff_io_petri_options *options,
                           ff_error *err) {
  ff_error own = {0}; /* messages are changed on the way */
  ff_error *message = err == NULL ? &own : err;
  ff_andl andl = {.file = file, .err = message, .line = 1};
  ff_petri *net = NULL;
  *out = NULL;
  char *copy = without_comments(text, length);
  if (copy == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the text of a net");
  andl.text = (ff_span){copy, length};
  ff_status status = ff_andl_is_spc(rest_of(&andl)) ? ff_andl_refuse_spc(file, andl.text, message) : FF_OK;
  if (status == FF_OK) status = ff_petri_new(&net, message);
  if (status == FF_OK) status = ff_candl_new(&andl.candl, net, options, message);
  if (status == FF_OK) status = read_net(&andl, net);
  ff_candl_free(andl.candl);
  free(andl.valueset);
  free(andl.section);
  free(andl.marking);
  free(copy);
  if (status == FF_OK)
    *out = net;
  else
    ff_petri_free(net);
  return status;
}
