/* What steps read of given levels: all of it is read before a step is tried. A part of ff_petri_sweep.h.
 *
 * Lanes that wait to try steps read side by side. If they are few, the whole warp reads for one after the other: a sweep lasts as
 * long as its slowest block, and most of a step's time is that of reading. */
#ifndef FF_PETRI_SWEEP_SEES_H
#define FF_PETRI_SWEEP_SEES_H

#if P_GIVEN
#define P_FEW 6u       /* lanes, for which all read together */
#define P_PARTS 8u     /* lanes for a term: see ff_petri_piece_part() */
#define P_ALL_PARTS 255u
#define P_TOGETHER 4u  /* terms that are read at the same time */
#define P_TERM_OF(lane) ((lane) & ~(P_PARTS - 1u)) /* the first lane of its term */

/* What lane `owner` knows. On the host, a warp has one block, which is read together or not as its number says: tests compare. */
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_FROM_OWNER(x) __shfl_sync(0xFFFFFFFFu, (x), (int)owner)
#define P_OF_OWNER(i) ((i) * P_SLOTS + (threadIdx.x & ~31u) + owner)
#define P_REAL_OF_OWNER(i) (p_rows[P_OF_OWNER(i)])
#define P_WORD_OF_OWNER(i) (((const uint32_t *)(p_rows + P_REAL_ROWS * P_SLOTS))[P_OF_OWNER(i)])
#define P_WHO(condition) __ballot_sync(0xFFFFFFFFu, (condition))
#define P_IS_OWNER (lane == owner)
#define P_ARE_FEW(who) (FF_POPCOUNT(who) <= P_FEW)
#define P_LANES(name) (&(name)) /* a variable of each lane, as an argument */
#define P_LANE_AT(at) (*(at))
#else
#define P_FROM_OWNER(x) ((void)owner, (x))
#define P_REAL_OF_OWNER(i) P_REAL(i)
#define P_WORD_OF_OWNER(i) P_WORD(i)
#define P_WHO(condition) ((uint32_t)((condition) != 0))
#define P_IS_OWNER 1
#define P_ARE_FEW(who) ((t->block & 1u) != 0u)
#define P_LANES(name) (name)
#define P_LANE_AT(at) ((at)[lane])
#endif

FF_WARP int p_bends(const p_thread *t, uint32_t j) { return t->net->bends[t->net->near_first[t->block] + j] != 0u; }

/* As sees() of petri/windows/ff_petri_block.c. Sets out[level * P_NODES + stage] to what given levels make of a level at the
 * times of stages. Loops over levels and terms are not unrolled, so that the code that reads a wave is there once. */
FF_WARP int p_sees(const p_thread *t, double h, double *out) {
  const double part = h / t->window;
  int fine = 1;
  P_EACH(i, P_LEVELS) {
    FF_UNROLL for (uint32_t k = 0u; k < P_NODES; k++) out[i * P_NODES + k] = 0;
  }
  FF_NO_UNROLL for (uint32_t level = 0u; level < P_LEVELS; level++) {
    const uint32_t *terms = p_terms(t, level);
    const double most = FF_PETRI_UNSEEN * part * (P_ABSOLUTE + P_RELATIVE * ff_math_absolute(P_Y(level)));
    double sum[P_NODES] = {0}, end = 0, middle = 0;
    FF_NO_UNROLL for (uint32_t term = terms[0]; term < terms[1]; term++) {
      const uint32_t g = t->net->linear_value[term] - P_LEVELS;
      const double by = t->net->linear_by[term];
      const p_source from = p_source_of(t, g);
      ff_petri_reading own;
      ff_petri_piece_read(from.first, from.n, P_PIECE, from.at, from.level, t->from, h, &own);
      const int bends = p_bends(t, t->net->given[t->net->given_first[t->block] + g].neighbour);
      FF_UNROLL for (uint32_t k = 0u; k < P_NODES; k++) {
        const double x = own.x[k] > 0 ? own.x[k] : 0;
        sum[k] += by * (k > 0u && k + 1u < P_NODES && !bends ? x + own.shift : x);
      }
      if (bends) continue;
      fine &= own.spanned <= FF_PETRI_MOST_SPANNED;
      end += by * own.end;
      middle += by * own.middle;
    }
    fine &= ff_math_absolute(end) <= most && ff_math_absolute(middle) <= most;
    P_EACH(i, P_LEVELS) {
      FF_UNROLL for (uint32_t k = 0u; k < P_NODES; k++) out[i * P_NODES + k] = i == level ? sum[k] : out[i * P_NODES + k];
    }
  }
  return fine;
}

