/* Compares trajectories of reaction networks on a GPU with those of this processor, bit for bit:
 *
 *   ssa_check fireflip_cuda.so [cache=FOLDER] [random=NETWORKS] [method=NAME] [only=TEST]
 *
 * for 50 random networks (or so many) and some others, with every method and every kernel. With files of networks, it also
 * measures the speed of both:
 *
 *   ssa_check fireflip_cuda.so [cache=FOLDER] [kernel=NAME] [method=NAME] [n=TRAJECTORIES] [compare=TRAJECTORIES] [points=N]
 *             [blocks=N] FILE=TIME ...
 *
 * With blocks=N, generated code for large sums has N partial sums at the top (ff_ssa_device_request).
 * With points=N, this is a sweep of N points: all rate constants are multiplied by 1 to 2.
 *
 * A file has a network as bench/ssa.R writes it for bench/plain_ssa.c: the numbers of species and reactions, the initial counts,
 * and for each reaction its rate constant, reactants and changes; or it is a text of tests/c/text_networks.h. It is simulated to
 * the time. `make cuda-check` builds this program, and `make gpu-check` runs it.
 */
#include <math.h>

#include "../../src/ssa/ff_ssa_device.h"
#include "../../src/ssa/ff_ssa_factor.h"
#include "../../src/ssa/ff_ssa_internal.h"
#include "../../src/ssa/ff_ssa_modules.h"
#include "../../src/ssa/ff_ssa_sweep.h"
#include "../c/factor_examples.h"
#include "../c/module_examples.h"
#include "../c/random_reactions.h"
#include "../c/schedule_examples.h"

#define TIMES 21
#define KEY 7
#define MOST_SPECIES 24u

static struct {
  const ff_ssa_device *backend;
  const char *cache, *kernel, *method;
  uint64_t n, compare;
  uint32_t random; /* networks */
  uint32_t points; /* of a sweep */
  uint32_t blocks; /* of partial sums */
} gpu = {NULL, NULL, NULL, NULL, 1 << 20, 512, 50, 1, 0};

/* ---- files -------------------------------------------------------------------------------------------------------------- */

static uint32_t read_list(FILE *file, ff_participant **list, int64_t by[64]) {
  uint32_t n = 0;
  if (fscanf(file, "%u", &n) != 1) n = 0;
  *list = ff_calloc((size_t)n + 8, sizeof **list);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t species = 0;
    long long count = 0;
    FF_CHECK(fscanf(file, "%u %lld", &species, &count) == 2);
    (*list)[i] = (ff_participant){species, (uint32_t)(count > 0 ? count : 0)};
    by[i] = count;
  }
  return n;
}

static int by_species(const void *left, const void *right) {
  const ff_participant *a = left, *b = right;
  return a->species < b->species ? -1 : a->species > b->species;
}

static void read_reaction(FILE *file, ff_reaction *r) {
  double rate = 0;
  int64_t by[64];
  ff_participant *changes;
  ff_error err;
  FF_CHECK(fscanf(file, "%lf", &rate) == 1);
  r->name = ff_strndup("", 0);
  r->mass_action = 1;
  FF_CHECK_OK(ff_formula_of_number(&r->rate, rate, &err), &err);
  r->n_reactants = read_list(file, &r->reactants, by);
  const uint32_t n = read_list(file, &changes, by);
  r->products = ff_calloc((size_t)r->n_reactants + n + 1, sizeof *r->products);
  for (uint32_t i = 0; i < r->n_reactants; i++) r->products[r->n_products++] = r->reactants[i];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = 0;
    while (k < r->n_products && r->products[k].species != changes[i].species) k++;
    if (k == r->n_products) r->products[r->n_products++] = (ff_participant){changes[i].species, 0};
    r->products[k].count += (uint32_t)by[i];
  }
  for (uint32_t i = 0; i < r->n_products;)
    if (r->products[i].count == 0)
      r->products[i] = r->products[--r->n_products];
    else
      i++;
  free(changes);
  qsort(r->products, r->n_products, sizeof *r->products, by_species); /* as an equation has them */
  qsort(r->reactants, r->n_reactants, sizeof *r->reactants, by_species);
}

static ff_reactions *read_text(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  char *text = ff_calloc(1 << 20, 1);
  text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
  fclose(file);
  ff_reactions *net = text[0] >= 'a' && text[0] <= 'z' ? network_of_text(text) : NULL;
  free(text);
  return net;
}

