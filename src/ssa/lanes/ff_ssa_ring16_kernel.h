/* The step of ff_ssa_ring16. Part of ff_ssa_vector16_kernel.h. */

#include "ff_ssa_ring16.h"

/* ---- the next step ----------------------------------------------------------------------------------------------------- */

/* As FF_SSA_TREE_PREFIX, where all children but the first `terms` are 0. */
FF_INLINED void FF_KERNEL(ring_prefix)(D sum[FF_SSA_FAN + 1], const D child[FF_SSA_FAN], uint32_t terms) {
  if (terms > 4) {
    FF_KERNEL(prefix)(sum, child);
    return;
  }
  sum[1] = child[0];
  sum[FF_SSA_FAN] = sum[2] = child[0] + child[1];
  if (terms <= 2) return;
  sum[3] = sum[2] + child[2];
  sum[FF_SSA_FAN] = sum[2] + (child[2] + child[3]);
}

/* The whole part of a number from -1 to 2^52. */
static inline D FF_KERNEL(ring_floor)(D x) {
  const D near = (x + D_SET(0x1p52)) - D_SET(0x1p52);
  return D_PICK(D_LESS(x, near), near - D_SET(1.0), near);
}

/* Chooses the terms of the next steps, and v, from Q in the cells. As FF_KERNEL(sums) and FF_KERNEL(next_steps), with the same
 * bits: terms that there are not have the total 0. */
FF_INLINED void FF_KERNEL(ring_next)(ff_ssa_ring16 *f, uint32_t terms, int real) {
  ff_ssa_vector16 *w = &f->vector;
  const ff_ssa_ring16_plan *plan = f->plan;
  for (int hi = 0; hi < IW; hi++) {
    D v[IL / VL], chosen[IL / VL];
    FF_UNROLLED for (int part = 0; part < IL / VL; part++) {
      const int h = hi * (IL / VL) + part;
      D child[FF_SSA_FAN], sum[FF_SSA_FAN + 1], q[FF_SSA_FAN], before = D_SET(0.0);
      FF_UNROLLED for (uint32_t t = 0; t < terms; t++) {
        q[t] = real ? D_LOAD(AT(f->real, plan->total_item + t, h)) : D_LOAD_SMALL(AT(f->cells, plan->total_item + t, h));
        child[t] = D_SET(plan->terms[t].rate) * q[t];
      }
      FF_KERNEL(ring_prefix)(sum, child, terms);
      const D total = sum[FF_SSA_FAN];
      D at = D_LOAD(AT(w->lanes.choice, 0, h)) * total, leaf = child[0], most = q[0], number = D_SET(0.0);
      FF_UNROLLED for (uint32_t t = 1; t < terms; t++) {
        const M passed = M_AND(D_MOST(sum[t], at), D_LESS(sum[t], total));
        before = D_PICK(passed, sum[t], before);
        leaf = D_PICK(passed, child[t], leaf);
        most = D_PICK(passed, q[t], most);
        number = D_PICK(passed, D_SET((double)t), number);
      }
      const M some = D_LESS(D_SET(0.0), total);
      const D time = D_LOAD(AT(w->lanes.time, 0, h)) + D_LOAD(AT(w->lanes.wait, 0, h)) / total;
      const D share = D_PICK(some, (at - before) / leaf, D_SET(0.0)), last = most - D_SET(1.0);
      w->lanes.base.broken |= (uint64_t)M_BITS(M_NOT(D_LESS(total, D_SET(INFINITY)))) << (h * VL);
      D_STORE(AT(w->lanes.next_time, 0, h), D_PICK(some, time, D_SET(INFINITY)));
      D_STORE(AT(f->share, 0, h), share);
      v[part] = share * most;
      v[part] = D_PICK(D_LESS(last, v[part]), last, v[part]);
      chosen[part] = D_PICK(some, number, D_SET(-1.0));
      if (real) D_STORE(AT(f->real_v, 0, h), FF_KERNEL(ring_floor)(v[part]));
      if (real) D_STORE(AT(f->real_term, 0, h), chosen[part]);
    }
    if (real) continue;
    I_STORE(IAT(f->v, 0, hi), I_OF(v));
    I_STORE(IAT(f->term, 0, hi), I_OF(chosen));
  }
}

/* ---- the step ---------------------------------------------------------------------------------------------------------- */

