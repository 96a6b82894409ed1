/* Compares the step code of the CUDA kernels that read a network as data with ff_run, bit for bit. The 32 lanes of a warp run
 * one after the other. */
#include "../../src/cuda/ssa/data/ff_ssa_generic_block.h"
#include "../../src/cuda/ssa/data/ff_ssa_generic_thread.h"
#include "../../src/ssa/methods/ff_ssa_bins.h"
#include "../../src/ssa/path/ff_ssa_method.h"
#include "random.h"
#include "ssa_launch.h"
#include "simulations.h"

#define KEY UINT64_C(0x9E3779B97F4A7C15)
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FIRST (UINT64_C(1) << 40) /* a number of trajectories with more than 32 bits */

/* Who runs a trajectory: a warp, a block of warps, or a thread, where the slot is kept or elsewhere (on a device, in shared
 * memory). */
enum { WARP_THERE, WARP_ELSEWHERE, WARP_TOP, BLOCK, THREAD_THERE, THREAD_ELSEWHERE, MODES };

/* A wave on the host. */
typedef struct {
  ff_ssa_image image;
  void *memory;
  ff_launch run;
  ff_wave_counters counters;
  uint64_t slot_bytes, work_bytes;
  char *work; /* the place of a slot that does not work where it is kept */
  int mode;
} wave;

static void wave_free(wave *w) {
  ff_free_aligned(w->memory);
  ff_free_aligned(w->run.state);
  ff_free_aligned(w->work);
  free(w->run.recorded);
  free(w->run.refused);
}

#define STRIDE 3u /* threads of a block */

static void wave_new(wave *w, const ff_ssa_program *program, const ff_run_options *o, int mode, uint32_t steps) {
  const uint32_t slots = mode == WARP_ELSEWHERE ? 3 : 5;
  ff_error err;
  size_t bytes;
  *w = (wave){.mode = mode,
              .run = {.key = o->key, .first = o->first, .units = o->n, .slots = slots, .steps = steps, .n_times = o->n_times,
                      .n_observed = o->n_observed, .times = o->times, .observed = o->observed}};
  ff_philox_round_keys(w->run.round_key, o->key);
  ff_ssa_path order = order_of(program, o->key);
  const ff_device_request request = {.method = o->method, .initial = o->initial != NULL ? o->initial : program->initial,
                                         .order = o->method == FF_SSA_OPTIMISED ? ff_ssa_optimised_order(&order) : NULL};
  FF_CHECK_OK(ff_ssa_image_new(&w->image, &w->memory, &bytes, program, &request, &err), &err);
  ff_ssa_path_free(&order);
  w->slot_bytes = mode == THREAD_ELSEWHERE ? 4 * ff_ssa_thread_words(&w->image) : ff_ssa_slot_lay_out(&w->image, 1).bytes;
  w->run.state = ff_calloc_aligned(slots, w->slot_bytes);
  w->run.recorded = ff_calloc((size_t)o->n_times * o->n_observed * o->n, sizeof(uint32_t));
  w->run.refused = ff_calloc((o->n + 31) / 32, sizeof(uint32_t));
  w->run.counters = &w->counters;
  w->work_bytes = mode == THREAD_ELSEWHERE ? STRIDE * ff_ssa_thread_bytes(&w->image) : w->slot_bytes;
  w->work = ff_calloc_aligned(1, w->work_bytes);
  memset(w->run.state, 0xA5, slots * w->slot_bytes); /* what a device has there */
}

static void run_slot(wave *w, uint32_t slot) {
  const int formulas = w->image.depth > 0;
  ff_ssa_slot_layout at = ff_ssa_slot_lay_out(&w->image, 1);
  if (w->mode >= THREAD_THERE) {
    ff_ssa_thread thread = {.image = &w->image, .run = &w->run, .formulas = formulas, .method = (int)w->image.method};
    memset(w->work, 0x5A, w->work_bytes);
    if (w->mode == THREAD_THERE)
      ff_ssa_thread_run_there(&thread, &at, slot);
    else
      ff_ssa_thread_run(&thread, w->work, STRIDE, slot % STRIDE, slot);
    return;
  }
  const int elsewhere = w->mode == WARP_ELSEWHERE;
  ff_ssa_task tasks[2];
  ff_ssa_warp warp = {.image = &w->image, .run = &w->run, .formulas = formulas, .method = (int)w->image.method, .tasks = tasks,
                      .helpers = w->mode == BLOCK ? (2u << w->image.n_reactions % 4) - 1 : 0}; /* 2, 4, 8 or 16 warps */
  memset(tasks, 0x5A, sizeof tasks);
  memset(w->work, 0x5A, w->work_bytes);
  const int top = w->mode == WARP_TOP && w->image.levels > 1;
  if (top) ff_ssa_slot_split(&at, &w->image, w->image.levels > 2 ? 2 : 1);
  ff_ssa_warp_place(&warp, &at, elsewhere ? w->work : (char *)w->run.state + slot * at.bytes + at.value,
                    top ? (double *)w->work : NULL);
  if (warp.helpers > 0)
    ff_ssa_block_run(&warp, &at, slot, elsewhere);
  else
    ff_ssa_warp_run(&warp, &at, slot, elsewhere);
}

