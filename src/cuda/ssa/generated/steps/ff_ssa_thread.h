/* The parts of generated code that do not depend on the network: a thread runs one trajectory after the other, step by step.
 * ff_ssa_generate.c generates the other parts. The same text is compiled for the device (at run time) and for the host (in
 * tests), where a warp has one thread.
 *
 * The generated text that comes before this one defines
 *   S_REACTIONS         the number that stands for no reaction
 *   S_COUNTS            counts that a thread keeps in registers
 *   S_ROWS              words of shared memory of a thread
 *   S_RATES             rate constants
 *   S_PLAIN             1 if every sum of propensities is 0 or from 1e-200 to 1e250
 *   S_KEEP_KEYS         1 if a thread keeps the words of the key in registers
 *   S_DIRECT            1 if it keeps few rate constants in registers, too
 *   S_FIRST             1 for the first reaction method: s_first() takes the place of s_find()
 *   S_MOST              the most that a step adds to a count or row
 *   S_THREADS, S_BLOCKS threads per block, and blocks per multiprocessor for which registers are limited
 *   S_UNROLL            steps in a round of the loop, a power of 2; a launch makes up to S_UNROLL - 1 more than its steps
 *   S_TABLE             words of a table that all threads of a block share
 *   S_STORE             words of global memory of a thread
 *   S_APART             1 if the counts of a network with few groups of reactions are there; see ff_ssa_thread_factored.h
 *   S_FORMULAS          if a rate law is a formula
 *   S_AHEAD             1 if the random numbers of a step are drawn while the one before changes counts, for few threads
 *   S_LOGS              where the second table has ff_exponential_first() for every k from -54 to 0; if it is not defined, the
 *                       shared memory of a block has these
 *   S_GROUPS            and what ff_ssa_thread_factored.h wants, if the code is for groups of reactions
 *   S_POINTS            1 if the ensemble has several points, and then the words of a point: S_POINT_WORDS in all, which are the
 *                       key of each round, and from S_POINT_RATES, S_POINT_NUMBERS, S_POINT_LEAVES and S_POINT_INITIAL on rate
 *                       constants, numbers of formulas, rate constants of leaves, and initial counts
 *   S_MODULES           and what ff_ssa_thread_ring.h wants, if the code is for replicated modules
 *   S_SEARCHED             and what ff_ssa_thread_optimised.h wants, if a thread keeps the propensities and corrects their sum
 *   S_UNTIL             1 if a condition ends trajectories
 *   S_FIRES             1 if the firings are listed, and then
 *   S_REACTION_OF(r)    the number in the program of the reaction that has number r in the code
 *   S_KEPT              and what ff_ssa_thread_kept.h wants and declares, if the network has events, or rates that depend on the
 *                       time
 *   S_CHOICES           and what ff_ssa_thread_find.h wants, if all propensities are computed at each step
 *   S_RECORDED          and what ff_ssa_thread_direct.h wants, if counts are in registers
 * The text that comes after this one defines those of these functions that the headers for its kind do not define:
 *   s_begin(t)              sets counts and rows to those at the start
 *   s_find(t, choice, next) returns the sum of the propensities, and chooses the next reaction, where s_at(choice, sum) is the
 *                           chosen part of it; NaN if a propensity is invalid. If the sum is 0, the reaction is arbitrary
 *   s_first(t, next)        returns the shortest waiting time of a reaction, infinity if none can fire, NaN if a propensity is
 *                           invalid
 *   s_fire(t, next)         changes counts and rows; S_REACTIONS changes nothing
 *   s_record(t, to)         records the counts of the species that are observed
 *   s_most(t)               the largest count or row
 *   s_ends(t)               returns whether the condition holds; only if S_UNTIL, and without a schedule
 */
#ifndef FF_SSA_THREAD_H
#define FF_SSA_THREAD_H

/* Each part uses those before it. */
#include "ff_ssa_thread_state.h"
#include "ff_ssa_thread_draws.h"
#include "ff_ssa_thread_arithmetic.h"
#include "ff_ssa_thread_find.h"
#ifdef S_GROUPS
#include "ff_ssa_thread_factored.h"
#endif
#ifdef S_MODULES
#include "ff_ssa_thread_ring.h"
#endif
#ifdef S_SEARCHED
#include "ff_ssa_thread_optimised.h"
#endif
#ifdef S_RECORDED
#include "ff_ssa_thread_direct.h"
#endif
#include "ff_ssa_thread_steps.h"
#include "ff_ssa_thread_launch.h"

#endif
