/* What the files that make an image share. */
#ifndef FF_SSA_IMAGE_MAKER_H
#define FF_SSA_IMAGE_MAKER_H

#include "ff_ssa_image.h"

/* The arrays of the image are stored one after the other. A first pass (memory is NULL) counts the bytes, and a second pass fills
 * the arrays. */
typedef struct {
  const ff_ssa_program *program;
  const ff_device_request *request;
  uint32_t *place; /* of each reaction, if they are in another order; else NULL */
  uint32_t *timed; /* of each reaction: 1 + the number of its rate that depends on the time, or 0; NULL without a schedule */
  uint64_t n_timed; /* entries of the lists of such rates */
  uint32_t *row_first; /* of partial propensities; else NULL */
  ff_ssa_image *image;
  uint32_t *initial, *whole; /* of the image, to be filled */
  double *real;
  char *memory;
  size_t used;
} ff_ssa_image_maker;

static inline void *ff_ssa_image_take(ff_ssa_image_maker *m, size_t count, size_t size) {
  void *at = m->memory != NULL ? m->memory + m->used : NULL;
  m->used += (count * size + 127) / 128 * 128;
  return at;
}

/* ---- rows of partial propensities (ff_ssa_image_partial.c) --------------------------------------------------------------- */

/* Numbers the reactions as the items of rows. `place` has n_reactions entries, `first` one more than rows. */
void ff_ssa_image_number_items(const ff_ssa_program *p, uint32_t *place, uint32_t *first);
/* The laws of the items, and where rows begin. */
void ff_ssa_image_put_items(ff_ssa_image_maker *m);
/* Lists the items that read each species, and those of no species last. Laws have been put. */
void ff_ssa_image_put_partners(ff_ssa_image_maker *m);

/* ---- the schedule (ff_ssa_image_schedule.c) ------------------------------------------------------------------------------ */

/* For a program with a schedule: numbers the rates that depend on the time in m->timed, which the caller frees, and counts the
 * entries of their lists. FF_EUNSUPPORTED, with a clause, if these are too many. O(reactions and dependents). */
ff_status ff_ssa_image_number_timed(ff_ssa_image_maker *m, ff_error *err);
/* The lists, the events and the formulas of the image. Laws have been put. O(size of the program). */
void ff_ssa_image_put_schedule(ff_ssa_image_maker *m);

#endif
