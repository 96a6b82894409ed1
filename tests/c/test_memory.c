/* Makes every allocation of the core and of the CUDA backend's C files fail, one after the other. The call must report this
 * (FF_EMEMORY and a message), return no object, leak nothing and not crash. Then the test is repeated with all later allocations
 * failing too and with `err` NULL. The core is compiled for this (failing_memory.h). Allocations of igraph fail as well. The
 * second test checks that the scenarios have reached every place that allocates. A new module needs a scenario of its own
 * (CONTRIBUTING.md). */
#define _DEFAULT_SOURCE /* getpid, access */
#include <sanitizer/lsan_interface.h>
#include <unistd.h>

#include "check.h"
/* a backend whose devices are tiles; its own tests are not run here */
#undef FF_TEST_MAIN
#define FF_TEST_MAIN(...)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "test_waves.c"
#pragma GCC diagnostic pop

#include "failing_memory.h"
#include "memory_scenarios.h"

/* Where a call may succeed although an allocation failed, and the reason. */
static const struct {
  const char *function, *call, *why;
} optional[] = {
    {NULL, "ff_shrink", "the block stays as large as it was"},
    {"ff_parallel", "ff_calloc", "the work is done in one thread"},
    {"make_folder", "ff_strndup", "code is compiled without a cache"},
    {"ff_code_cache_open", "ff_calloc", "code is compiled without a cache"},
    {"read_entry", "ff_calloc", "code is compiled anew"},
    {"load_file", "ff_strndup", "code is compiled anew"},
    {"load_file", "ff_calloc", "code is compiled anew"},
    {"list_entries", "ff_grow", "the cache is not pruned this time"},
};

/* Places that no scenario makes fail, and the reason. */
static const struct {
  const char *file, *function, *why;
} unreached[] = {
    {NULL, NULL, NULL},
};

/* ---- leaks ------------------------------------------------------------------------------------------------------- */

/* A function of AddressSanitizer's runtime library; not every compiler has its header. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));

static long live; /* blocks that are allocated and not freed */

static void count_new(const volatile void *block, size_t bytes) {
  (void)bytes;
  if (block != NULL) __atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
}
static void count_free(const volatile void *block) {
  if (block != NULL) __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST);
}
static long live_now(void) { return __atomic_load_n(&live, __ATOMIC_SEQ_CST); }

/* ---- one scenario ------------------------------------------------------------------------------------------------ */

static int is_optional(const failing_site *at) {
  for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
    if (strcmp(optional[i].call, at->call) == 0 &&
        (optional[i].function == NULL || strcmp(optional[i].function, at->function) == 0))
      return 1;
  return 0;
}

static int has_left;  /* whether blocks were left since the last look for leaks */
static int look_each; /* whether leaks are looked for after each play: FF_MEMORY_EACH is set */

/* Returns whether something leaks. */
static int find_leaks(void) {
  const int leaks = has_left && __lsan_do_recoverable_leak_check() != 0;
  has_left = 0;
  return leaks;
}

/* Runs the scenario with allocation k failing. Returns 0 if there are fewer than k allocations. */
static int play(const scenario *s, long k, int onwards) {
  ff_error err = {FF_OK, ""};
  const long before = live_now();
  failing_start(k, onwards);
  ff_status status = s->play(onwards ? NULL : &err);
  const failing_site *at = failing_place();
  failing_start(0, 0);
  const char *which = onwards ? "all from there on" : "alone";
  if (at == NULL) {
    FF_CHECK_SAY(status == FF_OK, "%s: %s", s->name, err.text);
    return 0;
  }
  int fine = status == FF_EMEMORY || (status == FF_OK && is_optional(at));
  FF_CHECK_SAY(fine, "%s, allocation %ld %s (%s:%d): %s: %s", s->name, k, which, at->file, at->line, ff_status_name(status),
               err.text);
  if (status != FF_OK && !onwards)
    FF_CHECK_SAY(err.status == status && strlen(err.text) > 8, "%s, allocation %ld (%s:%d): \"%s\"", s->name, k, at->file,
                 at->line, err.text);
  long left = live_now() - before;
  has_left |= left != 0; /* a library may keep memory for later calls, which is not a leak */
  if (look_each)
    FF_CHECK_SAY(!find_leaks(), "%s, allocation %ld %s (%s:%d): %ld blocks left", s->name, k, which, at->file, at->line, left);
  return 1;
}

static long played; /* allocations that were made to fail */

/* A look for leaks takes long, and what leaks stays a leak. So there is one for all plays of a scenario. */
static void run_scenario(const scenario *s, int variant) {
  given.variant = variant;
  if (s->prepare != NULL) s->prepare();
  ff_error err = {FF_OK, ""};
  FF_CHECK_OK(s->play(&err), &err); /* libraries allocate what they keep */
  long before = live_now();
  failing_start(0, 0);
  FF_CHECK_OK(s->play(&err), &err);
  long n = failing_count();
  FF_CHECK_SAY(live_now() == before, "%s: %ld blocks left where nothing failed", s->name, live_now() - before);
  double start = ff_clock();
  for (int onwards = 0; onwards < 2; onwards++)
    for (long k = 1; play(s, k, onwards); k++) played++;
  FF_CHECK_SAY(!find_leaks(), "%s leaks; with FF_MEMORY_EACH=1, the allocation is told", s->name);
  if (getenv("FF_MEMORY_VERBOSE") != NULL)
    printf("%-34s %2d %5ld allocations, %.2f s\n", s->name, variant, n, ff_clock() - start);
  release();
  if (s->end != NULL) s->end();
}

static void every_allocation_may_fail(void) {
  const char *only = getenv("FF_MEMORY_SCENARIO");
  look_each = getenv("FF_MEMORY_EACH") != NULL;
  __sanitizer_install_malloc_and_free_hooks(count_new, count_free);
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
    for (int variant = 0; variant == 0 || variant < scenarios[i].variants; variant++)
      if (only == NULL || strstr(scenarios[i].name, only) != NULL) run_scenario(&scenarios[i], variant);
  FF_CHECK_SAY(__lsan_do_recoverable_leak_check() == 0, "something leaks");
}

/* The list of places comes from the compiler. */
static void every_place_has_failed(void) {
  size_t n, failed = 0, excused = 0;
  failing_site **all = failing_sites(&n);
  for (size_t i = 0; i < n; i++) {
    int excuse = 0;
    for (size_t j = 0; j < sizeof unreached / sizeof unreached[0]; j++)
      excuse |= unreached[j].file != NULL && strcmp(unreached[j].file, all[i]->file) == 0 &&
                strcmp(unreached[j].function, all[i]->function) == 0;
    failed += all[i]->failed > 0;
    excused += all[i]->failed == 0 && excuse;
    FF_CHECK_SAY(all[i]->failed > 0 || excuse, "%s:%d: %s in %s() was never made to fail", all[i]->file, all[i]->line,
                 all[i]->call, all[i]->function);
  }
  FF_CHECK(n > 200); /* the section is not empty */
  FF_CHECK(failing_igraph() > 0);
  printf("memory: %zu of %zu places that allocate were made to fail (%zu cannot be), in %ld plays of %zu scenarios; "
         "igraph's own %ld times\n",
         failed, n, excused, played, sizeof scenarios / sizeof scenarios[0], failing_igraph());
  free(all);
}

int main(int argc, char **argv) {
  failing_find_igraph();
  static const ff_check_test tests[] = {{"every_allocation_may_fail", every_allocation_may_fail},
                                        {"every_place_has_failed", every_place_has_failed}};
  return ff_check_main("memory", tests, 2, argc, argv);
}
