/* Compares the step code of the CUDA kernel for groups of reactions (ff_ssa_factored_step.h) with the engines of this processor,
 * bit for bit. The 32 lanes of a warp run one after the other. */
#include "../../src/cuda/ssa/data/ff_ssa_factored_step.h"
#include "../../src/cuda/ssa/generated/code/ff_ssa_generate.h"
#include "../../src/cuda/device/ff_turns.h"
#include "factor_examples.h"
#include "random.h"
#include "random_reactions.h"
#include "ssa_launch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST_SPECIES 64u

typedef struct {
  ff_ssa_factored_image image;
  ff_ssa_factored_layout at;
  uint32_t *place;
} kernel;

static void run_slot(void *own, const ff_launch *run, uint32_t slot) {
  kernel *k = own;
  ff_ssa_factored_warp w;
  memset(&w, 0x5A, sizeof w);
  memset(k->place, 0x5A, (size_t)k->at.elsewhere * 4 + 4);
  w.net = &k->image;
  w.leaves = k->image.leaves;
  w.base.run = run;
  w.base.point_words = 0;
  ff_ssa_factored_run(&w, &k->at, slot, k->place, k->image.each, k->image.rounds);
}

/* Runs a program to the last time: all in one place, with counts elsewhere, and with cells elsewhere, too. */
static void check_program(const ff_ssa_program *program, const double *initial, double last, int refuses, const char *what) {
  ff_error err;
  double times[LAUNCH_TIMES];
  uint32_t species[MOST_SPECIES];
  const uint32_t all = program->n_species, n_species = all < MOST_SPECIES ? all : MOST_SPECIES;
  for (uint32_t i = 0; i < LAUNCH_TIMES; i++) times[i] = last * i / (LAUNCH_TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = all - 1 - s;
  const ff_device_request request = {.method = FF_SSA_FACTORED, .initial = initial, .times = times,
                                         .n_times = LAUNCH_TIMES, .observed = species, .n_observed = n_species};
  for (int stay = 0; stay < 3; stay++) {
    kernel k;
    void *memory;
    size_t bytes;
    FF_CHECK_OK(ff_ssa_factored_image_new(&k.image, &memory, &bytes, program, initial, &err), &err);
    if (memory == NULL) return;
    k.at = ff_ssa_factored_lay_out(&k.image, stay > 1, stay > 0);
    k.place = ff_calloc_aligned((size_t)k.at.elsewhere + 1, sizeof *k.place);
    ff_launch run = launch_new(&request, 32);
    free(run.state);
    run.state = ff_calloc_aligned(run.slots, k.at.bytes);
    memset(run.state, 0xA5, run.slots * k.at.bytes);
    launch_all(&run, run_slot, &k, LAUNCH_TURN);
    launch_compare(&run, program, &request, refuses, what);
    ff_free_aligned(run.state);
    run.state = NULL;
    launch_free(&run);
    ff_free_aligned(k.place);
    ff_free_aligned(memory);
  }
}

/* The shape that a network gets, so that the networks below reach all parts of the code. */
static void check_shape(const ff_ssa_program *program, uint32_t each, uint32_t rounds, uint32_t levels, int lists) {
  ff_ssa_factored_image image;
  ff_error err;
  void *memory;
  size_t bytes;
  FF_CHECK_OK(ff_ssa_factored_image_new(&image, &memory, &bytes, program, program->initial, &err), &err);
  FF_CHECK_INT(image.each, each);
  FF_CHECK_INT(image.rounds, rounds);
  FF_CHECK_INT(image.levels, levels);
  FF_CHECK_INT(image.n_uses > 0, lists);
  ff_free_aligned(memory);
}

/* ---- networks ------------------------------------------------------------------------------------------------------------ */

static void examples_give_the_trajectories(void) {
  for (size_t i = 0; i < FACTOR_EXAMPLES; i++) {
    const factor_example *e = factor_examples + i;
    ff_ssa_program *program = program_of_example(e);
    if (program->factor->n_groups == program->factor->n_factored) check_program(program, e->initial, 1, 0, e->what);
    ff_ssa_program_free(program);
  }
}

static void sites_give_the_trajectories(void) {
  for (uint32_t sites = 3; sites <= 7; sites++) {
    ff_ssa_program *program = program_of_sites(sites);
    check_shape(program, 1, 1, sites < 4 ? 0 : sites < 7 ? 1 : 2, 1);
    check_program(program, program->initial, 0.4 / (1 << (2 * sites - 6)), 0, "sites");
    ff_ssa_program_free(program);
  }
}

static void colloids_give_the_trajectories(void) {
  static const struct { uint32_t n, each, rounds; double last; } sizes[] = {
      {8, 1, 1, 1}, {40, 1, 1, 0.02}, {80, 2, 1, 0.005}, {130, 4, 1, 0.002}, {262, 8, 1, 0.0004}};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    ff_ssa_program *program = program_of_colloid(sizes[i].n);
    check_shape(program, sizes[i].each, sizes[i].rounds, 0, sizes[i].n < 10);
    check_program(program, program->initial, sizes[i].last, 0, "colloid");
    ff_ssa_program_free(program);
  }
}

