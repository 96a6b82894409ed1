/* make fuzz: the reader of BoolNet text files. */
#define FORMAT FF_FORMAT_BOOLNET
#include "fuzz_reader.h"