/* The sum of a block of the term of each lane. */
FF_INLINED I FF_KERNEL(ring_block)(const uint32_t *cells, size_t stride, const IM *is, uint32_t terms) {
  I x = I_LOAD(cells);
  FF_UNROLLED for (uint32_t t = 1; t < terms; t++) x = I_PICK(is[t], I_LOAD(cells + t * stride), x);
  return x;
}

/* Finds the module of a lane's step, and what is left of v. */
FF_INLINED I FF_KERNEL(ring_find)(const ff_ssa_ring16 *f, I term, I *left, int h, uint32_t terms) {
  const ff_ssa_ring16_plan *plan = f->plan;
  const uint32_t *cells = IAT(f->cells, plan->block_item, h);
  const size_t stride = (size_t)plan->blocks * FF_SSA_LANES, width = (size_t)1 << plan->shift;
  IM is[FF_RING_TERMS];
  I block, place;
  FF_UNROLLED for (uint32_t t = 1; t < terms; t++) is[t] = I_EQUAL(term, I_SET(t));
#define BLOCK_SUM(i) FF_KERNEL(ring_block)(cells + (size_t)(i) * FF_SSA_LANES, stride, is, terms)
  FF_LANES_SEARCH(plan->blocks, BLOCK_SUM(i), block, *left);
#undef BLOCK_SUM
  block = I_LEFT_BY(block, plan->shift);
  const I known = I_AND(term, I_SET(FF_RING_TERMS - 1)), row = I_ADD(I_TABLE8(plan->items_of_terms, known), block);
  const I at = I_ADD(I_LEFT(row, 4), I_LOAD(IAT(FF_KERNEL(lane_numbers), 0, h)));
  if (plan->bits16) {
    const I shift = I_TABLE8(plan->shifts, known), mask = I_TABLE8(plan->masks, known);
    FF_LANES_SEARCH(width, I_AND(I_RIGHT_EACH(I_GATHER(f->cells + (size_t)i * FF_SSA_LANES, at), shift), mask), place, *left);
  } else {
    FF_LANES_SEARCH(width, I_GATHER(f->cells + (size_t)i * FF_SSA_LANES, at), place, *left);
  }
  return I_ADD(block, place);
}

/* The kind of a lane's step. */
FF_INLINED I FF_KERNEL(ring_kind)(const ff_ssa_ring16_plan *plan, I term, I left, const I *x, uint32_t terms) {
  I kind = I_TABLE8(plan->first, I_AND(term, I_SET(FF_RING_TERMS - 1)));
  for (uint32_t t = 0; t < terms && t < plan->n_terms; t++) {
    const ff_ssa_ring16_term *from = plan->terms + t;
    if (from->n == 1) continue;
    const I a = x[from->hub];
    I sum = I_SET(0), later = I_SET(from->first);
    for (uint32_t i = 0; i + 1 < from->n; i++) {
      const I b = x[from->parts[i].read];
      sum = I_ADD(sum, from->parts[i].weight == 1 ? b : I_MUL(b, I_SET(from->parts[i].weight)));
      later = I_COUNT(I_MOST(I_MUL(a, sum), left), later);
    }
    kind = I_PICK(I_EQUAL(term, I_SET(t)), later, kind);
  }
  return I_PICK(I_EQUAL(term, I_SET(FF_RING16_NONE)), I_SET(FF_RING16_SLOTS - 1), kind);
}

