/* SBML without qual: reaction networks. */
#ifndef FF_IO_SBML_REACTIONS_H
#define FF_IO_SBML_REACTIONS_H

#include <sbml/SBMLTypes.h>

#include "../model/ff_reactions.h"

/* Reads a reaction network. `length` is that of the text. The caller frees *out with ff_reactions_free(). O(length), not counting
 * the expansion of functions. */
ff_status ff_sbml_read_reactions(ff_reactions **out, SBMLDocument_t *document, size_t length, const char *file, ff_error *err);

#endif
