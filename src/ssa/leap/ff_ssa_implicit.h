/* Implicit leaps for stiff networks (Rathinam, Petzold, Cao and Gillespie 2003; Cao, Gillespie and Petzold 2007). */
#ifndef FF_SSA_IMPLICIT_H
#define FF_SSA_IMPLICIT_H

#include "ff_ssa_balance.h"

#define FF_SSA_IMPLICIT_MOST 256 /* species: a leap solves a dense system of linear equations several times */

typedef struct ff_ssa_implicit ff_ssa_implicit;

/* FF_EUNSUPPORTED if there are more species than FF_SSA_IMPLICIT_MOST that reactions change and propensities read. O(species). */
ff_status ff_ssa_implicit_check(const ff_ssa_program *program, ff_error *err);

/* What a leap costs, where 1 is the cost of a propensity. O(species). */
double ff_ssa_implicit_cost(const ff_ssa_program *program);

/* Finds the reactions that reverse each other. The caller frees *out with ff_ssa_implicit_free(), which accepts NULL. O(reactions
 * log reactions, and the square of the number of these species). */
ff_status ff_ssa_implicit_new(ff_ssa_implicit **out, const ff_ssa_program *program, ff_error *err);
void ff_ssa_implicit_free(ff_ssa_implicit *implicit);

/* A trajectory begins. */
void ff_ssa_implicit_start(ff_ssa_implicit *implicit);

/* Sets rate[r] for each reaction r that is not in partial equilibrium: to its propensity when the others have relaxed for a leap
 * of length tau. They are those of the last call of ff_ssa_implicit_longest(). Returns 0 if the equations were not solved.
 * O(iterations * (cube of the number of species + formulas)). */
int ff_ssa_implicit_relax(ff_ssa_implicit *implicit, ff_ssa_path *path, double tau, double *rate);

/* How long a leap may be, if `shorter` is the longest explicit one: as ff_ssa_balance_longest(). */
double ff_ssa_implicit_longest(ff_ssa_implicit *implicit, ff_ssa_length *length, ff_ssa_path *path, double shorter);

/* Whether reaction r was in partial equilibrium at the last call of ff_ssa_implicit_longest(). */
int ff_ssa_implicit_balanced(const ff_ssa_implicit *implicit, uint32_t r);

/* Replaces the numbers `fired` of a leap of length tau, Poisson numbers with the means tau * rate, by the solution of the
 * equations. Returns 0 if the equations were not solved. O(iterations * (cube of the number of species + formulas)). */
int ff_ssa_implicit_solve(ff_ssa_implicit *implicit, const ff_ssa_length *length, ff_ssa_path *path, const double *rate,
                          double tau, double *fired);

/* Replaces the Poisson numbers of reactions in partial equilibrium in a leap by whole numbers that follow from the equations, and
 * sets those of the other reactions. Fast species fluctuate. `address` is that of the leap's draws. */
int ff_ssa_implicit_leap(ff_ssa_implicit *implicit, const ff_ssa_length *length, ff_ssa_path *path, const double *rate,
                         uint64_t address, double tau, double *fired);

/* Sets the firings in the first `part` of a leap of length tau of the reactions in partial equilibrium. Those of the other
 * reactions are known. Returns 0 if the equations were not solved. The state at a time does not depend on the other times. */
int ff_ssa_implicit_settle(ff_ssa_implicit *implicit, ff_ssa_path *path, uint64_t address, double tau, double part,
                           double *fired);

#endif
