/* Compares the estimator with exact answers, and checks that its answers are sums of integers. */
#include <math.h>

#include "estimates.h"

static void formulas(void) {
  /* Raftery and Lewis by hand: alpha = .1, beta = .3, eps = 1e-3: log(1e-3 * .4 / .3) / log(.6) = 12.96 */
  FF_CHECK_NEAR(ff_burn_in(0.1, 0.3, 1e-3), 13, 0);
  /* .03 * 1.6 / .064 * (1.96 / .01)^2 = 28812 */
  FF_CHECK_NEAR(ff_samples(0.1, 0.3, 1.96, 0.01), 28812, 1);
  FF_CHECK_NEAR(ff_burn_in(0, 0, 1e-3), 1, 0);
  FF_CHECK_NEAR(ff_burn_in(0.5, 0.5, 1e-3), 1, 0);
  FF_CHECK_NEAR(ff_burn_in(1, 1, 1e-3), 1, 0); /* alternates for ever: the mean of any two steps is exact */
  FF_CHECK_NEAR(ff_burn_in(0.9, 0.7, 1e-3), ff_burn_in(0.3, 0.1, 1e-3 * (1.6 / 0.9) / (0.4 / 0.3)), 0); /* memory .6 of phases */
  FF_CHECK_NEAR(ff_samples(0, 0.5, 1.96, 0.01), 1, 0);
  FF_CHECK_NEAR(ff_samples(1, 1, 1.96, 0.01), 1, 0);
}

static void thinning_is_found(void) {
  /* a first-order chain needs no thinning; a chain that has each value twice does */
  static uint64_t record[4096], paired[4096];
  net_random r = {5, 0};
  for (uint32_t lane = 0; lane < 64; lane++) {
    int value = 0;
    for (uint32_t t = 0; t < 4096; t++) {
      if (net_uniform(&r) < (value ? 0.3 : 0.1)) value = !value;
      record[t] |= (uint64_t)value << lane;
    }
  }
  for (uint32_t t = 0; t < 4096; t++) paired[t] = record[t / 2];
  double alpha, beta;
  FF_CHECK_INT(ff_thinning(record, 4096, &alpha, &beta), 1);
  FF_CHECK_NEAR(alpha, 0.1, 0.005);
  FF_CHECK_NEAR(beta, 0.3, 0.005);
  FF_CHECK_INT(ff_thinning(paired, 4096, &alpha, &beta), 2);
  FF_CHECK_NEAR(alpha, 0.1, 0.005);
  static uint64_t constant[64];
  FF_CHECK_INT(ff_thinning(constant, 64, &alpha, &beta), 1);
  FF_CHECK_NEAR(alpha, 0, 0);
}

static const char *const cycle_rules[] = {"a 0.6 b | !c", "a 0.4 !b & c", "b 1 a ^ c", "c 0.5 a", "c 0.5 !b",
                                          "d 1 c & a",    "e 0.3 e",      "e 0.7 d | e & a", NULL};
static const char *const cycle_sets[] = {"a & b", "d", "!e & (a | c)", "a & b & c & d & e", NULL};

static void estimates_are_near_the_truth(void) {
  for (int update = FF_SYNCHRONOUS; update <= FF_ASYNCHRONOUS; update++) {
    ff_pbn *pbn = net_parse(cycle_rules, 0.01, (ff_update)update);
    if (pbn == NULL) return;
    check_against_exact(pbn, cycle_sets, 1e-3);
    ff_pbn_free(pbn);
  }
}

static int same_tally(const ff_pbn_tally *a, const ff_pbn_tally *b) {
  return a->tiles == b->tiles && a->half[0] == b->half[0] && a->half[1] == b->half[1] && a->n_words == b->n_words &&
         memcmp(a->words, b->words, a->n_words * sizeof *a->words) == 0;
}

static void threads_and_pieces_change_nothing(void) {
  for (int update = FF_SYNCHRONOUS; update <= FF_ASYNCHRONOUS; update++) {
    scene s;
    if (!scene_new(&s, cycle_rules, 0.01, (ff_update)update, cycle_sets)) return;
    const ff_observables *sets = &s.sets.observables;
    ff_pbn_estimate_options options = default_options();
    outcome one = run(s.pbn, sets, options);
    static const int threads[] = {2, 7};
    for (int i = 0; i < 2; i++) {
      options.threads = threads[i];
      options.simd = i == 0 ? FF_SIMD_PORTABLE : FF_SIMD_BEST;
      outcome other = run_counted(s.pbn, sets, sets, NULL, options, 1e-4);
      FF_CHECK(same_tally(one.tally, other.tally));
      outcome_free(&other);
    }
    outcome_free(&one);
    scene_free(&s);
  }
}

