/* The parts of the code for the direct method, the first reaction method, optimised_direct and sorting_direct:
 * ff_ssa_generate_direct.c uses ff_ssa_generate_optimised.c, and both use ff_ssa_generate_reaction.c. */
#ifndef FF_SSA_GENERATE_DIRECT_H
#define FF_SSA_GENERATE_DIRECT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "code/ff_ssa_generate.h"
#include "code/ff_ssa_generate_schedule.h"
#include "code/ff_ssa_generate_text.h"

/* The code of a thread that keeps and corrects propensities. */
typedef struct {
  uint32_t search, values; /* propensities that the search reads before it looks whether it has ended; all of them */
  uint32_t order;          /* where the numbers of positions or reactions begin in the table */
  uint32_t blocks;         /* that run on a multiprocessor at the same time */
} ff_ssa_optimised_code;

typedef struct {
  const ff_ssa_program *p;
  const ff_device_request *request;
  ff_ssa_code *code;
  ff_writer out;
  uint32_t *place;       /* for each species: its number among the counts of a thread, or UINT32_MAX; slots come behind them */
  uint32_t *changed;     /* for each count: 1 + its number among those that reactions change, or 0 */
  uint32_t n_changed, words; /* words of the table for a reaction; 0: there is no such table */
  int64_t most;          /* the most that a step adds to a count */
  int checked;           /* whether a propensity may be invalid */
  uint32_t recorded;     /* where the numbers of what is recorded begin in the table */
  int scheduled;
  ff_ssa_schedule_code schedule; /* if the network has events, or rates that depend on the time */
  ff_formula_writer law;
  int keeps;             /* whether a thread keeps the propensities: optimised_direct and sorting_direct */
  ff_ssa_optimised_code optimised; /* if `keeps` */
} ff_ssa_direct_generator;

#define FF_SSA_FEW 7u /* the changes by so many reactions are bytes of two words; those by more are in a table */

/* ---- ff_ssa_generate_reaction.c ---- */

/* Where the changes of reaction 0 are among the eight bytes of two words. */
uint32_t ff_ssa_direct_first_byte(const ff_ssa_direct_generator *g);
/* The number by which the code knows reaction r; for r = n_reactions, that of no reaction, which changes nothing. */
uint32_t ff_ssa_direct_number(const ff_ssa_direct_generator *g, uint32_t r);
/* Writes the macros for the choice among all reactions: how many there are, and these numbers. */
void ff_ssa_direct_define_choices(ff_ssa_direct_generator *g);
/* Writes the macros for lists of firings. They translate numbers by which the code knows reactions to those of the program. */
void ff_ssa_direct_define_firings(ff_ssa_direct_generator *g);
/* Writes the propensity of reaction r, as variable p<r>, from variables x<i> that ff_ssa_direct_write_counts() writes. */
void ff_ssa_direct_write_counts(ff_ssa_direct_generator *g);
void ff_ssa_direct_write_propensity(ff_ssa_direct_generator *g, uint32_t r);
/* Whether every sum of propensities is 0 or a number far from underflow and overflow, whatever the counts are; for mass action of
 * at most two molecules, the rate constants alone tell it. O(reactions). */
int ff_ssa_direct_is_plain(const ff_ssa_direct_generator *g);
int ff_ssa_has_plain_rates(const ff_ssa_program *p);

/* ---- ff_ssa_generate_optimised.c ---- */

/* Appends to the rates, the table and the table in global memory what optimised_direct and sorting_direct read, and chooses the
 * threads for `shared` bytes. FF_EUNSUPPORTED if shared memory has room for too few of them. */
ff_status ff_ssa_optimised_fill(ff_ssa_direct_generator *g, uint32_t shared, ff_error *err);
void ff_ssa_optimised_define(ff_ssa_direct_generator *g);
/* Writes the corrections of a step. */
void ff_ssa_optimised_write(ff_ssa_direct_generator *g);

#ifdef __cplusplus
}
#endif

#endif
