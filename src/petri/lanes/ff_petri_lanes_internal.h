/* What the inner loops read and write. Rows have a number for each lane. */
#ifndef FF_PETRI_LANES_INTERNAL_H
#define FF_PETRI_LANES_INTERNAL_H

#include "../../ode/ff_ode_explicit_math.h"
#include "../path/ff_petri_hazard_math.h"
#include "ff_petri_lanes.h"

/* A formula of rows, without numbers: they are rows, too. */
typedef struct {
  uint8_t simple; /* an ff_petri_simple */
  uint32_t symbol;
  double number;
  ff_formula formula;
} ff_petri_lanes_term;

/* An operand: rows for several points of a step; `next` is the distance to the row for the next point, or 0 if they are equal.
 * */
typedef struct {
  const double *row;
  size_t next;
} ff_petri_lanes_operand;

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

/* A level changes by `by` times a row: see linear_by of ff_petri_program.h. */
typedef struct {
  uint32_t level, row;
  double by;
} ff_petri_lanes_multiple;

/* A variable of levels or the time, which becomes a row. */
typedef struct {
  uint32_t row;
  ff_petri_lanes_term value;
} ff_petri_lanes_variable;

/* Formulas of rows, whose common parts are computed once. An operand is a row, or FF_PETRI_WORD + the number of an earlier
 * word. */
typedef struct {
  uint32_t code, operand[3];
  uint8_t quick; /* whether there are quick bounds */
} ff_petri_lanes_word;

typedef struct {
  ff_petri_lanes_word *word;
  uint32_t n;
  size_t room;
  double *value; /* of each word: FF_PETRI_POINTS rows, or NULL */
  double *span;  /* of each word: two rows */
} ff_petri_lanes_words;

#define FF_PETRI_WORD (UINT32_C(1) << 31)

/* A flow whose rate may have narrow peaks. */
typedef struct {
  uint32_t flow, value; /* value: an operand */
} ff_petri_lanes_narrow;

typedef struct {
  uint32_t value; /* an operand */
  uint32_t number, cell; /* of the profile; the only cell with it, or FF_PETRI_MANY_CELLS */
  uint8_t affine, quick;
} ff_petri_lanes_profile;

typedef struct {
  void (*attempt)(ff_petri_lanes *x); /* all stages of a step, and its errors */
  void (*slopes)(ff_petri_lanes *x);  /* k[0], for the rows and times of step length 0 */
  void (*profiles)(ff_petri_lanes *x); /* after `attempt`: what is known of profiles in these steps */
} ff_petri_lanes_kernel;

struct ff_petri_lanes {
  const ff_petri_program *program;
  const ff_petri_lanes_kernel *kernel;
  uint32_t n_levels, n_rows, n_flows, n_arcs, n_weights, n_multiples, n_variables, n_profiles, n_narrow;
  uint32_t *value_row; /* 1 + the row of each value, or 0 */
  uint32_t *row_value; /* of each row, or FF_PETRI_NO_ROW if it is a number; levels are first */
  double *row_number;  /* that number */
  size_t values_room, numbers_room;
  uint8_t *is_shown;   /* for each level: whether a profile reads it */
  uint32_t time_row;   /* or FF_PETRI_NO_ROW */
  uint32_t n_given;    /* values that the rest of a net gives: see ff_petri_around */
  double *given, *given_at; /* FF_PETRI_GIVEN_STAGES rows for each of them; and room for all at a time */
  ff_petri_lanes_multiple *multiple;
  ff_petri_lanes_flow *flow;
  ff_petri_lanes_arc *arc;
  ff_petri_lanes_term *weight;
  ff_petri_lanes_variable *variable;
  ff_petri_lanes_profile *profile;
  uint32_t *profile_of; /* 1 + the place in `profile` of each profile of the program, or 0 */
  ff_petri_lanes_narrow *narrow;
  ff_petri_lanes_words profiles, rates; /* formulas of `profile` and of `narrow` */
  uint8_t looks_at_rates; /* whether lanes may find that no rate has a narrow peak */
  double size;         /* of levels, for errors */

  double *memory;
  double *row, *start, *k[FF_ODE_EXPLICIT_STAGES], *at, *end, *error; /* rows of levels, but `row` */
  double *from, *h, *zero, *worst, *speed; /* zero: the time at the start of a trajectory */
  double *bad;         /* 1 in lanes with a slope that is not finite */
  double *stack, *rate, *factor; /* rate and factor: of a flow */
  ff_petri_lanes_operand *operand;
  double *dense;       /* FF_ODE_DENSE rows for each level */
  double *point;       /* FF_PETRI_POINTS rows for each level */
  double *wide, *slack, *plain; /* bounds of levels, two rows for each; room; whether no rate has a narrow peak */
  double *span, *spans; /* the same, where levels below 0 count as 0; and room for two operands */
  double *tried;       /* of each profile: FF_PETRI_TRIED rows, as an ff_petri_tried, and an ff_petri_span */
};

#define FF_PETRI_MANY_CELLS UINT32_MAX
enum { FF_PETRI_GIVEN_STAGES = 5 }; /* 1 to 5; stage 6 is at the time of stage 5 */
enum { FF_PETRI_TRIED = FF_PETRI_DEGREE + 6 };

#define FF_PETRI_NO_ROW UINT32_MAX

extern const ff_petri_lanes_kernel ff_petri_lanes_all_portable, ff_petri_lanes_all_avx2, ff_petri_lanes_all_avx512;

#endif
