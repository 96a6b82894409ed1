/* The functional model of a Stochastic Simulation Processor: it executes programs, and knows no clock.
 *
 * A processing element (SPE) simulates a trajectory. In each step, its reaction units (RU) execute their instructions on their
 * own copies of populations; the least waiting time wins, and of equal ones that with the lowest tag. The result depends on the
 * network, the arithmetic (below), the key and the number of the trajectory: not on the number of RUs, nor on the compiler's
 * choices.
 *
 * Arithmetic. A propensity is a = c, c x, c (x1 x2) or c (x (x - 1)), where c of the last holds the factor 1/2. A waiting time is
 * L / a, and infinite if a is 0.
 * - 64 bits: all in double. L = ff_exponential() of words 2 (tag % 2) and 2 (tag % 2) + 1 of block tag / 2 of Philox, purpose 1,
 *   at (step, trajectory). These are the trajectories of method "first_reaction" of reaction networks, bit for bit.
 * - 32 bits: all in binary32. Populations are converted first, x (x - 1) is computed as an integer and then rounded. w is word
 *   tag % 4 of block tag / 4, purpose 2, and u = (w + 1/2) 2^-32, which is exact in double. L = -log(u), in double with an error
 *   below 2 units in the last place, then rounded. It is at least 2^-33. The times of steps are added up in double.
 * - 32 bits and chip.logarithm = k > 0: 2 w + 1 = 2^e m with 1 <= m < 2, and cell i = floor((m - 1) 2^k) of 2^k cells.
 *   L = (33 - e) log(2) - log(1 + (i + 1/2) 2^-k), in double from a table of the latter, then rounded. So L is the exact one of
 *   another number from the same cell, and never 0. This is approximate: its bias is what a table by lookup costs.
 * A waiting time beyond the largest number is infinite. A propensity beyond it is a failure.
 *
 * Memory. Each RU of an SPE has its own internal species in its scratchpad, and its own copy of all its external species in the
 * memory. Populations are fetched chip.data ahead, also for the steps to come. An update is committed to the memory in the
 * stream of the next step or a later one, just before the species is read there. Until a population is taken that was read after
 * this, the writeback update unit replaces what was fetched. */
#ifndef FF_SSP_RUN_H
#define FF_SSP_RUN_H

#include "../../ensemble/ff_run.h"
#include "../program/ff_ssp_program.h"

/* ---- code ------------------------------------------------------------------------------------------------------------ */

/* A program in the form in which it is executed. It does not change, so threads can share it. */
typedef struct ff_ssp_code ff_ssp_code;

/* Makes it. The program is borrowed and must outlive the code; of its members, only names, species and the chip are read later.
 * FF_EMODEL if instructions contradict each other; the sentence names the RU and the instruction. It refuses what it cannot
 * execute, but not programs that give wrong results, as ff_ssp_check() does. The caller frees *out with ff_ssp_code_free(),
 * which accepts NULL. O(size of the program + RUs * species). */
ff_status ff_ssp_code_new(ff_ssp_code **out, const ff_ssp_program *program, ff_error *err);
void ff_ssp_code_free(ff_ssp_code *code);

/* ---- processing elements ---------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t step; /* from 0 */
  uint32_t tag;  /* of the reaction that fires at the end of this step */
  double wait;   /* from the step before; infinite if no reaction can fire */
  double time;   /* at which it fires */
} ff_ssp_winner;

/* What fails. */
typedef enum {
  FF_SSP_FINE,
  FF_SSP_BAD_POPULATION, /* item: a species in the network's order; value: its population, below 0 or above 2^32 - 1 */
  FF_SSP_BAD_PROPENSITY  /* item: a reaction; value: infinity */
} ff_ssp_failing;

#define FF_SSP_MOST 0xFFFFFFFFu /* of a species */

typedef struct {
  uint32_t delay; /* steps by which each commit to the memory is later. It changes no result */
  void (*told)(void *of, const ff_ssp_winner *winner); /* NULL, or is told the winner of each step: the trace of a trajectory */
  void *of;
} ff_ssp_spe_options;

typedef struct ff_ssp_spe ff_ssp_spe;

/* Makes an SPE. The code is borrowed; options may be NULL. The caller frees *out with ff_ssp_spe_free(), which accepts NULL.
 * Memory: O(RUs + copies of species + reactions). */
ff_status ff_ssp_spe_new(ff_ssp_spe **out, const ff_ssp_code *code, const ff_ssp_spe_options *options, ff_error *err);
void ff_ssp_spe_free(ff_ssp_spe *spe);

/* Bytes of memory that ff_ssp_spe_new() asks for. O(1). */
uint64_t ff_ssp_spe_bytes(const ff_ssp_code *code);

/* Begins a trajectory at time 0 with these populations: whole numbers from 0 to FF_SSP_MOST in the network's order. NULL: those
 * of the program. O(RUs + copies). */
void ff_ssp_spe_start(ff_ssp_spe *spe, uint64_t key, uint64_t trajectory, const double *initial);

/* Lets the winner fire, if there is one, and executes the next step. Returns 1 if its winner fires at a finite time, and 0 if no
 * reaction can fire any more or the trajectory has failed; then it must not be called again. O(instructions). */
int ff_ssp_spe_step(ff_ssp_spe *spe);

/* The winner of the last step, which has not fired yet. The state before it fires, in the network's order. They belong to the
 * SPE. O(1). */
const ff_ssp_winner *ff_ssp_spe_winner(const ff_ssp_spe *spe);
const double *ff_ssp_spe_state(const ff_ssp_spe *spe);

/* Why the trajectory has failed; failure->what is one of ff_ssp_failing. O(1). */
void ff_ssp_spe_diagnose(const ff_ssp_spe *spe, ff_failure *failure);

/* Describes a failure: FF_ESIZE or FF_EMODEL, with a sentence that names the species or the reaction, the time after `start`, and
 * the trajectory by this number. */
ff_status ff_ssp_describe_failure(const ff_ssp_code *code, const ff_failure *failure, double start, unsigned long long number,
                                  ff_error *out);

/* Checks after a step that all copies of all RUs, with all updates that wait to be committed, equal the state, that no update
 * waits for longer than it may, and that each species that changes has a copy. FF_EINTERNAL; the sentence names the RU and the
 * species. O(RUs + copies + reactions). */
ff_status ff_ssp_spe_drain(const ff_ssp_spe *spe, ff_error *err);

/* ---- ensembles --------------------------------------------------------------------------------------------------------- */

/* The engine. Its models are ff_ssp_code; counts are those of species in the network's order, and reactions that fire are named
 * by their numbers in the network. There is one method, 0. Each thread has an SPE.
 * Options: FF_EARGUMENT if a count at the start is not whole, FF_ESIZE if it is not from 0 to FF_SSP_MOST.
 * Trajectories: FF_ESIZE if a population leaves this range, FF_EMODEL if a propensity is infinite. The message names the species
 * or the reaction, the time, and the trajectory. */
extern const ff_engine ff_ssp_engine;

#endif
