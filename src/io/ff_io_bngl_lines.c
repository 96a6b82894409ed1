/* BioNetGen's network format: from text to lines of known kinds. */
#include "ff_io_bngl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ff_span ff_bngl_word(ff_span *rest) {
  ff_span left = *rest, word;
  while (left.length > 0 && ff_is_blank(left.text[0])) left = ff_span_after(left, 1);
  word = (ff_span){left.text, 0};
  while (word.length < left.length && !ff_is_blank(left.text[word.length])) word.length++;
  *rest = ff_span_after(left, word.length);
  return word;
}

size_t ff_bngl_name_length(ff_span text) {
  size_t at = 0;
  for (; at < text.length; at++) {
    const char c = text.text[at];
    if (!ff_is_letter(c) && c != '_' && (at == 0 || !ff_is_digit(c))) break;
  }
  return at;
}

static ff_status found(ff_bngl *f, uint64_t line, ff_span what, const char *wanted) {
  return ff_io_found(f->err, (ff_place){f->file, line}, what, wanted);
}

/* ---- symbols ------------------------------------------------------------------------------------------------------------ */

static ff_status add_symbol(ff_bngl *f, ff_bngl_symbol symbol, ff_span name) {
  uint32_t at;
  int is_new = 1;
  ff_status status = ff_build_node(&f->ids, name, &at, &is_new);
  if (status != FF_OK) return status;
  if (!is_new) return found(f, symbol.line, name, "a name that no other line has");
  void *memory = f->symbol;
  status = ff_grow(&memory, &f->symbols_room, (size_t)at + 1, sizeof *f->symbol, f->err);
  f->symbol = memory;
  if (status == FF_OK)
    f->symbol[at] = symbol;
  else
    free(f->ids.names[--f->ids.n_nodes]); /* it has no symbol, so that ff_bngl_free() works */
  return status;
}

/* Takes the number at the start of a line. Without `needed`, it may be missing. */
static ff_status take_number(ff_bngl *f, uint64_t line, ff_span *rest, int needed, uint64_t *number, const char *wanted) {
  ff_span after = *rest, word = ff_bngl_word(&after);
  *number = 0;
  if (ff_span_count(word, number))
    *rest = after;
  else if (needed)
    return found(f, line, word, wanted);
  return FF_OK;
}

static ff_span without_equals(ff_span text) {
  text = ff_span_trim(text);
  if (text.length > 0 && text.text[0] == '=') return ff_span_trim(ff_span_after(text, 1));
  return text;
}

static ff_status read_parameter(ff_bngl *f, uint64_t line, ff_span rest) {
  uint64_t number;
  ff_status status = take_number(f, line, &rest, 0, &number, "");
  ff_span name = ff_bngl_word(&rest);
  if (status != FF_OK) return status;
  if (name.length == 0 || ff_bngl_name_length(name) != name.length) return found(f, line, name, "the name of a parameter");
  return add_symbol(f, (ff_bngl_symbol){.kind = FF_BNGL_PARAMETER, .line = line, .text = without_equals(rest)}, name);
}

/* A line such as `2 f() = k * A`. */
static ff_status read_function(ff_bngl *f, uint64_t line, ff_span rest) {
  uint64_t number;
  ff_status status = take_number(f, line, &rest, 0, &number, "");
  if (status != FF_OK) return status;
  rest = ff_span_trim(rest);
  ff_span name = {rest.text, ff_bngl_name_length(rest)}, whole = rest;
  if (name.length == 0) return found(f, line, whole, "the name of a function");
  rest = ff_span_trim(ff_span_after(rest, name.length));
  const char *close = rest.length == 0 || rest.text[0] != '(' ? NULL : memchr(rest.text, ')', rest.length);
  if (close == NULL) return found(f, line, whole, "a function, such as \"f() k * A\"");
  ff_span inside = ff_span_trim((ff_span){rest.text + 1, (size_t)(close - rest.text) - 1});
  if (inside.length > 0)
    return ff_error_set(f->err, FF_EUNSUPPORTED, "%s, line %llu: found the function %s with an argument, which is not supported",
                        f->file, (unsigned long long)line, ff_quote(name.text, name.length).text);
  rest = ff_span_after(rest, (size_t)(close + 1 - rest.text));
  return add_symbol(f, (ff_bngl_symbol){.kind = FF_BNGL_FUNCTION, .line = line, .text = without_equals(rest)}, name);
}

