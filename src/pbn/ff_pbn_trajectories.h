/* Trajectories of a Boolean network whose states are kept. Tile i of 1,024 trajectories is number i of the ensemble, and as many
 * tiles as threads run at the same time. The states depend only on the program, the key and the start. */
#ifndef FF_PBN_TRAJECTORIES_H
#define FF_PBN_TRAJECTORIES_H

#include "ff_pbn_engine.h"

/* The arrays are borrowed. */
typedef struct {
  uint64_t n;     /* number of trajectories, at least 1 */
  uint64_t steps; /* of each trajectory */
  uint64_t every; /* states at the steps 0, every, 2 * every, ... are kept; at least 1 */
  uint64_t key;
  const int *initial; /* NULL, or `rows` values of the first node, of the second, and so on, for the start: 0, 1, or else the
                       * network's own value. Trajectory i has those of row i % rows. */
  uint64_t rows;
  int *const *columns; /* for each node, room for n * (steps / every + 1) values, first by trajectory */
  int threads;         /* at least 1; more than 256 are not used */
  ff_simd simd;
} ff_pbn_trajectories_options;

typedef struct ff_pbn_trajectories ff_pbn_trajectories;

/* The program is borrowed. FF_EARGUMENT if there are no trajectories or threads. The caller frees *out with
 * ff_pbn_trajectories_free(), which accepts NULL. Memory: a tile for each thread. */
ff_status ff_pbn_trajectories_new(ff_pbn_trajectories **out, const ff_pbn_program *program,
                                  const ff_pbn_trajectories_options *options,
                              ff_error *err);
void ff_pbn_trajectories_free(ff_pbn_trajectories *trajectories);

/* Works for about `seconds`, however short, and returns 1 when all states are kept. O(nodes * 1,024) to begin a tile, which is
 * not divided. */
int ff_pbn_trajectories_advance(ff_pbn_trajectories *trajectories, double seconds);

#endif
