/* What a trajectory keeps about the events of the network, and about rates that depend on the time. */
#ifndef FF_SSA_SCHEDULE_H
#define FF_SSA_SCHEDULE_H

#include "../../model/ff_formula_change.h"
#include "../path/ff_ssa_path.h"
#include "ff_ssa_schedule_rules.h"

/* An event that will happen. */
typedef struct {
  double time;
  uint64_t serial; /* in the order in which triggers became true */
  uint32_t event, row; /* its values are in this row */
} ff_ssa_due;

typedef struct {
  ff_ssa_due *item;
  size_t n, room;
} ff_ssa_due_list;

typedef struct ff_ssa_schedule {
  uint8_t *truth;  /* for each event of the network: that of its trigger */
  uint8_t *fresh;  /* for each event of the network: whether what its trigger reads has changed, and it must be looked at */
  uint8_t *timed;  /* for each event of the network: 1 if its trigger depends on the time alone, 2 if on the state too; else 0 */
  double *change;  /* for each event with timed = 1: its trigger does not change before this time */
  double *zone;    /* for each event with timed = 1 or 2: the time since which rounding errors decide, so that its trigger keeps
                    * its truth; below 0 if they do not decide */
  uint8_t *doubt;  /* for each event: whether the opposite truth was computed since then */
  uint32_t *watched; /* the events whose triggers depend on the time */
  uint32_t n_watched;
  ff_ssa_due_list later; /* a heap: the earliest comes first */
  ff_ssa_due_list now;   /* those whose time has come, in the order in which this was found */
  double *values;        /* rows of program->most_sets */
  uint32_t *unused;      /* rows without an event */
  size_t values_room, unused_room, n_rows, n_unused;
  uint64_t serial;
  uint32_t ties; /* random choices among events at the present time */
  uint32_t happened;     /* events at the present time */
  double event_time;     /* when a trigger may change or an event happens, if this is before the next firing */

  double *bound;       /* for each reaction whose propensity depends on the time: that at the beginning of the window */
  int opened;          /* whether the window has just begun, so that these bounds hold */
  uint32_t *reactions; /* those whose propensities depend on the time */
  uint32_t n_reactions;
  double firing;       /* when a reaction may fire next */
  double from, until;  /* the window in which the bounds of the propensities hold */
  double width;        /* of the window */
  uint32_t rejected;   /* how often no reaction fired in this window */
  int unbounded;       /* whether a propensity has no finite bound in this window */
  int cut;             /* whether this window ends where a search for invalid rates has given up */
} ff_ssa_schedule;

/* ---- events of the network (ff_ssa_due.c) -------------------------------------------------------------------------------- */

/* Forgets what will happen: a trajectory begins. */
void ff_ssa_due_start(ff_ssa_path *path);
/* Lets all events happen that are due now, and those that follow from them at the same time. Returns how many there were. If
 * there are many, the step is left halfway, and ff_ssa_due_go_on() continues it. */
uint32_t ff_ssa_due_happen(ff_ssa_path *path);
uint32_t ff_ssa_due_go_on(ff_ssa_path *path);
/* Looks at the triggers that read a species that path->next changes. Returns whether one of them has changed. */
int ff_ssa_due_watch(ff_ssa_path *path);
/* Sets event_time, if it is at most `limit`; until then, no reaction fires. */
void ff_ssa_due_next(ff_ssa_path *path, double limit);

/* ---- trajectories (ff_ssa_schedule.c) ------------------------------------------------------------------------------------ */

ff_status ff_ssa_schedule_new(ff_ssa_path *path, ff_error *err); /* sets path->schedule */
/* The formulas that a step may evaluate, unless it is left halfway. O(length of the triggers). */
double ff_ssa_schedule_cost(const ff_ssa_program *program);
void ff_ssa_schedule_free(ff_ssa_schedule *schedule);            /* accepts NULL */
/* Begins a trajectory at time 0. Its counts are set. Lets the events of the network happen that are due at time 0. */
void ff_ssa_schedule_start(ff_ssa_path *path);
/* Finds the next event from here, with draws that were not used before. */
void ff_ssa_schedule_resume(ff_ssa_path *path);
void ff_ssa_schedule_step(ff_ssa_path *path);
/* Goes on with events that were left halfway. */
void ff_ssa_schedule_go_on(ff_ssa_path *path);
/* Describes a failure; `number` is that of the trajectory. */
ff_status ff_ssa_schedule_describe(const ff_ssa_program *program, const ff_failure *failure, unsigned long long number,
                                   ff_error *err);

#endif
