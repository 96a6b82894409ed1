/* One step of a trajectory, for a network that is read as data (ff_ssa_image.h). A warp runs a trajectory: the slot of a launch.
 * The same text is compiled for device and host (ff_warp.h).
 *
 * All bits are those of the processor's methods: ff_ssa_direct.c, ff_ssa_queue.c, ff_ssa_optimised.c, ff_ssa_rssa.c,
 * ff_ssa_block.c and ff_ssa_partial.c. ff_ssa_generic_find.h finds the next step, and ff_ssa_generic_update.h updates what
 * depends on it.
 *
 * Everything that decides which way the warp goes has the same value in all lanes.
 */
#ifndef FF_SSA_GENERIC_STEP_H
#define FF_SSA_GENERIC_STEP_H

#include "ff_ssa_generic_find.h"
#include "ff_ssa_generic_update.h"

#define FF_SSA_MOST_STEPS 0x80000000u /* a trajectory is refused when it has so many */
#define FF_SSA_WARP_STEPS 8u           /* steps of a warp between two looks at the clock */

/* ---- trajectories ---------------------------------------------------------------------------------------------------------- */

FF_WARP void ff_ssa_warp_end(ff_ssa_warp *w, int refused) {
  FF_LANE_IN;
  FF_EACH_LANE if (lane == 0u) {
    if (refused) FF_ATOMIC_OR(w->run->refused + w->unit / 32u, 1u << (w->unit % 32u));
    (void)FF_FETCH_ADD(&w->run->counters->complete, 1u);
    if (!refused) (void)FF_FETCH_ADD(&w->run->counters->steps, w->step);
    if (!refused && w->point_words > 0u) (void)FF_FETCH_ADD(w->run->point_steps + w->point_at, w->step);
  }
  w->what = FF_SLOT_EMPTY;
  FF_SYNCWARP();
}

/* Whether trajectories have starts: counts at the start that are their own. */
FF_WARP int ff_ssa_has_start(const ff_ssa_warp *w) { return w->follows && w->run->starts != NULL; }

/* Puts all rows into bins. */
FF_WARP int ff_ssa_warp_bin_all(const ff_ssa_warp *w) {
  FF_LANE_IN;
  const uint32_t n = w->image->n_rows;
  int fine = 1;
  ff_ssa_bins_begin(w);
  FF_NO_UNROLL for (uint32_t from = 0u; from < n; from += 32u) {
    FF_LANE_VAR(uint32_t, row);
    FF_LANE_VAR(double, weight);
    FF_EACH_LANE {
      FF_L(row) = from + lane < n ? from + lane : 0u;
      const double factor = ff_ssa_row_factor(w, FF_L(row));
      FF_L(weight) = factor > 0.0 ? factor * FF_SSA_ROW_SUM(w, FF_L(row))[0] : 0.0;
    }
    fine &= ff_ssa_rebin(w, row, weight, n - from < 32u ? n - from : 32u);
  }
  return fine;
}

/* Sets what the methods with rows keep, from the counts at the start. Returns whether there is room for the bins. */
FF_WARP int ff_ssa_warp_start(const ff_ssa_warp *w) {
  ff_ssa_rows_begin(w);
  return !ff_ssa_has_bins(w) || ff_ssa_warp_bin_all(w);
}

/* Sets what the other methods keep, from the counts and propensities at the start: a share of the leaves. Returns whether all are
 * in order. */
FF_WARP int ff_ssa_warp_set_leaves(const ff_ssa_warp *w, ff_ssa_share share) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(bad) = 0;
    for (uint32_t r = share.first + lane; r < image->n_reactions; r += share.step) {
      if (w->method == FF_SSA_SORTING) FF_SSA_ORDER(w)[r] = FF_SSA_PLACE(w)[r] = r;
      if (w->method == FF_SSA_RSSA) w->value[r] = ff_ssa_warp_bounds_of(w, r, image->laws[r], lane, &FF_L(bad));
      if (w->method != FF_SSA_NEXT) continue;
      FF_SSA_FIRED(w, r) = 0u;
      ff_ssa_warp_draw_firing(w, r);
      const double propensity = ff_ssa_has_start(w) ? ff_ssa_warp_law(w, image->laws[r], lane, &FF_L(bad)) : image->tree[r];
      ff_ssa_warp_set_time(w, r, propensity, &FF_L(bad));
    }
  }
  FF_BALLOT(who, FF_L(bad));
  return who == 0u;
}

