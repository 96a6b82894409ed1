/* Writes a Petri net as PNML, the XML of ISO/IEC 15909-2: the unfolded net, in the 2009 grammar, as a place/transition net.
 *
 * Such a net has places with numbers of tokens, transitions, and standard arcs with whole weights. All else is in elements
 * <toolspecific tool="fireflip" version="1">, which other programs pass over, so that nothing is lost without a trace; their
 * children have the namespace urn:fireflip:
 *   of the net         <parameter name= value=/>, <variable name=> with its formula
 *   of a place         <place kind="continuous"/> and fixed="true"; marking= if it is no whole number
 * of a transition    <transition kind="stochastic"> and so on; <rate>, <weight> or <delay> with a formula, massAction="true" if
 * it is
 *                      multiplied by what the transition takes; <at begin= period= end=/>;
 *                      <test kind="read" place="p3" weight="2"/>, and kinds inhibitor, equal and reset
 *   of an arc          <weight> with a number or formula, if it is no whole number
 * Ids are p1, t1, a1 and so on. Names are those in files: Ca_3_5 for Ca[3,5]. Formulas have R's grammar and use these names. */
#ifndef FF_IO_PNML_H
#define FF_IO_PNML_H

#include "../../model/petri/ff_petri_flat.h"
#include "../text/ff_io_parts.h"

/* A new terminated string, which the caller frees. FF_EMODEL if two places, or two transitions, or a place and a parameter
 * would have the same name. O(size of the net). */
ff_status ff_io_pnml_text(char **out, const ff_petri_flat *flat, ff_error *err);

#endif
