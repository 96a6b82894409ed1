/* Formulas of values: those of a compiled net whose symbols are local ones. In a header, since a backend is not linked with the
 * engine. */
#ifndef FF_PETRI_PLAIN_H
#define FF_PETRI_PLAIN_H

#include <stdlib.h>
#include <string.h>

#include "ff_petri_program.h"

#define FF_PETRI_NO_VALUE UINT32_MAX

static inline void ff_petri_plain_free(ff_petri_plain *plain) {
  if (plain == NULL) return;
  free(plain->formula.word);
  free(plain->read);
  memset(plain, 0, sizeof *plain);
}

/* Gives the symbols of a formula, which are values, numbers from 0 in the order of their first use, and lists the values. `local`
 * has FF_PETRI_NO_VALUE for each value, before and after. The formula belongs to *out. O(length). */
static inline ff_status ff_petri_plain_localise(ff_petri_plain *out, uint32_t *local, ff_error *err) {
  ff_formula *formula = &out->formula;
  uint32_t most = 0;
  for (uint32_t at = 0; at < formula->length; at++) most += formula->word[at].code == FF_F_SYMBOL;
  uint32_t *read = (uint32_t *)ff_calloc(most, sizeof *read);
  if (read == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a formula of %u symbols", most);
  out->n = 0;
  for (uint32_t at = 0; at < formula->length; at++) {
    ff_formula_word *word = &formula->word[at];
    if (word->code != FF_F_SYMBOL) continue;
    if (local[word->symbol] == FF_PETRI_NO_VALUE) {
      local[word->symbol] = out->n;
      read[out->n++] = word->symbol;
    }
    word->symbol = local[word->symbol];
  }
  for (uint32_t k = 0; k < out->n; k++) local[read[k]] = FF_PETRI_NO_VALUE;
  out->read = out->n > 0 ? (uint32_t *)ff_shrink(read, out->n, sizeof *read) : read;
  return FF_OK;
}

/* A function of what is observed, such as a condition, as a formula of values. The caller frees *out with ff_petri_plain_free().
 * O(length + values). */
static inline ff_status ff_petri_program_plain(ff_petri_plain *out, const ff_petri_program *p, const ff_formula *of,
                                               ff_error *err) {
  uint32_t *local = (uint32_t *)ff_calloc(p->n_values, sizeof *local);
  ff_formula_word *word = (ff_formula_word *)ff_calloc(of->length, sizeof *word);
  memset(out, 0, sizeof *out);
  if (local == NULL || word == NULL) {
    free(local);
    free(word);
    return ff_error_set(err, FF_EMEMORY, "no memory for a condition of %u values", p->n_values);
  }
  for (uint32_t v = 0; v < p->n_values; v++) local[v] = FF_PETRI_NO_VALUE;
  if (of->length > 0) memcpy(word, of->word, of->length * sizeof *word);
  for (uint32_t at = 0; at < of->length; at++)
    if (word[at].code == FF_F_SYMBOL) word[at].symbol = ff_petri_observed_value(p, word[at].symbol);
  out->formula.word = word;
  out->formula.length = of->length;
  out->formula.depth = of->depth;
  const ff_status status = ff_petri_plain_localise(out, local, err);
  free(local);
  if (status != FF_OK) ff_petri_plain_free(out);
  return status;
}

#endif
