/* Compares trajectories of Petri nets on a GPU with those of this processor, bit for bit:
 *
 *   petri_check fireflip_cuda.so [cache=FOLDER] [part=N] [only=TEST]
 *
 * With part=N, one of N trajectories of each test. `petri_check list` prints the names of the tests. With `speed`, it measures
 * ensembles instead:
 *
 *   petri_check fireflip_cuda.so speed [cache=FOLDER] [n=TRAJECTORIES] [times=N] [net=NAME]
 *
 * and prints events per second of the kernel, and of all from the start of a wave until its states are on this processor, of
 * N times that are recorded (1 at the end, by default). `make cuda-check` builds this program, and `make gpu-check` runs it. */
#include "../../src/backend/ff_backend.h"
#include "../../src/ensemble/ff_device.h"
#include "../c/petri_small.h"

#define KEY 7
#define MOST_PLACES 64u
#define MOST_TIMES 1000u

static struct {
  const ff_device_calls *backend;
  const char *cache, *net;
  uint64_t n;
  uint32_t part, times;
} gpu = {NULL, NULL, NULL, 1 << 20, 1, 1};

/* What an ensemble has simulated. */
typedef struct {
  ff_ensemble *ensemble;
  ff_device_progress progress;
  double *states; /* of all trajectories */
  double ready, whole;
} job;

static ff_status on_gpu(job *j, const ff_petri_program *program, const ff_device_request *request, uint64_t n, ff_error *err) {
  const ff_ensemble_options options = {.units = n, .cache = gpu.cache};
  double began = ff_clock();
  int ready = 0;
  ff_status status = gpu.backend->create(&j->ensemble, program, request, &options, err);
  while (status == FF_OK && !ready) status = gpu.backend->common.ready(j->ensemble, 1, &ready, err);
  j->ready = ff_clock() - began;
  began = ff_clock();
  if (status == FF_OK) status = gpu.backend->common.start(j->ensemble, KEY, 0, n, err);
  while (status == FF_OK && !j->progress.done) status = gpu.backend->advance(j->ensemble, 0.5, &j->progress, err);
  j->states = ff_calloc(n * request->n_times * request->n_observed, sizeof *j->states);
  if (status == FF_OK) status = gpu.backend->states(j->ensemble, 0, n, j->states, err);
  j->whole = ff_clock() - began;
  return status;
}

static void end_job(job *j) {
  if (j->ensemble != NULL) gpu.backend->common.destroy(j->ensemble);
  free(j->states);
  memset(j, 0, sizeof *j);
}

static int is_refused(const job *j, uint64_t unit) {
  uint64_t found = 0, n = 0;
  ff_error err;
  FF_CHECK_OK(gpu.backend->refused(j->ensemble, unit, &found, 1, &n, &err), &err);
  return n == 1 && found == unit;
}

/* Compares the states of all trajectories, and their firings. None may be refused. */
static void compare(const job *j, const ff_petri_program *program, const ff_device_request *request, uint64_t n,
                    const char *what) {
  double *states[MOST_PLACES];
  ff_run *run = NULL;
  ff_error err;
  int done = 0;
  uint64_t wrong = 0, refused = 0;
  for (uint32_t k = 0; k < request->n_observed; k++) states[k] = ff_calloc(n * request->n_times, sizeof(double));
  const ff_run_options options = {.key = KEY, .n = n, .initial = request->initial, .times = request->times,
                                  .n_times = request->n_times, .observed = request->observed,
                                  .n_observed = request->n_observed, .states = states, .threads = 8, .simd = FF_SIMD_BEST};
  ff_status status = ff_run_new(&run, &ff_petri_engine, program, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, &err);
  FF_CHECK_OK(status, &err);
  for (uint64_t unit = 0; unit < n; unit++) refused += (uint64_t)is_refused(j, unit);
  for (uint64_t unit = 0; unit < n; unit++)
    for (uint32_t i = 0; i < request->n_times; i++)
      for (uint32_t k = 0; k < request->n_observed; k++)
        wrong += memcmp(&j->states[((uint64_t)i * request->n_observed + k) * n + unit], &states[k][unit * request->n_times + i],
                        sizeof(double)) != 0;
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu numbers differ\n", what, (unsigned long long)wrong,
               (unsigned long long)n * request->n_times * request->n_observed);
  FF_CHECK_SAY(refused == 0, "%s: %llu trajectories are refused\n", what, (unsigned long long)refused);
  FF_CHECK_SAY(j->progress.steps == ff_run_steps(run), "%s: %llu firings, not %llu\n", what,
               (unsigned long long)j->progress.steps, (unsigned long long)ff_run_steps(run));
  ff_run_free(run);
  for (uint32_t k = 0; k < request->n_observed; k++) free(states[k]);
}

