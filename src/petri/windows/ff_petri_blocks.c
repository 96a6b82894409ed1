/* The partition of a net's places and transitions into blocks. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_blocks_internal.h"

/* ---- joining places ----------------------------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t place) {
  while (parent[place] != place) {
    parent[place] = parent[parent[place]];
    place = parent[place];
  }
  return place;
}

static void join(ff_petri_blocks_maker *m, uint32_t a, uint32_t b) {
  const uint32_t x = root_of(m->parent, a), y = root_of(m->parent, b);
  if (x < y)
    m->parent[y] = x;
  else
    m->parent[x] = y;
}

/* Joins a place, unless nothing changes it, to *with, which is FF_PETRI_NONE at first. */
static void join_place(ff_petri_blocks_maker *m, uint32_t place, uint32_t *with) {
  if (!m->changed[place]) return;
  if (*with != FF_PETRI_NONE) join(m, place, *with);
  *with = place;
}

static void join_slots(ff_petri_blocks_maker *m, ff_petri_member t, uint32_t *with) {
  const ff_petri_program *net = m->net;
  for (uint32_t s = 0; s < ff_petri_family_of(net, t)->n_slots; s++) {
    const uint32_t slot = ff_petri_slot_of(net, t, s);
    if (slot < net->n_places) {
      join_place(m, slot, with);
      continue;
    }
    const ff_formula *formula = &net->observer[slot - net->n_places];
    for (uint32_t k = 0; k < formula->length; k++)
      if (formula->word[k].code == FF_F_SYMBOL) join_place(m, formula->word[k].symbol, with);
  }
}

static void mark_changed(ff_petri_blocks_maker *m) {
  const ff_petri_program *net = m->net;
  for (uint32_t k = 0; k < net->n_laws; k++)
    for (uint32_t c = 0; c < net->law[k].n_effects; c++)
      for (uint32_t i = 0; i < net->law[k].n; i++)
        m->changed[net->value_place[ff_petri_value_of(&net->law[k], net->law[k].effect[c].row, i)]] = 1;
  for (uint32_t k = 0; k < net->n_derived; k++) m->derived[net->derived[k].value] = k + 1;
}

/* Whether a rate may read this value as one of another block. */
static int is_free(const ff_petri_blocks_maker *m, uint32_t value) {
  const ff_petri_program *net = m->net;
  if (value < net->n_levels) return 1;
  if (value < net->n_places) return !m->changed[net->value_place[value]];
  if (value < net->time) return 0;
  if (m->derived[value] == 0) return 1;
  const ff_petri_derived *d = &net->derived[m->derived[value] - 1];
  for (uint32_t k = 0; k < d->plain.n; k++)
    if (d->plain.read[k] >= net->n_places || m->changed[net->value_place[d->plain.read[k]]]) return 0;
  return d->kind == FF_PETRI_DISCRETE;
}

/* Whether a transition only joins what it touches as flows do between blocks. */
static int couples(const ff_petri_blocks_maker *m, ff_petri_member t) {
  const ff_petri_program *net = m->net;
  const ff_petri_law *law = &net->law[t.law];
  const ff_petri_family *family = ff_petri_family_of(net, t);
  if (law->kind != FF_PETRI_CONTINUOUS || law->varies) return 0;
  for (uint32_t a = 0; a < family->n_arcs; a++)
    if (family->arc[a].kind != FF_ARC_IN && family->arc[a].kind != FF_ARC_OUT) return 0;
  for (uint32_t k = 0; k < law->rate.n; k++)
    if (!is_free(m, ff_petri_value_of(law, law->rate.row[k], t.i))) return 0;
  for (uint32_t c = 0; c < law->n_effects && net->options.semantics == FF_PETRI_ADAPTIVE; c++)
    if (!law->effect[c].safe) return 0;
  return 1;
}

static void join_transitions(ff_petri_blocks_maker *m) {
  const ff_petri_program *net = m->net;
  uint32_t all = FF_PETRI_NONE;
  for (uint32_t k = 0; k < net->n_laws; k++)
    for (uint32_t i = 0; i < net->law[k].n; i++) {
      uint32_t with = FF_PETRI_NONE;
      if (!couples(m, (ff_petri_member){k, i}))
        join_slots(m, (ff_petri_member){k, i},
                   net->options.one_clock && net->law[k].kind == FF_PETRI_STOCHASTIC ? &all : &with);
    }
}

