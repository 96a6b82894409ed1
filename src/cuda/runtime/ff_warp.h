/* The 32 lanes of a warp, on the device and on the host. The same text runs as 32 threads in step, or as loops over 32 lanes.
 *
 * Every lane executes a statement (or block) behind FF_EACH_LANE, which may use `lane`. FF_LANE_VAR declares a variable of each
 * lane that lives from one such block to the next; FF_L(name) reads it. All other memory is shared by the warp. FF_SYNCWARP must
 * come between a lane's write and another lane's read. Functions for the device begin with FF_LANE_IN. So
 *
 *   FF_LANE_VAR(uint32_t, word);
 *   FF_EACH_LANE FF_L(word) = row[lane];
 *   FF_BALLOT(who, FF_L(word) != 0u);
 *
 * becomes on the device
 *
 *   uint32_t word;
 *   word = row[lane];
 *   who = __ballot_sync(0xFFFFFFFFu, word != 0u);
 *
 * and on the host
 *
 *   uint32_t word[32];
 *   for (unsigned lane = 0; lane < 32u; lane++) word[lane] = row[lane];
 *   who = the bits of all lanes for which word[lane] != 0u
 */
#ifndef FF_WARP_H
#define FF_WARP_H

#include "../../base/ff_base.h"

#if defined(__CUDACC_RTC__)
#define FF_WARP static __device__ __forceinline__
#elif defined(__CUDACC__) /* nvcc's pass for the host uses the loops, its pass for the device the threads */
#define FF_WARP static __host__ __device__ __forceinline__
#else
#define FF_WARP static inline
#endif

#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
#define FF_LANE_IN const unsigned lane = threadIdx.x & 31u; (void)lane
#define FF_EACH_LANE
#define FF_LANE_VAR(type, name) type name
#define FF_L(name) name
#define FF_BALLOT(out, condition) (out) = __ballot_sync(0xFFFFFFFFu, (condition))
#define FF_FIRST_LANE(out, name) (out) = __shfl_sync(0xFFFFFFFFu, (name), 0)
#define FF_SYNCWARP() __syncwarp()
#define FF_ATOMIC_OR(at, bits) atomicOr((at), (bits))
#define FF_ATOMIC_AND(at, bits) atomicAnd((at), (bits))
#define FF_ATOMIC_ADD(at, n) atomicAdd((at), (n))
#define FF_POPCOUNT(x) ((unsigned)__popc(x))
#define FF_LOWEST(x) ((unsigned)__ffs((int)(x)) - 1u)
#define FF_UNROLL _Pragma("unroll")
#else
#define FF_LANE_IN
#define FF_EACH_LANE for (unsigned lane = 0; lane < 32u; lane++)
#define FF_LANE_VAR(type, name) type name[32]
#define FF_L(name) name[lane]
#define FF_BALLOT(out, condition)                                      \
  do {                                                                 \
    unsigned ff_who = 0;                                               \
    FF_EACH_LANE ff_who |= (unsigned)((condition) != 0) << lane;       \
    (out) = ff_who;                                                    \
  } while (0)
#define FF_FIRST_LANE(out, name) (out) = (name)[0]
#define FF_SYNCWARP()
#define FF_ATOMIC_OR(at, bits) (*(at) |= (bits))
#define FF_ATOMIC_AND(at, bits) (*(at) &= (bits))
#define FF_ATOMIC_ADD(at, n) (*(at) += (n))
#define FF_POPCOUNT(x) ((unsigned)__builtin_popcount(x))
#define FF_LOWEST(x) ((unsigned)__builtin_ctz(x))
#define FF_UNROLL
#endif

/* FF_FROM_LANE: the value that one lane has. FF_FROM_LANES: each lane gets that of a lane of its choice, a number modulo 32.
 * FF_EXCHANGE: each lane gets the value of the lane whose number differs in one bit. FF_EQUAL_LANES: each lane gets the bits of
 * the lanes with the same value. FF_FETCH_ADD: adds to a counter of the wave; the value is that before. FF_RESERVE: the same for
 * a counter of 32 bits that the warps of a block share. FF_STORE_EQUAL: stores a number where other warps may store the same one
 * at the same time. FF_NANOSECONDS: the time of a clock. */
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
#define FF_EXCHANGE(out, name, bit) (out) = __shfl_xor_sync(0xFFFFFFFFu, (name), (int)(bit))
#define FF_FROM_LANE(out, name, other) (out) = __shfl_sync(0xFFFFFFFFu, (name), (int)(other))
#define FF_FROM_LANES(out, name, other) (out) = __shfl_sync(0xFFFFFFFFu, (name), (int)(other))
#define FF_EQUAL_LANES(out, name) (out) = __match_any_sync(0xFFFFFFFFu, (name))
#define FF_FETCH_ADD(at, n) atomicAdd((unsigned long long *)(at), (unsigned long long)(n))
#define FF_RESERVE(at, n) atomicAdd((at), (n))
#define FF_STORE_EQUAL(at, x) atomicExch((unsigned long long *)(at), (unsigned long long)__double_as_longlong(x))
#define FF_NANOSECONDS(out) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out))
#else
#define FF_EXCHANGE(out, name, bit) FF_EACH_LANE (out)[lane] = (name)[lane ^ (bit)]
#define FF_FROM_LANE(out, name, other) (out) = (name)[other]
#define FF_FROM_LANES(out, name, other) FF_EACH_LANE (out)[lane] = (name)[(other) % 32u]
#define FF_EQUAL_LANES(out, name)                                                                          \
  do {                                                                                                     \
    FF_EACH_LANE (out)[lane] = 0u;                                                                         \
    for (unsigned ff_i = 0; ff_i < 32u; ff_i++) {                                                          \
      unsigned ff_who = 0u;                                                                                \
      if ((out)[ff_i] != 0u) continue;                                                                     \
      FF_EACH_LANE ff_who |= (unsigned)((name)[lane] == (name)[ff_i]) << lane;                             \
      FF_EACH_LANE if (ff_who >> lane & 1u) (out)[lane] = ff_who;                                          \
    }                                                                                                      \
  } while (0)
#define FF_FETCH_ADD(at, n) ((*(at) += (n)) - (n))
#define FF_RESERVE(at, n) ((*(at) += (n)) - (n))
#define FF_STORE_EQUAL(at, x) (*(at) = (x))
#define FF_NANOSECONDS(out) ((out) = 0u)
#endif

#if defined(__CUDACC__)
#define FF_FUNCTION static __host__ __device__ __noinline__
#else
#define FF_FUNCTION static inline
#endif

#endif
