#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_exact_system_new(ff_exact_system *sys, const ff_exact *ex, const uint32_t *state, const uint32_t *pos,
                              const uint32_t *segment, uint32_t seg_first, uint32_t seg_last, int recurrent,
                              ff_error *err) {
  memset(sys, 0, sizeof *sys);
  sys->closed = recurrent && ex->flip_bits == 0;
  sys->ex = ex;
  sys->state = state;
  sys->pos = pos;
  sys->segment = segment;
  sys->seg_first = seg_first;
  sys->seg_last = seg_last;
  sys->lo = state ? segment[seg_first] : 0;
  sys->n = state ? segment[seg_last] - sys->lo : ex->n_states;
  size_t orbit = ex->flip_bits ? (size_t)1 << ex->flip_bits : 0, segments = seg_last - seg_first;
  sys->row_to = ff_calloc(ex->row_max, sizeof *sys->row_to);
  sys->row_weight = ff_calloc(ex->row_max, sizeof *sys->row_weight);
  sys->diag = ff_calloc(state ? sys->n : 0, sizeof *sys->diag);
  sys->kind = ff_calloc(segments, sizeof *sys->kind);
  sys->factor = ff_calloc(segments, sizeof *sys->factor);
  sys->flip_x = ff_calloc(orbit, sizeof *sys->flip_x);
  sys->flip_y = ff_calloc(orbit, sizeof *sys->flip_y);
  sys->orbits = ff_calloc(orbit ? sys->n / orbit + 1 : 0, sizeof *sys->orbits);
  if (sys->row_to && sys->row_weight && sys->diag && sys->kind && sys->factor && sys->flip_x && sys->flip_y && sys->orbits)
    return FF_OK;
  ff_exact_system_free(sys);
  return ff_error_set(err, FF_EMEMORY, "no memory for a system of %u states", state ? segment[seg_last] : ex->n_states);
}

void ff_exact_system_free(ff_exact_system *sys) {
  free(sys->orbits);
  free(sys->diag);
  free(sys->kind);
  free(sys->factor);
  free(sys->factors);
  free(sys->row_to);
  free(sys->row_weight);
  free(sys->flip_x);
  free(sys->flip_y);
  memset(sys, 0, sizeof *sys);
}

/* ---- filling ---------------------------------------------------------------------------------------------------- */

/* Computes the row of a state and subtracts its cost from the turn. */
static uint32_t row_of(ff_exact_system *sys, uint32_t s, ff_exact_turn *turn) {
  uint32_t n = ff_exact_update_row(sys->ex, s, sys->row_to, sys->row_weight);
  turn->left -= n;
  return n;
}

static void fill_diagonal(ff_exact_system *sys, uint32_t i, ff_exact_turn *turn) {
  uint32_t s = sys->state[sys->lo + i], n = row_of(sys, s, turn);
  double moves = 0;
  for (uint32_t e = 0; e < n; e++)
    if (sys->row_to[e] != s) moves += sys->row_weight[e];
  sys->diag[i] = sys->ex->flip + sys->ex->update * moves;
}

/* Sets *yes to 1 if the only successor of each state within the segment is the next one. */
static int is_cycle(ff_exact_system *sys, uint32_t lo, uint32_t hi, int *yes, ff_exact_turn *turn) {
  ff_exact_place *place = &sys->walk;
  for (*yes = 1; *yes && place->at < hi - lo; place->at++) {
    if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
    uint32_t i = lo + place->at, next = i + 1 == hi ? lo : i + 1, n = row_of(sys, sys->state[i], turn);
    for (uint32_t e = 0; e < n && *yes; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      *yes = to < lo || to >= hi || to == i || to == next;
    }
  }
  place->at = 0;
  return 1;
}

