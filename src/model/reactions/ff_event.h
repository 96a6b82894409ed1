/* Events: what SBML Level 3 defines, for reaction networks and for Petri nets. */
#ifndef FF_EVENT_H
#define FF_EVENT_H

#include "../ff_formula.h"

/* What an event sets: a species or place to what it holds, or a parameter to a number. If there is a factor, the value is
 * multiplied by it. All factors are computed when the event happens, before anything is set: so a concentration that was computed
 * at the trigger becomes an amount. */
typedef struct {
  uint32_t symbol;
  ff_formula value;
  ff_formula factor; /* empty for none */
} ff_event_set;

/* A change of the state that is not random. When the trigger becomes true, the event is due after its delay. At that time its
 * values are set, all at once. This is how SBML Level 3 defines events. */
typedef struct {
  char *name;
  ff_formula trigger;
  ff_formula delay;    /* computed when the trigger becomes true; empty for none */
  ff_formula priority; /* of events that are due at the same time, the largest comes first; an event whose priority is empty
                        * comes after those that have one */
  ff_event_set *sets;
  uint32_t n_sets;
  uint8_t initially;  /* the truth of the trigger before time 0 */
  uint8_t persistent; /* 0: if the trigger becomes false before the event is due, the event does not happen */
  uint8_t late;       /* 1: the values are computed when they are set, not when the trigger becomes true */
} ff_event;

/* Gives an event that sets nothing n values to set. O(n). */
ff_status ff_event_add_sets(ff_event *event, uint32_t n, ff_error *err);

/* Frees what an event owns. */
void ff_event_free(ff_event *event);

#endif
