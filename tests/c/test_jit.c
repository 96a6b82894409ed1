/* Tests compilation at run time, without a GPU: ff_jit.c and ff_compile.c with the program fireflip_nvrtc, with a fake NVRTC
 * (tests/cuda/fake_libraries.c), and with NVRTC itself if it is installed. pretend_module.h replaces the driver's part
 * (ff_module.cu). */
#define _GNU_SOURCE /* mkdtemp */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/cuda/pbn/ff_generate.h"
#include "../../src/cuda/runtime/ff_compile.h"
#include "../../src/cuda/runtime/ff_expand.h"
#include "../../src/cuda/runtime/ff_jit.h"
#include "../../src/cuda/ssa/data/ff_ssa_generic_kernel.h"
#include "files.h"
#include "nvrtc.h"
#include "pretend_module.h"
#include "rows.h"

#define LONG "30" /* seconds of a compilation that is ended early */

/* ---- a test's folder, and the requests ---------------------------------------------------------------------------------- */

static char compiler[PATH_ROOM]; /* path of fireflip_nvrtc */
static char folder[PATH_ROOM], log_path[PATH_ROOM + 8];

static void set_up(void) {
  snprintf(folder, sizeof folder, "/tmp/fireflip-jit-XXXXXX");
  FF_CHECK(mkdtemp(folder) != NULL);
  snprintf(log_path, sizeof log_path, "%s.log", folder);
  setenv("FAKE_LOG", log_path, 1);
}

static void tear_down(void) {
  static const char *const variables[] = {"FAKE_SECONDS", "FAKE_FAIL", "FAKE_CRASH", "REFUSE_CODE"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
  remove_folder(folder);
  unlink(log_path);
  FF_CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no child process remains, not even a zombie */
}

/* The number of compilations begun so far. */
static int compilations(void) {
  struct stat s;
  return stat(log_path, &s) == 0 ? (int)s.st_size : 0;
}

static void wait_for_compilations(int n) {
  while (compilations() < n) usleep(2000);
}

static ff_jit_request request_of(const char *const *parts, const char *cache) {
  const ff_jit_request out = {.parts = parts, .n_parts = 2, .arch = 90, .cache = cache, .saves = 1, .price = 0};
  return out;
}

static ff_status run_to_end(const ff_jit_request *request, ff_jit **jit, ff_jit_outcome *outcome, ff_error *err) {
  ff_status status = ff_jit_start(jit, request, err);
  *outcome = FF_JIT_COMPILING;
  while (status == FF_OK && *outcome == FF_JIT_COMPILING) status = ff_jit_wait(*jit, 0.2, outcome, err);
  return status;
}

/* The outcome for a text; *kept: whether it was in the cache. */
static ff_jit_outcome run(const char *text, const char *cache, double saves, double price, int *kept) {
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"first part\n", text};
  ff_jit_request request = request_of(parts, cache);
  request.saves = saves;
  request.price = price;
  FF_CHECK_OK(run_to_end(&request, &jit, &outcome, &err), &err);
  if (kept != NULL) *kept = jit != NULL && ff_jit_kept(jit);
  if (outcome == FF_JIT_LOADED) FF_CHECK(ff_jit_module(jit) != NULL && strstr(ff_jit_module(jit)->code, text) != NULL);
  if (outcome == FF_JIT_LOADED) FF_CHECK_STR(ff_jit_reason(jit), "");
  ff_jit_free(jit);
  return outcome;
}

static int loads(const char *text, const char *cache, int want_kept) {
  int kept;
  return run(text, cache, 1, 0, &kept) == FF_JIT_LOADED && kept == want_kept;
}

/* Starts a long compilation, and waits until the compiler has begun it. */
static ff_jit *start_long(const char *text, const char *cache) {
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"", text};
  const ff_jit_request request = request_of(parts, cache);
  const int before = compilations();
  setenv("FAKE_SECONDS", LONG, 1);
  FF_CHECK_OK(ff_jit_start(&jit, &request, &err), &err);
  FF_CHECK(jit != NULL && ff_jit_wait(jit, 0.01, &outcome, &err) == FF_OK && outcome == FF_JIT_COMPILING);
  wait_for_compilations(before + 1);
  unsetenv("FAKE_SECONDS");
  return jit;
}

