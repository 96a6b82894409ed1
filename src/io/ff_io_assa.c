/* ASSA-PBN's .pbn format, with the extensions that ff_io.h lists. */
#include "ff_io_formats.h"
#include "text/ff_io_parts.h"

#include <stdlib.h>
#include <string.h>

enum { HAS_BLOCK = 1, IS_EXEMPT = 2, STARTS_0 = 4, STARTS_1 = 8 }; /* bits of a node's mark */
enum { SEEN_TYPE = 1, SEEN_N = 2, SEEN_P = 4, SEEN_NAMES = 8, SEEN_REMOVED = 16 };

typedef struct {
  ff_build build;
  ff_lines lines;
  ff_error *err;
  unsigned seen;
  ff_update update;
  double perturbation;
  uint64_t n, n_line; /* the value of n= and its line */
  uint64_t removed[2];
  uint8_t *marks; /* for each node, once the names are known */
  double *context_probability;
  uint32_t *context;
  size_t n_contexts, probability_capacity, context_capacity;
} reader;

static ff_place place_of(const reader *r) { return (ff_place){r->build.file, r->lines.line}; }

static ff_status found(const reader *r, ff_span span, const char *wanted) {
  return ff_io_found(r->err, place_of(r), span, wanted);
}

/* The next line that is not empty after its comment and the blanks at both ends are removed. */
static int next_line(reader *r, ff_span *line) {
  while (ff_lines_next(&r->lines, line)) {
    size_t slash = ff_span_find(*line, 0, '/', 0);
    while (slash + 1 < line->length && line->text[slash + 1] != '/') slash = ff_span_find(*line, slash + 1, '/', 0);
    if (slash + 1 < line->length) line->length = slash;
    *line = ff_span_trim(*line);
    if (line->length > 0) return 1;
  }
  return 0;
}

/* The next line of a block that the line `end` closes. Returns 1 for a line, 0 for the end, and -1 for an error, which is in
 * *status. */
static int next_in_block(reader *r, uint64_t start, const char *end, ff_span *line, ff_status *status) {
  *status = FF_OK;
  if (next_line(r, line)) return !ff_span_is(*line, end);
  *status = ff_error_set(r->err, FF_EPARSE, "%s, line %llu: found the end of the file where \"%s\" was expected (for line %llu)",
                         r->build.file, (unsigned long long)r->lines.line, end, (unsigned long long)start);
  return -1;
}

/* The format allows all characters in a name except blanks and & ! | ^ = : ( ). The characters " ` , { } of fireflip's
 * grammar are not allowed either. */
static int is_name_character(char c) { return (unsigned char)c > ' ' && c != 0x7F && strchr("&!|^=:()\"`,{}", c) == NULL; }

static int read_name(ff_span span, ff_span *name) {
  if (ff_span_name(span, name)) return 1;
  double number;
  *name = span;
  if (span.length == 0 || ff_span_is(span, "true") || ff_span_is(span, "false") || ff_span_number(span, &number)) return 0;
  for (size_t i = 0; i < span.length; i++)
    if (!is_name_character(span.text[i])) return 0;
  return 1;
}

static ff_status read_node(reader *r, ff_span span, uint32_t *node) {
  ff_span name;
  static const char wanted[] = "the name of a node listed in nodeNames";
  if (!read_name(span, &name)) return found(r, span, wanted);
  int64_t index = ff_build_find(&r->build, name.text, name.length);
  if (index < 0) return ff_build_suggest(&r->build, name, found(r, span, wanted));
  *node = (uint32_t)index;
  return FF_OK;
}

/* ---- functions ---- */

/* Copies a function and quotes the names that this format allows but the grammar of expressions does not. */
static void quote_names(reader *r, ff_span function, ff_out *out) {
  for (size_t at = 0; at < function.length;) {
    char c = function.text[at];
    size_t end = at;
    if (c == '"' || c == '`') {
      const char *close = memchr(function.text + at + 1, c, function.length - at - 1);
      end = close == NULL ? function.length : (size_t)(close - function.text) + 1;
    } else {
      while (end < function.length && is_name_character(function.text[end])) end++;
    }
    ff_span run = {function.text + at, end - at}, name;
    int quote = run.length > 0 && c != '"' && c != '`' && !ff_name_is_plain(run.text, run.length) && read_name(run, &name) &&
                ff_build_find(&r->build, run.text, run.length) >= 0;
    if (run.length == 0) run.length = 1;
    if (quote) ff_out_puts(out, "\"");
    ff_out_add(out, run);
    if (quote) ff_out_puts(out, "\"");
    at += run.length;
  }
}

