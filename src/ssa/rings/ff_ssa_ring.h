/* Replicated modules of a reaction network: m copies of one module in a ring, whose reactions are the same for all of them. The
 * factored method then needs no table for each reaction, only one for each kind of reaction.
 *
 * A kind of reactions has one reaction for each module. The propensity of the reaction in module j is rate * A * its share of F,
 * where A is the count of a hub in module j, or 1. Kinds with the same hub, whose rates are whole multiples of one rate, are one
 * term. The propensity of a term is rate * Q. The whole number Q is the sum of Q_j = A * F over the modules, and
 *
 *   F = the sum over the kinds of the term of weight * (count of a species in module j + offset) - less.
 *
 * The next step of a trajectory is defined by whole numbers, so it does not depend on how they are kept:
 * - Terms are the leaves of the tree of sums, as the groups of ff_ssa_factor.h. The total of a term is (double)Q * rate, where
 *   (double)Q is rounded to the nearest double, ties to even. `share` is what is left of the choice of a term.
 * - v = (whole number)(share * (double)Q), and at most Q - 1.
 * - The step is in module j, the first one whose cumulative sum Q_0 + ... + Q_j exceeds v. u = v - Q_0 - ... - Q_(j - 1).
 * - Its kind is the first one, in the order of the kinds, for which A * (the cumulative sum of weight * count) exceeds u. If
 *   `less` is 1, the term has one kind. */
#ifndef FF_SSA_RING_H
#define FF_SSA_RING_H

#include "../program/ff_ssa_program.h"

#define FF_RING_LEAST 8u    /* networks of fewer modules are simulated as others */
#define FF_RING_MOST 2048u
#define FF_RING_SPECIES 8u  /* the most of a module */
#define FF_RING_KINDS 31u
#define FF_RING_TERMS 8u
#define FF_RING_MEMBERS 8u  /* the most kinds of a term */
#define FF_RING_OFFSET 4    /* the most in each direction */
#define FF_RING_EFFECTS 24u /* the most Q_j that steps in one module change, whatever their kinds */
#define FF_RING_CHANGES 8u  /* the most species that a reaction changes */
#define FF_RING_BY 64       /* the most that a reaction adds to a count, or takes from it */
#define FF_RING_ONE UINT32_MAX /* instead of a species: a count that is always 1 */

/* The reaction in module j adds `by` to species `species` of module (j + offset) mod n. */
typedef struct {
  uint32_t species; /* of a module: less than n_species */
  int32_t offset;   /* from -FF_RING_OFFSET to FF_RING_OFFSET */
  int32_t by;       /* not 0 */
} ff_ssa_ring_change;

/* A kind of reactions, which is a member of the sum F of its term. */
typedef struct {
  uint32_t term;
  uint32_t species; /* FF_RING_ONE for reactions without reactants: their offset is 0 */
  int32_t offset;
  uint32_t weight;  /* from 1 to FF_FACTOR_MULTIPLE */
  uint32_t n_changes;
  ff_ssa_ring_change changes[FF_RING_CHANGES]; /* in ascending order of species, then of offset */
} ff_ssa_ring_kind;

typedef struct {
  double rate;       /* above 0 */
  uint32_t hub;      /* a species; FF_RING_ONE if A is 1 */
  uint32_t less;     /* 1 for pairs of molecules of one species: F is the hub's count - 1. Else 0 */
  uint32_t first, n; /* a range of `kinds` */
} ff_ssa_ring_term;

typedef struct ff_ssa_ring {
  uint32_t n, n_species;      /* modules, and species of each */
  uint32_t n_terms, n_kinds;  /* reactions with the rate 0 are of no kind, and never happen */
  ff_ssa_ring_term terms[FF_RING_TERMS]; /* in the order of their first reactions */
  ff_ssa_ring_kind kinds[FF_RING_KINDS]; /* by term, then in the order of their first reactions */
  uint32_t *species;          /* species[j * n_species + k]: the number of species k of module j in the program */
  uint32_t *reaction;         /* reaction[q * n + j]: that of kind q in module j */
} ff_ssa_ring;

/* Finds the modules of a program whose propensities, changes and events are complete, if there are at least so many of them (at
 * least 1). *out becomes NULL if there are none. The species k of module j must have the number j * n_species + k, or
 * k * n + j; the smallest number of species is chosen. The caller frees *out with ff_ssa_ring_free(), which accepts NULL.
 * O(reactions * kinds). */
ff_status ff_ssa_ring_new(ff_ssa_ring **out, const ff_ssa_program *program, uint32_t least, ff_error *err);
void ff_ssa_ring_free(ff_ssa_ring *ring);

/* The module at an offset from module j. */
static inline uint32_t ff_ssa_ring_at(const ff_ssa_ring *m, uint32_t j, int32_t offset) {
  int64_t at = (int64_t)j + offset;
  while (at < 0) at += m->n;
  while (at >= m->n) at -= m->n;
  return (uint32_t)at;
}

#endif
