/* In vectors of 512 bits. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif

#define FF_KERNEL(name) ff_petri_lanes_##name##_avx512
#include "ff_petri_lanes_kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int ff_petri_lanes_avx512_is_for_x86;
#endif
