/* Channels of dynamic memory: known answers, an independent judge of all commands, jumps against single cycles, order, queues. */
#include <math.h>

#include "dram_streams.h"

/* ---- known answers of DDR3-1600 ------------------------------------------------------------------------------------ */

static ff_dram *new_channel(const ff_dram_options *options) {
  ff_dram *c;
  ff_error err;
  FF_CHECK_OK(ff_dram_new(&c, ff_dram_part_at(0), options, &err), &err);
  return c;
}

static int read_line(ff_dram *c, uint32_t rank, uint32_t bank, uint32_t row, uint32_t column) {
  const ff_dram_request r = {.tag = row, .rank = rank, .bank = bank, .row = row, .column = column};
  return ff_dram_push(c, &r);
}

typedef struct {
  ff_dram_command at[4096];
  size_t n;
} kept;

static void keep(void *of, const ff_dram_command *c) {
  kept *k = of;
  if (k->n < 4096) k->at[k->n++] = *c;
}

/* The cycle of command i of this kind. */
static uint64_t cycle_of(const kept *k, ff_dram_kind kind, size_t i) {
  for (size_t j = 0; j < k->n; j++)
    if (k->at[j].kind == kind && i-- == 0) return k->at[j].cycle;
  return UINT64_MAX;
}

static void reads_an_idle_line(void) {
  ff_dram *c = new_channel(NULL);
  ff_dram_advance(c, 100);
  FF_CHECK_INT(ff_dram_now(c), 100);
  FF_CHECK_INT(read_line(c, 1, 2, 3, 4), 1);
  FF_CHECK_INT(ff_dram_next(c), 100);
  ff_dram_finished f;
  while (!ff_dram_take(c, &f)) {
    const uint64_t next = ff_dram_next(c), now = ff_dram_now(c);
    ff_dram_advance(c, next > now ? next : now + 1);
  }
  FF_CHECK_INT(f.cycle, 100 + 26); /* tRCD 11, CL 11, BL / 2 = 4 */
  FF_CHECK_INT(ff_dram_now(c), 126);
  FF_CHECK_INT(f.tag, 3);
  FF_CHECK_INT(ff_dram_take(c, &f), 0);
  ff_dram_free(c);
}

static void streams_an_open_row(void) {
  kept k = {.n = 0};
  const ff_dram_options o = {.hits = UINT32_MAX, .log = keep, .of = &k};
  ff_dram *c = new_channel(&o);
  for (uint32_t i = 0; i < 200;) {
    i += read_line(c, 0, 0, 7, i) == 1;
    ff_dram_advance(c, ff_dram_now(c) + 1);
  }
  ff_dram_advance(c, 1500); /* the first refresh is at 1,560 */
  FF_CHECK_INT(k.n, 201);
  for (uint32_t i = 1; i < 200; i++) FF_CHECK_INT(k.at[i + 1].cycle - k.at[i].cycle, 4);
  ff_dram_counts n;
  ff_dram_count(c, &n);
  FF_CHECK_INT(n.activations, 1);
  FF_CHECK_INT(n.hits, 199);
  ff_dram_free(c);
}

static void misses_rows_of_a_bank(void) {
  kept k = {.n = 0};
  const ff_dram_options o = {.log = keep, .of = &k};
  ff_dram *c = new_channel(&o);
  for (uint32_t i = 0; i < 30;) {
    i += read_line(c, 0, 0, i, 0) == 1;
    ff_dram_advance(c, ff_dram_now(c) + 1);
  }
  ff_dram_advance(c, 1500);
  for (size_t i = 1; i < 30; i++)
    FF_CHECK_INT(cycle_of(&k, FF_DRAM_ACTIVATE, i) - cycle_of(&k, FF_DRAM_ACTIVATE, i - 1), 39); /* tRC */
  ff_dram_free(c);
}

static void activates_four_rows(void) {
  kept k = {.n = 0};
  const ff_dram_options o = {.log = keep, .of = &k};
  ff_dram *c = new_channel(&o);
  for (uint32_t b = 0; b < 8; b++) FF_CHECK_INT(read_line(c, 0, b, 0, 0), 1);
  ff_dram_advance(c, 1500);
  static const int at[] = {0, 5, 10, 15, 24, 29, 34, 39}; /* tRRD 5, four in tFAW 24 */
  for (size_t i = 0; i < 8; i++) FF_CHECK_INT(cycle_of(&k, FF_DRAM_ACTIVATE, i), at[i]);
  ff_dram_free(c);
}

/* A rank alone reads one row for ever. A refresh takes 88 of 6,240 cycles: 1.41%. At most the last read's way to the precharge
 * (8), tRP (11), tRCD (11) and the cycles that the last read may come before the refresh is due (4) are lost besides. */
