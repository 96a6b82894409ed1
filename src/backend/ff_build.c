#include "ff_backend.h"

#include "ff_build.inc" /* defines FF_BUILD; src/Makevars makes it when the package is built */

const char *ff_backend_build(void) { return FF_BUILD; }
