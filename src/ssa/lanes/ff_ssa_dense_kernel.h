/* The step of ff_ssa_factored with the layout of ff_ssa_dense.h. Part of ff_ssa_vector16_kernel.h, whose macros it uses. */

#include "ff_ssa_factored.h"

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

/* The rows that belong to words of ff_ssa_dense. */
FF_INLINED I FF_KERNEL(dense_row)(I word, int h) {
  return I_ADD(I_AND(word, I_SET(0xFFFFFF)), I_LOAD(IAT(FF_KERNEL(lane_numbers), 0, h)));
}

/* The total of a member, from its word. */
FF_INLINED I FF_KERNEL(dense_member)(const ff_ssa_factored *f, I word, int h, int weighted) {
  const uint32_t *rows = (const uint32_t *)f->rows;
  if (!weighted) return I_GATHER(rows, I_ADD(word, I_LOAD(IAT(FF_KERNEL(lane_numbers), 0, h))));
  return I_MUL(I_GATHER(rows, FF_KERNEL(dense_row)(word, h)), I_RIGHT(word, 24));
}

/* Finds the member of number *left of the sum of a group, which becomes what is left of it. Returns its position. */
FF_INLINED I FF_KERNEL(dense_find)(const ff_ssa_factored *f, I group, I *left, int h, int weighted) {
  const ff_ssa_dense *d = f->dense;
  const I cells = I_MUL(I_LOAD(IAT(FF_KERNEL(lane_numbers), 0, h)), I_SET(f->stride));
  I place = I_SET(0), found;
  for (uint32_t level = d->levels; level > 0; level--) {
    const I at = I_ADD(I_ADD(cells, I_TABLE32(d->at[level - 1], group)), place);
    const uint32_t *from = (const uint32_t *)f->small;
    FF_LANES_SEARCH(d->level[level].width, I_GATHER(from + i, at), found, *left);
    place = I_LEFT_BY(I_ADD(place, found), d->level[level - 1].shift);
  }
  const I at = I_ADD(I_TABLE32(d->member, group), place);
  FF_LANES_SEARCH(d->level[0].width, FF_KERNEL(dense_member)(f, I_GATHER(d->members + i, at), h, weighted), found, *left);
  return I_ADD(place, found);
}

/* The number of a member's range that has number `left` of it, of `ranges` ranges at most. */
FF_INLINED I FF_KERNEL(dense_unit)(const ff_ssa_factored *f, I group, I place, I left, int h) {
  const ff_ssa_dense *d = f->dense;
  const I word = I_GATHER(d->members, I_ADD(I_TABLE32(d->member, group), place));
  const I x = I_GATHER((const uint32_t *)f->rows, FF_KERNEL(dense_row)(word, h));
  if (f->factor->ranges <= FF_DENSE_WIDTH) {
    I unit = I_SET(0), end = x;
    for (uint32_t i = 1; i < f->factor->ranges; i++) {
      unit = I_COUNT(I_MOST(end, left), unit);
      end = I_ADD(end, x);
    }
    return unit;
  }
  _Alignas(64) uint32_t v[IL], count[IL];
  D q[IL / VL];
  I_STORE(v, left);
  I_STORE(count, x);
  FF_UNROLLED for (int part = 0; part < IL / VL; part++)
    q[part] = D_LOAD_SMALL((const int32_t *)v + part * VL) / D_LOAD_SMALL((const int32_t *)count + part * VL);
  return I_OF(q);
}

FF_INLINED I FF_KERNEL(dense_reaction)(const ff_ssa_factored *f, I group, I left, int h, I *place) {
  const ff_ssa_dense *d = f->dense;
  *place = d->weighted ? FF_KERNEL(dense_find)(f, group, &left, h, 1) : FF_KERNEL(dense_find)(f, group, &left, h, 0);
  I at = I_ADD(I_TABLE32(d->map, group), *place);
  if (f->factor->ranges > 1) {
    at = I_ADD(I_TABLE32(d->map, group), I_MUL(*place, I_TABLE32(d->ranges, group)));
    at = I_ADD(at, FF_KERNEL(dense_unit)(f, group, *place, left, h));
  }
  return I_GATHER(f->factor->map, at);
}

