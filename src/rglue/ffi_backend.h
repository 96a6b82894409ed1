/* What other glue files need of a backend that R holds by an external pointer. */
#ifndef FFI_BACKEND_H
#define FFI_BACKEND_H

#include "../backend/ff_backend.h"
#include "ffi.h"

/* The table behind a pointer that ffi_backend_open() made; raises fireflip_error_backend in a forked process. */
const ff_backend *ffi_backend_table(SEXP pointer);

/* Its interface for an engine; raises fireflip_error_backend also where it has none. */
const void *ffi_backend_interface(SEXP pointer, const char *engine);

/* A kernel's name from R, or NULL for NULL. */
const char *ffi_kernel(SEXP name);

/* Whether what the pointer's backend made may be freed: not in a forked process. For finalizers: raises nothing. */
int ffi_backend_may_free(SEXP pointer);

#endif
