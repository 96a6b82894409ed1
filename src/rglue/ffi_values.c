#include "ffi_values.h"

#include <limits.h>
#include <string.h>

void ffi_stop_found(ffi_owner owner, const char *name, const char *wanted, const char *found) {
  static const char *const begins[FFI_OWNERS] = {"", "a network's ", "a reaction network's ", "the result was changed: its ",
                                                 "a Petri net's "};
  static const char *const ends[FFI_OWNERS] = {"", " (make networks with pbn() or read_network())",
                                               " (make reaction networks with reaction_network())", "",
                                               " (make Petri nets with petri_net())"};
  ff_error err;
  ff_error_set(&err, FF_EARGUMENT, "%s`%s` must be %s; found %s%s", begins[owner], name, wanted, found, ends[owner]);
  ffi_stop(&err);
}

ffi_description ffi_described(SEXP x) {
  ffi_description found;
  R_xlen_t n = Rf_xlength(x);
  if (n == 0)
    strcpy(found.text, "none");
  else if (TYPEOF(x) == STRSXP && n == 1 && STRING_ELT(x, 0) != NA_STRING)
    snprintf(found.text, sizeof found.text, "%s", ff_quote(CHAR(STRING_ELT(x, 0)), strlen(CHAR(STRING_ELT(x, 0)))).text);
  else if (TYPEOF(x) == LGLSXP && n == 1 && LOGICAL(x)[0] != NA_LOGICAL)
    strcpy(found.text, LOGICAL(x)[0] ? "TRUE" : "FALSE");
  else if (TYPEOF(x) == REALSXP && n == 1)
    strcpy(found.text, ff_show(REAL(x)[0], 15).text);
  else if (TYPEOF(x) == INTSXP && n == 1 && INTEGER(x)[0] != NA_INTEGER)
    snprintf(found.text, sizeof found.text, "%d", INTEGER(x)[0]);
  else
    snprintf(found.text, sizeof found.text, "a value of type \"%s\" and length %lld", Rf_type2char((SEXPTYPE)TYPEOF(x)),
             (long long)n);
  return found;
}

SEXP ffi_typed(SEXP x, SEXPTYPE type, R_xlen_t n, ffi_owner owner, const char *name, const char *wanted) {
  if ((SEXPTYPE)TYPEOF(x) != type || (n >= 0 && Rf_xlength(x) != n))
    ffi_stop_found(owner, name, wanted, ffi_described(x).text);
  return x;
}

/* bit64 stores whole numbers in the bits of doubles. */
static int is_coded(SEXP x) { return Rf_isObject(x) && (Rf_inherits(x, "factor") || Rf_inherits(x, "integer64")); }

const double *ffi_doubles(SEXP x, R_xlen_t n, ffi_owner owner, const char *name, const char *wanted) {
  if (is_coded(x)) ffi_stop_found(owner, name, wanted, "coded numbers, as those of a factor");
  if (TYPEOF(x) != INTSXP) return REAL(ffi_typed(x, REALSXP, n, owner, name, wanted));
  n = Rf_xlength(ffi_typed(x, INTSXP, n, owner, name, wanted));
  double *numbers = (double *)R_alloc((size_t)n + 1, sizeof *numbers);
  for (R_xlen_t i = 0; i < n; i++) numbers[i] = INTEGER(x)[i] == NA_INTEGER ? NA_REAL : INTEGER(x)[i];
  return numbers;
}

const int *ffi_flags(SEXP x, R_xlen_t n, ffi_owner owner, const char *name, const char *wanted) {
  const int *flags = LOGICAL(ffi_typed(x, LGLSXP, n, owner, name, wanted));
  n = Rf_xlength(x);
  for (R_xlen_t i = 0; i < n; i++) {
    char found[40];
    if (flags[i] != NA_LOGICAL) continue;
    snprintf(found, sizeof found, "NA at place %lld", (long long)i + 1);
    ffi_stop_found(owner, name, wanted, found);
  }
  return flags;
}

const char **ffi_texts(SEXP x, R_xlen_t n, int missing, ffi_owner owner, const char *name, const char *wanted) {
  n = Rf_xlength(ffi_typed(x, STRSXP, n, owner, name, wanted));
  const char **texts = (const char **)R_alloc((size_t)n + 1, sizeof *texts);
  for (R_xlen_t i = 0; i < n; i++) {
    SEXP string = STRING_ELT(x, i);
    const int is_na = string == NA_STRING;
    texts[i] = NULL;
    if (is_na && missing) continue;
    if (is_na || Rf_getCharCE(string) == CE_BYTES) {
      char found[80];
      snprintf(found, sizeof found, "%s at place %lld", is_na ? "NA" : "bytes that are no text", (long long)i + 1);
      ffi_stop_found(owner, name, wanted, found);
    }
    texts[i] = Rf_translateCharUTF8(string);
  }
  return texts;
}

