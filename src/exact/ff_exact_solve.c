/* Computes the long-run distribution in pieces: finds the recurrent classes that can be reached from the start, the
 * probability of each, and the stationary vector of each. */
#include "ff_exact_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If the rows of U are longer than this on average, it is not worthwhile to sort the states, because the update alone then mixes
 * fast. */
#define WIDE_ROWS 64.0
#define WIDE_PERTURBATION 1e-4

/* Residuals at the level of rounding errors: at or below ROUNDING, or this many units of double precision of the vector's norm,
 * but never above ROUNDING_MOST. */
#define ROUNDING 1e-12
#define ROUNDING_UNITS 8
#define ROUNDING_MOST 1e-9
#define STALLED_MOST 200 /* checks without an improvement after which there will be none */

/* The current phase. set_up() handles SEARCH to EVEN, improve() SWEEP to SMOOTH_COPY, and conclude() the rest. A system
 * exists from OPEN to CLOSE. Its vector is improved by sweeps, which end in CHECK, and between them by cycles of GMRES, which
 * end in SMOOTH. */
enum {
  SEARCH, ORDER, CLEAR, START, CLASS, DENSE, CYCLE, OPEN, FILL, GROUP, SPREAD, VISITS, EVEN,
  SWEEP, SWEEP_APPLY, SWEEP_GROUPS, SWEEP_BACK, SWEEP_SCALE, APPLY, CHECK,
  KRYLOV_BEGIN, KRYLOV, KRYLOV_END, SMOOTH, SMOOTH_APPLY, SMOOTH_COPY,
  ABSORB, SCALE, WRITE, CLOSE, FINISH, DONE
};

struct ff_exact_solver {
  const ff_exact *ex;
  double tolerance;
  uint64_t max_steps, steps;
  int phase;
  ff_exact_place place; /* in the current phase */
  int wide;
  int transient; /* 1 if the current system has the transient states */
  ff_exact_search search;
  ff_exact_order order;
  double *mass; /* for each class, from 1; entry 0 is not used */
  double *gain; /* the part of it that comes from transient states */
  double entered; /* the mass that starts in transient states */
  uint32_t at;    /* the current class */
  uint32_t start; /* free bits of the next state in which the chain may start */
  ff_exact_direct direct;
  ff_exact_system sys;
  ff_exact_groups groups;
  ff_exact_gmres gmres;
  double *w, *z, *t, *r, *rhs;
  double residual, change, best, absorbed; /* absorbed: the residual of the transient states */
  double keep, size, norm; /* of the current check */
  uint32_t stalled;  /* number of checks without an improvement */
  int finished;      /* everything is done except freeing memory */
};

/* Frees what was allocated since OPEN, one large part per call. Returns 1 when all is freed. */
static int close_part(ff_exact_solver *so) {
  double **vectors[] = {&so->w, &so->z, &so->t, &so->r, &so->rhs};
  switch (so->place.stage++) {
    case 0:
      for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        free(*vectors[k]);
        *vectors[k] = NULL;
      }
      return 0;
    case 1: ff_exact_gmres_free(&so->gmres); return 0;
    default:
      ff_exact_groups_free(&so->groups);
      ff_exact_system_free(&so->sys);
      so->place.stage = 0;
      return 1;
  }
}

void ff_exact_solver_free(ff_exact_solver *so) {
  if (!so) return;
  memset(&so->place, 0, sizeof so->place);
  while (!close_part(so)) continue;
  ff_exact_search_free(&so->search);
  ff_exact_order_free(&so->order);
  ff_exact_direct_free(&so->direct);
  free(so->mass);
  free(so->gain);
  free(so);
}

/* Uses P itself, without sorting its states. Its slowest modes may decay as slowly as 1 - p, so the tolerance is tight. */
static void go_plain(ff_exact_solver *so) {
  ff_exact_order_free(&so->order);
  so->tolerance = 1.5e-15;
  so->order.n_classes = 1;
  so->phase = CLEAR;
}

