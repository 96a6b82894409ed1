/* Formulas of families: parts that keep their values within a step become symbols. */
#include "ff_petri_compile_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- classes ------------------------------------------------------------------------------------------------------------ */

static ff_petri_class class_of_word(const ff_petri_family_maker *f, const ff_formula_word *word) {
  if (word->code == FF_F_TIME) return FF_PETRI_OF_LEVELS;
  return word->code == FF_F_SYMBOL ? (ff_petri_class)f->row_class[word->symbol] : FF_PETRI_OF_NOTHING;
}

ff_petri_class ff_petri_class_of(const ff_petri_family_maker *f, const ff_formula_word *word, uint32_t length) {
  ff_petri_class out = FF_PETRI_OF_NOTHING;
  for (uint32_t at = 0; at < length; at++) {
    const ff_petri_class own = class_of_word(f, &word[at]);
    if (own > out) out = own;
  }
  return out;
}

/* ---- new rows ----------------------------------------------------------------------------------------------------------- */

static ff_status add_row(ff_petri_family_maker *f, ff_petri_class class, uint32_t *row) {
  ff_petri_law *law = f->law;
  ff_status status = ff_grow((void **)&law->index, &f->index_room, (size_t)(law->n_rows + 1) * law->n, sizeof *law->index,
                             f->m->err);
  if (status == FF_OK)
    status = ff_grow((void **)&f->row_class, &f->class_room, (size_t)law->n_rows + 1, sizeof *f->row_class, f->m->err);
  if (status != FF_OK) return status;
  f->row_class[law->n_rows] = (uint8_t)class;
  *row = law->n_rows++;
  return FF_OK;
}

ff_status ff_petri_value_rows(ff_petri_family_maker *f) {
  ff_petri_maker *m = f->m;
  ff_petri_law *law = f->law;
  law->n = 1;
  law->n_rows = m->p->time + 1 + m->p->n_settable;
  f->time_row = m->p->time;
  ff_status status = ff_grow((void **)&law->index, &f->index_room, law->n_rows, sizeof *law->index, m->err);
  if (status == FF_OK) status = ff_grow((void **)&f->row_class, &f->class_room, law->n_rows, sizeof *f->row_class, m->err);
  for (uint32_t r = 0; r < law->n_rows && status == FF_OK; r++) {
    law->index[r] = r;
    f->row_class[r] = ff_petri_is_level(m->p, r) || r == m->p->time ? FF_PETRI_OF_LEVELS : FF_PETRI_OF_COUNTS;
  }
  return status;
}

ff_status ff_petri_settable_row(ff_petri_family_maker *f, uint32_t settable, uint32_t *row) {
  ff_petri_law *law = f->law;
  const uint32_t value = f->m->p->time + 1 + settable;
  for (*row = 0; *row < law->n_rows; ++*row)
    if (law->index[(size_t)*row * law->n] == value) return FF_OK;
  ff_status status = add_row(f, FF_PETRI_OF_COUNTS, row);
  for (uint32_t i = 0; i < law->n && status == FF_OK; i++) law->index[(size_t)*row * law->n + i] = value;
  return status;
}

/* The row of a derived formula, which is that of words of a formula of rows. */
static ff_status derive(ff_petri_family_maker *f, const ff_formula_word *word, uint32_t length, ff_petri_derived_kind kind,
                        uint32_t *row) {
  ff_petri_law *law = f->law;
  ff_status status = add_row(f, kind == FF_PETRI_DISCRETE ? FF_PETRI_OF_COUNTS : FF_PETRI_OF_SWITCHES, row);
  for (uint32_t i = 0; i < law->n && status == FF_OK; i++) {
    ff_petri_plain plain;
    status = ff_petri_flatten(f, word, length, i, FF_PETRI_FOR_DERIVED, &plain);
    if (status == FF_OK) status = ff_petri_intern_derived(f->m, kind, &plain, &law->index[(size_t)*row * law->n + i]);
  }
  return status;
}

