/* SBML without libsbml: what a document must not contain, and the ids of nodes. */
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

/* Finds the value of `encoding = "..."` in an XML declaration. */
static int find_encoding(ff_span declaration, ff_span *value) {
  static const char word[] = "encoding";
  size_t length = sizeof word - 1, at = 0;
  while (at + length <= declaration.length && memcmp(declaration.text + at, word, length) != 0) at++;
  if (at + length > declaration.length) return 0;
  ff_span rest = ff_span_trim(ff_span_after(declaration, at + length));
  if (rest.length == 0 || rest.text[0] != '=') return 0; /* malformed */
  rest = ff_span_trim(ff_span_after(rest, 1));
  if (rest.length == 0 || (rest.text[0] != '"' && rest.text[0] != '\'')) return 0;
  size_t end = 1;
  while (end < rest.length && rest.text[end] != rest.text[0]) end++;
  *value = (ff_span){rest.text + 1, end - 1};
  return end < rest.length;
}

static int is_ascii(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] >= 0x80) return 0;
  return 1;
}

/* The text is UTF-8 already. If the declaration names another encoding, libxml2 would decode the bytes with that one; they are the
 * same in those that have ASCII as a part, if all are of ASCII. */
static ff_status check_encoding(const scanner *s, ff_span declaration, const char *file, ff_error *err) {
  static const char *const same[] = {"UTF-8", "UTF8", "US-ASCII", "ASCII"};
  static const char *const wider[] = {"ISO-8859-", "ISO_8859-", "LATIN", "WINDOWS-125", "CP125"};
  ff_span value;
  if (!find_encoding(declaration, &value)) return FF_OK;
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
    if (ff_span_is(value, same[i])) return FF_OK;
  for (size_t i = 0; i < sizeof wider / sizeof wider[0]; i++) {
    const size_t length = strlen(wider[i]);
    if (value.length > length && ff_span_is((ff_span){value.text, length}, wider[i]) && is_ascii(s->text, s->length)) return FF_OK;
  }
  return ff_io_found(err, (ff_place){file, 1}, value, "the encoding UTF-8");
}

void ff_sbml_name_encoding(char *text, size_t length) {
  static const char name[] = "UTF-8";
  const size_t used = sizeof name - 1;
  const char *end = memchr(text, '>', length);
  ff_span value;
  if (end == NULL || !find_encoding((ff_span){text, (size_t)(end - text)}, &value) || value.length < used) return;
  char *at = text + (value.text - text);
  memcpy(at, name, used);
  at[used] = value.text[value.length]; /* the quote */
  if (value.length > used) memset(at + used + 1, ' ', value.length - used);
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; } /* as XML defines it */

/* Moves *at to after the next attribute of a tag. Returns 0 if there is none. Attributes that are not well-formed are skipped,
 * because libsbml reports them. */
static int next_attribute(const char **at, const char *end, ff_span *name, ff_span *value) {
  const char *equals;
  while (*at < end && (equals = memchr(*at, '=', (size_t)(end - *at))) != NULL) {
    const char *stop = equals, *open = equals + 1;
    while (stop > *at && is_space(stop[-1])) stop--;
    const char *start = stop;
    while (start > *at && !is_space(start[-1])) start--;
    while (open < end && is_space(*open)) open++;
    *at = open;
    if (open == end || (*open != '"' && *open != '\'')) continue;
    const char *close = memchr(open + 1, *open, (size_t)(end - open - 1));
    if (close == NULL) return 0;
    *at = close + 1;
    *name = (ff_span){start, (size_t)(stop - start)};
    *value = (ff_span){open + 1, (size_t)(close - open - 1)};
    return 1;
  }
  return 0;
}

static int ends_in(ff_span span, const char *word) {
  size_t length = strlen(word);
  return span.length >= length && memcmp(span.text + span.length - length, word, length) == 0;
}

/* If a namespace is only the name of one of libsbml's packages, such as xmlns="qual", libsbml treats it as that package in a
 * version that does not exist, and throws an exception that C cannot catch. A namespace is a URI, which contains a colon, so a
 * namespace without a colon is refused. */
