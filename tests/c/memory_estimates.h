/* Scenarios of test_memory: estimates and outcomes of Boolean networks. */
#ifndef FF_TESTS_MEMORY_ESTIMATES_H
#define FF_TESTS_MEMORY_ESTIMATES_H

#include "../../src/pbn/reduce/ff_reduce.h"
#include "../../src/pbn/outcome/ff_outcome.h"
#include "memory_given.h"

/* ---- estimates --------------------------------------------------------------------------------------------------- */

static ff_pbn_estimate_options quick_options(int threads) {
  return (ff_pbn_estimate_options){.precision = 0.05, .z = 1.96, .epsilon = 1e-2, .key = 7, .max_burn_in = 1u << 16,
                                   .n_shards = 1,
                               .threads = threads, .simd = FF_SIMD_BEST};
}

static void prepare_estimate(void) {
  static const char *const rules[] = {"a 0.5 b", "a 0.5 !c", "b 1 f(a, b, d){01101001}", "c 1 a & b | c", "d 1 !a", NULL};
  given.pbn = net_parse(rules, 0.02, FF_SYNCHRONOUS);
}

/* Works as the package does: sets and influences are observed, each distinct term is counted once, the pilot has monitors, and
 * the run goes to its end. */
static ff_status estimates(int threads, ff_error *err) {
  static const uint32_t from[] = {1, 2, 0, 0}, to[] = {0, 0, 3, 2};
  ff_observables observables = {0};
  ff_monitors monitors = {{0}, 0, {NULL, NULL}};
  ff_pairs pairs = {0, {NULL, NULL}};
  ff_counted counted = {{0}, NULL}, watched = {{0}, NULL};
  ff_pbn_program *program = NULL, *pilot = NULL;
  ff_pbn_estimate *estimate = NULL;
  ff_expr set = {0};
  ff_status status = ff_influence_new(&observables, given.pbn, from, to, 4, err);
  if (status == FF_OK) status = ff_expr_copy(&set, &given.pbn->predictors[2].expr, err);
  if (status == FF_OK) status = ff_observables_put_sets(&observables, &set, 1, err);
  if (status != FF_OK) ff_expr_free(&set);
  if (status == FF_OK) status = ff_observables_hold(&observables, given.pbn, err);
  if (status == FF_OK) status = ff_counted_new(&counted, &observables, err);
  if (status == FF_OK) status = ff_monitors_new(&monitors, &observables, given.pbn, 10, 3, 2, err);
  if (status == FF_OK) status = ff_pairs_new(&pairs, &observables, given.pbn, 0, 16, err);
  if (status == FF_OK) status = ff_counted_new(&watched, &monitors.observables, err);
  if (status == FF_OK) status = ff_pbn_program_new(&program, given.pbn, &counted.counted, FF_LAYOUT_AUTO, err);
  if (status == FF_OK) status = ff_pbn_program_new(&pilot, given.pbn, &watched.counted, FF_LAYOUT_AUTO, err);
  ff_pbn_estimate_options options = quick_options(threads);
  options.monitors = &monitors;
  options.pairs = &pairs;
  options.names = given.pbn->names;
  if (status == FF_OK) {
    ff_pbn_program_spread(program);
    ff_pbn_program_spread(pilot);
    status = ff_pbn_estimate_new(&estimate, &(ff_counting){program, &observables, counted.at},
                                 &(ff_counting){pilot, &monitors.observables, watched.at}, options, err);
    CHECK_OUT(status, estimate);
  }
  for (int done = 0; status == FF_OK && !done;) status = ff_pbn_estimate_advance(estimate, 10, &done, err);
  ff_pbn_estimate_free(estimate);
  ff_pbn_program_free(program);
  ff_pbn_program_free(pilot);
  ff_counted_free(&counted);
  ff_counted_free(&watched);
  ff_monitors_free(&monitors);
  ff_pairs_free(&pairs);
  ff_influence_free(&observables);
  return status;
}
static ff_status estimates_in_one_thread(ff_error *err) { return estimates(1, err); }
static ff_status estimates_in_two_threads(ff_error *err) { return estimates(2, err); }

/* Every node is a separate observable, so the program counts each. */
static const uint32_t own_first[] = {0, 1, 2};
static const double own_weights[] = {1, 1};

