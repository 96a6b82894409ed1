/* What a warp keeps of a trajectory of a net that is read as data, and the values of formulas. A part of ff_petri_warp.h.
 *
 * Numbers and words of a trajectory are in one block of memory: shared memory if there is room, else where the slot is kept.
 * Everything that decides which way the warp goes has the same value in all lanes. */
#ifndef FF_PETRI_WARP_STATE_H
#define FF_PETRI_WARP_STATE_H

#include "../../../ode/ff_ode_implicit_math.h"
#include "../../../petri/path/ff_petri_draws.h"
#include "../../../petri/path/ff_petri_hazard_math.h"
#include "../../../petri/path/ff_petri_segment_math.h"
/* Bounds are computed here, also on the host. */
#define FF_FORMULA_VALUE ff_formula_value_of
#define FF_PETRI_VALUE ff_petri_formula_at
#define FF_PETRI_RANGE ff_petri_bound_range
#define FF_PETRI_SPAN ff_petri_bound_span
#include "../../../petri/within/ff_petri_peak_math.h"
#include "../../../random/ff_exponential.h"
#include "../../device/ff_launch.h"
#include "../../runtime/ff_warp.h"
#include "ff_petri_image.h"

#define W_NONE FF_PETRI_IMAGE_NONE
#define W_EACH(i, n) FF_EACH_LANE for (uint32_t i = lane; i < (n); i += 32u)
#define W_INFINITY ff_math_infinity()
#define W_MOST_FIRINGS 0x40000000u /* a trajectory with more of them is refused */
#define W_STAGES FF_ODE_EXPLICIT_STAGES

/* ---- numbers and words -------------------------------------------------------------------------------------------------- */

/* Rows of levels. The curve of a segment has its own rows, which are those of slopes that it is computed from. */
enum {
  W_ROW_Y,                    /* at the end of the solver's last step; or at `now`, if W_OWN */
  W_ROW_AT,                   /* at stages of a step, in turn: the last one in W_ROW_AT is that of stage 5 */
  W_ROW_END,                  /* and in W_ROW_END that of the end */
  W_ROW_K,                    /* slopes at the stages */
  W_ROW_START = W_ROW_K + 1,  /* in a segment: levels at its start, and the coefficients 2 to 4 of ff_ode_explicit_dense() */
  W_ROWS = W_ROW_K + W_STAGES
};
/* Rows of groups: what is left of a threshold at the time `since`; the number that chooses what fires; the hazard, as far as it
 * does not vary; when it fires; and the integral over the segment, when it was searched. */
enum { W_LEFT, W_SINCE, W_CHOICE, W_RATE, W_CANDIDATE, W_WHOLE, W_GROUP_ROWS };
/* Of a profile: the coefficients of its integral, if this has one piece; the integral over the segment, its error, and the size
 * of hazards for which it was made. */
enum { W_AREA = FF_PETRI_DEGREE, W_ERROR, W_ALLOWED, W_OF_PROFILE };

#define W_AT_OTHERS(m) (W_ROWS * (m)->n_levels)
#define W_AT_COEFFICIENTS(m) (W_AT_OTHERS(m) + (m)->n_others)
#define W_AT_SUMS(m) (W_AT_COEFFICIENTS(m) + (m)->n_transitions)
#define W_AT_GROUPS(m) (W_AT_SUMS(m) + (m)->n_cells)
#define W_AT_PROFILES(m) (W_AT_GROUPS(m) + W_GROUP_ROWS * (m)->n_groups)
#define W_AT_SCRATCH(m) (W_AT_PROFILES(m) + W_OF_PROFILE * (m)->n_profiles)
#define W_REALS(m) (W_AT_SCRATCH(m) + (m)->scratch)
/* Words: firings of each group, and bits; of each profile the segment for which it is integrated, its first piece, and how many
 * it has; and a list. */
#define W_AT_BITS(m) ((m)->n_groups)
#define W_AT_INTEGRALS(m) (2u * (m)->n_groups)
#define W_AT_LIST(m) (W_AT_INTEGRALS(m) + 3u * (m)->n_profiles)
#define W_WORDS(m) (W_AT_LIST(m) + 32u)

enum { W_VARIES = 1, W_DIRTY = 2 }; /* bits of groups */

/* What is true of a trajectory. */
enum {
  W_OWN = 1,     /* W_ROW_Y has the levels at `now` */
  W_FLAT = 2,    /* no level moves in the segment */
  W_STIRRED = 4, /* the segment ends now, as flows have changed */
  W_FRESH = 8,   /* no step was made since the solution began, or went on in another state */
  W_FIRST = 16,  /* the next step is the first one of a segment */
  W_HAS_SLOPE = 32, /* the slopes at the last stage are those at the start of the next step, */
  W_IS_OPEN = 64, /* and those at the first stage are those of the step that is tried, */
  W_IS_DERIVED = 128, /* of which derivatives are known */
  W_BY_IMPLICIT = 256 /* the last step was implicit */
};

enum { W_EMPTY, W_BEGINS, W_STEPS, W_SEARCHES, W_ENDS, W_REFUSES, W_IDLE };

