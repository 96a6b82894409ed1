/* The run-time compiler. ff_compile.c starts this program with one end of a socket as its standard input and output. It reads a
 * request (ff_compile_frame.h), compiles it with NVIDIA's library NVRTC, writes an answer, and ends. It also ends at once when
 * the other end of the socket closes, so it never outlives the process that started it. NVRTC cannot be interrupted, may crash,
 * and has static objects that must not be destroyed while it runs. In a separate process, none of this affects R. */
#define _GNU_SOURCE /* dlinfo, close_range */
#include "../runtime/ff_compile_frame.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES (64u << 20) /* stack size of the thread that compiles; long code is deeply nested */
#define OLDEST 12               /* the lowest major version of NVRTC that is used */

/* The functions and codes of NVRTC, as in nvrtc.h, which is therefore not needed (tests/cuda/jit.cu compares them). */
enum { NVRTC_FINE = 0, NVRTC_BAD_OPTION = 5, NVRTC_BAD_TEXT = 6 };

typedef struct {
  int (*version)(int *major, int *minor);
  int (*create)(void **program, const char *text, const char *name, int n, const char *const *headers, const char *const *names);
  int (*compile)(void *program, int n, const char *const *options);
  int (*log_size)(void *program, size_t *bytes);
  int (*log)(void *program, char *log);
  int (*cubin_size)(void *program, size_t *bytes);
  int (*cubin)(void *program, char *cubin);
  const char *(*error)(int code);
} nvrtc;

typedef struct {
  ff_frame_request head;
  char *bytes;          /* the bytes after the head */
  const char **options; /* point into `bytes` */
  const char *text;
} request;

/* ---- the socket --------------------------------------------------------------------------------------------------------- */

