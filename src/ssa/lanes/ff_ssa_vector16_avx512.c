/* Trajectories in vectors of 512 bits. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#endif
#include <immintrin.h>
#include <math.h>

#include "../../model/ff_formula_math.h"
#include "../path/ff_ssa_draws.h"
#include "ff_ssa_factored.h"
#include "ff_ssa_ring16.h"
#include "ff_ssa_vector32.h"
#include "ff_ssa_vector16.h"

#define FF_KERNEL(name) ff_ssa_##name##_avx512
#define D __m512d
#define U __m512i
#define M __mmask8
#define VL 8
#define D_LOAD(p) _mm512_load_pd(p)
#define D_LOAD_SMALL(p) _mm512_cvtepi32_pd(_mm256_load_si256((const void *)(p)))
#define D_STORE(p, v) _mm512_store_pd(p, v)
#define D_SET(x) _mm512_set1_pd(x)
#define U_LOAD(p) _mm512_load_si512((const void *)(p))
#define U_STORE(p, v) _mm512_store_si512((void *)(p), v)
#define U_SET(x) _mm512_set1_epi64((long long)(x))
#define D_LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define D_MOST(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ)
#define D_TABLE(t, i) _mm512_permutex2var_pd(_mm512_load_pd(t), i, _mm512_load_pd((t) + 8))
#define D_LONG_TABLE(t, i) _mm512_mask_blend_pd(_mm512_cmpgt_epi64_mask(i, U_SET(15)), D_TABLE(t, i), D_TABLE((t) + 16, i))
#define U_EQUAL(a, b) _mm512_cmpeq_epi64_mask(a, b)
#define M_AND(a, b) ((M)((a) & (b)))
#define M_OR(a, b) ((M)((a) | (b)))
#define M_NOT(a) ((M)(~(a)))
#define M_NONE ((M)0)
#define M_BITS(a) ((uint32_t)(a))
#define D_PICK(m, a, b) _mm512_mask_blend_pd(m, b, a)
#define D_RAISE(m, a, b) D_PICK(m, a, b)
#define D_LEAST(a, b) _mm512_min_pd(a, b)
#define D_GREATEST(a, b) _mm512_max_pd(a, b)
#define U_COUNT(m, n) _mm512_mask_add_epi64(n, m, n, U_SET(1))
#define U_PICK(m, a, b) _mm512_mask_blend_epi64(m, b, a)
#define U_MUL(a, b) _mm512_mul_epu32(a, b)
#define U_XOR3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define U_AND(a, b) _mm512_and_si512(a, b)
#define U_OR(a, b) _mm512_or_si512(a, b)
#define U_ADD(a, b) _mm512_add_epi64(a, b)
#define U_RIGHT(a, n) _mm512_srli_epi64(a, n)
#define U_LEFT(a, n) _mm512_slli_epi64(a, n)
#define U_JOIN(high, low) _mm512_ternarylogic_epi64(_mm512_slli_epi64(high, 32), low, U_SET(0xFFFFFFFF), 0xF8)
#define D_WHOLE(high, low) _mm512_cvtepu64_pd(U_RIGHT(U_JOIN(high, low), 11))
#define D_OF(u) _mm512_castsi512_pd(u)
#define U_OF(d) _mm512_castpd_si512(d)
#define D_GATHER(base, index) ff_ssa_gather_real_avx512(base, _mm512_add_epi64(_mm512_slli_epi64(index, 4), FF_SSA_LANE_NUMBERS))
#define FF_SSA_LANE_NUMBERS _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)

#define I __m512i
#define IM __mmask16
#define IL 16
#define I_LOAD(p) _mm512_load_si512((const void *)(p))
#define I_STORE(p, v) _mm512_store_si512((void *)(p), v)
#define I_SET(x) _mm512_set1_epi32((int)(x))
#define I_ADD(a, b) _mm512_add_epi32(a, b)
#define I_SUB(a, b) _mm512_sub_epi32(a, b)
#define I_MUL(a, b) _mm512_mullo_epi32(a, b)
#define I_AND(a, b) _mm512_and_si512(a, b)
#define I_LEAST(a, b) _mm512_min_epu32(a, b)
#define I_LEFT(a, n) _mm512_slli_epi32(a, n)
#define I_RIGHT(a, n) _mm512_srli_epi32(a, n)
#define I_RIGHT_SIGNED(a, n) _mm512_srai_epi32(a, n)
#define I_RIGHT_EACH(a, b) _mm512_srlv_epi32(a, b)
#define I_RIGHT_BY(a, n) _mm512_srl_epi32(a, _mm_cvtsi32_si128((int)(n)))
#define I_LEFT_BY(a, n) _mm512_sll_epi32(a, _mm_cvtsi32_si128((int)(n)))
#define I_EQUAL(a, b) _mm512_cmpeq_epi32_mask(a, b)
#define I_MOST(a, b) _mm512_cmple_epi32_mask(a, b)
#define I_PICK(m, a, b) _mm512_mask_blend_epi32(m, b, a)
#define I_COUNT(m, n) _mm512_mask_add_epi32(n, m, n, _mm512_set1_epi32(1))
#define I_OF(d) _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32((d)[0])), _mm512_cvttpd_epi32((d)[1]), 1)
#define I_GATHER(p, i) ff_ssa_gather_avx512(p, i)
#define I_SCATTER(p, i, x) _mm512_i32scatter_epi32((void *)(p), i, x, 4)
#define I_TABLE8(p, i) _mm512_permutexvar_epi32(i, _mm512_castsi256_si512(_mm256_load_si256((const void *)(p))))
#define I_TABLE32(p, i) _mm512_permutex2var_epi32(I_LOAD(p), i, I_LOAD((p) + 16))
#define D_SCATTER(base, index, x) \
  _mm512_i64scatter_pd(base, _mm512_add_epi64(_mm512_slli_epi64(index, 4), FF_SSA_LANE_NUMBERS), x, 8)

/* A gather keeps the lanes that its mask excludes, so it waits for the old value of its result. gcc would take any register for
 * that, often one that is not ready. It does not see here that the mask excludes nothing, so it takes zeros. */
static inline I ff_ssa_gather_avx512(const void *from, I at) {
  IM all = 0xFFFF;
  __asm__("" : "+k"(all));
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), all, at, from, 4);
}

static inline D ff_ssa_gather_real_avx512(const double *from, U at) {
  M all = 0xFF;
  __asm__("" : "+k"(all));
  return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), all, at, from, 8);
}

#include "ff_ssa_vector16_kernel.h"
#include "ff_ssa_vector32_kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int ff_ssa_vector16_avx512_is_for_x86;
#endif
