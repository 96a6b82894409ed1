/* Compares trajectories of Petri nets on a GPU with those of this processor, bit for bit:
 *
 *   petri_check fireflip_cuda.so [cache=FOLDER] [part=N] [only=TEST] [only=TEST/NET] [kernel=NAME] [verbose]
 *
 * With part=N, one of N trajectories of each test; with kernel=NAME, stiff nets by this kernel alone. With verbose, it prints the
 * seconds that each net takes. `petri_check list` prints TEST/NET for all nets of all tests. With `speed`, it measures ensembles
 * instead:
 *
 *   petri_check fireflip_cuda.so speed [cache=FOLDER] [n=TRAJECTORIES] [times=N] [net=NAME] [kernel=NAME] [threads=N]
 *   petri_check fireflip_cuda.so tissue [cache=FOLDER] [cells=NXxNY] [diffusion=D] [n=TRAJECTORIES] [last=TIME]
 *                                       [threads=N]
 *
 * The first one prints events per second of the kernel, of the kernel and of exact sums of what it has recorded, and of all from
 * the start of a wave until its states are on this processor, of N times that are recorded (1 at the end, by default). With
 * threads=N, it prints those of so many threads of this processor. The nets chain, ring, groups and cells are larger ones. The
 * second one prints seconds for a simulated second of a tissue of calcium cells, from TIME to twice this time; with threads=N, on
 * so many threads of this processor instead.
 * `make cuda-check` builds this program, and `make gpu-check` runs it. */
#define _GNU_SOURCE /* petri_code.h */

#include "../../src/ensemble/ff_device.h"
#include "../c/petri_drawn.h"
#include "../c/petri_instant.h"
#include "../c/petri_stiff.h"
#include "../c/petri_points.h"
#include "../c/petri_large_stiff.h"
#include "../c/petri_mixed.h"
#include "../../src/petri/windows/ff_petri_opener.h"
#include "../c/petri_nets.h"
#include "backend_checks.h"

#define KEY 7
#define MOST_PLACES 64u
#define MOST_TIMES 1000u

static struct {
  const ff_device_calls *backend;
  const char *cache, *net, *kernel, *asked; /* asked: the kernel that was asked for */
  int lists; /* whether the nets of tests are only listed */
  uint64_t compared, refused; /* trajectories, since they were set to 0 */
  uint64_t n;
  uint32_t part, times, nx, ny, threads;
  int verbose;
  double last, diffusion;
} gpu = {.part = 1, .times = 1, .nx = 100, .ny = 200, .last = 0.05, .diffusion = 20};

/* Whether a test is to compare this net. */
static int is_wanted(const char *what) {
  if (gpu.lists) printf("%s/%s\n", ff_check_state.test, what);
  return !gpu.lists && (gpu.net == NULL || strcmp(what, gpu.net) == 0);
}

/* What an ensemble has simulated. */
typedef struct {
  ff_ensemble *ensemble;
  ff_device_progress progress;
  uint64_t n;     /* trajectories */
  double *states; /* of all of them */
  double ready, whole, sums; /* seconds */
} job;

/* The trajectories of an ensemble: those of the points that have joined, if it has points. */
static uint64_t trajectories_of(const ff_device_request *request, uint64_t n) {
  uint64_t joined = 0;
  for (uint32_t p = 0; p < request->n_points; p++) joined += request->joins[p];
  return request->points != NULL ? joined * request->n_each : n;
}

static ff_status on_gpu(job *j, const ff_petri_program *program, const ff_device_request *request, uint64_t n, ff_error *err) {
  const ff_ensemble_options options = {.units = n, .cache = gpu.cache, .kernel = gpu.kernel};
  double began = ff_clock();
  int ready = 0;
  ff_status status = gpu.backend->create(&j->ensemble, program, request, &options, err);
  while (status == FF_OK && !ready) status = gpu.backend->common.ready(j->ensemble, 1, &ready, err);
  j->ready = ff_clock() - began;
  j->n = n = trajectories_of(request, n);
  began = ff_clock();
  if (status == FF_OK) status = gpu.backend->common.start(j->ensemble, KEY, 0, n, err);
  while (status == FF_OK && !j->progress.done) status = gpu.backend->advance(j->ensemble, 0.5, &j->progress, err);
  j->states = ff_calloc(n * request->n_times * request->n_observed, sizeof *j->states);
  if (status == FF_OK) status = gpu.backend->states(j->ensemble, 0, n, j->states, err);
  j->whole = ff_clock() - began;
  return status;
}

