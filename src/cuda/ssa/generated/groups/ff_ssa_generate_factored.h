/* What the parts of the generator for the factored method share: plans of sums and groups. */
#ifndef FF_SSA_GENERATE_FACTORED_H
#define FF_SSA_GENERATE_FACTORED_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../../ssa/path/ff_ssa_tree.h"
#include "../code/ff_ssa_generate.h"
#include "../code/ff_ssa_generate_text.h"
#include "../../device/ff_ssa_launch.h"

#define FF_SSA_PLACE_NONE UINT32_MAX
#define FF_SSA_PLACE_REGISTER 0x80000000u /* a place in registers */
#define FF_SSA_CHUNK 8u
#define FF_SSA_MOST_HEAD 8u
#define FF_SSA_MOST_REGISTERS 48u /* totals, and counts that are not members */
#define FF_SSA_MOST_CHUNKS 65535u /* their numbers have 16 bits */
#define FF_SSA_UPPER 0x4432u
#define FF_SSA_NOTHING 0x4444u
#define FF_SSA_MOST_CHANGE 127
#define FF_SSA_MOST_OFFSET 65536u /* of a word of a thread, from the first one of its block */
#define FF_SSA_FEW_GROUPS 32u /* so many values are in registers; for more, sums are kept */
#define FF_SSA_MOST_SPECIAL 16u

/* A sum: its number among the totals or NONE; the word of its cell in a part or NONE, and which of its bytes; the chunk of a
 * small sum, or the word at which it begins; the number of its first chunk among the weights. */
typedef struct {
  uint32_t total, cell, bytes, small, first, weights;
} ff_ssa_factored_sum;

typedef struct {
  const ff_ssa_program *p;
  const ff_ssa_factor *f;
  const ff_device_request *request;
  uint32_t shared;    /* bytes of shared memory of a multiprocessor */
  ff_ssa_code *code;
  ff_writer out;
  ff_formula_writer law;
  uint32_t *place;    /* of the count of each species, and of the one of which there is always one; NONE: nobody reads it */
  ff_ssa_factored_sum *sums;
  double *expected;   /* the largest count of each species */
  uint32_t members, counts, loose; /* counts of members that are words; all that are; those in registers, with the head */
  uint32_t head;      /* members in registers: the first ones */
  uint32_t totals, large;
  uint32_t chunks, parts, words, all; /* words of counts, and in all */
  uint32_t held, away; /* chunks in shared memory, 0 if all are or none; words of global memory for the others */
  uint32_t regions, region; /* parts of a region; see ff_ssa_thread_factored.h */
  uint32_t columns, used, pairs; /* words of the cells of a part, those in use, and those with two cells */
  uint32_t moved, entries, cell_bytes, change; /* of a reaction */
  uint32_t n_weights, n_map, ranges;
  uint32_t initial_at, weights_at, maps_at, changes_at, n_data;
  int bits32, quads, checked;
  int far, stored, split; /* whether weights, counts, and only counts are in global memory */
  int apart, ones, mapped;
  double latency;     /* seconds of a step, if counts are in global memory */
  double most, most16; /* that a step adds; to a number of 16 bits */
  uint32_t check;     /* steps between two checks */

  /* For many groups: see ff_ssa_thread_groups.h */
  int many, leaf_bits32, one_rate, twins, looped;
  uint32_t special[FF_SSA_MOST_SPECIAL], n_special;
  uint32_t leaf_words, rate_words;
  uint32_t halves, n_sums, uppers; /* halves of nodes; sums that are kept, and those of nodes of nodes */
  uint32_t more, fixed; /* of a change: where its part for groups begins, and words that are read at once */
  uint32_t leaf_entries, halves_changed, uppers_changed; /* of a reaction */
} ff_ssa_factored_generator;

static inline double ff_ssa_initial_of(const ff_ssa_factored_generator *g, uint32_t species) {
  return species < g->p->n_species ? g->request->initial[species] : 1;
}

static inline const ff_ssa_member *ff_ssa_members_of(const ff_ssa_factored_generator *g, uint32_t sum) {
  return g->f->members + g->f->sums[sum].first;
}

/* Positions in the map of a group: those of its chunks, then those of the head. */
static inline int ff_ssa_is_small(const ff_ssa_factored_generator *g, const ff_ssa_factor_group *group) {
  return group->kind == FF_GROUP_REST || g->sums[group->sum].small;
}

static inline int ff_ssa_is_pool(const ff_ssa_factor_group *group) { return group->kind == FF_GROUP_POOL && group->ranges > 1; }