/* The same for all leaves, and the nodes above them. */
FF_WARP int ff_ssa_warp_set(const ff_ssa_warp *w) {
  FF_LANE_IN;
  if (w->method == FF_SSA_RSSA) {
    FF_EACH_LANE for (uint32_t s = lane; s <= w->image->n_species; s += 32u) ff_ssa_warp_set_interval(w, s);
    FF_SYNCWARP();
  }
  const int fine = ff_ssa_warp_set_leaves(w, ff_ssa_alone());
  FF_SYNCWARP();
  if (w->method == FF_SSA_NEXT || w->method == FF_SSA_RSSA) ff_ssa_sum_levels(w, 1u);
  return fine;
}

/* Copies a share of the counts and values at time 0. */
FF_WARP void ff_ssa_warp_fill(const ff_ssa_warp *w, ff_ssa_share share) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  FF_EACH_LANE {
    const uint32_t first = share.first + lane, step = share.step;
    for (uint32_t s = first; s <= image->n_species; s += step) w->count[s] = image->initial[s];
    const uint32_t n = w->top_level == FF_SSA_NO_TOP ? image->n_values : w->top_first;
    for (uint32_t i = first; i < n; i += step) w->value[i] = image->tree[i];
    for (uint32_t i = n + first; i < image->n_values; i += step) w->top[i - n] = image->tree[i];
    for (uint64_t i = first; image->real != NULL && i < image->n_real; i += step) w->real[i] = image->real[i];
    for (uint64_t i = first; image->whole != NULL && i < image->n_whole; i += step) w->whole[i] = image->whole[i];
  }
}

/* The sum of the leaves, for methods that correct this sum at each step. */
FF_WARP double ff_ssa_warp_sum_leaves(const ff_ssa_warp *w) {
  FF_LANE_IN;
  FF_LANE_VAR(double, sum);
  double out;
  FF_EACH_LANE {
    FF_L(sum) = 0.0;
    if (lane == 0u) FF_L(sum) = ff_ssa_sum_terms(w->value, w->image->n[0]);
  }
  FF_FIRST_LANE(out, sum);
  return out;
}

/* Sets the trajectory's own counts at the start, and what follows from them. ff_ssa_image.c computes the same from the counts of
 * the network. Returns whether all is in order. */
FF_WARP int ff_ssa_warp_set_start(ff_ssa_warp *w) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  const ff_launch *run = w->run;
  const int leaves = image->whole == NULL && w->method != FF_SSA_NEXT && w->method != FF_SSA_RSSA;
  int fine = 1;
  FF_EACH_LANE {
    for (uint32_t s = lane; s < image->n_species; s += 32u) w->count[s] = FF_START_OF(run, image->n_species, w->unit, s);
    if (lane == 0u) w->count[image->n_species] = 1u;
    for (uint32_t i = lane; i < image->n_values; i += 32u)
      w->value[i] = w->method == FF_SSA_NEXT ? ff_math_infinity() : 0.0;
  }
  FF_SYNCWARP();
  if (leaves) {
    FF_LANE_VAR(int, bad);
    uint32_t who;
    FF_EACH_LANE {
      FF_L(bad) = 0;
      for (uint32_t r = lane; r < image->n_reactions; r += 32u)
        w->value[r] = ff_ssa_warp_law(w, image->laws[r], lane, &FF_L(bad));
    }
    FF_BALLOT(who, FF_L(bad));
    fine = who == 0u;
    FF_SYNCWARP();
    ff_ssa_sum_levels(w, 1u);
  }
  fine &= image->whole != NULL ? ff_ssa_warp_start(w) : ff_ssa_warp_set(w);
  if (ff_ssa_method_searches(w->method) || ff_ssa_has_rows(w)) w->total = ff_ssa_corrected_of(ff_ssa_warp_sum_leaves(w));
  return fine;
}