/* The context of an ff_lookup that remembers the last name that it did not find. */
typedef struct {
  ff_build *build;
  ff_span missed;
} search;

static int64_t find_node(void *context, const char *name, size_t length) {
  search *s = context;
  int64_t node = ff_build_find(s->build, name, length);
  if (node < 0) s->missed = (ff_span){name, length};
  return node;
}

static ff_status read_function(reader *r, uint32_t node, ff_span line) {
  ff_span number, function;
  double probability;
  if (!ff_span_split(line, ':', &number, &function))
    return found(r, line, "a line \"selection probability : function\" or \"endNode\"");
  if (!ff_span_number(number, &probability) || !(probability > 0.0))
    return found(r, number, "a selection probability above 0");
  if (function.length == 0) return found(r, function, "a function");
  ff_out quoted = {.err = r->err};
  ff_expr expr;
  char *text;
  quote_names(r, function, &quoted);
  size_t length = quoted.length;
  ff_status status = ff_out_finish(&quoted, &text);
  if (status != FF_OK) return status;
  search names = {&r->build, {0}};
  status = ff_expr_parse(&expr, text, length, find_node, &names, place_of(r), r->err);
  if (status == FF_EPARSE && names.missed.text != NULL) status = ff_build_suggest(&r->build, names.missed, status);
  free(text);
  return status == FF_OK ? ff_build_rule(&r->build, node, probability, r->lines.line, &expr) : status;
}

static ff_status read_node_block(reader *r, ff_span head) {
  uint64_t start = r->lines.line;
  uint32_t node;
  ff_span line;
  size_t before = r->build.n_rules;
  ff_status status = read_node(r, ff_span_trim(ff_span_after(head, 4)), &node);
  if (status != FF_OK) return status;
  if (r->marks[node] & HAS_BLOCK) return found(r, head, "one block for each node, not a second one,");
  r->marks[node] |= HAS_BLOCK;
  int more;
  while ((more = next_in_block(r, start, "endNode", &line, &status)) == 1)
    if ((status = read_function(r, node, line)) != FF_OK) return status;
  if (more < 0) return status;
  return r->build.n_rules > before ? FF_OK : found(r, line, "a line \"selection probability : function\"");
}

/* ---- the other blocks ---- */

static ff_status read_names(reader *r) {
  uint64_t start = r->lines.line;
  ff_span line, name;
  ff_status status;
  int more;
  while ((more = next_in_block(r, start, "endNodeNames", &line, &status)) == 1) {
    uint32_t node;
    int is_new;
    if (!read_name(line, &name))
      return found(r, line, "a node's name (in quotes if it contains blanks or & ! | ^ = : ( ) , { })");
    if ((status = ff_build_node(&r->build, name, &node, &is_new)) != FF_OK) return status;
    if (!is_new) return found(r, line, "a name that no other node has");
  }
  if (more < 0) return status;
  if (r->build.n_nodes == 0) return found(r, line, "a node's name");
  r->marks = ff_calloc(r->build.n_nodes, 1);
  return r->marks != NULL ? FF_OK : ff_error_set(r->err, FF_EMEMORY, "no memory for %u nodes", r->build.n_nodes);
}

static ff_status read_exempt(reader *r) {
  uint64_t start = r->lines.line;
  ff_span line;
  ff_status status;
  uint32_t node;
  while (next_in_block(r, start, "endNpNode", &line, &status) == 1) {
    if ((status = read_node(r, line, &node)) != FF_OK) return status;
    r->marks[node] |= IS_EXEMPT;
  }
  return status;
}

static ff_status read_initial(reader *r) {
  uint64_t start = r->lines.line;
  ff_span line;
  ff_status status;
  uint32_t node;
  while (next_in_block(r, start, "endInitialValues", &line, &status) == 1) {
    ff_span name, value;
    if (!ff_span_split(line, '=', &name, &value))
      return found(r, line, "a line \"NAME = 0\" or \"NAME = 1\", or \"endInitialValues\"");
    if ((status = read_node(r, name, &node)) != FF_OK) return status;
    if (!ff_span_is(value, "0") && !ff_span_is(value, "1")) return found(r, value, "0 or 1");
    if (r->marks[node] & (STARTS_0 | STARTS_1)) return found(r, line, "one initial value for each node, not a second one,");
    r->marks[node] |= value.text[0] == '1' ? STARTS_1 : STARTS_0;
  }
  return status;
}

