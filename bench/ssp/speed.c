/* `make bench-ssp` compiles and runs it, and prints a table: how fast one core executes programs of a Stochastic Simulation
 * Processor, in instructions of reaction units a second, with the waiting times. The networks are like those of the processor's
 * authors: M reactions are M / 8 copies of colloidal aggregation, which share N species. */
#include <stdio.h>
#include <stdlib.h>

#include "../../src/ssp/compile/ff_ssp_compile.h"
#include "../../src/ssp/run/ff_ssp_run_internal.h"
#include "../../tests/c/ssp_networks.h"

#define SECONDS 1.0

typedef struct {
  uint32_t reactions, species, rus, precision, logarithm;
} bench;

static int run(const bench *b, ff_ssp_optimise optimise) {
  ff_reactions *net = aggregation_network(b->reactions / 8, b->species / 4, 1);
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.rus = b->rus;
  chip.precision = b->precision;
  chip.logarithm = b->logarithm;
  ff_ssp_program *program = NULL;
  ff_ssp_code *code;
  ff_ssp_spe *spe;
  ff_error err;
  ff_status status = ff_ssp_compile(&program, net, &chip, optimise, 1, &err);
  if (status != FF_OK || ff_ssp_code_new(&code, program, &err) != FF_OK || ff_ssp_spe_new(&spe, code, NULL, &err) != FF_OK) {
    printf("%s\n", err.text);
    return 1;
  }
  ff_ssp_spe_start(spe, 1, 0, NULL);
  const double began = ff_clock();
  double seconds = 0;
  uint64_t steps = 0, fetched = 0;
  while (seconds < SECONDS) {
    for (int i = 0; i < 4; i++) ff_ssp_spe_step(spe);
    steps += 4;
    seconds = ff_clock() - began;
  }
  for (uint32_t j = 0; j < b->rus; j++) fetched += code->units[j].n_data;
  const double n = (double)ff_ssp_instructions(program);
  printf("%9u %8u %5u %9s %5u %5u %8.0f%% %12.3g %14.3g\n", b->reactions, b->species, b->rus, ff_ssp_optimise_name(optimise),
         b->precision, b->logarithm, 100 * (double)fetched / n, (double)steps / seconds, n * (double)steps / seconds);
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
  ff_ssp_program_free(program);
  ff_reactions_free(net);
  return 0;
}

int main(void) {
  static const uint32_t sizes[][3] = {{8, 4, 1}, {128, 16, 1}, {1024, 128, 8}, {32768, 4096, 8}, {65536, 8192, 32}};
  printf("%9s %8s %5s %9s %5s %5s %9s %12s %14s\n", "reactions", "species", "RUs", "optimise", "bits", "table", "fetched",
         "steps/s", "instructions/s");
  int failed = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    bench b = {.reactions = sizes[i][0], .species = sizes[i][1], .rus = sizes[i][2], .precision = 32};
    for (int optimise = 0; optimise < FF_SSP_OPTIMISES; optimise++) failed |= run(&b, optimise);
    b.logarithm = 10;
    failed |= run(&b, FF_SSP_PAPER);
    b.logarithm = 0;
    b.precision = 64;
    failed |= run(&b, FF_SSP_PAPER);
  }
  return failed;
}
