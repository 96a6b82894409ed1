/* Events of Petri nets: closed forms, the order at one instant, bits, and messages. Thresholds are as in test_petri_timed.c. */
#include <math.h>

#include "petri_runs.h"

#define NORMAL 4.27

static const ff_petri_options usual = {.relative = 1e-6, .absolute = 1e-9};

typedef struct {
  const char *when, *delay, *priority;
  int persistent, initially, late;
  const char *set[4][2]; /* targets and values, up to the first without a target */
} event_text;

static void petri_event(petri_text *x, const char *name, const event_text *of) {
  const char *const parts[] = {of->when, of->delay, of->priority};
  const uint32_t e = x->net != NULL ? x->net->n_events : 0;
  if (x->status == FF_OK) x->status = ff_petri_add_event(x->net, name, &x->err);
  if (x->status != FF_OK) return;
  ff_event *event = &x->net->event[e].event;
  event->persistent = (uint8_t)of->persistent;
  event->initially = (uint8_t)of->initially;
  event->late = (uint8_t)of->late;
  for (int k = 0; k < 3; k++)
    if (x->status == FF_OK && parts[k] != NULL)
      x->status = ff_petri_event_text(x->net, e, (ff_event_part)k, parts[k], petri_nowhere, &x->err);
  for (int i = 0; i < 4 && of->set[i][0] != NULL && x->status == FF_OK; i++)
    x->status = ff_petri_event_set_text(x->net, e, of->set[i][0], of->set[i][1], NULL, petri_nowhere, &x->err);
}

/* An event whose values are computed at the trigger. */
static void petri_when(petri_text *x, const char *name, const char *when, const char *target, const char *value) {
  petri_event(x, name, &(event_text){.when = when, .persistent = 1, .set = {{target, value}}});
}

static void petri_parameter(petri_text *x, const char *name, double value) {
  if (x->status == FF_OK) x->status = ff_petri_add_parameter(x->net, name, value, &x->err);
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

static void check_near(const char *what, double found, double expected, double error) {
  FF_CHECK_SAY(fabs(found - expected) <= error, "%s: %.17g; expected %.17g within %g\n", what, found, expected, error);
}

/* ---- thresholds --------------------------------------------------------------------------------------------------------- */

/* x' = x from 1 to 2, where it falls back: a period of log(2), whose error is that of the solver. */
static void keeps_its_period(void) {
  const double periods = 10000, times[] = {0.5, 100 * log(2) + 0.25, (periods + 0.5) * log(2)};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "x", 1, "1");
  petri_place(&x, "n", 0, "0");
  petri_flows(&x, "grow", "0 -> x", "x");
  petri_event(&x, "fall", &(event_text){.when = "x >= 2", .persistent = 1, .set = {{"x", "x - 1"}, {"n", "n + 1"}}});
  if (observe(&x, &s, 1, times, 3, 2)) {
    check_near("before", petri_state(&s, 0, 0, 0), exp(0.5), 1e-5);
    check_near("soon", petri_state(&s, 0, 0, 1), exp(0.25), 100 * 1e-5);
    check_near("late", petri_state(&s, 0, 0, 2), sqrt(2), periods * 1e-5);
    FF_CHECK(petri_state(&s, 1, 0, 0) == 0 && petri_state(&s, 1, 0, 1) == 100 && petri_state(&s, 1, 0, 2) == periods);
  }
  end(&x, &s);
}

/* A rate that an event sets, to and fro: x' = 1 up to 2, x' = -3 down to 1. A period of 4/3; from 0, x is 2 at time 2. */
static void switches_a_flow(void) {
  const double times[] = {1, 2 + 1.0 / 6, 2 + 1.0 / 3 + 0.5, 2 + 300 * (4.0 / 3) + 1.0 / 6};
  const double expected[] = {1, 1.5, 1.5, 1.5};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_parameter(&x, "k", 1);
  petri_place(&x, "x", 1, "0");
  petri_flows(&x, "flow", "0 -> x", "k");
  petri_when(&x, "down", "x >= 2", "k", "-3");
  petri_when(&x, "up", "x <= 1", "k", "1");
  if (observe(&x, &s, 1, times, 4, 1))
    for (uint32_t t = 0; t < 4; t++) check_near("level", petri_state(&s, 0, 0, t), expected[t], 1e-9);
  end(&x, &s);
}