static ff_status time_row(ff_petri_family_maker *f, uint32_t *row) {
  ff_status status = FF_OK;
  if (f->time_row == FF_PETRI_NO_VALUE) {
    status = add_row(f, FF_PETRI_OF_LEVELS, &f->time_row);
    for (uint32_t i = 0; i < f->law->n && status == FF_OK; i++)
      f->law->index[(size_t)f->time_row * f->law->n + i] = f->m->p->time;
  }
  *row = f->time_row;
  return status;
}

/* ---- the search for parts ----------------------------------------------------------------------------------------------- */

/* What is known of the subexpression that a word ends. */
typedef struct {
  uint32_t start;
  uint8_t class, truth, chosen; /* truth: only whether it is 0 matters. chosen: it is replaced; 1 + the kind */
} part;

static int is_comparison(uint32_t code) { return code >= FF_F_LT && code <= FF_F_NE; }

/* Marks operands of which only the truth matters: those of &, | and !, and the first one of `if`. */
static void mark_truth(const ff_formula *in, part *x, uint32_t at) {
  const uint32_t code = in->word[at].code, n = ff_formula_operands(code);
  uint32_t operand = at - 1;
  if (code != FF_F_AND && code != FF_F_OR && code != FF_F_NOT && code != FF_F_IF) return;
  for (uint32_t k = n; k > 0; k--) {
    if (code != FF_F_IF || k == 1) x[operand].truth = 1;
    operand = x[operand].start - 1;
  }
}

static int is_logical(uint32_t code) { return code == FF_F_AND || code == FF_F_OR || code == FF_F_NOT; }

/* Returns 1 + the kind of symbol that replaces the part, or 0. */
static uint8_t choose(const ff_formula *in, const part *x, uint32_t at, int hoists) {
  const uint32_t code = in->word[at].code;
  if (x[at].class == FF_PETRI_OF_LEVELS) {
    if (is_comparison(code)) return 1 + FF_PETRI_TRUTH;
    if (code == FF_F_FLOOR || code == FF_F_CEILING) return 1 + FF_PETRI_WHOLE;
    return x[at].truth && !is_logical(code) ? 1 + FF_PETRI_TRUTH : 0;
  }
  return hoists && x[at].class <= FF_PETRI_OF_COUNTS && x[at].start < at ? 1 + FF_PETRI_DISCRETE : 0;
}

static void look(const ff_petri_family_maker *f, const ff_formula *in, part *x, const uint32_t *start, int hoists) {
  for (uint32_t at = 0; at < in->length; at++) {
    ff_petri_class class = class_of_word(f, &in->word[at]);
    uint32_t operand = at - 1;
    for (uint32_t k = ff_formula_operands(in->word[at].code); k > 0; k--) {
      if (x[operand].class > class) class = x[operand].class;
      operand = start[operand] - 1;
    }
    x[at] = (part){start[at], (uint8_t)class, 0, 0};
  }
  for (uint32_t left = in->length; left > 0;) { /* from the whole to its parts; what is replaced is not looked at */
    const uint32_t at = left - 1;
    x[at].chosen = choose(in, x, at, hoists);
    mark_truth(in, x, at);
    left = x[at].chosen ? x[at].start : at;
  }
}

/* ---- bends --------------------------------------------------------------------------------------------------------------- */

#define MOST_BENT 4096u /* words of a formula */

/* Pushes the words of the result from `from` to `end` again, and the operation on them. */
static ff_status push_again(ff_formula_builder *b, size_t from, size_t end, ff_formula_word operation, ff_error *err) {
  ff_status status = FF_OK;
  for (size_t k = from; k < end && status == FF_OK; k++) status = ff_formula_push(b, b->word[k], err);
  return status == FF_OK ? ff_formula_push(b, operation, err) : status;
}

/* The same for the branches that hold if the first operand, from `from` to `middle`, is at least the second one, and if not. */
static ff_status push_branches(ff_formula_builder *b, size_t from, size_t middle, size_t end, uint32_t code, ff_error *err) {
  const size_t limit[3] = {from, middle, end};
  ff_status status = FF_OK;
  for (int branch = 0; branch < 2; branch++) {
    const int which = code == FF_F_ABS ? 0 : code == FF_F_MAX ? branch : 1 - branch;
    for (size_t k = limit[which]; k < limit[which + 1] && status == FF_OK; k++) status = ff_formula_push(b, b->word[k], err);
  }
  return status == FF_OK && code == FF_F_ABS ? ff_formula_push(b, (ff_formula_word){FF_F_NEG, 0, 0}, err) : status;
}

