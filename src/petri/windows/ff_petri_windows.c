#include "ff_petri_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../path/ff_petri_segment_math.h"

#define AT_ONCE 2048u /* blocks that a thread runs before the step is left halfway */

/* A firing of the window, by its time. */
typedef struct {
  double time;
  uint32_t block, number;
} due;

/* What a thread has found in its share of the blocks. */
typedef struct {
  const ff_petri_block *failed; /* the first one in memory, or NULL */
  uint64_t firings, pieces;
  uint32_t use;   /* of room, at most */
  double fastest; /* how fast levels follow those of other blocks, at most */
  uint32_t listed;
  int finite, memory; /* memory: whether there was enough */
} part;

/* By how much blocks of a strip have moved, and their neighbours before: of those that ran. Sums of strips have the same bits for
 * any number of threads. */
typedef struct {
  double change, before;
} sums;

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
  ff_petri_pace pace;
  double hazards;       /* of the blocks that are open, at the start */
  double *hazard;       /* of each block */
  uint32_t at;          /* the next block of the list that runs, or is opened */
  uint32_t *order;      /* all blocks, by their types, */
  uint32_t *place;      /* and the place of each block there */
  uint32_t *list, n_list, share; /* blocks that run in this sweep, in this order; share: of a call */
  part *part;           /* for each thread: what it has found */
  sums *sums;           /* of each strip */
  double *guess;
  double *count;        /* the places of the net: those that are no levels at `now` */
  int follows;          /* whether each firing is a step */
  due *due;             /* if so: the firings of the window, by their times */
  size_t n_due, due_room, at_due;
  uint32_t *fired;      /* otherwise: for each block, how many of its firings in the window are in `count` */
  int leaving;          /* what threads do between windows */
};

static uint32_t strips_of(uint32_t n) { return (n + FF_PETRI_STRIP - 1) / FF_PETRI_STRIP; }

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
                          w->guess, w->count, w->due, w->fired, w->part, w->sums, w->order, w->place, w->hazard};
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
  w->place = ff_calloc(b->n_blocks, sizeof *w->place);
  w->sums = ff_calloc(strips_of(b->n_blocks), sizeof *w->sums);
  w->hazard = ff_calloc(b->n_blocks, sizeof *w->hazard);
  if (!(w->window.block && w->memory[0] && w->memory[1] && w->list && w->window.n_kinks && w->guess && w->fired && w->order &&
        w->place && w->sums && w->hazard))
    return 0;
  for (uint32_t t = 0, n = 0; t < b->n_types; n += b->types[t++].n_blocks)
    memcpy(w->order + n, b->types[t].block, b->types[t].n_blocks * sizeof *w->order);
  for (uint32_t i = 0; i < b->n_blocks; i++) w->place[w->order[i]] = i;
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

/* Whether a block has not run in this window, or has a neighbour that did not settle in a run since. In a sweep, neighbours of a
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
  return differs || moved > w->pace.settled;
}

/* The share of a thread: its part of the list lies where its part of all blocks would. */
static void list_share(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint64_t n = w->blocks->n_blocks, threads = (uint64_t)w->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  const uint64_t first = ff_share(n, (uint64_t)thread, threads);
  uint32_t *to = w->list + first;
  for (uint64_t i = first; i < end; i++) {
    const uint32_t k = w->order[i];
    if (w->blocks->colour[k] == w->pace.colour && has_to_run(w, k)) *to++ = k;
  }
  w->part[thread].listed = (uint32_t)(to - (w->list + first));
}

/* The list of blocks of this colour that run in the next sweep. */
static void list_blocks(ff_petri_windows *w) {
  w->n_list = w->at = 0;
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
    if (w->leaving && levels > 0) ff_petri_wave_end(wave, levels, x->from, x->to - x->from, block->guess);
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
  ff_petri_pace_begin(&w->pace, w->state.now);
  w->window.from = w->pace.from;
  w->window.to = w->pace.to;
  w->phase = SWEEPS;
  if (!turn_blocks(w, leaving)) {
    fail_memory(w);
    return;
  }
  list_blocks(w);
}

