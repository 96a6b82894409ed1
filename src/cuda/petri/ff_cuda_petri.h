/* The interface "petri" of the CUDA backend. */
#ifndef FF_CUDA_PETRI_H
#define FF_CUDA_PETRI_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../ensemble/ff_device.h"
#include "../../petri/program/ff_petri_program.h"

extern const ff_device_calls ff_cuda_petri;

#ifdef __cplusplus
}
#endif

#endif
