#include "ff_expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_ROOM 256
#define MOST_DEEP 64

/* The declarations of <stddef.h> and <stdint.h> that the texts use. */
static const char types[] = "typedef unsigned long size_t;\ntypedef signed char int8_t;\ntypedef unsigned char uint8_t;\n"
                            "typedef unsigned int uint32_t;\ntypedef int int32_t;\ntypedef unsigned long uint64_t;\n"
                            "typedef long int64_t;\n#define UINT32_C(x) x##u\n#define UINT64_C(x) x##ul\n"
                            "#define UINT32_MAX 0xFFFFFFFFu\n#define UINT64_MAX 0xFFFFFFFFFFFFFFFFul\n#define NULL 0\n";

typedef struct {
  const ff_text *texts;
  uint8_t *there; /* per text: whether the unit contains it unconditionally */
  char *unit;
  size_t length, capacity;
  ff_error *err;
} expansion;

/* The state of reading one text. */
typedef struct {
  const char *path; /* path under src/; NULL for the parts */
  int line;
  int in_comment, conditions, guarded, directives;
  int certain; /* it is included unconditionally */
  int deep;
} reader;

static ff_status put(expansion *x, const char *text, size_t n) {
  ff_status status = ff_grow((void **)&x->unit, &x->capacity, x->length + n + 1, 1, x->err);
  if (status != FF_OK) return status;
  memcpy(x->unit + x->length, text, n);
  x->length += n;
  x->unit[x->length] = '\0';
  return FF_OK;
}

static ff_status put_place(expansion *x, const reader *r) {
  char line[PATH_ROOM + 32];
  int n = r->path == NULL ? snprintf(line, sizeof line, "#line %d \"generated.cu\"\n", r->line)
                          : snprintf(line, sizeof line, "#line %d \"src/%.*s\"\n", r->line, PATH_ROOM, r->path);
  return put(x, line, (size_t)n);
}

/* Returns whether the line ends within a comment. *code becomes the position of its first character outside comments and blanks,
 * or n. */
static int scan_line(const char *line, size_t n, int in_comment, size_t *code) {
  char quote = '\0';
  *code = n;
  for (size_t i = 0; i < n; i++) {
    const char c = line[i], next = i + 1 < n ? line[i + 1] : '\0';
    if (in_comment) {
      if (c == '*' && next == '/') in_comment = 0, i++;
    } else if (quote != '\0') {
      if (c == '\\') i++;
      if (c == quote) quote = '\0';
    } else if (c == '/' && next == '*') {
      in_comment = 1;
      i++;
    } else if (c == '/' && next == '/') {
      return 0;
    } else {
      if (*code == n && c != ' ' && c != '\t') *code = i;
      if (c == '"' || c == '\'') quote = c;
    }
  }
  return in_comment;
}

/* Skips blanks and returns the length of the word at *at. */
static size_t word_at(const char *line, size_t n, size_t *at) {
  while (*at < n && (line[*at] == ' ' || line[*at] == '\t')) (*at)++;
  size_t end = *at;
  while (end < n && ((line[end] >= 'a' && line[end] <= 'z') || line[end] == '_')) end++;
  return end - *at;
}

static int is_word(const char *at, size_t n, const char *word) { return strlen(word) == n && memcmp(at, word, n) == 0; }

/* Computes the path under src/ of what text `from` includes as `name`. Returns 0 if it is outside src/ or too long. */
static int resolve(char out[PATH_ROOM], const char *from, const char *name, size_t n) {
  const char *slash = from != NULL ? strrchr(from, '/') : NULL;
  size_t length = slash != NULL ? (size_t)(slash - from) : 0;
  if (length + n + 2 > PATH_ROOM) return 0;
  if (length > 0) memcpy(out, from, length);
  for (size_t at = 0, end; at <= n; at = end + 1) { /* component by component */
    for (end = at; end < n && name[end] != '/'; end++) {}
    if (end - at == 2 && memcmp(name + at, "..", 2) == 0) {
      if (length == 0) return 0;
      while (length > 0 && out[length - 1] != '/') length--;
      length -= length > 0;
    } else if (end > at && !(end - at == 1 && name[at] == '.')) {
      if (length > 0) out[length++] = '/';
      memcpy(out + length, name + at, end - at);
      length += end - at;
    }
  }
  out[length] = '\0';
  return 1;
}

