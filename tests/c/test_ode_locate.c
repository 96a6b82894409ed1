/* ode/: times at which conditions change: exact ones, several at once, at the beginning, in pieces of a step, all of them added
 * up, and an integral that reaches a number. */
#include "ode_equations.h"
#include "random.h"

/* A ball: x'' = -2. Its conditions are x >= 0, or with a sign, -x >= 0. */
static int ball(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = x[1];
  slope[1] = -2;
  return 1;
}
static double height(void *of, uint32_t i, double t, const double *x) {
  (void)i, (void)t;
  return *(const double *)of * x[0];
}

/* It falls from 1 in the time 1, and bounces with half its speed, so it hits the floor at 1, 2, 2.5, 2.75, ... Polynomials of
 * degree 2 are solved but for rounding: of numbers up to h^2, where the length h of a step is below 8, so by some 2^-46. This
 * error changes the time by 2^-46 / speed, and the speed is 2, 1, 1/2, ... The time of a bounce has all errors before it, too. */
static void ball_bounces(void) {
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++)
    for (double sign = -1; sign <= 1; sign += 2) {
      const int8_t falls = sign > 0 ? -1 : 1;
      const ff_ode_equations equations = {.n = 2, .slope = ball};
      const ff_ode_options options = {.method = method, .tolerance = 1e-8};
      const ff_ode_watch watch = {.n = 1, .of = &sign, .value = height, .direction = &falls};
      ff_ode *o = solver(&equations, &options);
      double x[2] = {1, 0}, at, hit = 1, flight = 1;
      int8_t changed;
      ff_ode_begin(o, 0, x, 0);
      for (int bounces = 0; bounces < 8; hit += flight, flight /= 2) {
        while (!ff_ode_locate(o, &watch, ff_ode_last(o)->from, &at, &changed)) FF_CHECK(steps_to(o, INFINITY));
        FF_CHECK_INT(changed, falls);
        FF_CHECK_NEAR(at, hit, ldexp(1, -45 + bounces));
        ff_ode_cut(o, at);
        FF_CHECK(ff_ode_last(o)->end[0] <= 0 && ff_ode_last(o)->to == at && ff_ode_next(o) < 8);
        bounces++;
        x[0] = 0;
        x[1] = -ff_ode_last(o)->end[1] / 2;
        FF_CHECK_NEAR(x[1], ldexp(1, 1 - bounces), ldexp(1, -44 + bounces));
        ff_ode_go_on(o, at, x);
      }
      ff_ode_free(o);
    }
}

/* x' = 1. Condition i is sign[i] (x - border[i]) >= 0. */
typedef struct {
  double border[4], sign[4];
  uint64_t calls;
} borders;
static double beyond(void *of, uint32_t i, double t, const double *x) {
  borders *b = of;
  (void)t;
  b->calls++;
  return b->sign[i] * (x[0] - b->border[i]);
}

/* Two borders are the same, one of them downwards; one is at the beginning, where the condition is true and remains so; and one
 * is later. All are found once, whether the search goes on in the same step or in a new one. */
static void finds_each_change_once(void) {
  const ff_ode_equations equations = {.n = 1, .slope = grows};
  const ff_ode_options options = {.tolerance = 1e-8};
  for (int cut = 0; cut < 2; cut++)
    for (uint32_t pieces = 0; pieces < 4; pieces++) {
      borders b = {{1.0 / 3, 1.0 / 3, 0.25, 0.9}, {1, -1, 1, 1}, 0};
      const ff_ode_watch watch = {.n = 4, .of = &b, .value = beyond, .pieces = pieces};
      ff_ode *o = solver(&equations, &options);
      const double start = 0.25;
      double from = 0.25, at = 0;
      int8_t changed[4];
      ff_ode_begin(o, from, &start, 1);
      FF_CHECK(steps_to(o, 1));
      FF_CHECK(ff_ode_locate(o, &watch, from, &at, changed));
      FF_CHECK_NEAR(at, 1.0 / 3, 0x1p-50);
      FF_CHECK(changed[0] == 1 && changed[1] == -1 && changed[2] == 0 && changed[3] == 0);
      FF_CHECK(b.calls < 4 * 4 * (pieces + 1) + 2 * 62 + 2 * 4 + 4 * 3); /* 60 for a change, 4 for a function that is 0 */
      if (cut) {
        ff_ode_cut(o, at);
        FF_CHECK(!ff_ode_locate(o, &watch, at, &from, changed));
        FF_CHECK(steps_to(o, 1));
      }
      from = at;
      FF_CHECK(ff_ode_locate(o, &watch, from, &at, changed));
      FF_CHECK_NEAR(at, 0.9, 0x1p-50);
      FF_CHECK(changed[0] == 0 && changed[1] == 0 && changed[2] == 0 && changed[3] == 1);
      FF_CHECK(!ff_ode_locate(o, &watch, at, &from, changed));
      ff_ode_free(o);
    }
}

