/* Events of the network, and rates that depend on the time, for a warp that runs a trajectory of a network that is read as data.
 * The same text is compiled for device and host (ff_warp.h).
 *
 * Lane 0 does the steps of ff_ssa_schedule_lists.h: it lets the next step happen, and computes bounds of rates that depend on
 * the time. Then the warp updates what the method keeps and finds the next reaction, as for other networks. Lane 0 finds what
 * happens before. Methods are the direct method, first_reaction and next_reaction.
 */
#ifndef FF_SSA_GENERIC_SCHEDULE_H
#define FF_SSA_GENERIC_SCHEDULE_H

#include "../../../model/ff_formula_change.h"
#include "ff_ssa_generic_step.h"

typedef struct s_schedule s_schedule;

/* The value and the range of a formula. */
FF_WARP double s_value(const s_schedule *s, uint32_t formula, double time);
FF_FUNCTION ff_range s_range(const s_schedule *s, uint32_t formula, ff_range_kind kind, double from, double to);

typedef struct {
  const s_schedule *s;
  uint32_t formula;
} s_at_formula;

#if defined(__CUDACC__) /* ranges call elementary functions at several places; each function is compiled once */
#define ff_formula_operate ff_ssa_operate
#define ff_formula_pow(x, y) ff_ssa_operate(FF_F_POW, (x), (y), 0.0)
#define ff_sin(x) ff_ssa_operate(FF_F_SIN, (x), 0.0, 0.0)
#define ff_cos(x) ff_ssa_operate(FF_F_COS, (x), 0.0, 0.0)
#define ff_tan(x) ff_ssa_operate(FF_F_TAN, (x), 0.0, 0.0)
#define ff_cosh(x) ff_ssa_operate(FF_F_COSH, (x), 0.0, 0.0)
#endif
#include "../../../model/ff_formula_range_math.h"
#if defined(__CUDACC__)
#undef ff_formula_operate
#undef ff_formula_pow
#undef ff_sin
#undef ff_cos
#undef ff_tan
#undef ff_cosh
#endif

#define FF_CHANGE_AT const s_at_formula *
#define FF_CHANGE_VALUE(f, time) s_value((f)->s, (f)->formula, (time))
#define FF_CHANGE_RANGE(f, kind, from, to) s_range((f)->s, (f)->formula, (kind), (from), (to))
#include "../../../model/ff_formula_change_math.h"

/* What a trajectory keeps between two steps, as ff_ssa_schedule of the processor. */
typedef struct {
  double *y, *change, *zone, *bound;
  uint32_t *truth, *fresh, *doubt; /* of triggers, as bits: see ff_ssa_schedule */
  double firing, event_time, later_time, from, until, width, search_at;
  uint32_t n_now, n_later, serial, silent, rejected, unbounded, cut, piece;
  double next_time; /* of the next event of any kind, and the reaction that may fire next: between launches */
  uint32_t next;
} s_kept;

/* This is in the slot, before the arrays. In a thread's local memory, each word of lane 0 would lie in a sector of its own. */
struct s_schedule {
  struct {
    s_kept k;
  } kept;
  const ff_ssa_image *image;
  const uint32_t *table;
  const uint32_t *key; /* of each round */
  uint64_t number;     /* of the trajectory */
  uint32_t *store;
  uint32_t *count; /* of the warp */
  double *stack;   /* of the warp: that of lane 0 has every 32nd number */
  ff_range *ranges;
  double time;
  uint32_t step, ties, happened;
  int failed;  /* the trajectory is refused */
  int reached; /* the condition has ended it */
  int searches;
  ff_change_search search;
};
typedef char s_schedule_has_room[sizeof(s_schedule) <= FF_SSA_SCHEDULE_HEAD ? 1 : -1];