static ff_reactions *read_network(const char *path) {
  uint32_t n_species = 0, n = 0;
  ff_reactions *net = read_text(path);
  if (net != NULL) return net;
  ff_error err;
  FILE *file = fopen(path, "r");
  FF_CHECK_SAY(file != NULL && fscanf(file, "%u %u", &n_species, &n) == 2, "%s cannot be read", path);
  FF_CHECK_OK(ff_reactions_new(&net, n_species, 0, n, &err), &err);
  for (uint32_t s = 0; s < n_species; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    FF_CHECK(fscanf(file, "%lf", &net->initial[s]) == 1);
  }
  for (uint32_t r = 0; r < n; r++) read_reaction(file, net->reactions + r);
  fclose(file);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

/* ---- comparisons -------------------------------------------------------------------------------------------------------- */

/* What is compared and measured: `n` trajectories on the GPU, the first `compared` of them with the processor. */
typedef struct {
  const char *name, *kernel;
  const ff_ssa_program *program;
  ff_ssa_device_request request;
  uint64_t n, compared;
  double cpu_speed, ready, whole; /* events per second of one thread; seconds */
  ff_ssa_path order;              /* for the order of optimised_direct */
  ff_ssa_device_progress progress;
} job;

static ff_ssa_run *on_cpu(job *j, double **states, unsigned wanted, uint64_t n) {
  const ff_ssa_device_request *r = &j->request;
  const ff_ssa_options options = {.method = r->method, .key = KEY, .n = n, .initial = r->initial, .times = r->times,
                                  .n_times = r->n_times, .observed = r->species, .n_observed = r->n_species, .states = states,
                                  .wanted = wanted, .threads = 1, .simd = FF_SIMD_BEST};
  const double began = ff_clock();
  ff_ssa_run *run = run_to_end(j->program, &options, 1);
  j->cpu_speed = (double)ff_ssa_run_events(run) / (ff_clock() - began);
  return run;
}

static ff_status on_gpu(ff_ensemble **e, job *j, ff_error *err) {
  const ff_ensemble_options options = {.kernel = j->kernel, .units = j->n, .cache = gpu.cache};
  double began = ff_clock();
  int ready = 0;
  ff_status status = gpu.backend->create(e, j->program, &j->request, &options, err);
  while (status == FF_OK && !ready) status = gpu.backend->common.ready(*e, 1, &ready, err);
  j->ready = ff_clock() - began;
  if (status != FF_OK) return status;
  began = ff_clock();
  status = gpu.backend->common.start(*e, KEY, 0, j->n, err);
  do {
    if (status == FF_OK) status = gpu.backend->advance(*e, 0.5, &j->progress, err);
  } while (status == FF_OK && !j->progress.done);
  j->whole = ff_clock() - began;
  return status;
}

static void begin_order(job *j) {
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&j->order, j->program, FF_SSA_OPTIMISED, &err), &err);
  ff_ssa_path_start(&j->order, KEY, 0, j->program->initial);
  while (j->order.failure.what == FF_SSA_HALFWAY) ff_ssa_path_go_on(&j->order);
  j->request.order = ff_ssa_optimised_order(&j->order);
}

/* Compares the counts of each trajectory, and that none is refused. */
static void compare_states(ff_ensemble *e, job *j) {
  const ff_ssa_device_request *r = &j->request;
  const uint64_t n = j->compared;
  ff_error err;
  uint64_t wrong = 0, refused[8], n_refused = 0;
  double *states[MOST_SPECIES];
  uint32_t *counts = ff_calloc(n * r->n_times * r->n_species, sizeof *counts);
  for (uint32_t s = 0; s < r->n_species; s++) states[s] = ff_calloc(n * r->n_times, sizeof(double));
  ff_ssa_run_free(on_cpu(j, states, 0, n));
  FF_CHECK_OK(gpu.backend->states(e, 0, n, counts, &err), &err);
  FF_CHECK_OK(gpu.backend->refused(e, 0, refused, 8, &n_refused, &err), &err);
  for (uint64_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < r->n_times; i++)
      for (uint32_t s = 0; s < r->n_species; s++)
        wrong += counts[((uint64_t)i * r->n_species + s) * n + k] != states[s][k * r->n_times + i];
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu counts differ", j->name, (unsigned long long)wrong,
               (unsigned long long)n * r->n_times * r->n_species);
  FF_CHECK_SAY(n_refused == 0, "%s: trajectories are refused", j->name);
  for (uint32_t s = 0; s < r->n_species; s++) free(states[s]);
  free(counts);
}

/* Compares the statistics of all trajectories. */
static void compare_sums(ff_ensemble *e, job *j) {
  const ff_ssa_device_request *r = &j->request;
  const uint8_t counts[MOST_SPECIES] = {0};
  ff_ssa_sums sums, *other = NULL;
  ff_error err;
  uint32_t wrong = 0;
  FF_CHECK_OK(ff_ssa_sums_new(&sums, r->n_times, r->n_species, counts, FF_SSA_COVARIANCE, &err), &err);
  FF_CHECK_OK(gpu.backend->tally(e, 0, j->n, &sums, &err), &err);
  ff_ssa_run *run = on_cpu(j, NULL, FF_SSA_COVARIANCE, j->n);
  FF_CHECK_OK(ff_ssa_run_sums(run, &other, &err), &err);
  for (size_t i = 0; other != NULL && i < (size_t)r->n_times * r->n_species; i++)
    wrong += memcmp(&sums.counts[i].sums, &other->counts[i].sums, sizeof sums.counts[i].sums) != 0 ||
             sums.counts[i].min != other->counts[i].min || sums.counts[i].max != other->counts[i].max;
  const size_t pairs = (size_t)r->n_species * (r->n_species - 1) / 2 * r->n_times;
  for (size_t i = 0; other != NULL && i < 2 * pairs; i++) wrong += sums.products[i] != other->products[i];
  FF_CHECK_SAY(wrong == 0, "%s: %u sums differ", j->name, wrong);
  FF_CHECK_SAY(j->progress.events == ff_ssa_run_events(run), "%s: %llu events, not %llu", j->name,
               (unsigned long long)j->progress.events, (unsigned long long)ff_ssa_run_events(run));
  ff_ssa_run_free(run);
  ff_ssa_sums_free(&sums);
}