/* The reaction of a pool whose second molecule has number v2 of those that are left after number v, of the member at `first`. */
static uint32_t FF_KERNEL(dense_pair)(const ff_ssa_factored *f, uint32_t lane, uint32_t g, uint32_t first, double v, double v2) {
  const ff_ssa_dense *d = f->dense;
  int32_t left = (int32_t)(v2 < v ? v2 : v2 + 1);
  uint32_t place = 0;
  for (uint32_t level = d->levels; level > 0; level--) {
    const int32_t *cells = f->small + lane * f->stride + d->at[level - 1][g];
    for (; left >= cells[place]; place++) left -= cells[place];
    place <<= d->level[level - 1].shift;
  }
  for (const uint32_t *word = d->members + d->member[g];; place++) {
    const int32_t x = f->rows[(word[place] & 0xFFFFFF) + lane]; /* members of a pool have the weight 1 */
    if (left < x) break;
    left -= x;
  }
  return f->factor->map[d->map[g] + first * d->ranges[g] + place];
}

/* Chooses the reactions of the groups that have been chosen. */
FF_INLINED void FF_KERNEL(dense_choose)(const ff_ssa_factored *f, uint32_t reaction[FF_SSA_LANES]) {
  const ff_ssa_dense *d = f->dense;
  _Alignas(64) uint32_t n[FF_SSA_LANES], first[FF_SSA_LANES], number[FF_SSA_LANES];
  for (int hi = 0; hi < IW; hi++) {
    const I lanes = I_LOAD(IAT(FF_KERNEL(lane_numbers), 0, hi)), group = I_LOAD(IAT(f->group, 0, hi));
    D v[IL / VL];
    I_STORE(IAT(n, 0, hi), I_GATHER((const uint32_t *)f->rows, I_ADD(I_TABLE32(d->b, group), lanes)));
    FF_UNROLLED for (int part = 0; part < IL / VL; part++) {
      const int h = hi * (IL / VL) + part;
      const D total = D_LOAD_SMALL(AT((const int32_t *)n, 0, h)), last = total - D_SET(1.0);
      const D share = D_LOAD(AT(f->share, 0, h)) * total;
      v[part] = D_PICK(D_LESS(last, share), last, share);
    }
    const I left = I_OF(v);
    I place;
    I_STORE(IAT(number, 0, hi), left);
    I_STORE(IAT(reaction, 0, hi), FF_KERNEL(dense_reaction)(f, group, left, hi, &place));
    I_STORE(IAT(first, 0, hi), place);
  }
  for (uint32_t lane = 0; lane < FF_SSA_LANES && f->factor->pools; lane++) {
    const uint32_t g = f->group[lane];
    if (g >= f->factor->n_factored || f->factor->groups[g].kind != FF_GROUP_POOL || d->ranges[g] == 1) continue;
    const double v2 = FF_KERNEL(second)(f, lane, (double)n[lane] - 1);
    reaction[lane] = FF_KERNEL(dense_pair)(f, lane, g, first[lane], number[lane], v2);
  }
}