#define S_CALL FF_FUNCTION
#define S_NONE UINT32_MAX
#define S_CHECK_KEY(s) ((s)->key)
#define S_CHECK_NUMBER(s) ((s)->number)
#define S_TRIGGERS(s) ((s)->image->schedule.n_events)
#define S_TIMED(s) ((s)->image->schedule.n_timed)
#define S_SPECIES(s) ((s)->image->n_species)
#define S_DUE(s) ((s)->image->schedule.due)
#define S_SETS(s) ((s)->image->schedule.most_sets)
#define S_AT_EVENTS 0u
#define S_BIT(bits, e) ((bits)[(e) / 32u] >> ((e) % 32u) & 1u)
#define S_SET_BIT(bits, e) ((bits)[(e) / 32u] |= 1u << ((e) % 32u))
#define S_CLEAR_BIT(bits, e) ((bits)[(e) / 32u] &= ~(1u << ((e) % 32u)))
#define S_FLIP_BIT(bits, e) ((bits)[(e) / 32u] ^= 1u << ((e) % 32u))
#define S_AT(s, formula) {(s), (formula)}
#define S_VALUE(s, formula, time) s_value((s), (formula), (time))
#define S_RANGE(s, formula, kind, from, to) s_range((s), (formula), (kind), (from), (to))
#define S_LAW_OF(s, r, rate) s_law_of((s), (r), (rate))
#define S_MISSING(s, r) s_missing((s), (r))
#define S_MOST_SET FF_DEVICE_MOST
#define S_ENDS(s) ((s)->image->until_length > 0u && s_condition(s))
#define S_SEARCH_AT_ONCE UINT32_MAX /* lane 0 searches to the end */
#define S_PUT_COUNT(s, symbol) ((symbol) < S_SPECIES(s) ? (void)((s)->count[symbol] = (uint32_t)S_Y(s)[symbol]) : (void)0)
#define S_WATCH_FIRST(s, symbol) ((s)->image->schedule.watch_first[symbol])
#define S_WATCHER(s, k) ((s)->image->schedule.watchers[k])
#define S_CHANGE_FIRST(s, reaction) ((s)->image->rows[reaction].change)
#define S_CHANGE_END(s, reaction) ((s)->image->rows[reaction].change + (s)->image->rows[reaction].n_changes)
#define S_CHANGED(s, i) ((s)->image->changes[i].species)
#define S_N_WATCHED(s) ((s)->image->schedule.n_watched)
#define S_WATCHED(s, i) ((s)->image->schedule.watched[i])
#define S_KIND(s, e) ((s)->image->schedule.kinds[e])
#define S_TIMED_OF(s, reaction) s_timed_of((s), (s)->image->laws[reaction])
#define S_APPLY(s, reaction) s_apply((s), (reaction))

/* ---- formulas -------------------------------------------------------------------------------------------------------------- */

FF_WARP double s_value(const s_schedule *s, uint32_t formula, double time) {
  const ff_ssa_image_formula f = s->image->schedule.formulas[formula];
  return ff_ssa_code_value_at(s->image->schedule.words + f.first, f.length, s->kept.k.y, s->stack, 32u, time);
}

/* Whether the condition holds that ends trajectories. */
FF_WARP int s_condition(const s_schedule *s) {
  return ff_ssa_code_value_at(s->image->until, s->image->until_length, s->kept.k.y, s->stack, 32u, 0.0) != 0.0;
}

FF_FUNCTION ff_range s_operate(ff_range_kind kind, uint32_t code, uint32_t n, ff_range a, ff_range b, ff_range c) {
  return ff_range_apply(kind, code, n, a, b, c);
}

/* ff_formula_range() */
FF_FUNCTION ff_range s_range(const s_schedule *s, uint32_t formula, ff_range_kind kind, double from, double to) {
  const ff_ssa_image_formula f = s->image->schedule.formulas[formula];
  const ff_range anything = ff_range_anything(), time = ff_range_new(from, to, 0, 0);
  ff_range *top = s->ranges;
  FF_NO_UNROLL for (uint32_t i = 0; i < f.length; i++) {
    const ff_formula_word word = s->image->schedule.words[f.first + i];
    const uint32_t n = ff_formula_operands(word.code);
    const double leaf = word.code == FF_F_SYMBOL ? s->kept.k.y[word.symbol] : word.number;
    top -= n;
    *top = n == 0u ? ff_range_leaf(kind, word.code == FF_F_TIME ? time : ff_range_of_value(leaf))
                   : s_operate(kind, word.code, n, top[0], n > 1u ? top[1] : anything, n > 2u ? top[2] : anything);
    top++;
  }
  return s->ranges[0];
}

/* ---- laws ------------------------------------------------------------------------------------------------------------------ */

