/* The images of the points of a sweep in the memory of a device, for kernels that read networks as data. */
#ifndef FF_SSA_IMAGES_H
#define FF_SSA_IMAGES_H

#include "../device/ff_ssa_ensemble.h"

/* Makes the image of a point. If it has the layout of the first one, *joins becomes 1, its memory is copied to `memory` on the
 * device, and `to` gets the image; the key of `to` is set by the caller. An image that cannot be made does not join. */
typedef ff_status (*ff_ssa_image_put)(ff_ensemble *e, const ff_device_point *point, void *to, char *memory, uint8_t *joins,
                                      ff_error *err);

typedef struct {
  void *memory;  /* on the device: of the only image, or of `room` images of `bytes` bytes */
  size_t bytes;
  char *points;  /* on the host: what kernels read of each point, first an ff_ssa_point_key; NULL if there is no sweep */
  size_t size;   /* of a point: a multiple of 4 */
  uint32_t room, gathered; /* gathered: points that have been compared with the first one */
} ff_ssa_images;

/* Uploads the image of an ensemble without points. With points, makes room for as many images as a part of the free memory holds;
 * points that find no room wait for another ensemble. The caller frees it with ff_ssa_images_free(), also after an error. */
ff_status ff_ssa_images_new(ff_ssa_images *images, const ff_ensemble *e, const void *image, size_t bytes, size_t size,
                            ff_error *err);
void ff_ssa_images_free(ff_ssa_images *images);

/* As a runner's ready(): gathers the points. Each takes a while, as its image is made. */
ff_status ff_ssa_images_ready(ff_ssa_images *images, ff_ensemble *e, ff_ssa_image_put put, double seconds, int *is,
                              ff_error *err);

/* Whether points gain from each other: one that fills the device alone does not. e->resident is set. FF_EUNSUPPORTED if not. */
ff_status ff_ssa_images_pay(const ff_ssa_images *images, const ff_ensemble *e, ff_error *err);

#endif