/* Decides how each segment is solved and where its numbers are stored. */
static int choose_kinds(ff_exact_system *sys, ff_exact_turn *turn) {
  for (; sys->at_segment < sys->seg_last - sys->seg_first; sys->at_segment++) {
    if (!ff_exact_more(turn, 1)) return 0;
    uint32_t k = sys->at_segment, lo = sys->segment[sys->seg_first + k], hi = sys->segment[sys->seg_first + k + 1];
    uint32_t size = hi - lo;
    int cycle = 0;
    if (size == 1) continue;
    if (!sys->closed && !is_cycle(sys, lo, hi, &cycle, turn)) return 0;
    sys->factor[k] = sys->n_factors;
    if (cycle) {
      sys->kind[k] = FF_SEGMENT_CYCLE;
      sys->n_factors += (size_t)size + 1;
    } else if (!sys->closed && size <= FF_EXACT_DENSE_SEGMENT && (double)sys->n_factors < FF_EXACT_MAX_FACTORS) {
      sys->kind[k] = FF_SEGMENT_DENSE;
      sys->n_factors += (size_t)size * size;
    } else {
      sys->has_back = 1;
    }
  }
  sys->at_segment = 0;
  return 1;
}

/* Computes the numbers of a cycle: 1 minus the probability of going round once, then the weight of each arrow to the next
 * state. */
static int fill_cycle(ff_exact_system *sys, uint32_t lo, uint32_t hi, double *f, ff_exact_turn *turn) {
  ff_exact_place *place = &sys->walk;
  double *log_round = &place->sum[0];
  if (!place->at) *log_round = 0;
  for (; place->at < hi - lo; place->at++) {
    if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
    uint32_t i = lo + place->at, next = i + 1 == hi ? lo : i + 1, n = row_of(sys, sys->state[i], turn);
    double on = 0, excess = sys->ex->flip;
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      if (to == next)
        on += sys->ex->update * sys->row_weight[e];
      else if (to != i)
        excess += sys->ex->update * sys->row_weight[e];
    }
    f[1 + i - lo] = on;
    *log_round += log1p(-excess / (excess + on));
  }
  f[0] = -expm1(*log_round);
  place->at = 0;
  return 1;
}

static int fill_dense(ff_exact_system *sys, uint32_t lo, uint32_t hi, double *a, ff_exact_turn *turn) {
  ff_exact_place *place = &sys->walk;
  uint32_t size = hi - lo;
  for (; place->at < size; place->at++) {
    if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
    uint32_t i = lo + place->at, n = row_of(sys, sys->state[i], turn);
    double *row = a + (size_t)place->at * size, *excess = &sys->excess[place->at];
    *excess = sys->ex->flip;
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      double weight = sys->ex->update * sys->row_weight[e];
      if (to == i) continue;
      if (to >= lo && to < hi)
        row[to - lo] += weight;
      else
        *excess += weight;
    }
  }
  ff_exact_factor(a, sys->excess, size);
  turn->left -= (int64_t)size * size * size / 3;
  place->at = 0;
  return 1;
}

static int fill_factors(ff_exact_system *sys, ff_exact_turn *turn) {
  for (; sys->at_segment < sys->seg_last - sys->seg_first; sys->at_segment++) {
    if (!ff_exact_more(turn, 1)) return 0;
    uint32_t k = sys->at_segment, lo = sys->segment[sys->seg_first + k], hi = sys->segment[sys->seg_first + k + 1];
    double *f = sys->factors + sys->factor[k];
    if (sys->kind[k] == FF_SEGMENT_CYCLE && !fill_cycle(sys, lo, hi, f, turn)) return 0;
    if (sys->kind[k] == FF_SEGMENT_DENSE && !fill_dense(sys, lo, hi, f, turn)) return 0;
  }
  sys->at_segment = 0;
  return 1;
}

