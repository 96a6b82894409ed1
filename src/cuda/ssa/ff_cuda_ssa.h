/* The interface "ssa" of the CUDA backend. */
#ifndef FF_CUDA_SSA_H
#define FF_CUDA_SSA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../ssa/run/ff_ssa_device.h"

extern const ff_ssa_device ff_cuda_ssa;

#ifdef __cplusplus
}
#endif

#endif