static int read_all(void *to, size_t bytes) {
  for (char *at = to; bytes > 0;) {
    ssize_t n = read(0, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += n;
    bytes -= (size_t)n;
  }
  return 1;
}

static void write_all(const void *from, size_t bytes) {
  for (const char *at = from; bytes > 0;) {
    ssize_t n = write(1, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(FF_COMPILER_LEFT);
    at += n;
    bytes -= (size_t)n;
  }
}

/* Splits the bytes after the head into options and text. Returns 0 if they do not agree with the head. */
static int split(request *r) {
  const char *at = r->bytes, *end = r->bytes + r->head.options;
  for (uint32_t i = 0; i < r->head.n_options; i++) {
    const char *stop = memchr(at, '\0', (size_t)(end - at));
    if (stop == NULL) return 0;
    r->options[i] = at;
    at = stop + 1;
  }
  r->text = end;
  return at == end && r->head.text > 0 && strlen(r->text) + 1 == r->head.text;
}

static int read_request(request *r) {
  if (!read_all(&r->head, sizeof r->head)) return FF_COMPILER_LEFT;
  const ff_frame_request *h = &r->head;
  if (h->mark != FF_FRAME_REQUEST || h->options > FF_FRAME_MOST || h->text > FF_FRAME_MOST || h->n_options > h->options)
    return FF_COMPILER_BAD_REQUEST;
  const size_t bytes = (size_t)(h->options + h->text);
  r->bytes = calloc(bytes + 1, 1);
  r->options = calloc((size_t)h->n_options + 1, sizeof *r->options);
  if (r->bytes == NULL || r->options == NULL) return FF_COMPILER_NO_MEMORY;
  if (!read_all(r->bytes, bytes)) return FF_COMPILER_LEFT;
  return ff_frame_sum(r->bytes, bytes) == h->sum && split(r) ? 0 : FF_COMPILER_BAD_REQUEST;
}

/* Writes the answer and ends the process without running NVRTC's destructors. Zeros after the maker keep the content aligned. */
static _Noreturn void answer(ff_compiled outcome, const char *maker, const char *content, size_t bytes) {
  const size_t maker_bytes = (strlen(maker) / 16 + 1) * 16;
  ff_frame_answer head = {.mark = FF_FRAME_ANSWER, .maker = maker_bytes, .content = bytes + 1, .outcome = outcome};
  char *frame = calloc(sizeof head + (size_t)(head.maker + head.content), 1);
  if (frame == NULL) _exit(FF_COMPILER_NO_MEMORY);
  memcpy(frame + sizeof head, maker, strlen(maker));
  memcpy(frame + sizeof head + head.maker, content, bytes);
  head.sum = ff_frame_sum(frame + sizeof head, (size_t)(head.maker + head.content));
  memcpy(frame, &head, sizeof head);
  write_all(frame, sizeof head + (size_t)(head.maker + head.content));
  _exit(0);
}

static _Noreturn void refuse(const char *why) { answer(FF_COMPILED_UNAVAILABLE, "", why, strlen(why)); }

/* ---- NVRTC -------------------------------------------------------------------------------------------------------------- */

static void *open_nvrtc(int newest) {
  char name[PATH_MAX];
  const char *home = getenv("CUDA_HOME");
  const char *const folders[] = {"", home != NULL ? home : "/usr/local/cuda", "/usr/local/cuda"};
  const char *const within[] = {"/lib64/", "/lib/"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
    for (int major = newest; major >= OLDEST; major--)
      for (int j = 0; j < (i == 0 ? 1 : 2); j++) {
        snprintf(name, sizeof name, "%s%slibnvrtc.so.%d", folders[i], i == 0 ? "" : within[j], major);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
      }
  return NULL;
}

static int find(void *library, const char *name, void *function) {
  void *at = dlsym(library, name);
  memcpy(function, &at, sizeof at);
  return at != NULL;
}

static void find_functions(nvrtc *n, void *library) {
  if (!find(library, "nvrtcVersion", &n->version) || !find(library, "nvrtcCreateProgram", &n->create) ||
      !find(library, "nvrtcCompileProgram", &n->compile) || !find(library, "nvrtcGetProgramLogSize", &n->log_size) ||
      !find(library, "nvrtcGetProgramLog", &n->log) || !find(library, "nvrtcGetCUBINSize", &n->cubin_size) ||
      !find(library, "nvrtcGetCUBIN", &n->cubin) || !find(library, "nvrtcGetErrorString", &n->error))
    refuse("the library libnvrtc.so lacks a function");
}

/* Writes the compiler's name. The name is empty if the library's file cannot be found. Code that is stored with an empty name is
 * not loaded again. */
static void name_maker(char maker[FF_MAKER_ROOM], const nvrtc *n, void *library) {
  struct link_map *map = NULL;
  char path[PATH_MAX];
  int major = 0, minor = 0;
  n->version(&major, &minor);
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || realpath(map->l_name, path) == NULL ||
      !ff_maker_name(maker, major, minor, path))
    maker[0] = '\0';
}

/* Returns the compiler's log. It is never freed, because the process ends soon. */
static const char *log_of(const nvrtc *n, void *program) {
  size_t bytes = 0;
  if (n->log_size(program, &bytes) != NVRTC_FINE) return "";
  char *log = calloc(bytes + 1, 1);
  return log != NULL && n->log(program, log) == NVRTC_FINE ? log : "";
}

static _Noreturn void refuse_options(const request *r, const char *log) {
  char why[2000];
  size_t at = (size_t)snprintf(why, sizeof why, "the run-time compiler does not accept its options:");
  for (uint32_t i = 0; i < r->head.n_options && at + strlen(r->options[i]) + 2 < sizeof why / 2; i++)
    at += (size_t)snprintf(why + at, sizeof why - at, " %s", r->options[i]);
  snprintf(why + at, sizeof why - at, "%s%.900s", log[0] != '\0' ? ": " : "", log);
  refuse(why);
}

static _Noreturn void compile(const request *r) {
  nvrtc n;
  char maker[FF_MAKER_ROOM], why[200];
  void *library = open_nvrtc((int)r->head.newest), *program = NULL;
  if (library == NULL) {
    snprintf(why, sizeof why, "the library libnvrtc.so.%d was not found (it is part of the CUDA toolkit)", (int)r->head.newest);
    refuse(why);
  }
  find_functions(&n, library);
  name_maker(maker, &n, library);
  int code = n.create(&program, r->text, "generated.cu", 0, NULL, NULL);
  if (code == NVRTC_FINE) code = n.compile(program, (int)r->head.n_options, r->options);
  if (code == NVRTC_BAD_OPTION) refuse_options(r, log_of(&n, program));
  if (code == NVRTC_BAD_TEXT) {
    const char *log = log_of(&n, program);
    answer(FF_COMPILED_WRONG, maker, log, strlen(log));
  }
  size_t bytes = 0;
  char *cubin = NULL;
  if (code == NVRTC_FINE) code = n.cubin_size(program, &bytes);
  if (code == NVRTC_FINE && (cubin = calloc(bytes + 1, 1)) == NULL) _exit(FF_COMPILER_NO_MEMORY);
  if (code == NVRTC_FINE) code = n.cubin(program, cubin);
  if (code == NVRTC_FINE) answer(FF_COMPILED, maker, cubin, bytes);
  snprintf(why, sizeof why, "the run-time compiler failed: %.100s", n.error(code));
  refuse(why);
}

static void *compile_apart(void *context) { compile(context); }

/* ---- the process -------------------------------------------------------------------------------------------------------- */

/* Closes the descriptors that the parent left open. This process must not keep them open. */
static void close_others(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
#endif
  for (int fd = 3; fd < 1024; fd++) close(fd);
}

int main(int argc, char **argv) {
  static const char about[] = "The R package fireflip starts this program to compile code for GPUs.\n";
  request r = {0};
  pthread_attr_t attributes;
  pthread_t thread;
  (void)argv;
  if (argc > 1) return write(2, about, sizeof about - 1) < 0;
  close_others();
  int wrong = read_request(&r);
  if (wrong) _exit(wrong);
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0 ||
      pthread_create(&thread, &attributes, compile_apart, &r) != 0)
    _exit(FF_COMPILER_NO_MEMORY);
  for (;;) { /* no more input is expected: the only event is the end of the stream */
    struct pollfd end = {.fd = 0, .events = POLLIN};
    char byte;
    if (poll(&end, 1, -1) <= 0) continue;
    ssize_t n = read(0, &byte, 1);
    if (n == 0 || (n < 0 && errno != EINTR)) _exit(FF_COMPILER_LEFT);
  }
}
