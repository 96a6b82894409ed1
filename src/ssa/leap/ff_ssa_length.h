/* How long a leap may be (Cao, Gillespie and Petzold 2006). */
#ifndef FF_SSA_LENGTH_H
#define FF_SSA_LENGTH_H

#include "../path/ff_ssa_path.h"

#define FF_SSA_CRITICAL 10 /* a reaction that can fire fewer times is critical */
#define FF_SSA_LEFT_OUT 2  /* in `critical`: the reaction does not limit the leap */

typedef struct {
  double tolerance;
  double *order;           /* for each species: the largest order of a reaction of mass action that takes it, or 0 */
  uint8_t *twice, *thrice; /* for each species: a reaction takes two or three of it */
  double *drift, *noise;   /* for each species: mean and variance of its change, per time */
  uint8_t *critical;       /* for each reaction; all 0 at first */
  uint8_t *active;         /* for each species: reactions of the leap change it, and others read it */
  uint8_t *follows;        /* for each species: reactions in partial equilibrium pass changes on to it; all 0 between uses */
  double *column;          /* for each species: the derivative of its drift with respect to one count; all 0 between uses */
  double *row, *scaled;    /* for each species: sums of such derivatives, of counts and of relative counts */
} ff_ssa_length;

ff_status ff_ssa_length_new(ff_ssa_length *length, const ff_ssa_program *program, double tolerance, ff_error *err);
void ff_ssa_length_free(ff_ssa_length *length);

/* Marks critical reactions, by the counts and propensities of the path. O(reactions). */
void ff_ssa_length_critical(ff_ssa_length *length, const ff_ssa_path *path);

/* The time in which no propensity is likely to change by more than the tolerance, by reactions that are not critical, and at most
 * twice the tolerance of the time in which the counts relax. An explicit step of length t multiplies a deviation that decays at
 * the rate L by 1 - L t, so it enlarges the variance in equilibrium by 1 / (1 - L t / 2). Species of which `follows` is 1 are
 * those of reactions in partial equilibrium, which are left out but pass changes on. The result may be infinite. O(reactions, and
 * readers of species times changes by reactions). */
double ff_ssa_length_longest(ff_ssa_length *length, ff_ssa_path *path);

#endif
