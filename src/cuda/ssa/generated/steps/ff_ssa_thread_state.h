/* What generated code has for a trajectory: what the threads of a block share, what a thread keeps, and where its counts are.
 * A part of ff_ssa_thread.h. */
#ifndef FF_SSA_THREAD_STATE_H
#define FF_SSA_THREAD_STATE_H

#include "../../../../ssa/path/ff_ssa_corrected.h"
#include "../../../../ssa/path/ff_ssa_draws.h"
#ifdef S_FORMULAS
#include "../../../../model/ff_formula_math.h"
#endif
#include "../../../runtime/ff_divide.h"
#include "../../device/ff_ssa_launch.h"
#ifdef S_KEPT
#define S_FIRINGS(t) ((t)->step - (t)->schedule->kept.k.silent)
#define S_WORDS (6u + S_COUNTS + S_ROWS + S_KEPT) /* that a slot keeps */
#else
#define S_FIRINGS(t) ((t)->step)
#ifdef S_SEARCHED
#include "../../device/ff_ssa_sum_parts.h"
#define S_WORDS (6u + S_COUNTS + S_ROWS + 4u + 2u * S_VALUES)
#else
#define S_WORDS (6u + S_COUNTS + S_ROWS)
#endif
#endif

#ifndef S_MANY
#define S_MANY 0
#endif
#ifndef S_APART
#define S_APART 0
#endif
#ifndef S_POOLS
#define S_POOLS 0
#endif
#ifndef S_AHEAD
#define S_AHEAD 0
#endif
#ifndef S_POINTS
#define S_POINTS 0
#endif
#ifndef S_STARTS
#define S_STARTS 0
#endif
#ifndef S_UNTIL
#define S_UNTIL 0
#endif
#ifndef S_FIRES
#define S_FIRES 0
#define S_REACTION_OF(r) (r)
#endif
#ifndef S_DIRECT
#define S_DIRECT 0
#endif
#define S_FEW_RATES 6 /* so many rate constants are kept in registers: the compiler would load them again at each use */
#define S_KEEP_RATES ((S_POINTS || S_DIRECT) && S_RATES <= S_FEW_RATES)
#define S_NONE 0xFFFFFFFFu
#ifndef S_CHUNK
#define S_CHUNK 1024u /* steps between two checks of the counts */
#endif
#define S_LARGEST FF_DEVICE_MOST
#define S_STEPS 0x7FFFFFFFu
#define S_LOGARITHMS (55u * FF_EXPONENTIAL_CELLS)
#define S_LOG_ONE ((1023u + 10u) * FF_EXPONENTIAL_CELLS) /* the number of the first cell of 2^10 */

#define S_ALIGNED(n) __attribute__((aligned(n)))
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define S_ANY(condition) (__any_sync(0xFFFFFFFFu, (condition)) != 0)
#define S_FETCH_ADD(at, n) atomicAdd((unsigned long long *)(at), (unsigned long long)(n))
#define S_OR(at, bits) atomicOr((at), (bits))
#define S_REAL(x) __uint2double_rn(x)
#define S_CLOCK(out) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out))
#else
#define S_ANY(condition) ((condition) != 0)
#define S_FETCH_ADD(at, n) ((*(at) += (n)) - (n))
#define S_OR(at, bits) (*(at) |= (bits))
#define S_REAL(x) ((double)(x))
#define S_CLOCK(out) ((out) = 0u)
#endif

/* What all threads of a block share. The tables begin at multiples of 256 bytes: the size of a table of cells. */
typedef struct S_ALIGNED(256) {
#ifndef S_LOGS
  double first[S_LOGARITHMS]; /* ff_exponential_first() for every k from -54 to 0 */
#endif
  double inverse[FF_EXPONENTIAL_CELLS];
  double p[7];
  double rate[S_FEW_RATES]; /* if S_KEEP_RATES */
  uint32_t key[2 * FF_PHILOX_ROUNDS];
} s_common;
#ifdef S_LOGS
typedef char s_common_has_its_size[sizeof(s_common) == FF_SSA_COMMON_SHORT_BYTES ? 1 : -1];
#else
typedef char s_common_has_its_size[sizeof(s_common) == FF_SSA_COMMON_BYTES ? 1 : -1];
#endif

typedef struct {
  double value[S_RATES];
} s_rates;