/* ---- the tests ---------------------------------------------------------------------------------------------------------- */

static void the_compiler_gets_text_and_options(void) {
  set_up();
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const size_t length = 3000000; /* more than fits in a socket */
  char *long_part = ff_calloc(length + 1, 1);
  FF_CHECK(long_part != NULL);
  for (size_t i = 0; i < length; i++) long_part[i] = i % 100 == 99 ? '\n' : (char)('a' + i % 7);
  const char *const parts[] = {"#include \"base/ff_philox.h\"\n", long_part}, *const options[] = {"-DONE=1", "--two"};
  ff_jit_request request = request_of(parts, NULL);
  request.options = options;
  request.n_options = 2;
  FF_CHECK_OK(run_to_end(&request, &jit, &outcome, &err), &err);
  FF_CHECK_INT(outcome, FF_JIT_LOADED);
  if (outcome == FF_JIT_LOADED) {
    const char *code = ff_jit_module(jit)->code;
    static const char first[] = "code\n--gpu-architecture=sm_90\n--std=c++17\n-fmad=false\n-default-device\n"
                                "-DONE=1\n--two\ntypedef";
    FF_CHECK(strncmp(code, first, sizeof first - 1) == 0);
    FF_CHECK(strstr(code, "ff_philox_counter") != NULL && strstr(code, long_part) != NULL);
  }
  ff_jit_free(jit);
  free(long_part);
  tear_down();
}

static void code_is_kept(void) {
  char path[PATH_ROOM];
  set_up();
  FF_CHECK(loads("a", folder, 0) && compilations() == 1);
  FF_CHECK(loads("a", folder, 1) && compilations() == 1);
  /* without a folder it is compiled every time */
  FF_CHECK(loads("another", folder, 0) && loads("a", NULL, 0) && compilations() == 3);
  FF_CHECK_INT(find_files(folder, "", path), 2); /* no lock and no partial file remains */
  FF_CHECK(truncate(path, 60) == 0);
  FF_CHECK_INT(run("a", folder, 1, 0, NULL), FF_JIT_LOADED);
  FF_CHECK(run("another", folder, 1, 0, NULL) == FF_JIT_LOADED && compilations() == 4);
  FF_CHECK(loads("a", folder, 1) && loads("another", folder, 1));
  FF_CHECK(chmod(folder, 0770) == 0);
  FF_CHECK(find_files(folder, "", NULL) == 2 && compilations() == 4);
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"first part\n", "a"};
  const ff_jit_request request = request_of(parts, folder);
  FF_CHECK_OK(run_to_end(&request, &jit, &outcome, &err), &err); /* compiled, but not stored, with the reason */
  FF_CHECK(outcome == FF_JIT_LOADED && !ff_jit_kept(jit) && strstr(ff_jit_reason(jit), "others may write") != NULL);
  FF_CHECK_INT(compilations(), 5);
  ff_jit_free(jit);
  tear_down();
}

