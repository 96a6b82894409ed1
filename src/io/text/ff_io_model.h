/* What a reader of files gives. */
#ifndef FF_IO_MODEL_H
#define FF_IO_MODEL_H

#include "../../model/ff_model.h"
#include "../../model/petri/ff_petri.h"
#include "../../model/reactions/ff_reactions.h"

#define FF_IO_UNIT 48

/* A network of one of three kinds: the others are NULL. `unit` is what the file says of the unit of its amounts, which are read
 * as counts, such as "mole"; it is "" if they are counts, or if the file tells no unit. */
typedef struct {
  ff_pbn *pbn;
  ff_reactions *reactions;
  ff_petri *petri;
  int marked; /* whether marks of write_network() tell which species are levels, and so which reactions flow */
  double factor; /* items in a unit of amounts, which have become counts; 0 if they have not */
  uint32_t n_lost, first_lost; /* species that begin with more than 0 but were rounded to 0, and the first of them */
  char unit[FF_IO_UNIT];
} ff_io_model;

/* What is done with the network that is read. All are borrowed, and may be NULL for none.
 *
 * `counts` are species whose initial counts the caller sets afterwards. What a file says of these need not be a count: it may
 * also be missing or not whole, and is then read as 0. Other names are ignored.
 *
 * With `converts`, amounts become counts: one unit has `particles` items or, if this is 0, so many as the file's unit says. With
 * `rounds`, initial values become the nearest whole numbers, and so do counts that events set. `volume`, if it is not 0, is the
 * size of compartments without one. Only SBML has units, compartments and events.
 *
 * With `flows`, the network becomes a Petri net. Rate rules of SBML are not solved: what they determine becomes a species that is
 * a level (`real` of ff_reactions), which a reaction without reactants changes, whose rate is the rule and which flows. Species
 * `levels` are levels, too, and so are those that write_network() has marked. With `all_levels`, all species are levels. */
typedef struct {
  ff_names *counts, *levels;
  int flows, all_levels, converts, rounds;
  double particles, volume;
} ff_io_given;

/* What a user chooses of a Petri net's file: values that replace those of its constants, and the name of one of its value
 * sets; NULL is the first one. All are borrowed. */
typedef struct {
  const char *const *constant;
  const double *value;
  uint32_t n_constants;
  const char *valueset;
} ff_io_petri_options;

#endif
