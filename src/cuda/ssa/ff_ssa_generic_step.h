/* One event of a trajectory, for a network that is read as data (ff_ssa_image.h). A warp runs a trajectory: the slot of a launch.
 * The same text is compiled for device and host (ff_warp.h).
 *
 * All bits are those of ff_ssa_direct.c: the propensities are the leaves of a tree of sums, and a node is the sum of its children
 * in a fixed order (ff_ssa_tree.c). So it does not matter how often a node is summed again, nor by which lane.
 *
 *   draws    The lanes draw for 32 events at once, a lane for each.
 *   search   From the root down, lanes sum the first 0, 1, ..., 7 children of a node, and compare.
 *   firing   A lane for each change of a count.
 *   update   A lane for each propensity that depends on these counts. Then level by level, a lane for each node that has a new
 *            child. Up to 32 nodes are kept by the lanes, without removing repeats. Otherwise they are in a list; and if
 *            they are a large share of a level, all nodes from this level on are summed.
 *
 * Everything that decides which way the warp goes has the same value in all lanes.
 */
#ifndef FF_SSA_GENERIC_STEP_H
#define FF_SSA_GENERIC_STEP_H

#include "../../model/ff_formula_math.h"
#include "../../ssa/ff_ssa_device.h"
#include "../../ssa/ff_ssa_draws.h"
#include "../runtime/ff_warp.h"
#include "ff_ssa_image.h"
#include "ff_ssa_launch.h"

#define FF_SSA_MOST_EVENTS 0x80000000u /* a trajectory is refused when it has so many */
#define FF_SSA_WARP_STEPS 8u           /* steps of a warp between two looks at the clock */

/* FF_FROM_LANE: the value that one lane has. FF_EXCHANGE: each lane gets the value of the lane whose number differs in one bit.
 * FF_FETCH_ADD: adds to a counter of the wave; the value is that before. FF_NANOSECONDS: the time of a clock. */
#if defined(__CUDA_ARCH__)
#define FF_EXCHANGE(out, name, bit) (out) = __shfl_xor_sync(0xFFFFFFFFu, (name), (int)(bit))
#define FF_FROM_LANE(out, name, other) (out) = __shfl_sync(0xFFFFFFFFu, (name), (int)(other))
#define FF_FETCH_ADD(at, n) atomicAdd((unsigned long long *)(at), (unsigned long long)(n))
#define FF_NANOSECONDS(out) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out))
#define FF_LANE_HERE const unsigned lane = threadIdx.x & 31u; (void)lane
#else
#define FF_EXCHANGE(out, name, bit) FF_EACH_LANE (out)[lane] = (name)[lane ^ (bit)]
#define FF_FROM_LANE(out, name, other) (out) = (name)[other]
#define FF_FETCH_ADD(at, n) ((*(at) += (n)) - (n))
#define FF_NANOSECONDS(out) ((out) = 0u)
#define FF_LANE_HERE
#endif

/* ---- propensities ---------------------------------------------------------------------------------------------------------- */

/* The counts of a trajectory: that of species s is at[s * stride]. The stack of formulas is laid out alike. */
typedef struct {
  const uint32_t *at;
  uint32_t stride;
  double *stack;
  uint32_t stack_stride;
} ff_ssa_counts;

FF_WARP double ff_ssa_count(const ff_ssa_counts *c, uint32_t species) { return (double)c->at[species * c->stride]; }

/* As ff_formula_value(), where the last value is kept in `top` and not on the stack. On a device, a function of its own: its code
 * is long. */
