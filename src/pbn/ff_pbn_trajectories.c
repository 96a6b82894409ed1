/* Runs trajectories tile by tile and step by step, and copies their states. */
#include "ff_pbn_trajectories.h"

#include <stdlib.h>

#define MOST_TILES 256
#define NODES_AT_ONCE 32 /* copied between readings of the clock, because new memory is slow at first use */

/* A tile that runs: the step that it has reached, and how many nodes' values at this step are copied; all nodes if the step is
 * not wanted. */
typedef struct {
  ff_tile *tile;
  uint64_t at;
  uint32_t node;
} running;

struct ff_pbn_trajectories {
  ff_pbn_trajectories_options options;
  const ff_pbn_program *program;
  running *tiles;
  int n_tiles, begun; /* whether those of `unit` have begun */
  uint64_t unit, units; /* the number of the first tile that runs, and of all tiles */
  uint64_t states, steps; /* kept for each trajectory, and until the last of them */
  double deadline;
};

void ff_pbn_trajectories_free(ff_pbn_trajectories *t) {
  if (t == NULL) return;
  for (int i = 0; i < t->n_tiles; i++) ff_tile_free(t->tiles[i].tile);
  free(t->tiles);
  free(t);
}

static ff_status make_tiles(ff_pbn_trajectories *t, ff_error *err) {
  uint64_t n = t->options.threads < MOST_TILES ? (uint64_t)t->options.threads : MOST_TILES;
  if (n > t->units) n = t->units;
  t->tiles = ff_calloc(n, sizeof *t->tiles);
  if (t->tiles == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  ff_status status = FF_OK;
  for (; t->n_tiles < (int)n && status == FF_OK; t->n_tiles++)
    status = ff_tile_new(&t->tiles[t->n_tiles].tile, t->program, t->options.simd, err);
  return status;
}

ff_status ff_pbn_trajectories_new(ff_pbn_trajectories **out, const ff_pbn_program *program,
                                  const ff_pbn_trajectories_options *options, ff_error *err) {
  *out = NULL;
  if (options->n < 1 || options->every < 1 || options->threads < 1 || (options->initial != NULL && options->rows < 1))
    return ff_error_set(err, FF_EARGUMENT, "found no trajectories, states, rows or threads; expected at least one of each");
  ff_pbn_trajectories *t = ff_calloc(1, sizeof *t);
  if (t == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  t->options = *options;
  t->program = program;
  t->units = (options->n + FF_TILE - 1) / FF_TILE;
  t->states = options->steps / options->every + 1;
  t->steps = (t->states - 1) * options->every;
  const ff_status status = make_tiles(t, err);
  if (status != FF_OK)
    ff_pbn_trajectories_free(t);
  else
    *out = t;
  return status;
}

/* The trajectories of tile i that are wanted. */
static uint32_t lanes_of(const ff_pbn_trajectories *t, int i) {
  const uint64_t first = (t->unit + (uint64_t)i) * FF_TILE;
  return first >= t->options.n ? 0 : t->options.n - first < FF_TILE ? (uint32_t)(t->options.n - first) : FF_TILE;
}

static void set_initial(const ff_pbn_trajectories *t, int i) {
  const ff_pbn_trajectories_options *o = &t->options;
  const uint64_t first = (t->unit + (uint64_t)i) * FF_TILE;
  const uint32_t lanes = lanes_of(t, i), n_nodes = ff_pbn_program_nodes(t->program);
  if (o->initial == NULL) return;
  for (uint32_t lane = 0; lane < lanes; lane++)
    for (uint32_t node = 0; node < n_nodes; node++) {
      const int value = o->initial[(first + lane) % o->rows + node * o->rows];
      if (value == 0 || value == 1) ff_tile_set(t->tiles[i].tile, node, lane, value);
    }
}

/* Tiles that the last trajectories leave over have nothing to do. */
static void begin(ff_pbn_trajectories *t) {
  for (int i = 0; i < t->n_tiles; i++) {
    running *r = &t->tiles[i];
    const int idle = lanes_of(t, i) == 0;
    r->at = idle ? t->steps : 0;
    r->node = idle ? ff_pbn_program_nodes(t->program) : 0;
    if (idle) continue;
    ff_tile_start(r->tile, t->options.key, t->unit + (uint64_t)i);
    set_initial(t, i);
  }
  t->begun = 1;
}

static void copy_nodes(const ff_pbn_trajectories *t, int i, uint32_t from, uint32_t to) {
  const uint64_t at = (t->unit + (uint64_t)i) * FF_TILE * t->states + t->tiles[i].at / t->options.every;
  const uint32_t lanes = lanes_of(t, i);
  for (uint32_t node = from; node < to; node++)
    for (uint32_t lane = 0; lane < lanes; lane++)
      t->options.columns[node][at + lane * t->states] = ff_tile_get(t->tiles[i].tile, node, lane);
}

static int is_done(const ff_pbn_trajectories *t, int i) {
  return t->tiles[i].at == t->steps && t->tiles[i].node == ff_pbn_program_nodes(t->program);
}

/* Copies some nodes, or runs steps up to the next state that is wanted. */
static void work(const ff_pbn_trajectories *t, int i, uint64_t most_steps) {
  running *r = &t->tiles[i];
  const uint32_t n_nodes = ff_pbn_program_nodes(t->program);
  if (r->node < n_nodes) {
    const uint32_t to = n_nodes - r->node > NODES_AT_ONCE ? r->node + NODES_AT_ONCE : n_nodes;
    copy_nodes(t, i, r->node, to);
    r->node = to;
    return;
  }
  uint64_t next = (r->at / t->options.every + 1) * t->options.every;
  if (next > r->at + most_steps) next = r->at + most_steps;
  ff_tile_advance(r->tile, next - r->at);
  r->at = next;
  if (next % t->options.every == 0) r->node = 0;
}

/* Advances one tile to its end or to the deadline. */
static void run(void *context, int i) {
  const ff_pbn_trajectories *t = context;
  const uint64_t most_steps = 1 + 20000 / ((uint64_t)ff_pbn_program_nodes(t->program) + 1);
  if (is_done(t, i)) return;
  do work(t, i, most_steps);
  while (!is_done(t, i) && ff_clock() < t->deadline);
}

int ff_pbn_trajectories_advance(ff_pbn_trajectories *t, double seconds) {
  if (t->unit >= t->units) return 1;
  t->deadline = ff_clock() + seconds;
  if (!t->begun) begin(t);
  ff_parallel(t->n_tiles, run, t);
  for (int i = 0; i < t->n_tiles; i++)
    if (!is_done(t, i)) return 0;
  t->unit += (uint64_t)t->n_tiles;
  t->begun = 0;
  return t->unit >= t->units;
}
