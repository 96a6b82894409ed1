/* The next reaction method (Gibson and Bruck 2000). Each reaction has a Poisson process of its own, whose clock runs at the speed
 * of its propensity (Anderson 2007). So each firing takes one exponential number, at the address of reaction and firing. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../path/ff_ssa_draws.h"
#include "ff_ssa_finders.h"

/* Waiting times in a binary heap. */
typedef struct {
  double *when;    /* for each reaction: the time of its next firing, or infinity */
  double *left;    /* for each reaction: what remains of its exponential number: the waiting time times the propensity */
  double *since;   /* the time for which `left` holds */
  uint64_t *fired; /* the number of firings */
  uint32_t *heap, *place;
} queue;

static void drop_queue(ff_ssa_path *path) {
  queue *q = path->own;
  if (q == NULL) return;
  free(q->when);
  free(q->left);
  free(q->since);
  free(q->fired);
  free(q->heap);
  free(q->place);
  free(q);
}

static ff_status make_queue(ff_ssa_path *path, ff_error *err) {
  const uint32_t n = path->program->n_reactions;
  if (n > FF_PHILOX_MAX_BLOCKS) return ff_error_set(err, FF_ESIZE, "%u reactions are more than this method can number", n);
  queue *q = path->own = ff_calloc(1, sizeof *q);
  if (q == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for waiting times");
  q->when = ff_calloc(n, sizeof *q->when);
  q->left = ff_calloc(n, sizeof *q->left);
  q->since = ff_calloc(n, sizeof *q->since);
  q->fired = ff_calloc(n, sizeof *q->fired);
  q->heap = ff_calloc(n, sizeof *q->heap);
  q->place = ff_calloc(n, sizeof *q->place);
  if (q->when && q->left && q->since && q->fired && q->heap && q->place) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for the waiting times of %u reactions", n);
}

/* Equal times are ordered by reaction, so that the heap's history does not matter. */
static int before(const queue *q, uint32_t a, uint32_t b) {
  return q->when[a] < q->when[b] || (q->when[a] == q->when[b] && a < b);
}

static void put(queue *q, uint32_t at, uint32_t r) {
  q->heap[at] = r;
  q->place[r] = at;
}

static void sift_up(queue *q, uint32_t at) {
  uint32_t r = q->heap[at];
  while (at > 0 && before(q, r, q->heap[(at - 1) / 2])) {
    put(q, at, q->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  put(q, at, r);
}

static void sift_down(queue *q, uint32_t at, uint32_t n) {
  uint32_t r = q->heap[at];
  for (;;) {
    uint64_t child = 2 * (uint64_t)at + 1;
    if (child >= n) break;
    if (child + 1 < n && before(q, q->heap[child + 1], q->heap[child])) child++;
    if (!before(q, q->heap[child], r)) break;
    put(q, at, q->heap[child]);
    at = (uint32_t)child;
  }
  put(q, at, r);
}

static void draw_next(ff_ssa_path *path, uint32_t r) {
  queue *q = path->own;
  ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_FIRING, r, q->fired[r], path->unit), path->key);
  q->left[r] = ff_exponential(words.v[0], words.v[1]);
  q->since[r] = path->time;
}

static void set_time(ff_ssa_path *path, uint32_t r) {
  double a = path->propensity[r];
  queue *q = path->own;
  if (FF_RARELY(a == INFINITY)) ff_ssa_path_fail(path, FF_SSA_BAD_RATE, r, a);
  q->when[r] = a > 0 ? q->since[r] + q->left[r] / a : INFINITY;
}

static void take_first(ff_ssa_path *path) {
  const queue *q = path->own;
  uint32_t n = path->program->n_reactions;
  path->next = n > 0 ? q->heap[0] : 0;
  path->next_time = n > 0 ? q->when[path->next] : INFINITY;
}

static void begin(ff_ssa_path *path) {
  queue *q = path->own;
  uint32_t n = path->program->n_reactions;
  ff_ssa_path_compute(path);
  for (uint32_t r = 0; r < n; r++) {
    q->fired[r] = path->step == 0 ? 0 : q->fired[r] + 1; /* no draw is used twice */
    draw_next(path, r);
    set_time(path, r);
    put(q, r, r);
  }
  for (uint32_t at = n / 2; at-- > 0;) sift_down(q, at, n);
  take_first(path);
}

static void move(ff_ssa_path *path, uint32_t r) {
  queue *q = path->own;
  set_time(path, r);
  sift_up(q, q->place[r]);
  sift_down(q, q->place[r], path->program->n_reactions);
}

static void go_on(ff_ssa_path *path) {
  queue *q = path->own;
  uint32_t fired = path->next;
  size_t n;
  const uint32_t *dependents = ff_ssa_path_dependents(path, &n);
  for (size_t i = 0; i < n; i++) {
    uint32_t r = dependents[i];
    if (r == fired) continue;
    double old = path->propensity[r], now = ff_ssa_path_propensity(path, r);
    if (now == old) continue;
    const double left = q->left[r] - old * (path->time - q->since[r]);
    if (old > 0) q->left[r] = left > 0 ? left : 0;
    q->since[r] = path->time;
    path->propensity[r] = now;
    move(path, r);
  }
  path->propensity[fired] = ff_ssa_path_propensity(path, fired);
  q->fired[fired]++;
  draw_next(path, fired);
  move(path, fired);
  take_first(path);
}

const ff_ssa_finder ff_ssa_finder_next = {make_queue, drop_queue, begin, go_on};
