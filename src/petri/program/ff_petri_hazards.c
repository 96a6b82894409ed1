/* Hazards as coefficients times profiles. */
#include <stdlib.h>

#include "ff_petri_compile_internal.h"

#include <math.h>

/* A factor of a hazard, or one that divides it: words from `start` to `end`. */
typedef struct {
  uint32_t start, end;
  uint8_t divides, moves;
} factor;

/* Splits the product that is a formula. `list` has room for an entry for each word. Returns how many there are. */
static uint32_t split(const ff_petri_family_maker *f, const ff_formula *of, const uint32_t *start, factor *list) {
  uint32_t n = 0, waiting = 1;
  list[0] = (factor){0, of->length - 1, 0, 0};
  while (waiting > n) { /* list[n] to list[waiting - 1] are still products, perhaps */
    const factor x = list[n];
    const uint32_t code = of->word[x.end].code, last = x.end - 1;
    if (x.start < x.end && (code == FF_F_MUL || code == FF_F_DIV)) {
      const uint32_t middle = start[last];
      list[n] = (factor){x.start, middle - 1, x.divides, 0};
      list[waiting++] = (factor){middle, last, (uint8_t)(x.divides ^ (code == FF_F_DIV)), 0};
      continue;
    }
    list[n].moves = ff_petri_class_of(f, of->word + x.start, x.end - x.start + 1) == FF_PETRI_OF_LEVELS;
    n++;
  }
  return n;
}

/* The power of a symbol at `at`, from 3 to 8, or 0. Profiles have products instead, which take less time. */
static uint32_t power_at(const ff_formula *of, uint32_t at, uint32_t end) {
  if (at + 2 > end || of->word[at].code != FF_F_SYMBOL || of->word[at + 1].code != FF_F_NUMBER) return 0;
  const double power = of->word[at + 1].number;
  return of->word[at + 2].code == FF_F_POW && power >= 3 && power <= 8 && power == (uint32_t)power ? (uint32_t)power : 0;
}

/* x^n as a product of halves. */
static ff_status push_power(ff_petri_family_maker *f, ff_formula_word x, uint32_t n, ff_formula_builder *b) {
  static const uint8_t parts[9] = {0, 0, 1, 2, 2, 4, 3, 4, 4}; /* x^n = x^parts * x^(n - parts) */
  uint32_t waiting[16], depth = 0;
  ff_status status = FF_OK;
  for (waiting[depth++] = n; depth > 0 && status == FF_OK;) {
    const uint32_t k = waiting[--depth];
    if (k == 0 || k == 1) {
      status = ff_formula_push(b, k == 0 ? (ff_formula_word){FF_F_MUL, 0, 0} : x, f->m->err);
      continue;
    }
    waiting[depth++] = 0;
    waiting[depth++] = k - parts[k];
    waiting[depth++] = parts[k];
  }
  return status;
}

/* Multiplies the factors that move, or those that do not. Without any, there are no words. */
static ff_status multiply(ff_petri_family_maker *f, const ff_formula *of, const factor *list, uint32_t n, int moves,
                          ff_formula_builder *b) {
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < n && status == FF_OK; k++) {
    if (list[k].moves != moves) continue;
    const int first = b->length == 0;
    if (first && list[k].divides) status = ff_formula_push(b, (ff_formula_word){FF_F_NUMBER, 0, 1}, f->m->err);
    for (uint32_t at = list[k].start; at <= list[k].end && status == FF_OK; at++) {
      const uint32_t power = moves ? power_at(of, at, list[k].end) : 0;
      status = power > 0 ? push_power(f, of->word[at], power, b) : ff_formula_push(b, of->word[at], f->m->err);
      if (power > 0) at += 2;
    }
    if (status == FF_OK && (!first || list[k].divides))
      status = ff_formula_push(b, (ff_formula_word){list[k].divides ? FF_F_DIV : FF_F_MUL, 0, 0}, f->m->err);
  }
  return status;
}

