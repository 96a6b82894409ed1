/* Kernels for small Petri nets, a thread for each trajectory: their code is compiled for this processor, and gives the bits of the
 * engine. */
#include "petri_code.h"

#include "petri_small.h"
#include "random.h"

enum { UNITS = 40 };

static void small_nets_give_the_trajectories(void) {
  for (size_t i = 0; i < SMALL_NETS; i++) {
    petri_text x;
    small_compile(&x, &small_nets[i]);
    if (x.program != NULL) check_code(x.program, small_nets[i].last, UNITS, NULL, i % 2 == 0, 0, small_nets[i].what);
    petri_end(&x);
  }
}

FF_TEST_MAIN("petri_code", code_make_folder, small_nets_give_the_trajectories, code_remove_folder)
