/* Generated code whose pool several threads of this processor share, as warps of a block do. Its text includes this header before
 * all else, and once more at the end. */
#ifndef FF_TESTS_PETRI_SHARING_H
#define FF_TESTS_PETRI_SHARING_H

#define _GNU_SOURCE /* usleep */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define P_HOST_THREADS 3u
#define P_BLOCK_MEETS() meet(t->thread, &t->pool->stops)
#define MOST_MEETINGS 60001u /* of a launch, far more than it needs; an odd number: between the rounds, none looks at `stops` */

static pthread_barrier_t meeting;
static uint32_t meetings;

/* The first thread, which takes what has waited longest, is late each time. */
static inline void meet(uint32_t thread, uint32_t *stops) {
  pthread_barrier_wait(&meeting);
  if (thread > 0u) return;
  usleep(20);
  if (++meetings == MOST_MEETINGS) *stops = 1u;
}

#else

typedef struct {
  p_thread thread;
  uint32_t slot;
} one_of_them;

static void *run_one(void *x) {
  one_of_them *own = x;
  p_run(&own->thread, own->slot, own->slot >= own->thread.run->begun);
  return NULL;
}

/* Runs a launch of a block. Returns whether it ended by itself. */
int p_together(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot);
int p_together(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot) {
  double real[P_REAL_ROWS * P_SLOTS];
  uint32_t word[P_WORD_ROWS * P_SLOTS];
  p_pool pool;
  one_of_them all[P_THREADS];
  pthread_t other[P_THREADS];
  meetings = 0u;
  pthread_barrier_init(&meeting, NULL, P_THREADS);
  for (uint32_t k = 0u; k < P_THREADS; k++) {
    all[k].slot = slot;
    all[k].thread = (p_thread){.run = run, .initial = initial, .table = table, .real = real, .word = word, .pool = &pool,
                               .thread = k};
    if (k > 0u && pthread_create(&other[k], NULL, run_one, &all[k]) != 0) abort();
  }
  run_one(&all[0]);
  for (uint32_t k = 1u; k < P_THREADS; k++) pthread_join(other[k], NULL);
  pthread_barrier_destroy(&meeting);
  return meetings < MOST_MEETINGS;
}

#endif
