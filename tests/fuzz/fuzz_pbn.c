/* make fuzz: the reader of .pbn files. */
#define FORMAT FF_FORMAT_ASSA
#include "fuzz_reader.h"