/* Merges n parts into *sum, which the caller frees, and returns their plan. */
static ff_plan run_parts(ff_pbn_tally *sum, const ff_pbn *pbn, const ff_observables *observables, ff_pbn_estimate_options options,
                         uint32_t n) {
  ff_error err;
  ff_plan plan = {0};
  FF_CHECK_OK(ff_pbn_tally_new(sum, observables, &err), &err);
  options.n_shards = n;
  for (options.shard = 0; options.shard < n; options.shard++) {
    outcome part = run(pbn, observables, options);
    plan = ff_pbn_estimate_plan(part.estimate);
    if (options.shard == 0) ff_pbn_tally_clear(sum, plan.half[0], plan.half[1]);
    FF_CHECK_OK(ff_pbn_tally_merge(sum, part.tally, &err), &err);
    outcome_free(&part);
  }
  return plan;
}

static void shards_add_up(void) {
  scene s;
  if (!scene_new(&s, cycle_rules, 0.01, FF_SYNCHRONOUS, cycle_sets)) return;
  ff_error err;
  ff_pbn_tally sum;
  ff_pbn_estimate_options options = default_options();
  options.precision = 2e-4;
  outcome whole = run(s.pbn, &s.sets.observables, options);
  run_parts(&sum, s.pbn, &s.sets.observables, options, 3); /* the number of tiles need not be divisible by 3 */
  FF_CHECK(same_tally(&sum, whole.tally));
  sum.half[0]++;
  FF_CHECK_FAILS(ff_pbn_tally_merge(&sum, whole.tally, &err), FF_EARGUMENT, &err, "different runs");
  ff_pbn_tally_free(&sum);
  outcome_free(&whole);
  scene_free(&s);
}

/* Merging all parts and resuming must give the undivided run. *grew: whether the run then needed more tiles than the plan of the
 * parts; *restarted: whether it needed a longer burn-in. */