/* Launches until all trajectories are complete. Returns the number of launches. */
static int wave_run(wave *w) {
  int launches = 0;
  for (w->run.begun = 0; w->counters.complete < w->run.units; w->run.begun = w->run.slots, launches++)
    for (uint32_t slot = 0; slot < w->run.slots + (w->mode >= THREAD_THERE); slot++) run_slot(w, slot); /* one does not exist */
  return launches;
}

static int is_refused(const wave *w, uint64_t k) { return w->run.refused[k / 32] >> (k % 32) & 1; }

/* A run on the processor: all counts, and the number of events. */
typedef struct {
  double **states; /* NULL before the first run */
  uint64_t steps;
  ff_ssa_method method;
} reference;

static void reference_free(reference *r, uint32_t n_observed) {
  for (uint32_t j = 0; j < n_observed && r->states != NULL; j++) free(r->states[j]);
  free(r->states);
  *r = (reference){0};
}

/* Simulates, unless the last run had this method too: a method runs on a device in several ways. */
static void reference_run(reference *r, const ff_ssa_program *program, ff_run_options *o) {
  if (r->states != NULL && r->method == (ff_ssa_method)o->method) return;
  reference_free(r, o->n_observed);
  r->method = (ff_ssa_method)o->method;
  r->states = ff_calloc(o->n_observed, sizeof *r->states);
  for (uint32_t j = 0; j < o->n_observed; j++) r->states[j] = ff_calloc((size_t)o->n * o->n_times, sizeof **r->states);
  o->states = r->states;
  ff_run *run = run_to_end(program, o, 10);
  r->steps = ff_run_steps(run);
  ff_run_free(run);
  o->states = NULL;
}

static void compare(const wave *w, const reference *r, const ff_run_options *o, const char *what) {
  const size_t n = o->n, all = n * o->n_times;
  uint64_t differ = 0;
  for (uint32_t i = 0; i < o->n_times; i++)
    for (uint32_t j = 0; j < o->n_observed; j++)
      for (size_t k = 0; k < n; k++) differ += (double)FF_RECORD_OF(&w->run, i, k)[j * n] != r->states[j][k * o->n_times + i];
  FF_CHECK_SAY(differ == 0, "%s: %llu of %llu counts differ", what, (unsigned long long)differ,
               (unsigned long long)(all * o->n_observed));
  FF_CHECK_INT(w->counters.complete, n);
  FF_CHECK_INT(w->counters.steps, r->steps);
  for (size_t k = 0; k < n; k++) FF_CHECK_SAY(!is_refused(w, k), "%s: %zu", what, k);
}

static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT, FF_SSA_OPTIMISED, FF_SSA_SORTING, FF_SSA_RSSA,
                                        FF_SSA_BLOCK, FF_SSA_PSSA_CR, FF_SSA_PDM};

static int can_simulate(const ff_ssa_program *program, ff_ssa_method method) {
  ff_error err;
  return ff_ssa_method_check(program, method, &err) == FF_OK;
}

/* Whether a method has a way to run. */
static int has_mode(const ff_ssa_program *program, ff_ssa_method method, int mode) {
  const int searches = method == FF_SSA_OPTIMISED || method == FF_SSA_SORTING;
  if (mode == BLOCK) return ff_ssa_block_has(method);
  if (mode < THREAD_THERE) return 1;
  return program->dependents != NULL && (method == FF_SSA_TREE || (searches && mode == THREAD_ELSEWHERE));
}

/* What is simulated, by every method: times in `span`, in several launches. The first times are the start and one that is listed
 * twice. */
