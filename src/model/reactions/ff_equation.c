/* Equations of reactions: from text to participants and back. */
#include "../../base/ff_text.h"
#include "../ff_formula_code.h"
#include "../ff_parse.h"
#include "ff_reactions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { T_END, T_NAME, T_COUNT, T_PLUS, T_TIMES, T_ARROW, T_BOTH, T_BAD, T_QUOTE } kind;

typedef struct {
  kind kind;
  uint32_t count;    /* for T_COUNT; 0 also if the number is not a whole number up to 2^32 - 1 */
  const char *name;  /* for T_NAME, without quotes */
  size_t name_length;
  size_t start, end; /* position of the token in the text */
} token;

/* The participants of one side. */
typedef struct {
  ff_participant *all;
  size_t n, capacity;
} side;

/* Either `names` is the table of species, or `found` is called for each name. */
typedef struct {
  ff_source source;
  size_t at;
  ff_names *names;
  void (*found)(void *context, const char *name, size_t length);
  void *context;
  int both;
  side sides[2];
  ff_error *err;
} parser;

static const char species_wanted[] = "a species";
static const char more_wanted[] = "\"+\", \"->\" or \"<->\"";
static const char end_wanted[] = "\"+\" or the end";

/* The length of the number at the start of the text, with a decimal point if it has one. *count becomes its value, or 0. */
static size_t read_count(const char *text, size_t length, uint32_t *count) {
  uint64_t value = 0;
  size_t end = 0;
  int whole = 1;
  for (; end < length && (ff_is_digit(text[end]) || text[end] == '.'); end++) {
    whole &= ff_is_digit(text[end]);
    if (whole && value <= UINT32_MAX) value = 10 * value + (uint64_t)(text[end] - '0');
  }
  *count = whole && value <= UINT32_MAX ? (uint32_t)value : 0;
  return end;
}

/* The length of a separator at the start of the text, or 0. */
static size_t read_separator(const char *text, size_t length, kind *what) {
  int both = text[0] == '<';
  size_t at = both ? 1 : 0;
  if (length < at + 2 || (text[at] != '-' && text[at] != '=') || text[at + 1] != '>') return 0;
  *what = both ? T_BOTH : T_ARROW;
  return at + 2;
}

static token read_token(parser *p) {
  while (p->at < p->source.length && ff_is_blank(p->source.text[p->at])) p->at++;
  token t = {.kind = T_END, .start = p->at, .end = p->at};
  if (p->at == p->source.length) return t;
  const char *text = p->source.text + p->at;
  size_t left = p->source.length - p->at, used = read_separator(text, left, &t.kind);
  char c = text[0];
  int closed;
  if (used > 0) {
    p->at += used;
    t.end = p->at;
    return t;
  }
  if (c == '+' || c == '*') {
    t.kind = c == '+' ? T_PLUS : T_TIMES;
    used = 1;
  } else if (c == '"' || c == '`') {
    used = ff_quoted_length(text, left, &t.name, &t.name_length, &closed);
    t.kind = closed ? T_NAME : T_QUOTE;
  } else if ((used = ff_formula_name_length(text, left)) > 0) {
    t.kind = T_NAME;
    t.name = text;
    t.name_length = used;
  } else {
    used = read_count(text, left, &t.count);
    t.kind = used > 0 ? T_COUNT : T_BAD;
    if (used == 0) used = 1;
  }
  p->at += used;
  t.end = p->at;
  return t;
}

/* ---- messages ---- */

static ff_status fail(const parser *p, const token *t, const char *wanted) {
  return ff_source_found(&p->source, t->start, t->end, wanted);
}

static ff_status fail_unknown(const parser *p, const token *t) {
  return ff_source_unknown(&p->source, t->start, t->end, "species", t->name, t->name_length,
                           ff_names_near(p->names, t->name, t->name_length), "");
}

/* ---- from text ---- */

static ff_status push(parser *p, side *to, const token *t, uint32_t count) {
  if (t->name_length == 0) return fail(p, t, species_wanted);
  if (p->names == NULL) {
    p->found(p->context, t->name, t->name_length);
    return FF_OK;
  }
  int64_t species = ff_names_find(p->names, t->name, t->name_length);
  if (species < 0) return fail_unknown(p, t);
  void *memory = to->all;
  ff_status status = ff_grow(&memory, &to->capacity, to->n + 1, sizeof *to->all, p->err);
  to->all = memory;
  if (status == FF_OK) to->all[to->n++] = (ff_participant){(uint32_t)species, count};
  return status;
}

/* Reads a species with an optional count before it, from the token *t on. */
static ff_status read_term(parser *p, side *to, token *t) {
  uint32_t count = 1;
  if (t->kind == T_COUNT) {
    count = t->count;
    if (count == 0) return fail(p, t, "a whole number from 1 to 4,294,967,295");
    *t = read_token(p);
    if (t->kind == T_TIMES) *t = read_token(p);
  }
  if (t->kind == T_QUOTE) return fail(p, t, "a closing quote");
  return t->kind == T_NAME ? push(p, to, t, count) : fail(p, t, species_wanted);
}

static int ends_side(const token *t, int first) { return first ? t->kind == T_ARROW || t->kind == T_BOTH : t->kind == T_END; }