/* If the options, the device, the text or the compiler differ, the code differs. */
static void kept_code_is_of_its_key(void) {
  set_up();
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"first part\n", "a"}, *const options[] = {"-DONE=1"};
  ff_jit_request request = request_of(parts, folder);
  FF_CHECK(loads("a", folder, 0));
  for (int i = 0; i < 4; i++) {
    request.arch = i == 0 ? 80 : 90;
    request.options = options;
    request.n_options = i >= 2;
    FF_CHECK_OK(run_to_end(&request, &jit, &outcome, &err), &err);
    FF_CHECK_SAY(outcome == FF_JIT_LOADED && ff_jit_kept(jit) == i % 2, "%d", i); /* compiled first, then loaded */
    ff_jit_free(jit);
  }
  FF_CHECK_INT(compilations(), 3);
  char library[PATH_ROOM], copy[2 * PATH_ROOM], command[6 * PATH_ROOM];
  snprintf(library, sizeof library, "%s", getenv("LD_LIBRARY_PATH"));
  snprintf(copy, sizeof copy, "%s.library", folder);
  snprintf(command, sizeof command, "mkdir '%s' && cp '%s/libnvrtc.so.13' '%s'", copy, library, copy);
  FF_CHECK(system(command) == 0);
  setenv("LD_LIBRARY_PATH", copy, 1);
  FF_CHECK(loads("b", folder, 0) && loads("b", folder, 1));
  snprintf(command, sizeof command, "touch -d 2001-01-01 '%s/libnvrtc.so.13'", copy); /* another version was installed */
  FF_CHECK(system(command) == 0);
  FF_CHECK(loads("b", folder, 0) && loads("b", folder, 1));
  snprintf(command, sizeof command, "rm -r '%s'", copy);
  FF_CHECK(system(command) == 0);
  setenv("LD_LIBRARY_PATH", library, 1);
  FF_CHECK(loads("b", folder, 0) && loads("b", folder, 1));
  tear_down();
}

static void savings_add_up_to_the_price(void) {
  set_up();
  for (int i = 0; i < 3; i++) FF_CHECK_INT(run("c", folder, 0.3, 1, NULL), FF_JIT_NOT_WORTH_IT);
  FF_CHECK_INT(run("other", folder, 0.3, 1, NULL), FF_JIT_NOT_WORTH_IT); /* it has its own sum of savings */
  FF_CHECK(compilations() == 0 && find_files(folder, ".saved", NULL) == 2);
  FF_CHECK(run("c", folder, 0.3, 1, NULL) == FF_JIT_LOADED && compilations() == 1 && find_files(folder, ".saved", NULL) == 1);
  FF_CHECK(run("c", folder, 0.3, 1, NULL) == FF_JIT_LOADED && compilations() == 1);
  FF_CHECK(run("d", folder, 2, 1, NULL) == FF_JIT_LOADED);
  FF_CHECK(run("e", NULL, 0.3, 1, NULL) == FF_JIT_NOT_WORTH_IT && run("e", NULL, 0.9, 1, NULL) == FF_JIT_NOT_WORTH_IT);
  tear_down();
}

/* A text that does not compile is an error, which every further call returns again. */
static void what_does_not_compile_says_why(void) {
  set_up();
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"", "bad"};
  const ff_jit_request request = request_of(parts, folder);
  setenv("FAKE_FAIL", "6", 1);
  FF_CHECK_FAILS(run_to_end(&request, &jit, &outcome, &err), FF_EINTERNAL, &err, "does not compile: no, no!");
  for (int i = 0; i < 2; i++) {
    err.text[0] = '\0';
    FF_CHECK_FAILS(ff_jit_wait(jit, 10, &outcome, &err), FF_EINTERNAL, &err, "does not compile: no, no!");
    FF_CHECK(outcome != FF_JIT_LOADED && ff_jit_module(jit) == NULL);
  }
  ff_jit_free(jit);
  FF_CHECK_INT(find_files(folder, "", NULL), 0);
  unsetenv("FAKE_FAIL");
  FF_CHECK(loads("bad", folder, 0));
  tear_down();
}

static void check_unavailable(const char *text, const char *why) {
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"", text};
  const ff_jit_request request = request_of(parts, folder);
  FF_CHECK_OK(run_to_end(&request, &jit, &outcome, &err), &err);
  for (int i = 0; i < 2; i++) {
    FF_CHECK_INT(outcome, FF_JIT_UNAVAILABLE);
    if (jit != NULL) FF_CHECK_SAY(strstr(ff_jit_reason(jit), why) != NULL, "%s", ff_jit_reason(jit));
    FF_CHECK_OK(ff_jit_wait(jit, 1, &outcome, &err), &err);
  }
  ff_jit_free(jit);
}

