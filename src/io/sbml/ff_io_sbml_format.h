/* SBML as a format: the parser borrows `text`; the caller frees the network or text that it gets. */
#ifndef FF_IO_SBML_FORMAT_H
#define FF_IO_SBML_FORMAT_H

#include "../text/ff_io_model.h"

/* Reads either kind of network. Exactly one member of *out is not NULL afterwards; on failure both are NULL. */
ff_status ff_io_sbml_parse(ff_io_model *out, const char *text, size_t length, const char *file, const ff_io_given *given,
                           ff_error *err);
ff_status ff_io_sbml_text(char **text, const ff_pbn *pbn, ff_error *err);

/* Writes a reaction network. */
ff_status ff_io_sbml_reactions_text(char **text, const ff_reactions *net, ff_error *err);

#endif