/* ---- joining colours ---------------------------------------------------------------------------------------------------- */

static int are_alike(const ff_colours *a, const ff_colours *b) {
  if (ff_colours_width(a) != ff_colours_width(b)) return 0;
  for (uint32_t k = 0; k < ff_colours_width(a); k++)
    if (ff_colours_component(a, k) != ff_colours_component(b, k)) return 0;
  return 1;
}

/* The first coloured place of the most colours with the same components as place q; q itself if there is no other one. */
static uint32_t model_of(const ff_petri *net, uint32_t q) {
  uint32_t out = q;
  for (uint32_t k = 0; k < net->n_places; k++) {
    const uint32_t set = net->place[k].set;
    if (set == FF_PETRI_NONE || !are_alike(net->colours[set], net->colours[net->place[q].set])) continue;
    const uint32_t n = ff_colours_n(net->colours[set]), most = ff_colours_n(net->colours[net->place[out].set]);
    if (n > most || (n == most && k < out)) out = k;
  }
  return out;
}

static ff_status join_colours(ff_petri_blocks_maker *m) {
  const ff_petri_flat *flat = m->net->flat;
  const ff_petri *net = flat->net;
  /* of each set: 1 + the place that is the model; of each colour of a model: 1 + a place that changes, and has this colour */
  uint32_t *model = ff_calloc(net->n_sets, sizeof *model), *first = ff_calloc(flat->n_places, sizeof *first);
  int64_t *tuple = NULL;
  size_t room = 0;
  ff_status status = model != NULL && first != NULL
                         ? FF_OK
                         : ff_error_set(m->err, FF_EMEMORY, "no memory for the blocks of %u places", flat->n_places);
  for (uint32_t q = 0; q < net->n_places && status == FF_OK; q++) {
    const uint32_t set = net->place[q].set;
    if (set == FF_PETRI_NONE) continue;
    if (model[set] == 0) model[set] = 1 + model_of(net, q);
    const uint32_t like = model[set] - 1, same = net->place[like].set == set;
    status = ff_grow((void **)&tuple, &room, (size_t)ff_colours_width(net->colours[set]) + 1, sizeof *tuple, m->err);
    for (uint32_t c = 0; c < ff_colours_n(net->colours[set]) && status == FF_OK; c++) {
      if (!m->changed[flat->first[q] + c]) continue;
      if (!same) ff_colours_at(net->colours[set], c, tuple);
      const int64_t at = same ? c : ff_colours_find(net->colours[net->place[like].set], tuple);
      if (at < 0) continue;
      uint32_t *with = &first[flat->first[like] + (uint32_t)at], place = *with == 0 ? FF_PETRI_NONE : *with - 1;
      join_place(m, flat->first[q] + c, &place);
      *with = place + 1;
    }
  }
  free(model);
  free(first);
  free(tuple);
  return status;
}

/* ---- lists -------------------------------------------------------------------------------------------------------------- */

/* Numbers the blocks by their first places. */
static void number_blocks(ff_petri_blocks_maker *m) {
  ff_petri_blocks *b = m->blocks;
  for (uint32_t f = 0; f < m->net->n_places; f++) {
    const uint32_t root = root_of(m->parent, f);
    b->home[f] = !m->changed[f] ? FF_PETRI_NONE : root == f ? b->n_blocks++ : b->home[root];
  }
}

/* Counts a transition of a block, or lists it. */
static void put(ff_petri_blocks *b, uint32_t block, uint32_t transition) {
  if (b->transition == NULL)
    b->transition_first[block + 1]++;
  else
    b->transition[b->transition_first[block]++] = transition;
}

