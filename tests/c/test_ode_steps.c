/* ode/: solutions that begin, go on after a cut or an event, and end, with the same bits whatever was solved before; steps that
 * fail, jump or begin slowly; judges and sizes. */
#include "../../src/ode/ff_ode_internal.h"
#include "ode_equations.h"

/* After a cut, the step before it is there up to the cut, f is called anew, and the solution goes on as one that starts there. */
static void goes_on_after_a_cut(void) {
  const double start[4] = {0.1, 1, 0, 1};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    const ff_ode_options options = {.method = method, .tolerance = 1e-6};
    ff_ode *o = solver(&equations, &options), *other = solver(&equations, &options);
    double within[4], again[4], x[4], slope[4];
    ff_ode_begin(o, 0, start, 0);
    for (int i = 0; i < 5; i++) FF_CHECK(steps_to(o, INFINITY));
    const ff_ode_span *s = ff_ode_last(o);
    const double from = s->from, length = s->to - from, cut = from + length / 3, early = from + length / 5;
    const double h = fmin(ff_ode_next(o), length);
    ff_ode_state(o, early, within);
    ff_ode_state(o, cut, x);
    ff_ode_cut(o, s->to); /* changes nothing */
    FF_CHECK(s->to > cut);
    ff_ode_cut(o, cut);
    ff_ode_state(o, early, again);
    FF_CHECK(memcmp(within, again, sizeof within) == 0 && memcmp(x, s->end, sizeof x) == 0);
    FF_CHECK(s->from == from && s->to == cut && fabs(ff_ode_next(o) / h - 1) < 1e-9);
    const uint64_t calls = ff_ode_calls(o);
    known(NULL, cut, x, slope);
    FF_CHECK(memcmp(slope, ff_ode_slope(o), sizeof slope) == 0 && ff_ode_slope(o) == s->slope);
    FF_CHECK_INT(ff_ode_calls(o), calls + 1);
    ff_ode_begin(other, cut, x, ff_ode_next(o));
    for (int i = 0; i < 3; i++) {
      FF_CHECK(steps_to(o, INFINITY) && steps_to(other, INFINITY));
      FF_CHECK(s->to == ff_ode_last(other)->to && memcmp(s->end, ff_ode_last(other)->end, sizeof x) == 0);
    }
    ff_ode_free(o);
    ff_ode_free(other);
  }
}

/* A component that is read alone has the bits of the whole state, in each step anew, before and after a cut. The polynomials of
 * the others are not computed. */
static void reads_components_alone(void) {
  const double start[4] = {0.1, 1, 0, 1};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    const ff_ode_options options = {.method = method, .tolerance = 1e-6};
    ff_ode *o = solver(&equations, &options), *whole = solver(&equations, &options);
    ff_ode_begin(o, 0, start, 0);
    ff_ode_begin(whole, 0, start, 0);
    for (int step = 0; step < 8; step++) {
      double x[4];
      FF_CHECK(steps_to(o, INFINITY) && steps_to(whole, INFINITY));
      const ff_ode_span *s = ff_ode_last(o);
      const double length = s->to - s->from, cut = s->from + length / 2;
      for (uint32_t i = 0; i < 4; i++) o->dense[i * FF_ODE_DENSE] = -100.0 - i;
      for (int part = 1; part < 8; part++) {
        const double t = s->from + length * part / 8;
        ff_ode_state(whole, t, x);
        FF_CHECK(ff_ode_component(o, t, 2) == x[2] && (part < 4 || ff_ode_component(o, t, 0) == x[0]));
      }
      FF_CHECK(o->dense[FF_ODE_DENSE] == -101 && o->dense[3 * FF_ODE_DENSE] == -103);
      ff_ode_cut(o, cut);
      ff_ode_state(whole, cut, x);
      FF_CHECK(memcmp(s->end, x, sizeof x) == 0);
      ff_ode_state(whole, s->from + length / 4, x);
      for (uint32_t i = 0; i < 4; i++) FF_CHECK(ff_ode_component(o, s->from + length / 4, i) == x[i]);
      ff_ode_cut(whole, cut);
    }
    ff_ode_free(o);
    ff_ode_free(whole);
  }
}