/* What a slot keeps besides. */
typedef struct {
  double now, from, to;   /* as in ff_petri_path; a segment ends at `to` */
  double next, tried, shortest, reach, most; /* lengths of steps; where one ends at the latest */
  uint32_t phase, is, unit, number, firings, stiff, calm, tries, pieces;
  uint32_t segment;       /* its number */
  uint32_t low, high;     /* groups that may be dirty */
} w_kept;

#define W_HEAD 128u

typedef struct {
  const ff_petri_image *image;
  const ff_launch *run;
  double *real;
  uint32_t *word;
  ff_petri_part *piece;
  double *stiff;          /* of implicit steps */
  char *room;             /* for bounds of formulas */
  double wanted;          /* the next time that is recorded */
  w_kept s;
  FF_LANE_VAR(uint32_t, bad); /* whether a lane has found a rate that is not finite */
} w_warp;

#define W_REAL(w, i) ((w)->real[i])
#define W_LEVEL(w, row, i) W_REAL(w, (row) * (w)->image->n_levels + (i))
#define W_OTHER(w, i) W_REAL(w, W_AT_OTHERS((w)->image) + (i))
#define W_COEFFICIENT(w, t) W_REAL(w, W_AT_COEFFICIENTS((w)->image) + (t))
#define W_SUM(w, c) W_REAL(w, W_AT_SUMS((w)->image) + (c))
#define W_GROUP(w, row, g) W_REAL(w, W_AT_GROUPS((w)->image) + (row) * (w)->image->n_groups + (g))
#define W_PROFILE(w, k, i) W_REAL(w, W_AT_PROFILES((w)->image) + W_OF_PROFILE * (k) + (i))
#define W_SCRATCH(w, i) W_REAL(w, W_AT_SCRATCH((w)->image) + (i))
#define W_FIRED(w, g) ((w)->word[g])
#define W_BITS(w, g) ((w)->word[W_AT_BITS((w)->image) + (g)])
#define W_INTEGRATED(w, k) ((w)->word[W_AT_INTEGRALS((w)->image) + 3u * (k)])
#define W_FIRST_PIECE(w, k) ((w)->word[W_AT_INTEGRALS((w)->image) + 3u * (k) + 1u])
#define W_N_PIECES(w, k) ((w)->word[W_AT_INTEGRALS((w)->image) + 3u * (k) + 2u])
#define W_LIST(w, i) ((w)->word[W_AT_LIST((w)->image) + (i)])

/* Numbers of implicit steps, which are where slots are kept: derivatives, those by the time, factors, 1 / pivots, and the
 * solutions of stages. */
#define W_AT_IN_TIME(m) ((m)->n_entries)
#define W_AT_FACTORS(m) (W_AT_IN_TIME(m) + (m)->n_levels)
#define W_AT_INVERSES(m) (W_AT_FACTORS(m) + (m)->n_factors)
#define W_AT_SOLUTIONS(m) (W_AT_INVERSES(m) + (m)->n_levels)
#define W_STIFF_REALS(m) (W_AT_SOLUTIONS(m) + FF_ODE_IMPLICIT_STAGES * (m)->n_levels)

/* ---- a slot ------------------------------------------------------------------------------------------------------------- */

/* Bytes of the numbers and words of a trajectory; of the numbers of implicit steps; of the room for bounds that a lane needs; and
 * of a slot: its head, numbers and words, pieces, numbers of implicit steps, and rooms. */
static FF_HD inline uint64_t w_state_bytes(const ff_petri_image *m) {
  return (8u * (uint64_t)W_REALS(m) + 4u * (uint64_t)W_WORDS(m) + 127u) / 128u * 128u;
}

static FF_HD inline uint64_t w_stiff_bytes(const ff_petri_image *m) {
  return m->implicit ? 8u * (uint64_t)W_STIFF_REALS(m) : 0u;
}

static FF_HD inline uint64_t w_room_bytes(const ff_petri_image *m) {
  const uint64_t reads = m->reads, depth = m->depth;
  return (sizeof(ff_petri_bound) + 8u) * depth + (8u * (FF_ODE_DENSE + 2u) + sizeof(double *)) * reads + 8u * FF_ODE_DENSE;
}