static inline uint32_t ff_ssa_head_span(const ff_ssa_factored_generator *g) { return g->head > 0 ? FF_SSA_MOST_HEAD : 0; }

/* The most positions of a group. */
static inline uint32_t ff_ssa_span(const ff_ssa_factored_generator *g) {
  return g->parts * g->chunks * FF_SSA_CHUNK + ff_ssa_head_span(g);
}

/* The ranges of a group, of which 1 is enough if the member alone determines the reaction. */
static inline uint32_t ff_ssa_ranges_of(const ff_ssa_factored_generator *g, const ff_ssa_factor_group *group) {
  if (group->kind == FF_GROUP_REST || ff_ssa_is_pool(group)) return group->ranges;
  for (uint32_t k = 0; k < g->f->sums[group->sum].n; k++) {
    const uint32_t *map = g->f->map + group->map + k * group->ranges;
    for (uint32_t u = 1; u < ff_ssa_members_of(g, group->sum)[k].weight && u < group->ranges; u++)
      if (map[u] != map[0]) return group->ranges;
  }
  return 1;
}

/* A search without weights ends at the last position, and in a small sum among the first. */
static inline uint32_t ff_ssa_span_of(const ff_ssa_factored_generator *g, const ff_ssa_factor_group *group) {
  if (group->kind == FF_GROUP_REST) return 1;
  if (ff_ssa_is_small(g, group) && g->head == 0 && !ff_ssa_is_pool(group)) return FF_SSA_CHUNK;
  return FF_SSA_CHUNK * (ff_ssa_is_small(g, group) ? g->chunks : g->parts * g->chunks) + ff_ssa_head_span(g);
}

/* Words of global memory of a thread if there are regions: whole sectors. */
static inline uint32_t ff_ssa_store_of(const ff_ssa_factored_generator *g) {
  return (g->words + g->parts * g->columns + 7) / 8 * 8;
}

/* Where totals begin in a row of changes, in bytes; the cells are before. */
static inline uint32_t ff_ssa_cells_at(const ff_ssa_factored_generator *g) {
  return 4 * g->entries + (g->parts > 1 ? 2 * g->moved : 0);
}

static inline uint32_t ff_ssa_totals_at(const ff_ssa_factored_generator *g) {
  return ff_ssa_cells_at(g) + g->moved * g->cell_bytes;
}

static inline uint32_t ff_ssa_heads_at(const ff_ssa_factored_generator *g) { return 4 * (g->f->n_groups + 1) + g->rate_words; }

/* The most threads of a multiprocessor, by their registers. */
static inline uint32_t ff_ssa_most_threads(const ff_ssa_factored_generator *g) {
  return g->f->n_groups <= FF_SSA_FAN && g->totals + g->loose <= 12 ? 1024 : 512;
}

/* Chooses places, widths and parts; lays out words and data; then also chooses what is in shared memory. ff_ssa_factored_fill()
 * allocates and fills the data. */
void ff_ssa_factored_plan(ff_ssa_factored_generator *g);
void ff_ssa_factored_lay_out(ff_ssa_factored_generator *g);
void ff_ssa_factored_size(ff_ssa_factored_generator *g);
ff_status ff_ssa_factored_fill(ff_ssa_factored_generator *g, ff_error *err);
/* Steps after time 0 in which no number can become too large, from the data. */
uint32_t ff_ssa_factored_safe(const ff_ssa_factored_generator *g);

/* Whether no sum is infinite, and the product of the total and a choice, which is at most 1 - 2^-53, is below the total: it is
 * unless these numbers are subnormal. */
int ff_ssa_factored_is_tame(const ff_ssa_factored_generator *g);

/* Writes s_find() and s_record(), and what ff_ssa_thread_groups.h wants. */
void ff_ssa_factored_put(ff_ssa_factored_generator *g);

/* The parts for many groups: chooses special groups and the width of leaves; whether the total of a sum is in a register;
 * measures what reactions change; fills the initial leaves, the rates and the changes; writes definitions. */
ff_status ff_ssa_many_plan(ff_ssa_factored_generator *g, ff_error *err);
int ff_ssa_many_has_total(const ff_ssa_factored_generator *g, uint32_t sum);
void ff_ssa_many_measure(ff_ssa_factored_generator *g);
ff_status ff_ssa_many_fill(ff_ssa_factored_generator *g, uint32_t *initial, uint32_t *changes, ff_error *err);
void ff_ssa_many_define(ff_ssa_factored_generator *g);

#ifdef __cplusplus
}
#endif

#endif
