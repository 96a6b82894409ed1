/* What the files of this folder share: processors and programs of R as those of C. */
#ifndef FFI_SSP_H
#define FFI_SSP_H

#include "../../ssp/program/ff_ssp_program.h"
#include "../ffi.h"

/* A processor of R: a list with a number for each field of ff_ssp_chip, and the memory's name. Raises an error if it is none. */
ff_ssp_chip ffi_ssp_chip(SEXP chip);

/* Reads an image, a raw vector, and returns an external pointer that holds the program, which the caller PROTECTs. */
SEXP ffi_ssp_hold(SEXP image, ff_ssp_program **out);

#endif