/* A chain of so many species; with `distinct` rates, each reaction is a group. */
static ff_ssa_program *chain(uint32_t n, int distinct) {
  ff_reactions *net = ring_of(n);
  for (uint32_t r = 0; r < n && distinct; r++) net->reactions[r].rate.word[0].number = 1 + 0.37 * r;
  return program_of_network(net);
}

static void chains_give_the_trajectories(void) {
  static const struct { uint32_t n, distinct, each, rounds, levels; double last; } sizes[] = {
      {30, 0, 1, 1, 0, 1},       {33, 1, 2, 1, 0, 0.1},      {64, 1, 2, 1, 0, 0.05},     {65, 1, 4, 1, 0, 0.05},
      {129, 1, 8, 1, 0, 0.01},
      {257, 1, 8, 2, 0, 0.003},   {300, 1, 8, 2, 0, 0.002},   {512, 1, 8, 2, 0, 0.001},   {513, 1, 8, 3, 0, 0.001},
      {768, 1, 8, 3, 0, 0.001},   {3000, 0, 1, 1, 2, 0.03},
      {20000, 0, 1, 1, 2, 0.002}};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    ff_ssa_program *program = chain(sizes[i].n, (int)sizes[i].distinct);
    check_shape(program, sizes[i].each, sizes[i].rounds, sizes[i].levels, 1);
    check_program(program, program->initial, sizes[i].last, 0, "chain");
    ff_ssa_program_free(program);
  }
}

/* Random pairs with few hubs, of two rates: weights, hubs that share sums, and twins. */
static void random_pairs_give_the_trajectories(void) {
  uint64_t state = 20261123;
  for (uint32_t i = 0; i < 12; i++) {
    const uint32_t n = 20 + 2 * i, n_species = 6 + 2 * (i % 10);
    char (*text)[48] = ff_calloc(n, sizeof *text);
    reaction_text *list = ff_calloc((size_t)n + 1, sizeof *list);
    double initial[26];
    for (uint32_t s = 0; s < n_species; s++) initial[s] = below(&state, 30);
    for (uint32_t r = 0; r < n; r++) {
      const char a = (char)('A' + (int)below(&state, 3)), b = (char)('A' + (int)below(&state, n_species));
      const char c = (char)('A' + (int)below(&state, n_species));
      const uint32_t kind = below(&state, 4);
      if (kind == 0) snprintf(text[r], sizeof *text, "%c -> %c", b, c);
      else if (a == b) snprintf(text[r], sizeof *text, "2 %c -> %c", a, c);
      else snprintf(text[r], sizeof *text, "%c + %c -> %s%c", a, b, kind == 1 ? "2 " : "", c);
      list[r] = (reaction_text){text[r], kind == 0 ? "2" : r % 2 ? "0.01" : "0.03"};
    }
    ff_ssa_program *program = program_of(list, initial, n_species);
    char what[64];
    snprintf(what, sizeof what, "random pairs %u: %u groups", i, program->factor->n_groups);
    check_program(program, initial, 0.1, 0, what);
    ff_ssa_program_free(program);
    free(text);
    free(list);
  }
}

