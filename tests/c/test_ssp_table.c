/* Cycles of compiled networks: those of Table II of the processor's authors, and the speed of the model. */
#include <math.h>
#include <stdlib.h>

#include "../../src/ssp/compile/ff_ssp_compile.h"
#include "ssp_networks.h"
#include "ssp_programs.h"
#include "ssp_timing_runs.h"

/* ---- compiled networks, and speed -------------------------------------------------------------------------------- */

static void print_program(const ff_ssp_program *p) {
  uint64_t n = 0, stream = 0, fetched = 0;
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    const ff_ssp_unit *u = &p->units[j];
    n += u->n_local + u->n_stream;
    stream += u->n_stream;
    fetched += ff_ssp_fetched(u);
  }
  printf("  instructions an RU %.0f, of the stream %.0f; fetched an SPE %llu\n", (double)n / p->chip.rus,
         (double)stream / p->chip.rus, (unsigned long long)fetched);
}

static void print_states(const ff_ssp_timing *t, const ff_ssp_program *p) {
  uint64_t sum[FF_SSP_N_STATES] = {0}, one[FF_SSP_N_STATES];
  for (uint32_t u = 0; u < p->chip.spes * p->chip.rus; u++) {
    ff_ssp_timing_unit(t, u / p->chip.rus, u % p->chip.rus, one);
    for (int i = 0; i < FF_SSP_N_STATES; i++) sum[i] += one[i];
  }
  const double all = (double)ff_ssp_timing_now(t) * p->chip.spes * p->chip.rus;
  printf(" ");
#define FF_X(code, name, meaning) if (sum[FF_SSP_##code] > 0) printf(" %s %.1f%%", #name, 100 * (double)sum[FF_SSP_##code] / all);
  FF_SSP_STATES(FF_X)
#undef FF_X
  printf("\n");
}

/* Cycles a step of each SPE after the first `warm` steps; what is asked for is printed. */
static double run_compiled(ff_ssp_program *p, uint32_t warm, uint32_t steps) {
  firing f = {.seed = 5, .left = p->chip.spes};
  ff_ssp_timing *t = new_timing(p, &f, NULL);
  const uint32_t S = p->chip.spes;
  const double before = ff_clock();
  advance(t, UINT64_MAX / 4, (uint64_t)warm * S);
  const uint64_t first = ff_ssp_timing_now(t), first_steps = ff_ssp_timing_steps(t);
  advance(t, UINT64_MAX / 4, (uint64_t)(warm + steps) * S);
  const double seconds = ff_clock() - before;
  const double a_step = (double)(ff_ssp_timing_now(t) - first) * S / (double)(ff_ssp_timing_steps(t) - first_steps);
  if (getenv("FF_SSP_VERBOSE") != NULL) {
    uint64_t lines[FF_SSP_N_USES], all = 0, cycles[FF_SSP_N_STATES], issued = 0;
    for (int i = 0; i < FF_SSP_N_USES; i++) all += lines[i] = all_lines(t, p, i);
    for (uint32_t u = 0; u < S * p->chip.rus; u++) {
      ff_ssp_timing_unit(t, u / p->chip.rus, u % p->chip.rus, cycles);
      for (int i = 0; i <= FF_SSP_BUSY_SOURCE; i++) issued += cycles[i];
    }
    print_program(p);
    print_states(t, p);
    printf("  lines a step: %.0f reactions, %.0f species, %.1f writes, %.2f vectors\n", (double)lines[0] / (double)f.calls,
           (double)lines[1] / (double)f.calls, (double)lines[2] / (double)f.calls, (double)lines[3] / (double)f.calls);
    printf("  a second: %.3g cycles, %.3g instructions, %.3g lines\n", (double)ff_ssp_timing_now(t) / seconds,
           (double)issued / seconds, (double)all / seconds);
  }
  check_counts(t, p);
  ff_ssp_timing_free(t);
  return a_step;
}

