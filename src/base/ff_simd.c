#include "ff_simd.h"

const char *ff_simd_name(ff_simd simd) {
  return simd == FF_SIMD_AVX512 ? "AVX-512" : simd == FF_SIMD_AVX2 ? "AVX2" : simd == FF_SIMD_PORTABLE ? "portable" : "best";
}

ff_simd ff_simd_best(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return FF_SIMD_AVX512;
  if (__builtin_cpu_supports("avx2")) return FF_SIMD_AVX2;
#endif
  return FF_SIMD_PORTABLE;
}

ff_status ff_simd_choose(ff_simd *simd, ff_error *err) {
  ff_simd best = ff_simd_best();
  if (*simd == FF_SIMD_BEST) *simd = best;
  if (*simd <= best) return FF_OK;
  return ff_error_set(err, FF_EARGUMENT, "this processor has no %s (its best is %s)", ff_simd_name(*simd), ff_simd_name(best));
}
