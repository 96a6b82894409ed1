/* One step of a trajectory, for a network that is read as data (ff_ssa_image.h) and whose steps change few propensities. A
 * thread runs a trajectory: the slot of a launch. The same text is compiled for device and host (ff_warp.h), where a warp has one
 * thread. All bits are those of ff_ssa_generic_step.h. The image must list the dependents. Of the methods, there are the direct
 * one, optimised_direct and sorting_direct.
 *
 * Trajectories of small networks are in shared memory: item i of a thread is at[i * stride], where the stride is the number of
 * threads of the block. So no two threads of a warp use the same bank, whichever items they use. Between launches, they are in
 * global memory, interleaved alike. Trajectories of other networks stay where the slot is kept, with the stride 1, because
 * the children of a node then share a sector.
 */
#ifndef FF_SSA_GENERIC_THREAD_H
#define FF_SSA_GENERIC_THREAD_H

#include "ff_ssa_generic_step.h"

#if defined(__CUDA_ARCH__)
#define FF_ANY_LANE(condition) (__any_sync(0xFFFFFFFFu, (condition)) != 0)
#else
#define FF_ANY_LANE(condition) ((condition) != 0)
#endif

#define FF_SSA_THREAD_STEPS 32u /* steps of a thread between two looks at the clock */
#define FF_SSA_THREAD_HEAD 10u /* words that a slot keeps before its counts, if trajectories are interleaved */

/* Bytes of shared memory for each thread. */
static inline uint64_t ff_ssa_thread_bytes(const ff_ssa_image *image) {
  return ((uint64_t)image->n_values + image->depth) * 8u + ((uint64_t)image->n_species + 1u + image->n_whole) * 4u;
}

/* Words that a slot keeps between launches. */
static inline uint64_t ff_ssa_thread_words(const ff_ssa_image *image) {
  return FF_SSA_THREAD_HEAD + (uint64_t)image->n_species + 1u + image->n_whole + 2u * (uint64_t)image->n_values;
}

typedef struct {
  const ff_ssa_image *image;
  const ff_launch *run;
  double *value; /* the tree */
  ff_ssa_counts counts;
  uint32_t *count;
  uint32_t *whole; /* behind the counts: what the method keeps, image->n_whole numbers */
  uint32_t stride;
  int together;        /* whether the stride is 1 and nodes are aligned */
  double time, wanted; /* as in ff_ssa_warp */
  uint32_t unit, step, at, what;
  ff_ssa_corrected total; /* of methods that correct a sum */
  int formulas;
  int method; /* image->method: the direct method; or optimised_direct or sorting_direct, if trajectories are interleaved */
  int several; /* whether the wave has several points. These three are constants of a kernel. */
  uint32_t point_at, number; /* if so: the trajectory's point, and its number in this point */
  const ff_ssa_image_point *point;
} ff_ssa_thread;

/* Finds the point of the trajectory. */
FF_WARP void ff_ssa_thread_locate(ff_ssa_thread *t) {
  if (!t->several) return;
  t->point_at = t->unit / t->run->each;
  t->number = t->unit - t->point_at * t->run->each;
  t->point = (const ff_ssa_image_point *)(const void *)t->run->points + t->point_at;
  t->image = &t->point->image;
}

FF_WARP ff_philox_block ff_ssa_thread_draw(const ff_ssa_thread *t) {
  const uint64_t number = t->several ? (uint64_t)t->number : t->run->first + t->unit;
  const ff_philox_block counter = ff_philox_counter(FF_SSA_DRAW_STEP, 0, t->step, number);
  return ff_philox_rounds(t->several ? t->point->key.round_key : t->run->round_key, 0, counter);
}

/* ---- trajectories ---------------------------------------------------------------------------------------------------------- */

