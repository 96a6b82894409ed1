/* SBML-qual without libsbml: what a document must not contain, and the ids of nodes. */
#include "ff_io_sbml.h"

#include <stdlib.h>
#include <string.h>

/* ---- checking the document ---- */

typedef struct {
  const char *text;
  size_t length, at;
  uint64_t line;
} scanner;

static int starts(const scanner *s, const char *word) {
  size_t length = strlen(word);
  return s->length - s->at >= length && memcmp(s->text + s->at, word, length) == 0;
}

static void move_to(scanner *s, size_t to) {
  for (; s->at < to; s->at++)
    if (s->text[s->at] == '\n' || (s->text[s->at] == '\r' && (s->at + 1 == s->length || s->text[s->at + 1] != '\n'))) s->line++;
}

/* Moves to after the next `word` that is at least `skip` bytes ahead, or to the end. */
static void move_past(scanner *s, size_t skip, const char *word) {
  size_t length = strlen(word), at = s->at + skip;
  while (at + length <= s->length && memcmp(s->text + at, word, length) != 0) at++;
  move_to(s, at + length <= s->length ? at + length : s->length);
}

/* Moves to after the '>' of a tag; quoted values may contain '>' too. Returns 1 for an empty-element tag: <.../>. */
static int move_past_tag(scanner *s) {
  size_t at = s->at + 1;
  while (at < s->length && s->text[at] != '>') {
    char c = s->text[at++];
    if (c != '"' && c != '\'') continue;
    while (at < s->length && s->text[at] != c) at++;
    if (at < s->length) at++;
  }
  int closed = at < s->length && s->text[at - 1] == '/';
  move_to(s, at < s->length ? at + 1 : at);
  return closed;
}

