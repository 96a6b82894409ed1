/* What the files of this folder share. */
#ifndef FF_PETRI_CODE_INTERNAL_H
#define FF_PETRI_CODE_INTERNAL_H

#include "../../../petri/path/ff_petri_threshold.h"
#include "../../formula/ff_formula_writer.h"
#include "ff_petri_code.h"

#define FF_PETRI_CODE_CELLS 32u       /* the most kinds of hazards, */
#define FF_PETRI_CODE_NARROW 16u      /* flows that may have narrow peaks, */
#define FF_PETRI_CODE_PROFILES 16u    /* profiles, of which the first one is 1, */
#define FF_PETRI_CODE_TRANSITIONS 64u /* transitions that fire, each of which has a bit of a mask, */
#define FF_PETRI_CODE_SWITCHES 16u    /* and levels that are compared with numbers */
#define FF_PETRI_CODE_WORDS 4000u     /* of all formulas */
#define FF_PETRI_CODE_STIFF 8u        /* the most levels of a net that has code for implicit steps */
#define FF_PETRI_CODE_NO_DATA UINT32_MAX

/* A switch: the derived value, and the threshold, which may be the contrary. */
typedef struct {
  uint32_t derived;
  ff_petri_threshold threshold;
  uint8_t negated;
} ff_petri_code_switch;

/* Where a thread has a value. */
typedef enum {
  FF_PETRI_IN_LEVELS,
  FF_PETRI_IN_OTHERS, /* it is a level of another block */
  FF_PETRI_IN_COUNTS,
  FF_PETRI_IN_REALS,
  FF_PETRI_IN_DERIVED,
  FF_PETRI_IN_TIME,
  FF_PETRI_IN_TEXT, /* it is a number */
  FF_PETRI_IN_POINT, /* it is a number of the trajectory's point */
  FF_PETRI_NOWHERE
} ff_petri_code_room;

/* A number of the program that differs between points, and which number of a point it is. */
typedef struct {
  const double *at;
  uint32_t number;
} ff_petri_code_datum;

/* Points that share the code. All 0 if the request has none. */
typedef struct {
  const ff_device_point **point;
  uint32_t n;
  double *number;             /* for each point: all numbers of its program, of which there are n_all */
  size_t n_all, factors;      /* factors: the first of those of coefficients */
  ff_petri_code_datum *datum; /* by ascending addresses */
  size_t n_data;
  uint32_t n_numbers;         /* of a point */
  size_t *source, room;       /* for each number of a point: which one of its program it is */
  uint32_t table;       /* where the numbers of tables of coefficients begin, or FF_PETRI_CODE_NO_DATA */
} ff_petri_code_points;

/* A flow whose rate may have narrow peaks. */
typedef struct {
  const ff_petri_law *law;
  uint32_t i;
  int quick;
} ff_petri_code_narrow;

typedef struct {
  const ff_petri_program *p;
  const ff_device_request *request; /* NULL for a block of a large net */
  size_t shared;        /* bytes of shared memory that a block may have */
  int is_block;         /* of a large net, */
  uint32_t near;        /* of whose blocks each has at most so many neighbours */
  ff_petri_code *code;
  ff_petri_plain until; /* the condition that ends trajectories; without words if there is none */
  ff_writer out;
  ff_formula_writer formulas;
  uint8_t *room;        /* of each value, an ff_petri_code_room */
  uint32_t *number;     /* of each value: its number there */
  uint32_t *name;       /* of each value: variable x<name>. Blocks that differ only in given levels have the same names */
  uint8_t *declared;    /* of each value: whether the function that is written has declared it */
  uint32_t n_values;    /* those of the program, and then the numbers of a point */
  ff_formula_word *words; /* room for a formula */
  ff_petri_code_points points;
  int now;              /* whether this function reads levels at the time `now`, else from y[] */
  uint32_t n_counts, n_reals, reads, depth; /* reads, depth: of formulas for slow bounds */
  ff_petri_code_narrow *narrow;
  uint32_t n_narrow;
  ff_petri_code_switch switches[FF_PETRI_CODE_SWITCHES];
  uint32_t n_switches;
  uint64_t reached;     /* bits of groups whose coefficients firings other than stochastic ones may change */
  uint32_t n_kept;      /* coefficients of these groups, */
  uint8_t kept[FF_PETRI_CODE_TRANSITIONS]; /* of each stochastic transition: its number among them */
} ff_petri_coder;

/* The transitions that fire, in the order in which code numbers them: stochastic, immediate, and timed ones. */
static inline uint32_t ff_petri_code_transitions(const ff_petri_program *p) {
  return p->n_stochastic + p->n_immediate + p->n_timed;
}
static inline ff_petri_member ff_petri_code_member(const ff_petri_program *p, uint32_t m) {
  if (m < p->n_stochastic) return p->stochastic[m];
  m -= p->n_stochastic;
  return m < p->n_immediate ? p->immediate[m] : p->timed[m - p->n_immediate];
}

/* ---- values and formulas: ff_petri_code_values.c ------------------------------------------------------------------------ */