/* Removes the mark of a fixed species: `$` before the pattern, or before what follows its compartment (`@cell::$A()`). */
static ff_status strip_mark(ff_bngl *f, ff_span *pattern, int *fixed) {
  size_t at = 0;
  if (pattern->length > 0 && pattern->text[0] == '@') {
    const char *colon = memchr(pattern->text, ':', pattern->length);
    at = colon == NULL ? 0 : (size_t)(colon - pattern->text);
    while (at < pattern->length && pattern->text[at] == ':') at++;
  }
  *fixed = at < pattern->length && pattern->text[at] == '$';
  if (!*fixed) return FF_OK;
  if (at == 0) {
    *pattern = ff_span_after(*pattern, 1);
    return FF_OK;
  }
  f->buffer.length = 0;
  ff_out_add(&f->buffer, (ff_span){pattern->text, at});
  ff_out_add(&f->buffer, ff_span_after(*pattern, at + 1));
  *pattern = (ff_span){f->buffer.text, f->buffer.length};
  return f->buffer.status;
}

static ff_status read_species(ff_bngl *f, uint64_t line, ff_span rest) {
  uint64_t number;
  ff_span all = rest, first = ff_bngl_word(&all);
  ff_status status = take_number(f, line, &rest, 1, &number, "the number of a species");
  if (status != FF_OK) return status;
  if (number != f->n_species + 1) {
    char wanted[60];
    snprintf(wanted, sizeof wanted, "the next number of a species, %zu", f->n_species + 1);
    return found(f, line, first, wanted);
  }
  ff_span pattern = ff_bngl_word(&rest);
  ff_bngl_symbol symbol = {.kind = FF_BNGL_SPECIES, .line = line, .text = ff_span_trim(rest)};
  status = strip_mark(f, &pattern, &symbol.fixed);
  if (status != FF_OK) return status;
  if (pattern.length == 0) return found(f, line, pattern, "a species");
  void *memory = f->species;
  status = ff_grow(&memory, &f->species_room, f->n_species + 1, sizeof *f->species, f->err);
  f->species = memory;
  if (status == FF_OK) status = add_symbol(f, symbol, pattern);
  if (status == FF_OK) f->species[f->n_species++] = f->ids.n_nodes - 1;
  return status;
}

/* A group that has the name of a species and consists of it is that species. */
static ff_status read_group(ff_bngl *f, uint64_t line, ff_span rest) {
  uint64_t number, only;
  ff_status status = take_number(f, line, &rest, 1, &number, "the number of a group");
  ff_span name = ff_bngl_word(&rest);
  if (status != FF_OK) return status;
  if (name.length == 0) return found(f, line, name, "the name of a group");
  rest = ff_span_trim(rest);
  int64_t same = ff_build_find(&f->ids, name.text, name.length);
  if (same >= 0 && f->symbol[same].kind == FF_BNGL_SPECIES && ff_span_count(rest, &only) && only > 0 && only <= f->n_species &&
      f->species[only - 1] == same)
    return FF_OK;
  return add_symbol(f, (ff_bngl_symbol){.kind = FF_BNGL_GROUP, .line = line, .text = rest}, name);
}

static ff_status read_reaction(ff_bngl *f, uint64_t line, ff_span rest) {
  uint64_t number;
  ff_status status = take_number(f, line, &rest, 1, &number, "the number of a reaction");
  if (status != FF_OK) return status;
  ff_bngl_reaction reaction = {.line = line, .reactants = ff_bngl_word(&rest), .products = ff_bngl_word(&rest)};
  reaction.rate = ff_span_trim(rest);
  ff_span comment = f->comment;
  if (ff_span_equals(ff_bngl_word(&comment), FF_BNGL_MARK)) reaction.law = ff_bngl_word(&comment);
  if (reaction.reactants.length == 0) return found(f, line, reaction.reactants, "the numbers of the reactants, or 0");
  if (reaction.products.length == 0) return found(f, line, reaction.products, "the numbers of the products, or 0");
  void *memory = f->reaction;
  status = ff_grow(&memory, &f->reactions_room, f->n_reactions + 1, sizeof *f->reaction, f->err);
  f->reaction = memory;
  if (status == FF_OK) f->reaction[f->n_reactions++] = reaction;
  return status;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  ff_status (*read)(ff_bngl *f, uint64_t line, ff_span rest); /* NULL: the network does not need this block */
} block;

static const block blocks[] = {
    {"parameters", read_parameter}, {"functions", read_function}, {"species", read_species},   {"seed species", read_species},
    {"reactions", read_reaction},   {"groups", read_group},       {"model", NULL},             {"molecule types", NULL},
    {"observables", NULL},          {"compartments", NULL},       {"reaction rules", NULL},    {"energy patterns", NULL},
    {"population maps", NULL},      {"population types", NULL},   {"actions", NULL},           {"reactions_text", NULL},
};
enum { N_BLOCKS = sizeof blocks / sizeof blocks[0] };

/* Whether the line is `word` and then the name of a block, which is put into *name with single blanks. */
static int is_mark(ff_span line, const char *word, char *name, size_t size) {
  if (!ff_span_is(ff_bngl_word(&line), word)) return 0;
  size_t at = 0;
  for (ff_span next = ff_bngl_word(&line); next.length > 0; next = ff_bngl_word(&line)) {
    if (at + next.length + 2 > size) break;
    if (at > 0) name[at++] = ' ';
    memcpy(name + at, next.text, next.length);
    at += next.length;
  }
  name[at] = '\0';
  return 1;
}