static void check(const ff_ssa_program *program, double span, uint64_t n, uint32_t steps, const char *what) {
  const double times[] = {0, span / 3, span / 3, span / 2, span};
  uint32_t *observed = ff_calloc(program->n_species, sizeof *observed);
  ff_run_options o = {.key = KEY, .first = FIRST, .n = n, .times = times, .n_times = 5,
                      .observed = observed, .n_observed = program->n_species, .threads = 1};
  reference on_processor = {0};
  for (uint32_t s = 0; s < program->n_species; s++) observed[s] = program->n_species - 1 - s;
  for (uint32_t i = 0; i < MODES * COUNT(methods); i++) {
    const int mode = (int)(i % MODES);
    char name[128];
    wave w;
    o.method = methods[i / MODES];
    if (!can_simulate(program, o.method) || !has_mode(program, o.method, mode)) continue;
    snprintf(name, sizeof name, "%s, %s", what, ff_ssa_method_name(o.method));
    wave_new(&w, program, &o, mode, steps);
    const int launches = wave_run(&w);
    FF_CHECK_SAY(launches > 1 || w.counters.steps < 200, "%s: one launch", what);
    if (mode == WARP_ELSEWHERE && o.method == FF_SSA_TREE) o.method = FF_SSA_DIRECT; /* has the same bits */
    reference_run(&on_processor, program, &o);
    compare(&w, &on_processor, &o, name);
    wave_free(&w);
  }
  reference_free(&on_processor, program->n_species);
  free(observed);
}

/* ---- networks ------------------------------------------------------------------------------------------------------------ */

/* A participant of a random reaction, and its number in the text. */
static void put_side(char *out, size_t size, uint64_t *seed, uint32_t n_species, uint32_t most) {
  const uint32_t n = below(seed, most + 1);
  if (n == 0) strncat(out, "0", size - strlen(out) - 1);
  for (uint32_t i = 0; i < n; i++) {
    char piece[16];
    const uint32_t count = below(seed, 4) == 0 ? 2 : 1;
    snprintf(piece, sizeof piece, "%s%u %c", i > 0 ? " + " : "", count, (char)('A' + (int)below(seed, n_species)));
    strncat(out, piece, size - strlen(out) - 1);
  }
}

/* Rates of mass action, and formulas of all kinds that are at least 0. */
static const char *const rates[] = {
    "0.3",    "1",    "0.02",  "0.7 + 0.1 * A",       "=0.2 * A * B / (1 + C)", "=3 / (1 + (A / 20)^2)", "=0.5",
    "0.05",   "0.4",  "1.5",   "=if(A > B, 0.1, 2) * C", "=min(A, max(B, 3)) * 0.1", "=0.1 * exp(-A / 50) * B",
    "1 / (1 + log1p(B))", "=abs(sin(A)) + 0.1 * sqrt(B) + floor(C / 3)", "0.3 * tanh(C)", "=0.01 * A * (A - 1) * (A - 2)",
    "=2 * C"};

static ff_ssa_program *random_program(uint64_t seed, uint32_t n_species, uint32_t n_reactions, int formulas) {
  char (*text)[96] = ff_calloc(n_reactions, sizeof *text);
  reaction_text *list = ff_calloc((size_t)n_reactions + 1, sizeof *list);
  double initial[26];
  for (uint32_t s = 0; s < n_species; s++) initial[s] = below(&seed, 40);
  for (uint32_t r = 0; r < n_reactions; r++) {
    const uint32_t inputs = r % 5 == 4 ? 3 : 2;
    put_side(text[r], sizeof text[r], &seed, n_species, inputs);
    strcat(text[r], " -> ");
    put_side(text[r], sizeof text[r], &seed, n_species, 1); /* so counts tend to fall */
    list[r] = (reaction_text){text[r], rates[below(&seed, formulas ? COUNT(rates) : 3)]};
  }
  ff_ssa_program *program = program_of(list, initial, n_species);
  free(text);
  free(list);
  return program;
}

/* 52 of them. */
static void random_networks(void) {
  static const struct {
    uint32_t species, reactions;
    double span;
  } shapes[] = {{3, 1, 3}, {3, 4, 3}, {4, 8, 2}, {5, 9, 1}, {8, 40, 0.3}, {12, 65, 0.2}, {26, 300, 0.06}, {26, 513, 0.03},
                {20, 1500, 0.01}};
  for (size_t i = 0; i < COUNT(shapes); i++)
    for (uint64_t seed = 1; seed <= (shapes[i].reactions > 50 ? 3 : 8); seed++) {
      char what[64];
      snprintf(what, sizeof what, "%u reactions, seed %llu", shapes[i].reactions, (unsigned long long)seed);
      ff_ssa_program *program = random_program(seed * 77 + i, shapes[i].species, shapes[i].reactions, seed % 3 != 0);
      check(program, shapes[i].span, shapes[i].reactions > 100 ? 6 : 20, seed % 2 ? 7 : 50, what);
      ff_ssa_program_free(program);
    }
}

