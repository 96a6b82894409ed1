#include "ff_petri_block.h"
#include "ff_petri_pace_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 8 }; /* at which a step asks for given levels, at most */

/* A neighbour: its wave, the piece in which the present step begins, and where in which pieces some times are. */
typedef struct {
  const ff_petri_wave *wave;
  size_t size, at;
  uint8_t bends;
  const double *piece[TIMES];
  double s[TIMES];
} neighbour;

/* A block that runs, and what it knows of others. */
typedef struct {
  uint32_t block;
  ff_petri_path *path;
  neighbour *near;
  const ff_petri_source *given;
  uint32_t n_near, n_given;
  double window;    /* its length */
  double *added;    /* to given levels at the stages within a step: see ff_petri_reading */
  double stop[FF_PETRI_ROOM_FOR_STOPS];
  uint64_t known;   /* the segment that its wave has */
  double last;      /* the last time at which it had a firing, or a clock that was due, */
  uint32_t times;   /* and the number of such times in the window */
} seat;

/* What all blocks of a type need: a path for each that runs at the same time. */
typedef struct {
  ff_petri_path path[FF_PETRI_LANES];
  uint32_t n;
  ff_petri_lanes *lanes; /* NULL if one runs after the other */
} crew;

struct ff_petri_runner {
  const ff_petri_blocks *blocks;
  crew *crew;      /* of each type */
  seat seat[FF_PETRI_LANES];
  double *initial; /* places of a block */
  uint64_t key, unit;
  double start;
};

/* ---- making ------------------------------------------------------------------------------------------------------------- */

/* Blocks of a type run together if there are several, and if the solver's steps are explicit. */
static ff_status make_crew(crew *x, const ff_petri_type *type, ff_simd simd, ff_error *err) {
  const ff_petri_integrator integrator = type->program->options.integrator;
  const int together = type->n_blocks > 1 && type->program->n_levels > 0 &&
                       (integrator == FF_PETRI_AUTO || integrator == FF_PETRI_DORMAND_PRINCE);
  const uint32_t n = !together ? 1 : type->n_blocks < FF_PETRI_LANES ? type->n_blocks : FF_PETRI_LANES;
  ff_status status = together ? ff_petri_lanes_new(&x->lanes, type->program, simd, err) : FF_OK;
  while (x->n < n && status == FF_OK) {
    ff_petri_path *path = &x->path[x->n++];
    status = ff_petri_path_new(path, type->program, NULL, err);
    path->together = together;
  }
  return status;
}

ff_status ff_petri_runner_new(ff_petri_runner **out, const ff_petri_blocks *b, ff_simd simd, ff_error *err) {
  ff_petri_runner *r = *out = ff_calloc(1, sizeof *r);
  uint32_t places = 0, near = 0, given = 0;
  if (r == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for blocks");
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    const uint32_t p = (uint32_t)(b->place_first[k + 1] - b->place_first[k]);
    const uint32_t n = (uint32_t)(b->neighbour_first[k + 1] - b->neighbour_first[k]);
    places = p > places ? p : places;
    near = n > near ? n : near;
    const uint32_t g = (uint32_t)(b->given_first[k + 1] - b->given_first[k]);
    given = g > given ? g : given;
  }
  r->blocks = b;
  r->crew = ff_calloc(b->n_types, sizeof *r->crew);
  r->initial = ff_calloc(places, sizeof *r->initial);
  int fine = r->crew != NULL && r->initial != NULL;
  for (uint32_t l = 0; l < FF_PETRI_LANES; l++)
    fine = fine && (r->seat[l].near = ff_calloc(near, sizeof *r->seat[l].near)) != NULL &&
           (r->seat[l].added = ff_calloc(given, sizeof *r->seat[l].added)) != NULL;
  ff_status status = fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u types of blocks", b->n_types);
  for (uint32_t t = 0; t < b->n_types && status == FF_OK; t++) status = make_crew(&r->crew[t], &b->types[t], simd, err);
  if (status == FF_OK) return FF_OK;
  ff_petri_runner_free(r);
  *out = NULL;
  return status;
}

void ff_petri_runner_free(ff_petri_runner *r) {
  if (r == NULL) return;
  for (uint32_t t = 0; t < r->blocks->n_types && r->crew != NULL; t++) {
    for (uint32_t l = 0; l < r->crew[t].n; l++) ff_petri_path_free(&r->crew[t].path[l]);
    ff_petri_lanes_free(r->crew[t].lanes);
  }
  for (uint32_t l = 0; l < FF_PETRI_LANES; l++) {
    free(r->seat[l].near);
    free(r->seat[l].added);
  }
  free(r->crew);
  free(r->initial);
  free(r);
}

