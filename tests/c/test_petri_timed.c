/* Immediate transitions, clocks and schedules: closed forms, and the order of what happens at one instant. Thresholds are as in
 * test_petri_path.c: fewer than 50 comparisons at the level 2e-5, which is 4.27 standard deviations of a mean. */
#include <math.h>

#include "petri_runs.h"

#include "../../src/petri/path/ff_petri_path.h"

#define NORMAL 4.27

static const ff_petri_options usual = {.relative = 1e-6, .absolute = 1e-9};

static void check_mean(const char *what, double mean, double expected, double deviation, double n) {
  FF_CHECK_SAY(fabs(mean - expected) < NORMAL * deviation / sqrt(n), "%s: %.6g; expected %.6g within %.3g\n", what, mean,
               expected, NORMAL * deviation / sqrt(n));
}

/* A proportion near p. */
static void check_part(const char *what, const petri_states *s, uint32_t k, uint32_t time, double value, double p) {
  double part = 0;
  for (uint64_t i = 0; i < s->n; i++) part += petri_state(s, k, i, time) == value;
  check_mean(what, part / (double)s->n, p, sqrt(p * (1 - p)), (double)s->n);
}

static void petri_delays(petri_text *x, const char *name, const char *equation, const char *delay) {
  petri_transition(x, name, FF_PETRI_DETERMINISTIC, equation, NULL, NULL, delay, 0);
}

static void petri_at_once(petri_text *x, const char *name, const char *equation, const char *weight) {
  petri_transition(x, name, FF_PETRI_IMMEDIATE, equation, NULL, NULL, weight, 0);
}

static void petri_schedules(petri_text *x, const char *name, const char *equation, const char *begin, const char *period,
                            const char *end) {
  petri_transition(x, name, FF_PETRI_SCHEDULED, equation, NULL, NULL, NULL, 0);
  const char *const at[] = {begin, period, end};
  petri_schedule(x, at);
}

static int observe(petri_text *x, petri_states *s, uint64_t n, const double *times, uint32_t n_times, uint32_t n_observed) {
  petri_compile(x, &usual);
  if (x->status == FF_OK) x->status = petri_observe(s, x->program, n, times, n_times, n_observed, 17, 2, &x->err);
  FF_CHECK_SAY(x->status == FF_OK, "%s\n", x->err.text);
  return x->status == FF_OK;
}

static void end(petri_text *x, petri_states *s) {
  petri_states_free(s);
  petri_end(x);
}

/* ---- queues ------------------------------------------------------------------------------------------------------------- */

/* M/D/1 with load r = 0.6: P(0) = 1 - r and P(1) = (1 - r) (exp(r) - 1) in the long run; 100 service times suffice. */
static void serves_after_a_delay(void) {
  const double times[] = {100};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "queue", 0, "0");
  petri_fires(&x, "arrive", "0 -> queue", "0.6");
  petri_delays(&x, "serve", "queue -> 0", "1");
  if (observe(&x, &s, 4000, times, 1, 1)) {
    check_part("nobody", &s, 0, 0, 0, 0.4);
    check_part("one", &s, 0, 0, 1, 0.4 * (exp(0.6) - 1));
  }
  end(&x, &s);
}

/* D/M/1 with service rate 1.5: an arrival finds n others with probability (1 - z) z^n, z = exp(-1.5 (1 - z)). */
static void arrives_in_regular_times(void) {
  const double times[] = {60.999999999};
  double z = 0.5;
  petri_text x;
  petri_states s = {0};
  for (int i = 0; i < 200; i++) z = exp(-1.5 * (1 - z));
  petri_begin(&x);
  petri_place(&x, "queue", 0, "0");
  petri_delays(&x, "arrive", "0 -> queue", "1");
  petri_transition(&x, "serve", FF_PETRI_STOCHASTIC, "queue -> 0", NULL, NULL, "1.5", 0);
  if (observe(&x, &s, 4000, times, 1, 1)) {
    check_part("nobody", &s, 0, 0, 0, 1 - z);
    check_part("two", &s, 0, 0, 2, (1 - z) * z * z);
  }
  end(&x, &s);
}

