/* Work in pieces. No loop over states runs longer than the caller's turn. A function that takes a turn works until it is
 * finished and returns 1, or until the turn is over and returns 0. If it is called again with the same arguments, it
 * continues where it stopped. That position is kept in a place, never in local variables. The result does not depend on where
 * a turn ended. */
#ifndef FF_EXACT_PIECES_H
#define FF_EXACT_PIECES_H

#include "../base/ff_base.h"

typedef struct {
  double until; /* time on ff_clock() */
  int64_t left; /* operations, of a few nanoseconds each, until the clock is read again */
  /* `grain`: operations between two readings of the clock. `over`: 1 when the turn is over. */
  int64_t grain;
  int over;
} ff_exact_turn;

/* The position in a computation. It must be zeroed at the start, and is zero again when the computation is finished. */
typedef struct {
  uint32_t stage; /* which of several loops */
  uint32_t at;    /* the next item of the current loop */
  double sum[4];  /* partial sums */
} ff_exact_place;

/* A turn of about `seconds`. With 0 it has a few hundred operations, so that tests can stop everywhere. */
ff_exact_turn ff_exact_turn_of(double seconds);
/* Reads the clock. Returns 1 and starts a new grain if there is time left, else 0. */
int ff_exact_turn_renew(ff_exact_turn *turn);

/* Returns 1 if an item that takes `cost` operations may be worked on. The first item of a turn always may. */
static inline int ff_exact_more(ff_exact_turn *turn, uint64_t cost) {
  if (turn->left <= 0 && !ff_exact_turn_renew(turn)) return 0;
  turn->left -= (int64_t)cost;
  return 1;
}

/* The next items *lo .. *hi - 1 of n, one operation each. *lo is a multiple of 4. Returns 0 at the end of the items or of the
 * turn. */
static inline int ff_exact_take(ff_exact_turn *turn, ff_exact_place *place, uint32_t n, uint32_t *lo, uint32_t *hi) {
  if (place->at >= n || (turn->left <= 0 && !ff_exact_turn_renew(turn))) return 0;
  uint32_t most = ((uint32_t)turn->left + 3u) & ~3u;
  *lo = place->at;
  *hi = most < n - *lo ? *lo + most : n;
  turn->left -= (int64_t)(*hi - *lo);
  place->at = *hi;
  return 1;
}

/* Returns 1 if the loop over n items is finished. The place is then at the start of stage `next`. */
static inline int ff_exact_through(ff_exact_place *place, uint32_t n, uint32_t next) {
  if (place->at < n) return 0;
  place->at = 0;
  place->stage = next;
  return 1;
}

/* A scalar product and a 1-norm, in *out when finished. The 1-norm uses Kahan's summation, because a plain sum over a million
 * entries has an error of 1e-13. O(n). */
int ff_exact_dot(double *out, const double *a, const double *b, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);
int ff_exact_norm1(double *out, const double *x, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);

/* Makes x a distribution: entries that are not positive become 0 (corrections may overshoot), and x is divided by its sum.
 * O(n). */
int ff_exact_scale_to_one(double *x, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);

int ff_exact_copy(double *to, const double *from, uint32_t n, ff_exact_place *place, ff_exact_turn *turn);

#endif