FF_WARP void ff_ssa_thread_end(ff_ssa_thread *t, int refused) {
  if (refused) FF_ATOMIC_OR(t->run->refused + t->unit / 32u, 1u << (t->unit % 32u));
  (void)FF_FETCH_ADD(&t->run->counters->complete, 1u);
  if (!refused) (void)FF_FETCH_ADD(&t->run->counters->steps, t->step);
  if (!refused && t->several) (void)FF_FETCH_ADD(t->run->point_steps + t->point_at, t->step);
  t->what = FF_SLOT_EMPTY;
}

/* Sets the counts and the tree of the threads that begin a trajectory. If a trajectory is together, all threads of the warp copy
 * it. */
FF_WARP void ff_ssa_thread_set(const ff_ssa_thread *t, int begins) {
  const ff_ssa_image *image = t->image;
#if defined(__CUDA_ARCH__)
  if (t->together) {
    FF_NO_UNROLL for (uint32_t who = __ballot_sync(0xFFFFFFFFu, begins); who != 0u; who &= who - 1u) {
      double *value = (double *)__shfl_sync(0xFFFFFFFFu, (unsigned long long)t->value, (int)FF_LOWEST(who));
      uint32_t *count = (uint32_t *)__shfl_sync(0xFFFFFFFFu, (unsigned long long)t->count, (int)FF_LOWEST(who));
      if (t->several)
        image = (const ff_ssa_image *)__shfl_sync(0xFFFFFFFFu, (unsigned long long)t->image, (int)FF_LOWEST(who));
      for (uint32_t s = threadIdx.x & 31u; s <= image->n_species; s += 32u) count[s] = image->initial[s];
      for (uint32_t i = threadIdx.x & 31u; i < image->n_values; i += 32u) value[i] = image->tree[i];
    }
    FF_SYNCWARP();
    return;
  }
#endif
  if (!begins) return;
  FF_NO_UNROLL for (uint32_t s = 0; s <= image->n_species; s++) t->count[s * t->stride] = image->initial[s];
  FF_NO_UNROLL for (uint32_t i = 0; i < image->n_values; i++) t->value[(size_t)i * t->stride] = image->tree[i];
  FF_NO_UNROLL for (uint32_t i = 0; i < image->n_whole; i++) /* orders and places: ff_ssa_thread_order() */
    t->whole[(size_t)i * t->stride] = i < image->n_reactions ? i : i - image->n_reactions;
}

/* The threads whose slots are empty begin the next trajectories of the wave. All threads of the warp call this. */
FF_WARP void ff_ssa_thread_begin(ff_ssa_thread *t) {
  const int is_empty = t->what == FF_SLOT_EMPTY;
  if (is_empty) {
    const uint64_t k = FF_FETCH_ADD(&t->run->counters->begun, 1u);
    t->what = k < t->run->units ? (uint32_t)FF_SLOT_BUSY : (uint32_t)FF_SLOT_IDLE;
    t->unit = (uint32_t)k;
    t->time = 0.0;
    t->step = t->at = 0u;
    t->wanted = t->run->times[0];
    if (t->what == FF_SLOT_BUSY) ff_ssa_thread_locate(t);
    if (t->method != FF_SSA_TREE) t->total = ff_ssa_corrected_of(t->image->total);
  }
  FF_SYNCWARP();
  const int begins = is_empty && t->what == FF_SLOT_BUSY;
  ff_ssa_thread_set(t, begins);
  if (begins && t->image->invalid) ff_ssa_thread_end(t, 1);
}

