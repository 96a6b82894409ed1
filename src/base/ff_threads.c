#define _GNU_SOURCE /* sched_getaffinity */
#include "ff_base.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
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

/* ---- teams -------------------------------------------------------------------------------------------------------------- */

#define SPINS 2000 /* looks at a counter before a thread sleeps: at most 0.1 ms */

typedef struct {
  ff_team *team;
  int index;
  unsigned last; /* the call before the first one that it sees */
  pthread_t thread;
} member;

struct ff_team {
  int threads, made; /* made: members besides the caller */
  pid_t process;     /* that has them; 0 before the first work */
  member *member;
  void (*work)(void *, int);
  void *context;
  atomic_uint call; /* the number of the present work */
  atomic_int left;  /* members that have not finished it */
  int ends;
  pthread_mutex_t lock;
  pthread_cond_t called, finished;
};

static inline void pause_a_little(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void wait_for_call(ff_team *t, unsigned last) {
  for (int i = 0; i < SPINS && atomic_load(&t->call) == last; i++) pause_a_little();
  if (atomic_load(&t->call) != last) return;
  pthread_mutex_lock(&t->lock);
  while (atomic_load(&t->call) == last) pthread_cond_wait(&t->called, &t->lock);
  pthread_mutex_unlock(&t->lock);
}

static void *serve(void *argument) {
  const member *mine = argument;
  ff_team *t = mine->team;
  for (unsigned last = mine->last;; last++) {
    wait_for_call(t, last);
    if (t->ends) return NULL;
    t->work(t->context, mine->index);
    if (atomic_fetch_sub(&t->left, 1) > 1) continue;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->finished);
    pthread_mutex_unlock(&t->lock);
  }
}

static void make_members(ff_team *t) {
  sigset_t all, before;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->called, NULL);
  pthread_cond_init(&t->finished, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  for (t->made = 0; t->made < t->threads - 1; t->made++) {
    member *next = &t->member[t->made];
    *next = (member){.team = t, .index = t->made + 1, .last = atomic_load(&t->call)};
    if (pthread_create(&next->thread, NULL, serve, next) != 0) break;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  t->process = getpid();
}

ff_status ff_team_new(ff_team **out, int n_threads, ff_error *err) {
  ff_team *t = *out = ff_calloc(1, sizeof *t);
  if (t != NULL) t->member = ff_calloc((size_t)n_threads, sizeof *t->member);
  if (t == NULL || t->member == NULL) {
    free(t);
    *out = NULL;
    return ff_error_set(err, FF_EMEMORY, "no memory for %d threads", n_threads);
  }
  t->threads = n_threads;
  return FF_OK;
}

static void call(ff_team *t) {
  pthread_mutex_lock(&t->lock);
  atomic_fetch_add(&t->call, 1);
  pthread_cond_broadcast(&t->called);
  pthread_mutex_unlock(&t->lock);
}

static void wait_for_members(ff_team *t) {
  for (int i = 0; i < SPINS && atomic_load(&t->left) > 0; i++) pause_a_little();
  pthread_mutex_lock(&t->lock);
  while (atomic_load(&t->left) > 0) pthread_cond_wait(&t->finished, &t->lock);
  pthread_mutex_unlock(&t->lock);
}

void ff_team_run(ff_team *t, void (*work)(void *, int), void *context) {
  if (t->threads > 1 && t->process != getpid()) make_members(t);
  t->work = work;
  t->context = context;
  if (t->made > 0) {
    atomic_store(&t->left, t->made);
    call(t);
  }
  work(context, 0);
  for (int i = t->made + 1; i < t->threads; i++) work(context, i);
  if (t->made > 0) wait_for_members(t);
}

void ff_team_free(ff_team *t) {
  if (t == NULL) return;
  if (t->made > 0 && t->process == getpid()) {
    t->ends = 1;
    call(t);
    for (int i = 0; i < t->made; i++) pthread_join(t->member[i].thread, NULL);
  }
  if (t->process == getpid()) { /* a fork has these as they were, perhaps with threads that wait */
    pthread_cond_destroy(&t->finished);
    pthread_cond_destroy(&t->called);
    pthread_mutex_destroy(&t->lock);
  }
  free(t->member);
  free(t);
}
