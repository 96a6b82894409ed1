/* Ensembles of reaction networks on devices, without a GPU (fake_ssa.h). Whatever the capacity of the devices, what they refuse
 * and when they fail, all results have the same bits as without devices. */
#include "wave_outcomes.h"

static const ff_ssa_method methods[] = {FF_SSA_DIRECT, FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_FACTORED, FF_SSA_OPTIMISED};
static outcome want, got;

static void devices_change_no_bit(void) {
  ff_ssa_program *program = program_with_variables();
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (size_t i = 0; i < OUTPUTS; i++) {
      const output *o = &outputs[i];
      play(&want, program, options_of(methods[m], o, &alone), o->keep, &alone);
      for (size_t j = 0; j < WAYS; j++) {
        char what[80];
        snprintf(what, sizeof what, "method %zu, %s, way %zu", m, o->name, j);
        reset(&ways[j]);
        play(&got, program, options_of(methods[m], o, &ways[j]), o->keep, &ways[j]);
        compare(&got, &want, o->keep, what);
        FF_CHECK_SAY(o->tallies ? fake_ssa.copies == 0 : fake_ssa.tallies == 0, "%s", what);
        if (ways[j].late == 0) {
          ff_ensemble_info info;
          FF_CHECK_INT(fake_ssa.units, (RUNS + ways[j].devices - 1) / ways[j].devices);
          FF_CHECK_INT(fake_ssa.steps, 0);
          FF_CHECK_INT(fake_ssa.tallies + fake_ssa.copies > 0, 1);
          FF_CHECK(ff_run_device(got.run, &info) && strcmp(info.kernel, "fake") == 0);
          FF_CHECK_INT(info.bytes, 10 * ways[j].devices);
          FF_CHECK_INT(info.devices, ways[j].devices);
          uint64_t refused = 0;
          for (uint64_t k = 100; k < 100 + RUNS; k++) refused += ways[j].refuses > 0 && k % ways[j].refuses == 0;
          FF_CHECK_INT(info.refused, refused);
          FF_CHECK_INT(got.run->equipped, ways[j].refuses > 0); /* engines are made only if they are needed */
        }
        FF_CHECK_INT(fake_ssa.alike, ways[j].devices - 1);
        FF_CHECK(ff_run_lost(got.run) == NULL);
        ff_run_free(got.run);
        FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
      }
      ff_run_free(want.run);
    }
  ff_ssa_program_free(program);
}

/* 53 trajectories on two devices that can have 20 each: two waves for each device, of about the same size. */
static void waves_are_of_equal_size(void) {
  const way w = {2, 1, 20, 0, 0, 10, 0};
  uint64_t sum = 0;
  ff_ssa_program *program = program_with_variables();
  reset(&w);
  play(&got, program, options_of(FF_SSA_DIRECT, &outputs[0], &w), 0, &w);
  FF_CHECK_OK(got.status, &got.err);
  FF_CHECK_INT(fake_ssa.waves, 4);
  for (int i = 0; i < 4; i++) { /* the last two begin in any order */
    FF_CHECK(fake_ssa.started[i] == 14 || (i >= 2 && fake_ssa.started[i] == 11));
    sum += fake_ssa.started[i];
  }
  FF_CHECK_INT(sum, RUNS);
  ff_run_free(got.run);
  ff_ssa_program_free(program);
}

