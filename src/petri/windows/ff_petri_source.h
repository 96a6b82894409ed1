/* Where a given level of a block comes from. */
#ifndef FF_PETRI_SOURCE_H
#define FF_PETRI_SOURCE_H

#include "../../base/ff_base.h"

typedef struct {
  uint32_t neighbour, level; /* the neighbour's number in the list of the block, and its level */
} ff_petri_source;

#endif
