#include "ff_backend.h"

#include "ff_build.inc" /* FF_BUILD: made by src/Makevars when the package is built */

const char *ff_backend_build(void) { return FF_BUILD; }
