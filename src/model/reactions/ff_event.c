/* Events: making and freeing them. */
#include "ff_event.h"

#include <stdlib.h>
#include <string.h>

ff_status ff_event_add_sets(ff_event *event, uint32_t n, ff_error *err) {
  event->sets = ff_calloc(n, sizeof *event->sets);
  if (event->sets == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the %u values that an event sets", n);
  event->n_sets = n;
  return FF_OK;
}

void ff_event_free(ff_event *event) {
  free(event->name);
  ff_formula_free(&event->trigger);
  ff_formula_free(&event->delay);
  ff_formula_free(&event->priority);
  for (uint32_t i = 0; i < event->n_sets; i++) {
    ff_formula_free(&event->sets[i].value);
    ff_formula_free(&event->sets[i].factor);
  }
  free(event->sets);
  memset(event, 0, sizeof *event);
}