/* A trigger that becomes true and false again within a step, twice. */
static void misses_no_window(void) {
  const double times[] = {3};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "n", 0, "0");
  petri_place(&x, "x", 1, "0");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_when(&x, "window", "x > 1 & x < 1.0000001 | x > 2 & x < 2.0000001", "n", "n + 1");
  if (observe(&x, &s, 1, times, 1, 1)) FF_CHECK(petri_state(&s, 0, 0, 0) == 2);
  end(&x, &s);
}

/* ---- times -------------------------------------------------------------------------------------------------------------- */

/* x = t. At the time 1 an event is triggered that is due at 1.5. Its value is that at the trigger, or if it is late, that when it
 * happens. The delay is that at the trigger, too. */
static void waits_for_its_delay(void) {
  const double times[] = {1.4999, 1.5, 9};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_parameter(&x, "d", 0.5);
  petri_place(&x, "a", 1, "0");
  petri_place(&x, "b", 1, "0");
  petri_place(&x, "c", 1, "0");
  petri_place(&x, "x", 1, "0");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_event(&x, "early", &(event_text){.when = "time >= 1", .delay = "d * x", .persistent = 1, .set = {{"a", "x"}}});
  petri_event(&x, "late", &(event_text){.when = "time >= 1", .delay = "d * x", .persistent = 1, .late = 1, .set = {{"b", "x"}}});
  petri_event(&x, "gone", &(event_text){.when = "time >= 1 & time < 1.25", .delay = "0.5", .set = {{"c", "1"}}});
  petri_when(&x, "delay", "time >= 1.1", "d", "100");
  if (observe(&x, &s, 1, times, 3, 3)) {
    FF_CHECK(petri_state(&s, 0, 0, 0) == 0 && petri_state(&s, 1, 0, 0) == 0 && petri_state(&s, 2, 0, 2) == 0);
    check_near("early", petri_state(&s, 0, 0, 1), 1, 1e-9);
    check_near("late", petri_state(&s, 1, 0, 1), 1.5, 1e-9);
    check_near("late", petri_state(&s, 1, 0, 2), 1.5, 1e-9);
  }
  end(&x, &s);
}

/* What is true at 0 triggers unless it counts as true before. An event that triggers itself again and again, with 25 of them
 * waiting at a time. */
static void waits_with_others(void) {
  const double times[] = {0, 100.5};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_parameter(&x, "next", 1);
  petri_place(&x, "a", 0, "0");
  petri_place(&x, "b", 0, "0");
  petri_place(&x, "n", 0, "0");
  petri_when(&x, "at 0", "a < 1", "a", "1");
  petri_event(&x, "not at 0", &(event_text){.when = "b < 1", .persistent = 1, .initially = 1, .set = {{"b", "1"}}});
  petri_when(&x, "ticks", "time >= next", "next", "next + 1");
  petri_event(&x, "count", &(event_text){.when = "next / 2 == floor(next / 2)", .delay = "50", .persistent = 1, .late = 1,
                                         .set = {{"n", "n + 1"}}});
  if (observe(&x, &s, 1, times, 2, 3)) {
    FF_CHECK(petri_state(&s, 0, 0, 0) == 1 && petri_state(&s, 1, 0, 1) == 0);
    FF_CHECK_SAY(petri_state(&s, 2, 0, 1) == 25, "%g\n", petri_state(&s, 2, 0, 1)); /* next was 2, 4, ..., 50 by the time 50.5 */
  }
  end(&x, &s);
}