ff_status ff_exact_solver_new(ff_exact_solver **out, const ff_exact *ex, double tolerance, uint64_t max_steps,
                              ff_error *err) {
  *out = NULL;
  if (!(tolerance > 0)) return ff_error_set(err, FF_EARGUMENT, "the tolerance must be positive, not %g", tolerance);
  ff_exact_solver *so = ff_calloc(1, sizeof *so);
  if (!so) return ff_error_set(err, FF_EMEMORY, "no memory for the solver");
  so->ex = ex;
  so->tolerance = tolerance > 4e-15 ? tolerance : 4e-15; /* below this there are only rounding errors */
  so->max_steps = max_steps;
  ff_status status = FF_OK;
  so->wide = ex->flip_bits == ex->n_free && ex->row_mean > WIDE_ROWS && ex->n_states > FF_EXACT_DENSE_CLASS;
  if (so->wide && ex->p >= WIDE_PERTURBATION)
    go_plain(so);
  else
    status = ff_exact_search_new(&so->search, ex, err);
  if (status != FF_OK) {
    ff_exact_solver_free(so);
    return status;
  }
  *out = so;
  return FF_OK;
}

/* Ends the search. If U has only one closed component, no mode is slow because flips are rare. */
static ff_status sort(ff_exact_solver *so, ff_exact_turn *turn, ff_error *err) {
  int done = 0;
  ff_status status = so->order.state ? FF_OK : ff_exact_order_new(&so->order, &so->search, err);
  if (status == FF_OK) status = ff_exact_order_run(&so->order, &so->search, turn, &done, err);
  if (status != FF_OK || !done) return status;
  ff_exact_search_free(&so->search);
  so->phase = CLEAR;
  if (so->wide && so->order.n_closed == 1) go_plain(so);
  return FF_OK;
}

static uint32_t n_transient(const ff_exact_order *o) { return o->state ? o->segment[o->class_first[1]] : 0; }

static ff_status open_system(ff_exact_solver *so, ff_error *err) {
  const ff_exact_order *o = &so->order;
  uint32_t c = so->transient ? 0 : so->at, first = o->state ? o->class_first[c] : 0, last = o->state ? o->class_first[c + 1] : 0;
  ff_status status =
      ff_exact_system_new(&so->sys, so->ex, o->state, o->pos, o->segment, first, last, !so->transient, err);
  if (status != FF_OK) return status;
  uint32_t n = so->sys.n;
  so->w = ff_calloc(n, sizeof *so->w);
  so->z = ff_calloc(n, sizeof *so->z);
  so->t = ff_calloc(n, sizeof *so->t);
  so->r = ff_calloc(n, sizeof *so->r);
  so->rhs = ff_calloc(so->transient ? n : 0, sizeof *so->rhs);
  if (!so->w || !so->z || !so->t || !so->r || !so->rhs)
    return ff_error_set(err, FF_EMEMORY, "no memory for vectors of %u states", n);
  so->best = INFINITY;
  so->stalled = 0;
  so->change = 0;
  return ff_exact_gmres_new(&so->gmres, n, ff_exact_gmres_room(n), err);
}

