/* Writes a Petri net as PNML, the XML of ISO/IEC 15909-2: the unfolded net, in the 2009 grammar, as a place/transition net.
 *
 * Such a net has places with numbers of tokens, transitions, and standard arcs with whole weights. All else is in elements
 * <toolspecific tool="fireflip" version="1">, which other programs pass over, so that nothing is lost without a trace. They hold
 * elements of the namespace urn:fireflip:
 *   in the net         <symbols> with <parameter name= value=/>, and <variable name=> with its formula
 *   in a place         <place kind="continuous"/>, or fixed="true"; marking= if it is no whole number
 *   in a transition    <transition kind="stochastic"> and so on, with <rate>, <flow>, <weight> or <delay>, a formula, which has
 *                      massAction="true" if it is multiplied by what the transition takes; <at begin= period= end=/>; and
 *                      <test kind="read" place="p3" weight="2"/>, also of the kinds inhibitor, equal and reset
 *   in an arc          <weight> with a number or formula, if it is no whole number
 * Ids are p1, t1, a1 and so on. Names are those in files: Ca_3_5 for Ca[3,5]. Formulas have R's grammar and use these names. */
#ifndef FF_IO_PNML_H
#define FF_IO_PNML_H

#include "../../model/petri/ff_petri_flat.h"
#include "../text/ff_io_parts.h"

/* A new terminated string, which the caller frees. FF_EMODEL if two places, or two transitions, or a place and a parameter
 * would have the same name. O(size of the net). */
ff_status ff_io_pnml_text(char **out, const ff_petri_flat *flat, ff_error *err);

#endif
