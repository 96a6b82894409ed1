/* Formulas of values: parts of formulas of families, for single transitions; equal ones are kept once. */
#include "ff_petri_compile_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------------------------- */

ff_status ff_petri_add_value(ff_petri_maker *m, uint32_t *value) {
  ff_petri_program *p = m->p;
  if (p->n_values == FF_PETRI_NO_VALUE - 1)
    return ff_error_set(m->err, FF_ESIZE,
                        "the formulas of the net have more than %u different parts; expected fewer transitions", p->n_values);
  ff_status status = ff_grow((void **)&p->initial, &m->values_room, (size_t)p->n_values + 1, sizeof *p->initial, m->err);
  if (status == FF_OK)
    status = ff_grow((void **)&m->local, &m->local_room, (size_t)p->n_values + 1, sizeof *m->local, m->err);
  if (status != FF_OK) return status;
  p->initial[p->n_values] = 0;
  m->local[p->n_values] = FF_PETRI_NO_VALUE;
  *value = p->n_values++;
  return FF_OK;
}

/* ---- flat formulas ------------------------------------------------------------------------------------------------------ */

static ff_status push_all(ff_petri_maker *m, ff_formula_builder *b, const ff_formula *words, ff_petri_use use) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < words->length && status == FF_OK; at++) {
    ff_formula_word word = words->word[at];
    if (word.code == FF_F_TIME && use == FF_PETRI_FOR_PROFILE) word = (ff_formula_word){FF_F_SYMBOL, m->p->time, 0};
    status = ff_formula_push(b, word, m->err);
  }
  return status;
}

/* The variable that a value is, or FF_PETRI_NO_VALUE. */
static uint32_t variable_of(const ff_petri_maker *m, uint32_t value) {
  return value >= m->p->n_places && value < m->p->time ? value - m->p->n_places : FF_PETRI_NO_VALUE;
}

static ff_status push_symbol(ff_petri_family_maker *f, ff_formula_builder *b, uint32_t row, uint32_t i, ff_petri_use use) {
  ff_petri_maker *m = f->m;
  const uint32_t value = ff_petri_value_of(f->law, row, i), variable = variable_of(m, value);
  if (f->family != NULL && row >= f->family->n_slots && row - f->family->n_slots < f->family->n_numbers) {
    const double number = f->family->number[(size_t)(row - f->family->n_slots) * f->family->n + i];
    return ff_formula_push(b, (ff_formula_word){FF_F_NUMBER, 0, number}, m->err);
  }
  if (variable != FF_PETRI_NO_VALUE && use == FF_PETRI_FOR_DERIVED) return push_all(m, b, &m->plain[variable], use);
  if (variable != FF_PETRI_NO_VALUE && m->variable_class[variable] == FF_PETRI_OF_LEVELS)
    return push_all(m, b, &m->smooth[variable], use);
  if (value == m->p->time && use == FF_PETRI_FOR_DERIVED) return ff_formula_push(b, (ff_formula_word){FF_F_TIME, 0, 0}, m->err);
  return ff_formula_push(b, (ff_formula_word){FF_F_SYMBOL, value, 0}, m->err);
}

ff_status ff_petri_flatten(ff_petri_family_maker *f, const ff_formula_word *word, uint32_t length, uint32_t i, ff_petri_use use,
                           ff_petri_plain *out) {
  ff_formula_builder b = {0};
  ff_status status = FF_OK;
  *out = (ff_petri_plain){0};
  for (uint32_t at = 0; at < length && status == FF_OK; at++) {
    if (word[at].code == FF_F_SYMBOL)
      status = push_symbol(f, &b, word[at].symbol, i, use);
    else if (word[at].code == FF_F_TIME && use == FF_PETRI_FOR_PROFILE)
      status = ff_formula_push(&b, (ff_formula_word){FF_F_SYMBOL, f->m->p->time, 0}, f->m->err);
    else
      status = ff_formula_push(&b, word[at], f->m->err);
  }
  if (status != FF_OK) {
    free(b.word);
    return status;
  }
  ff_formula_finish(&out->formula, &b);
  status = ff_petri_localise(f->m, out);
  if (status != FF_OK) ff_petri_plain_free(out);
  return status;
}

