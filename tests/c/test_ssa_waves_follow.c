/* Fake devices (fake_ssa.h) check a condition, list firings, and give each trajectory counts of its own at the start. Whatever
 * their capacity is, whatever they refuse, and whenever they fail, all results have the same bits as without devices. */
#include "../../src/ssa/run/ff_ssa_run.h"
#include "../../src/ensemble/sweep/ff_sweep.h"
#include "device_ways.h"
#include "simulations.h"

enum { RUNS = 53, TIMES = 3, SPECIES = 2, FIRINGS = 100000 };
enum { UNTIL = 1, FIRES = 2, STARTS = 4, STATES = 8, ALL = 16 }; /* what is wanted, as bits */
static const double times[] = {0, 0.2, 0.5};
static const uint32_t observed[] = {1, 0};
static const reaction_text busy[] = {{"A -> 0", "1"}, {"2 A -> B", "0.01"}, {"B -> 2 A", "0.5"}, {"0 -> A", "20"}, {NULL, NULL}};
static const double busy_initial[] = {40, 5};
static double starts[RUNS * SPECIES];

static const way ways[] = {{1, 1, 1000, 0, 0, 10, 0}, {1, 2, 10, 3, 0, 0, 0}, {3, 2, 5, 2, 4, 0, 0},
                           {2, 3, 1, 0, 1, 10, 0},    {4, 1, 7, 0, 3, 10, 0}, {2, 1, 1000, 9, 7, 0, 2}};
enum { WAYS = sizeof ways / sizeof ways[0] };

typedef struct {
  ff_run *run;
  double states[SPECIES][RUNS * TIMES], stopped[RUNS];
  double trajectory[FIRINGS], time[FIRINGS];
  int32_t reaction[FIRINGS];
  uint64_t n_firings, steps, complete;
  ff_status status;
  ff_error err;
} outcome;

static outcome want, got;

static void play(outcome *out, const ff_ssa_program *program, const ff_formula *until, unsigned wanted, uint64_t most,
                 const way *w) {
  double *columns[] = {out->states[0], out->states[1]};
  const ff_run_options options = {.method = FF_SSA_TREE, .key = 5, .first = 100, .n = RUNS, .times = times, .n_times = TIMES,
                                  .observed = observed, .n_observed = SPECIES, .threads = w->threads,
                                  .states = wanted & STATES ? columns : NULL, .until = wanted & UNTIL ? until : NULL,
                                  .stopped = wanted & UNTIL ? out->stopped : NULL,
                                  .max_firings = wanted & FIRES ? most : 0, .starts = wanted & STARTS ? starts : NULL};
  memset(out, 0, sizeof *out);
  out->status = run_in_way(&out->run, program, &options, w, &out->err);
  if (out->status != FF_OK) return;
  out->complete = ff_run_complete(out->run);
  out->steps = ff_run_steps(out->run);
  out->n_firings = ff_run_n_firings(out->run);
  FF_CHECK(out->n_firings <= FIRINGS);
  FF_CHECK_OK(ff_run_firings(out->run, out->trajectory, out->time, out->reaction, &out->err), &out->err);
}

static void compare(unsigned wanted, const char *what) {
  FF_CHECK_SAY(got.status == FF_OK && want.status == FF_OK, "%s: %s", what, got.err.text);
  if (got.status != FF_OK) return;
  FF_CHECK_SAY(got.complete == RUNS && got.steps == want.steps, "%s: other steps", what);
  FF_CHECK_SAY(memcmp(got.states, want.states, sizeof got.states) == 0, "%s: other states", what);
  for (uint32_t k = 0; k < RUNS; k++)
    FF_CHECK_SAY(got.stopped[k] == want.stopped[k] || (isnan(got.stopped[k]) && isnan(want.stopped[k])), "%s: %u", what, k);
  FF_CHECK_SAY(got.n_firings == want.n_firings && memcmp(got.time, want.time, sizeof got.time) == 0, "%s: other times", what);
  FF_CHECK_SAY(memcmp(got.trajectory, want.trajectory, sizeof got.trajectory) == 0, "%s: other trajectories", what);
  FF_CHECK_SAY(memcmp(got.reaction, want.reaction, sizeof got.reaction) == 0, "%s: other reactions", what);
  if (wanted & STATES) return;
  ff_sums *a, *b;
  ff_error err;
  FF_CHECK_OK(ff_run_sums(got.run, &a, &err), &err);
  FF_CHECK_OK(ff_run_sums(want.run, &b, &err), &err);
  FF_CHECK_SAY(memcmp(a->counts, b->counts, (size_t)a->n_times * a->n_counts * sizeof *a->counts) == 0, "%s: other sums", what);
}

