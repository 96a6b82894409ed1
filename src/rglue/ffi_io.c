/* Reads networks from files and writes them. */
#include "ffi_values.h"

#include <string.h>

ff_format ffi_format(SEXP format) {
  static const ff_format formats[] = {FF_FORMAT_AUTO, FF_FORMAT_ASSA, FF_FORMAT_BOOLNET, FF_FORMAT_BNET,  FF_FORMAT_SBML,
                                      FF_FORMAT_BNGL, FF_FORMAT_ANDL, FF_FORMAT_CANDL,   FF_FORMAT_SNOOPY};
  const char *name = ffi_text(format, "format");
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(name, ff_format_name(formats[i])) == 0) return formats[i];
  ff_error err;
  ff_error_set(&err, FF_EARGUMENT, "`format` must be \"auto\", \"pbn\", \"boolnet\", \"bnet\", \"sbml\", \"bngl_net\", "
               "\"andl\", \"candl\" or \"snoopy\"");
  ffi_stop(&err);
  return FF_FORMAT_AUTO;
}

/* The names in a character vector, which must differ, valid until the .Call ends; NULL if `names` is no such vector. */
static char **texts_given(SEXP names, const char *argument) {
  return TYPEOF(names) == STRSXP ? (char **)ffi_texts(names, -1, 0, FFI_ARGUMENT, argument, "named by species") : NULL;
}

/* Returns list(reactions, rate, value, species, count) on the laws that may be negative (ff_reactions_negative()), or NULL: the
 * names of the reactions, and for the first of them its rate and its value in a state, which the other two tell. */
static SEXP negative_laws(const ff_reactions *net) {
  static const char *const names[] = {"reactions", "rate", "value", "species", "count"};
  ff_error err;
  ff_negative_law first;
  char *text;
  uint8_t *negative = (uint8_t *)R_alloc((size_t)net->n_reactions + 1, 1);
  double *count = (double *)R_alloc((size_t)net->n_species + 1, sizeof *count);
  ffi_check(ff_reactions_negative(negative, &first, count, net, &err), &err);
  R_xlen_t n = 0, named = 0, at = 0;
  for (uint32_t r = 0; r < net->n_reactions; r++) n += negative[r];
  if (n == 0) return R_NilValue;
  SEXP out = PROTECT(ffi_list(5, names)), holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  SEXP reactions = Rf_allocVector(STRSXP, n);
  ffi_set(out, "reactions", reactions);
  for (uint32_t r = 0; r < net->n_reactions; r++)
    if (negative[r]) SET_STRING_ELT(reactions, at++, Rf_mkCharCE(net->reactions[r].name, CE_UTF8));
  SEXP rate = Rf_allocVector(STRSXP, 1);
  ffi_set(out, "rate", rate);
  ffi_check(ff_formula_text(&text, &net->reactions[first.reaction].rate, net->names, &err), &err);
  ffi_set_text(rate, 0, text, R_BlankString, holder);
  ffi_set(out, "value", Rf_ScalarReal(first.value));
  for (uint32_t i = 0; i < net->n_species; i++) named += !ISNAN(count[i]);
  SEXP species = Rf_allocVector(STRSXP, named);
  ffi_set(out, "species", species);
  SEXP counts = Rf_allocVector(REALSXP, named);
  ffi_set(out, "count", counts);
  named = 0;
  for (uint32_t i = 0; i < net->n_species; i++) {
    if (ISNAN(count[i])) continue;
    SET_STRING_ELT(species, named, Rf_mkCharCE(net->names[i], CE_UTF8));
    REAL(counts)[named++] = count[i];
  }
  UNPROTECT(2);
  return out;
}

/* ---- what becomes a Petri net ---------------------------------------------------------------------------------------------- */

static SEXP levels_of(const ff_reactions *net) {
  SEXP out = Rf_allocVector(LGLSXP, net->n_species);
  for (uint32_t i = 0; i < net->n_species; i++) LOGICAL(out)[i] = net->real[i];
  return out;
}

static SEXP flows_of(const ff_reactions *net) {
  SEXP out = Rf_allocVector(LGLSXP, net->n_reactions);
  for (uint32_t r = 0; r < net->n_reactions; r++) LOGICAL(out)[r] = net->reactions[r].flows;
  return out;
}

/* Returns list(reaction, species, role, weight) of all participants of the reactions that have weights, in the order and with the
 * numbers of ffi_reactions_arrows(). */