/* Pushes what becomes of max(a, b), min(a, b) or abs(a), whose operands are in the result from `from` on. */
static ff_status push_bend(ff_formula_builder *b, size_t from, size_t middle, ff_formula_word word, int flows, ff_error *err) {
  static const ff_formula_word zero = {FF_F_NUMBER, 0, 0}, compare = {FF_F_GE, 0, 0}, choose_one = {FF_F_IF, 0, 0};
  const size_t end = b->length;
  ff_status status = word.code == FF_F_ABS ? ff_formula_push(b, zero, err) : FF_OK;
  if (status == FF_OK) status = ff_formula_push(b, compare, err);
  if (status == FF_OK && flows) status = push_branches(b, from, middle, end, word.code, err);
  for (int branch = 0; branch < 2 && !flows && status == FF_OK; branch++) status = push_again(b, from, end, word, err);
  return status == FF_OK ? ff_formula_push(b, choose_one, err) : status;
}

/* Where max(a, b), min(a, b) and abs(a) of levels or the time bend is made a crossing, which no step passes. A flow becomes
 * `if(a >= b, a, b)`: what the solver computes beyond the crossing is the smooth branch, too. Another rate becomes `if(a >=
 * b, max(a, b), max(a, b))`, so that rounding errors at the crossing do not make it negative. A formula that would become too
 * long stays as it is. */
static ff_status unbend(const ff_petri_family_maker *f, const ff_formula *in, const uint32_t *start, ff_formula_builder *b) {
  size_t *begin = ff_calloc(in->length, sizeof *begin); /* where the subexpression that a word ends begins in the result */
  if (begin == NULL) return ff_error_set(f->m->err, FF_EMEMORY, "no memory for a formula of %u words", in->length);
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < in->length && status == FF_OK && b->length <= MOST_BENT; at++) {
    const uint32_t code = in->word[at].code, first = start[at];
    const int bends = (code == FF_F_MAX || code == FF_F_MIN || code == FF_F_ABS) &&
                      ff_petri_class_of(f, in->word + first, at - first + 1) == FF_PETRI_OF_LEVELS;
    uint32_t operand = at > first ? at - 1 : at;
    while (operand < at && start[operand] > first) operand = start[operand] - 1;
    begin[at] = operand < at ? begin[operand] : b->length;
    if (bends)
      status = push_bend(b, begin[at], code == FF_F_ABS ? b->length : begin[at - 1], in->word[at],
                         f->law->kind == FF_PETRI_CONTINUOUS, f->m->err);
    else
      status = ff_formula_push(b, in->word[at], f->m->err);
  }
  free(begin);
  return status;
}

/* ---- rewriting ---------------------------------------------------------------------------------------------------------- */

/* Pushes the word `at`, or what replaces the part that begins there and ends at *last. */
static ff_status emit(ff_petri_family_maker *f, const ff_formula *in, const part *x, uint32_t at, uint32_t last,
                      ff_formula_builder *b) {
  ff_formula_word word = in->word[at];
  uint32_t row = 0;
  ff_status status = FF_OK;
  if (x[last].chosen)
    status = derive(f, in->word + at, last - at + 1, (ff_petri_derived_kind)(x[last].chosen - 1), &row);
  else if (word.code == FF_F_TIME)
    status = time_row(f, &row);
  if (x[last].chosen || word.code == FF_F_TIME) word = (ff_formula_word){FF_F_SYMBOL, row, 0};
  return status == FF_OK ? ff_formula_push(b, word, f->m->err) : status;
}

