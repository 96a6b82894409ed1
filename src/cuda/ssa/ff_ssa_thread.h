/* The parts of generated code that do not depend on the network: a thread runs one trajectory after the other, event by event.
 * ff_ssa_generate.c generates the other parts. The same text is compiled for the device (at run time) and for the host (in
 * tests), where a warp has one thread.
 *
 * The generated text that comes before this one defines
 *   S_REACTIONS         the number that stands for no reaction
 *   S_COUNTS            counts that a thread keeps in registers
 *   S_ROWS              words of shared memory of a thread
 *   S_RATES             rate constants
 *   S_PLAIN             1 if every sum of propensities is 0 or from 1e-200 to 1e250
 *   S_KEEP_KEYS         1 if a thread keeps the words of the key in registers
 *   S_DIRECT            1 if it keeps few rate constants in registers, too
 *   S_FIRST             1 for the first reaction method: s_first() takes the place of s_find()
 *   S_MOST              the most that an event adds to a count or row
 *   S_THREADS, S_BLOCKS threads per block, and blocks per multiprocessor for which registers are limited
 *   S_UNROLL            events in a round of the loop, a power of 2; a launch makes up to S_UNROLL - 1 more than its steps
 *   S_TABLE             words of a table that all threads of a block share
 *   S_STORE             words of global memory of a thread
 *   S_APART             1 if the counts of a network with few groups of reactions are there; see ff_ssa_thread_factored.h
 *   S_FORMULAS          if a rate law is a formula
 *   S_AHEAD             1 if the random numbers of an event are drawn while the one before changes counts, for few threads
 *   S_LOGS              where the second table has ff_ssa_log_first() for every k from -54 to 0; if it is not defined, the shared
 *                       memory of a block has these
 *   S_GROUPS            and what ff_ssa_thread_factored.h wants, if the code is for groups of reactions
 *   S_POINTS            1 if the ensemble has several points, and then the words of a point: S_POINT_WORDS in all, which are the
 *                       key of each round, and from S_POINT_RATES, S_POINT_NUMBERS, S_POINT_LEAVES and S_POINT_INITIAL on rate
 *                       constants, numbers of formulas, rate constants of leaves, and initial counts
 *   S_MODULES           and what ff_ssa_thread_modules.h wants, if the code is for replicated modules
 *   S_SEARCHED             and what ff_ssa_thread_optimised.h wants, if a thread keeps the propensities and corrects their sum
 *   S_KEPT              and what ff_ssa_thread_kept.h wants and declares, if the network has events, or rates that depend on the
 *                       time
 * The text that comes after this one defines
 *   s_begin(t)              sets counts and rows to those at time 0
 *   s_find(t, choice, next) returns the sum of the propensities, and chooses the next reaction, where s_at(choice, sum) is the
 *                           chosen part of it; NaN if a propensity is invalid. If the sum is 0, the reaction is arbitrary
 *   s_first(t, next)        returns the shortest waiting time of a reaction, infinity if none can fire, NaN if a propensity is
 *                           invalid
 *   s_fire(t, next)         changes counts and rows; S_REACTIONS changes nothing
 *   s_record(t, to)         records the counts of the species that are observed
 *   s_most(t)               the largest count or row
 */
#ifndef FF_SSA_THREAD_H
#define FF_SSA_THREAD_H

#include "../../ssa/ff_ssa_draws.h"
#ifdef S_FORMULAS
#include "../../model/ff_formula_math.h"
#endif
#include "../runtime/ff_divide.h"
#include "ff_ssa_launch.h"
#ifdef S_KEPT
#define S_FIRINGS(t) ((t)->event - (t)->schedule->kept.k.silent)
#define S_WORDS (6u + S_COUNTS + S_ROWS + S_KEPT) /* that a slot keeps */
#else
#define S_FIRINGS(t) ((t)->event)
#ifdef S_SEARCHED
#include "ff_ssa_running.h"
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
#ifndef S_DIRECT
#define S_DIRECT 0
#endif
#define S_FEW_RATES 6 /* so many rate constants are kept in registers: the compiler would load them again at each use */
#define S_KEEP_RATES ((S_POINTS || S_DIRECT) && S_RATES <= S_FEW_RATES)
#define S_NONE 0xFFFFFFFFu
#ifndef S_CHUNK
#define S_CHUNK 1024u /* events between two checks of the counts */
#endif
#define S_LARGEST 0x3FFFFFFFu /* equals FF_SSA_DEVICE_MOST */
#define S_EVENTS 0x7FFFFFFFu
#define S_LOGARITHMS (55u * FF_SSA_LOG_CELLS)
#define S_LOG_ONE ((1023u + 10u) * FF_SSA_LOG_CELLS) /* the number of the first cell of 2^10 */

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
  double first[S_LOGARITHMS]; /* ff_ssa_log_first() for every k from -54 to 0 */