void ff_petri_runner_start(ff_petri_runner *r, uint64_t key, uint64_t unit, double start) {
  r->key = key;
  r->unit = unit;
  r->start = start;
}

/* ---- given levels ------------------------------------------------------------------------------------------------------- */

/* Finds the pieces in which a step begins. */
static void find_near(seat *s, double from) {
  for (uint32_t j = 0; j < s->n_near; j++) {
    neighbour *n = &s->near[j];
    n->at = ff_petri_wave_at(n->wave, n->size, n->at, from, 1);
  }
}

/* Levels below 0 are errors, or those of a guess. */
static void set_given(void *of, double from, const double *t, uint32_t n_times, double *value) {
  seat *s = of;
  find_near(s, from);
  for (uint32_t j = 0; j < s->n_near; j++) {
    neighbour *n = &s->near[j];
    size_t at = n->at;
    for (uint32_t k = 0; k < n_times; k++) {
      if (t[k] > from) at = ff_petri_wave_at(n->wave, n->size, at, t[k], 0);
      n->piece[k] = n->wave->piece + at * n->size;
      n->s[k] = (t[k] - n->piece[k][0]) * n->piece[k][1];
    }
  }
  for (uint32_t g = 0; g < s->n_given; g++, value += n_times) {
    const neighbour *n = &s->near[s->given[g].neighbour];
    for (uint32_t k = 0; k < n_times; k++) {
      const double x = ff_petri_piece_value(n->piece[k], s->given[g].level, n->s[k]);
      value[k] = x > 0 ? x : 0;
    }
  }
}

/* Whether an explicit step sees what linear flows make of the levels of neighbours that do not bend, and spans few of their
 * pieces. Sets shifts. */
static int sees(seat *s, double from, double h) {
  const ff_petri_program *p = s->path->program;
  const double *level = ff_ode_last(s->path->ode)->start, part = h / s->window;
  int fine = 1;
  for (uint32_t i = 0; i < p->n_levels; i++) {
    const double most = FF_PETRI_UNSEEN * part * (p->options.absolute + p->options.relative * fabs(level[i]));
    double end = 0, middle = 0;
    for (size_t k = p->linear_first[i]; k < p->linear_first[i + 1] && ff_petri_is_given_value(p, p->linear_value[k]); k++) {
      const uint32_t g = p->linear_value[k] - p->n_levels;
      const neighbour *n = &s->near[s->given[g].neighbour];
      ff_petri_reading own;
      if (n->bends || n->at + 1 >= n->wave->n_pieces || !(n->wave->piece[(n->at + 1) * n->size] < from + h)) continue;
      ff_petri_piece_read(n->wave->piece, (uint32_t)n->wave->n_pieces, n->size, (uint32_t)n->at, s->given[g].level, from, h,
                          &own);
      fine &= own.spanned <= FF_PETRI_MOST_SPANNED;
      s->added[g] = own.shift;
      end += p->linear_by[k] * own.end;
      middle += p->linear_by[k] * own.middle;
    }
    fine &= fabs(end) <= most && fabs(middle) <= most;
  }
  return fine;
}

/* Where the first piece of a neighbour ends, but at `to` at the latest. */
static double next_end(const seat *s, double from, double to) {
  const double least = from + FF_PETRI_HARDLY * (to - from);
  for (uint32_t j = 0; j < s->n_near; j++) {
    const neighbour *n = &s->near[j];
    size_t k = n->at + 1;
    while (k < n->wave->n_pieces && !(n->wave->piece[k * n->size] > least)) k++;
    if (k < n->wave->n_pieces && n->wave->piece[k * n->size] < to) to = n->wave->piece[k * n->size];
  }
  return to;
}

/* Where a step has to end instead that spans too many pieces, or does not see all: at the end of a piece, in its first half if
 * there is one. */
static double shorter(const seat *s, double from, double to, double h) {
  const double half = from + h / 2, least = from + FF_PETRI_HARDLY * h;
  double before = from, after = to, most = to;
  for (uint32_t j = 0; j < s->n_near; j++) {
    const neighbour *n = &s->near[j];
    uint32_t spanned = 1;
    for (size_t k = n->at + 1; k < n->wave->n_pieces && !n->bends; k++, spanned++) {
      const double end = n->wave->piece[k * n->size];
      if (!(end < most)) break;
      if (spanned == FF_PETRI_MOST_SPANNED) most = end;
      if (end > least && end <= half && end > before) before = end;
      if (end > half && end < after) after = end;
    }
  }
  return most < to ? most : before > from ? before : after;
}

