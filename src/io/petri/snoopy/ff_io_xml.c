/* The pull parser for XML. */
#include "ff_io_xml.h"

#include <stdio.h>
#include <string.h>

ff_xml ff_xml_of(const char *text, size_t length, const char *file, ff_error *err) {
  return (ff_xml){.text = text, .length = length, .line = 1, .start = 1, .file = file, .err = err};
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int starts_name(char c) { return ff_is_letter(c) || c == '_' || c == ':' || (unsigned char)c >= 0x80; }
static int is_of_name(char c) { return starts_name(c) || ff_is_digit(c) || c == '-' || c == '.'; }

static int starts(const ff_xml *xml, const char *word) {
  const size_t length = strlen(word);
  return xml->length - xml->at >= length && memcmp(xml->text + xml->at, word, length) == 0;
}

static void move_to(ff_xml *xml, size_t to) {
  for (; xml->at < to; xml->at++) {
    const char c = xml->text[xml->at];
    if (c == '\n' || (c == '\r' && (xml->at + 1 == xml->length || xml->text[xml->at + 1] != '\n'))) xml->line++;
  }
}

static void pass_space(ff_xml *xml) {
  size_t to = xml->at;
  while (to < xml->length && is_space(xml->text[to])) to++;
  move_to(xml, to);
}

/* The error that what stands here is not what was expected. */
static ff_status found_here(ff_xml *xml, const char *wanted) {
  size_t end = xml->at;
  while (end < xml->length && end - xml->at < 40 && xml->text[end] != '\n' && xml->text[end] != '\r') end++;
  const ff_span found = ff_span_trim((ff_span){xml->text + xml->at, end - xml->at});
  return ff_io_found(xml->err, (ff_place){xml->file, xml->line}, found, wanted);
}

/* The position of `word` between two positions; `end` if it is not there. */
static size_t find(const ff_xml *xml, size_t from, size_t end, const char *word) {
  const size_t length = strlen(word);
  while (from + length <= end) {
    const char *next = memchr(xml->text + from, word[0], end - from - length + 1);
    if (next == NULL) break;
    from = (size_t)(next - xml->text);
    if (memcmp(next, word, length) == 0) return from;
    from++;
  }
  return end;
}

/* ---- references and characters ---- */

static int is_character(uint32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0xD7FF) || (code >= 0xE000 && code <= 0xFFFD) ||
         (code >= 0x10000 && code <= 0x10FFFF);
}

static size_t read_number(const char *text, size_t length, uint32_t *code) {
  const int hexadecimal = length > 2 && text[2] == 'x';
  size_t at = hexadecimal ? 3 : 2;
  const size_t from = at;
  for (*code = 0; at < length && *code <= 0x10FFFF; at++) {
    const char c = ff_lower(text[at]);
    if (ff_is_digit(c))
      *code = *code * (hexadecimal ? 16 : 10) + (uint32_t)(c - '0');
    else if (hexadecimal && c >= 'a' && c <= 'f')
      *code = *code * 16 + (uint32_t)(c - 'a' + 10);
    else
      break;
  }
  return at > from && at < length && text[at] == ';' && is_character(*code) ? at + 1 : 0;
}

/* The length of the reference at the start of the text, which is an '&'; 0 if it is none. */
static size_t read_reference(const char *text, size_t length, uint32_t *code) {
  static const struct {
    const char *name;
    char means;
  } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  if (length > 1 && text[1] == '#') return read_number(text, length, code);
  for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
    const size_t n = strlen(entities[i].name);
    if (length < n || memcmp(text, entities[i].name, n) != 0) continue;
    *code = (unsigned char)entities[i].means;
    return n;
  }
  return 0;
}

static size_t put_utf8(char *out, uint32_t code) {
  const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = n; i-- > 1; code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)(lead[n] | code);
  return n;
}

size_t ff_xml_decode(char *out, ff_span value, int cdata) {
  size_t n = 0;
  for (size_t at = 0; at < value.length;) {
    const char c = value.text[at];
    uint32_t code = 0;
    const size_t reference = c == '&' && !cdata ? read_reference(value.text + at, value.length - at, &code) : 0;
    if (reference > 0) {
      n += put_utf8(out + n, code);
      at += reference;
    } else {
      const int pair = c == '\r' && at + 1 < value.length && value.text[at + 1] == '\n';
      if (!pair) out[n++] = c == '\r' ? '\n' : c;
      at++;
    }
  }
  return n;
}

/* Moves to `to`, and checks the characters and references before it. */
static ff_status pass_text(ff_xml *xml, size_t to, int cdata) {
  while (xml->at < to) {
    const char c = xml->text[xml->at];
    uint32_t code;
    if (c == '&' && !cdata && read_reference(xml->text + xml->at, to - xml->at, &code) == 0)
      return found_here(xml, "a character, or &lt;, &gt;, &amp;, &quot;, &apos; or a number such as &#65;");
    if ((unsigned char)c < 0x20 && !is_space(c)) return found_here(xml, "a character that XML allows");
    move_to(xml, xml->at + 1);
  }
  return FF_OK;
}

