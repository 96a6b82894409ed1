/* The sliced program with 512-bit vectors, which have an instruction for any operation with three inputs. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")
#endif
#include <immintrin.h>
#include <string.h>

#include "ff_pbn_program.h"

#define FF_KERNEL(name) ff_slice_##name##_avx512
#define V __m512i
#define VL 8
#define V_LOAD(p) _mm512_load_si512((const void *)(p))
#define V_STORE(p, v) _mm512_store_si512((void *)(p), v)
#define V_SET1(x) _mm512_set1_epi64((long long)(x))
#define V_AND(a, b) _mm512_and_si512(a, b)
#define V_OR(a, b) _mm512_or_si512(a, b)
#define V_XOR(a, b) _mm512_xor_si512(a, b)
#define V_ANDN(a, b) _mm512_andnot_si512(b, a)
#define V_MUX(m, a, b) _mm512_ternarylogic_epi64(m, a, b, 0xCA)
#define V_XOR3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define V_MAJ(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0xE8)
#define V_XAND(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x6A)
#define V_DIRECT 6
#define V_MUL(a, b) _mm512_mul_epu32(a, b)
#define V_ADD(a, b) _mm512_add_epi64(a, b)
#define V_HIGH(a) _mm512_srli_epi64(a, 32)
#define V_SHIFT(a, n) _mm512_srli_epi64(a, n)
#define V_JOIN(low, high) _mm512_mask_blend_epi32(0xAAAA, low, _mm512_slli_epi64(high, 32))
#define V_RAMP(start, step)                                        \
  _mm512_add_epi64(_mm512_set1_epi64((long long)(start)),          \
                   _mm512_set_epi64(7 * (step), 6 * (step), 5 * (step), 4 * (step), 3 * (step), 2 * (step), (step), 0))
#define V_NONZERO(a) ((uint32_t)_mm512_test_epi64_mask(a, a))

static inline void v_spread(uint32_t *counts, uint64_t bits, uint32_t weight) {
  const __m512i add = _mm512_set1_epi32((int)weight);
  for (int i = 0; i < 4; i++) {
    __m512i old = _mm512_loadu_si512((const void *)(counts + 16 * i));
    _mm512_storeu_si512((void *)(counts + 16 * i), _mm512_mask_add_epi32(old, (__mmask16)(bits >> (16 * i)), old, add));
  }
}

#include "ff_slice_kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int ff_slice_avx512_is_for_x86;
#endif