static void what_cannot_be_had_is_an_outcome(void) {
  char aside[2 * PATH_ROOM], library[PATH_ROOM];
  ff_error err;
  set_up();
  FF_CHECK_OK(ff_jit_check(90, &err), &err);
  setenv("FAKE_CRASH", "1", 1);
  check_unavailable("a", "no generated code: the run-time compiler was ended by signal 9");
  FF_CHECK_FAILS(ff_jit_check(90, &err), FF_EUNSUPPORTED, &err, "was ended by signal 9");
  unsetenv("FAKE_CRASH");
  setenv("FAKE_FAIL", "5", 1);
  check_unavailable("a", "not accept its options: --gpu-architecture=sm_90 --std=c++17 -fmad=false -default-device: no, no!");
  setenv("FAKE_FAIL", "7", 1);
  check_unavailable("a", "the run-time compiler failed: FAKE_BUILTIN");
  FF_CHECK_FAILS(ff_jit_check(90, &err), FF_EUNSUPPORTED, &err, "FAKE_BUILTIN");
  unsetenv("FAKE_FAIL");
  setenv("REFUSE_CODE", "1", 1);
  check_unavailable("a", "the driver does not load");
  unsetenv("REFUSE_CODE");
  snprintf(library, sizeof library, "%s", getenv("LD_LIBRARY_PATH"));
  if (access("/usr/local/cuda/lib64/libnvrtc.so.13", F_OK) != 0 && access("/usr/local/cuda/lib64/libnvrtc.so.12", F_OK) != 0) {
    unsetenv("LD_LIBRARY_PATH");
    check_unavailable("b", "libnvrtc.so.13 was not found");
    setenv("LD_LIBRARY_PATH", library, 1);
  }
  snprintf(aside, sizeof aside, "%s.aside", compiler);
  FF_CHECK(rename(compiler, aside) == 0);
  check_unavailable("b", "does not start");
  FF_CHECK_FAILS(ff_jit_check(90, &err), FF_EUNSUPPORTED, &err, "fireflip_nvrtc does not start");
  FF_CHECK(symlink("/bin/true", compiler) == 0);
  check_unavailable("b", "ended with status 0, without an answer");
  FF_CHECK(unlink(compiler) == 0 && symlink("/bin/cat", compiler) == 0); /* returns its input */
  check_unavailable("b", "belongs to another version");
  FF_CHECK(unlink(compiler) == 0 && rename(aside, compiler) == 0);
  FF_CHECK(loads("b", folder, 0));
  tear_down();
}

/* Invalid requests to the compiler itself. */
static void bad_requests_are_refused(void) {
  set_up();
  char command[2 * PATH_ROOM];
  snprintf(command, sizeof command, "'%s' </dev/null", compiler);
  int status = system(command);
  FF_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == FF_COMPILER_LEFT);
  snprintf(command, sizeof command, "printf '%%0200d' 1 | '%s'", compiler);
  status = system(command);
  FF_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == FF_COMPILER_BAD_REQUEST);
  snprintf(command, sizeof command, "'%s' --help 2>/dev/null", compiler);
  FF_CHECK(system(command) == 0);
  tear_down();
}

/* ---- ending early ------------------------------------------------------------------------------------------------------- */

/* The process id of a child of this process; 0 if there is none. */
static pid_t find_child(void) {
  pid_t found = 0;
  DIR *list = opendir("/proc");
  for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
    char path[PATH_ROOM];
    int pid, parent;
    snprintf(path, sizeof path, "/proc/%.20s/stat", e->d_name);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%d %*s %*c %d", &pid, &parent) == 2 && parent == getpid()) found = pid;
    if (file != NULL) fclose(file);
  }
  if (list != NULL) closedir(list);
  return found;
}

