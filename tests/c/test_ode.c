/* ode/: orders of both methods and of their dense output, exact solutions, stiff equations, derivatives. test_ode_steps.c has
 * beginnings, ends and failures of steps, and test_ode_locate.c the times of change. */
#include "../../src/ode/ff_ode_internal.h"
#include "ode_equations.h"

/* ---- equations ---------------------------------------------------------------------------------------------------------- */

/* A circle that attracts, turned with speed 1, and exp(sin(t)), where t is a component: not linear, autonomous, and smooth. */
static int smooth(void *of, double t, const double *x, double *slope) {
  const double rest = 1 - x[0] * x[0] - x[1] * x[1];
  (void)of, (void)t;
  slope[0] = x[0] * rest - x[1];
  slope[1] = x[1] * rest + x[0];
  slope[2] = x[2] * cos(x[3]);
  slope[3] = 1;
  return 1;
}
static int smooth_jacobian(void *of, double t, const double *x, double *entry) {
  const double a = x[0], b = x[1];
  const double columns[16] = {1 - 3 * a * a - b * b, 1 - 2 * a * b, 0, 0, -2 * a * b - 1, 1 - a * a - 3 * b * b, 0, 0,
                              0, 0, cos(x[3]), 0, 0, 0, -x[2] * sin(x[3]), 0};
  (void)of, (void)t;
  memcpy(entry, columns, sizeof columns);
  return 1;
}
/* The solution: the squared radius r2 obeys (r2)' = 2 r2 (1 - r2). */
static void smooth_solution(double t, double *x) {
  const double radius = sqrt(1 / (1 + 3 * exp(-2 * t)));
  x[0] = radius * cos(t);
  x[1] = radius * sin(t);
  x[2] = exp(sin(t));
  x[3] = t;
}
static const ff_ode_equations smooth_equations = {.n = 4, .slope = smooth, .jacobian = smooth_jacobian};

/* ---- orders ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  double end, within, estimate, all;
} errors;

/* The errors of single steps of length h from the solution: at the end, within, and as they are estimated. The error of all steps
 * up to time 2. No third derivative vanishes at the starts, where estimates would be of order 4. */
static errors errors_of(ff_ode_method method, double h) {
  const ff_ode_options options = {.method = method, .tolerance = 1e30};
  ff_ode *o = solver(&smooth_equations, &options);
  double x[4], found[4];
  errors e = {0, 0, 0, 0};
  for (double t = 0.25; t < 1.5; t += 0.4) {
    smooth_solution(t, x);
    ff_ode_begin(o, t, x, h);
    FF_CHECK(steps_to(o, t + h));
    smooth_solution(t + h, x);
    e.end = fmax(e.end, distance(ff_ode_last(o)->end, x, 4));
    for (uint32_t k = 0; k < 4; k++) e.estimate = fmax(e.estimate, ff_ode_last(o)->error[k]);
    for (int i = 1; i < 8; i++) {
      smooth_solution(t + h * i / 8, x);
      ff_ode_state(o, t + h * i / 8, found);
      e.within = fmax(e.within, distance(found, x, 4));
      for (uint32_t k = 0; k < 4; k++) FF_CHECK(found[k] == ff_ode_component(o, t + h * i / 8, k));
    }
  }
  smooth_solution(0, x);
  ff_ode_begin(o, 0, x, h);
  for (int i = 1; i <= (int)(2 / h); i++) FF_CHECK(steps_to(o, i * h));
  smooth_solution(2, x);
  e.all = distance(ff_ode_last(o)->end, x, 4);
  ff_ode_free(o);
  return e;
}

/* An error of c h^p + d h^(p + 1) falls by a factor between 2^p and 2^(p + 1) when h is halved, unless c and d have different
 * signs. Then it falls less, by a relative part of about h d / c, here 1/32. */
static void check_order(const char *name, double coarse, double fine, int p) {
  const double found = log2(coarse / fine);
  FF_CHECK_SAY(found > p - 0.1 && found < p + 0.99, "%s: order %g, expected %d", name, found, p);
}

