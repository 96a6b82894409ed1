/* A block as a net of its own, which can be compiled: families with some of the net's transitions, and places by their numbers in
 * the block. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_blocks_internal.h"

#define MOST_ALONE 8u /* flows of a family in a block that are families of their own: simple rates are faster alone */

/* Families borrow their formulas and arcs from the whole net. */
struct ff_petri_net_part {
  ff_petri net; /* without names: each place is one of its own */
  ff_petri_flat flat;
  uint8_t *role;
  uint32_t *law; /* of each family */
};

/* A family of the block, or one that a transition opens. */
typedef struct {
  const ff_petri_blocks_maker *m;
  struct ff_petri_net_part *part;
  const uint32_t *place, *transition;
  uint32_t block, n_transitions;
  uint32_t *family, *first; /* of each transition of the block; and of each family: a transition */
} part_maker;

static int is_own(const part_maker *x, uint32_t slot) {
  return slot >= x->m->net->n_places || x->m->blocks->home[slot] == x->block;
}

/* Whether two transitions can be in one family: their law is the same, and their slots are alike. */
static int are_alike(const part_maker *x, ff_petri_member a, ff_petri_member b) {
  const ff_petri_program *net = x->m->net;
  if (a.law != b.law) return 0;
  for (uint32_t s = 0; s < ff_petri_family_of(net, a)->n_slots; s++)
    if (is_own(x, ff_petri_slot_of(net, a, s)) != is_own(x, ff_petri_slot_of(net, b, s))) return 0;
  return 1;
}

/* Assigns families to transitions, in the order of laws. */
static void find_families(part_maker *x) {
  const ff_petri_program *net = x->m->net;
  ff_petri_flat *flat = &x->part->flat;
  for (uint32_t from = 0, end; from < x->n_transitions; from = end) {
    const ff_petri_member a = ff_petri_member_of(net, x->transition[from]);
    const uint32_t opened = flat->n_families;
    for (end = from; end < x->n_transitions && x->transition[end] < net->law[a.law].first + net->law[a.law].n;) end++;
    const int alone = net->law[a.law].kind == FF_PETRI_CONTINUOUS && end - from <= MOST_ALONE;
    for (uint32_t k = from; k < end; k++) {
      const ff_petri_member t = ff_petri_member_of(net, x->transition[k]);
      uint32_t f = alone ? flat->n_families : opened;
      while (f < flat->n_families && !are_alike(x, t, ff_petri_member_of(net, x->transition[x->first[f]]))) f++;
      if (f == flat->n_families) {
        x->part->law[f] = a.law;
        x->first[flat->n_families++] = k;
      }
      x->family[k] = f;
      flat->family[f].n++;
    }
  }
}

/* The variables that transitions of the block read, as functions of its places. */
static ff_status add_variables(part_maker *x, uint32_t *local) {
  const ff_petri_program *net = x->m->net;
  ff_petri_flat *flat = &x->part->flat;
  ff_error *err = x->m->err;
  uint32_t n = 0;
  for (uint32_t k = 0; k < x->n_transitions; k++) {
    const ff_petri_member t = ff_petri_member_of(net, x->transition[k]);
    for (uint32_t s = 0; s < ff_petri_family_of(net, t)->n_slots; s++) {
      const uint32_t slot = ff_petri_slot_of(net, t, s);
      if (slot >= net->n_places && local[slot - net->n_places] == FF_PETRI_NONE) local[slot - net->n_places] = n++;
    }
  }
  flat->variable = ff_calloc(n, sizeof *flat->variable);
  flat->order = ff_calloc(n, sizeof *flat->order);
  if (flat->variable == NULL || flat->order == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u variables", n);
  flat->n_variables = n;
  for (uint32_t v = 0; v < net->flat->n_variables; v++) {
    if (local[v] == FF_PETRI_NONE) continue;
    ff_formula *formula = &flat->variable[local[v]];
    ff_status status = ff_formula_copy(formula, &net->observer[v], err);
    if (status != FF_OK) return status;
    for (uint32_t k = 0; k < formula->length; k++)
      if (formula->word[k].code == FF_F_SYMBOL) formula->word[k].symbol = x->m->local[formula->word[k].symbol];
    flat->order[local[v]] = local[v];
  }
  return FF_OK;
}

/* Fills the families. *order becomes the transitions in their order. */
static ff_status fill_families(part_maker *x, const uint32_t *variable, uint32_t *order) {
  const ff_petri_program *net = x->m->net;
  ff_petri_flat *flat = &x->part->flat;
  uint32_t at = 0;
  for (uint32_t f = 0; f < flat->n_families; f++) {
    const ff_petri_family *from = &net->flat->family[x->part->law[f]];
    ff_petri_family *to = &flat->family[f];
    const uint32_t n = to->n;
    *to = *from;
    to->n = n;
    to->binding = NULL;
    to->width = 0;
    to->slot = ff_calloc((size_t)n * from->n_slots, sizeof *to->slot);
    to->number = ff_calloc((size_t)n * from->n_numbers, sizeof *to->number);
    if (to->slot == NULL || to->number == NULL) return ff_error_set(x->m->err, FF_EMEMORY, "no memory for %u transitions", n);
    uint32_t i = 0;
    for (uint32_t k = x->first[f]; i < n; k++) {
      if (x->family[k] != f) continue;
      const ff_petri_member t = ff_petri_member_of(net, x->transition[k]);
      for (uint32_t s = 0; s < from->n_slots; s++) {
        const uint32_t slot = ff_petri_slot_of(net, t, s);
        to->slot[(size_t)s * n + i] = slot < net->n_places ? x->m->local[slot] : flat->n_places + variable[slot - net->n_places];
      }
      for (uint32_t s = 0; s < from->n_numbers; s++) to->number[(size_t)s * n + i] = from->number[(size_t)s * from->n + t.i];
      order[at++] = k;
      i++;
    }
  }
  return FF_OK;
}

static ff_status fill(part_maker *x, uint32_t *order) {
  const ff_petri_program *net = x->m->net;
  const ff_petri_flat *whole = net->flat;
  ff_petri_flat *flat = &x->part->flat;
  const uint32_t n = flat->n_places;
  ff_status status = FF_OK;
  uint32_t *variable = ff_calloc(whole->n_variables, sizeof *variable);
  if (variable == NULL) return ff_error_set(x->m->err, FF_EMEMORY, "no memory for %u variables", whole->n_variables);
  for (uint32_t v = 0; v < whole->n_variables; v++) variable[v] = FF_PETRI_NONE;
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t f = x->place[k];
    const int own = x->m->blocks->home[f] == x->block, level = net->place_value[f] < net->n_levels;
    x->m->local[f] = k;
    flat->first[k] = k;
    flat->continuous[k] = whole->continuous[f];
    flat->fixed[k] = (uint8_t)!own;
    flat->initial[k] = whole->initial[f];
    x->part->role[k] = own && level                                    ? FF_PETRI_LEVEL
                       : ff_petri_is_given(x->m->blocks, f, x->block) ? FF_PETRI_GIVEN
                                                                      : FF_PETRI_PLAIN;
  }
  flat->first[n] = n;
  find_families(x);
  status = add_variables(x, variable);
  if (status == FF_OK) status = fill_families(x, variable, order);
  free(variable);
  return status;
}

