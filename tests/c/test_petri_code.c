/* Kernels for small Petri nets, a thread for each trajectory: their code is compiled for this processor, and gives the bits of the
 * engine. */
#include "petri_code.h"

#include "petri_small.h"
#include "random.h"

enum { UNITS = 40 };

static void small_nets_give_the_trajectories(void) {
  petri_text nets[SMALL_NETS];
  code_case cases[SMALL_NETS] = {0};
  uint32_t n = 0;
  for (size_t i = 0; i < SMALL_NETS; i++) {
    small_compile(&nets[i], &small_nets[i]);
    if (nets[i].program == NULL) continue;
    cases[n++] = (code_case){.what = small_nets[i].what, .program = nets[i].program, .last = small_nets[i].last, .units = UNITS,
                             .firings = i % 2 == 0};
  }
  code_play(cases, n);
  code_end(cases, n);
  for (size_t i = 0; i < SMALL_NETS; i++) petri_end(&nets[i]);
}

FF_TEST_MAIN("petri_code", code_make_folder, small_nets_give_the_trajectories, code_remove_folder)
