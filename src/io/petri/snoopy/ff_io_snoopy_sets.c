/* Snoopy's XML: sets of colours and variables. */
#include "ff_io_snoopy_internal.h"

#include <stdlib.h>
#include <string.h>

/* Texts of sets, which must live until all sets are known. */
typedef struct {
  const ff_snoopy *doc;
  ff_candl *candl;
  char **text;
  size_t n, room;
  int dot; /* whether the set Dot is declared */
} sets;

static ff_status unsupported(const sets *s, ff_snoopy_text name, ff_snoopy_text value, const char *wanted) {
  return ff_error_set(s->doc->err, FF_EUNSUPPORTED, "%s, line %llu: found %s as the colours of %s where %s was expected",
                      s->doc->file, (unsigned long long)value.line, ff_quote(value.text.text, value.text.length).text,
                      ff_quote(name.text.text, name.text.length).text, wanted);
}

/* Adds a set whose text has been written. */
static ff_status add(sets *s, ff_out *out, ff_snoopy_text name, uint64_t line) {
  char *text;
  ff_status status = ff_out_finish(out, &text);
  if (status != FF_OK) return status;
  status = ff_grow((void **)&s->text, &s->room, s->n + 1, sizeof *s->text, s->doc->err);
  if (status != FF_OK) {
    free(text);
    return status;
  }
  s->text[s->n++] = text;
  s->dot |= ff_span_equals(name.text, "Dot");
  return ff_candl_set(s->candl, name.text, ff_span_of(text), ff_snoopy_place(s->doc, line));
}

/* The next part of a list with commas, without blanks. Returns 0 at the end. */
static int next_part(ff_span *rest, ff_span *part) {
  if (rest->text == NULL) return 0;
  const size_t comma = ff_span_find(*rest, 0, ',', 1);
  *part = ff_span_trim((ff_span){rest->text, comma});
  *rest = comma < rest->length ? ff_span_after(*rest, comma + 1) : (ff_span){NULL, 0};
  return 1;
}

/* Splits a range, "1-N", at its sign. */
static int is_range(ff_span part, ff_span *low, ff_span *high) {
  if (part.length < 3) return 0;
  const char *sign = memchr(part.text + 1, '-', part.length - 2);
  if (sign == NULL) return 0;
  const size_t at = (size_t)(sign - part.text);
  *low = ff_span_trim((ff_span){part.text, at});
  *high = ff_span_trim(ff_span_after(part, at + 1));
  return 1;
}

/* The letters and digits in Snoopy's order: that of ASCII. */
static int is_alphanumeric(char c) { return ff_is_letter(c) || ff_is_digit(c); }

/* Puts the names of a range: words of equal length that differ in their last character, or numbers. */
static ff_status put_names(const sets *s, ff_out *out, ff_snoopy_text name, ff_snoopy_text value, ff_span low, ff_span high,
                           const char *quote) {
  uint64_t first, last;
  const size_t n = low.length;
  if (ff_span_count(low, &first) && ff_span_count(high, &last)) {
    if (first > last) {
      const uint64_t other = first;
      first = last;
      last = other;
    }
    if (last - first >= FF_COLOUR_MAX_SET) return unsupported(s, name, value, "a shorter range");
    for (uint64_t i = first; i <= last && out->status == FF_OK; i++) {
      ff_out_puts(out, i > first ? "," : "");
      ff_out_puts(out, quote);
      ff_out_count(out, i);
      ff_out_puts(out, quote);
    }
    return FF_OK;
  }
  if (n != high.length || n == 0 || memcmp(low.text, high.text, n - 1) != 0 || !is_alphanumeric(low.text[n - 1]) ||
      !is_alphanumeric(high.text[n - 1]))
    return unsupported(s, name, value, "a range of names that differ in their last letter, such as a1-a5,");
  int from = low.text[n - 1], to = high.text[n - 1], any = 0;
  if (from > to) {
    const int other = from;
    from = to;
    to = other;
  }
  for (int c = from; c <= to; c++) {
    const char letter = (char)c;
    if (!is_alphanumeric(letter)) continue;
    ff_out_puts(out, any ? "," : "");
    ff_out_puts(out, quote);
    ff_out_add(out, (ff_span){low.text, n - 1});
    ff_out_add(out, (ff_span){&letter, 1});
    ff_out_puts(out, quote);
    any = 1;
  }
  return FF_OK;
}

/* Puts the colours of a simple set. `names`: they are names, and a range of them is written out; else it is a range of numbers.
 * */
static ff_status put_colours(const sets *s, ff_out *out, ff_snoopy_text name, ff_snoopy_text value, int names,
                             const char *quote) {
  ff_span rest = value.text, part, low, high;
  int any = 0;
  ff_out_puts(out, "{");
  while (next_part(&rest, &part)) {
    ff_out_puts(out, any ? "," : "");
    any = 1;
    if (!is_range(part, &low, &high)) {
      ff_out_puts(out, quote);
      ff_out_add(out, part);
      ff_out_puts(out, quote);
    } else if (names) {
      const ff_status status = put_names(s, out, name, value, low, high, quote);
      if (status != FF_OK) return status;
    } else {
      ff_out_add(out, low);
      ff_out_puts(out, "..");
      ff_out_add(out, high);
    }
  }
  ff_out_puts(out, "}");
  return FF_OK;
}

