/* What lanes of modules do at an event, as a list. */
#include "ff_ssa_modular.h"

/* Rows of block sums are read in each step, and then those of one block, which costs more: it is gathered. */
#define ROWS_FOR_A_GATHER 4

static uint32_t offset_number(ff_ssa_modular_plan *plan, int64_t offset) {
  const int64_t n = plan->n;
  const uint32_t at = (uint32_t)((offset % n + n) % n);
  uint32_t i = 0;
  while (i < plan->n_offsets && plan->offset[i] != at) i++;
  if (i == plan->n_offsets) plan->offset[plan->n_offsets++] = at;
  return i;
}

static uint32_t row_of(const ff_ssa_modular_plan *plan, uint32_t species) { return species * (plan->blocks << plan->shift); }

/* The number of a read; FF_MODULAR_READS for a count that is always 1. */
static uint32_t read_number(ff_ssa_modular_plan *plan, uint32_t species, int64_t offset) {
  if (species == FF_MODULES_ONE) return FF_MODULAR_READS;
  const ff_ssa_modular_read read = {row_of(plan, species), offset_number(plan, offset)};
  uint32_t i = 0;
  while (i < plan->n_reads && (plan->reads[i].item != read.item || plan->reads[i].offset != read.offset)) i++;
  if (i == plan->n_reads) plan->reads[plan->n_reads++] = read;
  return i;
}

static void read_parts(ff_ssa_modular_plan *plan, const ff_ssa_modules *m, const ff_ssa_module_term *term, int64_t offset,
                       ff_ssa_modular_part *parts) {
  for (uint32_t i = 0; i < term->n; i++) {
    const ff_ssa_module_kind *kind = m->kinds + term->first + i;
    parts[i] = (ff_ssa_modular_part){read_number(plan, kind->species, offset + kind->offset), kind->weight};
  }
}

/* Whether Q_j is the count of a species of module j. */
static int is_count(const ff_ssa_modules *m, const ff_ssa_module_term *term) {
  const ff_ssa_module_kind *kind = m->kinds + term->first;
  return term->hub == FF_MODULES_ONE && term->n == 1 && kind->species != FF_MODULES_ONE && kind->weight == 1;
}

static void plan_terms(ff_ssa_modular_plan *plan, const ff_ssa_modules *m) {
  for (uint32_t t = 0; t < m->n_terms; t++) {
    const ff_ssa_module_term *from = m->terms + t;
    ff_ssa_modular_term *to = plan->terms + t;
    *to = (ff_ssa_modular_term){.rate = from->rate, .first = from->first, .n = from->n};
    to->item = is_count(m, from) ? row_of(plan, m->kinds[from->first].species) : plan->items;
    if (!is_count(m, from)) plan->items += plan->blocks << plan->shift;
    plan->first[t] = to->first;
    plan->items_of_terms[t] = to->item;
    if (from->n == 1) continue; /* its kind is known */
    to->hub = read_number(plan, from->hub, 0);
    read_parts(plan, m, from, 0, to->parts);
  }
  plan->block_item = plan->items;
  plan->total_item = plan->block_item + plan->wide_terms * plan->blocks;
  plan->items = plan->total_item + plan->wide_terms;
}

static void plan_change(ff_ssa_modular_plan *plan, const ff_ssa_module_change *change, uint32_t kind) {
  const uint32_t read = read_number(plan, change->species, change->offset);
  uint32_t i = 0;
  while (i < plan->n_changes && plan->changes[i].read != read) i++;
  if (i == plan->n_changes) plan->changes[plan->n_changes++].read = read;
  plan->changes[i].by[kind] = change->by;
}

static ff_ssa_modular_effect *effect_of(ff_ssa_modular_plan *plan, const ff_ssa_modules *m, uint32_t t, int64_t offset) {
  const uint32_t number = offset_number(plan, offset);
  uint32_t i = 0;
  while (i < plan->n_effects && (plan->effects[i].term != t || plan->effects[i].offset != number)) i++;
  ff_ssa_modular_effect *e = plan->effects + i;
  if (i < plan->n_effects) return e;
  plan->n_effects++;
  e->term = t;
  e->offset = number;
  e->less = m->terms[t].less;
  e->item = is_count(m, m->terms + t) ? FF_MODULAR_NONE : plan->terms[t].item;
  e->hub = read_number(plan, m->terms[t].hub, offset);
  return e;
}

/* The effects of a change by events of a kind on Q_j. */
static void plan_effects(ff_ssa_modular_plan *plan, const ff_ssa_modules *m, const ff_ssa_module_change *change, uint32_t kind) {
  for (uint32_t t = 0; t < m->n_terms; t++) {
    const ff_ssa_module_term *term = m->terms + t;
    if (term->hub == change->species) {
      ff_ssa_modular_effect *e = effect_of(plan, m, t, change->offset);
      e->a[kind] += change->by;
      if (!e->changes_a) read_parts(plan, m, term, change->offset, e->parts);
      e->n = term->n;
      e->changes_a = 1;
    }
    for (uint32_t k = term->first; k < term->first + term->n; k++) {
      if (m->kinds[k].species != change->species) continue;
      ff_ssa_modular_effect *e = effect_of(plan, m, t, (int64_t)change->offset - m->kinds[k].offset);
      e->f[kind] += (int32_t)m->kinds[k].weight * change->by;
      e->changes_f = 1;
    }
  }
}

/* The number of the count that is always 1 is now known. */
static void number_one(ff_ssa_modular_plan *plan) {
  for (uint32_t t = 0; t < plan->n_terms; t++) {
    ff_ssa_modular_term *term = plan->terms + t;
    if (term->hub == FF_MODULAR_READS) term->hub = plan->n_reads;
    for (uint32_t i = 0; i < term->n; i++)
      if (term->parts[i].read == FF_MODULAR_READS) term->parts[i].read = plan->n_reads;
  }
  for (uint32_t i = 0; i < plan->n_effects; i++) {
    ff_ssa_modular_effect *e = plan->effects + i;
    if (e->hub == FF_MODULAR_READS) e->hub = plan->n_reads;
    for (uint32_t k = 0; k < e->n; k++)
      if (e->parts[k].read == FF_MODULAR_READS) e->parts[k].read = plan->n_reads;
  }
}

void ff_ssa_modular_make_plan(ff_ssa_modular_plan *plan, const ff_ssa_modules *m) {
  plan->n = m->n;
  plan->n_terms = m->n_terms;
  plan->wide_terms = m->n_terms <= 2 ? 2 : m->n_terms <= 4 ? 4 : 8;
  while ((UINT32_C(1) << 2 * plan->shift) * ROWS_FOR_A_GATHER < m->n) plan->shift++;
  plan->blocks = ((m->n - 1) >> plan->shift) + 1;
  plan->items = m->n_species * (plan->blocks << plan->shift);
  plan_terms(plan, m);
  for (uint32_t q = 0; q < m->n_kinds; q++)
    for (uint32_t i = 0; i < m->kinds[q].n_changes; i++) {
      plan_change(plan, m->kinds[q].changes + i, q);
      plan_effects(plan, m, m->kinds[q].changes + i, q);
    }
  number_one(plan);
}