static const block *find_block(const char *name) {
  for (size_t i = 0; i < N_BLOCKS; i++)
    if (ff_span_is(ff_span_of(name), blocks[i].name)) return &blocks[i];
  return NULL;
}

static ff_span without_comment(ff_span line) {
  const char *sign = memchr(line.text, '#', line.length);
  return ff_span_trim((ff_span){line.text, sign == NULL ? line.length : (size_t)(sign - line.text)});
}

/* What follows the sign of a comment. */
static ff_span comment_of(ff_span line) {
  const char *sign = memchr(line.text, '#', line.length);
  return sign == NULL ? (ff_span){line.text, 0} : ff_span_after(line, (size_t)(sign + 1 - line.text));
}

/* Which of the blocks that tell kinds of files apart the text has. */
static void find_kinds(const char *text, size_t length, int *reactions, int *rules) {
  ff_lines lines = {.rest = {text, length}};
  ff_span line;
  char name[40];
  *reactions = *rules = 0;
  while (ff_lines_next(&lines, &line)) {
    line = ff_span_trim(line);
    if (line.length < 5 || (line.text[0] != 'b' && line.text[0] != 'B')) continue;
    if (!is_mark(without_comment(line), "begin", name, sizeof name)) continue;
    *reactions |= ff_span_is(ff_span_of(name), "reactions");
    *rules |= ff_span_is(ff_span_of(name), "reaction rules");
  }
}

static ff_status read_block(ff_bngl *f, ff_lines *lines, const block *now) {
  ff_span line;
  char name[40], wanted[60] = "\"end ";
  const uint64_t begin = lines->line;
  int other = 0; /* whether another block begins */
  while (ff_lines_next(lines, &line)) {
    f->comment = comment_of(line);
    line = without_comment(line);
    if (line.length == 0) continue;
    if (is_mark(line, "end", name, sizeof name) && find_block(name) == now) return FF_OK;
    if (now->read == NULL) continue;
    other = is_mark(line, "begin", name, sizeof name);
    if (other) break;
    ff_status status = now->read(f, lines->line, line);
    if (status != FF_OK) return status;
  }
  if (now->read == NULL) return found(f, begin, (ff_span){"begin", 5}, "a block that ends");
  strcat(strcat(wanted, now->name), "\"");
  return found(f, lines->line, other ? line : (ff_span){0}, wanted);
}

static ff_status read_blocks(ff_bngl *f, const char *text, size_t length) {
  ff_lines lines = {.rest = {text, length}};
  ff_span line;
  char name[40];
  ff_status status = FF_OK;
  while (status == FF_OK && ff_lines_next(&lines, &line)) {
    line = without_comment(line);
    if (line.length == 0) continue;
    const int begins = is_mark(line, "begin", name, sizeof name);
    const block *next = begins ? find_block(name) : NULL;
    if (next != NULL && strcmp(next->name, "model") == 0) continue;
    if (next != NULL)
      status = read_block(f, &lines, next);
    else if (begins || (memchr(line.text, '(', line.length) == NULL && !is_mark(line, "end", name, sizeof name)))
      status = found(f, lines.line, line, "a block of a network, such as \"begin species\"");
  }
  return status;
}

ff_status ff_bngl_read_lines(ff_bngl *f, const char *text, size_t length) {
  int reactions, rules;
  find_kinds(text, length, &reactions, &rules);
  if (!reactions && rules)
    return ff_error_set(f->err, FF_EUNSUPPORTED, "%s holds a rule-based model (BioNetGen), which this version cannot read; "
                        "generate_network() of BioNetGen writes its network to a file .net, which can be read", f->file);
  ff_status status = read_blocks(f, text, length);
  if (status == FF_OK && !reactions) status = found(f, 1, (ff_span){text, 0}, "a network with a block \"begin reactions\"");
  if (status == FF_OK && f->n_species == 0) status = found(f, 1, (ff_span){text, 0}, "a network with at least one species");
  if (status == FF_OK && (f->n_species > UINT32_MAX - 1 || f->n_reactions > UINT32_MAX - 1))
    status = ff_error_set(f->err, FF_ESIZE, "%s has %zu species and %zu reactions; at most 2^32 - 2 of each are possible",
                          f->file, f->n_species, f->n_reactions);
  if (status == FF_OK) status = ff_names_new(&f->names, f->ids.names, f->ids.n_nodes, "names", f->err);
  return status;
}

void ff_bngl_free(ff_bngl *f) {
  for (uint32_t i = 0; i < f->ids.n_nodes; i++) ff_formula_free(&f->symbol[i].formula);
  free(f->symbol);
  free(f->species);
  free(f->reaction);
  free(f->buffer.text);
  ff_names_free(f->names);
  ff_build_free(&f->ids);
}
