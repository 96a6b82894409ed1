/* A warp's 32 lanes, on the device and on the host: the same text runs as 32 threads in step, or as loops over 32 lanes.
 *
 * A statement (or block) behind FF_EACH_LANE is done by every lane, and may use `lane`. What a lane keeps from one such block
 * to the next is declared by FF_LANE_VAR and read as FF_L(name); all else is memory that the warp shares, with FF_SYNCWARP
 * between writing and another lane's reading. The device's functions begin with FF_LANE_IN. So
 *
 *   FF_LANE_VAR(uint32_t, word);
 *   FF_EACH_LANE FF_L(word) = row[lane];
 *   FF_BALLOT(who, FF_L(word) != 0u);
 *
 * is on the device                                             and on the host
 *
 *   uint32_t word;                                             uint32_t word[32];
 *   word = row[lane];                                          for (unsigned lane = 0; lane < 32u; lane++) word[lane] = row[lane];
 *   who = __ballot_sync(0xFFFFFFFFu, word != 0u);              who = the bits of all lanes for which word[lane] != 0u
 */
#ifndef FF_WARP_H
#define FF_WARP_H

#if defined(__CUDACC_RTC__)
#define FF_WARP static __device__ __forceinline__
#elif defined(__CUDACC__) /* nvcc's pass for the host sees the loops, its pass for the device the threads */
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
#define FF_NO_UNROLL _Pragma("unroll 1")
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
#define FF_NO_UNROLL
#endif

#endif