static void freeing_ends_the_compiler(void) {
  set_up();
  ff_jit *jit = start_long("a", folder);
  ff_jit_free(jit);
  FF_CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
  jit = start_long("a", folder);
  const pid_t child = find_child();
  FF_CHECK(child > 0 && kill(child, SIGSTOP) == 0); /* it cannot notice that the socket is closed */
  ff_jit_free(jit);
  FF_CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
  FF_CHECK_INT(find_files(folder, "", NULL), 0); /* and no lock keeps others from compiling it */
  FF_CHECK(loads("a", folder, 0));
  tear_down();
}

/* Ctrl-C in a terminal goes to the foreground process group, to which the compiler does not belong. It ends a wait. */
static void interrupts_are_not_for_the_compiler(void) {
  set_up();
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  setenv("FAKE_SECONDS", "0.5", 1);
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"", "a"};
  const ff_jit_request request = request_of(parts, folder);
  const pid_t group = getpgrp();
  FF_CHECK(group == getpid() || setpgid(0, 0) == 0); /* a process group of its own, as a shell makes it for a job */
  sigaction(SIGINT, &ignore, &before);
  FF_CHECK_OK(ff_jit_start(&jit, &request, &err), &err);
  wait_for_compilations(1);
  FF_CHECK(kill(0, SIGINT) == 0); /* to the process group of this process */
  sigaction(SIGINT, &before, NULL);
  FF_CHECK(group == getpid() || setpgid(0, group) == 0);
  do FF_CHECK_OK(ff_jit_wait(jit, 0.2, &outcome, &err), &err);
  while (outcome == FF_JIT_COMPILING);
  FF_CHECK_SAY(outcome == FF_JIT_LOADED, "%s", ff_jit_reason(jit));
  ff_jit_free(jit);
  tear_down();
}

static ff_jit *left; /* still unfinished when a process ends */

/* In a child: begins a compilation, then ends in the way `how`. */
static void begin_and_end(int how) {
  setpgid(0, 0);
  left = start_long("left", folder);
  if (how == SIGKILL) raise(SIGKILL);
  if (how == SIGINT) raise(SIGINT);
  exit(left == NULL);
}

/* A compiler whose parent has ended becomes a child of this process, which sees that it ended for that reason. */
static void the_compiler_ends_with_its_parent(void) {
  static const int ways[] = {0, SIGKILL, SIGINT};
  set_up();
  FF_CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const pid_t child = fork();
    if (child == 0) begin_and_end(ways[i]);
    int status = 0, compilers = 0;
    for (pid_t ended; (ended = waitpid(-1, &status, 0)) > 0;) {
      if (ended == child) {
        FF_CHECK(ways[i] == 0 ? WIFEXITED(status) && WEXITSTATUS(status) == 0
                              : WIFSIGNALED(status) && WTERMSIG(status) == ways[i]);
        continue;
      }
      compilers++;
      FF_CHECK_SAY(WIFEXITED(status) && WEXITSTATUS(status) == FF_COMPILER_LEFT, "%d: status %x", ways[i], (unsigned)status);
    }
    FF_CHECK_INT(compilers, 1);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  FF_CHECK(loads("left", folder, 0)); /* the lock was released with them */
  tear_down();
}

/* Other code may already have collected the compiler's exit status, for example a handler of SIGCHLD. Then no process is killed,
 * because the process id may belong to another one. */
static void a_status_that_is_gone_is_no_harm(void) {
  set_up();
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGCHLD, &ignore, &before);
  FF_CHECK(loads("a", folder, 0));
  setenv("FAKE_CRASH", "1", 1);
  check_unavailable("b", "the run-time compiler ended without an answer");
  unsetenv("FAKE_CRASH");
  ff_jit_free(start_long("c", folder));
  sigaction(SIGCHLD, &before, NULL);
  tear_down();
}

/* ---- several processes -------------------------------------------------------------------------------------------------- */

static void *run_in_thread(void *context) {
  ff_jit *jit = NULL;
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"", "shared"};
  const ff_jit_request request = request_of(parts, folder);
  if (run_to_end(&request, &jit, &outcome, &err) == FF_OK && outcome == FF_JIT_LOADED)
    __atomic_fetch_add((int *)context, 1, __ATOMIC_SEQ_CST);
  ff_jit_free(jit);
  return NULL;
}

