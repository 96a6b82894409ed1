/* Factors of a reaction network: reactions whose propensities are products of the same terms are one group.
 *
 * The propensity of a group is rate * count of a hub * F, or rate * F, or for pairs of molecules of one pool rate * F (F - 1). F
 * is a sum of counts with small whole weights, so it is a whole number without rounding. A molecule of F that is chosen by its
 * number then determines the reaction. The analysis looks at rate laws and constants only, never at names.
 */
#ifndef FF_SSA_FACTOR_H
#define FF_SSA_FACTOR_H

#include "../program/ff_ssa_program.h"

#define FF_FACTOR_LEAVES 768u  /* the most groups; a network with more is not factored */
#define FF_FACTOR_MULTIPLE 16u /* rates of a group are at most this multiple of the smallest */
#define FF_FACTOR_WEIGHT 255u  /* the most for a member; those of a sum are at most 2^13 together, so F is at most 2^53 */
#define FF_FACTOR_FAN 16u
#define FF_FACTOR_MAX_LEVELS 4 /* enough for the weights of a sum */
#define FF_FACTOR_NONE UINT32_MAX
#define FF_FACTOR_ADDENDS_MOST ((size_t)1 << 25) /* of the lists by reaction, which take 256 MB then */
#define FF_FACTOR_MOLECULES 16u /* the most that a step adds and removes, if addends are listed by species */

/* The propensity of a group is (rate * (a - less)) * b, where a and b are rows: numbers of each trajectory. */
typedef enum {
  FF_GROUP_PLAIN, /* rate * F; a is 1 */
  FF_GROUP_HUB,   /* rate * hub * F; a is the hub */
  FF_GROUP_POOL,  /* rate * (F - 1) * F */
  FF_GROUP_REST   /* one reaction whose law has no factors: it is computed as the other methods do */
} ff_group_kind;

/* Molecule number v of the sum belongs to a member. If the member has the weight w and x molecules, its numbers are w ranges of
 * x. Range u of the member at position i is reaction map[map + i * ranges + u]; from w on, it is n_reactions, no reaction. For a
 * pool of m members, two molecules of the members i and j are reaction map[map + i * m + j]. */
typedef struct {
  double rate, less; /* `less` is 1 for a pool, else 0 */
  uint32_t a, b;     /* rows */
  uint32_t kind;
  uint32_t hub; /* a species; for FF_GROUP_REST, the reaction */
  uint32_t sum;
  uint32_t map, ranges;
} ff_ssa_factor_group;

/* The members of a sum, and above them levels of partial sums of FF_FACTOR_FAN entries each. The entries of level l begin at
 * at[l] of the cells. A sum of one member has no levels, because nothing is searched. */
typedef struct {
  uint32_t first, n; /* a range of `members` */
  uint32_t levels, at[FF_FACTOR_MAX_LEVELS];
} ff_ssa_factor_sum;

typedef struct {
  uint32_t species; /* n_species: a species of which there is always one molecule, for reactions without reactants */
  uint32_t weight;
} ff_ssa_member;

/* What is needed to find the reaction of a molecule of a group. All groups have the same number of levels, so that trajectories
 * whose next steps are of different groups are searched alike: the upper levels of a small sum are one entry that exceeds all
 * numbers. */
typedef struct {
  uint32_t b, map, ranges; /* as in the group */
  uint32_t member;        /* the first one of the sum */
  uint32_t at[FF_FACTOR_MAX_LEVELS];
} ff_ssa_search;

/* The rows: counts of all species, the species of which there is always one, totals of sums, and FF_FACTOR_ADDENDS spare rows, on
 * which no propensity depends. The cells end with spare ones, too. */
#define FF_FACTOR_ROW_OF_SUM(program, sum) ((program)->n_species + 1 + (sum))

/* What a step changes: `by` is added to entry `at` of an array. */
typedef struct {
  uint16_t at;
  int16_t by;
} ff_ssa_addend;
typedef struct {
  uint32_t at;
  int32_t by;
} ff_ssa_addend32; /* for large networks */

/* The addends of a reaction: from `first`, those of rows, then of cells. Both lists are filled to a multiple of FF_FACTOR_ADDENDS
 * by addends that add 0 to spare rows or cells. Then come the groups whose propensities change (without `by`). */
#define FF_FACTOR_ADDENDS 4u
typedef struct {
  uint32_t first;
  uint16_t rows, cells, groups;
} ff_ssa_row;

typedef struct ff_ssa_factor {
  uint32_t n_groups; /* FF_FACTOR_NONE if the network is not factored; all other members are then empty */
  uint32_t n_factored; /* the groups before those of kind FF_GROUP_REST */
  uint32_t n_sums, n_members, n_map;
  uint32_t n_rows, n_cells; /* with the spare ones */
  uint32_t levels, ranges;  /* the most of all sums and groups */
  uint32_t beyond;          /* the cell that exceeds all numbers */
  int pools;                /* whether a group is a pool of several species */
  double most;              /* the most that a step adds to a row */
  int sparse;               /* whether a step changes few of the groups */
  ff_ssa_factor_group *groups;
  ff_ssa_factor_sum *sums;
  ff_ssa_member *members;
  uint32_t *map;
  ff_ssa_search *searches;  /* of each group, and then one that finds reaction n_reactions, which changes nothing */
  ff_ssa_row *reactions;    /* n_reactions + 1; NULL if these would need too much memory, and then `species` is used */
  ff_ssa_row *species;      /* two for each species, for one molecule more and one less; their groups are not listed */
  ff_ssa_addend *addends;   /* one of these is NULL */
  ff_ssa_addend32 *addends32;
  size_t n_addends;
  uint32_t *rest, n_rest;   /* the species that propensities of groups of kind FF_GROUP_REST read */
  struct ff_ssa_dense *dense; /* NULL if there are too many groups or cells */
} ff_ssa_factor;

/* Finds the factors of a program, whose propensities and changes are complete. Lists by reaction have about `addends` addends at
 * most: FF_FACTOR_ADDENDS_MOST, but for tests. The caller frees *out with ff_ssa_factor_free(), which accepts NULL. O(n log n)
 * for n reactions, at most FF_FACTOR_LEAVES^2 comparisons of sums, and O(total of the addends). */
ff_status ff_ssa_factor_new(ff_ssa_factor **out, const ff_ssa_program *program, size_t addends, ff_error *err);
void ff_ssa_factor_free(ff_ssa_factor *factor);

/* Lays out the sums, and writes the rows. Part of ff_ssa_factor_new(). */
ff_status ff_ssa_factor_lay_out(ff_ssa_factor *factor, const ff_ssa_program *program, size_t addends, ff_error *err);

#endif
