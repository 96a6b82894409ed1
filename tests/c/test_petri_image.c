/* Kernels that read Petri nets as data, a warp for each trajectory: their steps run on this processor, one lane after the other,
 * and give the bits of the engine. */
#include "petri_code.h"

#include "../../src/cuda/petri/code/ff_petri_kinds.h"
#include "../../src/cuda/petri/data/ff_petri_warp.h"
#include "petri_drawn.h"
#include "petri_hostile.h"
#include "petri_stiff.h"
#include "petri_large_stiff.h"

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

/* Makes the image of a net, and compares what it gives with the engine. implicit: whether steps may be implicit. */
static void play_by(code_case *x, int elsewhere, int implicit) {
  ff_petri_image image;
  void *memory;
  size_t bytes;
  ff_error err;
  code_ask(x);
  FF_CHECK_OK(ff_petri_image_new(&image, &memory, &bytes, x->program, &x->request, &err), &err);
  if (memory == NULL) return;
  image.implicit &= (uint32_t)implicit;
  x->run = code_launch(w_slot_bytes(&image), &x->request, x->units);
  x->is_refused = ff_calloc(x->units, 1);
  launch_all(&x->run, &image, elsewhere);
  code_compare(x);
  code_free(&x->run);
  free(x->is_refused);
  ff_free_aligned(memory);
}

static void play_one(code_case *x, int elsewhere) { play_by(x, elsewhere, 1); }

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

/* Whether a net can be data. */
static ff_status check_image(const ff_petri_program *p, ff_error *err) {
  static const double times[] = {1};
  static const uint32_t observed[] = {0};
  const ff_device_request request = {.initial = p->start, .times = times, .n_times = 1, .observed = observed, .n_observed = 1,
                                     .reals = 1};
  ff_petri_image image;
  void *memory;
  size_t bytes;
  const ff_status status = ff_petri_image_new(&image, &memory, &bytes, p, &request, err);
  ff_free_aligned(memory);
  return status;
}

static void random_nets_give_the_trajectories(void) {
  static drawn_net nets[DRAWN];
  static code_case cases[DRAWN];
  drawn_nets(nets, DRAWN, 0, check_image);
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
    large_compile(&net, &large_nets[i], FF_PETRI_AUTO);
    if (net.program == NULL) continue;
    FF_CHECK_FAILS(ff_petri_code_check(net.program, &err), FF_EUNSUPPORTED, &err, "the net has");
    code_case x = {.what = large_nets[i].what, .program = net.program, .last = large_nets[i].last, .units = UNITS / 4,
                   .firings = 1, .alone = 1};
    play_one(&x, (int)(i % 2));
    petri_end(&net);
  }
}

/* ---- stiff nets --------------------------------------------------------------------------------------------------------- */

/* Plays a net, with implicit steps, and without them. Counts trajectories that need them. */
static void play_stiff(const code_case *of, int elsewhere, uint32_t *stiff) {
  code_case x = *of, without = *of;
  play_one(&x, elsewhere);
  if (of->program->options.integrator != FF_PETRI_AUTO) return;
  without.most_refused = (uint32_t)of->units;
  without.firings = without.alone = 0;
  play_by(&without, !elsewhere, 0);
  *stiff += without.refused;
}

/* Those that can be data. */
static void stiff_nets_give_the_trajectories(void) {
  uint32_t stiff = 0, played = 0;
  for (size_t i = 0; i < STIFF_NETS; i++) {
    const hostile_net *of = &stiff_nets[i];
    const ff_petri_options options = {.integrator = of->integrator, .relative = of->relative};
    const uint32_t units = 4;
    petri_text net;
    ff_error err;
    hostile_write(&net, of->text);
    petri_compile(&net, &options);
    if (net.program == NULL) return;
    const code_case x = {.what = of->what, .program = net.program, .last = of->last, .units = units, .firings = 1,
                         .most_refused = of->most == HOSTILE_ALL ? units : (uint32_t)of->most, .alone = i % 3 == 0};
    if (check_image(net.program, &err) == FF_OK) {
      play_stiff(&x, (int)(i / 2 % 2), &stiff);
      played++;
    }
    petri_end(&net);
  }
  FF_CHECK_SAY(played > 24 && stiff > 30, "%u nets, %u trajectories are stiff", played, stiff);
}

static void large_stiff_nets_give_the_trajectories(void) {
  for (size_t i = 0; i < LARGE_STIFF_NETS; i++) {
    const large_stiff *of = &large_stiff_nets[i];
    uint32_t stiff = 0;
    petri_text net;
    large_compile(&net, &of->net, of->integrator);
    if (net.program == NULL) continue;
    const code_case x = {.what = of->net.what, .program = net.program, .last = of->net.last, .units = 4, .firings = 1,
                         .alone = i % 4 == 0};
    play_stiff(&x, (int)(i % 2), &stiff);
    FF_CHECK_SAY(stiff == (of->integrator == FF_PETRI_AUTO ? x.units : 0), "%s: %u are stiff", x.what, stiff);
    petri_end(&net);
  }
}

