/* How long segments may be (ff_petri_path.h), and what a firing makes of a level. gcc, nvcc and NVRTC compile the same text. All
 * calls take O(1). */
#ifndef FF_PETRI_SEGMENT_MATH_H
#define FF_PETRI_SEGMENT_MATH_H

#include "../../base/ff_math.h"

#define FF_PETRI_MOST_DEPTH 30u      /* a part of a profile is halved so many times at most */
#define FF_PETRI_REACH 16.0          /* a segment is at most so many times as long as the last one was */
#define FF_PETRI_FIRST_REACH 0.0625  /* the same for the first one, if anything depends on the time */
#define FF_PETRI_DOUBT 100.0         /* absolute tolerances by which a level may be below 0 */
#define FF_PETRI_MOST_COUNT 0x1p53

/* The reach after a segment of this length that nothing has ended. */
static FF_HD inline double ff_petri_longer_reach(double reach, double length) {
  return reach < FF_PETRI_REACH * length ? FF_PETRI_REACH * length : reach;
}

/* The reach after a segment that was cut to this length. One short segment, as between two crossings at almost the same time,
 * does not make many that follow short. */
static FF_HD inline double ff_petri_shorter_reach(double reach, double length) {
  const double least = reach < ff_math_infinity() ? reach / 4 : 0, most = FF_PETRI_REACH * length;
  return most > least ? most : least;
}

/* Where a segment that begins now ends at the latest; infinity if it need not end. */
static FF_HD inline double ff_petri_end_of_reach(double now, double reach, int timed) {
  const double first = now + (now > FF_PETRI_FIRST_REACH ? now : FF_PETRI_FIRST_REACH);
  double most = now + reach;
  if (timed && first < most) most = first;
  return most > now ? most : ff_math_infinity();
}

/* The sum of a marking and a change. 2^53 + 1 is rounded to 2^53, but must be found to be too many. */
static FF_HD inline double ff_petri_sum_of(double before, double by) {
  const double sum = before + by;
  return by > FF_PETRI_MOST_COUNT - before && !(sum > FF_PETRI_MOST_COUNT) ? FF_PETRI_MOST_COUNT + 2 : sum;
}

/* What a reset makes of a marking, and a marking at the start: never -0, of which 1 / x is below 0. */
static FF_HD inline double ff_petri_reset_to(double marking) { return marking + 0.0; }

/* What a firing makes of a level: errors of levels may bring it below 0, by `doubt` at most. */
static FF_HD inline double ff_petri_mended(double level, double doubt) { return level < 0 && level >= -doubt ? 0 : level; }

/* Whether a place may have this marking. */
static FF_HD inline int ff_petri_is_marking(double x, int continuous) {
  return x >= 0 && x <= FF_PETRI_MOST_COUNT && (continuous || x == (double)(int64_t)x);
}

/* When a group fires, at part s of a segment up to `limit`; not before `since`. */
static FF_HD inline double ff_petri_firing_time(double from, double length, double s, double since, double limit) {
  const double t = from + length * s;
  return t < since ? since : t < limit ? t : limit;
}

/* The part of a segment at time t, from 0 to 1. */
static FF_HD inline double ff_petri_part_at(double t, double from, double length) {
  if (!(t > from)) return 0;
  const double s = (t - from) / length;
  return s < 1 ? s : 1;
}

#endif
