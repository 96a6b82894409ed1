/* One trajectory of a Petri net, step by step. A step is a firing; an event; a crossing, where a switch changes; or the end of a
 * segment. Times are those since the start.
 *
 * Time goes on in segments. In a segment, levels follow the dense output of one step of the solver, or nothing moves ("flat"). A
 * segment ends with the solver's step, at a crossing, or where a firing changes what flows read (it "stirs").
 *
 * Each group of stochastic transitions has a threshold, which is exponentially distributed with mean 1. The group fires when the
 * integral of its hazard reaches the threshold. Its next firing is found once for the rest of a segment, and kept. It is found
 * anew only when a coefficient of the group changes, or in another segment. */
#ifndef FF_PETRI_PATH_H
#define FF_PETRI_PATH_H

#include "../../ensemble/ff_lanes.h"
#include "../../ode/ff_ode.h"
#include "../program/ff_petri_program.h"
#include "../within/ff_petri_crossing.h"
#include "../within/ff_petri_due.h"
#include "../within/ff_petri_span_math.h"
#include "ff_petri_hazard_math.h"
#include "ff_petri_segment_math.h"

/* Why a trajectory has failed. `item` is a transition (its number in the net), a place, or nothing. */
typedef enum {
  FF_PETRI_FINE,
  FF_PETRI_BAD_HAZARD,   /* item: a transition; value: its hazard, which is negative or not finite */
  FF_PETRI_BAD_FLOW,     /* item: a transition; value: its rate, which is not finite */
  FF_PETRI_BAD_WEIGHT,   /* item: an immediate transition; value: its weight, which is not finite */
  FF_PETRI_BAD_DELAY,    /* item: a transition; value: its delay, which is negative or not a number */
  FF_PETRI_BAD_STEP,     /* flows cannot be integrated; item: a place, the worst one; value: the length of the step */
  FF_PETRI_BAD_INTEGRAL, /* item: a transition whose hazard cannot be integrated */
  FF_PETRI_BAD_COUNT,    /* item: a place; value: its count, above 2^53 */
  FF_PETRI_BAD_CHANGE,   /* item: a place; value: what it would become, which is no count; symbol: the transition */
  FF_PETRI_BAD_LEVEL,    /* item: a place; value: its level, which is negative */
  FF_PETRI_ENDLESS,      /* item, symbol: two transitions that fire at one instant without end */
  FF_PETRI_PILED,        /* crossings pile up; item: the level of the last one */
  FF_PETRI_BAD_SET,         /* item: an event; value: what it sets; symbol: the value of the program that it would become */
  FF_PETRI_BAD_EVENT_DELAY, /* item: an event; value: its delay, which is negative or not finite */
  FF_PETRI_BAD_PRIORITY,    /* item: an event, whose priority is NaN */
  FF_PETRI_ENDLESS_EVENTS,  /* item: an event that is next at one instant, after too many */
  FF_PETRI_TOO_MANY_EVENTS, /* item: an event, for which too many wait already */
  FF_PETRI_BAD_WINDOW,   /* value: the length of a window, which cannot be made shorter (petri/windows/) */
  FF_PETRI_NO_MEMORY
} ff_petri_failure_kind;

#define FF_PETRI_OF_UNTIL UINT32_MAX
#define FF_PETRI_OF_WATCHED (UINT32_MAX - 1)

#define FF_PETRI_MOST_PIECES 4096u     /* of a profile in a segment */
#define FF_PETRI_MANY_PIECES 128u      /* with more of them, the next segment is shorter */

typedef enum {
  FF_PETRI_BEGINS,     /* the trajectory has not begun */
  FF_PETRI_FIRES,      /* a transition fires */
  FF_PETRI_HAPPENS,    /* an event sets places and parameters */
  FF_PETRI_CROSSES_OVER, /* switches change */
  FF_PETRI_PASSES      /* nothing happens: a segment ends, or a clock was due in vain */
} ff_petri_event;

/* A profile in the whole of a segment. */
typedef struct {
  ff_petri_tried whole;
  ff_petri_span span; /* of the profile, from quick bounds; NaN if there are none */
  uint8_t known;
} ff_petri_whole;

