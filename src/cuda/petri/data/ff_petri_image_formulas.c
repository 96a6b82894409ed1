/* What all files of an image use; and its formulas: their words, and what they read. */
#include "ff_petri_image_maker.h"

#include <stdlib.h>
#include <string.h>

ff_status ff_petri_image_check_size(const char *what, uint64_t found, uint64_t most, ff_error *err) {
  if (found <= most) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "too large as data: the net has %llu %s; expected at most %llu",
                      (unsigned long long)found, what, (unsigned long long)most);
}

void *ff_petri_image_more(ff_petri_image_maker *m, void **array, size_t *room, size_t used, size_t n, size_t size) {
  if (m->status == FF_OK) m->status = ff_grow(array, room, used + n + 1, size, m->err);
  return m->status == FF_OK ? (char *)*array + used * size : NULL;
}

uint32_t ff_petri_image_constant(ff_petri_image_maker *m, double number) {
  const size_t n = m->n_constant, first = n > FF_PETRI_IMAGE_LOOKS ? n - FF_PETRI_IMAGE_LOOKS : 0;
  size_t at = first;
  while (at < n && memcmp(&m->constant[at], &number, sizeof number) != 0) at++;
  if (at == n) {
    double *to = FF_PETRI_IMAGE_MORE(m, constant, 1);
    if (to == NULL) return 0;
    *to = number;
    m->n_constant++;
  }
  return m->p->n_levels + m->n_others + (uint32_t)at;
}

/* The number of a value. Values that trajectories do not keep are constants. */
static uint32_t number_of(ff_petri_image_maker *m, uint32_t value) {
  return m->of[value] != FF_PETRI_IMAGE_NONE ? m->of[value]
         : value == m->p->time               ? FF_PETRI_IMAGE_TIME
                                             : ff_petri_image_constant(m, m->p->initial[value]);
}

static void take(ff_petri_image_maker *m, uint32_t operand) {
  uint32_t *to = FF_PETRI_IMAGE_MORE(m, taken, 1);
  if (to == NULL) return;
  *to = operand;
  m->n_taken++;
}

static ff_petri_image_put *begin(ff_petri_image_maker *m, uint32_t number) {
  ff_petri_image_put *to = FF_PETRI_IMAGE_MORE(m, put, 1);
  if (to == NULL) return NULL;
  *to = (ff_petri_image_put){.first = (uint32_t)m->n_taken, .number = number};
  m->n_put++;
  return to;
}

/* Whether stored words, from number `word` on, are those of a formula, but for numbers and symbols. */
static int is_alike(const ff_petri_image_maker *m, uint32_t word, const ff_formula *f) {
  for (uint32_t k = 0; k < f->length; k++) {
    const uint32_t code = f->word[k].code == FF_F_NUMBER ? FF_F_SYMBOL : f->word[k].code;
    if (m->word[word + k].code != code) return 0;
  }
  return 1;
}

static void store_words(ff_petri_image_maker *m, const ff_formula *f) {
  ff_formula_word *to = FF_PETRI_IMAGE_MORE(m, word, f->length);
  uint32_t symbols = 0;
  if (to == NULL) return;
  for (uint32_t k = 0; k < f->length; k++) {
    const int reads = f->word[k].code == FF_F_NUMBER || f->word[k].code == FF_F_SYMBOL;
    to[k] = (ff_formula_word){reads ? FF_F_SYMBOL : f->word[k].code, reads ? symbols++ : 0, 0};
  }
  m->n_word += f->length;
}

/* Where the words of a formula are: those of an equal one that came not long ago, or new ones. */
static uint32_t words_of(ff_petri_image_maker *m, const ff_formula *f) {
  const uint32_t known = m->n_shapes < FF_PETRI_IMAGE_LOOKS ? m->n_shapes : FF_PETRI_IMAGE_LOOKS;
  for (uint32_t k = 0; k < known; k++)
    if (m->shape[k].length == f->length && is_alike(m, m->shape[k].word, f)) return m->shape[k].word;
  const uint32_t word = (uint32_t)m->n_word, at = m->n_shapes++ % FF_PETRI_IMAGE_LOOKS;
  store_words(m, f);
  m->shape[at].word = word;
  m->shape[at].length = m->status == FF_OK ? f->length : 0;
  return word;
}

