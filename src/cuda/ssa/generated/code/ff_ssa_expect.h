/* About how large counts become: what rate equations say. Generated code keeps counts in few bits if they are expected to fit. */
#ifndef FF_SSA_EXPECT_H
#define FF_SSA_EXPECT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../../ensemble/ff_device.h"
#include "../../../../ssa/groups/ff_ssa_factor.h"

/* Solves the rate equations of a factored program, or one of replicated modules, to the last time that is recorded, and returns
 * the largest count of each species; if the request has bits32, at least a number of more than 16 bits. Reactions whose laws have
 * no factors are left out. With more than 4e6 terms, the counts are the initial ones. The caller frees *out. O(terms of the
 * equations) for each of 30 to 300 steps. */
ff_status ff_ssa_expect(double **out, const ff_ssa_program *program, const ff_device_request *request, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