static void refreshes(void) {
  const ff_dram_options o = {.ranks = 1, .hits = UINT32_MAX};
  ff_dram *c = new_channel(&o);
  const uint64_t cycles = 6240 * 200;
  ff_dram_finished f;
  for (uint32_t i = 0; ff_dram_now(c) < cycles;) {
    while (read_line(c, 0, 0, 0, i % 256) == 1) i++;
    ff_dram_advance(c, ff_dram_now(c) + 4);
    while (ff_dram_take(c, &f)) continue;
  }
  ff_dram_counts n;
  ff_dram_count(c, &n);
  FF_CHECK_INT(n.refreshes, 199); /* the last one is due at the end */
  const double refresh = (double)n.refreshes * 88 / (double)n.cycles, lost = 1 - (double)n.bus_cycles / (double)n.cycles;
  FF_CHECK_NEAR(refresh, 0.0141, 0.0001);
  FF_CHECK_SAY(lost > 88. / 6240 && lost < (88. + 8 + 11 + 11 + 4) / 6240 + 1e-4, "%g of the bus is lost", lost);
  ff_dram_free(c);
}

/* The share of the data bus that streams use which push whenever the channel takes it. way 0: each stream walks through the lines
 * of a rank of its own, as a prefetcher of reactions does, banks first. 1: anywhere in its rank. 2: anywhere. */
static double use_of_bus(uint32_t n_streams, int way, uint64_t seed) {
  ff_dram *c = new_channel(NULL);
  uint64_t line[16] = {0}, i = 0;
  ff_dram_finished f;
  while (ff_dram_now(c) < 200000) {
    for (;; i++) {
      const uint32_t s = (uint32_t)(i % n_streams);
      uint32_t rank = s % 4, bank = (uint32_t)(line[s] % 8), row = (uint32_t)(line[s] / 2048 + 1000 * s) % 16384,
               column = (uint32_t)(line[s] / 8 % 256);
      if (way > 0) bank = below(&seed, 8), row = below(&seed, 16384), column = below(&seed, 256);
      if (way > 1) rank = below(&seed, 4);
      if (read_line(c, rank, bank, row, column) != 1) break;
      line[s]++;
    }
    ff_dram_advance(c, ff_dram_now(c) + 1);
    while (ff_dram_take(c, &f)) continue;
  }
  ff_dram_counts n;
  ff_dram_count(c, &n);
  ff_dram_free(c);
  return (double)n.bus_cycles / (double)n.cycles;
}

/* 16 streams on four channels. Channels are independent: each has its 4 streams. */
static void fills_the_bus(void) {
  for (int way = 0; way < 3; way++) {
    double sum = 0;
    for (uint64_t channel = 0; channel < 4; channel++) sum += use_of_bus(4, way, 11 + channel) / 4;
    if (getenv("FF_DRAM_VERBOSE") != NULL) printf("way %d: %.4f of the bus\n", way, sum);
    FF_CHECK_SAY(sum >= 0.93 && sum <= 1, "way %d: %g of the bus", way, sum);
  }
}

/* A row in each of n ranks is read line by line: an activation serves 1 + 4 reads. The next one comes after tRCD + 4 * 4 + 8
 * (read to precharge) + tRP = 46 cycles: 5 / 46 lines a cycle and rank, less what refreshes take: at most (88 + 46) / 6,240. */
static void closes_after_hits(void) {
  for (uint32_t n_ranks = 1; n_ranks <= 2; n_ranks++) {
    ff_dram *c = new_channel(NULL);
    ff_dram_finished f;
    for (uint32_t i = 0; ff_dram_now(c) < 624000;) {
      while (read_line(c, i % n_ranks, 0, 0, i / n_ranks % 256) == 1) i++;
      ff_dram_advance(c, ff_dram_now(c) + 1);
      while (ff_dram_take(c, &f)) continue;
    }
    ff_dram_counts n;
    ff_dram_count(c, &n);
    const double rate = (double)n.reads / (double)n.cycles, most = 5 / 46. * n_ranks;
    FF_CHECK_SAY(rate < most * (1 - 88. / 6240) && rate > most * (1 - 134. / 6240), "%g lines a cycle", rate);
    if (getenv("FF_DRAM_VERBOSE") != NULL) printf("%u ranks: %.4f lines a ns\n", n_ranks, rate / 1.25);
    ff_dram_free(c);
  }
}