FF_WARP int s_missing(const s_schedule *s, uint32_t number) {
  const ff_ssa_image_other other = s->image->others[s->image->schedule.rates[number]];
  FF_NO_UNROLL for (uint32_t i = other.first; i < other.first + other.n; i++)
    if (s->count[s->image->factors[i].species] < s->image->factors[i].count) return other.below ? 2 : 1;
  return 0;
}

FF_WARP double s_law_of(const s_schedule *s, uint32_t number, double rate) {
  const ff_ssa_image_other other = s->image->others[s->image->schedule.rates[number]];
  FF_NO_UNROLL for (uint32_t i = other.first; other.law != FF_LAW_FORMULA && i < other.first + other.n; i++) {
    const double x = (double)s->count[s->image->factors[i].species];
    const uint32_t n = s->image->factors[i].count;
    if (x < (double)n) return 0.0;
    rate *= x;
    FF_NO_UNROLL for (uint32_t j = 1; j < n; j++) rate *= (x - (double)j) / (double)(j + 1u);
  }
  return rate;
}

/* The number of a timed reaction, or S_NONE. */
FF_WARP uint32_t s_timed_of(const s_schedule *s, ff_ssa_image_law law) {
  return law.b & FF_SSA_IMAGE_OTHER ? s->image->others[law.a].timed - 1u : S_NONE;
}

/* Changes the counts. */
FF_WARP void s_apply(s_schedule *s, uint32_t reaction) {
  const ff_ssa_image_row row = s->image->rows[reaction];
  FF_NO_UNROLL for (uint32_t i = row.change; i < row.change + row.n_changes; i++) {
    const ff_ssa_image_change change = s->image->changes[i];
    const uint32_t count = s->count[change.species] + (uint32_t)change.by;
    s->count[change.species] = count;
    s->kept.k.y[change.species] = (double)count;
    if (count > FF_DEVICE_MOST) s->failed = 1;
  }
}

#include "../device/ff_ssa_kernel_schedule.h"
#include "../../../ssa/schedule/ff_ssa_schedule_lists.h"

/* ---- steps of lane 0 ------------------------------------------------------------------------------------------------------- */

/* What lane 0 tells the warp besides what s_advance() returns: the trajectory is refused; a condition has ended it. */
enum { S_FAILED = 8, S_REACHED = 16 };

/* A trajectory begins. Its counts are set. */
FF_WARP void s_begin(s_schedule *s) {
  const ff_ssa_image_schedule *all = &s->image->schedule;
  FF_NO_UNROLL for (uint32_t i = 0; i < S_SPECIES(s); i++) S_Y(s)[i] = (double)s->count[i];
  FF_NO_UNROLL for (uint32_t i = 0; i < all->n_settable; i++) S_Y(s)[S_SPECIES(s) + i] = all->settable[i];
  s_number_places(s);
  S_SILENT(s) = 0u;
  s_start(s);
}

/* The bounds of the rates that depend on what a reaction changes. */
FF_WARP void s_set_bounds(s_schedule *s, uint32_t reaction) {
  const ff_ssa_image_schedule *all = &s->image->schedule;
  FF_NO_UNROLL for (uint64_t i = all->timed_first[reaction]; i < all->timed_first[reaction + 1u]; i++)
    s_set_bound(s, all->timed[i]);
}

/* Lets the next step happen: reaction `reaction`, unless something else is due. `fired` counts the firings for next_reaction, or
 * is NULL. */
S_CALL uint32_t s_pass(s_schedule *s, uint32_t reaction, int starts, uint32_t *fired) {
  uint32_t doing = S_BEGINS;
  s->failed = s->reached = 0;
  if (starts) {
    s_begin(s);
    if (!s_reaches(s)) (void)s_happen(s, S_EVERY);
  } else {
    doing = s_advance(s, reaction);
  }
  if (s->reached && !s->failed) return (doing & S_FIRED) | S_REACHED;
  if (doing & S_GOES_ON) s_set_bounds(s, reaction);
  if (doing & S_GOES_ON && doing & S_FIRED && S_OWN(s)->unbounded) {
    if (fired != NULL) fired[reaction]++; /* counts as a firing, so that next_reaction uses no draw twice */
    s->step++;
    S_SILENT(s)++;
    doing = S_FIRED | S_BEGINS;
  }
  if (doing & S_BEGINS && !s->failed) s_open_window(s);
  return doing | (s->failed ? S_FAILED : 0u);
}

