/* The parts of generated code for Petri nets that do not depend on the net: a thread runs one trajectory after the other. The
 * steps are those of petri/path/, with the same bits; what a thread cannot do as a path does, it refuses.
 * ../code/ff_petri_code.c generates the other parts. The same text is compiled for the device (at run time) and for the host (in
 * tests), where a warp has one thread.
 *
 * A trajectory goes through phases. In a turn, each phase is looked at once, so that lanes of a warp that are in the same phase
 * are in step; phases that take long wait for several lanes, unless nothing else happens.
 *
 *   P_BEGINS   a segment begins: its longest end is found
 *   P_STEPS    the solver tries a step; P_STIFF_STEPS: one that is implicit, unless all are
 *   P_LOOKS    a step is looked at for narrow peaks of flows, which quick bounds do not exclude
 *   P_SEARCHES hazards are integrated over the segment, until it is known which groups fire in it
 *   P_BOUNDS   the same for a profile that may have narrow peaks, or takes several pieces
 *   P_FIRES    the next firing is found, and happens
 *
 * The generated text that comes before this one defines
 *   P_LEVELS, P_COUNTS, P_REALS, P_DERIVED  values of each kind: levels; discrete places; continuous places that no flow changes;
 *                       functions of the last two
 *   P_GROUPS, P_CELLS, P_PROFILES   as in the program; profile 0 is 1
 *   P_GROUP_OF(c), P_PROFILE_OF(c), P_FIRST_CELL(g), P_SINGLES   the group and the profile of a cell; the first cell of a group,
 *                       and for P_GROUPS the end; bits of cells: those with one transition
 *   P_MOVING, P_SOME_STIR, P_ALL_STIR  bits of groups: those with other profiles than 1; those of whose firings some, or all, may
 *                       change a flow
 *   P_AFFINE, P_QUICK   bits of profiles: see ff_petri_profile
 *   P_TIMED_FLOWS, P_TIMED_PROFILES    whether they depend on the time
 *   P_AUTO              whether the solver looks for stiffness
 *   P_IMPLICIT, and then what ff_petri_thread_stiff.h tells; 0
 *   P_NARROW            flows whose rates may have narrow peaks, at most 32
 *   P_QUICK_RATES       bits of these: whether there are quick bounds
 *   P_SLOW              whether bounds of some formula are computed from its words, which are data
 *   P_DENSE             0 if levels within a step are needed only where they are recorded, or something fires; not in windows
 *   P_RELATIVE, P_ABSOLUTE   tolerances
 *   P_LARGEST           the most tokens in a place, and firings of a trajectory
 *   P_DEPTH, P_READS    of formulas for slow bounds: the largest stack, and the most values that one reads
 *   P_PIECES            of integrals in a segment, for which a thread has room; 0 if all profiles are affine
 *   P_SHARED            whether groups have a profile in common that is not affine
 *   P_LISTS             whether firings are listed
 *   P_POINTS            1 if the ensemble has several points, else undefined. Then P_PLACES is the number of places, and
 *                       P_POINT_SIZE that of what a point has: see ff_petri_thread_points.h
 *   P_UNTIL             whether a condition ends trajectories
 *   P_INSTANT, P_CLOCKS what ff_petri_thread_instant.h tells; 0
 *   P_WINDOWS           0: the net is not one of blocks (../windows/ff_petri_sweep.h)
 *   P_GIVEN, P_NEAR, P_OWN_TERMS   of a block: whether flows read levels of others, the most neighbours, and what
 *                       ff_petri_sweep.h tells; 0
 *   P_REALS_IN_ALL, P_WORDS_IN_ALL, P_SLOT_WORDS   rows of real numbers and of words; words that a slot keeps between launches,
 *                       an even number: see ff_petri_thread_state.h
 *   P_THREADS, P_BLOCKS threads per block, and blocks per multiprocessor for which registers are limited
 *   P_POOL, P_SLOTS     whether a block has a pool of trajectories, and how many trajectories a block has
 * The text that comes after it defines
 *   p_set(t, unit)           sets levels, counts and reals to those at the start
 *   p_derive(t)              sets the derived values; returns whether one has changed that flows or profiles read
 *   p_slopes(t, time, y, out)  the slopes of levels
 *   p_profile(t, k, y, time)   profile k for these levels
 *   p_profile_span(t, k, span) quick bounds of it for those of levels
 *   p_rate(t, f, y), p_rate_span(t, f, span), p_rate_slack(t, f, y, length)   the same for narrow flow number f, and by how much
 *                            it may differ
 *   p_sums(t, g)             the sums of coefficients of group g; returns 0 if one is negative or not finite
 *   p_member(t, c, x)        the stochastic transition of cell c at which the sum of coefficients passes x
 *   p_change(t, m, now)      lets it fire; returns P_CHANGES_* bits
 *   p_stirs(m), p_number(m)  whether it may change a flow; its number in the net
 *   p_is_over(t)             whether the condition holds
 *   p_store(t, to, y)        records the levels y and all other places
 *   p_value(t, i)            a value that slow bounds read, other than levels and the time
 *   p_profile_outline(t, k, a, b), p_profile_bound(t, k, a, b), p_rate_outline, p_rate_bound   bounds in double
 *                            precision between two parts of a segment: intervals, and those that know slopes
 *   p_profile_formula(k), p_rate_formula(f)   the words of formulas, for slow bounds */
#ifndef FF_PETRI_THREAD_H
#define FF_PETRI_THREAD_H

/* Each part uses those before it. */
#include "ff_petri_thread_state.h"
#include "ff_petri_thread_points.h"
#include "ff_petri_thread_take.h"
#include "ff_petri_thread_solver.h"
#include "ff_petri_thread_hazards.h"
#include "ff_petri_thread_bounds.h"
#include "ff_petri_thread_stiff.h"
#include "ff_petri_thread_fire.h"
#include "ff_petri_thread_instant.h"
#include "ff_petri_thread_turn.h"
#if P_POOL
#include "ff_petri_thread_pool.h"
#else
#include "ff_petri_thread_launch.h"
#endif

#endif
