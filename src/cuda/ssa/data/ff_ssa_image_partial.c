/* The rows of partial propensities in the image of a reaction network, for pdm and pssa_cr (ff_ssa_generic_partial.h). */
#include <string.h>

#include "ff_ssa_image_maker.h"

/* The row of a reaction's partial propensity. */
static uint32_t row_of(const ff_ssa_propensity *a) {
  if (a->law == FF_LAW_CONSTANT) return 0;
  return 1 + (a->law == FF_LAW_PAIR && a->b < a->a ? a->b : a->a);
}

/* The species that the partial propensity reads; that of which there is always one if it reads none. */
static uint32_t partner_of(const ff_ssa_program *p, const ff_ssa_propensity *a) {
  if (a->law == FF_LAW_PAIR) return a->a < a->b ? a->b : a->a;
  return a->law == FF_LAW_TWIN ? a->a : p->n_species;
}

void ff_ssa_image_number_items(const ff_ssa_program *p, uint32_t *place, uint32_t *first) {
  memset(first, 0, ((size_t)p->n_species + 2) * sizeof *first);
  for (uint32_t r = 0; r < p->n_reactions; r++) first[row_of(p->propensities + r) + 1]++;
  for (uint32_t k = 0; k <= p->n_species; k++) first[k + 1] += first[k];
  for (uint32_t r = 0; r < p->n_reactions; r++) place[r] = first[row_of(p->propensities + r)]++;
  memmove(first + 1, first, ((size_t)p->n_species + 1) * sizeof *first);
  first[0] = 0;
}

void ff_ssa_image_put_items(ff_ssa_image_maker *m) {
  const ff_ssa_program *p = m->program;
  ff_ssa_image_law *laws = ff_ssa_image_take(m, p->n_reactions, sizeof *laws);
  uint32_t *row_first = ff_ssa_image_take(m, (size_t)p->n_species + 2, sizeof *row_first);
  m->image->laws = laws;
  m->image->row_first = row_first;
  if (m->memory == NULL) return;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *a = p->propensities + r;
    laws[m->place[r]] = (ff_ssa_image_law){a->rate, partner_of(p, a), a->law == FF_LAW_TWIN};
  }
  memcpy(row_first, m->row_first, ((size_t)p->n_species + 2) * sizeof *row_first);
}

/* first[s + 1] is where the next item of species s goes. */
void ff_ssa_image_put_partners(ff_ssa_image_maker *m) {
  const ff_ssa_program *p = m->program;
  uint32_t *first = ff_ssa_image_take(m, (size_t)p->n_species + 3, sizeof *first);
  ff_ssa_image_partner *partners = ff_ssa_image_take(m, p->n_reactions, sizeof *partners);
  m->image->partner_first = first;
  m->image->partners = partners;
  if (m->memory == NULL) return;
  const ff_ssa_image_law *laws = m->image->laws;
  for (uint32_t item = 0; item < p->n_reactions; item++) first[laws[item].a + 2]++;
  for (uint32_t s = 0; s <= p->n_species; s++) first[s + 2] += first[s + 1];
  for (uint32_t row = 0; row <= p->n_species; row++)
    for (uint32_t item = m->row_first[row]; item < m->row_first[row + 1]; item++)
      partners[first[laws[item].a + 1]++] = (ff_ssa_image_partner){laws[item].rate, row, laws[item].b};
  for (uint32_t s = 0; s <= p->n_species; s++)
    for (uint32_t i = first[s] + 1; i < first[s + 1]; i++)
      if (partners[i].row == partners[i - 1].row) partners[i].kind |= FF_SSA_PARTNER_SAME;
}
