/* Compares ff_math.h with long double: campaign_math VALUES THREADS [FUNCTION...]. Prints for each function the largest error in
 * units of the last place, and its argument. make campaign-math runs it with 1e8 values for each function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../c/math_reference.h"

#define MOST_THREADS 256

typedef struct {
  int function;
  uint64_t values, threads;
  struct {
    double worst;
    uint64_t at, wrong; /* wrong: the number of results beyond the bound */
  } found[MOST_THREADS];
} work;

static void compare(void *context, int index) {
  work *w = context;
  double worst = -1.0;
  for (uint64_t i = (uint64_t)index; i < w->values; i += w->threads) {
    const math_arguments at = math_arguments_of(w->function, i);
    const double distance = math_distance(math_value(w->function, at), math_reference(w->function, at));
    if (distance > worst) {
      worst = distance;
      w->found[index].at = i;
    }
    w->found[index].wrong += distance > math_bound(w->function);
  }
  w->found[index].worst = worst;
}

int main(int argc, char **argv) {
  const double values = argc > 1 ? atof(argv[1]) : 1e6;
  const int threads = argc > 2 ? atoi(argv[2]) : 1;
  if (!(values >= 1.0 && values <= 1e15) || threads < 1 || threads > MOST_THREADS) {
    fprintf(stderr, "usage: %s VALUES THREADS [FUNCTION...]\n", argv[0]);
    return 2;
  }
  if (!long_double_is_longer()) {
    printf("long double has no more digits than double here: nothing to compare with\n");
    return 2;
  }
  int failed = 0, passed = 0;
  static work w;
  for (int function = 0; function < MATH_FUNCTIONS; function++) {
    int wanted = argc < 4;
    for (int i = 3; i < argc; i++) wanted |= strcmp(argv[i], math_name(function)) == 0;
    if (!wanted) continue;
    memset(&w, 0, sizeof w);
    w.function = function;
    w.values = (uint64_t)values;
    w.threads = (uint64_t)threads;
    ff_parallel(threads, compare, &w);
    int worst = 0;
    uint64_t wrong = 0;
    for (int i = 0; i < threads; i++) {
      if (w.found[i].worst > w.found[worst].worst) worst = i;
      wrong += w.found[i].wrong;
    }
    const math_arguments at = math_arguments_of(function, w.found[worst].at);
    printf("%-6s %.0e values, largest error %.4f at ", math_name(function), values, w.found[worst].worst);
    if (function == MATH_pow)
      printf("(%a, %a)", at.x, at.y);
    else
      printf("%a", at.x);
    printf(", %llu beyond %g\n", (unsigned long long)wrong, math_bound(function));
    fflush(stdout);
    if (wrong > 0)
      failed++;
    else
      passed++;
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