static void report(ff_ensemble *e, const job *j) {
  const ff_ensemble_info info = gpu.backend->common.info(e);
  printf("%-26s %-18s %-9s %10.3e %10.3e %10.3e %7.3f %7.3f  %u x %u, %u registers, %u B\n", j->name,
         ff_ssa_method_name(j->request.method), info.kernel, (double)j->progress.events / info.device_seconds,
         (double)j->progress.events / j->whole, j->cpu_speed, j->ready, info.device_seconds, info.threads, info.blocks,
         info.registers, info.shared_bytes);
  fflush(stdout);
}

/* Runs a program to the last time, and compares. Returns whether a kernel could run it. */
static int check_program(const char *name, const ff_ssa_program *program, ff_ssa_method method, const char *kernel, double last,
                         uint64_t n, int sums) {
  double times[TIMES];
  uint32_t species[MOST_SPECIES];
  ff_ensemble *e = NULL;
  ff_error err;
  job j = {.name = name, .kernel = kernel, .program = program, .n = n, .compared = sums || gpu.compare > n ? n : gpu.compare};
  const uint32_t all = program->n_species, n_species = sums ? (all < MOST_SPECIES ? all : MOST_SPECIES) : all < 2 ? all : 2;
  for (uint32_t i = 0; i < TIMES; i++) times[i] = last * i / (TIMES - 1);
  for (uint32_t s = 0; s < n_species; s++) species[s] = s;
  j.request = (ff_ssa_device_request){.method = method, .initial = program->initial, .times = times, .n_times = TIMES,
                                      .species = species, .n_species = n_species, .blocks = gpu.blocks};
  if (method == FF_SSA_OPTIMISED) begin_order(&j);
  const ff_status status = on_gpu(&e, &j, &err);
  const int runs = status == FF_OK;
  if (runs) compare_states(e, &j);
  if (runs && sums) compare_sums(e, &j);
  if (runs && !sums) report(e, &j);
  if (!runs && (status != FF_EUNSUPPORTED || !sums)) FF_CHECK_OK(status, &err);
  gpu.backend->common.destroy(e);
  if (method == FF_SSA_OPTIMISED) ff_ssa_path_free(&j.order);
  return runs;
}

/* ---- networks of this file ---------------------------------------------------------------------------------------------- */

/* The method of this name, or else `otherwise`. */
static ff_ssa_method method_of(const char *name, ff_ssa_method otherwise) {
  for (int m = 0; m < FF_SSA_METHODS && name != NULL; m++)
    if (strcmp(ff_ssa_method_name((ff_ssa_method)m), name) == 0) return (ff_ssa_method)m;
  return otherwise;
}

/* All exact methods run in the kernel that reads the network as data, and these six in generated code. */
static void random_networks(void) {
  static const ff_ssa_method generated[] = {FF_SSA_DIRECT, FF_SSA_TREE,      FF_SSA_FACTORED,
                                            FF_SSA_FIRST,  FF_SSA_OPTIMISED, FF_SSA_SORTING};
  static const ff_ssa_method generic[] = {FF_SSA_TREE, FF_SSA_FIRST,       FF_SSA_NEXT,    FF_SSA_OPTIMISED,
                                          FF_SSA_SORTING, FF_SSA_RSSA,     FF_SSA_BLOCK,   FF_SSA_COMPOSITION,
                                          FF_SSA_PDM,     FF_SSA_SPDM,     FF_SSA_PSSA_CR, FF_SSA_RSSA_CR};
  uint64_t state = 2027;
  uint32_t runs = 0;
  for (uint32_t i = 0; i < gpu.random; i++) {
    double initial[26];
    char name[64];
    const uint32_t n = 1 + below(&state, RANDOM_REACTIONS), n_species = 1 + below(&state, 20);
    ff_ssa_program *program = random_program(&state, n_species, n, initial);
    snprintf(name, sizeof name, "random network %u (%u reactions)", i, n);
    const ff_ssa_method method = method_of(gpu.method, generic[i % (sizeof generic / sizeof *generic)]);
    FF_CHECK(check_program(name, program, method, "generic", 0.2, 3000, 1));
    if (gpu.method == NULL) runs += (uint32_t)check_program(name, program, generated[i % 6], "generated", 0.2, 3000, 1);
    ff_ssa_program_free(program);
  }
  FF_CHECK(gpu.method != NULL || runs == gpu.random);
}

