/* A block of warps that runs a trajectory of a network that is read as data. The same text is compiled for device and host
 * (ff_warp.h).
 *
 * If there are few trajectories, and a step changes many propensities, a warp for each trajectory leaves most of a device
 * without work. Then the first warp of a block runs the trajectory, as a warp alone does. The other warps wait until it sets a
 * task, of which all warps take a share: to fill a trajectory when it begins, to draw the waiting times of first_reaction, or to
 * compute the propensities that a step changes and the sums above them. What is short stays with the first warp.
 *
 * It does not matter which warp computes a value, so all bits are those of a warp alone.
 */
#ifndef FF_SSA_GENERIC_BLOCK_H
#define FF_SSA_GENERIC_BLOCK_H

#include "ff_ssa_generic_step.h"

#define FF_SSA_BLOCK_LEAST 33u /* nodes of a level; fewer stay with the first warp */

enum { FF_SSA_TASK_END, FF_SSA_TASK_BEGIN, FF_SSA_TASK_FIRST, FF_SSA_TASK_UPDATE };

/* Every warp of the block executes a statement (or block) behind FF_EACH_WARP, which may use `warp`, its number. On the host, one
 * after the other does. FF_SYNC_BLOCK must come between a write of a warp and a read of another one. Different warps may wait at
 * different places of the code, so this is not __syncthreads(). */
#if defined(FF_EACH_WARP) /* a test lets threads be warps */
#elif defined(__CUDA_ARCH__)
#define FF_EACH_WARP(w)
#define FF_WARP_HERE(w) const uint32_t warp = (w)->member
#define FF_SYNC_BLOCK(w) asm volatile("barrier.sync 1, %0;" ::"r"(((w)->helpers + 1u) * 32u) : "memory")
#else
#define FF_EACH_WARP(w) for (uint32_t warp = 0u; warp <= (w)->helpers; warp++)
#define FF_WARP_HERE(w)
#define FF_SYNC_BLOCK(w)
#endif

/* Whether the warps of a block can share the work of a method. */
static inline int ff_ssa_block_has(uint32_t method) {
  return method == FF_SSA_TREE || method == FF_SSA_FIRST || method == FF_SSA_NEXT;
}

FF_WARP ff_ssa_share ff_ssa_share_of(const ff_ssa_warp *w, uint32_t warp, uint32_t *n) {
  const ff_ssa_share share = {32u * warp, 32u * (w->helpers + 1u), n};
  return share;
}

/* ---- tasks ----------------------------------------------------------------------------------------------------------------- */

/* The task that was set last. */
FF_WARP ff_ssa_task *ff_ssa_block_task(const ff_ssa_warp *w) { return w->tasks + (w->n_tasks & 1u); }

/* Writes a task of the first warp's trajectory. */
FF_WARP void ff_ssa_block_fill(ff_ssa_task *task, uint32_t what, const ff_ssa_warp *w, int fine) {
  FF_LANE_IN;
  FF_EACH_LANE {
    if (lane < FF_SSA_MAX_LEVELS) task->listed[lane] = 0u;
    if (lane == 0u) {
      task->what = what;
      task->time = w->time;
      task->unit = w->unit;
      task->step = w->step;
      task->bad = !fine;
    }
  }
}

/* The first warp sets a task. A warp may still read the task before it, but not the one before that. `fine` is whether all has
 * been in order so far. */
FF_WARP void ff_ssa_block_set(ff_ssa_warp *w, uint32_t what, int fine) {
  w->n_tasks++;
  ff_ssa_block_fill(ff_ssa_block_task(w), what, w, fine);
}

/* A warp says whether all that it has computed is in order. */
FF_WARP void ff_ssa_block_say(ff_ssa_task *task, int fine) {
  FF_LANE_IN;
  FF_EACH_LANE if (!fine && lane == 0u) FF_ATOMIC_OR(&task->bad, 1u);
}

