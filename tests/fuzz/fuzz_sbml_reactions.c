/* make fuzz: the reader of SBML files that hold a reaction network. */
#define FORMAT FF_FORMAT_SBML
#include "fuzz_network.h"
