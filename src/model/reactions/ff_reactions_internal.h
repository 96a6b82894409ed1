/* What the files of reaction networks share. */
#ifndef FF_REACTIONS_INTERNAL_H
#define FF_REACTIONS_INTERNAL_H

#include "ff_reactions.h"

/* Checks all that the comments at ff_event state, and that the names differ. O(size of the network). */
ff_status ff_events_check(const ff_reactions *net, ff_error *err);

/* Frees what a reaction has, not the struct, and empties it. */
void ff_reaction_free(ff_reaction *reaction);

/* Sets found[r] to 1 for each reaction whose rate subtracts or has a negative number or parameter, also in a variable that it
 * names, else to 0. *n becomes how many there are. O(length of the formulas). Defined in ff_difference.c. */
ff_status ff_reactions_subtract(uint8_t *found, uint32_t *n, const ff_reactions *net, ff_error *err);

#endif
