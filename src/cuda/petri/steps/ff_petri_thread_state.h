/* What a thread keeps of a trajectory, and the levels within a segment. A part of ff_petri_thread.h.
 *
 * Nearly all is in rows of shared memory, which have an element for each thread of a block: a thread has registers for the step
 * that it makes, not for the state as well. */
#ifndef FF_PETRI_THREAD_STATE_H
#define FF_PETRI_THREAD_STATE_H

#include "../../../ode/ff_ode_pace_math.h"
#include "../../../petri/path/ff_petri_draws.h"
#include "../../../petri/path/ff_petri_hazard_math.h"
#include "../../../petri/path/ff_petri_segment_math.h"
/* Bounds are computed here, also on the host. */
#define FF_FORMULA_VALUE ff_formula_value_of
#define FF_PETRI_VALUE ff_petri_formula_at
#define FF_PETRI_RANGE ff_petri_bound_range
#define FF_PETRI_SPAN ff_petri_bound_span
#include "../../../petri/within/ff_petri_peak_math.h"
#include "../../device/ff_launch.h"
#include "../../runtime/ff_warp.h"
#if P_WINDOWS
#include "ff_petri_tissue.h"
#endif
#include "ff_petri_thread_spans.h"

#define P_NONE 0xFFFFFFFFu
#define P_ROOM(n) ((n) > 0u ? (n) : 1u)
#define P_EACH(i, n) FF_UNROLL for (uint32_t i = 0; i < (n); i++)
#define P_HAS(bits, i) ((uint32_t)((bits) >> (i)) & 1u)
#define P_BIT(i) (1u << (i))
#define P_INFINITY ff_math_infinity()
#define P_DOUBT (FF_PETRI_DOUBT * P_ABSOLUTE)
#define P_SIZE (P_ABSOLUTE / P_RELATIVE) /* of levels, for errors */
#define P_IS_SINGLE(c) P_HAS(P_SINGLES, (c))
#define P_TIMED (P_TIMED_FLOWS || P_TIMED_PROFILES)

/* Loops over groups: the code of many groups would be long. */
#if P_GROUPS > 2
#define P_EACH_GROUP(g) FF_NO_UNROLL for (uint32_t g = 0; g < P_GROUPS; g++)
#else
#define P_EACH_GROUP(g) P_EACH(g, P_GROUPS)
#endif

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_COUNT_LANES(condition) ((uint32_t)__popc(__ballot_sync(0xFFFFFFFFu, (condition))))
#define P_FETCH_ADD(at, n) atomicAdd((unsigned long long *)(at), (unsigned long long)(n))
#define P_OR(at, bits) atomicOr((at), (bits))
#define P_CLOCK(out) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out))
#define P_APART static __device__ __noinline__ /* a function for a rare case: its caller needs no registers for it */
#define P_DATA static __device__ const
#define P_TABLE static __constant__ const
#define P_BY_EIGHT _Pragma("unroll 8") /* for loops that read much */
#define P_IS_FIRST_LANE ((threadIdx.x & 31u) == 0u)
#else
#define P_COUNT_LANES(condition) ((uint32_t)((condition) != 0))
#define P_FETCH_ADD(at, n) __atomic_fetch_add((at), (n), __ATOMIC_RELAXED)
#define P_OR(at, bits) __atomic_fetch_or((at), (bits), __ATOMIC_RELAXED)
#define P_CLOCK(out) ((out) = 0u)
#define P_APART static
#define P_DATA static const
#define P_TABLE static const
#define P_BY_EIGHT
#define P_IS_FIRST_LANE 1
#endif

#define P_NODES (FF_ODE_EXPLICIT_STAGES - 1u) /* times of a step at which slopes are computed */

/* From P_ENDS on, phases are rare. */
enum { P_EMPTY, P_BEGINS, P_STEPS, P_LOOKS, P_SEARCHES, P_BOUNDS, P_FIRES, P_ENDS, P_REFUSES, P_IS_FULL, P_NEW, P_STIFF_STEPS };

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

enum { P_CURVE = FF_ODE_DENSE - 1 }; /* numbers of a level's curve, besides y: c[1] is y - c[0] */

