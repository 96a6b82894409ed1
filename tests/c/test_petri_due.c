/* Times at which transitions are due: the heap against a list that is searched. */
#include "../../src/petri/within/ff_petri_due.h"
#include "check.h"
#include "random.h"

enum { NUMBERS = 40 };

typedef struct {
  ff_petri_due_entry heap[NUMBERS];
  uint32_t at[NUMBERS];
  ff_petri_due due;
  double time[NUMBERS]; /* the list: when each number is due, or -1 */
} both;

static void set_up(both *b, uint32_t numbers) {
  b->due = (ff_petri_due){b->heap, b->at, 0};
  ff_petri_due_clear(&b->due, numbers);
  for (uint32_t i = 0; i < NUMBERS; i++) b->time[i] = -1;
}

static double earliest(const both *b) {
  double first = ff_math_infinity();
  for (uint32_t i = 0; i < NUMBERS; i++)
    if (b->time[i] >= 0 && b->time[i] < first) first = b->time[i];
  return first;
}

static void check_same(const both *b, uint32_t numbers) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < numbers; i++) {
    FF_CHECK_INT(ff_petri_due_has(&b->due, i), b->time[i] >= 0);
    if (b->time[i] < 0) continue;
    n++;
    FF_CHECK(ff_petri_due_time(&b->due, i) == b->time[i]);
    FF_CHECK_INT(b->due.heap[b->due.at[i]].number, i);
  }
  FF_CHECK_INT(b->due.n, n);
  FF_CHECK(ff_petri_due_next(&b->due) == earliest(b));
}

/* Takes out what is due next from both. The list has its numbers in ascending order. */
static void take_next(both *b) {
  uint32_t got[NUMBERS], want[NUMBERS], n = 0;
  const double now = earliest(b);
  if (!(now < ff_math_infinity())) return;
  for (uint32_t i = 0; i < NUMBERS; i++)
    if (b->time[i] == now) {
      want[n++] = i;
      b->time[i] = -1;
    }
  FF_CHECK_INT(ff_petri_due_take(&b->due, ff_petri_due_next(&b->due), got), n);
  FF_CHECK(memcmp(got, want, n * sizeof *got) == 0);
}

/* Times are whole numbers from a few, so that many are equal; they may also move, and come before those that were taken. */
static void is_as_a_list(void) {
  uint64_t seed = 5;
  for (uint32_t run = 0; run < 300; run++) {
    both b;
    const uint32_t numbers = 1 + below(&seed, NUMBERS);
    set_up(&b, numbers);
    for (int step = 0; step < 300; step++) {
      const uint32_t number = below(&seed, numbers), what = below(&seed, 8);
      const double time = (double)below(&seed, 12);
      if (what < 4) {
        ff_petri_due_set(&b.due, number, time);
        b.time[number] = time;
      } else if (what < 6) {
        ff_petri_due_cancel(&b.due, number);
        b.time[number] = -1;
      } else {
        take_next(&b);
      }
      check_same(&b, numbers);
    }
  }
}

/* What is before the time is taken, too, in the order of (time, number). */
static void takes_in_order(void) {
  static const uint32_t order[] = {2, 0, 3, 1};
  both b;
  uint32_t got[NUMBERS];
  set_up(&b, 5);
  ff_petri_due_set(&b.due, 3, 2);
  ff_petri_due_set(&b.due, 1, 2.5);
  ff_petri_due_set(&b.due, 0, 2);
  ff_petri_due_set(&b.due, 2, 1);
  ff_petri_due_set(&b.due, 4, 2.75);
  FF_CHECK_INT(ff_petri_due_take(&b.due, 2.5, got), 4);
  FF_CHECK(memcmp(got, order, sizeof order) == 0);
  FF_CHECK_INT(ff_petri_due_take(&b.due, 2.5, got), 0);
  FF_CHECK(ff_petri_due_next(&b.due) == 2.75);
}

/* A clock is kept while its transition is enabled, lost when it is not, and begins again after a firing. */
static void keeps_clocks(void) {
  both b;
  uint32_t got[NUMBERS];
  set_up(&b, 2);
  ff_petri_due_enable(&b.due, 0, 1, 1, 3);
  ff_petri_due_enable(&b.due, 0, 1, 2, 3);
  FF_CHECK(ff_petri_due_next(&b.due) == 4);
  ff_petri_due_enable(&b.due, 0, 0, 3, 3);
  ff_petri_due_enable(&b.due, 0, 0, 3, 3);
  FF_CHECK(ff_petri_due_next(&b.due) == ff_math_infinity());
  ff_petri_due_enable(&b.due, 0, 1, 3.5, 3);
  ff_petri_due_enable(&b.due, 1, 1, 3.5, 3);
  FF_CHECK(ff_petri_due_next(&b.due) == 6.5);
  FF_CHECK_INT(ff_petri_due_take(&b.due, 6.5, got), 2);
  ff_petri_due_enable(&b.due, 0, 1, 6.5, 3);
  FF_CHECK(ff_petri_due_next(&b.due) == 9.5);
}

FF_TEST_MAIN("petri_due", is_as_a_list, takes_in_order, keeps_clocks)
