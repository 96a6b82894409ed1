/* The numbers that decide when trajectories with events, or with rates that depend on the time, open windows and search. All
 * code that simulates them uses the same ones, on this processor and on devices. */
#ifndef FF_SSA_SCHEDULE_RULES_H
#define FF_SSA_SCHEDULE_RULES_H

#define FF_SSA_FIRST_WIDTH 1.0     /* of windows */
#define FF_SSA_MOST_WIDTH 1e300
#define FF_SSA_LEAST_WIDTH 0x1p-40 /* relative to the time */
#define FF_SSA_MOST_BOUND 1e100    /* a larger bound is as bad as none: the window becomes shorter */
#define FF_SSA_MOST_REJECTED 3u
#define FF_SSA_INVALID_STEPS 256u    /* of a search for an invalid rate, which usually takes about 130 */
#define FF_SSA_LEAST_SEARCHED 0x1p-10 /* the least part of a window that is left if this search does not end: where a rate
                                       * touches 0, it may decide nothing */
#define FF_SSA_SAMPLES 32

#define FF_SSA_SEARCH_STEPS 4096u    /* of a search for the time at which a trigger changes */
#define FF_SSA_LEAST_PROGRESS 0x1p-24 /* of a search, relative to the time: near a crossing it converges, near a touch it does
                                       * not */
#define FF_SSA_MOST_PIECES 128u      /* of a search that makes less progress */
#define FF_SSA_NO_ZONE (-1.0)

#endif
