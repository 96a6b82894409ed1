#include "ff_petri_opener.h"

#include <math.h>
#include <stdlib.h>

#define BLOCKS_OF_THREAD 256u /* for fewer of them, it is not worth while to wake another thread */

/* What a thread has. */
typedef struct {
  ff_petri_path *path; /* of each type */
  double *place;       /* room for those of a block */
  double fastest;      /* how fast levels follow those of other blocks, at most, in its share */
} hand;

struct ff_petri_opener {
  const ff_petri_blocks *blocks;
  hand *hand; /* of each thread */
  int threads;
  ff_team *team;
  double *hazard; /* of each block at the start */
  /* The trajectory that is being opened. */
  const ff_petri_start *start;
  ff_petri_take *take;
  void *of;
};

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static void drop(ff_petri_opener *x) {
  if (x == NULL) return;
  ff_team_free(x->team);
  for (int i = 0; i < x->threads && x->hand != NULL; i++) {
    for (uint32_t t = 0; t < x->blocks->n_types && x->hand[i].path != NULL; t++) ff_petri_path_free(&x->hand[i].path[t]);
    free(x->hand[i].path);
    free(x->hand[i].place);
  }
  free(x->hand);
  free(x->hazard);
  free(x);
}

static ff_status make_hand(hand *h, const ff_petri_blocks *b, ff_error *err) {
  uint32_t places = 0;
  for (uint32_t t = 0; t < b->n_types; t++)
    if (b->types[t].program->n_places > places) places = b->types[t].program->n_places;
  h->path = ff_calloc(b->n_types, sizeof *h->path);
  h->place = ff_calloc(places, sizeof *h->place);
  if (h->path == NULL || h->place == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u types of blocks", b->n_types);
  ff_status status = FF_OK;
  for (uint32_t t = 0; t < b->n_types && status == FF_OK; t++)
    status = ff_petri_path_new(&h->path[t], b->types[t].program, NULL, err);
  return status;
}

static ff_status create(ff_petri_opener **out, const ff_petri_blocks *b, int threads, ff_error *err) {
  const uint32_t most = 1 + b->n_blocks / BLOCKS_OF_THREAD;
  ff_petri_opener *x = *out = ff_calloc(1, sizeof *x);
  if (x == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for blocks");
  x->blocks = b;
  x->threads = (uint32_t)threads < most ? threads : (int)most;
  x->hand = ff_calloc((size_t)x->threads, sizeof *x->hand);
  x->hazard = ff_calloc(b->n_blocks, sizeof *x->hazard);
  const int fine = x->hand != NULL && x->hazard != NULL;
  ff_status status = fine ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u blocks", b->n_blocks);
  for (int i = 0; i < x->threads && status == FF_OK; i++) status = make_hand(&x->hand[i], b, err);
  if (status == FF_OK) status = ff_team_new(&x->team, x->threads, err);
  if (status == FF_OK) return FF_OK;
  drop(x);
  *out = NULL;
  return status;
}

/* ---- a trajectory begins ------------------------------------------------------------------------------------------------ */

static void open_share(void *context, int thread) {
  ff_petri_opener *x = context;
  const ff_petri_blocks *b = x->blocks;
  const uint64_t n = b->n_blocks, threads = (uint64_t)x->threads, end = ff_share(n, (uint64_t)thread + 1, threads);
  hand *h = &x->hand[thread];
  double fastest = 0;
  for (uint64_t i = ff_share(n, (uint64_t)thread, threads); i < end; i++) {
    const uint32_t k = (uint32_t)i;
    ff_petri_path *path = &h->path[b->type[k]];
    const ff_petri_opened opened = ff_petri_block_open(b, k, x->start, path, h->place, NULL);
    const ff_petri_kept kept = ff_petri_path_kept(path);
    x->hazard[k] = opened.hazards;
    if (opened.coupling < INFINITY && opened.coupling > fastest) fastest = opened.coupling;
    x->take(x->of, k, path, &kept);
  }
  h->fastest = fastest;
}

static ff_petri_pace open(ff_petri_opener *x, const ff_petri_start *start, ff_petri_take *take, void *of) {
  const uint32_t n = x->blocks->n_blocks;
  ff_petri_pace pace = ff_petri_pace_new(x->blocks->net->options.relative);
  double hazards = 0, fastest = 0;
  x->start = start;
  x->take = take;
  x->of = of;
  ff_team_run(x->team, open_share, x);
  for (uint32_t k = 0; k < n; k++) hazards += x->hazard[k];
  for (int i = 0; i < x->threads; i++) fastest = x->hand[i].fastest > fastest ? x->hand[i].fastest : fastest;
  ff_petri_pace_set(&pace, fastest, hazards, n);
  ff_petri_pace_begin(&pace, 0);
  return pace;
}

const ff_petri_opener_calls ff_petri_opener_of_windows = {create, drop, open};