/* ---- the order at an instant ----------------------------------------------------------------------------------------------- */

/* a = 1: (a + 1) * 10 if the larger priority is first. Those without one come last, in the order of the net: ((20 - 5) * 2). */
static void follows_priorities(void) {
  const double times[] = {1};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "a", 0, "1");
  petri_event(&x, "third", &(event_text){.when = "time >= 1", .persistent = 1, .late = 1, .set = {{"a", "a - 5"}}});
  petri_event(&x, "fourth", &(event_text){.when = "time >= 1", .persistent = 1, .late = 1, .set = {{"a", "a * 2"}}});
  petri_event(&x, "second",
              &(event_text){.when = "time >= 1", .priority = "1", .persistent = 1, .late = 1, .set = {{"a", "a * 10"}}});
  petri_event(&x, "first",
              &(event_text){.when = "time >= 0.5", .delay = "0.5", .priority = "a + 1", .persistent = 1, .late = 1,
                            .set = {{"a", "a + 1"}}});
  if (observe(&x, &s, 1, times, 1, 1)) FF_CHECK_SAY(petri_state(&s, 0, 0, 0) == 30, "%g\n", petri_state(&s, 0, 0, 0));
  end(&x, &s);
}

/* Three with one priority: each is last in a third of all trajectories. */
static void draws_between_equals(void) {
  const double times[] = {1}, n = 9000;
  petri_text x;
  petri_states s = {0};
  double last[4] = {0};
  petri_begin(&x);
  petri_place(&x, "a", 0, "0");
  for (int k = 0; k < 3; k++) {
    static const char *const names[] = {"one", "two", "three"}, *const values[] = {"1", "2", "3"};
    petri_event(&x, names[k], &(event_text){.when = "time >= 1", .priority = "7", .persistent = 1, .set = {{"a", values[k]}}});
  }
  if (observe(&x, &s, (uint64_t)n, times, 1, 1)) {
    for (uint64_t i = 0; i < s.n; i++) last[(int)petri_state(&s, 0, i, 0)]++;
    for (int k = 1; k <= 3; k++) check_near("last", last[k] / n, 1.0 / 3, NORMAL * sqrt(2.0 / 9 / n));
  }
  end(&x, &s);
}

/* Where a level crosses, an immediate transition fires before the event happens. At the time 2, the event comes before the clock,
 * and the immediate transition to which it gives a token is between them. */
static void orders_an_instant(void) {
  const double times[] = {1.5, 2};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "seen", 0, "0");
  petri_place(&x, "fired", 0, "0");
  petri_place(&x, "clocks", 0, "0");
  petri_place(&x, "token", 0, "1");
  petri_place(&x, "x", 1, "0");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_transition(&x, "at once", FF_PETRI_IMMEDIATE, "token -> fired", "x >= 1", NULL, "1", 0);
  petri_event(&x, "crossing", &(event_text){.when = "x >= 1", .persistent = 1, .late = 1, .set = {{"seen", "10 * fired"}}});
  petri_event(&x, "time", &(event_text){.when = "time >= 2", .persistent = 1, .late = 1,
                                        .set = {{"seen", "100 * fired + clocks"}, {"token", "token + 1"}}});
  petri_transition(&x, "clock", FF_PETRI_DETERMINISTIC, "0 -> (fired) clocks", "clocks < 1", NULL, "2", 0);
  if (observe(&x, &s, 1, times, 2, 3)) {
    FF_CHECK(petri_state(&s, 0, 0, 0) == 10 && petri_state(&s, 1, 0, 0) == 1 && petri_state(&s, 2, 0, 0) == 0);
    FF_CHECK_SAY(petri_state(&s, 0, 0, 1) == 100, "%g\n", petri_state(&s, 0, 0, 1));
    FF_CHECK(petri_state(&s, 1, 0, 1) == 2 && petri_state(&s, 2, 0, 1) == 2);
  }
  end(&x, &s);
}

