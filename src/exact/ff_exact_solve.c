/* The long-run distribution, in bounded pieces: find the recurrent classes that the start can reach, how likely each is,
 * and the stationary vector of each. */
#include "ff_exact_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of U longer than this on average are not worth an order: the update alone then mixes fast. */
#define WIDE_ROWS 64.0
#define WIDE_PERTURBATION 1e-4

enum { SEARCH, START, TRANSIENT, CLASS, SWEEP, GROUPS, CHECK, KRYLOV, FINISH, DONE };

struct ff_exact_solver {
  const ff_exact *ex;
  double tolerance;
  uint64_t max_steps, steps;
  int phase;
  int wide;
  int transient; /* the system at hand is that of the transient states */
  ff_exact_search search;
  int searching;
  ff_exact_order order;
  double *mass; /* per class, from 1; entry 0 unused */
  uint32_t at;  /* the class at hand */
  ff_exact_system sys;
  ff_exact_groups groups;
  ff_exact_gmres gmres;
  int open; /* sys, groups, gmres and the vectors are there */
  double *w, *z, *t, *r, *rhs;
  double residual, change, best;
  uint32_t stalled;
};

static void close_system(ff_exact_solver *so) {
  ff_exact_system_free(&so->sys);
  ff_exact_groups_free(&so->groups);
  ff_exact_gmres_free(&so->gmres);
  free(so->w);
  free(so->z);
  free(so->t);
  free(so->r);
  free(so->rhs);
  so->w = so->z = so->t = so->r = so->rhs = NULL;
  so->open = 0;
}

void ff_exact_solver_free(ff_exact_solver *so) {
  if (!so) return;
  close_system(so);
  if (so->searching) ff_exact_search_free(&so->search);
  ff_exact_order_free(&so->order);
  free(so->mass);
  free(so);
}

/* P as it is, without an order of its states. Its slowest modes may fade as slowly as 1 - p, so the tolerance is tight. */
static void go_plain(ff_exact_solver *so) {
  ff_exact_order_free(&so->order);
  so->tolerance = 1.5e-15;
  so->order.n_classes = 1;
  so->phase = START;
}

/* With one closed component of U no mode is slow because flips are rare. */
static int one_closed(const ff_exact_order *order) {
  uint32_t closed = 0;
  for (uint32_t g = 0; g < order->n_segments; g++) closed += order->closed[g];
  return closed == 1;
}

ff_status ff_exact_solver_new(ff_exact_solver **out, const ff_exact *ex, double tolerance, uint64_t max_steps,
                              ff_error *err) {
  *out = NULL;
  if (!(tolerance > 0)) return ff_error_set(err, FF_EARGUMENT, "the tolerance must be positive, not %g", tolerance);
  ff_exact_solver *so = ff_calloc(1, sizeof *so);
  if (!so) return ff_error_set(err, FF_EMEMORY, "no memory for the solver");
  so->ex = ex;
  so->tolerance = tolerance > 4e-15 ? tolerance : 4e-15; /* below this there is only rounding */
  so->max_steps = max_steps;
  ff_status status = FF_OK;
  so->wide = ex->flip_bits == ex->n_free && ex->row_mean > WIDE_ROWS && ex->n_states > FF_EXACT_DENSE_CLASS;
  if (so->wide && ex->p >= WIDE_PERTURBATION) {
    go_plain(so);
  } else {
    status = ff_exact_search_new(&so->search, ex, err);
    so->searching = status == FF_OK;
    so->phase = SEARCH;
  }
  if (status != FF_OK) {
    ff_exact_solver_free(so);
    return status;
  }
  *out = so;
  return FF_OK;
}