/* Decides how the chain starts: in the only class, or in a distribution over states. */
static ff_status start(ff_exact_solver *so, ff_error *err) {
  const ff_exact_order *o = &so->order;
  so->mass = ff_calloc(o->n_classes + 1u, sizeof *so->mass);
  so->gain = ff_calloc(o->n_classes + 1u, sizeof *so->gain);
  if (!so->mass || !so->gain) return ff_error_set(err, FF_EMEMORY, "no memory for %u recurrent classes", o->n_classes);
  so->at = 1;
  so->transient = n_transient(o) > 0;
  if (!so->transient && o->n_classes == 1) {
    so->mass[1] = 1;
    so->phase = CLASS;
    return FF_OK;
  }
  so->phase = so->transient ? OPEN : SPREAD;
  return FF_OK;
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

/* Computes the initial mass of each class and of each transient state. */
static int spread(ff_exact_solver *so, ff_exact_turn *turn) {
  const ff_exact *ex = so->ex;
  const ff_exact_order *o = &so->order;
  uint32_t mask = (ex->n_states - 1) & ~ex->start_mask, transient = n_transient(o), bits = 0;
  for (uint32_t v = mask; v; v &= v - 1) bits++;
  double share = ldexp(1, -(int)bits);
  do {
    if (!ff_exact_more(turn, 4)) return 0;
    uint32_t at = o->pos[ex->start_value | so->start];
    if (at < transient) {
      so->rhs[at] = so->w[at] = share;
      so->entered += share;
    } else
      so->mass[class_at(o, at)] += share;
    so->start = (so->start - mask) & mask;
  } while (so->start);
  return 1;
}

static void absorb(void *context, uint32_t position, double mass) {
  ff_exact_solver *so = context;
  so->gain[class_at(&so->order, position)] += mass;
}

/* Adds the mass of the transient states to the classes that absorb it. Many visits multiply rounding errors, so the absorbed mass
 * is scaled to the mass that entered. */
static int absorb_all(ff_exact_solver *so, ff_exact_turn *turn) {
  enum { CLIP, FLOW, SUM, DIVIDE };
  ff_exact_place *place = &so->place;
  uint32_t lo, hi, n = so->sys.n, classes = so->order.n_classes;
  double total;
  for (;;) switch (place->stage) {
      case CLIP:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++)
            if (so->z[i] < 0) so->z[i] = 0;
        if (!ff_exact_through(place, n, FLOW)) return 0;
        break;
      case FLOW:
        if (!ff_exact_system_outflow(&so->sys, so->z, absorb, so, turn)) return 0;
        place->stage = SUM;
        break;
      case SUM:
        total = place->at ? place->sum[0] : 0;
        while (ff_exact_take(turn, place, classes, &lo, &hi))
          for (uint32_t c = lo; c < hi; c++) total += so->gain[c + 1];
        place->sum[0] = total;
        if (!ff_exact_through(place, classes, DIVIDE)) return 0;
        break;
      default:
        while (ff_exact_take(turn, place, classes, &lo, &hi))
          for (uint32_t c = lo; c < hi; c++) so->mass[c + 1] += so->gain[c + 1] / place->sum[0] * so->entered;
        if (!ff_exact_through(place, classes, CLIP)) return 0;
        so->transient = 0;
        return 1;
    }
}

/* Writes the vector of the current class, times the probability of the class. */
static int write_class(ff_exact_solver *so, double *pi, ff_exact_turn *turn) {
  uint32_t lo, hi, n = so->sys.n;
  const uint32_t *state = so->order.state;
  while (ff_exact_take(turn, &so->place, n, &lo, &hi))
    for (uint32_t i = lo; i < hi; i++) pi[state ? state[so->sys.lo + i] : i] = so->mass[so->at] * so->z[i];
  if (!ff_exact_through(&so->place, n, 0)) return 0;
  so->at++;
  return 1;
}

static void choose_class(ff_exact_solver *so) {
  const ff_exact_order *o = &so->order;
  if (so->at > o->n_classes) {
    so->phase = FINISH;
    return;
  }
  uint32_t n = o->state ? o->segment[o->class_first[so->at + 1]] - o->segment[o->class_first[so->at]] : so->ex->n_states;
  so->phase = n <= FF_EXACT_DENSE_CLASS ? DENSE : o->state ? CYCLE : OPEN;
}

/* Computes the residual: the difference between w T and w. Returns 1 when this is complete. */
static int measure(ff_exact_solver *so, ff_exact_turn *turn) {
  enum { MASS, SUBTRACT, SIZE, VECTOR, RESIDUAL };
  ff_exact_place *place = &so->place;
  uint32_t lo, hi, n = so->sys.n;
  double norm;
  if (place->stage == MASS) {
    /* The rows of T sum to 1 only up to rounding. The mass that this adds or removes is not part of the residual. */
    if (so->transient)
      so->keep = 1;
    else if (ff_exact_norm1(&norm, so->t, n, place, turn))
      so->keep = 1 / norm;
    else
      return 0;
    place->stage = SUBTRACT;
  }
  if (place->stage == SUBTRACT) {
    while (ff_exact_take(turn, place, n, &lo, &hi))
      for (uint32_t i = lo; i < hi; i++) so->r[i] = (so->transient ? so->rhs[i] : 0) - so->w[i] + so->keep * so->t[i];
    if (!ff_exact_through(place, n, SIZE)) return 0;
  }
  if (place->stage == SIZE) {
    if (!ff_exact_norm1(&so->size, so->transient ? so->rhs : so->w, n, place, turn)) return 0;
    place->stage = VECTOR;
  }
  if (place->stage == VECTOR) {
    if (!ff_exact_norm1(&so->norm, so->w, n, place, turn)) return 0;
    place->stage = RESIDUAL;
  }
  if (!ff_exact_norm1(&norm, so->r, n, place, turn)) return 0;
  place->stage = MASS;
  so->residual = so->size > 0 ? norm / so->size : 0;
  return 1;
}