/* A device that refuses much lists it in few calls: 1,024, 1,024, 2,048, 4,096 and so on. */
static void long_lists_take_few_calls(void) {
  enum { MANY = 9000 };
  static const reaction_text decay[] = {{"A -> 0", "1"}, {NULL, NULL}};
  const double initial[] = {2};
  const uint32_t species = 0;
  ff_ssa_program *program = program_of(decay, initial, 1);
  const way w = {1, 1, MANY, 0, 1, 10, 0};
  const ff_run_options options = {.method = FF_SSA_DIRECT, .key = 5, .n = MANY, .times = times, .n_times = 1,
                                  .observed = &species, .n_observed = 1, .threads = 1};
  ff_sums *a, *b;
  ff_error err;
  ff_run *here = run_to_end(program, &options, 10);
  FF_CHECK_OK(ff_run_sums(here, &a, &err), &err);
  reset(&w);
  play(&got, program, options, 0, &w);
  FF_CHECK_OK(got.status, &got.err);
  FF_CHECK_INT(fake_ssa.lists, 5);
  FF_CHECK_INT(fake_ssa.made, 1); /* none for larger counts, which would refuse as many */
  FF_CHECK_INT(got.complete, MANY);
  FF_CHECK_INT(got.steps, ff_run_steps(here));
  FF_CHECK_OK(ff_run_sums(got.run, &b, &err), &err);
  FF_CHECK(memcmp(a->counts, b->counts, sizeof *a->counts) == 0);
  ff_run_free(got.run);
  ff_run_free(here);
  ff_ssa_program_free(program);
}

/* The others take over what a device has not recorded. If no device is left, the run fails. */
static void devices_may_fail(void) {
  ff_ssa_program *program = program_with_variables();
  for (size_t i = 1; i < OUTPUTS; i += 2) {
    const output *o = &outputs[i];
    play(&want, program, options_of(FF_SSA_DIRECT, o, &alone), o->keep, &alone);
    for (size_t j = 0; j < WAYS; j++) {
      int over = ways[j].late > 0, lost = 0;
      for (int at = 1; !over; at += at < 10 ? 1 : at / 4) {
        reset(&ways[j]);
        fake_ssa.fails_at = at;
        play(&got, program, options_of(FF_SSA_DIRECT, o, &ways[j]), o->keep, &ways[j]);
        over = fake_ssa.calls < at;
        if (!over && ways[j].devices == 1) {
          FF_CHECK_FAILS(got.status, FF_EBACKEND, &got.err, "the device is on fire");
        } else {
          const char *told = ff_run_lost(got.run);
          compare(&got, &want, o->keep, o->name);
          FF_CHECK((told != NULL) == !over);
          FF_CHECK(told == NULL || (strncmp(told, "GPU ", 4) == 0 && strstr(told, "the device is on fire") != NULL));
          lost += told != NULL;
        }
        ff_run_free(got.run);
        FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
      }
      FF_CHECK(ways[j].devices == 1 || ways[j].late > 0 || lost > 3);
    }
    reset(&ways[2]);
    fake_ssa.fails_at = 9;
    fake_ssa.again = 1; /* all devices fail */
    play(&got, program, options_of(FF_SSA_DIRECT, o, &ways[2]), o->keep, &ways[2]);
    FF_CHECK_FAILS(got.status, FF_EBACKEND, &got.err, "the device is on fire");
    ff_run_free(got.run);
    ff_run_free(want.run);
  }
  ff_ssa_program_free(program);
}

/* States are copied in several pieces, and a device fails between them. What it has recorded is not recorded again. */
static void a_device_may_fail_between_pieces(void) {
  enum { MANY = 81000 }; /* 16 MB are the states of 25 trajectories with two species. Each device has a wave of 27 at first. */
  static const uint32_t twice[] = {0, 1, 0};
  static double many[MANY];
  ff_ssa_program *program = program_with_variables();
  ff_sums *a, *b;
  ff_error err;
  for (uint32_t i = 0; i < MANY; i++) many[i] = 1e-6 * i;
  const way w = {2, 2, RUNS, 0, 5, 0.02, 0};
  ff_run_options options = options_of(FF_SSA_DIRECT, &outputs[0], &w);
  options.observed = twice;
  options.n_observed = 3;
  options.times = many;
  options.n_times = MANY;
  ff_run *here = run_to_end(program, &options, 10);
  FF_CHECK_OK(ff_run_sums(here, &a, &err), &err);
  for (int at = 6; at < 10; at += 2) { /* six calls simulate, the next two copy the states of one device */
    reset(&w);
    fake_ssa.fails_at = at;
    play(&got, program, options, 0, &w);
    FF_CHECK_OK(got.status, &got.err);
    FF_CHECK(fake_ssa.copies > 3 && ff_run_lost(got.run) != NULL);
    FF_CHECK_OK(ff_run_sums(got.run, &b, &err), &err);
    FF_CHECK(memcmp(a->counts, b->counts, MANY * a->n_counts * sizeof *a->counts) == 0);
    FF_CHECK_INT(got.steps, ff_run_steps(here));
    FF_CHECK_INT(got.complete, RUNS);
    ff_run_free(got.run);
  }
  ff_run_free(here);
  ff_ssa_program_free(program);
}