#if defined(__CUDACC__)
static __host__ __device__ __noinline__
#else
static inline
#endif
double ff_ssa_code_value(const ff_formula_word *code, uint32_t length, const ff_ssa_counts c) {
  double top = 0.0;
  double *next = c.stack;
  FF_NO_UNROLL for (uint32_t i = 0; i < length; i++) {
    const ff_formula_word word = code[i];
    const uint32_t operands = ff_formula_operands(word.code);
    if (operands == 0u) {
      *next = top;
      next += c.stack_stride;
      top = word.code == FF_F_NUMBER ? word.number : word.code == FF_F_SYMBOL ? ff_ssa_count(&c, word.symbol) : 0.0;
    } else if (operands == 1u) {
      top = ff_formula_operate(word.code, top, 0.0, 0.0);
    } else {
      const double last = top;
      next -= (operands - 1u) * c.stack_stride;
      const double first = next[0], second = operands == 2u ? last : next[c.stack_stride];
      top = ff_formula_operate(word.code, first, second, last);
    }
  }
  return top;
}

/* The propensity of a law with several factors or a formula. An invalid one is 0, and *bad becomes 1. With `formulas` 0, there
 * are none in the network. */
FF_WARP double ff_ssa_other_value(const ff_ssa_image *image, uint32_t number, double rate, const ff_ssa_counts *c, int formulas,
                                  int *bad) {
  const ff_ssa_image_other other = image->others[number];
  double value = rate;
  for (uint32_t i = other.first; i < other.first + other.n; i++)
    if (ff_ssa_count(c, image->factors[i].species) < (double)image->factors[i].count) return 0.0;
  if (formulas && other.law != FF_LAW_PRODUCT) value = ff_ssa_code_value(image->words + other.code, other.length, *c);
  for (uint32_t i = other.first; other.law != FF_LAW_FORMULA && i < other.first + other.n; i++) {
    const double x = ff_ssa_count(c, image->factors[i].species);
    const uint32_t k = image->factors[i].count;
    value *= x;
    for (uint32_t j = 1; j < k; j++) value *= (x - (double)j) / (double)(j + 1u);
  }
  if (value >= 0.0 && value < ff_math_infinity()) return value + 0.0; /* -0 becomes 0 */
  *bad = 1;
  return 0.0;
}

