/* The states of the projection: finding, adding and dropping them. */
#include "../base/ff_decimal.h"
#include "ff_cme_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the hash table ---- */

static size_t slot_of(const ff_cme *cme, const double *count) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < cme->n_varying; i++) {
    uint64_t bits;
    memcpy(&bits, &count[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  hash *= UINT64_C(0xBF58476D1CE4E5B9);
  return (size_t)(hash ^ hash >> 32) & (cme->set.n_slots - 1);
}

/* The slot of the state with these counts, or the empty slot where it belongs. */
static size_t find_slot(const ff_cme *cme, const double *count) {
  const size_t bytes = cme->n_varying * sizeof *count;
  size_t at = slot_of(cme, count);
  while (cme->set.slot[at] != FF_CME_OUTSIDE && memcmp(ff_cme_counts(cme, cme->set.slot[at]), count, bytes) != 0)
    at = (at + 1) & (cme->set.n_slots - 1);
  return at;
}

static void clear_slots(ff_cme_set *set) { memset(set->slot, 0xFF, set->n_slots * sizeof *set->slot); }

/* Makes room for one more state; at most half of the slots are used. */
static ff_status grow_slots(ff_cme *cme, ff_error *err) {
  ff_cme_set *set = &cme->set;
  if ((size_t)set->n + 1 <= set->n_slots / 2) return FF_OK;
  const size_t n_slots = set->n_slots == 0 ? 64 : 2 * set->n_slots;
  uint32_t *slot = ff_calloc(n_slots, sizeof *slot);
  if (slot == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a table of %u states", set->n);
  free(set->slot);
  set->slot = slot;
  set->n_slots = n_slots;
  clear_slots(set);
  for (uint32_t i = 0; i < set->n; i++) set->slot[find_slot(cme, ff_cme_counts(cme, i))] = i;
  return FF_OK;
}

/* ---- adding ---- */

static ff_status invalid(const ff_cme *cme, uint32_t r, double propensity, ff_error *err) {
  const ff_reactions *net = cme->net;
  const char *name = net->reactions[r].name;
  char label[FF_QUOTE_SIZE], state[500] = "";
  size_t used = 0;
  if (name[0] != '\0')
    memcpy(label, ff_quote(name, strlen(name)).text, sizeof label);
  else
    snprintf(label, sizeof label, "%u", r + 1);
  for (uint32_t i = 0; i < net->n_species && used < sizeof state; i++) {
    ff_quoted species = ff_quote(net->names[i], strlen(net->names[i]));
    if (used > sizeof state - 120) {
      snprintf(state + used, sizeof state - used, ", ...");
      break;
    }
    used += (size_t)snprintf(state + used, sizeof state - used, "%s%.90s = %s", i > 0 ? ", " : "", species.text,
                             ff_show(cme->values[i], 15).text);
  }
  return ff_error_set(err, FF_EMODEL, "reaction %s: the propensity is %s in a state that can be reached (%s); expected a finite "
                      "number of at least 0", label, ff_show(propensity, 6).text, state);
}

static ff_status add_arrow(ff_cme_set *set, uint32_t reaction, double rate, ff_error *err) {
  void *memory = set->arrow;
  ff_status status = ff_grow(&memory, &set->arrow_capacity, set->n_arrows + 1, sizeof *set->arrow, err);
  set->arrow = memory;
  if (status == FF_OK) set->arrow[set->n_arrows++] = (ff_cme_arrow){FF_CME_OUTSIDE, reaction, rate};
  return status;
}

/* Appends the arrows of the state in cme->target. */
static ff_status add_arrows(ff_cme *cme, ff_cme_state *state, ff_error *err) {
  const ff_reactions *net = cme->net;
  for (uint32_t i = 0; i < cme->n_varying; i++) cme->values[cme->varying[i]] = cme->target[i];
  ff_reactions_compute(net, cme->order, cme->values, 0.0, cme->stack);
  *state = (ff_cme_state){.first = cme->set.n_arrows};
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    double propensity = ff_reactions_propensity(net, r, cme->values, 0.0, cme->stack);
    if (propensity < 0.0 && ff_reactions_missing(net, r, cme->values)) {
      int sure;
      ff_status status = ff_reactions_surely_negative(&sure, net, r, cme->order, cme->values, err);
      if (status != FF_OK) return status;
      if (!sure) propensity = 0.0;
    }
    if (!(propensity >= 0.0 && propensity < HUGE_VAL)) return invalid(cme, r, propensity, err);
    if (propensity == 0.0 || cme->change_at[r] == cme->change_at[r + 1]) continue;
    ff_status status = add_arrow(&cme->set, r, propensity, err);
    if (status != FF_OK) return status;
    state->exit += propensity;
    state->n_arrows++;
  }
  return FF_OK;
}

ff_status ff_cme_add(ff_cme *cme, ff_error *err) {
  ff_cme_set *set = &cme->set;
  const size_t at = (size_t)set->n * cme->n_varying;
  void *states = set->state, *counts = set->count;
  ff_cme_state state;
  ff_status status = ff_grow(&states, &set->state_capacity, (size_t)set->n + 1, sizeof *set->state, err);
  set->state = states;
  if (status == FF_OK) status = ff_grow(&counts, &set->count_capacity, at + cme->n_varying + 1, sizeof *set->count, err);
  set->count = counts;
  if (status == FF_OK) status = grow_slots(cme, err);
  if (status == FF_OK) status = add_arrows(cme, &state, err);
  if (status != FF_OK) return status;
  if (!(state.exit < HUGE_VAL))
    return ff_error_set(err, FF_EMODEL, "the sum of the propensities in a state exceeds the largest number, 1.8e308");
  set->state[set->n] = state;
  set->slot[find_slot(cme, cme->target)] = set->n;
  memcpy(set->count + at, cme->target, cme->n_varying * sizeof *set->count);
  set->n++;
  return FF_OK;
}

/* ---- targets of arrows ---- */

/* Makes cme->target the state to which an arrow of state i leads. Returns 0 if a count is too large. */
static int step_to(ff_cme *cme, uint32_t i, uint32_t reaction) {
  int fits = 1;
  memcpy(cme->target, ff_cme_counts(cme, i), cme->n_varying * sizeof *cme->target);
  for (uint32_t c = cme->change_at[reaction]; c < cme->change_at[reaction + 1]; c++) {
    double *count = &cme->target[cme->change[c].species];
    fits &= cme->change[c].by <= FF_MAX_COUNT - *count; /* a sum above 2^53 would be rounded */
    *count += cme->change[c].by;
  }
  return fits;
}

static int has_room(const ff_cme *cme) {
  const double state = sizeof(ff_cme_state) + 8.0 * cme->n_varying + 4 * 8 + 2 * 8 + 8 + 4;
  const double arrow = sizeof(ff_cme_arrow) + 12.0;
  return cme->set.n < cme->max_states && cme->set.n * state + (double)cme->set.n_arrows * arrow < FF_CME_MAX_BYTES;
}

/* The sum of the rates of those arrows that lead outside. */
static double outside_rate(const ff_cme_set *set, uint32_t i) {
  double rate = 0;
  for (uint32_t a = 0; a < set->state[i].n_arrows; a++) {
    const ff_cme_arrow *arrow = &set->arrow[set->state[i].first + a];
    if (arrow->target == FF_CME_OUTSIDE) rate += arrow->rate;
  }
  return rate;
}

ff_status ff_cme_open(ff_cme *cme, uint32_t i, double flow, int edge, ff_error *err) {
  const double per_rate = flow / (edge ? outside_rate(&cme->set, i) : cme->set.state[i].exit);
  for (uint32_t a = 0; a < cme->set.state[i].n_arrows; a++) {
    const size_t at = cme->set.state[i].first + a;
    if (cme->set.arrow[at].target != FF_CME_OUTSIDE || !step_to(cme, i, cme->set.arrow[at].reaction)) continue;
    uint32_t target = cme->set.slot[find_slot(cme, cme->target)];
    if (target == FF_CME_OUTSIDE) {
      if (!has_room(cme)) {
        cme->full = 1;
        return FF_OK;
      }
      target = cme->set.n;
      ff_status status = ff_cme_add(cme, err);
      if (status != FF_OK) return status;
    }
    cme->set.arrow[at].target = target;
    if (target >= cme->before) cme->set.state[target].flow += per_rate * cme->set.arrow[at].rate;
  }
  return FF_OK;
}

void ff_cme_resolve(ff_cme *cme, uint32_t i) {
  const ff_cme_state *state = &cme->set.state[i];
  for (uint32_t a = 0; a < state->n_arrows; a++) {
    ff_cme_arrow *arrow = &cme->set.arrow[state->first + a];
    if (arrow->target == FF_CME_OUTSIDE && step_to(cme, i, arrow->reaction))
      arrow->target = cme->set.slot[find_slot(cme, cme->target)];
  }
}

/* ---- dropping ---- */

ff_status ff_cme_drop_begin(ff_cme *cme, ff_error *err) {
  void *memory = cme->number;
  ff_status status = ff_grow(&memory, &cme->number_capacity, cme->set.n, sizeof *cme->number, err);
  cme->number = memory;
  return status;
}

int ff_cme_drop_number(ff_cme *cme) {
  for (; cme->at < cme->set.n; cme->at++) {
    if (!ff_cme_more(&cme->turn, 1)) break;
    const double p = cme->set.state[cme->at].p;
    const int keep = p > 0 && p >= cme->droppable;
    cme->number[cme->at] = keep ? cme->kept++ : FF_CME_OUTSIDE;
    if (!keep) cme->lost += p;
  }
  return cme->at == cme->set.n;
}

/* States keep their order, so that no state is moved over one that is still needed. */
int ff_cme_drop_move(ff_cme *cme) {
  ff_cme_set *set = &cme->set;
  for (; cme->at < set->n; cme->at++) {
    const uint32_t to = cme->number[cme->at];
    ff_cme_state state = set->state[cme->at];
    if (!ff_cme_more(&cme->turn, 2 + cme->n_varying + 2 * (uint64_t)state.n_arrows)) return 0;
    if (to == FF_CME_OUTSIDE) continue;
    for (uint32_t a = 0; a < state.n_arrows; a++) {
      ff_cme_arrow arrow = set->arrow[state.first + a];
      if (arrow.target != FF_CME_OUTSIDE) arrow.target = cme->number[arrow.target];
      set->arrow[cme->place + a] = arrow;
    }
    state.first = cme->place;
    cme->place += state.n_arrows;
    set->state[to] = state;
    memmove(ff_cme_counts(cme, to), ff_cme_counts(cme, cme->at), cme->n_varying * sizeof *set->count);
  }
  set->n = cme->kept;
  set->n_arrows = cme->place;
  clear_slots(set);
  return 1;
}

int ff_cme_drop_hash(ff_cme *cme) {
  for (; cme->at < cme->set.n; cme->at++) {
    if (!ff_cme_more(&cme->turn, 10 + cme->n_varying)) return 0;
    cme->set.slot[find_slot(cme, ff_cme_counts(cme, cme->at))] = cme->at;
  }
  return 1;
}