static uint32_t FF_KERNEL(reaction_of_dense)(const ff_ssa_factored *f, uint32_t lane, uint32_t g, double v, double v2) {
  _Alignas(64) uint32_t group[FF_SSA_LANES], left[FF_SSA_LANES], reaction[FF_SSA_LANES], first[FF_SSA_LANES];
  for (uint32_t i = 0; i < FF_SSA_LANES; i++) {
    group[i] = i == lane ? g : f->factor->n_groups;
    left[i] = i == lane ? (uint32_t)v : 0;
  }
  for (int hi = 0; hi < IW; hi++) {
    I place;
    I_STORE(IAT(reaction, 0, hi), FF_KERNEL(dense_reaction)(f, I_LOAD(IAT(group, 0, hi)), I_LOAD(IAT(left, 0, hi)), hi, &place));
    I_STORE(IAT(first, 0, hi), place);
  }
  if (f->factor->groups[g].kind != FF_GROUP_POOL) return reaction[lane];
  return FF_KERNEL(dense_pair)(f, lane, g, first[lane], v, v2);
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

/* Adds bytes to a line of cells. */
FF_INLINED void FF_KERNEL(dense_line)(int32_t *to, const int8_t by[FF_DENSE_LINE]) {
#if VL >= 4
  const __m256i x = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)by));
  _mm256_store_si256((void *)to, _mm256_add_epi32(_mm256_load_si256((const void *)to), x));
#else
  for (uint32_t i = 0; i < FF_DENSE_LINE; i++) to[i] += by[i];
#endif
}

/* Adds the lines of a block to the cells of a lane. */
FF_INLINED void FF_KERNEL(dense_block)(int32_t *cells, const ff_ssa_dense_block *block) {
  FF_UNROLLED for (uint32_t i = 0; i < FF_DENSE_FEW; i++)
    FF_KERNEL(dense_line)(cells + block->line[i] * FF_DENSE_LINE, block->by[i]);
}

/* The same if a block has all lines in their order. */
FF_INLINED void FF_KERNEL(dense_all)(int32_t *cells, const ff_ssa_dense_block *block, uint32_t lines) {
  for (uint32_t i = 0; i < lines; i += 2) {
    int32_t *to = cells + i * FF_DENSE_LINE;
#if VL == 8
    const __m512i by = _mm512_cvtepi8_epi32(_mm_load_si128((const void *)block->by[i]));
    _mm512_store_si512((void *)to, _mm512_add_epi32(_mm512_load_si512((void *)to), by));
#else
    FF_KERNEL(dense_line)(to, block->by[i]);
    FF_KERNEL(dense_line)(to + FF_DENSE_LINE, block->by[i + 1]);
#endif
  }
}

/* Changes the cells. If there are many, one block of each reaction is added without a look at its length, which the processor
 * would often guess wrong. Few reactions have more blocks. */
FF_INLINED void FF_KERNEL(dense_cells)(const ff_ssa_factored *f, const uint32_t reaction[FF_SSA_LANES]) {
  const ff_ssa_dense_block *blocks = f->dense->blocks;
  const uint32_t *next = f->dense->next, lines = f->dense->lines;
  const size_t stride = f->stride;
  int32_t *cells = f->small;
  uint32_t more = 0;
  for (uint32_t lane = 0; lane < FF_SSA_LANES && lines <= FF_DENSE_FEW; lane++)
    FF_KERNEL(dense_all)(cells + lane * stride, blocks + reaction[lane], lines);
  for (uint32_t lane = 0; lane < FF_SSA_LANES && lines > FF_DENSE_FEW; lane++) {
    const ff_ssa_dense_block *block = blocks + reaction[lane];
    FF_KERNEL(dense_block)(cells + lane * stride, block);
    more |= (uint32_t)(block->more > 0) << lane;
  }
  for (; more != 0; more &= more - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(more);
    for (uint32_t i = 0; i < blocks[reaction[lane]].more; i++)
      FF_KERNEL(dense_block)(cells + lane * stride, blocks + next[reaction[lane]] + i);
  }
}

