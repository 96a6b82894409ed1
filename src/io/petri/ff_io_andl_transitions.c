/* Reads transitions of ANDL and CANDL. */
#include "ff_io_andl_internal.h"

#include <stdlib.h>
#include <string.h>

ff_place ff_andl_place(ff_andl *andl, ff_span piece) {
  const size_t at = (size_t)(piece.text - andl->text.text);
  if (at < andl->counted) {
    andl->counted = 0;
    andl->line = 1;
  }
  for (; andl->counted < at; andl->counted++) {
    const char c = andl->text.text[andl->counted];
    if (c == '\n' || (c == '\r' && andl->text.text[andl->counted + 1] != '\n')) andl->line++;
  }
  return (ff_place){andl->file, andl->line};
}

static const char condition_wanted[] = "a condition: [p >= w] (read), [p < w] (inhibitor), [p = w] (equal) or [p] (modifier)";
static const char change_wanted[] = "a change: [p + w], [p - w] or [p = w]";

/* [p OPERATOR inscription]. */
typedef struct {
  ff_span text, sign, inscription;
  uint32_t place;
} part;

static ff_status found(ff_andl *andl, ff_span what, const char *wanted) {
  return ff_io_found(andl->err, ff_andl_place(andl, what), what, wanted);
}

static ff_status read_part(ff_andl *andl, part *out, ff_span text, const char *wanted) {
  *out = (part){.text = text};
  if (text.length < 2 || text.text[0] != '[' || ff_candl_close(text, 0) != text.length - 1) return found(andl, text, wanted);
  const ff_span inside = ff_span_trim((ff_span){text.text + 1, text.length - 2});
  const size_t length = ff_candl_name_length(inside);
  const ff_span name = {inside.text, length};
  if (length == 0) return found(andl, text, wanted);
  const int64_t id = ff_candl_lookup(&andl->candl->symbols, name);
  if (id < 0 || andl->candl->symbols.kind[id] != FF_CANDL_PLACE)
    return ff_candl_unknown(andl->candl, &andl->candl->symbols, "place", name, ff_andl_place(andl, name));
  out->place = andl->candl->symbols.number[id];
  size_t at = length;
  ff_candl_token token = ff_candl_next(inside, &at);
  out->sign = token.kind == '{' ? (ff_span){token.span.text, 0} : token.span; /* a modifier has no sign */
  ff_span rest = ff_span_trim(ff_span_after(inside, token.kind == '{' ? token.start : at));
  if (rest.length >= 2 && rest.text[0] == '{' && ff_candl_close(rest, 0) == rest.length - 1) {
    rest = ff_span_trim((ff_span){rest.text + 1, rest.length - 2});
    if (rest.length == 0) return found(andl, text, "an inscription within \"{\" and \"}\"");
  }
  if (out->sign.length > 0 && rest.length == 0) return found(andl, text, wanted);
  out->inscription = rest;
  return FF_OK;
}

/* n`colour as its two parts; the count of an uncoloured place is all of the text. */
static void split_count(const ff_andl *andl, const part *p, ff_span *count, ff_span *colour) {
  const size_t tick = ff_candl_find(p->inscription, 0, "`");
  *count = p->inscription;
  *colour = ff_span_of("");
  if (andl->candl->net->place[p->place].set == FF_PETRI_NONE) return;
  *count = tick == p->inscription.length ? ff_span_of("1") : ff_span_trim((ff_span){p->inscription.text, tick});
  *colour = tick == p->inscription.length ? p->inscription : ff_span_trim(ff_span_after(p->inscription, tick + 1));
}

static int same(ff_span a, ff_span b) { return a.length == b.length && memcmp(a.text, b.text, a.length) == 0; }

/* Whether b is a + 1: of numbers, or as the text (a) + 1. */
static int follows(ff_span a, ff_span b) {
  double x, y;
  if (ff_span_number(a, &x) && ff_span_number(b, &y)) return x + 1 == y;
  if (b.length > 0 && b.text[0] == '(' && ff_candl_close(b, 0) == b.length - 1)
    b = ff_span_trim((ff_span){b.text + 1, b.length - 2});
  if (a.length > 0 && a.text[0] == '(' && ff_candl_close(a, 0) == a.length - 1)
    a = ff_span_trim((ff_span){a.text + 1, a.length - 2});
  const size_t close = b.length > 0 && b.text[0] == '(' ? ff_candl_close(b, 0) : b.length;
  if (close >= b.length || !same(a, ff_span_trim((ff_span){b.text + 1, close - 1}))) return 0;
  const ff_span rest = ff_span_trim(ff_span_after(b, close + 1));
  return rest.length > 1 && rest.text[0] == '+' && ff_span_equals(ff_span_trim(ff_span_after(rest, 1)), "1");
}

/* Whether two conditions are [p >= w] & [p < w + 1] of a discrete place. */
static int are_equal_arc(const ff_andl *andl, const part *a, const part *b) {
  ff_span count[2], colour[2];
  if (a->place != b->place || !ff_span_equals(a->sign, ">=") || !ff_span_equals(b->sign, "<")) return 0;
  if (andl->candl->net->place[a->place].continuous) return 0;
  if (ff_candl_find(a->inscription, 0, "++") < a->inscription.length) return 0;
  split_count(andl, a, &count[0], &colour[0]);
  split_count(andl, b, &count[1], &colour[1]);
  return same(colour[0], colour[1]) && follows(count[0], count[1]);
}