ff_status ff_petri_localise(ff_petri_maker *m, ff_petri_plain *out) { return ff_petri_plain_localise(out, m->local, m->err); }

/* ---- equal ones --------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t x) { return (hash ^ x) * UINT64_C(0x9E3779B97F4A7C15) ^ (hash >> 29); }

static uint64_t hash_of(uint32_t kind, const ff_petri_plain *x) {
  uint64_t hash = mix(kind, x->formula.length);
  for (uint32_t at = 0; at < x->formula.length; at++) {
    const ff_formula_word *word = &x->formula.word[at];
    hash = mix(hash, (uint64_t)word->code << 32 | word->symbol);
    hash = mix(hash, ff_math_bits(word->number));
  }
  for (uint32_t k = 0; k < x->n; k++) hash = mix(hash, x->read[k]);
  return hash ^ hash >> 32;
}

static int is_same(const ff_petri_plain *a, const ff_petri_plain *b) {
  if (a->formula.length != b->formula.length || a->n != b->n) return 0;
  for (uint32_t at = 0; at < a->formula.length; at++) {
    const ff_formula_word *x = &a->formula.word[at], *y = &b->formula.word[at];
    if (x->code != y->code || x->symbol != y->symbol || ff_math_bits(x->number) != ff_math_bits(y->number)) return 0;
  }
  return a->n == 0 || memcmp(a->read, b->read, a->n * sizeof *a->read) == 0;
}

/* Entries of the table: derived formulas have even numbers, profiles odd ones. */
enum { PROFILE_KIND = FF_PETRI_WHOLE + 1 };

static const ff_petri_plain *entry_of(const ff_petri_maker *m, uint32_t entry, uint32_t *kind) {
  *kind = entry % 2 ? PROFILE_KIND : m->p->derived[entry / 2].kind;
  return entry % 2 ? &m->p->profile[entry / 2].plain : &m->p->derived[entry / 2].plain;
}

static size_t place_of(const ff_petri_maker *m, uint32_t kind, const ff_petri_plain *x) {
  size_t at = hash_of(kind, x) & (m->slots - 1);
  for (; m->slot[at] != 0; at = (at + 1) & (m->slots - 1)) {
    uint32_t other;
    const ff_petri_plain *entry = entry_of(m, m->slot[at] - 1, &other);
    if (other == kind && is_same(entry, x)) break;
  }
  return at;
}

