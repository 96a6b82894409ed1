/* The columns of the data frames of a reaction network. */
#include "ffi_columns.h"

#include <string.h>

void ffi_stop_found(const char *what, const char *wanted, const char *found) {
  ff_error err;
  ff_error_set(&err, FF_EARGUMENT,
               "a reaction network's `%s` must be %s; found %s (make reaction networks with reaction_network())", what, wanted,
               found);
  ffi_stop(&err);
}

SEXP ffi_column_of(SEXP frame, const char *what, SEXPTYPE type, R_xlen_t n, const char *wanted) {
  const char *dollar = strrchr(what, '$');
  SEXP column = ffi_element(frame, dollar == NULL ? what : dollar + 1);
  if ((SEXPTYPE)TYPEOF(column) != type || (n >= 0 && Rf_xlength(column) != n))
    ffi_stop_found(what, wanted, ffi_described(column).text);
  return column;
}

const double *ffi_numbers_of(SEXP frame, const char *what, R_xlen_t n, const char *wanted) {
  const char *dollar = strrchr(what, '$');
  SEXP column = ffi_element(frame, dollar == NULL ? what : dollar + 1);
  if (TYPEOF(column) != INTSXP || Rf_inherits(column, "factor")) return REAL(ffi_column_of(frame, what, REALSXP, n, wanted));
  n = Rf_xlength(ffi_column_of(frame, what, INTSXP, n, wanted));
  double *numbers = (double *)R_alloc((size_t)n + 1, sizeof *numbers);
  for (R_xlen_t i = 0; i < n; i++) {
    const int number = INTEGER(column)[i];
    numbers[i] = number == NA_INTEGER ? NA_REAL : number;
  }
  return numbers;
}

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
