/* Device code that nvcc compiles uses cuRAND's own Philox4x32-10 if the toolkit has its header. `make check` compares its random
 * words with ours on the host, and `make gpu-check` compares the results of the kernels. Include this header before
 * base/ff_philox.h. */
#ifndef FF_CURAND_H
#define FF_CURAND_H

#if defined(__CUDA_ARCH__) && __has_include(<curand_philox4x32_x.h>)
#define QUALIFIERS static __forceinline__ __device__
#include <curand_philox4x32_x.h>
#define FF_PHILOX_OF(out, counter, key)                                                                                   \
  do {                                                                                                                    \
    const uint4 ff_w = curand_Philox4x32_10(make_uint4((counter).v[0], (counter).v[1], (counter).v[2], (counter).v[3]), \
                                            make_uint2((uint32_t)(key), (uint32_t)((key) >> 32)));                        \
    (out).v[0] = ff_w.x;                                                                                                  \
    (out).v[1] = ff_w.y;                                                                                                  \
    (out).v[2] = ff_w.z;                                                                                                  \
    (out).v[3] = ff_w.w;                                                                                                  \
  } while (0)
#endif

#endif