static inline void FF_KERNEL(dense_change)(ff_ssa_factored *f) {
  const ff_ssa_dense *d = f->dense;
  const uint32_t n_sums = f->factor->n_sums;
  uint32_t *rows = (uint32_t *)f->rows, *totals = rows + FF_FACTOR_ROW_OF_SUM(f->vector.lanes.program, 0) * FF_SSA_LANES;
  _Alignas(64) uint32_t reaction[FF_SSA_LANES];
  FF_KERNEL(dense_choose)(f, reaction);
  FF_KERNEL(dense_cells)(f, reaction);
  for (int hi = 0; hi < IW; hi++) {
    const I record = I_MUL(I_LOAD(IAT(reaction, 0, hi)), I_SET(d->n_words));
    for (uint32_t i = 0; i < d->n_changes; i++) {
      const I word = I_GATHER(d->words + i, record), at = FF_KERNEL(dense_row)(word, hi);
      I_SCATTER(rows, at, I_ADD(I_GATHER(rows, at), I_RIGHT_SIGNED(word, 24)));
    }
    for (uint32_t i = 0; i < n_sums; i += 4) {
      const I word = I_GATHER(d->words + d->n_changes + i / 4, record);
      uint32_t *total = IAT(totals, i, hi);
      I_STORE(total, I_ADD(I_LOAD(total), I_RIGHT_SIGNED(I_LEFT(word, 24), 24)));
      if (i + 1 < n_sums) I_STORE(IAT(total, 1, 0), I_ADD(I_LOAD(IAT(total, 1, 0)), I_RIGHT_SIGNED(I_LEFT(word, 16), 24)));
      if (i + 2 < n_sums) I_STORE(IAT(total, 2, 0), I_ADD(I_LOAD(IAT(total, 2, 0)), I_RIGHT_SIGNED(I_LEFT(word, 8), 24)));
      if (i + 3 < n_sums) I_STORE(IAT(total, 3, 0), I_ADD(I_LOAD(IAT(total, 3, 0)), I_RIGHT_SIGNED(word, 24)));
    }
  }
}

/* ---- the next step ----------------------------------------------------------------------------------------------------- */

/* The propensity of a group. Those of kind FF_GROUP_REST have been computed. */
FF_INLINED D FF_KERNEL(dense_value)(const ff_ssa_factored *f, uint32_t g, int h) {
  const ff_ssa_factor_group *group = f->factor->groups + g;
  if (group->kind == FF_GROUP_REST) return D_LOAD(AT(f->vector.value, g, h));
  const D b = D_LOAD_SMALL(AT(f->rows, group->b, h)), rate = D_SET(group->rate);
  if (group->kind == FF_GROUP_PLAIN) return rate * b;
  return rate * (D_LOAD_SMALL(AT(f->rows, group->a, h)) - D_SET(group->less)) * b;
}

/* Chooses among n children by their prefix sums, as ff_ssa_tree_find(). */
FF_INLINED D FF_KERNEL(dense_pick)(const D sum[FF_SSA_FAN + 1], const D child[FF_SSA_FAN], uint32_t n, D at, D *before, D *leaf) {
  const D below = FF_KERNEL(below)(at, sum[FF_SSA_FAN]);
  D chosen = D_SET(0.0);
  *before = D_SET(0.0);
  *leaf = child[0];
  FF_UNROLLED for (uint32_t i = 1; i < FF_SSA_FAN; i++) {
    if (i >= n) break;
    const M passed = D_MOST(sum[i], below);
    chosen = D_PICK(passed, D_SET((double)i), chosen);
    *before = D_PICK(passed, sum[i], *before);
    *leaf = D_PICK(passed, child[i], *leaf);
  }
  return chosen;
}

