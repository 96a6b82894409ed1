/* Kernels for large Petri nets, by windows: their code is compiled for this processor, and gives the bits of the engine. */
#include "petri_code.h"
#include "petri_mixed.h"
#include "petri_tissues.h"

#include "../../src/cuda/petri/windows/ff_petri_tissue_data.h"

typedef void (*tissue_run)(const ff_launch *run, const ff_petri_tissue *net, uint32_t slot, uint32_t part);

/* The code of all classes of blocks, compiled. */
typedef struct {
  uint32_t n;
  void *library[FF_PETRI_MOST_CLASSES];
  tissue_run of[FF_PETRI_MOST_CLASSES];
} tissue_code;

enum { MOST_ROUNDS = 200000, MOST_OBSERVED = 64 };

typedef struct {
  const char *what;
  const ff_petri_program *program;
  double last;
  uint32_t n_times, units, n_observed;
  double times[16];
  uint32_t observed[MOST_OBSERVED];
  uint32_t refused;  /* trajectories */
  int no_spare;      /* whether waves have no room to move to */
  uint64_t steps;
  uint32_t classes;  /* of blocks */
  int is_unsupported; /* whether no code is generated for the net, which `why` tells */
  ff_error why;
} tissue_case;

static void plan(tissue_case *x, ff_device_request *request) {
  const uint32_t places = x->program->n_places;
  x->n_times = 9;
  for (uint32_t i = 0; i < x->n_times; i++) x->times[i] = x->last * i / (x->n_times - 1);
  x->n_observed = places < MOST_OBSERVED ? places : MOST_OBSERVED;
  for (uint32_t j = 0; j < x->n_observed; j++) x->observed[j] = (uint32_t)((uint64_t)j * places / x->n_observed);
  *request = (ff_device_request){.initial = x->program->start, .times = x->times, .n_times = x->n_times, .observed = x->observed,
                                 .n_observed = x->n_observed, .reals = 1};
}

/* Compiles the code of all classes. Returns whether this was done. */
static int load(tissue_code *code, const ff_petri_tissue_data *d, const char *compiler) {
  int fine = 1;
  *code = (tissue_code){.n = d->n_classes};
  for (uint32_t c = 0; c < d->n_classes; c++) {
    char source[300];
    code_path(source, sizeof source, c, ".c");
    FILE *file = fopen(source, "w");
    fprintf(file, "%s" FF_PETRI_CODE_BLOCK_HEADERS "%s", d->code[c].definitions, d->code[c].functions);
    fclose(file);
  }
  code_compile(d->n_classes, compiler);
  for (uint32_t c = 0; c < d->n_classes; c++) {
    code->library[c] = code_load(c);
    fine &= code->library[c] != NULL;
    if (code->library[c] != NULL) *(void **)&code->of[c] = dlsym(code->library[c], "p_host");
  }
  return fine;
}

static void unload(tissue_code *code) {
  for (uint32_t c = 0; c < code->n; c++)
    if (code->library[c] != NULL) dlclose(code->library[c]);
}

/* A round: each class prepares its blocks, then each runs them, in the order of the number `turn` of the round. */
static void play_round(const tissue_code *code, const ff_launch *run, const ff_petri_tissue *net, uint32_t turn) {
  for (uint32_t part = 0; part < 2; part++)
    for (uint32_t c = 0; c < code->n; c++) code->of[(c + turn) % code->n](run, net, 0, part);
  code->of[turn % code->n](run, net, 0, 2);
}

/* Simulates all trajectories with the code. */
static void play(tissue_case *x, ff_petri_tissue_data *d, const ff_device_request *request, ff_launch *run,
                 const tissue_code *code) {
  char *memory = ff_calloc(1, (size_t)d->net.slot_bytes);
  const ff_petri_tissue net = ff_petri_tissue_at(d, d->data, memory);
  const ff_petri_slot *slot = (const ff_petri_slot *)(memory + net.at_slot);
  for (uint32_t k = 0; k < x->units; k++) {
    ff_petri_tissue_open(d, CODE_KEY, CODE_FIRST + k, k, request->initial, memory);
    for (uint32_t i = 0; i < MOST_ROUNDS && slot->phase != FF_PETRI_SLOT_IS_EMPTY; i++) play_round(code, run, &net, i);
    FF_CHECK_SAY(slot->phase == FF_PETRI_SLOT_IS_EMPTY, "%s: trajectory %u does not end", x->what, k);
  }
  free(memory);
}