/* Implicit steps have other stages, and follow a slope of given levels: they stay within a piece. */
static double see(void *of, double from, double to, double h) {
  seat *s = of;
  find_near(s, from);
  for (uint32_t g = 0; g < s->n_given; g++) s->added[g] = 0;
  if (ff_ode_present_method(s->path->ode) != FF_ODE_DORMAND_PRINCE) return next_end(s, from, to);
  return sees(s, from, h) ? to : shorter(s, from, to, h);
}

/* Adds a time to stop[], which ascends, unless there is one that is hardly another one. Returns 0 if there is no room. */
static int add_stop(seat *r, uint32_t *n, double t, double hardly) {
  uint32_t at = *n;
  if (at == FF_PETRI_ROOM_FOR_STOPS) return 0;
  while (at > 0 && r->stop[at - 1] > t) at--;
  if ((at > 0 && t - r->stop[at - 1] <= hardly) || (at < *n && r->stop[at] - t <= hardly)) return 1;
  memmove(r->stop + at + 1, r->stop + at, (*n - at) * sizeof *r->stop);
  r->stop[at] = t;
  ++*n;
  return 1;
}

/* Where the flows of a block change, slopes of its neighbours bend, and second derivatives of their neighbours jump. */
static int add_kinks(seat *r, const ff_petri_window *w, uint32_t other, uint32_t *n) {
  if (w->n_kinks[other] == 0) return 1; /* which is known without a look at the wave */
  const ff_petri_wave *wave = &w->block[other].wave[w->block[other].now];
  for (size_t k = 0; k < wave->n_kinks; k++)
    if (wave->kink[k] > w->from && wave->kink[k] < w->to && !add_stop(r, n, wave->kink[k], 0)) return 0;
  return 1;
}

/* For neighbours that bend: a step sees what happens in FF_PETRI_AT_A_TIME of their steps, but not in many of them. */
static int add_pieces(seat *r, const ff_petri_window *w, const neighbour *near, uint32_t *n) {
  const ff_petri_wave *wave = near->wave;
  size_t since = 0, kink = 0;
  for (size_t k = 1; k < wave->n_pieces; k++) {
    const double t = wave->piece[k * near->size];
    while (kink < wave->n_kinks && wave->kink[kink] < t) kink++;
    since = kink < wave->n_kinks && wave->kink[kink] == t ? 0 : since + 1;
    if (since < FF_PETRI_AT_A_TIME) continue;
    if (!add_stop(r, n, t, FF_PETRI_HARDLY * (w->to - w->from))) return 0;
    since = 0;
  }
  return 1;
}

/* Lets a block take a seat. Returns its path, which knows its neighbours; NULL if there is no room for its stops. */
static ff_petri_path *prepare(ff_petri_runner *runner, uint32_t lane, const ff_petri_window *w, uint32_t block) {
  const ff_petri_blocks *b = runner->blocks;
  seat *r = &runner->seat[lane];
  ff_petri_path *path = &runner->crew[b->type[block]].path[lane];
  uint32_t n_stops = 0;
  r->block = block;
  r->path = path;
  r->n_near = (uint32_t)(b->neighbour_first[block + 1] - b->neighbour_first[block]);
  r->n_given = path->program->n_given;
  r->given = b->given + b->given_first[block];
  r->window = w->to - w->from;
  for (uint32_t j = 0; j < r->n_near; j++) {
    const uint32_t other = b->neighbour[b->neighbour_first[block] + j];
    const ff_petri_wave *wave = &w->block[other].wave[w->block[other].now];
    r->near[j] = (neighbour){.wave = wave, .size = ff_petri_piece_size(b->types[b->type[other]].program->n_levels),
                              .bends = b->bends[b->neighbour_first[block] + j]};
    if (!add_kinks(r, w, other, &n_stops)) return NULL;
  }
  for (size_t j = b->far_first[block]; j < b->far_first[block + 1]; j++)
    if (!add_kinks(r, w, b->far[j], &n_stops)) return NULL;
  for (uint32_t j = 0; j < r->n_near; j++)
    if (r->near[j].bends && !add_pieces(r, w, &r->near[j], &n_stops)) return NULL;
  if (!add_stop(r, &n_stops, w->to, 0)) return NULL;
  path->around = (ff_petri_around){.set = set_given, .see = see, .added = r->added, .of = r, .stop = r->stop, .n_stops = n_stops,
                                   .group = b->group + b->group_first[block], .choice = block, .order = b->timed_first[block]};
  return path;
}

/* ---- the start ---------------------------------------------------------------------------------------------------------- */