static void has_its_order(void) {
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    const ff_ode_about *about = ff_ode_method_about(method);
    const errors a = errors_of(method, 1.0 / 16), b = errors_of(method, 1.0 / 32);
    check_order(about->name, a.end, b.end, about->order + 1);
    check_order(about->name, a.within, b.within, about->dense_order + 1);
    check_order(about->name, a.estimate, b.estimate, about->order);
    check_order(about->name, a.all, b.all, about->order);
  }
}

/* x' = x cos(t) is exp(sin(t)). The implicit method has df/dt from differences, with a relative error of about 2^-26. */
static int swinging(void *of, double t, const double *x, double *slope) {
  (void)of;
  slope[0] = x[0] * cos(t);
  return 1;
}

static void knows_the_time(void) {
  const ff_ode_equations equations = {.n = 1, .slope = swinging, .timed = 1};
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    const ff_ode_options options = {.method = method, .tolerance = 1e30};
    ff_ode *o = solver(&equations, &options);
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      const double one = 1, h = fine ? 1.0 / 16 : 1.0 / 8;
      ff_ode_begin(o, 0, &one, h);
      for (int i = 1; i <= (int)(2 / h); i++) FF_CHECK(steps_to(o, i * h));
      error[fine] = fabs(ff_ode_last(o)->end[0] - exp(sin(2)));
    }
    check_order(ff_ode_method_about(method)->name, error[0], error[1], ff_ode_method_about(method)->order);
    ff_ode_free(o);
  }
}

/* ---- exact solutions ---------------------------------------------------------------------------------------------------- */

/* The estimate is of order 4 and the result of order 5, so the error of a step is at most the tolerance for small tolerances, and
 * all errors together are at most their sum. At a time within a step, the dense output adds one of about this size. Sizes, which
 * are 1 + |x|, are at most 2. */
static void solves_known_equations(void) {
  const ff_ode_equations equations = {.n = 4, .slope = known};
  const double start[4] = {0.1, 1, 0, 1};
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++)
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 100) {
      const ff_ode_options options = {.method = method, .tolerance = tolerance};
      ff_ode *o = solver(&equations, &options);
      ff_ode_begin(o, 0, start, 0);
      for (int steps = 1; ff_ode_last(o)->to < 10; steps++) {
        FF_CHECK(steps_to(o, INFINITY));
        const ff_ode_span *s = ff_ode_last(o);
        for (int i = 1; i <= 4; i++) {
          const double t = s->from + (s->to - s->from) * i / 4;
          double x[4];
          const double exact[4] = {1 / (1 + 9 * exp(-t)), exp(-t), sin(t), cos(t)};
          ff_ode_state(o, t, x);
          FF_CHECK_NEAR(distance(x, exact, 4), 0, (steps + 1) * 2.8 * 2 * tolerance);
        }
      }
      ff_ode_free(o);
    }
}

/* A calcium cell whose channel has just opened. The difference of both results of a step is 0 at h = 0.0063. */
static int releases(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = 12 - 0.9 * x[0] * x[0] / (x[0] * x[0] + 0.01);
  return 1;
}

static double after_steps(ff_ode *o, double start, double length, int steps) {
  ff_ode_begin(o, 0, &start, length / steps);
  for (int i = 1; i <= steps; i++) FF_CHECK(steps_to(o, length * i / steps));
  return ff_ode_last(o)->end[0];
}

/* Steps of no length have an estimate that is much smaller than their error, also within the step. */
static void estimates_do_not_vanish(void) {
  const ff_ode_equations equations = {.n = 1, .slope = releases};
  const ff_ode_options options = {.method = FF_ODE_DORMAND_PRINCE, .tolerance = 1e30};
  ff_ode *o = solver(&equations, &options);
  for (double h = 1e-3; h < 0.02; h *= 1.01) {
    double within[1];
    const double middle = after_steps(o, 0.095, h / 2, 50), end = after_steps(o, 0.095, h, 100);
    const double error = fabs(after_steps(o, 0.095, h, 1) - end), estimate = ff_ode_last(o)->error[0];
    ff_ode_state(o, h / 2, within);
    FF_CHECK_SAY(error < estimate, "h = %g: an error of %g, estimated as %g", h, error, estimate);
    FF_CHECK_SAY(distance(within, &middle, 1) < 3 * estimate, "h = %g: %g within, estimated as %g", h, within[0], estimate);
  }
  ff_ode_free(o);
}

