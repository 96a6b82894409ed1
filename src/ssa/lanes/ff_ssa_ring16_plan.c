/* What lanes of modules do at a step, as a list. */
#include "ff_ssa_ring16.h"

static uint32_t offset_number(ff_ssa_ring16_plan *plan, int64_t offset) {
  const int64_t n = plan->n;
  const uint32_t at = (uint32_t)((offset % n + n) % n);
  uint32_t i = 0;
  while (i < plan->n_offsets && plan->offset[i] != at) i++;
  if (i == plan->n_offsets) plan->offset[plan->n_offsets++] = at;
  return i;
}

static int is_read(const ff_ssa_ring *m, uint32_t species) {
  for (uint32_t t = 0; t < m->n_terms; t++)
    if (m->terms[t].hub == species) return 1;
  for (uint32_t q = 0; q < m->n_kinds; q++)
    if (m->kinds[q].species == species) return 1;
  return 0;
}

/* By how much steps of a kind change a species in the module at an offset. */
static int32_t change_of(const ff_ssa_ring_kind *kind, uint32_t species, int32_t offset) {
  for (uint32_t i = 0; i < kind->n_changes; i++)
    if (kind->changes[i].species == species && kind->changes[i].offset == offset) return kind->changes[i].by;
  return 0;
}

/* Whether steps change a species as they change these multiples of others. */
static int follows(const ff_ssa_ring *m, uint32_t species, const int32_t *times) {
  for (uint32_t q = 0; q < m->n_kinds; q++)
    for (int32_t offset = -FF_RING_OFFSET; offset <= FF_RING_OFFSET; offset++) {
      int32_t by = 0;
      for (uint32_t k = 0; k < m->n_species; k++)
        if (times[k] != 0) by += times[k] * change_of(m->kinds + q, k, offset);
      if (by != change_of(m->kinds + q, species, offset)) return 0;
    }
  return 1;
}

/* Tries all multiples -1, 0 and 1 of the species that propensities read. */
static int find_times(const ff_ssa_ring *m, uint32_t species, int32_t times[FF_RING_SPECIES]) {
  uint32_t tries = 1;
  for (uint32_t k = 0; k < m->n_species; k++) tries *= is_read(m, k) ? 3 : 1;
  for (uint32_t number = 0; number < tries; number++) {
    for (uint32_t k = 0, rest = number; k < m->n_species; k++) {
      times[k] = !is_read(m, k) ? 0 : rest % 3 == 2 ? -1 : (int32_t)(rest % 3);
      if (is_read(m, k)) rest /= 3;
    }
    if (follows(m, species, times)) return 1;
  }
  return 0;
}

static void plan_species(ff_ssa_ring16_plan *plan, const ff_ssa_ring *m) {
  uint32_t n = 0, single = 0;
  for (uint32_t k = 0; k < m->n_species; k++) {
    ff_ssa_ring16_species *s = plan->species + k;
    s->item = FF_RING16_NONE;
    if (!is_read(m, k) && find_times(m, k, s->times)) continue;
    s->part = !plan->bits16 ? FF_RING16_WHOLE : n % 2 == 0 ? FF_RING16_LOW : FF_RING16_HIGH;
    s->item = (plan->bits16 ? n / 2 : n) * (plan->blocks << plan->shift);
    single = k;
    n++;
  }
  if (plan->bits16 && n % 2 == 1) plan->species[single].part = FF_RING16_WHOLE;
  plan->count_items = plan->items = (plan->bits16 ? (n + 1) / 2 : n) * (plan->blocks << plan->shift);
}

static uint32_t word_number(ff_ssa_ring16_plan *plan, uint32_t item, int64_t offset) {
  const ff_ssa_ring16_word word = {item, offset_number(plan, offset)};
  uint32_t i = 0;
  while (i < plan->n_words && (plan->words[i].item != word.item || plan->words[i].offset != word.offset)) i++;
  if (i == plan->n_words) plan->words[plan->n_words++] = word;
  return i;
}

/* The number of a read; FF_RING16_READS for a count that is always 1. */
static uint32_t read_number(ff_ssa_ring16_plan *plan, uint32_t species, int64_t offset) {
  if (species == FF_RING_ONE) return FF_RING16_READS;
  const ff_ssa_ring16_read read = {word_number(plan, plan->species[species].item, offset), plan->species[species].part};
  uint32_t i = 0;
  while (i < plan->n_reads && (plan->reads[i].word != read.word || plan->reads[i].part != read.part)) i++;
  if (i == plan->n_reads) plan->reads[plan->n_reads++] = read;
  return i;
}

static void read_parts(ff_ssa_ring16_plan *plan, const ff_ssa_ring *m, const ff_ssa_ring_term *term, int64_t offset,
                       ff_ssa_ring16_part *parts) {
  for (uint32_t i = 0; i < term->n; i++) {
    const ff_ssa_ring_kind *kind = m->kinds + term->first + i;
    parts[i] = (ff_ssa_ring16_part){read_number(plan, kind->species, offset + kind->offset), kind->weight};
  }
}

/* Whether Q_j is the count of a species of module j. */
static int is_count(const ff_ssa_ring *m, const ff_ssa_ring_term *term) {
  const ff_ssa_ring_kind *kind = m->kinds + term->first;
  return term->hub == FF_RING_ONE && term->n == 1 && kind->species != FF_RING_ONE && kind->weight == 1;
}

