/* Backends: shared objects that do an engine's work elsewhere than on this processor. Knows no engine; stands on base/ alone.
 *
 * A backend is opened at run time (ff_backend_open), so that the package installs and works without it. Its table tells what devices
 * there are, and has an interface for each engine that it serves: a table of functions, declared in the engine's own folder, whose
 * first member is an ff_ensemble_calls. What a backend answers are the same integers, to the last bit, as the engine gives on this
 * processor, whatever the device and however many of them.
 *
 * An ensemble is a set of units (an engine's tiles, or trajectories) that advance together on one device. Calls on one ensemble come
 * from one thread at a time; ensembles on different devices may work at the same time.
 */
#ifndef FF_BACKEND_H
#define FF_BACKEND_H

#include "../base/ff_base.h"

#define FF_BACKEND_ABI 5
#define FF_BACKEND_ENTRY "fireflip_backend" /* the one symbol that a backend's shared object exports */

typedef struct {
  char name[128];
  uint64_t memory;     /* bytes */
  uint32_t major, minor; /* compute capability */
  uint32_t processors; /* multiprocessors */
  int usable;
  char why_not[256]; /* empty where usable */
} ff_device;

typedef struct ff_ensemble ff_ensemble;

/* What the caller asks of an ensemble, whatever the engine. */
typedef struct {
  uint32_t device;
  const char *kernel; /* the name of the kernel to run; NULL: the backend chooses. Read while the ensemble is made, not kept */
  const char *like;   /* without `kernel`: what another device took for the same run, to be taken here too if possible; or NULL */
  uint64_t units;     /* that the caller will run in all, so that no more memory is taken than these need; 0: unknown */
  uint64_t steps;     /* that each of them will take, so that no more time goes into code than it saves; 0: unknown */
  const char *cache;  /* folder for compiled code; NULL: compiled anew in every process. Not kept */
} ff_ensemble_options;

typedef struct {
  const char *kernel;     /* its name, valid as long as the process */
  uint64_t capacity;      /* units that run at a time */
  uint64_t bytes;         /* device memory taken */
  uint32_t threads;       /* of a block */
  uint32_t blocks;        /* resident on a multiprocessor */
  uint32_t registers;     /* of a thread */
  uint32_t shared_bytes;  /* of a block */
  double device_seconds;  /* that its kernels have run so far */
  char reason[256];       /* why this kernel, a clause */
} ff_ensemble_info;

/* What every engine's ensembles can do: the first member of each interface. */
typedef struct {
  /* Takes NULL, and an ensemble that is not ready yet. */
  void (*destroy)(ff_ensemble *ensemble);
  /* Waits for about `seconds` at most until all is done that making the ensemble began, and *is becomes 1: code may take a while to
   * compile. Before that nothing else may be asked of it. A failure is final: it is told again by every later call. */
  ff_status (*ready)(ff_ensemble *ensemble, double seconds, int *is, ff_error *err);
  /* Units `first` ... first + units - 1 (at most info's `capacity`) at step 0, nothing counted. */
  ff_status (*start)(ff_ensemble *ensemble, uint64_t key, uint64_t first, uint64_t units, ff_error *err);
  ff_ensemble_info (*info)(const ff_ensemble *ensemble);
} ff_ensemble_calls;

typedef struct {
  uint32_t abi, size; /* FF_BACKEND_ABI, sizeof(ff_backend); these two stay first */
  const char *build;  /* what ff_backend_build() gives where the backend was built */
  const char *name;
  /* Fills at most `capacity` devices and tells how many there are; a missing driver is FF_EBACKEND. */
  ff_status (*devices)(ff_device *out, uint32_t capacity, uint32_t *n, ff_error *err);
  /* The interface of an engine by its name ("pbn"), valid as long as the process; NULL where the backend has none. */
  const void *(*interface)(const char *engine);
} ff_backend;

/* What the entry is. */
typedef const ff_backend *(*ff_backend_entry)(void);

/* A backend's shared object, opened; the caller owns it and keeps one for a path and process. */
typedef struct ff_backend_library ff_backend_library;

/* FF_EBACKEND where it cannot be opened or was built from other headers than this core. Of its code only the entry runs. */
ff_status ff_backend_open(ff_backend_library **out, const char *path, ff_error *err);

/* Gives the handle back; takes NULL. The shared object itself stays loaded as long as the process: a driver may hold on to its code. */
void ff_backend_close(ff_backend_library *library);

/* Its table, valid as long as the process. FF_EBACKEND in a process forked after it was opened, since a driver does not survive
 * that: ask before every use. */
ff_status ff_backend_table(const ff_backend_library *library, const ff_backend **out, ff_error *err);

/* Whether this process was forked after it was opened: then what its table made must not even be freed. */
int ff_backend_forked(const ff_backend_library *library);

/* A hash of the headers that the core shares with backends: the two must have been built from the same ones. */
const char *ff_backend_build(void);

#endif
