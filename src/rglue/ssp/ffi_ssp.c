/* Processors for stochastic simulation, and programs for them as raw vectors. */
#include "ffi_ssp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ssp/compile/ff_ssp_compile.h"
#include "../ffi_values.h"

/* ---- processors ----------------------------------------------------------------------------------------------------- */

static uint32_t *field_of(ff_ssp_chip *chip, const ff_ssp_field *field) {
  return (uint32_t *)(void *)((char *)chip + field->offset);
}

static uint32_t part_of(const char *name) {
  uint32_t i = 0;
  ff_error err;
  while (ff_dram_part_at(i) != NULL && strcmp(ff_dram_part_at(i)->name, name) != 0) i++;
  if (ff_dram_part_at(i) == NULL) ffi_check(ff_error_set(&err, FF_EARGUMENT, "there is no memory part \"%s\"", name), &err);
  return i;
}

ff_ssp_chip ffi_ssp_chip(SEXP list) {
  ff_ssp_chip chip = {0};
  ff_error err;
  for (size_t i = 0; ff_ssp_field_at(i) != NULL; i++) {
    const ff_ssp_field *f = ff_ssp_field_at(i);
    *field_of(&chip, f) = (uint32_t)ffi_count(ffi_element(list, f->name), f->name, UINT32_MAX);
  }
  chip.part = part_of(ffi_text(ffi_element(list, "memory"), "memory"));
  ffi_check(ff_ssp_chip_check(&chip, &err), &err);
  return chip;
}

static SEXP chip_list(ff_ssp_chip chip) {
  enum { MOST_FIELDS = 64 };
  const char *names[MOST_FIELDS];
  int n = 0;
  while (ff_ssp_field_at((size_t)n) != NULL) {
    names[n] = ff_ssp_field_at((size_t)n)->name;
    n++;
  }
  names[n] = "memory";
  SEXP out = PROTECT(ffi_list(n + 1, names));
  for (int i = 0; i < n; i++) SET_VECTOR_ELT(out, i, Rf_ScalarReal(*field_of(&chip, ff_ssp_field_at((size_t)i))));
  SET_VECTOR_ELT(out, n, Rf_mkString(ff_dram_part_at(chip.part)->name));
  UNPROTECT(1);
  return out;
}

/* Returns list(name, value, source, unit, meaning, memory, ranks, least, most): the fields of a processor with their domains, and
 * of all memory parts the names and the most ranks of a channel. */
SEXP ffi_ssp_fields(void) {
  static const char *const names[] = {"name", "value", "source", "unit", "meaning", "memory", "ranks", "least", "most"};
  enum { TEXTS = 4 };
  static const int texts_at[TEXTS] = {0, 2, 3, 4};
  int n = 0, parts = 0;
  while (ff_ssp_field_at((size_t)n) != NULL) n++;
  while (ff_dram_part_at((size_t)parts) != NULL) parts++;
  SEXP out = PROTECT(ffi_list(9, names));
  for (int k = 1; k < 9; k += k == 1 ? 6 : 1) SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, n));
  for (int k = 0; k < TEXTS; k++) SET_VECTOR_ELT(out, texts_at[k], Rf_allocVector(STRSXP, n));
  for (int i = 0; i < n; i++) {
    const ff_ssp_field *f = ff_ssp_field_at((size_t)i);
    const char *const texts[TEXTS] = {f->name, f->source, f->unit, f->meaning};
    REAL(VECTOR_ELT(out, 1))[i] = f->value;
    REAL(VECTOR_ELT(out, 7))[i] = f->least;
    REAL(VECTOR_ELT(out, 8))[i] = f->most;
    for (int k = 0; k < TEXTS; k++) SET_STRING_ELT(VECTOR_ELT(out, texts_at[k]), i, Rf_mkChar(texts[k]));
  }
  SET_VECTOR_ELT(out, 5, Rf_allocVector(STRSXP, parts));
  SET_VECTOR_ELT(out, 6, Rf_allocVector(REALSXP, parts));
  for (int i = 0; i < parts; i++) {
    const ff_dram_part *part = ff_dram_part_at((size_t)i);
    SET_STRING_ELT(VECTOR_ELT(out, 5), i, Rf_mkChar(part->name));
    REAL(VECTOR_ELT(out, 6))[i] = part->ranks;
  }
  UNPROTECT(1);
  return out;
}

/* Checks a processor. Returns whether its units and channels are within the paper's. */
SEXP ffi_ssp_chip_check(SEXP list) {
  const ff_ssp_chip chip = ffi_ssp_chip(list);
  return Rf_ScalarLogical(ff_ssp_chip_has_papers_size(&chip));
}

/* ---- programs ------------------------------------------------------------------------------------------------------- */

static void finalize_program(SEXP pointer) {
  ff_ssp_program_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

SEXP ffi_ssp_hold(SEXP image, ff_ssp_program **out) {
  ff_error err;
  ffi_typed(image, RAWSXP, -1, FFI_ARGUMENT, "program$image", "a raw vector");
  SEXP holder = PROTECT(ffi_pointer(finalize_program, 0, R_NilValue));
  ffi_check(ff_ssp_image_read(out, RAW(image), (size_t)Rf_xlength(image), &err), &err);
  R_SetExternalPtrAddr(holder, *out);
  UNPROTECT(1);
  return holder;
}

/* The image of a program as a raw vector. */
static SEXP image_of(const ff_ssp_program *program) {
  uint8_t *bytes;
  size_t n;
  ff_error err;
  SEXP holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue));
  ffi_check(ff_ssp_image(&bytes, &n, program, &err), &err);
  R_SetExternalPtrAddr(holder, bytes);
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)n));
  memcpy(RAW(out), bytes, n);
  ffi_free_text(holder);
  UNPROTECT(2);
  return out;
}

