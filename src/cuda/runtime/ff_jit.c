#define _GNU_SOURCE /* dladdr */
#include "ff_jit.h"

#include "../../base/ff_decimal.h"
#include "ff_code_cache.h"
#include "ff_compile.h"
#include "ff_expand.h"
#include "ff_sha256.h"
#include "ff_texts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COMPILER "fireflip_nvrtc" /* the program's file, in the folder of the object that contains this code */
#define PATH_ROOM 4096
#define ARCH_ROOM 40
#define LOOK_SECONDS 0.02         /* seconds between checks whether another process has compiled the code */
#define MOST_CHECKING 10          /* seconds */
#define MOST_WAITING 60           /* seconds: the other process may have been stopped */

typedef enum {
  WAITING,   /* another thread or process compiles the code */
  COMPILING, /* this object's process compiles the code */
  SETTLED    /* `outcome`, `reason` and `failed` hold the result */
} jit_state;

struct ff_jit {
  jit_state state;
  ff_jit_outcome outcome;
  ff_error failed; /* if its status is not FF_OK, every call returns this error */
  char reason[400];
  char *unit, *key;
  char arch[ARCH_ROOM];
  const char **options;
  int n_options;
  char *own_options;    /* copies of the caller's options */
  ff_code_cache *cache; /* NULL: no cache */
  int lock, has_lock;
  double since;         /* when waiting for another process began */
  ff_compile *compile;
  ff_module *module;
  int kept;
};

/* ---- the request -------------------------------------------------------------------------------------------------------- */

static void name_arch(char option[ARCH_ROOM], int arch) { snprintf(option, ARCH_ROOM, "--gpu-architecture=sm_%d", arch); }

static const char *const fixed_options[] = {"--std=c++17", "-fmad=false", "-default-device"};
#define N_FIXED 3

