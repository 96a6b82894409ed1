/* CUDA's devices, their memory, and the status of its calls. Knows no engine. */
#ifndef FF_DEVICE_H
#define FF_DEVICE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "../../backend/ff_backend.h"

/* FF_EBACKEND (FF_EMEMORY for no memory) with CUDA's own words and what was being done, where status is no success. */
ff_status ff_cuda_check(cudaError_t status, const char *doing, ff_error *err);

/* Device memory, zeroed; `what` names it in the error. */
ff_status ff_cuda_new(void **out, size_t bytes, const char *what, ff_error *err);
ff_status ff_cuda_upload(void **out, const void *from, size_t bytes, const char *what, ff_error *err);

/* Device memory that grows as it is needed; all zero: none yet. ff_cuda_room_take makes it at least so large and does not keep what it
 * held. cudaFree(room.at) gives it back. */
typedef struct {
  void *at;
  size_t bytes;
} ff_cuda_room;
ff_status ff_cuda_room_take(ff_cuda_room *room, size_t bytes, const char *what, ff_error *err);

/* Makes `device` the calling thread's for CUDA, until ff_cuda_leave puts back what it was: other packages of the session use CUDA as
 * well. To be left whatever ff_cuda_enter returned. */
typedef struct {
  void *context; /* the thread's before, NULL: none */
  int entered;
} ff_cuda_guard;
ff_status ff_cuda_enter(ff_cuda_guard *guard, uint32_t device, ff_error *err);
void ff_cuda_leave(ff_cuda_guard *guard);

/* Fills at most `capacity` devices and tells how many there are. FF_EBACKEND where there is no driver, or no device. */
ff_status ff_cuda_devices(ff_device *out, uint32_t capacity, uint32_t *n, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
