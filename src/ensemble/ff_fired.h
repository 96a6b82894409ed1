/* A firing as devices list it. Generated code includes this text, too. */
#ifndef FF_FIRED_H
#define FF_FIRED_H

#include <stdint.h>

typedef struct {
  uint32_t unit;     /* the number of its trajectory in the wave */
  uint32_t what;     /* such as the number of a reaction */
  double time;       /* since the start */
} ff_fired;

#endif
