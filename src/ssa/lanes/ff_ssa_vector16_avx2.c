/* Trajectories in vectors of 256 bits. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#include <immintrin.h>
#include <math.h>

#include "../../model/ff_formula_math.h"
#include "../path/ff_ssa_draws.h"
#include "ff_ssa_factored.h"
#include "ff_ssa_ring16.h"
#include "ff_ssa_vector32.h"
#include "ff_ssa_vector16.h"

#define FF_KERNEL(name) ff_ssa_##name##_avx2
#define D __m256d
#define U __m256i
#define M __m256d
#define VL 4
#define D_LOAD(p) _mm256_load_pd(p)
#define D_LOAD_SMALL(p) _mm256_cvtepi32_pd(_mm_load_si128((const void *)(p)))
#define D_STORE(p, v) _mm256_store_pd(p, v)
#define D_SET(x) _mm256_set1_pd(x)
#define U_LOAD(p) _mm256_load_si256((const void *)(p))
#define U_STORE(p, v) _mm256_store_si256((void *)(p), v)
#define U_SET(x) _mm256_set1_epi64x((long long)(x))
#define D_LESS(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define D_MOST(a, b) _mm256_cmp_pd(a, b, _CMP_LE_OQ)
#define D_TABLE(t, i) ff_ssa_gather_real_avx2(t, i)
#define D_LONG_TABLE(t, i) D_TABLE(t, i)
#define U_EQUAL(a, b) _mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))
#define M_AND(a, b) _mm256_and_pd(a, b)
#define M_OR(a, b) _mm256_or_pd(a, b)
#define M_NOT(a) _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)))
#define M_NONE _mm256_setzero_pd()
#define M_BITS(a) ((uint32_t)_mm256_movemask_pd(a))
#define D_PICK(m, a, b) _mm256_blendv_pd(b, a, m)
#define D_RAISE(m, a, b) _mm256_max_pd(_mm256_and_pd(m, a), b)
#define D_LEAST(a, b) _mm256_min_pd(a, b)
#define D_GREATEST(a, b) _mm256_max_pd(a, b)
#define U_COUNT(m, n) _mm256_sub_epi64(n, _mm256_castpd_si256(m))
#define U_PICK(m, a, b) _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), m))
#define U_MUL(a, b) _mm256_mul_epu32(a, b)
#define U_XOR3(a, b, c) _mm256_xor_si256(_mm256_xor_si256(a, b), c)
#define U_AND(a, b) _mm256_and_si256(a, b)
#define U_OR(a, b) _mm256_or_si256(a, b)
#define U_ADD(a, b) _mm256_add_epi64(a, b)
#define U_RIGHT(a, n) _mm256_srli_epi64(a, n)
#define U_LEFT(a, n) _mm256_slli_epi64(a, n)
#define D_WHOLE(high, low)                                                                      \
  (D_OF(_mm256_blend_epi32(_mm256_srli_epi32(low, 11), U_OF(D_SET(0x1p52)), 0xAA)) +          \
   (D_OF(_mm256_blend_epi32(high, U_OF(D_SET(0x1p73)), 0xAA)) - D_SET(0x1p73 + 0x1p52)))
#define D_OF(u) _mm256_castsi256_pd(u)
#define U_OF(d) _mm256_castpd_si256(d)
#define D_GATHER(base, index) D_TABLE(base, _mm256_add_epi64(_mm256_slli_epi64(index, 4), FF_SSA_LANE_NUMBERS))
#define FF_SSA_LANE_NUMBERS _mm256_set_epi64x(3, 2, 1, 0)

#define I __m256i
#define IM __m256i
#define IL 8
#define I_LOAD(p) _mm256_load_si256((const void *)(p))
#define I_STORE(p, v) _mm256_store_si256((void *)(p), v)
#define I_SET(x) _mm256_set1_epi32((int)(x))
#define I_ADD(a, b) _mm256_add_epi32(a, b)
#define I_SUB(a, b) _mm256_sub_epi32(a, b)
#define I_MUL(a, b) _mm256_mullo_epi32(a, b)
#define I_AND(a, b) _mm256_and_si256(a, b)
#define I_LEAST(a, b) _mm256_min_epu32(a, b)
#define I_LEFT(a, n) _mm256_slli_epi32(a, n)
#define I_RIGHT(a, n) _mm256_srli_epi32(a, n)
#define I_RIGHT_SIGNED(a, n) _mm256_srai_epi32(a, n)
#define I_RIGHT_EACH(a, b) _mm256_srlv_epi32(a, b)
#define I_RIGHT_BY(a, n) _mm256_srl_epi32(a, _mm_cvtsi32_si128((int)(n)))
#define I_LEFT_BY(a, n) _mm256_sll_epi32(a, _mm_cvtsi32_si128((int)(n)))
#define I_EQUAL(a, b) _mm256_cmpeq_epi32(a, b)
#define I_MOST(a, b) _mm256_xor_si256(_mm256_cmpgt_epi32(a, b), _mm256_set1_epi32(-1))
#define I_PICK(m, a, b) _mm256_blendv_epi8(b, a, m)
#define I_COUNT(m, n) _mm256_sub_epi32(n, m)
#define I_OF(d) _mm256_set_m128i(_mm256_cvttpd_epi32((d)[1]), _mm256_cvttpd_epi32((d)[0]))
#define I_GATHER(p, i) ff_ssa_gather_avx2(p, i)
#define I_SCATTER(p, i, x) ff_ssa_scatter_avx2(p, i, x)
#define I_TABLE8(p, i) _mm256_permutevar8x32_epi32(_mm256_load_si256((const void *)(p)), i)
#define I_TABLE32(p, i) I_GATHER(p, i)

/* A gather keeps the lanes that its mask excludes, so it waits for the old value of its result. gcc would take any register for
 * that, often one that is not ready. It does not see here that the mask excludes nothing, so it takes zeros. */
static inline I ff_ssa_gather_avx2(const void *from, I at) {
  I all = _mm256_set1_epi32(-1);
  __asm__("" : "+x"(all));
  return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), from, at, all, 4);
}

static inline D ff_ssa_gather_real_avx2(const double *from, U at) {
  D all = D_OF(_mm256_set1_epi64x(-1));
  __asm__("" : "+x"(all));
  return _mm256_mask_i64gather_pd(_mm256_setzero_pd(), from, at, all, 8);
}

static inline void ff_ssa_scatter_avx2(uint32_t *to, I at, I x) {
  _Alignas(32) uint32_t place[IL], value[IL];
  I_STORE(place, at);
  I_STORE(value, x);
  for (int i = 0; i < IL; i++) to[place[i]] = value[i];
}
#define D_SCATTER(base, index, x) ff_ssa_scatter_real_avx2(base, index, x)

static inline void ff_ssa_scatter_real_avx2(double *to, U at, D x) {
  _Alignas(32) uint64_t place[VL];
  _Alignas(32) double value[VL];
  U_STORE(place, at);
  D_STORE(value, x);
  for (uint32_t i = 0; i < VL; i++) to[place[i] * FF_SSA_LANES + i] = value[i];
}

#include "ff_ssa_vector16_kernel.h"
#include "ff_ssa_vector32_kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int ff_ssa_vector16_avx2_is_for_x86;
#endif
