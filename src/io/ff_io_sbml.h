/* What the files of SBML-qual share; libsbml is behind them alone.
 *
 * Where libsbml finds no memory it throws std::bad_alloc, which C cannot catch, and the process ends: its C functions have no
 * other way to tell, and the core has no C++. The allocations of these files are checked like all others. */
#ifndef FF_IO_SBML_H
#define FF_IO_SBML_H

#include "ff_io_internal.h"

/* The most elements that may be open at once. libsbml recurses and takes 1 to 2.5 kB of stack for each, on a stack that may have
 * no more than 1 MB for us. */
#define FF_SBML_DEPTH 400

/* Looks over a document before libsbml does: no document type (so no entities: nothing to expand, nothing to fetch), no encoding
 * but UTF-8, no more than FF_SBML_DEPTH open elements. What else is malformed is libsbml's to say. O(length). */
ff_status ff_sbml_check_xml(const char *text, size_t length, const char *file, ff_error *err);

/* The id of every node, a function of the names and their order alone. A name that is an SId ([A-Za-z_][A-Za-z0-9_]*) is its
 * own id. In any other, each character outside of [A-Za-z0-9_] becomes '_', a '_' goes before a digit in front, and where that is
 * taken, '_' and the node's number (from 1) follow, and more '_' until it is free. n strings in *ids, to be freed by
 * ff_sbml_ids_free; equal names are FF_EMODEL. O(size of the names) on average. */
ff_status ff_sbml_ids(char ***ids, char *const *names, uint32_t n, ff_error *err);
void ff_sbml_ids_free(char **ids, uint32_t n);

/* Code that grows while it is read. */
typedef struct {
  ff_op *code;
  size_t length, capacity;
  ff_error *err;
} ff_sbml_code;

ff_status ff_sbml_emit(ff_sbml_code *code, ff_op op);

#endif
