#include "ffi.h"

#include <R_ext/Rdynload.h>
#include <stdlib.h>
#include <string.h>

void ffi_stop(const ff_error *err) {
  /* R's allocations below may raise an error. Therefore err's text is copied first; err itself is not needed after that. */
  SEXP class = PROTECT(Rf_mkString(ff_status_name(err->status)));
  SEXP text = PROTECT(Rf_ScalarString(Rf_mkCharCE(err->text, CE_UTF8)));
  SEXP package = PROTECT(Rf_mkString("fireflip"));
  SEXP namespace = PROTECT(R_FindNamespace(package));
  SEXP call = PROTECT(Rf_lang3(Rf_install("core_error"), class, text));
  Rf_eval(call, namespace);
  UNPROTECT(5);
  Rf_error("%s", "core_error() returned"); /* it never returns; this makes sure that ffi_stop() does not either */
}

void ffi_check(ff_status status, const ff_error *err) {
  if (status != FF_OK) ffi_stop(err);
}

void *ffi_held(SEXP pointer, const char *what) {
  void *held = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
  ff_error err;
  if (held == NULL) ffi_check(ff_error_set(&err, FF_EINTERNAL, "%s was used after it was released", what), &err);
  return held;
}

void ffi_no_memory(const char *what) {
  ff_error err;
  ffi_check(ff_error_set(&err, FF_EMEMORY, "no memory for %s", what), &err);
}

ff_status ffi_parse_sets(ff_expr *sets, const char *const *texts, uint32_t n, const ff_pbn *pbn, ff_error *err) {
  ff_names *names;
  ff_status status = ff_names_new(&names, pbn->names, pbn->n_nodes, "nodes", err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++)
    status = ff_expr_parse(&sets[i], texts[i], strlen(texts[i]), ff_names_find, names, (ff_place){NULL, 0}, err);
  ff_names_free(names);
  return status;
}

/* The texts of ff_show_as_r(). */
SEXP ffi_number_texts(SEXP x, SEXP digits) {
  x = PROTECT(Rf_coerceVector(x, REALSXP));
  SEXP out = PROTECT(Rf_allocVector(STRSXP, Rf_xlength(x)));
  const int most = Rf_asInteger(digits);
  for (R_xlen_t i = 0; i < Rf_xlength(x); i++)
    SET_STRING_ELT(out, i, Rf_mkChar(ff_show_as_r(REAL(x)[i], most).text));
  UNPROTECT(2);
  return out;
}

void ffi_free_text(SEXP holder) {
  free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

/* Returns an external pointer that holds an R object and has no address. identical() compares only addresses, so any two such
 * pointers are identical, whatever objects they hold. saveRDS() saves the object. */
SEXP ffi_note(SEXP object) { return R_MakeExternalPtr(NULL, R_NilValue, object); }

/* Returns the object, or NULL if the argument is not an external pointer. */
SEXP ffi_noted(SEXP pointer) { return TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrProtected(pointer) : R_NilValue; }

SEXP ffi_list(int n, const char *const *names) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, n)), labels = PROTECT(Rf_allocVector(STRSXP, n));
  for (int i = 0; i < n; i++) SET_STRING_ELT(labels, i, Rf_mkChar(names[i]));
  Rf_setAttrib(out, R_NamesSymbol, labels);
  UNPROTECT(2);
  return out;
}

static R_xlen_t place_of(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  if (TYPEOF(list) != VECSXP || TYPEOF(names) != STRSXP) return -1;
  for (R_xlen_t i = 0; i < Rf_xlength(list) && i < Rf_xlength(names); i++)
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return i;
  return -1;
}

SEXP ffi_element(SEXP list, const char *name) {
  R_xlen_t i = place_of(list, name);
  return i < 0 ? R_NilValue : VECTOR_ELT(list, i);
}

void ffi_set(SEXP list, const char *name, SEXP value) {
  R_xlen_t i = place_of(list, name);
  if (i < 0) Rf_error("the list has no element \"%s\"", name);
  SET_VECTOR_ELT(list, i, value);
}

SEXP ffi_numbers(int n, const char *const *names, const double *values) {
  SEXP out = PROTECT(ffi_list(n, names));
  for (int i = 0; i < n; i++) SET_VECTOR_ELT(out, i, Rf_ScalarReal(values[i]));
  UNPROTECT(1);
  return out;
}

SEXP ffi_pointer(void (*release)(SEXP pointer), int at_exit, SEXP kept) {
  SEXP function = PROTECT(R_MakeExternalPtrFn((DL_FUNC)release, R_NilValue, R_NilValue));
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, function, kept));
  SEXP package = PROTECT(Rf_mkString("fireflip"));
  SEXP namespace = PROTECT(R_FindNamespace(package));
  SEXP finalizer = PROTECT(Rf_eval(Rf_install("finalize_pointer"), namespace));
  R_RegisterFinalizerEx(pointer, finalizer, at_exit ? TRUE : FALSE);
  UNPROTECT(5);
  return pointer;
}

/* Frees the object that a pointer from ffi_pointer() holds, without waiting for R's next garbage collection. */
SEXP ffi_release(SEXP pointer) {
  SEXP function = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrTag(pointer) : R_NilValue;
  if (TYPEOF(function) != EXTPTRSXP) return R_NilValue;
  void (*release)(SEXP) = (void (*)(SEXP))R_ExternalPtrAddrFn(function);
  if (release != NULL) release(pointer); /* NULL in a pointer that was saved to a file */
  return R_NilValue;
}

/* ---- texts and formulas of the core ------------------------------------------------------------------------------------- */

static int is_ascii(const char *text) {
  while (*text != '\0' && (unsigned char)*text < 0x80) text++;
  return *text == '\0';
}

void ffi_set_text(SEXP strings, R_xlen_t i, char *text, SEXP old, SEXP holder) {
  R_SetExternalPtrAddr(holder, text);
  if (strcmp(text, CHAR(old)) == 0 && (Rf_getCharCE(old) == CE_UTF8 || is_ascii(text))) {
    SET_STRING_ELT(strings, i, old);
  } else {
    ff_error err;
    if (strlen(text) > INT32_MAX)
      ffi_check(ff_error_set(&err, FF_ESIZE, "a formula has more text than R's strings take"), &err);
    SET_STRING_ELT(strings, i, Rf_mkCharCE(text, CE_UTF8));
  }
  ffi_free_text(holder);
}

void ffi_mark_named(int *used, const ff_formula *formula) {
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL) used[formula->word[i].symbol] = 1;
}
