/* Petri nets: R's values to the model of the core, and back. */
#ifndef FFI_PETRI_H
#define FFI_PETRI_H

#include "../../model/petri/ff_petri_flat.h"
#include "../ffi_values.h"

/* Makes a net from the R object of class "petri_net", as ffi_pbn_hold() makes a PBN; ff_petri_finish() has been called. *net is
 * borrowed and valid while the pointer that is returned is protected.
 *
 * The R object is a list:
 *   places       data frame: place (text), set (text, NA for none), continuous, fixed (logical)
 *   transitions  data frame of texts: name, kind, equation, number, law, test, reset, guard, begin, period, end; NA for none
 *   pieces       NULL, or a data frame of texts: transition (a name), when (NA for always), number, law
 *   markings     data frame: element, when (NA for always), value (texts), adds (logical)
 *   colours      list of whole numbers (integer, double) or texts, with names
 *   sets, indices, functions, variables   texts, with names
 *   parameters   double, with names
 *   written_as   NULL, or for each parameter a definition (see ff_petri.h), NA for none
 *   events       NULL, or a data frame as that of a reaction network (ffi_events.h)
 *
 * `until` is NULL or a condition, which becomes the last variable of the net. */
SEXP ffi_petri_hold(SEXP model, const char *until, ff_petri **net);

/* Makes an empty external pointer for a net, which the caller PROTECTs. */
SEXP ffi_petri_holder(void);

/* Makes the same list (without its class) from a net, which stays the caller's. The caller PROTECTs the list. */
SEXP ffi_petri_list(const ff_petri *net);

/* A net and what it stands for. */
typedef struct {
  ff_petri *net;
  ff_unfolder *unfolder; /* until there is `flat` */
  ff_petri_flat *flat;
} ffi_petri_unfolded;

/* Makes an external pointer to an unfolded net, which the caller PROTECTs. It lets R process Ctrl-C. */
SEXP ffi_petri_unfold(SEXP model, const char *until, ffi_petri_unfolded **out);

#define FFI_PETRI_NAME 512 /* bytes of the name of a flat place or transition that is shown; longer ones are cut */

#endif