/* The same bits on every machine, and whether the state is looked at or not. */
static void has_these_bits(void) {
  static const double wanted[FF_ODE_METHODS][4] = {
      {0x1.701e8b7f0f549p-1, 0x1.63c398ad8b487p-5, 0x1.44129c9c3454p-8, -0x1.fffe45c95c67bp-1},
      {0x1.71450dee3cf25p-1, 0x1.5fd1e567f007dp-5, -0x1.966853f6473dbp-8, -0x1.fffd7a6018166p-1}};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  const double start[4] = {0.1, 1, 0, 1};
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++)
    for (int look = 0; look < 2; look++) {
      const ff_ode_options options = {.method = method, .tolerance = 1e-6};
      ff_ode *o = solver(&equations, &options);
      double x[4];
      for (int again = 0; again < 2; again++) {
        ff_ode_begin(o, 0, start, 0);
        while (ff_ode_last(o)->to < 3) {
          FF_CHECK(steps_to(o, INFINITY));
          if (look) ff_ode_state(o, (ff_ode_last(o)->from + ff_ode_last(o)->to) / 2, x);
        }
        for (int i = 0; i < 4; i++) FF_CHECK_SAY(ff_ode_last(o)->end[i] == wanted[method][i], "%a", ff_ode_last(o)->end[i]);
      }
      ff_ode_free(o);
    }
}

/* The length of the next step, for any error: within 0.0004 of the formula. */
static void knows_the_next_length(void) {
  for (int order = 3; order <= 5; order++)
    for (int k = -12000; k <= 12000; k++) {
      const double error = exp2(k / 100.0);
      const int accepted = error <= 1;
      double wanted = FF_ODE_SAFETY * pow(error, -1.0 / order);
      if (wanted < FF_ODE_LEAST_FACTOR) wanted = FF_ODE_LEAST_FACTOR;
      if (wanted > FF_ODE_MOST_FACTOR) wanted = FF_ODE_MOST_FACTOR;
      if (!accepted && wanted > FF_ODE_REJECTED_FACTOR) wanted = FF_ODE_REJECTED_FACTOR;
      const double factor = ff_ode_factor(error, order, accepted);
      FF_CHECK_SAY(fabs(factor / wanted - 1) < 0.0004, "error %g, order %d: %g", error, order, factor);
    }
  FF_CHECK(ff_ode_factor(0, 5, 1) == FF_ODE_MOST_FACTOR);
  FF_CHECK(ff_ode_factor(0x1p-1060, 5, 1) == FF_ODE_MOST_FACTOR);
  FF_CHECK(ff_ode_factor(INFINITY, 5, 0) == FF_ODE_LEAST_FACTOR);
  FF_CHECK(ff_ode_factor(NAN, 5, 0) == FF_ODE_LEAST_FACTOR);
}

/* ---- stiff equations ---------------------------------------------------------------------------------------------------- */

/* Robertson's reactions: A -> B, 2 B -> B + C, B + C -> A + C, in a volume with 1e6 molecules for the unit of concentration. */
#define MOLECULES 1e6
static int robertson(void *of, double t, const double *x, double *slope) {
  const double a = 0.04 * x[0], b = 3e7 / MOLECULES * x[1] * x[1], c = 1e4 / MOLECULES * x[1] * x[2];
  (void)of, (void)t;
  slope[0] = c - a;
  slope[1] = a - b - c;
  slope[2] = b;
  return 1;
}