static ff_status allocate(part_maker *x) {
  ff_petri_flat *flat = &x->part->flat;
  const size_t n = flat->n_places, transitions = x->n_transitions;
  flat->first = ff_calloc(n + 1, sizeof *flat->first);
  flat->continuous = ff_calloc(n, 1);
  flat->fixed = ff_calloc(n, 1);
  flat->initial = ff_calloc(n, sizeof *flat->initial);
  flat->family = ff_calloc(transitions, sizeof *flat->family);
  x->part->role = ff_calloc(n, 1);
  x->part->law = ff_calloc(transitions, sizeof *x->part->law);
  x->family = ff_calloc(transitions, sizeof *x->family);
  x->first = ff_calloc(transitions, sizeof *x->first);
  const int fine = flat->first && flat->continuous && flat->fixed && flat->initial && flat->family && x->part->role &&
                   x->part->law && x->family && x->first;
  return fine ? FF_OK : ff_error_set(x->m->err, FF_EMEMORY, "no memory for a block of %zu places", n);
}

ff_status ff_petri_part_new(ff_petri_type *type, uint32_t *order, const ff_petri_blocks_maker *m, uint32_t block) {
  const ff_petri_blocks *b = m->blocks;
  struct ff_petri_net_part *part = type->part = ff_calloc(1, sizeof *part);
  if (part == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for a block");
  part_maker x = {.m = m, .part = part, .place = b->place + b->place_first[block],
                  .transition = b->transition + b->transition_first[block], .block = block,
                  .n_transitions = ff_petri_count_of(b->transition_first, block)};
  part->net.n_places = ff_petri_count_of(b->place_first, block);
  part->flat = (ff_petri_flat){.net = &part->net, .n_places = part->net.n_places, .n_transitions = x.n_transitions,
                               .n_parameters = m->net->flat->n_parameters, .parameter = m->net->flat->parameter};
  ff_status status = allocate(&x);
  if (status == FF_OK) status = fill(&x, order);
  free(x.family);
  free(x.first);
  ff_petri_options options = m->net->options;
  options.role = part->role;
  return status == FF_OK ? ff_petri_program_new(&type->program, &part->flat, &options, m->err) : status;
}

void ff_petri_part_free(struct ff_petri_net_part *part) {
  if (part == NULL) return;
  ff_petri_flat *flat = &part->flat;
  for (uint32_t f = 0; f < flat->n_families && flat->family != NULL; f++) {
    free(flat->family[f].slot);
    free(flat->family[f].number);
  }
  for (uint32_t v = 0; v < flat->n_variables && flat->variable != NULL; v++) ff_formula_free(&flat->variable[v]);
  void *const arrays[] = {flat->first, flat->continuous, flat->fixed, flat->initial, flat->family, flat->variable, flat->order,
                          part->role, part->law};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  free(part);
}