/* A profile in the present segment. */
typedef struct {
  uint64_t segment;     /* the one for which it was integrated */
  uint32_t first, n;    /* its pieces */
  double low, high;     /* the least and the largest value that was computed */
  double error, allowed; /* of the integral, in units of the segment's length; and the size of hazards for which it was made */
  double valid, wrong;   /* the part up to which it is valid, and a value there that is not */
  double whole;          /* the integral, if it is valid all over the segment */
} ff_petri_curved;

/* Peaks between the nodes at which formulas are evaluated: see ff_petri_peak.c. */
typedef struct {
  ff_petri_member *flow; /* whose rates may have narrow peaks */
  ff_formula *single;    /* by law: the rate of a single transition, whose symbol k is row[k] as in families */
  uint8_t *quick;        /* by law: whether there are quick bounds */
  uint32_t n_flows, *moving, n_moving; /* and variables in flows */
  uint64_t plain_of;     /* for this segment, the caller has found that no rate has a peak */
  uint32_t most;         /* pieces of a profile in the segment, the largest number */
  const double **curve;  /* room for the symbols of a formula */
  double *value, *at, time[FF_ODE_DENSE];
  uint32_t *symbol;
  ff_petri_bound *bound;
  ff_petri_span *span;
  ff_petri_step step;
} ff_petri_peaks;

/* Algorithm 1: see ff_petri_paper.c. */
typedef struct {
  double *state;        /* the levels, and then the integral of all hazards since the last firing. NULL for other methods */
  size_t *column_first; /* where derivatives are not 0, as in ff_ode.h, or NULL */
  uint32_t *column_row;
  uint32_t wrong_cell;  /* 1 + the cell whose hazard is negative or not finite */
  double wrong;         /* its profile there */
} ff_petri_paper;

/* What a block of a larger net knows of the rest. All zero for a net of its own. Borrowed. */
typedef struct {
  /* Sets value[g * n + k] to given place g at time t[k]. The n times ascend, and are in a step that begins at `from`. At this
   * time itself, the value is that from then on. */
  void (*set)(void *of, double from, const double *t, uint32_t n, double *value);
  /* Where a step of length h from `from` to `to` has to end so that the solver sees given places as they are: in ]from, to]. */
  double (*see)(void *of, double from, double to, double h);
  const double *added; /* for each given place: what is added to it at the stages within an explicit step that `see` has seen */
  void *of;
  const double *stop;     /* ascending times at which given places may have a bend: segments end there. At the last one at the
                           * latest, the trajectory is left */
  uint32_t n_stops;
  const uint32_t *group;  /* for each group the number that its draws are addressed by; NULL: its own */
  uint32_t choice, order; /* the blocks of draws for immediate transitions, and of the first one for batches */
} ff_petri_around;

/* Events that have been triggered and wait, each in a row. */
typedef struct {
  ff_petri_due due;  /* by row */
  uint32_t *event;   /* of each row */
  uint64_t *serial;  /* of each row: the number of its trigger */
  double *value;     /* of each row: most_sets values, which are set */
  uint32_t *unused;  /* rows */
  uint32_t n_unused, room, chosen; /* chosen: the row that happens next */
  uint64_t last, ties; /* triggers, and random choices, so far */
} ff_petri_waits;

