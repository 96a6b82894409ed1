/* Opens backends and lists their devices. */
#include "ffi_backend.h"

#include "ffi_values.h"

static void release(SEXP pointer) {
  ff_backend_close(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

/* Opens the shared object at a path and returns it as an external pointer. The pointer is made first, so that a later R error
 * leaks nothing. */
SEXP ffi_backend_open(SEXP path) {
  ff_error err;
  ff_backend_library *library;
  SEXP pointer = PROTECT(ffi_pointer(release, 1, R_NilValue));
  ffi_check(ff_backend_open(&library, ffi_path(path, "path"), &err), &err);
  R_SetExternalPtrAddr(pointer, library);
  UNPROTECT(1);
  return pointer;
}

static const ff_backend_library *library_of(SEXP pointer) {
  return TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
}

const ff_backend *ffi_backend_table(SEXP pointer) {
  ff_error err;
  const ff_backend *table;
  const ff_backend_library *library = library_of(pointer);
  if (library == NULL) {
    ff_error_set(&err, FF_EINTERNAL, "a backend was used that is not open");
    ffi_stop(&err);
  }
  ffi_check(ff_backend_table(library, &table, &err), &err);
  return table;
}

const void *ffi_backend_interface(SEXP pointer, const char *engine) {
  const ff_backend *table = ffi_backend_table(pointer);
  const void *out = table->interface(engine);
  if (out == NULL) {
    ff_error err;
    ff_error_set(&err, FF_EBACKEND, "the backend \"%s\" does not run models of this kind (%s)", table->name, engine);
    ffi_stop(&err);
  }
  return out;
}

const char *ffi_kernel(SEXP name) { return name == R_NilValue ? NULL : ffi_text(name, "kernel"); }

const char *ffi_cache(SEXP folder) { return folder == R_NilValue ? NULL : ffi_path(folder, "cache"); }

const uint32_t *ffi_device_numbers(SEXP devices) {
  static const char *const wanted = "numbers of devices, from 0";
  if (!ffi_is_number(devices)) ffi_stop_found(FFI_ARGUMENT, "devices", wanted, ffi_described(devices).text);
  const R_xlen_t n = Rf_xlength(devices);
  uint32_t *numbers = (uint32_t *)R_alloc((size_t)n + 1, sizeof *numbers);
  for (R_xlen_t i = 0; i < n; i++) numbers[i] = ffi_count_at(devices, i, 0, UINT32_MAX, FFI_ARGUMENT, "devices", wanted);
  return numbers;
}

SEXP ffi_device(const ff_ensemble_info *info, const char *lost) {
  static const char *const names[] = {"kernel", "reason", "threads", "blocks", "registers", "shared", "capacity", "bytes",
                                      "seconds", "lost", "gpus", "refused"};
  SEXP out = PROTECT(ffi_list(12, names));
  ffi_set(out, "kernel", Rf_mkString(info->kernel));
  ffi_set(out, "reason", Rf_mkString(info->reason));
  ffi_set(out, "threads", Rf_ScalarReal(info->threads));
  ffi_set(out, "blocks", Rf_ScalarReal(info->blocks));
  ffi_set(out, "registers", Rf_ScalarReal(info->registers));
  ffi_set(out, "shared", Rf_ScalarReal(info->shared_bytes));
  ffi_set(out, "capacity", Rf_ScalarReal((double)info->capacity));
  ffi_set(out, "bytes", Rf_ScalarReal((double)info->bytes));
  ffi_set(out, "seconds", Rf_ScalarReal(info->device_seconds));
  ffi_set(out, "lost", Rf_ScalarString(lost != NULL ? Rf_mkCharCE(lost, CE_UTF8) : NA_STRING));
  ffi_set(out, "gpus", Rf_ScalarReal(info->devices));
  ffi_set(out, "refused", Rf_ScalarReal((double)info->refused));
  UNPROTECT(1);
  return out;
}

int ffi_backend_may_free(SEXP pointer) {
  const ff_backend_library *library = library_of(pointer);
  return library != NULL && !ff_backend_forked(library);
}

/* All devices, in R's memory, so that an R error leaks nothing. */
static const ff_device *devices_of(const ff_backend *backend, uint32_t *n) {
  ff_error err;
  uint32_t capacity = 16;
  for (;;) {
    ff_device *devices = (ff_device *)R_alloc(capacity, sizeof *devices);
    ffi_check(backend->devices(devices, capacity, n, &err), &err);
    if (*n <= capacity) return devices;
    capacity = *n;
  }
}

/* Returns list(name, memory (bytes), compute_capability ("9.0"), processors, usable, why_not). Each element is a vector with one
 * entry per device. */
SEXP ffi_backend_devices(SEXP pointer) {
  static const char *const names[] = {"name", "memory", "compute_capability", "processors", "usable", "why_not"};
  static const SEXPTYPE types[] = {STRSXP, REALSXP, STRSXP, INTSXP, LGLSXP, STRSXP};
  uint32_t n;
  const ff_device *devices = devices_of(ffi_backend_table(pointer), &n);
  SEXP out = PROTECT(ffi_list(6, names));
  for (int i = 0; i < 6; i++) SET_VECTOR_ELT(out, i, Rf_allocVector(types[i], (R_xlen_t)n));
  for (uint32_t i = 0; i < n; i++) {
    const ff_device *d = &devices[i];
    char capability[32];
    snprintf(capability, sizeof capability, "%u.%u", (unsigned)d->major, (unsigned)d->minor);
    SET_STRING_ELT(VECTOR_ELT(out, 0), i, Rf_mkCharCE(d->name, CE_UTF8));
    REAL(VECTOR_ELT(out, 1))[i] = (double)d->memory;
    SET_STRING_ELT(VECTOR_ELT(out, 2), i, Rf_mkChar(capability));
    INTEGER(VECTOR_ELT(out, 3))[i] = (int)d->processors;
    LOGICAL(VECTOR_ELT(out, 4))[i] = d->usable != 0;
    SET_STRING_ELT(VECTOR_ELT(out, 5), i, Rf_mkCharCE(d->why_not, CE_UTF8));
  }
  UNPROTECT(1);
  return out;
}

/* Returns, for each device, why no code can be compiled for it at run time; "" if it can, or if the device is not usable. */
SEXP ffi_backend_compiles(SEXP pointer) {
  uint32_t n;
  const ff_backend *backend = ffi_backend_table(pointer);
  const ff_device *devices = devices_of(backend, &n);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
  for (uint32_t i = 0; i < n; i++) {
    ff_error err = {.text = ""};
    if (devices[i].usable) backend->compiles(devices + i, &err);
    SET_STRING_ELT(out, i, Rf_mkCharCE(err.text, CE_UTF8));
  }
  UNPROTECT(1);
  return out;
}