/* Takes the next trajectory of the wave, if there is one; otherwise the slot is idle. Its counts are not set. */
FF_WARP void ff_ssa_warp_take(ff_ssa_warp *w) {
  FF_LANE_IN;
  FF_LANE_VAR(uint32_t, number);
  FF_EACH_LANE {
    FF_L(number) = 0u;
    if (lane == 0u) {
      const uint64_t k = FF_FETCH_ADD(&w->run->counters->begun, 1u);
      FF_L(number) = k < w->run->units ? (uint32_t)k : UINT32_MAX;
    }
  }
  FF_FIRST_LANE(w->unit, number);
  w->what = FF_SLOT_IDLE;
  if (w->unit == UINT32_MAX) return;
  w->what = FF_SLOT_BUSY;
  w->time = 0.0;
  w->step = w->at = 0u;
  w->wanted = w->run->times[0];
  w->drawn = 32u;
  ff_ssa_warp_locate(w);
}

FF_WARP void ff_ssa_warp_begin(ff_ssa_warp *w) {
  ff_ssa_warp_take(w);
  if (w->what != FF_SLOT_BUSY) return;
  if (ff_ssa_has_start(w)) {
    if (!ff_ssa_warp_set_start(w)) ff_ssa_warp_end(w, 1);
    return;
  }
  w->image = ff_ssa_warp_image(w);
  w->total = ff_ssa_corrected_of(w->image->total);
  ff_ssa_warp_fill(w, ff_ssa_alone());
  FF_SYNCWARP();
  if (w->image->invalid || (w->image->whole == NULL && !ff_ssa_warp_set(w))) ff_ssa_warp_end(w, 1);
}

/* Records the state, which lasts until next_time. */
FF_WARP void ff_ssa_warp_record(ff_ssa_warp *w, double next_time) {
  FF_LANE_IN;
  const ff_launch *run = w->run;
  FF_NO_UNROLL while (w->wanted < next_time) {
    uint32_t *to = FF_RECORD_OF(run, w->at, w->unit);
    FF_EACH_LANE for (uint32_t j = lane; j < run->n_observed; j += 32u) to[j * run->units] = w->count[run->observed[j]];
    w->at++;
    w->wanted = w->at < run->n_times ? run->times[w->at] : ff_math_infinity();
  }
  FF_SYNCWARP();
}

/* ---- conditions and firings ------------------------------------------------------------------------------------------------ */

/* Whether the condition that ends trajectories holds. With a schedule, s_reaches() tells it. */
FF_WARP int ff_ssa_warp_reaches(const ff_ssa_warp *w) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  FF_LANE_VAR(uint32_t, reached);
  uint32_t out;
  if (image->until_length == 0u) return 0;
  FF_EACH_LANE {
    FF_L(reached) = 0u;
    if (lane == 0u) {
      const ff_ssa_counts counts = {w->count, 1u, w->stack, 32u, 0, NULL};
      FF_L(reached) = ff_ssa_code_value(image->until, image->until_length, counts) != 0.0;
    }
  }
  FF_FIRST_LANE(out, reached);
  return (int)out;
}

/* Notes the time at which the condition has ended the trajectory. */
FF_WARP void ff_ssa_warp_stop(const ff_ssa_warp *w) {
  FF_LANE_IN;
  FF_EACH_LANE if (lane == 0u) w->run->stopped[w->unit] = w->time;
}

