/* Compares the arithmetic of the device's statistics with sums over single trajectories, bit for bit. */
#include "../../src/cuda/device/ff_collect.h"
#include "fake_wave.h"
#include "real_wave.h"
#include "same_sums.h"

/* The counts of species j at time i that a lane reads at a time. */
static void read_batch(uint32_t x[FF_COLLECT_BATCH], const wave_shape *s, const uint32_t *counts, uint64_t cell, uint64_t tile,
                       uint32_t lane) {
  for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) {
    const uint64_t k = tile * FF_COLLECT_TILE + i * 32 + lane;
    x[i] = k < s->units ? counts[cell * s->units + k] : 0;
  }
}

static void add_lane(uint64_t to[FF_COLLECT_WORDS], const ff_collect_lane_powers *lane) {
  uint64_t words[FF_COLLECT_WORDS];
  ff_collect_lane_words(lane, words);
  for (int i = 0; i < FF_COLLECT_WORD_MOST; i++) to[i] += words[i];
  for (int i = FF_COLLECT_WORD_MOST; i < FF_COLLECT_WORDS; i++) to[i] = words[i] > to[i] ? words[i] : to[i];
}

static void collect_words(uint64_t words[FF_COLLECT_WORDS], const wave_shape *s, const uint32_t *counts, const uint32_t *refused,
                          uint64_t cell) {
  memset(words, 0, FF_COLLECT_WORDS * sizeof *words);
  for (uint32_t lane = 0; lane < 32; lane++) {
    ff_collect_lane_powers own;
    ff_collect_lane_clear(&own);
    for (uint64_t tile = 0; tile * FF_COLLECT_TILE < s->units; tile++) {
      uint32_t x[FF_COLLECT_BATCH];
      read_batch(x, s, counts, cell, tile, lane);
      ff_collect_lane_add(&own, x, ff_collect_batch_kept(refused, 0, s->units, tile, lane));
    }
    add_lane(words, &own);
  }
}

/* Counts the values of a job, and adds them to a histogram. */
static void count_job(ff_frequency *to, const ff_collect_job *job, const wave_shape *s, const uint32_t *counts,
                      const uint32_t *refused) {
  uint64_t *table = ff_calloc(job->room, sizeof *table), bytes = 0;
  ff_error err = {FF_OK, ""};
  FF_CHECK(table != NULL);
  for (uint64_t k = 0; k < s->units; k++) {
    const uint32_t x = counts[job->cell * s->units + k];
    if ((refused[k / 32] >> k % 32 & 1u) || x < job->from || (!job->hashed && x - job->from >= job->room)) continue;
    uint32_t i = job->hashed ? ff_collect_slot(x, job->room) : x - job->from;
    while (job->hashed && table[i] != 0 && table[i] >> 32 != x + 1) i = (i + 1) & (job->room - 1);
    if (job->hashed && table[i] == 0) table[i] = ff_collect_entry(x, 0);
    table[i]++;
  }
  for (uint32_t i = 0; i < job->room; i++) {
    if (table[i] == 0) continue;
    const ff_collect_value v = ff_collect_value_of(job, i, table[i]);
    FF_CHECK(v.cell == job->cell);
    FF_CHECK_OK(ff_frequency_add(to, v.value, v.count, &bytes, &err), &err);
  }
  free(table);
}

/* Does all jobs of a cell, and checks that they cover its range. */
static void count_cell(ff_frequency *to, const uint64_t words[FF_COLLECT_WORDS], const wave_shape *s, const uint32_t *counts,
                       const uint32_t *refused, uint64_t cell) {
  const uint64_t most = words[FF_COLLECT_WORD_MOST];
  uint32_t from = FF_DEVICE_MOST - (uint32_t)words[FF_COLLECT_WORD_LEAST];
  while (words[FF_COLLECT_WORD_N] > 0 && from <= most) {
    const ff_collect_job job = ff_collect_job_of(cell, from, words);
    count_job(to, &job, s, counts, refused);
    from = job.hashed ? (uint32_t)most + 1 : from + job.room;
  }
}

static void collect_cell(ff_sums *sums, const wave_shape *s, const uint32_t *counts, const uint32_t *refused, uint64_t cell) {
  uint64_t words[FF_COLLECT_WORDS];
  collect_words(words, s, counts, refused, cell);
  ff_collect_words_to(sums->counts + cell, words);
  if (sums->frequency != NULL) count_cell(sums->frequency + cell, words, s, counts, refused, cell);
}