#endif
  double inverse[FF_SSA_LOG_CELLS];
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
  const ff_ssa_launch *run;
  const s_rates *rates;
  const uint32_t *table;
  const s_common *common;
  uint32_t tables;         /* on the device: the address of common in shared memory */
  ff_ssa_log_numbers numbers;
  uint32_t key[2 * FF_PHILOX_ROUNDS]; /* if S_KEEP_KEYS */
  const uint32_t *big;     /* a table in global memory */
  uint32_t *rows;          /* row i is S_ROW(i) */
  uint32_t *store;         /* words of this thread in global memory */
#ifdef S_HELD
  uint32_t *away;          /* if S_HELD > 0: other such words, laid out like rows */
#endif
  double *sums;            /* if S_MANY or S_SEARCHED: sum i is sums[i * S_THREADS], behind the rows of all threads */
  uint32_t x[S_COUNTS > 0u ? S_COUNTS : 1u];
  double time, wanted;     /* of the last event; the next time that is recorded, infinity if the slot is empty */
  uint32_t unit;           /* the trajectory's number in the wave */
  uint32_t start[4];       /* what Philox makes of its number in three rounds: s_number() */
  uint32_t member;         /* of the first molecule of a pair whose second one has not been chosen; else S_NONE */
#if S_POOLS                /* of that event: */
  uint32_t pool, pool_n, pool_v; /* the group, its sum, and the number of the first molecule */
  double pool_time;
#endif
  double wait, choice;     /* of the next event; kept if S_AHEAD */
  double rate[S_KEEP_RATES ? S_RATES : 1];
#if S_POINTS
  const uint32_t *point;   /* what the trajectory's point has */
  uint32_t point_at, number; /* the point's number in the wave; the trajectory's number in the point */
#endif
  uint32_t event, at;      /* events so far; the number of the next time that is recorded */
#if S_APART
  uint32_t begins;         /* whether its counts have not been set to those at time 0 */
  uint32_t safe;           /* until this event, no number is too large */
#endif
#ifdef S_SEARCHED
  ff_ssa_running_sum sum;
#endif
#ifdef S_KEPT
  s_schedule *schedule;
  double next_time, firing; /* of the next event of any kind; of the next reaction */
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

/* An empty slot has no time if its counts are apart: then each step sees that there is nothing to do. */
#if S_APART
#define S_IS_EMPTY(t) (!((t)->wanted < ff_math_infinity()))
#define S_START(t) (S_IS_EMPTY(t) ? ff_math_nan() : 0.0)
#else
#define S_START(t) 0.0
#endif

/* ---- draws ---------------------------------------------------------------------------------------------------------------- */

FF_WARP ff_philox_block s_random(const s_thread *t, uint32_t purpose, uint32_t block) {
  const ff_philox_block counter = ff_philox_counter(purpose, block, t->event, S_TRAJECTORY);
  return ff_philox_rounds(S_KEEP_KEYS ? t->key : S_ROUND_KEY, 0, counter);
}

/* s_random(t, FF_SSA_DRAW_EVENT, block) of an event, for block 0 or 1. Word 0 of the counter is the block then, and word 1 is
 * the event. After a round, words 1 and 2 depend only on the trajectory, and word 3 only on the block; after two rounds, words 0
 * and 1 depend only on the trajectory; after three rounds word 3. */
FF_WARP ff_philox_block s_block_words(const s_thread *t, uint32_t event, uint32_t block) {
  const uint32_t *key = S_KEEP_KEYS ? t->key : S_ROUND_KEY;
  const uint64_t p0 = (uint64_t)FF_PHILOX_M0 * (event ^ t->start[0]);
  const uint64_t p1 = (uint64_t)FF_PHILOX_M1 * ((uint32_t)(p0 >> 32) ^ key[3] ^ block * FF_PHILOX_M0);
  const ff_philox_block x = {{(uint32_t)(p1 >> 32) ^ t->start[1], (uint32_t)p1, (uint32_t)p0 ^ t->start[2], t->start[3]}};
  return ff_philox_rounds(key, 3, x);
}

