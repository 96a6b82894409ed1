/* A warp that runs a trajectory of a network that is read as data: what it keeps, and the nodes above the propensities. The same
 * text is compiled for device and host (ff_warp.h).
 *
 * What a method keeps of a reaction is a leaf. Leaves have nodes above them, level by level:
 *   the direct method    propensities and their sums, as in ff_ssa_tree.c
 *   first_reaction       propensities; no nodes
 *   next_reaction        times of the next firing, and the least of each group
 *   optimised_direct, sorting_direct  propensities by position; no nodes
 *   rssa                 upper bounds of propensities, and their sums
 *   block_search         propensities, and the sums of blocks, as in ff_ssa_block.c
 *   pdm, pssa_cr         sums of the propensities of a row; no nodes, but pssa_cr has bins
 */
#ifndef FF_SSA_GENERIC_WARP_H
#define FF_SSA_GENERIC_WARP_H

#include "../../../model/ff_formula_range.h"
#include "../../../ssa/path/ff_ssa_corrected.h"
#include "../../../ssa/path/ff_ssa_tree.h"
#include "../device/ff_ssa_event_table.h"
#include "ff_ssa_generic_law.h"
#include "../device/ff_ssa_sum_parts.h"

/* ---- sums ------------------------------------------------------------------------------------------------------------------ */

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

/* Terms of a sum, or of a search: numbers; or if there are none, the partial propensities of the items of a row, which follow
 * from their laws. */
typedef struct {
  const double *value;
  const ff_ssa_image_law *law;
  const uint32_t *count;
} ff_ssa_terms;

/* As partial_of() of ff_ssa_partial.c, for this count of the other reactant. Without one, `count` is 1. */
FF_WARP double ff_ssa_partial_value(double rate, uint32_t less, uint32_t count) {
  return count > less ? rate * (double)(count - less) : 0.0;
}

FF_WARP double ff_ssa_term(const ff_ssa_terms *t, uint32_t i) {
  if (t->value != NULL) return t->value[i];
  const ff_ssa_image_law law = t->law[i];
  return ff_ssa_partial_value(law.rate, law.b, t->count[law.a]);
}

/* As ff_ssa_sum_parts(), for terms of any kind. */
FF_FUNCTION double ff_ssa_sum_term_parts(const ff_ssa_terms terms, uint32_t start, uint32_t n) {
  double sum[FF_SSA_SUM_DEPTH], part;
  uint32_t path = 0u;
  int depth;
  do {
    uint32_t first = start, here = n;
    depth = ff_ssa_find_part(path, &first, &here);
    part = 0.0;
    for (uint32_t i = first; i < first + here; i++) part += ff_ssa_term(&terms, i);
  } while (ff_ssa_add_part(sum, &path, depth, &part));
  return part;
}

/* The sum of the terms from number `first` on, n of them. */
FF_WARP double ff_ssa_sum_of(const ff_ssa_terms *terms, uint32_t first, uint32_t n) {
  double sum = 0.0;
  if (n > FF_SSA_SUM_PART) return ff_ssa_sum_term_parts(*terms, first, n);
  FF_NO_UNROLL for (uint32_t i = first; i < first + n; i++) sum += ff_ssa_term(terms, i);
  return sum;
}

FF_WARP double ff_ssa_sum_terms(const double *terms, uint32_t n) { return ff_ssa_sum_strided(terms, n, 1u); }

/* ---- the warp -------------------------------------------------------------------------------------------------------------- */

enum { FF_SLOT_EMPTY, FF_SLOT_BUSY, FF_SLOT_IDLE }; /* idle: no trajectory of the wave is left */

/* What a slot keeps between launches, before its values and counts. The running sum of a method that has one follows. */
typedef struct {
  double time;
  uint32_t unit, step, at, what;
} ff_ssa_slot;
#define FF_SSA_SLOT_SUM(head) ((ff_ssa_corrected *)((head) + 1))

