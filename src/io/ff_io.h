/* Reading and writing networks: ASSA-PBN's .pbn, BoolNet's text format, .bnet, SBML, BioNetGen's network format, and Petri
 * nets in ANDL, CANDL (petri/ff_io_andl.h has the grammar) and Snoopy's XML. Only ff_io_sbml*.c use libsbml. Uses base/ and
 * model/. Every message on a malformed file names the file and the line (if one is known), what was found and what was
 * expected.
 *
 * All texts are UTF-8; a byte order mark is skipped. Lines end with LF, CR LF or CR. Predictor functions follow the grammar of
 * ff_expr_parse(). Names that need quotes in this grammar are written with quotes and may be given with quotes.
 *
 * ASSA-PBN (.pbn) is read line by line. `//` starts a comment. The words of the format may be in upper or lower case:
 *     type=synchronous            or asynchronous, also called rog (one random node per step); the default is synchronous
 *     n=3                         the number of nodes; optional, and checked against the names
 *     perturbation=0.001          the default is 0
 *     nodeNames ... endNodeNames  one name per line; must precede all uses of the names
 *     node NAME ... endNode       lines `selection probability : function`; probabilities are normalised
 *     npNode ... endNpNode        names of nodes that are never perturbed
 * The following are extensions of fireflip for what ASSA-PBN's format cannot express. Each changes the meaning of the network.
 * So they are not comments, which another program would skip, but blocks, at which it stops. They are written only if the
 * network needs them:
 *     initialValues ... endInitialValues   lines `NAME = 0` or `NAME = 1`; nodes that are not listed start at random
 *     contexts ... endContexts             a dependent network: one line per context, `probability : 1 2 1`. The numbers say
 *                                          which function (from 1) is selected for each node, in the order of nodeNames. The
 *                                          selection probabilities in the node blocks then have no meaning; 1 is written.
 *     removedNodes=36 34                   nodes that a reduction removed: all of them, and the perturbed ones among them
 * A network that is written and read again is the same, to the last bit of its probabilities.
 *
 * BoolNet's text format has a header `targets, factors` or `targets, factors, probabilities` (in upper or lower case;
 * `functions` is accepted for factors), then lines `NAME, function` or `NAME, function, probability` (1 if missing). `#`
 * starts a comment. The probabilities of a node must sum to 1 within 1e-4 (BoolNet's tolerance: three times 0.333333 is
 * accepted) and are normalised. A name that is used but has no line is an input: it is placed after the other nodes and keeps
 * its value (NAME, NAME), as in BoolNet.
 *
 * The .bnet format is the same without probabilities, with one line per node. The header may be missing.
 *
 * SBML-qual (Level 3, qual Version 1). A qualitative species with the levels 0 and 1 is a node; nodes are in the order of the
 * file. initialLevel is the initial value. The function of a node is made from the function terms of the transition that has
 * it as output. The first term that is true determines the value; if none is true, the default term does. A species that is
 * not an output keeps its value. MathML may contain and, or, not, xor, eq, neq, geq, gt, leq, lt, true, false, 0, 1, species,
 * and inputs, which stand for their thresholdLevel. A node's name is the id of its species. If a name is not a valid id, the
 * writer makes an id from it (ff_sbml_ids()) and writes the name as an attribute. The reader uses names instead of ids only if
 * ff_sbml_ids() would make exactly these ids from the names of all species, so arbitrary or repeated names in other programs'
 * files do no harm. A document type is refused, so no entity is expanded. Elements may be nested at most 400 deep, and the
 * writer refuses a function that would need more (FF_EMODEL).
 *
 * SBML without qual (Levels 1 to 3) is a reaction network. The count of a species is its amount. In kinetic laws and initial
 * assignments, the id of a species stands for its amount divided by the size of its compartment, unless the species has
 * hasOnlySubstanceUnits or a compartment without dimensions. Rates are formulas (mass_action is 0), unless
 * ff_io_sbml_reactions_text() has marked them as mass action. Species, reactions, global parameters and the compartments that
 * rates name keep their ids; a parameter k that is local to reaction r is called r_k. Initial assignments are evaluated at
 * time 0, and function definitions are expanded. Units are not converted. A species that is constant or has a
 * boundaryCondition is fixed. A species, parameter or compartment that an assignment rule determines is a variable (of a
 * species: its amount). A reversible reaction has one kinetic law too, which must not become negative. Events are read, and so
 * are rate rules whose solutions are formulas, as variables. These are FF_EUNSUPPORTED: other rate rules, algebraic rules,
 * constraints, delays in formulas, conversion factors, fast reactions, reactions without a kinetic law, ids of reactions in
 * formulas, packages that are required, and amounts and stoichiometries that are not whole numbers.
 *
 * BioNetGen's network format (.net, "bngl_net") is read line by line; `#` starts a comment. Blocks `begin NAME` ... `end NAME`
 * hold parameters, functions, species, reactions and groups; the numbers at the start of their lines are those by which
 * reactions and groups name species. A reaction `1 2,2 3 0.5*k` has mass action: its propensity is 0.5 k x (x - 1), so the
 * constant of the network is 2 * 0.5 * k. A function as the rate is multiplied in the same way. A parameter whose value is an
 * expression of other parameters, a function and a group are variables. Species are named by their patterns; `$` marks a fixed
 * one. Functions with arguments, and the rate laws Sat, MM and Hill, are FF_EUNSUPPORTED. Other blocks describe what the
 * network was made from, and are skipped.
 *
 * BoolNet's text format, .bnet and SBML-qual cannot express perturbation, the update mode, exempt nodes, removed nodes and
 * (except SBML-qual) initial values. These are not written. ff_io_lost() tells beforehand which of them would be lost.
 * */