ff_status ff_exact_system_fill(ff_exact_system *sys, ff_exact_turn *turn, int *done, ff_error *err) {
  enum { ORBITS, DIAGONAL, KINDS, FACTORS };
  ff_exact_place *place = &sys->place;
  const ff_exact *ex = sys->ex;
  uint32_t lo, hi, n = ex->flip_bits ? sys->n : 0;
  *done = 0;
  if (place->stage == ORBITS) {
    while (ff_exact_take(turn, place, n, &lo, &hi)) {
      for (uint32_t i = lo; i < hi; i++) {
        uint32_t s = sys->state ? sys->state[sys->lo + i] : i;
        if (!(s & ex->flip_mask)) sys->orbits[sys->n_orbits++] = s;
      }
    }
    if (!ff_exact_through(place, n, DIAGONAL)) return FF_OK;
  }
  if (place->stage == DIAGONAL && sys->state) {
    for (; place->at < sys->n; place->at++) {
      if (!ff_exact_more(turn, ex->row_cost)) return FF_OK;
      fill_diagonal(sys, place->at, turn);
    }
    place->at = 0;
    place->stage = KINDS;
  }
  if (place->stage == KINDS) {
    if (!choose_kinds(sys, turn)) return FF_OK;
    sys->factors = ff_calloc(sys->n_factors, sizeof *sys->factors);
    if (!sys->factors) return ff_error_set(err, FF_EMEMORY, "no memory for the components of %u states", sys->n);
    place->stage = FACTORS;
  }
  if (place->stage == FACTORS && !fill_factors(sys, turn)) return FF_OK;
  place->stage = 0;
  *done = 1;
  return FF_OK;
}

/* ---- applying --------------------------------------------------------------------------------------------------- */

#define WINDOW_BITS 12u /* the flips of this many bits are computed together, within the first-level cache */

/* Computes the flips of the lower bits, one window of the orbit at a time. Small orbits are then finished. */
static int flip_windows(ff_exact_system *sys, uint32_t base, const double *x, double *t, ff_exact_turn *turn) {
  const ff_exact *ex = sys->ex;
  uint32_t bits = ex->flip_bits < WINDOW_BITS ? ex->flip_bits : WINDOW_BITS, window = UINT32_C(1) << bits;
  for (; sys->flip.at < UINT32_C(1) << ex->flip_bits; sys->flip.at += window) {
    if (!ff_exact_more(turn, (uint64_t)window * (bits + 2))) return 0;
    const uint32_t *spread = ex->spread + sys->flip.at;
    double *in = sys->flip_x + sys->flip.at, *out = sys->flip_y + sys->flip.at;
    for (uint32_t l = 0; l < window; l++) {
      uint32_t s = base | spread[l];
      in[l] = x[sys->pos ? sys->pos[s] - sys->lo : s];
    }
    ff_exact_flips(ex, bits, in, out);
    for (uint32_t l = 0; l < window && bits == ex->flip_bits; l++) {
      uint32_t s = base | spread[l];
      t[sys->pos ? sys->pos[s] - sys->lo : s] += out[l];
    }
  }
  sys->flip.at = 0;
  return 1;
}

/* Computes the flips of the higher bits, each over the whole orbit. */
static int flip_orbit(ff_exact_system *sys, uint32_t base, double *t, ff_exact_turn *turn) {
  const ff_exact *ex = sys->ex;
  uint32_t lo, hi, size = UINT32_C(1) << ex->flip_bits;
  for (; sys->at_bit < ex->flip_bits; sys->at_bit++) {
    while (ff_exact_take(turn, &sys->flip, size / 2, &lo, &hi))
      ff_exact_flip(ex, sys->at_bit, sys->flip_x, sys->flip_y, lo, hi);
    if (!ff_exact_through(&sys->flip, size / 2, sys->flip.stage)) return 0;
  }
  while (ff_exact_take(turn, &sys->flip, size, &lo, &hi)) {
    for (uint32_t l = lo; l < hi; l++) {
      uint32_t s = base | ex->spread[l];
      t[sys->pos ? sys->pos[s] - sys->lo : s] += sys->flip_y[l];
    }
  }
  return ff_exact_through(&sys->flip, size, sys->flip.stage);
}

int ff_exact_system_flips(ff_exact_system *sys, const double *x, double *t, ff_exact_turn *turn) {
  enum { WINDOWS, WHOLE };
  for (; sys->at_orbit < sys->n_orbits; sys->at_orbit++) {
    uint32_t base = sys->orbits[sys->at_orbit];
    if (sys->flip.stage == WINDOWS) {
      if (!flip_windows(sys, base, x, t, turn)) return 0;
      if (sys->ex->flip_bits <= WINDOW_BITS) continue;
      sys->at_bit = WINDOW_BITS;
      sys->flip.stage = WHOLE;
    }
    if (!flip_orbit(sys, base, t, turn)) return 0;
    sys->flip.stage = WINDOWS;
  }
  sys->at_orbit = 0;
  return 1;
}