static void compare(tissue_case *x, const ff_launch *run) {
  double *states[MOST_OBSERVED];
  uint32_t wrong = 0;
  int done = 0;
  ff_error err;
  ff_run *own = NULL;
  for (uint32_t j = 0; j < x->n_observed; j++) states[j] = ff_calloc((size_t)x->units * x->n_times, sizeof(double));
  const ff_run_options options = {.method = FF_PETRI_WINDOWS, .key = CODE_KEY, .first = CODE_FIRST, .n = x->units,
                                  .times = x->times, .n_times = x->n_times, .observed = x->observed,
                                  .n_observed = x->n_observed, .states = states, .threads = 1, .simd = FF_SIMD_BEST};
  ff_status status = ff_run_new(&own, &ff_petri_engine, x->program, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(own, 10, &done, &err);
  FF_CHECK_OK(status, &err);
  for (uint32_t k = 0; k < x->units; k++) {
    if (code_refuses(run, k)) {
      x->refused++;
      continue;
    }
    for (uint32_t i = 0; i < x->n_times; i++)
      for (uint32_t j = 0; j < x->n_observed; j++) {
        const double *found = FF_RECORD_REAL_OF(run, i, k) + (size_t)j * run->units;
        wrong += memcmp(found, states[j] + (size_t)k * x->n_times + i, sizeof *found) != 0;
      }
  }
  x->steps = status == FF_OK ? ff_run_steps(own) : 0;
  FF_CHECK_SAY(wrong == 0, "%s: %u of %u numbers differ", x->what, wrong, x->units * x->n_times * x->n_observed);
  FF_CHECK_INT(run->counters->complete, x->units);
  if (x->refused == 0) FF_CHECK_INT(run->counters->steps, x->steps);
  FF_CHECK(x->steps > 0);
  ff_run_free(own);
  for (uint32_t j = 0; j < x->n_observed; j++) free(states[j]);
}

static void play_case(tissue_case *x, const char *compiler) {
  ff_petri_blocks *blocks = NULL;
  ff_petri_tissue_data d;
  ff_device_request request;
  ff_error err;
  plan(x, &request);
  ff_status status = ff_petri_blocks_new(&blocks, x->program, &err);
  FF_CHECK_OK(status, &err);
  if (status != FF_OK) return;
  status = ff_petri_tissue_data_new(&d, &(ff_petri_parts){blocks, &ff_petri_opener_of_windows}, &request, &err);
  x->is_unsupported = status == FF_EUNSUPPORTED;
  x->why = err;
  if (!x->is_unsupported) FF_CHECK_OK(status, &err);
  if (x->no_spare) d.net.spare = 0;
  if (status == FF_OK) {
    tissue_code code;
    x->classes = d.n_classes;
    if (load(&code, &d, compiler)) {
      ff_launch run = {.key = CODE_KEY, .first = CODE_FIRST, .units = x->units, .n_times = request.n_times,
                       .n_observed = request.n_observed, .times = request.times, .observed = request.observed};
      run.recorded_real = ff_calloc((size_t)x->units * request.n_times * request.n_observed, sizeof *run.recorded_real);
      run.refused = ff_calloc((x->units + 31) / 32, sizeof *run.refused);
      run.counters = ff_calloc(1, sizeof *run.counters);
      play(x, &d, &request, &run, &code);
      compare(x, &run);
      code_free(&run);
    }
    unload(&code);
  }
  ff_petri_tissue_data_free(&d);
  ff_petri_blocks_free(blocks);
}

static void calcium_has_the_trajectories(void) {
  static const struct {
    uint32_t nx, ny;
    double diffusion, relative, last;
    uint32_t units;
    const char *compiler;
  } sizes[] = {{3, 3, 20, 1e-6, 0.02, 3, CODE_THOROUGH},
               {12, 7, 20, 1e-6, 0.02, 3, CODE_THOROUGH},
               {4, 5, 20, 1e-9, 0.02, 3, CODE_THOROUGH},
               {8, 8, 400, 1e-6, 0.2, 1, "-O2"},
               {20, 20, 20, 1e-6, 0.6, 1, "-O2"}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    petri_text x = {0};
    const ff_petri_options options = {.relative = sizes[i].relative};
    x.status = petri_calcium_with(&x.net, sizes[i].nx, sizes[i].ny, sizes[i].diffusion, &x.err);
    petri_compile(&x, &options);
    if (x.program == NULL) return;
    tissue_case of = {.what = "calcium", .program = x.program, .last = sizes[i].last, .units = sizes[i].units};
    play_case(&of, sizes[i].compiler);
    FF_CHECK_INT(of.refused + (uint32_t)of.is_unsupported, 0);
    petri_end(&x);
  }
}

/* Threads share the work of opening a trajectory, and change no bit. */
static void threads_open_alike(void) {
  petri_text x = {0};
  const ff_petri_options options = {.relative = 1e-6};
  ff_petri_blocks *blocks = NULL;
  ff_device_request request;
  ff_error err;
  char *memory[3] = {NULL};
  size_t bytes = 0;
  x.status = petri_calcium_with(&x.net, 40, 25, 20, &x.err);
  petri_compile(&x, &options);
  if (x.program == NULL) return;
  tissue_case of = {.program = x.program, .last = 1};
  plan(&of, &request);
  FF_CHECK_OK(ff_petri_blocks_new(&blocks, x.program, &err), &err);
  const ff_petri_parts parts = {blocks, &ff_petri_opener_of_windows};
  for (int i = 0; i < 3; i++) {
    static const int threads[] = {0, 3, 100}; /* there are 1, 3 and 4 */
    ff_petri_tissue_data d;
    request.threads = threads[i];
    FF_CHECK_OK(ff_petri_tissue_data_new(&d, &parts, &request, &err), &err);
    bytes = ff_petri_tissue_open_bytes(&d);
    memory[i] = ff_calloc(1, bytes);
    for (uint32_t k = 0; k < 3; k++) ff_petri_tissue_open(&d, CODE_KEY, CODE_FIRST + k, k, request.initial, memory[i]);
    FF_CHECK_INT(((const ff_petri_slot *)(memory[i] + d.net.at_slot))->phase, FF_PETRI_SLOT_BEGINS);
    FF_CHECK(memcmp(memory[i], memory[0], bytes) == 0);
    ff_petri_tissue_data_free(&d);
  }
  for (int i = 0; i < 3; i++) free(memory[i]);
  ff_petri_blocks_free(blocks);
  petri_end(&x);
}

/* Each firing changes flows, and no rate depends on levels: nothing but the waves needs levels within steps. */
static void waves_have_levels_within_steps(void) {
  const ff_petri_options options = {.relative = 1e-6};
  for (int coupled = 0; coupled < 2; coupled++) {
    petri_text x;
    int64_t number[] = {1, 2, 3, 4, 5};
    petri_begin(&x);
    if (x.status == FF_OK) x.status = ff_petri_add_values(x.net, "C", number, 5, &x.err);
    if (x.status == FF_OK) x.status = ff_petri_add_index(x.net, "c", "C", &x.err);
    if (x.status == FF_OK) x.status = ff_petri_add_index(x.net, "d", "C", &x.err);
    if (x.status == FF_OK) x.status = ff_petri_add_place(x.net, "N", ff_petri_set_number(x.net, "C", 1), 0, 0, &x.err);
    if (x.status == FF_OK) x.status = ff_petri_add_place(x.net, "L", ff_petri_set_number(x.net, "C", 1), 1, 0, &x.err);
    if (x.status == FF_OK) x.status = ff_petri_add_marking(x.net, "L", NULL, "0.3 * c", 0, petri_nowhere, &x.err);
    petri_fires(&x, "birth", "0 -> N[c]", "2");
    petri_fires(&x, "death", "N[c] -> 0", "0.5 * N[c]");
    petri_flows(&x, "gain", "0 -> L[c]", "N[c] * (0.4 + cos(time)^2)");
    petri_flows(&x, "loss", "L[c] -> 0", "0.7 * L[c]");
    if (coupled && x.status == FF_OK)
      x.status = petri_add(x.net, "spread", FF_PETRI_CONTINUOUS, "L[c] -> L[d]", "d == next(c) | d == previous(c)", NULL, NULL,
                           "1.7", 1, &x.err);
    petri_compile(&x, &options);
    if (x.program == NULL) return;
    tissue_case of = {.what = coupled ? "coupled" : "cells alone", .program = x.program, .last = 5, .units = 2};
    play_case(&of, CODE_QUICK);
    FF_CHECK_INT(of.refused + (uint32_t)of.is_unsupported, 0);
    petri_end(&x);
  }
}

/* In a window, a cell has very many firings, steps, or neighbours' firings. The window is halved if it is more than there is room
 * for: 4,096 times of firings, 512 pieces, 256 stops. */
static void fast_cells_have_the_trajectories(void) {
  static const struct {
    const char *what, *fast;
    uint32_t cells;
    int stirs, no_spare;
    double last;
    uint32_t refused;
  } list[] = {{"many stops", "2000", 64, 1, 0, 1, 0},      {"many pieces", "3000", 300, 1, 0, 0.3, 0},
              {"many firings", "6000", 600, 0, 0, 2, 0},   {"no room to move to", "100", 5, 1, 1, 1, 1}};
  const ff_petri_options options = {.relative = 1e-6};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    petri_text x;
    petri_ring_with_fast(&x, list[i].cells, list[i].fast, list[i].stirs);
    petri_compile(&x, &options);
    if (x.program == NULL) return;
    tissue_case of = {.what = list[i].what, .program = x.program, .last = list[i].last, .units = 1, .no_spare = list[i].no_spare};
    play_case(&of, CODE_QUICK);
    FF_CHECK_SAY(of.refused == list[i].refused && !of.is_unsupported, "%s: %u refused", list[i].what, of.refused);
    petri_end(&x);
  }
}