/* Where the parts of a slot are, in bytes. What comes before `end` is kept between launches. `shared` tells whether a copy in
 * shared memory is used during a launch. If not, `top` may be a level, from 1 on: of it and all above, `top_values` from number
 * `top_first` on, a copy is used. `stacks_shared` tells whether a block has its stacks in shared memory, although the slot is not
 * there. ff_ssa_slot_lay_out() does not decide this. */
typedef struct {
  uint64_t value, real, count, whole, end, stack, lists, schedule, bytes, shared;
  uint32_t top, top_first, top_values, stacks_shared;
} ff_ssa_slot_layout;
#define FF_SSA_NO_TOP UINT32_MAX

#define FF_SSA_BLOCK_MOST 16u /* warps that run a trajectory together */
#define FF_SSA_SLOT_HEAD 128u
#define FF_SSA_SCHEDULE_HEAD 1024u /* for the numbers of a schedule */

/* Words of a list of events that may wait, as ff_ssa_kernel_schedule.h lays it out. */
static inline uint64_t ff_ssa_schedule_store(const ff_ssa_image_schedule *s) {
  return s->due * ff_ssa_due_words(s->most_sets);
}

/* What a slot keeps of a schedule: see ff_ssa_scheduled_place(). */
static inline uint64_t ff_ssa_schedule_bytes(const ff_ssa_image *image) {
  const ff_ssa_image_schedule *s = &image->schedule;
  const uint64_t reals = (uint64_t)image->n_species + s->n_settable + 2u * (uint64_t)s->n_events + s->n_timed;
  const uint64_t words = 3u * (((uint64_t)s->n_events + 31u) / 32u) + ff_ssa_schedule_store(s);
  if (s->formulas == NULL) return 0u;
  return (FF_SSA_SCHEDULE_HEAD + reals * 8u + (uint64_t)image->depth * sizeof(ff_range) + words * 4u + 127u) / 128u * 128u;
}

/* Lets the levels from `top` on have a copy. Returns its bytes. */
static inline uint32_t ff_ssa_slot_split(ff_ssa_slot_layout *at, const ff_ssa_image *image, uint32_t top) {
  at->top = top;
  at->top_first = image->first[top];
  at->top_values = image->n_values - at->top_first;
  return (at->top_values * 8u + 127u) / 128u * 128u;
}

/* For a trajectory that so many warps run together: each has a stack of its own. */
static inline ff_ssa_slot_layout ff_ssa_slot_lay_out(const ff_ssa_image *image, uint32_t warps) {
  ff_ssa_slot_layout at = {0};
  at.value = FF_SSA_SLOT_HEAD;
  at.real = at.value + (uint64_t)image->n_values * 8u;
  at.count = at.real + image->n_real * 8u;
  at.whole = at.count + ((uint64_t)image->n_species + 1u) * 4u;
  at.end = at.whole + image->n_whole * 4u;
  at.stack = (at.end + 127u) / 128u * 128u;
  at.lists = at.stack + (uint64_t)image->depth * 32u * 8u * warps;
  at.schedule = (at.lists + (uint64_t)image->listed * 8u + 127u) / 128u * 128u;
  at.bytes = at.schedule + ff_ssa_schedule_bytes(image);
  return at;
}

/* What a warp does of a loop whose rounds 32 lanes share: it begins at number `first`, and goes on `step` numbers later. `n` is
 * the length of a list that several warps append to; NULL if one warp does. */
typedef struct {
  uint32_t first, step;
  uint32_t *n;
} ff_ssa_share;

/* What the first warp of a block lets all its warps do: see ff_ssa_generic_block.h. */
typedef struct {
  double time;
  ff_ssa_image_row row;
  uint32_t what, fired, unit, step;
  uint32_t bad;                       /* whether a propensity is invalid */
  uint32_t listed[FF_SSA_MAX_LEVELS]; /* how many nodes of the next level are in the list of a level */
  uint32_t which[FF_SSA_BLOCK_MOST];  /* for each warp: the reaction with the shortest waiting time that it has found, */
  double least[FF_SSA_BLOCK_MOST];    /* and this time */
} ff_ssa_task;

