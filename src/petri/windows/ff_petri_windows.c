#include "ff_petri_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 2048u           /* blocks that a thread runs before the step is left halfway */
#define MOST_SETTLED 0.9        /* a larger contraction counts as this one */
#define LEAST_CONTRACTION 1e-3
#define MOST_WANTED 0.1         /* of contractions, */
#define LEAST_WANTED 0.003      /* and the least */
#define USUAL 0.3               /* contraction of a window of length 1 / coupling */
#define TOO_MUCH 8              /* times the contraction that is wanted: the window is tried again, shorter, */
#define MOST_RESTARTS 4u        /* so many times */
#define GROW 1.25               /* of windows, where sweeps contract much */
#define SHRINK 0.8
#define SHORTEST 0x1p-44        /* a window, as a part of the time and the longest window so far */
#define MOST_FIRINGS 8.0        /* of a block in a window, on average; windows with more do not grow */

/* A firing of the window, by its time. */
typedef struct {
  double time;
  uint32_t block, number;
} due;

/* What a thread has found in its share of the blocks. */
typedef struct {
  const ff_petri_block *failed; /* the first one in memory, or NULL */
  uint64_t firings;
  double fastest; /* see coupling_of() */
  uint32_t listed;
  int finite, memory; /* memory: whether there was enough */
} part;

/* By how much blocks of a list have moved, and their neighbours before. Sums of CHUNK blocks each, so that their bits do not
 * depend on the number of threads. */
typedef struct {
  double change, before;
} sums;

#define CHUNK 256u

typedef enum { WAITS, OPENS, SWEEPS, FIRES, FAILS } phase;

struct ff_petri_windows {
  ff_petri_windows_state state;
  const ff_petri_blocks *blocks;
  ff_petri_runner **runner; /* of each thread */
  int threads;
  ff_team *team;
  phase phase;
  uint64_t key, unit;
  const double *initial;
  double begin; /* the time at the start */

  ff_petri_window window;
  char *memory[2];      /* states at the start and at the end of the window */
  double length, longest;
  double contraction;   /* of sweeps, as was measured last; in a window, the largest one */
  double wanted;        /* what it should be */
  double hazards;       /* of all blocks at the start */
  int is_measured;      /* in this window */
  uint32_t restarts;    /* of this window, because it was too large */
  uint32_t turn, at;    /* sweeps of this window so far; the next block of the list that runs, or is opened */
  uint8_t colour;       /* of the blocks of the list */
  uint32_t *order;      /* all blocks, by their types */
  uint32_t *list, n_list, share; /* blocks that run in this sweep, in this order; share: of a call */
  double settled;       /* by how much neighbours may move without a run: see list_blocks() */
  part *part;           /* for each thread: what it has found */
  sums *sums;           /* for each CHUNK of the list */
  double *guess;
  double *count;        /* the places of the net: those that are no levels at `now` */
  int follows;          /* whether each firing is a step */
  due *due;             /* if so: the firings of the window, by their times */
  size_t n_due, due_room, at_due;
  uint32_t *fired;      /* otherwise: for each block, how many of its firings in the window are in `count` */
  int leaving;          /* what threads do between windows */
};

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

ff_status ff_petri_windows_new(ff_petri_windows **out, const ff_petri_blocks *blocks, int threads, ff_simd simd, int follows,
                               ff_error *err) {
  ff_petri_windows *w = *out = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  w->blocks = blocks;
  w->threads = threads;
  w->follows = follows;
  w->part = ff_calloc((size_t)threads, sizeof *w->part);
  w->runner = ff_calloc((size_t)threads, sizeof *w->runner);
  const int fine = w->runner != NULL && w->part != NULL;
  ff_status status = fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %d threads", threads);
  if (status == FF_OK) status = ff_team_new(&w->team, threads, err);
  for (int i = 0; i < threads && status == FF_OK; i++) status = ff_petri_runner_new(&w->runner[i], blocks, simd, err);
  if (status == FF_OK) return FF_OK;
  ff_petri_windows_free(w);
  *out = NULL;
  return status;
}

