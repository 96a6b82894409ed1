/* How the blocks of a net are made. */
#ifndef FF_PETRI_BLOCKS_INTERNAL_H
#define FF_PETRI_BLOCKS_INTERNAL_H

#include "ff_petri_blocks.h"

typedef struct {
  ff_petri_blocks *blocks;
  const ff_petri_program *net;
  ff_error *err;
  uint32_t *parent;  /* of each place: one of the same block; the first place of a block is its own */
  uint8_t *changed;  /* of each place: whether a transition changes it */
  uint32_t *derived; /* of each value: 1 + the derived formula whose value it is, or 0 */
  uint32_t *local;   /* of each place: its number in the block that is being made */
  /* The structure of a block in numbers, and a hash table of structures: 1 + the type; 0 is free. */
  uint32_t *word, *slot, *key;
  size_t n_words, words_room, slots, n_keys, keys_room, *key_first, key_first_room, types_room;
  size_t places_room, neighbours_room;
} ff_petri_blocks_maker;

/* ---- the partition: ff_petri_blocks.c ----------------------------------------------------------------------------------- */

/* The family of a transition of the net. */
static inline const ff_petri_family *ff_petri_family_of(const ff_petri_program *net, ff_petri_member m) {
  return &net->flat->family[m.law];
}

/* Slot s of transition m: a place, or a variable. */
static inline uint32_t ff_petri_slot_of(const ff_petri_program *net, ff_petri_member m, uint32_t s) {
  const ff_petri_family *family = ff_petri_family_of(net, m);
  return family->slot[(size_t)s * family->n + m.i];
}

/* Whether a place is a level of another block. Other places of other blocks may be named by a flow, but their values do not
 * count there. */
static inline int ff_petri_is_given(const ff_petri_blocks *b, uint32_t place, uint32_t block) {
  return b->home[place] != block && b->home[place] != FF_PETRI_NONE && b->net->place_value[place] < b->net->n_levels;
}

/* ---- types: ff_petri_types.c -------------------------------------------------------------------------------------------- */

/* Makes the types of all blocks, whose places and transitions are listed, and what blocks know of each other. */
ff_status ff_petri_make_types(ff_petri_blocks_maker *m);
void ff_petri_types_free(ff_petri_blocks *blocks);

/* ---- nets of types: ff_petri_part.c ------------------------------------------------------------------------------------- */

/* Compiles the block as a net of its own; *order becomes the transitions of the block's list, in the order of the program. */
ff_status ff_petri_part_new(ff_petri_type *type, uint32_t *order, const ff_petri_blocks_maker *m, uint32_t block);
void ff_petri_part_free(struct ff_petri_net_part *part);

/* How many places a block has, and its transitions. */
static inline uint32_t ff_petri_count_of(const size_t *first, uint32_t block) {
  return (uint32_t)(first[block + 1] - first[block]);
}

#endif
