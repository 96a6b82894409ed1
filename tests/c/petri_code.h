/* Code that the CUDA backend generates for a Petri net, compiled for this processor and compared with its own engine, bit for bit.
 * This needs a C compiler at run time. A test includes this header first. */
#ifndef FF_TESTS_PETRI_CODE_H
#define FF_TESTS_PETRI_CODE_H

#define _GNU_SOURCE /* mkdtemp */
#include <dlfcn.h>
#include <unistd.h>

#include "../../src/cuda/device/ff_turns.h"
#include "../../src/cuda/petri/code/ff_petri_code.h"
#include "petri_runs.h"

#define CODE_SLOTS 8u
#define CODE_TURN 5u /* slots of a launch: they take turns */
#define CODE_SLOTS_ROOM 128u
#define CODE_TIMES 6u
#define CODE_FIRST UINT64_C(0x123456789A0)
#define CODE_KEY UINT64_C(0x5EED0FF1CE)
#define CODE_FIRINGS (1u << 21)

static char code_folder[] = "/tmp/fireflip-petri-XXXXXX";

typedef void (*code_run)(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot);

/* Compiles the code. Returns NULL after a failed check. */
static inline void *code_compile(const ff_petri_code *code) {
  char source[300], object[300], command[1200];
  snprintf(source, sizeof source, "%s/p.c", code_folder);
  snprintf(object, sizeof object, "%s/p.so", code_folder);
  FILE *file = fopen(source, "w");
  FF_CHECK_SAY(file != NULL, "%s: cannot be written", source);
  if (file == NULL) return NULL;
  fprintf(file, "%s" FF_PETRI_CODE_HEADERS "%s", code->definitions, code->functions);
  fclose(file);
  const char *cc = getenv("CC");
  snprintf(command, sizeof command, "%s -std=c11 -O1 -w -ffp-contract=off -fPIC -shared -Isrc '%s' -o '%s' -lm",
           cc != NULL ? cc : "cc", source, object);
  const int status = system(command);
  FF_CHECK_SAY(status == 0, "%s", command);
  void *library = status == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (status == 0) FF_CHECK_SAY(library != NULL, "%s", dlerror());
  if (status == 0) unlink(source);
  unlink(object);
  return library;
}

static inline ff_launch code_launch(const ff_petri_code *code, const ff_device_request *request, uint64_t units) {
  ff_launch run = {.key = CODE_KEY, .first = CODE_FIRST, .units = units, .slots = CODE_SLOTS, .nanoseconds = UINT64_MAX,
                   .n_times = request->n_times, .n_observed = request->n_observed, .times = request->times,
                   .observed = request->observed};
  run.recorded_real = ff_calloc((size_t)units * request->n_times * request->n_observed, sizeof *run.recorded_real);
  run.refused = ff_calloc((units + 31) / 32, sizeof *run.refused);
  run.counters = ff_calloc(1, sizeof *run.counters);
  run.state = ff_calloc(CODE_SLOTS_ROOM, (size_t)ff_petri_code_slot_bytes(code));
  run.starts_real = request->starts;
  if (request->max_firings > 0) run.fired = ff_calloc(CODE_FIRINGS, sizeof *run.fired);
  ff_philox_round_keys(run.round_key, CODE_KEY);
  return run;
}

static inline void code_free(ff_launch *run) {
  free(run->recorded_real);
  free(run->refused);
  free(run->counters);
  free(run->state);
  free(run->fired);
}

/* Launches until the wave is complete, with few turns at a time. */
static inline void code_launch_all(ff_launch *run, void *library, const ff_petri_code *code) {
  static const uint32_t steps[] = {1, 7, 1300, 64};
  code_run slot_of;
  *(void **)&slot_of = dlsym(library, "p_host");
  for (uint32_t i = 0; run->counters->complete < run->units && i < 1000000; i++) {
    const uint64_t before = run->counters->fired;
    run->steps = steps[i % 4];
    for (uint32_t k = 0; k < CODE_TURN; k++) slot_of(run, code->initial, code->table, FF_SLOT_OF(run, k));
    FF_CHECK(run->counters->fired - before <= (uint64_t)CODE_TURN * (run->steps + FF_PETRI_CODE_ROUND));
    ff_next_turn(run, CODE_TURN);
  }
}

static inline int code_refuses(const ff_launch *run, uint64_t k) { return run->refused[k / 32] >> (k % 32) & 1; }

