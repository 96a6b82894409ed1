/* How long windows are, and what follows a sweep (ff_petri_windows.h). gcc, nvcc and NVRTC compile the same text. All calls take
 * O(1). */
#ifndef FF_PETRI_PACE_MATH_H
#define FF_PETRI_PACE_MATH_H

#include "../../base/ff_math.h"

#define FF_PETRI_SETTLED 0.2       /* of the tolerance: errors of blocks that need not run again */
#define FF_PETRI_CONTRACTION 0.03  /* at a relative tolerance of 1e-6 */
#define FF_PETRI_MOST_SWEEPS 80u
#define FF_PETRI_STRIP 64u         /* blocks whose changes are added up first; they follow each other in the order of types */

#define FF_PETRI_AT_A_TIME 2u         /* steps in one of a block, of a neighbour whose levels a formula reads */
#define FF_PETRI_UNSEEN 0.3           /* of the tolerance: what steps of a window may not see of given levels, */
#define FF_PETRI_MOST_SPANNED 8u      /* in so many pieces of a neighbour, at most */
#define FF_PETRI_HARDLY 1e-6          /* of a window: times that are nearer to each other count as one. Steps of neighbours end
                                       * at the same times, but for errors of the last sweep */
#define FF_PETRI_SHORTEST_PIECE 1e-6  /* of a wave that is compared, as a part of a window */

#define FF_PETRI_MOST_SETTLED 0.9     /* a larger contraction counts as this one, */
#define FF_PETRI_LEAST_CONTRACTION 1e-3 /* and a smaller one as this */
#define FF_PETRI_MOST_WANTED 0.1      /* the largest contraction that is wanted, */
#define FF_PETRI_LEAST_WANTED 0.003   /* and the least one */
#define FF_PETRI_USUAL_CONTRACTION 0.3  /* of a window of length 1 / coupling */
#define FF_PETRI_TOO_MUCH 8           /* times the contraction that is wanted: the window is tried again, shorter, */
#define FF_PETRI_MOST_RESTARTS 4u     /* so many times */
#define FF_PETRI_GROW 1.25            /* of windows, where sweeps contract much */
#define FF_PETRI_SHRINK 0.8
#define FF_PETRI_SHORTEST_WINDOW 0x1p-44 /* as a part of the time and the longest window so far */
#define FF_PETRI_MOST_FIRINGS 8.0     /* of a block in a window, on average; windows with more do not grow */
#define FF_PETRI_USUAL_PIECES 8.0     /* the same for pieces of waves, */
#define FF_PETRI_PIECES_OF_SWEEP 16.0 /* and if a sweep makes so many for each block of the net, the window is halved */

/* Room of a block in a window. A block that needs more makes the window half as long. What happens at one time counts
 * once, as no shorter window divides it. */
#define FF_PETRI_ROOM_FOR_PIECES 512u  /* of its wave, and for as many kinks */
#define FF_PETRI_ROOM_FOR_STOPS 256u   /* times at which its segments end because of other blocks */
#define FF_PETRI_ROOM_FOR_TIMES 4096u  /* at which it has firings */
#define FF_PETRI_ALL_ROOM 4096u    /* the use of room, if there is no more */

/* What the next windows and sweeps follow from. */
typedef struct {
  double from, to;        /* the window */
  double length, longest; /* of the next window, and of those so far */
  double contraction;     /* of sweeps, as was measured last; in a window, the largest one */
  double wanted;          /* what it should be */
  double settled;         /* by how much neighbours may move without a run of a block */
  uint32_t is_measured;   /* whether the contraction is of this window */
  uint32_t restarts;      /* of this window, because it was too long */
  uint32_t turn, colour;  /* sweeps of this window so far; the colour of the blocks of the next one */
} ff_petri_pace;

typedef enum {
  FF_PETRI_GOES_ON,     /* with the next sweep */
  FF_PETRI_GOES_BACK,   /* the window begins again, shorter */
  FF_PETRI_IS_SHORTEST  /* it cannot be made shorter */
} ff_petri_outcome_of_sweep;

/* Before the first window. */
static FF_HD inline ff_petri_pace ff_petri_pace_new(double relative) {
  ff_petri_pace p = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const double wanted = FF_PETRI_CONTRACTION * ff_pow(relative / 1e-6, 0.25);
  p.wanted = wanted < FF_PETRI_LEAST_WANTED ? FF_PETRI_LEAST_WANTED : wanted;
  p.length = 1;
  if (p.wanted > FF_PETRI_MOST_WANTED) p.wanted = FF_PETRI_MOST_WANTED;
  return p;
}

/* How long the first window is. fastest: how fast levels follow those of other blocks; hazards: of all n blocks. */
static FF_HD inline void ff_petri_pace_set(ff_petri_pace *p, double fastest, double hazards, uint32_t n) {
  p->length = fastest > 0 ? p->wanted / (FF_PETRI_USUAL_CONTRACTION * fastest) : 1;
  if (p->length * hazards > FF_PETRI_MOST_FIRINGS * n) p->length = FF_PETRI_MOST_FIRINGS * n / hazards;
  p->longest = p->length;
  p->contraction = p->wanted;
}