typedef struct {
  const ff_petri_program *program;
  ff_petri_around around;
  uint32_t at_stop;
  const double *initial; /* places at the start, in their own order */
  double start;          /* the time at the start */
  uint64_t key, unit;
  ff_failure failure;

  double now, next_time; /* of the last step and of the next one */
  ff_petri_event event;  /* the next step */
  ff_petri_member fires; /* the transition that fires then, and its number */
  uint32_t next, before; /* before: the one that fired last */
  uint64_t firings;      /* so far */
  uint32_t at_once, crossings;
  double crossings_since;

  double *value;         /* see ff_petri_program.h; levels are scratch unless `own` */
  int own;               /* whether value[] has the levels at `now` */
  ff_ode *ode;           /* NULL without equations */
  uint32_t n_equations;  /* of the levels, and what Algorithm 1 adds */
  ff_petri_paper paper;
  ff_petri_peaks peaks;
  double *size;
  uint8_t *may_fall; /* below 0, within a step: levels whose flows stop when they are found to be empty */
  double *doubt, *shown; /* of levels: by how much they may be below 0 by errors; and the state that is shown */
  uint32_t wrong_flow;   /* 1 + the flow whose rate is not finite */
  double wrong_rate;

  /* The segment. */
  uint64_t segment;
  int flat, stirred, crossing; /* crossing: it ends with a crossing */
  double from, to, length;     /* length: to - from */
  double limit;                /* where it ends: to, or at the crossing */
  double reach;                /* the longest that the next one may be */
  double part;                 /* of the solver's step: the segment's length */
  int together, paused;         /* whether the caller makes the solver's steps; whether one is due, until `most` at the latest */
  double most;
  double horizon;              /* whether nothing that happens until then need be told by a step */
  uint8_t may_pass;            /* whether there is nothing but groups and flows */

  /* Groups. */
  double *left, *since;  /* what is left of a threshold at this time */
  double *choice;        /* of the next firing: chooses the transition */
  double *whole;         /* the integral of a hazard over the segment, if it is known, in units of its length; or -1 */
  double *weight;        /* of each cell, when a transition is chosen */
  double *rate;          /* the hazard of a group that does not vary in the segment */
  uint8_t *varies;
  uint64_t *fired;       /* firings of each group */
  ff_petri_due candidates;
  double *coefficient;   /* of each stochastic transition */
  double *sum, *low, *high; /* of each cell: of its coefficients */
  uint32_t *moving_group, n_moving_groups; /* groups with other profiles than 1 */
  uint8_t *is_moving_group;
  uint8_t *group_stirs;  /* whether some of its firings may change a flow (1), or all of them (2) */
  uint8_t *stirs;        /* of each value: as those of the program, and 1 if `until` reads it and moves */
  ff_petri_curved *curved;
  ff_petri_part *piece;
  size_t n_pieces, pieces_room;
  ff_petri_whole *tried;    /* of each profile: what a caller has computed */
  uint64_t tried_of;        /* for this segment */

  /* What changes. */
  uint32_t *dirty_derived, *dirty_cell, *dirty_group, n_dirty_derived, n_dirty_cells, n_dirty_groups;
  ff_petri_member *dirty;
  size_t n_dirty;
  uint8_t *is_dirty_derived, *is_dirty_cell, *is_dirty_group, *is_dirty; /* is_dirty: by number of the transition */

  /* Immediate and timed transitions. */
  uint64_t *enabled; /* a bit for each immediate one */
  uint8_t *is_enabled_timed, *in_batch;
  uint32_t n_enabled;
  uint64_t choices, batches;
  ff_petri_due due;
  double *times; /* how often a scheduled one was due */
  uint32_t *batch, n_batch, n_takers, at_batch;

  /* Events: ff_petri_event.c. */
  uint8_t *truth, *is_dirty_event; /* of each trigger */
  uint32_t *dirty_event, n_dirty_events;
  ff_petri_waits waits;

  /* Switches. */
  ff_petri_conditions conditions;
  ff_petri_threshold *threshold;
  ff_petri_formula *formula;
  uint32_t *condition_derived; /* of each condition, or FF_PETRI_OF_UNTIL, FF_PETRI_OF_WATCHED */
  uint32_t *condition_of;      /* of each derived formula that is a switch */
  uint8_t *negated;            /* of each threshold */
  double *condition_value;
  ff_petri_change *change;
  uint32_t n_changes;
  const double **curve;        /* of all symbols of formulas */
  double *symbol;
  ff_petri_bound *bound;

  /* Empty levels, ascending: see ff_petri_share.h. */
  uint32_t *empty, n_empty;
  uint32_t leaves;       /* the level that is no longer empty at the crossing, or FF_PETRI_NOT_DUE */
  double *share, *factor, *flow_rate, *arc_by, *taker_by, *looked, *excess;

  /* Of a block: the effects of flows that are no multiples of a value, and their levels. */
  double *single;
  uint32_t *single_level, n_single;

  /* A condition that ends the trajectory. */
  ff_petri_plain until;
  int looks, reached;
  uint8_t timed, timed_still; /* whether anything depends on the time; and anything but flows */

  double *gathered, *stack, *delta;
} ff_petri_path;

