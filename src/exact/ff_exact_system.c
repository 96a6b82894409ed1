#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void diagonal(ff_exact_system *sys) {
  const ff_exact *ex = sys->ex;
  for (uint32_t i = 0; i < sys->n; i++) {
    uint32_t s = sys->state[sys->lo + i], n = ff_exact_update_row(ex, s, sys->row_to, sys->row_weight);
    double moves = 0;
    for (uint32_t e = 0; e < n; e++)
      if (sys->row_to[e] != s) moves += sys->row_weight[e];
    sys->diag[i] = ex->flip + ex->update * moves;
  }
}

/* 1 where every state of the segment has the next one as its only successor inside. */
static int is_cycle(ff_exact_system *sys, uint32_t lo, uint32_t hi) {
  for (uint32_t i = lo; i < hi; i++) {
    uint32_t next = i + 1 == hi ? lo : i + 1;
    uint32_t n = ff_exact_update_row(sys->ex, sys->state[i], sys->row_to, sys->row_weight);
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      if (to >= lo && to < hi && to != i && to != next) return 0;
    }
  }
  return 1;
}

/* Numbers of a cycle: 1 - the chance to go round once, then the weight of each arrow to the next state. */
static void fill_cycle(ff_exact_system *sys, uint32_t lo, uint32_t hi, double *f) {
  double log_round = 0;
  for (uint32_t i = lo; i < hi; i++) {
    uint32_t next = i + 1 == hi ? lo : i + 1;
    uint32_t n = ff_exact_update_row(sys->ex, sys->state[i], sys->row_to, sys->row_weight);
    double on = 0, excess = sys->ex->flip;
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      if (to == next)
        on += sys->ex->update * sys->row_weight[e];
      else if (to != i)
        excess += sys->ex->update * sys->row_weight[e];
    }
    f[1 + i - lo] = on;
    log_round += log1p(-excess / (excess + on));
  }
  f[0] = -expm1(log_round);
}

static void fill_dense(ff_exact_system *sys, uint32_t lo, uint32_t hi, double *a) {
  uint32_t size = hi - lo;
  double excess[FF_EXACT_DENSE_SEGMENT];
  memset(a, 0, (size_t)size * size * sizeof *a);
  for (uint32_t i = lo; i < hi; i++) {
    uint32_t n = ff_exact_update_row(sys->ex, sys->state[i], sys->row_to, sys->row_weight);
    excess[i - lo] = sys->ex->flip;
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      double weight = sys->ex->update * sys->row_weight[e];
      if (to == i) continue;
      if (to >= lo && to < hi)
        a[(size_t)(i - lo) * size + (to - lo)] += weight;
      else
        excess[i - lo] += weight;
    }
  }
  ff_exact_factor(a, excess, size);
}

static ff_status fill_segments(ff_exact_system *sys, ff_error *err) {
  uint32_t segments = sys->seg_last - sys->seg_first;
  size_t total = 0, most = (size_t)1 << 25;
  sys->kind = ff_calloc(segments, sizeof *sys->kind);
  sys->factor = ff_calloc(segments, sizeof *sys->factor);
  if (!sys->kind || !sys->factor) return ff_error_set(err, FF_EMEMORY, "no memory for %u components", segments);
  for (uint32_t g = 0; g < segments; g++) {
    uint32_t lo = sys->segment[sys->seg_first + g], hi = sys->segment[sys->seg_first + g + 1], size = hi - lo;
    if (size == 1) continue;
    sys->factor[g] = total;
    if (sys->closed) {
      sys->has_back = 1;
    } else if (is_cycle(sys, lo, hi)) {
      sys->kind[g] = FF_SEGMENT_CYCLE;
      total += (size_t)size + 1;
    } else if (size <= FF_EXACT_DENSE_SEGMENT && total < most) {
      sys->kind[g] = FF_SEGMENT_DENSE;
      total += (size_t)size * size;
    } else {
      sys->has_back = 1;
    }
  }
  sys->factors = ff_calloc(total, sizeof *sys->factors);
  if (!sys->factors) return ff_error_set(err, FF_EMEMORY, "no memory for %u components", segments);
  for (uint32_t g = 0; g < segments; g++) {
    uint32_t lo = sys->segment[sys->seg_first + g], hi = sys->segment[sys->seg_first + g + 1];
    if (sys->kind[g] == FF_SEGMENT_CYCLE) fill_cycle(sys, lo, hi, sys->factors + sys->factor[g]);
    if (sys->kind[g] == FF_SEGMENT_DENSE) fill_dense(sys, lo, hi, sys->factors + sys->factor[g]);
  }
  return FF_OK;
}

