/* A trajectory by windows (waveform relaxation). Blocks are integrated one by one over a window, with the levels of their
 * neighbours as they were found last. A sweep runs the blocks of one colour, and the next sweep those of the other. Sweeps are
 * repeated, for blocks whose neighbours have changed, until flows change by the same firings and levels settle. If they do not
 * settle, the window is halved.
 *
 * A change of size d leaves errors of about d c / (1 - c), if each sweep makes changes c times as large. Blocks count as settled
 * when this error is at most the part FF_PETRI_SETTLED of the tolerance. c is measured in blocks whose flows change as in the
 * run before. It is the sum of all changes over the sum of the largest changes of neighbours before.
 *
 * The length of windows keeps c near FF_PETRI_CONTRACTION, times a factor that follows the fourth root of the tolerance. The
 * reason: steps end where flows change in the same block, in its neighbours, and in theirs. What happens three blocks away makes
 * errors of the size c^4 within a step, which estimates of errors may not see. So if c turns out to be much larger, the window
 * is tried again, shorter.
 *
 * Draws are addressed by the groups of the net. So the path is the same function of them as that of ff_petri_path.h, except for
 * choices among immediate transitions and orders of simultaneous ones. What happens depends neither on the number of threads nor
 * on the times at which states are shown. */
#ifndef FF_PETRI_WINDOWS_H
#define FF_PETRI_WINDOWS_H

#include "ff_petri_block.h"
#include "ff_petri_pace_math.h"

typedef struct ff_petri_windows ff_petri_windows;

/* `blocks` are borrowed. `threads` threads run blocks at a time. With `follows`, each firing is a step. Otherwise the firings
 * of a window are counted when a state after them is shown, or when the window ends. The caller frees *out with
 * ff_petri_windows_free(), which accepts NULL. O(types). */
ff_status ff_petri_windows_new(ff_petri_windows **out, const ff_petri_blocks *blocks, int threads, ff_simd simd, int follows,
                               ff_error *err);
void ff_petri_windows_free(ff_petri_windows *windows);

/* A trajectory begins: the next step makes the state at the start. `initial` is read then. O(1). */
void ff_petri_windows_start(ff_petri_windows *windows, uint64_t key, uint64_t unit, const double *initial, double start);

/* What is about to happen; times are those since the start. */
typedef struct {
  double now, next_time; /* of the last step and of the next one: a firing, or the end of a window */
  uint32_t next;         /* the transition that fires then */
  uint64_t firings;      /* so far */
  ff_failure failure;
} ff_petri_windows_state;

ff_petri_windows_state *ff_petri_windows_now(ff_petri_windows *windows);

/* Makes the next step. Returns 0 if it has stopped within the step, because this takes long. Then it must be called again before
 * any other function. */
int ff_petri_windows_step(ff_petri_windows *windows);

/* Sets count[k * stride] to the marking of place k at time t, which is from `now` on, before next_time, and not before a time
 * that was shown. O(places). */
void ff_petri_windows_show(ff_petri_windows *windows, double t, double *count, size_t stride);

#endif