static void plan_terms(ff_ssa_ring16_plan *plan, const ff_ssa_ring *m) {
  for (uint32_t t = 0; t < m->n_terms; t++) {
    const ff_ssa_ring_term *from = m->terms + t;
    ff_ssa_ring16_term *to = plan->terms + t;
    *to = (ff_ssa_ring16_term){.rate = from->rate, .first = from->first, .n = from->n};
    const ff_ssa_ring16_species *counted = is_count(m, from) ? plan->species + m->kinds[from->first].species : NULL;
    to->item = counted != NULL ? counted->item : plan->items;
    if (counted == NULL) plan->items += plan->blocks << plan->shift;
    plan->shifts[t] = counted != NULL && counted->part == FF_RING16_HIGH ? 16 : 0;
    plan->masks[t] = counted != NULL && counted->part != FF_RING16_WHOLE ? 0xFFFF : UINT32_MAX;
    plan->first[t] = to->first;
    plan->items_of_terms[t] = to->item;
    if (from->n == 1) continue; /* its kind is known */
    to->hub = read_number(plan, from->hub, 0);
    read_parts(plan, m, from, 0, to->parts);
  }
  plan->block_item = plan->items;
  plan->total_item = plan->block_item + plan->filled_terms * plan->blocks;
  plan->items = plan->total_item + plan->filled_terms;
}

/* Parts of a word are added to at once: if none of them leaves its range, the sum has the right bits. */
static void plan_change(ff_ssa_ring16_plan *plan, const ff_ssa_ring_change *change, uint32_t kind) {
  const ff_ssa_ring16_species *s = plan->species + change->species;
  if (s->item == FF_RING16_NONE) return;
  const uint32_t word = word_number(plan, s->item, change->offset);
  uint32_t i = 0;
  while (i < plan->n_changes && plan->changes[i].word != word) i++;
  if (i == plan->n_changes) plan->changes[plan->n_changes++].word = word;
  plan->changes[i].real_by[kind] += change->by;
  plan->changes[i].by[kind] += (uint32_t)change->by << (s->part == FF_RING16_HIGH ? 16 : 0);
}

static ff_ssa_ring16_effect *effect_of(ff_ssa_ring16_plan *plan, const ff_ssa_ring *m, uint32_t t, int64_t offset) {
  const uint32_t number = offset_number(plan, offset);
  uint32_t i = 0;
  while (i < plan->n_effects && (plan->effects[i].term != t || plan->effects[i].offset != number)) i++;
  ff_ssa_ring16_effect *e = plan->effects + i;
  if (i < plan->n_effects) return e;
  plan->n_effects++;
  e->term = t;
  e->offset = number;
  e->less = m->terms[t].less;
  e->item = is_count(m, m->terms + t) ? FF_RING16_NONE : plan->terms[t].item;
  e->hub = read_number(plan, m->terms[t].hub, offset);
  return e;
}

/* The effects of a change by steps of a kind on Q_j. */
static void plan_effects(ff_ssa_ring16_plan *plan, const ff_ssa_ring *m, const ff_ssa_ring_change *change, uint32_t kind) {
  for (uint32_t t = 0; t < m->n_terms; t++) {
    const ff_ssa_ring_term *term = m->terms + t;
    if (term->hub == change->species) {
      ff_ssa_ring16_effect *e = effect_of(plan, m, t, change->offset);
      e->real_a[kind] = e->a[kind] += change->by;
      if (!e->changes_a) read_parts(plan, m, term, change->offset, e->parts);
      e->n = term->n;
      e->changes_a = 1;
    }
    for (uint32_t k = term->first; k < term->first + term->n; k++) {
      if (m->kinds[k].species != change->species) continue;
      ff_ssa_ring16_effect *e = effect_of(plan, m, t, (int64_t)change->offset - m->kinds[k].offset);
      e->real_f[kind] = e->f[kind] += (int32_t)m->kinds[k].weight * change->by;
      e->changes_f = 1;
    }
  }
}

/* The number of the count that is always 1 is now known. */
static void number_one(ff_ssa_ring16_plan *plan) {
  for (uint32_t t = 0; t < plan->n_terms; t++) {
    ff_ssa_ring16_term *term = plan->terms + t;
    if (term->hub == FF_RING16_READS) term->hub = plan->n_reads;
    for (uint32_t i = 0; i < term->n; i++)
      if (term->parts[i].read == FF_RING16_READS) term->parts[i].read = plan->n_reads;
  }
  for (uint32_t i = 0; i < plan->n_effects; i++) {
    ff_ssa_ring16_effect *e = plan->effects + i;
    if (e->hub == FF_RING16_READS) e->hub = plan->n_reads;
    for (uint32_t k = 0; k < e->n; k++)
      if (e->parts[k].read == FF_RING16_READS) e->parts[k].read = plan->n_reads;
  }
}

void ff_ssa_ring16_make_plan(ff_ssa_ring16_plan *plan, const ff_ssa_ring *m, int bits16, uint32_t rows) {
  plan->bits16 = bits16;
  plan->n = m->n;
  plan->n_terms = m->n_terms;
  plan->filled_terms = m->n_terms <= 2 ? 2 : m->n_terms <= 4 ? 4 : 8;
  while ((UINT32_C(1) << 2 * plan->shift) * rows < m->n) plan->shift++;
  plan->blocks = ((m->n - 1) >> plan->shift) + 1;
  plan_species(plan, m);
  plan_terms(plan, m);
  for (uint32_t q = 0; q < m->n_kinds; q++)
    for (uint32_t i = 0; i < m->kinds[q].n_changes; i++) {
      plan_change(plan, m->kinds[q].changes + i, q);
      plan_effects(plan, m, m->kinds[q].changes + i, q);
    }
  number_one(plan);
}
