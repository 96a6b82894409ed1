/* What the glue files share. This folder is the only one whose files include R's headers: it converts, nothing more. */
#ifndef FFI_H
#define FFI_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "../model/ff_model.h"

/* Raises the R condition fireflip_error_<status name> with err's text. Never returns. Free what the caller holds first, or
 * hold it by an external pointer. */
void ffi_stop(const ff_error *err);

/* ffi_stop unless the status is FF_OK. */
void ffi_check(ff_status status, const ff_error *err);

/* An external pointer (to be PROTECTed by the caller) to nothing yet. `release` frees what is given to it by R_SetExternalPtrAddr
 * later: once R collects the pointer, or ffi_release() is called, or, with `at_exit`, R ends. So make the pointer before what it
 * is to hold, and an R error or an interrupt leaks nothing. `release` gets the pointer, frees what it holds and clears it; it has
 * to take one that holds nothing, and must not raise an error. `kept` stays alive with the pointer. The tag is this function's.
 *
 * The finalizer that R knows is an R function, finalize_pointer() of R/zzz.R. A C function would be called after .onUnload() has
 * closed the library, for R has no way to take a finalizer back. */
SEXP ffi_pointer(void (*release)(SEXP pointer), int at_exit, SEXP kept);

/* The texts of a character vector, valid until the .Call ends. R may jump when it hands out a string: so ask for them before the
 * core gives out what only C can free. */
const char *const *ffi_texts(SEXP strings);

/* A list of n NULLs with these names, to be PROTECTed by the caller; and its element by name, to be read and to be set. A list from R
 * gives R_NilValue for an element that it does not have; ffi_set raises an error, for the name is the core's own. ffi_set allocates
 * nothing, so its value need not be PROTECTed before. */
SEXP ffi_list(int n, const char *const *names);
SEXP ffi_element(SEXP list, const char *name);
void ffi_set(SEXP list, const char *name, SEXP value);

/* A list of single numbers (double) with these names, to be PROTECTed by the caller. */
SEXP ffi_numbers(int n, const char *const *names, const double *values);

/* An external pointer (to be PROTECTed by the caller) to a network made from the R object of class "pbn"; its finalizer
 * frees the network, so an R error or an interrupt later leaks nothing. *pbn stays valid while the pointer is protected.
 *
 * The R object is a list:
 *   nodes         character(n)
 *   rules         data frame: node (integer, from 1, ascending), predictor (text), probability (double)
 *   perturbation  double(1)
 *   exempt        logical(n), TRUE = never perturbed
 *   initial       integer(n), 0, 1 or NA = random
 *   update        "synchronous" or "asynchronous"
 *   contexts      NULL, or list(probability = double(m), predictor = integer matrix m x n, from 1 within each node)
 *   removed       c(nodes = integer, perturbed = integer)
 */
SEXP ffi_pbn_hold(SEXP model, ff_pbn **pbn);

/* An empty external pointer (to be PROTECTed) that will free the network given to it by R_SetExternalPtrAddr: make it
 * before the core makes the network, so that nothing of R's can jump in between. */
SEXP ffi_pbn_holder(void);

/* The same list (without its class) from a network, which the caller holds. */
SEXP ffi_pbn_list(const ff_pbn *pbn);

#endif