/* Decides whether the residual is small enough. */
static ff_status check(ff_exact_solver *so, ff_exact_turn *turn, ff_error *err) {
  if (!measure(so, turn)) return FF_OK;
  double worst = so->residual > so->change ? so->residual : so->change;
  if (worst < 0.5 * so->best) {
    so->best = worst;
    so->stalled = 0;
  } else {
    so->stalled++;
  }
  int good = so->residual <= so->tolerance && so->change <= 10 * so->tolerance;
  /* At the level of rounding errors no more improvement is possible. For transient states, the vector's norm is the expected
   * number of visits, which may be large. An error in the residual is one in the answer times `size`.
   * The groups' change may be ten times as large, as for the tolerance. */
  double least = 0;
  if (so->size > 0)
    least = fmin(fmax(ROUNDING, ROUNDING_UNITS * DBL_EPSILON * so->norm / so->size), ROUNDING_MOST / so->size);
  if (!good && so->stalled >= 4 && so->residual <= least && so->change <= 10 * least) good = 1;
  if (!good && (so->steps >= so->max_steps || so->stalled >= STALLED_MOST))
    return ff_error_set(err, FF_ECONVERGENCE,
                        "the long-run distribution did not converge in %llu steps: the residual is %.3g",
                        (unsigned long long)so->steps, so->residual);
  so->phase = !good ? KRYLOV_BEGIN : so->transient ? ABSORB : SCALE;
  if (so->phase == ABSORB) so->absorbed = so->residual * so->size;
  return FF_OK;
}

/* Computes the residual of the whole answer. */
static ff_status finish(ff_exact_solver *so, const double *pi, ff_exact_turn *turn, ff_error *err) {
  enum { NEW, ORBITS, STEP, SUM, SUBTRACT, RESIDUAL };
  ff_exact_place *place = &so->place;
  uint32_t lo, hi, n = so->ex->n_states;
  ff_status status = FF_OK;
  int done;
  double norm;
  for (;;) switch (place->stage) {
      case NEW:
        status = ff_exact_system_new(&so->sys, so->ex, NULL, NULL, NULL, 0, 0, 1, err);
        so->t = ff_calloc(n, sizeof *so->t);
        if (status == FF_OK && !so->t) status = ff_error_set(err, FF_EMEMORY, "no memory for vectors of %u states", n);
        if (status != FF_OK) return status;
        place->stage = ORBITS;
        break;
      case ORBITS:
        status = ff_exact_system_fill(&so->sys, turn, &done, err);
        if (status != FF_OK || !done) return status;
        place->stage = STEP;
        break;
      case STEP:
        if (!ff_exact_system_apply(&so->sys, pi, NULL, so->t, turn)) return FF_OK;
        place->stage = SUM;
        break;
      case SUM:
        if (!ff_exact_norm1(&norm, so->t, n, place, turn)) return FF_OK;
        so->keep = 1 / norm;
        place->stage = SUBTRACT;
        break;
      case SUBTRACT:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t s = lo; s < hi; s++) so->t[s] = so->keep * so->t[s] - pi[s];
        if (!ff_exact_through(place, n, RESIDUAL)) return FF_OK;
        break;
      default:
        if (!ff_exact_norm1(&norm, so->t, n, place, turn)) return FF_OK;
        so->residual = fmax(norm, so->absorbed);
        so->finished = 1;
        so->phase = CLOSE;
        return FF_OK;
    }
}

