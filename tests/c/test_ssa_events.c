/* Events of the network and rates that depend on the time: what the simulation does beside the answers, which
 * test-reaction-events.R compares with closed forms. */
#include "../../src/ssa/engine/ff_ssa_engine.h"
#include "../../src/ssa/schedule/ff_ssa_trajectory.h"
#include "simulations.h"

/* What an event sets is species A. */
typedef struct {
  const char *trigger, *delay, *value;
  int initially, fleeting;
} event_text;

static ff_formula parse(const char *text, ff_names *names) {
  ff_formula formula = {0};
  ff_error err;
  if (text != NULL)
    FF_CHECK_OK(ff_formula_parse(&formula, text, strlen(text), ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  return formula;
}

static ff_ssa_program *program_with_events(const reaction_text *reactions, const double *initial, uint32_t n_species,
                                           const event_text *events, uint32_t n_events) {
  ff_reactions *net = network_of(reactions, initial, n_species);
  ff_names *names;
  ff_error err;
  FF_CHECK_OK(ff_names_new(&names, net->names, n_species, "species", &err), &err);
  FF_CHECK_OK(ff_reactions_add_events(net, n_events, &err), &err);
  for (uint32_t e = 0; e < n_events; e++) {
    char name[] = {(char)('e' + e), '\0'};
    ff_event *event = &net->events[e];
    FF_CHECK_OK(ff_event_add_sets(event, 1, &err), &err);
    event->name = ff_strndup(name, 1);
    event->trigger = parse(events[e].trigger, names);
    event->delay = parse(events[e].delay, names);
    event->sets[0].value = parse(events[e].value, names);
    event->initially = (uint8_t)events[e].initially;
    event->persistent = !events[e].fleeting;
  }
  ff_names_free(names);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return program_of_network(net);
}

/* The bounds hold at every step: a propensity is never above that with which the method works. */
static void bounds_hold(void) {
  static const reaction_text reactions[] = {{"0 -> A", "=5 * (1 + sin(7 * time))"}, {"A -> B", "1 + 0.5 * cos(time)"},
                                            {"2 B -> 0", "=0.1 * B * (B - 1) * exp(-time / 5)"}, {NULL, NULL}};
  static const double initial[] = {3, 4};
  ff_ssa_program *program = program_of(reactions, initial, 2);
  for (ff_ssa_method method = 0; method <= FF_SSA_NEXT; method++) {
    ff_ssa_path path;
    ff_error err;
    uint64_t fired = 0, steps = 0;
    FF_CHECK_OK(ff_ssa_path_new(&path, program, ff_ssa_finder_of(method), &err), &err);
    ff_ssa_path_start(&path, 1, 2, initial);
    for (; path.time < 200 && path.failure.what == FF_SSA_FINE; steps++) {
      const double later = path.time + 0.999 * (path.next_time - path.time);
      for (uint32_t r = 0; r < 3; r++) {
        FF_CHECK(ff_ssa_path_law(&path, r, path.time) <= path.propensity[r]);
        FF_CHECK(ff_ssa_path_law(&path, r, later) <= path.propensity[r]);
      }
      FF_CHECK(path.next_time > path.time);
      ff_ssa_path_step(&path);
    }
    fired = path.step - path.silent;
    FF_CHECK_INT(path.failure.what, FF_SSA_FINE);
    FF_CHECK_SAY(fired > 1500 && steps < 3 * fired, "%llu steps for %llu firings", (unsigned long long)steps,
                 (unsigned long long)fired); /* the windows are neither much too long nor too short */
    ff_ssa_path_free(&path);
  }
  ff_ssa_program_free(program);
}

/* The trajectory has an event at exactly these times; each sets A to the time. */
static void happens_at(const event_text *events, uint32_t n_events, const double *times, size_t n) {
  static const reaction_text reactions[] = {{"0 -> B", "3"}, {NULL, NULL}};
  static const double initial[] = {0, 0};
  ff_ssa_program *program = program_with_events(reactions, initial, 2, events, n_events);
  ff_ssa_path path;
  ff_error err;
  size_t found = 0;
  double last = 0;
  FF_CHECK_OK(ff_ssa_path_new(&path, program, &ff_ssa_finder_tree, &err), &err);
  ff_ssa_path_start(&path, 1, 2, initial);
  while (path.next_time < 100 && path.failure.what == FF_SSA_FINE) {
    ff_ssa_path_step(&path);
    if (path.count[0] == last) continue;
    last = path.count[0];
    FF_CHECK_SAY(found < n && path.time == times[found], "%s: at %.17g", events[0].trigger, path.time);
    found++;
  }
  FF_CHECK_INT(found, n);
  ff_ssa_path_free(&path);
  ff_ssa_program_free(program);
}

static void events_are_on_time(void) {
  happens_at((event_text[]){{"time >= 25", NULL, "A + 1", 0, 0}}, 1, (double[]){25}, 1);
  happens_at((event_text[]){{"time > 25", NULL, "A + 1", 0, 0}}, 1, (double[]){25.000000000000004}, 1);
  happens_at((event_text[]){{"time >= 0.1", "0.2", "A + 1", 0, 0}}, 1, (double[]){0.1 + 0.2}, 1);
  happens_at((event_text[]){{"time >= 10 & B >= 0", NULL, "A + 1", 0, 0}}, 1, (double[]){10}, 1);
  happens_at((event_text[]){{"time >= 10 * (A + 1)", NULL, "A + 1", 0, 0}}, 1,
             (double[]){10, 20, 30, 40, 50, 60, 70, 80, 90}, 9);
  happens_at((event_text[]){{"floor(time / 24) * 24 == time", NULL, "A + 1", 1, 0}}, 1, (double[]){24, 48, 72, 96}, 4);
  /* two that follow each other, and one that is called off */
  happens_at((event_text[]){{"time >= 3", NULL, "A + 1", 0, 0}, {"A == 1", "4.5", "A + 1", 0, 0},
                            {"A == 1", "9", "A + 1", 0, 1}}, 3, (double[]){3, 7.5}, 2);
}

/* How often an event happens up to a time. It adds 1 to A. */
static int times_of(const char *trigger, double to) {
  static const reaction_text reactions[] = {{"0 -> B", "3"}, {NULL, NULL}};
  static const double initial[] = {0, 0};
  ff_ssa_program *program = program_with_events(reactions, initial, 2, &(event_text){trigger, NULL, "A + 1", 0, 0}, 1);
  ff_ssa_path path;
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&path, program, &ff_ssa_finder_tree, &err), &err);
  ff_ssa_path_start(&path, 1, 2, initial);
  while (path.next_time <= to && path.failure.what == FF_SSA_FINE) ff_ssa_path_step(&path);
  const int n = path.failure.what == FF_SSA_FINE ? (int)path.count[0] : path.failure.what == FF_SSA_BAD_TRIGGER ? -1 : -2;
  ff_ssa_path_free(&path);
  ff_ssa_program_free(program);
  return n;
}

