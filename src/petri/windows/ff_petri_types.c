/* Types of blocks: blocks of the same structure share a program. */
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_math.h"
#include "ff_petri_blocks_internal.h"

/* ---- the places of a block ---------------------------------------------------------------------------------------------- */

static ff_status add_place(ff_petri_blocks_maker *m, size_t *end, uint32_t place) {
  ff_petri_blocks *b = m->blocks;
  ff_status status = ff_grow((void **)&b->place, &m->places_room, *end + 1, sizeof *b->place, m->err);
  if (status == FF_OK) b->place[(*end)++] = place;
  return status;
}

/* What transition t reads or touches, also of other blocks. */
static ff_status add_slots(ff_petri_blocks_maker *m, size_t *end, ff_petri_member t) {
  const ff_petri_program *net = m->net;
  ff_status status = FF_OK;
  for (uint32_t s = 0; s < ff_petri_family_of(net, t)->n_slots && status == FF_OK; s++) {
    const uint32_t slot = ff_petri_slot_of(net, t, s);
    if (slot < net->n_places) {
      status = add_place(m, end, slot);
      continue;
    }
    const ff_formula *formula = &net->observer[slot - net->n_places];
    for (uint32_t k = 0; k < formula->length && status == FF_OK; k++)
      if (formula->word[k].code == FF_F_SYMBOL) status = add_place(m, end, formula->word[k].symbol);
  }
  return status;
}

/* The places of a block, then its neighbours. `own` are those that it changes. */
static ff_status list_places(ff_petri_blocks_maker *m, uint32_t block, const uint32_t *own, uint32_t n_own) {
  ff_petri_blocks *b = m->blocks;
  const size_t first = b->place_first[block], from = b->neighbour_first[block];
  size_t end = first, n = 0;
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < n_own && status == FF_OK; k++) status = add_place(m, &end, own[k]);
  for (size_t k = b->transition_first[block]; k < b->transition_first[block + 1] && status == FF_OK; k++)
    status = add_slots(m, &end, ff_petri_member_of(m->net, b->transition[k]));
  if (status != FF_OK) return status;
  end = first + ff_sort_unique(b->place + first, end - first);
  status = ff_grow((void **)&b->neighbour, &m->neighbours_room, from + (end - first), sizeof *b->neighbour, m->err);
  if (status != FF_OK) return status;
  for (size_t k = first; k < end; k++) {
    m->local[b->place[k]] = (uint32_t)(k - first);
    if (ff_petri_is_given(b, b->place[k], block)) b->neighbour[from + n++] = b->home[b->place[k]];
  }
  b->given_first[block + 1] = b->given_first[block] + n;
  b->place_first[block + 1] = end;
  b->neighbour_first[block + 1] = from + ff_sort_unique(b->neighbour + from, n);
  return FF_OK;
}

/* ---- the structure of a block ------------------------------------------------------------------------------------------- */

static ff_status push(ff_petri_blocks_maker *m, uint32_t word) {
  ff_status status = ff_grow((void **)&m->word, &m->words_room, m->n_words + 1, sizeof *m->word, m->err);
  if (status == FF_OK) m->word[m->n_words++] = word;
  return status;
}

static ff_status push_transition(ff_petri_blocks_maker *m, uint32_t transition) {
  const ff_petri_program *net = m->net;
  const ff_petri_member t = ff_petri_member_of(net, transition);
  const ff_petri_family *family = ff_petri_family_of(net, t);
  ff_status status = push(m, t.law);
  for (uint32_t s = 0; s < family->n_slots && status == FF_OK; s++) {
    const uint32_t slot = ff_petri_slot_of(net, t, s);
    status = push(m, slot < net->n_places ? m->local[slot] : FF_PETRI_NONE);
    if (slot < net->n_places || status != FF_OK) continue;
    const ff_formula *formula = &net->observer[slot - net->n_places];
    status = push(m, slot);
    for (uint32_t k = 0; k < formula->length && status == FF_OK; k++)
      if (formula->word[k].code == FF_F_SYMBOL) status = push(m, m->local[formula->word[k].symbol]);
  }
  for (uint32_t k = 0; k < family->n_numbers && status == FF_OK; k++) {
    const uint64_t bits = ff_math_bits(family->number[(size_t)k * family->n + t.i]);
    status = push(m, (uint32_t)bits);
    if (status == FF_OK) status = push(m, (uint32_t)(bits >> 32));
  }
  return status;
}