static ff_status add_condition(ff_andl *andl, uint32_t transition, const part *p) {
  ff_petri_arc_kind kind = FF_ARC_MODIFIER;
  if (ff_span_equals(p->sign, ">=")) kind = FF_ARC_READ;
  if (ff_span_equals(p->sign, "<")) kind = FF_ARC_INHIBITOR;
  if (ff_span_equals(p->sign, "=")) kind = FF_ARC_EQUAL;
  if (kind == FF_ARC_MODIFIER && p->sign.length > 0) return found(andl, p->text, condition_wanted);
  return ff_candl_arc(andl->candl, transition, kind, p->place, p->inscription, ff_andl_place(andl, p->text));
}

/* Takes the parts that & joins. The caller frees *all. */
static ff_status read_parts(ff_andl *andl, ff_span text, const char *wanted, part **all, size_t *n) {
  size_t capacity = 0;
  ff_span rest = text, one;
  ff_status status = FF_OK;
  if (text.length == 0) return FF_OK;
  while (status == FF_OK && ff_candl_part(&rest, "&", &one)) {
    if (one.length == 0 && rest.length > 0 && rest.text[-1] == '&' && *n > 0) continue; /* && */
    void *memory = *all;
    status = ff_grow(&memory, &capacity, *n + 1, sizeof **all, andl->err);
    *all = memory;
    if (status == FF_OK) status = one.length > 0 ? read_part(andl, &(*all)[(*n)++], one, wanted) : found(andl, one, wanted);
  }
  return status;
}

static ff_status read_conditions(ff_andl *andl, uint32_t transition, ff_span text) {
  part *all = NULL;
  size_t n = 0;
  ff_status status = read_parts(andl, text, condition_wanted, &all, &n);
  for (size_t i = 0; i < n && status == FF_OK; i++) {
    if (i + 1 < n && are_equal_arc(andl, &all[i], &all[i + 1])) {
      status = ff_candl_arc(andl->candl, transition, FF_ARC_EQUAL, all[i].place, all[i].inscription,
                            ff_andl_place(andl, all[i].text));
      i++;
    } else {
      status = add_condition(andl, transition, &all[i]);
    }
  }
  free(all);
  return status;
}

static ff_status read_changes(ff_andl *andl, uint32_t transition, ff_span text) {
  part *all = NULL;
  size_t n = 0;
  ff_status status = read_parts(andl, text, change_wanted, &all, &n);
  for (size_t i = 0; i < n && status == FF_OK; i++) {
    ff_petri_arc_kind kind = FF_ARC_RESET;
    if (ff_span_equals(all[i].sign, "+")) kind = FF_ARC_OUT;
    if (ff_span_equals(all[i].sign, "-")) kind = FF_ARC_IN;
    if (kind == FF_ARC_RESET && !ff_span_equals(all[i].sign, "="))
      status = found(andl, all[i].text, change_wanted);
    else
      status = ff_candl_arc(andl->candl, transition, kind, all[i].place, all[i].inscription, ff_andl_place(andl, all[i].text));
  }
  free(all);
  return status;
}

/* NAME, and {[guard]} after it. */
static ff_status read_name(ff_andl *andl, ff_span text, uint32_t *transition) {
  const size_t length = ff_candl_name_length(text);
  ff_span guard = ff_span_trim(ff_span_after(text, length));
  const ff_place place = ff_andl_place(andl, text);
  if (guard.length > 0 && (guard.text[0] != '{' || ff_candl_close(guard, 0) != guard.length - 1))
    return found(andl, text, "the name of a transition, and its guard as {[x = y]}");
  ff_status status = ff_candl_transition(andl->candl, (ff_span){text.text, length}, andl->kind, transition, place);
  if (status != FF_OK || guard.length == 0) return status;
  guard = ff_span_trim((ff_span){guard.text + 1, guard.length - 2});
  if (guard.length < 2 || guard.text[0] != '[' || ff_candl_close(guard, 0) != guard.length - 1)
    return found(andl, guard, "a guard in brackets, as in {[x = y]}");
  return ff_candl_guard(andl->candl, *transition, (ff_span){guard.text + 1, guard.length - 2}, ff_andl_place(andl, guard));
}

ff_status ff_andl_transition(ff_andl *andl, ff_span text) {
  ff_span rest = text, field[4];
  uint32_t n = 0, transition;
  while (n < 3 && ff_candl_part(&rest, ":", &field[n])) n++;
  if (n < 3) return found(andl, text, "a transition NAME : conditions : changes : number ;");
  field[3] = rest.text == NULL ? (ff_span){text.text + text.length, 0} : ff_span_trim(rest);
  ff_status status = read_name(andl, field[0], &transition);
  if (status == FF_OK) status = read_conditions(andl, transition, field[1]);
  if (status == FF_OK) status = read_changes(andl, transition, field[2]);
  if (status == FF_OK) status = ff_candl_rate(andl->candl, transition, field[3], ff_andl_place(andl, field[3]));
  return status;
}
