/* Nets that are hard for a kernel, played by the code that is generated for them. */
#ifndef FF_TESTS_PETRI_HARD_H
#define FF_TESTS_PETRI_HARD_H

#include "petri_code.h"
#include "petri_hostile.h"

enum { HARD_UNITS = 40 };

/* What cannot be simulated is refused, and all else has the bits, in so many trajectories of each net. What fails on the
 * processor is always refused: code_compare_each(). */
static inline void hard_nets_give_the_trajectories(const hostile_net *list, uint32_t n, uint32_t units, const char *compiled) {
  petri_text *nets = ff_calloc(n, sizeof *nets);
  code_case *cases = ff_calloc(n, sizeof *cases);
  for (uint32_t i = 0; i < n; i++) {
    const hostile_net *of = &list[i];
    const ff_petri_options options = {.integrator = of->integrator, .relative = of->relative};
    hostile_write(&nets[i], of->text);
    petri_compile(&nets[i], &options);
    if (nets[i].program == NULL) return;
    cases[i] = (code_case){.what = of->what, .program = nets[i].program, .last = of->last, .units = units,
                           .firings = i % 3 != 0, .most_refused = of->most == HOSTILE_ALL ? units : (uint32_t)of->most,
                           .quiet = of->least > 0, .alone = i % 4 == 0};
  }
  code_play(cases, n, compiled);
  for (uint32_t i = 0; i < n; i++) {
    const hostile_net *of = &list[i];
    const int least = of->least == HOSTILE_ALL ? (int)units : of->least;
    FF_CHECK_SAY((int)cases[i].refused >= least, "%s: %u refused", of->what, cases[i].refused);
    FF_CHECK_SAY((int)cases[i].failed >= of->least_failed && (cases[i].failed == 0 || of->least_failed > 0), "%s: %u failed",
                 of->what, cases[i].failed);
  }
  code_end(cases, n);
  for (uint32_t i = 0; i < n; i++) petri_end(&nets[i]);
  free(nets);
  free(cases);
}

#endif