/* ---- what is no element ---- */

static ff_status pass_comment(ff_xml *xml) {
  const size_t end = find(xml, xml->at + 4, xml->length, "--");
  if (end + 3 > xml->length || xml->text[end + 2] != '>')
    return found_here(xml, "a comment that ends with --> and has no -- before it");
  move_to(xml, end + 3);
  return FF_OK;
}

/* The text is UTF-8 already, so a declaration must not name another encoding. */
static ff_status check_encoding(ff_xml *xml, size_t end) {
  static const char word[] = "encoding";
  const size_t from = find(xml, xml->at, end, word);
  if (from == end) return FF_OK;
  ff_span value = ff_span_trim((ff_span){xml->text + from + sizeof word - 1, end - from - (sizeof word - 1)});
  if (value.length > 0 && value.text[0] == '=') value = ff_span_trim(ff_span_after(value, 1));
  const char *close = value.length < 2 ? NULL : memchr(value.text + 1, value.text[0], value.length - 1);
  if (close != NULL) value = (ff_span){value.text + 1, (size_t)(close - value.text - 1)};
  if (ff_span_is(value, "UTF-8") || ff_span_is(value, "UTF8") || ff_span_is(value, "US-ASCII") || ff_span_is(value, "ASCII"))
    return FF_OK;
  return ff_io_found(xml->err, (ff_place){xml->file, xml->line}, value, "the encoding UTF-8");
}

static ff_status pass_instruction(ff_xml *xml) {
  const size_t end = find(xml, xml->at + 2, xml->length, "?>");
  if (end == xml->length) return found_here(xml, "an instruction that ends with ?>");
  if (starts(xml, "<?xml") && is_space(xml->text[xml->at + 5])) {
    if (xml->at > 0) return found_here(xml, "an element (<?xml ... ?> stands only at the start of a file)");
    const ff_status status = check_encoding(xml, end);
    if (status != FF_OK) return status;
  }
  move_to(xml, end + 2);
  return FF_OK;
}

static ff_status take_cdata(ff_xml *xml) {
  const size_t from = xml->at + 9, end = find(xml, from, xml->length, "]]>");
  if (xml->depth == 0) return found_here(xml, "an element");
  if (end == xml->length) return found_here(xml, "a section that ends with ]]>");
  xml->kind = FF_XML_TEXT;
  xml->value = (ff_span){xml->text + from, end - from};
  xml->cdata = 1;
  move_to(xml, from);
  const ff_status status = pass_text(xml, end, 1);
  move_to(xml, end + 3);
  return status;
}

static ff_status take_text(ff_xml *xml, int *found) {
  const size_t from = xml->at, end = find(xml, from, xml->length, "<"), bad = find(xml, from, end, "]]>");
  *found = 0;
  if (xml->depth == 0) {
    pass_space(xml);
    return xml->at == end ? FF_OK : found_here(xml, xml->rooted ? "nothing more" : "an element");
  }
  if (bad < end) {
    move_to(xml, bad);
    return found_here(xml, "a text without ]]>");
  }
  *found = 1;
  xml->kind = FF_XML_TEXT;
  xml->value = (ff_span){xml->text + from, end - from};
  xml->cdata = 0;
  return pass_text(xml, end, 0);
}

/* ---- tags ---- */

/* Takes a name, which may be empty. */
static ff_span take_name(ff_xml *xml) {
  const size_t from = xml->at;
  size_t to = from;
  if (to < xml->length && starts_name(xml->text[to]))
    while (to < xml->length && is_of_name(xml->text[to])) to++;
  move_to(xml, to);
  return (ff_span){xml->text + from, to - from};
}

static int same(ff_span a, ff_span b) { return a.length == b.length && memcmp(a.text, b.text, a.length) == 0; }