/* The next word of a line, from *at on. It is empty at the end of the line. */
static ff_span next_word(ff_span line, size_t *at) {
  while (*at < line.length && (line.text[*at] == ' ' || line.text[*at] == '\t')) (*at)++;
  size_t start = *at;
  while (*at < line.length && line.text[*at] != ' ' && line.text[*at] != '\t') (*at)++;
  return (ff_span){line.text + start, *at - start};
}

/* Makes room for another context. */
static ff_status grow_contexts(reader *r) {
  const size_t n = r->n_contexts + 1;
  if (n >= UINT32_MAX / 2 || n > SIZE_MAX / r->build.n_nodes)
    return ff_error_set(r->err, FF_ESIZE, "%s, line %llu: found context %zu; a network has at most %u contexts", r->build.file,
                        (unsigned long long)r->lines.line, n, UINT32_MAX / 2 - 1);
  void *probabilities = r->context_probability, *context = r->context;
  ff_status status = ff_grow(&probabilities, &r->probability_capacity, n, sizeof *r->context_probability, r->err);
  r->context_probability = probabilities;
  if (status == FF_OK) status = ff_grow(&context, &r->context_capacity, n * r->build.n_nodes, sizeof *r->context, r->err);
  r->context = context;
  return status;
}

static ff_status read_context(reader *r, ff_span line) {
  const size_t n = r->build.n_nodes;
  size_t at = 0;
  double probability;
  ff_span number, numbers;
  if (!ff_span_split(line, ':', &number, &numbers)) return found(r, line, "a line \"probability : 1 2 1\" or \"endContexts\"");
  if (!ff_span_number(number, &probability) || !(probability > 0.0)) return found(r, number, "a probability above 0");
  ff_status status = grow_contexts(r);
  if (status != FF_OK) return status;
  r->context_probability[r->n_contexts] = probability;
  uint32_t *row = r->context + r->n_contexts * n;
  for (size_t i = 0; i < n; i++) {
    ff_span word = next_word(numbers, &at);
    uint64_t selected;
    if (!ff_span_count(word, &selected) || selected < 1 || selected > UINT32_MAX)
      return found(r, word, "the number of one of the node's functions (counted from 1)");
    row[i] = (uint32_t)(selected - 1);
  }
  ff_span word = next_word(numbers, &at);
  if (word.length > 0) return found(r, word, "the end of the line (one number per node)");
  r->n_contexts++;
  return FF_OK;
}

static ff_status read_contexts(reader *r) {
  uint64_t start = r->lines.line;
  ff_span line;
  ff_status status;
  int more;
  while ((more = next_in_block(r, start, "endContexts", &line, &status)) == 1)
    if ((status = read_context(r, line)) != FF_OK) return status;
  if (more < 0) return status;
  return r->n_contexts > 0 ? FF_OK : found(r, line, "a line \"probability : 1 2 1\"");
}

/* ---- lines `key=value` ---- */

static ff_status read_removed(reader *r, ff_span value) {
  size_t at = 0;
  ff_span all = next_word(value, &at), perturbed = next_word(value, &at), rest = next_word(value, &at);
  if (!ff_span_count(all, &r->removed[0]) || !ff_span_count(perturbed, &r->removed[1]) || rest.length > 0 ||
      r->removed[0] > FF_X_MAX_OPERAND || r->removed[1] > r->removed[0])
    return found(r, value, "the number of removed nodes and how many of them are perturbed, as in \"36 34\",");
  return FF_OK;
}

