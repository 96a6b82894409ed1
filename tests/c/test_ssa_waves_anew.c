/* Waves that begin anew because a device has refused many trajectories, whose counts are larger than expected. */
#include "wave_outcomes.h"

static outcome want, got;

/* Births and deaths, of which many trajectories have more than a dozen molecules. */
static ff_ssa_program *program_of_births(void) {
  static const reaction_text birth[] = {{"0 -> A", "200"}, {"A -> 0", "10"}, {NULL, NULL}};
  const double initial[] = {3};
  return program_of(birth, initial, 1);
}

/* Begins a run on two devices, and returns their waves. */
static ff_wave *begin_on_two(const ff_ssa_program *program, const ff_run_options *options) {
  ff_error err;
  FF_CHECK_OK(ff_ssa_run_new(&got.run, program, options, &err), &err);
  FF_CHECK_OK(use(got.run, 2, &err), &err);
  got.status = FF_OK;
  return got.run->waves->waves;
}

/* Most trajectories of each wave have counts that an ensemble does not expect. Another ensemble begins the waves anew, with room
 * for larger counts. It may have room for fewer trajectories, and may refuse some, too. Devices may fail at any time. */
static void waves_begin_anew_for_larger_counts(void) {
  enum { MANY = 10000, TO = 2 };
  static const struct { way w; uint64_t bits32_capacity; } some[] = {
      {{1, 1, MANY, 0, 0, 10, 0}, 0}, {{1, 2, MANY, 0, 0, 10, 0}, 3001}, {{2, 1, MANY / 2, 0, 0, 10, 0}, 3001},
      {{2, 2, MANY / 2, 0, 4, 10, 0}, 0}, {{1, 1, MANY, 900, 0, 0, 0}, 4000}, {{2, 1, MANY / 2, 700, 0, 0, 0}, 0}};
  const uint32_t species = 0;
  ff_ssa_program *program = program_of_births();
  ff_run_options options = {.method = FF_SSA_DIRECT, .key = 5, .n = MANY, .times = times, .n_times = TO, .observed = &species,
                            .n_observed = 1, .threads = 1};
  ff_error err;
  ff_sums *a, *b;
  ff_run *here = run_to_end(program, &options, 10);
  FF_CHECK_OK(ff_run_sums(here, &a, &err), &err);
  for (size_t j = 0; j < sizeof some / sizeof some[0]; j++)
    for (int fails = 0; fails < (some[j].w.devices > 1 ? 5 : 1); fails++) {
      ff_ensemble_info info;
      reset(&some[j].w);
      fake_ssa.bits16 = 12; /* about 14% of the trajectories have no more molecules */
      fake_ssa.bits32_capacity = some[j].bits32_capacity;
      fake_ssa.delays = (int)j;
      fake_ssa.fails_at = fails; /* this device is lost, the other one goes on */
      options.threads = some[j].w.threads;
      play(&got, program, options, 0, &some[j].w);
      FF_CHECK_OK(got.status, &got.err);
      FF_CHECK_INT(got.complete, MANY);
      FF_CHECK_INT(got.steps, ff_run_steps(here));
      FF_CHECK_OK(ff_run_sums(got.run, &b, &err), &err);
      FF_CHECK(memcmp(a->counts, b->counts, (size_t)TO * sizeof *a->counts) == 0);
      FF_CHECK(ff_run_device(got.run, &info) && !info.bits16);
      FF_CHECK_INT(info.refused, some[j].w.refuses > 0 ? (MANY + some[j].w.refuses - 1) / some[j].w.refuses : 0);
      FF_CHECK_INT((ff_run_lost(got.run) != NULL), fails > 0);
      if (fails == 0) FF_CHECK_INT(fake_ssa.made, 2 * some[j].w.devices);
      if (fails == 0) FF_CHECK_INT(fake_ssa.alike, 2 * (some[j].w.devices - 1));
      if (fails == 0) FF_CHECK(info.device_seconds == 2); /* of both ensembles */
      if (fails == 0) FF_CHECK_INT(fake_ssa.units, MANY / some[j].w.devices); /* the wave, although no trajectories wait */
      ff_run_free(got.run);
      FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
    }
  for (int fails = 1; fails <= 2; fails++) {
    ff_ensemble_info info;
    reset(&some[2].w);
    fake_ssa.bits16 = 12;
    fake_ssa.bits32_fails = fails;
    play(&got, program, options, 0, &some[2].w);
    FF_CHECK_INT((got.status == FF_OK), fails == 1);
    if (fails == 1) FF_CHECK(got.complete == MANY && ff_run_device(got.run, &info) && info.refused > MANY / 2);
    else FF_CHECK(ff_run_lost(got.run) != NULL && strstr(got.err.text, "does not load") != NULL);
    ff_run_free(got.run);
    FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  }
  ff_run_free(here);
  /* Few trajectories begin anew only if they have many steps (about 90 are refused that have some 50 each), or if all are
   * refused, so that nobody knows. */
  static const struct { uint32_t bits16; double anew_steps; int anew; } few[] = {
      {12, 1, 1}, {12, 2000, 1}, {12, 1e9, 0}, {2, 1e9, 1}};
  for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
    ff_ensemble_info info;
    reset(&some[0].w);
    fake_ssa.bits16 = few[i].bits16;
    fake_ssa.anew_steps = few[i].anew_steps;
    options.n = 100;
    play(&got, program, options, 0, &some[0].w);
    FF_CHECK(got.status == FF_OK && ff_run_device(got.run, &info));
    FF_CHECK_INT(info.refused > 50, !few[i].anew);
    FF_CHECK_INT(fake_ssa.made, 1 + few[i].anew);
    ff_run_free(got.run);
  }
  ff_ssa_program_free(program);
}

