/* Opens fake backends (fake_backend.c), which the Makefile puts in the folder of this program. Also checks the texts that the
 * CUDA backend contains. */
#define _DEFAULT_SOURCE /* readlink, fork */
#include "../../src/backend/ff_backend.h"

#include <sys/wait.h>
#include <unistd.h>

#include "../../src/cuda/runtime/ff_texts.h"
#include "check.h"

/* The path of a file in the folder of this program. */
static const char *beside(const char *name) {
  static char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 256);
  while (length > 0 && path[length - 1] != '/') length--;
  snprintf(path + (length > 0 ? length : 0), 256, "%s", name);
  return path;
}

static void refuses(const char *name, const char *part) {
  ff_error err = {FF_OK, ""};
  ff_backend_library *library = (ff_backend_library *)&err;
  ff_status status = ff_backend_open(&library, beside(name), &err);
  FF_CHECK_FAILS(status, FF_EBACKEND, &err, part);
  FF_CHECK(library == NULL);
  FF_CHECK(status == FF_OK || strstr(err.text, name) != NULL);
}

static void a_right_backend_opens(void) {
  ff_error err;
  ff_backend_library *library = NULL;
  const ff_backend *backend = NULL;
  FF_CHECK_OK(ff_backend_open(&library, beside("fake_right.so"), &err), &err);
  if (library == NULL) return;
  FF_CHECK_INT(ff_backend_forked(library), 0);
  FF_CHECK_OK(ff_backend_table(library, &backend, &err), &err);
  FF_CHECK_STR(backend->name, "fake");
  ff_device devices[2];
  uint32_t n = 0;
  FF_CHECK_OK(backend->devices(devices, 2, &n, &err), &err);
  FF_CHECK_INT(n, 3);
  FF_CHECK_STR(devices[1].name, "Fake Old");
  ff_backend_close(library);
  FF_CHECK_STR(backend->name, "fake"); /* the table remains valid after the handle is closed */
  ff_backend_close(NULL);
}

static void opening_twice_gives_one_table(void) {
  ff_error err;
  ff_backend_library *one = NULL, *two = NULL;
  const ff_backend *first = NULL, *second = NULL;
  FF_CHECK_OK(ff_backend_open(&one, beside("fake_right.so"), &err), &err);
  FF_CHECK_OK(ff_backend_open(&two, beside("fake_right.so"), &err), &err);
  if (one != NULL && two != NULL) {
    FF_CHECK_OK(ff_backend_table(one, &first, &err), &err);
    FF_CHECK_OK(ff_backend_table(two, &second, &err), &err);
    FF_CHECK(first == second);
  }
  ff_backend_close(one);
  ff_backend_close(two);
}

static void wrong_backends_are_refused(void) {
  refuses("fake_abi.so", "built for another version");
  refuses("fake_small.so", "built for another version");
  refuses("fake_build.so", "built for another version");
  refuses("fake_null.so", "built for another version");
  refuses("fake_noentry.so", "it has no function fireflip_backend");
  refuses("fake_that_is_not_there.so", "cannot be opened");
  ff_backend_library *library;
  FF_CHECK_INT(ff_backend_open(&library, beside("fake_abi.so"), NULL), FF_EBACKEND);
}

/* The child only calls the function, and its exit status is the result. */
static void a_forked_process_is_refused(void) {
  ff_error err;
  ff_backend_library *library = NULL;
  FF_CHECK_OK(ff_backend_open(&library, beside("fake_right.so"), &err), &err);
  if (library == NULL) return;
  pid_t child = fork();
  if (child == 0) {
    const ff_backend *backend = NULL;
    ff_status status = ff_backend_table(library, &backend, &err);
    int right = status == FF_EBACKEND && backend == NULL && strstr(err.text, "multisession") != NULL;
    _exit(right && ff_backend_forked(library) ? 42 : 1);
  }
  FF_CHECK(child > 0);
  int status = 0;
  FF_CHECK(child > 0 && waitpid(child, &status, 0) == child);
  FF_CHECK(WIFEXITED(status));
  FF_CHECK_INT(WEXITSTATUS(status), 42);
  const ff_backend *backend = NULL;
  FF_CHECK_OK(ff_backend_table(library, &backend, &err), &err); /* the parent can continue */
  ff_backend_close(library);
}

/* The embedded texts equal the files. Tests run in the top folder of the repository. */
static void texts_are_the_files(void) {
  const ff_text *text = ff_texts();
  FF_CHECK(text->name != NULL);
  for (; text->name != NULL; text++) {
    char path[512];
    snprintf(path, sizeof path, "src/%s", text->name);
    FILE *file = fopen(path, "rb");
    FF_CHECK_SAY(file != NULL, "%s", path);
    if (file == NULL) continue;
    size_t length = strlen(text->text);
    char *held = ff_calloc(length + 2, 1);
    size_t got = held != NULL ? fread(held, 1, length + 1, file) : 0;
    FF_CHECK_INT(got, length);
    FF_CHECK_SAY(held != NULL && strcmp(held, text->text) == 0, "%s", path);
    free(held);
    fclose(file);
  }
}

FF_TEST_MAIN("backend", a_right_backend_opens, opening_twice_gives_one_table, wrong_backends_are_refused,
             a_forked_process_is_refused, texts_are_the_files)
