/* What a thread keeps of a trajectory, and the levels within a segment. A part of ff_petri_thread.h. */
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
#define FF_PETRI_OUTLINE ff_petri_bound_outline
#define FF_PETRI_SPAN ff_petri_bound_span
#include "../../../petri/within/ff_petri_peak_math.h"
#include "../../device/ff_launch.h"
#include "../../runtime/ff_warp.h"

#ifndef P_STARTS
#define P_STARTS 0
#endif
#ifndef P_FIRINGS
#define P_FIRINGS 0
#endif

#define P_ROOM(n) ((n) > 0u ? (n) : 1u)
#define P_EACH(i, n) FF_UNROLL for (uint32_t i = 0; i < (n); i++)
#define P_HAS(bits, i) ((bits) >> (i) & 1u)
#define P_INFINITY ff_math_infinity()
#define P_DOUBT (FF_PETRI_DOUBT * P_ABSOLUTE)
#define P_SIZE (P_ABSOLUTE / P_RELATIVE) /* of levels, for errors */
#define P_LARGEST 0x40000000u            /* counts are below */
#define P_TIMED (P_TIMED_FLOWS || P_TIMED_PROFILES)

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_COUNT_LANES(condition) ((uint32_t)__popc(__ballot_sync(0xFFFFFFFFu, (condition))))
#define P_FETCH_ADD(at, n) atomicAdd((unsigned long long *)(at), (unsigned long long)(n))
#define P_OR(at, bits) atomicOr((at), (bits))
#define P_CLOCK(out) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out))
#define P_APART static __device__ __noinline__ /* a function for a rare case: its caller needs no registers for it */
#define P_DATA static __device__ const
#else
#define P_COUNT_LANES(condition) ((uint32_t)((condition) != 0))
#define P_FETCH_ADD(at, n) ((*(at) += (n)) - (n))
#define P_OR(at, bits) (*(at) |= (bits))
#define P_CLOCK(out) ((out) = 0u)
#define P_APART static
#define P_DATA static const
#endif

enum { P_EMPTY, P_BEGINS, P_STEPS, P_LOOKS, P_SEARCHES, P_BOUNDS, P_FIRES, P_ENDS, P_REFUSES };

/* What a firing has done. */
enum { P_CHANGES_LEVELS = 1, P_CHANGES_STIR = 2, P_CHANGES_FAIL = 4 };

/* A part of a segment in which the integral of a profile is a polynomial: see ff_petri_part. */
typedef struct {
  double begin, width, before, c[FF_PETRI_DEGREE];
} p_piece;

/* A formula that bounds are asked for: symbol k is level read[k], the value read[k] - P_LEVELS of p_value(), or for P_NONE the
 * time. */
typedef struct {
  const ff_formula_word *word;
  const uint32_t *read;
  uint32_t length, n;
} p_formula;

typedef struct {
  const ff_launch *run;
  const double *initial;   /* of each place */
  const uint32_t *table;   /* for each place its number among what is recorded, or P_NONE */
  p_piece *piece;
  uint32_t unit, at, phase, pieces; /* the trajectory's number in the wave; the next time that is recorded */
  double wanted;           /* this time */
  uint32_t firings;

  uint32_t x[P_ROOM(P_COUNTS)];
  double r[P_ROOM(P_REALS)], derived[P_ROOM(P_DERIVED)];
  double y[P_ROOM(P_LEVELS)];         /* levels at the end of the solver's last step; or at `now`, if `own` */
  double dense[FF_ODE_DENSE * P_ROOM(P_LEVELS)]; /* coefficients of levels in the segment */

  double now, from, to, length, limit, reach; /* as in ff_petri_path */
  double most, slope_time; /* where the step ends at the latest; the time for which the solver has computed slopes at its begin */
  ff_ode_pace pace;
  uint32_t own, flat, stirred, begins, fresh, tries; /* begins: no step of the segment was tried */

  double left[P_ROOM(P_GROUPS)], choice[P_ROOM(P_GROUPS)], since[P_ROOM(P_GROUPS)];
  double rate[P_ROOM(P_GROUPS)], whole[P_ROOM(P_GROUPS)];
  double candidate[P_ROOM(P_GROUPS)];  /* when a group fires; where `pending`, the integral at which it does */
  uint32_t fired[P_ROOM(P_GROUPS)];
  uint64_t varies, dirty, pending;     /* bits of groups */
  double sum[P_ROOM(P_CELLS)];

  /* Profiles in the segment. A profile of one piece has its polynomial here. */
  double c[P_PROFILES][FF_PETRI_DEGREE], area[P_PROFILES], error[P_PROFILES], allowed[P_PROFILES];
  uint32_t first[P_PROFILES], n[P_PROFILES]; /* pieces; 0: it is not integrated */
  uint32_t asked;          /* a profile that takes more than one try */
  double asked_size;
} p_thread;

