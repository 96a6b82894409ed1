/* Kernels that read Petri nets as data, a warp for each trajectory: their steps run on this processor, one lane after the other,
 * and give the bits of the engine. */
#include "petri_code.h"

#include "../../src/cuda/petri/code/ff_petri_kinds.h"
#include "../../src/cuda/petri/data/ff_petri_warp.h"
#include "petri_drawn.h"
#include "petri_hostile.h"
#include "petri_large.h"

enum { UNITS = 40 };

/* ---- playing ------------------------------------------------------------------------------------------------------------ */

/* Launches until the wave is complete, with few turns at a time. */
static void launch_all(ff_launch *run, const ff_petri_image *image, int elsewhere) {
  static const uint32_t steps[] = {1, 7, 1300, 64};
  char *work = elsewhere ? ff_calloc_aligned(1, (size_t)w_state_bytes(image)) : NULL;
  memset(run->state, 0xA5, CODE_SLOTS * (size_t)w_slot_bytes(image)); /* what a device has there */
  for (uint32_t i = 0; run->counters->complete < run->units && run->counters->fired < CODE_FIRINGS / 2 && i < 1000000; i++) {
    const uint64_t before = run->counters->fired;
    run->steps = steps[i % 4];
    for (uint32_t k = 0; k < CODE_TURN; k++) {
      if (elsewhere) memset(work, 0x5A, (size_t)w_state_bytes(image));
      w_run(image, run, work, FF_SLOT_OF(run, k));
    }
    FF_CHECK(run->counters->fired - before <= (uint64_t)CODE_TURN * run->steps);
    ff_next_turn(run, CODE_TURN);
  }
  ff_free_aligned(work);
}

/* Makes the image of a net, and compares what it gives with the engine. */
static void play_one(code_case *x, int elsewhere) {
  ff_petri_image image;
  void *memory;
  size_t bytes;
  ff_error err;
  code_ask(x);
  FF_CHECK_OK(ff_petri_image_new(&image, &memory, &bytes, x->program, &x->request, &err), &err);
  if (memory == NULL) return;
  x->run = code_launch(w_slot_bytes(&image), &x->request, x->units);
  x->is_refused = ff_calloc(x->units, 1);
  launch_all(&x->run, &image, elsewhere);
  code_compare(x);
  code_free(&x->run);
  free(x->is_refused);
  ff_free_aligned(memory);
}

/* ---- nets --------------------------------------------------------------------------------------------------------------- */

static void small_nets_give_the_trajectories(void) {
  for (size_t i = 0; i < SMALL_NETS; i++) {
    petri_text net;
    small_compile(&net, &small_nets[i]);
    if (net.program == NULL) continue;
    code_case x = {.what = small_nets[i].what, .program = net.program, .last = small_nets[i].last, .units = UNITS,
                   .firings = i % 2 == 0, .alone = small_nets[i].write == small_shared};
    play_one(&x, (int)(i % 2));
    petri_end(&net);
  }
}

/* ---- random nets -------------------------------------------------------------------------------------------------------- */

static void random_nets_give_the_trajectories(void) {
  static drawn_net nets[DRAWN];
  static code_case cases[DRAWN];
  drawn_nets(nets, DRAWN, ff_petri_check_kinds);
  for (uint32_t i = 0; i < DRAWN; i++) {
    cases[i] = nets[i].of;
    play_one(&cases[i], (int)(i % 2));
  }
  drawn_check(cases, DRAWN);
  drawn_end(nets, DRAWN);
}

/* ---- nets that are hard ------------------------------------------------------------------------------------------------- */

/* What fails on the processor is always refused: code_compare_each(). A warp keeps larger counts than code for a net does. */
static void hostile_nets_give_the_trajectories(void) {
  for (size_t i = 0; i < HOSTILE_NETS; i++) {
    const hostile_net *of = &hostile_nets[i];
    const ff_petri_options options = {.integrator = of->integrator, .relative = of->relative};
    petri_text net;
    hostile_write(&net, of->text);
    petri_compile(&net, &options);
    if (net.program == NULL) return;
    code_case x = {.what = of->what, .program = net.program, .last = of->last, .units = UNITS, .firings = i % 3 != 0,
                   .most_refused = of->most == HOSTILE_ALL ? UNITS : (uint32_t)of->most, .quiet = of->least > 0,
                   .alone = i % 4 == 0};
    play_one(&x, (int)(i % 2));
    const int large = strcmp(of->what, "counts near the largest") == 0 || strcmp(of->what, "large weights") == 0;
    const int least = large ? 0 : of->least == HOSTILE_ALL ? UNITS : of->least;
    FF_CHECK_SAY((int)x.refused >= least && (!large || x.refused == 0), "%s: %u refused", of->what, x.refused);
    FF_CHECK_SAY((int)x.failed >= of->least_failed && (x.failed == 0 || of->least_failed > 0), "%s: %u failed", of->what,
                 x.failed);
    petri_end(&net);
  }
}

/* ---- larger nets -------------------------------------------------------------------------------------------------------- */

/* Nets for which no code is generated. */
static void large_nets_give_the_trajectories(void) {
  for (size_t i = 0; i < LARGE_NETS; i++) {
    petri_text net;
    ff_error err;
    large_compile(&net, &large_nets[i]);
    if (net.program == NULL) continue;
    FF_CHECK_FAILS(ff_petri_code_check(net.program, &err), FF_EUNSUPPORTED, &err, "the net has");
    code_case x = {.what = large_nets[i].what, .program = net.program, .last = large_nets[i].last, .units = UNITS / 4,
                   .firings = 1, .alone = 1};
    play_one(&x, (int)(i % 2));
    petri_end(&net);
  }
}

FF_TEST_MAIN("petri_image", small_nets_give_the_trajectories, random_nets_give_the_trajectories,
             hostile_nets_give_the_trajectories, large_nets_give_the_trajectories)