/* The window begins again, if it can be shorter. */
static void go_back(ff_petri_windows *w, ff_petri_outcome_of_sweep outcome, const ff_petri_block *failed) {
  if (outcome == FF_PETRI_GOES_BACK) {
    begin_window(w, 0);
  } else if (failed != NULL && failed->outcome == FF_PETRI_FAILED) {
    fail(w, failed->failure);
  } else {
    fail(w, (ff_failure){.what = FF_PETRI_BAD_WINDOW, .time = w->begin + w->state.now, .value = w->pace.length});
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

/* What blocks have in the window. */
static void count_share(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint64_t n = w->blocks->n_blocks, threads = (uint64_t)w->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  part out = {0};
  for (uint64_t k = ff_share(n, (uint64_t)thread, threads); k < end; k++) {
    const ff_petri_block *block = &w->window.block[k];
    out.firings += block->wave[block->now].n_firings;
    out.pieces += block->wave[block->now].n_pieces;
    if (block->use > out.use) out.use = block->use;
  }
  w->part[thread] = out;
}

static void accept_window(ff_petri_windows *w) {
  part all = {0};
  if (w->follows && !list_firings(w)) {
    fail_memory(w);
    return;
  }
  ff_team_run(w->team, count_share, w);
  for (int i = 0; i < w->threads; i++) {
    all.firings += w->part[i].firings;
    all.pieces += w->part[i].pieces;
    if (w->part[i].use > all.use) all.use = w->part[i].use;
  }
  const double n = w->blocks->n_blocks;
  ff_petri_pace_accept(&w->pace, (double)all.firings / n, (double)all.pieces / n, all.use);
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

static uint32_t strip_of(const ff_petri_windows *w, uint32_t at) { return w->place[w->list[at]] / FF_PETRI_STRIP; }

/* What has become of a block of the list, whose other wave is the present one from now on. */
static void review_block(ff_petri_windows *w, part *out, uint32_t k, sums *of) {
  ff_petri_block *block = &w->window.block[k];
  if (block->outcome != FF_PETRI_RAN && (out->failed == NULL || block < out->failed)) out->failed = block;
  out->memory &= block->outcome != FF_PETRI_FAILED || block->failure.what != FF_PETRI_NO_MEMORY;
  out->finite &= block->distance < INFINITY;
  block->now = 1 - block->now;
  block->turn = w->pace.turn + 1;
  w->window.n_kinks[k] = (uint32_t)block->wave[block->now].n_kinks;
  out->pieces += block->wave[block->now].n_pieces;
  if (block->differs || !(block->moved > 0)) return;
  of->change += block->distance;
  of->before += block->moved;
}

/* Where in the list the share of a thread begins: with a strip. */
static uint32_t strips_from(const ff_petri_windows *w, int thread) {
  uint32_t at = (uint32_t)ff_share(w->n_list, (uint64_t)thread, (uint64_t)w->threads);
  while (at > 0 && at < w->n_list && strip_of(w, at) == strip_of(w, at - 1)) at++;
  return at;
}

static void review_share(void *context, int thread) {
  ff_petri_windows *w = context;
  const uint32_t end = strips_from(w, thread + 1);
  part out = {.finite = 1, .memory = 1};
  for (uint32_t at = strips_from(w, thread); at < end; at++) review_block(w, &out, w->list[at], &w->sums[strip_of(w, at)]);
  w->part[thread] = out;
}

/* Lists what runs next: of the other colour, or of the same one. If nothing does, the window is accepted. */
static void find_sweep(ff_petri_windows *w) {
  list_blocks(w);
  if (w->n_list == 0) {
    w->pace.colour = 1 - w->pace.colour;
    list_blocks(w);
  }
  if (w->n_list == 0)
    accept_window(w);
  else if (w->pace.turn == FF_PETRI_MOST_SWEEPS)
    go_back(w, ff_petri_pace_halve(&w->pace), NULL);
}

static void end_sweep(ff_petri_windows *w) {
  const ff_petri_block *failed = NULL;
  const uint32_t strips = strips_of(w->blocks->n_blocks);
  ff_petri_swept x = {1, 0, 0, 0};
  uint64_t pieces = 0;
  int memory = 1;
  memset(w->sums, 0, strips * sizeof *w->sums);
  ff_team_run(w->team, review_share, w);
  for (int i = 0; i < w->threads; i++) {
    const part *of = &w->part[i];
    if (of->failed != NULL && (failed == NULL || of->failed < failed)) failed = of->failed;
    x.fine &= of->finite && of->failed == NULL;
    memory &= of->memory;
    pieces += of->pieces;
  }
  if (!memory) {
    fail_memory(w);
    return;
  }
  for (uint32_t i = 0; i < strips; i++) {
    x.change += w->sums[i].change;
    x.before += w->sums[i].before;
  }
  x.pieces = (double)pieces / w->blocks->n_blocks;
  const ff_petri_outcome_of_sweep outcome = ff_petri_pace_after_sweep(&w->pace, x);
  if (outcome == FF_PETRI_GOES_ON)
    find_sweep(w);
  else
    go_back(w, outcome, failed);
}

/* Sets w->share to how many of n blocks all threads run or open in this call. */
static uint32_t share_of(ff_petri_windows *w, uint32_t n) {
  const uint32_t left = n - w->at, most = AT_ONCE * (uint32_t)w->threads;
  return w->share = left < most ? left : most;
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
  const uint32_t n = share_of(w, w->n_list);
  ff_team_run(w->team, work, w);
  w->at += n;
  if (w->at == w->n_list) end_sweep(w);
}

/* ---- the start ---------------------------------------------------------------------------------------------------------- */

static void begin(ff_petri_windows *w) {
  if (!make_memory(w)) {
    fail_memory(w);
    return;
  }
  for (int i = 0; i < w->threads; i++) ff_petri_runner_start(w->runner[i], w->key, w->unit, w->begin);
  for (uint32_t f = 0; f < w->blocks->net->n_places; f++) w->count[f] = ff_petri_reset_to(w->initial[f]);
  w->window.blocks = w->blocks;
  w->window.start = w->memory[0];
  w->window.end = w->memory[1];
  w->pace = ff_petri_pace_new(w->blocks->net->options.relative);
  w->hazards = 0;
  for (int i = 0; i < w->threads; i++) w->part[i].fastest = 0;
  w->at = 0;
  w->phase = OPENS;
}

static void open_share(void *context, int thread) {
  ff_petri_windows *w = context;
  part *out = &w->part[thread];
  const uint32_t end = w->at + (uint32_t)ff_share(w->share, (uint64_t)thread + 1, (uint64_t)w->threads);
  for (uint32_t k = w->at + (uint32_t)ff_share(w->share, (uint64_t)thread, (uint64_t)w->threads); k < end; k++) {
    const ff_petri_block *block = &w->window.block[k];
    const ff_petri_opened x = ff_petri_runner_open(w->runner[thread], k, w->initial, w->memory[0] + block->state, block->guess);
    w->hazard[k] = x.hazards;
    if (x.coupling < INFINITY && x.coupling > out->fastest) out->fastest = x.coupling;
  }
}

static void go_on_opening(ff_petri_windows *w) {
  const uint32_t n = w->blocks->n_blocks, end = w->at + share_of(w, n);
  double fastest = 0;
  ff_team_run(w->team, open_share, w);
  for (; w->at < end; w->at++) w->hazards += w->hazard[w->at];
  if (w->at < n) return;
  for (int i = 0; i < w->threads; i++) fastest = w->part[i].fastest > fastest ? w->part[i].fastest : fastest;
  ff_petri_pace_set(&w->pace, fastest, w->hazards, n);
  begin_window(w, 0);
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
    const double *piece = wave->piece + ff_petri_wave_at(wave, size, 0, t, 1) * size, s = (t - piece[0]) * piece[1];
    for (uint32_t i = 0; i < p->n_levels; i++) {
      const double x = ff_petri_piece_value(piece, i, s);
      count[b->place[b->place_first[k] + p->value_place[i]] * stride] = x < 0 && x >= -doubt ? 0 : x + 0.0;
    }
  }
}