/* Begins a function, or a block of one: no value is declared. */
void ff_petri_code_begin(ff_petri_coder *g, const char *head, int now);
/* A number as an expression. */
void ff_petri_code_number(ff_petri_coder *g, double number);
/* A number of the program, which may differ between points. */
void ff_petri_code_number_at(ff_petri_coder *g, const double *number);
/* Declares variable x<value>. */
void ff_petri_code_declare(ff_petri_coder *g, uint32_t value);
/* Write a formula. Its value is variable f<n>, and n is returned. */
uint32_t ff_petri_code_plain(ff_petri_coder *g, const ff_petri_plain *plain);
/* A formula whose symbols are values, from one whose symbol k is the value of[k]. Numbers that differ between points are values,
 * too. Valid until the next call. */
ff_formula ff_petri_code_of_values(ff_petri_coder *g, const ff_formula *formula, const uint32_t *of);
uint32_t ff_petri_code_term(ff_petri_coder *g, const ff_petri_law *law, const ff_petri_term *term, uint32_t i);
/* Quick bounds of a formula: variable s<n>. Symbol k is the value of[k]. */
uint32_t ff_petri_code_span(ff_petri_coder *g, const ff_formula *formula, const uint32_t *of);
/* Functions p_<what>_outline_<number> and p_<what>_bound_<number>: bounds of a formula that has only arithmetic and not the time,
 * between two parts of a segment; and p_<what>_<kind>, which calls those that there are. */
void ff_petri_code_bounds(ff_petri_coder *g, const char *what, uint32_t number, const ff_formula *formula, const uint32_t *of,
                          int clips);
void ff_petri_code_dispatch(ff_petri_coder *g, const char *what, const char *kind, const uint8_t *has, uint32_t n);
/* A formula as data, with the name p_<what>_<number>. */
void ff_petri_code_data(ff_petri_coder *g, const char *what, uint32_t number, const ff_formula *formula, const uint32_t *of);
/* The values of the symbols of a term of transition i: as many as the term has, or all values. The caller frees *out. */
ff_status ff_petri_code_symbols(uint32_t **out, const ff_petri_coder *g, const ff_petri_law *law, const ff_petri_term *term,
                                uint32_t i, ff_error *err);

/* ---- limits: ff_petri_code_limits.c ------------------------------------------------------------------------------------- */

#define FF_PETRI_CODE_DEPTH 32u /* the most operands that a formula keeps */

/* FF_EUNSUPPORTED, with a clause that tells what there is too much of. */
ff_status ff_petri_code_too_many(ff_error *err, const char *what, uint64_t found, uint64_t most);
/* As ff_petri_code_check() for a part of a net, which may have flows only. */
ff_status ff_petri_code_check_part(const ff_petri_program *program, ff_error *err);
/* Comparisons of levels with numbers. O(derived values). */
uint32_t ff_petri_code_switches_of(const ff_petri_program *program);
/* FF_EUNSUPPORTED for points of a net that has code for one point only: its code has numbers that points cannot have as data. */
ff_status ff_petri_code_check_points(const ff_petri_program *program, const ff_device_request *request, ff_error *err);

/* ---- points of a sweep: ff_petri_code_points.c --------------------------------------------------------------------------- */

/* Finds the points of the request that share the code of the first one, and the numbers in which they differ. */
ff_status ff_petri_code_join(ff_petri_coder *g, ff_error *err);
/* Gives points the numbers of coefficients of cells that have tables, one after the other, if points differ in some of them. */
void ff_petri_code_add_table(ff_petri_coder *g, const uint8_t *has);
/* Fills what each point has: its marking, its numbers, its key. */
ff_status ff_petri_code_fill_points(ff_petri_coder *g, ff_error *err);
void ff_petri_code_free_points(ff_petri_code_points *points);
/* Which number of a point a number of the program is, or FF_PETRI_CODE_NO_DATA: it is equal in all points. O(log(n_data)). */
uint32_t ff_petri_code_datum_of(const ff_petri_coder *g, const double *at);

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

/* p_set, p_store or p_show, p_value, p_derive, p_is_over: ff_petri_code_values.c */
void ff_petri_code_places(ff_petri_coder *g);
void ff_petri_code_flows(ff_petri_coder *g);   /* p_slopes, and what narrow flows need: ff_petri_code_flows.c */
void ff_petri_code_hazards(ff_petri_coder *g); /* profiles, sums and the choice: ff_petri_code_hazards.c */
/* The coefficient of a stochastic transition. Its value is variable f<n>, and n is returned. */
uint32_t ff_petri_code_coefficient(ff_petri_coder *g, uint32_t stochastic);
void ff_petri_code_changes(ff_petri_coder *g); /* p_change, p_stirs, p_number: ff_petri_code_changes.c */

/* Switches: ff_petri_code_switches.c. */
void ff_petri_code_switches(ff_petri_coder *g); /* p_threshold, p_set_switches */
void ff_petri_code_define_switches(ff_petri_coder *g);
/* A macro of i < n, which gives of[i]. */
void ff_petri_code_define_map(ff_petri_coder *g, const char *name, const uint32_t *of, uint32_t n);

/* Implicit steps: ff_petri_code_stiff.c. 0: none; 1: while the equations are stiff; 2: all. */
int ff_petri_code_implicit(const ff_petri_coder *g);
void ff_petri_code_define_implicit(ff_petri_coder *g);

/* Transitions that fire, other than stochastic ones: ff_petri_code_instant.c. */
void ff_petri_code_reach(ff_petri_coder *g);   /* sets g->reached, kept; the code of sums needs them */
void ff_petri_code_instant(ff_petri_coder *g); /* p_has_changed, p_weight, p_is_enabled, p_delay, p_scheduled */
void ff_petri_code_define_instant(ff_petri_coder *g);

#endif