/* Devices add up the statistics of `at_once` trajectories between two looks at the clock, and a call of ff_run_advance() lets
 * each do so once only. */
static void play_in_parts(const ff_ssa_program *program, const output *o, const way *w, uint64_t at_once) {
  const ff_run_options options = options_of(FF_SSA_DIRECT, o, w);
  int done = 0;
  got.status = ff_ssa_run_new(&got.run, program, &options, &got.err);
  if (got.status == FF_OK) got.status = use(got.run, w->devices, &got.err);
  if (got.status == FF_OK) got.run->waves->at_once = at_once;
  while (got.status == FF_OK && !done) {
    const int before = fake_ssa.tallies;
    got.status = ff_run_advance(got.run, 0, &done, &got.err);
    FF_CHECK(fake_ssa.tallies <= before + (int)w->devices);
  }
  got.complete = ff_run_complete(got.run);
  got.steps = ff_run_steps(got.run);
}

/* Statistics are added up in several parts, and a device may fail between them. What it has added is not added again. */
static void statistics_are_added_in_parts(void) {
  static const way in_parts[] = {
    {1, 1, 1000, 0, 0, 0, 0}, {1, 2, 30, 0, 4, 0, 0}, {2, 1, 1000, 0, 3, 0, 0}, {3, 2, 10, 3, 0, 0, 0}};
  enum { PART = 4 };
  ff_ssa_program *program = program_with_variables();
  for (size_t i = 0; i < 4; i++) { /* the outputs with tallies */
    const output *o = &outputs[i];
    play(&want, program, options_of(FF_SSA_DIRECT, o, &alone), 0, &alone);
    for (size_t j = 0; j < sizeof in_parts / sizeof *in_parts; j++) {
      const way *w = &in_parts[j];
      int over = 0;
      for (int at = 0; !over; at += at < 10 ? 1 : at / 4) {
        reset(w);
        fake_ssa.fails_at = at;
        play_in_parts(program, o, w, PART);
        over = at > 0 && fake_ssa.calls < at;
        if (at > 0 && !over && w->devices == 1) {
          FF_CHECK_FAILS(got.status, FF_EBACKEND, &got.err, "the device is on fire");
        } else {
          compare(&got, &want, 0, o->name);
          FF_CHECK(fake_ssa.tallies >= RUNS / PART && fake_ssa.copies == 0);
        }
        ff_run_free(got.run);
        FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
      }
    }
    ff_run_free(want.run);
  }
  ff_ssa_program_free(program);
}

/* Parts take a short time, but are not so small that copying their sums takes longer. */
static void parts_are_of_a_useful_size(void) {
  FF_CHECK_INT(ff_tally_at_once(0, 0), FF_PHILOX_MAX_UNITS);
  FF_CHECK_INT(ff_tally_at_once(499500, 0), 400384); /* 1,000 species at a time */
  FF_CHECK_INT(ff_tally_at_once(1e8, 0), 8192);
  FF_CHECK_INT(ff_tally_at_once(1, 0) % 512, 0);
  FF_CHECK_INT(ff_tally_at_once(499500, 100), 41472);
  FF_CHECK_INT(ff_tally_at_once(0, 1), 1 << 22);
  FF_CHECK_INT(ff_tally_at_once(0, 1e5), 1024);
  FF_CHECK_INT(ff_tally_next(1024, 1024, 0.01), 2048);
  FF_CHECK_INT(ff_tally_next(1024, 1024, 0.06), 1024);
  FF_CHECK_INT(ff_tally_next(4096, 1024, 0.01), 4096); /* the rest of a wave */
  FF_CHECK_INT(ff_tally_next(FF_PHILOX_MAX_UNITS, 53, 0), FF_PHILOX_MAX_UNITS);
}

