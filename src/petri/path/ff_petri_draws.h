/* What a random draw of this engine is for. The unit of a draw is the trajectory. */
#ifndef FF_PETRI_DRAWS_H
#define FF_PETRI_DRAWS_H

#include "../../base/ff_philox.h"
#include "../../random/ff_exponential.h"

enum {
  FF_PETRI_DRAW_FIRING = 0,    /* block g, by firing of group g: words 0 and 1 are the threshold of its next firing, words 2 and
                                * 3 choose what fires */
  FF_PETRI_DRAW_IMMEDIATE = 1, /* block 0, by choice among immediate transitions: words 0 and 1. In windows, a block of the net
                                * has one of its own */
  FF_PETRI_DRAW_ORDER = 2,     /* block i, by batch of simultaneous timed transitions: words 0 and 1 choose the i-th one. In
                                * windows, a block of the net has as many as it has timed transitions */
  FF_PETRI_DRAW_TIE = 3        /* block 0, by choice among events of the same priority: words 0 and 1 */
};

#endif
