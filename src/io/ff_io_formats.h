/* The formats but for SBML. */
#ifndef FF_IO_FORMATS_H
#define FF_IO_FORMATS_H

#include "text/ff_io_model.h"

/* A parser borrows `text`; the caller frees the network or text that it gets. */

ff_status ff_io_assa_parse(ff_pbn **out, const char *text, size_t length, const char *file, ff_error *err);
ff_status ff_io_assa_text(char **text, const ff_pbn *pbn, ff_error *err);

/* `probabilities` is 1 for BoolNet's text format and 0 for .bnet. */
ff_status ff_io_boolnet_parse(ff_pbn **out, const char *text, size_t length, const char *file, int probabilities,
                              ff_error *err);
ff_status ff_io_boolnet_text(char **text, const ff_pbn *pbn, int probabilities, ff_error *err);

/* Writes a reaction network. */
ff_status ff_io_bngl_text(char **text, const ff_reactions *net, ff_error *err);

/* Reads a reaction network in BioNetGen's network format. On failure out->reactions is NULL. */
ff_status ff_io_bngl_parse(ff_io_model *out, const char *text, size_t length, const char *file, const ff_io_given *given,
                           ff_error *err);

#endif
