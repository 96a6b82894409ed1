/* Snoopy's XML: the marking of a coloured place. Its table has a row for some colours: which ones, how many tokens each, and in
 * newer files a tuple of variables if the colours are a predicate. These two or three columns are repeated for each set of
 * markings. */
#include "ff_io_snoopy_internal.h"

#include <stdlib.h>
#include <string.h>

/* The next name of a text, from *at on. Returns 0 if there is none. */
static int next_name(ff_span text, size_t *at, ff_span *name) {
  while (*at < text.length && !ff_is_letter(text.text[*at]) && text.text[*at] != '_') {
    const int digit = ff_is_digit(text.text[(*at)++]);
    while (digit && *at < text.length && (ff_is_letter(text.text[*at]) || ff_is_digit(text.text[*at]))) ++*at;
  }
  const size_t from = *at;
  while (*at < text.length && (ff_is_letter(text.text[*at]) || ff_is_digit(text.text[*at]) || text.text[*at] == '_')) ++*at;
  *name = (ff_span){text.text + from, *at - from};
  return *at > from;
}

static int is_function(const ff_petri *net, ff_span name) {
  for (uint32_t i = 0; i < net->n_functions; i++)
    if (ff_span_equals(name, net->function[i].name)) return 1;
  return 0;
}

static int is_variable(const ff_petri *net, ff_span name) {
  for (uint32_t i = 0; i < net->n_indices; i++)
    if (ff_span_equals(name, net->index[i].name)) return 1;
  return 0;
}

/* Whether a text of colours is a predicate: it compares, or calls a function. */
static int is_predicate(const ff_petri *net, ff_span text) {
  for (size_t i = 0; i < text.length; i++)
    if (strchr("=<>&|!", text.text[i]) != NULL) return 1;
  ff_span name;
  for (size_t at = 0; next_name(text, &at, &name);)
    if (is_function(net, name)) return 1;
  return 0;
}

static int seen_before(ff_span text, size_t end, ff_span word) {
  ff_span name;
  for (size_t at = 0; next_name((ff_span){text.text, end}, &at, &name);)
    if (name.length == word.length && memcmp(name.text, word.text, word.length) == 0) return 1;
  return 0;
}

/* Files with two columns have no tuple. It is then that of the predicate's variables, in the order in which they occur. */
static void put_variables(ff_out *out, const ff_petri *net, ff_span predicate) {
  ff_span name;
  int any = 0;
  ff_out_puts(out, "(");
  for (size_t at = 0; next_name(predicate, &at, &name);) {
    if (!is_variable(net, name) || seen_before(predicate, (size_t)(name.text - predicate.text), name)) continue;
    ff_out_puts(out, any ? "," : "");
    ff_out_add(out, name);
    any = 1;
  }
  ff_out_puts(out, ")");
}

static int is_all(ff_span colours) {
  return colours.length == 0 || ff_span_is(colours, "all") || ff_span_is(colours, "all()");
}

static int has_tuple(ff_span tuple) { return tuple.length > 0 && !ff_span_equals(tuple, "()"); }

static void put_row(ff_out *out, const ff_petri *net, ff_span colours, ff_span tokens, ff_span tuple) {
  const int comma = tuple.length > 0 && memchr(tuple.text, ',', tuple.length) != NULL;
  const int predicate = !is_all(colours) && (comma || is_predicate(net, colours));
  if (predicate) {
    ff_out_puts(out, "[");
    ff_out_add(out, colours);
    ff_out_puts(out, "] ");
  }
  ff_out_add(out, tokens.length > 0 ? tokens : ff_span_of("0"));
  ff_out_puts(out, "`");
  if (is_all(colours))
    ff_out_puts(out, "all");
  else if (!predicate)
    ff_out_add(out, colours);
  else if (has_tuple(tuple))
    ff_out_add(out, tuple);
  else
    put_variables(out, net, colours);
}

/* The column where the set of markings in use begins, and how many columns it has. */
static ff_status find_columns(const ff_snoopy *doc, const ff_snoopy_attribute *table, uint32_t *first, uint32_t *width) {
  static const char word[] = "Product Color";
  const uint32_t n = table->head == UINT32_MAX ? 0 : doc->row[table->head].n;
  *width = 2;
  if (n > 2) {
    const ff_span label = doc->cell[doc->row[table->head].first + 2].text;
    for (size_t i = 0; i + sizeof word - 1 <= label.length; i++)
      if (memcmp(label.text + i, word, sizeof word - 1) == 0) *width = 3;
  }
  /* With three columns, the file says the number of the set, with two of them the number of the column. */
  const uint64_t column = *width == 3 ? 3 * (uint64_t)table->column : table->column;
  *first = (uint32_t)column;
  if (column == 0 || (column % *width == 0 && column + *width <= n)) return FF_OK;
  return ff_error_set(doc->err, FF_EPARSE, "%s, line %llu: found the column %lu where one of a set of markings was expected",
                      doc->file, (unsigned long long)table->value.line, (unsigned long)table->column);
}

ff_status ff_snoopy_marking(ff_out *out, uint64_t *line, const ff_snoopy *doc, const ff_snoopy_item *place, const ff_petri *net) {
  const ff_snoopy_attribute *table = ff_snoopy_find(doc, place, "MarkingList");
  uint32_t first = 0, width = 2;
  if (table == NULL || table->n == 0) {
    const ff_snoopy_text text = ff_snoopy_value(doc, place, "Marking");
    *line = text.line;
    ff_out_add(out, text.text);
    return out->status;
  }
  ff_status status = find_columns(doc, table, &first, &width);
  if (status != FF_OK) return status;
  *line = ff_snoopy_cell(doc, table, 0, first).line;
  for (uint32_t row = 0; row < table->n; row++) {
    ff_out_puts(out, row > 0 ? " ++ " : "");
    put_row(out, net, ff_snoopy_cell(doc, table, row, first).text, ff_snoopy_cell(doc, table, row, first + 1).text,
            width == 3 ? ff_snoopy_cell(doc, table, row, first + 2).text : (ff_span){"", 0});
  }
  return out->status;
}