/* ---- the beginning --------------------------------------------------------------------------------------------------------- */

/* Computes all nodes from level 1 on. */
FF_WARP void ff_ssa_block_sum_levels(const ff_ssa_warp *w) {
  FF_WARP_HERE(w);
  uint32_t level = 1u;
  FF_NO_UNROLL for (; level < w->image->levels && w->image->n[level] >= FF_SSA_BLOCK_LEAST; level++) {
    FF_EACH_WARP(w) ff_ssa_sum_level(w, ff_ssa_share_of(w, warp, NULL), level);
    FF_SYNC_BLOCK(w);
  }
  if (w->member == 0u) ff_ssa_sum_levels(w, level);
}

/* As ff_ssa_warp_fill() and ff_ssa_warp_set(). */
FF_WARP void ff_ssa_block_begin(const ff_ssa_warp *w, ff_ssa_task *task) {
  FF_WARP_HERE(w);
  FF_EACH_WARP(w) ff_ssa_warp_fill(w, ff_ssa_share_of(w, warp, NULL));
  FF_SYNC_BLOCK(w);
  if (w->method != FF_SSA_NEXT) return;
  FF_EACH_WARP(w) ff_ssa_block_say(task, ff_ssa_warp_set_leaves(w, ff_ssa_share_of(w, warp, NULL)));
  FF_SYNC_BLOCK(w);
  ff_ssa_block_sum_levels(w);
}

/* ---- the first reaction method --------------------------------------------------------------------------------------------- */

FF_WARP void ff_ssa_block_first(const ff_ssa_warp *w, ff_ssa_task *task) {
  FF_LANE_IN;
  FF_WARP_HERE(w);
  FF_EACH_WARP(w) {
    double least;
    uint32_t which;
    ff_ssa_block_say(task, ff_ssa_warp_first(w, ff_ssa_share_of(w, warp, NULL), &least, &which));
    FF_EACH_LANE if (lane == 0u) {
      task->least[warp] = least;
      task->which[warp] = which;
    }
  }
  FF_SYNC_BLOCK(w);
}

/* What the warps have found, as ff_ssa_warp_next(). */
FF_WARP int ff_ssa_block_next(const ff_ssa_warp *w, ff_ssa_next *next) {
  FF_LANE_IN;
  FF_LANE_VAR(double, least);
  FF_LANE_VAR(uint32_t, which);
  double wait;
  const ff_ssa_task *const task = ff_ssa_block_task(w);
  FF_EACH_LANE {
    FF_L(least) = lane <= w->helpers ? task->least[lane] : ff_math_infinity();
    FF_L(which) = lane <= w->helpers ? task->which[lane] : UINT32_MAX;
  }
  ff_ssa_warp_shortest(least, which, &wait, &next->reaction);
  next->at = next->total = 0.0;
  next->time = w->time + wait;
  return task->bad == 0u;
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

/* Gives all leaves that depend on the counts their values, and lists their parents. */
FF_WARP void ff_ssa_block_leaves(const ff_ssa_warp *w, ff_ssa_task *task, int lists) {
  FF_WARP_HERE(w);
  const ff_ssa_image *image = w->image;
  const ff_ssa_image_row row = task->row;
  if (image->dependents != NULL) {
    const ff_ssa_image_law *laws = image->dependent_laws;
    FF_EACH_WARP(w) {
      uint32_t n = lists ? 0u : UINT32_MAX;
      ff_ssa_block_say(task, ff_ssa_warp_leaves(w, ff_ssa_share_of(w, warp, task->listed), image->dependents + row.dependent,
                                                laws != NULL ? laws + row.dependent : NULL, row.n_dependents, task->fired, &n));
    }
    return;
  }
  FF_NO_UNROLL for (uint32_t i = 0u; i < row.n_changes; i++) {
    const uint32_t species = image->changes[row.change + i].species;
    const uint64_t first = image->reader_first[species];
    const uint32_t n_leaves = (uint32_t)(image->reader_first[species + 1u] - first);
    if (i > 0u) {
      FF_SYNC_BLOCK(w); /* a leaf may read several of these species */
    }
    FF_EACH_WARP(w) {
      uint32_t n = lists ? 0u : UINT32_MAX;
      ff_ssa_block_say(task, ff_ssa_warp_leaves(w, ff_ssa_share_of(w, warp, task->listed), image->readers + first, NULL, n_leaves,
                                                task->fired, &n));
    }
  }
}

/* The reaction that has fired draws its next waiting time: the last warp does so, because it has the least to do. */
FF_WARP void ff_ssa_block_draw(const ff_ssa_warp *w, ff_ssa_task *task, int lists) {
  FF_LANE_IN;
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(bad) = 0;
    if (lane == 0u) {
      ff_ssa_warp_fired(w, task->fired, w->image->laws[task->fired], lane, &FF_L(bad));
      if (lists) w->list[FF_RESERVE(task->listed, 1u)] = task->fired / FF_SSA_FAN;
    }
  }
  FF_BALLOT(who, FF_L(bad));
  ff_ssa_block_say(task, who == 0u);
}