static void check_resumed(int *grew, int *restarted, const ff_pbn *pbn, const ff_observables *observables,
                          ff_pbn_estimate_options options, uint32_t n) {
  ff_error err;
  ff_pbn_tally sum;
  ff_pbn_estimate *resumed = NULL;
  outcome whole = run(pbn, observables, options);
  ff_plan plan = run_parts(&sum, pbn, observables, options, n), last = ff_pbn_estimate_plan(whole.estimate);
  *grew = plan.burn_in == last.burn_in && plan.tiles < last.tiles;
  *restarted = plan.burn_in < last.burn_in;
  options.threads = 2;
  FF_CHECK_OK(ff_pbn_estimate_new(&resumed, &(ff_counting){whole.program, observables, NULL}, NULL, options, &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_resume(resumed, plan, &sum, NULL, &err), &err);
  finish(resumed, 1e-3);
  ff_plan got = ff_pbn_estimate_plan(resumed);
  FF_CHECK(same_tally(ff_pbn_estimate_tally(resumed), whole.tally));
  FF_CHECK_INT(got.burn_in, last.burn_in);
  FF_CHECK_INT(got.tiles, last.tiles);
  FF_CHECK_NEAR(ff_pbn_estimate_stretch(resumed), ff_pbn_estimate_stretch(whole.estimate), 0);
  ff_pbn_tally_free(&sum);
  ff_pbn_estimate_free(resumed);
  outcome_free(&whole);
}

static void parts_go_on_where_the_whole_does(void) {
  static const char *const rare_rules[] = {"a 1 0", "b 1 0", "c 1 !c", NULL}, *const rare_sets[] = {"a & b", NULL};
  static const char *const slow_rules[] = {"s 1 s", "x 0.006 s", "x 0.1 1", "x 0.894 0", NULL};
  static const char *const slow_sets[] = {"x", NULL};
  ff_pbn *rare = net_parse(rare_rules, 0.002, FF_SYNCHRONOUS), *slow = net_parse(slow_rules, 0.0005, FF_SYNCHRONOUS);
  if (rare == NULL || slow == NULL) return;
  slow->initial[0] = slow->initial[1] = 0; /* s affects x so little that a pilot without s as a monitor cannot detect it */
  set_list sets;
  int grew, restarted, grown = 0;
  ff_pbn_estimate_options options = default_options();
  parse_sets(&sets, rare, rare_sets);
  options.precision = 1e-6;
  for (options.key = 4; options.key <= 8; options.key++) {
    check_resumed(&grew, &restarted, rare, &sets.observables, options, 2 + (uint32_t)(options.key % 3));
    grown += grew;
  }
  FF_CHECK_SAY(grown >= 1 && grown <= 4, "%d of 5", grown); /* both cases occurred */
  free_sets(&sets);
  parse_sets(&sets, slow, slow_sets);
  options.precision = 2e-5;
  check_resumed(&grew, &restarted, slow, &sets.observables, options, 3);
  FF_CHECK(restarted);
  free_sets(&sets);
  ff_pbn_free(rare);
  ff_pbn_free(slow);
}

static void what_is_resumed_is_checked(void) {
  scene s;
  if (!scene_new(&s, cycle_rules, 0.01, FF_SYNCHRONOUS, cycle_sets)) return;
  ff_error err;
  const ff_observables *sets = &s.sets.observables;
  ff_pbn_estimate_options options = default_options();
  ff_pbn_program *program = NULL;
  ff_pbn_tally sum;
  ff_plan plan = run_parts(&sum, s.pbn, sets, options, 2), wrong;
  ff_pbn_estimate *estimate = NULL;
  FF_CHECK_OK(ff_pbn_program_new(&program, s.pbn, sets, FF_LAYOUT_AUTO, &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, options, &err), &err);
  wrong = plan;
  wrong.tiles++;
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, wrong, &sum, NULL, &err), FF_EARGUMENT, &err, "not those of all");
  wrong = plan;
  wrong.half[1]++;
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, wrong, &sum, NULL, &err), FF_EARGUMENT, &err, "");
  wrong.half[0]++;
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, wrong, &sum, NULL, &err), FF_EARGUMENT, &err, "different runs");
  wrong = (ff_plan){0};
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, wrong, &sum, NULL, &err), FF_EARGUMENT, &err, "is not possible");
  wrong = plan;
  wrong.burn_in = options.max_burn_in + 1;
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, wrong, &sum, NULL, &err), FF_EARGUMENT, &err, "is not possible");
  sum.weights[0] = 0.5;
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, plan, &sum, NULL, &err), FF_EARGUMENT, &err, "not those of all");
  sum.weights[0] = 1;
  FF_CHECK_OK(ff_pbn_estimate_resume(estimate, plan, &sum, NULL, &err), &err); /* the refused call has changed nothing */
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, plan, &sum, NULL, &err), FF_EARGUMENT, &err, "only a new estimate");
  ff_pbn_estimate_free(estimate);
  options.n_shards = 2;
  FF_CHECK_OK(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, options, &err), &err);
  FF_CHECK_FAILS(ff_pbn_estimate_resume(estimate, plan, &sum, NULL, &err), FF_EARGUMENT, &err, "only a new estimate");
  ff_pbn_estimate_free(estimate);
  ff_pbn_tally_free(&sum);
  ff_pbn_program_free(program);
  scene_free(&s);
}

/* Every observable has the requested precision, and the plan is that of the most demanding one alone. */
static void observables_have_precisions_of_their_own(void) {
  scene s;
  if (!scene_new(&s, cycle_rules, 0.01, FF_SYNCHRONOUS, cycle_sets)) return;
  static const double fine_last[] = {1e-2, 2e-2, 3e-2, 2e-4};
  static const double fine_first[] = {2e-4, 1e-2, 1e-2, 1e-2}, even[] = {1e-3, 1e-3, 1e-3, 1e-3};
  const double *const all[] = {fine_last, fine_first, even};
  ff_pbn_estimate_options options = default_options();
  double samples[4];
  for (int i = 0; i < 4; i++) {
    options.precisions = i < 3 ? all[i] : NULL;
    options.precision = i < 3 ? all[i][0] : 1e-3;
    outcome got = run(s.pbn, &s.sets.observables, options);
    samples[i] = (double)got.tally->tiles * FF_TILE * (double)(got.tally->half[0] + got.tally->half[1]);
    double worst = 0;
    for (uint32_t j = 0; j < 4; j++) {
      ff_moments m = ff_pbn_tally_moments(got.tally, j);
      worst = fmax(worst, options.z * m.se / (i < 3 ? all[i][j] : 1e-3));
    }
    FF_CHECK(worst <= 1);
    FF_CHECK_NEAR(ff_pbn_estimate_progress(got.estimate).width / options.precision, worst, 1e-12);
    outcome_free(&got);
  }
  /* "a & b & c & d & e" varies far less than "a & b" and needs fewer samples for the same precision */
  FF_CHECK_SAY(samples[0] < samples[1] / 2, "%g, %g", samples[0], samples[1]);
  FF_CHECK_NEAR(samples[2], samples[3], 0);
  scene_free(&s);
}

