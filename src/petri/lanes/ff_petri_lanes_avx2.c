/* In vectors of 256 bits. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define FF_KERNEL(name) ff_petri_lanes_##name##_avx2
#include "ff_petri_lanes_kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int ff_petri_lanes_avx2_is_for_x86;
#endif