/* All outputs have the same bits if waves begin anew, also if a device fails before or after that. */
static void waves_that_begin_anew_change_no_bit(void) {
  int n = 0, anew = 0;
  ff_ssa_program *program = program_with_variables();
  for (size_t i = 0; i < OUTPUTS; i++) {
    const output *o = &outputs[i];
    play(&want, program, options_of(FF_SSA_DIRECT, o, &alone), o->keep, &alone);
    for (size_t j = 0; j < WAYS; j++)
      for (int fails = 0; fails < (ways[j].devices > 1 && ways[j].late == 0 ? 30 : 1); fails += 1 + fails / 5) {
        reset(&ways[j]);
        fake_ssa.bits16 = 40; /* A begins with so many molecules */
        fake_ssa.anew_steps = 1;
        fake_ssa.bits32_capacity = 1 + i * 6; /* less than a wave has, or more */
        fake_ssa.fails_at = fails;
        play(&got, program, options_of(FF_SSA_DIRECT, o, &ways[j]), o->keep, &ways[j]);
        compare(&got, &want, o->keep, o->name);
        anew += fake_ssa.made > (int)ways[j].devices;
        n++;
        ff_run_free(got.run);
        FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
      }
    ff_run_free(want.run);
  }
  FF_CHECK(2 * anew > n);
  ff_ssa_program_free(program);
}

/* The states of a wave are recorded in part when another device fails, so that more trajectories wait than before. They would
 * now be enough for an ensemble for larger counts, but the wave does not begin anew. */
static void a_wave_does_not_begin_anew_while_it_is_recorded(void) {
  enum { MANY = 10000, TO = 2 };
  const way w = {2, 1, MANY / 2, 0, 0, 0, 0};
  static const uint32_t often[] = {0, 0, 0, 0}; /* so that recording takes long */
  ff_ssa_program *program = program_of_births();
  const ff_run_options options = {.method = FF_SSA_DIRECT, .key = 5, .n = MANY, .times = times, .n_times = TO,
                                  .observed = often, .n_observed = 4, .wanted = FF_COVARIANCE, .threads = 1};
  ff_sums *a, *b;
  ff_error err;
  int done = 0, failed = 0;
  ff_run *here = run_to_end(program, &options, 10);
  reset(&w);
  fake_ssa.bits16 = 14;
  ff_wave *waves = begin_on_two(program, &options);
  while (got.status == FF_OK && !done) {
    got.status = ff_run_advance(got.run, 0, &done, &got.err);
    if (failed || got.run->waves->piece.of != &waves[0] || waves[0].recorded > 0) continue;
    FF_CHECK(waves[0].n_refused > 2731 && waves[0].n_refused < 4096); /* of 5,000; 7,500 are enough */
    waves[1].on->status = ff_error_set(&waves[1].on->err, FF_EBACKEND, "the device is on fire");
    failed = 1;
  }
  FF_CHECK_OK(got.status, &got.err);
  FF_CHECK(failed && ff_run_lost(got.run) != NULL);
  FF_CHECK_INT(ff_run_complete(got.run), MANY);
  FF_CHECK_INT(ff_run_steps(got.run), ff_run_steps(here));
  FF_CHECK_OK(ff_run_sums(here, &a, &err), &err);
  FF_CHECK_OK(ff_run_sums(got.run, &b, &err), &err);
  FF_CHECK(memcmp(a->counts, b->counts, (size_t)TO * a->n_counts * sizeof *a->counts) == 0);
  ff_run_free(got.run);
  ff_run_free(here);
  FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  ff_ssa_program_free(program);
}

/* A trajectory fails, so that the wave of a device that prepares an ensemble does not matter. Then the other device fails, and
 * this one takes over trajectories before the failed one. It must have its ensemble first. */
static void a_device_takes_over_when_it_is_ready(void) {
  enum { MANY = 10000 };
  const way w = {2, 1, MANY / 2, 0, 0, 0, 0};
  const uint32_t species = 0;
  ff_ssa_program *program = program_of_births();
  const ff_run_options options = {.method = FF_SSA_DIRECT, .key = 5, .n = MANY, .times = times, .n_times = 2,
                                  .observed = &species, .n_observed = 1, .threads = 1};
  for (uint64_t bits32_capacity = 1000; bits32_capacity <= MANY; bits32_capacity += 4000) {
    ff_error err;
    int done = 0, failed = 0;
    reset(&w);
    fake_ssa.bits16 = 12;
    fake_ssa.delays = 20;
    fake_ssa.bits32_capacity = bits32_capacity;
    ff_wave *waves = begin_on_two(program, &options);
    while (got.status == FF_OK && !done) {
      got.status = ff_run_advance(got.run, 0, &done, &got.err);
      if (failed || waves[0].stage != FF_WAVE_WIDENS || waves[1].stage != FF_WAVE_WIDENS) continue;
      ff_error_set(&err, FF_EMODEL, "a propensity is negative");
      ff_worker_fail(got.run, got.run->workers, MANY / 4, &err);
      waves[0].on->status = ff_error_set(&waves[0].on->err, FF_EBACKEND, "the device is on fire");
      failed = 1;
    }
    FF_CHECK_INT(failed, 1);
    FF_CHECK_FAILS(got.status, FF_EMODEL, &got.err, "a propensity is negative");
    ff_run_free(got.run);
    FF_CHECK_INT(fake_ssa.freed, fake_ssa.made);
  }
  ff_ssa_program_free(program);
}

FF_TEST_MAIN("ssa_waves_anew", waves_begin_anew_for_larger_counts, waves_that_begin_anew_change_no_bit,
             a_wave_does_not_begin_anew_while_it_is_recorded, a_device_takes_over_when_it_is_ready)
