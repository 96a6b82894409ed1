/* The warps of a block that runs a trajectory, as threads: they share the work at the same time, as on a device, while each runs
 * its 32 lanes one after the other. Compares what they record with a warp alone, bit for bit. A missing barrier is a data race,
 * which ThreadSanitizer finds:
 *
 *   make build/tsan/test_ssa_generic_block && build/tsan/test_ssa_generic_block
 */
#include <pthread.h>

#include "../../src/cuda/runtime/ff_warp.h"
#undef FF_ATOMIC_OR
#define FF_ATOMIC_OR(at, bits) __atomic_fetch_or((at), (bits), __ATOMIC_RELAXED)
#include "../../src/cuda/ssa/data/ff_ssa_generic_law.h"
#undef FF_RESERVE
#define FF_RESERVE(at, n) __atomic_fetch_add((at), (n), __ATOMIC_RELAXED)
#undef FF_STORE_EQUAL
#define FF_STORE_EQUAL(at, x) __atomic_store((at), &(x), __ATOMIC_RELAXED)

/* A barrier for all warps; not every system has those of POSIX. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t open;
  uint32_t warps, waiting, passed;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

static inline void wait_for_warps(void) {
  pthread_mutex_lock(&gate.lock);
  const uint32_t passed = gate.passed;
  if (++gate.waiting == gate.warps) {
    gate.waiting = 0;
    gate.passed++;
    pthread_cond_broadcast(&gate.open);
  }
  while (gate.passed == passed) pthread_cond_wait(&gate.open, &gate.lock);
  pthread_mutex_unlock(&gate.lock);
}

#define FF_EACH_WARP(w)
#define FF_WARP_HERE(w) const uint32_t warp = (w)->member
#define FF_SYNC_BLOCK(w) wait_for_warps()
#include "../../src/cuda/ssa/data/ff_ssa_generic_block.h"

#include "../../src/ssa/path/ff_ssa_method.h"
#include "coupled_examples.h"
#include "factor_examples.h"
#include "simulations.h"
#include "ssa_launch.h"

#define KEY 11u
#define TRAJECTORIES 3u
#define TIMES 3u

/* A wave of one slot. */
typedef struct {
  ff_ssa_image image;
  ff_ssa_slot_layout at;
  ff_launch run;
  ff_wave_counters counters;
  uint32_t refused, *recorded, warps;
  ff_ssa_task tasks[2];
} block;

typedef struct {
  block *block;
  uint32_t member;
} thread;

static void *run_warp(void *given) {
  const thread *t = given;
  block *b = t->block;
  ff_ssa_warp w = {.image = &b->image, .run = &b->run, .formulas = b->image.depth > 0, .method = (int)b->image.method,
                   .helpers = b->warps - 1u, .member = t->member, .tasks = b->tasks};
  ff_ssa_warp_place(&w, &b->at, (char *)b->run.state + b->at.value, NULL);
  w.stack += (size_t)t->member * b->image.depth * 32u;
  if (b->warps > 1)
    ff_ssa_block_run(&w, &b->at, 0, 0);
  else
    ff_ssa_warp_run(&w, &b->at, 0, 0);
  return NULL;
}

/* Launches until all trajectories are complete. */
static void run_block(block *b) {
  pthread_t threads[FF_SSA_BLOCK_MOST];
  thread given[FF_SSA_BLOCK_MOST];
  gate.warps = b->warps;
  for (b->run.begun = 0; b->counters.complete < TRAJECTORIES; b->run.begun = 1) {
    for (uint32_t i = 0; i < b->warps; i++) {
      given[i] = (thread){b, i};
      FF_CHECK(pthread_create(threads + i, NULL, run_warp, given + i) == 0);
    }
    for (uint32_t i = 0; i < b->warps; i++) pthread_join(threads[i], NULL);
  }
}

/* Runs the trajectories with so many warps. The caller frees what they record. Without `lists`, the list of nodes has no room. */
static uint32_t *record(const ff_ssa_program *program, ff_ssa_method method, double last, uint32_t warps, int lists,
                        ff_wave_counters *counters) {
  const double times[TIMES] = {0, last / 2, last};
  uint32_t *observed = ff_calloc(program->n_species, sizeof *observed);
  const ff_device_request request = {.method = method, .initial = program->initial};
  block *b = ff_calloc(1, sizeof *b);
  void *memory;
  size_t bytes;
  ff_error err;
  for (uint32_t s = 0; s < program->n_species; s++) observed[s] = s;
  FF_CHECK_OK(ff_ssa_image_new(&b->image, &memory, &bytes, program, &request, &err), &err);
  if (!lists) b->image.listed = 0;
  b->at = ff_ssa_slot_lay_out(&b->image, warps);
  b->warps = warps;
  b->recorded = ff_calloc((size_t)TIMES * program->n_species * TRAJECTORIES, sizeof *b->recorded);
  b->run = (ff_launch){.key = KEY, .units = TRAJECTORIES, .slots = 1, .steps = 40, .n_times = TIMES, .times = times,
                           .n_observed = program->n_species, .observed = observed, .recorded = b->recorded,
                           .refused = &b->refused, .counters = &b->counters, .state = ff_calloc_aligned(1, b->at.bytes)};
  memset(b->run.state, 0xA5, b->at.bytes); /* what a device has there */
  memset(b->tasks, 0xA5, sizeof b->tasks);
  run_block(b);
  FF_CHECK_INT(b->refused, 0);
  uint32_t *recorded = b->recorded;
  *counters = b->counters;
  ff_free_aligned(b->run.state);
  ff_free_aligned(memory);
  free(observed);
  free(b);
  return recorded;
}

static void check_method(const char *what, const ff_ssa_program *program, ff_ssa_method method, double last) {
  const size_t bytes = (size_t)TIMES * program->n_species * TRAJECTORIES * sizeof(uint32_t);
  ff_wave_counters want, got;
  uint32_t *alone = record(program, method, last, 1, 1, &want);
  FF_CHECK_SAY(want.steps > 40, "%s: %llu events", what, (unsigned long long)want.steps);
  for (uint32_t warps = 2, lists = 0; warps <= FF_SSA_BLOCK_MOST; warps += 7, lists = 1) {
    uint32_t *together = record(program, method, last, warps, (int)lists, &got);
    FF_CHECK_SAY(memcmp(alone, together, bytes) == 0, "%s, %s, %u warps: counts differ", what, ff_ssa_method_name(method), warps);
    FF_CHECK_INT(got.steps, want.steps);
    free(together);
  }
  free(alone);
}

/* With and without lists of dependents. */
static void check(const char *what, ff_ssa_program *program, double last) {
  static const ff_ssa_method methods[] = {FF_SSA_TREE, FF_SSA_FIRST, FF_SSA_NEXT};
  for (int listed = 1; listed >= 0; listed--) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) check_method(what, program, methods[i], last);
    free(program->dependents);
    program->dependents = NULL;
  }
  ff_ssa_program_free(program);
}

/* An event changes so few sums that they are listed. */
static void lists_of_sums(void) { check("colloid", program_of_colloid(90), 0.02); }

static void hubs(void) { check("hubs", program_of_hubs(600), 0.08); }

/* Each warp has a stack of its own for formulas. */
static void formulas(void) { check("formulas", program_of_laws(30), 3); }

FF_TEST_MAIN("ssa_generic_block", lists_of_sums, hubs, formulas)
