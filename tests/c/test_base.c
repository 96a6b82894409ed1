/* Compares random words with the published ones and logarithms with the C library's. */
#define _GNU_SOURCE /* usleep */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/base/ff_philox.h"
#include "../../src/base/ff_simd.h"
#include "../../src/base/ff_sum.h"
#include "check.h"
#include "random.h"

/* kat_vectors of Random123 for philox4x32 with 10 rounds. */
static void philox_gives_the_published_words(void) {
  static const struct {
    uint32_t counter[4];
    uint64_t key;
    uint32_t out[4];
  } known[] = {
      {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       UINT64_MAX,
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       UINT64_C(0x299f31d0a4093822),
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    ff_philox_block counter;
    memcpy(counter.v, known[i].counter, sizeof counter.v);
    ff_philox_block out = ff_philox(counter, known[i].key);
    for (int j = 0; j < 4; j++) FF_CHECK_INT(out.v[j], known[i].out[j]);
  }
}

static void counters_keep_step_and_unit_apart(void) {
  ff_philox_block c = ff_philox_counter(5, 7, (UINT64_C(3) << 32) | 9, (UINT64_C(11) << 32) | 13);
  FF_CHECK_INT(c.v[0], (5u << 29) | 7);
  FF_CHECK_INT(c.v[1], 9);
  FF_CHECK_INT(c.v[2], 3 | 11 << 16);
  FF_CHECK_INT(c.v[3], 13);
}

static void seeds_of_runs_differ(void) {
  enum { N = 64 };
  static uint64_t found[N * N];
  for (uint64_t seed = 0; seed < N; seed++)
    for (uint64_t run = 0; run < N; run++) {
      uint64_t made = ff_philox_seed(seed, run);
      FF_CHECK(made < UINT64_C(1) << 53);
      found[seed * N + run] = made;
    }
  /* 4,096 of 2^53 seeds: two are equal by chance with probability 1e-9 */
  for (size_t i = 0; i < N * N; i++)
    for (size_t j = 0; j < i; j++)
      if (found[i] == found[j]) FF_CHECK_SAY(0, "runs %zu and %zu have one seed", i, j);
}

static void logarithms_are_right(void) {
  ff_philox_block c = {{0, 0, 0, 0}};
  double worst = 0, worst_small = 0;
  for (uint32_t i = 0; i < 200000; i++) {
    c.v[0] = i;
    ff_philox_block w = ff_philox(c, 1);
    double x = ldexp(0.5 + w.v[0] / 8589934592.0, (int)(w.v[1] % 200) - 100), p = (w.v[2] + 0.5) / 4294967296.0;
    double gap = fabs(ff_log_series(x) - log(x)) / fabs(log(x));
    if (gap > worst) worst = gap;
    p = ldexp(p, -(int)(w.v[3] % 40));
    gap = fabs(ff_neg_log1m(p) + log1p(-p)) / -log1p(-p);
    if (gap > worst_small) worst_small = gap;
  }
  FF_CHECK_SAY(worst < 1e-15, "%g", worst);
  FF_CHECK_SAY(worst_small < 1e-15, "%g", worst_small);
  FF_CHECK_NEAR(ff_log_series(1.0), 0, 0);
  FF_CHECK_NEAR(ff_log_series(4.9e-324), log(4.9e-324), 1e-12);
  FF_CHECK_NEAR(ff_neg_log1m(0), 0, 0);
}

static void long_errors_end_in_a_whole_character(void) {
  char text[FF_ERROR_TEXT * 2 + 1];
  for (int shift = 0; shift < 3; shift++) {
    memset(text, 'a', 3);
    for (size_t i = (size_t)shift; i + 2 < sizeof text; i += 2) memcpy(text + i, "\xC3\xA9", 2);
    text[sizeof text - 1] = '\0';
    ff_error err;
    FF_CHECK_INT(ff_error_set(&err, FF_EPARSE, "%s", text), FF_EPARSE);
    size_t length = strlen(err.text);
    FF_CHECK(length < FF_ERROR_TEXT);
    FF_CHECK_STR(err.text + length - 3, "...");
    FF_CHECK_INT((length - 3 - (size_t)shift) % 2, 0);
  }
  FF_CHECK_STR(ff_status_name(FF_EPARSE), "parse");
  FF_CHECK_STR(ff_status_name((ff_status)999), "unknown");
}

static void allocation_checks_products(void) {
  FF_CHECK(ff_calloc(SIZE_MAX / 2, 4) == NULL);
  FF_CHECK(ff_calloc_aligned(SIZE_MAX / 2, 4) == NULL);
  void *memory = NULL;
  size_t capacity = 0;
  ff_error err;
  FF_CHECK_FAILS(ff_grow(&memory, &capacity, SIZE_MAX / 2 + 2, 8, &err), FF_ESIZE, &err, "can be addressed");
  FF_CHECK(memory == NULL && capacity == 0);
  FF_CHECK_OK(ff_grow(&memory, &capacity, 100, 8, &err), &err);
  FF_CHECK(capacity >= 100);
  free(memory);
  char *copy = ff_strndup("abc", 2);
  FF_CHECK_STR(copy, "ab");
  free(copy);
}

static void mark(void *context, int index) { ((int *)context)[index]++; }

static void threads_all_run(void) {
  int seen[9] = {0};
  ff_parallel(7, mark, seen);
  for (int i = 0; i < 9; i++) FF_CHECK_INT(seen[i], i < 7);
  FF_CHECK(ff_cores() >= 1);
  double now = ff_clock();
  FF_CHECK(ff_clock() >= now);
}

static void check_calls(ff_team *team, int calls) {
  int seen[7] = {0};
  for (int call = 0; call < calls; call++) {
    if (call % 50 == 49) usleep(2000); /* threads sleep */
    ff_team_run(team, mark, seen);
  }
  for (int i = 0; i < 7; i++) FF_CHECK_INT(seen[i], calls);
}

/* Whether threads are awake, asleep, not there yet, or those of another process. */
static void teams_all_run(void) {
  ff_team *team, *other, *single;
  ff_error err;
  FF_CHECK_OK(ff_team_new(&team, 7, &err), &err);
  FF_CHECK_OK(ff_team_new(&other, 7, &err), &err);
  FF_CHECK_OK(ff_team_new(&single, 1, &err), &err);
  check_calls(team, 200);
  int seen = 0, status = -1;
  ff_team_run(single, mark, &seen);
  FF_CHECK_INT(seen, 1);
  const pid_t child = fork();
  if (child == 0) {
    int of_child[7] = {0}, fine = 1;
    for (int call = 0; call < 3; call++) ff_team_run(team, mark, of_child);
    for (int i = 0; i < 7; i++) fine &= of_child[i] == 3;
    ff_team_free(team);
    _exit(fine ? 0 : 1);
  }
  FF_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  check_calls(team, 10);
  ff_team_free(team);
  ff_team_free(other);
  ff_team_free(single);
  ff_team_free(NULL);
}

__extension__ typedef unsigned __int128 wide;

static wide wide_of(const uint64_t sum[2]) { return (wide)sum[1] << 64 | sum[0]; }

/* Compares with the compiler's 128-bit integers, and differences of products with their known values. */
static void sums_are_exact(void) {
  uint64_t sum[2] = {0, 0}, limbs[FF_SUM_LIMBS] = {0}, from_limbs[2] = {0, 0};
  wide want = 0;
  for (uint64_t i = 0; i < 2000; i++) {
    ff_philox_block w = ff_philox(ff_philox_counter(0, (uint32_t)i, 0, 7), 99);
    uint64_t a = (uint64_t)w.v[0] << 32 | w.v[1], b = ((uint64_t)w.v[2] << 32 | w.v[3]) >> 20;
    ff_sum_add_product(sum, a, b);
    want += (wide)a * b;
    for (int k = 0; k < FF_SUM_LIMBS; k++) limbs[k] += (uint32_t)((wide)a * b >> (32 * k));
  }
  ff_sum_add_limbs(from_limbs, limbs);
  FF_CHECK(wide_of(sum) == want);
  FF_CHECK(wide_of(from_limbs) == want);
  FF_CHECK_NEAR(ff_sum_value(sum), (double)want, 1e-15 * (double)want);
  /* (x + 1)(x - 1) - x x = -1, for x of 127 bits, whose products have 254 bits */
  const uint64_t x[2] = {5, UINT64_C(1) << 62}, more[2] = {6, UINT64_C(1) << 62}, less[2] = {4, UINT64_C(1) << 62};
  FF_CHECK_NEAR(ff_sum_difference(more, less, x, x), -1, 0);
  FF_CHECK_NEAR(ff_sum_difference(x, x, more, less), 1, 0);
  FF_CHECK_NEAR(ff_sum_difference(x, more, more, x), 0, 0);
}

/* L, L - 1 and L - 3, each 2^20 times: for L = 2^40, sums of cubes have 140 bits, and moments are small differences of them. */
static void check_moments_below(uint64_t large) {
  const uint64_t numbers[] = {large, large - 1, large - 3};
  ff_sum_powers sums, parts[2];
  memset(&sums, 0, sizeof sums);
  memset(parts, 0, sizeof parts);
  for (uint32_t i = 0; i < 3u << 20; i++) {
    ff_sum_add_powers(&sums, numbers[i % 3]);
    ff_sum_add_powers(&parts[i % 7 == 0], numbers[i % 3]);
  }
  ff_sum_merge_powers(&parts[0], &parts[1]);
  FF_CHECK(memcmp(&parts[0], &sums, sizeof sums) == 0);
  ff_sum_central m = ff_sum_moments(&sums, 3u << 20);
  FF_CHECK_NEAR(m.mean, (double)large - 4.0 / 3, (double)large * 1e-15);
  FF_CHECK_NEAR(m.second, 42.0 / 27, 1e-15);
  FF_CHECK_NEAR(m.third, -60.0 / 81, 1e-15);
  FF_CHECK_NEAR(m.fourth, 882.0 / 243, 1e-14);
}

static void moments_are_exact(void) {
  check_moments_below(UINT64_C(1) << 40);
  check_moments_below(UINT64_C(1) << 53); /* the largest count of a Petri net */
}

/* Two numbers, each 2^42 times: sums are near the largest ones that there may be. */
static void sums_of_powers_have_room(void) {
  ff_sum_powers sums;
  memset(&sums, 0, sizeof sums);
  ff_sum_add_powers(&sums, UINT64_C(1) << 53);
  ff_sum_add_powers(&sums, (UINT64_C(1) << 53) - 3);
  for (int i = 0; i < 42; i++) {
    const ff_sum_powers same = sums;
    ff_sum_merge_powers(&sums, &same);
  }
  const ff_sum_central m = ff_sum_moments(&sums, UINT64_C(1) << 43);
  FF_CHECK_NEAR(m.second, 2.25, 1e-15);
  FF_CHECK_NEAR(m.third, 0, 1e-15);
  FF_CHECK_NEAR(m.fourth, 5.0625, 1e-14);
}

static void numbers_are_sorted_without_repeats(void) {
  uint32_t some[] = {7, 0, UINT32_MAX, 7, 1, 0}, one[] = {5};
  const uint32_t wanted[] = {0, 1, 7, UINT32_MAX};
  FF_CHECK_INT(ff_sort_unique(some, 6), 4);
  FF_CHECK(memcmp(some, wanted, sizeof wanted) == 0);
  FF_CHECK_INT(ff_sort_unique(one, 1), 1);
  FF_CHECK_INT(ff_sort_unique(NULL, 0), 0);
}

/* Few numbers, many numbers, repeats, and numbers that are far from each other. */
static void numbers_are_sorted_by_bits(void) {
  enum { MOST = 300 };
  static const uint32_t ranges[] = {1, 63, 64, 65, 200, 5000, 3000000};
  uint64_t state = 1, *bits = ff_calloc(3000000 / 64 + 1, sizeof *bits);
  for (uint32_t n = 0; n <= MOST; n = n < 40 ? n + 1 : n + 65)
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
      uint32_t some[MOST + 1], same[MOST + 1], left = 0;
      for (uint32_t i = 0; i < n; i++) some[i] = same[i] = below(&state, ranges[k]);
      const size_t kept = ff_sort_unique(same, n);
      FF_CHECK_INT(ff_sort_unique_bits(some, n, bits), kept);
      FF_CHECK(memcmp(some, same, kept * sizeof *some) == 0);
      for (uint32_t i = 0; i <= 3000000 / 64; i++) left += bits[i] != 0;
      FF_CHECK_INT(left, 0);
    }
  free(bits);
}