static void threads_share_one_compilation(void) {
  enum { THREADS = 6 };
  pthread_t threads[THREADS];
  int fine = 0;
  set_up();
  setenv("FAKE_SECONDS", "0.3", 1);
  for (int i = 0; i < THREADS; i++) FF_CHECK(pthread_create(&threads[i], NULL, run_in_thread, &fine) == 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  FF_CHECK(fine == THREADS && compilations() == 1);
  tear_down();
}

static void processes_share_one_compilation(void) {
  enum { PROCESSES = 4 };
  pid_t children[PROCESSES];
  set_up();
  setenv("FAKE_SECONDS", "0.3", 1);
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    if (children[i] != 0) continue;
    int fine = 0;
    run_in_thread(&fine);
    _exit(!fine);
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = 1;
    FF_CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
  }
  FF_CHECK_INT(compilations(), 1);
  tear_down();
}

/* If a process waits for the compilation of another process and that one is ended, the waiting process compiles. */
static void what_is_given_up_is_taken_over(void) {
  set_up();
  ff_jit *jit = NULL, *first = start_long("a", folder);
  ff_jit_outcome outcome;
  ff_error err;
  const char *const parts[] = {"", "a"};
  const ff_jit_request request = request_of(parts, folder);
  FF_CHECK_OK(ff_jit_start(&jit, &request, &err), &err);
  FF_CHECK(ff_jit_wait(jit, 0.1, &outcome, &err) == FF_OK && outcome == FF_JIT_COMPILING && compilations() == 1);
  ff_jit_free(first);
  do FF_CHECK_OK(ff_jit_wait(jit, 0.2, &outcome, &err), &err);
  while (outcome == FF_JIT_COMPILING);
  FF_CHECK(outcome == FF_JIT_LOADED && compilations() == 2);
  ff_jit_free(jit);
  tear_down();
}

/* ---- NVRTC itself ------------------------------------------------------------------------------------------------------- */

/* Compiles a text for compute capability 9.0. */
static int compile_by_nvrtc(const char *text, const char *part, int *holds) {
  return nvrtc_compile(compiler, "--gpu-architecture=sm_90", text, part, holds);
}

/* The code generated for a network, in the form that ff_generated.cu compiles. */
static char *generate(void) {
  static const net_shape shape = {.nodes = 25, .max_functions = 2, .max_parents = 4, .perturbation = 0.01};
  ff_error err;
  ff_pbn_program *program = NULL;
  ff_generated_text text = {0};
  char *unit = NULL;
  ff_pbn *pbn = net_random_make(&shape, 7);
  term_list c;
  if (pbn != NULL) choose_terms(&c, pbn, 7);
  if (pbn != NULL) FF_CHECK_OK(ff_pbn_program_new(&program, pbn, &c.observables, FF_LAYOUT_SLICED, &err), &err);
  if (program != NULL) FF_CHECK_OK(ff_generate(&text, program, &(ff_generate_shape){4, 4, 2}, &err), &err);
  const char *const parts[] = {text.definitions, "#include \"cuda/pbn/ff_generated.h\"\n", text.functions};
  if (text.functions != NULL) FF_CHECK_OK(ff_expand(&unit, ff_texts(), parts, 3, &err), &err);
  ff_generate_free(&text);
  ff_pbn_program_free(program);
  ff_pbn_free(pbn);
  return unit;
}