static ff_status rewrite(ff_petri_family_maker *f, const ff_formula *in, int hoists, ff_formula *out) {
  ff_formula_builder b = {0};
  *out = (ff_formula){0};
  uint32_t *start = ff_calloc(in->length, sizeof *start), *until = ff_calloc(in->length, sizeof *until);
  part *x = ff_calloc(in->length, sizeof *x);
  ff_status status = start != NULL && until != NULL && x != NULL
                         ? FF_OK
                         : ff_error_set(f->m->err, FF_EMEMORY, "no memory for a formula of %u words", in->length);
  if (status == FF_OK) {
    ff_formula_starts(start, in);
    look(f, in, x, start, hoists);
    for (uint32_t at = 0; at < in->length; at++) until[at] = at;
    for (uint32_t at = 0; at < in->length; at++)
      if (x[at].chosen) until[x[at].start] = at;
  }
  for (uint32_t at = 0; at < in->length && status == FF_OK; at = until[at] + 1) status = emit(f, in, x, at, until[at], &b);
  if (status == FF_OK)
    ff_formula_finish(out, &b);
  else
    free(b.word);
  free(start);
  free(until);
  free(x);
  return status;
}

ff_status ff_petri_rewrite(ff_petri_family_maker *f, const ff_formula *in, int hoists, ff_formula *out) {
  ff_formula_builder b = {0};
  ff_formula bent = {0};
  *out = (ff_formula){0};
  uint32_t *start = ff_calloc(in->length, sizeof *start);
  if (start == NULL) return ff_error_set(f->m->err, FF_EMEMORY, "no memory for a formula of %u words", in->length);
  ff_formula_starts(start, in);
  ff_status status = unbend(f, in, start, &b);
  free(start);
  if (status != FF_OK || b.length > MOST_BENT) {
    free(b.word);
    return status == FF_OK ? rewrite(f, in, hoists, out) : status;
  }
  ff_formula_finish(&bent, &b);
  status = rewrite(f, &bent, hoists, out);
  ff_formula_free(&bent);
  return status;
}

/* ---- terms -------------------------------------------------------------------------------------------------------------- */

/* Recognises x, k, k * x and x * k. */
static void simplify(ff_petri_term *term) {
  const ff_formula_word *w = term->formula.word;
  const uint32_t n = term->formula.length;
  term->simple = FF_PETRI_COMPLEX;
  if (n == 1 && w[0].code == FF_F_NUMBER) {
    term->simple = FF_PETRI_NUMBER;
    term->number = w[0].number;
  } else if (n == 1 && w[0].code == FF_F_SYMBOL) {
    term->simple = FF_PETRI_SYMBOL;
    term->symbol = w[0].symbol;
  } else if (n == 3 && w[2].code == FF_F_MUL) {
    const int first = w[0].code == FF_F_NUMBER;
    if (w[!first].code != FF_F_NUMBER || w[first].code != FF_F_SYMBOL) return;
    term->simple = FF_PETRI_MULTIPLE;
    term->number = w[!first].number;
    term->symbol = w[first].symbol;
  }
}

/* The rows that a formula reads, each once, become its symbols; of one transition, the values do. */
ff_status ff_petri_term_of(ff_petri_family_maker *f, ff_formula *formula, ff_petri_term *out) {
  const ff_petri_law *law = f->law;
  uint32_t *place = ff_calloc(law->n_rows, sizeof *place), *row = ff_calloc(law->n_rows, sizeof *row), n = 0;
  if (place == NULL || row == NULL) {
    free(place);
    free(row);
    return ff_error_set(f->m->err, FF_EMEMORY, "no memory for a formula of %u symbols", law->n_rows);
  }
  out->moving = ff_petri_class_of(f, formula->word, formula->length) == FF_PETRI_OF_LEVELS;
  for (uint32_t at = 0; at < formula->length; at++) {
    ff_formula_word *word = &formula->word[at];
    if (word->code != FF_F_SYMBOL) continue;
    if (place[word->symbol] == 0) {
      row[n] = word->symbol;
      place[word->symbol] = ++n;
    }
    word->symbol = law->n == 1 ? law->index[word->symbol] : place[word->symbol] - 1;
  }
  free(place);
  out->formula = *formula;
  out->n = n;
  out->row = n > 0 ? ff_shrink(row, n, sizeof *row) : row;
  *formula = (ff_formula){0};
  simplify(out);
  if (out->formula.depth > f->m->p->depth) f->m->p->depth = out->formula.depth;
  if (n > f->m->p->most_rows) f->m->p->most_rows = n;
  return FF_OK;
}