static void races(void) {
  const double times[] = {0.6999, 0.7, 5};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "B", 0, "0");
  petri_place(&x, "A", 0, "1");
  petri_delays(&x, "slow", "A -> B", "0.7");
  petri_fires(&x, "fast", "A -> 0", "1.2 * A");
  if (observe(&x, &s, 10000, times, 3, 2)) {
    for (uint64_t i = 0; i < s.n; i++) FF_CHECK(petri_state(&s, 0, i, 0) == 0);
    check_part("after the delay", &s, 0, 1, 1, exp(-0.84));
    check_part("later", &s, 0, 2, 1, exp(-0.84));
  }
  end(&x, &s);
}

/* ---- weights ------------------------------------------------------------------------------------------------------------ */

/* Each arrival goes one of two ways; a weight of 0 or less never does. */
static void chooses_by_weights(void) {
  const double times[] = {0, 10};
  petri_text x;
  petri_states s = {0};
  double left = 0, right = 0, n = 0;
  petri_begin(&x);
  petri_place(&x, "L", 0, "0");
  petri_place(&x, "R", 0, "0");
  petri_place(&x, "A", 0, "2");
  petri_fires(&x, "arrive", "0 -> A", "10");
  petri_at_once(&x, "left", "A -> L", "1");
  petri_at_once(&x, "right", "A -> R", "3");
  petri_at_once(&x, "never", "A -> 0", "A - 10");
  if (observe(&x, &s, 200, times, 2, 3)) {
    for (uint64_t i = 0; i < 200; i++) {
      FF_CHECK(petri_state(&s, 0, i, 0) + petri_state(&s, 1, i, 0) == 2); /* at the start, too */
      FF_CHECK(petri_state(&s, 2, i, 0) == 0 && petri_state(&s, 2, i, 1) == 0);
      left += petri_state(&s, 0, i, 1);
      right += petri_state(&s, 1, i, 1);
    }
    n = left + right;
    FF_CHECK(fabs(n - 200 * 102) < NORMAL * sqrt(20000));
    check_mean("left", left / n, 0.25, sqrt(0.1875), n);
  }
  end(&x, &s);
}

/* A weight that levels or the time make positive: the transition fires at this time, and not when something else happens. */
static void wakes_by_weights(void) {
  static const char *const weights[] = {"x - 1.5", "x * x - 2.25", "sin(time - 1.5)", "min(x, 3) - 1.5"};
  const double times[] = {1, 1.4999, 1.5001, 4};
  for (int w = 0; w < 4; w++) {
    petri_text x;
    petri_states s = {0};
    petri_begin(&x);
    petri_place(&x, "B", 0, "0");
    petri_place(&x, "A", 0, "1");
    petri_place(&x, "x", 1, "0");
    petri_flows(&x, "grow", "0 -> x", "1");
    petri_at_once(&x, "wake", "A -> B", weights[w]);
    if (observe(&x, &s, 1, times, 4, 1))
      for (uint32_t t = 0; t < 4; t++)
        FF_CHECK_SAY(petri_state(&s, 0, 0, t) == (t >= 2), "%s: %g at %g\n", weights[w], petri_state(&s, 0, 0, t), times[t]);
    end(&x, &s);
  }
}

/* ---- schedules ---------------------------------------------------------------------------------------------------------- */

/* 0.5, 0.75, ..., 2: 7 times; 3 tokens suffice for the first three. One at a time before the start, and one once. */
static void follows_a_schedule(void) {
  const double times[] = {0.4999, 0.5, 1, 1.2499, 1.25, 3};
  const double all[] = {0, 1, 3, 3, 4, 7}, tokens[] = {0, 1, 3, 3, 3, 3}, once[] = {0, 0, 1, 1, 1, 1};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "all", 0, "0");
  petri_place(&x, "spent", 0, "0");
  petri_place(&x, "once", 0, "0");
  petri_place(&x, "tokens", 0, "3");
  petri_schedules(&x, "count", "0 -> all", "0.5", "0.25", "2");
  petri_schedules(&x, "spend", "tokens -> spent", "0.5", "0.25", NULL);
  petri_schedules(&x, "one", "0 -> once", "1", "0", NULL);
  if (observe(&x, &s, 2, times, 6, 3))
    for (uint32_t t = 0; t < 6; t++) {
      FF_CHECK_SAY(petri_state(&s, 0, 1, t) == all[t], "%g at %g\n", petri_state(&s, 0, 1, t), times[t]);
      FF_CHECK(petri_state(&s, 1, 1, t) == tokens[t]);
      FF_CHECK(petri_state(&s, 2, 0, t) == once[t]);
    }
  end(&x, &s);
}