/* Real numbers: number i of a thread. */
#define P_AT_Y 0u                   /* levels at the end of the solver's last step; or at `now`, if P_OWN */
#define P_AT_CURVE (P_AT_Y + P_LEVELS)                           /* coefficients of levels in the segment */
#define P_AT_C (P_AT_CURVE + P_CURVE * P_LEVELS)                 /* of integrals of profiles but 0, if they have one piece */
#define P_AT_KNOWN (P_AT_C + FF_PETRI_DEGREE * (P_PROFILES - 1u)) /* if some are curved: area, error, allowed */
#define P_AT_SUM (P_AT_KNOWN + (P_PIECES > 0u ? 3u * (P_PROFILES - 1u) : 0u)) /* of coefficients of cells */
#define P_OF_GROUP (P_SHARED ? 6u : 5u)
#define P_AT_GROUP (P_AT_SUM + P_CELLS)                          /* left, choice, since, rate, candidate; whole */
#define P_AT_REAL (P_AT_GROUP + P_OF_GROUP * P_GROUPS)
#define P_AT_DERIVED (P_AT_REAL + P_REALS)
#define P_AT_LENGTHS (P_AT_DERIVED + P_DERIVED)                  /* of steps: next, tried, shortest; reach; most; wanted */
#define P_AT_TIME (P_AT_LENGTHS + 6u)                            /* the time for which the solver computes the first slopes */
#define P_AT_SLOPE P_AT_TIME /* with given levels instead: slopes at the start of the step, and at its end */
#define P_OF_TIME (P_TIMED_FLOWS ? P_IMPLICIT ? 2u : 1u : 0u)
#define P_AT_INSTANT (P_AT_TIME + (P_GIVEN ? 2u * P_LEVELS : P_OF_TIME)) /* see ff_petri_thread_instant.h */
#define P_AT_TIMES (P_AT_INSTANT + P_INSTANT_REALS) /* in a pool: now, from, to */
#define P_REAL_ROWS (P_AT_TIMES + (P_POOL ? 3u : 0u))

/* Element i of a row is that of thread i, or of trajectory i of a pool. On the device by the name of the shared memory: through a
 * pointer, accesses would take more instructions, and longer. On the host, a thread has its own rows, or a small pool. */
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
extern __shared__ __align__(16) double p_rows[];
#if P_POOL
#define P_ELEMENT(i) ((i) * P_SLOTS + t->at)
#else
#define P_ELEMENT(i) ((i) * P_SLOTS + threadIdx.x)
#endif
#define P_REAL(i) (p_rows[P_ELEMENT(i)])
#define P_WORD(i) (((uint32_t *)(p_rows + P_REAL_ROWS * P_SLOTS))[P_ELEMENT(i)])
#else
#undef P_THREADS
#undef P_SLOTS
#if P_POOL
#ifndef P_HOST_THREADS
#define P_HOST_THREADS 1u
#endif
#define P_THREADS P_HOST_THREADS
#define P_SLOTS 4u
#define P_ELEMENT(i) ((i) * P_SLOTS + t->at)
#else
#define P_THREADS 1u
#define P_SLOTS 1u
#define P_ELEMENT(i) (i)
#endif
#define P_REAL(i) (t->real[P_ELEMENT(i)])
#define P_WORD(i) (t->word[P_ELEMENT(i)])
#endif
#define P_Y(i) P_REAL(P_AT_Y + (i))
#define P_C(k, i) P_REAL(P_AT_C + FF_PETRI_DEGREE * ((k) - 1u) + (i))
#define P_AREA(k) P_REAL(P_AT_KNOWN + 3u * ((k) - 1u))
#define P_ERROR(k) P_REAL(P_AT_KNOWN + 3u * ((k) - 1u) + 1u)
#define P_ALLOWED(k) P_REAL(P_AT_KNOWN + 3u * ((k) - 1u) + 2u)
#define P_SUM(c) P_REAL(P_AT_SUM + (c))
#define P_LEFT(g) P_REAL(P_AT_GROUP + P_OF_GROUP * (g))       /* of a threshold, at P_SINCE */
#define P_CHOICE(g) P_REAL(P_AT_GROUP + P_OF_GROUP * (g) + 1u)
#define P_SINCE(g) P_REAL(P_AT_GROUP + P_OF_GROUP * (g) + 2u)
#define P_RATE(g) P_REAL(P_AT_GROUP + P_OF_GROUP * (g) + 3u)
/* When a group fires; where `pending`, the integral at which it does. */
#define P_CANDIDATE(g) P_REAL(P_AT_GROUP + P_OF_GROUP * (g) + 4u)
/* If P_SHARED: its integral over the segment, when it was searched. */
#define P_WHOLE(g) P_REAL(P_AT_GROUP + P_OF_GROUP * (g) + 5u)
#define P_R(i) P_REAL(P_AT_REAL + (i))
#define P_D(i) P_REAL(P_AT_DERIVED + (i))
#define P_FIRST_LENGTH P_REAL(P_AT_TIME + 1u) /* of the first try of an implicit step, while it is tried; else 0 */
#define P_SLOPE(i) P_REAL(P_AT_SLOPE + (i))
#define P_END_SLOPE(i) P_REAL(P_AT_SLOPE + P_LEVELS + (i))
#define P_NEXT P_REAL(P_AT_LENGTHS)
#define P_TRIED P_REAL(P_AT_LENGTHS + 1u)
#define P_SHORTEST P_REAL(P_AT_LENGTHS + 2u)
#define P_REACH P_REAL(P_AT_LENGTHS + 3u)
#define P_MOST P_REAL(P_AT_LENGTHS + 4u)   /* where the step ends at the latest */
#define P_WANTED P_REAL(P_AT_LENGTHS + 5u) /* the next time that is recorded */