void ff_petri_image_put_formula(ff_petri_image_maker *m, const ff_formula *f, const uint32_t *of, uint32_t number) {
  const uint32_t word = words_of(m, f);
  ff_petri_image_put *x = begin(m, number);
  if (x == NULL) return;
  x->word = word;
  x->length = f->length;
  for (uint32_t k = 0; k < f->length; k++) {
    const ff_formula_word *w = &f->word[k];
    if (w->code == FF_F_NUMBER) take(m, ff_petri_image_constant(m, w->number));
    if (w->code == FF_F_SYMBOL) take(m, number_of(m, of != NULL ? of[w->symbol] : w->symbol));
  }
  x->n = (uint32_t)m->n_taken - x->first;
  if (f->depth > m->depth) m->depth = f->depth;
}

void ff_petri_image_put_product(ff_petri_image_maker *m, double number, uint32_t value, uint32_t to) {
  ff_petri_image_put *x = begin(m, to);
  if (x == NULL) return;
  x->n = 2;
  take(m, ff_petri_image_constant(m, number));
  take(m, number_of(m, value));
}

void ff_petri_image_put_term(ff_petri_image_maker *m, const ff_petri_law *law, const ff_petri_term *term, uint32_t i,
                             uint32_t number) {
  if (term->simple == FF_PETRI_MULTIPLE) { /* as ff_petri_simple_value() */
    const uint32_t value = law->n > 1 ? ff_petri_value_of(law, term->row[term->symbol], i) : term->symbol;
    ff_petri_image_put_product(m, term->number, value, number);
    return;
  }
  for (uint32_t k = 0; k < term->n && law->n > 1; k++) m->row[k] = ff_petri_value_of(law, term->row[k], i);
  ff_petri_image_put_formula(m, &term->formula, law->n > 1 ? m->row : NULL, number);
}

/* ---- lists -------------------------------------------------------------------------------------------------------------- */

static int has_same_words(const ff_petri_image_put *a, const ff_petri_image_put *b) {
  return a->word == b->word && a->length == b->length;
}

static int compare(const void *a, const void *b) {
  const ff_petri_image_put *x = a, *y = b;
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  if (x->word != y->word) return x->word < y->word ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Stores the operands of neighbours with the same words, interleaved. */
static void store_run(ff_petri_image_maker *m, ff_petri_image_formula *out, size_t from, size_t to) {
  const uint32_t n = m->put[from].n, stride = (uint32_t)(to - from);
  uint32_t *operand = FF_PETRI_IMAGE_MORE(m, operand, (size_t)n * stride);
  if (operand == NULL) return;
  for (size_t i = from; i < to; i++) {
    const ff_petri_image_put *x = &m->put[i];
    for (uint32_t k = 0; k < n; k++) operand[(size_t)k * stride + (i - from)] = m->taken[x->first + k];
    out[i] = (ff_petri_image_formula){x->word, x->length, (uint32_t)(m->n_operand + (i - from)), stride};
  }
  m->n_operand += (size_t)n * stride;
}

void ff_petri_image_end_list(ff_petri_image_maker *m, ff_petri_image_formula *out, int sorts, uint32_t *place) {
  size_t from = 0;
  if (m->status == FF_OK && sorts && m->n_put > 0) qsort(m->put, m->n_put, sizeof *m->put, compare);
  while (m->status == FF_OK && from < m->n_put) {
    size_t to = from + 1;
    while (to < m->n_put && has_same_words(&m->put[from], &m->put[to])) to++;
    store_run(m, out, from, to);
    for (size_t i = from; i < to && place != NULL; i++) place[m->put[i].number] = (uint32_t)i;
    from = to;
  }
  m->n_put = m->n_taken = 0;
}
