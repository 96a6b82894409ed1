/* Mutants of program files: refused with a sentence, or programs that do no harm. `make campaign-ssp` tries more of them. */
#include "ssp_mutants.h"

static void mutants_are_refused_or_right(void) {
  mutant_counts counts = {0};
  for (uint64_t seed = 1; seed <= 150; seed++) try_mutants(seed, 40, &counts);
  FF_CHECK_INT(counts.tried, 6000);
  /* Both happen often enough to say something; about a fifth is accepted. */
  FF_CHECK_SAY(counts.accepted > 600 && counts.accepted < 5000, "%llu are accepted", (unsigned long long)counts.accepted);
  FF_CHECK(counts.compiled > counts.accepted / 2);
  FF_CHECK(counts.refused[FF_EPARSE] > 0 && counts.refused[FF_EMODEL] > 0 && counts.refused[FF_EARGUMENT] > 0);
}

FF_TEST_MAIN("ssp_mutants", mutants_are_refused_or_right)