/* Words. */
#define P_AT_FIRED P_COUNTS
#define P_AT_PIECES (P_AT_FIRED + P_GROUPS) /* if profiles are curved: the first piece, and how many */
#define P_AT_OTHERS (P_AT_PIECES + (P_PIECES > 0u ? 2u * (P_PROFILES - 1u) : 0u))
#define P_LOOKS_AGAIN (P_NARROW > 0u || P_PIECES > 0u) /* whether a step or a segment may take more than one look */
/* Of neighbours: the piece in which the step begins, and in the highest bit the wave. */
#define P_AT_NEAR (P_AT_OTHERS + (P_LOOKS_AGAIN ? 8u : 5u))
#define P_AT_INSTANT_WORDS (P_AT_NEAR + P_NEAR)
#define P_AT_REST (P_AT_INSTANT_WORDS + P_INSTANT_WORDS) /* in a pool: what is in registers while a thread has the trajectory */
#define P_WORD_ROWS (P_AT_REST + (P_POOL ? 8u : 0u))

/* The solver's step, of which a crossing may end a segment: its end, and the part that the segment is. */
#if P_SWITCHES > 0u
#define P_AT_SWITCHES (P_AT_INSTANT + P_INSTANT_REALS - 4u)
#define P_STEP_TO P_REAL(P_AT_SWITCHES)
#define P_PART P_REAL(P_AT_SWITCHES + 1u)
#define P_OF_STEP(s) ((s) * P_PART)
#define P_STEP_LENGTH(length) ((length) / P_PART)
#else
#define P_STEP_TO (t->to)
#define P_OF_STEP(s) (s)
#define P_STEP_LENGTH(length) (length)
#endif

#define P_X(i) P_WORD(i)
#define P_FIRED(g) P_WORD(P_AT_FIRED + (g))
#define P_FIRST(k) P_WORD(P_AT_PIECES + 2u * ((k) - 1u))
#define P_N(k) P_WORD(P_AT_PIECES + 2u * ((k) - 1u) + 1u)
#define P_UNIT P_WORD(P_AT_OTHERS)         /* the trajectory's number in the wave */
#define P_NUMBER P_WORD(P_AT_OTHERS + 1u)  /* of the next time that is recorded */
#define P_FIRINGS P_WORD(P_AT_OTHERS + 2u)
#define P_STIFF P_WORD(P_AT_OTHERS + 3u)
#define P_CALM P_WORD(P_AT_OTHERS + 4u)
#define P_TRIES P_WORD(P_AT_OTHERS + 5u)   /* this word and the next ones are there if P_LOOKS_AGAIN */
#define P_ASKED P_WORD(P_AT_OTHERS + 6u)   /* flows to look at; or the cell whose profile takes more than one try */
#define P_PIECES_USED P_WORD(P_AT_OTHERS + 7u)