/* ---- with firings ------------------------------------------------------------------------------------------------------- */

/* Births by a rate, and of a size, that events set: the mean at 3 is 2 * 1 * 1 + 1 * 5 * 3. What is left of a threshold when the
 * rate changes is used up. */
static void sets_rates_and_weights(void) {
  const double times[] = {2, 3}, n = 20000;
  petri_text x;
  petri_states s = {0};
  double mean[2] = {0};
  petri_begin(&x);
  petri_parameter(&x, "k", 1);
  petri_parameter(&x, "w", 1);
  petri_place(&x, "A", 0, "0");
  petri_place(&x, "B", 0, "1");
  petri_transition(&x, "birth", FF_PETRI_STOCHASTIC, "B -> B + (w) A", NULL, NULL, "k", 1);
  petri_event(&x, "change", &(event_text){.when = "time > 2", .persistent = 1, .set = {{"k", "5 * k"}, {"w", "w + 2"}}});
  if (observe(&x, &s, (uint64_t)n, times, 2, 1)) {
    for (uint64_t i = 0; i < s.n; i++)
      for (uint32_t t = 0; t < 2; t++) mean[t] += petri_state(&s, 0, i, t) / n;
    check_near("before", mean[0], 2, NORMAL * sqrt(2 / n));
    check_near("after", mean[1], 17, NORMAL * sqrt((2 + 9 * 5) / n));
  }
  end(&x, &s);
}

/* Every tenth birth ends in 0, and never is there more than 9. */
static void answers_firings(void) {
  const double times[] = {7, 20};
  petri_text x;
  petri_states s = {0};
  double births = 0;
  petri_begin(&x);
  petri_place(&x, "A", 0, "0");
  petri_place(&x, "n", 0, "0");
  petri_place(&x, "all", 0, "0");
  petri_fires(&x, "birth", "0 -> A + all", "10");
  petri_event(&x, "tenth", &(event_text){.when = "A == 10", .persistent = 1, .set = {{"A", "0"}, {"n", "n + 1"}}});
  if (observe(&x, &s, 1000, times, 2, 3)) {
    for (uint64_t i = 0; i < s.n; i++)
      for (uint32_t t = 0; t < 2; t++) {
        const double a = petri_state(&s, 0, i, t), m = petri_state(&s, 1, i, t);
        FF_CHECK(a >= 0 && a <= 9 && 10 * m + a == petri_state(&s, 2, i, t));
        births += t * petri_state(&s, 2, i, t);
      }
    check_near("births", births / 1000, 200, NORMAL * sqrt(200 / 1000.0));
  }
  end(&x, &s);
}

/* The outflow of an empty level, which an event fills again. */
static void fills_an_empty_level(void) {
  const double times[] = {0.75, 1.75, 2.25, 5};
  const double expected[] = {0, 0, 0.75, 0};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "x", 1, "0.5");
  petri_flows(&x, "out", "x -> 0", "1");
  petri_when(&x, "fill", "time >= 2", "x", "x + 1");
  if (observe(&x, &s, 1, times, 4, 1))
    for (uint32_t t = 0; t < 4; t++) check_near("level", petri_state(&s, 0, 0, t), expected[t], 1e-9);
  end(&x, &s);
}

/* ---- colours and bits --------------------------------------------------------------------------------------------------- */

