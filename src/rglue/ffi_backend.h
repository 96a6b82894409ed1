/* What other glue files need of a backend that R holds by an external pointer. */
#ifndef FFI_BACKEND_H
#define FFI_BACKEND_H

#include "../backend/ff_backend.h"
#include "ffi.h"

/* The table behind a pointer that ffi_backend_open() made; raises fireflip_error_backend in a forked process. */
const ff_backend *ffi_backend_table(SEXP pointer);

/* Whether what the pointer's backend made may be freed: not in a forked process. For finalizers: raises nothing. */
int ffi_backend_may_free(SEXP pointer);

#endif