static ff_status fill_orbits(ff_exact_system *sys, ff_error *err) {
  const ff_exact *ex = sys->ex;
  if (!ex->flip_bits) return FF_OK;
  size_t size = (size_t)1 << ex->flip_bits;
  sys->flip_x = ff_calloc(size, sizeof *sys->flip_x);
  sys->flip_y = ff_calloc(size, sizeof *sys->flip_y);
  sys->orbits = ff_calloc(sys->n / size + 1, sizeof *sys->orbits);
  if (!sys->flip_x || !sys->flip_y || !sys->orbits)
    return ff_error_set(err, FF_EMEMORY, "no memory for the flips of %u states", sys->n);
  for (uint32_t i = 0; i < sys->n; i++) {
    uint32_t s = sys->state ? sys->state[sys->lo + i] : i;
    if (!(s & ex->flip_mask)) sys->orbits[sys->n_orbits++] = s;
  }
  return FF_OK;
}

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
  sys->row_to = ff_calloc(ex->row_max, sizeof *sys->row_to);
  sys->row_weight = ff_calloc(ex->row_max, sizeof *sys->row_weight);
  sys->diag = ff_calloc(state ? sys->n : 0, sizeof *sys->diag);
  ff_status status = FF_OK;
  if (!sys->row_to || !sys->row_weight || !sys->diag)
    status = ff_error_set(err, FF_EMEMORY, "no memory for %u states", sys->n);
  if (status == FF_OK) status = fill_orbits(sys, err);
  if (status == FF_OK && state) {
    diagonal(sys);
    status = fill_segments(sys, err);
  }
  if (status != FF_OK) ff_exact_system_free(sys);
  return status;
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

void ff_exact_system_flips(ff_exact_system *sys, const double *x, double *t) {
  const ff_exact *ex = sys->ex;
  size_t size = (size_t)1 << ex->flip_bits;
  for (uint32_t o = 0; o < sys->n_orbits; o++) {
    uint32_t base = sys->orbits[o];
    for (size_t l = 0; l < size; l++) {
      uint32_t s = base | ex->spread[l];
      sys->flip_x[l] = x[sys->pos ? sys->pos[s] - sys->lo : s];
    }
    ff_exact_flips(ex, sys->flip_x, sys->flip_y);
    for (size_t l = 0; l < size; l++) {
      uint32_t s = base | ex->spread[l];
      t[sys->pos ? sys->pos[s] - sys->lo : s] += sys->flip_y[l];
    }
  }
}

static void solve_cycle(double *z, const double *diag, const double *f, uint32_t n) {
  const double *on = f + 1;
  z[0] /= diag[0];
  for (uint32_t j = 1; j < n; j++) z[j] = (z[j] + on[j - 1] * z[j - 1]) / diag[j];
  double again = on[n - 1] * z[n - 1] / diag[0] / f[0];
  z[0] += again;
  for (uint32_t j = 1; j < n; j++) {
    again *= on[j - 1] / diag[j];
    z[j] += again;
  }
}

