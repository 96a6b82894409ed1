/* The events of a reaction network in SBML. */
#ifndef FF_IO_SBML_EVENTS_H
#define FF_IO_SBML_EVENTS_H

#include "ff_io_sbml_symbols.h"

/* Events whose symbols are those of the table. */
typedef struct {
  uint32_t n;
  ff_event *event;
} ff_sbml_events;

/* Reads all events of a model. The caller frees what *events owns with ff_sbml_events_free(), also on failure. FF_EUNSUPPORTED
 * for what a reaction network does not have. O(size of the events), not counting the expansion of functions. */
ff_status ff_sbml_events_read(ff_sbml_events *events, ff_sbml_table *table, Model_t *model);
void ff_sbml_events_free(ff_sbml_events *events);

/* Sets used[i] to 1 for each symbol of the table that an event names. A compartment, parameter or species reference must have a
 * value. O(size of the events). */
ff_status ff_sbml_events_mark(const ff_sbml_events *events, const ff_sbml_table *table, uint32_t *used);

/* Moves the events to a network without events. number[i] is the symbol of the network for symbol i of the table. O(size of the
 * events). */
ff_status ff_sbml_events_move(ff_sbml_events *events, const ff_sbml_table *table, const uint32_t *number, ff_reactions *net);

#endif
