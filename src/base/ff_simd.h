/* Which of the processor's vector instructions to use. An engine compiles its inner loop once for each, and picks at run time. */
#ifndef FF_SIMD_H
#define FF_SIMD_H

#include "ff_base.h"

typedef enum { FF_SIMD_PORTABLE, FF_SIMD_AVX2, FF_SIMD_AVX512, FF_SIMD_BEST } ff_simd;

const char *ff_simd_name(ff_simd simd);

/* The widest that this processor runs. AVX-512 stands for its parts F, BW, DQ and VL. */
ff_simd ff_simd_best(void);

/* Turns FF_SIMD_BEST into what it is here; FF_EARGUMENT where the processor lacks what was asked for. */
ff_status ff_simd_choose(ff_simd *simd, ff_error *err);

#endif