/* A scaled van der Pol oscillator, mu = 1000: the parameter 1e-6 of the test set, until time 2. */
static int van_der_pol(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = x[1];
  slope[1] = ((1 - x[0] * x[0]) * x[1] - x[0]) * 1e6;
  return 1;
}

/* The largest relative error. */
static double relative(const double *x, const double *exact, double unit, uint32_t n) {
  double most = 0;
  for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] / unit / exact[i] - 1));
  return most;
}

/* References: Mazzia and Magherini, Test Set for IVP Solvers 2.4 (2008), problems ROBER and VDPOL; at time 40, the explicit
 * method with 4e4 small steps, each with a relative error of at most 1e-10. Modes are damped, but where the oscillator leaves its
 * slow branches, errors grow: 100 tolerances are allowed for all. */
static void solves_stiff_equations(void) {
  static const double late[] = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
  static const double swung[] = {1.706167732170483, -0.8928097010247975}, start[] = {MOLECULES, 0, 0}, swing[] = {2, 0};
  const ff_ode_equations reactions = {.n = 3, .slope = robertson}, oscillator = {.n = 2, .slope = van_der_pol};
  const ff_ode_options small = {.tolerance = 1e-10};
  double early[3];
  ff_ode *o = solver(&reactions, &small);
  ff_ode_begin(o, 0, start, 0);
  FF_CHECK(go(o, 40) > 30000); /* the fastest mode has the rate 2e3, so 40 * 2e3 / 3.3 steps are necessary */
  for (int i = 0; i < 3; i++) early[i] = ff_ode_last(o)->end[i] / MOLECULES;
  ff_ode_free(o);
  for (int automatic = 0; automatic < 2; automatic++)
    for (double tolerance = 1e-6; tolerance > 1e-9; tolerance /= 10) {
      const ff_ode_options options = {.method = FF_ODE_RODAS, .automatic = automatic, .tolerance = tolerance};
      o = solver(&reactions, &options);
      ff_ode_begin(o, 0, start, 0);
      if (automatic) FF_CHECK_INT(ff_ode_present_method(o), FF_ODE_DORMAND_PRINCE);
      int steps = go(o, 40);
      FF_CHECK_SAY(steps > 0 && steps < (automatic ? 5000 : 500), "%d steps", steps);
      FF_CHECK(relative(ff_ode_last(o)->end, early, MOLECULES, 3) < 100 * tolerance);
      steps = go(o, 1e11);
      FF_CHECK_SAY(steps > 0 && steps < 2000, "%d steps", steps);
      FF_CHECK(relative(ff_ode_last(o)->end, late, MOLECULES, 3) < 100 * tolerance);
      FF_CHECK_INT(ff_ode_present_method(o), FF_ODE_RODAS);
      ff_ode_free(o);
      o = solver(&oscillator, &options);
      ff_ode_begin(o, 0, swing, 0);
      steps = go(o, 2);
      FF_CHECK_SAY(steps > 0 && steps < 5000, "%d steps", steps);
      FF_CHECK(relative(ff_ode_last(o)->end, swung, 1, 2) < 100 * tolerance);
      ff_ode_free(o);
    }
}

/* Equations that are not stiff keep the explicit method, and its bits. */
static void keeps_explicit_steps(void) {
  const double start[4] = {1.5, 0, 1, 0};
  double end[2][4];
  for (int automatic = 0; automatic < 2; automatic++) {
    const ff_ode_options options = {.automatic = automatic, .tolerance = 1e-8};
    ff_ode *o = solver(&smooth_equations, &options);
    ff_ode_begin(o, 0, start, 0);
    FF_CHECK(go(o, 30) > 0);
    FF_CHECK_INT(ff_ode_present_method(o), FF_ODE_DORMAND_PRINCE);
    memcpy(end[automatic], ff_ode_last(o)->end, sizeof end[0]);
    ff_ode_free(o);
  }
  FF_CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
}