/* Lists a firing of the trajectory. */
FF_WARP void ff_ssa_warp_list(const ff_ssa_warp *w, uint32_t reaction, double time) {
  FF_LANE_IN;
  const ff_fired fired = {w->unit, w->image->numbers != NULL ? w->image->numbers[reaction] : reaction, time};
  FF_EACH_LANE if (lane == 0u) w->run->fired[FF_FETCH_ADD(&w->run->counters->fired, 1u)] = fired;
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

/* Lets a reaction fire. */
FF_WARP void ff_ssa_warp_fire(ff_ssa_warp *w, uint32_t reaction, double time) {
  w->time = time;
  if (w->follows && w->run->fired != NULL) ff_ssa_warp_list(w, reaction, time);
  w->step++;
  const int fine = ff_ssa_warp_update(w, reaction);
  if (!fine || w->step == FF_SSA_MOST_STEPS) ff_ssa_warp_end(w, 1);
}

/* Finds the next step. Records what comes before it, and then lets it happen or ends the trajectory. */
FF_WARP void ff_ssa_warp_step(ff_ssa_warp *w) {
  ff_ssa_next next;
  if (!ff_ssa_warp_next(w, &next)) {
    ff_ssa_warp_end(w, 1);
    return;
  }
  if (w->follows && ff_ssa_warp_reaches(w)) {
    ff_ssa_warp_stop(w);
    next.time = ff_math_infinity();
  }
  if (w->wanted < next.time) ff_ssa_warp_record(w, next.time);
  if (w->at < w->run->n_times)
    ff_ssa_warp_fire(w, ff_ssa_warp_reaction(w, &next), next.time);
  else
    ff_ssa_warp_end(w, 0);
}

/* ---- launches -------------------------------------------------------------------------------------------------------------- */

FF_WARP void ff_ssa_warp_copy(uint32_t *to, const uint32_t *from, uint64_t n) {
  FF_LANE_IN;
  FF_EACH_LANE for (uint64_t i = lane; i < n; i += 32u) to[i] = from[i];
}

/* Where a slot works: `place` has the parts of a slot from its tree on, and `top` the top of the tree if there is a copy. */
FF_WARP void ff_ssa_warp_place(ff_ssa_warp *w, const ff_ssa_slot_layout *at, char *place, double *top) {
  const uint64_t skip = FF_SSA_SLOT_HEAD;
  w->top = top;
  w->top_level = top != NULL ? at->top : FF_SSA_NO_TOP;
  w->top_first = at->top_first;
  w->value = (double *)(place + (at->value - skip));
  w->real = (double *)(place + (at->real - skip));
  w->count = (uint32_t *)(place + (at->count - skip));
  w->whole = (uint32_t *)(place + (at->whole - skip));
  w->stack = (double *)(place + (at->stack - skip));
  w->list = (uint32_t *)(place + (at->lists - skip));
  w->other = w->list + w->image->listed;
}

/* Takes up what a slot has kept, but for its counts, values and sums. Returns whether there is anything to do. */
FF_WARP int ff_ssa_warp_resume(ff_ssa_warp *w, uint32_t slot, const ff_ssa_slot *head) {
  FF_LANE_IN;
  w->what = FF_SLOT_IS_FRESH(w->run, slot) ? (uint32_t)FF_SLOT_EMPTY : head->what;
  w->drawn = 32u;
  w->time = w->wanted = 0.0;
  w->unit = w->step = w->at = 0u;
  FF_EACH_LANE w->FF_L(wait) = w->FF_L(choice) = 0.0;
  if (w->what != FF_SLOT_BUSY) return w->what == FF_SLOT_EMPTY;
  w->time = head->time;
  w->unit = head->unit;
  w->step = head->step;
  w->at = head->at;
  w->wanted = w->run->times[w->at];
  ff_ssa_warp_locate(w);
  return 1;
}

/* The limits of a launch for a warp. */
typedef struct {
  uint64_t began;      /* when */
  uint32_t left, late; /* steps that it may make; whether its time is over */
} ff_ssa_warp_limit;

FF_WARP ff_ssa_warp_limit ff_ssa_warp_limit_of(const ff_launch *run) {
  ff_ssa_warp_limit limit = {0u, run->steps, 0u};
  FF_NANOSECONDS(limit.began);
  return limit;
}

/* Whether the warp makes another step. */
FF_WARP int ff_ssa_warp_goes_on(const ff_ssa_warp *w, const ff_ssa_warp_limit *limit) {
  return limit->left > 0u && w->what != FF_SLOT_IDLE && limit->late == 0u;
}

/* Counts a step. The warp looks at the clock after each `every` steps. */
FF_WARP void ff_ssa_warp_count(const ff_ssa_warp *w, ff_ssa_warp_limit *limit, uint32_t every) {
  if (limit->left % every == 0u) {
    uint64_t now;
    FF_NANOSECONDS(now);
    FF_BALLOT(limit->late, now - limit->began > w->run->nanoseconds);
  }
  limit->left--;
}

/* Begins a launch for a slot, whose parts are where they are `kept`, or elsewhere. Returns whether there is anything to do. */
FF_WARP int ff_ssa_warp_open(ff_ssa_warp *w, const ff_ssa_slot_layout *at, uint32_t slot, char *kept, int elsewhere) {
  ff_ssa_slot *const head = (ff_ssa_slot *)kept;
  const uint32_t *const words = (const uint32_t *)(kept + at->value);
  if (!ff_ssa_warp_resume(w, slot, head)) return 0;
  w->total = ff_ssa_corrected_of(0.0);
  if (w->what == FF_SLOT_BUSY) w->total = *FF_SSA_SLOT_SUM(head);
  if (w->what == FF_SLOT_BUSY) w->image = ff_ssa_warp_image(w);
  const int has_top = w->top_level != FF_SSA_NO_TOP;
  if (w->what == FF_SLOT_BUSY && elsewhere) ff_ssa_warp_copy((uint32_t *)w->value, words, (at->end - at->value) / 4u);
  if (w->what == FF_SLOT_BUSY && has_top)
    ff_ssa_warp_copy((uint32_t *)w->top, words + 2u * (size_t)w->top_first, 2u * (uint64_t)at->top_values);
  return 1;
}

/* Ends the launch, and keeps the slot for the next one. */
FF_WARP void ff_ssa_warp_close(const ff_ssa_warp *w, const ff_ssa_slot_layout *at, char *kept, int elsewhere) {
  FF_LANE_IN;
  ff_ssa_slot *const head = (ff_ssa_slot *)kept;
  uint32_t *const words = (uint32_t *)(kept + at->value);
  const int has_top = w->top_level != FF_SSA_NO_TOP;
  FF_SYNCWARP();
  if (w->what == FF_SLOT_BUSY && elsewhere) ff_ssa_warp_copy(words, (const uint32_t *)w->value, (at->end - at->value) / 4u);
  if (w->what == FF_SLOT_BUSY && has_top)
    ff_ssa_warp_copy(words + 2u * (size_t)w->top_first, (const uint32_t *)w->top, 2u * (uint64_t)at->top_values);
  const ff_ssa_slot after = {w->time, w->unit, w->step, w->at, w->what};
  FF_EACH_LANE if (lane == 0u) {
    *head = after;
    *FF_SSA_SLOT_SUM(head) = w->total;
  }
}

/* Runs a launch for a slot. image, run, the constants of the kernel and the places are set. With points, image is that of any. */
FF_WARP void ff_ssa_warp_run(ff_ssa_warp *w, const ff_ssa_slot_layout *at, uint32_t slot, int elsewhere) {
  char *const kept = (char *)w->run->state + slot * at->bytes;
  if (!ff_ssa_warp_open(w, at, slot, kept, elsewhere)) return;
  ff_ssa_warp_limit limit = ff_ssa_warp_limit_of(w->run);
  FF_SYNCWARP();
  FF_NO_UNROLL for (; ff_ssa_warp_goes_on(w, &limit); ff_ssa_warp_count(w, &limit, FF_SSA_WARP_STEPS)) {
    if (w->what == FF_SLOT_EMPTY)
      ff_ssa_warp_begin(w);
    else
      ff_ssa_warp_step(w);
  }
  ff_ssa_warp_close(w, at, kept, elsewhere);
}

#endif