/* A row of the table of simple sets: name, type, colours. */
static ff_status add_simple(sets *s, ff_snoopy_text name, ff_snoopy_text type, ff_snoopy_text value) {
  ff_out out = {.err = s->doc->err};
  ff_status status = FF_OK;
  if (ff_span_equals(type.text, "dot")) {
    ff_out_puts(&out, "{dot}");
  } else if (ff_span_equals(type.text, "int")) {
    status = put_colours(s, &out, name, value, 0, "");
  } else if (ff_span_equals(type.text, "enum") || ff_span_equals(type.text, "bool")) {
    status = put_colours(s, &out, name, value, 1, "");
  } else if (ff_span_equals(type.text, "string")) {
    if (memchr(value.text.text, '[', value.text.length) != NULL)
      status = unsupported(s, name, value, "a list of strings without [ ]");
    else
      status = put_colours(s, &out, name, value, 1, "\"");
  } else {
    status = ff_error_set(s->doc->err, FF_EUNSUPPORTED, "%s, line %llu: found the set of colours %s of the type %s where int, "
                          "enum, string, bool or dot was expected", s->doc->file, (unsigned long long)type.line,
                          ff_quote(name.text.text, name.text.length).text, ff_quote(type.text.text, type.text.length).text);
  }
  if (status == FF_OK) return add(s, &out, name, value.line);
  free(out.text);
  return status;
}

/* A row of the table of compound sets: name, "product", "union" or the name of a set, and sets or a predicate. */
static ff_status add_compound(sets *s, ff_snoopy_text name, ff_snoopy_text type, ff_snoopy_text value) {
  ff_out out = {.err = s->doc->err};
  if (ff_span_equals(type.text, "union")) {
    ff_span rest = value.text, part;
    for (int any = 0; next_part(&rest, &part); any = 1) {
      ff_out_puts(&out, any ? " + " : "");
      ff_out_add(&out, part);
    }
  } else {
    const int product = ff_span_equals(type.text, "product");
    ff_out_add(&out, product ? ff_span_of("PROD") : type.text);
    ff_out_puts(&out, product ? "(" : "[");
    ff_out_add(&out, value.text);
    ff_out_puts(&out, product ? ")" : "]");
  }
  return add(s, &out, name, value.line);
}

/* A row of the table of second names: name, set. */
static ff_status add_alias(sets *s, ff_snoopy_text name, ff_snoopy_text set, ff_snoopy_text unused) {
  ff_out out = {.err = s->doc->err};
  (void)unused;
  ff_out_add(&out, set.text);
  return add(s, &out, name, set.line);
}

static ff_status add_variable(sets *s, ff_snoopy_text name, ff_snoopy_text set, ff_snoopy_text unused) {
  (void)unused;
  return ff_candl_index(s->candl, name.text, set.text, ff_snoopy_place(s->doc, name.line));
}

/* Places have the set Dot, of one colour, unless another one is said, so files need not declare it. */
static ff_status add_dot(sets *s) {
  int used = 0;
  for (uint32_t i = 0; i < s->doc->n_items; i++)
    used |= s->doc->item[i].class <= FF_SNOOPY_CONTINUOUS_PLACE &&
            ff_span_equals(ff_snoopy_value(s->doc, &s->doc->item[i], "Colorset").text, "Dot");
  if (s->dot || !used) return FF_OK;
  ff_out out = {.err = s->doc->err};
  ff_out_puts(&out, "{dot}");
  return add(s, &out, (ff_snoopy_text){ff_span_of("Dot"), 0}, 0);
}

ff_status ff_snoopy_sets(const ff_snoopy *doc, ff_candl *candl) {
  static const struct {
    ff_snoopy_class class;
    const char *table;
    ff_status (*add)(sets *s, ff_snoopy_text name, ff_snoopy_text second, ff_snoopy_text third);
  } tables[] = {{FF_SNOOPY_BASIC_SET, "ColorsetList", add_simple},
                {FF_SNOOPY_STRUCTURED_SET, "StructuredColorsetList", add_compound},
                {FF_SNOOPY_ALIAS_SET, "AliasColorsetList", add_alias},
                {FF_SNOOPY_VARIABLE, "VariableList", add_variable}};
  sets s = {.doc = doc, .candl = candl};
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < doc->n_items && status == FF_OK; i++) {
    for (size_t k = 0; k < sizeof tables / sizeof tables[0] && status == FF_OK; k++) {
      const ff_snoopy_attribute *table = ff_snoopy_find(doc, &doc->item[i], tables[k].table);
      if (doc->item[i].class != tables[k].class || table == NULL) continue;
      for (uint32_t row = 0; row < table->n && status == FF_OK; row++) {
        const ff_snoopy_text name = ff_snoopy_cell(doc, table, row, 0);
        if (name.text.length == 0) continue;
        status = tables[k].add(&s, name, ff_snoopy_cell(doc, table, row, 1), ff_snoopy_cell(doc, table, row, 2));
      }
    }
  }
  if (status == FF_OK) status = add_dot(&s);
  if (status == FF_OK) status = ff_candl_colours_done(candl);
  for (size_t i = 0; i < s.n; i++) free(s.text[i]);
  free(s.text);
  return status;
}