/* Cells of several kinds. */
static void mixed_cells_have_the_trajectories(void) {
  for (size_t i = 0; i < MIXED_NETS; i++) {
    const mixed_net *net = &mixed_nets[i];
    const ff_petri_options options = {.relative = net->relative};
    petri_text x;
    mixed_write(&x, net);
    petri_compile(&x, &options);
    if (x.program == NULL) return;
    tissue_case of = {.what = net->what, .program = x.program, .last = net->last, .units = 2};
    play_case(&of, i % 3 == 0 ? CODE_THOROUGH : CODE_QUICK);
    FF_CHECK_SAY(of.classes == net->classes, "%s: %u classes", net->what, of.classes);
    FF_CHECK_INT(of.refused + (uint32_t)of.is_unsupported, 0);
    petri_end(&x);
  }
}

static void some_tissues_have_no_code(void) {
  static const struct {
    mixed_net net;
    const char *why;
  } list[] = {{{"nine kinds", 9, 2, 1e-6, 3, 0,
                {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH(NULL, "0.1 * x + L[x,y]"), MIXED_DEATH(NULL), MIXED_GAIN(NULL)}},
               "no kernel simulates nets of more than 8 kinds of parts with different transitions; this net has at least 9"},
              {{"levels only", 3, 2, 1e-6, 3, 0, {MIXED_SPREAD, MIXED_LOSS}},
               "no kernel simulates nets with no stochastic transition yet"}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    petri_text x;
    mixed_write(&x, &list[i].net);
    petri_compile(&x, &(ff_petri_options){0});
    if (x.program == NULL) return;
    tissue_case of = {.what = list[i].net.what, .program = x.program, .last = 1, .units = 1};
    play_case(&of, CODE_QUICK);
    FF_CHECK(of.is_unsupported);
    FF_CHECK_STR(of.why.text, list[i].why);
    petri_end(&x);
  }
}

