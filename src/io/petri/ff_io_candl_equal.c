/* Expressions of colours as formulas, and whether two colours are equal: a rate may depend on this. */
#include "ff_io_candl_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TEXT (UINT64_C(1) << 24) /* bytes of a formula that is made here */
#define MOST_NAMES 256u               /* colours of a set whose successors a formula lists */

static const uint8_t operands[] = {
#define FF_X(code, n, r, candl) n,
    FF_COLOUR_LIST(FF_X)
#undef FF_X
};

static const char *const signs[] = {
#define FF_X(code, n, r, candl) r,
    FF_COLOUR_LIST(FF_X)
#undef FF_X
};

/* What is left to write: a text, or the subexpression whose last word is `word`. */
typedef struct {
  const char *text;
  uint32_t word;
} item;

typedef struct {
  ff_candl *candl;
  ff_out *out;
  const ff_colour_expr *expr; /* expanded */
  uint32_t *start;            /* of the subexpression that ends at a word */
  item *todo;
  size_t n, capacity;
  ff_place place;
} writer;

static ff_status push(writer *w, const char *text, uint32_t word) {
  void *memory = w->todo;
  const ff_status status = ff_grow(&memory, &w->capacity, w->n + 1, sizeof *w->todo, w->candl->err);
  w->todo = memory;
  if (status == FF_OK) w->todo[w->n++] = (item){text, word};
  return status;
}

/* Pushes what a pattern writes, where 1 and 2 stand for the operands. */
static ff_status push_pattern(writer *w, const char *const *pattern, uint32_t n, uint32_t last) {
  const uint32_t code = w->expr->word[last].code, second = last - 1;
  const uint32_t first = operands[code] == 2 ? w->start[second] - 1 : second;
  ff_status status = FF_OK;
  for (uint32_t i = n; i-- > 0 && status == FF_OK;) {
    if (strcmp(pattern[i], "1") == 0)
      status = push(w, NULL, first);
    else if (strcmp(pattern[i], "2") == 0)
      status = push(w, NULL, second);
    else
      status = push(w, pattern[i], 0);
  }
  return status;
}

static ff_status unsupported(const writer *w, const char *what) {
  return ff_error_set(w->candl->err, FF_EUNSUPPORTED, "%s, line %llu: a formula of numbers cannot have %s", w->place.file,
                      (unsigned long long)w->place.line, what);
}

static ff_status put_index(writer *w, uint32_t component) {
  const ff_petri *net = w->candl->net;
  for (uint32_t i = 0; i < net->n_indices; i++)
    if (net->index[i].first == component && ff_petri_set_width(net, net->index[i].set) == 1) {
      ff_candl_put_name(w->out, net->index[i].name);
      return FF_OK;
    }
  return unsupported(w, "a component of a variable of colours");
}

static void put_integer(ff_out *out, int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, value);
  ff_out_puts(out, text);
}

/* Writes if(x == a, b, ...), the colour of a set that comes after or before x. The operand may be long, so it is a plain one. */
static ff_status put_neighbour(writer *w, uint32_t last) {
  const ff_colour_word *word = &w->expr->word[last], *operand = word - 1;
  const ff_colours *set;
  if (operands[operand->code] != 0) return unsupported(w, "the successor or predecessor of an expression");
  ff_status status = ff_candl_colours(w->candl, word->of, &set);
  if (status != FF_OK) return status;
  const uint32_t n = ff_colours_n(set), step = word->code == FF_C_NEXT ? 1 : n - 1;
  if (n > MOST_NAMES) return unsupported(w, "the successor or predecessor in a set of more than 256 colours");
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    int64_t value[2];
    ff_colours_at(set, i, &value[0]);
    ff_colours_at(set, (i + step) % n, &value[1]);
    if (i + 1 < n) {
      ff_out_puts(w->out, "if(");
      if (operand->code == FF_C_INDEX)
        status = put_index(w, operand->of);
      else
        put_integer(w->out, operand->value);
      ff_out_puts(w->out, " == ");
      put_integer(w->out, value[0]);
      ff_out_puts(w->out, ", ");
    }
    put_integer(w->out, value[1]);
    if (i + 1 < n) ff_out_puts(w->out, ", ");
  }
  for (uint32_t i = 1; i < n; i++) ff_out_puts(w->out, ")");
  return status;
}

static ff_status put_word(writer *w, uint32_t last) {
  static const char *const quotient[] = {"if((", "1",     ") / (", "2",  ") >= 0, floor((", "1", ") / (", "2", ")), ceiling((",
                                         "1",    ") / (", "2",     ")))"};
  static const char *const rest[] = {"((", "1", ") - (", "2", ") * if((", "1", ") / (", "2", ") >= 0, floor((", "1", ") / (", "2",
                                     ")), ceiling((", "1", ") / (", "2", "))))"};
  const ff_colour_word *word = &w->expr->word[last];
  switch (word->code) {
    case FF_C_NUMBER: put_integer(w->out, word->value); return FF_OK;
    case FF_C_INDEX: return put_index(w, word->of);
    case FF_C_NEXT:
    case FF_C_PREVIOUS: return put_neighbour(w, last);
    case FF_C_DIV: return push_pattern(w, quotient, sizeof quotient / sizeof quotient[0], last);
    case FF_C_MOD: return push_pattern(w, rest, sizeof rest / sizeof rest[0], last);
    default: break;
  }
  if (operands[word->code] == 1) {
    const char *const one[] = {word->code == FF_C_ABS ? "" : "(", signs[word->code], "(", "1", ")",
                               word->code == FF_C_ABS ? "" : ")"};
    return push_pattern(w, one, 6, last);
  }
  const char *const two[] = {"(", "1", " ", signs[word->code], " ", "2", ")"};
  return push_pattern(w, two, 7, last);
}