/* Chooses the groups of the next steps of vector h among those of so many nodes. Returns the number, and the sum of all. */
FF_INLINED D FF_KERNEL(dense_group)(const ff_ssa_factored *f, const uint32_t nodes, int h, D choice, D *total, D *share) {
  const uint32_t n = f->factor->n_groups;
  D value[FF_DENSE_NODES][FF_SSA_FAN], node[FF_SSA_FAN], sum[FF_SSA_FAN + 1], before, leaf;
  FF_UNROLLED for (uint32_t g = 0; g < nodes; g++) {
    FF_UNROLLED for (uint32_t i = 0; i < FF_SSA_FAN; i++) {
      value[g][i] = D_SET(0.0);
      if (g * FF_SSA_FAN + i < n) value[g][i] = FF_KERNEL(dense_value)(f, g * FF_SSA_FAN + i, h);
    }
    FF_KERNEL(prefix)(sum, value[g]);
    node[g] = sum[FF_SSA_FAN];
  }
  *total = sum[FF_SSA_FAN];
  if (nodes == 1) {
    const D at = choice * *total, chosen = FF_KERNEL(dense_pick)(sum, value[0], n, at, &before, &leaf);
    *share = (at - before) / leaf;
    return chosen;
  }
  FF_UNROLLED for (uint32_t g = nodes; g < FF_SSA_FAN; g++) node[g] = D_SET(0.0);
  FF_KERNEL(prefix)(sum, node);
  *total = sum[FF_SSA_FAN];
  D at = choice * *total;
  const D above = FF_KERNEL(dense_pick)(sum, node, nodes, at, &before, &leaf);
  D child[FF_SSA_FAN];
  at = at - before;
  FF_UNROLLED for (uint32_t i = 0; i < FF_SSA_FAN; i++) child[i] = value[0][i];
  FF_UNROLLED for (uint32_t g = 1; g < nodes; g++) {
    const M is = D_MOST(D_SET((double)g), above);
    FF_UNROLLED for (uint32_t i = 0; i < FF_SSA_FAN; i++) child[i] = D_PICK(is, value[g][i], child[i]);
  }
  FF_KERNEL(prefix)(sum, child);
  const D chosen = FF_KERNEL(dense_pick)(sum, child, FF_SSA_FAN, at, &before, &leaf);
  *share = (at - before) / leaf;
  return above * D_SET((double)FF_SSA_FAN) + chosen;
}

/* As FF_KERNEL(sums) and FF_KERNEL(next_steps), with the same bits. */
FF_INLINED void FF_KERNEL(dense_next)(ff_ssa_factored *f, const uint32_t nodes) {
  ff_ssa_vector16 *w = &f->vector;
  const size_t drawn = w->lanes.drawn;
  for (int hi = 0; hi < IW; hi++) {
    D group[IL / VL];
    FF_UNROLLED for (int part = 0; part < IL / VL; part++) {
      const int h = hi * (IL / VL) + part;
      D sum, share;
      const D chosen = FF_KERNEL(dense_group)(f, nodes, h, D_LOAD(AT(w->lanes.choice, drawn, h)), &sum, &share);
      const D time = D_LOAD(AT(w->lanes.time, 0, h)) + D_LOAD(AT(w->lanes.wait, drawn, h)) / sum;
      const M some = D_LESS(D_SET(0.0), sum), is_finite = D_LESS(sum, D_SET(INFINITY)), chooses = M_AND(some, is_finite);
      w->lanes.base.broken |= (uint64_t)M_BITS(M_NOT(is_finite)) << (h * VL);
      D_STORE(AT(w->lanes.next_time, 0, h), D_PICK(some, time, D_SET(INFINITY)));
      D_STORE(AT(f->share, 0, h), D_PICK(chooses, share, D_SET(0.0)));
      group[part] = D_PICK(chooses, chosen, D_SET((double)f->factor->n_groups));
    }
    I_STORE(IAT(f->group, 0, hi), I_OF(group));
  }
}

static inline void FF_KERNEL(dense_look)(ff_ssa_factored *f) {
  const ff_ssa_factor *factor = f->factor;
  FF_KERNEL(rest_small)(f);
  switch ((factor->n_groups + FF_SSA_FAN - 1) / FF_SSA_FAN) {
    case 1: FF_KERNEL(dense_next)(f, 1); break;
    case 2: FF_KERNEL(dense_next)(f, 2); break;
    case 3: FF_KERNEL(dense_next)(f, 3); break;
    default: FF_KERNEL(dense_next)(f, 4);
  }
}
