/* What fake devices share (fake_ssa.h, fake_petri.h). */
#ifndef FF_TESTS_FAKE_PARTS_H
#define FF_TESTS_FAKE_PARTS_H

#include <stdlib.h>
#include <string.h>

#include "../../src/ensemble/ff_device.h"
#include "../../src/ensemble/ff_run.h"

static void *fake_copy(const void *from, size_t bytes) {
  void *out = malloc(bytes + 1);
  if (out != NULL && bytes > 0) memcpy(out, from, bytes);
  return out;
}

/* The firings of a wave. */
typedef struct {
  ff_fired *fired;
  size_t n, room;
} fake_firings;

/* Appends the firings of a run of trajectory k; if the trajectory is refused, only the first half of them. */
static void fake_firings_add(fake_firings *list, uint64_t k, const ff_run *run, int refused) {
  const uint64_t n = ff_run_n_firings(run), listed = refused ? n / 2 : n;
  double *trajectory = malloc((n + 1) * sizeof *trajectory), *time = malloc((n + 1) * sizeof *time);
  int32_t *transition = malloc((n + 1) * sizeof *transition);
  ff_run_firings(run, trajectory, time, transition, NULL);
  ff_grow((void **)&list->fired, &list->room, list->n + listed, sizeof *list->fired, NULL);
  for (uint64_t i = 0; i < listed; i++) list->fired[list->n++] = (ff_fired){(uint32_t)k, (uint32_t)transition[i], time[i]};
  free(trajectory);
  free(time);
  free(transition);
}

static int fake_firings_are_too_many(const fake_firings *list, const ff_device_request *request) {
  return request->max_firings > 0 && list->n > request->max_firings;
}

#endif