/* Whether a coefficient k n or n, of the tokens n of a discrete place, is 0 where the condition n >= 1 does not hold. */
static int implies(const ff_petri_family_maker *f, const ff_formula *words, const ff_formula *condition) {
  const ff_formula_word *c = condition->word, *w = words->word;
  const ff_petri_program *p = f->m->p;
  if (condition->length != 3 || c[0].code != FF_F_SYMBOL || c[1].code != FF_F_NUMBER || c[1].number != 1 || c[2].code != FF_F_GE)
    return 0;
  const uint32_t value = f->law->index[(size_t)c[0].symbol * f->law->n];
  if (value >= p->n_places || f->m->flat->continuous[p->value_place[value]]) return 0;
  if (words->length == 1) return w[0].code == FF_F_SYMBOL && w[0].symbol == c[0].symbol;
  if (words->length != 3 || w[2].code != FF_F_MUL) return 0;
  const ff_formula_word *number = &w[w[0].code == FF_F_NUMBER ? 0 : 1], *symbol = &w[w[0].code == FF_F_NUMBER ? 1 : 0];
  return number->code == FF_F_NUMBER && fabs(number->number) < INFINITY && symbol->code == FF_F_SYMBOL &&
         symbol->symbol == c[0].symbol;
}

/* if (condition) coefficient else 0 */
static ff_status make_coefficient(ff_petri_family_maker *f, const ff_formula *of, const factor *list, uint32_t n,
                                  const ff_formula *condition) {
  ff_formula_builder b = {0};
  ff_formula words = {0}, done = {0};
  ff_status status = multiply(f, of, list, n, 0, &b);
  if (status == FF_OK && b.length == 0) status = ff_formula_push(&b, (ff_formula_word){FF_F_NUMBER, 0, 1}, f->m->err);
  if (status == FF_OK) ff_formula_finish(&words, &b);
  const int has = status == FF_OK && condition->length > 0 && !implies(f, &words, condition);
  for (uint32_t at = 0; has && at < condition->length && status == FF_OK; at++)
    status = ff_formula_push(&b, condition->word[at], f->m->err);
  for (uint32_t at = 0; at < words.length && status == FF_OK; at++) status = ff_formula_push(&b, words.word[at], f->m->err);
  if (has && status == FF_OK) status = ff_formula_push(&b, (ff_formula_word){FF_F_NUMBER, 0, 0}, f->m->err);
  if (has && status == FF_OK) status = ff_formula_push(&b, (ff_formula_word){FF_F_IF, 0, 0}, f->m->err);
  ff_formula_free(&words);
  if (status == FF_OK)
    ff_formula_finish(&done, &b);
  else
    free(b.word);
  if (status == FF_OK) status = ff_petri_term_of(f, &done, &f->law->rate);
  ff_formula_free(&done);
  return status;
}

static ff_status make_profiles(ff_petri_family_maker *f, const ff_formula *of, const factor *list, uint32_t n) {
  ff_formula_builder b = {0};
  ff_petri_law *law = f->law;
  law->profile = ff_calloc(law->n, sizeof *law->profile);
  ff_status status = law->profile != NULL ? FF_OK : ff_error_set(f->m->err, FF_EMEMORY, "no memory for %u hazards", law->n);
  if (status == FF_OK) status = multiply(f, of, list, n, 1, &b);
  for (uint32_t i = 0; i < law->n && b.length > 0 && status == FF_OK; i++) {
    ff_petri_plain plain;
    status = ff_petri_flatten(f, b.word, (uint32_t)b.length, i, FF_PETRI_FOR_PROFILE, &plain);
    if (status == FF_OK) status = ff_petri_intern_profile(f->m, &plain, &law->profile[i]);
  }
  free(b.word);
  return status;
}

ff_status ff_petri_compile_hazard(ff_petri_family_maker *f, const ff_formula *hazard, ff_formula *condition) {
  uint32_t *start = ff_calloc(hazard->length, sizeof *start);
  factor *list = ff_calloc(hazard->length, sizeof *list);
  ff_status status = FF_OK;
  if (start == NULL || list == NULL) {
    status = ff_error_set(f->m->err, FF_EMEMORY, "no memory for a hazard of %u words", hazard->length);
  } else {
    ff_formula_starts(start, hazard);
    const uint32_t n = split(f, hazard, start, list);
    status = make_profiles(f, hazard, list, n);
    if (status == FF_OK) status = make_coefficient(f, hazard, list, n, condition);
  }
  free(start);
  free(list);
  return status;
}