/* A condition that is true at the beginning and false just afterwards has changed then. With a direction it has not. */
static void tells_changes_at_the_beginning(void) {
  const ff_ode_equations equations = {.n = 1, .slope = grows};
  const ff_ode_options options = {.tolerance = 1e-8};
  borders b = {{0}, {-1}, 0};
  const int8_t rises = 1;
  ff_ode_watch watch = {.n = 1, .of = &b, .value = beyond};
  ff_ode *o = solver(&equations, &options);
  const double start = 0;
  double at = 0, again;
  int8_t changed = 0;
  ff_ode_begin(o, 0, &start, 1);
  FF_CHECK(steps_to(o, 1));
  FF_CHECK(ff_ode_locate(o, &watch, 0, &at, &changed));
  FF_CHECK(at > 0 && at <= 0x1p-51 && changed == -1);
  FF_CHECK(!ff_ode_locate(o, &watch, at, &again, &changed));
  watch.direction = &rises;
  FF_CHECK(!ff_ode_locate(o, &watch, 0, &again, &changed));
  ff_ode_free(o);
}

/* turns(): sin(t) is above 0.8 between two times. One large step misses both unless it is looked at in pieces, and a function
 * that touches 0 is not found. */
static double above(void *of, uint32_t i, double t, const double *x) {
  (void)i, (void)t;
  return x[0] - *(const double *)of;
}
static void looks_in_pieces(void) {
  const ff_ode_equations equations = {.n = 2, .slope = turns};
  const ff_ode_options options = {.tolerance = 1};
  const uint32_t read_first[] = {0, 1}, read[] = {0};
  double border = 0.8, at = 0;
  ff_ode_watch watch = {.n = 1, .of = &border, .value = above, .read_first = read_first, .read = read};
  ff_ode *o = solver(&equations, &options);
  const double start[] = {0, 1};
  int8_t changed = 0;
  ff_ode_begin(o, 0, start, 2.5);
  FF_CHECK(steps_to(o, 2.5) && ff_ode_last(o)->to == 2.5);
  FF_CHECK(!ff_ode_locate(o, &watch, 0, &at, &changed));
  watch.pieces = 5;
  FF_CHECK(ff_ode_locate(o, &watch, 0, &at, &changed) && changed == 1);
  FF_CHECK_NEAR(ff_ode_component(o, at, 0), 0.8, 0x1p-50);
  FF_CHECK(ff_ode_component(o, at, 0) >= 0.8 && ff_ode_component(o, at - 0x1p-50, 0) < 0.8);
  FF_CHECK(ff_ode_locate(o, &watch, at, &at, &changed) && changed == -1);
  FF_CHECK(!ff_ode_locate(o, &watch, at, &at, &changed));
  border = ff_ode_component(o, 1.5, 0); /* near the largest value */
  for (double t = 1; t < 2; t += 0x1p-10) border = fmax(border, ff_ode_component(o, t, 0));
  border += 0x1p-30; /* above it, by more than the distance of the times can hide */
  FF_CHECK(!ff_ode_locate(o, &watch, 0, &at, &changed));
  ff_ode_free(o);
}

/* Random heights of a swing in large steps: the changes of a condition that are found add up to how it differs at the end. Where
 * it has changed, it has its new value, and the height is reached but for the rounding of the time and of the state. */
enum { HEIGHTS = 12 };
static double above_one(void *of, uint32_t i, double t, const double *x) {
  (void)t;
  return (i % 2 ? 1 : -1) * (x[i % 4 / 2] - ((const double *)of)[i]);
}
static void changes_add_up(void) {
  const ff_ode_equations equations = {.n = 2, .slope = turns};
  const ff_ode_options options = {.tolerance = 1e-3};
  const double start[] = {0, 1};
  uint64_t state = 3;
  for (int round = 0; round < 100; round++) {
    double border[HEIGHTS], at = 0;
    for (int i = 0; i < HEIGHTS; i++) border[i] = round % 4 == 0 ? 0 : i % 3 == 2 ? border[i - 1] : 2 * uniform(&state) - 1;
    const ff_ode_watch watch = {.n = HEIGHTS, .of = border, .value = above_one, .pieces = (uint32_t)round % 3};
    int8_t changed[HEIGHTS];
    ff_ode *o = solver(&equations, &options);
    ff_ode_begin(o, 0, start, 0);
    for (int steps = 0; steps < 20; steps++) {
      FF_CHECK(steps_to(o, INFINITY));
      const ff_ode_span *s = ff_ode_last(o);
      int now[HEIGHTS];
      double from = s->from, x[2];
      for (uint32_t i = 0; i < HEIGHTS; i++) now[i] = above_one(border, i, 0, s->start) >= 0;
      while (ff_ode_locate(o, &watch, from, &at, changed)) {
        int any = 0;
        FF_CHECK(at > from && at <= s->to);
        ff_ode_state(o, at, x);
        for (uint32_t i = 0; i < HEIGHTS; i++) {
          any += changed[i] != 0;
          now[i] += changed[i];
          if (changed[i] != 0) FF_CHECK_INT(now[i], above_one(border, i, 0, x) >= 0);
          if (changed[i] != 0) FF_CHECK_NEAR(above_one(border, i, 0, x), 0, 0x1p-51 * (s->to + s->to - s->from) + 0x1p-50);
        }
        FF_CHECK(any > 0);
        if (any == 0) break;
        from = at;
      }
      for (uint32_t i = 0; i < HEIGHTS; i++) FF_CHECK_INT(now[i], above_one(border, i, 0, s->end) >= 0);
    }
    ff_ode_free(o);
  }
}

