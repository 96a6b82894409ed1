#include "ffi_formula.h"

#include <string.h>

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
