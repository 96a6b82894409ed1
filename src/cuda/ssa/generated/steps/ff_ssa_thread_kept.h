/* What a thread keeps of a trajectory with events, or with rates that depend on the time. This text comes before
 * ff_ssa_thread.h, and ff_ssa_thread_schedule.h after it. Texts of networks without a schedule contain neither.
 *
 * The generated text that comes before this one defines
 *   S_SETTABLE        parameters that events set
 *   S_SYMBOLS         what formulas read: counts, then slots
 *   S_N_TRIGGERS      events. The trigger of event e is formula e
 *   S_BY_STATE        the events whose triggers do not depend on the time, as bits
 *   S_BY_BOTH         those whose triggers depend on the state and on the time
 *   S_BY_TIME         those whose triggers depend on the time alone
 *   S_N_TIMED         reactions whose propensities depend on the time. The rate of number k is formula S_N_TRIGGERS + k
 *   S_MOST_SETS       the most values that an event sets
 *   S_CONDITION       the formula of a condition that ends trajectories, if there is one
 *   S_N_DUE           events that a thread may have waiting
 *   S_AT_EVENTS, S_AT_READERS, S_AT_REACTIONS   where these begin in the table:
 *                     for each event: delay and priority (formulas or S_NONE), flags, and where its sets begin and their number;
 *                       a set is a symbol and a formula
 *                     for each symbol: the events whose triggers read it, as bits
 *                     for each reaction: where the symbols begin that it changes and triggers read, and their number; the timed
 *                       propensities that read what it changes, as two words of bits; the number of its own, or S_NONE; the
 *                       triggers by state and time that read what it changes, as bits */
#ifndef FF_SSA_THREAD_KEPT_H
#define FF_SSA_THREAD_KEPT_H

#include "../../../../model/ff_formula_change.h"
#include "../../../runtime/ff_warp.h"
#include "../../device/ff_ssa_launch.h"

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define S_CALL static __device__ __noinline__
#else
#define S_CALL static
#endif

#define S_ARRAY(n) ((n) > 0u ? (n) : 1u)

typedef struct s_schedule s_schedule;

S_CALL double s_value(uint32_t formula, const s_schedule *t, double time);
S_CALL ff_range s_range(uint32_t formula, ff_range_kind kind, const s_schedule *t, double from, double to);

typedef struct {
  uint32_t formula;
  const s_schedule *s;
} s_at_formula;

#define FF_CHANGE_AT const s_at_formula *
#define FF_CHANGE_VALUE(f, time) s_value((f)->formula, (f)->s, (time))
#define FF_CHANGE_RANGE(f, kind, from, to) s_range((f)->formula, (kind), (f)->s, (from), (to))
#include "../../../../model/ff_formula_change_math.h"

/* What a trajectory keeps between two steps. */
typedef struct {
  double y[S_ARRAY(S_SYMBOLS)];
  double change[S_ARRAY(S_N_TRIGGERS)], zone[S_ARRAY(S_N_TRIGGERS)]; /* as in ff_ssa_schedule */
  double bound[S_ARRAY(S_N_TIMED)];                                  /* of timed propensities */
  double next_time, firing; /* in registers, except between launches */
  double event_time, later_time; /* later_time: of the next event that is delayed */
  double from, until, width;
  double search_at; /* where a piece of a search begins */
  uint32_t truth, fresh, doubt; /* of triggers, as bits */
  uint32_t n_now, n_later, serial;
  uint32_t silent, rejected, unbounded, cut;
  uint32_t next, starts; /* in registers, except between launches */
  uint32_t left;   /* the triggers whose next changes have not been found, as bits, if this was left halfway; or 0 */
  uint32_t piece;  /* of the search for the first of them */
} s_kept;

typedef union {
  s_kept k;
  uint32_t word[S_KEPT];
} s_kept_words;
typedef char s_kept_has_its_size[sizeof(s_kept) == 4u * S_KEPT ? 1 : -1];

struct s_schedule {
  s_kept_words kept;
#ifdef S_POINTS
  const uint32_t *point; /* what the trajectory's point has */
  uint32_t number;       /* the trajectory's number in the point */
#endif
  const ff_launch *run;
  const uint32_t *table;
  uint32_t *store;
  double time;
  uint32_t unit, step, ties, happened;
  int failed;  /* the trajectory is refused */
  int reached; /* the condition has ended it */
  int searches; /* whether a piece of a search has begun in this launch */
  ff_change_search search;
};

#endif
