/* Formulas of numbers in the inner texts of Petri nets, to R's grammar. */
#include "ff_io_candl_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TEXT (UINT64_C(1) << 26) /* bytes of a translated formula */
#define MOST_DEPTH 100u               /* calls within calls of functions that are replaced */

typedef struct {
  ff_candl *candl;
  ff_out *out;
  unsigned may;
  unsigned depth;
  const ff_candl_macro *within; /* the function whose body is translated, or NULL */
  char **argument;              /* its arguments */
  ff_place place;
  ff_span text;
  size_t at;
  char *closer; /* what ends each open parenthesis: ')', or '2' for that of a square */
  size_t n_closers, capacity;
} translator;

/* The functions that keep their names, but for ceil and pow, which R's grammar knows too. */
static const char *const functions[] = {"abs", "acos", "asin",  "atan", "ceil", "cos", "exp", "floor", "log",
                                        "log10", "max", "min", "pow", "sin",  "sqrt", "tan"};

static ff_status translate(translator *t);

static ff_status found(const translator *t, ff_span what, const char *wanted) {
  return ff_io_found(t->candl->err, t->place, what, wanted);
}

static ff_status open_bracket(translator *t, char closer) {
  void *memory = t->closer;
  const ff_status status = ff_grow(&memory, &t->capacity, t->n_closers + 1, 1, t->candl->err);
  t->closer = memory;
  if (status != FF_OK) return status;
  t->closer[t->n_closers++] = closer;
  ff_out_puts(t->out, closer == '2' ? "((" : "(");
  return FF_OK;
}

/* Translates another text for the same place, to a new string. */
static ff_status translate_part(const translator *t, ff_span text, const ff_candl_macro *within, char **argument, char **result) {
  ff_out out = {.err = t->candl->err};
  *result = NULL;
  if (t->depth == MOST_DEPTH)
    return ff_error_set(t->candl->err, FF_ESIZE, "%s, line %llu: found more than %u functions within each other in a formula",
                        t->place.file, (unsigned long long)t->place.line, MOST_DEPTH);
  translator inner = {.candl = t->candl,
                      .out = &out,
                      .may = t->may,
                      .depth = t->depth + 1,
                      .within = within,
                      .argument = argument,
                      .place = t->place,
                      .text = text};
  const ff_status status = translate(&inner);
  if (status == FF_OK) return ff_out_finish(&out, result);
  free(out.text);
  return status;
}

/* ---- calls ---- */

/* Takes what is within the bracket at t->at, and moves behind it. */
static ff_status take_inside(translator *t, ff_span *inside) {
  while (ff_is_blank(t->text.text[t->at])) t->at++;
  const size_t open = t->at, close = ff_candl_close(t->text, open);
  if (close == t->text.length) return found(t, ff_span_after(t->text, open), "a bracket that is closed");
  *inside = ff_span_trim((ff_span){t->text.text + open + 1, close - open - 1});
  t->at = close + 1;
  return FF_OK;
}

/* Translates `n` arguments of a function; argument[i] are new strings, also after a failure. */
static ff_status take_arguments(translator *t, ff_span name, ff_span inside, uint32_t n, char **argument) {
  uint32_t given = 0;
  ff_span rest = inside, part;
  ff_status status = FF_OK;
  if (inside.length == 0) rest.text = NULL;
  while (status == FF_OK && ff_candl_part(&rest, ",", &part)) {
    if (given < n) status = translate_part(t, part, t->within, t->argument, &argument[given]);
    given++;
  }
  if (status != FF_OK || given == n) return status;
  return ff_error_set(t->candl->err, FF_EPARSE, "%s, line %llu: the function %s has %u argument%s; found %u", t->place.file,
                      (unsigned long long)t->place.line, ff_quote(name.text, name.length).text, n, n == 1 ? "" : "s", given);
}