typedef struct {
  const char *what;
  reaction_text reactions[19];
  double initial[9], span;
  uint32_t n_species;
} paper_model;

/* inst/models has their references. The dimers decay from so many molecules that sums are computed anew on the way: their bound
 * of rounding errors is relative to the largest sum. */
static const paper_model paper_models[] = {
    {"decay and dimerisation", {{"A -> 0", "1"}, {"2 A -> B", "0.002"}, {"B -> 2 A", "0.5"}, {"B -> C", "0.04"}},
     {2000}, 9, 3},
    {"predators and prey", {{"A -> 2 A", "10"}, {"A + B -> 2 B", "0.1"}, {"B -> 0", "10"}}, {100, 100}, 2, 2},
    {"two stable counts", {{"2 A -> 3 A", "0.03"}, {"3 A -> 2 A", "1e-4"}, {"0 -> A", "200"}, {"A -> 0", "3.5"}}, {250}, 2, 1},
    {"gene expression", {{"A -> B", "0.2"}, {"B -> A", "1"}, {"B -> B + C", "50"}, {"C -> 0", "2"}, {"C -> C + D", "20"},
                         {"D -> 0", "0.2"}}, {1, 0, 0, 0}, 5, 4},
    {"a virus", {{"A -> B", "0.025"}, {"B -> 0", "0.25"}, {"B -> B + A", "1"}, {"A + C -> D", "7.5e-6"},
                 {"B -> B + C", "1000"}, {"C -> 0", "1.99"}}, {0, 1, 0, 0}, 2, 4},
    {"a toggle switch", {{"0 -> A", "=50 / (1 + B^2)"}, {"A -> 0", "1"}, {"0 -> B", "=50 / (1 + A^2)"}, {"B -> 0", "1"}},
     {0, 0}, 10, 2},
    {"repressors in a ring", {{"0 -> A", "=0.03 + 29.97 * 1600 / (1600 + F^2)"},
                              {"0 -> B", "=0.03 + 29.97 * 1600 / (1600 + D^2)"},
                              {"0 -> C", "=0.03 + 29.97 * 1600 / (1600 + E^2)"}, {"A -> 0", "0.35"}, {"B -> 0", "0.35"},
                              {"C -> 0", "0.35"}, {"A -> A + D", "7"}, {"B -> B + E", "7"}, {"C -> C + F", "7"},
                              {"D -> 0", "0.07"}, {"E -> 0", "0.07"}, {"F -> 0", "0.07"}}, {10}, 3, 6},
    {"an epidemic", {{"A + B -> 2 B", "0.005"}, {"B -> C", "0.3"}}, {199, 1, 0}, 60, 3},
    {"an epidemic in two regions", {{"A + B -> 2 B", "0.003"}, {"A + E -> B + E", "3e-4"}, {"B -> C", "0.1"}, {"C -> A", "0.02"},
                                    {"D + E -> 2 E", "0.003"}, {"D + B -> E + B", "3e-4"}, {"E -> F", "0.1"}, {"F -> D", "0.02"}},
     {190, 10, 0, 200, 0, 0}, 9, 6},
};

static void models_of_papers(void) {
  for (size_t i = 0; i < COUNT(paper_models); i++) {
    const paper_model *m = paper_models + i;
    ff_ssa_program *program = program_of(m->reactions, m->initial, m->n_species);
    check(program, m->span, 9, 60, m->what);
    ff_ssa_program_free(program);
  }
}

/* ---- sums ---------------------------------------------------------------------------------------------------------------- */

/* Sums of any number of terms, by one lane and by the warp, are those of the processor. */
static void sums_have_the_same_bits(void) {
  enum { MOST = 9000 };
  double *terms = ff_calloc(MOST, sizeof *terms);
  uint64_t seed = 5;
  for (uint32_t i = 0; i < MOST; i++) terms[i] = below(&seed, 3) == 0 ? 0 : uniform(&seed);
  for (uint32_t n = 0; n <= MOST; n += n < 300 ? 1 : 61) {
    const ff_ssa_image image = {.n_reactions = n};
    const ff_ssa_warp warp = {.image = &image, .value = terms};
    const double sum = ff_ssa_sum(terms, n);
    FF_CHECK_SAY(ff_ssa_sum_terms(terms, n) == sum && ff_ssa_warp_sum(&warp, n) == sum, "%u terms", n);
  }
  free(terms);
}

