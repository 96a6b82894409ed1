/* The calendar: lists of those that are looked at in a cycle, for the next SLOTS cycles. */
#include "ff_ssp_timing_internal.h"

static void take_out(ff_ssp_timing *t, waker *w) {
  const uint32_t slot = (uint32_t)(w->at % SLOTS);
  if (w->before != NOBODY)
    t->wakers[w->before].after = w->after;
  else
    t->first[slot] = w->after;
  if (w->after != NOBODY)
    t->wakers[w->after].before = w->before;
  else
    t->last[slot] = w->before;
  if (t->first[slot] == NOBODY) t->filled[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

void ff_ssp_look_at(ff_ssp_timing *t, uint32_t i, uint64_t at) {
  waker *w = &t->wakers[i];
  if (t->options.every_cycle) return;
  if (at > t->now + SLOTS - 1) at = t->now + SLOTS - 1;
  if (w->at <= at) return;
  if (w->at != NEVER) take_out(t, w);
  const uint32_t slot = (uint32_t)(at % SLOTS);
  *w = (waker){at, t->last[slot], NOBODY};
  if (w->before != NOBODY)
    t->wakers[w->before].after = i;
  else
    t->first[slot] = i;
  t->last[slot] = i;
  t->filled[slot / 64] |= UINT64_C(1) << slot % 64;
}

uint32_t ff_ssp_take_due(ff_ssp_timing *t) {
  uint32_t n = 0;
  if (t->options.every_cycle) {
    for (; n < t->n_wakers; n++) t->order[n] = n;
    return n;
  }
  const uint32_t slot = (uint32_t)(t->now % SLOTS);
  for (uint32_t i = t->first[slot]; i != NOBODY; i = t->wakers[i].after) {
    t->wakers[i].at = NEVER;
    t->order[n++] = i;
  }
  t->first[slot] = t->last[slot] = NOBODY;
  t->filled[slot / 64] &= ~(UINT64_C(1) << slot % 64);
  return n;
}

uint64_t ff_ssp_next_due(const ff_ssp_timing *t) {
  const uint32_t slot = (uint32_t)(t->now % SLOTS);
  if (t->options.every_cycle) return t->now;
  for (uint32_t i = 0; i <= SLOTS / 64; i++) { /* the first word twice: from the slot on, and before it */
    const uint32_t at = (slot / 64 + i) % (SLOTS / 64);
    uint64_t bits = t->filled[at];
    if (i == 0) bits &= ~UINT64_C(0) << slot % 64;
    if (bits == 0) continue;
    return t->now + (at * 64 + (uint32_t)__builtin_ctzll(bits) + SLOTS - slot) % SLOTS;
  }
  return NEVER;
}