#define P_NONE 0xFFFFFFFFu

FF_WARP void p_set(p_thread *t, uint32_t unit);
FF_WARP int p_derive(p_thread *t);
FF_WARP void p_slopes(const p_thread *t, double time, const double *y, double *out);
FF_WARP double p_profile(const p_thread *t, uint32_t k, const double *y, double time);
FF_WARP ff_petri_span p_profile_span(const p_thread *t, uint32_t k, const ff_petri_span *span);
FF_WARP double p_rate(const p_thread *t, uint32_t f, const double *y);
FF_WARP ff_petri_span p_rate_span(const p_thread *t, uint32_t f, const ff_petri_span *span);
FF_WARP double p_rate_slack(const p_thread *t, uint32_t f, const double *y, double length);
FF_WARP int p_sums(p_thread *t, uint32_t g);
FF_WARP uint32_t p_member(const p_thread *t, uint32_t c, double x);
FF_WARP uint32_t p_change(p_thread *t, uint32_t m, double now);
FF_WARP int p_stirs(uint32_t m);
FF_WARP uint32_t p_number(uint32_t m);
FF_WARP void p_store(const p_thread *t, double *to, const double *y);
FF_WARP double p_value(const p_thread *t, uint32_t i);
FF_WARP p_formula p_profile_formula(uint32_t k);
FF_WARP p_formula p_rate_formula(uint32_t f);

FF_WARP int p_is_bad(double x) { return !(ff_math_absolute(x) < P_INFINITY); }
FF_WARP double p_clip(double level) { return level < 0 ? 0 : level; }

/* What a firing makes of a place: whether it can be a count or a level, which errors may bring below 0. */
FF_WARP int p_is_count(double x) { return x >= 0 && x <= (double)P_LARGEST && x == (double)(uint32_t)x; }
FF_WARP int p_is_level(double x) { return x >= 0 && x <= FF_PETRI_MOST_COUNT; }
FF_WARP double p_mended(double level) { return level < 0 && level >= -P_DOUBT ? 0 : level; }

/* ---- levels ------------------------------------------------------------------------------------------------------------- */

/* A level at a time of the segment. */
FF_WARP double p_level_at(const p_thread *t, uint32_t i, double time) {
  if (t->own) return t->y[i];
  if (time <= t->from) return t->dense[FF_ODE_DENSE * i];
  if (time >= t->to) return t->y[i];
  return ff_ode_dense_value(t->dense + FF_ODE_DENSE * i, (time - t->from) / t->length);
}

FF_WARP void p_levels_at(const p_thread *t, double time, double *out) {
  P_EACH(i, P_LEVELS) out[i] = p_level_at(t, i, time);
}

/* Levels become those at `now`. */
FF_WARP void p_own_levels(p_thread *t) {
  double y[P_ROOM(P_LEVELS)];
  if (t->own) return;
  p_levels_at(t, t->now, y);
  P_EACH(i, P_LEVELS) t->y[i] = y[i];
  t->own = 1u;
}

/* ---- a trajectory --------------------------------------------------------------------------------------------------------- */

