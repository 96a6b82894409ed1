/* make fuzz: the reader of BioNetGen's network format. */
#define FORMAT FF_FORMAT_BNGL
#include "fuzz_network.h"