/* Chains whose events read what they change from a table. */
static void kept_propensities(void) {
  static const uint32_t species[] = {40, 100, 180};
  for (size_t i = 0; i < 3; i++)
    for (int sorts = 0; sorts < 2; sorts++) {
      const ff_ssa_method method = sorts ? FF_SSA_SORTING : FF_SSA_OPTIMISED;
      if (gpu.method != NULL && method_of(gpu.method, FF_SSA_METHODS) != method) continue;
      ff_ssa_program *program = program_of_network(ring_of(species[i]));
      FF_CHECK(check_program("ring", program, method, "generated", 1, 3000, 1));
      ff_ssa_program_free(program);
    }
}

static void groups_of_reactions(void) {
  if (gpu.method != NULL) return;
  for (size_t i = 0; i < FACTOR_EXAMPLES; i++) {
    ff_ssa_program *program = program_of_example(factor_examples + i);
    FF_CHECK(check_program(factor_examples[i].what, program, FF_SSA_FACTORED, "generated", 2, 3000, 1));
    const int can = program->factor->n_factored == program->factor->n_groups;
    FF_CHECK(check_program(factor_examples[i].what, program, FF_SSA_FACTORED, "generic", 2, 3000, 1) == can);
    ff_ssa_program_free(program);
  }
  for (uint32_t sites = 3; sites <= 5; sites++) {
    ff_ssa_program *program = program_of_sites(sites);
    FF_CHECK(check_program("sites", program, FF_SSA_FACTORED, "generated", 0.5, 3000, 1));
    FF_CHECK(check_program("sites", program, FF_SSA_FACTORED, "generic", 0.5, 3000, 1));
    ff_ssa_program_free(program);
  }
}

/* Rings of modules: counts of 16 and 32 bits in shared memory, counts in global memory, upper sums, and sums of 64 bits. */
static void replicated_modules(void) {
  static const struct { uint32_t n, times; } rings[] = {{9, 1}, {30, 1}, {100, 1}, {1000, 1}, {20, 500}};
  for (size_t i = 0; i < MODULE_EXAMPLES; i++)
    for (size_t k = 0; k < sizeof rings / sizeof *rings; k++) {
      ff_ssa_program *program = program_of_modules(module_examples + i, rings[k].n, 0, 0);
      const double last = rings[k].n == 1000 ? 0.02 : rings[k].times == 1 ? 0.5 : 0.0002;
      FF_CHECK(program->modules != NULL);
      for (uint32_t s = 0; s < program->n_species; s++) program->initial[s] *= rings[k].times;
      FF_CHECK(check_program(module_examples[i].what, program, FF_SSA_FACTORED, "generated", last, 3000, 1));
      ff_ssa_program_free(program);
    }
}

static ff_ssa_method scheduled_method(size_t i) {
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_NEXT, FF_SSA_FIRST};
  return methods[i % 3];
}

static void check_examples(const scheduled_example *examples, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (examples[i].refuses != 0) continue;
    ff_ssa_program *program = program_of_network(network_of_text(examples[i].text));
    const ff_ssa_method method = i % 4 == 3 ? FF_SSA_FIRST : FF_SSA_DIRECT;
    FF_CHECK(check_program(examples[i].what, program, method, "generated", examples[i].last, 500, 1));
    FF_CHECK(check_program(examples[i].what, program, scheduled_method(i), "generic", examples[i].last, 100, 1));
    ff_ssa_program_free(program);
  }
}

/* Whether the processor can simulate so many trajectories. */
static int processor_can(const ff_ssa_program *program, ff_ssa_method method, double last, uint64_t n) {
  const uint32_t observed = 0;
  const ff_ssa_options options = {.method = method, .key = KEY, .n = n, .times = &last, .n_times = 1, .observed = &observed,
                                  .n_observed = 1, .threads = 1};
  ff_error err;
  return status_of(program, &options, 1, &err) == FF_OK;
}

/* Events, and rates that depend on the time. */
static void scheduled_networks(void) {
  check_examples(scheduled_events, sizeof scheduled_events / sizeof *scheduled_events);
  check_examples(scheduled_rates, sizeof scheduled_rates / sizeof *scheduled_rates);
  check_examples(scheduled_both, sizeof scheduled_both / sizeof *scheduled_both);
}

static void random_scheduled_networks(void) {
  uint64_t state = 1618;
  for (uint32_t i = 0; i < gpu.random / 2; i++) {
    const uint32_t n_species = 1 + below(&state, 8), n = 1 + below(&state, i % 4 == 0 ? 30 : 8), n_events = below(&state, 7);
    ff_ssa_program *program = random_schedule(&state, n_species, n, n_events);
    const ff_ssa_method method = i % 3 == 2 ? FF_SSA_FIRST : FF_SSA_DIRECT;
    char name[64];
    snprintf(name, sizeof name, "random scheduled network %u", i);
    if (processor_can(program, method, 2, 400)) FF_CHECK(check_program(name, program, method, "generated", 2, 400, 1));
    ff_ssa_program_free(program);
  }
}