static ff_status copy_options(ff_jit *jit, const ff_jit_request *request, ff_error *err) {
  size_t bytes = 0;
  for (int i = 0; i < request->n_options; i++) bytes += strlen(request->options[i]) + 1;
  jit->options = ff_calloc((size_t)request->n_options + N_FIXED + 1, sizeof *jit->options);
  char *at = jit->own_options = ff_calloc(bytes, 1);
  if (jit->options == NULL || at == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  name_arch(jit->arch, request->arch);
  jit->options[jit->n_options++] = jit->arch;
  for (int i = 0; i < N_FIXED; i++) jit->options[jit->n_options++] = fixed_options[i];
  for (int i = 0; i < request->n_options; i++) {
    const size_t n = strlen(request->options[i]) + 1;
    memcpy(at, request->options[i], n);
    jit->options[jit->n_options++] = at;
    at += n;
  }
  return FF_OK;
}

/* Makes the key of the code: everything that determines it but the compiler, which the cache records separately. The key holds
 * the options, one per line, and the digest of the text. */
static ff_status make_key(ff_jit *jit, ff_error *err) {
  size_t bytes = 160, at = 0;
  char digest[65];
  for (int i = 0; i < jit->n_options; i++) bytes += strlen(jit->options[i]) + 1;
  jit->key = ff_calloc(bytes, 1);
  if (jit->key == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (int i = 0; i < jit->n_options; i++) at += (size_t)snprintf(jit->key + at, bytes - at, "%s\n", jit->options[i]);
  ff_sha256_hex(digest, 64, jit->unit, strlen(jit->unit));
  snprintf(jit->key + at, bytes - at, "text of %zu bytes, SHA-256 %s\n", strlen(jit->unit), digest);
  return FF_OK;
}

/* ---- the result ---------------------------------------------------------------------------------------------------------- */

static void drop_lock(ff_jit *jit) {
  if (jit->has_lock) ff_code_cache_unlock(jit->cache, jit->key, jit->lock);
  jit->has_lock = 0;
}

static void settle(ff_jit *jit, ff_jit_outcome outcome, const char *why) {
  jit->state = SETTLED;
  jit->outcome = outcome;
  snprintf(jit->reason, sizeof jit->reason, "%s%s", outcome == FF_JIT_UNAVAILABLE ? "no generated code: " : "", why);
  ff_compile_free(jit->compile);
  jit->compile = NULL;
  drop_lock(jit);
}

static ff_status fail(ff_jit *jit, ff_status status, const char *why, ff_error *err) {
  settle(jit, FF_JIT_UNAVAILABLE, why);
  ff_error_set(&jit->failed, status, "%s", why);
  return ff_error_set(err, status, "%s", why);
}

/* Loads compiled code. If the driver refuses it, the outcome is FF_JIT_UNAVAILABLE, not an error. */
static ff_status load(ff_jit *jit, const char *cubin, const char *note, ff_error *err) {
  ff_error why;
  ff_status status = ff_module_load(&jit->module, cubin, &why);
  if (status != FF_OK && status != FF_EARGUMENT) return fail(jit, status, why.text, err);
  settle(jit, status == FF_OK ? FF_JIT_LOADED : FF_JIT_UNAVAILABLE, status == FF_OK ? note : why.text);
  return FF_OK;
}

/* Returns 1 if the code is in the cache and the driver accepts it. */
static int load_kept(ff_jit *jit) {
  size_t bytes;
  char *cubin = jit->cache != NULL ? ff_code_cache_load(jit->cache, jit->key, ff_maker_is_there, &bytes) : NULL;
  jit->kept = cubin != NULL && ff_module_load(&jit->module, cubin, NULL) == FF_OK;
  free(cubin);
  if (jit->kept) settle(jit, FF_JIT_LOADED, "");
  return jit->kept;
}

static ff_status take_answer(ff_jit *jit, ff_error *err) {
  const ff_compile_answer a = ff_compile_get(jit->compile);
  ff_error note = {.text = ""};
  char why[FF_ERROR_TEXT];
  switch (a.outcome) {
  case FF_COMPILED:
    if (jit->cache != NULL) ff_code_cache_keep(jit->cache, jit->key, a.maker, a.content, a.bytes, &note);
    if (note.status == FF_OK && jit->cache == NULL) snprintf(note.text, sizeof note.text, "%s", jit->reason);
    return load(jit, a.content, note.text, err);
  case FF_COMPILED_WRONG:
    snprintf(why, sizeof why, "generated code does not compile: %.600s", a.content);
    return fail(jit, FF_EINTERNAL, why, err);
  case FF_COMPILED_UNAVAILABLE:
    break;
  }
  snprintf(why, sizeof why, "%.900s", a.content);
  settle(jit, FF_JIT_UNAVAILABLE, why);
  return FF_OK;
}

/* ---- compiling ---------------------------------------------------------------------------------------------------------- */

/* Writes the path of the compiler's program. It is in the folder of the shared object (in tests, the program) that contains this
 * code. */
static int find_compiler(char path[PATH_ROOM]) {
  static const char here = 0;
  Dl_info info;
  if (dladdr(&here, &info) == 0 || info.dli_fname == NULL) return 0;
  const char *slash = strrchr(info.dli_fname, '/');
  const int folder = slash != NULL ? (int)(slash - info.dli_fname) + 1 : 0;
  return snprintf(path, PATH_ROOM, "%.*s" COMPILER, folder, info.dli_fname) < PATH_ROOM;
}

static ff_status start_compiling(ff_jit *jit, ff_error *err) {
  char path[PATH_ROOM];
  ff_error why;
  const ff_compile_input input = {.options = jit->options, .n_options = jit->n_options, .text = jit->unit,
                                  .newest = ff_module_cuda()};
  ff_status status = find_compiler(path) ? ff_compile_start(&jit->compile, path, &input, &why)
                                         : ff_error_set(&why, FF_EBACKEND, "the program " COMPILER " was not found");
  if (status == FF_EBACKEND) {
    settle(jit, FF_JIT_UNAVAILABLE, why.text);
    return FF_OK;
  }
  if (status != FF_OK) return fail(jit, status, why.text, err);
  jit->state = COMPILING;
  return FF_OK;
}

/* Compiles, unless another process does. That process may have ended just now, so the cache is searched again. */
static ff_status compile_or_wait(ff_jit *jit, ff_error *err) {
  jit->state = WAITING;
  if (jit->cache != NULL) {
    jit->has_lock = ff_code_cache_lock(jit->cache, jit->key, &jit->lock);
    if (!jit->has_lock && ff_clock() < jit->since + MOST_WAITING) return FF_OK;
    if (load_kept(jit)) return FF_OK;
  }
  return start_compiling(jit, err);
}

static ff_status start(ff_jit *jit, const ff_jit_request *request, ff_error *err) {
  ff_error why;
  ff_status status = ff_expand(&jit->unit, ff_texts(), request->parts, request->n_parts, err);
  if (status == FF_OK) status = copy_options(jit, request, err);
  if (status == FF_OK) status = make_key(jit, err);
  if (status != FF_OK) return status;
  if (request->cache != NULL && ff_code_cache_open(&jit->cache, request->cache, &why) != FF_OK)
    snprintf(jit->reason, sizeof jit->reason, "%.300s", why.text); /* reported once the code is loaded */
  if (load_kept(jit)) return FF_OK;
  if (request->saves < request->price &&
      (jit->cache == NULL || ff_code_cache_saved(jit->cache, jit->key, request->saves) < request->price)) {
    char text[120];
    snprintf(text, sizeof text, "no generated code yet: it saves about %s s per run; compiling takes longer",
             ff_show(request->saves, 1).text);
    settle(jit, FF_JIT_NOT_WORTH_IT, text);
    return FF_OK;
  }
  jit->since = ff_clock();
  return compile_or_wait(jit, err);
}

ff_status ff_jit_start(ff_jit **out, const ff_jit_request *request, ff_error *err) {
  *out = NULL;
  ff_jit *jit = ff_calloc(1, sizeof *jit);
  if (jit == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  ff_status status = start(jit, request, err);
  if (status == FF_OK)
    *out = jit;
  else
    ff_jit_free(jit);
  return status;
}

/* ---- waiting ------------------------------------------------------------------------------------------------------------ */

/* Returns 0 if a signal ended the pause. */
static int pause_for(double seconds) {
  const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
  return nanosleep(&time, NULL) == 0;
}

static ff_status wait_for_compiler(ff_jit *jit, double seconds, ff_error *err) {
  int done;
  ff_error why;
  ff_status status = ff_compile_wait(jit->compile, seconds, &done, &why);
  if (status == FF_OK && done) return take_answer(jit, err);
  if (status == FF_EBACKEND) settle(jit, FF_JIT_UNAVAILABLE, why.text);
  return status == FF_OK || status == FF_EBACKEND ? FF_OK : fail(jit, status, why.text, err);
}

ff_status ff_jit_wait(ff_jit *jit, double seconds, ff_jit_outcome *outcome, ff_error *err) {
  const double stop = ff_clock() + seconds;
  ff_status status = FF_OK;
  while (status == FF_OK && jit->state == WAITING) {
    const double left = stop - ff_clock();
    status = compile_or_wait(jit, err);
    if (jit->state == WAITING && (left <= 0 || !pause_for(left < LOOK_SECONDS ? left : LOOK_SECONDS))) break;
  }
  if (status == FF_OK && jit->state == COMPILING) status = wait_for_compiler(jit, stop - ff_clock(), err);
  *outcome = jit->state == SETTLED ? jit->outcome : FF_JIT_COMPILING;
  return jit->failed.status == FF_OK ? status : ff_error_set(err, jit->failed.status, "%s", jit->failed.text);
}

const char *ff_jit_reason(const ff_jit *jit) { return jit->state == SETTLED ? jit->reason : ""; }

ff_module *ff_jit_module(const ff_jit *jit) { return jit->module; }

int ff_jit_kept(const ff_jit *jit) { return jit->kept; }

/* Waits for the answer, whatever signals arrive. */
static ff_status wait_for_answer(ff_compile *compile, ff_error *err) {
  const double stop = ff_clock() + MOST_CHECKING;
  int done = 0;
  ff_status status = FF_OK;
  while (status == FF_OK && !done && ff_clock() < stop) status = ff_compile_wait(compile, stop - ff_clock(), &done, err);
  if (status != FF_OK) return status;
  if (!done) return ff_error_set(err, FF_EUNSUPPORTED, "the run-time compiler does not answer");
  const ff_compile_answer a = ff_compile_get(compile);
  return a.outcome == FF_COMPILED ? FF_OK : ff_error_set(err, FF_EUNSUPPORTED, "%.900s", a.content);
}

ff_status ff_jit_check(int arch, ff_error *err) {
  char path[PATH_ROOM], option[ARCH_ROOM];
  const char *const options[] = {option};
  const ff_compile_input input = {.options = options, .n_options = 1, .newest = ff_module_cuda(),
                                  .text = "extern \"C\" __global__ void nothing() {}\n"};
  ff_compile *compile = NULL;
  ff_error why;
  name_arch(option, arch);
  if (!find_compiler(path)) return ff_error_set(err, FF_EUNSUPPORTED, "the program " COMPILER " was not found");
  ff_status status = ff_compile_start(&compile, path, &input, &why);
  if (status == FF_OK) status = wait_for_answer(compile, &why);
  ff_compile_free(compile);
  return status == FF_OK ? FF_OK : ff_error_set(err, FF_EUNSUPPORTED, "%s", why.text);
}

void ff_jit_free(ff_jit *jit) {
  if (jit == NULL) return;
  ff_compile_free(jit->compile);
  drop_lock(jit);
  ff_code_cache_close(jit->cache);
  ff_module_free(jit->module);
  free(jit->unit);
  free(jit->key);
  free(jit->options);
  free(jit->own_options);
  free(jit);
}