static void prepare_resumed(void) {
  ff_error err;
  ff_pbn_estimate *estimate = NULL;
  prepare_estimate();
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  FF_CHECK_OK(ff_pbn_program_new(&given.program, given.pbn, &sets, FF_LAYOUT_AUTO, &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_new(&estimate, &(ff_counting){given.program, &sets, NULL}, NULL, quick_options(1), &err), &err);
  for (int done = 0; estimate != NULL && !done;) FF_CHECK_OK(ff_pbn_estimate_advance(estimate, 10, &done, &err), &err);
  given.plan = ff_pbn_estimate_plan(estimate);
  FF_CHECK_OK(ff_pbn_tally_new(&given.tally, &sets, &err), &err);
  ff_pbn_tally_clear(&given.tally, given.plan.half[0], given.plan.half[1]);
  FF_CHECK_OK(ff_pbn_tally_merge(&given.tally, ff_pbn_estimate_tally(estimate), &err), &err);
  ff_pbn_estimate_free(estimate);
}

static ff_status resumes(ff_error *err) {
  ff_pbn_estimate *estimate = NULL;
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  ff_status status = ff_pbn_estimate_new(&estimate, &(ff_counting){given.program, &sets, NULL}, NULL, quick_options(2), err);
  CHECK_OUT(status, estimate);
  if (status == FF_OK) status = ff_pbn_estimate_resume(estimate, given.plan, &given.tally, NULL, err);
  for (int done = 0; status == FF_OK && !done;) status = ff_pbn_estimate_advance(estimate, 10, &done, err);
  ff_pbn_estimate_free(estimate);
  return status;
}

/* A network whose start is not forgotten: the states that can follow are explored and solved, with components that trajectories
 * leave and a class of several states, and the answer is exact. */
static void prepare_exploring(void) {
  static const char *const rules[] = {"t 0.5 t", "t 0.5 t & u", "u 0.5 0", "u 0.5 1", "a 0.99 a", "a 0.01 !a & t", NULL};
  given.pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
}

static ff_status explore_or_follow(const ff_expr *set, ff_explore explore, ff_error *err) {
  ff_pbn_program *program = NULL;
  ff_pbn_estimate *estimate = NULL;
  const ff_observables sets = {1, own_first, set, own_weights};
  ff_pbn_estimate_options options = quick_options(1);
  uint32_t states;
  int answer;
  options.network = given.pbn;
  options.explore = explore;
  options.max_burn_in = 1u << 11; /* each failing allocation repeats the simulation */
  ff_status status = ff_pbn_program_new(&program, given.pbn, &sets, FF_LAYOUT_AUTO, err);
  if (status == FF_OK) status = ff_pbn_estimate_new(&estimate, &(ff_counting){program, &sets, NULL}, NULL, options, err);
  CHECK_OUT(status, estimate);
  for (int done = 0; status == FF_OK && !done;) status = ff_pbn_estimate_advance(estimate, 10, &done, err);
  if (status == FF_OK) FF_CHECK((ff_pbn_estimate_exact(estimate, &states, &answer) != NULL) == (explore == FF_EXPLORE_PREFER));
  ff_pbn_estimate_free(estimate);
  ff_pbn_program_free(program);
  return status;
}

static ff_status explores(ff_error *err) { return explore_or_follow(&given.pbn->predictors[5].expr, FF_EXPLORE_PREFER, err); }

/* The same without the exact answer: the ends of the pilot's trajectories are followed. 15 nodes have too many states, but most
 * trajectories end in the same few, because each other end is some allocations more. */
static void prepare_following(void) {
  static const char *const rules[] = {"c1 0.95 0", "c1 0.05 1", "c2 1 c1", "c3 1 c2", "c4 1 c3", "c5 1 c4", "c6 1 c5", "c7 1 c6",
                                      "c8 1 c7", "c9 1 c8", "c10 1 c9", "c11 1 c10", "c12 1 c11", "c13 1 c12", "c14 1 c13",
                                      "L 1 L | c1", NULL};
  given.pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
}

static ff_status follows_ends(ff_error *err) {
  return explore_or_follow(&given.pbn->predictors[15].expr, FF_EXPLORE_CHECK, err);
}

/* Pilot and run use the devices of test_waves, which are tiles on this processor. If a device fails, this must be reported. */
static void prepare_devices(void) {
  ff_error err;
  prepare_estimate();
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  FF_CHECK_OK(ff_pbn_program_new(&given.program, given.pbn, &sets, FF_LAYOUT_AUTO, &err), &err);
}

static ff_status estimates_on_devices(ff_error *err) {
  static const uint32_t devices[] = {0, 1};
  const ff_observables sets = {1, own_first, &given.pbn->predictors[2].expr, own_weights};
  ff_pbn_estimate *estimate = NULL;
  memset(&fake, 0, sizeof fake);
  fake.observables = &sets;
  fake.capacity = 4;
  ff_status status = ff_pbn_estimate_new(&estimate, &(ff_counting){given.program, &sets, NULL}, NULL, quick_options(1), err);
  CHECK_OUT(status, estimate);
  for (int done = 0, used = 0; status == FF_OK && !done;) {
    const ff_fleet_choice choice = {.calls = &backend.common, .devices = devices, .n_devices = used > 0 ? 2 : 1,
                                    .cache = "/nowhere"};
    if (used == 0 || ff_pbn_estimate_waits(estimate)) {
      used++;
      status = ff_pbn_estimate_use(estimate, &choice, err);
      for (int is = 0; status == FF_OK && !is;) status = ff_pbn_estimate_ready(estimate, 1, &is, err);
    }
    if (status == FF_OK) status = ff_pbn_estimate_advance(estimate, 10, &done, err);
  }
  /* one of two devices is left out, the other does its work, and the loss is reported */
  if (status == FF_OK && ff_pbn_estimate_lost(estimate) != NULL)
    status = ff_error_set(err, FF_EMEMORY, "%s", ff_pbn_estimate_lost(estimate));
  ff_pbn_estimate_free(estimate);
  FF_CHECK_INT(fake.freed, fake.made);
  return status;
}

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

static ff_status finds_outcomes(ff_error *err) {
  ff_outcome *outcome = NULL;
  const ff_outcome_options options = {
      .trajectories = 1024, .key = 3, .max_steps = 64, .max_states = 600, .threads = 2, .simd = FF_SIMD_BEST};
  ff_status status = ff_outcome_new(&outcome, given.pbn, options, err);
  CHECK_OUT(status, outcome);
  for (int done = 0; status == FF_OK && !done;) status = ff_outcome_advance(outcome, 10, &done, err);
  ff_outcome_free(outcome);
  return status;
}

/* An attractor of 512 states, so that the set of states grows. */
static void prepare_outcomes(void) {
  static const char *const rules[] = {"a 0.5 0", "a 0.5 1", "b 0.5 0", "b 0.5 1", "c 0.5 0", "c 0.5 1", "d 0.5 0",
                                      "d 0.5 1", "e 0.5 0", "e 0.5 1", "f 0.5 0", "f 0.5 1", "g 0.5 0", "g 0.5 1",
                                      "h 0.5 0", "h 0.5 1", "i 0.5 0", "i 0.5 1", "j 1 j",   NULL};
  given.pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
}

static void prepare_context_outcomes(void) {
  net_shape shape = {.nodes = 6, .max_functions = 2, .max_parents = 2, .contexts = 2, .update = FF_ASYNCHRONOUS, .keep = 0.3};
  give_random(shape, 4);
}

/* One function has more inputs than a table may have and is examined as an expression. */
static const char wide_text[] =
    "targets, factors\na, (a & b | c) & d & e & f & g & h & i & !(j | k) & l & m & n & o & p & !q & (r ^ s)\n"
                                "b, a\nc, a\nd, a\ne, a\nf, a\ng, a\nh, a\ni, a\nj, !a\nk, a ^ b\nl, a\nm, a\nn, a\no, a\np, a\n"
                                "q, a\nr, a\ns, a\n";
static void prepare_signs(void) { prepare_parsed(wide_text, FF_FORMAT_BNET); }
static ff_status finds_signs(ff_error *err) {
  uint32_t *from = NULL, *to = NULL;
  size_t n = 0;
  ff_status status = ff_pbn_arrows(&from, &to, &n, given.pbn, err);
  uint8_t *sign = status == FF_OK ? calloc(n + 1, 1) : NULL;
  if (status == FF_OK) status = ff_pbn_signs(sign, given.pbn, from, to, n, err);
  free(sign);
  free(from);
  free(to);
  return status;
}

#endif
