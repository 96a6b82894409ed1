/* What the files of SBML share. Only they use libsbml.
 *
 * If libsbml gets no memory, it throws std::bad_alloc. C cannot catch this, so the process ends. libsbml's C functions offer
 * no other way, and the core has no C++. The allocations of these files themselves are checked like all others.
 */
#ifndef FF_IO_SBML_H
#define FF_IO_SBML_H

#include "../text/ff_io_parts.h"

/* The largest number of elements that may be open at once. libsbml is recursive and needs 1 to 2.5 kB of stack for each
 * element, and the stack may be as small as 1 MB. */
#define FF_SBML_DEPTH 400

/* The largest depth of a formula's syntax tree. libsbml turns sums and products of many terms into nested ones, and needs up to
 * 65 bytes of stack for each level. */
#define FF_SBML_TERMS 5000

/* The mark of a kinetic law that was mass action, an element of its annotation. Other readers pass it over. */
#define FF_SBML_NAMESPACE "urn:fireflip"
#define FF_SBML_MASS_ACTION "massAction"

/* The marks of a kinetic law that flows and of a species that is a level, of Petri nets. */
#define FF_SBML_FLOW "flow"
#define FF_SBML_CONTINUOUS "continuous"

/* Checks a document before libsbml reads it: it must have no document type (so no entity can be expanded or fetched), no
 * encoding except UTF-8 (or one that has ASCII as a part, if all bytes are of ASCII), at most FF_SBML_DEPTH open elements, and
 * no formula that may be nested more than FF_SBML_TERMS deep. libsbml finds all other errors. O(length). */
ff_status ff_sbml_check_xml(const char *text, size_t length, const char *file, ff_error *err);

/* Makes the declaration at the start of a text, which ff_sbml_check_xml() has accepted, name the encoding UTF-8. O(length of the
 * declaration). */
void ff_sbml_name_encoding(char *text, size_t length);

/* Refuses a document with a package of Level 3 that is required, and so changes the meaning of the model, with FF_EUNSUPPORTED.
 * qual and the operations of Level 3 Version 2 are allowed. Called before libsbml reads the document, because it may report the
 * package's own elements as errors of another kind. O(length of the text up to the end of the tag <sbml>). */
ff_status ff_sbml_check_packages(const char *text, size_t length, const char *file, ff_error *err);

/* Refuses a model for flux balance analysis (the package fbc with strict) with FF_EUNSUPPORTED. O(length of the text up to
 * <model>). */
ff_status ff_sbml_check_flux(const char *text, size_t length, const char *file, ff_error *err);

/* Makes the id of every node. The ids depend only on the names and their order. A name that is a valid SId
 * ([A-Za-z_][A-Za-z0-9_]*) is its own id. In any other name, each character outside [A-Za-z0-9_] is replaced by '_', and '_'
 * is put in front of a leading digit. If the result is taken, '_' and the node's number (from 1) are appended, and then '_'
 * until it is free. *ids gets n strings, which the caller frees with ff_sbml_ids_free(). Equal names are FF_EMODEL. O(size of
 * the names) on average. */
ff_status ff_sbml_ids(char ***ids, char *const *names, uint32_t n, ff_error *err);
void ff_sbml_ids_free(char **ids, uint32_t n);

/* Writes a text within an XML document, where & < > and " have a meaning. O(length). */
void ff_sbml_put_escaped(ff_out *out, const char *text);

/* Refuses a name with U+FFFE or U+FFFF, which XML does not allow, with FF_EMODEL. Names of a checked network have no other
 * character that XML does not allow. O(length). */
ff_status ff_sbml_check_name(const char *name, ff_error *err);

/* A code array that grows while a function is read. The owner frees `code`. */
typedef struct {
  ff_op *code;
  size_t length, capacity;
  ff_error *err;
} ff_sbml_code;

ff_status ff_sbml_emit(ff_sbml_code *code, ff_op op);

#endif