/* A flow is in all blocks that it changes; what changes nothing is in the first block that it reads, or in the first of all. */
static void put_all(ff_petri_blocks_maker *m) {
  const ff_petri_program *net = m->net;
  ff_petri_blocks *b = m->blocks;
  for (uint32_t k = 0; k < net->n_laws; k++) {
    const ff_petri_law *law = &net->law[k];
    for (uint32_t i = 0; i < law->n; i++) {
      const uint32_t number = (uint32_t)(law->first + i);
      uint32_t last = FF_PETRI_NONE;
      if (law->kind != FF_PETRI_CONTINUOUS) {
        const ff_petri_member t = {k, i};
        join_slots(m, t, &last); /* they are in one block */
        put(b, last == FF_PETRI_NONE ? 0 : b->home[last], number);
        continue;
      }
      for (uint32_t c = 0; c < law->n_effects; c++) {
        const uint32_t home = b->home[net->value_place[ff_petri_value_of(law, law->effect[c].row, i)]];
        int again = 0;
        for (uint32_t d = 0; d < c && !again; d++)
          again = b->home[net->value_place[ff_petri_value_of(law, law->effect[d].row, i)]] == home;
        if (!again) put(b, home, number);
      }
    }
  }
}

static ff_status list_transitions(ff_petri_blocks_maker *m) {
  ff_petri_blocks *b = m->blocks;
  const uint32_t n = b->n_blocks;
  b->transition_first = ff_calloc((size_t)n + 1, sizeof *b->transition_first);
  if (b->transition_first == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u blocks", n);
  put_all(m);
  for (uint32_t k = 0; k < n; k++) b->transition_first[k + 1] += b->transition_first[k];
  b->transition = ff_calloc(b->transition_first[n], sizeof *b->transition);
  if (b->transition == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u blocks", n);
  put_all(m);
  memmove(b->transition_first + 1, b->transition_first, n * sizeof *b->transition_first);
  b->transition_first[0] = 0;
  return FF_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static ff_status make(ff_petri_blocks_maker *m) {
  const ff_petri_program *net = m->net;
  ff_petri_blocks *b = m->blocks;
  if (net->n_events > 0)
    return ff_error_set(m->err, FF_EARGUMENT,
                        "method \"windows\" cannot simulate the events of this net, which may change all parts; use "
                        "method = \"exact\"");
  m->parent = ff_calloc(net->n_places, sizeof *m->parent);
  m->changed = ff_calloc(net->n_places, sizeof *m->changed);
  m->derived = ff_calloc(net->n_values, sizeof *m->derived);
  m->local = ff_calloc(net->n_places, sizeof *m->local);
  b->home = ff_calloc(net->n_places, sizeof *b->home);
  if (!(m->parent && m->changed && m->derived && m->local && b->home))
    return ff_error_set(m->err, FF_EMEMORY, "no memory for the blocks of %u places", net->n_places);
  for (uint32_t f = 0; f < net->n_places; f++) m->parent[f] = f;
  mark_changed(m);
  join_transitions(m);
  ff_status status = join_colours(m);
  if (status != FF_OK) return status;
  number_blocks(m);
  if (b->n_blocks < 2)
    return ff_error_set(m->err, FF_EARGUMENT,
                        "method \"windows\" needs a net of at least 2 parts that only flows join, such as the cells of a "
                        "tissue; this net has %u; use method = \"exact\"",
                        b->n_blocks);
  status = list_transitions(m);
  return status == FF_OK ? ff_petri_make_types(m) : status;
}

ff_status ff_petri_blocks_new(ff_petri_blocks **out, const ff_petri_program *net, ff_error *err) {
  ff_petri_blocks *b = ff_calloc(1, sizeof *b);
  *out = NULL;
  if (b == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for blocks");
  ff_petri_blocks_maker m = {.blocks = b, .net = net, .err = err};
  b->net = net;
  const ff_status status = make(&m);
  void *const arrays[] = {m.parent, m.changed, m.derived, m.local, m.word, m.slot, m.key, m.key_first};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  if (status == FF_OK)
    *out = b;
  else
    ff_petri_blocks_free(b);
  return status;
}

void ff_petri_blocks_free(ff_petri_blocks *b) {
  if (b == NULL) return;
  ff_petri_types_free(b);
  void *const arrays[] = {b->type, b->colour, b->home, b->place_first, b->transition_first, b->group_first, b->neighbour_first,
                          b->far_first, b->given_first, b->place, b->transition, b->group, b->neighbour, b->bends, b->far,
                          b->given, b->timed_first};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  free(b);
}