/* Changes Q_j, the sum of its block, and Q. */
FF_INLINED void FF_KERNEL(ring_effect)(ff_ssa_ring16 *f, const ff_ssa_ring16_effect *e, I kind, const I *x, I module,
                                          int h) {
  const ff_ssa_ring16_plan *plan = f->plan;
  const I lanes = I_LOAD(IAT(FF_KERNEL(lane_numbers), 0, h)), a = x[e->hub];
  I by = I_SET(0), df = I_SET(0);
  if (e->changes_f) {
    df = I_TABLE32(e->f, kind);
    by = e->hub == plan->n_reads ? df : I_MUL(a, df);
  }
  if (e->changes_a) {
    I sum = I_SUB(df, I_SET(e->less));
    for (uint32_t i = 0; i < e->n; i++)
      sum = I_ADD(sum, e->parts[i].weight == 1 ? x[e->parts[i].read] : I_MUL(x[e->parts[i].read], I_SET(e->parts[i].weight)));
    by = I_ADD(by, I_MUL(I_TABLE32(e->a, kind), sum));
  }
  uint32_t *total = IAT(f->cells, plan->total_item + e->term, h);
  I_STORE(total, I_ADD(I_LOAD(total), by));
  if (e->item != FF_RING16_NONE) {
    uint32_t *q = f->cells + (size_t)e->item * FF_SSA_LANES;
    const I at = I_ADD(I_LEFT(module, 4), lanes);
    I_SCATTER(q, at, I_ADD(I_GATHER(q, at), by));
  }
  uint32_t *sums = f->cells + (size_t)(plan->block_item + e->term * plan->blocks) * FF_SSA_LANES;
  const I at = I_ADD(I_LEFT(I_RIGHT_BY(module, plan->shift), 4), lanes);
  I_SCATTER(sums, at, I_ADD(I_GATHER(sums, at), by));
}

FF_INLINED void FF_KERNEL(ring_step)(ff_ssa_ring16 *f, uint32_t terms) {
  const ff_ssa_ring16_plan *plan = f->plan;
  for (int h = 0; h < IW; h++) {
    const I lanes = I_LOAD(IAT(FF_KERNEL(lane_numbers), 0, h)), term = I_LOAD(IAT(f->term, 0, h));
    I left = I_LOAD(IAT(f->v, 0, h)), module[FF_RING16_OFFSETS];
    I at[FF_RING16_READS], word[FF_RING16_READS], x[FF_RING16_READS + 1];
    const I j = FF_KERNEL(ring_find)(f, term, &left, h, terms);
    for (uint32_t i = 0; i < plan->n_offsets; i++) {
      const I to = I_ADD(j, I_SET(plan->offset[i]));
      module[i] = I_LEAST(to, I_SUB(to, I_SET(plan->n)));
    }
    for (uint32_t i = 0; i < plan->n_words; i++) {
      at[i] = I_ADD(I_LEFT(module[plan->words[i].offset], 4), lanes);
      word[i] = I_GATHER(f->cells + (size_t)plan->words[i].item * FF_SSA_LANES, at[i]);
    }
    for (uint32_t i = 0; i < plan->n_reads; i++) {
      const ff_ssa_ring16_read *read = plan->reads + i;
      x[i] = word[read->word];
      if (read->part == FF_RING16_LOW) x[i] = I_AND(x[i], I_SET(0xFFFF));
      if (read->part == FF_RING16_HIGH) x[i] = I_RIGHT(x[i], 16);
    }
    x[plan->n_reads] = I_SET(1);
    const I kind = FF_KERNEL(ring_kind)(plan, term, left, x, terms);
    for (uint32_t i = 0; i < plan->n_changes; i++) {
      const ff_ssa_ring16_change *c = plan->changes + i;
      uint32_t *to = f->cells + (size_t)plan->words[c->word].item * FF_SSA_LANES;
      I_SCATTER(to, at[c->word], I_ADD(word[c->word], I_TABLE32(c->by, kind)));
    }
    for (uint32_t i = 0; i < plan->n_effects; i++)
      FF_KERNEL(ring_effect)(f, plan->effects + i, kind, x, module[plan->effects[i].offset], h);
  }
}

/* ---- the step, in doubles ---------------------------------------------------------------------------------------------- */

/* Numbers of rows from whole numbers of at least 0. */
static inline U FF_KERNEL(ring_row)(D x) { return U_AND(U_OF(x + D_SET(0x1p52)), U_SET(UINT64_C(0xFFFFFFFF))); }

/* As FF_LANES_SEARCH. */
#define FF_RING16_REAL_SEARCH(n, x_of, found, left)                         \
  do {                                                                       \
    D sum = D_SET(0.0), passed = D_SET(0.0);                                 \
    found = D_SET(0.0);                                                      \
    for (uint32_t i = 0; i + 1 < (n); i++) {                                 \
      sum = sum + x_of;                                                      \
      const M passes = D_MOST(sum, left);                                    \
      passed = D_PICK(passes, sum, passed);                                  \
      found = D_PICK(passes, D_SET((double)i + 1), found);                   \
    }                                                                        \
    left = left - passed;                                                    \
  } while (0)

