/* Runs trajectories to attractors: a batch of tiles runs to steps 1, 2, 4, ..., and its states are explored in between. */
#include "ff_outcome.h"

#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES (UINT64_C(1) << 28)
#define FEWEST_TILES 4u
#define MOST_TILES 64u
#define FIRST_LIMIT 16u                  /* limit on states in the first explorations; it is then multiplied by 4 repeatedly */
#define LEAST_WORK (UINT64_C(1) << 20)   /* predictor functions that failing explorations may evaluate per limit */

enum { LANE_OPEN = FF_LEADS_UNKNOWN, LANE_SEVERAL = FF_LEADS_SEVERAL };

/* The current phase. LOOK goes through the trajectories once for each limit: 0 (only known results), FIRST_LIMIT and so on up
 * to `deepest`, and 0 again for the results found by then. */
enum { PROBE, BEGIN, RUN, LOOK, TURN, DONE };

struct ff_outcome {
  ff_outcome_options options;
  const ff_pbn *pbn;
  ff_pbn_program *program;
  ff_attractors *attractors;
  uint64_t *counts;
  size_t counts_capacity;
  uint32_t n_counts;
  int phase, certain;
  uint64_t units, unit; /* number of all tiles; number of the first tile of the batch */
  uint64_t arrived;

  ff_tile **tiles;
  uint64_t *at;    /* for each tile: its step, or UINT64_MAX if it has not been started */
  uint8_t *active; /* for each tile: 1 if a trajectory has no outcome yet */
  uint32_t n_tiles, batch; /* number of tiles allocated, and of those in use */
  int32_t *lanes;  /* for each trajectory: LANE_OPEN, LANE_SEVERAL or its attractor */
  uint32_t *state; /* state of one trajectory */
  uint64_t target, before; /* steps to run to, and steps run before */
  uint32_t round;
  double deadline;

  uint32_t limit, deepest, at_lane;
  int exploring, last_look;
  uint64_t spent, started; /* work of failing explorations with this limit; the total work when the current exploration began */
};

void ff_outcome_free(ff_outcome *o) {
  if (o == NULL) return;
  for (uint32_t i = 0; o->tiles != NULL && i < o->n_tiles; i++) ff_tile_free(o->tiles[i]);
  ff_attractors_free(o->attractors);
  ff_pbn_program_free(o->program);
  free(o->counts);
  free(o->tiles);
  free(o->at);
  free(o->active);
  free(o->lanes);
  free(o->state);
  free(o);
}

static uint32_t tiles_wanted(const ff_outcome *o) {
  uint64_t n = BATCH_BYTES / ff_pbn_program_tile_bytes(o->program);
  n = n < FEWEST_TILES ? FEWEST_TILES : n > MOST_TILES ? MOST_TILES : n;
  return (uint32_t)(n < o->units ? n : o->units);
}

