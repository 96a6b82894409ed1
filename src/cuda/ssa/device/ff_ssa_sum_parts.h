/* ff_ssa_sum() of ff_ssa_method.h without recursion. The same text is compiled for device and host (ff_warp.h). */
#ifndef FF_SSA_SUM_PARTS_H
#define FF_SSA_SUM_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "../../runtime/ff_warp.h"

/* ff_ssa_sum() without recursion: it adds up parts of at most FF_SSA_SUM_PART terms, from left to right. The halves of the terms,
 * their halves, and so on are a tree, and the parts are its leaves. Bit d of `path` tells whether a part is on the right at depth
 * d. Then sum[d] is the sum to its left. */
#define FF_SSA_SUM_PART 64u
#define FF_SSA_SUM_DEPTH 27

/* The part on this path: *first and *n are those of all terms, and become those of the part. Returns its depth. */
FF_WARP int ff_ssa_find_part(uint32_t path, uint32_t *first, uint32_t *n) {
  int depth = 0;
  for (; *n > FF_SSA_SUM_PART; depth++) {
    const uint32_t half = *n / 2u, right = path >> depth & 1u;
    *first += right ? half : 0u;
    *n = right ? *n - half : half;
  }
  return depth;
}

/* Adds the sum of the part at this depth to those to its left, and sets the path of the next part. Returns whether there is one;
 * if not, *part becomes the sum of all terms. */
FF_WARP int ff_ssa_add_part(double *sum, uint32_t *path, int depth, double *part) {
  while (depth > 0 && (*path >> (depth - 1) & 1u)) {
    depth--;
    *path &= ~(1u << depth);
    *part = sum[depth] + *part;
  }
  if (depth == 0) return 0;
  sum[depth - 1] = *part;
  *path |= 1u << (depth - 1);
  return 1;
}

/* Of terms at equal distances. */
#if defined(__CUDACC_RTC__)
static __device__ __noinline__
#elif defined(__CUDACC__)
static __host__ __device__ __noinline__
#else
static inline
#endif
double ff_ssa_sum_parts(const double *terms, uint32_t n, uint32_t stride) {
  double sum[FF_SSA_SUM_DEPTH], part;
  uint32_t path = 0u;
  int depth;
  do {
    uint32_t first = 0u, here = n;
    depth = ff_ssa_find_part(path, &first, &here);
    part = 0.0;
    for (uint32_t i = first; i < first + here; i++) part += terms[(size_t)i * stride];
  } while (ff_ssa_add_part(sum, &path, depth, &part));
  return part;
}

FF_WARP double ff_ssa_sum_strided(const double *terms, uint32_t n, uint32_t stride) {
  double sum = 0.0;
  if (n > FF_SSA_SUM_PART) return ff_ssa_sum_parts(terms, n, stride);
  FF_NO_UNROLL for (uint32_t i = 0; i < n; i++) sum += terms[i * stride];
  return sum;
}

#endif