/* ---- turns -------------------------------------------------------------------------------------------------------------- */

/* Launches of slots in a circle, until trajectories of equal length are complete. Returns the launches. */
static uint64_t launches_of(uint64_t wanted, uint64_t slots, uint64_t running, uint64_t length) {
  uint64_t *left = ff_calloc(slots, sizeof *left), begun = 0, complete = 0, launches = 0;
  for (uint64_t from = 0; complete < wanted; from = (from + running) % slots, launches++)
    for (uint64_t i = 0; i < running; i++) {
      uint64_t *const slot = left + (from + i) % slots;
      if (*slot == 0 && begun < wanted) {
        *slot = length;
        begun++;
      }
      if (*slot > 0 && --*slot == 0) complete++;
    }
  free(left);
  return launches;
}

/* In two rounds, slots lose little: the time of two launches in which some slots are empty, and 3% because so many slots are not
 * worth turns. More rounds are no more than the least number of them. */
static void no_trajectories_are_left_for_the_end(void) {
  static const uint64_t wanted[] = {90, 100, 101, 111, 150, 199, 200, 201, 230, 333, 450, 1010, 1601, 1650};
  const uint64_t resident = 100, length = 200;
  for (size_t i = 0; i < COUNT(wanted); i++) {
    const uint64_t slots = ff_wave_slots(wanted[i], resident, 1000), running = slots < resident ? slots : resident;
    const uint64_t rounds = (wanted[i] + resident - 1) / resident;
    const double least = (double)(wanted[i] * length) / (double)running;
    const double most = rounds <= 2 ? 2 * least / (1 + FF_FULL_SECOND) + 2 : (double)(rounds * length);
    const double took = (double)launches_of(wanted[i], slots, running, length);
    FF_CHECK_SAY(took <= most, "%g trajectories: %g launches, not %g", (double)wanted[i], took, most);
  }
  FF_CHECK_INT(ff_wave_slots(111, 100, 105), 100); /* no memory for more slots */
  FF_CHECK_INT(ff_wave_slots(180, 100, 105), 100);
  FF_CHECK_INT(ff_wave_slots(180, 100, 180), 180);
  FF_CHECK_INT(ff_wave_slots(195, 100, 1000), 100);
  FF_CHECK_INT(ff_wave_slots(201, 100, 1000), 100);
  FF_CHECK_INT(ff_balanced_slots(1024, 1024), 1024);
  FF_CHECK_INT(ff_balanced_slots(1000, 1024), 1000);
  FF_CHECK_INT(ff_balanced_slots(1300, 1024), 1024);
  FF_CHECK_INT(ff_balanced_slots(2000, 1024), 2000);
}

/* ---- choices ------------------------------------------------------------------------------------------------------------ */

/* What an H200 with 132 multiprocessors would choose for so many trajectories: a warp for each of them, or a thread. */
static void check_choice(ff_ssa_program *program, double trajectories, int warps, const char *what) {
  static const double times[] = {1};
  static const uint32_t species[] = {0};
  const ff_device_request request = {.method = FF_SSA_FACTORED, .initial = program->initial, .times = times,
                                         .n_times = 1, .observed = species, .n_observed = 1};
  ff_ssa_code code;
  ff_error err;
  FF_CHECK_OK(ff_ssa_generate(&code, program, &request, FF_SSA_SHARED_H200, &err), &err);
  const int found = ff_ssa_factored_speed(program, trajectories / 132) > ff_ssa_code_speed(&code, trajectories, 132);
  FF_CHECK_SAY(found == warps, "%s: threads %g, warps %g", what, code.speed, ff_ssa_factored_speed(program, 1e6));
  ff_ssa_code_free(&code);
  ff_ssa_program_free(program);
}