/* Near a crossing, the condition that is computed changes back and forth from one double to the next. Each crossing counts
 * once. */
static void events_happen_once(void) {
  static const struct {
    const char *trigger;
    double to;
    int n; /* -1 if it cannot be found out */
  } cases[] = {
      {"time / (time + 10) > 0.7", 23.3, 0}, {"time / (time + 10) > 0.7", 100, 1}, {"time / (time + 10) >= 0.7", 100, 1},
      {"time / (time + 10) < 0.7", 100, 1}, {"(B + time / (time + 10)) - B > 0.7 & B >= 0", 100, 1},
      {"time * 0.3 - time * 0.1 >= 1", 100, 1}, {"50 / 100 > exp(-0.1 * time)", 100, 1},
      {"(time + 1e6) / 3 * 3 > 1e6 + 5", 10, 1}, {"1e6 + 1e-3 * sin(time) > 1000000.0005", 13.5, 3},
      {"log(1 + time) > 0", 1, 1}, {"time^2 > 0", 1, 1}, {"exp(-time) > 0", 1e3, 1},
      {"sin(1000 * time) > 0.5", 1, 160}, {"sin(1e6 * time) > 0.5 & time > 1 & time < 1.0001", 2, 16},
      {"sin(time) + cos(time) > 1.41421356", 8, 2}, {"sin(time) + cos(time) > 1.41421357", 8, 0},
      /* steps on which rounding errors are always the same */
      {"0.1 * floor(time) >= 0.3", 2.9, 0}, {"0.1 * floor(time) >= 0.3", 3, 1}, {"min(time, 5) * 0.1 >= 0.5", 5, 1},
      {"exp(floor(time - 5)) >= 1", 5, 1}, {"floor(time) / 10 <= 0.7", 20, 1},
      /* single doubles */
      {"time == 7", 20, 1}, {"time / 10 == 0.7", 7, 1}, {"time / 10 == 0.7", 20, 1}, {"time != 7", 20, 2},
      {"time - 24 * floor(time / 24) == 0", 100, 5}, {"abs(time - 5) < 1e-12", 20, 1},
      /* what is true by rounding errors alone is not true; what is false by them is not false */
      {"time / 3 * 3 > time", 100, 0}, {"time / 3 * 3 > time * (B >= 0)", 100, 0},
      {"time / 3 * 3 >= time * (B >= 0)", 100, 1}, {"time / 3 * 3 >= time", 100, 1}, {"time - time > 0", 100, 0},
      {"cos(time)^2 + sin(time)^2 > 1", 100, 0}, {"B / (B + time) > B / (time + B) & B > 0", 100, 0},
      {"sin(time) > 1", 20, 0}, {"sin(time) >= 1", 20, -1}, {"time / 3 * 3 > time & time < 6", 20, -1},
      {"time^2 - 10 * time + 25 <= 0", 20, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int n = times_of(cases[i].trigger, cases[i].to);
    FF_CHECK_SAY(n == cases[i].n, "%s: %d times", cases[i].trigger, n);
  }
}

/* Only methods that compute all propensities by ff_ssa_path_propensity() simulate events, and never in vectors. */
static void chooses_engines(void) {
  static const reaction_text plain[] = {{"0 -> A", "3"}, {NULL, NULL}}, timed[] = {{"0 -> A", "time"}, {NULL, NULL}};
  static const event_text event = {"time >= 25", NULL, "50", 0, 0};
  static const double initial[] = {0};
  double changed;
  for (int k = 0; k < 3; k++) {
    ff_ssa_program *program = program_with_events(k == 2 ? timed : plain, initial, 1, &event, k == 1);
    FF_CHECK_INT(ff_ssa_program_scheduled(program), k > 0);
    FF_CHECK_INT(ff_ssa_method_of(program, &(ff_run_options){.n = 1}, &changed), FF_SSA_DIRECT);
    for (ff_ssa_method method = FF_SSA_NEXT + 1; method < FF_SSA_METHODS; method++)
      FF_CHECK_INT(ff_ssa_method_check(program, method, NULL), k > 0 ? FF_EUNSUPPORTED : FF_OK);
    for (ff_ssa_method method = 0; method <= FF_SSA_NEXT; method++) {
      ff_run_options options = {.method = method, .simd = FF_SIMD_BEST};
      ff_lanes *engine;
      ff_error err;
      FF_CHECK_OK(ff_ssa_engine_new(&engine, program, &options, initial, 1000, &err), &err);
      FF_CHECK((engine->lanes == 1) == (k > 0 || method != FF_SSA_DIRECT));
      engine->free(engine);
    }
    ff_ssa_program_free(program);
  }
}

/* Events that follow each other at one time: A is counted up to 20000, and then set to 30000. Returns the time at which a
 * trajectory ends by the condition, and A there. */
static double count_until(const char *condition, double *a, int *pieces) {
  static const reaction_text reactions[] = {{"0 -> B", "3"}, {NULL, NULL}};
  static const event_text events[] = {{"A < 20000 & A == 2 * floor(A / 2) & B >= 2", NULL, "A + 1", 0, 0},
                                      {"A == 1 + 2 * floor(A / 2)", NULL, "A + 1", 0, 0},
                                      {"A == 20000", NULL, "30000", 0, 0}};
  static const double initial[] = {0, 0}, times[] = {0, 100};
  const uint32_t observed = 0;
  double states[2], stopped, *const columns[] = {states};
  ff_ssa_program *program = program_with_events(reactions, initial, 2, events, 3);
  ff_formula until;
  ff_names *names;
  ff_run *run;
  ff_error err;
  int done = 0;
  static char *species[] = {"A", "B"};
  FF_CHECK_OK(ff_names_new(&names, species, 2, "species", &err), &err);
  until = parse(condition, names);
  ff_names_free(names);
  ff_run_options options = {.method = FF_SSA_NEXT, .key = 2, .n = 1, .times = times, .n_times = 2, .observed = &observed,
                            .n_observed = 1, .states = columns, .threads = 1, .until = &until, .stopped = &stopped};
  FF_CHECK_OK(ff_ssa_run_new(&run, program, &options, &err), &err);
  for (*pieces = 0; !done; ++*pieces) FF_CHECK_OK(ff_run_advance(run, 0, &done, &err), &err);
  FF_CHECK(states[0] == 0);
  FF_CHECK_INT(ff_run_steps(run), 2); /* of reactions */
  *a = states[1];
  ff_run_free(run);
  ff_formula_free(&until);
  ff_ssa_program_free(program);
  return stopped;
}

/* The state after each event is looked at, also if the step is left halfway. */
static void follows_events_in_pieces(void) {
  double a;
  int pieces;
  const double at = count_until("A == 30000", &a, &pieces);
  FF_CHECK(at > 0 && a == 30000 && pieces > 20000 * 3 / 16384);
  FF_CHECK(count_until("A > 0", &a, &pieces) == at && a == 1);
  FF_CHECK(count_until("A == 12345", &a, &pieces) == at && a == 12345);
  FF_CHECK(count_until("B == 2", &a, &pieces) == at && a == 0); /* directly after the reaction */
}

static void refuses_events(void) {
  static const reaction_text reactions[] = {{"0 -> A", "3"}, {NULL, NULL}};
  static const double initial[] = {0};
  ff_reactions *net = network_of(reactions, initial, 1);
  ff_error err;
  FF_CHECK_OK(ff_reactions_add_events(net, 1, &err), &err);
  FF_CHECK_FAILS(ff_reactions_finish(net, &err), FF_EMODEL, &err, "the name of event 1 is missing");
  net->events[0].name = ff_strndup("e", 1);
  FF_CHECK_FAILS(ff_reactions_finish(net, &err), FF_EMODEL, &err, "event \"e\" has no condition");
  FF_CHECK_OK(ff_formula_of_number(&net->events[0].trigger, 1, &err), &err);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  net->events[0].persistent = 2;
  FF_CHECK_FAILS(ff_reactions_finish(net, &err), FF_EINTERNAL, &err, "broken");
  net->events[0].persistent = 1;
  FF_CHECK_OK(ff_event_add_sets(&net->events[0], 1, &err), &err);
  FF_CHECK_FAILS(ff_reactions_finish(net, &err), FF_EINTERNAL, &err, "broken");
  FF_CHECK_OK(ff_formula_of_number(&net->events[0].sets[0].value, 1, &err), &err);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  net->events[0].sets[0].symbol = 1;
  FF_CHECK_FAILS(ff_reactions_finish(net, &err), FF_EINTERNAL, &err, "broken");
  ff_reactions_free(net);
}

FF_TEST_MAIN("ssa_events", bounds_hold, events_are_on_time, events_happen_once, chooses_engines, follows_events_in_pieces,
             refuses_events)
