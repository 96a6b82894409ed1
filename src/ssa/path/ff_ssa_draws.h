/* What a random draw of this engine is for. The unit of a draw is the trajectory. */
#ifndef FF_SSA_DRAWS_H
#define FF_SSA_DRAWS_H

#include "../../base/ff_philox.h"
#include "../../random/ff_exponential.h"

enum {
  FF_SSA_DRAW_STEP = 0, /* by step. Block 0: words 0 and 1 for the waiting time, words 2 and 3 to choose the reaction; in a
                          * leap, the same for the critical reaction. Block 1, words 0 and 1: the second molecule of a pool */
  FF_SSA_DRAW_FIRST = 1, /* block r / 2, by step: a waiting time of reaction r from words 2 (r % 2) and 2 (r % 2) + 1 */
  FF_SSA_DRAW_FIRING = 2, /* block r, by firing of reaction r: words 0 and 1 for its next waiting time */
  FF_SSA_DRAW_CHECK = 3, /* by step. Block 0, words 0 and 1: whether a reaction that may fire does so. Block 1 + i, words 0 and
                          * 1: the i-th choice among the network's steps that happen at this time and have equal priorities */
  FF_SSA_DRAW_TRIAL = 5, /* block 0, 1, ..., by step: two words at a time, as many as a method with rejection needs */
  FF_SSA_DRAW_LEAP = 6   /* block r, by leap: words 0 and 1 are the key of the numbers of reaction r */
};

#endif
