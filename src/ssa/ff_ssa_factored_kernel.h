/* The step of ff_ssa_factored. Part of ff_ssa_wide_kernel.h, whose macros it uses. */

/* ---- groups ------------------------------------------------------------------------------------------------------------- */

static inline void FF_KERNEL(groups)(ff_ssa_factored *f) {
  ff_ssa_wide *w = &f->wide;
  for (uint32_t g = 0; g < f->factor->n_groups; g++) {
    const ff_ssa_group *group = f->factor->groups + g;
    const double *total = AT(f->total, group->sum, 0), *hub;
    const D rate = D_SET(group->rate);
    switch (group->kind) {
      case FF_GROUP_PLAIN:
        EACH(h) D_STORE(AT(w->value, g, h), rate * D_LOAD(AT(total, 0, h)));
        break;
      case FF_GROUP_HUB:
        hub = AT(w->count, group->hub, 0);
        EACH(h) D_STORE(AT(w->value, g, h), rate * D_LOAD(AT(hub, 0, h)) * D_LOAD(AT(total, 0, h)));
        break;
      case FF_GROUP_POOL:
        EACH(h) {
          const D x = D_LOAD(AT(total, 0, h));
          D_STORE(AT(w->value, g, h), rate * (x * (x - D_SET(1.0))));
        }
        break;
      default: FF_KERNEL(checked)(w, group->hub, g);
    }
  }
}

static inline void FF_KERNEL(next_groups)(ff_ssa_factored *f) {
  ff_ssa_wide *w = &f->wide;
  const double *total = AT(w->value, w->first[w->levels - 1], 0);
  EACH(h) {
    const D sum = D_LOAD(AT(total, 0, h));
    const M some = D_LESS(D_SET(0.0), sum);
    const D at = D_LOAD(AT(w->choice, 0, h)) * sum, time = D_LOAD(AT(w->time, 0, h)) + D_LOAD(AT(w->wait, 0, h)) / sum;
    D share;
    const U found = FF_KERNEL(find)(w, at, h, &share);
    w->base.broken |= (uint64_t)M_BITS(M_NOT(D_LESS(sum, D_SET(INFINITY)))) << (h * VL);
    D_STORE(AT(w->next_time, 0, h), D_PICK(some, time, D_SET(INFINITY)));
    U_STORE(AT(w->next, 0, h), U_PICK(some, found, U_SET(w->program->n_reactions)));
    D_STORE(AT(f->share, 0, h), share);
  }
}

/* ---- molecules ---------------------------------------------------------------------------------------------------------- */

/* The entry of a node at which the cumulative sum exceeds *v, which becomes what is left of it. Whole numbers are added, so the
 * order of additions does not matter. */
static inline uint32_t FF_KERNEL(rank)(const double *node, double *v) {
#if VL == 8
  const __m512d zero = _mm512_setzero_pd(), at = _mm512_set1_pd(*v);
  __m512d low = _mm512_load_pd(node), high = _mm512_load_pd(node + 8);
#define FF_SHIFTED(x, n) \
  _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(x), _mm512_castpd_si512(zero), 8 - (n)))
  low = low + FF_SHIFTED(low, 1);
  high = high + FF_SHIFTED(high, 1);
  low = low + FF_SHIFTED(low, 2);
  high = high + FF_SHIFTED(high, 2);
  low = low + FF_SHIFTED(low, 4);
  high = high + FF_SHIFTED(high, 4);
#undef FF_SHIFTED
  high = high + _mm512_permutexvar_pd(_mm512_set1_epi64(7), low);
  double sums[FF_FACTOR_FAN + 1];
  sums[0] = 0;
  _mm512_storeu_pd(sums + 1, low);
  _mm512_storeu_pd(sums + 9, high);
  const unsigned passed = (unsigned)_mm512_cmp_pd_mask(low, at, _CMP_LE_OQ) |
                          (unsigned)_mm512_cmp_pd_mask(high, at, _CMP_LE_OQ) << 8;
  const uint32_t i = (uint32_t)__builtin_ctz(~passed);
  *v -= sums[i];
  return i;
#else
  double sum = 0, before = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < FF_FACTOR_FAN; i++) {
    sum += node[i];
    n += sum <= *v;
    before = sum <= *v ? sum : before;
  }
  *v -= before;
  return n;
#endif
}