FF_WARP ff_philox_block s_event_words(const s_thread *t, uint32_t event) { return s_block_words(t, event, 0u); }

/* Finds the point of the trajectory. An empty slot has the first point. */
FF_WARP void s_locate(s_thread *t) {
#if S_POINTS
  const ff_ssa_launch *run = t->run;
  t->point_at = t->unit < run->units ? t->unit / run->each : 0u;
  t->number = t->unit - t->point_at * run->each;
  t->point = run->points + (uint64_t)t->point_at * S_POINT_WORDS;
  FF_UNROLL for (int i = 0; i < 2 * FF_PHILOX_ROUNDS && S_KEEP_KEYS; i++) t->key[i] = t->point[i];
  FF_UNROLL for (int i = 0; i < S_RATES && S_KEEP_RATES; i++) t->rate[i] = S_LOAD_RATE(i);
#endif
  (void)t;
}

/* The part of s_event_words() that depends on the number of the trajectory. */
FF_WARP void s_number(s_thread *t) {
  s_locate(t);
  const uint32_t *key = S_ROUND_KEY;
  const uint64_t unit = S_TRAJECTORY, p = (uint64_t)FF_PHILOX_M1 * ((uint32_t)(unit >> 32) << 16);
  const uint64_t q = (uint64_t)FF_PHILOX_M1 * ((uint32_t)unit ^ key[1]);
  const uint64_t r = (uint64_t)FF_PHILOX_M0 * ((uint32_t)(q >> 32) ^ (uint32_t)p ^ key[2]);
  t->start[0] = (uint32_t)(p >> 32) ^ key[0];
  t->start[1] = (uint32_t)q ^ key[4];
  t->start[2] = (uint32_t)(r >> 32) ^ key[5];
  t->start[3] = (uint32_t)r;
}

/* The number at an address in shared memory. With a pointer, the compiler would compute the base at each use. */
#if defined(__CUDA_ARCH__)
#define S_SHARED(out, address, offset) asm("ld.shared.f64 %0, [%1 + %2];" : "=d"(out) : "r"(address), "n"(offset))
#endif

/* ff_ssa_exponential(low, high): -log(x / 2^64), where x / 2^10 is twice the whole number of ff_ssa_open(), and 1. */
FF_WARP double s_exponential(const s_thread *t, uint32_t low, uint32_t high) {
  const double x = (double)((uint64_t)high << 32 | (low & 0xFFFFFC00u) | 0x400u);
  const uint32_t w = (uint32_t)(ff_math_bits(x) >> 32) + (uint32_t)(FF_SSA_LOG_SHIFT >> 32), cell = w >> 15;
  double first, inverse;
#if defined(__CUDA_ARCH__)
  const uint32_t at = t->tables + cell * 8u, in_cell = t->tables | (at & (FF_SSA_LOG_CELLS - 1u) * 8u);
#ifdef S_LOGS
  first = ((const double *)(t->big + S_LOGS))[cell - S_LOG_ONE];
  S_SHARED(inverse, in_cell, 0);
#else
  S_SHARED(first, at, -8 * (int)S_LOG_ONE);
  S_SHARED(inverse, in_cell, 8 * (int)S_LOGARITHMS);
#endif
#else
#ifdef S_LOGS
  first = ((const double *)(t->big + S_LOGS))[cell - S_LOG_ONE];
#else
  first = t->common->first[cell - S_LOG_ONE];
#endif
  inverse = t->common->inverse[cell % FF_SSA_LOG_CELLS];
#endif
  return first - ff_ssa_log_rest_of_words(w, (uint32_t)ff_math_bits(x), inverse, &t->numbers);
}

/* 2^64 ff_ssa_closed(low, high) */
FF_WARP double s_choice(uint32_t low, uint32_t high) { return (double)((uint64_t)high << 32 | (low & 0xFFFFF800u)); }

/* ff_ssa_closed() of a choice, times the total. */
FF_WARP double s_at(double choice, double total) {
#if S_PLAIN
  const uint64_t bits = ff_math_bits(total);
  return choice * ff_math_from_words((uint32_t)(bits >> 32) - (64u << 20), (uint32_t)bits);
#else
  return choice * 0x1p-64 * total;
#endif
}

