/* What the inner loops read and write. Rows have a number for each lane. */
#ifndef FF_PETRI_LANES_INTERNAL_H
#define FF_PETRI_LANES_INTERNAL_H

#include "../../ode/ff_ode_explicit_math.h"
#include "../path/ff_petri_hazard_math.h"
#include "ff_petri_lanes.h"

/* A formula of rows. */
typedef struct {
  uint8_t simple; /* an ff_petri_simple */
  uint32_t symbol;
  double number;
  ff_formula formula;
} ff_petri_lanes_term;

/* What a flow does to a level: by `by` times its rate, or by a weight, which is a formula. */
typedef struct {
  uint32_t level;
  double by;
  const ff_petri_lanes_term *weight;
} ff_petri_lanes_arc;

typedef struct {
  ff_petri_lanes_term rate;
  uint32_t first, end; /* its arcs */
} ff_petri_lanes_flow;

/* A variable of levels or the time, which becomes a row. */
typedef struct {
  uint32_t row;
  ff_petri_lanes_term value;
} ff_petri_lanes_variable;

/* A profile, whose symbols are what it reads. */
typedef struct {
  const ff_petri_profile *profile;
  uint32_t number, cell; /* the only cell with it, or FF_PETRI_MANY_CELLS */
  uint32_t *read;        /* for each symbol: a row */
} ff_petri_lanes_profile;

typedef struct {
  void (*attempt)(ff_petri_lanes *x); /* all stages of a step, its errors, and their roots */
  void (*profiles)(ff_petri_lanes *x); /* then what is known of profiles in these steps */
} ff_petri_lanes_kernel;

struct ff_petri_lanes {
  const ff_petri_program *program;
  const ff_petri_lanes_kernel *kernel;
  uint32_t n_levels, n_rows, n_flows, n_arcs, n_weights, n_variables, n_profiles;
  uint32_t *value_row; /* while it is made: 1 + the row of each value, or 0 */
  uint32_t *row_value; /* of each row; levels are first */
  uint32_t time_row;   /* or FF_PETRI_NO_ROW */
  ff_petri_lanes_flow *flow;
  ff_petri_lanes_arc *arc;
  ff_petri_lanes_term *weight;
  ff_petri_lanes_variable *variable;
  ff_petri_lanes_profile *profile;
  double size;         /* of levels, for errors */

  double *memory;
  double *row, *start, *k[FF_ODE_EXPLICIT_STAGES], *at, *end, *error; /* rows of levels, but `row` */
  double *from, *h, *zero, *worst, *root, *speed; /* zero: the time at the start of a trajectory */
  double *bad;         /* 1 in lanes with a slope that is not finite */
  double *stack, *rate, *factor; /* rate and factor: of a flow */
  double *dense;       /* FF_ODE_DENSE rows for each level */
  double *read;        /* of a profile: FF_PETRI_POINTS rows for each symbol */
  double *tried;       /* of each profile: FF_PETRI_TRIED rows, as an ff_petri_tried */
};

#define FF_PETRI_MANY_CELLS UINT32_MAX
enum { FF_PETRI_TRIED = FF_PETRI_DEGREE + 4 };

#define FF_PETRI_NO_ROW UINT32_MAX

extern const ff_petri_lanes_kernel ff_petri_lanes_all_portable, ff_petri_lanes_all_avx2, ff_petri_lanes_all_avx512;

#endif