static SEXP weights_of(const ff_reactions *net) {
  static const char *const names[] = {"reaction", "species", "role", "weight"};
  R_xlen_t n = 0, at = 0;
  for (uint32_t r = 0; r < net->n_reactions; r++)
    if (net->reactions[r].weight != NULL) n += (R_xlen_t)net->reactions[r].n_reactants + net->reactions[r].n_products;
  SEXP out = PROTECT(ffi_list(4, names));
  for (int k = 0; k < 3; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(INTSXP, n));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, n));
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    for (uint32_t k = 0; reaction->weight != NULL && k < reaction->n_reactants + reaction->n_products; k++, at++) {
      const int product = k >= reaction->n_reactants;
      const ff_participant *of = product ? &reaction->products[k - reaction->n_reactants] : &reaction->reactants[k];
      INTEGER(VECTOR_ELT(out, 0))[at] = (int)r + 1;
      INTEGER(VECTOR_ELT(out, 1))[at] = (int)of->species + 1;
      INTEGER(VECTOR_ELT(out, 2))[at] = product ? 2 : 1;
      REAL(VECTOR_ELT(out, 3))[at] = reaction->weight[k];
    }
  }
  UNPROTECT(1);
  return out;
}

/* The names of the reactions whose rates were those of both directions and that are two reactions now, or NULL. */
static SEXP split_names(ff_reactions *net) {
  const uint32_t before = net->n_reactions;
  SEXP reverse = PROTECT(ffi_split(net));
  SEXP out = net->n_reactions == before ? R_NilValue : Rf_allocVector(STRSXP, net->n_reactions - before);
  PROTECT(out);
  R_xlen_t n = 0;
  for (uint32_t r = 1; r < net->n_reactions; r++)
    if (LOGICAL(reverse)[r]) SET_STRING_ELT(out, n++, Rf_mkCharCE(net->reactions[r - 1].name, CE_UTF8));
  UNPROTECT(2);
  return out;
}

/* The names of the reactions whose rates count pairs now, or NULL. */
static SEXP pair_names(ff_reactions *net) {
  ff_error err;
  uint8_t *counted = (uint8_t *)R_alloc((size_t)net->n_reactions + 1, 1);
  R_xlen_t n = 0, at = 0;
  ffi_check(ff_reactions_count_pairs(net, counted, &err), &err);
  for (uint32_t r = 0; r < net->n_reactions; r++) n += counted[r];
  if (n == 0) return R_NilValue;
  SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
  for (uint32_t r = 0; r < net->n_reactions; r++)
    if (counted[r]) SET_STRING_ELT(out, at++, Rf_mkCharCE(net->reactions[r].name, CE_UTF8));
  UNPROTECT(1);
  return out;
}

/* Returns list(species, n): the name of the first species that was rounded to 0, and how many there are. */
static SEXP lost_species(const ff_io_model *model) {
  static const char *const names[] = {"species", "n"};
  SEXP out = PROTECT(ffi_list(2, names)), species = Rf_allocVector(STRSXP, 1);
  ffi_set(out, "species", species);
  SET_STRING_ELT(species, 0, Rf_mkCharCE(model->reactions->names[model->first_lost], CE_UTF8));
  ffi_set(out, "n", Rf_ScalarInteger((int)model->n_lost));
  UNPROTECT(1);
  return out;
}

/* `amounts` has four numbers: whether amounts become counts, the items in a unit or 0, the size of compartments or 0, and whether
 * counts are rounded. */
static void take_amounts(ff_io_given *how, SEXP amounts) {
  const double *x = ffi_doubles(amounts, 4, FFI_ARGUMENT, "amounts", "four numbers");
  how->converts = x[0] != 0;
  how->particles = x[1];
  how->volume = x[2];
  how->rounds = x[3] != 0;
}

/* Returns list(model, format, class, unit, factor, pairs, lost, split, negative, levels, flows, weights, marked): the list that
 * ffi_pbn_list() or ffi_reactions_list() makes, the name of the format that was found, "pbn", "reaction_network" or "petri_net",
 * the unit of amounts (ff_io.h), how many items it has if they became counts, the reactions whose rates count pairs since then,
 * what was rounded to 0, the reactions that became two, which only happens if `split` is TRUE, the laws that may be negative, and
 * what becomes of a network in a Petri net (ff_reactions.h), else NULL. take_amounts() tells what `amounts` is.
 * `text` is NULL or the bytes of the file; in the second case `path` is only its name. `given` is NULL or the names, all
 * different, of species whose initial counts R sets afterwards (ff_io_given). `levels` is NULL, or the network becomes a Petri
 * net, and these are names of species that are levels; TRUE for all of them. Of a Petri net, `model` is NULL: ffi_read_petri()
 * reads it. */