/* A device that cannot start is left out. If no device can start, the run goes on on this processor. */
static void devices_may_not_start(void) {
  ff_ssa_program *program = program_with_variables();
  const output *o = &outputs[1];
  play(&want, program, options_of(FF_SSA_DIRECT, o, &alone), o->keep, &alone);
  for (uint32_t broken = 1; broken <= 7; broken++)
    for (int late = 0; late < 2; late++) {
      ff_error err;
      int done = 0;
      reset(&ways[2]);
      fake_ssa.delays = 2;
      fake_ssa.broken = broken;
      fake_ssa.breaks_late = late;
      const ff_run_options options = options_of(FF_SSA_DIRECT, o, &ways[2]);
      got.status = ff_ssa_run_new(&got.run, program, &options, &got.err);
      ff_status status = use(got.run, 3, &err);
      const char *told = ff_run_lost(got.run);
      if (broken == 7) {
        FF_CHECK(status == (late ? FF_EBACKEND : FF_EMEMORY));
        FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
      } else {
        FF_CHECK_OK(status, &err);
        for (uint32_t device = 0; device < 3; device++) {
          char name[16];
          snprintf(name, sizeof name, "GPU %u:", device);
          FF_CHECK_INT(told != NULL && strstr(told, name) != NULL, broken >> device & 1);
        }
      }
      while (got.status == FF_OK && !done) got.status = ff_run_advance(got.run, 0, &done, &got.err);
      got.complete = ff_run_complete(got.run);
      got.steps = ff_run_steps(got.run);
      compare(&got, &want, o->keep, "some devices did not start");
      ff_run_free(got.run);
      FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
    }
  ff_run_free(want.run);
  ff_ssa_program_free(program);
}

/* While devices are not ready, this processor goes on. It may come to the end before. */
static void works_here_until_devices_are_ready(void) {
  ff_ssa_program *program = program_with_variables();
  const output *o = &outputs[3];
  static const uint32_t devices[] = {0, 1};
  const ff_fleet_choice choice = {.calls = &fake_ssa_device.common, .devices = devices, .n_devices = 2};
  ff_ensemble_info info;
  play(&want, program, options_of(FF_SSA_TREE, o, &alone), o->keep, &alone);
  for (int delays = 0; delays < 400; delays = 3 * delays + 1) {
    int done = 0, is = 0;
    reset(&ways[2]);
    fake_ssa.delays = delays;
    const ff_run_options options = options_of(FF_SSA_TREE, o, &ways[7]);
    got.status = ff_ssa_run_new(&got.run, program, &options, &got.err);
    FF_CHECK_OK(ff_run_advance(got.run, 0, &done, &got.err), &got.err);
    FF_CHECK_OK(ff_run_use(got.run, &choice, &got.err), &got.err);
    FF_CHECK_INT(ff_run_use(got.run, &choice, &got.err), FF_EARGUMENT);
    while (!done && got.status == FF_OK) {
      if (!is) got.status = ff_run_ready(got.run, 0, &is, &got.err);
      if (got.status == FF_OK) got.status = ff_run_advance(got.run, 0, &done, &got.err);
    }
    got.complete = ff_run_complete(got.run);
    got.steps = ff_run_steps(got.run);
    compare(&got, &want, o->keep, "moved late");
    FF_CHECK_INT(ff_run_waiting(got.run), 0);
    FF_CHECK(is || !ff_run_device(got.run, &info));
    ff_run_free(got.run);
    FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  }
  ff_run_free(want.run);
  ff_ssa_program_free(program);
}