FF_WARP void ff_ssa_thread_record(ff_ssa_thread *t, double next_time) {
  const ff_launch *run = t->run;
  FF_NO_UNROLL while (t->wanted < next_time) {
    uint32_t *to = FF_RECORD_OF(run, t->at, t->unit);
    FF_NO_UNROLL for (uint32_t j = 0; j < run->n_observed; j++) to[j * run->units] = t->count[run->observed[j] * t->stride];
    t->at++;
    t->wanted = t->at < run->n_times ? run->times[t->at] : ff_math_infinity();
  }
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

FF_WARP const double *ff_ssa_thread_children(const ff_ssa_thread *t, uint32_t level, uint32_t node, double v[FF_SSA_FAN]) {
  const double *child = t->value + ((size_t)t->image->first[level - 1u] + (size_t)node * FF_SSA_FAN) * t->stride;
  if (t->together) {
    FF_UNROLL for (uint32_t i = 0; i < FF_SSA_FAN / 2u; i++) {
      const ff_ssa_two two = ((const ff_ssa_two *)child)[i];
      v[2u * i] = two.v[0];
      v[2u * i + 1u] = two.v[1];
    }
  } else {
    FF_UNROLL for (uint32_t i = 0; i < FF_SSA_FAN; i++) v[i] = child[i * t->stride];
  }
  return child;
}

/* The sums of the first children never decrease, so the choice among eight takes three comparisons. */
FF_WARP uint32_t ff_ssa_thread_find(const ff_ssa_thread *t, double at, double total) {
  uint32_t node = 0u;
  FF_NO_UNROLL for (uint32_t level = t->image->levels - 1u; level > 0u; level--) {
    double v[FF_SSA_FAN];
    const double *child = ff_ssa_thread_children(t, level, node, v);
    const double two = v[0] + v[1], four = two + (v[2] + v[3]), pair = v[4] + v[5];
    const int high = four <= at && four < total;
    const double middle = high ? four + pair : two;
    const int upper = middle <= at && middle < total;
    const double one = upper ? high ? v[6] : v[2] : high ? v[4] : v[0], some = upper ? (high ? pair : two) + one : one;
    const double last = high ? four + some : some;
    const int odd = last <= at && last < total;
    at -= odd ? last : upper ? middle : high ? four : 0.0;
    const uint32_t chosen = (high ? 4u : 0u) + (upper ? 2u : 0u) + (odd ? 1u : 0u);
    total = child[chosen * t->stride];
    node = node * FF_SSA_FAN + chosen;
  }
  return node;
}

/* Sums the nodes above a leaf, up to and without the first one that is also above the leaf `next`. */
FF_WARP void ff_ssa_thread_climb(const ff_ssa_thread *t, uint32_t leaf, uint32_t next) {
  uint32_t node = leaf / FF_SSA_FAN, other = next / FF_SSA_FAN;
  FF_NO_UNROLL for (uint32_t level = 1u; level < t->image->levels && node != other; level++) {
    double v[FF_SSA_FAN];
    ff_ssa_thread_children(t, level, node, v);
    t->value[((size_t)t->image->first[level] + node) * t->stride] =
        ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
    node /= FF_SSA_FAN;
    other /= FF_SSA_FAN;
  }
}

/* Computes the propensities that a reaction changes, in ascending order, and then the nodes above them. */
FF_WARP int ff_ssa_thread_update(const ff_ssa_thread *t, const ff_ssa_image_row *row) {
  const ff_ssa_image *image = t->image;
  const uint32_t end = row->dependent + row->n_dependents;
  int bad = 0;
  FF_NO_UNROLL for (uint32_t i = row->dependent; i < end; i++) {
    const uint32_t leaf = image->dependents[i];
    const ff_ssa_image_law law = image->dependent_laws != NULL ? image->dependent_laws[i] : image->laws[leaf];
    t->value[(size_t)leaf * t->stride] = ff_ssa_law_value(image, law, &t->counts, t->formulas, &bad);
  }
  FF_NO_UNROLL for (uint32_t i = row->dependent; i < end; i++)
    ff_ssa_thread_climb(t, image->dependents[i], i + 1u < end ? image->dependents[i + 1u] : UINT32_MAX);
  return !bad;
}

/* ---- linear search --------------------------------------------------------------------------------------------------------- */

/* sorting_direct: the reaction at each place, and the place of each reaction. */
FF_WARP uint32_t *ff_ssa_thread_order(const ff_ssa_thread *t, uint32_t place) { return t->whole + (size_t)place * t->stride; }
FF_WARP uint32_t *ff_ssa_thread_place(const ff_ssa_thread *t, uint32_t reaction) {
  return t->whole + ((size_t)t->image->n_reactions + reaction) * t->stride;
}

/* As ff_ssa_search_terms(). */
FF_WARP uint32_t ff_ssa_thread_search(const ff_ssa_thread *t, double at) {
  uint32_t last = 0u;
  FF_NO_UNROLL for (uint32_t i = 0; i < t->image->n_reactions; i++) {
    const double term = t->value[(size_t)i * t->stride];
    if (at < term) return i;
    if (term > 0.0) last = i;
    at -= term;
  }
  return last;
}

/* Computes the propensities that a reaction changes, in ascending order, and corrects their sum. */
FF_WARP int ff_ssa_thread_correct(ff_ssa_thread *t, const ff_ssa_image_row *row) {
  const ff_ssa_image *image = t->image;
  int bad = 0;
  FF_NO_UNROLL for (uint32_t i = row->dependent; i < row->dependent + row->n_dependents; i++) {
    const uint32_t leaf = image->dependents[i];
    const ff_ssa_image_law law = image->dependent_laws != NULL ? image->dependent_laws[i] : image->laws[leaf];
    double *value = t->value + (size_t)(t->method == FF_SSA_SORTING ? *ff_ssa_thread_place(t, leaf) : leaf) * t->stride;
    const double now = ff_ssa_law_value(image, law, &t->counts, t->formulas, &bad), change = now - *value;
    *value = now;
    if (change != 0.0) ff_ssa_corrected_change(&t->total, change);
  }
  return !bad;
}

/* A reaction that has fired changes places with the one before it. */
FF_WARP void ff_ssa_thread_move_forward(const ff_ssa_thread *t, uint32_t reaction) {
  const uint32_t at = *ff_ssa_thread_place(t, reaction);
  if (at == 0u) return;
  double *const one = t->value + (size_t)(at - 1u) * t->stride, *const two = one + t->stride, value = *one;
  const uint32_t before = *ff_ssa_thread_order(t, at - 1u);
  *one = *two;
  *two = value;
  *ff_ssa_thread_order(t, at - 1u) = reaction;
  *ff_ssa_thread_order(t, at) = before;
  *ff_ssa_thread_place(t, reaction) = at - 1u;
  *ff_ssa_thread_place(t, before) = at;
}

/* ---- all methods ----------------------------------------------------------------------------------------------------------- */

FF_WARP double ff_ssa_thread_total(ff_ssa_thread *t) {
  if (t->method == FF_SSA_TREE) return t->value[(size_t)t->image->first[t->image->levels - 1u] * t->stride];
  if (ff_ssa_corrected_stale(&t->total))
    t->total = ff_ssa_corrected_of(ff_ssa_sum_strided(t->value, t->image->n_reactions, t->stride));
  return t->total.value;
}

FF_WARP uint32_t ff_ssa_thread_reaction(const ff_ssa_thread *t, double at, double total) {
  if (t->method == FF_SSA_TREE) return ff_ssa_thread_find(t, at, total);
  const uint32_t place = ff_ssa_thread_search(t, at);
  return t->method == FF_SSA_SORTING ? *ff_ssa_thread_order(t, place) : place;
}

FF_WARP void ff_ssa_thread_fire(ff_ssa_thread *t, uint32_t reaction, double time) {
  const ff_ssa_image_row row = t->image->rows[reaction];
  int fine = 1;
  FF_NO_UNROLL for (uint32_t i = row.change; i < row.change + row.n_changes; i++) {
    const ff_ssa_image_change change = t->image->changes[i];
    const uint32_t count = t->count[change.species * t->stride] + (uint32_t)change.by;
    t->count[change.species * t->stride] = count;
    fine &= count <= FF_DEVICE_MOST;
  }
  t->time = time;
  t->step++;
  fine &= t->method == FF_SSA_TREE ? ff_ssa_thread_update(t, &row) : ff_ssa_thread_correct(t, &row);
  if (t->method == FF_SSA_SORTING) ff_ssa_thread_move_forward(t, reaction);
  if (!fine || t->step == FF_SSA_MOST_STEPS) ff_ssa_thread_end(t, 1);
}

FF_WARP void ff_ssa_thread_step(ff_ssa_thread *t) {
  if (t->what != FF_SLOT_BUSY) return;
  const double total = ff_ssa_thread_total(t);
  if (!(total < ff_math_infinity())) {
    ff_ssa_thread_end(t, 1);
    return;
  }
  const ff_philox_block words = ff_ssa_thread_draw(t);
  double next_time = ff_math_infinity();
  if (total > 0.0) next_time = t->time + ff_exponential(words.v[0], words.v[1]) / total;
  if (t->wanted < next_time) ff_ssa_thread_record(t, next_time);
  if (t->at < t->run->n_times)
    ff_ssa_thread_fire(t, ff_ssa_thread_reaction(t, ff_closed(words.v[2], words.v[3]) * total, total), next_time);
  else
    ff_ssa_thread_end(t, 0);
}

/* ---- launches -------------------------------------------------------------------------------------------------------------- */

/* Word i of what a slot keeps. */
#define FF_SSA_KEPT(run, i, slot) ((run)->state[(uint64_t)(i) * (run)->slots + (slot)])

FF_WARP double ff_ssa_thread_kept(const ff_launch *run, uint32_t i, uint32_t slot) {
  return ff_math_from_bits((uint64_t)FF_SSA_KEPT(run, i + 1u, slot) << 32 | FF_SSA_KEPT(run, i, slot));
}

FF_WARP void ff_ssa_thread_keep(const ff_launch *run, uint32_t i, uint32_t slot, double value) {
  const uint64_t bits = ff_math_bits(value);
  FF_SSA_KEPT(run, i, slot) = (uint32_t)bits;
  FF_SSA_KEPT(run, i + 1u, slot) = (uint32_t)(bits >> 32);
}

FF_WARP void ff_ssa_thread_load(ff_ssa_thread *t, uint32_t slot) {
  const ff_launch *run = t->run;
  const uint32_t n = t->image->n_species + 1u + (uint32_t)t->image->n_whole, values = FF_SSA_THREAD_HEAD + n;
  t->time = ff_ssa_thread_kept(run, 0u, slot);
  t->unit = FF_SSA_KEPT(run, 2u, slot);
  t->step = FF_SSA_KEPT(run, 3u, slot);
  t->at = FF_SSA_KEPT(run, 4u, slot);
  t->what = FF_SSA_KEPT(run, 5u, slot);
  if (t->what != FF_SLOT_BUSY) return;
  t->wanted = run->times[t->at];
  ff_ssa_thread_locate(t);
  if (t->method != FF_SSA_TREE) {
    t->total.value = ff_ssa_thread_kept(run, 6u, slot);
    t->total.error = ff_ssa_thread_kept(run, 8u, slot);
  }
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) t->count[i * t->stride] = FF_SSA_KEPT(run, FF_SSA_THREAD_HEAD + i, slot);
  FF_NO_UNROLL for (uint32_t i = 0; i < t->image->n_values; i++)
    t->value[i * t->stride] = ff_ssa_thread_kept(run, values + 2u * i, slot);
}

