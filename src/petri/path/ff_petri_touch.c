/* What all parts of a trajectory tell: that a value has changed, and that something has failed. */
#include "ff_petri_path_internal.h"

void ff_petri_touch(ff_petri_path *path, uint32_t value) {
  const ff_petri_program *p = path->program;
  path->stirred |= path->stirs[value];
  for (size_t k = p->derived_first[value]; k < p->derived_first[value + 1]; k++) {
    const uint32_t d = p->derived_of[k];
    if (path->is_dirty_derived[d]) continue;
    path->is_dirty_derived[d] = 1;
    path->dirty_derived[path->n_dirty_derived++] = d;
  }
  for (size_t k = p->n_events > 0 ? p->event_first[value] : 0; p->n_events > 0 && k < p->event_first[value + 1]; k++) {
    const uint32_t e = p->event_of[k];
    if (path->is_dirty_event[e]) continue;
    path->is_dirty_event[e] = 1;
    path->dirty_event[path->n_dirty_events++] = e;
  }
  for (size_t k = p->member_first[value]; k < p->member_first[value + 1]; k++) {
    const ff_petri_member m = p->member_of[k];
    const uint32_t number = ff_petri_number_of(p, m);
    if (path->is_dirty[number]) continue;
    path->is_dirty[number] = 1;
    path->dirty[path->n_dirty++] = m;
  }
}

void ff_petri_path_fail(ff_petri_path *path, ff_petri_failure_kind what, uint32_t item, double value, uint32_t symbol) {
  if (path->failure.what != FF_PETRI_FINE) return;
  path->failure = (ff_failure){(int)what, item, value, path->start + path->now, symbol};
}
