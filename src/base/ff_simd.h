/* The choice of the processor's vector instructions. An engine compiles its inner loop once for each kind and chooses at run
 * time. */
#ifndef FF_SIMD_H
#define FF_SIMD_H

#include "ff_base.h"

typedef enum { FF_SIMD_PORTABLE, FF_SIMD_AVX2, FF_SIMD_AVX512, FF_SIMD_BEST } ff_simd;

/* The name of a kind, for messages. A constant string. */
const char *ff_simd_name(ff_simd simd);

/* The widest kind that this processor supports. AVX-512 requires its parts F, BW, DQ and VL. */
ff_simd ff_simd_best(void);

/* Replaces FF_SIMD_BEST by the best kind of this processor. Fails with FF_EARGUMENT if the processor lacks the kind asked
 * for. */
ff_status ff_simd_choose(ff_simd *simd, ff_error *err);

#endif
