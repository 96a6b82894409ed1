/* The interface "ssa" of the CUDA backend. */
#ifndef FF_CUDA_SSA_H
#define FF_CUDA_SSA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../ensemble/ff_device.h"
#include "../../ssa/program/ff_ssa_options.h"

extern const ff_device_calls ff_cuda_ssa;

#ifdef __cplusplus
}
#endif

#endif
