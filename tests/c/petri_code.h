/* Code that the CUDA backend generates for a Petri net, compiled for this processor and compared with its own engine, bit for
 * bit.
 * This needs a C compiler at run time. A test includes this header first. */
#ifndef FF_TESTS_PETRI_CODE_H
#define FF_TESTS_PETRI_CODE_H

#define _GNU_SOURCE /* mkdtemp */
#include <dlfcn.h>
#include <math.h>
#include <unistd.h>

#include "../../src/cuda/device/ff_turns.h"
#include "../../src/cuda/petri/code/ff_petri_code.h"
#include "petri_runs.h"

#define CODE_SLOTS 12u
#define CODE_POOL 4u /* slots of a block that has a pool, on the host */
#define CODE_TURN 8u /* slots of a launch: they take turns */
#define CODE_SLOTS_ROOM 128u
#define CODE_TIMES 6u
#define CODE_SIDE 6u  /* codes that are compiled side by side */
#define CODE_FIRST UINT64_C(0x123456789A0)
#define CODE_KEY UINT64_C(0x5EED0FF1CE)
#define CODE_FIRINGS (1u << 21)
/* Options of the compiler. The code of many nets is short work, but much to compile. */
#define CODE_QUICK "-O0"
#ifdef __SANITIZE_ADDRESS__
#define CODE_THOROUGH "-O0 -fsanitize=address,undefined -fno-sanitize-recover=all"
#else
#define CODE_THOROUGH "-O2"
#endif

static char code_folder[] = "/tmp/fireflip-petri-XXXXXX";

typedef void (*code_run)(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot);

/* The trajectories from number `first` on, n of them, as this processor simulates them. */
typedef struct {
  uint64_t first, n;
  ff_run *run;
  double *states[64], *stopped;
} code_part;

/* What is simulated, and what was found. The first members are given; the rest is 0 at first. */
typedef struct {
  const char *what;
  const ff_petri_program *program; /* borrowed */
  double last;           /* without times: CODE_TIMES times up to this one are recorded */
  const double *times;   /* borrowed */
  uint32_t n_times;
  uint64_t units;
  const double *starts;  /* NULL, or the marking of each trajectory at the start; borrowed */
  int firings;           /* whether they are listed */
  uint32_t most_refused; /* trajectories */
  int some;              /* whether some places are recorded only */
  int quiet;             /* whether it may be that nothing fires */
  const ff_formula *until; /* NULL, or a condition on places that ends trajectories; borrowed */
  int alone;             /* whether this processor simulates each trajectory alone, too */
  code_part *all;        /* NULL, or all trajectories, if this processor has simulated them before; borrowed */

  uint64_t steps;
  uint32_t refused, failed, ended; /* trajectories that the code refuses, that fail on this processor, that a condition ends */
  uint8_t *is_refused;      /* of each trajectory */
  double usual[CODE_TIMES];
  uint32_t observed[64];
  ff_device_request request;
  ff_petri_code code;
  ff_launch run;
  void *library;
} code_case;

