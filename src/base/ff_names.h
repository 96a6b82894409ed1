/* Names: a hash table of them, which one was perhaps meant, and how a message shows a text. */
#ifndef FF_NAMES_H
#define FF_NAMES_H

#include "ff_base.h"

/* 1 where the bytes are valid UTF-8 (no surrogates, no overlong forms), else 0. */
int ff_utf8_valid(const char *text, size_t length);

/* A piece of a text for a message, within double quotes: at most about 60 bytes of it, whole UTF-8 characters, bytes that a
 * terminal would not print as \xHH, then "..." where it was cut. */
#define FF_QUOTE_SIZE 300
typedef struct {
  char text[FF_QUOTE_SIZE];
} ff_quoted;
ff_quoted ff_quote(const char *text, size_t length);

/* A hash table from names to their numbers, O(n) to make and O(1) to ask; ff_names_find gives -1 where there is none, and is an
 * ff_lookup (model/ff_model.h). `names` must outlive it. FF_EMODEL, with the name, where one occurs twice; `what` says what it names
 * ("nodes"). */
typedef struct ff_names ff_names;
ff_status ff_names_new(ff_names **out, char *const *names, uint32_t n, const char *what, ff_error *err);
int64_t ff_names_find(void *names, const char *name, size_t length);
void ff_names_free(ff_names *names);

/* The name that was perhaps meant, for messages: the first of those nearest to `name`, which differ from it in the case of
 * letters alone or by at most one edit, from six bytes on by one for every three; none where `name` has only two bytes. NULL
 * where there is no such name. It belongs to the array. O(n times the square of the name's length). */
const char *ff_name_near(char *const *names, uint32_t n, const char *name, size_t length);
const char *ff_names_near(const ff_names *names, const char *name, size_t length);

#endif