typedef struct {
  const ff_ssa_image *image;
  const ff_launch *run;
  double *value;          /* the tree: image->n_values */
  double *top;            /* its levels from number `top_level` on, if this is not FF_SSA_NO_TOP */
  uint32_t top_level, top_first;
  double *real;           /* what the method keeps: image->n_real numbers, and n_whole in `whole` */
  uint32_t *count;        /* n_species + 1 */
  uint32_t *whole;
  double *stack;          /* image->depth rows of 32 */
  uint32_t *list, *other; /* image->listed entries each */
  double time, wanted;    /* of the last step; the next time that is recorded */
  uint32_t unit;          /* number of the trajectory in the wave */
  uint32_t step, at;      /* steps so far; number of the next time that is recorded */
  uint32_t what;
  uint32_t drawn;         /* steps whose draws by the lanes are used up */
  ff_ssa_corrected total; /* of methods that correct a sum */
  int formulas;           /* whether the network has formulas */
  int method;             /* image->method */
  int scheduled;          /* whether there is a schedule */
  int follows;            /* whether there may be a condition, a list of firings, or starts; 0 with a schedule */
  uint32_t point_words;   /* of a point in run->points, or 0 if the wave has one point. These five are constants of a kernel. */
  uint32_t point_at, number; /* if there are points: that of the trajectory, and the number of the trajectory in it */
  const ff_ssa_point_key *point;
  uint32_t helpers;       /* warps of the block that help the first one; 0 if a warp runs a trajectory, or there are points */
  uint32_t member;        /* the number of this warp in the block */
  uint32_t n_tasks;       /* how many the first warp has set; the last two are in `tasks` */
  ff_ssa_task *tasks;     /* NULL without helpers */
  const double *symbols, *bound; /* with a schedule: what formulas read; bounds of the rates that depend on the time */
  double next_time;       /* and when the next step of any kind happens */
  uint32_t next;          /* the reaction that may fire next */
  FF_LANE_VAR(double, wait);
  FF_LANE_VAR(double, choice);
  FF_LANE_VAR(ff_philox_block, words); /* of methods with rejection */
} ff_ssa_warp;

/* Finds the point of the trajectory. */
FF_WARP void ff_ssa_warp_locate(ff_ssa_warp *w) {
  if (w->point_words == 0u) return;
  w->point_at = w->unit / w->run->each;
  w->number = w->unit - w->point_at * w->run->each;
  w->point = (const ff_ssa_point_key *)(const void *)(w->run->points + (uint64_t)w->point_at * w->point_words);
}

/* The image of the trajectory's point. */
FF_WARP const ff_ssa_image *ff_ssa_warp_image(const ff_ssa_warp *w) {
  return w->point_words > 0u ? &((const ff_ssa_image_point *)w->point)->image : w->image;
}

/* What random numbers depend on. */
FF_WARP uint64_t ff_ssa_warp_number(const ff_ssa_warp *w) {
  return w->point_words > 0u ? (uint64_t)w->number : w->run->first + w->unit;
}
FF_WARP uint64_t ff_ssa_warp_key(const ff_ssa_warp *w) { return w->point_words > 0u ? w->point->key : w->run->key; }

/* The share of a warp that has no help. */
FF_WARP ff_ssa_share ff_ssa_alone(void) {
  const ff_ssa_share share = {0u, 32u, NULL};
  return share;
}

