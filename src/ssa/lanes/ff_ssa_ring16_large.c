/* Lanes of modules whose numbers are large: sums of 128 bits, one lane at a time. */
#include <math.h>
#include <string.h>

#include "ff_ssa_ring16.h"

/* ---- whole numbers ------------------------------------------------------------------------------------------------------ */

static ff_ssa_whole add(ff_ssa_whole x, ff_ssa_whole y) {
  const uint64_t low = x.low + y.low;
  return (ff_ssa_whole){low, x.high + y.high + (low < x.low)};
}

static ff_ssa_whole subtract(ff_ssa_whole x, ff_ssa_whole y) {
  return (ff_ssa_whole){x.low - y.low, x.high - y.high - (x.low < y.low)};
}

static int less(ff_ssa_whole x, ff_ssa_whole y) { return x.high != y.high ? x.high < y.high : x.low < y.low; }

static ff_ssa_whole multiply(uint64_t x, uint64_t y) {
  if ((x | y) >> 32 == 0) return (ff_ssa_whole){x * y, 0};
  const uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
  const uint64_t middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (uint32_t)middle;
  return (ff_ssa_whole){other << 32 | (uint32_t)(x0 * y0), x1 * y1 + (middle >> 32) + (other >> 32)};
}

/* A number of 64 bits is rounded correctly. So the upper 64 bits are taken, and the last one is set if a lower one was. */
double ff_ssa_whole_double(ff_ssa_whole x) {
  int shift = 0;
  if (x.high == 0) return (double)x.low;
  while (x.high >> 63 == 0) {
    x.high = x.high << 1 | x.low >> 63;
    x.low <<= 1;
    shift++;
  }
  return ldexp((double)(x.high | (x.low != 0)), 64 - shift);
}

