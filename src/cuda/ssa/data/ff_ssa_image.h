/* A reaction network in the form that ff_ssa_generic.cu reads: flat arrays in one block of memory, which is copied to the device.
 *
 * Species n_species is one of which there is always one molecule. With it, mass action of up to two molecules has one form:
 * rate * (x * (y - less)). These are the bits of ff_ssa_path_propensity(), because a product with 1 and a difference from 0 are
 * exact.
 *
 * The image is made for a method. For optimised_direct, reactions are numbered by their places in its order. Lists of them stay
 * in the order that they have in the program.
 *
 * For pdm and pssa_cr (ff_ssa_partial.c), reactions are numbered as the items of rows, one row after the other. The law of
 * an item gives its partial propensity: `a` is the species that this reads, and `b` is 1 for two molecules of one species, else
 * 0.
 */
#ifndef FF_SSA_IMAGE_H
#define FF_SSA_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../ssa/path/ff_ssa_tree.h"
#include "../../../ssa/program/ff_ssa_method_kinds.h"
#include "../../../ssa/program/ff_ssa_program.h"
#include "../device/ff_ssa_launch.h"

#define FF_SSA_IMAGE_LESS 0x80000000u  /* in `b`: y - 1, for two molecules of one species */
#define FF_SSA_IMAGE_OTHER 0x40000000u /* in `b`: another law, and `a` is its number */
#define FF_SSA_IMAGE_SPECIES 0x3FFFFFFFu
#define FF_SSA_LIST_SHARE 2u /* if more than half of the nodes of a level have new children, all of them are summed */
#define FF_SSA_IMAGE_BY 0x40000000 /* the largest change of a count; a larger one has the same effect */

typedef struct {
  double rate;
  uint32_t a, b;
} __attribute__((aligned(16))) ff_ssa_image_law;

/* A law with several factors, or with a formula. */
typedef struct {
  uint32_t law;      /* FF_LAW_PRODUCT, FF_LAW_FORMULA or FF_LAW_SCALED */
  uint32_t first, n; /* a range of `factors` */
  uint32_t length;   /* of the formula */
  uint32_t exact;    /* whether rssa computes the propensity at each change, instead of bounds */
  uint32_t timed;    /* 1 + the number of a rate that depends on the time, else 0 */
  uint32_t below;    /* whether the formula may be below 0 while a reactant is missing */
  uint64_t code;     /* its first word */
} ff_ssa_image_other;

/* What a reaction changes: ranges of `changes` and of `dependents`. Without `dependents`, n_dependents is the number of readers
 * of all species that it changes, or 2^32 - 1 if there are more. With rows, both are 0. */
typedef struct {
  uint32_t change, n_changes, dependent, n_dependents;
} __attribute__((aligned(16))) ff_ssa_image_row;

typedef struct {
  uint32_t species;
  int32_t by;
} __attribute__((aligned(8))) ff_ssa_image_change;

/* A formula of a schedule: a part of `words`. */
typedef struct {
  uint64_t first;
  uint32_t length;
} ff_ssa_image_formula;

/* Events of the network, and rates that depend on the time. Symbols of formulas are species, then the parameters that events set.
 * The formulas are triggers, rates that depend on the time, and then delays, priorities and values. */
typedef struct {
  uint32_t n_events, n_timed, n_settable, n_watched;
  uint32_t most_sets, due;             /* the largest number of values that an event sets; events that may wait */
  const ff_ssa_image_formula *formulas; /* NULL if there are neither events nor such rates */
  const ff_formula_word *words;
  const uint32_t *events;      /* as ff_ssa_kernel_schedule.h describes them */
  const uint32_t *watched;     /* the events whose triggers depend on the time */
  const uint32_t *kinds;       /* for each event: 0, or 1 if its trigger depends on the time alone, or 2 if on the state, too */
  const uint64_t *watch_first; /* n_species + n_settable + 1 */
  const uint32_t *watchers;    /* of a symbol: the events whose triggers read it */
  const uint32_t *rates;       /* for each rate that depends on the time: its number in `others` */
  const uint64_t *timed_first; /* n_reactions + 1 */
  const uint32_t *timed;       /* of a reaction: the rates that depend on the time and on what it changes */
  const double *settable;      /* values at time 0 of the parameters that events set */
} ff_ssa_image_schedule;
/* An item whose partial propensity reads a species. */
typedef struct {
  double rate;
  uint32_t row, kind; /* its row; FF_SSA_PARTNER_... */
} __attribute__((aligned(16))) ff_ssa_image_partner;
#define FF_SSA_PARTNER_LESS 1u /* of two molecules of the species */
#define FF_SSA_PARTNER_SAME 2u /* in the row of the item before it in the list */