/* A kernel of each method that reads networks as data, for needs that differ. */
static void compile_generic(void) {
  static const uint32_t methods[] = {FF_SSA_FIRST, FF_SSA_NEXT, FF_SSA_OPTIMISED, FF_SSA_SORTING,
                                     FF_SSA_RSSA,  FF_SSA_PDM,  FF_SSA_PSSA_CR,   FF_SSA_BLOCK};
  for (uint32_t i = 0; i < 8; i++) {
    const int rows = ff_ssa_method_has_rows((int)methods[i]), timed = i == 0, together = i == 1;
    const ff_ssa_generic_need need = {.method = methods[i], .formulas = !rows && i % 3 == 1, .several = i > 3, .scheduled = timed,
                                      .follows = i % 4 == 3, .together = together};
    char text[FF_SSA_GENERIC_TEXT], *unit;
    const char *const part = text;
    int holds;
    ff_error err;
    ff_ssa_generic_text(text, &need);
    FF_CHECK_OK(ff_expand(&unit, ff_texts(), &part, 1, &err), &err);
    const char *const name = ff_ssa_generic_has_threads(&need) ? "s_threads" : "s_kernel";
    if (unit != NULL) FF_CHECK(compile_by_nvrtc(unit, name, &holds) == FF_COMPILED && holds);
    free(unit);
  }
}

static void nvrtc_compiles_a_generated_kernel(void) {
  int holds;
  const char *hidden = getenv("LD_LIBRARY_PATH");
  char library[PATH_ROOM];
  set_up();
  snprintf(library, sizeof library, "%s", hidden);
  unsetenv("LD_LIBRARY_PATH");
  const int outcome = compile_by_nvrtc("extern \"C\" __global__ void g_small(int *x) { *x = 1; }\n", "was not found", &holds);
  char *unit = outcome == FF_COMPILED ? generate() : NULL;
  if (unit != NULL) FF_CHECK(compile_by_nvrtc(unit, "g_kernel", &holds) == FF_COMPILED && holds);
  free(unit);
  if (outcome == FF_COMPILED) compile_generic();
  if (outcome == FF_COMPILED) { /* the message names the text */
    static const ff_text texts[] = {{"base/wrong.h", "\n\nint x = ;\n"}, {NULL, NULL}};
    static const char *const part = "#include \"base/wrong.h\"\n";
    ff_error err;
    FF_CHECK_OK(ff_expand(&unit, texts, &part, 1, &err), &err);
    if (unit != NULL) FF_CHECK(compile_by_nvrtc(unit, "src/base/wrong.h(3): error", &holds) == FF_COMPILED_WRONG && holds);
    free(unit);
  }
  setenv("LD_LIBRARY_PATH", library, 1);
  tear_down();
  if (outcome == FF_COMPILED_UNAVAILABLE && holds) FF_SKIP("NVRTC is not here");
  FF_CHECK_INT(outcome, FF_COMPILED);
}

/* Finds the compiler in the folder of this program, and the fake library in build/fake. */
static int find_places(const char *self) {
  char path[PATH_ROOM], fake[2 * PATH_ROOM];
  if (realpath(self, path) == NULL) return 0;
  *strrchr(path, '/') = '\0';
  snprintf(compiler, sizeof compiler, "%.400s/fireflip_nvrtc", path);
  *strrchr(path, '/') = '\0';
  snprintf(fake, sizeof fake, "%s/fake", path);
  setenv("LD_LIBRARY_PATH", fake, 1);
  return access(compiler, X_OK) == 0;
}

#define main tests_main
FF_TEST_MAIN("jit", the_compiler_gets_text_and_options, code_is_kept, kept_code_is_of_its_key, savings_add_up_to_the_price,
             what_does_not_compile_says_why, what_cannot_be_had_is_an_outcome, bad_requests_are_refused,
             freeing_ends_the_compiler, interrupts_are_not_for_the_compiler, the_compiler_ends_with_its_parent,
             a_status_that_is_gone_is_no_harm,
             threads_share_one_compilation, processes_share_one_compilation, what_is_given_up_is_taken_over,
             nvrtc_compiles_a_generated_kernel)
#undef main
int main(int argc, char **argv) {
  if (find_places(argv[0])) return tests_main(argc, argv);
  printf("fireflip_nvrtc is not beside %s\njit: 0 passed, 1 failed\n", argv[0]);
  return 1;
}
