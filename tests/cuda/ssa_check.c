/* Compares trajectories of reaction networks on a GPU with those of this processor, bit for bit, and measures the speed of both:
 *
 *   ssa_check fireflip_cuda.so [cache=FOLDER] [kernel=NAME] [method=NAME] [n=TRAJECTORIES] [compare=TRAJECTORIES] FILE=TIME ...
 *
 * A file has a network as bench/ssa.R writes it for bench/plain_ssa.c: the numbers of species and reactions, the initial counts,
 * and for each reaction its rate constant, reactants and changes. It is simulated to the time. `make cuda-check` builds this
 * program.
 */
#include <math.h>
#include <unistd.h>

#include "../../src/ssa/ff_ssa_device.h"
#include "../c/simulations.h"

static struct {
  const ff_ssa_device *backend;
  const char *cache, *kernel, *method;
  uint64_t n, compare;
} gpu = {NULL, NULL, NULL, NULL, 1 << 20, 512};

#define TIMES 21

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

static ff_reactions *read_network(const char *path) {
  uint32_t n_species = 0, n = 0;
  ff_reactions *net;
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

/* Counts of the first gpu.compare trajectories: by trajectory, time and species. Returns events per second of one thread. */
static double on_cpu(const ff_ssa_program *program, const ff_ssa_device_request *request, uint64_t n, double **states) {
  ff_ssa_options options = {.method = request->method, .key = 7, .n = n, .times = request->times, .n_times = TIMES,
                            .observed = request->species, .n_observed = request->n_species, .states = states, .threads = 1,
                            .simd = FF_SIMD_BEST};
  const double began = ff_clock();
  ff_ssa_run *run = run_to_end(program, &options, 1);
  const double speed = (double)ff_ssa_run_events(run) / (ff_clock() - began);
  ff_ssa_run_free(run);
  return speed;
}

static ff_status on_gpu(ff_ensemble **e, const ff_ssa_program *program, const ff_ssa_device_request *request, uint64_t n,
                        ff_ssa_device_progress *progress, double seconds[3], ff_error *err) {
  const ff_ensemble_options options = {.kernel = gpu.kernel, .units = n, .cache = gpu.cache};
  double began = ff_clock();
  int ready = 0;
  ff_status status = gpu.backend->create(e, program, request, &options, err);
  while (status == FF_OK && !ready) status = gpu.backend->common.ready(*e, 1, &ready, err);
  seconds[0] = ff_clock() - began;
  if (status != FF_OK) return status;
  began = ff_clock();
  if (n > gpu.backend->common.info(*e).capacity)
    printf("  only %llu fit\n", (unsigned long long)gpu.backend->common.info(*e).capacity);
  status = gpu.backend->common.start(*e, 7, 0, n, err);
  do {
    if (status == FF_OK) status = gpu.backend->advance(*e, 0.5, progress, err);
  } while (status == FF_OK && !progress->done);
  seconds[1] = ff_clock() - began;
  seconds[2] = gpu.backend->common.info(*e).device_seconds;
  return status;
}

static void compare(ff_ensemble *e, const ff_ssa_device_request *request, double **states, uint64_t n) {
  ff_error err;
  uint64_t wrong = 0, refused[8], n_refused = 0;
  uint32_t *counts = ff_calloc(n * TIMES * request->n_species, sizeof *counts);
  FF_CHECK_OK(gpu.backend->states(e, 0, n, counts, &err), &err);
  FF_CHECK_OK(gpu.backend->refused(e, 0, refused, 8, &n_refused, &err), &err);
  for (uint64_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < TIMES; i++)
      for (uint32_t j = 0; j < request->n_species; j++)
        wrong += counts[((uint64_t)i * request->n_species + j) * n + k] != states[j][k * TIMES + i];
  FF_CHECK_SAY(wrong == 0, "%llu of %llu counts differ", (unsigned long long)wrong,
               (unsigned long long)n * TIMES * request->n_species);
  FF_CHECK_SAY(n_refused == 0, "trajectories are refused");
  free(counts);
}

static ff_ssa_method method_named(const char *name) {
  for (int m = 0; m < FF_SSA_METHODS; m++)
    if (strcmp(ff_ssa_method_name((ff_ssa_method)m), name) == 0) return (ff_ssa_method)m;
  return FF_SSA_DIRECT;
}

static void check_network(const char *path, double last) {
  ff_error err;
  ff_ensemble *e = NULL;
  ff_ssa_device_progress progress = {0, 0, 0};
  double times[TIMES], *states[4], seconds[3] = {0, 0, 0};
  uint32_t species[4];
  ff_ssa_program *program = program_of_network(read_network(path));
  ff_ssa_options options = {.n = gpu.n};
  ff_ssa_device_request request = {.times = times, .n_times = TIMES, .species = species, .n_species = 2};
  const uint64_t n = gpu.compare < gpu.n ? gpu.compare : gpu.n;
  double *initial = ff_calloc(4000000, sizeof *initial);
  ff_reactions *net = read_network(path);
  for (uint32_t s = 0; s < net->n_species; s++) initial[s] = net->initial[s];
  request.initial = initial;
  request.method = gpu.method != NULL ? method_named(gpu.method) : ff_ssa_method_of(program, &options);
  if (net->n_species < 2) request.n_species = 1;
  for (uint32_t i = 0; i < TIMES; i++) times[i] = last * i / (TIMES - 1);
  for (uint32_t j = 0; j < request.n_species; j++) {
    species[j] = j == 0 ? 0 : net->n_species - 1;
    states[j] = ff_calloc(n * TIMES, sizeof(double));
  }
  const double cpu = on_cpu(program, &request, n, states);
  ff_status status = on_gpu(&e, program, &request, gpu.n, &progress, seconds, &err);
  FF_CHECK_OK(status, &err);
  if (status == FF_OK) {
    const ff_ensemble_info info = gpu.backend->common.info(e);
    compare(e, &request, states, n);
    printf("%-34s %-18s %-10s %10.3e %10.3e %10.3e %8.3f %8.3f %4u x %u, %u registers, %u B, %s\n", strrchr(path, '/') + 1,
           ff_ssa_method_name(request.method), info.kernel, (double)progress.events / seconds[2],
           (double)progress.events / seconds[1], cpu, seconds[0], seconds[2], info.threads, info.blocks, info.registers,
           info.shared_bytes, info.reason);
    fflush(stdout);
  }
  gpu.backend->common.destroy(e);
  for (uint32_t j = 0; j < request.n_species; j++) free(states[j]);
  ff_reactions_free(net);
  ff_ssa_program_free(program);
  free(initial);
}

static int n_arguments;
static char **arguments;

static void all_networks_have_the_same_bits(void) {
  printf("%-34s %-18s %-10s %10s %10s %10s %8s %8s\n", "network", "method", "kernel", "events/s", "whole", "CPU", "ready s",
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
    else check_network(arguments[i], atof(value));
  }
}

int main(int argc, char **argv) {
  ff_backend_library *library = NULL;
  const ff_backend *table = NULL;
  ff_error err;
  if (argc < 3) {
    fprintf(stderr, "usage: %s fireflip_cuda.so [n=TRAJECTORIES] FILE=TIME ...\n", argv[0]);
    return 2;
  }
  ff_status status = ff_backend_open(&library, argv[1], &err);
  if (status == FF_OK) status = ff_backend_table(library, &table, &err);
  if (status != FF_OK || (gpu.backend = table->interface(FF_SSA_INTERFACE)) == NULL) {
    fprintf(stderr, "%s\n", status != FF_OK ? err.text : "the backend does not run reaction networks");
    return 1;
  }
  n_arguments = argc;
  arguments = argv;
  static const ff_check_test tests[] = {{"all_networks_have_the_same_bits", all_networks_have_the_same_bits}};
  return ff_check_main("ssa_check", tests, 1, 1, argv);
}
