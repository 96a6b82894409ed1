/* BoolNet's text format and .bnet: one function per line. The file is read in two passes, because a function may name nodes
 * of later lines. */
#include "ff_io_formats.h"
#include "text/ff_io_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ff_build build;
  ff_lines lines;
  ff_error *err;
  int wants_probabilities; /* 1 if the format has probabilities, whatever the header says */
  int has_probabilities;
} reader;

static const char with_probabilities[] = "a header \"targets, factors, probabilities\"";
static const char row_wanted[] = "a line \"name, function\"";

static ff_place place_of(const reader *r) { return (ff_place){r->build.file, r->lines.line}; }

/* The next line that is not empty after its comment and the blanks at both ends are removed. */
static int next_row(reader *r, ff_span *row) {
  while (ff_lines_next(&r->lines, row)) {
    row->length = ff_span_find(*row, 0, '#', 0);
    *row = ff_span_trim(*row);
    if (row->length > 0) return 1;
  }
  return 0;
}

/* Returns the field that starts at *from and ends at a comma outside quotes and parentheses, or at the end of the row. */
static ff_span cut_field(ff_span row, size_t *from) {
  size_t end = ff_span_find(row, *from, ',', 1);
  ff_span field = {row.text + *from, end - *from};
  *from = end < row.length ? end + 1 : row.length;
  return ff_span_trim(field);
}

/* Reads the header if the first row is one. */
static ff_status read_header(reader *r) {
  ff_lines before = r->lines;
  ff_span row;
  if (!next_row(r, &row))
    return ff_io_found(r->err, place_of(r), (ff_span){0}, r->wants_probabilities ? with_probabilities : row_wanted);
  size_t at = 0;
  ff_span first = cut_field(row, &at), second = cut_field(row, &at), third = cut_field(row, &at);
  if (!ff_span_is(first, "targets")) {
    if (r->wants_probabilities) return ff_io_found(r->err, place_of(r), row, with_probabilities);
    r->lines = before; /* a .bnet file needs no header */
    return FF_OK;
  }
  if ((!ff_span_is(second, "factors") && !ff_span_is(second, "functions")) || at < row.length)
    return ff_io_found(r->err, place_of(r), row, with_probabilities);
  r->has_probabilities = ff_span_is(third, "probabilities");
  if (!r->has_probabilities && third.length > 0) return ff_io_found(r->err, place_of(r), third, "\"probabilities\"");
  if (r->has_probabilities && !r->wants_probabilities)
    return ff_io_found(r->err, place_of(r), row, "\"targets, factors\" (with probabilities it is BoolNet's format)");
  return FF_OK;
}

/* First pass: reads the names of the nodes that have lines, in their order. */
static ff_status read_targets(reader *r) {
  ff_span row, name, target, rest;
  while (next_row(r, &row)) {
    if (!ff_span_split(row, ',', &target, &rest)) return ff_io_found(r->err, place_of(r), row, row_wanted);
    if (!ff_span_name(target, &name))
      return ff_io_found(r->err, place_of(r), target, "the name of a node (letters, digits, _ and ., or in quotes)");
    uint32_t node;
    int is_new;
    ff_status status = ff_build_node(&r->build, name, &node, &is_new);
    if (status != FF_OK) return status;
    if (!is_new && !r->has_probabilities)
      return ff_io_found(r->err, place_of(r), row,
                         "one function per node (several need a header \"targets, factors, probabilities\")");
  }
  if (r->build.n_nodes == 0) return ff_io_found(r->err, place_of(r), (ff_span){0}, row_wanted);
  return FF_OK;
}

/* An ff_lookup that adds names without a line of their own as inputs. */
static int64_t find_or_add(void *context, const char *name, size_t length) {
  uint32_t node;
  ff_span span = {name, length};
  if (length == 0 || memchr(name, '\0', length) != NULL) return -1;
  return ff_build_node(context, span, &node, NULL) == FF_OK ? (int64_t)node : -2;
}

static ff_status read_probability(reader *r, ff_span field, double *probability) {
  *probability = 1.0;
  if (field.length == 0) return FF_OK; /* BoolNet allows it to be missing */
  if (ff_span_number(field, probability) && *probability > 0.0 && *probability <= 1.0 + 1e-4) return FF_OK;
  return ff_io_found(r->err, place_of(r), field, "a selection probability above 0 and at most 1");
}

