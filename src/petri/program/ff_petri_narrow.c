/* Which part of a formula may have narrow peaks: see ../within/ff_petri_peak_math.h.
 *
 * Terms that cannot have one, such as -k * y in a relaxation k * (f(z) - y), are left out. Bounds of the whole difference do not
 * know that f(z) and y move together, and would ask for ever shorter steps near the balance. If several terms may have one, the
 * formula is left whole: the difference of two steep steps is a pulse, although neither of them has a peak. */
#include <stdlib.h>

#include "ff_petri_compile_internal.h"

/* What becomes of the subexpression that a word ends. PART: only its part that may have peaks stays. */
typedef enum { GONE, WHOLE, PART, NEGATED /* the word becomes a negation */, ZERO } fate;

typedef struct {
  const ff_formula *of;
  uint32_t *start;
  uint8_t *moves, *narrow, *fate; /* of each word: whether its subexpression moves while time flows, and may have narrow peaks */
  uint32_t terms;                 /* that may have narrow peaks */
} parts;

/* Where the operand before this one ends. */
static uint32_t before(const parts *x, uint32_t operand) { return x->start[operand] - 1; }

/* ---- terms -------------------------------------------------------------------------------------------------------------- */

/* Whether an operation may make narrow peaks of what moves: not if it is a polynomial of low degree, a root, or a logarithm. */
static int makes_peaks(const parts *x, uint32_t at) {
  const uint32_t code = x->of->word[at].code;
  if (code == FF_F_DIV) return x->moves[at - 1];
  if (code == FF_F_POW) {
    const ff_formula_word *exponent = &x->of->word[at - 1];
    return !(exponent->code == FF_F_NUMBER && exponent->number >= 0 && exponent->number <= 3);
  }
  return code == FF_F_EXP || code == FF_F_EXPM1 || code >= FF_F_SIN;
}

static void classify(parts *x, const uint8_t *class_of) {
  for (uint32_t at = 0; at < x->of->length; at++) {
    const ff_formula_word *word = &x->of->word[at];
    x->moves[at] = word->code == FF_F_TIME || (word->code == FF_F_SYMBOL && class_of[word->symbol] == FF_PETRI_OF_LEVELS);
    for (uint32_t n = ff_formula_operands(word->code), operand = at - 1; n > 0; n--) {
      x->moves[at] |= x->moves[operand];
      x->narrow[at] |= x->narrow[operand];
      if (n > 1) operand = before(x, operand);
    }
    if (x->moves[at]) x->narrow[at] |= (uint8_t)makes_peaks(x, at);
  }
}

/* ---- what stays --------------------------------------------------------------------------------------------------------- */

static void keep_sum(parts *x, uint32_t at, uint32_t left, uint32_t right) {
  x->fate[left] = x->narrow[left] ? PART : GONE;
  x->fate[right] = x->narrow[right] ? PART : GONE;
  if (x->fate[right] == GONE) x->fate[at] = GONE;
  if (x->fate[left] == GONE) x->fate[at] = x->of->word[at].code == FF_F_SUB ? NEGATED : GONE;
}

/* a * (b + c) is a * b + a * c. If both factors may have peaks, the product is one term. */
static void keep_product(parts *x, uint32_t left, uint32_t right) {
  const int both = x->narrow[left] && x->narrow[right];
  x->terms += (uint32_t)both;
  x->fate[left] = x->narrow[left] && !both ? PART : WHOLE;
  x->fate[right] = x->narrow[right] && !both ? PART : WHOLE;
}

/* if(a, b + c, d) is if(a, b, 0) + if(a, c, d). */
static void keep_branches(parts *x, uint32_t condition, uint32_t yes, uint32_t no) {
  x->fate[condition] = WHOLE;
  x->fate[yes] = x->narrow[yes] ? PART : ZERO;
  x->fate[no] = x->narrow[no] ? PART : ZERO;
}

/* A subexpression that is one term, or goes or stays as a whole. */
static void keep_all(parts *x, uint32_t at, fate of) {
  for (uint32_t n = ff_formula_operands(x->of->word[at].code), operand = at - 1; n > 0; n--) {
    x->fate[operand] = (uint8_t)of;
    if (n > 1) operand = before(x, operand);
  }
}

/* Decides what becomes of the operands of a word that is in a part that may have peaks. */
static void keep_part(parts *x, uint32_t at) {
  const uint32_t code = x->of->word[at].code, last = at - 1;
  if (code == FF_F_ADD || code == FF_F_SUB) {
    keep_sum(x, at, before(x, last), last);
  } else if (code == FF_F_MUL) {
    keep_product(x, before(x, last), last);
  } else if (code == FF_F_DIV && !x->moves[last]) {
    x->fate[last] = WHOLE;
    x->fate[before(x, last)] = PART;
  } else if (code == FF_F_NEG) {
    x->fate[last] = PART;
  } else if (code == FF_F_IF && !x->moves[before(x, before(x, last))]) {
    keep_branches(x, before(x, before(x, last)), before(x, last), last);
  } else {
    x->terms++;
    keep_all(x, at, WHOLE);
  }
}

/* From the end to the beginning: an operation comes before its operands. */
static void choose(parts *x) {
  uint32_t at = x->of->length - 1;
  x->fate[at] = x->narrow[at] ? PART : GONE;
  for (at++; at-- > 0;) {
    if (x->fate[at] == PART)
      keep_part(x, at);
    else
      keep_all(x, at, x->fate[at] == WHOLE ? WHOLE : GONE);
  }
}

/* ---- the part ----------------------------------------------------------------------------------------------------------- */

static ff_status push_part(const parts *x, ff_formula_builder *b, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < x->of->length && status == FF_OK; at++) {
    if (x->fate[at] == GONE) continue;
    const ff_formula_word zero = {FF_F_NUMBER, 0, 0}, negated = {FF_F_NEG, 0, 0};
    status = ff_formula_push(b, x->fate[at] == ZERO ? zero : x->fate[at] == NEGATED ? negated : x->of->word[at], err);
  }
  return status;
}

static ff_status make_part(parts *x, const uint8_t *class_of, ff_formula *out, ff_error *err) {
  ff_formula_builder b = {0};
  ff_formula_starts(x->start, x->of);
  classify(x, class_of);
  choose(x);
  if (x->terms == 0) return FF_OK;
  if (x->terms > 1) return ff_formula_copy(out, x->of, err);
  const ff_status status = push_part(x, &b, err);
  if (status == FF_OK)
    ff_formula_finish(out, &b);
  else
    free(b.word);
  return status;
}

ff_status ff_petri_narrow_part(ff_formula *out, const ff_formula *formula, const uint8_t *class_of, ff_error *err) {
  const uint32_t n = formula->length;
  parts x = {.of = formula, .start = ff_calloc(n, sizeof *x.start), .moves = ff_calloc(n, 1), .narrow = ff_calloc(n, 1),
             .fate = ff_calloc(n, 1)};
  ff_status status = FF_OK;
  *out = (ff_formula){0};
  if (x.start == NULL || x.moves == NULL || x.narrow == NULL || x.fate == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a formula of %u words", n);
  else if (n > 0)
    status = make_part(&x, class_of, out, err);
  free(x.start);
  free(x.moves);
  free(x.narrow);
  free(x.fate);
  return status;
}
