/* Backends: shared objects that run an engine on other devices than this processor. Independent of engines; uses base/ only.
 *
 * A backend is opened at run time by ff_backend_open(), so the package can be installed and used without it. The backend's
 * table lists its devices and has an interface for each engine that it supports. An interface is a table of functions
 * whose first member is an ff_ensemble_calls: ff_device_calls (ensemble/ff_device.h), or a table of the engine's own. A backend's
 * results have the same bits as those of the engine on this processor, for any device and any number of devices.
 *
 * An ensemble is a set of units (tiles, or single trajectories) that advance together on one device. Only one thread at a
 * time may call functions on an ensemble. Ensembles on different devices may work at the same time.
 */
#ifndef FF_BACKEND_H
#define FF_BACKEND_H

#include "../base/ff_base.h"

#define FF_BACKEND_ABI 9
#define FF_BACKEND_ENTRY "fireflip_backend" /* the only symbol that a backend's shared object exports */

typedef struct {
  char name[128];
  uint64_t memory;     /* in bytes */
  uint32_t major, minor; /* compute capability */
  uint32_t processors; /* multiprocessors */
  int usable;
  char why_not[256]; /* empty if usable */
} ff_device;

typedef struct ff_ensemble ff_ensemble;

/* The options for creating an ensemble, for any engine. Strings and `like` are borrowed while the ensemble is created and not
 * kept. */
typedef struct {
  uint32_t device;
  const char *kernel; /* name of the kernel to run, or NULL to let the backend choose */
  const ff_ensemble *like; /* NULL, or the ensemble of another device in the same run, for the same program and an equal request.
                            * The new ensemble uses its kernel if possible, unless `kernel` names one, and may share what was
                            * made for it. `like` may be in any stage, and either of the two may be freed first. While the new
                            * ensemble is created, no other thread may call functions on `like` */
  uint64_t units;     /* number of units that the caller will run in all, so that no more memory than needed is allocated; 0:
                       * unknown */
  uint64_t steps;     /* number of steps of each unit, so that compiling code does not take longer than it saves; 0: unknown */
  const char *cache;  /* folder for compiled code; NULL: each process compiles its own */
} ff_ensemble_options;

typedef struct {
  const char *kernel;     /* its name, valid until the process ends */
  uint64_t capacity;      /* number of units that run at a time */
  uint64_t bytes;         /* allocated device memory */
  uint32_t threads;       /* per block */
  uint32_t blocks;        /* resident on a multiprocessor */
  uint32_t registers;     /* per thread */
  uint32_t shared_bytes;  /* per block */
  double device_seconds;  /* total run time of the kernels so far */
  int bits16;             /* whether an ensemble with room for larger numbers would refuse fewer units */
  char reason[256];       /* why this kernel was chosen, as a clause */
  /* Of a run on several devices, filled in by the core. */
  uint32_t devices;       /* that have not failed */
  uint64_t refused;       /* units that devices have refused, so that the core ran them */
} ff_ensemble_info;

/* Functions that every engine's ensembles have: the first member of each interface. */
typedef struct {
  /* Frees an ensemble. Accepts NULL and an ensemble that is not ready yet. */
  void (*destroy)(ff_ensemble *ensemble);
  /* Waits for about `seconds` at most until the ensemble is ready for use; code may take some time to compile. *is becomes 1
   * when it is ready. Before that, only destroy(), ready(), and info() for the kernel may be called. A failure is final: every
   * later call returns it again. */
  ff_status (*ready)(ff_ensemble *ensemble, double seconds, int *is, ff_error *err);
  /* Puts units `first` ... first + units - 1 at step 0 with counts of 0. `units` is at most the `capacity` that info()
   * reports. */
  ff_status (*start)(ff_ensemble *ensemble, uint64_t key, uint64_t first, uint64_t units, ff_error *err);
  ff_ensemble_info (*info)(const ff_ensemble *ensemble);
} ff_ensemble_calls;

typedef struct {
  uint32_t abi, size; /* FF_BACKEND_ABI and sizeof(ff_backend); the first three members must stay first */
  const char *build;  /* the result of ff_backend_build() when the backend was built */
  const char *name;
  /* Fills in at most `capacity` devices and sets *n to the number of devices. A missing driver is FF_EBACKEND. */
  ff_status (*devices)(ff_device *out, uint32_t capacity, uint32_t *n, ff_error *err);
  /* The interface of an engine by its name, such as "pbn", valid until the process ends. NULL if the backend has none. */
  const void *(*interface)(const char *engine);
  /* Whether code can be compiled at run time for this device: FF_EUNSUPPORTED, with a clause that says why not. It tries, in
   * about a tenth of a second. */
  ff_status (*compiles)(const ff_device *device, ff_error *err);
} ff_backend;

/* The type of the entry function. */
typedef const ff_backend *(*ff_backend_entry)(void);

/* An open shared object of a backend. The caller owns it, and opens each path once per process. */
typedef struct ff_backend_library ff_backend_library;

/* Opens the shared object `path`. Fails with FF_EBACKEND if it cannot be opened or was built from other headers than this
 * core. Only its entry function is called. The caller frees *out with ff_backend_close(). */
ff_status ff_backend_open(ff_backend_library **out, const char *path, ff_error *err);

/* Frees the handle. Accepts NULL. The shared object itself stays loaded until the process ends, because a driver may keep
 * pointers to its code. */
void ff_backend_close(ff_backend_library *library);

/* The backend's table, valid until the process ends. Fails with FF_EBACKEND in a process that was forked after the library
 * was opened, because a driver does not survive a fork. So it must be called before every use. */
ff_status ff_backend_table(const ff_backend_library *library, const ff_backend **out, ff_error *err);

/* 1 if this process was forked after the library was opened. Then objects that its table created must not even be freed. */
int ff_backend_forked(const ff_backend_library *library);

/* A hash of the headers that the core shares with backends. Core and backend must have been built from the same headers. A
 * constant string. */
const char *ff_backend_build(void);

#endif
