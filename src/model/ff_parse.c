#include "ff_parse.h"

#include "../base/ff_text.h"

#include <stdio.h>
#include <string.h>

/* ---- words ---------------------------------------------------------------------------------------------------------------- */

int ff_starts_name(char c) { return ff_is_letter(c) || c == '_' || c == '.' || (unsigned char)c >= 0x80; }

size_t ff_quoted_length(const char *text, size_t length, const char **name, size_t *name_length, int *closed) {
  const char *close = memchr(text + 1, text[0], length - 1);
  *closed = close != NULL;
  *name = text + 1;
  *name_length = close != NULL ? (size_t)(close - text) - 1 : 0;
  return close != NULL ? (size_t)(close - text) + 1 : length;
}

size_t ff_bracketed_length(const char *text, size_t length) {
  size_t depth = 0;
  for (size_t at = 0; at < length;) {
    const char c = text[at], *name;
    size_t name_length;
    int closed;
    if (c == '"' || c == '`') {
      at += ff_quoted_length(text + at, length - at, &name, &name_length, &closed);
      continue;
    }
    at++;
    if (c == '(' || c == '[') depth++;
    if ((c == ')' || c == ']') && --depth == 0) return at;
  }
  return 0;
}

/* ---- tokens --------------------------------------------------------------------------------------------------------------- */

ff_token ff_token_read(const ff_source *source, size_t *at) {
  while (*at < source->length && ff_is_blank(source->text[*at])) ++*at;
  ff_token t = {.kind = FF_T_END, .start = *at, .end = *at};
  if (*at == source->length) return t;
  const char *text = source->text + *at;
  size_t used = 1;
  int closed;
  switch (text[0]) {
    case '(': t.kind = FF_T_OPEN; break;
    case ')': t.kind = FF_T_CLOSE; break;
    case ',': t.kind = FF_T_COMMA; break;
    case '"':
    case '`':
      used = ff_quoted_length(text, source->length - *at, &t.name, &t.name_length, &closed);
      t.kind = closed ? FF_T_NAME : FF_T_QUOTE;
      t.quoted = 1;
      break;
    default: t.kind = FF_T_BAD;
  }
  *at += used;
  t.end = *at;
  return t;
}

/* ---- messages ------------------------------------------------------------------------------------------------------------- */

static ff_place_text text_of_place(ff_place place, const char *other) {
  ff_place_text out;
  if (place.file == NULL)
    snprintf(out.text, sizeof out.text, "%s%s", other, other[0] != '\0' ? ": " : "");
  else if (place.line == 0)
    snprintf(out.text, sizeof out.text, "%s: ", place.file);
  else
    snprintf(out.text, sizeof out.text, "%s, line %llu: ", place.file, (unsigned long long)place.line);
  return out;
}

ff_place_text ff_source_place(const ff_source *source) { return text_of_place(source->place, ""); }

/* The number of the character at this byte, from 1. */
static size_t character_at(const ff_source *source, size_t at) {
  size_t n = 1;
  for (size_t i = 0; i < at; i++) n += !ff_continues_character(source->text[i]);
  return n;
}

ff_spot ff_source_spot(const ff_source *source, size_t start, size_t end) {
  ff_spot out = {""};
  if (end - start < source->length)
    snprintf(out.text, sizeof out.text, " (character %zu of %s)", character_at(source, start),
             ff_quote(source->text, source->length).text);
  return out;
}

ff_status ff_source_found(const ff_source *source, size_t start, size_t end, const char *wanted) {
  ff_quoted found = start == source->length ? (ff_quoted){"the end"} : ff_quote(source->text + start, end - start);
  return ff_error_set(source->err, FF_EPARSE, "%sfound %s at character %zu of %s where %s was expected",
                      text_of_place(source->place, source->what).text, found.text, character_at(source, start),
                      ff_quote(source->text, source->length).text, wanted);
}

ff_status ff_source_unknown(const ff_source *source, size_t start, size_t end, const char *what, const char *name,
                            size_t name_length, const char *near, const char *more) {
  return ff_error_set(source->err, FF_EPARSE, "%sno %s is called %s%s%s", ff_source_place(source).text, what,
                      ff_quote(name, name_length).text, ff_source_spot(source, start, end).text,
                      near != NULL ? ff_hint_of(near).text : more);
}