/* The block whose given levels all lanes read, and its step. */
typedef struct {
  const ff_petri_source *given;
  uint32_t block;
  double from, h;
} p_reader;

/* A term that a lane reads a part of. */
typedef struct {
  double by; /* 0 if there is none */
  uint32_t bends, spanned;
} p_term;

typedef struct {
  double part[P_PARTS];
} p_parts;

/* Part k of what a step reads for a term. `row`: that of the neighbour. */
FF_WARP double p_read_part(const p_thread *t, const p_reader *of, uint32_t term, uint32_t row, ff_petri_source source, uint32_t k,
                           p_term *out) {
  const ff_petri_tissue *net = t->net;
  const uint32_t j = net->near_first[of->block] + source.neighbour, other = net->near[j];
  const uint32_t n = p_told(net, t->memory, row >> 31, other)->n_pieces;
  out->by = net->linear_by[term];
  out->bends = net->bends[j];
  return ff_petri_piece_part(p_near_pieces(t, row, other), n, P_PIECE, P_PIECE_OF(row), source.level, of->from, of->h, k,
                             &out->spanned);
}

/* What part k of a term adds, which is x: to the sum of stage k, or to one of the differences. all: the parts of its term. */
FF_WARP double p_part_adds(const p_term *term, double x, const p_parts *all, int spans, double h, uint32_t k) {
  ff_petri_reading own;
  own.end = own.shift = own.middle = 0;
  P_EACH(i, FF_PETRI_STAGES) own.x[i] = all->part[i];
  if (spans && !term->bends) ff_petri_piece_compare(all->part[FF_PETRI_STAGES], all->part[FF_PETRI_STAGES + 1u], h, &own);
  if (k < FF_PETRI_STAGES) x = (x > 0 ? x : 0) + (k > 0u && k + 1u < P_NODES ? own.shift : 0);
  if (k == FF_PETRI_STAGES) x = own.end;
  if (k > FF_PETRI_STAGES) x = own.middle;
  return term->by * x;
}

/* Adds terms `at` to `end` - 1, P_TOGETHER at most: lane k of each P_PARTS has the sum of part k. Returns whether the step spans
 * few pieces. */
FF_WARP int p_read_terms(const p_thread *t, uint32_t owner, const p_reader *of, uint32_t at, uint32_t end, double *sum) {
  FF_LANE_IN;
  FF_LANE_VAR(double, x);
  FF_LANE_VAR(double, one);
  FF_LANE_VAR(p_term, term);
  FF_LANE_VAR(p_parts, all);
  uint32_t many, spans;
  FF_EACH_LANE {
    const uint32_t own = at + lane / P_PARTS;
    FF_L(x) = FF_L(term).by = 0;
    FF_L(term).bends = FF_L(term).spanned = 0u;
    if (own < end) {
      const ff_petri_source source = of->given[t->net->linear_value[own] - P_LEVELS];
      FF_L(x) = p_read_part(t, of, own, P_WORD_OF_OWNER(P_AT_NEAR + source.neighbour), source, lane % P_PARTS, &FF_L(term));
    }
  }
  FF_BALLOT(many, FF_L(term).spanned > FF_PETRI_MOST_SPANNED && !FF_L(term).bends);
  FF_BALLOT(spans, FF_L(term).spanned > 0u);
  P_EACH(k, P_PARTS) {
    if (spans != 0u) FF_FROM_LANES(one, x, P_TERM_OF(lane) + k);
    FF_EACH_LANE FF_L(all).part[k] = spans != 0u ? FF_L(one) : 0;
  }
  FF_EACH_LANE FF_L(x) = p_part_adds(&FF_L(term), FF_L(x), &FF_L(all), (spans >> P_TERM_OF(lane) & P_ALL_PARTS) != 0u, of->h,
                                     lane % P_PARTS);
  P_EACH(j, P_TOGETHER) {
    FF_FROM_LANES(one, x, j * P_PARTS + lane % P_PARTS);
    FF_EACH_LANE P_LANE_AT(sum) += FF_L(one);
  }
  return many == 0u;
}

