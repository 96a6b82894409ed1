/* Makes programs: the network, and what the engines for groups and for rings find in it. */
#ifndef FF_SSA_PLAN_H
#define FF_SSA_PLAN_H

#include "../program/ff_ssa_program.h"

/* Compiles a network that ff_reactions_finish() has completed, for simulations that begin at time 0. The program does not need
 * the network afterwards. The caller frees *out with ff_ssa_program_free(), which accepts NULL. O(size of the network, and for
 * each reaction the number of readers of each species that it changes). */
ff_status ff_ssa_program_new(ff_ssa_program **out, const ff_reactions *net, ff_error *err);
void ff_ssa_program_free(ff_ssa_program *program);

/* The same in several steps, so that a caller can give up between two of them; and for simulations that begin at time `start`.
 * Engines count the time from there, so rates that depend on the time are compiled for that. The last step sets *out, the others
 * set it to NULL. The network must outlive the compiler, which the caller frees with ff_ssa_compiler_free() at any time; it
 * accepts NULL. After an error there is no further step. All steps together cost what ff_ssa_program_new() does. */
typedef struct ff_ssa_compiler ff_ssa_compiler;
ff_status ff_ssa_compiler_new(ff_ssa_compiler **out, const ff_reactions *net, double start, ff_error *err);
ff_status ff_ssa_compiler_step(ff_ssa_compiler *compiler, ff_ssa_program **out, ff_error *err);
void ff_ssa_compiler_free(ff_ssa_compiler *compiler);

/* The number of groups of reactions whose propensities have common factors, those of all modules together if the network is
 * copies of one module (ff_ssa_ring.h); 0 if it is not factored. O(1). */
uint32_t ff_ssa_program_groups(const ff_ssa_program *program);

#endif
