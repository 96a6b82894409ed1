/* A plain simulator as a reference of speed: the direct method with a dependency graph, mass action only. It keeps the sum of the
 * propensities by adding differences, so the sum drifts slowly; everything else is as simple as possible. bench/ssa.R compiles
 * and runs it: plain_ssa FILE TRAJECTORIES TIME. It prints the events and the seconds.
 *
 * The file has numbers only: species, reactions; the initial counts; then for each reaction its constant, the number of reactants
 * with (species, count) for each, and the number of changes with (species, change) for each. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int species;
  long by;
} pair;

typedef struct {
  double rate;
  int n_in, n_out, n_dependents;
  pair *in, *out;
  int *dependents;
} reaction;

static uint64_t state[4];

static uint64_t rotated(uint64_t x, int k) { return x << k | x >> (64 - k); }

/* xoshiro256+ (Blackman and Vigna 2018), as a number from (0, 1). */
static double uniform(void) {
  const uint64_t sum = state[0] + state[3], t = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= t;
  state[3] = rotated(state[3], 45);
  return ((double)(sum >> 11) + 0.5) * 0x1p-53;
}

static double number(FILE *file) {
  double x;
  if (fscanf(file, "%lf", &x) != 1) exit(2);
  return x;
}

static pair *pairs(FILE *file, int *n) {
  *n = (int)number(file);
  pair *all = malloc((size_t)(*n + 1) * sizeof *all);
  for (int i = 0; i < *n; i++) {
    all[i].species = (int)number(file);
    all[i].by = (long)number(file);
  }
  return all;
}

static double propensity(const reaction *r, const long *count) {
  double a = r->rate;
  for (int i = 0; i < r->n_in; i++)
    for (long k = 0; k < r->in[i].by; k++) a *= (double)(count[r->in[i].species] - k) / (double)(k + 1);
  return a;
}

static void list_dependents(reaction *all, int n, int species) {
  int *readers = calloc((size_t)species + 1, sizeof *readers), *start = calloc((size_t)species + 2, sizeof *start);
  for (int r = 0; r < n; r++)
    for (int i = 0; i < all[r].n_in; i++) start[all[r].in[i].species + 1]++;
  for (int s = 0; s < species; s++) start[s + 1] += start[s];
  int *list = malloc((size_t)(start[species] + 1) * sizeof *list), *mark = calloc((size_t)n, sizeof *mark);
  for (int r = 0; r < n; r++)
    for (int i = 0; i < all[r].n_in; i++) list[start[all[r].in[i].species] + readers[all[r].in[i].species]++] = r;
  for (int r = 0; r < n; r++) {
    int most = 0;
    for (int i = 0; i < all[r].n_out; i++) most += readers[all[r].out[i].species];
    all[r].dependents = malloc((size_t)(most + 1) * sizeof *all[r].dependents);
    for (int i = 0; i < all[r].n_out; i++)
      for (int k = 0; k < readers[all[r].out[i].species]; k++) {
        int d = list[start[all[r].out[i].species] + k];
        if (mark[d] == r + 1) continue;
        mark[d] = r + 1;
        all[r].dependents[all[r].n_dependents++] = d;
      }
  }
  free(readers);
  free(start);
  free(list);
  free(mark);
}

int main(int argc, char **argv) {
  FILE *file = argc == 4 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) return 2;
  const int species = (int)number(file), n = (int)number(file);
  long *initial = malloc((size_t)species * sizeof *initial), *count = malloc((size_t)species * sizeof *count);
  reaction *all = calloc((size_t)n, sizeof *all);
  double *a = malloc((size_t)n * sizeof *a);
  for (int s = 0; s < species; s++) initial[s] = (long)number(file);
  for (int r = 0; r < n; r++) {
    all[r].rate = number(file);
    all[r].in = pairs(file, &all[r].n_in);
    all[r].out = pairs(file, &all[r].n_out);
  }
  fclose(file);
  list_dependents(all, n, species);
  const long runs = atol(argv[2]);
  const double end = atof(argv[3]);
  long events = 0;
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (long run = 0; run < runs; run++) {
    for (int i = 0; i < 4; i++) state[i] = (uint64_t)(run + 1) * UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(2 * i + 1) + 1;
    for (int i = 0; i < 20; i++) uniform();
    memcpy(count, initial, (size_t)species * sizeof *count);
    double total = 0, time = 0;
    for (int r = 0; r < n; r++) total += a[r] = propensity(&all[r], count);
    while (total > 0) {
      time -= log(uniform()) / total;
      if (time > end) break;
      double at = uniform() * total;
      int r = 0;
      while (r < n - 1 && at >= a[r]) at -= a[r++];
      for (int i = 0; i < all[r].n_out; i++) count[all[r].out[i].species] += all[r].out[i].by;
      for (int i = 0; i < all[r].n_dependents; i++) {
        int d = all[r].dependents[i];
        double now = propensity(&all[d], count);
        total += now - a[d];
        a[d] = now;
      }
      if (++events % 4096 == 0)
        for (int k = (int)(total = 0); k < n; k++) total += a[k];
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%ld %.6f\n", events, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
  return 0;
}
