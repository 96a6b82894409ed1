/* How a net is compiled. */
#ifndef FF_PETRI_COMPILE_INTERNAL_H
#define FF_PETRI_COMPILE_INTERNAL_H

#include "../../model/ff_formula_code.h"
#include "ff_petri_plain.h"


/* What may change the value of a formula, each including those before it: nothing, discrete places, switches, levels and the
 * time. */
typedef enum { FF_PETRI_OF_NOTHING, FF_PETRI_OF_COUNTS, FF_PETRI_OF_SWITCHES, FF_PETRI_OF_LEVELS } ff_petri_class;

typedef struct {
  ff_petri_program *p;
  const ff_petri_flat *flat;
  ff_error *err;
  ff_formula *parameter;       /* each as a number, or as a symbol of observers if events set it */
  uint32_t *settable_of;       /* for each parameter: its number among those that events set, or FF_PETRI_NO_VALUE */
  ff_formula *plain, *smooth;  /* variables as functions of values; `smooth` with switches, for variables of levels or the time */
  uint8_t *variable_class;
  uint32_t constants;          /* the next one of these values */
  size_t values_room, derived_room, profile_room;
  uint32_t *local;             /* for each value, its symbol in a formula that is being made, or FF_PETRI_NO_VALUE */
  size_t local_room;
  uint32_t *slot;              /* a hash table of derived formulas and profiles: 1 + the number; 0 is free */
  size_t slots, used;
} ff_petri_maker;

/* A family that is being compiled: its rows, which grow. The first n_slots are its slots, then its numbers. */
typedef struct {
  ff_petri_maker *m;
  const ff_petri_family *family; /* NULL: a variable, whose rows are values */
  ff_petri_law *law;
  size_t index_room, class_room;
  uint8_t *row_class;
  uint32_t time_row;
} ff_petri_family_maker;

/* ---- formulas of values: ff_petri_flatten.c ----------------------------------------------------------------------------- */

typedef enum { FF_PETRI_FOR_DERIVED, FF_PETRI_FOR_PROFILE } ff_petri_use;

/* The words from `from` to `to` - 1 of a formula, whose symbols are rows, for transition i. Numbers are in place of constants,
 * and variables are replaced. The time is a word in derived formulas, and a value in profiles. The caller frees *out. */
ff_status ff_petri_flatten(ff_petri_family_maker *f, const ff_formula_word *word, uint32_t length, uint32_t i, ff_petri_use use,
                           ff_petri_plain *out);

/* Makes symbols of values, in the order in which they occur. `out->formula` has values as symbols before. */
ff_status ff_petri_localise(ff_petri_maker *m, ff_petri_plain *out);

/* Adds a derived formula. Takes *plain. */
ff_status ff_petri_push_derived(ff_petri_maker *m, ff_petri_derived_kind kind, uint32_t value, ff_petri_plain *plain);

/* Finds a derived formula or a profile, or adds it. Takes *plain. */
ff_status ff_petri_intern_derived(ff_petri_maker *m, ff_petri_derived_kind kind, ff_petri_plain *plain, uint32_t *value);
ff_status ff_petri_intern_profile(ff_petri_maker *m, ff_petri_plain *plain, uint32_t *profile);

/* Adds a value, which is 0 at the start. */
ff_status ff_petri_add_value(ff_petri_maker *m, uint32_t *value);

/* ---- formulas of families: ff_petri_rewrite.c --------------------------------------------------------------------------- */

/* Sets *out to a formula of rows in which switches are symbols. With `hoists`, so are parts that depend on discrete places
 * alone. The caller frees the contents of *out. */
ff_status ff_petri_rewrite(ff_petri_family_maker *f, const ff_formula *in, int hoists, ff_formula *out);

/* Makes a row for each place, variable and settable parameter, and for the time. The numbers of the rows are those of the
 * values. The caller frees f->law->index and f->row_class. */
ff_status ff_petri_value_rows(ff_petri_family_maker *f);

/* The row of a settable parameter. O(rows). */
ff_status ff_petri_settable_row(ff_petri_family_maker *f, uint32_t settable, uint32_t *row);

/* What may change the value of a formula of rows. */
ff_petri_class ff_petri_class_of(const ff_petri_family_maker *f, const ff_formula_word *word, uint32_t length);

/* A term that takes the words of a formula of rows, which becomes empty. */
ff_status ff_petri_term_of(ff_petri_family_maker *f, ff_formula *formula, ff_petri_term *out);

/* ---- the rest ----------------------------------------------------------------------------------------------------------- */

ff_status ff_petri_compile_laws(ff_petri_maker *m);      /* ff_petri_laws.c */
ff_status ff_petri_compile_hazard(ff_petri_family_maker *f, const ff_formula *hazard,
                                  ff_formula *condition); /* ff_petri_hazards.c */
ff_status ff_petri_compile_events(ff_petri_maker *m);    /* ff_petri_event_laws.c */
ff_status ff_petri_compile_links(ff_petri_maker *m);     /* ff_petri_links.c */
ff_status ff_petri_compile_groups(ff_petri_maker *m);    /* ff_petri_groups.c */
ff_status ff_petri_compile_empty(ff_petri_maker *m);     /* ff_petri_empty.c */
ff_status ff_petri_compile_pattern(ff_petri_maker *m);   /* ff_petri_pattern.c */
ff_status ff_petri_compile_linear(ff_petri_maker *m);    /* ff_petri_linear.c */

#endif