ff_petri_opened ff_petri_block_open(const ff_petri_blocks *b, uint32_t block, const ff_petri_start *start,
                                    ff_petri_path *path, double *room, char *state) {
  const uint32_t *place = b->place + b->place_first[block];
  for (uint32_t k = 0; k < path->program->n_places; k++) room[k] = start->initial[place[k]];
  path->around = (ff_petri_around){.group = b->group + b->group_first[block], .choice = block, .order = b->timed_first[block]};
  ff_petri_path_start(path, start->key, start->unit, room, start->start);
  const double hazards = ff_petri_path_open(path, state);
  return (ff_petri_opened){hazards, ff_petri_path_coupling(path)};
}

ff_petri_opened ff_petri_runner_open(ff_petri_runner *r, uint32_t block, const double *initial, char *state, double *guess) {
  ff_petri_path *path = &r->crew[r->blocks->type[block]].path[0];
  const ff_petri_start start = {initial, r->key, r->unit, r->start};
  const ff_petri_opened opened = ff_petri_block_open(r->blocks, block, &start, path, r->initial, state);
  for (uint32_t i = 0; i < path->program->n_levels; i++) {
    guess[3 * i] = path->value[i];
    guess[3 * i + 1] = guess[3 * i + 2] = 0;
  }
  return opened;
}

/* ---- a window ----------------------------------------------------------------------------------------------------------- */

/* What happens at one time counts once: no shorter window would divide it. */
static void count_time(seat *s) {
  s->times += s->path->now > s->last;
  s->last = s->path->now;
}

static int is_full(const seat *s, const ff_petri_wave *wave) {
  const size_t n = wave->n_kinks > wave->n_pieces ? wave->n_kinks : wave->n_pieces;
  return n > FF_PETRI_ROOM_FOR_PIECES || s->times > FF_PETRI_ROOM_FOR_TIMES;
}

/* Follows a path until it waits for the solver, or to the end of the window. Returns whether that is there, or there is none. */
static int follow(seat *s, const ff_petri_window *w) {
  ff_petri_block *block = &w->block[s->block];
  ff_petri_wave *wave = &block->wave[1 - block->now];
  ff_petri_path *path = s->path;
  int fine = 1;
  while (path->failure.what == FF_PETRI_FINE && fine && !path->paused) {
    if (path->segment != s->known) fine = ff_petri_wave_add_segment(wave, path);
    s->known = path->segment;
    if (is_full(s, wave)) {
      block->outcome = FF_PETRI_IS_FULL;
      return 1;
    }
    if (!(path->next_time < w->to)) break;
    const ff_petri_event event = path->event;
    const ff_petri_member fires = path->fires;
    ff_petri_path_step(path);
    if (event == FF_PETRI_FIRES && fine) fine = ff_petri_wave_add_firing(wave, path, fires);
    if (event != FF_PETRI_PASSES && path->segment != s->known && fine) fine = ff_petri_wave_add_kink(wave, path->now);
    if (event == FF_PETRI_FIRES || path->segment == s->known) count_time(s);
  }
  if (!fine && path->failure.what == FF_PETRI_FINE) path->failure = (ff_failure){.what = FF_PETRI_NO_MEMORY};
  block->outcome = path->failure.what == FF_PETRI_FINE ? FF_PETRI_RAN : FF_PETRI_FAILED;
  return path->failure.what != FF_PETRI_FINE || !path->paused;
}

/* A failure with the numbers of the net. */
static ff_failure translate(const ff_petri_blocks *b, uint32_t block, ff_failure f) {
  const uint32_t *place = b->place + b->place_first[block], *transition = b->transition + b->transition_first[block];
  switch ((ff_petri_failure_kind)f.what) {
    case FF_PETRI_BAD_COUNT:
    case FF_PETRI_BAD_CHANGE:
      f.item = place[f.item];
      f.symbol = transition[f.symbol];
      break;
    case FF_PETRI_BAD_STEP:
    case FF_PETRI_BAD_LEVEL:
    case FF_PETRI_PILED: f.item = place[f.item]; break;
    case FF_PETRI_ENDLESS:
      f.item = transition[f.item];
      f.symbol = transition[f.symbol];
      break;
    case FF_PETRI_FINE:
    case FF_PETRI_BAD_WINDOW:
    case FF_PETRI_NO_MEMORY: break;
    default: f.item = transition[f.item];
  }
  return f;
}