FF_WARP void ff_ssa_warp_draw(ff_ssa_warp *w) {
  FF_LANE_IN;
  FF_EACH_LANE {
    const ff_philox_block words = ff_philox(
        ff_philox_counter(FF_SSA_DRAW_STEP, 0, (uint64_t)w->step + lane, ff_ssa_warp_number(w)), ff_ssa_warp_key(w));
    w->FF_L(wait) = ff_exponential(words.v[0], words.v[1]);
    w->FF_L(choice) = ff_closed(words.v[2], words.v[3]);
  }
  w->drawn = 0u;
}

/* The propensity with a schedule; NaN if it is invalid. A function, because the methods call it at several places. */
FF_FUNCTION double ff_ssa_scheduled_law(const ff_ssa_image *image, const ff_ssa_image_law law, const ff_ssa_counts counts,
                                        const double *bound) {
  const uint32_t timed = law.b & FF_SSA_IMAGE_OTHER ? image->others[law.a].timed : 0u;
  int bad = 0;
  const double value = timed > 0u ? bound[timed - 1u] : ff_ssa_law_value(image, law, &counts, 1, &bad);
  return bad ? ff_math_nan() : value;
}

FF_WARP double ff_ssa_warp_law(const ff_ssa_warp *w, const ff_ssa_image_law law, unsigned lane, int *bad) {
  const ff_ssa_counts counts = {w->count, 1u, w->stack + lane, 32u, w->scheduled, w->symbols};
  if (!w->scheduled) return ff_ssa_law_value(w->image, law, &counts, w->formulas, bad);
  const double value = ff_ssa_scheduled_law(w->image, law, counts, w->bound);
  *bad |= value != value;
  return value == value ? value : 0.0;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------------- */

FF_WARP double *ff_ssa_level(const ff_ssa_warp *w, uint32_t level) {
  return level < w->top_level ? w->value + w->image->first[level] : w->top + (w->image->first[level] - w->top_first);
}

/* The children of a node. */
FF_WARP uint32_t ff_ssa_fan(const ff_ssa_warp *w) { return w->method == FF_SSA_BLOCK ? w->image->fan : FF_SSA_FAN; }

FF_WARP double ff_ssa_least_child(const double *child) {
  double least = child[0];
  FF_UNROLL for (uint32_t i = 1; i < FF_SSA_FAN; i++) least = child[i] < least ? child[i] : least;
  return least;
}

/* The value of a node at `level`, from the level below. */
FF_WARP double ff_ssa_node_value(const ff_ssa_warp *w, const double *below, uint32_t level, uint32_t node) {
  if (w->method == FF_SSA_BLOCK) {
    const uint32_t first = node * w->image->fan, left = w->image->n[level - 1u] - first;
    return ff_ssa_sum_terms(below + first, left < w->image->fan ? left : w->image->fan);
  }
  const double *children = below + (size_t)node * FF_SSA_FAN;
  return w->method == FF_SSA_NEXT ? ff_ssa_least_child(children) : ff_ssa_sum_children(children);
}

FF_WARP void ff_ssa_sum_node(const ff_ssa_warp *w, uint32_t level, uint32_t node) {
  double *const to = ff_ssa_level(w, level) + node;
  double value = ff_ssa_node_value(w, ff_ssa_level(w, level - 1u), level, node);
  if (w->helpers > 0u) FF_STORE_EQUAL(to, value);
  else *to = value;
}

/* Sums a share of the nodes of a level. */
FF_WARP void ff_ssa_sum_level(const ff_ssa_warp *w, ff_ssa_share share, uint32_t level) {
  FF_LANE_IN;
  FF_EACH_LANE for (uint32_t node = share.first + lane; node < w->image->n[level]; node += share.step)
    ff_ssa_sum_node(w, level, node);
}

/* Sums all nodes from this level on. */
FF_WARP void ff_ssa_sum_levels(const ff_ssa_warp *w, uint32_t level) {
  FF_NO_UNROLL for (; level < w->image->levels; level++) {
    ff_ssa_sum_level(w, ff_ssa_alone(), level);
    FF_SYNCWARP();
  }
}

#endif
