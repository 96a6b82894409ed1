/* Stochastic simulation of reaction networks (Gillespie 1977): programs, and ensembles of trajectories.
 *
 * An answer depends on the network, the key, the method and the numbers of the trajectories alone. It has the same bits for any
 * number of threads and any division of the work. The direct method and the logarithmic one have the same bits. The other exact
 * methods have other bits, but the same distribution.
 */
#ifndef FF_SSA_H
#define FF_SSA_H

#include "program/ff_ssa_condition.h"
#include "methods/ff_ssa_methods.h"
#include "methods/ff_ssa_choice.h"
#include "plan/ff_ssa_plan.h"
#include "run/ff_ssa_run.h"

#endif