/* In some trajectories, A falls below 3, and a rate is negative. The first of them is reported, as without devices. */
static void the_first_failure_is_told(void) {
  static const reaction_text falling[] = {{"A -> 0", "1"}, {"0 -> A", "= 2 * (A - 2.5)"}, {NULL, NULL}};
  const double initial[] = {9};
  const uint32_t species = 0;
  ff_ssa_program *program = program_of(falling, initial, 1);
  int fine = 0, failed = 0;
  for (uint64_t key = 0; key < 40; key++) {
    ff_run_options options = {.method = key % 2 ? FF_SSA_DIRECT : FF_SSA_TREE, .key = key, .n = RUNS, .times = times,
                              .n_times = TIMES, .observed = &species, .n_observed = 1, .threads = 1};
    play(&want, program, options, 0, &alone);
    for (size_t j = 0; j < WAYS; j++) {
      reset(&ways[j]);
      fake_ssa.fails_at = ways[j].devices > 1 && key % 3 == 0 ? 1 + (int)key : 0;
      options.threads = ways[j].threads;
      options.wanted = key % 5 < 2 ? FF_HISTOGRAM : 0;
      play(&got, program, options, 0, &ways[j]);
      FF_CHECK_INT(got.status, want.status);
      if (want.status == FF_OK)
        FF_CHECK_INT(got.steps, want.steps);
      else
        FF_CHECK_STR(got.err.text, want.err.text);
      ff_run_free(got.run);
      FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
    }
    fine += want.status == FF_OK;
    failed += want.status == FF_EMODEL;
    ff_run_free(want.run);
  }
  FF_CHECK(fine > 2 && failed > 2);
  ff_ssa_program_free(program);
}

/* Whether histograms fit does not depend on devices. They are merged while states are recorded. */
static void check_fit(const output *o, const char *too_many) {
  ff_ssa_program *program = program_with_variables();
  ff_sums *sums;
  ff_error err;
  play(&want, program, options_of(FF_SSA_DIRECT, o, &alone), o->keep, &alone);
  FF_CHECK_OK(ff_run_sums(want.run, &sums, &err), &err);
  const uint64_t bytes = ff_sums_bytes(sums) + (uint64_t)ff_sums_product_bytes(TIMES, o->n_observed, !o->tallies);
  for (size_t j = 0; j < WAYS; j++) {
    ff_run_options options = options_of(FF_SSA_DIRECT, o, &ways[j]);
    options.max_bytes = bytes;
    reset(&ways[j]);
    play(&got, program, options, o->keep, &ways[j]);
    compare(&got, &want, o->keep, "just enough memory");
    ff_run_free(got.run);
    options.max_bytes = bytes - 1;
    play(&got, program, options, o->keep, &ways[j]);
    FF_CHECK_FAILS(got.status, FF_ESIZE, &got.err, too_many);
    ff_run_free(got.run);
  }
  ff_run_free(want.run);
  ff_ssa_program_free(program);
}
static void histograms_fit_as_without_devices(void) {
  check_fit(&outputs[3], "the histograms of 2 species");
  check_fit(&outputs[5], "the histograms of 4 species"); /* species and variables */
}

/* A device does not list the entries of histograms that are too large: they might take more memory than there is. */
static void histograms_that_are_too_large_are_not_listed(void) {
  ff_ssa_program *program = program_with_variables();
  for (size_t j = 0; j < WAYS; j++) {
    ff_run_options options = options_of(FF_SSA_DIRECT, &outputs[3], &ways[j]);
    const uint64_t products = (uint64_t)ff_sums_product_bytes(TIMES, 2, 0);
    options.max_bytes = products + 32; /* for one entry, and there are six cells */
    reset(&ways[j]);
    play(&got, program, options, 0, &ways[j]);
    FF_CHECK_FAILS(got.status, FF_ESIZE, &got.err, "the histograms of 2 species");
    FF_CHECK(fake_ssa.too_large > 0 || ways[j].late > 0 || ways[j].refuses == 1); /* 1: all are refused */
    FF_CHECK(ff_run_lost(got.run) == NULL);
    ff_run_free(got.run);
    FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  }
  ff_ssa_program_free(program);
}

/* ---- what devices cannot do --------------------------------------------------------------------------------------------- */

