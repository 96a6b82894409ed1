/* The sliced program in plain C: a vector is one 64-bit word. */
#include <string.h>

#include "ff_pbn_program.h"

#define FF_KERNEL(name) ff_slice_##name##_portable
#define V uint64_t
#define VL 1
#define V_LOAD(p) (*(p))
#define V_STORE(p, v) (*(p) = (v))
#define V_SET1(x) ((uint64_t)(x))
#define V_AND(a, b) ((a) & (b))
#define V_OR(a, b) ((a) | (b))
#define V_XOR(a, b) ((a) ^ (b))
#define V_ANDN(a, b) ((a) & ~(b))
#define V_MUX(m, a, b) ((b) ^ ((m) & ((a) ^ (b))))
#define V_XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define V_MAJ(a, b, c) (((a) & (b)) | ((c) & ((a) ^ (b))))
#define V_XAND(a, b, c) (((a) & (b)) ^ (c))
#define V_DIRECT 4
#define V_MUL(a, b) ((uint64_t)(uint32_t)(a) * (uint32_t)(b))
#define V_ADD(a, b) ((a) + (b))
#define V_HIGH(a) ((a) >> 32)
#define V_SHIFT(a, n) ((a) >> (n))
#define V_JOIN(low, high) ((uint32_t)(low) | (uint64_t)(high) << 32)
#define V_RAMP(start, step) ((uint64_t)(start))
#define V_NONZERO(a) ((uint32_t)((a) != 0))

static inline void v_spread(uint32_t *counts, uint64_t bits, uint32_t weight) {
  for (int i = 0; i < 64; i++) counts[i] += (uint32_t)(bits >> i & 1) * weight;
}

#include "ff_slice_kernel.h"