/* Compares the lists of firings of trajectories that were not refused. */
static inline void code_compare_fired(const ff_launch *run, const ff_run *cpu, const char *what) {
  const uint64_t n = ff_run_n_firings(cpu);
  double *trajectory = ff_calloc(n, sizeof *trajectory), *time = ff_calloc(n, sizeof *time);
  int32_t *item = ff_calloc(n, sizeof *item);
  uint64_t at = 0, wrong = 0, *next = ff_calloc(run->units, sizeof *next), *end = ff_calloc(run->units, sizeof *end);
  ff_error err;
  FF_CHECK(run->counters->fired <= CODE_FIRINGS);
  FF_CHECK_OK(ff_run_firings(cpu, trajectory, time, item, &err), &err);
  for (uint64_t k = 0; k < run->units; k++) {
    next[k] = at;
    while (at < n && trajectory[at] == (double)k) at++;
    end[k] = at;
  }
  for (uint64_t i = 0; i < run->counters->fired; i++) {
    const ff_fired *f = run->fired + i;
    if (code_refuses(run, f->unit)) continue;
    const uint64_t j = next[f->unit]++;
    wrong += j >= end[f->unit] || f->time != time[j] || (int32_t)f->what != item[j];
  }
  for (uint64_t k = 0; k < run->units; k++) wrong += !code_refuses(run, k) && next[k] != end[k];
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu firings differ\n", what, (unsigned long long)wrong, (unsigned long long)n);
  free(trajectory);
  free(time);
  free(item);
  free(next);
  free(end);
}

/* Compares what a wave has recorded with a run of the processor. At most `most` trajectories may be refused. Returns the steps. */
static inline uint64_t code_compare(const ff_launch *run, const ff_petri_program *program, const ff_device_request *request,
                                    uint32_t most, const char *what) {
  double *states[64];
  ff_error err;
  ff_run *cpu = NULL;
  uint32_t wrong = 0, refused = 0;
  int done = 0;
  for (uint32_t k = 0; k < run->units; k++) refused += (uint32_t)code_refuses(run, k);
  FF_CHECK_SAY(run->counters->complete == run->units, "%s: %llu complete\n", what, (unsigned long long)run->counters->complete);
  FF_CHECK_SAY(refused <= most, "%s: %u refused\n", what, refused);
  for (uint32_t j = 0; j < request->n_observed; j++) states[j] = ff_calloc((size_t)run->units * run->n_times, sizeof(double));
  const ff_run_options options = {.key = run->key, .first = run->first, .n = run->units, .initial = request->initial,
                                  .times = request->times, .n_times = request->n_times, .observed = request->observed,
                                  .n_observed = request->n_observed, .states = states, .threads = 1, .simd = FF_SIMD_BEST,
                                  .starts = request->starts, .max_firings = request->max_firings};
  ff_status status = ff_run_new(&cpu, &ff_petri_engine, program, &options, &err);
  while (status == FF_OK && !done) status = ff_run_advance(cpu, 10, &done, &err);
  FF_CHECK_OK(status, &err);
  for (uint64_t k = 0; k < run->units; k++)
    for (uint32_t i = 0; i < run->n_times && !code_refuses(run, k); i++)
      for (uint32_t j = 0; j < request->n_observed; j++) {
        const double *found = FF_RECORD_REAL_OF(run, i, k) + j * run->units, *expected = states[j] + k * run->n_times + i;
        wrong += memcmp(found, expected, sizeof *found) != 0;
      }
  FF_CHECK_SAY(wrong == 0, "%s: %u of %llu numbers differ\n", what, wrong,
               (unsigned long long)run->units * run->n_times * request->n_observed);
  const uint64_t steps = ff_run_steps(cpu);
  FF_CHECK_SAY(refused > 0 || run->counters->steps == steps, "%s: %llu firings, not %llu\n", what,
               (unsigned long long)run->counters->steps, (unsigned long long)steps);
  if (request->max_firings > 0) code_compare_fired(run, cpu, what);
  ff_run_free(cpu);
  for (uint32_t j = 0; j < request->n_observed; j++) free(states[j]);
  return steps;
}

/* Runs the code of a program up to the last time, and compares. */
static inline void check_code(const ff_petri_program *program, double last, uint64_t units, const double *starts, int firings,
                              uint32_t most_refused, const char *what) {
  ff_error err;
  ff_petri_code code;
  double times[CODE_TIMES];
  uint32_t observed[64];
  const uint32_t n = program->n_places < 64 ? program->n_places : 64;
  for (uint32_t i = 0; i < CODE_TIMES; i++) times[i] = last * i / (CODE_TIMES - 1);
  for (uint32_t j = 0; j < n; j++) observed[j] = n - 1 - j;
  const ff_device_request request = {.initial = program->start, .times = times, .n_times = CODE_TIMES, .observed = observed,
                                     .n_observed = n, .starts = starts, .reals = 1,
                                     .max_firings = firings ? CODE_FIRINGS : 0};
  const ff_status status = ff_petri_code_new(&code, program, &request, &err);
  FF_CHECK_SAY(status == FF_OK, "%s: %s\n", what, status == FF_OK ? "" : err.text);
  if (status != FF_OK) return;
  void *library = code_compile(&code);
  if (library != NULL) {
    ff_launch run = code_launch(&code, &request, units);
    code_launch_all(&run, library, &code);
    const uint64_t steps = code_compare(&run, program, &request, most_refused, what);
    FF_CHECK_SAY(steps > 0, "%s: nothing fires\n", what);
    code_free(&run);
    dlclose(library);
  }
  ff_petri_code_free(&code);
}

static inline void code_make_folder(void) { FF_CHECK(mkdtemp(code_folder) != NULL); }
static inline void code_remove_folder(void) { rmdir(code_folder); }

#endif