void ff_petri_windows_free(ff_petri_windows *w) {
  if (w == NULL) return;
  ff_team_free(w->team);
  for (int i = 0; i < w->threads && w->runner != NULL; i++) ff_petri_runner_free(w->runner[i]);
  for (uint32_t k = 0; k < w->blocks->n_blocks && w->window.block != NULL; k++)
    for (int i = 0; i < 2; i++) ff_petri_wave_free(&w->window.block[k].wave[i]);
  void *const arrays[] = {w->runner, w->window.block, w->memory[0], w->memory[1], w->list, w->window.n_kinks,
                          w->guess, w->count, w->due, w->fired, w->part, w->sums, w->order};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  free(w);
}

static const ff_petri_program *program_of(const ff_petri_windows *w, uint32_t block) {
  return w->blocks->types[w->blocks->type[block]].program;
}

/* What a trajectory needs, when the first one begins: many lanes never have one. */
static int make_memory(ff_petri_windows *w) {
  const ff_petri_blocks *b = w->blocks;
  size_t states = 0, levels = 0;
  if (w->window.block != NULL && w->count != NULL) return 1;
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    states += ff_petri_path_state_size(program_of(w, k));
    levels += program_of(w, k)->n_levels;
  }
  w->window.block = ff_calloc(b->n_blocks, sizeof *w->window.block);
  w->memory[0] = ff_calloc(states, 1);
  w->memory[1] = ff_calloc(states, 1);
  w->list = ff_calloc(b->n_blocks, sizeof *w->list);
  w->window.n_kinks = ff_calloc(b->n_blocks, sizeof *w->window.n_kinks);
  w->guess = ff_calloc(levels, 3 * sizeof *w->guess);
  w->fired = ff_calloc(b->n_blocks, sizeof *w->fired);
  w->order = ff_calloc(b->n_blocks, sizeof *w->order);
  w->sums = ff_calloc(b->n_blocks / CHUNK + 1, sizeof *w->sums);
  if (!(w->window.block && w->memory[0] && w->memory[1] && w->list && w->window.n_kinks && w->guess && w->fired && w->order &&
        w->sums))
    return 0;
  for (uint32_t t = 0, n = 0; t < b->n_types; n += b->types[t++].n_blocks)
    memcpy(w->order + n, b->types[t].block, b->types[t].n_blocks * sizeof *w->order);
  w->count = ff_calloc(b->net->n_places, sizeof *w->count);
  states = levels = 0;
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    w->window.block[k].state = states;
    w->window.block[k].guess = w->guess + 3 * levels;
    states += ff_petri_path_state_size(program_of(w, k));
    levels += program_of(w, k)->n_levels;
  }
  return w->count != NULL;
}

void ff_petri_windows_start(ff_petri_windows *w, uint64_t key, uint64_t unit, const double *initial, double start) {
  w->state = (ff_petri_windows_state){0};
  w->key = key;
  w->unit = unit;
  w->initial = initial;
  w->begin = start;
  w->phase = WAITS;
}

ff_petri_windows_state *ff_petri_windows_now(ff_petri_windows *w) { return &w->state; }

static void fail(ff_petri_windows *w, ff_failure failure) {
  w->state.failure = failure;
  w->phase = FAILS;
}

static void fail_memory(ff_petri_windows *w) {
  fail(w, (ff_failure){.what = FF_PETRI_NO_MEMORY, .time = w->begin + w->state.now});
}

/* ---- windows ------------------------------------------------------------------------------------------------------------ */

/* Whether a block has not run in this window, or has a neighbour that did not settle in a run since. In a sweep, neighbours of the
 * same colour, as in an odd ring, see what the others were before it. */
static int has_to_run(ff_petri_windows *w, uint32_t k) {
  const ff_petri_blocks *b = w->blocks;
  ff_petri_block *block = w->window.block;
  double moved = 0;
  int differs = block[k].turn == 0;
  for (size_t j = b->neighbour_first[k]; j < b->neighbour_first[k + 1]; j++) {
    const ff_petri_block *other = &block[b->neighbour[j]];
    if (other->turn < block[k].turn) continue;
    differs |= other->differs;
    if (other->distance > moved) moved = other->distance;
  }
  block[k].moved = differs ? NAN : moved;
  return differs || moved > w->settled;
}

