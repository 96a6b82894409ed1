/* make fuzz: the reader of SBML-qual files. */
#define FORMAT FF_FORMAT_SBML
#include "fuzz_reader.h"