/* Hybrid nets: x' = 1 - x, and the hazard 2 x is integrated to a threshold of 1: 2 (t - 1 + exp(-t)) = 1. The firing then removes
 * x. All integrals start from the same state, so all times between firings are equal but for errors: 20 steps of 1e-10. */
static int flow(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t;
  slope[0] = 1 - x[0];
  slope[1] = 2 * x[0];
  return 1;
}
static double integral(void *of, uint32_t i, double t, const double *x) {
  (void)of, (void)i, (void)t;
  return x[1] - 1;
}
static void fires_at_thresholds(void) {
  double low = 1, high = 2;
  while (high - low > 0x1p-51) {
    const double middle = (low + high) / 2;
    *(2 * (middle - 1 + exp(-middle)) < 1 ? &low : &high) = middle;
  }
  const ff_ode_equations equations = {.n = 2, .slope = flow};
  const uint32_t read_first[] = {0, 1}, read[] = {1};
  const ff_ode_watch watch = {.n = 1, .value = integral, .read_first = read_first, .read = read};
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    const ff_ode_options options = {.method = method, .tolerance = 1e-10};
    ff_ode *o = solver(&equations, &options);
    const double start[] = {0, 0};
    double at = 0;
    int8_t changed;
    ff_ode_begin(o, 0, start, 0);
    for (int firing = 1; firing <= 100; firing++) {
      while (!ff_ode_locate(o, &watch, ff_ode_last(o)->from, &at, &changed)) FF_CHECK(steps_to(o, INFINITY));
      FF_CHECK_NEAR(at, firing * low, firing * 20e-10);
      ff_ode_cut(o, at);
      ff_ode_go_on(o, at, start);
    }
    ff_ode_free(o);
  }
}

/* x grows slowly from 1 at the time 1. Condition 0 is true where x is 1, ends at once, and begins again at 1.05; only beginnings
 * count. Condition 1 begins at the next time that a double can be, where condition 0 still is true. */
static int creeps(void *of, double t, const double *x, double *slope) {
  (void)of, (void)t, (void)x;
  slope[0] = 1e-3;
  return 1;
}
static double two_conditions(void *of, uint32_t i, double t, const double *x) {
  (void)of;
  return i == 0 ? (x[0] - 1) * (x[0] - 1.00005) : t - (1 + 0x1p-52);
}
static void knows_what_was_true_before(void) {
  static const int8_t direction[] = {1, 1};
  const ff_ode_equations equations = {.n = 1, .slope = creeps};
  const ff_ode_options options = {.tolerance = 1e-10};
  for (uint32_t n = 1; n <= 2; n++) {
    const ff_ode_watch watch = {.n = n, .value = two_conditions, .direction = direction};
    ff_ode *o = solver(&equations, &options);
    const double x = 1;
    double at = 1;
    int8_t changed[2];
    ff_ode_begin(o, 1, &x, 0);
    FF_CHECK(steps_to(o, 1.1));
    for (uint32_t found = 0; found < n; found++) {
      FF_CHECK(ff_ode_locate(o, &watch, at, &at, changed));
      FF_CHECK_INT(changed[0], found == n - 1);
      if (n == 2) FF_CHECK_INT(changed[1], found == 0);
    }
    FF_CHECK_NEAR(at, 1.05, 1e-9);
    FF_CHECK(!ff_ode_locate(o, &watch, at, &at, changed));
    ff_ode_free(o);
  }
}

FF_TEST_MAIN("ode_locate", ball_bounces, finds_each_change_once, tells_changes_at_the_beginning, knows_what_was_true_before,
             looks_in_pieces, changes_add_up, fires_at_thresholds)