/* Hands z[i]'s mass to the successors of position i outside [skip_lo, skip_hi): later ones in z, earlier ones in back. */
static void push(ff_exact_system *sys, uint32_t i, uint32_t skip_lo, uint32_t skip_hi, double *z, double *back) {
  double mass = sys->ex->update * z[i];
  if (mass == 0) return;
  uint32_t n = ff_exact_update_row(sys->ex, sys->state[sys->lo + i], sys->row_to, sys->row_weight);
  for (uint32_t e = 0; e < n; e++) {
    uint32_t to = sys->pos[sys->row_to[e]] - sys->lo; /* wraps to a large number below the range */
    if (to >= sys->n || (to >= skip_lo && to < skip_hi)) continue;
    if (to > i)
      z[to] += mass * sys->row_weight[e];
    else
      back[to] += mass * sys->row_weight[e];
  }
}

static void apply_plain(ff_exact_system *sys, const double *u, double *t) {
  for (uint32_t i = 0; i < sys->n; i++) t[i] = sys->ex->idle * u[i];
  ff_exact_update_all(sys->ex, u, sys->ex->update, t, sys->row_to, sys->row_weight);
  ff_exact_system_flips(sys, u, t);
}

void ff_exact_system_apply(ff_exact_system *sys, const double *u, double *z, double *t) {
  memcpy(z, u, sys->n * sizeof *z);
  if (!sys->state) {
    apply_plain(sys, u, t);
    return;
  }
  memset(t, 0, sys->n * sizeof *t);
  for (uint32_t g = sys->seg_first; g < sys->seg_last; g++) {
    uint32_t lo = sys->segment[g] - sys->lo, hi = sys->segment[g + 1] - sys->lo, k = g - sys->seg_first;
    if (sys->kind[k] == FF_SEGMENT_OPEN) {
      for (uint32_t i = lo; i < hi; i++) {
        z[i] /= sys->diag[i];
        push(sys, i, i, i + 1, z, t);
      }
      continue;
    }
    const double *f = sys->factors + sys->factor[k];
    if (sys->kind[k] == FF_SEGMENT_CYCLE)
      solve_cycle(z + lo, sys->diag + lo, f, hi - lo);
    else
      ff_exact_solve_factored(z + lo, f, hi - lo);
    for (uint32_t i = lo; i < hi; i++) push(sys, i, lo, hi, z, t);
  }
  ff_exact_system_flips(sys, z, t);
}

void ff_exact_system_n(ff_exact_system *sys, const double *z, double *t) {
  if (!sys->state) {
    apply_plain(sys, z, t);
    return;
  }
  memset(t, 0, sys->n * sizeof *t);
  for (uint32_t g = sys->seg_first; g < sys->seg_last && sys->has_back; g++) {
    uint32_t lo = sys->segment[g] - sys->lo, hi = sys->segment[g + 1] - sys->lo;
    if (hi - lo == 1 || sys->kind[g - sys->seg_first] != FF_SEGMENT_OPEN) continue;
    for (uint32_t i = lo; i < hi; i++) {
      double mass = sys->ex->update * z[i];
      uint32_t n = ff_exact_update_row(sys->ex, sys->state[sys->lo + i], sys->row_to, sys->row_weight);
      for (uint32_t e = 0; e < n; e++) {
        uint32_t to = sys->pos[sys->row_to[e]] - sys->lo;
        if (to >= lo && to < i) t[to] += mass * sys->row_weight[e];
      }
    }
  }
  ff_exact_system_flips(sys, z, t);
}

void ff_exact_system_outflow(ff_exact_system *sys, const double *z, void (*out)(void *, uint32_t, double),
                             void *context) {
  for (uint32_t i = 0; i < sys->n; i++) {
    double mass = sys->ex->update * z[i];
    if (mass == 0) continue;
    uint32_t n = ff_exact_update_row(sys->ex, sys->state[sys->lo + i], sys->row_to, sys->row_weight);
    for (uint32_t e = 0; e < n; e++) {
      uint32_t to = sys->pos[sys->row_to[e]];
      if (to - sys->lo >= sys->n) out(context, to, mass * sys->row_weight[e]);
    }
  }
}
