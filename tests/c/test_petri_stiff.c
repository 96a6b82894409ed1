/* Kernels for small Petri nets whose flows are stiff: implicit steps of a thread have the bits of the engine. */
#include "petri_hard.h"

#include "petri_drawn.h"
#include "petri_stiff.h"

enum { UNITS = 3, DRAWN_STIFF = 12, STIFF_UNITS = 8 };

static void stiff_nets_give_the_trajectories(void) {
  hard_nets_give_the_trajectories(stiff_nets, STIFF_NETS, STIFF_UNITS, CODE_QUICK);
}

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
  static drawn_net nets[DRAWN_STIFF];
  static code_case cases[DRAWN_STIFF];
  uint32_t stiff = 0, timed = 0;
  drawn_nets_by(nets, DRAWN_STIFF, 1, write, integrator, ff_petri_code_check);
  for (uint32_t i = 0; i < DRAWN_STIFF; i++) cases[i] = nets[i].of;
  code_play(cases, DRAWN_STIFF, CODE_QUICK);
  for (uint32_t i = 0; i < DRAWN_STIFF; i++) {
    timed += cases[i].program->timed_flows;
    if (cases[i].program->options.integrator == FF_PETRI_AUTO) stiff += is_stiff(&cases[i], &nets[i].net);
  }
  FF_CHECK_SAY(stiff > DRAWN_STIFF / 6 && timed > DRAWN_STIFF / 8, "%u nets are stiff, %u have flows of the time", stiff, timed);
  drawn_check(cases, DRAWN_STIFF);
  code_end(cases, DRAWN_STIFF);
  drawn_end(nets, DRAWN_STIFF);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------ */

static void large_stiff_nets_have_no_code(void) {
  static const hostile_many levels = {"c x%u 0.1\nf 0 -> x%u|1\nf x%u -> 0|x%u\n", 8, "p n 0\n", "s 0 -> n|x3 * x1", ""};
  static char text[1000];
  for (uint32_t more = 0; more < 2; more++)
    for (int k = FF_PETRI_AUTO; k <= FF_PETRI_ROSENBROCK; k++) {
      petri_text x;
      ff_error err;
      hostile_write_many(text, sizeof text, &levels, levels.most + more);
      hostile_write(&x, text);
      petri_compile(&x, &(ff_petri_options){.integrator = (ff_petri_integrator)k});
      if (x.program == NULL) return;
      const ff_status status = ff_petri_code_check(x.program, &err);
      if (more && k == FF_PETRI_ROSENBROCK)
        FF_CHECK_FAILS(status, FF_EUNSUPPORTED, &err,
                       "the net has 9 continuous places that flows change, and implicit steps; expected at most 8");
      else
        FF_CHECK_OK(status, &err);
      petri_end(&x);
    }
}

static void stiff_blocks_have_no_code(void) {
  petri_text x;
  ff_petri_code code;
  ff_error err;
  hostile_write(&x, stiff_nets[1].text);
  petri_compile(&x, &(ff_petri_options){.integrator = FF_PETRI_ROSENBROCK});
  if (x.program == NULL) return;
  FF_CHECK_FAILS(ff_petri_code_block_new(&code, x.program, 1, &err), FF_EUNSUPPORTED, &err,
                 "no kernel simulates nets with integrator = \"rosenbrock\" by windows yet");
  petri_end(&x);
}

/* Explicit steps of flows that read no level are never stiff, so code for such nets is short. */
static void some_nets_are_never_stiff(void) {
  static const char *const nets[] = {"c x 0\np n 0\nf 0 -> x|n * (1.2 + sin(time))\ns 0 -> n|x", "p n 0\ns 0 -> n|1",
                                     "c x 0\np n 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|x"};
  for (int i = 0; i < 3; i++) {
    petri_text x;
    code_case of = {.last = 1};
    ff_error err;
    hostile_write(&x, nets[i]);
    petri_compile(&x, &(ff_petri_options){0});
    if (x.program == NULL) return;
    of.program = x.program;
    code_ask(&of);
    const ff_status status = ff_petri_code_new(&of.code, x.program, &of.request, FF_PETRI_CODE_SHARED, &err);
    FF_CHECK_OK(status, &err);
    if (status != FF_OK) return;
    FF_CHECK((strstr(of.code.definitions, "#define P_IMPLICIT 0\n") != NULL) == (i < 2));
    code_end(&of, 1);
    petri_end(&x);
  }
}

FF_TEST_MAIN("petri_stiff", code_make_folder, stiff_nets_give_the_trajectories, random_stiff_nets_give_the_trajectories,
             large_stiff_nets_have_no_code, stiff_blocks_have_no_code, some_nets_are_never_stiff, code_remove_folder)