static void sets_colours(void) {
  const double times[] = {1.5};
  petri_text x;
  petri_states s = {0};
  memset(&x, 0, sizeof x);
  x.status = petri_small(&x.net, 2, &x.err);
  if (x.status == FF_OK) x.status = ff_petri_add_variable(x.net, "all", &x.err);
  petri_flows(&x, "grow", "0 -> Ca[x,y]", "x * k");
  if (x.status == FF_OK) x.status = ff_petri_variable_text(x.net, 0, "sum(Ca)", petri_nowhere, &x.err);
  petri_event(&x, "fall", &(event_text){.when = "Ca[2,1] >= 1", .persistent = 1,
                                        .set = {{"Ca", "Ca[1,1] / 4"}, {"S100[1,2]", "7"}, {"G", "2"},
                                                {"A", "floor(all + 0.5)"}}});
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 1, 8, 17, 1, &x.err);
  if (x.status == FF_OK) {
    /* at the time 1: Ca is 0.5, 0.5, 1, 1 (all of it 3); then 0.125 everywhere, and half a unit of time more */
    check_near("A", petri_state(&s, 0, 0, 0), 3, 0);
    for (uint32_t c = 0; c < 3; c++) check_near("Ca", petri_state(&s, 5 + c, 0, 0), 0.125 + (c < 2 ? 0.25 : 0.5), 1e-9);
  }
  end(&x, &s);
}

/* Everything at once: events of levels, times and counts, with delays and priorities. */
static void everything(petri_text *x) {
  petri_begin(x);
  petri_parameter(x, "k", 2);
  petri_parameter(x, "next", 0.3);
  petri_place(x, "A", 0, "3");
  petri_place(x, "x", 1, "0.2");
  petri_place(x, "y", 1, "1");
  petri_place(x, "T", 0, "0");
  petri_flows(x, "up", "0 -> x", "k * (1 + A)");
  petri_flows(x, "down", "x -> y", "x * y / (1 + x)");
  petri_transition(x, "out", FF_PETRI_CONTINUOUS, "y -> 0", NULL, NULL, "0.5", 1);
  petri_fires(x, "birth", "0 -> A", "k + x");
  petri_transition(x, "death", FF_PETRI_STOCHASTIC, "A -> 0", NULL, NULL, "0.7", 1);
  petri_transition(x, "clock", FF_PETRI_DETERMINISTIC, "0 -> T", "x >= 2", NULL, "0.1", 0);
  petri_event(x, "reset", &(event_text){.when = "x + y >= 4 | A > 12", .priority = "1", .persistent = 1,
                                        .set = {{"x", "x / 3"}, {"A", "floor(A / 2)"}}});
  petri_event(x, "toggle", &(event_text){.when = "y >= 1.5", .delay = "0.05 * (1 + A)", .late = 1, .priority = "1",
                                         .set = {{"k", "3 - k"}, {"y", "y + 0.1"}}});
  petri_event(x, "tick", &(event_text){.when = "time >= next", .persistent = 1,
                                       .set = {{"next", "next + 0.3"}, {"T", "T + A"}}});
}

static void has_the_same_bits(void) {
  enum { MANY = 301 };
  double fine[MANY];
  const double coarse[] = {0, 3};
  petri_text x;
  petri_states s[3] = {{0}};
  ff_status status = FF_OK;
  for (int t = 0; t < MANY; t++) fine[t] = t / 100.0;
  everything(&x);
  petri_compile(&x, &usual);
  if (x.status != FF_OK) return;
  status = petri_observe(&s[0], x.program, 40, coarse, 2, 4, 5, 1, &x.err);
  if (status == FF_OK) status = petri_observe(&s[1], x.program, 40, coarse, 2, 4, 5, 2, &x.err);
  if (status == FF_OK) status = petri_observe(&s[2], x.program, 40, fine, MANY, 4, 5, 2, &x.err);
  FF_CHECK_SAY(status == FF_OK, "%s\n", x.err.text);
  for (uint32_t k = 0; k < 4 && status == FF_OK; k++)
    for (uint64_t i = 0; i < 40; i++) {
      const double at = petri_state(&s[0], k, i, 1);
      FF_CHECK(at == petri_state(&s[1], k, i, 1) && at == petri_state(&s[2], k, i, MANY - 1));
    }
  for (int k = 0; k < 3; k++) petri_states_free(&s[k]);
  petri_end(&x);
}

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

