/* Compares cuRAND's Philox4x32-10 with ff_philox.h, word for word. cuRAND's code is compiled for the host here, so no GPU is
 * needed. */
#include <stdio.h>

#define QUALIFIERS static inline __host__ __device__
#include <curand_philox4x32_x.h>

#include "../../src/base/ff_philox.h"

int main(void) {
  uint64_t state = 1;
  long wrong = 0, n = 1000000;
  for (long i = 0; i < n; i++) {
    ff_philox_block c;
    uint64_t key;
    for (int j = 0; j < 4; j++) {
      state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      c.v[j] = (uint32_t)(state >> 32);
    }
    key = state ^ state >> 29;
    const ff_philox_block ours = ff_philox(c, key);
    const uint4 theirs = curand_Philox4x32_10(make_uint4(c.v[0], c.v[1], c.v[2], c.v[3]),
                                              make_uint2((uint32_t)key, (uint32_t)(key >> 32)));
    wrong += ours.v[0] != theirs.x || ours.v[1] != theirs.y || ours.v[2] != theirs.z || ours.v[3] != theirs.w;
  }
  printf("curand: %d passed, %d failed\n", wrong == 0, wrong != 0);
  return wrong != 0;
}
