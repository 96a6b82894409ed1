/* Mutants of files of the Stochastic Simulation Processor for longer than make check may take: campaign_ssp MUTANTS [SEED]. Each
 * program gives 200 of them. make campaign-ssp runs it with 1e6 mutants, under the sanitizers. */
#include "../c/ssp_mutants.h"

int main(int argc, char **argv) {
  const double wanted = argc > 1 ? atof(argv[1]) : 1e4;
  uint64_t seed = argc > 2 ? (uint64_t)atof(argv[2]) : 1000;
  mutant_counts counts = {0};
  if (!(wanted >= 0 && wanted <= 1e15)) {
    fprintf(stderr, "usage: %s MUTANTS [SEED]\n", argv[0]);
    return 2;
  }
  ff_check_state.test = "campaign";
  for (; (double)counts.tried < wanted; seed++) try_mutants(seed, 200, &counts);
  printf("%llu mutants, up to seed %llu: %llu accepted (%llu compiled anew)", (unsigned long long)counts.tried,
         (unsigned long long)(seed - 1), (unsigned long long)counts.accepted, (unsigned long long)counts.compiled);
  for (int i = 0; i < 32; i++)
    if (counts.refused[i] > 0)
      printf(", %llu refused with %s", (unsigned long long)counts.refused[i], ff_status_name((ff_status)i));
  printf(": %ld failures\n", ff_check_state.failures);
  return ff_check_state.failures > 0;
}