static ff_status open_system(ff_exact_solver *so, uint32_t class_index, ff_error *err) {
  const ff_exact_order *o = &so->order;
  uint32_t first = o->state ? o->class_first[class_index] : 0, last = o->state ? o->class_first[class_index + 1] : 0;
  ff_status status =
      ff_exact_system_new(&so->sys, so->ex, o->state, o->pos, o->segment, first, last, class_index > 0, err);
  if (status != FF_OK) return status;
  so->open = 1;
  uint32_t n = so->sys.n;
  so->w = ff_calloc(n, sizeof *so->w);
  so->z = ff_calloc(n, sizeof *so->z);
  so->t = ff_calloc(n, sizeof *so->t);
  so->r = ff_calloc(n, sizeof *so->r);
  so->rhs = ff_calloc(class_index == 0 ? n : 0, sizeof *so->rhs);
  if (!so->w || !so->z || !so->t || !so->r || !so->rhs)
    return ff_error_set(err, FF_EMEMORY, "no memory for vectors of %u states", n);
  double room = (double)(UINT64_C(1) << 30) / 8.0 / n; /* a gigabyte of basis vectors */
  uint32_t restart = room > 100 ? 100 : room < 6 ? 6 : (uint32_t)room;
  if (restart > n) restart = n;
  status = ff_exact_gmres_new(&so->gmres, n, restart, err);
  if (status == FF_OK && class_index > 0 && o->state)
    status = ff_exact_groups_new(&so->groups, &so->sys, o->closed, err);
  so->best = INFINITY;
  so->stalled = 0;
  so->change = 0;
  return status;
}

/* The class (from 1) of a position. */
static uint32_t class_at(const ff_exact_order *o, uint32_t position) {
  uint32_t lo = 1, hi = o->n_classes;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (position < o->segment[o->class_first[mid + 1]])
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

static void absorb(void *context, uint32_t position, double mass) {
  ff_exact_solver *so = context;
  so->mass[class_at(&so->order, position)] += mass;
}

/* Where the chain starts: mass of each class at once, and of each transient state. */
static ff_status start(ff_exact_solver *so, ff_error *err) {
  const ff_exact *ex = so->ex;
  const ff_exact_order *o = &so->order;
  so->mass = ff_calloc(o->n_classes + 1u, sizeof *so->mass);
  if (!so->mass) return ff_error_set(err, FF_EMEMORY, "no memory for %u recurrent classes", o->n_classes);
  so->at = 1;
  so->phase = CLASS;
  uint32_t transient = o->state ? o->segment[o->class_first[1]] : 0;
  if (!transient && o->n_classes == 1) {
    so->mass[1] = 1;
    return FF_OK;
  }
  if (transient) {
    ff_status status = open_system(so, 0, err);
    if (status != FF_OK) return status;
    so->transient = 1;
    so->phase = TRANSIENT;
  }
  uint32_t mask = (ex->n_states - 1) & ~ex->start_mask, sub = 0, bits = 0;
  for (uint32_t v = mask; v; v &= v - 1) bits++;
  double share = ldexp(1, -(int)bits);
  do {
    uint32_t at = o->pos[ex->start_value | sub];
    if (at < transient)
      so->rhs[at] = so->w[at] = share;
    else
      so->mass[class_at(o, at)] += share;
    sub = (sub - mask) & mask;
  } while (sub);
  return FF_OK;
}

/* Kahan's sums: over a million states a plain one is off by 1e-13. */
static double norm1(const double *x, uint32_t n) {
  double sum = 0, lost = 0;
  for (uint32_t i = 0; i < n; i++) {
    double y = fabs(x[i]) - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  return sum;
}

static void scale_to_one(double *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!(x[i] > 0)) x[i] = 0; /* corrections may overshoot; the true vector is positive */
  double sum = norm1(x, n);
  for (uint32_t i = 0; i < n; i++) x[i] = sum > 0 ? x[i] / sum : 1.0 / n;
}

static ff_status dense_class(ff_exact_solver *so, double *pi, ff_error *err) {
  const ff_exact *ex = so->ex;
  const ff_exact_order *o = &so->order;
  uint32_t lo = o->segment[o->class_first[so->at]], n = o->segment[o->class_first[so->at + 1]] - lo;
  double *flow = ff_calloc((size_t)n * n, sizeof *flow), *x = ff_calloc(n, sizeof *x);
  double *weight = ff_calloc(ex->row_max, sizeof *weight);
  uint32_t *to = ff_calloc(ex->row_max, sizeof *to);
  ff_status status = FF_OK;
  if (!flow || !x || !weight || !to) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for a class of %u states", n);
  } else {
    double flips[FF_EXACT_MAX_FREE + 1];
    for (uint32_t f = 0; f <= ex->flip_bits; f++) flips[f] = pow(ex->p, f) * pow(1 - ex->p, ex->flip_bits - f);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t s = o->state[lo + i], m = ff_exact_update_row(ex, s, to, weight);
      double *row = flow + (size_t)i * n;
      for (uint32_t e = 0; e < m; e++) row[o->pos[to[e]] - lo] += ex->update * weight[e];
      for (uint32_t l = 1; l < UINT32_C(1) << ex->flip_bits; l++) {
        uint32_t flipped = 0;
        for (uint32_t v = l; v; v &= v - 1) flipped++;
        row[o->pos[s ^ ex->spread[l]] - lo] += flips[flipped];
      }
    }
    status = ff_exact_gth(x, flow, n, err);
    for (uint32_t i = 0; i < n && status == FF_OK; i++) pi[o->state[lo + i]] = so->mass[so->at] * x[i];
  }
  free(flow);
  free(x);
  free(weight);
  free(to);
  return status;
}