/* One of eight bytes, with its sign. The selector says which one. */
FF_WARP uint32_t s_byte(uint32_t low, uint32_t high, uint32_t selector) {
#if defined(__CUDA_ARCH__)
  uint32_t out;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(out) : "r"(low), "r"(high), "r"(selector));
  return out;
#else
  return (uint32_t)(int32_t)(int8_t)(((uint64_t)high << 32 | low) >> (8u * (selector & 7u)));
#endif
}

#if S_PLAIN
#define S_DIVIDE(a, b) ff_divide(a, b)
#else
#define S_DIVIDE(a, b) ((a) / (b))
#endif

/* The largest number that is at most `at` and below `total`, which is not 0. Rounding may leave a choice at the total. */
FF_WARP double s_most_below(double at, double total) {
  return at < total ? at : ff_math_from_bits(ff_math_bits(total) - 1u);
}

/* c + (low half of x) (byte 0 of w) + (high half of x) (byte 1 of w); s_dp2_high() takes bytes 2 and 3. */
FF_WARP uint32_t s_dp2_low(uint32_t x, uint32_t w, uint32_t c) {
#if defined(__CUDA_ARCH__)
  uint32_t out;
  asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(w), "r"(c));
  return out;
#else
  return c + (x & 0xFFFFu) * (w & 0xFFu) + (x >> 16) * (w >> 8 & 0xFFu);
#endif
}

FF_WARP uint32_t s_dp2_high(uint32_t x, uint32_t w, uint32_t c) {
#if defined(__CUDA_ARCH__)
  uint32_t out;
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(w), "r"(c));
  return out;
#else
  return c + (x & 0xFFFFu) * (w >> 16 & 0xFFu) + (x >> 16) * (w >> 24);
#endif
}

#ifdef S_GROUPS
#include "ff_ssa_thread_factored.h"
#endif
#ifdef S_MODULES
#include "ff_ssa_thread_modules.h"
#endif
#ifdef S_SEARCHED
#include "ff_ssa_thread_optimised.h"
#endif

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

/* Begins the next trajectory of the wave. If there is none, the slot is empty: nobody wants its state. The next event is number
 * 0, which no reaction precedes. */
FF_WARP void s_take(s_thread *t) {
  const uint64_t k = S_FETCH_ADD(&t->run->counters->begun, 1u);
  t->unit = (uint32_t)k;
  t->member = S_NONE;
  s_number(t);
  t->event = 0xFFFFFFFFu;
  t->at = 0u;
  t->wanted = k < t->run->units ? t->run->times[0] : ff_math_infinity();
  s_begin(t);
#if S_APART
  t->begins = k < t->run->units;
#endif
}

FF_WARP void s_refuse(s_thread *t) {
  S_OR(t->run->refused + t->unit / 32u, 1u << (t->unit % 32u));
  S_FETCH_ADD(&t->run->counters->complete, 1u);
  s_take(t);
}

/* Records what the trajectory has reached: its state lasts until next_time, or forever if the total is 0. Returns whether the
 * next reaction fires; if not, the slot has begun another trajectory, or is empty. */
FF_WARP int s_serve(s_thread *t, double total, double next_time) {
  const ff_ssa_launch *run = t->run;
  if (!(t->wanted < ff_math_infinity())) return 0;
  if (!(total < ff_math_infinity())) {
    s_refuse(t);
    return 0;
  }
  if (!(total > 0.0)) next_time = ff_math_infinity();
  FF_NO_UNROLL for (; t->at < run->n_times && run->times[t->at] < next_time; t->at++)
    s_record(t, FF_SSA_RECORD(run, t->at, t->unit));
  if (t->at < run->n_times) {
    t->wanted = run->times[t->at];
    return 1;
  }
  S_FETCH_ADD(&run->counters->complete, 1u);
  S_FETCH_ADD(&run->counters->events, S_FIRINGS(t));
#if S_POINTS
  S_FETCH_ADD(run->point_events + t->point_at, t->event);
#endif
  s_take(t);
  return 0;
}

/* Draws for an event, from its words. */
FF_WARP void s_draw_from(s_thread *t, ff_philox_block words) {
  t->wait = s_exponential(t, words.v[0], words.v[1]);
  const int second = S_POOLS && t->member != S_NONE;
  t->choice = s_choice(second ? words.v[0] : words.v[2], second ? words.v[1] : words.v[3]);
}