int ffi_is_number(SEXP x) { return (TYPEOF(x) == INTSXP || TYPEOF(x) == REALSXP || TYPEOF(x) == LGLSXP) && !is_coded(x); }

double ffi_number_at(SEXP x, R_xlen_t i) {
  if (TYPEOF(x) == REALSXP) return REAL(x)[i];
  const int value = TYPEOF(x) == INTSXP ? INTEGER(x)[i] : LOGICAL(x)[i];
  return value == NA_INTEGER ? R_NaN : value;
}

uint32_t ffi_count_at(SEXP x, R_xlen_t i, double low, double high, ffi_owner owner, const char *name, const char *wanted) {
  const double value = ffi_number_at(x, i);
  if (value >= low && value <= high && value == (double)(uint32_t)value) return (uint32_t)value;
  char found[80];
  if (ISNAN(value))
    snprintf(found, sizeof found, "NA at place %lld", (long long)i + 1);
  else
    snprintf(found, sizeof found, "%s at place %lld", ff_show(value, 15).text, (long long)i + 1);
  ffi_stop_found(owner, name, wanted, found);
  return 0;
}

/* ---- single values ------------------------------------------------------------------------------------------------------ */

double ffi_number(SEXP x, const char *name) {
  if (!ffi_is_number(x) || Rf_xlength(x) != 1) ffi_stop_found(FFI_ARGUMENT, name, "one number", ffi_described(x).text);
  return ffi_number_at(x, 0);
}

uint64_t ffi_count(SEXP x, const char *name, double most) {
  const double value = ffi_number(x, name);
  if (!(value >= 0 && value <= most) || value != (double)(uint64_t)value) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, "one whole number from 0 to %s", ff_show(most, 17).text);
    ffi_stop_found(FFI_ARGUMENT, name, wanted, ffi_described(x).text);
  }
  return (uint64_t)value;
}

int ffi_int(SEXP x, const char *name) { return (int)ffi_count(x, name, INT_MAX); }

uint32_t ffi_uint(SEXP x, const char *name) { return (uint32_t)ffi_count(x, name, UINT32_MAX); }

int ffi_flag(SEXP x, const char *name) { return ffi_flags(x, 1, FFI_ARGUMENT, name, "TRUE or FALSE")[0]; }

const char *ffi_text(SEXP x, const char *name) { return ffi_texts(x, 1, 0, FFI_ARGUMENT, name, "one text")[0]; }

const char *ffi_path(SEXP x, const char *name) {
  static const char *const wanted = "the path of a file, one string";
  SEXP path = STRING_ELT(ffi_typed(x, STRSXP, 1, FFI_ARGUMENT, name, wanted), 0);
  if (path == NA_STRING) ffi_stop_found(FFI_ARGUMENT, name, wanted, "NA");
  return R_ExpandFileName(Rf_translateChar(path));
}

void ffi_listed(SEXP x, R_xlen_t n, const char *name) {
  if (TYPEOF(x) != VECSXP || Rf_xlength(x) < n) ffi_stop_found(FFI_ARGUMENT, name, "a list", ffi_described(x).text);
}

const char **ffi_sets(SEXP sets) { return ffi_texts(sets, -1, 0, FFI_ARGUMENT, "sets", "state sets as text"); }

uint32_t *ffi_nodes(SEXP numbers, R_xlen_t length, const char *name, uint32_t n) {
  ff_error err;
  if (!ffi_is_number(numbers) || (length >= 0 && Rf_xlength(numbers) != length)) {
    const char *wanted = length >= 0 ? "numbers of nodes, of the same length as the others" : "numbers of nodes";
    ffi_stop_found(FFI_ARGUMENT, name, wanted, ffi_described(numbers).text);
  }
  uint32_t *out = (uint32_t *)R_alloc((size_t)Rf_xlength(numbers) + 1, sizeof *out);
  for (R_xlen_t i = 0; i < Rf_xlength(numbers); i++) {
    const double number = ffi_number_at(numbers, i);
    if (!(number >= 1 && number <= n) || number != (double)(uint32_t)number)
      ffi_check(ff_error_set(&err, FF_EARGUMENT, "found the node %s; expected one from 1 to %u", ff_show(number, 15).text, n),
                &err);
    out[i] = (uint32_t)number - 1;
  }
  return out;
}
