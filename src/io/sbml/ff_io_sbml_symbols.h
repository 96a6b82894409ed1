/* SBML without qual: the ids of a model in a table, and errors about its elements. */
#ifndef FF_IO_SBML_SYMBOLS_H
#define FF_IO_SBML_SYMBOLS_H

#include <sbml/SBMLTypes.h>

#include "../../model/reactions/ff_reactions.h"
#include "ff_io_sbml.h"

typedef enum {
  FF_SBML_SPECIES,
  FF_SBML_PARAMETER, /* also those of kinetic laws */
  FF_SBML_COMPARTMENT,
  FF_SBML_STOICHIOMETRY, /* the id of a species reference */
  FF_SBML_REACTION,
  FF_SBML_FUNCTION
} ff_sbml_kind;

/* What an id stands for. Formulas name ids by their numbers in the table. */
typedef struct {
  ff_sbml_kind kind;
  const void *element;  /* of libsbml, for messages */
  uint32_t divisor;     /* of a species: the compartment whose size divides its amount in formulas; 0 (a species) for none */
  ff_formula formula;   /* the value at time 0, empty if the file gives none; of a function: its body */
  ff_formula rule;      /* the value at any time (of a species: the amount), empty without a rule */
  ff_formula rate;      /* of a rate rule: the derivative (of a species: of the amount), empty without one */
  const void *rate_rule; /* of libsbml */
  uint32_t n_arguments; /* of a function */
  uint8_t set;          /* 1 if an event sets it */
  uint32_t state, at;   /* while values and functions are computed */
  double value;         /* at time 0, once computed; NaN if the file gives none */
} ff_sbml_symbol;

/* The species come first, in the order of the file. */
typedef struct {
  ff_build ids; /* its nodes are the symbols */
  ff_sbml_symbol *symbol;
  size_t capacity;
  uint64_t words;    /* how many words formulas may still have in total, so that functions cannot grow without limit */
  unsigned level;    /* of SBML */
  unsigned nesting;  /* number of functions that are being translated */
  int flows;         /* rate rules become flows: see ff_io_given */
  double volume;     /* of compartments without a size; 0 for none */
  ff_error *err;
} ff_sbml_table;

/* Frees what the table owns. */
void ff_sbml_table_free(ff_sbml_table *table);

/* Adds an id, which must be new. `what` says what it names, such as "species". Amortised O(length). */
ff_status ff_sbml_table_add(ff_sbml_table *table, ff_sbml_kind kind, const void *element, const char *id, const char *what);

/* Finds an id of this kind. O(length) on average. */
int ff_sbml_table_find(ff_sbml_table *table, ff_sbml_kind kind, const char *id, uint32_t *symbol);

/* The value of a formula from the values in the table. */
ff_status ff_sbml_table_value(const ff_sbml_table *table, const ff_formula *formula, double *value);

/* The place of an element of libsbml. */
ff_place ff_sbml_place(const ff_sbml_table *table, const void *element);

/* Sets the error "FILE, line N: found THING NAME, which ...". `name` is quoted, and may be NULL. `rest` is what follows it. */
ff_status ff_sbml_found(const ff_sbml_table *table, ff_status status, ff_place place, const char *thing, const char *name,
                        const char *rest);

/* The same for an element: "found <ELEMENT> ID, which is not supported in a reaction network". `id` may be NULL or empty. `more`
 * follows it, and may be empty. */
ff_status ff_sbml_unsupported(const ff_sbml_table *table, const void *element, const char *id, const char *more);

/* Sets the error "found ID where WANTED was expected", with a suggestion if the table has no such id. `id` may be NULL. */
ff_status ff_sbml_unknown(const ff_sbml_table *table, const void *element, const char *id, const char *wanted);

/* Sets the error that a symbol has no value, although BY needs it: "found the parameter K without a value where one was expected,
 * because BEFORE BY AFTER". */
ff_status ff_sbml_missing(const ff_sbml_table *table, uint32_t symbol, const char *before, const char *by, const char *after);

/* Whether the file says that a species, parameter or compartment is constant; Level 1 cannot say it. */
int ff_sbml_is_constant(const ff_sbml_table *table, const ff_sbml_symbol *symbol);

/* The id of an element of libsbml; NULL if it has none. */
const char *ff_sbml_id(const void *element);

/* Numbers the symbols of a formula as the network does: symbol i of the table is number[i]. Stoichiometries are constant, so they
 * become numbers. O(length). */
void ff_sbml_renumber(const ff_sbml_table *table, const uint32_t *number, ff_formula *formula);

#endif
