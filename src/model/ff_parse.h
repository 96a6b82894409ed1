/* What the parsers of expressions, formulas and equations share: words, tokens, and messages that say where in a text something
 * was found. */
#ifndef FF_PARSE_H
#define FF_PARSE_H

#include "../base/ff_names.h"

/* ---- words ---------------------------------------------------------------------------------------------------------------- */

/* Whether a name without quotes may start with this byte: a letter, `_`, `.`, or any byte of a character that is not ASCII. */
int ff_starts_name(char c);

/* The number of bytes of the quoted text at the start of `text`, which starts with a quote, `"` or `` ` ``. *name becomes what is
 * between the quotes, or is empty if the second quote is missing; *closed tells which. O(result). */
size_t ff_quoted_length(const char *text, size_t length, const char **name, size_t *name_length, int *closed);

/* The number of bytes of the text within brackets at the start of `text`, which starts with ( or [, up to the bracket that
 * closes it; 0 if none does. Brackets within quotes do not count. O(result). */
size_t ff_bracketed_length(const char *text, size_t length);

/* ---- texts ---------------------------------------------------------------------------------------------------------------- */

/* A text that is parsed. It is borrowed, and need not be terminated. */
typedef struct {
  const char *text;
  size_t length;
  ff_place place;   /* where the text is from */
  const char *what; /* what it is, for messages on a text that is not from a file: "the formula" */
  ff_error *err;
} ff_source;

/* ---- tokens of formulas and of expressions of colours --------------------------------------------------------------------- */

typedef enum {
  FF_T_END,
  FF_T_NUMBER,
  FF_T_NAME,
  FF_T_OPERATOR,
  FF_T_NOT,
  FF_T_OPEN,
  FF_T_CLOSE,
  FF_T_COMMA,
  FF_T_BAD,
  FF_T_QUOTE,  /* that is not closed */
  FF_T_BRACKET /* that is not closed */
} ff_token_kind;

typedef struct {
  ff_token_kind kind;
  int quoted;
  uint32_t code;     /* of FF_T_OPERATOR: that of the parser's grammar; a "-" subtracts and a "+" adds */
  double number;     /* of FF_T_NUMBER in a formula */
  const char *name;  /* of FF_T_NAME, without quotes; in a formula with elements, as it is written */
  size_t name_length;
  size_t start, end; /* position of the token in the text */
} ff_token;

/* Reads the token after *at and blanks if it is the end, a parenthesis, a comma or a name in quotes. Any other is FF_T_BAD, of
 * one byte: the caller looks for an operator or a word. Moves *at behind it. O(bytes read). */
ff_token ff_token_read(const ff_source *source, size_t *at);

/* ---- messages ------------------------------------------------------------------------------------------------------------- */

/* The place as the start of a message: "net.pbn, line 12: "; empty if the text is not from a file. */
typedef struct {
  char text[400];
} ff_place_text;
ff_place_text ff_source_place(const ff_source *source);

/* " (character 5 of "A & B")", the position of the bytes from `start` to `end`; empty if they are the whole text. Characters are
 * those of UTF-8, from 1. O(length). */
typedef struct {
  char text[FF_QUOTE_SIZE + 60];
} ff_spot;
ff_spot ff_source_spot(const ff_source *source, size_t start, size_t end);

/* Sets the error FF_EPARSE "PLACE: found FOUND at character N of TEXT where WANTED was expected". What was found are the bytes
 * from `start` to `end`, or the end if `start` is the end of the text. O(length). */
ff_status ff_source_found(const ff_source *source, size_t start, size_t end, const char *wanted);

/* Sets the error FF_EPARSE "PLACE: no WHAT is called NAME (character N of TEXT); did you mean NEAR?". `near` may be NULL; then
 * `more` ends the message. O(length). */
ff_status ff_source_unknown(const ff_source *source, size_t start, size_t end, const char *what, const char *name,
                            size_t name_length, const char *near, const char *more);

#endif