/* A sum is computed anew when its bound says so: the decay of many molecules leaves a sum that is small beside its errors. */
static void running_sums_are_renewed(void) {
  static const reaction_text decay[] = {{"A -> 0", "1"}, {"A -> B", "0.7"}, {"B -> 0", "0.1"}, {NULL, NULL}};
  ff_ssa_program *program = program_of(decay, (const double[]){500, 0}, 2);
  const ff_device_request request = {.method = FF_SSA_SORTING, .initial = program->initial};
  const double time = 100;
  const uint32_t observed = 0;
  ff_wave_counters counters = {0};
  uint32_t recorded, refused = 0, renewed = 0;
  ff_ssa_warp w = {.method = FF_SSA_SORTING};
  ff_ssa_image image;
  ff_error err;
  void *memory;
  size_t bytes;
  FF_CHECK_OK(ff_ssa_image_new(&image, &memory, &bytes, program, &request, &err), &err);
  const ff_ssa_slot_layout at = ff_ssa_slot_lay_out(&image, 1);
  const ff_launch run = {.units = 1, .slots = 1, .n_times = 1, .n_observed = 1, .times = &time, .observed = &observed,
                             .recorded = &recorded, .refused = &refused, .counters = &counters};
  char *place = ff_calloc_aligned(1, at.bytes);
  w.image = &image;
  w.run = &run;
  ff_ssa_warp_place(&w, &at, place, NULL);
  for (ff_ssa_warp_begin(&w); w.what == FF_SLOT_BUSY; ff_ssa_warp_step(&w)) renewed += ff_ssa_corrected_stale(&w.total);
  FF_CHECK(renewed > 0 && counters.complete == 1);
  ff_free_aligned(place);
  ff_free_aligned(memory);
  ff_ssa_program_free(program);
}

/* ---- bins --------------------------------------------------------------------------------------------------------------- */

enum { ITEMS = 300 };

/* Bins without a network. */
typedef struct {
  ff_ssa_image image;
  ff_ssa_warp warp;
  double value[ITEMS], real[FF_SSA_BIN_REAL];
  uint32_t whole[FF_SSA_BIN_WHOLE(ITEMS)];
} warp_bins;

static void bins_start(warp_bins *g) {
  *g = (warp_bins){.image = {.n = {ITEMS}}};
  g->warp = (ff_ssa_warp){.image = &g->image, .value = g->value, .real = g->real, .whole = g->whole};
  ff_ssa_bins_begin(&g->warp);
}

/* A weight of one of `n` bins from number `first` on, or 0. */
static double random_weight(uint64_t *seed, uint32_t first, uint32_t n) {
  const uint64_t fraction = (uint64_t)below(seed, 1u << 26) << 26 | below(seed, 1u << 26);
  const uint64_t bin = first + below(seed, n);
  if (below(seed, 4) == 0) return 0;
  return ff_math_from_bits((bin - 1) << 52 | (bin == FF_SSA_BINS - 1 ? 0 : fraction));
}

/* Compares the sums, and the bins with the order of their items. */
static void compare_bins(const warp_bins *g, const ff_ssa_bins *want, const char *what) {
  const ff_ssa_warp_bins got = ff_ssa_bins_of(&g->warp);
  const double total = ff_ssa_bins_sum(&g->warp);
  uint32_t k = *got.n, differ = 0;
  FF_CHECK_SAY(total == ff_ssa_bins_total(want), "%s: %g", what, total);
  for (uint32_t i = 0; i < ITEMS; i++) differ += got.items[i] != want->items[i] || got.place[i] != want->place[i];
  for (uint32_t bin = want->top; k > 0; bin = want->bins[bin].down) {
    const ff_ssa_bin *one = want->bins + bin;
    k--;
    differ += got.number[k] != bin || got.size[k] != one->n || (one->n > 0 && got.first[k] != one->first);
    differ += got.weight[k] != one->weight || got.low[k] != one->low || got.high[k] != one->high;
    if (bin == 0) break;
  }
  FF_CHECK_SAY(k == 0 && differ == 0, "%s: %u differ", what, differ);
}