/* The whole part of a number from 0 to 2^127. */
static ff_ssa_whole whole_of(double x) {
  if (x < 0x1p63) return (ff_ssa_whole){(uint64_t)x, 0};
  const uint64_t high = (uint64_t)(x * 0x1p-64);
  return (ff_ssa_whole){(uint64_t)(x - (double)high * 0x1p64), high};
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static uint64_t count_of(const ff_ssa_ring *m, const double *count, size_t stride, uint32_t species, uint32_t j) {
  return species == FF_RING_ONE ? 1 : (uint64_t)(int64_t)count[m->species[(size_t)j * m->n_species + species] * stride];
}

static uint64_t hub_of(const ff_ssa_ring *m, const double *count, size_t stride, uint32_t t, uint32_t j) {
  return count_of(m, count, stride, m->terms[t].hub, j);
}

static uint64_t part_of(const ff_ssa_ring *m, const double *count, size_t stride, uint32_t q, uint32_t j) {
  const ff_ssa_ring_kind *kind = m->kinds + q;
  return kind->weight * count_of(m, count, stride, kind->species, ff_ssa_ring_at(m, j, kind->offset));
}

/* Q_j of a term; 0 if there is no molecule of the hub. */
static ff_ssa_whole value_of(const ff_ssa_ring *m, const double *count, size_t stride, uint32_t t, uint32_t j) {
  const ff_ssa_ring_term *term = m->terms + t;
  const uint64_t a = hub_of(m, count, stride, t, j);
  uint64_t f = 0;
  for (uint32_t i = 0; i < term->n && a > 0; i++) f += part_of(m, count, stride, term->first + i, j);
  return a > 0 ? multiply(a, f - term->less) : (ff_ssa_whole){0, 0};
}

uint64_t ff_ssa_ring16_value(const ff_ssa_ring *m, const double *count, size_t stride, uint32_t t, uint32_t j) {
  return value_of(m, count, stride, t, j).low;
}

void ff_ssa_ring16_sum(const ff_ssa_ring16 *f, const double *count, size_t stride, ff_ssa_ring16_lane *out) {
  const ff_ssa_ring16_plan *plan = f->plan;
  memset(out->blocks, 0, (size_t)plan->n_terms * plan->blocks * sizeof *out->blocks);
  for (uint32_t t = 0; t < plan->n_terms; t++) {
    out->q[t] = (ff_ssa_whole){0, 0};
    for (uint32_t j = 0; j < plan->n; j++) {
      const ff_ssa_whole x = value_of(f->ring, count, stride, t, j);
      ff_ssa_whole *block = out->blocks + (size_t)t * plan->blocks + (j >> plan->shift);
      *block = add(*block, x);
      out->q[t] = add(out->q[t], x);
    }
  }
}

/* ---- the step ---------------------------------------------------------------------------------------------------------- */

/* The module of the step, and what is left of v. */
static uint32_t find_module(const ff_ssa_ring16 *f, uint32_t lane, const double *count, uint32_t t, ff_ssa_whole *v) {
  const ff_ssa_ring16_plan *plan = f->plan;
  const ff_ssa_whole *block = f->lane[lane].blocks + (size_t)t * plan->blocks;
  uint32_t b = 0;
  for (; b + 1 < plan->blocks && !less(*v, block[b]); b++) *v = subtract(*v, block[b]);
  uint32_t j = b << plan->shift;
  for (; j + 1 < plan->n; j++) {
    const ff_ssa_whole x = value_of(f->ring, count, FF_SSA_LANES, t, j);
    if (less(*v, x)) break;
    *v = subtract(*v, x);
  }
  return j;
}

static uint32_t find_kind(const ff_ssa_ring16 *f, const double *count, uint32_t t, uint32_t j, ff_ssa_whole left) {
  const ff_ssa_ring_term *term = f->ring->terms + t;
  const uint64_t a = hub_of(f->ring, count, FF_SSA_LANES, t, j);
  uint64_t sum = 0;
  uint32_t i = 0;
  for (; i + 1 < term->n; i++) {
    sum += part_of(f->ring, count, FF_SSA_LANES, term->first + i, j);
    if (less(left, multiply(a, sum))) break;
  }
  return term->first + i;
}

/* Adds Q_j of all effects of a step in module j, or subtracts them. */
static void add_effects(ff_ssa_ring16 *f, ff_ssa_ring16_lane *to, const double *count, uint32_t j, int subtracts) {
  const ff_ssa_ring16_plan *plan = f->plan;
  for (uint32_t i = 0; i < plan->n_effects; i++) {
    const ff_ssa_ring16_effect *e = plan->effects + i;
    const uint32_t beyond = j + plan->offset[e->offset], at = beyond < plan->n ? beyond : beyond - plan->n;
    const ff_ssa_whole x = value_of(f->ring, count, FF_SSA_LANES, e->term, at);
    ff_ssa_whole *block = to->blocks + (size_t)e->term * plan->blocks + (at >> plan->shift);
    *block = subtracts ? subtract(*block, x) : add(*block, x);
    to->q[e->term] = subtracts ? subtract(to->q[e->term], x) : add(to->q[e->term], x);
  }
}

void ff_ssa_ring16_step(ff_ssa_ring16 *f, uint32_t lane) {
  const ff_ssa_ring *m = f->ring;
  const uint32_t t = f->term[lane];
  ff_ssa_ring16_lane *own = f->lane + lane;
  double *count = f->vector.lanes.count + lane;
  if (t != FF_RING16_NONE) {
    const double q = ff_ssa_whole_double(own->q[t]);
    ff_ssa_whole v = whole_of(f->share[lane] * q);
    if (!less(v, own->q[t])) v = subtract(own->q[t], (ff_ssa_whole){1, 0});
    const uint32_t j = find_module(f, lane, count, t, &v);
    const ff_ssa_ring_kind *kind = m->kinds + find_kind(f, count, t, j, v);
    add_effects(f, own, count, j, 1);
    for (uint32_t i = 0; i < kind->n_changes; i++) {
      const ff_ssa_ring_change *c = kind->changes + i;
      const size_t s = m->species[(size_t)ff_ssa_ring_at(m, j, c->offset) * m->n_species + c->species];
      count[s * FF_SSA_LANES] += c->by;
      if (count[s * FF_SSA_LANES] > FF_SSA_MAX_COUNT) f->vector.lanes.base.broken |= UINT64_C(1) << lane;
    }
    add_effects(f, own, count, j, 0);
  }
  for (uint32_t i = 0; i < f->plan->n_terms; i++)
    f->vector.value[(size_t)i * FF_SSA_LANES + lane] = f->plan->terms[i].rate * ff_ssa_whole_double(own->q[i]);
}
