/* Without vector instructions beyond those that every processor of this kind has. */
#define FF_KERNEL(name) ff_petri_lanes_##name##_portable
#include "ff_petri_lanes_kernel.h"