/* Bins next to each other and far apart, also those at both ends of the numbers. */
static void bins_are_those_of_the_processor(void) {
  static const struct { uint32_t first, n; const char *what; } ranges[] = {
      {1000, 3, "few bins"}, {1000, 60, "many bins"}, {1, 2, "subnormal"}, {1, 60, "small"}, {50, 10, "rather small"},
      {2030, 18, "large"}, {2030, 19, "infinite"}};
  warp_bins *g = ff_calloc(1, sizeof *g);
  uint64_t seed = 3;
  for (size_t i = 0; i < COUNT(ranges); i++) {
    ff_ssa_bins want;
    ff_error err;
    FF_CHECK_OK(ff_ssa_bins_new(&want, ITEMS, &err), &err);
    ff_ssa_bins_clear(&want);
    bins_start(g);
    for (uint32_t k = 0; k < 400; k++) {
      const uint32_t n = 1 + below(&seed, 32), from = below(&seed, ITEMS), few = k % 100 < 50 ? ranges[i].n : 1;
      uint32_t item[32] = {0};
      double weight[32] = {0};
      for (uint32_t j = 0; j < n; j++) {
        item[j] = (from + j * 7) % ITEMS;
        weight[j] = random_weight(&seed, ranges[i].first, few);
        ff_ssa_bins_set(&want, item[j], weight[j]);
      }
      FF_CHECK(ff_ssa_rebin(&g->warp, item, weight, n));
      compare_bins(g, &want, ranges[i].what);
    }
    ff_ssa_bins_free(&want);
  }
  free(g);
}

/* There is room for FF_SSA_BIN_ROOM bins, of which one has the weights of 0. Bins without items make room. */
static void bins_need_room(void) {
  warp_bins *g = ff_calloc(1, sizeof *g);
  bins_start(g);
  for (uint32_t k = 1; k <= FF_SSA_BIN_ROOM; k++) {
    uint32_t item[32] = {k};
    double weight[32] = {ff_math_power_of_two(k)};
    FF_CHECK_INT(ff_ssa_rebin(&g->warp, item, weight, 1), k < FF_SSA_BIN_ROOM);
  }
  bins_start(g);
  for (uint32_t k = 1; k <= 200; k++) {
    uint32_t item[32] = {5};
    double weight[32] = {ff_math_power_of_two(k)};
    FF_CHECK(ff_ssa_rebin(&g->warp, item, weight, 1) && *ff_ssa_bins_of(&g->warp).n == 2);
  }
  free(g);
}

/* ---- large networks ------------------------------------------------------------------------------------------------------ */

/* A network whose reactions have mass action, to be filled. */
static ff_reactions *large_network(uint32_t n_species, uint32_t n_reactions) {
  ff_reactions *net;
  ff_error err;
  FF_CHECK_OK(ff_reactions_new(&net, n_species, 0, n_reactions, &err), &err);
  for (uint32_t s = 0; s < n_species; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
  }
  return net;
}

/* Fills a reaction a + b -> c + d; a = b is two molecules of it. Without d if it is UINT32_MAX. */
static void fill_reaction(ff_reactions *net, uint32_t r, double rate, const uint32_t s[4]) {
  ff_reaction *reaction = net->reactions + r;
  ff_error err;
  size_t n_in = 2, n_out = s[3] == UINT32_MAX ? 1 : 2;
  reaction->name = ff_strndup("", 0);
  reaction->mass_action = 1;
  FF_CHECK_OK(ff_formula_of_number(&reaction->rate, rate, &err), &err);
  reaction->reactants = ff_calloc(2, sizeof *reaction->reactants);
  reaction->products = ff_calloc(2, sizeof *reaction->products);
  for (uint32_t i = 0; i < 2; i++) reaction->reactants[i] = (ff_participant){s[i], 1};
  for (uint32_t i = 0; i < n_out; i++) reaction->products[i] = (ff_participant){s[2 + i], 1};
  FF_CHECK(ff_participants_merge(reaction->reactants, &n_in) && ff_participants_merge(reaction->products, &n_out));
  reaction->n_reactants = (uint32_t)n_in;
  reaction->n_products = (uint32_t)n_out;
}

static ff_ssa_program *program_of_large(ff_reactions *net) {
  ff_error err;
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return program_of_network(net);
}