static ff_status describe(ff_petri_blocks_maker *m, uint32_t block) {
  ff_petri_blocks *b = m->blocks;
  const ff_petri_program *net = m->net;
  m->n_words = 0;
  ff_status status = push(m, ff_petri_count_of(b->place_first, block));
  for (size_t k = b->place_first[block]; k < b->place_first[block + 1] && status == FF_OK; k++) {
    const uint32_t f = b->place[k], kind = b->home[f] == block ? 0 : ff_petri_is_given(b, f, block) ? 2 : 1;
    status = push(m, kind | (uint32_t)net->flat->continuous[f] << 2 | (uint32_t)(net->place_value[f] < net->n_levels) << 3);
  }
  for (size_t k = b->transition_first[block]; k < b->transition_first[block + 1] && status == FF_OK; k++)
    status = push_transition(m, b->transition[k]);
  return status;
}

/* ---- the table of structures -------------------------------------------------------------------------------------------- */

static size_t hash_of(const uint32_t *word, size_t n) {
  uint64_t hash = n;
  for (size_t k = 0; k < n; k++) hash = (hash ^ word[k]) * UINT64_C(0x9E3779B97F4A7C15) ^ hash >> 29;
  return (size_t)(hash ^ hash >> 32);
}

static size_t slot_of(const ff_petri_blocks_maker *m, const uint32_t *word, size_t n) {
  size_t at = hash_of(word, n) & (m->slots - 1);
  for (; m->slot[at] != 0; at = (at + 1) & (m->slots - 1)) {
    const size_t first = m->key_first[m->slot[at] - 1], length = m->key_first[m->slot[at]] - first;
    if (length == n && memcmp(m->key + first, word, n * sizeof *word) == 0) break;
  }
  return at;
}

