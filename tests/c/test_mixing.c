/* Networks that can mislead an estimator: slow nodes that are in no set, basins, periods, and runs that may end in several
 * classes. */
#include "estimates.h"

/* Nodes that change quickly and depend slightly on slow nodes that are in no set. */
static void hidden_slow_nodes_are_found(void) {
  static const char *const latch[] = {"s 1 s & t", "t 1 s & t", "z 0.6 s", "z 0.4 !s", NULL};
  static const char *const barrier[] = {"s 1 s | t", "t 1 !s & t | s & t", "z 0.55 s", "z 0.45 !s", NULL};
  static const char *const parity[] = {"s 1 !s", "t 1 !t", "z 0.6 s ^ t", "z 0.4 !(s ^ t)", NULL};
  static const char *const *const nets[] = {latch, barrier, parity};
  static const char *const texts[] = {"z", NULL};
  for (int i = 0; i < 3; i++) {
    ff_pbn *pbn = net_parse(nets[i], 0.002, FF_SYNCHRONOUS);
    if (pbn == NULL) return;
    if (i == 2) pbn->initial[0] = pbn->initial[1] = 0;
    check_against_exact(pbn, texts, 1e-3);
    ff_pbn_free(pbn);
  }
}

/* Three nodes follow their majority, which changes only if two of them flip at once. The trajectories are far too short to wait
 * for this. */
static void basins_that_are_not_joined_are_refused(void) {
  static const char *const rules[] = {"a 1 a & b | a & c | b & c", "b 1 a & b | a & c | b & c", "c 1 a & b | a & c | b & c",
                                      NULL};
  static const char *const texts[] = {"a & b", NULL};
  scene s;
  if (!scene_new(&s, rules, 1e-3, FF_SYNCHRONOUS, texts)) return;
  ff_error err;
  outcome got;
  for (int i = 0; i < 3; i++) s.pbn->initial[i] = 0; /* if all trajectories had one start, they would all agree */
  ff_pbn_estimate_options options = default_options();
  options.max_burn_in = 20000;
  FF_CHECK_FAILS(run_watched(&got, s.pbn, &s.sets.observables, options, &err), FF_ECONVERGENCE, &err, "about nodes \"");
  outcome_free(&got);
  options.go_on = 1;
  FF_CHECK_OK(run_watched(&got, s.pbn, &s.sets.observables, options, &err), &err);
  FF_CHECK(ff_pbn_estimate_doubt(got.estimate) != NULL);
  outcome_free(&got);
  scene_free(&s);
}

/* Without perturbation the long run may depend on the start and on chance. The answer is the mean over trajectories. */
static void branching_runs_are_averaged(void) {
  static const char *const keeps[] = {"a 1 a", "b 0.5 b", "b 0.5 !b & a", NULL}, *const keeps_sets[] = {"a", "b", NULL};
  static const char *const toggle[] = {"a 1 !b", "b 1 !a", NULL}, *const toggle_sets[] = {"a & !b", "a & b", NULL};
  static const char *const ring[] = {"a 1 c", "b 1 a", "c 1 b", NULL}, *const ring_sets[] = {"a", "a & b", NULL};
  ff_pbn *pbn = net_parse(keeps, 0, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  check_against_exact(pbn, keeps_sets, 5e-3);
  ff_pbn_free(pbn);
  if ((pbn = net_parse(toggle, 0, FF_ASYNCHRONOUS)) == NULL) return;
  pbn->initial[0] = pbn->initial[1] = 0;
  check_against_exact(pbn, toggle_sets, 1e-2);
  ff_pbn_free(pbn);
  if ((pbn = net_parse(ring, 0, FF_SYNCHRONOUS)) == NULL) return;
  check_against_exact(pbn, ring_sets, 5e-3);
  ff_pbn_free(pbn);
}

/* One start and a period: all trajectories are the same, and the windows contain whole periods. */
static void periods_average_out(void) {
  static const char *const rules[] = {"a 1 g", "b 1 a", "c 1 b", "d 1 c", "e 1 d", "f 1 e", "g 1 f", NULL};
  static const char *const texts[] = {"a", NULL};
  scene s;
  if (!scene_new(&s, rules, 0, FF_SYNCHRONOUS, texts)) return;
  ff_error err;
  outcome got;
  for (int i = 0; i < 7; i++) s.pbn->initial[i] = i == 0;
  FF_CHECK_OK(run_watched(&got, s.pbn, &s.sets.observables, default_options(), &err), &err);
  ff_moments m = ff_pbn_tally_moments(got.tally, 0);
  FF_CHECK_NEAR(m.mean, 1.0 / 7, 1e-15);
  FF_CHECK_NEAR(m.se, 0, 0);
  FF_CHECK_NEAR(m.gap, 0, 0);
  outcome_free(&got);
  scene_free(&s);
}

/* Which networks forget their initial states, and in which states their trajectories start. */
static void starts_are_told_apart(void) {
  static const char *const rules[] = {"a 1 a & b", "b 1 a", "c 1 a ^ c", "h 1 h", NULL};
  static const char *const texts[] = {"a", NULL};
  scene s;
  if (!scene_new(&s, rules, 0.01, FF_SYNCHRONOUS, texts)) return;
  ff_error err;
  static const struct {
    uint8_t perturbed[4];
    int8_t initial[4];
    int forgets;
  } cases[] = {{{1, 1, 1, 1}, {0, 0, 0, 0}, 1},  {{1, 1, 1, 0}, {0, 0, 0, 1}, 1}, /* h is held */
               {{1, 1, 1, 0}, {0, 0, 0, -1}, 0}, /* h keeps a random value */
               {{1, 0, 1, 1}, {0, 0, 0, 0}, 1},  /* b follows a, which can flip */
               {{0, 0, 1, 1}, {0, 0, 0, 0}, 0},  /* a and b follow each other */
               {{1, 1, 0, 1}, {0, 0, 0, 0}, 0}}; /* c follows itself */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memcpy(s.pbn->perturbed, cases[i].perturbed, 4);
    memcpy(s.pbn->initial, cases[i].initial, 4);
    ff_pbn_program *program = NULL;
    ff_tile *tile = NULL;
    FF_CHECK_OK(ff_pbn_program_new(&program, s.pbn, &s.sets.observables, FF_LAYOUT_AUTO, &err), &err);
    FF_CHECK_SAY(ff_pbn_program_forgets(program) == cases[i].forgets, "case %zu", i);
    ff_pbn_program_spread(program);
    FF_CHECK_OK(ff_tile_new(&tile, program, FF_SIMD_BEST, &err), &err);
    ff_tile_start(tile, 1, 0);
    for (uint32_t lane = 0; lane < 4; lane++) /* off, on, given, given */
      FF_CHECK_INT(ff_tile_get(tile, 0, lane), cases[i].forgets && lane == 1);
    if (i == 1) FF_CHECK_INT(ff_tile_get(tile, 3, 0), 1);
    ff_tile_free(tile);
    ff_pbn_program_free(program);
  }
  scene_free(&s);
}

FF_TEST_MAIN("mixing", hidden_slow_nodes_are_found, basins_that_are_not_joined_are_refused,
             branching_runs_are_averaged, periods_average_out, starts_are_told_apart)