/* More reactions and events than generated code has. */
static void large_scheduled_networks(void) {
  uint64_t state = 577;
  for (uint32_t i = 0; i < gpu.random / 2; i++) {
    const uint32_t n_species = 2 + below(&state, 22), n = 1 + below(&state, 300), n_events = below(&state, 60);
    ff_ssa_program *program = random_schedule(&state, n_species, n, n_events);
    const ff_ssa_method method = scheduled_method(i);
    char name[64];
    snprintf(name, sizeof name, "large scheduled network %u", i);
    if (i % 4 == 3) { /* as if the lists were too long */
      free(program->dependents);
      program->dependents = NULL;
    }
    if (processor_can(program, method, 0.1, 100)) FF_CHECK(check_program(name, program, method, "generic", 0.1, 100, 1));
    ff_ssa_program_free(program);
  }
}

/* A ring of more species than generated code has; a network that needs more than a wave of few trajectories. */
/* An event changes many propensities: the lanes share long rows, and large groups. */
static void coupled_networks(void) {
  static const ff_ssa_method methods[] = {FF_SSA_COMPOSITION, FF_SSA_RSSA_CR, FF_SSA_PDM, FF_SSA_SPDM, FF_SSA_PSSA_CR};
  ff_ssa_program *program = program_of_colloid(90);
  for (size_t i = 0; gpu.method == NULL && i < sizeof methods / sizeof *methods; i++)
    FF_CHECK(check_program("colloid", program, methods[i], "generic", 0.02, 100, 1));
  ff_ssa_program_free(program);
}

static void large_networks(void) {
  ff_ssa_program *program = program_of_network(ring_of(3000));
  const ff_ssa_method method = method_of(gpu.method, FF_SSA_TREE);
  const int slow = method != FF_SSA_TREE; /* the processor may take a long time for an event */
  FF_CHECK(check_program("ring", program, method, "generic", slow ? 0.3 : 3, slow ? 20 : 200, 1));
  if (!slow) FF_CHECK(check_program("ring", program, method, "generic", 0.5, 20000, 1));
  ff_ssa_program_free(program);
}

/* ---- several points ------------------------------------------------------------------------------------------------------ */

#define MOST_POINTS 10000u

/* Changes the rate constants of a program, and its initial counts by whole numbers. */
static void vary(ff_ssa_program *p, double factor, uint32_t add) {
  for (uint32_t s = 0; s < p->n_species; s++) p->initial[s] += s % 2 == 0 ? add : 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) p->propensities[r].rate *= factor;
  for (uint32_t i = 0; p->factor->n_groups != FF_FACTOR_NONE && i < p->factor->n_groups; i++)
    p->factor->groups[i].rate *= factor;
  for (uint32_t i = 0; p->modules != NULL && i < p->modules->n_terms; i++) p->modules->terms[i].rate *= factor;
}

typedef struct {
  uint32_t n;
  ff_ssa_program **programs;
  ff_ssa_device_point *points;
  uint8_t *joins;
} sweep;

static void sweep_free(sweep *s) {
  for (uint32_t i = 0; i < s->n; i++) ff_ssa_program_free(s->programs[i]);
  free(s->programs);
  free(s->points);
  free(s->joins);
}

static sweep sweep_new(uint32_t n) {
  return (sweep){n, ff_calloc(n, sizeof(ff_ssa_program *)), ff_calloc(n, sizeof(ff_ssa_device_point)), ff_calloc(n, 1)};
}

static void sweep_point(sweep *s, uint32_t i, ff_ssa_program *program) {
  s->programs[i] = program;
  s->points[i] = (ff_ssa_device_point){program, program->initial, KEY + i};
}

