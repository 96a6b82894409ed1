/* Compares the step code of the CUDA kernels that read a network as data with the engines of this processor, bit for bit, for a
 * wave of several points. The 32 lanes of a warp run one after the other. */
#include "../../src/cuda/ssa/data/ff_ssa_factored_step.h"
#include "../../src/cuda/ssa/data/ff_ssa_generic_schedule.h"
#include "../../src/cuda/ssa/data/ff_ssa_generic_thread.h"
#include "factor_examples.h"
#include "group_networks.h"
#include "random_reactions.h"
#include "schedule_points.h"
#include "ssa_points.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define STRIDE 3u /* threads of a block */

/* Who runs a trajectory: a warp or a thread, where the slot is kept or elsewhere (on a device, in shared memory). */
enum { WARP_THERE, WARP_ELSEWHERE, THREAD_THERE, THREAD_ELSEWHERE, MODES };

typedef struct {
  ff_ssa_image_point points[POINTS];
  void *memory[POINTS];
  ff_ssa_slot_layout at;
  char *work; /* the place of a slot that does not work where it is kept */
  int mode, scheduled;
} kernel;

static void run_warp(kernel *k, const ff_launch *run, uint32_t slot) {
  const ff_ssa_image *image = &k->points[0].image;
  ff_ssa_warp w = {.image = image, .run = run, .formulas = image->depth > 0 && !ff_ssa_method_has_rows((int)image->method),
                   .method = (int)image->method, .scheduled = k->scheduled, .follows = point_until != NULL,
                   .point_words = sizeof(ff_ssa_image_point) / 4};
  const int elsewhere = k->mode == WARP_ELSEWHERE;
  ff_ssa_warp_place(&w, &k->at, elsewhere ? k->work : (char *)run->state + slot * k->at.bytes + FF_SSA_SLOT_HEAD, NULL);
  if (k->scheduled)
    ff_ssa_scheduled_run(&w, &k->at, slot);
  else
    ff_ssa_warp_run(&w, &k->at, slot, elsewhere);
}

static void run_slot(void *own, const ff_launch *run, uint32_t slot) {
  kernel *k = own;
  const ff_ssa_image *image = &k->points[0].image;
  ff_ssa_thread t = {.image = image, .run = run, .formulas = image->depth > 0, .method = (int)image->method, .several = 1};
  memset(k->work, 0x5A, STRIDE * ff_ssa_thread_bytes(image) + k->at.bytes);
  if (k->mode < THREAD_THERE)
    run_warp(k, run, slot);
  else if (k->mode == THREAD_THERE)
    ff_ssa_thread_run_there(&t, &k->at, slot);
  else
    ff_ssa_thread_run(&t, k->work, STRIDE, slot % STRIDE, slot);
}

/* Makes the images. Returns whether all of them are like the first one. */
static int images_new(kernel *k, ff_ssa_program *const *programs, ff_device_request *request) {
  int alike = 1;
  for (uint32_t p = 0; p < POINTS; p++) {
    ff_error err;
    size_t bytes;
    request->initial = request->points[p].initial;
    request->until = request->points[p].until;
    FF_CHECK_OK(ff_ssa_image_new(&k->points[p].image, &k->memory[p], &bytes, programs[p], request, &err), &err);
    k->points[p].key.key = request->points[p].key;
    ff_philox_round_keys(k->points[p].key.round_key, request->points[p].key);
    alike &= ff_ssa_image_alike(&k->points[0].image, &k->points[p].image);
  }
  return alike;
}

static void check_mode(kernel *k, ff_ssa_program *const *programs, const ff_device_request *request, const char *what) {
  uint64_t events[POINTS] = {0};
  const ff_ssa_image *image = &k->points[0].image;
  ff_launch run = points_launch(request, 0, events);
  free(run.state);
  const uint64_t bytes = k->mode == THREAD_ELSEWHERE ? 4 * ff_ssa_thread_words(image) : k->at.bytes;
  run.state = ff_calloc_aligned(run.slots, bytes);
  memset(run.state, 0xA5, run.slots * bytes); /* what a device has there */
  run.points = (const uint32_t *)(const void *)k->points;
  k->work = ff_calloc_aligned(1, STRIDE * ff_ssa_thread_bytes(image) + k->at.bytes);
  launch_all(&run, run_slot, k, LAUNCH_TURN);
  compare_points(&run, programs, request, what);
  ff_free_aligned(k->work);
  ff_free_aligned(run.state);
  run.state = NULL;
  launch_free(&run);
}