static FF_HD inline uint64_t w_slot_bytes(const ff_petri_image *m) {
  const uint64_t rooms = m->reads > 0u ? 32u * w_room_bytes(m) : 0u;
  const uint64_t pieces = FF_PETRI_IMAGE_PIECES * sizeof(ff_petri_part);
  return (W_HEAD + w_state_bytes(m) + pieces + w_stiff_bytes(m) + rooms + 127u) / 128u * 128u;
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

FF_WARP int w_is_bad(double x) { return !(ff_math_absolute(x) < W_INFINITY); }
FF_WARP double w_clip(double level) { return level < 0 ? 0 : level; }
FF_WARP double w_length(const w_warp *w) { return w->s.to - w->s.from; }

/* Where and when formulas read: levels of a row; or those at part s of the segment. */
typedef struct {
  double time, part;
  uint32_t row, curved, clips; /* clips: levels below 0 count as 0 */
} w_point;

FF_WARP w_point w_at_row(uint32_t row, double time, uint32_t clips) {
  const w_point at = {time, 0, row, 0u, clips};
  return at;
}

/* At a time of the segment. */
FF_WARP w_point w_at_time(const w_warp *w, double time, uint32_t clips) {
  w_point at = {time, 0, W_ROW_Y, 0u, clips};
  if ((w->s.is & W_OWN) != 0u || (time > w->s.from && time >= w->s.to)) return at;
  if (time <= w->s.from) {
    at.row = W_ROW_START;
    return at;
  }
  at.curved = 1u;
  at.part = (time - w->s.from) / w_length(w);
  return at;
}

/* At a part of it, also in flat segments. */
FF_WARP w_point w_at_part(const w_warp *w, double part, uint32_t clips) {
  const w_point at = {w->s.from + w_length(w) * part, part, W_ROW_Y, (w->s.is & W_FLAT) == 0u, clips};
  return at;
}

/* The coefficients of level i, of n, in the segment. */
FF_WARP void w_curve_of(const double *real, uint32_t n, uint32_t i, double *c) {
  c[0] = real[W_ROW_START * n + i];
  c[1] = real[W_ROW_Y * n + i] - c[0];
  c[2] = real[(W_ROW_START + 1u) * n + i];
  c[3] = real[(W_ROW_START + 2u) * n + i];
  c[4] = real[(W_ROW_START + 3u) * n + i];
}

FF_WARP double w_level_of(const double *real, uint32_t n, uint32_t i, const w_point *at) {
  double c[FF_ODE_DENSE], x;
  if (at->curved != 0u) {
    w_curve_of(real, n, i, c);
    x = ff_ode_dense_value(c, at->part);
  } else {
    x = real[at->row * n + i];
  }
  return at->clips != 0u ? w_clip(x) : x;
}

FF_WARP double w_level(const w_warp *w, uint32_t i, w_point at) { return w_level_of(w->real, w->image->n_levels, i, &at); }

/* What a symbol reads. */
FF_WARP double w_read(const ff_petri_image *image, const double *real, uint32_t operand, const w_point *at) {
  const uint32_t n = image->n_levels;
  if (operand < n) return w_level_of(real, n, operand, at);
  if (operand == FF_PETRI_IMAGE_TIME) return at->time;
  return operand - n < image->n_others ? real[W_AT_OTHERS(image) + (operand - n)]
                                       : image->constant[operand - n - image->n_others];
}

/* The value of a formula, as ff_formula_value_of() has it. A device has this code once. The last value is not on the stack. */
FF_FUNCTION double w_value_of(const ff_petri_image *image, const double *real, ff_petri_image_formula f, w_point at) {
  double stack[FF_PETRI_IMAGE_DEPTH], top = 0;
  const uint32_t *operand = image->operand + f.operands;
  uint32_t n = 0u;
  if (f.length == 0u) return w_read(image, real, operand[0], &at) * w_read(image, real, operand[f.stride], &at);
  FF_NO_UNROLL for (uint32_t k = 0u; k < f.length; k++) {
    const uint32_t code = image->word[f.word + k].code, takes = ff_formula_operands(code);
    if (code <= FF_F_TIME) {
      stack[n] = top;
      n = k == 0u ? 0u : n + 1u;
      top = code == FF_F_TIME ? at.time : w_read(image, real, *operand, &at);
      operand += f.stride;
    } else {
      const double a = takes == 1u ? top : stack[n - takes + 1u];
      const double b = takes == 1u ? 0.0 : takes == 2u ? top : stack[n - 1u];
      top = ff_formula_operate(code, a, b, takes == 3u ? top : 0.0);
      n -= takes - 1u;
    }
  }
  return top == top ? top : ff_math_nan();
}

FF_WARP double w_value(const w_warp *w, const ff_petri_image_formula *f, w_point at) {
  return w_value_of(w->image, w->real, *f, at);
}

/* ---- all lanes ---------------------------------------------------------------------------------------------------------- */

/* The largest of the lanes' numbers, as ff_ode_larger(): none is NaN. */
FF_WARP double w_largest(FF_LANE_VAR(double, x)) {
  FF_LANE_IN;
  double out;
  FF_NO_UNROLL for (uint32_t bit = 1u; bit < 32u; bit *= 2u) {
    FF_LANE_VAR(double, other);
    FF_EXCHANGE(other, x, bit);
    FF_EACH_LANE FF_L(x) = ff_ode_larger(FF_L(x), FF_L(other));
  }
  FF_FIRST_LANE(out, x);
  return out;
}

/* Levels become those at `now`. */
FF_WARP void w_own_levels(w_warp *w) {
  FF_LANE_IN;
  if ((w->s.is & W_OWN) != 0u) return;
  const w_point at = w_at_time(w, w->s.now, 0u);
  W_EACH(i, w->image->n_levels) W_LEVEL(w, W_ROW_Y, i) = w_level(w, i, at);
  FF_SYNCWARP();
  w->s.is |= W_OWN;
}

#endif
