/* What ffi_ssa.c and ffi_ssa_tally.c share. */
#ifndef FFI_SSA_H
#define FFI_SSA_H

#include "../ssa/ff_ssa.h"
#include "ffi.h"

/* Makes a tally from the sums of n trajectories, whose histograms cannot be added to afterwards. The caller PROTECTs it. */
SEXP ffi_ssa_tally(ff_sums *sums, uint64_t n);

#endif
