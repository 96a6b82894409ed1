/* Files <-> networks: ASSA-PBN's .pbn, BoolNet's text, .bnet, SBML-qual (by libsbml, behind ff_io_sbml.c alone).
 * Stands on base/ and model/. Every error names the file, the line, what was found and what was expected.
 */
#ifndef FF_IO_H
#define FF_IO_H

#include "../model/ff_model.h"

typedef enum { FF_FORMAT_AUTO, FF_FORMAT_ASSA, FF_FORMAT_BOOLNET, FF_FORMAT_BNET, FF_FORMAT_SBML } ff_format;

/* Reads a network. AUTO looks at the content, not the name (XML; type=/nodeNames; a header targets, factors with or without
 * probabilities). What a format has no word for is left at ff_pbn_new's default (perturbation 0, synchronous). */
ff_status ff_io_read(ff_pbn **out, ff_format *found, const char *path, ff_format format, ff_error *err);

/* The same from memory, for tests and fuzzers; `file` is used in messages. `text` need not be terminated. */
ff_status ff_io_parse(ff_pbn **out, ff_format *found, const char *text, size_t length, const char *file, ff_format format,
                      ff_error *err);

/* Writes all or nothing (a temporary beside the path, then a rename; a full disk is FF_EFILE). FF_EMODEL where the format
 * cannot say what the network is (several predictors in .bnet or SBML-qual, contexts anywhere but .pbn). */
ff_status ff_io_write(const ff_pbn *pbn, const char *path, ff_format format, ff_error *err);

const char *ff_format_name(ff_format format);

#endif