static void collect_square(ff_sums *sums, const wave_shape *s, const uint32_t *counts, const uint32_t *refused, uint32_t time,
                           uint64_t square) {
  uint64_t limbs[2 * FF_COLLECT_SQUARE] = {0};
  uint32_t row, column;
  ff_collect_square_of(square, s->n_observed, &row, &column);
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint64_t tile = 0; tile * FF_COLLECT_TILE < s->units; tile++) {
      const uint32_t kept = ff_collect_batch_kept(refused, 0, s->units, tile, lane);
      uint64_t sum[FF_COLLECT_SQUARE] = {0};
      for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) {
        const uint64_t k = tile * FF_COLLECT_TILE + i * 32 + lane;
        uint32_t x[FF_COLLECT_SIDE] = {0}, y[FF_COLLECT_SIDE] = {0};
        for (uint32_t j = 0; j < FF_COLLECT_SIDE && (kept >> i & 1u); j++) {
          const uint32_t one = row * FF_COLLECT_SIDE + j, other = column * FF_COLLECT_SIDE + j;
          if (one < s->n_observed) x[j] = counts[((uint64_t)time * s->n_observed + one) * s->units + k];
          if (other < s->n_observed) y[j] = counts[((uint64_t)time * s->n_observed + other) * s->units + k];
        }
        ff_collect_square_add(sum, x, y);
      }
      ff_collect_square_split(limbs, sum);
    }
  for (uint32_t i = 0; i < FF_COLLECT_SQUARE; i++) {
    const uint32_t j = row * FF_COLLECT_SIDE + i / FF_COLLECT_SIDE, k = column * FF_COLLECT_SIDE + i % FF_COLLECT_SIDE;
    const uint64_t pairs = ff_collect_pair(0, s->n_observed);
    if (j >= k || k >= s->n_observed) continue;
    ff_collect_pair_add(sums->products + 2 * (time * pairs + ff_collect_pair(j, k)), limbs + 2 * i);
  }
}

static void check_wave(wave_shape s, unsigned wanted, uint64_t seed) {
  ff_error err = {FF_OK, ""};
  ff_sums want, got;
  uint32_t *counts = wave_counts(&s, seed), *refused = wave_refused(&s, seed + 1);
  FF_CHECK(counts != NULL && refused != NULL);
  FF_CHECK_OK(wave_sums(&want, &s, wanted, &err), &err);
  FF_CHECK_OK(wave_sums(&got, &s, wanted, &err), &err);
  for (int twice = 0; twice < 2; twice++) { /* the second wave is added to the first */
    FF_CHECK_OK(wave_add(&want, &s, counts, refused, &err), &err);
    for (uint64_t cell = 0; cell < (uint64_t)s.n_times * s.n_observed; cell++)
      collect_cell(&got, &s, counts, refused, cell);
    for (uint32_t i = 0; got.products != NULL && i < s.n_times; i++)
      for (uint64_t j = 0; j < ff_collect_squares(s.n_observed); j++) collect_square(&got, &s, counts, refused, i, j);
    FF_CHECK_INT(wave_differences(&want, &got), 0);
  }
  if (got.frequency != NULL) FF_CHECK_INT(wave_histograms_differ(&want, &got), 0);
  ff_sums_free(&want);
  ff_sums_free(&got);
  free(counts);
  free(refused);
}

static void moments(void) {
  const uint64_t units[] = {1, 31, 32, 33, 511, 512, 513, 1000, 4096, 5003};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    for (int each = 0; each < 4; each++)
      check_wave((wave_shape){3, WAVE_KINDS, units[i], each * each * each}, 0, 100 * i + (uint64_t)each);
}

static void histograms(void) {
  const uint64_t units[] = {1, 33, 512, 1000, 5003};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    for (int each = 0; each < 3; each++)
      check_wave((wave_shape){2, WAVE_KINDS, units[i], each * each * each}, FF_HISTOGRAM, 100 * i + (uint64_t)each);
}

