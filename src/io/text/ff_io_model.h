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
  char unit[FF_IO_UNIT];
} ff_io_model;

/* What a user chooses of a Petri net's file: values that replace those of its constants, and the name of one of its value
 * sets; NULL is the first one. All are borrowed. */
typedef struct {
  const char *const *constant;
  const double *value;
  uint32_t n_constants;
  const char *valueset;
} ff_io_petri_options;

#endif