/* Returns 0 if it fails at once. */
static int begin(ff_petri_runner *r, uint32_t lane, const ff_petri_window *w, uint32_t number) {
  ff_petri_block *block = &w->block[number];
  ff_petri_path *path = prepare(r, lane, w, number);
  ff_petri_wave_clear(&block->wave[1 - block->now]);
  block->outcome = FF_PETRI_IS_FULL;
  if (path == NULL) return 0;
  r->seat[lane].known = r->seat[lane].times = 0;
  r->seat[lane].last = -INFINITY;
  ff_petri_path_start(path, r->key, r->unit, NULL, r->start);
  ff_petri_path_resume(path, w->start + block->state, w->from);
  return 1;
}

static void end(const ff_petri_runner *r, const ff_petri_window *w, const seat *s) {
  ff_petri_block *block = &w->block[s->block];
  const ff_petri_wave *wave = &block->wave[1 - block->now], *last = &block->wave[block->now];
  block->failure = translate(r->blocks, s->block, s->path->failure);
  if (block->outcome != FF_PETRI_RAN) return;
  ff_petri_path_leave(s->path, w->end + block->state, w->to);
  block->differs = (uint8_t)!ff_petri_wave_is_alike(wave, last);
  block->distance = ff_petri_wave_distance(wave, last, s->path->program, w->from, w->to);
  block->use = ff_petri_use_of_room((uint32_t)wave->n_pieces, s->path->around.n_stops, s->times);
}

/* ---- blocks that run soon ----------------------------------------------------------------------------------------------- */

/* Large nets do not fit in the caches, so that what a block reads is fetched before it runs. */
enum { FETCH_BLOCKS = 24, FETCH_WAVES = 12, LINE = 64, MOST_LINES = 16 };

static void fetch(const void *from, size_t bytes) {
#if defined(__GNUC__)
  for (size_t at = 0; at < bytes && at < MOST_LINES * LINE; at += LINE) __builtin_prefetch((const char *)from + at);
#else
  (void)from, (void)bytes;
#endif
}

static void fetch_blocks(const ff_petri_runner *r, const ff_petri_window *w, uint32_t block) {
  const ff_petri_blocks *b = r->blocks;
  fetch(&w->block[block], sizeof *w->block);
  fetch(b->far + b->far_first[block], (b->far_first[block + 1] - b->far_first[block]) * sizeof *b->far);
  fetch(b->group + b->group_first[block], sizeof *b->group);
  fetch(b->given + b->given_first[block], (b->given_first[block + 1] - b->given_first[block]) * sizeof *b->given);
  for (size_t j = b->neighbour_first[block]; j < b->neighbour_first[block + 1]; j++)
    fetch(&w->block[b->neighbour[j]], sizeof *w->block);
}

static void fetch_pieces(const ff_petri_wave *wave, const ff_petri_program *p) {
  fetch(wave->piece, wave->n_pieces * ff_petri_piece_size(p->n_levels) * sizeof *wave->piece);
}

static void fetch_waves(const ff_petri_runner *r, const ff_petri_window *w, uint32_t block) {
  const ff_petri_blocks *b = r->blocks;
  const ff_petri_program *p = b->types[b->type[block]].program;
  const ff_petri_block *own = &w->block[block];
  fetch(w->start + own->state, ff_petri_path_state_size(p));
  for (int i = 0; i < 2; i++) fetch_pieces(&own->wave[i], p);
  for (size_t j = b->neighbour_first[block]; j < b->neighbour_first[block + 1]; j++) {
    const ff_petri_block *other = &w->block[b->neighbour[j]];
    fetch_pieces(&other->wave[other->now], b->types[b->type[b->neighbour[j]]].program);
  }
}

/* A block that has come to the end gives its seat to the next one. */
void ff_petri_runner_run(ff_petri_runner *r, const ff_petri_window *w, const uint32_t *list, uint32_t n) {
  crew *x = &r->crew[r->blocks->type[list[0]]];
  uint8_t taken[FF_PETRI_LANES] = {0};
  for (uint32_t next = 0, running = 1; running > 0;) {
    ff_petri_path *waiting[FF_PETRI_LANES];
    running = 0;
    for (uint32_t l = 0; l < x->n; l++) {
      while (taken[l] || next < n) {
        if (!taken[l] && next + FETCH_BLOCKS < n) fetch_blocks(r, w, list[next + FETCH_BLOCKS]);
        if (!taken[l] && next + FETCH_WAVES < n) fetch_waves(r, w, list[next + FETCH_WAVES]);
        taken[l] = taken[l] || (uint8_t)begin(r, l, w, list[next++]);
        if (!taken[l]) continue;
        if (!follow(&r->seat[l], w)) break;
        end(r, w, &r->seat[l]);
        taken[l] = 0;
      }
      if (taken[l]) waiting[running++] = r->seat[l].path;
    }
    if (running > 0) ff_petri_lanes_step(x->lanes, waiting, running);
  }
}