static ff_status check_namespaces(ff_span tag, ff_place place, ff_error *err) {
  const char *at = tag.text;
  ff_span name, value;
  while (next_attribute(&at, tag.text + tag.length, &name, &value))
    if (name.length >= 5 && memcmp(name.text, "xmlns", 5) == 0 && value.length > 0 &&
        memchr(value.text, ':', value.length) == NULL)
      return ff_io_found(err, place, value, "the URI of a namespace");
  return FF_OK;
}

/* The name of the element of a start tag, without a prefix. */
static ff_span local_name(ff_span tag) {
  size_t end = 1;
  while (end < tag.length && !is_space(tag.text[end]) && tag.text[end] != '>' && tag.text[end] != '/') end++;
  ff_span name = {tag.text + 1, end - 1};
  const char *colon = memchr(name.text, ':', name.length);
  if (colon != NULL) name = (ff_span){colon + 1, (size_t)(name.text + name.length - colon - 1)};
  return name;
}

/* The elements that are open. Within MathML, libsbml turns a sum or product of n terms into n - 1 nested operations. `terms` is
 * the number of child elements that the open elements have so far, so the syntax tree is not nested more deeply. */
typedef struct {
  uint32_t depth, math; /* `math`: the depth of the open <math>, or 0 */
  uint32_t terms, children[FF_SBML_DEPTH + 1];
} nesting;

static ff_status too_many_terms(ff_place place, ff_error *err) {
  return ff_error_set(err, FF_EPARSE, "%s, line %llu: found a formula of more than %d nested terms where at most %d were "
                      "expected", place.file, (unsigned long long)place.line, FF_SBML_TERMS, FF_SBML_TERMS);
}

/* Formulas of Level 1 are text. */
static ff_status check_text_formula(ff_span tag, ff_span element, ff_place place, ff_error *err) {
  const char *at = tag.text;
  ff_span name, value;
  if (!ends_in(element, "Law") && !ends_in(element, "Rule")) return FF_OK;
  while (next_attribute(&at, tag.text + tag.length, &name, &value)) {
    if (!ends_in(name, "formula")) continue; /* libsbml ignores the prefix of an attribute */
    size_t terms = 0;
    for (size_t i = 0; i < value.length; i++) terms += strchr("+-*/^(,&", value.text[i]) != NULL;
    if (terms > FF_SBML_TERMS) return too_many_terms(place, err);
  }
  return FF_OK;
}

static ff_status open_element(nesting *n, ff_span tag, int alone, ff_place place, ff_error *err) {
  ff_span element = local_name(tag);
  if (n->math > 0) {
    n->children[n->depth]++;
    if (++n->terms > FF_SBML_TERMS) return too_many_terms(place, err);
  }
  if (alone) return check_text_formula(tag, element, place, err);
  if (++n->depth > FF_SBML_DEPTH)
    return ff_error_set(err, FF_EPARSE, "%s, line %llu: found more than %d nested elements where at most %d were expected",
                        place.file, (unsigned long long)place.line, FF_SBML_DEPTH, FF_SBML_DEPTH);
  n->children[n->depth] = 0;
  if (n->math == 0 && ff_span_equals(element, "math")) n->math = n->depth;
  return check_text_formula(tag, element, place, err);
}

static void close_element(nesting *n) {
  if (n->math > 0) n->terms -= n->children[n->depth];
  if (n->math == n->depth) n->math = 0;
  if (n->depth > 0) n->depth--;
}

/* Checks what begins with "<?" or "<!" and is neither a comment nor CDATA. */
static ff_status check_declaration(scanner *s, const char *file, ff_error *err) {
  size_t from = s->at, end = from;
  const char *text = s->text;
  if (starts(s, "<?")) {
    move_past(s, 2, "?>");
    if (memcmp(text + from, "<?xml", s->at - from < 5 ? s->at - from : 5) != 0) return FF_OK;
    return check_encoding(s, (ff_span){text + from, s->at - from}, file, err);
  }
  while (end < s->length && end - from < 40 && text[end] != '\n' && text[end] != '\r' && text[end] != '[') end++;
  return ff_io_found(err, (ff_place){file, s->line}, ff_span_trim((ff_span){text + from, end - from}),
                     "an element (a document type may define entities and is not read)");
}