/* Compares point i of the wave, which is point `at` of the sweep: its counts, statistics and events. */
static void compare_point(ff_ensemble *e, const job *whole, uint32_t i, uint32_t at, uint64_t events, const sweep *s) {
  const uint64_t each = whole->request.n_each;
  const ff_ssa_device_request *r = &whole->request;
  const uint8_t counts[MOST_SPECIES] = {0};
  const size_t cells = (size_t)r->n_times * r->n_species;
  double *states[MOST_SPECIES];
  ff_ssa_sums sums, own;
  ff_error err;
  uint32_t wrong = 0;
  uint64_t bytes = 0;
  uint32_t *got = ff_calloc(each * cells, sizeof *got);
  for (uint32_t j = 0; j < r->n_species; j++) states[j] = ff_calloc(each * r->n_times, sizeof(double));
  const ff_ssa_options options = {.method = r->method, .key = s->points[at].key, .n = each, .initial = s->points[at].initial,
                                  .times = r->times, .n_times = r->n_times, .observed = r->species, .n_observed = r->n_species,
                                  .states = states, .threads = 1, .simd = FF_SIMD_BEST};
  ff_ssa_run *run = run_to_end(s->programs[at], &options, 1);
  FF_CHECK_OK(gpu.backend->states(e, i * each, each, got, &err), &err);
  FF_CHECK_OK(ff_ssa_sums_new(&sums, r->n_times, r->n_species, counts, FF_SSA_COVARIANCE | FF_SSA_HISTOGRAM, &err), &err);
  FF_CHECK_OK(ff_ssa_sums_new(&own, r->n_times, r->n_species, counts, FF_SSA_COVARIANCE | FF_SSA_HISTOGRAM, &err), &err);
  FF_CHECK_OK(gpu.backend->tally(e, i * each, each, &sums, &err), &err);
  for (uint64_t k = 0; k < each; k++)
    for (uint32_t t = 0; t < r->n_times; t++) {
      double x[MOST_SPECIES];
      for (uint32_t j = 0; j < r->n_species; j++) {
        x[j] = states[j][k * r->n_times + t];
        wrong += got[((uint64_t)t * r->n_species + j) * each + k] != x[j];
      }
      FF_CHECK_OK(ff_ssa_sums_add(&own, t, x, &bytes, &err), &err);
    }
  FF_CHECK_SAY(wrong == 0, "%s: %u counts of point %u differ", whole->name, wrong, at);
  wrong = 0;
  for (size_t c = 0; c < cells; c++) {
    wrong += memcmp(&sums.counts[c].sums, &own.counts[c].sums, sizeof own.counts[c].sums) != 0;
    wrong += sums.frequency[c].used != own.frequency[c].used;
  }
  for (size_t c = 0; c < (size_t)r->n_species * (r->n_species - 1) * r->n_times; c++)
    wrong += sums.products[c] != own.products[c];
  FF_CHECK_SAY(wrong == 0, "%s: %u sums of point %u differ", whole->name, wrong, at);
  FF_CHECK_SAY(events == ff_ssa_run_events(run), "%s: %llu events of point %u, not %llu", whole->name,
               (unsigned long long)events, at, (unsigned long long)ff_ssa_run_events(run));
  ff_ssa_run_free(run);
  ff_ssa_sums_free(&sums);
  ff_ssa_sums_free(&own);
  for (uint32_t j = 0; j < r->n_species; j++) free(states[j]);
  free(got);
}

/* Adds up each point of a wave, as a sweep does. Returns the seconds. */
static double add_up(ff_ensemble *e, const job *j) {
  const uint8_t counts[MOST_SPECIES] = {0};
  const double began = ff_clock();
  for (uint64_t first = 0; first < j->n; first += j->request.n_each) {
    ff_ssa_sums sums;
    ff_error err;
    FF_CHECK_OK(ff_ssa_sums_new(&sums, j->request.n_times, j->request.n_species, counts, 0, &err), &err);
    FF_CHECK_OK(gpu.backend->tally(e, first, j->request.n_each, &sums, &err), &err);
    ff_ssa_sums_free(&sums);
  }
  return ff_clock() - began;
}

/* Runs a sweep as one ensemble. `compared` of its points are compared, evenly spread; 0: all. */
static void check_sweep(const char *name, sweep *s, ff_ssa_method method, double last, uint64_t each, uint32_t compared) {
  double times[TIMES];
  uint32_t species[MOST_SPECIES], n = 0, at[MOST_POINTS];
  ff_ensemble *e = NULL;
  ff_error err;
  const uint32_t all = s->programs[0]->n_species, n_species = all < 3 ? all : 3;
  for (uint32_t i = 0; i < TIMES; i++) times[i] = last * i / (TIMES - 1);
  for (uint32_t j = 0; j < n_species; j++) species[j] = j == 0 ? 0 : all - j;
  job j = {.name = name, .program = s->programs[0], .n = s->n * each};
  j.request = (ff_ssa_device_request){.method = method, .initial = s->points[0].initial, .times = times, .n_times = TIMES,
                                      .species = species, .n_species = n_species, .points = s->points, .n_points = s->n,
                                      .n_each = each, .joins = s->joins};
  const ff_ensemble_options options = {.units = j.n, .cache = gpu.cache};
  double began = ff_clock();
  int ready = 0;
  ff_status status = gpu.backend->create(&e, j.program, &j.request, &options, &err);
  while (status == FF_OK && !ready) status = gpu.backend->common.ready(e, 1, &ready, &err);
  j.ready = ff_clock() - began;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->joins[i]) at[n++] = i;
  j.n = n * each;
  began = ff_clock();
  if (status == FF_OK) status = gpu.backend->common.start(e, 0, 0, j.n, &err);
  while (status == FF_OK && !j.progress.done) status = gpu.backend->advance(e, 0.5, &j.progress, &err);
  j.whole = ff_clock() - began;
  uint64_t *events = ff_calloc(n + 1, sizeof *events), refused[8], n_refused = 0;
  if (status == FF_OK) status = gpu.backend->events(e, events, &err);
  if (status == FF_OK) status = gpu.backend->refused(e, 0, refused, 8, &n_refused, &err);
  FF_CHECK_OK(status, &err);
  FF_CHECK_SAY(s->joins[0] && n_refused == 0, "%s: %llu refused", name, (unsigned long long)n_refused);
  for (uint32_t i = 0; i < n && status == FF_OK; i += compared > 0 && compared < n ? n / compared : 1)
    compare_point(e, &j, i, at[i], events[i], s);
  if (status == FF_OK && compared > 0) {
    const double seconds = add_up(e, &j);
    printf("%u of %u points; added up in %.4f s\n", n, s->n, seconds);
    report(e, &j);
  }
  free(events);
  gpu.backend->common.destroy(e);
}