static void small_nets_have_the_bits(void) {
  enum { TIMES = 6 };
  for (size_t i = 0; i < SMALL_NETS; i++) {
    petri_text x;
    job j = {0};
    double times[TIMES];
    uint32_t observed[MOST_PLACES];
    ff_error err;
    const uint64_t n = 20000 / gpu.part;
    small_compile(&x, &small_nets[i]);
    if (x.program == NULL) continue;
    for (uint32_t k = 0; k < TIMES; k++) times[k] = small_nets[i].last * k / (TIMES - 1);
    for (uint32_t k = 0; k < x.program->n_places; k++) observed[k] = k;
    const ff_device_request request = {.initial = x.program->start, .times = times, .n_times = TIMES, .observed = observed,
                                       .n_observed = x.program->n_places, .reals = 1};
    FF_CHECK_OK(on_gpu(&j, x.program, &request, n, &err), &err);
    if (j.progress.done) compare(&j, x.program, &request, n, small_nets[i].what);
    end_job(&j);
    petri_end(&x);
  }
}

/* ---- speed -------------------------------------------------------------------------------------------------------------- */

static void ensembles_are_fast(void) {
  static const struct {
    const char *what;
    void (*write)(petri_text *x);
    double last;
  } nets[] = {{"gene", small_gene, 100}, {"hill", small_hill, 100}, {"calcium", small_calcium, 1}, {"growth", small_growth, 100}};
  double times[MOST_TIMES];
  const uint32_t n_times = gpu.times < MOST_TIMES ? gpu.times : MOST_TIMES, observed = 0;
  printf("%-8s %12s %6s %12s %12s %8s %8s %s\n", "net", "trajectories", "times", "events/s", "with states", "ready", "refused",
         "threads x blocks, registers");
  for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
    petri_text x;
    ff_error err;
    if (gpu.net != NULL && strcmp(gpu.net, nets[i].what) != 0) continue;
    small_compile(&x, &(small_net){nets[i].what, nets[i].write, 0, FF_PETRI_AUTO});
    for (uint32_t k = 0; k < n_times; k++) times[k] = nets[i].last * (k + 1) / n_times;
    const ff_device_request request = {.initial = x.program->start, .times = times, .n_times = n_times, .observed = &observed,
                                       .n_observed = 1, .reals = 1};
    for (int turn = 0; turn < 3; turn++) { /* the first one may compile */
      job j = {0};
      uint64_t refused[1024], n_refused = 0;
      FF_CHECK_OK(on_gpu(&j, x.program, &request, gpu.n, &err), &err);
      if (j.progress.done) {
        const ff_ensemble_info info = gpu.backend->common.info(j.ensemble);
        FF_CHECK_OK(gpu.backend->refused(j.ensemble, 0, refused, 1024, &n_refused, &err), &err);
        printf("%-8s %12llu %6u %12.3e %12.3e %8.2f %8llu %u x %u, %u\n", nets[i].what, (unsigned long long)gpu.n, n_times,
               (double)j.progress.steps / info.device_seconds, (double)j.progress.steps / j.whole, j.ready,
               (unsigned long long)n_refused, info.threads, info.blocks, info.registers);
        fflush(stdout);
      }
      end_job(&j);
    }
    petri_end(&x);
  }
}

/* ---- the program -------------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
  static const ff_check_test own[] = {{"small_nets_have_the_bits", small_nets_have_the_bits}};
  static const ff_check_test speed[] = {{"ensembles_are_fast", ensembles_are_fast}};
  const int n_own = (int)(sizeof own / sizeof *own);
  int first = 0, last = n_own, measures = 0;
  for (int k = 0; argc == 2 && strcmp(argv[1], "list") == 0 && k < n_own; k++) puts(own[k].name);
  if (argc == 2 && strcmp(argv[1], "list") == 0) return 0;
  ff_backend_library *library = NULL;
  const ff_backend *table = NULL;
  ff_error err = {FF_OK, ""};
  ff_status status = argc > 1 ? ff_backend_open(&library, argv[1], &err) : FF_EARGUMENT;
  if (status == FF_OK) status = ff_backend_table(library, &table, &err);
  if (status != FF_OK || (gpu.backend = table->interface(FF_PETRI_INTERFACE)) == NULL) {
    fprintf(stderr, "%s\nusage: %s fireflip_cuda.so [cache=FOLDER] [speed]\n", err.text, argv[0]);
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "speed") == 0) measures = 1;
    if (strncmp(argv[i], "cache=", 6) == 0) gpu.cache = argv[i] + 6;
    if (strncmp(argv[i], "net=", 4) == 0) gpu.net = argv[i] + 4;
    if (strncmp(argv[i], "n=", 2) == 0) gpu.n = (uint64_t)atoll(argv[i] + 2);
    if (strncmp(argv[i], "times=", 6) == 0 && atoi(argv[i] + 6) > 0) gpu.times = (uint32_t)atoi(argv[i] + 6);
    if (strncmp(argv[i], "part=", 5) == 0 && atoi(argv[i] + 5) > 0) gpu.part = (uint32_t)atoi(argv[i] + 5);
    for (int k = 0; strncmp(argv[i], "only=", 5) == 0 && k < n_own; k++)
      if (strcmp(argv[i] + 5, own[k].name) == 0) first = k, last = k + 1;
  }
  const int failed = measures ? ff_check_main("petri_check", speed, 1, 1, argv)
                              : ff_check_main("petri_check", own + first, last - first, 1, argv);
  ff_backend_close(library);
  return failed;
}
