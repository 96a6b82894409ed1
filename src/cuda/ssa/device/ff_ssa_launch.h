/* What kernels for reaction networks add to a launch. The same text is compiled for the device (also at run time) and for the
 * host. */
#ifndef FF_SSA_LAUNCH_H
#define FF_SSA_LAUNCH_H

#include "../../device/ff_launch.h"

/* What a point has first, if its network is read as data. */
typedef struct {
  uint64_t key;
  uint32_t round_key[2 * FF_PHILOX_ROUNDS];
} ff_ssa_point_key;

/* Shared memory of a block of generated code besides its table and rows: s_common of ff_ssa_thread.h, with or without the first
 * table of logarithms; what the system keeps (1,024 bytes), and what the alignment of s_common may leave unused (256 bytes). */
#define FF_SSA_COMMON_BYTES 14592u
#define FF_SSA_COMMON_SHORT_BYTES 512u
#define FF_SSA_BLOCK_RESERVE 1280u
#define FF_SSA_BLOCK_BYTES (FF_SSA_COMMON_BYTES + FF_SSA_BLOCK_RESERVE)
#define FF_SSA_BLOCK_SHORT_BYTES (FF_SSA_COMMON_SHORT_BYTES + FF_SSA_BLOCK_RESERVE)

#endif
