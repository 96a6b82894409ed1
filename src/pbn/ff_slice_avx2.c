/* The sliced program with 256-bit vectors. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,popcnt")
#endif
#include <immintrin.h>
#include <string.h>

#include "ff_pbn_program.h"

#define FF_KERNEL(name) ff_slice_##name##_avx2
#define V __m256i
#define VL 4
#define V_LOAD(p) _mm256_load_si256((const __m256i *)(const void *)(p))
#define V_STORE(p, v) _mm256_store_si256((__m256i *)(void *)(p), v)
#define V_SET1(x) _mm256_set1_epi64x((long long)(x))
#define V_AND(a, b) _mm256_and_si256(a, b)
#define V_OR(a, b) _mm256_or_si256(a, b)
#define V_XOR(a, b) _mm256_xor_si256(a, b)
#define V_ANDN(a, b) _mm256_andnot_si256(b, a)
#define V_MUX(m, a, b) _mm256_or_si256(_mm256_and_si256(m, a), _mm256_andnot_si256(m, b))
#define V_XOR3(a, b, c) _mm256_xor_si256(_mm256_xor_si256(a, b), c)
#define V_MAJ(a, b, c) _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(c, _mm256_xor_si256(a, b)))
#define V_XAND(a, b, c) _mm256_xor_si256(_mm256_and_si256(a, b), c)
#define V_DIRECT 4
#define V_MUL(a, b) _mm256_mul_epu32(a, b)
#define V_ADD(a, b) _mm256_add_epi64(a, b)
#define V_HIGH(a) _mm256_srli_epi64(a, 32)
#define V_SHIFT(a, n) _mm256_srli_epi64(a, n)
#define V_JOIN(low, high) _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xAA)
#define V_RAMP(start, step) \
  _mm256_add_epi64(_mm256_set1_epi64x((long long)(start)), _mm256_set_epi64x(3 * (step), 2 * (step), (step), 0))
#define V_NONZERO(a) \
  (15u ^ (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, _mm256_setzero_si256()))))

static inline void v_spread(uint32_t *counts, uint64_t bits, uint32_t weight) {
  const __m256i select = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1), add = _mm256_set1_epi32((int)weight);
  for (int i = 0; i < 8; i++) {
    __m256i *at = (__m256i *)(void *)(counts + 8 * i);
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)(bits >> (8 * i) & 0xFF)), select);
    set = _mm256_and_si256(_mm256_cmpeq_epi32(set, select), add);
    _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), set));
  }
}

#include "ff_slice_kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int ff_slice_avx2_is_for_x86;
#endif
