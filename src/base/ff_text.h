/* Characters and words of texts. They do not depend on the locale, as those of <ctype.h> do. */
#ifndef FF_TEXT_H
#define FF_TEXT_H

#include <stddef.h>
#include <string.h>

/* A blank, a tab, or an end of a line or page. */
static inline int ff_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline int ff_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline int ff_is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
static inline char ff_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Whether a byte of UTF-8 belongs to the character of the byte before it. */
static inline int ff_continues_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Whether a text is this word. O(length). */
static inline int ff_text_is(const char *text, size_t length, const char *word) {
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* The same, where letters of ASCII may be in upper or lower case. */
static inline int ff_text_is_any_case(const char *text, size_t length, const char *word) {
  if (strlen(word) != length) return 0;
  for (size_t i = 0; i < length; i++)
    if (ff_lower(text[i]) != ff_lower(word[i])) return 0;
  return 1;
}

#endif
