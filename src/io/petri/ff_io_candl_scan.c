/* Pieces of the inner texts of Petri nets. */
#include "ff_io_candl_internal.h"

int ff_candl_starts_name(char c) { return ff_is_letter(c) || c == '_'; }
int ff_candl_continues_name(char c) { return ff_is_letter(c) || c == '_' || c == '\'' || ff_is_digit(c); }

size_t ff_candl_name_length(ff_span text) {
  if (text.length == 0 || !ff_candl_starts_name(text.text[0])) return 0;
  size_t used = 1;
  while (used < text.length && ff_candl_continues_name(text.text[used])) used++;
  return used;
}

int ff_candl_is_name(ff_span text) { return text.length > 0 && ff_candl_name_length(text) == text.length; }

/* The bytes of the operator at the start of a text. */
static size_t operator_length(ff_span text) {
  static const char *const two[] = {"<=", ">=", "!=", "<>", "&&", "||", "=="};
  for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
    if (text.length > 1 && text.text[0] == two[i][0] && text.text[1] == two[i][1]) return 2;
  size_t used = 1;
  while (used < text.length && ff_continues_character(text.text[used])) used++;
  return used;
}

ff_candl_token ff_candl_next(ff_span text, size_t *at) {
  while (*at < text.length && ff_is_blank(text.text[*at])) ++*at;
  ff_span rest = ff_span_after(text, *at);
  ff_candl_token token = {0, {rest.text, 0}, *at};
  if (rest.length == 0) return token;
  const size_t number = ff_decimal_length(rest.text, rest.length), name = ff_candl_name_length(rest);
  if (rest.text[0] == '"') {
    size_t end = ff_span_after(rest, 1).length == 0 ? 1 : ff_candl_close(rest, 0);
    token.kind = '"';
    token.span = (ff_span){rest.text + 1, end - 1};
    *at += end < rest.length ? end + 1 : end;
    return token;
  }
  token.kind = number > 0 ? '0' : name > 0 ? 'a' : rest.text[0];
  token.span.length = number > 0 ? number : name > 0 ? name : operator_length(rest);
  *at += token.span.length;
  return token;
}

/* Moves `at` behind the text in quotes that starts there. */
static size_t skip_quotes(ff_span text, size_t at) {
  for (at++; at < text.length && text.text[at] != '"'; at++) continue;
  return at;
}

size_t ff_candl_find(ff_span text, size_t from, const char *sign) {
  const size_t length = strlen(sign);
  size_t open = 0;
  for (size_t at = from; at < text.length; at++) {
    const char c = text.text[at];
    if (open == 0 && text.length - at >= length && memcmp(text.text + at, sign, length) == 0) return at;
    if (c == '"') at = skip_quotes(text, at);
    if (c == '(' || c == '[' || c == '{') open++;
    if ((c == ')' || c == ']' || c == '}') && open > 0) open--;
  }
  return text.length;
}

size_t ff_candl_close(ff_span text, size_t open) {
  size_t depth = 0;
  if (text.text[open] == '"') return skip_quotes(text, open);
  for (size_t at = open; at < text.length; at++) {
    const char c = text.text[at];
    if (c == '"') at = skip_quotes(text, at);
    if (c == '(' || c == '[' || c == '{') depth++;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return at;
  }
  return text.length;
}

int ff_candl_part(ff_span *rest, const char *sign, ff_span *part) {
  if (rest->text == NULL) return 0;
  const size_t at = ff_candl_find(*rest, 0, sign);
  *part = ff_span_trim((ff_span){rest->text, at});
  *rest = at == rest->length ? (ff_span){NULL, 0} : ff_span_after(*rest, at + strlen(sign));
  return 1;
}

int ff_candl_predicate(ff_span *text, ff_span *inside) {
  *text = ff_span_trim(*text);
  *inside = (ff_span){text->text, 0};
  if (text->length == 0 || text->text[0] != '[') return 1;
  const size_t close = ff_candl_close(*text, 0);
  if (close == text->length) return 0;
  *inside = ff_span_trim((ff_span){text->text + 1, close - 1});
  *text = ff_span_trim(ff_span_after(*text, close + 1));
  return 1;
}