/* Computes the nodes above the leaves: all warps, as long as a level has many; then the first warp. */
FF_WARP void ff_ssa_block_climb(const ff_ssa_warp *w, ff_ssa_task *task, int lists) {
  FF_WARP_HERE(w);
  const ff_ssa_image *image = w->image;
  uint32_t level = 1u, n = lists ? task->listed[0] : UINT32_MAX, *nodes = w->list, *parents = w->other;
  FF_NO_UNROLL for (; level < image->levels; level++) {
    lists = lists && n <= image->n[level] / FF_SSA_LIST_SHARE;
    if ((lists ? n : image->n[level]) < FF_SSA_BLOCK_LEAST) break;
    if (lists) {
      uint32_t *const spare = nodes;
      FF_EACH_WARP(w) ff_ssa_warp_nodes(w, ff_ssa_share_of(w, warp, task->listed + level), level, nodes, n, parents);
      nodes = parents;
      parents = spare;
    } else {
      FF_EACH_WARP(w) ff_ssa_sum_level(w, ff_ssa_share_of(w, warp, NULL), level);
    }
    FF_SYNC_BLOCK(w);
    n = task->listed[level];
  }
  if (w->member == 0u) ff_ssa_warp_climb(w, level, nodes, parents, lists ? n : UINT32_MAX);
}

/* As ff_ssa_warp_many(), after the counts have changed. */
FF_WARP void ff_ssa_block_update(const ff_ssa_warp *w, ff_ssa_task *task) {
  FF_WARP_HERE(w);
  const int draws = w->method == FF_SSA_NEXT;
  const int lists = task->row.n_dependents + (draws ? 1u : 0u) <= w->image->listed;
  ff_ssa_block_leaves(w, task, lists);
  FF_EACH_WARP(w) if (draws && warp == w->helpers) ff_ssa_block_draw(w, task, lists);
  FF_SYNC_BLOCK(w);
  ff_ssa_block_climb(w, task, lists);
}

/* ---- the first warp -------------------------------------------------------------------------------------------------------- */

/* Lets a reaction fire. Returns whether a task is set: to compute what depends on the counts. */
FF_WARP int ff_ssa_block_fire(ff_ssa_warp *w, uint32_t reaction, double time) {
  FF_LANE_IN;
  const ff_ssa_image_row row = w->image->rows[reaction];
  const int few = row.n_dependents < 32u + (w->method == FF_SSA_NEXT ? 0u : 1u) && w->image->dependents != NULL;
  w->time = time;
  w->step++;
  if (few) {
    const int fine = ff_ssa_warp_few(w, &row, reaction);
    if (!fine || w->step == FF_SSA_MOST_STEPS) ff_ssa_warp_end(w, 1);
    return 0;
  }
  const int fine = ff_ssa_warp_change(w, &row);
  ff_ssa_block_set(w, FF_SSA_TASK_UPDATE, fine && w->step < FF_SSA_MOST_STEPS);
  FF_EACH_LANE if (lane == 0u) {
    ff_ssa_block_task(w)->row = row;
    ff_ssa_block_task(w)->fired = reaction;
  }
  return 1;
}