/* A hashed table has room, and several jobs cover the whole range, each value once. */
static void jobs(void) {
  const uint64_t ns[] = {1, 2, 500, 513, 5000, 1 << 21, (1 << 21) + 1, 100000000};
  const uint32_t tops[] = {0, 1, 1023, 1024, 2047, 1 << 22, (1 << 22) - 1, FF_DEVICE_MOST};
  for (size_t i = 0; i < 64; i++) {
    const uint64_t n = ns[i / 8], words[FF_COLLECT_WORDS] = {[FF_COLLECT_WORD_N] = n, [FF_COLLECT_WORD_MOST] = tops[i % 8]};
    int hashed = 0;
    for (uint64_t from = 0; from <= tops[i % 8];) {
      const ff_collect_job job = ff_collect_job_of(3, (uint32_t)from, words);
      FF_CHECK(job.from == from && job.room > 0 && job.room <= FF_COLLECT_ROOM && job.cell == 3);
      if (job.hashed) FF_CHECK(from == 0 && job.room >= 2 * n && (job.room & (job.room - 1)) == 0);
      if (!job.hashed) FF_CHECK(!hashed && from + job.room <= (uint64_t)tops[i % 8] + 1);
      hashed |= (int)job.hashed;
      from += job.hashed ? FF_DEVICE_MOST + 1u : job.room;
    }
  }
}

static void products(void) {
  for (uint32_t n = 1; n < 23; n++) check_wave((wave_shape){2, n, 300 + 37 * n, n % 3 ? 10 : 0}, FF_COVARIANCE, n);
}

/* 2^20 of the largest counts: each limb and each word of a sum has a carry. */
static void carries(void) { check_wave((wave_shape){1, 3, 1 << 20, 50}, FF_COVARIANCE, 7); }

static void many_batches_fit(void) { /* 2^28 batches of the largest counts: the trajectories of the largest wave */
  const uint32_t most = FF_DEVICE_MOST;
  ff_collect_lane_powers own;
  uint32_t x[FF_COLLECT_BATCH];
  uint64_t words[FF_COLLECT_WORDS];
  ff_count_moments m = {.min = 1e300, .max = -1};
  ff_collect_lane_clear(&own);
  for (uint32_t i = 0; i < FF_COLLECT_BATCH; i++) x[i] = most;
  ff_collect_lane_add(&own, x, FF_COLLECT_KEPT);
  ff_collect_lane_words(&own, words);
  for (int i = 0; i < FF_COLLECT_WORD_MOST; i++) words[i] <<= 28;
  ff_collect_words_to(&m, words);
  /* 2^32 (2^30 - 1)^p = 2^62 - 2^32, ... as words, the low one first */
  FF_CHECK(m.sums.first[0] == (UINT64_C(1) << 62) - (UINT64_C(1) << 32) && m.sums.first[1] == 0);
  FF_CHECK(m.sums.second[0] == (UINT64_C(1) << 63 | UINT64_C(1) << 32));
  FF_CHECK(m.sums.second[1] == (1u << 28) - 1);
  FF_CHECK(m.sums.third[2] == 0 && m.sums.fourth[3] == 0);
  FF_CHECK(m.min == most && m.max == most);
  ff_sum_powers one = {{0}, {0}, {0}, {0}};
  ff_sum_add_powers(&one, most);
  for (int i = 0; i < 32; i++) {
    const ff_sum_powers same = one;
    ff_sum_merge_powers(&one, &same);
  }
  FF_CHECK(memcmp(&one, &m.sums, sizeof one) == 0);
}

/* Each square on and above the diagonal has one number. */
static void squares(void) {
  for (uint32_t n = 1; n < 140; n++) {
    static uint8_t seen[40][40];
    const uint32_t sides = ff_collect_sides(n);
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < ff_collect_squares(n); i++) {
      uint32_t row, column;
      ff_collect_square_of(i, n, &row, &column);
      FF_CHECK(row <= column && column < sides && !seen[row][column]);
      if (row < 40 && column < 40) seen[row][column] = 1;
    }
    FF_CHECK_INT(ff_collect_squares(n), sides * (sides + 1) / 2);
  }
}

static void shifted_sums(void) {
  for (int shift = 0; shift < 192; shift++) {
    uint64_t sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < 3; i++) ff_sum_add_shifted(sum, 4, UINT64_MAX, shift);
    uint64_t want[5] = {0, 0, 0, 0, 0}; /* 3 (2^64 - 1) = 2^65 + 2^64 - 3, one bit after the other */
    const uint64_t bits[2] = {UINT64_MAX - 2, 2};
    for (int i = 0; i < 128; i++) want[(i + shift) / 64] |= (bits[i / 64] >> i % 64 & 1) << (i + shift) % 64;
    FF_CHECK_SAY(memcmp(sum, want, sizeof sum) == 0, "shift %d", shift);
  }
}

/* ---- real numbers ------------------------------------------------------------------------------------------------------- */

