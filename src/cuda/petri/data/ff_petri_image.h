/* A Petri net in the form that kernels read that simulate nets as data: arrays in one block of memory, which is copied to the
 * device. The kernels interpret formulas, so no code is compiled for a net. The same text is compiled for device and host.
 *
 * All that formulas read has a number: first the levels; then the other places and what is derived of them, which each trajectory
 * keeps ("others"); then numbers that are the same for all trajectories ("constants"), among them those in the text of
 * formulas; and FF_PETRI_IMAGE_TIME.
 *
 * So formulas that differ only in numbers and in what they read have the same words. Their symbols are numbered as they come,
 * and each has a list of what it reads. Lists of neighbours are interleaved: lanes that evaluate them read neighbouring
 * memory. */
#ifndef FF_PETRI_IMAGE_H
#define FF_PETRI_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../model/ff_formula.h"

#define FF_PETRI_IMAGE_TIME 0xFFFFFFFFu
#define FF_PETRI_IMAGE_NONE 0xFFFFFFFFu

/* The limits. A trajectory of the largest net that a program can describe would still fit; these keep numbers of formulas and
 * of lists small, and a trajectory within some megabytes. */
#define FF_PETRI_IMAGE_LEVELS 4096u
#define FF_PETRI_IMAGE_PLACES 65536u
#define FF_PETRI_IMAGE_FLOWS 65536u
#define FF_PETRI_IMAGE_TRANSITIONS 65536u
#define FF_PETRI_IMAGE_GROUPS 16384u
#define FF_PETRI_IMAGE_PROFILES 16384u
#define FF_PETRI_IMAGE_WORDS 65536u   /* of formulas, where equal ones count once */
#define FF_PETRI_IMAGE_OPERANDS 0x40000000u
#define FF_PETRI_IMAGE_DEPTH 32u
#define FF_PETRI_IMAGE_FACTORS 65536u   /* entries of the factors in implicit steps, */
#define FF_PETRI_IMAGE_UPDATES 0x400000u /* and how many of them the pivots of an elimination change, in all */
#define FF_PETRI_IMAGE_PIECES 128u      /* of integrals in a segment, for which a trajectory has room */

/* Symbol k is operand[operands + k * stride]. Without words, it is the product of two symbols. */
typedef struct {
  uint32_t word, length, operands, stride;
} ff_petri_image_formula;

/* What a flow does to a level in a unit of time: `by`, or the value of weight number `weight`, times its rate. */
typedef struct {
  double by;
  uint32_t flow, weight;
} ff_petri_image_term;

/* What a firing does to a place, which has the number `value`. */
typedef struct {
  double by;
  uint32_t value, weight;
  uint32_t resets, continuous;
} ff_petri_image_effect;

/* A flow whose rate may have narrow peaks, and what a unit of it changes of a level, without its sign. */
typedef struct {
  uint32_t flow, quick;
} ff_petri_image_narrow;

typedef struct {
  double by;
  uint32_t level, unused;
} ff_petri_image_arc;

/* Bits of groups: whether there are profiles other than 1; whether some of its firings may change a flow, or all. */
enum { FF_PETRI_IMAGE_MOVES = 1, FF_PETRI_IMAGE_SOME_STIR = 2, FF_PETRI_IMAGE_ALL_STIR = 4 };
/* Bits of profiles: as in ff_petri_profile. */
enum { FF_PETRI_IMAGE_AFFINE = 1, FF_PETRI_IMAGE_QUICK = 2 };