/* ---- tests -------------------------------------------------------------------------------------------------------------- */

static ff_ssa_program *program_and_starts(void) {
  for (uint32_t i = 0; i < RUNS * SPECIES; i++) starts[i] = 3 + i * 7 % 50;
  return program_of(busy, busy_initial, SPECIES);
}

static void devices_change_no_bit(void) {
  ff_ssa_program *program = program_and_starts();
  ff_formula until = formula_of("A < 37 | B > 20");
  for (unsigned wanted = 1; wanted < ALL; wanted++) {
    char what[80];
    play(&want, program, &until, wanted, FIRINGS, &alone);
    for (size_t j = 0; j < WAYS; j++) {
      snprintf(what, sizeof what, "wanted %u, way %zu", wanted, j);
      reset(&ways[j]);
      play(&got, program, &until, wanted, FIRINGS, &ways[j]);
      compare(wanted, what);
      FF_CHECK(fake_ssa.waves > 0 || ways[j].late > 0);
      FF_CHECK_INT(fake_ssa.stops, wanted & UNTIL ? fake_ssa.waves : 0); /* once for each wave */
      ff_run_free(got.run);
      FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
    }
    ff_run_free(want.run);
  }
  ff_formula_free(&until);
  ff_ssa_program_free(program);
}

/* What a lost device has recorded counts once, and the others do the rest. */
static void devices_may_fail(void) {
  ff_ssa_program *program = program_and_starts();
  ff_formula until = formula_of("A < 37 | B > 20");
  for (unsigned wanted = UNTIL | FIRES; wanted < ALL; wanted += STARTS) {
    play(&want, program, &until, wanted, FIRINGS, &alone);
    for (size_t j = 2; j < 5; j++) {
      int over = 0;
      for (int at = 1; !over; at += at < 10 ? 1 : at / 4) {
        reset(&ways[j]);
        fake_ssa.fails_at = at;
        play(&got, program, &until, wanted, FIRINGS, &ways[j]);
        over = fake_ssa.calls < at;
        compare(wanted, "a device fails");
        FF_CHECK((ff_run_lost(got.run) != NULL) == !over);
        ff_run_free(got.run);
      }
    }
    ff_run_free(want.run);
  }
  ff_formula_free(&until);
  ff_ssa_program_free(program);
}

/* Waves begin anew with an ensemble for larger counts: no time, firing or start is left over from the first one. */
static void waves_that_begin_anew_change_no_bit(void) {
  int n = 0, anew = 0;
  ff_ssa_program *program = program_and_starts();
  ff_formula until = formula_of("A < 37 | B > 20");
  for (unsigned wanted = 1; wanted < ALL; wanted++) {
    play(&want, program, &until, wanted, FIRINGS, &alone);
    for (size_t j = 0; j < WAYS; j++)
      for (int fails = 0; fails < (ways[j].devices > 1 && ways[j].late == 0 ? 30 : 1); fails += 1 + fails / 5) {
        reset(&ways[j]);
        fake_ssa.bits16 = 40;
        fake_ssa.anew_steps = 1;
        fake_ssa.bits32_capacity = 1 + wanted * 3;
        fake_ssa.fails_at = fails;
        play(&got, program, &until, wanted, FIRINGS, &ways[j]);
        compare(wanted, "waves begin anew");
        anew += fake_ssa.made > (int)ways[j].devices;
        n++;
        ff_run_free(got.run);
        FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
      }
    ff_run_free(want.run);
  }
  ff_formula_free(&until);
  FF_CHECK(2 * anew > n);
  ff_ssa_program_free(program);
}

