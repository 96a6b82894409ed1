/* Reading and writing pieces of text. */
#include "ff_io_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ff_span ff_span_of(const char *text) { return (ff_span){text == NULL ? "" : text, text == NULL ? 0 : strlen(text)}; }

ff_span ff_span_after(ff_span span, size_t at) { return (ff_span){span.text + at, span.length - at}; }

ff_span ff_span_trim(ff_span span) {
  while (span.length > 0 && ff_is_blank(span.text[0])) span = ff_span_after(span, 1);
  while (span.length > 0 && ff_is_blank(span.text[span.length - 1])) span.length--;
  return span;
}

int ff_span_equals(ff_span span, const char *word) { return ff_text_is(span.text, span.length, word); }

int ff_span_is(ff_span span, const char *word) { return ff_text_is_any_case(span.text, span.length, word); }

size_t ff_span_find(ff_span span, size_t from, char sign, int nested) {
  size_t open = 0;
  for (size_t at = from; at < span.length; at++) {
    char c = span.text[at];
    if (c == sign && open == 0) return at;
    if (c == '"' || c == '`') {
      const char *close = memchr(span.text + at + 1, c, span.length - at - 1);
      if (close == NULL) return span.length;
      at = (size_t)(close - span.text);
    } else if (nested && (c == '(' || c == '{')) {
      open++;
    } else if (nested && (c == ')' || c == '}') && open > 0) {
      open--;
    }
  }
  return span.length;
}

int ff_span_split(ff_span span, char sign, ff_span *before, ff_span *after) {
  const size_t at = ff_span_find(span, 0, sign, 0);
  if (at == span.length) return 0;
  *before = ff_span_trim((ff_span){span.text, at});
  *after = ff_span_trim(ff_span_after(span, at + 1));
  return 1;
}

int ff_span_number(ff_span span, double *value) {
  const int negative = span.length > 0 && span.text[0] == '-', sign = negative || (span.length > 0 && span.text[0] == '+');
  span = ff_span_after(span, (size_t)sign);
  if (span.length == 0 || ff_decimal_length(span.text, span.length) < span.length) return 0;
  *value = ff_decimal_read(span.text, span.length);
  if (negative) *value = -*value;
  return isfinite(*value);
}

int ff_span_count(ff_span span, uint64_t *value) {
  *value = 0;
  if (span.length == 0 || span.length > 18) return 0;
  for (size_t i = 0; i < span.length; i++) {
    if (!ff_is_digit(span.text[i])) return 0;
    *value = *value * 10 + (uint64_t)(span.text[i] - '0');
  }
  return 1;
}

int ff_span_name(ff_span span, ff_span *name) {
  *name = span;
  if (span.length > 2 && (span.text[0] == '"' || span.text[0] == '`')) {
    *name = (ff_span){span.text + 1, span.length - 2};
    return memchr(name->text, span.text[0], name->length + 1) == span.text + span.length - 1;
  }
  return ff_name_is_plain(span.text, span.length);
}

int ff_lines_next(ff_lines *lines, ff_span *line) {
  if (lines->rest.length == 0) return 0;
  const char *text = lines->rest.text;
  size_t length = 0, left = lines->rest.length;
  while (length < left && text[length] != '\n' && text[length] != '\r') length++;
  size_t used = length;
  if (used < left) used += text[used] == '\r' && used + 1 < left && text[used + 1] == '\n' ? 2 : 1;
  *line = (ff_span){text, length};
  lines->rest = (ff_span){text + used, left - used};
  lines->line++;
  return 1;
}

ff_status ff_io_found(ff_error *err, ff_place place, ff_span found, const char *wanted) {
  ff_quoted shown = {"the end of the file"};
  if (found.text != NULL && found.length == 0) strcpy(shown.text, "nothing");
  if (found.length > 0) shown = ff_quote(found.text, found.length);
  return ff_error_set(err, FF_EPARSE, "%s, line %llu: found %s where %s was expected", place.file,
                      (unsigned long long)(place.line == 0 ? 1 : place.line), shown.text, wanted); /* 0: an empty file */
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

void ff_out_add(ff_out *out, ff_span span) {
  if (out->status != FF_OK) return;
  void *memory = out->text;
  out->status = ff_grow(&memory, &out->capacity, out->length + span.length + 1, 1, out->err);
  out->text = memory;
  if (out->status != FF_OK) return;
  memcpy(out->text + out->length, span.text, span.length);
  out->length += span.length;
  out->text[out->length] = '\0';
}

void ff_out_puts(ff_out *out, const char *text) { ff_out_add(out, (ff_span){text, strlen(text)}); }

void ff_out_number(ff_out *out, double value) { ff_out_puts(out, ff_show_exact(value).text); }

void ff_out_count(ff_out *out, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  ff_out_puts(out, text);
}

void ff_out_name(ff_out *out, const char *name) {
  const char *quote = ff_name_quote(name);
  ff_out_puts(out, quote);
  ff_out_puts(out, name);
  ff_out_puts(out, quote);
}

void ff_out_expr(ff_out *out, const ff_expr *expr, char *const *names, int tables) {
  if (out->status != FF_OK) return;
  char *text;
  out->status = ff_expr_text(&text, expr, names, tables, out->err);
  if (out->status != FF_OK) return;
  ff_out_puts(out, text);
  free(text);
}

ff_status ff_out_finish(ff_out *out, char **text) {
  *text = NULL;
  if (out->status == FF_OK && out->text == NULL) ff_out_puts(out, "");
  if (out->status == FF_OK)
    *text = out->text;
  else
    free(out->text);
  return out->status;
}

int ff_io_is_given(ff_names *given, const char *name) {
  return given != NULL && ff_names_find(given, name, strlen(name)) >= 0;
}
