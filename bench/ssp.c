/* `make bench-ssp` compiles and runs it, and prints a table: how fast one core executes programs of a Stochastic Simulation
 * Processor, in instructions of reaction units a second, with the waiting times. The networks are those of colloidal aggregation
 * that the processor's authors use: sets of 4 species and 8 reactions. Programs are made at random (tests/c/ssp_nets.h). */
#include <stdio.h>
#include <stdlib.h>

#include "../tests/c/ssp_nets.h"

#define SECONDS 1.0

/* So many sets; some reactions have a species of another set, so that sets are coupled. */
static ff_reactions *colloids(uint32_t sets, uint64_t *state) {
  static const uint32_t takes[8][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 9}, {2, 9}, {3, 9}, {3, 9}};
  static const uint32_t makes[8][2] = {{1, 9}, {2, 9}, {3, 9}, {3, 9}, {0, 0}, {0, 1}, {0, 2}, {1, 1}};
  ff_reactions *net;
  ff_error err;
  if (ff_reactions_new(&net, 4 * sets, 0, 8 * sets, &err) != FF_OK) exit(1);
  for (uint32_t s = 0; s < 4 * sets; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = 10;
  }
  for (uint32_t r = 0; r < 8 * sets; r++) {
    ff_reaction *to = &net->reactions[r];
    uint32_t from[2], into[2];
    for (int i = 0; i < 2; i++) from[i] = r / 8 * 4 + takes[r % 8][i] % 9, into[i] = r / 8 * 4 + makes[r % 8][i] % 9;
    to->name = ff_strndup("", 0);
    to->mass_action = 1;
    if (ff_formula_of_number(&to->rate, uniform(state), &err) != FF_OK) exit(1);
    ssp_side(&to->reactants, &to->n_reactants, from, takes[r % 8][1] == 9 ? 1 : 2);
    ssp_side(&to->products, &to->n_products, into, makes[r % 8][1] == 9 ? 1 : 2);
  }
  if (ff_reactions_finish(net, &err) != FF_OK) exit(1);
  return net;
}

static int run(uint32_t sets, uint32_t rus, uint32_t precision, uint32_t logarithm, uint32_t internal) {
  uint64_t state = 1;
  ff_reactions *net = colloids(sets, &state);
  ssp_shape shape = {.chip = ff_ssp_chip_default(), .phases = 1, .internal = internal, .local = 10};
  shape.chip.rus = rus;
  shape.chip.precision = precision;
  shape.chip.logarithm = logarithm;
  ff_ssp_program *program = ssp_random_program(2, net, &shape);
  ff_ssp_code *code;
  ff_ssp_spe *spe;
  ff_error err;
  if (ff_ssp_code_new(&code, program, &err) != FF_OK || ff_ssp_spe_new(&spe, code, NULL, &err) != FF_OK) {
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
  for (uint32_t j = 0; j < rus; j++) fetched += code->units[j].n_data[0];
  const double n = (double)ff_ssp_code_instructions(code, 0);
  printf("%9u %5u %5u %10u %9.0f %8.0f%% %12.3g %14.3g\n", 8 * sets, rus, precision, logarithm, n, 100 * (double)fetched / n,
         (double)steps / seconds, n * (double)steps / seconds);
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
  ff_ssp_program_free(program);
  ff_reactions_free(net);
  return 0;
}

int main(void) {
  static const uint32_t sets[] = {1, 128, 1024, 8192};
  printf("%9s %5s %5s %10s %9s %9s %12s %14s\n", "reactions", "RUs", "bits", "logarithm", "instr.", "fetched", "steps/s", "instructions/s");
  int failed = 0;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (uint32_t rus = 1; rus <= 16; rus *= 16) {
      failed |= run(sets[i], rus, 32, 0, 50);
      failed |= run(sets[i], rus, 32, 10, 50);
      failed |= run(sets[i], rus, 64, 0, 50);
    }
  return failed;
}