#ifndef FF_IO_H
#define FF_IO_H

#include "text/ff_io_model.h"

#define FF_IO_MAX_BYTES (UINT64_C(1) << 31) /* of a file; larger files are FF_ESIZE */

typedef enum {
  FF_FORMAT_AUTO,
  FF_FORMAT_ASSA,
  FF_FORMAT_BOOLNET,
  FF_FORMAT_BNET,
  FF_FORMAT_SBML,
  FF_FORMAT_BNGL,
  FF_FORMAT_ANDL,  /* Petri nets */
  FF_FORMAT_CANDL,
  FF_FORMAT_SNOOPY
} ff_format;

/* Reads a network from the file `path`. The caller frees *out with ff_pbn_free(); on failure it is NULL. FF_FORMAT_AUTO
 * chooses the format by the content, not by the file name: XML, type= or nodeNames, a header targets, factors with or without
 * probabilities, "begin" and the name of a block, or the type of a Petri net. *found, unless it is NULL, is set to the format.
 * What the format cannot express has the default of ff_pbn_new() (perturbation 0, synchronous). O(size of the file). */
ff_status ff_io_read(ff_pbn **out, ff_format *found, const char *path, ff_format format, ff_error *err);

/* The same for a text in memory, for tests and fuzzers. `file` is used in messages. `text` is borrowed and need not be
 * terminated. */
ff_status ff_io_parse(ff_pbn **out, ff_format *found, const char *text, size_t length, const char *file, ff_format format,
                      ff_error *err);

/* The same two functions for a network of any kind. ff_io_read() and ff_io_parse() refuse another network than a Boolean one
 * with FF_EUNSUPPORTED. The caller frees the contents of *out with ff_io_model_free(); on failure all networks are NULL. */
ff_status ff_io_read_model(ff_io_model *out, ff_format *found, const char *path, ff_format format, ff_error *err);
ff_status ff_io_parse_model(ff_io_model *out, ff_format *found, const char *text, size_t length, const char *file,
                            ff_format format, ff_error *err);
void ff_io_model_free(ff_io_model *model); /* frees what the struct owns, not the struct */

/* As ff_io_read_model() and ff_io_parse_model(), with what is done with the network; `given` may be NULL. */
ff_status ff_io_read_given(ff_io_model *out, ff_format *found, const char *path, ff_format format, const ff_io_given *given,
                           ff_error *err);
ff_status ff_io_parse_given(ff_io_model *out, ff_format *found, const char *text, size_t length, const char *file,
                            ff_format format, const ff_io_given *given, ff_error *err);

/* Reads a Petri net, on which ff_petri_finish() has been called, with values of its constants that replace those of the file,
 * and a set of values that is not the first one. `options` may be NULL. The caller frees *out with ff_petri_free(); on failure
 * it is NULL. FF_EUNSUPPORTED for a network of another kind. FF_FORMAT_AUTO takes XML for Snoopy's. */
ff_status ff_io_read_petri(ff_petri **out, ff_format *found, const char *path, ff_format format,
                           const ff_io_petri_options *options, ff_error *err);
ff_status ff_io_parse_petri(ff_petri **out, ff_format *found, const char *text, size_t length, const char *file, ff_format format,
                            const ff_io_petri_options *options, ff_error *err);

/* Writes a network to the file `path`, completely or not at all: it writes a temporary file in the same folder and renames
 * it. Devices and pipes are written directly. FF_EFILE if the disk is full. FF_EMODEL if the format cannot express the network:
 * several predictor functions per node in .bnet or SBML-qual, contexts anywhere except in .pbn. O(size of the file). */
ff_status ff_io_write(const ff_pbn *pbn, const char *path, ff_format format, ff_error *err);

/* The text that ff_io_write() would write, as a new terminated string that the caller frees. */
ff_status ff_io_text(char **text, const ff_pbn *pbn, ff_format format, ff_error *err);

/* The same two functions for a reaction network; the formats are FF_FORMAT_SBML and FF_FORMAT_BNGL. Names that the format does
 * not allow are replaced by ids (ff_sbml_ids()). FF_EMODEL if the format cannot express a formula, or for events in .net. A
 * network that was read from SBML, written as SBML and read again is the same, except that log1p(x) is written as log(1 + x). */
ff_status ff_io_write_reactions(const ff_reactions *net, const char *path, ff_format format, ff_error *err);
ff_status ff_io_reactions_text(char **text, const ff_reactions *net, ff_format format, ff_error *err);

/* The same two functions for a Petri net, on which ff_petri_finish() has been called; the formats are FF_FORMAT_ANDL for a net
 * without colours and FF_FORMAT_CANDL for one with colours, and each stands for the other. */
ff_status ff_io_write_petri(const ff_petri *net, const char *path, ff_format format, ff_error *err);
ff_status ff_io_petri_text(char **text, const ff_petri *net, ff_format format, ff_error *err);

/* The properties of the network that the format cannot express: bits of ff_lost, 0 if nothing is lost. O(nodes). */
typedef enum {
  FF_LOST_PERTURBATION = 1,
  FF_LOST_MODE = 2,
  FF_LOST_EXEMPT = 4,
  FF_LOST_INITIAL = 8,
  FF_LOST_REMOVED = 16
} ff_lost;
unsigned ff_io_lost(const ff_pbn *pbn, ff_format format);

/* "auto", "pbn", "boolnet", "bnet", "sbml", "bngl_net", "andl", "candl" or "snoopy", or NULL if the value is not a format. A
 * constant string. */
const char *ff_format_name(ff_format format);

#endif