static ff_status put_macro(translator *t, const ff_candl_macro *macro, ff_span name) {
  ff_span inside;
  char *body = NULL, **argument = ff_calloc((size_t)macro->n_arguments + 1, sizeof *argument);
  if (argument == NULL) return ff_candl_no_memory(t->candl);
  ff_status status = take_inside(t, &inside);
  if (status == FF_OK) status = take_arguments(t, name, inside, macro->n_arguments, argument);
  if (status == FF_OK) status = translate_part(t, macro->body, macro, argument, &body);
  if (status == FF_OK) {
    ff_out_puts(t->out, "(");
    ff_out_puts(t->out, body);
    ff_out_puts(t->out, ")");
  }
  for (uint32_t i = 0; i < macro->n_arguments; i++) free(argument[i]);
  free(argument);
  free(body);
  return status;
}

/* binomial(n, k), where k is a number. */
static ff_status put_binomial(translator *t, ff_span name) {
  ff_span inside;
  char *argument[2] = {NULL, NULL};
  double k = 0;
  ff_status status = take_inside(t, &inside);
  if (status == FF_OK) status = take_arguments(t, name, inside, 2, argument);
  if (status == FF_OK && !(ff_span_number(ff_span_of(argument[1]), &k) && k >= 0 && k <= 100 && k == floor(k)))
    status = found(t, inside, "n, k with a whole number k from 0 to 100");
  for (double i = 0; i < k && status == FF_OK; i++) {
    ff_out_puts(t->out, i == 0 ? "(((" : " * ((");
    ff_out_puts(t->out, argument[0]);
    ff_out_puts(t->out, ") - ");
    ff_out_number(t->out, i);
    ff_out_puts(t->out, ") / ");
    ff_out_number(t->out, i + 1);
  }
  ff_out_puts(t->out, k == 0 ? "1" : ")");
  free(argument[0]);
  free(argument[1]);
  return status;
}

static ff_status put_law(translator *t, ff_candl_law law, ff_span name) {
  ff_span inside;
  char *argument[2] = {NULL, NULL};
  ff_status status = take_inside(t, &inside);
  if (status == FF_OK) status = take_arguments(t, name, inside, law == FF_CANDL_MASS_ACTION ? 1 : 2, argument);
  if (status == FF_OK) status = ff_candl_put_law(t->candl, t->out, law, (const char *const *)argument, t->place);
  free(argument[0]);
  free(argument[1]);
  return status;
}

static ff_status put_call(translator *t, ff_span name) {
  const int64_t macro = ff_candl_lookup(&t->candl->macros, name);
  const ff_candl_law law = ff_candl_law_of(name);
  if (macro >= 0 && (t->within == NULL || &t->candl->macro[macro] < t->within))
    return put_macro(t, &t->candl->macro[macro], name);
  if (law != FF_CANDL_NO_LAW && (t->may & FF_CANDL_MAY_LAWS)) return put_law(t, law, name);
  if (ff_span_equals(name, "binomial")) return put_binomial(t, name);
  if (ff_span_equals(name, "val")) return FF_OK; /* the number of a colour: the parentheses follow */
  if (ff_span_equals(name, "sqr")) {
    while (t->text.text[t->at] != '(') t->at++;
    t->at++;
    return open_bracket(t, '2');
  }
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    if (!ff_span_equals(name, functions[i])) continue;
    ff_out_puts(t->out, functions[i]);
    return FF_OK;
  }
  return ff_candl_unknown(t->candl, &t->candl->macros, "function", name, t->place);
}

/* ---- names ---- */

static ff_status put_sum(translator *t, uint32_t place) {
  const ff_petri_place *p = &t->candl->net->place[place];
  ff_out_puts(t->out, p->set == FF_PETRI_NONE ? "" : "sum(");
  ff_candl_put_name(t->out, p->name);
  ff_out_puts(t->out, p->set == FF_PETRI_NONE ? "" : ")");
  return FF_OK;
}

