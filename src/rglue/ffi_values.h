/* Values that R gives: the only place that checks their types and lengths. R's integers and doubles are taken for each other
 * where nothing is lost; factors and numbers of bit64 are no numbers. For other values, the functions raise
 * fireflip_error_argument, which says what the value must be and what was found. So call them before the core allocates what
 * only C can free. Arrays and texts that are returned are valid until the .Call ends. A single value takes O(1), a vector
 * O(length). */
#ifndef FFI_VALUES_H
#define FFI_VALUES_H

#include "../io/ff_io.h"
#include "ffi.h"

/* Whose values they are: this begins and ends a message. */
typedef enum { FFI_ARGUMENT, FFI_PBN, FFI_REACTIONS, FFI_RESULT, FFI_PETRI, FFI_OWNERS } ffi_owner;

/* Raises the error that the owner's `name`, such as "species$fixed", must be `wanted`, but `found` was found. Never returns. */
void ffi_stop_found(ffi_owner owner, const char *name, const char *wanted, const char *found);

/* What was found, for a message: a value that is short, or else its type and length. */
typedef struct {
  char text[FF_QUOTE_SIZE + 40];
} ffi_description;
ffi_description ffi_described(SEXP x);

/* Returns x, a vector of this type with n elements; any number of them if n is negative. */
SEXP ffi_typed(SEXP x, SEXPTYPE type, R_xlen_t n, ffi_owner owner, const char *name, const char *wanted);

/* Returns n numbers, or any number of them: R's own memory, or a copy of integers. NA is NaN. */
const double *ffi_doubles(SEXP x, R_xlen_t n, ffi_owner owner, const char *name, const char *wanted);

/* Returns n flags, which are not NA. */
const int *ffi_flags(SEXP x, R_xlen_t n, ffi_owner owner, const char *name, const char *wanted);

/* Returns texts in UTF-8. With `missing`, NA is NULL; else it is an error. */
const char **ffi_texts(SEXP x, R_xlen_t n, int missing, ffi_owner owner, const char *name, const char *wanted);

/* Whether x has whole, real or logical numbers; the number at place i, NaN for NA; and the same as a whole number in
 * [low, high]. */
int ffi_is_number(SEXP x);
double ffi_number_at(SEXP x, R_xlen_t i);
uint32_t ffi_count_at(SEXP x, R_xlen_t i, double low, double high, ffi_owner owner, const char *name, const char *wanted);

/* Single values of arguments: a number, which may be NaN; a whole number from 0 to `most`, at most 2^53; TRUE or FALSE; a text in
 * UTF-8; and a path in the encoding of the file system. */
double ffi_number(SEXP x, const char *name);
uint64_t ffi_count(SEXP x, const char *name, double most);
int ffi_int(SEXP x, const char *name); /* from 0 */
uint32_t ffi_uint(SEXP x, const char *name);
int ffi_flag(SEXP x, const char *name);
const char *ffi_text(SEXP x, const char *name);
const char *ffi_path(SEXP x, const char *name);

/* The format of a file, by its name. ffi_io.c. */
ff_format ffi_format(SEXP format);

/* Raises an error unless x is a list of at least n elements. */
void ffi_listed(SEXP x, R_xlen_t n, const char *name);

/* State sets, as texts. */
const char **ffi_sets(SEXP sets);

/* Numbers of nodes from 1 to n as numbers from 0. There must be `length` of them; any number if it is negative. */
uint32_t *ffi_nodes(SEXP numbers, R_xlen_t length, const char *name, uint32_t n);

#define FFI_MOST 0x1p53 /* the largest of all whole numbers that R can tell apart */

#endif
