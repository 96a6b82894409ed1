/* What every ensemble on a device has, whatever its engine: the choice of a kernel (a runner), the stages until it is ready, a
 * stream, and the time of launches. In C++: the files of src/cuda/ that nvcc compiles include this.
 *
 * An engine's `struct ff_ensemble` has ff_staged as its first base, so a pointer to one is a pointer to the other. */
#ifndef FF_STAGES_H
#define FF_STAGES_H

#include "../runtime/ff_curand.h"
#include "../runtime/ff_cuda_device.h"

/* A kernel that advances trajectories. Its functions queue their work on the ensemble's stream. They return FF_OK, or another
 * status and fill err. An engine's runners have this as their first base, and a function for launches. */
struct ff_runner {
  const char *kernel; /* its name, valid as long as the process */
  /* Decides whether this runner can run the model. If not, it returns a status and gives the reason. Otherwise it fills e->own,
   * e->resident, e->info, and what its engine wants. If this takes long, it only begins, and ready() goes on. After any status
   * but FF_OK the next runner is asked. */
  ff_status (*prepare)(ff_ensemble *e, ff_error *err);
  /* Continues what prepare() began, for about `seconds` at most. *is becomes 1 once all is done. NULL if prepare() does
   * everything. */
  ff_status (*ready)(ff_ensemble *e, double seconds, int *is, ff_error *err);
  /* Frees e->own and all that it holds. */
  void (*release)(ff_ensemble *e);
};

/* If a runner refuses, the stage is FF_STAGE_CHOOSE again. The last two stages are final. */
enum ff_stage {
  FF_STAGE_CHOOSE,   /* asks the next runner */
  FF_STAGE_PREPARE,  /* the runner prepares, which may take long */
  FF_STAGE_ALLOCATE, /* the runner is prepared; the memory of a wave is allocated next */
  FF_STAGE_RUNS,
  FF_STAGE_FAILED
};

/* What stages want of an ensemble's kind. */
struct ff_staged_kind {
  ff_status (*allocate)(ff_ensemble *e, ff_error *err); /* the device memory of a wave; the runner is ready */
  void (*refused)(ff_ensemble *e); /* NULL, or undoes what a runner that refuses may have set, besides e->own */
  void (*give_back)(ff_ensemble *e); /* frees device memory: all that the runner does not own */
};

#define FF_MOST_RUNNERS 4
struct ff_staged {
  const ff_staged_kind *kind;
  const ff_runner *runner, *runners[FF_MOST_RUNNERS]; /* in use; the candidates in the order in which they are asked */
  int n_runners, tried;
  ff_stage stage;
  ff_error refused;            /* why the previous runners refused, or why no runner is left */
  ff_ensemble_options options; /* `like` is valid only while the ensemble is created */
  char *cache, *kernel;        /* copies, to which the options point once ff_stages_open() was called */
  ff_ensemble_info info;
  cudaStream_t stream;
  cudaEvent_t begin, end;      /* of a launch */
  struct cudaDeviceProp device;
  void *own;                   /* the runner's own data */
  uint64_t resident;           /* units that the device can run at the same time: of whole blocks */
  uint64_t capacity;           /* units of a wave */
};

/* Creates the ensemble's stream, and asks runners until one begins to prepare. The caller has set `kind`, `options` and the
 * candidates; `none` is the error if there are none. If all refuse, the status is that of the last one, with the reasons of all.
 * The caller calls ff_stages_close() in any case. */
ff_status ff_stages_open(ff_staged *s, const ff_error *none, ff_error *err);
/* As ff_ensemble_calls's ready(). The ensemble's device is the current one. */
ff_status ff_stages_ready(ff_staged *s, double seconds, int *is, ff_error *err);
/* Waits for the device, and frees all but the struct itself. */
void ff_stages_close(ff_staged *s);

/* Adds a candidate, the last one to be asked. At most FF_MOST_RUNNERS are kept. */
void ff_stages_offer(ff_staged *s, const ff_runner *runner);
/* Whether a kernel has this name. */
int ff_runner_is(const ff_runner *runner, const char *name);
/* The kernel of another device, which this ensemble shall use too if possible; or NULL. Only while the ensemble is created. */
const char *ff_stages_like(const ff_staged *s);

/* Waits until all work queued on the ensemble's stream is done. FF_EBACKEND if it failed; `doing` names the work in the error. */
ff_status ff_stages_wait(ff_staged *s, const char *doing, ff_error *err);

/* A launch whose time is measured is queued between these two. ff_launch_lasted() waits for it and for all that was queued behind
 * it, and adds its time to s->info. */
ff_status ff_launch_begin(ff_staged *s, ff_error *err);
ff_status ff_launch_end(ff_staged *s, ff_error *err);
ff_status ff_launch_lasted(ff_staged *s, const char *doing, double *seconds, ff_error *err);
/* The seconds that a launch shall take, if the caller gives `seconds` and `left` of these are left. */
double ff_launch_share(double seconds, double left);

/* Returns what a call returns that is made with the ensemble's device as the thread's current one. */
#define FF_ON_DEVICE(s, call, err)                                               \
  do {                                                                           \
    ff_cuda_guard guard;                                                         \
    ff_status status = ff_cuda_enter(&guard, (s)->options.device, err);          \
    if (status == FF_OK) status = call;                                          \
    ff_cuda_leave(&guard);                                                       \
    return status;                                                               \
  } while (0)

#endif