/* Devices count up to 2^30 tokens, so no trajectory with more begins there. */
static void large_markings_have_no_code(void) {
  petri_text x = {0};
  ff_petri_blocks *blocks = NULL;
  ff_petri_tissue_data d;
  ff_device_request request;
  ff_error err;
  uint32_t place = 0;
  x.status = petri_calcium_with(&x.net, 3, 3, 20, &x.err);
  petri_compile(&x, &(ff_petri_options){0});
  if (x.program == NULL) return;
  tissue_case of = {.program = x.program, .last = 1};
  plan(&of, &request);
  double *initial = ff_calloc(x.program->n_places, sizeof *initial);
  memcpy(initial, x.program->start, x.program->n_places * sizeof *initial);
  request.initial = initial;
  while (x.program->flat->continuous[place]) place++;
  FF_CHECK_OK(ff_petri_blocks_new(&blocks, x.program, &err), &err);
  const ff_petri_parts parts = {blocks, &ff_petri_opener_of_windows};
  for (int more = 0; more < 2; more++) {
    initial[place] = 0x1p30 + more;
    const ff_status status = ff_petri_tissue_data_new(&d, &parts, &request, &err);
    if (more)
      FF_CHECK_FAILS(status, FF_EUNSUPPORTED, &err, "no kernel simulates nets with more than 2^30 tokens in a place yet");
    else
      FF_CHECK_OK(status, &err);
    ff_petri_tissue_data_free(&d);
  }
  free(initial);
  ff_petri_blocks_free(blocks);
  petri_end(&x);
}