/* As p_sees() for the block of one lane, by all lanes. */
FF_WARP int p_sees_together(const p_thread *t, uint32_t owner, double length, double *out) {
  FF_LANE_IN;
  const uint32_t block = P_FROM_OWNER(t->block), *first = p_terms_of(t->net, block);
  const p_reader of = {t->net->given + t->net->given_first[block], block, P_FROM_OWNER(t->from), P_FROM_OWNER(length)};
  const double part = of.h / P_FROM_OWNER(t->window);
  int fine = 1;
  FF_NO_UNROLL for (uint32_t level = 0u; level < P_LEVELS; level++, first += 2) {
    const double most = FF_PETRI_UNSEEN * part * (P_ABSOLUTE + P_RELATIVE * ff_math_absolute(P_REAL_OF_OWNER(P_AT_Y + level)));
    FF_LANE_VAR(double, sum);
    uint32_t misses;
    FF_EACH_LANE FF_L(sum) = 0;
    FF_NO_UNROLL for (uint32_t at = first[0]; at < first[1]; at += P_TOGETHER)
      fine &= p_read_terms(t, owner, &of, at, first[1], P_LANES(sum));
    FF_BALLOT(misses, lane % P_PARTS >= FF_PETRI_STAGES && !(ff_math_absolute(FF_L(sum)) <= most));
    fine &= misses == 0u;
    P_EACH(k, P_NODES) {
      double one;
      FF_FROM_LANE(one, sum, k);
      P_EACH(i, P_LEVELS) out[i * P_NODES + k] = i == level && P_IS_OWNER ? one : out[i * P_NODES + k];
    }
  }
  return fine;
}

/* Reads given levels for the steps of all lanes that ask: see p_sees(). Returns whether a lane sees all. */
FF_WARP int p_reads(const p_thread *t, int asks, double h, double *out) {
  FF_LANE_IN;
  uint32_t who = P_WHO(asks);
  int fine = 1;
  if (!P_ARE_FEW(who)) {
    if (asks) fine = p_sees(t, h, out);
    return fine;
  }
  FF_SYNCWARP(); /* lanes read rows that the owner has written, */
  FF_NO_UNROLL for (; who != 0u; who &= who - 1u) {
    const uint32_t owner = FF_LOWEST(who);
    const int one = p_sees_together(t, owner, h, out);
    if (P_IS_OWNER) fine = one;
  }
  FF_SYNCWARP(); /* and that it writes again */
  return fine;
}

/* As shorter() there. */
FF_WARP double p_shorter(const p_thread *t, double to, double h) {
  const uint32_t n = t->net->near_first[t->block + 1u] - t->net->near_first[t->block];
  const double half = t->from + h / 2, least = t->from + FF_PETRI_HARDLY * h;
  double before = t->from, after = to, most = to;
  FF_NO_UNROLL for (uint32_t j = 0u; j < n; j++) {
    const uint32_t row = P_WORD(P_AT_NEAR + j), wave = row >> 31, other = p_near_block(t, j);
    const uint32_t pieces = p_told(t->net, t->memory, wave, other)->n_pieces;
    const double *piece = p_near_pieces(t, row, other);
    uint32_t spanned = 1u;
    if (p_bends(t, j)) continue;
    FF_NO_UNROLL for (uint32_t k = P_PIECE_OF(row) + 1u; k < pieces; k++, spanned++) {
      const double end = piece[(uint64_t)k * P_PIECE];
      if (!(end < most)) break;
      if (spanned == FF_PETRI_MOST_SPANNED) most = end;
      if (end > least && end <= half && end > before) before = end;
      if (end > half && end < after) after = end;
    }
  }
  return most < to ? most : before > t->from ? before : after;
}
#endif

#endif
