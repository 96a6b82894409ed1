/* ANDL and CANDL, the texts in which Charlie, MARCIE, Snoopy and Spike exchange Petri nets:
 *
 *     colhpn [name] {
 *     constants:       valuesets[Main:Large]  all: int D = [5:60]; double k = 0.1;
 *     functions:       twice(a) = 2 * a;
 *     colorsets:       X = {1..D}; Grid = PROD(X,X); Odd = Grid[x%2=1]; Kind = {a,b}; All = A + B;
 *     variables:       X : x;
 *     colorfunctions:  bool near(X x, X y) { x=y+1 | x=y-1 };
 *     places:          discrete: Grid A = 3`all; B = 2;  continuous: X C = [x=1] 0.5`x;
 *     observers:       total = A + B;
 *     transitions:     stochastic: t {[near(x,y)]} : [B >= 2] & [B < 5] : [A - {(x,y)}] & [B + 1] : MassAction(k);
 *     }
 *
 * The type is pn, xpn, spn, gspn, xspn, cpn, hpn or tpn, with "col" before it for colours. Sections may be missing, and have
 * any order. Names in brackets may hold blanks. Comments are as in C++. ff_io_candl.h tells how inner texts are read.
 *
 * Kinds: places and transitions stand under discrete:, continuous:, stochastic:, immediate:, deterministic: and scheduled:.
 * Without such a word they are continuous in a cpn; else places are discrete and transitions stochastic.
 *
 * A transition is NAME {[guard]} : conditions : changes : number ; with parts that & joins. A missing number is 1, and so is
 * the rate of all transitions of pn and xpn. Of a scheduled one, it is begin, period, end, where _SimStart is 0 and _SimEnd is
 * no end.
 *     [p >= w] read   [p < w] inhibitor   [p = w] equal   [p] modifier
 *     [p - w] takes   [p + w] adds        [p = w] sets: a reset to 0, and for w other than 0 an arc that adds w
 * In coloured nets w stands in braces, as inscription. There [p = {x}] picks a colour, which is reset to 0; an explicit count
 * sets it, as in [p = {2`x}]. [p >= w] & [p < w + 1] on a discrete place is an equal arc, and is written for it.
 *
 * All constants become parameters. Sets of colours keep the values that they have when they are read.
 *
 * What is written is read as the same net, except for its names: a character that a name cannot have becomes "_", and a word
 * of the language, or a name that begins with a digit, gets a "_". */
#ifndef FF_IO_ANDL_H
#define FF_IO_ANDL_H

#include "../../model/petri/ff_petri.h"
#include "../text/ff_io_model.h"

/* Reads a net, on which ff_petri_finish() has been called. `text` is borrowed; `options` may be NULL. The caller frees *out
 * with ff_petri_free(); on failure it is NULL. A configuration of Spike (.spc) is FF_EUNSUPPORTED; the message has the call of
 * simulate() that it means, where it can be told. O(size of the text), not counting sets of colours that are defined before
 * others that they need. */
ff_status ff_io_andl_parse(ff_petri **out, const char *text, size_t length, const char *file, const ff_io_petri_options *options,
                           ff_error *err);

/* 1 if a line starts a net (2 with colours) or a configuration of Spike, else 0. */
int ff_io_andl_starts(const char *line, size_t length);

/* Writes a net, on which ff_petri_finish() has been called: CANDL if anything has colours, else ANDL. The caller frees *text.
 * FF_EMODEL for what the format cannot say, such as a place that is fixed, and if two names would become one. O(size of the
 * text). */
ff_status ff_io_andl_text(char **text, const ff_petri *net, ff_error *err);
int ff_io_andl_is_coloured(const ff_petri *net);

#endif