/* DDR4: columns of one group of banks follow each other after 6 cycles, those of two groups after 4. */
static void knows_groups(void) {
  for (uint32_t step = 1; step <= 4; step += 3) { /* banks 0 and 1 are in one group, 0 and 4 in two */
    kept k = {.n = 0};
    const ff_dram_options o = {.hits = UINT32_MAX, .log = keep, .of = &k};
    ff_dram *c;
    ff_error err;
    FF_CHECK_OK(ff_dram_new(&c, ff_dram_part_named("DDR4-2400 8Gb x8"), &o, &err), &err);
    for (uint32_t i = 0; i < 100;) {
      i += read_line(c, 0, i % 2 * step, 0, i / 2) == 1;
      ff_dram_advance(c, ff_dram_now(c) + 1);
    }
    ff_dram_advance(c, 2000); /* the first refresh is at 2,341 */
    FF_CHECK_INT(cycle_of(&k, FF_DRAM_READ, 90) - cycle_of(&k, FF_DRAM_READ, 40), 50 * (step == 1 ? 6 : 4));
    FF_CHECK_INT(cycle_of(&k, FF_DRAM_ACTIVATE, 1) - cycle_of(&k, FF_DRAM_ACTIVATE, 0), step == 1 ? 6 : 4);
    ff_dram_free(c);
  }
}

static void takes_energy(void) {
  const ff_dram_counts one = {.activations = 1, .reads = 1, .refreshes = 1, .rank_cycles = 1600000000,
                              .active_cycles = 800000000};
  ff_dram_energy e;
  ff_dram_energy_of(ff_dram_part_at(0), &one, &e);
  FF_CHECK_NEAR(e.activate, 31.77, 0.005); /* (95 * 39 - 67 * 28 - 70 * 11) mA * 1.25 ns * 1.5 V * 16 */
  FF_CHECK_NEAR(e.read, 21.96, 0.005);     /* (250 - 67) * 4 */
  FF_CHECK_NEAR(e.refresh, 509.5, 0.05);   /* (260 - 67) * 88 */
  FF_CHECK_NEAR(e.active * 1e-9, 1.608, 0.0005);     /* of a second: W */
  FF_CHECK_NEAR(e.precharged * 1e-9, 1.68, 0.0005);  /* 70 mA */
  FF_CHECK_NEAR(e.power_down * 1e-9, 1.08, 0.0005);
  FF_CHECK_NEAR(e.write, 0, 0);
}

/* 8 reads of closed rows, then nothing. Rows stay open until the refreshes, which come at 1,560, 3,120, 4,680 and 6,240. So
 * rank 0 is active from 0 to the precharges. */