static ff_status read_key(reader *r, ff_span line, ff_span key, ff_span value) {
  unsigned bit = ff_span_is(key, "type")           ? SEEN_TYPE
                 : ff_span_is(key, "n")            ? SEEN_N
                 : ff_span_is(key, "perturbation") ? SEEN_P
                 : ff_span_is(key, "removedNodes") ? SEEN_REMOVED
                                                   : 0;
  if (bit == 0) return found(r, key, "type, n, perturbation or removedNodes");
  if (r->seen & bit) return found(r, line, "no second line of this kind");
  r->seen |= bit;
  switch (bit) {
    case SEEN_TYPE:
      if (ff_span_is(value, "asynchronous") || ff_span_is(value, "rog"))
        r->update = FF_ASYNCHRONOUS;
      else if (!ff_span_is(value, "synchronous"))
        return found(r, value, "synchronous, asynchronous or rog");
      return FF_OK;
    case SEEN_N:
      r->n_line = r->lines.line;
      return ff_span_count(value, &r->n) ? FF_OK : found(r, value, "the number of nodes");
    case SEEN_P:
      if (ff_span_number(value, &r->perturbation) && r->perturbation >= 0.0 && r->perturbation < 1.0) return FF_OK;
      return found(r, value, "a perturbation in [0, 1)");
    default: return read_removed(r, value);
  }
}

static ff_status read_line(reader *r, ff_span line) {
  int is_node = line.length > 4 && ff_span_is((ff_span){line.text, 4}, "node") && (line.text[4] == ' ' || line.text[4] == '\t');
  ff_span key, value;
  if (!is_node && ff_span_split(line, '=', &key, &value)) return read_key(r, line, key, value);
  if (ff_span_is(line, "nodeNames")) {
    if (r->seen & SEEN_NAMES) return found(r, line, "no second block of names");
    r->seen |= SEEN_NAMES;
    return read_names(r);
  }
  int is_exempt = ff_span_is(line, "npNode"), is_initial = ff_span_is(line, "initialValues");
  int is_context = ff_span_is(line, "contexts");
  if (!is_node && !is_exempt && !is_initial && !is_context)
    return found(r, line, "type=, n=, perturbation=, nodeNames, node or npNode");
  if (!(r->seen & SEEN_NAMES)) return found(r, line, "nodeNames, which comes before it,");
  if (is_node) return read_node_block(r, line);
  if (is_exempt) return read_exempt(r);
  if (is_initial) return read_initial(r);
  return r->n_contexts == 0 ? read_contexts(r) : found(r, line, "no second block of contexts");
}

/* ---- the whole ---- */

static ff_status check_blocks(const reader *r) {
  if (!(r->seen & SEEN_NAMES)) return found(r, (ff_span){0}, "nodeNames");
  if ((r->seen & SEEN_N) && r->n != r->build.n_nodes)
    return ff_error_set(r->err, FF_EPARSE, "%s, line %llu: found n=%llu where %u was expected, the number of names in nodeNames",
                        r->build.file, (unsigned long long)r->n_line, (unsigned long long)r->n, r->build.n_nodes);
  for (uint32_t i = 0; i < r->build.n_nodes; i++) {
    if (r->marks[i] & HAS_BLOCK) continue;
    ff_quoted name = ff_quote(r->build.names[i], strlen(r->build.names[i]));
    return ff_error_set(r->err, FF_EPARSE, "%s, line %llu: found the end of the file where a block of node %s was expected",
                        r->build.file, (unsigned long long)r->lines.line, name.text);
  }
  return FF_OK;
}

static ff_status fill(const reader *r, ff_pbn *pbn) {
  pbn->update = r->update;
  pbn->perturbation = r->perturbation;
  pbn->removed_nodes = (uint32_t)r->removed[0];
  pbn->removed_perturbed = (uint32_t)r->removed[1];
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    pbn->perturbed[i] = (r->marks[i] & IS_EXEMPT) == 0;
    pbn->initial[i] = r->marks[i] & STARTS_1 ? 1 : r->marks[i] & STARTS_0 ? 0 : -1;
  }
  if (r->n_contexts == 0) return FF_OK;
  ff_status status = ff_pbn_new_contexts(pbn, (uint32_t)r->n_contexts, r->err);
  if (status != FF_OK) return status;
  memcpy(pbn->context_probability, r->context_probability, r->n_contexts * sizeof(double));
  memcpy(pbn->context, r->context, r->n_contexts * pbn->n_nodes * sizeof *pbn->context);
  return FF_OK;
}

