/* The blocks of a net: parts that only flows join, whose rates read levels of other blocks.
 *
 * All places that a transition changes, tests or reads are in one block, unless the transition is a flow that may couple blocks.
 * It may if it reads only levels, constants and the time, has no tests, and takes nothing from a place whose level is 0. So the
 * level of one block never decides at which rate a place of another one is emptied. Places of different names with the same
 * colour (the same values of the same simple sets) are in one block, too. What no transition changes is in every block that
 * reads it.
 *
 * Each block that a coupling flow changes has the flow, with the levels of the other blocks as given functions of the time.
 * Blocks of the same structure are of one type, and have one program. */
#ifndef FF_PETRI_BLOCKS_H
#define FF_PETRI_BLOCKS_H

#include "../program/ff_petri_program.h"
#include "ff_petri_source.h"

#define FF_PETRI_MOST_FAR 32u

/* The program of a type is that of its first block. Places keep the order that they have in the whole net, and so do stochastic
 * transitions. */
typedef struct {
  struct ff_petri_net_part *part; /* what the program borrows */
  ff_petri_program *program;
  uint32_t n_blocks, *block; /* ascending */
} ff_petri_type;

typedef struct {
  const ff_petri_program *net;
  uint32_t n_blocks, n_types;
  ff_petri_type *types;
  uint32_t *type;  /* of each block */
  uint8_t *colour; /* 0 or 1: few neighbours have the same one */
  uint32_t *home;  /* for each place of the net: its block, or FF_PETRI_NONE if no transition changes it */
  /* For each block and the end: where its lists begin. */
  size_t *place_first, *transition_first, *group_first, *neighbour_first, *far_first, *given_first;
  uint32_t *place;      /* of the net, for each place of the block's program */
  uint32_t *transition; /* of the net, for each transition of it */
  uint32_t *group;      /* of the net, for each group of it */
  uint32_t *neighbour;  /* blocks of which it reads levels, ascending */
  uint8_t *bends;       /* for each neighbour: whether a formula of the block reads its levels. From other neighbours it takes
                         * multiples of levels, of which a step knows what it does not see: see ff_petri_piece_read() */
  uint32_t *far;        /* neighbours of neighbours that bend, but not of itself, ascending; none if more than
                         * FF_PETRI_MOST_FAR */
  ff_petri_source *given; /* for each given value of it */
  uint32_t *timed_first;  /* timed transitions of the blocks before */
} ff_petri_blocks;

/* Finds the blocks of a net, which is borrowed. The caller frees *out with ff_petri_blocks_free(), which accepts NULL.
 * FF_EARGUMENT if the net has events or fewer than two blocks; the message tells which. O(size of the net * log of its
 * families), and what it takes to compile the types. */
ff_status ff_petri_blocks_new(ff_petri_blocks **out, const ff_petri_program *net, ff_error *err);
void ff_petri_blocks_free(ff_petri_blocks *blocks);

#endif