/* Moments and products of real numbers, or of whole ones that are stored as real numbers: as if they were added one by one. */
static void check_reals(uint32_t n_observed, uint64_t units, uint32_t lanes, unsigned wanted, int whole, uint64_t seed) {
  enum { TIMES = 2 };
  const size_t cells = (size_t)TIMES * n_observed;
  double *x = ff_calloc(cells * units, sizeof *x), *state = ff_calloc(n_observed, sizeof *state);
  uint8_t *refused = ff_calloc(units, 1), *real = ff_calloc(n_observed, 1);
  uint64_t bytes = 0;
  ff_sums want, got;
  ff_error err;
  for (uint32_t j = 0; j < n_observed; j++) real[j] = !whole && !real_is_whole(j);
  FF_CHECK_OK(ff_sums_new(&want, TIMES, n_observed, real, wanted, &err), &err);
  FF_CHECK_OK(ff_sums_new(&got, TIMES, n_observed, real, wanted, &err), &err);
  for (uint64_t k = 0; k < units; k++) {
    refused[k] = below(&seed, 5) == 0;
    for (size_t cell = 0; cell < cells; cell++)
      x[cell * units + k] = real_number(whole ? 2 + cell % n_observed % 2 : cell % n_observed, &seed);
    for (uint32_t i = 0; i < TIMES && !refused[k]; i++) {
      for (uint32_t j = 0; j < n_observed; j++) state[j] = x[((size_t)i * n_observed + j) * units + k];
      FF_CHECK_OK(ff_sums_add(&want, i, state, &bytes, &err), &err);
    }
  }
  const real_wave wave = {x, units, 1, refused};
  real_wave_tally(&got, &wave, 0, units / 3, lanes);
  real_wave_tally(&got, &wave, units / 3, units - units / 3, lanes);
  FF_CHECK_SAY(sums_are_same(&got, &want), "%u quantities, %llu trajectories", n_observed, (unsigned long long)units);
  ff_sums_free(&want);
  ff_sums_free(&got);
  free(x);
  free(state);
  free(refused);
  free(real);
}

static void real_numbers(void) {
  const uint64_t units[] = {1, 2, 31, 500, 3000};
  for (uint32_t i = 0; i < 5; i++)
    for (uint32_t n = 1; n <= REAL_KINDS + 2; n += 4) {
      check_reals(n, units[i], 1 + 31 * (i % 2), FF_COVARIANCE, 0, 10 * i + n);
      check_reals(n, units[i], 32, FF_COVARIANCE, 1, 10 * i + n);
      check_reals(n, units[i], 32, 0, 0, 10 * i + n);
    }
}

/* Each power and each pair has one job. */
static void jobs_of_reals(void) {
  for (uint32_t n = 1; n < 90; n++) {
    const uint64_t all = ff_collect_real_jobs(n, 1), powers = ff_collect_real_jobs(n, 0);
    FF_CHECK_INT(all, powers + (uint64_t)n * (n - 1) / 2);
    for (uint64_t job = 0, pair = 0; job < all; job++) {
      uint32_t j, k;
      int power;
      ff_collect_real_job(job, n, &j, &k, &power);
      FF_CHECK(job < powers ? j == k && job == FF_COLLECT_POWERS * j + (uint64_t)power - 1 && power >= 1 && power <= 4
                            : power == 0 && j < k && k < n && pair == ff_collect_pair(j, k));
      pair += job >= powers;
    }
  }
}

/* As many of the largest terms as a tally may have: digits have room, and carries go through all of them. */
static void digits_have_room(void) {
  uint64_t words[FF_COLLECT_REAL_WORDS] = {0};
  const double most = 0x1.fffffffffffffp1023;
  int64_t digit[3];
  uint32_t at;
  ff_real_digits(-most, &at, digit);
  for (uint32_t d = 0; d < 3; d++) words[at + d] = (uint64_t)(digit[d] * (int64_t)(FF_DEVICE_MOST_REALS * FF_REAL_TERMS));
  words[0] = 1;
  ff_real_sum got = {{0}, 0}, want = {{0}, 0};
  ff_real_sum_add_digits(&got, words);
  ff_real_sum_add(&want, -most);
  for (int i = 0; i < 27; i++) {
    const ff_real_sum same = want;
    ff_real_sum_merge(&want, &same);
  }
  const ff_real_sum once = want;
  for (int i = 1; i < FF_REAL_TERMS; i++) ff_real_sum_merge(&want, &once);
  ff_real_sum_add(&want, 0x1p-1074);
  FF_CHECK(memcmp(&got, &want, sizeof got) == 0);
}

FF_TEST_MAIN("ssa_collect", moments, histograms, jobs, products, carries, many_batches_fit, squares, shifted_sums,
             real_numbers, jobs_of_reals, digits_have_room)