/* Applies T once. */
static int apply(ff_exact_solver *so, ff_exact_turn *turn) {
  if (!ff_exact_system_apply(&so->sys, so->w, so->z, so->t, turn)) return 0;
  so->steps++;
  return 1;
}

static int krylov(ff_exact_solver *so, ff_exact_turn *turn) {
  double ratio;
  if (!ff_exact_gmres_step(&so->gmres, &so->sys, so->z, so->t, &ratio, turn)) return 0;
  so->steps++;
  /* If a cycle reduces the residual by more than doubles can represent, its result is wrong. Then a new cycle from the true
   * residual is better. */
  return !(ratio > 1e-9 && ratio * so->residual > 0.25 * so->tolerance && so->gmres.at < so->gmres.max &&
           so->steps < so->max_steps);
}

static ff_status one_class(ff_exact_solver *so, double *pi, ff_exact_turn *turn, ff_error *err) {
  const ff_exact_order *o = &so->order;
  ff_status status = FF_OK;
  int done = 0;
  if (so->phase == DENSE) {
    status = ff_exact_direct_dense(&so->direct, so->ex, o, so->at, so->mass[so->at], pi, turn, &done, err);
    if (status != FF_OK || !done) return status;
  } else {
    if (!ff_exact_direct_cycle(&so->direct, so->ex, o, so->at, so->mass[so->at], pi, &done, turn)) return FF_OK;
  }
  so->phase = done ? CLASS : OPEN;
  so->at += done;
  return FF_OK;
}

static ff_status fill(ff_exact_solver *so, ff_exact_turn *turn, ff_error *err) {
  int done = 0, grouped = !so->transient && so->order.state;
  ff_status status = FF_OK;
  if (so->phase == FILL) {
    status = ff_exact_system_fill(&so->sys, turn, &done, err);
    if (done && grouped) status = ff_exact_groups_new(&so->groups, &so->sys, err);
    if (done) so->phase = grouped ? GROUP : so->transient ? SPREAD : EVEN;
    return status;
  }
  status = ff_exact_groups_fill(&so->groups, &so->sys, so->order.closed, turn, &done, err);
  if (done) so->phase = EVEN;
  return status;
}

/* Few transient states are solved directly, without iteration. */
static ff_status visits(ff_exact_solver *so, ff_exact_turn *turn, ff_error *err) {
  int done = 0;
  if (so->place.stage++ == 0) memcpy(so->z, so->rhs, so->sys.n * sizeof *so->z);
  ff_status status = ff_exact_direct_visits(&so->direct, so->ex, &so->order, so->z, turn, &done, err);
  if (!done) return status;
  so->place.stage = 0;
  so->phase = ABSORB;
  return status;
}

/* SEARCH to EVEN: finds the classes, and sets up the current class's system with an initial vector. One case for each phase. */
static ff_status set_up(ff_exact_solver *so, double *pi, ff_exact_turn *turn, ff_error *err) {
  ff_exact_place *place = &so->place;
  uint32_t lo, hi, n = so->sys.n;
  ff_status status = FF_OK;
  switch (so->phase) {
    case SEARCH:
      if (ff_exact_search_run(&so->search, turn)) so->phase = ORDER;
      break;
    case ORDER: return sort(so, turn, err);
    case CLEAR:
      while (ff_exact_take(turn, place, so->ex->n_states, &lo, &hi)) memset(pi + lo, 0, (hi - lo) * sizeof *pi);
      if (ff_exact_through(place, so->ex->n_states, 0)) so->phase = START;
      break;
    case START: return start(so, err);
    case CLASS: choose_class(so); break;
    case DENSE:
    case CYCLE: return one_class(so, pi, turn, err);
    case OPEN:
      status = open_system(so, err);
      so->phase = FILL;
      break;
    case FILL:
    case GROUP: return fill(so, turn, err);
    case SPREAD:
      if (spread(so, turn)) so->phase = !so->transient ? CLASS : n <= FF_EXACT_DENSE_CLASS ? VISITS : APPLY;
      break;
    case VISITS: return visits(so, turn, err);
    default: /* EVEN */
      while (ff_exact_take(turn, place, n, &lo, &hi))
        for (uint32_t i = lo; i < hi; i++) so->w[i] = 1.0 / n;
      if (ff_exact_through(place, n, 0)) so->phase = SWEEP;
  }
  return status;
}