static void several_points(void) {
  for (int kind = 0; kind < 6; kind++) {
    static const char *const names[] = {"direct", "first reaction", "20 reactions", "sites", "4 sites", "examples"};
    const ff_ssa_method method = kind == 1 ? FF_SSA_FIRST : kind > 2 ? FF_SSA_FACTORED : FF_SSA_DIRECT;
    sweep s = sweep_new(37);
    for (uint32_t i = 0; i < s.n; i++) {
      uint64_t state = 5;
      double counts[26];
      ff_ssa_program *program = kind < 3    ? random_program(&state, 5, kind == 2 ? 20 : 6, counts)
                                : kind == 5 ? program_of_example(factor_examples)
                                            : program_of_sites(kind);
      vary(program, 1 + i / 16.0, i % 3);
      sweep_point(&s, i, program);
    }
    check_sweep(names[kind], &s, method, kind < 3 ? 0.2 : 0.5, kind == 1 ? 33 : 1000, 0);
    sweep_free(&s);
  }
}

/* Compares the points of a sweep that is done with runs of their own. Returns the number of points that are left. */
static uint32_t compare_runs(ff_ssa_sweep *done, const ff_ssa_point *points, uint32_t n, const char *name) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < n; i++) {
    ff_ssa_run *run = ff_ssa_sweep_run(done, i), *want;
    ff_ssa_sums *a, *b;
    ff_error err;
    left += ff_ssa_sweep_is_left(done, i) != 0;
    if (run == NULL) continue;
    want = run_to_end(points[i].program, &points[i].options, 1);
    FF_CHECK_OK(ff_ssa_run_sums(run, &a, &err), &err);
    FF_CHECK_OK(ff_ssa_run_sums(want, &b, &err), &err);
    const size_t counts = (size_t)a->n_times * a->n_counts * sizeof *a->counts;
    FF_CHECK_SAY(memcmp(a->counts, b->counts, counts) == 0, "%s: sums of point %u differ", name, i);
    FF_CHECK_SAY(ff_ssa_run_events(run) == ff_ssa_run_events(want), "%s: events of point %u differ", name, i);
    ff_ssa_run_free(want);
  }
  return left;
}

/* A whole sweep, whose points have two structures. */
static void sweeps(void) {
  static const double times[] = {0, 0.05, 0.2};
  static const uint32_t species[] = {0, 2}, device = 0;
  const ff_ssa_choice choice = {.backend = gpu.backend, .devices = &device, .n_devices = 1, .cache = gpu.cache};
  for (int m = 0; m < 2; m++) {
    ff_ssa_program *programs[200];
    ff_ssa_point points[200];
    ff_ssa_sweep *s;
    ff_error err;
    int done = 0, ready = 0;
    for (uint32_t i = 0; i < 200; i++) {
      uint64_t state = i % 4 == 3 ? 6 : 5;
      double counts[26];
      programs[i] = random_program(&state, 5, i % 4 == 3 ? 12 : 6, counts);
      vary(programs[i], 1 + i / 64.0, i % 3);
      points[i] = (ff_ssa_point){programs[i],
                                 {.method = m == 0 ? FF_SSA_DIRECT : FF_SSA_FACTORED, .key = i, .n = 100, .times = times,
                                  .n_times = 3, .observed = species, .n_observed = 2, .threads = 1, .simd = FF_SIMD_BEST}};
    }
    const double began = ff_clock();
    FF_CHECK_OK(ff_ssa_sweep_new(&s, points, 200, 2, &err), &err);
    ff_status status = ff_ssa_sweep_use(s, &choice, &err);
    while (status == FF_OK && !ready) status = ff_ssa_sweep_ready(s, 1, &ready, &err);
    const double begun = ff_clock();
    while (status == FF_OK && !done) status = ff_ssa_sweep_advance(s, 0.25, &done, &err);
    printf("a sweep of 200 points: ready in %.3f s, done in %.3f s\n", begun - began, ff_clock() - begun);
    FF_CHECK_OK(status, &err);
    FF_CHECK_INT(compare_runs(s, points, 200, "sweep"), 0);
    FF_CHECK(ff_ssa_sweep_lost(s) == NULL);
    ff_ssa_sweep_free(s);
    for (uint32_t i = 0; i < 200; i++) ff_ssa_program_free(programs[i]);
  }
}