static ff_status prepare(ff_outcome *o, ff_error *err) {
  ff_status status = ff_pbn_program_new(&o->program, o->pbn, NULL, FF_LAYOUT_AUTO, err);
  if (status == FF_OK) status = ff_attractors_new(&o->attractors, o->pbn, err);
  if (status != FF_OK) return status;
  if (ff_pbn_program_perturbation(o->program) > 0)
    return ff_error_set(err, FF_EARGUMENT, "with perturbation a network leaves every attractor");
  uint32_t n = tiles_wanted(o);
  o->tiles = ff_calloc(n, sizeof(ff_tile *));
  o->at = ff_calloc(n, sizeof *o->at);
  o->active = ff_calloc(n, sizeof *o->active);
  o->lanes = ff_calloc((size_t)n * FF_TILE, sizeof *o->lanes);
  o->state = ff_calloc(ff_attractors_words(o->attractors), sizeof *o->state);
  if (o->tiles == NULL || o->at == NULL || o->active == NULL || o->lanes == NULL || o->state == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u tiles of trajectories", n);
  for (; o->n_tiles < n && status == FF_OK; o->n_tiles++)
    status = ff_tile_new(&o->tiles[o->n_tiles], o->program, o->options.simd, err);
  return status;
}

ff_status ff_outcome_new(ff_outcome **out, const ff_pbn *pbn, ff_outcome_options options, ff_error *err) {
  *out = NULL;
  if (options.trajectories == 0 || options.trajectories > UINT64_C(1) << 53 || options.max_states == 0 || options.threads < 1)
    return ff_error_set(err, FF_EARGUMENT, "no trajectories, states or threads to find outcomes with");
  ff_outcome *o = ff_calloc(1, sizeof *o);
  if (o == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for outcomes");
  o->options = options;
  o->pbn = pbn;
  o->units = (options.trajectories + FF_TILE - 1) / FF_TILE;
  ff_status status = prepare(o, err);
  if (status != FF_OK)
    ff_outcome_free(o);
  else
    *out = o;
  return status;
}

const ff_attractors *ff_outcome_attractors(const ff_outcome *o) { return o->attractors; }
const uint64_t *ff_outcome_counts(const ff_outcome *o) { return o->counts; }

ff_outcome_state ff_outcome_now(const ff_outcome *o) {
  ff_outcome_state now = {.trajectories = o->units * FF_TILE, .arrived = o->arrived, .step = o->target, .certain = o->certain};
  now.begun = o->certain ? now.trajectories : (o->unit + o->batch) * FF_TILE;
  for (uint32_t i = 0; i < o->batch * FF_TILE; i++) now.undecided += o->lanes[i] == LANE_SEVERAL;
  return now;
}

/* Keeps a count for every attractor that is known, and adds n to one of them. */
static ff_status settle(ff_outcome *o, int32_t attractor, uint64_t n, ff_error *err) {
  uint32_t there = ff_attractors_count(o->attractors);
  ff_status status = ff_grow((void **)&o->counts, &o->counts_capacity, there, sizeof *o->counts, err);
  if (status != FF_OK) return status;
  while (o->n_counts < there) o->counts[o->n_counts++] = 0;
  if (attractor >= 0) o->counts[attractor] += n;
  o->arrived += n;
  return FF_OK;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* If there is only one start state and it leads to one attractor, no trajectories are needed. */
static ff_status probe(ff_outcome *o, ff_error *err) {
  int done;
  if (!o->exploring) {
    memset(o->state, 0, ff_attractors_words(o->attractors) * sizeof *o->state);
    for (uint32_t i = 0; i < o->pbn->n_nodes; i++) {
      if (o->pbn->initial[i] < 0) {
        o->phase = BEGIN;
        return FF_OK;
      }
      o->state[i / 32] |= (uint32_t)o->pbn->initial[i] << (i % 32);
    }
    ff_status status = ff_attractors_begin(o->attractors, o->state, o->options.max_states, err);
    if (status != FF_OK) return status;
    o->exploring = 1;
  }
  ff_status status = ff_attractors_run(o->attractors, o->deadline, &done, err);
  if (status != FF_OK || !done) return status;
  o->exploring = 0;
  o->certain = ff_attractors_answer(o->attractors) >= 0;
  o->phase = o->certain ? DONE : BEGIN;
  return o->certain ? settle(o, ff_attractors_answer(o->attractors), o->units * FF_TILE, err) : FF_OK;
}

static void begin_batch(ff_outcome *o) {
  o->batch = (uint32_t)(o->units - o->unit < o->n_tiles ? o->units - o->unit : o->n_tiles);
  for (uint32_t i = 0; i < o->batch; i++) {
    o->at[i] = UINT64_MAX;
    o->active[i] = 1;
  }
  for (uint32_t i = 0; i < o->batch * FF_TILE; i++) o->lanes[i] = LANE_OPEN;
  o->target = o->before = 0;
  o->round = 0;
  o->phase = RUN;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Runs a tile to the target or the deadline, but at least one piece, which takes about a millisecond. */
static void run_tile(ff_outcome *o, uint32_t i) {
  int packed = ff_pbn_program_layout(o->program) == FF_LAYOUT_PACKED;
  uint64_t piece = packed ? 20 : 1 + 20000 / ((uint64_t)o->pbn->n_nodes + 1);
  if (o->at[i] == UINT64_MAX) {
    ff_tile_start(o->tiles[i], o->options.key, o->unit + i);
    o->at[i] = 0;
  }
  while (o->at[i] < o->target) {
    uint64_t steps = o->target - o->at[i] < piece ? o->target - o->at[i] : piece;
    ff_tile_advance(o->tiles[i], steps);
    o->at[i] += steps;
    if (ff_clock() >= o->deadline) return;
  }
}

/* Runs a thread's share of the tiles. */
static void run_tiles(void *context, int index) {
  ff_outcome *o = context;
  for (uint32_t i = (uint32_t)index; i < o->batch; i += (uint32_t)o->options.threads)
    if (o->active[i]) run_tile(o, i);
}

static void begin_looks(ff_outcome *o) {
  uint32_t most = o->options.max_states;
  o->deepest = o->round < 24 && most > FIRST_LIMIT << o->round ? FIRST_LIMIT << o->round : most;
  if (o->target >= o->options.max_steps) o->deepest = most;
  o->limit = o->at_lane = 0;
  o->last_look = 0;
  o->spent = 0;
  o->phase = LOOK;
}

static void run(ff_outcome *o) {
  int there = 1;
  ff_parallel(o->options.threads < (int)o->batch ? o->options.threads : (int)o->batch, run_tiles, o);
  for (uint32_t i = 0; i < o->batch; i++) there &= !o->active[i] || o->at[i] == o->target;
  if (there) begin_looks(o);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static void read_state(ff_outcome *o, uint32_t lane) {
  const ff_tile *tile = o->tiles[lane / FF_TILE];
  memset(o->state, 0, ff_attractors_words(o->attractors) * sizeof *o->state);
  for (uint32_t i = 0; i < o->pbn->n_nodes; i++) o->state[i / 32] |= (uint32_t)ff_tile_get(tile, i, lane % FF_TILE) << (i % 32);
}

/* The limit on the work of failing explorations. Over all size limits, they may take about as much time as the steps of this
 * round. One evaluation of a predictor function takes about as long as 16 steps in an asynchronous network, and as the steps of
 * 2,048 nodes in a synchronous one. */
static uint64_t work_allowed(const ff_outcome *o) {
  double share = o->pbn->update == FF_ASYNCHRONOUS ? 1 / 16.0 : o->pbn->n_nodes / 2048.0;
  double steps = (double)(o->target - o->before) * o->batch * FF_TILE;
  return LEAST_WORK + (uint64_t)(steps * share);
}

/* Goes to the next limit; after the last limit, to the results found by then. */
static void next_limit(ff_outcome *o) {
  o->at_lane = 0;
  o->spent = 0;
  if (o->last_look) {
    o->phase = TURN;
  } else if (o->limit >= o->deepest) {
    o->limit = 0;
    o->last_look = 1;
  } else {
    uint64_t next = o->limit == 0 ? FIRST_LIMIT : (uint64_t)o->limit * 4;
    o->limit = next < o->deepest ? (uint32_t)next : o->deepest;
  }
}

/* Stores the result of the current trajectory. In the last round, at the largest limit, the first failure ends the search,
 * because the answer cannot be complete any more. */
static ff_status note(ff_outcome *o, uint32_t lane, int32_t leads, ff_error *err) {
  o->at_lane++;
  o->lanes[lane] = leads;
  if (leads >= 0) return settle(o, leads, 1, err);
  if (leads == LANE_OPEN && o->limit > 0) o->spent += ff_attractors_work(o->attractors) - o->started + 1;
  return FF_OK;
}

static int enough(const ff_outcome *o) {
  if (o->at_lane == o->batch * FF_TILE) return 1;
  if (o->target >= o->options.max_steps && o->limit == o->options.max_states) return o->spent > 0;
  return o->limit > 0 && o->spent > work_allowed(o);
}

/* Works on one trajectory, or a part of the exploration from its state. The first trajectory differs from round to round. */
static ff_status look(ff_outcome *o, ff_error *err) {
  uint32_t n = o->batch * FF_TILE, tried;
  uint32_t lane = (uint32_t)((o->at_lane + (uint64_t)o->round * 2654435761u) % n);
  int done;
  ff_status status;
  if (!o->exploring) {
    if (enough(o)) {
      next_limit(o);
      return FF_OK;
    }
    if (o->lanes[lane] != LANE_OPEN) {
      o->at_lane++;
      return FF_OK;
    }
    read_state(o, lane);
    o->started = ff_attractors_work(o->attractors);
    int32_t leads = ff_attractors_known(o->attractors, o->state, &tried);
    if (leads != FF_LEADS_UNKNOWN || tried >= o->limit) return note(o, lane, leads, err);
    status = ff_attractors_begin(o->attractors, o->state, o->limit, err);
    if (status != FF_OK) return status;
    o->exploring = 1;
  }
  status = ff_attractors_run(o->attractors, o->deadline, &done, err);
  if (status != FF_OK || !done) return status;
  o->exploring = 0;
  return note(o, lane, ff_attractors_answer(o->attractors), err);
}

/* After all trajectories have been explored: goes to the next round, to the next batch, or to the end. */
static ff_status turn(ff_outcome *o, ff_error *err) {
  int all = 1;
  for (uint32_t i = 0; i < o->batch; i++) {
    o->active[i] = 0;
    for (uint32_t k = i * FF_TILE; k < (i + 1) * FF_TILE; k++) o->active[i] |= o->lanes[k] < 0;
    all &= !o->active[i];
  }
  if (all && o->unit + o->batch < o->units) {
    o->unit += o->batch;
    o->phase = BEGIN;
  } else if (all || o->target >= o->options.max_steps) {
    o->phase = DONE;
    return settle(o, LANE_OPEN, 0, err); /* makes a count for each attractor */
  } else {
    for (uint32_t k = 0; k < o->batch * FF_TILE; k++)
      if (o->lanes[k] == LANE_SEVERAL) o->lanes[k] = LANE_OPEN;
    o->before = o->target;
    o->target = o->target == 0 ? 1 : o->target * 2;
    if (o->target > o->options.max_steps) o->target = o->options.max_steps;
    o->round++;
    o->phase = RUN;
  }
  return FF_OK;
}

ff_status ff_outcome_advance(ff_outcome *o, double seconds, int *done, ff_error *err) {
  ff_status status = FF_OK;
  o->deadline = ff_clock() + seconds;
  do {
    switch (o->phase) {
      case PROBE: status = probe(o, err); break;
      case BEGIN: begin_batch(o); break;
      case RUN: run(o); break;
      case LOOK: status = look(o, err); break;
      case TURN: status = turn(o, err); break;
      default: break;
    }
  } while (status == FF_OK && o->phase != DONE && ff_clock() < o->deadline);
  *done = o->phase == DONE;
  return status;
}