/* The steps of a solution up to time 2: its bits, and those of the state within steps. */
typedef struct {
  int steps;
  double at[400], end[400][2], within[400][2];
} bits;
static void solve(ff_ode *o, const double *start, double h, bits *b) {
  memset(b, 0, sizeof *b);
  ff_ode_begin(o, 0, start, h);
  FF_CHECK(ff_ode_next(o) == h && ff_ode_last(o)->error[0] == 0 && ff_ode_last(o)->error[1] == 0);
  for (; ff_ode_last(o)->to < 2 && b->steps < 400; b->steps++) {
    FF_CHECK(steps_to(o, 2));
    const ff_ode_span *s = ff_ode_last(o);
    b->at[b->steps] = s->to;
    memcpy(b->end[b->steps], s->end, sizeof b->end[0]);
    ff_ode_state(o, (s->from + s->to) / 2, b->within[b->steps]);
  }
  FF_CHECK(b->steps < 400);
}

/* A solution has the same bits in a fresh solver, after another one with other lengths of steps, after one that is stiff, after a
 * cut, and after a failure; whether it has a first step of its own or not. */
static void forgets_what_was_solved_before(void) {
  static const double start[] = {1, 0}, far[] = {1e6, -3};
  for (int kind = 0; kind < 6; kind++) {
    double rate = 1;
    const double h = kind % 2 ? 0.01 : 0;
    const ff_ode_equations equations = {.n = 2, .of = &rate, .slope = relaxes, .timed = 1};
    const ff_ode_options options = {.method = kind / 4 ? FF_ODE_RODAS : FF_ODE_DORMAND_PRINCE, .automatic = kind / 2 % 2,
                                    .tolerance = 1e-7};
    ff_ode *o = solver(&equations, &options);
    static bits fresh, later;
    solve(o, start, h, &fresh);
    ff_ode_begin(o, 5, far, 0);
    for (int i = 0; i < 3; i++) FF_CHECK(steps_to(o, INFINITY));
    solve(o, start, h, &later);
    FF_CHECK(memcmp(&fresh, &later, sizeof fresh) == 0);
    rate = 1e6;
    ff_ode_begin(o, 0, start, 0.5);
    FF_CHECK(go(o, 1e-3) > 0);
    if (options.automatic) FF_CHECK_INT(ff_ode_present_method(o), FF_ODE_RODAS);
    rate = 1;
    solve(o, start, h, &later);
    FF_CHECK(memcmp(&fresh, &later, sizeof fresh) == 0);
    ff_ode_begin(o, -1, far, 1e-9);
    FF_CHECK(steps_to(o, INFINITY));
    ff_ode_cut(o, (ff_ode_last(o)->from + ff_ode_last(o)->to) / 2);
    rate = NAN;
    FF_CHECK_INT(ff_ode_step(o, INFINITY), FF_ODE_FAILED);
    rate = 1;
    solve(o, start, h, &later);
    FF_CHECK(memcmp(&fresh, &later, sizeof fresh) == 0);
    ff_ode_free(o);
  }
}

/* An event keeps the length of the next step, and the first one, of which the shortest one is a part. */
static void goes_on_in_another_state(void) {
  static const double start[] = {1, 0}, other[] = {2, 1};
  double rate = 1;
  const ff_ode_equations equations = {.n = 2, .of = &rate, .slope = relaxes, .timed = 1};
  const ff_ode_options options = {.tolerance = 1e-7};
  ff_ode *o = solver(&equations, &options), *fresh = solver(&equations, &options);
  ff_ode_begin(o, 0, start, 0);
  ff_ode_go_on(o, 0, other); /* before the first step: its length is chosen for the new state */
  ff_ode_begin(fresh, 0, other, 0);
  for (int i = 0; i < 4; i++) FF_CHECK(steps_to(o, INFINITY) && steps_to(fresh, INFINITY));
  FF_CHECK(memcmp(ff_ode_last(o)->end, ff_ode_last(fresh)->end, sizeof other) == 0);
  const double h = ff_ode_next(o), t = ff_ode_last(o)->to;
  ff_ode_go_on(o, t, start);
  const ff_ode_span *s = ff_ode_last(o);
  FF_CHECK(ff_ode_next(o) == h && s->from == t && s->to == t && memcmp(s->start, start, sizeof start) == 0);
  ff_ode_begin(fresh, t, start, h);
  for (int i = 0; i < 4; i++) FF_CHECK(steps_to(o, INFINITY) && steps_to(fresh, INFINITY));
  FF_CHECK(memcmp(ff_ode_last(o)->end, ff_ode_last(fresh)->end, sizeof other) == 0);
  ff_ode_go_on(o, 9, ff_ode_last(o)->end); /* an array of the solver */
  FF_CHECK(memcmp(s->end, ff_ode_last(fresh)->end, sizeof other) == 0 && s->from == 9);
  ff_ode_free(o);
  ff_ode_free(fresh);
}

