/* Snoopy's own files: .pn, .xpn, .spn, .cpn, .hpn, the coloured ones, such as .colhpn, and the fuzzy ones, such as .colfspn.
 *
 * They are XML: <Snoopy> has <netclass name=...>, then classes of nodes, edges and metadata; their elements have <attribute
 * name=...> with a text, or with a table (<colList>) whose row or column in use the file says. Read are
 *   nodes     places and continuous places; transitions of the five kinds; old parameters. Nodes of the same class that have the
 *             same name and are both logical are one node. Coarse nodes only group others. A lookup table is FF_EUNSUPPORTED.
 *   edges     standard, read, inhibitor, equal, reset and modifier arcs
 *   metadata  constants with their value sets, functions, observers, sets of colours, variables, functions of colours
 * The texts in them follow the grammar of CANDL: see ff_io_candl.h. Other classes of metadata, positions and looks are passed
 * over, as Snoopy's own export of a net does; other attributes of nodes and edges are FF_EUNSUPPORTED unless they are empty or
 * 0.
 *
 * An inscription of a coloured reset arc only picks the colours that become 0; a count in it has no meaning, as in Snoopy. A
 * place without a name is called _P_7 with its ID, and a transition _T_7, or after the first letter of its class. A character
 * that names must not have becomes '_'. In a net without time, each transition has the rate 1. A constant of a fuzzy net that
 * is a triangular number (TFN), a,b,c, is read if the three are the same or if the options give its value; else it is
 * FF_EUNSUPPORTED. */
#ifndef FF_IO_SNOOPY_H
#define FF_IO_SNOOPY_H

#include "ff_io_candl.h"

/* `options` may be NULL. Its value set is looked for in the constants, which keep the value that is in use if they do not have
 * it; NULL is the one in use. On failure *out is NULL. O(length of the text) on average, not counting ff_petri_finish(). */
ff_status ff_io_snoopy_parse(ff_petri **out, const char *text, size_t length, const char *file,
                             const ff_io_petri_options *options, ff_error *err);

#endif
