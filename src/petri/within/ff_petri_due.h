/* A heap of times at which numbered things are due, such as transitions with delays. Its entries are (time, number), in arrays
 * of the caller. If times are equal, the smaller number comes first. gcc and nvcc compile the same text.
 *
 * A number is due at one time at most. `heap` has room for n entries, `at` for n numbers, of which ff_petri_due_clear() sets all
 * to FF_PETRI_NOT_DUE. */
#ifndef FF_PETRI_DUE_H
#define FF_PETRI_DUE_H

#include "../../base/ff_math.h"

#define FF_PETRI_NOT_DUE UINT32_MAX

typedef struct {
  double time;
  uint32_t number;
} ff_petri_due_entry;

typedef struct {
  ff_petri_due_entry *heap;
  uint32_t *at; /* where a number stands in the heap */
  uint32_t n;   /* how many are due */
} ff_petri_due;

static FF_HD inline int ff_petri_due_before(ff_petri_due_entry a, ff_petri_due_entry b) {
  return a.time < b.time || (a.time == b.time && a.number < b.number);
}

/* O(numbers). */
static FF_HD inline void ff_petri_due_clear(ff_petri_due *due, uint32_t numbers) {
  due->n = 0;
  for (uint32_t i = 0; i < numbers; i++) due->at[i] = FF_PETRI_NOT_DUE;
}

static FF_HD inline void ff_petri_due_put(ff_petri_due *due, uint32_t place, ff_petri_due_entry entry) {
  due->heap[place] = entry;
  due->at[entry.number] = place;
}

/* Puts an entry into the heap where `place` is free, towards the top and else towards the bottom. O(log n). */
static FF_HD inline void ff_petri_due_sift(ff_petri_due *due, uint32_t place, ff_petri_due_entry entry) {
  while (place > 0 && ff_petri_due_before(entry, due->heap[(place - 1) / 2])) {
    ff_petri_due_put(due, place, due->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  for (uint32_t child = 2 * place + 1; child < due->n; child = 2 * place + 1) {
    if (child + 1 < due->n && ff_petri_due_before(due->heap[child + 1], due->heap[child])) child++;
    if (!ff_petri_due_before(due->heap[child], entry)) break;
    ff_petri_due_put(due, place, due->heap[child]);
    place = child;
  }
  ff_petri_due_put(due, place, entry);
}

static FF_HD inline int ff_petri_due_has(const ff_petri_due *due, uint32_t number) { return due->at[number] != FF_PETRI_NOT_DUE; }

/* The time at which a number is due, which it must be. O(1). */
static FF_HD inline double ff_petri_due_time(const ff_petri_due *due, uint32_t number) { return due->heap[due->at[number]].time; }

/* The earliest time, or infinity. O(1). */
static FF_HD inline double ff_petri_due_next(const ff_petri_due *due) {
  return due->n > 0 ? due->heap[0].time : ff_math_infinity();
}

/* The number becomes due at this time, instead of any other. The time must not be NaN. O(log n). */
static FF_HD inline void ff_petri_due_set(ff_petri_due *due, uint32_t number, double time) {
  ff_petri_due_entry entry;
  entry.time = time;
  entry.number = number;
  ff_petri_due_sift(due, ff_petri_due_has(due, number) ? due->at[number] : due->n++, entry);
}

/* The number is no longer due. O(log n). */
static FF_HD inline void ff_petri_due_cancel(ff_petri_due *due, uint32_t number) {
  if (!ff_petri_due_has(due, number)) return;
  const uint32_t place = due->at[number];
  const ff_petri_due_entry last = due->heap[--due->n];
  due->at[number] = FF_PETRI_NOT_DUE;
  if (place < due->n) ff_petri_due_sift(due, place, last);
}

/* A transition with a delay: its clock starts when it becomes enabled, runs while it is, and is lost when it is not. O(log n).
 * */
static FF_HD inline void ff_petri_due_enable(ff_petri_due *due, uint32_t number, int enabled, double now, double delay) {
  if (!enabled)
    ff_petri_due_cancel(due, number);
  else if (!ff_petri_due_has(due, number))
    ff_petri_due_set(due, number, now + delay);
}

/* Takes out what is due at this time or before, into numbers[] in ascending order of (time, number). Returns how many these are.
 * If the time is ff_petri_due_next(), all of them are due at the same time. O(taken * log n). */
static FF_HD inline uint32_t ff_petri_due_take(ff_petri_due *due, double time, uint32_t *numbers) {
  uint32_t taken = 0;
  while (due->n > 0 && due->heap[0].time <= time) {
    numbers[taken] = due->heap[0].number;
    ff_petri_due_cancel(due, numbers[taken++]);
  }
  return taken;
}

#endif