/* Reads a side and the token after it: the separator, or the end. */
static ff_status read_side(parser *p, int first) {
  side *to = &p->sides[!first];
  token t = read_token(p);
  if (ends_side(&t, first)) {
    p->both |= t.kind == T_BOTH;
    return FF_OK;
  }
  if (t.kind == T_COUNT && t.end - t.start == 1 && p->source.text[t.start] == '0') { /* nothing */
    t = read_token(p);
    if (!ends_side(&t, first)) return fail(p, &t, first ? "\"->\" or \"<->\" after the 0" : "the end after the 0");
    p->both |= t.kind == T_BOTH;
    return FF_OK;
  }
  for (;;) {
    ff_status status = read_term(p, to, &t);
    if (status != FF_OK) return status;
    t = read_token(p);
    if (ends_side(&t, first)) break;
    if (t.kind != T_PLUS) return fail(p, &t, first ? more_wanted : end_wanted);
    t = read_token(p);
  }
  p->both |= t.kind == T_BOTH;
  return FF_OK;
}

static int ascending(const void *a, const void *b) {
  uint32_t left = ((const ff_participant *)a)->species, right = ((const ff_participant *)b)->species;
  return (left > right) - (left < right);
}

int ff_participants_merge(ff_participant *all, size_t *n) {
  size_t kept = 0;
  if (*n > 1) qsort(all, *n, sizeof *all, ascending);
  for (size_t i = 0; i < *n; i++) {
    if (all[i].count == 0) continue;
    if (kept == 0 || all[kept - 1].species != all[i].species)
      all[kept++] = all[i];
    else if (all[i].count > UINT32_MAX - all[kept - 1].count)
      return 0;
    else
      all[kept - 1].count += all[i].count;
  }
  *n = kept;
  return 1;
}

static ff_status merge(const parser *p, side *s) {
  if (!ff_participants_merge(s->all, &s->n))
    return ff_error_set(p->err, FF_ESIZE, "%sa side of %s has a species more than 4,294,967,295 times",
                        ff_source_place(&p->source).text, ff_quote(p->source.text, p->source.length).text);
  if (s->n > 0) s->all = ff_shrink(s->all, s->n, sizeof *s->all);
  if (s->n <= UINT32_MAX) return FF_OK;
  return ff_error_set(p->err, FF_ESIZE, "%sa side of an equation has %zu species; at most 2^32 - 1 are possible",
                      ff_source_place(&p->source).text, s->n);
}

static ff_status parse(parser *p) {
  ff_status status = read_side(p, 1);
  if (status == FF_OK) status = read_side(p, 0);
  if (status == FF_OK) status = merge(p, &p->sides[0]);
  return status == FF_OK ? merge(p, &p->sides[1]) : status;
}

ff_status ff_reactions_equation(ff_reactions *net, uint32_t r, const char *text, ff_names *names, ff_place place, int *both,
                                ff_error *err) {
  parser p = {.source = {text, strlen(text), place, "the equation", err}, .names = names, .err = err};
  ff_status status = parse(&p);
  *both = p.both;
  if (status != FF_OK) {
    free(p.sides[0].all);
    free(p.sides[1].all);
    return status;
  }
  ff_reaction *reaction = &net->reactions[r];
  free(reaction->reactants);
  free(reaction->products);
  reaction->reactants = p.sides[0].all;
  reaction->products = p.sides[1].all;
  reaction->n_reactants = (uint32_t)p.sides[0].n;
  reaction->n_products = (uint32_t)p.sides[1].n;
  return FF_OK;
}

ff_status ff_equation_names(const char *text, void (*found)(void *context, const char *name, size_t length), void *context,
                            ff_place place, int *both, ff_error *err) {
  parser p = {.source = {text, strlen(text), place, "the equation", err}, .found = found, .context = context, .err = err};
  ff_status status = parse(&p);
  *both = p.both;
  return status;
}

/* ---- to text ---- */

/* Adds a name, within backquotes if it needs quotes. A name that has a backquote is within double quotes. */
static ff_status add_name(ff_string *out, const char *name, ff_error *err) {
  size_t length = strlen(name);
  const char *quote = ff_formula_name_length(name, length) == length ? "" : strchr(name, '`') != NULL ? "\"" : "`";
  ff_status status = ff_string_puts(out, quote, err);
  if (status == FF_OK) status = ff_string_add(out, name, length, err);
  return status == FF_OK ? ff_string_puts(out, quote, err) : status;
}

static ff_status add_side(ff_string *out, const ff_participant *all, uint32_t n, char *const *names, ff_error *err) {
  if (n == 0) return ff_string_puts(out, "0", err);
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    char count[16] = "";
    if (all[i].count != 1) snprintf(count, sizeof count, "%u ", all[i].count);
    if (i > 0) status = ff_string_puts(out, " + ", err);
    if (status == FF_OK) status = ff_string_puts(out, count, err);
    if (status == FF_OK) status = add_name(out, names[all[i].species], err);
  }
  return status;
}

ff_status ff_reactions_equation_text(char **out, const ff_reactions *net, uint32_t r, ff_error *err) {
  const ff_reaction *reaction = &net->reactions[r];
  ff_string text = {0};
  ff_status status = add_side(&text, reaction->reactants, reaction->n_reactants, net->names, err);
  if (status == FF_OK) status = ff_string_puts(&text, " -> ", err);
  if (status == FF_OK) status = add_side(&text, reaction->products, reaction->n_products, net->names, err);
  *out = status == FF_OK ? text.text : NULL;
  if (status != FF_OK) free(text.text);
  return status;
}