/* Clusters of up to n molecules: two clusters become one. */
static ff_ssa_program *aggregation(uint32_t n) {
  uint32_t r = 0;
  for (uint32_t i = 1; i <= n; i++)
    for (uint32_t j = i; i + j <= n; j++) r++;
  ff_reactions *net = large_network(n, r);
  r = 0;
  for (uint32_t i = 1; i <= n; i++)
    for (uint32_t j = i; i + j <= n; j++)
      fill_reaction(net, r++, 1.0 / (i + j), (uint32_t[4]){i - 1, j - 1, i + j - 1, UINT32_MAX});
  net->initial[0] = 40;
  net->initial[1] = 10;
  return program_of_large(net);
}

/* A ring of n species whose steps need one of `hubs` further species, which become each other. */
static ff_ssa_program *ring_with_hubs(uint32_t n, uint32_t hubs) {
  ff_reactions *net = large_network(n + hubs, n);
  for (uint32_t s = 0; s < n; s++) {
    net->initial[s] = s % 3;
    fill_reaction(net, s, 1 + 1.0 / (s + 1), (uint32_t[4]){s, n + s % hubs, (s + 1) % n, n + (s * 7 + 3) % hubs});
  }
  for (uint32_t h = 0; h < hubs; h++) net->initial[n + h] = 1 + h % 4;
  return program_of_large(net);
}

/* The program without its lists of dependents, as if they were too long. */
static void forget_dependents(ff_ssa_program *program) {
  free(program->dependents);
  program->dependents = NULL;
}

static void large_networks(void) {
  ff_ssa_program *program = program_of_network(ring_of(5000));
  check(program, 0.01, 4, 20, "ring of 5000");
  forget_dependents(program);
  check(program, 0.01, 4, 20, "ring of 5000 without dependents");
  ff_ssa_program_free(program);

  program = ring_with_hubs(8000, 80);
  check(program, 0.002, 3, 20, "hubs");
  forget_dependents(program);
  check(program, 0.002, 3, 20, "hubs without dependents");
  ff_ssa_program_free(program);

  program = aggregation(60);
  check(program, 1, 30, 9, "aggregation");
  forget_dependents(program);
  check(program, 1, 30, 9, "aggregation without dependents");
  ff_ssa_program_free(program);
}

/* All three ways to update the tree occur in the networks above. */
static void networks_use_lists(void) {
  ff_ssa_program *program = ring_with_hubs(8000, 80);
  ff_ssa_image image;
  ff_error err;
  void *memory;
  size_t bytes;
  const ff_device_request request = {.method = FF_SSA_TREE, .initial = program->initial};
  FF_CHECK_OK(ff_ssa_image_new(&image, &memory, &bytes, program, &request, &err), &err);
  FF_CHECK(image.listed > 32 && image.rows[5].n_dependents > 32 && image.rows[5].n_dependents <= image.listed);
  ff_free_aligned(memory);
  ff_ssa_program_free(program);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  const char *what;
  reaction_text reactions[3];
  double initial[2], span;
} refusal;

/* Every trajectory is refused. */
static void refuses_trajectories(void) {
  static const refusal cases[] = {
      {"a negative rate", {{"A -> 0", "=A - 4.5"}}, {10, 0}, 100},
      {"a negative rate at time 0", {{"A -> 0", "=A - 5"}}, {4, 0}, 1},
      {"a negative rate without a reactant", {{"A -> 0", "=2 * A - 1"}}, {4, 0}, 100},
      {"a negative rate without a reactant at time 0", {{"A -> B", "=A - 1 - B"}}, {0, 2}, 1},
      {"a rate that is NaN", {{"A -> 0", "=log(A - 4) + 1"}}, {10, 0}, 100},
      {"an infinite sum", {{"A -> 0", "1e308"}, {"B -> 0", "1e308"}}, {1, 1}, 1},
      {"an infinite product", {{"A -> 0", "1e308"}}, {10, 0}, 1},
      {"a large count", {{"0 -> B", "1"}, {"A -> A", "1"}}, {1, FF_DEVICE_MOST - 5}, 100},
      {"a large change", {{"0 -> 4000000000 B", "1"}}, {1, 1}, 100},
  };
  for (size_t i = 0; i < MODES * COUNT(cases) * COUNT(methods); i++) {
    const refusal *c = cases + i / MODES % COUNT(cases);
    const ff_ssa_method method = methods[i / MODES / COUNT(cases)];
    if ((method == FF_SSA_FIRST || method == FF_SSA_NEXT) && strstr(c->what, "infinite sum") != NULL) continue; /* no sums */
    const uint32_t observed[] = {0, 1};
    ff_ssa_program *program = program_of(c->reactions, c->initial, 2);
    const int can = can_simulate(program, method), has = has_mode(program, method, (int)(i % MODES));
    ff_run_options o = {.method = method, .key = KEY, .n = 40, .times = &c->span, .n_times = 1, .observed = observed,
                        .n_observed = 2};
    wave w;
    if (!can) {
      ff_ssa_program_free(program);
      continue;
    }
    wave_new(&w, program, &o, has ? (int)(i % MODES) : WARP_THERE, 4);
    wave_run(&w);
    for (size_t k = 0; k < o.n; k++) FF_CHECK_SAY(is_refused(&w, k), "%s, %s", c->what, ff_ssa_method_name(method));
    FF_CHECK_INT(w.counters.complete, o.n);
    FF_CHECK_INT(w.counters.steps, 0);
    wave_free(&w);
    ff_ssa_program_free(program);
  }
}