/* Moves to the next tag, or to the next declaration, over comments and CDATA. Returns 0 at the end. */
static int next_markup(scanner *s) {
  while (s->at < s->length) {
    const char *next = memchr(s->text + s->at, '<', s->length - s->at);
    move_to(s, next == NULL ? s->length : (size_t)(next - s->text));
    if (starts(s, "<!--"))
      move_past(s, 4, "-->");
    else if (starts(s, "<![CDATA["))
      move_past(s, 9, "]]>");
    else
      return s->at < s->length;
  }
  return 0;
}

ff_status ff_sbml_check_xml(const char *text, size_t length, const char *file, ff_error *err) {
  scanner s = {text, length, 0, 1};
  nesting open = {.depth = 0};
  int root = 1;
  while (next_markup(&s)) {
    size_t from = s.at;
    ff_place place = {file, s.line};
    ff_status status = FF_OK;
    if (starts(&s, "<?") || starts(&s, "<!")) {
      status = check_declaration(&s, file, err);
    } else if (starts(&s, "</")) {
      move_past_tag(&s);
      close_element(&open);
    } else {
      int alone = move_past_tag(&s);
      ff_span tag = {text + from, s.at - from};
      if (root) status = check_namespaces(tag, place, err);
      root = 0;
      if (status == FF_OK) status = open_element(&open, tag, alone, place, err);
    }
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

/* ---- packages ---- */

/* Whether an attribute says what `prefix` stands for. */
static int names_prefix(ff_span name, ff_span prefix) {
  return name.length == prefix.length + 6 && memcmp(name.text, "xmlns:", 6) == 0 &&
         memcmp(name.text + 6, prefix.text, prefix.length) == 0;
}

/* Whether the tag declares that `prefix` stands for a package whose URI contains `word`. */
static int is_package(ff_span tag, ff_span prefix, const char *word) {
  const char *at = tag.text;
  ff_span name, value;
  size_t length = strlen(word);
  while (next_attribute(&at, tag.text + tag.length, &name, &value)) {
    if (!names_prefix(name, prefix)) continue;
    for (size_t i = 0; i + length <= value.length; i++)
      if (memcmp(value.text + i, word, length) == 0) return 1;
  }
  return 0;
}

/* Finds an attribute PREFIX:word that is neither false nor 0. */
static int has_flag(ff_span tag, const char **at, const char *word, ff_span *prefix) {
  ff_span name, value;
  while (next_attribute(at, tag.text + tag.length, &name, &value)) {
    const char *colon = memchr(name.text, ':', name.length);
    if (colon == NULL || ff_span_equals(value, "false") || ff_span_equals(value, "0")) continue;
    *prefix = (ff_span){name.text, (size_t)(colon - name.text)};
    if (ff_span_equals((ff_span){colon + 1, (size_t)(name.text + name.length - colon - 1)}, word)) return 1;
  }
  return 0;
}

/* Moves past the next start tag. Returns 0 if there is none. */
static int next_tag(scanner *s, ff_span *tag, uint64_t *line) {
  while (next_markup(s)) {
    const size_t from = s->at;
    const int starts_element = !starts(s, "<?") && !starts(s, "</");
    *line = s->line;
    move_past_tag(s);
    *tag = (ff_span){s->text + from, s->at - from};
    if (starts_element) return 1;
  }
  return 0;
}

/* The name of a package as its URI has it: "distrib" of ".../level3/version1/distrib/version1". If the prefix has no such URI,
 * the name is the prefix. */
static ff_span package_of(ff_span tag, ff_span prefix) {
  static const char before[] = "/level3/version1/";
  const char *at = tag.text;
  ff_span name, value;
  while (next_attribute(&at, tag.text + tag.length, &name, &value)) {
    if (!names_prefix(name, prefix)) continue;
    for (size_t i = 0, length = sizeof before - 1; i + length < value.length; i++) {
      if (memcmp(value.text + i, before, length) != 0) continue;
      const ff_span rest = ff_span_after(value, i + length);
      const char *slash = memchr(rest.text, '/', rest.length);
      return (ff_span){rest.text, slash == NULL ? rest.length : (size_t)(slash - rest.text)};
    }
  }
  return prefix;
}

ff_status ff_sbml_check_packages(const char *text, size_t length, const char *file, ff_error *err) {
  scanner s = {text, length, 0, 1};
  ff_span root, prefix;
  uint64_t line;
  if (!next_tag(&s, &root, &line) || !ff_span_equals(local_name(root), "sbml")) return FF_OK; /* libsbml reports it */
  const char *at = root.text;
  while (has_flag(root, &at, "required", &prefix)) {
    if (is_package(root, prefix, "/qual/") || is_package(root, prefix, "/l3v2extendedmath/")) continue;
    const ff_span package = package_of(root, prefix);
    return ff_error_set(err, FF_EUNSUPPORTED, "%s, line %llu: found the package %s with required = true, which changes the "
                        "meaning of the model and is not supported", file, (unsigned long long)line,
                        ff_quote(package.text, package.length).text);
  }
  return FF_OK;
}

ff_status ff_sbml_check_flux(const char *text, size_t length, const char *file, ff_error *err) {
  scanner s = {text, length, 0, 1};
  ff_span root, tag, prefix;
  uint64_t line;
  if (!next_tag(&s, &root, &line)) return FF_OK;
  while (next_tag(&s, &tag, &line)) {
    if (!ff_span_equals(local_name(tag), "model")) continue;
    const char *at = tag.text;
    if (has_flag(tag, &at, "strict", &prefix) && is_package(root, prefix, "/fbc/"))
      return ff_error_set(err, FF_EUNSUPPORTED, "%s, line %llu: found a model for flux balance analysis (fbc:strict = true), "
                          "which is not supported", file, (unsigned long long)line);
    return FF_OK;
  }
  return FF_OK;
}

/* ---- ids ---- */

/* Whether an SId may have this character; its first one is no digit. */
static int is_of_sid(char c) { return ff_is_letter(c) || ff_is_digit(c) || c == '_'; }

static int is_sid(const char *name) {
  size_t i = 0;
  while (is_of_sid(name[i])) i++;
  return i > 0 && name[i] == '\0' && !ff_is_digit(name[0]);
}

/* The name as an SId, without regard to other names. */
static void put_base(ff_out *out, const char *name) {
  out->length = 0;
  ff_out_puts(out, ff_is_digit(name[0]) ? "_" : "");
  for (size_t i = 0; name[i] != '\0'; i++) {
    if (ff_continues_character(name[i])) continue;
    ff_out_add(out, is_of_sid(name[i]) ? (ff_span){name + i, 1} : (ff_span){"_", 1});
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
  ff_build all = {.file = "the ids", .err = err};
  ff_out out = {.err = err};
  ff_status status = FF_OK;
  uint32_t *order = ff_calloc(n, sizeof *order);
  char **result = ff_calloc(n, sizeof *result);
  *ids = NULL;
  if (order == NULL || result == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for %u ids", n);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    int is_new;
    if (!is_sid(names[i])) continue;
    status = ff_build_node(&all, (ff_span){names[i], strlen(names[i])}, &order[i], &is_new);
    if (status == FF_OK && !is_new) status = ff_error_set(err, FF_EMODEL, "two elements have the name %s; names must differ",
                                                           ff_quote(names[i], strlen(names[i])).text);
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

/* ---- texts ---- */

void ff_sbml_put_escaped(ff_out *out, const char *text) {
  for (size_t from = 0; text[from] != '\0';) {
    size_t plain = strcspn(text + from, "&<>\"");
    ff_out_add(out, (ff_span){text + from, plain});
    from += plain;
    switch (text[from]) {
      case '&': ff_out_puts(out, "&amp;"); break;
      case '<': ff_out_puts(out, "&lt;"); break;
      case '>': ff_out_puts(out, "&gt;"); break;
      case '"': ff_out_puts(out, "&quot;"); break;
      default: continue;
    }
    from++;
  }
}

ff_status ff_sbml_check_name(const char *name, ff_error *err) {
  if (strstr(name, "\xEF\xBF\xBE") == NULL && strstr(name, "\xEF\xBF\xBF") == NULL) return FF_OK;
  return ff_error_set(err, FF_EMODEL, "the name %s has a character that XML does not allow (U+FFFE or U+FFFF)",
                      ff_quote(name, strlen(name)).text);
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