static ff_status enlarge(ff_petri_maker *m) {
  const size_t slots = m->slots == 0 ? 64 : 2 * m->slots;
  uint32_t *old = m->slot;
  const size_t n_old = m->slots;
  uint32_t *slot = ff_calloc(slots, sizeof *slot);
  if (slot == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for a table of %zu formulas", slots);
  m->slot = slot;
  m->slots = slots;
  for (size_t i = 0; i < n_old; i++) {
    if (old[i] == 0) continue;
    uint32_t kind;
    const ff_petri_plain *entry = entry_of(m, old[i] - 1, &kind);
    m->slot[place_of(m, kind, entry)] = old[i];
  }
  free(old);
  return FF_OK;
}

/* Finds an equal entry, whose number + 1 becomes *found, or 0; then *at is where it belongs. */
static ff_status find(ff_petri_maker *m, uint32_t kind, const ff_petri_plain *plain, size_t *at, uint32_t *found) {
  ff_status status = 2 * (m->used + 1) > m->slots ? enlarge(m) : FF_OK;
  if (status != FF_OK) return status;
  *at = place_of(m, kind, plain);
  *found = m->slot[*at];
  return FF_OK;
}

ff_status ff_petri_push_derived(ff_petri_maker *m, ff_petri_derived_kind kind, uint32_t value, ff_petri_plain *plain) {
  ff_petri_program *p = m->p;
  ff_status status = ff_grow((void **)&p->derived, &m->derived_room, (size_t)p->n_derived + 1, sizeof *p->derived, m->err);
  if (status == FF_OK)
    p->derived[p->n_derived++] = (ff_petri_derived){kind, value, *plain};
  else
    ff_petri_plain_free(plain);
  *plain = (ff_petri_plain){0};
  return status;
}

ff_status ff_petri_intern_derived(ff_petri_maker *m, ff_petri_derived_kind kind, ff_petri_plain *plain, uint32_t *value) {
  ff_petri_program *p = m->p;
  size_t at = 0;
  uint32_t found = 0;
  ff_status status = find(m, kind, plain, &at, &found);
  if (status == FF_OK && found == 0) {
    status = ff_petri_add_value(m, value);
    if (status == FF_OK) status = ff_petri_push_derived(m, kind, *value, plain);
    if (status == FF_OK) {
      m->slot[at] = 2 * (p->n_derived - 1) + 1;
      m->used++;
    }
  } else if (status == FF_OK) {
    *value = p->derived[(found - 1) / 2].value;
  }
  ff_petri_plain_free(plain);
  return status;
}

/* ---- profiles ----------------------------------------------------------------------------------------------------------- */

/* Degrees in levels and the time: 0, 1, or 2 for all else. */
static uint8_t degree_of(uint32_t code, const uint8_t *x) {
  const uint32_t n = ff_formula_operands(code);
  uint8_t most = 0;
  for (uint32_t k = 0; k < n; k++) most = x[k] > most ? x[k] : most;
  switch (code) {
    case FF_F_NEG:
    case FF_F_ADD:
    case FF_F_SUB: return most;
    case FF_F_MUL: return x[0] + x[1] < 2 ? most : 2;
    case FF_F_DIV: return x[1] == 0 ? most : 2;
    case FF_F_IF: return x[0] == 0 ? most : 2;
    default: return most == 0 ? 0 : 2;
  }
}

/* Whether a formula of values is affine in levels and the time. */
static ff_status is_affine(const ff_petri_maker *m, const ff_petri_plain *plain, uint8_t *affine) {
  uint8_t *stack = ff_calloc(plain->formula.depth, sizeof *stack), *top = stack;
  if (stack == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for a formula of %u words", plain->formula.length);
  for (uint32_t at = 0; at < plain->formula.length; at++) {
    const ff_formula_word *word = &plain->formula.word[at];
    const uint32_t n = ff_formula_operands(word->code);
    if (n == 0) {
      const uint32_t value = word->code == FF_F_SYMBOL ? plain->read[word->symbol] : FF_PETRI_NO_VALUE;
      *top++ = word->code == FF_F_SYMBOL && (value < m->p->n_levels || value == m->p->time);
      continue;
    }
    top -= n;
    *top = degree_of(word->code, top);
    top++;
  }
  *affine = stack[0] < 2;
  free(stack);
  return FF_OK;
}

static int reads_time(const ff_petri_program *p, const ff_petri_plain *x) {
  for (uint32_t k = 0; k < x->n; k++)
    if (x->read[k] == p->time) return 1;
  return 0;
}

ff_status ff_petri_intern_profile(ff_petri_maker *m, ff_petri_plain *plain, uint32_t *profile) {
  ff_petri_program *p = m->p;
  size_t at = 0;
  uint32_t found = 0;
  ff_status status = find(m, PROFILE_KIND, plain, &at, &found);
  if (status == FF_OK && found == 0) {
    uint8_t affine = 0;
    status = ff_grow((void **)&p->profile, &m->profile_room, (size_t)p->n_profiles + 1, sizeof *p->profile, m->err);
    if (status == FF_OK) status = is_affine(m, plain, &affine);
    if (status == FF_OK) {
      p->profile[p->n_profiles] = (ff_petri_profile){*plain, affine, (uint8_t)reads_time(p, plain), 0};
      *plain = (ff_petri_plain){0};
      *profile = p->n_profiles++;
      m->slot[at] = 2 * *profile + 2;
      m->used++;
    }
  } else if (status == FF_OK) {
    *profile = (found - 1) / 2;
  }
  ff_petri_plain_free(plain);
  return status;
}