/* Some trajectories are refused; the others are complete. */
static void check_some(const ff_ssa_program *program, ff_ssa_method method, int mode) {
  const double time = 10;
  const uint32_t observed = 1;
  ff_run_options o = {.method = method, .key = KEY, .n = 64, .times = &time, .n_times = 1, .observed = &observed,
                      .n_observed = 1, .threads = 1};
  uint64_t refused = 0;
  wave w;
  wave_new(&w, program, &o, mode, 3);
  wave_run(&w);
  for (size_t k = 0; k < o.n; k++) {
    double state;
    ff_error err;
    ff_run_options one = o;
    one.first = k;
    one.n = 1;
    one.states = (double *const[]){&state};
    const int failed = status_of(program, &one, 10, &err) != FF_OK;
    FF_CHECK_INT(is_refused(&w, k), failed);
    if (!failed) FF_CHECK(w.run.recorded[k] == state);
    refused += failed;
  }
  FF_CHECK(refused > 0 && refused < o.n);
  FF_CHECK_INT(w.counters.complete, o.n);
  wave_free(&w);
}

static void refuses_some(void) {
  static const reaction_text networks[][3] = {{{"A -> B", "1"}, {"0 -> A", "=2 - B"}, {NULL, NULL}},
                                              {{"A -> 0", "1"}, {"A -> 2 B", "=A - 0.5 + B"}, {NULL, NULL}}};
  for (size_t i = 0; i < COUNT(networks); i++) {
    ff_ssa_program *program = program_of(networks[i], (const double[]){2, 0}, 2);
    for (int mode = 0; mode < MODES; mode++) check_some(program, FF_SSA_TREE, mode);
    for (size_t m = 1; m < COUNT(methods); m++)
      if (can_simulate(program, methods[m])) check_some(program, methods[m], WARP_ELSEWHERE);
    ff_ssa_program_free(program);
  }
}

static void refuses_networks(void) {
  ff_ssa_program *program = program_of((const reaction_text[]){{"A -> 0", "1"}, {NULL, NULL}}, (const double[]){1}, 1);
  static const double initial[] = {FF_DEVICE_MOST + 1.0, -1, 0.5};
  ff_ssa_image image;
  ff_error err;
  void *memory;
  size_t bytes;
  for (size_t i = 0; i < COUNT(initial); i++) {
    const ff_device_request request = {.method = FF_SSA_TREE, .initial = &initial[i]};
    FF_CHECK_FAILS(ff_ssa_image_new(&image, &memory, &bytes, program, &request, &err), FF_EUNSUPPORTED, &err,
                   "the initial count of \"A\" is");
    FF_CHECK(memory == NULL);
  }
  for (ff_ssa_method method = 0; method < FF_SSA_METHODS; method++) {
    const ff_device_request request = {.method = method, .initial = program->initial};
    ff_status status = ff_ssa_image_new(&image, &memory, &bytes, program, &request, &err);
    if (status == FF_OK) ff_free_aligned(memory);
    const int without_order = method == FF_SSA_OPTIMISED, generated = method == FF_SSA_FACTORED && program->factor->n_groups > 0;
    FF_CHECK_SAY((status == FF_OK) == (ff_ssa_method_on_devices(method) && !without_order && !generated), "%s",
                 ff_ssa_method_name(method));
  }
  ff_ssa_program_free(program);
}

FF_TEST_MAIN("ssa_generic", random_networks, models_of_papers, sums_have_the_same_bits, running_sums_are_renewed,
             bins_are_those_of_the_processor, bins_need_room, large_networks, networks_use_lists, refuses_trajectories,
             refuses_some, refuses_networks)
