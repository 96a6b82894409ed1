/* The inner texts of Petri nets that CANDL files and Snoopy's XML share: constants, sets of colours, colour functions,
 * markings, inscriptions of arcs, guards and rates. Each function reads one text and adds what it says to an ff_petri.
 *
 * The order of the calls is: constants, ff_candl_constants_done(); functions; sets and indices in any order,
 * ff_candl_colours_done(); colour functions; places; observers, ff_candl_observers_done(); markings; transitions, each with
 * its arcs before its rate, since a rate depends on them; ff_petri_finish().
 *
 * Colours are written as in CANDL: a guard has = <> != < <= > >= & | ! + - * / % and a sign before an index for the colour
 * that follows it or comes before it; && || == are read too. The word `all`, or all(), stands for all colours of a place.
 *
 * Numbers are written as in CANDL: = and <> compare, sqr(x) is x^2, _SimTime is the time, and a function of the section
 * functions: is replaced by its body. A bare coloured place is the sum over the colours that the inputs of the transition
 * (arcs of all kinds but output arcs) pick for it, each colour once whatever its count; of several inputs from one place, the
 * last inscription counts. P[e] is one colour, P[all] and #(P) the sum over all colours, a variable, [x] or [val(x)] the
 * number of its colour.
 *
 * MassAction(k) of a flow is k times the product of m^w over inputs that take and that read, and else of binomials; ours
 * counts what standard arcs take alone, and divides m^w by w!. So what read and equal arcs contribute becomes a factor of the
 * rate, and a flow whose weights are not all 1 gets the formula k * A^2. Of LevelInterpretation(k, N), k N prod m / N over all
 * inputs, and MichaelisMenten(V, K), V P / (K + P) with P the product of m^w, the formula is read. "Bio" before these names
 * changes nothing.
 *
 * All errors name the place in the file, what was found and what was expected. */
#ifndef FF_IO_CANDL_H
#define FF_IO_CANDL_H

#include "../../model/petri/ff_petri.h"
#include "../text/ff_io_model.h"
#include "../text/ff_io_parts.h"

/* What is known while a net is read, beside the net. */
typedef struct ff_candl ff_candl;

/* Borrows `net`, and `options`, which may be NULL. The caller frees *out with ff_candl_free(), which accepts NULL. */
ff_status ff_candl_new(ff_candl **out, ff_petri *net, const ff_io_petri_options *options, ff_error *err);
void ff_candl_free(ff_candl *candl);

/* A constant. `type` is int, double or bool (string is FF_EUNSUPPORTED); `value` is an expression of other constants, in any
 * order; an int computes in whole numbers, and / rounds towards 0. A value of the options replaces it. */
ff_status ff_candl_constant(ff_candl *candl, ff_span type, ff_span name, ff_span value, ff_place place);
/* Adds all constants to the net as parameters, in the order of the calls. Fails if the options name another one, or if a value
 * depends on itself. O(size of the texts). */
ff_status ff_candl_constants_done(ff_candl *candl, ff_place place);
/* Chooses among the value sets of a file: the number of the one that the options name, or 0. Fails if there is none. `file` is
 * the place of the message. */
ff_status ff_candl_valueset(ff_candl *candl, const ff_span *name, uint32_t n, uint32_t *chosen, ff_place place);

/* A function of numbers: `arguments` is "a, b", `body` an expression of them and of constants and functions before this one. */
ff_status ff_candl_function(ff_candl *candl, ff_span name, ff_span arguments, ff_span body, ff_place place);

/* A set of colours. `text` is {1..N}, {1..10,15}, {a,b,c}, {"s","t"}, {dot}, PROD(X,Y), Parent[predicate], A + B, or the name
 * of another set. Sets that it names may come later. `name` and `text` must live until ff_candl_colours_done(). */
ff_status ff_candl_set(ff_candl *candl, ff_span name, ff_span text, ff_place place);
/* A variable of colours: an index of the net. */
ff_status ff_candl_index(ff_candl *candl, ff_span name, ff_span set, ff_place place);
/* Adds all sets and indices to the net: those that do not need others first. */
ff_status ff_candl_colours_done(ff_candl *candl);
/* A function of colours: `arguments` is "X x, Y y". */
ff_status ff_candl_colour_function(ff_candl *candl, ff_span name, ff_span arguments, ff_span body, ff_place place);

/* A place; `set` is the name of its set of colours, or empty. Its number is net->n_places - 1 then. */
ff_status ff_candl_place(ff_candl *candl, ff_span set, ff_span name, int continuous, int fixed, ff_place place);
/* A marking of place number `number`, such as 3`all, 0++1++2, c`(1,2), [x=1 & y=2] 5`(x,y), or an expression of constants for
 * an uncoloured place. An empty text is 0. */
ff_status ff_candl_marking(ff_candl *candl, uint32_t number, ff_span text, ff_place place);

/* A transition; its number is also *number. */
ff_status ff_candl_transition(ff_candl *candl, ff_span name, ff_petri_kind kind, uint32_t *number, ff_place place);

/* The guard of a transition. An empty one, or `true`, is none. */
ff_status ff_candl_guard(ff_candl *candl, uint32_t transition, ff_span text, ff_place place);

/* Adds arcs of a kind between a transition and a place. `text` is the inscription: for a coloured place (x,y),
 * 2`(x,y)++1`(+x,y), 15++16, x++y, all, each part with a guard before it if it has brackets: [x<y] 2`(x,y); for an uncoloured
 * place, a number or an expression of constants and places. An empty text is 1 of an uncoloured place. A weight of 0 makes no
 * arc. An FF_ARC_RESET with an explicit count, 2`x (or an expression other than 0), also adds an output arc of this weight. */
ff_status ff_candl_arc(ff_candl *candl, uint32_t transition, ff_petri_arc_kind kind, uint32_t number, ff_span text,
                       ff_place place);

/* The rate, weight or delay of a transition, or of a scheduled one "begin, period, end". Pieces have predicates before them:
 * [x=1] f ++ [x=2] g. An empty text is 1. All arcs of this transition, and no arc of another one after them, must have been
 * added. */
ff_status ff_candl_rate(ff_candl *candl, uint32_t transition, ff_span text, ff_place place);

/* An observer: a variable of the net. It may name observers that come later. All observers, and all places, are read before
 * the first marking and transition: their formulas number what they name. ff_candl_observers_done() adds the observers to the
 * net; the first marking and the first transition call it, too. */
ff_status ff_candl_observer(ff_candl *candl, ff_span name, ff_span text, ff_place place);
ff_status ff_candl_observers_done(ff_candl *candl);

#endif
