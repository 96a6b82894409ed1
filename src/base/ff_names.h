/* Names: a hash table of names, suggestions for misspelt names, and how a message shows a text. */
#ifndef FF_NAMES_H
#define FF_NAMES_H

#include "ff_base.h"

/* 1 if the bytes are valid UTF-8 (without surrogates and overlong forms), else 0. O(length). */
int ff_utf8_valid(const char *text, size_t length);

/* Returns a text in double quotes, for a message. At most about 60 bytes of it are shown, in whole UTF-8 characters. Bytes
 * that a terminal would not print are shown as \xHH, and "..." follows a text that was cut. O(1). */
#define FF_QUOTE_SIZE 300
typedef struct {
  char text[FF_QUOTE_SIZE];
} ff_quoted;
ff_quoted ff_quote(const char *text, size_t length);

/* Looks a name up and returns its index, -1 if there is no such name, or -2 if there is no memory. The caller of a parser
 * supplies `context`. */
typedef int64_t (*ff_lookup)(void *context, const char *name, size_t length);

/* The position of a text in a file, for messages such as "file.pbn, line 12". `file` is NULL if the text is not from a file. */
typedef struct {
  const char *file; /* printed as it is, so it must have no control characters */
  uint64_t line; /* from 1; 0 if unknown */
} ff_place;

/* Makes *out a terminated copy of a name; *out must be NULL before. The caller frees it with free(). */
ff_status ff_name_copy(char **out, const char *name, ff_error *err);

/* A hash of a name (FNV-1a), whose lower bits depend on all of its bytes. O(length). */
uint64_t ff_name_hash(const char *name, size_t length);

/* A hash table from names to their indices. Making it takes O(n) time and a look-up O(1), on average and not counting the
 * lengths of names. The table borrows `names`, which must outlive it; ff_names_free() frees the table only. If a name occurs
 * twice, ff_names_new() fails with FF_EMODEL and a message that quotes it; `what` says what is named, such as "nodes".
 * ff_names_find() returns -1 for an unknown name and can be used as an ff_lookup. */
typedef struct ff_names ff_names;
ff_status ff_names_new(ff_names **out, char *const *names, uint32_t n, const char *what, ff_error *err);
int64_t ff_names_find(void *names, const char *name, size_t length);
void ff_names_free(ff_names *names);

/* The name that was probably meant, for messages: the first of the names nearest to `name`, or NULL if none is near. Upper
 * and lower case count as equal. Up to one edit is allowed; from six bytes on, one edit for every three bytes; none if `name`
 * has at most two bytes. Names of more than 60 bytes have no suggestion. The result belongs to the array. O(n * length^2). */
const char *ff_name_near(char *const *names, uint32_t n, const char *name, size_t length);
const char *ff_names_near(const ff_names *names, const char *name, size_t length);

/* "; did you mean "NEAR"?", the end of a message on an unknown name; empty if `near` is NULL. */
typedef struct {
  char text[FF_QUOTE_SIZE + 20];
} ff_hint;
ff_hint ff_hint_of(const char *near);

#endif