/* Goes on to phase `next` if the current part is done. */
static void go_on(ff_exact_solver *so, int done, int next) {
  if (done) so->phase = next;
}

/* SWEEP to SMOOTH_COPY: improves the system's vector. */
static ff_status improve(ff_exact_solver *so, ff_exact_turn *turn, ff_error *err) {
  ff_exact_place *place = &so->place;
  uint32_t n = so->sys.n;
  switch (so->phase) {
    case SWEEP: go_on(so, ff_exact_scale_to_one(so->w, n, place, turn), SWEEP_APPLY); break;
    case SWEEP_APPLY: go_on(so, apply(so, turn), so->groups.n_groups ? SWEEP_GROUPS : CHECK); break;
    case SWEEP_GROUPS: go_on(so, ff_exact_groups_run(&so->groups, &so->sys, so->z, &so->change, turn), SWEEP_BACK); break;
    case SWEEP_BACK: go_on(so, ff_exact_system_n(&so->sys, so->z, so->w, turn), SWEEP_SCALE); break;
    case SWEEP_SCALE: go_on(so, ff_exact_scale_to_one(so->w, n, place, turn), APPLY); break;
    case APPLY: go_on(so, apply(so, turn), CHECK); break;
    case CHECK: return check(so, turn, err);
    case KRYLOV_BEGIN: go_on(so, ff_exact_gmres_begin(&so->gmres, so->r, so->transient ? NULL : so->w, turn), KRYLOV); break;
    case KRYLOV: go_on(so, krylov(so, turn), KRYLOV_END); break;
    case KRYLOV_END: go_on(so, ff_exact_gmres_end(&so->gmres, so->w, turn), so->transient ? APPLY : SMOOTH); break;
    /* one step of the chain makes even the smallest entries positive and gives them a small relative error */
    case SMOOTH: go_on(so, ff_exact_scale_to_one(so->w, n, place, turn), SMOOTH_APPLY); break;
    case SMOOTH_APPLY: go_on(so, apply(so, turn), SMOOTH_COPY); break;
    default: go_on(so, ff_exact_copy(so->w, so->t, n, place, turn), SWEEP); /* SMOOTH_COPY */
  }
  return FF_OK;
}

/* ABSORB to FINISH: uses the vector. */
static ff_status conclude(ff_exact_solver *so, double *pi, ff_exact_turn *turn, ff_error *err) {
  uint32_t n = so->sys.n;
  switch (so->phase) {
    case ABSORB: go_on(so, absorb_all(so, turn), CLOSE); break;
    case SCALE: go_on(so, ff_exact_scale_to_one(so->z, n, &so->place, turn), WRITE); break;
    case WRITE: go_on(so, write_class(so, pi, turn), CLOSE); break;
    case CLOSE:
      turn->left -= n; /* freeing a gigabyte takes a tenth of a second */
      go_on(so, close_part(so), so->finished ? DONE : CLASS);
      if (so->phase == DONE) ff_exact_order_free(&so->order);
      break;
    default: return finish(so, pi, turn, err); /* FINISH */
  }
  return FF_OK;
}

static ff_status piece(ff_exact_solver *so, double *pi, ff_exact_turn *turn, ff_error *err) {
  if (so->phase < SWEEP) return set_up(so, pi, turn, err);
  return so->phase < ABSORB ? improve(so, turn, err) : conclude(so, pi, turn, err);
}

ff_status ff_exact_solver_advance(ff_exact_solver *so, double *pi, double seconds, int *done, double *residual,
                                  ff_error *err) {
  ff_exact_turn turn = ff_exact_turn_of(seconds);
  ff_status status = FF_OK;
  while (so->phase != DONE && status == FF_OK && ff_exact_more(&turn, 1)) status = piece(so, pi, &turn, err);
  *done = so->phase == DONE;
  *residual = so->residual;
  return status;
}
