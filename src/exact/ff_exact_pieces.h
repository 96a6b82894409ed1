/* Work in pieces. No loop over states runs longer than the caller's turn: a function that takes a turn works until it is
 * through and returns 1, or until the turn is over and returns 0; called again with the same arguments it goes on where it
 * stood. Where that is stands in a place, never in locals, and what is computed does not depend on where a turn ended. */
#ifndef FF_EXACT_PIECES_H
#define FF_EXACT_PIECES_H

#include "../base/ff_base.h"

typedef struct {
  double until; /* on ff_clock() */
  int64_t left; /* operations, of some nanoseconds each, until the clock is looked at */
  int64_t grain;
  int over;
} ff_exact_turn;

/* All 0 to begin with, and again when what it belongs to is through. */
typedef struct {
  uint32_t stage; /* of several loops */
  uint32_t at;    /* the next item of the loop at hand */
  double sum[4];  /* what a sum has come to */
} ff_exact_place;

/* A turn of about `seconds`; with 0 of a few hundred operations, so that tests can stop everywhere. */
ff_exact_turn ff_exact_turn_of(double seconds);
/* Looks at the clock: 1 and a new grain, or 0. */
int ff_exact_turn_renew(ff_exact_turn *turn);

/* May an item that takes `cost` operations be worked on? The first of a turn always may. */
static inline int ff_exact_more(ff_exact_turn *turn, uint64_t cost) {
  if (turn->left <= 0 && !ff_exact_turn_renew(turn)) return 0;
  turn->left -= (int64_t)cost;
  return 1;
}

/* The next items *lo .. *hi - 1 of n, one operation each; *lo is a multiple of 4. 0 at the end, or of the turn. */
static inline int ff_exact_take(ff_exact_turn *turn, ff_exact_place *place, uint32_t n, uint32_t *lo, uint32_t *hi) {
  if (place->at >= n || (turn->left <= 0 && !ff_exact_turn_renew(turn))) return 0;
  uint32_t most = ((uint32_t)turn->left + 3u) & ~3u;
  *lo = place->at;
  *hi = most < n - *lo ? *lo + most : n;
  turn->left -= (int64_t)(*hi - *lo);
  place->at = *hi;
  return 1;
}

/* 1 where the loop over n items is through: the place is then at the start of stage `next`. */
static inline int ff_exact_through(ff_exact_place *place, uint32_t n, uint32_t next) {
  if (place->at < n) return 0;
  place->at = 0;
  place->stage = next;
  return 1;
}

/* Sums that end in *out. The 1-norm is a sum of Kahan's: over a million states a plain one is off by 1e-13. */
int ff_exact_dot(double *out, const double *a, const double *b, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);
int ff_exact_norm1(double *out, const double *x, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);

/* Makes x a distribution: what is not positive becomes 0 (corrections may overshoot). */
int ff_exact_scale_to_one(double *x, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);

int ff_exact_copy(double *to, const double *from, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);

#endif