/* Goes round a cycle twice: first with the initial mass, then with the mass that comes back to the first state. */
static int solve_cycle(ff_exact_system *sys, double *z, const double *diag, const double *f, uint32_t n, ff_exact_turn *turn) {
  enum { FIRST, AGAIN };
  ff_exact_place *place = &sys->walk;
  const double *on = f + 1;
  uint32_t lo, hi;
  if (place->stage == FIRST) {
    while (ff_exact_take(turn, place, n, &lo, &hi))
      for (uint32_t j = lo; j < hi; j++) z[j] = (j > 0 ? z[j] + on[j - 1] * z[j - 1] : z[j]) / diag[j];
    if (!ff_exact_through(place, n, AGAIN)) return 0;
    place->sum[0] = on[n - 1] * z[n - 1] / diag[0] / f[0];
  }
  double again = place->sum[0];
  while (ff_exact_take(turn, place, n, &lo, &hi)) {
    for (uint32_t j = lo; j < hi; j++) {
      if (j > 0) again *= on[j - 1] / diag[j];
      z[j] += again;
    }
  }
  place->sum[0] = again;
  return ff_exact_through(place, n, FIRST);
}

/* Adds the mass of z[i] to the successors of position i outside [skip_lo, skip_hi): to z for later positions, to `back` for
 * earlier ones. */
static void push(ff_exact_system *sys, uint32_t i, uint32_t skip_lo, uint32_t skip_hi, double *z, double *back,
                 ff_exact_turn *turn) {
  double mass = sys->ex->update * z[i];
  if (mass == 0) return;
  uint32_t n = row_of(sys, sys->state[sys->lo + i], turn);
  for (uint32_t e = 0; e < n; e++) {
    uint32_t to = sys->pos[sys->row_to[e]] - sys->lo; /* a position before the range wraps to a large number */
    if (to >= sys->n || (to >= skip_lo && to < skip_hi)) continue;
    if (to > i)
      z[to] += mass * sys->row_weight[e];
    else
      back[to] += mass * sys->row_weight[e];
  }
}

static int apply_whole(ff_exact_system *sys, uint32_t k, uint32_t lo, uint32_t hi, double *z, double *t, ff_exact_turn *turn) {
  const double *f = sys->factors + sys->factor[k];
  ff_exact_place *place = &sys->walk;
  if (!sys->solved) {
    if (sys->kind[k] == FF_SEGMENT_CYCLE) {
      if (!solve_cycle(sys, z + lo, sys->diag + lo, f, hi - lo, turn)) return 0;
    } else {
      if (!ff_exact_more(turn, (uint64_t)(hi - lo) * (hi - lo))) return 0;
      ff_exact_solve_factored(z + lo, f, hi - lo);
    }
    sys->solved = 1;
  }
  for (; place->at < hi - lo; place->at++) {
    if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
    push(sys, lo + place->at, lo, hi, z, t, turn);
  }
  place->at = 0;
  sys->solved = 0;
  return 1;
}

static int apply_segments(ff_exact_system *sys, double *z, double *t, ff_exact_turn *turn) {
  uint32_t row_cost = sys->ex->row_cost;
  for (; sys->at_segment < sys->seg_last - sys->seg_first; sys->at_segment++) {
    uint32_t k = sys->at_segment, g = sys->seg_first + k;
    uint32_t lo = sys->segment[g] - sys->lo, hi = sys->segment[g + 1] - sys->lo;
    if (sys->kind[k] != FF_SEGMENT_OPEN) {
      if (!apply_whole(sys, k, lo, hi, z, t, turn)) return 0;
      continue;
    }
    for (uint32_t i = lo + sys->walk.at; i < hi; i++) {
      if (!ff_exact_more(turn, row_cost)) {
        sys->walk.at = i - lo;
        return 0;
      }
      z[i] /= sys->diag[i];
      push(sys, i, i, i + 1, z, t, turn);
    }
    sys->walk.at = 0;
  }
  sys->at_segment = 0;
  return 1;
}

