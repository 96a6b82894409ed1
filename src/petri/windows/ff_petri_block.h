/* Blocks of one type in a window. Each is integrated alone, with the levels of its neighbours from their waves. */
#ifndef FF_PETRI_BLOCK_H
#define FF_PETRI_BLOCK_H

#include "../lanes/ff_petri_lanes.h"
#include "ff_petri_blocks.h"
#include "ff_petri_wave.h"

#define FF_PETRI_MOST_IN_WINDOW 4096u /* times in a window at which a block has firings and crossings, or its segments end */

typedef enum { FF_PETRI_RAN, FF_PETRI_FAILED, FF_PETRI_TOO_MANY } ff_petri_outcome;

/* A block. Waves are those of the last two sweeps in which it ran: others read wave[now], and the block writes the other one. */
typedef struct {
  ff_petri_wave wave[2];
  double *guess;            /* of its levels at the start of the window: see ff_petri_wave_guess() */
  size_t state;             /* where its state is */
  double distance, moved;   /* distance: of the two waves. moved: the largest distance of a neighbour since the last run of this
                             * block, NAN if the flows of a neighbour changed otherwise than before */
  uint32_t turn;            /* the sweep of its last run, from 1; 0 if it has not run in this window */
  uint8_t now, differs;     /* differs: flows change otherwise than in the sweep before */
  ff_petri_outcome outcome; /* of its last run, */
  ff_failure failure;       /* and why it failed, with numbers of the net */
} ff_petri_block;

/* A window, with the states of blocks at its start and at its end. Nothing else changes while blocks run. */
typedef struct {
  const ff_petri_blocks *blocks;
  ff_petri_block *block;
  double from, to;
  uint32_t *n_kinks; /* of wave[now] of each block */
  const char *start;
  char *end;
} ff_petri_window;

/* What a thread needs to run blocks: a path for each type. The caller frees *out with ff_petri_runner_free(), which accepts
 * NULL. O(types). */
typedef struct ff_petri_runner ff_petri_runner;
ff_status ff_petri_runner_new(ff_petri_runner **out, const ff_petri_blocks *blocks, ff_simd simd, ff_error *err);
void ff_petri_runner_free(ff_petri_runner *runner);

/* A trajectory begins. O(types). */
void ff_petri_runner_start(ff_petri_runner *runner, uint64_t key, uint64_t unit, double start);

/* Sets the state of a block at the start, and its guess. `initial` are the places of the net. Returns the sum of the block's
 * hazards. O(size of the block). */
double ff_petri_runner_open(ff_petri_runner *runner, uint32_t block, const double *initial, char *state, double *guess);

/* How fast a block's levels follow those of its neighbours at the start of a window, when waves are guesses. This is the largest
 * sum of the derivatives of a slope by given levels, computed as differences. -1 if there is no memory. O(given levels *
 * flows). */
double ff_petri_runner_coupling(ff_petri_runner *runner, const ff_petri_window *window, uint32_t block);

/* Runs n blocks of one type over the window, one after the other. Sets wave[1 - now], `distance`, `differs`, `outcome` and the
 * state at the end of each. Other threads may run other blocks meanwhile. Results do not depend on the order. */
void ff_petri_runner_run(ff_petri_runner *runner, const ff_petri_window *window, const uint32_t *list, uint32_t n);

#endif