/* "grants=0 per_request=4" sets these fields. */
static void set_fields(ff_ssp_chip *chip, const char *text) {
  const ff_ssp_field *field;
  for (size_t i = 0; text != NULL && (field = ff_ssp_field_at(i)) != NULL; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s=", field->name);
    const char *at = strstr(text, name);
    if (at == NULL || (at > text && at[-1] != ' ')) continue;
    const uint32_t value = (uint32_t)atoi(at + strlen(name));
    memcpy((char *)chip + field->offset, &value, sizeof value);
  }
}

/* Rows of Table II of the paper, with cycles a step that follow from it. One is run always. With FF_SSP_VERBOSE, all are, and
 * printed, with the fields of FF_SSP_SET. */
static void makes_table_ii(void) {
  static const struct {
    uint32_t S, R, M, none, paper;
  } rows[] = {{1, 8, 32768, 14085, 8180},   {1, 8, 65536, 39216, 18692},    {1, 16, 32768, 12987, 9238},
              {1, 16, 65536, 37736, 23529}, {4, 32, 32768, 36782, 35794}, {4, 32, 65536, 110345, 95808}};
  const int verbose = getenv("FF_SSP_VERBOSE") != NULL;
  for (size_t i = 0; i < (verbose ? 6 : 1); i++) {
    ff_reactions *net = aggregation_network(rows[i].M / 8, rows[i].M / 32, 11);
    for (int optimise = FF_SSP_NONE; optimise < FF_SSP_OPTIMISES; optimise++) {
      ff_ssp_chip chip = ff_ssp_chip_default();
      ff_ssp_program *p;
      ff_error err;
      chip.spes = rows[i].S;
      chip.rus = rows[i].R;
      set_fields(&chip, getenv("FF_SSP_SET"));
      FF_CHECK_OK(ff_ssp_compile(&p, net, &chip, (ff_ssp_optimise)optimise, 3, &err), &err);
      if (p == NULL) continue;
      const double a_step = run_compiled(p, 3, verbose ? 20 : 3);
      if (verbose)
        printf("S %u R %u M %u %s: %.0f cycles a step; the paper %u\n", rows[i].S, rows[i].R, rows[i].M,
               ff_ssp_optimise_name(optimise), a_step, optimise == FF_SSP_NONE ? rows[i].none : rows[i].paper);
      if (optimise == FF_SSP_NONE) FF_CHECK_SAY(fabs(rows[i].none / a_step - 1) < 0.15, "%g cycles a step", a_step);
      const unsigned n = p->units[0].n_local + p->units[0].n_stream;
      FF_CHECK_SAY(a_step > n, "%g cycles a step of %u instructions", a_step, n);
      ff_ssp_program_free(p);
    }
    ff_reactions_free(net);
  }
}

/* Speeds are only printed. */
static void speeds(void) {
  static const struct {
    uint32_t S, R, local, stream, fetched, steps;
  } of[] = {{1, 1, 10, 0, 0, 1000000}, {1, 1, 1000, 0, 0, 100000}, {128, 1, 10, 0, 0, 100000}, {1, 128, 1000, 0, 0, 10000},
            {1, 1, 0, 10000, 0, 100}, {128, 1, 0, 10000, 0, 10}, {1, 128, 0, 1000, 0, 10}, {16, 8, 0, 1000, 1000, 5}};
  if (getenv("FF_SSP_VERBOSE") == NULL) FF_SKIP("FF_SSP_VERBOSE is not set");
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    ff_ssp_chip chip = ff_ssp_chip_default();
    chip.spes = of[i].S;
    chip.rus = of[i].R;
    ff_ssp_program *p = plain_program(&chip, of[i].local, of[i].stream, of[i].fetched, 1);
    const double a_step = run_compiled(p, 2, of[i].steps);
    printf("S %u R %u, instructions: %u local, %u of a stream, %u that fetch: %g cycles a step\n", of[i].S, of[i].R, of[i].local,
           of[i].stream, of[i].fetched, a_step);
    ff_ssp_program_free(p);
  }
}

FF_TEST_MAIN("table of a processor", makes_table_ii, speeds)