/* Draws for the next event, or for the second molecule of a pair. */
FF_WARP void s_draw(s_thread *t) { s_draw_from(t, s_block_words(t, t->event, S_POOLS && t->member != S_NONE ? 1u : 0u)); }

/* Finds the next event, and lets it happen. */
#ifdef S_KEPT
FF_WARP void s_scheduled_step(s_thread *t, s_schedule *s);

FF_WARP void s_step(s_thread *t) {
  if (t->wanted < ff_math_infinity()) s_scheduled_step(t, t->schedule);
  FF_SYNCWARP();
}
#else
FF_WARP void s_step(s_thread *t) {
  s_next next;
#if S_FIRST
  const double wait = s_first(t, &next), total = wait == wait ? 1.0 : wait;
  double next_time = t->time + wait;
#else
  if (!S_AHEAD) s_draw(t);
  const double wait = t->wait, total = s_find(t, t->choice, &next);
  double next_time = t->time + S_DIVIDE(wait, total); /* infinite or NaN if the total is 0 */
#endif
#ifdef S_MODULES
  ff_philox_block words = s_event_words(t, t->event + 1u); /* the compiler mixes this with the division */
#endif
  int second = 0; /* whether the event's first molecule was chosen in the last step */
#if S_POOLS
  second = t->member != S_NONE;
  next.reaction = second ? t->pool : next.reaction;
  next.n = second ? t->pool_n : next.n;
  next_time = second ? t->pool_time : next_time;
#endif
  const int over = S_OVER(&next), near = S_NEAR(&next);
  const int stops = !second && (!(next_time <= t->wanted) || over || (!S_PLAIN && !(total > 0.0 && total < ff_math_infinity())));
  if (S_ANY(stops || near)) {
    if (near) S_NEAR_EXACTLY(&next);
    if (stops && !s_serve(t, over ? ff_math_nan() : total, next_time)) {
      next.reaction = S_REACTIONS;
      next_time = S_START(t);
#ifdef S_MODULES
      words = s_event_words(t, t->event + 1u); /* of another trajectory */
#endif
    }
    FF_SYNCWARP();
#if S_APART
    s_fill(t);
#endif
  }
#ifdef S_MODULES
  t->time = next_time;
  t->event++;
  s_draw_from(t, words); /* the compiler mixes this with the search */
  s_fire(t, &next);
#else
  s_fire(t, &next);
  const int waits = S_POOLS && t->member != S_NONE; /* for the second molecule of a pair */
#if S_POOLS
  t->pool_time = next_time;
#endif
  t->time = waits ? t->time : next_time;
  t->event += waits ? 0u : 1u;
  if (S_AHEAD) s_draw(t);
#endif
}
#endif

/* Counts stay below the largest in the next S_CHUNK events. Those of empty slots begin anew. */
#if S_APART
FF_WARP void s_check(s_thread *t) {
  if (!S_IS_EMPTY(t)) {
    if (t->event + S_CHUNK > t->safe) t->safe = t->event + s_look(t);
    if (t->event + S_CHUNK > t->safe || s_most(t) > S_LARGEST - S_CHUNK * S_MOST || t->event > S_EVENTS - S_CHUNK) {
      s_refuse(t);
      t->time = S_START(t);
      t->event = 0u;
    }
  }
  FF_SYNCWARP();
  s_fill(t);
}
#else
FF_WARP void s_check(s_thread *t) {
  if (!(t->wanted < ff_math_infinity())) {
    s_begin(t);
    t->time = 0.0;
  } else if (s_most(t) > S_LARGEST - S_CHUNK * S_MOST || t->event > S_EVENTS - S_CHUNK) {
    s_refuse(t);
    t->time = 0.0;
    t->event = 0u;
  }
}
#endif

/* ---- launches ----------------------------------------------------------------------------------------------------------- */

#define S_STATE(i) (run->state[(uint64_t)(i) * run->slots + slot])

FF_WARP double s_load_real(const ff_ssa_launch *run, uint32_t i, uint32_t slot) {
  return ff_math_from_bits((uint64_t)S_STATE(i + 1u) << 32 | S_STATE(i));
}

FF_WARP void s_save_real(const ff_ssa_launch *run, uint32_t i, uint32_t slot, double value) {
  const uint64_t bits = ff_math_bits(value);
  S_STATE(i) = (uint32_t)bits;
  S_STATE(i + 1u) = (uint32_t)(bits >> 32);
}

