/* Access to a backend that R holds by an external pointer, for the other files of this folder. */
#ifndef FFI_BACKEND_H
#define FFI_BACKEND_H

#include "../backend/ff_backend.h"
#include "ffi.h"

/* The table of the backend that a pointer from ffi_backend_open() holds; valid as long as the process. Raises
 * fireflip_error_backend in a forked process. */
const ff_backend *ffi_backend_table(SEXP pointer);

/* The backend's interface for an engine; valid as long as the process. Raises fireflip_error_backend also if it has none. */
const void *ffi_backend_interface(SEXP pointer, const char *engine);

/* The name of a kernel, from an R string; NULL for R's NULL. Valid while `name` is protected. */
const char *ffi_kernel(SEXP name);

/* The folder for compiled code, from an R string; NULL for R's NULL. Valid until the .Call ends. */
const char *ffi_cache(SEXP folder);

/* Numbers of devices, from an R vector. Valid until the .Call ends. */
const uint32_t *ffi_device_numbers(SEXP devices);

/* Describes the devices that have run: list(kernel, reason, threads, blocks, registers, shared, capacity, bytes, seconds, lost).
 * `lost` is a text about the devices that failed, or NULL. The caller PROTECTs the list. */
SEXP ffi_device(const ff_ensemble_info *info, const char *lost);

/* Whether objects that the pointer's backend made may be freed. This is not so in a forked process. Raises no error, so that
 * finalizers can call it. */
int ffi_backend_may_free(SEXP pointer);

#endif