/* Compiles a network. Returns the image. */
SEXP ffi_ssp_compile(SEXP model, SEXP chip_list, SEXP optimise, SEXP seed) {
  const ff_ssp_chip chip = ffi_ssp_chip(chip_list);
  const char *name = ffi_text(optimise, "optimise");
  const uint64_t key = ffi_count(seed, "seed", FFI_MOST);
  ff_reactions *net;
  ff_ssp_program *program;
  ff_error err;
  int how = 0;
  while (ff_ssp_optimise_name(how) != NULL && strcmp(ff_ssp_optimise_name(how), name) != 0) how++;
  PROTECT(ffi_reactions_hold(model, &net));
  SEXP holder = PROTECT(ffi_pointer(finalize_program, 0, R_NilValue));
  R_CheckUserInterrupt();
  ffi_check(ff_ssp_compile(&program, net, &chip, (ff_ssp_optimise)how, key, &err), &err);
  R_SetExternalPtrAddr(holder, program);
  R_CheckUserInterrupt();
  SEXP out = PROTECT(image_of(program));
  finalize_program(holder);
  UNPROTECT(3);
  return out;
}

/* The same program for another processor. */
SEXP ffi_ssp_move(SEXP image, SEXP chip_list) {
  const ff_ssp_chip chip = ffi_ssp_chip(chip_list);
  ff_ssp_program *program;
  ff_error err;
  PROTECT(ffi_ssp_hold(image, &program));
  ffi_check(ff_ssp_program_move(program, &chip, &err), &err);
  SEXP out = image_of(program);
  UNPROTECT(1);
  return out;
}

/* The network that a program evaluates, as the list that ffi_reactions_list() makes. */
SEXP ffi_ssp_network(SEXP image) {
  ff_ssp_program *program;
  ff_reactions *net;
  ff_error err;
  PROTECT(ffi_ssp_hold(image, &program));
  SEXP holder = PROTECT(ffi_reactions_holder());
  ffi_check(ff_ssp_decompile(&net, program, &err), &err);
  R_SetExternalPtrAddr(holder, net);
  SEXP out = ffi_reactions_list(net);
  UNPROTECT(2);
  return out;
}

/* ---- what a program has ---------------------------------------------------------------------------------------------- */

#define FF_X(name, meaning) +1
enum { UNIT_COLUMNS = FF_SSP_UNIT_COUNTS(FF_X) };
#undef FF_X

static SEXP units_list(const ff_ssp_program *p) {
  static const char *const names[] = {
#define FF_X(name, meaning) #name,
      FF_SSP_UNIT_COUNTS(FF_X)
#undef FF_X
  };
  SEXP out = PROTECT(ffi_list(UNIT_COLUMNS, names));
  for (int k = 0; k < UNIT_COLUMNS; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, p->chip.rus));
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    ff_ssp_unit_counts of;
    ff_error err;
    int k = 0;
    ffi_check(ff_ssp_count_unit(&of, p, j, &err), &err);
#define FF_X(name, meaning) REAL(VECTOR_ELT(out, k++))[j] = of.name;
    FF_SSP_UNIT_COUNTS(FF_X)
#undef FF_X
  }
  UNPROTECT(1);
  return out;
}

static SEXP names_of(const ff_ssp_program *p, size_t first, size_t n) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
  for (size_t i = 0; i < n; i++) {
    char number[16] = "";
    if (first == 0) snprintf(number, sizeof number, "S%zu", i + 1); /* as ff_ssp_decompile() names species that have no names */
    const char *name = p->names != NULL ? p->names[first + i] : number;
    SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(name, CE_UTF8));
  }
  UNPROTECT(1);
  return out;
}

/* Returns list(chip, optimise, seed, species, reactions, initial, units, changes, copies). `units` is a list of numbers for each
 * RU, `initial` has the populations at the start, in the network's order, `changes` is the number of changes in all vectors, and
 * `copies` that of pairs of an RU and a species that it holds. */
SEXP ffi_ssp_describe(SEXP image) {
  static const char *const names[] = {"chip",    "optimise", "seed",    "species", "reactions",
                                      "initial", "units",    "changes", "copies"};
  ff_ssp_program *p;
  PROTECT(ffi_ssp_hold(image, &p));
  SEXP out = PROTECT(ffi_list(9, names));
  const char *optimise = ff_ssp_optimise_name((int)p->optimise);
  ffi_set(out, "chip", chip_list(p->chip));
  ffi_set(out, "optimise", Rf_mkString(optimise != NULL ? optimise : "unknown"));
  ffi_set(out, "seed", Rf_ScalarReal((double)p->seed));
  ffi_set(out, "species", names_of(p, 0, p->n_species));
  ffi_set(out, "reactions", names_of(p, p->n_species, p->n_reactions));
  SEXP initial = Rf_allocVector(REALSXP, p->n_species);
  ffi_set(out, "initial", initial);
  for (uint32_t i = 0; i < p->n_species; i++) REAL(initial)[p->species[i]] = p->initial[i];
  ffi_set(out, "units", units_list(p));
  double changes = 0;
  for (size_t i = 0; i < (size_t)p->n_reactions * FF_SSP_CHANGES; i++) changes += p->vectors[i] != 0;
  ffi_set(out, "changes", Rf_ScalarReal(changes));
  uint64_t copies;
  ff_error err;
  ffi_check(ff_ssp_count_copies(&copies, p, &err), &err);
  ffi_set(out, "copies", Rf_ScalarReal((double)copies));
  UNPROTECT(2);
  return out;
}
