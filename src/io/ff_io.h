/* Files <-> networks: ASSA-PBN's .pbn, BoolNet's text, .bnet, SBML-qual (by libsbml, behind ff_io_sbml*.c alone).
 * Stands on base/ and model/. Every error names the file, the line, what was found and what was expected.
 *
 * All texts are UTF-8 (a byte order mark is skipped); lines end with LF, CR LF or CR. Predictor functions follow the grammar
 * of ff_expr_parse. Names that this grammar needs quotes for are written, and may be given, in quotes.
 *
 * ASSA-PBN (.pbn). Line by line; `//` starts a comment; words of the format in any case of letters:
 *     type=synchronous            or asynchronous, also called rog (one random node a step); synchronous if missing
 *     n=3                         checked against the names where it is given
 *     perturbation=0.001          0 if missing
 *     nodeNames ... endNodeNames  a name a line, before the names are used
 *     node NAME ... endNode       lines `selection probability : function`; probabilities are normalised
 *     npNode ... endNpNode        names of nodes that are never perturbed
 * Ours alone, as ASSA-PBN's format has no words for them. Each changes what the network means, so they are plain blocks that
 * another program stops at, not comments that it would skip; a network that needs none of them is written without:
 *     initialValues ... endInitialValues   lines `NAME = 0` or `NAME = 1`; nodes not listed start at random
 *     contexts ... endContexts             a dependent network: a line a context, `probability : 1 2 1`, the number (from 1)
 *                                          of the function selected for every node in the order of nodeNames; the selection
 *                                          probabilities of the node blocks then mean nothing and are written as 1
 *     removedNodes=36 34                   nodes that a reduction took away: in all, and perturbed ones among them
 * A network written and read again is the same, to the last bit of its probabilities.
 *
 * BoolNet's text. A header `targets, factors` or `targets, factors, probabilities` (in any case; `functions` for factors),
 * then lines `NAME, function` or `NAME, function, probability` (1 if missing); `#` starts a comment. The probabilities of a
 * node must sum to 1 within 1e-4 (BoolNet's own tolerance: three times 0.333333 is fine) and are normalised. A name that has
 * no line of its own is an input: it follows the others and keeps its value (NAME, NAME), as BoolNet has it.
 *
 * .bnet. The same without probabilities, one line a node; the header may be missing.
 *
 * SBML-qual (Level 3, qual Version 1). A qualitative species with the levels 0 and 1 is a node, in the order of the file;
 * initialLevel is its initial value. The function terms of the transition that has it as output are its function, the first
 * that holds winning over those after it and over the default term; a species that no transition sets keeps its value. MathML:
 * and, or, not, xor, eq, neq, geq, gt, leq, lt, true, false, 0, 1, species, and inputs that stand for their thresholdLevel.
 * Nodes are called by the ids of their species. Where a name is no id, the writer makes an id of it (ff_sbml_ids) and puts the
 * name beside it; the reader takes names in place of ids only where this would make just these ids of the names of all
 * species, so that free or repeated names of other programs' files do no harm. No document type is read, so no entity is ever
 * expanded; elements nest at most 400 deep, and the writer refuses (FF_EMODEL) a function that would need more. A document that
 * holds a reaction network instead is FF_EUNSUPPORTED.
 *
 * BoolNet's text, .bnet and SBML-qual have no words for perturbation, mode, exempt nodes and (but for SBML-qual) initial
 * values: writing leaves them out, and ff_io_lost says so beforehand.
 */
#ifndef FF_IO_H
#define FF_IO_H

#include "../model/ff_model.h"

#define FF_IO_MAX_BYTES (UINT64_C(1) << 31) /* of a file; larger ones are FF_ESIZE */

typedef enum { FF_FORMAT_AUTO, FF_FORMAT_ASSA, FF_FORMAT_BOOLNET, FF_FORMAT_BNET, FF_FORMAT_SBML } ff_format;

/* Reads a network. AUTO looks at the content, not the name (XML; type=/nodeNames; a header targets, factors with or without
 * probabilities). What a format has no word for is left at ff_pbn_new's default (perturbation 0, synchronous). *found (may be
 * NULL) becomes the format. O(file). */
ff_status ff_io_read(ff_pbn **out, ff_format *found, const char *path, ff_format format, ff_error *err);

/* The same from memory, for tests and fuzzers; `file` is used in messages. `text` need not be terminated. */
ff_status ff_io_parse(ff_pbn **out, ff_format *found, const char *text, size_t length, const char *file, ff_format format,
                      ff_error *err);

/* Writes all or nothing (a temporary beside the path, then a rename; a full disk is FF_EFILE). FF_EMODEL where the format
 * cannot say what the network is (several predictors in .bnet or SBML-qual, contexts anywhere but .pbn). */
ff_status ff_io_write(const ff_pbn *pbn, const char *path, ff_format format, ff_error *err);

/* The text that ff_io_write writes, terminated, in new memory that the caller frees. */
ff_status ff_io_text(char **text, const ff_pbn *pbn, ff_format format, ff_error *err);

/* What a format has no word for although the network has it: bits of ff_lost, 0 where nothing is lost. O(nodes). */
typedef enum {
  FF_LOST_PERTURBATION = 1,
  FF_LOST_MODE = 2,
  FF_LOST_EXEMPT = 4,
  FF_LOST_INITIAL = 8,
  FF_LOST_REMOVED = 16
} ff_lost;
unsigned ff_io_lost(const ff_pbn *pbn, ff_format format);

/* "auto", "pbn", "boolnet", "bnet", "sbml"; NULL for a value that is none. */
const char *ff_format_name(ff_format format);

#endif
