/* Waiting times of the largest network of the paper, 524,288 reactions. The winner's uniform number is then so near to 1 that
 * binary32 does not tell it from 1 in a part of the steps. */
#include <math.h>

#include "../../src/ssp/compile/ff_ssp_compile.h"
#include "../../src/ssp/run/ff_ssp_run_internal.h"
#include "ssp_networks.h"

#define REACTIONS 524288u
#define STEPS 600u    /* whose random words are looked at */
#define EXECUTED 40u  /* by the processor */
#define KEY 77u
#define TRAJECTORY 5u

/* All have the propensity 1. */
static ff_reactions *sources(void) {
  ff_reactions *net = elementary_network(1, REACTIONS, 0);
  ff_error err;
  for (uint32_t r = 0; r < REACTIONS; r++)
    elementary_reaction(net, r, (const uint32_t[2]){UINT32_MAX, UINT32_MAX}, (const uint32_t[2]){0, UINT32_MAX}, 1);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

/* The largest word of a step, which gives the shortest waiting time; *tag is its reaction. */
static uint32_t largest_word(uint64_t step, uint32_t *tag) {
  uint32_t most = 0;
  *tag = 0;
  for (uint32_t r = 0; r < REACTIONS; r += 4) {
    const ff_philox_block x = ff_philox(ff_philox_counter(FF_SSP_DRAW_FIRST32, r / 4, step, TRAJECTORY), KEY);
    for (uint32_t k = 0; k < 4; k++)
      if (x.v[k] > most) most = x.v[k], *tag = r + k;
  }
  return most;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The shortest of M waiting times of rate 1 has the rate M. A uniform number that is rounded to binary32 is 1 with probability
 * 2^-25, so that a step has a waiting time of 0 with probability 1 - (1 - 2^-25)^524288 = 0.0155; none of 600 steps has one with
 * probability 8.5e-5. */
static void no_wait_is_0(void) {
  static double wait[STEPS];
  uint32_t zeros = 0, winner[STEPS];
  for (uint32_t i = 0; i < STEPS; i++) {
    const double u = ((double)largest_word(i, &winner[i]) + 0.5) * 0x1p-32;
    zeros += logf((float)u) == 0;
    wait[i] = -log1p(u - 1); /* u - 1 is exact */
  }
  FF_CHECK(zeros > 0);

  ff_reactions *net = sources();
  const ff_ssp_chip chip = ff_ssp_chip_default();
  ff_ssp_program *program = NULL;
  ff_ssp_code *code = NULL;
  ff_ssp_spe *spe = NULL;
  ff_error err;
  FF_CHECK_OK(ff_ssp_compile(&program, net, &chip, FF_SSP_PAPER, 1, &err), &err);
  FF_CHECK_OK(ff_ssp_code_new(&code, program, &err), &err);
  FF_CHECK_OK(ff_ssp_spe_new(&spe, code, NULL, &err), &err);
  ff_ssp_spe_start(spe, KEY, TRAJECTORY, NULL);
  for (uint32_t i = 0; i < EXECUTED && ff_ssp_spe_step(spe); i++) {
    const ff_ssp_winner *w = ff_ssp_spe_winner(spe);
    FF_CHECK_INT(w->tag, winner[i]);
    FF_CHECK_SAY(fabs(w->wait / wait[i] - 1) <= 0x1p-23, "step %u: %g, not %g", i, w->wait, wait[i]); /* rounded to binary32 */
  }
  FF_CHECK_INT(ff_ssp_spe_winner(spe)->step, EXECUTED - 1);
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
  ff_ssp_program_free(program);
  ff_reactions_free(net);

  /* The distance of Kolmogorov and Smirnov; above 1.95 / sqrt(n) with probability 1e-3. */
  double distance = 0;
  qsort(wait, STEPS, sizeof *wait, by_size);
  for (uint32_t i = 0; i < STEPS; i++) {
    const double p = -expm1(-wait[i] * REACTIONS);
    distance = fmax(distance, fmax(p - (double)i / STEPS, (i + 1.0) / STEPS - p));
  }
  FF_CHECK_SAY(distance < 1.95 / sqrt(STEPS), "%g", distance);
}

FF_TEST_MAIN("ssp_large", no_wait_is_0)