/* Steps are explicit until the equations are stiff, then implicit; and explicit again after an event that makes the rate small.
 * The matrix is made for the first implicit step. With the rate 1, errors do not grow, so that all together are at most their
 * sum; sizes, which are 1 + |x|, are at most 3. */
static void comes_back_from_implicit_steps(void) {
  double rate = 1;
  const ff_ode_equations equations = {.n = 2, .of = &rate, .slope = relaxes, .timed = 1};
  const ff_ode_options options = {.automatic = 1, .tolerance = 1e-7};
  ff_ode *o = solver(&equations, &options);
  double x[2] = {1, 0};
  ff_ode_begin(o, 0, x, 0);
  FF_CHECK(go(o, 4) > 0);
  FF_CHECK(ff_ode_present_method(o) == FF_ODE_DORMAND_PRINCE && o->linear == NULL);
  for (int again = 0; again < 2; again++) {
    rate = 1e6;
    memcpy(x, ff_ode_last(o)->end, sizeof x);
    x[0] = cos(ff_ode_last(o)->to);
    ff_ode_go_on(o, ff_ode_last(o)->to, x);
    FF_CHECK(go(o, 8 + 8 * again) > 0);
    FF_CHECK(ff_ode_present_method(o) == FF_ODE_RODAS && o->linear != NULL);
    rate = 1;
    memcpy(x, ff_ode_last(o)->end, sizeof x);
    const double t = ff_ode_last(o)->to;
    ff_ode_go_on(o, t, x);
    FF_CHECK_INT(ff_ode_present_method(o), FF_ODE_RODAS);
    const int steps = go(o, 12 + 8 * again);
    FF_CHECK(steps > 0);
    FF_CHECK_INT(ff_ode_present_method(o), FF_ODE_DORMAND_PRINCE);
    /* with the rate 1, x - (cos(t) + sin(t)) / 2 decays as exp(-t) */
    const double end = ff_ode_last(o)->to;
    const double wanted = (cos(end) + sin(end)) / 2 + (x[0] - (cos(t) + sin(t)) / 2) * exp(t - end);
    FF_CHECK_NEAR(ff_ode_last(o)->end[0], wanted, steps * 3 * options.tolerance);
  }
  ff_ode_free(o);
}

/* x' = -100 x, y' = 100 (x - y): exp(-100 t) and 100 t exp(-100 t), down to numbers of few digits, and to 0. */
static int fades(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = -100 * x[0];
  slope[1] = 100 * (x[0] - x[1]);
  return 1;
}

/* Elimination is exact to a part of what the tolerance permits, if not to a part of its terms. */
static void fades_to_nothing(void) {
  const ff_ode_equations equations = {.n = 2, .slope = fades};
  const double start[2] = {1, 0}, size[2] = {1e-3, 1e-3};
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++)
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100) {
      const ff_ode_options options = {.method = method, .tolerance = tolerance, .size = size};
      ff_ode *o = solver(&equations, &options);
      ff_ode_begin(o, 0, start, 0);
      for (int i = 1; i <= 1000; i++) {
        const double t = i / 100.0, exact[2] = {exp(-100 * t), 100 * t * exp(-100 * t)};
        FF_CHECK(go(o, t) > 0);
        FF_CHECK_NEAR(distance(ff_ode_last(o)->end, exact, 2), 0, 4 * tolerance);
      }
      ff_ode_free(o);
    }
}

/* ---- derivatives -------------------------------------------------------------------------------------------------------- */

enum { MOST = 40 };

/* Diffusion along a chain: with its pattern, three calls differentiate it. */
static int chain(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  for (int i = 0; i < MOST; i++) slope[i] = (i > 0 ? x[i - 1] - x[i] : 0) + (i < MOST - 1 ? x[i + 1] - x[i] : 0);
  return 1;
}

static size_t chain_first[MOST + 1];
static uint32_t chain_row[3 * MOST];
static void make_chain(void) {
  for (uint32_t j = 0; j < MOST; j++) {
    size_t n = chain_first[j];
    for (uint32_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < MOST; i++) chain_row[n++] = i;
    chain_first[j + 1] = n;
  }
}