/* Runs the programs as points of a wave, in all ways, and compares. They differ in numbers, unless `alike` is 0. */
static void check_points(ff_ssa_program *const *programs, ff_ssa_method method, double last, int alike, const char *what) {
  double times[LAUNCH_TIMES];
  uint32_t species[64];
  const uint32_t all = programs[0]->n_species, n_species = all < 64 ? all : 64;
  ff_device_point points[POINTS];
  kernel k = {.scheduled = ff_ssa_program_scheduled(programs[0])};
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = n_species - 1 - s;
  for (uint32_t p = 0; p < POINTS; p++)
    points[p] = (ff_device_point){programs[p], programs[p]->initial, LAUNCH_KEY + p * UINT64_C(0x123456789AB),
                                      point_until != NULL ? point_until + p : NULL};
  ff_device_request request = {.method = method, .times = times, .n_times = LAUNCH_TIMES, .observed = species,
                                   .n_observed = n_species, .points = points, .n_points = POINTS, .n_each = EACH};
  FF_CHECK_SAY(images_new(&k, programs, &request) == alike, "%s: layouts", what);
  k.at = ff_ssa_slot_lay_out(&k.points[0].image, 1);
  const int threads = programs[0]->dependents != NULL && method == FF_SSA_TREE && point_until == NULL;
  for (k.mode = 0; alike && k.mode < (k.scheduled ? 1 : threads ? MODES : THREAD_THERE); k.mode++) {
    char name[128];
    snprintf(name, sizeof name, "%s, %s, mode %d", what, ff_ssa_method_name(method), k.mode);
    check_mode(&k, programs, &request, name);
  }
  for (uint32_t p = 0; p < POINTS; p++) ff_free_aligned(k.memory[p]);
}

static void several_points_give_their_trajectories(void) {
  static const reaction_text formulas[] = {{"A -> B", "=1.5 * A / (1 + B)"}, {"B -> A", "0.5"}, {"2 A + B -> A", "0.001"},
                                           {"C -> A", "=2"}, {"0 -> C", "3"}, {NULL, NULL}};
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT, FF_SSA_SORTING,
                                          FF_SSA_RSSA, FF_SSA_BLOCK, FF_SSA_PDM,  FF_SSA_PSSA_CR};
  static const char *const what[] = {"formulas", "12 reactions", "60 reactions"};
  const double initial[] = {40, 3, 2};
  for (int kind = 0; kind < 3; kind++) {
    ff_ssa_program *programs[POINTS];
    ff_error err;
    for (uint32_t p = 0; p < POINTS; p++) {
      uint64_t state = 99;
      double counts[26];
      programs[p] = kind == 0 ? program_of(formulas, initial, 3) : random_program(&state, 9, kind == 1 ? 12 : 60, counts);
      vary_point(programs[p], p);
    }
    for (size_t m = 0; m < COUNT(methods); m++)
      if (ff_ssa_method_check(programs[0], methods[m], &err) == FF_OK)
        check_points(programs, methods[m], kind == 2 ? 0.3 : 1, 1, what[kind]);
    for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  }
}

/* Methods without a kernel have no image for a point. */
static void methods_without_a_kernel_are_refused(void) {
  static const ff_ssa_method methods[] = {FF_SSA_COMPOSITION, FF_SSA_RSSA_CR, FF_SSA_SPDM};
  uint64_t state = 99;
  double counts[26];
  ff_ssa_program *program = random_program(&state, 9, 12, counts);
  const ff_device_point points[] = {{program, program->initial, 1, NULL}, {program, program->initial, 2, NULL}};
  for (size_t m = 0; m < COUNT(methods); m++) {
    const ff_device_request request = {.method = methods[m], .initial = program->initial, .points = points, .n_points = 2,
                                           .n_each = EACH};
    ff_ssa_image image;
    ff_error err;
    void *memory;
    size_t bytes;
    FF_CHECK_FAILS(ff_ssa_image_new(&image, &memory, &bytes, program, &request, &err), FF_EUNSUPPORTED, &err,
                   "does not run this method");
  }
  ff_ssa_program_free(program);
}

static void points_with_schedules_give_their_trajectories(void) {
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT};
  for (size_t i = 0; i < COUNT(scheduled_points); i++) {
    ff_ssa_program *programs[POINTS];
    for (uint32_t p = 0; p < POINTS; p++) programs[p] = program_of_scheduled_point(i, p);
    for (size_t m = 0; m < COUNT(methods); m++)
      check_points(programs, methods[m], scheduled_points[i].last, 1, scheduled_points[i].what);
    for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  }
}

static void points_have_conditions_of_their_own(void) {
  ff_formula until[POINTS];
  make_conditions(until);
  several_points_give_their_trajectories();
  points_with_schedules_give_their_trajectories();
  free_conditions(until);
}