/* A trajectory that goes on from time 1 has what was due until then behind it, however often that was. */
static void goes_on_with_schedules(void) {
  const ff_petri_options options = {.relative = 1e-6};
  petri_text x;
  ff_petri_path path;
  memset(&path, 0, sizeof path);
  petri_begin(&x);
  petri_place(&x, "A", 0, "0");
  petri_schedules(&x, "past", "0 -> A", "0", "1e-17", "1e-16");
  petri_schedules(&x, "later", "0 -> A", "0.25", "0.5", "3");
  petri_compile(&x, &options);
  FF_CHECK_OK(ff_petri_path_new(&path, x.program, NULL, &x.err), &x.err);
  ff_petri_path_start(&path, 1, 0, x.program->start, 1);
  ff_petri_path_step(&path);
  for (int k = 0; k < 4; k++) {
    FF_CHECK_SAY(path.next_time == 0.25 + 0.5 * k, "%g", path.next_time);
    ff_petri_path_step(&path);
  }
  FF_CHECK(path.failure.what == FF_PETRI_FINE && path.firings == 4 && path.next_time == INFINITY);
  ff_petri_path_free(&path);
  petri_end(&x);
}

/* Two transitions want one token at the same time: each gets it in half of all trajectories. Then one that takes nothing fires
 * although its test does not hold any more, and at last an immediate one. A state at 1 is that after all this. */
static void orders_an_instant(void) {
  const double times[] = {0.9999, 1};
  petri_text x;
  petri_states s = {0};
  double first = 0;
  petri_begin(&x);
  petri_place(&x, "U", 0, "0");
  petri_place(&x, "V", 0, "0");
  petri_place(&x, "W", 0, "0");
  petri_place(&x, "token", 0, "1");
  petri_transition(&x, "watch", FF_PETRI_SCHEDULED, "0 -> W", "token >= 1", NULL, NULL, 0);
  for (int k = 0; k < 2 && x.status == FF_OK; k++)
    x.status = ff_petri_at(x.net, 0, k, k == 0 ? "1" : "0", petri_nowhere, &x.err);
  petri_delays(&x, "u", "token -> U", "1");
  petri_schedules(&x, "v", "token -> V", "1", "0", NULL);
  petri_at_once(&x, "double", "W -> 10 W", "W == 1");
  if (observe(&x, &s, 4000, times, 2, 4)) {
    for (uint64_t i = 0; i < 4000; i++) {
      FF_CHECK(petri_state(&s, 0, i, 1) + petri_state(&s, 1, i, 1) == 1 && petri_state(&s, 3, i, 1) == 0);
      FF_CHECK(petri_state(&s, 2, i, 0) == 0 && petri_state(&s, 2, i, 1) == 10);
      first += petri_state(&s, 0, i, 1);
    }
    check_mean("u is first", first / 4000, 0.5, 0.5, 4000);
  }
  end(&x, &s);
}

/* A clock is lost when its transition is not enabled for a while, and starts anew; the delay is that when it starts. */
static void loses_a_clock(void) {
  const double times[] = {1.4999, 1.5, 4.4999, 4.5};
  const double expected[] = {0, 1, 1, 2};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "done", 0, "0");
  petri_place(&x, "on", 0, "1");
  petri_place(&x, "wait", 0, "1");
  petri_transition(&x, "tick", FF_PETRI_DETERMINISTIC, "0 -> done", "on >= 1", NULL, "wait", 0);
  petri_schedules(&x, "stop", "on -> 0", "0.25", "0", NULL);
  petri_schedules(&x, "go", "0 -> on", "0.5", "0", NULL);
  petri_schedules(&x, "slower", "0 -> 2 wait", "0.75", "0", NULL);
  if (observe(&x, &s, 1, times, 4, 1))
    for (uint32_t t = 0; t < 4; t++)
      FF_CHECK_SAY(petri_state(&s, 0, 0, t) == expected[t], "%g at %g\n", petri_state(&s, 0, 0, t), times[t]);
  end(&x, &s);
}

FF_TEST_MAIN("petri_timed", serves_after_a_delay, arrives_in_regular_times, races, chooses_by_weights, wakes_by_weights,
             follows_a_schedule, goes_on_with_schedules, orders_an_instant, loses_a_clock)
