/* A large net on a device, by windows (petri/windows/): what the blocks of the net are, and where each trajectory has its memory.
 * The same text is compiled for the device (also at run time) and for the host.
 *
 * A slot runs one trajectory. A round of all slots has four parts, each of which a launch completes: blocks are prepared for a
 * window, show what is recorded of the one before, and are listed if they have to run; those run over the window, which are of
 * one colour; strips are added up; and the outcome is reviewed. Blocks whose code differs are of several classes, each of which
 * has launches of its own for the first two parts.
 *
 * A block has two waves (petri/windows/ff_petri_wave.h). A run overwrites the older one. Others read the newest one from an
 * earlier sweep. So no thread waits for another one within a sweep. */
#ifndef FF_PETRI_TISSUE_H
#define FF_PETRI_TISSUE_H

#include "../../../petri/windows/ff_petri_pace_math.h"
#include "../../../petri/windows/ff_petri_piece_math.h"
#include "../../../petri/windows/ff_petri_source.h"
#include "../../device/ff_launch.h"

#define FF_PETRI_REVIEW_THREADS 256u /* that review a slot */
#if defined(__CUDACC__)
#define FF_PETRI_ALIGNED __align__(16) /* so that a thread reads 16 bytes at once */
#else
#define FF_PETRI_ALIGNED
#endif
#define FF_PETRI_MOST_CLASSES 8u /* of blocks, each of which has code of its own */
#define FF_PETRI_NO_SWEEP 0xFFFFFFFFu /* a wave that must not be read */

/* What is known of a wave, besides its pieces, kinks and firings. */
typedef struct {
  uint32_t sweep; /* in which it was written, from 1; 0: it is a guess; or FF_PETRI_NO_SWEEP */
  uint32_t n_pieces, n_kinks;
  uint32_t first, room; /* the first of its pieces in the memory of the slot, and for how many pieces and kinks there is room */
  uint8_t differs;      /* whether flows change otherwise than in the wave before, */
  uint8_t refused;      /* and whether the run is */
  double distance;      /* from the wave before */
} FF_PETRI_ALIGNED ff_petri_told;

/* What is known of the firings of a wave. They are not listed: what is recorded of counts, a block writes as it runs. */
typedef struct {
  uint64_t order;    /* other transitions, or another order, make another number, but in one of some 2^64 cases */
  double last;       /* the last of `times` times at which there are firings */
  uint32_t n, times, shown; /* shown: up to the last time that is recorded */
  uint32_t use;      /* of room for the wave: see ff_petri_use_of_room() */
} FF_PETRI_ALIGNED ff_petri_fired;

/* What the blocks of a strip that ran have found. If no block of the net had to run, what all its blocks have in the window; of
 * `use`, the largest one. */
typedef struct {
  double change, before;
  uint32_t fine, refused, firings, shown, pieces, use;
} ff_petri_strip;

typedef enum {
  FF_PETRI_SLOT_IS_EMPTY,
  FF_PETRI_SLOT_BEGINS,   /* a window */
  FF_PETRI_SLOT_SWEEPS,
  FF_PETRI_SLOT_LEAVES,   /* the window, for the next one */
  FF_PETRI_SLOT_IS_DONE   /* with the last window */
} ff_petri_slot_phase;

/* A trajectory. */
typedef struct {
  ff_petri_pace pace;
  uint64_t firings;  /* in windows that are accepted; in the last one, up to the last time that is recorded */
  uint32_t phase, unit, at_time; /* at_time: the next time that is recorded */
  uint32_t start;    /* which of the two states of each block is that at the start of the window */
  uint32_t idle;     /* sweeps in a row in which no block had to run */
  /* Of each class: blocks that have to run in this sweep; and those that threads have taken after their first. */
  uint64_t listed[FF_PETRI_MOST_CLASSES], taken[FF_PETRI_MOST_CLASSES];
  uint64_t spent;    /* of the spare pieces, in this window */
} ff_petri_slot;

/* The net and the memory of slots. Lists that end where the next one begins have one more entry. All blocks have as much
 * room: for what a block of any class has. */
typedef struct {
  uint32_t n_blocks, n_strips;
  const uint32_t *order;       /* blocks by types, */
  const uint32_t *type;        /* the type of each, */
  const uint8_t *colour;       /* and its colour */
  const uint32_t *of_class;    /* blocks by classes, if there are several, */
  uint32_t class_first[FF_PETRI_MOST_CLASSES + 1u]; /* and where those of each begin */
  const uint32_t *near_first, *near;   /* blocks of which a block reads levels */
  const uint8_t *bends;        /* of each of these: whether a formula of the block reads its levels */
  const uint32_t *far_first, *far;     /* neighbours of those that bend */
  const uint32_t *given_first;
  const ff_petri_source *given;        /* for each given level: where it comes from */
  const uint32_t *group;       /* for each block, P_MOST_GROUPS: the numbers of its groups, by which draws are addressed */
  const uint32_t *table;       /* for each block, P_MOST_PLACES: the number among what is recorded, or UINT32_MAX */
  const uint32_t *linear_first;        /* for each type, 2 * P_MOST_LEVELS + 1: for each level the first of its terms, and the
                                * first whose value is no given one; and the end */
  const uint32_t *linear_value;        /* of each term: from P_LEVELS on a given level, if it is one */
  const double *linear_by;             /* and by how much of it the level changes in a unit of time */
  uint32_t n_fixed;            /* places that no transition changes and that are recorded, */
  const uint32_t *fixed, *fixed_place; /* their numbers among what is recorded, and in the net */
  /* For so many pieces, and as many kinks, each wave has room; waves with more move to spare room, which all blocks share. */
  uint32_t pieces, spare;
  char *memory;                /* of the first slot */
  uint64_t slot_bytes;
  /* Offsets of arrays in the memory of a slot. */
  uint64_t at_slot, at_strip, at_told, at_piece, at_kink, at_fired, at_real, at_word, at_guess, at_fixed, at_moved, at_list;
} ff_petri_tissue;

#endif
