/* SBML without qual: the values and rules of the ids of a model. */
#ifndef FF_IO_SBML_VALUES_H
#define FF_IO_SBML_VALUES_H

#include "ff_io_sbml_symbols.h"

/* Fills the table with all ids of the model, their values at time 0 and their rules. The caller frees what it owns with
 * ff_sbml_table_free(), also on failure. O(size of the model), not counting the expansion of functions. */
ff_status ff_sbml_table_fill(ff_sbml_table *table, const Model_t *model);

#endif