SEXP ffi_read_network(SEXP path, SEXP format, SEXP text, SEXP given, SEXP levels, SEXP split, SEXP amounts) {
  static const char *const names[] = {"model", "format",   "class",  "unit",  "factor",  "pairs", "lost",
                                      "split", "negative", "levels", "flows", "weights", "marked"};
  const int splits = ffi_flag(split, "split");
  ff_format wanted = ffi_format(format), found = wanted;
  const char *file = ffi_path(path, "file");
  SEXP pbn = PROTECT(ffi_pbn_holder()), reactions = PROTECT(ffi_reactions_holder());
  ff_error err;
  ff_io_model model;
  ff_io_given how = {.flows = levels != R_NilValue, .all_levels = TYPEOF(levels) == LGLSXP};
  take_amounts(&how, amounts);
  char **counts = texts_given(given, "initial"), **real = texts_given(levels, "continuous");
  ff_status status = counts != NULL ? ff_names_new(&how.counts, counts, (uint32_t)Rf_length(given), "species", &err) : FF_OK;
  if (status == FF_OK && real != NULL)
    status = ff_names_new(&how.levels, real, (uint32_t)Rf_length(levels), "species", &err);
  if (status != FF_OK) ff_names_free(how.counts);
  ffi_check(status, &err);
  if (TYPEOF(text) == RAWSXP)
    status = ff_io_parse_given(&model, &found, (const char *)RAW(text), (size_t)Rf_xlength(text), file, wanted, &how, &err);
  else
    status = ff_io_read_given(&model, &found, file, wanted, &how, &err);
  ff_names_free(how.counts);
  ff_names_free(how.levels);
  ff_petri_free(model.petri);
  R_SetExternalPtrAddr(pbn, model.pbn);
  R_SetExternalPtrAddr(reactions, model.reactions);
  ffi_check(status, &err);
  const int is_petri = model.pbn == NULL && model.reactions == NULL;
  SEXP out = PROTECT(ffi_list(13, names));
  if (model.n_lost > 0) ffi_set(out, "lost", lost_species(&model));
  if (model.reactions != NULL && splits) ffi_set(out, "split", split_names(model.reactions));
  if (model.reactions != NULL && model.factor > 0) {
    ffi_set(out, "factor", Rf_ScalarReal(model.factor));
    ffi_set(out, "pairs", pair_names(model.reactions));
  }
  if (!is_petri) ffi_set(out, "model", model.pbn != NULL ? ffi_pbn_list(model.pbn) : ffi_reactions_list(model.reactions));
  ffi_set(out, "format", Rf_mkString(ff_format_name(found)));
  ffi_set(out, "class", Rf_mkString(model.pbn != NULL ? "pbn" : is_petri ? "petri_net" : "reaction_network"));
  ffi_set(out, "unit", Rf_mkString(model.unit));
  if (model.reactions != NULL) ffi_set(out, "negative", negative_laws(model.reactions));
  if (model.reactions != NULL && model.reactions->real != NULL) {
    ffi_set(out, "levels", levels_of(model.reactions));
    ffi_set(out, "flows", flows_of(model.reactions));
    ffi_set(out, "weights", weights_of(model.reactions));
    ffi_set(out, "marked", Rf_ScalarLogical(model.marked));
  }
  UNPROTECT(3);
  return out;
}

/* Writes the file. Returns the bits of ff_lost: what the format cannot express. */
SEXP ffi_write_network(SEXP model, SEXP path, SEXP format) {
  ff_format wanted = ffi_format(format);
  const char *file = ffi_path(path, "file");
  ff_error err;
  ff_pbn *pbn;
  PROTECT(ffi_pbn_hold(model, &pbn));
  ffi_check(ff_io_write(pbn, file, wanted, &err), &err);
  unsigned lost = ff_io_lost(pbn, wanted);
  UNPROTECT(1);
  return Rf_ScalarInteger((int)lost);
}

SEXP ffi_write_reactions(SEXP model, SEXP path, SEXP format) {
  ff_format wanted = ffi_format(format);
  const char *file = ffi_path(path, "file");
  ff_error err;
  ff_reactions *net;
  PROTECT(ffi_reactions_hold(model, &net));
  ffi_check(ff_io_write_reactions(net, file, wanted, &err), &err);
  UNPROTECT(1);
  return R_NilValue;
}