static void differentiates_in_groups(void) {
  const size_t *first = chain_first;
  double start[MOST] = {1}, end[2][MOST];
  make_chain();
  for (int known_pattern = 0; known_pattern < 2; known_pattern++) {
    const ff_ode_equations equations = {.n = MOST, .slope = chain, .first = known_pattern ? first : NULL,
                                        .row = chain_row};
    const ff_ode_options options = {.method = FF_ODE_RODAS, .tolerance = 1e-6};
    ff_ode *o = solver(&equations, &options);
    ff_ode_begin(o, 0, start, 0.125);
    FF_CHECK(steps_to(o, 0.125));
    /* the slope at the beginning, groups, seven stages, three components that stay, the middle and the end */
    FF_CHECK_INT(ff_ode_calls(o), 1 + (known_pattern ? 3 : MOST) + 7 + 3 + 2);
    FF_CHECK(go(o, 30) > 0);
    memcpy(end[known_pattern], ff_ode_last(o)->end, sizeof end[0]);
    double sum = 0;
    for (int i = 0; i < MOST; i++) sum += end[known_pattern][i];
    FF_CHECK_NEAR(sum, 1, 1e-12); /* the sum is kept, but for rounding */
    ff_ode_free(o);
  }
  FF_CHECK_NEAR(distance(end[0], end[1], MOST), 0, 1e-6); /* derivatives differ in their last bits, so steps may */
}

/* An order that is given has the bits of the solver's own one. One for another number of components is refused. */
static void borrows_an_order(void) {
  double start[MOST] = {1}, end[3][MOST];
  ff_sparse_order *order;
  ff_error err;
  make_chain();
  ff_ode_equations equations = {.n = MOST, .slope = chain, .first = chain_first, .row = chain_row};
  const ff_ode_options options = {.method = FF_ODE_RODAS, .tolerance = 1e-6};
  FF_CHECK_OK(ff_sparse_order_new(&order, MOST, chain_first, chain_row, &err), &err);
  for (int solution = 0; solution < 3; solution++) {
    equations.order = solution > 0 ? order : NULL;
    ff_ode *o = solver(&equations, &options);
    ff_ode_begin(o, 0, start, 0);
    FF_CHECK(go(o, 30) > 0);
    memcpy(end[solution], ff_ode_last(o)->end, sizeof end[0]);
    ff_ode_free(o);
  }
  FF_CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0 && memcmp(end[0], end[2], sizeof end[0]) == 0);
  equations.n--;
  ff_ode *o;
  FF_CHECK_FAILS(ff_ode_new(&o, &equations, &options, &err), FF_EARGUMENT, &err, "order is that of 40 components; expected 39");
  FF_CHECK(o == NULL);
  ff_sparse_order_free(order);
}

/* An outflow that is the same but near 0, and inflow that becomes more than it. */
typedef struct {
  double inflow, near;
  int form;
} overflow;

static int overflows(void *of, double t, const double *x, double *slope) {
  const overflow *m = of;
  (void)t;
  slope[0] = m->inflow - (m->form ? tanh(x[0] / m->near) : x[0] / (m->near + x[0]));
  slope[1] = -0.001 * x[1];
  slope[2] = x[0];
  return 1;
}

/* The level stayed near 0: df/dx there tells nothing of what comes. It may leave with an error of the absolute tolerance. */
static void leaves_where_the_slope_bends(void) {
  static const double inflow[] = {2.5, 1.1, 1.01};
  overflow m;
  const ff_ode_equations equations = {.n = 3, .of = &m, .slope = overflows};
  for (int i = 0; i < 6; i++)
    for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 1000) {
      m = (overflow){0.5, 1e-10, i % 2};
      const double size[] = {1e-3, 1e-3, 1e-3}, start[] = {m.form ? m.near * atanh(0.5) : m.near, 1, 0};
      const ff_ode_options options = {.method = FF_ODE_RODAS, .tolerance = tolerance, .size = size};
      ff_ode *o = solver(&equations, &options);
      ff_ode_begin(o, 0, start, 0);
      FF_CHECK(go(o, 100) > 0);
      m.inflow = inflow[i / 2];
      ff_ode_go_on(o, 100, ff_ode_last(o)->end);
      FF_CHECK(go(o, 110) > 0);
      const double x = ff_ode_last(o)->end[0], right = 10 * (m.inflow - 1);
      FF_CHECK_SAY(fabs(x - right) < 1e-5 * right + 1e-7 + tolerance * size[0], "tolerance %g: %.9g, not %.9g", tolerance, x,
                   right);
      ff_ode_free(o);
    }
}

