/* A reaction network whose propensities have common factors (ff_ssa_factor.h), in the form that ff_ssa_factored.cu reads: flat
 * arrays in one block of memory, which is copied to the device.
 *
 * A warp runs a trajectory. Sum u belongs to a lane: with `each` sums for a lane and round, round r of lane l has the sums
 * r * 32 * each + l * each + i, and their totals are words FF_SSA_SUM_WORD(). Groups belong to lanes in the same way.
 *
 * The members of all sums have positions. Each sum begins at a multiple of 32^levels, so that cell p >> 5 l of level l is the sum
 * over 32^l positions. Level 0 is the counts themselves.
 */
#ifndef FF_SSA_FACTORED_IMAGE_H
#define FF_SSA_FACTORED_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../ssa/groups/ff_ssa_factor.h"
#include "../device/ff_ssa_launch.h"

#define FF_SSA_EACH_MOST 8u   /* groups of a lane in a round */
#define FF_SSA_ROUNDS_MOST 3u
#define FF_SSA_CELL_LEVELS 2u /* the most levels of cells */
#define FF_SSA_FACTORED_CHANGES 32u /* the most counts that a reaction changes */
#define FF_SSA_LEAF_POOL 0x80000000u /* in `hub`: the group is a pool, and has no hub */
#define FF_SSA_MEMBER_SPECIES 0xFFFFFFu
#define FF_SSA_SUM_WORD(u, each) ((u) / (32u * (each)) * (32u * (each)) + (u) % (each) * 32u + (u) / (each) % 32u)

/* A leaf of the tree of sums: a group. */
typedef struct {
  double rate;
  uint32_t hub, sum; /* a species; the word of the total */
} __attribute__((aligned(16))) ff_ssa_factored_leaf;

/* Where the members of a group's sum are, and the first entry of its map: see ff_ssa_factor_group. Bit 31 of `ranges`: two
 * molecules are chosen. */
typedef struct {
  uint32_t first, end; /* positions */
  uint32_t map, ranges;
} __attribute__((aligned(16))) ff_ssa_factored_search;

typedef struct {
  uint32_t species;
  int32_t by;
} __attribute__((aligned(8))) ff_ssa_factored_by;

/* A sum of which a species is a member. Entries with the weight 0 fill up a row. */
typedef struct {
  uint32_t position, sum; /* the word of the total, and 2^16 times the weight */
} __attribute__((aligned(8))) ff_ssa_factored_use;

typedef struct {
  uint32_t n_species;          /* of the network; two more follow: one with the constant count 1, and one with the count 0 */
  uint32_t each, rounds;
  uint32_t n_changes;          /* of each entry of a map: a multiple of 4, filled up with changes by 0 */
  uint32_t n_uses;             /* of a species, in `uses`; 0 if there are `weights` instead */
  uint32_t levels;             /* of cells */
  uint32_t cell[FF_SSA_CELL_LEVELS + 1]; /* the word at which the cells of level l begin, from 1 on */
  uint32_t count, n_words;     /* the word of the first count, and all words of a trajectory; totals come first */
  const uint32_t *initial;     /* n_words */
  const ff_ssa_factored_leaf *leaves;      /* by round, i and lane */
  const ff_ssa_factored_search *searches;  /* by group */
  const uint32_t *members;     /* by position: the species, and 2^24 times the weight less 1 */
  const ff_ssa_factored_by *changes;       /* n_changes for each entry of the maps of groups, in place of a reaction */
  const ff_ssa_factored_use *uses;         /* n_uses for each species */
  const uint32_t *weights;     /* a byte for each species and sum: of 32 * each * rounds sums */
} ff_ssa_factored_image;

/* A point of a wave. */
typedef struct {
  ff_ssa_point_key key;
  ff_ssa_factored_image image;
} ff_ssa_factored_point;

/* Makes the image of a program that has factors, for trajectories that start with these counts. The caller frees it with
 * ff_free_aligned(*memory). FF_EUNSUPPORTED if the network has what the kernel cannot do; the message is a clause. On an error
 * there is nothing to free. O(size of the program and of the image). */
ff_status ff_ssa_factored_image_new(ff_ssa_factored_image *out, void **memory, size_t *bytes, const ff_ssa_program *program,
                                    const double *initial, ff_error *err);

/* Estimates the steps per second of an H200 with so many trajectories on each multiprocessor; 0 if the kernel cannot run the
 * program. O(size of the program). */
double ff_ssa_factored_speed(const ff_ssa_program *program, double trajectories);

/* The same image, for a copy of its memory: `from` is the start of the original, `to` that of the copy. O(1). */
ff_ssa_factored_image ff_ssa_factored_image_at(const ff_ssa_factored_image *image, const void *from, const void *to);

/* Whether a slot that is laid out for one image also serves for the other. O(1). */
int ff_ssa_factored_image_alike(const ff_ssa_factored_image *a, const ff_ssa_factored_image *b);

#ifdef __cplusplus
}
#endif

#endif