/* ---- steps of the warp ----------------------------------------------------------------------------------------------------- */

/* The method begins anew, from all propensities. */
FF_WARP int ff_ssa_scheduled_set(const ff_ssa_warp *w) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(bad) = 0;
    for (uint32_t r = lane; r < image->n_reactions; r += 32u) {
      const double value = ff_ssa_warp_law(w, image->laws[r], lane, &FF_L(bad));
      w->value[r] = value;
      if (w->method != FF_SSA_NEXT) continue;
      FF_SSA_FIRED(w, r) = w->step == 0u ? 0u : FF_SSA_FIRED(w, r) + 1u; /* no draw is used twice */
      ff_ssa_warp_draw_firing(w, r);
      ff_ssa_warp_set_time(w, r, value, &FF_L(bad));
    }
  }
  FF_BALLOT(who, FF_L(bad));
  FF_SYNCWARP();
  ff_ssa_sum_levels(w, 1u);
  return who == 0u;
}

/* Updates what the method keeps, and finds the reaction that may fire next, at the time *firing. */
FF_WARP int ff_ssa_scheduled_find(ff_ssa_warp *w, uint32_t doing, double *firing) {
  ff_ssa_next next;
  const int fine = doing & S_BEGINS ? ff_ssa_scheduled_set(w) : ff_ssa_warp_update(w, w->next);
  w->drawn = 32u; /* the number of the step is a new one */
  if (!fine || !ff_ssa_warp_next(w, &next)) return 0;
  w->next = next.time < ff_math_infinity() ? ff_ssa_warp_reaction(w, &next) : 0u;
  *firing = next.time;
  return 1;
}

FF_WARP void ff_ssa_scheduled_end(ff_ssa_warp *w, const s_schedule *s, int refused) {
  w->step -= s->kept.k.silent;
  ff_ssa_warp_end(w, refused);
}

/* Lets the next step happen, and finds the one after it. */
FF_WARP void ff_ssa_scheduled_pass(ff_ssa_warp *w, s_schedule *s, int starts) {
  FF_LANE_IN;
  FF_LANE_VAR(uint32_t, doing);
  FF_LANE_VAR(uint32_t, step);
  FF_LANE_VAR(double, time);
  uint32_t does, failed;
  double firing = 0.0;
  FF_SYNCWARP();
  FF_EACH_LANE {
    FF_L(doing) = FF_L(step) = 0u;
    if (lane == 0u) {
      s->time = w->time;
      s->step = w->step;
      FF_L(doing) = s_pass(s, w->next, starts, w->method == FF_SSA_NEXT ? w->whole : NULL);
      FF_L(step) = s->step;
    }
  }
  FF_FIRST_LANE(does, doing);
  FF_FIRST_LANE(w->step, step);
  FF_SYNCWARP();
  if (does & S_FIRED && w->run->fired != NULL) ff_ssa_warp_list(w, w->next, w->time);
  if (does & S_REACHED) {
    ff_ssa_warp_stop(w);
    w->next_time = ff_math_infinity();
    return;
  }
  failed = does & S_FAILED;
  does &= S_BEGINS | S_GOES_ON;
  if (!failed && does != 0u) failed = !ff_ssa_scheduled_find(w, does, &firing);
  FF_SYNCWARP();
  FF_EACH_LANE {
    FF_L(time) = 0.0;
    FF_L(step) = failed;
    if (lane == 0u && !failed) {
      FF_L(time) = s_settle(s, does != 0u ? firing : s->kept.k.firing);
      FF_L(step) = s->failed != 0;
    }
  }
  FF_FIRST_LANE(w->next_time, time);
  FF_FIRST_LANE(failed, step);
  if (failed || w->step >= FF_SSA_MOST_STEPS) ff_ssa_scheduled_end(w, s, 1);
}

/* Tells lane 0 which trajectory it is. */
FF_WARP void ff_ssa_scheduled_tell(const ff_ssa_warp *w, s_schedule *s) {
  s->image = w->image;
  s->table = w->image->schedule.events;
  s->key = w->point_words > 0u ? w->point->round_key : w->run->round_key;
  s->number = ff_ssa_warp_number(w);
}