/* If sets and influences are counted in one run, their counts are the same as in separate runs. */
static void sets_and_influences_share_a_run(void) {
  static const char *const texts[] = {"a & b", "c", NULL};
  static const uint32_t from[] = {0, 2, 1}, to[] = {1, 1, 0};
  ff_pbn *pbn = net_parse(cycle_rules, 0.01, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  ff_error err;
  set_list sets, own;
  parse_sets(&sets, pbn, texts);
  parse_sets(&own, pbn, texts);
  ff_observables both;
  FF_CHECK_OK(ff_influence_new(&both, pbn, from, to, 3, &err), &err);
  uint32_t terms = both.first[3];
  FF_CHECK_OK(ff_observables_put_sets(&both, sets.terms, 2, &err), &err); /* moves the expressions */
  FF_CHECK_INT(both.n, 5);
  FF_CHECK_INT(both.first[2], 2);
  FF_CHECK_INT(both.first[5], 2 + terms);
  outcome shared = run(pbn, &both, default_options()), alone = run(pbn, &own.observables, default_options());
  for (uint32_t i = 0; i < 2; i++) {
    ff_moments got = ff_pbn_tally_moments(shared.tally, i), want = ff_pbn_tally_moments(alone.tally, i);
    FF_CHECK(fabs(got.mean - want.mean) < 5 * hypot(got.se_between, want.se_between));
    FF_CHECK(got.n01 > 0 && got.se_two_state > 0);
  }
  outcome_free(&shared);
  outcome_free(&alone);
  ff_influence_free(&both);
  free_sets(&own);
  ff_pbn_free(pbn);
}

/* Equal terms are counted once and constants not at all; the sums have the same bits. */
static void equal_terms_are_counted_once(void) {
  static const char *const rules[] = {"a 0.6 b | !c", "a 0.4 !b & c", "b 1 a ^ c",      "c 0.5 a", "c 0.5 !b", "d 1 c & a",
                                      "e 0.3 e",      "e 0.7 d | e & a", "x 1 a & b & e", "y 1 !a & b & e", NULL};
  static const char *const texts[] = {"a & b", "!(!b | !a)", "(a | c) & (a | !c)", "a", "1", "d & !d | 0", "b & e", NULL};
  /* of b on a: 1 and 1; of a and c on b: 1; of a on x and on y: b & e, as the last set */
  static const uint32_t from[] = {1, 2, 0, 2, 0, 0, 3}, to[] = {0, 0, 1, 1, 5, 6, 4};
  ff_pbn_estimate_options options = default_options();
  options.precision = 2e-2;
  for (int update = FF_SYNCHRONOUS; update <= FF_ASYNCHRONOUS; update++) {
    ff_pbn *pbn = net_parse(rules, 0.01, (ff_update)update);
    if (pbn == NULL) return;
    ff_error err;
    set_list sets;
    parse_sets(&sets, pbn, texts);
    ff_observables all;
    ff_counted counted;
    FF_CHECK_OK(ff_influence_new(&all, pbn, from, to, 7, &err), &err);
    FF_CHECK_OK(ff_observables_put_sets(&all, sets.terms, 7, &err), &err);
    FF_CHECK_OK(ff_observables_hold(&all, pbn, &err), &err);
    FF_CHECK_OK(ff_counted_new(&counted, &all, &err), &err);
    const uint32_t *at = counted.at;
    FF_CHECK_INT(at[0], at[1]);
    FF_CHECK_INT(at[2], at[3]);
    FF_CHECK(at[0] != at[2] && at[0] != at[6] && at[2] != at[6]);
    FF_CHECK(at[4] == FF_TERM_1 && at[5] == FF_TERM_0);
    for (uint32_t i = 11; i < 13; i++) FF_CHECK_INT(at[all.first[i]], at[6]);
    FF_CHECK(at[all.first[9]] == FF_TERM_1 && at[all.first[10]] == FF_TERM_1);
    FF_CHECK(counted.counted.n < all.first[all.n]);
    outcome plain = run(pbn, &all, options), shared = run_counted(pbn, &counted.counted, &all, at, options, 10);
    FF_CHECK(same_tally(plain.tally, shared.tally));
    for (uint32_t i = 0; i < all.n; i++)
      FF_CHECK_INT(ff_pbn_estimate_thinning(plain.estimate)[i], ff_pbn_estimate_thinning(shared.estimate)[i]);
    outcome_free(&plain);
    outcome_free(&shared);
    ff_counted_free(&counted);
    ff_influence_free(&all);
    ff_pbn_free(pbn);
  }
}

/* Random functions, some of whose inputs have no effect. If a function is written in another way, it gets the same index. */
static void equal_functions_are_found(void) {
  net_random r = {11, 0};
  static const char *const rules[] = {"a 1 a", "b 1 b", "c 1 c", "d 1 d", "e 1 e", "g 1 g", "h 1 h", NULL};
  ff_pbn *pbn = net_parse(rules, 0.1, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  for (int trial = 0; trial < 300; trial++) {
    ff_error err;
    char table[3][33], text[3][80];
    uint32_t keep = 1 + (uint32_t)(net_uniform(&r) * 31); /* which of five inputs have an effect */
    for (uint32_t row = 0; row < 32; row++) {
      uint32_t same = row & keep; /* the row with the same value in which the other inputs are off */
      table[0][row] = same == row ? (net_uniform(&r) < 0.5 ? '1' : '0') : table[0][same];
      table[1][row] = table[0][row];
    }
    for (int i = 0; i < 2; i++) table[i][32] = 0;
    memcpy(table[2], table[0], 33);
    uint32_t flipped = (uint32_t)(net_uniform(&r) * 32);
    table[2][flipped] = table[2][flipped] == '1' ? '0' : '1';
    snprintf(text[0], sizeof text[0], "f(a, b, c, d, e){%s}", table[0]);
    snprintf(text[1], sizeof text[1], "f(a, b, c, d, e){%s} ^ (g & h & !g)", table[1]);
    snprintf(text[2], sizeof text[2], "f(a, b, c, d, e){%s}", table[2]);
    const char *const texts[] = {text[0], text[1], text[2], NULL};
    set_list sets;
    ff_counted counted;
    parse_sets(&sets, pbn, texts);
    FF_CHECK_OK(ff_counted_new(&counted, &sets.observables, &err), &err);
    FF_CHECK_INT(counted.at[0], counted.at[1]);
    FF_CHECK(counted.at[0] != counted.at[2]);
    ff_counted_free(&counted);
    free_sets(&sets);
  }
  ff_pbn_free(pbn);
}

static void constant_sets_are_reported_as_such(void) {
  static const char *const rules[] = {"a 1 a", "b 1 !b", "c 1 1", NULL};
  static const char *const texts[] = {"c", "!c", "a", NULL};
  scene s;
  if (!scene_new(&s, rules, 0.05, FF_SYNCHRONOUS, texts)) return;
  s.pbn->perturbed[2] = 0;
  s.pbn->initial[2] = 1;
  outcome got = run(s.pbn, &s.sets.observables, default_options());
  ff_moments always = ff_pbn_tally_moments(got.tally, 0), never = ff_pbn_tally_moments(got.tally, 1);
  FF_CHECK_INT(always.visited, 2);
  FF_CHECK_NEAR(always.mean, 1, 0);
  FF_CHECK(isnan(always.rhat));
  FF_CHECK_INT(never.visited, 0);
  FF_CHECK_NEAR(never.mean, 0, 0);
  FF_CHECK_INT(ff_pbn_tally_moments(got.tally, 2).visited, 1);
  outcome_free(&got);
  scene_free(&s);
}

/* Trajectories start in the set and leave it once. A first look at 200 samples would consider the run finished. */
static void a_planted_visit_does_not_stop_it(void) {
  static const char *const rules[] = {"a 0.9999 a & b", "a 0.0001 1", "b 1 1", "c 0.5 a", "c 0.5 0", NULL};
  static const char *const texts[] = {"a", "c", NULL};
  ff_pbn *pbn = net_parse(rules, 0.002, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  pbn->initial[0] = pbn->initial[1] = 1;
  check_against_exact(pbn, texts, 2e-3);
  ff_pbn_free(pbn);
}

/* Trajectories start outside a set that they enter once per million steps, which is far later than the first look. */
static void sets_not_seen_yet_are_waited_for(void) {
  static const char *const rules[] = {"s 0.000001 1", "s 0.001 0", "s 0.998999 s", NULL};
  static const char *const texts[] = {"s", NULL};
  ff_pbn *pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  pbn->initial[0] = 0;
  check_against_exact(pbn, texts, 2e-4);
  ff_pbn_free(pbn);
}

/* The run is so short that its trajectories cannot have seen the set, which never occurs. More trajectories would not help. */
static void short_runs_are_lengthened(void) {
  static const char *const texts[] = {"a", "a & !a & c", NULL};
  scene s;
  if (!scene_new(&s, cycle_rules, 0.01, FF_SYNCHRONOUS, texts)) return;
  ff_pbn_estimate_options options = default_options();
  options.precision = 2e-2;
  outcome got = run(s.pbn, &s.sets.observables, options);
  ff_plan plan = ff_pbn_estimate_plan(got.estimate);
  FF_CHECK((double)(plan.burn_in + plan.half[0] + plan.half[1]) >= ff_pbn_estimate_stretch(got.estimate));
  FF_CHECK_INT(ff_pbn_tally_moments(got.tally, 1).visited, 0);
  FF_CHECK_INT(ff_pbn_tally_moments(got.tally, 0).visited, 1);
  outcome_free(&got);
  scene_free(&s);
}

/* A node that alternates, except for rare flips: it is on half of the time in the long run. */
static void alternating_sets_need_no_burn_in(void) {
  static const char *const rules[] = {"a 1 !a", "z 1 z", NULL};
  static const char *const texts[] = {"a", NULL};
  ff_pbn *pbn = net_parse(rules, 1e-4, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  check_against_exact(pbn, texts, 1e-3);
  ff_pbn_free(pbn);
}

/* A set that is visited once per several hundred thousand steps, for a short time: the pilot hardly ever sees it. */
static void rare_sets_are_looked_for(void) {
  static const char *const rules[] = {"a 1 0", "b 1 0", "c 1 0", NULL};
  static const char *const texts[] = {"a & b", "a & b & c", NULL};
  ff_pbn *pbn = net_parse(rules, 0.002, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  check_against_exact(pbn, texts, 3e-7);
  ff_pbn_free(pbn);
}

/* x = R & C & F: the influence of R is the probability of C & F. */
static void influence_is_the_probability_to_matter(void) {
  static const char *const rules[] = {"r 0.5 c", "r 0.5 !f", "c 0.3 !r", "c 0.7 f", "f 1 c ^ r", "x 0.25 r & c & f",
                                      "x 0.75 r ^ c", NULL};
  ff_pbn *pbn = net_parse(rules, 0.02, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  ff_error err;
  static const uint32_t from[] = {0, 1, 2}, to[] = {3, 3, 3};
  ff_observables pairs;
  FF_CHECK_OK(ff_influence_new(&pairs, pbn, from, to, 3, &err), &err);
  FF_CHECK_INT(pairs.first[3], 5); /* only one of x's functions depends on f */
  static const char *const texts[] = {"c & f", "r & f", "r & c", NULL};
  set_list sets;
  parse_sets(&sets, pbn, texts);
  outcome influence = run(pbn, &pairs, default_options()), probability = run(pbn, &sets.observables, default_options());
  for (uint32_t i = 0; i < 3; i++) {
    ff_moments m = ff_pbn_tally_moments(influence.tally, i), q = ff_pbn_tally_moments(probability.tally, i);
    double expected = 0.25 * q.mean + (i < 2 ? 0.75 : 0);
    double se = hypot(m.se_between, 0.25 * fmax(q.se_between, q.se_two_state));
    FF_CHECK_SAY(fabs(m.mean - expected) < 5 * se, "pair %u: %g, expected %g +- %g", i, m.mean, expected, se);
  }
  outcome_free(&influence);
  outcome_free(&probability);
  free_sets(&sets);
  ff_influence_free(&pairs);
  static const uint32_t wrong_from[] = {3}, wrong_to[] = {0};
  FF_CHECK_FAILS(ff_influence_new(&pairs, pbn, wrong_from, wrong_to, 1, &err), FF_EARGUMENT, &err, "not a parent");
  ff_pbn_free(pbn);
}

/* A function that no context selects has no influence, although the graph has its arrow. */
static void influence_of_what_is_never_selected(void) {
  static const char *const rules[] = {"a 0.5 b", "a 0.5 !a", "b 1 a", NULL};
  ff_pbn *pbn = net_parse(rules, 0.1, FF_SYNCHRONOUS);
  if (pbn == NULL) return;
  ff_error err;
  FF_CHECK_OK(ff_pbn_new_contexts(pbn, 1, &err), &err);
  pbn->context_probability[0] = 1;
  pbn->context[0] = 1;
  FF_CHECK_OK(ff_pbn_finish(pbn, 1, &err), &err);
  static const uint32_t from[] = {0, 1, 0}, to[] = {0, 0, 1};
  ff_observables pairs;
  FF_CHECK_OK(ff_influence_new(&pairs, pbn, from, to, 3, &err), &err);
  FF_CHECK_INT(pairs.first[3], 2);
  FF_CHECK_NEAR(ff_observable_constant(&pairs, 0), 1, 0);
  FF_CHECK_NEAR(ff_observable_constant(&pairs, 1), 0, 0);
  FF_CHECK_NEAR(ff_observable_constant(&pairs, 2), 1, 0);
  outcome got = run(pbn, &pairs, default_options());
  FF_CHECK_NEAR(ff_pbn_tally_moments(got.tally, 1).mean, 0, 0);
  outcome_free(&got);
  ff_influence_free(&pairs);
  ff_pbn_free(pbn);
}

static void options_are_checked(void) {
  scene s;
  if (!scene_new(&s, cycle_rules, 0.01, FF_SYNCHRONOUS, cycle_sets)) return;
  ff_error err;
  const ff_observables *sets = &s.sets.observables;
  ff_pbn_program *program = NULL;
  ff_pbn_estimate *estimate = NULL;
  FF_CHECK_OK(ff_pbn_program_new(&program, s.pbn, sets, FF_LAYOUT_AUTO, &err), &err);
  ff_pbn_estimate_options o = default_options();
  o.precision = 0;
  FF_CHECK_FAILS(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, o, &err), FF_EARGUMENT, &err,
                 "precision");
  static const double precisions[] = {1e-3, 1e-3, 1, 1e-3};
  o = default_options();
  o.precisions = precisions;
  FF_CHECK_FAILS(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, o, &err), FF_EARGUMENT, &err,
                 "precision");
  o = default_options();
  o.epsilon = 1;
  FF_CHECK_FAILS(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, o, &err), FF_EARGUMENT, &err,
                 "epsilon");
  o = default_options();
  o.shard = 1;
  FF_CHECK_FAILS(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, o, &err), FF_EARGUMENT, &err,
                 "shard 2 of 1");
  o = default_options();
  o.threads = 0;
  FF_CHECK_FAILS(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, o, &err), FF_EARGUMENT, &err,
                 "threads");
  o = default_options();
  o.z = NAN;
  FF_CHECK_FAILS(ff_pbn_estimate_new(&estimate, &(ff_counting){program, sets, NULL}, NULL, o, &err), FF_EARGUMENT, &err,
                 "confidence");
  ff_pbn_program_free(program);
  scene_free(&s);
}

FF_TEST_MAIN("estimate", formulas, thinning_is_found, estimates_are_near_the_truth, threads_and_pieces_change_nothing,
             shards_add_up, parts_go_on_where_the_whole_does, what_is_resumed_is_checked,
             observables_have_precisions_of_their_own, sets_and_influences_share_a_run, equal_terms_are_counted_once,
             equal_functions_are_found, constant_sets_are_reported_as_such, a_planted_visit_does_not_stop_it,
             rare_sets_are_looked_for, sets_not_seen_yet_are_waited_for, alternating_sets_need_no_burn_in,
             short_runs_are_lengthened,
             influence_is_the_probability_to_matter, influence_of_what_is_never_selected, options_are_checked)