FF_WARP void ff_ssa_thread_save(const ff_ssa_thread *t, uint32_t slot) {
  const ff_launch *run = t->run;
  const uint32_t n = t->image->n_species + 1u + (uint32_t)t->image->n_whole, values = FF_SSA_THREAD_HEAD + n;
  ff_ssa_thread_keep(run, 0u, slot, t->time);
  FF_SSA_KEPT(run, 2u, slot) = t->unit;
  FF_SSA_KEPT(run, 3u, slot) = t->step;
  FF_SSA_KEPT(run, 4u, slot) = t->at;
  FF_SSA_KEPT(run, 5u, slot) = t->what;
  if (t->what != FF_SLOT_BUSY) return;
  if (t->method != FF_SSA_TREE) {
    ff_ssa_thread_keep(run, 6u, slot, t->total.value);
    ff_ssa_thread_keep(run, 8u, slot, t->total.error);
  }
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) FF_SSA_KEPT(run, FF_SSA_THREAD_HEAD + i, slot) = t->count[i * t->stride];
  FF_NO_UNROLL for (uint32_t i = 0; i < t->image->n_values; i++)
    ff_ssa_thread_keep(run, values + 2u * i, slot, t->value[i * t->stride]);
}

FF_WARP void ff_ssa_thread_clear(ff_ssa_thread *t) {
  t->time = t->wanted = 0.0;
  t->unit = t->step = t->at = 0u;
  t->total = ff_ssa_corrected_of(0.0);
  t->what = FF_SLOT_EMPTY;
}

