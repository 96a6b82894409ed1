/* Blocks of one type in a window. Each is integrated alone, with the levels of its neighbours from their waves. */
#ifndef FF_PETRI_BLOCK_H
#define FF_PETRI_BLOCK_H

#include "../lanes/ff_petri_lanes.h"
#include "ff_petri_blocks.h"
#include "ff_petri_wave.h"

/* FF_PETRI_IS_FULL: it needs more room than there is (ff_petri_pace_math.h). */
typedef enum { FF_PETRI_RAN, FF_PETRI_FAILED, FF_PETRI_IS_FULL } ff_petri_outcome;

/* A block. Waves are those of the last two sweeps in which it ran: others read wave[now], and the block writes the other one. */
typedef struct {
  ff_petri_wave wave[2];
  double *guess;            /* of its levels at the start of the window: see ff_petri_wave_guess() */
  size_t state;             /* where its state is */
  double distance, moved;   /* distance: of the two waves. moved: the largest distance of a neighbour since the last run of this
                             * block, NAN if the flows of a neighbour changed otherwise than before */
  uint32_t turn;            /* the sweep of its last run, from 1; 0 if it has not run in this window */
  uint8_t now, differs;     /* differs: flows change otherwise than in the sweep before */
  uint32_t use;             /* of room, in its last run */
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

/* How a trajectory begins: at the time `start`, where `initial` are the places of the net. */
typedef struct {
  const double *initial;
  uint64_t key, unit;
  double start;
} ff_petri_start;

/* Of a block at the start: the sum of its hazards, and how fast its levels follow those of its neighbours
 * (ff_petri_path_coupling()). */
typedef struct {
  double hazards, coupling;
} ff_petri_opened;

/* Opens a block, without a look at others: a path of its type gets the state at the start, and `state` as well, unless it is
 * NULL. The path must then be resumed, or opened again. `room` is for the places of the block, and must outlive this use of the
 * path. O(size of the block + given levels * flows). */
ff_petri_opened ff_petri_block_open(const ff_petri_blocks *blocks, uint32_t block, const ff_petri_start *start,
                                    ff_petri_path *path, double *room, char *state);

/* What a thread needs to run blocks: a path for each type. The caller frees *out with ff_petri_runner_free(), which accepts
 * NULL. O(types). */
typedef struct ff_petri_runner ff_petri_runner;
ff_status ff_petri_runner_new(ff_petri_runner **out, const ff_petri_blocks *blocks, ff_simd simd, ff_error *err);
void ff_petri_runner_free(ff_petri_runner *runner);

/* A trajectory begins. O(types). */
void ff_petri_runner_start(ff_petri_runner *runner, uint64_t key, uint64_t unit, double start);

/* Sets the state of a block at the start, and its guess. `initial` are the places of the net. */
ff_petri_opened ff_petri_runner_open(ff_petri_runner *runner, uint32_t block, const double *initial, char *state, double *guess);

/* Runs n blocks of one type over the window, one after the other. Sets wave[1 - now], `distance`, `differs`, `outcome` and the
 * state at the end of each. Other threads may run other blocks meanwhile. Results do not depend on the order. */
void ff_petri_runner_run(ff_petri_runner *runner, const ff_petri_window *window, const uint32_t *list, uint32_t n);

#endif