int ff_exact_system_apply(ff_exact_system *sys, const double *u, double *z, double *t, ff_exact_turn *turn) {
  enum { COPY, IDLE, UPDATE, FLIP };
  const ff_exact *ex = sys->ex;
  ff_exact_place *place = &sys->place;
  uint32_t lo, hi, n = sys->n;
  for (;;) switch (place->stage) {
      case COPY:
        if (z && !ff_exact_copy(z, u, n, place, turn)) return 0;
        place->stage = IDLE;
        break;
      case IDLE:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) t[i] = sys->state ? 0 : ex->idle * u[i];
        if (!ff_exact_through(place, n, UPDATE)) return 0;
        break;
      case UPDATE:
        if (sys->state ? !apply_segments(sys, z, t, turn)
                       : !ff_exact_update_all(ex, u, ex->update, t, sys->row_to, sys->row_weight, place, turn))
          return 0;
        place->stage = FLIP;
        break;
      default:
        if (!ff_exact_system_flips(sys, sys->state ? z : u, t, turn)) return 0;
        place->stage = COPY;
        return 1;
    }
}

/* Adds the mass on backward arrows within open components to t. */
static int add_back(ff_exact_system *sys, const double *z, double *t, ff_exact_turn *turn) {
  for (; sys->at_segment < sys->seg_last - sys->seg_first && sys->has_back; sys->at_segment++) {
    uint32_t k = sys->at_segment, g = sys->seg_first + k;
    uint32_t lo = sys->segment[g] - sys->lo, hi = sys->segment[g + 1] - sys->lo;
    if (!ff_exact_more(turn, 1)) return 0;
    if (hi - lo == 1 || sys->kind[k] != FF_SEGMENT_OPEN) continue;
    for (; sys->walk.at < hi - lo; sys->walk.at++) {
      if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
      uint32_t i = lo + sys->walk.at, n = row_of(sys, sys->state[sys->lo + i], turn);
      double mass = sys->ex->update * z[i];
      for (uint32_t e = 0; e < n; e++) {
        uint32_t to = sys->pos[sys->row_to[e]] - sys->lo;
        if (to >= lo && to < i) t[to] += mass * sys->row_weight[e];
      }
    }
    sys->walk.at = 0;
  }
  sys->at_segment = 0;
  return 1;
}

int ff_exact_system_n(ff_exact_system *sys, const double *z, double *t, ff_exact_turn *turn) {
  enum { CLEAR, BACK, FLIP };
  ff_exact_place *place = &sys->place;
  uint32_t lo, hi;
  if (!sys->state) return ff_exact_system_apply(sys, z, NULL, t, turn);
  for (;;) switch (place->stage) {
      case CLEAR:
        while (ff_exact_take(turn, place, sys->n, &lo, &hi)) memset(t + lo, 0, (hi - lo) * sizeof *t);
        if (!ff_exact_through(place, sys->n, BACK)) return 0;
        break;
      case BACK:
        if (!add_back(sys, z, t, turn)) return 0;
        place->stage = FLIP;
        break;
      default:
        if (!ff_exact_system_flips(sys, z, t, turn)) return 0;
        place->stage = CLEAR;
        return 1;
    }
}

int ff_exact_system_outflow(ff_exact_system *sys, const double *z, void (*out)(void *, uint32_t, double), void *context,
                            ff_exact_turn *turn) {
  for (; sys->walk.at < sys->n; sys->walk.at++) {
    if (!ff_exact_more(turn, sys->ex->row_cost)) return 0;
    double mass = sys->ex->update * z[sys->walk.at];
    if (mass == 0) continue;
    uint32_t n = row_of(sys, sys->state[sys->lo + sys->walk.at], turn);
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      if (to - sys->lo >= sys->n) out(context, to, mass * sys->row_weight[e]);
    }
  }
  sys->walk.at = 0;
  return 1;
}
