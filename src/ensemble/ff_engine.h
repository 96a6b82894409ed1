/* Engines, as ensembles see them: a table of functions that makes trajectories of a model. */
#ifndef FF_ENGINE_H
#define FF_ENGINE_H

#include "ff_device.h"
#include "ff_lanes.h"
#include "ff_run_options.h"

typedef struct ff_engine ff_engine;

/* The model of a run. The engine's open() fills it. A state is a list of items: counts, which can be observed, and other numbers
 * that change. Variables are functions of the items and the time. What it points to is borrowed, but for `own`. */
typedef struct {
  const ff_engine *engine;
  const void *model;
  void *own;                   /* what the engine needs for devices; prepare() makes it, and close() frees it */
  const ff_formula *variables;
  uint32_t n_counts, n_items, n_variables;
  uint32_t depth;              /* of the stack that variables need */
  const uint8_t *real;         /* for each count: 1 if it is a real number; NULL if all are whole */
  double step;                 /* work of a step, as the number of counts that could be added to their sums meanwhile */
  double look;                 /* and of finding the state at a time between two steps */
  const char *counted;         /* what is counted, in the plural */
  int shared;                  /* whether threads of a device share a trajectory: then devices are fast for few of them, too */
} ff_process;

struct ff_engine {
  /* Fills a process with a model that is all 0 otherwise, for these options. Fails if the engine cannot simulate that. Checks
   * the counts at the start, and what only this engine knows of. */
  ff_status (*open)(ff_process *process, const ff_run_options *options, ff_error *err);
  void (*close)(ff_process *process); /* also after a failure */
  /* The counts at the start, if the options give none. They belong to the model. */
  const double *(*initial)(const void *model);
  /* Makes lanes for about so many trajectories, all of them idle. They read `initial` whenever a trajectory begins. */
  ff_status (*lanes)(ff_lanes **out, const ff_process *process, const ff_run_options *options, const double *initial,
                     uint64_t trajectories, ff_error *err);
  /* Describes the failure of a lane. `number` is that of its trajectory for users, from 1. */
  void (*describe)(const ff_process *process, const ff_run_options *options, ff_lanes *lanes, uint32_t lane,
                   unsigned long long number, ff_error *out);

  /* Devices. The functions may be NULL if there are none. */
  /* FF_EUNSUPPORTED if no device can do this run; the message is a clause with the reason. */
  ff_status (*check_devices)(const void *model, const ff_run_options *options, ff_error *err);
  /* Whether devices can simulate it together with other points of a sweep. */
  int (*shares)(const ff_run_options *options);
  /* Makes what devices need to know of this model, until the deadline. *is becomes 1 when all is made. Points that share an
   * ensemble have that of the first one. May be NULL. */
  ff_status (*prepare)(ff_process *process, const ff_run_options *options, double deadline, int *is, ff_error *err);
  /* Then puts it into a request. May be NULL. */
  void (*request)(const ff_process *process, ff_device_request *request);
};

#endif