enum { SHARING = 5 };

/* The same outflow, which all levels share. */
static int overflows_shared(void *of, double t, const double *x, double *slope) {
  static const double part[SHARING] = {0.18, 0.13, 0.21, 0.24, 0.24};
  const overflow *m = of;
  double sum = m->near;
  (void)t;
  for (int s = 0; s < SHARING; s++) sum += x[s];
  for (int s = 0; s < SHARING; s++) slope[s] = m->inflow * part[s] - x[s] / sum;
  return 1;
}

/* All levels stayed near 0: the outflow is enough for any one of them. */
static void leaves_what_is_shared(void) {
  for (int i = 0; i < 8; i++) {
    const double tolerance = i < 4 ? 1e-6 : 1e-3, inflow = i % 2 ? 1.05 : 1.2;
    overflow m = {0.6, (i / 2 % 2 ? 2.2 : 5) * 1e-3 * tolerance, 0};
    const ff_ode_equations equations = {.n = SHARING, .of = &m, .slope = overflows_shared};
    const double size[SHARING] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    double start[SHARING], sum = 0;
    for (int s = 0; s < SHARING; s++) start[s] = 0.3 * m.near;
    const ff_ode_options options = {.method = FF_ODE_RODAS, .tolerance = tolerance, .size = size};
    ff_ode *o = solver(&equations, &options);
    ff_ode_begin(o, 0, start, 0);
    FF_CHECK(go(o, 5) > 0);
    m.inflow = inflow;
    ff_ode_go_on(o, 5, ff_ode_last(o)->end);
    FF_CHECK(go(o, 15) > 0);
    for (int s = 0; s < SHARING; s++) sum += ff_ode_last(o)->end[s];
    const double right = 10 * (inflow - 1);
    FF_CHECK_SAY(fabs(sum - right) < 100 * tolerance * right, "case %d: %.9g, not %.9g", i, sum, right);
    ff_ode_free(o);
  }
}

/* Where a level rests below the tolerance, steps are not shorter. */
static void rests_where_the_slope_bends(void) {
  for (int i = 0; i < 4; i++) {
    const double size[] = {1e-3, 1e-3, 1e-3}, start[] = {0, 1, 0};
    overflow m = {0.5, 1e-8, i % 2};
    const ff_ode_equations equations = {.n = 3, .of = &m, .slope = overflows};
    const ff_ode_options options = {.method = i < 2 ? FF_ODE_RODAS : FF_ODE_DORMAND_PRINCE, .automatic = i >= 2,
                                    .tolerance = 1e-6, .size = size, .below = 1e-7};
    ff_ode *o = solver(&equations, &options);
    ff_ode_begin(o, 0, start, 0);
    const uint32_t steps = (uint32_t)go(o, 10);
    FF_CHECK_SAY(steps > 0 && steps < 100, "%u steps", steps);
    ff_ode_free(o);
  }
}

FF_TEST_MAIN("ode", has_its_order, knows_the_time, solves_known_equations, estimates_do_not_vanish, has_these_bits,
             knows_the_next_length, solves_stiff_equations, keeps_explicit_steps, comes_back_from_implicit_steps,
             fades_to_nothing, leaves_where_the_slope_bends, leaves_what_is_shared, rests_where_the_slope_bends,
             differentiates_in_groups, borrows_an_order)