/* Without flips a class that is one cycle is visited evenly, up to the time spent in self-loops. */
static int cycle_class(ff_exact_solver *so, double *pi) {
  const ff_exact *ex = so->ex;
  const ff_exact_order *o = &so->order;
  uint32_t lo = o->segment[o->class_first[so->at]], hi = o->segment[o->class_first[so->at + 1]];
  if (ex->flip_bits || !ex->synchronous) return 0;
  for (uint32_t i = lo; i < hi; i++) {
    uint32_t cursor = 0, to, next = o->state[i + 1 == hi ? lo : i + 1];
    while (ff_exact_next(ex, o->state[i], &cursor, &to))
      if (to != next) return 0;
  }
  for (uint32_t i = lo; i < hi; i++) pi[o->state[i]] = so->mass[so->at] / (hi - lo);
  return 1;
}

static ff_status begin_class(ff_exact_solver *so, double *pi, ff_error *err) {
  const ff_exact_order *o = &so->order;
  if (so->at > o->n_classes) {
    so->phase = FINISH;
    return FF_OK;
  }
  uint32_t n = o->state ? o->segment[o->class_first[so->at + 1]] - o->segment[o->class_first[so->at]] : so->ex->n_states;
  if (n <= FF_EXACT_DENSE_CLASS) {
    ff_status status = dense_class(so, pi, err);
    so->at++;
    return status;
  }
  if (o->state && cycle_class(so, pi)) {
    so->at++;
    return FF_OK;
  }
  ff_status status = open_system(so, so->at, err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < n; i++) so->w[i] = 1.0 / n;
  so->phase = SWEEP;
  return FF_OK;
}

static void apply(ff_exact_solver *so) {
  ff_exact_system_apply(&so->sys, so->w, so->z, so->t);
  so->steps++;
}

/* w T against w, and whether that will do. */
static ff_status check(ff_exact_solver *so, double *pi, ff_error *err) {
  uint32_t n = so->sys.n;
  /* rows of T sum to 1 up to rounding only: what mass that gains or loses is no residual */
  double keep = so->transient ? 1 : 1 / norm1(so->t, n);
  for (uint32_t i = 0; i < n; i++) so->r[i] = (so->transient ? so->rhs[i] : 0) - so->w[i] + keep * so->t[i];
  double size = norm1(so->transient ? so->rhs : so->w, n);
  so->residual = size > 0 ? norm1(so->r, n) / size : 0;
  double worst = so->residual > so->change ? so->residual : so->change;
  if (worst < 0.5 * so->best) {
    so->best = worst;
    so->stalled = 0;
  } else {
    so->stalled++;
  }
  int good = so->residual <= so->tolerance && so->change <= 10 * so->tolerance;
  /* at the floor of rounding there is no more to gain */
  if (!good && so->stalled >= 4 && worst <= 1e-12) good = 1;
  if (!good && so->steps >= so->max_steps)
    return ff_error_set(err, FF_ECONVERGENCE,
                        "the long-run distribution did not converge in %llu steps: the residual is %.3g",
                        (unsigned long long)so->steps, so->residual);
  if (!good) {
    ff_exact_gmres_begin(&so->gmres, so->r, so->transient ? NULL : so->w);
    so->phase = KRYLOV;
    return FF_OK;
  }
  if (so->transient) {
    for (uint32_t i = 0; i < n; i++)
      if (so->z[i] < 0) so->z[i] = 0;
    ff_exact_system_outflow(&so->sys, so->z, absorb, so);
    double total = 0;
    for (uint32_t c = 1; c <= so->order.n_classes; c++) total += so->mass[c];
    for (uint32_t c = 1; c <= so->order.n_classes; c++) so->mass[c] /= total;
    so->transient = 0;
  } else {
    scale_to_one(so->z, n);
    for (uint32_t i = 0; i < n; i++)
      pi[so->order.state ? so->order.state[so->sys.lo + i] : i] = so->mass[so->at] * so->z[i];
    so->at++;
  }
  close_system(so);
  so->phase = CLASS;
  return FF_OK;
}