/* ---- making and freeing: ff_petri_path.c -------------------------------------------------------------------------------- */

/* Makes *path, which must be filled with 0 before. `until` may be NULL; it is a function of places, and is copied. The caller
 * frees the contents of *path with ff_petri_path_free(), also after a failure. O(size of the program). */
ff_status ff_petri_path_new(ff_petri_path *path, const ff_petri_program *program, const ff_formula *until, ff_error *err);
void ff_petri_path_free(ff_petri_path *path);

/* Lets a trajectory begin: the next step makes the state at the start. `initial` is read then. O(1). */
void ff_petri_path_start(ff_petri_path *path, uint64_t key, uint64_t unit, const double *initial, double start);

/* Makes the next step and finds the one after it. */
void ff_petri_path_step(ff_petri_path *path);

/* With path->together, a step may end where the solver must make a step. Then path->paused is 1, and the next step of the path
 * is not known. The caller lets path->ode make its step, up to path->most, and tells the outcome. */
void ff_petri_path_go_on(ff_petri_path *path, ff_ode_outcome outcome);

/* Most of the solver's steps pass without a firing. Whether this may be said of a step that was made, if no group fires: it ends
 * before path->horizon, and nothing else can happen in it. O(1). */
int ff_petri_path_may_pass(const ff_petri_path *path);

/* To be called instead of ff_petri_path_go_on(), if no group fires in the step. path->whole[] has the integrals of the hazards of
 * all groups that are listed in path->dirty_group[], in units of the step's length. None of them reaches its threshold, and all
 * are as precise as they must be. The next segment begins, as if the path had made its own steps. O(groups). */
void ff_petri_path_pass(ff_petri_path *path);

/* Sets count[k * stride] to the marking of place k, and after the places to settable parameter k - n_places, at time t, which is
 * from `now` on and before next_time. A level that errors have brought below 0 is 0, if flows would leave it there. O(places).
 */
void ff_petri_path_show(ff_petri_path *path, double t, double *count, size_t stride);

/* ---- trajectories in parts: ff_petri_state.c ---------------------------------------------------------------------------- */

/* A trajectory may be left at a time and resumed from there, also by another path of the same program. A state has this many
 * bytes, and is aligned as a double. O(1). */
size_t ff_petri_path_state_size(const ff_petri_program *program);

/* The path gets the state at the start, after ff_petri_path_start(), before anything happens, and `state` as well, unless it is
 * NULL. Returns the sum of all hazards then. O(size of the program). */
double ff_petri_path_open(ff_petri_path *path, void *state);

/* What a state has besides values, groups and cells. */
typedef struct {
  ff_ode_pace pace;
  double reach;
} ff_petri_kept;

/* That of the path. O(1). */
ff_petri_kept ff_petri_path_kept(const ff_petri_path *path);

/* After ff_petri_path_open(), for a path that must then be resumed or opened again: the slopes of levels, where no place counts
 * as empty. Returns 0 if a rate is not finite. O(flows). */
int ff_petri_path_slopes(ff_petri_path *path, double *slope);

/* The same for how fast levels follow given ones: the largest sum of the derivatives of a slope by given levels, computed as
 * differences. O(given levels * flows). */
double ff_petri_path_coupling(ff_petri_path *path);

/* Goes on from a state at time t, as ff_petri_path_step() does after a step; ff_petri_path_start() came before. O(values +
 * groups + hazards). */
void ff_petri_path_resume(ff_petri_path *path, const void *state, double t);

/* Leaves the trajectory at time t, from `now` on and at most next_time; what is due then has not happened. O(the same). */
void ff_petri_path_leave(ff_petri_path *path, void *state, double t);

/* ---- failures: ff_petri_touch.c ----------------------------------------------------------------------------------------- */

/* The first failure counts. */
void ff_petri_path_fail(ff_petri_path *path, ff_petri_failure_kind what, uint32_t item, double value, uint32_t symbol);

#endif