/* A window from this time on. */
static FF_HD inline void ff_petri_pace_begin(ff_petri_pace *p, double from) {
  p->from = from;
  p->to = from + p->length;
  p->turn = p->is_measured = p->colour = 0;
  p->settled = 0;
}

/* The length changes. The contraction is taken as proportional to it. */
static FF_HD inline void ff_petri_pace_scale(ff_petri_pace *p, double by) {
  p->length *= by;
  p->contraction *= by;
  if (p->contraction < FF_PETRI_LEAST_CONTRACTION) p->contraction = FF_PETRI_LEAST_CONTRACTION;
}

static FF_HD inline ff_petri_outcome_of_sweep ff_petri_pace_halve(ff_petri_pace *p) {
  ff_petri_pace_scale(p, 0.5);
  return p->length >= FF_PETRI_SHORTEST_WINDOW * (p->from + p->longest) ? FF_PETRI_GOES_BACK : FF_PETRI_IS_SHORTEST;
}

/* Sweeps make changes smaller by this factor, where flows change as in the sweep before. Changes of all blocks are added up for
 * this. The largest one would be that of a single block: in a large net, of a rare one whose firings move. */
static FF_HD inline void ff_petri_pace_measure(ff_petri_pace *p, double change, double before) {
  if (!(before > FF_PETRI_SETTLED)) return;
  const double c = change / before > FF_PETRI_LEAST_CONTRACTION ? change / before : FF_PETRI_LEAST_CONTRACTION;
  if (!p->is_measured || c > p->contraction) p->contraction = c;
  p->is_measured = 1;
}

/* How much of its room a block uses. */
static FF_HD inline uint32_t ff_petri_use_of_room(uint32_t pieces, uint32_t stops, uint32_t times) {
  const uint32_t a = pieces * (FF_PETRI_ALL_ROOM / FF_PETRI_ROOM_FOR_PIECES);
  const uint32_t b = stops * (FF_PETRI_ALL_ROOM / FF_PETRI_ROOM_FOR_STOPS);
  const uint32_t c = times * (FF_PETRI_ALL_ROOM / FF_PETRI_ROOM_FOR_TIMES), most = a > b ? a : b;
  return most > c ? most : c;
}

/* What a sweep has found. fine: whether all blocks that ran have come to the end of the window, with finite levels. change: the
 * sum of the changes of blocks. before: the sum, over the same blocks, of the largest change of a neighbour before. pieces: those
 * of the waves of blocks that ran, for each block of the net. */
typedef struct {
  int fine;
  double change, before, pieces;
} ff_petri_swept;

/* After a sweep. */
static FF_HD inline ff_petri_outcome_of_sweep ff_petri_pace_after_sweep(ff_petri_pace *p, ff_petri_swept x) {
  p->turn++;
  if (!x.fine || x.pieces > FF_PETRI_PIECES_OF_SWEEP) return ff_petri_pace_halve(p);
  ff_petri_pace_measure(p, x.change, x.before);
  if (p->is_measured && p->contraction > FF_PETRI_TOO_MUCH * p->wanted && p->restarts < FF_PETRI_MOST_RESTARTS) {
    p->restarts++;
    ff_petri_pace_scale(p, 0.5);
    return FF_PETRI_GOES_BACK;
  }
  const double c = p->contraction < FF_PETRI_MOST_SETTLED ? p->contraction : FF_PETRI_MOST_SETTLED;
  p->settled = FF_PETRI_SETTLED * (1 - c) / c;
  p->colour = 1 - p->colour;
  return FF_PETRI_GOES_ON;
}

/* No block has to run, so the window is accepted. firings, pieces: those of a block in it, on average. use: the largest use of
 * room. Where guesses suffice, no contraction is measured, and windows grow until one is. With half of the room in use, they do
 * not grow, so that a window that was halved for lack of room is not soon followed by another one. */
static FF_HD inline void ff_petri_pace_accept(ff_petri_pace *p, double firings, double pieces, uint32_t use) {
  const double c = p->is_measured ? p->contraction : 0;
  p->restarts = 0;
  if (p->length > p->longest) p->longest = p->length;
  if (c > 2 * p->wanted || firings > 2 * FF_PETRI_MOST_FIRINGS || pieces > 2 * FF_PETRI_USUAL_PIECES)
    ff_petri_pace_scale(p, FF_PETRI_SHRINK);
  else if (c < p->wanted && firings < FF_PETRI_MOST_FIRINGS && pieces < FF_PETRI_USUAL_PIECES && use < FF_PETRI_ALL_ROOM / 2)
    ff_petri_pace_scale(p, FF_PETRI_GROW);
}

#endif