static ff_status finish(ff_exact_solver *so, const double *pi, ff_error *err) {
  double *y = ff_calloc(so->ex->n_states, sizeof *y);
  if (!y) return ff_error_set(err, FF_EMEMORY, "no memory for vectors of %u states", so->ex->n_states);
  ff_status status = ff_exact_step(y, pi, so->ex, err);
  double keep = status == FF_OK ? 1 / norm1(y, so->ex->n_states) : 0;
  for (uint32_t s = 0; s < so->ex->n_states && status == FF_OK; s++) y[s] = keep * y[s] - pi[s];
  so->residual = norm1(y, so->ex->n_states);
  so->phase = DONE;
  free(y);
  return status;
}

static ff_status piece(ff_exact_solver *so, double *pi, ff_error *err) {
  ff_status status = FF_OK;
  switch (so->phase) {
    case SEARCH:
      if (!ff_exact_search_run(&so->search)) break;
      status = ff_exact_order_new(&so->order, &so->search, err);
      ff_exact_search_free(&so->search);
      so->searching = 0;
      so->phase = START;
      if (status == FF_OK && so->wide && one_closed(&so->order)) go_plain(so);
      break;
    case START:
      memset(pi, 0, so->ex->n_states * sizeof *pi);
      status = start(so, err);
      break;
    case CLASS: status = begin_class(so, pi, err); break;
    case SWEEP:
      scale_to_one(so->w, so->sys.n);
      apply(so);
      if (!so->groups.n_groups) {
        so->phase = CHECK;
        break;
      }
      ff_exact_groups_begin(&so->groups, &so->sys, so->z);
      so->phase = GROUPS;
      break;
    case GROUPS:
      if (!ff_exact_groups_run(&so->groups, &so->sys, so->z)) break;
      so->change = ff_exact_groups_end(&so->groups, so->z, so->sys.n);
      ff_exact_system_n(&so->sys, so->z, so->w);
      scale_to_one(so->w, so->sys.n);
      so->phase = TRANSIENT;
      break;
    case TRANSIENT:
      apply(so);
      so->phase = CHECK;
      break;
    case CHECK: status = check(so, pi, err); break;
    case KRYLOV: {
      double ratio = ff_exact_gmres_step(&so->gmres, &so->sys, so->z, so->t);
      so->steps++;
      /* a cycle that gains more than doubles carry goes astray: better to start afresh from the true residual */
      if (ratio > 1e-9 && ratio * so->residual > 0.25 * so->tolerance && so->gmres.at < so->gmres.max &&
          so->steps < so->max_steps)
        break;
      ff_exact_gmres_end(&so->gmres, so->w);
      so->phase = TRANSIENT;
      if (so->transient) break;
      /* one step of the chain makes even the smallest entries positive and relatively right */
      scale_to_one(so->w, so->sys.n);
      apply(so);
      memcpy(so->w, so->t, so->sys.n * sizeof *so->w);
      so->phase = SWEEP;
      break;
    }
    case FINISH: status = finish(so, pi, err); break;
    default: break;
  }
  return status;
}

ff_status ff_exact_solver_advance(ff_exact_solver *so, double *pi, double seconds, int *done, double *residual,
                                  ff_error *err) {
  double until = ff_clock() + seconds;
  ff_status status = FF_OK;
  while (so->phase != DONE && status == FF_OK) {
    status = piece(so, pi, err);
    if (ff_clock() >= until) break;
  }
  *done = so->phase == DONE;
  *residual = so->residual;
  return status;
}
