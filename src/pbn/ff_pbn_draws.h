/* The purposes of random draws (see base/ff_philox.h) in Boolean networks. The unit is a tile in sliced programs and a
 * trajectory in packed ones. FURTHER draws are the last bits of a number whose first bits equal those of the bound that it is
 * compared with. */
#ifndef FF_PBN_DRAWS_H
#define FF_PBN_DRAWS_H

#include "../base/ff_philox.h"

enum {
  FF_DRAW_INITIAL = 0,
  FF_DRAW_FLIPS = 1,
  FF_DRAW_SELECT = 2,
  FF_DRAW_REMAINDER = 3,
  FF_DRAW_FLIPS_FURTHER = 4,
  FF_DRAW_SELECT_FURTHER = 5
};

#endif
