/* How often each number occurs: a hash table from doubles to counts. */
#ifndef FF_FREQUENCY_H
#define FF_FREQUENCY_H

#include "ff_base.h"

typedef struct {
  double value;
  uint64_t count; /* 0 for an entry that is free */
} ff_frequency_entry;

/* Empty when all its bytes are 0. */
typedef struct {
  ff_frequency_entry *entry;
  size_t room, used; /* room is 0 or a power of two, and at least twice `used` */
} ff_frequency;

void ff_frequency_free(ff_frequency *table);

/* Adds `count` occurrences of a number. -0 counts as 0, and all NaN as one number. *bytes grows by the memory that was allocated.
 * FF_EMEMORY leaves the table as it is. O(1) on average. */
ff_status ff_frequency_add(ff_frequency *table, double value, uint64_t count, uint64_t *bytes, ff_error *err);

/* Writes the `used` different numbers in ascending order, NaN last, with their counts. Each array has room for them, or is NULL.
 * The table cannot be added to afterwards. O(used log used). */
void ff_frequency_list(ff_frequency *table, double *values, double *counts);

#endif
