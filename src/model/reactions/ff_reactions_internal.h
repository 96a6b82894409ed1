/* What the files of reaction networks share. */
#ifndef FF_REACTIONS_INTERNAL_H
#define FF_REACTIONS_INTERNAL_H

#include "ff_reactions.h"

/* Checks all that the comments at ff_event state, and that the names differ. O(size of the network). */
ff_status ff_events_check(const ff_reactions *net, ff_error *err);

#endif
