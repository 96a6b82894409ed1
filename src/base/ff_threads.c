#define _GNU_SOURCE /* sched_getaffinity */
#include "ff_base.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

double ff_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The number of whole processors that the control group's quota allows, or 0 if there is no quota. */
static int cgroup_cores(void) {
  long long quota = 0, period = 0;
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
  if (file != NULL) {
    if (fscanf(file, "%lld %lld", &quota, &period) != 2) quota = 0; /* "max 100000" means that there is no quota */
    fclose(file);
  }
  if (quota <= 0 || period <= 0) return 0;
  int cores = (int)((double)quota / (double)period + 0.5);
  return cores < 1 ? 1 : cores;
}

int ff_cores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
#endif
  int quota = cgroup_cores();
  if (quota > 0 && quota < cores) cores = quota;
  return cores < 1 ? 1 : cores > 4096 ? 4096 : (int)cores;
}

typedef struct {
  void (*work)(void *, int);
  void *context;
  int index;
  int started;
  pthread_t thread;
} share;

static void *run_share(void *argument) {
  share *mine = argument;
  mine->work(mine->context, mine->index);
  return NULL;
}

void ff_parallel(int n_threads, void (*work)(void *context, int index), void *context) {
  share *shares = n_threads > 1 ? ff_calloc((size_t)n_threads, sizeof *shares) : NULL;
  if (shares == NULL) {
    for (int i = 0; i < n_threads; i++) work(context, i);
    return;
  }
  /* Only the thread that R runs in may receive an interrupt. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  for (int i = 1; i < n_threads; i++) {
    shares[i] = (share){.work = work, .context = context, .index = i};
    shares[i].started = pthread_create(&shares[i].thread, NULL, run_share, &shares[i]) == 0;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work(context, 0);
  for (int i = 1; i < n_threads; i++) {
    if (shares[i].started)
      pthread_join(shares[i].thread, NULL);
    else
      work(context, i);
  }
  free(shares);
}
