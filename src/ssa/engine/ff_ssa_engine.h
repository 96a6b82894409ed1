/* Engines: what simulates one or several trajectories at a time, each in a lane. */
#ifndef FF_SSA_ENGINE_H
#define FF_SSA_ENGINE_H

#include "../program/ff_ssa_options.h"
#include "../path/ff_ssa_path.h"

#define FF_SSA_MAX_LANES 64

typedef struct ff_ssa_engine ff_ssa_engine;

/* A member of each engine's own struct, as its first. Until its next event, a lane has the state of `count`. */
struct ff_ssa_engine {
  uint32_t lanes;    /* at most FF_SSA_MAX_LANES */
  size_t stride;
  double *count;     /* of species s in lane l: count[s * stride + l] */
  double *next_time; /* for each lane: of its next event; infinity if there is none */
  double *wanted;    /* for each lane: the next time at which the state is wanted; infinity if it is idle */
  uint64_t broken;   /* a bit for each lane with a failure */
  int halfway;          /* of an engine with one lane: whether a step is incomplete; the state is then not that of any time */
  const int *reached;   /* of an engine that looks at the condition of the options itself: whether it holds; else NULL */
  const uint32_t *next; /* of an engine with one lane: the reaction that fires at next_time; NULL if it is not known */

  /* start() lets a lane begin a trajectory at time 0; the next step finds its first event. rest() makes the lane idle. */
  void (*start)(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted);
  void (*rest)(ff_ssa_engine *engine, uint32_t lane);
  /* Lets events happen until a lane has something to report, or `steps` times; *steps becomes what is left. It is 0 if a step is
   * left halfway. Returns a bit for each lane that has passed its wanted time or is broken. */
  uint64_t (*advance)(ff_ssa_engine *engine, uint32_t *steps);
  uint64_t (*events)(const ff_ssa_engine *engine, uint32_t lane); /* of its trajectory so far */
  void (*diagnose)(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out);
  void (*free)(ff_ssa_engine *engine); /* accepts NULL */
};

/* The engine for one trajectory after the other, which serves all exact methods (ff_ssa_engine_path.c). */
ff_status ff_ssa_engine_path(ff_ssa_engine **out, const ff_ssa_program *program, const ff_ssa_finder *finder,
                             const double *initial, uint64_t key, ff_error *err);

#endif