/* P[e], or P[all]. */
static ff_status put_element(translator *t, uint32_t place, ff_span name) {
  const uint32_t set = t->candl->net->place[place].set;
  ff_span inside;
  ff_candl_colour colour;
  char *element = NULL;
  ff_status status = take_inside(t, &inside);
  if (status != FF_OK) return status;
  if (set == FF_PETRI_NONE)
    return ff_error_set(t->candl->err, FF_EPARSE, "%s, line %llu: place %s has no colours; found %s in brackets after its name",
                        t->place.file, (unsigned long long)t->place.line, ff_quote(name.text, name.length).text,
                        ff_quote(inside.text, inside.length).text);
  if (ff_candl_is_all(inside)) return put_sum(t, place);
  status = ff_candl_colour_read(t->candl, &colour, inside, set, t->place);
  if (status != FF_OK) return status;
  status = ff_candl_element(t->candl, &element, place, &colour);
  if (status == FF_OK) ff_out_puts(t->out, element);
  free(element);
  ff_candl_colour_free(&colour);
  return status;
}

static ff_status put_place(translator *t, uint32_t place, ff_span name, char next) {
  if (!(t->may & FF_CANDL_MAY_PLACES)) return found(t, name, "a number or a constant");
  if (next == '[') return put_element(t, place, name);
  if (t->candl->net->place[place].set == FF_PETRI_NONE || !(t->may & FF_CANDL_MAY_INDICES)) return put_sum(t, place);
  if (t->may & FF_CANDL_MAY_LAWS) return ff_candl_put_picked(t->candl, t->out, place, name, t->place);
  return found(t, name, "a colour in brackets after the name of a coloured place");
}

/* Words that are no names. Returns 0 for others. */
static int put_word(const translator *t, ff_span name) {
  static const struct {
    const char *word, *text;
    unsigned may;
  } words[] = {{"true", "1", 0}, {"false", "0", 0}, {"oo", "Inf", 0}, {"_SimTime", "time()", FF_CANDL_MAY_TIME},
               {"_SimStart", "0", FF_CANDL_MAY_START}, {"_SimEnd", "Inf", FF_CANDL_MAY_START}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (!ff_span_equals(name, words[i].word) || (words[i].may & ~t->may) != 0) continue;
    ff_out_puts(t->out, words[i].text);
    return 1;
  }
  return 0;
}

static ff_status put_symbol(translator *t, ff_span name) {
  size_t at = t->at;
  const char next = ff_candl_next(t->text, &at).kind;
  for (uint32_t i = 0; t->within != NULL && i < t->within->n_arguments; i++) {
    const ff_span argument = t->within->argument[i];
    if (argument.length != name.length || memcmp(argument.text, name.text, name.length) != 0) continue;
    ff_out_puts(t->out, "(");
    ff_out_puts(t->out, t->argument[i]);
    ff_out_puts(t->out, ")");
    return FF_OK;
  }
  if (next == '(') return put_call(t, name);
  const int64_t id = ff_candl_lookup(&t->candl->symbols, name);
  if (id < 0 && put_word(t, name)) return FF_OK;
  if (id < 0)
    return ff_candl_unknown(t->candl, &t->candl->symbols, t->may == 0 ? "constant" : "constant, place or variable", name,
                            t->place);
  const ff_candl_kind kind = (ff_candl_kind)t->candl->symbols.kind[id];
  if (kind == FF_CANDL_PLACE) return put_place(t, t->candl->symbols.number[id], name, next);
  if (kind == FF_CANDL_INDEX && !(t->may & FF_CANDL_MAY_INDICES))
    return found(t, name, t->may == 0 ? "a number or a constant" : "a number, a constant or a place");
  if (kind == FF_CANDL_OBSERVER && !(t->may & FF_CANDL_MAY_TIME)) return found(t, name, "a number, a constant or a place");
  char *kept = ff_strndup(name.text, name.length);
  if (kept == NULL) return ff_candl_no_memory(t->candl);
  ff_candl_put_name(t->out, kept);
  free(kept);
  return FF_OK;
}

