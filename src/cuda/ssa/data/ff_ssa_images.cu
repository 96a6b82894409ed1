#include "ff_ssa_images.h"

#include <stdlib.h>

#define SHARE 0.2 /* of the free memory, for images */
#define MOST 4    /* a point with so many trajectories for each that can run at the same time fills the device */

ff_status ff_ssa_images_new(ff_ssa_images *images, const ff_ensemble *e, const void *image, size_t bytes, size_t size,
                            ff_error *err) {
  size_t unused = 0, all = 0;
  images->bytes = bytes;
  images->size = size;
  if (e->request.n_points == 0) return ff_cuda_upload(&images->memory, image, bytes, "the network", err);
  ff_status status = ff_cuda_check(cudaMemGetInfo(&unused, &all), "reading its memory size", err);
  if (status != FF_OK) return status;
  const double room = SHARE * (double)unused / (double)(bytes + size);
  images->room = room < 1 ? 1 : room < e->request.n_points ? (uint32_t)room : e->request.n_points;
  images->points = (char *)ff_calloc(images->room, size);
  if (images->points == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u points", images->room);
  return ff_cuda_new(&images->memory, bytes * images->room, "points", err);
}

void ff_ssa_images_free(ff_ssa_images *images) {
  cudaFree(images->memory);
  free(images->points);
}

static ff_status gather(ff_ssa_images *images, ff_ensemble *e, ff_ssa_image_put put, ff_error *err) {
  const uint32_t i = images->gathered++;
  const ff_device_point *point = e->request.points + i;
  if (e->n_points == images->room) return FF_OK;
  char *const to = images->points + images->size * e->n_points, *const memory = (char *)images->memory;
  ff_error why;
  const ff_status status = put(e, point, to, memory + images->bytes * e->n_points, e->request.joins + i, &why);
  if (status == FF_EUNSUPPORTED) return FF_OK;
  if (status != FF_OK) return ff_error_set(err, status, "%s", why.text);
  if (!e->request.joins[i]) return FF_OK;
  ff_ssa_point_key *const key = (ff_ssa_point_key *)(void *)to;
  key->key = point->key;
  ff_philox_round_keys(key->round_key, point->key);
  e->n_points++;
  return FF_OK;
}

ff_status ff_ssa_images_ready(ff_ssa_images *images, ff_ensemble *e, ff_ssa_image_put put, double seconds, int *is,
                              ff_error *err) {
  const double deadline = ff_clock() + seconds;
  const uint32_t n = e->request.n_points;
  ff_status status = FF_OK;
  do
    if (images->gathered < n) status = gather(images, e, put, err);
  while (status == FF_OK && images->gathered < n && ff_clock() < deadline);
  *is = images->gathered >= n;
  if (status != FF_OK || !*is || images->points == NULL) return status;
  e->point_words = (uint32_t)(images->size / 4);
  return ff_cuda_upload((void **)&e->points, images->points, (size_t)e->n_points * images->size, "points", err);
}

ff_status ff_ssa_images_pay(const ff_ssa_images *images, const ff_ensemble *e, ff_error *err) {
  if (images->points == NULL || e->options.kernel != NULL || (double)e->request.n_each < MOST * (double)e->resident) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "each point of the sweep fills the GPU");
}