/* The position of the member of molecule number *v, which becomes its number among those of this member. */
static inline uint32_t FF_KERNEL(position)(const ff_ssa_factor_sum *sum, const double *cells, double *v) {
  uint32_t at = 0;
  for (uint32_t level = sum->levels; level-- > 0;)
    at = at * FF_FACTOR_FAN + FF_KERNEL(rank)(cells + sum->at[level] + (size_t)at * FF_FACTOR_FAN, v);
  return at;
}

uint32_t FF_KERNEL(reaction_of)(const ff_ssa_factored *f, uint32_t lane, uint32_t g, double v, double v2) {
  const ff_ssa_group *group = f->factor->groups + g;
  if (group->kind == FF_GROUP_REST) return group->hub;
  const ff_ssa_factor_sum *sum = f->factor->sums + group->sum;
  const double *cells = f->cells + lane * f->stride;
  const uint32_t *map = f->factor->map + group->map;
  if (group->kind == FF_GROUP_POOL) {
    double second = v2 < v ? v2 : v2 + 1;
    const uint32_t i = FF_KERNEL(position)(sum, cells, &v);
    return map[i * group->units + FF_KERNEL(position)(sum, cells, &second)];
  }
  const uint32_t i = FF_KERNEL(position)(sum, cells, &v);
  if (group->units == 1) return map[i];
  const ff_ssa_member *m = f->factor->members + sum->first + i;
  const double x = m->species == f->wide.program->n_species ? 1 : f->wide.count[(size_t)m->species * FF_SSA_LANES + lane];
  return map[i * group->units + (uint32_t)(v / x)];
}

/* The second molecule of a pool, for the event that happens now. */
static inline double FF_KERNEL(second)(const ff_ssa_factored *f, uint32_t lane, double n) {
  const ff_ssa_wide *w = &f->wide;
  const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_EVENT, 1, w->event[lane] - 1, w->unit[lane]), w->key);
  const double v = (double)(int64_t)(ff_ssa_closed(words.v[0], words.v[1]) * n);
  return v < n ? v : n - 1;
}

static inline void FF_KERNEL(fire)(ff_ssa_factored *f, uint32_t lane) {
  ff_ssa_wide *w = &f->wide;
  const uint64_t g = w->next[lane];
  if (FF_RARELY(g >= f->factor->n_groups)) return;
  const ff_ssa_group *group = f->factor->groups + g;
  const double n = f->total[(size_t)group->sum * FF_SSA_LANES + lane];
  double v = (double)(int64_t)(f->share[lane] * n), v2 = 0;
  v = v < n ? v : n - 1;
  if (group->kind == FF_GROUP_POOL && group->units > 1) v2 = FF_KERNEL(second)(f, lane, n - 1);
  const ff_ssa_row *row = f->factor->rows + FF_KERNEL(reaction_of)(f, lane, (uint32_t)g, v, v2);
  const ff_ssa_step *step = f->factor->steps + row->first;
  for (const ff_ssa_step *end = step + row->counts; step < end; step++) {
    double *count = w->count + (size_t)step->at * FF_SSA_LANES + lane;
    *count += (double)step->by;
    if (FF_RARELY(*count > FF_SSA_MAX_COUNT)) w->base.broken |= UINT64_C(1) << lane;
  }
  for (const ff_ssa_step *end = step + row->totals; step < end; step++)
    f->total[(size_t)step->at * FF_SSA_LANES + lane] += (double)step->by;
  double *cells = f->cells + lane * f->stride;
  for (const ff_ssa_step *end = step + row->cells; step < end; step++) cells[step->at] += (double)step->by;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

uint64_t FF_KERNEL(advance_factored)(ff_ssa_engine *engine, uint32_t *steps) {
  ff_ssa_factored *f = (ff_ssa_factored *)engine;
  ff_ssa_wide *w = &f->wide;
  uint64_t bits = FF_KERNEL(report)(w);
  for (; bits == 0 && *steps > 0; --*steps) {
    EACH(h) {
      D_STORE(AT(w->time, 0, h), D_LOAD(AT(w->next_time, 0, h)));
      U_STORE(AT(w->event, 0, h), U_ADD(U_LOAD(AT(w->event, 0, h)), U_SET(1)));
    }
    for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) FF_KERNEL(fire)(f, lane);
    FF_KERNEL(groups)(f);
    FF_KERNEL(sums)(w);
    FF_KERNEL(next_groups)(f);
    FF_KERNEL(draw)(w);
    bits = FF_KERNEL(report)(w);
  }
  return bits;
}