/* #(P). */
static ff_status put_hash(translator *t) {
  size_t at = t->at;
  ff_span inside;
  if (ff_candl_next(t->text, &at).kind != '(') return found(t, ff_span_after(t->text, t->at), "\"(\" and a place after \"#\"");
  ff_status status = take_inside(t, &inside);
  if (status != FF_OK) return status;
  const int64_t id = ff_candl_lookup(&t->candl->symbols, inside);
  if (id < 0 || t->candl->symbols.kind[id] != FF_CANDL_PLACE)
    return ff_candl_unknown(t->candl, &t->candl->symbols, "place", inside, t->place);
  if (!(t->may & FF_CANDL_MAY_PLACES)) return found(t, inside, "a number or a constant");
  return put_sum(t, t->candl->symbols.number[id]);
}

/* [x], [val(x)] or [x + 1]: the number of a colour. */
static ff_status put_number_of_colour(translator *t) {
  ff_span inside;
  char *text = NULL;
  t->at--;
  ff_status status = take_inside(t, &inside);
  if (status == FF_OK && inside.length == 0) status = found(t, inside, "a variable of colours within \"[\" and \"]\"");
  if (status == FF_OK && !(t->may & FF_CANDL_MAY_INDICES)) status = found(t, inside, "a number, a constant or a place");
  if (status == FF_OK) status = translate_part(t, inside, t->within, t->argument, &text);
  if (status == FF_OK) {
    ff_out_puts(t->out, "(");
    ff_out_puts(t->out, text);
    ff_out_puts(t->out, ")");
  }
  free(text);
  return status;
}

/* ---- all of a text ---- */

static ff_status put_operator(translator *t, ff_candl_token token) {
  static const char *const same[] = {",", "+", "-", "*", "/", "^", "<", "<=", ">", ">=", "!=", "==", "&", "&&", "|", "||", "!"};
  if (ff_span_equals(token.span, "=") || ff_span_equals(token.span, "<>")) {
    ff_out_puts(t->out, token.kind == '=' ? " == " : " != ");
    return FF_OK;
  }
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    if (!ff_span_equals(token.span, same[i])) continue;
    ff_out_puts(t->out, " ");
    ff_out_puts(t->out, same[i]);
    ff_out_puts(t->out, " ");
    return FF_OK;
  }
  return found(t, token.span, "a number, a name, an operator or a parenthesis of a formula");
}

static ff_status translate(translator *t) {
  ff_status status = FF_OK;
  for (ff_candl_token token; status == FF_OK && (token = ff_candl_next(t->text, &t->at)).kind != 0;) {
    switch (token.kind) {
      case '0': ff_out_add(t->out, token.span); break;
      case 'a': status = put_symbol(t, token.span); break;
      case '(': status = open_bracket(t, ')'); break;
      case ')':
        if (t->n_closers == 0)
          status = found(t, ff_span_after(t->text, token.start), "the end of the formula, or a parenthesis that was opened");
        else
          ff_out_puts(t->out, t->closer[--t->n_closers] == '2' ? ")^2)" : ")");
        break;
      case '#': status = put_hash(t); break;
      case '[': status = put_number_of_colour(t); break;
      default: status = put_operator(t, token);
    }
    if (status == FF_OK) status = t->out->status;
    if (status == FF_OK && t->out->length > MOST_TEXT)
      status = ff_error_set(t->candl->err, FF_ESIZE,
                            "%s, line %llu: with all functions replaced, the formula has more than %llu bytes", t->place.file,
                            (unsigned long long)t->place.line, (unsigned long long)MOST_TEXT);
  }
  if (status == FF_OK && t->n_closers > 0) status = found(t, (ff_span){"", 0}, "a closing parenthesis of the formula");
  free(t->closer);
  return status;
}

ff_status ff_candl_number(ff_candl *candl, char **out, ff_span text, unsigned may, ff_place place) {
  const translator t = {.candl = candl, .may = may, .place = place};
  *out = NULL;
  text = ff_span_trim(text);
  if (text.length == 0) return found(&t, (ff_span){"", 0}, "a formula");
  return translate_part(&t, text, NULL, NULL, out);
}
