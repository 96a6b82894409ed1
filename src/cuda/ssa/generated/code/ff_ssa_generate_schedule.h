/* The part of generated code for networks with events, or with rates that depend on the time: the text and the table that
 * ff_ssa_thread_schedule.h wants. */
#ifndef FF_SSA_GENERATE_SCHEDULE_H
#define FF_SSA_GENERATE_SCHEDULE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "ff_ssa_generate.h"
#include "ff_ssa_generate_text.h"

#define FF_SSA_NO_NUMBER UINT32_MAX

typedef struct {
  const ff_ssa_program *program;
  const ff_formula **formulas; /* triggers; rates that depend on the time; delays, priorities and values; and `until`, if it is
                                * not NULL */
  uint32_t *rate_of;           /* for each formula of such a rate: its reaction, by its number among these rates */
  uint32_t *timed;             /* for each reaction: this number, or FF_SSA_NO_NUMBER */
  const ff_formula *until;     /* the condition that ends trajectories, or NULL */
  uint32_t n_formulas, n_timed;
  uint32_t by_state, by_both, by_time; /* events, as bits */
  uint32_t due;                        /* events that a thread may have waiting */
  uint32_t *table;
  uint32_t n_table, at_readers, at_reactions; /* of the table */
} ff_ssa_schedule_code;

/* Numbers the formulas. `until` is NULL or a condition that ends trajectories, and must outlive *out. FF_EUNSUPPORTED, with a
 * clause that tells why, if no code is generated for so many. The caller frees the contents with ff_ssa_schedule_code_free(),
 * also after an error. O(size of the program). */
ff_status ff_ssa_schedule_code_new(ff_ssa_schedule_code *out, const ff_ssa_program *program, const ff_formula *until,
                                   ff_error *err);
void ff_ssa_schedule_code_free(ff_ssa_schedule_code *code);

/* Fills the table, which will come behind `before` words. Symbol s of formulas is symbol place[s] of the code, and a thread keeps
 * n_counts counts. O(size of the program). */
ff_status ff_ssa_schedule_code_fill(ff_ssa_schedule_code *code, const uint32_t *place, uint32_t before, uint32_t n_counts,
                                    ff_error *err);

/* Writes the definitions. `before` words of the table come first. */
void ff_ssa_schedule_code_define(const ff_ssa_schedule_code *code, ff_writer *out, uint32_t before, uint32_t n_counts);
/* Words that a slot keeps, and words of the store. O(1). */
uint32_t ff_ssa_schedule_code_kept(const ff_ssa_schedule_code *code, uint32_t n_counts);
uint32_t ff_ssa_schedule_code_store(const ff_ssa_schedule_code *code);
/* Writes the functions. law->place numbers the symbols. */
void ff_ssa_schedule_code_write(const ff_ssa_schedule_code *code, ff_formula_writer *law, uint32_t n_counts);

#ifdef __cplusplus
}
#endif

#endif
