#include "ff_petri_opener.h"

#include <stdlib.h>

struct ff_petri_opener {
  const ff_petri_blocks *blocks;
  ff_petri_windows *windows;
  const ff_petri_window *window; /* of the trajectory that was opened last */
  ff_petri_path *path;           /* of each type */
};

static void drop(ff_petri_opener *x) {
  if (x == NULL) return;
  for (uint32_t t = 0; x->path != NULL && t < x->blocks->n_types; t++) ff_petri_path_free(&x->path[t]);
  free(x->path);
  ff_petri_windows_free(x->windows);
  free(x);
}

static ff_status create(ff_petri_opener **out, const ff_petri_blocks *blocks, ff_error *err) {
  ff_petri_opener *x = *out = ff_calloc(1, sizeof *x);
  if (x == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for blocks");
  x->blocks = blocks;
  x->path = ff_calloc(blocks->n_types, sizeof *x->path);
  ff_status status = x->path != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u types of blocks", blocks->n_types);
  for (uint32_t t = 0; t < blocks->n_types && status == FF_OK; t++)
    status = ff_petri_path_new(&x->path[t], blocks->types[t].program, NULL, err);
  if (status == FF_OK) status = ff_petri_windows_new(&x->windows, blocks, 1, FF_SIMD_BEST, 0, err);
  if (status == FF_OK) return FF_OK;
  drop(x);
  *out = NULL;
  return status;
}

static ff_status open(ff_petri_opener *x, uint64_t key, uint64_t unit, const double *initial, const ff_petri_window **window,
                      const ff_petri_pace **pace, ff_error *err) {
  ff_petri_windows_start(x->windows, key, unit, initial, 0);
  const int fine = ff_petri_windows_open(x->windows, window, pace);
  x->window = *window;
  if (fine) return FF_OK;
  if (ff_petri_windows_now(x->windows)->failure.what == FF_PETRI_NO_MEMORY)
    return ff_error_set(err, FF_EMEMORY, "no memory for a trajectory");
  return ff_error_set(err, FF_EMODEL, "the trajectory fails at the start");
}

static const ff_petri_path *look(ff_petri_opener *x, uint32_t block, ff_petri_kept *kept) {
  ff_petri_path *path = &x->path[x->blocks->type[block]];
  *kept = ff_petri_path_look(path, x->window->start + x->window->block[block].state);
  return path;
}

const ff_petri_opener_calls ff_petri_opener_of_windows = {create, drop, open, look};