/* A step that `most` has made short does not make the next ones short. */
static void ends_at_the_wanted_time(void) {
  const double start[4] = {0.1, 1, 0, 1};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  const ff_ode_options options = {.tolerance = 1e-6};
  ff_ode *o = solver(&equations, &options);
  ff_ode_begin(o, 0, start, 0);
  FF_CHECK_INT(go(o, 1) > 0, 1);
  const double h = ff_ode_next(o), soon = nextafter(1, 2);
  FF_CHECK(ff_ode_last(o)->to == 1 && !steps_to(o, NAN));
  FF_CHECK(steps_to(o, soon) && ff_ode_last(o)->to == soon);
  FF_CHECK(ff_ode_next(o) >= h);
  ff_ode_free(o);
}

/* Two events may be at one time: that there is no step between them is no failure. Nothing changes, not even the slope that is
 * known. */
static void tells_the_end_from_failures(void) {
  const double start[4] = {0.1, 1, 0, 1};
  const ff_ode_equations equations = {.n = 4, .slope = known};
  const ff_ode_options options = {.tolerance = 1e-6};
  ff_ode *o = solver(&equations, &options);
  ff_ode_begin(o, 1, start, 0);
  FF_CHECK_INT(ff_ode_step(o, 1), FF_ODE_AT_END);
  FF_CHECK_INT(ff_ode_step(o, 0.5), FF_ODE_AT_END);
  FF_CHECK_INT(ff_ode_calls(o), 0);
  FF_CHECK_INT(ff_ode_step(o, 2), FF_ODE_STEPPED);
  const ff_ode_span before = *ff_ode_last(o);
  const uint64_t calls = ff_ode_calls(o);
  FF_CHECK_INT(ff_ode_step(o, before.to), FF_ODE_AT_END);
  FF_CHECK_INT(ff_ode_step(o, NAN), FF_ODE_FAILED);
  const ff_ode_span *s = ff_ode_last(o);
  FF_CHECK(s->from == before.from && s->to == before.to && s->start == before.start && s->end == before.end);
  FF_CHECK_INT(ff_ode_calls(o), calls);
  FF_CHECK_INT(ff_ode_step(o, 2), FF_ODE_STEPPED);
  ff_ode_free(o);
}

/* x' = 1 up to a largest x, where f ends; with `jump`, it is 1000 from x = 1 / 3 on. */
typedef struct {
  int jump;
  double most;
} ending;
static int ends(void *of, double t, const double *x, double *slope) {
  const ending *e = of;
  (void)t;
  slope[0] = e->jump && x[0] >= 1.0 / 3 ? 1000 : 1;
  return x[0] < e->most;
}

static void ends_where_the_slope_ends(void) {
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    ending e = {0, 1};
    const ff_ode_equations equations = {.n = 1, .of = &e, .slope = ends};
    const ff_ode_options options = {.method = method, .tolerance = 1e-8, .least = 0x1p-30};
    ff_ode *o = solver(&equations, &options);
    double x = 0;
    ff_ode_begin(o, 0, &x, 0);
    int steps = 0;
    while (steps_to(o, INFINITY)) steps++;
    FF_CHECK(steps > 10);
    const ff_ode_span *s = ff_ode_last(o);
    /* the shortest step is 2^-30 of the time and of the first step, which is 0.01 */
    FF_CHECK(s->end[0] < 1 && s->end[0] > 1 - 2 * 0x1p-30 && s->from == s->to && s->end[0] == s->start[0]);
    FF_CHECK(ff_ode_slope(o) != NULL);
    FF_CHECK_INT(ff_ode_step(o, INFINITY), FF_ODE_FAILED); /* again */
    e.most = 2; /* and it goes on if f does */
    FF_CHECK(steps_to(o, INFINITY) && s->end[0] > 1 - 0x1p-30);
    x = 3;
    ff_ode_begin(o, 0, &x, 0);
    FF_CHECK(ff_ode_slope(o) == NULL);
    FF_CHECK_INT(ff_ode_step(o, INFINITY), FF_ODE_FAILED);
    FF_CHECK_INT(ff_ode_step(o, 0), FF_ODE_AT_END);
    ff_ode_free(o);
  }
}

/* The error of a step over a jump of f stays large until the step is the shortest one, 2^-46 of the time and of the first step of
 * 0.01. `jumps` lets this one pass. Then the time of the jump is known but for this step. */