/* ---- arguments ---------------------------------------------------------------------------------------------------------- */

static int n_arguments;
static char **arguments;

static void sweep_of_file(const char *path, double last) {
  const ff_ssa_options options = {.n = gpu.n};
  sweep s = sweep_new(gpu.points);
  for (uint32_t i = 0; i < s.n; i++) {
    ff_ssa_program *program = program_of_network(read_network(path));
    vary(program, 1 + (double)i / s.n, 0);
    sweep_point(&s, i, program);
  }
  ff_ssa_method method = ff_ssa_method_of(s.programs[0], &options);
  check_sweep(strrchr(path, '/') + 1, &s, method, last, gpu.n / s.n, 4);
  sweep_free(&s);
}

static void networks_of_files(void) {
  printf("%-26s %-18s %-9s %10s %10s %10s %7s %7s\n", "network", "method", "kernel", "events/s", "whole", "CPU", "ready s",
         "GPU s");
  for (int i = 2; i < n_arguments; i++) {
    char *value = strchr(arguments[i], '=');
    if (value == NULL) continue;
    *value++ = '\0';
    if (strcmp(arguments[i], "cache") == 0) gpu.cache = value;
    else if (strcmp(arguments[i], "kernel") == 0) gpu.kernel = *value != '\0' ? value : NULL;
    else if (strcmp(arguments[i], "method") == 0) gpu.method = *value != '\0' ? value : NULL;
    else if (strcmp(arguments[i], "n") == 0) gpu.n = (uint64_t)atof(value);
    else if (strcmp(arguments[i], "compare") == 0) gpu.compare = (uint64_t)atof(value);
    else if (strcmp(arguments[i], "points") == 0) gpu.points = (uint32_t)atof(value);
    else if (strcmp(arguments[i], "blocks") == 0) gpu.blocks = (uint32_t)atof(value);
    else if (gpu.points > 1) {
      sweep_of_file(arguments[i], atof(value));
    } else {
      ff_ssa_program *program = program_of_network(read_network(arguments[i]));
      const ff_ssa_options options = {.n = gpu.n};
      const ff_ssa_method method = method_of(gpu.method, ff_ssa_method_of(program, &options));
      check_program(strrchr(arguments[i], '/') + 1, program, method, gpu.kernel, atof(value), gpu.n, 0);
      ff_ssa_program_free(program);
    }
  }
}

int main(int argc, char **argv) {
  static const ff_check_test own[] = {{"random_networks", random_networks},
                                      {"kept_propensities", kept_propensities},
                                      {"groups_of_reactions", groups_of_reactions},
                                      {"several_points", several_points},
                                      {"sweeps", sweeps},
                                      {"replicated_modules", replicated_modules},
                                      {"coupled_networks", coupled_networks},
                                      {"large_networks", large_networks},
                                      {"scheduled_networks", scheduled_networks},
                                      {"random_scheduled_networks", random_scheduled_networks},
                                      {"large_scheduled_networks", large_scheduled_networks}};
  static const ff_check_test files[] = {{"networks_of_files", networks_of_files}};
  ff_backend_library *library = NULL;
  const ff_backend *table = NULL;
  ff_error err = {FF_OK, ""};
  ff_status status = argc > 1 ? ff_backend_open(&library, argv[1], &err) : FF_EARGUMENT;
  if (status == FF_OK) status = ff_backend_table(library, &table, &err);
  if (status != FF_OK || (gpu.backend = table->interface(FF_SSA_INTERFACE)) == NULL) {
    fprintf(stderr, "%s\nusage: %s fireflip_cuda.so [cache=FOLDER] [FILE=TIME ...]\n", err.text, argv[0]);
    return 2;
  }
  n_arguments = argc;
  arguments = argv;
  const char *only = NULL;
  int has_files = 0;
  for (int i = 2; i < argc; i++) {
    has_files |= strchr(argv[i], '/') != NULL && strncmp(argv[i], "cache=", 6) != 0;
    if (strncmp(argv[i], "cache=", 6) == 0) gpu.cache = argv[i] + 6;
    if (strncmp(argv[i], "method=", 7) == 0) gpu.method = argv[i] + 7;
    if (strncmp(argv[i], "random=", 7) == 0) gpu.random = (uint32_t)atoi(argv[i] + 7);
    if (strncmp(argv[i], "only=", 5) == 0) only = argv[i] + 5;
  }
  size_t first = 0, last = sizeof own / sizeof *own;
  for (size_t k = 0; only != NULL && k < sizeof own / sizeof *own; k++)
    if (strcmp(own[k].name, only) == 0) first = k, last = k + 1;
  const int failed = has_files ? ff_check_main("ssa_check", files, 1, 1, argv)
                               : ff_check_main("ssa_check", own + first, (int)(last - first), 1, argv);
  ff_backend_close(library);
  return failed;
}
