/* CUDA devices, their memory, and the status of CUDA calls. Depends on no engine. */
#ifndef FF_CUDA_DEVICE_H
#define FF_CUDA_DEVICE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "../../backend/ff_backend.h"

/* FF_OK for cudaSuccess. Otherwise FF_EMEMORY for a lack of memory and FF_EBACKEND for all else, with CUDA's message. `doing`
 * names the failed action in the error. */
ff_status ff_cuda_check(cudaError_t status, const char *doing, ff_error *err);

/* Allocates zeroed device memory; `what` names it in the error. The caller frees it with cudaFree(). */
ff_status ff_cuda_new(void **out, size_t bytes, const char *what, ff_error *err);
/* The same, filled with `bytes` bytes from `from`. */
ff_status ff_cuda_upload(void **out, const void *from, size_t bytes, const char *what, ff_error *err);

/* Device memory that grows as needed. All members zero means no memory yet. ff_cuda_room_take() makes it at least `bytes` large;
 * if it grows, its contents are lost. The caller frees it with cudaFree(room.at). */
typedef struct {
  void *at;
  size_t bytes;
} ff_cuda_room;
ff_status ff_cuda_room_take(ff_cuda_room *room, size_t bytes, const char *what, ff_error *err);

/* Makes `device` the calling thread's current CUDA device until ff_cuda_leave() restores the previous one, because other packages
 * of the session use CUDA as well. Always call ff_cuda_leave(), whatever ff_cuda_enter() returned. */
typedef struct {
  void *context; /* the thread's previous context; NULL: none */
} ff_cuda_guard;
ff_status ff_cuda_enter(ff_cuda_guard *guard, uint32_t device, ff_error *err);
void ff_cuda_leave(ff_cuda_guard *guard);

/* Describes at most `capacity` devices in `out` and returns their total number in *n. FF_EBACKEND if there is no driver or no
 * device. */
ff_status ff_cuda_devices(ff_device *out, uint32_t capacity, uint32_t *n, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
