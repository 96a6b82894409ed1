#include "ff_stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_LAUNCH 0.02 /* seconds; a launch aims at half of the caller's time, or at all of it if that is below this limit */

static ff_ensemble *ensemble_of(ff_staged *s) { return (ff_ensemble *)s; }

void ff_stages_offer(ff_staged *s, const ff_runner *runner) {
  if (s->n_runners < FF_MOST_RUNNERS) s->runners[s->n_runners++] = runner;
}

int ff_runner_is(const ff_runner *runner, const char *name) { return name != NULL && strcmp(runner->kernel, name) == 0; }

const char *ff_stages_like(const ff_staged *s) {
  return s->options.like != NULL ? ((const ff_staged *)s->options.like)->info.kernel : NULL;
}

/* ---- stages ------------------------------------------------------------------------------------------------------------- */

static ff_status set_up(ff_staged *s, ff_error *err) {
  ff_status status = ff_cuda_check(cudaGetDeviceProperties(&s->device, (int)s->options.device), "reading its properties", err);
  if (status == FF_OK)
    status = ff_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "creating a stream", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&s->begin), "creating a timer", err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventCreate(&s->end), "creating a timer", err);
  return status;
}

/* The current runner refuses, for any reason. Then the next one is asked. The reasons of all runners are kept. */
static ff_stage refuse(ff_staged *s, const ff_error *why) {
  const ff_error before = s->refused;
  if (s->own != NULL) s->runner->release(ensemble_of(s));
  s->own = NULL;
  if (s->kind->refused != NULL) s->kind->refused(ensemble_of(s));
  s->refused = *why;
  if (before.status != FF_OK) ff_error_set(&s->refused, why->status, "%.400s; %.400s", before.text, why->text);
  return FF_STAGE_CHOOSE;
}

static ff_stage choose(ff_staged *s) {
  ff_error why;
  if (s->tried == s->n_runners) return FF_STAGE_FAILED;
  s->runner = s->runners[s->tried++];
  s->info.kernel = s->runner->kernel;
  return s->runner->prepare(ensemble_of(s), &why) == FF_OK ? FF_STAGE_PREPARE : refuse(s, &why);
}

static ff_stage prepare(ff_staged *s, double seconds) {
  ff_error why;
  int prepared = 1;
  if (s->runner->ready != NULL && s->runner->ready(ensemble_of(s), seconds, &prepared, &why) != FF_OK) return refuse(s, &why);
  return prepared ? FF_STAGE_ALLOCATE : FF_STAGE_PREPARE;
}

/* Memory is cleared and filled on the default stream, and the ensemble's stream does not wait for that one. */
static ff_stage allocate(ff_staged *s) {
  if (s->refused.status != FF_OK) { /* the reason why the previous runner refused */
    char first[sizeof s->info.reason];
    snprintf(first, sizeof first, "%s", s->info.reason);
    snprintf(s->info.reason, sizeof s->info.reason, "%.90s; %.150s", first, s->refused.text);
  }
  ff_status status = s->kind->allocate(ensemble_of(s), &s->refused);
  if (status == FF_OK) status = ff_cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "filling its memory", &s->refused);
  return status == FF_OK ? FF_STAGE_RUNS : FF_STAGE_FAILED;
}

/* Changes the stage, until the ensemble runs, has failed, or must wait for its runner. ff_stages_open() alone also calls
 * choose(). */
ff_status ff_stages_ready(ff_staged *s, double seconds, int *is, ff_error *err) {
  *is = 0;
  for (;;) {
    switch (s->stage) {
    case FF_STAGE_CHOOSE: s->stage = choose(s); break;
    case FF_STAGE_PREPARE:
      s->stage = prepare(s, seconds);
      if (s->stage == FF_STAGE_PREPARE) return FF_OK;
      break;
    case FF_STAGE_ALLOCATE: s->stage = allocate(s); break;
    case FF_STAGE_RUNS: *is = 1; return FF_OK;
    case FF_STAGE_FAILED: return ff_error_set(err, s->refused.status, "%s", s->refused.text);
    }
  }
}

/* A runner may be asked late, so texts are copied. */
static ff_status copy_texts(ff_staged *s, ff_error *err) {
  const char *const cache = s->options.cache, *const kernel = s->options.kernel;
  s->options.cache = s->cache = cache != NULL ? ff_strndup(cache, strlen(cache)) : NULL;
  s->options.kernel = s->kernel = kernel != NULL ? ff_strndup(kernel, strlen(kernel)) : NULL;
  if ((s->cache != NULL) == (cache != NULL) && (s->kernel != NULL) == (kernel != NULL)) return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for an ensemble");
}

ff_status ff_stages_open(ff_staged *s, const ff_error *none, ff_error *err) {
  ff_cuda_guard guard;
  s->info.kernel = "";
  if (s->n_runners == 0) s->refused = *none;
  ff_status status = ff_cuda_enter(&guard, s->options.device, err);
  if (status == FF_OK) status = copy_texts(s, err);
  if (status == FF_OK) status = set_up(s, err);
  while (status == FF_OK && s->stage == FF_STAGE_CHOOSE) s->stage = choose(s); /* what takes long is only begun here */
  if (status == FF_OK && s->stage == FF_STAGE_FAILED) status = ff_error_set(err, s->refused.status, "%s", s->refused.text);
  ff_cuda_leave(&guard);
  s->options.like = NULL; /* it may be freed first */
  return status;
}

void ff_stages_close(ff_staged *s) {
  ff_cuda_guard guard;
  ff_cuda_enter(&guard, s->options.device, NULL);
  if (s->stream != NULL) cudaStreamSynchronize(s->stream);
  if (s->runner != NULL && s->own != NULL) s->runner->release(ensemble_of(s));
  s->kind->give_back(ensemble_of(s));
  if (s->begin != NULL) cudaEventDestroy(s->begin);
  if (s->end != NULL) cudaEventDestroy(s->end);
  if (s->stream != NULL) cudaStreamDestroy(s->stream);
  cudaGetLastError();
  ff_cuda_leave(&guard);
  free(s->cache);
  free(s->kernel);
}

/* ---- launches ----------------------------------------------------------------------------------------------------------- */

ff_status ff_stages_wait(ff_staged *s, const char *doing, ff_error *err) {
  ff_status status = ff_cuda_check(cudaGetLastError(), doing, err);
  return status == FF_OK ? ff_cuda_check(cudaStreamSynchronize(s->stream), doing, err) : status;
}

ff_status ff_launch_begin(ff_staged *s, ff_error *err) {
  return ff_cuda_check(cudaEventRecord(s->begin, s->stream), "timing", err);
}

ff_status ff_launch_end(ff_staged *s, ff_error *err) {
  return ff_cuda_check(cudaEventRecord(s->end, s->stream), "timing", err);
}

ff_status ff_launch_lasted(ff_staged *s, const char *doing, double *seconds, ff_error *err) {
  float milliseconds = 0;
  ff_status status = ff_stages_wait(s, doing, err);
  if (status == FF_OK) status = ff_cuda_check(cudaEventElapsedTime(&milliseconds, s->begin, s->end), "timing", err);
  if (status != FF_OK) return status;
  *seconds = milliseconds / 1000.0;
  s->info.device_seconds += *seconds;
  return FF_OK;
}

/* The rest, if it is less, so that several devices end at the same time, and the caller does not wait long. */
double ff_launch_share(double seconds, double left) {
  const double share = seconds < LONG_LAUNCH ? seconds : seconds / 2;
  return left < share && left > 0 ? left : share;
}