static ff_status enlarge(ff_petri_blocks_maker *m) {
  const size_t slots = m->slots == 0 ? 64 : 2 * m->slots;
  uint32_t *slot = ff_calloc(slots, sizeof *slot);
  if (slot == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for a table of %zu types", slots);
  free(m->slot);
  m->slot = slot;
  m->slots = slots;
  for (uint32_t k = 0; k < m->blocks->n_types; k++)
    m->slot[slot_of(m, m->key + m->key_first[k], m->key_first[k + 1] - m->key_first[k])] = k + 1;
  return FF_OK;
}

/* Finds the type of the structure in m->word, or adds one. */
static ff_status find_type(ff_petri_blocks_maker *m, uint32_t *type) {
  ff_petri_blocks *b = m->blocks;
  ff_status status = 2 * ((size_t)b->n_types + 1) > m->slots ? enlarge(m) : FF_OK;
  if (status != FF_OK) return status;
  const size_t at = slot_of(m, m->word, m->n_words);
  if (m->slot[at] == 0) {
    status = ff_grow((void **)&b->types, &m->types_room, (size_t)b->n_types + 1, sizeof *b->types, m->err);
    if (status == FF_OK)
      status = ff_grow((void **)&m->key_first, &m->key_first_room, (size_t)b->n_types + 2, sizeof *m->key_first, m->err);
    if (status == FF_OK) status = ff_grow((void **)&m->key, &m->keys_room, m->n_keys + m->n_words, sizeof *m->key, m->err);
    if (status != FF_OK) return status;
    if (m->n_words > 0) memcpy(m->key + m->n_keys, m->word, m->n_words * sizeof *m->word);
    m->key_first[b->n_types] = m->n_keys;
    m->key_first[b->n_types + 1] = m->n_keys += m->n_words;
    b->types[b->n_types++] = (ff_petri_type){0};
    m->slot[at] = b->n_types;
  }
  *type = m->slot[at] - 1;
  b->types[*type].n_blocks++;
  return FF_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static ff_status allocate(ff_petri_blocks_maker *m) {
  ff_petri_blocks *b = m->blocks;
  const size_t n = b->n_blocks;
  b->type = ff_calloc(n, sizeof *b->type);
  b->colour = ff_calloc(n, sizeof *b->colour);
  b->place_first = ff_calloc(n + 1, sizeof *b->place_first);
  b->group_first = ff_calloc(n + 1, sizeof *b->group_first);
  b->neighbour_first = ff_calloc(n + 1, sizeof *b->neighbour_first);
  b->far_first = ff_calloc(n + 1, sizeof *b->far_first);
  b->given_first = ff_calloc(n + 1, sizeof *b->given_first);
  b->timed_first = ff_calloc(n + 1, sizeof *b->timed_first);
  const int fine = b->type && b->colour && b->place_first && b->group_first && b->neighbour_first && b->far_first &&
                   b->given_first && b->timed_first;
  return fine ? FF_OK : ff_error_set(m->err, FF_EMEMORY, "no memory for %zu blocks", n);
}

/* Finds the places and the type of each block. `own` has the places of all blocks, block by block, and own_first where they
 * begin. */
static ff_status find_types(ff_petri_blocks_maker *m, const uint32_t *own, const size_t *own_first) {
  ff_petri_blocks *b = m->blocks;
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < b->n_blocks && status == FF_OK; k++) {
    status = list_places(m, k, own + own_first[k], ff_petri_count_of(own_first, k));
    if (status == FF_OK) status = describe(m, k);
    if (status == FF_OK) status = find_type(m, &b->type[k]);
  }
  return status;
}

static ff_status list_own(ff_petri_blocks_maker *m) {
  ff_petri_blocks *b = m->blocks;
  const uint32_t n = b->n_blocks;
  size_t *first = ff_calloc((size_t)n + 2, sizeof *first);
  uint32_t *own = ff_calloc(m->net->n_places, sizeof *own);
  ff_status status = first != NULL && own != NULL ? FF_OK : ff_error_set(m->err, FF_EMEMORY, "no memory for %u blocks", n);
  if (status == FF_OK) {
    for (uint32_t f = 0; f < m->net->n_places; f++)
      if (b->home[f] != FF_PETRI_NONE) first[b->home[f] + 2]++;
    for (uint32_t k = 0; k < n; k++) first[k + 2] += first[k + 1];
    for (uint32_t f = 0; f < m->net->n_places; f++)
      if (b->home[f] != FF_PETRI_NONE) own[first[b->home[f] + 1]++] = f;
    status = find_types(m, own, first);
  }
  free(first);
  free(own);
  return status;
}

/* Compiles a type, and brings the transitions of its blocks into the order of the program. */
static ff_status compile(ff_petri_blocks_maker *m, ff_petri_type *type) {
  ff_petri_blocks *b = m->blocks;
  const uint32_t first = type->block[0], n = ff_petri_count_of(b->transition_first, first);
  uint32_t *order = ff_calloc(n, sizeof *order), *room = ff_calloc(n, sizeof *room);
  ff_status status = order != NULL && room != NULL ? FF_OK : ff_error_set(m->err, FF_EMEMORY, "no memory for %u transitions", n);
  if (status == FF_OK) status = ff_petri_part_new(type, order, m, first);
  for (uint32_t k = 0; k < type->n_blocks && status == FF_OK; k++) {
    uint32_t *list = b->transition + b->transition_first[type->block[k]];
    for (uint32_t i = 0; i < n; i++) room[i] = list[order[i]];
    if (n > 0) memcpy(list, room, n * sizeof *list);
  }
  free(order);
  free(room);
  return status;
}

static ff_status compile_all(ff_petri_blocks_maker *m) {
  ff_petri_blocks *b = m->blocks;
  ff_status status = FF_OK;
  for (uint32_t t = 0; t < b->n_types; t++) {
    b->types[t].block = ff_calloc(b->types[t].n_blocks, sizeof *b->types[t].block);
    if (b->types[t].block == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u blocks", b->n_blocks);
    b->types[t].n_blocks = 0;
  }
  for (uint32_t k = 0; k < b->n_blocks; k++) b->types[b->type[k]].block[b->types[b->type[k]].n_blocks++] = k;
  for (uint32_t t = 0; t < b->n_types && status == FF_OK; t++) status = compile(m, &b->types[t]);
  return status;
}

/* ---- what blocks know of each other ------------------------------------------------------------------------------------- */

/* Where a number stands in an ascending list that has it. */
static uint32_t find(const uint32_t *list, uint32_t n, uint32_t number) {
  uint32_t low = 0, high = n;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (list[middle] <= number)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void connect(ff_petri_blocks *b, uint32_t block) {
  const ff_petri_program *own = b->types[b->type[block]].program, *net = b->net;
  for (uint32_t g = 0; g < own->n_groups; g++) {
    const ff_petri_member s = own->stochastic[own->member[own->cell_members[own->cell_first[g]]]];
    const uint32_t transition = b->transition[b->transition_first[block] + ff_petri_number_of(own, s)];
    const ff_petri_member t = ff_petri_member_of(net, transition);
    b->group[b->group_first[block] + g] = net->group_of[net->cell_of[net->law[t.law].own + t.i]];
  }
  for (uint32_t k = 0; k < own->n_given; k++) {
    const uint32_t place = b->place[b->place_first[block] + own->value_place[own->n_levels + k]], home = b->home[place];
    const uint32_t *neighbours = b->neighbour + b->neighbour_first[block], *places = b->place + b->place_first[home];
    const uint32_t there = find(places, ff_petri_count_of(b->place_first, home), place);
    const uint32_t at = find(neighbours, ff_petri_count_of(b->neighbour_first, block), home);
    b->given[b->given_first[block] + k] = (ff_petri_source){at, b->types[b->type[home]].program->place_value[there]};
    b->bends[b->neighbour_first[block] + at] |= own->is_read[k];
  }
}

/* Neighbours of neighbours that bend. The first call for a block counts them. */
static uint32_t find_far(const ff_petri_blocks *b, uint32_t block, uint32_t *out) {
  const uint32_t *near = b->neighbour + b->neighbour_first[block], n_near = ff_petri_count_of(b->neighbour_first, block);
  uint32_t list[2 * FF_PETRI_MOST_FAR], n = 0;
  for (uint32_t j = 0; j < n_near; j++)
    for (size_t k = b->neighbour_first[near[j]];
         k < b->neighbour_first[near[j] + 1] && b->bends[b->neighbour_first[block] + j]; k++) {
      const uint32_t other = b->neighbour[k];
      if (other == block || near[find(near, n_near, other)] == other) continue;
      if (n == 2 * FF_PETRI_MOST_FAR && (n = (uint32_t)ff_sort_unique(list, n)) > FF_PETRI_MOST_FAR) return 0;
      list[n++] = other;
    }
  n = (uint32_t)ff_sort_unique(list, n);
  if (n > FF_PETRI_MOST_FAR) return 0;
  if (out != NULL && n > 0) memcpy(out, list, n * sizeof *out);
  return n;
}

static ff_status list_far(ff_petri_blocks_maker *m) {
  ff_petri_blocks *b = m->blocks;
  for (uint32_t k = 0; k < b->n_blocks; k++) b->far_first[k + 1] = b->far_first[k] + find_far(b, k, NULL);
  b->far = ff_calloc(b->far_first[b->n_blocks], sizeof *b->far);
  if (b->far == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u blocks", b->n_blocks);
  for (uint32_t k = 0; k < b->n_blocks; k++) find_far(b, k, b->far + b->far_first[k]);
  return FF_OK;
}

/* Each block has the colour that fewer of its neighbours with smaller numbers have. */
static void choose_colours(ff_petri_blocks *b) {
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    int ones = 0;
    for (size_t j = b->neighbour_first[k]; j < b->neighbour_first[k + 1]; j++)
      if (b->neighbour[j] < k) ones += b->colour[b->neighbour[j]] ? 1 : -1;
    b->colour[k] = ones < 0;
  }
}

ff_status ff_petri_make_types(ff_petri_blocks_maker *m) {
  ff_petri_blocks *b = m->blocks;
  ff_status status = allocate(m);
  if (status == FF_OK) status = list_own(m);
  if (status == FF_OK) status = compile_all(m);
  if (status != FF_OK) return status;
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    const ff_petri_program *own = b->types[b->type[k]].program;
    b->group_first[k + 1] = b->group_first[k] + own->n_groups;
    b->timed_first[k + 1] = b->timed_first[k] + own->n_timed;
  }
  b->group = ff_calloc(b->group_first[b->n_blocks], sizeof *b->group);
  b->given = ff_calloc(b->given_first[b->n_blocks], sizeof *b->given);
  b->bends = ff_calloc(b->neighbour_first[b->n_blocks], sizeof *b->bends);
  if (b->group == NULL || b->given == NULL || b->bends == NULL)
    return ff_error_set(m->err, FF_EMEMORY, "no memory for %u blocks", b->n_blocks);
  for (uint32_t k = 0; k < b->n_blocks; k++) connect(b, k);
  choose_colours(b);
  return list_far(m);
}

void ff_petri_types_free(ff_petri_blocks *b) {
  for (uint32_t t = 0; t < b->n_types; t++) {
    ff_petri_program_free(b->types[t].program);
    ff_petri_part_free(b->types[t].part);
    free(b->types[t].block);
  }
  free(b->types);
}
