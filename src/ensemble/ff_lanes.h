/* Lanes: what simulates one or several trajectories at a time, each in a lane. */
#ifndef FF_LANES_H
#define FF_LANES_H

#include <stddef.h>
#include <stdint.h>

#define FF_MAX_LANES 64

/* Why a trajectory has failed: the first failure that was found. */
typedef struct {
  int what;      /* a number of the engine's; 0 is none */
  uint32_t item; /* of what */
  double value, time;
  uint32_t symbol; /* another number of the engine's */
} ff_failure;

typedef struct ff_lanes ff_lanes;

/* A member of each engine's own struct, as its first. After a step, `count` is the state at the time of this step. It is that of
 * the lane until the next step, unless the engine has a show(). */
struct ff_lanes {
  uint32_t lanes;       /* at most FF_MAX_LANES */
  size_t stride;
  double *count;        /* item i of the state in lane l: count[i * stride + l] */
  double *next_time;    /* for each lane: of its next step; infinity if there is none */
  double *wanted;       /* for each lane: the next time at which the state is wanted; infinity if it is idle */
  uint64_t broken;      /* a bit for each lane with a failure */
  int halfway;          /* with one lane: whether a step is incomplete; the state is then not that of any time */
  int looks;            /* whether the lanes look at the options' condition themselves; a step is made where it begins to hold */
  uint64_t reached;     /* if they do: a bit for each lane in whose state after its last step it holds */
  const uint32_t *next; /* with one lane: what fires at next_time; NULL if it is not known */

  /* start() lets a lane begin a trajectory at time 0; the next call of advance() finds its first step. rest() makes the lane
   * idle. */
  void (*start)(ff_lanes *lanes, uint32_t lane, uint64_t unit, double wanted);
  void (*rest)(ff_lanes *lanes, uint32_t lane);
  /* Lets steps happen until a lane has something to report, or `steps` times; *steps becomes what is left. It is 0 if a step is
   * left halfway. Returns a bit for each lane that has passed its wanted time or is broken. */
  uint64_t (*advance)(ff_lanes *lanes, uint32_t *steps);
  uint64_t (*steps)(const ff_lanes *lanes, uint32_t lane); /* of its trajectory so far */
  /* For a state that changes between steps: sets `count` to the state at time t, from that of the last step on and before
   * next_time, which may break the lane. It changes nothing else of a trajectory. With a condition, such lanes look at it
   * themselves. NULL: the state does not change. */
  void (*show)(ff_lanes *lanes, uint32_t lane, double t);
  void (*diagnose)(ff_lanes *lanes, uint32_t lane, ff_failure *out);
  void (*free)(ff_lanes *lanes); /* accepts NULL */
};

#endif