/* As measured. */
static void the_faster_kernel_is_chosen(void) {
  check_choice(program_of_colloid(40), 1e6, 0, "a colloid of 40 species");
  check_choice(program_of_colloid(200), 1e6, 1, "a colloid of 200 species");
  check_choice(program_of_sites(7), 1e6, 0, "many trajectories of a complex");
  check_choice(chain(10000, 0), 4096, 1, "few trajectories of a chain");
  check_choice(chain(10000, 0), 16384, 0, "more trajectories of a chain");
  check_choice(chain(10000, 0), 1e6, 0, "many trajectories of a chain");
}

/* ---- refusals ------------------------------------------------------------------------------------------------------------ */

static void trajectories_are_refused(void) {
  static const struct { const char *what; reaction_text reactions[3]; double initial[2], last; } cases[] = {
      {"a count grows too large", {{"A -> 100 A", "1e7"}, {"B -> 0", "1e7"}}, {1073000000, 0}, 1},
      {"a count that is in no sum", {{"A -> A + 2000000 B", "1e6"}}, {1, 0}, 1},
      {"a sum grows too large", {{"A -> 100 A", "1e7"}, {"B -> 100 B", "1e7"}}, {536500000, 536500000}, 1},
      {"an infinite sum", {{"A -> 0", "1e308"}, {"B -> 0", "1e308"}}, {1, 1}, 1},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    ff_ssa_program *program = program_of(cases[i].reactions, cases[i].initial, 2);
    check_program(program, cases[i].initial, cases[i].last, 1, cases[i].what);
    ff_ssa_program_free(program);
  }
}

static void refuse(const reaction_text *reactions, const double *initial, const char *why) {
  ff_ssa_program *program = program_of(reactions, initial, 2);
  ff_ssa_factored_image image;
  ff_error err;
  void *memory;
  size_t bytes;
  FF_CHECK_FAILS(ff_ssa_factored_image_new(&image, &memory, &bytes, program, initial, &err), FF_EUNSUPPORTED, &err, why);
  FF_CHECK(memory == NULL);
  ff_ssa_program_free(program);
}

static void networks_are_refused(void) {
  static const reaction_text two[] = {{"A -> B", "1"}, {"B -> A", "1"}, {NULL, NULL}};
  static const reaction_text law[] = {{"A -> B", "1"}, {"B -> A", "=B / (1 + A)"}, {NULL, NULL}};
  static const reaction_text burst[] = {{"A -> 4000000 B", "1"}, {"B -> A", "1"}, {NULL, NULL}};
  static const reaction_text both[] = {{"A -> 1500001 A + 1500000 B", "1"}, {"B -> A", "1"}, {NULL, NULL}};
  refuse(two, (const double[]){FF_DEVICE_MOST + 1.0, 0}, "an initial count is");
  refuse(two, (const double[]){1e9, 1e9}, "a sum of counts is 2000000000 at time 0");
  refuse(law, (const double[]){1, 1}, "1 reactions have laws without factors");
  refuse(burst, (const double[]){1, 1}, "a reaction changes counts by 4000001 in all");
  refuse(both, (const double[]){1, 1}, "a reaction changes counts by 3000000 in all");
}

FF_TEST_MAIN("ssa_factored", examples_give_the_trajectories, sites_give_the_trajectories, colloids_give_the_trajectories,
             chains_give_the_trajectories, random_pairs_give_the_trajectories, no_trajectories_are_left_for_the_end,
             the_faster_kernel_is_chosen,
             trajectories_are_refused, networks_are_refused)