FF_WARP void ff_ssa_thread_go(ff_ssa_thread *t) {
  uint64_t began, now;
  int late = 0;
  FF_NANOSECONDS(began);
  FF_NO_UNROLL for (uint32_t left = t->run->steps; left > 0u && FF_ANY_LANE(t->what != FF_SLOT_IDLE) && !late; left--) {
    if (FF_ANY_LANE(t->what == FF_SLOT_EMPTY)) ff_ssa_thread_begin(t);
    FF_SYNCWARP();
    ff_ssa_thread_step(t);
    FF_SYNCWARP();
    if (left % FF_SSA_THREAD_STEPS != 0u) continue;
    FF_NANOSECONDS(now);
    late = FF_ANY_LANE(now - began > t->run->nanoseconds);
  }
}

/* Runs a launch for a slot, in the memory of thread `thread` of `stride`. A slot beyond the last one stays idle. */
FF_WARP void ff_ssa_thread_run(ff_ssa_thread *t, char *memory, uint32_t stride, uint32_t thread, uint32_t slot) {
  const ff_ssa_image *image = t->image;
  double *const rows = (double *)memory;
  const int is_there = slot < t->run->slots;
  t->stride = stride;
  t->together = 0;
  t->value = rows + thread;
  t->count = (uint32_t *)(rows + ((size_t)image->n_values + image->depth) * stride) + thread;
  t->whole = t->count + ((size_t)image->n_species + 1u) * stride;
  const ff_ssa_counts counts = {t->count, stride, t->value + (size_t)image->n_values * stride, stride, 0, NULL};
  t->counts = counts;
  ff_ssa_thread_clear(t);
  if (!is_there) t->what = FF_SLOT_IDLE;
  if (is_there && !FF_SLOT_IS_FRESH(t->run, slot)) ff_ssa_thread_load(t, slot);
  ff_ssa_thread_go(t);
  if (is_there) ff_ssa_thread_save(t, slot);
}

