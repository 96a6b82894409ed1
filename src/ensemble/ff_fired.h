/* A firing as devices list it, and the largest count there. Generated code includes this text, too. */
#ifndef FF_FIRED_H
#define FF_FIRED_H

#include <stdint.h>

#define FF_DEVICE_MOST 0x3FFFFFFFu /* the largest count on a device, and the largest sum of counts that it keeps */

typedef struct {
  uint32_t unit;     /* the number of its trajectory in the wave */
  uint32_t what;     /* such as the number of a reaction */
  double time;       /* since the start */
} ff_fired;

#endif
