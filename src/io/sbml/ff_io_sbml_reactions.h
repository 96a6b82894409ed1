/* SBML without qual: reaction networks. */
#ifndef FF_IO_SBML_REACTIONS_H
#define FF_IO_SBML_REACTIONS_H

#include <sbml/SBMLTypes.h>

#include "../text/ff_io_parts.h"

/* Reads a reaction network, and the unit of its amounts. `length` is that of the text. The caller frees the contents of *out with
 * ff_io_model_free(). `given` is as in ff_io.h. O(length), not counting the expansion of functions. */
ff_status ff_sbml_read_reactions(ff_io_model *out, SBMLDocument_t *document, size_t length, const char *file,
                                 const ff_io_given *given, ff_error *err);

#endif
