/* make fuzz: the reader of .bnet files. */
#define FORMAT FF_FORMAT_BNET
#include "fuzz_reader.h"
