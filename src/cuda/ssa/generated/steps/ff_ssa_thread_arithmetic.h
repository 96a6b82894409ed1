/* Divisions, bytes, and sums of products in generated code. A part of ff_ssa_thread.h. */
#ifndef FF_SSA_THREAD_ARITHMETIC_H
#define FF_SSA_THREAD_ARITHMETIC_H

/* One of eight bytes, with its sign. The selector says which one. */
FF_WARP uint32_t s_byte(uint32_t low, uint32_t high, uint32_t selector) {
#if defined(__CUDA_ARCH__)
  uint32_t out;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(out) : "r"(low), "r"(high), "r"(selector));
  return out;
#else
  return (uint32_t)(int32_t)(int8_t)(((uint64_t)high << 32 | low) >> (8u * (selector & 7u)));
#endif
}

#if S_PLAIN
#define S_DIVIDE(a, b) ff_divide(a, b)
#else
#define S_DIVIDE(a, b) ((a) / (b))
#endif

/* The largest number that is at most `at` and below `total`, which is not 0. Rounding may leave a choice at the total. */
FF_WARP double s_most_below(double at, double total) {
  return at < total ? at : ff_math_from_bits(ff_math_bits(total) - 1u);
}

/* c + (low half of x) (byte 0 of w) + (high half of x) (byte 1 of w); s_dp2_high() takes bytes 2 and 3. */
FF_WARP uint32_t s_dp2_low(uint32_t x, uint32_t w, uint32_t c) {
#if defined(__CUDA_ARCH__)
  uint32_t out;
  asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(w), "r"(c));
  return out;
#else
  return c + (x & 0xFFFFu) * (w & 0xFFu) + (x >> 16) * (w >> 8 & 0xFFu);
#endif
}

FF_WARP uint32_t s_dp2_high(uint32_t x, uint32_t w, uint32_t c) {
#if defined(__CUDA_ARCH__)
  uint32_t out;
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(w), "r"(c));
  return out;
#else
  return c + (x & 0xFFFFu) * (w >> 16 & 0xFFu) + (x >> 16) * (w >> 24);
#endif
}

#endif