static void check_refused(const ff_ssa_program *program, ff_run_options options, const char *why) {
  ff_run *run;
  ff_error err;
  FF_CHECK_OK(ff_ssa_run_new(&run, program, &options, &err), &err);
  FF_CHECK_FAILS(ff_run_check_devices(run, &err), FF_EUNSUPPORTED, &err, why);
  FF_CHECK_FAILS(use(run, 1, &err), FF_EUNSUPPORTED, &err, why);
  FF_CHECK_INT(fake_ssa.made, 0);
  ff_run_free(run);
}

static void tells_what_devices_cannot_do(void) {
  static const double large[] = {1073741824, 0}, starts[2 * RUNS] = {1, 2, 3, 1073741824};
  ff_ssa_program *program = program_with_variables();
  const ff_run_options plain = options_of(FF_SSA_DIRECT, &outputs[0], &alone);
  ff_error err;
  reset(&alone);
  ff_run_options options = plain;
  for (int m = 0; m < FF_SSA_METHODS; m++) {
    char why[500];
    if (ff_ssa_method_on_devices((ff_ssa_method)m)) continue;
    options.method = (ff_ssa_method)m;
    snprintf(why, sizeof why, "GPUs have no kernel for method \"%s\"; choose \"direct\", \"logarithmic_direct\", "
             "\"first_reaction\", \"next_reaction\", \"factored\", \"optimised_direct\", \"sorting_direct\", \"rssa\", \"pdm\", "
             "\"pssa_cr\" or \"block_search\"", ff_ssa_method_name(options.method));
    check_refused(program, options, why);
  }
  options = plain;
  options.starts = starts;
  check_refused(program, options, "the initial count of species \"B\" is 1073741824");
  options.starts = NULL;
  options.initial = large;
  check_refused(program, options,
                "the initial count of species \"A\" is 1073741824, and the largest count on a GPU is 1073741823");
  options.initial = NULL;
  options.n_observed = 0;
  check_refused(program, options, "no species is observed");
  fake_ssa.unsupported = 1;
  ff_run *run;
  FF_CHECK_OK(ff_ssa_run_new(&run, program, &plain, &err), &err);
  FF_CHECK_OK(ff_run_check_devices(run, &err), &err);
  FF_CHECK_FAILS(use(run, 2, &err), FF_EUNSUPPORTED, &err, "this network is too odd");
  ff_run_free(run);
  ff_ssa_program_free(program);
}

/* A run can be freed while its devices are not ready. */
static void what_is_not_ready_can_be_freed(void) {
  static const uint32_t devices[] = {0, 1};
  const ff_fleet_choice choice = {.calls = &fake_ssa_device.common, .devices = devices, .n_devices = 2, .kernel = "fake"};
  ff_ssa_program *program = program_with_variables();
  const ff_run_options options = options_of(FF_SSA_DIRECT, &outputs[3], &alone);
  ff_run *run;
  ff_error err;
  int is = 1;
  reset(&alone);
  fake_ssa.delays = 100;
  FF_CHECK_OK(ff_ssa_run_new(&run, program, &options, &err), &err);
  FF_CHECK_INT(ff_run_ready(run, 0, &is, &err), FF_EARGUMENT);
  FF_CHECK_INT(ff_run_use(run, &(ff_fleet_choice){.calls = &fake_ssa_device.common}, &err), FF_EARGUMENT);
  FF_CHECK_OK(ff_run_use(run, &choice, &err), &err);
  FF_CHECK_OK(ff_run_ready(run, 0.001, &is, &err), &err);
  FF_CHECK_INT(is, 0);
  FF_CHECK_INT(ff_run_waiting(run), RUNS);
  ff_run_free(run);
  FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  ff_ssa_program_free(program);
}

FF_TEST_MAIN("ssa_waves", devices_change_no_bit, waves_are_of_equal_size, long_lists_take_few_calls,
             devices_may_fail, a_device_may_fail_between_pieces, statistics_are_added_in_parts, parts_are_of_a_useful_size,
             devices_may_not_start, works_here_until_devices_are_ready, the_first_failure_is_told,
             histograms_fit_as_without_devices, histograms_that_are_too_large_are_not_listed,
             tells_what_devices_cannot_do, what_is_not_ready_can_be_freed)
