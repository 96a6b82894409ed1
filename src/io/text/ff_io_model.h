/* What a reader of files gives. */
#ifndef FF_IO_MODEL_H
#define FF_IO_MODEL_H

#include "../../model/ff_model.h"
#include "../../model/reactions/ff_reactions.h"

#define FF_IO_UNIT 48

/* A network of either kind: one of the networks is NULL. `unit` is what the file says of the unit of its amounts, which are read
 * as counts, such as "mole"; it is "" if they are counts, or if the file tells no unit. */
typedef struct {
  ff_pbn *pbn;
  ff_reactions *reactions;
  char unit[FF_IO_UNIT];
} ff_io_model;

#endif