/* ---- random tissues ------------------------------------------------------------------------------------------------------- */

enum { DRAWN = 32, MOST_DRAWS = 120, LEAST_MIXED = 12 };

static void random_tissues_have_the_trajectories(void) {
  static const double relative[] = {1e-6, 1e-4, 1e-8};
  uint64_t seed = 3804;
  uint32_t played = 0, refused = 0, trajectories = 0, mixed = 0;
  for (uint32_t draw = 0; draw < MOST_DRAWS && played < DRAWN; draw++) {
    char what[40];
    petri_text x;
    const ff_petri_options options = {.relative = relative[draw % 3],
                                      .integrator = draw / 2 % 2 == 0 ? FF_PETRI_AUTO : FF_PETRI_DORMAND_PRINCE};
    snprintf(what, sizeof what, "net %u, seed %llu", draw, (unsigned long long)seed);
    tissue_write(&x, &seed, draw % 2 == 1);
    petri_compile(&x, &options);
    if (x.program == NULL) return;
    tissue_case of = {.what = what, .program = x.program, .last = 5, .units = 2};
    play_case(&of, CODE_QUICK);
    played += !of.is_unsupported;
    mixed += of.classes > 1;
    if (of.is_unsupported) FF_CHECK_SAY(strstr(of.why.text, "8 kinds of parts") != NULL, "%s", of.why.text);
    refused += of.refused;
    trajectories += of.is_unsupported ? 0 : of.units;
    petri_end(&x);
  }
  FF_CHECK_INT(played, DRAWN);
  FF_CHECK_SAY(mixed >= LEAST_MIXED, "%u have cells of several kinds", mixed);
  FF_CHECK_SAY(refused <= trajectories / 8, "%u of %u refused", refused, trajectories);
}

/* Few rounds are queued where they take long, so that a user need not wait for their end. */
static void long_rounds_are_few(void) {
  uint32_t rounds = 1;
  FF_CHECK_INT(ff_petri_tissue_rounds(1, 0), 2);
  for (int i = 0; i < 10; i++) rounds = ff_petri_tissue_rounds(rounds, rounds * 0.0003);
  FF_CHECK_INT(rounds, FF_PETRI_TISSUE_ROUNDS);
  rounds = ff_petri_tissue_rounds(rounds, rounds * 0.009);
  FF_CHECK_INT(rounds, 5);
  FF_CHECK_INT(ff_petri_tissue_rounds(rounds, rounds * 0.009), 5);
  FF_CHECK_INT(ff_petri_tissue_rounds(rounds, rounds * 0.3), 1);
  FF_CHECK_INT(ff_petri_tissue_rounds(1, 1), 1);
  FF_CHECK_INT(ff_petri_tissue_rounds(1, 1e9), 1);
}

FF_TEST_MAIN("petri_tissue", code_make_folder, calcium_has_the_trajectories, threads_open_alike, long_rounds_are_few,
             waves_have_levels_within_steps, mixed_cells_have_the_trajectories, some_tissues_have_no_code,
             large_markings_have_no_code, fast_cells_have_the_trajectories, random_tissues_have_the_trajectories,
             code_remove_folder)
