/* Registers the entries that R may call, from rglue/ffi_entries.h. */
#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include <Rinternals.h>

#define FFI_ARGS_0 void
#define FFI_ARGS_1 SEXP
#define FFI_ARGS_2 FFI_ARGS_1, SEXP
#define FFI_ARGS_3 FFI_ARGS_2, SEXP
#define FFI_ARGS_4 FFI_ARGS_3, SEXP
#define FFI_ARGS_5 FFI_ARGS_4, SEXP
#define FFI_ARGS_6 FFI_ARGS_5, SEXP
#define FFI_ARGS_7 FFI_ARGS_6, SEXP
#define FFI_ARGS_8 FFI_ARGS_7, SEXP
#define FFI_ARGS_9 FFI_ARGS_8, SEXP
#define FFI_ARGS_10 FFI_ARGS_9, SEXP
#define FFI_ARGS_11 FFI_ARGS_10, SEXP
#define FFI_ARGS_12 FFI_ARGS_11, SEXP

#define FFI_ENTRY(name, n) extern SEXP name(FFI_ARGS_##n);
#include "rglue/ffi_entries.h"
#undef FFI_ENTRY

static const R_CallMethodDef entries[] = {
#define FFI_ENTRY(name, n) {#name, (DL_FUNC)&name, n},
#include "rglue/ffi_entries.h"
#undef FFI_ENTRY
    {NULL, NULL, 0}};

attribute_visible void R_init_fireflip(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