static ff_status take_attribute(ff_xml *xml) {
  const size_t from = xml->at;
  const ff_span name = take_name(xml);
  if (name.length == 0) return found_here(xml, "an attribute, > or />");
  if (xml->n_attributes == FF_XML_ATTRIBUTES) return found_here(xml, "no more than 40 attributes");
  for (uint32_t i = 0; i < xml->n_attributes; i++) {
    if (!same(xml->attribute[i][0], name)) continue;
    xml->at = from; /* on the same line */
    return found_here(xml, "an attribute that this element does not have yet");
  }
  pass_space(xml);
  if (!starts(xml, "=")) return found_here(xml, "= and the attribute's value");
  move_to(xml, xml->at + 1);
  pass_space(xml);
  if (!starts(xml, "\"") && !starts(xml, "'")) return found_here(xml, "a value in quotes");
  const char quote[] = {xml->text[xml->at], '\0'};
  const size_t end = find(xml, xml->at + 1, xml->length, quote);
  if (end == xml->length) return found_here(xml, "a value with quotes at both ends");
  move_to(xml, xml->at + 1);
  const ff_span value = {xml->text + xml->at, end - xml->at};
  const size_t bad = find(xml, xml->at, end, "<");
  const ff_status status = pass_text(xml, bad, 0);
  if (status != FF_OK) return status;
  if (bad < end) return found_here(xml, "a value without <");
  move_to(xml, end + 1);
  xml->attribute[xml->n_attributes][0] = name;
  xml->attribute[xml->n_attributes++][1] = value;
  return FF_OK;
}

static ff_status take_open(ff_xml *xml) {
  if (xml->depth == 0 && xml->rooted) return found_here(xml, "nothing more");
  if (xml->depth == FF_XML_DEPTH)
    return ff_error_set(xml->err, FF_EPARSE, "%s, line %llu: found more than %d nested elements where at most %d were expected",
                        xml->file, (unsigned long long)xml->line, FF_XML_DEPTH, FF_XML_DEPTH);
  move_to(xml, xml->at + 1);
  xml->name = take_name(xml);
  if (xml->name.length == 0) return found_here(xml, "the name of an element");
  xml->n_attributes = 0;
  for (;;) {
    const size_t before = xml->at;
    pass_space(xml);
    xml->alone = starts(xml, "/>");
    if (xml->alone || starts(xml, ">")) break;
    if (xml->at == before) return found_here(xml, "a blank, > or />");
    const ff_status status = take_attribute(xml);
    if (status != FF_OK) return status;
  }
  move_to(xml, xml->at + 1 + (size_t)xml->alone);
  xml->kind = FF_XML_OPEN;
  xml->rooted = 1;
  xml->open[xml->depth++] = xml->name;
  return FF_OK;
}

static ff_status take_close(ff_xml *xml) {
  const size_t from = xml->at;
  if (xml->depth == 0) return found_here(xml, xml->rooted ? "nothing more" : "an element");
  move_to(xml, from + 2);
  xml->name = take_name(xml);
  pass_space(xml);
  const ff_span open = xml->open[xml->depth - 1];
  if (!starts(xml, ">") || !same(open, xml->name)) {
    char wanted[FF_QUOTE_SIZE + 20];
    (void)snprintf(wanted, sizeof wanted, "the end of %s", ff_quote(open.text, open.length).text);
    xml->at = from;
    xml->line = xml->start;
    return found_here(xml, wanted);
  }
  move_to(xml, xml->at + 1);
  xml->kind = FF_XML_CLOSE;
  xml->depth--;
  return FF_OK;
}

static ff_status at_end(ff_xml *xml) {
  xml->kind = FF_XML_END;
  if (xml->depth == 0 && xml->rooted) return FF_OK;
  char wanted[FF_QUOTE_SIZE + 20] = "an element";
  if (xml->depth > 0) {
    const ff_span open = xml->open[xml->depth - 1];
    (void)snprintf(wanted, sizeof wanted, "the end of %s", ff_quote(open.text, open.length).text);
  }
  return found_here(xml, wanted);
}

ff_status ff_xml_next(ff_xml *xml) {
  if (xml->alone) {
    xml->alone = 0;
    xml->kind = FF_XML_CLOSE;
    xml->name = xml->open[--xml->depth];
    return FF_OK;
  }
  for (;;) {
    ff_status status;
    int found = 0;
    xml->start = xml->line;
    if (xml->at == xml->length) return at_end(xml);
    if (!starts(xml, "<")) {
      status = take_text(xml, &found);
      if (status != FF_OK || found) return status;
    } else if (starts(xml, "<![CDATA[")) {
      return take_cdata(xml);
    } else if (starts(xml, "<!--") || starts(xml, "<?")) {
      status = starts(xml, "<?") ? pass_instruction(xml) : pass_comment(xml);
      if (status != FF_OK) return status;
    } else if (starts(xml, "<!")) {
      return found_here(xml, "an element (a document type may define entities and is not read)");
    } else {
      return starts(xml, "</") ? take_close(xml) : take_open(xml);
    }
  }
}

ff_status ff_xml_skip(ff_xml *xml) {
  const uint32_t depth = xml->depth;
  while (xml->depth >= depth) {
    const ff_status status = ff_xml_next(xml);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

ff_span ff_xml_get(const ff_xml *xml, const char *name) {
  for (uint32_t i = 0; i < xml->n_attributes; i++)
    if (ff_span_equals(xml->attribute[i][0], name)) return xml->attribute[i][1];
  return (ff_span){"", 0};
}