static void passes_jumps(void) {
  for (uint32_t jumps = 0; jumps < 2; jumps++) {
    ending e = {1, 1e9};
    const ff_ode_equations equations = {.n = 1, .of = &e, .slope = ends};
    const ff_ode_options options = {.tolerance = 1e-14, .jumps = jumps};
    ff_ode *o = solver(&equations, &options);
    const double x = 0;
    int jumped = 0, fine = 1;
    ff_ode_begin(o, 0, &x, 0);
    while (fine && ff_ode_last(o)->to < 0.5) {
      fine = steps_to(o, 0.5);
      jumped += fine && ff_ode_last(o)->jumped;
    }
    FF_CHECK_INT(fine, jumps);
    FF_CHECK_INT(jumped, jumps);
    FF_CHECK_NEAR(ff_ode_last(o)->end[0], fine ? 1.0 / 3 + 1000.0 / 6 : 1.0 / 3, 1000 * 0.35 * 0x1p-46 + 1e-12);
    ff_ode_free(o);
  }
}

/* Nearly nothing happens at the beginning: x0 grows by 1e-17, and x1 falls with x0^4 / (1e-16^4 + x0^4) only later. From the
 * slopes there, the first step would be 1e15 long, and the shortest one longer than all that happens. The exact x1 is that of
 * 40,000 steps of the classical method of order 4, whose error is below 1e-12. */