/* A run fails for too many firings with and without devices, and with the same message. */
static void too_many_firings_are_refused(void) {
  ff_ssa_program *program = program_and_starts();
  play(&want, program, NULL, FIRES, FIRINGS, &alone);
  const uint64_t n = want.n_firings;
  FF_CHECK(n > 1000);
  ff_run_free(want.run);
  play(&want, program, NULL, FIRES, n - 1, &alone);
  FF_CHECK_FAILS(want.status, FF_ESIZE, &want.err, "firings, which are too many to keep");
  for (size_t j = 0; j < WAYS; j++) {
    reset(&ways[j]);
    play(&got, program, NULL, FIRES, n, &ways[j]);
    FF_CHECK_OK(got.status, &got.err);
    FF_CHECK_INT(got.n_firings, n);
    ff_run_free(got.run);
    for (uint64_t most = 1; most < n; most *= 8) {
      char text[64];
      reset(&ways[j]);
      play(&got, program, NULL, FIRES, most, &ways[j]);
      FF_CHECK(fake_ssa.listed < most + n / 10); /* a device stops after the trajectory with the first firing too many */
      snprintf(text, sizeof text, "more than %llu firings", (unsigned long long)most);
      FF_CHECK_FAILS(got.status, FF_ESIZE, &got.err, text);
      ff_run_free(got.run);
      FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
    }
    reset(&ways[j]);
    play(&got, program, NULL, FIRES, n - 1, &ways[j]);
    FF_CHECK_FAILS(got.status, FF_ESIZE, &got.err, "firings, which are too many to keep");
    ff_run_free(got.run);
  }
  ff_run_free(want.run);
  ff_ssa_program_free(program);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------------- */

enum { POINTS = 5 };

/* Runs a sweep whose points have conditions of their own. */
static void sweep(ff_ssa_program *const *programs, const ff_formula *until, double stopped[POINTS][RUNS], uint32_t n_devices) {
  static const uint32_t devices[] = {0, 1};
  const ff_fleet_choice choice = {.calls = &fake_ssa_device.common, .devices = devices, .n_devices = n_devices};
  ff_point points[POINTS];
  ff_sweep *s;
  ff_error err;
  int done = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    points[i] = (ff_point){.engine = &ff_ssa_engine, .model = programs[i],
                               .options = {.method = FF_SSA_TREE, .key = 7 + i, .n = RUNS, .times = times, .n_times = TIMES,
                                           .observed = observed, .n_observed = SPECIES, .threads = 1,
                                           .until = i == 3 ? NULL : until + i, .stopped = i == 3 ? NULL : stopped[i]}};
  }
  FF_CHECK_OK(ff_sweep_new(&s, points, POINTS, 2, &err), &err);
  if (n_devices > 0) {
    int is = 0;
    FF_CHECK_OK(ff_sweep_use(s, &choice, &err), &err);
    while (!is) FF_CHECK_OK(ff_sweep_ready(s, 0.01, &is, &err), &err);
  }
  while (!done) FF_CHECK_OK(ff_sweep_advance(s, 0.01, &done, &err), &err);
  for (uint32_t i = 0; i < POINTS; i++) FF_CHECK(!ff_sweep_is_left(s, i));
  ff_sweep_free(s);
}

static void points_have_conditions_of_their_own(void) {
  static double here[POINTS][RUNS], there[POINTS][RUNS];
  ff_ssa_program *programs[POINTS];
  ff_formula until[POINTS];
  uint32_t ended = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    char text[32];
    snprintf(text, sizeof text, "A < %u", 34 + i);
    programs[i] = program_and_starts();
    until[i] = formula_of(text);
  }
  sweep(programs, until, here, 0);
  for (uint64_t refuses = 0; refuses < 9; refuses += 4)
    for (uint32_t n_devices = 1; n_devices <= 2; n_devices++) {
      reset(&alone);
      fake_ssa.refuses = refuses;
      memset(there, 0, sizeof there);
      sweep(programs, until, there, n_devices);
      for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t k = 0; k < RUNS; k++) {
          FF_CHECK(here[i][k] == there[i][k] || (isnan(here[i][k]) && isnan(there[i][k])));
          ended += here[i][k] > 0;
        }
      FF_CHECK(fake_ssa.waves > 0);
    }
  FF_CHECK(ended > 100);
  for (uint32_t i = 0; i < POINTS; i++) {
    ff_ssa_program_free(programs[i]);
    ff_formula_free(&until[i]);
  }
}

FF_TEST_MAIN("ssa_waves_follow", devices_change_no_bit, devices_may_fail, waves_that_begin_anew_change_no_bit,
             too_many_firings_are_refused, points_have_conditions_of_their_own)
