/* What the C tests share: checks that report where they fail and continue, and a runner that counts the tests.
 *
 *   static void adds(void) { FF_CHECK(1 + 1 == 2); }
 *   FF_TEST_MAIN("arithmetic", adds)
 *
 * prints "arithmetic: 1 passed, 0 failed" as its last line and returns 0 or 1. A test passes if all its checks pass.
 * Arguments select tests by name: build/asan/test_base adds.
 */
#ifndef FF_TESTS_CHECK_H
#define FF_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/ff_base.h"

static struct {
  const char *test;
  long failures; /* of the test that runs */
  int skipped;   /* whether this test is skipped */
} ff_check_state;

/* The largest number of failures that are printed per test. */
#define FF_CHECK_MOST 20

static inline int ff_check_failed(const char *file, int line) {
  ff_check_state.failures++;
  if (ff_check_state.failures > FF_CHECK_MOST) return 0;
  printf("%s:%d: %s: ", file, line, ff_check_state.test);
  return 1;
}

#define FF_CHECK(cond)                                                                          \
  do {                                                                                          \
    if (!(cond) && ff_check_failed(__FILE__, __LINE__)) printf("not true: %s\n", #cond);        \
  } while (0)

/* The same, with further information in the style of printf. */
#define FF_CHECK_SAY(cond, ...)                            \
  do {                                                     \
    if (!(cond) && ff_check_failed(__FILE__, __LINE__)) {  \
      printf("not true: %s: ", #cond);                     \
      printf(__VA_ARGS__);                                 \
      printf("\n");                                        \
    }                                                      \
  } while (0)

#define FF_CHECK_INT(got, want)                                                          \
  do {                                                                                   \
    long long ff_got = (long long)(got), ff_want = (long long)(want);                    \
    if (ff_got != ff_want && ff_check_failed(__FILE__, __LINE__))                        \
      printf("%s is %lld, expected %lld\n", #got, ff_got, ff_want);                      \
  } while (0)

#define FF_CHECK_NEAR(got, want, tolerance)                                              \
  do {                                                                                   \
    double ff_got = (got), ff_want = (want);                                             \
    double ff_gap = ff_got > ff_want ? ff_got - ff_want : ff_want - ff_got;              \
    if (!(ff_gap <= (tolerance)) && ff_check_failed(__FILE__, __LINE__))                 \
      printf("%s is %.17g, expected %.17g (+- %g)\n", #got, ff_got, ff_want, (double)(tolerance)); \
  } while (0)

#define FF_CHECK_STR(got, want)                                                          \
  do {                                                                                   \
    const char *ff_got = (got), *ff_want = (want);                                       \
    if ((ff_got == NULL || ff_want == NULL || strcmp(ff_got, ff_want) != 0) &&           \
        ff_check_failed(__FILE__, __LINE__))                                             \
      printf("%s is\n  \"%s\", expected\n  \"%s\"\n", #got, ff_got ? ff_got : "(null)",  \
             ff_want ? ff_want : "(null)");                                              \
  } while (0)

/* Checks for FF_OK and prints the error's text otherwise. `err` points to the ff_error that the call filled. */
#define FF_CHECK_OK(status, err)                                                         \
  do {                                                                                   \
    ff_status ff_got = (status);                                                         \
    if (ff_got != FF_OK && ff_check_failed(__FILE__, __LINE__))                          \
      printf("%s: %s: %s\n", #status, ff_status_name(ff_got), (err)->text);              \
  } while (0)

/* Checks for this status and for a text that contains `part`. */
#define FF_CHECK_FAILS(status, want, err, part)                                          \
  do {                                                                                   \
    ff_status ff_got = (status);                                                         \
    if ((ff_got != (want) || strstr((err)->text, (part)) == NULL) &&                     \
        ff_check_failed(__FILE__, __LINE__))                                             \
      printf("%s: got %s (\"%s\"), expected %s with \"%s\"\n", #status, ff_status_name(ff_got), \
             ff_got == FF_OK ? "" : (err)->text, ff_status_name(want), (part));          \
  } while (0)

/* Skips the test, which cannot run here. */
#define FF_SKIP(why)                                             \
  do {                                                           \
    printf("%s: skipped: %s\n", ff_check_state.test, (why));     \
    ff_check_state.skipped = 1;                                  \
    return;                                                      \
  } while (0)

typedef struct {
  const char *name;
  void (*run)(void);
} ff_check_test;

static inline int ff_check_main(const char *program, const ff_check_test *tests, int n, int argc, char **argv) {
  int passed = 0, failed = 0, skipped = 0;
  for (int i = 0; i < n; i++) {
    int wanted = argc < 2;
    for (int a = 1; a < argc; a++) wanted |= strcmp(argv[a], tests[i].name) == 0;
    if (!wanted) continue;
    ff_check_state.test = tests[i].name;
    ff_check_state.failures = ff_check_state.skipped = 0;
    tests[i].run();
    if (ff_check_state.failures > FF_CHECK_MOST)
      printf("%s: %ld more checks failed\n", tests[i].name, ff_check_state.failures - FF_CHECK_MOST);
    if (ff_check_state.failures > 0)
      failed++;
    else if (ff_check_state.skipped)
      skipped++;
    else
      passed++;
    fflush(stdout);
  }
  printf("%s: %d passed, %d failed", program, passed, failed);
  if (skipped > 0) printf(", %d skipped", skipped);
  printf("\n");
  return failed > 0;
}

/* FF_TEST_MAIN("program", test1, test2, ...): defines main() for up to 64 tests, each a void (void) function. */
#define FF_TEST_MAIN(program, ...)                                        \
  int main(int argc, char **argv) {                                       \
    static void (*const ff_runs[])(void) = {__VA_ARGS__};                 \
    enum { FF_TESTS = sizeof(ff_runs) / sizeof(ff_runs[0]) };             \
    static char ff_test_names[] = #__VA_ARGS__;                                \
    ff_check_test ff_tests[FF_TESTS];                                     \
    char *ff_at = ff_test_names;                                               \
    for (int i = 0; i < FF_TESTS; i++) {                                  \
      ff_at += strspn(ff_at, " ,\n\t");                                   \
      ff_tests[i].name = ff_at;                                           \
      ff_tests[i].run = ff_runs[i];                                       \
      ff_at += strcspn(ff_at, " ,\n\t");                                  \
      if (*ff_at != '\0') *ff_at++ = '\0';                                \
    }                                                                     \
    return ff_check_main(program, ff_tests, FF_TESTS, argc, argv);        \
  }

#endif