ff_status ff_io_assa_parse(ff_pbn **out, const char *text, size_t length, const char *file, ff_error *err) {
  reader r = {.build = {.file = file, .err = err}, .lines = {.rest = {text, length}}, .err = err};
  ff_status status = FF_OK;
  ff_span line;
  *out = NULL;
  while (status == FF_OK && next_line(&r, &line)) status = read_line(&r, line);
  if (status == FF_OK) status = check_blocks(&r);
  if (status == FF_OK) status = ff_build_pbn(out, &r.build);
  if (status == FF_OK) status = fill(&r, *out);
  if (status == FF_OK) status = ff_build_finish(*out, &r.build);
  ff_build_free(&r.build);
  free(r.marks);
  free(r.context_probability);
  free(r.context);
  if (status == FF_OK) return FF_OK;
  ff_pbn_free(*out);
  *out = NULL;
  return status;
}

/* ---- writing ---- */

/* A name that is the last line of a block needs quotes. */
static void put_name(ff_out *out, const char *name) {
  const ff_span span = ff_span_of(name);
  const int is_end = ff_span_is(span, "endNodeNames") || ff_span_is(span, "endNpNode");
  if (is_end) ff_out_puts(out, "\"");
  ff_out_name(out, name);
  if (is_end) ff_out_puts(out, "\"");
  ff_out_puts(out, "\n");
}

static void put_blocks(ff_out *out, const ff_pbn *pbn) {
  uint32_t n = pbn->n_nodes, exempt = 0, initial = 0;
  for (uint32_t i = 0; i < n; i++) {
    exempt += pbn->perturbed[i] == 0;
    initial += pbn->initial[i] >= 0;
  }
  if (exempt > 0) ff_out_puts(out, "\nnpNode\n");
  for (uint32_t i = 0; i < n; i++)
    if (pbn->perturbed[i] == 0) put_name(out, pbn->names[i]);
  if (exempt > 0) ff_out_puts(out, "endNpNode\n");
  if (initial > 0) ff_out_puts(out, "\ninitialValues\n");
  for (uint32_t i = 0; i < n; i++) {
    if (pbn->initial[i] < 0) continue;
    ff_out_name(out, pbn->names[i]);
    ff_out_puts(out, pbn->initial[i] ? " = 1\n" : " = 0\n");
  }
  if (initial > 0) ff_out_puts(out, "endInitialValues\n");
  if (pbn->n_contexts > 0) ff_out_puts(out, "\ncontexts\n");
  for (uint32_t c = 0; c < pbn->n_contexts; c++) {
    ff_out_number(out, pbn->context_probability[c]);
    ff_out_puts(out, " :");
    for (uint32_t i = 0; i < n; i++) {
      ff_out_puts(out, " ");
      ff_out_count(out, (uint64_t)pbn->context[(size_t)c * n + i] + 1);
    }
    ff_out_puts(out, "\n");
  }
  if (pbn->n_contexts > 0) ff_out_puts(out, "endContexts\n");
}

ff_status ff_io_assa_text(char **text, const ff_pbn *pbn, ff_error *err) {
  ff_out out = {.err = err};
  ff_out_puts(&out, pbn->update == FF_ASYNCHRONOUS ? "type=asynchronous\nn=" : "type=synchronous\nn=");
  ff_out_count(&out, pbn->n_nodes);
  ff_out_puts(&out, "\nperturbation=");
  ff_out_number(&out, pbn->perturbation);
  if (pbn->removed_nodes > 0) {
    ff_out_puts(&out, "\nremovedNodes=");
    ff_out_count(&out, pbn->removed_nodes);
    ff_out_puts(&out, " ");
    ff_out_count(&out, pbn->removed_perturbed);
  }
  ff_out_puts(&out, "\n\nnodeNames\n");
  for (uint32_t i = 0; i < pbn->n_nodes; i++) put_name(&out, pbn->names[i]);
  ff_out_puts(&out, "endNodeNames\n");
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    ff_out_puts(&out, "\nnode ");
    ff_out_name(&out, pbn->names[i]);
    for (uint32_t f = pbn->first[i]; f < pbn->first[i + 1]; f++) {
      ff_out_puts(&out, "\n");
      ff_out_number(&out, pbn->predictors[f].probability);
      ff_out_puts(&out, " : ");
      ff_out_expr(&out, &pbn->predictors[f].expr, pbn->names, 1);
    }
    ff_out_puts(&out, "\nendNode\n");
  }
  put_blocks(&out, pbn);
  return ff_out_finish(&out, text);
}