FF_WARP void s_load(s_thread *t, uint32_t slot) {
  const ff_ssa_launch *run = t->run;
  t->time = s_load_real(run, 0u, slot);
  t->unit = S_STATE(2);
  t->event = S_STATE(3);
  t->member = S_NONE; /* a pair is chosen again */
  t->at = S_STATE(4);
  t->wanted = S_STATE(5) ? run->times[t->at] : ff_math_infinity();
#if S_APART
  t->begins = 0u;
  t->safe = S_STATE(5) - 1u;
#endif
  s_number(t);
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++) t->x[i] = S_STATE(6u + i);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_ROWS; i++) S_ROW(i) = S_STATE(6u + S_COUNTS + i);
#if S_MANY
  s_sum_all(t);
#endif
#ifdef S_SEARCHED
  const uint32_t words = 6u + S_COUNTS + S_ROWS;
  t->sum.value = s_load_real(run, words, slot);
  t->sum.error = s_load_real(run, words + 2u, slot);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_VALUES; i++) S_VALUE(i) = s_load_real(run, words + 4u + 2u * i, slot);
#endif
#ifdef S_KEPT
  s_kept_words *const kept = &t->schedule->kept;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_KEPT; i++) kept->word[i] = S_STATE(6u + S_COUNTS + S_ROWS + i);
  t->next_time = kept->k.next_time;
  t->firing = kept->k.firing;
  t->next = kept->k.next;
  t->starts = kept->k.starts;
#endif
}

FF_WARP void s_save(const s_thread *t, uint32_t slot) {
  const ff_ssa_launch *run = t->run;
  s_save_real(run, 0u, slot, t->time);
  S_STATE(2) = t->unit;
  S_STATE(3) = t->event;
  S_STATE(4) = t->at;
#if S_APART
  S_STATE(5) = S_IS_EMPTY(t) ? 0u : 1u + t->safe;
#else
  S_STATE(5) = t->wanted < ff_math_infinity();
#endif
  FF_UNROLL for (uint32_t i = 0; i < S_COUNTS; i++) S_STATE(6u + i) = t->x[i];
  FF_NO_UNROLL for (uint32_t i = 0; i < S_ROWS; i++) S_STATE(6u + S_COUNTS + i) = S_ROW(i);
#ifdef S_SEARCHED
  const uint32_t words = 6u + S_COUNTS + S_ROWS;
  s_save_real(run, words, slot, t->sum.value);
  s_save_real(run, words + 2u, slot, t->sum.error);
  FF_NO_UNROLL for (uint32_t i = 0; i < S_VALUES; i++) s_save_real(run, words + 4u + 2u * i, slot, S_VALUE(i));
#endif
#ifdef S_KEPT
  s_kept_words *const kept = &t->schedule->kept;
  kept->k.next_time = t->next_time;
  kept->k.firing = t->firing;
  kept->k.next = t->next;
  kept->k.starts = t->starts;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_KEPT; i++) S_STATE(6u + S_COUNTS + S_ROWS + i) = kept->word[i];
#endif
}

