/* What the parts of the generator for the factored method share: plans of sums and groups. */
#ifndef FF_SSA_GENERATE_FACTORED_H
#define FF_SSA_GENERATE_FACTORED_H

#ifdef __cplusplus
extern "C" {
#endif

#include "ff_ssa_generate.h"
#include "ff_ssa_generate_text.h"

#define FF_SSA_PLACE_NONE UINT32_MAX
#define FF_SSA_PLACE_REGISTER 0x80000000u /* a place in registers */
#define FF_SSA_CHUNK 8u
#define FF_SSA_FEW_GROUPS 32u /* so many values are in registers; for more, sums are kept */
#define FF_SSA_MOST_SPECIAL 16u

/* A sum: its number among the totals or NONE; its number among those with cells or NONE; where its chunks begin. */
typedef struct {
  uint32_t total, cell, small, first, weights;
} ff_ssa_factored_sum;

typedef struct {
  const ff_ssa_program *p;
  const ff_ssa_factor *f;
  const ff_ssa_device_request *request;
  ff_ssa_code *code;
  ff_writer out;
  ff_ssa_law_text law;
  uint32_t *place;    /* of the count of each species, and of the one of which there is always one; NONE: nobody reads it */
  ff_ssa_factored_sum *sums;
  uint32_t members, counts, loose; /* counts of members; all that are words; those in registers */
  uint32_t totals, large, smalls;
  uint32_t chunks, parts, words, columns, all; /* words of counts, of the cells of a part, and in all */
  uint32_t moved, entries, cell_bytes, change; /* of a reaction */
  uint32_t n_weights, n_map, units;
  uint32_t initial_at, weights_at, maps_at, changes_at, n_data;
  int wide, cell16, checked;
  double most, most16; /* that an event adds; to a number of 16 bits */
  uint32_t check;     /* events between two checks */

  /* For many groups: see ff_ssa_thread_groups.h */
  int many, leaf_wide, one_rate, twins, looped;
  uint32_t special[FF_SSA_MOST_SPECIAL], n_special;
  uint32_t leaf_words, rate_words;
  uint32_t halves, n_sums, uppers; /* halves of nodes; sums that are kept, and those of nodes of nodes */
  uint32_t more, fixed; /* of a change: where its part for groups begins, and words that are read at once */
  uint32_t leaf_entries, halves_changed, uppers_changed; /* of a reaction */
} ff_ssa_factored_generator;

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
