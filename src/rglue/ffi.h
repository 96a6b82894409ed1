/* Declarations that the files of this folder share. Only these files and init.c include R's headers. They only convert between
 * R's values and C's. */
#ifndef FFI_H
#define FFI_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "../base/ff_decimal.h"
#include "../model/ff_model.h"
#include "../model/reactions/ff_reactions.h"

/* Raises the R condition fireflip_error_<status name> with err's text. Never returns. First free what the caller holds, or let an
 * external pointer hold it. */
void ffi_stop(const ff_error *err);

/* Calls ffi_stop() unless the status is FF_OK. */
void ffi_check(ff_status status, const ff_error *err);

/* Makes an external pointer that holds nothing yet; the caller PROTECTs it. R_SetExternalPtrAddr() later gives it the object that
 * it will hold. `release` is called when R collects the pointer, when ffi_release() is called, or, with `at_exit`, when R ends.
 * It gets the pointer, frees the object, and clears the pointer. It must accept a pointer that holds nothing and must not raise
 * an error. Make the pointer before the object that it will hold; then no R error and no interrupt leaks that object. `kept`
 * lives as long as the pointer. This function uses the pointer's tag.
 *
 * The finalizer that R knows is an R function, finalize_pointer() of R/zzz.R. R has no way to remove a finalizer, so a C function
 * would be called after .onUnload() has closed the library.
 */
SEXP ffi_pointer(void (*release)(SEXP pointer), int at_exit, SEXP kept);

/* The object that a pointer of ffi_pointer() holds. Raises fireflip_error_internal if it holds none; `what` names the object,
 * such as "an estimate". */
void *ffi_held(SEXP pointer, const char *what);

/* Raises fireflip_error_memory: "no memory for WHAT". Never returns. */
void ffi_no_memory(const char *what);

/* Parses n state sets over the nodes of a network. sets[] must be zeroed; the caller frees what it holds, also on failure. Calls
 * nothing of R. */
ff_status ffi_parse_sets(ff_expr *sets, const char *const *texts, uint32_t n, const ff_pbn *pbn, ff_error *err);

/* For ffi_pointer(): frees a text. */
void ffi_free_text(SEXP holder);

/* ffi_list() makes a list of n NULLs with these names; the caller PROTECTs it. ffi_element() returns an element by its name, or
 * R_NilValue if there is none or `list` is no list. ffi_set() sets an element. It allocates nothing, so `value` need not be
 * PROTECTed before. It raises an R error if there is no such element. O(n). */
SEXP ffi_list(int n, const char *const *names);
SEXP ffi_element(SEXP list, const char *name);
void ffi_set(SEXP list, const char *name, SEXP value);

/* Makes a list of single numbers (double) with these names; the caller PROTECTs it. */
SEXP ffi_numbers(int n, const char *const *names, const double *values);

/* Makes a network from the R object of class "pbn" and returns an external pointer to it, which the caller PROTECTs. The
 * pointer's finalizer frees the network, so later R errors and interrupts leak nothing. *pbn is borrowed and valid while the
 * pointer is protected.
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

/* Makes an empty external pointer, which the caller PROTECTs. It frees the network that R_SetExternalPtrAddr() gives it. Make it
 * before the core makes the network, so that no R error can occur in between. */
SEXP ffi_pbn_holder(void);

/* Makes the same list (without its class) from a network, which stays the caller's. The caller PROTECTs the list. */
SEXP ffi_pbn_list(const ff_pbn *pbn);

/* Makes a reaction network from the R object of class "reaction_network", as ffi_pbn_hold() makes a PBN. *net is borrowed and
 * valid while the pointer that is returned is protected.
 *
 * The R object is a list:
 *   species     data frame: species (text), initial (double), fixed (logical)
 *   parameters  double, with names
 *   reactions   data frame: name, equation, rate (texts), law ("mass action" or "formula")
 *   variables   formulas (texts), with names; NULL for none
 *   events      NULL, or a data frame: name, when, delay, priority (texts; NA for none), persistent, initially (logical),
 *               values ("trigger" or "execution"), set (list of texts with names)
 */
SEXP ffi_reactions_hold(SEXP model, ff_reactions **net);

/* Makes an empty external pointer for a reaction network, as ffi_pbn_holder() does for a PBN. */
SEXP ffi_reactions_holder(void);

/* Makes a list of the columns of a reaction network, which stays the caller's: list(species, initial, fixed, parameters, name,
 * equation, rate, law, variables, events), where `events` is a list of columns or NULL. The caller PROTECTs the list. */
SEXP ffi_reactions_list(const ff_reactions *net);

/* ff_reactions_split() of a network that a holder holds. Returns a logical vector that tells which of its reactions are the second
 * ones of two directions. */
SEXP ffi_split(ff_reactions *net);

/* Returns list(names, both): the names in all equations, in their order and with repeats, and for each equation whether it has
 * both directions. `names_of_one` is the core's parser of one equation. It must hold no memory while it calls found(), which may
 * raise an R error. */
typedef ff_status (*ffi_equation_names_of)(const char *text, void (*found)(void *context, const char *name, size_t length),
                                           void *context, int *both, ff_error *err);
SEXP ffi_names_of_equations(SEXP equations, ffi_equation_names_of names_of_one);

/* Moves a text of the core to element i of the strings. `holder` frees the text even if R fails to copy it. `old` is a string
 * that is often the same text; R then need not look for it among all its strings. */
void ffi_set_text(SEXP strings, R_xlen_t i, char *text, SEXP old, SEXP holder);

/* Sets used[i] to 1 for each symbol that a formula names. */
void ffi_mark_named(int *used, const ff_formula *formula);

#endif