/* Goes on after the last task, as ff_ssa_warp_run() does, until there is another task. */
FF_WARP void ff_ssa_block_lead(ff_ssa_warp *w, ff_ssa_warp_limit *limit) {
  ff_ssa_next next;
  int found = ff_ssa_block_task(w)->what == FF_SSA_TASK_FIRST, fine = 1;
  if (found) fine = ff_ssa_block_next(w, &next);
  else if (w->what == FF_SLOT_BUSY && ff_ssa_block_task(w)->bad) ff_ssa_warp_end(w, 1);
  for (;; found = 0) {
    if (!found) {
      if (!ff_ssa_warp_goes_on(w, limit)) break;
      ff_ssa_warp_count(w, limit, FF_SSA_WARP_STEPS);
      if (w->what == FF_SLOT_EMPTY) {
        ff_ssa_warp_take(w);
        if (w->what == FF_SLOT_BUSY) {
          ff_ssa_block_set(w, FF_SSA_TASK_BEGIN, !w->image->invalid);
          return;
        }
        continue;
      }
      if (w->method == FF_SSA_FIRST) {
        ff_ssa_block_set(w, FF_SSA_TASK_FIRST, 1);
        return;
      }
      fine = ff_ssa_warp_next(w, &next);
    }
    if (fine && w->wanted < next.time) ff_ssa_warp_record(w, next.time);
    if (!fine || w->at == w->run->n_times)
      ff_ssa_warp_end(w, !fine);
    else if (ff_ssa_block_fire(w, ff_ssa_warp_reaction(w, &next), next.time))
      return;
  }
  ff_ssa_block_set(w, FF_SSA_TASK_END, 1);
}

/* ---- launches -------------------------------------------------------------------------------------------------------------- */

/* A warp's share of a task. */
FF_WARP void ff_ssa_block_do(const ff_ssa_warp *w, ff_ssa_task *task) {
  switch (task->what) {
  case FF_SSA_TASK_BEGIN: ff_ssa_block_begin(w, task); break;
  case FF_SSA_TASK_FIRST: ff_ssa_block_first(w, task); break;
  default: ff_ssa_block_update(w, task);
  }
}

/* As ff_ssa_warp_run(), for every warp of a block. helpers, member and tasks are set, too; n_tasks is 0. */
FF_WARP void ff_ssa_block_run(ff_ssa_warp *w, const ff_ssa_slot_layout *at, uint32_t slot, int elsewhere) {
  char *const kept = (char *)w->run->state + slot * at->bytes;
  ff_ssa_warp_limit limit = ff_ssa_warp_limit_of(w->run);
  int has_work = 0;
  if (w->member == 0u) {
    has_work = ff_ssa_warp_open(w, at, slot, kept, elsewhere);
    ff_ssa_block_fill(w->tasks, FF_SSA_TASK_END, w, 1);
    FF_SYNCWARP();
  }
  for (;;) {
    if (w->member == 0u) ff_ssa_block_lead(w, &limit);
    FF_SYNC_BLOCK(w);
    if (w->member > 0u) w->n_tasks++;
    ff_ssa_task *const task = ff_ssa_block_task(w);
    if (task->what == FF_SSA_TASK_END) break;
    if (w->member > 0u) {
      w->time = task->time;
      w->unit = task->unit;
      w->step = task->step;
    }
    ff_ssa_block_do(w, task);
  }
  if (has_work) ff_ssa_warp_close(w, at, kept, elsewhere);
}

#endif