/* The share of a thread: its part of the list lies where its part of all blocks would. */
static void list_share(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint64_t n = w->blocks->n_blocks, threads = (uint64_t)w->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  const uint64_t first = ff_share(n, (uint64_t)thread, threads);
  uint32_t *to = w->list + first;
  for (uint64_t i = first; i < end; i++) {
    const uint32_t k = w->order[i];
    if (w->blocks->colour[k] == w->colour && has_to_run(w, k)) *to++ = k;
  }
  w->part[thread].listed = (uint32_t)(to - (w->list + first));
}

/* The list of blocks of a colour that run in the next sweep. */
static void list_blocks(ff_petri_windows *w, uint8_t colour, double settled) {
  w->n_list = w->at = 0;
  w->colour = colour;
  w->settled = settled;
  ff_team_run(w->team, list_share, w);
  for (int i = 0; i < w->threads; i++) {
    const uint32_t *from = w->list + ff_share(w->blocks->n_blocks, (uint64_t)i, (uint64_t)w->threads);
    memmove(w->list + w->n_list, from, w->part[i].listed * sizeof *from);
    w->n_list += w->part[i].listed;
  }
}

/* Puts firings of a block up to a time into `count`. Returns how many. */
static uint64_t apply_firings(ff_petri_windows *w, uint32_t k, double t) {
  const ff_petri_block *block = &w->window.block[k];
  const ff_petri_wave *wave = &block->wave[block->now];
  const uint32_t *place = w->blocks->place + w->blocks->place_first[k], first = w->fired[k];
  uint32_t at = first;
  while (at < wave->n_firings && wave->firing[at].time <= t) at++;
  if (at == first) return 0;
  const size_t end = at < wave->n_firings ? wave->firing[at].first : wave->n_became;
  for (size_t i = wave->firing[first].first; i < end; i++) w->count[place[wave->became[i].place]] = wave->became[i].value;
  w->fired[k] = at;
  return at - first;
}

/* The share of a thread: the end of the last window, and the guess of the next one. */
static void turn_share(void *context, int thread) {
  ff_petri_windows *w = context;
  ff_petri_window *x = &w->window;
  const uint64_t n = w->blocks->n_blocks, threads = (uint64_t)w->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  part out = {.memory = 1};
  for (uint64_t i = ff_share(n, (uint64_t)thread, threads); i < end; i++) {
    const uint32_t k = (uint32_t)i, levels = program_of(w, k)->n_levels;
    ff_petri_block *block = &x->block[k];
    ff_petri_wave *wave = &block->wave[block->now];
    if (w->leaving && !w->follows) out.firings += apply_firings(w, k, INFINITY);
    if (w->leaving && levels > 0) ff_petri_wave_end(wave, levels, x->from, block->guess);
    out.memory &= ff_petri_wave_guess(wave, block->guess, levels, x->from, x->to);
    block->turn = 0;
    x->n_kinks[k] = 0;
    w->fired[k] = 0;
  }
  w->part[thread] = out;
}

/* Returns 0 if there is no memory. */
static int turn_blocks(ff_petri_windows *w, int leaving) {
  int fine = 1;
  w->leaving = leaving;
  ff_team_run(w->team, turn_share, w);
  for (int i = 0; i < w->threads; i++) {
    w->state.firings += w->part[i].firings;
    fine &= w->part[i].memory;
  }
  return fine;
}

/* A window from `now` on, with guesses of all waves; `leaving`: from the end of the last one. */
static void begin_window(ff_petri_windows *w, int leaving) {
  ff_petri_window *x = &w->window;
  x->from = w->state.now;
  x->to = x->from + w->length;
  w->turn = 0;
  w->is_measured = 0;
  w->phase = SWEEPS;
  if (!turn_blocks(w, leaving)) {
    fail_memory(w);
    return;
  }
  list_blocks(w, 0, 0);
}

/* Windows of another length contract otherwise. */
static void scale_window(ff_petri_windows *w, double by) {
  w->length *= by;
  w->contraction *= by;
  if (w->contraction < LEAST_CONTRACTION) w->contraction = LEAST_CONTRACTION;
}

/* Blocks' failures may be those of a guess, so a shorter window is tried. */
static void halve_window(ff_petri_windows *w, const ff_petri_block *failed) {
  w->state.n_halved++;
  scale_window(w, 0.5);
  if (w->length >= SHORTEST * (w->state.now + w->longest)) {
    begin_window(w, 0);
  } else if (failed != NULL && failed->outcome == FF_PETRI_FAILED) {
    fail(w, failed->failure);
  } else {
    fail(w, (ff_failure){.what = FF_PETRI_BAD_WINDOW, .time = w->begin + w->state.now, .value = w->length});
  }
}