#define P_PHASE P_WORD(P_AT_REST)

#define P_WORDS (2u * P_REAL_ROWS + P_WORD_ROWS + (P_POOL ? 0u : 14u)) /* that a slot keeps: the rows, and what is in registers */
#if !P_WINDOWS
/* Whether the generator knows how many rows there are. */
typedef char p_has_its_words[P_WORDS <= P_SLOT_WORDS && P_REAL_ROWS == P_REALS_IN_ALL && P_WORD_ROWS == P_WORDS_IN_ALL ? 1 : -1];
#endif

/* ---- a thread ----------------------------------------------------------------------------------------------------------- */

/* A formula that bounds are asked for: symbol k is level read[k], the value read[k] - P_LEVELS of p_value(), or for P_NONE the
 * time. */
typedef struct {
  const ff_formula_word *word;
  const uint32_t *read;
  uint32_t length, n;
} p_formula;

/* What is true of a trajectory. */
enum {
  P_OWN = 1,     /* P_Y has the levels at `now` */
  P_FLAT = 2,    /* no level moves in the segment */
  P_STIRRED = 4, /* the segment ends now, as flows have changed */
  P_FRESH = 8,   /* no step was made since the solution began, or went on in another state */
  P_FIRST_TRY = 16,
  P_TOLD = 32,   /* the segment is in the wave of the block */
  P_OVER = 64,   /* a condition ends the trajectory now */
  P_SOUGHT = 128, /* it is known whether the segment ends with a crossing, */
  P_CROSSING = 256, /* and it does */
  P_IS_STIFF = 512, /* the next step is implicit, */
  P_BY_IMPLICIT = 1024 /* and the last one was */
};

typedef struct {
  const ff_launch *run;
#if !defined(__CUDACC_RTC__) && !defined(__CUDA_ARCH__)
  double *real;
  uint32_t *word;
  struct p_pool *pool;
  uint32_t thread; /* of those that share the pool */
#endif
  ff_petri_part *piece;
#if P_POOL
  uint32_t at;           /* which trajectory of the block's pool this is */
#endif
  double now, from, to;  /* as in ff_petri_path; a segment ends at `to` */
  uint32_t phase, is;
  uint32_t varies, dirty, pending;  /* bits of groups */
  uint32_t cells;        /* bits of cells: those whose coefficients are not 0, and whose profile is not 1 */
  uint32_t integrated;   /* bits of profiles: those that are integrated over the segment, */
  uint32_t several;      /* and those of them that take several pieces */
#if P_WINDOWS
  const ff_petri_tissue *net;
  char *memory;          /* of the slot */
  const double *stop;    /* ascending times at which segments end; the last one is the end of the window */
  double end, window;    /* the end of the window, and its length */
  uint32_t n_stops, at_stop;
  uint32_t block, sweep, unit;
  uint32_t writes;       /* which wave of the block, */
  uint32_t n_pieces, n_kinks, first, room; /* and what it has so far: see ff_petri_told */
#else
  const double *initial; /* of each place; then come the numbers of the point */
  const uint32_t *table; /* for each place its number among what is recorded, or P_NONE */
#endif
} p_thread;

/* Cell c has this sum of coefficients. */
#define P_SET_SUM(c, sum)                                                                                 \
  do {                                                                                                    \
    P_SUM(c) = (sum);                                                                                     \
    if (P_PROFILE_OF(c) != 0u) t->cells = (sum) != 0 ? t->cells | P_BIT(c) : t->cells & ~P_BIT(c);        \
  } while (0)

P_TABLE ff_petri_point p_points[FF_PETRI_POINTS] = FF_PETRI_POINT_TABLE;

/* What a firing has done. */
enum { P_CHANGES_STIR = 1, P_CHANGES_FAIL = 2 };