/* The same where the slot is kept, which is laid out as for a warp. */
FF_WARP void ff_ssa_thread_run_there(ff_ssa_thread *t, const ff_ssa_slot_layout *at, uint32_t slot) {
  const int is_there = slot < t->run->slots;
  char *const kept = (char *)t->run->state + (is_there ? slot : 0u) * at->bytes;
  ff_ssa_slot *const head = (ff_ssa_slot *)kept;
  t->stride = 1u;
  t->together = 1;
  t->value = (double *)(kept + at->value);
  t->count = t->whole = (uint32_t *)(kept + at->count); /* the direct method keeps no more */
  const ff_ssa_counts counts = {t->count, 1u, (double *)(kept + at->stack), 1u, 0, NULL};
  t->counts = counts;
  ff_ssa_thread_clear(t);
  if (!is_there) t->what = FF_SLOT_IDLE;
  if (is_there && !FF_SLOT_IS_FRESH(t->run, slot)) {
    const ff_ssa_slot before = *head;
    t->time = before.time;
    t->unit = before.unit;
    t->step = before.step;
    t->at = before.at;
    t->what = before.what;
    if (t->what == FF_SLOT_BUSY) t->wanted = t->run->times[t->at];
    if (t->what == FF_SLOT_BUSY) ff_ssa_thread_locate(t);
  }
  ff_ssa_thread_go(t);
  const ff_ssa_slot after = {t->time, t->unit, t->step, t->at, t->what};
  if (is_there) *head = after;
}

#endif