/* ---- the end of a window ------------------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b) {
  const due *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  if (x->block != y->block) return x->block < y->block ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int list_firings(ff_petri_windows *w) {
  w->n_due = w->at_due = 0;
  for (uint32_t k = 0; k < w->blocks->n_blocks; k++) {
    const ff_petri_wave *wave = &w->window.block[k].wave[w->window.block[k].now];
    if (ff_grow((void **)&w->due, &w->due_room, w->n_due + wave->n_firings, sizeof *w->due, NULL) != FF_OK) return 0;
    for (uint32_t i = 0; i < wave->n_firings; i++) w->due[w->n_due++] = (due){wave->firing[i].time, k, i};
  }
  if (w->n_due > 1) qsort(w->due, w->n_due, sizeof *w->due, compare);
  return 1;
}

/* The next step is the next firing, or the end of the window. */
static void find_next(ff_petri_windows *w) {
  w->phase = FIRES;
  if (w->at_due == w->n_due) {
    w->state.next_time = w->window.to;
    return;
  }
  const due *x = &w->due[w->at_due];
  const ff_petri_block *block = &w->window.block[x->block];
  const uint32_t *transition = w->blocks->transition + w->blocks->transition_first[x->block];
  w->state.next_time = x->time;
  w->state.next = transition[block->wave[block->now].firing[x->number].transition];
}

static void measure_coupling(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint64_t n = w->blocks->n_blocks, threads = (uint64_t)w->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  double fastest = 0;
  for (uint64_t k = ff_share(n, (uint64_t)thread, threads); k < end && fastest >= 0; k++) {
    const double own = ff_petri_runner_coupling(w->runner[thread], &w->window, (uint32_t)k);
    if (own < 0 || (own < INFINITY && own > fastest)) fastest = own;
  }
  w->part[thread].fastest = fastest;
}

/* How fast levels follow those of other blocks, at most, at the start of the window. Below 0 if there is no memory. */
static double coupling_of(ff_petri_windows *w) {
  double fastest = 0;
  ff_team_run(w->team, measure_coupling, w);
  for (int i = 0; i < w->threads; i++) {
    if (w->part[i].fastest < 0) return -1;
    if (w->part[i].fastest > fastest) fastest = w->part[i].fastest;
  }
  return fastest;
}

static void count_share(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint64_t n = w->blocks->n_blocks, threads = (uint64_t)w->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  uint64_t firings = 0;
  for (uint64_t k = ff_share(n, (uint64_t)thread, threads); k < end; k++)
    firings += w->window.block[k].wave[w->window.block[k].now].n_firings;
  w->part[thread].firings = firings;
}

/* Where guesses suffice, nothing is measured, and windows grow until something is. */
static void accept_window(ff_petri_windows *w) {
  const double c = w->is_measured ? w->contraction : 0;
  w->state.n_windows++;
  w->restarts = 0;
  if (w->length > w->longest) w->longest = w->length;
  if (w->follows && !list_firings(w)) {
    fail_memory(w);
    return;
  }
  uint64_t n = 0;
  ff_team_run(w->team, count_share, w);
  for (int i = 0; i < w->threads; i++) n += w->part[i].firings;
  const double firings = (double)n / w->blocks->n_blocks;
  if (c > 2 * w->wanted || firings > 2 * MOST_FIRINGS)
    scale_window(w, SHRINK);
  else if (c < w->wanted && firings < MOST_FIRINGS)
    scale_window(w, GROW);
  find_next(w);
}