FF_INLINED D FF_KERNEL(ring_real_block)(const double *cells, size_t stride, const M *is, uint32_t terms) {
  D x = D_LOAD(cells);
  FF_UNROLLED for (uint32_t t = 1; t < terms; t++) x = D_PICK(is[t], D_LOAD(cells + t * stride), x);
  return x;
}

/* As FF_KERNEL(ring_find). */
FF_INLINED D FF_KERNEL(ring_real_find)(const ff_ssa_ring16 *f, const M *is, D *left, int h, uint32_t terms) {
  const ff_ssa_ring16_plan *plan = f->plan;
  const double *cells = AT(f->real, plan->block_item, h);
  const size_t stride = (size_t)plan->blocks * FF_SSA_LANES, width = (size_t)1 << plan->shift;
  D block, place;
  U row = U_SET(plan->items_of_terms[0]);
#define BLOCK_SUM(i) FF_KERNEL(ring_real_block)(cells + (size_t)(i) * FF_SSA_LANES, stride, is, terms)
  FF_RING16_REAL_SEARCH(plan->blocks, BLOCK_SUM(i), block, *left);
#undef BLOCK_SUM
  block = block * D_SET((double)width);
  for (uint32_t t = 1; t < terms; t++) row = U_PICK(is[t], U_SET(plan->items_of_terms[t]), row);
  row = U_ADD(row, FF_KERNEL(ring_row)(block));
  FF_RING16_REAL_SEARCH(width, D_GATHER(AT(f->real, i, h), row), place, *left);
  return block + place;
}

/* As FF_KERNEL(ring_kind). */
FF_INLINED U FF_KERNEL(ring_real_kind)(const ff_ssa_ring16_plan *plan, D term, const M *is, D left, const D *x) {
  D kind = D_SET((double)plan->first[0]);
  for (uint32_t t = 0; t < plan->n_terms; t++) {
    const ff_ssa_ring16_term *from = plan->terms + t;
    D sum = D_SET(0.0), later = D_SET((double)from->first);
    for (uint32_t i = 0; i + 1 < from->n; i++) {
      sum = sum + x[from->parts[i].read] * D_SET((double)from->parts[i].weight);
      later = D_PICK(D_MOST(x[from->hub] * sum, left), D_SET((double)(from->first + i + 1)), later);
    }
    kind = t == 0 ? later : D_PICK(is[t], later, kind);
  }
  return FF_KERNEL(ring_row)(D_PICK(D_LESS(term, D_SET(0.0)), D_SET((double)(FF_RING16_SLOTS - 1)), kind));
}

/* As FF_KERNEL(ring_effect). */
FF_INLINED void FF_KERNEL(ring_real_effect)(ff_ssa_ring16 *f, const ff_ssa_ring16_effect *e, U kind, const D *x, U module,
                                               int h) {
  const ff_ssa_ring16_plan *plan = f->plan;
  const D df = D_LONG_TABLE(e->real_f, kind);
  D by = x[e->hub] * df;
  if (e->changes_a) {
    D sum = df - D_SET((double)e->less);
    for (uint32_t i = 0; i < e->n; i++) sum = sum + x[e->parts[i].read] * D_SET((double)e->parts[i].weight);
    by = by + D_LONG_TABLE(e->real_a, kind) * sum;
  }
  double *total = AT(f->real, plan->total_item + e->term, h);
  D_STORE(total, D_LOAD(total) + by);
  if (e->item != FF_RING16_NONE) {
    double *q = AT(f->real, e->item, h);
    D_SCATTER(q, module, D_GATHER(q, module) + by);
  }
  double *sums = AT(f->real, plan->block_item + e->term * plan->blocks, h);
  U block = module;
  for (uint32_t i = 0; i < plan->shift; i++) block = U_RIGHT(block, 1);
  D_SCATTER(sums, block, D_GATHER(sums, block) + by);
}