/* Compiles a net, and tells whether code can be generated for it. */
static inline int code_is_there(petri_text *x, const ff_petri_options *options) {
  if (x->status == FF_OK) x->status = ff_petri_finish(x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_unfold(&x->flat, x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_program_new(&x->program, x->flat, options, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_code_check(x->program, &x->err);
  return x->status == FF_OK;
}

/* Whether a level is compared with a number. */
static inline int code_has_switch(const ff_petri_program *p) {
  int has = 0;
  for (uint32_t k = 0; k < p->n_derived; k++) has |= p->derived[k].kind != FF_PETRI_DISCRETE;
  return has;
}

/* ---- the code ----------------------------------------------------------------------------------------------------------- */

static inline void code_path(char *out, size_t size, uint32_t number, const char *end) {
  snprintf(out, size, "%s/p%u%s", code_folder, number, end);
}

/* Writes code to file p<number>.c, with texts before and after it. Returns whether this was done. */
static inline int code_save_between(const ff_petri_code *code, uint32_t number, const char *before, const char *after) {
  char source[300];
  code_path(source, sizeof source, number, ".c");
  FILE *file = fopen(source, "w");
  FF_CHECK_SAY(file != NULL, "%s: cannot be written", source);
  if (file == NULL) return 0;
  fprintf(file, "%s%s" FF_PETRI_CODE_HEADERS "%s%s", before, code->definitions, code->functions, after);
  fclose(file);
  return 1;
}

static inline int code_save(const ff_petri_code *code, uint32_t number) { return code_save_between(code, number, "", ""); }

/* Sets what is asked of a kernel: up to 64 places. */
static inline void code_ask(code_case *x) {
  const uint32_t n = x->program->n_places < 64 ? x->program->n_places : 64, every = x->some ? 2 : 1;
  for (uint32_t i = 0; i < CODE_TIMES; i++) x->usual[i] = x->last * i / (CODE_TIMES - 1);
  for (uint32_t j = 0; j < n; j += every) x->observed[j / every] = n - 1 - j;
  const int usual = x->times == NULL;
  x->request = (ff_device_request){.initial = x->program->start, .times = usual ? x->usual : x->times,
                                   .n_times = usual ? CODE_TIMES : x->n_times, .observed = x->observed,
                                   .n_observed = (n + every - 1) / every, .starts = x->starts, .reals = 1, .until = x->until,
                                   .max_firings = x->firings ? CODE_FIRINGS : 0};
}

/* Generates the code and writes it to file p<number>.c. Returns whether this was done. */
static inline int code_write(code_case *x, uint32_t number) {
  ff_error err;
  code_ask(x);
  const ff_status status = ff_petri_code_new(&x->code, x->program, &x->request, FF_PETRI_CODE_SHARED, &err);
  FF_CHECK_SAY(status == FF_OK, "%s: %s\n", x->what, status == FF_OK ? "" : err.text);
  return status == FF_OK && code_save(&x->code, number);
}

/* Loads p<number>.so; NULL after a failed check. Then no file is left, but for a source that cannot be compiled. */
static inline void *code_load(uint32_t number) {
  char source[300], object[300];
  code_path(source, sizeof source, number, ".c");
  code_path(object, sizeof object, number, ".so");
  void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  FF_CHECK_SAY(library != NULL, "%s", dlerror());
  if (library != NULL) unlink(source);
  unlink(object);
  return library;
}

/* Compiles p0.c to p<n - 1>.c with these options; a file may be missing. */
static inline void code_compile(uint32_t n, const char *options) {
  char command[1200];
  const char *cc = getenv("CC");
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  snprintf(command, sizeof command,
           "for i in $(seq 0 %u); do echo $i; done | xargs -P %ld -I{} sh -c 'test ! -f \"%s/p{}.c\" || "
           "%s -std=c11 %s -w -ffp-contract=off -fPIC -shared -Isrc \"%s/p{}.c\" -o \"%s/p{}.so\" -lm'",
           n - 1, processors > 0 && processors < 8 ? processors : 8, code_folder, cc != NULL ? cc : "cc", options, code_folder,
           code_folder);
  const int status = system(command);
  FF_CHECK_SAY(status == 0, "%s", command);
}

/* ---- launches ----------------------------------------------------------------------------------------------------------- */

static inline ff_launch code_launch(uint64_t slot_bytes, const ff_device_request *request, uint64_t units) {
  ff_launch run = {.key = CODE_KEY, .first = CODE_FIRST, .units = units, .slots = CODE_SLOTS, .nanoseconds = UINT64_MAX,
                   .n_times = request->n_times, .n_observed = request->n_observed, .times = request->times,
                   .observed = request->observed};
  run.recorded_real = ff_calloc((size_t)units * request->n_times * request->n_observed, sizeof *run.recorded_real);
  run.refused = ff_calloc((units + 31) / 32, sizeof *run.refused);
  run.counters = ff_calloc(1, sizeof *run.counters);
  run.state = ff_calloc(CODE_SLOTS_ROOM, (size_t)slot_bytes);
  run.starts_real = request->starts;
  if (request->until != NULL) run.stopped = ff_calloc(units, sizeof *run.stopped);
  for (uint64_t k = 0; request->until != NULL && k < units; k++) run.stopped[k] = NAN;
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
  free(run->stopped);
}

/* Launches until the wave is complete, with few turns at a time. */
static inline void code_launch_all(ff_launch *run, void *library, const ff_petri_code *code) {
  static const uint32_t steps[] = {1, 7, 1300, 64};
  code_run slot_of;
  *(void **)&slot_of = dlsym(library, "p_host");
  const ff_wave_counters *counters = run->counters;
  for (uint32_t i = 0; counters->complete < run->units && counters->fired < CODE_FIRINGS / 2 && i < 1000000; i++) {
    const uint64_t before = run->counters->fired;
    run->steps = steps[i % 4];
    for (uint32_t k = 0; k < CODE_TURN; k += code->pool ? CODE_POOL : 1u)
      slot_of(run, code->initial, code->table, FF_SLOT_OF(run, k));
    FF_CHECK(run->counters->fired - before <= (uint64_t)CODE_TURN * (run->steps + FF_PETRI_CODE_ROUND));
    ff_next_turn(run, CODE_TURN);
  }
}

static inline int code_refuses(const ff_launch *run, uint64_t k) { return run->refused[k / 32] >> (k % 32) & 1; }

/* ---- comparisons -------------------------------------------------------------------------------------------------------- */

static inline ff_status code_simulate(code_part *part, const code_case *x, uint64_t first, uint64_t n, ff_error *err) {
  const ff_device_request *r = &x->request;
  int done = 0;
  *part = (code_part){.first = first, .n = n};
  for (uint32_t j = 0; j < r->n_observed; j++) part->states[j] = ff_calloc((size_t)n * r->n_times, sizeof(double));
  part->stopped = ff_calloc((size_t)n, sizeof(double));
  const double *starts = r->starts == NULL ? NULL : r->starts + first * x->program->n_places;
  const ff_run_options options = {.key = CODE_KEY, .first = CODE_FIRST + first, .n = n, .initial = r->initial, .times = r->times,
                                  .n_times = r->n_times, .observed = r->observed, .n_observed = r->n_observed,
                                  .states = part->states, .threads = 1, .simd = FF_SIMD_BEST, .starts = starts,
                                  .max_firings = r->max_firings, .until = r->until,
                                  .stopped = r->until != NULL ? part->stopped : NULL};
  ff_status status = ff_run_new(&part->run, &ff_petri_engine, x->program, &options, err);
  while (status == FF_OK && !done) status = ff_run_advance(part->run, 10, &done, err);
  return status;
}

static inline void code_part_free(code_part *part) {
  ff_run_free(part->run);
  for (uint32_t j = 0; j < 64; j++) free(part->states[j]);
  free(part->stopped);
}

/* Compares the lists of firings of trajectories that were not refused. */
static inline void code_compare_fired(const code_case *x, const code_part *part) {
  const ff_launch *run = &x->run;
  const uint64_t n = ff_run_n_firings(part->run), last = part->first + part->n;
  double *trajectory = ff_calloc(n + 1, sizeof *trajectory), *time = ff_calloc(n + 1, sizeof *time);
  int32_t *item = ff_calloc(n + 1, sizeof *item);
  uint64_t at = 0, wrong = 0, *next = ff_calloc(run->units, sizeof *next), *end = ff_calloc(run->units, sizeof *end);
  ff_error err;
  FF_CHECK(run->counters->fired <= CODE_FIRINGS);
  FF_CHECK_OK(ff_run_firings(part->run, trajectory, time, item, &err), &err);
  for (uint64_t k = part->first; k < last; k++) {
    next[k] = at;
    while (at < n && trajectory[at] == (double)(k - part->first)) at++;
    end[k] = at;
  }
  FF_CHECK(at == n);
  for (uint64_t i = 0; i < run->counters->fired; i++) {
    const ff_fired *f = run->fired + i;
    if (f->unit < part->first || f->unit >= last || code_refuses(run, f->unit)) continue;
    const uint64_t j = next[f->unit]++;
    wrong += j >= end[f->unit] || f->time != time[j] || (int32_t)f->what != item[j];
  }
  for (uint64_t k = part->first; k < last; k++) wrong += !code_refuses(run, k) && next[k] != end[k];
  FF_CHECK_SAY(wrong == 0, "%s: %llu of %llu firings differ\n", x->what, (unsigned long long)wrong, (unsigned long long)n);
  free(trajectory);
  free(time);
  free(item);
  free(next);
  free(end);
}

static inline void code_compare_states(const code_case *x, const code_part *part) {
  const ff_launch *run = &x->run;
  uint32_t wrong = 0;
  for (uint64_t k = 0; k < part->n; k++)
    for (uint32_t i = 0; i < run->n_times && !code_refuses(run, part->first + k); i++)
      for (uint32_t j = 0; j < run->n_observed; j++) {
        const double *found = FF_RECORD_REAL_OF(run, i, part->first + k) + j * run->units;
        wrong += memcmp(found, part->states[j] + k * run->n_times + i, sizeof *found) != 0;
      }
  FF_CHECK_SAY(wrong == 0, "%s: %u of %llu numbers differ\n", x->what, wrong,
               (unsigned long long)part->n * run->n_times * run->n_observed);
}

/* The times at which the condition has ended trajectories. */
static inline void code_compare_stopped(code_case *x, const code_part *part) {
  uint32_t wrong = 0;
  for (uint64_t k = 0; k < part->n; k++) {
    const double here = part->stopped[k], there = x->run.stopped[part->first + k];
    x->ended += !isnan(here);
    wrong += !code_refuses(&x->run, part->first + k) && here != there && !(isnan(here) && isnan(there));
  }
  FF_CHECK_SAY(wrong == 0, "%s: %u of %llu trajectories end at other times\n", x->what, wrong, (unsigned long long)part->n);
}

static inline uint64_t code_compare_part(code_case *x, const code_part *part) {
  if (x->until != NULL) code_compare_stopped(x, part);
  code_compare_states(x, part);
  if (x->firings) code_compare_fired(x, part);
  return ff_run_steps(part->run);
}

/* Each trajectory alone. Some may fail on this processor; the code must have refused these. */
static inline uint64_t code_compare_each(code_case *x) {
  uint64_t steps = 0;
  for (uint64_t k = 0; k < x->units; k++) {
    code_part part;
    ff_error err;
    const ff_status status = code_simulate(&part, x, k, 1, &err);
    if (status == FF_OK) {
      const uint64_t own = code_compare_part(x, &part);
      steps += code_refuses(&x->run, k) ? 0 : own;
    } else {
      x->failed++;
      FF_CHECK_SAY(status == FF_EMODEL || status == FF_ESIZE, "%s: %s", x->what, err.text);
      FF_CHECK_SAY(code_refuses(&x->run, k), "%s, trajectory %u: \"%s\" was not refused", x->what, (unsigned)k, err.text);
    }
    code_part_free(&part);
  }
  return steps;
}

/* Compares what a wave has recorded with runs of this processor. */
static inline void code_compare(code_case *x) {
  code_part own;
  const code_part *all = x->all != NULL ? x->all : &own;
  ff_error err;
  const ff_wave_counters *found = x->run.counters;
  for (uint32_t k = 0; k < x->units; k++) x->refused += x->is_refused[k] = (uint8_t)code_refuses(&x->run, k);
  FF_CHECK_SAY(found->complete == x->units, "%s: %llu complete\n", x->what, (unsigned long long)found->complete);
  FF_CHECK_SAY(x->refused <= x->most_refused, "%s: %u refused\n", x->what, x->refused);
  const int fine = x->all != NULL || code_simulate(&own, x, 0, x->units, &err) == FF_OK;
  x->steps = fine ? code_compare_part(x, all) : code_compare_each(x);
  if (fine && x->alone && x->refused == 0) FF_CHECK_INT(code_compare_each(x), x->steps);
  FF_CHECK((x->failed > 0) == !fine);
  if (x->all == NULL) code_part_free(&own);
  if (x->refused == 0 || x->failed > 0)
    FF_CHECK_SAY(found->steps == x->steps, "%s: %llu firings, not %llu\n", x->what, (unsigned long long)found->steps,
                 (unsigned long long)x->steps);
  if (!x->quiet) FF_CHECK_SAY(x->steps > 0 || x->refused == x->units, "%s: nothing fires\n", x->what);
}

/* ---- cases -------------------------------------------------------------------------------------------------------------- */

static inline void code_play_one(code_case *x, uint32_t number) {
  x->library = code_load(number);
  if (x->library == NULL) return;
  x->run = code_launch(ff_petri_code_slot_bytes(&x->code), &x->request, x->units);
  x->is_refused = ff_calloc(x->units, 1);
  code_launch_all(&x->run, x->library, &x->code);
  code_compare(x);
  code_free(&x->run);
  dlclose(x->library);
}

/* Plays cases, whose code is compiled with these options. The caller frees what was found with code_end(). */
static inline void code_play(code_case *x, uint32_t n, const char *options) {
  for (uint32_t begin = 0; begin < n; begin += CODE_SIDE) {
    const uint32_t many = n - begin < CODE_SIDE ? n - begin : CODE_SIDE;
    int written[CODE_SIDE];
    for (uint32_t k = 0; k < many; k++) written[k] = code_write(&x[begin + k], k);
    code_compile(many, options);
    for (uint32_t k = 0; k < many; k++)
      if (written[k]) code_play_one(&x[begin + k], k);
  }
}

static inline void code_end(code_case *x, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    free(x[k].is_refused);
    ff_petri_code_free(&x[k].code);
  }
}

static inline void code_make_folder(void) { FF_CHECK(mkdtemp(code_folder) != NULL); }
static inline void code_remove_folder(void) { rmdir(code_folder); }

#endif
