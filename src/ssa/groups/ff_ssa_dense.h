/* A second layout of the groups of a network: the dense one, for networks of few groups and sums. Rows are as in
 * ff_ssa_factor.h. The nodes above the members of a sum have few entries, so that all lanes search at the same time: a gather
 * reads one entry of a node in each lane. What a reaction adds to the cells of a lane is in blocks of bytes. */
#ifndef FF_SSA_DENSE_H
#define FF_SSA_DENSE_H

#include "../program/ff_ssa_program.h"

#define FF_DENSE_GROUPS 31u   /* the most groups: a table has an entry for each, and one for no group */
#define FF_DENSE_TABLE 32u
#define FF_DENSE_NODES 4      /* of the tree of groups, above the leaves */
#define FF_DENSE_LEVELS 4u    /* the most levels of cells */
#define FF_DENSE_WIDTH 8u     /* the most entries of a node */
#define FF_DENSE_LINE 8u      /* cells that are changed at once */
#define FF_DENSE_LINES 64u    /* the most lines of cells */
#define FF_DENSE_FEW 7u       /* lines of a block, which is as large as a line of the cache */
#define FF_DENSE_CHANGES 4u   /* the most species that a reaction changes */
#define FF_DENSE_ROWS 0x100000u /* there are fewer rows than this */
#define FF_DENSE_SMALL 0x1p28 /* totals are below this, so FF_DENSE_WIDTH of them are below 2^31 */
#define FF_DENSE_TABLES ((size_t)1 << 23) /* the most bytes of what reactions add */

/* Level 0 has the members. Node i of a level has the entries from i << shift on, `width` of them. */
typedef struct {
  uint32_t width, shift;
} ff_ssa_dense_level;

/* What a reaction adds to so many different lines. Lines that it does not change fill up the last block. */
typedef struct {
  int8_t by[FF_DENSE_FEW][FF_DENSE_LINE];
  uint8_t line[FF_DENSE_FEW];
  uint8_t more; /* in the first block of a reaction: the number of the others */
} ff_ssa_dense_block;

typedef struct ff_ssa_dense {
  uint32_t levels; /* of cells, the same for all sums; the upper levels of a small sum are one entry that exceeds all numbers */
  ff_ssa_dense_level level[FF_DENSE_LEVELS + 1];
  uint32_t n_cells, lines; /* n_cells includes the cells that fill up the last line */
  uint32_t beyond, stride; /* after these, cells never change: zeros, then cell `beyond`, which exceeds all numbers, then zeros */
  uint32_t n_changes, n_words;
  int weighted;      /* whether a member has a weight other than 1 */
  uint32_t *sum_at;  /* where the cells of a sum begin, by sum and then by level from 1 on; `beyond` for levels that it lacks */
  uint32_t *members; /* row * FF_SSA_LANES + (weight << 24), or without the weight; then what searches read behind them */
  uint32_t *words;   /* n_words for each reaction: row * FF_SSA_LANES + (by << 24) for each count; then bytes for the totals */
  uint32_t *next;    /* for each reaction: where its other blocks are */
  ff_ssa_dense_block *blocks; /* the first ones by reaction, and then the others */
  _Alignas(64) uint32_t at[FF_DENSE_LEVELS][FF_DENSE_TABLE]; /* by group, from here on: the first cell of level 1, 2 ... */
  _Alignas(64) uint32_t member[FF_DENSE_TABLE];
  _Alignas(64) uint32_t map[FF_DENSE_TABLE], ranges[FF_DENSE_TABLE]; /* as in ff_ssa_search */
  _Alignas(64) uint32_t b[FF_DENSE_TABLE];                          /* the row, times FF_SSA_LANES */
} ff_ssa_dense;

struct ff_ssa_factor;

/* Makes the layout of a network whose addends are listed by reaction. *out is NULL if the network has too many groups or cells,
 * or if a reaction adds too much. The caller frees it with ff_ssa_dense_free(), which accepts NULL. O(reactions * cells). */
ff_status ff_ssa_dense_new(ff_ssa_dense **out, const struct ff_ssa_factor *factor, const ff_ssa_program *program, ff_error *err);
void ff_ssa_dense_free(ff_ssa_dense *dense);

/* The cells of a state. Row i is rows[i * stride]. */
void ff_ssa_dense_sum_up(const ff_ssa_dense *dense, const struct ff_ssa_factor *factor, const double *rows, size_t stride,
                         int32_t *cells);

#endif
