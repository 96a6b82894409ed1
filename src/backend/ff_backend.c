#define _POSIX_C_SOURCE 200809L
#include "ff_backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ff_backend_library {
  const ff_backend *table;
  pid_t process; /* the process that opened it */
};

/* The entry function of an open object, or NULL. C does not allow a cast from void * to a function pointer, so the bytes are
 * copied. */
static ff_backend_entry entry_of(void *object) {
  ff_backend_entry entry = NULL;
  void *address = dlsym(object, FF_BACKEND_ENTRY);
  _Static_assert(sizeof entry == sizeof address, "POSIX: functions have addresses like data");
  memcpy(&entry, &address, sizeof entry);
  return entry;
}

static ff_status table_of(void *object, const char *path, const ff_backend **out, ff_error *err) {
  ff_backend_entry entry = entry_of(object);
  if (entry == NULL)
    return ff_error_set(err, FF_EBACKEND, "%s is not a backend of fireflip: it has no function %s", path, FF_BACKEND_ENTRY);
  const ff_backend *table = entry();
  if (table == NULL || table->abi != FF_BACKEND_ABI || table->size < sizeof *table ||
      strcmp(table->build, ff_backend_build()) != 0)
    return ff_error_set(err, FF_EBACKEND,
                        "%s was built for another version of fireflip: install the package again, then restart R", path);
  *out = table;
  return FF_OK;
}

ff_status ff_backend_open(ff_backend_library **out, const char *path, ff_error *err) {
  *out = NULL;
  ff_backend_library *library = ff_calloc(1, sizeof *library);
  if (library == NULL) return ff_error_set(err, FF_EMEMORY, "no memory to open a backend");
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == NULL) {
    const char *why = dlerror();
    free(library);
    return ff_error_set(err, FF_EBACKEND, "the backend cannot be opened: %s", why != NULL ? why : path);
  }
  ff_status status = table_of(object, path, &library->table, err);
  if (status != FF_OK) {
    dlclose(object);
    free(library);
    return status;
  }
  library->process = getpid();
  *out = library;
  return FF_OK;
}

void ff_backend_close(ff_backend_library *library) { free(library); }

ff_status ff_backend_table(const ff_backend_library *library, const ff_backend **out, ff_error *err) {
  if (ff_backend_forked(library))
    return ff_error_set(err, FF_EBACKEND,
                        "this process was forked from one that had already used the GPU, and CUDA does not work across a fork: "
                        "start new R processes instead, as future::plan(\"multisession\") or parallel::makeCluster() do");
  *out = library->table;
  return FF_OK;
}

int ff_backend_forked(const ff_backend_library *library) { return library->process != getpid(); }