FF_INLINED void FF_KERNEL(ring_real_step)(ff_ssa_ring16 *f, uint32_t terms) {
  const ff_ssa_ring16_plan *plan = f->plan;
  const D n = D_SET((double)plan->n);
  EACH(h) {
    const D term = D_LOAD(AT(f->real_term, 0, h));
    D left = D_LOAD(AT(f->real_v, 0, h)), word[FF_RING16_READS], x[FF_RING16_READS + 1];
    U module[FF_RING16_OFFSETS];
    M is[FF_RING_TERMS];
    for (uint32_t t = 0; t < terms; t++) is[t] = U_EQUAL(U_OF(term), U_OF(D_SET((double)t)));
    const D j = FF_KERNEL(ring_real_find)(f, is, &left, h, terms);
    for (uint32_t i = 0; i < plan->n_offsets; i++) {
      const D to = j + D_SET((double)plan->offset[i]);
      module[i] = FF_KERNEL(ring_row)(D_PICK(D_MOST(n, to), to - n, to));
    }
    for (uint32_t i = 0; i < plan->n_words; i++)
      word[i] = D_GATHER(AT(f->real, plan->words[i].item, h), module[plan->words[i].offset]);
    for (uint32_t i = 0; i < plan->n_reads; i++) x[i] = word[plan->reads[i].word];
    x[plan->n_reads] = D_SET(1.0);
    const U kind = FF_KERNEL(ring_real_kind)(plan, term, is, left, x);
    for (uint32_t i = 0; i < plan->n_changes; i++) {
      const ff_ssa_ring16_change *c = plan->changes + i;
      const ff_ssa_ring16_word *w = plan->words + c->word;
      D_SCATTER(AT(f->real, w->item, h), module[w->offset], word[c->word] + D_LONG_TABLE(c->real_by, kind));
    }
    for (uint32_t i = 0; i < plan->n_effects; i++)
      FF_KERNEL(ring_real_effect)(f, plan->effects + i, kind, x, module[plan->effects[i].offset], h);
  }
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

static inline void FF_KERNEL(ring_look)(ff_ssa_ring16 *f) {
  ff_ssa_vector16 *w = &f->vector;
  FF_KERNEL(sums)(w);
  FF_KERNEL(next_steps)(w, f->share);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++)
    f->term[lane] = w->lanes.next[lane] < f->plan->n_terms && w->lanes.next_time[lane] < INFINITY ? (uint32_t)w->lanes.next[lane]
                                                                                                    : FF_RING16_NONE;
}

/* Up to `steps` steps. Returns how many are left when a lane has something to report. */
FF_INLINED uint32_t FF_KERNEL(ring_steps)(ff_ssa_ring16 *f, uint32_t steps, uint64_t *bits, uint32_t terms) {
  ff_ssa_vector16 *w = &f->vector;
  for (; *bits == 0 && steps > 0; steps--) {
    EACH(h) {
      D_STORE(AT(w->lanes.time, 0, h), D_LOAD(AT(w->lanes.next_time, 0, h)));
      U_STORE(AT(w->lanes.step, 0, h), U_ADD(U_LOAD(AT(w->lanes.step, 0, h)), U_SET(1)));
    }
    if (f->size == FF_RING16_LARGE) {
      for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) ff_ssa_ring16_step(f, lane);
      FF_KERNEL(ring_look)(f);
    } else if (f->size == FF_RING16_REAL) {
      FF_KERNEL(ring_real_step)(f, terms);
      FF_KERNEL(ring_next)(f, terms, 1);
    } else {
      FF_KERNEL(ring_step)(f, terms);
      FF_KERNEL(ring_next)(f, terms, 0);
    }
    FF_KERNEL(draw)(w, 1); /* this does not wait for anything, so the processor makes it in between */
    *bits = FF_KERNEL(report)(w);
  }
  return steps;
}

uint64_t FF_KERNEL(advance_ring16)(ff_lanes *engine, uint32_t *steps) {
  ff_ssa_ring16 *f = (ff_ssa_ring16 *)engine;
  uint64_t bits = FF_KERNEL(report)(&f->vector);
  while (bits == 0 && *steps > 0) {
    if (f->budget == 0) ff_ssa_ring16_prepare(f);
    const uint32_t some = *steps < f->budget ? *steps : f->budget;
    uint32_t left;
    switch (f->plan->filled_terms) {
      case 2: left = FF_KERNEL(ring_steps)(f, some, &bits, 2); break;
      case 4: left = FF_KERNEL(ring_steps)(f, some, &bits, 4); break;
      default: left = FF_KERNEL(ring_steps)(f, some, &bits, 8);
    }
    *steps -= some - left;
    f->budget -= some - left;
  }
  ff_ssa_ring16_set_counts(f, bits, 0);
  return bits;
}