typedef struct {
  const ff_launch *run;
  const s_rates *rates;
  const uint32_t *table;
  const s_common *common;
  uint32_t tables;         /* on the device: the address of common in shared memory */
  ff_exponential_numbers numbers;
  uint32_t key[2 * FF_PHILOX_ROUNDS]; /* if S_KEEP_KEYS */
  const uint32_t *big;     /* a table in global memory */
  uint32_t *rows;          /* row i is S_ROW(i) */
  uint32_t *store;         /* words of this thread in global memory */
#ifdef S_HELD
  uint32_t *away;          /* if S_HELD > 0: other such words, laid out like rows */
#endif
  double *sums;            /* if S_MANY or S_SEARCHED: sum i is sums[i * S_THREADS], behind the rows of all threads */
  uint32_t x[S_COUNTS > 0u ? S_COUNTS : 1u];
  double time, wanted;     /* of the last step; the next time that is recorded, infinity if the slot is empty */
  uint32_t unit;           /* the trajectory's number in the wave */
  uint32_t start[4];       /* what Philox makes of its number in three rounds: s_number() */
  uint32_t member;         /* of the first molecule of a pair whose second one has not been chosen; else S_NONE */
#if S_POOLS                /* of that step: */
  uint32_t pool, pool_n, pool_v; /* the group, its sum, and the number of the first molecule */
  double pool_time;
#endif
  double wait, choice;     /* of the next step; kept if S_AHEAD */
  double rate[S_KEEP_RATES ? S_RATES : 1];
#if S_POINTS
  const uint32_t *point;   /* what the trajectory's point has */
  uint32_t point_at, number; /* the point's number in the wave; the trajectory's number in the point */
#endif
  uint32_t step, at;       /* steps so far; the number of the next time that is recorded */
#if S_APART
  uint32_t begins;         /* whether its counts have not been set to those at time 0 */
  uint32_t safe;           /* until this step, no number is too large */
#endif
#ifdef S_SEARCHED
  ff_ssa_corrected sum;
#endif
#ifdef S_KEPT
  s_schedule *schedule;
  double next_time, firing; /* of the next step of any kind; of the next reaction */
  uint32_t next;            /* this reaction */
  uint32_t starts;          /* whether the trajectory is still to begin */
#endif
} s_thread;

#ifdef S_LONG
typedef uint64_t s_sum;
#else
typedef uint32_t s_sum;
#endif

typedef struct {
  uint32_t reaction; /* or the group, for code that chooses further: */
  double share;      /* what is left of the choice, as a part of the group */
  s_sum n;           /* the sum of the group */
#ifdef S_SEARCHED
  uint32_t position; /* of the reaction in the order of the search */
#endif
#ifdef S_MODULES
  uint32_t over;     /* whether a sum is too large for this code */
  s_sum v;           /* the number of the molecule in the group; S_NEAR_EXACTLY computes it if `near` */
  uint32_t near;
  double rest, leaf; /* what is left of the choice, and the propensity of the group */
#endif
} s_next;

#ifdef S_MODULES
#define S_OVER(next) ((next)->over != 0u)
#define S_NEAR(next) ((next)->near != 0u)
#define S_NEAR_EXACTLY(next) s_choose_exactly(next)
#else
#define S_OVER(next) 0
#define S_NEAR(next) 0
#define S_NEAR_EXACTLY(next)
#endif

#ifndef S_QUADS
#define S_QUADS 0 /* whether the rows of a thread are four by four in shared memory */
#endif
#define S_ROW_OFFSET(i) (S_QUADS ? ((i) >> 2) * (4u * S_THREADS) + ((i) & 3u) : (i) * S_THREADS)
#define S_ROW(i) (t->rows[S_ROW_OFFSET(i)])
#if S_POINTS
#define S_LOAD_RATE(i) (((const double *)(t->point + S_POINT_RATES))[i])
#define S_NUMBER(i) (((const double *)(t->point + S_POINT_NUMBERS))[i])
#define S_INITIAL_COUNT(i) (t->point[S_POINT_INITIAL + (i)])
#define S_ROUND_KEY (t->point)
#define S_TRAJECTORY ((uint64_t)t->number)
#else
#define S_LOAD_RATE(i) (t->rates->value[i])
#define S_INITIAL_COUNT(i) (t->table[i])
#define S_ROUND_KEY (t->run->round_key)
#define S_TRAJECTORY (t->run->first + t->unit)
#endif
#define S_RATE(i) (S_KEEP_RATES ? t->rate[S_KEEP_RATES ? (i) : 0] : S_LOAD_RATE(i))

FF_WARP void s_begin(s_thread *t);
#if S_FIRST
FF_WARP double s_first(const s_thread *t, s_next *next);
#else
FF_WARP double s_find(const s_thread *t, double choice, s_next *next);
#endif
FF_WARP void s_fire(s_thread *t, const s_next *next);
FF_WARP void s_record(const s_thread *t, uint32_t *to);
FF_WARP uint32_t s_most(const s_thread *t);
#if S_UNTIL
FF_WARP int s_ends(const s_thread *t);
#endif

/* An empty slot has no time if its counts are apart: then each step sees that there is nothing to do. */
#if S_APART
#define S_IS_EMPTY(t) (!((t)->wanted < ff_math_infinity()))
#define S_START(t) (S_IS_EMPTY(t) ? ff_math_nan() : 0.0)
#else
#define S_START(t) 0.0
#endif

#endif
