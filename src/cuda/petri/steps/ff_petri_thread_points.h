/* Ensembles of several points of a sweep: what the trajectories of a point have in common. A part of ff_petri_thread.h.
 *
 * A point has the marking at the start, then the numbers in which points differ, then the key. Generated code reads them where it
 * would have a number in its text otherwise. Trajectories of a point come one after the other, so most warps read the same. */
#ifndef FF_PETRI_THREAD_POINTS_H
#define FF_PETRI_THREAD_POINTS_H

#if P_POINTS
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_OF_POINT(i) (__ldg(t->initial + P_PLACES + (i)))
#else
#define P_OF_POINT(i) (t->initial[P_PLACES + (i)])
#endif
#define P_TABLE_OF_POINT(i) (t->initial + P_PLACES + (i)) /* numbers from this one on */
#define P_POINT (P_UNIT / t->run->each)
#define P_TRAJECTORY (P_UNIT % t->run->each) /* its number, by which draws are addressed */
#define P_KEY (ff_math_bits(P_OF_POINT(P_POINT_SIZE - P_PLACES - 1u)))

/* Finds what the point of the trajectory has. */
FF_WARP void p_use_point(p_thread *t) { t->initial = (const double *)t->run->points + (uint64_t)P_POINT * P_POINT_SIZE; }
#else
#define P_TRAJECTORY (t->run->first + P_UNIT)
#define P_KEY (t->run->key)
FF_WARP void p_use_point(p_thread *t) { (void)t; }
#endif

#endif
