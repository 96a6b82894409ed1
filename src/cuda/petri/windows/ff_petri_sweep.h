/* The parts of generated code for large nets that do not depend on the net: threads run blocks over a window, as
 * petri/windows/ff_petri_block.c does, with the same bits. What a thread cannot do as a path does, it refuses, and with it the
 * trajectory. Blocks of several types have the same code if they differ only in their neighbours, and in flows that are multiples
 * of a level: such types are a class. Each class has code of its own, and all share the memory of a slot. The steps within a
 * block are those of ../steps/.
 *
 * The generated text defines what ff_petri_thread.h lists, with P_WINDOWS 1, except P_LISTS, p_set(), p_store(), p_slopes() and
 * p_number(). It also defines
 *   P_OWN_PLACES       places of a block, without given levels: first the levels, then the others in their order
 *   p_show(t, y, i)    own place i; y[] are the levels
 *   P_OWN_TERMS, P_OWN_TERMS_OF(i)   values of the block that slopes are multiples of: in all, and those for level i
 *   p_own_slopes(t, by, time, y, out)   adds what the block does by itself; by[] are weights of these terms
 *   P_CLASSES, P_CLASS how many classes the net has, and which one this is
 *   P_MOST_LEVELS, P_MOST_GROUPS, P_MOST_PLACES   the most levels, groups and own places that a block of any class has */
#ifndef FF_PETRI_SWEEP_H
#define FF_PETRI_SWEEP_H

#define P_LISTS 0

/* Each part uses those before it. */
#include "../steps/ff_petri_thread_state.h"
#include "ff_petri_sweep_near.h"
#include "../steps/ff_petri_thread_solver.h"
#include "../steps/ff_petri_thread_hazards.h"
#include "../steps/ff_petri_thread_bounds.h"
#include "../steps/ff_petri_thread_fire.h"
#include "ff_petri_sweep_sees.h"
#include "ff_petri_sweep_step.h"
#include "ff_petri_sweep_wave.h"
#include "ff_petri_sweep_run.h"
#include "../steps/ff_petri_thread_turn.h"
#include "ff_petri_sweep_round.h"

#endif