/* The number of the text to which an #include line refers. `at` is the position after the word include. -1: none of the texts;
 * -2: a C header that is left out. */
static int included_text(const expansion *x, const reader *r, const char *line, size_t n, size_t at) {
  char path[PATH_ROOM];
  while (at < n && (line[at] == ' ' || line[at] == '\t')) at++;
  if (at == n || (line[at] != '"' && line[at] != '<')) return -1;
  const char *name = line + at + 1, *end = memchr(name, line[at] == '"' ? '"' : '>', n - at - 1);
  if (end == NULL) return -1;
  const size_t length = (size_t)(end - name);
  if (line[at] == '<') return is_word(name, length, "stddef.h") || is_word(name, length, "stdint.h") ? -2 : -1;
  if (!resolve(path, r->path, name, length)) return -1;
  for (int i = 0; x->texts[i].name != NULL; i++)
    if (strcmp(x->texts[i].name, path) == 0) return i;
  return -1;
}

static ff_status put_text(expansion *x, reader *r, const char *text);

static ff_status put_include(expansion *x, const reader *r, int which) {
  const int certain = r->certain && r->conditions == r->guarded;
  if (x->there[which]) return put(x, "\n", 1);
  if (r->deep >= MOST_DEEP)
    return ff_error_set(x->err, FF_EINTERNAL, "texts include one another endlessly: src/%s", x->texts[which].name);
  if (certain) x->there[which] = 1;
  reader inner = {.path = x->texts[which].name, .line = 1, .certain = certain, .deep = r->deep + 1};
  ff_status status = put_text(x, &inner, x->texts[which].text);
  reader next = *r;
  next.line++;
  return status == FF_OK ? put_place(x, &next) : status;
}

/* Writes one line. Keeps track of conditions and replaces includes. */
static ff_status put_line(expansion *x, reader *r, const char *line, size_t n) {
  size_t at;
  const int commented = r->in_comment;
  r->in_comment = scan_line(line, n, commented, &at);
  int which = -1;
  if (at < n && line[at] == '#') {
    at++;
    const size_t length = word_at(line, n, &at);
    const char *word = line + at;
    if (is_word(word, length, "ifndef") && r->directives == 0) r->guarded = 1;
    if (is_word(word, length, "if") || is_word(word, length, "ifdef") || is_word(word, length, "ifndef")) r->conditions++;
    if (is_word(word, length, "endif")) r->conditions--;
    if (is_word(word, length, "include")) which = included_text(x, r, line, n, at + length);
    r->directives++;
  }
  if (which >= 0) return put_include(x, r, which);
  ff_status status = which == -2 ? FF_OK : put(x, line, n);
  return status == FF_OK ? put(x, "\n", 1) : status;
}

static ff_status put_text(expansion *x, reader *r, const char *text) {
  ff_status status = put_place(x, r);
  for (const char *at = text, *end; status == FF_OK && *at != '\0'; at = *end == '\n' ? end + 1 : end) {
    end = at + strcspn(at, "\n");
    status = put_line(x, r, at, (size_t)(end - at));
    r->line++;
  }
  return status;
}

ff_status ff_expand(char **out, const ff_text *texts, const char *const *parts, int n, ff_error *err) {
  expansion x = {.texts = texts, .err = err};
  size_t n_texts = 0;
  *out = NULL;
  while (texts[n_texts].name != NULL) n_texts++;
  x.there = ff_calloc(n_texts, 1);
  ff_status status = x.there != NULL ? put(&x, types, sizeof types - 1) : ff_error_set(err, FF_EMEMORY, "no memory for code");
  reader r = {.line = 1, .certain = 1};
  for (int i = 0; i < n && status == FF_OK; i++) status = put_text(&x, &r, parts[i]);
  free(x.there);
  if (status == FF_OK)
    *out = x.unit;
  else
    free(x.unit);
  return status;
}