/* ---- groups of reactions -------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_ssa_factored_point points[POINTS];
  ff_ssa_factored_layout at;
  uint32_t *place;
} factored_kernel;

static void run_factored_slot(void *own, const ff_launch *run, uint32_t slot) {
  factored_kernel *k = own;
  const ff_ssa_factored_image *image = &k->points[0].image;
  ff_ssa_factored_warp w;
  memset(&w, 0x5A, sizeof w);
  memset(k->place, 0x5A, (size_t)k->at.elsewhere * 4 + 4);
  w.net = image;
  w.base.run = run;
  w.base.point_words = sizeof(ff_ssa_factored_point) / 4;
  ff_ssa_factored_run(&w, &k->at, slot, k->place, image->each, image->rounds);
}

static void check_factored(ff_ssa_program *const *programs, double last, int stay, const char *what) {
  const double times[LAUNCH_TIMES] = {0, last / 5, last / 4, last / 3, last / 2, last};
  const uint32_t species[] = {0, 3, 2};
  ff_device_point points[POINTS];
  uint64_t events[POINTS] = {0};
  factored_kernel k;
  void *memory[POINTS];
  size_t bytes;
  ff_error err;
  for (uint32_t p = 0; p < POINTS; p++) {
    points[p] = (ff_device_point){programs[p], programs[p]->initial, LAUNCH_KEY + p, NULL};
    FF_CHECK_OK(ff_ssa_factored_image_new(&k.points[p].image, memory + p, &bytes, programs[p], programs[p]->initial, &err), &err);
    FF_CHECK_SAY(ff_ssa_factored_image_alike(&k.points[0].image, &k.points[p].image), "%s: layouts", what);
    k.points[p].key.key = points[p].key;
    ff_philox_round_keys(k.points[p].key.round_key, points[p].key);
  }
  const ff_device_request request = {.method = FF_SSA_FACTORED, .times = times, .n_times = LAUNCH_TIMES, .observed = species,
                                         .n_observed = 3, .points = points, .n_points = POINTS, .n_each = EACH};
  k.at = ff_ssa_factored_lay_out(&k.points[0].image, stay > 1, stay > 0);
  k.place = ff_calloc_aligned((size_t)k.at.elsewhere + 1, sizeof *k.place);
  ff_launch run = points_launch(&request, 0, events);
  free(run.state);
  run.state = ff_calloc_aligned(run.slots, k.at.bytes);
  memset(run.state, 0xA5, run.slots * k.at.bytes);
  run.points = (const uint32_t *)(const void *)k.points;
  launch_all(&run, run_factored_slot, &k, LAUNCH_TURN);
  compare_points(&run, programs, &request, what);
  ff_free_aligned(run.state);
  run.state = NULL;
  launch_free(&run);
  ff_free_aligned(k.place);
  for (uint32_t p = 0; p < POINTS; p++) ff_free_aligned(memory[p]);
}

static void points_with_groups_give_their_trajectories(void) {
  static const char *const what[] = {"sites", "many groups"};
  for (int kind = 0; kind < 2; kind++) {
    ff_ssa_program *programs[POINTS];
    for (uint32_t p = 0; p < POINTS; p++) {
      uint64_t state = 99;
      double counts[26];
      programs[p] = kind == 0 ? program_of_sites(4) : random_many(&state, 14, 140, 0, counts);
      vary_point(programs[p], p);
    }
    for (int stay = 0; stay < 3; stay++) check_factored(programs, 0.1, stay, what[kind]);
    for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
  }
}

/* Points of other layouts need another ensemble. */
static void other_layouts_are_told(void) {
  ff_ssa_program *programs[POINTS];
  for (uint32_t p = 0; p < POINTS; p++) {
    uint64_t state = 7;
    double counts[26];
    programs[p] = random_program(&state, 5, p == 2 ? 9 : 8, counts);
  }
  check_points(programs, FF_SSA_TREE, 1, 0, "another number of reactions");
  check_points(programs, FF_SSA_NEXT, 1, 0, "another number of reactions");
  ff_ssa_program_free(programs[2]);
  programs[2] = program_of_scheduled_point(0, 0);
  ff_ssa_program_free(programs[1]);
  programs[1] = program_of_scheduled_point(1, 0);
  ff_ssa_program_free(programs[0]);
  programs[0] = program_of_scheduled_point(0, 1);
  check_points(programs, FF_SSA_TREE, 1, 0, "other events");
  for (uint32_t p = 0; p < POINTS; p++) ff_ssa_program_free(programs[p]);
}

FF_TEST_MAIN("ssa_generic_points", several_points_give_their_trajectories, methods_without_a_kernel_are_refused,
             points_with_schedules_give_their_trajectories, points_have_conditions_of_their_own,
             points_with_groups_give_their_trajectories, other_layouts_are_told)
