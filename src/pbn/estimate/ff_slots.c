/* The tiles and sums that an estimate currently uses, and the window for which tiles run. */
#include <stdlib.h>

#include "ff_pbn_estimate_internal.h"

void ff_slots_free(ff_pbn_estimate *e) {
  for (uint32_t i = 0; e->slots != NULL && i < e->n_slots; i++) {
    ff_tile_free(e->slots[i].tile);
    free(e->slots[i].first_half);
    ff_pair_counts_free(&e->slots[i].pairs);
    ff_pbn_tally_free(&e->slots[i].tally);
  }
  free(e->slots);
  e->slots = NULL;
  e->n_slots = 0;
  ff_pbn_tally_free(&e->tally);
}

ff_status ff_slots_new(ff_pbn_estimate *e, const ff_counting *counting, uint32_t n, ff_error *err) {
  ff_slots_free(e);
  e->now = *counting;
  e->slots = ff_calloc(n, sizeof *e->slots);
  if (e->slots == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u blocks of trajectories", n);
  e->n_slots = n;
  uint32_t n_terms = ff_pbn_program_terms(counting->program);
  ff_status status = ff_pbn_tally_new(&e->tally, counting->observables, err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    slot *s = &e->slots[i];
    status = ff_tile_new(&s->tile, counting->program, e->options.simd, err);
    if (status == FF_OK) status = ff_pbn_tally_new(&s->tally, counting->observables, err);
    if (status != FF_OK) break;
    s->first_half = ff_calloc((size_t)n_terms * FF_TILE, sizeof *s->first_half);
    if (s->first_half == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for the counts of %u terms", n_terms);
  }
  return status;
}

void ff_slots_halves(ff_pbn_estimate *e, uint64_t burn_in, uint64_t first, uint64_t second) {
  e->plan.burn_in = burn_in;
  e->plan.half[0] = first;
  e->plan.half[1] = second;
  e->target[0] = burn_in;
  e->target[1] = burn_in + first;
  e->target[2] = burn_in + first + second;
  ff_pbn_tally_clear(&e->tally, e->plan.half[0], e->plan.half[1]);
  for (uint32_t i = 0; i < e->n_slots; i++) {
    ff_pbn_tally_clear(&e->slots[i].tally, e->plan.half[0], e->plan.half[1]);
    if (e->slots[i].pairs.count != NULL) ff_pair_counts_clear(&e->slots[i].pairs, e->options.pairs);
  }
  if (e->waves != NULL) ff_pbn_waves_plan(e->waves, e->target, e->plan.half);
}

void ff_slots_window(ff_pbn_estimate *e, uint64_t burn_in, uint64_t n) { ff_slots_halves(e, burn_in, n / 2, n - n / 2); }

ff_status ff_slots_watch(ff_pbn_estimate *e, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < e->n_slots && status == FF_OK; i++)
    status = ff_pair_counts_new(&e->slots[i].pairs, e->options.pairs, ff_pbn_program_nodes(e->run.program), err);
  return status;
}