static void find_starts(writer *w) {
  for (uint32_t i = 0; i < w->expr->length; i++) {
    uint32_t start = i;
    for (uint32_t k = 0; k < operands[w->expr->word[i].code]; k++) start = w->start[start - 1];
    w->start[i] = start;
  }
}

ff_status ff_candl_formula_of_colour(ff_candl *candl, ff_out *out, const ff_colour_expr *expr, ff_place place) {
  const ff_colour_scope scope = ff_petri_scope(candl->net);
  ff_colour_expr expanded = {0};
  ff_status status = ff_colour_expand(&expanded, expr, &scope, candl->err);
  if (status != FF_OK) return status;
  writer w = {.candl = candl, .out = out, .expr = &expanded, .place = place};
  w.start = ff_calloc((size_t)expanded.length + 1, sizeof *w.start);
  if (w.start == NULL) status = ff_candl_no_memory(candl);
  if (status == FF_OK) find_starts(&w);
  if (status == FF_OK && expanded.length > 0) status = push(&w, NULL, expanded.length - 1);
  while (status == FF_OK && out->status == FF_OK && w.n > 0) {
    const item it = w.todo[--w.n];
    if (it.text != NULL)
      ff_out_puts(out, it.text);
    else
      status = put_word(&w, it.word);
    if (out->length > MOST_TEXT) status = unsupported(&w, "so long an expression of colours");
  }
  free(w.start);
  free(w.todo);
  ff_colour_free(&expanded);
  return status == FF_OK ? out->status : status;
}

/* ---- equality ---- */

/* x, x + c or x - c, as the number of x and c; 0 for anything else. A number has x = UINT32_MAX. */
static int is_shift(const ff_colour_expr *e, uint32_t *index, int64_t *shift) {
  *index = UINT32_MAX;
  *shift = 0;
  if (e->length == 1 && e->word[0].code == FF_C_NUMBER) {
    *shift = e->word[0].value;
    return 1;
  }
  if (e->length == 0 || e->word[0].code != FF_C_INDEX) return 0;
  *index = e->word[0].of;
  if (e->length == 3 && e->word[1].code == FF_C_NUMBER) *shift = e->word[1].value;
  if (e->length == 3 && e->word[2].code == FF_C_SUB) *shift = -*shift;
  return e->length == 1 || (e->length == 3 && e->word[1].code == FF_C_NUMBER &&
                            (e->word[2].code == FF_C_ADD || e->word[2].code == FF_C_SUB));
}

/* Whether the values of two expressions are equal: 0 never, 1 always, 2 if it depends. */
static ff_status compare(ff_candl *candl, int *equal, const ff_colour_expr *a, const ff_colour_expr *b) {
  const ff_colour_scope scope = ff_petri_scope(candl->net);
  ff_colour_expr x = {0}, y = {0};
  uint32_t i, j;
  int64_t m, n;
  *equal = 2;
  ff_status status = ff_colour_expand(&x, a, &scope, candl->err);
  if (status == FF_OK) status = ff_colour_expand(&y, b, &scope, candl->err);
  if (status == FF_OK && x.length == y.length && memcmp(x.word, y.word, x.length * sizeof *x.word) == 0) *equal = 1;
  if (status == FF_OK && *equal == 2 && is_shift(&x, &i, &m) && is_shift(&y, &j, &n) && i == j) *equal = m == n;
  ff_colour_free(&x);
  ff_colour_free(&y);
  return status;
}

ff_status ff_candl_condition(ff_candl *candl, int *holds, const char *text, ff_place place) {
  uint32_t i = 0;
  while (i < candl->n_conditions && strcmp(candl->condition[i], text) != 0) i++;
  if (i == FF_CANDL_MOST_CONDITIONS)
    return ff_error_set(candl->err, FF_EUNSUPPORTED,
                        "%s, line %llu: the rate depends on whether %s, and on %u other conditions; expected fewer: "
                        "replace the transition by several with guards",
                        place.file, (unsigned long long)place.line, text, FF_CANDL_MOST_CONDITIONS);
  if (i == candl->n_conditions && (candl->condition[i] = ff_candl_keep(candl, ff_span_of(text))) == NULL) return FF_EMEMORY;
  if (i == candl->n_conditions) candl->n_conditions++;
  *holds = (int)(candl->holds >> i & 1);
  return FF_OK;
}

ff_status ff_candl_equal(ff_candl *candl, int *equal, const ff_candl_colour *a, const ff_candl_colour *b, ff_place place) {
  ff_out out = {.err = candl->err};
  ff_status status = FF_OK;
  int all = 1;
  for (uint32_t k = 0; k < a->width && status == FF_OK && all != 0; k++) {
    int same = 0;
    status = compare(candl, &same, &a->expr[k], &b->expr[k]);
    if (same != 1) all = same;
    if (same != 2) continue;
    ff_out_puts(&out, out.length == 0 ? "(" : " & (");
    ff_out_puts(&out, a->text[k]);
    ff_out_puts(&out, ") == (");
    ff_out_puts(&out, b->text[k]);
    ff_out_puts(&out, ")");
  }
  *equal = all;
  if (status == FF_OK && all == 2) status = out.status;
  if (status == FF_OK && all == 2) status = ff_candl_condition(candl, equal, out.text, place);
  free(out.text);
  return status;
}
