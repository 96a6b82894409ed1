/* Kernels for small Petri nets whose flows are stiff: implicit steps of a thread have the bits of the engine. */
#include "petri_hard.h"

#include "petri_drawn.h"
#include "petri_stiff.h"

enum { UNITS = 3 };

static void stiff_nets_give_the_trajectories(void) { hard_nets_give_the_trajectories(stiff_nets, STIFF_NETS, CODE_THOROUGH); }

/* Whether the states after a short time differ from those by the explicit method alone, which takes long. */
static uint32_t is_stiff(const code_case *x, const petri_text *net) {
  const ff_petri_options options = {.integrator = FF_PETRI_DORMAND_PRINCE, .relative = x->program->options.relative,
                                    .one_clock = x->program->options.one_clock};
  static const double soon[] = {0.1};
  ff_petri_program *program;
  code_case own = *x, other = *x;
  code_part here, there;
  ff_error err;
  uint32_t differ = 0;
  FF_CHECK_OK(ff_petri_program_new(&program, net->flat, &options, &err), &err);
  own.request.times = other.request.times = soon;
  own.request.n_times = other.request.n_times = 1;
  other.program = program;
  const int fine = code_simulate(&here, &own, 0, UNITS, &err) == FF_OK;
  if (code_simulate(&there, &other, 0, UNITS, &err) == FF_OK && fine)
    for (uint32_t j = 0; j < x->request.n_observed; j++)
      differ |= memcmp(here.states[j], there.states[j], UNITS * sizeof(double)) != 0;
  code_part_free(&here);
  code_part_free(&there);
  ff_petri_program_free(program);
  return differ;
}

static void random_stiff_nets_give_the_trajectories(void) {
  static const drawn_writer write[] = {hybrid_write_stiff, hybrid_write_stiff};
  static const ff_petri_integrator integrator[] = {FF_PETRI_AUTO, FF_PETRI_ROSENBROCK};
  static drawn_net nets[DRAWN];
  static code_case cases[DRAWN];
  uint32_t stiff = 0, timed = 0;
  drawn_nets_by(nets, DRAWN, 1, write, integrator, ff_petri_code_check);
  for (uint32_t i = 0; i < DRAWN; i++) cases[i] = nets[i].of;
  code_play(cases, DRAWN, CODE_QUICK);
  for (uint32_t i = 0; i < DRAWN; i++) {
    timed += cases[i].program->timed_flows;
    if (cases[i].program->options.integrator == FF_PETRI_AUTO) stiff += is_stiff(&cases[i], &nets[i].net);
  }
  FF_CHECK_SAY(stiff > DRAWN / 4 && timed > DRAWN / 8, "%u nets are stiff, %u have flows of the time", stiff, timed);
  drawn_check(cases, DRAWN);
  code_end(cases, DRAWN);
  drawn_end(nets, DRAWN);
}

FF_TEST_MAIN("petri_stiff", code_make_folder, stiff_nets_give_the_trajectories, random_stiff_nets_give_the_trajectories,
             code_remove_folder)