static void random_stiff_nets_give_the_trajectories(void) {
  enum { DRAWN_STIFF = 4 };
  static const drawn_writer write[] = {hybrid_write_stiff, hybrid_write_stiff};
  static const ff_petri_integrator integrator[] = {FF_PETRI_AUTO, FF_PETRI_ROSENBROCK};
  static drawn_net nets[DRAWN_STIFF];
  static code_case cases[DRAWN_STIFF];
  drawn_nets_by(nets, DRAWN_STIFF, 0, write, integrator, check_image);
  for (uint32_t i = 0; i < DRAWN_STIFF; i++) {
    cases[i] = nets[i].of;
    play_one(&cases[i], (int)(i % 2));
  }
  drawn_check(cases, DRAWN_STIFF);
  drawn_end(nets, DRAWN_STIFF);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------- */

/* Whether a net is refused, with a text, or with NULL is not. */
static void check_refusal(const ff_petri_program *p, const ff_device_request *request, const char *tells) {
  ff_petri_image image;
  void *memory;
  size_t bytes;
  ff_error err;
  const ff_status status = ff_petri_image_new(&image, &memory, &bytes, p, request, &err);
  if (tells == NULL)
    FF_CHECK_OK(status, &err);
  else
    FF_CHECK_FAILS(status, FF_EUNSUPPORTED, &err, tells);
  FF_CHECK((memory == NULL) == (status != FF_OK));
  ff_free_aligned(memory);
}

static void check_until(const char *text, const ff_formula *until, const char *tells) {
  static const double times[] = {1};
  static const uint32_t observed[] = {0};
  petri_text x;
  hostile_write(&x, text);
  petri_compile(&x, &(ff_petri_options){0});
  if (x.program != NULL) {
    const ff_device_request request = {.initial = x.program->start, .times = times, .n_times = 1, .observed = observed,
                                       .n_observed = 1, .reals = 1, .until = until};
    check_refusal(x.program, &request, tells);
  }
  petri_end(&x);
}

static void check_text(const char *text, const char *tells) { check_until(text, NULL, tells); }

#define ALL_MAY "c x 0\np n 3\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|1 + x"

static void some_nets_are_no_data(void) {
  ff_formula_word many[] = {{FF_F_SYMBOL, 1, 0}, {FF_F_NUMBER, 0, 4}, {FF_F_GE, 0, 0}};
  const ff_formula until = {many, 3, 2};
  check_text("c x 0\np n 3\nf 0 -> x|1\nf x -> 0|0.5\ns 0 -> n|1",
             "no kernel simulates nets with flows that may empty a place yet");
  check_text("c x 0\np n 2e9\nf 0 -> x|1\nf x -> 0|x\ns n -> 0|x",
             "no kernel simulates nets with more than 2^30 tokens in a place yet");
  check_text(ALL_MAY "\ni n -> 0|1", "no kernel simulates nets with immediate transitions as data yet");
  check_text(ALL_MAY "\nd n -> 0|1", "no kernel simulates nets with deterministic or scheduled transitions as data yet");
  check_text(ALL_MAY "\na n -> 0|1,1", "no kernel simulates nets with deterministic or scheduled transitions as data yet");
  check_text(ALL_MAY "\ns n -> 0|n|x >= 1",
             "no kernel simulates nets with rates that switch where a level crosses a value as data yet");
  check_until(ALL_MAY, &until, "no kernel simulates nets with conditions that end trajectories as data yet");
  many[0].symbol = 0;
  check_until(ALL_MAY, &until, "no kernel simulates nets with conditions on levels or the time that end trajectories yet");
  check_text(ALL_MAY "\ns n -> 0|n", NULL);
}

/* A formula with so many numbers and operations around x, which keeps so many operands. */
static void write_nested(char *out, size_t size, uint32_t n) {
  size_t at = (size_t)snprintf(out, size, "c x 0\np n 3\ns 0 -> n|1\nf x -> 0|x\nf 0 -> x|");
  for (uint32_t k = 1; k < n; k++) at += (size_t)snprintf(out + at, size - at, "(1 + ");
  at += (size_t)snprintf(out + at, size - at, "x * x");
  for (uint32_t k = 1; k < n; k++) at += (size_t)snprintf(out + at, size - at, ")");
}

/* Formulas of 1, 3, ... 2 n - 1 words, which are all different. */
static void write_different(char *out, size_t size, uint32_t n) {
  size_t at = (size_t)snprintf(out, size, "c x 0\np n 3\ns 0 -> n|1\nf x -> 0|x\n");
  for (uint32_t k = 0; k < n; k++) {
    at += (size_t)snprintf(out + at, size - at, "f 0 -> x|x * x");
    for (uint32_t i = 0; i < k; i++) at += (size_t)snprintf(out + at, size - at, "%c x", i % 2 == 0 ? '+' : '*');
    at += (size_t)snprintf(out + at, size - at, "\n");
  }
}

static void sizes_are_limited(void) {
  static const hostile_many levels = {"c x%u 0.1\nf 0 -> x%u|1\nf x%u -> 0|x%u\n", FF_PETRI_IMAGE_LEVELS, "p n 0\n",
                                      "s 0 -> n|x3 * x1", NULL};
  const size_t size = (size_t)1 << 20;
  char *text = ff_calloc(size, 1);
  hostile_write_many(text, size, &levels, levels.most);
  check_text(text, NULL);
  hostile_write_many(text, size, &levels, levels.most + 1);
  check_text(text, "too large as data: the net has 4097 continuous places that flows change; expected at most 4096");
  write_nested(text, size, FF_PETRI_IMAGE_DEPTH - 1);
  check_text(text, NULL);
  write_nested(text, size, FF_PETRI_IMAGE_DEPTH);
  check_text(text, "too large as data: the net has 33 operands that a formula keeps; expected at most 32");
  write_different(text, size, 240);
  check_text(text, NULL);
  write_different(text, size, 270);
  check_text(text, "operations in formulas; expected at most 65536");
  free(text);
}

/* A net for a solver is refused, with a text, or has implicit steps, or not. */
static void check_stiff(const char *text, ff_petri_integrator integrator, const char *tells, uint32_t implicit) {
  static const double times[] = {1};
  static const uint32_t observed[] = {0};
  petri_text x;
  ff_petri_image image;
  void *memory;
  size_t bytes;
  ff_error err;
  hostile_write(&x, text);
  petri_compile(&x, &(ff_petri_options){.integrator = integrator});
  if (x.program == NULL) return;
  const ff_device_request request = {.initial = x.program->start, .times = times, .n_times = 1, .observed = observed,
                                     .n_observed = 1, .reals = 1};
  check_refusal(x.program, &request, tells);
  if (tells == NULL && ff_petri_image_new(&image, &memory, &bytes, x.program, &request, &err) == FF_OK) {
    FF_CHECK_INT(image.implicit, implicit);
    ff_free_aligned(memory);
  }
  petri_end(&x);
}

/* n levels, each of which reads all. */
static void write_full(char *out, size_t size, uint32_t n) {
  size_t at = (size_t)snprintf(out, size, "p n 0\ns 0 -> n|1\n");
  for (uint32_t i = 0; i < n; i++) at += (size_t)snprintf(out + at, size - at, "c x%u 0\n", i);
  for (uint32_t i = 0; i < n; i++) {
    at += (size_t)snprintf(out + at, size - at, "f 0 -> x%u|1", i);
    for (uint32_t k = 0; k < n; k++) at += (size_t)snprintf(out + at, size - at, "+x%u", k);
    at += (size_t)snprintf(out + at, size - at, "\n");
  }
}

/* n levels, each of which reads a few, here and there: so the factors have many entries. */
static void write_scattered(char *out, size_t size, uint32_t n) {
  size_t at = (size_t)snprintf(out, size, "p n 0\ns 0 -> n|1\n");
  for (uint32_t i = 0; i < n; i++) at += (size_t)snprintf(out + at, size - at, "c x%u 0\n", i);
  for (uint32_t i = 0; i < n; i++) {
    at += (size_t)snprintf(out + at, size - at, "f 0 -> x%u|x%u", i, i);
    for (uint32_t k = 1; k < 16; k++) at += (size_t)snprintf(out + at, size - at, "+x%u", (i * (2 * k + 5) + 31 * k * k) % n);
    at += (size_t)snprintf(out + at, size - at, "\n");
  }
}

static void implicit_steps_are_limited(void) {
  static const hostile_many levels = {"c x%u 0.1\nf 0 -> x%u|1\nf x%u -> 0|x%u\n", FF_PETRI_STIFF_LEVELS, "p n 0\n",
                                      "s 0 -> n|x3 * x1", NULL};
  const size_t size = (size_t)1 << 20;
  char *text = ff_calloc(size, 1);
  hostile_write_many(text, size, &levels, levels.most);
  check_stiff(text, FF_PETRI_ROSENBROCK, NULL, 1);
  check_stiff(text, FF_PETRI_AUTO, NULL, 1);
  check_stiff(text, FF_PETRI_DORMAND_PRINCE, NULL, 0);
  hostile_write_many(text, size, &levels, levels.most + 1);
  check_stiff(text, FF_PETRI_ROSENBROCK,
              "the net has 513 continuous places that flows change, and implicit steps; expected at most 512", 0);
  check_stiff(text, FF_PETRI_AUTO, NULL, 0);
  write_full(text, size, 257);
  check_stiff(text, FF_PETRI_ROSENBROCK, "the net has 66049 derivatives of flows, and implicit steps; expected at most 65536", 0);
  write_full(text, size, 240);
  check_stiff(text, FF_PETRI_ROSENBROCK, "operations in the elimination of implicit steps; expected at most 4194304", 0);
  check_stiff(text, FF_PETRI_AUTO, NULL, 0);
  write_scattered(text, size, 500);
  check_stiff(text, FF_PETRI_ROSENBROCK, "entries in the elimination of implicit steps; expected at most 65536", 0);
  check_stiff(text, FF_PETRI_AUTO, NULL, 0);
  check_stiff("c x 0\np n 0\nf 0 -> x|1 + n\ns 0 -> n|x", FF_PETRI_AUTO, NULL, 0); /* never stiff */
  check_stiff("c x 0\np n 0\nf 0 -> x|1 + n\ns 0 -> n|x", FF_PETRI_ROSENBROCK, NULL, 1);
  free(text);
}

/* Beyond these limits, trajectories that become stiff are refused. */
static void stiff_trajectories_are_refused(void) {
  static const hostile_many levels = {"c x%u 0.1\nf 0 -> x%u|1e4\nf x%u -> 0|1e4 * x%u\n", FF_PETRI_STIFF_LEVELS, "p n 0\n",
                                      "s 0 -> n|1000 + x3 * x1", NULL};
  const size_t size = (size_t)1 << 16;
  char *text = ff_calloc(size, 1);
  petri_text net;
  hostile_write_many(text, size, &levels, levels.most + 1);
  hostile_write(&net, text);
  petri_compile(&net, &(ff_petri_options){0});
  if (net.program != NULL) {
    code_case x = {.what = "stiff", .program = net.program, .last = 0.1, .units = 2, .most_refused = 2, .quiet = 1};
    play_one(&x, 0);
    FF_CHECK_INT(x.refused, 2);
    petri_end(&net);
  }
  free(text);
}

/* The memory of a device has a copy, and the arrays of the image are there. */
static void images_are_copied(void) {
  static const double times[] = {1};
  static const uint32_t observed[] = {0};
  petri_text net;
  ff_petri_image image;
  void *memory;
  size_t bytes;
  ff_error err;
  large_compile(&net, &large_nets[0], FF_PETRI_AUTO);
  if (net.program == NULL) return;
  const ff_device_request request = {.initial = net.program->start, .times = times, .n_times = 1, .observed = observed,
                                     .n_observed = 1, .reals = 1};
  FF_CHECK_OK(ff_petri_image_new(&image, &memory, &bytes, net.program, &request, &err), &err);
  char *copy = ff_calloc_aligned(bytes, 1);
  memcpy(copy, memory, bytes);
  const ff_petri_image there = ff_petri_image_at(&image, memory, copy);
#define FF_X(type, name)                                                                              \
  FF_CHECK((const char *)there.name >= copy && (const char *)there.name <= copy + bytes);             \
  FF_CHECK((const char *)there.name - copy == (const char *)image.name - (const char *)memory);
  FF_PETRI_IMAGE_ARRAYS(FF_X)
#undef FF_X
  FF_CHECK_INT(there.n_levels, 24);
  /* flows of the chain have the same words, and neighbours in memory */
  uint32_t alike = 0;
  for (uint32_t f = 1; f < there.n_flows; f++)
    alike += there.flow[f].word == there.flow[f - 1].word && there.flow[f].length == there.flow[f - 1].length &&
             there.flow[f].operands == there.flow[f - 1].operands + 1;
  FF_CHECK_INT(alike, there.n_flows - 3); /* three kinds: products, those of the chain, and the first one */
  ff_free_aligned(copy);
  ff_free_aligned(memory);
  petri_end(&net);
}

FF_TEST_MAIN("petri_image", small_nets_give_the_trajectories, random_nets_give_the_trajectories,
             hostile_nets_give_the_trajectories, large_nets_give_the_trajectories, stiff_nets_give_the_trajectories,
             large_stiff_nets_give_the_trajectories, random_stiff_nets_give_the_trajectories, some_nets_are_no_data,
             sizes_are_limited, implicit_steps_are_limited, stiff_trajectories_are_refused, images_are_copied)