static double falls_at(double t) { return t * t * t * t / (1e4 + t * t * t * t); }
static int begins(void *of, double t, const double *x, double *slope) {
  (void)of;
  (void)t;
  slope[0] = 1e-17;
  slope[1] = -x[1] * falls_at(x[0] * 1e17);
  return 1;
}
static double falls_exactly(double to) {
  const double h = to / 40000;
  double x = 100;
  for (int i = 0; i < 40000; i++) {
    const double t = i * h, a = falls_at(t), b = falls_at(t + h / 2), c = falls_at(t + h);
    const double k1 = -a * x, k2 = -b * (x + h / 2 * k1), k3 = -b * (x + h / 2 * k2), k4 = -c * (x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x;
}
static void begins_slowly(void) {
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++)
    for (uint32_t jumps = 0; jumps < 3; jumps += 2) {
      const double start[] = {0, 100};
      const ff_ode_equations equations = {.n = 2, .slope = begins};
      const ff_ode_options options = {.method = method, .tolerance = 1e-8, .jumps = jumps};
      ff_ode *o = solver(&equations, &options);
      ff_ode_begin(o, 0, start, 0);
      const int steps = go(o, 20);
      FF_CHECK(steps > 10);
      FF_CHECK_NEAR(ff_ode_last(o)->end[1], falls_exactly(20), steps * 1e-8 * 101);
      ff_ode_free(o);
    }
}

/* An event makes slow equations fast: x0' = 1e-15 becomes 1000 cos(1000 t). No step is as long as before. */
static int speeds_up(void *of, double t, const double *x, double *slope) {
  (void)of;
  slope[0] = x[1] > 0 ? 1000 * cos(1000 * t) : 1e-15;
  slope[1] = 0;
  return 1;
}
static void goes_on_faster(void) {
  for (ff_ode_method method = 0; method < FF_ODE_METHODS; method++) {
    double x[] = {0, 0};
    const ff_ode_equations equations = {.n = 2, .slope = speeds_up, .timed = 1};
    const ff_ode_options options = {.method = method, .tolerance = 1e-8, .jumps = 3};
    ff_ode *o = solver(&equations, &options);
    ff_ode_begin(o, 0, x, 0);
    FF_CHECK(steps_to(o, 1));
    x[0] = sin(1000);
    x[1] = 1;
    ff_ode_go_on(o, 1, x);
    const int steps = go(o, 1.01);
    FF_CHECK_NEAR(ff_ode_last(o)->end[0], sin(1010), steps * 1e-8 * 2);
    ff_ode_free(o);
  }
}

/* A judge may ask for shorter steps than the errors do. */
static double judge(void *of, const ff_ode_span *tried, double error) {
  (void)of;
  return fmax(error, (tried->to - tried->from) / 0.125);
}
static void asks_the_judge(void) {
  const ff_ode_equations equations = {.n = 1, .slope = grows};
  const ff_ode_options options = {.tolerance = 1e-8, .judge = judge};
  ff_ode *o = solver(&equations, &options);
  const double x = 0;
  ff_ode_begin(o, 0, &x, 1);
  FF_CHECK(go(o, 2) >= 16);
  ff_ode_free(o);
}

/* A size of its own for each component: small numbers are solved as well as large ones. */
static void knows_sizes(void) {
  static const double size[] = {1e-9, 1e-9}, start[] = {1e-6, 0};
  const ff_ode_equations equations = {.n = 2, .slope = turns};
  const ff_ode_options options = {.tolerance = 1e-6, .size = size};
  ff_ode *o = solver(&equations, &options);
  ff_ode_begin(o, 0, start, 0);
  const int steps = go(o, 3);
  FF_CHECK(steps > 10);
  FF_CHECK_NEAR(ff_ode_last(o)->end[0], 1e-6 * cos(3), steps * 1e-6 * 1e-6);
  ff_ode_free(o);
}

/* With a size of 0, the error of a component that is 0 would always be too large. */
static void refuses_no_tolerance(void) {
  const ff_ode_equations equations = {.n = 2, .slope = turns};
  const double sizes[][2] = {{1, 0}, {1, -1}, {1, NAN}};
  const char *found[] = {"0", "-1", "nan"};
  ff_ode_options options = {.tolerance = 0};
  ff_ode *o;
  ff_error err;
  FF_CHECK_FAILS(ff_ode_new(&o, &equations, &options, &err), FF_EARGUMENT, &err, "the tolerance is 0; expected a number above 0");
  FF_CHECK(o == NULL);
  options.tolerance = 1e-6;
  for (int i = 0; i < 3; i++) {
    char wanted[60];
    snprintf(wanted, sizeof wanted, "the size of component 1 is %s; expected a number above 0", found[i]);
    options.size = sizes[i];
    FF_CHECK_FAILS(ff_ode_new(&o, &equations, &options, &err), FF_EARGUMENT, &err, wanted);
    FF_CHECK(o == NULL);
  }
}

/* Relaxation towards cos(t) alone. */
static int follows(void *of, double t, const double *x, double *slope) {
  slope[0] = -*(const double *)of * (x[0] - cos(t));
  return 1;
}

/* The largest error of its solution at 20 times in each step up to time `until`, after it was set to x. */
static double error_within(ff_ode *o, double rate, double x, double until) {
  const ff_ode_span *s = ff_ode_last(o);
  const double begin = s->to, square = rate * rate, away = x - (square * cos(begin) + rate * sin(begin)) / (square + 1);
  double most = 0;
  ff_ode_go_on(o, begin, &x);
  while (s->to < until) {
    FF_CHECK(steps_to(o, until));
    for (int i = 1; i <= 20; i++) {
      const double t = s->from + (s->to - s->from) * i / 20, rests = (square * cos(t) + rate * sin(t)) / (square + 1);
      most = fmax(most, fabs(ff_ode_component(o, t, 0) - rests - away * exp(-rate * (t - begin))));
    }
  }
  return most;
}

/* A fast mode follows what moves, and an event takes it away from there. At the end of a long step it is right again, but it was
 * not within the step. */
static void sees_fast_modes_within_steps(void) {
  static const double start = 1;
  for (double rate = 10; rate <= 1e8; rate *= 10)
    for (int k = 0; k < 4; k++) {
      const double tolerance = k % 2 ? 1e-6 : 1e-3;
      const ff_ode_equations equations = {.n = 1, .of = (void *)&rate, .slope = follows, .timed = 1};
      ff_ode *o = solver(&equations, &(ff_ode_options){.method = FF_ODE_RODAS, .automatic = k / 2, .tolerance = tolerance});
      ff_ode_begin(o, 0, &start, 0);
      const double before = error_within(o, rate, start, 3) / tolerance, after = error_within(o, rate, 0.5, 6) / tolerance;
      FF_CHECK_SAY(before < 10, "rate %g, tolerance %g: %g tolerances", rate, tolerance, before);
      FF_CHECK_SAY(after < 10, "rate %g, tolerance %g: %g tolerances after an event", rate, tolerance, after);
      ff_ode_free(o);
    }
}

FF_TEST_MAIN("ode_steps", goes_on_after_a_cut, reads_components_alone, forgets_what_was_solved_before, goes_on_in_another_state,
             sees_fast_modes_within_steps, ends_at_the_wanted_time, tells_the_end_from_failures, ends_where_the_slope_ends,
             passes_jumps, begins_slowly, goes_on_faster, asks_the_judge, knows_sizes, refuses_no_tolerance)