/* Adds up what the ensemble has recorded. */
static ff_status add_up(job *j, const ff_device_request *request, ff_error *err) {
  uint8_t *real = ff_calloc(request->n_observed, 1);
  ff_sums sums;
  memset(real, 1, request->n_observed);
  ff_status status = ff_sums_new(&sums, request->n_times, request->n_observed, real, 0, err);
  const double began = ff_clock();
  if (status == FF_OK) status = gpu.backend->tally(j->ensemble, 0, j->n, &sums, err);
  j->sums = ff_clock() - began;
  ff_sums_free(&sums);
  free(real);
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

/* The first n trajectories on this processor, all of whose numbers are recorded. */
static ff_status run_here(ff_run **run, const ff_petri_program *program, const ff_device_request *request, uint64_t key,
                          uint64_t n, double **states, ff_error *err) {
  int done = 0;
  const ff_run_options options = {.method = request->own != NULL ? FF_PETRI_WINDOWS : FF_PETRI_EXACT, .key = key, .n = n,
                                  .initial = request->initial, .times = request->times,
                                  .n_times = request->n_times, .observed = request->observed,
                                  .n_observed = request->n_observed, .states = states, .threads = 8, .simd = FF_SIMD_BEST};
  ff_status status = ff_run_new(run, &ff_petri_engine, program, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(*run, 10, &done, err);
  return status;
}

/* Compares the states of the n trajectories from number `from` on with a run of this processor, and how many firings they have.
 * At most so many may be refused. If all may be, there may be one in which this processor fails, too: then fewer are compared. */
static void compare_part(const job *j, uint64_t from, const ff_petri_program *program, const ff_device_request *request,
                         uint64_t key, uint64_t n, uint64_t steps, uint64_t most_refused, const char *what) {
  const uint64_t all = n;
  double *states[MOST_PLACES];
  ff_run *run = NULL;
  ff_error err;
  uint64_t wrong = 0, refused = 0;
  for (uint32_t k = 0; k < request->n_observed; k++) states[k] = ff_calloc(n * request->n_times, sizeof(double));
  ff_status status = run_here(&run, program, request, key, n, states, &err);
  while (status == FF_EMODEL && most_refused >= all && n > 1) {
    ff_run_free(run);
    n /= 2;
    status = run_here(&run, program, request, key, n, states, &err);
  }
  FF_CHECK_OK(status, &err);
  for (uint64_t unit = 0; unit < n; unit++) {
    const int is = is_refused(j, from + unit);
    refused += (uint64_t)is;
    for (uint32_t i = 0; i < request->n_times && !is; i++)
      for (uint32_t k = 0; k < request->n_observed; k++)
        wrong += memcmp(&j->states[((uint64_t)i * request->n_observed + k) * j->n + from + unit],
                        &states[k][unit * request->n_times + i], sizeof(double)) != 0;
  }
  gpu.compared += n;
  gpu.refused += refused;
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu numbers differ\n", what, (unsigned long long)wrong,
               (unsigned long long)n * request->n_times * request->n_observed);
  FF_CHECK_SAY(refused <= most_refused, "%s: %llu trajectories are refused\n", what, (unsigned long long)refused);
  FF_CHECK_SAY(refused > 0 || n < all || steps == ff_run_steps(run), "%s: %llu firings, not %llu\n", what,
               (unsigned long long)steps, (unsigned long long)ff_run_steps(run));
  ff_run_free(run);
  for (uint32_t k = 0; k < request->n_observed; k++) free(states[k]);
}

/* Compares all trajectories. At most so many may be refused. */
static void compare(const job *j, const ff_petri_program *program, const ff_device_request *request, uint64_t n, uint64_t most,
                    const char *what) {
  compare_part(j, 0, program, request, KEY, n, j->progress.steps, most, what);
}

/* Compares n trajectories of a net until a time, of a thousand of which at most `most` may be refused. `kernel` may be NULL. */
static void compare_net(const petri_text *x, const char *what, const char *kernel, double last, uint64_t n, uint64_t most) {
  enum { TIMES = 6 };
  job j = {0};
  double times[TIMES];
  uint32_t observed[MOST_PLACES];
  ff_error err;
  const uint32_t places = x->program->n_places, n_observed = places < MOST_PLACES ? places : MOST_PLACES;
  for (uint32_t k = 0; k < TIMES; k++) times[k] = last * k / (TIMES - 1);
  for (uint32_t k = 0; k < n_observed; k++) observed[k] = (uint32_t)((uint64_t)k * places / n_observed);
  const ff_device_request request = {.initial = x->program->start, .times = times, .n_times = TIMES, .observed = observed,
                                     .n_observed = n_observed, .reals = 1};
  gpu.kernel = kernel;
  FF_CHECK_OK(on_gpu(&j, x->program, &request, n, &err), &err);
  if (gpu.verbose) printf("%-50s %-10s %8.2f s, then %8.2f s\n", what, kernel != NULL ? kernel : "", j.ready, j.whole);
  if (gpu.verbose) fflush(stdout);
  if (j.progress.done) compare(&j, x->program, &request, n, n * most / 1000, what);
  if (j.progress.done && kernel != NULL)
    FF_CHECK_SAY(strcmp(gpu.backend->common.info(j.ensemble).kernel, kernel) == 0, "%s: not by %s", what, kernel);
  gpu.kernel = NULL;
  end_job(&j);
}

static void small_nets_have_the_bits(void) {
  for (size_t i = 0; i < SMALL_NETS; i++) {
    petri_text x;
    if (!is_wanted(small_nets[i].what)) continue;
    small_compile(&x, &small_nets[i]);
    if (x.program == NULL) continue;
    compare_net(&x, small_nets[i].what, NULL, small_nets[i].last, 1 + 20000 / gpu.part, 0);
    compare_net(&x, small_nets[i].what, "generic", small_nets[i].last, 1 + 4000 / gpu.part, 0);
    petri_end(&x);
  }
}

/* Every ninth of these nets. All of them are drawn, in turn. Of some nets all trajectories may be refused, but not of most. */
static void compare_drawn(uint32_t part, uint32_t n, uint32_t trajectories, const drawn_writer *write,
                          const ff_petri_integrator *integrator) {
  static drawn_net nets[DRAWN];
  memset(nets, 0, sizeof nets);
  drawn_nets_by(nets, n, 1, write, integrator, ff_petri_code_check);
  gpu.compared = gpu.refused = 0;
  for (uint32_t i = part; i < n; i += 9)
    compare_net(&nets[i].net, nets[i].name, "generated", nets[i].of.last, 1 + trajectories / gpu.part, 1000);
  FF_CHECK_SAY(gpu.refused <= gpu.compared / 2, "%llu of %llu trajectories are refused", (unsigned long long)gpu.refused,
               (unsigned long long)gpu.compared);
  drawn_end(nets, n);
}

/* Random nets with transitions of all kinds, a sixth of them coloured ones; and with stiff flows. */
static void random_nets_have_the_bits(void) {
  static const drawn_writer any[] = {hybrid_write, hybrid_write_coloured}, stiff[] = {hybrid_write_stiff, hybrid_write_stiff};
  static const ff_petri_integrator explicit[] = {FF_PETRI_AUTO, FF_PETRI_DORMAND_PRINCE},
                                   implicit[] = {FF_PETRI_AUTO, FF_PETRI_ROSENBROCK};
  for (uint32_t part = 0; part < 9; part++) {
    char what[60];
    snprintf(what, sizeof what, "nets %u, %u and so on", part, part + 9);
    if (is_wanted(what)) compare_drawn(part, DRAWN, 1200, any, explicit);
    snprintf(what, sizeof what, "stiff nets %u, %u and so on", part, part + 9);
    if (is_wanted(what)) compare_drawn(part, DRAWN / 2, 200, stiff, implicit); /* some take a second for each */
  }
}

/* Nets for which no code is generated; the last one has no room in shared memory. */
static void larger_nets_have_the_bits(void) {
  static const large_net wide = {"chain of 2000", large_chain, 2000, 2};
  for (size_t i = 0; i <= LARGE_NETS; i++) {
    const large_net *of = i < LARGE_NETS ? &large_nets[i] : &wide;
    petri_text x;
    if (!is_wanted(of->what)) continue;
    large_compile(&x, of, FF_PETRI_AUTO);
    if (x.program == NULL) continue;
    compare_net(&x, of->what, "generic", of->last, 1 + (i < LARGE_NETS ? 1000u : 100u) / gpu.part, 0);
    petri_end(&x);
  }
}

/* ---- points of a sweep -------------------------------------------------------------------------------------------------- */

static void compare_points(const job *j, const ff_device_request *request, const net_of_points *of) {
  uint64_t steps[POINTS] = {0};
  ff_device_request own = *request;
  ff_error err;
  FF_CHECK_OK(gpu.backend->steps(j->ensemble, steps, &err), &err);
  for (uint32_t p = 0, at = 0; p < POINTS; p++) {
    const ff_device_point *point = request->points + p;
    FF_CHECK_SAY(request->joins[p] == !(of->apart >> p & 1), "%s: joins of point %u", of->what, p);
    if (!request->joins[p]) continue;
    own.initial = point->initial;
    compare_part(j, at * request->n_each, point->model, &own, point->key, request->n_each, steps[at],
                 of->most_refused > 0 ? request->n_each / 3 : 0, of->what); /* on the host, at most one in 7 is refused */
    at++;
  }
}

static void points_have_the_bits(void) {
  enum { TIMES = 6 };
  const size_t n_nets = sizeof nets_of_points / sizeof *nets_of_points;
  for (size_t i = 0; i < n_nets; i++) {
    const net_of_points *of = &nets_of_points[i];
    petri_text nets[POINTS];
    ff_device_point points[POINTS];
    uint8_t joins[POINTS] = {0};
    job j = {0};
    double times[TIMES];
    uint32_t observed[MOST_PLACES];
    ff_error err;
    if (!is_wanted(of->what)) continue;
    for (uint32_t p = 0; p < POINTS; p++) {
      points_write(&nets[p], of->text, of->number[p]);
      if (nets[p].program == NULL) return;
      points[p] = (ff_device_point){.model = nets[p].program, .initial = nets[p].program->start, .key = KEY + p};
    }
    for (uint32_t k = 0; k < TIMES; k++) times[k] = of->last * k / (TIMES - 1);
    for (uint32_t k = 0; k < nets[0].program->n_places; k++) observed[k] = k;
    const ff_device_request request = {.initial = points[0].initial, .times = times, .n_times = TIMES, .observed = observed,
                                       .n_observed = nets[0].program->n_places, .reals = 1, .points = points,
                                       .n_points = POINTS, .n_each = 1 + 3000 / gpu.part, .joins = joins};
    FF_CHECK_OK(on_gpu(&j, nets[0].program, &request, POINTS * request.n_each, &err), &err);
    if (j.progress.done) compare_points(&j, &request, of);
    end_job(&j);
    for (uint32_t p = 0; p < POINTS; p++) petri_end(&nets[p]);
  }
}

static int is_asked(const char *kernel) { return gpu.asked == NULL || strcmp(gpu.asked, kernel) == 0; }

/* Whether a net has stochastic transitions and flows alone, and no rates that switch: it can be data. */
static int is_plain(const ff_petri_program *p) {
  int plain = p->n_immediate == 0 && p->n_timed == 0;
  for (uint32_t k = 0; k < p->n_derived; k++) plain &= p->derived[k].kind == FF_PETRI_DISCRETE;
  return plain;
}

/* Those of which hardly a trajectory is refused; as_data: also by the kernel that reads nets as data, or only by it. */
static void check_nets(const hostile_net *list, size_t n, int as_data) {
  for (size_t i = 0; i < n; i++) {
    const hostile_net *of = &list[i];
    const ff_petri_options options = {.integrator = of->integrator, .relative = of->relative};
    petri_text x;
    if (of->most > 0 || !is_wanted(of->what)) continue;
    hostile_write(&x, of->text);
    petri_compile(&x, &options);
    if (x.program == NULL) continue;
    if (!as_data || is_asked("generated")) compare_net(&x, of->what, "generated", of->last, 1 + 20000 / gpu.part, 5);
    if (as_data && is_asked("generic") && is_plain(x.program))
      compare_net(&x, of->what, "generic", of->last, 1 + 4000 / gpu.part, 5);
    petri_end(&x);
  }
}

static void stiff_nets_have_the_bits(void) { check_nets(stiff_nets, STIFF_NETS, 1); }
static void instants_have_the_bits(void) { check_nets(instant_nets, INSTANT_NETS, 0); }
static void switches_have_the_bits(void) { check_nets(switch_nets, SWITCH_NETS, 0); }
static void clocks_have_the_bits(void) { check_nets(clock_nets, CLOCK_NETS, 0); }

/* Stiff nets of many levels. */
static void larger_stiff_nets_have_the_bits(void) {
  for (size_t i = 0; i < LARGE_STIFF_NETS; i++) {
    const large_stiff *of = &large_stiff_nets[i];
    petri_text x;
    if (!is_wanted(of->net.what)) continue;
    large_compile(&x, &of->net, of->integrator);
    if (x.program == NULL) continue;
    compare_net(&x, of->net.what, "generic", of->net.last, 1 + 1000 / gpu.part, 5);
    petri_end(&x);
  }
}

/* ---- tissues ------------------------------------------------------------------------------------------------------------ */

/* A tissue: a net, and what the backend gets of it. */
typedef struct {
  petri_text net;
  ff_petri_parts parts;
} tissue;

/* Compiles the net of a tissue, and finds its parts. */
static int tissue_compile(tissue *x, double relative) {
  const ff_petri_options options = {.relative = relative};
  ff_error err;
  petri_compile(&x->net, &options);
  if (x->net.program == NULL) return 0;
  x->parts.opener = &ff_petri_opener_of_windows;
  FF_CHECK_OK(ff_petri_blocks_new(&x->parts.blocks, x->net.program, &err), &err);
  return x->parts.blocks != NULL;
}

/* Calcium cells. */
static int tissue_write(tissue *x, uint32_t nx, uint32_t ny, double diffusion, double relative) {
  memset(x, 0, sizeof *x);
  x->net.status = petri_calcium_with(&x->net.net, nx, ny, diffusion, &x->net.err);
  return tissue_compile(x, relative);
}

static void tissue_end(tissue *x) {
  ff_petri_blocks_free(x->parts.blocks);
  petri_end(&x->net);
}

/* Compares n trajectories until a time. */
static void compare_tissue(tissue *x, uint32_t n, double last, const char *what) {
  enum { TIMES = 6 };
  job j = {0};
  double times[TIMES];
  uint32_t observed[MOST_PLACES], n_observed = 0;
  ff_error err;
  const uint32_t places = x->net.program->n_places;
  for (uint32_t k = 0; k < TIMES; k++) times[k] = last * k / (TIMES - 1) / gpu.part;
  for (; n_observed < MOST_PLACES && n_observed < places; n_observed++)
    observed[n_observed] = places < MOST_PLACES ? n_observed : (uint32_t)((uint64_t)n_observed * places / MOST_PLACES);
  const ff_device_request request = {.initial = x->net.program->start, .times = times, .n_times = TIMES, .observed = observed,
                                     .n_observed = n_observed, .reals = 1, .own = &x->parts};
  FF_CHECK_OK(on_gpu(&j, x->net.program, &request, n, &err), &err);
  if (gpu.verbose) printf("%-50s %-10s %8.2f s, then %8.2f s\n", what, "", j.ready, j.whole);
  if (j.progress.done) compare(&j, x->net.program, &request, n, 0, what);
  end_job(&j);
}

/* Cells of several kinds, each of which has code of its own; the last tissue is larger. */
static void compare_mixed(void) {
  for (size_t i = 0; i <= MIXED_NETS; i++) {
    mixed_net of = mixed_nets[i < MIXED_NETS ? i : 0];
    tissue x = {0};
    if (i == MIXED_NETS) {
      of.nx = 60;
      of.ny = 50;
      of.last = 2;
      of.what = "larger";
    }
    if (!is_wanted(of.what)) continue;
    mixed_write(&x.net, &of);
    if (tissue_compile(&x, of.relative)) compare_tissue(&x, i < MIXED_NETS ? 40 : 2, of.last, of.what);
    tissue_end(&x);
  }
}

static void tissues_have_the_bits(void) {
  static const struct {
    uint32_t nx, ny, n;
    double diffusion, relative, last;
  } cases[] = {{3, 3, 40, 20, 1e-6, 0.1}, {20, 20, 3, 20, 1e-6, 0.1}, {7, 3, 5, 20, 1e-9, 0.05}, {20, 20, 1, 400, 1e-6, 0.3},
               {40, 50, 1, 20, 1e-6, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tissue x;
    char what[60];
    snprintf(what, sizeof what, "%u x %u cells, diffusion %g", cases[i].nx, cases[i].ny, cases[i].diffusion);
    if (!is_wanted(what) || !tissue_write(&x, cases[i].nx, cases[i].ny, cases[i].diffusion, cases[i].relative)) continue;
    compare_tissue(&x, cases[i].n, cases[i].last, what);
    tissue_end(&x);
  }
  compare_mixed();
}

/* Trajectories on this processor. */
static void on_processor(const ff_petri_program *program, int method, const ff_device_request *request, uint64_t n,
                         double *seconds, double *firings) {
  double *const states = ff_calloc(n * request->n_times, sizeof *states), began = ff_clock();
  ff_run *run = NULL;
  ff_error err;
  int done = 0;
  const ff_run_options options = {.method = method, .key = KEY, .n = n, .times = request->times, .n_times = request->n_times,
                                  .observed = request->observed, .n_observed = 1, .states = &states,
                                  .threads = (int)gpu.threads, .simd = FF_SIMD_BEST};
  ff_status status = ff_run_new(&run, &ff_petri_engine, program, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(run, 10, &done, &err);
  FF_CHECK_OK(status, &err);
  *firings = status == FF_OK ? (double)ff_run_steps(run) : 0;
  *seconds = ff_clock() - began;
  ff_run_free(run);
  free(states);
}

static void a_tissue_is_fast(void) {
  const uint32_t observed = 0;
  tissue x;
  double seconds[2] = {0, 0}, firings[2] = {0, 0};
  if (!tissue_write(&x, gpu.nx, gpu.ny, gpu.diffusion, 1e-6)) return;
  for (int twice = 0; twice < 2; twice++) {
    const double end = gpu.last * (1 + twice);
    const ff_device_request request = {.initial = x.net.program->start, .times = &end, .n_times = 1, .observed = &observed,
                                       .n_observed = 1, .reals = 1, .own = &x.parts};
    job j = {0};
    ff_error err;
    if (gpu.threads > 0) {
      on_processor(x.net.program, FF_PETRI_WINDOWS, &request, 1, &seconds[twice], &firings[twice]);
      continue;
    }
    FF_CHECK_OK(on_gpu(&j, x.net.program, &request, gpu.n, &err), &err);
    if (j.progress.done) {
      const ff_ensemble_info info = gpu.backend->common.info(j.ensemble);
      seconds[twice] = info.device_seconds;
      firings[twice] = (double)j.progress.steps;
      printf("%u x %u cells, %llu trajectories to %g: ready %.2f s, device %.4f s, whole %.4f s, %llu firings, %u registers, "
             "%llu MB, refused %d\n", gpu.nx, gpu.ny, (unsigned long long)gpu.n, end, j.ready, info.device_seconds, j.whole,
             (unsigned long long)j.progress.steps, info.registers, (unsigned long long)info.bytes >> 20, is_refused(&j, 0));
    }
    end_job(&j);
  }
  printf("%.4f s for a simulated second, %.4g firings/s\n", (seconds[1] - seconds[0]) / gpu.last,
         (firings[1] - firings[0]) / (seconds[1] - seconds[0]));
  tissue_end(&x);
}

/* ---- speed -------------------------------------------------------------------------------------------------------------- */

static void ensembles_are_fast(void) {
  static const struct {
    const char *what;
    void (*write)(petri_text *x);
    double last;
    const large_net *large; /* or a larger one */
  } nets[] = {{"gene", small_gene, 100, NULL},       {"hill", small_hill, 100, NULL},
              {"calcium", small_calcium, 1, NULL},   {"growth", small_growth, 100, NULL},
              {"chain", NULL, 20, &large_nets[1]},   {"ring", NULL, 0.5, &large_nets[2]},
              {"groups", NULL, 2, &large_nets[3]},   {"cells", NULL, 0.05, &large_nets[6]}};
  double times[MOST_TIMES];
  const uint32_t n_times = gpu.times < MOST_TIMES ? gpu.times : MOST_TIMES, observed = 0;
  printf("%-8s %12s %6s %12s %12s %12s %8s %8s %s\n", "net", "trajectories", "times", "events/s", "with sums", "with states",
         "ready", "refused", "threads x blocks, registers");
  for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
    petri_text x;
    ff_error err;
    if (gpu.net != NULL && strcmp(gpu.net, nets[i].what) != 0) continue;
    if (nets[i].large != NULL)
      large_compile(&x, nets[i].large, FF_PETRI_AUTO);
    else
      small_compile(&x, &(small_net){nets[i].what, nets[i].write, 0, FF_PETRI_AUTO});
    for (uint32_t k = 0; k < n_times; k++) times[k] = nets[i].last * (k + 1) / n_times;
    const ff_device_request request = {.initial = x.program->start, .times = times, .n_times = n_times, .observed = &observed,
                                       .n_observed = 1, .reals = 1, .tallies = 1};
    const uint64_t n = gpu.n > 0 ? gpu.n : nets[i].large != NULL ? 1 << 13 : 1 << 20;
    double seconds, firings;
    if (gpu.threads > 0) {
      on_processor(x.program, FF_PETRI_EXACT, &request, n, &seconds, &firings);
      printf("%-8s %12llu %6u %38.3e %u threads\n", nets[i].what, (unsigned long long)n, n_times, firings / seconds, gpu.threads);
    }
    for (int turn = 0; turn < 3 && gpu.threads == 0; turn++) { /* the first one may compile */
      job j = {0};
      uint64_t refused[1024], n_refused = 0;
      FF_CHECK_OK(on_gpu(&j, x.program, &request, n, &err), &err);
      if (j.progress.done) {
        const ff_ensemble_info info = gpu.backend->common.info(j.ensemble);
        FF_CHECK_OK(gpu.backend->refused(j.ensemble, 0, refused, 1024, &n_refused, &err), &err);
        FF_CHECK_OK(add_up(&j, &request, &err), &err);
        printf("%-8s %12llu %6u %12.3e %12.3e %12.3e %8.2f %8llu %u x %u, %u\n", nets[i].what, (unsigned long long)n, n_times,
               (double)j.progress.steps / info.device_seconds, (double)j.progress.steps / (info.device_seconds + j.sums),
               (double)j.progress.steps / j.whole, j.ready,
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
  static const ff_check_test own[] = {{"small_nets_have_the_bits", small_nets_have_the_bits},
                                      {"random_nets_have_the_bits", random_nets_have_the_bits},
                                      {"stiff_nets_have_the_bits", stiff_nets_have_the_bits},
                                      {"instants_have_the_bits", instants_have_the_bits},
                                      {"clocks_have_the_bits", clocks_have_the_bits},
                                      {"switches_have_the_bits", switches_have_the_bits},
                                      {"points_have_the_bits", points_have_the_bits},
                                      {"larger_nets_have_the_bits", larger_nets_have_the_bits},
                                      {"larger_stiff_nets_have_the_bits", larger_stiff_nets_have_the_bits},
                                      {"tissues_have_the_bits", tissues_have_the_bits}};
  static const ff_check_test speed[] = {{"ensembles_are_fast", ensembles_are_fast}, {"a_tissue_is_fast", a_tissue_is_fast}};
  const int n_own = (int)(sizeof own / sizeof *own);
  const char *only = NULL;
  ff_backend_library *library = NULL;
  int measures = 0, tissues = 0;
  if (backend_checks_lists(argc, argv)) {
    gpu.lists = 1;
    for (int k = 0; k < n_own; k++) {
      ff_check_state.test = own[k].name;
      own[k].run();
    }
    return 0;
  }
  gpu.backend = backend_checks_open(&library, FF_PETRI_INTERFACE, "[cache=FOLDER] [speed]", argc, argv);
  if (gpu.backend == NULL) return 2;
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "speed") == 0) measures = 1;
    if (strcmp(argv[i], "verbose") == 0) gpu.verbose = 1;
    if (strcmp(argv[i], "tissue") == 0) measures = tissues = 1;
    if (strncmp(argv[i], "cells=", 6) == 0 && sscanf(argv[i] + 6, "%ux%u", &gpu.nx, &gpu.ny) != 2) return 2;
    if (strncmp(argv[i], "diffusion=", 10) == 0) gpu.diffusion = strtod(argv[i] + 10, NULL);
    if (strncmp(argv[i], "last=", 5) == 0) gpu.last = strtod(argv[i] + 5, NULL);
    if (strncmp(argv[i], "cache=", 6) == 0) gpu.cache = argv[i] + 6;
    if (strncmp(argv[i], "net=", 4) == 0) gpu.net = argv[i] + 4;
    if (strncmp(argv[i], "kernel=", 7) == 0) gpu.kernel = gpu.asked = argv[i] + 7;
    if (strncmp(argv[i], "n=", 2) == 0) gpu.n = (uint64_t)atoll(argv[i] + 2);
    if (strncmp(argv[i], "times=", 6) == 0 && atoi(argv[i] + 6) > 0) gpu.times = (uint32_t)atoi(argv[i] + 6);
    if (strncmp(argv[i], "threads=", 8) == 0 && atoi(argv[i] + 8) > 0) gpu.threads = (uint32_t)atoi(argv[i] + 8);
    if (strncmp(argv[i], "part=", 5) == 0 && atoi(argv[i] + 5) > 0) gpu.part = (uint32_t)atoi(argv[i] + 5);
    if (strncmp(argv[i], "only=", 5) == 0) {
      only = strtok(argv[i] + 5, "/");
      gpu.net = strtok(NULL, "");
    }
  }
  if (gpu.n == 0 && tissues) gpu.n = 1;
  const int first = only != NULL ? backend_checks_find(own, n_own, only) : 0;
  if (first < 0) return 2;
  const int failed = measures ? ff_check_main("petri_check", speed + tissues, 1, 1, argv)
                              : ff_check_main("petri_check", own + first, only != NULL ? 1 : n_own, 1, argv);
  ff_backend_close(library);
  return failed;
}