FF_WARP void ff_ssa_scheduled_begin(ff_ssa_warp *w, s_schedule *s) {
  FF_LANE_IN;
  ff_ssa_warp_take(w);
  if (w->what != FF_SLOT_BUSY) return;
  w->image = ff_ssa_warp_image(w);
  const uint32_t n_species = w->image->n_species;
  FF_EACH_LANE if (lane == 0u) ff_ssa_scheduled_tell(w, s);
  FF_EACH_LANE {
    for (uint32_t i = lane; i <= n_species; i += 32u)
      w->count[i] = w->run->starts == NULL || i == n_species ? w->image->initial[i] : FF_START_OF(w->run, n_species, w->unit, i);
    for (uint32_t i = lane; i < w->image->n_values; i += 32u) w->value[i] = w->image->tree[i];
  }
  w->next = 0u;
  ff_ssa_scheduled_pass(w, s, 1);
}

/* Records what comes before the next step, and then lets it happen or ends the trajectory. */
FF_WARP void ff_ssa_scheduled_step(ff_ssa_warp *w, s_schedule *s) {
  if (w->wanted < w->next_time) ff_ssa_warp_record(w, w->next_time);
  if (w->at == w->run->n_times) {
    ff_ssa_scheduled_end(w, s, 0);
    return;
  }
  w->time = w->next_time;
  w->step++;
  ff_ssa_scheduled_pass(w, s, 0);
}

/* ---- launches -------------------------------------------------------------------------------------------------------------- */

/* Where the arrays of a slot are. */
FF_WARP void ff_ssa_scheduled_place(s_schedule *s, const ff_ssa_image *image) {
  s_kept *k = &s->kept.k;
  const ff_ssa_image_schedule *all = &image->schedule;
  const uint32_t n_words = (all->n_events + 31u) / 32u;
  k->y = (double *)((char *)s + FF_SSA_SCHEDULE_HEAD);
  k->change = k->y + image->n_species + all->n_settable;
  k->zone = k->change + all->n_events;
  k->bound = k->zone + all->n_events;
  s->ranges = (ff_range *)(k->bound + all->n_timed);
  k->truth = (uint32_t *)(s->ranges + image->depth);
  k->fresh = k->truth + n_words;
  k->doubt = k->fresh + n_words;
  s->store = k->doubt + n_words;
}

/* Takes up what the slot has kept. */
FF_WARP void ff_ssa_scheduled_resume(ff_ssa_warp *w, s_schedule *s) {
  FF_LANE_IN;
  if (w->what == FF_SLOT_BUSY) w->image = ff_ssa_warp_image(w);
  FF_EACH_LANE if (lane == 0u) {
    s->failed = s->searches = s->reached = 0;
    if (w->what == FF_SLOT_BUSY) ff_ssa_scheduled_tell(w, s);
    s->count = w->count;
    s->stack = w->stack;
    ff_ssa_scheduled_place(s, w->image);
  }
  FF_SYNCWARP();
  w->symbols = s->kept.k.y;
  w->bound = s->kept.k.bound;
  w->next_time = s->kept.k.next_time;
  w->next = s->kept.k.next;
}

/* Runs a launch for a slot, where it is kept. image, run, the constants of the kernel and the places are set. */
FF_WARP void ff_ssa_scheduled_run(ff_ssa_warp *w, const ff_ssa_slot_layout *at, uint32_t slot) {
  FF_LANE_IN;
  char *const kept = (char *)w->run->state + slot * at->bytes;
  ff_ssa_slot *const head = (ff_ssa_slot *)kept;
  s_schedule *s = (s_schedule *)(kept + at->schedule);
  if (!ff_ssa_warp_resume(w, slot, head)) return;
  ff_ssa_scheduled_resume(w, s);
  ff_ssa_warp_limit limit = ff_ssa_warp_limit_of(w->run);
  FF_SYNCWARP();
  FF_NO_UNROLL for (; ff_ssa_warp_goes_on(w, &limit); ff_ssa_warp_count(w, &limit, 1u)) {
    if (w->what == FF_SLOT_EMPTY)
      ff_ssa_scheduled_begin(w, s);
    else
      ff_ssa_scheduled_step(w, s);
  }
  FF_SYNCWARP();
  const ff_ssa_slot after = {w->time, w->unit, w->step, w->at, w->what};
  FF_EACH_LANE if (lane == 0u) {
    *head = after;
    s->kept.k.next_time = w->next_time;
    s->kept.k.next = w->next;
  }
}

#endif