FF_WARP int p_serve(p_thread *t, double next_time);
#if P_UNTIL
FF_WARP int p_is_over(const p_thread *t);
#endif
#if P_INSTANT
FF_WARP int p_begin_instant(p_thread *t);
#endif
#if P_SWITCHES > 0u
FF_WARP void p_set_switches(p_thread *t, uint32_t level);
P_APART p_thread p_seek(p_thread own);
#endif
#if P_CLOCKS > 0u
FF_WARP uint32_t p_first_clock(const p_thread *t, double *time);
FF_WARP double p_end_by_clocks(const p_thread *t, double most);
#endif
FF_WARP void p_draw(p_thread *t, uint32_t g);
FF_WARP int p_derive(p_thread *t);
FF_WARP void p_slopes(const p_thread *t, double time, const double *y, double *out);
FF_WARP double p_profile(const p_thread *t, uint32_t k, const double *y, double time);
FF_WARP p_span p_profile_span(const p_thread *t, uint32_t k, const p_span *span);
FF_WARP int p_sums(p_thread *t, uint32_t g);
FF_WARP uint32_t p_member(const p_thread *t, uint32_t c, double x);
FF_WARP uint32_t p_change(p_thread *t, uint32_t m, double now);
FF_WARP int p_stirs(uint32_t m);
FF_WARP double p_value(const p_thread *t, uint32_t i);
FF_WARP p_formula p_profile_formula(uint32_t k);
FF_WARP ff_range p_profile_outline(const p_thread *t, uint32_t k, double a, double b);
FF_WARP ff_range p_profile_bound(const p_thread *t, uint32_t k, double a, double b);
#if P_NARROW > 0u
FF_WARP double p_rate(const p_thread *t, uint32_t f, const double *y);
FF_WARP p_span p_rate_span(const p_thread *t, uint32_t f, const p_span *span);
FF_WARP double p_rate_slack(const p_thread *t, uint32_t f, const double *y, double length);
FF_WARP p_formula p_rate_formula(uint32_t f);
FF_WARP ff_range p_rate_outline(const p_thread *t, uint32_t f, double a, double b);
FF_WARP ff_range p_rate_bound(const p_thread *t, uint32_t f, double a, double b);
#endif

/* Gives a thread its rows, which have names on the device. */
FF_WARP void p_use_rows(p_thread *t, double *real, uint32_t *word) {
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  (void)t;
  (void)real;
  (void)word;
#else
  t->real = real;
  t->word = word;
#endif
}

FF_WARP int p_is_bad(double x) { return !(ff_math_absolute(x) < P_INFINITY); }
FF_WARP double p_clip(double level) { return level < 0 ? 0 : level; }
FF_WARP double p_length(const p_thread *t) { return t->to - t->from; }

/* What a firing makes of a place: whether it can be a count or a level, which errors may bring below 0. */
FF_WARP int p_is_count(double x) { return x >= 0 && x <= (double)P_LARGEST && x == (double)(uint32_t)x; }
FF_WARP int p_is_level(double x) { return ff_petri_is_marking(x, 1); }
FF_WARP double p_mended(double level) { return ff_petri_mended(level, P_DOUBT); }

/* ---- levels ------------------------------------------------------------------------------------------------------------- */

/* The coefficients of a level in the segment. */
FF_WARP void p_curve(const p_thread *t, uint32_t i, double *c) {
  const uint32_t at = P_AT_CURVE + P_CURVE * i;
  c[0] = P_REAL(at);
  c[1] = P_Y(i) - c[0];
  c[2] = P_REAL(at + 1u);
  c[3] = P_REAL(at + 2u);
  c[4] = P_REAL(at + 3u);
}

/* A level at a time of the segment. */
FF_WARP double p_level_at(const p_thread *t, uint32_t i, double time) {
  double c[FF_ODE_DENSE];
  if ((t->is & P_OWN) || (time > t->from && time >= P_STEP_TO)) return P_Y(i);
  if (time <= t->from) return P_REAL(P_AT_CURVE + P_CURVE * i);
  p_curve(t, i, c);
  return ff_ode_dense_value(c, (time - t->from) / (P_STEP_TO - t->from));
}

FF_WARP void p_levels_at(const p_thread *t, double time, double *out) { P_EACH(i, P_LEVELS) out[i] = p_level_at(t, i, time); }

/* Levels become those at `now`. */
FF_WARP void p_own_levels(p_thread *t) {
  double y[P_ROOM(P_LEVELS)];
  if (t->is & P_OWN) return;
  p_levels_at(t, t->now, y);
  P_EACH(i, P_LEVELS) P_Y(i) = y[i];
  t->is |= P_OWN;
}

#endif