/* All arrays. Lists that end where the next one begins have one more entry. */
#define FF_PETRI_IMAGE_ARRAYS(X)                                                                                              \
  X(ff_formula_word, word) X(uint32_t, operand) X(double, constant)                                                           \
  X(ff_petri_image_formula, flow)         /* rates, those with the same words together */                                     \
  X(ff_petri_image_formula, weight)                                                                                           \
  X(ff_petri_image_formula, profile)      /* profile 0 is 1 */                                                                \
  X(ff_petri_image_formula, coefficient)  /* of each stochastic transition */                                                 \
  X(ff_petri_image_formula, derived)                                                                                          \
  X(uint32_t, term_first) X(ff_petri_image_term, term)       /* of each level, in the order of the net */                     \
  X(ff_petri_image_narrow, narrow) X(uint32_t, arc_first) X(ff_petri_image_arc, arc)                                          \
  X(uint32_t, effect_first) X(ff_petri_image_effect, effect) /* of each stochastic transition */                              \
  X(uint32_t, transition)                 /* its number in the net */                                                         \
  X(uint8_t, transition_stirs)            /* whether it may change a flow */                                                  \
  X(uint8_t, stirs)                       /* of each other: whether flows or profiles read it */                              \
  X(uint32_t, cell_first) X(uint32_t, cell_group) X(uint32_t, cell_profile) X(uint32_t, member_first) X(uint32_t, member)     \
  X(uint8_t, group_is) X(uint8_t, profile_is)                                                                                 \
  X(uint32_t, shared_first) X(uint32_t, shared)              /* the cells of each profile */                                  \
  X(uint32_t, derived_first) X(uint32_t, derived_of)         /* of each other place: what is derived of it, */                \
  X(uint32_t, coefficient_first) X(uint32_t, coefficient_of) /* the transitions whose coefficients depend on it, */           \
  X(uint32_t, sum_first) X(uint32_t, sum_of)                 /* and their cells */                                            \
  X(uint32_t, place) X(double, initial)   /* of each place in the net's order: its number, and the marking at the start */    \
  /* For implicit steps: the places from which each flow takes; derivatives, by columns, and those of each row; groups of     \
   * columns; the elimination, as in ff_sparse_order.h; the entries below each pivot, and those that it changes: for each     \
   * entry below it, those in its row. Rows that can be solved at the same time, forward and backward. */                     \
  X(uint32_t, input_first) X(uint32_t, input)                                                                                 \
  X(size_t, column_first) X(uint32_t, column_row) X(uint32_t, column_group)                                                   \
  X(uint32_t, row_first) X(uint32_t, row_entry) X(uint32_t, row_column)                                                       \
  X(uint32_t, order) X(size_t, factor_first) X(size_t, diagonal) X(uint32_t, factor_column) X(size_t, source)                 \
  X(uint32_t, below_first) X(uint32_t, below) X(uint32_t, update_first) X(uint32_t, update)                                   \
  X(uint32_t, forward_first) X(uint32_t, forward) X(uint32_t, backward_first) X(uint32_t, backward)

typedef struct {
  uint32_t n_levels, n_places, n_others, n_flows, n_transitions, n_groups, n_cells, n_profiles, n_derived, n_narrow;
  uint32_t depth, reads; /* of formulas; reads: the most symbols of one whose bounds are asked for */
  uint32_t scratch;      /* numbers that a warp needs for a while */
  uint32_t automatic;    /* whether the solver looks for stiffness */
  uint32_t implicit;     /* whether some steps are implicit, or all if the solver does not look for stiffness */
  uint32_t n_entries, n_column_groups, n_factors, n_forward, n_backward; /* of implicit steps */
  uint32_t timed_flows, timed_profiles;
  uint32_t has_shared;   /* whether groups have a profile in common that is not affine */
  double relative, absolute;
#define FF_X(type, name) const type *name;
  FF_PETRI_IMAGE_ARRAYS(FF_X)
#undef FF_X
} ff_petri_image;

#if !defined(__CUDACC_RTC__)
#include "../../../ensemble/ff_device.h"
#include "../../../petri/program/ff_petri_program.h"

/* Makes the image of a program for a request. The caller frees it with ff_free_aligned(*memory). FF_EUNSUPPORTED, with a clause
 * that tells why, if the kernels do not simulate such a net. On an error there is nothing to free. O(size of the program), and
 * for each place what depends on it. */
ff_status ff_petri_image_new(ff_petri_image *out, void **memory, size_t *bytes, const ff_petri_program *program,
                             const ff_device_request *request, ff_error *err);

/* The same image, for a copy of its memory: `from` is the start of the original, `to` that of the copy. O(1). */
ff_petri_image ff_petri_image_at(const ff_petri_image *image, const void *from, const void *to);
#endif

#ifdef __cplusplus
}
#endif

#endif
