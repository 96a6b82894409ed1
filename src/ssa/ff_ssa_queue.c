/* The next reaction method (Gibson and Bruck 2000). Each reaction has a Poisson process of its own, whose clock runs at the speed
 * of its propensity (Anderson 2007). So each firing takes one exponential number, at the address of reaction and firing. */
#include "ff_ssa_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_draws.h"

ff_status ff_ssa_queue_new(ff_ssa_queue *queue, uint32_t n, ff_error *err) {
  if (n > FF_PHILOX_MAX_BLOCKS) return ff_error_set(err, FF_ESIZE, "%u reactions are more than this method can number", n);
  queue->when = ff_calloc(n, sizeof *queue->when);
  queue->left = ff_calloc(n, sizeof *queue->left);
  queue->since = ff_calloc(n, sizeof *queue->since);
  queue->fired = ff_calloc(n, sizeof *queue->fired);
  queue->heap = ff_calloc(n, sizeof *queue->heap);
  queue->place = ff_calloc(n, sizeof *queue->place);
  if (queue->when && queue->left && queue->since && queue->fired && queue->heap && queue->place) return FF_OK;
  ff_ssa_queue_free(queue);
  return ff_error_set(err, FF_EMEMORY, "no memory for the waiting times of %u reactions", n);
}

void ff_ssa_queue_free(ff_ssa_queue *queue) {
  free(queue->when);
  free(queue->left);
  free(queue->since);
  free(queue->fired);
  free(queue->heap);
  free(queue->place);
  memset(queue, 0, sizeof *queue);
}

/* Equal times are ordered by reaction, so that the heap's history does not matter. */
static int before(const ff_ssa_queue *q, uint32_t a, uint32_t b) {
  return q->when[a] < q->when[b] || (q->when[a] == q->when[b] && a < b);
}

static void put(ff_ssa_queue *q, uint32_t at, uint32_t r) {
  q->heap[at] = r;
  q->place[r] = at;
}

static void sift_up(ff_ssa_queue *q, uint32_t at) {
  uint32_t r = q->heap[at];
  while (at > 0 && before(q, r, q->heap[(at - 1) / 2])) {
    put(q, at, q->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  put(q, at, r);
}

static void sift_down(ff_ssa_queue *q, uint32_t at, uint32_t n) {
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
  ff_ssa_queue *q = &path->queue;
  ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_FIRING, r, q->fired[r], path->unit), path->key);
  q->left[r] = ff_ssa_exponential(words.v[0], words.v[1]);
  q->since[r] = path->time;
}

static void set_time(ff_ssa_path *path, uint32_t r) {
  double a = path->propensity[r];
  if (FF_RARELY(a == INFINITY) && path->state == FF_SSA_FINE) {
    path->state = FF_SSA_BAD_RATE;
    path->bad = r;
    path->bad_value = a;
  }
  path->queue.when[r] = a > 0 ? path->queue.since[r] + path->queue.left[r] / a : INFINITY;
}

static void take_first(ff_ssa_path *path) {
  const ff_ssa_queue *q = &path->queue;
  uint32_t n = path->program->n_reactions;
  path->next = n > 0 ? q->heap[0] : 0;
  path->next_time = n > 0 ? q->when[path->next] : INFINITY;
}

void ff_ssa_queue_start(ff_ssa_path *path) {
  ff_ssa_queue *q = &path->queue;
  uint32_t n = path->program->n_reactions;
  for (uint32_t r = 0; r < n; r++) {
    q->fired[r] = 0;
    draw_next(path, r);
    set_time(path, r);
    put(q, r, r);
  }
  for (uint32_t at = n / 2; at-- > 0;) sift_down(q, at, n);
  take_first(path);
}

static void move(ff_ssa_path *path, uint32_t r) {
  set_time(path, r);
  sift_up(&path->queue, path->queue.place[r]);
  sift_down(&path->queue, path->queue.place[r], path->program->n_reactions);
}

void ff_ssa_queue_step(ff_ssa_path *path) {
  ff_ssa_queue *q = &path->queue;
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