typedef struct {
  uint32_t n_species, n_reactions;
  uint32_t method; /* an ff_ssa_method; FF_SSA_TREE for all methods that give the same bits */
  uint32_t fan;    /* of block_search: members of a block, and blocks of a superblock */
  uint64_t n_real, n_whole; /* numbers that a trajectory keeps besides counts and values */
  uint64_t bin_real, bin_whole; /* where the bins begin among these (ff_ssa_generic_bins.h) */
  uint32_t n_rows; /* of partial propensities, else 0 */
  double total;    /* the sum of the propensities at time 0, as ff_ssa_sum() */
  uint32_t depth;  /* the largest stack that a formula needs; 0 without formulas */
  uint32_t listed; /* entries of a list of nodes; of more nodes, a step does not make a list */
  uint32_t levels, n_values; /* of the nodes: see ff_ssa_generic_warp.h. Level 0 has the reactions. */
  uint32_t first[FF_SSA_MAX_LEVELS], n[FF_SSA_MAX_LEVELS];
  uint32_t invalid;                  /* whether a propensity is invalid at time 0 */
  const uint32_t *initial;           /* n_species + 1 counts at time 0 */
  const double *tree;                /* n_values at time 0; for next_reaction and rssa, level 0 has propensities */
  const double *real;                /* n_real and n_whole numbers at time 0, or NULL if trajectories compute them */
  const uint32_t *whole;
  const ff_ssa_image_law *laws;      /* n_reactions */
  const ff_ssa_image_other *others;
  const ff_participant *factors;
  const ff_formula_word *words;
  const ff_ssa_image_row *rows;      /* n_reactions */
  const ff_ssa_image_change *changes;
  const uint32_t *dependents;               /* NULL if they are not listed */
  const ff_ssa_image_law *dependent_laws;   /* of each entry of `dependents`; NULL if they would need much memory */
  const uint64_t *reader_first;             /* n_species + 1; NULL with dependents */
  const uint32_t *readers;
  const uint64_t *direct_first;             /* for rssa: the readers that it computes anew when a species changes */
  const uint32_t *direct;
  const uint32_t *numbers;                  /* of the reactions in the program, for lists of firings; NULL if they are the same */
  const ff_formula_word *until;             /* the condition that ends trajectories */
  uint32_t until_length;                    /* 0 if there is none */
  ff_ssa_image_schedule schedule;
  const uint32_t *row_first;                /* n_rows + 1: the items of each row; NULL without rows */
  const uint32_t *partner_first;            /* n_species + 1 */
  const ff_ssa_image_partner *partners;     /* of each species, in the order of the items */
} ff_ssa_image;

/* A point of a wave. */
typedef struct {
  ff_ssa_point_key key;
  ff_ssa_image image;
} ff_ssa_image_point;

#if !defined(__CUDACC_RTC__)
#include "../../../ensemble/ff_device.h"

/* Makes the image of a program for the method, initial counts and order of a request. The caller frees it with
 * ff_free_aligned(*memory). FF_EUNSUPPORTED if the kernels do not have the method, a count is not a whole number from 0 to
 * FF_DEVICE_MOST, or the network is too large for the numbers of the image; the message is a clause. On an error there is
 * nothing to free. O(size of the program). */
ff_status ff_ssa_image_new(ff_ssa_image *out, void **memory, size_t *bytes, const ff_ssa_program *program,
                           const ff_device_request *request, ff_error *err);

/* The same image, for a copy of its memory: `from` is the start of the original, `to` that of the copy. O(1). */
ff_ssa_image ff_ssa_image_at(const ff_ssa_image *image, const void *from, const void *to);

/* Whether a slot that is laid out for one image also serves for the other. O(1). */
int ff_ssa_image_alike(const ff_ssa_image *a, const ff_ssa_image *b);
#endif

#ifdef __cplusplus
}
#endif

#endif