static void counts_active_cycles(void) {
  kept k = {.n = 0};
  const ff_dram_options o = {.log = keep, .of = &k};
  ff_dram *c = new_channel(&o);
  for (uint32_t b = 0; b < 8; b++) FF_CHECK_INT(read_line(c, 0, b, 0, 0), 1);
  ff_dram_advance(c, 6240);
  ff_dram_counts n;
  ff_dram_count(c, &n);
  FF_CHECK_INT(n.refreshes, 3); /* the fourth is due at 6,240 */
  FF_CHECK_INT(cycle_of(&k, FF_DRAM_PRECHARGE, 0), 1560);
  FF_CHECK_INT(cycle_of(&k, FF_DRAM_PRECHARGE, 7), 1567);
  FF_CHECK_INT(cycle_of(&k, FF_DRAM_REFRESH, 0), 1567 + 11);
  FF_CHECK_INT(n.active_cycles, 1567 + 3 * 88);
  FF_CHECK_INT(n.rank_cycles, 4 * 6240);
  ff_dram_free(c);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------ */

static void refuses_parts(void) {
  ff_error err;
  ff_dram *c;
  ff_dram_part p = *ff_dram_part_at(0);
  for (size_t i = 0; ff_dram_part_at(i) != NULL; i++) {
    FF_CHECK_OK(ff_dram_part_check(ff_dram_part_at(i), &err), &err);
    FF_CHECK(ff_dram_part_named(ff_dram_part_at(i)->name) == ff_dram_part_at(i));
  }
  FF_CHECK(ff_dram_part_named("DDR9") == NULL);
#define REFUSED(change, text)                                                              \
  do {                                                                                     \
    p = *ff_dram_part_at(0);                                                               \
    change;                                                                                \
    FF_CHECK_FAILS(ff_dram_new(&c, &p, NULL, &err), FF_EARGUMENT, &err, text);             \
    FF_CHECK(c == NULL);                                                                   \
    FF_CHECK_INT(ff_dram_new(&c, &p, NULL, NULL), FF_EARGUMENT);                           \
  } while (0)
  REFUSED(p.name = NULL, "no name");
  REFUSED(p.cl = 0, "cl is 0; expected a number from 1 to 4096");
  REFUSED(p.rfc = 5000, "rfc is 5000");
  REFUSED(p.rows = 0, "rows is 0");
  REFUSED(p.bl = 7, "bl is 7; expected an even number");
  REFUSED(p.groups = 3, "8 banks in 3 groups");
  REFUSED(p.ranks = 9, "9 ranks of 8 banks; expected at most 64 banks");
  REFUSED(p.refi = 600, "refi is 600; expected at least 960");
  REFUSED(p.clock = 0, "clock is 0");
  REFUSED(p.volts = NAN, "volts is");
  p = *ff_dram_part_at(0);
  static const ff_dram_options wrong[] = {{.ranks = 5}, {.transactions = 4097}, {.commands = 1}};
  static const char *const texts[] = {"5 ranks", "4097 places", "command queue of 1 places"};
  for (int i = 0; i < 3; i++) FF_CHECK_FAILS(ff_dram_new(&c, &p, &wrong[i], &err), FF_EARGUMENT, &err, texts[i]);
}

static void refuses_requests(void) {
  ff_dram *c = new_channel(NULL);
  FF_CHECK_INT(read_line(c, 4, 0, 0, 0), -1);
  FF_CHECK_INT(read_line(c, 0, 8, 0, 0), -1);
  FF_CHECK_INT(read_line(c, 0, 0, 16384, 0), -1);
  FF_CHECK_INT(read_line(c, 0, 0, 0, 256), -1);
  for (int i = 0; i < 32; i++) FF_CHECK_INT(read_line(c, 0, 0, 0, 0), 1);
  FF_CHECK_INT(read_line(c, 0, 0, 0, 0), 0);
  /* Reads that nobody takes: at last they are refused, and go on when some are taken. */
  int refused = 0, taken = 0;
  for (int i = 0; i < 100000 && refused < 1000; i++) {
    refused = read_line(c, 0, 0, 0, 0) == 1 ? 0 : refused + 1;
    ff_dram_advance(c, ff_dram_now(c) + 1);
  }
  FF_CHECK_INT(refused, 1000);
  ff_dram_finished f;
  while (ff_dram_take(c, &f)) taken++;
  FF_CHECK(taken >= 32 + 32 * 16);
  FF_CHECK_INT(read_line(c, 0, 0, 0, 0), 1);
  ff_dram_counts n;
  ff_dram_count(c, &n);
  FF_CHECK_INT(n.pushed, taken + 1);
  ff_dram_free(c);
}

/* ---- drawn streams ------------------------------------------------------------------------------------------------- */

static void check_done(const drive *d, uint64_t n) {
  FF_CHECK_INT(d->pushed, n);
  FF_CHECK_INT(d->served, n);
  ff_dram_counts of;
  ff_dram_count(d->channel, &of);
  FF_CHECK_INT(of.reads + of.writes, n);
  FF_CHECK_INT(d->finished, of.reads);
  FF_CHECK_INT(of.pushed, n);
  FF_CHECK_INT(of.bus_cycles, n * (d->part.bl / 2));
  FF_CHECK_INT(of.transaction_sum, of.transaction_wait); /* Little's law: nobody waits any more */
  FF_CHECK_INT(of.command_sum, of.command_wait);
  FF_CHECK(of.active_cycles <= of.rank_cycles);
}

static void check_judge(const dram_judge *j, uint64_t seed) {
  FF_CHECK_SAY(j->violations == 0, "seed %llu, %s: %s", (unsigned long long)seed, j->part.name, j->text);
}

/* More than 1e6 commands of drawn parts and streams. Each request is served exactly once, and those of a row in their order. */
static void obeys_constraints(void) {
  static dram_judge j;
  uint64_t commands = 0;
  for (uint64_t seed = 1; commands < 1000000; seed++) {
    uint64_t state = seed * 77;
    next_random(&state);
    const ff_dram_part part = draw_part(&state);
    const ff_dram_options o = draw_options(&part, &state);
    drive *d = drive_new(&part, &o, &j, 0);
    for (int i = 0; i < 4; i++) {
      streams s = draw_streams(&part, d->ranks, &state);
      drive_run(d, &s, s.idle > 0 ? 300 : 2000, AT_ONCE);
    }
    drive_drain(d, AT_ONCE);
    judge_end(&j, ff_dram_now(d->channel));
    check_judge(&j, seed);
    FF_CHECK_INT(j.n, d->commands);
    check_done(d, d->pushed);
    FF_CHECK_INT(d->first_wrong, 0);
    commands += d->commands;
    drive_free(d);
  }
}

/* The same log, byte for byte, however the channel is advanced, and if it looks at each cycle and decides all anew. */
static void jumps_as_it_ticks(void) {
  enum { MOST = 40000 };
  for (uint64_t seed = 1; seed <= 60; seed++) {
    drive *of[DRIVES + 1];
    ff_dram_counts counts[DRIVES + 1];
    for (int way = 0; way <= DRIVES; way++) {
      uint64_t state = seed * 1234567, own;
      next_random(&state);
      const ff_dram_part part = draw_part(&state);
      ff_dram_options o = draw_options(&part, &state);
      o.every_cycle = way == EACH_CYCLE;
      own = state;
      drive *d = of[way] = drive_new(&part, &o, NULL, MOST);
      for (int i = 0; i < 3; i++) {
        streams s = draw_streams(&part, d->ranks, &own);
        drive_run(d, &s, s.idle > 0 ? 100 : 700, way % DRIVES);
      }
      drive_drain(d, way % DRIVES);
      ff_dram_count(d->channel, &counts[way]);
      FF_CHECK_INT(d->first_wrong, 0);
      FF_CHECK(d->n_log > 0 && d->n_log < MOST);
      check_done(d, d->pushed);
      FF_CHECK_INT(d->n_log, of[0]->n_log);
      FF_CHECK_SAY(memcmp(d->log, of[0]->log, d->n_log * sizeof *d->log) == 0, "seed %d, way %d", (int)seed, way);
      FF_CHECK_SAY(memcmp(&counts[way], &counts[0], sizeof counts[0]) == 0, "seed %d, way %d", (int)seed, way);
      /* Little's law against a sum over single cycles */
      if (way == EACH_CYCLE) FF_CHECK_INT(d->area, counts[way].transaction_sum + counts[way].command_sum);
    }
    for (int way = 0; way <= DRIVES; way++) drive_free(of[way]);
  }
}

/* A bank that always has hits, other banks that are full, and refreshes: nobody waits for ever. */
static void nobody_starves(void) {
  static dram_judge j;
  const ff_dram_part part = *ff_dram_part_at(0);
  const ff_dram_options o = {.hits = 4};
  drive *d = drive_new(&part, &o, &j, 0);
  uint64_t worst = 0, pushed_at[DRIVE_TAGS] = {0}, state = 5, n = 0;
  for (; ff_dram_now(d->channel) < 100 * 6240;) {
    const uint32_t at = (uint32_t)(n % DRIVE_TAGS);
    const uint32_t stray = below(&state, 16);
    const ff_dram_request r = {.tag = n, .rank = stray == 0 ? 1 + below(&state, 3) : 0, .bank = stray == 1 ? 1 : below(&state, 8),
                               .row = stray == 2, .column = below(&state, 256), .is_write = below(&state, 2) == 0};
    if (!d->is_out[at] && d->end[at] == 0 && ff_dram_push(d->channel, &r) == 1) {
      d->requests[at] = r;
      d->is_out[at] = 1;
      pushed_at[at] = ff_dram_now(d->channel);
      n++;
      d->pushed++;
    }
    drive_advance(d, ff_dram_now(d->channel) + 1, AT_ONCE);
    for (uint32_t i = 0; ff_dram_now(d->channel) % 64 == 0 && i < DRIVE_TAGS; i++)
      if (d->is_out[i] && ff_dram_now(d->channel) - pushed_at[i] > worst) worst = ff_dram_now(d->channel) - pushed_at[i];
  }
  drive_drain(d, AT_ONCE);
  check_judge(&j, 0);
  check_done(d, d->pushed);
  FF_CHECK_SAY(worst < 2 * 6240, "a request waits for %llu cycles", (unsigned long long)worst);
  if (getenv("FF_DRAM_VERBOSE") != NULL) printf("longest wait: %llu\n", (unsigned long long)worst);
  drive_free(d);
}

/* Some banks always have work; now and then a request comes for a bank that they could keep from the bus for ever. Returns the
 * longest wait of such a request. */
static uint64_t longest_stray(const ff_dram_part *part, uint64_t cycles, uint32_t hog_ranks, uint32_t hog_banks, int hog_writes,
                              uint32_t rank, uint32_t bank) {
  static dram_judge j;
  const ff_dram_options o = {.transactions = 64};
  drive *d = drive_new(part, &o, &j, 0);
  uint64_t worst = 0, pushed_at = 0, state = 7, n = 0, stray = UINT64_MAX;
  uint32_t line[64] = {0};
  while (ff_dram_now(d->channel) < cycles) {
    const uint32_t at = (uint32_t)(n % DRIVE_TAGS), h = below(&state, hog_ranks), b = below(&state, hog_banks);
    const int is_stray = stray == UINT64_MAX && n > 100;
    const ff_dram_request r = {.tag = n, .rank = is_stray ? rank : h, .bank = is_stray ? bank : b,
                               .row = line[h * 8 + b] / 200 % 64, .column = line[h * 8 + b] % 64,
                               .is_write = is_stray ? !hog_writes : hog_writes};
    if (!d->is_out[at] && d->end[at] == 0 && ff_dram_push(d->channel, &r) == 1) {
      d->requests[at] = r;
      d->is_out[at] = 1;
      if (is_stray) stray = n, pushed_at = ff_dram_now(d->channel);
      line[h * 8 + b] += !is_stray;
      n++;
      d->pushed++;
      continue;
    }
    drive_advance(d, ff_dram_now(d->channel) + 1, AT_ONCE);
    if (stray == UINT64_MAX) continue;
    if (ff_dram_now(d->channel) - pushed_at > worst) worst = ff_dram_now(d->channel) - pushed_at;
    if (!d->is_out[stray % DRIVE_TAGS]) stray = UINT64_MAX;
  }
  drive_drain(d, AT_ONCE);
  check_judge(&j, 0);
  check_done(d, d->pushed);
  drive_free(d);
  return worst;
}

/* Writes to seven banks of a rank follow each other in 4 cycles; a read in its eighth bank may come 20 cycles after a write.
 * Three ranks that always have reads give the bus to each other. A request is late after refi + 16 rc = 6,864 cycles, which is
 * seen with the next refresh of a rank, at most 1,560 cycles later. The rest, up to 1.5 refi = 9,360, is for a refresh and the
 * row. */
static void serves_late_requests(void) {
  const ff_dram_part *p = ff_dram_part_at(0);
  const uint64_t end = 20 * 6240, waits[] = {longest_stray(p, end, 1, 7, 1, 0, 7), longest_stray(p, end, 1, 7, 0, 0, 7),
                                             longest_stray(p, end, 3, 8, 0, 3, 0), longest_stray(p, end, 2, 8, 0, 2, 7)};
  for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
    FF_CHECK_SAY(waits[i] < 9360, "case %zu: a request waits for %llu cycles", i, (unsigned long long)waits[i]);
  FF_CHECK(waits[0] >= 6864); /* there, only this rule helps */
}

/* A memory so slow that the first request of each bank is late: a transfer in 600 cycles, and a read 1,000 after a write. Banks
 * that write go on while the bank with the read is as late as they are, unless each late bank is served once before another one
 * is served again. Such a round takes at most 8 * (1,000 + wl + bl / 2) < 8,200 cycles. A request is late after 6,864 cycles; the
 * round that goes on then, and the next one, bring it to less than 23,300. The rest is for refreshes. */
static void serves_all_late_requests(void) {
  ff_dram_part p = *ff_dram_part_at(0);
  p.name = "slow";
  p.ccd = 600;
  p.wtr = 1000;
  const uint64_t wait = longest_stray(&p, 1000000, 1, 7, 1, 0, 7);
  FF_CHECK_SAY(wait < 25000, "a request waits for %llu cycles", (unsigned long long)wait);
}

/* A memory with few transfers between two refreshes, each of which closes all rows. All banks are late. If banks that were served
 * in this round opened rows, the turn of the others would come after the next refresh, for ever. */
static void opens_late_rows_first(void) {
  ff_dram_part p = *ff_dram_part_at(0);
  ff_dram *c;
  ff_error err;
  const ff_dram_options o = {.hits = 1};
  p.name = "slow transfers";
  p.ranks = 1, p.banks = 16, p.groups = 2, p.cl = 54, p.wl = 7, p.bl = 16, p.rcd = 1, p.rp = 36, p.ras = 7, p.rc = 5, p.rrd = 1;
  p.ccd = 136, p.read_to_precharge = 1, p.wr = 4, p.rfc = 2, p.refi = 380, p.rrd_long = 62, p.ccd_long = 31;
  FF_CHECK_OK(ff_dram_new(&c, &p, &o, &err), &err);
  uint32_t n = 0;
  /* An interval has time for two transfers at least. */
  for (uint64_t end = 1500 / 2 * 380 + 380; ff_dram_now(c) < end && (n < 1500 || ff_dram_waiting(c) > 0);) {
    ff_dram_finished f;
    while (n < 1500 && read_line(c, 0, n % 16, 0, n / 16 % 2) == 1) n++;
    ff_dram_advance(c, ff_dram_now(c) + 10);
    while (ff_dram_take(c, &f)) continue;
  }
  FF_CHECK_INT(n, 1500);
  FF_CHECK_INT(ff_dram_waiting(c), 0);
  ff_dram_free(c);
}

/* 64 ranks of a bank: their refreshes and the rows that these close take 192 commands. A shorter interval between refreshes would
 * close each row before its read. */
static void refreshes_many_ranks(void) {
  ff_error err;
  ff_dram *c;
  ff_dram_part p = *ff_dram_part_at(0);
  p.name = "many";
  p.ranks = 64, p.banks = 1;
  p.cl = p.wl = p.rcd = p.rp = p.rrd = p.faw = p.wtr = p.wr = p.rfc = p.read_to_precharge = 1;
  p.bl = 2, p.ras = 2, p.rc = 3, p.rtrs = 0;
  p.refi = 4 * (2 + 3 + 1 + 2 + 1 + 1 + 1 + 1);
  FF_CHECK_FAILS(ff_dram_new(&c, &p, NULL, &err), FF_EARGUMENT, &err, "refi is 48; expected at least 560");
  p.refi = 560;
  FF_CHECK_OK(ff_dram_new(&c, &p, NULL, &err), &err);
  uint64_t n = 0;
  ff_dram_finished f;
  while (ff_dram_now(c) < 100 * 560) {
    while (read_line(c, (uint32_t)(n % 64), 0, (uint32_t)(n / 64 % 2), 0) == 1) n++;
    ff_dram_advance(c, ff_dram_now(c) + 1);
    while (ff_dram_take(c, &f)) continue;
  }
  ff_dram_counts counts;
  ff_dram_count(c, &counts);
  FF_CHECK_INT(counts.refreshes, 64 * 100 - 1); /* the last one is due at the end */
  /* Each read has another row than the last one of its bank: 3 commands, of the 560 - 64 that refreshes leave. Refreshes close
   * a row for each rank, and the reads of this row may have to open it again. */
  FF_CHECK_SAY(counts.reads > 100 * (560 - 64 * 3) / 3, "%llu reads", (unsigned long long)counts.reads);
  ff_dram_free(c);
}

/* A refresh comes between an activation and its read. The read is pushed in each cycle before a refresh is due. */
static void refresh_orphans_no_read(void) {
  int again = 0;
  for (uint64_t at = 1400; at < 1700; at++) {
    kept k = {.n = 0};
    const ff_dram_options o = {.log = keep, .of = &k};
    ff_dram *c = new_channel(&o);
    ff_dram_advance(c, at);
    for (uint32_t i = 0; i < 4; i++) FF_CHECK_INT(read_line(c, 0, i, 9, 0), 1);
    ff_dram_advance(c, at + 300);
    ff_dram_finished f;
    int n = 0;
    while (ff_dram_take(c, &f)) n++;
    FF_CHECK_INT(n, 4);
    ff_dram_counts counts;
    ff_dram_count(c, &counts);
    again += counts.activations > 4;
    FF_CHECK_INT(counts.hits, 0);
    ff_dram_free(c);
  }
  FF_CHECK(again > 0); /* some rows were closed before their read */
}

/* ---- the judge itself ---------------------------------------------------------------------------------------------- */

/* Whether rule i holds command k back: there is a command `cycles` before it, which is the window's last one. */
static int is_tight(const dram_judge *j, const ff_dram_constraint *rule, const ff_dram_command *log, size_t k) {
  uint32_t seen = 0;
  if (log[k].kind != rule->after) return 0;
  for (size_t i = k; i-- > 0 && log[k].cycle - log[i].cycle <= rule->cycles;) {
    if (log[i].kind != rule->before || !judge_in_scope(j, rule, &log[i], &log[k])) continue;
    if (++seen == rule->window) return log[k].cycle - log[i].cycle == rule->cycles;
  }
  return 0;
}

/* Of a valid log, a command that a constraint holds back comes a cycle earlier: the judge must name this constraint. */
static void judge_sees_shifts(void) {
  static dram_judge j, good;
  enum { MOST = 60000, ALL = FF_DRAM_MOST_CONSTRAINTS };
  for (size_t p = 0; ff_dram_part_at(p) != NULL; p++) {
    const ff_dram_part part = *ff_dram_part_at(p);
    const ff_dram_options o = {.ranks = part.ranks < 2 ? part.ranks : 2, .close_idle = 1};
    uint64_t state = 99 + p;
    uint32_t found[ALL] = {0};
    drive *d = drive_new(&part, &o, &good, MOST);
    for (int i = 0; i < 30; i++) {
      streams s = draw_streams(&part, d->ranks, &state);
      drive_run(d, &s, s.idle > 0 ? 100 : 600, AT_ONCE);
    }
    check_judge(&good, p);
    for (uint32_t i = 0; i < good.rules.n; i++) {
      const ff_dram_constraint *rule = &good.rules.of[i];
      for (size_t k = 1; k < d->n_log && found[i] < 3; k++) {
        if (!is_tight(&good, rule, d->log, k)) continue;
        found[i]++;
        judge_start(&j, &part, d->ranks, most_late(&part));
        for (size_t at = 0; at < k; at++) judge(&j, &d->log[at]);
        FF_CHECK_INT(j.violations, 0);
        ff_dram_command moved = d->log[k];
        moved.cycle--;
        judge(&j, &moved);
        FF_CHECK_SAY(j.broken[i] == 1, "%s, %s: not seen at command %zu", part.name, rule->name, k);
      }
      if (getenv("FF_DRAM_VERBOSE") != NULL) printf("%s, %s: %u shifts\n", part.name, rule->name, found[i]);
    }
    drive_free(d);
  }
}

/* Each constraint alone: commands at the first cycle that it allows, and a cycle earlier. Not all are seen in logs, since
 * others are stricter there. */
static void judge_knows_each_rule(void) {
  static dram_judge j;
  for (size_t p = 0; ff_dram_part_at(p) != NULL; p++) {
    const ff_dram_part part = *ff_dram_part_at(p);
    ff_dram_constraints all;
    ff_dram_constrain(&part, &all);
    for (uint32_t i = 0; i < all.n; i++) {
      const ff_dram_constraint *rule = &all.of[i];
      for (uint32_t early = 0; early < 2; early++) {
        judge_start(&j, &part, 2, UINT32_MAX);
        ff_dram_command c = {.cycle = 1000, .kind = (uint16_t)rule->before};
        for (uint32_t w = 0; w < rule->window; w++, c.cycle++) {
          c.bank = (uint16_t)(rule->window > 1 ? 2 + w : 0);
          judge(&j, &c);
        }
        c = (ff_dram_command){.cycle = 1000 + rule->cycles - early, .kind = (uint16_t)rule->after};
        c.rank = rule->scope == FF_DRAM_OTHER_RANK;
        c.bank = rule->scope == FF_DRAM_SAME_GROUP || (rule->scope == FF_DRAM_SAME_RANK && rule->after != FF_DRAM_REFRESH);
        judge(&j, &c);
        FF_CHECK_SAY(j.broken[i] == early, "%s, %s", part.name, rule->name);
      }
    }
  }
}

/* What no constraint of the table tells. */
static void judge_knows_more(void) {
  static dram_judge j;
  const ff_dram_part part = *ff_dram_part_at(0);
  const struct {
    int wrong;
    ff_dram_command c[3];
  } cases[] = {
      {JUDGE_CYCLE, {{.cycle = 50, .kind = FF_DRAM_ACTIVATE}, {.cycle = 50, .kind = FF_DRAM_ACTIVATE, .rank = 1}}},
      {JUDGE_ADDRESS, {{.cycle = 50, .kind = FF_DRAM_ACTIVATE, .bank = 8}, {.cycle = 60, .kind = FF_DRAM_ACTIVATE}}},
      {JUDGE_ROW, {{.cycle = 50, .kind = FF_DRAM_ACTIVATE, .row = 1}, {.cycle = 90, .kind = FF_DRAM_READ, .row = 2}}},
      {JUDGE_ROW, {{.cycle = 50, .kind = FF_DRAM_ACTIVATE, .row = 1}, {.cycle = 7000, .kind = FF_DRAM_REFRESH, .rank = 0}}},
      {JUDGE_ROW, {{.cycle = 50, .kind = FF_DRAM_ACTIVATE}, {.cycle = 150, .kind = FF_DRAM_ACTIVATE}}},
      {JUDGE_BUS, {{.cycle = 50, .kind = FF_DRAM_READ}, {.cycle = 52, .kind = FF_DRAM_WRITE, .rank = 1}}},
      {JUDGE_REFRESH, {{.cycle = 50, .kind = FF_DRAM_ACTIVATE}, {.cycle = 3000, .kind = FF_DRAM_REFRESH, .rank = 1}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    judge_start(&j, &part, 2, 100);
    judge(&j, &cases[i].c[0]);
    judge(&j, &cases[i].c[1]);
    FF_CHECK_SAY(j.wrong[cases[i].wrong] > 0, "case %zu", i);
  }
  judge_start(&j, &part, 2, 100);
  judge_end(&j, 3219);
  FF_CHECK_INT(j.wrong[JUDGE_REFRESH], 0);
  judge_end(&j, 3221);
  FF_CHECK_INT(j.wrong[JUDGE_REFRESH], 1); /* rank 0 was due at 3,120 */
}

FF_TEST_MAIN("dram", reads_an_idle_line, streams_an_open_row, misses_rows_of_a_bank, activates_four_rows, refreshes,
             fills_the_bus, closes_after_hits, knows_groups, takes_energy, counts_active_cycles, refuses_parts, refuses_requests,
             obeys_constraints, jumps_as_it_ticks, nobody_starves, serves_late_requests, serves_all_late_requests,
             opens_late_rows_first, refreshes_many_ranks, refresh_orphans_no_read, judge_sees_shifts, judge_knows_each_rule,
             judge_knows_more)
