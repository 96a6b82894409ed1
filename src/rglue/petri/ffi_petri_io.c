/* Reads Petri nets from files, and writes them. */
#include <stdlib.h>
#include <string.h>

#include "../../io/ff_io.h"
#include "../../io/petri/ff_io_petri_sbml.h"
#include "../../io/petri/ff_io_pnml.h"
#include "ffi_petri.h"

/* Returns list(model, format): the list of ffi_petri_list(), and the name of the format that was found. `text` is NULL or the
 * bytes of the file, as for ffi_read_network(). `constants` are numbers with names, or NULL, and `valueset` is a name, or NULL.
 * */
SEXP ffi_read_petri(SEXP path, SEXP format, SEXP text, SEXP constants, SEXP valueset) {
  static const char *const names[] = {"model", "format"}, *const numbers = "numbers with names";
  ff_error err;
  ff_petri *net;
  ff_format wanted = ffi_format(format), found = wanted;
  const char *file = ffi_path(path, "file");
  ff_io_petri_options options = {0};
  if (constants != R_NilValue && Rf_xlength(constants) > 0) {
    options.n_constants = (uint32_t)Rf_length(constants);
    options.value = ffi_doubles(constants, -1, FFI_ARGUMENT, "constants", numbers);
    options.constant =
        ffi_texts(Rf_getAttrib(constants, R_NamesSymbol), options.n_constants, 0, FFI_ARGUMENT, "constants", numbers);
  }
  if (valueset != R_NilValue) options.valueset = ffi_text(valueset, "valueset");
  SEXP holder = PROTECT(ffi_petri_holder());
  ff_status status = TYPEOF(text) == RAWSXP ? ff_io_parse_petri(&net, &found, (const char *)RAW(text), (size_t)Rf_xlength(text),
                                                                file, wanted, &options, &err)
                                            : ff_io_read_petri(&net, &found, file, wanted, &options, &err);
  ffi_check(status, &err);
  R_SetExternalPtrAddr(holder, net);
  SEXP out = PROTECT(ffi_list(2, names));
  ffi_set(out, "model", ffi_petri_list(net));
  ffi_set(out, "format", Rf_mkString(ff_format_name(found)));
  UNPROTECT(2);
  return out;
}

SEXP ffi_write_petri(SEXP model, SEXP path, SEXP format) {
  ff_format wanted = ffi_format(format);
  const char *file = ffi_path(path, "file");
  ff_error err;
  ff_petri *net;
  PROTECT(ffi_petri_hold(model, NULL, &net));
  ffi_check(ff_io_write_petri(net, file, wanted, &err), &err);
  UNPROTECT(1);
  return R_NilValue;
}

/* Writes the unfolded net as SBML. */
SEXP ffi_petri_write_sbml(SEXP model, SEXP path) {
  ff_error err;
  ff_reactions *net = NULL;
  ffi_petri_unfolded *u;
  const char *file = ffi_path(path, "file");
  PROTECT(ffi_petri_unfold(model, NULL, &u));
  ff_status status = ff_io_petri_reactions(&net, u->flat, &err);
  if (status == FF_OK) status = ff_io_write_reactions(net, file, FF_FORMAT_SBML, &err);
  ff_reactions_free(net);
  ffi_check(status, &err);
  UNPROTECT(1);
  return R_NilValue;
}

/* The text of the unfolded net in PNML. */
SEXP ffi_petri_pnml(SEXP model) {
  ff_error err;
  char *text;
  ffi_petri_unfolded *u;
  PROTECT(ffi_petri_unfold(model, NULL, &u));
  SEXP holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue)), out = PROTECT(Rf_allocVector(STRSXP, 1));
  ffi_check(ff_io_pnml_text(&text, u->flat, &err), &err);
  ffi_set_text(out, 0, text, R_BlankString, holder);
  UNPROTECT(3);
  return out;
}
