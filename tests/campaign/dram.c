/* Channels of dynamic memory for longer than make check may take: campaign_dram COMMANDS [SEED]. First prints how many requests a
 * second a full channel simulates. Then draws parts, options and streams until COMMANDS commands were judged, and every request
 * was followed to its end. Of every eighth channel, the log is compared with that of a channel that looks at each cycle. make
 * campaign-dram runs it with 1e8 commands. */
#include "../c/dram_streams.h"

/* Four streams that push whenever the channel takes a request. */
static void measure(const char *what, int is_random, uint32_t writes) {
  ff_dram *c;
  ff_error err;
  FF_CHECK_OK(ff_dram_new(&c, ff_dram_part_at(0), NULL, &err), &err);
  const uint64_t n = 4000000;
  uint64_t state = 1, line[4] = {0};
  ff_dram_finished f;
  ff_dram_request r = {0};
  const double start = ff_clock();
  for (uint64_t i = 0, drawn = 0; i < n;) {
    for (; i < n; i++) {
      const uint32_t s = (uint32_t)(i % 4);
      if (drawn == i) {
        const uint64_t at = is_random ? next_random(&state) >> 16 : line[s]++;
        drawn++;
        r = (ff_dram_request){.tag = i, .rank = is_random ? (uint32_t)(at >> 40 & 3) : s, .bank = (uint32_t)(at % 8),
                              .row = (uint32_t)(at / 2048 % 16384), .column = (uint32_t)(at / 8 % 256),
                              .is_write = writes > 0 && below(&state, 16) < writes};
      }
      if (ff_dram_push(c, &r) != 1) break;
    }
    const uint64_t next = ff_dram_next(c), now = ff_dram_now(c);
    ff_dram_advance(c, next > now ? next : now + 1);
    while (ff_dram_take(c, &f)) continue;
  }
  const double seconds = ff_clock() - start;
  ff_dram_counts count;
  ff_dram_count(c, &count);
  printf("%s: %.3g accesses/s, %.3g commands/s, %.1f%% of the bus\n", what, (double)(count.reads + count.writes) / seconds,
         (double)(count.reads + count.writes + count.activations + count.precharges + count.refreshes) / seconds,
         100 * (double)count.bus_cycles / (double)count.cycles);
  fflush(stdout);
  ff_dram_free(c);
}

/* A part, options and some streams. Returns the number of commands, and a hash of the log. */
static uint64_t try_one(uint64_t seed, int every_cycle, uint64_t *hash) {
  static dram_judge j;
  uint64_t state = seed * 7919;
  next_random(&state);
  const ff_dram_part part = draw_part(&state);
  ff_dram_options o = draw_options(&part, &state);
  o.every_cycle = every_cycle;
  drive *d = drive_new(&part, &o, &j, 0);
  if (d == NULL) return 0;
  for (int i = 0; i < 8; i++) {
    streams s = draw_streams(&part, d->ranks, &state);
    const int way = below(&state, 2) == 0 ? AT_ONCE : BY_CHANGES;
    drive_run(d, &s, s.idle > 0 ? 2000 : 20000, every_cycle ? EACH_CYCLE : way);
  }
  drive_drain(d, AT_ONCE);
  judge_end(&j, ff_dram_now(d->channel));
  ff_dram_counts n;
  ff_dram_count(d->channel, &n);
  FF_CHECK_SAY(j.violations == 0, "seed %llu: %s", (unsigned long long)seed, j.text);
  FF_CHECK_INT(d->served, d->pushed);
  FF_CHECK_INT(d->finished, n.reads);
  FF_CHECK_INT(n.transaction_sum + n.command_sum, n.transaction_wait + n.command_wait);
  const uint64_t commands = j.n;
  *hash = d->hash;
  drive_free(d);
  return commands;
}

int main(int argc, char **argv) {
  const double wanted = argc > 1 ? atof(argv[1]) : 1e6;
  uint64_t seed = argc > 2 ? (uint64_t)atof(argv[2]) : 1, commands = 0, channels = 0, hash, other, compared = 0;
  if (!(wanted >= 0 && wanted <= 1e15)) {
    fprintf(stderr, "usage: %s COMMANDS [SEED]\n", argv[0]);
    return 2;
  }
  ff_check_state.test = "campaign";
  measure("lines in order", 0, 0);
  measure("random lines", 1, 0);
  measure("random lines, a quarter writes", 1, 4);
  for (; (double)commands < wanted; channels++, seed++) {
    commands += try_one(seed, 0, &hash);
    if (channels % 8 > 0) continue;
    commands += try_one(seed, 1, &other);
    compared++;
    FF_CHECK_SAY(hash == other, "seed %llu: another log if each cycle is looked at", (unsigned long long)seed);
  }
  printf("%llu commands of %llu channels judged, %llu channels compared: %ld failures\n", (unsigned long long)commands,
         (unsigned long long)channels, (unsigned long long)compared, ff_check_state.failures);
  return ff_check_state.failures > 0;
}