/* Second pass: reads the functions. */
static ff_status read_functions(reader *r) {
  ff_span row, name, target, function;
  while (next_row(r, &row)) {
    double probability = 1.0;
    ff_status status = FF_OK;
    ff_span_split(row, ',', &target, &function); /* the first pass has seen the comma */
    if (r->has_probabilities) {
      const ff_span fields = function;
      size_t at = 0;
      function = cut_field(fields, &at);
      status = read_probability(r, ff_span_trim(ff_span_after(fields, at)), &probability);
    }
    if (status != FF_OK) return status;
    if (function.length == 0) return ff_io_found(r->err, place_of(r), function, "a function");
    ff_span_name(target, &name);
    int64_t node = ff_build_find(&r->build, name.text, name.length);
    ff_expr expr;
    status = ff_expr_parse(&expr, function.text, function.length, find_or_add, &r->build, place_of(r), r->err);
    if (status == FF_OK) status = ff_build_rule(&r->build, (uint32_t)node, probability, place_of(r).line, &expr);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

/* Makes every node from `first` on an input, which keeps its value. */
static ff_status add_inputs(reader *r, uint32_t first) {
  for (uint32_t i = first; i < r->build.n_nodes; i++) {
    ff_expr expr = {.code = ff_calloc(1, sizeof(ff_op)), .length = 1, .depth = 1};
    if (expr.code == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for an input");
    expr.code[0] = FF_X_OP(FF_X_VAR, i);
    ff_status status = ff_build_rule(&r->build, i, 1.0, 0, &expr);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

static ff_status check_sums(reader *r) {
  double *sum = ff_calloc(r->build.n_nodes, sizeof *sum);
  if (sum == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for %u nodes", r->build.n_nodes);
  for (size_t i = 0; i < r->build.n_rules; i++) sum[r->build.rules[i].node] += r->build.rules[i].probability;
  ff_status status = FF_OK;
  for (size_t i = 0; i < r->build.n_rules && status == FF_OK; i++) {
    const ff_rule *rule = &r->build.rules[i];
    if (fabs(sum[rule->node] - 1.0) <= 1e-4) continue;
    const char *text = r->build.names[rule->node];
    ff_quoted name = ff_quote(text, strlen(text));
    status = ff_error_set(r->err, FF_EPARSE,
                          "%s, line %llu: found probabilities of node %s that sum to %.9g where 1 was expected", r->build.file,
                          (unsigned long long)rule->line, name.text, sum[rule->node]);
  }
  free(sum);
  return status;
}

static ff_status read_all(reader *r, ff_pbn **out) {
  ff_status status = read_header(r);
  ff_lines rows = r->lines;
  if (status == FF_OK) status = read_targets(r);
  uint32_t targets = r->build.n_nodes;
  r->lines = rows;
  if (status == FF_OK) status = read_functions(r);
  if (status == FF_OK) status = add_inputs(r, targets);
  if (status == FF_OK) status = check_sums(r);
  if (status == FF_OK) status = ff_build_pbn(out, &r->build);
  return status == FF_OK ? ff_build_finish(*out, &r->build) : status;
}

ff_status ff_io_boolnet_parse(ff_pbn **out, const char *text, size_t length, const char *file, int probabilities,
                              ff_error *err) {
  reader r = {.build = {.file = file, .err = err},
              .lines = {.rest = {text, length}},
              .err = err,
              .wants_probabilities = probabilities};
  *out = NULL;
  ff_status status = read_all(&r, out);
  ff_build_free(&r.build);
  if (status == FF_OK) return FF_OK;
  ff_pbn_free(*out);
  *out = NULL;
  return status;
}

ff_status ff_io_boolnet_text(char **text, const ff_pbn *pbn, int probabilities, ff_error *err) {
  *text = NULL;
  const char *format = probabilities ? "BoolNet's text" : ".bnet";
  if (pbn->n_contexts > 0)
    return ff_error_set(err, FF_EMODEL, "%s cannot express the contexts of a dependent network; .pbn can", format);
  ff_out out = {.err = err};
  ff_out_puts(&out, probabilities ? "targets, factors, probabilities\n" : "targets, factors\n");
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    if (!probabilities && pbn->first[i + 1] - pbn->first[i] > 1) {
      ff_quoted name = ff_quote(pbn->names[i], strlen(pbn->names[i]));
      free(out.text);
      return ff_error_set(err, FF_EMODEL,
                          "%s has one function per node, but node %s has %u; .pbn and BoolNet's text format can store "
                          "several",
                          format, name.text, pbn->first[i + 1] - pbn->first[i]);
    }
    for (uint32_t f = pbn->first[i]; f < pbn->first[i + 1]; f++) {
      ff_out_name(&out, pbn->names[i]);
      ff_out_puts(&out, ", ");
      ff_out_expr(&out, &pbn->predictors[f].expr, pbn->names, 0);
      if (probabilities) {
        ff_out_puts(&out, ", ");
        ff_out_number(&out, pbn->predictors[f].probability);
      }
      ff_out_puts(&out, "\n");
    }
  }
  return ff_out_finish(&out, text);
}