/* The begin of the next window is the end of this one. */
static void leave_window(ff_petri_windows *w) {
  ff_petri_window *x = &w->window;
  char *const end = x->end;
  x->end = w->memory[x->end == w->memory[0]];
  x->start = end;
  begin_window(w, 1);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------------- */

/* What has become of the blocks of a chunk of the list, whose other waves are the present ones from now on. */
static void review_chunk(ff_petri_windows *w, part *out, uint32_t chunk) {
  const uint32_t end = w->n_list - chunk * CHUNK < CHUNK ? w->n_list : (chunk + 1) * CHUNK;
  sums of = {0, 0};
  for (uint32_t i = chunk * CHUNK; i < end; i++) {
    ff_petri_block *block = &w->window.block[w->list[i]];
    if (block->outcome != FF_PETRI_RAN && (out->failed == NULL || block < out->failed)) out->failed = block;
    out->memory &= block->outcome != FF_PETRI_FAILED || block->failure.what != FF_PETRI_NO_MEMORY;
    out->finite &= block->distance < INFINITY;
    block->now = 1 - block->now;
    block->turn = w->turn;
    w->window.n_kinks[w->list[i]] = (uint32_t)block->wave[block->now].n_kinks;
    if (block->differs || !(block->moved > 0)) continue;
    of.change += block->distance;
    of.before += block->moved;
  }
  w->sums[chunk] = of;
}

static uint32_t chunks_of(uint32_t n) { return (n + CHUNK - 1) / CHUNK; }

static void review_share(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint64_t n = chunks_of(w->n_list), threads = (uint64_t)w->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  part out = {.finite = 1, .memory = 1};
  for (uint64_t chunk = ff_share(n, (uint64_t)thread, threads); chunk < end; chunk++) review_chunk(w, &out, (uint32_t)chunk);
  w->part[thread] = out;
}

/* Sweeps make changes smaller by this factor, where flows change as in the sweep before. Largest changes would tell of single
 * blocks, in large nets of rare ones, whose firings move. */
static void measure(ff_petri_windows *w) {
  double change = 0, before = 0;
  for (uint32_t i = 0; i < chunks_of(w->n_list); i++) {
    change += w->sums[i].change;
    before += w->sums[i].before;
  }
  if (!(before > FF_PETRI_SETTLED)) return;
  const double c = change / before > LEAST_CONTRACTION ? change / before : LEAST_CONTRACTION;
  if (!w->is_measured || c > w->contraction) w->contraction = c;
  w->is_measured = 1;
}

static void end_sweep(ff_petri_windows *w) {
  const ff_petri_block *failed = NULL;
  int finite = 1, memory = 1;
  w->turn++;
  w->state.n_sweeps++;
  w->state.n_runs += w->n_list;
  ff_team_run(w->team, review_share, w);
  for (int i = 0; i < w->threads; i++) {
    const part *x = &w->part[i];
    if (x->failed != NULL && (failed == NULL || x->failed < failed)) failed = x->failed;
    finite &= x->finite;
    memory &= x->memory;
  }
  if (!memory) {
    fail_memory(w);
    return;
  }
  if (failed != NULL || !finite) {
    halve_window(w, failed);
    return;
  }
  measure(w);
  if (w->is_measured && w->contraction > TOO_MUCH * w->wanted && w->restarts < MOST_RESTARTS) {
    w->restarts++;
    w->state.n_halved++;
    scale_window(w, 0.5);
    begin_window(w, 0);
    return;
  }
  const double c = w->contraction < MOST_SETTLED ? w->contraction : MOST_SETTLED;
  list_blocks(w, 1 - w->colour, FF_PETRI_SETTLED * (1 - c) / c);
  if (w->n_list == 0) list_blocks(w, 1 - w->colour, FF_PETRI_SETTLED * (1 - c) / c);
  if (w->n_list == 0)
    accept_window(w);
  else if (w->turn == FF_PETRI_MOST_SWEEPS)
    halve_window(w, NULL);
}

/* The share of a thread, type by type. */
static void work(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint32_t *type = w->blocks->type;
  const uint32_t end = w->at + (uint32_t)ff_share(w->share, (uint64_t)thread + 1, (uint64_t)w->threads);
  for (uint32_t from = w->at + (uint32_t)ff_share(w->share, (uint64_t)thread, (uint64_t)w->threads), to; from < end; from = to) {
    for (to = from + 1; to < end && type[w->list[to]] == type[w->list[from]];) to++;
    ff_petri_runner_run(w->runner[thread], &w->window, w->list + from, to - from);
  }
}

static void go_on_sweeping(ff_petri_windows *w) {
  const uint32_t left = w->n_list - w->at, most = AT_ONCE * (uint32_t)w->threads;
  w->share = left < most ? left : most;
  ff_team_run(w->team, work, w);
  w->at += w->share;
  if (w->at == w->n_list) end_sweep(w);
}

/* ---- the start ---------------------------------------------------------------------------------------------------------- */

static void begin(ff_petri_windows *w) {
  if (!make_memory(w)) {
    fail_memory(w);
    return;
  }
  for (int i = 0; i < w->threads; i++) ff_petri_runner_start(w->runner[i], w->key, w->unit, w->begin);
  memcpy(w->count, w->initial, w->blocks->net->n_places * sizeof *w->count);
  w->window.blocks = w->blocks;
  w->window.start = w->memory[0];
  w->window.end = w->memory[1];
  w->restarts = 0;
  w->wanted = FF_PETRI_CONTRACTION * ff_pow(w->blocks->net->options.relative / 1e-6, 0.25);
  if (w->wanted > MOST_WANTED) w->wanted = MOST_WANTED;
  if (w->wanted < LEAST_WANTED) w->wanted = LEAST_WANTED;
  w->longest = w->hazards = 0;
  w->length = 1;
  w->at = 0;
  w->phase = OPENS;
}

static void go_on_opening(ff_petri_windows *w) {
  const uint32_t n = w->blocks->n_blocks, end = n - w->at < AT_ONCE ? n : w->at + AT_ONCE;
  for (; w->at < end; w->at++) {
    ff_petri_block *block = &w->window.block[w->at];
    w->hazards += ff_petri_runner_open(w->runner[0], w->at, w->initial, w->memory[0] + block->state, block->guess);
  }
  if (w->at < n) return;
  begin_window(w, 0);
  if (w->phase == FAILS) return;
  const double fastest = coupling_of(w);
  w->length = fastest > 0 ? w->wanted / (USUAL * fastest) : 1;
  if (w->length * w->hazards > MOST_FIRINGS * n) w->length = MOST_FIRINGS * n / w->hazards;
  w->longest = w->length;
  w->contraction = w->wanted;
  if (fastest >= 0)
    begin_window(w, 0);
  else
    fail_memory(w);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

static void fire(ff_petri_windows *w) {
  const due *x = &w->due[w->at_due++];
  const ff_petri_block *block = &w->window.block[x->block];
  const ff_petri_wave *wave = &block->wave[block->now];
  const uint32_t *place = w->blocks->place + w->blocks->place_first[x->block];
  const size_t end = x->number + 1 < wave->n_firings ? wave->firing[x->number + 1].first : wave->n_became;
  w->state.now = x->time;
  w->state.firings++;
  for (size_t k = wave->firing[x->number].first; k < end; k++) w->count[place[wave->became[k].place]] = wave->became[k].value;
  find_next(w);
}

int ff_petri_windows_step(ff_petri_windows *w) {
  switch (w->phase) {
    case WAITS: begin(w); break;
    case OPENS: go_on_opening(w); break;
    case SWEEPS: go_on_sweeping(w); break;
    case FIRES:
      if (w->at_due < w->n_due) {
        fire(w);
      } else {
        w->state.now = w->window.to;
        leave_window(w);
      }
      break;
    case FAILS: break;
  }
  return w->phase == FIRES || w->phase == FAILS;
}

void ff_petri_windows_show(ff_petri_windows *w, double t, double *count, size_t stride) {
  const ff_petri_blocks *b = w->blocks;
  const double doubt = FF_PETRI_DOUBT * b->net->options.absolute;
  for (uint32_t k = 0; k < b->n_blocks && !w->follows && w->phase == FIRES; k++) w->state.firings += apply_firings(w, k, t);
  for (uint32_t f = 0; f < b->net->n_places; f++) count[f * stride] = w->count[f];
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    const ff_petri_program *p = program_of(w, k);
    const ff_petri_wave *wave = &w->window.block[k].wave[w->window.block[k].now];
    if (p->n_levels == 0) continue;
    const size_t size = ff_petri_piece_size(p->n_levels);
    const double *piece = wave->piece + ff_petri_piece_at(wave, size, 0, t, 1) * size, s = (t - piece[0]) * piece[1];
    for (uint32_t i = 0; i < p->n_levels; i++) {
      const double x = ff_petri_piece_value(piece, i, s);
      count[b->place[b->place_first[k] + p->value_place[i]] * stride] = x < 0 && x >= -doubt ? 0 : x + 0.0;
    }
  }
}