static void shares_have_no_gap(void) {
  const uint64_t sizes[] = {0, 1, 7, 64, 1000003, UINT64_MAX, UINT64_MAX - 12};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t parts = 1; parts < 40; parts++) {
      const uint64_t n = sizes[i];
      FF_CHECK(ff_share(n, 0, parts) == 0 && ff_share(n, parts, parts) == n);
      for (uint64_t part = 0; part < parts; part++) {
        FF_CHECK(ff_share(n, part, parts) == (uint64_t)((wide)n * part / parts));
        uint64_t size = ff_share(n, part + 1, parts) - ff_share(n, part, parts);
        FF_CHECK(size == n / parts || size == n / parts + 1);
      }
    }
}

static void instructions_are_chosen(void) {
  ff_error err;
  ff_simd simd = FF_SIMD_BEST;
  FF_CHECK_OK(ff_simd_choose(&simd, &err), &err);
  FF_CHECK(simd == ff_simd_best());
  simd = FF_SIMD_PORTABLE;
  FF_CHECK_OK(ff_simd_choose(&simd, &err), &err);
  FF_CHECK(simd == FF_SIMD_PORTABLE);
  for (int wide_one = (int)ff_simd_best() + 1; wide_one < (int)FF_SIMD_BEST; wide_one++) {
    simd = (ff_simd)wide_one;
    FF_CHECK_FAILS(ff_simd_choose(&simd, &err), FF_EARGUMENT, &err, "this processor has no");
  }
}

FF_TEST_MAIN("base", philox_gives_the_published_words, counters_keep_step_and_unit_apart, seeds_of_runs_differ,
             logarithms_are_right, long_errors_end_in_a_whole_character, allocation_checks_products, threads_all_run,
             teams_all_run, sums_are_exact, moments_are_exact, sums_of_powers_have_room, numbers_are_sorted_without_repeats,
             numbers_are_sorted_by_bits, shares_have_no_gap, instructions_are_chosen)