static void refuses(const event_text *of, const char *expected) {
  const double times[] = {5};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_parameter(&x, "k", 1);
  petri_place(&x, "A", 0, "1");
  petri_place(&x, "x", 1, "1");
  petri_flows(&x, "grow", "0 -> x", "1");
  petri_event(&x, "E", of);
  if (x.status == FF_OK) x.status = ff_petri_finish(x.net, &x.err);
  if (x.status == FF_OK) x.status = ff_petri_unfold(&x.flat, x.net, &x.err);
  if (x.status == FF_OK) x.status = ff_petri_program_new(&x.program, x.flat, &usual, &x.err);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 1, 1, 1, 1, &x.err);
  FF_CHECK_SAY(x.status != FF_OK && strstr(x.err.text, expected) != NULL, "%s\nexpected %s\n", x.err.text, expected);
  end(&x, &s);
}

static void says_what_is_wrong(void) {
  const char *const once = "time >= 1";
  refuses(&(event_text){.when = once, .set = {{"B", "1"}}}, "event \"E\" sets \"B\", but no place or parameter has this name");
  refuses(&(event_text){.when = once, .set = {{"A", "1.5"}}},
          "event \"E\" sets place \"A\" to 1.5; expected a whole number from 0");
  refuses(&(event_text){.when = once, .set = {{"x", "-1"}}},
          "event \"E\" sets place \"x\" to -1; expected a finite number of at");
  refuses(&(event_text){.when = once, .set = {{"A", "1"}, {"A", "2"}}}, "event \"E\" sets the same place or parameter twice");
  refuses(&(event_text){.when = once, .delay = "-1", .set = {{"A", "1"}}}, "the delay of event \"E\" is -1; expected a finite");
  refuses(&(event_text){.set = {{"A", "1"}}}, "event \"E\" has no condition");
  refuses(&(event_text){.when = once, .set = {{"A", "x / 7"}}}, "event \"E\" sets place \"A\" to 0.2857142857");
  refuses(&(event_text){.when = once, .set = {{"A", "1e300 * x"}}}, "event \"E\" sets place \"A\" to 2e+300 at time 1 of "
          "trajectory 1; expected at most 2^53");
  refuses(&(event_text){.when = once, .set = {{"x", "1 - x"}}}, "event \"E\" sets place \"x\" to -1 at time 1 of trajectory 1");
  refuses(&(event_text){.when = once, .set = {{"k", "0 * A / (A - 1)"}}}, "event \"E\" sets parameter \"k\" to NaN at time 1");
  refuses(&(event_text){.when = once, .delay = "1 - x", .set = {{"A", "1"}}}, "the delay of event \"E\" is -1 at time 1");
  refuses(&(event_text){.when = once, .priority = "0 * A / (A - 1)", .set = {{"A", "1"}}}, "the priority of event \"E\" is NaN");
}

static void gives_up_without_end(void) {
  const double times[] = {5};
  petri_text x;
  petri_states s = {0};
  petri_begin(&x);
  petri_place(&x, "A", 0, "1");
  petri_when(&x, "up", "A < 2", "A", "2");
  petri_when(&x, "down", "A > 1", "A", "1");
  petri_compile(&x, &usual);
  if (x.status == FF_OK) x.status = petri_observe(&s, x.program, 1, times, 1, 1, 1, 1, &x.err);
  FF_CHECK_SAY(x.status == FF_EMODEL && strstr(x.err.text, "more than 1000000 events happen at time 0") != NULL,
          "%s\n", x.err.text);
  end(&x, &s);
}

FF_TEST_MAIN("petri_event", keeps_its_period, switches_a_flow, misses_no_window, waits_for_its_delay, waits_with_others,
             follows_priorities, draws_between_equals, orders_an_instant, sets_rates_and_weights, answers_firings,
             fills_an_empty_level, sets_colours, has_the_same_bits, says_what_is_wrong, gives_up_without_end)