FF_WARP double ff_ssa_law_value(const ff_ssa_image *image, const ff_ssa_image_law law, const ff_ssa_counts *c, int formulas,
                                int *bad) {
  if (law.b & FF_SSA_IMAGE_OTHER) return ff_ssa_other_value(image, law.a, law.rate, c, formulas, bad);
  const double less = law.b & FF_SSA_IMAGE_LESS ? 1.0 : 0.0;
  return law.rate * (ff_ssa_count(c, law.a) * (ff_ssa_count(c, law.b & FF_SSA_IMAGE_SPECIES) - less));
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------------- */

typedef struct {
  double v[2];
} __attribute__((aligned(16))) ff_ssa_two;

/* The sum of a node's children, in the order of ff_ssa_tree.c. */
FF_WARP double ff_ssa_sum_children(const double *child) {
  const ff_ssa_two *two = (const ff_ssa_two *)child;
  double part[4];
  FF_UNROLL for (uint32_t i = 0; i < 4u; i++) part[i] = two[i].v[0] + two[i].v[1];
  return (part[0] + part[1]) + (part[2] + part[3]);
}

/* ---- the warp -------------------------------------------------------------------------------------------------------------- */

enum { FF_SLOT_EMPTY, FF_SLOT_BUSY, FF_SLOT_IDLE }; /* idle: no trajectory of the wave is left */

/* What a slot keeps between launches, before its tree and counts. */
typedef struct {
  double time;
  uint32_t unit, event, at, what;
} ff_ssa_slot;

/* Where the parts of a slot are, in bytes. The lists are not kept between launches. */
typedef struct {
  uint64_t value, count, stack, lists, bytes;
} ff_ssa_slot_layout;

#define FF_SSA_SLOT_HEAD 128u

static inline ff_ssa_slot_layout ff_ssa_slot_lay_out(const ff_ssa_image *image) {
  ff_ssa_slot_layout at;
  at.value = FF_SSA_SLOT_HEAD;
  at.count = at.value + (uint64_t)image->n_values * 8u;
  at.stack = (at.count + ((uint64_t)image->n_species + 1u) * 4u + 127u) / 128u * 128u;
  at.lists = at.stack + (uint64_t)image->depth * 32u * 8u;
  at.bytes = (at.lists + (uint64_t)image->listed * 8u + 127u) / 128u * 128u;
  return at;
}

typedef struct {
  const ff_ssa_image *image;
  const ff_ssa_launch *run;
  double *value;          /* the tree: image->n_values */
  uint32_t *count;        /* n_species + 1 */
  double *stack;          /* image->depth rows of 32 */
  uint32_t *list, *other; /* image->listed entries each */
  double time, wanted;    /* of the last event; the next time that is recorded */
  uint32_t unit;          /* number of the trajectory in the wave */
  uint32_t event, at;     /* events so far; number of the next time that is recorded */
  uint32_t what;
  uint32_t drawn;         /* draws of the lanes that are used up */
  int formulas;           /* whether the network has formulas */
  FF_LANE_VAR(double, wait);
  FF_LANE_VAR(double, choice);
} ff_ssa_warp;

FF_WARP void ff_ssa_warp_draw(ff_ssa_warp *w) {
  FF_LANE_HERE;
  FF_EACH_LANE {
    const ff_philox_block words = ff_philox(
        ff_philox_counter(FF_SSA_DRAW_EVENT, 0, (uint64_t)w->event + lane, w->run->first + w->unit), w->run->key);
    w->FF_L(wait) = ff_ssa_exponential(words.v[0], words.v[1]);
    w->FF_L(choice) = ff_ssa_closed(words.v[2], words.v[3]);
  }
  w->drawn = 0u;
}

FF_WARP double ff_ssa_warp_law(const ff_ssa_warp *w, const ff_ssa_image_law law, unsigned lane, int *bad) {
  const ff_ssa_counts counts = {w->count, 1u, w->stack + lane, 32u};
  return ff_ssa_law_value(w->image, law, &counts, w->formulas, bad);
}

FF_WARP double *ff_ssa_level(const ff_ssa_warp *w, uint32_t level) { return w->value + w->image->first[level]; }

FF_WARP void ff_ssa_sum_node(const ff_ssa_warp *w, uint32_t level, uint32_t node) {
  ff_ssa_level(w, level)[node] = ff_ssa_sum_children(ff_ssa_level(w, level - 1u) + (size_t)node * FF_SSA_FAN);
}

/* Sums all nodes from this level on. */
FF_WARP void ff_ssa_sum_levels(const ff_ssa_warp *w, uint32_t level) {
  FF_LANE_HERE;
  FF_NO_UNROLL for (; level < w->image->levels; level++) {
    FF_EACH_LANE for (uint32_t node = lane; node < w->image->n[level]; node += 32u) ff_ssa_sum_node(w, level, node);
    FF_SYNCWARP();
  }
}

/* ---- trajectories ---------------------------------------------------------------------------------------------------------- */

FF_WARP void ff_ssa_warp_end(ff_ssa_warp *w, int refused) {
  FF_LANE_HERE;
  FF_EACH_LANE if (lane == 0u) {
    if (refused) FF_ATOMIC_OR(w->run->refused + w->unit / 32u, 1u << (w->unit % 32u));
    (void)FF_FETCH_ADD(&w->run->counters->complete, 1u);
    if (!refused) (void)FF_FETCH_ADD(&w->run->counters->events, w->event);
  }
  w->what = FF_SLOT_EMPTY;
  FF_SYNCWARP();
}

/* Takes the next trajectory of the wave, if there is one; otherwise the slot is idle. Its counts are not set. */
FF_WARP void ff_ssa_warp_take(ff_ssa_warp *w) {
  FF_LANE_HERE;
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
  w->event = w->at = 0u;
  w->wanted = w->run->times[0];
  ff_ssa_warp_draw(w);
}

FF_WARP void ff_ssa_warp_begin(ff_ssa_warp *w) {
  FF_LANE_HERE;
  ff_ssa_warp_take(w);
  if (w->what != FF_SLOT_BUSY) return;
  FF_EACH_LANE {
    for (uint32_t s = lane; s <= w->image->n_species; s += 32u) w->count[s] = w->image->initial[s];
    for (uint32_t i = lane; i < w->image->n_values; i += 32u) w->value[i] = w->image->tree[i];
  }
  FF_SYNCWARP();
  if (w->image->invalid) ff_ssa_warp_end(w, 1);
}

/* Records the state, which lasts until next_time. */
FF_WARP void ff_ssa_warp_record(ff_ssa_warp *w, double next_time) {
  FF_LANE_HERE;
  const ff_ssa_launch *run = w->run;
  FF_NO_UNROLL while (w->wanted < next_time) {
    uint32_t *to = FF_SSA_RECORD(run, w->at, w->unit);
    FF_EACH_LANE for (uint32_t j = lane; j < run->n_species; j += 32u) to[j * run->units] = w->count[run->species[j]];
    w->at++;
    w->wanted = w->at < run->n_times ? run->times[w->at] : ff_math_infinity();
  }
  FF_SYNCWARP();
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

/* As ff_ssa_tree_find(). `total` is that of all leaves. Lane 4 a + 2 b + c, for bits a, b and c, adds up the children before
 * number 4 a + 2 b + c: four of them if a is 1, then two if b is 1, then one if c is 1. */
FF_WARP uint32_t ff_ssa_warp_find(const ff_ssa_warp *w, double at, double total) {
  FF_LANE_HERE;
  uint32_t node = 0u;
  FF_NO_UNROLL for (uint32_t level = w->image->levels - 1u; level > 0u; level--) {
    const double *children = ff_ssa_level(w, level - 1u) + (size_t)node * FF_SSA_FAN;
    FF_LANE_VAR(double, child);
    FF_LANE_VAR(double, part);
    FF_LANE_VAR(double, other);
    FF_LANE_VAR(double, before);
    uint32_t passed, chosen;
    double less;
    FF_EACH_LANE FF_L(child) = children[lane % FF_SSA_FAN];
    FF_EXCHANGE(other, child, 1u);
    FF_EACH_LANE {
      FF_L(part) = FF_L(child) + FF_L(other);
      FF_L(before) = lane & 1u ? FF_L(other) : 0.0;
    }
    FF_EXCHANGE(other, part, 2u);
    FF_EACH_LANE {
      FF_L(part) += FF_L(other);
      FF_L(before) = (lane & 2u ? FF_L(other) : 0.0) + FF_L(before);
    }
    FF_EXCHANGE(other, part, 4u);
    FF_EACH_LANE FF_L(before) = (lane & 4u ? FF_L(other) : 0.0) + FF_L(before);
    FF_BALLOT(passed, lane - 1u < FF_SSA_FAN - 1u && FF_L(before) <= at && FF_L(before) < total);
    chosen = FF_POPCOUNT(passed);
    FF_FROM_LANE(less, before, chosen);
    FF_FROM_LANE(total, child, chosen);
    at -= less;
    node = node * FF_SSA_FAN + chosen;
  }
  return node;
}

/* Changes the counts. Returns whether all of them are still in order. */
FF_WARP int ff_ssa_warp_change(const ff_ssa_warp *w, const ff_ssa_image_row *row) {
  FF_LANE_HERE;
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(bad) = 0;
    for (uint32_t i = lane; i < row->n_changes; i += 32u) {
      const ff_ssa_image_change change = w->image->changes[row->change + i];
      const uint32_t count = w->count[change.species] + (uint32_t)change.by;
      w->count[change.species] = count;
      FF_L(bad) |= count > FF_SSA_DEVICE_MOST;
    }
  }
  FF_BALLOT(who, FF_L(bad));
  FF_SYNCWARP();
  return who == 0u;
}

/* Changes the counts, and computes up to 32 propensities that depend on them. Sums the nodes above these; several lanes may sum a
 * node, and get the same bits. Laws are read before the counts change, because they lie in slow memory. */
FF_WARP int ff_ssa_warp_few(const ff_ssa_warp *w, const ff_ssa_image_row *row) {
  FF_LANE_HERE;
  const ff_ssa_image *image = w->image;
  FF_LANE_VAR(uint32_t, node);
  FF_LANE_VAR(ff_ssa_image_law, law);
  FF_LANE_VAR(int, bad);
  uint32_t who;
  FF_EACH_LANE {
    const ff_ssa_image_law none = {0.0, 0u, 0u};
    FF_L(node) = 0u;
    FF_L(law) = none;
    FF_L(bad) = 0;
    if (lane < row->n_dependents) {
      const uint32_t i = row->dependent + lane;
      FF_L(node) = image->dependents[i];
      FF_L(law) = image->dependent_laws != NULL ? image->dependent_laws[i] : image->laws[FF_L(node)];
    }
  }
  const int fine = ff_ssa_warp_change(w, row);
  FF_EACH_LANE if (lane < row->n_dependents) w->value[FF_L(node)] = ff_ssa_warp_law(w, FF_L(law), lane, &FF_L(bad));
  FF_BALLOT(who, FF_L(bad));
  FF_SYNCWARP();
  double *below = w->value;
  FF_NO_UNROLL for (uint32_t level = 1u; level < image->levels; level++) {
    double *const nodes = ff_ssa_level(w, level);
    FF_EACH_LANE {
      FF_L(node) /= FF_SSA_FAN;
      if (lane < row->n_dependents) nodes[FF_L(node)] = ff_ssa_sum_children(below + (size_t)FF_L(node) * FF_SSA_FAN);
    }
    below = nodes;
    FF_SYNCWARP();
  }
  return fine && who == 0u;
}

/* Appends the numbers that lanes keep to a list of n entries, and returns its new length. */
FF_WARP uint32_t ff_ssa_append(uint32_t *list, uint32_t n, FF_LANE_VAR(uint32_t, number), uint32_t who) {
  FF_LANE_HERE;
  FF_EACH_LANE if (who >> lane & 1u) list[n + FF_POPCOUNT(who & ((1u << lane) - 1u))] = FF_L(number);
  return n + FF_POPCOUNT(who);
}

/* Computes the propensities of a range of the dependents, or of the readers of a species. Unless *n is UINT32_MAX, their parents
 * are appended to the list of *n entries, without repeats of neighbours. Returns whether all propensities are valid. */
FF_WARP int ff_ssa_warp_leaves(const ff_ssa_warp *w, const uint32_t *leaves, const ff_ssa_image_law *laws, uint32_t n_leaves,
                               uint32_t *n) {
  FF_LANE_HERE;
  FF_LANE_VAR(int, bad);
  FF_LANE_VAR(uint32_t, parent);
  uint32_t who;
  FF_EACH_LANE FF_L(bad) = 0;
  FF_NO_UNROLL for (uint32_t from = 0; from < n_leaves; from += 32u) {
    FF_LANE_VAR(int, fresh);
    FF_EACH_LANE {
      const uint32_t i = from + lane;
      FF_L(fresh) = 0;
      FF_L(parent) = 0u;
      if (i < n_leaves) {
        const uint32_t leaf = leaves[i];
        w->value[leaf] = ff_ssa_warp_law(w, laws != NULL ? laws[i] : w->image->laws[leaf], lane, &FF_L(bad));
        FF_L(parent) = leaf / FF_SSA_FAN;
        FF_L(fresh) = i == 0u || leaves[i - 1u] / FF_SSA_FAN != FF_L(parent);
      }
    }
    if (*n == UINT32_MAX) continue;
    FF_BALLOT(who, FF_L(fresh));
    *n = ff_ssa_append(w->list, *n, parent, who);
  }
  FF_BALLOT(who, FF_L(bad));
  return who == 0u;
}

/* Sums the nodes of a list, and lists their parents in `parents`. Returns how many these are. */
FF_WARP uint32_t ff_ssa_warp_nodes(const ff_ssa_warp *w, uint32_t level, const uint32_t *nodes, uint32_t n_nodes,
                                   uint32_t *parents) {
  FF_LANE_HERE;
  uint32_t n = 0u;
  FF_NO_UNROLL for (uint32_t from = 0; from < n_nodes; from += 32u) {
    FF_LANE_VAR(int, fresh);
    FF_LANE_VAR(uint32_t, parent);
    uint32_t who;
    FF_EACH_LANE {
      const uint32_t i = from + lane;
      FF_L(fresh) = 0;
      FF_L(parent) = 0u;
      if (i < n_nodes) {
        ff_ssa_sum_node(w, level, nodes[i]);
        FF_L(parent) = nodes[i] / FF_SSA_FAN;
        FF_L(fresh) = i == 0u || nodes[i - 1u] / FF_SSA_FAN != FF_L(parent);
      }
    }
    FF_BALLOT(who, FF_L(fresh));
    n = ff_ssa_append(parents, n, parent, who);
  }
  FF_SYNCWARP();
  return n;
}

/* As ff_ssa_warp_few(), for any number of propensities. */
FF_WARP int ff_ssa_warp_many(const ff_ssa_warp *w, const ff_ssa_image_row *row) {
  const ff_ssa_image *image = w->image;
  uint32_t n = row->n_dependents <= image->listed ? 0u : UINT32_MAX, level = 1u, *nodes = w->list, *parents = w->other;
  int fine = ff_ssa_warp_change(w, row);
  if (image->dependents != NULL) {
    const ff_ssa_image_law *laws = image->dependent_laws;
    fine &= ff_ssa_warp_leaves(w, image->dependents + row->dependent, laws != NULL ? laws + row->dependent : NULL,
                               row->n_dependents, &n);
  } else {
    FF_NO_UNROLL for (uint32_t i = 0; i < row->n_changes; i++) {
      const uint32_t species = image->changes[row->change + i].species;
      const uint64_t first = image->reader_first[species];
      fine &= ff_ssa_warp_leaves(w, image->readers + first, NULL, (uint32_t)(image->reader_first[species + 1u] - first), &n);
    }
  }
  FF_SYNCWARP();
  FF_NO_UNROLL while (level < image->levels && n <= image->n[level] / FF_SSA_LIST_SHARE) {
    n = ff_ssa_warp_nodes(w, level, nodes, n, parents);
    uint32_t *const spare = nodes;
    nodes = parents;
    parents = spare;
    level++;
  }
  ff_ssa_sum_levels(w, level);
  return fine;
}

/* Lets a reaction fire. */
FF_WARP void ff_ssa_warp_fire(ff_ssa_warp *w, uint32_t reaction, double time) {
  const ff_ssa_image_row row = w->image->rows[reaction];
  const int few = row.n_dependents <= 32u && w->image->dependents != NULL;
  const int fine = few ? ff_ssa_warp_few(w, &row) : ff_ssa_warp_many(w, &row);
  w->time = time;
  w->event++;
  if (!fine || w->event == FF_SSA_MOST_EVENTS) ff_ssa_warp_end(w, 1);
}

/* Finds the next event. Records what comes before it, and then lets it happen or ends the trajectory. */
FF_WARP void ff_ssa_warp_step(ff_ssa_warp *w) {
  const double total = *ff_ssa_level(w, w->image->levels - 1u);
  double next_time = ff_math_infinity(), wait, choice;
  if (!(total < ff_math_infinity())) {
    ff_ssa_warp_end(w, 1);
    return;
  }
  if (w->drawn == 32u) ff_ssa_warp_draw(w);
  FF_FROM_LANE(wait, w->wait, w->drawn);
  FF_FROM_LANE(choice, w->choice, w->drawn);
  w->drawn++;
  if (total > 0.0) next_time = w->time + wait / total;
  if (w->wanted < next_time) ff_ssa_warp_record(w, next_time);
  if (w->at < w->run->n_times)
    ff_ssa_warp_fire(w, ff_ssa_warp_find(w, choice * total, total), next_time);
  else
    ff_ssa_warp_end(w, 0);
}

/* ---- launches -------------------------------------------------------------------------------------------------------------- */

FF_WARP void ff_ssa_warp_copy(uint32_t *to, const uint32_t *from, uint64_t n) {
  FF_LANE_HERE;
  FF_EACH_LANE for (uint64_t i = lane; i < n; i += 32u) to[i] = from[i];
}

/* Where a slot works: `place` has the parts of a slot from its tree on. */
FF_WARP void ff_ssa_warp_place(ff_ssa_warp *w, const ff_ssa_slot_layout *at, char *place) {
  const uint64_t skip = FF_SSA_SLOT_HEAD;
  w->value = (double *)(place + (at->value - skip));
  w->count = (uint32_t *)(place + (at->count - skip));
  w->stack = (double *)(place + (at->stack - skip));
  w->list = (uint32_t *)(place + (at->lists - skip));
  w->other = w->list + w->image->listed;
}

/* Takes up what a slot has kept, but for its counts. Returns whether there is anything to do. */
FF_WARP int ff_ssa_warp_resume(ff_ssa_warp *w, const ff_ssa_slot *head) {
  FF_LANE_HERE;
  w->what = w->run->fresh ? (uint32_t)FF_SLOT_EMPTY : head->what;
  w->drawn = 32u;
  w->time = w->wanted = 0.0;
  w->unit = w->event = w->at = 0u;
  FF_EACH_LANE w->FF_L(wait) = w->FF_L(choice) = 0.0;
  if (w->what != FF_SLOT_BUSY) return w->what == FF_SLOT_EMPTY;
  w->time = head->time;
  w->unit = head->unit;
  w->event = head->event;
  w->at = head->at;
  w->wanted = w->run->times[w->at];
  return 1;
}

/* Runs a launch for a slot. image, run, formulas and the places are set. `kept` is the slot's part of run->state. */
FF_WARP void ff_ssa_warp_run(ff_ssa_warp *w, const ff_ssa_slot_layout *at, char *kept, int elsewhere) {
  FF_LANE_HERE;
  ff_ssa_slot *head = (ff_ssa_slot *)kept;
  uint32_t *const words = (uint32_t *)(kept + at->value);
  const uint64_t n = (at->count - at->value) / 4u + w->image->n_species + 1u;
  if (!ff_ssa_warp_resume(w, head)) return;
  if (w->what == FF_SLOT_BUSY && elsewhere) ff_ssa_warp_copy((uint32_t *)w->value, words, n);
  uint64_t began, now;
  uint32_t late = 0u;
  FF_NANOSECONDS(began);
  FF_SYNCWARP();
  FF_NO_UNROLL for (uint32_t left = w->run->steps; left > 0u && w->what != FF_SLOT_IDLE && late == 0u; left--) {
    if (w->what == FF_SLOT_EMPTY)
      ff_ssa_warp_begin(w);
    else
      ff_ssa_warp_step(w);
    if (left % FF_SSA_WARP_STEPS != 0u) continue;
    FF_NANOSECONDS(now);
    FF_BALLOT(late, now - began > w->run->nanoseconds);
  }
  FF_SYNCWARP();
  if (w->what == FF_SLOT_BUSY && elsewhere) ff_ssa_warp_copy(words, (const uint32_t *)w->value, n);
  const ff_ssa_slot after = {w->time, w->unit, w->event, w->at, w->what};
  FF_EACH_LANE if (lane == 0u) *head = after;
}

#endif