/* Runs a launch for one slot. If it is fresh, it is empty. */
FF_WARP void s_run(const ff_ssa_launch *run, const s_rates *rates, const uint32_t *table, const uint32_t *big,
                   const s_common *common, uint32_t *rows, double *sums, uint32_t slot, int fresh) {
  s_thread thread, *t = &thread;
  FF_UNROLL for (int i = 0; i < 7; i++) t->numbers.p[i] = common->p[i]; /* from memory, so that they stay in registers */
  t->numbers.p[0] = FF_SSA_LOG_P0; /* a short number, which is part of an instruction */
  FF_UNROLL for (int i = 0; i < 2 * FF_PHILOX_ROUNDS; i++) t->key[i] = common->key[i];
  FF_UNROLL for (int i = 0; i < S_RATES && S_KEEP_RATES; i++) t->rate[i] = common->rate[i];
  t->common = common;
#if defined(__CUDA_ARCH__)
  t->tables = (uint32_t)__cvta_generic_to_shared(common);
  asm volatile("" : "+r"(t->tables)); /* so that it stays in a register */
#endif
  t->run = run;
  t->rates = rates;
  t->table = table;
  t->big = big;
  t->rows = rows;
  t->sums = sums;
  t->store = run->state + (uint64_t)S_WORDS * run->slots + (uint64_t)S_STORE * slot;
#ifdef S_HELD
  t->away = run->state + (uint64_t)S_WORDS * run->slots + (uint64_t)S_AWAY * (slot - slot % S_THREADS) + 4u * (slot % S_THREADS);
#endif
#ifdef S_KEPT
  s_schedule schedule;
  schedule.run = run;
  schedule.table = table;
  schedule.store = t->store;
  schedule.searches = schedule.failed = 0;
  t->schedule = &schedule;
#endif
  if (fresh) {
    s_take(t);
    t->time = S_START(t);
    t->event = 0u;
  } else {
    s_load(t, slot);
  }
  uint64_t began, now;
  S_CLOCK(began);
  FF_NO_UNROLL for (uint32_t left = run->steps; left > 0u;) {
    S_CLOCK(now);
    if (!S_ANY(t->wanted < ff_math_infinity() && now - began <= run->nanoseconds)) break;
    const uint32_t n = left < S_CHUNK ? left : S_CHUNK;
    s_check(t);
    if (S_AHEAD) s_draw(t);
    FF_NO_UNROLL for (uint32_t i = 0; i < n; i += S_UNROLL) {
      FF_UNROLL for (uint32_t j = 0; j < S_UNROLL; j++) s_step(t);
    }
    left -= n;
  }
  s_save(t, slot);
}

/* Fills what a block shares, as thread number `thread` of `threads`. */
FF_WARP void s_share(s_common *common, const ff_ssa_launch *run, const s_rates *rates, uint32_t thread, uint32_t threads) {
  const ff_ssa_log_numbers numbers = ff_ssa_log_constants();
#ifndef S_LOGS
  for (uint32_t i = thread; i < S_LOGARITHMS; i += threads)
    common->first[i] = ff_ssa_log_first(i + (1023u - 54u) * FF_SSA_LOG_CELLS);
#endif
  for (uint32_t i = thread; i < FF_SSA_LOG_CELLS; i += threads) common->inverse[i] = FF_SSA_LOG_TABLE[i];
  for (uint32_t i = thread; i < 7u; i += threads) common->p[i] = numbers.p[i];
  for (uint32_t i = thread; i < 2u * FF_PHILOX_ROUNDS; i += threads) common->key[i] = run->round_key[i];
  for (uint32_t i = thread; i < S_RATES && S_KEEP_RATES; i += threads) common->rate[i] = rates->value[i];
}

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(S_THREADS, S_BLOCKS)
    s_kernel(const __grid_constant__ ff_ssa_launch run, const __grid_constant__ s_rates rates, const uint32_t *table,
             const uint32_t *big) {
  extern __shared__ __align__(128) uint32_t s_shared[]; /* the table, then the rows */
  __shared__ s_common common;
  s_share(&common, &run, &rates, threadIdx.x, S_THREADS);
  for (uint32_t i = threadIdx.x; i < S_TABLE; i += S_THREADS) s_shared[i] = table[i];
  __syncthreads();
  /* Numbers of slots are multiples of S_THREADS, so all threads of a block begin alike. */
  const uint32_t block = FF_SSA_SLOT_OF(&run, blockIdx.x * S_THREADS), slot = block + threadIdx.x;
  uint32_t bytes = 4u * threadIdx.x;
  asm volatile("" : "+r"(bytes)); /* so that an address in rows is one product and a sum */
  uint32_t *const words = s_shared + S_TABLE;
  double *const sums = (double *)(words + S_ROWS * S_THREADS);
  s_run(&run, &rates, s_shared, big, &common, (uint32_t *)((char *)words + (S_QUADS ? 4u : 1u) * bytes),
        (double *)((char *)sums + 2u * bytes), slot, block >= run.begun);
}
#else
void s_host(const ff_ssa_launch *run, const void *rates, const uint32_t *table, const uint32_t *big, uint32_t slot,
            uint32_t *rows);
void s_host(const ff_ssa_launch *run, const void *rates, const uint32_t *table, const uint32_t *big, uint32_t slot,
            uint32_t *rows) {
  s_common common;
  s_share(&common, run, (const s_rates *)rates, 0u, 1u);
  s_run(run, (const s_rates *)rates, table, big, &common, rows, (double *)(rows + S_ROWS * S_THREADS), slot,
        slot >= run->begun);
}
#endif

#endif
