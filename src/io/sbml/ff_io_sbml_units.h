/* The units of amounts in SBML. */
#ifndef FF_IO_SBML_UNITS_H
#define FF_IO_SBML_UNITS_H

#include "ff_io_sbml_symbols.h"

/* Refuses a model that gives amounts of species in different units, with FF_EUNSUPPORTED. Species whose unit the file does not
 * tell are left out. Writes the unit, such as "mole" or "0.001 mole", or "" if amounts are numbers of items, or if the file tells
 * no unit. O(species * unit definitions). */
ff_status ff_sbml_units(const ff_sbml_table *table, const Model_t *model, char unit[FF_IO_UNIT]);

/* How many items are in a unit of amounts, if it is the mole, the item or a multiple of these: *factor. Otherwise, or if the file
 * does not tell it, FF_EUNSUPPORTED. ff_sbml_units() has found that all species have the same unit. */
ff_status ff_sbml_items(const ff_sbml_table *table, const Model_t *model, double *factor);

/* What to add to an error about an amount that is no count: a clause in brackets with its unit, or "". O(unit definitions). */
void ff_sbml_unit_clause(const Model_t *model, const Species_t *species, char clause[FF_IO_UNIT + 64]);

#endif