/* The text is UTF-8 already. If the declaration named another encoding, libxml2 would decode the bytes with that one. */
static ff_status check_encoding(ff_span declaration, const char *file, ff_error *err) {
  static const char word[] = "encoding";
  size_t length = sizeof word - 1, at = 0;
  while (at + length <= declaration.length && memcmp(declaration.text + at, word, length) != 0) at++;
  if (at + length > declaration.length) return FF_OK;
  ff_span value = ff_span_trim((ff_span){declaration.text + at + length, declaration.length - at - length});
  if (value.length == 0 || value.text[0] != '=') return FF_OK; /* malformed */
  value = ff_span_trim((ff_span){value.text + 1, value.length - 1});
  if (value.length == 0 || (value.text[0] != '"' && value.text[0] != '\'')) return FF_OK;
  size_t end = 1;
  while (end < value.length && value.text[end] != value.text[0]) end++;
  value = (ff_span){value.text + 1, end - 1};
  if (ff_span_is(value, "UTF-8") || ff_span_is(value, "UTF8") || ff_span_is(value, "US-ASCII") || ff_span_is(value, "ASCII"))
    return FF_OK;
  return ff_io_found(err, (ff_place){file, 1}, value, "the encoding UTF-8");
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* If a namespace is only the name of one of libsbml's packages, such as xmlns="qual", libsbml treats it as that package in a
 * version that does not exist, and throws an exception that C cannot catch. A namespace is a URI, which contains a colon, so a
 * namespace without a colon is refused. */
static ff_status check_namespaces(ff_span tag, ff_place place, ff_error *err) {
  const char *at = tag.text, *end = tag.text + tag.length, *equals;
  while (at < end && (equals = memchr(at, '=', (size_t)(end - at))) != NULL) {
    const char *stop = equals, *open = equals + 1;
    while (stop > at && is_space(stop[-1])) stop--;
    const char *name = stop;
    while (name > at && !is_space(name[-1])) name--;
    while (open < end && is_space(*open)) open++;
    at = open;
    if (open == end || (*open != '"' && *open != '\'')) continue; /* not well-formed: libsbml reports it */
    const char *close = memchr(open + 1, *open, (size_t)(end - open - 1));
    if (close == NULL) break;
    at = close + 1;
    ff_span value = {open + 1, (size_t)(close - open - 1)};
    if (stop - name >= 5 && memcmp(name, "xmlns", 5) == 0 && value.length > 0 && memchr(value.text, ':', value.length) == NULL)
      return ff_io_found(err, place, value, "the URI of a namespace");
  }
  return FF_OK;
}

ff_status ff_sbml_check_xml(const char *text, size_t length, const char *file, ff_error *err) {
  scanner s = {text, length, 0, 1};
  uint32_t depth = 0;
  int root = 1;
  while (s.at < length) {
    const char *next = memchr(text + s.at, '<', length - s.at);
    move_to(&s, next == NULL ? length : (size_t)(next - text));
    if (s.at == length) break;
    size_t from = s.at;
    ff_place place = {file, s.line};
    if (starts(&s, "<!--")) {
      move_past(&s, 4, "-->");
    } else if (starts(&s, "<![CDATA[")) {
      move_past(&s, 9, "]]>");
    } else if (starts(&s, "<?")) {
      move_past(&s, 2, "?>");
      if (memcmp(text + from, "<?xml", s.at - from < 5 ? s.at - from : 5) == 0) {
        ff_status status = check_encoding((ff_span){text + from, s.at - from}, file, err);
        if (status != FF_OK) return status;
      }
    } else if (starts(&s, "<!")) {
      size_t end = from;
      while (end < length && end - from < 40 && text[end] != '\n' && text[end] != '\r' && text[end] != '[') end++;
      return ff_io_found(err, place, ff_span_trim((ff_span){text + from, end - from}),
                         "an element (a document type may define entities and is not read)");
    } else if (starts(&s, "</")) {
      move_past_tag(&s);
      if (depth > 0) depth--;
    } else {
      int alone = move_past_tag(&s);
      if (root) {
        ff_status status = check_namespaces((ff_span){text + from, s.at - from}, place, err);
        if (status != FF_OK) return status;
        root = 0;
      }
      if (alone || ++depth <= FF_SBML_DEPTH) continue;
      return ff_error_set(err, FF_EPARSE,
                          "%s, line %llu: found more than %d nested elements where at most %d were expected",
                          file, (unsigned long long)place.line, FF_SBML_DEPTH, FF_SBML_DEPTH);
    }
  }
  return FF_OK;
}

/* ---- ids ---- */

static int is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_sid(const char *name) {
  if (!is_letter(name[0])) return 0;
  for (size_t i = 1; name[i] != '\0'; i++)
    if (!is_letter(name[i]) && !is_digit(name[i])) return 0;
  return 1;
}

/* The name as an SId, without regard to other names. */
static void put_base(ff_out *out, const char *name) {
  out->length = 0;
  ff_out_puts(out, is_digit(name[0]) ? "_" : "");
  for (size_t i = 0; name[i] != '\0'; i++) {
    if (((unsigned char)name[i] & 0xC0) == 0x80) continue; /* not the first byte of a character */
    ff_out_add(out, is_letter(name[i]) || is_digit(name[i]) ? (ff_span){name + i, 1} : (ff_span){"_", 1});
  }
}

/* Adds the first of BASE, BASE_17, BASE_17_, BASE_17__ ... that is free to the ids. */
static ff_status add_derived(ff_build *ids, ff_out *out, const char *name, uint32_t node, uint32_t *id) {
  put_base(out, name);
  for (int tries = 0;; tries++) {
    if (tries > 0) ff_out_puts(out, "_");
    if (tries == 1) ff_out_count(out, (uint64_t)node + 1);
    if (out->status != FF_OK) return out->status;
    int is_new;
    ff_status status = ff_build_node(ids, (ff_span){out->text, out->length}, id, &is_new);
    if (status != FF_OK || is_new) return status;
  }
}

ff_status ff_sbml_ids(char ***ids, char *const *names, uint32_t n, ff_error *err) {
  ff_build all = {.file = "SBML-qual", .err = err};
  ff_out out = {.err = err};
  ff_status status = FF_OK;
  uint32_t *order = ff_calloc(n, sizeof *order);
  char **result = ff_calloc(n, sizeof *result);
  *ids = NULL;
  if (order == NULL || result == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for the ids of %u nodes", n);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    int is_new;
    if (!is_sid(names[i])) continue;
    status = ff_build_node(&all, (ff_span){names[i], strlen(names[i])}, &order[i], &is_new);
    if (status == FF_OK && !is_new) status = ff_error_set(err, FF_EMODEL, "two nodes have the name \"%.200s\"", names[i]);
  }
  for (uint32_t i = 0; i < n && status == FF_OK; i++)
    if (!is_sid(names[i])) status = add_derived(&all, &out, names[i], i, &order[i]);
  if (status == FF_OK) {
    for (uint32_t i = 0; i < n; i++) result[i] = all.names[order[i]];
    all.n_nodes = 0; /* the caller owns them now */
    *ids = result;
    result = NULL;
  }
  ff_build_free(&all);
  free(out.text);
  free(order);
  free(result);
  return status;
}

void ff_sbml_ids_free(char **ids, uint32_t n) {
  for (uint32_t i = 0; ids != NULL && i < n; i++) free(ids[i]);
  free(ids);
}

/* ---- code ---- */

ff_status ff_sbml_emit(ff_sbml_code *code, ff_op op) {
  void *memory = code->code;
  if (code->length >= UINT32_MAX - 1) return ff_error_set(code->err, FF_ESIZE, "a function has more than 2^32 - 2 operations");
  ff_status status = ff_grow(&memory, &code->capacity, code->length + 1, sizeof *code->code, code->err);
  code->code = memory;
  if (status == FF_OK) code->code[code->length++] = op;
  return status;
}