/* Levels that may be 0 but for errors become 0, if they would not fall then. */
P_APART void p_round_to_zero(const p_thread *t, double time, double *y) {
  double at[P_ROOM(P_LEVELS)], slope[P_ROOM(P_LEVELS)];
  for (uint32_t i = 0; i < P_LEVELS; i++) at[i] = y[i] < 0 && y[i] >= -P_DOUBT ? 0 : y[i];
  p_slopes(t, time, at, slope);
  for (uint32_t i = 0; i < P_LEVELS; i++)
    if (at[i] == 0 && slope[i] >= 0) y[i] = 0;
}

FF_WARP void p_record(const p_thread *t, double time) {
  double y[P_ROOM(P_LEVELS)];
  uint32_t doubtful = 0u;
  p_levels_at(t, time, y);
  P_EACH(i, P_LEVELS) doubtful |= y[i] < 0 && y[i] >= -P_DOUBT;
  if (doubtful != 0u) {
    double room[P_ROOM(P_LEVELS)];
    const p_thread copy = *t;
    P_EACH(i, P_LEVELS) room[i] = y[i];
    p_round_to_zero(&copy, time, room);
    P_EACH(i, P_LEVELS) y[i] = room[i];
  }
  p_store(t, FF_RECORD_REAL_OF(t->run, t->at, t->unit), y);
}

/* The group has fired, or begins. */
FF_WARP void p_draw(p_thread *t, uint32_t g) {
  const ff_philox_block at = ff_philox_counter(FF_PETRI_DRAW_FIRING, g, t->fired[g], t->run->first + t->unit);
  const ff_philox_block w = ff_philox(at, t->run->key);
  t->left[g] = ff_exponential(w.v[0], w.v[1]);
  t->choice[g] = ff_closed(w.v[2], w.v[3]);
  t->since[g] = t->now;
}

/* Begins the next trajectory of the wave. If there is none, the slot is empty. */
FF_WARP void p_take(p_thread *t) {
  const uint64_t k = P_FETCH_ADD(&t->run->counters->begun, 1u);
  t->unit = (uint32_t)k;
  t->at = 0u;
  t->wanted = k < t->run->units ? t->run->times[0] : P_INFINITY;
  t->phase = k < t->run->units ? P_BEGINS : P_EMPTY;
  t->firings = 0u;
  if (t->phase == P_EMPTY) return;
  p_set(t, t->unit);
  t->now = t->from = t->to = t->limit = t->length = t->slope_time = 0;
  t->reach = P_INFINITY;
  t->pace.next = t->pace.tried = t->pace.shortest = 0;
  t->pace.jumps = t->pace.stiff = t->pace.calm = 0u;
  t->own = t->flat = t->stirred = t->fresh = 1u; /* flat: nothing is left of a segment before */
  t->varies = t->pending = 0u;
  t->dirty = 0u;
  p_derive(t);
  int fine = 1;
  P_EACH(g, P_GROUPS) {
    t->fired[g] = 0u;
    p_draw(t, g);
    t->rate[g] = 0;
    t->whole[g] = -1;
    t->candidate[g] = P_INFINITY;
    t->dirty |= (uint64_t)1 << g;
    fine &= p_sums(t, g);
  }
  if (!fine) t->phase = P_REFUSES;
}

/* The trajectory has ended, or is refused. */
FF_WARP void p_leave(p_thread *t) {
  const ff_launch *run = t->run;
  if (t->phase == P_REFUSES)
    P_OR(run->refused + t->unit / 32u, 1u << (t->unit % 32u));
  else
    P_FETCH_ADD(&run->counters->steps, t->firings);
  P_FETCH_ADD(&run->counters->complete, 1u);
  p_take(t);
}

/* Records what the trajectory has reached: its state lasts until next_time. Returns whether it goes on. */
FF_WARP int p_serve(p_thread *t, double next_time) {
  const ff_launch *run = t->run;
  if (t->wanted >= next_time) return 1;
  FF_NO_UNROLL for (; t->at < run->n_times && run->times[t->at] < next_time; t->at++) p_record(t, run->times[t->at]);
  if (t->at == run->n_times) {
    t->phase = P_ENDS;
    return 0;
  }
  t->wanted = run->times[t->at];
  return 1;
}

#endif
