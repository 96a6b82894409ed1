/* Backends: what runs tiles of a program elsewhere than on this processor. Stands on base/ and pbn/.
 *
 * A backend is a table of functions in a shared object of its own, opened at run time (ff_backend_open), so that the package
 * installs and works without it. The table grows only at its end. What a backend answers are the same integers, to the last
 * bit, as tiles on this processor would give (ff_engine.h), whatever the device and however many of them.
 *
 * An ensemble is a wave of tiles on one device that advance together: once it is ready, start, steps, half, steps, tally; then
 * the next wave.
 * Calls on one ensemble come from one thread at a time; ensembles on different devices may work at the same time.
 */
#ifndef FF_BACKEND_H
#define FF_BACKEND_H

#include "../pbn/ff_engine.h"

#define FF_BACKEND_ABI 4
#define FF_BACKEND_ENTRY "fireflip_backend" /* the one symbol that a backend's shared object exports */

typedef struct {
  char name[128];
  uint64_t memory;              /* bytes */
  uint32_t major, minor;        /* compute capability */
  uint32_t processors;          /* multiprocessors */
  int usable;
  char why_not[256]; /* empty where usable */
} ff_device;

typedef struct ff_ensemble ff_ensemble;

/* The kernel that runs a program: chosen by the backend from program and device, or asked for. */
typedef enum { FF_KERNEL_AUTO, FF_KERNEL_GENERATED, FF_KERNEL_INTERPRETER, FF_KERNEL_TABLE } ff_kernel;

typedef struct {
  uint32_t device;
  ff_kernel kernel;
  ff_kernel like;            /* with AUTO: what another device took for the same run, to be taken here too where that can be */
  uint64_t tiles;            /* that the caller will run in all, so that no more memory is taken than these need; 0: unknown */
  uint64_t steps;            /* that each of them will take, so that no more time goes into code than it saves; 0: unknown */
  const char *cache;         /* folder for compiled code; NULL: compiled anew in every process. Read by ensemble_new alone */
  int unsplit;               /* 1: the table kernel leaves its tables in global memory, to measure what arranging them gives */
} ff_ensemble_options;

typedef struct {
  ff_kernel kernel;
  uint64_t capacity;      /* tiles in a wave */
  uint64_t bytes;         /* device memory taken */
  uint32_t threads;       /* of a block */
  uint32_t blocks;        /* resident on a multiprocessor */
  uint32_t registers;     /* of a thread */
  uint32_t shared_bytes;  /* of a block */
  double device_seconds;  /* that its kernels have run so far */
  char reason[256];       /* why this kernel, a clause */
} ff_ensemble_info;

/* Sums over trajectories as integers, in the layout of ff_tally (estimate/ff_estimate.h): per term five words, then per
 * observable five 128-bit sums. */
typedef struct {
  uint32_t n, n_terms;
  const uint32_t *first;   /* n + 1: an observable's terms */
  const uint32_t *weights; /* per term, in units of 2^-20 */
  const uint32_t *at;      /* per term: what the program counts for it, or FF_SUMS_0/1; NULL: the terms in their order */
  const uint8_t *sets;     /* per observable: 1 for a state set, whose changes count */
  uint64_t half[2];        /* counted steps of a trajectory */
  uint64_t *words;
} ff_sums;
#define FF_SUMS_0 (UINT32_MAX - 1) /* a term that never holds ... */
#define FF_SUMS_1 UINT32_MAX       /* ... and one that always does */

typedef struct {
  uint32_t abi, size; /* FF_BACKEND_ABI, sizeof(ff_backend) */
  const char *name;
  /* Fills at most `capacity` devices and tells how many there are; a missing driver is FF_EBACKEND. */
  ff_status (*devices)(ff_device *out, uint32_t capacity, uint32_t *n, ff_error *err);
  /* Borrows the program. FF_EBACKEND for what the device refuses, FF_EMEMORY where not even one tile fits; both may come from
   * ready() as well, without which nothing else may be asked of it. */
  ff_status (*ensemble_new)(ff_ensemble **out, const ff_program *program, const ff_ensemble_options *options, ff_error *err);
  void (*ensemble_free)(ff_ensemble *ensemble);
  ff_ensemble_info (*ensemble_info)(const ff_ensemble *ensemble);
  /* Tiles `unit` ... unit + tiles - 1 (at most `capacity`) at step 0, nothing counted. */
  ff_status (*start)(ff_ensemble *ensemble, uint64_t key, uint64_t unit, uint64_t tiles, ff_error *err);
  /* Runs steps of all tiles, counted or not, for about `seconds`; *done are the steps run, at least 1. */
  ff_status (*steps)(ff_ensemble *ensemble, uint64_t steps, int count, double seconds, uint64_t *done, ff_error *err);
  /* Half time: what has been counted is the first half. */
  ff_status (*half)(ff_ensemble *ensemble, ff_error *err);
  /* Adds the wave's counts to sums->words, and counting starts anew from the present state. */
  ff_status (*tally)(ff_ensemble *ensemble, const ff_sums *sums, ff_error *err);
  /* The state as 1,024-bit rows (n_nodes x 16 words) of tile `tile` of the wave: for tests. */
  ff_status (*state)(ff_ensemble *ensemble, uint64_t tile, uint64_t *rows, ff_error *err);
  /* Waits for about `seconds` at most until all that ensemble_new began is done, and *is becomes 1: code may take a while to
   * compile. It can be freed before. */
  ff_status (*ready)(ff_ensemble *ensemble, double seconds, int *is, ff_error *err);
  /* What the program's first n terms were at the last counted step in trajectories 0 to 63 of tile `tile` of the wave: a word each. */
  ff_status (*terms)(ff_ensemble *ensemble, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err);
} ff_backend;

/* What the entry is: the table, or NULL where it was built for another core. `program_bytes` is sizeof(ff_program). */
typedef const ff_backend *(*ff_backend_entry)(uint32_t abi, size_t program_bytes);

/* A backend's shared object, opened; the caller owns it and keeps one for a path and process. */
typedef struct ff_backend_library ff_backend_library;

/* FF_EBACKEND where it cannot be opened or was built for another core. Of its code only the entry runs. */
ff_status ff_backend_open(ff_backend_library **out, const char *path, ff_error *err);

/* Gives the handle back. The shared object itself stays loaded as long as the process: a driver may hold on to its code. */
void ff_backend_close(ff_backend_library *library);

/* Its table, valid as long as the process. FF_EBACKEND in a process forked after it was opened, since a driver does not survive
 * that: ask before every use. */
ff_status ff_backend_table(const ff_backend_library *library, const ff_backend **out, ff_error *err);

/* Whether this process was forked after it was opened: then what its table made must not even be freed. */
int ff_backend_forked(const ff_backend_library *library);

#endif
