/* Levels that may become empty while something still takes from them. */
#include <stdlib.h>
#include <string.h>

#include "../within/ff_petri_vanish.h"
#include "ff_petri_compile_internal.h"

#define MOST 0x1p100 /* of what other symbols are, as in ff_petri_vanishes() */

typedef struct {
  double *low, *high; /* of each symbol or value */
  ff_range *ranges;
  ff_petri_vanishing *stack;
} room;

/* The symbol of a row in the formula of a rate, or FF_PETRI_NO_VALUE. */
static uint32_t symbol_of(const ff_petri_law *law, uint32_t row) {
  const uint32_t value = ff_petri_value_of(law, row, 0);
  for (uint32_t k = 0; k < law->rate.n; k++)
    if (ff_petri_value_of(law, law->rate.row[k], 0) == value) return law->n == 1 ? value : k;
  return FF_PETRI_NO_VALUE;
}

/* Whether an effect of a flow never takes from its place when the level is near 0. */
static int is_safe(const room *r, const ff_petri_law *law, const ff_petri_effect *effect) {
  const ff_formula *rate = &law->rate.formula;
  const uint32_t symbol = symbol_of(law, effect->row);
  if (rate->length == 0) return 1;
  if (symbol != FF_PETRI_NO_VALUE && ff_petri_vanishes(rate, symbol, r->stack)) return 1;
  if (effect->formula.formula.length > 0) return 0;
  if (symbol != FF_PETRI_NO_VALUE) r->high[symbol] = 0;
  const ff_range time = {0, MOST, 0, 0};
  const ff_range x = ff_formula_range(rate, FF_RANGE_COMPUTED, r->low, r->high, time, r->ranges);
  if (symbol != FF_PETRI_NO_VALUE) r->high[symbol] = MOST;
  return !x.nan && (effect->by > 0 ? x.low >= 0 : x.high <= 0);
}

static void mark(ff_petri_program *p, const room *r, uint8_t *is_watched) {
  for (uint32_t f = 0; f < p->n_flows; f++) {
    ff_petri_law *law = &p->law[p->flow[f]];
    for (uint32_t c = 0; c < law->n_effects; c++) {
      law->effect[c].safe = (uint8_t)is_safe(r, law, &law->effect[c]);
      if (law->effect[c].safe) continue;
      for (uint32_t i = 0; i < law->n; i++) is_watched[ff_petri_value_of(law, law->effect[c].row, i)] = 1;
    }
  }
}

static ff_status list_watched(ff_petri_maker *m, const uint8_t *is_watched) {
  ff_petri_program *p = m->p;
  p->watched = ff_calloc(p->n_levels, sizeof *p->watched);
  if (p->watched == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for %u levels", p->n_levels);
  for (uint32_t level = 0; level < p->n_levels; level++)
    if (is_watched[level]) p->watched[p->n_watched++] = level;
  return FF_OK;
}

/* ---- arcs --------------------------------------------------------------------------------------------------------------- */

static void list_arcs(ff_petri_program *p) {
  size_t arc = 0;
  uint32_t t = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    for (uint32_t i = 0; i < law->n; i++, t++) {
      p->arc_first[t] = arc;
      for (uint32_t c = 0; c < law->n_effects; c++, arc++) {
        p->arc_level[arc] = ff_petri_value_of(law, law->effect[c].row, i);
        p->arc_by[arc] = law->effect[c].by;
        p->taker_first[p->arc_level[arc] + 1]++;
        p->flows_vary |= law->effect[c].formula.formula.length > 0;
      }
    }
  }
  p->arc_first[t] = arc;
  for (uint32_t level = 0; level < p->n_levels; level++) p->taker_first[level + 1] += p->taker_first[level];
  for (uint32_t flow = 0; flow < t; flow++)
    for (size_t k = p->arc_first[flow]; k < p->arc_first[flow + 1]; k++) {
      const size_t at = p->taker_first[p->arc_level[k]]++;
      p->taker[at] = flow;
      p->taker_arc[at] = k;
    }
  memmove(p->taker_first + 1, p->taker_first, p->n_levels * sizeof *p->taker_first);
  p->taker_first[0] = 0;
}

static ff_status make_arcs(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  size_t arcs = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    p->n_all_flows += law->n;
    arcs += (size_t)law->n * law->n_effects;
  }
  p->arc_first = ff_calloc((size_t)p->n_all_flows + 1, sizeof *p->arc_first);
  p->taker_first = ff_calloc((size_t)p->n_levels + 1, sizeof *p->taker_first);
  p->taker_arc = ff_calloc(arcs, sizeof *p->taker_arc);
  p->taker = ff_calloc(arcs, sizeof *p->taker);
  p->arc_level = ff_calloc(arcs, sizeof *p->arc_level);
  p->arc_by = ff_calloc(arcs, sizeof *p->arc_by);
  if (!(p->arc_first && p->taker_first && p->taker_arc && p->taker && p->arc_level && p->arc_by))
    return ff_error_set(m->err, FF_EMEMORY, "no memory for %zu arcs of flows", arcs);
  list_arcs(p);
  return FF_OK;
}

ff_status ff_petri_compile_empty(ff_petri_maker *m) {
  ff_petri_program *p = m->p;
  if (p->n_levels == 0) return FF_OK;
  const int bio = p->options.semantics == FF_PETRI_BIO;
  room r = {ff_calloc(p->n_values, sizeof *r.low), ff_calloc(p->n_values, sizeof *r.high),
            ff_calloc(p->depth, sizeof *r.ranges), ff_calloc(p->depth, sizeof *r.stack)};
  uint8_t *is_watched = ff_calloc(p->n_levels, sizeof *is_watched);
  ff_status status = r.low && r.high && r.ranges && r.stack && is_watched
                         ? FF_OK
                         : ff_error_set(m->err, FF_EMEMORY, "no memory for %u levels", p->n_levels);
  if (status == FF_OK) {
    for (uint32_t v = 0; v < p->n_values; v++) r.high[v] = MOST;
    if (bio)
      memset(is_watched, 1, p->n_levels);
    else
      mark(p, &r, is_watched);
    status = list_watched(m, is_watched);
  }
  if (status == FF_OK && p->n_watched > 0 && !bio) status = make_arcs(m);
  free(r.low);
  free(r.high);
  free(r.ranges);
  free(r.stack);
  free(is_watched);
  return status;
}
